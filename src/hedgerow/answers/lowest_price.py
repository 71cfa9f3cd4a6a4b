"""The lowest epsilon at which counts are as near to the exact ones as somebody needs them.

The noise of counts is known before anybody looks at the data: it does not depend on them. So the
chance that every count is within a tolerance follows from the question and the price. A tolerance
in per cent depends on the counts, which nobody may look at uncharged; a public table stands in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.answers.counts import CountDesign
from hedgerow.answers.design import CONFIDENCE
from hedgerow.answers.preview import Previewing
from hedgerow.answers.questions import Asking, Question
from hedgerow.base.errors import PlanError
from hedgerow.noise.amounts import PLACES
from hedgerow.noise.measures import Loss, Pure
from hedgerow.noise.mechanisms import DiscreteLaplace, as_sampled
from hedgerow.noise.rounding import Number
from hedgerow.table.groups import Floats, Ints

if TYPE_CHECKING:
    from hedgerow.answers.public_knowledge import Public
    from hedgerow.plan.plan import Plan

UNITS = 10 ** PLACES["epsilon"]
"""Steps of epsilon, as the ledger counts it."""
MOST = 100
"""An epsilon above which nothing is protected; none is looked for there."""
SMALL = Fraction(1, 100)
"""Relative tolerances are of a count, or of this share of all people where that is more."""
SLACK = 1e-9
"""More than doubles lose below, relative to the result."""


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """How far a count may be off: by so many, or by a share of it.

    >>> Tolerance.read("50"), Tolerance.read("5%")
    (Tolerance(by=Fraction(50, 1), relative=False), Tolerance(by=Fraction(1, 20), relative=True))
    """

    by: Fraction
    relative: bool

    @classmethod
    def read(cls, text: str) -> Tolerance:
        """From the command line.

        Raises:
            PlanError: It is none.
        """
        relative = text.strip().endswith("%")
        try:
            number = Fraction(text.strip().removesuffix("%"))
        except (ValueError, ZeroDivisionError):
            number = Fraction(-1)
        if number < 0:
            raise PlanError(
                f"{text!r} is no tolerance", where="within",
                fix="Say how far a count may be off, such as 50, or 5%.",
            )  # fmt: skip
        return cls(by=number / 100 if relative else number, relative=relative)

    def reach(self, counts: Ints) -> Ints:
        """How far each of these counts may be off; whole, as counts and noise are."""
        if not self.relative:
            return np.full(len(counts), int(self.by), np.int64)
        large = np.maximum(counts, int(SMALL * int(counts.sum())))
        p, q = self.by.as_integer_ratio()
        found: Ints = (large.astype(object) * p // q).astype(np.int64)
        return found


@dataclass(frozen=True, kw_only=True)
class LowestPrice:
    """The least epsilon that keeps counts within a tolerance. Nothing was spent for it."""

    words: str
    """The question."""
    epsilon: Fraction
    within: Tolerance
    sure: Fraction
    counts: int
    """How many numbers the answer has."""
    on: str | None
    """What stood in for the data; None where nothing had to."""

    def __str__(self) -> str:
        """As a sentence."""
        far = f"{float(self.within.by):.4g}" if not self.within.relative else (
            f"{float(self.within.by):.4%} of itself, or of 1 % of all where that is more"
        )  # fmt: skip
        all_ = "the count" if self.counts == 1 else f"all {self.counts:,} counts"
        like = "" if self.on is None else f", if the data are like {self.on}"
        return (
            f"With epsilon {float(self.epsilon):.9g} {all_} would be within {far} of the exact "
            f"{'one' if self.counts == 1 else 'ones'} with a chance of at least "
            f"{float(self.sure):.4%}{like}. With less epsilon the chance is smaller."
        )

    def as_json(self) -> dict[str, Any]:
        told: Mapping[str, Any] = {
            "words": self.words,
            "epsilon": f"{float(self.epsilon):.9f}",
            "within": float(self.within.by),
            "relative": self.within.relative,
            "sure": float(self.sure),
            "counts": self.counts,
            "on": self.on,
        }
        return dict(told)


def log_chance(scale: Fraction, reach: Ints) -> float:
    """The logarithm of the chance that independent noise stays within each reach, or less.

    Of discrete Laplace noise Z, P(|Z| > a) = 2 e^(-(a + 1) / scale) / (1 + e^(-1 / scale)).

    >>> round(exp(log_chance(Fraction(10), np.array([30]))), 4)
    0.9527
    """
    spread = float(as_sampled(scale))
    beyond: Floats = 2 * np.exp(-(reach + 1.0) / spread) / (1 + exp(-1 / spread)) * (1 + SLACK)
    with np.errstate(divide="ignore"):
        total = float(np.log1p(-np.minimum(beyond, 1.0)).sum())
    return total * (1 + SLACK)


class PriceSearch(Asking[LowestPrice]):
    """Says what the counts of a question would have to cost. It looks at no data of the plan."""

    def __init__(
        self, plan: Plan, public: Public, *, within: Tolerance, sure: Fraction = CONFIDENCE,
        like: Any = None, private: Any = None,
    ) -> None:  # fmt: skip
        """Whom to ask.

        Args:
            plan: The plan.
            public: What everybody knows of the data.
            within: How far counts may be off.
            sure: With which chance all of them are nearer.
            like: A public table to take the sizes of counts from.
            private: The plan's data, where they are in memory.

        Raises:
            PlanError: The tolerance depends on the data, and no table stands in for them; or the
                chance is none.
        """
        if not 0 < sure < 1:
            raise PlanError(
                "the chance must be above 0 and below 1", where="sure", fix="Say 95%, for instance."
            )
        if within.relative and like is None:
            raise PlanError(
                "how far per cent of a count are depends on the counts, and nobody may look at "
                "these for nothing",
                where="within",
                fix="Say how many people a count may be off, such as 50; or give a public table "
                "that is like the data.",
            )
        if not within.relative and like is not None:
            raise PlanError(
                "a number of people needs no public table: noise does not depend on the data",
                where="within", fix="Leave the table out, or say per cent.",
            )  # fmt: skip
        self.public, self.within, self.sure = public, within, sure
        self._stand_in = Previewing(plan, public, like=like, people=1, runs=1, private=private)

    def _ask(
        self, question: Any, epsilon: Number | None, delta: Number | None, rho: Number | None
    ) -> LowestPrice:
        if (epsilon, delta, rho) != (None, None, None):
            raise PlanError("the price is what is looked for", fix="Leave the price out.")
        return super()._ask(question, 1, None, None)

    def ask(self, question: Question, loss: Loss) -> LowestPrice:
        """The lowest epsilon, whatever the price given.

        Raises:
            PlanError: The error of the answer depends on the data; or no epsilon is enough.
        """
        design = question.design(self.public, Pure(epsilon=1))
        if not isinstance(design, CountDesign):
            raise PlanError(
                f"how far off {question.words()} would be depends on the data, and nobody may look "
                "at these for nothing",
                fix="Ask for counts in cells of the plan's domain, or look at a --preview on a "
                "public table.",
            )
        if not design.part.l1:
            raise PlanError("the answer has no noise at any price", fix="Ask for it.")
        counts = np.zeros(int(np.prod(design.sizes, dtype=np.int64)), np.int64)
        on = None
        if self.within.relative:
            counts = np.asarray(self._stand_in.exact(design), np.int64).reshape(-1)
            on = "the public table"
        reach, least = self.within.reach(counts), log(float(self.sure)) * (1 - SLACK)

        def enough(units: int) -> bool:
            epsilon = Fraction(units, UNITS)
            made = question.design(self.public, Pure(epsilon=epsilon))
            assert isinstance(made, CountDesign), "a price changes no cells"
            noise = made.mechanism
            if not isinstance(noise, DiscreteLaplace):
                raise PlanError("this noise is not looked at", fix="Look at a --preview.")
            return log_chance(noise.scale, reach) >= least

        low, high = 0, MOST * UNITS
        if not enough(high):
            raise PlanError(
                f"no epsilon up to {MOST} keeps every count so near", where="within",
                fix="Allow more, ask for fewer counts, or be content with a smaller chance.",
            )  # fmt: skip
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return LowestPrice(
            words=question.words(), epsilon=Fraction(high, UNITS), within=self.within,
            sure=self.sure, counts=len(counts), on=on,
        )  # fmt: skip
