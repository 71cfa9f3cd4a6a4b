"""The numbers of a column, and how they are spread."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hedgerow.table.groups import Floats, Ints
from hedgerow.table.profile.column_facts import Interval, NumberRange
from hedgerow.table.profile.encoded_column import EncodedColumn

NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\s*$"
BINS = 20
"""Bars of a histogram, about."""
CODE = r"^[+-]?0[0-9]"
"""A number that would lose a zero."""


@dataclass(frozen=True, eq=False)
class NumberValues:
    """The distinct texts of a column that are numbers, and the rows of each."""

    values: Floats
    """In ascending order; two texts may be one number."""
    places: Ints
    """Where in the column's texts each stands."""
    rows: Ints
    """Rows that have each."""
    others: Ints
    """Places of the texts that are no numbers."""
    zeros: bool
    """Whether a text has a zero in front that says something: 0301."""

    @classmethod
    def of(cls, column: EncodedColumn) -> NumberValues:
        """Read the texts of a column."""
        texts = column.texts
        fits = pc.match_substring_regex(texts, NUMBER).to_numpy(zero_copy_only=False)
        found, others = np.flatnonzero(fits), np.flatnonzero(~fits)
        if not len(found):
            nothing = np.empty(0, np.int64)
            return cls(np.empty(0), nothing, nothing, others, False)
        numbers = texts.take(pa.array(found))
        read = pc.cast(pc.utf8_trim_whitespace(numbers), pa.float64())
        values = read.to_numpy(zero_copy_only=False)
        order = np.argsort(values, kind="stable")
        zeros = bool(pc.any(pc.match_substring_regex(numbers, CODE)).as_py())
        return cls(values[order], found[order], column.counts[found[order]], others, zeros)

    def without(self, gone: NDArray[np.bool_]) -> NumberValues:
        """The others of them."""
        stay = ~gone
        return NumberValues(
            self.values[stay], self.places[stay], self.rows[stay], self.others, self.zeros
        )

    @cached_property
    def whole(self) -> bool:
        return bool(np.isfinite(self.values).all() and (self.values == np.floor(self.values)).all())

    @property
    def range(self) -> NumberRange | None:
        """Their least, greatest and quartiles, by rows; None where there are none."""
        if not len(self.values):
            return None
        sums = np.cumsum(self.rows)
        cuts = [float(self.values[np.searchsorted(sums, sums[-1] * q / 4)]) for q in (1, 2, 3)]
        low, high = float(self.values[0]), float(self.values[-1])
        return NumberRange(
            low=low, high=high, whole=self.whole, quartiles=(cuts[0], cuts[1], cuts[2])
        )

    @property
    def histogram(self) -> tuple[Interval, ...]:
        """Rows by number, in intervals of a width one can read."""
        if not len(self.values):
            return ()
        low, high = float(self.values[0]), float(self.values[-1])
        if low == high or not np.isfinite(high - low):
            return ()
        step = nice((high - low) / BINS)
        first = np.floor(low / step)
        with np.errstate(over="ignore"):
            edges = (first + np.arange(int(np.floor(high / step) - first) + 2)) * step
        if not np.isfinite(edges).all():
            return ()  # the last interval ends beyond the largest double
        counts, _ = np.histogram(self.values, bins=edges, weights=self.rows)
        return tuple(
            Interval(low=float(a), high=float(b), rows=int(count))
            for a, b, count in zip(edges[:-1], edges[1:], counts, strict=True)
        )


def nice(step: float) -> float:
    """The least of 1, 2, 5, 10, ... times a power of ten that is not below.

    >>> nice(3.65), nice(0.3), nice(70)
    (5.0, 0.5, 100.0)
    """
    power = 10.0 ** np.floor(np.log10(step))
    return float(next(power * many for many in (1, 2, 5, 10) if power * many >= step * (1 - 1e-9)))
