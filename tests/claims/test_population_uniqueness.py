"""Population uniqueness: each estimator against slow sums in high precision, and the claim."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, inf
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow.base.errors import PlanError
from hedgerow.claims import PopulationUniqueness
from hedgerow.claims.population import log_linear as log_linear_model
from hedgerow.claims.population.decision import ESTIMATORS, dankar
from hedgerow.claims.population.estimate import Estimate, UndefinedEstimateError
from hedgerow.claims.population.moment_bound import moment_bound
from hedgerow.claims.population.negative_binomial import (
    expected_counts,
    population_groups,
    slide_negative_binomial,
    solved,
)
from hedgerow.claims.population.overview import right_match
from hedgerow.claims.population.pitman import (
    expected_alone,
    fitted,
    gradient,
    log_likelihood,
    pitman,
)
from hedgerow.claims.population.size_counts import SizeCounts
from hedgerow.claims.population.zayatz import seen_once, zayatz
from hedgerow.plan.plan import Plan
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.release.partition import recoding_choice
from hedgerow.release.partition.check import checked
from hedgerow.table.groups import Groups

SIZES = [1] * 40 + [2] * 14 + [3] * 7 + [4] * 4 + [5] * 3 + [8, 9, 13, 13, 20]
"""A sample on which every model has an estimate, with a sampling fraction of 2/5."""


def sample(sizes: list[int] = SIZES, fraction: float = 0.4, absent: int = 0) -> SizeCounts:
    return SizeCounts.of(np.array(sizes), fraction=fraction, absent=absent)


def expected(sizes: list[int], fraction: Fraction, i: int) -> Fraction:
    """Sample groups of i people that are expected of population groups of these sizes."""
    p = fraction
    return sum((comb(j, i) * p**i * (1 - p) ** (j - i) for j in sizes if j >= i), Fraction(0))


def of_counts(counts: dict[int, float], fraction: float) -> SizeCounts:
    """Sizes with counts that need not be whole."""
    sizes = sorted({1, 2, 3, *counts})
    return SizeCounts(
        np.array(sizes, float), np.array([counts.get(j, 0.0) for j in sizes]), fraction
    )


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12).filter(lambda f: 1 in f))
@settings(max_examples=60, deadline=None)
def test_zayatz_is_bayes_rule_with_hypergeometric_chances(sizes: list[int]) -> None:
    n, people = sum(sizes), 2 * sum(sizes)
    once = [Fraction(j * comb(people - j, n - 1), comb(people, n)) for j in sizes]
    ones = sizes.count(1)
    right = ones * ones * once[sizes.index(1)] / sum(once)
    assert zayatz(sample(sizes, 0.5)).uniques == pytest.approx(float(right), rel=1e-9)


def test_pitmans_likelihood_is_the_product_of_its_formula() -> None:
    """Differences of log-likelihoods are those of the products, factor by factor."""
    sizes = [1, 1, 1, 2, 2, 4]

    def direct(theta: str, alpha: str) -> mpmath.mpf:
        t, a = mpmath.mpf(theta), mpmath.mpf(alpha)
        found = mpmath.fprod(t + i * a for i in range(1, len(sizes)))
        found /= mpmath.fprod(t + i for i in range(1, sum(sizes)))
        for size in sizes:
            found *= mpmath.fprod(i - a for i in range(1, size))
        return mpmath.log(found)

    with mpmath.workdps(40):
        seen = sample(sizes)
        ours = log_likelihood(seen, 3.0, 0.25) - log_likelihood(seen, 0.5, 0.75)
        assert ours == pytest.approx(float(direct("3", ".25") - direct("0.5", ".75")), rel=1e-12)
        for place, step in ((0, (1e-12, 0)), (1, (0, 1e-12))):
            up = direct(str(3 + step[0]), str(mpmath.mpf("0.25") + step[1]))
            slope = (up - direct("3", ".25")) / (step[0] or step[1])
            assert gradient(seen, 3.0, 0.25)[place] == pytest.approx(float(slope), rel=1e-4)


def test_pitmans_fit_is_the_maximum() -> None:
    theta, alpha = fitted(sample())
    assert np.abs(gradient(sample(), theta, alpha)).max() < 1e-8
    best = log_likelihood(sample(), theta, alpha)
    for t, a in product(np.linspace(0.5, 60, 40), np.linspace(0.02, 0.95, 40)):
        assert log_likelihood(sample(), t, a) <= best + 1e-9


def test_pitmans_expected_uniques_are_those_of_its_urn() -> None:
    """Person after person: with i alone of n, the next is new with (theta + u alpha)/(theta + n)"""
    theta, alpha, people = mpmath.mpf(2), mpmath.mpf(1) / 4, 30
    # The chance that a given person stays alone: they are new, and everybody later goes elsewhere.
    # All people are alike, so the first one's chance is everybody's.
    first = mpmath.fprod((theta + n - 1 + alpha) / (theta + n) for n in range(1, people))
    assert expected_alone(2.0, 0.25, people) == pytest.approx(float(people * first), rel=1e-12)


def test_slide_negative_binomial_counts_are_sums_over_the_population() -> None:
    with mpmath.workdps(40):
        a, b, p, k = mpmath.mpf("0.7"), mpmath.mpf("0.2"), mpmath.mpf("0.3"), 1000
        for i, ours in zip((1, 2), expected_counts(1000, 0.7, 0.2, 0.3), strict=True):
            right = mpmath.nsum(
                lambda x, i=i: k
                * mpmath.gamma(a + x) / mpmath.gamma(a) / mpmath.factorial(x)
                * b**a * (1 - b) ** x
                * mpmath.binomial(x + 1, i) * p**i * (1 - p) ** (x + 1 - i),
                [i - 1, mpmath.inf],
            )  # fmt: skip
            assert ours == pytest.approx(float(right), rel=1e-10)


@given(alpha=st.floats(0.05, 5), beta=st.floats(0.02, 0.95), p=st.floats(0.05, 0.8))
@settings(max_examples=60, deadline=None)
def test_slide_negative_binomial_is_solved(alpha: float, beta: float, p: float) -> None:
    ones, twos = expected_counts(1000, alpha, beta, p)
    assume(ones < 1000 * p * (1 - 1e-6))
    found = expected_counts(1000, *solved(1000, ones, twos, p), p)
    assert found == pytest.approx((ones, twos), rel=1e-7)


def test_shlossers_estimate_is_its_sums() -> None:
    p, counts = Fraction(2, 5), {j: SIZES.count(j) for j in set(SIZES)}
    rare = sum(j * p**2 * (1 - p**2) ** (j - 1) * f for j, f in counts.items())
    seen = sum((1 - p) ** j * ((1 + p) ** j - 1) * f for j, f in counts.items())
    unseen = sum((1 - p) ** j * f for j, f in counts.items())
    once = sum(j * p * (1 - p) ** (j - 1) * f for j, f in counts.items())
    right = len(SIZES) + counts[1] * rare / seen * (unseen / once) ** 2
    assert population_groups(sample())[0] == pytest.approx(float(right), rel=1e-12)


@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=20),
    st.sampled_from([Fraction(1, 100), Fraction(1, 10), Fraction(1, 3), Fraction(9, 10)]),
)
@settings(max_examples=200, deadline=None)
def test_no_population_has_more_uniques_than_the_bound(sizes: list[int], p: Fraction) -> None:
    """The inequality itself, in exact arithmetic, for expectations over samples."""
    f1, f2, f3 = (expected(sizes, p, i) for i in (1, 2, 3))
    r = (1 - p) / p
    below = f2 + 3 * r * f3
    bound = f1 - (2 * r * f2 * f2 / below if below else 0)
    assert sizes.count(1) * p <= bound
    if len(set(sizes) - {1}) <= 1:
        assert sizes.count(1) * p == bound  # groups of one other size: nothing is lost


def test_chance_does_not_lower_the_bound() -> None:
    """Its expectation over Poisson numbers of groups is no less than at their means."""
    with mpmath.workdps(25):
        for f2, f3, p in ((0.5, 0.2, 0.1), (3, 2, 0.3), (8, 1, 0.5), (6, 9, 0.05)):
            r = (1 - p) / p
            mean = sum(
                mpmath.exp(-f2 - f3) * mpmath.mpf(f2) ** a / mpmath.factorial(a)
                * mpmath.mpf(f3) ** b / mpmath.factorial(b)
                * (2 * r * a * (a - 1) / (a + 3 * r * (b + 1)) if a > 1 else 0)
                for a in range(60) for b in range(60)
            )  # fmt: skip
            assert mean <= 2 * r * f2**2 / (f2 + 3 * r * f3)


def test_the_bound_is_what_its_page_says() -> None:
    r, f1, f2, f3 = 1.5, 40, 14, 7
    right = f1 - 2 * r * f2 * (f2 - 1) / (f2 + 3 * r * (f3 + 1))
    assert moment_bound(sample()).uniques == pytest.approx(right, rel=1e-12)


def moved(place: int, by: float) -> SizeCounts:
    """The sample with a little of a group more."""
    seen = sample()
    counts = seen.counts.copy()
    counts[place] += by
    return SizeCounts(seen.sizes, counts, seen.fraction)


def by_pitman(seen: SizeCounts) -> float:
    """The population is as large as it is, whoever is in the sample."""
    return expected_alone(*fitted(seen), sample().population) * 0.4


def by_zayatz(seen: SizeCounts) -> float:
    once = seen_once(sample())
    return float(seen.uniques**2 * once[0] / (once @ seen.counts))


@pytest.mark.parametrize(
    ("model", "value"),
    [
        (zayatz, by_zayatz),
        (pitman, by_pitman),
        (slide_negative_binomial, lambda seen: slide_negative_binomial(seen).uniques),
        (moment_bound, lambda seen: moment_bound(seen).uniques),
    ],
)
def test_influence_is_what_one_more_group_adds(
    model: Callable[[SizeCounts], Estimate],
    value: Callable[[SizeCounts], float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Against differences of estimates."""
    kept = []
    module = sys.modules[model.__module__]
    right = module.bounded

    def caught(name: str, seen: SizeCounts, uniques: float, influence: Any, **more: float):
        kept.append(influence)
        return right(name, seen, uniques, influence, **more)

    monkeypatch.setattr(module, "bounded", caught)
    model(sample())
    influence = kept[0]
    # A whole group more and a little of one differ where the likelihood bends.
    near = 0.15 if model is pitman else 1e-3
    for place in range(6):
        slope = (value(moved(place, 1e-4)) - value(moved(place, -1e-4))) / 2e-4
        assert influence[place] == pytest.approx(slope, rel=near, abs=near / 10)


