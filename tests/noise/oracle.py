"""Exact output distributions on tiny domains, by rational arithmetic; knows nothing of hedgerow.

A distribution is a dict from outcome to probability. Exponentials are rational to 500 bits, so
comparisons allow EXACT. Where outcomes have no end, those listed reach so far that the rest is
under a bound that the tests add.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product as pairs

EXACT = Fraction(1, 2**300)
Distribution = dict[Hashable, Fraction]


def short(x: Fraction) -> Fraction:
    """The same to 600 bits: sums of long fractions take for ever."""
    shift = 600 - x.numerator.bit_length() + x.denominator.bit_length()
    if shift >= 0:
        return Fraction((x.numerator << shift) // x.denominator, 1 << shift)
    return Fraction(x.numerator // (x.denominator << -shift) << -shift)


def exp(x: Fraction) -> Fraction:
    """e^x to about 500 bits: a series of x / 2^m, squared m times."""
    if x < 0:
        return short(1 / exp(-x))
    halvings = int(x).bit_length() + 1
    one = 1 << 600
    r = (x.numerator * one // x.denominator) >> halvings
    total, term, n = one, one, 0
    while term:
        n += 1
        term = (term * r >> 600) // n
        total += term
    for _ in range(halvings):
        total = total * total >> 600
    return Fraction(total, one)


def laplace(value: int, scale: Fraction, outcomes: Iterable[int]) -> Distribution:
    a = exp(-1 / scale)
    return {y: short((1 - a) / (1 + a) * exp(-abs(y - value) / scale)) for y in outcomes}


def laplace_rest(scale: Fraction, reach: int) -> Fraction:
    """Mass at more than `reach` from the value."""
    a = exp(-1 / scale)
    return 2 * exp(-Fraction(reach + 1) / scale) / (1 + a)


def gaussian(value: int, scale: Fraction, outcomes: Iterable[int]) -> Distribution:
    def weight(z: int) -> Fraction:
        return exp(-(z * z) / (2 * scale * scale))

    far = math.ceil(30 * scale)  # e^-450 of the mass is beyond
    total = 1 + 2 * sum((weight(z) for z in range(1, far)), Fraction(0))
    return {y: short(weight(y - value) / total) for y in outcomes}


def lattice(value: Fraction, bits: int) -> int:
    """The nearest multiple of 2^-bits, halves up."""
    return math.floor(value * Fraction(2) ** bits + Fraction(1, 2))


def exponential(scores: Sequence[Fraction], scale: Fraction) -> Distribution:
    weights = [exp(Fraction(q) / scale) for q in scores]
    return {i: short(w / sum(weights)) for i, w in enumerate(weights)}


def permute_and_flip(scores: Mapping[int, Fraction], scale: Fraction) -> Distribution:
    """By its definition: a random candidate of those left is kept or thrown away."""
    best = max(scores.values())

    def chosen(left: frozenset[int]) -> Distribution:
        found: Distribution = dict.fromkeys(left, Fraction(0))
        for i in left:
            keep = exp(Fraction(scores[i] - best) / scale)
            found[i] += keep / len(left)
            if keep < 1:
                for j, p in chosen(left - {i}).items():
                    found[j] += (1 - keep) / len(left) * p
        return {i: short(p) for i, p in found.items()}

    return chosen(frozenset(scores))


def noisy_top(scores: Mapping[int, Fraction], scale: Fraction, top: int) -> Distribution:
    if not top:
        return {(): Fraction(1)}
    found: Distribution = {}
    for first, p in permute_and_flip(scores, scale).items():
        left = {i: q for i, q in scores.items() if i != first}
        for rest, q in noisy_top(left, scale, top - 1).items():
            found[first, *rest] = short(p * q)  # type: ignore[misc]
    return found


def response(value: int, categories: int, truth: Fraction) -> Distribution:
    return {y: truth if y == value else (1 - truth) / (categories - 1) for y in range(categories)}


def together(*parts: Distribution) -> Distribution:
    """Independent draws."""
    return reduce(
        lambda a, b: {(x, y): p * q for (x, p), (y, q) in pairs(a.items(), b.items())}, parts
    )


def worst_ratio(p: Distribution, q: Distribution) -> Fraction | float:
    """The largest ratio of probabilities, either way round."""
    worst: Fraction | float = Fraction(1)
    for y in p.keys() | q.keys():
        a, b = p.get(y, Fraction(0)), q.get(y, Fraction(0))
        if (a == 0) != (b == 0):
            return math.inf
        if a:
            worst = max(worst, a / b, b / a)
    return worst


def hockey_stick(p: Distribution, q: Distribution, epsilon: Fraction) -> Fraction:
    """The smallest delta with which epsilon holds, one way round, on the outcomes listed."""
    e = exp(epsilon)
    return sum((max(a - e * q.get(y, Fraction(0)), Fraction(0)) for y, a in p.items()), Fraction(0))


def renyi(p: Distribution, q: Distribution, order: int) -> float:
    """The Rényi divergence of a whole order above 1."""
    total = sum((short(a**order / q[y] ** (order - 1)) for y, a in p.items()), Fraction(0))
    return math.log1p(float(total - 1)) / (order - 1)


def keeps_pure(p: Distribution, q: Distribution, epsilon: Fraction) -> bool:
    return worst_ratio(p, q) <= exp(epsilon) * (1 + EXACT)


def keeps(p: Distribution, q: Distribution, epsilon: Fraction, delta: Fraction) -> bool:
    found = max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))
    return found <= delta + EXACT
