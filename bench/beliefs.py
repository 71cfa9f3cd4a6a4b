"""What is believed of people who know the releases: counted, between bounds, and of one person.

Run as `python -m bench.beliefs JOB FOLDER REPEATS`; without arguments, all with targets. Needs no
data: the demo's hospital is made up.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.clock import Job, Measured, process, tell, timed
from bench.suite import Bench, Row, Target

PATIENTS = 20_000
RUNS = {
    "counted": "3", "everybody": "2", "one_person": "2", "losers": "2", "sampled": "3"
}  # fmt: skip
JOBS: dict[str, Callable[[Path], Job]] = {}
TOLD = {
    "counted": ("every world of 108 people in nine kinds, two releases and three values", 1.0),
    "everybody": ("what is believed of the demo's 20,000 patients by two releases of them: "
                  "counted, or between bounds", 10.0),
    "one_person": ("the same of one patient, with reading both files, finding everybody in them, "
                   "and estimates by random worlds", 10.0),
    "sampled": ("the same, estimated by random worlds, in a town that is too large to count", 10.0),
    "losers": ("who of them loses most and by which release: `attack --method belief`, with "
               "reading both files", 15.0),
}  # fmt: skip
"""Each job in words, and the seconds it has to stay under."""


def job(make: Callable[[Path], Job]) -> Callable[[Path], Job]:
    """Register what prepares a job under its name."""
    JOBS[make.__name__] = make
    return make


@job
def counted(folder: Path) -> Job:
    """The largest town of the page's third picture of which all worlds are counted."""
    from examples.beliefs import town
    from hedgerow.claims.worlds.belief import Believed, believed

    knowledge = town(3)

    def describe(found: Believed) -> dict[str, Any]:
        return {"people": int(knowledge.people.sum()), "counted": int(found.exact.sum())}

    return Job(lambda: believed(knowledge), describe)


@job
def everybody(folder: Path) -> Job:
    """One component after the other, all patients; reading and finding them is not timed."""
    from hedgerow.claims.worlds.belief import Believed, believed

    knowledge = _known(_published(folder))

    def describe(found: Believed) -> dict[str, Any]:
        people = knowledge.people
        return {
            "people": int(people.sum()),
            "kinds": knowledge.kinds,
            "components": int(found.part.max()) + 1,
            "counted": int(people[found.exact].sum()),
        }

    return Job(lambda: believed(knowledge), describe)


@job
def one_person(folder: Path) -> Job:
    """As `hedgerow attack --person` does it."""
    import csv

    from hedgerow.attacks.person_belief import PersonBelief, belief_about

    releases = _published(folder)
    patients = folder / "hospital" / "patients.csv"
    with patients.open(encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file))
    somebody = {column: row[column] for column in ("name", "zip", "birth_date")}

    def work() -> PersonBelief:
        return belief_about(
            releases, somebody, plan=folder / "hospital" / "plan.yaml", of="diagnosis"
        )

    def describe(found: PersonBelief) -> dict[str, Any]:
        return {"values": len(found.beliefs), "listed": found.people}

    return Job(work, describe)


@job
def sampled(folder: Path) -> Job:
    """The town of the page's third picture, larger than what is counted."""
    from examples.beliefs import town
    from hedgerow.attacks.world_sample import WorldSample, sample
    from hedgerow.claims.worlds.bounds import bounds

    knowledge = town(8)
    limits = bounds(knowledge)

    def describe(found: WorldSample) -> dict[str, Any]:
        people = knowledge.people
        beliefs = [
            found.belief(k, [v]) for k in range(len(people)) for v in range(knowledge.values)
        ]
        return {
            "people": int(people.sum()),
            "estimates": sum(one is not None for one in beliefs),
            "of": len(beliefs),
            "widest": max((one.high - one.low for one in beliefs if one is not None), default=1.0),
        }

    return Job(lambda: sample(knowledge, limits, range(knowledge.kinds)), describe)


