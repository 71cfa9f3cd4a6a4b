"""A tally as one SQL statement: rows filtered, put into cells, bounded for each person, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

import pyarrow as pa

from hedgerow.base.conditions import And, Compared, Condition, Missing, Not, Number, OneOf, Or
from hedgerow.engines.base import Table
from hedgerow.engines.column_sql import TypedColumn
from hedgerow.engines.session import literal
from hedgerow.engines.tally import AsFound, Cells, Listed, Spaced, Summed, Tally

Columns = Mapping[str, TypedColumn]

HELD = 2**62
"""Sums are held to this, either way, where they leave the engine."""


@dataclass(frozen=True)
class Statement:
    """What to run, and the tables it looks into."""

    sql: str
    lists: dict[str, Table]


def statement(tally: Tally, columns: Columns, *, person: str | None) -> Statement:
    """The SQL of a tally over the view `source`.

    Each row becomes r0, r1, ... (the number of a cell, or a value that stands for one) and
    v0, v1, ... (what it adds). Values become cells late: without a person, after counting.
    Numbers are written plainly, whatever their type, which may hang on somebody else's value.

    Args:
        tally: The question.
        columns: Every column of the tally, and the person's.
        person: The column that says whose row it is; None: each row is a person.
    """
    columns = {name: replace(column, plain=True) for name, column in columns.items()}
    raw = [f"r{i}" for i in range(len(tally.by))]
    keys = [f"k{i}" for i in range(len(tally.by))]
    values = [f"v{i}" for i in range(len(tally.sums))]
    sums = [f"s{i}" for i in range(len(tally.sums))]
    wanted = [
        *(f"{valued(cells, columns)} AS {r}" for cells, r in zip(tally.by, raw, strict=True)),
        *(f"{added(summed, columns)} AS {v}" for summed, v in zip(tally.sums, values, strict=True)),
    ]
    kept = _kept(tally, columns)
    totals = ["count(*) AS n", *map(_total, values, sums)]
    if person is None:
        rows = _select(wanted or ["1 AS one"], "source", kept)
        sql = _celled(tally, _select([*raw, *totals], f"({rows})", group=raw), ["n", *sums])
    else:
        owner = columns[person]
        kept = [*kept, f"{owner.value} IS NOT NULL"]
        rows = _select([f"{owner.same} AS p", *wanted], "source", kept)
        if tally.count == "people":
            rows = f"SELECT DISTINCT * FROM ({rows})"
        bounded = _bounded(tally, _celled(tally, rows, ["p", *values]), [*keys, *values])
        sql = _select([*keys, *totals], f"({bounded})", group=keys)
    if keys:
        sql += f" ORDER BY {', '.join(f'{key} NULLS FIRST' for key in keys)}"
    lists = {
        f"listed{i}": listed(columns[cells.column], cells.values)
        for i, cells in enumerate(tally.by)
        if isinstance(cells, Listed)
    }
    return Statement(sql, lists)


def filtered(condition: Condition, columns: Columns) -> str:
    """SQL of a filter: true where it holds; false or NULL where it does not.

    Of parts joined by AND and OR, NULL makes no more true than false would, so only NOT has to
    know that the two are the same.
    """
    match condition:
        case Compared(name, order, constant):
            if isinstance(constant, Number):
                return columns[name].beside(order, constant.value)
            column = columns[name]
            return f"{column.text} {order} {literal(column.constant(constant))}"
        case OneOf(name, constants):
            numbers = [c.value for c in constants if isinstance(c, Number)]
            texts = [literal(columns[name].constant(c)) for c in constants if isinstance(c, str)]
            ways = [columns[name].among(numbers)] if numbers else []
            ways += [f"{columns[name].text} IN ({', '.join(texts)})"] if texts else []
            return f"({' OR '.join(ways)})"
        case Missing(name):
            return f"{columns[name].value} IS NULL"
        case Not(part):
            return f"(({filtered(part, columns)}) IS NOT TRUE)"
        case And(parts):
            return f"({' AND '.join(filtered(part, columns) for part in parts)})"
        case Or(parts):
            return f"({' OR '.join(filtered(part, columns) for part in parts)})"


def _kept(tally: Tally, columns: Columns) -> list[str]:
    """What must be true of a row that counts, but for lists, which `_celled` looks into."""
    where = [] if tally.where is None else [filtered(tally.where, columns)]
    numbers = [cells.column for cells in tally.by if isinstance(cells, Spaced)]
    numbers += [summed.column for summed in tally.sums]
    return where + [columns[name].finite for name in dict.fromkeys(numbers)]


def valued(cells: Cells, columns: Columns) -> str:
    """SQL of the number of a row's cell, or of a value that stands for it."""
    column = columns[cells.column]
    if isinstance(cells, Spaced):
        return f"({column.steps(cells.low, cells.step, cells.cells)})::INTEGER"
    return column.same


