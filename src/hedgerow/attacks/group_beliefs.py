"""What a group's sensitive values make an attacker believe about each person in it.

A value that is missing is not known, however many people it is missing of.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.gains import Gains, ratio_gains
from hedgerow.base.errors import PlanError
from hedgerow.base.spelling import unrecorded
from hedgerow.table.attribute import alone, attribute
from hedgerow.table.groups import Floats, Groups, Histogram, Ints, Sensitive

SHOWN = 10
"""How many of the worst groups a result lists."""


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
