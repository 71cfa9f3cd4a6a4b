"""What a table on this machine and one that is somewhere else have in common.

Their columns, what must hold of their people, and releases that counts determine. Of the source
itself nothing is read here but the rows that the session's view `source` shows.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from hedgerow.base.errors import DataError, TargetError, some
from hedgerow.engines.base import SAMPLE, ColumnProfile, Table, TablePlace, Written
from hedgerow.engines.column_sql import TypedColumn
from hedgerow.engines.file_writer import write_ordered
from hedgerow.engines.formats import SourceView
from hedgerow.engines.profile import profiled
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.tally import Tally

LASTING = re.compile(
    r"(BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\)|DATE|TIME|TIMESTAMP"
    r"|TIMESTAMP_(S|MS|NS)|TIMESTAMP WITH TIME ZONE|UUID|BLOB)(\[\])*"
)
"""Types whose values are the same after a Parquet file.

HUGEINT would become DOUBLE, a time with a zone lose the zone, an interval its microseconds; and
an ENUM would bring all its values along, also those nobody in the release has."""


class SessionTable:
    """A table that a session knows by its columns, wherever it is counted.

    Args:
        begin: Begins the session.
        attach: Makes the session's view `source`.
        names: The columns, where they are known without it: then it begins when it is needed.
        null: Texts that mean missing.
        person: The column that says which rows belong to the same person.
    """

    def __init__(
        self,
        begin: Callable[[], DuckDBSession],
        attach: Callable[[DuckDBSession], SourceView],
        *,
        names: tuple[str, ...] | None = None,
        null: Sequence[str],
        person: str | None,
    ) -> None:
        self._begin, self._attach = begin, attach
        self._opened: tuple[DuckDBSession, SourceView] | None = None
        self._opening = Lock()
        self._closed = False
        self._names = names
        self._null = tuple(null)
        self._gathered: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self._held = 0
        self._spelled: dict[str, tuple[tuple[str, str], ...]] = {}
        try:
            self._place = {name: i for i, name in enumerate(self.columns())}
            self._person = person
            if person is not None:
                self._value(person)
        except BaseException:
            self.close()
            raise

    @property
    def _session(self) -> DuckDBSession:
        return self._both[0]

    @property
    def _source(self) -> SourceView:
        return self._both[1]

    @property
    def _both(self) -> tuple[DuckDBSession, SourceView]:
        self._refuse_closed()
        if self._opened is None:
            with self._opening:
                if self._opened is None:
                    self._opened = self._open()
        return self._opened

    def _open(self) -> tuple[DuckDBSession, SourceView]:
        session = self._begin()
        try:
            source = self._attach(session)
            if self._names not in (None, source.names):
                raise DataError(
                    "the columns are others than they were a moment ago",
                    where=session.where,
                    fix="Run this again when nobody writes to it.",
                )
        except BaseException:
            session.close()
            raise
        return session, source

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise DataError("the table was closed", fix="Open it again.")

    def close(self) -> None:
        self._closed = True
        if self._opened is not None:
            self._opened[0].close()

    def ready(self, tallies: Sequence[Tally]) -> None:
        _ = self._both

    @property
    def person(self) -> str | None:
        return self._person

    def columns(self) -> tuple[str, ...]:
        return self._source.names if self._names is None else self._names

    @property
    def files(self) -> tuple[Path, ...]:
        return self._source.files

    def profile(self, *, sample: int = SAMPLE) -> list[ColumnProfile]:
        names = self._source.names
        return profiled(self._session, names, [self._text(name) for name in names], sample)

    def rows(self, columns: Sequence[str], limit: int) -> Table:
        values = ", ".join(self._texts("q", columns))
        table = self._session.table(f"SELECT {values} FROM source LIMIT {int(limit)}")
        return table.rename_columns(list(columns))

    def _column(self, name: str) -> TypedColumn:
        if name not in self._place:
            near = difflib.get_close_matches(name, self.columns(), n=1)
            raise DataError(
                f"there is no column {name!r}",
                where=self._session.where,
                fix=f"Did you mean {near[0]!r}?" if near else f"It has {some(self.columns())}.",
            )
        place = self._place[name]
        spelled = self._spelled.get(name, ())
        return TypedColumn(f"source.c{place}", self._source.types[place], self._null, spelled)

    def respell(self, column: str, texts: Mapping[str, str]) -> None:
        kind = self._column(column).kind
        if texts and not (kind == "VARCHAR" or kind.startswith("ENUM")):
            raise DataError(
                f"column {column!r} is of the type {kind}, so its values cannot be spelled "
                "otherwise",
                where=self._session.where,
                fix="Read it as text.",
            )
        self._spelled[column] = tuple(texts.items())
        self._gathered = None

    def _value(self, name: str) -> str:
        """SQL of a column with its own type, the texts that mean missing made NULL."""
        return self._column(name).value

    def _text(self, name: str) -> str:
        return self._column(name).text

    def _texts(self, letter: str, names: Sequence[str]) -> list[str]:
        return [f"{self._text(name)} AS {letter}{i}" for i, name in enumerate(names)]

    # People

    def _told_apart_by(self, column: str) -> None:
        """See that a list of people names them by a column that tells them apart."""
        if self._person not in (None, column):
            raise DataError(
                f"people are told apart by {self._person!r}, not by {column!r}",
                where=self._session.where,
                fix=f"List people by {self._person!r}.",
            )

    def _all_known(self, column: str, people: Sequence[str], lost: Sequence[str]) -> None:
        if lost:
            raise DataError(
                f"{len(lost):,} of the {len(people):,} people on the list are not in the "
                f"table's column {column!r}: {some(lost)}",
                where=self._session.where,
                fix="List only people of the table, spelled as there.",
            )

    def _all_alone(self, column: str, shared: Sequence[str]) -> None:
        if shared and self._person is None:
            raise DataError(
                f"{column!r} does not tell people apart: {some(shared)} "
                "on the list stands in several rows",
                where=self._session.where,
                fix="List people by a column that is different for everybody; where one person "
                f"has several rows, make it the plan's person: `person: {column}`.",
            )

    def _all_of_somebody(self, lost: int) -> None:
        if lost:
            raise DataError(
                f"{lost:,} {'row has' if lost == 1 else 'rows have'} no value in the "
                f"person column {self._person!r}",
                where=self._session.where,
                fix="Say whose rows they are, or leave them out.",
            )

    def _all_alike(self, differ: Mapping[str, int]) -> None:
        """See that the rows of a person agree, where one of them is kept."""
        found = {name: people for name, people in differ.items() if people}
        if found:
            counted = [
                f"{people:,} {'person' if people == 1 else 'people'} of {name!r}"
                for name, people in found.items()
            ]
            first, people = next(iter(found.items()))
            counted[0] = (
                f"{'1 person has' if people == 1 else f'{people:,} people have'} rows with "
                f"different values of {first!r}"
            )
            raise DataError(
                ", ".join(counted),
                where=self._session.where,
                fix="Add `within_person: most-frequent` (or smallest, largest) to the entry of "
                "each column.",
            )

    def _torn(self, people: int, differ: Sequence[str]) -> DataError:
        return DataError(
            f"{people:,} people have rows that differ in {some(differ)}",
            where=self._session.where,
            fix="Quasi-identifiers must agree within a person: correct them, or choose which "
            "of the values to publish before.",
        )

    def _holding(self) -> str:
        """A name for the tables of a frequency set that is held."""
        if self._person is not None:
            raise DataError(
                "a frequency set with several rows for a person cannot stay in the engine",
                where=self._session.where,
                fix="Make it a table with one row for each person, or let its distinct tuples fit "
                "into memory.",
            )
        self._held += 1
        return f"held{self._held}"

    # Writing

    def write_counted(
        self,
        cells: Table,
        target: Path,
        *,
        columns: Sequence[str],
        keep: Collection[str] = (),
        expect_rows: int,
        escape_formulas: bool = False,
    ) -> Written:
        if self._person is not None:
            raise ValueError("with a person column the counts do not determine the rows")
        self._publishable(target, columns)
        if cells.num_columns != len(columns) + 1 or cells.column_names[-1] != "rows":
            raise DataError(f"cells need a column for each of {list(columns)} and then 'rows'")
        texts = [f"t{i}" for i in range(len(columns))]
        renamed = cells.rename_columns([*texts, "rows"])
        with self._session.holding("cells", renamed):
            if self._session.number(
                "SELECT count(*) FROM cells WHERE NOT coalesce(rows > 0, false)"
            ):
                raise DataError("cells have rows that are not positive")
            typed = [
                self._typed_back(t, name, keep) for t, name in zip(texts, columns, strict=True)
            ]
            both = [f"{t}, {e} AS o{i}" for i, (t, e) in enumerate(zip(texts, typed, strict=True))]
            written, digest = write_ordered(
                self._session,
                f"SELECT {', '.join(both)}, rows FROM cells",
                target,
                names=columns,
                repeated=True,
                escape_formulas=escape_formulas,
                check=lambda rows: self._expect(rows, expect_rows, "rows"),
            )
            return Written(path=target, rows=written, people=written, sha256=digest)

    def _kind(self, name: str) -> str:
        """The type a column is written with: its own where Parquet keeps that, else text."""
        kind = self._source.types[self._place[name]]
        return kind if LASTING.fullmatch(kind) else "VARCHAR"

    def _typed_back(self, text: str, name: str, keep: Collection[str]) -> str:
        """SQL that gives text of the source its type again; refused where that would alter it."""
        kind = self._kind(name) if name in keep else "VARCHAR"
        if kind == "VARCHAR":
            return text
        typed = f"try_cast({text} AS {kind})"
        if self._session.number(
            f"SELECT count(*) FROM cells WHERE {typed}::VARCHAR IS DISTINCT FROM {text}"
        ):
            raise DataError(
                f"column {name!r} has values that do not survive as {kind}",
                where=self._session.where,
                fix="Publish it as text.",
            )
        return typed

    def _publishable(self, target: Path | TablePlace, columns: Sequence[str]) -> None:
        if self._person in list(columns):
            raise ValueError("the person column is never published")
        if isinstance(target, TablePlace):
            return
        if target.exists() and any(target.samefile(file) for file in self._source.files):
            raise TargetError(
                "is the source itself", where=str(target), fix="Write the release somewhere else."
            )

    def _expect(self, found: int, wanted: int | None, what: str) -> None:
        if wanted is not None and found != wanted:
            raise DataError(
                f"{found:,} {what} were written where {wanted:,} were expected",
                where=self._session.where,
                fix="Nothing was published. Has the source changed since it was counted?",
            )


def is_blank(text: str) -> str:
    """SQL of whether a text is missing or nothing but blanks, tabs and ends of lines."""
    bare = f"trim(translate({text}, chr(9) || chr(10) || chr(13), '   '))"
    return f"coalesce({bare}, '') = ''"


def differs(text: str) -> str:
    """SQL of whether the texts of a group are not all one; missing is a text of its own."""
    return (
        f"(coalesce(min({text}) <> max({text}), false) "
        f"OR (count({text}) > 0 AND count({text}) < count(*)))"
    )


def letters(letter: str, names: Sequence[str]) -> list[str]:
    """Names by position: q0, q1, ...."""
    return [f"{letter}{i}" for i in range(len(names))]


def key_names(columns: Sequence[str], sets: Sequence[str]) -> list[str]:
    """Names by position: q0, q1, ..., s0, s1, ...."""
    return [*letters("q", columns), *letters("s", sets)]
