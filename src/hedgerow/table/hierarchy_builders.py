"""Hierarchies as a plan describes them, before the data's values are known.

Each is a value; `bind` applies it to the distinct values of a column. A missing value (None)
stays a value of its own on every level and joins the others only where a level is one value.
"""

from __future__ import annotations

import datetime
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

from hedgerow.base.decimals import Parsed, Scale, all_whole, interval, numeric, parse, written
from hedgerow.base.errors import HierarchyError, nearest, some
from hedgerow.table.hierarchy import ANY, Hierarchy
from hedgerow.table.taxonomies import (
    FromCsv,
    Row,
    Taxonomy,
    Value,
    covering,
    floats,
    is_list,
    label,
    unfit,
    with_missing,
)

__all__ = [
    "DATE_LEVELS",
    "Bins",
    "Dates",
    "FromCsv",
    "Prefix",
    "Ranges",
    "Spec",
    "Suppression",
    "Taxonomy",
]


class Spec(Protocol):
    """A hierarchy that waits for the values of its column."""

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        """The hierarchy of column `name`, covering `values` (distinct; None is missing).

        Raises:
            HierarchyError: The values do not fit; says which, and `where` the plan asks for it.
        """
        ...


@dataclass(frozen=True)
class Suppression:
    """Every value becomes `*` at once.

    >>> Suppression().bind("sex", ["F", "M", None]).labels
    (('F', 'M', None), ('*',))
    """

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        leaves = _ordered(values)
        numbers = floats(leaves) if numeric(leaves) else None
        return Hierarchy.of(name, [(v, ANY) for v in leaves], numbers=numbers, where=where)


