"""Priors: what an attacker believes about the sensitive values before they see a release.

Someone who knows nothing holds the Dirichlet distribution D(1, ..., 1). Whoever has then seen
a data set with counts c(s) holds D(..., c(s) + 1, ...). The sum of the parameters is their
stubbornness, the parameters divided by it are the shape. So a data set of s people justifies a
stubbornness of s + |S|, S being the values anybody in that data set or in the table has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any, Literal

from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.table.groups import Sensitive

Number = int | float | str | Fraction
MOST_PEOPLE = 10**15
"""Nobody has counted more."""
Value = str | None


def exact_number(name: str, number: object) -> Fraction:
    """A number as it was written: 0.2 is one fifth.

    Raises:
        PlanError: It is no finite number.
    """
    try:
        if isinstance(number, float):
            return Fraction(repr(float(number)))
        if isinstance(number, bool) or not isinstance(number, str | Rational):
            raise TypeError
        if isinstance(number, str):
            return Fraction(number)
        # NumPy's whole numbers would stay in the fraction, and overflow there.
        return Fraction(int(number.numerator), int(number.denominator))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise PlanError(f"{name} must be a number, not {number!r}", fix="Give a number.") from None


def text_of(value: object) -> Value:
    """A sensitive value as the engines give it: text, or None for missing.

    Raises:
        PlanError: It is neither, nor a whole number.
    """
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    raise PlanError(
        f"a sensitive value is a text, not {value!r}",
        fix="Write it as the table does; None stands for missing.",
    )


@dataclass(frozen=True)
class Shape:
    """A prior that knows which values there are."""

    shares: tuple[Fraction, ...]
    """What share of people the attacker expects to have each value of the table."""
    elsewhere: tuple[tuple[Value, Fraction], ...]
    """The same for values that nobody in the table has."""
    stubbornness: Fraction | None
    """What the prior's source justifies; None where it says nothing about that."""
    unseen: tuple[Value, ...] = ()
    """Values of the table that the prior's source lacks. They count as seen once, like all."""

    @property
    def least(self) -> Fraction:
        """The smallest stubbornness with this shape at which every value has been counted."""
        shares = [*self.shares, *(share for _, share in self.elsewhere)]
        return 1 / min((share for share in shares if share > 0), default=Fraction(1))


@dataclass(frozen=True, kw_only=True)
class Prior:
    """What an attacker believes about the sensitive values, learned elsewhere.

    Made by `Prior.counts`, `Prior.shape`, `Prior.uniform` or `Prior.of_table`; from a file or
    a table by `read_prior`.

    >>> str(Prior.counts({"flu": 11_999, "cancer": 17_999}))
    'prior from counts of 29,998 people'
    """

    kind: Literal["counts", "shape", "uniform", "table"]
    weights: tuple[tuple[Value, Fraction], ...] = ()
    """Counts of people, or how the shares relate."""

    @classmethod
    def counts(cls, counts: Mapping[Any, int]) -> Prior:
        """From people counted elsewhere: D(..., count + 1, ...)."""
        weights = []
        for value, count in counts.items():
            number = exact_number(f"the count of {value!r}", count)
            if not 0 <= number <= MOST_PEOPLE or number.denominator != 1:
                raise PlanError(
                    f"the count of {value!r} must be a whole number of people, not {count!r}",
                    fix="Give counts of people; for shares use a shape.",
                )
            weights.append((text_of(value), number))
        if not weights:
            raise PlanError("the prior counts nobody", fix="Give value and count of people.")
        _refuse_twice(weights)
        return cls(kind="counts", weights=tuple(weights))

    @classmethod
    def shape(cls, shares: Mapping[Any, Number]) -> Prior:
        """From shares; they need not add up to one, only their proportions count."""
        weights = []
        for value, share in shares.items():
            number = exact_number(f"the share of {value!r}", share)
            if number <= 0:
                raise PlanError(
                    f"the share of {value!r} must be above 0, not {share!r}",
                    fix="Whatever has no chance before cannot stay private; leave out a value "
                    "only if nobody in the table has it.",
                )
            weights.append((text_of(value), number))
        if not weights:
            raise PlanError("the prior has no shares", fix="Give a share for each value.")
        _refuse_twice(weights)
        return cls(kind="shape", weights=tuple(weights))

    @classmethod
    def uniform(cls) -> Prior:
        """Every value of the table is equally likely: D(1, ..., 1), or more stubborn."""
        return cls(kind="uniform")

    @classmethod
    def of_table(cls) -> Prior:
        """The shape is the distribution in the whole table, people left out included."""
        return cls(kind="table")

    def __str__(self) -> str:
        match self.kind:
            case "counts":
                people = sum(weight for _, weight in self.weights)
                return f"prior from counts of {int(people):,} people"
            case "shape":
                return f"prior of a given shape over {len(self.weights):,} values"
            case "uniform":
                return "uniform prior"
        return "prior of the table's own shape"

    def of_size(self, people: Fraction) -> Prior:
        """The prior of somebody who has seen that many people, in the same proportions.

        Only for counts. They may be broken numbers: what matters is between which whole
        numbers of people the beliefs are.
        """
        total = sum(weight for _, weight in self.weights) or Fraction(1)
        weights = tuple((value, weight * people / total) for value, weight in self.weights)
        return Prior(kind="counts", weights=weights)

    @property
    def fixed(self) -> bool:
        """Whether it says the same whatever the table holds."""
        return self.kind == "shape"

    def shares(self, domain: Sensitive) -> dict[Value, Fraction] | None:
        """How likely it takes each value to be; None where all are alike.

        Raises:
            DataError: The table has a value to which the prior gives no chance.
        """
        if self.kind == "uniform":
            return None
        shape = self.bind(domain)
        return dict(shape.elsewhere) | dict(zip(domain.values, shape.shares, strict=True))

    def bind(self, domain: Sensitive) -> Shape:
        """The prior over the values of a table, and those it knows besides.

        Raises:
            DataError: The table has a value to which the prior gives no chance.
        """
        values = domain.values
        if self.kind == "uniform":
            size = max(1, len(values))
            return Shape((Fraction(1, size),) * len(values), (), Fraction(size))
        if self.kind == "table":
            people = max(1, domain.people)
            shares = tuple(Fraction(int(count), people) for count in domain.reference)
            return Shape(shares, (), None)
        given = dict(self.weights)
        unseen = tuple(value for value in values if value not in given)
        present = set(values)
        others = [value for value in given if value not in present]
        if self.kind == "shape":
            if unseen:
                raise DataError(
                    f"the prior gives no chance to {some(unseen)}, which people in the table have "
                    f"as {domain.name!r}",
                    fix="Give every value of the table a share in the prior's shape.",
                )
            total = sum(given.values(), Fraction(0))
            return Shape(
                tuple(given[value] / total for value in values),
                tuple((value, given[value] / total) for value in others),
                None,
            )
        sigma = {value: given.get(value, Fraction(0)) + 1 for value in (*values, *others)}
        total = sum(sigma.values(), Fraction(0))
        return Shape(
            tuple(sigma[value] / total for value in values),
            tuple((value, sigma[value] / total) for value in others),
            total,
            unseen,
        )


def _refuse_twice(weights: Sequence[tuple[Value, Fraction]]) -> None:
    """1 and "1" are one value."""
    met = Counter(value for value, _ in weights)
    if twice := [value for value, times in met.items() if times > 1]:
        raise PlanError(f"the prior has {some(twice)} twice", fix="Give each value once.")
