"""Choose a recoding by private choices: one among all candidates, or a walk of many small ones.

The score of a recoding c with groups of n(g) people is

    score(c) = sum over groups of worth(g) x ramp(n(g)),

where worth(g) is a public whole number, what it is worth to publish one person as this group's
tuple, and ramp(n) = min(n, STEEP x max(0, n - start)): nothing for groups that will be left out,
everybody in groups that will not, and a steep line between, so that no person counts for much
more than one. In whole numbers, so that nothing is rounded.

Sensitivity. One person more is one person more in exactly one group of every recoding, whatever
the recoding is. min(n, STEEP (n - start)+) does not fall in n and grows by at most STEEP from n to
n + 1. So every score grows by a whole number from 0 to STEEP x (largest worth): all move in the
same direction, and within an interval of that length. The exponential mechanism with scale
sensitivity / epsilon is then epsilon-differentially private, with ratios in an interval of that
range; see `pipeline`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise.measures import Pure
from hedgerow.noise.rounding import Number, share, whole
from hedgerow.noise.selection import Exponential
from hedgerow.table.groups import Ints

Candidate = TypeVar("Candidate")

STEEP = 4
WORTH = 1000
"""What it is worth to publish a person unchanged."""


@dataclass(frozen=True, kw_only=True)
class Ramp:
    """About how many people of a group are published, where groups under k of the drawn are not.

    Guarantee: none is needed: any public ramp is as private. This one rises around k / beta, where
    half of the groups are left out.

    >>> Ramp.around(k=70, beta="0.5")(np.array([50, 130, 140, 200])).tolist()
    [0, 40, 80, 200]
    """

    start: int
    steep: int = STEEP

    @classmethod
    def around(cls, *, k: int, beta: Number, steep: int = STEEP) -> Ramp:
        """With its middle at k / beta."""
        slope = whole("steep", steep, least=2)
        middle = whole("k", k) / share("beta", beta)
        return cls(start=int(middle * Fraction(2 * (slope - 1), 2 * slope - 1)), steep=slope)

    def __call__(self, sizes: Ints) -> Ints:
        """For each group, people that count."""
        rising: Ints = self.steep * np.maximum(sizes - self.start, 0)
        return np.minimum(sizes, rising)


@dataclass(frozen=True, kw_only=True)
class RecodingScores:
    """Scores of recodings, with a sensitivity that is proved above."""

    ramp: Ramp
    most: int = WORTH
    """The largest worth; larger ones are refused."""

    @property
    def sensitivity(self) -> int:
        """By how much one person more raises any score, at most; none falls."""
        return self.ramp.steep * self.most

    def score(self, sizes: ArrayLike, worth: ArrayLike) -> int:
        """The score of one recoding.

        Args:
            sizes: People of the whole table in each group.
            worth: What one person in each group is worth. It must not depend on the data.

        Raises:
            DataError: A size or a worth is no whole number in its bounds.

        >>> RecodingScores(ramp=Ramp(start=90)).score([50, 200], [1000, 500])
        100000
        """
        n, w = _whole(sizes, "sizes"), _whole(worth, "worth")
        if n.shape != w.shape or (n < 0).any() or (w < 0).any() or (w > self.most).any():
            raise DataError(f"each group needs a size, and a worth from 0 to {self.most}")
        # 2^53 people are more than there are; beyond, the sum might overflow without a word.
        if int(n.sum()) >= 2**53:
            raise DataError("there cannot be that many people")
        return int(w @ self.ramp(n))

    def mechanism(self, choice: Number) -> Exponential:
        """An exponential mechanism with this pure epsilon for each choice."""
        loss = Pure(epsilon=choice)
        scale = Exponential.scale_for(loss, d_in=self.sensitivity, monotone=True)
        return Exponential(scale=scale, monotone=True)


def choose(scores: Sequence[int], *, scoring: RecodingScores, choice: Number) -> int:
    """The place of one recoding among all candidates, by one private choice.

    Guarantee: `choice`-differential privacy under add-remove, for one row a person.
    Assumes: the candidates are public, and scores are those of `scoring`.

    >>> choose([0, 10**9, 0], scoring=RecodingScores(ramp=Ramp(start=90)), choice=1)
    1
    """
    return scoring.mechanism(choice).release(np.array(scores, np.int64))


def walk(
    start: Candidate,
    *,
    beside: Callable[[Candidate], Sequence[Candidate]],
    score: Callable[[Candidate], int],
    scoring: RecodingScores,
    choice: Number,
    steps: int,
) -> Candidate:
    """A recoding by many small choices: for lattices too large to score every node.

    From a public start the walk takes, again and again, one of the nodes beside those it has been
    at; in the end one of all nodes it has seen. What is seen next depends on the choices alone,
    never on a score, so that each choice is one of public candidates given those before.

    Guarantee: steps + 1 choices at `choice` each; `pipeline` says what they cost together, which
    is far less than their sum.
    Assumes: start, `beside` and the number of steps are public.

    Args:
        start: Where to begin, such as the coarsest node.
        beside: The nodes next to a node, in a fixed order.
        score: The score of a node, by `scoring`.
        scoring: What scores were made with.
        choice: The pure epsilon of each choice.
        steps: How many nodes to go to. Where all have been seen the walk ends earlier.

    >>> found = walk(0, beside=lambda n: [n + 1] if n < 5 else [], score=lambda n: n * 10**9,
    ...              scoring=RecodingScores(ramp=Ramp(start=90)), choice="0.5", steps=9)
    >>> found
    5
    """
    mechanism = scoring.mechanism(choice)
    known: dict[Candidate, int] = {start: score(start)}
    open_: list[Candidate] = []

    def look(node: Candidate) -> None:
        for near in beside(node):
            if near not in known:
                known[near] = score(near)
                open_.append(near)

    look(start)
    for _ in range(whole("steps", steps)):
        if not open_:
            break
        place = mechanism.release(np.array([known[node] for node in open_], np.int64))
        node = open_.pop(place)
        look(node)
    nodes = list(known)
    return nodes[mechanism.release(np.array([known[node] for node in nodes], np.int64))]


def _whole(numbers: ArrayLike, what: str) -> Ints:
    given = np.asarray(numbers)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise PlanError(f"{what} must be a row of whole numbers")
    return given.astype(np.int64)
