"""Exposure: what a release gives away to whoever has earlier ones of the same people, too."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import ClaimError, HedgerowError, some
from hedgerow.base.jit import kernel
from hedgerow.claims.base import LARGEST, PrivacyModel
from hedgerow.claims.composition import in_common, would_hold
from hedgerow.claims.joins import joined_on
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.release.partition.belief_check import beliefs_told, claims_beside
from hedgerow.release.partition.earlier_releases import Codes, Left, Words, in_words
from hedgerow.release.partition.written_groups import records_read
from hedgerow.table.cells import Cells
from hedgerow.table.contents import Contents
from hedgerow.table.groups import Ints
from hedgerow.table.records import RecordKinds

if TYPE_CHECKING:
    from hedgerow.release.partition.job import Job

Flags = NDArray[np.bool_]
FEW = (1, 2, 3)
"""How many values the exposed are left with, at most."""


@dataclass(frozen=True)
class Exposure:
    """How many people of a release are left with few values, given earlier ones too."""

    of: str
    people: int
    """In the table."""
    together: tuple[int, ...]
    """For each of FEW, people of the table who are left with at most so many values."""
    alone: tuple[int, ...]
    """The same without the earlier releases."""
    releases: tuple[str, ...]
    """The earlier ones."""
    only_earlier: tuple[int, ...] = (0,) * len(FEW)
    """For each of FEW, people who are only in earlier releases, and whom this one leaves at most
    so many values where the earlier ones leave more."""
    joined: tuple[str, ...] = ()
    """The columns on which records were joined, besides the sensitive one."""
    unjoined: str | None = None
    """Why releases were not joined and counted, where they were not."""
    fewest: int | None = None
    """The fewest values anybody is left with, also of people who are only in earlier releases and
    of whom this one tells more; None where no value can be learned."""

    @property
    def gone(self) -> int:
        """People who are only in earlier releases, and whom this one leaves a single value."""
        return self.only_earlier[0]

    @property
    def sentence(self) -> str:
        """For the steward."""
        sure, half = self.together[0], self.together[1]
        told = (
            f"together with {_listed(self.releases)} it leaves {sure:,} of {self.people:,} people "
            f"one possible {self.of} ({self.alone[0]:,} by itself) and {half:,} at most two "
            f"({self.alone[1]:,} by itself), {self.checked}."
        )
        if any(self.only_earlier[:2]):
            one, two = self.only_earlier[:2]
            told += (
                f" Of people who are only in earlier releases, it leaves {one:,} one and {two:,} "
                "at most two; a composition claim counts them too."
            )
        return told

    @property
    def checked(self) -> str:
        """By what."""
        if self.unjoined is not None:
            return (
                "by intersecting groups only; what joining the releases and counting leaves was "
                f"not checked: {self.unjoined}"
            )
        on = f"joining on {some(self.joined)}" if self.joined else "joining"
        return f"by intersecting groups, {on} and counting"

    def summary(self) -> dict[str, object]:
        """For `--json`."""
        return {
            "of": self.of,
            "people": self.people,
            "releases": list(self.releases),
            "left": [
                {"values": few, "people": many, "by_itself": alone}
                for few, many, alone in zip(FEW, self.together, self.alone, strict=True)
            ],
            "only_in_earlier_releases": self.gone,
            "only_in_earlier_releases_left": [
                {"values": few, "people": many}
                for few, many in zip(FEW, self.only_earlier, strict=True)
            ],
            "joined_on": list(self.joined),
            "not_joined": self.unjoined,
        }


def exposure(
    left: Left,
    cells: Cells,
    recoding: Recoding,
    records: RecordKinds | None = None,
    *,
    asked: Collection[int] = (),
) -> Exposure:
    """How much a recoding gives away to whoever has the earlier releases too.

    These are the numbers that `composition` goes by: where it says that m values remain, nobody is
    left with fewer here.

    Args:
        left: What the earlier releases say.
        cells: Of the table.
        recoding: Of these.
        records: What was read of the release where it was written, by groups of the recoding.
        asked: How many values claims ask for.
    """
    cell, people = recoding.cell, recoding.people
    groups, group = recoding.groups(cells), recoding.seen_group
    inside = group != SUPPRESSED
    h = groups.histograms[left.of]
    here = np.zeros((len(groups), len(left.values)), np.bool_)
    here[h.owner(), h.codes] = True
    here[:, [i for i, value in enumerate(left.values) if value is None]] = False
    single = np.append(here.sum(axis=1), LARGEST)[group]
    seen = np.array([value is not None for value in left.values], np.bool_)
    counts = _counts(
        in_words(here), h.indptr, h.codes, seen, np.argsort(group, kind="stable"), group,
        left.profile[cell], left.own[cell], left.start, left.members, left.sets,
    )  # fmt: skip
    counts[~inside] = LARGEST
    learned = left.own[cell] >= 0
    gone, why = np.zeros(0, np.int64), left.unjoined
    joined: tuple[str, ...] = ()
    each = by_groups = np.repeat(np.where(learned, counts, LARGEST), people)
    if left.joins is not None:
        kind = left.kind[cell]
        shows = left.shows(groups, kind[inside], group[inside], people[inside], records)
        try:
            # More effort is made for people who lack values. All that is found is proven, so what
            # one effort finds another does not take away.
            for least in sorted({few + 1 for few in FEW} | {*asked}):
                if least > FEW[0] + 1 and _fewest(each, gone) >= least:
                    continue
                found = left.joins.left(shows, kind, group, people, least=least, proven=False)
                now = np.minimum(by_groups, found.inside)
                if least == FEW[0] + 1:
                    each, gone = now, found.gone
                else:
                    each, gone = np.maximum(each, now), _larger(gone, found.gone)
        except HedgerowError as error:  # too many to hold, or several values a person
            why, each, gone = error.what, by_groups, np.zeros(0, np.int64)
        else:
            joined = joined_on((shows, *left.joins.earlier), left.of)
    fewest = _fewest(each, gone)
    return Exposure(
        left.of,
        int(people.sum()),
        tuple(int((each <= few).sum()) for few in FEW),
        tuple(int(people[learned & (single <= few)].sum()) for few in FEW),
        tuple(before.name for before, _ in left.fitting),
        tuple(int((gone <= few).sum()) for few in FEW),
        joined,
        why,
        None if fewest == LARGEST else fewest,
    )


def _fewest(*counts: Ints) -> int:
    return min(int(count.min(initial=LARGEST)) for count in counts)


def _larger(one: Ints, other: Ints) -> Ints:
    """Of the smallest numbers the larger, of the second smallest, and so on; both ascending.

    >>> _larger(np.array([1, 2]), np.array([2])).tolist() == [2, LARGEST]
    True
    """
    longest = max(len(one), len(other))
    one, other = (np.append(c, np.full(longest - len(c), LARGEST)) for c in (one, other))
    return np.maximum(one, other)


def _listed(names: Sequence[str]) -> str:
    """Names of releases, as they are.

    >>> _listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def explain_refusal(
    error: ClaimError,
    models: Sequence[PrivacyModel],
    lefts: Sequence[Left],
    cells: Cells,
    recoding: Recoding,
) -> ClaimError:
    """The refusal, with what would be exposed by the best recoding that disregards the past.

    Where earlier releases break a claim by themselves, that is said instead: no release helps.
    """
    for model in models:
        least = model.values_left
        for left in lefts:
            if least is None or left.of != model.column:
                continue
            if already := left.broken_before(least):
                people = "1 person" if already == 1 else f"{already:,} people"
                few = "one value" if least == 2 else f"fewer than {least} values"
                return ClaimError(
                    f"{model} cannot be kept. The earlier releases alone already leave {people} "
                    f"{few} of {left.of}; no release can keep this claim",
                    where=error.where,
                    fix="Weaken or remove the claim; without it, publish says how many people "
                    "are left few values.",
                )
    told = [exposure(left, cells, recoding).sentence for left in lefts if left.fitting]
    groups, counts = recoding.groups(cells), False
    for left in lefts:
        told += beliefs_told(models, left, groups)
        counts |= any(asked.everybody for _, _, asked in claims_beside(models, [left], groups))
    return ClaimError(
        "no generalisation keeps every claim, because of earlier releases. The best one without "
        f"regard to them must not go out: {' '.join(told)}".removesuffix("."),
        where=error.where,
        fix="Allow coarser levels or more suppression, or ask for less"
        f"{', such as `knows: person`' if counts else ''}; or do not publish.",
    )


