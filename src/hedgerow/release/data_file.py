"""From a recoding to a written file, and back: what the file's recipients can count."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.engines import open_engine
from hedgerow.engines.base import Engine, Table, TablePlace, Written
from hedgerow.engines.csv_lines import rerun, unrun
from hedgerow.engines.frequency_set import Held
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.table.cell_table import joint_attribute
from hedgerow.table.cells import Cells
from hedgerow.table.encoding import encoded, histogram
from hedgerow.table.groups import ALL, Groups, Histogram, Ints, Sensitive, Unseen
from hedgerow.table.hierarchy import ANY
from hedgerow.table.pack import distinct
from hedgerow.table.records import Records
from hedgerow.table.schema import Schema


class Measured(NamedTuple):
    """The groups of a release as its recipients count them."""

    groups: Groups
    on: str
    """What they were counted in."""
    labels: list[NDArray[np.object_]]
    """For each quasi-identifier, what the file has there for each group. Groups of an outside
    population that nobody published stands for come after these and have none."""
    records: Records | None = None
    """What its columns that are not generalised say together, by the groups of the recoding."""


def write_release(
    engine: Engine,
    schema: Schema,
    cells: Cells,
    recoding: Recoding,
    target: Path | TablePlace,
    *,
    held: Held | None = None,
    escape_formulas: bool = False,
) -> Written:
    """Write the recoded table to a CSV or Parquet file, or to a table where the source is.

    Args:
        engine: Holds the table.
        schema: Its columns.
        cells: The source, counted; or, with `held`, as a recipient sees it.
        recoding: What is applied to them.
        target: Where to write it.
        held: Has the recoding of the source's own tuples, where these did not come out.
        escape_formulas: As for `Engine.write`.
    """
    published = schema.published
    keep = _unchanged(recoding)
    kept = recoding.group != SUPPRESSED
    expect = int(recoding.people[kept].sum())
    counted = set(published) <= {*schema.quasi_identifiers, *schema.sensitive}
    if counted and isinstance(target, Path):
        return engine.write_counted(
            _counted(cells, recoding, published),
            target,
            columns=published,
            keep={*keep, *schema.sensitive},
            expect_rows=expect,
            escape_formulas=escape_formulas,
        )
    parts = held is None and by_part(cells, recoding)
    if parts and any(d.name == ALL or isinstance(d, Unseen) for d in cells.sensitive):
        raise PlanError(
            "claims about what a release does not show, or about all its columns together, cannot "
            "be kept by a method that separates equal tuples",
            fix="Search the lattice, or use local recoding or strict Mondrian.",
        )
    return engine.write(
        held or _mapping(cells, recoding, parts=parts),
        target,
        columns=published,
        quasi_identifiers=schema.quasi_identifiers,
        sensitive=schema.sensitive if parts or held else (),
        keep=keep,
        expect_people=expect,
        escape_formulas=escape_formulas,
    )


def measured_groups(
    schema: Schema,
    cells: Cells,
    recoding: Recoding,
    written: Written,
    *,
    escaped: bool = False,
    staged: Engine | None = None,
    records: bool = False,
) -> Measured:
    """The groups a recipient of the file sees, and how they were counted.

    Args:
        schema: The columns.
        cells: The source, counted.
        recoding: What was applied.
        written: The file, or the table.
        escaped: Whether formulas were escaped.
        staged: Reads what was written, where that is a table that nobody sees yet.
        records: Whether to read what columns that are not generalised say together, too. Where a
            person has several rows, they do not say it of people.
    """
    alone = written.path.suffix == ".csv" and len(schema.published) == 1
    text = written_text(escaped=escaped, alone=alone)
    names = schema.quasi_identifiers
    whole = records or any(d.name == ALL for d in cells.sensitive)
    sets = (*schema.sensitive, *schema.insensitive) if whole else schema.sensitive
    n, columns, found = _read(schema, written, names, sets, text, staged)
    codes = np.stack([c for _, c in columns], axis=1)
    first, into = distinct(codes, [len(values) for values, _ in columns])
    histograms, domains = {}, {}
    for domain in cells.sensitive:
        if isinstance(domain, Unseen):
            continue
        if domain.name == ALL:
            domain, h = joint_attribute([h for _, h in found], n)
        else:
            h = _as_counted(domain, *found[schema.sensitive.index(domain.name)], text)
        histograms[domain.name], domains[domain.name] = h, domain
    groups = Groups(n, histograms, domains).merge(into, len(first))
    labels = [np.array(values, object)[codes[first, j]] for j, (values, _) in enumerate(columns)]
    measured_on = "the written file" if isinstance(written.path, Path) else "the written table"
    if any(isinstance(domain, Unseen) for domain in cells.sensitive):
        groups = _with_facts(cells, recoding, groups, labels, text)
        measured_on += "; what it does not show, on the recoding that was applied"
    if cells.population is not None:
        groups = _with_population(cells, recoding, groups, labels, text)
    rows = None
    if records and len(sets) > 1:
        told = [([v and rerun(v) for v in values] if escaped else values, h) for values, h in found]
        rows = Records(
            sets,
            tuple(tuple(values) for values, _ in told),
            np.stack([h.codes for _, h in told], axis=1),
            _intended(recoding, labels, text)[into],
            n,
        )
    return Measured(groups, measured_on, labels, rows)


def _intended(recoding: Recoding, labels: list[NDArray[np.object_]], text: Text) -> Ints:
    """Which group of the recoding each group of the file is."""
    first, _ = recoding.seen
    names = [[text(label) for label in kind[first]] for kind in recoding.labels]
    place = {key: g for g, key in enumerate(zip(*names, strict=True))} if names else {(): 0}
    keys = list(zip(*labels, strict=True)) if labels else [()]
    if any(key not in place for key in keys):
        raise _altered()
    return np.array([place[key] for key in keys], np.int64)


Text = Callable[[str | None], str | None]
Column = tuple[list[str | None], NDArray[np.int32]]
Counted = tuple[Ints, list[Column], list[tuple[list[str | None], Histogram]]]
"""Of a file: the rows of each distinct tuple, its quasi-identifiers, its sensitive values."""


def written_text(*, escaped: bool, alone: bool) -> Text:
    """What a value is in the file: formulas escaped; missing is "" in a column that is alone."""

    def text(value: str | None) -> str | None:
        if value is None:
            return "" if alone else None
        return unrun(value) if escaped else value

    return text


def _read(
    schema: Schema,
    written: Written,
    names: Sequence[str],
    sets: Sequence[str],
    text: Text,
    staged: Engine | None,
) -> Counted:
    """Count what was written."""
    _places("the header", schema.published, text)
    with contextlib.ExitStack() as stack:
        if staged is None:
            # The separator is known; guessing it could be led astray by a column name.
            delimiter = "," if written.path.suffix == ".csv" else None
            staged = stack.enter_context(open_engine(written.path, delimiter=delimiter))
        counted = staged.counts(
            [str(text(name)) for name in names], sets=[str(text(name)) for name in sets]
        )
    n = np.asarray(counted["n"].to_numpy(), np.int64)
    columns = [encoded(counted[f"q{j}"]) for j in range(len(names))]
    return n, columns, [histogram(counted[f"s{i}"], n) for i in range(len(sets))]


def _altered() -> DataError:
    return DataError(
        "the written file does not hold the groups and values that were to be published",
        fix="Nothing was published. Has the source changed since it was counted?",
    )


def _with_facts(
    cells: Cells,
    recoding: Recoding,
    groups: Groups,
    labels: list[NDArray[np.object_]],
    text: Text,
) -> Groups:
    """Add what the file does not show, from the recoding; the file must hold its groups."""
    intended, (first, _) = recoding.groups(cells), recoding.seen
    names = [[text(label) for label in kind[first]] for kind in recoding.labels]
    place = {key: g for g, key in enumerate(zip(*names, strict=True)) if intended.n[g]}
    keys = list(zip(*labels, strict=True))
    if len(place) != len(keys) or any(key not in place for key in keys):
        raise _altered()
    mine = intended.take(np.array([place[key] for key in keys], np.int64))
    if not np.array_equal(mine.n, groups.n):
        raise _altered()
    for name, h in groups.histograms.items():
        width = len(groups.domains[name].values)
        both = zip(h.sorted(width), mine.histograms[name].sorted(width), strict=True)
        if name != ALL and not all(np.array_equal(a, b) for a, b in both):
            raise _altered()
    facts = {d.name: d for d in cells.sensitive if isinstance(d, Unseen)}
    return Groups(
        groups.n,
        {**groups.histograms, **{name: mine.histograms[name] for name in facts}},
        {**groups.domains, **facts},
        groups.population,
    )


def _places(name: str, values: Sequence[str | None], text: Text) -> dict[str | None, int]:
    """Written text -> which of the values it stands for."""
    place: dict[str | None, int] = {}
    for code, value in enumerate(values):
        first = place.setdefault(text(value), code)
        if first != code:
            raise DataError(
                f"{some([values[first], value])} would be written alike",
                where=name if name == "the header" else f"column {name!r}",
                fix="Correct one of them, or publish as parquet, without escape_formulas.",
            )
    return place


def _as_counted(
    domain: Sensitive, values: list[str | None], raw: Histogram, text: Text
) -> Histogram:
    """The histogram of the written values in the codes of the source's."""
    recode = _codes(domain.name, domain.values, values, text)
    return Histogram(raw.indptr, recode[raw.codes], raw.counts)


