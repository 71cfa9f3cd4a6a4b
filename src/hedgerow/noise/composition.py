"""What several answers cost together, and what sampling gives back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal

from hedgerow.base.errors import PlanError
from hedgerow.noise.measures import Approximate, Loss, Pure, ZeroConcentrated
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.noise.rounding import FARTHEST, Number, exact, exp_up, log_up, positive

Sampling = Literal["poisson", "without-replacement"]

_SOUND = {"poisson": Neighbouring.ADD_REMOVE, "without-replacement": Neighbouring.CHANGE_ONE}


def sequential(losses: Iterable[Loss]) -> Loss:
    """Answers about the same people: losses add up, also if each depends on those before.

    Guarantee: holds for questions chosen one after the other in view of the answers, with losses
    that were fixed beforehand. Pure and approximate losses add up to an approximate one; zCDP
    adds to zCDP only, as which delta to convert it at is not ours to choose.
    Reference: Dwork and Roth, The algorithmic foundations (2014), Thm 3.16; Bun and Steinke
    (2016), Lemma 1.7.

    Raises:
        PlanError: There are no losses, or they are of different kinds.

    >>> print(sequential([Pure(epsilon=0.1)] * 10))
    1-differential privacy
    """
    given = _alike(losses)
    total = given[0]
    for loss in given[1:]:
        total = total + loss  # type: ignore[operator]  # all of one kind
    return total


adaptive = sequential
"""Each question may depend on the answers so far; with losses fixed beforehand they add up."""


def mixture(losses: Iterable[Loss], *, weights: Sequence[Number]) -> Loss:
    """One of several mechanisms, drawn with public weights that do not depend on the data.

    Guarantee: the largest epsilon, or rho; and with that epsilon the mean of the deltas. It holds
    whether or not the reader learns which one was drawn.
    Reference: Kifer and Lin, An axiomatic view of statistical privacy and utility (2012), the
    axiom of convexity.

    Raises:
        PlanError: The weights do not add up to 1, or there are not as many as losses.

    >>> rare = Approximate(epsilon=1, delta="1e-3")
    >>> print(mixture([Pure(epsilon=2), rare], weights=["0.9", "0.1"]))
    (2, 0.0001)-differential privacy
    """
    given = _alike(losses)
    shares = [exact("a weight", weight) for weight in weights]
    if len(shares) != len(given) or sum(shares) != 1:
        raise PlanError("a mixture needs a weight for each mechanism, which add up to 1")
    drawn = [loss for loss, weight in zip(given, shares, strict=True) if weight]
    if isinstance(drawn[0], Pure):
        return max((g for g in drawn if isinstance(g, Pure)), key=lambda g: g.epsilon)
    if isinstance(drawn[0], ZeroConcentrated):
        return max((g for g in drawn if isinstance(g, ZeroConcentrated)), key=lambda g: g.rho)
    pairs = [(g, w) for g, w in zip(given, shares, strict=True) if isinstance(g, Approximate)]
    return Approximate(
        epsilon=max(g.epsilon for g, w in pairs if w),
        delta=sum((g.delta * w for g, w in pairs), Fraction(0)),
    )


def group(loss: Loss, size: int) -> Loss:
    """What so many people lose together, such as a family, or people whose data go together.

    >>> print(group(ZeroConcentrated(rho="0.1"), 10))
    10-zCDP
    """
    return loss.group(size)


def amplified(
    loss: Pure | Approximate, *, rate: Number, sampling: Sampling, neighbours: Neighbours
) -> Pure | Approximate:
    """The loss of an answer about a secret random sample, for everyone in the population.

    Guarantee: epsilon' = ln(1 + rate (e^epsilon - 1)), rounded up, and delta' = rate delta.
    Assumes: **people** are drawn, with all their rows; who was drawn stays secret; every answer
    has a fresh sample. Two answers about one sample are composed first and amplified then: the
    amplified losses do not add up. Loss is that of the answer on the sample, under the same
    neighbouring.
    Reference: Li, Qardaji and Su, On sampling, anonymization, and differential privacy (2012),
    Thm 1 (Poisson, add-remove); Balle, Barthe and Gaboardi, Privacy amplification by subsampling
    (2018), Thm 8 and 9.

    Args:
        loss: Of the answer on the sample.
        rate: The chance of everyone to be drawn; without replacement, the share that is drawn.
        sampling: Everyone by an own coin, or a sample of fixed size.
        neighbours: Add-remove for Poisson, change-one for a fixed size; others are refused.

    Raises:
        PlanError: The sampling does not go with the neighbouring, or with zCDP.

    >>> one = Neighbours(kind=Neighbouring.ADD_REMOVE)
    >>> print(amplified(Pure(epsilon=1), rate="0.1", sampling="poisson", neighbours=one))
    0.158565079-differential privacy
    """
    q = positive("rate", rate)
    if q > 1:
        raise PlanError(f"a sampling rate must be at most 1, not {rate}")
    if not isinstance(loss, Pure | Approximate):
        raise PlanError(
            "sampling does not lower a loss in zCDP",
            fix="Convert it to epsilon and delta first.",
        )
    if sampling not in _SOUND:
        raise PlanError(f"there is no sampling {sampling!r}", fix="Say poisson.")
    if neighbours.kind is not _SOUND[sampling]:
        raise PlanError(
            f"{sampling} sampling lowers the loss under {_SOUND[sampling].value} neighbours, and "
            f"these are {neighbours.kind.value}",
            fix="Take the other sampling, or the loss as it is.",
        )
    epsilon = loss.epsilon
    # Beyond that, sampling takes a few units off thousands: the loss as it is holds as well.
    if epsilon <= FARTHEST:
        epsilon = min(epsilon, log_up(1 + q * (exp_up(epsilon) - 1)))
    if isinstance(loss, Pure):
        return Pure(epsilon=epsilon)
    return Approximate(epsilon=epsilon, delta=q * loss.delta)


def _alike(losses: Iterable[Loss]) -> list[Loss]:
    """Losses of one kind, the pure ones turned into approximate where there are both."""
    given = list(losses)
    kinds = {type(loss) for loss in given}
    if not kinds:
        raise PlanError("there are no losses to put together")
    if kinds == {Pure, Approximate}:
        return [loss.approximate() if isinstance(loss, Pure) else loss for loss in given]
    if len(kinds) > 1 or not kinds <= {Pure, Approximate, ZeroConcentrated}:
        raise PlanError(
            "losses of different kinds do not add up",
            fix="Turn pure losses into zCDP, or zCDP into epsilon and delta, first.",
        )
    return given
