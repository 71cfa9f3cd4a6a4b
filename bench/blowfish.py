"""Policies: sensitivities without the quadratic graph, and ranges answered after release.

Run as `python -m bench.blowfish JOB FOLDER REPEATS`; without arguments, all with targets.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.clock import Job, Measured, process, tell, timed
from bench.suite import Bench, Row, Target

VALUES = 100_000
THETA = 50
RANGES = 1_000_000
EPSILON = "0.1"
JOBS: dict[str, Callable[[], Job]] = {}
TOLD = {
    "sensitivity_line": ("sensitivity of histogram and cumulative histogram, line of 100,000 "
                         "values", 0.1),
    "sensitivity_threshold": ("the same, threshold of 50 on 100,000 values", 0.1),
    "ranges_ordered": ("1,000,000 ranges over 100,000 values after release, ordered", 1.0),
    "ranges_hierarchical": ("the same, ordered hierarchical", 1.0),
    "kmeans": ("k-means under a policy, 2,450 rows of 3 columns, θ = 32, ε = 1", None),
}  # fmt: skip
"""Each job in words, and the seconds it has to stay under."""


def job(make: Callable[[], Job]) -> Callable[[], Job]:
    """Register what prepares a job under its name."""
    JOBS[make.__name__] = make
    return make


@job
def sensitivity_line() -> Job:
    return _sensitivities(1)


@job
def sensitivity_threshold() -> Job:
    return _sensitivities(THETA)


def _sensitivities(theta: int) -> Job:
    from hedgerow.noise.blowfish import Threshold
    from hedgerow.noise.blowfish.sensitivity import cumulative, histogram

    def work() -> tuple[int, int]:
        # A new graph each time: it keeps what it has computed.
        graph = Threshold(range(VALUES), theta)
        return histogram(graph).l1, cumulative(graph).l1

    return Job(work, lambda found: {"histogram": found[0], "cumulative": found[1]})


@job
def ranges_ordered() -> Job:
    from hedgerow.noise.blowfish import Ordered

    return _ranges(Ordered)


@job
def ranges_hierarchical() -> Job:
    from hedgerow.noise.blowfish import OrderedHierarchical

    return _ranges(OrderedHierarchical)


def _ranges(mechanism: Callable[..., Any]) -> Job:
    import numpy as np

    from hedgerow.noise.blowfish import Threshold
    from hedgerow.noise.measures import Pure

    random = np.random.Generator(np.random.PCG64(1))
    released = mechanism(Threshold(range(VALUES), THETA), Pure(epsilon=EPSILON)).release(
        random.integers(0, 10, VALUES)
    )
    ends = random.integers(0, VALUES, (2, RANGES))
    low, high = ends.min(axis=0), ends.max(axis=0)
    return Job(lambda: released.count(low, high), lambda found: {"ranges": len(found)})


@job
def kmeans() -> Job:
    import numpy as np

    from hedgerow.learning import NothingCharged, PolicyKMeans
    from hedgerow.noise.blowfish import Grid, Policy
    from hedgerow.table.domain import Bounds

    warnings.simplefilter("ignore", NothingCharged)
    policy = Policy({("b", "g", "r"): Grid((256,) * 3, within=32)})
    rows = np.random.Generator(np.random.PCG64(1)).integers(0, 256, (2450, 3))
    means = PolicyKMeans(n_clusters=4, epsilon=1, policy=policy, domains=Bounds(0, 255, 1))
    return Job(lambda: means.fit(rows), lambda found: {"centres": len(found.centres_)})


def measure(bench: Bench) -> None:
    """All jobs, each in a process of its own."""
    for name in JOBS:
        bench.keep(f"blowfish_{name}", lambda name=name: process(
            sys.executable, "bench.blowfish", name, bench.folder, "5"
        ))  # fmt: skip


def rows(found: Mapping[str, Measured]) -> list[Row]:
    """What was measured, with targets; there is no peer to compare with."""
    return [
        Row(words, found[f"blowfish_{name}"], target=Target("under", most) if most else None)
        for name, (words, most) in TOLD.items()
        if f"blowfish_{name}" in found
    ]


def main(arguments: list[str]) -> int:
    if arguments:
        name, _, repeats = arguments
        tell(timed(JOBS[name](), repeats=int(repeats)))
        return 0
    found = {
        f"blowfish_{name}": process(sys.executable, "bench.blowfish", name, Path(), "5")
        for name in JOBS
    }
    missed = 0
    for row in rows(found):
        missed += row.met is False
        target = f"under {row.target.value:g} s" if row.target else ""
        print(f"{row.ours.seconds:9.4f} s  {target:12}  {row.job}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
