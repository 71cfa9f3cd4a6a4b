"""The only place that draws randomness for privacy: OpenDP's exact samplers, on whole vectors.

They take their bits from the operating system's cryptographic generator, and compute with whole
numbers and fractions of any size, so that every probability is the one claimed. No call takes a
seed. A scale reaches the sampler as a double: it is rounded up, so that there is more noise
rather than less. How long a draw takes depends on what is drawn; that is not hidden.

What leaves a sampler is at most 2^63 - 1 and at least -2^63: larger sums are published as
these. The sampler does this to the sum, not to the noise, so it is post-processing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.noise.rounding import double_up

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]
Scores = NDArray[np.int64] | NDArray[np.float64]

LEAST_SHARE = 2.0**-1000
"""Bernoulli probabilities under this are refused: halving them in the sampler might round."""


def discrete_laplace(values: Ints, *, scale: Fraction) -> Ints:
    """Values plus z, each with probability in proportion to e^(-|z| / scale)."""
    return _add("laplace", values, _double(scale))


def discrete_gaussian(values: Ints, *, scale: Fraction) -> Ints:
    """Values plus z, each with probability in proportion to e^(-z^2 / (2 scale^2))."""
    return _add("gaussian", values, _double(scale))


def permute_and_flip(scores: Scores, *, scale: Fraction, top: int = 1) -> tuple[int, ...]:
    """The places of the largest scores after noise, best first, one after the other.

    One place: walk through them in random order, stop at one with probability
    e^((score - best) / scale).
    """
    return _choose("exponential", scores, _double(scale), top)


def gumbel(scores: Scores, *, scale: Fraction) -> int:
    """A place, with probability in proportion to e^(score / scale)."""
    return _choose("gumbel", scores, _double(scale), 1)[0]


def bernoulli(size: int, *, probability: float) -> Bits:
    """So many bits, each set with a probability of at most a half, exactly this double."""
    if not LEAST_SHARE <= probability <= 0.5:
        raise PlanError(f"a probability of {probability} cannot be drawn exactly")
    return _flip(size, probability)


def uniform(size: int, *, below: int) -> Ints:
    """So many whole numbers from 0 up to a bound, all equally likely, exactly.

    Fair bits make numbers under the next power of two; those too large are drawn again.
    """
    width = (below - 1).bit_length()
    drawn = np.zeros(size, np.int64)
    left = np.arange(size)
    while len(left):
        bits = _flip(len(left) * width, 0.5).reshape(len(left), width)
        drawn[left] = bits @ (np.int64(1) << np.arange(width, dtype=np.int64))
        left = left[drawn[left] >= below]
    return drawn


def _double(scale: Fraction) -> float:
    if scale <= 0:
        raise PlanError("noise of scale 0 is no noise", fix="Give a scale above 0.")
    return double_up(scale)


# The four calls below are all there is of the library; tests that run two neighbours with the
# same randomness replace these, so that nothing here can be told to repeat itself.


def _add(kind: str, values: Ints, scale: float) -> Ints:
    if not len(values):
        return np.zeros(0, np.int64)
    return np.array(_adding(kind, scale)(np.ascontiguousarray(values, np.int64)), np.int64)


@lru_cache(maxsize=64)
def _adding(kind: str, scale: float) -> Callable[[Ints], Any]:
    """The library's mechanism; it keeps nothing of what it draws."""
    measurements, domains, metrics, _ = _library()
    space = domains.vector_domain(domains.atom_domain(T="i64"))
    if kind == "laplace":
        made = measurements.make_laplace(space, metrics.l1_distance(T="i64"), scale=scale)
    else:
        made = measurements.make_gaussian(space, metrics.l2_distance(T="f64"), scale=scale)
    mechanism: Callable[[Ints], Any] = made
    return mechanism


def _choose(kind: str, scores: Scores, scale: float, top: int) -> tuple[int, ...]:
    measurements, domains, metrics, measures = _library()
    whole = scores.dtype == np.int64
    atom = domains.atom_domain(T="i64") if whole else domains.atom_domain(T="f64", nan=False)
    chosen: Sequence[int] = measurements.make_noisy_top_k(
        domains.vector_domain(atom),
        metrics.linf_distance(T="i64" if whole else "f64"),
        # The library's name of the noise: exponential where loss is pure, Gumbel in zCDP.
        measures.max_divergence()
        if kind == "exponential"
        else measures.zero_concentrated_divergence(),
        k=top,
        scale=scale,
    )(scores)
    return tuple(int(place) for place in chosen)


def _flip(size: int, probability: float) -> Bits:
    if not size:
        return np.zeros(0, np.bool_)
    measurements, domains, metrics, _ = _library()
    # Each bit of a vector is flipped with half of f; the weight matters to its own map only.
    flips = measurements.make_randomized_response_bitvec(
        domains.bitvector_domain(max_weight=1), metrics.discrete_distance(), f=2 * probability
    )
    drawn = np.frombuffer(flips(bytes(-(-size // 8))), np.uint8)
    return np.unpackbits(drawn)[:size].astype(np.bool_)


@cache
def _library() -> tuple[Any, Any, Any, Any]:
    """Loaded when something is drawn: it takes a tenth of a second."""
    from opendp import domains, measurements, measures, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    return measurements, domains, metrics, measures
