"""Answers that are a choice among public candidates: quantiles and the most frequent values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from hedgerow.answers.counts import outside_notes, require_different
from hedgerow.answers.design import (
    CONFIDENCE,
    AnswerTable,
    Design,
    NoiseDescription,
    Numbers,
    asked_by,
    dense,
    key_columns,
    own,
)
from hedgerow.answers.public_knowledge import Labelled, Public, require_few
from hedgerow.answers.sensitivity import require_alone
from hedgerow.base.errors import PlanError, some
from hedgerow.engines.base import Table
from hedgerow.engines.tally import Spaced, Tally
from hedgerow.noise.measures import Approximate, Loss, Pure, ZeroConcentrated
from hedgerow.noise.neighbours import Neighbours
from hedgerow.noise.rounding import share, sqrt_up, whole
from hedgerow.noise.selection import Exponential, NoisyMax, PermuteAndFlip

MOST_QUANTILES = 100
FINEST = 10**6
"""Quantiles are shares with at most this denominator, so that scores stay whole and small."""


@dataclass(frozen=True, kw_only=True)
class Quantiles:
    """Numbers with a given share of the rows below them, in each cell."""

    column: str
    at: tuple[Fraction, ...] = (Fraction(1, 2),)
    where: str | None = None
    by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shares = tuple(share("a quantile", q) for q in self.at)
        object.__setattr__(self, "at", shares)
        if not 1 <= len(shares) <= MOST_QUANTILES:
            raise PlanError(f"ask for 1 to {MOST_QUANTILES} quantiles, not {len(shares)}")
        if any(q.denominator > FINEST for q in shares):
            raise PlanError("a quantile has too many digits", fix="Six digits are enough.")

    def asked(self) -> dict[str, Any]:
        return {
            "ask": "quantiles",
            "of": self.column,
            "at": [str(q) for q in self.at],
            "where": self.where,
            "by": list(self.by),
        }

    def words(self) -> str:
        if self.at == (Fraction(1, 2),):
            words = f"the median of {self.column}"
        else:
            words = f"the quantiles {some([float(q) for q in self.at])} of {self.column}"
        return asked_by(words, self.by, self.where)

    def design(self, public: Public, loss: Loss) -> Design:
        condition = public.condition(self.where)
        public.bounds(public.named(self.column)[0])
        candidates = public.cells(self.column)
        groups = tuple(public.cells(by) for by in self.by)
        require_different([one.cells.column for one in (*groups, candidates)])
        require_alone(public.stated, "quantiles")
        ranking = Ranking(
            groups=groups,
            candidates=candidates,
            at=self.at,
            base=_by_rows(public, condition, groups, candidates),
            neighbours=public.neighbours,
            price=loss,
            rules=public.counts("rows"),
        )
        if public.stated is None or condition is not None or groups:
            return ranking
        from hedgerow.answers.policy_ranges import OrderedQuantiles, ordering

        ordered = ordering(candidates, stated=public.stated, price=loss)
        if ordered is None:
            return ranking
        through = OrderedQuantiles(at=self.at, ordered=ordered)
        return through if max(through.reach) < max(ranking.reach) else ranking


@dataclass(frozen=True, kw_only=True)
class MostFrequent:
    """The most frequent values of a column with a public domain, best first, in each cell."""

    column: str
    top: int = 1
    where: str | None = None
    by: tuple[str, ...] = ()

    def asked(self) -> dict[str, Any]:
        return {
            "ask": "most frequent",
            "of": self.column,
            "top": self.top,
            "where": self.where,
            "by": list(self.by),
        }

    def words(self) -> str:
        if self.top == 1:
            words = f"the most frequent value of {self.column}"
        else:
            words = f"the {self.top} most frequent values of {self.column}"
        return asked_by(words, self.by, self.where)

    def design(self, public: Public, loss: Loss) -> Design:
        condition = public.condition(self.where)
        candidates = public.cells(self.column)
        if whole("top", self.top) > len(candidates.labels):
            raise PlanError(
                f"there are no {self.top} values of {self.column}, only {len(candidates.labels)}"
            )
        groups = tuple(public.cells(by) for by in self.by)
        require_different([one.cells.column for one in (*groups, candidates)])
        require_alone(public.stated, "the most frequent values")
        return Voting(
            groups=groups,
            candidates=candidates,
            top=self.top,
            base=_by_rows(public, condition, groups, candidates),
            neighbours=public.neighbours,
            price=loss,
            rules=public.counts("rows"),
        )


def _by_rows(
    public: Public, condition: Any, groups: Sequence[Labelled], candidates: Labelled
) -> Tally:
    cells = [*(one.cells for one in groups), candidates.cells]
    rows = public.neighbours.rows
    return Tally(where=condition, by=tuple(cells), count="rows", most=rows)


@dataclass(frozen=True, kw_only=True)
class _Choosing:
    """What both have in common: a choice in each group, by counts of rows.

    Guarantee: pure differential privacy, epsilon = d_in times the loss of one row more or less.
    A row is in one group, and changes the scores of that group alone; neighbouring tables are
    `d_in` such steps apart, each of which multiplies no probability by more than e^(its loss).
    Paid in rho, the choices are made by the exponential mechanism, whose ranges are bounded:
    c rows in one group cost (c epsilon_row)^2 / 8, and that is most with all rows in one group.
    """

    groups: tuple[Labelled, ...]
    candidates: Labelled
    base: Tally
    neighbours: Neighbours
    price: Loss
    rules: tuple[str, ...] = ()
    """Which rows count, to be told."""

    @property
    def sizes(self) -> list[int]:
        return [len(one.labels) for one in (*self.groups, self.candidates)]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        require_few(self.sizes)
        return (self.base,)

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.rules, *outside_notes((*self.groups, self.candidates)))

    @property
    def details(self) -> Mapping[str, Any]:
        return {}

    def read(self, counted: Sequence[Table]) -> Numbers:
        return dense(counted[0], self.sizes).reshape(-1, self.sizes[-1])

    @property
    def loss(self) -> Loss:
        """No delta is needed for a choice, and none is spent."""
        return (
            Pure(epsilon=self.price.epsilon) if isinstance(self.price, Approximate) else self.price
        )

    @cached_property
    def row(self) -> Pure:
        """What one row may cost, all choices together."""
        if isinstance(self.loss, ZeroConcentrated):
            root = sqrt_up(8 * self.loss.rho)
            # A root rounded up is rounded down by its excess over the square.
            epsilon = 8 * self.loss.rho / root
            return Pure(epsilon=epsilon / self.neighbours.d_in)
        assert isinstance(self.loss, Pure)
        return Pure(epsilon=self.loss.epsilon / self.neighbours.d_in)

    def _labels(self, times: int) -> dict[str, list[Any]]:
        """The groups' columns, each line so many times."""
        columns = key_columns(self.groups)
        return {name: [v for v in told for _ in range(times)] for name, told in columns.items()}


