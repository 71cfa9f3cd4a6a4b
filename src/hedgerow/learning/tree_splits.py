"""How a node of a tree may be split, and how good each split is, in whole numbers.

A score adds up one number for each branch. One row more is in one branch of every split, so each
score changes by what that branch's number does. Here, for the three scores of Friedman and
Schuster (Data mining with differential privacy, 2010, section 4.2), with n rows in the branch,
n_c of class c, and one row more of class c:

- max, the largest n_c: it rises by 0 or 1.
- Gini, -(n - sum n_c^2 / n): it falls by ((n - n_c)^2 + sum of the other n_b^2) / (n (n + 1)),
  which is at least 0 and under 2.
- information gain, -(h(n) - sum h(n_c)) with h(n) = n log2 n: it falls by g(n) - g(n_c), where
  g(n) = h(n + 1) - h(n) rises with n: at least 0, at most g(n) <= log2(n + 1) + 1 / ln 2.

So a row moves all scores in the same direction: the choice costs half of what it does for scores
that may move against each other, which is what the paper pays.

The last bound grows with n, which is private under add-remove. So h goes on as a straight line
(its tangent) from a public number M: then g is at most log2(M + 1) + 1 / ln 2 for every table,
and still rises, so all of the above holds; and where no branch has more than M rows nothing is
changed. M may come from a noisy count that was paid for: should it be too small, the score is
worse, and nobody less protected.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, log, log2

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError, nearest
from hedgerow.learning.spaces import Codes, Feature
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.rounding import log_down, log_up
from hedgerow.noise.selection import Exponential, PermuteAndFlip

Counts = NDArray[np.int64]

LATTICE = 2**8
"""Scores that are not whole are rounded to multiples of 1 / 256."""
SLACK = 8
"""More than rounding moves scores of neighbours apart, in such steps.

Rounding to the lattice moves a branch by half a step at most, and doubles by less than that: with
at most 2^32 rows the terms of h add up to 2^38, each with a relative error under 2^-50, and are
added in at most 66 steps. So a score is wrong by less than one step, the change of a score by
less than two, and two of them lie apart by less than four more than the bound.
"""
MOST_ROWS = 2**32
"""A class has at most its part of this in a branch, the rest is not counted; see above."""


class Criterion(StrEnum):
    """What makes a split good; the names are the paper's."""

    MAX = "max"
    GINI = "gini"
    INFORMATION_GAIN = "information gain"
    SULQ = "sulq"
    """Noisy counts of every attribute, and the best information gain in them."""

    @classmethod
    def read(cls, text: str) -> Criterion:
        """The criterion of a name.

        Raises:
            PlanError: There is no such criterion.
        """
        try:
            return cls(text)
        except ValueError:
            if str(text).replace("_", " ").replace("-", " ") == "gain ratio":
                raise PlanError(
                    "the gain ratio changes by any amount for one person, so it cannot be used",
                    fix='Say "information gain" or "gini".',
                ) from None
            meant = nearest(str(text), [kind.value for kind in cls])
            raise PlanError(
                f"there is no criterion {text!r}" + (f"; did you mean {meant}?" if meant else ""),
                fix='Say "gini", "max", "information gain" or "sulq".',
            ) from None


@dataclass(frozen=True)
class TreeSplit:
    """Which branch a row takes, by its cell in one column."""

    feature: int
    kind: str
    """"under": cells up to `at` and the others; "is": that cell and the others; "each": one
    branch for every cell."""
    at: int
    branches: int

    def branch(self, codes: Codes) -> Codes:
        """The branch of each row of cells."""
        column = codes[:, self.feature]
        if self.kind == "under":
            return (column > self.at).astype(np.int64)
        return (column != self.at).astype(np.int64) if self.kind == "is" else column


