"""Releases as their recipients hold them, and (for scoring only) who is in which group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from examples.composition_attacks.data import ROW, Census
from hedgerow import Plan, publish
from hedgerow.attacks.intersection import Intersection, intersect
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.recoding import people_of
from hedgerow.release.partition.job import opened
from hedgerow.release.partition.recoding_choice import choose
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Ints
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

STRICT = "Mondrian, strict"
RELAXED = "Mondrian, relaxed"
TAXONOMY = "Mondrian, strict, taxonomy nodes"
MICRO = "microaggregation"
METHODS: Mapping[str, Mapping[str, str]] = {
    STRICT: {"search": "mondrian"},
    RELAXED: {"search": "mondrian", "mode": "relaxed"},
    TAXONOMY: {"search": "mondrian", "boxes": "taxonomy"},
    MICRO: {"search": "microaggregation"},
}


@dataclass(frozen=True, eq=False)
class Made:
    """One release."""

    published: Published
    """What a recipient has: published quasi-identifiers and sensitive values."""
    group: Ints
    """Of each person of the census, the group; -1: not in the release."""


def make(census: Census, rows: Ints, method: str, claims: Sequence[PrivacyModel]) -> Made:
    """Publish these people, and read the release as its recipient does."""
    release = publish(
        census.table.take(pa.array(rows)),
        columns=census.columns,
        protect=list(claims),
        method=METHODS[method],
    )
    table = release.to_arrow()
    read = Published.read(
        table.drop_columns([ROW]),
        sensitive=[census.sensitive],
        taxonomies=census.taxonomies,
        located="nearest" if method == MICRO else "box",
        name=method,
    )
    published = in_order(read)
    group = np.full(census.people, -1, np.int64)
    group[table[ROW].to_numpy().astype(np.int64)] = _groups(published, table)
    return Made(published, group)


def told_apart(census: Census, rows: Ints, method: str, claims: Sequence[PrivacyModel]) -> Made:
    """The same release with its groups numbered.

    Clusters with the same centroid, and relaxed groups with the same box, are one group to a
    recipient. Who simulates the attack on the partition itself tells them apart.
    """
    plan = Plan.of(columns=census.columns, protect=list(claims), method=METHODS[method])
    table = census.table.take(pa.array(rows))
    with opened(plan, table) as job:
        cells = job.cells()
        recoding = choose(plan, cells, job.models, lambda what, share: None)
    parts = people_of(cells, recoding.cell, recoding.people)
    groups = parts.merge(recoding.group, recoding.size)
    names = tuple(map(str, range(recoding.size)))
    codes = np.arange(recoding.size, dtype=np.int32)[:, None]
    published = Published(method, ("group",), (names,), codes, groups)
    # People of one cell are alike in everything, so it does not matter who goes to which group.
    people = np.argsort(_cells_of(cells, table), kind="stable")
    order = np.argsort(recoding.cell, kind="stable")
    group = np.full(census.people, -1, np.int64)
    group[rows[people]] = np.repeat(recoding.group[order], recoding.people[order])
    return Made(published, group)


def together(releases: Sequence[Made], census: Census, people: Ints) -> Intersection:
    """The attack: people are located by what is known of them."""
    return intersect([made.published for made in releases], census.targets(people))


def assuming_locatability(releases: Sequence[Made], people: Ints) -> Intersection:
    """The attack of the paper, which "always assumes locatability": their groups are known."""
    numbered, values, codes = [], [], []
    for j, made in enumerate(releases):
        names = tuple(map(str, range(len(made.published))))
        numbered.append(
            replace(
                made.published,
                quasi=(f"group {j}",),
                labels=(names,),
                codes=np.arange(len(names), dtype=np.int32)[:, None],
                located="box",
            )
        )
        values.append(names)
        codes.append(made.group[people].astype(np.int32))
    columns = tuple(published.quasi[0] for published in numbered)
    return intersect(numbered, Targets(columns, tuple(values), np.stack(codes, axis=1)))


def in_order(published: Published) -> Published:
    """Groups in the order of their labels: engines have none, and ties are broken by it."""
    order = np.lexsort(published.codes.T[::-1])
    return replace(published, codes=published.codes[order], groups=published.groups.take(order))


def _groups(published: Published, table: Any) -> Ints:
    """The group of each published row."""
    columns = zip(published.quasi, published.labels, strict=True)
    codes = np.stack([_codes(table[name], labels) for name, labels in columns], axis=1)
    return _found(codes, published.codes)


def _cells_of(cells: Cells, table: Any) -> Ints:
    """The cell of each row."""
    (domain,), (held,) = cells.sensitive, cells.values
    columns = [_codes(table[h.name], h.values) for h in cells.hierarchies]
    columns.append(_codes(table[domain.name], domain.values))
    return _found(np.stack(columns, axis=1), np.column_stack([cells.q, held.codes]))


def _codes(column: Any, values: Sequence[str | None]) -> Ints:
    """The place of each entry of a column among these values."""
    place = {value: code for code, value in enumerate(values)}
    entries = column.combine_chunks().dictionary_encode(null_encoding="encode")
    met = np.array([place[value] for value in entries.dictionary.to_pylist()], np.int64)
    found: Ints = met[entries.indices.to_numpy()]
    return found


def _found(rows: NDArray[Any], among: NDArray[Any]) -> Ints:
    """The place of each row among other rows, which are all different."""
    _, which = np.unique(np.concatenate([among, rows]), axis=0, return_inverse=True)
    which = which.reshape(-1)
    place = np.full(which.max() + 1, -1, np.int64)
    place[which[: len(among)]] = np.arange(len(among))
    found: Ints = place[which[len(among) :]]
    return found
