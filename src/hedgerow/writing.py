"""From a recoding to a written file, and back: what the file's recipients can count."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.encoding import encoded, histogram
from hedgerow.engines import open_engine
from hedgerow.engines.base import Engine, Table, Written
from hedgerow.engines.csvlines import FORMULA, NUMBER
from hedgerow.errors import DataError, PlanError, some
from hedgerow.groups import ALL, Groups, Histogram, Ints, Sensitive
from hedgerow.hierarchy import ANY
from hedgerow.recode.cells import Cells
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.pack import distinct
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.schema import Schema
from hedgerow.table import joint_attribute


def write_release(
    engine: Engine,
    schema: Schema,
    cells: Cells,
    recoding: Recoding,
    target: Path,
    *,
    escape_formulas: bool = False,
) -> Written:
    """Write the recoded table to a CSV or Parquet file."""
    published = schema.published
    keep = _unchanged(recoding)
    kept = recoding.group != SUPPRESSED
    expect = int(recoding.people[kept].sum())
    if schema.person is None and set(published) <= {*schema.quasi_identifiers, *schema.sensitive}:
        return engine.write_counted(
            _counted(cells, recoding, published),
            target,
            columns=published,
            keep={*keep, *schema.sensitive},
            expect_rows=expect,
            escape_formulas=escape_formulas,
        )
    parts = by_part(cells, recoding)
    if parts and any(d.name == ALL for d in cells.sensitive):
        raise PlanError(
            "k-anonymity over all columns cannot be kept by a method that separates equal tuples",
            fix="Search the lattice, or use local recoding or strict Mondrian.",
        )
    return engine.write(
        _mapping(cells, recoding, parts=parts, lists=schema.person is not None),
        target,
        columns=published,
        quasi_identifiers=schema.quasi_identifiers,
        sensitive=schema.sensitive if parts else (),
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
) -> tuple[Groups, str]:
    """The groups a recipient of the file sees, and how they were counted.

    People are counted in the written file. Where one person has several rows that cannot be
    done, as the file does not say whose rows they are: then they are counted in the recoding
    that was applied.
    """
    text = _escaped if escaped else _as_it_is
    if schema.person is not None:
        for domain in cells.sensitive:
            _places(domain.name, domain.values, text)
        for name, published in zip(schema.quasi_identifiers, recoding.labels, strict=True):
            _places(name, list(dict.fromkeys(published)), text)
        return recoding.groups(cells), "the recoding that was applied"
    names = schema.quasi_identifiers
    joint = any(d.name == ALL for d in cells.sensitive)
    sets = (*schema.sensitive, *schema.insensitive) if joint else schema.sensitive
    # The separator is known; guessing it could be led astray by a column name.
    delimiter = "," if written.path.suffix == ".csv" else None
    with open_engine(written.path, delimiter=delimiter) as file:
        counted = file.counts(names, sets=sets)
    n = np.asarray(counted["n"].to_numpy(), np.int64)
    columns = [encoded(counted[f"q{j}"]) for j in range(len(names))]
    codes = np.stack([c for _, c in columns], axis=1)
    first, into = distinct(codes, [len(values) for values, _ in columns])
    found = [histogram(counted[f"s{i}"], n) for i in range(len(sets))]
    histograms, domains = {}, {}
    for domain in cells.sensitive:
        if domain.name == ALL:
            domain, h = joint_attribute([h for _, h in found], n)
        else:
            h = _as_counted(domain, *found[schema.sensitive.index(domain.name)], text)
        histograms[domain.name], domains[domain.name] = h, domain
    groups = Groups(n, histograms, domains).merge(into, len(first))
    if cells.population is not None:
        labels = [
            np.array(values, object)[codes[first, j]] for j, (values, _) in enumerate(columns)
        ]
        groups = _with_population(cells, recoding, groups, labels, text)
    return groups, "the written file"


Text = Callable[[str | None], str | None]
_FORMULA, _NUMBER = re.compile(FORMULA), re.compile(NUMBER)


def _as_it_is(value: str | None) -> str | None:
    return value


def _escaped(value: str | None) -> str | None:
    """The text as it stands in a file whose formulas are escaped (see `csvlines.escaped`)."""
    runs = value is not None and _FORMULA.match(value) and not _NUMBER.fullmatch(value)
    return f"'{value}" if runs else value


def _places(name: str, values: Sequence[str | None], text: Text) -> dict[str | None, int]:
    """Written text -> which of the values it stands for."""
    place: dict[str | None, int] = {}
    for code, value in enumerate(values):
        first = place.setdefault(text(value), code)
        if first != code:
            raise DataError(
                f"{some([values[first], value])} would be written alike once formulas are escaped",
                where=f"column {name!r}",
                fix="Correct one of the values, or publish without escape_formulas.",
            )
    return place


def _as_counted(
    domain: Sensitive, values: list[str | None], raw: Histogram, text: Text
) -> Histogram:
    """The histogram of the written values in the codes of the source's."""
    place = _places(domain.name, domain.values, text)
    if changed := [value for value in values if value not in place]:
        raise DataError(
            f"{some(changed)} in the written file are no values of the source",
            where=f"column {domain.name!r}",
            fix="The file's format cannot hold this column as it is: publish csv, or make the "
            "column text.",
        )
    recode = np.array([place[value] for value in values], np.int32)
    return Histogram(raw.indptr, recode[raw.codes], raw.counts)


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
    columns = {h.name: _taken(recoding.labels[j], group) for j, h in enumerate(cells.hierarchies)}
    for domain, h in zip(cells.sensitive, cells.values, strict=True):
        columns[domain.name] = _taken(domain.values, h.codes[h.indptr[cell]])
    arrays = [columns[name] for name in published]
    rows = pa.array(recoding.people[kept], pa.int64())
    return pa.table([*arrays, rows], names=[*(f"c{i}" for i in range(len(arrays))), "rows"])


def _mapping(cells: Cells, recoding: Recoding, *, parts: bool, lists: bool) -> Table:
    """From raw tuples (and, for separating methods, sensitive values and ranks) to labels."""
    kept = np.flatnonzero(recoding.group != SUPPRESSED)
    tuples, of_cell = cells.tuples
    if parts:
        rank = _ranks(recoding)
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
            part = found.take(cell)
            values = _taken(domain.values, part.codes)
            columns[f"s{i}"] = (
                pa.ListArray.from_arrays(pa.array(part.indptr, pa.int32()), values)
                if lists
                else values
            )
        columns["lo"] = pa.array(rank[lines], pa.int64())
        columns["hi"] = pa.array(rank[lines] + recoding.people[lines], pa.int64())
    return pa.table(columns)


def _ranks(recoding: Recoding) -> Ints:
    """Where in its cell each part begins; the parts of a cell stand together."""
    before = np.cumsum(recoding.people) - recoding.people
    new = np.concatenate(([True], recoding.cell[1:] != recoding.cell[:-1]))
    return before - np.repeat(before[new], np.diff([*np.flatnonzero(new), len(new)]))


def _taken(values: Any, index: Any) -> Any:
    return pa.array(list(values), pa.string()).take(pa.array(index))
