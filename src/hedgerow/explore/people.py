"""What the data look like: columns, values, proposed roles, and who stands out by which columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.decimals import parse
from hedgerow.base.errors import DataError
from hedgerow.engines import open_engine
from hedgerow.engines.base import ColumnProfile
from hedgerow.explore.uniqueness import Codes, Combination, alone_in, singled_out
from hedgerow.plan.guesses.first_plan import first_plan
from hedgerow.plan.guesses.role_guess import RoleGuess
from hedgerow.plan.plan import Plan
from hedgerow.release.partition.recoding_choice import Progress
from hedgerow.table.encoding import encoded
from hedgerow.table.groups import Ints
from hedgerow.table.profile.whole_table import profile_table
from hedgerow.table.schema import Role

MOST_ROWS = 1_000_000
"""Rows that are looked at."""
TOP = 10
"""Values of a column that are written out."""
BINS = 20
"""Bars of a histogram, about."""

Values = list[str | None]


@dataclass(frozen=True)
class Count:
    """A value and how many people have it."""

    value: str | None
    people: int


@dataclass(frozen=True)
class Interval:
    """Numbers from `low` up to, not including, `high`; the last one includes it."""

    low: float
    high: float
    people: int


@dataclass(frozen=True)
class ColumnLook:
    """One column."""

    name: str
    kind: str
    """numbers, dates or text."""
    role: Role
    """The plan's; where there is no plan, a proposal."""
    because: str
    """Why it is proposed, or "the plan says so"."""
    sure: bool
    hierarchy: str | None
    """A hierarchy that fits, as a plan writes it; for proposals only."""
    distinct: int
    """Values, missing not counted."""
    missing: int
    """People without a value, in some of their rows."""
    top: tuple[Count, ...]
    """The most frequent values."""
    histogram: tuple[Interval, ...]
    """Of numbers."""
    singled_out: float
    """Share of people who have a value that nobody else has."""


@dataclass(frozen=True)
class DataLook:
    """A table about people, seen by its steward."""

    rows: int
    """Rows that were looked at."""
    people: int
    columns: tuple[ColumnLook, ...]
    combinations: tuple[Combination, ...]
    """One, two and three columns, those that single out most people first."""
    notes: tuple[str, ...]
    """What was not looked at."""

    def worst(self, together: int) -> tuple[Combination, ...]:
        """The combinations of so many columns, worst first."""
        return tuple(c for c in self.combinations if len(c.columns) == together)


def explore_data(
    source: Plan | str | os.PathLike[str] | Any,
    *,
    person: str | None = None,
    null: Sequence[str] = (),
    most_rows: int = MOST_ROWS,
    progress: Progress | None = None,
) -> DataLook:
    """Look at a table: what is in its columns, and which of them together single people out.

    All of it is about people in the table: it is for the steward, not for a recipient.

    Args:
        source: A plan, the path of a plan or a data file, or a table in memory.
        person: Column that says whose row it is; the plan's, if there is one.
        null: Texts that are read as missing values; the plan's, if there is one.
        most_rows: Rows to look at; fewer than all let people stand out who do not.
        progress: Called as work goes on.

    Raises:
        DataError: The table cannot be read, or has no rows.

    >>> import pyarrow as pa
    >>> look = explore_data(pa.table({"age": ["31", "31", "40"], "sex": ["f", "m", "m"]}))
    >>> print(look.combinations[0])
    age and sex single out 100 % of the people (3).
    >>> print(look.combinations[1])
    age singles out 33 % of the people (1).
    """
    say = progress or (lambda what, share: None)
    plan = source if isinstance(source, Plan) else _plan(source)
    if plan is not None:
        source, person, null = plan.source, plan.person, plan.null
        if source is None:
            raise DataError("the plan names no source", fix="Add `source: table.csv`.")
    say("reading", None)
    with open_engine(source, null=tuple(null), person=person) as engine:
        names = engine.columns()
        total = engine.rows_total()
        profiles = {column.name: column for column in engine.profile()}
        table = engine.rows(names, most_rows)
        if not table.num_rows:
            raise DataError("the table has no rows", fix="Give a table with at least one row.")
        proposed = first_plan(profile_table(engine, deep=False), person=person).roles
    columns = {name: encoded(table[name]) for name in names}
    rows = table.num_rows
    del table
    whose, people = _people(columns, person, rows)
    looks = {
        name: _look(profiles[name], columns[name], whose, plan, proposed[name])
        for name in names
        if name != person
    }
    candidates = [
        (name, columns[name][1], len(columns[name][0]))
        for name, look in looks.items()
        if look.role is not Role.IDENTIFIER and look.distinct > 1
    ]
    say("combining columns", 0.0)
    found, alone = singled_out(
        candidates, whose, people, progress=lambda share: say("combining columns", share)
    )
    shares = {
        name: alone_in(codes, whose, people) / people
        for name, (_, codes) in columns.items()
        if name in looks
    }
    notes = []
    if rows < total:
        notes.append(
            f"Only the first {rows:,} of {total:,} rows were looked at; in all of them fewer "
            "people stand out."
        )
    if alone:
        notes.append(
            "There are too many columns to combine all of them; those that tell people apart "
            f"least were left out: {', '.join(alone)}."
        )
    named = [name for name, look in looks.items() if look.role is Role.IDENTIFIER]
    if named:
        notes.append(
            f"Identifiers name people by themselves, so they were not combined: {', '.join(named)}."
        )
    return DataLook(
        rows,
        people,
        tuple(replace(look, singled_out=shares[name]) for name, look in looks.items()),
        found,
        tuple(notes),
    )


