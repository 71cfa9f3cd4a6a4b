"""Individual risk: against integrals in high precision, a published example, and the claim."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from random import Random

import mpmath
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow.base.errors import DataError, PlanError
from hedgerow.claims import IndividualRisk, WeightedRisk
from hedgerow.claims.population.individual import (
    benedetti_franconi,
    bounded_risk,
    contradicted,
)
from hedgerow.plan.plan import Plan, PlanErrors
from hedgerow.table.groups import Groups, Histogram, Weights

FRANCONI = "benedetti-franconi"


def slow(n: int, weights: float) -> float:
    """The mean of 1 / F over F = n, n + 1, ..., term by term."""
    with mpmath.workdps(30):
        p = mpmath.mpf(n) / weights
        return float(mpmath.nsum(
            lambda h: mpmath.binomial(h - 1, n - 1) * p**n * (1 - p) ** (h - n) / h,
            [n, mpmath.inf],
        ))  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 20])
@pytest.mark.parametrize("times", [1.0001, 1.3, 1.9, 2.0, 2.1, 4, 10])
def test_the_model_is_a_negative_binomial(n: int, times: float) -> None:
    ours = benedetti_franconi(np.array([n]), np.array([n * times]))[0]
    assert ours == pytest.approx(slow(n, n * times), rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 5, 63, 64, 65, 500])
@pytest.mark.parametrize("times", [1, 1.5, 2, 3, 30, 1000, 10**6])
def test_the_model_is_a_hypergeometric_function(n: int, times: float) -> None:
    """As the mu-Argus manual has it: p^n / n 2F1(n, n; n + 1; 1 - p)."""
    with mpmath.workdps(60):
        p = 1 / mpmath.mpf(times)
        right = float(p**n / n * mpmath.hyp2f1(n, n, n + 1, 1 - p))
    ours = benedetti_franconi(np.array([n]), np.array([n * times], float))[0]
    assert ours == pytest.approx(right, rel=1e-11)


def test_groups_of_one_and_two_have_the_closed_forms_of_sdcmicro() -> None:
    """`indivRisk` (R/indivRisk.R), on the frequencies of its example `francdat`."""
    n = np.array([2, 2, 1, 1, 1, 1])
    weights = np.array([110, 84.5, 17, 541, 8, 5])
    p = n / weights
    odds, log = p / (1 - p), np.log(1 / p)
    right = np.where(n == 1, odds * log, odds - odds**2 * log)
    assert benedetti_franconi(n, weights) == pytest.approx(right, rel=1e-12)


@given(st.integers(1, 40), st.integers(1, 40), st.floats(1, 50), st.floats(1, 50))
@settings(max_examples=200, deadline=None)
def test_more_people_never_raise_the_models_risk(n: int, m: int, a: float, b: float) -> None:
    """Neither another group, nor a person more, whatever weight of at least 1 they have."""
    one, both, more = benedetti_franconi(
        np.array([n, n + m, n + 1]), np.array([n * a, n * a + m * b, n * a + b])
    )
    other = benedetti_franconi(np.array([m]), np.array([m * b]))[0]
    assert both <= max(one, other) * (1 + 1e-9)
    assert both <= one * (1 + 1e-9)
    assert more <= one * (1 + 1e-9)


def expected(sizes: list[int], p: Fraction, i: int) -> Fraction:
    return sum((comb(j, i) * p**i * (1 - p) ** (j - i) for j in sizes if j >= i), Fraction(0))


@given(
    st.lists(st.integers(1, 25), min_size=1, max_size=15),
    st.sampled_from([Fraction(1, 50), Fraction(1, 4), Fraction(4, 5)]),
    st.integers(1, 4),
)
@settings(max_examples=200, deadline=None)
def test_no_population_has_more_risk_than_the_bound(sizes: list[int], p: Fraction, k: int) -> None:
    """The inequality itself, in exact arithmetic, for expectations over samples."""
    right = sum(
        (comb(j, k) * p**k * (1 - p) ** (j - k) / Fraction(j) for j in sizes if j >= k),
        Fraction(0),
    )
    own, more, most = (expected(sizes, p, k + i) for i in range(3))
    r = (1 - p) / p
    below = (k + 1) * more + (k + 2) * r * most
    less = (k + 1) * r * more**2 / below if below else 0
    assert k * right <= own - less


def test_the_bound_is_never_above_one_over_the_size() -> None:
    n = np.array([1, 2, 5, 30, 4000])
    found = bounded_risk(n, np.full(5, 9.0), sizes=np.array([1, 2, 5, 30, 4000]), left_out=0)
    assert found == pytest.approx(1 / n)
    many = np.repeat([1, 2, 3, 4, 5], [400, 300, 250, 200, 180])
    few = bounded_risk(n[:2], np.full(2, 9.0), sizes=many, left_out=0)
    assert (few < [0.7, 0.4]).all()
    assert (bounded_risk(n[:2], np.full(2, 9.0), sizes=many, left_out=50) >= few).all()


def test_the_model_is_contradicted_by_too_many_who_are_alone() -> None:
    even = np.repeat([1, 2, 3, 4, 5], [600, 300, 200, 150, 120])  # 600 people in each
    assert not contradicted(np.array([1, 2, 3, 4]), sizes=even).any()
    sparse = np.repeat([1, 2, 3], [600, 200, 120])  # 600, 400 and 360 people
    assert contradicted(np.array([1, 2, 3]), sizes=sparse).tolist() == [True, False, True]
    model = IndividualRisk(at_most=0.5, fraction=0.1, estimator=FRANCONI)
    assert model.level(Groups.of(sparse.tolist())).max() == 1
    assert model.level(Groups.of(even.tolist())).max() == pytest.approx(0.2558, abs=1e-4)


# The claim.


def weighed(sizes: list[int], each: list[float]) -> Groups:
    """Groups of people who all have one weight."""
    domain = Weights(
        Weights.name_of("w"), tuple(map(str, each)), np.array(sizes), sum(sizes),
        millionths=np.array([int(w * 10**6) for w in each]),
    )  # fmt: skip
    h = Histogram(np.arange(len(sizes) + 1), np.arange(len(sizes), dtype=np.int32), np.array(sizes))
    return Groups(np.array(sizes), {domain.name: h}, {domain.name: domain})


def test_weights_of_one_over_the_fraction_are_the_fraction() -> None:
    sizes = [1] * 30 + [2] * 15 + [3] * 10 + [4] * 8 + [5] * 6 + [9, 12]
    groups = weighed(sizes, [10.0] * len(sizes))
    assert groups.n.tolist() == sizes
    for model in ("bound", FRANCONI):
        by_weight = WeightedRisk(at_most=0.5, weights="w", estimator=model)
        by_share = IndividualRisk(at_most=0.5, fraction=0.1, estimator=model)
        found = by_share.evened(groups.n, by_weight.level(groups))
        assert by_share.level(groups) == pytest.approx(found)


def test_heavier_people_are_harder_to_find() -> None:
    groups = weighed([1, 1, 2, 2, 2, 3, 3], [3.0, 300.0, 3.0, 30.0, 30.0, 9.0, 9.0])
    level = WeightedRisk(at_most=0.5, weights="w", estimator=FRANCONI).level(groups)
    assert level[0] > level[1]
    assert level[2] > level[3]


def test_suppressing_what_fails_leaves_the_rest_as_it_is() -> None:
    sizes = [1] * 300 + [2] * 160 + [3] * 90 + [4] * 70 + [6] * 50 + [9] * 20 + [30] * 5
    model = IndividualRisk(at_most=0.3, fraction=0.2)
    groups = Groups.of(sizes)
    level, kept = model.level(groups), model.holds(groups)
    assert 0 < kept.sum() < len(kept)
    assert (groups.n[kept].min() > groups.n[~kept]).all(), "smaller groups fail first"
    assert (np.diff(level[np.argsort(groups.n, kind="stable")]) <= 1e-12).all()
    assert model.level(groups.take(np.flatnonzero(kept))) == pytest.approx(level[kept])


def test_nothing_is_declared_monotone() -> None:
    """Another group can change what is estimated of all, so a union of two may fail."""
    model = IndividualRisk(at_most=0.3, fraction=0.2)
    assert not model.monotone_in_generalisation
    assert not model.monotone_in_suppression
    assert model.beyond_groups
    sizes = [2] * 100 + [3] * 90 + [4] * 80
    before = Groups.of(sizes)
    level = model.level(before)[0]
    fewer = before.take(np.flatnonzero(before.n != 3))
    coarser = Groups.of([2] * 100 + [6] * 45 + [4] * 80)
    for after in (fewer, coarser):
        assert model.level(after)[0] > level
        asked = IndividualRisk(at_most=float(level) * 1.01, fraction=0.2)
        assert asked.holds(before)[0]
        assert not asked.holds(after)[0]


def test_large_groups_need_no_estimate() -> None:
    model = IndividualRisk(at_most=0.1, fraction=0.5)
    assert model.holds(Groups.of([10, 11, 9])).tolist() == [True, True, False]


COLUMNS = {"age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 40]}},
           "sex": "quasi-identifier", "w": "identifier"}  # fmt: skip


def table(*weights: str | None):
    draw = Random(11)
    return pa.table({
        "age": [str(20 + draw.randrange(40)) for _ in range(200)],
        "sex": [draw.choice("fm") for _ in range(200)],
        "w": [weights[i % len(weights)] for i in range(200)],
    })  # fmt: skip


def published(tmp_path, given: tuple[str | None, ...], role: str = "identifier", **more):
    said = {"at_most": "20%", "weights": "w", **more}
    return hedgerow.publish(
        table(*given), columns=COLUMNS | {"w": role}, protect=[{"individual-risk": said}],
        to=tmp_path / "r", report=True,
    )  # fmt: skip


def test_weights_are_added_up_and_said(tmp_path) -> None:
    release = published(tmp_path, ("8", "12.5", " 9.25 "))
    assert any("add up to 1,984 people of the population for 200" in n for n in release.notes)
    (found,) = hedgerow.verify(tmp_path / "r").claims
    assert (found.verdict, found.why) == ("not verifiable", "it depends on survey weights")
    assert "w" not in release.to_arrow().column_names
    assert "random sample whose weights 'w'" in release.certificate["protected"]
    page = (tmp_path / "r.internal.html").read_text("utf-8")
    assert "by the mean of the survey weights in &#39;w&#39;" in page


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        (("8", "0.5"), "survey weight 0.5 is not from 1"),
        (("8", "-3"), "survey weight -3 is not from 1"),
        (("8", "many"), "'many' is no survey weight"),
        (("8", "inf"), "'inf' is no survey weight"),
        (("8", None), "somebody has no survey weight"),
    ],
)
def test_what_is_no_weight(tmp_path, weights: tuple[str | None, ...], what: str) -> None:
    with pytest.raises(DataError, match=what) as caught:
        published(tmp_path, weights)
    assert caught.value.fix
    assert caught.value.where == "column 'w'"


def test_weights_that_are_generalised_cannot_be_added_up(tmp_path) -> None:
    with pytest.raises(PlanErrors, match="generalises them") as caught:
        published(tmp_path, ("8",), role="quasi-identifier")
    assert "identifier" in str(caught.value)
    with pytest.raises(PlanErrors, match="no column 'v' of survey weights"):
        published(tmp_path, ("8",), weights="v")
    assert published(tmp_path, ("8", "9"), role="insensitive").claims[0].holds


def test_a_plan_says_the_fraction_or_the_weights() -> None:
    for said in ({"at_most": 0.1}, {"at_most": 0.1, "fraction": 0.1, "weights": "w"}):
        with pytest.raises(PlanErrors, match="`fraction` "):
            Plan.of(columns=COLUMNS, protect=[{"individual-risk": said}])
    with pytest.raises(PlanError, match="fraction must be"):
        IndividualRisk(at_most=0.1, fraction=1.5)