@pytest.mark.parametrize("model", list(ESTIMATORS))
def test_the_upper_end_is_between_the_estimate_and_everybody_alone(model: str) -> None:
    found = ESTIMATORS[model](sample())
    assert 0 < found.uniques < found.upper <= 40
    assert ESTIMATORS[model](sample([2, 2, 3])).upper == 0


def test_models_refuse_samples_they_do_not_fit() -> None:
    with pytest.raises(UndefinedEstimateError, match="everybody is alone"):
        pitman(sample([1, 1, 1]))
    with pytest.raises(UndefinedEstimateError, match="at the edge"):
        pitman(sample([1] + [7] * 30))
    with pytest.raises(UndefinedEstimateError, match="no group has two people"):
        slide_negative_binomial(sample([1, 1, 3]))
    with pytest.raises(UndefinedEstimateError):
        slide_negative_binomial(sample([1] * 50 + [2]))


def test_the_rule_of_dankar() -> None:
    assert dankar(sample(fraction=0.1)).model == "pitman"
    assert dankar(sample([1] + [7] * 30, 0.1)).model == "zayatz"
    assert dankar(sample([1, 1, 3], 0.5)).model == "zayatz"
    both = zayatz(sample()).uniques, slide_negative_binomial(sample()).uniques
    assert dankar(sample()).uniques == min(both)
    other = sample([1] * 30 + [2] * 20 + [3] * 10 + [4] * 5, 0.6)
    both = zayatz(other).uniques, slide_negative_binomial(other).uniques
    assert dankar(other).uniques == min(both)


