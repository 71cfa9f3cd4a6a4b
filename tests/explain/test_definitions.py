"""The map of definitions: the papers' vectors, the counterexamples, what is refused."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, asdict
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.base.errors import PlanError
from hedgerow.claims import RecursiveLDiversity, TCloseness
from hedgerow.claims.logarithms import sign_of_logarithms
from hedgerow.explain.definitions import (
    DEFINITIONS,
    define,
    definitions,
    diversity_of_epsilon,
    epsilon_of_closeness,
    epsilon_of_differential_privacy,
    epsilon_of_diversity,
    epsilon_of_lemma_1,
    perfect_privacy,
)
from hedgerow.table.groups import Groups

P = [Fraction(19, 65), Fraction(12, 65), Fraction(19, 65), Fraction(15, 65)]
Q = [Fraction(8, 46), Fraction(13, 46), Fraction(13, 46), Fraction(12, 46)]
"""An ordered column's table and group for which Lemma 1 fails with ordered distances."""


def smallest_epsilon(q: list[Fraction], p: list[Fraction]) -> Fraction | float:
    """Class III, Theorem 3: the smallest ε for a group distributed like q."""
    if max(q) == 1:
        return math.inf
    return max(max(f / b, (1 - b) / (1 - f)) for f, b in zip(q, p, strict=True) if f)


@pytest.mark.parametrize(
    ("values", "c", "epsilon"), [(2, 4, Fraction(5, 2)), (2, 9, 5), (3, 2, 2), (5, 4, 4)]
)
def test_equation_6_with_max(values: int, c: int, epsilon: Fraction) -> None:
    assert epsilon_of_diversity(c=c, values=values) == epsilon
    assert diversity_of_epsilon(epsilon=epsilon, values=values) == c


def test_equation_6_as_printed_is_wrong() -> None:
    """min gives 8/5 for two values and c = 4, where the group {4, 1} needs 5/2 (Equation 7)."""
    printed = min(2 * Fraction(4, 5), 5 * Fraction(1, 2))
    needed = smallest_epsilon([Fraction(4, 5), Fraction(1, 5)], [Fraction(1, 2)] * 2)
    assert (
        printed == Fraction(8, 5) < needed == Fraction(5, 2) == epsilon_of_diversity(c=4, values=2)
    )


def test_numbers_are_read_as_written() -> None:
    expected = epsilon_of_diversity(c=Fraction(11, 10), values=2)
    assert epsilon_of_diversity(c=1.1, values=2) == expected == Fraction(21, 20)
    assert epsilon_of_diversity(c="1.1", values=2) == expected
    assert epsilon_of_diversity(c="11/10", values=2) == expected
    assert epsilon_of_diversity(c=np.float64(1.1), values=np.int64(2)) == expected  # type: ignore[arg-type]


def test_the_strict_form_differs_only_at_equality() -> None:
    """Four to one is 2.5-private and (4,2)-diverse with at most, not with less than."""
    groups = Groups.of({"s": [{"a": 4, "b": 1}, {"a": 39, "b": 10}, {"a": 41, "b": 10}]})
    epsilon = epsilon_of_diversity(c=4, values=2)
    half = [Fraction(1, 2)] * 2
    private = [
        smallest_epsilon([Fraction(a, a + b), Fraction(b, a + b)], half) <= epsilon
        for a, b in ((4, 1), (39, 10), (41, 10))
    ]
    assert private == [True, True, False]
    assert RecursiveLDiversity(c=4, l=2, of="s").holds(groups).tolist() == [False, True, False]
    assert RecursiveLDiversity(c=4.01, l=2, of="s").holds(groups).tolist() == private


def test_the_least_epsilon_allows_only_uniform_groups() -> None:
    assert diversity_of_epsilon(epsilon=1, values=4) == Fraction(1, 3)
    assert epsilon_of_diversity(c="1/3", values=4) == 1
    assert smallest_epsilon([Fraction(1, 4)] * 4, [Fraction(1, 4)] * 4) == 1


@pytest.mark.parametrize(
    ("t", "shape", "tight", "lemma"),
    [
        ("0.2", ["0.334", "0.666"], Fraction(334, 134), Fraction(334, 134)),
        (0.1, [0.2, 0.3, 0.5], Fraction(3, 2), 2),
        (0, [1, 1, 2], 1, 1),
        ("1/10", [9, 9, 12], Fraction(4, 3), Fraction(3, 2)),
    ],
)
def test_closeness(t: float, shape: list[float], tight: Fraction, lemma: Fraction) -> None:
    assert epsilon_of_closeness(t=t, shape=shape) == tight
    assert epsilon_of_lemma_1(t=t, shape=shape) == lemma


