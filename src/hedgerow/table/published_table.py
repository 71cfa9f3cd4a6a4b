"""Published: a release as an attacker holds it, made by whatever tool."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, nearest, some
from hedgerow.base.spelling import reading
from hedgerow.base.spelling_classes import classes, folded
from hedgerow.engines import TablePlace, open_engine
from hedgerow.table.column_codings import Codings, aggregates, taken_for_true
from hedgerow.table.contents import Contents
from hedgerow.table.encoding import encoded
from hedgerow.table.groups import PEOPLE, Groups, Histogram, Sensitive
from hedgerow.table.hierarchy_builders import Spec
from hedgerow.table.labels import Taxonomy, Value
from hedgerow.table.pack import distinct
from hedgerow.table.person_keys import question, repeated
from hedgerow.table.records import RecordKinds
from hedgerow.table.release_source import ReleaseSource
from hedgerow.table.schema import Role

Codes = NDArray[np.int32]
ANY = "*"
"""What a value that was left out stands for."""
COUNTS = ("count", "counts", "freq", "frequency")
"""Columns of other tools that say how many people a row stands for."""


def in_full(label: Value) -> str:
    """A published value in words."""
    return "missing" if label is None else label


@dataclass(frozen=True, eq=False)
class Published:
    """Records by group: published quasi-identifiers, and their sensitive values."""

    name: str
    quasi: tuple[str, ...]
    labels: tuple[tuple[Value, ...], ...]
    """For each quasi-identifier, the different published values."""
    codes: Codes
    """For each group and quasi-identifier, which of them."""
    groups: Groups
    """Records of each group, and its sensitive values."""
    located: Literal["box", "nearest"] = "box"
    """Whether people are where their values fit, or (centroids) where they are nearest."""
    taxonomies: Mapping[str, Taxonomy] = field(default_factory=dict)
    made: str | None = None
    """How, where the certificate says: full-domain, mondrian, ..."""
    blank: tuple[str, ...] = ()
    """Quasi-identifiers where another tool left values out: they are read as any value."""
    distinct: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sensitive column -> values that differ from all others, whatever they look like."""
    records: RecordKinds | None = None
    """Its columns that are not generalised, row by row, where somebody asked for them."""
    alike: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """Column -> values in it that may be taken for one and for several, as they are spelled; of
    columns that have such."""
    weighted: str | None = None
    """The column that says how many people each row of another tool's table stands for."""
    unit: str = PEOPLE
    """What its records are: people, or rows where the certificate says that some have several."""
    not_people: str | None = None
    """Why rows of another tool's table may not be people, where a person ID repeats in it."""
    codings: Codings = field(default_factory=dict)
    """Columns whose values are not people's own, where the certificate says so."""

    @property
    def sensitive(self) -> tuple[str, ...]:
        return tuple(self.groups.histograms)

    def __len__(self) -> int:
        return len(self.groups)

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        sensitive: Sequence[str] | None = None,
        quasi: Sequence[str] | None = None,
        taxonomies: Mapping[str, Taxonomy] | None = None,
        located: Literal["box", "nearest"] | None = None,
        name: str | None = None,
        differing: Mapping[str, Collection[str]] | None = None,
        records: bool = False,
        every_kind: bool = False,
    ) -> Published:
        """Read a release.

        Sensitive values that may be taken for one (`1` and `1.0`, `flu` and `FLU.`) are one, unless
        the certificate says that they differ. A
        quasi-identifier that is missing is a value of its own in a release with a certificate;
        other tools suppress values by leaving them out, so there it may be any.

        Args:
            source: Folder of a release with its certificate, a table of a database or a cluster
                (postgresql://…::schema.table, spark://…::table) with or without one, a CSV or
                Parquet file made by any tool, or a pyarrow, pandas or polars table.
            sensitive: Its sensitive columns; those of the certificate if left out.
            quasi: Its quasi-identifiers; if left out those of the certificate, or all columns
                that are not sensitive.
            taxonomies: Column -> node -> values below, where labels are nodes.
            located: See the field; by default as the certificate says, else by box.
            name: For messages; by default the file's or folder's.
            differing: Sensitive column -> values that differ from all others, whatever they look
                like; by default as the certificate says.
            records: Whether to read what its columns that are not generalised say together; of
                another tool's release, those that are not said to be quasi-identifiers.
            every_kind: Whether releases without a sensitive column, of a sample and of made-up
                rows are read as well: nothing can be intersected with them.

        Raises:
            DataError: There is no such column, or nothing says which are sensitive.
        """
        told = ReleaseSource.of(source, every_kind=every_kind)
        roles, kind = told.roles, told.kind
        # Nobody's own values: no column for attackers to read anything off.
        roles = {name: role for name, role in roles.items() if name not in aggregates(told.codings)}
        with open_engine(told.rows, delimiter=told.form.delimiter) as engine:
            columns = told.form.all_columns(engine.columns())
            sensitive = _chosen(sensitive, roles, "sensitive", columns, str(told.rows))
            none = every_kind and (quasi is not None if not roles else True)
            if not sensitive and not none:
                raise DataError(
                    "nothing says which columns of the release are sensitive",
                    where=_shown(source),
                    fix=f"Name them, such as `--sensitive {columns[-1]}`; it has {some(columns)}. "
                    "Where none is, name the quasi-identifiers."
                    if kind is None
                    else "Give the plan it was made with, which says what each column is.",
                )
            weighted = not_people = None
            if not roles:
                if kind is None:
                    roles_of = dict.fromkeys(engine.columns(), Role.INSENSITIVE)
                    for key in repeated(engine, roles_of, names=False).keys:
                        not_people = question(key)
                    weighted = _counting(engine, [*sensitive, *(quasi or ())])
                quasi = [
                    column
                    for column in (columns if quasi is None else quasi)
                    if column not in (*sensitive, weighted)
                ]
            quasi = _chosen(quasi, roles, "quasi-identifier", columns, str(told.rows))
            shown = [*sensitive]
            if records:
                shown += _chosen(None, roles, "insensitive", columns, str(told.rows))
            if records and kind is None and not roles:  # other tools do not say: shown as it is
                shown += [c for c in columns if c not in (*shown, *quasi, weighted)]
            contents = Contents.read(
                told.rows, quasi=quasi, sets=shown, form=told.form, weight=weighted, engine=engine
            )
        if not contents.rows:
            raise DataError("the release has no records", where=_shown(source))
        found = cls.of(
            contents,
            name=name or _shown(source),
            sensitive=sensitive,
            records=shown if records else (),
            located=located or ("nearest" if kind == "microaggregation" else "box"),
            taxonomies=taxonomies,
            made=kind,
            distinct=dict(differing or told.distinct),
        )
        labels, blank = list(found.labels), []
        for j, column in enumerate(found.quasi):
            if kind is None and any(map(_suppressed, labels[j])):
                labels[j] = tuple(ANY if _suppressed(label) else label for label in labels[j])
                blank.append(column)
        return replace(
            found.as_read(),
            labels=tuple(labels),
            blank=tuple(blank),
            weighted=weighted,
            unit=told.unit,
            not_people=not_people,
            codings=told.codings,
        )

    @classmethod
    def of(
        cls,
        contents: Contents,
        *,
        name: str,
        sensitive: Sequence[str],
        records: Sequence[str] = (),
        located: Literal["box", "nearest"] = "box",
        taxonomies: Mapping[str, Taxonomy] | None = None,
        made: str | None = None,
        distinct: Mapping[str, Collection[str]] | None = None,
    ) -> Published:
        """What was read of a release, each value as it is spelled.

        Groups are in the order of their labels: the engine's differs from run to run, and guesses
        and examples must not.

        Args:
            contents: What was read.
            name: For messages.
            sensitive: Its sensitive columns.
            records: Columns to keep together, row by row.
            located: See the field.
            taxonomies: Column -> node -> values below, where labels are nodes.
            made: How.
            distinct: Sensitive column -> values that differ from all others.
        """
        histograms: dict[str, Histogram] = {}
        domains: dict[str, Sensitive] = {}
        for column in sensitive:
            values, h = contents.sets[column]
            reference = np.bincount(h.codes, weights=h.counts, minlength=len(values))
            domains[column] = Sensitive(
                column, tuple(values), reference.astype(np.int64), contents.rows
            )
            histograms[column] = h
        merged = Groups(contents.n, histograms, domains).merge(contents.into, contents.size)
        order = np.arange(contents.size)
        if contents.quasi:
            order = np.lexsort(contents.codes.T[::-1])
        groups = merged.take(order)
        groups = replace(groups, histograms={c: h.by_value for c, h in groups.histograms.items()})
        together = contents.records(records, np.argsort(order)) if len(records) > 1 else None
        return cls(
            name,
            contents.quasi,
            contents.texts,
            contents.codes[order],
            groups,
            located,
            dict(taxonomies or {}),
            made,
            distinct={c: tuple(sorted(texts)) for c, texts in (distinct or {}).items() if texts},
            records=together,
        )

    def as_read(self) -> Published:
        """The same with sensitive values that may be taken for one as one, unless they differ."""
        histograms, domains = {}, {}
        texts = {column: domain.values for column, domain in self.groups.domains.items()}
        if self.records is not None:
            texts |= dict(zip(self.records.columns, self.records.values, strict=True))
        alike = {c: several[0] for c, values in texts.items() if (several := classes(values))}
        for column, h in self.groups.histograms.items():
            found = self.groups.domains[column]
            values, merged = list(found.values), h
            named, into = folded(values, self.distinct.get(column, ()))
            if len(named) < len(values):
                values, merged = named, h.merged(np.array(into, np.int32), len(named))
            reference = np.bincount(merged.codes, weights=merged.counts, minlength=len(values))
            histograms[column] = merged
            domains[column] = Sensitive(
                column, tuple(values), reference.astype(np.int64), found.people
            )
        groups = replace(self.groups, histograms=histograms, domains=domains)
        return replace(self, groups=groups, alike=alike)

    def with_taxonomy(self, column: str, spec: Spec) -> Published:
        """The same, with what the values of a sensitive column have in common."""
        if column not in self.sensitive:
            return self
        domain = self.groups.domains[column]
        hierarchy = spec.bind(column, domain.values)
        place = hierarchy.encode(list(domain.values))
        known = replace(
            domain,
            levels=tuple(level[place] for level in hierarchy.codes),
            labels=tuple(tuple(labels) for labels in hierarchy.labels),
        )
        groups = replace(self.groups, domains={**self.groups.domains, column: known})
        return replace(self, groups=groups)

    @property
    def numbering(self) -> tuple[str, ...]:
        """Quasi-identifiers in which every record is different, as row numbers are."""
        if len(self) < 2 or (self.groups.n != 1).any():
            return ()
        return tuple(
            name
            for j, name in enumerate(self.quasi)
            if len(np.unique(self.codes[:, j])) == len(self)
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """How the release was read, where that is not plain."""
        found = taken_for_true(self.name, self.codings)
        if self.not_people is not None:
            found.append(f"In {self.name} each row was taken for a person, but {self.not_people}.")
        if self.weighted is not None:
            found.append(
                f"Each row of {self.name} was taken for as many people as its {self.weighted!r} "
                f"says. If {self.weighted!r} is about each person, say --quasi {self.weighted}."
            )
        return tuple(found)

    def described(self, group: int, *, told: Callable[[Value], str] = in_full) -> str:
        """A group's published quasi-identifiers, in words; a `*` says nothing and is not named."""
        parts = []
        for name, values, code in zip(self.quasi, self.labels, self.codes[group], strict=True):
            if values[code] != ANY:
                value = told(values[code])
                # Labels of a code system begin with its name: "PLZ 10" of the column PLZ.
                parts.append(value if value.startswith(f"{name} ") else f"{name} {value}")
        return f"({', '.join(parts) or 'anybody'})"


def says_roles(source: Any) -> bool:
    """Whether it has a certificate that says what each column is."""
    return bool(ReleaseSource.of(source, every_kind=True).roles)


def columns_of(source: Any) -> list[str]:
    """The columns of a release."""
    return ReleaseSource.of(source, every_kind=True).columns()


def _suppressed(label: Value) -> bool:
    """Whether another tool left the value out."""
    return reading(label) is None


def _counting(engine: Any, named: Sequence[str]) -> str | None:
    """The column of a table of another tool that counts people, if there is one.

    It is called so, nobody says what it is, all of it are whole numbers, and no combination of
    the other columns occurs twice: rows that repeat are people.
    """
    columns = engine.columns()
    for name in columns:
        if name.lower() not in COUNTS or name in named:
            continue
        found = engine.counts([c for c in columns if c != name], sets=[name])
        times = found["s0"].to_pylist()
        if all(text is not None and re.fullmatch("[0-9]{1,12}", text) for text in times):
            texts = [encoded(found[f"q{j}"]) for j in range(len(columns) - 1)]
            codes = np.stack([c for _, c in texts], axis=1)
            first, _ = distinct(codes, [len(values) for values, _ in texts])
            if len(first) == len(times) == int(np.sum(found["n"].to_numpy())):
                return str(name)
    return None


def _chosen(
    given: Sequence[str] | None,
    roles: Mapping[str, str],
    role: str,
    columns: Sequence[str],
    where: str,
) -> list[str]:
    if given is None:
        return [column for column in columns if roles.get(column) == role]
    for name in given:
        if name not in columns:
            near = nearest(name, columns)
            raise DataError(
                f"there is no column {name!r}",
                where=where,
                fix=f"Did you mean {near!r}?" if near else f"It has {some(columns)}.",
            )
    return list(given)


def _shown(source: Any) -> str:
    named = isinstance(source, str | os.PathLike | TablePlace)
    return str(source) if named else "the table"
