"""Ages as HIPAA's safe harbor wants them: 90 and older are one."""

from __future__ import annotations

import re

from hedgerow.table.codes.system import CODE_SYSTEMS, CodeSystem

OLDEST = 130
"""Years; more is no age."""


def _read(text: str) -> str | None:
    found = re.fullmatch(r"(\d{1,3})(?:\.0+)?", text.strip(), re.ASCII)
    return found[1].lstrip("0") or "0" if found and int(found[1]) <= OLDEST else None


def _above(code: str) -> tuple[str, ...]:
    age = int(code)
    if age >= 90:
        return (">=90",) * 4
    low = [age // width * width for width in (5, 10, 30)]
    return str(age), f"{low[0]}-{low[0] + 4}", f"{low[1]}-{low[1] + 9}", f"{low[2]}-{low[2] + 29}"


CODE_SYSTEMS.register(
    CodeSystem(
        name="hipaa-ages",
        title="ages in whole years; 90 and older become one, as HIPAA's safe harbor wants",
        edition="45 CFR 164.514(b)(2)",
        source="written for Hedgerow",
        licence="none needed",
        levels=("year", "five years", "ten years", "thirty years"),
        read=_read,
        above=_above,
        owns=lambda text: False,
        words=frozenset({"age", "alter", "edad"}),
        examples=("0", "7", "45", "89", "90", "104"),
        weak=lambda text: True,
    )
)
