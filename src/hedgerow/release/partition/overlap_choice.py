"""The recoding for claims about single people, where people may fit several groups of it.

The search looks at each group by itself, and asks of it what the people want whom it puts there.
Then the groups are judged for everybody who fits them. If that fails, a second search asks the
same of every group, whoever may be in it. It finds less, so nothing it finds is called optimal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hedgerow.base.errors import ClaimError, HedgerowError
from hedgerow.base.stop_request import StopRequest
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.optimality import gap_of
from hedgerow.recode.recoding import Recoding
from hedgerow.release.partition.candidates import Candidates
from hedgerow.release.partition.job import Job
from hedgerow.release.partition.judgement import FIX, doubt, in_doubt, judge, needs_candidates
from hedgerow.release.partition.recoding_choice import Progress, choose
from hedgerow.table.cells import Cells
from hedgerow.table.label_taxonomies import written_out


def choose_over_overlaps(
    job: Job, cells: Cells, say: Progress, *, unit: str, stop: StopRequest | None = None
) -> Recoding:
    """Find a recoding that keeps the claims, those about single people over all groups they fit.

    Args:
        job: The plan and its claims.
        cells: The source, counted.
        say: Told what is going on.
        unit: What groups count, for messages: people or rows.
        stop: Where somebody may ask for the best so far.

    Raises:
        ClaimError: No recoding that was found keeps them.
    """
    first = choose(job.plan, cells, job.models, say, unit=unit, stop=stop)
    failed, candidates = _failed(job, cells, first)
    if not failed or candidates is None:
        return first
    try:
        second = choose(job.plan, cells, _for_anybody(job, cells), say, unit=unit, stop=stop)
    except HedgerowError as error:
        why = f" ({error.what})"
    else:
        if not _failed(job, cells, second)[0]:
            return replace(second, detail=_bounded(second.detail, first.detail))
        why = ""
    raise ClaimError(
        f"{failed[0]} cannot be claimed: {doubt(cells, candidates)}, and they do not keep it "
        f"there. Nor was a recoding found that protects everybody alike{why}",
        fix=FIX,
    )


def _failed(
    job: Job, cells: Cells, recoding: Recoding
) -> tuple[Sequence[PrivacyModel], Candidates | None]:
    """The claims about single people that fail over all groups that people fit.

    If everybody fits one group, the search was right about it, and what is written is judged.
    """
    if not needs_candidates(job):
        return (), None
    groups = recoding.groups(cells)
    shown = np.flatnonzero(groups.n > 0)
    if not len(shown):
        return (), None
    nodes = written_out(job.plan.specs, cells.hierarchies)
    candidates = Candidates.in_recoding(cells, recoding, shown, nodes)
    if not in_doubt(job, candidates):
        return (), None
    verdicts = judge(job, cells, groups.take(shown), candidates)
    pairs = zip(job.models, verdicts, strict=True)
    return [m for m, v in pairs if m.about_single_people and not v.holds], candidates


def _for_anybody(job: Job, cells: Cells) -> tuple[PrivacyModel, ...]:
    domains = {domain.name: domain for domain in cells.sensitive}
    return tuple(model.for_anybody(domains) or model for model in job.models)


def _bounded(detail: dict[str, object], first: dict[str, object]) -> dict[str, object]:
    """How the second recoding was found. What bounds the first, which did less, bounds it."""
    if "lower_bound" not in detail:
        return detail
    if "lower_bound" not in first:  # then that of the second is about more than was claimed
        return {key: value for key, value in detail.items() if key not in ("lower_bound", "gap")}
    cost, bound = float(str(detail["cost"])), float(str(first["lower_bound"]))
    return {**detail, "optimal": False, "lower_bound": min(cost, bound), "gap": gap_of(cost, bound)}
