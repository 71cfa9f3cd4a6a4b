"""Hierarchy: how the values of one column become coarser, level by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.decimals import Parsed, Scale, written
from hedgerow.base.errors import HierarchyError, some

Codes = NDArray[np.int32]

ANY = "*"
"""What a fully generalised value is published as."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The levels of one column, bound to the values it may hold.

    Level 0 is the value itself; each level is a function of the one below. Leaves are kept
    in an order in which every level's groups are runs, so that a code range is a subtree.

    >>> h = Hierarchy.of("sex", [("F", "*"), ("M", "*")])
    >>> h.height, h.labels[1], h.share(1).tolist()
    (1, ('*',), [1.0])
    """

    name: str
    values: tuple[str | None, ...]
    """The leaves. Those the data lack count too: they are what a published value may hide."""
    codes: tuple[Codes, ...]
    """codes[level][leaf] is the leaf's generalised value at that level."""
    labels: tuple[tuple[str | None, ...], ...]
    """labels[level][code] is what is published."""
    numbers: NDArray[np.float64] | None = None
    """The leaves as numbers, ascending, where the column is numeric (missing: NaN, last)."""

    @classmethod
    def of(
        cls,
        name: str,
        rows: Sequence[Sequence[str | None]],
        *,
        numbers: Sequence[float] | None = None,
        where: str | None = None,
    ) -> Hierarchy:
        """Build from one row per leaf, leaf first; every row equally long.

        Args:
            name: Column name.
            rows: For each leaf, its label at every level.
            numbers: The leaves as numbers, where order matters.
            where: File or plan line, for messages.

        Raises:
            HierarchyError: A leaf stands twice, a level splits what the one below joins, or
                joins numbers that are not neighbours.
        """
        where = where or f"hierarchy of {name!r}"
        if not rows:
            raise HierarchyError("the hierarchy has no values", where=where)
        height = len(rows[0]) - 1
        ragged = [row[0] for row in rows if len(row) != height + 1]
        if ragged or height < 0:
            raise HierarchyError(
                f"{some(ragged)} has another number of levels than {rows[0][:1]}",
                where=where,
                fix="Give every value a label on every level.",
            )
        columns = [_factorise([row[level] for row in rows]) for level in range(height + 1)]
        codes = [column[0] for column in columns]
        if len(columns[0][1]) != len(rows):
            often = np.bincount(codes[0])
            twice = [v for v, count in zip(columns[0][1], often, strict=True) if count > 1]
            raise HierarchyError(
                f"{some(twice)} stand(s) in it more than once", where=where,
                fix="Give every value one line.",
            )  # fmt: skip
        for level in range(1, height + 1):
            below, here = codes[level - 1], codes[level]
            parent = np.empty(len(columns[level - 1][1]), np.int32)
            parent[below] = here
            torn = np.unique(below[parent[below] != here])
            if len(torn):
                names = [columns[level - 1][1][code] for code in torn]
                raise HierarchyError(
                    f"level {level} does not coarsen level {level - 1}: "
                    f"{some(names)} would go to more than one value",
                    where=where,
                    fix="Each value of a level must have exactly one parent in the next.",
                )
        if numbers is None:
            # Codes count first appearances, so this keeps subtrees together in given order.
            order = np.lexsort(codes)
            ascending = None
        else:
            given = np.asarray(numbers, np.float64)
            order = np.argsort(given, kind="stable")
            ascending = given[order]
        new_codes, new_labels = [], []
        for level, (column, labels) in enumerate(columns):
            column = column[order]
            starts = np.flatnonzero(np.diff(column, prepend=-1))
            if len(starts) != len(labels):
                raise HierarchyError(
                    f"level {level} joins numbers that are not neighbours",
                    where=where,
                    fix="Join only neighbouring numbers.",
                )
            new_labels.append(tuple(labels[code] for code in column[starts]))
            lengths = np.diff(starts, append=len(rows))
            new_codes.append(np.repeat(np.arange(len(starts), dtype=np.int32), lengths))
        return cls(name, new_labels[0], tuple(new_codes), tuple(new_labels), ascending)

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.codes) - 1

    @cached_property
    def place(self) -> dict[str | None, int]:
        """Value -> leaf code."""
        return {value: code for code, value in enumerate(self.values)}

    @cached_property
    def whole(self) -> bool:
        """Whether its numbers are all written as whole ones, without a sign."""
        return self.numbers is not None and all(
            value is not None and value.isascii() and value.isdigit()
            for value, number in zip(self.values, self.numbers, strict=True)
            if not np.isnan(number)
        )

    @cached_property
    def in_units(self) -> tuple[Scale, NDArray[np.object_]]:
        """The finest decimal unit of its numbers, and each leaf in it (0: no number)."""
        units = np.zeros(len(self.values), object)
        if self.numbers is None:
            return Scale(0), units
        there = ~np.isnan(self.numbers)
        parsed = [_as_written(float(number)) for number in self.numbers[there]]
        scale = Scale.of(parsed)
        units[there] = [scale.units(number) for number in parsed]
        return scale, units

    @cached_property
    def named_runs(self) -> dict[tuple[int, int], str]:
        """Runs of leaves that have a name, unless the name also stands for something else."""
        runs: dict[str | None, set[tuple[int, int]]] = {}
        for level in range(self.height + 1):
            for label, low, high in zip(self.labels[level], *self.runs(level), strict=True):
                runs.setdefault(label, set()).add((int(low), int(high)))
        # A name that reads like a set would be taken for one.
        return {
            run: label
            for label, means in reversed(runs.items())
            for run in means
            if label and len(means) == 1 and not label.startswith("{")
        }

    def size(self, level: int) -> int:
        """How many values the level has."""
        return len(self.labels[level])

    def leaves(self, level: int) -> NDArray[np.int64]:
        """How many leaves each value of the level stands for."""
        return np.bincount(self.codes[level], minlength=self.size(level)).astype(np.int64)

    def share(self, level: int) -> NDArray[np.float64]:
        """Leaves under each value of the level as a share of all leaves."""
        return self.leaves(level) / len(self.values)

    def runs(self, level: int) -> tuple[Codes, Codes]:
        """The first and the last leaf under each value of the level."""
        last = np.empty(self.size(level), np.int32)
        last[self.codes[level]] = np.arange(len(self.values), dtype=np.int32)
        return last - self.leaves(level).astype(np.int32) + 1, last

    def step(self, low: int, high: int) -> Codes:
        """From codes at level `low` to codes at level `high`, low <= high."""
        table = np.empty(self.size(low), np.int32)
        table[self.codes[low]] = self.codes[high]
        return table

    def encode(self, values: Sequence[str | None]) -> Codes:
        """Leaf codes of data values.

        Raises:
            HierarchyError: Some values are not covered; names at most ten.
        """
        place = self.place
        missing = [value for value in values if value not in place]
        if missing:
            raise HierarchyError(
                f"does not cover {some(missing)}",
                where=f"hierarchy of {self.name!r}",
                fix="Add a line for each of these values, or correct them in the data.",
            )
        return np.array([place[value] for value in values], np.int32)


def _as_written(number: float) -> Parsed:
    parsed = written(int(number) if number.is_integer() else number)
    assert parsed is not None, "the numbers of a hierarchy are finite"
    return parsed


def _factorise(labels: Sequence[str | None]) -> tuple[Codes, list[str | None]]:
    """Codes in order of first appearance, and the label of each."""
    place: dict[str | None, int] = {}
    codes = np.array([place.setdefault(label, len(place)) for label in labels], np.int32)
    return codes, list(place)
