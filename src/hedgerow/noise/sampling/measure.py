"""Differential privacy under sampling: what holds of an algorithm that sees a sample only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from hedgerow.base.errors import PlanError
from hedgerow.noise.amounts import Amounts
from hedgerow.noise.composition import amplified, mixture
from hedgerow.noise.measures import Approximate
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.noise.rounding import FARTHEST, Number, exp_down, log_down, positive
from hedgerow.noise.sampling.suppression import rate_text

ONE = Neighbours(kind=Neighbouring.ADD_REMOVE)
"""Whom sampling protects: one person is in the table or not, with one row."""


class SampleOrigin(StrEnum):
    """Who drew the sample."""

    HERE = "here"
    """Hedgerow, with randomness for privacy, from the table it was given."""
    BEFORE = "before"
    """Nature or a survey, before the table was made. Nothing here can check that."""


@dataclass(frozen=True, init=False)
class Sampled:
    """(beta, epsilon, delta)-differential privacy under sampling.

    Guarantee: the algorithm that first takes everybody with probability beta, each by an own
    coin, and then does what is claimed, is (epsilon, delta)-differentially private under
    add-remove.
    Assumes: who was drawn stays secret, and one person has one row. Nothing is said about
    somebody who knows who was drawn. Drawn before, it protects the people of the population, and
    holds only if the table is such a sample.
    Reference: Li, Qardaji and Su, On sampling, anonymization, and differential privacy (2012),
    Def. 3.

    >>> whole = Sampled(beta=1, epsilon=1, delta=0)
    >>> print(whole.at(beta="0.1"))
    (0.1, 0.158565079, 0)-differential privacy under sampling
    """

    beta: Fraction
    epsilon: Fraction
    delta: Fraction
    drawn: SampleOrigin

    def __init__(
        self,
        *,
        beta: Number,
        epsilon: Number,
        delta: Number,
        drawn: SampleOrigin = SampleOrigin.HERE,
    ) -> None:
        object.__setattr__(self, "beta", rate(beta))
        loss = Approximate(epsilon=epsilon, delta=delta)
        object.__setattr__(self, "epsilon", loss.epsilon)
        object.__setattr__(self, "delta", loss.delta)
        object.__setattr__(self, "drawn", SampleOrigin(drawn))

    def at(self, *, beta: Number) -> Sampled:
        """The same algorithm on a smaller sample, or on a sample of the sample.

        Guarantee: with r = new rate / rate, epsilon' = ln(1 + r (e^epsilon - 1)), rounded up, and
        delta' = r delta.
        Reference: Li, Qardaji and Su (2012), Thm 1.

        Raises:
            PlanError: The new rate is larger: of larger samples nothing is known.
        """
        new = rate(beta)
        if new > self.beta:
            raise PlanError(
                f"what holds at a sampling rate of {float(self.beta):.4g} says nothing about a "
                f"larger one of {float(new):.4g}",
                fix="Ask for a smaller rate; `needed_at` says what a larger one has to keep.",
            )
        if new == self.beta:
            return self
        loss = amplified(
            self.approximate(), rate=new / self.beta, sampling="poisson", neighbours=ONE
        )
        assert isinstance(loss, Approximate)
        return _with_loss(self, new, loss)

    def needed_at(self, *, beta: Number = 1) -> Sampled:
        """What an algorithm has to keep at a larger rate for this to hold: Theorem 1 backwards.

        Rounded down, so that `at` leads back to no more than this.

        Raises:
            PlanError: The rate is smaller, or delta would reach 1.

        >>> target = Sampled(beta="0.01", epsilon="0.1", delta=0)
        >>> round(float(target.needed_at(beta=1).epsilon), 4)
        2.4438
        """
        old = rate(beta)
        if old < self.beta:
            raise PlanError(
                f"{float(old):.4g} is a smaller rate than {float(self.beta):.4g}",
                fix="`at` says what holds there.",
            )
        r = old / self.beta
        if self.epsilon > FARTHEST:
            raise PlanError("such an epsilon promises nothing", fix="Ask for less than 10.")
        epsilon = log_down(1 + r * max(exp_down(self.epsilon) - 1, self.epsilon))
        return Sampled(beta=old, epsilon=max(epsilon, Fraction(0)), delta=r * self.delta,
                       drawn=self.drawn)  # fmt: skip

    def approximate(self) -> Approximate:
        """What it is for the people of the table that was sampled: plain (epsilon, delta)."""
        return Approximate(epsilon=self.epsilon, delta=self.delta)

    def amounts(self) -> Amounts:
        """What the ledger is charged, rounded up: sampling is paid for already."""
        return self.approximate().amounts()

    @property
    def assumption(self) -> str:
        """The sentence a certificate needs, in words a lawyer can read."""
        chance = rate_text(self.beta)
        if self.drawn is SampleOrigin.BEFORE:
            return (
                f"The table is taken to be a random sample of a population: everybody in the "
                f"population came into it with probability {chance} at most, independently of "
                f"all others, and nobody who sees the release knows who did, nor how many. This "
                f"was stated, not checked. Without it nothing is promised."
            )
        return (
            f"Everybody in the table was drawn with probability {chance}, each by a coin of "
            f"their own. Who was drawn was not kept and is not published."
        )

    def __str__(self) -> str:
        texts = self.amounts().texts()
        return (
            f"({rate_text(self.beta)}, {texts.get('epsilon', '0')}, {texts.get('delta', '0')})"
            f"-differential privacy under sampling"
        )


def mixed(losses: Sequence[Sampled], *, weights: Sequence[Number]) -> Sampled:
    """One of several algorithms at the same rate, drawn with public weights: convexity.

    Reference: Li, Qardaji and Su (2012), Thm 3. After it, any function of the output keeps the
    same loss (Thm 2): nothing is to be computed for that.

    >>> both = [Sampled(beta="0.1", epsilon=e, delta=0) for e in (1, 2)]
    >>> print(mixed(both, weights=["0.5", "0.5"]))
    (0.1, 2, 0)-differential privacy under sampling
    """
    first = _alike(losses, "A mixture")
    if any(loss.beta != first.beta for loss in losses):
        raise PlanError(
            "a mixture needs algorithms at one sampling rate", fix="Bring them to one with `at`."
        )
    loss = mixture([given.approximate() for given in losses], weights=weights)
    assert isinstance(loss, Approximate)
    return _with_loss(first, first.beta, loss)


def rate(beta: Number) -> Fraction:
    """A sampling rate: above 0, at most 1.

    Raises:
        PlanError: Anything else.
    """
    given = positive("beta", beta)
    if given > 1:
        raise PlanError(
            f"a sampling rate must be at most 1, not {beta}", fix="Say something like beta=0.8."
        )
    return given


def _with_loss(loss: Sampled, beta: Fraction, new: Approximate) -> Sampled:
    """The same sample drawn by the same hand, with another loss."""
    return Sampled(beta=beta, epsilon=new.epsilon, delta=new.delta, drawn=loss.drawn)


def _alike(losses: Sequence[Sampled], what: str) -> Sampled:
    if not losses:
        raise PlanError("there are no losses to put together")
    if len({loss.drawn for loss in losses}) > 1:
        raise PlanError(f"{what.lower()} of samples drawn here and samples drawn before is unclear")
    return losses[0]
