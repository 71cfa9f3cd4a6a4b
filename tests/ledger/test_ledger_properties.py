"""Whatever is done to a ledger, in whatever order: nothing is overspent, and it verifies."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hedgerow.ledger import Amounts, BudgetError, Entry, Ledger, LedgerError

NAMES = ("epsilon", "delta", "rho")
SCALE = {"epsilon": 10**9, "delta": 10**18, "rho": 10**9}

whole = st.integers(0, 6)
amounts = st.fixed_dictionaries(dict.fromkeys(NAMES, whole)).filter(
    lambda found: any(found.values())
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("budget"), st.sampled_from("ab"), amounts),
        st.tuples(st.just("spend"), st.sampled_from("ab"), amounts),
        st.tuples(st.just("partition"), st.sampled_from("ab"), st.none()),
        st.tuples(st.just("released"), st.integers(0, 9), st.none()),
        st.tuples(st.just("failed"), st.integers(0, 9), st.none()),
        st.tuples(st.just("reopen"), st.none(), st.none()),
    ),
    max_size=25,
)


def exact(found: dict[str, int], name: str) -> Fraction:
    """Sevenths, which have no end as decimals: rounding has something to do."""
    return Fraction(found[name], 7 * (10 if name == "delta" else 1))


class Model:
    """The rules once more, in as few lines as possible and in exact fractions."""

    def __init__(self) -> None:
        self.budget: dict[str, list[int]] = {}
        self.spent = {"a": [0, 0, 0], "b": [0, 0, 0]}

    def may(self, who: str, cost: list[int]) -> bool:
        cap = self.budget.get(who)
        if cap is None:
            return False
        after = [s + c for s, c in zip(self.spent[who], cost, strict=True)]
        return all(a <= c for a, c in zip(after, cap, strict=True))


def run(where: str, todo: list[tuple[str, Any, Any]]) -> None:
    model, made, closed = Model(), list[Entry](), set[int]()
    ledger = Ledger.open(where)
    for number, (what, who, found) in enumerate(todo):
        key = f"k{number}"
        if found is not None:
            given = {name: exact(found, name) for name in NAMES}
        if what == "budget":
            # Never over what was meant, never a whole unit under it.
            cap = [int(given[name] * SCALE[name]) for name in NAMES]
            ledger.set_budget(who, Amounts.of(**given, rounding="down"))
            model.budget[who] = cap
        elif what == "spend":
            cost = [-int(-given[name] * SCALE[name] // 1) for name in NAMES]
            try:
                made.append(ledger.reserve(who, key=key, what={}, spend=Amounts.of(**given)))
                granted = True
            except BudgetError:
                granted = False
            assert granted == model.may(who, cost)
            if granted:
                model.spent[who] = [s + c for s, c in zip(model.spent[who], cost, strict=True)]
        elif what == "partition":
            made.append(ledger.reserve(who, key=key, what={"n": number}))
        elif what == "reopen":
            ledger.close()
            ledger = Ledger.open(where, create=False)
        elif who < len(made):
            try:
                if what == "released":
                    ledger.released(made[who], body={}, content=key.encode())
                else:
                    ledger.failed(made[who], why="some reason")
                assert who not in closed
            except LedgerError:
                assert who in closed
            closed.add(who)
    for who in "ab":
        position = ledger.budget(who)
        assert list(position.spent.units.values()) == model.spent[who]
    assert sum(p.reserved_open for p in ledger.populations()) == len(made) - len(closed)
    assert ledger.verify([ledger.tip()]).problems == ()
    ledger.close()


@given(steps)
@settings(max_examples=60, deadline=None)
def test_sqlite(todo: list[tuple[str, Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run(str(Path(folder) / "ledger.db"), todo)


@given(steps)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_postgresql(server: Any, todo: list[tuple[str, Any, Any]]) -> None:
    run(server.schema(), todo)


def test_the_properties_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger that does not look at its budget is noticed."""
    monkeypatch.setattr(Ledger, "_refuse_overspending", lambda *given: None)
    one = dict.fromkeys(NAMES, 1)
    with pytest.raises(AssertionError):
        run(str(tmp_path / "ledger.db"), [("spend", "a", one)])
