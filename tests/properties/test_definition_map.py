"""The map of definitions against enumeration: every small group, every small table.

The oracle is ε-privacy itself, in fractions: class III conditions for groups, Bayes' rule over
all records for mechanisms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import PlanError
from hedgerow.claims import RecursiveLDiversity, TCloseness
from hedgerow.explain.definitions import (
    diversity_of_epsilon,
    epsilon_of_closeness,
    epsilon_of_differential_privacy,
    epsilon_of_diversity,
    epsilon_of_lemma_1,
    perfect_privacy,
)
from hedgerow.table.groups import Groups, Histogram, Sensitive

Counts = tuple[int, ...]
SHAPES = [(1, 1), (1, 2), (1, 4), (2, 3), (1, 1, 1), (1, 1, 2), (1, 2, 3), (2, 3, 5), (1, 1, 1, 1),
          (1, 1, 2, 2), (2, 1, 1, 3)]  # fmt: skip
MOST = {2: 24, 3: 14, 4: 9, 5: 7}
"""People in the largest groups that are enumerated, by number of values."""


@cache
def compositions(people: int, values: int) -> tuple[Counts, ...]:
    """All ways in which so many people have so many values."""
    bars = combinations(range(people + values - 1), values - 1)
    edges = ((-1, *bar, people + values - 1) for bar in bars)
    return tuple(tuple(b - a - 1 for a, b in pairwise(e)) for e in edges)


@cache
def every_group(values: int) -> tuple[Counts, ...]:
    return tuple(g for n in range(1, MOST[values] + 1) for g in compositions(n, values))


def shares(counts: Sequence[int]) -> list[Fraction]:
    return [Fraction(count, sum(counts)) for count in counts]


def smallest_epsilon(
    group: Counts, p: Sequence[Fraction], *, sets: bool = False
) -> Fraction | float:
    """Class III: the largest of f / p and (1 - p) / (1 - f), over values or sets of values."""
    f, k = shares(group), len(group)
    chosen = [(s,) for s in range(k)]
    if sets:
        chosen = [s for size in range(1, k) for s in combinations(range(k), size)]
    worst: Fraction | float = 0
    for predicate in chosen:
        inside, believed = sum(f[s] for s in predicate), sum(p[s] for s in predicate)
        if inside == 1:
            return math.inf
        if inside:
            worst = max(worst, inside / believed, (1 - believed) / (1 - inside))
    return worst


def variation(group: Counts, p: Sequence[Fraction]) -> Fraction:
    return sum((abs(a - b) for a, b in zip(shares(group), p, strict=True)), Fraction(0)) / 2


def as_groups(
    rows: Sequence[Counts], reference: Sequence[int], levels: Sequence[Sequence[int]] = ()
) -> Groups:
    """Groups as the models see them, in a table distributed like `reference`."""
    matrix = np.array(rows, np.int64)
    owner, codes = np.nonzero(matrix)
    indptr = np.searchsorted(owner, np.arange(len(rows) + 1)).astype(np.int64)
    histogram = Histogram(indptr, codes.astype(np.int32), matrix[owner, codes])
    above = tuple(np.asarray(level, np.int32) for level in levels)
    domain = Sensitive("s", tuple(map(str, range(matrix.shape[1]))), np.array(reference, np.int64),
                       sum(reference), above)  # fmt: skip
    return Groups(matrix.sum(axis=1), {"s": histogram}, {"s": domain})


def ratios(model: RecursiveLDiversity, groups: Groups) -> Iterator[Fraction | float]:
    for above, below in zip(*model.ratios(groups)[0], strict=True):
        yield Fraction(int(above), int(below)) if below else math.inf


@pytest.mark.parametrize("values", [2, 3, 4, 5])
@pytest.mark.parametrize(
    "c",
    [
        Fraction(1, 4),
        Fraction(1, 3),
        Fraction(1, 2),
        Fraction(4, 5),
        1,
        Fraction(3, 2),
        2,
        3,
        4,
        Fraction(19, 2),
    ],
)
def test_diversity_is_privacy_of_every_group(values: int, c: Fraction) -> None:
    """The model's own r_1 / (r_2 + ...) is at most c exactly where the group is ε-private."""
    groups = every_group(values)
    if c * (values - 1) < 1:
        with pytest.raises(PlanError, match="no group"):
            epsilon_of_diversity(c=c, values=values)
        assert all(max(g) > c * (sum(g) - max(g)) for g in groups), "rightly refused"
        return
    epsilon = epsilon_of_diversity(c=c, values=values)
    assert diversity_of_epsilon(epsilon=epsilon, values=values) == c
    p = [Fraction(1, values)] * values
    needed = [smallest_epsilon(g, p) for g in groups]
    table = as_groups(groups, [1] * values)
    strict = RecursiveLDiversity(c=c, l=2, of="s")  # type: ignore[arg-type]
    diverse = [ratio <= c for ratio in ratios(strict, table)]
    assert diverse == [e <= epsilon for e in needed]
    assert any(diverse)
    assert not all(diverse)
    held = strict.holds(table).tolist()
    assert all(e <= epsilon for e, h in zip(needed, held, strict=True) if h)
    more = RecursiveLDiversity(c=c + Fraction(1, 10**6), l=2, of="s")  # type: ignore[arg-type]
    assert more.holds(table).tolist() == diverse, "no small group is in between"


