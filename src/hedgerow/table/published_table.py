"""Published: a release as an attacker holds it, made by whatever tool."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, nearest, some
from hedgerow.base.spelling import folded, reading
from hedgerow.engines import Engine, TablePlace, open_engine, open_table, table_place
from hedgerow.engines.csv_lines import rerun
from hedgerow.table.certificate_file import RANDOMISED, SAFE, read_certificate
from hedgerow.table.encoding import encoded, histogram
from hedgerow.table.groups import PEOPLE, Groups, Histogram, Ints, Sensitive
from hedgerow.table.hierarchy_builders import Spec
from hedgerow.table.labels import Taxonomy, Value
from hedgerow.table.pack import distinct
from hedgerow.table.person_keys import question, repeated
from hedgerow.table.records import Records
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    pass

Codes = NDArray[np.int32]
ANY = "*"
"""What a value that was left out stands for."""
SYNTHETIC = "synthetic"
"""How rows are made that are nobody's: from counts with noise."""
SAMPLE = "safe"
"""How rows of a random sample are made."""
COUNTS = ("count", "counts", "freq", "frequency")
"""Columns of other tools that say how many people a row stands for."""


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
    records: Records | None = None
    """Its columns that are not generalised, row by row, where somebody asked for them."""
    weighted: str | None = None
    """The column that says how many people each row of another tool's table stands for."""
    unit: str = PEOPLE
    """What its records are: people, or rows where the certificate says that some have several."""
    not_people: str | None = None
    """Why rows of another tool's table may not be people, where a person ID repeats in it."""

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
        file, roles, kind, escaped, differ, unit = _opened(source, every_kind)
        differ = dict(differing or differ)
        delimiter = "," if kind is not None else None
        with open_engine(file, delimiter=delimiter) as engine:
            names = {rerun(c) if escaped else c: c for c in engine.columns()}
            columns = list(names)
            sensitive = _chosen(sensitive, roles, "sensitive", columns, str(file))
            none = every_kind and (quasi is not None if not roles else True)
            if not sensitive and not none:
                raise DataError(
                    "nothing says which columns of the release are sensitive",
                    where=_shown(source),
                    fix=f"Name them; it has {some(columns)}. Where none is, name the "
                    "quasi-identifiers."
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
            quasi = _chosen(quasi, roles, "quasi-identifier", columns, str(file))
            shown = [*sensitive]
            if records:
                shown += _chosen(None, roles, "insensitive", columns, str(file))
            if records and kind is None and not roles:  # other tools do not say: shown as it is
                shown += [c for c in columns if c not in (*shown, *quasi, weighted)]
            sets = [*shown, *([] if weighted is None else [weighted])]
            counted = engine.counts([names[c] for c in quasi], sets=[names[c] for c in sets])
        n = np.asarray(counted["n"].to_numpy(), np.int64)
        if weighted is not None:
            times = [int(text) for text in counted[f"s{len(shown)}"].to_pylist()]
            n = n * np.array(times, np.int64)
            counted, n = counted.filter(n > 0), n[n > 0]
        if not len(n):
            raise DataError("the release has no records", where=_shown(source))
        texts = [encoded(counted[f"q{j}"]) for j in range(len(quasi))]
        if escaped:
            texts = [([v and rerun(v) for v in values], found) for values, found in texts]
        labels, blank = [tuple(values) for values, _ in texts], []
        for j, column in enumerate(quasi):
            if kind is None and any(map(_suppressed, labels[j])):
                labels[j] = tuple(ANY if _suppressed(label) else label for label in labels[j])
                blank.append(column)
        codes = (
            np.stack([c for _, c in texts], axis=1) if texts else np.zeros((len(n), 0), np.int32)
        )
        first, into = distinct(codes, [len(values) for values, _ in texts])
        histograms: dict[str, Histogram] = {}
        domains: dict[str, Sensitive] = {}
        for i, column in enumerate(sensitive):
            raw, h = histogram(counted[f"s{i}"], n)
            texts_of = [v and rerun(v) for v in raw] if escaped else raw
            values, h = _folded(texts_of, h, differ.get(column, ()))
            reference = np.bincount(h.codes, weights=h.counts, minlength=len(values))
            domains[column] = Sensitive(
                column, tuple(values), reference.astype(np.int64), int(n.sum())
            )
            histograms[column] = h
        merged = Groups(n, histograms, domains).merge(into, len(first))
        # The engine's order differs from run to run; guesses and examples must not.
        order = np.lexsort(codes[first].T[::-1]) if texts else np.arange(len(first))
        groups = merged.take(order)
        groups = replace(groups, histograms={c: _by_value(h) for c, h in groups.histograms.items()})
        rows = None
        if records and len(shown) > 1:
            told = [encoded(counted[f"s{i}"]) for i in range(len(shown))]
            if escaped:
                told = [([v and rerun(v) for v in values], found) for values, found in told]
            rows = Records(
                tuple(shown),
                tuple(tuple(values) for values, _ in told),
                np.stack([c for _, c in told], axis=1),
                np.argsort(order)[into],
                n,
            )
        return cls(
            name or _shown(source),
            tuple(quasi),
            tuple(labels),
            codes[first][order],
            groups,
            located or ("nearest" if kind == "microaggregation" else "box"),
            dict(taxonomies or {}),
            kind,
            tuple(blank),
            {column: tuple(sorted(texts)) for column, texts in differ.items() if texts},
            rows,
            weighted,
            unit,
            not_people,
        )

    def as_read(self) -> Published:
        """The same with sensitive values that may be taken for one as one, unless they differ."""
        histograms, domains = {}, {}
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
        return replace(self, groups=replace(self.groups, histograms=histograms, domains=domains))

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
        found = []
        if self.not_people is not None:
            found.append(f"In {self.name} each row was taken for a person, but {self.not_people}.")
        if self.weighted is not None:
            found.append(
                f"Each row of {self.name} was taken for as many people as its {self.weighted!r} "
                f"says. If {self.weighted!r} is about each person, say --quasi {self.weighted}."
            )
        return tuple(found)

    def described(self, group: int) -> str:
        """A group's published quasi-identifiers, in words."""
        told = [
            f"{name} {'missing' if (v := values[code]) is None else v}"
            for name, values, code in zip(self.quasi, self.labels, self.codes[group], strict=True)
        ]
        return f"({', '.join(told)})"


@dataclass(frozen=True, eq=False)
class Targets:
    """People somebody looks for, and what is known of them."""

    columns: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    """For each column, the different values."""
    codes: Codes
    """For each person and column, which of them."""

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, known: Mapping[str, Sequence[Value]]) -> Targets:
        """From columns: {"age": ["28"], "zip": ["13012"]} is one person."""
        lengths = {len(column) for column in known.values()}
        if len(lengths) != 1:
            raise DataError("what is known of the targets has columns of different lengths")
        values, codes = [], []
        for column in known.values():
            texts = [None if value is None else str(value) for value in column]
            place = {value: i for i, value in enumerate(dict.fromkeys(texts))}
            values.append(tuple(place))
            codes.append(np.array([place[value] for value in texts], np.int32))
        return cls(tuple(known), tuple(values), np.stack(codes, axis=1))

    @classmethod
    def read(
        cls, source: Any, *, columns: Sequence[str] | None = None, null: Sequence[str] = ()
    ) -> Targets:
        """From a file or a table, a row a person; these columns, or all.

        Args:
            source: What `open_engine` reads.
            columns: Which; all if left out.
            null: Texts that mean missing.
        """
        with open_engine(source, null=null) as engine:
            return cls.counted_by(engine, list(columns or engine.columns()))

    @classmethod
    def counted_by(cls, engine: Engine, names: list[str]) -> Targets:
        """From the rows of an engine."""
        table = engine.rows(names, max(1, engine.rows_total()))
        found = [encoded(table[name]) for name in names]
        return cls(
            tuple(names),
            tuple(tuple(values) for values, _ in found),
            np.stack([codes for _, codes in found], axis=1),
        )

    def column(self, name: str) -> list[Value]:
        """What is known in one column, person by person."""
        place = self.columns.index(name)
        values = self.values[place]
        return [values[code] for code in self.codes[:, place]]

    def described(self, person: int) -> str:
        """What is known of one person, in words.

        >>> Targets.of({"name": ["Al", "Joe"], "age": ["28", None]}).described(1)
        'The person with name Joe, age missing'
        """
        known = [
            f"{name} {'missing' if (v := values[code]) is None else v}"
            for name, values, code in zip(
                self.columns, self.values, self.codes[person], strict=True
            )
        ]
        return f"The person with {', '.join(known)}"

    def take(self, chosen: Ints | NDArray[np.bool_]) -> Targets:
        return Targets(self.columns, self.values, self.codes[chosen])


