"""Decimal numbers held exactly as whole numbers of one common unit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_NUMBER = re.compile(r"\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?\s*", re.ASCII)
_CODE = re.compile(r"\s*[+-]?0\d", re.ASCII)
_LONGEST = 400
"""Digits and decimal exponents beyond this are no measurement, and cost memory to hold."""

Parsed = tuple[int, int]
"""(digits, exponent): the number is digits * 10 ** exponent."""


def parse(text: str) -> Parsed | None:
    """The number a text spells, or None where it spells none that is finite.

    >>> parse("20.50"), parse("-3e2"), parse("NaN"), parse("1_000")
    ((2050, -2), (-3, 2), None, None)
    """
    match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    sign, whole, fraction, exponent = match.groups()
    digits = whole + (fraction or "")
    if not digits:
        return None
    power = int(exponent or 0) - len(fraction or "")
    if abs(power) > _LONGEST or not math.isfinite(float(text)):
        return None
    return int(sign + digits), power


def written(number: float | int | str) -> Parsed | None:
    """A plan's number, taken as it was written: 0.1 is one tenth, not the nearest double."""
    if isinstance(number, bool):
        return None
    return parse(number if isinstance(number, str) else repr(number))


def numeric(values: Iterable[str | None]) -> bool:
    """Whether all values but the missing ones are numbers, and there is one.

    Digits after a leading zero (02139) are a code: as a number it would lose the zero.

    >>> numeric(["20", None, "7.5"]), numeric(["02139", "10001"]), numeric([None])
    (True, False, False)
    """
    met = False
    for value in values:
        if value is not None:
            if parse(value) is None or _CODE.match(value):
                return False
            met = True
    return met


@dataclass(frozen=True)
class Scale:
    """The unit 10 ** exponent, of which every number in hand is a whole multiple."""

    exponent: int

    @classmethod
    def of(cls, numbers: Iterable[Parsed]) -> Scale:
        """The finest exponent among the numbers, at most 0."""
        return cls(min([0, *(exponent for _, exponent in numbers)]))

    def units(self, number: Parsed) -> int:
        """How many units the number is, exactly."""
        digits, exponent = number
        return digits * int(10 ** (exponent - self.exponent))

    @property
    def one(self) -> int:
        """How many units make 1."""
        return int(10**-self.exponent)

    def text(self, units: int) -> str:
        """The shortest decimal spelling.

        >>> Scale(-2).text(-1250), Scale(-2).text(300)
        ('-12.5', '3')
        """
        whole, part = divmod(abs(units), self.one)
        text = str(whole)
        if part:
            text += "." + str(part).zfill(-self.exponent).rstrip("0")
        return f"-{text}" if units < 0 else text


def interval(scale: Scale, low: int, high: int, *, whole: bool) -> str:
    """What a bin is published as: 20-24 for whole numbers, [20, 25) otherwise.

    >>> interval(Scale(0), 20, 25, whole=True), interval(Scale(0), 20, 21, whole=True)
    ('20-24', '20')
    >>> interval(Scale(-1), 200, 225, whole=False)
    '[20, 22.5)'
    """
    if not whole:
        return f"[{scale.text(low)}, {scale.text(high)})"
    last = high - scale.one
    return scale.text(low) if low == last else f"{scale.text(low)}-{scale.text(last)}"


def all_whole(scale: Scale, units: Sequence[int]) -> bool:
    """Whether every number is an integer."""
    return all(value % scale.one == 0 for value in units)