@given(epsilon=st.fractions(1, 12, max_denominator=40), values=st.integers(2, 5), data=st.data())
def test_every_epsilon_of_at_least_1_is_a_diversity(
    epsilon: Fraction, values: int, data: st.DataObject
) -> None:
    c = diversity_of_epsilon(epsilon=epsilon, values=values)
    assert c * (values - 1) >= 1
    assert epsilon_of_diversity(c=c, values=values) == epsilon
    group = data.draw(st.sampled_from(every_group(values)))
    diverse = max(group) <= c * (sum(group) - max(group))
    assert diverse == (smallest_epsilon(group, [Fraction(1, values)] * values) <= epsilon)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "t",
    [
        Fraction(0),
        Fraction(1, 20),
        Fraction(1, 12),
        Fraction(1, 8),
        Fraction(1, 6),
        Fraction(1, 4),
        Fraction(3, 10),
    ],
)
def test_closeness_never_promises_too_much(shape: Counts, t: Fraction) -> None:
    """Every small group that the model calls t-close; refused only where no ε is enough."""
    p, groups = shares(shape), every_group(len(shape))
    close = TCloseness(t=t, of="s").holds(as_groups(groups, shape)).tolist()  # type: ignore[arg-type]
    assert close == [variation(g, p) <= t for g in groups]
    kept = [g for g, passed in zip(groups, close, strict=True) if passed]
    needed = max((smallest_epsilon(g, p) for g in kept), default=0)
    alone = [g for g in groups if max(g) == sum(g)]
    if t >= 1 - max(p):
        with pytest.raises(PlanError, match="no epsilon follows"):
            epsilon_of_closeness(t=t, shape=shape)
        assert needed == math.inf, "a homogeneous group passes"
        return
    assert not set(kept) & set(alone)
    epsilon = epsilon_of_closeness(t=t, shape=shape)
    assert needed <= epsilon
    assert epsilon == max(max((b + t) / b, (1 - b) / (1 - b - t)) for b in p)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_epsilon_of_closeness_is_reached(shape: Counts) -> None:
    """The group of 1/t · n people that has t more of one value and less of the others."""
    k, t = len(shape), Fraction(1, 10 * sum(shape))
    p, epsilon = shares(shape), epsilon_of_closeness(t=t, shape=shape)
    reached: Fraction | float = 0
    for more, less in product(range(k), repeat=2):
        if more != less:
            group = [count * 10 for count in shape]
            group[more] += 1
            group[less] -= 1
            assert variation(tuple(group), p) == t
            reached = max(reached, smallest_epsilon(tuple(group), p))
    assert reached == epsilon


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("t", [Fraction(1, 20), Fraction(1, 12), Fraction(1, 8), Fraction(1, 6)])
def test_lemma_1_is_the_answer_for_sets_of_values(shape: Counts, t: Fraction) -> None:
    p = shares(shape)
    if t >= min(p):
        with pytest.raises(PlanError, match="rarest"):
            epsilon_of_lemma_1(t=t, shape=shape)
        return
    lemma = epsilon_of_lemma_1(t=t, shape=shape)
    assert lemma == max(max((b + t) / b, b / (b - t)) for b in p), "as printed"
    tight = epsilon_of_closeness(t=t, shape=shape)
    assert tight == lemma if len(shape) == 2 else tight <= lemma
    close = [g for g in every_group(len(shape)) if variation(g, p) <= t]
    assert all(smallest_epsilon(g, p, sets=True) <= lemma for g in close)
    # Exactly t of the rarest value's people have something else, so "not it" is at its likeliest.
    scale = t.denominator
    group = [count * scale for count in shape]
    rarest, other = shape.index(min(shape)), (shape.index(min(shape)) + 1) % len(shape)
    moved = int(t * sum(group))
    group[rarest] -= moved
    group[other] += moved
    assert variation(tuple(group), p) == t
    assert smallest_epsilon(tuple(group), p, sets=True) == lemma


