"""Similarity: different values that are much alike.

Nobody's value is known, yet everybody in the group has a disease of the stomach, or earns between
20,000 and 40,000.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.control_group import only_group
from hedgerow.attacks.declaration import GROUPS, SECRET, Need, ReleaseAttack
from hedgerow.attacks.gains import Gains
from hedgerow.attacks.group_beliefs import SHOWN, counted, named, recorded
from hedgerow.attacks.group_guess import GroupGuess
from hedgerow.attacks.intersection import Intersection
from hedgerow.base.errors import PlanError
from hedgerow.base.jit import kernel
from hedgerow.table.attribute import attribute
from hedgerow.table.groups import PEOPLE, Floats, Groups, Histogram, Ints, Sensitive
from hedgerow.table.labels import RawValues

Flags = NDArray[np.bool_]
WITHIN = 0.3
"""A range is learned where it is narrower than this share of the table's, unless said otherwise."""


def similarity(
    groups: Groups,
    *,
    of: str,
    within: float = WITHIN,
    by: Literal["taxonomy", "range"] | None = None,
    unit: str = PEOPLE,
) -> AttackResult:
    """Find what covers everybody in a group, short of the value itself.

    Knows: The quasi-identifiers of a target who is in the release, and the taxonomy.
    Success: The target's value is known to be below a node of the taxonomy that does not cover
        the whole table; or, for numbers, in a range narrower than `within` times the table's.
        Groups with only one value are left to `homogeneity`. Everybody is a target.
    Baseline: Somebody without the release who says of the same people the most frequent node of
        the same level; or the range of the same width with the most people of the table in it.
    Reference: Li, Li, Venkatasubramanian 2007 (ICDE), Section 3.2.

    Args:
        groups: Of the release.
        of: The sensitive column.
        within: How narrow a range has to be, as a share of the table's.
        by: What to look for; a taxonomy where the column has one, else a range.
        unit: What groups count: people, or rows.

    Bob is in the first group: a salary of 20 to 40 thousand, a quarter of the table's range.

    >>> salary = [{"20": 1, "30": 1, "40": 1}, {"50": 1, "100": 1, "70": 1},
    ...           {"60": 1, "80": 1, "90": 1}]
    >>> result = similarity(Groups.of({"salary": salary}), of="salary")
    >>> result.found.successes, result.detail["worst"][0]["learned"]
    (3, '20 to 40')
    """
    domain, histogram = attribute(groups, of)
    if not isinstance(within, int | float) or not 0 < within <= 1:
        raise PlanError(
            f"within must be a share above 0 and at most 1, not {within!r}",
            fix="Give a share such as 0.3.",
        )
    if by not in (None, "taxonomy", "range"):
        raise PlanError(
            f"similarity is by taxonomy or by range, not by {by!r}", fix="Leave `by` out."
        )
    chosen = by or ("taxonomy" if domain.levels else "range")
    several = np.diff(histogram.indptr) > 1
    owner = histogram.owner()
    shared = (histogram.counts == groups.n[owner]) & recorded(domain)[histogram.codes]
    same = np.unique(owner[shared & ~several[owner]])
    if chosen == "taxonomy":
        found = _by_node(domain, histogram, several)
        goal = f"the {of} of a person in the release is known to be below one node of its taxonomy"
    else:
        found = _by_range(domain, histogram, several, within)
        goal = (
            f"the {of} of a person in the release is known to be in a range narrower than "
            f"{within:.0%} of the table's"
        )
    where = np.flatnonzero(found.learned)
    people = int(groups.n[where].sum())
    right = int(histogram.counts[found.guessed].sum())
    # Where people have several values, the guess covers each of theirs; nobody counts twice.
    right = min(right, people)
    worst = _worst(groups, domain, histogram, found, where)
    told: tuple[str, ...]
    if people:
        told = (
            f"{people:,} of {groups.people:,} {unit} are in {counted(len(where), 'group')} with "
            f"several values of {of} that are all alike.",
            f"Everybody in group {worst[0]['group']} ({worst[0]['people']:,} {unit}): "
            f"{worst[0]['learned']}.",
        )
    else:
        told = (f"In no group with several values of {of} are they all alike.",)
    if len(same):
        told += (
            f"{int(groups.n[same].sum()):,} {unit} are in {counted(len(same), 'group')} with only "
            f"one value of {of}: they are left to homogeneity and do not count here.",
        )
    return AttackResult(
        attack="similarity",
        goal=goal,
        found=Rate(successes=people, guesses=groups.people),
        baseline=Rate(successes=right, guesses=groups.people),
        # What is learned is known for certain, and does not hold of everybody in the table.
        gains=Gains(
            people=groups.people,
            mean=people / groups.people,
            worst=1.0 if people else 0.0,
            certain=people,
        ),
        sentences=told,
        detail={
            "of": of,
            "by": chosen,
            "groups": len(where),
            "worst": worst,
            "left_to_homogeneity": int(groups.n[same].sum()),
        },
        unit=unit,
    )


