"""Hedgerow's side: each job prepares its input, then is timed in this process.

Run as `python -m bench.work JOB FOLDER REPEATS`.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.clock import Job, Measured, peak_memory, tell, timed

JOBS: dict[str, Callable[[Path], Job]] = {}


def job(make: Callable[[Path], Job]) -> Callable[[Path], Job]:
    """Register what prepares a job under its name."""
    JOBS[make.__name__] = make
    return make


def cells_of(plan: Path) -> Any:
    """What the engine counts in the plan's source."""
    from hedgerow.plan.plan import Plan
    from hedgerow.release.partition.job import opened

    with opened(Plan.read(plan)) as source:
        return source.cells()


def searching(plan: Path, *, suppress: float = 0.05, ladder: tuple[int, ...] = ()) -> Job:
    """The plan's search on counted cells; nothing is kept from one run to the next."""
    from hedgerow.claims import KAnonymity
    from hedgerow.plan.plan import Plan
    from hedgerow.recode.constraints import SearchConstraints
    from hedgerow.recode.lattice import Lattice
    from hedgerow.recode.metrics import METRICS
    from hedgerow.recode.search import Search

    cells = cells_of(plan)
    models = () if ladder else Plan.read(plan).models()
    steps = tuple(KAnonymity(k=k) for k in ladder if k <= cells.people)
    constraints = SearchConstraints(models, int(suppress * cells.people), False, steps)

    def work() -> tuple[Search, Any]:
        lattice = Lattice.of(replace(cells))  # a copy, without the tuples it has cached
        search = Search(lattice, constraints, METRICS["loss"])
        return search, search.run()

    def describe(found: tuple[Search, Any]) -> dict[str, Any]:
        search, solutions = found
        return {
            "nodes": search.lattice.size,
            "evaluated": search.evaluated,
            "loss": [None if s is None else s.cost for s in solutions],
        }

    return Job(work, describe)


def exhaustive(plan: Path, *, evaluate: bool) -> Job:
    """Every node of the lattice, depth first, each rolled up from the one before it."""
    from hedgerow.plan.plan import Plan
    from hedgerow.recode.constraints import SearchConstraints
    from hedgerow.recode.lattice import Lattice
    from hedgerow.recode.metrics import METRICS
    from hedgerow.recode.search import Search

    cells = cells_of(plan)
    constraints = SearchConstraints(Plan.read(plan).models(), int(0.05 * cells.people))

    def work() -> dict[str, Any]:
        lattice = Lattice.of(replace(cells))
        search = Search(lattice, constraints, METRICS["loss"])
        visits, best = 0, float("inf")
        for frequency in lattice.frequencies():
            visits += len(frequency)
            if evaluate:
                found = search.evaluate(frequency)
                if found.feasible[0]:
                    best = min(best, float(found.cost[0]))
        told = {"nodes": lattice.size, "visits": visits}
        return {**told, "loss": [best]} if evaluate else told

    return Job(work, dict)


@job
def roll_up(folder: Path) -> Job:
    return exhaustive(folder / "adult.yaml", evaluate=False)


@job
def roll_up_evaluated(folder: Path) -> Job:
    return exhaustive(folder / "adult.yaml", evaluate=True)


@job
def search(folder: Path) -> Job:
    return searching(folder / "adult.yaml")


@job
def search_nothing_suppressed(folder: Path) -> Job:
    return searching(folder / "adult.yaml", suppress=0.0)


@job
def frontier(folder: Path) -> Job:
    from hedgerow.explore.tradeoff import DEFAULT_K

    return searching(folder / "adult.yaml", ladder=DEFAULT_K)


@job
def search_million(folder: Path) -> Job:
    return searching(folder / "million.yaml")


@job
def closeness(folder: Path) -> Job:
    return searching(folder / "close.yaml")


@job
def closeness_evaluated(folder: Path) -> Job:
    return exhaustive(folder / "close.yaml", evaluate=True)


def counted_and_searched(plan: Path) -> Job:
    """From rows in memory to the best node."""
    import pyarrow.csv

    from hedgerow.plan.plan import Plan
    from hedgerow.release.partition.job import opened
    from hedgerow.release.partition.recoding_choice import choose

    read = Plan.read(plan)
    options = pyarrow.csv.ConvertOptions(column_types={"age": pyarrow.string()})
    table = pyarrow.csv.read_csv(plan.with_suffix(".csv"), convert_options=options)

    def work() -> Any:
        with opened(read, table) as source:
            return choose(read, source.cells(), source.models)

    return Job(work, lambda recoding: {"loss": [recoding.detail["cost"]]})


