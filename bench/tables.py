"""The tables that are measured on: Adult, a million rows drawn from it, a census, patients.

Run as `python -m bench.tables FOLDER`, so that the process that measures needs no NumPy.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from bench import noise
from bench.clock import Measured, tell

COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours", "native-country",
    "salary-class",
)  # fmt: skip
"""Of adult.data, which has no header."""
NINE = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip
"""The quasi-identifiers."""
EIGHT = tuple(name for name in NINE if name != "occupation")
"""The quasi-identifiers where the occupation is sensitive."""
SEVEN = tuple(name for name in NINE if name not in ("workclass", "salary-class"))
"""Those of the 60,000 rows, where the salary class is sensitive."""
REDRAWN = 0.1
MILLION = 1_000_000
SUPPRESS = "5%"


def data_folder() -> Path | None:
    """The folder of Adult and its hierarchies, where there is one."""
    given = os.environ.get("HEDGEROW_DATA")
    folder = Path(given) / "adult" if given else None
    return folder if folder is not None and (folder / "adult.data").exists() else None


def read_adult(folder: Path) -> pa.Table:
    """The complete rows: those without a `?`."""
    with (folder / "adult.data").open() as lines:
        rows = [row for row in csv.reader(lines, skipinitialspace=True) if row and "?" not in row]
    places = [COLUMNS.index(name) for name in NINE]
    return pa.table([[row[i] for row in rows] for i in places], names=list(NINE))


def drawn(table: pa.Table, rows: int, *, seed: int) -> pa.Table:
    """Rows drawn with replacement, then a tenth of each column's cells redrawn on their own.

    Drawing alone would give no tuple Adult does not have. With 1,000,000 rows and seed 1 there
    are 179,158 distinct ones.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    row = random.integers(0, table.num_rows, rows)
    columns = []
    for name in table.column_names:
        at = row.copy()
        again = random.random(rows) < REDRAWN
        at[again] = random.integers(0, table.num_rows, int(again.sum()))
        columns.append(table[name].take(pa.array(at)))
    return pa.table(columns, names=table.column_names)


