"""Answers with noise: next to the engine's own exact ones, and noise next to the sampler alone.

Run as `python -m bench.noise JOB FOLDER REPEATS`; with 0 repeats the job runs once, untimed, for
whoever times the process from outside.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.clock import Job, Measured, tell, timed

POPULATION = "patients"
EPSILON = "0.1"
RICHEST = 200_000
"""Incomes above it count as this; about 1 in 470 is above."""
CELLS = {"age": 100, "job": 100, "region": 10}
"""Public values of each column; together 100,000 cells."""
LARGE = "many"
"""Folder, in that of the others, of a larger table."""
DRAWS = 1_000_000
SCALE = 10

HELD = f"least(greatest(income, 0), {RICHEST})"
QUESTIONS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "count": (lambda ask: ask.count(epsilon=EPSILON), "SELECT count(*) FROM {}"),
    "count with a filter": (
        lambda ask: ask.count(where="age >= 40", epsilon=EPSILON),
        "SELECT count(*) FROM {} WHERE age >= 40",
    ),
    "sum": (lambda ask: ask.sum("income", epsilon=EPSILON), f"SELECT sum({HELD}) FROM {{}}"),
    "mean": (lambda ask: ask.mean("income", epsilon=EPSILON), f"SELECT avg({HELD}) FROM {{}}"),
    "histogram of 100 cells": (
        lambda ask: ask.histogram("age", epsilon=EPSILON),
        "SELECT age, count(*) FROM {} GROUP BY age ORDER BY age",
    ),
}
"""Each as it is asked, and as SQL that answers the same exactly."""

Make = Callable[[Path, ExitStack], Job]
"""Prepares a job; what it opens is held until the job is done."""
JOBS: dict[str, Make] = {}


def job(make: Make) -> Make:
    """Register what prepares a job under its name."""
    JOBS[make.__name__] = make
    return make


def prepare(folder: Path, rows: int) -> None:
    """A table of patients, a plan with what is public about it, and a ledger with a budget."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet

    from hedgerow.ledger import Amounts, Ledger

    folder.mkdir(exist_ok=True)
    random = np.random.Generator(np.random.PCG64(1))
    ages = np.clip(random.normal(45, 20, rows).round(), 0, CELLS["age"] - 1).astype(np.int32)
    incomes = np.exp(random.normal(10.2, 0.7, rows)).astype(np.int64)
    columns = {"age": pa.array(ages), "income": pa.array(incomes)}
    for name in ("job", "region"):
        values = np.array([f"{name} {i}" for i in range(CELLS[name])])
        columns[name] = pa.array(values[random.integers(0, len(values), rows)])
    pa.parquet.write_table(pa.table(columns), folder / "patients.parquet")
    domains = {
        name: ", ".join(f"{name} {i}" for i in range(CELLS[name])) for name in ("job", "region")
    }
    (folder / "patients.yaml").write_text(
        f"""population: {POPULATION}
source: {folder / "patients.parquet"}
ledger: {folder / "patients.db"}
privacy: {{neighbours: add-remove}}
columns:
  age: {{role: quasi-identifier, bounds: [0, {CELLS["age"] - 1}], step: 1}}
  income: {{role: sensitive, bounds: [0, {RICHEST}], step: 1}}
  job: {{role: insensitive, domain: [{domains["job"]}]}}
  region: {{role: insensitive, domain: [{domains["region"]}]}}
""",
        "utf-8",
    )
    with Ledger.open(folder / "patients.db") as ledger:
        ledger.set_budget(POPULATION, Amounts.of(epsilon=10**6))


def opened(folder: Path) -> Any:
    """A session in which nothing is answered from the ledger."""
    from hedgerow import session

    return session(folder / "patients.yaml", anew=True)


def in_sql(held: ExitStack) -> None:
    """Let SQL count what would be counted in arrays, as it does text and large tables."""
    from hedgerow.engines import arrays

    held.callback(setattr, arrays, "MOST_BYTES", arrays.MOST_BYTES)
    arrays.MOST_BYTES = -1


def connected() -> Any:
    import duckdb

    return duckdb.connect()


def exactly(connection: Any, sql: str, folder: Path) -> Any:
    return connection.execute(sql.format(f"'{folder / 'patients.parquet'}'")).fetchall()


@job
def answers(folder: Path, held: ExitStack) -> Job:
    """Five questions: reading the plan, opening source and ledger, and closing both included."""

    def work() -> list[Any]:
        with opened(folder) as session:
            return [ask(session).to_dicts() for ask, _ in QUESTIONS.values()]

    return Job(work, _told)


@job
def answers_sql(folder: Path, held: ExitStack) -> Job:
    """The same, where nothing is counted in arrays."""
    in_sql(held)
    return answers(folder, held)


@job
def answers_together(folder: Path, held: ExitStack) -> Job:
    """The same, charged and answered at once."""

    def work() -> list[Any]:
        with opened(folder) as session:
            several = session.together()
            for ask, _ in QUESTIONS.values():
                ask(several)
            return [answer.to_dicts() for answer in several.answers()]

    return Job(work, _told)


@job
def exact(folder: Path, held: ExitStack) -> Job:
    """DuckDB's answers to the same, in a connection of their own."""

    def work() -> list[Any]:
        with connected() as connection:
            return [exactly(connection, sql, folder) for _, sql in QUESTIONS.values()]

    return Job(work, _told)


@job
def answers_open(folder: Path, held: ExitStack) -> Job:
    """Five questions in a session that was open before."""
    session = held.enter_context(opened(folder))
    return Job(lambda: [ask(session).to_dicts() for ask, _ in QUESTIONS.values()], _told)


