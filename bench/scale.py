"""How cost grows with rows: `python -m bench.scale FOLDER --millions 1 10 100`.

A made-up census in Parquet files of a million rows each: five quasi-identifiers, a sensitive column
and a number of its own in every row, so that writing has to go back to the rows. Each size is
published by the command line as a steward would, the engine held to a limit of memory. Prints a
table for `docs/scale.md` and the line that fits best.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.clock import Measured, command

MILLION = 1_000_000
REGIONS, SECTORS, ILLNESSES = 50, 10, 20


@dataclass(frozen=True)
class Run:
    """One size on one engine."""

    engine: str
    millions: int
    counting: Measured
    publishing: Measured


def prepare(folder: Path, millions: int) -> None:
    """Files of a million rows; those that are there already are kept."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet

    folder.mkdir(parents=True, exist_ok=True)
    for part in range(millions):
        file = folder / f"part-{part:03}.parquet"
        if file.exists():
            continue
        random = np.random.Generator(np.random.PCG64(part))

        def text(prefix: str, codes: np.ndarray) -> pa.Array:
            names = pa.array([f"{prefix}{i:03}" for i in range(int(codes.max()) + 1)])
            return pa.DictionaryArray.from_arrays(pa.array(codes), names).cast(pa.string())

        age = np.clip(random.normal(45, 20, MILLION).round(), 0, 99).astype(np.int32)
        table = pa.table(
            {
                "age": pa.array(age),
                "sex": text("s", random.integers(0, 2, MILLION)),
                "region": text("r", (random.random(MILLION) ** 2 * REGIONS).astype(np.int64)),
                "sector": text("j", (random.random(MILLION) ** 3 * SECTORS).astype(np.int64)),
                "married": text("m", random.integers(0, 3, MILLION)),
                "illness": text("i", (random.random(MILLION) ** 4 * ILLNESSES).astype(np.int64)),
                "number": pa.array(np.arange(part * MILLION, (part + 1) * MILLION)),
            }
        )
        part_file = file.with_suffix(".part")
        pa.parquet.write_table(table, part_file)
        part_file.rename(file)


def plan(folder: Path, source: str, to: Path) -> Path:
    """Five quasi-identifiers: 6 x 2 x 5 x 2 x 2 = 240 nodes."""
    path = folder / "plan.yaml"
    path.write_text(
        f"""source: {source}
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
publish: {{to: {to}, format: parquet}}
""",
        "utf-8",
    )
    return path


def measured(folder: Path, millions: int, memory: str) -> Run:
    """Counting alone, then the whole of `hedgerow publish`."""
    hedgerow = Path(sys.executable).with_name("hedgerow")
    part = folder / f"first-{millions}"
    part.mkdir(exist_ok=True)
    for i in range(millions):
        link = part / f"part-{i:03}.parquet"
        if not link.exists():
            link.symlink_to(folder / link.name)
    to = folder / f"release-{millions}"
    shutil.rmtree(to, ignore_errors=True)
    written = plan(folder, f"{part}/*.parquet", to)
    counting = command([sys.executable, "-m", "bench.scale", str(written), "--count", memory])
    publish = [hedgerow, "publish", written, "--memory", memory, "--no-report", "--json"]
    publishing = command(publish)
    shutil.rmtree(to, ignore_errors=True)
    return Run("DuckDB", millions, counting, publishing)


def count(written: Path, memory: str) -> None:
    """What counting the table alone takes; run in a process of its own."""
    from hedgerow import Plan
    from hedgerow.engines import open_engine

    read = Plan.read(written)
    schema = read.schema()
    with open_engine(read.source, memory=memory) as engine:
        table = engine.counts(schema.quasi_identifiers, sets=schema.sensitive)
        print(f'{{"cells": {table.num_rows}}}')


def line(runs: list[Run]) -> tuple[float, float]:
    """Seconds for nothing, and for each further million rows, by least squares."""
    import numpy as np

    sizes = np.array([run.millions for run in runs], float)
    taken = np.array([run.publishing.seconds for run in runs])
    # Weighted by 1 / size: else the largest run alone would decide.
    weights = 1 / sizes
    slope, begin = np.polyfit(sizes, taken, 1, w=weights)
    return float(begin), float(slope)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("folder", type=Path, help="for the files, 8 MB a million rows")
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--memory", default="2GB", help="what the engine may use")
    parser.add_argument("--count", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.count:
        count(chosen.folder, chosen.count)
        return 0
    folder = chosen.folder.absolute()
    prepare(folder, max(chosen.millions))
    runs = [measured(folder, millions, chosen.memory) for millions in sorted(chosen.millions)]
    print("| rows | cells | counting | publish | processor time | peak memory | s per million |")
    print("|---|---|---|---|---|---|---|")
    for run in runs:
        whole = run.publishing
        print(
            f"| {run.millions:,},000,000 | {run.counting.detail['cells']:,} "
            f"| {run.counting.seconds:.1f} s | {whole.seconds:.1f} s | {whole.cpu:.1f} s "
            f"| {whole.memory / 2**30:.2f} GB | {whole.seconds / run.millions:.2f} |"
        )
    if len(runs) > 1:
        begin, slope = line(runs)
        print(f"\npublish takes about {begin:.1f} s and {slope:.2f} s for each million rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
