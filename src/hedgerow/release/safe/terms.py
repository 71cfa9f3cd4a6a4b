"""SafeTerms: what a safe release promises and how; all of it from the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from hedgerow.base.errors import PlanError
from hedgerow.noise.measures import Approximate
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.noise.rounding import FARTHEST
from hedgerow.noise.sampling.measure import Sampled, SampleOrigin
from hedgerow.noise.sampling.pipeline import SafeAnonymisation
from hedgerow.noise.sampling.suppression import MOST_PEOPLE
from hedgerow.plan.plan import Plan
from hedgerow.table.domain import decimal

TENTH = Fraction(1, 10)
"""The part of epsilon that the choice takes unless the plan says."""
ROW = Fraction(1, 5)
"""What a row is worth by itself unless the plan says."""
_TINY = Fraction(1, 10**15)


@dataclass(frozen=True, kw_only=True)
class SafeTerms:
    """The price under the plan's neighbours, the sampling rate, and how levels are chosen.

    Guarantee: `loss` is never more than the price. The mechanism is proved for one person more or
    less. To change a person is to remove one and add one, so under change-one the mechanism gets
    half of epsilon (and of each choice), and as much of delta as leaves the loss of the two at
    the price.
    """

    neighbours: Neighbours
    epsilon: Fraction
    delta: Fraction
    beta: Fraction
    drawn: SampleOrigin = SampleOrigin.HERE
    choice: Fraction = Fraction(0)
    """The part of epsilon for each choice; 0 where all levels are fixed."""
    row: Fraction = Fraction(0)
    steps: int | None = None
    """How many nodes a walk goes to; None: one choice among all."""
    k: int | None = None
    """That is asked for; None: the smallest that keeps the price."""

    @classmethod
    def of(cls, plan: Plan, *, fixed: bool) -> SafeTerms:
        """What a plan says, with what it leaves out.

        Args:
            plan: The plan.
            fixed: Whether there is no level to choose by looking at the data.
        """
        method = plan.method
        assert method.epsilon is not None, "a plan without is refused"
        assert method.delta is not None, "likewise"
        assert method.beta is not None, "likewise"
        return cls(
            neighbours=plan.neighbours(),
            epsilon=method.epsilon,
            delta=method.delta,
            beta=method.beta,
            drawn=SampleOrigin(method.drawn),
            choice=Fraction(0) if fixed else method.choice or method.epsilon * TENTH,
            row=Fraction(0) if fixed else row_of(plan),
            steps=None if fixed else method.steps,
            k=method.k,
        )

    def __post_init__(self) -> None:
        if self.epsilon > FARTHEST:
            raise PlanError("such an epsilon promises nothing", fix="Ask for less than 10.")

    @property
    def price(self) -> Approximate:
        """What the plan allows."""
        return Approximate(epsilon=self.epsilon, delta=self.delta)

    @property
    def pair(self) -> bool:
        """Whether neighbours are two steps apart: somebody is removed, somebody is added."""
        return self.neighbours.kind is Neighbouring.CHANGE_ONE

    @property
    def choices(self) -> int:
        """How many private choices there are, if any."""
        return 1 if self.steps is None else self.steps + 1

    @cached_property
    def safe(self) -> SafeAnonymisation:
        """The mechanism, with the k that was asked for or the smallest that keeps the price.

        Raises:
            PlanError: No k does, or not this one.
        """
        if self.k is not None:
            return self.with_k(self.k)
        with self._as_planned():
            found = SafeAnonymisation.keeping(**self._inner())
        return _of_several(found)

    def with_k(self, k: int) -> SafeAnonymisation:
        """The mechanism with this k.

        Raises:
            PlanError: It does not keep the price.
        """
        if k > MOST_PEOPLE:
            raise PlanError(f"k must be at most {MOST_PEOPLE:,}, not {k:,}")
        with self._as_planned():
            found = SafeAnonymisation(k=k, **self._inner())
        return _of_several(found)

    @contextmanager
    def _as_planned(self) -> Iterator[None]:
        """Say where numbers come from that the plan does not have."""
        try:
            yield
        except PlanError as error:
            if not self.pair:
                raise
            inner = self._inner()
            chosen = f", each choice epsilon {_short(inner['choice'])}" if self.choice else ""
            raise PlanError(
                "under change-one somebody is removed and somebody is added, so that of the "
                f"plan's epsilon {_short(self.epsilon)} and delta {_short(self.delta)} each of the "
                f"two steps may take epsilon {_short(inner['epsilon'])} and delta "
                f"{_short(inner['delta'])}{chosen}; for one step: {error.what}",
                where=error.where,
                fix=error.fix,
            ) from None

    @property
    def protects(self) -> str:
        """Who is protected: of a table that is a sample, somebody of the population."""
        words = str(self.neighbours)
        if self.drawn is SampleOrigin.BEFORE:
            words = words.replace("in the table", "in the population")
            words = words.replace("the number of people", "the number of people of the population")
        return words

    @property
    def loss(self) -> Approximate:
        """What is lost under the plan's neighbours, and charged."""
        one = self.sampled.approximate()
        return one.group(2) if self.pair else one

    @property
    def sampled(self) -> Sampled:
        """The loss of one person more or less, as one under sampling."""
        inner = self._inner()
        return Sampled(
            beta=self.beta, epsilon=inner["epsilon"], delta=inner["delta"], drawn=self.drawn
        )

    def _inner(self) -> dict[str, Any]:
        """The same for one person more or less."""
        half = Fraction(1, 2) if self.pair else Fraction(1)
        epsilon, delta = self.epsilon * half, self.delta
        if self.pair:
            delta /= Approximate(epsilon=epsilon, delta=_TINY).group(2).delta / _TINY
        return {
            "beta": self.beta,
            "epsilon": epsilon,
            "delta": delta,
            "choice": self.choice * half,
            "choices": self.choices if self.choice else 1,
            "drawn": self.drawn,
        }

    def as_json(self) -> dict[str, Any]:
        """Exactly: equal terms have equal texts."""
        return {
            "neighbours": {"kind": self.neighbours.kind.value, "rows": self.neighbours.rows},
            "price": {"epsilon": decimal(self.epsilon), "delta": decimal(self.delta)},
            "sampling": {"beta": decimal(self.beta), "drawn": self.drawn.value}
            | ({} if self.k is None else {"k": self.k}),
            "choice": None
            if not self.choice
            else {"epsilon": decimal(self.choice), "steps": self.steps, "row": decimal(self.row)},
        }

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> SafeTerms:
        """From their JSON.

        Raises:
            PlanError: The neighbours are none.
        """
        price, sampling, choice = told["price"], told["sampling"], told["choice"] or {}
        return cls(
            neighbours=Neighbours(
                kind=Neighbouring.read(told["neighbours"]["kind"]), rows=told["neighbours"]["rows"]
            ),
            epsilon=Fraction(price["epsilon"]),
            delta=Fraction(price["delta"]),
            beta=Fraction(sampling["beta"]),
            drawn=SampleOrigin(sampling["drawn"]),
            choice=Fraction(choice.get("epsilon", 0)),
            row=Fraction(choice.get("row", 0)),
            steps=choice.get("steps"),
            k=sampling.get("k"),
        )


def row_of(plan: Plan) -> Fraction:
    """What a row is worth by itself."""
    return ROW if plan.method.row is None else Fraction(repr(plan.method.row))


def _short(number: Fraction) -> str:
    """As the messages of a step have it."""
    return f"{float(number):.3g}"


def _of_several(safe: SafeAnonymisation) -> SafeAnonymisation:
    """Refuse a price that would allow to publish whoever is drawn."""
    if safe.k < 2:
        raise PlanError(
            "delta is as large as the chance to be drawn: groups of one would be published, and "
            "whoever is drawn alone with them",
            fix="Take a delta far under the rate.",
        )
    return safe
