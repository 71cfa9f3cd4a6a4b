"""What every estimator says of a table that is a sample, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hedgerow.claims.population.decision import ESTIMATORS
from hedgerow.claims.population.estimate import UndefinedEstimateError
from hedgerow.claims.population.size_counts import SizeCounts
from hedgerow.table.groups import Ints


@dataclass(frozen=True, kw_only=True)
class EstimatedShare:
    """What one estimator says of the share of people who are unique in the population."""

    model: str
    share: float | None
    """None where it has no estimate."""
    upper: float | None
    """Upper end of its interval."""
    parameters: dict[str, float]
    """What was fitted."""


@dataclass(frozen=True, kw_only=True)
class PopulationView:
    """The risk in the population, estimated from the sizes of groups in a sample."""

    fraction: float
    alone: float
    """Share of the people who are alone in the sample."""
    shares: tuple[EstimatedShare, ...]
    right: float | None
    """The chance that the only person of the population's list who fits somebody alone in the
    sample is that person, as data intrusion simulation has it; None where nobody is alone."""

    @classmethod
    def of(cls, n: Ints, *, fraction: float, left_out: int = 0) -> PopulationView:
        """Estimate it.

        Args:
            n: Sizes of groups.
            fraction: Share of the population that is in the sample.
            left_out: People of the sample in no group.
        """
        people, alone = int(n.sum()), int(np.count_nonzero(n == 1))
        sample = SizeCounts.of(n, fraction=fraction, absent=left_out)
        shares = []
        for name, estimator in ESTIMATORS.items():
            try:
                found = estimator(sample)
            except UndefinedEstimateError:
                told = EstimatedShare(model=name, share=None, upper=None, parameters={})
            else:
                told = EstimatedShare(
                    model=name,
                    share=min(found.uniques, alone) / max(people, 1),
                    upper=min(found.upper, alone) / max(people, 1),
                    parameters=found.parameters,
                )
            shares.append(told)
        return cls(
            fraction=fraction,
            alone=alone / max(people, 1),
            shares=tuple(shares),
            right=right_match(sample),
        )

    def sentences(self) -> Iterator[str]:
        """For the steward."""
        told = [
            f"{one.model} {one.share:.2%} (at most {one.upper:.2%})"
            for one in self.shares
            if one.share is not None and one.upper is not None
        ]
        none = [one.model for one in self.shares if one.share is None]
        lacking = f"; no estimate: {', '.join(none)}" if none else ""
        yield (
            f"Estimated share of the people who are unique in the population, if the table is a "
            f"simple random sample of {self.fraction:.4g} of it: {'; '.join(told)}{lacking}. Alone "
            f"in the table are {self.alone:.2%}. Only `bound` needs no model of the population."
        )
        if self.right is not None:
            yield (
                f"Whoever finds exactly one record of the table for a person of the population has "
                f"the right one with an estimated chance of {self.right:.1%}."
            )


def right_match(sample: SizeCounts) -> float | None:
    """The chance that a match with somebody who is alone in the sample is right.

    A person of the population is drawn; given that exactly one record fits, it is theirs with the
    chance p f1 / (p f1 + 2 (1 - p) f2): p f1 people are that record's, and groups of two show how
    many would fit a record of somebody else, were one of the two not in the sample.

    Reference: Elliot 2000 (data intrusion simulation); Skinner, Elliot 2002, JRSS B 64.

    >>> right_match(SizeCounts.of(np.array([1, 1, 1, 2]), fraction=0.5))
    0.6
    """
    if not sample.uniques:
        return None
    p = sample.fraction
    own = p * sample.uniques
    return own / (own + 2 * (1 - p) * sample.of_size(2))
