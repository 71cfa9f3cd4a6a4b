"""Refinement of local recoding: groups of enough people, then joined where claims ask for more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.group_division import regrouped
from hedgerow.recode.group_extents import dearest_first, extents_of, in_order, ladders_of
from hedgerow.recode.group_union import united_until_kept
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import CellMetric
from hedgerow.table.groups import Floats, Groups, Ints
from hedgerow.table.hierarchy import Codes

MOST_TUPLES = 500_000
"""Of a table whose groups are refined; a larger one is recoded part by part (`parts`)."""


def refined(
    lattice: Lattice,
    metric: CellMetric,
    people: Groups,
    tuples: Codes,
    group: Ints,
    models: Sequence[PrivacyModel],
    least: int,
) -> Ints | None:
    """Better groups, which keep the claims; None where none are found.

    Args:
        lattice: The lowest and highest levels.
        metric: What is to be small.
        people: Those of each tuple, as a group.
        tuples: Leaf codes.
        group: The group of each tuple, of `least` people or more; below 0: in none.
        models: Claims about each group.
        least: People of a group.
    """
    placed = np.flatnonzero(group >= 0)
    if not 0 < len(placed) <= MOST_TUPLES or not tuples.shape[1]:
        return None
    order = placed[in_order(tuples[placed])]
    leaves, groups, mine = tuples[order].astype(np.int64), people.take(order), group[order]
    ladders = ladders_of(lattice, metric, _totals(lattice, metric, leaves, groups.n, mine))
    # Columns that differ most come first, so that groups that are far are given up early.
    first = dearest_first(ladders)
    ladders = ladders._replace(offset=ladders.offset[first], width=ladders.width[first])
    leaves = np.ascontiguousarray(leaves[:, first])
    if least > 1:
        mine = regrouped(ladders, leaves, groups.n, mine, least)
    united = united_until_kept(ladders, leaves, groups, mine, models)
    if united is None:
        return None
    found = group.copy()
    found[order] = united
    return found


def _totals(
    lattice: Lattice, metric: CellMetric, leaves: Ints, people: Ints, group: Ints
) -> Floats:
    """Each column's total of a metric, of these groups."""
    original, hierarchies = lattice.original, lattice.cells.hierarchies
    size = int(group.max()) + 1
    plain = ladders_of(lattice, metric, np.full(len(hierarchies), float(original.people)))
    extents = extents_of(plain, leaves, people, group, size)
    totals = np.zeros(len(hierarchies))
    for j, h in enumerate(hierarchies):
        for rung in np.unique(extents.level[:, j]).tolist():
            there = np.flatnonzero(extents.level[:, j] == rung)
            level = min(rung + lattice.bottom[j], h.height)
            star = rung + lattice.bottom[j] > h.height
            code = h.codes[level][extents.leaf[there, j]]
            under = np.bincount(h.codes[level], weights=original.leaf_counts[j])[code]
            cell = metric.cell(
                share=np.ones(len(there)) if star else h.share(level)[code],
                under=np.full(len(there), float(original.people)) if star else under,
                rung=np.full(len(there), 1.0 if star else level / max(1, h.height)),
            )
            totals[j] += float((extents.people[there] * cell).sum())
    return totals
