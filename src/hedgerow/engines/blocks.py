"""Blocks of whole numbers: compared, cut into steps and added up, exactly in 64 bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil, floor, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.base.conditions import (
    And,
    Compared,
    Condition,
    Missing,
    Not,
    Number,
    OneOf,
    Or,
    Order,
)
from hedgerow.engines.tally import Summed

Ints = npt.NDArray[np.signedinteger[Any] | np.unsignedinteger[Any]]
Mask = npt.NDArray[np.bool_]

ROOM = 2**62
"""Numbers under this are added without overflow."""


@dataclass(frozen=True)
class Numbers:
    """Values of a column in a block; what stands where one is missing means nothing."""

    values: Ints
    there: Mask | None
    """Where there is one; None: everywhere."""

    def beside(self, order: Order, number: Fraction) -> Mask:
        """Where there is a number that is so ordered."""
        whole = number.denominator == 1
        bound = ceil(number) if order in ("<", ">=") else floor(number)
        limits = np.iinfo(self.values.dtype)
        if order == "=":
            within = whole and limits.min <= bound <= limits.max
            return self._where(self.values == bound if within else self._all(value=False))
        if not limits.min <= bound <= limits.max:
            return self._where(self._all(value=(bound > limits.max) == (order in ("<", "<="))))
        compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
        return self._where(compare[order](self.values, bound))

    def among(self, numbers: Sequence[int]) -> Mask:
        """Where there is one of these."""
        limits = np.iinfo(self.values.dtype)
        possible = [number for number in numbers if limits.min <= number <= limits.max]
        return self._where(np.isin(self.values, np.array(possible, self.values.dtype)))

    def without(self, numbers: Sequence[int]) -> Numbers:
        """The same, these made missing."""
        return Numbers(self.values, self.present & ~self.among(numbers)) if numbers else self

    @property
    def present(self) -> Mask:
        return self._where(self._all(value=True))

    def _all(self, *, value: bool) -> Mask:
        return np.full(len(self.values), value)

    def _where(self, found: Mask) -> Mask:
        return found if self.there is None else found & self.there


@dataclass(frozen=True)
class Steps:
    """How many whole steps a number is above a start, held to 0 and to the last; plus more."""

    low: int
    high: int
    """What the number is held to, first of all."""
    common: int
    first: int
    width: int
    last: int
    plus: int

    @classmethod
    def of(cls, start: Fraction, step: Fraction, cells: int, *, plus: int = 0) -> Steps | None:
        """None where a number might not fit."""
        if step.denominator == 1:  # then only whole borders matter
            common, first, width = 1, ceil(start), int(step)
            low, high = first, first + (cells - 1) * width
        else:
            common = lcm(start.denominator, step.denominator)
            first, width = int(start * common), int(step * common)
            low, high = floor(start), ceil(start + cells * step)
        largest = max(abs(low), abs(high), 1) * common
        if largest + abs(first) + abs(plus) + width + cells >= ROOM:
            return None
        return cls(low, high, common, first, width, cells - 1, plus)

    @property
    def simple(self) -> bool:
        """Whether the number, held, is the number of steps but for `shift`."""
        return self.common == self.width == 1

    @property
    def shift(self) -> int:
        return self.plus - self.first

    def held(self, values: Ints) -> Ints:
        """Numbers between `low` and `high`; of their own type if that has both ends."""
        limits = np.iinfo(values.dtype)
        if limits.min <= self.low and self.high <= limits.max:
            return np.clip(values, self.low, self.high)
        return np.clip(values.astype(np.int64), self.low, self.high)

    def counted(self, values: Ints) -> Ints:
        held = self.held(values).astype(np.int64)
        if self.simple:
            return held if not self.shift else held + self.shift
        above = np.maximum(held * self.common - self.first, 0)
        found: Ints = np.minimum(above // self.width, self.last) + self.plus
        return found


@dataclass(frozen=True)
class Term:
    """What a row adds: whole steps, or the square of that."""

    steps: Steps
    power: int

    @classmethod
    def of(cls, summed: Summed, rows: int) -> Term | None:
        """None where a sum over so many rows might not fit."""
        # Rounding halves up is counting the halves passed.
        steps = Steps.of(
            (summed.low - Fraction(1, 2)) * summed.unit,
            summed.unit,
            summed.high - summed.low + 1,
            plus=summed.low - summed.centre,
        )
        if steps is None:
            return None
        sizes = map(abs, (*summed.range, steps.low, steps.high, steps.shift))
        return cls(steps, summed.power) if sum(sizes) * max(rows, 1) < ROOM else None

    def sum(self, values: Ints, rows: int) -> int:
        terms, more = self._terms(values)
        return int(terms.sum(dtype=np.int64)) + more * rows

    def sums(self, values: Ints, places: Ints, many: Ints) -> Ints:
        """For each place."""
        terms, more = self._terms(values)
        totals = np.zeros(len(many), np.int64)
        np.add.at(totals, places, terms)
        return totals + more * many

    def _terms(self, values: Ints) -> tuple[Ints, int]:
        """What rows add, but for a number that each adds besides."""
        if self.power == 1 and self.steps.simple:
            return self.steps.held(values), self.steps.shift
        found = self.steps.counted(values)
        return (found * found if self.power == 2 else found), 0


def numeric(condition: Condition) -> bool:
    """Whether it compares with nothing but numbers; a text is beside a text."""
    match condition:
        case Compared(_, _, constant):
            return isinstance(constant, Number)
        case OneOf(_, constants):
            return all(isinstance(constant, Number) for constant in constants)
        case Missing():
            return True
        case Not(part):
            return numeric(part)
        case And(parts) | Or(parts):
            return all(map(numeric, parts))


def true(condition: Condition, block: Mapping[str, Numbers]) -> Mask:
    """Rows for which a filter is true."""
    match condition:
        case Compared(name, order, Number(value)):
            return block[name].beside(order, value)
        case OneOf(name, constants):
            numbers = [c.value for c in constants if isinstance(c, Number)]
            return block[name].among([int(n) for n in numbers if n.denominator == 1])
        case Missing(name):
            return ~block[name].present
        case Not(part):
            return ~true(part, block)
        case And(parts):
            return reduce(np.logical_and, (true(part, block) for part in parts))
        case Or(parts):
            return reduce(np.logical_or, (true(part, block) for part in parts))
        case Compared():
            raise AssertionError("a text was let in")
