"""Minimality: that people were merged into one group says that they had to be.

Who knows the requirement, and that the publisher generalises no more than it takes, knows that
some class of the merged ones did not keep it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, prod
from typing import Any, Literal

import numpy as np

from hedgerow.attacks.annotation import with_release
from hedgerow.attacks.attack_input import AttackInput
from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.credibility import Worked, exact_bound
from hedgerow.attacks.declaration import (
    GROUPS,
    ORIGINAL,
    SECRET,
    AttackOutcome,
    ReleaseAttack,
    known_number,
)
from hedgerow.attacks.gains import Gains
from hedgerow.attacks.group_beliefs import SHOWN, counted, named
from hedgerow.attacks.merged_classes import classes_of
from hedgerow.base.errors import DataError, PlanError, nearest, some
from hedgerow.table.attribute import alone, attribute
from hedgerow.table.groups import Groups, Histogram, Ints, Sensitive, sort_members

MOST = 1_000_000
"""Additions for one group, about; with more it counts as too large to work out."""

Credibilities = Sequence[tuple[Fraction, ...]]
"""For each class, the credibility of each value."""


def minimality(
    classes: Groups,
    into: Ints,
    *,
    of: str,
    l: float | Fraction,  # noqa: E741
    values: Sequence[str | None] | None = None,
    recoding: Literal["local", "global"] = "local",
) -> AttackResult:
    """Ask of every merged group what made the publisher merge it.

    Knows: Everybody's quasi-identifiers, hence the classes and their sizes; the release; that in
        no group more than one person in l may have the same protected value; and that classes
        were merged only because one of them, published alone, would have broken this. Where
        groups are merged for other reasons too (k-anonymity), credibilities say too much.
    Success: A person has the value named for their class. Named are values with a credibility
        above 1/l, which is what the requirement promises.
    Baseline: The same guesses by somebody who has the release and everybody's
        quasi-identifiers, and does not know how the release was made: a value's share of the
        published group.
    Reference: Wong, Fu, Wang, Pei 2007 (VLDB). The release is m-confidential if no credibility
        exceeds 1/m.

    Args:
        classes: The groups that would have been published had the requirement allowed it. Their
            sensitive values are used for scoring alone.
        into: The published group of each class.
        of: The sensitive column.
        l: No protected value may be had by more than one person in l of a group.
        values: The protected values; all if left out.
        recoding: Whether each group was merged for itself (local), or all of them because some
            class somewhere had to be (global: full-domain generalisation).

    Raises:
        DataError: The release does not keep the requirement; or it is too large to work out.

    Two classes, of 2 and 5 people, became one group with two cases of HIV. Had the five had a case
    or both, every class would have been fine; so it was the two.

    >>> truth = [{"HIV": 2}, {"flu": 2, "gout": 2, "acne": 1}]
    >>> result = minimality(Groups.of({"illness": truth}), np.array([0, 0]), of="illness", l=2,
    ...                     values=["HIV"])
    >>> result.found.value, round(result.baseline.value, 4), result.detail["m"]
    (1.0, 0.2857, 1.0)
    """
    domain, histogram = attribute(classes, of)
    alone(domain)
    if recoding not in ("local", "global"):
        raise PlanError(f"there is no {recoding!r} recoding", fix="It is local or global.")
    bound = exact_bound(l)
    size = _sizes(classes, into)
    published = classes.merge(into, size)
    guarded = _guarded(domain, values)
    _refuse_broken(published, of, domain, guarded, bound)
    start, members = sort_members(into, size)
    merged = np.flatnonzero(np.diff(start) > 1)
    known = [
        _Merged.of(
            g, members[start[g] : start[g + 1]], classes.n, published.histograms[of], guarded, bound
        )
        for g in merged.tolist()
    ]
    beliefs, puzzling, large = _beliefs(known, bound, recoding)
    guesses = _guesses(known, beliefs)
    told = [guess for guess in guesses if guess["credibility"] > 1 / bound]
    truth = {(g, c): n for g, c, n in _entries(histogram)}
    for guess in told:
        guess["count"] = truth.get((guess["class"], guess["code"]), 0)
    highest = max((guess["credibility"] for guess in guesses), default=Fraction(0))
    people = sum(guess["people"] for guess in told)
    expected = sum((guess["people"] * guess["share"] for guess in told), Fraction(0))
    worst = sorted(told, key=lambda guess: (-guess["credibility"], -guess["people"]))[:SHOWN]
    return AttackResult(
        attack="minimality",
        goal=f"a person has the {of} named for their class, with a credibility above "
        f"{float(1 / bound):.3g}",
        found=Rate(successes=sum(guess["count"] for guess in told), guesses=people),
        baseline=Rate(successes=float(expected), guesses=people),
        gains=_gains(classes, of, into, published, zip(known, beliefs, strict=True)),
        sentences=tuple(_told(of, bound, domain, len(known), told, worst, people)),
        detail={
            "of": of,
            "l": float(bound),
            "merged_groups": len(known),
            "highest_credibility": float(highest),
            # A value that could not have made merging necessary stays within what was promised.
            "m": float(min(bound, 1 / highest)) if highest else float(bound),
            "not_explained": puzzling,
            "too_large": large,
            "worst": [_plain(guess, domain) for guess in worst],
        },
    )


@dataclass(frozen=True, eq=False)
class _Merged:
    """What is known of one published group: its classes, and the values that could be too many."""

    group: int
    classes: Ints
    sizes: tuple[int, ...]
    """People in each class."""
    codes: Ints
    """Protected values that could break the requirement in some class."""
    counts: tuple[int, ...]
    """People of the group who have each of them."""

    @classmethod
    def of(
        cls,
        group: int,
        classes: Ints,
        n: Ints,
        histogram: Histogram,
        guarded: Ints,
        bound: Fraction,
    ) -> _Merged:
        classes = classes[n[classes] > 0]
        entries = slice(histogram.indptr[group], histogram.indptr[group + 1])
        codes, counts = histogram.codes[entries], histogram.counts[entries]
        sizes = n[classes]
        room = np.array([floor(size / bound) for size in sizes.tolist()])
        able = (np.minimum.outer(counts, sizes) > room).any(axis=1) & np.isin(codes, guarded)
        return cls(
            group,
            classes,
            tuple(sizes.tolist()),
            codes[able].astype(np.int64),
            tuple(counts[able].tolist()),
        )

    def cost(self, bound: Fraction) -> int:
        """About how many additions it takes to work it out."""
        states = prod(c + 1 for c in self.counts)
        ways = [prod(min(floor(n / bound), c) + 1 for c in self.counts) for n in self.sizes]
        return states * sum(ways)

    def naive(self) -> Credibilities:
        """Every class like the group."""
        people = sum(self.sizes)
        return [tuple(Fraction(c, people) for c in self.counts)] * len(self.sizes)


def _beliefs(
    known: Sequence[_Merged], bound: Fraction, recoding: str
) -> tuple[list[Credibilities], int, int]:
    """Credibilities of each group; how many nothing explains, and how many are too large."""
    worked: list[Worked | None] = []
    for group in known:
        small = group.cost(bound) <= MOST
        worked.append(Worked(group.sizes, group.counts, bound) if small else None)
    large = sum(w is None for w in worked)
    if recoding == "global" and large:
        raise DataError(
            f"{large:,} groups are too large to work out what made them necessary",
            fix="Name the protected value you are after, or attack a part of the release.",
        )
    every = prod((w.fine for w in worked if w is not None), start=Fraction(1))
    beliefs: list[Credibilities] = []
    puzzling = 0
    for group, w in zip(known, worked, strict=True):
        if w is None:
            beliefs.append(group.naive())
            continue
        if recoding == "local":
            elsewhere = Fraction(1)
        else:
            elsewhere = every / w.fine if w.fine else _others(worked, w)
        if w.fine * elsewhere == 1:
            puzzling += 1
            beliefs.append(group.naive())
        else:
            beliefs.append(w.given(elsewhere))
    return beliefs, puzzling, large


def _others(worked: Sequence[Worked | None], own: Worked) -> Fraction:
    others = (w.fine for w in worked if w is not None and w is not own)
    return prod(others, start=Fraction(1))


def _guesses(known: Sequence[_Merged], beliefs: Sequence[Credibilities]) -> list[dict[str, Any]]:
    """For each class of a merged group, the protected value it most likely has."""
    found = []
    for group, shares in zip(known, beliefs, strict=True):
        people = sum(group.sizes)
        for place, belief in enumerate(shares):
            if not belief:
                continue
            best = max(range(len(belief)), key=lambda v: (belief[v], -v))
            found.append(
                {
                    "group": group.group,
                    "class": int(group.classes[place]),
                    "people": group.sizes[place],
                    "code": int(group.codes[best]),
                    "credibility": belief[best],
                    "share": Fraction(group.counts[best], people),
                }
            )
    return found


def _gains(
    classes: Groups,
    of: str,
    into: Ints,
    published: Groups,
    credited: Iterable[tuple[_Merged, Credibilities]],
) -> Gains:
    """What is gained about everybody in the classes: by credibility, else by the group's share."""
    domain, histogram = classes.domains[of], classes.histograms[of]
    credible = {
        (int(c), int(code)): credibility[v]
        for group, shares in credited
        for c, credibility in zip(group.classes, shares, strict=True)
        if credibility
        for v, code in enumerate(group.codes)
    }
    shown = {(g, code): n for g, code, n in _entries(published.histograms[of])}
    people, belief, certain, before = [], [], [], []
    for c, code, n in _entries(histogram):
        group = int(into[c])
        share = Fraction(shown[group, code], int(published.n[group]))
        p = credible.get((c, code), share)
        people.append(n if domain.values[code] is not None else 0)
        belief.append(float(p))
        certain.append(p == 1)
        before.append(domain.reference[code] / domain.people)
    weight = np.array(people, np.int64)
    return Gains.believed(
        np.repeat(np.array(belief), weight),
        np.repeat(np.array(before), weight),
        np.repeat(np.array(certain, np.bool_), weight),
    )


