"""Searches of lattices that are too large to be searched to the end, for a time.

Run as `python -m bench.wide`; `python -m bench.wide TABLE METHOD SECONDS FOLDER` measures one. The
methods share every kernel, so that what differs is where they look: the portfolio that `publish`
uses; boxes after a greedy descent from the top, which it used before; and a genetic search of the
usual kind, written for this page.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import wide_tables
from bench.clock import Job, Measured, process, tell, timed
from bench.suite import Bench, Row
from bench.work import cells_of

SECONDS = (10, 60)
METHODS = ("portfolio", "boxes", "genetic")
TOLD = {"drawn": "24 columns that are drawn", "ipums": "24 columns of IPUMS",
        "nist": "22 columns of NIST's national2019"}  # fmt: skip
POPULATION, ELITE, MUTATED = 100, 20, 0.05
"""Of the genetic search: nodes, those that stay, and the share of columns that change."""


def search_of(plan: Path) -> Any:
    """The search of the plan's lattice, counted but not begun."""
    from hedgerow.plan.plan import Plan
    from hedgerow.recode.constraints import SearchConstraints
    from hedgerow.recode.lattice import Lattice
    from hedgerow.recode.metrics import METRICS
    from hedgerow.recode.search import Search

    cells = cells_of(plan)
    limit = int(wide_tables.SUPPRESS * cells.people)
    models = Plan.read(plan).models()
    return Search(Lattice.of(cells), SearchConstraints(models, limit), METRICS["loss"])


def portfolio(search: Any, seconds: float) -> dict[str, Any]:
    from hedgerow.recode.portfolio import Portfolio

    made = Portfolio(search)
    return _told(search, made.run(seconds=seconds), made.evaluated)


def boxes(search: Any, seconds: float) -> dict[str, Any]:
    (found,) = search.run(seconds=seconds)
    return _told(search, found, search.evaluated)


def genetic(search: Any, seconds: float) -> dict[str, Any]:
    """Tournaments, uniform crossover, steps of one level; the coarsest node is there at first."""
    import numpy as np

    lattice = search.lattice
    random = np.random.Generator(np.random.PCG64(1))
    low, high = np.array(lattice.bottom), np.array(lattice.top)
    end, known = time.monotonic() + seconds, {}

    def worth(node: Any) -> tuple[float, float]:
        key = tuple(int(level) for level in node)
        if key not in known:
            found = search.evaluate(lattice.roll_up(lattice.base, key))
            # What suppresses too many is the better the fewer there are.
            cost = float(found.cost[0]) if found.feasible[0] else np.inf
            known[key] = (cost, float(found.left_out[0]))
        return known[key]

    nodes = [high, *(random.integers(low, high + 1) for _ in range(POPULATION - 1))]
    while time.monotonic() < end:
        nodes = sorted({tuple(map(int, node)) for node in nodes}, key=worth)[:POPULATION]
        children = [np.array(node) for node in nodes[:ELITE]]
        while len(children) < POPULATION and time.monotonic() < end:
            one, two = (nodes[int(random.integers(0, len(nodes), 3).min())] for _ in range(2))
            child = np.where(random.random(len(low)) < 0.5, one, two)
            step = random.choice((-1, 1), len(low)) * (random.random(len(low)) < MUTATED)
            child = np.clip(child + step, low, high)
            worth(child)
            children.append(child)
        nodes = children
    return {"nodes": lattice.size, "evaluated": len(known),
            "loss": min(cost for cost, _ in known.values()), "bound": 0.0}  # fmt: skip


def _told(search: Any, found: Any, evaluated: int) -> dict[str, Any]:
    return {"nodes": search.lattice.size, "evaluated": evaluated, "loss": found.cost,
            "bound": found.bound}  # fmt: skip


def one(table: str, method: str, seconds: float, folder: Path) -> Measured:
    """A single run, in this process; kernels are loaded before."""
    plan = folder / table / "plan.yaml"
    if not plan.exists():
        plan = wide_tables.write(folder, table)
    run = {"portfolio": portfolio, "boxes": boxes, "genetic": genetic}[method]
    run(search_of(plan), 0.5)
    search = search_of(plan)
    return timed(Job(lambda: run(search, seconds), dict), repeats=1, warm=False)


def measure(bench: Bench) -> None:
    """All tables that are here, all methods, each in a process of its own."""
    for table in wide_tables.tables():
        for seconds in SECONDS:
            for method in METHODS if seconds == SECONDS[0] else METHODS[:1]:
                bench.keep(f"wide_{table}_{method}_{seconds}", lambda a=(
                    table, method, str(seconds), bench.folder
                ): process(sys.executable, "bench.wide", *a))  # fmt: skip


def rows(found: Mapping[str, Measured]) -> list[Row]:
    """What they found; each takes as long as it is given."""
    told = []
    for table, words in TOLD.items():
        for seconds in SECONDS:
            runs = {m: found.get(f"wide_{table}_{m}_{seconds}") for m in METHODS}
            ours = runs["portfolio"]
            if ours is None:
                continue
            detail = ours.detail
            gap = (detail["loss"] - detail["bound"]) / detail["loss"]
            worth = f"loss {detail['loss']:.4f}, bound {detail['bound']:.4f}, gap {gap:.0%}"
            for method, run in list(runs.items())[1:]:
                if run is not None:
                    worth += f"; {method} {run.detail['loss']:.4f}"
                    if run.detail["bound"] > 0:
                        worth += f", bound {run.detail['bound']:.4f}"
            job = f"{words}, {detail['nodes']:.2g} nodes, k = 5, 10 % left out, {seconds} s"
            told.append(Row(job, ours, worth=worth))
    return told


def main(arguments: list[str]) -> int:
    if arguments:
        table, method, seconds, folder = arguments
        tell(one(table, method, float(seconds), Path(folder)))
        return 0
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as name:
        bench = Bench(Path(name), Path(name), peers=None, say=print)
        measure(bench)
        for row in rows(bench.found):
            print(f"{row.job}: {row.worth} ({row.ours.cpu:.0f} s of processor time)")
        for failed, why in bench.failed.items():
            print(f"{failed}: {why}")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
