"""Reports as files: the external one goes with the release, the internal one stays beside it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.delivery import CERTIFICATE, REPORT, internal_place
from hedgerow.base.errors import DataError, HedgerowError, PlanError, TargetError
from hedgerow.plan.plan import Plan
from hedgerow.reports.external import external_report
from hedgerow.reports.page import is_report
from hedgerow.reports.profiles.base import Evidence, ProfileCheck, unmet_of
from hedgerow.reports.recipient_view import Combinations, Handed

if TYPE_CHECKING:
    from hedgerow.release.noisy.release import RandomisedRelease
    from hedgerow.release.release import Release
    from hedgerow.release.safe.release import SafeRelease

LARGEST = 64 * 2**20
"""Bytes of a file that may be a report of ours."""


@dataclass(frozen=True, kw_only=True)
class Reports:
    """What was made."""

    release: str
    external: Path | None
    internal: Path | None
    profiles: tuple[ProfileCheck, ...] = ()

    @property
    def unmet(self) -> int:
        """How many requirements of the profiles are not met."""
        return unmet_of(self.profiles)

    def summary(self) -> dict[str, Any]:
        """What `hedgerow report --json` prints."""
        return {
            "release": self.release,
            "external": None if self.external is None else str(self.external),
            "internal": None if self.internal is None else str(self.internal),
            "profiles": [profile.summary() for profile in self.profiles],
            "not_met": self.unmet,
        }


def report(
    release: Release | RandomisedRelease | SafeRelease | str | os.PathLike[str],
    *,
    plan: Plan | str | os.PathLike[str] | None = None,
    profiles: Sequence[str] = (),
    external: str | os.PathLike[str] | None = None,
    internal: str | os.PathLike[str] | None = None,
    ledger: str | os.PathLike[str] | None = None,
    areas: str | os.PathLike[str] | None = None,
) -> Reports:
    """Make the reports of a release that was published.

    Without `external` and `internal`, report.html in the release is made anew and, where there
    is a plan, the internal report beside the release. Only reports elsewhere have profiles in
    the external one: that in the folder must be what anybody would make of it.

    Args:
        release: The release, or its folder.
        plan: Its plan, whose source is read again; the internal report needs it.
        profiles: Policy profiles to compare it with, by name.
        external: Where the external report goes instead.
        internal: Where the internal report goes instead.
        ledger: Where releases are remembered, where the plan does not say.
        areas: A file with the people of each area of three digits, for hipaa-safe-harbor.

    Raises:
        DataError: It is no release, or plan and source are not those it was made from.
        PlanError: There is no such profile, or the plan is missing.
        TargetError: A report cannot or must not be written there.
    """
    from hedgerow.reports.profiles.registry import checked, require_known
    from hedgerow.reports.profiles.zip_areas import read_areas

    names = require_known(profiles)
    folder = _folder(release)
    asked = plan if plan is None or isinstance(plan, Plan) else Plan.read(Path(plan))
    if internal is not None and asked is None:
        raise PlanError(
            "the internal report is about what the release was made from",
            fix="Give the plan of the release: --plan plan.yaml.",
        )
    if internal is not None:
        _refuse_inside(Path(internal))
    zip3 = None if areas is None else read_areas(Path(areas))
    handed = Handed.read(folder)
    page = read_by_anybody(handed)
    outside = checked(names, Evidence(handed=handed, zip3=zip3))
    found, text = outside, None
    if asked is not None:
        where = None if ledger is None else str(ledger)
        found, text = _inside(handed, asked, names, where, zip3)
    neither = external is None and internal is None
    written = inner = None
    if external is not None:
        written = _save(Path(external), external_report(handed, outside), "external")
    elif neither:
        _refuse_unlisted(handed, page)
        written = _save(folder / REPORT, page, "external")
    if text is not None and (neither or internal is not None):
        place = internal_place(folder.resolve()) if internal is None else Path(internal)
        inner = write_internal(place, text)
    return Reports(release=str(folder), external=written, internal=inner, profiles=found)


def _refuse_unlisted(handed: Handed, page: str) -> None:
    """Nothing goes into a release but what its certificate lists."""
    expected = handed.certificate["files"].get(REPORT)
    if expected != hashlib.sha256(page.encode()).hexdigest():
        maker = handed.certificate["software"]["version"]
        raise TargetError(
            f"the certificate lists another {REPORT}: that of version {maker}"
            if expected
            else f"the certificate lists no {REPORT}",
            where=str(handed.folder),
            fix="Write it somewhere else: --external report.html.",
        )


def read_by_anybody(handed: Handed) -> str:
    """The external report of a folder that others may have made.

    Raises:
        DataError: Its certificate has the right form and makes no sense.
    """
    try:
        return external_report(handed)
    except (LookupError, TypeError, ValueError, ArithmeticError, AssertionError):
        raise DataError(
            "what the certificate says does not go together",
            where=str(handed.folder / CERTIFICATE),
            fix="Run hedgerow verify, and ask for the release as it was published.",
        ) from None


def _folder(release: Any) -> Path:
    if isinstance(release, str | os.PathLike):
        folder = Path(release)
        return folder.parent if folder.name == CERTIFICATE else folder
    if release.folder is None:
        raise DataError("the release is only in memory", fix="Publish it to a folder first.")
    found: Path = release.folder
    return found


def _inside(
    handed: Handed,
    plan: Plan,
    names: Sequence[str],
    ledger: str | None,
    zip3: dict[str, int] | None,
) -> tuple[tuple[ProfileCheck, ...], str]:
    """The profiles on all evidence, and the internal report."""
    from hedgerow.reports.internal import internal_noisy, internal_report
    from hedgerow.reports.profiles.registry import checked
    from hedgerow.reports.publisher_view import Books, refuse_other_kind, remade

    refuse_other_kind(plan, handed)
    if handed.kind != "recoded":
        profiles = checked(names, Evidence(handed=handed, zip3=zip3))
        return profiles, internal_noisy(handed, Books.read(plan, ledger), plan.where(), profiles)
    from hedgerow.reports.attack_section import all_attacks, beliefs_found
    from hedgerow.reports.frontier_section import frontier_of

    inside = remade(handed, plan, ledger=ledger)
    attacks = all_attacks(inside, handed)
    evidence = Evidence(handed=handed, raw=inside.raw, attacks=attacks, zip3=zip3)
    profiles = checked(names, evidence)
    return profiles, internal_report(
        inside, attacks=attacks, beliefs=beliefs_found(inside), frontier=frontier_of(plan),
        profiles=profiles, complete=True,
    )  # fmt: skip


def add_external(folder: Path, certificate: str, known: Combinations | None = None) -> None:
    """Add certificate and report to a staged folder that has the data.

    Before anybody is told that there is a release: should it fail, nothing was published.

    Args:
        folder: The staged folder.
        certificate: Its text.
        known: The groups, where they have just been counted in the file.
    """
    try:
        (folder / CERTIFICATE).write_bytes(certificate.encode())
    except OSError as error:
        raise TargetError(
            f"cannot be written: {error.strerror or error}",
            where=str(folder / CERTIFICATE),
            fix="Check that the disk has room.",
        ) from None
    _save(folder / REPORT, external_report(Handed.read(folder, own=True, known=known)), "external")


def refuse_foreign(target: Path) -> None:
    """Refuse early to write the internal report where something else is.

    Raises:
        TargetError: A file that is no internal report has its name.
    """
    place = internal_place(target.resolve())
    if place.exists() and not _ours(place, "internal"):
        raise TargetError(
            "this is where the internal report goes, and something else is there",
            where=str(place),
            fix="Move it away, or leave the internal report out: --no-report (in Python "
            "report=False).",
        )


def internal_beside(target: Path, make: Callable[[], str] | None) -> None:
    """Write the internal report of a release that is at its place.

    An internal report of what was there before does not stay, whatever happens.

    Args:
        target: The release.
        make: Makes the report; None where none is wanted.

    Raises:
        HedgerowError: It cannot be made or written; the release is published nevertheless.
    """
    place = internal_place(target.resolve())
    if make is None:
        _forget(place)
        return
    try:
        write_internal(place, make())
    except HedgerowError as error:
        _forget(place)
        raise type(error)(
            f"the release is published, but its internal report was not written: {error.what}",
            where=error.where,
            fix="Make it with hedgerow report RELEASE --plan plan.yaml.",
        ) from None


def write_internal(place: Path, text: str) -> Path:
    """Write an internal report that only its owner can read, and never into a release.

    Raises:
        TargetError: It cannot, or must not, be written there.
    """
    _refuse_inside(place)
    return _save(place, text, "internal")


def _refuse_inside(place: Path) -> None:
    if (place.resolve().parent / CERTIFICATE).exists():
        raise TargetError(
            "a release is handed out, so an internal report must not be in its folder",
            where=str(place),
            fix="Choose another folder.",
        )


def _save(place: Path, text: str, kind: str) -> Path:
    """Write a file whole or not at all; only over a report of the same kind."""
    try:
        if place.exists():
            if not _ours(place, kind):
                raise TargetError(
                    f"there is something else than an {kind} report",
                    where=str(place),
                    fix="Choose another place, or move it away.",
                )
            if kind == "external" and place.read_bytes() == text.encode():
                return place
        part = place.with_name(f".hedgerow-{secrets.token_hex(8)}.part")
        mode = 0o600 if kind == "internal" else 0o666
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with os.fdopen(os.open(part, flags, mode), "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            part.replace(place)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        raise TargetError(
            f"the {kind} report cannot be written: {error.strerror or error}",
            where=str(place),
            fix="Check that the folder exists and that you may write there.",
        ) from None
    return place


def _ours(place: Path, kind: str) -> bool:
    try:
        if not place.is_file() or place.stat().st_size > LARGEST:
            return False
        return is_report(place.read_text("utf-8"), kind)
    except (OSError, ValueError):
        return False


def _forget(place: Path) -> None:
    """Remove an internal report of what is no longer there."""
    if _ours(place, "internal"):
        with contextlib.suppress(OSError):
            place.unlink()
