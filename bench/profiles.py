"""The profile of a table of a million rows, beside DuckDB's SUMMARIZE of the same file.

Run as `python -m bench.profiles JOB FOLDER REPEATS`; without arguments, all with targets. Needs no
data: the people are made up.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.clock import Job, Measured, process, tell, timed
from bench.suite import Bench, Row, Target

ROWS = 1_000_000
RUNS = "5"
JOBS: dict[str, Callable[[Path], Job]] = {}
TOLD = {
    "csv": ("the profile of 1,000,000 rows and 15 columns of CSV, all pairs of columns included",
            "summarize_csv"),
    "parquet": ("the same, Parquet", "summarize_parquet"),
    "special": ("the same, with three columns together and special uniques, Parquet", ""),
}  # fmt: skip
"""Each job in words, and DuckDB's that it is compared with."""


def job(make: Callable[[Path], Job]) -> Callable[[Path], Job]:
    """Register what prepares a job under its name."""
    JOBS[make.__name__] = make
    return make


def people(folder: Path) -> Path:
    """The table, made once: a folder with people.csv and people.parquet."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    if (folder / "people.parquet").exists():
        return folder
    draw = np.random.default_rng(7)
    day = np.datetime64("1930-01-01")
    zips = draw.integers(0, 20_000, ROWS)
    codes = np.array([f"{c}{i:02d}.{j}" for c in "ABCDEFG" for i in range(100) for j in range(5)])
    columns = {
        "id": 1_000_000 + np.arange(ROWS),
        "sex": draw.choice(["f", "m"], ROWS),
        "birth_date": (day + draw.integers(0, 30_000, ROWS)).astype(str),
        "zip": np.char.zfill(zips.astype(str), 5),
        "city": np.char.add("city ", (zips // 10).astype(str)),
        "age": draw.integers(0, 100, ROWS),
        "income": np.round(draw.lognormal(10, 1, ROWS), 2),
        "job": draw.integers(0, 500, ROWS),
        "education": draw.choice(["none", "school", "college", "doctorate"], ROWS),
        "marital": draw.choice(["single", "married", "divorced", "?"], ROWS),
        "hours": np.where(draw.random(ROWS) < 0.05, -9, draw.integers(0, 80, ROWS)),
        "diagnosis": codes[draw.integers(0, len(codes), ROWS)],
        "smoker": draw.choice(["no", "no", "no", "yes"], ROWS),
        "weight": np.round(draw.normal(75, 12, ROWS), 1),
        "admitted": (day + 29_000 + draw.integers(0, 4_000, ROWS)).astype(str),
    }
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    pa.csv.write_csv(table, folder / "people.csv")
    pa.parquet.write_table(table, folder / "people.parquet")
    return folder


@job
def csv(folder: Path) -> Job:
    return _profile(people(folder) / "people.csv", deep=False)


@job
def parquet(folder: Path) -> Job:
    return _profile(people(folder) / "people.parquet", deep=False)


@job
def special(folder: Path) -> Job:
    return _profile(people(folder) / "people.parquet", deep=True)


@job
def summarize_csv(folder: Path) -> Job:
    return _summary(people(folder) / "people.csv")


@job
def summarize_parquet(folder: Path) -> Job:
    return _summary(people(folder) / "people.parquet")


def _profile(file: Path, *, deep: bool) -> Job:
    from hedgerow import look

    def describe(found: Any) -> dict[str, Any]:
        return {
            "rows": found.looked_at,
            "combinations": len(found.combinations),
            "dependencies": len(found.dependencies),
        }

    return Job(lambda: look(file, deep=deep), describe)


def _summary(file: Path) -> Job:
    import duckdb

    def work() -> int:
        with duckdb.connect() as own:
            return len(own.sql(f"SUMMARIZE SELECT * FROM '{file}'").fetchall())

    return Job(work, lambda columns: {"columns": columns})


def measure(bench: Bench) -> None:
    """All jobs, each in a process of its own."""
    for name in JOBS:
        bench.keep(f"profiles_{name}", lambda name=name: process(
            sys.executable, "bench.profiles", name, bench.folder, RUNS
        ))  # fmt: skip


def rows(found: Mapping[str, Measured]) -> list[Row]:
    """What was measured, with targets."""
    listed = []
    for name, (words, theirs) in TOLD.items():
        ours, peer = found.get(f"profiles_{name}"), found.get(f"profiles_{theirs}")
        if ours is not None:
            target = Target("within", 3) if theirs else None
            listed.append(Row(words, ours, "DuckDB: SUMMARIZE" if peer else "", peer, target))
    return listed


def main(arguments: list[str]) -> int:
    if arguments:
        name, folder, repeats = arguments
        tell(timed(JOBS[name](Path(folder)), repeats=int(repeats)))
        return 0
    missed = 0
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as name:
        found = {
            f"profiles_{one}": process(sys.executable, "bench.profiles", one, name, RUNS)
            for one in JOBS
        }
    for row in rows(found):
        missed += row.met is False
        memory, theirs = row.ours.memory / 1e6, row.seconds or 0.0
        print(f"{row.ours.seconds:8.3f} s {row.ours.cpu:8.3f} s {memory:6.0f} MB  {theirs:8.3f} s  "
              f"{row.target!s:22}  {row.job}  {row.ours.detail}")  # fmt: skip
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
