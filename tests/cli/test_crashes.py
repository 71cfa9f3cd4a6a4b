"""kill -9 at every step of publish, and a ledger that cannot be used: nothing is lost or half."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from forked import run_forked

import hedgerow
from hedgerow.base.errors import HedgerowError
from hedgerow.base.faults import POINTS
from hedgerow.ledger import Ledger, LedgerTip

pytestmark = pytest.mark.slow

PLAN = """\
population: town
ledger: ledger.db
source: people.csv
columns:
  age: {role: quasi-identifier, hierarchy: {ranges: [5, 10, 20]}}
  ill: {role: sensitive}
protect:
  - k-anonymity: 2
  - composition: {confidence: 0.5}
publish: {to: out/}
"""
EXCHANGES = sys.platform.startswith("linux")


@pytest.fixture
def town(tmp_path: Path) -> Path:
    rows = [f"{age},{ill}" for age in range(0, 40, 2) for ill in ("flu", "gout", "acne")]
    (tmp_path / "people.csv").write_text("age,ill\n" + "\n".join(rows) + "\n", "utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    return tmp_path / "plan.yaml"


def run(
    plan: Path, *more: str, fault: str | None = None, in_steps: bool = False
) -> subprocess.CompletedProcess[str]:
    env = {"HEDGEROW_FAULT": fault} if fault else {}
    return run_forked("publish", str(plan), "--json", *more, env=env, in_steps=in_steps)


def claim_of(release: Path) -> str:
    certificate = json.loads((release / "certificate.json").read_text("utf-8"))
    return str(certificate["claims"][0]["claim"])


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob(".hedgerow-*"))


@pytest.mark.parametrize(
    ("fault", "in_steps"),
    [*((fault, not EXCHANGES) for fault in POINTS), ("moved-away", True)],
)
def test_a_crash_leaves_nothing_half_done(town: Path, fault: str, in_steps: bool) -> None:
    folder = town.parent
    again = ["--replace"]
    if fault == "moved-away":  # only where a release is replaced
        assert run(town).returncode == 0
        town.write_text(PLAN.replace("k-anonymity: 2", "k-anonymity: 3"), "utf-8")
    died = run(town, *again, fault=fault, in_steps=in_steps)
    assert died.returncode == -signal.SIGKILL, died.stderr
    with Ledger.open(folder / "ledger.db") as ledger:
        assert ledger.verify().problems == ()
        position = ledger.budget("town")
        earlier = 1 if fault == "moved-away" else 0
        counted = fault in ("released", "certified", "moved-away", "delivered")
        assert position.releases == earlier + counted, "what may be out there is counted"
        assert position.reserved_open == (not counted)
    exchanged = fault == "moved-away" and not in_steps
    there = fault == "delivered" or exchanged
    if there:
        assert hedgerow.verify(folder / "out").refuted == ()
        assert claim_of(folder / "out") == f"{3 if exchanged else 2}-anonymity", "the new one"
    else:
        assert not (folder / "out").exists()
    if exchanged:
        [old] = hidden(folder)
        assert claim_of(folder / old) == "2-anonymity"
    done = run(town, *again)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["again"] is there
    assert hedgerow.verify(folder / "out").refuted == ()
    if exchanged:  # nothing had to be done above; the next release clears up
        town.write_text(PLAN.replace("k-anonymity: 2", "k-anonymity: 4"), "utf-8")
        assert run(town, *again).returncode == 0
    assert hidden(folder) == []
    with Ledger.open(folder / "ledger.db") as ledger:
        certificate = json.loads((folder / "out" / "certificate.json").read_text("utf-8"))
        told = certificate["ledger"]
        assert ledger.verify([LedgerTip(told["id"], told["seq"], told["hash"])]).problems == ()


def test_a_release_that_was_put_aside_comes_back(town: Path) -> None:
    assert run(town).returncode == 0
    before = (town.parent / "out" / "certificate.json").read_bytes()
    town.write_text(PLAN.replace("k-anonymity: 2", "k-anonymity: 3"), "utf-8")
    died = run(town, "--replace", fault="moved-away", in_steps=True)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert not (town.parent / "out").exists()
    refused = run(town)
    assert refused.returncode == 2
    assert (town.parent / "out" / "certificate.json").read_bytes() == before


def test_the_same_again_is_what_was_published(town: Path) -> None:
    first = json.loads(run(town).stdout)
    with Ledger.open(town.parent / "ledger.db") as ledger:
        entries = len(list(ledger.entries()))
    second = run(town)
    assert second.returncode == 0, second.stderr
    told = json.loads(second.stdout)
    assert told == first | {"again": True, "with_earlier_releases": [], "notes": told["notes"]}
    with Ledger.open(town.parent / "ledger.db") as ledger:
        assert len(list(ledger.entries())) == entries
    data = town.parent / "out" / "data.csv"
    data.write_bytes(data.read_bytes() + b"0-4,flu\n")
    assert run(town).returncode == 2, "what is there is not what was published"
    (town.parent / "people.csv").write_text("age,ill\n1,flu\n1,gout\n2,flu\n2,gout\n", "utf-8")
    assert run(town).returncode == 2, "other data are another release"


def test_a_refusal_is_written_down(town: Path) -> None:
    town.write_text(PLAN.replace("k-anonymity: 2", "k-anonymity: 100"), "utf-8")
    assert run(town).returncode == 1
    with Ledger.open(town.parent / "ledger.db") as ledger:
        last = list(ledger.entries())[-1]
        assert last.kind == "FAILED"
        assert "no generalisation keeps every claim" in last.body["why"]
        assert ledger.budget("town").reserved_open == 0


def test_a_ledger_that_cannot_be_used_stops_everything(town: Path, tmp_path: Path) -> None:
    (town.parent / "ledger.db").write_text("age,ill\n", "utf-8")
    wrong = run(town)
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr
    assert (town.parent / "ledger.db").read_text("utf-8") == "age,ill\n"
    assert not (town.parent / "out").exists()
    gone = run(town, "--ledger", str(tmp_path / "nowhere" / "ledger.db"))
    assert gone.returncode == 2
    assert "nowhere" in gone.stderr
    refused = run(town, "--ledger", "postgresql://nobody:secret@127.0.0.1:9/none")
    assert refused.returncode == 2
    assert "secret" not in refused.stderr + refused.stdout


def test_a_ledger_needs_a_population(town: Path) -> None:
    town.write_text(PLAN.replace("population: town\n", ""), "utf-8")
    told = run(town)
    assert told.returncode == 2
    assert "population" in told.stderr


def test_releases_made_at_the_same_time_do_not_miss_each_other(town: Path) -> None:
    """Both look back before either is written down: the second one is told to run again."""
    plan = hedgerow.Plan.read(town)
    other = town.with_name("other.yaml")
    other.write_text(PLAN.replace("out/", "other/").replace("k-anonymity: 2", "k-anonymity: 4"))
    barrier = threading.Barrier(2)
    outcomes: list[str] = []

    def publish(source: object) -> None:
        def wait(what: str, share: float | None) -> None:
            if what == "counting":
                barrier.wait(30)

        try:
            hedgerow.publish(source, progress=wait)
            outcomes.append("released")
        except HedgerowError as error:
            outcomes.append(error.what)

    threads = [threading.Thread(target=publish, args=[source]) for source in (plan, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcome == "released" for outcome in outcomes) == [False, True]
    assert any("another release of" in outcome for outcome in outcomes)
    assert (town.parent / "out").exists() != (town.parent / "other").exists()
