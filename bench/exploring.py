"""Looking at all nodes at once: how long it takes to open Adult, and to answer a slider.

Run as `python -m bench.exploring JOB FOLDER REPEATS`, FOLDER having what `bench.tables` makes;
without arguments, all with targets.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.clock import Job, Measured, process, tell, timed
from bench.suite import Bench, Row, Target

RUNS = "9"
JOBS: dict[str, Callable[[Path], Job]] = {}
TOLD = {
    "opening": ("explore Adult, nine columns: count, and profile all 12,960 nodes", None),
    "slider_k": ("another k, all 12,960 nodes, as the page gets it", 0.3),
    "slider_t": ("another t (t-closeness of occupation), all 4,320 nodes", 0.3),
    "slider_stubbornness": ("another stubbornness (epsilon-privacy of occupation), all 4,320 "
                            "nodes", 0.3),
    "frontier": ("the frontier of k, 24 steps over all 12,960 nodes", None),
    "node": ("one node before and after, with sizes and worst groups", 0.3),
}  # fmt: skip
"""Each job in words, and the seconds it has to stay under."""


def job(make: Callable[[Path], Job]) -> Callable[[Path], Job]:
    """Register what prepares a job under its name."""
    JOBS[make.__name__] = make
    return make


@job
def opening(folder: Path) -> Job:
    from hedgerow import Exploration

    def describe(found: Any) -> dict[str, Any]:
        return {"nodes": len(found.profile), "kinds": len(found.profile.groups)}

    return Job(lambda: Exploration.open(folder / "adult.yaml"), describe)


def slider(plan: Path, lever: str, first: float, step: float) -> Job:
    """Each run asks for another value, as a slider does: nothing is known from the run before."""
    from hedgerow import Exploration
    from hedgerow.web import lattice_view as view

    found = Exploration.open(plan)
    values = itertools.count()

    def work() -> str:
        setting = view.Setting.read(found, [f"{lever}={first + step * next(values)}"], None)
        return json.dumps(view.answer(setting, setting.survey()))

    return Job(work, lambda text: {"bytes": len(text), "nodes": len(found.profile)})


@job
def slider_k(folder: Path) -> Job:
    return slider(folder / "adult.yaml", "0.k", 6, 1)


@job
def slider_t(folder: Path) -> Job:
    return slider(folder / "close.yaml", "1.t", 0.201, 0.01)


@job
def slider_stubbornness(folder: Path) -> Job:
    text = (folder / "close.yaml").read_text("utf-8")
    lines = [line for line in text.splitlines() if "t-closeness" not in line]
    against = "{class: I, prior: table, stubbornness: 1000}"
    claim = f"  - epsilon-privacy: {{epsilon: 4, of: occupation, adversary: {against}}}"
    lines.insert(lines.index("  - k-anonymity: 5") + 1, claim)
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as name:
        plan = Path(name) / "epsilon.yaml"
        plan.write_text("\n".join(lines) + "\n", "utf-8")
        return slider(plan, "1.stubbornness", 1001, 37)


@job
def frontier(folder: Path) -> Job:
    from hedgerow import Exploration
    from hedgerow.explore.frontier import steps
    from hedgerow.explore.levers import levers

    found = Exploration.open(folder / "adult.yaml")
    (lever,) = levers(found.plan, domains={}, people=found.cells.people)

    return Job(lambda: steps(found, lever), lambda line: {"steps": len(line)})


@job
def node(folder: Path) -> Job:
    from hedgerow import Exploration
    from hedgerow.explore.preview import preview

    found = Exploration.open(folder / "adult.yaml")
    levels = found.levels(found.survey().best[0])
    return Job(lambda: preview(found, levels), lambda shown: {"groups": shown.groups})


def measure(bench: Bench) -> None:
    """All jobs, each in a process of its own."""
    for name in JOBS:
        bench.keep(f"exploring_{name}", lambda name=name: process(
            sys.executable, "bench.exploring", name, bench.folder, RUNS
        ))  # fmt: skip


def rows(found: Mapping[str, Measured]) -> list[Row]:
    """What was measured, with targets; there is no peer that answers for all nodes."""
    return [
        Row(words, found[f"exploring_{name}"], target=Target("under", most) if most else None)
        for name, (words, most) in TOLD.items()
        if f"exploring_{name}" in found
    ]


def main(arguments: list[str]) -> int:
    if arguments:
        name, folder, repeats = arguments
        tell(timed(JOBS[name](Path(folder)), repeats=int(repeats)))
        return 0
    missed = 0
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as name:
        process(sys.executable, "bench.tables", name, "0")
        found = {
            f"exploring_{one}": process(sys.executable, "bench.exploring", one, name, RUNS)
            for one in JOBS
        }
    for row in rows(found):
        missed += row.met is False
        target = f"under {row.target.value:g} s" if row.target else ""
        memory = row.ours.memory / 1e6
        print(f"{row.ours.seconds:8.3f} s {row.ours.cpu:8.3f} s {memory:6.0f} MB  {target:11}  "
              f"{row.job}")  # fmt: skip
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
