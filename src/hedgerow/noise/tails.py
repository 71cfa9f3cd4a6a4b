"""How far noise reaches: half-widths that cover at least as often as they say."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.noise.rounding import double_down, exp_down, log_up

SMALL = 4096
"""Discrete Gaussians up to this scale are added up; larger ones are bounded."""
LEAST = 1e-300
"""Gaussian half-widths are not computed for rarer misses."""
_SLACK = 1e-9
"""More than doubles lose in the sums and quantiles below, relative to the result."""


@lru_cache(maxsize=256)
def laplace_half_width(*, scale: Fraction, confidence: Fraction) -> int:
    """The smallest whole a with P(|Z| <= a) at least the confidence, Z discrete Laplace.

    P(|Z| > a) = 2 e^(-(a + 1) / scale) / (1 + e^(-1 / scale)), solved for a and rounded up.

    >>> laplace_half_width(scale=Fraction(10), confidence=Fraction(95, 100))
    30
    """
    beyond = (1 - confidence) * (1 + exp_down(-1 / scale))
    return max(ceil(scale * log_up(2 / beyond)) - 1, 0)


@lru_cache(maxsize=256)
def gaussian_half_width(*, scale: Fraction, confidence: Fraction) -> int:
    """A whole a with P(|Z| <= a) at least the confidence, Z discrete Gaussian.

    The smallest up to a scale of 4096. Above, the smallest or one more: the sum of
    e^(-z^2 / (2 scale^2)) over z > a is at most the integral from a on, and over all z at least
    scale sqrt(2 pi), so that P(|Z| > a) is at most that of a continuous Gaussian.

    >>> gaussian_half_width(scale=Fraction(10), confidence=Fraction(95, 100))
    20
    """
    from scipy.special import ndtri

    beyond = double_down(1 - confidence)
    if beyond < LEAST:
        raise PlanError(f"confidence is nearer to 1 than {LEAST}", fix="Ask for 0.95 or so.")
    if scale > SMALL:
        return ceil(scale * Fraction(-float(ndtri(beyond / 2)) * (1 + _SLACK)))
    sigma = float(scale)
    with np.errstate(over="ignore", under="ignore"):
        # Beyond 40 scales there is less than e^-800 of everything.
        weight = np.exp(-0.5 * (np.arange(1, ceil(40 * sigma) + 2) / sigma) ** 2)
    above = 2 * np.append(np.cumsum(weight[::-1])[::-1], 0.0)
    return int(np.argmax(above / (1 + above[0]) * (1 + _SLACK) <= beyond))