@dataclass(frozen=True, kw_only=True)
class Ranking(_Choosing):
    """Quantiles by how far a candidate's rank is from the wanted one.

    For a share a/b of n rows, with L of them under a candidate and M in its cell or under it, the
    score is -max(b L - a n, a n - b M, 0): b times how many ranks the cell is away from the
    wanted one, and 0 for the quantile itself. One row changes it by max(a, b - a) at most.

    Reference: Smith, Privacy-preserving statistical estimation with optimal convergence rates
    (2011), Algorithm 2, for scores by rank.
    """

    at: tuple[Fraction, ...]

    @cached_property
    def mechanisms(self) -> tuple[Exponential | PermuteAndFlip, ...]:
        each = Pure(epsilon=self.row.epsilon / len(self.at))
        if isinstance(self.loss, ZeroConcentrated):
            # The squares of the parts add up to that of the whole where each has a root's share.
            each = Pure(epsilon=self.row.epsilon / sqrt_up(Fraction(len(self.at))))
        kind = Exponential if isinstance(self.loss, ZeroConcentrated) else PermuteAndFlip
        return tuple(
            kind(scale=kind.scale_for(each, d_in=max(q.numerator, q.denominator - q.numerator)))
            for q in self.at
        )

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        gumbel = isinstance(self.loss, ZeroConcentrated)
        return tuple(
            NoiseDescription(
                f"ranks, for the quantile {float(q):g}",
                "Gumbel (exponential mechanism)" if gumbel else "exponential (permute and flip)",
                mechanism.scale / q.denominator,
                "one row changes a rank's distance by at most 1",
            )
            for q, mechanism in zip(self.at, self.mechanisms, strict=True)
        )

    def noisy(self, exact: Numbers) -> Numbers:
        chosen = np.zeros((len(exact), len(self.at)), np.int64)
        for place, mechanism in enumerate(self.mechanisms):
            for group, scores in enumerate(self._scores(exact, self.at[place])):
                chosen[group, place] = mechanism.release(scores)
        return chosen

    def best(self, exact: Numbers) -> Numbers:
        return np.stack([self._scores(exact, q).argmax(axis=1) for q in self.at], axis=1)

    @staticmethod
    def _scores(exact: Numbers, q: Fraction) -> Numbers:
        upto = np.cumsum(exact, axis=1)
        a, b = q.numerator, q.denominator
        wanted = a * upto[:, -1:]
        scores: Numbers = -np.maximum(np.maximum(b * (upto - exact) - wanted, wanted - b * upto), 0)
        return scores

    @property
    def notes(self) -> tuple[str, ...]:
        return (*super().notes, *quantile_notes(self.candidates))

    @property
    def reach(self) -> list[int]:
        """How many ranks each quantile may be off, those of a group all at once.

        Setting them in order may hand the error of one to another, so they share the risk.
        """
        candidates = len(self.candidates.labels)
        confidence = 1 - (1 - CONFIDENCE) / len(self.at)
        return [
            ceil(m.accuracy(confidence=confidence, candidates=candidates) / q.denominator)
            for q, m in zip(self.at, self.mechanisms, strict=True)
        ]

    def shown(self, numbers: Numbers) -> tuple[AnswerTable, ...]:
        # Larger quantiles are no smaller: setting them in order only mends.
        order = np.argsort([float(q) for q in self.at], kind="stable")
        chosen = numbers.copy()
        chosen[:, order] = np.sort(numbers, axis=1)
        found = [float(self.candidates.middles[cell]) for cell in chosen.ravel().tolist()]
        groups, column = self._labels(len(self.at)), self.candidates.cells.column
        return (shown_quantiles(self.at, groups, column, found, self.reach),)