# The claim.


def claim(at_most: float, model: str = "bound", fraction: float = 0.4) -> PopulationUniqueness:
    return PopulationUniqueness(at_most=at_most, fraction=fraction, estimator=model)


def test_the_level_is_the_upper_end_over_the_published_people() -> None:
    groups = Groups.of(SIZES)
    for model in ESTIMATORS:
        upper = ESTIMATORS[model](sample()).upper
        assert claim(0.1, model).check(groups).level == pytest.approx(upper / sum(SIZES))
    groups = Groups.of(SIZES * 20)
    level = claim(0.1).check(groups).level
    assert level < 40 / sum(SIZES)
    assert claim(level * 1.001).check(groups).holds
    assert not claim(level * 0.999).check(groups).holds
    assert not claim(level).check(groups).holds, "what is rounded is rounded against us"


def test_without_an_estimate_nothing_holds() -> None:
    groups = Groups.of([1, 1, 3])
    verdict = claim(0.9, "slide-negative-binomial").check(groups)
    assert (verdict.holds, verdict.level) == (False, inf)
    assert claim(0.9).check(groups).holds
    assert claim(0, "slide-negative-binomial").check(Groups.of([2, 3])).holds, "nobody is alone"


@given(st.lists(st.integers(1, 5), min_size=1, max_size=30), st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_suppressed_people_never_lower_the_level(sizes: list[int], gone: int) -> None:
    groups = Groups.of(sizes)
    before = claim(0.1).share(groups)
    after = claim(0.1).share(replace(groups, left_out=gone))
    assert after >= before - 1e-12
    assert after <= sizes.count(1) / sum(sizes) + 1e-12


def test_more_people_in_the_sample_can_raise_an_estimate() -> None:
    """Why nothing is declared monotone: coarser groups, and fewer, can look riskier."""
    model = claim(0.3, fraction=0.5)
    assert not model.monotone_in_generalisation
    assert not model.monotone_in_suppression
    fine = Groups.of([1] * 30 + [2] * 40 + [3] * 4 + [6] * 10)
    coarse = Groups.of([1] * 30 + [4] * 20 + [3] * 4 + [6] * 10)  # pairs of two become four
    assert coarse.people == fine.people
    assert model.share(coarse) > model.share(fine)
    level = (model.share(coarse) + model.share(fine)) / 2
    assert claim(level, fraction=0.5).check(fine).holds
    assert not claim(level, fraction=0.5).check(coarse).holds
    less = fine.take(np.flatnonzero(fine.n != 2))
    assert not claim(level, fraction=0.5).check(replace(less, left_out=80)).holds


@given(st.lists(st.integers(1, 3), min_size=2, max_size=9), st.integers(0, 6), st.integers(0, 10))
@settings(max_examples=150, deadline=None)
def test_its_relief_is_enough(sizes: list[int], room: int, tenths: int) -> None:
    """Where as many groups as it says are suppressed, the claim holds of the rest."""
    from hedgerow.recode.suppression import fewest

    model = claim(tenths / 10)
    groups = Groups.of(sizes)
    limits = SearchConstraints((model,), room)
    everything = np.ones(len(sizes), np.bool_)
    if limits.remains(groups, everything, 0):
        return
    found = fewest(limits, groups, everything, room)
    if found is None:
        return
    order = np.argsort(groups.n, kind="stable")
    kept = everything.copy()
    kept[order[: int((groups.n < found.size).sum()) + found.many]] = False
    assert limits.remains(groups, kept, 0)
    assert int(groups.n[~kept].sum()) <= room


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"at_most": 2, "fraction": 0.1}, "at_most must be"),
        ({"at_most": 0.1, "fraction": 0}, "fraction must be"),
        ({"at_most": 0.1, "fraction": 1}, "fraction must be"),
        ({"at_most": 0.1, "fraction": 0.1, "estimator": "poisson"}, "estimator must be one of"),
        ({"at_most": 0.1}, "needs the parameter 'fraction'"),
    ],
)
def test_parameters_that_make_no_claim(given: dict, what: str) -> None:
    with pytest.raises(PlanError, match=what):
        PopulationUniqueness(**given)