@job
def rows_to_node(folder: Path) -> Job:
    return counted_and_searched(folder / "adult.yaml")


@job
def rows_to_node_noisy(folder: Path) -> Job:
    return counted_and_searched(folder / "noisy.yaml")


@job
def rows_to_node_closeness(folder: Path) -> Job:
    return counted_and_searched(folder / "sixty.yaml")


@job
def rows_to_node_million(folder: Path) -> Job:
    return counted_and_searched(folder / "million.yaml")


def _recoding(folder: Path, recode: Callable[[Any], Any], plan: str = "adult.yaml") -> Job:
    from hedgerow.recode.lattice import Lattice
    from hedgerow.recode.metrics import METRICS

    cells = cells_of(folder / plan)

    def describe(recoding: Any) -> dict[str, Any]:
        outcome = recoding.outcome(Lattice.of(cells).original)
        metric = METRICS["granularity"]
        return {"groups": len(outcome.n), "granularity": metric.reported(metric.cost(outcome))}

    return Job(lambda: recode(replace(cells)), describe)


@job
def local(folder: Path) -> Job:
    from hedgerow.claims import KAnonymity
    from hedgerow.recode.local import local as recode

    return _recoding(folder, lambda cells: recode(cells, (KAnonymity(k=5),)))


@job
def mondrian(folder: Path) -> Job:
    from hedgerow.claims import KAnonymity
    from hedgerow.recode.mondrian import mondrian as recode

    return _recoding(folder, lambda cells: recode(cells, (KAnonymity(k=5),)), "close.yaml")


@job
def mdav(folder: Path) -> Job:
    from hedgerow.recode.microaggregation import microaggregation

    return _recoding(folder, lambda cells: microaggregation(cells, k=5))


def in_memory(folder: Path, plan: str, method: dict[str, Any]) -> Job:
    """`publish` from a data frame to a table in memory: counted, recoded, written, measured."""
    import pandas as pd

    from hedgerow import KAnonymity, publish
    from hedgerow.plan.plan import Plan

    frame = pd.read_csv(folder / "adult.csv", dtype=str)
    read = Plan.read(folder / plan)
    columns = {
        name: {"role": "quasi-identifier", "hierarchy": f"{read.columns[name].hierarchy.csv}"}
        if read.columns[name].hierarchy is not None
        else "sensitive"
        for name in frame
    }

    def describe(release: Any) -> dict[str, Any]:
        groups = release.people / release.utility["average-class-size"]
        return {"loss": release.utility["loss"], "groups": round(groups)}

    claims = [KAnonymity(k=5)]
    return Job(lambda: publish(frame, columns=columns, protect=claims, method=method), describe)


@job
def publish_frame(folder: Path) -> Job:
    return in_memory(folder, "adult.yaml", {"search": "lattice", "suppress": "5%"})


@job
def mondrian_frame(folder: Path) -> Job:
    return in_memory(folder, "close.yaml", {"search": "mondrian"})


@job
def anjana_loss(folder: Path) -> Job:
    """Our metric on what anjana published: the levels it chose, and the groups it left out."""
    import pandas as pd

    from hedgerow.recode.lattice import Lattice
    from hedgerow.recode.metrics import METRICS

    frame = pd.read_csv(folder / "anjana.csv", dtype=str)
    cells = cells_of(folder / "adult.yaml")
    node = tuple(
        next(i for i, labels in enumerate(h.labels) if set(frame[h.name]) <= set(labels))
        for h in cells.hierarchies
    )
    lattice = Lattice.of(cells)
    frequency = lattice.roll_up(lattice.base, node)
    kept = frequency.groups.n >= 5
    assert frequency.groups.n[kept].sum() == len(frame), "anjana leaves out groups below 5"
    loss = METRICS["loss"].cost(lattice.outcome(frequency, kept))
    return Job(lambda: {"loss": loss}, dict)


def _claims() -> list[Any]:
    """Every model pycanon has. Parameters decide nothing here; levels are what is asked for."""
    import hedgerow as h

    return [
        h.KAnonymity(k=5),
        h.AlphaKAnonymity(alpha=0.5, k=1, of="occupation"),
        h.DistinctLDiversity(l=2, of="occupation"),
        h.EntropyLDiversity(l=2, of="occupation"),
        h.RecursiveLDiversity(c=3, l=2, of="occupation"),
        h.TCloseness(t=0.2, of="occupation"),
        h.BetaLikeness(beta=1, of="occupation"),
        h.BetaLikeness(beta=1, kind="enhanced", of="occupation"),
        h.DeltaDisclosure(delta=1, of="occupation"),
    ]


