"""The questions that can be asked, as methods."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from hedgerow.answers.counts import Counted, CountQuestion
from hedgerow.answers.design import Design
from hedgerow.answers.marginals import Marginals
from hedgerow.answers.public_knowledge import Public, require_filter
from hedgerow.answers.ranges import RangeCounts
from hedgerow.answers.selections import MostFrequent, Quantiles
from hedgerow.answers.sums import Aggregate
from hedgerow.base.errors import PlanError
from hedgerow.base.filters import parse
from hedgerow.noise.calibration import price
from hedgerow.noise.measures import Approximate, Loss
from hedgerow.noise.rounding import Number, share

MOST_DELTA = Fraction(1, 1000)
"""A table of a thousand people, one of them published as they are, has this delta."""
T = TypeVar("T")
By = str | Sequence[str] | None


class Question(Protocol):
    """Something that can be asked: public through and through."""

    where: str | None

    def asked(self) -> dict[str, Any]:
        """The question as JSON: equal for equal questions."""
        ...

    def words(self) -> str: ...

    def design(self, public: Public, loss: Loss) -> Design: ...


class Asking(ABC, Generic[T]):
    """Who is asked: a session answers, a preview only says how far off an answer would be.

    Every question takes a price: `epsilon`, `epsilon` with `delta`, or `rho`; a filter `where`;
    and most `by`, a column or several, of numbers with a width: by="age:10".
    """

    @abstractmethod
    def ask(self, question: Question, loss: Loss) -> T:
        """Answer a question at a price."""

    def count(
        self,
        *,
        where: str | None = None,
        by: By = None,
        of: Counted = "people",
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """How many people (or rows), all together or in each cell.

        With a delta, cells need not be public: those of few people are left out.
        """
        question = CountQuestion(where=where, by=_columns(by), of=of)
        return self._ask(question, epsilon, delta, rho)

    def histogram(
        self,
        column: str,
        *,
        where: str | None = None,
        of: Counted = "people",
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """How many people have each value; of numbers in cells of a width: "age:10"."""
        by = _columns((column,))
        return self.count(where=where, by=by, of=of, epsilon=epsilon, delta=delta, rho=rho)

    def sum(
        self,
        column: str,
        *,
        where: str | None = None,
        by: By = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """The sum of a column's numbers, all together or in each cell."""
        question = Aggregate(kind="sum", column=column, where=where, by=_columns(by))
        return self._ask(question, epsilon, delta, rho)

    def mean(
        self,
        column: str,
        *,
        where: str | None = None,
        by: By = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """The mean of a column's numbers, all together or in each cell."""
        question = Aggregate(kind="mean", column=column, where=where, by=_columns(by))
        return self._ask(question, epsilon, delta, rho)

    def variance(
        self,
        column: str,
        *,
        where: str | None = None,
        by: By = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """The variance of a column's numbers, all together or in each cell: divided by n."""
        question = Aggregate(kind="variance", column=column, where=where, by=_columns(by))
        return self._ask(question, epsilon, delta, rho)

    def quantiles(
        self,
        column: str,
        at: Sequence[Number] = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)),
        *,
        where: str | None = None,
        by: By = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """Numbers with given shares of the rows below them."""
        if isinstance(at, str | bytes) or not isinstance(at, Iterable):
            raise PlanError(
                f"quantiles are a list of shares, not {at!r}", fix="Write at=[0.25, 0.5, 0.75]."
            )
        shares = tuple(share("a quantile", q) for q in at)
        question = Quantiles(column=column, at=shares, where=where, by=_columns(by))
        return self._ask(question, epsilon, delta, rho)

    def median(
        self,
        column: str,
        *,
        where: str | None = None,
        by: By = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """The median of a column's numbers."""
        question = Quantiles(column=column, where=where, by=_columns(by))
        return self._ask(question, epsilon, delta, rho)

    def most_frequent(
        self,
        column: str,
        *,
        top: int = 1,
        where: str | None = None,
        by: By = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """The most frequent values of a column with a public domain, best first."""
        question = MostFrequent(column=column, top=top, where=where, by=_columns(by))
        return self._ask(question, epsilon, delta, rho)

    def table(
        self,
        columns: Sequence[str],
        *,
        where: str | None = None,
        of: Counted = "people",
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """A contingency table: how many people in each combination."""
        by = _columns(columns)
        if not by:
            raise PlanError("a table of no column is asked for", fix="Name one, or `count`.")
        return self.count(where=where, by=by, of=of, epsilon=epsilon, delta=delta, rho=rho)

    def marginals(
        self,
        columns: Sequence[str],
        *,
        ways: int = 2,
        where: str | None = None,
        of: Counted = "people",
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """All contingency tables over so many of the columns, at one price."""
        question = Marginals.ways(_columns(columns), ways, where=where, of=of)
        return self._ask(question, epsilon, delta, rho)

    def ranges(
        self,
        column: str,
        *,
        where: str | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> T:
        """How many rows have a number between any two, for all ranges at one price."""
        question = RangeCounts(column=column, where=where)
        return self._ask(question, epsilon, delta, rho)

    def _ask(
        self, question: Any, epsilon: Number | None, delta: Number | None, rho: Number | None
    ) -> T:
        if question.where is not None:
            require_filter(question.where)
            # Filters that say the same in other words are the same question.
            question = replace(question, where=str(parse(question.where)))
        return self.ask(question, _worth(price(epsilon=epsilon, delta=delta, rho=rho)))


def _worth(loss: Loss) -> Loss:
    """A price, unless its delta is none that protects anybody.

    Raises:
        PlanError: It is too large.
    """
    if isinstance(loss, Approximate) and loss.delta > MOST_DELTA:
        raise PlanError(
            f"a delta of {float(loss.delta):g} allows to publish one in a thousand people outright",
            fix="Give a delta far under one over the number of people, such as 1e-6.",
        )
    return loss


def _columns(by: By) -> tuple[str, ...]:
    if by is None:
        return ()
    columns = (by,) if isinstance(by, str) or not isinstance(by, Iterable) else tuple(by)
    for column in columns:
        if not isinstance(column, str):
            raise PlanError(
                f"{column!r} is no name of a column", fix='Write by="sex" or by=["sex", "age:10"].'
            )
    return columns
