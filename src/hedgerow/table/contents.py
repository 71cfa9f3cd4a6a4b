"""The one reader of published tables: groups and values, as whoever reads the table counts them.

Claims are judged on it when a release is published and when it is verified. Attacks, reports,
stored recodings and the ledger's memory of a release are made from it as well.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, some
from hedgerow.base.spelling import reading
from hedgerow.base.spelling_classes import alike, first_spellings
from hedgerow.engines import Engine, open_engine
from hedgerow.table.cell_table import joint_attribute
from hedgerow.table.encoding import encoded, histogram
from hedgerow.table.groups import ALL, Groups, Histogram, Ints, Sensitive
from hedgerow.table.pack import distinct
from hedgerow.table.records import RecordKinds
from hedgerow.table.shown_columns import ShownColumns
from hedgerow.table.written_form import FOREIGN, Value, WrittenForm

Codes = NDArray[np.int32]


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
class Contents:
    """A published table, counted."""

    headers: tuple[str, ...]
    """Its columns as they are called in the file."""
    columns: tuple[str, ...]
    """The same columns as the source calls them."""
    form: WrittenForm
    """How values are written in it."""
    quasi: tuple[str, ...]
    texts: tuple[tuple[Value, ...], ...]
    """For each quasi-identifier, its different values in the order of their text, missing last."""
    codes: Codes
    """For each group and quasi-identifier, which of them."""
    n: Ints
    """Rows of each distinct combination of all that was counted."""
    into: Ints
    """The group of each combination."""
    sets: Mapping[str, tuple[list[Value], Histogram]]
    """For each column counted within the groups its values, and which each combination has."""
    null: frozenset[str] = frozenset()
    """Texts that mean missing where values are counted, though a reader sees them as they are."""

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        quasi: Sequence[str],
        sets: Sequence[str] = (),
        form: WrittenForm = FOREIGN,
        weight: str | None = None,
        null: Sequence[str] = (),
        engine: Engine | None = None,
    ) -> Contents:
        """Count a table.

        Args:
            source: A CSV or Parquet file, a table of a database or in memory.
            quasi: Columns that make the groups; those the table lacks are left out.
            sets: Columns to count within the groups; those the table lacks are left out.
            form: How values are written in it.
            weight: A column that says how many people a row stands for.
            null: Texts that mean missing among sensitive values. Groups are made of what the
                table shows: whoever reads it tells two such texts apart.
            engine: Reads the source, where that is open already.

        Raises:
            DataError: It cannot be read, or is not written in this form.
        """
        with contextlib.ExitStack() as stack:
            if engine is None:
                engine = stack.enter_context(open_engine(source, delimiter=form.delimiter))
            headers = tuple(engine.columns())
            columns = tuple(form.all_columns(headers))
            called = dict(zip(columns, headers, strict=True))
            quasi = [name for name in quasi if name in called]
            sets = [name for name in sets if name in called]
            asked = [*sets, *([] if weight is None else [weight])]
            counted = engine.counts(
                [called[name] for name in quasi], sets=[called[name] for name in asked]
            )
        n = np.asarray(counted["n"].to_numpy(), np.int64)
        if weight is not None:
            times = [int(text) for text in counted[f"s{len(sets)}"].to_pylist()]
            n = n * np.array(times, np.int64)
        if not (n > 0).all():
            counted, n = counted.filter(n > 0), n[n > 0]
        found = [encoded(counted[f"q{j}"]) for j in range(len(quasi))]
        codes = np.zeros((len(n), 0), np.int32)
        if found:
            codes = np.stack([c for _, c in found], axis=1)
        first, into = distinct(codes, [len(values) for values, _ in found])
        within = [histogram(counted[f"s{i}"], n) for i in range(len(sets))]
        return cls(
            headers=headers,
            columns=columns,
            form=form,
            quasi=tuple(quasi),
            texts=tuple(
                tuple(form.all_meant(name, values))
                for name, (values, _) in zip(quasi, found, strict=True)
            ),
            codes=codes[first],
            n=n,
            into=into,
            sets={
                name: (form.all_meant(name, values), h)
                for name, (values, h) in zip(sets, within, strict=True)
            },
            null=frozenset(null),
        )

    @property
    def rows(self) -> int:
        """How many rows it has, or people where a column says how many a row stands for."""
        return int(self.n.sum())

    @property
    def size(self) -> int:
        """How many groups there are."""
        return len(self.codes)

    @cached_property
    def labels(self) -> tuple[NDArray[np.object_], ...]:
        """For each quasi-identifier, what each group has."""
        return tuple(
            np.array(values, object)[self.codes[:, j]] for j, values in enumerate(self.texts)
        )

    @cached_property
    def as_written(self) -> tuple[NDArray[np.object_], ...]:
        """The same, as it stands in the file."""
        written = self.form.written
        return tuple(
            np.array([written(value) for value in values], object)[self.codes[:, j]]
            for j, values in enumerate(self.texts)
        )

    def records(self, columns: Sequence[str], place: Ints | None = None) -> RecordKinds:
        """What columns that are not generalised say together, row by row.

        Args:
            columns: Which, of those counted within the groups.
            place: What each group is called; by default its own place.
        """
        group = self.into if place is None else place[self.into]
        codes = np.stack([self.sets[name][1].codes for name in columns], axis=1)
        # The engine's order differs from run to run, and what the ledger keeps must not.
        order = np.lexsort((*codes.T[::-1], group))
        return RecordKinds(
            tuple(columns),
            tuple(tuple(self.sets[name][0]) for name in columns),
            codes[order],
            group[order],
            self.n[order],
        )

    def values(self, column: str) -> list[Value]:
        """The values of a column, each once."""
        return list(dict.fromkeys(self._read_as(column)))

    def _read_as(self, column: str) -> list[Value]:
        return [None if value in self.null else value for value in self.sets[column][0]]

    def sizes(self) -> Groups:
        """The groups, with nothing but their sizes."""
        return self.grouped(Groups(self.n))

    def grouped(self, combinations: Groups) -> Groups:
        """The groups of the table, of what was counted for each combination."""
        merged = combinations.merge(self.into, self.size)
        return replace(merged, shown=ShownColumns(self.quasi, lambda: self.codes))

    def joint(self, columns: Sequence[str]) -> Groups:
        """The groups with the combinations of all other columns."""
        domain, h = joint_attribute([self.sets[name][1] for name in columns], self.n)
        return self.grouped(Groups(self.n, {ALL: h}, {ALL: domain}))

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
        return self.grouped(Groups(self.n, {column: h}, {column: domain}))

    def group(self, labels: Mapping[str, Value]) -> int | None:
        """The group that has these values in the file, if there is one."""
        if set(labels) != set(self.quasi):
            return None
        here = np.ones(self.size, np.bool_)
        for name, column in zip(self.quasi, self.as_written, strict=True):
            here &= column == labels[name]
        found = np.flatnonzero(here)
        return int(found[0]) if len(found) else None
