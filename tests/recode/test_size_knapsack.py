"""The cheapest groups to suppress, against every set of groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.recode import size_knapsack
from hedgerow.recode.size_knapsack import cheapest


@st.composite
def knapsacks(draw):
    """Groups with prices, what they do for claims by their size, and what is needed."""
    many = draw(st.integers(1, 11))
    n = np.array(draw(st.lists(st.integers(1, 4), min_size=many, max_size=many)))
    prices = st.sampled_from([0.5, 1, 1, 2, 3]) | st.floats(0, 4)
    price = np.array(draw(st.lists(prices, min_size=many, max_size=many))) * n
    claims = draw(st.integers(1, 2))
    by_size = np.array([sorted(draw(st.lists(st.integers(-3, 9), min_size=5, max_size=5)))[::-1]
                        for _ in range(claims)]).T  # fmt: skip
    needed = np.array(draw(st.lists(st.integers(-2, 25), min_size=claims, max_size=claims)))
    return n, price, by_size[n], needed, draw(st.integers(0, int(n.sum())))


@settings(max_examples=400, deadline=None)
@given(knapsacks())
def test_no_set_of_groups_is_cheaper(knapsack):
    n, price, worth, needed, room = knapsack
    sets = (np.arange(1 << len(n))[:, None] >> np.arange(len(n))) & 1
    good = (sets @ n <= room) & (sets @ worth >= needed).all(axis=1)
    out = cheapest(n, price, worth, needed, room)
    if not good.any():
        assert out is None or not (needed > 0).any()
        return
    assert out is not None
    if (needed > 0).any():
        assert n[out].sum() <= room
        assert (worth[out].sum(axis=0) >= needed).all()
    assert price[out].sum() <= (sets[good] @ price).min() + 1e-6
    assert len(set(out.tolist())) == len(out)


def test_where_combinations_are_too_many_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size_knapsack, "MOST_STATES", 1)
    n, price = np.array([1, 1, 2, 2]), np.array([1.0, 2.0, 1.0, 3.0])
    assert cheapest(n, price, (4 - n)[:, None], np.array([7]), 6) is None


def test_thousands_of_groups_need_few_combinations() -> None:
    """Sixty thousand people: nothing else is as cheap as what is found, by the multiplier."""
    random = np.random.default_rng(1)
    n = np.minimum(random.geometric(0.3, 20_000), 30)
    price = n * random.choice(np.linspace(0.5, 1, 40), len(n))
    worth = np.maximum(20 - n, -5)[:, None]
    out = cheapest(n, price, worth, np.array([30_000]), 10_000)
    assert out is not None
    paid = float(price[out].sum())
    ratio = np.where(worth[:, 0] > 0, price / np.maximum(worth[:, 0], 1), np.inf)
    order = np.argsort(ratio)
    done = np.cumsum(worth[order, 0])
    place = int(np.searchsorted(done, 30_000))
    parts = float(price[order][:place].sum())
    parts += ratio[order[place]] * (30_000 - (done[place - 1] if place else 0))
    assert parts - 1e-9 <= paid <= parts * 1.001
