"""The exact delta against brute force over group sizes, the theorem against published numbers."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import PlanError
from hedgerow.noise.rounding import exp_up, log_down
from hedgerow.noise.sampling.suppression import (
    _delta,
    _less,
    _more,
    delta,
    largest_beta,
    require_possible,
    smallest_epsilon,
    smallest_k,
)
from hedgerow.noise.sampling.theorem import paper_delta, paper_smallest_k

HERE = Fraction(1, 10**24)


def law(n: int, k: int, beta: Fraction) -> dict[int, Fraction]:
    """What is published of a group of n: its number, or -1 for nothing. From the definition."""
    out: dict[int, Fraction] = {-1: Fraction(0)}
    for j in range(n + 1):
        chance = comb(n, j) * beta**j * (1 - beta) ** (n - j)
        key = j if j >= k else -1
        out[key] = out.get(key, Fraction(0)) + chance
    return out


def hockey_stick(p: dict[int, Fraction], q: dict[int, Fraction], e: Fraction) -> Fraction:
    none = Fraction(0)
    return sum(
        ((x - e * q.get(key, none)) for key, x in p.items() if x > e * q.get(key, none)), none
    )


def brute(k: int, beta: Fraction, e: Fraction, most: int) -> Fraction:
    """Both directions, all group sizes up to one far beyond where the maximum can be."""
    worst, before = Fraction(0), law(0, k, beta)
    for n in range(1, most + 1):
        after = law(n, k, beta)
        worst = max(worst, hockey_stick(after, before, e), hockey_stick(before, after, e))
        before = after
    return worst


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("beta", ["0.1", "0.5", "0.8", "0.95"])
@pytest.mark.parametrize("grown", ["1", "1.01", "1.2", "2", "5"])
def test_the_exact_delta_is_the_maximum_over_all_group_sizes(k: int, beta: str, grown: str) -> None:
    b, e = Fraction(beta), Fraction(grown)
    # Where the second direction counts, its worst group has about (k - 1) / h people.
    h = 1 - e * (1 - b)
    most = min(90, int(k / b) + 30 + (int(k / h) if h > 0 else 0))
    true = brute(k, b, e, most)
    found = _delta(k, b, e)
    assert true <= found <= true * (1 + HERE)


@pytest.mark.parametrize(
    ("k", "beta", "grown"), [(1, "0.5", "1.5"), (3, "0.8", "2"), (9, "0.9", "1.3")]
)
def test_each_direction_by_itself(k: int, beta: str, grown: str) -> None:
    """Presence tells more than absence in every case tried, so the maximum does not show both."""
    b, e = Fraction(beta), Fraction(grown)
    for way, found in enumerate((_more(k, b, e), _less(k, b, e))):
        worst = Fraction(0)
        for n in range(1, 60):
            pair = (law(n, k, b), law(n - 1, k, b))
            worst = max(worst, hockey_stick(pair[way], pair[1 - way], e))
        assert 0 < worst <= Fraction(found) <= worst * (1 + HERE)


def test_absence_tells_nothing_where_the_theorem_speaks() -> None:
    assert _less(5, Fraction(1, 2), Fraction(2)) == 0
    assert _less(5, Fraction(1, 2), Fraction("1.99")) > 0


@pytest.mark.parametrize(
    ("k", "beta", "true"), [(5, "0.2", 7.30e-4), (20, "0.2", 2.77e-10), (20, "0.5", 1.08e-4)]
)
def test_known_values_at_epsilon_1(k: int, beta: str, true: float) -> None:
    assert float(delta(k=k, beta=beta, epsilon=1)) == pytest.approx(true, rel=5e-3)


def test_a_rate_the_theorem_is_silent_about() -> None:
    assert smallest_k(beta="0.632", epsilon=1, delta="1e-6") == 58
    assert paper_smallest_k(beta="0.632", epsilon=1, delta="1e-6") == 74
    assert smallest_k(beta="0.8", epsilon=1, delta="1e-6") == 135
    with pytest.raises(PlanError, match="the theorem is silent"):
        paper_delta(k=135, beta="0.8", epsilon=1)


@pytest.mark.parametrize(
    ("k", "beta", "epsilon", "known"),
    [
        (20, "0.05", "0.25", 6.8286506738e-10),
        (20, "0.1", "0.5", 1.6062529362e-09),
        (20, "0.2", "1", 6.0328534374e-09),
        (5, "0.1", "1", 1.765e-04),
        (20, "0.5", "2", 1.0490417480e-05),
    ],
)
def test_vectors_of_the_theorem(k: int, beta: str, epsilon: str, known: float) -> None:
    found = paper_delta(k=k, beta=beta, epsilon=epsilon)
    assert float(found) == pytest.approx(known, rel=1e-9)
    assert delta(k=k, beta=beta, epsilon=epsilon) <= found


TABLE_2 = {
    "0.05": (6.83e-10, 2.50e-14, 3.19e-17, 1.76e-19, 3.97e-22, 2.00e-24),
    "0.1": (4.19e-06, 1.61e-09, 3.44e-12, 4.07e-14, 3.22e-16, 1.89e-18),
    "0.2": (2.16e-03, 8.02e-06, 1.89e-07, 6.03e-09, 4.79e-11, 1.59e-12),
    "0.3": (None, 4.54e-04, 1.71e-05, 1.18e-06, 2.25e-08, 4.11e-09),
    "0.4": (None, None, 4.13e-04, 5.36e-05, 4.63e-06, 1.43e-07),
    "0.5": (None, None, 4.68e-03, 7.72e-04, 6.06e-05, 1.05e-05),
}
"""delta by the theorem for k = 20 and epsilon .25, .5, .75, 1, 1.5, 2."""


@pytest.mark.parametrize("beta", TABLE_2)
def test_the_table_for_k_20(beta: str) -> None:
    for epsilon, known in zip(("0.25", "0.5", "0.75", "1", "1.5", "2"), TABLE_2[beta], strict=True):
        if known is None:
            with pytest.raises(PlanError, match="silent"):
                paper_delta(k=20, beta=beta, epsilon=epsilon)
        else:
            found = float(paper_delta(k=20, beta=beta, epsilon=epsilon))
            assert found == pytest.approx(known, rel=5e-3)


@pytest.mark.parametrize(
    ("beta", "k", "known"),
    [("0.05", 10, 0.3542), ("0.1", 20, 0.2919), ("0.2", 50, 0.2576), ("0.4", 20, 1.5686)],
)
def test_smallest_epsilons_of_the_theorem(beta: str, k: int, known: float) -> None:
    above = Fraction(str(known)) + Fraction("1.1e-4")
    below = Fraction(str(known)) - Fraction("1.1e-4")
    assert paper_delta(k=k, beta=beta, epsilon=above) <= Fraction("1e-6")
    assert paper_delta(k=k, beta=beta, epsilon=below) > Fraction("1e-6")
    assert smallest_epsilon(k=k, beta=beta, delta="1e-6") <= above


def test_smallest_k_at_the_largest_rate_of_the_theorem() -> None:
    """The published tool returns one more."""
    rate = 1 - exp_up(Fraction(-1))
    known = {"1e-4": 47, "1e-5": 61, "1e-6": 74, "1e-7": 91}
    for d, k in known.items():
        assert paper_smallest_k(beta=rate, epsilon=1, delta=d) == k


parameters = st.tuples(
    st.integers(1, 60),
    st.fractions(min_value=Fraction(1, 100), max_value=Fraction(99, 100), max_denominator=100),
    st.fractions(min_value=0, max_value=4, max_denominator=50),
)


@given(parameters)
@settings(max_examples=60, deadline=None)
def test_monotone_and_within_its_bounds(given: tuple[int, Fraction, Fraction]) -> None:
    k, beta, epsilon = given
    here = delta(k=k, beta=beta, epsilon=epsilon)
    slack = 1 + HERE
    assert beta**k <= here <= beta
    assert delta(k=k + 1, beta=beta, epsilon=epsilon) <= here * slack
    assert delta(k=k, beta=beta, epsilon=epsilon + Fraction(1, 10)) <= here * slack
    assert delta(k=k, beta=beta * Fraction(9, 10), epsilon=epsilon) <= here * slack
    if epsilon and log_down(1 / (1 - beta)) < epsilon:
        assert here <= paper_delta(k=k, beta=beta, epsilon=epsilon) * slack


@given(parameters)
@settings(max_examples=25, deadline=None)
def test_what_is_found_is_the_last_that_holds(given: tuple[int, Fraction, Fraction]) -> None:
    k, beta, epsilon = given
    d = Fraction(1, 10**5)
    if epsilon > Fraction(1, 5):
        least = smallest_k(beta=beta, epsilon=epsilon, delta=d)
        assert delta(k=least, beta=beta, epsilon=epsilon) <= d
        assert least == 1 or delta(k=least - 1, beta=beta, epsilon=epsilon) > d
    rate = largest_beta(k=k, epsilon=epsilon, delta=d)
    assert delta(k=k, beta=rate, epsilon=epsilon) <= d
    assert delta(k=k, beta=rate * Fraction(1000001, 1000000), epsilon=epsilon) > d
    if beta**k <= d:
        e = smallest_epsilon(k=k, beta=beta, delta=d)
        assert delta(k=k, beta=beta, epsilon=e) <= d
        assert not e or delta(k=k, beta=beta, epsilon=e - Fraction(1, 10**9)) > d
    else:
        with pytest.raises(PlanError, match="delta is at least"):
            smallest_epsilon(k=k, beta=beta, delta=d)


def test_what_cannot_be_says_what_could() -> None:
    with pytest.raises(PlanError) as caught:
        smallest_epsilon(k=5, beta="0.1", delta="1e-6")
    assert "k = 6 or more" in str(caught.value)
    assert "0.0631" in str(caught.value)
    with pytest.raises(PlanError, match="k = 20"):
        smallest_epsilon(k=15, beta="0.4", delta="1.1e-8")


@pytest.mark.parametrize(
    "wrong",
    [{"k": 0}, {"k": 2.5}, {"beta": 1}, {"beta": 0}, {"epsilon": -1}, {"epsilon": "nan"},
     {"k": 10**7}],
)  # fmt: skip
def test_no_such_parameters(wrong: dict[str, object]) -> None:
    right: dict[str, object] = {"k": 5, "beta": "0.5", "epsilon": 1}
    with pytest.raises(PlanError):
        delta(**(right | wrong))  # type: ignore[arg-type]


def test_no_k_for_no_epsilon() -> None:
    with pytest.raises(PlanError, match="epsilon must be above 0"):
        smallest_k(beta="0.5", epsilon=0, delta="1e-6")
    with pytest.raises(PlanError, match="no k up to"):
        smallest_k(beta="0.99", epsilon="0.001", delta="1e-12")


def test_an_enormous_epsilon_leaves_only_full_groups() -> None:
    assert float(delta(k=3, beta="0.5", epsilon=10**6)) == 0.125


@pytest.mark.parametrize("k", [100_001, 10**9, 10**18])
def test_a_k_that_takes_for_ever_is_refused(k: int) -> None:
    """Before its power of beta is written out: that has as many digits as k."""
    with pytest.raises(PlanError, match="at most 100,000"):
        require_possible(k=k, beta="0.5", delta="1e-6")
    with pytest.raises(PlanError, match="at most 100,000"):
        smallest_epsilon(k=k, beta="0.5", delta="1e-6")
