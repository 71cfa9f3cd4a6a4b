"""What a ledger promises, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hedgerow.base.errors import HedgerowError
from hedgerow.ledger import (
    NOTHING,
    Amounts,
    BudgetError,
    EntryKind,
    Ledger,
    LedgerError,
    LedgerTip,
)

ONE = Amounts.of(epsilon=1)
TENTH = Amounts.of(epsilon="0.1")


def released(ledger: Ledger, key: str, spend: Amounts = NOTHING, **more: Any) -> Any:
    reservation = ledger.reserve("gotham", key=key, what={"kind": "test"}, spend=spend)
    return ledger.released(reservation, body={"name": key}, **more)


def test_an_empty_ledger(ledger: Ledger, place: Any) -> None:
    assert re.fullmatch(r"[0-9a-f-]{36}", ledger.id)
    assert (ledger.tip().ledger, ledger.tip().seq) == (ledger.id, 0)
    assert re.fullmatch(r"[0-9a-f]{64}", ledger.tip().hash)
    assert list(ledger.entries()) == ledger.populations() == ledger.releases("gotham") == []
    assert ledger.verify([ledger.tip()]).problems == ()
    position = ledger.budget("gotham")
    assert (position.budget, position.left, position.spent) == (None, None, NOTHING)
    with place.open(create=False) as again:
        assert again.tip() == ledger.tip()


def test_a_release_from_reservation_to_replay(ledger: Ledger, place: Any) -> None:
    reservation = ledger.reserve("gotham", key="k1", what={"columns": ("zip", "age")})
    assert (reservation.seq, reservation.kind, reservation.key) == (1, EntryKind.RESERVE, "k1")
    assert reservation.body == {"columns": ["zip", "age"]}
    assert ledger.find("gotham", "k1") is None, "a reservation is no release"
    assert ledger.budget("gotham").reserved_open == 1
    content = "naïve\0".encode() * 1000
    entry = ledger.released(reservation, body={"groups": 12, "level": 0.1}, content=content)
    assert entry.reservation == reservation.reservation
    assert entry.previous == reservation.hash
    assert entry.body["content_sha256"] == hashlib.sha256(content).hexdigest()
    stored = place.sql("SELECT length(data) FROM hedgerow_contents")
    assert stored[0][0] < len(content) / 10, "kept compressed"
    with place.open() as again:
        assert again.find("gotham", "k1") == entry
        assert again.find("metropolis", "k1") is None
        assert again.find("gotham", "k2") is None
        assert again.content(entry) == content
        assert again.content(reservation) is None
        assert again.releases("gotham") == [entry]
        assert again.verify([again.tip()]).problems == ()
    position = ledger.budget("gotham")
    assert (position.releases, position.reserved_open) == (1, 0)


def test_the_newest_of_equal_requests_is_found(ledger: Ledger) -> None:
    first, second = released(ledger, "same", content=b"1"), released(ledger, "same", content=b"")
    released(ledger, "other")
    assert ledger.find("gotham", "same") == second
    assert ledger.content(second) == b""
    assert [e.seq for e in ledger.releases("gotham")] == [first.seq, second.seq, 6]


def test_the_hash_is_that_of_the_canonical_record(ledger: Ledger) -> None:
    """Recomputed with nothing but the standard library, as the documentation describes it."""
    ledger.set_budget("gotham", ONE)
    released(ledger, "é", TENTH)
    previous = hashlib.sha256(
        json.dumps(
            {"created": ledger.created, "ledger": ledger.id, "version": "hedgerow-ledger/1"},
            separators=(",", ":"),
        ).encode()
    ).hexdigest()
    lines = list(ledger.export())
    assert len(lines) == 3
    for number, line in enumerate(lines, 1):
        record = json.loads(line)
        told = record.pop("hash")
        text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(text.encode()).hexdigest() == told
        assert record["previous"] == previous
        assert record["seq"] == number
        previous = told
    assert ledger.tip() == LedgerTip(ledger.id, 3, previous)


def test_a_spend_that_does_not_fit_is_refused(ledger: Ledger) -> None:
    ledger.set_budget("gotham", ONE)
    for i in range(10):
        assert ledger.reserve("gotham", key=str(i), what={}, spend=TENTH).total == Amounts.of(
            epsilon=f"{(i + 1) / 10:.1f}"
        )
    before = ledger.tip()
    with pytest.raises(BudgetError, match="nothing is left") as error:
        ledger.reserve("gotham", key="x", what={}, spend=Amounts(epsilon=1))
    assert error.value.exit_code == 1
    assert "epsilon 1e-9" in str(error.value)
    assert ledger.tip() == before
    released(ledger, "partition")
    assert ledger.budget("gotham").spent == ONE
    ledger.set_budget("gotham", Amounts.of(epsilon="1.1"))
    ledger.reserve("gotham", key="x", what={}, spend=TENTH)
    assert ledger.budget("gotham").left == NOTHING
    assert ledger.verify().problems == ()


def test_without_a_budget_nothing_can_be_spent(ledger: Ledger) -> None:
    ledger.set_budget("metropolis", ONE)
    with pytest.raises(BudgetError, match="'gotham' has no budget") as error:
        ledger.reserve("gotham", key="x", what={}, spend=TENTH)
    assert "hedgerow ledger budget" in str(error.value)
    assert ledger.tip().seq == 1


def test_a_currency_the_budget_lacks_cannot_be_spent(ledger: Ledger) -> None:
    ledger.set_budget("gotham", ONE)
    for spend in (Amounts.of(rho="0.1"), Amounts.of(epsilon="0.1", delta="1e-12")):
        with pytest.raises(BudgetError):
            ledger.reserve("gotham", key="x", what={}, spend=spend)


def test_a_failure_is_not_refunded(ledger: Ledger) -> None:
    ledger.set_budget("gotham", ONE)
    reservation = ledger.reserve("gotham", key="x", what={}, spend=TENTH)
    entry = ledger.failed(reservation, why="the disk was full")
    assert (entry.kind, entry.body) == (EntryKind.FAILED, {"why": "the disk was full"})
    assert ledger.budget("gotham").spent == TENTH
    assert ledger.budget("gotham").reserved_open == 0
    assert ledger.find("gotham", "x") is None


def test_a_lowered_budget_stops_everything(ledger: Ledger) -> None:
    ledger.set_budget("gotham", Amounts.of(epsilon=1, delta="1e-6"))
    ledger.reserve("gotham", key="x", what={}, spend=Amounts.of(epsilon="0.5"))
    ledger.set_budget("gotham", Amounts.of(epsilon="0.4", delta="1e-6"))
    assert ledger.budget("gotham").left == Amounts.of(delta="1e-6")
    for spend in (Amounts(epsilon=1), Amounts(delta=1)):
        with pytest.raises(BudgetError):
            ledger.reserve("gotham", key="y", what={}, spend=spend)
    assert ledger.verify().problems == ()


def test_populations_do_not_share(ledger: Ledger) -> None:
    ledger.set_budget("metropolis", TENTH)
    ledger.set_budget("gotham", ONE)
    ledger.reserve("gotham", key="x", what={}, spend=ONE)
    ledger.reserve("metropolis", key="x", what={}, spend=TENTH)
    names = [p.population for p in ledger.populations()]
    assert names == ["gotham", "metropolis"]
    assert [p.spent for p in ledger.populations()] == [ONE, TENTH]
    assert [e.seq for e in ledger.entries(population="metropolis")] == [1, 4]
    assert ledger.verify().problems == ()


def test_overflow_is_refused_and_not_wrapped_around(ledger: Ledger) -> None:
    most = Amounts(epsilon=2**63 - 1)
    ledger.set_budget("gotham", most)
    ledger.reserve("gotham", key="x", what={}, spend=most)
    with pytest.raises(BudgetError):
        ledger.reserve("gotham", key="y", what={}, spend=Amounts(epsilon=1))
    assert ledger.budget("gotham").spent == most
    assert ledger.verify().problems == ()


def test_a_reservation_is_closed_once(ledger: Ledger) -> None:
    reservation = ledger.reserve("gotham", key="x", what={})
    entry = ledger.released(reservation, body={})
    with pytest.raises(LedgerError, match=r"already released \(entry 2\)"):
        ledger.released(reservation, body={})
    with pytest.raises(LedgerError, match="already released"):
        ledger.failed(reservation, why="late")
    with pytest.raises(LedgerError, match="not in this ledger"):
        ledger.released(entry, body={})
    assert ledger.tip().seq == 2


def test_a_reservation_of_another_ledger_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "other.db") as other:
        reservation = other.reserve("gotham", key="x", what={})
        ledger.reserve("gotham", key="x", what={})
        with pytest.raises(LedgerError, match="not in this ledger"):
            ledger.released(reservation, body={})


@pytest.mark.parametrize(
    "change", [{"population": "metropolis"}, {"key": "other"}, {"seq": 2}, {"body": {"n": 1}}]
)
def test_a_reservation_that_was_altered_is_refused(ledger: Ledger, change: Any) -> None:
    reservation = ledger.reserve("gotham", key="x", what={})
    with pytest.raises(LedgerError, match="not in this ledger"):
        ledger.released(replace(reservation, **change), body={})
    assert ledger.released(reservation, body={}).seq == 2


def test_a_release_that_missed_another_one_is_refused(ledger: Ledger) -> None:
    late = ledger.reserve("gotham", key="late", what={})
    quick = ledger.reserve("gotham", key="quick", what={})
    first = ledger.released(quick, body={}, after=0)
    with pytest.raises(LedgerError, match=rf"another release of 'gotham' \(entry {first.seq}\)"):
        ledger.released(late, body={}, after=0)
    other = ledger.reserve("metropolis", key="late", what={})
    assert ledger.released(other, body={}, after=0)
    assert ledger.released(late, body={}, after=first.seq)


@pytest.mark.parametrize(
    "name", ["", " gotham", "gotham ", "go\0tham", "go\ntham", "x" * 201, "Goth\u0061\u0308m",
             "\ud800", None, 7]
)  # fmt: skip
def test_names_that_could_be_mistaken(ledger: Ledger, name: Any) -> None:
    with pytest.raises(LedgerError, match="population"):
        ledger.reserve(name, key="x", what={})
    with pytest.raises(LedgerError, match="cannot be a key"):
        ledger.reserve("gotham", key=name, what={})
    assert ledger.tip().seq == 0


def test_names_in_any_script(ledger: Ledger) -> None:
    name = "Gotham'; DROP TABLE hedgerow_entries; -- 患者 \U0001f9a0 %s :x"
    ledger.set_budget(name, ONE)
    ledger.reserve(name, key=name, what={name: name}, spend=TENTH)
    assert ledger.budget(name).spent == TENTH
    assert list(ledger.entries(population=name))[1].body[name] == name
    assert ledger.verify().problems == ()


@pytest.mark.parametrize(
    "body", [{"x": float("nan")}, {"x": float("inf")}, {1: 2}, {"x": b"y"}, {"x": "\ud800"},
             {"clock": "mine"}, {"content_sha256": "mine"}, {"account": "mine"}]
)  # fmt: skip
def test_bodies_that_cannot_be_hashed(ledger: Ledger, body: Any) -> None:
    with pytest.raises(HedgerowError):
        ledger.reserve("gotham", key="x", what=body)
    assert ledger.tip().seq == 0


def test_bodies_with_nul_and_extremes(ledger: Ledger) -> None:
    body = {"nul": "a\0b", "large": 10**30, "small": 5e-324, "minus": -0.0, "deep": [[{"": None}]]}
    entry = ledger.reserve("gotham", key="x", what=body)
    assert next(iter(ledger.entries())) == entry
    assert ledger.verify().problems == ()


def test_a_budget_of_nothing_is_refused(ledger: Ledger) -> None:
    with pytest.raises(BudgetError, match="no budget"):
        ledger.set_budget("gotham", NOTHING)


def test_entries_come_in_order_and_by_pages(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.ledger.lookups.PAGE", 3)
    for i in range(8):
        ledger.reserve("gotham" if i % 2 else "metropolis", key=f"k{i}", what={})
    assert [e.seq for e in ledger.entries()] == list(range(1, 9))
    assert [e.seq for e in ledger.entries(limit=5)] == [4, 5, 6, 7, 8]
    assert [e.seq for e in ledger.entries(population="gotham", limit=2)] == [6, 8]
    assert [e.seq for e in ledger.entries(limit=99)] == list(range(1, 9))
    assert ledger.verify().entries == 8
    with pytest.raises(LedgerError, match="at least one"):
        list(ledger.entries(limit=0))


def test_entries_are_looked_up(ledger: Ledger) -> None:
    reservation = ledger.reserve("gotham", key="x", what={})
    entry = ledger.released(reservation, body={})
    assert ledger.look_up("2") == [entry]
    assert ledger.look_up(reservation.reservation[:8]) == [reservation, entry]
    for nothing in ("3", "%%%%", "____", "", "zzzz", "9" * 30):
        assert ledger.look_up(nothing) == []


def test_a_clock_that_goes_backwards(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    times = ["2026-05-01T10:00:00.000000Z", "2026-05-01T09:00:00.000000Z",
             "2026-05-01T10:00:00.000001Z"]  # fmt: skip
    monkeypatch.setattr("hedgerow.ledger.address.now", iter(times).__next__)
    entries = [ledger.reserve("gotham", key="x", what={"n": n}) for n in range(3)]
    assert [e.at for e in entries] == [times[0], times[0], times[2]]
    assert [e.body for e in entries] == [{"n": 0}, {"n": 1, "clock": times[1]}, {"n": 2}]
    assert ledger.verify().problems == ()


def test_it_works_after_a_fork(ledger: Ledger) -> None:
    ledger.set_budget("gotham", ONE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there may be threads; we use none
        child = os.fork()
    if not child:
        status = 1
        try:
            ledger.reserve("gotham", key="child", what={}, spend=TENTH)
            ledger.close()
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    ledger.reserve("gotham", key="parent", what={}, spend=TENTH)
    assert ledger.budget("gotham").spent == Amounts.of(epsilon="0.2")
    assert ledger.verify().problems == ()


@pytest.mark.parametrize("table", ["hedgerow_ledger", "hedgerow_entries", "hedgerow_contents"])
def test_triggers_refuse_changes(ledger: Ledger, place: Any, table: str) -> None:
    released(ledger, "x", content=b"abc")
    column = "id" if table == "hedgerow_ledger" else "seq"
    attempts = [f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}"]
    if place.store == "postgresql":
        attempts += [f"TRUNCATE {table} CASCADE", f"INSERT INTO {table} SELECT * FROM {table} "
                     f"ON CONFLICT DO NOTHING; UPDATE {table} SET {column} = {column}"]  # fmt: skip
    else:
        attempts += [f"INSERT OR REPLACE INTO {table} SELECT * FROM {table} LIMIT 1"]
    for attempt in attempts:
        with pytest.raises(Exception, match="append-only"):
            place.sql(attempt)
    assert ledger.verify([ledger.tip()]).problems == ()


def test_the_table_refuses_what_is_no_amount(ledger: Ledger, place: Any) -> None:
    ledger.reserve("gotham", key="x", what={})
    row = place.sql("SELECT * FROM hedgerow_entries")[0]
    for column, bad in ((7, -1), (10, -1), (2, "'REFUND'"), (0, 0)):
        values = [repr(v) for v in (2, *row[1:])]
        values[column] = str(bad)
        with pytest.raises(Exception, match=r"(?i)check|append-only"):
            place.sql(f"INSERT INTO hedgerow_entries VALUES ({', '.join(values)})")
