"""What a loss means, against exact enumeration: tiny mechanisms, all tables, Bayes' rule.

Mechanisms are rational. Their own loss is measured: the ratio R is e^epsilon, so that what is
compared is exact but for the 48 digits of a logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from noise import oracle

from hedgerow import EpsilonStudy, explain_epsilon
from hedgerow.base.errors import PlanError, TargetError
from hedgerow.noise.loss_sentences import rounded_down, rounded_up, told
from hedgerow.noise.measures import Approximate, Pure
from hedgerow.noise.rounding import log_up
from hedgerow.noise.semantics import believed, exceptions, shift, shift_fails, simple_shift, truth

NEAR = Fraction(1, 10**40)
"""More than what is lost to rounding."""
DEFAULT, ABSENT = 0, None

Table = tuple[int | None, ...]
Outputs = Mapping[object, Fraction]
Answering = Mapping[Table, Outputs]
"""What a mechanism answers: a distribution for each table."""
Belief = Mapping[Table, Fraction]


# An oracle for beliefs, from the definitions


def tables(people: int, values: int, *, absent: bool) -> list[Table]:
    held: list[int | None] = [*range(values), *([ABSENT] if absent else [])]
    return list(product(held, repeat=people))


def neighbours(domain: Sequence[Table], *, absent: bool) -> Iterator[tuple[Table, Table]]:
    for a, b in product(domain, repeat=2):
        changed = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
        if len(changed) == 1 and (not absent or ABSENT in changed[0]):
            yield a, b


def without(table: Table, i: int, *, absent: bool) -> Table:
    return (*table[:i], ABSENT if absent else DEFAULT, *table[i + 1 :])


def afterwards(given: Callable[[Table], Fraction], prior: Belief) -> Belief | None:
    weights = {d: given(d) * p for d, p in prior.items()}
    total = sum(weights.values())
    return {d: w / total for d, w in weights.items()} if total else None


def difference(p: Belief, q: Belief) -> Fraction:
    return sum((abs(p[d] - q[d]) for d in p), Fraction(0)) / 2


def shifts(answering: Answering, prior: Belief, i: int, *, absent: bool) -> dict[object, Fraction]:
    """The statistical difference after each answer that is possible; 1 where it is not without."""
    found = {}
    for t in {t for outputs in answering.values() for t in outputs}:
        with_it = afterwards(lambda d, t=t: answering[d].get(t, Fraction(0)), prior)
        without_it = afterwards(
            lambda d, t=t: answering[without(d, i, absent=absent)].get(t, Fraction(0)), prior
        )
        if with_it is not None:
            found[t] = Fraction(1) if without_it is None else difference(with_it, without_it)
    return found


def ratio(answering: Answering, *, absent: bool) -> Fraction:
    found = [oracle.worst_ratio(dict(answering[a]), dict(answering[b]))
             for a, b in neighbours(list(answering), absent=absent)]  # fmt: skip
    assert all(isinstance(r, Fraction) for r in found)
    return max(found)  # type: ignore[type-var,return-value]


def least_delta(answering: Answering, r: Fraction, *, absent: bool) -> Fraction:
    return max(
        sum((max(p - r * answering[b].get(t, Fraction(0)), Fraction(0))
             for t, p in answering[a].items()), Fraction(0))
        for a, b in neighbours(list(answering), absent=absent)
    )  # fmt: skip


# Random mechanisms and beliefs


def random_shares(rng: np.random.Generator, count: int, *, least: int = 1) -> list[Fraction]:
    # Skewed, so that some are rare.
    weights = [least + int(10 ** rng.uniform(0, 3)) for _ in range(count)]
    return [Fraction(w, sum(weights)) for w in weights]


def lipschitz(rng: np.random.Generator, domain: Sequence[Table], r: Fraction, *, absent: bool
              ) -> Answering:  # fmt: skip
    """One rare answer whose probability is r to the power of a random Lipschitz function."""
    height = {d: int(rng.integers(-3, 4)) for d in domain}
    pairs = list(neighbours(domain, absent=absent))
    for _ in range(8):
        for a, b in pairs:
            height[a] = min(height[a], height[b] + 1)
    found: dict[Table, Outputs] = {}
    for d in domain:
        rare = Fraction(1, 10**4) * r ** height[d]
        found[d] = {"rare": rare, "rest": 1 - rare}
    return found


def anything(rng: np.random.Generator, domain: Sequence[Table]) -> Answering:
    return {d: dict(enumerate(random_shares(rng, 3, least=100))) for d in domain}


def some_beliefs(rng: np.random.Generator, answering: Answering, i: int, *, absent: bool
                 ) -> Iterator[Belief]:  # fmt: skip
    """Random ones, and ones about two tables only that are moved as far as can be."""
    domain = list(answering)
    yield dict(zip(domain, random_shares(rng, len(domain)), strict=True))
    t = next(iter(answering[domain[0]]))
    weight = {d: answering[d][t] / answering[without(d, i, absent=absent)][t] for d in domain}
    high, low = max(domain, key=weight.__getitem__), min(domain, key=weight.__getitem__)
    if high != low:
        root = Fraction(math.sqrt(weight[high] / weight[low])).limit_denominator(10**6)
        # Without the record, the odds are one to the root; the answer itself moves the prior.
        odds = (
            answering[without(low, i, absent=absent)][t]
            / answering[without(high, i, absent=absent)][t]
        )
        a, b = odds, root
        yield dict.fromkeys(domain, Fraction(0)) | {high: a / (a + b), low: b / (a + b)}


WORLDS = [(1, 2, False), (1, 3, False), (2, 2, False), (2, 3, False), (1, 2, True), (2, 2, True)]


@pytest.mark.parametrize(("people", "values", "absent"), WORLDS)
def test_no_record_shifts_a_belief_farther(people: int, values: int, absent: bool) -> None:
    rng = np.random.default_rng(people * 10 + values)
    domain = tables(people, values, absent=absent)
    nearest = Fraction(1)
    for trial in range(40):
        wanted = Fraction(int(rng.integers(101, 300)), 100)
        mechanism = anything(rng, domain) if trial % 4 else lipschitz(rng, domain, wanted,
                                                                      absent=absent)  # fmt: skip
        r = ratio(mechanism, absent=absent)
        if r == 1:
            continue
        bound = shift(Pure(epsilon=log_up(r)))
        assert 0 <= bound - (r - 1) / (r + 1) < NEAR
        for i in range(people):
            for prior in some_beliefs(rng, mechanism, i, absent=absent):
                found = max(shifts(mechanism, prior, i, absent=absent).values())
                assert found <= bound
                nearest = min(nearest, 1 - found / bound)
                if people == 1 and not absent:
                    # All tables are then neighbours, and the weights lie within R, not R^2.
                    root = oracle.exp(log_up(r) / 2)
                    assert found <= (root - 1) / (root + 1) + NEAR
    if people > 1 or absent:
        assert nearest < Fraction(1, 50), "some mechanism comes close, or the bound is no test"


@pytest.mark.parametrize("r", [Fraction(11, 10), Fraction(3), Fraction(9)])
def test_the_shift_is_attained_by_two_people(r: Fraction) -> None:
    """The rare answer says that the two are different: that is tanh(epsilon / 2) exactly."""
    rare = Fraction(1, 1000)
    mechanism: dict[Table, Outputs] = {
        (a, b): {"rare": rare * r ** (a ^ b), "rest": 1 - rare * r ** (a ^ b)}
        for a, b in product((0, 1), repeat=2)
    }
    assert ratio(mechanism, absent=False) == r
    # The first person has 1. Whether the second has it too is as likely as not.
    half = {(1, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}
    exact = (r - 1) / (r + 1)
    assert shifts(mechanism, half, 0, absent=False)["rare"] == exact
    assert exact <= shift(Pure(epsilon=log_up(r))) < exact + NEAR


def test_one_person_alone_is_shifted_by_half_as_much() -> None:
    mechanism: dict[Table, Outputs] = {
        (0,): {"yes": Fraction(1, 10), "no": Fraction(9, 10)},
        (1,): {"yes": Fraction(4, 10), "no": Fraction(6, 10)},
    }
    assert ratio(mechanism, absent=False) == 4
    prior = {(0,): Fraction(2, 3), (1,): Fraction(1, 3)}
    # tanh(ln(4) / 4) = (2 - 1) / (2 + 1)
    assert shifts(mechanism, prior, 0, absent=False)["yes"] == Fraction(1, 3)
    assert shift(Pure(epsilon=log_up(Fraction(4)))) > Fraction(3, 5) - NEAR


@pytest.mark.parametrize(
    ("epsilon", "expected"), [("0.1", 0.04996), ("0.5", 0.24492), ("1", 0.46212), ("2", 0.76159)]
)
def test_the_shift_is_tanh(epsilon: str, expected: float) -> None:
    found = shift(Pure(epsilon=epsilon))
    assert round(float(found), 5) == expected
    assert math.isclose(float(found), math.tanh(float(epsilon) / 2))
    e = oracle.exp(Fraction(epsilon))
    assert 0 <= found - (e - 1) / (e + 1) < NEAR, "rounded up"


def leaking(rng: np.random.Generator, domain: Sequence[Table], *, absent: bool) -> Answering:
    """A mild mechanism that gives the table away once in a while."""
    r, leak = Fraction(int(rng.integers(101, 140)), 100), Fraction(1, int(10 ** rng.uniform(2, 7)))
    mild = lipschitz(rng, domain, r, absent=absent)
    return {
        d: {t: p * (1 - leak) for t, p in outputs.items()} | {("leak", d): leak}
        for d, outputs in mild.items()
    }


@pytest.mark.parametrize(("people", "values", "absent"), WORLDS[2:])
def test_with_a_delta_the_shift_fails_no_more_often(people: int, values: int, absent: bool) -> None:
    rng = np.random.default_rng(people * 10 + values)
    domain = tables(people, values, absent=absent)
    said = failed = 0
    for trial in range(60):
        mechanism = leaking(rng, domain, absent=absent) if trial % 2 else anything(rng, domain)
        r = 1 + Fraction(int(rng.integers(0, 80)), 100)
        delta = least_delta(mechanism, r, absent=absent)
        if not 0 < delta < 1:
            continue
        loss = Approximate(epsilon=log_up(r), delta=delta)
        prior = dict(zip(domain, random_shares(rng, len(domain)), strict=True))
        by_person = [shifts(mechanism, prior, i, absent=absent) for i in range(people)]
        # Over tables as they are believed to be, and answers.
        chance = {
            t: sum((prior[d] * mechanism[d].get(t, Fraction(0)) for d in domain), Fraction(0))
            for t in by_person[0]
        }
        simple = simple_shift(loss)
        assert simple is not None
        assert shift(loss) <= simple
        for slack in (None, Fraction(1, 10), Fraction(1, 1000)):
            bound = shift(loss, slack=slack)
            beyond = [{t for t, far in found.items() if far > bound} for found in by_person]
            for ts in beyond:
                often = sum((chance[t] for t in ts), Fraction(0))
                assert often <= shift_fails(loss, slack=slack)
                failed += often > 0
            often = sum((chance[t] for t in set().union(*beyond)), Fraction(0))
            assert often <= shift_fails(loss, people=people, slack=slack)
            said += bound < 1 and shift_fails(loss, people=people, slack=slack) < 1
    assert said > 30, "statements that say something"
    if not absent:
        assert failed > 5, "exceptions there are"


# Guesses and beliefs about two neighbours


def two(rng: np.random.Generator) -> tuple[oracle.Distribution, oracle.Distribution]:
    outcomes = int(rng.integers(2, 6))
    p, q = (dict(enumerate(random_shares(rng, outcomes, least=0))) for _ in "pq")
    return p, q  # type: ignore[return-value]


def measured(p: oracle.Distribution, q: oracle.Distribution, r: Fraction) -> Fraction:
    return max(
        sum((max(x[y] - r * z[y], Fraction(0)) for y in x), Fraction(0))
        for x, z in ((p, q), (q, p))
    )  # fmt: skip


def test_no_guess_is_right_more_often() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        p, q = two(rng)
        right = sum((max(p[y], q[y]) for y in p), Fraction(0)) / 2
        r = Fraction(int(rng.integers(100, 400)), 100)
        delta = measured(p, q, r)
        if delta < 1:
            assert right <= truth(Approximate(epsilon=log_up(r), delta=delta))
        worst = oracle.worst_ratio(p, q)
        if isinstance(worst, Fraction):
            assert right <= truth(Pure(epsilon=log_up(worst)))


@pytest.mark.parametrize("delta", ["0", "1e-3", "0.2"])
def test_the_most_revealing_answer_attains_it(delta: str) -> None:
    """Randomised response, which with a delta says for sure now and then."""
    epsilon, d = Fraction(1, 10), Fraction(delta)
    t = 1 / (1 + oracle.exp(-epsilon))
    p = {"yes": (1 - d) * t, "no": (1 - d) * (1 - t), "surely yes": d, "surely no": Fraction(0)}
    q = {"yes": (1 - d) * (1 - t), "no": (1 - d) * t, "surely yes": Fraction(0), "surely no": d}
    assert oracle.keeps(p, q, epsilon, d)  # type: ignore[arg-type]
    right = sum((max(p[y], q[y]) for y in p), Fraction(0)) / 2
    loss = Approximate(epsilon=epsilon, delta=d) if d else Pure(epsilon=epsilon)
    assert 0 <= truth(loss) - right < NEAR


@pytest.mark.parametrize(("epsilon", "expected"), [("0.1", 0.525), ("0.01", 0.5025)])
def test_the_papers_probabilities_of_a_true_answer(epsilon: str, expected: float) -> None:
    """Paper 002: 0.525 at 0.1; at 0.01 it rounds 0.5025 to 0.502."""
    assert round(float(truth(Pure(epsilon=epsilon))), 4) == expected


def test_a_belief_moves_as_randomised_response_moves_it_and_no_farther() -> None:
    loss = Pure(epsilon="0.1")
    said = oracle.exp(loss.epsilon) / (1 + oracle.exp(loss.epsilon))
    yes, no = (oracle.response(v, 2, said) for v in (1, 0))
    for prior in (Fraction(1, 100), Fraction(1, 2), Fraction(9, 10)):
        least, most = believed(loss, prior=prior)
        after = [prior * yes[y] / (prior * yes[y] + (1 - prior) * no[y]) for y in (0, 1)]
        # The coin is a double.
        assert 0 <= after[0] - least < Fraction(1, 10**15)
        assert 0 <= most - after[1] < Fraction(1, 10**15)
    rng = np.random.default_rng(4)
    for _ in range(200):
        p, q = two(rng)
        worst = oracle.worst_ratio(p, q)
        if isinstance(worst, Fraction):
            prior = Fraction(int(rng.integers(1, 100)), 100)
            least, most = believed(Pure(epsilon=log_up(worst)), prior=prior)
            after = [prior * p[y] / (prior * p[y] + (1 - prior) * q[y]) for y in p]
            assert least <= min(after) <= max(after) <= most


def test_people_whose_data_go_together_are_not_covered_but_as_a_group() -> None:
    """Ten relatives, all with the disease or none: the count moves by ten."""
    scale = Fraction(10)
    window = range(-60, 71)
    all_, none = (oracle.laplace(v, scale, window) for v in (10, 0))
    prior = Fraction(1, 2)
    after = max(prior * all_[y] / (prior * all_[y] + prior * none[y]) for y in window)
    one = Pure(epsilon=1 / scale)
    assert after > believed(one, prior=prior)[1], "as the slides warn"
    assert abs(believed(one.group(10), prior=prior)[1] - after) < NEAR


def test_beliefs_move_farther_no_more_often_than_said() -> None:
    rng = np.random.default_rng(5)
    said = seen = 0
    for _ in range(600):
        p, q = two(rng)
        if rng.random() < 0.5:
            leak = Fraction(1, int(10 ** rng.uniform(1, 5)))
            q = {y: (1 - leak) * p[y] for y in p} | {"q": leak, "p": Fraction(0)}
            p = {y: (1 - leak) * p[y] for y in p} | {"p": leak, "q": Fraction(0)}
        r = Fraction(int(rng.integers(105, 300)), 100)
        delta = measured(p, q, r)
        if not 0 < delta < 1:
            continue
        rarely = exceptions(Approximate(epsilon=log_up(r), delta=delta))
        farther = [y for y in p if p[y] > r * r * q[y] or q[y] > r * r * p[y]]
        for who in (p, q):
            often = sum((who[y] for y in farther), Fraction(0))
            assert often <= rarely
            seen += often > 0
        said += rarely < 1
    assert said > 100
    assert seen > 100
    assert exceptions(Approximate(epsilon=0, delta="1e-9")) == 1
    assert exceptions(Approximate(epsilon=1, delta=0)) == 0


@pytest.mark.parametrize("delta", ["0", "0.001"])
def test_several_answers_cost_no_more_than_zcdp_says(delta: str) -> None:
    """The most revealing (epsilon, delta) answers, three and six of them, by enumeration."""
    epsilon, d = Fraction(1, 2), Fraction(delta)
    t = 1 / (1 + oracle.exp(-epsilon))
    for count in (3, 6):
        study = explain_epsilon(epsilon, delta=d, answers=count)
        rows = {row.name: row for row in study.answers.joint}
        p, q = (
            oracle.together(*[
                {"yes": (1 - d) * yes, "no": (1 - d) * (1 - yes), surely: d} if d
                else {"yes": yes, "no": 1 - yes}
            ] * count)
            for yes, surely in ((t, "surely yes"), (1 - t, "surely no"))
        )  # fmt: skip
        for name in ("added up", "by zCDP"):
            assert oracle.keeps(p, q, Fraction(repr(rows[name].epsilon)),
                                Fraction(repr(rows[name].delta))), name  # fmt: skip


# What the papers say is not private


def one_record(table: Sequence[str]) -> oracle.Distribution:
    found: oracle.Distribution = {}
    for i, record in enumerate(table):
        found[i, record] = Fraction(1, len(table))
    return found


def refused(epsilon: str, *, delta: Fraction, n: int) -> bool:
    try:
        explain_epsilon(epsilon, delta=delta, n=n)
    except PlanError as error:
        return "allows to publish" in error.what
    return False


def test_one_record_at_random_is_0_1_over_n_and_refused() -> None:
    """Paper 000 after Theorem 1: one record, published whole, would be deemed private."""
    n = 5
    table, other = list("abcde"), list("abcdz")
    p, q = one_record(table), one_record(other)
    assert oracle.keeps(p, q, Fraction(0), Fraction(1, n))
    assert not oracle.keeps(p, q, Fraction(5), Fraction(1, n) - Fraction(1, 10**9)), (
        "no epsilon helps"
    )
    loss = Approximate(epsilon=0, delta=Fraction(1, n))
    with pytest.raises(PlanError, match="allows to publish one of 5 people"):
        loss.require_small_delta(people=n)
    assert refused("0.1", delta=Fraction(1, n), n=n)
    assert not refused("0.1", delta=Fraction(1, 100 * n), n=n)
    # Nor do the statements claim anything for it.
    assert shift_fails(loss, people=n) == exceptions(loss) == 1


def test_everything_now_and_then_is_0_delta_and_only_a_small_delta_is_left() -> None:
    """Publish everything with probability delta."""
    delta, n = Fraction(1, 1000), 1000
    p = {"nothing": 1 - delta, "abcd": delta}
    q = {"nothing": 1 - delta, "abcz": delta}
    assert oracle.keeps(p, q, Fraction(0), delta)  # type: ignore[arg-type]
    assert refused("0.1", delta=delta, n=n)
    assert refused("0.1", delta=delta, n=10 * n)
    study = explain_epsilon("0.1", delta=delta, n=n - 1)
    assert "To publish everything with probability 0.001 keeps this promise" in study.delta[0]
    assert "not far under it" in study.delta[1]
    assert "Of all 999 people at once it says nothing, as 2 n sqrt(delta) is 1 or more" in " ".join(
        study.record.sentences
    )
    assert explain_epsilon("0.1", delta="1e-9", n=n).delta[1].endswith("probability 1e-6.")


# The study


def test_numbers_are_the_functions_numbers() -> None:
    study = explain_epsilon(0.1, n=1000)
    assert isinstance(study, EpsilonStudy)
    assert study.question.truth == 0.524979187479
    assert study.question.values == rounded_up(truth(Pure(epsilon="0.2")))
    assert [row.prior for row in study.beliefs.moved] == [0.01, 0.1, 0.5, 0.9]
    assert study.group.joint.truth == rounded_up(truth(Pure(epsilon=1)))
    assert study.sample.joint.epsilon == rounded_up(log_up(1 + Fraction(1, 10) * (
        oracle.exp(Fraction(1, 10)) - 1)))  # fmt: skip
    assert not study.delta
    added, zcdp, laplace = study.answers.joint
    assert (added.epsilon, added.delta) == (1, 0)
    assert zcdp.epsilon == 1.47159475054
    assert laplace.epsilon is not None
    assert laplace.epsilon < 1
    assert zcdp.delta == laplace.delta == 1e-6
    assert {row.delta for row in explain_epsilon(0.1, n=10**6).answers.joint} == {0, 1e-12}


def test_without_the_accountant_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise PlanError("the joint loss needs an accountant", fix="Install hedgerow[accounting].")

    monkeypatch.setattr("hedgerow.noise.accounting._accountant", missing)
    study = explain_epsilon(0.1, answers=3)
    assert [row.name for row in study.answers.joint] == ["added up", "by zCDP"]
    assert study.answers.sentences[-1] == (
        "The joint loss needs an accountant. Install hedgerow[accounting]."
    )


def test_where_nothing_is_promised_it_says_so() -> None:
    study = explain_epsilon(3, delta="1e-9", n=1000, answers=2 * 10**9)
    assert study.answers.joint[0].epsilon is None
    assert "add up to 1 or more" in study.answers.sentences[-1]
    assert study.group.joint.truth is None
    assert "Nothing is promised about 10 people" in study.group.sentences[0]
    assert "is 402.5, which says nothing" in " ".join(study.record.sentences)
    some = explain_epsilon(1, delta="1e-6", n=1000, answers=5000)
    assert "may publish somebody" in some.answers.sentences[-1]
    tiny = explain_epsilon("1e-9", delta="1e-8")
    assert tiny.beliefs.fails == 1
    assert "nothing can be said" in tiny.beliefs.sentences[0]
    assert "Say how many" in tiny.delta[1]
    sure = explain_epsilon("0.1", delta="0.3")
    assert "may fail always" in sure.record.sentences[1]
    assert explain_epsilon(30, delta="0.5").question.values == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0}, {"epsilon": -1}, {"epsilon": "x"}, {"epsilon": math.nan},
        {"epsilon": math.inf}, {"epsilon": "1e-10"}, {"epsilon": 1001}, {"epsilon": True},
        {"delta": 1}, {"delta": -1}, {"delta": "1e-30"}, {"delta": "1e-3", "n": 1000},
        {"n": 0}, {"n": 1.5}, {"n": 10**11}, {"answers": 0}, {"answers": 10**11}, {"group": 1},
        {"sample": 0}, {"sample": 2}, {"sample": "1e-12"},
    ],
)  # fmt: skip
def test_wrong_numbers_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(PlanError):
        explain_epsilon(**({"epsilon": "0.1"} | wrong))  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@example(Fraction(10037816891, 125000000), Fraction(1199926277, 500000000000000), 1)
@given(st.fractions(min_value=Fraction(1, 10**9), max_value=1000),
       st.none() | st.fractions(min_value=Fraction(1, 10**15), max_value=Fraction(1, 2)),
       st.integers(1, 3))  # fmt: skip
def test_every_epsilon_has_a_study(epsilon: Fraction, delta: Fraction | None, n: int) -> None:
    if delta is not None and delta * n >= 1:
        return
    study = explain_epsilon(epsilon, delta=delta, n=n, answers=3)
    assert 0.5 <= study.question.truth <= study.question.values <= 1
    for row in study.beliefs.moved:
        assert 0 <= row.least <= row.prior <= row.most <= 1
    for shifted in study.record.shifted:
        assert 0 <= shifted.shift <= 1
        assert shifted.fails_for_any is not None
        assert 0 <= shifted.fails_for_one <= shifted.fails_for_any <= 1
    assert study.sample.joint.epsilon is not None
    assert study.sample.joint.epsilon <= rounded_up(epsilon)


POSITIVE = st.fractions(min_value=Fraction(1, 10**12), max_value=10**9)


@given(POSITIVE)
def test_written_numbers_err_against_us(x: Fraction) -> None:
    assert Fraction(repr(rounded_up(x))) >= x >= Fraction(repr(rounded_down(x)))
    for up in (True, False):
        read = Fraction(told(x, up=up).replace(",", ""))
        assert (read >= x) if up else (read <= x)
        assert abs(read / x - 1) <= Fraction(1, 1000)
        assert (read >= 1) if x >= 1 else (read < 1 or 1 - x < Fraction(1, 10**11))


# The chart


@pytest.mark.parametrize(("delta", "epsilon"), [(None, "0.1"), ("1e-9", "3"), (None, "1e-9")])
def test_the_chart_marks_what_was_asked(tmp_path: Path, delta: str | None, epsilon: str) -> None:
    study = explain_epsilon(epsilon, delta=delta)
    path = study.plot(tmp_path / "a.svg")
    tree = ElementTree.parse(path)
    texts = [e.text for e in tree.iter("{http://www.w3.org/2000/svg}text") if e.text]
    numbers = {told(study.question.truth), told(study.record.shifted[0].shift)}
    assert numbers <= set(texts)
    assert f"What ε = {told(Fraction(epsilon))} means to a person" in texts
    assert ("a guess is right" in texts) == (delta is not None), "a belief may go farther"
    label = tree.getroot().attrib["aria-label"]
    assert all(number in label for number in numbers)
    spec = study.chart().to_dict()
    rows = [row for entry in spec["plots"][0]["data"] for row in entry["rows"]]
    curves = {what: [row["value"] for row in rows if row["what"] == what and "told" not in row]
              for what in {row["what"] for row in rows}}  # fmt: skip
    assert len(curves) == 2
    assert all(values == sorted(values) and 0 <= values[0] <= values[-1] <= 1
               for values in curves.values())  # fmt: skip


def test_plots_of_other_kinds_are_refused(tmp_path: Path) -> None:
    study = explain_epsilon(1)
    with pytest.raises(TargetError):
        study.plot(tmp_path / "a.pdf")
    with pytest.raises(TargetError):
        study.plot(tmp_path / "nowhere" / "a.svg")
    assert not list(tmp_path.iterdir())
