"""What a file is like, told from all of it, before a plan says how to read it.

Nothing detected here changes what is read: a person sees it, and the plan says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError
from hedgerow.base.spelling import means_missing
from hedgerow.engines.address import table_place
from hedgerow.engines.csv_detection import accented_texts, csv_form
from hedgerow.engines.file_look import FileLook, ReadQuestion, UnreadableValues
from hedgerow.engines.formats import SourceView, format_of, table_of
from hedgerow.engines.formats.csv import DELIMITERS, default_delimiter
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.source_form import AS_ALWAYS, ASK, SourceForm, of_column
from hedgerow.engines.source_values import (
    Fit,
    ValueForm,
    fits,
    forms_of,
    unreadable,
    with_values,
)
from hedgerow.engines.sources import attach, attaches, described
from hedgerow.engines.title_lines import DETECT, title_notes
from hedgerow.engines.value_forms import MINUS

SAMPLE = 2000
"""Rows that say which forms are worth trying on all."""
SHOWN = 10
"""Rows that are shown."""
FEW_ROWS = 10
"""Rows of a first sheet below which it may hold notes."""
LARGER = 10
"""How many times as many rows another sheet has, if it holds the table."""
NAMIBIA = "NA"
"""A country, and what R writes for a missing value."""
MOSTLY = 0.9
"""Share of a column's values that must be so written before the others are called unreadable."""
_DATE = re.compile(
    r"\s*(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}\.?[ -]?[A-Za-z]{3,9}\.?,?[ -]?\d{4}"
    r"|[A-Za-z]{3,9}\.? \d{1,2},? \d{4})(?![\d.])(?:[ T]+\d{1,2}:\d{2}.*)?\s*"
)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T].*)?")
_EIGHT = re.compile(r"(?:1[89]|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_NUMBER = re.compile(
    rf"\s*[+\-{MINUS}]?(?:\d[\d.,' \u00a0\u202f\u2019]*|[.,]\d+)(?:[eE][+-]?\d+)?\s*"
)
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_GROUPS = re.compile(r"\d{1,3}([.,' \u00a0\u202f\u2019])\d{3}(\1\d{3})+")
"""Three groups of digits or more: an amount in millions, or a telephone number in print."""
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
_NUMBERS = tuple(
    ValueForm(None, decimal, thousands)
    for decimal, thousands in (
        (",", "."),
        (".", ","),
        (",", " "),
        (".", " "),
        (",", "'"),
        (".", "'"),
    )
)


@dataclass(frozen=True)
class _ColumnFound:
    """What was found of a column."""

    form: ValueForm | None = None
    missing: tuple[str, ...] = ()
    unreadable: UnreadableValues | None = None
    question: ReadQuestion | None = None
    note: str | None = None


def look_at_file(
    source: str | Path, *, form: SourceForm | None = None, null: Sequence[str] = ()
) -> FileLook | None:
    """See how a file is written: encoding, delimiter, numbers, dates, and what is not so written.

    Args:
        source: A file, as `open_engine` reads it.
        form: What is known already; it is not questioned.
        null: Texts that mean missing.

    Returns:
        What was detected; None of a table of a database, which says itself what its values are.

    Raises:
        DataError: It cannot be read.
    """
    if table_place(source) is not None:
        return None
    said = form or AS_ALWAYS
    first = _look(source, said, null)
    other = _larger_sheet(source, said, null, first) if said.sheet is None else None
    return first if other is None else other


def _larger_sheet(
    source: str | Path, said: SourceForm, null: Sequence[str], first: FileLook
) -> FileLook | None:
    """Another sheet, where the first one holds notes and the table stands there."""
    if len(first.sheets) < 2 or (len(first.columns) > 1 and first.rows >= FEW_ROWS):
        return None
    found = []
    for name in first.sheets[1:]:
        with suppress(DataError):  # an empty one, or one without names of columns
            found.append(_look(source, replace(said, sheet=name), null))
    best = max(found, key=lambda one: one.rows, default=None)
    if best is None or len(best.columns) < 2 or best.rows < LARGER * max(1, first.rows):
        return None
    note = (
        f"The sheet {best.sheet!r} is read: {first.sheet!r}, the first of {len(first.sheets)}, has "
        f"{first.rows:,} row{'s' * (first.rows != 1)} only."
    )
    return replace(best, notes=(note, *best.notes))


