"""Quilts by how fast a chain forgets: two numbers instead of every power of every chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.pufferfish.chains import Chain
from hedgerow.noise.pufferfish.influence import Floats
from hedgerow.noise.pufferfish.quilts import LossObjective, NoiseObjective, Objective, Quilt, order
from hedgerow.noise.pufferfish.scenario import PufferfishLoss
from hedgerow.noise.rounding import Number, exact, exp_up, log_up, positive, share, whole

_SLACK = Fraction(1, 10**9)
"""Far more than the largest singular value of a matrix of norm 1 loses in doubles."""

_SUMS = 20_000
"""Numbers of states within that are tried one by one; above, as many spread out."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, init=False)
class Mixing:
    """How fast all chains of a class forget where they were.

    Guarantee: none by itself. |P^t(x, y) / pi(y) - 1| <= rate^t / least for all states x, y.
    Assumes: of every chain in the class, pi is the stationary distribution, `least` at or under
    its smallest entry, and `rate` at or above the norm of P in L2(pi), the constants left out:
    the second largest singular value of sqrt(pi(x) / pi(y)) P(x, y).
    Reference: Song, Wang and Chaudhuri (2017), section 4.4.3. With g the spectral gap, their
    bound is e^(-g t) / least for reversible chains and, with the gap of P P*, e^(-g t / 2) /
    least for others. (1 - g)^t and (1 - g)^(t / 2) are rate^t in these cases, and are less.

    >>> chain = Chain([["0.9", "0.1"], ["0.4", "0.6"]], initial="stationary")
    >>> mixing = Mixing.of([chain])
    >>> mixing.least, round(float(mixing.rate), 6), mixing.stationary
    (Fraction(1, 5), 0.5, True)
    """

    least: Fraction
    rate: Fraction
    stationary: bool
    """Whether every chain starts from its stationary distribution."""

    def __init__(self, *, least: Number, rate: Number, stationary: bool = False) -> None:
        smallest = share("the least stationary probability", least)
        if 2 * smallest > 1:
            raise PlanError("of two states or more, one has a stationary probability up to 1/2")
        object.__setattr__(self, "least", smallest)
        object.__setattr__(self, "rate", share("the rate", rate))
        object.__setattr__(self, "stationary", bool(stationary))

    @classmethod
    def of(cls, chains: Sequence[Chain]) -> Mixing:
        """The numbers of a class that is listed: the worst of each.

        Raises:
            PlanError: A chain does not forget within single steps, or never comes to a state.
        """
        if not chains:
            raise PlanError("a class of chains needs at least one")
        least = min(p for chain in chains for p in chain.stationary)
        if not least:
            raise PlanError(
                "a state has no stationary probability", fix="Leave out states that are left."
            )
        rate = max(_rate(chain) for chain in chains)
        if rate >= 1:
            raise PlanError(
                "a chain does not forget: its steps do not bring distributions nearer together",
                fix="Use MarkovQuilt, which looks at the powers of the chain.",
            )
        return cls(least=least, rate=rate, stationary=all(c.is_stationary for c in chains))


