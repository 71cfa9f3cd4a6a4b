"""Sums, means and variances of numbers between public bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.answers.counts import count_part, outside_notes, require_different, told_count
from hedgerow.answers.design import (
    CONFIDENCE,
    AnswerTable,
    Design,
    NoiseDescription,
    Numbers,
    asked_by,
    delta_notes,
    dense,
    distribution,
    key_columns,
)
from hedgerow.answers.public_knowledge import Labelled, Public, in_units, require_few
from hedgerow.answers.sensitivity import Noise, count_under, mover, noise_for, sum_under
from hedgerow.engines.base import Table
from hedgerow.engines.tally import Summed, Tally
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.calibration import AnswerPart
from hedgerow.noise.measures import Loss
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.table.domain import Bounds, decimal

MOST_DIGITS = 10
Kind = Literal["sum", "mean", "variance"]
Floats = NDArray[np.float64]

_POWERS = {"sum": 1, "mean": 2, "variance": 3}
"""How many numbers of each cell get noise: the sum; and the count; and the sum of squares."""


@dataclass(frozen=True, kw_only=True)
class Aggregate:
    """The sum, mean or variance of a column's numbers, all together or in each cell.

    The variance is the mean square of the distance from the mean: it is divided by n.
    """

    kind: Kind
    column: str
    where: str | None = None
    by: tuple[str, ...] = ()

    def asked(self) -> dict[str, Any]:
        return {"ask": self.kind, "of": self.column, "where": self.where, "by": list(self.by)}

    def words(self) -> str:
        return asked_by(f"the {self.kind} of {self.column}", self.by, self.where)

    def design(self, public: Public, loss: Loss) -> Design:
        condition = public.condition(self.where)
        bounds = public.bounds(self.column)
        require_different([public.named(by)[0] for by in self.by])
        cells = tuple(public.cells(by) for by in self.by)
        return Aggregating(
            kind=self.kind,
            bounds=bounds,
            cells=cells,
            summed=_summed(self.column, bounds, self.kind),
            base=Tally(
                where=condition,
                by=tuple(one.cells for one in cells),
                count="rows",
                most=public.neighbours.rows,
            ),
            neighbours=public.neighbours,
            price=loss,
            stated=public.stated,
            rules=public.counts("rows"),
        )


@dataclass(frozen=True, kw_only=True)
class Aggregating:
    """Whole-number sums with noise, and what is computed from them.

    Each row adds a whole number of units, held within public bounds before it is added, so that
    sums are exact whatever their order. Means and variances sum the difference from the middle
    of the bounds, and squares of it less half the largest, so that one row adds as little as
    possible either way.

    Guarantee: what one person changes in the sums of disjoint cells is bounded by `sum_part`, what
    neighbours under a policy do by `sum_under`; the parts share the price.
    Assumes: the tally sums as its docstring says.
    """

    kind: Kind
    bounds: Bounds
    cells: tuple[Labelled, ...]
    summed: Summed
    base: Tally
    neighbours: Neighbours
    price: Loss
    stated: Stated | None = None
    rules: tuple[str, ...] = ()
    """Which rows count, to be told."""

    @property
    def sizes(self) -> list[int]:
        return [len(one.labels) for one in self.cells]

    @property
    def reach(self) -> int:
        """The farthest a row's number lies from the middle, in units."""
        return max(abs(end) for end in self.summed.range)

    @property
    def rounding(self) -> Fraction:
        """The farthest a number between the bounds is moved to become a multiple of the unit.

        Half a unit; a whole one where the bounds are no multiples, for what is beyond them.
        """
        unit = self.summed.unit
        ends = (self.bounds.low / unit, self.bounds.high / unit)
        return unit / 2 if all(end.denominator == 1 for end in ends) else unit

    @property
    def half_square(self) -> int:
        """What is taken off each square."""
        return self.reach**2 // 2

    @cached_property
    def parts(self) -> tuple[AnswerPart, ...]:
        size = require_few(self.sizes)
        many = Fraction(1, _POWERS[self.kind])
        (tally,), span = self.tallies, self.summed.range
        plain = sum_part(self.neighbours, size, span)
        parts = [sum_under(self.stated, tally, plain, self.summed, span)]
        if self.kind != "sum":
            plain = count_part(self.neighbours, size, of="rows")
            parts.append(count_under(self.stated, tally, plain))
        if self.kind == "variance":
            span = (-self.half_square, self.reach**2 - self.half_square)
            plain = sum_part(self.neighbours, size, span)
            parts.append(sum_under(self.stated, tally, plain, tally.sums[1], span))
        return tuple(replace(part, share=many) for part in parts)

    @cached_property
    def _noise(self) -> tuple[tuple[Noise, ...], Loss]:
        return noise_for(self.price, self.parts)

    @property
    def mechanisms(self) -> tuple[Noise, ...]:
        return self._noise[0]

    @property
    def loss(self) -> Loss:
        return self._noise[1]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        sums = [self.summed]
        if self.kind == "variance":
            sums.append(replace(self.summed, power=2))
        return (replace(self.base, sums=tuple(sums)),)

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        unit, first = self.summed.unit, self.mechanisms[0]
        who = mover(self.stated)
        what = "the sum" if self.kind == "sum" else "the sum of differences from the middle"
        told = [
            NoiseDescription(
                what,
                distribution(first),
                first.scale * unit,
                f"{who} changes it by at most {_short(self.parts[0].l1 * unit)} in all",
            )
        ]
        if self.kind != "sum":
            told.append(
                told_count(
                    self.mechanisms[1],
                    self.parts[1],
                    "the number of values",
                    who,
                    several=bool(self.cells),
                )
            )
        if self.kind == "variance":
            square, third = unit**2, self.mechanisms[2]
            told.append(
                NoiseDescription(
                    "the sum of their squares",
                    distribution(third),
                    third.scale * square,
                    f"{who} changes it by at most {_short(self.parts[2].l1 * square)} in all",
                )
            )
        return tuple(told)

    @property
    def notes(self) -> tuple[str, ...]:
        low, high = decimal(self.bounds.low), decimal(self.bounds.high)
        name = self.summed.column
        about = {
            "sum": "the interval is about the sum of these",
            "mean": "the interval allows for that",
            "variance": "the interval allows for that",
        }[self.kind]
        divided = "The variance is divided by n, the number of values, not by n - 1."
        return (
            *self.rules,
            f"Numbers of {name} under {low} or above {high} count as these; rows without a number "
            "do not count.",
            f"Numbers of {name} count as the nearest multiple of {few_digits(self.summed.unit)}; "
            f"{about}.",
            *([divided] if self.kind == "variance" else []),
            *outside_notes(self.cells),
            *delta_notes(self.loss),
        )

    @property
    def details(self) -> Mapping[str, Any]:
        return {}

    def read(self, counted: Sequence[Table]) -> tuple[Numbers, ...]:
        table, sizes = counted[0], self.sizes
        parts = [dense(table, sizes, "s0")]
        if self.kind != "sum":
            parts.append(dense(table, sizes))
        if self.kind == "variance":
            # As Python's whole numbers: the product of two of numpy's may overflow.
            squares = dense(table, sizes, "s1").astype(object)
            squares -= parts[1].astype(object) * self.half_square
            parts.append(_held(squares))
        return tuple(parts)

    def noisy(self, exact: tuple[Numbers, ...]) -> tuple[Numbers, ...]:
        return tuple(m.release(part) for m, part in zip(self.mechanisms, exact, strict=True))

    def best(self, exact: tuple[Numbers, ...]) -> tuple[Numbers, ...]:
        return exact

    def shown(self, numbers: tuple[Numbers, ...]) -> tuple[AnswerTable, ...]:
        # Each interval may miss a little less often, so that all of them together do not.
        confidence = 1 - (1 - CONFIDENCE) / len(self.parts)
        reach = [float(m.accuracy(confidence=confidence)) for m in self.mechanisms]
        values = [part.astype(np.float64) for part in numbers]
        unit = float(self.summed.unit)
        if self.kind == "sum":
            told = [values[0] + end * reach[0] for end in (0, -1, 1)]
            whole = self.summed.unit.denominator == 1
            told = [np.round(one * unit) if whole else one * unit for one in told]
        else:
            told = self._mean(values, reach) if self.kind == "mean" else self._spread(values, reach)
        columns = {
            name: [float(number) for number in one]
            for name, one in zip((self.kind, "low", "high"), told, strict=True)
        }
        return (AnswerTable.of(key_columns(self.cells), columns),)

    def _mean(self, values: list[Floats], reach: list[float]) -> list[Floats]:
        unit, middle = float(self.summed.unit), self.summed.centre * float(self.summed.unit)
        ends = (float(self.bounds.low), float(self.bounds.high))
        low, high = _ratio(values[0], reach[0], values[1], reach[1], float(self.reach))
        mean, moved = values[0] / np.maximum(values[1], 1), float(self.rounding)
        told = (unit * mean, unit * low - moved, unit * high + moved)
        return [np.clip(middle + x, *ends) for x in told]

    def _spread(self, values: list[Floats], reach: list[float]) -> list[Floats]:
        """The variance: the mean square less the square of the mean, from the middle."""
        square, most = float(self.summed.unit) ** 2, float(self.reach)
        half = float(self.half_square)
        count = np.maximum(values[1], 1)
        estimate = half + values[2] / count - (values[0] / count) ** 2
        mean = _ratio(values[0], reach[0], values[1], reach[1], most)
        squares = _ratio(values[2], reach[2], values[1], reach[1], most**2 - half)
        squares = (np.maximum(half + squares[0], 0), half + squares[1])
        least = np.where((mean[0] <= 0) & (mean[1] >= 0), 0, np.minimum(*np.square(mean)))
        largest = np.maximum(*np.square(mean))
        # No numbers between two bounds vary more than half at each end.
        widest = (float(self.bounds.high - self.bounds.low) / 2) ** 2
        spread = (estimate, squares[0] - largest, squares[1] - least)
        found, low, high = (np.clip(square * x, 0, widest) for x in spread)
        # Numbers moved by so much at most have a deviation moved by so much at most.
        moved = float(self.rounding)
        low, high = np.maximum(np.sqrt(low) - moved, 0) ** 2, (np.sqrt(high) + moved) ** 2
        return [found, low, np.minimum(high, widest)]