LEVELS = {3: [[0, 0, 1], [0, 0, 0]], 4: [[0, 0, 1, 1], [0, 0, 0, 0]]}


@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
@pytest.mark.parametrize("shape", [s for s in SHAPES if len(s) > 2])
@pytest.mark.parametrize("t", [Fraction(1, 40), Fraction(1, 20), Fraction(1, 10)])
def test_other_distances_take_steps(shape: Counts, t: Fraction, distance: str) -> None:
    k, p, groups = len(shape), shares(shape), every_group(len(shape))
    levels = [list(range(k)), *LEVELS[k]]
    table = as_groups(groups, shape, levels)
    close = TCloseness(t=t, of="s", distance=distance).holds(table)  # type: ignore[arg-type]
    steps = k - 1 if distance == "ordered" else len(LEVELS[k])
    try:
        epsilon = epsilon_of_closeness(t=t, shape=shape, steps=steps)
    except PlanError:
        assert t * steps >= 1 - max(p)
        return
    kept = [g for g, passed in zip(groups, close, strict=True) if passed]
    assert all(smallest_epsilon(g, p) <= epsilon for g in kept)


def test_steps_are_needed() -> None:
    """Among these groups some are close by the ordered distance and not private at steps = 1."""
    shape, t = (1, 1, 1), Fraction(1, 10)
    table = as_groups(every_group(3), shape)
    close = TCloseness(t=t, of="s", distance="ordered").holds(table)  # type: ignore[arg-type]
    epsilon = epsilon_of_closeness(t=t, shape=shape)
    kept = [g for g, passed in zip(every_group(3), close, strict=True) if passed]
    assert any(smallest_epsilon(g, shares(shape)) > epsilon for g in kept)


@given(
    tables=st.integers(2, 4).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 12), min_size=k, max_size=k).filter(any),
            min_size=1, max_size=5,
        )
    )
)  # fmt: skip
@settings(max_examples=300)
def test_whole_tables_against_their_own_shape(tables: list[list[int]]) -> None:
    """The table's own t, which some group reaches."""
    rows = [tuple(row) for row in tables]
    totals = [sum(column) for column in zip(*rows, strict=True)]
    keep = [s for s, total in enumerate(totals) if total]
    rows, totals = [tuple(row[s] for s in keep) for row in rows], [totals[s] for s in keep]
    p = shares(totals)
    t = max(variation(row, p) for row in rows)
    needed = max(smallest_epsilon(row, p) for row in rows)
    if len(keep) > 1 and t < 1 - max(p):
        assert needed <= epsilon_of_closeness(t=t, shape=totals)
        if t < min(p):
            assert epsilon_of_closeness(t=t, shape=totals) <= epsilon_of_lemma_1(t=t, shape=totals)


