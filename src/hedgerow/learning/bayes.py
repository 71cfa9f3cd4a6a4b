"""Naive Bayes from one noisy table for each column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.learning.inputs import PrivateClassifier
from hedgerow.learning.spaces import Codes
from hedgerow.learning.spend import together
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.neighbours import Neighbours
from hedgerow.noise.rounding import Number

Floats = NDArray[np.float64]


class NaiveBayes(PrivateClassifier):
    """Naive Bayes over public cells that keeps everybody's row private.

    Guarantee: `loss_`, pure differential privacy of the whole fitted object for the `neighbours`
    stated. One row more changes one count in each column's table of cell by class, so d columns
    change by d in all, and the noise has scale d / epsilon. Everything else is made of the noisy
    tables: how large classes are follows from each of them and needs no table of its own.
    Assumes: as `DifferentiallyPrivateTree`. Fitting charges no ledger.
    Reference: Vaidya, Shafiq, Basu and Hong, Differentially private naive Bayes classification
    (2013), for lists. They release mean and variance of numbers; cells need no distribution to
    be assumed, and no variance, which is what noise harms most.

    Values in no cell of a column are treated as by `DifferentiallyPrivateTree`.

    Args:
        epsilon: The loss of one person, in all.
        neighbours: "add-remove", "change-one" or `Neighbours`; there is no default.
        domains: `Values`, `Bounds` or `Cuts` for each column, or one for all; by name for frames.
        classes: All classes there may be.
        cells: Numbers are cut into at most so many even ranges.

    >>> import numpy as np
    >>> from hedgerow.table.domain import Bounds
    >>> ages = np.arange(1000) % 100
    >>> bayes = NaiveBayes(
    ...     epsilon=1, neighbours="change-one", domains=Bounds(0, 99, 1), classes=(0, 1), cells=10
    ... ).fit(ages[:, None], ages >= 50)
    >>> bayes.predict([[5], [95]]).tolist(), print(bayes.loss_)
    1-differential privacy
    ([0, 1], None)
    """

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        neighbours: str | Neighbours | None = None,
        domains: Any = None,
        classes: Any = None,
        cells: int = 32,
    ) -> None:
        self.epsilon = epsilon
        self.neighbours = neighbours
        self.domains = domains
        self.classes = classes
        self.cells = cells

    def fit(self, X: Any, y: Any) -> NaiveBayes:  # noqa: N803
        """Count with noise; spends epsilon, each time anew.

        Raises:
            PlanError: A parameter is left out or wrong.
            ShapeError: These are no rows and columns with a class for each row.
        """
        purse, codes, which, times = self._begin(X, y)
        sizes = [feature.size for feature in self.features_]
        classes = len(self.classes_)
        tables = [
            np.bincount(column * classes + which, times, size * classes).astype(np.int64)
            for column, size in zip(codes.T, sizes, strict=True)
        ]
        loss = Pure(epsilon=purse.row)
        mechanism = DiscreteLaplace(scale=DiscreteLaplace.scale_for(loss, d_in=len(tables)))
        noisy = mechanism.release(np.concatenate(tables))
        # From here on nothing looks at the data.
        parts = np.split(noisy, np.cumsum([table.size for table in tables])[:-1])
        counts = [part.reshape(-1, classes).astype(np.float64) for part in parts]
        totals = _totals(counts)
        scale = float(mechanism.scale)
        self.class_log_prior_ = _log_shares(totals[None], scale)[0]
        self.feature_log_prob_ = tuple(
            _log_shares(_consistent(table, totals).T, scale).T for table in counts
        )
        self.spent_ = (purse.spent("counts of cells by class", mechanism.privacy_map(len(tables))),)
        self.loss_ = together(self.spent_)
        return self

    def _shares(self, codes: Codes) -> Floats:
        logs = self.class_log_prior_ + sum(
            table[column] for table, column in zip(self.feature_log_prob_, codes.T, strict=True)
        )
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _totals(tables: list[Floats]) -> Floats:
    """The size of each class: every table knows it, those with fewer cells better.

    The noise of a sum has as many times the variance as cells were added; the mean with weights
    of one over the variance has the least.
    """
    weights = np.array([1 / len(table) for table in tables])
    return np.asarray(np.average([table.sum(axis=0) for table in tables], axis=0, weights=weights))


def _consistent(table: Floats, totals: Floats) -> Floats:
    """The nearest table (least squares) whose cells add up to the sizes of the classes."""
    return np.asarray(table + (totals - table.sum(axis=0)) / len(table))


def _log_shares(counts: Floats, scale: float) -> Floats:
    """Logarithms of shares in each row; counts under the noise are taken as half its scale.

    A share of 0 would forbid a class for ever on the word of a draw of noise.
    """
    held = np.maximum(counts, max(scale / 2, 0.5))
    return np.asarray(np.log(held / held.sum(axis=1, keepdims=True)))
