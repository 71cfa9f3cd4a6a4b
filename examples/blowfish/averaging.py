"""The averaging example of paper 002: exact sums beside noisy counts, and a policy that knows them.

There are counts x_1, ..., x_k, and x_1 + x_2, x_2 + x_3, ... are known exactly. A policy without
constraints thinks that somebody's move from one value to another changes two counts, and adds noise
for 2. But every noisy count then tells of x_1, and k of them are averaged.

If the policy knows the sums, neighbours agree with them: their counts differ by t (1, -1, 1, ...).
With an odd k and a known number of rows t is 0: the sums give all counts away, noise is in vain.
With an even k, t is 1 or -1. For if it were larger, take the paths that rows' moves make from
values that lose t rows each to values that gain t each. They are a bipartite graph in which each
value has t paths, so t perfect matchings (König). One of them alone gives a table that agrees
with the sums and is nearer. So all k counts change by 1, and the sensitivity is k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.attacks.averaging import neighbouring_sums, projection
from hedgerow.noise.blowfish import Constraints, Full
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace

EPSILON = "0.5"
ROWS = 40
"""Of each value."""


@dataclass(frozen=True)
class Averaged:
    """One way to choose the noise of k counts, and what an averaging attacker makes of it."""

    sensitivity: int
    scale: float
    alone: float
    """Mean squared error of a noisy count by itself."""
    averaged: float
    """With the sums."""


def known(k: int) -> Constraints:
    """The sums of neighbouring counts, as a policy's constraints."""
    sums = neighbouring_sums(k).astype(bool).tolist()
    return Constraints(Full(k), tuple(map(tuple, sums)))


def attacked(k: int, sensitivity: int, *, releases: int) -> Averaged:
    """Noise for a sensitivity, then the attack."""
    loss = Pure(epsilon=EPSILON)
    noise = DiscreteLaplace(scale=DiscreteLaplace.scale_for(loss, d_in=sensitivity))
    truth = np.full(k, ROWS)
    noisy = noise.release(np.tile(truth, (releases, 1))).astype(np.float64)
    matrix = neighbouring_sums(k)
    found = projection(noisy, matrix=matrix, sums=matrix @ truth).counts
    return Averaged(
        sensitivity,
        float(noise.scale),
        float(((noisy - truth) ** 2).mean()),
        float(((found - truth) ** 2).mean()),
    )
