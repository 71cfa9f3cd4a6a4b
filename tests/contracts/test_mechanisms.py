"""Every mechanism of the registry costs what it says, and draws where it may."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contracts.mechanism_cases import CASES, Case
from noise import oracle
from packages import Installed

from hedgerow.base.errors import PlanError
from hedgerow.noise import samplers
from hedgerow.noise.catalogue import MECHANISMS
from hedgerow.noise.measures import Pure, ZeroConcentrated
from hedgerow.noise.mechanisms import InputMetric
from hedgerow.synthesis.noisy_numbers import read_noise

DISTANCES = [Fraction(0), Fraction(1, 10**9), Fraction(1, 3), 1, Fraction(7, 5), 2, 10, 10**9]
DRAWN = [name for name, made in vars(samplers).items()
         if inspect.isfunction(made) and made.__module__ == samplers.__name__
         and not name.startswith("_")]  # fmt: skip
"""The functions that draw."""
every = pytest.mark.parametrize("name", MECHANISMS)


def cases() -> list[Any]:
    return [
        pytest.param(case, id=f"{name}-{place}")
        for name in MECHANISMS
        for place, case in enumerate(CASES[name])
    ]


each = pytest.mark.parametrize("case", cases())


def amount(loss: Any) -> Fraction:
    found: Fraction = loss.epsilon if isinstance(loss, Pure) else loss.rho
    return found


@every
def test_it_says_what_it_is(name: str) -> None:
    made = MECHANISMS[name]
    assert made.name == name
    assert isinstance(made.metric, InputMetric)
    assert made.measure in (Pure, ZeroConcentrated)  # type: ignore[comparison-overlap]
    for word in ("Guarantee:", "Assumes:", "Reference:"):
        assert word in (made.__doc__ or "")
    assert CASES[name], "it has an oracle"


@every
def test_nobody_can_choose_its_noise(name: str) -> None:
    made = MECHANISMS[name]
    assert list(inspect.signature(made.release).parameters) == ["self", "value"]
    words = {word for word in inspect.signature(made).parameters for word in word.split("_")}
    assert not words & {"seed", "rng", "random", "generator", "state"}


@each
def test_nothing_costs_nothing_and_more_never_costs_less(case: Case) -> None:
    losses = [case.mechanism.privacy_map(d_in) for d_in in DISTANCES]
    assert {type(loss) for loss in losses} == {case.mechanism.measure}
    amounts = [amount(loss) for loss in losses]
    assert amounts[0] == 0
    assert all(isinstance(found, Fraction) for found in amounts), "exact, or a bound"
    assert all(a <= b for a, b in pairwise(amounts))
    assert amounts[-1] > amounts[3] > 0
    with pytest.raises(PlanError):
        case.mechanism.privacy_map(-1)


@each
def test_what_comes_out_keeps_the_loss(case: Case) -> None:
    """Exactly, for all pairs of values: a loss that is rounded is rounded up."""
    found = {place: case.distribution(value) for place, value in enumerate(case.values)}
    worst = Fraction(0)
    for (i, a), (j, b) in product(enumerate(case.values), repeat=2):
        loss = case.mechanism.privacy_map(case.distance(a, b))
        if isinstance(loss, Pure):
            assert oracle.keeps_pure(found[i], found[j], loss.epsilon), (a, b)
        else:
            for order in (2, 3, 8):
                assert oracle.renyi(found[i], found[j], order) <= order * loss.rho * (1 + 1e-9)
        worst = max(worst, amount(loss))
    half = Pure(epsilon=worst * Fraction(2, 5)), ZeroConcentrated(rho=worst * Fraction(2, 5))
    assert not all(
        oracle.keeps_pure(p, q, half[0].epsilon)
        if case.mechanism.measure is Pure
        else oracle.renyi(p, q, 2) <= 2 * half[1].rho
        for p, q in product(found.values(), repeat=2)
    ), "the claim is not far too large"


@each
def test_every_outcome_is_possible_whatever_the_value(case: Case) -> None:
    supports = [{y for y, p in case.distribution(v).items() if p > 0} for v in case.values]
    assert all(support == supports[0] for support in supports)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Samplers that draw nothing and say who called them."""
    called: list[str] = []

    def fake(name: str) -> Any:
        def draw(*given: Any, **more: Any) -> Any:
            called.append(name)
            if name in ("discrete_laplace", "discrete_gaussian"):
                return np.asarray(given[0]) + 3
            return 1 if name == "gumbel" else (1, 0)

        return draw

    for name in DRAWN:
        monkeypatch.setattr(samplers, name, fake(name))
    return called


@each
def test_it_draws_from_the_samplers_it_names_and_nowhere_else(
    case: Case, played: list[str]
) -> None:
    assert set(case.mechanism.samplers) <= set(DRAWN)
    for value in case.values:
        assert case.mechanism.release(value) == case.mechanism.release(value)
    assert set(played) == set(case.mechanism.samplers)


def test_noise_is_read_back_by_name() -> None:
    for name in ("discrete Laplace", "discrete Gaussian"):
        mechanism = read_noise({"distribution": name, "scale": "2.5"})
        assert type(mechanism) is MECHANISMS[name]
        assert mechanism.scale == Fraction(5, 2)
    with pytest.raises(PlanError, match="there is no mechanism 'discrete Laplac'"):
        read_noise({"distribution": "discrete Laplac", "scale": "2.5"})


FAR = '''
"""Twice the noise: a mechanism as another package would add it, and its oracle."""

from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import L1, DiscreteLaplace


class Doubled:
    """Whole numbers plus discrete Laplace noise of twice the scale.

    Guarantee: pure differential privacy, epsilon = d_in / (2 scale).
    Assumes: as discrete Laplace.
    Reference: none.
    """

    name = "doubled Laplace"
    metric = L1
    measure = Pure
    samplers = ("discrete_laplace",)

    def __init__(self, *, scale):
        self.noise = DiscreteLaplace(scale=2 * scale)

    def privacy_map(self, d_in):
        return self.noise.privacy_map(d_in)

    def release(self, value):
        return self.noise.release(value)


def pytest_configure():
    from contracts.mechanism_cases import CASES, WINDOW, Case, _apart
    from noise import oracle

    made = Doubled(scale=1)
    CASES["doubled Laplace"] = [
        Case(made, range(3), _apart, lambda v: oracle.laplace(v, made.noise.scale, WINDOW))
    ]
'''


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("packages") / "far"
    return Installed(folder, FAR, {"hedgerow.mechanisms": "Doubled"})


def test_a_package_adds_one(far: Installed, tmp_path: Path) -> None:
    script = (
        "from hedgerow.noise.catalogue import MECHANISMS\n"
        "made = MECHANISMS.find('doubled Laplace')(scale=1)\n"
        "print(list(MECHANISMS)[-1], made.privacy_map(1), type(made.release(3)).__name__, sep='; ')"
    )
    told = far.run("-c", script, cwd=tmp_path).strip()
    assert told == "doubled Laplace; 0.5-differential privacy; int"


def test_the_suite_tries_what_a_package_adds(far: Installed) -> None:
    far.passes("tests/contracts/test_mechanisms.py", "doubled", least=6, plugins=["far"])
