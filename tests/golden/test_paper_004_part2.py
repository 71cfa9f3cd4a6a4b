"""Lecture slides, "DATABASE PRIVACY - II": differential privacy, every number and claim.

The numbers are those of hedgerow's mechanisms; output distributions come from an oracle that
knows nothing of them. Where a slide is wrong as printed, the test asserts what is right and says
so. The examples are those of examples/differential_privacy.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import pytest
from noise import oracle

from hedgerow import explain_epsilon
from hedgerow.noise.composition import sequential
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.noise.selection import Exponential, NoisyMax

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from examples.differential_privacy import diabetes  # noqa: E402
from examples.differential_privacy.__main__ import main  # noqa: E402

BOUNDED = Neighbours(kind=Neighbouring.CHANGE_ONE)
UNBOUNDED = Neighbours(kind=Neighbouring.ADD_REMOVE)
WINDOW = range(-40, 46)
EPSILONS = [Fraction(1, 10), Fraction(1, 2), Fraction(2)]


def certainly(value: object) -> oracle.Distribution:
    return {value: Fraction(1)}  # type: ignore[dict-item]


# Slides "ε-Differential Privacy" and "Achieving ε-Differential Privacy"


def test_the_two_tables_differ_in_one_tuple() -> None:
    pairs = zip(diabetes.PATIENTS, diabetes.NEIGHBOURS, strict=True)
    ((before, after),) = [(a, b) for a, b in pairs if a != b]
    assert (before.age, before.diabetes, after.age, after.diabetes) == (25, False, 23, True)
    assert (diabetes.diabetics(diabetes.PATIENTS), diabetes.diabetics(diabetes.NEIGHBOURS)) == (
        2,
        3,
    )


def test_the_number_itself_is_private_for_no_epsilon() -> None:
    d, other = certainly(2), certainly(3)
    assert oracle.worst_ratio(d, other) == math.inf
    for epsilon in (Fraction(1, 10), Fraction(1000)):
        assert not oracle.keeps_pure(d, other, epsilon)


# Slides "Laplace Distribution" and "Differential Privacy via Laplace Noise"


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(10), Fraction(77, 10)])
def test_a_step_changes_the_density_by_a_factor_of_exp_of_one_over_lambda(scale: Fraction) -> None:
    density = oracle.laplace(0, DiscreteLaplace(scale=scale).scale, WINDOW)
    step = oracle.exp(-1 / DiscreteLaplace(scale=scale).scale)
    for x in range(20):
        assert abs(density[x + 1] / density[x] - step) < oracle.EXACT
        assert abs(density[-x - 1] / density[-x] - step) < oracle.EXACT


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_ratio_is_at_most_exp_of_the_difference_over_lambda(epsilon: Fraction) -> None:
    noise = diabetes.counting(epsilon)
    p, q = (oracle.laplace(h, noise.scale, WINDOW) for h in (2, 3))
    bound = oracle.exp(Fraction(abs(2 - 3)) / noise.scale)
    for y in WINDOW:
        assert q[y] / p[y] <= bound * (1 + oracle.EXACT)
    assert abs(q[3] / p[3] - bound) < oracle.EXACT, "and it is attained"
    assert oracle.keeps_pure(p, q, epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_lambda_of_one_over_epsilon_is_enough_and_less_is_not(epsilon: Fraction) -> None:
    most = max(
        abs(diabetes.diabetics(other) - diabetes.diabetics(diabetes.PATIENTS))
        for other in diabetes.changed(diabetes.PATIENTS)
    )
    assert most == 1 == BOUNDED.count, "one patient changes the number by at most 1"
    noise = diabetes.counting(epsilon)
    assert noise.scale == 1 / epsilon
    assert noise.privacy_map(1).epsilon == epsilon
    less = [oracle.laplace(h, noise.scale * Fraction(9, 10), WINDOW) for h in (2, 3)]
    assert not oracle.keeps_pure(less[0], less[1], epsilon)
    assert DiscreteLaplace(scale=noise.scale * Fraction(9, 10)).privacy_map(1).epsilon > epsilon


# Slides "General Mechanism with Laplace Noise" and "General via Laplace Noise"


def test_for_several_queries_the_total_change_counts() -> None:
    """How many have diabetes, and how many are men: one patient may change both."""

    def both(patients: Sequence[diabetes.Patient]) -> tuple[int, int]:
        return diabetes.diabetics(patients), sum(p.gender == "M" for p in patients)

    here = both(diabetes.PATIENTS)
    total = max(
        sum(abs(a - b) for a, b in zip(here, both(other), strict=True))
        for other in diabetes.changed(diabetes.PATIENTS)
    )
    assert total == 2
    epsilon = Fraction(1, 2)
    noise = DiscreteLaplace(scale=DiscreteLaplace.scale_for(Pure(epsilon=epsilon), d_in=total))
    assert noise.scale == total / epsilon == 4
    window = range(-6, 12)
    p = oracle.together(*(oracle.laplace(v, noise.scale, window) for v in here))
    for other in map(both, diabetes.changed(diabetes.PATIENTS)):
        q = oracle.together(*(oracle.laplace(v, noise.scale, window) for v in other))
        assert oracle.keeps_pure(p, q, epsilon)
    # Noise for one query on each of two is not enough.
    one = diabetes.counting(epsilon).scale
    p = oracle.together(*(oracle.laplace(v, one, window) for v in (2, 3)))
    q = oracle.together(*(oracle.laplace(v, one, window) for v in (3, 4)))
    assert not oracle.keeps_pure(p, q, epsilon)


# Slide "Sensitivity of Queries": name, age, HIV+. Ages in tens.
HIV = [("Frank", 42, "Y"), ("Bob", 31, "Y"), ("Mary", 28, "Y"), ("Dave", 43, "N")]
BINS = [(tens, has) for tens in (2, 3, 4) for has in "YN"]


def bins(rows: Iterable[tuple[int, str]]) -> list[int]:
    found = Counter(rows)
    return [found[b] for b in BINS]


def test_a_histogram_has_sensitivity_2() -> None:
    rows = [(age // 10, has) for _, age, has in HIV]
    here, worst = bins(rows), 0
    for i, new in product(range(len(rows)), BINS):
        change = [a - b for a, b in zip(here, bins([*rows[:i], new, *rows[i + 1 :]]), strict=True)]
        assert sum(c != 0 for c in change) <= 2, "at most two bin counts change"
        assert max(map(abs, change)) <= 1, "each by at most 1"
        worst = max(worst, sum(map(abs, change)))
    assert worst == 2 == BOUNDED.histogram
    # The slide leaves the scale to the figure: 2 / epsilon. Under add-remove it would be 1.
    loss = Pure(epsilon="0.1")
    assert DiscreteLaplace.scale_for(loss, d_in=BOUNDED.histogram) == 20
    assert DiscreteLaplace.scale_for(loss, d_in=UNBOUNDED.histogram) == 10
    assert diabetes.binning(Fraction(1, 10)).scale == 20
    window = range(-5, 8)
    p, q = (oracle.together(*(oracle.laplace(v, Fraction(20), window) for v in counts))
            for counts in ((2, 2), (3, 1)))  # fmt: skip
    assert oracle.keeps_pure(p, q, Fraction(1, 10))
    assert not oracle.keeps_pure(p, q, Fraction(99, 1000)), "and no smaller epsilon"


# Slides "Exponential Mechanism"


def correlation(x: Sequence[float], y: Sequence[float]) -> float:
    mx, my = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    spread = sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y)
    return covariance / math.sqrt(spread)


def test_the_scores_are_not_the_correlations_of_the_table() -> None:
    """The slide says 0.5 for gender and 0.3 for age: an illustration, in the right order."""
    has = [float(p.diabetes) for p in diabetes.PATIENTS]
    gender = correlation([float(p.gender == "F") for p in diabetes.PATIENTS], has)
    age = correlation([float(p.age) for p in diabetes.PATIENTS], has)
    assert round(gender, 3) == 0.577
    assert round(age, 3) == -0.482
    assert abs(gender) > abs(age)


SCORES = [Fraction(1, 2), Fraction(3, 10)]


def test_gender_is_chosen_with_071_and_age_with_029() -> None:
    """The slide prints 0.71 and 0.39, which add up to 1.10. FACTS, correction 18."""
    chosen = oracle.exponential(SCORES, Exponential(scale="0.2234").scale)
    assert [round(float(p), 2) for p in chosen.values()] == [0.71, 0.29]
    # Had 0.39 been meant, gender would have 0.61.
    chosen = oracle.exponential(SCORES, Exponential(scale="0.447").scale)
    assert [round(float(p), 2) for p in chosen.values()] == [0.61, 0.39]
    # Whatever the scale, the two add up to 1; with 0.71 there is one scale, and so one 0.29.
    assert round(0.2 / math.log(0.71 / 0.29), 4) == 0.2234


def test_the_exponential_mechanism_needs_twice_the_sensitivity() -> None:
    """The slide writes exp(S / lambda) and does not say how large lambda is. FACTS, no. 18."""
    scale = Exponential.scale_for(Pure(epsilon=1), d_in="0.1")
    assert Exponential(scale="0.2").scale == scale
    assert abs(scale - Fraction(2, 10)) < Fraction(1, 10**15), "2 sensitivity / epsilon"
    here = oracle.exponential(SCORES, scale)
    for up, down in product((Fraction(-1, 10), Fraction(0), Fraction(1, 10)), repeat=2):
        there = oracle.exponential([SCORES[0] + up, SCORES[1] + down], scale)
        assert oracle.keeps_pure(here, there, Fraction(1))
    # With half the scale, without the 2, two scores that move against each other give it away.
    even = oracle.exponential([Fraction(0)] * 2, scale / 2)
    moved = oracle.exponential([Fraction(1, 10), Fraction(-1, 10)], scale / 2)
    assert not oracle.keeps_pure(even, moved, Fraction(1))


def test_skewedness_is_what_the_scale_makes_of_scores() -> None:
    shares = [float(oracle.exponential(SCORES, Fraction(s))[0]) for s in ("0.1", "0.2234", "1")]
    assert shares == sorted(shares, reverse=True)
    assert 0.5 < shares[-1] < shares[0] < 1


@pytest.mark.parametrize("k", [3, 4])
def test_there_are_k_factorial_orders(k: int) -> None:
    orders = list(permutations(range(k)))
    assert len(orders) == math.factorial(k)
    # One after the other, no list of all orders is needed; that costs k choices.
    drawn = oracle.noisy_top({i: Fraction(i) for i in range(k)}, Fraction(2), k)
    assert set(drawn) == set(orders)
    assert abs(sum(drawn.values()) - 1) < oracle.EXACT
    assert NoisyMax(scale=2, top=k).privacy_map(1) == NoisyMax(scale=2).privacy_map(1).group(k)


# Slides "Variants of Differential Privacy"


def test_unbounded_epsilon_is_bounded_two_epsilon() -> None:
    assert BOUNDED.d_in == 2 * UNBOUNDED.d_in
    epsilon = Fraction(1, 2)
    noise = DiscreteLaplace(
        scale=DiscreteLaplace.scale_for(Pure(epsilon=epsilon), d_in=UNBOUNDED.histogram)
    )
    assert noise.privacy_map(BOUNDED.histogram) == Pure(epsilon=epsilon).group(2)
    window = range(-6, 10)
    one, removed, other = (
        oracle.together(*(oracle.laplace(v, noise.scale, window) for v in counts))
        for counts in ((2, 2), (2, 1), (3, 1))
    )
    # D1 to D2 by removing a tuple, to D3 by adding one: the slide's chain.
    assert oracle.keeps_pure(one, removed, epsilon)
    assert oracle.keeps_pure(removed, other, epsilon)
    assert oracle.keeps_pure(one, other, 2 * epsilon)
    assert not oracle.keeps_pure(one, other, 2 * epsilon - Fraction(1, 10**6))


def test_only_bounded_privacy_allows_to_publish_how_many_there_are() -> None:
    size = len(diabetes.PATIENTS)
    for other in diabetes.changed(diabetes.PATIENTS):
        assert oracle.worst_ratio(certainly(size), certainly(len(other))) == 1
    assert oracle.worst_ratio(certainly(size), certainly(size - 1)) == math.inf


# Slide "Limitations of Differential Privacy"


def test_ten_relatives_who_all_have_it_or_not() -> None:
    family = explain_epsilon("0.1", group=10).group
    assert family.joint.epsilon == 1, "ten times as much"
    p, q = (oracle.laplace(h, Fraction(10), WINDOW) for h in (10, 0))
    assert not oracle.keeps_pure(p, q, Fraction(1, 10)), "what is promised for one"
    assert oracle.keeps_pure(p, q, Fraction(1))
    assert oracle.worst_ratio(p, q) > oracle.exp(Fraction(999, 1000))


# Slides "Decision Tree Classification": age, income in $1,000, house.
PEOPLE = [(25, 50, "No"), (51, 40, "No"), (44, 100, "Yes"), (28, 60, "Yes")]


def entropy(labels: Sequence[str]) -> float:
    shares = [n / len(labels) for n in Counter(labels).values()]
    return -sum(p * math.log2(p) for p in shares)


def gain(rows: Sequence[tuple[bool, str]]) -> float:
    """The slide's formula: IG(T, a) = H(T) - sum of |T_v| / |T| H(T_v)."""
    parts = [[label for side, label in rows if side == v] for v in (True, False)]
    rest = sum(len(part) / len(rows) * entropy(part) for part in parts if part)
    return entropy([label for _, label in rows]) - rest


