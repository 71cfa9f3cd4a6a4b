"""A made-up census of any size, for measuring how cost grows with rows.

Parquet files of a million rows each: five quasi-identifiers, a sensitive column and a number of its
own in every row, so that writing has to go back to the rows. A file depends on its place and
its size alone, so the same rows give the same release wherever they are published.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

MILLION = 1_000_000
AGES, SEXES, REGIONS, SECTORS, STATES, ILLNESSES = 100, 2, 50, 10, 3, 20
TUPLES = AGES * SEXES * REGIONS * SECTORS * STATES * ILLNESSES
"""Distinct tuples there can be."""
COLUMNS = {"age": "integer", "sex": "text", "region": "text", "sector": "text",
           "married": "text", "illness": "text", "number": "bigint"}  # fmt: skip
"""The columns, and their types in PostgreSQL."""


def prepared(folder: Path, rows: int) -> Path:
    """A folder with the first so many rows; files that are there already are kept."""
    chosen = folder / f"first-{rows}"
    chosen.mkdir(parents=True, exist_ok=True)
    for part in range(-(-rows // MILLION)):
        size = min(MILLION, rows - part * MILLION)
        file = folder / (f"part-{part:03}" + f"-{size}" * (size < MILLION) + ".parquet")
        if not file.exists():
            _write(file, part, size)
        link = chosen / f"part-{part:03}.parquet"
        if not link.exists():
            link.symlink_to(file)
    return chosen


def _write(file: Path, part: int, rows: int) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet

    random = np.random.Generator(np.random.PCG64(part))

    def text(prefix: str, codes: Any) -> Any:
        names = pa.array([f"{prefix}{i:03}" for i in range(int(codes.max()) + 1)])
        return pa.DictionaryArray.from_arrays(pa.array(codes), names).cast(pa.string())

    age = np.clip(random.normal(45, 20, rows).round(), 0, AGES - 1).astype(np.int32)
    table = pa.table(
        {
            "age": pa.array(age),
            "sex": text("s", random.integers(0, SEXES, rows)),
            "region": text("r", (random.random(rows) ** 2 * REGIONS).astype(np.int64)),
            "sector": text("j", (random.random(rows) ** 3 * SECTORS).astype(np.int64)),
            "married": text("m", random.integers(0, STATES, rows)),
            "illness": text("i", (random.random(rows) ** 4 * ILLNESSES).astype(np.int64)),
            "number": pa.array(np.arange(part * MILLION, part * MILLION + rows)),
        }
    )
    whole = file.with_suffix(".part")
    pa.parquet.write_table(table, whole)
    whole.rename(file)


def load(folder: Path, address: str, table: str) -> None:
    """Put the rows of a folder into a new table of a PostgreSQL database, and analyse it."""
    import psycopg
    import pyarrow.csv
    import pyarrow.parquet

    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    plain = pyarrow.csv.WriteOptions(include_header=False)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {table} ({columns})".encode())
        statement = f"COPY {table} FROM STDIN (FORMAT csv)".encode()
        with connection.cursor() as cursor, cursor.copy(statement) as into:
            for file in sorted(folder.glob("*.parquet")):
                lines = io.BytesIO()
                pyarrow.csv.write_csv(pyarrow.parquet.read_table(file), lines, plain)
                into.write(lines.getvalue())
        connection.execute(f"VACUUM ANALYZE {table}".encode())


def plan(path: Path, source: str) -> Path:
    """Five quasi-identifiers: 6 x 2 x 5 x 2 x 2 = 240 nodes."""
    path.write_text(
        f"""source: "{source}"
columns:
  age: {{role: quasi-identifier, hierarchy: {{ranges: [5, 10, 20, 40]}}}}
  sex: quasi-identifier
  region: {{role: quasi-identifier, hierarchy: {{prefix: 4}}}}
  sector: quasi-identifier
  married: quasi-identifier
  illness: sensitive
  number: insensitive
protect:
  - k-anonymity: 5
  - l-diversity: {{kind: distinct, l: 2}}
method: {{search: lattice, suppress: 1%}}
publish: {{to: release, format: parquet}}
""",
        "utf-8",
    )
    return path


def count(written: Path, memory: str) -> int:
    """Count what a plan's source holds, as publishing does: the distinct tuples."""
    from hedgerow import Plan
    from hedgerow.engines import open_engine

    read = Plan.read(written)
    schema = read.schema()
    with open_engine(read.source, memory=memory) as engine:
        table: Any = engine.counts(schema.quasi_identifiers, sets=schema.sensitive)
        return int(table.num_rows)


if __name__ == "__main__":
    print(f'{{"cells": {count(Path(sys.argv[1]), sys.argv[2])}}}')