@job
def losers(folder: Path) -> Job:
    """Everybody, with each release and with both, as `hedgerow attack` does it."""
    from hedgerow import AttackResult, attack

    releases = _published(folder)

    def work() -> AttackResult:
        (found,) = attack(
            releases, plan=folder / "hospital" / "plan.yaml", of="diagnosis", methods=["belief"]
        )
        return found

    def describe(found: AttackResult) -> dict[str, Any]:
        return {one: found.detail[one] for one in ("people", "exact", "bounded")}

    return Job(work, describe)


def _published(folder: Path) -> list[Path]:
    """The demo's first release, and its second one as it is before the ledger stops it."""
    from hedgerow import publish
    from hedgerow.api.demo import SECOND, write_hospital

    plan = write_hospital(folder / "hospital", patients=PATIENTS)
    found = [folder / "first", folder / "second"]
    for source, target in zip((plan, plan.with_name(SECOND[0])), found, strict=True):
        kept = [
            line for line in source.read_text("utf-8").splitlines()
            if not line.startswith(("ledger:", "population:", "  - composition:"))
        ]  # fmt: skip
        alone = source.with_name(f"alone_{source.name}")
        alone.write_text("\n".join(kept) + "\n", "utf-8")
        publish(alone, to=target, replace=True, report=False)
    return found


def _known(releases: list[Path]) -> Any:
    """What somebody has who knows all patients, of their diagnosis."""
    import numpy as np

    from hedgerow.attacks.person_scene import SeenColumn
    from hedgerow.attacks.suite import read_releases
    from hedgerow.claims.worlds.knowledge import Knowledge, Shown
    from hedgerow.plan.plan import Plan
    from hedgerow.table.location import locate
    from hedgerow.table.targets import Targets

    folder = releases[0].parent / "hospital"
    found = read_releases(releases, plan=Plan.read(folder / "plan.yaml"))
    seen = SeenColumn.read(found, "diagnosis")
    people = Targets.read(folder / "patients.csv")
    places = [locate(release, people) for release in found]
    codes = np.stack([np.unique([where.of(t).tobytes() for t in range(len(people))],
                                return_inverse=True)[1] for where in places], axis=1)  # fmt: skip
    _, first, number = np.unique(codes, axis=0, return_index=True, return_counts=True)
    shown = []
    for histogram, looks, where in zip(seen.histograms, seen.looks, places, strict=True):
        sure = where.count[first] > 0
        fitting, records = int((where.count > 0).sum()), int(histogram.counts.sum())
        everybody_in, listed = fitting <= records, fitting >= records
        shown.append(Shown(histogram, looks, where.take(first), sure & everybody_in, listed=listed))
    return Knowledge(number.astype(np.int64), len(seen.code), tuple(shown))


def measure(bench: Bench) -> None:
    """All jobs, each in a process of its own."""
    for name in JOBS:
        bench.keep(f"beliefs_{name}", lambda name=name: process(
            sys.executable, "bench.beliefs", name, bench.folder, RUNS[name]
        ))  # fmt: skip


def rows(found: Mapping[str, Measured]) -> list[Row]:
    """What was measured, with targets; no other tool says what is believed."""
    return [
        Row(words, found[f"beliefs_{name}"], target=Target("under", most))
        for name, (words, most) in TOLD.items()
        if f"beliefs_{name}" in found
    ]


def main(arguments: list[str]) -> int:
    if arguments:
        name, folder, repeats = arguments
        tell(timed(JOBS[name](Path(folder)), repeats=int(repeats)))
        return 0
    missed = 0
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as name:
        found = {
            f"beliefs_{one}": process(sys.executable, "bench.beliefs", one, name, RUNS[one])
            for one in JOBS
        }
    for row in rows(found):
        missed += row.met is False
        memory = row.ours.memory / 1e6
        print(f"{row.ours.seconds:8.3f} s {row.ours.cpu:8.3f} s {memory:6.0f} MB  {row.target!s:11}"
              f"  {row.job}  {row.ours.detail}")  # fmt: skip
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
