"""Tiny domains for every mechanism, and exact output distributions from `noise.oracle`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from noise import oracle

from hedgerow.noise.catalogue import (
    DiscreteGaussian,
    DiscreteLaplace,
    DyadicLaplace,
    Exponential,
    Mechanism,
    NoisyMax,
    PermuteAndFlip,
)

WINDOW = range(-60, 61)
"""Outcomes that are looked at where there is no end of them."""


@dataclass(frozen=True)
class Case:
    """A mechanism, values it is used on, and what comes out of it."""

    mechanism: Mechanism
    values: Sequence[Any]
    distance: Callable[[Any, Any], Fraction]
    """Between two values, as the mechanism's metric has it."""
    distribution: Callable[[Any], oracle.Distribution]


def _apart(a: float, b: float) -> Fraction:
    return abs(Fraction(a) - Fraction(b))


def _largest(a: Sequence[int], b: Sequence[int]) -> Fraction:
    return Fraction(max(abs(x - y) for x, y in zip(a, b, strict=True)))


def _laplace(scale: str) -> Case:
    made = DiscreteLaplace(scale=scale)
    return Case(made, range(-2, 4), _apart, lambda value: oracle.laplace(value, made.scale, WINDOW))


def _gaussian(scale: str) -> Case:
    made = DiscreteGaussian(scale=scale)
    return Case(
        made, range(-2, 3), _apart, lambda value: oracle.gaussian(value, made.scale, WINDOW)
    )


def _dyadic(bits: int) -> Case:
    made = DyadicLaplace(scale="1.7", bits=bits, changed=1)

    def distribution(value: float) -> oracle.Distribution:
        return oracle.laplace(oracle.lattice(Fraction(value), bits), made.steps.scale, WINDOW)

    return Case(made, [0.0, 0.124, 0.125, 0.3, 1.0, -0.75], _apart, distribution)


SCORES = list(product((0, 1, 3), (0, 2), (1,)))


def _exponential(scale: Fraction) -> Case:
    made = Exponential(scale=scale)
    return Case(made, SCORES, _largest, lambda value: oracle.exponential(value, made.scale))


def _permute_and_flip(scale: Fraction) -> Case:
    made = PermuteAndFlip(scale=scale)

    def distribution(value: Sequence[int]) -> oracle.Distribution:
        return oracle.permute_and_flip(dict(enumerate(value)), made.scale)

    return Case(made, SCORES, _largest, distribution)


def _noisy_max(scale: Fraction) -> Case:
    made = NoisyMax(scale=scale, top=2)

    def distribution(value: Sequence[int]) -> oracle.Distribution:
        return oracle.noisy_top(dict(enumerate(value)), made.scale, 2)

    return Case(made, SCORES, _largest, distribution)


CASES: dict[str, list[Case]] = {
    DiscreteLaplace.name: [_laplace("0.7"), _laplace("3")],
    DyadicLaplace.name: [_dyadic(-1), _dyadic(0), _dyadic(3)],
    DiscreteGaussian.name: [_gaussian("0.8"), _gaussian("2.5")],
    Exponential.name: [_exponential(Fraction(1, 2)), _exponential(Fraction(3))],
    PermuteAndFlip.name: [_permute_and_flip(Fraction(1, 2)), _permute_and_flip(Fraction(3))],
    NoisyMax.name: [_noisy_max(Fraction(2))],
}
"""For each mechanism by name."""