def added(summed: Summed, columns: Columns) -> str:
    """SQL of what a row adds; only where its number is finite."""
    # Rounding halves up is counting the halves passed.
    term = columns[summed.column].steps(
        (summed.low - Fraction(1, 2)) * summed.unit,
        summed.unit,
        summed.high - summed.low + 1,
        plus=summed.low - summed.centre,
    )
    return f"({term}) * ({term})" if summed.power == 2 else term


def _celled(tally: Tally, relation: str, others: Sequence[str]) -> str:
    """SQL that makes r0, r1, ... of a relation the cells k0, k1, ...; values on no list go."""
    cells, joins = [], []
    for i, asked in enumerate(tally.by):
        match asked:
            case Listed():
                cells.append(f"listed{i}.k AS k{i}")
                joins.append(f" JOIN listed{i} ON r{i}::VARCHAR IS NOT DISTINCT FROM listed{i}.t")
            case AsFound():
                cells.append(f"r{i}::VARCHAR AS k{i}")
            case Spaced():
                cells.append(f"r{i} AS k{i}")
    return _select([*cells, *others], f"({relation}) AS found{''.join(joins)}")


def _bounded(tally: Tally, relation: str, relevant: Sequence[str]) -> str:
    """SQL that leaves at most `most` lines of each person p.

    They are taken in an order that looks at the person and that person's line only, and at all
    of the line: lines that remain equal are the same line to whoever counts them.
    """
    public = [cells.cells for cells in tally.by if not isinstance(cells, AsFound)]
    if tally.count == "people" and len(public) == len(tally.by) and prod(public) <= tally.most:
        return relation
    order = ""
    if relevant:
        mixed = f"md5(concat_ws(chr(31), p, {', '.join(relevant)}))"
        order = f" ORDER BY {', '.join([mixed, *relevant])}"
    return (
        f"SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY p{order}) AS place "
        f"FROM ({relation})) WHERE place <= {min(tally.most, HELD)}"
    )


def _total(value: str, name: str) -> str:
    """SQL of a sum; DuckDB adds in 128 bits. Its `greatest` of NULL and a number is the number."""
    return f"least(greatest(coalesce(sum({value}::BIGINT), 0), {-HELD}), {HELD})::BIGINT AS {name}"


def listed(column: TypedColumn, values: Sequence[str | None]) -> Table:
    """Values and their places; a value that no table can hold is in no row."""
    places = {
        value if value is None else column.constant(value): i
        for i, value in reversed(list(enumerate(values)))
        if _encodable(value)
    }
    return pa.table(
        {"t": pa.array(list(places), pa.string()), "k": pa.array(places.values(), pa.int32())}
    )


def _encodable(value: str | None) -> bool:
    try:
        (value or "").encode()
    except UnicodeEncodeError:
        return False
    return True


def _select(
    wanted: Sequence[str], relation: str, kept: Sequence[str] = (), *, group: Sequence[str] = ()
) -> str:
    where = f" WHERE {' AND '.join(kept)}" if kept else ""
    by = f" GROUP BY {', '.join(group)}" if group else ""
    return f"SELECT {', '.join(wanted)} FROM {relation}{where}{by}"