def _look(source: str | Path, said: SourceForm, null: Sequence[str]) -> FileLook:
    """The same of a file, and of the sheet that is said, or the first."""
    path = Path(table_of(str(source))[0])
    kind = format_of(path)
    keys = frozenset() if kind is None else kind.keys
    shown: dict[str, Any] = {}
    titles: tuple[str, ...] = ()
    dialect = said
    if kind is not None and "delimiter" in keys and path.is_file():
        dialect, shown, titles = _csv(path, said, tabs=kind.name == ".tsv")
    session = DuckDBSession(described(source), memory=None, scratch=None, alone=attaches(source))
    with closing(session):
        as_text = replace(dialect, decimal=None, thousands=None, dates=None, ages=None)
        if "sheet" in keys and said.skip is None:
            as_text = replace(as_text, skip=DETECT)
        view = attach(session, source, form=as_text, null=null)
        rows = session.number("SELECT count(*) FROM source")
        if view.records is not None:
            view.records.require(rows)
        found = _without_countries(session, view, _values(session, view, said, null), null)
        detected = _joined(dialect, found)
        if said.sheet is None and len(view.about.sheets) > 1:
            detected = replace(detected, sheet=view.about.sheet)
        if view.about.titles:
            detected = replace(detected, skip=view.about.titles)
        if said.labels is None and view.about.labelled:
            detected = replace(detected, labels=dict(view.about.labelled))
        missing = dict.fromkeys(text for one in found.values() for text in one.missing)
        readable = _without(detected, {n for n, one in found.items() if one.unreadable})
        seen = with_values(session, view, readable, [*null, *missing])
        first = session.fetch(
            "SELECT "
            + ", ".join(f"c{i}::VARCHAR" for i in range(len(seen.names)))
            + f" FROM source LIMIT {SHOWN}"
        )

    def by_column(said: object) -> dict[str, str]:
        return dict(said) if isinstance(said, Mapping) else {}

    return FileLook(
        source=str(source),
        format=kind.title if kind is not None else "",
        columns=view.names,
        rows=rows,
        first_rows=tuple(first),
        form=detected,
        sheet=view.about.sheet,
        sheets=view.about.sheets,
        labels=view.about.labels,
        declared=view.about.declared,
        missing=tuple(missing),
        unreadable=tuple(one.unreadable for one in found.values() if one.unreadable),
        questions=tuple(one.question for one in found.values() if one.question),
        notes=(
            *titles,
            *view.about.notes,
            *(one.note for one in found.values() if one.note),
            *(
                f"{name!r} is counted: whole years from {born!r} to {at!r}."
                for name, (born, at) in (said.ages or {}).items()
            ),
        ),
        decimal=by_column(detected.decimal),
        thousands=by_column(detected.thousands),
        dates=by_column(detected.dates),
        **shown,
    )


def _csv(
    file: Path, said: SourceForm, *, tabs: bool
) -> tuple[SourceForm, dict[str, Any], tuple[str, ...]]:
    """What a plan has to say of a CSV file, what is shown of it, and notes."""
    found = csv_form(file, said, tabs=tabs)
    dialect, encoding = found.dialect, found.encoding
    form = replace(
        said,
        encoding=said.encoding or (None if encoding.name == "utf-8" else encoding.name),
        quote=said.quote if said.quote is not None or dialect.quote == '"' else dialect.quote,
        escape=said.escape or ("backslash" if dialect.backslash else None),
        blanks=said.blanks or ("skip" if dialect.skip else None),
        skip=said.skip if said.skip is not None else len(found.titles) or None,
    )
    usual = default_delimiter(file, form, ("\t",) if tabs else DELIMITERS)
    if said.delimiter is None and usual != dialect.delimiter:
        form = replace(form, delimiter=dialect.delimiter)
    accented = () if encoding.name == "utf-8" else accented_texts(file, encoding.name)
    return (
        form,
        {
            "encoding": encoding.name,
            "assumed": encoding.assumed,
            "accented": accented,
            "delimiter": dialect.delimiter,
            "quote": dialect.quote,
            "escape": "backslash" if dialect.backslash else "doubled",
            "blanks": dialect.skip,
        },
        title_notes(found.titles),
    )


def _values(
    session: DuckDBSession, view: SourceView, said: SourceForm, null: Sequence[str]
) -> dict[str, _ColumnFound]:
    """What was found of the columns of text, and whether what is said of columns is so."""
    known = forms_of(said, view.names, session.where)
    places = {name: i for i, name in enumerate(view.names)}
    tried: list[tuple[int, ValueForm]] = [(places[name], one) for name, one in known.items()]
    wanted: dict[str, list[ValueForm]] = {}
    grouped: list[str] = []
    for name, values in _samples(session, view, null):
        if name in known or any(of_column(getattr(said, k), name) == ASK for k in _KEYS):
            continue
        if forms := list(_worth_trying(values, said)):
            wanted[name] = forms
            tried += [(places[name], one) for one in forms]
        elif (points := [v for v in values if "." in v]) and all(map(_GROUPED.fullmatch, points)):
            grouped.append(name)
    counts = dict(zip(tried, fits(session, tried, null), strict=True))
    found = {
        name: _ColumnFound(one, unreadable=unreadable(session, view, places[name], one, null))
        for name, one in known.items()
        if counts[places[name], one].wrong
    }
    for name, forms in wanted.items():
        by_form = {one: counts[places[name], one] for one in forms}
        found[name] = _of_column(session, view, name, by_form, null)
    return _by_others(session, view, found, grouped, null)


