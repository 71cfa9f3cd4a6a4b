"""A budget that is one statement, as the ledger keeps it."""

from __future__ import annotations

import pytest

from hedgerow.ledger import Amounts, BudgetError, Entry, EntryKind, Ledger, LedgerError
from hedgerow.ledger import account as accounts
from hedgerow.ledger import book as books

TENTH = Amounts.of(epsilon="0.1")
FIVE = Amounts.of(epsilon=5, delta="1e-6")


def spent(ledger: Ledger, times: int, spend: Amounts = TENTH) -> Entry:
    return [ledger.reserve("gotham", key="x", what={}, spend=spend) for _ in range(times)][-1]


def test_a_hundred_counts_fit_where_their_sum_does_not(ledger: Ledger) -> None:
    ledger.set_budget("gotham", FIVE)
    last = spent(ledger, 100)
    assert last.total == Amounts.of(epsilon=10)
    position = ledger.budget("gotham")
    assert position.spent.epsilon < Amounts.of(epsilon="4.96").epsilon
    assert position.standing is not None
    more = position.standing.more(TENTH)
    assert 0 < more < 10
    spent(ledger, more)
    assert not ledger.budget("gotham").admits(TENTH)
    with pytest.raises(BudgetError, match=r"of the budget of 'gotham'.* is spent"):
        spent(ledger, 1)
    assert ledger.verify().problems == ()


def test_currencies_share_the_budget(ledger: Ledger) -> None:
    ledger.set_budget("gotham", Amounts.of(epsilon=3, delta="1e-6"))
    spent(ledger, 10)
    spent(ledger, 4, Amounts.of(rho="0.02"))
    assert ledger.verify().problems == ()
    with pytest.raises(BudgetError, match="may add up to delta 1e-7"):
        spent(ledger, 1, Amounts.of(epsilon="0.1", delta="5e-7"))
    spent(ledger, 1, Amounts.of(epsilon="0.1", delta="1e-8"))
    ledger.set_budget("metropolis", Amounts.of(rho="0.01"))
    ledger.reserve("metropolis", key="x", what={}, spend=TENTH)
    assert ledger.budget("metropolis").spent == Amounts.of(rho="0.005")


def test_a_new_budget_counts_what_was_spent_before(ledger: Ledger) -> None:
    """Also spends of a time when each currency had a limit of its own."""
    ledger.set_budget("gotham", Amounts.of(epsilon=6, delta="1e-6", rho=1))
    assert ledger.budget("gotham").standing is None
    spent(ledger, 50)
    spent(ledger, 1, Amounts.of(rho="0.01"))
    ledger.set_budget("gotham", FIVE)
    first = ledger.budget("gotham").standing
    assert first is not None
    assert first.spends.count == 51
    spent(ledger, 1)
    assert ledger.budget("gotham").spent.epsilon > first.spent().epsilon
    ledger.set_budget("gotham", Amounts.of(epsilon="0.2"))
    with pytest.raises(BudgetError):
        spent(ledger, 1, Amounts.of(epsilon="1e-9"))
    assert ledger.verify().problems == ()


