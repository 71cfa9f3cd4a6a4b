"""The Markov quilt mechanism: what to add to a time series so that no single moment shows.

States far from a moment tell little about it. So a moment is hidden by hiding those near to it,
and by paying for what the states around these, its quilt, tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.pufferfish.chains import Chain
from hedgerow.noise.pufferfish.influence import Block, Floats, Influence, Ints
from hedgerow.noise.pufferfish.scenario import PufferfishLoss
from hedgerow.noise.rounding import Number, exact, positive, whole

WIDEST = 500
"""Steps to either side that are looked at, unless told otherwise."""


@dataclass(frozen=True, kw_only=True)
class Quilt:
    """States around a position that separate it from the rest; without any, the whole series."""

    position: int
    """Counted from 1."""
    before: int | None
    """Steps back to the one before; None where there is none."""
    after: int | None
    near: int
    """States within the quilt, the position among them."""
    influence: Fraction
    """What the quilt tells about the position, at most, as a logarithm."""


class Objective(Protocol):
    """What is to be small, of a quilt; it grows with the states within and the influence."""

    def score(self, near: Floats, influence: Floats) -> Floats: ...
    def exactly(self, quilt: Quilt) -> Fraction | None: ...


@dataclass(frozen=True)
class NoiseObjective:
    """States within, over what epsilon leaves; the least is the scale of the noise."""

    epsilon: Fraction

    def score(self, near: Floats, influence: Floats) -> Floats:
        left = float(self.epsilon) - influence
        return np.where(left > 0, near / np.where(left > 0, left, 1.0), np.inf)

    def exactly(self, quilt: Quilt) -> Fraction | None:
        left = self.epsilon - quilt.influence
        return quilt.near / left if left > 0 else None


@dataclass(frozen=True)
class LossObjective:
    """What is lost about a position, where a single state costs so much."""

    event: Fraction

    def score(self, near: Floats, influence: Floats) -> Floats:
        return np.asarray(near * float(self.event) + influence)

    def exactly(self, quilt: Quilt) -> Fraction:
        return quilt.near * self.event + quilt.influence


@dataclass(frozen=True, init=False)
class MarkovQuilt:
    """Pufferfish privacy for the state at each time, under a class of Markov chains.

    Secrets are "X_i = x"; pairs are any two states at the same time i.

    Guarantee: whatever has a loss of e in differential privacy against the change of one state
    at one time has at most the Pufferfish loss max over chains and i of the min over quilts of
    (near e + influence). For: given the quilt and what lies beyond it, outputs differ by at most
    e for each state within; and what the quilt and the rest tell about X_i is the quilt's
    influence, as the rest depends on X_i through the quilt alone. So releases compose: losses e
    add up as in differential privacy, also where a later question depends on earlier answers,
    and are mapped once, at the end. The influence is then paid once, not for each release.
    Assumes: the series comes from one of the chains, or the attacker believes so. Chains fitted
    to the private series itself, or a dependence that reaches back more than one step, are not
    covered. Nor is a secret about more than one time ("was she ever at the clinic").
    Reference: Song, Wang and Chaudhuri, Pufferfish privacy mechanisms for correlated data
    (2017), Def. 4.2, Algorithm 2 and Thm 4.3; its score is near / (epsilon - influence). Song
    and Chaudhuri, Composition properties of inferential privacy for time-series data (2017).

    >>> chain = Chain([["0.9", "0.1"], ["0.4", "0.6"]], initial="stationary")
    >>> day = MarkovQuilt([chain], length=100)
    >>> event = day.event_loss(epsilon=1)
    >>> round(float(1 / event.epsilon), 6), day.group_event_loss(epsilon=1).epsilon
    (12.839964, Fraction(1, 100))
    >>> print(day.privacy_map(event))
    1-Pufferfish privacy

    Args:
        chains: All that are thought possible; the same states in each.
        length: Of the series, which is public.
        widest: Steps to either side that a quilt may have. More is slower, and never less noise
            than needed: a quilt that is not looked at only leaves noise larger.
    """

    chains: tuple[Chain, ...]
    length: int
    widest: int

    def __init__(self, chains: Sequence[Chain], *, length: int, widest: int = WIDEST) -> None:
        if not chains or len({c.states for c in chains}) != 1:
            raise PlanError("quilts need at least one chain, all with the same states")
        if chains[0].states < 2:
            raise PlanError("a chain with one state has no secret")
        object.__setattr__(self, "chains", tuple(chains))
        object.__setattr__(self, "length", whole("length", length))
        object.__setattr__(self, "widest", whole("widest", widest))

    def event_loss(self, *, epsilon: Number) -> Pure:
        """The largest loss for one state at one time that keeps a Pufferfish loss.

        Its inverse is the paper's sigma.
        """
        budget = positive("epsilon", epsilon)
        scale = NoiseObjective(budget).exactly(self.worst(NoiseObjective(budget)))
        assert scale is not None
        return Pure(epsilon=1 / scale)

    def group_event_loss(self, *, epsilon: Number) -> Pure:
        """The same by hiding the whole series at once, whatever the chain: the baseline."""
        return Pure(epsilon=positive("epsilon", epsilon) / self.length)

    def privacy_map(self, event: Pure) -> PufferfishLoss:
        """What releases cost that together have this loss for one state at one time.

        Add the losses of several releases first: map(e + f), never map(e) + map(f), which is
        more than needed.
        """
        objective = LossObjective(exact("the loss for one state", event.epsilon))
        return PufferfishLoss(epsilon=objective.exactly(self.worst(objective)))

    def mechanism(self, *, epsilon: Number, lipschitz: Number) -> DiscreteLaplace:
        """The least Laplace noise for whole numbers computed from the series.

        Args:
            epsilon: The Pufferfish loss to keep.
            lipschitz: By how much one state at one time changes the numbers, summed: 1 for how
                often a state occurs, 2 for how often each does.
        """
        event = self.event_loss(epsilon=epsilon)
        return DiscreteLaplace(scale=DiscreteLaplace.scale_for(event, d_in=lipschitz))

    def worst(self, objective: Objective) -> Quilt:
        """The position that is hardest to hide, over all chains, with its best quilt.

        Each chain and position has a quilt of its own: the noise does not depend on which.
        """
        found = [self._worst(influence, objective) for influence in self._influences]
        return max(found, key=lambda quilt: order(objective, quilt))

    def _worst(self, influence: Influence, objective: Objective) -> Quilt:
        if influence.stationary:
            # A quilt of the middle that elsewhere would leave the series is left open there: it
            # has fewer states within and tells no more. So no position is worse than the middle,
            # unless the quilt of the middle has an open side itself.
            middle = (self.length + 1) // 2
            block = influence.block(middle, middle)
            rough, widest = self._rough(influence, block, objective)
            if len(block.left) and 2 * widest + 1 < self.length:
                best = self._best(influence, block, objective, rough, widest)
                if (best.before is None) == (best.after is None):
                    return best
        ends = min(self.widest, self.length // 2)
        places = [(i, i) for i in range(1, ends + 1)]
        places += [(i, i) for i in range(self.length - ends + 1, self.length + 1)]
        if 2 * ends < self.length:
            places.append((ends + 1, self.length - ends))
        blocks = [influence.block(*place) for place in places]
        looked = [(self._rough(influence, b, objective), b) for b in blocks if len(b.left)]
        if not looked:
            raise PlanError("under a chain the state at each time is certain: there is no secret")
        # What is not worse by a rough bound need not be looked at closely.
        looked.sort(key=lambda item: order(objective, item[0][0]), reverse=True)
        worst: Quilt | None = None
        for (rough, widest), block in looked:
            if worst is not None and order(objective, rough) <= order(objective, worst):
                break
            best = self._best(influence, block, objective, rough, widest)
            if worst is None or order(objective, best) > order(objective, worst):
                worst = best
        assert worst is not None
        return worst

    def _rough(self, influence: Influence, block: Block, objective: Objective) -> tuple[Quilt, int]:
        """A good quilt with equal sides, and how wide a better one can be at most."""
        best = _quilt(block, self.length, 0, 0, 0.0)
        low = _score(objective, best.near, 0)
        t = 0
        while t < self.widest and _score(objective, t + 1, 0) < low:
            t += 1
            a = t if t < block.low else 0
            b = t if t <= self.length - block.high else 0
            if not a and not b:
                break
            quilt = _quilt(block, self.length, a, b, influence.diagonal(block, t))
            score = _score(objective, quilt.near, float(quilt.influence))
            if score < low and objective.exactly(quilt) is not None:
                best, low = quilt, score
        return best, t

    def _best(
        self,
        influence: Influence,
        block: Block,
        objective: Objective,
        rough: Quilt,
        widest: int,
    ) -> Quilt:
        if not widest:
            return rough
        table = influence.table(block, widest)
        near = _near(block, self.length, *np.indices(table.shape))
        scores = objective.score(near.astype(np.float64), table)
        a, b = np.unravel_index(int(np.argmin(scores)), scores.shape)
        if not np.isfinite(table[a, b]):
            return rough
        found = _quilt(block, self.length, int(a), int(b), float(table[a, b]))
        return min(found, rough, key=lambda quilt: order(objective, quilt))

    @cached_property
    def _influences(self) -> tuple[Influence, ...]:
        return tuple(Influence(chain, length=self.length) for chain in self.chains)


def order(objective: Objective, quilt: Quilt) -> tuple[bool, Fraction]:
    """Exact, with what no noise is large enough for above everything else."""
    score = objective.exactly(quilt)
    return score is None, score or Fraction(0)


def _score(objective: Objective, near: int, influence: float) -> float:
    return float(objective.score(np.asarray(float(near)), np.asarray(influence)))


def _near(block: Block, length: int, a: Ints, b: Ints) -> Ints:
    """States within a quilt; an open side reaches to the end of the series."""
    left = np.where(a > 0, a, block.high)
    right = np.where(b > 0, b, length + 1 - block.low)
    return np.asarray(np.minimum(left + right - 1, length))


def _quilt(block: Block, length: int, a: int, b: int, influence: float) -> Quilt:
    if not np.isfinite(influence):
        a, b, influence = 0, 0, 0.0
    return Quilt(
        position=block.low,
        before=a or None,
        after=b or None,
        near=int(_near(block, length, np.asarray(a), np.asarray(b))),
        influence=Fraction(influence),
    )
