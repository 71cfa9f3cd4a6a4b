"""The workspace: work in progress as files on disk, so that nothing is lost on reload or restart.

Each piece of work is a folder of the workspace with a draft of the plan, the files that were
uploaded for it and what its jobs found. The plan it came from changes only when somebody saves.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hedgerow.api import uploadable, write_plan
from hedgerow.api.plan_text import data_of
from hedgerow.base.errors import DataError, HedgerowError, PlanError, TargetError
from hedgerow.web.draft import NAME, Draft

ENVIRONMENT = "HEDGEROW_WORKSPACE"
PLANS = (".yaml", ".yml")
LONGEST_NAME = 120
ABANDONED = 3600.0
"""Seconds after which an upload that does not grow is one that was cut short."""

_NAME = re.compile(r"\w[\w .,()+-]*")


def table_suffixes() -> tuple[str, ...]:
    """How the names of tables end that may be uploaded; a hierarchy may also be a .txt file."""
    return (*uploadable(), ".txt")


def default_folder() -> Path:
    """The user's own data directory, where no environment variable says another one."""
    named = os.environ.get(ENVIRONMENT)
    if named:
        return Path(named).expanduser()
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "hedgerow" / "explore"


def safe_name(name: str) -> str:
    """A client's name of a file, if it is a name and nothing more.

    >>> safe_name("patients 2026.csv")
    'patients 2026.csv'

    Raises:
        DataError: It could lead out of a folder, or hide a file.
    """
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name) or ".." in name:
        raise DataError(
            f"{name[:LONGEST_NAME]!r} is not a name the app takes for a file",
            fix="Use letters, digits, spaces and . , - + ( ), beginning with a letter or digit.",
        )
    return name


def inside(folder: Path, name: str) -> Path:
    """The file of this name in a folder; links are not followed.

    Raises:
        DataError: There is none.
    """
    path = folder / safe_name(name)
    if path.is_symlink() or not path.is_file():
        raise DataError(f"there is no file {name!r} here", fix="Choose one of those shown.")
    return path


