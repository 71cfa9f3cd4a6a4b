"""Judgement: what becomes of the claims on a release, over all groups that people fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hedgerow.base.errors import ClaimError
from hedgerow.claims.base import Needs, PrivacyModel, Verdict
from hedgerow.claims.readings import checked
from hedgerow.claims.row_bound import of_people
from hedgerow.release.partition.candidates import Candidates
from hedgerow.release.partition.job import Job
from hedgerow.release.partition.widened_groups import widened
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Groups

FIX = (
    "Give the columns hierarchies whose labels do not overlap, and search the lattice without "
    "keep_suppressed, or use strict Mondrian with `boxes: ranges`; fill in what is missing in "
    "quasi-identifiers, and spell each value alike; or weaken the claim."
)


def judge(
    job: Job, cells: Cells, groups: Groups, candidates: Candidates | None
) -> tuple[Verdict, ...]:
    """What becomes of each claim.

    Claims about single people are judged twice where a reader may take several groups for one:
    with the groups apart, and together. The worse counts.

    Args:
        job: The claims.
        cells: The source, counted.
        groups: Of the release, with facts of those who were put into each.
        candidates: Who fits them; None where no claim asks for it.

    Raises:
        ClaimError: People fit several groups, and nothing is proved of a claim there.
    """
    if candidates is None or not in_doubt(job, candidates):
        return job.check(groups)
    for model in job.models:
        refuse_unmixed(model, cells, candidates)
    size = len(candidates.alike)  # those of an outside population that come after fit nobody
    apart = np.arange(size)
    published = groups.take(apart)
    readings = [widened(job.facts, cells, published, candidates, apart)]
    if not np.array_equal(candidates.alike, apart):
        _, into = np.unique(candidates.alike, return_inverse=True)
        readings.append(widened(job.facts, cells, published, candidates, into.astype(np.int64)))
    found = []
    for claim, model in zip(job.claims, job.models, strict=True):
        if not model.about_single_people:
            found.append(of_people(claim, checked(model, groups), job.rows))
            continue
        refuse_unjudged(model, cells, candidates)
        first, *others = (_verdict(job, claim, model, reading) for reading in readings)
        for other in others:
            if not other.holds or (other.level > first.level) != model.higher_is_safer:
                first = replace(other, worst=None)
        found.append(first)
    return tuple(found)


def needs_candidates(job: Job) -> bool:
    """Whether some claim is judged by which groups people fit, besides their own."""
    return bool(job.facts) or not all(model.closed_under_mixtures for model in job.models)


def in_doubt(job: Job, candidates: Candidates) -> bool:
    """Whether a reader cannot tell of everybody in which group they are."""
    return not candidates.certain(listed=any(asked.known is not None for asked in job.facts))


def refuse_unjudged(model: PrivacyModel, cells: Cells, candidates: Candidates) -> None:
    """Refuse a claim about single people that does not know how to be judged over several groups.

    Raises:
        ClaimError: It is such a claim.
    """
    if model.for_anybody({domain.name: domain for domain in cells.sensitive}) is None:
        raise ClaimError(
            f"{model} cannot be claimed: {doubt(cells, candidates)}, and it says nothing of groups "
            "that are not theirs",
            fix=FIX,
        )


def refuse_unmixed(model: PrivacyModel, cells: Cells, candidates: Candidates) -> None:
    """Refuse a claim that holds of groups and not of a person who may be in several.

    Raises:
        ClaimError: It is such a claim.
    """
    if not model.closed_under_mixtures:
        raise ClaimError(
            f"{model} cannot be claimed: {doubt(cells, candidates)}, and groups that keep it may "
            "not keep it together",
            fix=FIX,
        )


def refuse_in_doubt(
    claims: Sequence[Verdict], job: Job, cells: Cells, candidates: Candidates
) -> None:
    """Refuse a release on which a claim about single people fails over all groups they fit.

    Raises:
        ClaimError: Says what the claim reaches.
    """
    if not in_doubt(job, candidates):
        return
    for verdict, model in zip(claims, job.models, strict=True):
        if model.about_single_people and not verdict.holds:
            raise ClaimError(
                f"{verdict.claim} cannot be claimed: {doubt(cells, candidates)}, and over all of "
                f"them it reaches {verdict.told[0]}, required {verdict.told[1]}",
                fix=FIX,
            )


def refuse_unclear_population(
    models: Sequence[PrivacyModel], cells: Cells, groups: Groups, candidates: Candidates
) -> None:
    """Refuse claims about a population of which somebody may fit several groups.

    They count each of its people once. So it must be clear who fits which group, also to a
    reader who overlooks how values are spelled.

    Raises:
        ClaimError: There is such a claim, and it is not clear.
    """
    asked = [model for model in models if Needs.POPULATION in model.needs]
    if not asked or groups.population is None or cells.population is None:
        return
    tuples, of_cell = cells.tuples
    outside = np.zeros(len(tuples), np.int64)
    np.add.at(outside, of_cell, cells.population)
    there = (outside > 0) | (np.bincount(of_cell, weights=cells.n, minlength=len(tuples)) > 0)
    strictly = int(groups.population[: len(candidates.alike)].sum())
    if (candidates.times[there] > 1).any() or int(outside[candidates.tuple_].sum()) != strictly:
        raise ClaimError(
            f"{asked[0]} cannot be claimed: people of the population may fit several groups of "
            "the release, or one that is not theirs",
            fix="Give the columns hierarchies whose labels do not overlap, and spell each value "
            "alike; or search the lattice.",
        )


def doubt(cells: Cells, candidates: Candidates) -> str:
    """Of whom a reader cannot tell in which group they are, in words."""
    _, of_cell = cells.tuples
    people = int(cells.n[candidates.doubted[of_cell]].sum())
    if not people:
        return "a reader cannot tell which groups people are in"
    who = "1 person fits" if people == 1 else f"{people:,} people fit"
    return f"{who} several groups of the release, or one that they are not in"


def _verdict(job: Job, claim: PrivacyModel, model: PrivacyModel, groups: Groups) -> Verdict:
    return of_people(claim, checked(model, groups), job.rows)
