"""Kernels of epsilon-privacy: what attackers believe of each group, with and without a person.

n people are in a group, `count` of them make a predicate true. Of m of these, out of N people
whose records the attacker does not hold, they believe p_in = m / N. Had the person's record
been taken out, they would believe p_out = (count - 1 + u) / (n + v) and 1 - p_out =
(n - count + w) / (n + x), where u, v, w, x come from their prior; or, where nothing changes
their mind, p_out = u and 1 - p_out = w.

Where people fit several groups, some records are perhaps those of known people: `perhaps`. The
attacker may take any of them out. p_in is largest where they take out all of these that do not
make the predicate true, and none of those that do: m / (N - the former).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Floats, Ints

Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]

ROUNDS = 60
SLACK = 1e-9
"""Relative; bounds are rounded up by it, never down."""


@kernel
def smallest_epsilons(
    indptr: Ints,
    codes: Codes,
    counts: Ints,
    n: Ints,
    start: Ints,
    predicates: Codes,
    negated: Flags,
    known: Flags,
    perhaps: Flags,
    may_be: Ints,
    asking: Codes,
    wish_start: Ints,
    wishes: Codes,
    knows: int,
    learns: Flags,
    u: Floats,
    v: Floats,
    w: Floats,
    x: Floats,
    lenient: bool,
) -> Floats:
    """For each group the smallest epsilon at which it is private.

    Args:
        indptr: Group g owns entries indptr[g] to indptr[g + 1].
        codes: What the people of an entry have.
        counts: How many people.
        n: People of each group.
        start: What has code c is in predicates[start[c] : start[c + 1]].
        predicates: As above.
        negated: Which predicates mean the opposite.
        known: Codes of people whose records the attacker holds.
        perhaps: Codes of records that may be known people's, or not.
        may_be: The people who may be in group g have asking[may_be[g] : may_be[g + 1]].
        asking: As above; where `lenient`, codes as above.
        wish_start: People who have c of these want wishes[wish_start[c] : wish_start[c + 1]]
            protected.
        wishes: As above; empty where everybody wants every predicate protected.
        knows: How many people's records the attacker holds, whoever they are.
        learns: For each extreme prior, whether the release changes it.
        u: For each extreme prior and predicate; v, x for each extreme prior.
        v: As above.
        w: As above.
        x: As above.
        lenient: Whether a person for whom the predicate is false is reckoned as such.
    """
    size = len(negated)
    count = np.zeros(size, np.int64)
    held_by_known = np.zeros(size, np.int64)
    held_perhaps = np.zeros(size, np.int64)
    met = np.empty(size, np.int64)
    wanted = np.zeros(size, np.bool_)
    own = np.zeros(size, np.bool_)
    opposites = np.flatnonzero(negated)
    personal = len(wishes) > 0
    level = np.ones(len(n))
    for g in range(len(n)):
        touched = 0
        listed = 0
        unsure = 0
        for e in range(indptr[g], indptr[g + 1]):
            code, c = codes[e], counts[e]
            if known[code]:
                listed += c
            if perhaps[code]:
                unsure += c
            for i in range(start[code], start[code + 1]):
                p = predicates[i]
                if count[p] == 0 and not negated[p]:
                    met[touched] = p
                    touched += 1
                count[p] += c
                if known[code]:
                    held_by_known[p] += c
                if perhaps[code]:
                    held_perhaps[p] += c
        for p in opposites:
            met[touched] = p
            touched += 1
        if personal:
            for e in range(may_be[g], may_be[g + 1]):
                code = asking[e]
                for i in range(wish_start[code], wish_start[code + 1]):
                    p = wishes[i]
                    wanted[p] = True
                    if lenient:
                        inside = False
                        for j in range(start[code], start[code + 1]):
                            if predicates[j] == p:
                                inside = True
                        if inside != negated[p]:
                            own[p] = True
        worst = 1.0
        for i in range(touched):
            p = met[i]
            if personal and not wanted[p]:
                continue
            true_of = n[g] - count[p] if negated[p] else count[p]
            held = true_of - (listed - held_by_known[p] if negated[p] else held_by_known[p])
            if held <= 0:
                continue
            false_of = held_perhaps[p] if negated[p] else unsure - held_perhaps[p]
            others = n[g] - listed - knows - false_of
            if held >= others:
                worst = np.inf
                break
            back = 1 if lenient and personal and not own[p] else 0
            for k in range(len(learns)):
                if learns[k]:
                    out = ((true_of - 1 + back) + u[k, p]) / (n[g] + v[k])
                    not_out = (n[g] - true_of + w[k, p] - back) / (n[g] + x[k])
                else:
                    out, not_out = u[k, p], w[k, p]
                surer = np.inf if out <= 0 else (held / others) / out
                worst = max(worst, surer, not_out * (others / (others - held)))
                if not worst >= 1:  # what is not a number is not private
                    worst = np.inf
        level[g] = worst
        for i in range(touched):
            p = met[i]
            count[p] = 0
            held_by_known[p] = 0
            held_perhaps[p] = 0
        if personal:
            wanted[:] = False
            own[:] = False
    return level


@kernel
def most_who_stay(
    indptr: Ints,
    codes: Codes,
    counts: Ints,
    n: Ints,
    start: Ints,
    predicates: Codes,
    negated: Flags,
    apart: bool,
    knows: int,
    learns: Flags,
    u: Floats,
    v: Floats,
    w: Floats,
    x: Floats,
    epsilon: float,
) -> Ints:
    """At most how many people of each group are in parts of it that are private.

    In a private group of n people at most a certain share makes a predicate true; the share
    grows with n, so what it is for all who could stay bounds it for those who do.

    Args:
        indptr: As in `smallest_epsilons`, and so are the other arguments.
        codes: See there.
        counts: See there.
        n: See there.
        start: See there.
        predicates: See there.
        negated: See there.
        apart: Whether every value is in exactly one predicate.
        knows: See there.
        learns: See there.
        u: See there.
        v: See there.
        w: See there.
        x: See there.
        epsilon: What is asked for.
    """
    size = len(negated)
    count = np.zeros(size, np.int64)
    met = np.empty(size, np.int64)
    opposites = np.flatnonzero(negated)
    stay = np.zeros(len(n), np.int64)
    for g in range(len(n)):
        touched = 0
        for e in range(indptr[g], indptr[g + 1]):
            for i in range(start[codes[e]], start[codes[e] + 1]):
                p = predicates[i]
                if count[p] == 0 and not negated[p]:
                    met[touched] = p
                    touched += 1
                count[p] += counts[e]
        for p in opposites:
            met[touched] = p
            touched += 1
        people = float(n[g])
        for _ in range(ROUNDS):
            others = max(people - knows, 0.0)  # in a group of known people nothing may be true
            together = 0.0
            fewest = people
            for i in range(touched):
                p = met[i]
                true_of = float(n[g] - count[p] if negated[p] else count[p])
                share = 1.0
                for k in range(len(learns)):
                    if learns[k]:
                        slope = people + v[k] - epsilon * others
                        if slope > 0:
                            share = min(share, max(0.0, epsilon * (u[k, p] - 1) / slope))
                        room = epsilon * (people + x[k]) - others
                        if room <= 0:
                            share = 0.0
                        else:
                            share = min(share, max(0.0, 1 - (knows + w[k, p]) / room))
                    else:
                        share = min(share, epsilon * u[k, p], max(0.0, 1 - w[k, p] / epsilon))
                held = min(true_of, share * (1 + SLACK) * others)
                together += held
                fewest = min(fewest, n[g] - true_of + held)
            if apart:
                fewest = min(fewest, together)
            fewest = fewest * (1 + SLACK) + 1e-6
            if fewest >= people * (1 - 1e-12):
                break
            people = fewest
        for i in range(touched):
            count[met[i]] = 0
        stay[g] = min(n[g], np.int64(people * (1 + SLACK) + 1e-6))
    return stay
