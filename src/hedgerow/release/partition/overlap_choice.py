"""The recoding for claims that look at all groups a person fits, where these are several.

The search looks at each group by itself, and asks of it what the people want whom it puts there.
Then the groups are judged for everybody who fits them. If that fails, a second search asks the
same of every group, whoever may be in it. It finds less, so nothing it finds is called optimal.

So with beliefs beside earlier releases: the search takes everybody to be known in their group. If
somebody who only knows which groups people fit believes too much, it is asked for less belief, and
then for larger groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from hedgerow.base.errors import ClaimError, HedgerowError
from hedgerow.base.stop_request import StopRequest
from hedgerow.claims.anonymity import KAnonymity
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.optimality import gap_of
from hedgerow.recode.recoding import Recoding
from hedgerow.release.partition.belief_check import asks_who_fits, believes_too_much
from hedgerow.release.partition.candidates import Candidates
from hedgerow.release.partition.job import Job
from hedgerow.release.partition.judgement import FIX, doubt, in_doubt, judge, needs_candidates
from hedgerow.release.partition.recoding_choice import Progress, choose
from hedgerow.table.cells import Cells
from hedgerow.table.label_taxonomies import written_out

SHARES = (Fraction(19, 20), Fraction(9, 10), Fraction(4, 5), Fraction(13, 20), Fraction(1, 2))
"""Of the belief that a claim allows: what the search is asked for where groups overlap."""
TIMES = (2, 4, 8, 16)
"""And how much larger the smallest group is to be, if none of these is found."""


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
        return _believed_less(job, cells, job.models, first, say, unit=unit, stop=stop)
    models = _for_anybody(job, cells)
    try:
        second = choose(job.plan, cells, models, say, unit=unit, stop=stop)
    except HedgerowError as error:
        why = f" ({error.what})"
    else:
        if not _failed(job, cells, second)[0]:
            second = replace(second, detail=_bounded(second.detail, first.detail))
            return _believed_less(job, cells, models, second, say, unit=unit, stop=stop)
        why = ""
    raise ClaimError(
        f"{failed[0]} cannot be claimed: {doubt(cells, candidates)}, and they do not keep it "
        f"there. Nor was a recoding found that protects everybody alike{why}",
        fix=FIX,
    )


def _believed_less(
    job: Job,
    cells: Cells,
    models: tuple[PrivacyModel, ...],
    found: Recoding,
    say: Progress,
    *,
    unit: str,
    stop: StopRequest | None,
) -> Recoding:
    """A recoding by which whoever knows which groups people fit does not believe too much.

    The one that was found if none is better: then it is refused where it is judged.

    Args:
        job: The plan and its claims.
        cells: The source, counted.
        models: What the recoding was searched with.
        found: The recoding.
        say: Told what is going on.
        unit: What groups count.
        stop: Where somebody may ask for the best so far.
    """
    if not asks_who_fits(job) or not believes_too_much(job, cells, found):
        return found
    less = [tuple(model.stricter(share) or model for model in models) for share in SHARES]
    smallest = int(found.groups(cells).n.min(initial=cells.people))
    larger = [(*models, KAnonymity(k=times * smallest)) for times in TIMES]
    for asks in (less, larger):
        for asked in asks:
            try:
                other = choose(job.plan, cells, asked, say, unit=unit, stop=stop)
            except HedgerowError:  # what asks for even more cannot be kept either
                break
            if not _failed(job, cells, other)[0] and not believes_too_much(job, cells, other):
                return replace(other, detail=_bounded(other.detail, found.detail))
    return found


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
