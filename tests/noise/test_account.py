"""A budget that is one statement: what fits, checked against every adaptive strategy."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, reduce

import pytest

from hedgerow.base.errors import PlanError
from hedgerow.noise import account as accounts
from hedgerow.noise.account import (
    ApproximateAccount,
    ConcentratedAccount,
    PureAccount,
    Spends,
    account_of,
)
from hedgerow.noise.amounts import Amounts
from hedgerow.noise.equal_spends import delta_of_equal
from hedgerow.noise.measures import Approximate, Loss, Pure, ZeroConcentrated
from hedgerow.noise.renyi import renyi_loss, renyi_room


def spends_of(account, losses: list[Loss]) -> Spends:
    return reduce(account.add, losses, Spends())


def worst_delta(account, menu, epsilon: float, most: int, *, start=None) -> float:
    """The exact delta at an epsilon of the worst strategy that the account lets through.

    Each item of the menu is randomised response: (epsilon, chance to say everything), the worst
    mechanism with that loss. A strategy looks at all answers so far, and asks or stops. How
    likely a transcript is depends on how often each item was for and against alone, so that the
    best choice does, too: dynamic programming over these numbers tries every strategy. Nothing
    here knows how the account works; it asks it only what fits.
    """
    losses = [
        Approximate(epsilon=str(e), delta=str(d)) if d else Pure(epsilon=str(e)) for e, d in menu
    ]

    @cache
    def fits(first: int, counts: tuple[int, ...]) -> bool:
        order = [losses[first]] + [
            loss
            for i, loss in enumerate(losses)
            for _ in range(counts[i] - (1 if i == first else 0))
        ]
        return bool(
            account.admits(reduce(account.add, order, Spends() if start is None else start))
        )

    @cache
    def value(first: int, counts: tuple[int, ...], net: tuple[int, ...]) -> float:
        """The worst excess, as a share of the transcript's probability under the hypothesis."""
        loss = sum(n * e for n, (e, _) in zip(net, menu, strict=True))
        best = max(0.0, 1 - math.exp(epsilon - loss))
        if sum(counts) >= most:
            return best
        for i, (e, d) in enumerate(menu):
            begun = i if first < 0 else first
            after = tuple(n + (j == i) for j, n in enumerate(counts))
            if not fits(begun, after):
                continue
            p = 1 / (1 + math.exp(-e))
            up = value(begun, after, tuple(n + (j == i) for j, n in enumerate(net)))
            down = value(begun, after, tuple(n - (j == i) for j, n in enumerate(net)))
            best = max(best, d + (1 - d) * (p * up + (1 - p) * down))
        return best

    nothing = tuple(0 for _ in menu)
    return value(-1, nothing, nothing)


CASES = [
    (Fraction(1), Fraction(1, 10), [(0.5, 0.0)]),
    (Fraction(1), Fraction(1, 10), [(0.3, 0.0), (0.7, 0.0)]),
    (Fraction(2), Fraction(1, 100), [(0.4, 0.0), (0.9, 0.0)]),
    (Fraction(1), Fraction(1, 20), [(0.4, 0.0), (0.2, 0.002)]),
    (Fraction(1), Fraction(1, 20), [(0.3, 0.02), (0.5, 0.0)]),
    (Fraction(3, 2), Fraction(1, 5), [(0.25, 0.0), (0.5, 0.0), (1.0, 0.0)]),
]


@pytest.mark.parametrize(("epsilon", "delta", "menu"), CASES)
def test_no_adaptive_strategy_gets_beyond_the_budget(epsilon, delta, menu):
    account = ApproximateAccount.of(Approximate(epsilon=epsilon, delta=delta))
    assert worst_delta(account, menu, float(epsilon), 14 if len(menu) < 3 else 9) <= delta


def test_prices_that_follow_the_answers_are_no_prices_fixed_beforehand():
    """The mistake that the filter is there for: spends are composed as if they had been fixed."""

    class Careless:
        budget = Approximate(epsilon=Fraction(1), delta=Fraction(1, 20))

        def add(self, spends: tuple[Pure, ...], loss: Pure) -> tuple[Pure, ...]:
            return (*spends, loss)

        def admits(self, spends: tuple[Pure, ...]) -> bool:
            law = {0.0: 1.0}
            for loss in spends:
                e = float(loss.epsilon)
                p, after = 1 / (1 + math.exp(-e)), {}
                for net, chance in law.items():
                    for way, share in ((e, p), (-e, 1 - p)):
                        key = round(net + way, 9)
                        after[key] = after.get(key, 0.0) + chance * share
                law = after
            excess = sum(c * max(0.0, 1 - math.exp(1 - net)) for net, c in law.items())
            return excess <= self.budget.delta

    found = worst_delta(Careless(), [(0.2, 0.0), (0.6, 0.0)], 1.0, 12, start=())
    assert found > Careless.budget.delta


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_equal_spends_compose_exactly(epsilon, count):
    """Against the two distributions of all transcripts, added up in rationals."""
    odds = Fraction(math.exp(epsilon))
    p = odds / (1 + odds)
    at = 0.6 * count * epsilon
    bound = Fraction(math.exp(at))
    exact = sum(
        math.comb(count, i) * max(p ** (count - i) * (1 - p) ** i
                                  - bound * (1 - p) ** (count - i) * p**i, Fraction(0))
        for i in range(count + 1)
    )  # fmt: skip
    found = delta_of_equal(count, epsilon=Fraction(epsilon), at=at)
    assert exact <= found <= exact * Fraction(10001, 10000) + Fraction(1, 10**12)


