"""The profiles by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from hedgerow.base.errors import DataError, PlanError, nearest
from hedgerow.reports.profiles import cms, ema, hipaa, nist, uktre, wp216
from hedgerow.reports.profiles.base import Evidence, Finding, Profile

PROFILES: Mapping[str, tuple[str, Callable[[Evidence], Iterator[Finding]]]] = {
    "ema-0070": (ema.TITLE, ema.findings),
    "hipaa-safe-harbor": (hipaa.TITLE, hipaa.findings),
    "cms-cell-size": (cms.TITLE, cms.findings),
    "uk-tre": (uktre.TITLE, uktre.findings),
    "wp216": (wp216.TITLE, wp216.findings),
    "nist-800-226": (nist.TITLE, nist.findings),
}
"""Name -> title, and what checks it."""


def require_known(names: Sequence[str]) -> tuple[str, ...]:
    """The names, each once.

    Raises:
        PlanError: There is no such profile.
    """
    for name in names:
        if name not in PROFILES:
            near = nearest(name, PROFILES)
            raise PlanError(
                f"there is no profile {name!r}",
                fix=f"Did you mean {near!r}?" if near else f"There are {', '.join(PROFILES)}.",
            )
    return tuple(dict.fromkeys(names))


def checked(names: Sequence[str], evidence: Evidence) -> tuple[Profile, ...]:
    """What becomes of each profile."""
    return tuple(
        Profile(name=name, title=PROFILES[name][0], findings=tuple(PROFILES[name][1](evidence)))
        for name in require_known(names)
    )


def read_areas(file: Path) -> dict[str, int]:
    """How many people live in each area of three digits: a file with zip3 and people.

    Raises:
        DataError: It cannot be read, or is no such file.
    """
    from hedgerow.engines import open_engine

    with open_engine(file) as engine:
        if not {"zip3", "people"} <= set(engine.columns()):
            raise DataError(
                "the file has not the columns zip3 and people",
                where=str(file),
                fix="Name the columns zip3 and people.",
            )
        table = engine.rows(["zip3", "people"], max(1, engine.rows_total()))
    found: dict[str, int] = {}
    for area, people in zip(table["zip3"].to_pylist(), table["people"].to_pylist(), strict=True):
        try:
            if area is None or not (len(area) == 3 and area.isdigit()) or area in found:
                raise ValueError
            found[area] = int(str(people).replace(",", ""))
        except ValueError:
            raise DataError(
                f"{area!r} with {people!r} people is no area, or stands there twice",
                where=str(file),
                fix="Give each area of three digits once, with a whole number of people.",
            ) from None
    return found
