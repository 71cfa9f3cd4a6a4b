"""Uploads: streamed to disk as they arrive, bounded, under a name the app has chosen."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from fastapi import Request
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header

from hedgerow.base.errors import DataError
from hedgerow.web.workspace import safe_name, table_suffixes

UPLOAD_LIMIT = 4_000_000_000
"""Bytes of an upload where nobody says otherwise."""
FIELD_LIMIT = 10_000
"""Bytes of a field beside the file."""
MOST_FIELDS = 20

FILE_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}
"""How a route that takes a file describes itself (`openapi_extra`); its path ends in /upload."""


@dataclass
class Upload:
    """A file on disk, and the fields that came with it."""

    name: str
    """What its sender calls it."""
    path: Path
    """Where it is; whoever asked for it moves it, or it is removed."""
    fields: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> Upload:
        return self

    def __exit__(self, *error: object) -> None:
        self.path.unlink(missing_ok=True)


@dataclass
class Uploads:
    """Several files on disk, and the fields that came with them."""

    files: list[Upload]
    fields: dict[str, str]

    def __enter__(self) -> Uploads:
        return self

    def __exit__(self, *error: object) -> None:
        for file in self.files:
            file.path.unlink(missing_ok=True)


async def receive_file(request: Request, folder: Path) -> Upload:
    """Take a form with one file, and write that to a new file of the folder.

    Raises:
        DataError: The form has no file, more than one, or one with a name that is not only that.
    """
    form = await receive_files(request, folder, most=1)
    return replace(form.files[0], fields=form.fields)


async def receive_files(request: Request, folder: Path, *, most: int) -> Uploads:
    """Take a form with one file or more, and write each to a new file of the folder.

    Raises:
        DataError: The form has no file, too many, or one with a name that is not only that.
    """
    kind, options = parse_options_header(request.headers.get("content-type"))
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise DataError("this is not a form with a file", fix="Choose a file and send it again.")
    form = _FormParser(folder, most)
    try:
        parser = MultipartParser(options[b"boundary"], form.callbacks())  # type: ignore[arg-type]
        async for chunk in request.stream():
            parser.write(chunk)
        parser.finalize()
        form.close()
        if not form.files:
            raise DataError("no file was chosen", fix="Choose a file and send it again.")
        for file in form.files:
            _refuse_kind(safe_name(file.name))
        return Uploads(form.files, form.fields)
    except BaseException as error:
        form.close()
        for file in form.files:
            file.path.unlink(missing_ok=True)
        if isinstance(error, MultipartParseError | UnicodeDecodeError):
            raise DataError("the form cannot be read", fix="Send it again.") from None
        raise


def _refuse_kind(name: str) -> None:
    """A database is refused among others: what it holds may refer to other files."""
    if not name.lower().endswith((*table_suffixes(), ".json")):
        raise DataError(
            f"{name!r} is not a kind of file the app takes",
            fix=f"Upload one of {', '.join(table_suffixes())}.",
        )


class _FormParser:
    """What the parser calls as the parts of a form go by."""

    def __init__(self, folder: Path, most: int) -> None:
        self.folder, self.most = folder, most
        self.files: list[Upload] = []
        self.fields: dict[str, str] = {}
        self.file: IO[bytes] | None = None
        self._header = b""
        self._value = b""
        self._headers: dict[bytes, bytes] = {}
        self._field: str | None = None
        self._text = b""

    def callbacks(self) -> dict[str, object]:
        return {
            "on_part_begin": self._part_begin,
            "on_part_data": self._part_data,
            "on_part_end": self._part_end,
            "on_header_field": self._header_field,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished,
        }

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None
        self.file = None

    def _part_begin(self) -> None:
        self._headers, self._header, self._value, self._text = {}, b"", b"", b""

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]
        self._refuse_long(self._header)

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._refuse_long(self._value)

    def _refuse_long(self, read: bytes) -> None:
        if len(read) > FIELD_LIMIT or len(self._headers) > MOST_FIELDS:
            raise DataError("a part of the form has too much before it begins")

    def _header_end(self) -> None:
        self._headers[self._header.lower()] = self._value
        self._header, self._value = b"", b""

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._field = options.get(b"name", b"").decode("utf-8")
        if b"filename" not in options:
            if len(self.fields) >= MOST_FIELDS:
                raise DataError("the form has too many fields")
            return
        name = options[b"filename"].decode("utf-8")
        self._field = None
        self.close()
        if not name:  # a form without a chosen file sends an empty one
            return
        if len(self.files) == self.most:
            few = "one file was" if self.most == 1 else f"{self.most} files were"
            raise DataError(f"more than {few} sent", fix="Send fewer at a time.")
        part = self.folder / f".{secrets.token_hex(8)}.upload"
        made = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self.file = os.fdopen(made, "wb")
        self.files.append(Upload(name, part))

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._field is None:
            if self.file is not None:
                self.file.write(data[start:end])
            return
        self._text += data[start:end]
        if len(self._text) > FIELD_LIMIT:
            raise DataError("a field of the form is too long")

    def _part_end(self) -> None:
        if self._field is not None:
            self.fields[self._field] = self._text.decode("utf-8")
