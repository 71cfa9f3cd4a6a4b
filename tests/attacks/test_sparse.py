"""Sparse de-anonymisation: long tails give people away, and only they."""

from __future__ import annotations

import datetime as dt
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import steps

from hedgerow.attacks.auxiliary import Auxiliary
from hedgerow.attacks.ratings import Ratings
from hedgerow.attacks.sparse import METHODS, deanonymise, evaluate, identify, observe
from hedgerow.base.errors import DataError, PlanError

NAN = math.nan


def long_tailed(
    seed: int, *, people: int = 2_000, items: int = 800, draws: int = 150_000
) -> Ratings:
    """A few items everybody rated, many that few did; a few people rated much."""
    rng = np.random.default_rng(seed)
    activity, popularity = rng.lognormal(0, 1, people), 1 / (np.arange(items) + 10.0)
    who = rng.choice(people, draws, p=activity / activity.sum())
    what = rng.choice(items, draws, p=popularity / popularity.sum())
    cells = np.unique(who * items + what)
    who, what = cells // items, cells % items
    rating = np.clip(np.rint(rng.normal(3.5, 1.2, len(cells))), 1, 5)
    return Ratings.of(who, what, rating, rng.integers(0, 2_000, len(cells)))


def all_alike(people: int = 500, items: int = 20) -> Ratings:
    who, what = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    return Ratings.of(who, what, what % 5 + 1.0, 10.0 * what)


def similar(mine: float, other: float, scale: float) -> float | None:
    return None if math.isnan(mine) or math.isnan(other) else math.exp(-abs(mine - other) / scale)


def told_by_hand(
    rows: list[tuple[int, int, float, float]],
    known: list[tuple[int, float, float]],
    people: int,
) -> tuple[list[float], list[float]]:
    """Scoreboard-RH's and Scoreboard's score of each person, item by item."""
    sums, lowest = [], []
    for person in range(people):
        total, least = 0.0, 1.0
        for item, rating, day in known:
            support = len({p for p, i, _, _ in rows if i == item})
            best, share = 0.0, 0.0
            for p, i, r, d in rows:
                if (p, i) == (person, item):
                    parts = [similar(r, rating, 1.5), similar(d, day, 30)]
                    there = [part for part in parts if part is not None] or [1.0]
                    best = max(best, sum(there))
                    share = max(share, sum(there) / len(there))
            if support:
                total += best / math.log(max(support, 2))
            least = min(least, share)
        sums.append(total)
        lowest.append(least if known else 0.0)
    return sums, lowest


rated = st.tuples(
    st.integers(0, 5), st.integers(0, 4),
    st.sampled_from([1.0, 2.0, 5.0, NAN]), st.sampled_from([0.0, 7.0, 100.0, NAN]),
)  # fmt: skip


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(rated, min_size=1, max_size=25), st.lists(rated, max_size=4), st.data())
def test_scores_are_those_computed_item_by_item(
    rows: list[tuple[int, int, float, float]],
    learnt: list[tuple[int, int, float, float]],
    data: st.DataObject,
) -> None:
    # Everybody and every item occurs, so that codes are the numbers themselves.
    rows = [*rows, *((p, p % 5, 3.0, 3.0) for p in range(6))]
    ratings = Ratings.of(*(np.array(column) for column in zip(*rows, strict=True)))
    known = [(i, r, d) for _, i, r, d in learnt]
    true = data.draw(st.integers(0, 5))
    columns = np.array(known).reshape(-1, 3).T
    aux = Auxiliary(np.array([0, len(known)]), columns[0].astype(np.int64), columns[1], columns[2])
    sums, lowest = told_by_hand(rows, known, 6)
    sigma = float(np.std(sums))
    ordered = sorted(sums, reverse=True)
    spread = ordered[0] - ordered[-1] > 1e-9

    found = identify(ratings, aux, truth=np.array([true]), phi=0.3)
    gap = (ordered[0] - ordered[1]) / sigma if spread else 0.0
    assert found.eccentricity[0] == pytest.approx(gap, abs=1e-6)
    if abs(gap - 0.3) > 1e-6:
        assert (found.person[0] >= 0) == (gap > 0.3)
    if found.person[0] >= 0:
        assert sums[found.person[0]] == pytest.approx(ordered[0])
        assert found.probability[0] == float(found.person[0] == true)

    entropic = identify(ratings, aux, truth=np.array([true]), method="entropic")
    weights = [math.exp(s / sigma) if spread else 1.0 for s in sums]
    chances = [w / sum(weights) for w in weights]
    assert entropic.probability[0] == pytest.approx(chances[true])
    bits = -sum(p * math.log2(p) for p in chances)
    assert entropic.entropy[0] == pytest.approx(bits, abs=1e-9)

    board = identify(ratings, aux, truth=np.array([true]), method="scoreboard", alpha=0.4)
    match = [p for p in range(6) if lowest[p] > 0.4]
    assert board.ties[0] == len(match)
    assert board.probability[0] == (1 / len(match) if true in match else 0)
    assert board.person[0] == (match[0] if match else -1)


