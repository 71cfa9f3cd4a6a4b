"""What is believed of somebody who fits several groups never breaks a claim that every group keeps.

By enumeration, in fractions, with no code of Hedgerow but the claims: every way to deal out the
records to people who fit their labels. The attacker knows one person, or everybody, or how likely
each person is to be in each group, and never anything about who has which value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import exp, log
from random import Random
from typing import Any

import pandas as pd
import pytest

import hedgerow
from hedgerow.base.errors import ClaimError
from hedgerow.claims import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from hedgerow.claims.base import PrivacyModel
from hedgerow.table.groups import Groups

Shares = Sequence[Fraction]
VALUES = "abc"
CASES = 150
ROUNDING = 1e-9
"""What logarithms in floating point may be off."""


@dataclass(frozen=True)
class Dealt:
    """A release with overlapping labels, and people who may be in it."""

    records: tuple[tuple[int, int], ...]
    """The group of each, and its value."""
    fits: tuple[frozenset[int], ...]
    """Of each person, the groups."""
    likely: tuple[tuple[int, ...], ...]
    """People by groups: how likely the attacker takes it that the person is there."""

    @property
    def groups(self) -> list[Counter[int]]:
        found: dict[int, Counter[int]] = {}
        for group, value in self.records:
            found.setdefault(group, Counter())[value] += 1
        return list(found.values())

    @property
    def table(self) -> list[Fraction]:
        counts = Counter(value for _, value in self.records)
        return [Fraction(counts[v], len(self.records)) for v in range(len(VALUES))]

    def read(self) -> Groups:
        """As the claims take it."""
        return Groups.of(
            {"s": [{VALUES[v]: n for v, n in sorted(g.items())} for g in self.groups]},
            order={"s": [v for v, share in zip(VALUES, self.table, strict=True) if share]},
        )


def dealt(seed: int) -> Dealt:
    """People who were really put into groups; labels that often fit others, too."""
    random = Random(seed)
    if random.random() < 0.3:  # few have three values in every group by chance
        records = [(g, v) for g in range(2) for v in range(3)]
    else:
        groups, people = random.randint(2, 3), random.randint(4, 6)
        records = [
            (random.randrange(groups), random.choice([0, 0, 1, 1, 2])) for _ in range(people)
        ]
    there = sorted({group for group, _ in records})
    fits = [frozenset({g, *(h for h in there if random.random() < 0.5)}) for g, _ in records]
    if random.random() < 0.3:  # suppressed: somebody fits, and has no record
        fits.append(frozenset(random.sample(there, 1)))
    likely = tuple(tuple(random.randint(1, 4) for _ in range(3)) for _ in fits)
    return Dealt(tuple(records), tuple(fits), likely)


def alone(case: Dealt) -> Iterator[list[Fraction]]:
    """Whoever knows one person takes every record that fits for equally likely theirs."""
    for fits in case.fits:
        values = Counter(value for group, value in case.records if group in fits)
        yield [Fraction(values[v], values.total()) for v in range(len(VALUES))]


def everybody(
    case: Dealt, prior: Sequence[Shares] | None = None, *, weighed: bool = False
) -> Iterator[list[Fraction]]:
    """Whoever has the whole list deals out the records; of each person, if they are in it.

    Args:
        case: The release.
        prior: How likely each value is of each person; where left out nobody differs.
        weighed: Whether people are likelier in some groups.
    """
    people = range(len(case.fits))
    found = [[Fraction(0)] * len(VALUES) for _ in people]

    def deal(owners: tuple[int, ...], weight: int | Fraction) -> None:
        if len(owners) == len(case.records):
            for person, (_, value) in zip(owners, case.records, strict=True):
                found[person][value] += weight
            return
        group, value = case.records[len(owners)]
        for person in people:
            if person not in owners and group in case.fits[person]:
                likely = case.likely[person][group] if weighed else 1
                believed = 1 if prior is None else prior[person][value]
                if believed:
                    deal((*owners, person), weight * likely * believed)

    deal((), 1)
    for shares in found:
        if total := sum(shares, Fraction(0)):
            yield [share / total for share in shares]


# What each claim says of a distribution p, where the table has q; from the definitions.


def distinct(p: Shares, q: Shares, *, least: int) -> bool:
    return sum(share > 0 for share in p) >= least


def likeliest(p: Shares, q: Shares, *, most: Fraction) -> bool:
    return max(p) <= most


def entropy(p: Shares, q: Shares, *, least: float) -> bool:
    return exp(-sum(float(share) * log(share) for share in p if share)) >= least - ROUNDING


def recursive(p: Shares, q: Shares, *, c: Fraction, at: int) -> bool:
    ordered = sorted(p, reverse=True)
    return ordered[0] < c * sum(ordered[at - 1 :])


def equal(p: Shares, q: Shares, *, t: Fraction) -> bool:
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2 <= t


def ordered(p: Shares, q: Shares, *, t: Fraction) -> bool:
    kept = [(a, b) for a, b in zip(p, q, strict=True) if b]
    moved = [abs(sum(a - b for a, b in kept[: i + 1])) for i in range(len(kept))]
    return sum(moved, Fraction(0)) / max(1, len(kept) - 1) <= t


def disclosure(p: Shares, q: Shares, *, delta: float) -> bool:
    pairs = [(a, b) for a, b in zip(p, q, strict=True) if b]
    return all(a > 0 and abs(log(a / b)) < delta + ROUNDING for a, b in pairs)


def likeness(p: Shares, q: Shares, *, beta: Fraction, enhanced: bool) -> bool:
    for a, b in zip(p, q, strict=True):
        if a > b and (a - b) / b > beta:
            return False
        if enhanced and a > b and float((a - b) / b) > -log(b) + ROUNDING:
            return False
    return True


Says = Callable[[Shares, Shares], bool]
HALF = Fraction(1, 2)
CLAIMS: list[tuple[PrivacyModel, Says]] = [
    (DistinctLDiversity(l=2, of="s"), partial(distinct, least=2)),
    (DistinctLDiversity(l=3, of="s"), partial(distinct, least=3)),
    (ProbabilisticLDiversity(l=1.5, of="s"), partial(likeliest, most=Fraction(2, 3))),
    (EntropyLDiversity(l=1.8, of="s"), partial(entropy, least=1.8)),
    (RecursiveLDiversity(c=2, l=2, of="s"), partial(recursive, c=Fraction(2), at=2)),
    (RecursiveLDiversity(c=3, l=3, of="s"), partial(recursive, c=Fraction(3), at=3)),
    (AlphaKAnonymity(alpha=0.5, k=2, of="s"), partial(likeliest, most=HALF)),
    (TCloseness(t=0.25, of="s"), partial(equal, t=Fraction(1, 4))),
    (TCloseness(t=0.25, of="s", distance="ordered"), partial(ordered, t=Fraction(1, 4))),
    (DeltaDisclosure(delta=0.9, of="s"), partial(disclosure, delta=0.9)),
    (BetaLikeness(beta=1, of="s"), partial(likeness, beta=Fraction(1), enhanced=False)),
    (
        BetaLikeness(beta=1, of="s", kind="enhanced"),
        partial(likeness, beta=Fraction(1), enhanced=True),
    ),
]  # fmt: skip


def broken(
    said: Callable[[Dealt], bool], says: Says, beliefs: Callable[[Dealt], Iterator[list[Fraction]]]
) -> tuple[int, int]:
    """In how many cases the claim is made, and in how many of these a belief breaks it."""
    made = wrong = 0
    for seed in range(CASES):
        case = dealt(seed)
        if said(case):
            made += 1
            wrong += not all(says(p, case.table) for p in beliefs(case))
    return made, wrong


@pytest.fixture(scope="module")
def believed() -> dict[str, dict[Dealt, list[list[Fraction]]]]:
    """Everything that is believed, which all claims are held against."""
    cases = [dealt(seed) for seed in range(CASES)]
    return {
        "alone": {case: list(alone(case)) for case in cases},
        "everybody": {case: list(everybody(case)) for case in cases},
        "weighed": {case: list(everybody(case, weighed=True)) for case in cases},
    }


@pytest.mark.parametrize("attacker", ["alone", "everybody", "weighed"])
@pytest.mark.parametrize(("claim", "says"), CLAIMS, ids=[str(claim) for claim, _ in CLAIMS])
def test_a_claim_that_every_group_keeps_holds_of_everybody(
    claim: PrivacyModel,
    says: Says,
    attacker: str,
    believed: dict[str, dict[Dealt, list[list[Fraction]]]],
) -> None:
    beliefs = believed[attacker]
    made, wrong = broken(
        lambda case: bool(claim.holds(case.read()).all()), says, lambda case: iter(beliefs[case])
    )
    assert wrong == 0
    assert CASES / 50 < made < CASES


def test_who_is_in_one_group_is_believed_what_it_shows() -> None:
    """The enumeration by hand: Ann fits both groups, Bob and Cem one each."""
    case = Dealt(
        ((0, 0), (0, 1), (1, 2)), (frozenset({0, 1}), frozenset({0}), frozenset({0, 1})),
        ((1, 1, 1),) * 3,
    )  # fmt: skip
    quarter, half = Fraction(1, 4), HALF
    # Bob has one of the two records of the first group; the other one and the last are the others'.
    assert list(everybody(case)) == [
        [quarter, quarter, half], [half, half, Fraction(0)], [quarter, quarter, half],
    ]  # fmt: skip
    assert next(alone(case)) == [Fraction(1, 3)] * 3


# Planted mistakes.
PLANTED = CLAIMS[:1] + CLAIMS[3:5] + CLAIMS[7:8]


@pytest.mark.parametrize(("claim", "says"), PLANTED, ids=[str(claim) for claim, _ in PLANTED])
def test_a_group_that_nobody_looks_at_is_noticed(claim: PrivacyModel, says: Says) -> None:
    """A person may be in it, although their own group keeps the claim."""
    made, wrong = broken(lambda case: bool(claim.holds(case.read())[0]), says, alone)
    assert made > wrong > 0


def test_a_claim_that_is_not_closed_is_noticed() -> None:
    """At most two values in every group: together they may have three."""

    def says(p: Shares, q: Shares) -> bool:
        return sum(share > 0 for share in p) <= 2

    made, wrong = broken(
        lambda case: all(len(group) <= 2 for group in case.groups), says, everybody
    )
    assert made > wrong > 0


def test_whoever_knows_what_somebody_has_is_another_attacker() -> None:
    """The first person is known not to have a: then the record with a is somebody else's."""
    claim, says = CLAIMS[0]

    def knowing(case: Dealt) -> Iterator[list[Fraction]]:
        usual, never = [Fraction(1)] * 3, [Fraction(0), Fraction(1), Fraction(1)]
        return everybody(case, [never] + [usual] * (len(case.fits) - 1))

    made, wrong = broken(lambda case: bool(claim.holds(case.read()).all()), says, knowing)
    assert made > wrong > 0