def test_information_gain_of_the_table_on_the_slide() -> None:
    assert entropy([house for *_, house in PEOPLE]) == 1
    assert gain([(income > 50, house) for _, income, house in PEOPLE]) == 1
    assert gain([(age > 40, house) for age, _, house in PEOPLE]) == 0


def test_the_gains_on_the_slide_cannot_be_gains_of_a_yes_or_no() -> None:
    """The slide ranks age at 3.5 above income at 2.2. With two classes no gain is above 1 bit."""
    most = max(
        gain(list(zip(sides, labels, strict=True)))
        for sides in product((True, False), repeat=4)
        for labels in product(("Yes", "No"), repeat=4)
    )
    assert most == 1 < 2.2 < 3.5


def test_noise_of_the_slide_keeps_age_ahead() -> None:
    """Age 3.5 becomes 2.9, income 2.2 becomes 2.7."""
    exact, noisy = {"Age": 3.5, "Income": 2.2}, {"Age": 2.9, "Income": 2.7}
    assert max(exact, key=exact.__getitem__) == max(noisy, key=noisy.__getitem__) == "Age"
    assert {name: round(noisy[name] - exact[name], 1) for name in exact} == {
        "Age": -0.6, "Income": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize("m", [2, 5])
def test_budget_is_epsilon_m_by_laplace_and_epsilon_by_one_choice(m: int) -> None:
    each = Pure(epsilon="0.1")
    assert sequential([each] * m) == Pure(epsilon=each.epsilon * m), "a noisy gain for each"
    for choosing in (Exponential, NoisyMax):
        once = choosing(scale=choosing.scale_for(each, d_in=1)).privacy_map(1)
        assert once == each, "only the winner is published: m does not matter"


# The example itself


def test_the_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--to", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "D has 2 patients with diabetes, D' has 3" in told
    assert "so the noise has scale 2: 0.5-differential privacy" in told
    assert "so the noise has scale 4: 0.5-differential privacy" in told
    assert "guess right with probability 0.6225 at most" in told
    drawn = (tmp_path / "out" / "diabetes.svg").read_text("utf-8")
    assert "with noise of scale 2" in drawn
    assert (tmp_path / "out" / "epsilon.svg").exists()
    assert main(["--epsilon", "0"]) == 2
    assert "epsilon must be above 0" in capsys.readouterr().err


def test_the_figure_draws_the_mechanism() -> None:
    noise = diabetes.counting(Fraction(1, 2))
    exact = oracle.laplace(2, noise.scale, range(-6, 12))
    drawn = diabetes.chances(2, noise, range(-6, 12))
    assert drawn == pytest.approx([float(p) for p in exact.values()])
