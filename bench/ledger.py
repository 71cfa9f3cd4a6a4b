"""A ledger that has grown: how long one more entry takes, and one look at a budget.

Run as `python -m bench.ledger JOB FOLDER ENTRIES`. Unlike elsewhere the median counts, not the
best run: what a steward waits for includes the disk.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.clock import Measured, peak_memory, tell

ENTRIES = 100_000
RUNS = 200
POPULATION = "population 0"
"""Half of all entries are about it."""


def build(path: Path, entries: int) -> None:
    """A ledger of so many entries, hashed and linked as the real ones, in one transaction."""
    from hedgerow.ledger import Amounts, Ledger
    from hedgerow.ledger.tables import APPEND

    with Ledger.open(path) as ledger:
        ledger.set_budget(POPULATION, Amounts.of(epsilon=10**6))
        for number in range(1, 10):
            ledger.set_budget(f"population {number}", Amounts.of(epsilon=10**6))
        tip = ledger.tip()
        with ledger._store.writing() as connection:
            for entry in _pairs(tip.seq, tip.hash, entries):
                connection.do(APPEND, entry.row())


def _pairs(seq: int, previous: str, entries: int) -> Iterator[Any]:
    """Reservations, each with its release."""
    from hedgerow.base.canonical_json import digest
    from hedgerow.ledger import NOTHING, Amounts, Entry, EntryKind
    from hedgerow.ledger.address import now

    spend, at = Amounts.of(epsilon="0.1"), now()
    totals: dict[str, Amounts] = {}
    while seq < entries:
        pair = seq // 2
        population = POPULATION if pair % 2 else f"population {1 + pair // 2 % 9}"
        for kind in (EntryKind.RESERVE, EntryKind.RELEASED):
            if seq == entries:
                return
            seq += 1
            paid = spend if kind == EntryKind.RESERVE else NOTHING
            totals[population] = totals.get(population, NOTHING) + paid
            body = {"kind": "query", "query": "count", "rows": pair}
            entry = Entry(seq, population, kind, f"{pair:032x}", f"key {pair}", at, body, paid,
                          totals[population], previous)  # fmt: skip
            entry = replace(entry, hash=digest(entry.record()))
            previous = entry.hash
            yield entry


def main(name: str, folder: Path, entries: int) -> Measured:
    from hedgerow.ledger import Amounts, Ledger

    path = folder / f"ledger-{entries}.db"
    if not path.exists():
        build(path, entries)
    spend = Amounts.of(epsilon="0.1")
    with Ledger.open(path, create=False) as ledger:
        jobs: dict[str, tuple[int, Callable[[], object]]] = {
            "append": (RUNS, lambda: ledger.reserve(POPULATION, key="k", what={}, spend=spend)),
            "budget": (RUNS, lambda: ledger.budget(POPULATION)),
            "find": (RUNS, lambda: ledger.find(POPULATION, "key 1")),
            "verify": (1, ledger.verify),
        }
        runs, job = jobs[name]
        walls, processors = [], []
        for _ in range(runs):
            wall, processor = time.perf_counter(), time.process_time()
            job()
            walls.append(time.perf_counter() - wall)
            processors.append(time.process_time() - processor)
        size = ledger.tip().seq
    slowest = sorted(walls)[int(0.99 * (len(walls) - 1))]
    detail = {"entries": size, "slowest of a hundred": slowest}
    return Measured(
        statistics.median(walls), statistics.median(processors), peak_memory(), runs, detail
    )


if __name__ == "__main__":
    tell(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
