"""Delivery: a release appears whole at its place, or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from hedgerow.base.errors import HedgerowError, TargetError, some
from hedgerow.base.faults import point

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

CERTIFICATE = "certificate.json"
DATA = {"csv": "data.csv", "parquet": "data.parquet"}
"""Name of the data file, by format."""
TABLE = "table"
"""What certificates call the data of a release that is a table of a database."""
TABLES = "tables.csv"
"""Name of the file of tables in a randomised release."""
REPORT = "report.html"
"""Name of the report that goes with a release; anybody can make it from the other files."""
INTERNAL = ".internal.html"
"""What the name of the internal report ends with: it is beside a release, never in it."""
HIDDEN = ".hedgerow-"
"""What the names of everything hidden begin with."""
STAGED = f"{HIDDEN}release-"
"""A release on its way to its place, or the one it has taken the place of."""
ASIDE = f"{HIDDEN}old-"
"""Holds a release, by its name, while another takes its place."""
PARTS = {CERTIFICATE, *DATA.values(), TABLES, REPORT}
"""What a release consists of. A folder with anything else in it is never replaced."""
ATTEMPTS = 20
"""How often something is tried that others may undo at the same moment."""
_NO_EXCHANGE = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM}
"""How systems, disks and sandboxes say that they cannot exchange two folders."""


def check_target(target: Path, *, replace: bool, inputs: Iterable[Path] = ()) -> Path:
    """Refuse early what would fail late; the real place of the release, links followed.

    Args:
        target: Folder of the release.
        replace: Whether a release that is there may be replaced.
        inputs: Files the release is made from, which must not disappear with what it replaces.

    Raises:
        TargetError: The release cannot or must not be put there.
    """
    try:
        place = target.resolve()
        _recover(place)
        if target.suffix.lower() in (".csv", ".parquet"):
            raise TargetError(
                f"{str(target)!r} looks like a file, and a release is a folder",
                fix=f"Name a folder, such as {str(target.with_suffix(''))!r}; the plan's "
                "`publish` says whether the data in it are csv or parquet.",
            )
        for left in reversed(range(ATTEMPTS)):
            there = _status(place)
            try:
                if there is not None:
                    _may_replace(target, place, replace=replace, inputs=inputs)
                break
            except (TargetError, FileNotFoundError):
                # Of what somebody moved away during the look, nothing follows.
                now = _status(place)
                if not left or (there and now and os.path.samestat(there, now)):
                    raise
        parent = _standing(place)
        if not parent.is_dir() or not os.access(parent, os.W_OK):
            why = "which you may not change" if parent.is_dir() else "which is no folder"
            raise TargetError(
                f"cannot write in {str(parent)!r}, {why}", fix="Choose a place you may write to."
            )
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle
        raise _unwritable(target, error) from None
    return place


def _may_replace(target: Path, place: Path, *, replace: bool, inputs: Iterable[Path]) -> None:
    if not replace:
        raise TargetError(
            f"{str(target)!r} exists already",
            fix="Choose another place, or say --replace (in Python replace=True).",
        )
    if not (place / CERTIFICATE).is_file():
        raise TargetError(
            f"{str(target)!r} exists and is not a release, so it is not replaced",
            fix="Choose another place.",
        )
    if strange := _strange(place):
        raise TargetError(
            f"{str(target)!r} holds {some(strange)} besides a release, and that would be lost",
            fix="Move it away, or choose another place.",
        )
    if lost := [str(file) for file in inputs if file.resolve().is_relative_to(place)]:
        raise TargetError(
            f"{some(lost)} would be replaced by the release made from it",
            fix="Choose another place.",
        )


@contextlib.contextmanager
def staging(place: Path | None) -> Iterator[Path]:
    """A hidden folder near the place (or in memory's stead), gone afterwards whatever happens.

    Only its owner can look inside: what is there has not been measured yet.
    """
    beside = None if place is None else _standing(place)
    with contextlib.ExitStack() as stack:
        try:
            if beside is not None:
                _clear(beside)
            folder = stack.enter_context(_hidden(STAGED, beside))
            made = folder.stat()
        except OSError as error:
            raise _unwritable(beside or Path(tempfile.gettempdir()), error) from None
        try:
            yield folder
        except TargetError as error:
            if place is None or error.where is None or not error.where.startswith(str(folder)):
                raise
            # The hidden folder is nothing the user has heard of.
            raise TargetError(error.what, where=str(place), fix=error.fix) from None
        finally:
            with contextlib.suppress(OSError):
                if os.path.samestat(made, folder.lstat()):
                    shutil.rmtree(folder, ignore_errors=True)
                else:  # what it was exchanged for
                    _discard(folder)


def deliver(folder: Path, target: Path, certificate: str, *, replace: bool) -> None:
    """Add the certificate to the staged folder and put it in its place, in one move."""
    try:
        with (folder / CERTIFICATE).open("w", encoding="utf-8", newline="\n") as file:
            file.write(certificate)
            file.flush()
            os.fsync(file.fileno())
        point("certified")
        for left in reversed(range(ATTEMPTS)):
            place = check_target(target, replace=replace)  # says so, if somebody was quicker
            place.parent.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o777 & ~_umask())
            try:
                _put(folder, place, replace=replace)
                break
            except OSError:
                if not left:
                    raise
    except HedgerowError:
        raise
    except (OSError, ValueError) as error:
        raise _unwritable(target, error) from None


def internal_place(place: Path) -> Path:
    """Where the internal report of the release at a place goes."""
    return place.with_name(f"{place.name}{INTERNAL}")


def _put(folder: Path, place: Path, *, replace: bool) -> None:
    """Whatever interrupts this, the old release or the new one is at the place, whole."""
    try:
        folder.rename(place)
        return
    except OSError:
        # Without leave to replace, whatever came in between stays.
        if not (replace and place.exists()):
            raise
    if _exchange(folder, place):
        point("moved-away")
        if _came_between(folder):
            _exchange(folder, place)
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        _discard(folder)
        return
    with _hidden(ASIDE, place.parent) as aside:
        old, done = aside / place.name, False
        try:
            place.rename(old)
            if _came_between(old):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            point("moved-away")
            folder.rename(place)
            done = True
        finally:
            # Asking whether the place is free would be too early: it is, if this succeeds.
            try:
                if not done:
                    old.rename(place)
            except OSError as error:
                done = error.errno in (errno.EEXIST, errno.ENOTEMPTY)
            if done:
                _discard(old)
            with contextlib.suppress(OSError):
                aside.rmdir()


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders take each other's place in one step; False where that cannot be done."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):  # an old C library
        return False
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE
    if not renameat2(here, os.fsencode(one), here, os.fsencode(other), ctypes.c_uint(exchange)):
        return True
    number = ctypes.get_errno()
    if number in _NO_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number), str(other))


def _came_between(old: Path) -> bool:
    """Whether what was moved away has become something else since the last look at it."""
    try:
        return bool(_strange(old))
    except FileNotFoundError:  # others have removed it already: it was a release
        return False
    except NotADirectoryError:
        return True


@contextlib.contextmanager
def _hidden(prefix: str, beside: Path | None) -> Iterator[Path]:
    """A new folder that others leave alone as long as this process needs it and lives."""
    for _ in range(ATTEMPTS):
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=beside))
        with _locked(folder) as held:
            if held is not False:
                yield folder
                return
        # Somebody took it for a leftover before it was locked.
        with contextlib.suppress(OSError):
            folder.rmdir()
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[bool | None]:
    """Whether the folder is now ours: not if somebody has it, or it is gone.

    The lock ends with the process, however that ends, and on whatever side of a container's
    wall. None where folders cannot be locked: then nobody can tell.
    """
    if fcntl is None:
        yield None
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield False
        return
    try:
        held: bool | None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # It may have been moved or removed before the lock was had.
            held = os.path.samestat(os.fstat(descriptor), folder.lstat())
        except (BlockingIOError, FileNotFoundError):
            held = False
        except OSError:  # some network drives
            held = None
        yield held
    finally:
        os.close(descriptor)


def _strange(folder: Path) -> list[str]:
    """What is in a folder besides the files of a release."""
    with os.scandir(folder) as entries:
        return sorted(
            entry.name
            for entry in entries
            if entry.name not in PARTS or entry.is_dir(follow_symlinks=False)
        )


def _discard(folder: Path) -> None:
    """Remove a hidden folder, if it holds nothing but the files of a release, finished or not."""
    with contextlib.suppress(OSError):
        strange = _strange(folder)
        unfinished = [n for n in strange if n.startswith(HIDDEN) and n.endswith(".part")]
        if folder.is_symlink() or strange != unfinished:
            return
        # The certificate goes before the data: what has lost its data is no release any more.
        for name in sorted({*PARTS, *unfinished}):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()


def _left(beside: Path, prefix: str) -> list[Path]:
    """Hidden folders named as ours are, the newest first."""
    found = []
    for folder in beside.glob(f"{prefix}????????"):
        with contextlib.suppress(OSError):
            found.append((folder.lstat().st_mtime_ns, folder))
    return [folder for _, folder in sorted(found, reverse=True)]


def _recover(place: Path) -> None:
    """Put back a release that a crash left aside, if nothing has taken its place."""
    if place.exists():
        return
    for folder in _left(place.parent, ASIDE):
        old = folder / place.name
        with contextlib.suppress(OSError), _locked(folder) as held:
            if held and list(folder.iterdir()) == [old] and _whole(old):
                old.rename(place)
                folder.rmdir()


def _clear(beside: Path) -> None:
    """Remove what processes left behind that were killed here and are gone."""
    for folder in _left(beside, STAGED):
        with contextlib.suppress(OSError), _locked(folder) as held:
            if held:
                _discard(folder)
    for folder in _left(beside, ASIDE):
        with contextlib.suppress(OSError), _locked(folder) as held:
            inside = list(folder.iterdir()) if held else []
            if len(inside) == 1 and ((beside / inside[0].name).exists() or not _whole(inside[0])):
                _discard(inside[0])
            if held:
                folder.rmdir()  # fails, as it should, if anything is left in it


def _whole(folder: Path) -> bool:
    """Whether this is a release and nothing else."""
    return not folder.is_symlink() and (folder / CERTIFICATE).is_file() and not _strange(folder)


def _status(place: Path) -> os.stat_result | None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return place.stat()
    return None


def _standing(place: Path) -> Path:
    """The nearest folder above the place that exists: the same disk, and no empty folders left."""
    return next(parent for parent in place.parents if parent.exists())


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _unwritable(target: Path, error: Exception) -> TargetError:
    return TargetError(
        f"cannot write {str(target)!r}: {getattr(error, 'strerror', None) or error}",
        fix="Check that you may write there and that the disk has room.",
    )


def sha256(path: Path) -> str:
    """Of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
