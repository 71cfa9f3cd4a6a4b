"""Skewness: a value much more frequent in a group than in the whole table."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.control_group import Flags, only_group
from hedgerow.attacks.declaration import GROUPS, SECRET, AttackOutcome, ReleaseAttack
from hedgerow.attacks.group_beliefs import SHOWN, counted, group_gains, named, recorded
from hedgerow.attacks.group_guess import GroupGuess
from hedgerow.attacks.intersection import Intersection
from hedgerow.base.errors import PlanError
from hedgerow.table.attribute import attribute
from hedgerow.table.groups import PEOPLE, Floats, Groups, Ints

TIMES = 2.0
"""How many times as frequent, unless said otherwise."""


def skewness(groups: Groups, *, of: str, times: float = TIMES, unit: str = PEOPLE) -> AttackResult:
    """Name, in each group, the value whose share has grown most against the whole table's.

    Knows: The quasi-identifiers of a target who is in the release, and how the values are spread
        in the whole table.
    Success: A person has the value that was named: in their group it is at least `times` as
        frequent as in the table. Guessed about are only the people of such groups.
    Baseline: The same values said of as many people of the whole table.
    Reference: Li, Li, Venkatasubramanian 2007 (ICDE), Section 3.2.

    One person in a hundred is positive, in the first group every second one:

    >>> virus = [{"positive": 50, "negative": 50}, {"positive": 50, "negative": 9850}]
    >>> result = skewness(Groups.of({"virus": virus}), of="virus")
    >>> result.found.value, round(result.baseline.value, 4), result.detail["worst"][0]["times"]
    (0.5, 0.01, 50.0)
    """
    domain, histogram = attribute(groups, of)
    if not isinstance(times, int | float) or not 1 < times < float("inf"):
        raise PlanError(
            f"times must be a number above 1, not {times!r}", fix="Give a number such as 2."
        )
    owner = histogram.owner()
    lift, top = _top(groups, of, times)
    people = groups.n[owner[top]]
    prior = domain.reference[histogram.codes[top]] / domain.people
    right, guesses = int(histogram.counts[top].sum()), int(people.sum())
    listed = top[np.lexsort((owner[top], -people, -lift[top]))][:SHOWN]
    worst: list[dict[str, Any]] = [
        {
            "group": int(owner[e]),
            "people": int(groups.n[owner[e]]),
            "value": named(domain, histogram.codes[e]),
            "count": int(histogram.counts[e]),
            "belief": float(histogram.counts[e] / groups.n[owner[e]]),
            "before": float(domain.reference[histogram.codes[e]] / domain.people),
            "times": float(lift[e]),
        }
        for e in listed
    ]
    told: tuple[str, ...]
    if len(top):
        told = (
            f"{guesses:,} of {groups.people:,} {unit} are in {counted(len(top), 'group')} where "
            f"some {of} is at least {times:g} times as frequent as in the table.",
            f"Whoever finds somebody in group {worst[0]['group']} believes in {worst[0]['value']} "
            f"with {worst[0]['belief']:.1%} instead of {worst[0]['before']:.2%}, "
            f"{_times(worst[0]['times'])} times as much.",
        )
    else:
        told = (f"In no group is any {of} {times:g} times as frequent as in the table.",)
    return AttackResult(
        attack="skewness",
        goal=f"a person has the {of} named for their group, at least {times:g} times as frequent "
        "there as in the table",
        found=Rate(successes=right, guesses=guesses),
        baseline=Rate(successes=float(min((people * prior).sum(), guesses)), guesses=guesses),
        gains=group_gains(groups, of=of),
        sentences=told,
        detail={"of": of, "times": float(times), "groups": len(top), "worst": worst},
        unit=unit,
    )


def _times(lift: float) -> str:
    """How many times, in three digits or as a whole number.

    >>> _times(2.5555), _times(2810.4)
    ('2.56', '2,810')
    """
    return f"{lift:,.0f}" if lift >= 1000 else f"{lift:,.3g}"


def grown(groups: Groups, *, of: str, times: float = TIMES) -> Ints:
    """The value that is named for each group, as a code; -1 where none has grown so much."""
    histogram = groups.histograms[of]
    _, top = _top(groups, of, times)
    named = np.full(len(groups), -1, np.int64)
    named[histogram.owner()[top]] = histogram.codes[top]
    return named


def _top(groups: Groups, of: str, times: float) -> tuple[Floats, Ints]:
    """How much each entry has grown; and the entry of each group that has most, if by enough."""
    domain, histogram = attribute(groups, of)
    owner = histogram.owner()
    # That somebody's value is missing is not what an attacker wants to know.
    lift = np.where(recorded(domain)[histogram.codes], lifts(groups, of=of), 0.0)
    order = np.lexsort((-histogram.counts, -lift, owner))
    _, first = np.unique(owner[order], return_index=True)
    top = order[first]
    return lift, top[lift[top] >= times]


def lifts(groups: Groups, *, of: str) -> Floats:
    """n(q, s) / n(q) over n(s) / n, in the order of the histogram's entries."""
    domain, histogram = attribute(groups, of)
    here = histogram.counts * domain.people
    before = domain.reference[histogram.codes] * groups.n[histogram.owner()]
    # In lowest terms, so that two values that have grown alike have the same number.
    common = np.gcd(here, before)
    lift: Floats = (here // common) / (before // common)
    return lift


def _right(found: Intersection, true: Ints) -> tuple[Flags, Flags]:
    """Only those who fit one group, of which a value is named, are spoken of."""
    group, one = only_group(found)
    named = grown(found.releases[0].groups, of=found.of)
    said = one & (named[group] >= 0)
    return said, found.codes[0][named[group]] == true


SKEWNESS = ReleaseAttack(
    name="skewness",
    asks="Is a value much likelier in a group than elsewhere?",
    success="a person has the value that is more frequent in their group",
    needs=(GROUPS, SECRET),
    outcomes=(AttackOutcome(name="skewness", silent=True),),
    by_group=GroupGuess(skewness, _right),
    reference="Li, Li, Venkatasubramanian 2007 (ICDE), Section 3.2.",
)
