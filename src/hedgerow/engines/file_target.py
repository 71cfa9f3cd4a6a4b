"""A file that appears whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hedgerow.base.errors import TargetError

FORMATS = (".csv", ".parquet")


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A temporary file beside the target that takes its place when the block ends well.

    On any error, also Ctrl-C, the temporary file is removed and the target is as it was.
    """
    if target.suffix.lower() not in FORMATS:
        raise TargetError(
            f"{target.name!r} is neither a .csv nor a .parquet file",
            where=str(target),
            fix="Give the release a name that ends in .csv or .parquet.",
        )
    if target.is_dir():
        raise TargetError(
            "is a folder", where=str(target), fix="Name a file inside it, such as release.csv."
        )
    part = target.parent / f".hedgerow-{secrets.token_hex(8)}.part"
    try:
        # Made here, not by the engine: an unwritable folder shows before hours of work.
        part.open("xb").close()
        yield part
        _to_disk(part)
        part.replace(target)
        _to_disk(target.parent)
    except OSError as error:
        raise unwritable(error, target) from error
    finally:
        with suppress(FileNotFoundError, NotADirectoryError):
            part.unlink()


def unwritable(error: OSError, target: Path) -> TargetError:
    """The operating system's refusal in our words."""
    return TargetError(
        f"cannot be written: {error.strerror or error}",
        where=str(target),
        fix="Check that the folder exists, that you may write there, and that the disk has room.",
    )


def _to_disk(path: Path) -> None:
    """Wait until the disk has it: a crash of the machine then finds the old or the new file."""
    if os.name == "nt" and path.is_dir():  # Windows cannot open folders
        return
    handle = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
