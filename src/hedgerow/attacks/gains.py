"""Gains: how much better an attacker knows each person with the release than without it.

A person's gain is (p - p0) / (1 - p0). p is the attacker's belief in what is true of the person,
with the release; p0 is that of somebody who knows the shares of the whole published table and not
who is in which group. 0 is no better than that, 1 is certainty.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.table.groups import Floats, Ints

Flags = NDArray[np.bool_]
BELOW_ONE = float(np.nextafter(1.0, 0.0))
"""The belief of who is nearly certain: rounding must not make certainty of it."""


@dataclass(frozen=True, kw_only=True)
class Gains:
    """The gains of everybody an attack is about, those it says nothing of included.

    Who is believed in less than before has gain 0, not less: what the attacker loses about some
    people does not protect the others.
    """

    people: int
    mean: float
    worst: float
    """The largest gain of one person."""
    certain: int
    """People of whom it is known for certain: p is 1, exactly.

    Whatever p0 is: a table in which everybody has the same value gives everybody away."""
    wrong: int = 0
    """People of whom something else is believed for certain: the attacker does not tell them
    from those who are known."""

    @property
    def read_off(self) -> bool:
        """Whether people are known for certain, more than from the shares, and nobody wrongly."""
        return self.certain > 0 and self.worst > 0 and not self.wrong

    @property
    def certain_share(self) -> float:
        """The share of people who are known for certain."""
        return self.certain / self.people if self.people else 0.0

    @classmethod
    def counted(
        cls,
        people: Ints,
        *,
        belief: tuple[Ints, Ints],
        before: tuple[Ints, Ints],
        certain: Flags | None = None,
    ) -> Gains:
        """From beliefs that are ratios of counts.

        Args:
            people: How many have each belief.
            belief: p, above and below the line.
            before: p0, likewise.
            certain: Which beliefs count as certain; those with p = 1 if left out.

        Three of four have the value of their group, one of ten has it in the table:

        >>> three, four, one, ten = (np.array([x]) for x in (3, 4, 1, 10))
        >>> round(Gains.counted(three, belief=(three, four), before=(one, ten)).worst, 4)
        0.7222
        """
        gain = ratio_gains(belief, before)
        known = belief[0] == belief[1] if certain is None else certain
        return cls.each(people, gain, np.asarray(known))

    @classmethod
    def each(cls, people: Ints, gain: Floats, certain: Flags) -> Gains:
        """From the gain of each lot of people, and which of them are known for certain."""
        return _summed(people, gain, certain)

    @classmethod
    def believed(
        cls, belief: Floats, before: Floats, certain: Flags, wrong: Flags | None = None
    ) -> Gains:
        """From a belief of each person in what is true of them, and who is known for certain."""
        each = _gains(belief, before, certain)
        found = _summed(np.ones(len(belief), np.int64), each, certain)
        return found if wrong is None else replace(found, wrong=int(wrong.sum()))

    @classmethod
    def expected(cls, belief: Floats, before: Floats, certain: Flags) -> Gains:
        """Where nobody knows what is true: what the attacker expects to gain.

        Args:
            belief: People by values, p of each.
            before: p0 of each value.
            certain: Who is known for certain.
        """
        sure = certain[:, None] & (belief > 0)
        gain = np.where(belief > 0, _gains(belief, np.broadcast_to(before, belief.shape), sure), 0)
        mean = (belief * gain).sum(axis=1)
        return cls(
            people=len(belief),
            mean=float(mean.mean()) if len(belief) else 0.0,
            worst=float(gain.max(initial=0.0)),
            certain=int(certain.sum()),
        )

    @classmethod
    def together(cls, parts: Iterable[Gains]) -> Gains:
        """The gains of several lots of people."""
        known = list(parts)
        people = sum(part.people for part in known)
        return cls(
            people=people,
            mean=sum(part.mean * part.people for part in known) / people if people else 0.0,
            worst=max((part.worst for part in known), default=0.0),
            certain=sum(part.certain for part in known),
            wrong=sum(part.wrong for part in known),
        )

    def summary(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "people": self.certain, "of": self.people, "share": self.certain_share,
            "wrongly": self.wrong,
        }  # fmt: skip


def ratio_gains(belief: tuple[Ints, Ints], before: tuple[Ints, Ints]) -> Floats:
    """(p - p0) / (1 - p0) of ratios of counts, not below 0; 0 where p0 is 1."""
    (c, n), (r, total) = belief, before
    above, below = c * total - r * n, n * (total - r)
    gain: Floats = np.divide(above, below, out=np.zeros(len(above)), where=(below > 0))
    return np.maximum(gain, 0.0)


def _gains(belief: Floats, before: Floats, certain: Flags) -> Floats:
    p = np.where(certain, 1.0, np.minimum(belief, BELOW_ONE))
    room = 1 - before
    gain: Floats = np.divide(p - before, room, out=np.zeros(p.shape), where=room > 0)
    return np.maximum(gain, 0.0)


def _summed(people: Ints, gain: Floats, certain: Flags) -> Gains:
    everybody = int(people.sum())
    met = people > 0
    return Gains(
        people=everybody,
        mean=min(1.0, float((people * gain).sum() / everybody)) if everybody else 0.0,
        worst=float(gain[met].max(initial=0.0)),
        certain=int(people[certain].sum()),
    )