@pytest.mark.parametrize(("shape", "both"), [((1, 1), True), ((2, 3), False), ((1, 1, 1), False)])
@pytest.mark.parametrize("t", [Fraction(1, 10), Fraction(1, 4)])
def test_only_two_equally_frequent_values_go_both_ways(
    shape: Counts, both: bool, t: Fraction
) -> None:
    p, epsilon = shares(shape), epsilon_of_closeness(t=t, shape=shape)
    private = [g for g in every_group(len(shape)) if smallest_epsilon(g, p) <= epsilon]
    assert all(variation(g, p) <= t for g in private) == both


@given(data=st.data())
@settings(max_examples=200)
def test_perfect_privacy_is_1_privacy(data: st.DataObject) -> None:
    k = data.draw(st.integers(2, 4))
    base = data.draw(st.lists(st.integers(1, 5), min_size=k, max_size=k))
    rows = [
        [count * times for count in base]
        for times in data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    ]
    if data.draw(st.booleans()):
        row, value = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, k - 1))
        rows[row][value] += data.draw(st.integers(-rows[row][value], 3))
    rows = [row for row in rows if any(row)] or [base]
    groups = Groups.of({"s": [{str(s): c for s, c in enumerate(row)} for row in rows]},
                       order={"s": [str(s) for s in range(k)]})  # fmt: skip
    p = shares(base)
    needed = [smallest_epsilon(tuple(row), p, sets=sets) for row in rows for sets in (False, True)]
    assert perfect_privacy(groups=groups, of="s", shape=base) == (max(needed) <= 1)
    other = [base[0] + 1, *base[1:]]
    assert not (
        perfect_privacy(groups=groups, of="s", shape=base)
        and perfect_privacy(groups=groups, of="s", shape=other)
    ), "no table is perfect against two shapes"


@given(
    group=st.lists(st.integers(1, 8), min_size=2, max_size=4),
    sigma=st.lists(st.fractions(Fraction(1, 4), 50, max_denominator=4), min_size=4, max_size=4),
)
def test_perfect_privacy_is_out_of_reach_of_who_learns(
    group: list[int], sigma: list[Fraction]
) -> None:
    """Equation 9 for the person who has the value: somebody's presence always tells something."""
    n, stubbornness = sum(group), sum(sigma[: len(group)], Fraction(0))
    gains = [Fraction(c, n) * (n - 1 + stubbornness) - (c - 1 + s)
             for c, s in zip(group, sigma, strict=False)]  # fmt: skip
    assert any(gain > 0 for gain in gains), "p_in > p_out for some value"


def gains(prior: Sequence[Fraction], likelihood: Sequence[Fraction]) -> Fraction:
    """ε-privacy of one output: the largest gain over all sets of records, by Bayes' rule."""
    evidence = sum((b * x for b, x in zip(prior, likelihood, strict=True)), Fraction(0))
    worst, k = Fraction(0), len(prior)
    for size in range(1, k):
        for predicate in combinations(range(k), size):
            p_out = sum((prior[s] for s in predicate), Fraction(0))
            p_in = sum((prior[s] * likelihood[s] for s in predicate), Fraction(0)) / evidence
            worst = max(worst, p_in / p_out, (1 - p_out) / (1 - p_in))
    return worst


def log_above(ratio: Fraction) -> Fraction:
    """A fraction just above the logarithm: a mechanism with this ratio has that ε."""
    above = Fraction(math.log(ratio)) + Fraction(1, 10**9)
    assert math.exp(above) > ratio
    return above


