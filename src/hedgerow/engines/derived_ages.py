"""Ages at an event: columns of whole years between two dates, of which a plan says the columns.

An age is counted row by row where the rows are, from the texts of both dates, in SQL that all
engines share. It is missing where one of the dates is. Whoever was born on 29 February becomes a
year older on 1 March where there is no such day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hedgerow.base.errors import DataError, some
from hedgerow.engines.formats.base import SourceView, unclashing
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.source_values import missing_text, require_columns

Ages = Mapping[str, tuple[str, str]]
"""By column that is added: the column of the date of birth, and that of the date of the event."""
KIND = "BIGINT"
"""DuckDB's type of an age."""
FORM = "[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9])?"
"""How a day or a time begins, in the characters that are looked at."""
LOOKED_AT = 12


def age(born: str, at: str) -> str:
    """SQL of whole years between two days, given as SQL of texts; NULL where one is NULL."""
    years = " - ".join(f"CAST(substr({day}, 1, 4) AS BIGINT)" for day in (at, born))
    early = f"CASE WHEN substr({at}, 6, 5) < substr({born}, 6, 5) THEN 1 ELSE 0 END"
    # Only where both are there: an engine may not cast what it does not need.
    there = f"{born} IS NOT NULL AND {at} IS NOT NULL"
    return f"(CASE WHEN {there} THEN {years} - {early} END)"


def beginning(text: str) -> str:
    """SQL of the part of a text that says whether it is a day."""
    return f"substr({text}, 1, {LOOKED_AT})"


def is_no_day(text: str) -> str:
    """SQL of the session of whether the beginning of a text that is there is no day."""
    day = f"try_cast(substr({text}, 1, 10) AS DATE)"
    return f"NOT (regexp_full_match({text}, '{FORM}') AND {day} IS NOT NULL)"


def require_ages(ages: Ages, names: Sequence[str], where: str) -> None:
    """Stop where an age is of columns that the source does not have, or has a name of one.

    Raises:
        DataError: It is.
    """
    require_columns((name for both in ages.values() for name in both), names, where)
    taken = {name.casefold() for name in names}
    if clash := [name for name in ages if name.casefold() in taken]:
        raise DataError(
            f"`read` adds an age called {clash[0]!r}, and the table has such a column",
            where=where,
            fix="Give the age another name under `ages`, and under `columns`.",
        )
    unclashing([*names, *ages], where)


def refuse_strange(name: str, age_of: str, texts: Iterable[str], where: str) -> None:
    """Stop where texts of a column are no days.

    Raises:
        DataError: There are some.
    """
    if strange := list(texts):
        raise DataError(
            f"{age_of!r} is the age between two dates, and {name!r} has values that are no dates: "
            f"{some(strange)}",
            where=where,
            fix=f"Say under `read` how its dates are written, such as dates: {{{name}: dmy}}; or "
            f"that these mean missing: missing: {{{name}: [...]}}.",
        )


def refuse_unborn(age_of: str, both: tuple[str, str], rows: int, where: str) -> None:
    """Stop where somebody was born after the event.

    Raises:
        DataError: Somebody was.
    """
    if rows:
        born, at = both
        raise DataError(
            f"in {rows:,} rows {at!r} is before {born!r}, so {age_of!r} would be negative",
            where=where,
            fix="Correct these dates, or leave one of the two empty: then there is no age.",
        )


def with_ages(
    session: DuckDBSession, view: SourceView, ages: Ages, null: Sequence[str]
) -> SourceView:
    """The view with a column more for each age.

    Raises:
        DataError: A column is not there, or holds what is no date, or dates are the wrong way
            round.
    """
    where = session.where
    require_ages(ages, view.names, where)
    place = {name: f"c{i}" for i, name in enumerate(view.names)}

    def text(name: str) -> str:
        found = f"{place[name]}::VARCHAR"
        return f"(CASE WHEN {missing_text(found, null)} THEN NULL ELSE {found} END)"

    sql = {name: age(text(born), text(at)) for name, (born, at) in ages.items()}
    for name, both in ages.items():
        for one in both:
            rows = session.fetch(
                f"SELECT DISTINCT t FROM (SELECT {text(one)} AS t FROM source) "
                f"WHERE t IS NOT NULL AND {is_no_day(beginning('t'))} ORDER BY t LIMIT 11"
            )
            refuse_strange(one, name, (str(row[0]) for row in rows), where)
        unborn = session.number(f"SELECT count(*) FROM source WHERE {sql[name]} < 0")
        refuse_unborn(name, both, unborn, where)
    session.do("ALTER VIEW source RENAME TO without_ages")
    added = (f"{sql[name]} AS c{len(place) + i}" for i, name in enumerate(ages))
    session.do(f"CREATE TEMP VIEW source AS SELECT *, {', '.join(added)} FROM without_ages")
    names, types = (*view.names, *ages), (*view.types, *(KIND for _ in ages))
    return replace(view, names=names, types=types, arrow=None)