def test_the_score_of_the_netflix_paper() -> None:
    """Three people: wt = 1/log 3 and, guarded, 1/log 2; by hand."""
    ratings = Ratings.of([0, 1, 2, 0], ["a", "a", "a", "b"], [3, 3, 5, 1], [0, 30, 0, 0])
    known = Auxiliary.of(ratings, [{"a": (3, 0), "b": (1, 60)}])
    scores = np.array(
        [2 / math.log(3) + (1 + math.exp(-2)) / math.log(2),
         (1 + math.exp(-1)) / math.log(3),
         (math.exp(-2 / 1.5) + 1) / math.log(3)]
    )  # fmt: skip
    assert identify(ratings, known).eccentricity[0] == pytest.approx(
        (scores[0] - scores[1]) / scores.std()
    )


def test_eight_ratings_with_two_wrong_and_two_weeks_off_find_nearly_everybody() -> None:
    ratings = long_tailed(1)
    result = evaluate(ratings, rng=np.random.default_rng(2), targets=200, outsiders=200)
    assert result.found.value > 0.9
    assert result.baseline.value == pytest.approx(1 / (len(ratings.people) - 200))
    assert result.control is None
    assert result.detail["outsiders"]["people"] == 200
    assert result.detail["outsiders"]["matched"] < 40
    assert result.succeeded
    assert result.gain > 0.8
    assert result.summary()["attack"] == "sparse"


def test_false_matches_of_outsiders_do_not_hide_who_was_found() -> None:
    """Everybody is found, and every outsider taken for somebody: the gain is against guessing."""
    ratings = Ratings.of([0, 0, 1, 1, 2, 3], ["a", "b", "c", "d", "e", "f"])
    known = Auxiliary.of(ratings, [dict.fromkeys(pair, (None, None)) for pair in ("ab", "cd")])
    result = deanonymise(ratings, known, np.array([0, 1]), outsiders=known)
    assert result.found.successes == 2
    assert result.detail["outsiders"] == {"people": 2, "matched": 2}
    assert result.baseline.value == 1 / 4
    assert result.without is result.baseline
    assert result.gain == 1
    assert result.sentences[-1] == (
        "Of 2 people who are not in the release 2 were matched with somebody."
    )


def test_the_entropic_method_finds_nobody_and_says_so() -> None:
    result = evaluate(
        all_alike(50), rng=np.random.default_rng(1), targets=10, outsiders=0, method="entropic"
    )
    assert result.sentences == (
        "The right record gets a probability of 2.0% on average, for 10 people looked for among "
        "50 by 8 ratings each.",
    )


def test_less_knowledge_finds_fewer() -> None:
    ratings = long_tailed(1)
    found = [
        evaluate(ratings, rng=np.random.default_rng(3), targets=300, m=m, wrong=w, days=d)
        for m, w, d in ((8, 2, 14), (5, 2, 14), (3, 2, 14), (2, 2, 14))
    ]
    rates = [result.found.value for result in found]
    assert rates[0] > rates[1] > rates[2] > rates[3]
    assert not found[3].succeeded, "what is wrong altogether finds nobody"


@pytest.mark.parametrize("method", METHODS)
def test_where_all_are_alike_nobody_is_found(method: str) -> None:
    result = evaluate(
        all_alike(), rng=np.random.default_rng(4), outsiders=50, method=method,  # type: ignore[arg-type]
    )  # fmt: skip
    assert result.found.value <= result.baseline.interval()[1]
    assert not result.succeeded


def test_guessing_among_all_who_are_alike_is_the_baseline_to_the_digit() -> None:
    result = evaluate(
        all_alike(), rng=np.random.default_rng(4), outsiders=0, wrong=0, days=0, phi=0
    )
    assert result.found.value == pytest.approx(1 / 500)


def test_names_that_say_nothing_find_nobody() -> None:
    """Pure noise: the release is of other people; whoever is named is not the target."""
    true, other = long_tailed(1), long_tailed(9)
    targets = np.arange(200)
    known = observe(true, targets, rng=np.random.default_rng(5))
    kept = np.isin(true.items[known.item], other.items)
    item = np.searchsorted(other.items, true.items[known.item[kept]])
    indptr = np.concatenate(([0], np.cumsum(kept)))[known.indptr]
    learnt = Auxiliary(indptr, item, known.rating[kept], known.day[kept])
    result = deanonymise(other, learnt, targets, outsiders=learnt)
    assert result.found.successes <= 2
    assert not result.succeeded


def test_outsiders_are_not_in_the_release() -> None:
    ratings = long_tailed(1, people=50, items=30, draws=900)
    gone = np.array([3, 7])
    left, place = ratings.without(gone)
    assert (place[gone] == -1).all()
    assert not set(left.people) & set(ratings.people[gone])
    before = {
        (str(ratings.people[p]), i, r)
        for p, i, r in zip(
            ratings.person, ratings.item_of(np.arange(len(ratings.person))), ratings.rating,
            strict=True,
        )
        if p not in gone
    }  # fmt: skip
    after = zip(left.person, left.item_of(np.arange(len(left.person))), left.rating, strict=True)
    assert {(str(left.people[p]), i, r) for p, i, r in after} == before


