"""Condition: what a filter says, read and checked; `where` is the language it is written in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

KEYWORDS = ("and", "or", "not", "in", "between", "is", "missing")
NAME = r"[^\W\d]\w*(?:[.-]\w+)*"
"""A column's name that needs no quotes, unless it is a keyword."""

Order = Literal["=", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Number:
    """A plain decimal number, exactly.

    >>> str(Number(Fraction("-1.50"))), str(Number(Fraction(40)))
    ('-1.5', '40')
    """

    value: Fraction

    def __post_init__(self) -> None:
        rest = self.value.denominator
        for prime in (2, 5):
            while rest % prime == 0:
                rest //= prime
        assert rest == 1, "only decimals can be written"

    def __str__(self) -> str:
        places = 0
        while self.value.denominator != 1 and 10**places % self.value.denominator:
            places += 1
        digits = str(abs(self.value.numerator) * 10**places // self.value.denominator)
        digits = digits.rjust(places + 1, "0")
        text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
        return f"-{text}" if self.value < 0 else text


Constant = Number | str


@dataclass(frozen=True)
class Compared:
    """A column beside a constant."""

    column: str
    order: Order
    constant: Constant

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def __str__(self) -> str:
        return f"{named(self.column)} {self.order} {spelled(self.constant)}"


@dataclass(frozen=True)
class OneOf:
    """The column equals one of the constants."""

    column: str
    constants: tuple[Constant, ...]

    def __post_init__(self) -> None:
        assert self.constants
        object.__setattr__(self, "constants", tuple(dict.fromkeys(self.constants)))

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def __str__(self) -> str:
        return self._written("in")

    def _written(self, word: str) -> str:
        return f"{named(self.column)} {word} ({', '.join(map(spelled, self.constants))})"


@dataclass(frozen=True)
class Missing:
    """The column has no value."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def __str__(self) -> str:
        return f"{named(self.column)} is missing"


@dataclass(frozen=True)
class Not:
    """True where the part is false."""

    part: Condition

    @property
    def columns(self) -> tuple[str, ...]:
        return self.part.columns

    def __str__(self) -> str:
        match self.part:
            case Compared(column, "=", constant):
                return f"{named(column)} != {spelled(constant)}"
            case OneOf():
                return self.part._written("not in")
            case Missing(column):
                return f"{named(column)} is not missing"
            case And() | Or():
                return f"not ({self.part})"
        return f"not {self.part}"


@dataclass(frozen=True)
class And:
    """True where all parts are."""

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        flat = [p for part in self.parts for p in (part.parts if type(part) is And else (part,))]
        assert len(flat) > 1
        object.__setattr__(self, "parts", tuple(flat))

    @property
    def columns(self) -> tuple[str, ...]:
        return _all_columns(self.parts)

    def __str__(self) -> str:
        return " and ".join(f"({p})" if isinstance(p, Or) else str(p) for p in self.parts)


@dataclass(frozen=True)
class Or:
    """True where one of the parts is."""

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        flat = [p for part in self.parts for p in (part.parts if type(part) is Or else (part,))]
        assert len(flat) > 1
        object.__setattr__(self, "parts", tuple(flat))

    @property
    def columns(self) -> tuple[str, ...]:
        return _all_columns(self.parts)

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


Condition = Compared | OneOf | Missing | Not | And | Or
"""A filter that has been read. `str` writes it so that it reads as the same filter again."""


def named(column: str) -> str:
    """A column as the language names it.

    >>> named("education-num"), named("year of birth"), named("In")
    ('education-num', '`year of birth`', '`In`')
    """
    if re.fullmatch(NAME, column) and column.casefold() not in KEYWORDS:
        return column
    return "`" + column.replace("`", "``") + "`"


def spelled(constant: Constant) -> str:
    """A constant as the language writes it."""
    if isinstance(constant, Number):
        return str(constant)
    return "'" + constant.replace("'", "''") + "'"


def _all_columns(parts: tuple[Condition, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column for part in parts for column in part.columns))
