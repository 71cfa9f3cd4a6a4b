"""A tally where the data are: DuckDB says what each distinct value counts, the remote adds up.

For each column that a tally looks at, its distinct values come out; the very SQL that counts
local tables finds for each of them its cell, what it adds and which parts of the filter hold;
and that goes back as a small table to join with. Over there it is all whole numbers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod

from hedgerow.base.conditions import And, Condition, Not, Or
from hedgerow.engines.base import Table
from hedgerow.engines.canonical_text import CanonicalText
from hedgerow.engines.column_sql import TypedColumn
from hedgerow.engines.packed_text import SEPARATOR, key
from hedgerow.engines.remote import Dialect, Kind, Remote
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.tally import AsFound, Listed, Spaced, Tally
from hedgerow.engines.tally_sql import HELD, added, filtered, listed, valued

RAW = "raw"
"""A value's text as the remote writes it, in the session."""


@dataclass
class _Lookup:
    """What is found out about the values of one column."""

    column: TypedColumn
    wanted: dict[str, tuple[str, Kind]] = field(default_factory=dict)
    """Name -> DuckDB's SQL over the value, and what it is."""
    kept: list[str] = field(default_factory=list)
    """What must hold of a value; rows with others are left out."""
    joins: list[str] = field(default_factory=list)
    lists: dict[str, Table] = field(default_factory=dict)


def remote_tally(
    tally: Tally, remote: Remote, session: DuckDBSession, texts: CanonicalText, person: str | None
) -> Table:
    """The answer of `Engine.tally`."""
    lookups = {name: _Lookup(replace(texts.typed(name, "c"), plain=True)) for name in tally.columns}
    where = _looked_up(tally, lookups)
    owner = None
    if person is not None:
        column = replace(texts.typed(person, "c"), plain=True)
        if texts.column(person).faithful and not column.shortened:
            missing = map(column.constant, column.null)
            owner = texts.without_null(texts.column(person).text, missing)
        else:
            mine = lookups.setdefault(person, _Lookup(column))
            mine.wanted["p"] = (column.text, "text")
    joins: list[str] = []
    known: dict[str, str] = {}
    for i, (name, lookup) in enumerate(lookups.items()):
        pushed = _pushed(f"looked{i}", lookup, remote, session, texts.values(name))
        raw_key = key(texts.column(name).text)
        joins.append(f" JOIN {pushed} AS l{i} ON l{i}.t = {raw_key}")
        known |= {wanted: f"l{i}.{wanted}" for wanted in lookup.wanted}
    keys = [f"k{i}" for i in range(len(tally.by))]
    values = [f"v{i}" for i in range(len(tally.sums))]
    wanted = [f"{known[name]} AS {name}" for name in [*keys, *values]]
    kept = [] if where is None else [_condition(where, known)]
    if person is not None:
        owner = owner or known["p"]
        wanted.insert(0, f"{owner} AS p")
        kept.append(f"{owner} IS NOT NULL")
    only = f" WHERE {' AND '.join(kept)}" if kept else ""
    rows = f"SELECT {', '.join(wanted or ['1 AS one'])} FROM {remote.source} AS source"
    rows += "".join(joins) + only
    if person is not None:
        if tally.count == "people":
            rows = f"SELECT DISTINCT {', '.join(['p', *keys])} FROM ({rows}) AS x"
        rows = _bounded(tally, rows, keys, values, remote.dialect)
    totals = [_total(remote.dialect, v, f"s{i}") for i, v in enumerate(values)]
    by = f" GROUP BY {', '.join(keys)}" if keys else ""
    sql = f"SELECT {', '.join([*keys, 'count(*) AS n', *totals])} FROM ({rows}) AS y{by}"
    found: dict[str, Kind] = {
        k: "text" if isinstance(cells, AsFound) else "bigint"
        for k, cells in zip(keys, tally.by, strict=True)
    }
    sums: dict[str, Kind] = {f"s{i}": "bigint" for i in range(len(values))}
    remote.pull(sql, session, "tallied", {**found, "n": "bigint", **sums})
    shown = [k if kind == "text" else f"{k}::INTEGER AS {k}" for k, kind in found.items()]
    order = f" ORDER BY {', '.join(f'{k} NULLS FIRST' for k in keys)}" if keys else ""
    return session.table(f"SELECT {', '.join([*shown, 'n', *sums])} FROM tallied{order}")


