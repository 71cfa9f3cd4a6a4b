"""Columns whose numbers or dates are written as a plan says, in the view `source`.

What a plan says of one column holds for every value of it: one that is written otherwise stops
the reading, with its line, because it could be taken for another number. What a plan says of all
columns holds for those in which it fits every value; the others stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from hedgerow.base.errors import DataError, nearest, some
from hedgerow.engines.file_look import UnreadableValues
from hedgerow.engines.formats.base import SourceView
from hedgerow.engines.session import DuckDBSession, literal
from hedgerow.engines.source_form import ASK, SourceForm, of_column
from hedgerow.engines.value_forms import IN_WORDS, day, number

EXAMPLES = 5
"""Unreadable values that are shown of a column."""
_SIGN = {",": "comma", ".": "point"}


@dataclass(frozen=True)
class ValueForm:
    """How the numbers or the dates of a column are written."""

    order: str | None = None
    """Of dates."""
    decimal: str = "."
    thousands: str | None = None

    def sql(self, text: str) -> str:
        """SQL of the text in which a value is counted; NULL where it is not so written."""
        if self.order is not None:
            return day(text, self.order)
        return number(text, self.decimal, self.thousands)

    @property
    def in_words(self) -> str:
        if self.order is not None:
            return IN_WORDS[self.order]
        usual = {self.decimal, self.thousands} == {".", ","}
        more = "" if usual else f" and {self.thousands!r} between thousands"
        return f"a number with a decimal {_SIGN[self.decimal]}{more}"


def require_columns(said: Iterable[str], names: Sequence[str], where: str) -> None:
    """Stop where something is said of a column that the source does not have.

    Raises:
        DataError: There is no such column.
    """
    for name in said:
        if name not in names:
            near = nearest(name, names)
            raise DataError(
                f"`read` says something of a column {name!r}, which there is not",
                where=where,
                fix=f"Did you mean {near!r}?" if near else f"There are {some(names)}.",
            )


def forms_of(form: SourceForm, names: Sequence[str], where: str) -> dict[str, ValueForm]:
    """The columns of which something is said by name, and what.

    Raises:
        DataError: There is no such column, or two things are said of one.
    """
    said: dict[str, dict[str, str]] = {}
    for key in ("dates", "decimal", "thousands"):
        by = getattr(form, key)
        by = by if isinstance(by, Mapping) else {}
        require_columns(by, names, where)
        for name, value in by.items():
            if value != ASK:
                said.setdefault(name, {})[key] = value
    for name, found in said.items():
        if len(found) > 1 and "dates" in found:
            raise DataError(
                f"`read` says of column {name!r} that it has dates, and how its numbers are "
                "written",
                where=where,
                fix="Say one of the two.",
            )
    return {name: _form(found, form, name) for name, found in said.items()}


def _form(said: Mapping[str, str], form: SourceForm, name: str) -> ValueForm:
    if "dates" in said:
        return ValueForm(said["dates"])
    whole = {key: of_column(getattr(form, key), name) for key in ("decimal", "thousands")}
    return _of_numbers(whole["decimal"], whole["thousands"])


def _of_numbers(decimal: str | None, thousands: str | None) -> ValueForm:
    """Where one of point and comma is the decimal sign, the other can only be between thousands."""
    decimal = decimal or ("," if thousands == "." else ".")
    return ValueForm(None, decimal, thousands or {",": ".", ".": ","}[decimal])


def _of_all(form: SourceForm) -> Iterator[ValueForm]:
    """What is said of all columns."""
    if isinstance(form.dates, str) and form.dates != ASK:
        yield ValueForm(form.dates)
    decimal, thousands = (
        one if isinstance(one, str) and one != ASK else None
        for one in (form.decimal, form.thousands)
    )
    if decimal is not None or thousands is not None:
        yield _of_numbers(decimal, thousands)


def with_values(
    session: DuckDBSession, view: SourceView, form: SourceForm, null: Sequence[str]
) -> SourceView:
    """The view with the values as they are counted.

    Raises:
        DataError: A value of a column is not as the plan says of that column.
    """
    by_name = forms_of(form, view.names, session.where)
    chosen: dict[int, ValueForm] = {}
    tried: list[tuple[int, ValueForm]] = []
    for i, (name, kind) in enumerate(zip(view.names, view.types, strict=True)):
        if name in by_name:
            chosen[i] = by_name[name]
            _refuse_type(name, kind, by_name[name], session.where)
        elif kind == "VARCHAR":
            tried += [(i, one) for one in _of_all(form)]
    both = [*chosen.items(), *tried]
    counts = dict(zip(both, fits(session, both, null), strict=True))
    wrong = [
        found
        for i, one in chosen.items()
        if counts[i, one].wrong
        if (found := unreadable(session, view, i, one, null)) is not None
    ]
    if wrong:
        raise DataError(
            "; ".join(map(str, wrong)),
            where=session.where,
            fix="Correct these values, list texts that mean missing under `null`, or take the "
            f"column out of `read`, where it says {wrong[0].column!r}: then it is read as text.",
        )
    for i, one in tried:
        if counts[i, one].changed and not counts[i, one].wrong:
            chosen.setdefault(i, one)
    if not chosen:
        return view
    session.do("ALTER VIEW source RENAME TO as_written")
    values = ", ".join(
        _value(f"c{i}", chosen[i], null) + f" AS c{i}" if i in chosen else f"c{i}"
        for i in range(len(view.names))
    )
    session.do(f"CREATE TEMP VIEW source AS SELECT {values} FROM as_written")
    types = tuple("VARCHAR" if i in chosen else kind for i, kind in enumerate(view.types))
    return replace(view, types=types, arrow=None)


def _value(place: str, form: ValueForm, null: Sequence[str]) -> str:
    """SQL of a value as it is counted. A text that means missing is left for whoever looks."""
    text = f"{place}::VARCHAR"
    return f"(CASE WHEN {missing_text(text, null)} THEN {text} ELSE {form.sql(text)} END)"


def missing_text(text: str, null: Sequence[str], quoted: Callable[[str], str] = literal) -> str:
    """SQL of whether a text is of no value: there is none, or it means so.

    Args:
        text: SQL of the text.
        null: Texts that mean missing.
        quoted: Writes a text as SQL.
    """
    listed = ", ".join(map(quoted, dict.fromkeys(null)))
    blank = f"{text} IS NULL OR trim({text}) = ''"
    return f"({blank} OR {text} IN ({listed}))" if null else f"({blank})"


class Fit(NamedTuple):
    """How many values of a column are written in a form."""

    right: int
    wrong: int
    changed: int
    """Of those that are right, how many are not as they are counted already."""


def fits(
    session: DuckDBSession,
    tried: Sequence[tuple[int, ValueForm]],
    null: Sequence[str],
    relation: str = "source",
) -> list[Fit]:
    """How well each form fits the column of that place; the table is read once."""
    if not tried:
        return []
    # Each is worked out once, under a name; written out three times it takes as long to plan again.
    places = sorted({i for i, _ in tried})
    named = [f"c{i}::VARCHAR AS t{i}" for i in places]
    named += [f"NOT {missing_text(f'c{i}::VARCHAR', null)} AS h{i}" for i in places]
    wanted = []
    for j, (i, form) in enumerate(tried):
        named.append(f"{form.sql(f'c{i}::VARCHAR')} AS v{j}")
        wanted += [
            f"count(*) FILTER (h{i} AND v{j} IS NOT NULL)",
            f"count(*) FILTER (h{i} AND v{j} IS NULL)",
            f"count(*) FILTER (h{i} AND v{j} <> t{i})",
        ]
    inner = f"SELECT {', '.join(named)} FROM {relation}"
    found = session.fetch(f"SELECT {', '.join(wanted)} FROM ({inner})")[0]
    return [Fit(*map(int, found[i : i + 3])) for i in range(0, len(found), 3)]


def _refuse_type(name: str, kind: str, form: ValueForm, where: str) -> None:
    whole = kind.endswith("INT") or kind == "INTEGER"
    if kind == "VARCHAR" or (form.order == "yyyymmdd" and whole):
        return
    raise DataError(
        f"`read` says how column {name!r} is written, and the file says itself that it is {kind}",
        where=where,
        fix="Take the column out of `read`.",
    )


def unreadable(
    session: DuckDBSession, view: SourceView, i: int, form: ValueForm, null: Sequence[str]
) -> UnreadableValues | None:
    """The values of a column that are not so written; None where all are."""
    text = f"c{i}::VARCHAR"
    wrong = f"NOT {missing_text(text, null)} AND {form.sql(text)} IS NULL"
    count = session.number(f"SELECT count(*) FROM source WHERE {wrong}")
    if not count:
        return None
    rows = session.fetch(
        f"SELECT n, t FROM (SELECT row_number() OVER () AS n, {text} AS t, c{i} FROM source) "
        f"WHERE NOT {missing_text('t', null)} AND {form.sql('t')} IS NULL "
        f"ORDER BY n LIMIT {EXAMPLES}"
    )
    return UnreadableValues(
        column=view.names[i],
        wanted=form.in_words,
        count=count,
        lines=lines_of(view, [int(n) for n, _ in rows]),
        examples=tuple(str(t) for _, t in rows),
    )


def lines_of(view: SourceView, rows: Sequence[int]) -> tuple[int, ...]:
    """Where rows begin, the first being 1: lines of a file or a sheet, else rows after a header."""
    if view.records is None:
        return tuple(row + 1 + view.about.above for row in rows)
    return view.records.lines(rows)