def learned(groups: Groups, *, of: str) -> dict[int, Flags]:
    """For each group of which something is learned, the values that have it.

    >>> salary = [{"20": 1, "40": 1}, {"50": 1, "100": 1}]
    >>> learned(Groups.of({"salary": salary}), of="salary")
    {0: array([ True,  True, False, False])}
    """
    domain, histogram = attribute(groups, of)
    several = np.diff(histogram.indptr) > 1
    found = (
        _by_node(domain, histogram, several)
        if domain.levels
        else _by_range(domain, histogram, several, WITHIN)
    )
    return {int(g): found.covers(int(g)) for g in np.flatnonzero(found.learned)}


@dataclass(frozen=True, eq=False)
class _Found:
    """What is learned of the groups."""

    learned: Flags
    """Of which groups something is."""
    share: Floats
    """Of the people of the table, how many have what is learned; the fewer the worse."""
    guessed: Flags
    """Entries of the histogram a guess without the release gets right, in these groups."""
    words: Callable[[int], str]
    """What is learned of one group."""
    covers: Callable[[int], Flags]
    """Which values have it."""


def _by_node(domain: Sensitive, histogram: Histogram, several: Flags) -> _Found:
    """The lowest node above all values of each group, unless it is above the whole table."""
    if not domain.levels:
        raise PlanError(
            f"the column {domain.name!r} has no taxonomy",
            fix="Give it one in the plan (`hierarchy`), or look for ranges of numbers.",
        )
    met, everybody = domain.reference > 0, float(domain.reference.sum())
    owner = histogram.owner()
    guessed = np.zeros(len(owner), np.bool_)
    height, lowest = np.zeros(len(several), np.int64), np.zeros(len(several), np.int64)
    share = np.ones(len(several))
    for level, nodes in enumerate(domain.levels[1:], start=1):
        node = nodes[histogram.codes].astype(np.int64)
        first = np.zeros(len(several), np.int64)
        first[owner[::-1]] = node[::-1]
        together = several.copy()
        together[owner[node != first[owner]]] = False
        people = np.bincount(nodes, weights=domain.reference)
        values = np.bincount(nodes[met], minlength=len(people))
        new = together & (height == 0) & (values[first] < met.sum())
        height[new], lowest[new] = level, first[new]
        share[new] = people[first[new]] / everybody
        guessed |= new[owner] & (node == int(people.argmax()))

    def words(group: int) -> str:
        level, node = int(height[group]), int(lowest[group])
        if level < len(domain.labels) and (label := domain.labels[level][node]) is not None:
            return label
        below = np.flatnonzero(domain.levels[level] == node)
        return f"one of {', '.join(named(domain, code) for code in below[:SHOWN])}"

    def covers(group: int) -> Flags:
        return np.asarray(domain.levels[int(height[group])] == int(lowest[group]))

    return _Found(height > 0, share, guessed, words, covers)