def test_what_is_observed_is_the_targets_own_within_the_errors() -> None:
    ratings = long_tailed(1)
    targets = np.arange(0, 300, 3)
    known = observe(ratings, targets, m=6, wrong=0, days=14, rng=np.random.default_rng(6))
    items = ratings.item_of(np.arange(len(ratings.person)))
    truth = {
        (p, i): (r, d)
        for p, i, r, d in zip(ratings.person, items, ratings.rating, ratings.day, strict=True)
    }
    off = []
    for t, target in enumerate(targets):
        mine = range(known.indptr[t], known.indptr[t + 1])
        assert len({known.item[k] for k in mine}) == len(mine) <= 6
        for k in mine:
            rating, day = truth[target, known.item[k]]
            assert known.rating[k] == rating
            off.append(known.day[k] - day)
    assert set(off) == set(range(-14, 15))
    wrong = observe(ratings, targets, m=6, wrong=6, days=0, rng=np.random.default_rng(6))
    own = [(targets[t], wrong.item[k]) in truth for t in range(len(targets))
           for k in range(wrong.indptr[t], wrong.indptr[t + 1])]  # fmt: skip
    assert np.mean(own) < 0.5


def test_the_same_seed_finds_the_same() -> None:
    ratings = long_tailed(1)
    one, two = (evaluate(ratings, rng=np.random.default_rng(8)).summary() for _ in range(2))
    assert one == two


def test_a_million_ratings_are_compared_by_compiled_code() -> None:
    ratings = long_tailed(1, people=10_000, items=2_000, draws=1_500_000)
    assert len(ratings.person) > 1_000_000
    result = evaluate(ratings, rng=np.random.default_rng(1))
    assert steps(lambda: evaluate(ratings, rng=np.random.default_rng(1))) < 10_000
    assert result.found.value > 0.9


def test_files_with_dates(tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(
        "who,film,stars,on\nAnn,Brazil,5,2020-01-31\nAnn,Alien,,2020-02-01\nBob,Alien,3,\n"
    )
    ratings = Ratings.read(file, person="who", item="film", rating="stars", day="on")
    assert ratings.people.tolist() == ["Ann", "Bob"]
    assert ratings.items.tolist() == ["Alien", "Brazil"]
    np.testing.assert_equal(ratings.rating, [NAN, 3, 5])
    days = [(dt.date(2020, *md) - dt.date(1970, 1, 1)).days for md in ((2, 1), (1, 31))]
    np.testing.assert_equal(ratings.day, [days[0], NAN, days[1]])
    found = identify(ratings, Auxiliary.of(ratings, [{"Brazil": (None, None)}]), phi=0.5)
    assert found.person.tolist() == [0]


def test_transactions_have_neither_ratings_nor_days() -> None:
    ratings = Ratings.of(["a", "a", "b", "c"], ["milk", "saffron", "milk", "milk"])
    known = Auxiliary.of(ratings, [{"saffron": (None, None), "milk": (None, None)}])
    assert identify(ratings, known).person.tolist() == [0]


def test_bad_input_is_told(tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("who,film,stars\nAnn,Brazil,five\n")
    ratings = all_alike(5, 3)
    with pytest.raises(DataError, match="rating column are numbers"):
        Ratings.read(file, person="who", item="film", rating="stars")
    with pytest.raises(DataError, match="'stars'"):
        Ratings.read(file, person="who", item="film", rating="star")
    with pytest.raises(DataError, match="different lengths"):
        Ratings.of([1, 2], [1])
    with pytest.raises(DataError, match="no ratings"):
        Ratings.of([], [])
    with pytest.raises(DataError, match="lacks"):
        Ratings.of(["a", None], ["x", "y"])
    with pytest.raises(DataError, match="nobody rated"):
        Auxiliary.of(ratings, [{"17": (1, 1)}])
    with pytest.raises(PlanError, match="100 outsiders of 5 people"):
        evaluate(ratings, rng=np.random.default_rng(1))
    with pytest.raises(PlanError, match="cannot be"):
        observe(ratings, np.array([0]), m=2, wrong=3, rng=np.random.default_rng(1))
    known = observe(ratings, np.array([0]), rng=np.random.default_rng(1))
    with pytest.raises(PlanError, match="no method"):
        identify(ratings, known, method="magic")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="true people"):
        identify(ratings, known, truth=np.array([9]))
    with pytest.raises(DataError, match="outsiders"):
        deanonymise(ratings, known, np.array([-1]))
    with pytest.raises(DataError, match="nobody to look for"):
        deanonymise(ratings, Auxiliary.of(ratings, []), np.array([], np.int64))
