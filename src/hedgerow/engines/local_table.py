"""A table on this machine, read and counted by DuckDB."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from hedgerow.engines.arrays import Arrays
from hedgerow.engines.base import SAMPLE, ColumnProfile, Repeats, RowsOfPeople, Table
from hedgerow.engines.column_sql import plain, whole
from hedgerow.engines.file_writer import other_form
from hedgerow.engines.formats import parquet_names
from hedgerow.engines.frequency_lines import HeldLines
from hedgerow.engines.frequency_set import Codes, FrequencySet
from hedgerow.engines.identities import identities
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.session_table import SessionTable, differs, is_blank, key_names, letters
from hedgerow.engines.shelf import LocalShelf
from hedgerow.engines.source_form import AS_ALWAYS, SourceForm
from hedgerow.engines.sources import attach, attaches, described, one_parquet
from hedgerow.engines.tally import Tally
from hedgerow.engines.tally_sql import statement

KEYS_AT_ONCE = 50
"""Columns whose distinct values are counted side by side, which costs DuckDB their square."""


class LocalTable(SessionTable):
    """A table that the session's view `source` shows whole."""

    def __init__(
        self,
        source: object,
        *,
        null: Sequence[str] = (),
        person: str | None = None,
        form: SourceForm = AS_ALWAYS,
        memory: str | None = None,
        scratch: Path | None = None,
    ) -> None:
        self._roomy = memory is None
        self._accounted = False
        self._condensed = False
        plain = memory is None and scratch is None and not form.said
        self._file = one_parquet(source) if plain else None
        super().__init__(
            lambda: DuckDBSession(
                described(source), memory=memory, scratch=scratch, alone=attaches(source)
            ),
            lambda session: attach(session, source, form=form, null=null),
            # What can be counted in arrays needs no SQL.
            names=None if self._file is None else parquet_names(self._file),
            null=null,
            person=person,
        )

    def close(self) -> None:
        arrays: Arrays | None = self.__dict__.pop("_arrays", None)
        if arrays is not None:
            arrays.close()
        super().close()

    @property
    def files(self) -> tuple[Path, ...]:
        return super().files if self._file is None else (self._file,)

    # Reading

    def rows_total(self) -> int:
        return self._all_read(self._session.number("SELECT count(*) FROM source"))

    def _all_read(self, rows: int | None = None) -> int:
        """See that the engine passes over nothing that is in a file.

        Args:
            rows: What it has read; where None, it reads now, if nobody has looked before.

        Raises:
            DataError: The file has more rows, or fewer.
        """
        # Of a table with one row a person the file was looked at before.
        records = None if self._condensed else self._source.records
        if rows is None and (self._accounted or records is None):
            return 0
        if rows is None:
            return self.rows_total()
        if records is not None:
            records.require(rows)
        self._accounted = True
        return rows

    def profile(self, *, sample: int = SAMPLE) -> list[ColumnProfile]:
        self._all_read()
        return super().profile(sample=sample)

    def distinct(self, column: str, *, limit: int | None = None) -> list[str | None]:
        self._all_read()
        found = self._session.fetch(
            f"SELECT DISTINCT {self._text(column)} AS value FROM source ORDER BY value NULLS FIRST"
            + ("" if limit is None else f" LIMIT {int(limit)}")
        )
        return [row[0] for row in found]

    def other_form(self) -> bool:
        """Whether the one file that this is was not written here, or changed since; see there."""
        (file,) = self.files
        names = self.columns()
        texts = [f"({self._value(name)})::VARCHAR" for name in names]
        return other_form(self._session, file, names, texts)

    # Counting

    def repeats(self, columns: Sequence[str], *, person: str | None = None) -> list[Repeats]:
        counts: list[int] = []
        for first in range(0, len(columns), 1 if person else KEYS_AT_ONCE):
            some = columns[first : first + (1 if person else KEYS_AT_ONCE)]
            named = {f"v{i}": name for i, name in enumerate((*some, *([person] if person else ())))}
            texts = ", ".join(f"{self._text(name)} AS {v}" for v, name in named.items())
            ids = identities(f"(SELECT {texts} FROM source) AS x", list(named))
            each = ", ".join(
                f"count(DISTINCT v{i}), count(v{i}), {'0' if person else f'count(*) - count(v{i})'}"
                for i in range(len(some))
            )
            pairs = f"SELECT DISTINCT * FROM ({ids})" if person else ids
            counts += map(int, self._session.fetch(f"SELECT {each} FROM ({pairs})")[0])
        return [
            Repeats(name=name, distinct=distinct, units=units, missing=missing)
            for name, distinct, units, missing in zip(
                columns, counts[::3], counts[1::3], counts[2::3], strict=True
            )
        ]

    def empty_rows(self) -> int:
        empty = (is_blank(self._text(name)) for name in self.columns())
        return self._session.number(f"SELECT count(*) FROM source WHERE {' AND '.join(empty)}")

    def rows_of(self, person: str) -> RowsOfPeople:
        each = f"SELECT {self._text(person)} AS p, count(*) AS n FROM source GROUP BY p"
        found = self._session.fetch(
            "SELECT count(p), count(p) FILTER (n > 1), coalesce(max(n) FILTER (p IS NOT NULL), 0), "
            f"coalesce(sum(n) FILTER (p IS NULL), 0)::BIGINT FROM ({each})"
        )[0]
        return RowsOfPeople(people=found[0], several=found[1], most=found[2], nobody=found[3])

    def differing(self, person: str, columns: Sequence[str]) -> dict[str, int]:
        who = self._text(person)
        found: dict[str, int] = {}
        for first in range(0, len(columns), KEYS_AT_ONCE):
            some = columns[first : first + KEYS_AT_ONCE]
            each = [f"{differs(self._text(name))} AS d{i}" for i, name in enumerate(some)]
            many = [f"count(*) FILTER (d{i})" for i in range(len(some))]
            rows = self._session.fetch(
                f"SELECT {', '.join(many)} FROM "
                f"(SELECT {', '.join(each)} FROM source WHERE {who} IS NOT NULL GROUP BY {who})"
            )
            found |= dict(zip(some, map(int, rows[0]), strict=True))
        return found

    def keep_one_row(self, person: str, *, alike: Sequence[str], chosen: Mapping[str, str]) -> None:
        self._all_read()
        who = self._text(person)
        self._all_alike(self.differing(person, alike))
        inner, outer = [f"{who} AS p"], []
        for i, name in enumerate(self.columns()):
            text = self._text(name)
            number = f"try_cast({text} AS DOUBLE)"
            key = f"{{'a': {number} IS NULL, 'n': coalesce({number}, 0), 't': {text}}}"
            if chosen.get(name) == "most-frequent":
                times = f"count(*) OVER (PARTITION BY {who}, {text})"
                key = f"{{'n': -{times}, 't': {text}}}"
            inner += [f"{self._value(name)} AS v{i}", f"{text} AS t{i}", f"{key} AS k{i}"]
            first = "arg_max" if chosen.get(name) == "largest" else "arg_min"
            outer.append(f"{first}(v{i}, k{i}) FILTER (t{i} IS NOT NULL) AS c{i}")
        self._session.do(
            f"CREATE TEMP TABLE one_row AS SELECT {', '.join(outer)} "
            f"FROM (SELECT {', '.join(inner)} FROM source) GROUP BY p"
        )
        self._session.do("CREATE OR REPLACE TEMP VIEW source AS SELECT * FROM one_row")
        self._condensed = True

    def counts(
        self,
        columns: Sequence[str],
        *,
        sets: Sequence[str] = (),
        marks: Sequence[tuple[str, Sequence[str]]] = (),
    ) -> Table:
        keys = key_names(columns, sets)
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
            found = self._session.table(f"SELECT {', '.join(wanted)} FROM {relation}{grouped}")
        self._all_read(int(np.sum(found["rows"].to_numpy())))
        return found

    def tally(self, tally: Tally) -> Table:
        if self._arrays is not None and (found := self._arrays.tally(tally)) is not None:
            return found
        self._all_read()
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

    def ready(self, tallies: Sequence[Tally]) -> None:
        if self._arrays is None or not self._arrays.take(tallies):
            super().ready(tallies)

    @cached_property
    def _arrays(self) -> Arrays | None:
        """Columns in memory, where nobody has said how much of that may be used."""
        self._refuse_closed()
        source = self._file or self._source.arrow
        if source is None or self._person is not None or not self._roomy:
            return None
        null = [int(text) for text in whole(map(plain, self._null))]
        try:
            return Arrays(source, null)
        except (pa.ArrowException, OSError):
            return None  # DuckDB has words for what is wrong with it

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

    def _gather(self, columns: Sequence[str], sets: Sequence[str]) -> None:
        """Make the table `people`: one line a person, with the person's sensitive values."""
        if self._gathered == (tuple(columns), tuple(sets)):
            return
        self._gathered = None
        assert self._person is not None
        quasi = letters("q", columns)
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

    def hold(
        self,
        columns: Sequence[str],
        *,
        sets: Sequence[str] = (),
        codes: Sequence[Codes],
        barred: Collection[str] = (),
    ) -> FrequencySet:
        name = self._holding()
        self._all_read()
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

    def _texts_of(self, names: Sequence[str]) -> Mapping[str, str]:
        return {name: self._text(name) for name in names}