@job
def exact_open(folder: Path, held: ExitStack) -> Job:
    connection = held.enter_context(connected())
    return Job(lambda: [exactly(connection, sql, folder) for _, sql in QUESTIONS.values()], _told)


def _told(answered: list[Any]) -> dict[str, Any]:
    return {"answers": len(answered)}


class Watch:
    """The best time of each step, over many runs."""

    def __init__(self) -> None:
        self.now: dict[str, float] = {}
        self.best: dict[str, dict[str, float]] = {}

    def over(self, step: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same function; its time counts for a step."""

        def watched(*given: Any, **named: Any) -> Any:
            begin = time.perf_counter()
            try:
                return work(*given, **named)
            finally:
                self.now[step] = self.now.get(step, 0.0) + time.perf_counter() - begin

        return watched

    def keep(self, name: str, whole: float) -> None:
        """End of one run of something that took so long; what is in no step is the rest."""
        steps = {**self.now, "rest": whole - sum(self.now.values()), "all": whole}
        before = self.best.get(name, steps)
        self.best[name] = {step: min(taken, before[step]) for step, taken in steps.items()}
        self.now = {}


@job
def answer_steps(folder: Path, held: ExitStack) -> Job:
    """Where an answer in an open session spends its time, for each question."""
    from hedgerow.noise import samplers

    session, connection = (held.enter_context(one) for one in (opened(folder), connected()))
    engine, ledger, watch, add = session._opened(), session.ledger, Watch(), samplers._add
    held.callback(setattr, samplers, "_add", add)
    engine.tally = watch.over("engine", engine.tally)
    samplers._add = watch.over("noise", add)
    ledger.reserve = watch.over("ledger", ledger.reserve)
    ledger.released = watch.over("ledger", ledger.released)

    def work() -> dict[str, dict[str, float]]:
        for name, (ask, sql) in QUESTIONS.items():
            begin = time.perf_counter()
            ask(session)
            watch.keep(name, time.perf_counter() - begin)
            begin = time.perf_counter()
            exactly(connection, sql, folder)
            exact = time.perf_counter() - begin
            took = watch.best[name]
            took["exact"] = min(exact, took.get("exact", exact))
        return watch.best

    return Job(work, dict)


@job
def tallies(folder: Path, held: ExitStack) -> Job:
    """What the engine does for the five questions in SQL, no more."""
    from hedgerow.answers.counts import CountQuestion
    from hedgerow.answers.sums import Aggregate
    from hedgerow.noise.measures import Pure

    in_sql(held)
    session = held.enter_context(opened(folder))
    engine = session._opened()
    asked = [
        CountQuestion(),
        CountQuestion(where="age >= 40"),
        Aggregate(kind="sum", column="income"),
        Aggregate(kind="mean", column="income"),
        CountQuestion(by=("age",)),
    ]
    wanted = [
        tally
        for question in asked
        for tally in question.design(session.public, Pure(epsilon=EPSILON)).tallies
    ]
    return Job(lambda: [engine.tally(tally) for tally in wanted], _told)


@job
def contingency(folder: Path, held: ExitStack) -> Job:
    """A contingency table of 100,000 cells, in an open session."""
    session = held.enter_context(opened(folder))

    def describe(answer: Any) -> dict[str, Any]:
        return {"cells": len(answer.to_dicts())}

    return Job(lambda: session.table(list(CELLS), epsilon=EPSILON), describe)


def sampler(size: int) -> Job:
    """OpenDP's sampler alone, called as its documentation shows."""
    import numpy as np
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    zeros = np.zeros(size, np.int64)
    return Job(lambda: dp.m.make_laplace(*space, scale=float(SCALE))(zeros), _drawn)


@job
def sampler_contingency(folder: Path, held: ExitStack) -> Job:
    return sampler(CELLS["age"] * CELLS["job"] * CELLS["region"])


@job
def sampler_draws(folder: Path, held: ExitStack) -> Job:
    return sampler(DRAWS)


@job
def draws(folder: Path, held: ExitStack) -> Job:
    """Our mechanism around the same sampler."""
    import numpy as np

    from hedgerow.noise.mechanisms import DiscreteLaplace

    zeros, mechanism = np.zeros(DRAWS, np.int64), DiscreteLaplace(scale=SCALE)
    return Job(lambda: mechanism.release(zeros), _drawn)


def _drawn(numbers: Any) -> dict[str, Any]:
    return {"numbers": len(numbers)}


@job
def range_queries(folder: Path, held: ExitStack) -> Job:
    """Counts and intervals of a million ranges, once there are noisy counts of 1,000 cells."""
    import numpy as np

    from hedgerow.noise.mechanisms import DiscreteLaplace
    from hedgerow.noise.range_queries import RangeAnswers, RangeTree

    tree, mechanism = RangeTree.best(cells=1_000), DiscreteLaplace(scale=SCALE)
    noisy = mechanism.release(tree.levels(np.full(tree.cells, 1_000)))
    released = RangeAnswers.of(tree=tree, noisy=noisy, mechanism=mechanism)
    ends = np.random.Generator(np.random.PCG64(1)).integers(0, tree.cells + 1, (2, DRAWS))
    low, high = ends.min(axis=0), ends.max(axis=0)

    def work() -> Any:
        return released.count(low, high), released.interval(low, high, confidence="0.95")

    return Job(work, lambda found: {"ranges": len(found[0])})


def main(name: str, folder: Path, repeats: int) -> Measured:
    with ExitStack() as held:
        made = JOBS[name](folder, held)
        if repeats:
            return timed(made, repeats=repeats)
        return Measured(0.0, 0.0, 0, 1, made.describe(made.work()))


if __name__ == "__main__":
    tell(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