CENSUS = {
    "age": {str(age): 60 - abs(age - 40) // 2 for age in range(17, 90)},
    "marital": {"married": 50, "separated": 3, "divorced": 10, "widowed": 6, "never married": 30,
                "spouse absent": 1},
    "race": {f"race {i}": 2 ** (9 - i) for i in range(9)},
    "sex": {"F": 51, "M": 49},
    "salary": {"high": 334, "low": 666},
}  # fmt: skip
"""Columns like those of the VLDB 2009 experiment: values and their weights."""
EVER = ("married", "separated", "divorced", "widowed", "spouse absent")


def census(rows: int, *, seed: int) -> pa.Table:
    """People whose salary depends on all else, so that groups differ."""
    random = np.random.Generator(np.random.PCG64(seed))
    codes = {}
    for name, weights in CENSUS.items():
        p = np.array(list(weights.values()), float)
        codes[name] = random.choice(len(p), size=rows, p=p / p.sum())
    older, married = codes["age"] > 20, codes["marital"] == 0
    rich = 0.15 + 0.2 * older + 0.1 * married + 0.05 * codes["sex"] - 0.01 * codes["race"]
    codes["salary"] = (random.random(rows) >= rich).astype(np.int64)
    columns = [
        pa.array(list(CENSUS[name])).take(pa.array(codes[name])).cast(pa.string())
        for name in CENSUS
    ]
    return pa.table(columns, names=list(CENSUS))


def write_census_plan(path: Path, source: Path) -> None:
    """The lattice of that experiment: 6 x 3 x 2 x 2 = 72 nodes."""
    ever = ", ".join(EVER)
    path.write_text(
        f"""source: {source}
columns:
  age: {{role: quasi-identifier, hierarchy: {{ranges: [5, 10, 20, 40]}}}}
  marital: {{role: quasi-identifier,
            hierarchy: {{taxonomy: {{once married: [{ever}], never: [never married]}}}}}}
  race: quasi-identifier
  sex: quasi-identifier
  salary: sensitive
protect:
  - epsilon-privacy: {{epsilon: 2.5, adversary: {{class: II, stubbornness: 1000}}}}
""",
        "utf-8",
    )


def write_plan(
    path: Path,
    source: Path,
    hierarchies: Path,
    *,
    names: Sequence[str] = NINE,
    sensitive: str | None = None,
    others: Sequence[str] = (),
) -> None:
    """A plan for a table with Adult's columns: k = 5, suppression 5 %, metric loss."""
    lines = [f"source: {source}", "columns:"]
    for name in names:
        file = hierarchies / f"hierarchy_{name}.csv"
        lines.append(f"  {name}: {{role: quasi-identifier, hierarchy: {file}}}")
    if sensitive is not None:
        lines.append(f"  {sensitive}: sensitive")
    lines += [f"  {name}: insensitive" for name in others]
    lines += ["protect:", "  - k-anonymity: 5"]
    if sensitive is not None:
        lines.append(f"  - t-closeness: {{t: 0.2, distance: equal, of: {sensitive}}}")
    lines += [f"method: {{search: lattice, suppress: {SUPPRESS}}}", "utility: loss"]
    lines.append(f"publish: {{to: release, format: {source.suffix[1:]}}}")
    path.write_text("\n".join(lines) + "\n", "utf-8")


def prepare(
    folder: Path, adult: Path, *, rows: int = MILLION, people: int = 3 * MILLION, large: int = 0
) -> dict[str, int]:
    """Write the tables and plans of all jobs into a folder.

    Args:
        folder: Where to.
        adult: Folder of Adult and its hierarchies.
        rows: Of the table drawn from it, and of the patients asked about with noise.
        people: Of the census.
        large: Rows of the Parquet file for the measurement of memory, or none.
    """
    table = read_adult(adult)
    more = drawn(table, rows, seed=1)
    for name, contents in (("adult", table), ("million", more)):
        pa.csv.write_csv(
            contents, folder / f"{name}.csv", pa.csv.WriteOptions(quoting_style="none")
        )
        write_plan(folder / f"{name}.yaml", folder / f"{name}.csv", adult)
    write_plan(
        folder / "close.yaml", folder / "adult.csv", adult, names=EIGHT, sensitive="occupation"
    )
    write_plan(
        folder / "close_million.yaml", folder / "million.csv", adult, names=EIGHT,
        sensitive="occupation",
    )  # fmt: skip
    _write_smaller(folder, table, adult)
    everybody = census(people, seed=1)
    pa.csv.write_csv(everybody, folder / "census.csv", pa.csv.WriteOptions(quoting_style="none"))
    pa.parquet.write_table(everybody, folder / "census.parquet")
    for form in ("csv", "parquet"):
        write_census_plan(folder / f"census_{form}.yaml", folder / f"census.{form}")
    noise.prepare(folder, rows)
    if large:
        noise.prepare(folder / noise.LARGE, large)
        _write_large(folder / "large.parquet", table, large)
        write_plan(folder / "large.yaml", folder / "large.parquet", adult, others=("number",))
    distinct = more.group_by(list(NINE)).aggregate([]).num_rows
    return {"rows": table.num_rows, "drawn": more.num_rows, "distinct": distinct}


def _write_smaller(folder: Path, table: pa.Table, adult: Path) -> None:
    """300,000 rows drawn like the million; 60,000 with t-closeness and nothing else."""
    plain = pa.csv.WriteOptions(quoting_style="none")
    pa.csv.write_csv(drawn(table, 300_000, seed=1), folder / "noisy.csv", plain)
    write_plan(folder / "noisy.yaml", folder / "noisy.csv", adult)
    sixty = drawn(table, 60_000, seed=1).select([*SEVEN, "salary-class"])
    pa.csv.write_csv(sixty, folder / "sixty.csv", plain)
    plan = folder / "sixty.yaml"
    write_plan(plan, folder / "sixty.csv", adult, names=SEVEN, sensitive="salary-class")
    asked = plan.read_text("utf-8").replace("  - k-anonymity: 5\n", "").replace("0.2,", "0.25,")
    plan.write_text(asked, "utf-8")


def _write_large(path: Path, table: pa.Table, rows: int) -> None:
    """With a number of its own in each row, so that the rows themselves have to be read again."""
    schema = pa.schema([*table.schema, pa.field("number", pa.int64())])
    with pa.parquet.ParquetWriter(path, schema) as file:
        for part, start in enumerate(range(0, rows, MILLION)):
            some = drawn(table, min(MILLION, rows - start), seed=1 + part)
            numbers = pa.array(np.arange(start, start + some.num_rows))
            file.write_table(some.append_column("number", numbers))


if __name__ == "__main__":
    where = data_folder()
    assert where is not None, "HEDGEROW_DATA"
    made = prepare(Path(sys.argv[1]), where, large=int(sys.argv[2]))
    tell(Measured(0.0, 0.0, 0, 1, made))