def test_a_prior_that_all_people_share_changes_nothing() -> None:
    prior = [Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)]
    for seed in range(20):
        case = dealt(seed)
        assert list(everybody(case, [prior] * len(case.fits))) == list(everybody(case))


# Published tables, read as anybody reads them.

TREE = {"Europe": ("Spanish", "Polish"), "Asia": ("Thai", "Lao")}
BELOW = {"*": {"Spanish", "Polish", "Thai", "Lao"}, **{k: set(v) for k, v in TREE.items()}}
METHODS: list[Any] = [
    "local",
    {"search": "lattice", "suppress": "40%", "keep_suppressed": True},
]


@pytest.mark.parametrize("method", METHODS, ids=["local", "keep_suppressed"])
def test_no_belief_breaks_what_is_certified(method: Any) -> None:
    """By nationality, whoever knows one person; every claim that the release certifies."""
    several = certified = 0
    for seed in range(24):
        random = Random(seed)
        nationality = random.choices(["Spanish", "Polish", "Thai", "Lao"], (6, 3, 2, 1), k=24)
        table = pd.DataFrame({"nat": nationality, "s": random.choices(VALUES, (3, 2, 2), k=24)})
        claims = [CLAIMS[i] for i in random.sample(range(len(CLAIMS)), 2)]
        try:
            release = hedgerow.publish(
                table,
                columns={
                    "nat": {
                        "role": "quasi-identifier",
                        "hierarchy": {"taxonomy": {k: list(v) for k, v in TREE.items()}},
                    },
                    "s": {"role": "sensitive", "order": list(VALUES)},
                },
                protect=[{"k-anonymity": 3}, *(claim for claim, _ in claims)],
                method=method,
            )
        except ClaimError:
            continue
        rows = release.data.to_pandas()
        whole = table["s"].value_counts()
        q = [Fraction(int(whole.get(v, 0)), len(table)) for v in VALUES]
        for nat in sorted(set(nationality)):
            fits = [label for label in set(rows["nat"]) if nat in BELOW.get(label, {label})]
            found = Counter(rows["s"][rows["nat"].isin(fits)])
            if not found:
                continue
            several += len(fits) > 1
            p = [Fraction(found[v], found.total()) for v in VALUES]
            for claim, says in claims:
                certified += 1
                assert says(p, q), (seed, claim, nat)
    assert several > 3
    assert certified > 20
