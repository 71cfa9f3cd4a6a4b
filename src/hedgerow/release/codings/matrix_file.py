"""A transition matrix in a CSV file: a line for each true value, a column for each other one."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

from hedgerow.base.errors import PlanError, some
from hedgerow.plan.fields import exactly
from hedgerow.table.written_form import Value


def read_matrix(path: Path) -> tuple[tuple[Value, ...], list[list[Fraction]]]:
    """Its values in the order of its header, and the chances, a line for each.

    An empty name means missing. Chances are decimals or fractions, such as 0.9 or 1/3.

    Raises:
        PlanError: It is no such matrix.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line for line in csv.reader(file) if line]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PlanError(f"cannot be read: {error}", where=str(path)) from None
    if len(lines) < 2:
        raise PlanError(
            "a matrix needs a header and a line for each value", where=str(path),
            fix="Write the published values in the header, after an empty first field.",
        )  # fmt: skip
    values = tuple(text or None for text in lines[0][1:])
    chances: dict[Value, list[Fraction]] = {}
    for number, line in enumerate(lines[1:], 2):
        where = f"{path}:{number}"
        if len(line) != len(lines[0]):
            raise PlanError(
                f"{len(line) - 1} chances where the header has {len(values)} values", where=where,
                fix="Give each line a chance for each value of the header.",
            )  # fmt: skip
        found = [_chance(text) for text in line[1:]]
        wrong = [text for text, one in zip(line[1:], found, strict=True) if one is None]
        if wrong:
            raise PlanError(
                f"{some(wrong)} is no chance", where=where, fix="Write 0.1, or 1/10; 0 for never."
            )
        exact = [one for one in found if one is not None]
        if sum(exact) != 1:
            raise PlanError(
                f"the chances add up to {sum(exact)}, not to 1", where=where,
                fix="Thirds are written 1/3.",
            )  # fmt: skip
        if chances.setdefault(line[0] or None, exact) is not exact:
            raise PlanError(f"{line[0]!r} has two lines", where=where, fix="Remove one.")
    if len(set(values)) < len(values) or set(values) != set(chances):
        raise PlanError(
            "the lines are not about the same values as the header", where=str(path),
            fix="Give every value one line and one column.",
        )  # fmt: skip
    return values, [chances[value] for value in values]


def _chance(text: str) -> Fraction | None:
    above, slash, below = text.strip().partition("/")
    number, parts = exactly(above), exactly(below) if slash else Fraction(1)
    if number is None or not parts or parts < 0 or number < 0:
        return None
    return number / parts
