"""A release and people with some of their columns only, and a release of noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hedgerow.table.groups import Groups
from hedgerow.table.labels import Value, covers
from hedgerow.table.pack import distinct
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets


def projected(published: Published, columns: Sequence[str]) -> Published:
    """The release with these quasi-identifiers only, its groups in order."""
    places = [published.quasi.index(name) for name in columns]
    labels = tuple(published.labels[j] for j in places)
    codes = published.codes[:, places]
    first, into = distinct(codes, [len(values) for values in labels])
    # In order of their values: what a seed chooses must not depend on how the file was read.
    order = np.lexsort(codes[first].T[::-1])
    first, into = first[order], np.argsort(order)[into]
    groups = published.groups.merge(into, len(first))
    return replace(
        published, quasi=tuple(columns), labels=labels, codes=codes[first], groups=groups
    )


def shuffled(release: Published, rng: np.random.Generator) -> Published:
    """Each column of the records in an order of its own."""
    codes = rng.permuted(np.repeat(release.codes, release.groups.n, axis=0), axis=0)
    first, into = distinct(codes, [len(values) for values in release.labels])
    groups = Groups(np.bincount(into, minlength=len(first)))
    return replace(release, codes=codes[first], groups=groups)


def only(people: Targets, columns: Sequence[str]) -> Targets:
    """People with these columns only, in this order."""
    places = [people.columns.index(name) for name in columns]
    return Targets(tuple(columns), tuple(people.values[c] for c in places), people.codes[:, places])


def uncovered(published: Published, people: Targets) -> dict[str, list[Value]]:
    """For each column, the labels that fit nobody: of another world, or not understood."""
    found = {}
    for j, name in enumerate(published.quasi):
        if name in people.columns and published.located == "box":
            matrix = covers(
                published.labels[j],
                people.values[people.columns.index(name)],
                column=name,
                taxonomy=published.taxonomies.get(name),
            )
            none = np.flatnonzero(~matrix.any(axis=1))
            if len(none):
                found[name] = [published.labels[j][i] for i in none]
    return found