def sum_part(neighbours: Neighbours, cells: int, span: tuple[int, int]) -> AnswerPart:
    """What one person changes in the sums of so many disjoint cells.

    A row adds a number of the span, or none where it does not count. Rows that enter change a
    cell by the farthest of these from 0, each. A cell which rows leave and enter changes by the
    width of the span, 0 included, for each such row; for squares that may be more than two cells
    which change by the farthest each.

    >>> one = Neighbours(kind=Neighbouring.CHANGE_ONE)
    >>> sum_part(one, 1, (-5, 10)).l1, sum_part(one, 1, (5, 10)).l1, sum_part(one, 2, (5, 10)).l1
    (15, 10, 20)
    >>> sum_part(one, 2, (5, 10)).l2_squared, sum_part(one, 2, (-10, 10)).l2_squared
    (200, 400)
    """
    farthest = max(abs(end) for end in span)
    farthest = max(farthest, 1)
    width = max(span[1], 0) - min(span[0], 0)
    each = max(width if neighbours.kind is Neighbouring.CHANGE_ONE else farthest, 1)
    in_one = (neighbours.rows * each) ** 2
    if cells == 1:
        return AnswerPart(neighbours.rows * each, in_one)
    in_two = neighbours.histogram_squared * farthest**2
    return AnswerPart(neighbours.histogram * farthest, max(in_one, in_two))


