"""What attackers know, read from files and tables: priors, and lists of people."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from hedgerow.base.errors import DataError, nearest, some
from hedgerow.base.problems import short
from hedgerow.base.spelling_classes import alike, taken_for
from hedgerow.claims.adversary import Known
from hedgerow.claims.priors import Prior, Value
from hedgerow.engines import open_engine
from hedgerow.engines.base import Engine

COUNT = "count"
"""In a file of two columns, the one with this name counts people."""
MOST_DIGITS = 15
"""Of a number of people."""
MOST_VALUES = 1000
"""How many counts are looked at to see whether they are some."""


def read_prior(
    source: Any, *, column: str, count: str | None = None, null: Sequence[str] = ()
) -> Prior:
    """A prior from people counted elsewhere.

    Args:
        source: A data file, or a pyarrow, pandas or polars table.
        column: Has the sensitive value of each person, or of each line of counts.
        count: Has the number of people with the value, where a line is not one person. A file
            with just two columns, `column` and "count", is read that way without being told.
        null: Texts that mean missing.

    Raises:
        DataError: There is no such column, or a count is no whole number.
    """
    with open_engine(source, null=null) as engine:
        columns = engine.columns()
        if column not in columns:
            raise _no_column(engine, column, source)
        if count is None and set(columns) == {column, COUNT} and column != COUNT:
            count = COUNT
        if count is None:
            return Prior.counts(_people(engine, column, source))
        if count not in columns:
            raise _no_column(engine, count, source)
        return Prior.counts(_counts(engine, column, count, source))


def read_known(source: Any, *, by: str, null: Sequence[str] = ()) -> Known:
    """The people whose records an attacker holds: a file or table with a line a person.

    Raises:
        DataError: There is no such column, or it is empty somewhere.
    """
    with open_engine(source, null=null) as engine:
        if by not in engine.columns():
            raise _no_column(engine, by, source)
        people = engine.distinct(by)
    if None in people or not people:
        raise DataError(
            f"has no value in {by!r} for some people" if people else "lists nobody",
            where=_place(source),
            fix="Say who each of them is.",
        )
    # The engine's order differs from run to run; equal files must make equal claims.
    return Known(by=by, people=tuple(sorted(who for who in people if who is not None)))


def refuse_misspelt(
    prior: Prior,
    values: Sequence[Value],
    *,
    where: str | None,
    distinct: Collection[str] = (),
) -> None:
    """Refuse a prior whose values are spelled unlike the table's.

    An attacker who saw it would know better, and believe more than we reckon. `verify` refuses
    what is refused here.

    Args:
        prior: The prior.
        values: The table's, as they are published.
        where: Where the plan has it.
        distinct: Values that the plan says differ.

    Raises:
        DataError: Names the values.
    """
    if prior.kind not in ("counts", "shape"):
        return
    theirs = [value for value, _ in prior.weights]
    present = set(values)
    new = {value: None for value in theirs if value not in present}
    pairs = [(near[0], value) for value in new if (near := taken_for(value, values, distinct))]
    # Among those that the table lacks, too: which of them somebody believed in, nobody can say.
    pairs += [pair for pair in alike(new) if pair not in pairs]
    if pairs:
        raise DataError(
            "the prior spells values otherwise than the table: "
            + "; ".join(some(pair) for pair in pairs[:3]),
            where=where,
            fix="Give each value the table's spelling in the prior.",
        )
    if theirs and len(new) == len(theirs):
        raise DataError(
            f"the prior has no value in common with the table: {some(theirs)} against "
            f"{some(values)}",
            where=where,
            fix="Is it about the same column?",
        )


def _people(engine: Engine, column: str, source: Any) -> dict[Value, int]:
    counted = engine.counts([column])
    if not counted.num_rows:
        raise DataError("has no rows", where=_place(source), fix="Give a prior with people in it.")
    people = dict(zip(counted["q0"].to_pylist(), counted["n"].to_pylist(), strict=True))
    if set(people.values()) == {1}:
        _refuse_counts(engine, column, source)
    return _in_order(people)


def _refuse_counts(engine: Engine, column: str, source: Any) -> None:
    """A file with a number beside each value, which stands once, counts people by value.

    Taken for a line a person it would make an attacker of a handful of people.
    """
    others = [name for name in engine.columns() if name != column]
    if len(others) != 1:
        return
    beside = engine.distinct(others[0], limit=MOST_VALUES)
    if all(_whole(text) is not None for text in beside):
        raise DataError(
            f"{others[0]!r} looks like the number of people with each {column!r}, and nothing "
            "says so",
            where=_place(source),
            fix=f"Say that {others[0]!r} is the count; or, where a line is one person, leave the "
            "column out.",
        )


def _counts(engine: Engine, column: str, count: str, source: Any) -> dict[Value, int]:
    """Values may stand in several lines (by year, by ward); their counts add up."""
    counted = engine.counts([column, count])
    totals: dict[Value, int] = {}
    lines = zip(*(counted[name].to_pylist() for name in ("q0", "q1", "n")), strict=True)
    for value, text, times in lines:
        number = _whole(text)
        if number is None:
            raise DataError(
                f"{count!r} of {value!r} is {short(text)}, not a whole number of people",
                where=_place(source),
                fix="Give counts of people; a prior of shares is written as a shape.",
            )
        totals[value] = totals.get(value, 0) + number * times
    if not totals:
        raise DataError("has no rows", where=_place(source), fix="Give a prior with people in it.")
    return _in_order(totals)


def _in_order(people: dict[Value, int]) -> dict[Value, int]:
    """The same for the same file, however the engine came upon its values."""
    return dict(sorted(people.items(), key=lambda item: (item[0] is None, item[0] or "")))


def _whole(text: Value) -> int | None:
    """A number of people. Spreadsheets and frames with gaps write whole numbers as 12.0."""
    digits = "" if text is None else text.strip().removesuffix(".0")
    right = digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS
    return int(digits) if right else None


def _no_column(engine: Engine, column: str, source: Any) -> DataError:
    columns = engine.columns()
    near = nearest(column, columns)
    return DataError(
        f"there is no column {column!r}",
        where=_place(source),
        fix=f"Did you mean {near!r}?" if near else f"It has {some(columns)}.",
    )


def _place(source: Any) -> str:
    return str(source) if isinstance(source, str) or hasattr(source, "__fspath__") else "the table"