def _by_range(domain: Sensitive, histogram: Histogram, several: Flags, within: float) -> _Found:
    """From the smallest to the largest number of each group, where that is narrow enough."""
    numbers = _numbers(domain)
    people = np.where(np.isnan(numbers), 0, domain.reference)
    met = np.flatnonzero(people > 0)
    met = met[np.argsort(numbers[met], kind="stable")]
    ordered = numbers[met]
    wide = float(ordered[-1] - ordered[0]) if len(met) else 0.0
    owner, own = histogram.owner(), numbers[histogram.codes]
    low, high = np.full(len(several), math.inf), np.full(len(several), -math.inf)
    # A missing value, or text, is in no range.
    np.minimum.at(low, owner, np.where(np.isnan(own), -math.inf, own))
    np.maximum.at(high, owner, np.where(np.isnan(own), math.inf, own))
    width = np.where(several, high - low, math.inf)
    learned = width < within * wide
    widths, back = np.unique(width[learned], return_inverse=True)
    start = np.full(len(several), math.nan)
    start[learned] = _fullest(ordered, people[met], widths)[back]
    inside = np.concatenate(([0], np.cumsum(people[met])))
    ends = np.searchsorted(ordered, high[learned], "right")
    begins = np.searchsorted(ordered, low[learned], "left")
    share = np.ones(len(several))
    share[learned] = (inside[ends] - inside[begins]) / max(1, inside[-1])
    guessed = (own >= start[owner]) & (own <= start[owner] + width[owner])
    return _Found(
        learned,
        share,
        guessed,
        lambda group: f"{low[group]:,.12g} to {high[group]:,.12g}",
        lambda group: np.asarray((numbers >= low[group]) & (numbers <= high[group])),
    )


def _numbers(domain: Sensitive) -> Floats:
    """The values as numbers; nan for those that are missing, or text."""
    numbers = np.array([_number(value) for value in domain.values])
    if np.isnan(numbers).all():
        raise PlanError(
            f"the column {domain.name!r} has neither a taxonomy nor numbers",
            fix="Give it a taxonomy in the plan (`hierarchy`).",
        )
    return numbers


def _number(value: str | None) -> float:
    try:
        number = math.nan if value is None else float(value)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


@kernel
def _fullest(numbers: Floats, people: Ints, widths: Floats) -> Floats:
    """Where the range of each width with the most people begins; numbers are in order."""
    starts = np.empty(len(widths))
    for w in range(len(widths)):
        end, inside, most = 0, 0, -1
        for begin in range(len(numbers)):
            while end < len(numbers) and numbers[end] <= numbers[begin] + widths[w]:
                inside += people[end]
                end += 1
            if inside > most:
                most, starts[w] = inside, numbers[begin]
            inside -= people[begin]
    return starts


def _worst(
    groups: Groups, domain: Sensitive, histogram: Histogram, found: _Found, where: Ints
) -> list[dict[str, Any]]:
    """Groups of which most is learned: what fewest people of the table have."""
    order = where[np.lexsort((where, -groups.n[where], found.share[where]))][:SHOWN]
    told = []
    for g in order:
        codes = histogram.codes[histogram.indptr[g] : histogram.indptr[g + 1]]
        counts = histogram.of(int(g))
        told.append(
            {
                "group": int(g),
                "people": int(groups.n[g]),
                "learned": found.words(int(g)),
                "share": float(found.share[g]),
                "values": [[named(domain, c), int(n)] for c, n in zip(codes, counts, strict=True)][
                    :SHOWN
                ],
            }
        )
    return told


def comparable(groups: Groups, of: str) -> bool:
    """Whether values can be alike: by a taxonomy, or as numbers."""
    domain = groups.domains[of]
    numbers = RawValues(domain.values).numbers
    return bool(domain.levels) or not np.isnan(numbers).all()


def _right(found: Intersection, true: Ints) -> tuple[Flags, Flags]:
    group, one = only_group(found)
    place = {int(code): i for i, code in enumerate(found.codes[0])}
    own = [place.get(code, -1) for code in true.tolist()]
    groups = learned(found.releases[0].groups, of=found.of)
    right = [g in groups and v >= 0 and bool(groups[g][v]) for g, v in zip(group, own, strict=True)]
    return one, one & np.array(right, np.bool_)


SIMILARITY = ReleaseAttack(
    name="similarity",
    asks="Are all values of a group of one kind?",
    success="what a person's value is like is known",
    needs=(GROUPS, Need("a sensitive column with numbers or a taxonomy", "", SECRET.given)),
    by_group=GroupGuess(similarity, _right, comparable),
    reference="Li, Li, Venkatasubramanian 2007 (ICDE), Section 3.2.",
)