COLUMNS = {"age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 20]}},
           "sex": "quasi-identifier", "ill": "insensitive"}  # fmt: skip


def table():
    import pyarrow as pa

    draw = Random(7)
    return pa.table({
        "age": [str(18 + int(draw.expovariate(0.07))) for _ in range(300)],
        "sex": [draw.choice("fm") for _ in range(300)],
        "ill": [draw.choice(["flu", "gout"]) for _ in range(300)],
    })  # fmt: skip


def line(at_most: str = "2%", **more: object) -> list[dict]:
    return [{"population-uniqueness": {"at_most": at_most, "fraction": "10%", **more}}]


def test_a_release_says_that_it_is_an_estimate_and_is_verified(tmp_path) -> None:
    release = hedgerow.publish(
        table(), columns=COLUMNS, protect=line(), method={"suppress": "10%"}, to=tmp_path / "r"
    )
    told = release.certificate["protected"]
    for words in ("an estimated share of at most 0.02", "simple random sample of a share of 0.1",
                  "too low for one sample in 20", "what an estimate misses"):  # fmt: skip
        assert words in told
    (found,) = hedgerow.verify(tmp_path / "r").claims
    assert (found.verdict, found.level) == ("verified", release.claims[0].level)


def test_only_groups_of_the_population_are_estimated(tmp_path) -> None:
    for method in ({"search": "mondrian"}, {"search": "local"},
                   {"keep_suppressed": True, "suppress": "10%"}):  # fmt: skip
        with pytest.raises(PlanError, match=r"need `search: lattice`|cannot be kept with"):
            hedgerow.publish(table(), columns=COLUMNS, protect=line(), method=method,
                             to=tmp_path / "r")  # fmt: skip