@dataclass(frozen=True, kw_only=True)
class Voting(_Choosing):
    """The most frequent values by noisy counts.

    One row more raises one candidate's count by one: scores are monotone.
    """

    top: int

    @cached_property
    def mechanism(self) -> Exponential | NoisyMax:
        if isinstance(self.loss, ZeroConcentrated):
            each = Pure(epsilon=self.row.epsilon / sqrt_up(Fraction(self.top)))
            return Exponential(
                scale=Exponential.scale_for(each, d_in=1, monotone=True), monotone=True
            )
        scale = NoisyMax.scale_for(self.row, d_in=1, monotone=True, top=self.top)
        return NoisyMax(scale=scale, monotone=True, top=self.top)

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        gumbel = isinstance(self.loss, ZeroConcentrated)
        return (
            NoiseDescription(
                "the counts that are compared",
                "Gumbel (exponential mechanism)" if gumbel else "exponential (permute and flip)",
                self.mechanism.scale,
                "one row changes one count by 1",
            ),
        )

    def noisy(self, exact: Numbers) -> Numbers:
        return np.array([self._choose(row) for row in exact], np.int64).reshape(-1, self.top)

    def _choose(self, counts: Numbers) -> list[int]:
        if isinstance(self.mechanism, NoisyMax):
            return list(self.mechanism.release(counts))
        left = list(range(len(counts)))
        return [left.pop(self.mechanism.release(counts[left])) for _ in range(self.top)]

    def best(self, exact: Numbers) -> None:
        return None

    def shown(self, numbers: Numbers) -> tuple[AnswerTable, ...]:
        labels = self.candidates.labels
        found = [labels[cell] for cell in numbers.ravel().tolist()]
        beyond = (1 - CONFIDENCE) / (1 if isinstance(self.mechanism, NoisyMax) else self.top)
        reach = ceil(self.mechanism.accuracy(confidence=1 - beyond, candidates=len(labels)))
        groups, column = self._labels(self.top), self.candidates.cells.column
        place, fewer = (own(name, [*groups, column]) for name in ("place", "fewer by at most"))
        keys = groups | {place: list(range(1, self.top + 1)) * len(numbers)}
        return (AnswerTable(tuple(keys), keys | {column: found, fewer: [reach] * len(found)}),)


def shown_quantiles(
    at: Sequence[Fraction],
    groups: Mapping[str, list[Any]],
    column: str,
    found: list[float],
    reach: Sequence[int],
) -> AnswerTable:
    """Quantiles, group after group, with how many ranks each may be off."""
    quantile, error = (own(name, [*groups, column]) for name in ("quantile", "rank error"))
    times = len(found) // len(at)
    keys = {**groups, quantile: [float(q) for q in at] * times}
    return AnswerTable(tuple(keys), keys | {column: found, error: [*reach] * times})


def quantile_notes(candidates: Labelled) -> tuple[str, ...]:
    """What a quantile's number and its error are about."""
    column, spaced = candidates.cells.column, candidates.cells
    cells = isinstance(spaced, Spaced) and candidates.middles[0] != spaced.low
    return (
        *([f"A quantile is told as the middle of a cell of {column}."] if cells else []),
        f"With {float(CONFIDENCE):.0%}, no quantile of a group is off by more than its rank error.",
    )
