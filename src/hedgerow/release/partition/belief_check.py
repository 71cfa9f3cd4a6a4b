"""Beliefs on what was written: what attackers come to believe who have earlier releases, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np

from hedgerow.base.errors import ClaimError
from hedgerow.claims.base import PrivacyModel, Verdict
from hedgerow.claims.worlds.belief_world import FittedSets
from hedgerow.recode.recoding import Recoding, people_of
from hedgerow.release.partition.candidates import Candidates
from hedgerow.release.partition.earlier_releases import Left
from hedgerow.release.partition.job import Job
from hedgerow.release.partition.judgement import FIX, doubt
from hedgerow.release.partition.written_groups import intended_groups, records_read
from hedgerow.table.cells import Cells
from hedgerow.table.contents import Contents
from hedgerow.table.groups import AskedBelief, BeliefsLeft, Groups, Ints
from hedgerow.table.label_taxonomies import written_out
from hedgerow.table.location import Located, locate
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

WIDER = (
    "Allow a larger belief or coarser groups; or publish in groups that do not overlap: search the "
    "lattice without keep_suppressed, or use strict Mondrian with `boxes: ranges`."
)


def asks_who_fits(job: Job) -> bool:
    """Whether a claim holds only where a reader knows of everybody in which group they are."""
    return bool(job.past) and any(model.bounds_beliefs for model in job.models)


def fitted(cells: Cells, chosen: Recoding, candidates: Candidates, group: Ints) -> FittedSets:
    """Of each part of the people of a recoding, all groups that they fit.

    Args:
        cells: The source, counted.
        chosen: The recoding.
        candidates: Who fits which group of it.
        group: Of each group as the candidates number them, the group of the recoding.
    """
    start = np.searchsorted(candidates.tuple_, np.arange(candidates.tuples + 1))
    size = len(chosen.seen[0])
    sets = FittedSets.read(Located(start, group[candidates.group]), size)
    of_tuple = cells.tuples[1][chosen.cell]
    inside = chosen.seen_group >= 0
    return FittedSets(sets.groups, np.where(inside, sets.of[of_tuple], -1))


def refuse_believed(
    job: Job,
    cells: Cells,
    chosen: Recoding,
    contents: Contents,
    candidates: Candidates,
    published: Published,
) -> dict[int, Fraction]:
    """Refuse a release that lets somebody believe more than a claim says.

    What was written is joined as an attacker would join it, who knows which groups people fit. So
    this may find more than the claim did on the groups alone.

    Args:
        job: The claims, and the earlier releases.
        cells: The source, counted.
        chosen: What was applied.
        contents: What was read of the release.
        candidates: Who fits which group of it.
        published: The release as its recipients know it.

    Returns:
        Of claims, by their place, what is believed at most.

    Raises:
        ClaimError: Says which claim, and what is believed.
    """
    lefts, _ = job.lefts(cells)
    groups, records = chosen.groups(cells.in_one_spelling), records_read(chosen, contents)
    seen = fitted(cells, chosen, candidates, intended_groups(chosen, contents))
    believed: dict[int, Fraction] = {}
    for model, left, asked in claims_beside(job.models, lefts, groups):
        if asked.everybody and (why := _unlisted(cells, candidates, contents, published)):
            raise ClaimError(
                f"{model} cannot be claimed beside earlier releases: {why}, and what somebody "
                "believes who knows everybody cannot be counted then",
                fix=f"Protect against attackers who know one person: `knows: person`. Or: {FIX}",
            )
        found = left.believed_by(
            groups, chosen.seen_group, left.kind[chosen.cell], chosen.people, records, asked,
            seen=seen if seen.overlap else None,
        )  # fmt: skip
        if found.largest > asked.enough:
            where = f"{doubt(cells, candidates)}, and " if seen.overlap else ""
            raise ClaimError(
                f"{model} does not hold on what was written: {where}{_sentence(found)}",
                fix=WIDER
                if seen.overlap
                else "Do not publish the columns on which releases are "
                f"joined as they are, allow coarser levels, or {weaker(asked)}.",
            )
        place = next(i for i, one in enumerate(job.models) if one is model)
        believed[place] = max(found.largest, believed.get(place, Fraction(0)))
    return believed


def believes_too_much(job: Job, cells: Cells, chosen: Recoding) -> bool:
    """Whether somebody who knows which groups people fit believes more than a claim says.

    By the labels that will be written. What was written is judged by `refuse_believed`.
    """
    groups = chosen.groups(cells.in_one_spelling)
    shown = np.flatnonzero(groups.n > 0)
    if not len(shown):
        return False
    nodes = written_out(job.plan.specs, cells.hierarchies)
    seen = fitted(cells, chosen, Candidates.in_recoding(cells, chosen, shown, nodes), shown)
    lefts, _ = job.lefts(cells)
    return seen.overlap and any(
        left.believed_by(
            groups, chosen.seen_group, left.kind[chosen.cell], chosen.people, None, asked,
            seen=seen,
        ).largest > asked.enough
        for _, left, asked in claims_beside(job.models, lefts, groups)
    )  # fmt: skip


def with_beliefs(
    claims: Sequence[Verdict], believed: Mapping[int, Fraction]
) -> tuple[Verdict, ...]:
    """The verdicts, with what is believed by whoever knows which groups people fit."""
    found = list(claims)
    for place, largest in believed.items():
        if float(largest) > found[place].level:
            level = min(float(largest), found[place].required)
            found[place] = replace(found[place], level=level, worst=None)
    return tuple(found)


def _unlisted(
    cells: Cells, candidates: Candidates, contents: Contents, published: Published
) -> str | None:
    """Why nobody can list who is where in a release, where that is so."""
    if candidates.misplaced.any() or candidates.absent.any():
        return "people who were left out fit groups of the release"
    if not np.array_equal(candidates.alike, np.arange(len(candidates.alike))):
        return "a reader may take several groups of the release for one"
    if not published.quasi:
        return None
    values = tuple(h.values for h in cells.hierarchies)
    names = tuple(h.name for h in cells.hierarchies)
    plain = locate(published, Targets(names, values, cells.tuples[0]))
    tuple_ = np.repeat(np.arange(candidates.tuples), plain.count)
    size = len(candidates.alike)
    group = np.lexsort(contents.codes.T[::-1])[plain.groups]  # in the order of `Published.of`
    if np.array_equal(
        np.unique(tuple_ * size + group), candidates.tuple_ * size + candidates.group
    ):
        return None
    return f"{doubt(cells, candidates)}, and which they fit may be read in two ways"


def beliefs_told(models: Sequence[PrivacyModel], left: Left, groups: Groups) -> Iterator[str]:
    """What attackers would believe by these groups and the earlier releases, for a refusal."""
    for _, _, asked in claims_beside(models, [left], groups):
        sentence = _sentence(left.believed(groups, asked))
        yield f"{sentence[0].upper()}{sentence[1:]}."
        before = left.believed_before(groups, asked)
        if before > asked.enough:
            yield f"By the earlier releases alone it is up to {_percent(before)}."


def explain_in_one_group(
    error: ClaimError, models: Sequence[PrivacyModel], lefts: Sequence[Left], cells: Cells
) -> ClaimError:
    """The refusal, with what would be believed if everybody were in one group."""
    everybody = np.zeros(len(cells.n), np.int64)
    groups = people_of(cells, np.arange(len(cells.n)), cells.n).merge(everybody, 1)
    told = [line for left in lefts for line in beliefs_told(models, left, groups)]
    asked = [asked for _, _, asked in claims_beside(models, lefts, groups)]
    if not told:
        return error
    return ClaimError(
        f"{error.what}. Even if everybody were in one group: {' '.join(told)}".removesuffix("."),
        where=error.where,
        fix=f"{weaker(asked[0]).capitalize()}; or do not publish.",
    )


def claims_beside(
    models: Sequence[PrivacyModel], lefts: Sequence[Left], groups: Groups
) -> Iterator[tuple[PrivacyModel, Left, AskedBelief]]:
    """Claims about beliefs, with what earlier releases say, and which attackers are meant."""
    for model in models:
        for left in lefts:
            if left.of != model.column or left.joins is None:
                continue
            asked = model.beliefs_left(groups.domains[left.of])
            if asked is not None:
                yield model, left, asked


def weaker(asked: AskedBelief) -> str:
    """What to ask for instead."""
    if not asked.everybody:
        return "allow a larger belief"
    return (
        "allow a larger belief, or protect against attackers who know one person: `knows: person`"
    )


def _sentence(found: BeliefsLeft) -> str:
    if found.unknown is not None:
        return found.unknown
    said = (
        "whoever joins it with the earlier releases and counts may believe in a value with up to "
        f"{_percent(found.largest)}"
    )
    return said if found.counted else f"{said} (a bound: there is too much to count)"


def _percent(belief: Fraction) -> str:
    return f"{ceil(belief * 1000) / 10:.1f}%"
