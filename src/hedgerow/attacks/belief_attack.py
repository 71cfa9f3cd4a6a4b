"""Belief: what somebody believes of each person who holds all releases, has the list and counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.annotation import with_untried
from hedgerow.attacks.attack_input import AttackInput
from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.crowd_belief import CrowdBelief, crowd_belief
from hedgerow.attacks.crowd_rows_belief import crowd_of_rows
from hedgerow.attacks.declaration import GROUPS, PEOPLE, SECRET, ReleaseAttack
from hedgerow.attacks.gains import Gains
from hedgerow.attacks.losers import losers, short_names
from hedgerow.attacks.person_scene import SeenColumn
from hedgerow.attacks.release_joins import unjoined
from hedgerow.attacks.row_owners import RowOwners, refuse_unclear_rows
from hedgerow.base.errors import PlanError, some
from hedgerow.base.spelling import likeness
from hedgerow.table.groups import ROWS, Floats, Ints
from hedgerow.table.labels import Value
from hedgerow.table.location import doubtful, told_labels
from hedgerow.table.targets import Targets

Flags = NDArray[np.bool_]
SEVERAL = (
    "People may have several rows. A belief is that one of somebody's rows at least has the value: "
    "before, too, so it is larger of whoever has more rows."
)


@dataclass(frozen=True, eq=False)
class CrowdGains:
    """What is gained about each person, by the attacker who gains more."""

    crowd: CrowdBelief
    true: Ints | None
    """The value of each person, or of each row of theirs: -1 where it is missing, -2 where no
    release has it. None: nobody knows the truth."""
    person: Ints | None = None
    """Whose each of these values is; a person has one, and they are in order, if left out."""

    @cached_property
    def whose(self) -> Ints:
        """Of each true value the person."""
        return np.arange(len(self.crowd.kind)) if self.person is None else self.person

    @cached_property
    def who(self) -> Flags:
        """The people an attacker can learn something about: in some release, with a value."""
        there = self.crowd.present[self.crowd.kind]
        return there if self.true is None else there & self._any(self.true != -1)

    def _any(self, flags: Flags) -> Flags:
        """Of each person, whether it is so of one of their values."""
        found = np.zeros(len(self.crowd.kind), np.bool_)
        found[self.whose[flags]] = True
        return found

    def having(self, value: int) -> Flags:
        """Who has a value in truth."""
        assert self.true is not None, "it is known"
        return self._any(self.true == value)

    @cached_property
    def certain(self) -> Flags:
        """Of whom a value is known for certain, and is not a wrong one."""
        known = self.who & self.crowd.certain[self.crowd.kind]
        return known if self.true is None else known & (self._believed(self.crowd.sure) >= 1)

    @cached_property
    def wrong(self) -> Flags:
        """Of whom something else is believed for certain."""
        return self.who & self.crowd.certain[self.crowd.kind] & ~self.certain

    @cached_property
    def value(self) -> Ints:
        """The value that gains are about: the true one, else the one most is gained in.

        Of several true values it is the one most is gained in.
        """
        if self.true is not None:
            order = np.lexsort((-self._gained(self._least), self.whose))
            first = np.unique(self.whose[order], return_index=True)[1]
            found = np.zeros(len(self.crowd.kind), np.int64)
            found[self.whose[order[first]]] = np.maximum(self.true[order[first]], 0)
            return found
        return np.asarray(self._least.argmax(axis=1)[self.crowd.kind], np.int64)

    @cached_property
    def gain(self) -> Floats:
        """Of each person in this value; 0 of whom there is nothing to learn."""
        return self._of_people(self._least)

    @cached_property
    def most(self) -> Floats:
        """The same at most, where the belief with the list is only known between bounds."""
        crowd = self.crowd
        high = self._gain(crowd.most_recorded, crowd.before)
        found = np.where(crowd.bounded[:, None], np.maximum(high, self._least), self._least)
        return self._of_people(found)

    def _of_people(self, found: Floats) -> Floats:
        """From kinds by values to people: of the true value of each; of several the largest."""
        mine = found.max(axis=1, initial=0.0)[self.crowd.kind]
        if self.true is not None:
            mine = np.zeros(len(self.crowd.kind))
            np.maximum.at(mine, self.whose, self._gained(found))
        return np.where(self.who, mine, 0.0)

    def _gained(self, found: Floats) -> Floats:
        """Of each true value; 0 where no release has it."""
        assert self.true is not None, "it is known"
        mine = found[self.crowd.kind[self.whose], np.maximum(self.true, 0)]
        return np.where(self.true >= 0, mine, 0.0)

    def _believed(self, belief: Floats) -> Floats:
        """The belief in the true value of each person; of several in the one believed in most."""
        found = np.zeros(len(self.crowd.kind))
        np.maximum.at(found, self.whose, self._gained(belief))
        return found

    @cached_property
    def _least(self) -> Floats:
        """Kinds by values: the gain, by what is exact or proven."""
        crowd = self.crowd
        plain = self._gain(np.maximum(crowd.alone, crowd.low), crowd.before)
        return np.maximum(plain, self._gain(crowd.of_recorded, crowd.before_recorded))

    def _gain(self, belief: Floats, before: Floats) -> Floats:
        """Kinds by values: (p - p0) / (1 - p0), not below 0; nothing in that a value is missing."""
        room = 1 - before
        gain = np.divide(belief - before, room, out=np.zeros(belief.shape), where=room > 0)
        gain[:, self.crowd.missing] = 0.0
        return np.maximum(gain, 0.0)

    @cached_property
    def gains(self) -> Gains:
        """Of all people; where nobody knows the truth, those that the attacker expects."""
        people = int(self.who.sum())
        if self.true is not None:
            mean = self.gain[self.who]
        else:
            crowd = self.crowd
            listed = np.where(crowd.exact[:, None], crowd.low, 0.0)
            each = [(one * self._gain(one, crowd.before)).sum(axis=1)
                    for one in (crowd.alone, listed)]  # fmt: skip
            # Of several values somebody may have, no more is gained than in one of them.
            most = self._least.max(axis=1, initial=0.0)
            mean = np.minimum(np.maximum(*each), most)[crowd.kind][self.who]
        return Gains(
            people=people,
            mean=min(1.0, float(mean.sum() / people)) if people else 0.0,
            worst=float(self.gain.max(initial=0.0)),
            certain=int(self.certain.sum()),
            wrong=int(self.wrong.sum()),
        )


def _attempt(read: AttackInput) -> Iterator[AttackResult]:
    assert read.targets is not None, "it needs them"
    if read.overlaps:
        return
    owners = _owners(read)
    for of in read.of:
        if any(one.groups.domains[of].several for one in read.releases):
            continue
        attacker = None if read.prior is None else read.prior.of(of)
        seen = SeenColumn.read(read.releases, of).expected(attacker)
        crowd = (crowd_belief(seen, read.located) if owners is None
                 else crowd_of_rows(seen, read.located, owners))  # fmt: skip
        scored = read.truth is not None and of in read.targets.columns
        true = _codes(seen.values, read.targets.column(of)) if scored else None
        gains = CrowdGains(crowd, true)
        if owners is not None and true is not None:
            there = np.any([where.count > 0 for where in read.located], axis=0)
            gains = CrowdGains(crowd, true[there], owners.person[there])
        missed = unjoined(read.releases, of, joined=seen.joined) if len(read.releases) > 1 else ()
        yield with_untried(_result(read, read.targets, gains, owners), missed)


def _owners(read: AttackInput) -> RowOwners | None:
    """Whose each row is, where people may have several.

    Raises:
        UnclearRowsError: Nothing can be said of them then.
        PlanError: The attacker has a prior.
    """
    several = any(one.unit == ROWS or one.not_people is not None for one in read.releases)
    if not several and read.unit != ROWS:
        return None
    if read.prior is not None:
        raise PlanError(
            "a prior is about one value a person, and a person may have several rows",
            fix="Leave it out.",
        )
    owners = RowOwners.of(read.releases, read.targets if read.unit == ROWS else None, read.person)
    refuse_unclear_rows(read.releases, read.located)
    return owners


def _codes(values: Sequence[Value], truth: Sequence[Value]) -> Ints:
    place: dict[Value, int] = {}
    for v, value in enumerate(values):
        place.setdefault(likeness(value), v)
    exact = {value: v for v, value in enumerate(values)}
    return np.array(
        [-1 if one is None else exact.get(one, place.get(likeness(one), -2)) for one in truth],
        np.int64,
    )


def _result(
    read: AttackInput, people: Targets, found: CrowdGains, owners: RowOwners | None
) -> AttackResult:
    crowd, who = found.crowd, found.who
    of = crowd.seen.of
    worst = losers(
        crowd, found.gain, found.value, releases=read.releases, places=read.located,
        people=people, scored=found.true is not None, owners=owners,
    )  # fmt: skip
    usual = (crowd.sure[crowd.kind].argmax(axis=1) == crowd.usual if found.true is None
             else found.having(crowd.usual))  # fmt: skip
    guessed = int((found.certain & usual).sum())
    bounded = who & crowd.bounded[crowd.kind]
    against = who & crowd.contradicted[crowd.kind]
    told = [*_told(read, found, int(bounded.sum()), int(against.sum()))]
    if owners is not None:
        told.append(SEVERAL)
    if worst:
        told.append(f"Most is lost by {worst[0].sentence}")
    for release, where in zip(read.releases, read.located, strict=True):
        told += told_labels(release, where)
        if release.located == "nearest":
            told.append(
                f"In {release.name} people are looked for in the group with the nearest centroid. "
                "That is a guess, so the beliefs are one, too."
            )
    detail: dict[str, Any] = {
        "of": of,
        "people": len(crowd.kind),
        "releases": [one.name for one in read.releases],
        **({} if owners is None else {"rows": len(owners.person)}),
        "exact": int((who & crowd.exact[crowd.kind]).sum()),
        "bounded": int(bounded.sum()),
        "list_contradicted": int(against.sum()),
        "joined_on": list(crowd.seen.joined),
        "worst_at_most": float(found.most.max(initial=0.0)),
        "mean_at_most": float(found.most[who].mean()) if who.any() else 0.0,
        "losers": [one.summary() for one in worst],
        **doubtful(read.releases, read.located),
    }
    return AttackResult(
        attack="belief",
        goal=f"the {of} of a person is known for certain",
        found=Rate(successes=int(found.certain.sum()), guesses=int(who.sum())),
        baseline=Rate(successes=guessed, guesses=int(who.sum())),
        gains=found.gains,
        sentences=tuple(told),
        detail=detail,
    )


def _told(read: AttackInput, found: CrowdGains, bounded: int, against: int) -> Iterator[str]:
    crowd, people = found.crowd, int(found.who.sum())
    if not people:
        yield "Nobody who was looked for fits into any of the releases."
        return
    several = len(read.releases) > 1
    names = some(short_names([one.name for one in read.releases])) if several else "the release"
    many = len(crowd.kind)
    yield (
        f"Whoever has {names} and the list of {many:,} people knows the {crowd.seen.of} of "
        f"{int(found.certain.sum()):,} of {people:,} people for certain."
        if many > 1
        else f"Whoever has {names} and knows this person "
        f"{'knows' if found.certain.any() else 'does not know'} their {crowd.seen.of} for certain."
    )
    if wrong := int(found.wrong.sum()):
        yield (
            f"Of {wrong:,} they are as certain of a wrong one: the list or the releases are not "
            "what they seem."
        )
    if crowd.seen.prior is not None:
        yield from crowd.seen.prior.told
    if crowd.seen.joined:
        yield f"Records were joined on {some(crowd.seen.joined)}."
    if bounded:
        yield (
            f"Of {bounded:,} the belief with the list was not counted, but is between proven "
            "bounds. Of these only what is proven, or known to whoever knows the person alone, "
            f"counts here; the gain about one of them may be up to {found.most.max():.1%}."
        )
    if against:
        yield (
            f"The list contradicts the releases for {against:,}: not everybody who fits is in "
            "them. Of these counts what somebody believes who knows the person alone."
        )


BELIEF = ReleaseAttack(
    name="belief",
    asks="What does somebody believe of each person who has the list of people and counts?",
    success="a person's value is known for certain",
    needs=(GROUPS, SECRET, PEOPLE),
    attempt=_attempt,
    raw="what outsiders may know of each person (the quasi-identifiers), and the truth to "
    "score beliefs",
    by_default=False,
    also=lambda read: len(read.releases) > 1 and read.targets is not None and len(read.targets) > 1,
    also_words="where there are several releases and a list of people",
    joins=True,
    reference="Uniform over all worlds: docs/beliefs.md.",
)
