"""From what somebody is willing to pay to how much noise there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.base.errors import PlanError
from hedgerow.noise.amounts import PLACES
from hedgerow.noise.measures import Approximate, Loss, Pure, ZeroConcentrated
from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace
from hedgerow.noise.rounding import Number, positive, sqrt_up

Additive = DiscreteLaplace | DiscreteGaussian


def price(
    *, epsilon: Number | None = None, delta: Number | None = None, rho: Number | None = None
) -> Loss:
    """What an answer may cost: epsilon, epsilon and delta, or rho.

    Raises:
        PlanError: None of these, or several at once, or one that is not above 0.

    >>> print(price(epsilon="0.1"), price(rho=1), price(epsilon=1, delta="1e-6"), sep="; ")
    0.1-differential privacy; 1-zCDP; (1, 1e-6)-differential privacy
    """
    if (epsilon is None) == (rho is None):
        raise PlanError(
            "an answer has a price, and none is given"
            if epsilon is None
            else "a price is either epsilon or rho, not both",
            fix="Say what it may cost: epsilon 0.1, or epsilon 0.1 with delta 1e-6, or rho 0.01.",
        )
    if rho is not None:
        if delta is not None:
            raise PlanError("delta goes with epsilon, not with rho", fix="Leave one of them out.")
        return ZeroConcentrated(rho=_counted("rho", rho))
    assert epsilon is not None, "one of the two is given"
    if delta is None:
        return Pure(epsilon=_counted("epsilon", epsilon))
    return Approximate(epsilon=_counted("epsilon", epsilon), delta=_counted("delta", delta))


def _counted(name: str, value: Number) -> Fraction:
    """A price of at least one unit of the ledger: for less it would charge more than was bought."""
    number = positive(name, value)
    if number * 10 ** PLACES[name] < 1:
        raise PlanError(
            f"{name} must be at least 1e-{PLACES[name]}, the least that a ledger counts",
            fix=f"Say something like {name}=0.1." if name != "delta" else "Say delta=1e-6.",
        )
    return number


@dataclass(frozen=True)
class AnswerPart:
    """Some of the numbers of an answer: what one person changes in them, and their share."""

    l1: int
    """The most by which a person changes them, summed."""
    l2_squared: int
    """The most by which the squares of these changes add up."""
    share: Fraction = Fraction(1)
    """Of the price."""


def noise_for(loss: Loss, parts: Sequence[AnswerPart]) -> tuple[tuple[Additive, ...], Loss]:
    """A mechanism for each part, and what they cost together: at most the price.

    Pure losses buy Laplace noise and zero-concentrated ones Gaussian noise. A price with a delta
    buys whichever is smaller, the Gaussian by way of the largest rho that implies the price; if
    it is Laplace noise, no delta is spent.

    >>> (laplace,), spent = noise_for(Pure(epsilon=1), [AnswerPart(2, 2)])
    >>> laplace.scale, print(spent)
    1-differential privacy
    (Fraction(2, 1), None)
    """
    assert sum(part.share for part in parts) == 1
    if isinstance(loss, Pure):
        return _laplace(loss, parts), loss
    if isinstance(loss, ZeroConcentrated):
        return _gaussian(loss, parts), loss
    pure = Pure(epsilon=loss.epsilon)
    laplace, gaussian = _laplace(pure, parts), _gaussian(ZeroConcentrated.keeping(loss), parts)
    # Twice the scale squared against the scale squared: the product over the parts decides.
    ratio = 1.0
    for mine, other in zip(laplace, gaussian, strict=True):
        ratio *= 2 * float(mine.scale / other.scale) ** 2
    return (laplace, pure) if ratio <= 1 else (gaussian, loss)


def _laplace(loss: Pure, parts: Sequence[AnswerPart]) -> tuple[DiscreteLaplace, ...]:
    made = tuple(
        DiscreteLaplace(
            scale=DiscreteLaplace.scale_for(Pure(epsilon=loss.epsilon * part.share), d_in=part.l1)
        )
        for part in parts
    )
    spent = sum((m.privacy_map(p.l1).epsilon for m, p in zip(made, parts, strict=True)), Fraction())
    assert spent <= loss.epsilon
    return made


def _gaussian(loss: ZeroConcentrated, parts: Sequence[AnswerPart]) -> tuple[DiscreteGaussian, ...]:
    made = tuple(
        DiscreteGaussian(
            scale=DiscreteGaussian.scale_for(
                ZeroConcentrated(rho=loss.rho * part.share), d_in=sqrt_up(Fraction(part.l2_squared))
            )
        )
        for part in parts
    )
    spent = sum(
        (p.l2_squared / (2 * m.scale**2) for m, p in zip(made, parts, strict=True)), Fraction()
    )
    assert spent <= loss.rho
    return made
