"""k-means by Lloyd's iteration on noisy sums and sizes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from hedgerow.base.errors import PlanError
from hedgerow.learning.boxes import Box, Ints
from hedgerow.learning.inputs import columns_of, counted, names_of
from hedgerow.learning.spaces import per_column
from hedgerow.learning.spend import Purse, Spent, together, warn_uncharged
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.neighbours import Neighbours
from hedgerow.noise.rounding import Number, whole
from hedgerow.table.domain import Bounds


class ClusterSensitivity(Protocol):
    """How far one neighbour's sizes and sums lie from another's; both in L1.

    A privacy policy that tells neighbours otherwise supplies its own. Centres are public: they
    are drawn or noisy. Clusters are the cells of the nearest centre.
    """

    def sizes(self) -> int:
        """Of the number of rows in each cluster."""

    def sums(self, centres: Ints, box: Box) -> int:
        """Of the sums of x - centre in each cluster, in steps of the box."""


class EveryRow:
    """One row more or less, wherever it is in the box.

    It is in one cluster, so it adds 1 to one size, and x - centre to one sum. Centred sums are
    what makes noise small: |x - centre| is at most the distance to the farther side, from half
    the width for a centre in the middle to all of it for one in a corner, wherever the box lies;
    a sum of x itself changes by up to |x|, which for a box far from 0 is far more.
    """

    def sizes(self) -> int:
        return 1

    def sums(self, centres: Ints, box: Box) -> int:
        return int(np.maximum(centres, box.steps - centres).sum(axis=1).max())


class KMeans(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """k-means that keeps everybody's row private.

    Each iteration asks for the sizes of the clusters and the sums of x - centre in them, with
    noise, and moves each centre by the mean; after so many iterations it ends, whatever happened.

    Guarantee: `loss_`, pure differential privacy of the centres for the `neighbours` stated: each
    iteration has an equal part of epsilon. Rows' own clusters are not kept in the fitted object,
    nor is how well they fit (scikit-learn's `labels_` and `inertia_`): both would give rows away.
    Assumes: as `DifferentiallyPrivateTree`. First centres come from the box alone. Fitting charges
    no ledger.
    Reference: Su, Cao, Li, Bertino and Jin, Differentially private k-means clustering (2016), for
    few iterations and for first centres that keep their distance. The split of the budget is
    derived below, as sums are centred here.

    Numbers beyond the bounds are taken as the bounds, and what is no finite number as the middle
    between them, in fitting and in predicting.

    With sums of noise scale S / e_s, S of the order of d widths, and sizes of 1 / e_n, the mean of
    a cluster that lies at t from its centre errs by sqrt((S / e_s)^2 + (t / e_n)^2) / n in each
    coordinate. That is least for e_n / e_s = (t / S)^(2/3). Centres move less and less; for t a
    quarter of S / d it is (1 / (4 d))^(2/3), which is taken: d = 2 gives a fifth to the sizes.

    Args:
        n_clusters: How many.
        epsilon: The loss of one person, in all.
        neighbours: "add-remove", "change-one" or `Neighbours`; there is no default.
        domains: `Bounds` for each column, or one for all; by name for frames.
        iterations: How often centres move; each more makes the noise larger.
        first: Centres to begin with, if some are known; not from these data.

    >>> import numpy as np
    >>> towns = np.repeat([[1.0, 1.0], [9.0, 9.0]], 1000, axis=0)
    >>> means = KMeans(
    ...     n_clusters=2, epsilon=10, neighbours="add-remove", domains=Bounds(0, 10),
    ...     first=[[3, 3], [6, 6]],
    ... ).fit(towns)
    >>> np.round(means.cluster_centers_).tolist(), print(means.loss_)
    10-differential privacy
    ([[1.0, 1.0], [9.0, 9.0]], None)
    """

    def __init__(
        self,
        *,
        n_clusters: int = 8,
        epsilon: Number | None = None,
        neighbours: str | Neighbours | None = None,
        domains: Any = None,
        iterations: int = 5,
        first: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.neighbours = neighbours
        self.domains = domains
        self.iterations = iterations
        self.first = first

    def fit(self, X: Any, y: Any = None) -> KMeans:  # noqa: N803
        """Find the centres; spends epsilon, each time anew.

        Raises:
            PlanError: A parameter is left out or wrong.
            ShapeError: These are no rows and columns.
        """
        purse = Purse.of(epsilon=self.epsilon, neighbours=self.neighbours)
        clusters = whole("n_clusters", self.n_clusters)
        iterations = whole("iterations", self.iterations)
        columns = columns_of(self, X, reset=True)
        domains = per_column(self.domains, names=names_of(self), columns=len(columns))
        bounds = tuple(domain for domain in domains if isinstance(domain, Bounds))
        if len(bounds) != len(domains):
            raise PlanError("k-means needs numbers: bounds for each column")
        warn_uncharged(self)
        self.box_ = Box(bounds)
        centres = self._begin(clusters)
        points, times = counted(self.box_.placed(columns), (self.box_.steps + 1).tolist())
        sizes, sums = parts(Pure(epsilon=purse.row / iterations), columns=len(columns))
        for _ in range(iterations):
            centres = moved(centres, points, times, self.box_, EveryRow(), sizes=sizes, sums=sums)
        self.centres_ = centres
        self.cluster_centers_ = self.box_.numbers(centres)
        self.n_iter_ = iterations
        self.neighbours_ = purse.neighbours
        self.spent_: tuple[Spent, ...] = (
            purse.spent("sizes of clusters", sizes.group(iterations)),
            purse.spent("sums in clusters", sums.group(iterations)),
        )
        self.loss_ = together(self.spent_)
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:  # noqa: N803
        """The cluster of each row: that of the nearest centre."""
        check_is_fitted(self)
        columns = columns_of(self, X, reset=False)
        return nearest_centre(self.box_.placed(columns), self.centres_)

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]:  # noqa: N803
        """Fit, and the clusters of the same rows, which are not private and not kept."""
        return self.fit(X).predict(X)

    def _begin(self, clusters: int) -> Ints:
        if self.first is None:
            return self.box_.spread(clusters)
        given = np.asarray(self.first, np.float64)
        if given.shape != (clusters, len(self.box_.bounds)) or not np.isfinite(given).all():
            raise PlanError(f"first must be {clusters} points with a number for each column")
        return self.box_.placed(list(given.T))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = True
        return tags


def moved(
    centres: Ints,
    points: Ints,
    times: Ints,
    box: Box,
    sensitivity: ClusterSensitivity,
    *,
    sizes: Pure,
    sums: Pure,
) -> Ints:
    """The centres after one iteration; costs the two losses.

    A cluster that is not clearly larger than the noise of its size stays where it is.
    """
    where = nearest_centre(points, centres)
    size = np.bincount(where, times, len(centres)).astype(np.int64)
    # Doubles hold whole numbers exactly up to 2^53: 2^32 rows of 2^20 steps.
    shifts = np.stack(
        [
            np.bincount(where, shift * times, len(centres))
            for shift in (points - centres[where]).T.astype(np.float64)
        ],
        axis=1,
    ).astype(np.int64)
    by_size = DiscreteLaplace(scale=DiscreteLaplace.scale_for(sizes, d_in=sensitivity.sizes()))
    by_sum = DiscreteLaplace(
        scale=DiscreteLaplace.scale_for(sums, d_in=sensitivity.sums(centres, box))
    )
    noisy_size, noisy_shift = by_size.release(size), by_sum.release(shifts)
    # From here on nothing looks at the data.
    large = noisy_size > 3 * float(by_size.scale)
    step = noisy_shift / np.maximum(noisy_size, 1)[:, None]
    reached = np.clip(np.rint(centres + step), 0, box.steps).astype(np.int64)
    return np.where(large[:, None], reached, centres)


def nearest_centre(points: Ints, centres: Ints) -> NDArray[np.int64]:
    """The place of the nearest centre, of equally near ones the first."""
    # Whole numbers: distances do not depend on which other points there are.
    apart = [((points - centre) ** 2).sum(axis=1) for centre in centres]
    return np.asarray(np.argmin(apart, axis=0), np.int64)


def parts(each: Pure, *, columns: int) -> tuple[Pure, Pure]:
    """An iteration's budget for sizes and for sums, as derived above."""
    ratio = Fraction(round((1 / (4 * columns)) ** (2 / 3) * 1000), 1000) or Fraction(1, 1000)
    sizes = each.epsilon * ratio / (1 + ratio)
    return Pure(epsilon=sizes), Pure(epsilon=each.epsilon - sizes)
