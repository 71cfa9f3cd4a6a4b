"""Many noisy numbers: their joint loss is less than the sum, by a maintained accountant.

The accountant composes distributions of privacy loss: it rounds each loss up to a grid, and
multiplies with a fast Fourier transform in doubles. What the doubles may lose is bounded here
and taken off the delta before the accountant is asked, so that it is never in our favour.
"""

from __future__ import annotations

import math
from fractions import Fraction
from types import ModuleType

from hedgerow.base.errors import PlanError
from hedgerow.base.extras import extra
from hedgerow.noise.measures import Approximate, Pure, ZeroConcentrated
from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace, DyadicLaplace
from hedgerow.noise.rounding import Number, double_up, exact, share, whole

MOST_ANSWERS = 1_000_000
"""Together; beyond, the plain sums are taken."""
WIDEST = 10_000
"""Gaussian scales above this are left to zCDP: the accountant lists every outcome."""
LEAST, WORST = Fraction(1, 10**6), 50
"""Losses of single answers that are worth the accountant's while."""
HOPELESS = 45
"""Nobody is served by digits of a larger epsilon."""
LONGEST = 2**22
"""Cells of the accountant's grid, at most."""
_UNIT = 2.0**-53
_GRID = 1e-4
_TRUNCATED = 1e-30
"""Of discrete Gaussian noise the accountant leaves out at most this."""


def many(
    mechanism: DiscreteLaplace | DyadicLaplace | DiscreteGaussian,
    *,
    count: int,
    d_in: Number,
    delta: Number,
) -> Approximate:
    """What so many numbers cost together, each with the same noise.

    Guarantee: approximate differential privacy with this delta for `count` single numbers, each
    of which one person changes by at most d_in, also if each is asked for in view of those
    before. The least of what the sum, zCDP and the accountant say.
    Assumes: numbers one by one. A whole vector of which a person changes several numbers counts
    as that many answers.
    Reference: Koskela, Jälkö and Honkela, Computing tight differential privacy guarantees using
    FFT (2020); Doroshenko et al., Connect the dots (2022).

    Raises:
        PlanError: Not this noise, or the accountant is not installed.

    One hundred counts at epsilon 0.1; added up they would cost 10:

    >>> loss = many(DiscreteLaplace(scale=10), count=100, d_in=1, delta="1e-6")
    >>> 4.7 < loss.epsilon < 4.8
    True
    """
    k, d = whole("count", count), share("delta", delta)
    if isinstance(mechanism, DyadicLaplace):
        if mechanism.changed != 1:
            raise PlanError("answers are accounted for one number at a time", fix="Say changed=1.")
        steps = mechanism.privacy_map(d_in).epsilon * mechanism.steps.scale
        return many(mechanism.steps, count=k, d_in=steps, delta=d)
    if not isinstance(mechanism, DiscreteLaplace | DiscreteGaussian):
        raise PlanError("only Laplace and Gaussian noise is accounted for together")
    # Whole numbers lie apart by whole numbers.
    distance = math.floor(exact("d_in", d_in))
    once = mechanism.privacy_map(distance)
    if isinstance(once, Pure):
        plain = [once.group(k).epsilon]
        rho = once.concentrated()
    else:
        plain, rho = [], once
    plain.append(ZeroConcentrated(rho=rho.rho * k).approximate(delta=d).epsilon)
    if 0 < min(plain) < HOPELESS:
        tight = _accounted(mechanism, k, distance, d)
        plain += [] if tight is None else [tight]
    return Approximate(epsilon=min(plain), delta=d)


def _accounted(
    mechanism: DiscreteLaplace | DiscreteGaussian, k: int, distance: int, delta: Fraction
) -> Fraction | None:
    """The accountant's epsilon, or nothing where it cannot be trusted or would take too long."""
    pld = _accountant()
    gaussian = isinstance(mechanism, DiscreteGaussian)
    exactly = distance / mechanism.scale
    if k > MOST_ANSWERS or (gaussian and mechanism.scale > WIDEST) or not LEAST < exactly < WORST:
        return None
    loss = float(exactly)
    outcomes = 24 * float(mechanism.scale) if gaussian else 1.0
    # A grid as fine as the losses need; they spread like a walk of k steps.
    spread = loss * (math.sqrt(k) * 20 + k * loss / 2 + 20)
    grid = max(min(_GRID, loss / 100), spread / LONGEST)
    build = (
        pld.from_discrete_gaussian_mechanism(
            float(mechanism.scale),
            sensitivity=distance,
            value_discretization_interval=grid,
            use_connect_dots=True,
        )
        if gaussian
        # Its parameter is one over the scale: rounded up, there is less noise than there is.
        else pld.from_discrete_laplace_mechanism(
            double_up(1 / mechanism.scale),
            sensitivity=distance,
            value_discretization_interval=grid,
            use_connect_dots=True,
        )
    )
    together = build.self_compose(k)
    cells = 2 * max(_size(build), _size(together))
    # A transform of n numbers is off by less than 4 log2(n) units of their norm, which is at most
    # 1; a power multiplies that by k; and a sum of n errors is at most sqrt(n) times their norm.
    # The probabilities that go in were added up one by one, each time losing a unit or two.
    lost = (k + 1) * _UNIT * (4 * math.log2(cells) * math.sqrt(cells) + 4 * outcomes + 64)
    epsilon = together.get_epsilon_for_delta(max(float(delta) - lost, 0.0))
    for _ in range(64):
        if not math.isfinite(epsilon) or epsilon > HOPELESS:
            return None
        cut = k * (1 + math.exp(epsilon)) * _TRUNCATED if gaussian else 0.0
        if together.get_delta_for_epsilon(epsilon) * (1 + 1e-9) + lost + cut <= float(delta):
            return Fraction(epsilon)
        epsilon = epsilon * (1 + 1e-9) + 1e-12
    return None


def _size(distribution: object) -> int:
    """Cells of a distribution; where the accountant does not say, as many as there may be."""
    return int(getattr(getattr(distribution, "_pmf_remove", None), "size", 2 * LONGEST))


def _accountant() -> ModuleType:
    with extra("accounting", "the joint loss of many answers", also="Or add the losses up.",
               raises=PlanError):  # fmt: skip
        from dp_accounting.pld import privacy_loss_distribution
    module: ModuleType = privacy_loss_distribution
    return module
