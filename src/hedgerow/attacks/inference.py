"""Inference: what a group's sensitive values say about each person in it.

Homogeneity is the case where everybody in the group has the same value; background knowledge
adds values somebody can rule out for the target. A value that is missing is not known, however
many people it is missing of.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.gains import Gains, ratio_gains
from hedgerow.base.errors import PlanError
from hedgerow.base.jit import kernel
from hedgerow.base.spelling import unrecorded
from hedgerow.table.attribute import alone, attribute
from hedgerow.table.groups import PEOPLE, Floats, Groups, Histogram, Ints, Sensitive

Codes = NDArray[np.int32]

SHOWN = 10
"""How many of the worst groups a result lists."""
STEPS = (0.5, 0.75, 0.9, 1.0)
"""Beliefs whose number of people a result gives."""


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


def beliefs(groups: Groups, *, of: str, m: int) -> Floats:
    """The belief in their own value of the people of each entry of the histogram.

    n(q, s) / (n(q) - the m largest other counts), in the order of the histogram's entries; as
    many people as its count have it. Where values are missing, the larger of that and the same
    among those of whom something is recorded.

    >>> carl = Groups.of({"disease": [{"heart": 1, "cancer": 2}]})
    >>> beliefs(carl, of="disease", m=0).round(3).tolist()
    [0.333, 0.667]
    >>> beliefs(carl, of="disease", m=1).tolist()
    [1.0, 1.0]
    """
    domain, histogram = attribute(groups, of)
    alone(domain)
    others, _ = _ruled_out(domain, histogram, m)
    belief: Floats = histogram.counts / (groups.n[histogram.owner()] - others)
    known_of, entries = of_recorded(groups, of)
    if len(entries) < len(belief):
        rest = known_of.histograms[of]
        others, _ = _ruled_out(known_of.domains[of], rest, m)
        careful = rest.counts / (known_of.n[rest.owner()] - others)
        belief[entries] = np.maximum(belief[entries], careful)
    return belief


def group_gains(groups: Groups, *, of: str, m: int = 0) -> Gains:
    """What is gained about everybody in the groups who has a value.

    p is n(q, s) / n(q), m values being ruled out as in `beliefs`; p0 is the share of s in the
    table, the same values being ruled out. Who can rule out all other values of the table knows
    the value without the release, and does not count as certain.

    Each belief is the larger of two: of who counts what is missing as a value, and of who takes it
    for not recorded and counts those of whom something is.

    Where people have several values, each counts with the one that is believed in most; counts
    do not say which go together, so as many people as possible do.

    >>> carl = Groups.of({"disease": [{"heart": 3}, {"heart": 1, "cancer": 2}]})
    >>> group_gains(carl, of="disease")
    Gains(people=6, mean=0.6666666666666666, worst=1.0, certain=3, wrong=0)
    """
    domain, histogram = attribute(groups, of)
    owner, counts = histogram.owner(), histogram.counts
    gain, certain = _each(groups, of, m)
    known_of, entries = of_recorded(groups, of)
    if len(entries) < len(owner):
        more, sure = _each(known_of, of, m)
        gain[entries] = np.maximum(gain[entries], more)
        certain[entries] |= sure
    people = np.where(recorded(domain)[histogram.codes], counts, 0)
    if domain.several:
        order = np.lexsort((-gain, ~certain, owner))
        total = np.concatenate(([0], np.cumsum(people[order])))
        begin, size = total[histogram.indptr[owner]], groups.n[owner]
        people[order] = np.minimum(total[1:] - begin, size) - np.minimum(total[:-1] - begin, size)
    return Gains.each(people, gain, certain)


def _each(groups: Groups, of: str, m: int) -> tuple[Floats, NDArray[np.bool_]]:
    """The gain about the people of each entry of the histogram, and whether they are certain."""
    domain, histogram = groups.domains[of], groups.histograms[of]
    others, ruled = _ruled_out(domain, histogram, m)
    belief = histogram.counts, groups.n[histogram.owner()] - others
    before = domain.reference[histogram.codes], domain.people - ruled
    certain = (belief[0] == belief[1]) & ((before[0] < before[1]) | (ruled == 0))
    return ratio_gains(belief, before), certain


def of_recorded(groups: Groups, of: str) -> tuple[Groups, Ints]:
    """Only the people of whom something is recorded; and which entries of the histogram they are.

    Everybody, where people have several values: counts do not say who has none besides.

    >>> some = Groups.of({"disease": [{"HIV": 9, None: 1}, {"flu": 1, "?": 1}]})
    >>> known, entries = of_recorded(some, "disease")
    >>> known.n.tolist(), entries.tolist(), known.domains["disease"].people
    ([9, 1], [0, 2], 10)
    """
    domain, histogram = groups.domains[of], groups.histograms[of]
    blank = np.array(unrecorded(domain.values), np.bool_)
    if domain.several or not blank.any():
        return groups, np.arange(len(histogram.codes))
    owner = histogram.owner()
    kept = np.flatnonzero(~blank[histogram.codes])
    lost = np.bincount(owner, weights=blank[histogram.codes] * histogram.counts,
                       minlength=len(groups))  # fmt: skip
    indptr = np.searchsorted(owner[kept], np.arange(len(groups) + 1)).astype(np.int64)
    known = replace(
        domain,
        reference=np.where(blank, 0, domain.reference),
        people=int(domain.reference[~blank].sum()),
    )
    rest = Histogram(indptr, histogram.codes[kept], histogram.counts[kept])
    return (
        replace(
            groups,
            n=groups.n - lost.astype(np.int64),
            histograms={**groups.histograms, of: rest},
            domains={**groups.domains, of: known},
        ),
        kept,
    )


def _ruled_out(domain: Sensitive, histogram: Histogram, m: int) -> tuple[Ints, Ints]:
    """For each entry the m largest other counts of its group, and these values' in the table."""
    whole_number("m", m)
    m = min(int(m), len(domain.values))
    owner, counts = histogram.owner(), histogram.counts
    reference = domain.reference[histogram.codes]
    # Of equally frequent values the rarest in the table: what is left then says most.
    order = np.lexsort((reference, -counts, owner))
    start = histogram.indptr[owner]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - start[order]
    # A value among the m largest makes room for the next one; a group may have fewer.
    within = rank < m
    end = np.minimum(start + m + within, histogram.indptr[owner + 1])
    found = []
    for amount in (counts, reference):
        total = np.concatenate(([0], np.cumsum(amount[order])))
        found.append(total[end] - total[start] - within * amount)
    return found[0], found[1]


def whole_number(name: str, value: object, *, least: int = 0) -> None:
    """Refuse anything but a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise PlanError(
            f"{name} must be a whole number of at least {least}, not {value!r}",
            fix=f"Give {name} a whole number of at least {least}.",
        )


def by_frequency(domain: Sensitive) -> Ints:
    """Values that are not missing, the whole table's most frequent first, else in their order."""
    order = np.lexsort((np.arange(len(domain.values)), -domain.reference))
    return order[recorded(domain)[order]]


def recorded(domain: Sensitive) -> NDArray[np.bool_]:
    """Which of the values are not missing."""
    return np.array([value is not None for value in domain.values], np.bool_)


def named(domain: Sensitive, code: int | np.integer[Any]) -> str:
    """A value in words."""
    value = domain.values[int(code)]
    return "missing" if value is None else value


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number of things.

    >>> counted(1, "group"), counted(2_000, "group"), counted(2, "class", "classes")
    ('1 group', '2,000 groups', '2 classes')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


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
    """For each group asked about, the place in `order` of the first value it does not have."""
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
