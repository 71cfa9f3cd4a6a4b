"""DuckDB: the default engine, for everything that fits on one machine's disk."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa

from hedgerow.engines.arrays import Arrays
from hedgerow.engines.base import SAMPLE, ColumnProfile, Table, TablePlace, Written
from hedgerow.engines.held import Codes, Held
from hedgerow.engines.held_lines import HeldLines
from hedgerow.engines.mapping import assigned, given
from hedgerow.engines.ordered import write_ordered
from hedgerow.engines.profiling import profiled
from hedgerow.engines.session import Session
from hedgerow.engines.shelf import LocalShelf
from hedgerow.engines.sources import Source, attach, attaches, described
from hedgerow.engines.tallying import statement
from hedgerow.engines.typed import TypedColumn, plain, whole
from hedgerow.errors import DataError, TargetError, some
from hedgerow.tally import Tally

LASTING = re.compile(
    r"(BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\)|DATE|TIME|TIMESTAMP"
    r"|TIMESTAMP_(S|MS|NS)|TIMESTAMP WITH TIME ZONE|UUID|BLOB)(\[\])*"
)
"""Types whose values are the same after a Parquet file.

HUGEINT would become DOUBLE, a time with a zone lose the zone, an interval its microseconds; and
an ENUM would bring all its values along, also those nobody in the release has."""


class DuckDBEngine:
    """A source read by DuckDB. Made by `open_engine`, which says what the arguments mean."""

    def __init__(
        self,
        source: object,
        *,
        null: Sequence[str] = (),
        person: str | None = None,
        delimiter: str | None = None,
        memory: str | None = None,
        scratch: Path | None = None,
    ) -> None:
        session = Session(described(source), memory=memory, scratch=scratch, alone=attaches(source))
        self._roomy = memory is None
        self._begin(session, lambda: attach(session, source, delimiter=delimiter), null, person)

    def _begin(
        self,
        session: Session,
        attached: Callable[[], Source],
        null: Sequence[str],
        person: str | None,
    ) -> None:
        self._session = session
        self._null = tuple(null)
        self._gathered: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self._held = 0
        try:
            self._source = attached()
            self._place = {name: i for i, name in enumerate(self._source.names)}
            self._person = person
            if person is not None:
                self._value(person)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._session.close()

    @property
    def person(self) -> str | None:
        return self._person

    def columns(self) -> tuple[str, ...]:
        return self._source.names

    @property
    def files(self) -> tuple[Path, ...]:
        return self._source.files

    def rows_total(self) -> int:
        return self._session.number("SELECT count(*) FROM source")

    def distinct(self, column: str, *, limit: int | None = None) -> list[str | None]:
        found = self._session.fetch(
            f"SELECT DISTINCT {self._text(column)} AS value FROM source ORDER BY value NULLS FIRST"
            + ("" if limit is None else f" LIMIT {int(limit)}")
        )
        return [row[0] for row in found]

    def profile(self, *, sample: int = SAMPLE) -> list[ColumnProfile]:
        names = self._source.names
        return profiled(self._session, names, [self._text(name) for name in names], sample)

    def rows(self, columns: Sequence[str], limit: int) -> Table:
        values = ", ".join(self._texts("q", columns))
        table = self._session.table(f"SELECT {values} FROM source LIMIT {int(limit)}")
        return table.rename_columns(list(columns))

    def counts(
        self,
        columns: Sequence[str],
        *,
        sets: Sequence[str] = (),
        marks: Sequence[tuple[str, Sequence[str]]] = (),
    ) -> Table:
        keys = _keys(columns, sets)
        with contextlib.ExitStack() as held:
            marked = [held.enter_context(self._list(i, *mark)) for i, mark in enumerate(marks)]
            if self._person is None:
                wanted = [*self._texts("q", columns), *self._texts("s", sets), *marked]
                wanted, relation = [*wanted, "count(*) AS n", "count(*) AS rows"], "source"
            else:
                self._gather(columns, sets)
                wanted = [*keys, *marked, "count(*) AS n", "coalesce(sum(rows), 0)::BIGINT AS rows"]
                relation = "people"
            grouped = " GROUP BY ALL" if keys or marked else ""
            return self._session.table(f"SELECT {', '.join(wanted)} FROM {relation}{grouped}")

    def tally(self, tally: Tally) -> Table:
        if self._arrays is not None and (found := self._arrays.tally(tally)) is not None:
            return found
        named = [*tally.columns, *([] if self._person is None else [self._person])]
        question = statement(tally, {n: self._column(n) for n in named}, person=self._person)
        with contextlib.ExitStack() as held:
            for name, table in question.lists.items():
                held.enter_context(self._session.holding(name, table))
            return self._session.table(question.sql)

    def tallies(self, tallies: Sequence[Tally]) -> list[Table]:
        if self._arrays is not None:
            self._arrays.expect(tallies)
        return [self.tally(tally) for tally in tallies]

    @cached_property
    def _arrays(self) -> Arrays | None:
        """Columns in memory, where nobody has said how much of that may be used."""
        source = self._source
        if source.arrow is None or self._person is not None or not self._roomy:
            return None
        null = [int(text) for text in whole(map(plain, self._null))]
        kinds = dict(zip(source.names, source.types, strict=True))
        try:
            found = Arrays(source.arrow, kinds, null)
        except (pa.ArrowException, OSError):
            return None  # DuckDB has words for what is wrong with it
        self._session.at_end(found.close)
        return found

    @contextlib.contextmanager
    def _list(self, place: int, column: str, people: Sequence[str]) -> Iterator[str]:
        """SQL of whether a person is on a list."""
        name = f"list{place}"
        self._told_apart_by(column)
        text = self._text(column)
        with self._session.holding(name, pa.table({"who": pa.array(people, pa.string())})):
            lost = self._session.fetch(
                f"SELECT who FROM {name} WHERE who NOT IN "
                f"(SELECT {text} FROM source WHERE {text} IS NOT NULL) ORDER BY who"
            )
            self._all_known(column, people, [row[0] for row in lost])
            if self._person is None:
                shared = self._session.fetch(
                    f"SELECT {text} AS who FROM source WHERE {text} IN (SELECT who FROM {name}) "
                    "GROUP BY who HAVING count(*) > 1 ORDER BY who"
                )
                self._all_alone(column, [row[0] for row in shared])
            who = text if self._person is None else "p"
            yield f"coalesce({who} IN (SELECT who FROM {name}), false) AS m{place}"

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

    def hold(
        self,
        columns: Sequence[str],
        *,
        sets: Sequence[str] = (),
        codes: Sequence[Codes],
        barred: Collection[str] = (),
    ) -> Held:
        name = self._holding()
        return HeldLines(
            LocalShelf(self._session),
            name,
            relation="source",
            texts=self._texts_of([*columns, *sets]),
            columns=columns,
            sets=sets,
            codes=codes,
            barred=barred,
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

    def write(
        self,
        mapping: Table | Held,
        target: Path | TablePlace,
        *,
        columns: Sequence[str],
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str] = (),
        keep: Collection[str] = (),
        expect_people: int | None = None,
        expect_rows: int | None = None,
        escape_formulas: bool = False,
    ) -> Written:
        if expect_people is None and expect_rows is None:
            raise ValueError("write needs expect_people or expect_rows")
        if isinstance(target, TablePlace):
            raise TargetError(
                "a table is made by the engine that holds the source, and this one has files",
                where=str(target),
                fix="Publish to a folder, or read the source from a table there.",
            )
        self._publishable(target, columns)
        with given(self._session, mapping, quasi_identifiers, sensitive, keep) as ranked:
            published = {q: f"p{j}" for j, q in enumerate(quasi_identifiers) if q not in keep}
            published = {name: published.get(name, f"v{i}") for i, name in enumerate(columns)}
            if self._person is None:
                held = mapping if isinstance(mapping, HeldLines) else None
                relation = self._recoded_rows(published, quasi_identifiers, sensitive, ranked, held)
                people = None
            else:
                relation = self._recoded_people(published, quasi_identifiers, sensitive, ranked)
                people, rows = self._session.fetch("SELECT count(*), sum(rows) FROM chosen")[0]
                expect_rows = int(rows or 0) if expect_rows is None else expect_rows

            def check(rows: int) -> None:
                self._expect(rows, expect_rows, "rows")
                self._expect(rows if people is None else people, expect_people, "people")

            kinds = [self._kind(n) if e[0] == "v" else "VARCHAR" for n, e in published.items()]
            both = [
                f"{e}::VARCHAR AS t{i}, {e}::{kind} AS o{i}"
                for i, (e, kind) in enumerate(zip(published.values(), kinds, strict=True))
            ]
            written, digest = write_ordered(
                self._session,
                f"SELECT {', '.join(both)} FROM ({relation})",
                target,
                names=columns,
                repeated=False,
                escape_formulas=escape_formulas,
                check=check,
            )
        people = written if people is None else people
        return Written(path=target, rows=written, people=people, sha256=digest)

    def _recoded_rows(
        self,
        published: dict[str, str],
        quasi: Sequence[str],
        sensitive: Sequence[str],
        ranked: bool,
        held: HeldLines | None,
    ) -> str:
        """SQL of the published rows where each row is a person."""
        passed = {name: v for name, v in published.items() if v[0] == "v"}
        values = [f"{self._value(name)} AS {v}" for name, v in passed.items()]
        keys, relation = _keys(quasi, sensitive), "source"
        raw = [*self._texts("q", quasi), *self._texts("s", sensitive)]
        if held is not None:
            found = held.coded("source", self._texts_of([*quasi, *held.sets]), sets=ranked)
            keys, relation = _keys(quasi, held.sets if ranked else ()), found.sql
            raw = [f"{code} AS {k}" for code, k in zip(found.codes, keys, strict=True)]
        texts = [f"{v}::VARCHAR" for v in passed.values()]
        return assigned(
            f"(SELECT {', '.join([*raw, *values])} FROM {relation})",
            keys,
            list(published.values()),
            ranked=ranked,
            ties=[f"md5(concat_ws(chr(31), {', '.join(texts)}))", *texts] if texts else [],
        )

    def _recoded_people(
        self,
        published: dict[str, str],
        quasi: Sequence[str],
        sensitive: Sequence[str],
        ranked: bool,
    ) -> str:
        """SQL of the published rows; makes the table `chosen` of the people they are about."""
        assert self._person is not None
        self._gather(quasi, sensitive)
        recoded = [p for p in published.values() if p[0] == "p"]
        chosen = assigned(
            "people",
            _keys(quasi, sensitive),
            ["p", "rows", *recoded],
            ranked=ranked,
            ties=["md5(p)", "p"],
        )
        self._session.do(f"CREATE OR REPLACE TEMP TABLE chosen AS {chosen}")
        values = [f"{self._value(n)} AS {v}" if v[0] == "v" else v for n, v in published.items()]
        return (
            f"SELECT {', '.join(values)} FROM source "
            f"JOIN chosen ON {self._text(self._person)} = chosen.p"
        )

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

    def _column(self, name: str) -> TypedColumn:
        if name not in self._place:
            near = difflib.get_close_matches(name, self._source.names, n=1)
            raise DataError(
                f"there is no column {name!r}",
                where=self._session.where,
                fix=f"Did you mean {near[0]!r}?" if near else f"It has {some(self._source.names)}.",
            )
        place = self._place[name]
        return TypedColumn(f"source.c{place}", self._source.types[place], self._null)

    def _value(self, name: str) -> str:
        """SQL of a column with its own type, the texts that mean missing made NULL."""
        return self._column(name).value

    def _text(self, name: str) -> str:
        return self._column(name).text

    def _texts(self, letter: str, names: Sequence[str]) -> list[str]:
        return [f"{self._text(name)} AS {letter}{i}" for i, name in enumerate(names)]

    def _texts_of(self, names: Sequence[str]) -> Mapping[str, str]:
        return {name: self._text(name) for name in names}

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

    def _gather(self, columns: Sequence[str], sets: Sequence[str]) -> None:
        """Make the table `people`: one line a person, with the person's sensitive values."""
        if self._gathered == (tuple(columns), tuple(sets)):
            return
        self._gathered = None
        assert self._person is not None
        quasi = [f"q{i}" for i in range(len(columns))]
        lists = (
            f"list_sort(list(DISTINCT {self._text(name)}), 'ASC', 'NULLS FIRST') AS s{i}"
            for i, name in enumerate(sets)
        )
        wanted = [f"{self._text(self._person)} AS p", *self._texts("q", columns), *lists]
        self._session.do(
            f"CREATE OR REPLACE TEMP TABLE people AS SELECT {', '.join(wanted)}, count(*) AS rows "
            f"FROM source GROUP BY {', '.join(['p', *quasi])}"
        )
        self._all_of_somebody(self._session.number("SELECT sum(rows) FROM people WHERE p IS NULL"))
        torn = "SELECT p FROM people GROUP BY p HAVING count(*) > 1"
        if people := self._session.number(f"SELECT count(*) FROM ({torn})"):
            differ = [
                name
                for name, q in zip(columns, quasi, strict=True)
                if self._session.number(
                    f"SELECT count(*) FROM (SELECT 1 FROM people GROUP BY p "
                    f"HAVING count(DISTINCT {q}) + bool_or({q} IS NULL)::INTEGER > 1)"
                )
            ]
            raise self._torn(people, differ)
        self._gathered = (tuple(columns), tuple(sets))

    def _all_of_somebody(self, lost: int) -> None:
        if lost:
            raise DataError(
                f"{lost:,} rows have no value in the person column {self._person!r}",
                where=self._session.where,
                fix="Say whose rows they are, or leave them out.",
            )

    def _torn(self, people: int, differ: Sequence[str]) -> DataError:
        return DataError(
            f"{people:,} people have rows that differ in {some(differ)}",
            where=self._session.where,
            fix="Quasi-identifiers must agree within a person: correct them, or choose which "
            "of the values to publish before.",
        )

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


def _keys(columns: Sequence[str], sets: Sequence[str]) -> list[str]:
    return [f"q{i}" for i in range(len(columns))] + [f"s{i}" for i in range(len(sets))]
