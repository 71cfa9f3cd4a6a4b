"""Noise on numbers: each mechanism knows what it costs, before and whatever it is used on."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.base.errors import DataError, PlanError
from hedgerow.base.registry import Registry
from hedgerow.noise import samplers
from hedgerow.noise.measures import Loss, Pure, ZeroConcentrated
from hedgerow.noise.rounding import Number, double_up, exact, positive, share, sqrt_up, whole
from hedgerow.noise.tails import gaussian_half_width, laplace_half_width

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST = 2**63 - 1
"""Values beyond it either way are taken as this: no two come to lie farther apart by that."""
HELD = 2**62
"""As `MOST`, for values in steps of a lattice."""
FINEST = 900
"""Lattices have steps of 2^-900 to 2^900: the answers are doubles."""


@dataclass(frozen=True)
class InputMetric:
    """How far apart two neighbours' values are: what d_in counts."""

    name: str
    words: str


L1 = InputMetric("L1", "the sum of the absolute changes of all numbers")
L2 = InputMetric("L2", "the root of the sum of the squared changes of all numbers")
LINF = InputMetric("L-infinity", "the largest absolute change of a number")


class Mechanism(Protocol):
    """A randomised function with a privacy map.

    `privacy_map` is exact, or rounded up where the loss is not rational. `release` takes no seed.
    It looks at a value's type and shape, which are public, and refuses only what is in no domain
    at all (NaN); whoever computes the value sees to it that this cannot depend on the data.
    """

    name: ClassVar[str]
    """As certificates and answers name the noise."""
    metric: ClassVar[InputMetric]
    """What d_in counts."""
    samplers: ClassVar[tuple[str, ...]]
    """The functions of `hedgerow.noise.samplers` that draw all of its randomness."""

    @property
    def measure(self) -> type[Loss]:
        """In which currency it costs."""
        ...

    def privacy_map(self, d_in: Number) -> Loss: ...
    def release(self, value: Any) -> Any: ...


MECHANISMS: Registry[type[Mechanism]] = Registry("mechanism", group="hedgerow.mechanisms")
"""The mechanisms by name."""


@dataclass(frozen=True, init=False)
class DiscreteLaplace:
    """Whole numbers plus noise z with probability in proportion to e^(-|z| / scale).

    Guarantee: pure differential privacy, epsilon = d_in / scale, for numbers whose sum of
    absolute changes is at most d_in.
    Assumes: the values are whole numbers; those beyond 2^63 are taken as 2^63.
    Reference: Ghosh, Roughgarden and Sundararajan, Universally utility-maximizing privacy
    mechanisms (2012), Def. 2.4 (the geometric mechanism with alpha = e^(-1 / scale)).

    >>> ten = DiscreteLaplace(scale=DiscreteLaplace.scale_for(Pure(epsilon=0.1), d_in=1))
    >>> ten.scale, print(ten.privacy_map(1)), ten.accuracy(confidence=0.95)
    0.1-differential privacy
    (Fraction(10, 1), None, 30)
    """

    scale: Fraction
    """A double, as the sampler takes it: what was given, rounded up."""
    name: ClassVar[str] = "discrete Laplace"
    metric: ClassVar[InputMetric] = L1
    measure: ClassVar[type[Pure]] = Pure
    samplers: ClassVar[tuple[str, ...]] = ("discrete_laplace",)

    def __init__(self, *, scale: Number) -> None:
        object.__setattr__(self, "scale", as_sampled(scale))

    def privacy_map(self, d_in: Number) -> Pure:
        """The loss at a distance; exact."""
        return Pure(epsilon=exact("d_in", d_in) / self.scale)

    @staticmethod
    def scale_for(loss: Pure, *, d_in: Number) -> Fraction:
        """The smallest scale a sampler can take that keeps a loss."""
        return as_sampled(positive("d_in", d_in) / positive("epsilon", loss.epsilon))

    @overload
    def release(self, value: int) -> int: ...
    @overload
    def release(self, value: ArrayLike) -> Ints: ...
    def release(self, value: ArrayLike) -> int | Ints:
        """A noisy number for each number."""
        values = integers(value)
        noisy = samplers.discrete_laplace(values.ravel(), scale=self.scale)
        return noisy.reshape(values.shape) if values.ndim else int(noisy[0])

    def accuracy(self, *, confidence: Number) -> int:
        """The smallest a such that a number moves by at most a, this often or more often."""
        return laplace_half_width(scale=self.scale, confidence=share("confidence", confidence))


MECHANISMS.register(DiscreteLaplace)