def test_closeness_of_the_census_experiment() -> None:
    assert round(float(epsilon_of_closeness(t=0.2, shape=[0.334, 0.666])), 4) == 2.4925


def test_closeness_says_something_where_lemma_1_does_not() -> None:
    """t = 0.2 takes the rarest value away, yet leaves nobody's value certain."""
    shape = {"a": 1, "b": 4, "c": 5}
    assert epsilon_of_closeness(t=0.2, shape=shape) == 3
    with pytest.raises(PlanError, match="without the rarest value"):
        epsilon_of_lemma_1(t=0.2, shape=shape)


def test_lemma_1_needs_more_than_no_homogeneous_group() -> None:
    """The printed maximum is 3; a 0.2-close group with two values needs 50."""
    p, q, t = (
        [Fraction(1, 10), Fraction(9, 10)],
        [Fraction(2, 1000), Fraction(998, 1000)],
        Fraction(1, 5),
    )
    printed = max(max((b + t) / b, b / (b - t)) for b in p)
    assert sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2 <= t
    assert (printed, smallest_epsilon(q, p)) == (3, 50)
    for function in (epsilon_of_closeness, epsilon_of_lemma_1):
        with pytest.raises(PlanError, match="no epsilon follows"):
            function(t=t, shape=p)


def test_ordered_distances_do_not_keep_lemma_1() -> None:
    t, moved = Fraction(0), Fraction(0)
    for p, q in zip(P, Q, strict=True):
        moved += p - q
        t += abs(moved) / 3
    needed = smallest_epsilon(Q, P)
    assert round(float(t), 4) == 0.0563
    assert round(float(epsilon_of_lemma_1(t=t, shape=P)), 4) == 1.4387
    assert round(float(needed), 4) == 1.5308
    assert epsilon_of_closeness(t=t, shape=P) < epsilon_of_lemma_1(t=t, shape=P) < needed
    assert epsilon_of_closeness(t=t, shape=P, steps=3) >= needed


def test_a_private_table_need_not_be_close() -> None:
    """Half of a group has what a quarter of the table has: twice as much, and 1/4 away."""
    groups, shape = Groups.of({"s": [{"a": 2, "b": 2}, {"a": 2, "b": 10}]}), [1, 3]
    epsilon = epsilon_of_closeness(t="1/8", shape=shape)
    believed = [Fraction(1, 4), Fraction(3, 4)]
    found = ([Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 6), Fraction(5, 6)])
    needed = [smallest_epsilon(q, believed) for q in found]
    assert epsilon == max(needed) == 2
    assert TCloseness(t=0.125, of="s").holds(groups).tolist() == [False, True]


def test_perfect_privacy() -> None:
    table_3 = Groups.of(
        {"disease": [{"flu": 200, "cancer": 300}, {"flu": 1800, "cancer": 2700},
                     {"flu": 18000, "cancer": 2000}]}
    )  # fmt: skip
    males, shape = table_3.take(np.array([0, 1])), {"flu": 0.4, "cancer": 0.6}
    assert perfect_privacy(groups=males, of="disease", shape=shape)
    assert perfect_privacy(groups=males, of="disease", shape=[2, 3])
    assert not perfect_privacy(groups=table_3, of="disease", shape=shape)
    assert not perfect_privacy(groups=males, of="disease", shape={"flu": 1, "cancer": 1})


def test_values_nobody_has_or_nobody_expects_are_not_perfect() -> None:
    groups = Groups.of({"s": [{"a": 1, "b": 1}]})
    assert perfect_privacy(groups=groups, of="s", shape={"a": 1, "b": 1, "c": 0})
    assert not perfect_privacy(groups=groups, of="s", shape={"a": 1, "b": 1, "c": 1})
    assert not perfect_privacy(groups=groups, of="s", shape={"a": "1/2", "c": "1/2"})
    partly = Groups.of({"s": [{"a": 1, "b": 1}, {"a": 2}]})
    assert not perfect_privacy(groups=partly, of="s", shape=["1/2", "1/2"])


