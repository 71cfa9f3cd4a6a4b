"""What a database or a cluster has to be able to do, for `RemoteEngine` to make an engine of it.

Data stay where they are. Counts come out, recodings go back; what both sides agree on is text.
Each column has a text there that is exact: read by DuckDB it is the value again. Where that is
what DuckDB itself would write, it is used as it is; else the distinct texts come out once,
DuckDB writes each in its own way, and the dictionary of both goes back. So every engine counts
the same texts, whatever it thinks of zeros, NaN, digits and time zones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from hedgerow.engines.base import TablePlace
from hedgerow.engines.session import DuckDBSession

if TYPE_CHECKING:
    from hedgerow.engines.part_task import Task

Kind = Literal["text", "bigint", "boolean", "int", "double"]
Kinds = Mapping[str, Kind]
"""The columns of what goes in or comes out, in order."""
LOCAL = {
    "text": "VARCHAR",
    "bigint": "BIGINT",
    "boolean": "BOOLEAN",
    "int": "INTEGER",
    "double": "DOUBLE",
}
"""What they are in DuckDB."""


@dataclass(frozen=True, kw_only=True)
class RemoteColumn:
    """A column where the data are."""

    name: str
    kind: str
    """The type of DuckDB that has all its values; empty where none has."""
    text: str
    """SQL over the alias `source` of its exact text, compared by bytes; NULL where missing."""
    value: str
    """SQL of the value with its own type."""
    faithful: bool
    """Whether the text is what DuckDB writes, for every value."""
    own: str = ""
    """The type as it is called there, for messages."""


class Dialect(Protocol):
    """How the remote spells what the two dialects do not share."""

    @property
    def text(self) -> str:
        """Its type of text."""
        ...

    def name(self, identifier: str) -> str:
        """A quoted identifier."""
        ...

    def literal(self, text: str) -> str:
        """A constant text; NULL where no column could hold it."""
        ...

    def matches(self, sql: str, pattern: str) -> str:
        """Whether a text holds what a regular expression describes, as all dialects write it."""
        ...

    def replaced(self, sql: str, pattern: str, by: str) -> str:
        r"""The text with all matches replaced; \1 and \2 are the pattern's groups."""
        ...

    def bytewise(self, sql: str) -> str:
        """The same text, equal and ordered by its UTF-8 bytes."""
        ...

    def md5(self, sql: str) -> str:
        """Lower-case digits of the hash of a text's UTF-8 bytes."""
        ...

    def sha256(self, sql: str) -> str:
        """Lower-case digits of the hash of a text's UTF-8 bytes."""
        ...

    def total(self, sql: str) -> str:
        """Aggregate: the exact sum of 64-bit numbers; NULL of none."""
        ...

    def set_of(self, sql: str) -> str:
        """Aggregate: the distinct texts, sorted by bytes, joined by chr(31). None is NULL."""
        ...

    def sorted_text(self, sql: str) -> str:
        """Aggregate: all the texts, sorted by bytes, joined by nothing."""
        ...


class Remote(Protocol):
    """A table that is somewhere else.

    SQL given to it uses what the dialects share, and names tables only by what `source`, `keep`
    and `push` say they are called.
    """

    @property
    def where(self) -> str:
        """The source as messages name it; never with a secret."""
        ...

    @property
    def dialect(self) -> Dialect: ...

    @property
    def source(self) -> str:
        """SQL of the table, to stand before `AS source`."""
        ...

    @property
    def columns(self) -> tuple[RemoteColumn, ...]: ...

    def keep(self, name: str, sql: str, *, by: str | None = None) -> str:
        """Keep the result of a query as a temporary table, in the stead of one of that name.

        Args:
            name: Of the table.
            sql: The query.
            by: A column by whose values lines will be looked for.
        """
        ...

    def drop(self, table: str) -> None:
        """Let go of a table that was kept or pushed."""
        ...

    def solve(self, name: str, sql: str, parts: int, task: Task) -> str | None:
        """Keep what a task makes of each part, where Python runs beside the data.

        Args:
            name: Of the table.
            sql: The lines, with a column `part`.
            parts: How many there are.
            task: The work.

        Returns:
            The table; None where parts have to come out to be worked on.

        Raises:
            HedgerowError: As the work raised it.
        """
        ...

    def push(self, name: str, session: DuckDBSession, sql: str, kinds: Kinds) -> str:
        """Keep the result of a query of the session as a temporary table there."""
        ...

    def pull(self, sql: str, session: DuckDBSession, name: str, kinds: Kinds) -> None:
        """Keep the result of a query there as a temporary table of the session."""
        ...

    def close(self) -> None:
        """Let go of the source; a table that was not delivered is gone."""
        ...

    def refuse_changed(self) -> None:
        """Refuse a source that is seen to have changed since it was opened.

        Raises:
            DataError: It did. What is not refused may have changed all the same, unless all that
                is read is of one moment.
        """
        ...

    def reaches(self, place: TablePlace) -> bool:
        """Whether a release can be made there without rows leaving: it is where the source is."""
        ...

    def check_table(self, place: TablePlace, *, replace: bool) -> None:
        """Refuse early what would fail late.

        Raises:
            TargetError: A release cannot or must not be put there.
        """
        ...

    def stage(self, place: TablePlace, sql: str, columns: Sequence[str]) -> Remote:
        """Make the table of a release where nobody finds it yet.

        It is written sorted by all its columns: the order rows come back in would else be the
        source's, and tell about it.

        Args:
            place: Where it will be.
            sql: Its rows, with columns o0, o1, ....
            columns: Their published names.

        Returns:
            The table, over the same connection; closing it does nothing.
        """
        ...

    def deliver(self, certificate: str, *, replace: bool) -> None:
        """Let the staged table and its certificate appear together, instead of an old release."""
        ...

    def discard(self) -> None:
        """Leave nothing of a staged table."""
        ...

    def certificate(self) -> str | None:
        """The certificate beside the source, if it has one."""
        ...


class Arrival(Protocol):
    """A place where a table arrives that was made elsewhere."""

    def check(self, *, replace: bool) -> None:
        """Refuse early what would fail late.

        Raises:
            TargetError: A release cannot or must not be put there.
        """
        ...

    def kind(self, local: str) -> str | None:
        """The type that has the values of one of DuckDB's; None where there is none."""
        ...

    def load(self, session: DuckDBSession, sql: str, columns: Mapping[str, str]) -> Remote:
        """Make the table where nobody finds it yet.

        Args:
            session: Has the rows.
            sql: Its query of them, with columns o0, o1, ..., in an order that tells nothing.
            columns: Their published names, and their types in DuckDB, each of which has a `kind`.

        Returns:
            The table, over the same connection; closing it does nothing.
        """
        ...

    def deliver(self, certificate: str, *, replace: bool) -> None:
        """Let the table and its certificate appear together, instead of an old release."""
        ...

    def discard(self) -> None:
        """Leave nothing of a table that was not delivered."""
        ...

    def close(self) -> None:
        """Let go of the place; a table that was not delivered is gone."""
        ...
