"""Safe k-anonymisation of Adult: how many rows are lost at epsilon 1 and delta 1e-6, how fast.

Run as `python -m bench.safe JOB FOLDER RUNS`, FOLDER having adult.csv; without arguments, all.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

from bench.clock import BenchError, Job, Measured, process, tell, timed
from bench.suite import Bench, Row

RUNS = 20
SAFEPUB = (13_036, 29_481)
"""Rows that ARX's SafePub is reported to lose at this guarantee: the least, and the most."""
METHOD = {"search": "safe", "epsilon": "1", "delta": "1e-6"}
JOBS: dict[str, dict[str, str]] = {
    "rows": {"beta": "0.9"},
    "granularity": {"beta": "0.85", "row": "0%"},
    "public": {"beta": "0.9", "levels_from": "others.csv"},
}
TOLD = {
    "rows": "safe k-anonymisation, ε = 1, δ = 1e-6, nine columns: choose among 12,960 nodes, "
    "draw, leave out (β = 0.9)",
    "granularity": "the same, rows worth nothing by themselves (β = 0.85)",
    "public": "the same, levels from the 15,060 people of Adult's test data (β = 0.9)",
}


def prepared(name: str, folder: Path) -> Job:
    """Adult, counted: what is timed is everything after that, as publishing does it."""
    from bench.tables import NINE, data_folder
    from hedgerow.engines import open_engine
    from hedgerow.plan.plan import Plan
    from hedgerow.release.safe.design import SampledGroups, Sampling
    from hedgerow.release.safe.request import SafeRequest

    adult = data_folder()
    if adult is None:
        raise BenchError("set HEDGEROW_DATA to the folder with the Adult data")
    columns = {
        column: {
            "role": "quasi-identifier",
            "hierarchy": str(adult / f"hierarchy_{column}.csv"),
            "domain": "hierarchy",
        }
        for column in NINE
    }
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as others:
        method = METHOD | JOBS[name]
        if "levels_from" in method:
            method["levels_from"] = str(other_people(adult, Path(others)))
        plan = Plan.of(columns=columns, population="adult", privacy="add-remove", method=method)
        request = SafeRequest.of(plan)
    sampling = Sampling(request)
    with open_engine(folder / "adult.csv") as engine:
        cells = sampling.read([engine.tally(tally) for tally in sampling.tallies])
    people, lost = cells.people, []

    def work() -> SampledGroups:
        found = sampling.noisy(cells)
        lost.append(people - int(found.counts.sum()))
        return found

    def describe(found: SampledGroups) -> dict[str, float]:
        return {
            "k": request.terms.safe.k,
            "people": people,
            "lost": fmean(lost),
            "least": min(lost),
            "most": max(lost),
            "runs": len(lost),
        }

    return Job(work, describe)


def other_people(adult: Path, folder: Path) -> Path:
    """Adult's test data as a table like the one that is published."""
    from bench.tables import COLUMNS, NINE

    file, places = folder / "others.csv", [COLUMNS.index(name) for name in NINE]
    # The first line is a remark, and classes end in a full stop.
    lines = (adult / "adult.test").read_text("utf-8").splitlines()[1:]
    rows = [line.rstrip(".").split(", ") for line in lines if line and "?" not in line]
    text = [",".join(NINE), *(",".join(row[place] for place in places) for row in rows)]
    file.write_text("\n".join(text) + "\n", "utf-8")
    return file


def measure(bench: Bench) -> None:
    """Each job in a process of its own."""
    for name in JOBS:
        bench.keep(f"safe_{name}", lambda name=name: process(
            sys.executable, "bench.safe", name, bench.folder, str(RUNS)
        ))  # fmt: skip


def rows(found: Mapping[str, Measured]) -> list[Row]:
    """What was measured, beside what is published of ARX, which was not run here."""
    return [
        Row(words, found[f"safe_{name}"], worth=worth(found[f"safe_{name}"]))
        for name, words in TOLD.items()
        if f"safe_{name}" in found
    ]


def worth(measured: Measured) -> str:
    """Rows lost, ours and theirs."""
    told = measured.detail
    return (
        f"k = {told['k']:,}; {told['lost']:,.0f} of {told['people']:,} rows lost on average of "
        f"{told['runs']:,} runs ({told['least']:,} to {told['most']:,}); ARX SafePub, as "
        f"reported: {SAFEPUB[0]:,} to {SAFEPUB[1]:,}"
    )


def main(arguments: list[str]) -> int:
    if arguments:
        name, folder, runs = arguments
        tell(timed(prepared(name, Path(folder)), repeats=int(runs), warm=False, seconds=60))
        return 0
    import pyarrow.csv

    from bench.tables import data_folder, read_adult

    adult = data_folder()
    if adult is None:
        print("set HEDGEROW_DATA to the folder with the Adult data", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as name:
        folder = Path(name)
        options = pyarrow.csv.WriteOptions(quoting_style="none")
        pyarrow.csv.write_csv(read_adult(adult), folder / "adult.csv", options)
        for job in JOBS:
            found = process(sys.executable, "bench.safe", job, folder, str(RUNS))
            print(f"{found.seconds:7.3f} s  {TOLD[job]}\n           {worth(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
