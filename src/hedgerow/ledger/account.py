"""A population's account: one budget, and what was spent of it, as the ledger keeps both.

A BUDGET entry fixes the account. Each later RESERVE carries what is spent up to there, so that
the next one need not read them all; where an entry lacks it, all of them are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from hedgerow.base.errors import HedgerowError, LedgerError
from hedgerow.ledger.connection import Transaction
from hedgerow.ledger.entry import ACCOUNT, ORDER, Entry, EntryKind
from hedgerow.ledger.lookups import newest, page, trusted
from hedgerow.noise.account import (
    LARGE_OWN_SHARE,
    OWN_SHARE,
    Account,
    ApproximateAccount,
    ConcentratedAccount,
    PureAccount,
    Spends,
    account_of,
    loss_of,
    losses_of,
)
from hedgerow.noise.amounts import NOTHING, PLACES, Amounts
from hedgerow.noise.measures import Approximate, Pure, ZeroConcentrated
from hedgerow.noise.renyi import DIGITS

_SHOWN = 10**6
"""What is spent of an epsilon is told in millionths, rounded up."""
_ASKED = 1000
"""An epsilon that would do is told in thousandths, rounded up."""
_MOST_MORE = 10**9
"""More equal spends than that are not counted."""


@dataclass(frozen=True)
class Standing:
    """An account, and what was spent of it."""

    account: Account
    spends: Spends
    budget: int
    """The number of the entry that set the budget."""

    def after(self, spend: Amounts) -> Standing:
        """Where the account stands after one more spend."""
        return Standing(self.account, self._after(spend, 1), self.budget)

    def _after(self, spend: Amounts, times: int) -> Spends:
        spends = self.spends
        for loss in losses_of(spend):
            spends = self.account.add(spends, loss, times=times)
        return spends

    @property
    def fits(self) -> bool:
        """Whether what is spent is within the budget."""
        return self.account.admits(self.spends)

    @property
    def used(self) -> Fraction:
        """The share of the budget that is spent; above 1 where it is more than the budget."""
        return self.account.used(self.spends)

    def why_not(self, spend: Amounts) -> str:
        """What would be right, where a spend does not fit."""
        account, loss = self.account, loss_of(spend)
        if isinstance(account, PureAccount) and not isinstance(loss, Pure):
            return "This budget takes pure epsilons only: ask for Laplace noise."
        if isinstance(account, ConcentratedAccount) and isinstance(loss, Approximate):
            return "A budget in rho takes nothing that has a delta: ask for a rho, or an epsilon."
        if isinstance(account, ApproximateAccount) and isinstance(loss, Approximate):
            most = account.most_of_own_delta(self.after(spend).spends)
            if self.spends.delta + loss.delta > most:
                told = Amounts.of(delta=most, rounding="down")
                return (
                    f"The deltas of single spends may add up to {told} here: ask for a smaller one."
                )
        took_delta = isinstance(account, ApproximateAccount) and account.only_sums(self.spends)
        if took_delta and isinstance(loss, ZeroConcentrated):
            return (
                "The first spend took the delta of this budget for itself, so only epsilons fit: "
                "ask for Laplace noise."
            )
        return "Ask for something that costs less."

    def enough(self, spend: Amounts) -> Amounts | None:
        """A budget of one statement that would let a spend through; None where none is at hand."""
        after, loss = self.after(spend).spends, loss_of(spend)
        budget = self.account.budget.amounts()
        if isinstance(self.account, ConcentratedAccount) and not after.delta:
            return Amounts.of(rho=max(after.renyi, self.account.budget.rho))
        if isinstance(self.account, PureAccount) and isinstance(loss, ZeroConcentrated):
            return _with_delta(self.account.budget.epsilon, after.epsilon, loss)
        if after.concentrated or isinstance(self.account, ConcentratedAccount):
            return None
        epsilon, delta = after.epsilon, Fraction(budget.delta, 10 ** PLACES["delta"])
        if isinstance(self.account, ApproximateAccount):
            if (least := self.account.epsilon_of_equal(after)) is not None:
                epsilon = min(epsilon, Fraction(ceil(least * _ASKED), _ASKED))
            if after.delta <= self.account.most_of_own_delta(after):
                return Amounts.of(epsilon=max(epsilon, self.account.budget.epsilon), delta=delta)
        own = LARGE_OWN_SHARE if isinstance(after.first, Approximate) else OWN_SHARE
        return Amounts.of(
            epsilon=max(epsilon, Fraction(budget.epsilon, 10 ** PLACES["epsilon"])),
            delta=max(after.delta / own, delta),
        )

    def spent(self) -> Amounts:
        """What is spent, in the currency of the budget: never more than each spend added up."""
        if not self.spends.count:
            return NOTHING
        loss = self.account.spent(self.spends)
        if isinstance(self.account, ApproximateAccount):
            # The delta of the ways is the budget's own; what is counted is the spends' deltas.
            shown = Fraction(ceil(loss.epsilon * _SHOWN), _SHOWN)  # type: ignore[union-attr]
            return Amounts.of(epsilon=shown, delta=self.spends.delta)
        return loss.amounts()

    def more(self, spend: Amounts) -> int:
        """How many more spends like this would fit, one after the other."""
        if not spend:
            return 0

        def fits(count: int) -> bool:
            return self.account.admits(self._after(spend, count))

        if not fits(1):
            return 0
        low, high = 1, 2
        while high < _MOST_MORE and fits(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low

    @property
    def words(self) -> str:
        """The budget as one statement."""
        return str(self.account.budget)

    def as_json(self) -> dict[str, Any]:
        """As an entry carries it."""
        spends = self.spends
        first = NOTHING if spends.first is None else spends.first.amounts()
        return {
            "budget": self.budget,
            "first": first.units,
            "count": spends.count,
            "alike": spends.alike,
            "concentrated": spends.concentrated,
            "epsilon": ceil(spends.epsilon * 10 ** PLACES["epsilon"]),
            "delta": ceil(spends.delta * 10 ** PLACES["delta"]),
            "renyi": ceil(spends.renyi * DIGITS),
        }


def _with_delta(epsilon: Fraction, spent: Fraction, loss: ZeroConcentrated) -> Amounts | None:
    """The same epsilon with a delta, where one loss in rho fits then."""
    account = ApproximateAccount.of(Approximate(epsilon=epsilon, delta="1e-6"))
    rho = loss.rho + spent**2 / 2  # however many pure losses it is the sum of
    return account.budget.amounts() if rho * account.order <= account.room(Spends()) else None


def account_in(entry: Entry | None) -> Account | None:
    """The account that a BUDGET entry fixes; None where its three sums are three limits.

    Raises:
        LedgerError: It is none that is known here; what fits into it, nobody here can tell.
    """
    if entry is None or entry.budget is None or ACCOUNT not in entry.body:
        return None
    fixed = entry.body[ACCOUNT]
    try:
        order = fixed.get(ORDER)
        account = account_of(entry.budget, order=None if order is None else Fraction(order))
        known = {ORDER} if isinstance(account, ApproximateAccount) else set()
        if account is None or fixed.keys() != known:
            raise ValueError("another account")
    except (HedgerowError, AttributeError, TypeError, ValueError, ZeroDivisionError):
        raise LedgerError(
            f"entry {entry.seq} of the ledger sets a budget of a kind that is not known here",
            fix="Update Hedgerow, or run `hedgerow ledger verify`.",
        ) from None
    return account


def account_body(budget: Amounts) -> dict[str, Any]:
    """What a BUDGET entry says of its account: nothing where it names epsilon and rho."""
    account = account_of(budget)
    if account is None:
        return {}
    fixed = {ORDER: str(account.order)} if isinstance(account, ApproximateAccount) else {}
    return {ACCOUNT: fixed}


def standing(
    connection: Transaction, population: str, budget: Entry | None, last: Entry | None
) -> Standing | None:
    """Where a population's account stands; None where it has none.

    Args:
        connection: A transaction.
        population: Whose.
        budget: Its latest BUDGET.
        last: Its latest RESERVE.
    """
    account = account_in(budget)
    if account is None or budget is None:
        return None
    if last is None:
        return Standing(account, Spends(), budget.seq)
    kept = last.body.get(ACCOUNT)
    if isinstance(kept, Mapping) and kept.get("budget") == budget.seq:
        return Standing(account, _read(kept, last), budget.seq)
    found = Standing(account, Spends(), budget.seq)
    for entry in _reserves(connection, population):
        found = found.after(entry.spend)
    return found


def standing_now(connection: Transaction, population: str) -> Standing | None:
    """The same, by looking both entries up."""
    budget = newest(connection, population=population, kind=EntryKind.BUDGET)
    if account_in(budget) is None:
        return None
    last = newest(connection, population=population, kind=EntryKind.RESERVE)
    return standing(connection, population, budget, last)


def _reserves(connection: Transaction, population: str) -> Iterator[Entry]:
    after = 0
    while rows := page(connection, population, after, EntryKind.RESERVE):
        for row in rows:
            yield trusted(row)
        after = rows[-1]["seq"]


def _read(kept: Mapping[str, Any], entry: Entry) -> Spends:
    try:
        return Spends(
            first=loss_of(Amounts(**kept["first"])),
            count=int(kept["count"]),
            alike=bool(kept["alike"]),
            concentrated=bool(kept["concentrated"]),
            epsilon=Fraction(int(kept["epsilon"]), 10 ** PLACES["epsilon"]),
            delta=Fraction(int(kept["delta"]), 10 ** PLACES["delta"]),
            renyi=Fraction(int(kept["renyi"]), DIGITS),
        )
    except (HedgerowError, KeyError, TypeError, ValueError):
        raise LedgerError(
            f"entry {entry.seq} of the ledger does not say what is spent",
            fix="Run `hedgerow ledger verify`.",
        ) from None
