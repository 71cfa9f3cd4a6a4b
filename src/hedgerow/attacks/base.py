"""An attack is a scored guess against releases, next to its baseline.

What counts is what an attacker gains over somebody who never saw the release. Where an attack
ends in a belief about each person, the gain is that of the people (`gains`). Where it does not,
it is that of the rates: right guesses with the release and without. A rate is worth nothing
without its interval: twelve of twelve is not certainty.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from hedgerow.attacks.gains import Gains
from hedgerow.table.groups import PEOPLE

CONFIDENCE = 0.95
"""Of intervals, where nobody says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Rate:
    """How many of how many guesses were right. Guesses may be right in part.

    >>> rate = Rate(successes=12, guesses=12)
    >>> rate.value, tuple(round(end, 3) for end in rate.interval())
    (1.0, (0.758, 1.0))
    """

    successes: float
    guesses: int

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.guesses:
            raise ValueError(f"{self.successes} successes in {self.guesses} guesses")

    @property
    def value(self) -> float:
        """The share of right guesses; 0 where nobody guessed."""
        return self.successes / self.guesses if self.guesses else 0.0

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Wilson's score interval; from 0 to 1 where nobody guessed."""
        if not self.guesses:
            return 0.0, 1.0
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        n, p = self.guesses, self.value
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        reach = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        # The ends are 0 and 1 exactly where all guesses agree; rounding would miss them.
        low = 0.0 if self.successes == 0 else max(0.0, middle - reach)
        high = 1.0 if self.successes == n else min(1.0, middle + reach)
        return low, high


@dataclass(frozen=True, kw_only=True)
class AttackResult:
    """What an attack found, next to what guessing finds."""

    attack: str
    """Its name, as on the command line."""
    goal: str
    """What a right guess is, such as "the target's diagnosis is named"."""
    found: Rate
    baseline: Rate
    """The same guesses by somebody who never saw the release."""
    control: Rate | None = None
    """How often what counts as found happens to people who are not in the release.

    Only where it can happen to them: their secret may be guessed, their own record cannot be
    found. What else befalls them, such as being taken for somebody, belongs in the detail."""
    gains: Gains | None = None
    """What is gained about each person; None where the attack has no belief about people."""
    sentences: tuple[str, ...] = ()
    """What a steward should know, most important first."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """Further numbers; plain data that JSON can hold."""
    unit: str = PEOPLE
    """What its numbers count: people, or rows where a person may have several."""

    @property
    def gain(self) -> float:
        """The mean gain of all people; where there is none, that of the rates. At least 0."""
        return self.rate_gain if self.gains is None else self.gains.mean

    @property
    def rate_gain(self) -> float:
        """The share of what guessing leaves open that the right guesses close; at least 0.

        Measured against the control where there is one, else against the baseline: what the
        attack finds about people who are not in the release it would find without them. Both may
        be about the very people whom the release singled out, so it says nothing about whether
        these were given away: `gains` does.
        """
        return _gain(self.found.value, self.without.value)

    def gain_interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Between the least and the most that both rates' intervals allow.

        Where gains are those of all people they are counted, not estimated: there is no more.
        """
        if self.gains is not None:
            return self.gains.mean, self.gains.mean
        low, high = self.found.interval(confidence)
        other_low, other_high = self.without.interval(confidence)
        return _gain(low, other_high), _gain(high, other_low)

    @property
    def succeeded(self) -> bool:
        """Whether the attack does better than guessing, beyond what chance explains.

        Chance explains nothing where values are read off the release and none of them is wrong.
        With a control, what is read off may be just as true of people who are not in it.
        """
        known = self.control is None and self.gains is not None and self.gains.read_off
        return known or self.found.interval()[0] > self.without.interval()[1]

    @property
    def without(self) -> Rate:
        """What the gain is measured against: the control, or the baseline if there is none."""
        return self.baseline if self.control is None else self.control

    @classmethod
    def restored(cls, summary: Mapping[str, Any]) -> AttackResult:
        """A result from its summary; that of an older version has no gains."""
        control, certain = summary["control"], summary.get("certain")
        gains = None
        if certain is not None:
            gains = Gains(
                people=int(certain["of"]), mean=float(summary["gain"]),
                worst=float(summary["worst_gain"]), certain=int(certain["people"]),
                wrong=int(certain["wrongly"]),
            )  # fmt: skip
        return cls(
            attack=str(summary["attack"]),
            goal=str(summary["goal"]),
            found=_rate(summary["found"]),
            baseline=_rate(summary["baseline"]),
            control=None if control is None else _rate(control),
            gains=gains,
            sentences=tuple(map(str, summary["sentences"])),
            detail=dict(summary["detail"]),
            unit=str(summary.get("unit", PEOPLE)),
        )

    def summary(self) -> dict[str, Any]:
        """For `--json`."""
        told = {
            "attack": self.attack,
            "goal": self.goal,
            "unit": self.unit,
            "found": _told(self.found),
            "baseline": _told(self.baseline),
            "control": None if self.control is None else _told(self.control),
            "gain": self.gain,
            "gain_interval": list(self.gain_interval()),
            "worst_gain": None if self.gains is None else self.gains.worst,
            "certain": None if self.gains is None else self.gains.summary(),
            "rate_gain": self.rate_gain,
            "succeeded": self.succeeded,
            "sentences": list(self.sentences),
        }
        return told | {"detail": dict(self.detail)}


def _gain(found: float, other: float) -> float:
    return max(0.0, (found - other) / (1 - other)) if other < 1 else 0.0


def _rate(told: Mapping[str, Any]) -> Rate:
    return Rate(successes=float(told["successes"]), guesses=int(told["guesses"]))


def _told(rate: Rate) -> dict[str, Any]:
    return {
        "successes": rate.successes,
        "guesses": rate.guesses,
        "rate": rate.value,
        "interval": list(rate.interval()),
    }
