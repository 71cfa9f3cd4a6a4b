"""Quilts against enumeration of all sequences, and the loss of real mechanisms under them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from noise import oracle
from noise.pufferfish import sequences
from work import growth

from hedgerow.base.errors import PlanError
from hedgerow.noise.measures import Pure
from hedgerow.noise.pufferfish.chains import Chain
from hedgerow.noise.pufferfish.finite import FiniteMechanism
from hedgerow.noise.pufferfish.influence import Influence
from hedgerow.noise.pufferfish.mixing import Mixing, MixingQuilt
from hedgerow.noise.pufferfish.quilts import MarkovQuilt, NoiseObjective, order
from hedgerow.noise.rounding import exp_up, log_down, log_up

WEATHER = [[Fraction(9, 10), Fraction(1, 10)], [Fraction(2, 5), Fraction(3, 5)]]
ROUGH = Chain([["0.625", "0.375"], [Fraction(1, 7), Fraction(6, 7)]], initial=["0.4", "0.6"])
"""At length 6 and epsilon 4, what looks worst by quilts with equal sides is not the worst."""
CLOSE = 1e-8


@st.composite
def chains(draw: st.DrawFn, *, zeros: bool = True) -> Chain:
    k = draw(st.integers(2, 3))
    least = 0 if zeros else 1
    row = st.lists(st.integers(least, 6), min_size=k, max_size=k).filter(any)
    rows = [[Fraction(w, sum(r)) for w in r] for r in draw(st.lists(row, min_size=k, max_size=k))]
    start = draw(row)
    kind = draw(st.sampled_from(["given", "stationary"]))
    if kind == "stationary":
        try:
            return Chain(rows, initial="stationary")
        except PlanError:
            pass
    return Chain(rows, initial=[Fraction(w, sum(start)) for w in start])


def enumerated(chain: Chain, length: int) -> sequences.Worlds:
    assert chain.initial is not None
    return sequences.worlds(chain.transition, chain.initial, length)


def has_a_secret(worlds: sequences.Worlds, length: int) -> bool:
    return any(len({w[i] for w in worlds}) > 1 for i in range(length))


@pytest.mark.parametrize(
    ("length", "scale", "sides"),
    [(10, 10.0, (None, None)), (50, 12.839964, (5, 5)), (100, 12.839964, (5, 5))],
)
def test_known_scales(length: int, scale: float, sides: tuple[int | None, int | None]) -> None:
    quilts = MarkovQuilt([Chain(WEATHER, initial="stationary")], length=length)
    assert float(1 / quilts.event_loss(epsilon=1).epsilon) == pytest.approx(scale, abs=1e-6)
    worst = quilts.worst(NoiseObjective(Fraction(1)))
    assert (worst.before, worst.after) == sides


@settings(deadline=None, max_examples=25)
@given(chains(), st.integers(1, 6), st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3)]))
@example(Chain(WEATHER, initial=[1, 0]), 6, Fraction(1))
@example(ROUGH, 6, Fraction(4))
@example(Chain([[0, 1], [1, 0]], initial=["0.5", "0.5"]), 5, Fraction(1))
@example(Chain([[1, 0], [0, 1]], initial=["0.5", "0.5"]), 5, Fraction(1))
def test_scale_is_that_of_the_definition(chain: Chain, length: int, epsilon: Fraction) -> None:
    worlds = enumerated(chain, length)
    quilts = MarkovQuilt([chain], length=length)
    if not has_a_secret(worlds, length):
        with pytest.raises(PlanError, match="no secret"):
            quilts.event_loss(epsilon=epsilon)
        return
    expected = sequences.sigma(worlds, chain.states, length, float(epsilon))
    scale = 1 / quilts.event_loss(epsilon=epsilon).epsilon
    assert float(scale) == pytest.approx(expected, rel=CLOSE)
    # Of two scales that close, the definition's may be the larger by its own rounding only.
    assert scale >= Fraction(expected) * (1 - Fraction(1, 10**13))


@settings(deadline=None, max_examples=40)
@given(chains(), st.integers(2, 5))
def test_influences_are_never_under_the_exact_ones(chain: Chain, length: int) -> None:
    worlds, influence = enumerated(chain, length), Influence(chain, length=length)
    for i in range(length):
        block = influence.block(i + 1, i + 1)
        table = influence.table(block, length)
        for (a, b), found in ((place, table[place]) for place in product(*map(range, table.shape))):
            if not len(block.left) or a + b > length + 1:
                continue
            quilt = tuple(n for n in (i - a, i + b) if n != i)
            exact = sequences.influence(worlds, chain.states, i, quilt)
            assert exact <= found <= exact + CLOSE or exact == found == math.inf


LONGEST = {2: 8, 3: 5}


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(
    chains(),
    st.integers(2, 8),
    st.sampled_from([Fraction(1, 2), Fraction(9, 10), Fraction(99, 100)]),
)
@example(Chain(WEATHER, initial="stationary"), 8, Fraction(9, 10))
@example(Chain([["0.5", "0.5"], ["0.5", "0.5"]], initial="stationary"), 8, Fraction(1, 2))
def test_no_loss_is_above_the_claim(chain: Chain, length: int, ratio: Fraction) -> None:
    """The count of a state with geometric noise, its exact loss over all sequences."""
    length = min(length, LONGEST[chain.states])
    worlds = enumerated(chain, length)
    if not has_a_secret(worlds, length):
        return
    claimed = MarkovQuilt([chain], length=length).privacy_map(Pure(epsilon=log_up(1 / ratio)))
    found = sequences.loss(
        worlds,
        chain.states,
        length,
        lambda w: sequences.held_geometric(w.count(0), ratio, -3, length + 3),
    )
    assert found <= exp_up(claimed.epsilon)


def test_independent_states_cost_what_differential_privacy_says() -> None:
    """Nothing to gain from a quilt's influence: the claim is tight."""
    chain = Chain([["0.5", "0.5"], ["0.5", "0.5"]], initial="stationary")
    quilts = MarkovQuilt([chain], length=9)
    event = Pure(epsilon="0.7")
    assert float(quilts.privacy_map(event).epsilon) == pytest.approx(0.7)
    worlds = enumerated(chain, 6)
    found = sequences.loss(
        worlds, 2, 6, lambda w: sequences.held_geometric(w.count(0), Fraction(1, 2), -9, 15)
    )
    assert found == 2