@dataclass(frozen=True, init=False)
class DyadicLaplace:
    """Reals, rounded to multiples of 2^-bits, plus Laplace noise in such steps.

    Guarantee: pure differential privacy for numbers whose sum of absolute changes is at most
    d_in, of which at most `changed` change. Rounding adds to the distance: half a step down here
    and up there, so D = d_in 2^bits steps become at most ceil(D) + changed - 1, and
    epsilon = (ceil(D) + changed - 1) / (scale 2^bits).
    Assumes: no other number changes at all; d_in counts what was lost in computing the numbers
    (a sum of doubles depends on their order). Answers of more than 2^53 steps are rounded once
    more on the way out, to the nearest double, which is post-processing.
    Reference: Mironov, On significance of the least significant bits (2012), for why a lattice.

    >>> quarter = DyadicLaplace(scale=2, bits=2, changed=1)
    >>> print(quarter.privacy_map("0.3"))
    0.25-differential privacy
    """

    scale: Fraction
    bits: int
    changed: int
    name: ClassVar[str] = "Laplace on a lattice"
    metric: ClassVar[InputMetric] = L1
    measure: ClassVar[type[Pure]] = Pure
    samplers: ClassVar[tuple[str, ...]] = ("discrete_laplace",)

    def __init__(self, *, scale: Number, bits: int, changed: int) -> None:
        object.__setattr__(self, "bits", _bits(bits))
        object.__setattr__(self, "changed", whole("changed", changed))
        # The sampler's scale is in steps; in the values' unit it is the same double, moved.
        steps = as_sampled(positive("scale", scale) * Fraction(2) ** self.bits)
        object.__setattr__(self, "scale", steps / Fraction(2) ** self.bits)

    @property
    def steps(self) -> DiscreteLaplace:
        """The mechanism on multiples of the step."""
        return DiscreteLaplace(scale=self.scale * Fraction(2) ** self.bits)

    def privacy_map(self, d_in: Number) -> Pure:
        """The loss at a distance; exact."""
        return self.steps.privacy_map(_steps(d_in, bits=self.bits, changed=self.changed))

    @staticmethod
    def scale_for(loss: Pure, *, d_in: Number, bits: int, changed: int) -> Fraction:
        """The smallest scale a sampler can take that keeps a loss."""
        distance = _steps(positive("d_in", d_in), bits=_bits(bits), changed=changed)
        return DiscreteLaplace.scale_for(loss, d_in=distance) / Fraction(2) ** bits

    @overload
    def release(self, value: float) -> float: ...
    @overload
    def release(self, value: ArrayLike) -> Floats: ...
    def release(self, value: ArrayLike) -> float | Floats:
        """A noisy number for each number, a multiple of the step.

        Raises:
            DataError: A value is NaN or infinite, or no number.
        """
        values = lattice(value, bits=self.bits)
        steps = samplers.discrete_laplace(values.ravel(), scale=self.steps.scale)
        noisy = np.ldexp(steps.astype(np.float64), -self.bits)
        return noisy.reshape(values.shape) if values.ndim else float(noisy[0])

    def accuracy(self, *, confidence: Number) -> Fraction:
        """How far a number moves at most, this often or more often: noise and half a step."""
        return (self.steps.accuracy(confidence=confidence) + Fraction(1, 2)) / Fraction(
            2
        ) ** self.bits


MECHANISMS.register(DyadicLaplace)


@dataclass(frozen=True, init=False)
class DiscreteGaussian:
    """Whole numbers plus noise z with probability in proportion to e^(-z^2 / (2 scale^2)).

    Guarantee: zero-concentrated differential privacy, rho = d_in^2 / (2 scale^2), for numbers
    whose Euclidean change is at most d_in.
    Assumes: the values are whole numbers; those beyond 2^63 are taken as 2^63.
    Reference: Canonne, Kamath and Steinke, The discrete Gaussian (2020), Thm 14.

    >>> two = DiscreteGaussian(scale=2)
    >>> print(two.privacy_map(1), two.accuracy(confidence=0.95))
    0.125-zCDP 4
    """

    scale: Fraction
    """A double, as the sampler takes it: what was given, rounded up."""
    name: ClassVar[str] = "discrete Gaussian"
    metric: ClassVar[InputMetric] = L2
    measure: ClassVar[type[ZeroConcentrated]] = ZeroConcentrated
    samplers: ClassVar[tuple[str, ...]] = ("discrete_gaussian",)

    def __init__(self, *, scale: Number) -> None:
        object.__setattr__(self, "scale", as_sampled(scale))

    def privacy_map(self, d_in: Number) -> ZeroConcentrated:
        """The loss at a distance; exact. For a distance like the root of 2, see `sqrt_up`."""
        return ZeroConcentrated(rho=(exact("d_in", d_in) / self.scale) ** 2 / 2)

    @staticmethod
    def scale_for(loss: ZeroConcentrated, *, d_in: Number) -> Fraction:
        """The smallest scale a sampler can take that keeps a loss.

        A root that is not rational is rounded up before the scale is.
        """
        square = positive("d_in", d_in) ** 2 / (2 * positive("rho", loss.rho))
        return as_sampled(sqrt_up(square))

    @overload
    def release(self, value: int) -> int: ...
    @overload
    def release(self, value: ArrayLike) -> Ints: ...
    def release(self, value: ArrayLike) -> int | Ints:
        """A noisy number for each number."""
        values = integers(value)
        noisy = samplers.discrete_gaussian(values.ravel(), scale=self.scale)
        return noisy.reshape(values.shape) if values.ndim else int(noisy[0])

    def accuracy(self, *, confidence: Number) -> int:
        """An a such that a number moves by at most a, this often or more often."""
        return gaussian_half_width(scale=self.scale, confidence=share("confidence", confidence))


