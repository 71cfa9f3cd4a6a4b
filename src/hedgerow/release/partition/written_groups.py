"""What was written, read back: the groups that claims are judged on before anybody sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, some
from hedgerow.engines.base import Engine, Written
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.table.candidate_records import Fitting, Pairs
from hedgerow.table.cell_table import joint_attribute
from hedgerow.table.cells import Cells
from hedgerow.table.contents import Contents
from hedgerow.table.groups import ALL, Facts, Groups, Histogram, Ints, Sensitive, Unseen
from hedgerow.table.hierarchy import ANY, Hierarchy
from hedgerow.table.location import groups_that_fit
from hedgerow.table.records import RecordKinds
from hedgerow.table.schema import Schema
from hedgerow.table.written_form import Value, WrittenForm


class Measured(NamedTuple):
    """The groups of a release as its recipients count them."""

    groups: Groups
    """With the values in the source's order. Groups of an outside population that nobody
    published stands for come after those of the file."""
    on: str
    """What they were counted in."""
    contents: Contents
    """What was read."""


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
    form = WrittenForm.of(written.path, schema.published, escaped=escaped)
    _refuse_alike("the header", schema.published, [form.header(n) for n in schema.published])
    whole = records or any(d.name == ALL for d in cells.sensitive)
    sets = (*schema.sensitive, *schema.insensitive) if whole else schema.sensitive
    contents = Contents.read(
        written.path, quasi=schema.quasi_identifiers, sets=sets, form=form, engine=staged
    )
    if contents.quasi != schema.quasi_identifiers or tuple(contents.sets) != sets:
        raise _altered()
    histograms, domains = {}, {}
    for domain in cells.sensitive:
        if isinstance(domain, Unseen):
            continue
        if domain.name == ALL:
            domain, h = joint_attribute([h for _, h in contents.sets.values()], contents.n)
        else:
            h = _as_counted(domain, *contents.sets[domain.name], form)
        histograms[domain.name], domains[domain.name] = h, domain
    groups = contents.grouped(Groups(contents.n, histograms, domains))
    measured_on = "the written file" if isinstance(written.path, Path) else "the written table"
    if any(isinstance(domain, Unseen) for domain in cells.sensitive):
        groups = _with_facts(cells, recoding, groups, contents)
        measured_on += "; what it does not show, on the recoding that was applied"
    if any(isinstance(domain, Facts) for domain in cells.sensitive):
        measured_on += ", for all who fit a group"
    if cells.population is not None:
        groups = _with_population(cells, recoding, groups, contents)
    elif cells.rows.sum() == cells.n.sum():  # else records are not people
        groups = replace(groups, fitting=Fitting(lambda: fitting_pairs(cells, recoding, contents)))
    groups = replace(groups, left_out=recoding.suppressed + cells.absent)
    return Measured(groups, measured_on, contents)


def intended_groups(recoding: Recoding, contents: Contents) -> Ints:
    """Which group of the recoding each group of the file is.

    Raises:
        DataError: The file has a group that the recoding lacks.
    """
    first, _ = recoding.seen
    place = {key: g for g, key in enumerate(_keys(recoding, first, contents.form))}
    keys = _labels(contents)
    if any(key not in place for key in keys):
        raise _altered()
    return np.array([place[key] for key in keys], np.int64)


def records_read(chosen: Recoding, contents: Contents | None) -> RecordKinds | None:
    """What a written table says together, row by row; None where it shows a single column."""
    if contents is None or len(contents.sets) < 2:
        return None
    return contents.records(tuple(contents.sets), intended_groups(chosen, contents))


def _with_fitting_population(cells: Cells, groups: Groups, contents: Contents) -> Groups:
    """Add to each published group the people of the population who fit it, read strictly.

    Those who fit none come after the groups of the file, as one more.
    """
    assert cells.population is not None, "there is a population"
    tuples, of_cell = cells.tuples
    outside = np.zeros(len(tuples), np.int64)
    np.add.at(outside, of_cell, cells.population)
    start, found = _strictly_fitting(cells, contents)
    fitting = np.zeros(len(groups), np.int64)
    np.add.at(fitting, found, np.repeat(outside, np.diff(start)))
    nowhere = int(outside[np.diff(start) == 0].sum())
    if not nowhere:
        return replace(groups, population=fitting)
    wider = groups.merge(np.arange(len(groups)), len(groups) + 1)
    shown = None if groups.shown is None else groups.shown.followed_by(1)
    return replace(wider, population=np.append(fitting, nowhere), shown=shown)


def _strictly_fitting(cells: Cells, contents: Contents) -> tuple[Ints, Ints]:
    """The groups of the file that each tuple fits where labels are read strictly.

    A label fits a value if the hierarchy says so at every level that has such a label.
    """
    return groups_that_fit(
        [
            _strictly(h, labels, contents.form)
            for h, labels in zip(cells.hierarchies, contents.texts, strict=True)
        ],
        contents.codes,
        cells.tuples[0],
    )


def fitting_pairs(cells: Cells, recoding: Recoding, contents: Contents) -> Pairs:
    """Who of the published people fits which records of the file.

    Read strictly, since fewer candidates protect less. A record fits its owner in any case.
    """
    tuples, of_cell = cells.tuples
    place = np.full(len(recoding.seen[0]), SUPPRESSED, np.int64)
    place[intended_groups(recoding, contents)] = np.arange(contents.size)
    kept = recoding.group != SUPPRESSED
    kind, group = of_cell[recoding.cell[kept]], place[recoding.seen_group[kept]]
    people, records = np.zeros(len(tuples), np.int64), np.zeros(contents.size, np.int64)
    np.add.at(people, kind, recoding.people[kept])
    np.add.at(records, group, recoding.people[kept])
    start, found = _strictly_fitting(cells, contents)
    fits = np.repeat(np.arange(len(tuples)), np.diff(start)) * contents.size + found
    theirs = kind * contents.size + group
    pairs = np.unique(np.concatenate((fits[people[fits // contents.size] > 0], theirs)))
    own = np.zeros(len(pairs), np.int64)
    np.add.at(own, np.searchsorted(pairs, theirs), recoding.people[kept])
    return Pairs(people, records, pairs // contents.size, pairs % contents.size, own)


def _strictly(
    hierarchy: Hierarchy, labels: Sequence[Value], form: WrittenForm
) -> NDArray[np.bool_]:
    """Labels by leaves: what each label of the file stands for, whatever level it is of."""
    fits = np.ones((len(labels), len(hierarchy.values)), np.bool_)
    met = np.zeros(len(labels), np.bool_)
    for level in range(hierarchy.height + 1):
        place = {form.read_back(name): code for code, name in enumerate(hierarchy.labels[level])}
        code = np.array([place.get(label, -1) for label in labels], np.int64)
        met |= code >= 0
        fits &= (code < 0)[:, None] | (code[:, None] == hierarchy.codes[level][None, :])
    suppressed = np.array([label == ANY for label in labels], np.bool_) & ~met
    return (fits & met[:, None]) | suppressed[:, None]


Key = tuple[Value, ...]


def _keys(recoding: Recoding, groups: Ints, form: WrittenForm) -> list[Key]:
    """The labels of groups of the recoding as they are read back from the file."""
    names = [[form.read_back(label) for label in kind[groups]] for kind in recoding.labels]
    return list(zip(*names, strict=True)) if names else [()]


def _labels(contents: Contents) -> list[Key]:
    """The labels of each group of the file."""
    return list(zip(*contents.labels, strict=True)) if contents.labels else [()]


def _altered() -> DataError:
    return DataError(
        "the written file does not hold the groups and values that were to be published",
        fix="Nothing was published. Has the source changed since it was counted?",
    )


def _with_facts(cells: Cells, recoding: Recoding, groups: Groups, contents: Contents) -> Groups:
    """Add what the file does not show, from the recoding; the file must hold its groups."""
    intended, (first, _) = recoding.groups(cells), recoding.seen
    named = enumerate(_keys(recoding, first, contents.form))
    place = {key: g for g, key in named if intended.n[g]}
    keys = _labels(contents)
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
        shown=groups.shown,
    )


def _refuse_alike(name: str, values: Sequence[Value], texts: Sequence[Value]) -> None:
    """Refuse values that a reader could not tell apart.

    Args:
        name: The column, or "the header".
        values: Its values.
        texts: What each of them is in the file.
    """
    met: dict[Value, Value] = {}
    for value, text in zip(values, texts, strict=True):
        if text in met:
            raise DataError(
                f"{some([met[text], value])} would be written alike",
                where=name if name == "the header" else f"column {name!r}",
                fix="Correct one of them, or publish as parquet, without escape_formulas.",
            )
        met[text] = value


def _as_counted(
    domain: Sensitive, values: Sequence[Value], raw: Histogram, form: WrittenForm
) -> Histogram:
    """The histogram of the file in the codes of the source's values."""
    _refuse_alike(domain.name, domain.values, [form.written(value) for value in domain.values])
    place = {form.read_back(value): code for code, value in enumerate(domain.values)}
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
    cells: Cells, recoding: Recoding, groups: Groups, contents: Contents
) -> Groups:
    """Add to each published group the population it stands for, and the groups left out."""
    if recoding.levels is None:
        return _with_fitting_population(cells, groups, contents)
    lattice = Lattice.of(cells, {name: (level, level) for name, level in recoding.levels.items()})
    node = lattice.base
    codes = lattice.layout.unpack(node.words)
    names = [
        np.array([contents.form.read_back(label) for label in h.labels[level]], object)[codes[:, j]]
        for j, (h, level) in enumerate(zip(cells.hierarchies, lattice.bottom, strict=True))
    ]
    place = {key: g for g, key in enumerate(_labels(contents))}
    into = np.array([place.get(key, -1) for key in zip(*names, strict=True)], np.int64)
    rest = place.get((ANY,) * len(contents.quasi))
    if rest is not None and not recoding.suppressed:
        # Those who would have been left out stand in the group that says nothing.
        into[(into < 0) & (node.groups.n > 0)] = rest
    unseen = np.flatnonzero(into < 0)
    into[unseen] = len(groups) + np.arange(len(unseen))
    assert node.groups.population is not None
    size = len(groups) + len(unseen)
    population = np.bincount(into, weights=node.groups.population, minlength=size).astype(np.int64)
    wider = groups.merge(np.arange(len(groups)), size)
    shown = None if groups.shown is None else groups.shown.followed_by(len(unseen))
    return Groups(wider.n, wider.histograms, wider.domains, population, shown=shown)
