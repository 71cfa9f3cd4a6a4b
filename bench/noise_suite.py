"""Answers with noise: what is measured, against whom, and what the page says about it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from bench.clock import Measured, command, process
from bench.noise import LARGE
from bench.suite import Bench, Row, Target

OURS = {
    "answers": (3, 9),
    "answers_sql": (3, 9),
    "answers_together": (3, 9),
    "exact": (3, 9),
    "answers_open": (3, 9),
    "exact_open": (3, 9),
    "tallies": (3, 9),
    "answer_steps": (2, 15),
    "contingency": (2, 3),
    "sampler_contingency": (2, 3),
    "draws": (1, 1),
    "sampler_draws": (1, 1),
    "range_queries": (1, 5),
}
"""Jobs of `bench.noise`: how many processes, and runs in each."""
PEERS = {"opendp": (1, 2), "diffprivlib": (2, 9)}
"""Jobs of `bench.noise_peers`."""

DUCKDB = """
import duckdb, sys
query = "SELECT avg(least(greatest(income, 0), 200000)) FROM '" + sys.argv[1] + "'"
print(duckdb.sql(query).fetchall())
"""


def measure(bench: Bench, *, large: bool = False) -> None:
    """All of it; what is compared takes turns.

    Args:
        bench: Where to keep it.
        large: Whether there is a larger table too.
    """
    for turn in range(max(processes for processes, _ in OURS.values())):
        for name, (processes, runs) in OURS.items():
            if turn < processes:
                bench.keep(f"noise_{name}", lambda name=name, runs=runs: process(
                    sys.executable, "bench.noise", name, bench.folder, str(runs)
                ))  # fmt: skip
        for name, (processes, runs) in PEERS.items():
            if turn < processes and bench.peers is not None:
                bench.keep(f"noise_{name}", lambda name=name, runs=runs: process(
                    bench.peers, "bench.noise_peers", name, bench.folder, str(runs)
                ))  # fmt: skip
    for _ in range(2 if large else 0):
        for name in ("answers", "answers_together", "exact"):
            bench.keep(f"noise_{name}_large", lambda name=name: process(
                sys.executable, "bench.noise", name, bench.folder / LARGE, "3"
            ))  # fmt: skip
    _commands(bench)


def _commands(bench: Bench) -> None:
    """Whole processes, timed from outside."""
    hedgerow = Path(sys.executable).with_name("hedgerow")
    asked = ["--mean", "income", "--epsilon", "0.1", "--anew", "--json"]
    source = bench.folder / "patients.parquet"
    for _ in range(3):
        bench.keep(
            "query_cold",
            lambda: command([hedgerow, "query", bench.folder / "patients.yaml", *asked]),
        )
        bench.keep("query_duckdb", lambda: command([sys.executable, "-c", DUCKDB, source]))
        for python, module, names in (
            (sys.executable, "bench.noise", ("answers", "exact")),
            (bench.peers, "bench.noise_peers", PEERS),
        ):
            for name in names if python is not None else ():
                bench.keep(f"script_{name}", lambda python=python, module=module, name=name:
                    command([python, "-m", module, name, bench.folder, "0"])
                )  # fmt: skip


def rows(found: Mapping[str, Measured]) -> list[Row]:
    """The comparisons that can be made with what was measured."""
    wanted: list[Row] = []

    def add(
        job: str, name: str, peer: str = "", theirs: str = "", target: Target | None = None,
        worth: str = "",
    ) -> None:  # fmt: skip
        if name in found:
            wanted.append(Row(job, found[name], peer, found.get(theirs), target, worth))

    half_more, faster = Target("within", 1.5), Target("faster", 1)
    five = "five answers with noise, 1,000,000 rows of Parquet, ledger included"
    opendp, diffprivlib = "OpenDP's context over polars", "diffprivlib's tools on arrays"
    add(five, "noise_answers", "DuckDB: the same five exactly, a new connection", "noise_exact",
        half_more)  # fmt: skip
    add("", "noise_answers", opendp, "noise_opendp", faster)
    add("", "noise_answers", diffprivlib, "noise_diffprivlib", faster)
    add("the same, every count in SQL", "noise_answers_sql",
        "DuckDB: the same five exactly, a new connection", "noise_exact", half_more)  # fmt: skip
    add("the same five, charged and answered together", "noise_answers_together",
        "DuckDB: the same five exactly, a new connection", "noise_exact", half_more)  # fmt: skip
    add("", "noise_answers_together", opendp, "noise_opendp", faster)
    add("", "noise_answers_together", diffprivlib, "noise_diffprivlib", faster)
    add("the same, 10,000,000 rows", "noise_answers_large",
        "DuckDB: the same five exactly, a new connection", "noise_exact_large",
        half_more)  # fmt: skip
    add("10,000,000 rows, together", "noise_answers_together_large",
        "DuckDB: the same five exactly, a new connection", "noise_exact_large",
        half_more)  # fmt: skip
    add("1,000,000 rows in a session that is open", "noise_answers_open",
        "DuckDB: in a connection that is open", "noise_exact_open")  # fmt: skip
    add("what the engine counts for them, in SQL", "noise_tallies",
        "DuckDB: in a connection that is open", "noise_exact_open", half_more)  # fmt: skip
    add("the same five, a whole script", "script_answers", "DuckDB", "script_exact")
    add("", "script_answers", opendp, "script_opendp", faster)
    add("", "script_answers", diffprivlib, "script_diffprivlib", faster)
    add("`hedgerow query --mean`, 1,000,000 rows of Parquet", "query_cold",
        "DuckDB in Python, whole process", "query_duckdb")  # fmt: skip
    add("", "query_cold", target=Target("under", 1.5))
    add("contingency table of 100,000 cells, ledger included", "noise_contingency",
        "OpenDP's sampler alone, 100,000 numbers", "noise_sampler_contingency",
        Target("within", 2), _share(found))  # fmt: skip
    add("1,000,000 discrete Laplace draws", "noise_draws", "OpenDP's sampler, called directly",
        "noise_sampler_draws", Target("within", 1.1))  # fmt: skip
    add("counts and intervals of 1,000,000 ranges, after release", "noise_range_queries",
        target=Target("under", 1))  # fmt: skip
    return wanted


def _share(found: Mapping[str, Measured]) -> str:
    ours, theirs = found.get("noise_contingency"), found.get("noise_sampler_contingency")
    if ours is None or theirs is None:
        return ""
    return f"the sampler is {min(1.0, theirs.cpu / ours.cpu):.0%} of it, in processor time"


STEPS = ("engine", "noise", "ledger", "rest", "all", "exact")


def steps(found: Mapping[str, Measured]) -> list[tuple[str, ...]]:
    """For each question: milliseconds of each step, of all, and of DuckDB's exact answer."""
    if "noise_answer_steps" not in found:
        return []
    taken: Mapping[str, Mapping[str, float]] = found["noise_answer_steps"].detail
    return [
        (name, *(f"{spent.get(step, 0.0) * 1000:.1f} ms" for step in STEPS))
        for name, spent in taken.items()
    ]


