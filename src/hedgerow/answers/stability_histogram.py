"""Counting by values nobody listed: only those of many people are told, at the price of a delta."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from hedgerow.answers.design import CONFIDENCE, AnswerTable, NoiseDescription, Numbers, delta_notes
from hedgerow.engines.base import Table
from hedgerow.engines.tally import Tally
from hedgerow.noise.measures import Approximate, Loss, Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.neighbours import Neighbours
from hedgerow.noise.rounding import exp_down, exp_up, log_up

Found = tuple[list[tuple[str | None, ...]], Numbers]


@dataclass(frozen=True, kw_only=True)
class KeysFound:
    """Counts of the keys that occur, with Laplace noise; a key is told if its noisy count is large.

    Guarantee: (epsilon, delta)-differential privacy. One person is in at most m = d_in cells of
    either table that are not the same in both, each of which changes by 1. For keys that occur
    in both tables that is Laplace noise, 1 / scale for each. A key that occurs in one of them
    only, with a count of 1, is told with probability p = P(1 + Z >= threshold): telling it is
    what delta is for, m p at most together; not telling it is at most 1 / (1 - p) times likelier
    on the other side, which e^(1 / scale) covers, since p <= 1 - e^(-1 / scale) is seen to.
    Assumes: people are counted, once in each of their cells, and in at most so many.
    Reference: Korolova, Kenthapadi, Mishra and Ntoulas, Releasing search queries and clicks
    privately (2009); Wilson et al., Differentially private SQL with bounded user contribution
    (2020), section 4.
    """

    tally: Tally
    named: tuple[str, ...]
    labels: tuple[tuple[str | None, ...] | None, ...]
    """Of the columns whose cells are public."""
    neighbours: Neighbours
    price: Approximate
    rules: tuple[str, ...] = ()
    """Which rows count, to be told."""

    @property
    def loss(self) -> Loss:
        return self.price

    @property
    def changed(self) -> int:
        """The most cells one person changes."""
        return self.neighbours.d_in

    @property
    def mechanism(self) -> DiscreteLaplace:
        pure = Pure(epsilon=self.price.epsilon)
        return DiscreteLaplace(scale=DiscreteLaplace.scale_for(pure, d_in=self.changed))

    @property
    def threshold(self) -> int:
        return threshold(scale=self.mechanism.scale, delta=self.price.delta, changed=self.changed)

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return (self.tally,)

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        words = f"one person changes at most {self.changed} of them, by 1 each"
        return (NoiseDescription("each count", "discrete Laplace", self.mechanism.scale, words),)

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            *self.rules,
            f"Only cells with a noisy count of at least {self.threshold:,} are told: who is rare "
            "is left out, and how many are is not known.",
            "Intervals hold for a cell that was chosen before the answer was seen.",
            *delta_notes(self.loss),
        )

    @property
    def details(self) -> Mapping[str, Any]:
        return {}

    def read(self, counted: Sequence[Table]) -> Found:
        table = counted[0]
        columns = []
        for place, labels in enumerate(self.labels):
            values = table.column(f"k{place}").to_pylist()
            columns.append(values if labels is None else [labels[code] for code in values])
        keys = list(zip(*columns, strict=True))
        return keys, table.column("n").to_numpy().astype("int64")

    def noisy(self, exact: Found) -> Found:
        keys, counts = exact
        numbers = self.mechanism.release(counts)
        large: list[int] = (numbers >= self.threshold).nonzero()[0].tolist()
        # In an order that depends on what is told alone.
        told = sorted(large, key=lambda i: [(v is not None, v or "") for v in keys[i]])
        return [keys[i] for i in told], numbers[told]

    def best(self, exact: Found) -> None:
        return None

    def shown(self, numbers: Found) -> tuple[AnswerTable, ...]:
        keys, counts = numbers
        reach = self.mechanism.accuracy(confidence=CONFIDENCE)
        found = {name: [key[place] for key in keys] for place, name in enumerate(self.named)}
        told: dict[str, list[Any]] = {
            "count": [int(count) for count in counts],
            "low": [max(int(count) - reach, 0) for count in counts],
            "high": [max(int(count) + reach, 0) for count in counts],
        }
        return (AnswerTable.of(found, told),)


def threshold(*, scale: Fraction, delta: Fraction, changed: int) -> int:
    """The least T such that keys of one person stay under it, but for a probability of delta.

    P(Z >= t) = e^(-t / scale) / (1 + e^(-1 / scale)) for discrete Laplace Z and t >= 0.

    >>> threshold(scale=Fraction(1), delta=Fraction(1, 10**6), changed=1)
    15
    """
    x = 1 / scale
    # At or under 1 - e^-x, by two terms of the series where digits do not reach.
    covered = max(1 - exp_up(-x), x - x * x / 2)
    least = min(delta / changed, covered) * (1 + exp_down(-x))
    return 1 + max(ceil(scale * log_up(1 / least)), 0)