def _codes(
    name: str, known: Sequence[str | None], values: Sequence[str | None], text: Text
) -> NDArray[np.int32]:
    """Which of the known values each written one stands for."""
    place = _places(name, known, text)
    if changed := [value for value in values if value not in place]:
        raise DataError(
            f"{some(changed)} in the written file are no values of the source",
            where=f"column {name!r}",
            fix="The file's format cannot hold this column as it is: publish csv, or make the "
            "column text.",
        )
    return np.array([place[value] for value in values], np.int32)


def _with_population(
    cells: Cells,
    recoding: Recoding,
    groups: Groups,
    labels: list[NDArray[np.object_]],
    text: Text,
) -> Groups:
    """Add to each published group the population it stands for, and the groups left out."""
    assert recoding.levels is not None, "population claims are made on full-domain recodings"
    lattice = Lattice.of(cells, {name: (level, level) for name, level in recoding.levels.items()})
    node = lattice.base
    codes = lattice.layout.unpack(node.words)
    names = [
        np.array([text(label) for label in h.labels[level]], object)[codes[:, j]]
        for j, (h, level) in enumerate(zip(cells.hierarchies, lattice.bottom, strict=True))
    ]
    place = {key: g for g, key in enumerate(zip(*labels, strict=True))}
    into = np.array([place.get(key, -1) for key in zip(*names, strict=True)], np.int64)
    rest = place.get((ANY,) * len(labels))
    if rest is not None and not recoding.suppressed:
        # Those who would have been left out stand in the group that says nothing.
        into[(into < 0) & (node.groups.n > 0)] = rest
    unseen = np.flatnonzero(into < 0)
    into[unseen] = len(groups) + np.arange(len(unseen))
    assert node.groups.population is not None
    size = len(groups) + len(unseen)
    population = np.bincount(into, weights=node.groups.population, minlength=size).astype(np.int64)
    wider = groups.merge(np.arange(len(groups)), size)
    return Groups(wider.n, wider.histograms, wider.domains, population)


