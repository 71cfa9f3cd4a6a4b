"""Sequential releases: the same people again, after some came, some left and some moved.

A person in two releases has a value that both of their groups have. A group that lost one person
and one value says whose value it was. That each release is anonymous or diverse does not help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.annotation import with_untried
from hedgerow.attacks.attack_input import AttackInput
from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.declaration import GROUPS, PEOPLE, RELEASES, SECRET, ReleaseAttack
from hedgerow.attacks.gains import Gains
from hedgerow.attacks.group_beliefs import SHOWN, counted
from hedgerow.attacks.invariance import Invariance, m_invariance
from hedgerow.base.spelling import likeness
from hedgerow.base.spelling_classes import told_apart
from hedgerow.claims.history import History, Values, follow
from hedgerow.table.groups import Groups, Ints
from hedgerow.table.location import Located, doubtful, told_labels

Flags = NDArray[np.bool_]
CHUNK = 2_000_000
"""Pairs of person and value that are weighed at a time."""


@dataclass(frozen=True, eq=False)
class Joined:
    """What is left open once records are joined on columns that several releases show."""

    columns: tuple[str, ...]
    values: Values
    """As they are read: by `likeness`."""
    possible: Flags
    """People by values: who may have which."""

    def narrow(self, history: History) -> tuple[History, int]:
        """The history, joined; and for how many people the records contradict each other.

        Their bill changed from one release to the next: for them nothing is joined, or what the
        releases say without the bill would be lost.
        """
        place = {value: code for code, value in enumerate(self.values)}
        into = [place[likeness(value)] for value in history.values]
        possible = history.possible & self.possible[:, into]
        apart = history.present & (history.left > 0) & ~possible.any(axis=1)
        possible[apart] = history.possible[apart]
        return replace(history, possible=possible), int(apart.sum())


def sequential(
    releases: Sequence[Groups],
    located: Sequence[Located],
    *,
    of: str,
    who: Callable[[int], str] | None = None,
    joined: Joined | None = None,
    truth: Sequence[str | None] | None = None,
) -> AttackResult:
    """Compare releases of a table that people joined, left or changed in.

    Knows: The quasi-identifiers of people at the time of each release, hence which groups they
        may be in (`located`); that whoever fits into a release is in it; and that sensitive
        values stay as they are.
    Does: Intersects the values of each person's groups. Subtracts groups, and unions of groups,
        that have the same people but for those who came and left, wherever the list names
        everybody in them. Removes from each group those whose value is known by then. Joins
        records on the other columns that several releases show as they are (`joined`).
    Success: One value is left, and it is not missing; where the truth is known, it is the true
        one. Targets are all people who are in some release.
    Baseline: The most frequent value of all releases, said of the same people.
    Reference: Lecture slide "Updates can also destroy k-anonymity"; Xiao, Tao 2007 (SIGMOD).

    Args:
        releases: Two or more, in any order.
        located: For each release, the groups each person may be in; none: not in the release.
        of: The sensitive column.
        who: What a person is called in sentences; by number if left out.
        joined: What joining the records leaves possible; nothing is joined if left out.
        truth: The value of each person, to score what is left; whatever is left counts as right
            if left out.

    Raises:
        DataError: People, groups and releases do not fit together.

    Joe turns 11 and moves from the first group to the second. Both releases are 2-diverse.

    >>> from hedgerow.table.location import placed
    >>> before = Groups.of({"illness": [{"flu": 1, "gout": 1, "acne": 1}, {"flu": 1, "gout": 1}]})
    >>> after = Groups.of({"illness": [{"flu": 1, "gout": 1}, {"flu": 1, "gout": 1, "acne": 1}]})
    >>> ken, nash, joe, sam, tim = range(5)
    >>> where = [placed([0, 0, 0, 1, 1]), placed([0, 0, 1, 1, 1])]
    >>> follow([before, after], where, of="illness").of(joe)
    ('acne',)
    >>> sequential([before, after], where, of="illness").found.successes
    1
    """
    history, apart = follow(releases, located, of=of), 0
    if joined is not None:
        history, apart = joined.narrow(history)
    invariance = m_invariance(releases, located, of=of)
    left, present = history.left, history.present
    certain = history.certain
    true = None if truth is None else _codes(history.values, truth)
    right = certain if true is None else certain & _has(history.possible, true)
    usual = _most_frequent(releases, history.values, of)
    said = history.possible[:, usual] if true is None else true == usual
    new = np.flatnonzero(right & (history.each != 1).all(axis=1))
    fewest = np.where(history.each > 0, history.each, len(history.values)).min(axis=1)
    people = int(present.sum())
    return AttackResult(
        attack="sequential",
        goal=f"one {of} is left for a person, given all releases",
        found=Rate(successes=int(right.sum()), guesses=people),
        baseline=Rate(successes=int((certain & said).sum()), guesses=people),
        gains=_gains(history, releases, of, true),
        sentences=(
            *_told(history, right, invariance, of, len(releases), new, who or _numbered),
            *_told_joined(joined, apart, int(present.sum())),
        ),
        detail={
            "of": of,
            "one_value_only_together": len(new),
            "fewer_values_together": int((present & (left < fewest)).sum()),
            "contradictions": int((present & (left == 0)).sum()),
            "wrong": int((certain & ~right).sum()),
            "disagreeing_groups": history.disagreeing,
            "joined_on": [] if joined is None else list(joined.columns),
            "not_joined": apart,
            "m_invariance": asdict(invariance)
            | {"unique": list(invariance.unique), "unlisted": list(invariance.unlisted)},
            "people": len(present),
            "present": people,
            "named": [{"person": int(p), "value": _shown(history.of(int(p)))} for p in new[:SHOWN]],
        },
    )


def _numbered(person: int) -> str:
    return f"Person {person}"


def _told(
    history: History,
    right: Flags,
    invariance: Invariance,
    of: str,
    releases: int,
    new: Ints,
    who: Callable[[int], str],
) -> Iterator[str]:
    left, present = history.left, history.present
    certain = int(history.certain.sum())
    alone = int((present & (history.each == 1).any(axis=1)).sum())
    if not present.any():
        yield "Nobody who was looked for fits into any of the releases."
        return
    yield (
        f"Together the {releases} releases leave {certain:,} of {int(present.sum()):,} people one "
        f"possible {of}; a single release leaves one for {alone:,}."
    )
    wrong = certain - int(right.sum())
    if wrong:
        yield (
            f"For {wrong:,} of these {certain:,} it is the wrong one, so they do not count as "
            "known. The attacker cannot tell which."
        )
    if contradictions := int((present & (left == 0)).sum()):
        yield (
            f"For {contradictions:,} people no {of} is possible: a contradiction. Values changed "
            "between the releases, or people are not in the groups they were looked for in."
        )
    elif history.disagreeing:
        yield (
            f"{history.disagreeing:,} groups share more people than values with another release's: "
            "values changed, or people are not in the groups they were looked for in."
        )
    if None in history.values:
        yield f"Whose {of} is missing in one release was taken to have it missing in all."
    for person in new[:3]:
        yield f"{who(int(person))}: {_shown(history.of(int(person)))}."
    yield (
        "This attack takes everybody who fits into a release to be in it, and values to stay the "
        "same. If somebody who fits is not in it, what is left may be wrong."
    )
    yield _invariant(invariance)


def _told_joined(joined: Joined | None, apart: int, present: int) -> Iterator[str]:
    if joined is None or not present:
        return
    columns = ", ".join(map(repr, joined.columns))
    yield f"Records were joined on {columns}, which several releases show as it is."
    if apart:
        yield (
            f"For {counted(apart, 'person', 'people')} no records can be joined: {columns} changed "
            "between the releases. For them nothing was joined."
        )


def _invariant(found: Invariance) -> str:
    if found.m:
        return f"The releases are {found.m}-invariant: no belief exceeds 1/{found.m}."
    why = [
        f"release {i + 1} has groups where a value repeats"
        for i, m in enumerate(found.unique)
        if m == 0
    ]
    if found.changed:
        why.append(
            f"{found.changed:,} of {found.surviving:,} people who stayed are in a group with other "
            "values than before"
        )
    if found.m == 0:
        return f"The releases are not m-invariant for any m: {'; '.join(why)}."
    if not found.surviving:
        why.append("nobody was found in one group of each of two releases")
    if found.unsure:
        who = counted(found.unsure, "person", "people")
        why.append(f"several groups of a release fit {who}")
    if found.crowded:
        why.append(f"{counted(found.crowded, 'group')} with fewer records than people who fit")
    if sum(number > 0 for number in found.unlisted) > 1:
        why.append("two or more releases have records of people who are not listed")
    return f"Whether the releases are m-invariant cannot be measured: {'; '.join(why)}."


def _shown(values: Values) -> str:
    return ", ".join("missing" if value is None else value for value in values) or "nothing"


def _codes(values: Values, truth: Sequence[str | None]) -> Ints:
    """Which of the values each person's true one is; -1 where no release has it."""
    kind = told_apart(values)
    place = {kind(value): code for code, value in enumerate(values)}
    return np.array([place.get(kind(value), -1) for value in truth], np.int64)


