"""What everybody may know of a column's values, whoever is in the table: never taken from data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.base.decimals import Scale
from hedgerow.base.errors import PlanError, some

MOST_CELLS = 10_000_000
"""Cells of one answer: more would not fit into memory with their noise."""


@dataclass(frozen=True)
class Values:
    """A public list of values.

    >>> Values(("flu", "cancer", None)).labels
    ('flu', 'cancer', None)
    """

    values: tuple[str | None, ...]
    """As the source spells them; None where missing is a value like others."""

    def __post_init__(self) -> None:
        twice = [value for value, times in Counter(self.values).items() if times > 1]
        if twice:
            raise PlanError(f"a domain lists {some(twice)} more than once", fix="List each once.")
        if not self.values:
            raise PlanError("a domain without values has no cells", fix="List the values.")
        if len(self.values) > MOST_CELLS:
            raise PlanError(
                f"a domain of {len(self.values):,} values has more than the {MOST_CELLS:,} cells "
                "an answer may have"
            )

    @property
    def labels(self) -> tuple[str | None, ...]:
        return self.values


@dataclass(frozen=True)
class Bounds:
    """Numbers between two public bounds; those beyond are taken as the bounds.

    >>> ages = Bounds(Fraction(0), Fraction(120), Fraction(1))
    >>> ages.cells, ages.cells * ages.step == ages.high - ages.low + ages.step
    (121, True)
    """

    low: Fraction
    high: Fraction
    step: Fraction | None = None
    """Values lie this far apart, beginning at `low`; None: anywhere between the bounds."""

    def __post_init__(self) -> None:
        if self.low >= self.high:
            raise PlanError(
                f"the lower bound {decimal(self.low)} is not under the upper bound "
                f"{decimal(self.high)}",
                fix="Write the lower one first.",
            )
        if self.step is None:
            return
        if self.step <= 0:
            raise PlanError(f"a step must be above 0, not {decimal(self.step)}")
        steps, rest = divmod(self.high - self.low, self.step)
        if rest:
            near = [self.low + n * self.step for n in (steps, steps + 1) if n]
            raise PlanError(
                f"the bounds {decimal(self.low)} and {decimal(self.high)} are no whole number of "
                f"steps of {decimal(self.step)} apart",
                fix=f"Move the upper bound to {' or '.join(map(decimal, near))}, or choose "
                "another step.",
            )

    @property
    def cells(self) -> int:
        """How many values there are; both bounds are among them.

        Raises:
            PlanError: No step, or more cells than an answer can have. Sums need none.
        """
        if self.step is None:
            raise PlanError("numbers without a step have no cells", fix="Give a step: `step: 1`.")
        many = int((self.high - self.low) / self.step) + 1
        if many > MOST_CELLS:
            raise PlanError(
                f"steps of {decimal(self.step)} from {decimal(self.low)} to {decimal(self.high)} "
                f"make {many:,} cells, and an answer has at most {MOST_CELLS:,}",
                fix="Choose a larger step, or ask in wider cells, such as age:10.",
            )
        return many


Domain = Values | Bounds


def decimal(number: Fraction) -> str:
    """A number exactly: as a decimal, or as a fraction where no decimal is equal to it.

    >>> decimal(Fraction(1, 10)), decimal(Fraction(-40)), decimal(Fraction(1, 3))
    ('0.1', '-40', '1/3')
    """
    if number.denominator == 1:
        return str(number.numerator)
    rest, places = number.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1:
        return str(number)
    return Scale(-places).text(int(number * 10**places))
