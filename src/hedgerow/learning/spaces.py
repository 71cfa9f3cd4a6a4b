"""What everybody may know of the columns, and into which cell of it a value falls.

Each value is decided on its own: what somebody else has in the same column changes nothing. So
an odd value moves one row, whatever it is, and none can make fitting fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise.rounding import Number
from hedgerow.table.domain import Bounds, Values

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


class ShapeError(DataError, ValueError):
    """Input of the wrong shape or type; scikit-learn's callers look for a ValueError."""


@dataclass(frozen=True)
class Cuts:
    """Public numbers at which an ordered column may be cut, where even cells do not suit.

    >>> Cuts((0, 1000, 5000)).points
    (0, 1000, 5000)
    """

    points: tuple[Number, ...]
    """Rising; a value falls into the cell that begins with the last point at or under it."""

    def __post_init__(self) -> None:
        numbers = [Fraction(point) for point in self.points]
        if not numbers or any(a >= b for a, b in pairwise(numbers)):
            raise PlanError("cuts must be numbers that rise, at least one")


Domain = Values | Bounds | Cuts


@dataclass(frozen=True)
class Feature:
    """One column as an estimator sees it: public cells, and one more for whatever is in none."""

    cells: int
    """Without the last one, which takes what is missing, no number, or not listed."""
    ordered: bool
    edges: tuple[float, ...] = ()
    """Where cells but the first begin, for numbers."""
    places: tuple[tuple[str | None, int], ...] = ()
    """Where listed values are."""

    @classmethod
    def of(cls, domain: Domain, *, cells: int) -> Feature:
        """The cells of a domain: its values, or at most so many even ranges of numbers.

        >>> Feature.of(Bounds(Fraction(0), Fraction(100), Fraction(1)), cells=4).edges
        (25.0, 50.0, 75.0)
        """
        if isinstance(domain, Values):
            places = {value: place for place, value in enumerate(domain.values)}
            for number, word in (("0", "false"), ("1", "true")):
                if word in places:
                    places.setdefault(number, places[word])
            return cls(len(domain.values), False, places=tuple(places.items()))
        if isinstance(domain, Cuts):
            starts = [float(Fraction(point)) for point in domain.points]
            return cls(len(starts) + 1, True, tuple(starts))
        if domain.step is None:
            width = (domain.high - domain.low) / cells
            edges = [domain.low + i * width for i in range(1, cells)]
        else:
            cells = min(cells, domain.cells)
            firsts = (i * domain.cells // cells for i in range(1, cells))
            edges = [domain.low + first * domain.step for first in firsts]
        return cls(cells, True, tuple(map(float, edges)))

    @property
    def size(self) -> int:
        """All cells, the last one included."""
        return self.cells + 1

    def codes(self, column: NDArray[Any]) -> Codes:
        """The cell of each value; the last where the domain does not list it.

        A column's type hangs on single values (one text makes no numbers of them all), so that
        nothing is refused for it: it would tell of somebody.

        >>> jobs = Feature.of(Values(("nurse", "1")), cells=9)
        >>> jobs.codes(np.array(["nurse", 1.0, None, "spy"], object)).tolist()
        [0, 1, 2, 2]
        """
        if self.ordered:
            numbers = as_numbers(column)
            cell = np.searchsorted(np.array(self.edges), numbers, side="right")
            return np.where(np.isfinite(numbers), cell, self.cells).astype(np.int64)
        places = dict(self.places)
        codes: Codes = _by_value(
            column, lambda value: places.get(spelt(value), self.cells), np.int64
        )
        return codes


@dataclass(frozen=True)
class ClassLabels:
    """The public classes; a row with another has none, and is left out of fitting."""

    labels: NDArray[Any]

    @classmethod
    def of(cls, given: Sequence[object] | None) -> ClassLabels:
        """Sorted, as scikit-learn has them.

        Raises:
            PlanError: None, one, or no two different ones are given.
        """
        if given is None:
            raise PlanError(
                "the classes must be given: to look them up in the data would tell who is there",
                fix='Say something like classes=("no", "yes").',
            )
        try:
            labels = np.unique(np.asarray(given))
        except TypeError:
            raise PlanError("the classes must be of one type") from None
        names = {spelt(label) for label in labels.tolist()}
        if len(names) != len(labels) or None in names or not 2 <= len(labels) <= MOST_CLASSES:
            raise PlanError(f"there must be 2 to {MOST_CLASSES} classes: texts or numbers")
        return cls(labels)

    def codes(self, y: NDArray[Any]) -> Codes:
        """The place of each label; -1 for others.

        Raises:
            PlanError: They are numbers and no class is, which the type alone says.

        >>> ClassLabels.of((0, 1)).codes(np.array([True, False])).tolist()
        [1, 0]
        """
        places = {spelt(label): place for place, label in enumerate(self.labels.tolist())}
        if y.dtype.kind in "iufb" and all(math.isnan(_number(name)) for name in places):
            raise PlanError(
                "y holds numbers, and the classes are texts",
                fix="Give the classes as y has them.",
            )
        codes: Codes = _by_value(y, lambda value: places.get(spelt(value), -1), np.int64)
        return codes


PLAIN: set[type] = {str, int, float, bool, type(None)}
"""Values that are equal exactly if they are spelt alike."""
MOST_CLASSES = 64
"""The rounding of scores is bounded for so many."""


def per_column(domains: object, *, names: Sequence[str] | None, columns: int) -> list[Domain]:
    """A domain for each column, from one for all, a sequence, or a mapping by column name.

    Raises:
        PlanError: There is none, or not one for each column.
    """
    if domains is None:
        raise PlanError(
            "the domain of each column must be given: bounds taken from the data would tell "
            "about the people at the ends",
            fix='Say something like domains={"age": Bounds(0, 120, 1), "job": Values(("a", "b"))}, '
            "or one domain for all columns.",
        )
    if isinstance(domains, Mapping):
        if names is None:
            raise PlanError(
                "domains by name need columns with names",
                fix="Fit a data frame, or give a list with one domain for each column.",
            )
        missing = [name for name in names if name not in domains]
        if missing:
            raise PlanError(f"there is no domain for column {missing[0]!r}")
        listed: list[object] = [domains[name] for name in names]
    elif isinstance(domains, Values | Bounds | Cuts):
        listed = [domains] * columns
    elif isinstance(domains, Iterable):
        listed = list(domains)
    else:
        listed = [domains]
    if len(listed) != columns:
        raise PlanError(f"there are {columns} columns and {len(listed)} domains")
    found = [domain for domain in listed if isinstance(domain, Values | Bounds | Cuts)]
    if len(found) != columns:
        raise PlanError("a domain must be Values, Bounds or Cuts")
    return found


def as_columns(table: Any) -> list[NDArray[Any]]:
    """The columns of an array or a data frame, each with the type it has there.

    A list of rows is not left to numpy, which would make texts of all numbers for one text.

    Raises:
        ShapeError: It has no rows and columns, or is of a type nothing can be done with.
    """
    if hasattr(table, "iloc") and hasattr(table, "columns"):
        return [table.iloc[:, place].to_numpy() for place in range(table.shape[1])]
    if hasattr(table, "get_columns"):
        return [series.to_numpy() for series in table.get_columns()]
    if hasattr(table, "itercolumns"):
        return [column.to_numpy() for column in table.itercolumns()]
    if hasattr(table, "tocsr"):
        raise ShapeError("sparse data is not supported", fix="Give a dense array.")
    array = as_array(table)
    if array.ndim != 2:
        raise ShapeError(
            f"Expected 2D array, got {array.ndim}D array instead",
            fix="Reshape your data: array.reshape(-1, 1) for one column.",
        )
    return [array[:, place] for place in range(array.shape[1])]


def as_array(given: Any) -> NDArray[Any]:
    """An array with cells as they were given.

    Raises:
        ShapeError: Rows of different lengths, or complex numbers.
    """
    if not hasattr(given, "__array__") and not hasattr(given, "__array_function__"):
        given = np.asarray(given, dtype=object)
    array = np.asarray(given)
    if array.dtype.kind == "c":
        raise ShapeError("Complex data not supported")
    return array


def as_numbers(column: NDArray[Any]) -> Floats:
    """Doubles; NaN for what is no number. Text that spells a number is one."""
    if column.dtype.kind in "iufb":
        return column.astype(np.float64)
    numbers: Floats = _by_value(column, _number, np.float64)
    return numbers


def spelt(value: object) -> str | None:
    """A value as a domain lists it; None if missing, the empty list's repr if it is no value.

    Whole numbers have no point, as a column of them becomes one of doubles when one is missing;
    true and false are 1 and 0, as they become among numbers.

    >>> spelt("a"), spelt(2.0), spelt(0.5), spelt(True), spelt(float("nan")), spelt([])
    ('a', '2', '0.5', '1', None, '[]')
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.bool_):
        return str(int(value))
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if not isinstance(value, Real | Decimal):
        return "[]"
    number = _number(value)
    if math.isnan(number):
        return None
    if not math.isfinite(number) or not number.is_integer():
        return repr(number)
    return str(int(value) if isinstance(value, Integral) else int(number))


def _number(value: object) -> float:
    if not isinstance(value, str | Real | Decimal | np.bool_):
        return math.nan
    try:
        return float(value)
    except ValueError:
        return math.nan
    except OverflowError:
        return math.inf


def _by_value(column: NDArray[Any], rule: Callable[[object], Any], dtype: type[Any]) -> Any:
    """The rule's answer for each cell, asked once for each different value where they are plain.

    Which way is taken depends on the whole column; what comes out for a cell does not, as the
    rule says the same of values that are equal. No library is given a column of objects to
    guess a type for: that changes values by what is beside them.
    """
    if column.dtype.kind in "iufb":
        values, places = np.unique(column, return_inverse=True)
        answers = np.array([rule(value) for value in values.tolist()], dtype)
        return answers[places.reshape(-1)] if len(values) else np.zeros(0, dtype)
    cells = column.astype(object).tolist()
    if set(map(type, cells)) <= PLAIN:
        answer = {value: rule(value) for value in set(cells)}
        return np.fromiter(map(answer.__getitem__, cells), dtype, len(cells))
    return np.frompyfunc(rule, 1, 1)(column.astype(object)).astype(dtype)
