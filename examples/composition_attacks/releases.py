"""Releases as their recipients hold them, and (for scoring only) who is in which group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from examples.composition_attacks.data import ROW, Census
from hedgerow import publish
from hedgerow.attacks.intersection import Intersection, intersect
from hedgerow.attacks.published import Published, Targets
from hedgerow.groups import Ints
from hedgerow.models.base import PrivacyModel

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
    published = Published.read(
        table.drop_columns([ROW]),
        sensitive=[census.sensitive],
        taxonomies=census.taxonomies,
        located="nearest" if method == MICRO else "box",
        name=method,
    )
    group = np.full(census.people, -1, np.int64)
    group[table[ROW].to_numpy().astype(np.int64)] = _groups(published, table)
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


def _groups(published: Published, table: Any) -> Ints:
    """The group of each published row."""
    codes = np.empty((table.num_rows, len(published.quasi)), np.int32)
    for j, (name, labels) in enumerate(zip(published.quasi, published.labels, strict=True)):
        place = {label: code for code, label in enumerate(labels)}
        column = table[name].combine_chunks().dictionary_encode(null_encoding="encode")
        codes[:, j] = np.array([place[label] for label in column.dictionary.to_pylist()])[
            column.indices.to_numpy()
        ]
    every = np.concatenate([published.codes, codes])
    _, which = np.unique(every, axis=0, return_inverse=True)
    which = which.reshape(-1)
    known, rows = which[: len(published)], which[len(published) :]
    back = np.full(which.max() + 1, -1, np.int64)
    back[known] = np.arange(len(published))
    return back[rows]
