"""What is known of one column of a table, before anybody says what it means."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MOST_VALUES = 1000
"""Frequent values of a column that its facts carry, at most."""
NEAR_CONSTANT = 0.95
"""Share of rows with one value from which on a column is nearly constant."""


class ColumnKind(StrEnum):
    """What the values of a column are."""

    NUMBER = "number"
    """Amounts, measurements, counts: larger means more."""
    DATE = "date"
    CODE = "code"
    """Written with digits, or as codes are; the digits are names, so no ranges."""
    CATEGORY = "category"
    """Words, each with several rows."""
    TEXT = "text"
    """Words that hardly repeat: names, addresses, sentences."""
    EMPTY = "empty"
    """No row has a value."""


@dataclass(frozen=True, kw_only=True)
class ValueCount:
    """A value and the rows that have it."""

    value: str
    rows: int


@dataclass(frozen=True, kw_only=True)
class MissingToken:
    """A text that seems to say that there is no value."""

    text: str
    rows: int
    because: str
    """As the end of a sentence: "it stands among numbers"."""
    sure: bool
    """Whether nothing else is likely; else somebody has to be asked."""
    elsewhere: tuple[str, ...] = ()
    """Columns that have this text too, rare ones included, where it is not noticed as a token."""


@dataclass(frozen=True, kw_only=True)
class Recognition:
    """A form in which the values of a column are written: of e-mail addresses, IBANs, names."""

    kind: str
    """Such as "e-mail address"; `recognitions.FORMS` has all of them."""
    share: float
    """Of the distinct values that were looked at, those that have this form."""
    direct: bool
    """Whether such a value identifies a person by itself."""
    check_digits: bool
    """Whether the values have check digits, and they are right."""


@dataclass(frozen=True, kw_only=True)
class NumberRange:
    """The numbers of a column; tokens of missing values do not count."""

    low: float
    high: float
    whole: bool
    """Whether all are whole numbers."""
    quartiles: tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Interval:
    """NumberValues from `low` up to, not including, `high`; the last one includes it."""

    low: float
    high: float
    rows: int


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """One column. All counts are of the rows that were looked at."""

    name: str
    kind: ColumnKind
    kind_because: str
    """Why it is of this kind, as the end of a sentence."""
    rows: int
    missing: int
    """Rows without a value: NULL, an empty field. Tokens are not counted here."""
    missing_tokens: tuple[MissingToken, ...]
    distinct: int
    """Distinct values, missing not counted; tokens are."""
    values: tuple[ValueCount, ...]
    """The most frequent values, most frequent first; not more than `MOST_VALUES`."""
    longest: int
    """Characters of the longest value."""
    shortest: int
    numbers: NumberRange | None
    """Where all values but tokens of missing ones are numbers, also if these are codes."""
    histogram: tuple[Interval, ...]
    """Of these numbers."""
    date_form: str | None
    """How its dates are written, such as yyyy-mm-dd."""
    leading_zeros: bool
    """Whether a value such as 0301 would be another as a number."""
    sequence: bool
    """Whether it numbers the rows: whole numbers without gaps, none twice."""
    free_text: bool
    """Whether its values are sentences, which may name somebody."""
    recognised: tuple[Recognition, ...]
    """What the values look like, the most frequent form first."""
    singled_out: int
    """People who have a value that nobody else has."""
    distinction: float
    """The same as a share of all people."""
    separation: float
    """Share of pairs of people whom the column tells apart."""
    determined_by: tuple[str, ...] = ()
    """Columns that determine it, exactly or almost; see the table's dependencies."""

    @property
    def values_complete(self) -> bool:
        """Whether `values` are all there are."""
        return len(self.values) == self.distinct

    @property
    def commonest_share(self) -> float:
        """Share of rows that have the most frequent value, or are all missing."""
        most = max([self.missing, *(one.rows for one in self.values[:1])], default=0)
        return most / self.rows if self.rows else 0.0

    @property
    def constant(self) -> bool:
        """Whether all rows are alike in it."""
        return self.distinct + (self.missing > 0) <= 1

    @property
    def near_constant(self) -> bool:
        """Whether nearly all rows are alike in it."""
        return not self.constant and self.commonest_share >= NEAR_CONSTANT

    @property
    def tokens(self) -> frozenset[str]:
        """The texts that seem to say that there is no value."""
        return frozenset(one.text for one in self.missing_tokens)

    @property
    def doubtful_tokens(self) -> tuple[MissingToken, ...]:
        """Those of which somebody has to be asked."""
        return tuple(one for one in self.missing_tokens if not one.sure)

    @property
    def identifiers(self) -> tuple[Recognition, ...]:
        """The recognised forms that identify people by themselves."""
        return tuple(one for one in self.recognised if one.direct)