_KEYS = ("decimal", "thousands", "dates")


def _samples(
    session: DuckDBSession, view: SourceView, null: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    """The columns of text, each with distinct values of its first rows that mean something."""
    places = [i for i, kind in enumerate(view.types) if kind in ("VARCHAR", "BIGINT", "INTEGER")]
    if not places:
        return
    listed = ", ".join(f"c{i}::VARCHAR AS c{i}" for i in places)
    rows = session.table(f"SELECT {listed} FROM source LIMIT {SAMPLE}")
    for place, column in zip(places, rows.columns, strict=True):
        values = [v for v in column.unique().to_pylist() if v is not None and v.strip()]
        values = [v for v in values if v not in null and not means_missing(v)]
        if values and (view.types[place] == "VARCHAR" or all(map(_EIGHT.fullmatch, values))):
            yield view.names[place], values


def _worth_trying(values: Sequence[str], said: SourceForm) -> Iterator[ValueForm]:
    enough = MOSTLY * len(values)
    if sum(_DATE.fullmatch(value) is not None for value in values) >= enough:
        if all(_ISO.fullmatch(value) for value in values):
            return
        orders = (said.dates,) if isinstance(said.dates, str) else ("ymd", "dmy", "mdy")
        yield from map(ValueForm, orders)
    elif len(values) > 1 and all(map(_EIGHT.fullmatch, values)):
        yield ValueForm("yyyymmdd")
    elif sum(_NUMBER.fullmatch(value) is not None for value in values) >= enough and not all(
        _PLAIN.fullmatch(value.strip()) for value in values
    ):
        if _codes(values):
            return
        decimal = said.decimal if isinstance(said.decimal, str) else None
        thousands = said.thousands if isinstance(said.thousands, str) else None
        for one in _NUMBERS:
            if decimal in (None, one.decimal) and thousands in (None, one.thousands):
                yield one


def _codes(values: Sequence[str]) -> bool:
    """Whether digits stand in groups that say nothing of thousands: 732 829 320, 10.130.200.104.

    Such numbers are all as long, of three groups at least, and few are round.
    """
    bare = [value.strip() for value in values]
    round_ones = sum(value.endswith("00") for value in bare)
    return (
        len({len(value) for value in bare}) == 1
        and all(map(_GROUPS.fullmatch, bare))
        and 2 * round_ones < len(bare)
    )


def _of_column(
    session: DuckDBSession,
    view: SourceView,
    name: str,
    by_form: Mapping[ValueForm, Fit],
    null: Sequence[str],
) -> _ColumnFound:
    """The form of a column: the one that most values have, if all others mean missing."""
    best = max(by_form, key=lambda one: by_form[one].right)
    fit = by_form[best]
    if not fit.right:
        what = "dates" if best.order else "numbers"
        return _ColumnFound(
            note=f"The values of {name} look like {what}, in no form that is known (years need "
            "four digits): they are read as text."
            if best.order
            else None
        )
    if not fit.changed:
        return _ColumnFound()
    i = view.names.index(name)
    others = _others(session, i, best, null) if fit.wrong else []
    missing = tuple(text for text in others if means_missing(text))
    if len(missing) < len(others):
        wrong = unreadable(session, view, i, best, [*null, *missing])
        enough = wrong is not None and fit.right >= MOSTLY * (fit.right + wrong.count)
        return _ColumnFound(unreadable=wrong if enough else None)
    equal = [one for one, other in by_form.items() if other.right == fit.right]
    question = _question(session, name, i, equal, [*null, *missing])
    return _ColumnFound(None if question else best, missing, question=question)


def _others(session: DuckDBSession, i: int, form: ValueForm, null: Sequence[str]) -> list[str]:
    """Distinct values that are not so written."""
    found = session.fetch(
        f"SELECT DISTINCT t FROM (SELECT c{i}::VARCHAR AS t FROM source) WHERE t IS NOT NULL "
        f"AND trim(t) <> '' AND {form.sql('t')} IS NULL ORDER BY t LIMIT 1000"
    )
    return [str(row[0]) for row in found if row[0] not in null]


def _question(
    session: DuckDBSession, name: str, i: int, equal: Sequence[ValueForm], null: Sequence[str]
) -> ReadQuestion | None:
    """What must be asked where several forms fit every value, and do not mean the same."""
    if len(equal) < 2:
        return None
    first, *rest = equal
    text = f"c{i}::VARCHAR"
    for other in rest:
        told = session.fetch(
            f"SELECT t, a, b FROM (SELECT t, {first.sql('t')} AS a, {other.sql('t')} AS b FROM "
            f"(SELECT {text} AS t FROM source)) WHERE a <> b ORDER BY t LIMIT 1"
        )
        if not told:
            continue
        example, one, two = told[0]
        if first.order is not None:
            if "." in example and "/" not in example and "-" not in example:
                continue  # nobody writes points with the month first
            return ReadQuestion(
                key="dates", column=name, choices=(str(first.order), str(other.order)),
                because=f"{example} may be {one} or {two}, and no value decides",
            )  # fmt: skip
        return ReadQuestion(
            key="decimal", column=name, choices=(f'"{first.decimal}"', f'"{other.decimal}"'),
            because=f"{example} may be {one} or {two}, and no value decides",
        )  # fmt: skip
    return None


def _by_others(
    session: DuckDBSession,
    view: SourceView,
    found: dict[str, _ColumnFound],
    grouped: Sequence[str],
    null: Sequence[str],
) -> dict[str, _ColumnFound]:
    """Where a column has decimal commas, `1.234` in another one may be 1234: that is asked too."""
    commas = any(one.form and one.form.order is None and one.form.decimal == ","
                 for one in found.values())  # fmt: skip
    for name in grouped if commas else ():
        i = view.names.index(name)
        comma, point = _NUMBERS[0], _NUMBERS[1]
        fit = fits(session, [(i, comma)], null)[0]
        if fit.changed and not fit.wrong:
            question = _question(session, name, i, [comma, point], null)
            found[name] = _ColumnFound(question=question)
    return found


def _without_countries(
    session: DuckDBSession, view: SourceView, found: dict[str, _ColumnFound], null: Sequence[str]
) -> dict[str, _ColumnFound]:
    """What was found, but NA means missing among no numbers if it may be a country elsewhere.

    What means missing is said of all columns: numbers beside it are then left as text, with a
    message, and nobody loses Namibia.
    """
    names = [name for name, one in found.items() if NAMIBIA in one.missing and one.form]
    places = [
        i for i, (name, kind) in enumerate(zip(view.names, view.types, strict=True))
        if kind == "VARCHAR" and name not in names
    ]  # fmt: skip
    if not names or not places:
        return found
    told = session.fetch("SELECT " + ", ".join(
        f"count(*) FILTER (c{i} = '{NAMIBIA}') > 0 AND "
        f"count(DISTINCT c{i}) FILTER (regexp_full_match(c{i}, '[A-Z][A-Z]')) >= "
        f"greatest(3, count(DISTINCT c{i}) / 2)" for i in places
    ) + " FROM source")[0]  # fmt: skip
    if not any(told):
        return found
    beside = view.names[next(i for i, is_country in zip(places, told, strict=True) if is_country)]
    kept = dict(found)
    for name in names:
        one = kept[name]
        rest = [*null, *(text for text in one.missing if text != NAMIBIA)]
        assert one.form is not None, "only columns with a form are listed"
        wrong = unreadable(session, view, view.names.index(name), one.form, rest)
        kept[name] = _ColumnFound(
            unreadable=wrong,
            note=f"{NAMIBIA} among the values of {name} seems to mean missing, and in {beside} it "
            "may be a country. Write another word for one of the two, or list it under `null`.",
        )
    return kept


def _joined(dialect: SourceForm, found: Mapping[str, _ColumnFound]) -> SourceForm:
    """The form with what was found of columns, beside what is said of them."""
    by: dict[str, dict[str, str]] = {
        key: dict(said) if isinstance(said := getattr(dialect, key), Mapping) else {}
        for key in _KEYS
    }
    whole = {key: said for key in _KEYS if isinstance(said := getattr(dialect, key), str)}
    for name, one in found.items():
        if one.question is not None:
            by[one.question.key].setdefault(name, ASK)
        elif one.form is not None and not one.unreadable:
            if one.form.order is not None:
                by["dates"].setdefault(name, one.form.order)
                continue
            by["decimal"].setdefault(name, one.form.decimal)
            if one.form.thousands in (" ", "'"):
                by["thousands"].setdefault(name, one.form.thousands)
    # What is said of all columns is said of those that it fits.
    decimal, thousands, dates = (by[key] or whole.get(key) for key in _KEYS)
    return replace(dialect, decimal=decimal, thousands=thousands, dates=dates)


def _without(form: SourceForm, names: set[str]) -> SourceForm:
    """The form with nothing said of these columns, so that the others can be shown."""
    decimal, thousands, dates = (
        {n: v for n, v in said.items() if n not in names}
        if isinstance(said := getattr(form, key), Mapping)
        else said
        for key in _KEYS
    )
    return replace(form, decimal=decimal, thousands=thousands, dates=dates)
