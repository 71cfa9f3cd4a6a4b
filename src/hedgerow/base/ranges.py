"""Ranges of parameters: declared once, for the plan, the models and what `explain` prints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Range:
    """The numbers a parameter may be.

    >>> str(Range(2, whole=True)), str(Range(0, 1, above=True))
    ('whole number of at least 2', 'above 0, at most 1')
    >>> 2 in Range(1, above=True), 1 in Range(1, above=True)
    (True, False)
    """

    low: int
    high: float = math.inf
    above: bool = False
    """Whether the lower end is itself too small."""
    below: bool = False
    """Whether the upper end is itself too large."""
    whole: bool = False

    def __contains__(self, number: float | Fraction) -> bool:
        """Whether it is inside; of a finite number."""
        if self.whole and number != int(number):
            return False
        over = number > self.low if self.above else number >= self.low
        return over and (number < self.high if self.below else number <= self.high)

    def __str__(self) -> str:
        """As `explain` prints it."""
        if self.high < math.inf and not (self.above or self.below or self.whole):
            return f"{self.low:g} to {self.high:g}"
        words = f"above {self.low:g}" if self.above else f"at least {self.low:g}"
        if self.high < math.inf:
            words += f", {'below' if self.below else 'at most'} {self.high:g}"
        return f"whole number of {words}" if self.whole else words

    @property
    def words(self) -> str:
        """As it reads where somebody gave another number."""
        words = "a whole number" if self.whole else "a number"
        words += f" above {self.low:g}" if self.above else f" of at least {self.low:g}"
        if self.high < math.inf:
            words += f" and {'below' if self.below else 'at most'} {self.high:g}"
        return words

    @property
    def schema(self) -> dict[str, Any]:
        """As JSON Schema says it."""
        found: dict[str, Any] = {"type": "integer" if self.whole else "number"}
        found["exclusiveMinimum" if self.above else "minimum"] = self.low
        if self.high < math.inf:
            found["exclusiveMaximum" if self.below else "maximum"] = self.high
        return found


LEVEL = Range(0, whole=True)
WHOLE = Range(1, whole=True)
SEVERAL = Range(2, whole=True)
"""From 2 on: with 1 a claim about groups says nothing."""
POSITIVE = Range(0, above=True)
FROM_ONE = Range(1)
ABOVE_ONE = Range(1, above=True)
UNIT = Range(0, 1)
OPEN_UNIT = Range(0, 1, above=True, below=True)
"""Without its ends: at 0 a claim cannot be met, and at 1 it says nothing."""
RISK = Range(0, 1, above=True)
