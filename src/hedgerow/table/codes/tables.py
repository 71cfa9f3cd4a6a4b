"""The tables that ship with Hedgerow; `bench/code_tables.py` makes them."""

from __future__ import annotations

import csv
from bisect import bisect_left
from functools import cache
from importlib.resources import files


@cache
def table(name: str) -> tuple[tuple[str, ...], ...]:
    """The lines of a table."""
    text = files("hedgerow.table.codes").joinpath("data", f"{name}.csv").read_text("utf-8")
    return tuple(tuple(row) for row in csv.reader(text.splitlines()))


@cache
def sections(name: str) -> tuple[tuple[str, str], ...]:
    """The ranges of a table, the widest of those that begin at the same code last."""
    return tuple(sorted((row[0], row[1]) for row in table(name)))


def narrowest(ranges: tuple[tuple[str, str], ...], code: str) -> tuple[str, str] | None:
    """The last range to begin before a code and to hold it, which is the narrowest if they nest.

    >>> narrowest((("A", "D"), ("A", "Z"), ("F", "G")), "B")
    ('A', 'D')
    """
    place = bisect_left(ranges, (code, "￿"))
    held = [one for one in ranges[:place] if one[1] >= code]
    if not held:
        return None
    begin = max(one[0] for one in held)
    return min(one for one in held if one[0] == begin)