def _looked_up(tally: Tally, lookups: dict[str, _Lookup]) -> Condition | None:
    """Fill the lookups; the filter is left with what has to be known of each row."""
    columns = {name: lookup.column for name, lookup in lookups.items()}
    for i, cells in enumerate(tally.by):
        lookup = lookups[cells.column]
        match cells:
            case Listed():
                lookup.lists[f"listed{i}"] = listed(lookup.column, cells.values)
                lookup.joins.append(
                    f" JOIN listed{i} ON {lookup.column.text} IS NOT DISTINCT FROM listed{i}.t"
                )
                lookup.wanted[f"k{i}"] = (f"listed{i}.k", "bigint")
            case AsFound():
                lookup.wanted[f"k{i}"] = (lookup.column.text, "text")
            case Spaced():
                lookup.kept.append(lookup.column.finite)
                lookup.wanted[f"k{i}"] = (_finite(lookup, valued(cells, columns)), "bigint")
    for i, summed in enumerate(tally.sums):
        lookup = lookups[summed.column]
        lookup.kept.append(lookup.column.finite)
        lookup.wanted[f"v{i}"] = (_finite(lookup, added(summed, columns)), "bigint")
    if tally.where is None:
        return None
    for place, part in enumerate(_parts(tally.where)):
        sql = f"(({filtered(part, columns)}) IS TRUE)"
        lookups[part.columns[0]].wanted[f"f{place}"] = (sql, "boolean")
    return tally.where


def _finite(lookup: _Lookup, sql: str) -> str:
    return f"(CASE WHEN {lookup.column.finite} THEN {sql} END)::BIGINT"


def _pushed(name: str, lookup: _Lookup, remote: Remote, session: DuckDBSession, values: str) -> str:
    wanted = [f"{sql} AS {column}" for column, (sql, _) in lookup.wanted.items()]
    kept = f" WHERE {' AND '.join(dict.fromkeys(lookup.kept))}" if lookup.kept else ""
    with contextlib.ExitStack() as held:
        for table, content in lookup.lists.items():
            held.enter_context(session.holding(table, content))
        return remote.push(
            name,
            session,
            f"SELECT {', '.join([f'{key(RAW)} AS t', *wanted])} FROM "
            f"(SELECT t AS {RAW}, c FROM {values} UNION ALL SELECT NULL, NULL) AS found"
            f"{''.join(lookup.joins)}{kept}",
            {"t": "text", **{column: kind for column, (_, kind) in lookup.wanted.items()}},
        )


def _parts(condition: Condition) -> list[Condition]:
    """The largest parts of a filter that look at one column, each once."""
    if len(condition.columns) == 1:
        return [condition]
    match condition:
        case Not(part):
            return _parts(part)
        case And(parts) | Or(parts):
            return list(dict.fromkeys(found for part in parts for found in _parts(part)))
    raise AssertionError(condition)


def _condition(where: Condition, known: dict[str, str]) -> str:
    """The remote's SQL of a filter, of which the parts are true or false and never NULL."""
    place = {part: known[f"f{i}"] for i, part in enumerate(_parts(where))}

    def spelled(condition: Condition) -> str:
        if condition in place:
            return place[condition]
        match condition:
            case Not(part):
                return f"(NOT {spelled(part)})"
            case And(parts):
                return f"({' AND '.join(map(spelled, parts))})"
            case Or(parts):
                return f"({' OR '.join(map(spelled, parts))})"
        raise AssertionError(condition)

    return spelled(where)


def _bounded(
    tally: Tally, relation: str, keys: Sequence[str], values: Sequence[str], dialect: Dialect
) -> str:
    """SQL that leaves at most `most` lines of each person, the same as DuckDB leaves."""
    public = [cells.cells for cells in tally.by if not isinstance(cells, AsFound)]
    if tally.count == "people" and len(public) == len(tally.by) and prod(public) <= tally.most:
        return relation
    relevant = [*keys, *values]
    found = {k for k, cells in zip(keys, tally.by, strict=True) if isinstance(cells, AsFound)}
    order = "p"
    if relevant:
        texts = [k if k in found else f"CAST({k} AS {dialect.text})" for k in relevant]
        mixed = dialect.md5(f"concat_ws({SEPARATOR}, p, {', '.join(texts)})")
        ordered = [dialect.bytewise(mixed)]
        ordered += [dialect.bytewise(k) if k in found else k for k in relevant]
        order = ", ".join(f"{sql} NULLS LAST" for sql in ordered)
    return (
        f"SELECT * FROM (SELECT x.*, row_number() OVER (PARTITION BY p ORDER BY {order}) AS place "
        f"FROM ({relation}) AS x) AS ranked WHERE place <= {min(tally.most, HELD)}"
    )


def _total(dialect: Dialect, value: str, name: str) -> str:
    total = f"coalesce({dialect.total(value)}, 0)"
    return f"CAST(least(greatest({total}, {-HELD}), {HELD}) AS bigint) AS {name}"
