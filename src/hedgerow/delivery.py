"""Delivery: a release appears whole at its place, or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from hedgerow.errors import HedgerowError, TargetError, some
from hedgerow.faults import point

CERTIFICATE = "certificate.json"
DATA = {"csv": "data.csv", "parquet": "data.parquet"}
"""Name of the data file, by format."""
HIDDEN = ".hedgerow-"
"""What the names of hidden folders begin with."""
PARTS = {CERTIFICATE, *DATA.values()}
"""What a release consists of. A folder with anything else in it is never replaced."""


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
        if place.exists():
            _may_replace(target, place, replace=replace, inputs=inputs)
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
    strange = sorted({entry.name for entry in place.iterdir()} - PARTS)
    if strange:
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
    try:
        if beside is not None:
            _clear(beside)
        folder = Path(tempfile.mkdtemp(prefix=f"{HIDDEN}{_host()}-{os.getpid()}-", dir=beside))
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
        shutil.rmtree(folder, ignore_errors=True)


def deliver(folder: Path, target: Path, certificate: str, *, replace: bool) -> None:
    """Add the certificate to the staged folder and put it in its place, in one move."""
    try:
        with (folder / CERTIFICATE).open("w", encoding="utf-8", newline="\n") as file:
            file.write(certificate)
            file.flush()
            os.fsync(file.fileno())
        point("certified")
        place = check_target(target, replace=replace)
        place.parent.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o777 & ~_umask())
        old = _aside(place)
        try:
            # Without leave to replace, whatever came in between stays: the move then fails.
            if replace and place.exists():
                shutil.rmtree(old, ignore_errors=True)
                place.rename(old)
                point("moved-away")
            folder.rename(place)
        except OSError:
            check_target(target, replace=replace)  # which says so, if somebody was quicker
            raise
        finally:
            # Whatever interrupted this, the old release or the new one is at the place.
            if old.exists() and not place.exists():
                old.rename(place)
            shutil.rmtree(old, ignore_errors=True)
    except HedgerowError:
        raise
    except (OSError, ValueError) as error:
        raise _unwritable(target, error) from None


def _aside(place: Path) -> Path:
    """Where a release waits while another takes its place."""
    return place.with_name(f"{HIDDEN}old-{place.name}")


def _recover(place: Path) -> None:
    """Put back a release that a crash left aside, if nothing has taken its place."""
    old = _aside(place)
    if old.is_dir() and not place.exists():
        old.rename(place)


def _clear(beside: Path) -> None:
    """Remove what processes left behind that were killed here and are gone."""
    for folder in beside.glob(f"{HIDDEN}{_host()}-*-*"):
        number = folder.name.removeprefix(f"{HIDDEN}{_host()}-").partition("-")[0]
        if number.isdigit() and not _runs(int(number)):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _host() -> str:
    """Process numbers mean something on their own machine only."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


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
