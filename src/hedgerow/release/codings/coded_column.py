"""One column of a release, coded: what it is published as, and what a certificate says of that."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.base.errors import DataError, PlanError
from hedgerow.plan.codings import ColumnCodingPlan, PramPlan, SwapPlan
from hedgerow.plan.plan import Plan
from hedgerow.release.codings.aggregates import aggregated
from hedgerow.release.codings.matrix_file import read_matrix
from hedgerow.table.domain import Values
from hedgerow.table.groups import Ints
from hedgerow.table.pack import distinct
from hedgerow.table.schema import Role
from hedgerow.table.written_form import Value

if TYPE_CHECKING:
    from hedgerow.noise.transition_matrix import TransitionMatrix


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """A column row by row: its values, each once, and which of them a row has."""

    values: tuple[Value, ...]
    codes: Ints

    @property
    def counts(self) -> Ints:
        """How many rows have each value."""
        return np.bincount(self.codes, minlength=len(self.values)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CodingOutcome:
    """What a column is published as."""

    column: ColumnValues
    told: Mapping[str, Any]
    """What the certificate says of it."""
    changed: int
    """Rows that have another value than before; for the steward alone."""


def code_column(
    plan: Plan,
    name: str,
    columns: Mapping[str, ColumnValues],
    *,
    groups: Sequence[str],
    least: int,
) -> CodingOutcome:
    """Code a column of the release.

    Args:
        plan: Says how.
        name: The column.
        columns: All columns of the release before any of them is coded.
        groups: Quasi-identifiers whose groups the file shows.
        least: How many people must have a value where an aggregate of them is published.

    Raises:
        HedgerowError: Its values do not suit the coding.
    """
    coding = plan.columns[name].coding
    assert coding is not None, "the column is coded"
    before = columns[name]
    where = plan.where("columns", name, "coding")
    try:
        after, told = _coded(plan, coding, name, columns, groups, least)
    except (PlanError, DataError) as error:
        raise type(error)(
            f"column {name!r}: {error.what}", where=error.where or where, fix=error.fix
        ) from None
    place = {value: i for i, value in enumerate(before.values)}
    as_before = np.array([place.get(value, -1) for value in after.values], np.int64)
    return CodingOutcome(after, told, int((as_before[after.codes] != before.codes).sum()))


def _coded(
    plan: Plan,
    coding: ColumnCodingPlan,
    name: str,
    columns: Mapping[str, ColumnValues],
    groups: Sequence[str],
    least: int,
) -> tuple[ColumnValues, dict[str, Any]]:
    before = columns[name]
    if coding.microaggregate is not None:
        into = _strata(columns, groups, len(before.codes))
        values, of_group = aggregated(
            before.values, before.codes, into, by=coding.microaggregate, least=least
        )
        told = {**coding.told, "groups": list(groups), "least": least}
        return ColumnValues(values, of_group[into]), told
    if coding.swap is not None:
        return _swapped(coding.swap, before, columns), dict(coding.told)
    assert coding.pram is not None, "one of the three"
    values, matrix, said = _matrix(plan, name, coding.pram, before)
    place = {value: i for i, value in enumerate(values)}
    if strange := [value for value in before.values if value not in place]:
        raise DataError(
            f"{len(strange):,} published values are not among those of the matrix",
            fix="List every value that may be published, missing ones too.",
        )
    if len(values) < 2:
        raise DataError(
            "it has one value only, so PRAM leaves everybody's as it is",
            fix="Leave the coding out, or give the column a domain of several values.",
        )
    mine = np.array([place[value] for value in before.values], np.int64)
    drawn = matrix.drawn(mine[before.codes])
    told = {
        **coding.told,
        **said,
        "values": list(values),
        "epsilon": None if math.isinf(matrix.epsilon) else matrix.epsilon,
        "most_changed": str(matrix.most_changed),
    }
    return ColumnValues(values, drawn), told


def _swapped(
    swap: SwapPlan, before: ColumnValues, columns: Mapping[str, ColumnValues]
) -> ColumnValues:
    from hedgerow.noise.record_swaps import swapped_places

    strata = _strata(columns, swap.within, len(before.codes))
    return ColumnValues(before.values, before.codes[swapped_places(strata, rate=swap.rate)])


def _strata(columns: Mapping[str, ColumnValues], names: Sequence[str], rows: int) -> Ints:
    """Which rows agree in these columns."""
    if not names:
        return np.zeros(rows, np.int64)
    codes = np.stack([columns[name].codes for name in names], axis=1).astype(np.int32)
    return distinct(codes, [len(columns[name].values) for name in names])[1]


def _matrix(
    plan: Plan, name: str, pram: PramPlan, before: ColumnValues
) -> tuple[tuple[Value, ...], TransitionMatrix, dict[str, Any]]:
    """The values there may be, the matrix over them, and what a certificate says of both."""
    from hedgerow.noise.transition_matrix import TransitionMatrix

    if pram.matrix is not None:
        values, chances = read_matrix(pram.matrix)
        lines = [[str(chance) for chance in line] for line in chances]
        said = {"from_data": False, "matrix": lines}
        return values, TransitionMatrix.of(chances), said
    assert pram.stay is not None, "there is no matrix"
    if pram.invariant:
        counts = before.counts.tolist()
        kept = [i for i, n in enumerate(counts) if n]
        values, shares = tuple(before.values[i] for i in kept), [counts[i] for i in kept]
        matrix = TransitionMatrix.invariant(shares, stay=pram.stay)
        return values, matrix, {"from_data": True, "counts": shares}
    listed = public_values(plan, name)
    values = before.values if listed is None else listed
    matrix = TransitionMatrix.uniform(len(values), stay=pram.stay)
    return values, matrix, {"from_data": listed is None}


def public_values(plan: Plan, name: str) -> tuple[Value, ...] | None:
    """The values that a column may have, where the plan lists them and they do not hang on data.

    A quasi-identifier is published as labels, of which the plan's domain says nothing.
    """
    public = None if plan.columns[name].role is Role.QUASI_IDENTIFIER else plan.domain(name)
    return tuple(public.values) if isinstance(public, Values) else None


def restored_matrix(told: Mapping[str, Any]) -> TransitionMatrix:
    """The matrix that a certificate states.

    Raises:
        ValueError: It is none.
        HedgerowError: It cannot be drawn exactly.
    """
    from hedgerow.noise.transition_matrix import TransitionMatrix

    size = len(told["values"])
    if told["kind"] == "matrix":
        if len(told["matrix"] or ()) != size:
            raise ValueError("its matrix is not as large as its values are many")
        return TransitionMatrix.of([[Fraction(c) for c in line] for line in told["matrix"]])
    if told["kind"] == "invariant":
        if len(told["counts"] or ()) != size:
            raise ValueError("its counts are not as many as its values")
        return TransitionMatrix.invariant(told["counts"], stay=Fraction(told["stay"]))
    return TransitionMatrix.uniform(size, stay=Fraction(told["stay"]))
