"""How estimators take tables in: shapes are checked, values never."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from hedgerow.learning.spaces import (
    ClassLabels,
    Codes,
    Feature,
    ShapeError,
    as_array,
    as_columns,
    per_column,
)
from hedgerow.learning.spend import Purse, warn_uncharged
from hedgerow.noise.neighbours import Neighbours
from hedgerow.noise.rounding import Number, whole


def columns_of(estimator: Any, table: Any, *, reset: bool) -> list[NDArray[Any]]:
    """The columns of a table, as many and with the names as in fitting.

    Raises:
        ShapeError: It has no rows and columns.
        ValueError: scikit-learn's own, about the number and names of columns.
    """
    found = as_columns(table)
    if not found:
        raise ShapeError("0 feature(s) while a minimum of 1 is required: there are no columns")
    if not hasattr(table, "shape"):
        table = np.empty((0, len(found)))
    validate_data(estimator, table, reset=reset, skip_check_array=True)
    return found


def names_of(estimator: Any) -> list[str] | None:
    """Column names, which are public; None for an array."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def counted(rows: Codes, sizes: Sequence[int]) -> tuple[Codes, Codes]:
    """The different rows of cells, and how often each occurs.

    >>> [part.tolist() for part in counted(np.array([[1, 0], [0, 1], [1, 0]]), [2, 2])]
    [[[0, 1], [1, 0]], [1, 2]]
    """
    key, room = np.zeros(len(rows), np.int64), 1
    for column, size in zip(rows.T, sizes, strict=True):
        if room * size >= 2**63:
            # One number for the columns so far: there are not more of them than rows.
            key, room = np.unique(key, return_inverse=True)[1].reshape(-1), max(len(rows), 1)
        key, room = key * size + column, room * size
    _, first, times = np.unique(key, return_index=True, return_counts=True)
    return rows[first], times.astype(np.int64)


class PrivateClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """What the classifiers have in common: tables become cells, and cells become classes."""

    epsilon: Number | None
    neighbours: str | Neighbours | None
    domains: Any
    classes: Any
    cells: int

    def _begin(self, X: Any, y: Any) -> tuple[Purse, Codes, Codes, Codes]:  # noqa: N803
        """What is there to spend; and the different rows of cells, their classes, how many each.

        Whatever is wrong with the parameters is said before the values are looked at.
        """
        purse = Purse.of(epsilon=self.epsilon, neighbours=self.neighbours)
        classes = ClassLabels.of(self.classes)
        cells = whole("cells", self.cells, least=2)
        if y is None:
            raise ShapeError("this classifier requires y to be passed, but the target y is None")
        columns = columns_of(self, X, reset=True)
        domains = per_column(self.domains, names=names_of(self), columns=len(columns))
        self.features_ = tuple(Feature.of(domain, cells=cells) for domain in domains)
        try:
            labels = column_or_1d(as_array(y), warn=True)
        except ValueError as error:
            raise ShapeError(str(error), fix="Give y one label for each row.") from None
        if len(labels) != len(columns[0]):
            raise ShapeError(
                f"X has {len(columns[0])} rows and y has {len(labels)}: inconsistent numbers"
            )
        warn_uncharged(self, depth=2)
        self.classes_ = classes.labels
        self.neighbours_ = purse.neighbours
        which = classes.codes(labels)
        sizes = [*(feature.size for feature in self.features_), len(self.classes_)]
        distinct, times = counted(np.column_stack([self._coded(columns), which])[which >= 0], sizes)
        return purse, distinct[:, :-1], distinct[:, -1], times

    def _coded(self, columns: list[NDArray[Any]]) -> Codes:
        pairs = zip(self.features_, columns, strict=True)
        return np.column_stack([feature.codes(column) for feature, column in pairs])

    @abstractmethod
    def _shares(self, codes: Codes) -> NDArray[np.float64]:
        """The share of each class, for rows of cells."""

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The share of each class, in the order of `classes_`."""
        check_is_fitted(self)
        return self._shares(self._coded(columns_of(self, X, reset=False)))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The likeliest class of each row; of equally likely ones the first."""
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.non_deterministic = True
        return tags
