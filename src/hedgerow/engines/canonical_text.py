"""A remote table's columns as the text DuckDB writes, so that all engines count the same texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hedgerow.base.errors import DataError, some
from hedgerow.engines.column_sql import TypedColumn, respelled
from hedgerow.engines.remote import Remote, RemoteColumn
from hedgerow.engines.session import DuckDBSession


@dataclass(frozen=True)
class Relation:
    """SQL to stand after FROM, and of the texts that can be selected from it."""

    sql: str
    texts: dict[str, str]


class CanonicalText:
    """Dictionaries between the texts of a remote table and DuckDB's, made when they are needed.

    Args:
        remote: The table.
        session: The DuckDB session that writes texts.
        null: Texts that mean missing.
        columns: The columns, where they are read otherwise than as they stand there.
    """

    def __init__(
        self,
        remote: Remote,
        session: DuckDBSession,
        null: Sequence[str],
        columns: Sequence[RemoteColumn] | None = None,
    ) -> None:
        self._remote, self._session, self._null = remote, session, tuple(null)
        self.columns = tuple(remote.columns if columns is None else columns)
        self._place = {column.name: i for i, column in enumerate(self.columns)}
        self._pulled: set[int] = set()
        self._pushed: dict[int, str] = {}
        self._spelled: dict[str, tuple[tuple[str, str], ...]] = {}

    def column(self, name: str) -> RemoteColumn:
        return self.columns[self._place[name]]

    def typed(self, name: str, place: str) -> TypedColumn:
        """The column as DuckDB holds it where this SQL is its value."""
        spelled = self._spelled.get(name, ())
        return TypedColumn(place, self.column(name).kind, self._null, spelled)

    def respell(self, name: str, texts: Mapping[str, str]) -> None:
        """Read a column with some of its texts spelled otherwise, from now on."""
        self._spelled[name] = tuple(texts.items())
        self._pushed.pop(self._place[name], None)

    def is_respelled(self, name: str) -> bool:
        return bool(self._spelled.get(name))

    def relation(self, names: Sequence[str]) -> Relation:
        """The table with the texts of these columns."""
        joins, texts = [], {}
        for name in dict.fromkeys(names):
            column, i = self.column(name), self._place[name]
            if column.faithful:
                spelled = column.text
                if self.is_respelled(name):
                    quoted = self._remote.dialect.literal
                    spelled = respelled(column.text, self._spelled[name], quoted)
                texts[name] = self.without_null(column.text, shown=spelled)
            else:
                joins.append(f" LEFT JOIN {self._dictionary(i)} AS d{i} ON d{i}.t = {column.text}")
                texts[name] = f"d{i}.v"
        return Relation(f"{self._remote.source} AS source{''.join(joins)}", texts)

    def without_null(
        self, text: str, null: Iterable[str] | None = None, *, shown: str | None = None
    ) -> str:
        """SQL of a text that DuckDB would write too, the texts that mean missing made NULL.

        Args:
            text: The SQL.
            null: Those texts, where they are to be written in another way than they were given.
            shown: SQL of what the text is to be, where it is to be another.
        """
        if not self._null:
            return shown or text
        missing = dict.fromkeys(self._null if null is None else null)
        listed = ", ".join(map(self._remote.dialect.literal, missing))
        return f"CASE WHEN {text} IN ({listed}) THEN NULL ELSE {shown or text} END"

    def values(self, name: str) -> str:
        """The session's table of the distinct texts `t` and values `c`, missing left out.

        A value that DuckDB cannot hold is missing there. Counts refuse it; answers with noise do
        not, because an error would tell that somebody has it.
        """
        i, column = self._place[name], self.column(name)
        if i in self._pulled:
            return f"values{i}"
        self._remote.pull(
            f"SELECT DISTINCT {column.text} AS t FROM {self._remote.source} AS source "
            f"WHERE {column.text} IS NOT NULL",
            self._session,
            f"texts{i}",
            {"t": "text"},
        )
        self._session.do(
            f"CREATE OR REPLACE TEMP TABLE values{i} AS "
            f"SELECT t, try_cast(t AS {column.kind}) AS c FROM texts{i}"
        )
        self._session.do(f"DROP TABLE texts{i}")
        self._pulled.add(i)
        return f"values{i}"

    def _dictionary(self, i: int) -> str:
        if i not in self._pushed:
            name = self.columns[i].name
            self._refuse_strange(name)
            self._pushed[i] = self._remote.push(
                f"dictionary{i}{'again' * self.is_respelled(name)}",
                self._session,
                f"SELECT t, {self.typed(name, 'c').text} AS v FROM {self.values(name)}",
                {"t": "text", "v": "text"},
            )
        return self._pushed[i]

    def _refuse_strange(self, name: str) -> None:
        strange = self._session.fetch(
            f"SELECT t FROM {self.values(name)} WHERE c IS NULL ORDER BY t LIMIT 11"
        )
        if strange:
            raise DataError(
                f"column {name!r} has values that cannot be read as {self.column(name).kind}: "
                f"{some(row[0] for row in strange)}",
                where=self._remote.where,
                fix="Read a view in which the column is text.",
            )