def test_perfect_privacy_is_exact_beyond_64_bits() -> None:
    tiny, n = Fraction(1, 10**15), 10**12
    groups = Groups.of({"s": [{"a": n, "b": n}]})
    assert perfect_privacy(groups=groups, of="s", shape=["1/2", "1/2"])
    assert perfect_privacy(groups=groups, of="s", shape=[10**30, 10**30])
    assert not perfect_privacy(
        groups=groups, of="s", shape=[Fraction(1, 2) - tiny, Fraction(1, 2) + tiny]
    )


def test_perfect_privacy_does_not_wrap_around() -> None:
    """n(q, s) * 2^32 and n(q) * p * 2^32 differ by 2^64: half of the people, one in 2^32."""
    groups = Groups.of({"s": [{"a": 2**32 + 2, "b": 2**32 - 2}]})
    assert not perfect_privacy(groups=groups, of="s", shape=[1, 2**32 - 1])


def test_counts_in_arrays_do_not_overflow() -> None:
    counts = [4_000_000_007, 5_000_000_029, 7_000_000_001]
    expected = epsilon_of_closeness(t="0.123456789", shape=counts)
    assert epsilon_of_closeness(t="0.123456789", shape=np.array(counts)) == expected
    assert type(expected.numerator) is int


def test_an_empty_table_is_perfect() -> None:
    groups = Groups.of({"s": [{"a": 1}]}).take(np.array([], np.int64))
    assert perfect_privacy(groups=groups, of="s", shape={"a": 1, "b": 2})


def test_people_with_several_values_have_no_distribution() -> None:
    groups = Groups.of({"s": [{"a": 2, "b": 2}]}, n=[2])
    with pytest.raises(PlanError, match="several values"):
        perfect_privacy(groups=groups, of="s", shape=[1, 1])


def test_no_perfect_privacy_against_a_finitely_stubborn_adversary() -> None:
    """Equation 9 on the males of Table 3, who have exactly the prior's shape."""
    flu, n = 200, 500
    p_out = Fraction(flu + 12000 - 1, n + 30000 - 1)
    assert Fraction(flu, n) / p_out > 1


@pytest.mark.parametrize("epsilon", [1, 0.1, "1/3", 2, "1e-40", Fraction(7, 1000), "354.8", 1e-9])
@pytest.mark.parametrize(("neighbours", "times"), [("replace", 1), ("add-remove", 2)])
def test_the_factor_is_the_next_float_above(epsilon: float, neighbours: str, times: int) -> None:
    factor = epsilon_of_differential_privacy(epsilon=epsilon, neighbours=neighbours)  # type: ignore[arg-type]
    exponent = times * (Fraction(str(epsilon)) if isinstance(epsilon, float) else Fraction(epsilon))
    below = Fraction(math.nextafter(factor, 0))
    assert sign_of_logarithms([(1, Fraction(factor))], exponent) == 1
    assert sign_of_logarithms([(1, below)], exponent) <= 0


def test_no_loss_is_a_factor_of_exactly_one() -> None:
    assert epsilon_of_differential_privacy(epsilon=0, neighbours="add-remove") == 1.0


