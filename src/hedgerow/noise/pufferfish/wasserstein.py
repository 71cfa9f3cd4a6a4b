"""The Wasserstein mechanism: noise as wide as secrets move the distribution of an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.pufferfish.finite import Label
from hedgerow.noise.pufferfish.scenario import PufferfishLoss, Scenario
from hedgerow.noise.rounding import Number, positive


def infinity_distance(p: Mapping[int, Fraction], q: Mapping[int, Fraction]) -> int:
    """The infinity-Wasserstein distance of two distributions on whole numbers, exact.

    The least d such that one can be turned into the other moving nothing farther than d. On a
    line it is reached by taking both in order: the largest gap between equal quantiles.

    >>> half = Fraction(1, 2)
    >>> infinity_distance({0: half, 10: half}, {1: half, 11: half})
    1
    """
    left, right = _steps(p), _steps(q)
    i = j = farthest = 0
    while i < len(left):
        farthest = max(farthest, abs(left[i][0] - right[j][0]))
        # The smaller step ends first; both do where they are equal.
        ends_left, ends_right = left[i][1] <= right[j][1], right[j][1] <= left[i][1]
        i, j = i + ends_left, j + ends_right
    return farthest


@dataclass(frozen=True, init=False)
class WassersteinMechanism:
    """Discrete Laplace noise for one question under one scenario.

    Guarantee: Pufferfish privacy of the scenario, epsilon = distance / scale. For each pair of
    secrets the answers can be matched so that no two matched ones are farther apart than the
    distance; noise makes each two matched ones indistinguishable, and so their mixtures.
    Assumes: the answer is a whole number computed from the world as it is here. One question
    only: a second release under the same scenario is not covered, not by the sum of the losses
    either, unless `Scenario.composes`. Ask both at once, as one number, or not at all.
    Reference: Song, Wang and Chaudhuri, Pufferfish privacy mechanisms for correlated data
    (2017), Algorithm 1 and Thm 3.2.

    Four people and a flu: how many have it, if the first has not and if the first has. A world
    is (whether the first has it, how many have):

    >>> ill = {0: [".2", ".225", ".5", ".075", "0"], 1: ["0", ".075", ".5", ".225", ".2"]}
    >>> worlds = {(x, n): Fraction(p) / 2 for x in (0, 1) for n, p in enumerate(ill[x])}
    >>> flu = Scenario(
    ...     priors={"flu": worlds},
    ...     secrets={"has it": lambda w: w[0] == 1, "has it not": lambda w: w[0] == 0},
    ...     pairs=[("has it", "has it not")],
    ... )
    >>> count = WassersteinMechanism(flu, query=lambda w: w[1])
    >>> count.distance, count.group_distance, count.mechanism(epsilon=1).scale
    (2, 4, Fraction(2, 1))
    """

    distance: int
    """The largest infinity-Wasserstein distance over all pairs and distributions."""
    worst: str
    """Where it is reached."""
    group_distance: int
    """How far apart any two answers are: what hiding everybody at once would need."""

    def __init__(self, scenario: Scenario, *, query: Callable[..., int]) -> None:
        answers: dict[Label, int] = {}
        for _, prior in scenario.priors:
            for world, _ in prior:
                answers[world] = _answer(query, world)
        farthest, worst = -1, ""
        for c in scenario.conditionals():
            d = infinity_distance(_pushed(c.left, answers), _pushed(c.right, answers))
            if d > farthest:
                farthest, worst = d, c.name
        object.__setattr__(self, "distance", farthest)
        object.__setattr__(self, "worst", worst)
        object.__setattr__(self, "group_distance", max(answers.values()) - min(answers.values()))

    def mechanism(self, *, epsilon: Number) -> DiscreteLaplace:
        """The least noise that keeps a loss; its `release` takes the true answer.

        Raises:
            PlanError: The answer has the same distribution under all secrets, so that no noise
                would be added.
        """
        if not self.distance:
            raise PlanError(
                "under this scenario the answer says nothing about the secrets, and noise would "
                "be none; a scenario that is only a little wrong would then protect nothing",
                fix="Add distributions to the scenario, or publish the answer without a claim.",
            )
        loss = Pure(epsilon=positive("epsilon", epsilon))
        return DiscreteLaplace(scale=DiscreteLaplace.scale_for(loss, d_in=self.distance))

    def privacy_map(self, mechanism: DiscreteLaplace) -> PufferfishLoss:
        """What one release with this noise costs; exact."""
        return PufferfishLoss(epsilon=mechanism.privacy_map(self.distance).epsilon)


def _steps(p: Mapping[int, Fraction]) -> list[tuple[int, Fraction]]:
    """Values that have a probability, each with the probability up to and with it."""
    total, steps = Fraction(0), []
    for value in sorted(p):
        if p[value]:
            total += p[value]
            steps.append((value, total))
    if total != 1:
        raise PlanError(f"probabilities add up to {total}, not to 1")
    return steps


def _pushed(worlds: Mapping[Label, Fraction], answers: Mapping[Label, int]) -> dict[int, Fraction]:
    pushed: dict[int, Fraction] = {}
    for world, p in worlds.items():
        pushed[answers[world]] = pushed.get(answers[world], Fraction(0)) + p
    return pushed


def _answer(query: Callable[..., int], world: Label) -> int:
    answer = query(world)
    if not isinstance(answer, Integral) or isinstance(answer, bool):
        raise DataError(
            f"the answer in world {world!r} is {answer!r}, no whole number",
            fix="Count, or ask in steps of a fixed size.",
        )
    return int(answer)
