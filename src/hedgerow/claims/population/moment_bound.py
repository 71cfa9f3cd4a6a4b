"""A bound without a model: groups of two and three say how many uniques have somebody like them.

A population group of j people is seen once with the chance j p (1 - p)^(j - 1). Write r for
(1 - p) / p, and let x be the j - 1 others of the group of a sample unique that is not unique in the
population. Summed over these groups, with weights that are their chances to be seen once:

    weights alone        = f1 - U          U: sample uniques that are unique in the population
    x                    = 2 r f2
    x (x - 1)            = 6 r^2 f3        all in expectation

The squared mean is at most the mean square (Cauchy, Schwarz), and x is at least 1, so

    f1 - U >= (2 r f2)^2 / (2 r f2 + 6 r^2 f3)

whatever the sizes of groups in the population are. It is the argument by which Chao (1984) bounds
the number of unseen species.
"""

from __future__ import annotations

from hedgerow.claims.population.estimate import Estimate, bounded, nobody_alone, zeros
from hedgerow.claims.population.size_counts import SizeCounts

NAME = "bound"


def moment_bound(sample: SizeCounts) -> Estimate:
    """At most how many sample uniques are expected to be unique in the population.

    In place of f2^2 / (f2 + 3 r f3) it takes f2 (f2 - 1) / (f2 + 3 r (f3 + 1)): for independent
    Poisson numbers its expectation is never more, so that chance does not lower the bound.

    Reference: Chao 1984, Scandinavian Journal of Statistics 11, for the argument.
    """
    if not sample.uniques:
        return nobody_alone(NAME)
    r = (1 - sample.fraction) / sample.fraction
    # More groups of three raise the bound: those whom nobody sees may have been in some.
    f2, f3 = sample.of_size(2), sample.of_size(3) + sample.absent / 3
    below = f2 + 3 * r * (f3 + 1)
    others = 2 * r * f2 * (f2 - 1) / below if f2 > 1 else 0.0
    influence = zeros(sample)
    influence[0] = 1.0
    if f2 > 1:
        influence[sample.sizes == 2] = -(2 * r * (2 * f2 - 1) - others) / below
        influence[sample.sizes == 3] = 3 * r * others / below
    return bounded(NAME, sample, sample.uniques - others, influence)