HEADINGS = ("question", "engine", "noise", "ledger", "rest", "all of it", "DuckDB, exactly")
WHERE = (
    "Each question in a session that is open, the best of many runs of each step, so that the "
    "steps may add up to a little less than all of it. *Engine* is the tally, *noise* the call of "
    "the sampler, *ledger* the two entries: the price before the data are touched, the answer "
    "before anybody sees it. Both are on the disk before the next step begins; that takes as long "
    "for ten rows as for ten million, and DuckDB, which remembers nothing, has no such step. The "
    "count of a Parquet file stands in the file, so that its ratio is all ledger. In a session "
    "that is open the columns have been read before, which DuckDB does for each question."
)
JOBS = (
    "- *Five answers with noise*: count, count of those aged 40 or more, sum and mean of incomes "
    "held between 0 and 200,000, histogram of 100 ages, epsilon 0.1 each, on a generated table "
    "(PCG64, seed 1). We read the plan, open the table and the ledger, answer, charge and keep "
    "every answer, and close both. DuckDB answers the same exactly, bounds included, on as many "
    "threads. OpenDP reads the file lazily; diffprivlib gets the two columns once, as arrays, "
    "which is counted. Neither keeps a ledger; diffprivlib draws its noise in floating point. "
    "*A whole script* includes the start of Python and all imports. Columns of whole numbers we "
    "read once in a session, like diffprivlib, and count in arrays; text, doubles and tables of "
    "some hundred megabytes are counted in SQL, each question by itself: *every count in SQL* is "
    "these five in that way. Asked one by one, each answer has two entries in the ledger that are "
    "on the disk before it is told, which takes some milliseconds for all five and does not grow "
    "with the table; together they have them at once. diffprivlib remembers nothing.",
    "- *Contingency table*: 100 ages, 100 jobs, 10 regions. Most of its time goes into the exact "
    "sampler, which takes some microseconds for each number; much of the rest into writing the "
    "answer down.",
    "- *Ranges*: any two of 1,000 cells, from the noisy counts of a tree.",
)
