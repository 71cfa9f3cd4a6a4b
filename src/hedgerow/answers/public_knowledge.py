"""What everybody may know before an answer: columns, domains, bounds, and who is protected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, gcd, lcm
from typing import Literal

import numpy as np

from hedgerow.base.decimals import parse
from hedgerow.base.errors import PlanError, nearest, some
from hedgerow.base.filters import Condition, check_columns
from hedgerow.base.filters import parse as parse_condition
from hedgerow.engines.tally import MOST_SUMMED, Listed, Spaced, Summed
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.table.domain import MOST_CELLS, Bounds, Domain, Values, decimal

FAR = 2**32
"""Whole units that one row adds at most: a thousand million rows never reach 2^62 together."""
FAR_SQUARED = 2**16
"""The same where squares are summed."""
LARGEST = Fraction(10**100)
"""Bounds beyond it, or nearer to each other than its inverse, are no doubles when squared."""
GRID = 1000
"""Cells between bounds where the plan gives no step."""


@dataclass(frozen=True)
class Labelled:
    """The cells of one column, with what each is called."""

    cells: Listed | Spaced
    labels: tuple[str | None, ...]
    middles: tuple[Fraction, ...] = ()
    """Of cells of numbers: a number that stands for each."""


@dataclass(frozen=True)
class Public:
    """All that a question's design may look at. The data are not among it."""

    columns: tuple[str, ...]
    """Of the source."""
    domains: Mapping[str, Domain]
    neighbours: Neighbours
    places: Mapping[str, str]
    """Where the plan is about a column, for messages."""
    stated: Stated | None = None
    """The policy, where not all values are protected alike."""
    person: str | None = None
    """The column that says whose row it is; None: each row is a person."""
    earlier: tuple[str, ...] = ()
    """What is to be said of earlier releases without noise."""

    @property
    def protects(self) -> str:
        """Who is protected, in words."""
        if self.stated is None:
            return str(self.neighbours)
        return (
            f"policy {self.stated.name}: change-one, but one row changed along one edge of the "
            "policy only, the number of rows being public; the notes say what is not protected"
        )

    @property
    def rows_are_public(self) -> bool:
        """Whether all neighbours have the same number of rows: one is changed, and is a person.

        Where people have several rows, one with other values may have more or fewer of them.
        """
        changed = self.neighbours.kind is Neighbouring.CHANGE_ONE
        return changed and self.person is None and self.neighbours.rows == 1

    @property
    def not_protected(self) -> tuple[str, ...]:
        """What a policy leaves open, to be said first."""
        return () if self.stated is None else (*self.stated.not_protected(), *self.earlier)

    def counts(self, of: Literal["people", "rows"], *, cells: bool = True) -> tuple[str, ...]:
        """Which rows count at all, where that is not all of them: a rule, not looked up.

        Args:
            of: What is counted.
            cells: Whether there are several.
        """
        if self.person is None:
            return ()
        most = self.neighbours.rows
        if of == "people" and not cells:
            who = "Each person counts once"
        else:
            what = "row" if of == "rows" else "cell"
            who = f"At most {most:,} {what}{'s' * (most != 1)} of a person count{'s' * (most == 1)}"
        return (
            f"{who}, and rows without a person do not; numbers and intervals are about what "
            "counts.",
        )

    def require(self, column: str) -> str:
        """The column, if there is such a one.

        Raises:
            PlanError: There is none.
        """
        if not isinstance(column, str):
            raise PlanError(f"{column!r} is no name of a column", fix="Name columns by texts.")
        if column in self.columns:
            return column
        near = nearest(column, self.columns)
        raise PlanError(
            f"there is no column {column!r}",
            fix=f"Did you mean {near!r}?" if near else f"There are {some(self.columns)}.",
        )

    def condition(self, where: str | None) -> Condition | None:
        """A filter, read and checked."""
        if where is None:
            return None
        require_filter(where)
        condition = parse_condition(where)
        check_columns(condition, self.columns)
        return condition

    def bounds(self, column: str) -> Bounds:
        """The bounds of a column's numbers.

        Raises:
            PlanError: The plan has none; they are never looked up in the data.
        """
        domain = self.domains.get(self.require(column))
        if isinstance(domain, Bounds):
            return domain
        raise PlanError(
            f"the plan has no bounds for {column!r}, and they are never taken from the data",
            where=self.places.get(column),
            fix=f"Say which numbers are possible, from what everybody knows: "
            f"`{column}: {{bounds: [0, 120]}}`.",
        )

    def cells(self, by: str) -> Labelled:
        """The cells of a column by its domain, or of its numbers by their bounds.

        Args:
            by: A column, or a column and how wide the cells are: age:10.

        Raises:
            PlanError: The plan has neither domain nor bounds for it, or the width is none.
        """
        column, width = self.named(by)
        domain = self.domains.get(column)
        if isinstance(domain, Bounds):
            return _of_numbers(column, domain, width)
        if width is not None:
            self.bounds(column)
        if isinstance(domain, Values):
            return Labelled(Listed(column, domain.values), domain.values)
        raise PlanError(
            f"the plan has no domain for {column!r}, and it is never taken from the data",
            where=self.places.get(column),
            fix=f"List the values everybody may know, `{column}: {{domain: [a, b, c]}}`, or say "
            "that its hierarchy lists them, `domain: hierarchy`; of numbers give the bounds, "
            "`bounds: [0, 120], step: 1`. To count by values that are not public, give a delta: "
            "those of few people are then left out.",
        )

    @property
    def with_cells(self) -> tuple[str, ...]:
        """The columns with a public domain, or with bounds and a step."""
        return tuple(
            name
            for name, domain in self.domains.items()
            if isinstance(domain, Values) or domain.step is not None
        )

    def has_cells(self, by: str) -> bool:
        """Whether the plan says which cells a column has."""
        return self.named(by)[0] in self.domains

    def named(self, by: str) -> tuple[str, Fraction | None]:
        """The column and the width of its cells, if one is given.

        Raises:
            PlanError: There is no such column, or no such width.
        """
        column, colon, text = by.rpartition(":") if isinstance(by, str) else ("", "", "")
        if by in self.columns or not colon:
            return self.require(by), None
        number = parse(text.strip())
        width = None if number is None else number[0] * Fraction(10) ** number[1]
        if width is None or width <= 0:
            raise PlanError(
                f"{text.strip()!r} is no width of cells", fix="Write for instance age:10."
            )
        return self.require(column), width