def _entries(histogram: Histogram) -> Iterator[tuple[int, int, int]]:
    owner = histogram.owner().tolist()
    yield from zip(owner, histogram.codes.tolist(), histogram.counts.tolist(), strict=True)


def _plain(guess: Mapping[str, Any], domain: Sensitive) -> dict[str, Any]:
    told = {name: guess[name] for name in ("group", "class", "people", "count")}
    return told | {
        "value": named(domain, guess["code"]),
        "credibility": float(guess["credibility"]),
        "share": float(guess["share"]),
    }


def _told(
    of: str, bound: Fraction, domain: Sensitive, merged: int, told: Sequence[Mapping[str, Any]],
    worst: Sequence[Mapping[str, Any]], people: int,
) -> Iterator[str]:  # fmt: skip
    if not merged:
        yield "No group was merged from several classes: there is nothing to learn from it."
        return
    if not told:
        yield (
            f"That {counted(merged, 'group')} had to be merged leaves every belief at or below "
            f"{float(1 / bound):.3g}."
        )
        return
    first = worst[0]
    yield (
        f"That groups had to be merged says more than the requirement allows about {people:,} "
        f"people in {counted(len(told), 'class', 'classes')}."
    )
    yield (
        f"The {first['people']:,} people of class {first['class']} have "
        f"{named(domain, first['code'])} with credibility {float(first['credibility']):.3g}; their "
        f"group shows {float(first['share']):.3g}, and at most {float(1 / bound):.3g} was promised."
    )


