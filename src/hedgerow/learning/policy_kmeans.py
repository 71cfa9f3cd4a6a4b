"""k-means under a Blowfish policy: from noisy counts of boxes, or from noisy sums."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.learning.boxes import Box, Ints
from hedgerow.learning.inputs import columns_of, counted, names_of
from hedgerow.learning.kmeans import KMeans, moved, nearest_centre, parts
from hedgerow.learning.spaces import as_numbers, per_column
from hedgerow.learning.spend import warn_uncharged
from hedgerow.noise.blowfish.kmeans import AlongEdges, Smoothed, longest, placed
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.blowfish.policy import Policy
from hedgerow.noise.measures import Pure
from hedgerow.noise.rounding import Number, positive, whole
from hedgerow.table.domain import Bounds, Domain

Floats = NDArray[np.float64]

STARTS = 10
"""First centres that are tried on noisy counts, at no cost."""
FREE, PAID = 100, 5
"""Iterations, if nobody says how many: on noisy counts at most so many, on noisy sums so many."""


class PolicyKMeans(KMeans):
    """k-means that keeps private what a policy protects, **and no more than that**.

    Guarantee: `policy_loss_`, a policy and a pure loss: the centres of two tables that differ in
    one row along an edge of the policy are as likely up to e^epsilon. That is differential
    privacy only under a policy that joins everything to everything; else what the policy does
    not join may be given away (`hedgerow.noise.blowfish.words` says what). Rows' clusters are
    not kept.
    Assumes: the number of rows is public, and each person has one. Values are what the policy
    says: a number between two steps of its column is taken as the nearest, beyond the bounds as
    the bound, and what is no number as the middle. First centres come from the box alone.
    Fitting charges no ledger.
    Reference: `hedgerow.noise.blowfish.kmeans`, with proofs; not the sums of Machanavajjhala and
    Kifer (2015), which leave out edges that cross from one cluster to another.

    Args:
        n_clusters: How many.
        epsilon: The loss along one edge, in all.
        policy: With a graph for each column, over as many values as its bounds have steps. For
            an array without names, columns are in the policy's order. Or `plan.stated()`, the
            policy of a plan: then a number between two steps is taken as the step under it, as
            answers take it, and `policy_loss_` has the policy without the code that plans have
            for what is no number (`Stated.inside`). With known counts that tie rows together
            it is refused.
        domains: `Bounds` with a step for each column, or one for all; by name for frames. Those
            of the plan if left out with `plan.stated()`.
        method: "histogram" counts boxes once; "sums" pays for each iteration. The first is
            better in the few columns it was tried in, and refused in more than 8.
        iterations: How often centres move.
        first: Centres to begin with, if some are known; not from these data.

    >>> from hedgerow.noise.blowfish.listed_graphs import Grid
    >>> towns = np.repeat([[2, 2], [8, 8]], 1000, axis=0)
    >>> near = Policy({("east", "north"): Grid((11, 11), within=1)})
    >>> means = PolicyKMeans(
    ...     n_clusters=2, epsilon=10, policy=near, domains=Bounds(0, 10, 1),
    ...     first=[[3, 3], [6, 6]],
    ... ).fit(towns)
    >>> np.round(means.cluster_centers_).tolist(), float(means.policy_loss_[1].epsilon) <= 10
    ([[2.0, 2.0], [8.0, 8.0]], True)
    """

    def __init__(
        self,
        *,
        n_clusters: int = 8,
        epsilon: Number | None = None,
        policy: Policy | Stated | None = None,
        domains: Any = None,
        method: Literal["histogram", "sums"] = "histogram",
        iterations: int | None = None,
        first: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.policy = policy
        self.domains = domains
        self.method = method
        self.iterations = iterations  # type: ignore[assignment]
        self.first = first

    def fit(self, X: Any, y: Any = None) -> PolicyKMeans:  # noqa: N803
        """Find the centres; spends epsilon under the policy, each time anew.

        Raises:
            PlanError: A parameter is left out or wrong, or does not agree with the policy.
            ShapeError: These are no rows and columns.
        """
        if self.epsilon is None or not isinstance(self.policy, Policy | Stated):
            raise PlanError("epsilon and a policy must be given")
        if self.method not in ("histogram", "sums"):
            raise PlanError(f"there is no method {self.method!r}", fix="Say histogram or sums.")
        loss = Pure(epsilon=positive("epsilon", self.epsilon))
        clusters = whole("n_clusters", self.n_clusters)
        usual = FREE if self.method == "histogram" else PAID
        often = whole("iterations", usual if self.iterations is None else self.iterations)
        columns = columns_of(self, X, reset=True)
        stated = self.policy if isinstance(self.policy, Stated) else None
        policy = self.policy if isinstance(self.policy, Policy) else self.policy.inside()
        names = self._names(policy, len(columns))
        domains: Sequence[object]
        if stated is not None:
            domains = _as_stated(stated, self.domains, names)
        else:
            domains = per_column(self.domains, names=names_of(self), columns=len(columns))
        bounds = tuple(domain for domain in domains if isinstance(domain, Bounds))
        if len(bounds) != len(domains):
            raise PlanError("k-means needs numbers: bounds for each column")
        warn_uncharged(self)
        self.box_ = Box(bounds)
        sizes = [side.cells for side in bounds]
        coded = _coded if stated is None else _coded_under
        codes = np.column_stack([coded(*pair) for pair in zip(bounds, columns, strict=True)])
        if self.method == "histogram":
            grid = Smoothed.fitting(
                policy,
                columns=names,
                sizes=sizes,
                widths=[Fraction(side.high) - Fraction(side.low) for side in bounds],
                rows=len(codes),
                loss=loss,
            )
            middles, weights = grid.release(codes)
            # From here on nothing looks at the data.
            reached = self._settle(middles, weights, sizes, clusters, often)
            spent = grid.spent
        else:
            reached = self._pay(policy, names, sizes, codes, clusters, loss, often)
            spent = loss
        self.centres_ = reached
        self.cluster_centers_ = self.box_.numbers(reached)
        self.neighbours_ = policy.neighbours
        self.policy_loss_ = (policy, spent)
        return self

    def _names(self, policy: Policy, count: int) -> list[str]:
        """Of the columns, as the policy has them."""
        named = names_of(self)
        if named is None:
            named = [column for columns, _ in policy.parts for column in columns]
            if len(named) != count:
                raise PlanError(
                    f"the policy names {len(named)} columns and there are {count}",
                    fix="Give a frame with names, or a policy for these columns.",
                )
        for name in named:
            policy.part(name)
        return named

    def _settle(
        self, middles: Floats, weights: Floats, sizes: list[int], clusters: int, most: int
    ) -> Ints:
        """Plain k-means on weighted points, from several first centres unless some are given."""
        step = np.array([float(side.step or 1) for side in self.box_.bounds])
        points = (middles * sizes - 0.5) * step / float(self.box_.step)
        points = np.clip(np.rint(points), 0, self.box_.steps).astype(np.int64)
        kept = weights > 0
        points, weights = points[kept], weights[kept]
        found = []
        for _ in range(1 if self.first is not None else STARTS):
            centres = settled(self._begin(clusters), points, weights, most=most)
            apart = points - centres[nearest_centre(points, centres)]
            found.append((float((apart.astype(np.float64) ** 2).sum(axis=1) @ weights), centres))
        self.n_iter_ = most
        return min(found, key=lambda each: each[0])[1]

    def _pay(
        self,
        policy: Policy,
        names: list[str],
        sizes: list[int],
        codes: Ints,
        clusters: int,
        loss: Pure,
        iterations: int,
    ) -> Ints:
        scales = [Fraction(side.step or 1) / self.box_.step for side in self.box_.bounds]
        sided = dict(zip(names, zip(sizes, scales, strict=True), strict=True))
        sensitivity = AlongEdges(longest(policy, sided))
        if not sensitivity.longest:
            raise PlanError("this policy has no edge: it protects nothing about these columns")
        places = [
            # The first value lies on the lower side of the box, and not in the middle of a step.
            np.minimum(placed(column, scale) - int(scale / 2), steps)
            for column, scale, steps in zip(codes.T, scales, self.box_.steps, strict=True)
        ]
        points, times = counted(np.column_stack(places), (self.box_.steps + 1).tolist())
        by_size, by_sum = parts(Pure(epsilon=loss.epsilon / iterations), columns=len(names))
        centres = self._begin(clusters)
        for _ in range(iterations):
            centres = moved(
                centres, points, times, self.box_, sensitivity, sizes=by_size, sums=by_sum
            )
        self.n_iter_ = iterations
        return centres


def settled(centres: Ints, points: Ints, weights: Floats, *, most: int) -> Ints:
    """Centres after so many rounds of plain k-means on weighted points, or when none moves.

    >>> settled(np.array([[0], [9]]), np.array([[0], [2], [8]]), np.array([1.0, 3, 1]), most=9)
    array([[2],
           [8]])
    """
    for _ in range(most):
        where = nearest_centre(points, centres)
        size = np.bincount(where, weights, len(centres))
        total = [np.bincount(where, weights * side, len(centres)) for side in points.T]
        mean = np.stack(total, axis=1) / np.where(size > 0, size, 1)[:, None]
        reached = np.where((size > 0)[:, None], np.rint(mean).astype(np.int64), centres)
        if (reached == centres).all():
            break
        centres = reached
    return centres


def _coded(side: Bounds, column: NDArray[Any]) -> Ints:
    """Codes of a column's numbers, each by itself: the nearest step within the bounds."""
    most = side.cells - 1
    numbers = (as_numbers(column) - float(side.low)) / float(side.step or 1)
    held = np.clip(np.where(np.isfinite(numbers), numbers, most / 2), 0, most)
    return np.asarray(np.rint(held), np.int64)


