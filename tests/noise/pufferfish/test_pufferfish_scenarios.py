"""Scenarios and the Wasserstein mechanism: exact losses, distances by Strassen's theorem."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from noise import oracle
from noise.pufferfish import sequences

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise.pufferfish.chains import Chain
from hedgerow.noise.pufferfish.finite import FiniteMechanism
from hedgerow.noise.pufferfish.quilts import MarkovQuilt
from hedgerow.noise.pufferfish.scenario import PufferfishLoss, Scenario
from hedgerow.noise.pufferfish.wasserstein import WassersteinMechanism, infinity_distance

HALF = Fraction(1, 2)


@st.composite
def on_whole_numbers(draw: st.DrawFn) -> dict[int, Fraction]:
    values = draw(st.lists(st.integers(-6, 6), min_size=1, max_size=6, unique=True))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    return {v: Fraction(w, sum(weights)) for v, w in zip(values, weights, strict=True)}


@given(on_whole_numbers(), on_whole_numbers())
def test_distance_is_that_of_the_best_coupling(
    p: dict[int, Fraction], q: dict[int, Fraction]
) -> None:
    assert infinity_distance(p, q) == sequences.strassen(p, q) == sequences.strassen(q, p)


def bits(prior: dict[tuple[int, ...], Fraction], place: int = 0) -> Scenario:
    return Scenario(
        priors={"prior": prior},
        secrets={"one": lambda w: w[place] == 1, "zero": lambda w: w[place] == 0},
        pairs=[("one", "zero")],
    )


@st.composite
def joint(draw: st.DrawFn) -> dict[tuple[int, ...], Fraction]:
    worlds = list(product((0, 1), range(4)))
    weights = draw(st.lists(st.integers(0, 6), min_size=8, max_size=8))
    weights[0] += 1
    weights[4] += 1
    return {w: Fraction(n, sum(weights)) for w, n in zip(worlds, weights, strict=True)}


@settings(deadline=None)
@given(joint(), st.sampled_from([Fraction(1, 3), Fraction(9, 10)]))
def test_wasserstein_noise_keeps_its_claim(
    prior: dict[tuple[int, ...], Fraction], ratio: Fraction
) -> None:
    """Exactly: (1 / ratio) ** distance bounds the ratio of all outputs."""
    scenario = bits(prior)
    mechanism = WassersteinMechanism(scenario, query=lambda w: w[1])
    noisy = FiniteMechanism.geometric({w: w[1] for w in prior}, ratio=ratio, low=-3, high=7)
    found = scenario.indistinguishability().smallest(noisy)
    assert found.factor is not None
    assert found.factor <= (1 / ratio) ** mechanism.distance
    assert mechanism.distance <= mechanism.group_distance


def test_the_flu_of_the_paper() -> None:
    ill = {0: [".2", ".225", ".5", ".075", "0"], 1: ["0", ".075", ".5", ".225", ".2"]}
    prior = {(x, n): Fraction(p) / 2 for x in (0, 1) for n, p in enumerate(ill[x])}
    mechanism = WassersteinMechanism(bits(prior), query=lambda w: w[1])
    assert (mechanism.distance, mechanism.group_distance) == (2, 4)
    laplace = mechanism.mechanism(epsilon=1)
    assert mechanism.privacy_map(laplace) == PufferfishLoss(epsilon=1)
    window = range(-8, 13)
    sides = [
        {
            y: sum(2 * prior[x, n] * oracle.laplace(n, laplace.scale, window)[y] for n in range(5))
            for y in window
        }
        for x in (0, 1)
    ]
    assert oracle.worst_ratio(*sides) <= oracle.exp(Fraction(1))


def test_counting_needs_no_more_than_the_group() -> None:
    """Wasserstein is never worse than hiding the group; one question is all it answers."""
    chain = Chain([["0.9", "0.1"], ["0.4", "0.6"]], initial="stationary")
    mechanism = WassersteinMechanism(chain.scenario(6), query=lambda w: w.count(0))
    group = MarkovQuilt([chain], length=6).group_event_loss(epsilon=1)
    assert mechanism.distance <= mechanism.group_distance == 6
    assert mechanism.mechanism(epsilon=1).scale <= 1 / group.epsilon


def test_releases_do_not_compose_in_general() -> None:
    """A fair coin hides the secret in each of two answers, and in both together nothing."""
    prior = dict.fromkeys(product((0, 1), repeat=2), Fraction(1, 4))
    scenario = bits(prior)
    secret = scenario.indistinguishability()
    masked = FiniteMechanism.deterministic({w: w[0] ^ w[1] for w in prior})
    mask = FiniteMechanism.deterministic({w: w[1] for w in prior})
    assert secret.smallest(masked).factor == secret.smallest(mask).factor == 1
    assert secret.smallest(masked.alongside(mask)).factor is None
    assert not scenario.composes


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 4))
def test_where_a_secret_fixes_the_world_losses_add_up(a: int, b: int) -> None:
    scenario = Scenario(
        priors={f"others {n}": {(x, n): HALF for x in (0, 1)} for n in range(3)},
        secrets={"one": lambda w: w[0] == 1, "zero": lambda w: w[0] == 0},
        pairs=[("one", "zero")],
    )
    assert scenario.composes
    secret = scenario.indistinguishability()
    values = {(x, n): x + n for x in (0, 1) for n in range(3)}
    first, second = (
        FiniteMechanism.geometric(values, ratio=Fraction(1, 1 + n), low=-1, high=4) for n in (a, b)
    )
    factors = [secret.smallest(m).factor for m in (first, second, first.alongside(second))]
    assert None not in factors
    assert factors[2] <= factors[0] * factors[1]  # type: ignore[operator]


def test_odds_move_by_the_factor() -> None:
    """The counterfactual reading: Bayes' odds after any output, over the odds before."""
    prior = {(x, y): Fraction(3 if x == y else 1, 8) for x in (0, 1) for y in (0, 1)}
    noisy = FiniteMechanism.geometric({w: sum(w) for w in prior}, ratio="0.5", low=0, high=2)
    factor = bits(prior).indistinguishability().smallest(noisy).factor
    moved = []
    for o in noisy.outputs:
        weight = [
            sum(p * noisy.probability(w, o) for w, p in prior.items() if w[0] == x) for x in (0, 1)
        ]
        moved.append(weight[1] / weight[0])
    assert factor == max(max(moved), 1 / min(moved))
    # His brother has what he has, so that this is more than what his own record changes.
    assert factor > 2


