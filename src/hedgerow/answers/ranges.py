"""All range queries on an ordered column at one price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.answers.counts import (
    count_part,
    outside_notes,
    require_different,
    shown_counts,
    told_count,
)
from hedgerow.answers.design import (
    CONFIDENCE,
    AnswerTable,
    Design,
    NoiseDescription,
    Numbers,
    asked_by,
    delta_notes,
    dense,
    key_columns,
)
from hedgerow.answers.public_knowledge import Labelled, Public, require_few
from hedgerow.answers.sensitivity import EDGE, NOTHING, Untouched, count_under, mover
from hedgerow.base.errors import DataError
from hedgerow.engines.base import Table
from hedgerow.engines.tally import Spaced, Tally
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.calibration import Additive, AnswerPart, noise_for
from hedgerow.noise.measures import Approximate, Loss, Pure, ZeroConcentrated
from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace
from hedgerow.noise.neighbours import Neighbours
from hedgerow.noise.range_queries import RangeAnswers as Answered
from hedgerow.noise.range_queries import RangeTree
from hedgerow.noise.rounding import Number, exact

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class RangeCounts:
    """How many rows have a number from one to another, for all such ranges."""

    column: str
    where: str | None = None

    def asked(self) -> dict[str, Any]:
        return {"ask": "ranges", "of": self.column, "where": self.where}

    def words(self) -> str:
        return asked_by(f"how many rows are in any range of {self.column}", (), self.where)

    def design(self, public: Public, loss: Loss) -> Design:
        condition = public.condition(self.where)
        public.bounds(public.named(self.column)[0])
        cells = public.cells(self.column)
        require_different([cells.cells.column])
        tree = Stretching(
            cells=cells,
            tally=Tally(
                where=condition, by=(cells.cells,), count="rows", most=public.neighbours.rows
            ),
            neighbours=public.neighbours,
            price=loss,
            stated=public.stated,
            rules=public.counts("rows"),
        )
        if not tree.once.l1:
            return Unchanged(cells=cells, tally=tree.tally)
        if public.stated is None or condition is not None:
            return tree
        from hedgerow.answers.policy_ranges import ordering

        ordered = ordering(cells, stated=public.stated, price=loss)
        return tree if ordered is None or tree.expected_error < ordered.expected_error else ordered


@dataclass(frozen=True, kw_only=True)
class Stretching:
    """Counts of cells and of ever longer stretches of them, made to agree.

    Guarantee: each level of the tree counts disjoint stretches, so a person changes it by what
    `count_part` says, and all levels by as many times that as there are.
    """

    cells: Labelled
    tally: Tally
    neighbours: Neighbours
    price: Loss
    stated: Stated | None = None
    rules: tuple[str, ...] = ()
    """Which rows count, to be told."""

    @cached_property
    def once(self) -> AnswerPart:
        """What one person changes in the cells, or one edge."""
        size = require_few([len(self.cells.labels)])
        plain = count_part(self.neighbours, max(size, 2), of="rows")
        return count_under(self.stated, self.tally, plain)

    @cached_property
    def _best(self) -> tuple[RangeTree, AnswerPart, Additive, Loss]:
        """Of Laplace and Gaussian noise, as far as the price buys them, the better."""
        size = require_few([len(self.cells.labels)])
        once = self.once
        # Longer stretches never change by more than the cells they consist of.
        assert once.l1, "what nobody changes is told exactly"
        found = []
        for kind in ("laplace", "gaussian"):
            price = _currency(self.price, kind)
            if price is None:
                continue
            tree = RangeTree.best(cells=size, noise=kind)
            part = AnswerPart(once.l1 * tree.height, once.l2_squared * tree.height)
            (mechanism,), loss = noise_for(price, [part])
            variance = float(mechanism.scale) ** 2 * (2 if kind == "laplace" else 1)
            spent = self.price if kind == "gaussian" else loss
            found.append((variance * tree.mean_variance(), (tree, part, mechanism, spent)))
        return min(found, key=lambda one: one[0])[1]

    @property
    def expected_error(self) -> float:
        """The expected squared error of a range, on average over all of them."""
        gaussian = isinstance(self.mechanism, DiscreteGaussian)
        variance = float(self.mechanism.scale) ** 2 * (1 if gaussian else 2)
        return variance * self.tree.mean_variance()

    @property
    def tree(self) -> RangeTree:
        return self._best[0]

    @property
    def mechanism(self) -> Additive:
        return self._best[2]

    @property
    def loss(self) -> Loss:
        return self._best[3]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return (self.tally,)

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        who = mover(self.stated)
        return (told_count(self.mechanism, self._best[1], "each count of a stretch", who),)

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            *self.rules,
            "Counts are made from noisy counts of longer and shorter stretches, so that a range's "
            "noise grows little with its length. The interval of a range is not the sum of those "
            "of its cells; it is told with the range.",
            *outside_notes((self.cells,)),
            *delta_notes(self.loss),
        )

    @property
    def details(self) -> Mapping[str, Any]:
        spaced = self.cells.cells
        assert isinstance(spaced, Spaced)
        return {
            "low": str(spaced.low),
            "step": str(spaced.step),
            "branching": self.tree.branching,
            "gaussian": isinstance(self.mechanism, DiscreteGaussian),
            "scale": str(self.mechanism.scale),
        }

    def read(self, counted: Sequence[Table]) -> Numbers:
        return self.tree.levels(dense(counted[0], [len(self.cells.labels)]))

    def noisy(self, exact: Numbers) -> Numbers:
        return self.mechanism.release(exact)

    def best(self, exact: Numbers) -> Numbers:
        return exact

    def shown(self, numbers: Numbers) -> tuple[AnswerTable, ...]:
        answered = Answered.of(tree=self.tree, noisy=numbers, mechanism=self.mechanism)
        places = range(len(self.cells.labels))
        reach = answered.interval(list(places), [i + 1 for i in places], confidence=CONFIDENCE)
        told = {
            "count": answered.leaves.tolist(),
            "low": (answered.leaves - reach).clip(0).tolist(),
            "high": (answered.leaves + reach).clip(0).tolist(),
        }
        return (AnswerTable.of(key_columns((self.cells,)), told),)


@dataclass(frozen=True, kw_only=True)
class Unchanged:
    """Exact counts of the cells, where no two neighbours differ in them."""

    cells: Labelled
    tally: Tally

    loss: ClassVar[Loss] = Pure(epsilon=0)

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return (self.tally,)

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        return (told_count(Untouched(), NOTHING, "each count of a range", EDGE),)

    @property
    def notes(self) -> tuple[str, ...]:
        return outside_notes((self.cells,))

    @property
    def details(self) -> Mapping[str, Any]:
        spaced = self.cells.cells
        assert isinstance(spaced, Spaced)
        return {"low": str(spaced.low), "step": str(spaced.step), "reach": 0}

    def read(self, counted: Sequence[Table]) -> Numbers:
        return dense(counted[0], [len(self.cells.labels)])

    def noisy(self, exact: Numbers) -> Numbers:
        return exact

    def best(self, exact: Numbers) -> Numbers:
        return exact

    def shown(self, numbers: Numbers) -> tuple[AnswerTable, ...]:
        return (shown_counts((self.cells,), numbers, Untouched()),)


def _currency(price: Loss, kind: str) -> Loss | None:
    """The price in the currency of a kind of noise, if it buys that."""
    if kind == "laplace":
        if isinstance(price, Approximate):
            return Pure(epsilon=price.epsilon)
        return price if isinstance(price, Pure) else None
    if isinstance(price, Approximate):
        return ZeroConcentrated.keeping(price)
    return price if isinstance(price, ZeroConcentrated) else None


@dataclass(frozen=True)
class Between:
    """How many rows have a number from one to another."""

    low: float
    """The ends of the cells that were counted: those asked for, moved outwards to whole cells."""
    high: float
    """The numbers counted are under it."""
    count: float
    least: float
    """Where the exact count is, with 95 %."""
    most: float


@dataclass(frozen=True)
class Ranged:
    """Every range of a published answer, as often as wanted: made from what was published."""

    first: Fraction
    step: Fraction
    counts: Floats
    """Of the cells."""
    answered: Answered | None
    """The tree's answers by cell; None where the answer is of counts up to each value."""
    off: float = 0.0
    """How far any range is off, where there is no tree."""

    @classmethod
    def of(cls, table: AnswerTable, details: Mapping[str, Any]) -> Ranged:
        """From an answer about ranges.

        Raises:
            DataError: The answer is not one about ranges.
        """
        if "branching" not in details and "reach" not in details:
            raise DataError("this answer is not about ranges", fix="Ask for `ranges`.")
        first, step = Fraction(details["low"]), Fraction(details["step"])
        counts = np.array(table.told("count"), np.float64)
        if "reach" in details:
            return cls(first, step, counts, None, float(details["reach"]))
        kind = DiscreteGaussian if details["gaussian"] else DiscreteLaplace
        mechanism = kind(scale=Fraction(details["scale"]))
        tree = RangeTree(cells=len(counts), branching=details["branching"])
        return cls(first, step, counts, Answered(tree=tree, leaves=counts, mechanism=mechanism))

    @cached_property
    def edges(self) -> Floats:
        """Where each cell begins, and where the last ends."""
        ends = [float(self.first + i * self.step) for i in range(len(self.counts) + 1)]
        return np.array(ends, np.float64)

    @cached_property
    def prefixes(self) -> Floats:
        """The counts of all cells before each, and of all."""
        return np.append(0.0, np.cumsum(self.counts))

    def between(self, low: Number, high: Number) -> Between:
        """The count of the numbers from low up to, not including, high.

        Ends within a cell are moved outwards, those beyond the bounds to the bounds.
        """
        ends = ((_number(*end) - self.first) / self.step for end in (("low", low), ("high", high)))
        below, above = ends
        start, end = (min(max(i, 0), len(self.counts)) for i in (floor(below), ceil(above)))
        end = max(end, start)
        count, reach = float(self.prefixes[end] - self.prefixes[start]), self._reach(start, end)
        low_end, high_end = (float(self.first + i * self.step) for i in (start, end))
        off = float(reach)
        return Between(low_end, high_end, count, max(count - off, 0.0), max(count + off, 0.0))

    def many(self, low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats]:
        """The counts of many ranges, by arrays of their ends, and how far off each may be.

        Ends are moved as by `between`.
        """
        start, end = self.cells(low, high)
        return np.asarray(self.prefixes[end] - self.prefixes[start]), self._reach(start, end)

    def cells(self, low: ArrayLike, high: ArrayLike) -> tuple[Places, Places]:
        """The first cell of each range, and the one after its last.

        Raises:
            DataError: An end is no number.
        """
        ends = [np.asarray(end, np.float64) for end in (low, high)]
        if any(np.isnan(end).any() for end in ends):
            raise DataError("an end of a range is no number")
        most = len(self.counts)
        start = np.clip(np.searchsorted(self.edges, ends[0], side="right") - 1, 0, most)
        end = np.clip(np.searchsorted(self.edges, ends[1], side="left"), 0, most)
        return start, np.maximum(start, end)

    def _reach(self, start: Any, end: Any) -> Floats:
        if self.answered is None:
            return np.where(np.asarray(end) > np.asarray(start), self.off, 0.0)
        return np.asarray(self.answered.interval(start, end, confidence=CONFIDENCE))


def _number(name: str, value: Number) -> Fraction:
    """Any number, also under 0."""
    text = str(value).strip()
    return -exact(name, text[1:]) if text.startswith("-") else exact(name, value)
