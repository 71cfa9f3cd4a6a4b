"""Draft: one plan in the making, and what it may open.

The text is kept whatever state it is in; whether it is a plan is asked when it is used. A plan
that came through the browser opens only files that its owner's own plan named, or that were
uploaded: a page must not be able to read the rest of the disk.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from hedgerow import Plan
from hedgerow.api.plan_text import Place, changed, data_of
from hedgerow.base.errors import DataError, HedgerowError, PlanError, TargetError

NAME = "plan.yaml"
"""What messages call the plan."""


class Draft:
    """A folder with a plan in the making.

    Attributes:
        folder: Of the workspace.
        about: Where it came from, and which files its owner named.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.about: dict[str, Any] = json.loads((folder / "about.json").read_text("utf-8"))
        except (OSError, ValueError):
            raise DataError(
                "this piece of work is damaged: its about.json cannot be read", where=str(folder),
                fix="Its plan.yaml may be whole: move that elsewhere, and open it as a plan.",
            ) from None  # fmt: skip
        self._lock = threading.RLock()
        self._read: tuple[str, dict[str, Any]] | None = None

    @classmethod
    def make(cls, folder: Path, text: str, about: dict[str, Any]) -> Draft:
        """A new one; its folder may hold uploaded files already."""
        folder.mkdir(mode=0o700, exist_ok=True)
        for below in ("files", "jobs"):
            (folder / below).mkdir(mode=0o700, exist_ok=True)
        write_text(folder / NAME, text)
        # Last, since a folder without it is no piece of work.
        write_text(folder / "about.json", json.dumps(about, indent=1, ensure_ascii=False))
        return cls(folder)

    @property
    def name(self) -> str:
        """Of its folder."""
        return self.folder.name

    @property
    def title(self) -> str:
        """What its user calls it: the file it began with."""
        return str(self.about["title"])

    @property
    def base(self) -> Path:
        """Where the plan's relative paths are seen from."""
        return Path(self.about["base"])

    @property
    def saves(self) -> Path | None:
        """Where `save` writes; None where the table was uploaded and the plan lives here."""
        return None if self.about["saves"] is None else Path(self.about["saves"])

    @property
    def exists(self) -> bool:
        """Whether it is still on disk."""
        return (self.folder / NAME).is_file()

    @property
    def touched(self) -> float:
        """When it was last changed, in seconds."""
        return (self.folder / NAME).stat().st_mtime

    @property
    def text(self) -> str:
        """The plan's YAML as it stands, right or wrong."""
        return (self.folder / NAME).read_text("utf-8")

    @property
    def mark(self) -> str:
        """A name for this state of the text: what is kept in memory goes by it."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def plan(self) -> Plan:
        """The plan.

        Raises:
            HedgerowError: What is wrong with it, in the words of the command line.
        """
        plan = Plan.parse(self.text, name=NAME, folder=self.base)
        self.refuse_foreign(plan)
        return plan

    def problem(self) -> HedgerowError | None:
        """What is wrong with the plan, if anything is."""
        try:
            self.plan()
        except HedgerowError as error:
            return error
        return None

    def data(self) -> dict[str, Any]:
        """What the text says, as plain data, right or wrong; nothing if it is not YAML."""
        return copy.deepcopy(self._data())

    def said(self, key: str) -> Any:
        """What the text says under one key of the plan, right or wrong; None if nothing."""
        return copy.deepcopy(self._data().get(key))

    @property
    def planned(self) -> list[str]:
        """The columns the text speaks of."""
        columns = self._data().get("columns")
        return list(columns) if isinstance(columns, dict) else []

    def _data(self) -> dict[str, Any]:
        """The same, not to be changed: read once for each text."""
        text = self.text
        if self._read is None or self._read[0] != text:
            try:
                data = data_of(text)
            except PlanError:
                data = {}
            self._read = text, data if isinstance(data, dict) else {}
        return self._read[1]

    def column(self, name: str) -> dict[str, Any]:
        """What the plan says of a column, a role alone written out."""
        columns = self._data().get("columns")
        said = columns.get(name) if isinstance(columns, dict) else None
        if isinstance(said, dict):
            return copy.deepcopy(said)
        return {"role": said} if isinstance(said, str) else {}

    def write(self, text: str) -> None:
        """Keep another text, right or wrong."""
        with self._lock:
            try:
                write_text(self.folder / NAME, text.replace("\r\n", "\n"))
            except OSError as error:
                raise TargetError(
                    f"the change could not be kept: {error.strerror or error}",
                    where=str(self.folder), fix="The plan is as it was before.",
                ) from None  # fmt: skip

    def edit(self, place: Place, value: Any) -> None:
        """Change one value of the plan, and leave the rest and its comments as they are.

        Raises:
            PlanError: The text is not YAML, so that there are no places in it.
        """
        with self._lock:
            self.write(changed(self.text, place, value))

    def edit_column(self, name: str, said: Mapping[str, Any]) -> None:
        """Say something else of a column; keys that stay the same keep their comments."""
        with self._lock:
            columns = self._data().get("columns")
            before = columns.get(name) if isinstance(columns, dict) else None
            if isinstance(before, dict) and set(before) <= set(said):
                for key, value in said.items():
                    if before.get(key) != value:
                        self.edit(("columns", name, key), value)
            elif before != said:
                self.edit(("columns", name), dict(said))

    @property
    def files(self) -> Path:
        """The folder of uploaded files."""
        return self.folder / "files"

    def take(self, name: str, uploaded: Path) -> None:
        """Keep a file that was uploaded; it replaces one of the same name, but not the table.

        Raises:
            DataError: The table itself is called so.
        """
        place = self.files / name
        if str(place) == self.about["origin"] or self.said("source") == self.reference(name):
            raise DataError(
                f"{name!r} is what the table itself is called, which would be replaced",
                fix="Give the file another name and upload it again.",
            )
        uploaded.replace(place)

    def reference(self, name: str) -> str:
        """How the plan names an uploaded file."""
        path = self.files / name
        if path.is_relative_to(self.base):
            return path.relative_to(self.base).as_posix()
        return str(path)

    @property
    def changed_here(self) -> bool:
        """Whether the draft is no longer what it was made from."""
        return bool(hashlib.sha256(self.text.encode()).hexdigest() != self.about["taken"])

    @property
    def unsaved(self) -> bool:
        """Whether the file that `save` writes lacks something of the draft, or is not there."""
        if self.saves is None:
            return False
        return self.changed_here or not (self.about.get("saved") or self._is_origin)

    @property
    def _is_origin(self) -> bool:
        """Whether it began with the plan that `save` writes."""
        return bool(str(self.saves) == self.about["origin"])

    @property
    def changed_there(self) -> bool:
        """Whether the plan on disk was changed since the draft was made or saved."""
        return bool(self.about.get("newer"))

    def refresh(self, found: tuple[str, list[str]] | None) -> None:
        """Look at the plan on disk again: an untouched draft follows it, a changed one stays."""
        if found is None:
            return
        text, strings = found
        taken = hashlib.sha256(text.encode()).hexdigest()
        newer = taken != self.about["taken"]
        if newer and not self.changed_here:
            self.write(text)
            self.about["taken"], newer = taken, False
        self.about["newer"] = newer and text != self.text
        self.about["known"] = sorted({*self.about["known"], *strings})
        self._remember()

    def take_again(self) -> None:
        """Give the draft up for the plan on disk.

        Raises:
            TargetError: There is none, or it cannot be read.
        """
        if self.saves is None or not self.saves.is_file():
            raise TargetError("there is no plan on disk to begin again with")
        try:
            text = self.saves.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise TargetError(f"cannot be read ({error})", where=str(self.saves)) from None
        with self._lock:
            self.write(text)
            taken = hashlib.sha256(self.text.encode()).hexdigest()
            self.about |= {"taken": taken, "newer": False}
            self._remember()

    def save(self) -> Path:
        """Write the draft to where it came from, right or wrong, and return the place.

        Raises:
            TargetError: There is no such place, or it cannot be written.
        """
        if self.saves is None:
            raise TargetError(
                "the table was uploaded, so its plan lives in the workspace",
                fix=f"Download it, or use {self.folder / NAME} as it is.",
            )
        first = not self._is_origin and not self.about.get("saved")
        if first and self.saves.exists():
            raise TargetError(
                "there is a plan already, which is not this one", where=str(self.saves),
                fix="Download the plan instead, or open that one.",
            )  # fmt: skip
        with self._lock:
            text = self.text
            try:
                write_text(self.saves, text, mode=0o666)
            except OSError as error:
                raise TargetError(
                    f"cannot be written: {error.strerror or error}", where=str(self.saves)
                ) from None
            taken = hashlib.sha256(text.encode()).hexdigest()
            self.about |= {"taken": taken, "newer": False, "saved": True}
            self._remember()
        return self.saves

    def _remember(self) -> None:
        text = json.dumps(self.about, indent=1, ensure_ascii=False)
        write_text(self.folder / "about.json", text)

    def source(self, text: str) -> str:
        """Where the data are that a plan calls so.

        Raises:
            PlanError: They are neither uploaded nor named by the plan that was opened.
        """
        addressed = text in self.about["known"] and ":" in text.partition("::")[0][2:]
        path = text if addressed else str(self.base / text)
        self._refuse(path, made=False)
        return path

    def refuse_foreign(self, plan: Plan) -> None:
        """Refuse paths that neither the owner's plan named nor the workspace holds.

        Raises:
            PlanError: The plan names a file elsewhere.
        """
        made = [] if plan.publish is None else [str(plan.publish.to)]
        made += [] if plan.ledger is None else [plan.ledger]
        for path in [*made, *paths_of(plan)]:
            self._refuse(path, made=path in made)

    def _refuse(self, path: str, *, made: bool) -> None:
        known = {str(self.base / text) for text in self.about["known"]} | {*self.about["known"]}
        if path in known or self._holds(Path(path)) or (made and self._beside(path)):
            return
        raise PlanError(
            f"{path} is neither uploaded nor named by the plan that was opened",
            where=NAME,
            fix="Upload the file; or write the plan with an editor and open it again.",
        )

    def _holds(self, path: Path) -> bool:
        """Whether it is an uploaded file."""
        return path.parent == self.files and ".." not in path.parts and not path.is_symlink()

    def _beside(self, path: str) -> bool:
        """Whether it is a name beside the plan, where releases and ledgers are made."""
        place = Path(path)
        return place.parent == self.base and place.name != ".." and not place.is_symlink()


def paths_of(value: Any) -> Iterator[str]:
    """Every file that a plan names, wherever in it."""
    if isinstance(value, Plan):
        yield from (place for place in (value.source, value.ledger) if place is not None)
    if isinstance(value, Path):
        yield str(value)
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from paths_of(getattr(value, name))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from paths_of(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from paths_of(part)
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from paths_of(part)


def write_text(path: Path, text: str, *, mode: int = 0o600) -> None:
    """Write a file that is never seen half-written."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        made = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(made, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
