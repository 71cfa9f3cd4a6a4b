"""Writing: a relation becomes a file whose order tells nothing about the source's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from hedgerow.engines import csv_lines
from hedgerow.engines.file_target import replacing
from hedgerow.engines.session import DuckDBSession, identifier, literal

REPEATED_BYTES = 65_536
"""Bytes of equal lines handed over as one value; bounds memory where many rows are equal."""


def write_ordered(
    session: DuckDBSession,
    relation: str,
    target: Path,
    *,
    names: Sequence[str],
    repeated: bool,
    escape_formulas: bool,
    check: Callable[[int], None],
) -> tuple[int, str]:
    """Write a relation, sorted by the text of all its columns.

    Args:
        session: What runs it.
        relation: SQL with each column as text t0, t1, ... and as it is o0, o1, ....
        target: A .csv or .parquet file.
        names: Published names of the columns.
        repeated: The relation has `rows`, how often to write each of its tuples.
        escape_formulas: Put an apostrophe before CSV text a spreadsheet would run, also before
            such names.
        check: Called with the number of rows written, before the file takes its place; what
            it raises leaves nothing behind.

    Returns:
        Rows written and the file's SHA-256.
    """
    with replacing(target) as part:
        if target.suffix.lower() == ".csv":
            rows = session.run(
                lambda: _csv(session, relation, part, target, names, repeated, escape_formulas),
                target=target,
            )
        else:
            # What DuckDB knows of the source would show: a column is written as one without
            # missing values if there was none in the source, left out or not.
            with session.without_statistics():
                rows = session.do(_parquet(relation, part, names, repeated), target=target)
        check(rows)
        with part.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    return rows, digest


def other_form(
    session: DuckDBSession, file: Path, names: Sequence[str], texts: Sequence[str]
) -> bool:
    """Whether a file is another one than is written for the rows in it.

    All of a CSV file is made again and compared, byte for byte. Of a Parquet file, whose bytes
    hang on the version that wrote it, the order of rows is compared, and that it holds no notes.

    Args:
        session: Its view `source` shows the file.
        file: The file.
        names: Its columns.
        texts: SQL of their texts.
    """
    shown = ", ".join(f"{text} AS t{i}" for i, text in enumerate(texts))
    again = f"SELECT {shown}, count(*) AS rows FROM source GROUP BY ALL"
    if file.suffix.lower() == ".csv":
        return not session.run(lambda: _holds(session, file, again, names))
    if pq.read_metadata(file).metadata:
        return True
    places = f"SELECT {shown}, row_number() OVER () AS place FROM source"
    ranks = f"SELECT place, rank() OVER (ORDER BY {_order(len(texts))}) AS rank FROM ({places})"
    return bool(
        session.number(
            f"SELECT count(*) FROM (SELECT rank < lag(rank) OVER (ORDER BY place) AS sinks "
            f"FROM ({ranks})) WHERE sinks"
        )
    )


def _holds(session: DuckDBSession, file: Path, relation: str, names: Sequence[str]) -> bool:
    """Whether a CSV file is what is written for a relation with `rows`."""
    with (
        file.open("rb") as found,
        closing(_lines(session, relation, file, names, repeated=True, escape=False)) as lines,
    ):
        # Arrow's bytes have a sign, and as they are would equal none of Python's above 127.
        same = all(found.read(len(line)) == bytes(line) for line, _ in lines)
        return same and not found.read(1)


def _order(count: int) -> str:
    return ", ".join(f"t{i} NULLS FIRST" for i in range(count))


def _csv(
    session: DuckDBSession,
    relation: str,
    part: Path,
    target: Path,
    names: Sequence[str],
    repeated: bool,
    escape: bool,
) -> int:
    rows = 0
    with (
        part.open("wb") as file,
        closing(_lines(session, relation, target, names, repeated, escape)) as lines,
    ):
        for line, written in lines:
            file.write(line)
            rows += written
    return rows


def _lines(
    session: DuckDBSession,
    relation: str,
    target: Path,
    names: Sequence[str],
    repeated: bool,
    escape: bool,
) -> Generator[tuple[bytes | memoryview, int], None, None]:
    """The bytes of a CSV file, some at a time, with how many rows they are."""
    texts = [f"t{i}" for i in range(len(names))]
    shown = [csv_lines.escaped(t) if escape else t for t in texts]
    sql = f"SELECT {', '.join(f'{s} AS {t}' for s, t in zip(shown, texts, strict=True))}"
    sql += f"{', rows' if repeated else ''} FROM ({relation})"
    sql = f"SELECT *, {csv_lines.line(texts)} AS line FROM ({sql})"
    if repeated:
        step = f"greatest(1, {REPEATED_BYTES} // strlen(line))"
        sql = f"SELECT *, unnest(range(0, rows, {step})) AS done, {step} AS step FROM ({sql})"
    times = "least(step, rows - done)" if repeated else "1::BIGINT"
    sql = f"SELECT line, {times} AS times FROM ({sql}) ORDER BY {_order(len(names))}"
    with closing(session.stream(sql, target)) as batches:
        yield csv_lines.header(names, escape=escape), 0
        for batch in batches:
            lines, copies = batch.columns
            # Copies are made after sorting, so that only one of them is sorted.
            copied = pc.binary_repeat(lines, copies) if repeated else lines
            yield csv_lines.payload(copied), int(copies.to_numpy().sum())


def _parquet(relation: str, part: Path, names: Sequence[str], repeated: bool) -> str:
    if repeated:
        # Places are sorted in place of texts: a row for each copy, but one integer to compare.
        relation = (
            f"SELECT * FROM (SELECT *, row_number() OVER (ORDER BY {_order(len(names))}) AS place "
            f"FROM ({relation})), range(rows)"
        )
    columns = ", ".join(f"o{i} AS {identifier(name)}" for i, name in enumerate(names))
    order = "place" if repeated else _order(len(names))
    return (
        f"COPY (SELECT {columns} FROM ({relation}) ORDER BY {order}) "
        f"TO {literal(str(part))} (FORMAT parquet, USE_TMP_FILE false)"
    )