def test_a_chain_that_never_moves_needs_the_whole_group() -> None:
    chain = Chain([[1, 0], [0, 1]], initial=["0.5", "0.5"])
    quilts = MarkovQuilt([chain], length=7)
    assert quilts.event_loss(epsilon=1) == quilts.group_event_loss(epsilon=1)
    found = sequences.loss(
        enumerated(chain, 7),
        2,
        7,
        lambda w: sequences.held_geometric(w.count(0), Fraction(1, 2), -1, 8),
    )
    assert found == 2**7, "the claim for a whole group is reached"


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)])
def test_the_mechanism_as_it_is_drawn(epsilon: Fraction) -> None:
    """Discrete Laplace noise of the scale that is handed out, to 500 bits."""
    chain = Chain(WEATHER, initial="stationary")
    length = 7
    quilts = MarkovQuilt([chain], length=length)
    mechanism = quilts.mechanism(epsilon=epsilon, lipschitz=1)
    window = range(-4, length + 5)
    by_count = {n: list(oracle.laplace(n, mechanism.scale, window).values()) for n in range(8)}
    found = sequences.loss(enumerated(chain, length), 2, length, lambda w: by_count[w.count(0)])
    assert found <= oracle.exp(epsilon)
    assert quilts.privacy_map(mechanism.privacy_map(1)).epsilon <= epsilon


def test_two_releases_compose_as_claimed() -> None:
    """Two questions at once, exactly: the map of the sum of what one state costs."""
    chain, length = Chain(WEATHER, initial="stationary"), 5
    ratios = Fraction(9, 10), Fraction(19, 20)
    quilts = MarkovQuilt([chain], length=length)
    events = [Pure(epsilon=log_up(1 / r)) for r in ratios]

    def row(w: sequences.World) -> list[Fraction]:
        first = sequences.held_geometric(w.count(0), ratios[0], -1, 6)
        second = sequences.held_geometric(sum(w[:2]), ratios[1], -1, 6)
        return [p * q for p, q in product(first, second)]

    found = sequences.loss(enumerated(chain, length), 2, length, row)
    together = quilts.privacy_map(events[0] + events[1]).epsilon
    assert log_down(Fraction(found)) <= together
    assert together <= sum(quilts.privacy_map(e).epsilon for e in events)


