"""An estimate of how many sample uniques are unique in the population, with its upper end.

Each estimator is a function of how many groups have each size. A group is in the sample by chance,
independently of the others, so its `influence` says how uncertain the estimate is: what one more
group of a size adds to it. A sample unique that is unique in the population adds 1 to the truth,
too, which the estimate then misses by its influence less 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite, sqrt

import numpy as np

from hedgerow.base.errors import DataError
from hedgerow.claims.population.size_counts import SizeCounts
from hedgerow.table.groups import Floats

FALSE_ALARM = 0.05
"""How often the upper end lies below the truth, where what the estimator assumes is so."""
DEVIATIONS = 1.6448536269514722
"""Standard deviations that a normal variable exceeds with that chance."""


class UndefinedEstimateError(DataError):
    """The model does not fit the sample: it has no estimate."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """How many of a sample's uniques are unique in the population."""

    model: str
    """The estimator, as a plan names it."""
    uniques: float
    """Expected number of sample uniques that are unique in the population."""
    upper: float
    """Upper end of a one-sided interval: it is exceeded with a chance of `FALSE_ALARM`."""
    parameters: dict[str, float] = field(default_factory=dict)
    """What was fitted."""


def bounded(
    model: str, sample: SizeCounts, uniques: float, influence: Floats, **parameters: float
) -> Estimate:
    """The estimate with its upper end.

    Args:
        model: The estimator.
        sample: What it saw.
        uniques: What it says.
        influence: Of each size, what one more group of it adds to what it says.
        **parameters: What was fitted.
    """
    if not (isfinite(uniques) and np.isfinite(influence).all()):
        raise no_estimate(model, "its equations cannot be solved")
    uniques = min(max(uniques, 0.0), sample.uniques)
    first = influence[0]
    variance = float(sample.counts[1:] @ influence[1:] ** 2)
    # Which uniques are unique in the population nobody knows: it is linear in how many, so it is
    # largest at an end. At least one counts: none seen does not mean that none could have been.
    ends = (uniques, sample.uniques) if first < 0.5 else (0.0, uniques)
    variance += max(end * (first - 1) ** 2 + (sample.uniques - end) * first**2 for end in ends)
    upper = uniques + DEVIATIONS * sqrt(variance)
    return Estimate(model, uniques, min(upper, sample.uniques), parameters)


def no_estimate(model: str, why: str) -> UndefinedEstimateError:
    """What is said where a model has no estimate."""
    return UndefinedEstimateError(
        f"{model} has no estimate for these groups: {why}",
        fix="Use another model; `bound` always has one.",
    )


@contextmanager
def fitted_or_none(model: str) -> Iterator[None]:
    """What arithmetic cannot solve has no estimate."""
    try:
        with np.errstate(all="ignore"):
            yield
    except (ValueError, ArithmeticError, np.linalg.LinAlgError):
        raise no_estimate(model, "its equations cannot be solved") from None


def nobody_alone(model: str) -> Estimate:
    """The estimate of a sample without uniques: none of its people is unique in the population."""
    return Estimate(model, 0.0, 0.0)


def zeros(sample: SizeCounts) -> Floats:
    """An influence of nothing."""
    return np.zeros(len(sample.sizes))
