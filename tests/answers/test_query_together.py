"""Several questions at once: charged together or not at all, each kept for itself."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tallies import tallied

import hedgerow
from hedgerow.answers.charge import _counted
from hedgerow.base.errors import DataError
from hedgerow.engines import open_engine
from hedgerow.engines.duckdb import DuckDBEngine
from hedgerow.engines.tally import Spaced, Summed, Tally, merged
from hedgerow.ledger import Amounts, BudgetError, Ledger, LedgerError
from hedgerow.ledger.entry import EntryKind

PLAN = """\
population: town
ledger: ledger.db
source: people.csv
privacy: {neighbours: add-remove}
columns:
  age: {role: quasi-identifier, bounds: [0, 100], step: 1}
  ill: {role: sensitive, domain: [flu, gout, acne]}
"""


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 40},{('flu', 'gout', 'acne')[i % 3]}" for i in range(60)]
    (tmp_path / "people.csv").write_text("age,ill\n" + "\n".join(rows) + "\n", "utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=3))
    return tmp_path


def entries() -> list[tuple[EntryKind, str]]:
    with Ledger.open("ledger.db") as ledger:
        assert ledger.verify().problems == ()
        return [(e.kind, str(e.spend)) for e in ledger.entries() if e.kind != EntryKind.BUDGET]


def test_each_is_charged_and_kept_for_itself(town: Path) -> None:
    with hedgerow.session("plan.yaml") as session:
        several = session.together()
        assert several.count(epsilon="0.5") == 0
        assert several.mean("age", epsilon="0.25") == 1
        assert several.histogram("ill", epsilon="0.25") == 2
        people, age, ills = several.answers()
        assert len(ills.tables[0].columns["ill"]) == 3
        kinds = [kind for kind, _ in entries()]
        assert kinds == [EntryKind.RESERVE] * 3 + [EntryKind.RELEASED] * 3
        assert str(session.budget.spent) == "epsilon 1"
        assert session.count(epsilon="0.5").to_bytes() == people.to_bytes(), "for nothing"
        assert session.mean("age", epsilon="0.25").to_bytes() == age.to_bytes()
        assert len(entries()) == 6


def test_what_was_answered_before_costs_nothing_and_a_question_twice_is_one(town: Path) -> None:
    with hedgerow.session("plan.yaml") as session:
        before = session.count(epsilon=1)
        several = session.together()
        for epsilon in (1, "0.5", "0.5"):
            several.count(epsilon=epsilon)
        first, second, third = several.answers()
        assert first.to_bytes() == before.to_bytes()
        assert second.to_bytes() == third.to_bytes()
        assert str(session.budget.spent) == "epsilon 1.5"
        assert several.answers() == (), "they were asked once"


def test_anew_every_question_is_drawn_for_itself(town: Path) -> None:
    with hedgerow.session("plan.yaml", anew=True) as session:
        several = session.together()
        several.count(epsilon=1)
        several.count(epsilon=1)
        one, two = several.answers()
        assert one.ledger["seq"] != two.ledger["seq"]
        assert str(session.budget.spent) == "epsilon 2"


def test_what_does_not_fit_together_is_not_charged_at_all(town: Path) -> None:
    with (
        patch.object(DuckDBEngine, "tally", side_effect=AssertionError("touched")),
        hedgerow.session("plan.yaml") as session,
    ):
        several = session.together()
        several.count(epsilon=2)
        several.mean("age", epsilon=2)
        with pytest.raises(BudgetError):
            several.answers()
    assert entries() == []


def test_what_fails_stays_charged_as_a_whole(town: Path) -> None:
    with (
        patch.object(DuckDBEngine, "tally", side_effect=DataError("cannot be read")),
        hedgerow.session("plan.yaml") as session,
    ):
        several = session.together()
        several.count(epsilon=1)
        several.mean("age", epsilon="0.5")
        with pytest.raises(DataError, match=r"epsilon 1.5 stays charged \(entries 2 to 3\)"):
            several.answers()
    kinds = [kind for kind, _ in entries()]
    assert kinds == [EntryKind.RESERVE] * 2 + [EntryKind.FAILED] * 2


def test_a_block_of_entries_is_recorded_as_a_whole(town: Path) -> None:
    with Ledger.open("ledger.db") as ledger:

        def twice() -> None:
            with ledger.at_once():
                kept = ledger.reserve("town", key="one", what={}, spend=Amounts.of(epsilon=1))
                ledger.released(kept, body={})
                ledger.released(kept, body={})  # it has been released

        with pytest.raises(LedgerError):
            twice()
        assert str(ledger.budget("town").spent) == "nothing"
        with ledger.at_once():
            ledger.reserve("town", key="one", what={}, spend=Amounts.of(epsilon=1))
            ledger.reserve("town", key="two", what={}, spend=Amounts.of(epsilon=2))
        assert str(ledger.budget("town").spent) == "epsilon 3"
    assert [kind for kind, _ in entries()] == [EntryKind.RESERVE] * 2


SUMS = st.builds(
    Summed,
    st.sampled_from(["x", "y"]),
    st.sampled_from([Fraction(1), Fraction(1, 2)]),
    st.integers(-9, 0),
    st.integers(0, 9),
    st.integers(-3, 3),
    st.sampled_from([1, 2]),
)
BY = st.sampled_from([(), (Spaced("x", Fraction(0), Fraction(5), 3),)])
TALLIES = st.builds(
    lambda by, sums: Tally(by=by, sums=tuple(sums), count="rows"), BY, st.lists(SUMS, max_size=3)
)
VALUES = st.none() | st.sampled_from([float("nan"), float("inf"), 0.0, 2.5, -7.0, 12.0, 1e300])


@settings(max_examples=60, deadline=None)
@given(st.lists(TALLIES, min_size=2, max_size=5), st.lists(st.tuples(VALUES, VALUES), max_size=8))
def test_what_is_counted_together_is_what_is_counted_alone(
    tallies: list[Tally], rows: list[tuple[float | None, float | None]]
) -> None:
    columns = {name: [row[i] for row in rows] for i, name in enumerate("xy")}
    table = pa.table({name: pa.array(column, pa.float64()) for name, column in columns.items()})
    with open_engine(table) as engine:
        found = _counted(engine, tallies)
    for tally in tallies:
        names = [f"k{i}" for i in range(len(tally.by))]
        lines = found[tally].to_pylist()
        told = {
            tuple(line[name] for name in names): (
                line["n"],
                *(line[f"s{i}"] for i in range(len(tally.sums))),
            )
            for line in lines
        }
        expected = tallied(tally, [dict(zip("xy", row, strict=True)) for row in rows])
        assert told == expected
    assert len({whole for whole, _ in merged(tallies).values()}) <= len(set(tallies))


def test_sums_of_one_column_are_one_tally() -> None:
    plain = Tally(sums=(Summed("x", Fraction(1), 0, 9),), count="rows")
    centred = Tally(sums=(Summed("x", Fraction(1), 0, 9, 4),), count="rows")
    other = Tally(sums=(Summed("y", Fraction(1), 0, 9),), count="rows")
    found = merged([plain, centred, other])
    assert found[plain][0] == found[centred][0] != found[other][0]
    assert (found[plain][1], found[centred][1], found[other][1]) == ((0,), (1,), (0,))
