"""Analyses against oracles that share no code: plain loops, NumPy's solver, scikit-learn, books."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.analyses import ANALYSES, Analysis, UncomputableError
from hedgerow.analyses.association import cramers_v
from hedgerow.analyses.classifier import _Features
from hedgerow.analyses.folds import FOLDS, dealt
from hedgerow.analyses.rows import AnalysisRows, Variable, number_of
from hedgerow.analyses.survival import kaplan_meier
from hedgerow.base.errors import DataError
from hedgerow.table.hierarchy import Hierarchy

AGES = [20, 21, 22, 23, 30, 31, 40, 41]
AGE = Hierarchy.of(
    "age",
    [(str(a), f"{a // 10 * 10}-{a // 10 * 10 + 9}", "*") for a in AGES],
    numbers=AGES,
)
JOB = Hierarchy.of("job", [("nurse", "health"), ("doctor", "health"), ("clerk", "office")])


def rows_of(table: dict[str, list[str | None]], hierarchies: dict[str, Hierarchy]) -> AnalysisRows:
    """One row a person, in the order given."""
    variables = {}
    for name, column in table.items():
        texts = list(dict.fromkeys(column))
        codes = np.array([texts.index(value) for value in column], np.int64)
        variables[name] = Variable.of(name, texts, codes, hierarchies.get(name))
    size = len(next(iter(table.values())))
    return AnalysisRows(variables, np.ones(size, np.int64), hierarchies)


def made(kind: str, **said: object) -> Analysis:
    return ANALYSES[kind].made(said)


H = {"age": AGE, "job": JOB}
covers = {str(a): [a] for a in AGES} | {
    "20-29": [20, 21, 22, 23], "30-39": [30, 31], "40-49": [40, 41], "*": AGES,
}  # fmt: skip
jobs = {"nurse": ["nurse"], "doctor": ["doctor"], "clerk": ["clerk"], "health": ["nurse", "doctor"],
        "office": ["clerk"]}  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    original=st.lists(st.tuples(st.sampled_from(AGES), st.sampled_from(["nurse", "doctor",
                                                                      "clerk"])), min_size=1),
    release=st.lists(st.tuples(st.sampled_from(sorted(covers)), st.sampled_from(sorted(jobs))),
                     min_size=1),
    level=st.integers(0, 1),
)  # fmt: skip
def test_counts_spread_a_value_over_what_it_covers(original, release, level) -> None:
    before = rows_of({"age": [str(a) for a, _ in original], "job": [j for _, j in original]}, H)
    after = rows_of({"age": [a for a, _ in release], "job": [j for _, j in release]}, H)
    analysis = made("counts", by=["age", "job"], levels={"age": level})

    def at(age: int) -> str:
        return str(age) if level == 0 else f"{age // 10 * 10}-{age // 10 * 10 + 9}"

    there = {at(a) for a, _ in original}, {j for _, j in original}
    expected: Counter[str] = Counter()
    for label, job in release:
        share = Fraction(1, len(covers[label]) * len(jobs[job]))
        for a in covers[label]:
            for j in jobs[job]:
                if at(a) in there[0] and j in there[1]:
                    expected[f"age={at(a)}, job={j}"] += share
    found = analysis.figures(after, before)
    assert set(found) == {f"age={a}, job={j}" for a in there[0] for j in there[1]}
    for name, value in found.items():
        assert value == pytest.approx(float(expected[name]), abs=1e-9)
    # Errors, by definition.
    truth = Counter(f"age={at(a)}, job={j}" for a, j in original)
    compared = analysis.compare(before, after)
    for number in compared.figures:
        scale = max(truth[number.name], len(original) / 100)
        off = abs(float(expected[number.name]) - truth[number.name]) / scale
        assert number.error == pytest.approx(off, abs=1e-9)
    assert compared.error == max(number.error for number in compared.figures)


def test_means_and_totals_by_hand() -> None:
    before = rows_of({"age": ["20", "22", "31", "40"], "job": ["nurse", "nurse", "clerk", None],
                      "pay": ["10", "20", "6", None]}, {"age": AGE})  # fmt: skip
    assert made("means", of="pay", by=["job"]).original(before) == {
        "job=nurse": 15.0, "job=clerk": 6.0,
    }  # fmt: skip
    assert made("totals", of="pay").original(before) == {"all": 36.0}
    after = rows_of({"age": ["20-29", "20-29", "30-39", "*"], "job": ["nurse"] * 4,
                     "pay": ["10", "20", "6", None]}, {"age": AGE})  # fmt: skip
    # 20-29 covers 20 to 23, so its middle is 21.5; 30-39 covers 30 and 31; * says nothing.
    found = made("means", of="age").compare(before, after)
    assert found.figures[0].original == pytest.approx((20 + 22 + 31 + 40) / 4)
    assert found.figures[0].release == pytest.approx((21.5 + 21.5 + 30.5) / 3)
    gone = made("means", of="pay", by=["job"]).compare(before, rows_of(
        {"job": ["nurse"], "pay": ["10"]}, {}))  # fmt: skip
    assert gone.error == math.inf, "a mean that the release does not tell"


def test_a_number_is_a_number_or_a_day() -> None:
    assert number_of("1970-02-01") == 31
    assert number_of("1969-12-31 10:00:00") == -1
    assert number_of("-2.5") == -2.5
    assert math.isnan(number_of("nan"))
    assert math.isnan(number_of(None))


def table(seed: int, n: int = 400) -> dict[str, list[str | None]]:
    random = np.random.default_rng(seed)
    age, sex = random.choice(AGES, n), random.choice(["F", "M"], n)
    dose = random.normal(0, 2, n).round(2)
    score = 3 + 0.2 * age - 1.5 * (sex == "M") + 0.7 * dose + random.normal(0, 1, n)
    ill = random.random(n) < 1 / (1 + np.exp(-(-3 + 0.08 * age + 0.9 * (sex == "M") - 0.3 * dose)))
    return {
        "age": [str(a) for a in age], "sex": sex.tolist(), "dose": [str(d) for d in dose],
        "score": [f"{s:.3f}" for s in score], "ill": ["yes" if i else "no" for i in ill],
    }  # fmt: skip


def matrix(columns: dict[str, list[str | None]]) -> np.ndarray:
    return np.column_stack([
        np.ones(len(columns["age"])), np.array(columns["age"], float),
        np.array(columns["sex"]) == "M", np.array(columns["dose"], float),
    ])  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_least_squares_is_that_of_numpy(seed: int) -> None:
    columns = table(seed)
    rows = rows_of(columns, {"age": AGE})
    x, y = matrix(columns), np.array(columns["score"], float)
    expected, *_ = np.linalg.lstsq(x, y, rcond=None)
    analysis = made("linear", formula="score ~ age + sex + dose")
    found = analysis.original(rows)
    assert list(found) == ["(intercept)", "age", "sex=M", "dose"]
    assert list(found.values()) == pytest.approx(expected.tolist(), rel=1e-8)
    # Standard errors from the QR decomposition.
    residual = y - x @ expected
    inverse = np.linalg.inv(np.linalg.qr(x)[1])
    errors = np.sqrt(residual @ residual / (len(y) - 4) * (inverse**2).sum(axis=1))
    scales = analysis.scales(rows, found)
    wanted = np.maximum(np.abs(expected), errors)
    assert list(scales.values()) == pytest.approx(wanted.tolist(), rel=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_logistic_regression_is_that_of_scikit_learn(seed: int) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    columns = table(seed)
    rows = rows_of(columns, {"age": AGE})
    y = np.array(columns["ill"]) == "yes"
    fit = linear_model.LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000)
    fit.fit(matrix(columns)[:, 1:], y)
    found = made("logistic", formula="ill = yes ~ age + sex + dose").original(rows)
    wanted = [*fit.intercept_, *fit.coef_[0]]
    assert list(found.values()) == pytest.approx(wanted, rel=1e-3, abs=1e-3)


def test_a_generalised_term_is_what_is_expected_of_it() -> None:
    columns = table(7)
    rows = rows_of(columns, {"age": AGE})
    coarse = dict(columns, age=[f"{int(a) // 10 * 10}-{int(a) // 10 * 10 + 9}" for a in
                                columns["age"]])  # fmt: skip
    middles = {"20-29": 21.5, "30-39": 30.5, "40-49": 40.5}
    x = matrix(columns)
    x[:, 1] = [middles[a] for a in coarse["age"]]
    expected, *_ = np.linalg.lstsq(x, np.array(columns["score"], float), rcond=None)
    analysis = made("linear", formula="score ~ age + sex + dose")
    found = analysis.compare(rows, rows_of(coarse, {"age": AGE}))
    assert [f.release for f in found.figures] == pytest.approx(expected.tolist(), rel=1e-8)


def test_what_has_no_answer_says_why() -> None:
    columns = table(1)
    rows = rows_of(columns, {"age": AGE})
    blank = rows_of(dict(columns, age=["*"] * 400), {"age": AGE})
    found = made("linear", formula="score ~ age").compare(rows, blank)
    assert found.problem == "there are no rows"
    assert found.error == math.inf
    one = rows_of(dict(columns, sex=["F"] * 400), {"age": AGE})
    found = made("logistic", formula="ill = yes ~ sex").compare(rows, one)
    assert found.problem == "a term is the same for everybody"
    split = rows_of({"x": ["1", "2", "3", "4"], "y": ["no", "no", "yes", "yes"]}, {})
    with pytest.raises(UncomputableError, match="separated"):
        made("logistic", formula="y = yes ~ x").original(split)


def test_the_curve_of_freireich() -> None:
    """Remission under 6-MP, 21 patients (Freireich et al., Blood 21, 1963, as in textbooks)."""
    gone = [6, 6, 6, 7, 10, 13, 16, 22, 23]
    censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
    time = np.array([*gone, *censored], float)
    event = np.array([1.0] * 9 + [0.0] * 12)
    at = np.array([6, 7, 10, 13, 16, 22, 23], float)
    found = kaplan_meier(time, event, np.ones(21), at)
    assert found.round(4).tolist() == [0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482]
    rows = rows_of({"weeks": [f"{t:g}" for t in time], "relapse": ["y"] * 9 + ["n"] * 12}, {})
    analysis = made("survival", time="weeks", event="relapse = y")
    assert list(analysis.original(rows).values()) == pytest.approx(found.tolist())
    assert next(iter(analysis.original(rows))) == "all at 6"


def test_a_generalised_time_is_each_that_it_covers() -> None:
    h = Hierarchy.of("t", [("1", "1-2", "*"), ("2", "1-2", "*"), ("3", "3", "*")],
                     numbers=[1, 2, 3])  # fmt: skip
    before = rows_of({"t": ["1", "2", "3", "3"], "e": ["y", "y", "y", "n"]}, {"t": h})
    after = rows_of({"t": ["1-2", "1-2", "3", "*"], "e": ["y", "y", "y", "n"]}, {"t": h})
    found = made("survival", time="t", event="e = y").compare(before, after)
    assert [f.original for f in found.figures] == pytest.approx([3 / 4, 2 / 4, 1 / 4])
    # One of three (two halves) at 1, one of the two left at 2; * says nothing.
    assert [f.release for f in found.figures] == pytest.approx([2 / 3, 1 / 3, 0.0])
    assert found.error == pytest.approx(1 / 4)


@pytest.mark.parametrize("seed", range(3))
def test_naive_bayes_is_that_of_scikit_learn(seed: int) -> None:
    bayes = pytest.importorskip("sklearn.naive_bayes")
    columns = table(seed)
    rows = rows_of(columns, {})
    y = np.array(columns["ill"]) == "yes"
    classes = np.column_stack((~y, y)).astype(float)
    n = np.ones(400)
    prior = [(np.sum(~y) + 1) / 402, (np.sum(y) + 1) / 402]
    numbers = matrix(columns)[:, [1, 3]]
    gauss = bayes.GaussianNB(priors=prior, var_smoothing=1e-12).fit(numbers, y)
    found = _Features.of(("age", "dose"), rows, rows).guessed(classes, n)
    assert found.tolist() == gauss.predict(numbers).astype(int).tolist()
    sex = (np.array(columns["sex"]) == "M").astype(int)[:, None]
    categories = bayes.CategoricalNB(alpha=1, class_prior=prior).fit(sex, y)
    found = _Features.of(("sex",), rows, rows).guessed(classes, n)
    assert found.tolist() == categories.predict(sex).astype(int).tolist()


def test_everybody_is_in_one_fold() -> None:
    n = np.array([7, 1, 25, 0, 3])
    part = dealt(n)
    assert part.sum(axis=1).tolist() == n.tolist()
    assert (part.max(axis=1) - part.min(axis=1) <= 1).all()


def test_a_classifier_that_sees_nothing_is_no_better_than_its_baseline() -> None:
    columns = table(3)
    rows = rows_of(columns, {"age": AGE})
    analysis = made("classifier", of="ill", **{"from": ["age", "sex"]})
    blank = rows_of(dict(columns, age=["*"] * 400, sex=["F"] * 400), {"age": AGE})
    found = analysis.compare(rows, blank)
    accuracy, baseline = found.figures
    assert baseline.original == baseline.release
    assert accuracy.release == pytest.approx(baseline.release)
    assert accuracy.original > baseline.original


def test_a_distribution_is_shares() -> None:
    before = rows_of({"job": ["nurse", "nurse", "clerk", "doctor"]}, {"job": JOB})
    after = rows_of({"job": ["health", "health", "office"]}, {"job": JOB})
    found = {f.name: f for f in made("distribution", of="job").compare(before, after).figures}
    assert found["job=nurse"].original == 0.5
    assert found["job=nurse"].release == pytest.approx(1 / 3)
    assert found["job=clerk"].error == pytest.approx(1 / 3 - 1 / 4)
    coarse = made("distribution", of="job", levels={"job": 1}).compare(before, after)
    assert [f.release for f in coarse.figures] == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize("seed", range(4))
def test_cramers_v_is_that_of_scipy(seed: int) -> None:
    from scipy.stats.contingency import association

    table = np.random.default_rng(seed).integers(1, 30, (3 + seed, 4))
    assert cramers_v(table.astype(float)) == pytest.approx(association(table, method="cramer"))


def test_an_association_is_one_of_what_is_published() -> None:
    columns = {"a": ["x", "x", "y", "y"] * 5, "b": ["u", "u", "v", "v"] * 5}
    h = Hierarchy.of("a", [("x", "*"), ("y", "*")])
    before, after = rows_of(columns, {"a": h}), rows_of(dict(columns, a=["*"] * 20), {"a": h})
    (found,) = made("association", between=["a", "b"]).compare(before, after).figures
    assert (found.original, found.release, found.error) == (1.0, 0.0, 1.0)


def test_a_prediction_is_that_of_scikit_learn_on_the_same_folds() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    columns = table(11)
    rows = rows_of(columns, {"age": AGE}).only(("score", "age", "sex", "dose"))
    x = np.column_stack([rows.numbers("age"), rows.shares("sex", ("M",))[:, 0],
                         rows.numbers("dose")])  # fmt: skip
    y, part = rows.numbers("score"), dealt(rows.n)
    wrong = whole = 0.0
    for k in range(FOLDS):
        test, train = part[:, k], rows.n - part[:, k]
        fit = linear_model.LinearRegression().fit(x, y, sample_weight=train)
        wrong += (test * (y - fit.predict(x)) ** 2).sum()
        whole += (test * (y - np.average(y, weights=train)) ** 2).sum()
    (found,) = made("prediction", formula="score ~ age + sex + dose").original(rows).values()
    assert found == pytest.approx(1 - wrong / whole, rel=1e-8)
    assert 0.5 < found < 1


@pytest.mark.parametrize("kind", list(ANALYSES))
def test_every_kind_says_what_it_is(kind: str) -> None:
    found = ANALYSES[kind]
    assert found.name == kind
    assert found.says.endswith(".")
    assert found.errors.endswith(".")
    assert found.example.startswith(f"{kind}: {{")


def test_a_column_of_many_values_is_refused_before_anything_is_laid_out() -> None:
    many = rows_of({"ref": [f"r{i}" for i in range(6000)], "x": ["1", "2"] * 3000}, {})
    for analysis in (made("counts", by=["ref"]), made("linear", formula="x ~ ref")):
        with pytest.raises(DataError):
            analysis.original(many)


WEIGHED = [
    ("counts", {"by": ["job"]}),
    ("counts", {"by": ["age", "job"], "levels": {"age": 1}}),
    ("means", {"of": "age", "by": ["job"]}),
    ("totals", {"of": "age", "by": ["job"]}),
    ("distribution", {"of": "job"}),
    ("association", {"between": ["age", "job"], "levels": {"age": 1}}),
    ("linear", {"formula": "age ~ job"}),
    ("logistic", {"formula": "job = nurse ~ age"}),
    ("survival", {"time": "age", "event": "job = clerk", "by": []}),
]


@settings(max_examples=40, deadline=None)
@given(
    people=st.lists(
        st.tuples(
            st.sampled_from(sorted(covers)), st.sampled_from(["nurse", "doctor", "clerk"]),
            st.integers(0, 4),
        ),
        min_size=6, max_size=25,
    ),
    which=st.sampled_from(WEIGHED),
)  # fmt: skip
def test_a_weight_of_three_is_three_people(people, which) -> None:
    """The weighted figures are those of the table in which everybody stands as often as weighed."""
    from hedgerow.analyses import WeightedAnalysis

    if not any(w for _, _, w in people):
        return
    before = {
        "age": [str(covers[a][0]) for a, _, _ in people], "job": [j for _, j, _ in people],
        "w": [str(w) for _, _, w in people],
    }  # fmt: skip
    after = before | {"age": [a for a, _, _ in people]}

    def repeated(table: dict[str, list]) -> dict[str, list]:
        return {name: [v for v, (_, _, w) in zip(column, people, strict=True) for _ in range(w)]
                for name, column in table.items()}  # fmt: skip

    kind, said = which
    analysis = made(kind, **said)
    weighted = WeightedAnalysis(of=analysis, weights="w")
    source = rows_of(before, H)
    release = rows_of(after, H)
    again = rows_of(repeated(after), H)
    original = source.only(weighted.columns)
    try:
        expected = analysis.figures(again.only(analysis.columns), original.only(analysis.columns))
    except UncomputableError:
        with pytest.raises(UncomputableError):
            weighted.figures(release.only(weighted.columns), original)
        return
    found = weighted.figures(release.only(weighted.columns), original)
    assert dict(found) == pytest.approx(dict(expected), rel=1e-6, abs=1e-9, nan_ok=True)
    unweighted = analysis.figures(release, source)
    if len({w for _, _, w in people}) == 1 and people[0][2] == 1:
        assert dict(found) == pytest.approx(dict(unweighted), nan_ok=True)


def test_errors_of_weighted_coefficients_do_not_grow_with_the_scale_of_the_weights() -> None:
    """Weighted least squares as in the books, in plain matrices; and weights of any scale."""
    from hedgerow.analyses import WeightedAnalysis

    draw = np.random.default_rng(3)
    x = draw.integers(0, 30, 80).astype(float)
    y = 2 * x + draw.normal(0, 4, 80).round(2)
    w = draw.integers(1, 9, 80).astype(float)
    design = np.stack([np.ones(80), x], axis=1)
    inverse = np.linalg.inv(design.T @ np.diag(w) @ design)
    beta = inverse @ design.T @ np.diag(w) @ y
    variance = (w * (y - design @ beta) ** 2).sum() / (80 - 2)
    errors = np.sqrt(variance * np.diag(inverse))
    for scale in (1.0, 250.0):
        table = {
            "x": [str(v) for v in x], "y": [str(v) for v in y], "w": [str(v * scale) for v in w],
        }  # fmt: skip
        rows = rows_of(table, {})
        weighted = WeightedAnalysis(of=made("linear", formula="y ~ x"), weights="w")
        figures = weighted.original(rows)
        assert list(figures.values()) == pytest.approx(beta.tolist())
        scales = weighted.scales(rows, dict.fromkeys(figures, 0.0))
        assert list(scales.values()) == pytest.approx(errors.tolist())


@pytest.mark.parametrize("wrong", [None, "-1", "much"])
def test_a_weight_that_is_none_is_refused(wrong: str | None) -> None:
    rows = rows_of({"job": ["nurse", "clerk"], "w": ["2", wrong]}, {})
    with pytest.raises(DataError, match="survey weight"):
        rows.weighed("w")