MECHANISMS.register(DiscreteGaussian)


def as_sampled(scale: Number) -> Fraction:
    """A scale as the sampler takes it: the next double above.

    >>> float(as_sampled("0.1")), as_sampled("0.1") >= Fraction(1, 10)
    (0.1, True)
    """
    return Fraction(double_up(positive("scale", scale)))


def array(value: ArrayLike) -> NDArray[Any]:
    """Values as an array whose type depends on theirs, never on how large they are.

    numpy makes doubles of a list with 2^63 and -1, which then lose their last digits.
    """
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    boxed = np.asarray(value, dtype=object)
    return boxed if boxed.size and _whole(boxed) else np.asarray(value)


def integers(value: ArrayLike) -> Ints:
    """Whole numbers, those too large held at the largest.

    Raises:
        DataError: These are no whole numbers.
    """
    values = array(value)
    if not values.size:
        return np.zeros(values.shape, np.int64)
    if values.dtype.kind == "O" and _whole(values):
        values = np.asarray(np.clip(values, -MOST, MOST))
    elif values.dtype.kind == "u":
        values = np.minimum(values.astype(np.uint64), np.uint64(MOST))
    elif values.dtype.kind != "i":
        raise DataError(
            "noise on whole numbers needs whole numbers",
            fix="Count, or use Laplace noise on a lattice for reals.",
        )
    return values.astype(np.int64)


def lattice(value: ArrayLike, *, bits: int) -> Ints:
    """Multiples of 2^-bits nearest to the values, halves up; those beyond 2^62 held there.

    Halves always up: to round them to even would let a change by one step become two.

    Raises:
        DataError: A value is NaN or infinite, or no number.

    >>> lattice([0.375, -0.375, -0.0, 1e300], bits=2).tolist()
    [2, -1, 0, 4611686018427387904]
    """
    values = array(value)
    if values.dtype.kind in "iuO":
        return _shifted(integers(values), bits)
    # Longer floats would lose digits here, and with them the bound on the distance.
    if values.dtype.kind != "f" or values.dtype.itemsize > 8:
        raise DataError("noise on reals needs numbers of 64 bits at most")
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        raise DataError(
            "noise needs finite numbers, and there are others",
            fix="Leave NaN and infinity out by a rule that is part of the question.",
        )
    with np.errstate(over="ignore", under="ignore"):
        steps = np.clip(np.ldexp(values, bits), -float(HELD), float(HELD))
    below = np.floor(steps)
    # Exact, or so near to 1 that it rounds up rightly: no half is made or lost by subtracting.
    return np.asarray(below.astype(np.int64) + (steps - below >= 0.5))


def _whole(values: NDArray[Any]) -> bool:
    return all(isinstance(v, int | np.integer) and type(v) is not bool for v in values.flat)


def _shifted(values: Ints, bits: int) -> Ints:
    """Whole numbers in steps, without a detour over doubles, which hold 53 bits only."""
    if bits > 62:
        return np.sign(values) * HELD
    if bits >= 0:
        most = HELD >> bits
        return np.clip(values, -most, most) << bits
    if bits < -63:
        return np.zeros_like(values)
    half = np.clip(values, -HELD, HELD) >> (-bits - 1)
    return (half >> 1) + (half & 1)


def _steps(d_in: Number, *, bits: int, changed: int) -> int:
    """The most steps by which neighbours' rounded values lie apart."""
    distance = exact("d_in", d_in) * Fraction(2) ** bits
    return ceil(distance) + whole("changed", changed) - 1 if distance else 0


def _bits(bits: int) -> int:
    if whole("bits", bits, least=-FINEST) > FINEST:
        raise PlanError(f"bits must be at most {FINEST}, not {bits}")
    return int(bits)