class Workspace:
    """A folder that only its user can read, with a folder for each piece of work."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (default_folder() if folder is None else Path(folder)).absolute()
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            probe = self.folder / f".{secrets.token_hex(8)}"
            probe.touch(mode=0o600)
            probe.unlink()
            self._sweep()
        except OSError as error:
            raise TargetError(
                f"the workspace cannot be written: {error.strerror or error}",
                where=str(self.folder),
                fix="Choose another folder with --workspace.",
            ) from None

    def _sweep(self) -> None:
        """Remove what uploads left that a crash cut short: raw data that nobody would find."""
        for left in self.folder.rglob(".*.upload"):
            if time.time() - left.lstat().st_mtime > ABANDONED:
                left.unlink(missing_ok=True)

    def drafts(self) -> list[Draft]:
        """Work in progress, what was touched last first."""
        found = []
        for entry in self.folder.iterdir():
            if _is_work(entry):
                # One that is damaged must not hide the others.
                with contextlib.suppress(HedgerowError):
                    found.append(Draft(entry))
        return sorted(found, key=lambda draft: (-draft.touched, draft.name))

    def draft(self, name: str) -> Draft:
        """The piece of work of this name.

        Raises:
            DataError: There is none.
        """
        folder = self.folder / safe_name(name)
        if not _is_work(folder):
            raise DataError(f"there is no work {name!r} here", fix="Choose one of those shown.")
        return Draft(folder)

    def begin(self, origin: Path) -> Draft:
        """Work on a table or a plan of the user's, or go on where it was left.

        Raises:
            HedgerowError: It cannot be read.
        """
        origin = Path(origin).absolute()
        if not origin.is_file():
            raise DataError(
                "there is no such file", where=str(origin), fix="Name a table or a plan."
            )
        mark = hashlib.sha256(os.fsencode(origin)).hexdigest()[:8]
        folder = self.folder / f"{_slug(origin.stem)}-{mark}"
        if _is_work(folder):
            draft = Draft(folder)
            draft.refresh(_strings_of(origin))
            return draft
        if origin.suffix.lower() in PLANS:
            try:
                text = origin.read_bytes().decode("utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                raise PlanError(f"cannot be read ({error})", where=str(origin)) from None
            return self._make(folder, text, origin, saves=origin)
        return self._guess(folder, origin, base=origin.parent, saves=origin.parent / "plan.yaml")

    def made_up(self) -> Draft:
        """Work on the synthetic hospital, which is made if it is not there.

        Raises:
            TargetError: Other files lie where it belongs.
        """
        from hedgerow.api import write_hospital

        plan = self.folder / "made-up-hospital" / "plan.yaml"
        return self.begin(plan if plan.exists() else write_hospital(plan.parent))

    def receive(self, name: str, uploaded: Path) -> Draft:
        """Work on a table that was uploaded; the file moves into the new folder.

        Raises:
            HedgerowError: It is not a table.
        """
        name = safe_name(name)
        if not name.lower().endswith(table_suffixes()):
            raise DataError(
                f"{name!r} does not look like a table",
                fix=f"Upload one of {', '.join(table_suffixes())}.",
            )
        folder = self.folder / f"{_slug(name.partition('.')[0])}-{secrets.token_hex(4)}"
        files = folder / "files"
        files.mkdir(parents=True, mode=0o700)
        try:
            table = uploaded.replace(files / name)
            return self._guess(folder, table, base=folder, saves=None)
        except BaseException:
            _clear(folder)
            raise

    def _guess(self, folder: Path, table: Path, *, base: Path, saves: Path | None) -> Draft:
        """A first plan for a table, as `hedgerow init` writes it; nothing is left of a failure."""
        new = not folder.exists()
        folder.mkdir(mode=0o700, exist_ok=True)
        part = folder / f".{secrets.token_hex(8)}.yaml"
        try:
            write_plan(table, part, ask=False)  # the page about the data asks
            text = part.read_text("utf-8")
        except HedgerowError:
            if new:
                _clear(folder)
            raise
        finally:
            part.unlink(missing_ok=True)
        # The guess sees the table from the draft's folder; the plan lies elsewhere.
        seen = json.dumps(Path(os.path.relpath(table, base)).as_posix(), ensure_ascii=False)
        text = re.sub(r"^source: .*$", lambda _: f"source: {seen}", text, count=1, flags=re.M)
        return self._make(folder, text, table, base=base, saves=saves)

    def _make(
        self, folder: Path, text: str, origin: Path, *, saves: Path | None, base: Path | None = None
    ) -> Draft:
        about = {
            "title": _title(origin),
            "origin": str(origin),
            "base": str(origin.parent if base is None else base),
            "saves": None if saves is None else str(saves),
            "begun": time.time(),
            "taken": hashlib.sha256(text.encode()).hexdigest(),
            "known": [*_strings_in(text), str(origin)],
        }
        return Draft.make(folder, text, about)


def _title(origin: Path) -> str:
    """What people know it by: plans are all called alike, so their folder is said too.

    >>> _title(Path("hospital/plan.yaml")), _title(Path("data/patients.csv"))
    ('hospital/plan.yaml', 'patients.csv')
    """
    if origin.suffix.lower() in PLANS:
        return f"{origin.parent.name}/{origin.name}"
    return origin.name


def _slug(text: str) -> str:
    """A name for a folder.

    >>> _slug("Patients (2026).v2")
    'patients-2026-v2'
    """
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:40] or "work"


def _is_work(folder: Path) -> bool:
    whole = all((folder / name).is_file() for name in ("about.json", NAME))
    return folder.is_dir() and not folder.is_symlink() and whole


def _strings_of(origin: Path) -> tuple[str, list[str]] | None:
    """The plan's text as it is on disk now, and every text in it; None of a table."""
    if origin.suffix.lower() not in PLANS:
        return None
    try:
        text = origin.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    return text, _strings_in(text)


def _strings_in(text: str) -> list[str]:
    """Every text in a plan: among them the files its owner named."""
    try:
        return sorted({*_walk(data_of(text))})
    except PlanError:
        return []


def _walk(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _walk(value)
    elif isinstance(data, list):
        for value in data:
            yield from _walk(value)
    elif isinstance(data, str):
        yield data


def _clear(folder: Path) -> None:
    """Remove a folder that was just made."""
    for entry in sorted(folder.rglob("*"), reverse=True):
        entry.rmdir() if entry.is_dir() else entry.unlink()
    folder.rmdir()