def splits_of(place: int, feature: Feature, *, binary: bool) -> list[TreeSplit]:
    """The splits of one column: numbers between two cells, lists by value."""
    if feature.ordered:
        return [TreeSplit(place, "under", at, 2) for at in range(feature.cells - 1)]
    if binary:
        return [TreeSplit(place, "is", at, 2) for at in range(feature.cells)]
    return [TreeSplit(place, "each", 0, feature.size)]


def branches_of(table: Counts, feature: Feature, *, binary: bool) -> Counts:
    """The same splits' counts: split, branch, class; from those of cell, class."""
    if not feature.ordered and not binary:
        return table[None]
    first = table.cumsum(axis=0)[: feature.cells - 1] if feature.ordered else table[:-1]
    return np.stack([first, table.sum(axis=0) - first], axis=1)


@dataclass(frozen=True)
class SplitScores:
    """A criterion with what one row changes at most, for every table.

    >>> SplitScores.of(Criterion.GINI).scores(np.array([[[2, 0], [1, 1]]])).tolist()
    [-256]
    >>> SplitScores.of(Criterion.MAX).scores(np.array([[[2, 0], [1, 1]]])).tolist()
    [3]
    """

    criterion: Criterion
    most: int | None
    """M of information gain: a number that does not depend on the data but by what was paid."""
    sensitivity: int
    """In the unit of the scores, with what is lost in computing them."""

    @classmethod
    def of(cls, criterion: Criterion, *, most: int | None = None) -> SplitScores:
        """The scoring of a criterion; information gain needs M."""
        if criterion is Criterion.MAX:
            return cls(criterion, None, 1)
        if criterion is Criterion.GINI:
            return cls(criterion, None, 2 * LATTICE + SLACK)
        assert most is not None, "information gain is bounded for so many rows only"
        held = min(max(most, 1), MOST_ROWS)
        bound = (log_up(Fraction(held + 1)) + 1) / log_down(Fraction(2))
        return cls(criterion, held, ceil(bound * LATTICE) + SLACK)

    def scores(self, counts: Counts) -> Counts:
        """One score for each split, from counts of split, branch, class."""
        held = np.minimum(counts, MOST_ROWS // counts.shape[2])
        if self.criterion is Criterion.MAX:
            return np.asarray(held.max(axis=2).sum(axis=1))
        numbers = held.astype(np.float64)
        rows = numbers.sum(axis=2)
        if self.criterion is Criterion.GINI:
            lost = rows - (numbers**2).sum(axis=2) / np.maximum(rows, 1)
        else:
            lost = self._h(rows) - self._h(numbers).sum(axis=2)
        # Rounded branch by branch: those a person is not in stay exactly as they are.
        return np.asarray(-np.rint(lost * LATTICE).astype(np.int64).sum(axis=1))

    def _h(self, n: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self.most is not None
        below = np.minimum(n, self.most)
        slope = log2(self.most) + 1 / log(2)
        return np.asarray(below * np.log2(np.maximum(below, 1)) + (n - below) * slope)


def choice(scoring: SplitScores, loss: Pure, *, exponential: bool) -> Exponential | PermuteAndFlip:
    """What draws the split: the paper's mechanism, or one that is never worse at the same loss."""
    kind = Exponential if exponential else PermuteAndFlip
    return kind(scale=kind.scale_for(loss, d_in=scoring.sensitivity, monotone=True), monotone=True)


def sulq_counts(tables: list[Counts], loss: Pure) -> list[Counts]:
    """Noisy counts of every column's cells by class, for one loss: a row is in one cell of each.

    Reference: Blum, Dwork, McSherry and Nissim, Practical privacy: the SuLQ framework (2005);
    SuLQ-ID3 in Friedman and Schuster (2010), section 4.1.
    """
    mechanism = DiscreteLaplace(scale=DiscreteLaplace.scale_for(loss, d_in=len(tables)))
    noisy = mechanism.release(np.concatenate([table.ravel() for table in tables]))
    ends = np.cumsum([table.size for table in tables])[:-1]
    parts = zip(np.split(noisy, ends), tables, strict=True)
    return [np.maximum(part.reshape(table.shape), 0) for part, table in parts]
