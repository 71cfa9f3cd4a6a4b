"""Every mechanism of the house: importing this module fills `MECHANISMS`."""

from hedgerow.noise.mechanisms import (
    MECHANISMS,
    DiscreteGaussian,
    DiscreteLaplace,
    DyadicLaplace,
    Mechanism,
)
from hedgerow.noise.selection import Exponential, NoisyMax, PermuteAndFlip

__all__ = [
    "MECHANISMS",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DyadicLaplace",
    "Exponential",
    "Mechanism",
    "NoisyMax",
    "PermuteAndFlip",
]
