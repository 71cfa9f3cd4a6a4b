"""Rows as an analysis sees them, where a published value may stand for several.

A generalised value stands for each value that it covers, all alike: a row then counts in several
groups, with a share in each. As a number it is the middle between the smallest and the largest
number it covers. What covers every value says nothing, and is no number. Suppressed people are
not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError
from hedgerow.recode.reuse import covered
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.pack import distinct

Value = str | None


def number_of(text: Value) -> float:
    """A value as a number: itself, or the day of a date; NaN where it is neither.

    >>> number_of("2.5"), number_of("1970-01-11"), number_of("red")
    (2.5, 10.0, nan)
    """
    if text is None:
        return float("nan")
    try:
        found = float(text)
    except ValueError:
        try:
            return float(date.fromisoformat(text[:10]).toordinal() - EPOCH)
        except ValueError:
            return float("nan")
    return found if np.isfinite(found) else float("nan")


EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, eq=False)
class Variable:
    """A column of a sample: the values it may have, and what the rows have of them."""

    name: str
    values: tuple[Value, ...]
    """What somebody may have; of a column that is not generalised, what anybody has."""
    texts: tuple[Value, ...]
    """What is published, each once."""
    covers: tuple[Ints, Ints] | None
    """Which values each text may stand for: where its values begin, and the values; None where a
    text is the value itself."""
    codes: Ints
    """The text of each row."""

    @classmethod
    def of(
        cls, name: str, texts: Sequence[Value], codes: Ints, hierarchy: Hierarchy | None = None
    ) -> Variable:
        """A column as it stands in a table.

        Args:
            name: Of the column.
            texts: What is published, each once.
            codes: The text of each row.
            hierarchy: Of a column that may be generalised.
        """
        if hierarchy is None:
            return cls(name, tuple(texts), tuple(texts), None, codes)
        each = [_covered(hierarchy, text) for text in texts]
        start = np.cumsum([0, *map(len, each)], dtype=np.int64)
        values = np.concatenate([np.zeros(0, np.int64), *each])
        return cls(name, hierarchy.values, tuple(texts), (start, values), codes)

    @cached_property
    def _widths(self) -> Ints:
        """How many values each text covers."""
        if self.covers is None:
            return np.ones(len(self.texts), np.int64)
        widths: Ints = np.diff(self.covers[0])
        return widths

    def _pairs(self) -> tuple[Ints, Ints, Floats]:
        """Text, value and share of all that is covered."""
        if self.covers is None:
            every = np.arange(len(self.texts), dtype=np.int64)
            return every, every, np.ones(len(every))
        text = np.repeat(np.arange(len(self.texts)), self._widths)
        return text, self.covers[1], 1.0 / self._widths[text]

    def shares(self, parents: Sequence[int], size: int) -> Floats:
        """For each text, how much of it is in each category.

        Args:
            parents: The category of each value.
            size: How many categories there are.
        """
        text, value, share = self._pairs()
        place = text * size + np.asarray(parents, np.int64)[value]
        found = np.bincount(place, weights=share, minlength=len(self.texts) * size)
        shares: Floats = found.reshape(len(self.texts), size).astype(np.float64)
        return shares

    def people(self, n: Ints) -> Floats:
        """How many people have each value, where row i stands for n[i] of them."""
        text, value, share = self._pairs()
        by_text = np.bincount(self.codes, weights=n, minlength=len(self.texts))
        found = np.bincount(value, weights=share * by_text[text], minlength=len(self.values))
        return found.astype(np.float64)

    @cached_property
    def numbers(self) -> Floats:
        """Of each text, the middle of the numbers it covers; NaN where it tells none."""
        known = np.array([number_of(value) for value in self.values], np.float64)
        if self.covers is None:
            return known
        found = np.full(len(self.texts), np.nan)
        start, values = self.covers
        for i, text in enumerate(self.texts):
            inside = known[values[start[i] : start[i + 1]]]
            if not len(inside):
                # A mean that microaggregation published is no value of the table.
                found[i] = number_of(text)
            elif not self.blank[i]:
                found[i] = (inside.min() + inside.max()) / 2
        return found

    @cached_property
    def blank(self) -> NDArray[np.bool_]:
        """Which texts cover every value, and so say nothing."""
        blank: NDArray[np.bool_] = (self._widths == len(self.values)) & (len(self.values) > 1)
        return blank

    @cached_property
    def numeric(self) -> bool:
        """Whether every value that is there is a number."""
        known = [number_of(value) for value in self.values if value is not None]
        return bool(known) and not np.isnan(known).any()


def _covered(hierarchy: Hierarchy, text: Value) -> Ints:
    """Which values a text may stand for; of a number that is none of them, the nearest."""
    if text in hierarchy.place:
        return np.array([hierarchy.place[text]], np.int64)
    found: Ints = np.flatnonzero(covered(hierarchy, text))
    if not len(found) and hierarchy.numbers is not None and not np.isnan(number_of(text)):
        apart = np.abs(hierarchy.numbers - number_of(text))
        found = np.array([int(np.nanargmin(apart))], np.int64)
    return found


@dataclass(frozen=True, eq=False)
class AnalysisRows:
    """Rows, those that are alike together."""

    variables: Mapping[str, Variable]
    n: Ints
    """How many rows are like this one."""
    hierarchies: Mapping[str, Hierarchy]
    """Of the columns that have one."""
    weight: Floats | None = None
    """What the rows that are alike count together, where they have survey weights."""

    @cached_property
    def mass(self) -> Floats:
        """What the rows that are alike count together: their weights, or how many they are."""
        found: Floats = self.n.astype(np.float64) if self.weight is None else self.weight
        return found

    @cached_property
    def total(self) -> float:
        """What all rows count."""
        return float(self.mass.sum())

    def weighed(self, column: str) -> AnalysisRows:
        """The same rows, each counting its weight.

        Raises:
            DataError: Somebody has no weight, or one that is no number from 0 on.
        """
        found = self._weighed.get(column)
        if found is None:
            numbers = self.numbers(column)
            if not (numbers >= 0).all():  # what is missing is not a number
                wrong = self.variables[column].texts[
                    int(self.variables[column].codes[int(np.argmin(numbers >= 0))])
                ]
                raise DataError(
                    "somebody has no survey weight" if wrong is None
                    else f"{wrong!r} is no survey weight",
                    where=f"column {column!r}",
                    fix="Give everybody a weight: a number from 0 on.",
                )  # fmt: skip
            found = self._weighed[column] = replace(self, weight=self.n * numbers)
        return found

    @cached_property
    def _weighed(self) -> dict[str, AnalysisRows]:
        return {}

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.n.sum())

    def only(self, columns: Sequence[str]) -> AnalysisRows:
        """The same people with these columns only, so that more of them are alike."""
        key = tuple(columns)
        found = self._only.get(key)
        if found is None:
            variables = [self.variables[name] for name in columns]
            codes = np.stack([v.codes for v in variables], axis=1).astype(np.int32)
            first, into = distinct(codes, [max(1, len(v.texts)) for v in variables])
            order = np.lexsort(codes[first].T[::-1])
            n = np.bincount(into, weights=self.n, minlength=len(first)).astype(np.int64)
            kept = first[order]
            fewer = {v.name: replace(v, codes=v.codes[kept]) for v in variables}
            weight = None
            if self.weight is not None:
                summed = np.bincount(into, weights=self.weight, minlength=len(first))
                weight = summed[order].astype(np.float64)
            found = self._only[key] = AnalysisRows(fewer, n[order], self.hierarchies, weight)
        return found

    @cached_property
    def _only(self) -> dict[tuple[str, ...], AnalysisRows]:
        return {}

    def categories(self, name: str, level: int = 0) -> tuple[Value, ...]:
        """What the values of a column are called at a level of its hierarchy."""
        if level:
            return self.hierarchies[name].labels[level]
        return self.variables[name].values

    def there(self, name: str, level: int = 0) -> list[Value]:
        """The categories of a column that somebody has."""
        people = self.variables[name].people(self.n)
        if not level:
            return [v for v, n in zip(self.variables[name].values, people, strict=True) if n > 0]
        h = self.hierarchies[name]
        sums = np.bincount(h.codes[level], weights=people, minlength=h.size(level))
        return [label for label, n in zip(h.labels[level], sums, strict=True) if n > 0]

    def shares(self, name: str, categories: Sequence[Value], level: int = 0) -> Floats:
        """Of each row, how much of it is in each category of a column; the last is any other."""
        variable, place = self.variables[name], {c: i for i, c in enumerate(categories)}
        if level:
            h = self.hierarchies[name]
            called: Sequence[Value] = [h.labels[level][code] for code in h.codes[level]]
        else:
            called = variable.values
        parents = [place.get(value, len(categories)) for value in called]
        found: Floats = variable.shares(parents, len(categories) + 1)[variable.codes]
        return found

    def numbers(self, name: str) -> Floats:
        """Of each row, the number; NaN where it tells none."""
        variable = self.variables[name]
        found: Floats = variable.numbers[variable.codes]
        return found