def exposures(
    job: Job, cells: Cells, chosen: Recoding, contents: Contents | None
) -> tuple[Exposure, ...]:
    """What the release gives away together with earlier ones, by sensitive column.

    Args:
        job: Has the earlier ones.
        cells: The source, counted.
        chosen: What was applied.
        contents: What was read of it, with all its columns that are not generalised.
    """
    lefts, _ = job.lefts(cells)
    one, records = cells.in_one_spelling, records_read(chosen, contents)
    asked = [model.values_left for model in job.models if model.composes]
    least = {few for few in asked if few is not None}
    return tuple(
        exposure(left, one, chosen, records, asked=least) for left in lefts if left.fitting
    )


def refuse_exposed(models: Sequence[PrivacyModel], exposures: Sequence[Exposure]) -> None:
    """Refuse a release that does not leave everybody as many values as a claim says.

    What was written is joined as an attacker would join it, so this may find more than the claim
    did on the groups alone.
    """
    for model in models:
        for found in exposures if model.composes else ():
            if found.of != model.column:
                continue
            if found.unjoined is not None:
                raise ClaimError(
                    f"{model} cannot be checked: {found.unjoined}",
                    fix="Publish fewer columns as they are, or give up the claim.",
                )
            least = model.values_left
            if least is not None and found.fewest is not None and found.fewest < least:
                raise ClaimError(
                    f"{model} does not hold on what was written: {found.sentence}".removesuffix(
                        "."
                    ),
                    fix="Do not publish the columns on which releases are joined as they are, "
                    "allow coarser levels, or ask for fewer values.",
                )