@settings(deadline=None, max_examples=30)
@given(chains(zeros=False), st.integers(2, 6))
@example(Chain([["0.6", "0.4"], ["0.6", "0.4"]], initial=[Fraction(6, 11), Fraction(5, 11)]), 2)
def test_any_start_covers_every_start(chain: Chain, length: int) -> None:
    anything = MarkovQuilt([Chain(chain.transition, initial="any")], length=length)
    some = MarkovQuilt([chain], length=length)
    # Where the start makes no difference, as in the example, each is rounded down by itself.
    found, rounding = anything.event_loss(epsilon=2), 1 + Fraction(1, 2**50)
    assert found.epsilon <= some.event_loss(epsilon=2).epsilon * rounding


def test_any_start_is_reached_by_some_start() -> None:
    """The supremum over starts is approached at the corners, so that nothing is given away."""
    length, epsilon = 6, 3
    bound = MarkovQuilt([Chain(WEATHER, initial="any")], length=length)
    almost = Fraction(1, 10**9)
    starts = [[1 - almost, almost], [almost, 1 - almost]]
    reached = min(
        MarkovQuilt([Chain(WEATHER, initial=s)], length=length).event_loss(epsilon=epsilon).epsilon
        for s in starts
    )
    found = bound.event_loss(epsilon=epsilon).epsilon
    assert found <= reached <= found * (1 + Fraction(1, 10**5))


def test_several_chains_are_as_bad_as_the_worst() -> None:
    good = Chain([["0.5", "0.5"], ["0.5", "0.5"]], initial="stationary")
    bad = Chain(WEATHER, initial="stationary")
    both = MarkovQuilt([good, bad], length=50).event_loss(epsilon=1)
    assert both == MarkovQuilt([bad], length=50).event_loss(epsilon=1)
    assert both.epsilon < MarkovQuilt([good], length=50).event_loss(epsilon=1).epsilon


@settings(deadline=None, max_examples=30)
@given(chains(), st.integers(1, 3), st.integers(8, 14))
def test_narrow_search_only_adds_noise(chain: Chain, widest: int, length: int) -> None:
    """The few wide blocks of a narrow search are bounds for the positions in them."""
    try:
        wide = MarkovQuilt([chain], length=length).event_loss(epsilon=2)
    except PlanError:
        return
    narrow = MarkovQuilt([chain], length=length, widest=widest).event_loss(epsilon=2)
    assert narrow.epsilon <= wide.epsilon


@settings(deadline=None, max_examples=40)
@given(chains(zeros=False), st.integers(1, 4), st.integers(6, 40), st.sampled_from([1, 4]))
@example(ROUGH, 6, 6, 4)
def test_no_position_is_worse_than_the_worst(
    chain: Chain, widest: int, length: int, epsilon: int
) -> None:
    """Looking only at the middle, or only at what a rough bound leaves, misses nothing."""
    quilts = MarkovQuilt([chain], length=length, widest=widest)
    objective, influence = NoiseObjective(Fraction(epsilon)), Influence(chain, length=length)
    positions = []
    for i in range(1, length + 1):
        block = influence.block(i, i)
        if len(block.left):
            positions.append(
                quilts._best(
                    influence, block, objective, *quilts._rough(influence, block, objective)
                )
            )
    exactly = max(order(objective, quilt) for quilt in positions)
    assert order(objective, quilts.worst(objective)) >= exactly


@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
@pytest.mark.parametrize("length", [3, 40, 150])
def test_map_and_inverse_agree(epsilon: str, length: int) -> None:
    quilts = MarkovQuilt([Chain(WEATHER, initial=["0.5", "0.5"])], length=length)
    event = quilts.event_loss(epsilon=epsilon)
    assert quilts.privacy_map(event).epsilon <= Fraction(epsilon)
    assert float(quilts.privacy_map(event).epsilon) == pytest.approx(float(epsilon))


