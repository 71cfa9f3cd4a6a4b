"""A published file as its recipient counts it: groups, and the values of sensitive columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, some
from hedgerow.base.spelling import alike, first_spellings, reading
from hedgerow.engines import TablePlace, open_engine
from hedgerow.table.cell_table import joint_attribute
from hedgerow.table.encoding import encoded, histogram
from hedgerow.table.groups import ALL, Groups, Histogram, Ints, Sensitive
from hedgerow.table.pack import distinct

Value = str | None


@dataclass(frozen=True, kw_only=True)
class Order:
    """What somebody says of the values of a sensitive column: their order, and a taxonomy."""

    values: tuple[Value, ...]
    levels: tuple[tuple[Value, ...], ...] = ()
    """For each level above the values, the node each value belongs to."""
    said: bool = True
    """Whether somebody says so; else it is the usual order."""
    also: tuple[Value, ...] = ()
    """Names of further values and nodes, which nobody here has."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Seen:
    """A file, counted."""

    columns: tuple[str, ...]
    rows: int
    quasi: tuple[str, ...]
    labels: tuple[NDArray[np.object_], ...]
    """For each quasi-identifier, what each group has."""
    n: Ints
    """Rows of each distinct combination of all that was counted."""
    into: Ints
    """The group of each combination."""
    size: int
    """How many groups there are."""
    sets: Mapping[str, tuple[list[Value], Histogram]]
    null: frozenset[str] = frozenset()
    """Texts that mean missing where values are counted, though a reader sees them as they are."""

    @classmethod
    def read(
        cls,
        file: Path | TablePlace,
        *,
        quasi: Sequence[str],
        sets: Sequence[str],
        delimiter: str | None = None,
        null: Sequence[str] = (),
    ) -> Seen:
        """Count a file.

        Args:
            file: CSV or Parquet, or a table.
            quasi: Columns that make the groups; those the file lacks are left out.
            sets: Columns to count within the groups; those the file lacks are left out.
            delimiter: Of a CSV file, where it is known.
            null: Texts that mean missing among sensitive values. Groups are made of what the
                file shows: whoever reads it tells two such texts apart.

        Raises:
            DataError: It cannot be read.
        """
        with open_engine(file, delimiter=delimiter) as engine:
            columns = engine.columns()
            quasi = [name for name in quasi if name in columns]
            sets = [name for name in sets if name in columns]
            rows = engine.rows_total()
            counted = engine.counts(quasi, sets=sets)
        n = np.asarray(counted["n"].to_numpy(), np.int64)
        n, kept = n[n > 0], np.flatnonzero(n > 0)
        counted = counted.take(kept)
        texts = [encoded(counted[f"q{j}"]) for j in range(len(quasi))]
        codes = np.zeros((len(n), 1), np.int32)
        if texts:
            codes = np.stack([c for _, c in texts], axis=1)
        first, into = distinct(codes, [len(values) for values, _ in texts] or [1])
        return cls(
            columns=columns,
            rows=rows,
            quasi=tuple(quasi),
            labels=tuple(
                np.array(values, object)[codes[first, j]] for j, (values, _) in enumerate(texts)
            ),
            n=n,
            into=into,
            size=len(first),
            sets={name: histogram(counted[f"s{i}"], n) for i, name in enumerate(sets)},
            null=frozenset(null),
        )

    def values(self, column: str) -> list[Value]:
        """The values of a column, each once."""
        return list(dict.fromkeys(self._read_as(column)))

    def _read_as(self, column: str) -> list[Value]:
        return [None if value in self.null else value for value in self.sets[column][0]]

    def sizes(self) -> Groups:
        """The groups, with nothing but their sizes."""
        return Groups(self.n).merge(self.into, self.size)

    def joint(self, columns: Sequence[str]) -> Groups:
        """The groups with the combinations of all other columns."""
        domain, h = joint_attribute([self.sets[name][1] for name in columns], self.n)
        return Groups(self.n, {ALL: h}, {ALL: domain}).merge(self.into, self.size)

    def renamed(self, names: Mapping[str, str]) -> Seen:
        """The same, with columns called otherwise."""
        return replace(
            self,
            columns=tuple(names.get(name, name) for name in self.columns),
            quasi=tuple(names.get(name, name) for name in self.quasi),
            sets={names.get(name, name): found for name, found in self.sets.items()},
        )

    def with_values(
        self,
        column: str,
        *,
        order: Order,
        names: Mapping[Value, Value] | None = None,
        absent: Sequence[Value] = (),
        distinct: Collection[str | None] = (),
    ) -> Groups:
        """The groups with the values of one sensitive column.

        Args:
            column: The column.
            order: Its values in order, and what they have in common.
            names: What a text of the file stands for, where it stands for another text.
            absent: Values that count although nobody here has them.
            distinct: Values that differ from all others, whatever they look like.

        Raises:
            DataError: The file has values that the order lacks, or that may be read as one.
        """
        values, found = self._read_as(column), self.sets[column][1]
        if strange := [value for value in values if value not in set(order.values)]:
            has = "has" if len(strange) == 1 else "have"
            raise DataError(f"{some(strange)} in {column!r} {has} no place in the order of values")
        if pairs := [pair for pair in alike(values) if reading(pair[1]) is None]:
            raise DataError(f"{some(pairs[0])} in {column!r} may be read as one value")
        kept = [i for i, value in enumerate(order.values) if value in set(values)]
        place = {order.values[i]: code for code, i in enumerate(kept)}
        renamed = (*((names or {}).get(value, value) for value in place), *absent)
        if twice := [value for value, times in Counter(renamed).items() if times > 1]:
            raise DataError(f"{some(twice)} in {column!r} may stand for several values")
        codes = np.array([place[value] for value in values], np.int32)[found.codes]
        reference = np.bincount(codes, weights=found.counts, minlength=len(renamed))
        levels: list[NDArray[np.int32]] = []
        labels: list[tuple[Value, ...]] = [(*renamed, *order.also)]
        for nodes in order.levels:
            met = {node: code for code, node in enumerate(dict.fromkeys(nodes))}
            levels.append(np.array([met[nodes[i]] for i in kept], np.int32))
            labels.append(tuple(met))
        spellings = first_spellings(renamed, distinct)
        domain = Sensitive(
            column,
            renamed,
            reference.astype(np.int64),
            int(self.n.sum()),
            (np.arange(len(renamed), dtype=np.int32), *levels) if levels else (),
            tuple(labels),
            None if spellings is None else np.array(spellings, np.int32),
        )
        h = Histogram(found.indptr, codes, found.counts)
        return Groups(self.n, {column: h}, {column: domain}).merge(self.into, self.size)

    def group(self, labels: Mapping[str, Value]) -> int | None:
        """The group with these quasi-identifiers, if there is one."""
        if set(labels) != set(self.quasi):
            return None
        here = np.ones(self.size, np.bool_)
        for name, column in zip(self.quasi, self.labels, strict=True):
            here &= column == labels[name]
        found = np.flatnonzero(here)
        return int(found[0]) if len(found) else None
