"""Eight processes, released at once, never spend more than there is, and never less."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from hedgerow.ledger import Amounts, BudgetError, Ledger

PROCESSES = 8
ROUNDS = 20
GRANTS = 19
"""Spends that fit; not a multiple of the processes, and fewer than are tried."""
TRIES = 4
TENTH = Amounts.of(epsilon="0.1")


def _spend(where: str, barrier: Any, results: Any) -> None:
    """A process: in each round, try to spend as soon as all others are ready."""
    granted = []
    with Ledger.open(where) as ledger:
        for turn in range(ROUNDS):
            barrier.wait(60)
            for attempt in range(TRIES):
                try:
                    reservation = ledger.reserve(
                        f"population {turn}", key=f"k{attempt}", what={}, spend=TENTH
                    )
                except BudgetError:
                    continue
                granted.append(turn)
                if attempt % 2:
                    ledger.released(reservation, body={}, content=b"x" * 100)
    results.put(granted)


def _open(where: str, barrier: Any, results: Any) -> None:
    barrier.wait(60)
    with Ledger.open(where) as ledger:
        ledger.reserve("gotham", key="x", what={})
        results.put(ledger.id)


def _told(work: Any, where: str, barrier: Any, results: Any) -> None:
    """A process that fails says so, instead of leaving everybody waiting for it."""
    try:
        work(where, barrier, results)
    except BaseException as error:
        barrier.abort()
        results.put(repr(error))
        raise


def _run(work: Any, where: str) -> list[Any]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["hedgerow.ledger.address", "hedgerow.ledger.audit",
                                    "psycopg", "pytest"])  # fmt: skip
    barrier, results = context.Barrier(PROCESSES), context.Queue()
    processes = [
        context.Process(target=_told, args=(work, where, barrier, results), daemon=True)
        for _ in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    found = [results.get(timeout=120) for _ in processes]
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    return found


@pytest.mark.slow
def test_exactly_the_cap_is_granted(place: Any) -> None:
    with place.open() as ledger:
        for turn in range(ROUNDS):
            ledger.set_budget(f"population {turn}", Amounts.of(epsilon="1.95", rounding="down"))
        granted = [turn for some in _run(_spend, place.where) for turn in some]
        assert [granted.count(turn) for turn in range(ROUNDS)] == [GRANTS] * ROUNDS
        for position in ledger.populations():
            assert position.spent == Amounts.of(epsilon="1.9")
            assert position.left == Amounts.of(epsilon="0.05")
            assert position.releases + position.reserved_open == GRANTS
        assert ledger.verify([ledger.tip()]).problems == ()


def test_one_ledger_is_made_by_many(place: Any, tmp_path: Path) -> None:
    assert len(set(_run(_open, place.where))) == 1
    with place.open(create=False) as ledger:
        assert ledger.verify().problems == ()
        assert ledger.tip().seq == PROCESSES
    assert len(list(tmp_path.iterdir())) == (place.store == "sqlite")