def _has(possible: Flags, true: Ints) -> Flags:
    """Whose true value is among what is left."""
    return np.asarray((true >= 0) & possible[np.arange(len(true)), true])


def _gains(
    history: History, releases: Sequence[Groups], of: str, true: Ints | None = None
) -> Gains:
    """What the attacker gains about everybody who is in some release.

    Who sees which values are left believes in each by its share of all releases' records. Where
    nobody knows the true value, it is what the attacker expects to gain.
    """
    total = _total(releases, history.values, of)
    before = total / max(1, total.sum())
    told = [code for code, value in enumerate(history.values) if value is not None]
    people, certain = np.flatnonzero(history.present), history.certain
    if true is not None and None in history.values:
        people = people[true[people] != history.values.index(None)]  # nothing to know of them
    step = max(1, CHUNK // max(1, len(history.values)))
    found = []
    for begin in range(0, len(people), step):
        part = people[begin : begin + step]
        weight = history.possible[part] * before
        whole = weight.sum(axis=1, keepdims=True)
        belief = np.divide(weight, whole, out=np.zeros_like(weight), where=whole > 0)
        if true is None:
            found.append(Gains.expected(belief[:, told], before[told], certain[part]))
            continue
        own = np.maximum(true[part], 0)
        known = true[part] >= 0
        mine = np.where(known, belief[np.arange(len(part)), own], 0.0)
        right = certain[part] & (mine > 0)
        known_before = np.where(known, before[own], 0.0)
        found.append(Gains.believed(mine, known_before, right, certain[part] & ~right))
    return Gains.together(found)


def _most_frequent(releases: Sequence[Groups], values: Values, of: str) -> int:
    """The value most people have, all releases taken together; the first among equals.

    Nobody guesses that it is missing.
    """
    total = _total(releases, values, of)
    if None in values:
        total[values.index(None)] = -1
    return int(total.argmax())


def _total(releases: Sequence[Groups], values: Values, of: str) -> Ints:
    """How many records of all releases have each value."""
    kind = told_apart(values)
    place = {kind(value): code for code, value in enumerate(values)}
    total = np.zeros(len(values), np.int64)
    for groups in releases:
        domain = groups.domains[of]
        np.add.at(total, [place[kind(value)] for value in domain.values], domain.reference)
    return total


def _attempt(read: AttackInput) -> Iterator[AttackResult]:
    from hedgerow.attacks.release_joins import join

    assert read.targets is not None, "it needs them"
    groups = [published.groups for published in read.releases]
    notes = [
        note
        for published, where in zip(read.releases, read.located, strict=True)
        for note in told_labels(published, where)
    ]
    for of in read.of:
        joined, missed = join(read.releases, read.located, of)
        scored = (
            read.truth is not None and read.targets is read.truth and of in read.targets.columns
        )
        found = sequential(
            groups, read.located, of=of, who=read.targets.described, joined=joined,
            truth=read.targets.column(of) if scored else None,
        )  # fmt: skip
        found = replace(
            found,
            sentences=(*found.sentences, *notes),
            detail={**found.detail, **doubtful(read.releases, read.located)},
        )
        yield with_untried(found, missed)


SEQUENTIAL = ReleaseAttack(
    name="sequential",
    asks="What do two or more releases of the same people leave possible?",
    success="one value is left",
    needs=(GROUPS, SECRET, PEOPLE, RELEASES),
    attempt=_attempt,
    raw="what outsiders may know of each person, and the truth to score the guesses",
    by_default=False,
    also=lambda read: len(read.releases) > 1 and read.everybody,
    also_words="where --plan alone says who is in several releases",
    joins=True,
    reference="Xiao, Tao 2007 (SIGMOD).",
)
