"""A discriminative secret graph: which pairs of values must not be told apart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.base.errors import PlanError
from hedgerow.noise.rounding import whole

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST_VALUES = 10_000_000
"""Of one graph: more would not fit into memory with what is computed for each."""
MOST_EDGES = 20_000_000
"""Edges are listed only up to this many."""
LARGEST = 2**61
"""Numbers beyond it are refused: differences would not fit."""
APART = -1
"""The distance of values in different components: nothing is promised about them."""


class Graph(ABC):
    """An edge (x, y) is a promise: whether somebody's value is x or y stays uncertain.

    Guarantee: none by itself; mechanisms give one for each edge, and so for each path.
    Assumes: the values, and which pairs are joined, are public and chosen without the data.
    Reference: He, Machanavajjhala and Ding, Blowfish privacy (2014), Sec. 3; Machanavajjhala and
    Kifer, Designing statistical privacy for your data (2015), Def. 5.
    """

    size: int

    @abstractmethod
    def joined(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """Whether there is an edge between values; none joins a value to itself."""

    @abstractmethod
    def distance(self, x: ArrayLike, y: ArrayLike) -> Ints:
        """The fewest edges from one value to another; -1 where there is no path."""

    @property
    @abstractmethod
    def components(self) -> Ints:
        """For each value the component it is in, 0, 1, 2, ... as they come.

        Which component somebody's value is in may be published exactly.
        """

    @property
    @abstractmethod
    def diameter(self) -> int:
        """No two values of one component are farther apart; 0 without edges."""

    @abstractmethod
    def edges(self) -> Ints:
        """All edges, as pairs x < y.

        Raises:
            PlanError: There are too many to list.
        """

    @abstractmethod
    def spread(self, values: ArrayLike) -> int:
        """The most by which a number for each value changes along an edge."""

    @abstractmethod
    def crossing(self, cells: ArrayLike) -> tuple[bool, bool]:
        """Whether edges join two different cells, and a cell and no cell (-1)."""

    @abstractmethod
    def differences(self, matrix: ArrayLike) -> tuple[int, int, bool]:
        """How far apart a matrix's columns are along an edge.

        Returns:
            The largest sum of absolute differences, the largest sum of squared ones, and whether
            these are exact; if not, they are bounds from above.
        """

    @property
    def positions(self) -> Ints:
        """Where each value lies, where it is a number: in steps of the domain."""
        return np.arange(self.size, dtype=np.int64)

    @property
    def connected(self) -> bool:
        return self.size <= 1 or not self.components.any()

    def codes(self, x: ArrayLike) -> Ints:
        """Codes of values of this graph.

        Raises:
            PlanError: Some are none.
        """
        found = array(x, "codes")
        if found.dtype.kind not in "iu" or (
            found.size and not 0 <= found.min() <= found.max() < self.size
        ):
            raise PlanError(f"values of this graph have the codes 0 to {self.size - 1}")
        return found.astype(np.int64)

    def numbers(self, values: ArrayLike, name: str = "numbers") -> Ints:
        """A whole number for each value, as an array.

        Raises:
            PlanError: Not one for each value, no whole numbers, or too large ones.
        """
        found = array(values, name)
        if found.shape[-1:] != (self.size,) or found.dtype.kind not in "iub":
            raise PlanError(f"{name} must be whole numbers, one for each of {self.size} values")
        if found.size and max(int(found.max()), -int(found.min())) > LARGEST:
            raise PlanError(f"{name} beyond 2^61 are too large", fix="Count in larger units.")
        return found.astype(np.int64)


def array(given: ArrayLike, name: str) -> NDArray[Any]:
    """Numbers as an array.

    Raises:
        PlanError: Rows are not equally long.
    """
    try:
        return np.asarray(given)
    except ValueError:
        raise PlanError(f"{name}: all rows must be equally long") from None


def sized(size: int) -> int:
    """A number of values a graph can have.

    Raises:
        PlanError: It is none, or too large.
    """
    if whole("the number of values", size) > MOST_VALUES:
        raise PlanError(f"{size:,} values are more than {MOST_VALUES:,}")
    return size


def small(values: Ints) -> Ints:
    """A matrix whose differences can be squared and added up."""
    most = int(np.abs(values).max(initial=0))
    rows = len(np.atleast_2d(values))
    if rows * (2 * most) ** 2 >= 2**62:
        raise PlanError("the matrix has too large numbers", fix="Count in larger units.")
    return values


def relabelled(labels: Ints) -> Ints:
    """The same parts, numbered as they first appear."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]
