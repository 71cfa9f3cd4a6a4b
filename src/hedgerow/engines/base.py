"""Engine: what holds the data. It counts, it writes; nothing above it sees rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from hedgerow.engines.tally import Tally

if TYPE_CHECKING:
    from hedgerow.engines.frequency_set import Codes, FrequencySet

Table = Any
"""A pyarrow.Table (pyarrow carries no types)."""

SAMPLE = 100_000
"""Rows a profile looks at, at most."""


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """What a column looks like in the first rows of the source."""

    name: str
    rows: int
    """Rows looked at; everything below is about these."""
    distinct: int
    """Distinct values, missing not counted."""
    missing: int
    examples: tuple[str, ...]
    """Some of the distinct values, in order of their text."""
    numbers: bool
    """All values are plain decimal numbers, and there is one."""
    dates: bool
    """All values are ISO dates (2024-02-29), and there is one."""
    longest: int
    """Characters in the longest value."""


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """How often the values of a column stand, in the whole source; missing is none of them."""

    name: str
    distinct: int
    """Distinct values."""
    units: int
    """Rows that have a value; where a person column is named, pairs of value and person."""
    missing: int = 0
    """Rows that have none; not counted where a person column is named."""
    people: int = 0
    """Where a person column is named: how many people there are, for who is asked about it."""

    @property
    def repeats(self) -> bool:
        """Whether a value stands in several rows, or with several people."""
        return self.distinct < self.units


@dataclass(frozen=True, kw_only=True)
class RowsOfPeople:
    """How many rows people have, who are told apart by a column."""

    people: int
    several: int
    """People with more than one row."""
    most: int
    """The rows of whoever has most."""
    nobody: int
    """Rows without a value in the column."""


@dataclass(frozen=True, kw_only=True)
class TablePlace:
    """A table of a database or a cluster, wherever that is.

    >>> str(TablePlace(address="postgresql://db.example/hospital", table="open.patients"))
    'postgresql://db.example/hospital::open.patients'
    """

    address: str
    """Of the server, never with a password."""
    table: str
    """As the plan spells it, with its schema where it has one."""

    @property
    def scheme(self) -> str:
        """What its address begins with."""
        return self.address.partition(":")[0]

    @property
    def name(self) -> str:
        return self.table

    @property
    def suffix(self) -> str:
        """In the stead of a file's, which says in what form data are."""
        return ".table"

    def __str__(self) -> str:
        return f"{self.address}::{self.table}"


@dataclass(frozen=True, kw_only=True)
class Written:
    """A file that is complete and in its place, or a table that is complete."""

    path: Path | TablePlace
    rows: int
    people: int
    sha256: str
    """Of the file's bytes, or of a table's rows in whatever order (`content_sha256`)."""