PRIORS = st.lists(st.integers(1, 1000), min_size=2, max_size=4).map(shares)
RATIOS = st.fractions(Fraction(11, 10), 20, max_denominator=10)


@given(ratio=RATIOS, prior=PRIORS, people=st.integers(1, 3), data=st.data())
@settings(max_examples=150)
def test_randomised_response_of_whole_tables(
    ratio: Fraction, prior: list[Fraction], people: int, data: st.DataObject
) -> None:
    """Everybody says the truth with odds ratio : 1 against each lie; the others are known."""
    k = len(prior)
    truth, lie = ratio / (ratio + k - 1), 1 / (ratio + k - 1)
    others = data.draw(st.lists(st.integers(0, k - 1), min_size=people - 1, max_size=people - 1))
    bound = Fraction(epsilon_of_differential_privacy(epsilon=log_above(ratio)))
    for said in product(range(k), repeat=people):
        likelihood = [
            math.prod((truth if a == b else lie for a, b in zip((x, *others), said, strict=True)),
                      start=Fraction(1))
            for x in range(k)
        ]  # fmt: skip
        assert gains(prior, likelihood) <= ratio <= bound
    sure = [Fraction(1, 10**9), 1 - Fraction(1, 10**9)]
    assert gains(sure, [truth, lie]) > ratio * (1 - Fraction(1, 10**7)), (
        "approached by the doubtful"
    )


@given(ratio=RATIOS, prior=PRIORS, data=st.data())
@settings(max_examples=150)
def test_any_mechanism_gains_at_most_what_its_ratios_allow(
    ratio: Fraction, prior: list[Fraction], data: st.DataObject
) -> None:
    share = st.fractions(0, 1, max_denominator=50)
    likelihood = [1 + data.draw(share) * (ratio - 1) for _ in prior]
    assert gains(prior, likelihood) <= ratio
    first, second = likelihood[:2]
    doubtful = [Fraction(1, 10**9), 1 - Fraction(1, 10**9)]
    back = max(gains(doubtful, [first, second]), gains(doubtful, [second, first]))
    assert back >= max(first / second, second / first) * (1 - Fraction(1, 10**7)), (
        "and the way back"
    )


@given(ratio=RATIOS, prior=st.integers(1, 999).map(lambda x: shares([x, 1000 - x])))
def test_adding_and_removing_counts_twice(ratio: Fraction, prior: list[Fraction]) -> None:
    """Ill people less well ones, with two-sided geometric noise: one person more or less
    changes it by 1, one person's other record by 2."""
    epsilon = log_above(ratio)

    def probability(output: int, true: int) -> Fraction:
        return (ratio - 1) / (ratio + 1) / ratio ** abs(output - true)

    bound = Fraction(epsilon_of_differential_privacy(epsilon=epsilon, neighbours="add-remove"))
    single = Fraction(epsilon_of_differential_privacy(epsilon=epsilon))
    known, worst = 3, Fraction(0)
    for output in range(-4, 11):
        gone = probability(output, known)
        ill, well = probability(output, known + 1), probability(output, known - 1)
        assert max(ill / gone, gone / ill, well / gone, gone / well) <= ratio
        assert gains(prior, [ill, well]) <= ratio**2 <= bound
        worst = max(worst, gains([Fraction(1, 10**9), 1 - Fraction(1, 10**9)], [ill, well]))
    assert worst > single, "one factor is not enough"


def test_a_generalisation_has_no_epsilon() -> None:
    """Every table of three people: who knows the two others is certain of the third."""
    for table in product(range(3), repeat=3):
        published = sorted(table)
        likelihood = [Fraction(sorted((x, *table[1:])) == published) for x in range(3)]
        assert likelihood == [Fraction(x == table[0]) for x in range(3)]
        p_in = likelihood[table[0]] / sum(likelihood)
        assert p_in == 1, "(1 - p_out) / (1 - p_in) is infinite for every prior that has a doubt"