def _sizes(classes: Groups, into: Ints) -> int:
    if len(into) != len(classes) or not np.issubdtype(into.dtype, np.integer) or into.min() < 0:
        raise DataError(
            f"{len(into):,} groups for {len(classes):,} classes",
            fix="Give the published group of each class, a number from 0.",
        )
    return int(into.max()) + 1


def _guarded(domain: Sensitive, values: Sequence[str | None] | None) -> Ints:
    if values is None:
        return np.arange(len(domain.values))
    place = {value: code for code, value in enumerate(domain.values)}
    for value in values:
        if value not in place:
            near = nearest(str(value), [v for v in domain.values if v is not None])
            raise PlanError(
                f"nobody has {value!r}",
                where=f"column {domain.name!r}",
                fix=f"Did you mean {near!r}?" if near else f"There are {some(domain.values)}.",
            )
    return np.array([place[value] for value in values], np.int64)


def _refuse_broken(
    published: Groups, of: str, domain: Sensitive, guarded: Ints, bound: Fraction
) -> None:
    """The attacker's premise is a release that keeps the requirement."""
    histogram = published.histograms[of]
    owner = histogram.owner()
    p, q = bound.as_integer_ratio()
    broken = np.isin(histogram.codes, guarded) & (histogram.counts * p > published.n[owner] * q)
    if broken.any():
        entry = int(np.flatnonzero(broken)[0])
        raise DataError(
            f"the release does not keep the requirement: {histogram.counts[entry]:,} of "
            f"{published.n[owner[entry]]:,} people of group {owner[entry]} have "
            f"{named(domain, histogram.codes[entry])}, more than one in {float(bound):g}",
            fix="Give the l the release was made with.",
        )


def _attempt(read: AttackInput) -> Iterator[AttackResult]:
    assert read.truth is not None, "it needs them"
    bound = read.number("l")
    for published in read.releases:
        for of in read.of:
            if of in read.truth.columns:
                classes = classes_of(published, read.truth, of)
                # Full-domain levels are raised for everybody if some class somewhere needs it.
                how: Any = "global" if published.made == "full-domain" else "local"
                if classes.left_out and (how == "global" or classes.merged == 0):
                    raise DataError(
                        f"{classes.left_out:,} of {len(published):,} groups have other records "
                        "than those of the people who fit only them, so nobody knows who was "
                        "merged",
                        where=published.name,
                        fix="Either people fit several groups, and then the attack cannot be "
                        "tried; or the truth is not the original of this release.",
                    )
                found = minimality(classes.groups, classes.into, of=of, l=bound, recoding=how)
                yield with_release(published, classes.told(found), classes.located)


MINIMALITY = ReleaseAttack(
    name="minimality",
    asks="Does it give somebody away that the publisher generalised no more than needed?",
    success="what made the publisher generalise is named",
    needs=(GROUPS, SECRET, ORIGINAL, known_number("l", "the diversity that was asked for", "3")),
    knows={"l": "No value may be had by more than one person in l of a group."},
    outcomes=(AttackOutcome(name="minimality", silent=True),),
    attempt=_attempt,
    raw="everybody in the release: who would have been in which group",
    by_default=False,
    reference="Wong, Fu, Wang, Pei 2007 (VLDB).",
)
