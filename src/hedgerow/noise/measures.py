"""Privacy loss in three currencies, exact; what has no exact value is rounded against us."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.base.errors import PlanError
from hedgerow.noise.amounts import NOTHING, Amounts
from hedgerow.noise.rounding import Number, exact, exp_down, exp_up, log_down, log_up, share, whole


@dataclass(frozen=True, init=False)
class Pure:
    """Pure differential privacy: no output is e^epsilon times likelier on a neighbour.

    Guarantee: for neighbouring D and D', every set S: P[A(D) in S] <= e^epsilon P[A(D') in S].
    Assumes: nothing about what the reader knows. Nothing is said about people who are correlated
    beyond the unit of privacy; see `group`.
    Reference: Dwork, McSherry, Nissim and Smith, Calibrating noise to sensitivity (2006), Def. 1.

    >>> print(Pure(epsilon=0.1) + Pure(epsilon=0.2), Pure(epsilon=0.1).group(3), sep="; ")
    0.3-differential privacy; 0.3-differential privacy
    """

    epsilon: Fraction

    def __init__(self, *, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", exact("epsilon", epsilon))

    def __add__(self, other: Pure) -> Pure:
        if not isinstance(other, Pure):
            return NotImplemented
        return Pure(epsilon=self.epsilon + other.epsilon)

    def approximate(self) -> Approximate:
        """The same loss with a delta of 0."""
        return Approximate(epsilon=self.epsilon, delta=0)

    def concentrated(self) -> ZeroConcentrated:
        """What it is in zCDP: epsilon^2 / 2.

        Reference: Bun and Steinke, Concentrated differential privacy (2016), Prop. 1.4.
        """
        return ZeroConcentrated(rho=self.epsilon**2 / 2)

    def group(self, size: int) -> Pure:
        """The loss of so many people together: epsilon for each."""
        return Pure(epsilon=self.epsilon * whole("a group", size))

    def amounts(self) -> Amounts:
        """What the ledger is charged, rounded up."""
        return Amounts.of(epsilon=self.epsilon) if self.epsilon else NOTHING

    def __str__(self) -> str:
        return f"{_text(epsilon=self.epsilon)}-differential privacy"


@dataclass(frozen=True, init=False)
class Approximate:
    """Approximate differential privacy: pure but for a probability of delta.

    Guarantee: for neighbouring D and D', every set S:
    P[A(D) in S] <= e^epsilon P[A(D') in S] + delta.
    Assumes: delta is far under one in the number of people; see `require_small_delta`.
    Reference: Dwork, Kenthapadi, McSherry, Mironov and Naor, Our data, ourselves (2006), Def. 1.

    >>> print(Approximate(epsilon=1, delta="1e-6"))
    (1, 1e-6)-differential privacy
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(self, *, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", exact("epsilon", epsilon))
        object.__setattr__(self, "delta", exact("delta", delta))
        if self.delta >= 1:
            raise PlanError(
                f"delta must be under 1, not {_short(self.delta)}: at 1 nothing is promised",
                fix="Say something like delta=1e-6.",
            )

    def __add__(self, other: Approximate) -> Approximate:
        if not isinstance(other, Approximate):
            return NotImplemented
        return Approximate(epsilon=self.epsilon + other.epsilon, delta=self.delta + other.delta)

    def group(self, size: int) -> Approximate:
        """The loss of so many people together, by the triangle inequality along a chain.

        epsilon is multiplied by the size, delta by 1 + e^epsilon + ... + e^((size - 1) epsilon).

        Raises:
            PlanError: delta would reach 1; nothing would be promised.

        >>> loss = Approximate(epsilon="0.1", delta="1e-6").group(2)
        >>> loss.epsilon, float(loss.delta)
        (Fraction(1, 5), 2.1051709180756476e-06)
        """
        people = whole("a group", size)
        if not self.delta or people == 1:
            return Approximate(epsilon=self.epsilon * people, delta=self.delta)
        # The sum in closed form: as many terms as the group has people would take long to bound.
        terms = (
            (exp_up(self.epsilon * people) - 1) / _expm1_down(self.epsilon)
            if self.epsilon
            else Fraction(people)
        )
        return Approximate(epsilon=self.epsilon * people, delta=self.delta * terms)

    def require_small_delta(self, *, people: int) -> None:
        """Refuse a delta that allows to publish somebody.

        To publish one record at random is (0, 1/n)-differentially private, and so is to publish
        everything with probability 1/n. So delta under 1/n is the least to ask; far under it is
        meant.

        Raises:
            PlanError: delta is at least one in the number of people.
        """
        if self.delta * whole("people", people) >= 1:
            raise PlanError(
                f"a delta of {_text(delta=self.delta)} allows to publish one of {people:,} people",
                fix=f"Take a delta far under 1/{people}.",
            )

    def amounts(self) -> Amounts:
        """What the ledger is charged, rounded up."""
        if not self.epsilon and not self.delta:
            return NOTHING
        return Amounts.of(epsilon=self.epsilon, delta=self.delta)

    def __str__(self) -> str:
        return f"({_text(epsilon=self.epsilon)}, {_text(delta=self.delta)})-differential privacy"


@dataclass(frozen=True, init=False)
class ZeroConcentrated:
    """Zero-concentrated differential privacy, the currency of Gaussian noise.

    Guarantee: for neighbouring D and D', every alpha > 1: the Rényi divergence of order alpha of
    A(D) from A(D') is at most rho alpha.
    Assumes: as pure differential privacy.
    Reference: Bun and Steinke, Concentrated differential privacy (2016), Def. 1.1.

    >>> half = ZeroConcentrated(rho="0.5")
    >>> print(half, half.approximate(delta="1e-6"), sep="; ")
    0.5-zCDP; (5.221534445, 1e-6)-differential privacy
    """

    rho: Fraction

    def __init__(self, *, rho: Number) -> None:
        object.__setattr__(self, "rho", exact("rho", rho))

    def __add__(self, other: ZeroConcentrated) -> ZeroConcentrated:
        if not isinstance(other, ZeroConcentrated):
            return NotImplemented
        return ZeroConcentrated(rho=self.rho + other.rho)

    def approximate(self, *, delta: Number) -> Approximate:
        """The epsilon that holds with this delta.

        For every alpha > 1 it is enough that epsilon is at least
        alpha rho + (ln(1/delta) + (alpha - 1) ln(1 - 1/alpha) - ln alpha) / (alpha - 1).
        The best alpha is looked for with doubles, which need not be right: whichever alpha comes
        out is taken as an exact rational, and the formula evaluated with every term rounded up.

        Reference: Canonne, Kamath and Steinke, The discrete Gaussian (2020), Prop. 12, Cor. 13.
        """
        d = share("delta", delta)
        if not self.rho:
            return Approximate(epsilon=0, delta=d)
        a = order_for(self, delta=d) - 1
        order = 1 + a
        rest = log_up(1 / d) + a * log_up(a / order) - log_down(order)
        return Approximate(epsilon=max(order * self.rho + rest / a, Fraction(0)), delta=d)

    @classmethod
    def keeping(cls, loss: Approximate) -> ZeroConcentrated:
        """The largest rho, to nine digits, that implies an (epsilon, delta); rounded down.

        Raises:
            PlanError: epsilon or delta is 0, which no rho above 0 implies.

        >>> kept = ZeroConcentrated.keeping(Approximate(epsilon=1, delta="1e-6"))
        >>> print(kept, kept.approximate(delta="1e-6").epsilon <= 1)
        0.024355971-zCDP True
        """
        if not loss.epsilon or not loss.delta:
            raise PlanError(
                "zero-concentrated privacy implies no loss without both epsilon and delta",
                fix="Give both above 0.",
            )

        def keeps(rho: Fraction) -> bool:
            return cls(rho=rho).approximate(delta=loss.delta).epsilon <= loss.epsilon

        low = loss.epsilon + 2
        while not keeps(low):
            low /= 2
        high = 2 * low
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if keeps(middle) else (low, middle)
        return cls(rho=low)

    def group(self, size: int) -> ZeroConcentrated:
        """The loss of so many people together: it grows with the square.

        Reference: Bun and Steinke (2016), Prop. 1.9.
        """
        return ZeroConcentrated(rho=self.rho * whole("a group", size) ** 2)

    def amounts(self) -> Amounts:
        """What the ledger is charged, rounded up."""
        return Amounts.of(rho=self.rho) if self.rho else NOTHING

    def __str__(self) -> str:
        return f"{_text(rho=self.rho)}-zCDP"


Loss = Pure | Approximate | ZeroConcentrated

_LEAST = Fraction(1, 10**100)
"""Under this, and above its inverse, the search for an order is not worth its while."""


def _text(*, epsilon: Number = 0, delta: Number = 0, rho: Number = 0) -> str:
    """One number in the ledger's digits, rounded up."""
    if not (epsilon or delta or rho):
        return "0"
    return next(iter(Amounts.of(epsilon=epsilon, delta=delta, rho=rho).texts().values()))


def _short(number: Fraction) -> str:
    """Four digits, of numbers too large for a double as well.

    >>> _short(Fraction(5, 2)), _short(Fraction(10**400))
    ('2.5', 'more than 1e300')
    """
    return f"{float(number):.4g}" if number < 10**300 else "more than 1e300"


def _expm1_down(x: Fraction) -> Fraction:
    """At or under e^x - 1, and above 0: by two terms of the series where digits do not reach."""
    return max(exp_down(x) - 1, x + x * x / 2)


def order_for(loss: ZeroConcentrated, *, delta: Fraction) -> Fraction:
    """The order alpha near the best for a conversion; any above 1 is sound."""
    r = float(min(max(loss.rho, _LEAST), 1 / _LEAST))
    c = float(min(max(log_up(1 / delta), _LEAST), 1 / _LEAST))

    def epsilon(log_a: float) -> float:
        a = math.exp(log_a)
        return (1 + a) * r + (c - math.log1p(a)) / a - math.log1p(1 / a)

    low = math.log(c / r) / 2 - 12
    high = low + 24
    for _ in range(100):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if epsilon(left) <= epsilon(right) else (left, high)
    return 1 + Fraction(math.exp((low + high) / 2))