@dataclass(frozen=True, kw_only=True)
class MixingQuilt:
    """Pufferfish privacy for the state at each time, by a bound on how fast chains forget.

    Guarantee: as `MarkovQuilt`, with noise at least as large. With D(t) = rate^t / least < 1, the
    state b steps after has an influence of at most h(b) = ln (1 + D(b)) / (1 - D(b)), the state a
    steps before of 2 h(a), or of h(a) from the stationary distribution: by Bayes, of P^a(u, x) /
    P^a(u, y) and mu(y) / mu(x), each is within h(a) of what it is under pi.
    Assumes: as `MarkovQuilt`, for all chains with these numbers.
    Reference: Song, Wang and Chaudhuri (2017), Lemma 4.8 and Algorithm 4.

    >>> chain = Chain([["0.9", "0.1"], ["0.4", "0.6"]], initial="stationary")
    >>> year = MixingQuilt(mixing=Mixing.of([chain]), length=100_000)
    >>> round(float(1 / year.event_loss(epsilon=1).epsilon), 3)
    15.409
    """

    mixing: Mixing
    length: int

    def __post_init__(self) -> None:
        whole("length", self.length)

    def event_loss(self, *, epsilon: Number) -> Pure:
        """The largest loss for one state at one time that keeps a Pufferfish loss."""
        objective = NoiseObjective(positive("epsilon", epsilon))
        scale = objective.exactly(self.worst(objective))
        assert scale is not None
        return Pure(epsilon=1 / scale)

    def privacy_map(self, event: Pure) -> PufferfishLoss:
        """What releases cost that together have this loss for one state at one time."""
        objective = LossObjective(exact("the loss for one state", event.epsilon))
        return PufferfishLoss(epsilon=objective.exactly(self.worst(objective)))

    def mechanism(self, *, epsilon: Number, lipschitz: Number) -> DiscreteLaplace:
        """The Laplace noise for whole numbers; see `MarkovQuilt.mechanism`."""
        event = self.event_loss(epsilon=epsilon)
        return DiscreteLaplace(scale=DiscreteLaplace.scale_for(event, d_in=lipschitz))

    def worst(self, objective: Objective) -> Quilt:
        """The best quilt that serves every position: of the two open sides, or of a and b.

        Where a position is nearer to an end than a or b, that side is left open, which has fewer
        states within and tells no more. Which a and b are best is found with doubles; what they
        cost is then computed with every term rounded up.
        """
        middle = (self.length + 1) // 2
        whole_series = Quilt(
            position=middle, before=None, after=None, near=self.length, influence=Fraction(0)
        )
        a, b = self._sides()
        if not len(a):
            return whole_series
        scores = objective.score(
            (a + b - 1).astype(np.float64), self._times * self._tells(a) + self._tells(b)
        )
        n = int(np.argmin(scores))
        before, after = int(a[n]), int(b[n])
        past, future = self._tells_up(before), self._tells_up(after)
        if past is None or future is None:
            return whole_series
        influence = self._times * past + future
        found = Quilt(
            position=middle,
            before=before,
            after=after,
            near=before + after - 1,
            influence=influence,
        )
        return min(found, whole_series, key=lambda quilt: order(objective, quilt))

    @property
    def _times(self) -> int:
        return 1 if self.mixing.stationary else 2

    def _sides(self) -> tuple[Ints, Ints]:
        """For each number of states within, a and b that tell least.

        What two sides tell is convex in a for a given a + b, so that the best is found by
        halving, for all sums at once.
        """
        rate, least = self._doubles
        first = int(min(np.ceil(np.log(least) / np.log(rate)) + 1, self.length))
        total = np.arange(2 * first, min(2 * first + _SUMS, self.length) + 1, dtype=np.int64)
        if 2 * first + _SUMS < self.length:
            wide = np.geomspace(2 * first + _SUMS, self.length, _SUMS).astype(np.int64)
            total = np.unique(np.concatenate([total, wide]))
        low, high = np.full(len(total), first), total - first
        while np.any(low < high):
            middle = (low + high) // 2
            here = self._times * self._tells(middle) + self._tells(total - middle)
            following = np.minimum(middle + 1, total - first)
            there = self._times * self._tells(following) + self._tells(total - following)
            low, high = np.where(there < here, following, low), np.where(there < here, high, middle)
        return low, total - low

    @property
    def _doubles(self) -> tuple[float, float]:
        """Only to choose sides by, so that they need not be right."""
        tiny = Fraction(1, 10**300)
        rate = min(float(max(self.mixing.rate, tiny)), 1 - 2.0**-53)
        return rate, float(max(self.mixing.least, tiny))

    def _tells(self, t: Ints) -> Floats:
        rate, least = self._doubles
        apart = np.exp(np.maximum(t * np.log(rate), -700.0)) / least
        near = apart < 1
        return np.where(near, 2 * np.arctanh(np.where(near, apart, 0.0)), np.inf)

    def _tells_up(self, t: int) -> Fraction | None:
        """The same, at or above it; None where the chain has not forgotten anything yet."""
        apart = exp_up(t * log_up(self.mixing.rate)) / self.mixing.least
        return log_up((1 + apart) / (1 - apart)) if apart < 1 else None


def _rate(chain: Chain) -> Fraction:
    root = np.sqrt(np.array(chain.stationary, dtype=np.float64))
    step = np.array(chain.transition, dtype=np.float64)
    apart = root[:, None] * step / root[None, :] - np.outer(root, root)
    return Fraction(float(np.linalg.norm(apart, 2))) + _SLACK