WRONG = {
    "c is 0": lambda: epsilon_of_diversity(c=0, values=2),
    "c is text": lambda: epsilon_of_diversity(c="four", values=2),
    "c is infinite": lambda: epsilon_of_diversity(c=math.inf, values=2),
    "c divides by 0": lambda: epsilon_of_diversity(c="1/0", values=2),
    "c is endless": lambda: epsilon_of_diversity(c="1e999999999", values=2),
    "c is true": lambda: epsilon_of_diversity(c=True, values=2),
    "c is below 1/(k - 1)": lambda: epsilon_of_diversity(c=0.49, values=3),
    "one value": lambda: epsilon_of_diversity(c=4, values=1),
    "half a value": lambda: epsilon_of_diversity(c=4, values=2.5),  # type: ignore[arg-type]
    "epsilon below 1": lambda: diversity_of_epsilon(epsilon=0.99, values=2),
    "epsilon infinite": lambda: diversity_of_epsilon(epsilon=math.inf, values=2),
    "epsilon not a number": lambda: diversity_of_epsilon(epsilon=math.nan, values=2),
    "epsilon of one value": lambda: diversity_of_epsilon(epsilon=2, values=1),
    "t negative": lambda: epsilon_of_closeness(t=-0.1, shape=[1, 1]),
    "t above 1": lambda: epsilon_of_closeness(t=1.1, shape=[1, 1]),
    "t reaches the rest": lambda: epsilon_of_closeness(t=0.4, shape=[0.4, 0.6]),
    "t reaches the rest in steps": lambda: epsilon_of_closeness(t=0.2, shape=[0.4, 0.6], steps=2),
    "no step": lambda: epsilon_of_closeness(t=0.1, shape=[1, 1], steps=0),
    "t reaches the rarest": lambda: epsilon_of_lemma_1(t=0.4, shape=[0.4, 0.6]),
    "one share": lambda: epsilon_of_closeness(t=0, shape=[1]),
    "no share": lambda: epsilon_of_closeness(t=0, shape=[]),
    "a share of 0": lambda: epsilon_of_closeness(t=0.1, shape=[0, 0.5, 0.5]),
    "all shares 0": lambda: epsilon_of_closeness(t=0.1, shape=[0, 0]),
    "a share below 0": lambda: epsilon_of_closeness(t=0.1, shape=[-0.5, 0.5, 1]),
    "shares short of 1": lambda: epsilon_of_closeness(t=0.1, shape=[0.3, 0.6]),
    "shape is text": lambda: epsilon_of_closeness(t=0.1, shape="12"),
    "shape is a number": lambda: epsilon_of_closeness(t=0.1, shape=1),  # type: ignore[arg-type]
    "certain already": lambda: perfect_privacy(
        groups=Groups.of({"s": [{"a": 1}]}), of="s", shape={"a": 1}
    ),
    "shape of another width": lambda: perfect_privacy(
        groups=Groups.of({"s": [{"a": 1, "b": 1}]}), of="s", shape=[1, 1, 1]
    ),
    "no such column": lambda: perfect_privacy(
        groups=Groups.of({"s": [{"a": 1}]}), of="disease", shape=[1]
    ),
    "negative loss": lambda: epsilon_of_differential_privacy(epsilon=-1),
    "endless loss": lambda: epsilon_of_differential_privacy(epsilon=10**30),
    "loss beyond floats": lambda: epsilon_of_differential_privacy(epsilon=709.8),
    "strange neighbours": lambda: epsilon_of_differential_privacy(
        epsilon=1, neighbours="next door"  # type: ignore[arg-type]
    ),
    "no such definition": lambda: define("t-closenes"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_has_no_translation_is_refused(name: str) -> None:
    with pytest.raises(PlanError) as refused:
        WRONG[name]()
    assert refused.value.what
    assert refused.value.fix


def test_the_refusal_names_the_limit() -> None:
    with pytest.raises(PlanError) as refused:
        epsilon_of_diversity(c=0.1, values=4)
    assert "1/3" in str(refused.value)
    with pytest.raises(PlanError) as refused:
        epsilon_of_closeness(t=0.5, shape=[0.4, 0.6])
    assert "below 2/5" in str(refused.value)
    with pytest.raises(PlanError) as refused:
        define("t-closenes")
    assert "'t-closeness'" in str(refused.value)


def test_the_map_is_complete_and_shown_like_a_claim() -> None:
    assert [d.name for d in definitions()] == list(DEFINITIONS) == [
        "(c,2)-diversity", "t-closeness", "perfect-privacy",
        "differential-privacy", "differential-privacy-add-remove",
    ]  # fmt: skip
    for definition in definitions():
        sections = list(definition.sections())
        texts = [text for _, text in sections]
        assert all(texts)
        assert len({title for title, _ in sections}) == len(sections)
        for field, text in asdict(definition).items():
            assert field in ("name", "direction") or text in texts, field
        with pytest.raises(FrozenInstanceError):
            definition.name = "other"  # type: ignore[misc]
    directions = {d.name: d.direction for d in definitions()}
    assert directions["(c,2)-diversity"] == "equivalent"
    assert directions["t-closeness"] == "implies"


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("(c,2)-diversity", ["2.5-privacy", "2-privacy", "4-privacy"]),
        ("t-closeness", ["2.4926-privacy", "1.5-privacy", "2-privacy"]),
        ("perfect-privacy", ["flu: yes", "2000: no"]),
        ("differential-privacy", ["1.1052-privacy", "2.7183-privacy"]),
        ("differential-privacy-add-remove", ["1.2215-privacy", "7.3891-privacy"]),
    ],
)
def test_worked_examples(name: str, numbers: list[str]) -> None:
    """By hand, rounded up."""
    for number in numbers:
        assert number in define(name).example
