"""Background knowledge: values somebody can rule out for the target."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.control_group import Flags, possible
from hedgerow.attacks.declaration import GROUPS, SECRET, ReleaseAttack
from hedgerow.attacks.group_beliefs import (
    SHOWN,
    beliefs,
    by_frequency,
    counted,
    group_gains,
    named,
    of_recorded,
    recorded,
    whole_number,
)
from hedgerow.attacks.group_guess import GroupGuess
from hedgerow.attacks.intersection import Intersection
from hedgerow.base.jit import kernel
from hedgerow.table.attribute import alone, attribute
from hedgerow.table.groups import PEOPLE, Floats, Groups, Histogram, Ints, Sensitive

Codes = NDArray[np.int32]
STEPS = (0.5, 0.75, 0.9, 1.0)
"""Beliefs whose number of people a result gives."""


def background_knowledge(
    groups: Groups, *, of: str, m: int = 1, unit: str = PEOPLE
) -> AttackResult:
    """Rule out up to m values for each target, those that help most.

    Knows: The quasi-identifiers of a target who is in the release, and m values the target does
        not have. Which they are is the worst case: for each person the m values of the group,
        other than their own, that most people have.
    Success: The target's value is known for certain, as only it is left in the group. Everybody
        is a target; where the value is missing there is none to know.
    Baseline: Somebody with the same background knowledge and no release, who says of the same
        people the most frequent value of the whole table that is not ruled out.
    Reference: Machanavajjhala et al. 2006 (ICDE), Section 3: after l - 2 values are ruled out,
        recursive (c, l)-diversity keeps every belief below c / (c + 1).

    Joe has HIV and Sally knows that he has no pneumonia: 50 of the 51 who are left have HIV.

    >>> joe = Groups.of({"disease": [{"HIV": 50, "pneumonia": 49, "bronchitis": 1}]})
    >>> result = background_knowledge(joe, of="disease", m=2)
    >>> [round(step["highest"], 3) for step in result.detail["beliefs"]]
    [0.5, 0.98, 1.0]
    >>> [step["certain"] for step in result.detail["beliefs"]]
    [0, 0, 100]
    """
    domain, histogram = attribute(groups, of)
    alone(domain)
    whole_number("m", m)
    distinct = np.diff(histogram.indptr)
    # Nobody is left to rule out when a group's other values all are.
    most = min(int(m), int(distinct.max(initial=0)))
    steps = [_step(groups, of, ruled) for ruled in range(most + 1)]
    open_ = (distinct > 0) & (distinct <= m + 1)
    owner = histogram.owner()
    known = recorded(domain)[histogram.codes]
    known_of, entries = of_recorded(groups, of)
    found_out = open_[owner] & known
    rest = known_of.histograms[of]
    found_out[entries] |= (np.diff(rest.indptr) <= m + 1)[rest.owner()]
    certain = int(histogram.counts[found_out].sum())
    order = by_frequency(domain)
    # Nobody guesses that a value is missing: its place is behind all.
    place = np.full(len(domain.values), len(order), np.int64)
    place[order] = np.arange(len(order))
    usual = _first_absent(histogram.indptr, histogram.codes, order, open_)
    guessed = open_[owner] & (place[histogram.codes] < usual[owner])
    belief = beliefs(groups, of=of, m=m)
    worst = _worst(groups, domain, histogram, belief, known)
    ruled_out = counted(int(m), "value")
    told = [
        f"Whoever can rule out {ruled_out} knows the {of} of {certain:,} of {groups.people:,} "
        f"{unit} for certain; without ruling any out, of {steps[0]['certain']:,}."
    ]
    if worst and not certain:
        told.append(
            f"The highest belief, in group {worst[0]['group']}: {worst[0]['belief']:.1%} for "
            f"{worst[0]['value']}, which {worst[0]['count']:,} of its {worst[0]['people']:,} "
            f"{unit} have."
        )
    return AttackResult(
        attack="background-knowledge",
        goal=f"the {of} of a person in the release is known for certain, {ruled_out} being "
        "ruled out",
        found=Rate(successes=certain, guesses=groups.people),
        baseline=Rate(successes=int(histogram.counts[guessed].sum()), guesses=groups.people),
        gains=group_gains(groups, of=of, m=m),
        sentences=tuple(told),
        detail={"of": of, "m": m, "beliefs": steps, "worst": worst},
        unit=unit,
    )


def _step(groups: Groups, of: str, m: int) -> dict[str, Any]:
    """How people's beliefs are spread when m values are ruled out; 0 where it is missing."""
    histogram = groups.histograms[of]
    known = recorded(groups.domains[of])[histogram.codes]
    belief, counts = np.where(known, beliefs(groups, of=of, m=m), 0.0), histogram.counts
    return {
        "m": m,
        "certain": int(counts[belief >= 1].sum()),
        "mean": float((belief * counts).sum() / groups.people),
        "highest": float(belief.max(initial=0.0)),
        "at_least": [[least, int(counts[belief >= least].sum())] for least in STEPS],
    }


def _worst(
    groups: Groups,
    domain: Sensitive,
    histogram: Histogram,
    belief: Floats,
    known: NDArray[np.bool_],
) -> list[dict[str, Any]]:
    """The entries with the highest beliefs, one for each group; most people first among equals."""
    owner = histogram.owner()
    order = np.lexsort((owner, -histogram.counts, -belief))
    order = order[known[order]]
    _, first = np.unique(owner[order], return_index=True)
    return [
        {
            "group": int(owner[e]),
            "people": int(groups.n[owner[e]]),
            "value": named(domain, histogram.codes[e]),
            "count": int(histogram.counts[e]),
            "belief": float(belief[e]),
        }
        for e in order[np.sort(first)[:SHOWN]]
    ]


@kernel
def _first_absent(indptr: Ints, codes: Codes, order: Ints, asked: NDArray[np.bool_]) -> Ints:
    """For each group asked about, the place in `order` of the first value it does not have.

    One place behind the last where it has them all; 0 for groups that are not asked about.

    Args:
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]].
        codes: Sensitive values.
        order: The values that are not missing, in the order in which they are guessed.
        asked: Of each group, whether it is asked about.
    """
    found = np.zeros(len(asked), np.int64)
    for g in range(len(asked)):
        if not asked[g]:
            continue
        for place in range(len(order)):
            found[g] = place
            present = False
            for e in range(indptr[g], indptr[g + 1]):
                if codes[e] == order[place]:
                    present = True
                    break
            if not present:
                break
            found[g] = place + 1
    return found


def _right(found: Intersection, true: Ints) -> tuple[Flags, Flags]:
    """One value ruled out leaves theirs, as in the default of the attack."""
    known = true >= 0 if found.missing is None else (true >= 0) & (true != found.missing)
    return found.found, known & (found.posterior <= 2) & possible(found, true)


BACKGROUND_KNOWLEDGE = ReleaseAttack(
    name="background-knowledge",
    asks="Is a value certain once a few others are ruled out?",
    success="a person's value is known for certain, one other being ruled out",
    needs=(GROUPS, SECRET),
    by_group=GroupGuess(background_knowledge, _right),
    reference="Machanavajjhala et al. 2006 (ICDE), Section 3.",
)
