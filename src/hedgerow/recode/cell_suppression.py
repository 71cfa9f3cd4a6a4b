"""Cell suppression: one level for each column, and single cells of those who stand out suppressed.

The proven optimum of full-domain recoding is where it starts: what is found is never worse. From
there, and from the finest levels, one column after the other is made finer as long as the release
gets better. At each node, groups that keep every claim are published as they are. The others lose
cells until they keep them: sets of columns are tried from the least to the most important, and
whoever forms groups that pass in the columns that are left is placed. It is a heuristic, and
says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.base.errors import ClaimError, PlanError
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.constraints import SearchConstraints, each_alone
from hedgerow.recode.full_domain import full_domain
from hedgerow.recode.lattice import Lattice, Node
from hedgerow.recode.local import local
from hedgerow.recode.local_start import as_kind, with_large_groups
from hedgerow.recode.metrics import CellMetric, Metric
from hedgerow.recode.outcome import Original, Spans
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.recode.restoration import restored
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Floats
from hedgerow.table.hierarchy import ANY, Hierarchy

KIND = "cells"
PATIENCE = 60.0
"""Seconds, where the plan does not say."""


@dataclass(frozen=True, eq=False)
class Importance(CellMetric):
    """What suppressed cells cost: their number, each counted as its column is important."""

    weights: Floats
    name = "importance"
    measures = "How many cells are suppressed, by the importance of their columns."

    def cell(self, *, share: Floats, under: Floats, rung: Floats) -> Floats:
        return rung

    def worst(self, original: Original) -> float:
        return 1.0

    def parts(self, totals: Floats, original: Original) -> Floats:
        weighed: Floats = totals * self.weights
        return weighed


def cell_suppression(
    cells: Cells,
    models: Sequence[PrivacyModel],
    *,
    metric: Metric,
    bounds: Mapping[str, tuple[int, int]] | None = None,
    importance: Mapping[str, float] | None = None,
    limit: int = 0,
    seconds: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> Recoding:
    """The best release that is found with levels for everybody and single cells suppressed.

    Args:
        cells: What the engine counted.
        models: The claims.
        metric: Says which release is better.
        bounds: The lowest and highest level of the columns that have some.
        importance: By column, how much it matters that its cells stay; 1 if left out.
        limit: People who may be suppressed altogether, those barred included.
        seconds: For the search; PATIENCE if left out.
        progress: Called with the share of the time that is over.

    Raises:
        ClaimError: Nothing was found that keeps the claims.
        PlanError: A value is spelled as a suppressed cell is.
    """
    lattice = Lattice.of(cells, bounds)
    _refuse_stars(lattice)
    weights = np.array([float((importance or {}).get(h.name, 1)) for h in cells.hierarchies])
    end = time.monotonic() + (PATIENCE if seconds is None else seconds)
    begin = time.monotonic()
    found: dict[Node, Recoding | None] = {}
    asked = each_alone(models)

    def at(node: Node) -> Recoding | None:
        if node not in found:
            found[node] = with_large_groups(
                lambda wanted: _at_node(lattice, node, wanted, weights, limit), cells, models
            )
            if progress is not None:
                progress(min(1.0, (time.monotonic() - begin) / max(end - begin, 1e-9)))
        return found[node]

    def cost(recoding: Recoding | None) -> float:
        return np.inf if recoding is None else metric.cost(recoding.outcome(lattice.original))

    best: Recoding | None = None
    why: ClaimError | None = None
    starts = [lattice.bottom, lattice.top]
    try:
        constraints = SearchConstraints(asked, limit)
        whole = full_domain(cells, constraints, metric, bounds=bounds, seconds=end - begin)
    except ClaimError as error:
        why = error
    else:
        assert whole.levels is not None, "full-domain recodings have levels"
        levels = whole.levels
        starts = [tuple(levels[h.name] for h in cells.hierarchies), lattice.bottom]
        best = as_kind(whole, KIND)
    for start in starts:
        node, here = start, at(start)
        while True:
            if cost(here) < cost(best):
                best = here
            finer = [
                (*node[:j], node[j] - 1, *node[j + 1 :])
                for j in range(len(node))
                if node[j] > lattice.bottom[j]
            ]
            tried = [
                (cost(at(other)), other)
                for other in finer
                if time.monotonic() < end or other in found
            ]
            if not tried or min(tried)[0] >= cost(here):
                break
            node = min(tried)[1]
            here = at(node)
    if best is None:
        assert why is not None, "full-domain recoding would have been one"
        raise ClaimError(f"{why.what}. Nor does suppressing cells", where=why.where, fix=why.fix)
    if all(model.of_originals for model in models):
        best = restored(best, cells, models, weights)
    return replace(best, detail=_told(best, cells, metric, importance or {}))


def _told(
    recoding: Recoding, cells: Cells, metric: Metric, importance: Mapping[str, float]
) -> dict[str, object]:
    """What the certificate says of it; all of that shows in the release."""
    kept = recoding.group != SUPPRESSED
    people, group = recoding.people[kept], recoding.group[kept]
    levels = recoding.detail["levels"]
    assert isinstance(levels, dict), "levels by column"
    cut = {
        h.name: int(people[recoding.labels[j][group] == ANY].sum())
        for j, h in enumerate(cells.hierarchies)
        if h.size(levels[h.name]) > 1
    }
    return {
        "optimal": False,
        "heuristic": "levels by descent, cells by the importance of their columns",
        "metric": metric.name,
        "levels": dict(levels),
        "suppressed_cells": cut,
        "importance": dict(importance),
    }


def _refuse_stars(lattice: Lattice) -> None:
    """A value that is spelled as a suppressed cell could not be told from one."""
    for h in lattice.cells.hierarchies:
        for level in range(h.height + 1):
            if h.size(level) > 1 and ANY in h.labels[level]:
                raise PlanError(
                    f"{h.name!r} has the value {ANY!r}, and suppressed cells are written so",
                    fix="Give the value another spelling.",
                )


def _at_node(
    lattice: Lattice,
    node: Node,
    models: Sequence[PrivacyModel],
    weights: Floats,
    limit: int,
) -> Recoding | None:
    """Everybody at these levels, with cells suppressed of those who do not pass."""
    cells = lattice.cells
    hierarchies = [
        Hierarchy.of(h.name, [(label, *[ANY] * (h.size(level) > 1)) for label in h.labels[level]])
        for h, level in zip(cells.hierarchies, node, strict=True)
    ]
    place = [h.encode(cells.hierarchies[j].labels[node[j]]) for j, h in enumerate(hierarchies)]
    codes = [place[j][h.codes[node[j]][cells.q[:, j]]] for j, h in enumerate(cells.hierarchies)]
    q = np.stack(codes, axis=1).astype(np.int32) if codes else cells.q
    coarse = replace(cells, hierarchies=tuple(hierarchies), q=q)
    try:
        found = local(coarse, models, metric=Importance(weights), limit=limit, regroup=False)
    except ClaimError:
        return None
    low, high = np.empty_like(found.spans.low), np.empty_like(found.spans.high)
    rung = np.empty_like(found.spans.rung)
    for j, h in enumerate(cells.hierarchies):
        first, last = h.runs(node[j])
        back = np.argsort(place[j])
        start, stop = found.spans.low[:, j], found.spans.high[:, j]
        one = start == stop
        low[:, j] = np.where(one, first[back[start]], 0)
        high[:, j] = np.where(one, last[back[stop]], len(h.values) - 1)
        rung[:, j] = np.where(one, node[j] / max(1, h.height), 1.0)
    levels = {h.name: level for h, level in zip(cells.hierarchies, node, strict=True)}
    return replace(
        found, kind=KIND, spans=Spans(low, high, rung), levels=None, detail={"levels": levels}
    )