def has_certificate(source: Any) -> bool:
    """Whether it is a folder, or a table with a certificate: it says of itself how it was made."""
    if (place := table_place(source)) is not None:
        with open_table(place) as engine:
            return engine.certificate() is not None
    return isinstance(source, str | os.PathLike) and Path(source).is_dir()


def says_roles(source: Any) -> bool:
    """Whether it has a certificate that says what each column is."""
    return bool(_opened(source, every_kind=True)[1])


def columns_of(source: Any) -> list[str]:
    """The columns of a release."""
    file, _, kind, *_ = _opened(source, every_kind=True)
    with open_engine(file, delimiter="," if kind is not None else None) as engine:
        return list(engine.columns())


Opened = tuple[Any, dict[str, str], str | None, bool, dict[str, Collection[str]], str]


def _opened(source: Any, every_kind: bool = False) -> Opened:
    """The data; and from a certificate roles, kind, escaping, what differs, what was counted."""
    place = table_place(source)
    path = Path(source) if place is None and isinstance(source, str | os.PathLike) else None
    if not has_certificate(source):
        return place or path or source, {}, None, False, {}, PEOPLE
    release = place or path
    assert release is not None, "it has a certificate"
    certificate = read_certificate(release, randomised=every_kind)
    if certificate["format"].startswith((RANDOMISED, SAFE)):
        safe = certificate["format"].startswith(SAFE)
        if certificate["data"] is None:
            read_certificate(release)  # which says that there are no records
        file = certificate["data"]["file"]
        known = certificate["data"]["columns"] if safe else ()
        return (
            release / file if isinstance(release, Path) else release,
            dict.fromkeys(known, "quasi-identifier"),
            SAMPLE if safe else SYNTHETIC,
            bool(certificate["software"]["configured"]["escape_formulas"]),
            {},
            PEOPLE,
        )
    plan, kind = certificate.get("plan", {}), certificate["recoding"]["kind"]
    file = release / certificate["data"]["file"] if isinstance(release, Path) else release
    differ: dict[str, Collection[str]] = {
        column: {text for texts in told["distinct"] for text in texts if text is not None}
        for column, told in certificate.get("spellings", {}).items()
    }
    unit = str(certificate.get("people", {}).get("unit", PEOPLE))
    roles = dict(plan.get("columns", {}))
    return file, roles, kind, bool(plan.get("escape_formulas")), differ, unit


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


def _folded(
    values: list[Value], found: Histogram, distinct: Collection[str] = ()
) -> tuple[list[Value], Histogram]:
    """Values that may be taken for one as one, but for those that differ."""
    named, into = folded(values, distinct)
    if len(named) == len(values):
        return values, found
    codes = np.array(into, np.int32)[found.codes]
    # Nobody has a value twice for having it in two spellings.
    _, first = np.unique(found.owner() * len(named) + codes, return_index=True)
    first.sort()
    indptr = np.searchsorted(first, found.indptr)
    return named, Histogram(indptr.astype(np.int64), codes[first], found.counts[first])


def _by_value(found: Histogram) -> Histogram:
    """The same, each group's entries in the order of the values."""
    order = np.lexsort((found.codes, found.owner()))
    return Histogram(found.indptr, found.codes[order], found.counts[order])


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