def by_part(cells: Cells, recoding: Recoding) -> bool:
    """Whether people with equal quasi-identifiers are told apart, so that tuples do not do."""
    _, of_cell = cells.tuples
    group = np.full(int(of_cell.max(initial=-1)) + 1, SUPPRESSED, np.int64)
    group[of_cell[recoding.cell]] = recoding.group
    return bool((group[of_cell[recoding.cell]] != recoding.group).any())


def _unchanged(recoding: Recoding) -> set[str]:
    """Columns published as they are, for everybody."""
    if recoding.levels is None:
        return set()
    return {
        name
        for j, (name, level) in enumerate(recoding.levels.items())
        if level == 0 and not recoding.spans.rung[:, j].any()
    }


def _counted(cells: Cells, recoding: Recoding, published: tuple[str, ...]) -> Table:
    """The published tuples with their number of rows, a line a part."""
    kept = recoding.group != SUPPRESSED
    cell, group = recoding.cell[kept], recoding.group[kept]
    columns = {h.name: _named(recoding.labels[j], group) for j, h in enumerate(cells.hierarchies)}
    for domain, h in zip(cells.sensitive, cells.values, strict=True):
        columns[domain.name] = _named(domain.values, h.codes[h.indptr[cell]])
    arrays = [columns[name] for name in published]
    rows = pa.array(recoding.people[kept], pa.int64())
    return pa.table([*arrays, rows], names=[*(f"c{i}" for i in range(len(arrays))), "rows"])


def _mapping(cells: Cells, recoding: Recoding, *, parts: bool) -> Table:
    """From raw tuples (and, for separating methods, sensitive values and ranks) to labels."""
    kept = np.flatnonzero(recoding.group != SUPPRESSED)
    tuples, of_cell = cells.tuples
    if parts:
        rank = recoding.rank
        lines = kept
    else:
        _, first = np.unique(of_cell[recoding.cell[kept]], return_index=True)
        lines = kept[first]
    cell, group = recoding.cell[lines], recoding.group[lines]
    columns: dict[str, Any] = {}
    for j, h in enumerate(cells.hierarchies):
        columns[f"q{j}"] = _taken(h.values, tuples[of_cell[cell], j])
        columns[f"p{j}"] = _taken(recoding.labels[j], group)
    if parts:
        for i, (domain, found) in enumerate(zip(cells.sensitive, cells.values, strict=True)):
            columns[f"s{i}"] = _taken(domain.values, found.take(cell).codes)
        columns["lo"] = pa.array(rank[lines], pa.int64())
        columns["hi"] = pa.array(rank[lines] + recoding.people[lines], pa.int64())
    return pa.table(columns)


def _named(values: Any, index: Any) -> Any:
    """The same as `_taken`, in less room: each text once."""
    texts = pa.array(list(values), pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(index, pa.int32()), texts)


def _taken(values: Any, index: Any) -> Any:
    return pa.array(list(values), pa.string()).take(pa.array(index))