def _levels(verdicts: Any) -> dict[str, Any]:
    return {"levels": [f"{v.claim}: {v.level:.6g}" for v in verdicts]}


@job
def models(folder: Path) -> Job:
    """The models on counted groups."""
    cells = cells_of(folder / "close.yaml")
    claims = _claims()

    def work() -> list[Any]:
        tuples, into = replace(cells).tuples
        groups = cells.groups(into, len(tuples))
        return [model.check(groups) for model in claims]

    return Job(work, _levels)


@job
def models_frame(folder: Path) -> Job:
    """The models from a data frame."""
    import pandas as pd

    from bench.tables import EIGHT
    from hedgerow import check

    frame = pd.read_csv(folder / "adult.csv")
    columns = {name: "quasi-identifier" if name in EIGHT else "sensitive" for name in frame}
    return Job(lambda: check(frame, columns=columns, protect=_claims()), _levels)


def _adversaries() -> list[Any]:
    """The six of the VLDB 2009 experiment; levels are what is asked for."""
    import hedgerow as h

    uniform, table = h.Prior.uniform(), h.Prior.of_table()
    against = [
        h.ClassI(prior=uniform, stubbornness=10**6),
        h.ClassI(prior=table, stubbornness=10**6),
        h.ClassII(stubbornness=10**3),
        h.ClassII(stubbornness=10**6),
        h.ClassIII(prior=uniform),
        h.ClassIII(prior=table),
    ]
    return [h.EpsilonPrivacy(epsilon=2.5, of="salary", adversary=a, by="theorem") for a in against]


def _every_node(cells: Any) -> Any:
    """The smallest epsilon of every node of the lattice against each adversary."""
    from hedgerow.recode.lattice import Lattice

    models = _adversaries()
    return [
        [float(model.level(frequency.groups).max()) for model in models]
        for frequency in Lattice.of(replace(cells)).frequencies()
    ]


def _told(levels: Any) -> dict[str, Any]:
    return {"nodes": len(levels), "adversaries": len(levels[0])}


@job
def adversaries(folder: Path) -> Job:
    """From the CSV file to all levels."""
    return Job(lambda: _every_node(cells_of(folder / "census_csv.yaml")), _told)


@job
def adversaries_parquet(folder: Path) -> Job:
    return Job(lambda: _every_node(cells_of(folder / "census_parquet.yaml")), _told)


@job
def adversaries_counted(folder: Path) -> Job:
    """On what the engine counted."""
    cells = cells_of(folder / "census_parquet.yaml")
    return Job(lambda: _every_node(cells), _told)


def _group_by(file: Path) -> Job:
    import duckdb

    def work() -> Any:
        with duckdb.connect() as connection:
            groups = f"SELECT *, count(*) FROM '{file}' GROUP BY ALL"
            return connection.execute(groups).fetchall()

    return Job(work, lambda found: {"groups": len(found)})


@job
def duckdb_groups(folder: Path) -> Job:
    """DuckDB's one group-by over the file."""
    return _group_by(folder / "census.csv")


@job
def duckdb_groups_parquet(folder: Path) -> Job:
    return _group_by(folder / "census.parquet")


OVERLAP = 5_000
"""People in both releases, whom the intersection attack looks for."""


@job
def intersection(folder: Path) -> Job:
    """The intersection attack, given two releases of a third of Adult each."""
    import numpy as np
    import pandas as pd

    from hedgerow import KAnonymity, publish
    from hedgerow.attacks.intersection import intersect
    from hedgerow.table.published_table import Published
    from hedgerow.table.targets import Targets

    frame = pd.read_csv(folder / "adult.csv", dtype=str).drop(columns="salary-class")
    order = np.random.Generator(np.random.PCG64(1)).permutation(len(frame))
    third, shared = len(frame) // 3, min(OVERLAP, len(frame) // 6)
    halves = [frame.iloc[order[:third]], frame.iloc[order[third - shared : 2 * third - shared]]]
    columns = dict.fromkeys(frame, "quasi-identifier") | {"occupation": "sensitive"}
    releases = [
        Published.read(
            publish(half, columns=columns, protect=[KAnonymity(k=5)], method={"search": "mondrian"})
            .to_arrow(),
            sensitive=["occupation"],
        )
        for half in halves
    ]  # fmt: skip
    people = frame.iloc[order[third - shared : third]]
    targets = Targets.of({n: people[n].tolist() for n in people if n != "occupation"})
    truth = people["occupation"].tolist()

    def describe(result: Any) -> dict[str, Any]:
        told = {key: result.detail[key] for key in ("people", "true_value_possible")}
        return told | {"perfect": result.detail["perfect_and_right"]}

    return Job(lambda: intersect(releases, targets).result(truth), describe)


