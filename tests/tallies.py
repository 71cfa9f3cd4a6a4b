"""What a tally is, row by row in plain Python: an oracle that shares nothing with the engines."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from hedgerow.base.conditions import And, Compared, Missing, Not, Number, OneOf, Or
from hedgerow.engines.tally import AsFound, Listed, Spaced

Row = Mapping[str, object]


def text(value):
    """As the source writes it, but numbers without a point or zeros that say nothing."""
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else plain(str(value))


def plain(written):
    """A decimal number in its shortest form; what is written otherwise stays as it is."""
    if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", written, re.ASCII):
        return written
    if "." in written:
        while written.endswith("0"):
            written = written[:-1]
    return {"-0": "0"}.get(written.removesuffix("."), written.removesuffix("."))


def alike(value, constant):
    """A text that is compared with a value, written as the value is."""
    if constant is None or value is None or isinstance(value, str | bool):
        return constant
    return plain(constant) if isinstance(value, int | float | Decimal) else constant


def number(value):
    """Exactly what is written: a double is the shortest decimal that reads as it."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, str) and not re.fullmatch(r"[ \t\n\r\f\v]*[\x21-\x7e]+\s*", value):
        return None
    try:
        double = float(value)
    except (ValueError, TypeError):
        return None
    return Fraction(repr(double)) if math.isfinite(double) else None


def holds(condition, row: Row) -> bool:
    """Whether a filter is true of a row."""
    match condition:
        case And(parts):
            return all(holds(part, row) for part in parts)
        case Or(parts):
            return any(holds(part, row) for part in parts)
        case Not(part):
            return not holds(part, row)
        case Missing(column):
            return row[column] is None
        case OneOf(column, constants):
            return any(holds(Compared(column, "=", c), row) for c in constants)
        case Compared(column, order, constant):
            value = row[column]
            if isinstance(constant, Number):
                left, right = number(value), constant.value
            else:
                left, right = text(value), alike(value, constant)
            if left is None:
                return False
            return {
                "=": left == right,
                "<": left < right,
                "<=": left <= right,
                ">": left > right,
                ">=": left >= right,
            }[order]
    raise AssertionError(condition)


def cell(cells, row: Row):
    """The cell of a row, in a tuple; nothing where it is left out."""
    value = row[cells.column]
    match cells:
        case AsFound():
            return (text(value),)
        case Listed(_, values):
            listed = [alike(value, one) for one in values]
            return (listed.index(text(value)),) if text(value) in listed else None
        case Spaced(_, low, step, many):
            found = number(value)
            if found is None:
                return None
            return (max(0, min(many - 1, math.floor((found - low) / step))),)


def added(summed, row: Row) -> int | None:
    found = number(row[summed.column])
    if found is None:
        return None
    held = max(summed.low, min(summed.high, math.floor(found / summed.unit + Fraction(1, 2))))
    return (held - summed.centre) ** summed.power


def lines(tally, rows):
    """For each row that counts: its cells and what it adds."""
    for row in rows:
        if tally.where is not None and not holds(tally.where, row):
            continue
        cells = [cell(by, row) for by in tally.by]
        adds = [added(summed, row) for summed in tally.sums]
        if None not in cells and None not in adds:
            yield tuple(found[0] for found in cells), tuple(adds)


def tallied(tally, rows):
    """Where each row is a person: from cells to (n, sums)."""
    n, sums = Counter(), {}
    if not tally.by:
        n[()], sums[()] = 0, [0] * len(tally.sums)
    for key, adds in lines(tally, rows):
        n[key] += 1
        sums[key] = [a + b for a, b in zip(sums.get(key, [0] * len(adds)), adds, strict=True)]
    return {key: (n[key], *sums[key]) for key in n}