def _plan(source: Any) -> Plan | None:
    """The plan at a path that is one."""
    if isinstance(source, str | os.PathLike) and Path(source).suffix.lower() in {".yaml", ".yml"}:
        return Plan.read(Path(source))
    return None


def _people(
    columns: Mapping[str, tuple[Values, Codes]], person: str | None, rows: int
) -> tuple[Ints, int]:
    """Whose row each is, and how many people there are."""
    if person is None:
        return np.arange(rows, dtype=np.int64), rows
    values, codes = columns[person]
    return codes.astype(np.int64), len(values)


def _look(
    profile: ColumnProfile,
    column: tuple[Values, Codes],
    whose: Ints,
    plan: Plan | None,
    proposed: RoleGuess,
) -> ColumnLook:
    values, codes = column
    n = _each_once(codes, whose, len(values))
    missing = int(n[values.index(None)]) if None in values else 0
    planned = None if plan is None else plan.columns.get(profile.name)
    order = np.lexsort((np.arange(len(n)), -n))[:TOP]
    numbers = _numbers(values) if profile.numbers else None
    kind = "numbers" if numbers is not None else "dates" if profile.dates else "text"
    return ColumnLook(
        name=profile.name,
        kind=kind,
        role=proposed.role if planned is None else planned.role,
        because=proposed.because if planned is None else "the plan says so",
        sure=proposed.sure if planned is None else True,
        hierarchy=proposed.hierarchy if planned is None else None,
        distinct=len(values) - (None in values),
        missing=missing,
        top=tuple(Count(values[i], int(n[i])) for i in order.tolist()),
        histogram=() if numbers is None else _histogram(numbers, n),
        singled_out=0.0,
    )


def _each_once(codes: Codes, whose: Ints, size: int) -> Ints:
    """People who have each value."""
    pairs = np.unique(whose * size + codes)
    return np.bincount(pairs % size, minlength=size).astype(np.int64)


def _numbers(values: Values) -> list[float | None] | None:
    """The values as numbers; None where one of them is none."""
    found: list[float | None] = []
    for value in values:
        number = None if value is None else parse(value)
        if value is not None and number is None:
            return None
        found.append(None if number is None else float(number[0]) * 10.0 ** number[1])
    return found if any(number is not None for number in found) else None


def _histogram(numbers: list[float | None], n: Ints) -> tuple[Interval, ...]:
    """People by number, in intervals of a width one can read."""
    there = [i for i, number in enumerate(numbers) if number is not None]
    places = np.array([numbers[i] for i in there], np.float64)
    low, high = float(places.min()), float(places.max())
    if low == high or not np.isfinite(high - low):
        return ()
    step = _nice((high - low) / BINS)
    first = np.floor(low / step)
    edges = (first + np.arange(int(np.floor(high / step) - first) + 2)) * step
    counts, _ = np.histogram(places, bins=edges, weights=n[there])
    return tuple(
        Interval(float(a), float(b), int(count))
        for a, b, count in zip(edges[:-1], edges[1:], counts, strict=True)
    )


def _nice(step: float) -> float:
    """The least of 1, 2, 5, 10, ... times a power of ten that is not below.

    >>> _nice(3.65), _nice(0.3), _nice(70)
    (5.0, 0.5, 100.0)
    """
    power = 10.0 ** np.floor(np.log10(step))
    return float(next(power * nice for nice in (1, 2, 5, 10) if power * nice >= step * (1 - 1e-9)))