@kernel
def _counts(
    here: Words, indptr: Ints, codes: Codes, seen: Flags, order: Ints, group: Ints,
    profile: Codes, own: Codes, start: Ints, members: Ints, sets: Words,
) -> Ints:  # fmt: skip
    """For each part, how many values are left for its people: see `values_left`.

    0 where their value is missing, or where they are left out.

    Args:
        here: Groups by words: the values that somebody in the group has, a bit each.
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]].
        codes: Sensitive values.
        seen: Of each value, whether it can be learned; missing cannot.
        order: The parts, group by group.
        group: Of each part, the group; below 0 where its people are left out.
        profile: Of each part, the list of earlier groups its people may be in,
        own: and their value, below 0 where it is missing.
        start: Profile p has the groups members[start[p]:start[p + 1]] of earlier releases.
        members: Places in `sets`.
        sets: Groups of earlier releases by words: the values, a bit each.
    """
    counts = np.zeros(len(group), np.int64)
    stamp = np.full(len(start) - 1, -1, np.int64)
    held = np.zeros(len(start) - 1, np.int64)
    for i in order:
        if own[i] >= 0 and group[i] >= 0:
            g, p = group[i], profile[i]
            first, last = start[p], start[p + 1]
            if stamp[p] != g:
                stamp[p] = g
                mine = codes[indptr[g] : indptr[g + 1]]
                width = 0
                for v in mine:
                    width += seen[v]
                held[p] = width
                if first != last:
                    held[p] = would_hold(mine, seen, here[g], width, first, last, members, sets)
            common = in_common(here[g], own[i], first, last, members, sets)
            counts[i] = min(held[p], common)
    return counts