@pytest.mark.parametrize("claim", ["population-uniqueness", "individual-risk"])
def test_a_certificate_of_other_groups_is_refuted(tmp_path, monkeypatch, claim: str) -> None:
    """As forged: made by a program that refuses nothing, so that all else in it is consistent."""
    monkeypatch.setattr(
        recoding_choice, "refuse_unsuited",
        lambda plan, *rest, people, absent: plan.method.may_suppress(people),
    )  # fmt: skip
    protect = [{"k-anonymity": 2}, {claim: {"at_most": "60%", "fraction": "10%"}}]
    for i, (method, groups) in enumerate((
        ({"search": "mondrian"}, "groups of a mondrian recoding"),
        ({"search": "local"}, "groups of a local recoding"),
        ({"search": "cells"}, "groups of a cells recoding"),
        ({"keep_suppressed": True, "suppress": "30%"}, "suppressed people are published"),
        ({"suppress": "30%"}, None),
    )):  # fmt: skip
        to = tmp_path / str(i)
        hedgerow.publish(table(), columns=COLUMNS, protect=protect, method=method, to=to)
        k, found = hedgerow.verify(to).claims
        assert k.verdict == "verified"
        assert found.verdict == ("verified" if groups is None else "refuted")
        assert (groups or "") in found.why


def test_a_file_without_a_certificate_cannot_be_verified(tmp_path) -> None:
    """Nobody says how many people were suppressed."""
    release = hedgerow.publish(table(), columns=COLUMNS, protect=line("20%"), to=tmp_path / "r")
    plan = Plan.of(columns=COLUMNS, protect=line("20%"))
    (found,) = hedgerow.verify(release.data, plan=plan).claims
    assert found.verdict == "not verifiable"
    assert "whether people were left out" in found.why


def test_check_and_the_internal_report_show_every_estimator(tmp_path) -> None:
    plan = Plan.of(columns=COLUMNS, protect=line("20%"))
    _, notes = checked(plan, table())
    (shares,) = [note for note in notes if note.startswith("Estimated share")]
    assert "simple random sample of 0.1" in shares
    assert all(name in shares for name in ESTIMATORS)
    assert any(note.startswith("A log-linear model") for note in notes)
    hedgerow.publish(table(), columns=COLUMNS, protect=line("20%"), to=tmp_path / "r", report=True)
    page = (tmp_path / "r.internal.html").read_text("utf-8")
    assert "Risk in the population" in page
    assert all(name in page for name in ESTIMATORS)
    assert "data intrusion simulation" in page
    assert "People of the source with the highest SUDA scores" in page
    assert "Special uniques" not in (tmp_path / "r" / "report.html").read_text("utf-8")
    assert "Risk in the population" not in (tmp_path / "r" / "report.html").read_text("utf-8")