def require_filter(where: object) -> None:
    """Refuse a filter that is no text.

    Raises:
        PlanError: It is none.
    """
    if where is not None and not isinstance(where, str):
        raise PlanError(f"a filter is a text, not {where!r}", fix='Write where="age >= 40".')


def require_few(sizes: Sequence[int]) -> int:
    """How many cells there are together.

    Raises:
        PlanError: Too many for one answer.
    """
    together = int(np.prod([1, *sizes], dtype=object))
    if together > MOST_CELLS:
        raise PlanError(
            f"this has {together:,} cells, and one answer has at most {MOST_CELLS:,}",
            fix="Ask by fewer columns, or in wider cells (age:10).",
        )
    return together


def _of_numbers(column: str, bounds: Bounds, width: Fraction | None) -> Labelled:
    span = _span(column, bounds)
    if width is None:
        width = bounds.step or span / GRID
    # With a step the upper bound is a value of its own; without one it is but the end.
    cells = floor(span / width) + 1 if bounds.step is not None else ceil(span / width)
    require_few([cells])
    common = lcm(bounds.low.denominator, width.denominator)
    first, step = int(bounds.low * common), int(width * common)
    edges = [Fraction(first + i * step, common) for i in range(cells + 1)]
    if width == bounds.step:
        labels, middles = [decimal(edge) for edge in edges[:-1]], edges[:-1]
    else:
        labels = [f"[{decimal(a)}, {decimal(b)})" for a, b in pairwise(edges)]
        middles = [min(edge + width / 2, bounds.high) for edge in edges[:-1]]
    spaced = Spaced(column, bounds.low, width, cells)
    return Labelled(spaced, tuple(labels), tuple(middles))


def in_units(
    column: str, bounds: Bounds, *, centred: bool = False, squared: bool = False
) -> Summed:
    """Numbers as whole units: those of the step if they are not too many, else fine ones.

    Args:
        column: Of the numbers.
        bounds: Their bounds.
        centred: Whether differences from the middle of the bounds are summed.
        squared: Whether their squares are summed too, which leaves room for fewer units.
    """
    span, most = _span(column, bounds), FAR_SQUARED if squared else FAR
    farthest = max(abs(bounds.low), abs(bounds.high))
    unit, added = _common(bounds), span / 2 if centred else farthest
    if unit is None or added > unit * most:
        # The least power of two that leaves room for the sums, and for a number by itself.
        wanted = max(added / most, farthest / MOST_SUMMED)
        unit = Fraction(2) ** (wanted.numerator.bit_length() - wanted.denominator.bit_length())
        while unit < wanted:
            unit *= 2
        together = unit * GRID > span
    else:
        together = farthest > unit * MOST_SUMMED
    if together:
        raise PlanError(
            f"the bounds of {column!r} are too near to each other for numbers so large",
            fix="Give wider bounds, or publish the difference from a public number.",
        )
    return Summed(column, unit, floor(bounds.low / unit), ceil(bounds.high / unit))


def _span(column: str, bounds: Bounds) -> Fraction:
    """How far the bounds are apart.

    Raises:
        PlanError: Too far, or too near, for an answer in doubles.
    """
    span = bounds.high - bounds.low
    if max(abs(bounds.low), abs(bounds.high)) > LARGEST or span < 1 / LARGEST:
        raise PlanError(
            f"the bounds of {column!r} are too large or too near to each other for an answer",
            fix="Give bounds of at most 1e100 that are at least 1e-100 apart.",
        )
    return span


def _common(bounds: Bounds) -> Fraction | None:
    """The largest unit of which both the lower bound and the step are whole multiples."""
    if bounds.step is None:
        return None
    low, step = bounds.low, bounds.step
    below = low.denominator * step.denominator
    return Fraction(gcd(low.numerator * step.denominator, step.numerator * low.denominator), below)
