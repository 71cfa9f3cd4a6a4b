"""Estimates of population risk on samples whose population is known: who keeps what is promised.

Samples have seeds: these are simulations, not noise that protects anybody. Each bound on a number
of misses is exceeded with a chance below `FALSE_ALARM` if the interval is right.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from bench.population_estimates import samples
from hedgerow.claims.population.estimate import FALSE_ALARM as MISSED
from hedgerow.claims.population.estimate import UndefinedEstimateError
from hedgerow.claims.population.individual import benedetti_franconi, bounded_risk
from hedgerow.claims.population.moment_bound import moment_bound
from hedgerow.claims.population.negative_binomial import slide_negative_binomial
from hedgerow.claims.population.pitman import pitman
from hedgerow.claims.population.size_counts import SizeCounts
from hedgerow.claims.population.zayatz import zayatz

FALSE_ALARM = 1e-6
RUNS = 60
MOST_MISSES = int(binom.isf(FALSE_ALARM, RUNS, MISSED))
SEED = 5


def _of_pitman(theta: float, alpha: float, people: int, draw: np.random.Generator) -> np.ndarray:
    """A population of the model: person after person joins a group or begins one."""
    groups: list[int] = []
    member: list[int] = []
    for n in range(people):
        if draw.random() * (theta + n) < theta + alpha * len(groups):
            member.append(len(groups))
            groups.append(1)
            continue
        # A group with chances in proportion to its size less alpha, by rejection.
        while True:
            g = member[int(draw.integers(n))]
            if draw.random() * groups[g] >= alpha:
                break
        member.append(g)
        groups[g] += 1
    return np.array(groups)


def _populations() -> dict[str, np.ndarray]:
    draw = np.random.default_rng(SEED)
    made = {
        "geometric": draw.geometric(0.3, 3_000),
        "zipf": np.maximum(1, (3_000 / np.arange(1, 5_001)).astype(np.int64)),
        "log-normal": draw.poisson(np.exp(draw.normal(0, 2, 6_000))),
        "equal": draw.poisson(3, 4_000),
        "pairs": np.repeat([1, 2], [500, 3_000]),
        "ones and hundreds": np.repeat([1, 100], [800, 80]),
        "pitman": _of_pitman(20.0, 0.4, 12_000, draw),
    }
    return {name: sizes[sizes > 0] for name, sizes in made.items()}


POPULATIONS = _populations()


def _misses(sizes: np.ndarray, fraction: float, estimator) -> tuple[int, int, float]:
    """How often the upper end is below the truth, of how many; and the mean error, relatively."""
    draw, missed, asked, off, whole = np.random.default_rng(SEED), 0, 0, 0.0, 0.0
    for seen in samples(sizes, fraction, RUNS, draw):
        truth = int(np.count_nonzero((seen == 1) & (sizes == 1)))
        try:
            found = estimator(SizeCounts.of(seen, fraction=fraction))
        except UndefinedEstimateError:
            continue
        asked += 1
        missed += found.upper < truth
        off, whole = off + found.uniques - truth, whole + truth
    return missed, asked, off / max(whole, 1)


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("fraction", [0.02, 0.1, 0.3, 0.6])
def test_the_bound_keeps_its_promise_in_every_population(name: str, fraction: float) -> None:
    missed, asked, off = _misses(POPULATIONS[name], fraction, moment_bound)
    assert asked == RUNS
    assert missed <= MOST_MISSES
    assert off >= -0.05, "on average it is no underestimate"


def test_a_bound_that_is_too_low_is_noticed() -> None:
    """Without the second moment, all who share a group would look as if they shared large ones."""

    def careless(sample: SizeCounts):
        right = moment_bound(sample)
        r = (1 - sample.fraction) / sample.fraction
        low = sample.uniques - 2 * r * sample.of_size(2)
        return type(right)("careless", low, low + (right.upper - right.uniques))

    missed, _, _ = _misses(POPULATIONS["geometric"], 0.3, careless)
    assert missed > MOST_MISSES


def test_pitman_is_right_where_its_model_is() -> None:
    for fraction in (0.05, 0.2):
        missed, asked, off = _misses(POPULATIONS["pitman"], fraction, pitman)
        assert asked > RUNS * 0.8
        assert missed <= MOST_MISSES
        assert abs(off) < 0.15


def test_slide_negative_binomial_is_right_where_its_model_is() -> None:
    """With success probability 0.3 and shape 1: sizes are geometric; half of them are sampled."""
    missed, asked, off = _misses(POPULATIONS["geometric"], 0.5, slide_negative_binomial)
    assert asked == RUNS
    assert abs(off) < 0.05
    assert missed <= 2 * MOST_MISSES, "Shlosser's number of groups is biased a little"


def test_models_are_wrong_where_theirs_is_not() -> None:
    """What the manual says of them: one in 20 is not what they keep."""
    for fraction, model in ((0.05, zayatz), (0.3, pitman)):
        missed, asked, off = _misses(POPULATIONS["ones and hundreds"], fraction, model)
        assert asked == RUNS
        assert missed > MOST_MISSES
        assert off < -0.4
    _, _, off = _misses(POPULATIONS["log-normal"], 0.1, pitman)
    assert off > 0.5
    _, _, off = _misses(POPULATIONS["geometric"], 0.1, zayatz)
    assert off > 2


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_bound_on_individual_risk_keeps_its_promise(name: str) -> None:
    sizes, fraction, draw = POPULATIONS[name], 0.2, np.random.default_rng(SEED)
    missed = dict.fromkeys((1, 2, 4), 0)
    for seen in samples(sizes, fraction, RUNS, draw):
        for k in missed:
            inside = (seen >= k) & (seen <= k + k // 4)
            if not (seen == k).any():
                continue
            truth = (1 / sizes[inside]).mean()
            odds = np.array([(1 - fraction) / fraction])
            found = bounded_risk(np.array([k]), odds, sizes=seen[seen > 0], left_out=0)
            missed[k] += found[0] < truth * (1 - 1e-12)
    assert max(missed.values()) <= MOST_MISSES


def test_the_model_of_individual_risk_is_too_low_for_sparse_tables() -> None:
    """As the manual says; in such a sample it is contradicted."""
    sizes, draw = POPULATIONS["ones and hundreds"], np.random.default_rng(SEED)
    (seen,) = samples(sizes, 0.05, 1, draw)
    truth = (1 / sizes[seen == 1]).mean()
    model = benedetti_franconi(np.array([1]), np.array([20.0]))[0]
    assert model < truth / 2
