"""No seed, no repeat, one place; the same lattice whatever the value; what is replayed in tests."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from noise.tape import DivergedError, recording, replaying
from work import growth

import hedgerow.noise
from hedgerow.attacks.floating_point import identifies
from hedgerow.base.errors import PlanError
from hedgerow.noise import samplers
from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace, DyadicLaplace
from hedgerow.noise.selection import Exponential, NoisyMax

MODULES = [
    importlib.import_module(f"hedgerow.noise.{found.name}")
    for found in pkgutil.iter_modules(hedgerow.noise.__path__)
]


def test_nothing_takes_a_seed() -> None:
    looked_at = 0
    for module in MODULES:
        for _, thing in inspect.getmembers(module):
            if getattr(thing, "__module__", None) != module.__name__:
                continue
            inside = [f for _, f in inspect.getmembers(thing, inspect.isfunction)]
            for function in [thing, *inside] if inspect.isclass(thing) else [thing]:
                if callable(function):
                    looked_at += 1
                    names = set(inspect.signature(function).parameters)
                    assert not names & {"seed", "rng", "random_state", "generator", "random"}
    assert looked_at > 60


def test_only_one_module_draws_and_only_one_accounts() -> None:
    allowed = {
        "opendp": {"hedgerow.noise.samplers"},
        "dp_accounting": {"hedgerow.noise.accounting"},
    }
    for library, homes in allowed.items():
        using = {m.__name__ for m in MODULES if f"{library}" in inspect.getsource(m)}
        assert using == homes


def test_loading_the_package_loads_no_library() -> None:
    code = (
        "import sys, pkgutil, importlib, hedgerow.noise as d\n"
        "for m in pkgutil.iter_modules(d.__path__):\n"
        "    importlib.import_module('hedgerow.noise.' + m.name)\n"
        "print([n for n in ('opendp', 'dp_accounting', 'sqlite3', 'cryptography', 'polars',"
        " 'scipy', 'pydantic') if n in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_scales_reach_the_sampler_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[float] = []
    monkeypatch.setattr(samplers, "_add", lambda kind, values, scale: met.append(scale) or values)
    third = Fraction(1, 3)
    samplers.discrete_laplace(np.zeros(1, np.int64), scale=third)
    samplers.discrete_gaussian(np.zeros(1, np.int64), scale=third)
    assert all(Fraction(scale) >= third for scale in met)
    assert len(met) == 2
    for scale in (Fraction(0), Fraction(-1)):
        with pytest.raises(PlanError):
            samplers.discrete_laplace(np.zeros(1, np.int64), scale=scale)
    for probability in (0.0, -0.1, 0.51, 1.0, float("nan"), 1e-320):
        with pytest.raises(PlanError):
            samplers.bernoulli(3, probability=probability)


def test_sums_beyond_the_largest_are_held_and_do_not_wrap() -> None:
    ends = np.array([2**63 - 1, -(2**63)])
    for mechanism in (DiscreteLaplace(scale=2**40), DiscreteGaussian(scale=2**40)):
        for _ in range(20):
            high, low = mechanism.release(ends).tolist()
            assert high > 2**62
            assert low < -(2**62)


def test_whole_vectors_of_no_length() -> None:
    nothing = np.zeros(0, np.int64)
    assert len(samplers.discrete_laplace(nothing, scale=Fraction(1))) == 0
    assert len(samplers.bernoulli(0, probability=0.5)) == 0
    assert len(samplers.uniform(0, below=3)) == 0


# Floating point.


@pytest.mark.parametrize("bits", [0, 3, 20, -2])
def test_the_support_is_the_same_for_zero_and_one(bits: int) -> None:
    mechanism = DyadicLaplace(scale="0.7", bits=bits, changed=1)
    for value in (0.0, 1.0, -0.0, 0.1, 1 / 3, 2.0**50, 5e-324):
        out = mechanism.release(np.full(500, value))
        steps = np.ldexp(out, bits)
        assert (steps == np.rint(steps)).all()
        assert not (np.signbit(out) & (out == 0)).any(), "one spelling of zero"


def test_small_supports_are_reached_from_both_values() -> None:
    """With so much noise on so few steps every likely answer comes from both.

    The rarest of them has a chance of 1 in 250, and is missed by 20,000 draws once in 10^34 runs.
    """
    mechanism = DyadicLaplace(scale=1, bits=1, changed=1)
    zero, one = (set(mechanism.release(np.full(20_000, v)).tolist()) for v in (0.0, 1.0))
    likely = {x / 2 for x in range(-6, 9)}
    assert likely <= zero
    assert likely <= one


def test_the_floating_point_attack_gains_nothing() -> None:
    mechanism = DyadicLaplace(scale=1, bits=10, changed=1)
    truth = np.tile([0.0, 1.0], 2_000)
    outputs = mechanism.release(truth)
    told = identifies(
        outputs, candidates=[0, 1], truth=truth, noise="lattice", granularity=2.0**-10
    )
    assert told.gain == 0.0
    assert told.detail["identified"] == 0
    assert told.detail["from_nowhere"] == 0
    # The attack on noise made of logarithms knows nothing for certain here: it names wrong values,
    # and gains less than whoever names the nearer value, which epsilon allows for.
    # All three numbers are more than ten deviations from what is asserted of them.
    told = identifies(outputs, candidates=[0, 1], truth=truth, scale=1.0)
    nearer = float(((outputs > 0.5) == truth.astype(bool)).mean()) - 0.5
    assert told.detail["wrong"] > 100
    assert told.gain < nearer
    assert nearer < np.tanh(0.5) / 2 + 0.05
    # The same attack on careless noise names most values.
    rng = np.random.default_rng(1)
    careless = truth + np.where(rng.random(4_000) < 0.5, 1, -1) * np.log(rng.random(4_000))
    assert identifies(careless, candidates=[0, 1], truth=truth, scale=1.0).gain > 0.3


# The same randomness twice.


def test_a_tape_plays_the_same_noise_to_a_neighbour() -> None:
    laplace, fine = DiscreteLaplace(scale=9), DyadicLaplace(scale=9, bits=2, changed=1)
    with recording() as tape:
        first = laplace.release([5, 5]), fine.release(0.5)
    with replaying(tape):
        second = laplace.release([5, 6]), fine.release(0.75)
    assert (second[0] - first[0]).tolist() == [0, 1]
    assert second[1] - first[1] == 0.25


def test_a_tape_plays_choices_and_answers() -> None:
    choice, best = Exponential(scale=9), NoisyMax(scale=9, top=2)
    with recording() as tape:
        first = choice.release([1, 2]), best.release([1, 2, 3])
    with replaying(tape):
        second = choice.release([1, 3]), best.release([1, 2, 4])
    assert first == second


def test_a_neighbour_that_draws_otherwise_is_found() -> None:
    with recording() as tape:
        DiscreteLaplace(scale=9).release([1, 2])
    for otherwise in (
        lambda: DiscreteLaplace(scale=9).release([1, 2, 3]),
        lambda: DiscreteLaplace(scale=8).release([1, 2]),
        lambda: DiscreteGaussian(scale=9).release([1, 2]),
        lambda: None,
    ):
        with pytest.raises(DivergedError), replaying(tape):
            otherwise()


def test_the_package_knows_no_tape() -> None:
    for module in MODULES:
        source = inspect.getsource(module)
        for word in ("replay", "recording", "ContextVar", "global "):
            assert word not in source.replace("can be told to repeat itself", ""), module


def test_a_vector_is_one_call_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it is: `python -m bench` says what the noise itself costs."""
    drawn, adding = [], samplers._adding
    release = DiscreteLaplace(scale=10).release

    def noted(kind: str, scale: float) -> Any:
        mechanism = adding(kind, scale)

        def counted(values: Any) -> Any:
            drawn.append(len(values))
            return mechanism(values)

        return counted

    monkeypatch.setattr(samplers, "_adding", noted)
    release(np.arange(100_000))
    assert drawn == [100_000]
    assert growth(lambda n: release(np.arange(n)), 10, 100_000) < 1.5
