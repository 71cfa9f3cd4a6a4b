"""Formula: what a regression explains by what, and its matrix.

`hours ~ age + sex` explains a number; `income = >50K ~ age + sex` explains whether somebody has a
value. A column of numbers is one term; of any other column each value but the first is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.analyses.rows import AnalysisRows
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.table.groups import Floats

MOST = 500
"""Columns of a matrix."""


@dataclass(frozen=True)
class Event:
    """Whether somebody has a value of a column, or what number they have."""

    column: str
    value: str | None = None

    @classmethod
    def read(cls, text: str) -> Event:
        """From a plan.

        >>> Event.read("income = >50K"), Event.read("hours")
        (Event(column='income', value='>50K'), Event(column='hours', value=None))
        """
        column, equals, value = (part.strip() for part in text.partition(" = "))
        if not column or (equals and not value):
            raise HedgerowError(
                f"{text!r} is neither a column nor a column and a value",
                fix="Write hours, or income = >50K with spaces around the sign.",
            )
        return cls(column, value or None)

    def __str__(self) -> str:
        return self.column if self.value is None else f"{self.column} = {self.value}"

    def of(self, rows: AnalysisRows) -> Floats:
        """The number of each row, or the chance that it has the value; NaN where unknown."""
        if self.value is None:
            return rows.numbers(self.column)
        variable = rows.variables[self.column]
        shares = rows.shares(self.column, (self.value,))[:, 0]
        missing = variable.blank | np.array([text is None for text in variable.texts], np.bool_)
        found: Floats = np.where(missing[variable.codes], np.nan, shares)
        return found


@dataclass(frozen=True)
class Formula:
    """A response and its terms."""

    response: Event
    terms: tuple[str, ...]

    @classmethod
    def read(cls, text: object) -> Formula:
        """From a plan.

        >>> Formula.read("hours ~ age + sex").terms
        ('age', 'sex')

        Raises:
            HedgerowError: It is none.
        """
        response, tilde, terms = (text if isinstance(text, str) else "").partition("~")
        found = tuple(term.strip() for term in terms.split("+"))
        if not tilde or not response.strip() or not all(found):
            raise HedgerowError(
                f"{text!r} is no formula",
                fix="Write, for instance, hours ~ age + sex or income = >50K ~ age + sex.",
            )
        if len(set(found)) < len(found):
            raise HedgerowError(f"{text!r} names a term twice")
        return cls(Event.read(response.strip()), found)

    def __str__(self) -> str:
        return f"{self.response} ~ {' + '.join(self.terms)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """What it reads."""
        return tuple(dict.fromkeys((self.response.column, *self.terms)))


@dataclass(frozen=True, eq=False)
class ModelMatrix:
    """Terms as columns of numbers."""

    names: tuple[str, ...]
    x: Floats
    """Rows by columns, the first of ones; NaN where a row does not tell."""

    @classmethod
    def of(
        cls, terms: Sequence[str], rows: AnalysisRows, original: AnalysisRows, *, full: bool = False
    ) -> ModelMatrix:
        """The matrix of some rows, with the columns that everybody's has.

        Args:
            terms: Columns of the table.
            rows: The rows.
            original: Everybody.
            full: Whether the first value of a column is a column too, and there are no ones.
        """
        names, columns = (list[str](), []) if full else (["(intercept)"], [np.ones(len(rows.n))])
        for term in terms:
            variable = original.variables[term]
            if variable.numeric:
                names.append(term)
                columns.append(rows.numbers(term))
                continue
            there = sorted(original.there(term), key=lambda value: (value is None, value or ""))
            if len(names) + len(there) > MOST:
                raise DataError(
                    f"{' + '.join(terms)} has more than {MOST} terms: {term!r} has "
                    f"{len(there):,} values",
                    fix="Leave out columns with many values.",
                )
            published = rows.variables[term]
            shares = rows.shares(term, there)
            for place, value in enumerate(there):
                if full or place:
                    names.append(f"{term}={'missing' if value is None else value}")
                    columns.append(
                        np.where(published.blank[published.codes], np.nan, shares[:, place])
                    )
        return cls(tuple(names), np.stack(columns, axis=1) if columns else np.zeros((0, 0)))