@job
def composition(folder: Path) -> Job:
    """A strict Mondrian release of a third of Adult that composes with one of another third."""
    import numpy as np
    import pandas as pd

    from hedgerow import publish

    frame = pd.read_csv(folder / "adult.csv", dtype=str).drop(columns="salary-class")
    order = np.random.Generator(np.random.PCG64(1)).permutation(len(frame))
    third, shared = len(frame) // 3, min(OVERLAP, len(frame) // 6)
    columns = dict.fromkeys(frame, "quasi-identifier") | {"occupation": "sensitive"}
    shared_words: dict[str, Any] = {"columns": columns, "method": "mondrian",
                                    "one_row_per_person": True, "report": False}  # fmt: skip
    first = folder / "composed"
    diverse = {"l-diversity": {"kind": "distinct", "l": 3}}
    publish(frame.iloc[order[:third]], protect=[{"k-anonymity": 5}, diverse], to=str(first),
            replace=True, **shared_words)  # fmt: skip
    claim = {"composition": {"confidence": 0.5, "with": [str(first)]}}
    people = frame.iloc[order[third - shared : 2 * third - shared]]

    def work() -> Any:
        return publish(people, protect=[{"k-anonymity": 5}, claim], **shared_words)

    return Job(work, lambda release: {"people": release.rows})


@job
def intersection_million(folder: Path) -> Job:
    """Reading ten releases of a million rows each, and intersecting them."""
    from hedgerow import publish
    from hedgerow.attacks.intersection import intersect
    from hedgerow.table.published_table import Published
    from hedgerow.table.targets import Targets

    plan = folder / "close_million.yaml"
    publish(plan, to=folder / "attacked", replace=True)
    people = Targets.read(folder / "adult.csv")
    step = max(1, len(people) // OVERLAP)

    def work() -> Any:
        import numpy as np

        from hedgerow.plan.plan import Plan
        from hedgerow.table.label_taxonomies import nodes_of, specs_of

        specs = specs_of(Plan.read(plan).specs, {})
        nodes = {name: nodes_of(spec.bind(name, [])) for name, spec in specs.items()}
        releases = [Published.read(folder / "attacked", taxonomies=nodes) for _ in range(10)]
        targets = people.take(np.arange(0, len(people), step)[:OVERLAP])
        return intersect(releases, targets).result(targets.column("occupation"))

    return Job(work, lambda result: {"people": result.detail["people"]})


@job
def large_limited(folder: Path) -> Job:
    """Count, search and write the large table with an engine that may use 1 GB."""
    from hedgerow.engines import open_engine
    from hedgerow.plan.plan import Plan
    from hedgerow.release.partition.data_file import write_release
    from hedgerow.release.partition.recoding_choice import choose
    from hedgerow.table.cell_table import read_cells

    plan = Plan.read(folder / "large.yaml")

    def work() -> Any:
        with open_engine(plan.source, memory="1GB", scratch=folder) as engine:
            schema = plan.schema(engine.columns())
            cells = read_cells(engine, plan.rules(), schema)
            recoding = choose(plan, cells, plan.models())
            return write_release(engine, schema, cells, recoding, folder / "limited.parquet")

    return Job(work, lambda written: {"rows": written.rows})


def steps(folder: Path) -> Measured:
    """Where `publish` spends its time on the million rows, in a fresh process."""
    begin = time.perf_counter()
    from hedgerow import publish

    marks = [("import", time.perf_counter())]

    def say(what: str, share: float | None) -> None:
        if what != marks[-1][0]:
            marks.append((what, time.perf_counter()))

    shutil.rmtree(folder / "release", ignore_errors=True)
    publish(folder / "million.yaml", progress=say)
    end = time.perf_counter()
    # Each mark but the first says what begins there.
    spent: dict[str, float] = {"import": marks[0][1] - begin}
    spent["open"] = marks[1][1] - marks[0][1]
    for (name, start), (_, until) in zip(marks[1:], [*marks[2:], ("", end)], strict=True):
        if name == "done":
            name = "move into place"
        spent[name] = spent.get(name, 0.0) + until - start
    return Measured(end - begin, time.process_time(), peak_memory(), 1, spent)


def main(name: str, folder: Path, repeats: int) -> Measured:
    if name == "steps":
        return steps(folder)
    warm = name not in ("large_limited", "intersection_million")
    return timed(JOBS[name](folder), repeats=repeats, warm=warm)


if __name__ == "__main__":
    tell(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