class Engine(Protocol):
    """A table about people, wherever it lives.

    Values are compared and handed out as text, as the source writes them: 007 stays 007, a
    float column may hold nan, inf and both zeros, and missing is a value of its own. Results
    name columns by position (q0, q1, ... and s0, s1, ...), so that no source name can clash.
    """

    @property
    def person(self) -> str | None:
        """The column that says which rows belong to the same person; None: each row is one."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None: ...

    def close(self) -> None:
        """Let go of the source and remove everything temporary."""
        ...

    def columns(self) -> tuple[str, ...]: ...

    @property
    def files(self) -> tuple[Path, ...]:
        """The files it reads, patterns resolved; none for a table in memory."""
        ...

    def rows_total(self) -> int: ...

    def respell(self, column: str, texts: Mapping[str, str]) -> None:
        """Read a column of text with some of its texts spelled otherwise, from now on.

        Whatever is counted, held or written has the new texts.

        Args:
            column: The column.
            texts: Text of the source -> what it is to be.

        Raises:
            DataError: The column is not of text.
        """
        ...

    def distinct(self, column: str, *, limit: int | None = None) -> list[str | None]:
        """The distinct values in order of their text, missing first; at most `limit`."""
        ...

    def profile(self, *, sample: int = SAMPLE) -> list[ColumnProfile]:
        """What each column looks like in the first `sample` rows; fewer for very wide tables."""
        ...

    def repeats(self, columns: Sequence[str], *, person: str | None = None) -> list[Repeats]:
        """How often the values of each column stand, counted in all rows.

        Texts that may be one person's ID in two spellings (`7`, `07`, `7.0`) are one value.

        Args:
            columns: The columns.
            person: The column that says whose row it is; then what counts is with how many people
                a value stands.
        """
        ...

    def empty_rows(self) -> int:
        """Rows in which every column is missing or blank."""
        ...

    def rows_of(self, person: str) -> RowsOfPeople:
        """How many rows people have whom this column tells apart."""
        ...

    def differing(self, person: str, columns: Sequence[str]) -> dict[str, int]:
        """For each column, how many people have rows with different values; missing is one.

        Rows of nobody do not count.
        """
        ...

    def keep_one_row(self, person: str, *, alike: Sequence[str], chosen: Mapping[str, str]) -> None:
        """Be a table with one row a person from now on.

        Args:
            person: The column that says whose row it is.
            alike: Columns in which the rows of a person must agree.
            chosen: Columns in which they may differ, and which of a person's values is kept:
                most-frequent (of several, the first by its text), smallest or largest. Numbers
                are compared as such. Missing is kept only where a person has no other value.

        Raises:
            DataError: Rows of a person differ, or the engine cannot do it.
        """
        ...

    def counts(
        self,
        columns: Sequence[str],
        *,
        sets: Sequence[str] = (),
        marks: Sequence[tuple[str, Sequence[str]]] = (),
    ) -> Table:
        """The frequency set: distinct tuples with people `n` and `rows`.

        Args:
            columns: The quasi-identifiers; q0, q1, ... of the result. With a person column
                they must agree within each person.
            sets: The sensitive columns; s0, s1, ... of the result. With a person column each
                is the sorted list of the person's distinct values (missing first), without
                one the plain value.
            marks: Lists of people, each a column that tells people apart and what it holds for
                those on the list; m0, m1, ... of the result say whether they are. With a person
                column it must be that one.

        Raises:
            DataError: Nobody in the table is who a list names, or several people are.
        """
        ...

    def tally(self, tally: Tally) -> Table:
        """Count and sum whole numbers in cells, with a rule for every row and every person.

        Whatever the data are, this does not fail, and what one person changes is bounded as
        the tally says.

        Returns:
            k0, k1, ... (int32 places of cells; text for cells as found), int64 `n`, and int64
            s0, s1, ..., held to 2^62 either way. Only cells with n > 0, in order of the keys,
            missing first; without cells exactly one line.
        """
        ...

    def tallies(self, tallies: Sequence[Tally]) -> list[Table]:
        """`tally` of each; what several of them need may be read at once."""
        ...

    def ready(self, tallies: Sequence[Tally]) -> None:
        """See, without a look at the rows, that these can be counted: before they are paid for."""
        ...

    def rows(self, columns: Sequence[str], limit: int) -> Table:
        """At most `limit` rows as text, for attacks on single records."""
        ...

    def hold(
        self,
        columns: Sequence[str],
        *,
        sets: Sequence[str] = (),
        codes: Sequence[Codes],
        barred: Collection[str] = (),
    ) -> FrequencySet:
        """Keep the frequency set here, coded, until the engine is closed.

        Args:
            columns: The quasi-identifiers, at least one.
            sets: The sensitive columns.
            codes: For each of the columns, then of the sets, the codes of all its values.
            barred: Those of them in which nobody who is held misses a value.

        Raises:
            DataError: People may have several rows, or somebody has a value without a code.
        """
        ...

    def write(
        self,
        mapping: Table | FrequencySet,
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
        """Publish the source with its quasi-identifiers recoded, in an order that tells nothing.

        Args:
            mapping: From raw tuples q0, q1, ... to published text p0, p1, .... Where the
                recoding also looks at sensitive values: s0, s1, ..., as `counts` gives them.
                Where it separates people of one cell: int64 `lo` and `hi`, this line is for
                the people whose rank in the cell is in [lo, hi). People whose cell or rank is
                not in the mapping are left out. Missing matches missing. Or what this engine
                holds, once it is solved.
            target: A .csv or .parquet file; replaced only when all is written and counted.
                Columns of types that Parquet would alter are written to it as text. Or, where the
                engine is a `TableEngine`, a table beside the source: it is `staged` until it is
                delivered.
            columns: The published columns in order. Quasi-identifiers are recoded, the others
                published as they are.
            quasi_identifiers: Source column of q0, q1, ....
            sensitive: Source column of s0, s1, ...; of what is held, its sets or none.
            keep: Quasi-identifiers the mapping leaves as they are; they keep the source's type.
            expect_people: How many people must have been written.
            expect_rows: How many rows must have been written; one of the two is needed.
            escape_formulas: Put an apostrophe before CSV text a spreadsheet would run, also
                before such names of columns.
        """
        ...

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
        """Publish counted tuples without going back to the source, each `rows` times.

        For a release that consists of recoded quasi-identifiers and sensitive columns only,
        one row a person: the counts determine it.

        Args:
            cells: A text column for each published column, in order, then int64 `rows`.
            target: As for `write`.
            columns: The published columns in order.
            keep: Columns whose text is the source's; they get back the source's type.
            expect_rows: How many rows must have been written.
            escape_formulas: As for `write`.
        """
        ...


class TableEngine(Engine, Protocol):
    """An engine that can publish a table where its source is.

    What `write` makes of a `TablePlace` is seen by nobody before `deliver`; closing the engine
    without that leaves nothing.
    """

    def reaches(self, place: TablePlace) -> bool:
        """Whether a release can be made there without rows leaving: it is where the source is."""
        ...

    def check_table(self, place: TablePlace, *, replace: bool) -> None:
        """Refuse early what would fail late.

        Raises:
            TargetError: A release cannot or must not be put there.
        """
        ...

    @property
    def staged(self) -> Engine:
        """The table that was written."""
        ...

    def deliver(self, certificate: str, *, replace: bool) -> None:
        """Let the written table and its certificate appear, together."""
        ...

    def content_sha256(self) -> str:
        """The hash of all rows of the source, in whatever order they are."""
        ...

    def certificate(self) -> str | None:
        """The certificate beside the source, if it has one."""
        ...