def _summed(column: str, bounds: Bounds, kind: Kind) -> Summed:
    if kind == "sum":
        return in_units(column, bounds)
    summed = in_units(column, bounds, centred=True, squared=kind == "variance")
    return replace(summed, centre=(summed.low + summed.high) // 2)


def _short(number: Fraction) -> str:
    """A number for people: to six digits."""
    return f"{float(number):,.6g}"


def few_digits(number: Fraction) -> str:
    """A number for people: exactly, or about what it is where that would take many digits.

    >>> few_digits(Fraction(1, 100)), few_digits(Fraction(1, 2**26)), few_digits(Fraction(5, 3))
    ('0.01', 'about 1.5e-8', 'about 1.7')
    """
    written = decimal(number)
    if "/" not in written and len(written) <= MOST_DIGITS:
        return written
    found, _, power = f"{float(number):.2g}".partition("e")
    return f"about {found}e{int(power)}" if power else f"about {found}"


def _held(numbers: Any) -> Numbers:
    held: Numbers = np.clip(numbers, -(2**62), 2**62).astype(np.int64)
    return held


def _ratio(
    above: Floats, reach: float, below: Floats, spread: float, most: float
) -> tuple[Floats, Floats]:
    """All that (above ± reach) / (below ± spread) can be.

    Where the denominator may be 0, that is anything up to `most` either way.
    """
    fewest, highest = below - spread, below + spread
    known = fewest > 0
    fewest = np.where(known, fewest, 1)
    highest = np.where(known, highest, 1)
    ends = [(above + s * reach) / d for s in (-1, 1) for d in (fewest, highest)]
    low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
    return np.where(known, low, -most), np.where(known, high, most)