def test_a_unique_match_is_right_as_often_as_in_the_population() -> None:
    """Data intrusion simulation, against everybody of a population, in expectation over samples."""
    sizes, p = [1] * 30 + [2] * 20 + [3] * 10 + [7] * 5, Fraction(1, 4)
    f1, f2 = (expected(sizes, p, i) for i in (1, 2))
    # People of the population whom exactly one record fits, and for whom it is their own.
    fitted_once = sum(j * comb(j, 1) * p * (1 - p) ** (j - 1) for j in sizes)
    own = sum(j * p * (1 - p) ** (j - 1) for j in sizes)
    seen = of_counts({1: float(f1), 2: float(f2)}, float(p))
    assert right_match(seen) == pytest.approx(float(own / fitted_once), rel=1e-12)


# The log-linear model.


def test_the_log_linear_fit_has_the_margins_of_the_sample() -> None:
    """Which, with no interaction of three columns, is what maximum likelihood asks."""
    draw = np.random.default_rng(2)
    seen = draw.poisson(4, (3, 4, 2)).astype(float) + 1
    means = log_linear_model.fitted(seen)
    assert means is not None
    for axis in range(3):
        assert means.sum(axis=axis) == pytest.approx(seen.sum(axis=axis), abs=0.1)
    log = np.log(means)
    for a, b in product(range(2), range(3)):
        four = log[a : a + 2, b : b + 2]
        odds = four[0, 0] - four[0, 1] - four[1, 0] + four[1, 1]
        assert odds[0] == pytest.approx(odds[1], abs=1e-9)


def test_the_log_linear_risk_is_the_mean_over_poisson_numbers() -> None:
    """Of one column the fit is the sample itself: a person alone has a mean of 1."""
    codes, n = np.arange(4, dtype=np.int32)[:, None], np.array([1, 1, 3, 5])
    found = log_linear_model.log_linear(codes, n, fraction=0.2)
    with mpmath.workdps(30):
        others = mpmath.mpf(4)
        right = mpmath.nsum(
            lambda x: mpmath.exp(-others) * others**x / mpmath.factorial(x) / (1 + x),
            [0, mpmath.inf],
        )
        assert found.unique == pytest.approx(float(2 * mpmath.exp(-others)), rel=1e-12)
        assert found.right == pytest.approx(float(2 * right), rel=1e-12)


def test_log_linear_models_are_right_where_pairs_say_all() -> None:
    """A population of three columns that depend on each other in pairs, a third of it sampled."""
    draw = np.random.default_rng(4)
    shape = (8, 7, 6)
    logs = sum(draw.normal(0, 0.9, [s if i in pair else 1 for i, s in enumerate(shape)])
               for pair in ((0, 1), (0, 2), (1, 2)))  # fmt: skip
    truth, said = np.zeros(2), np.zeros(2)
    for _ in range(30):
        sizes = draw.poisson(6 * np.exp(logs - 1)).ravel()
        seen = draw.binomial(sizes, 1 / 3)
        codes = np.stack(np.unravel_index(np.flatnonzero(seen), shape), axis=1).astype(np.int32)
        found = log_linear_model.log_linear(codes, seen[seen > 0], fraction=1 / 3)
        if found is None:
            continue
        alone = sizes[seen == 1]
        truth += [np.count_nonzero(alone == 1), (1 / alone).sum()]
        said += [found.unique, found.right]
    assert truth.all()
    assert np.abs(said / truth - 1).max() < 0.25


def test_log_linear_models_of_too_many_cells_are_not_fitted() -> None:
    codes = np.array([[i % 90, i % 89, i % 83] for i in range(9_000)], np.int32)
    assert log_linear_model.log_linear(codes, np.ones(9_000, np.int64), fraction=0.1) is None
