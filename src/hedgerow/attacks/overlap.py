"""Partial overlap: not everybody in the first release is in the others too.

The intersection attack takes for granted that a person is in every release. For people who only
seem to be, because somebody alike is, what it leaves over is not about them. How many there are
can be known, or estimated with strangers: people who are in none of the releases. Groups that do
not cover everybody fit those who are in a release more often than those who are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.attacks.base import Rate
from hedgerow.attacks.bit_sets import Words, one_left
from hedgerow.base.errors import PlanError
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.location import Located


@dataclass(frozen=True)
class Overlap:
    """How many of the people of the first release are in another one."""

    release: str
    """The other one."""
    fitting: Rate
    """Of the people of the first release, those who fit into the other."""
    low: float
    value: float
    """The share of the people of the first release who are in the other."""
    high: float
    estimated: bool

    @property
    def trust(self) -> float:
        """Of those who fit into the other release, the share that is in it."""
        return min(1.0, self.value / self.fitting.value) if self.fitting.value else 0.0

    @property
    def sentence(self) -> str:
        people = f"{self.fitting.successes:,.0f} of the {self.fitting.guesses:,} people looked for"
        if not self.estimated:
            return (
                f"{people} fit into {self.release}; if {self.value:.0%} of all are in it, "
                f"{self.trust:.0%} of those who fit are."
            )
        return (
            f"{people} fit into {self.release}. About {self.value:.0%} (95 % interval "
            f"{self.low:.0%} to {self.high:.0%}) are in it, {self.trust:.0%} of those who fit, as "
            "strangers fit less often."
        )


def known_overlaps(
    releases: Sequence[str], located: Sequence[Located], share: float
) -> tuple[Overlap, ...]:
    """The share of the first release's people that is in each further release, where known.

    Raises:
        PlanError: It is not a share.
    """
    if not 0 <= share <= 1:
        raise PlanError(
            f"an overlap is a share from 0 to 1, not {share}", fix="Say 0.3, or estimate."
        )
    _several(releases)
    first = located[0].count > 0
    return tuple(
        Overlap(name, _fitting(first, where), share, share, share, False)
        for name, where in zip(releases[1:], located[1:], strict=True)
    )


def estimated_overlaps(
    releases: Sequence[str], located: Sequence[Located], strangers: Sequence[Located]
) -> tuple[Overlap, ...]:
    """The share of the first release's people that is in each further release, estimated.

    Args:
        releases: Their names, the first being the one people are known to be in.
        located: For each, where these people may be.
        strangers: For each, where people may be who are in none of them, but are otherwise like
            those who are in the first.

    Raises:
        PlanError: Nothing can be told: all strangers fit, or there are none.
    """
    _several(releases)
    first, other = located[0].count > 0, strangers[0].count > 0
    if not other.any():
        raise PlanError(
            "no stranger fits into the first release, so none is like its people",
            fix="Give other people with --control, or say the share.",
        )
    found = []
    for name, where, them in zip(releases[1:], located[1:], strangers[1:], strict=True):
        seen, chance = _fitting(first, where), _fitting(other, them)
        if chance.value == 1:
            raise PlanError(
                f"every stranger fits into {name}, so fitting says nothing about being in it",
                fix="Say the share: --overlap 0.3.",
            )
        (low, high), (less, more) = seen.interval(), chance.interval()
        value = overlap_by_fit(seen=seen.value, strangers=chance.value)
        ends = overlap_by_fit(seen=low, strangers=more), overlap_by_fit(seen=high, strangers=less)
        found.append(Overlap(name, seen, ends[0], value, ends[1], True))
    return tuple(found)


def overlap_by_fit(*, seen: float, strangers: float) -> float:
    """The share of people who are in a release, by how many of them fit into it.

    Of strangers a share f fits by accident. Of people of whom a share x is in the release,
    x + (1 - x) f fit.

    >>> round(overlap_by_fit(seen=0.6, strangers=0.2), 3)
    0.5
    """
    return max(0.0, (seen - strangers) / (1 - strangers)) if strangers < 1 else 0.0


def told_overlaps(overlaps: Sequence[Overlap], *, alone: int) -> Iterator[str]:
    """How far what several releases say together can be trusted.

    Args:
        overlaps: Of the first release with each further one.
        alone: People for whom the first release by itself leaves one value.
    """
    if overlaps and alone:
        yield f"For {alone:,} the first release alone leaves one value: they count in full."
    yield from (overlap.sentence for overlap in overlaps)
    if len(overlaps) > 1:
        yield (
            "Whoever it takes several of them for counts with the smallest of these shares. That "
            "is an upper bound: fewer may be in all of them."
        )


def trusted(each: Sequence[Words], trust: Sequence[float], *, blank: int | None = None) -> Floats:
    """The chance that the one value left for each person is about them; 0 where several are.

    It is 1 where the first release leaves one already. Else it is the share of those who fit that
    is in the other release it takes; where it takes several, the smallest of their shares, which
    is an upper bound. Who does not fit into a release, or has no value in common with what is
    left, is not in it.

    Args:
        each: For each release, the values possible for each person, a bit each.
        trust: For each release but the first, the share of those who fit that is in it.
        blank: Which bit says that a value is missing; that is none.
    """
    left = each[0].copy()
    chance = one_left(left, blank=blank).astype(np.float64)
    settled = chance > 0
    # Whatever can be told from releases of at least this trust is told before the next.
    for j in np.argsort(-np.asarray(trust, np.float64), kind="stable"):
        both = left & each[1 + j]
        fits = both.any(axis=1)
        left[fits] = both[fits]
        new = one_left(left, blank=blank) & ~settled
        chance[new] = trust[j]
        settled |= new
    return chance


def _several(releases: Sequence[str]) -> None:
    if len(releases) < 2:
        raise PlanError("an overlap needs at least two releases", fix="Name the other one, too.")


def _fitting(first: np.ndarray[tuple[int], np.dtype[np.bool_]], where: Located) -> Rate:
    counts: Ints = where.count[first]
    return Rate(successes=int((counts > 0).sum()), guesses=int(first.sum()))