def test_an_entry_without_its_account_is_counted_from_all_entries(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a program wrote it that does not know of accounts."""
    ledger.set_budget("gotham", FIVE)
    spent(ledger, 3)
    with monkeypatch.context() as patched:
        patched.setattr(books.Ledger, "_standing", lambda *given: None)
        spent(ledger, 1)
    ledger.reserve("gotham", key="y", what={})
    spent(ledger, 1)
    standing = ledger.budget("gotham").standing
    assert standing is not None
    assert standing.spends.count == 5
    assert ledger.verify().problems == ()


def test_an_account_that_says_less_than_was_spent_is_found(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.set_budget("gotham", FIVE)
    before = ledger.budget("gotham").standing
    spent(ledger, 3)
    with monkeypatch.context() as patched:
        patched.setattr(books.Ledger, "_standing", lambda *given: before)
        assert spent(ledger, 1).kind == EntryKind.RESERVE
    assert ledger.verify().problems == ("entry 5: what is spent of 'gotham' does not add up",)


def test_what_is_written_adds_up_to_what_is_computed_again(ledger: Ledger) -> None:
    """Also where a pure spend in a budget in rho has more digits than are kept."""
    ledger.set_budget("gotham", Amounts.of(rho=1))
    spent(ledger, 3, Amounts.of(epsilon="1e-9"))
    assert ledger.verify().problems == ()


def test_a_spend_in_two_currencies_counts_as_two(ledger: Ledger) -> None:
    both = Amounts.of(epsilon="0.1", delta="1e-9", rho="0.01")
    ledger.set_budget("gotham", Amounts.of(epsilon=6, delta="1e-6", rho=1))
    spent(ledger, 1, both)
    ledger.set_budget("gotham", FIVE)
    one_by_one = spent(ledger, 1, both).body["account"]
    assert one_by_one["count"] == 4
    assert (one_by_one["epsilon"], one_by_one["delta"]) == (2 * both.epsilon, 2 * both.delta)
    assert ledger.budget("gotham").more(both) > 0
    ledger.set_budget("gotham", Amounts.of(epsilon=5))
    with pytest.raises(BudgetError, match="pure epsilons only"):
        spent(ledger, 1, both)
    assert ledger.verify().problems == ()


@pytest.mark.parametrize(
    ("budget", "before", "then", "most"),
    [
        (FIVE, [TENTH] * 102, TENTH, "5.1"),
        (FIVE, [TENTH] * 40 + [Amounts.of(epsilon="0.2")] * 40, TENTH, "12.1"),
        (Amounts.of(epsilon=1, delta="1e-6"), [Amounts.of(epsilon="0.1", delta="2e-7")],
         Amounts.of(epsilon="0.95"), "1.05"),
        (Amounts.of(epsilon=1), [TENTH] * 10, Amounts.of(epsilon="0.1", delta="1e-9"), "1.1"),
        (Amounts.of(epsilon=1), [TENTH] * 2, Amounts.of(rho="1e-3"), "1"),
        (Amounts.of(rho=1), [TENTH], Amounts.of(rho=2), None),
    ],
)  # fmt: skip
def test_the_budget_that_a_refusal_names_is_enough(
    ledger: Ledger, budget: Amounts, before: list[Amounts], then: Amounts, most: str | None
) -> None:
    """And not much more than that."""
    ledger.set_budget("gotham", budget)
    for spend in before:
        if ledger.budget("gotham").admits(spend):
            spent(ledger, 1, spend)
    with pytest.raises(BudgetError) as refused:
        spent(ledger, 1, then)
    told = str(refused.value.fix).split("--set '")[1].split("'")[0]
    if most is not None:
        assert Amounts.read(told).epsilon <= Amounts.of(epsilon=most).epsilon
    ledger.set_budget("gotham", Amounts.read(told))
    spent(ledger, 1, then)


def test_a_refusal_names_no_budget_that_is_too_small(ledger: Ledger) -> None:
    ledger.set_budget("gotham", Amounts.of(epsilon=1))
    with pytest.raises(BudgetError) as refused:
        spent(ledger, 1, Amounts.of(rho=1))
    assert "--set '...'" in str(refused.value.fix)


def test_a_refusal_says_that_the_first_spend_took_the_delta(ledger: Ledger) -> None:
    ledger.set_budget("gotham", Amounts.of(epsilon=1, delta="1e-6"))
    spent(ledger, 1, Amounts.of(epsilon="0.1", delta="6e-7"))
    with pytest.raises(BudgetError) as refused:
        spent(ledger, 1, Amounts.of(rho="1e-6"))
    assert "took the delta of this budget" in str(refused.value.fix)


@pytest.mark.parametrize(
    "fixed",
    [{}, [], None, {"order": "1"}, {"order": "1/0"}, {"order": "x"}, {"order": "8", "k": 2}],
)
def test_an_account_of_another_kind_is_refused(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, fixed: object
) -> None:
    """As a newer program may write it: what fits into it, this one does not know."""
    with monkeypatch.context() as patched:
        patched.setattr(accounts, "account_body", lambda budget: {"account": fixed})
        ledger.set_budget("gotham", FIVE)
    for ask in (lambda: spent(ledger, 1), lambda: ledger.budget("gotham")):
        with pytest.raises(LedgerError, match="entry 1 of the ledger sets a budget of a kind"):
            ask()
    assert ledger.verify().problems == ("entry 1 sets no account that can be read",)
