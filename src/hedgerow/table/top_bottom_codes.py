"""Number coding: the highest and lowest values put together, and numbers rounded between them.

What a rounded number is published as says which numbers it stands for: 23 rounded to fives is in
`23-27`, not `25`. Whoever reads `25` would take it for 25.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from hedgerow.base.decimals import Scale, all_whole, interval
from hedgerow.base.errors import HierarchyError
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.hierarchy_builders import numbers_of, numeric_hierarchy, written_numbers
from hedgerow.table.taxonomies import Value

Number = float | int | str


@dataclass(frozen=True)
class CodingLevel:
    """What becomes of numbers at one level."""

    bottom: Number | None = None
    """Numbers below it become one."""
    top: Number | None = None
    """Numbers from it on become one."""
    round: Number | None = None
    """Numbers between are rounded to its multiples, halves up."""

    @property
    def given(self) -> list[Number]:
        return [one for one in (self.bottom, self.top, self.round) if one is not None]


@dataclass(frozen=True)
class NumberCoding:
    """Top and bottom coding, and rounding.

    >>> h = NumberCoding(levels=(CodingLevel(bottom=18, top=90, round=5),)).bind(
    ...     "age", ["17", "18", "22", "23", "27", "89", "90", "104"])
    >>> h.labels[1], h.labels[2]
    (('<18', '18-22', '23-27', '88-89', '>=90'), ('*',))
    >>> NumberCoding(levels=(CodingLevel(top=90),)).bind("age", ["89", "90", "91"]).labels[1]
    ('89', '>=90')
    """

    levels: Sequence[CodingLevel]
    """From the finest to the coarsest."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        if not self.levels or not all(level.given for level in self.levels):
            raise HierarchyError(
                "top and bottom coding needs to know what to put together",
                fix="Write at least one of top, bottom and round: {coding: {top: 90}}.",
            )
        for level in self.levels:
            _refuse_empty(level)
        for finer, coarser in pairwise(self.levels):
            _refuse_cut(finer, coarser)

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        leaves, parsed = numbers_of(name, values, where)
        given = [n for level in self.levels for n in written_numbers(level.given)]
        fine = min([0, *(exponent for _, exponent in [*parsed, *given])])
        scale = Scale(fine - 1)  # so that half of a step is a whole number of units
        units = [scale.units(number) for number in parsed]
        edges = [scale.units(number) for number in given]
        whole = all_whole(scale, [*units, *edges]) and min(units, default=0) >= 0
        columns = [_coded(scale, leaves, units, level, whole=whole) for level in self.levels]
        return numeric_hierarchy(name, leaves, units, columns, values, where)


def _coded(
    scale: Scale, leaves: Sequence[str], units: Sequence[int], level: CodingLevel, *, whole: bool
) -> list[Value]:
    """What each number is published as."""
    bottom, top, step = (
        None if one is None else scale.units(written_numbers([one])[0])
        for one in (level.bottom, level.top, level.round)
    )
    found: list[Value] = []
    for leaf, value in zip(leaves, units, strict=True):
        if bottom is not None and value < bottom:
            found.append(f"<{scale.text(bottom)}")
        elif top is not None and value >= top:
            found.append(f">={scale.text(top)}")
        elif step is None:
            found.append(leaf)
        else:
            low = (value + step // 2) // step * step - step // 2
            ends = [low, low + step]
            if bottom is not None:
                ends[0] = max(low, bottom)
            if top is not None:
                ends[1] = min(ends[1], top)
            if whole:  # 22.5 to 27.5 are 23 to 27
                ends = [max(0, -(-end // scale.one) * scale.one) for end in ends]
            found.append(interval(scale, *ends, whole=whole))
    return found


def _exact(number: Number | None) -> Fraction | None:
    if number is None:
        return None
    digits, exponent = written_numbers([number])[0]
    return Fraction(digits) * Fraction(10) ** exponent


def _refuse_empty(level: CodingLevel) -> None:
    bottom, top, step = _exact(level.bottom), _exact(level.top), _exact(level.round)
    if step is not None and step <= 0:
        raise HierarchyError(f"numbers cannot be rounded to {level.round}", fix="Give more than 0.")
    if bottom is not None and top is not None and bottom >= top:
        raise HierarchyError(
            f"nothing is between the bottom {level.bottom} and the top {level.top}",
            fix="Give a top above the bottom.",
        )


def _refuse_cut(finer: CodingLevel, coarser: CodingLevel) -> None:
    """A level joins what the one before joins."""
    lost = [
        key for key in ("bottom", "top", "round")
        if getattr(finer, key) is not None and getattr(coarser, key) is None
    ]  # fmt: skip
    if lost:
        raise HierarchyError(
            f"a level has no {lost[0]}, and the one before has",
            fix="Repeat it; each level is coarser than the one before.",
        )
    low, lower = _exact(finer.bottom), _exact(coarser.bottom)
    high, higher = _exact(finer.top), _exact(coarser.top)
    step, wider = _exact(finer.round), _exact(coarser.round)
    wrong = None
    if low is not None and lower is not None and lower < low:
        wrong = f"the bottom {coarser.bottom} is below {finer.bottom}, that of the level before"
    elif high is not None and higher is not None and higher > high:
        wrong = f"the top {coarser.top} is above {finer.top}, that of the level before"
    elif step is not None and wider is not None and (wider / step) % 2 != 1:
        wrong = (
            f"numbers that are rounded to {coarser.round} are not put together from those that "
            f"are rounded to {finer.round}"
        )
    elif step is not None:
        for mine, other, name in ((low, lower, "bottom"), (high, higher, "top")):
            if other is not None and other != mine and (other / step - Fraction(1, 2)) % 1 != 0:
                wrong = f"the {name} {_text(other)} cuts numbers that the level before joins"
    if wrong is not None:
        raise HierarchyError(
            wrong,
            fix="Each level joins what the one before joins: higher bottoms, lower tops, and steps "
            "that are an odd multiple.",
        )


def _text(number: Fraction) -> str:
    return f"{float(number):g}"
