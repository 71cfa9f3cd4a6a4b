"""Randomised response: everyone answers for themselves, and may always have lied."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise import samplers
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import CHANGED, Ints, integers
from hedgerow.noise.rounding import (
    Number,
    double_down,
    double_up,
    exact,
    exp_down,
    log_up,
    positive,
    share,
    sqrt_up,
    whole,
)

MOST_CATEGORIES = 2**31
"""Answers to choose from."""


@dataclass(frozen=True, init=False)
class RandomisedResponse:
    """The true answer with probability `truth`, else one of the others, all equally likely.

    Guarantee: pure differential privacy for everyone against everyone else, epsilon =
    d_in ln(truth (k - 1) / (1 - truth)) for k categories, where a person gives d_in answers.
    Assumes: the categories are public.
    Reference: Warner, Randomized response (1965); Kairouz, Oh and Viswanath, Extremal mechanisms
    for local differential privacy (2016), section 3.2.

    >>> coin = RandomisedResponse(categories=2, truth="0.75")
    >>> print(coin.privacy_map(1))
    1.098612289-differential privacy
    """

    categories: int
    truth: Fraction
    """What can be drawn exactly and is not more than was given."""
    metric = CHANGED
    measure = Pure

    def __init__(self, *, categories: int, truth: Number) -> None:
        k = whole("categories", categories, least=2)
        if k > MOST_CATEGORIES:
            raise PlanError(f"there are at most {MOST_CATEGORIES:,} categories, not {k:,}")
        p = share("truth", truth)
        if p * k < 1:
            raise PlanError(f"truth must be at least 1/{k}, not {truth}: it is one of {k} answers")
        # Probabilities up to a half are drawn, so one above it is drawn as that of a lie.
        p = 1 - Fraction(double_up(1 - p)) if 2 * p > 1 else Fraction(double_down(p))
        if 1 - p < samplers.LEAST_SHARE:
            raise PlanError("truth is so near to 1 that nobody would lie")
        object.__setattr__(self, "categories", k)
        object.__setattr__(self, "truth", p)

    def privacy_map(self, d_in: Number) -> Pure:
        """The loss of who gives so many answers; rounded up."""
        ratio = self.truth * (self.categories - 1) / (1 - self.truth)
        # Rounded down, one in k may be drawn a little too seldom; then lies tell.
        return Pure(epsilon=exact("d_in", d_in) * log_up(max(ratio, 1 / ratio)))

    @staticmethod
    def truth_for(loss: Pure, *, d_in: Number, categories: int) -> Fraction:
        """The largest probability of the truth, to 48 digits, that keeps a loss; rounded down."""
        others = whole("categories", categories, least=2) - 1
        odds = exp_down(positive("epsilon", loss.epsilon) / positive("d_in", d_in))
        return max(odds / (odds + others), Fraction(1, others + 1))

    def release(self, value: ArrayLike) -> int | Ints:
        """An answer for each answer; answers are places of categories, counted from 0.

        Raises:
            DataError: A value is no category.
        """
        values = integers(value)
        if ((values < 0) | (values >= self.categories)).any():
            raise DataError("an answer is none of the categories", fix="Recode it first.")
        honest = _honest(values.size, self.truth)
        lies = samplers.uniform(values.size, below=self.categories - 1)
        true = values.ravel()
        # The others are numbered without the true one.
        given = np.where(honest, true, lies + (lies >= true))
        return given.reshape(values.shape) if values.ndim else int(given[0])

    def accuracy(self, *, confidence: Number, answers: int) -> Fraction:
        """How far an estimated share is off at most, this often or more often.

        The share is estimated as (s - q) / (truth - q) from the share s of answers and the
        chance q of a lie that says so; Hoeffding's bound on s, over the lies alone.
        """
        beyond = 1 - share("confidence", confidence)
        lie = (1 - self.truth) / (self.categories - 1)
        if self.truth <= lie:
            raise PlanError("answers that are pure noise tell nothing")
        return sqrt_up(log_up(2 / beyond) / (2 * whole("answers", answers))) / (self.truth - lie)


def _honest(size: int, truth: Fraction) -> NDArray[np.bool_]:
    if 2 * truth > 1:
        return ~samplers.bernoulli(size, probability=float(1 - truth))
    return samplers.bernoulli(size, probability=float(truth))
