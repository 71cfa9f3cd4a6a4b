"""Beliefs on what was written: what attackers come to believe who have earlier releases, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil

import numpy as np

from hedgerow.base.errors import ClaimError
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.recoding import Recoding, people_of
from hedgerow.release.partition.candidates import Candidates
from hedgerow.release.partition.earlier_releases import Left
from hedgerow.release.partition.job import Job
from hedgerow.release.partition.judgement import FIX, doubt
from hedgerow.table.cells import Cells
from hedgerow.table.groups import AskedBelief, BeliefsLeft, Groups
from hedgerow.table.records import RecordKinds


def asks_who_fits(job: Job) -> bool:
    """Whether a claim holds only where a reader knows of everybody in which group they are."""
    return bool(job.past) and any(model.bounds_beliefs for model in job.models)


def refuse_believed(
    job: Job,
    cells: Cells,
    chosen: Recoding,
    records: RecordKinds | None,
    candidates: Candidates,
) -> None:
    """Refuse a release that lets somebody believe more than a claim says.

    What was written is joined as an attacker would join it, so this may find more than the claim
    did on the groups alone.

    Args:
        job: The claims, and the earlier releases.
        cells: The source, counted.
        chosen: What was applied.
        records: What was read of the release, row by row.
        candidates: Who fits which group of it.

    Raises:
        ClaimError: Says which claim, and what is believed.
    """
    lefts, _ = job.lefts(cells)
    groups = chosen.groups(cells.in_one_spelling)
    for model, left, asked in _claims_beside(job.models, lefts, groups):
        if not candidates.certain(listed=True):
            raise ClaimError(
                f"{model} cannot be claimed beside earlier releases: {doubt(cells, candidates)}, "
                "and nobody knows what is believed then",
                fix=FIX,
            )
        kind = left.kind[chosen.cell]
        found = left.believed_by(groups, chosen.seen_group, kind, chosen.people, records, asked)
        if found.largest > asked.enough:
            raise ClaimError(
                f"{model} does not hold on what was written: {_sentence(found)}",
                fix="Do not publish the columns on which releases are joined as they are, allow "
                f"coarser levels, or {weaker(asked)}.",
            )


def beliefs_told(models: Sequence[PrivacyModel], left: Left, groups: Groups) -> Iterator[str]:
    """What attackers would believe by these groups and the earlier releases, for a refusal."""
    for _, _, asked in _claims_beside(models, [left], groups):
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
    asked = [asked for _, _, asked in _claims_beside(models, lefts, groups)]
    if not told:
        return error
    return ClaimError(
        f"{error.what}. Even if everybody were in one group: {' '.join(told)}".removesuffix("."),
        where=error.where,
        fix=f"{weaker(asked[0]).capitalize()}; or do not publish.",
    )


def _claims_beside(
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