@dataclass(frozen=True)
class Ranges:
    """Numbers in ranges of equal width, wider from level to level.

    >>> h = Ranges(widths=(5, 10)).bind("age", ["24", "20", "31"])
    >>> h.values, h.labels[1], h.labels[2]
    (('20', '24', '31'), ('20-24', '30-34'), ('20-29', '30-39'))
    """

    widths: Sequence[float | int | str]
    """Width of each level; each a multiple of the one before, so that ranges nest."""
    origin: float | int | str = 0
    """Where a range begins."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "widths", tuple(self.widths))
        if not self.widths:
            raise HierarchyError("ranges need at least one width", fix="Write {ranges: [5, 10]}.")
        numbers = written_numbers([*self.widths, self.origin])
        scale = Scale.of(numbers)
        below = 0
        for width, number in zip(self.widths, numbers, strict=False):
            units = scale.units(number)
            if units <= 0:
                raise HierarchyError(f"the width {width} is not above 0")
            if below and (units % below or units == below):
                raise HierarchyError(
                    f"the width {width} is not a larger multiple of {scale.text(below)}, "
                    "the one before, so its ranges would cut the narrower ones",
                    fix=f"Use {scale.text((units // below + 1) * below)}, or change that one.",
                )
            below = units

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        given = written_numbers([*self.widths, self.origin])
        leaves, parsed = numbers_of(name, values, where)
        scale = Scale.of([*parsed, *given])
        units = [scale.units(number) for number in parsed]
        *widths, origin = [scale.units(number) for number in given]
        least = min(units, default=0)
        whole = (
            all_whole(scale, [*units, *widths, origin])
            # "-10--6" would be hard to read, so below zero brackets are used.
            and (least - origin) // widths[-1] * widths[-1] + origin >= 0
        )
        columns: list[list[Value]] = []
        for width in widths:
            place = [(value - origin) // width for value in units]
            text = {
                p: interval(scale, origin + p * width, origin + (p + 1) * width, whole=whole)
                for p in set(place)
            }
            columns.append([text[p] for p in place])
        return numeric_hierarchy(name, leaves, units, columns, values, where)


@dataclass(frozen=True)
class Bins:
    """Bins with edges of one's own, or groups of ordered labels; fewer from level to level.

    >>> Bins(edges=((18, 65), (18,))).bind("age", ["17", "18", "64", "65"]).labels[1:]
    (('<18', '18-64', '>=65'), ('<18', '>=18'), ('*',))
    >>> Bins(edges=((("none", "mild"), ("severe",)),)).bind("pain", ["mild"]).labels
    (('none', 'mild', 'severe'), ('none to mild', 'severe'), ('*',))
    """

    edges: Sequence[Sequence[float | int | str] | Sequence[Sequence[str]]]
    """For each level its ascending edges, a subset of the level before; or its groups."""

    def __post_init__(self) -> None:
        if not self.edges or not all(is_list(level) and level for level in self.edges):
            raise HierarchyError("bins need at least one level, and every level an edge or group")
        grouped = {is_list(item) for level in self.edges for item in level}
        if len(grouped) > 1:
            raise HierarchyError(
                "bins mix numbers and groups of labels", fix="Use one kind on all levels."
            )
        if self.grouped:
            _ = self._group_rows
        else:
            self._check_edges()

    @property
    def grouped(self) -> bool:
        """Whether the bins are groups of labels rather than edges between numbers."""
        return is_list(self.edges[0][0])

    @property
    def listed(self) -> tuple[Value, ...]:
        """The labels in order, where the bins are groups of these."""
        return tuple(row[0] for row in self._group_rows)

    def _levels(self) -> list[list[Parsed]]:
        return [written_numbers(level) for level in self.edges]  # type: ignore[arg-type]

    def _check_edges(self) -> None:
        levels = self._levels()
        scale = Scale.of(number for level in levels for number in level)
        before: set[int] | None = None
        for place, level in enumerate(levels, start=1):
            units = [scale.units(number) for number in level]
            for low, high in pairwise(units):
                if low >= high:
                    raise HierarchyError(
                        f"level {place}: the edge {scale.text(high)} does not come after "
                        f"{scale.text(low)}",
                        fix="Write edges in ascending order, each once.",
                    )
            if before is not None and not set(units) < before:
                added = [scale.text(unit) for unit in units if unit not in before]
                raise HierarchyError(
                    f"level {place} cuts at {some(added)}, where the level before does not"
                    if added
                    else f"level {place} has the same edges as the level before",
                    fix="Each level's edges must be some, not all, of the level before.",
                )
            before = set(units)

    @cached_property
    def _group_rows(self) -> list[Row]:
        """One row for each label, in order."""
        given: Any = self.edges
        levels = [[[label(text) for text in group] for group in level] for level in given]
        order = [text for group in levels[0] for text in group]
        rows: list[list[Value]] = [[text] for text in order]
        for place, level in enumerate(levels, start=1):
            if not all(level) or [text for group in level for text in group] != order:
                raise HierarchyError(
                    f"level {place} of the bins does not list the labels of level 1 in order",
                    fix="List every label once on every level, in the same order.",
                )
            names = [g[0] if len(g) == 1 else f"{g[0]} to {g[-1]}" for g in level for _ in g]
            for row, name in zip(rows, names, strict=True):
                row.append(name)
        complete: list[Row] = [(*row, ANY) for row in rows]
        Hierarchy.of("bins", complete, where="bins")
        return complete

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        if self.grouped:
            return covering(name, self._group_rows, values, where)
        levels = self._levels()
        leaves, parsed = numbers_of(name, values, where)
        scale = Scale.of([*parsed, *(number for level in levels for number in level)])
        units = [scale.units(number) for number in parsed]
        edges = [[scale.units(number) for number in level] for level in levels]
        whole = all_whole(scale, [*units, *edges[0]]) and edges[0][0] >= 0
        columns = [_binned(scale, units, cuts, whole=whole) for cuts in edges]
        return numeric_hierarchy(name, leaves, units, columns, values, where)


@dataclass(frozen=True)
class Prefix:
    """Characters masked from the right.

    >>> h = Prefix(length=5).bind("zip", ["13068", "13053"])
    >>> [level[-1] for level in h.labels]
    ['13068', '1306*', '130**', '13***', '1****', '*']
    """

    length: int
    """Characters every value has."""
    steps: Sequence[int] | None = None
    """How many characters each level masks; one more each time unless given."""

    def __post_init__(self) -> None:
        if isinstance(self.length, bool) or self.length < 1:
            raise HierarchyError(
                f"a prefix hierarchy needs a length of at least 1, not {self.length}"
            )
        if self.steps is None:
            return
        object.__setattr__(self, "steps", tuple(self.steps))
        if not self.steps or [*self.steps] != sorted({s for s in self.steps if s >= 1}):
            raise HierarchyError(
                f"the steps {[*self.steps]} do not mask more and more characters",
                fix="Write how many characters each level masks, such as [1, 2, 5].",
            )
        if self.steps[-1] > self.length:
            raise HierarchyError(
                f"the step {self.steps[-1]} masks more than the {self.length} characters there are"
            )

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        leaves = _ordered(values)
        wrong = [v for v in leaves if v is not None and len(v) != self.length]
        if wrong:
            raise unfit(
                name, where, f"{some(wrong)}: not {self.length} characters long",
                "Give the length the values have, pad them in the data, or use a file.",
            )  # fmt: skip
        steps = [s for s in self.steps or range(1, self.length) if s < self.length]
        rows = [
            (v, *(None if v is None else v[: self.length - s] + ANY * s for s in steps), ANY)
            for v in leaves
        ]
        return Hierarchy.of(name, rows, where=where)


_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?.*))?", re.ASCII)

_Label = Callable[[datetime.date], str]
DATE_LEVELS: Mapping[str, _Label] = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10 * 10:04}s",
}
"""The levels a date may have, finest first."""


@dataclass(frozen=True)
class Dates:
    """ISO dates or timestamps in ever longer spans. Timestamps become days first.

    >>> h = Dates().bind("admitted", ["2024-03-17"])
    >>> [level[0] for level in h.labels]
    ['2024-03-17', '2024-03', '2024-Q1', '2024', '2020s', '*']
    """

    levels: Sequence[str] = ("month", "quarter", "year", "decade")

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        order = list(DATE_LEVELS)
        for level in self.levels:
            if level not in DATE_LEVELS:
                close = nearest(str(level), order)
                raise HierarchyError(
                    f"{level!r} is no level of a date",
                    fix=f"Did you mean {close}? " * bool(close) + f"There are {', '.join(order)}.",
                )
        if not self.levels or [*self.levels] != [o for o in order if o in self.levels]:
            raise HierarchyError(
                f"the levels {[*self.levels]} do not get coarser",
                fix=f"Write some of {', '.join(order)}, in this order.",
            )

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        leaves = [v for v in _ordered(values) if v is not None]
        days = [_day(v) for v in leaves]
        wrong = [v for v, day in zip(leaves, days, strict=True) if day is None]
        if wrong:
            raise unfit(
                name, where, f"{some(wrong)}: not a date such as 2024-03-17",
                "Write dates as year-month-day in the data.",
            )  # fmt: skip
        # Only a value with a time is longer than its day, and only then is the day a level.
        timed = any(len(v) > len("2024-03-17") for v in leaves)
        chosen = [*(["day"] if timed else []), *(x for x in self.levels if x != "day")]
        labels = {day: tuple(DATE_LEVELS[x](day) for x in chosen) for day in set(days) if day}
        rows: list[Row] = [
            (v, *labels[day], ANY) for v, day in zip(leaves, days, strict=True) if day
        ]
        return Hierarchy.of(name, with_missing(rows, values, len(chosen) + 2), where=where)


def _binned(scale: Scale, units: Sequence[int], cuts: Sequence[int], *, whole: bool) -> list[Value]:
    """The bin of each number: below the first edge, between two, or from the last on."""
    labels = [
        f"<{scale.text(cuts[0])}",
        *(interval(scale, a, b, whole=whole) for a, b in pairwise(cuts)),
        f">={scale.text(cuts[-1])}",
    ]
    return [labels[bisect_right(cuts, value)] for value in units]


def is_date(text: str) -> bool:
    """Whether it is an ISO date or timestamp.

    >>> is_date("2024-02-29"), is_date("2023-02-29")
    (True, False)
    """
    return _day(text) is not None


def _day(text: str) -> datetime.date | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day, time = match.groups()
    try:
        if time:
            datetime.datetime.fromisoformat(text)
        return datetime.date(int(year), int(month), int(day))
    except ValueError:
        return None


def _ordered(values: Iterable[Value]) -> list[Value]:
    """Distinct values in an order that does not depend on the engine, missing last."""
    return sorted(dict.fromkeys(values), key=lambda v: (v is None, v or ""))


def written_numbers(numbers: Iterable[float | int | str]) -> list[Parsed]:
    """Numbers of a plan, exactly as they are written.

    Raises:
        HierarchyError: Some are not finite.
    """
    listed = list(numbers)
    parsed = [written(number) for number in listed]
    wrong = [number for number, p in zip(listed, parsed, strict=True) if p is None]
    if wrong:
        raise HierarchyError(f"{some(wrong)}: not a finite number")
    return [p for p in parsed if p is not None]


def numbers_of(
    name: str, values: Sequence[Value], where: str | None
) -> tuple[list[str], list[Parsed]]:
    """The values that are not missing, and what they spell."""
    leaves = [v for v in _ordered(values) if v is not None]
    parsed = [parse(v) for v in leaves]
    wrong = [v for v, p in zip(leaves, parsed, strict=True) if p is None]
    if wrong:
        raise unfit(
            name, where, f"{some(wrong)}: not a finite number",
            "List such values under `null` in the plan to read them as missing, or use a file.",
        )  # fmt: skip
    return leaves, [p for p in parsed if p is not None]


def numeric_hierarchy(
    name: str,
    leaves: Sequence[str],
    units: Sequence[int],
    columns: Sequence[Sequence[Value]],
    values: Sequence[Value],
    where: str | None,
) -> Hierarchy:
    """The hierarchy of a numeric column, from the labels of each level.

    Args:
        name: The column.
        leaves: Its values, as they are written.
        units: The same as whole numbers of one unit.
        columns: For each level, the label of each value.
        values: Its values, missing ones too.
        where: Where the plan asks for it.
    """
    # Sorted by exact value: two that are equal as floats must not tear a level's run.
    order = sorted(range(len(leaves)), key=lambda i: units[i])
    rows: list[Row] = [(leaves[i], *(column[i] for column in columns), ANY) for i in order]
    rows = with_missing(rows, values, len(columns) + 2)
    return Hierarchy.of(name, rows, numbers=floats([row[0] for row in rows]), where=where)
