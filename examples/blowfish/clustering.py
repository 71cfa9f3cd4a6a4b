"""Figure 2 of paper 002: k-means on 1 % of skin segmentation under several policies."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from examples.blowfish import data
from hedgerow.learning import NothingCharged, PolicyKMeans
from hedgerow.learning.kmeans import nearest_centre
from hedgerow.learning.policy_kmeans import settled
from hedgerow.noise.blowfish import Full, Grid, Policy
from hedgerow.noise.blowfish.secret_graph import Ints
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.rounding import exact
from hedgerow.table.domain import Bounds

Floats = NDArray[np.float64]

CLUSTERS, ITERATIONS, SIDE = 4, 10, 256
DP, ATTRIBUTE = "differential privacy", "attribute"
THETAS = (256, 128, 64, 32)
COUNTS, SUMS, PAPER = "counts first", "sums, sound", "as published"
"""The last does not satisfy the definition, except for differential privacy."""
COLUMNS = ("b", "g", "r")


def policies() -> dict[str, Policy]:
    """Differential privacy here is change-one: a pixel has any other colour."""
    full = {column: Full(SIDE) for column in COLUMNS}
    return {
        DP: Policy(full),
        ATTRIBUTE: Policy(full, at_once=1),
        **{f"θ = {t}": Policy({COLUMNS: Grid((SIDE,) * 3, within=t)}) for t in THETAS},
    }


def published(name: str) -> tuple[int, int]:
    """What the paper takes as sensitivity of sizes and sums of clusters.

    Differential privacy there is add-remove, the others are change-one. For those the second
    number is that of one sum over everybody: an edge that crosses a border is left out.
    """
    if name == DP:
        return 1, 3 * (SIDE - 1)
    return 2, SIDE - 1 if name == ATTRIBUTE else int(name.removeprefix("θ = "))


@dataclass(frozen=True, eq=False)
class Lab:
    """A sample, and first centres for as many runs as are wanted."""

    rows: Ints
    seed: int

    @classmethod
    def of(cls, *, rows: int | None = None, seed: int = 1) -> Lab:
        """One in a hundred, or so many."""
        every = data.colours()
        rng = np.random.default_rng(seed)
        return cls(every[rng.choice(len(every), rows or len(every) // 100, replace=False)], seed)

    def first(self, run: int) -> Ints:
        """Anywhere in the box, the same for all policies and methods."""
        rng = np.random.default_rng((self.seed, run))
        return rng.integers(0, SIDE, (CLUSTERS, 3))

    def error(self, centres: NDArray[Any]) -> float:
        """The squared error, equation 1 of the paper."""
        apart = self.rows[:, None, :] - np.asarray(centres, np.float64)[None, :, :]
        return float((apart**2).sum(axis=2).min(axis=1).sum())

    def plain(self, run: int) -> float:
        """The error of k-means without noise, from the same first centres."""
        every = np.ones(len(self.rows))
        return self.error(settled(self.first(run), self.rows, every, most=ITERATIONS))

    def errors(self, method: str, policy: Policy | str, epsilon: str, *, runs: int) -> Floats:
        """For each run the error with noise over that without."""
        fit = self.fitting(method, policy, epsilon)
        return np.array([self.error(fit(self.first(r))) / self.plain(r) for r in range(runs)])

    def fitting(self, method: str, policy: Policy | str, epsilon: str) -> Callable[..., Any]:
        """From first centres to last ones, under a policy or, as published, its name."""
        if method == PAPER:
            assert isinstance(policy, str)
            return lambda first: self._as_published(first, policy, epsilon)
        assert isinstance(policy, Policy)
        warnings.simplefilter("ignore", NothingCharged)  # a public table
        return lambda first: (
            PolicyKMeans(
                n_clusters=CLUSTERS,
                epsilon=epsilon,
                policy=policy,
                domains=Bounds(0, SIDE - 1, 1),  # type: ignore[arg-type]
                method="histogram" if method == COUNTS else "sums",
                iterations=ITERATIONS,
                first=first,
            )
            .fit(self.rows)
            .cluster_centers_
        )

    def _as_published(self, first: Ints, name: str, epsilon: str) -> Ints:
        """Half of each iteration's epsilon for sizes, half for sums. **Does not satisfy
        the definition** under any policy but differential privacy: see `published`."""
        part = Pure(epsilon=exact("epsilon", epsilon) / (2 * ITERATIONS))
        by_size, by_sum = (
            DiscreteLaplace(scale=DiscreteLaplace.scale_for(part, d_in=d)) for d in published(name)
        )
        centres = first
        for _ in range(ITERATIONS):
            where = nearest_centre(self.rows, centres)
            size = by_size.release(np.bincount(where, minlength=CLUSTERS))
            sums = np.zeros((CLUSTERS, 3), np.int64)
            np.add.at(sums, where, self.rows)
            mean = by_sum.release(sums) / np.maximum(size, 1)[:, None]
            reached = np.clip(np.rint(mean), 0, SIDE - 1).astype(np.int64)
            centres = np.where((size > 1)[:, None], reached, centres)
        return centres