def test_only_pairs_that_can_be_are_compared() -> None:
    scenario = Scenario(
        priors={"sure": {(1, 0): 1}, "open": {(1, 0): "0.5", (0, 0): "0.5"}},
        secrets={"one": lambda w: w[0] == 1, "zero": lambda w: w[0] == 0},
        pairs=[("one", "zero")],
    )
    assert [c.name for c in scenario.conditionals()] == ["one against zero under open"]


def test_a_question_that_says_nothing_is_not_answered_without_noise() -> None:
    prior = dict.fromkeys(product((0, 1), repeat=2), Fraction(1, 4))
    mechanism = WassersteinMechanism(bits(prior), query=lambda w: w[1])
    assert mechanism.distance == 0
    with pytest.raises(PlanError, match="says nothing about the secrets"):
        mechanism.mechanism(epsilon=1)


def test_losses_cannot_be_added() -> None:
    with pytest.raises(TypeError):
        PufferfishLoss(epsilon=1) + PufferfishLoss(epsilon=1)  # type: ignore[operator]


def test_losses_are_rounded_up_where_they_are_printed() -> None:
    third = PufferfishLoss(epsilon=Fraction(1, 3))
    assert Fraction(str(third).split("-")[0]) >= Fraction(1, 3)


@pytest.mark.parametrize(
    ("priors", "pairs", "says"),
    [
        ({"p": {(0,): "0.5"}}, [("one", "zero")], "add up to 1/2"),
        ({"p": {(0,): 1}}, [("one", "two")], "no secret"),
        ({"p": {(0,): 1}}, [("zero", "zero")], "both be true"),
        ({"p": {(0,): 1}}, [("one", "zero")], "nothing is protected"),
        ({"p": {(0,): 1}}, [], "nothing is protected"),
    ],
)
def test_wrong_scenarios(priors: dict[str, dict[object, object]], pairs: list[tuple[str, str]],
                         says: str) -> None:  # fmt: skip
    with pytest.raises(PlanError, match=says):
        Scenario(
            priors=priors,  # type: ignore[arg-type]
            secrets={"one": lambda w: w[0] == 1, "zero": lambda w: w[0] == 0},
            pairs=pairs,
        )


def test_answers_are_whole_numbers() -> None:
    prior = {(0,): HALF, (1,): HALF}
    with pytest.raises(DataError, match="no whole number"):
        WassersteinMechanism(bits(prior), query=lambda w: w[0] / 2)