def _coded_under(side: Bounds, column: NDArray[Any]) -> Ints:
    """Codes as a plan's policy has them: the step under each number.

    Numbers are doubles, and so is each step: 0.3 is the third step of 0.1, though three times
    the double 0.1 is more.
    """
    step = side.step or Fraction(1)
    unit = lcm(side.low.denominator, step.denominator)
    if max(abs(side.low), abs(side.high), Fraction(1)) * unit < 2**53:
        # Both are doubles without rounding, so that their quotient is the nearest double.
        borders = (int(side.low * unit) + np.arange(side.cells) * int(step * unit)) / unit
    else:
        borders = np.array([float(side.low + i * step) for i in range(side.cells)])
    numbers = as_numbers(column)
    finite = np.isfinite(numbers)
    codes = np.searchsorted(borders, np.where(finite, numbers, borders[0]), side="right") - 1
    return np.where(finite, np.maximum(codes, 0), (side.cells - 1) // 2)


def _as_stated(stated: Stated, given: Any, names: list[str]) -> list[Domain]:
    """The domains of a plan, which others must not contradict."""
    found: list[Domain] = []
    wanted = None if given is None else per_column(given, names=names, columns=len(names))
    for i, name in enumerate(names):
        domain = stated.domains.get(name, stated.sides.get(name))
        assert domain is not None, "every part has one"
        if wanted is not None and wanted[i] != domain:
            raise PlanError(
                f"the plan has other bounds or another step for {name!r}",
                fix="Leave `domains` out: those of the plan are taken.",
            )
        found.append(domain)
    return found