@pytest.mark.parametrize("order", [Fraction(3, 2), Fraction(8), Fraction(60)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(1, 10), Fraction(3)])
def test_the_renyi_loss_of_a_pure_one_is_that_of_randomised_response(order, epsilon):
    e, a = float(epsilon), float(order)
    p = math.exp(e) / (1 + math.exp(e))
    exact = math.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)
    found = float(renyi_loss(Pure(epsilon=epsilon), order))
    assert exact * (1 - 1e-6) <= found <= exact * (1 + 1e-6) + 1e-12
    assert found <= min(e, a * e * e / 2) * (1 + 1e-9)


def test_the_renyi_room_implies_the_epsilon():
    """Equal to the conversion of zCDP, which is checked elsewhere, at its own order."""
    loss = ZeroConcentrated(rho="0.02")
    account = ApproximateAccount.of(loss.approximate(delta="1e-6"))
    order = account.order
    rho = renyi_room(loss.approximate(delta="1e-6"), order) / order
    assert rho <= loss.rho <= rho * Fraction(1001, 1000) or order > 1


def test_a_hundred_counts_cost_less_than_their_sum():
    account = ApproximateAccount.of(Approximate(epsilon=5, delta="1e-6"))
    spends = spends_of(account, [Pure(epsilon="0.1")] * 100)
    assert account.admits(spends)
    assert account.used(spends) * 5 < Fraction("4.96")


def test_gaussian_and_laplace_noise_share_one_budget():
    account = ApproximateAccount.of(Approximate(epsilon=3, delta="1e-6"))
    mixed: list[Loss] = [ZeroConcentrated(rho="0.02")] * 4 + [Pure(epsilon="0.1")] * 10
    spends = spends_of(account, mixed)
    assert account.admits(spends)
    assert not account.admits(spends_of(account, mixed * 4))


def test_a_spend_with_a_large_delta_of_its_own_takes_the_whole_delta():
    account = ApproximateAccount.of(Approximate(epsilon=1, delta="1e-6"))
    whole = Approximate(epsilon=1, delta="1e-6")
    assert account.admits(spends_of(account, [whole]))
    assert not account.admits(spends_of(account, [whole, Pure(epsilon="1e-3")]))
    # Later, it must do with its share.
    assert not account.admits(spends_of(account, [Pure(epsilon="1e-3"), whole]))


def test_pure_and_concentrated_accounts_add_up():
    pure = PureAccount(Pure(epsilon=1))
    assert pure.admits(spends_of(pure, [Pure(epsilon="0.1")] * 10))
    assert not pure.admits(spends_of(pure, [Pure(epsilon="0.1")] * 11))
    assert not pure.admits(spends_of(pure, [ZeroConcentrated(rho="1e-9")]))
    rho = ConcentratedAccount(ZeroConcentrated(rho="0.5"))
    assert rho.admits(spends_of(rho, [Pure(epsilon=1)]))
    assert not rho.admits(spends_of(rho, [Pure(epsilon=1), ZeroConcentrated(rho="1e-9")]))
    assert not rho.admits(spends_of(rho, [Approximate(epsilon="0.1", delta="1e-9")]))


def test_two_statements_are_no_account():
    assert account_of(Amounts.of(epsilon=1, rho=1)) is None
    assert isinstance(account_of(Amounts.of(epsilon=1)), PureAccount)
    assert accounts.loss_of(Amounts()) is None


def test_equal_spends_that_are_over_by_less_than_a_double_shows_are_over():
    """Three times the double next to a third is 1."""
    third = Fraction(1, 3) + Fraction(1, 10**17)
    p = 1 / (1 + math.exp(-1 / 3))
    exact = p**3 * 3e-17
    assert exact <= delta_of_equal(3, epsilon=third, at=1.0) <= 1e-12
    assert delta_of_equal(3, epsilon=Fraction(1, 3), at=1.0) == 0


def test_a_renyi_order_is_above_one():
    with pytest.raises(PlanError, match="above 1, not 1"):
        ApproximateAccount(Approximate(epsilon=1, delta="1e-6"), Fraction(1))
