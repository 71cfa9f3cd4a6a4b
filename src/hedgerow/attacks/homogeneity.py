"""Homogeneity: everybody in a group has the same sensitive value."""

from __future__ import annotations

import numpy as np

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.control_group import Flags, possible
from hedgerow.attacks.declaration import GROUPS, SECRET, ReleaseAttack
from hedgerow.attacks.group_beliefs import (
    SHOWN,
    by_frequency,
    counted,
    group_gains,
    named,
    of_recorded,
    recorded,
)
from hedgerow.attacks.group_guess import GroupGuess
from hedgerow.attacks.intersection import Intersection
from hedgerow.table.attribute import attribute
from hedgerow.table.groups import PEOPLE, Groups, Ints


def homogeneity(groups: Groups, *, of: str, unit: str = PEOPLE) -> AttackResult:
    """Read off the value of everybody whose group has only one.

    Knows: The quasi-identifiers of a target who is in the release.
    Success: The target's value is known for certain. Everybody is a target; about people whose
        group has several values nothing is said.
    Baseline: The most frequent value of the whole table, said of the same people.
    Reference: Machanavajjhala et al. 2006 (ICDE), Section 1.1.

    Where people may have several values, one that everybody in the group has counts. Groups in
    which every value is missing do not: nothing is known of their people. Where some are missing
    and all others are the same, those others are known to whoever takes missing for not recorded.

    Bob is one of three who all have heart disease:

    >>> disease = [{"heart": 3}, {"flu": 1, "heart": 1, "cancer": 1}, {"heart": 1, "cancer": 2}]
    >>> result = homogeneity(Groups.of({"disease": disease}), of="disease")
    >>> result.found.successes, result.found.guesses, result.detail["worst"]
    (3, 9, [{'group': 0, 'people': 3, 'value': 'heart'}])
    """
    domain, histogram = attribute(groups, of)
    owner = histogram.owner()
    known = recorded(domain)[histogram.codes]
    everybody = histogram.counts == groups.n[owner]
    known_of, entries = of_recorded(groups, of)
    recorded_all = np.zeros(len(owner), np.bool_)
    rest = known_of.histograms[of]
    recorded_all[entries] = rest.counts == known_of.n[rest.owner()]
    shared = np.flatnonzero((everybody & known) | recorded_all)
    where, first = np.unique(owner[shared], return_index=True)
    value, having = histogram.codes[shared[first]], histogram.counts[shared[first]]
    certain = int(having.sum())
    blank = np.setdiff1d(owner[everybody & ~known], where)
    usual = by_frequency(domain)[:1]
    guessed = np.isin(histogram.codes, usual) & np.isin(owner, where)
    order = np.lexsort((where, -having))[:SHOWN]
    worst = [
        {
            "group": int(where[i]),
            "people": int(having[i]),
            "value": named(domain, value[i]),
        }
        for i in order
    ]
    told: tuple[str, ...]
    if certain:
        told = (
            f"{certain:,} of {groups.people:,} {unit} are in {counted(len(where), 'group')} where "
            f"everybody{' whose value is recorded' * (certain < int(groups.n[where].sum()))} has "
            f"the same {of}: it is known for certain.",
            f"The largest is group {worst[0]['group']}: {worst[0]['people']:,} {unit}, all with "
            f"{worst[0]['value']}.",
        )
    else:
        told = (f"No group agrees on one {of}.",)
    if len(blank):
        told += (
            f"Every {of} is missing in {counted(len(blank), 'group')} with "
            f"{int(groups.n[blank].sum()):,} {unit}: that is not counted as known.",
        )
    return AttackResult(
        attack="homogeneity",
        goal=f"the {of} of a person in the release is known for certain",
        found=Rate(successes=certain, guesses=groups.people),
        baseline=Rate(successes=int(histogram.counts[guessed].sum()), guesses=groups.people),
        gains=group_gains(groups, of=of),
        sentences=told,
        detail={"of": of, "groups": len(where), "worst": worst},
        unit=unit,
    )


def _right(found: Intersection, true: Ints) -> tuple[Flags, Flags]:
    return found.found, found.named & possible(found, true)


HOMOGENEITY = ReleaseAttack(
    name="homogeneity",
    asks="Does everybody in a group have the same value?",
    success="a person's value is known for certain",
    needs=(GROUPS, SECRET),
    by_group=GroupGuess(homogeneity, _right),
    reference="Machanavajjhala et al. 2006 (ICDE), Section 1.1.",
)