@settings(deadline=None, max_examples=30)
@given(chains(zeros=False), st.integers(2, 60), st.sampled_from([1, 4]))
def test_mixing_needs_no_less_noise_than_exact_quilts(
    chain: Chain, length: int, epsilon: int
) -> None:
    rough = MixingQuilt(mixing=Mixing.of([chain]), length=length).event_loss(epsilon=epsilon)
    assert rough.epsilon <= MarkovQuilt([chain], length=length).event_loss(epsilon=epsilon).epsilon


@settings(deadline=None, max_examples=60)
@given(chains(zeros=False))
def test_mixing_bounds_how_far_powers_are(chain: Chain) -> None:
    mixing, k = Mixing.of([chain]), chain.states
    power, pi = [list(row) for row in chain.transition], chain.stationary
    for t in range(1, 8):
        apart = max(abs(power[x][y] / pi[y] - 1) for x in range(k) for y in range(k))
        assert apart <= mixing.rate**t / mixing.least
        power = [
            [sum(power[x][z] * chain.transition[z][y] for z in range(k)) for y in range(k)]
            for x in range(k)
        ]


def test_mixing_is_not_above_the_paper() -> None:
    """By the authors' formula with e^(-g t): 2 h(a) + h(b), a = b, for a reversible chain."""
    g, least, epsilon = 0.5, 0.2, 1.0

    def tells(t: int) -> float:
        apart = math.exp(-g * t) / least
        return math.log((1 + apart) / (1 - apart)) if apart < 1 else math.inf

    paper = min(
        (a + b - 1) / (epsilon - 2 * tells(a) - tells(b))
        for a in range(1, 60)
        for b in range(1, 60)
        if 2 * tells(a) + tells(b) < epsilon
    )
    ours = MixingQuilt(mixing=Mixing(least="0.2", rate="0.5"), length=1000)
    best = min(
        (a + b - 1) / (epsilon - e)
        for a in range(1, 60)
        for b in range(1, 60)
        for d, f in [(0.5**a / least, 0.5**b / least)]
        if d < 1 and f < 1
        for e in [4 * math.atanh(d) + 2 * math.atanh(f)]
        if e < epsilon
    )
    found = float(1 / ours.event_loss(epsilon=1).epsilon)
    assert found == pytest.approx(best, rel=1e-12)
    assert found <= paper


def test_mixing_refuses_what_does_not_forget() -> None:
    with pytest.raises(PlanError, match="does not forget"):
        Mixing.of([Chain([[0, 1], [1, 0]], initial="stationary")])
    with pytest.raises(PlanError, match="no stationary probability"):
        Mixing.of([Chain([[1, 0], ["0.5", "0.5"]], initial="stationary")])


def test_stationary_distributions() -> None:
    assert Chain([[1, 0], ["0.5", "0.5"]], initial="stationary").initial == (1, 0)
    with pytest.raises(PlanError, match="several stationary"):
        Chain([[1, 0], [0, 1]], initial="stationary")
    with pytest.raises(PlanError, match="add up to 11/10"):
        Chain([["0.6", "0.5"], [0, 1]], initial="any")


def test_scenario_of_a_chain_is_the_enumeration() -> None:
    chain = Chain(WEATHER, initial="stationary")
    counts = FiniteMechanism.geometric(
        {w: w.count(0) for w in enumerated(chain, 5)}, ratio="0.5", low=-2, high=7
    )
    found = chain.scenario(5).indistinguishability().smallest(counts)
    assert found.factor == sequences.loss(
        enumerated(chain, 5),
        2,
        5,
        lambda w: sequences.held_geometric(w.count(0), Fraction(1, 2), -2, 7),
    )


@pytest.mark.parametrize("states", [3, 50])
def test_long_stationary_series_take_no_more_work(states: int) -> None:
    weights = [[(x * y + 3 * x + 1) % 11 + 1 for y in range(states)] for x in range(states)]
    rows = [[Fraction(w, sum(row)) for w in row] for row in weights]
    chain = Chain(rows, initial="stationary")

    def losses(length: int) -> tuple[Pure, Pure]:
        quilt = MarkovQuilt([chain], length=length)
        mixing = MixingQuilt(mixing=Mixing.of([chain]), length=length)
        return quilt.event_loss(epsilon=1), mixing.event_loss(epsilon=1)

    assert growth(losses, 1_000, 100_000) < 2
    exact, rough = losses(100_000)
    assert Fraction(1, 100_000) < rough.epsilon <= exact.epsilon
