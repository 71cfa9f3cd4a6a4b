"""Choosing among the recodings that keep every claim one that keeps the plan's analyses too."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.analyses import AnalysisComparison
from hedgerow.claims.readings import judged
from hedgerow.plan.recoding import bounds
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import at_node
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.optimality import gap_of
from hedgerow.recode.recoding import Recoding
from hedgerow.recode.search import Search
from hedgerow.recode.solutions import cheapest_solutions
from hedgerow.release.partition.job import Job
from hedgerow.release.partition.judgement import needs_candidates
from hedgerow.release.partition.kept_analyses import KeptAnalyses, refuse_spoiled, strain_of
from hedgerow.release.partition.recoding_choice import Progress
from hedgerow.table.cells import Cells

SECONDS = 60.0
"""How long recodings are tried, where the plan's method does not say."""


def keep_analyses(
    job: Job, cells: Cells, first: Recoding, kept: KeptAnalyses, say: Progress
) -> Recoding:
    """The recoding of lowest loss that keeps the analyses, or the one that keeps them best.

    Only levels of the lattice are tried: what other methods find is found once, and judged when it
    is written.

    Args:
        job: The plan, and the source.
        cells: The source, counted.
        first: What the search found.
        kept: The analyses on the source.
        say: Told what is going on.

    Raises:
        ClaimError: None of those that were tried keeps them; says how close they came.
    """
    plan = job.plan
    asked = any(analysis.within is not None for analysis in plan.keep)
    goal = plan.utility.keep
    if first.levels is None or not (asked or goal) or needs_candidates(job):
        return first
    found = kept.under(first)
    if not goal and all(one.kept is not False for one in found):
        return first
    metric = plan.utility.over([h.name for h in cells.hierarchies])
    lattice = Lattice.of(cells, bounds(plan))
    limits = SearchConstraints(
        judged(job.models, cells.sensitive),
        plan.method.may_suppress(cells.people),
        plan.method.keep_suppressed,
    )
    search = Search(lattice, limits, metric)
    seconds = plan.method.time or SECONDS
    deadline = time.monotonic() + seconds
    best: tuple[tuple[bool, float], Recoding, float, tuple[AnalysisComparison, ...]] | None = None
    tried, stopped = 0, False
    for cost, node in cheapest_solutions(search, seconds=seconds):
        detail: dict[str, Any] = {"optimal": False, "metric": metric.name, "cost": cost}
        recoding = at_node(lattice, node, limits, detail, metric=metric)
        found, tried = kept.under(recoding), tried + 1
        say(f"comparing analyses ({tried:,} recodings)", None)
        spoils = any(one.kept is False for one in found)
        strain = strain_of([one for one in found if goal or one.kept is not None])
        if best is None or (spoils, strain) < best[0]:
            best = ((spoils, strain), recoding, cost, found)
        if (not spoils and (not goal or strain == 0)) or time.monotonic() > deadline:
            stopped = True
            break
    if best is None:
        return first
    _, recoding, cost, found = best
    if any(one.kept is False for one in found):
        every = not stopped and time.monotonic() < deadline
        among = "all" if every else "the"
        refuse_spoiled(
            plan, found,
            f", of {among} {tried:,} {'that keep the claims' if every else 'of lowest loss tried'}",
        )  # fmt: skip
    return _told(first, recoding, cost, lattice.size)


def _told(first: Recoding, chosen: Recoding, cost: float, nodes: int) -> Recoding:
    """The recoding with how it was found: the bound of the search is one of it, too."""
    if chosen.levels == first.levels:
        return first
    least = first.detail.get("lower_bound")
    bound = float(str(least)) if least is not None else -np.inf
    detail = {**chosen.detail, "lower_bound": min(bound, cost), "nodes": nodes,
              "gap": gap_of(cost, bound)}  # fmt: skip
    return replace(chosen, detail=detail)
