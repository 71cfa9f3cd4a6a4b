"""A remote table, counted where it is.

What leaves it are counts, distinct values, and the rows that somebody asks to see. All is done on
the texts DuckDB writes (see `canonical_text`), by the SQL the dialects share.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from hedgerow.base.errors import DataError
from hedgerow.engines.base import SAMPLE, ColumnProfile, Repeats, RowsOfPeople, Table
from hedgerow.engines.canonical_text import CanonicalText
from hedgerow.engines.column_sql import TypedColumn
from hedgerow.engines.formats import SourceView, unclashing
from hedgerow.engines.frequency_lines import HeldLines
from hedgerow.engines.frequency_set import Codes, FrequencySet
from hedgerow.engines.identities import identities
from hedgerow.engines.packed_text import element, key, unpacked
from hedgerow.engines.profile import MOST_CELLS
from hedgerow.engines.remote import Kind, Kinds, Remote
from hedgerow.engines.remote_columns import columns_as_read
from hedgerow.engines.remote_tally import remote_tally
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.session_table import SessionTable, differs, is_blank, letters
from hedgerow.engines.shelf import RemoteShelf
from hedgerow.engines.source_form import AS_ALWAYS, SourceForm
from hedgerow.engines.tally import Tally


class RemoteTable(SessionTable):
    """A table that is somewhere else, read and counted there.

    The session's own view `source` holds no rows but those that were fetched to be looked at.
    """

    def __init__(
        self,
        remote: Remote,
        *,
        null: Sequence[str] = (),
        person: str | None = None,
        form: SourceForm = AS_ALWAYS,
        memory: str | None = None,
        scratch: Path | None = None,
    ) -> None:
        self._remote = remote
        self._sql = remote.dialect
        self._people_table = ""
        try:
            session = DuckDBSession(remote.where, memory=memory, scratch=scratch)
        except BaseException:
            remote.close()
            raise
        try:
            columns = columns_as_read(remote, session, form, null) if form.said else None
            self._canonical = CanonicalText(remote, session, null, columns)
        except BaseException:
            remote.close()
            session.close()
            raise
        super().__init__(lambda: session, self._nothing, null=null, person=person)

    def _nothing(self, session: DuckDBSession) -> SourceView:
        """The session's view `source`, with the columns and no rows."""
        columns = self._canonical.columns
        names = unclashing([column.name for column in columns], self._remote.where)
        kinds = tuple(column.kind or "VARCHAR" for column in columns)
        none = ", ".join(f"NULL::{kind} AS c{i}" for i, kind in enumerate(kinds))
        session.do(f"CREATE TEMP VIEW source AS SELECT {none} WHERE false")
        return SourceView(names, kinds, getattr(self._remote, "files", ()))

    def close(self) -> None:
        try:
            self._remote.close()
        finally:
            super().close()

    def _column(self, name: str) -> TypedColumn:
        found = super()._column(name)
        column = self._canonical.column(name)
        if not column.kind:
            raise DataError(
                f"column {name!r} is of the type {column.own}, which cannot be read",
                where=self._remote.where,
                fix="Read a view in which it is text or a number, or that leaves it out.",
            )
        return found

    def respell(self, column: str, texts: Mapping[str, str]) -> None:
        super().respell(column, texts)
        self._canonical.respell(column, texts)

    def _asked(self, names: Sequence[str]) -> None:
        """See that columns are there and can be read."""
        for name in names:
            self._column(name)

    # Reading

    def rows_total(self) -> int:
        return self._number(f"SELECT count(*) AS n FROM {self._remote.source} AS source")

    def distinct(self, column: str, *, limit: int | None = None) -> list[str | None]:
        self._asked([column])
        found = self._canonical.relation([column])
        sql = f"SELECT DISTINCT {found.texts[column]} AS v FROM {found.sql}"
        if limit is not None:
            order = f"{self._sql.bytewise('v')} NULLS FIRST"
            sql = f"SELECT v FROM ({sql}) AS x ORDER BY {order} LIMIT {int(limit)}"
        self._pull(sql, "listed", {"v": "text"})
        rows = self._session.fetch("SELECT v FROM listed ORDER BY v NULLS FIRST")
        return [row[0] for row in rows]

    def profile(self, *, sample: int = SAMPLE) -> list[ColumnProfile]:
        names = self.columns()
        most = max(1, min(sample, MOST_CELLS // len(names)))
        with self._fetched(names, most):
            return super().profile(sample=sample)

    def rows(self, columns: Sequence[str], limit: int) -> Table:
        with self._fetched(columns, int(limit)):
            return super().rows(columns, limit)

    @contextlib.contextmanager
    def _fetched(self, names: Sequence[str], limit: int) -> Iterator[None]:
        """Let the session's view `source` have some rows of these columns."""
        self._asked(names)
        place = {name: self._place[name] for name in dict.fromkeys(names)}
        texts = [f"{self._canonical.column(name).text} AS c{i}" for name, i in place.items()]
        kinds: dict[str, Kind] = {f"c{i}": "text" for i in place.values()}
        self._pull(
            f"SELECT {', '.join(texts)} FROM {self._remote.source} AS source LIMIT {limit}",
            "fetched",
            kinds,
        )
        columns = (
            f"c{i}::{kind} AS c{i}" if f"c{i}" in kinds else f"NULL::{kind} AS c{i}"
            for i, kind in enumerate(self._source.types)
        )
        try:
            self._session.do(
                f"CREATE OR REPLACE TEMP VIEW source AS SELECT {', '.join(columns)} FROM fetched"
            )
            yield
        finally:
            none = ", ".join(f"NULL::{k} AS c{i}" for i, k in enumerate(self._source.types))
            self._session.do(f"CREATE OR REPLACE TEMP VIEW source AS SELECT {none} WHERE false")
            self._session.do("DROP TABLE fetched")

    # Counting

    def repeats(self, columns: Sequence[str], *, person: str | None = None) -> list[Repeats]:
        self._asked(columns)
        found = []
        for name in columns:
            who = [] if person is None else [person]
            known = self._canonical.relation([name, *who])
            named = zip(("v", "p"), (name, *who), strict=False)
            texts = ", ".join(f"{known.texts[column]} AS {letter}" for letter, column in named)
            ids = identities(
                f"(SELECT {texts} FROM {known.sql}) AS x", ["v", "p"] if who else ["v"], self._sql
            )
            each = "DISTINCT " if who else ""
            self._pull(
                "SELECT count(DISTINCT v) AS d, count(v) AS n, count(*) - count(v) AS m "
                f"FROM (SELECT {each}* FROM ({ids}) AS x) AS x",
                "repeated",
                {"d": "bigint", "n": "bigint", "m": "bigint"},
            )
            distinct, units, missing = map(
                int, self._session.fetch("SELECT d, n, m FROM repeated")[0]
            )
            found.append(
                Repeats(name=name, distinct=distinct, units=units, missing=0 if who else missing)
            )
        return found

    def empty_rows(self) -> int:
        columns = [self._canonical.column(name) for name in self.columns()]
        if not all(column.kind for column in columns):
            return 0  # what cannot be read may be a value
        texts = (self._canonical.without_null(column.text) for column in columns)
        empty = " AND ".join(map(is_blank, texts))
        return self._number(
            f"SELECT count(*) AS n FROM {self._remote.source} AS source WHERE {empty}"
        )

    def rows_of(self, person: str) -> RowsOfPeople:
        self._asked([person])
        known = self._canonical.relation([person])
        self._pull(
            "SELECT p IS NULL AS nobody, count(*) AS people, "
            "sum(CASE WHEN n > 1 THEN 1 ELSE 0 END) AS several, max(n) AS most "
            f"FROM (SELECT {known.texts[person]} AS p, count(*) AS n FROM {known.sql} "
            "GROUP BY 1) AS x GROUP BY p IS NULL",
            "rows_of",
            {"nobody": "boolean", "people": "bigint", "several": "bigint", "most": "bigint"},
        )
        rows = self._session.fetch("SELECT * FROM rows_of")
        found = {bool(row[0]): [int(number) for number in row[1:]] for row in rows}
        people, several, most = found.get(False, (0, 0, 0))
        nobody = found[True][2] if True in found else 0
        return RowsOfPeople(people=people, several=several, most=most, nobody=nobody)

    def differing(self, person: str, columns: Sequence[str]) -> dict[str, int]:
        self._asked([person, *columns])
        found = {}
        for name in columns:
            known = self._canonical.relation([person, name])
            self._pull(
                "SELECT coalesce(sum(CASE WHEN d THEN 1 ELSE 0 END), 0) AS n FROM ("
                f"SELECT {differs('v')} AS d FROM (SELECT {known.texts[person]} AS p, "
                f"{known.texts[name]} AS v FROM {known.sql}) AS x "
                "WHERE p IS NOT NULL GROUP BY p) AS y",
                "differing",
                {"n": "bigint"},
            )
            found[name] = int(self._session.fetch("SELECT n FROM differing")[0][0])
        return found

    def keep_one_row(self, person: str, *, alike: Sequence[str], chosen: Mapping[str, str]) -> None:
        raise DataError(
            "people have several rows, and a table that stays where it is cannot be made one with "
            "one row per person",
            where=self._remote.where,
            fix="Name a view there that has one row per person, or say `rows: at most 3`.",
        )

    def counts(
        self,
        columns: Sequence[str],
        *,
        sets: Sequence[str] = (),
        marks: Sequence[tuple[str, Sequence[str]]] = (),
    ) -> Table:
        self._asked([*columns, *sets, *(column for column, _ in marks)])
        quasi, others = letters("q", columns), letters("s", sets)
        lists = [self._marked(i, *mark) for i, mark in enumerate(marks)]
        marked = [f"m{i}" for i in range(len(marks))]
        joins = "".join(
            f" LEFT JOIN {table} AS l{i} ON l{i}.who = units.w{i}" for i, table in enumerate(lists)
        )
        on_list = [f"(l{i}.who IS NOT NULL) AS m{i}" for i in range(len(marks))]
        keys = [*quasi, *others]
        if self._person is None:
            found = self._canonical.relation([*columns, *sets, *(c for c, _ in marks)])
            texts = [
                f"{found.texts[n]} AS {k}" for n, k in zip([*columns, *sets], keys, strict=True)
            ]
            texts += [f"{found.texts[column]} AS w{i}" for i, (column, _) in enumerate(marks)]
            units = f"(SELECT {', '.join([*texts, '1 AS rows'])} FROM {found.sql}) AS units"
            rows = "count(*) AS rows"
        else:
            who = "".join(f", p AS w{i}" for i in range(len(marks)))
            people = self._people(columns, sets)
            units = f"(SELECT people.*{who} FROM {people} AS people) AS units"
            rows = f"CAST(coalesce({self._sql.total('rows')}, 0) AS bigint) AS rows"
        inner = ", ".join([*keys, *on_list, "rows"])
        by = f" GROUP BY {', '.join([*keys, *marked])}" if keys or marked else ""
        kinds: dict[str, Kind] = dict.fromkeys(keys, "text")
        kinds |= dict.fromkeys(marked, "boolean")
        self._pull(
            f"SELECT {', '.join([*kinds, 'count(*) AS n', rows])} "
            f"FROM (SELECT {inner} FROM {units}{joins}) AS x{by}",
            "counted",
            {**kinds, "n": "bigint", "rows": "bigint"},
        )
        shown = [k if self._person is None else f"{unpacked(k)} AS {k}" for k in others]
        wanted = [*quasi, *shown, *marked, "n", "rows"]
        return self._session.table(f"SELECT {', '.join(wanted)} FROM counted")

    def hold(
        self,
        columns: Sequence[str],
        *,
        sets: Sequence[str] = (),
        codes: Sequence[Codes],
        barred: Collection[str] = (),
    ) -> FrequencySet:
        name = self._holding()
        self._asked([*columns, *sets])
        found = self._canonical.relation([*columns, *sets])
        return HeldLines(
            RemoteShelf(self._remote, self._session),
            name,
            relation=found.sql,
            texts=found.texts,
            columns=columns,
            sets=sets,
            codes=codes,
            barred=barred,
        )

    def tallies(self, tallies: Sequence[Tally]) -> list[Table]:
        return [self.tally(tally) for tally in tallies]

    def tally(self, tally: Tally) -> Table:
        self._asked([*tally.columns, *([] if self._person is None else [self._person])])
        return remote_tally(tally, self._remote, self._session, self._canonical, self._person)

    def _marked(self, place: int, column: str, people: Sequence[str]) -> str:
        """The remote's table of who is on a list, each once."""
        self._told_apart_by(column)
        with self._session.holding("given", pa.table({"who": pa.array(people, pa.string())})):
            table = self._remote.push(
                f"list{place}", self._session, "SELECT DISTINCT who FROM given", {"who": "text"}
            )
        found = self._canonical.relation([column])
        rows = f"(SELECT {found.texts[column]} AS who FROM {found.sql}) AS held"
        self._pull(
            f"SELECT l.who AS who, count(held.who) AS n FROM {table} AS l "
            f"LEFT JOIN {rows} ON held.who = l.who GROUP BY l.who",
            "met",
            {"who": "text", "n": "bigint"},
        )
        met = self._session.fetch("SELECT who, n FROM met WHERE n <> 1 ORDER BY who")
        self._all_known(column, people, [who for who, n in met if not n])
        self._all_alone(column, [who for who, n in met if n > 1])
        return table

    def _people(self, columns: Sequence[str], sets: Sequence[str]) -> str:
        """The remote's table of people: one line each, with the person's sensitive values."""
        if self._gathered == (tuple(columns), tuple(sets)):
            return self._people_table
        self._gathered = None
        assert self._person is not None
        quasi, others = letters("q", columns), letters("s", sets)
        found = self._canonical.relation([self._person, *columns, *sets])
        named = zip([*columns, *sets], [*quasi, *others], strict=True)
        texts = [
            f"{found.texts[self._person]} AS p",
            *(f"{found.texts[n]} AS {k}" for n, k in named),
        ]
        lists = [f"{self._sql.set_of(element(s))} AS {s}" for s in others]
        wanted = ", ".join(["p", *quasi, *lists, "count(*) AS rows"])
        people = self._remote.keep(
            "people",
            f"SELECT {wanted} FROM (SELECT {', '.join(texts)} FROM {found.sql}) AS x "
            f"GROUP BY {', '.join(['p', *quasi])}",
        )
        total = self._sql.total("rows")
        self._all_of_somebody(
            self._number(
                f"SELECT CAST(coalesce({total}, 0) AS bigint) AS n FROM {people} AS x "
                "WHERE p IS NULL"
            )
        )
        torn = f"SELECT p FROM {people} AS x GROUP BY p HAVING count(*) > 1"
        if number := self._number(f"SELECT count(*) AS n FROM ({torn}) AS y"):
            differ = [
                name
                for name, q in zip(columns, quasi, strict=True)
                if self._number(
                    f"SELECT count(*) AS n FROM (SELECT p FROM {people} AS x GROUP BY p "
                    f"HAVING count(DISTINCT {key(q)}) > 1) AS y"
                )
            ]
            raise self._torn(number, differ)
        self._people_table = people
        self._gathered = (tuple(columns), tuple(sets))
        return people

    def _number(self, sql: str) -> int:
        """The one number a query there answers."""
        self._pull(sql, "number", {"n": "bigint"})
        return self._session.number("SELECT n FROM number")

    def _pull(self, sql: str, name: str, kinds: Kinds) -> None:
        self._remote.pull(sql, self._session, name, kinds)
