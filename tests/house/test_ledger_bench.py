"""The ledger that is measured is one: it verifies, and has as many entries as it says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench import ledger as bench
from hedgerow.ledger import Ledger


@pytest.mark.parametrize("entries", [100, 6_001])
def test_the_built_ledger_verifies(tmp_path: Path, entries: int) -> None:
    bench.build(tmp_path / "ledger.db", entries)
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        found = ledger.verify()
        assert (found.entries, found.problems) == (entries, ())
        half = len(list(ledger.entries(population=bench.POPULATION)))
        assert half == pytest.approx(entries / 2, rel=0.1)


def test_every_job_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "RUNS", 3)
    for number, name in enumerate(("append", "budget", "find", "verify")):
        measured = bench.main(name, tmp_path, 100)
        assert measured.seconds > 0
        assert measured.detail["entries"] == 103, number
