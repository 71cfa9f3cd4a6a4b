"""Microaggregation: gather people who are alike, and publish the centre of each cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import ClaimError
from hedgerow.base.ranges import WHOLE
from hedgerow.claims.base import PrivacyModel, require_number
from hedgerow.recode.axes import Space
from hedgerow.recode.boxes import runs
from hedgerow.recode.cluster_merge import join_failing, modes
from hedgerow.recode.distance import Distances
from hedgerow.recode.mdav import mdav
from hedgerow.recode.outcome import Spans
from hedgerow.recode.parts import (
    Progress,
    confirm,
    deal,
    refuse_population,
    together,
    whole_table,
)
from hedgerow.recode.recoding import Labels, Recoding, people_of
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.hierarchy import Codes, Hierarchy


def microaggregation(
    cells: Cells,
    *,
    k: int,
    models: Sequence[PrivacyModel] = (),
    weights: Sequence[float] = (),
    progress: Progress | None = None,
) -> Recoding:
    """Clusters of k to 2k - 1 people by MDAV; each published as its centre.

    *Guarantee*: at least k people have each published combination, and every model holds on
    the groups as the recipient sees them. Where a model asks for more than MDAV gives, a
    cluster that fails is joined to the nearest one until it passes.

    *Assumes*: that the recipient wants centres. They are **not** generalisations: nobody in the
    cluster need have the published values. Numbers are published as the mean of the people in
    the cluster who have one, rounded (halves up) to the decimals the column has, so to a whole
    number for whole numbers; where fewer than k people have one, as missing. Categories are
    published as the most frequent one, the first in taxonomy order among equals. What is lost
    is counted as for ranges: all values from the cluster's first to its last.

    *Reference*: Domingo-Ferrer and Mateo-Sanz: Practical data-oriented microaggregation for
    statistical disclosure control (TKDE 2002); MDAV as in Domingo-Ferrer and Torra (2005).

    The farthest from the mean of 1, 2, 8 and 12 is 12; with 8 it makes one cluster:

    >>> x = Hierarchy.of("x", [(v, "*") for v in ("1", "2", "8", "12")], numbers=[1, 2, 8, 12])
    >>> one_each = np.ones(4, np.int64)
    >>> cells = Cells((x,), np.arange(4, dtype=np.int32)[:, None], one_each, one_each)
    >>> microaggregation(cells, k=2).labels[0].tolist()
    ['10', '2']

    Args:
        cells: What the engine counted.
        k: People each cluster must have.
        models: Further claims.
        weights: How many times the squared distance of each column counts; once where there are
            none.
        progress: Told the share of people who are in a cluster.

    Raises:
        ClaimError: There are fewer than k people, or a model fails for all of them together.
        PlanError: k is not a positive whole number, or a model needs the outside population.
    """
    require_number("k", k, WHOLE)
    refuse_population(models, "microaggregation", "equal people may be in different clusters")
    total = int(cells.n.sum())
    if 0 < total < k:
        raise ClaimError(
            f"{k}-anonymity does not even hold where all people are one group: "
            f"it reaches {total}, required {k}",
            fix="Weaken that claim or publish more people.",
        )
    whole_table(cells, models)
    made = clustered(cells, k=k, models=models, weights=weights, progress=progress)
    return confirm(made, cells, models)


def clustered(
    cells: Cells,
    *,
    k: int,
    models: Sequence[PrivacyModel] = (),
    weights: Sequence[float] = (),
    progress: Progress | None = None,
) -> Recoding:
    """Clusters of at least k people who, as one group, keep every claim about groups."""
    tuples, tuple_of = cells.tuples
    people = np.zeros(len(tuples), np.int64)
    np.add.at(people, tuple_of, cells.n)
    there = np.flatnonzero(people)
    there = there[np.lexsort((there, *tuples[there].T[::-1]))]
    q = tuples[there]
    space = Space.of(cells.hierarchies, q, weights)
    distances = Distances.of(cells.hierarchies, space, q, people[there])
    who, count, cluster = mdav(distances, space.ranks(q), people[there], k, progress)
    lots = (there[who], count, cluster)
    # Which people of a tuple are in which lot is settled here, before claims are looked at.
    cell, parts, lot = deal(cells.n, tuple_of, there[who], count, np.arange(len(who)))
    per_group = [model for model in models if model.per_group]
    if per_group:
        groups = people_of(cells, cell, parts).merge(cluster[lot], int(cluster.max(initial=-1)) + 1)
        cluster = join_failing(groups, distances, tuples, lots, per_group)
    numbers, group = np.unique(cluster, return_inverse=True)
    cell, parts, into = together(cell, parts, group[lot])
    labels = _centres(cells.hierarchies, tuples[lots[0]], count, group, len(numbers), k)
    detail: dict[str, object] = {
        "method": "MDAV",
        "k": k,
        "joined": int(lots[2].max(initial=-1)) + 1 - len(numbers),
    }
    none = np.zeros((len(numbers), 0), np.int32)
    nothing = Spans(none, none, none.astype(np.float64))
    recoding = Recoding("microaggregation", cell, parts, into, labels, nothing, detail=detail)
    # Clusters with equal centres are one group to the recipient, and lose what that one does.
    first, seen = recoding.seen
    by_group = np.argsort(seen[into], kind="stable")
    start = np.searchsorted(seen[into[by_group]], np.arange(len(first)))
    spans = runs(cells.hierarchies, cells.q[cell[by_group]], start)
    spans = Spans(spans.low[seen], spans.high[seen], spans.rung[seen])
    return replace(recoding, spans=spans)


def _centres(
    hierarchies: Sequence[Hierarchy], q: Codes, people: Ints, group: Ints, size: int, k: int
) -> Labels:
    """What each group is published as in each column."""
    labels = []
    for j, hierarchy in enumerate(hierarchies):
        if hierarchy.numbers is None:
            mode = modes(q[:, j], people, group, size)
            labels.append(np.array([*hierarchy.values, None], object)[mode])
        else:
            labels.append(_means(hierarchy, hierarchy.numbers, q[:, j], people, group, size, k))
    return tuple(labels)


def _means(
    hierarchy: Hierarchy, numbers: Floats, leaf: Codes, people: Ints, group: Ints, size: int, k: int
) -> NDArray[np.object_]:
    """Means in exact arithmetic, rounded to the decimals of the column."""
    scale, units = hierarchy.in_units
    having = np.zeros(size, np.int64)
    total = np.zeros(size, object)
    there = ~np.isnan(numbers[leaf])
    np.add.at(having, group[there], people[there])
    np.add.at(total, group[there], units[leaf[there]] * people[there].astype(object))
    labels = np.empty(size, object)
    for g in np.flatnonzero(having >= k):
        n = int(having[g])
        labels[g] = scale.text((2 * total[g] + n) // (2 * n))
    return labels
