"""What an answer says of itself holds: its scale, its intervals, and that nothing else is told."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from answers.drawn import bounds, public, values
from work import growth

import hedgerow
from hedgerow.answers.answer import Answer
from hedgerow.answers.counts import CountQuestion
from hedgerow.answers.marginals import Marginals
from hedgerow.answers.public_knowledge import Public
from hedgerow.answers.ranges import Between, RangeCounts
from hedgerow.answers.selections import MostFrequent, Quantiles
from hedgerow.answers.sums import Aggregate
from hedgerow.base.errors import DataError, PlanError
from hedgerow.engines import open_engine
from hedgerow.ledger import Amounts, Ledger
from hedgerow.noise.calibration import price
from hedgerow.noise.neighbours import Neighbouring


def test_the_variance_of_nobody_and_of_equal_numbers() -> None:
    everybody = public(Neighbouring.ADD_REMOVE, 1, {"x": bounds(0, 10)})
    design: Any = Aggregate(kind="variance", column="x").design(everybody, price(epsilon=1))
    for n in (0, 1, 2):
        zeros = tuple(np.array([v]) for v in (0, n, -n * design.half_square))
        (told,) = design.shown(zeros)
        assert 0 == told.columns["low"][0] <= told.columns["variance"][0]
        assert told.columns["high"][0] == 25.0


@pytest.mark.parametrize("one", [price(epsilon=1), price(rho=1)], ids=str)
def test_several_quantiles_share_the_risk(one: Any) -> None:
    """Set in order, one may get the error of another: at the same noise, each says more."""
    everybody = public(Neighbouring.ADD_REMOVE, 1, {"x": bounds(0, 7, 1)})
    alone: Any = Quantiles(column="x").design(everybody, one)
    at = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
    three = price(epsilon=3) if one == price(epsilon=1) else price(rho=3)
    together: Any = Quantiles(column="x", at=at).design(everybody, three)
    mechanism = together.mechanisms[1]
    assert float(mechanism.scale) == pytest.approx(float(alone.mechanisms[0].scale))
    wanted = mechanism.accuracy(confidence=1 - Fraction(5, 300), candidates=8) / 2
    assert together.reach[1] == math.ceil(wanted) > alone.reach[0]
    assert any("no quantile of a group is off by more" in note for note in together.notes)


def test_much_money_buys_the_quantile_itself() -> None:
    """Also where many people have the same number: the cell they are in, not one beside it."""
    everybody = public(Neighbouring.ADD_REMOVE, 1, {"x": bounds(0, 7, 1)})
    for counts, medians in (([60, 0, 0, 0, 0, 40, 0, 0], {0}), ([0, 3, 4, 3, 0, 0, 0, 0], {2})):
        design: Any = Quantiles(column="x").design(everybody, price(epsilon=1000))
        exact = np.array([counts])
        (told,) = design.shown(design.noisy(exact))
        assert set(told.columns["x"]) <= medians
        assert design.best(exact).tolist() == [[next(iter(medians))]]


CELLS = 12_000
COLUMNS: dict[str, Any] = {
    "g": {"role": "sensitive", "domain": [f"v{i}" for i in range(CELLS)]},
    "x": {"role": "quasi-identifier", "bounds": [0, 7], "step": 1},
    "y": {"role": "quasi-identifier", "bounds": [0, 1]},
}


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Any]:
    """A session over a table: half of the cells have people, two each."""
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=1000, rho=1000))
    names = [f"v{i}" for i in range(0, CELLS, 2)] * 2
    half = len(names) // 2
    table = pa.table({"g": names, "x": [7, 3] * half, "y": [1.0] * half + [0.0] * half})
    with hedgerow.session(
        table, columns=COLUMNS, population="town", privacy={"neighbours": "add-remove"},
        ledger=tmp_path / "ledger.db",
    ) as session:  # fmt: skip
        yield session


def test_an_answer_is_read_as_it_was_written(asked: Any) -> None:
    for answer in (
        asked.count(epsilon=1),
        asked.median("x", epsilon=1),
        asked.marginals(["x", "g"], ways=1, epsilon=1),
        asked.ranges("x", epsilon=1),
        asked.most_frequent("x", top=2, epsilon=1),
    ):
        again = Answer.read(answer.to_bytes())
        assert again.to_bytes() == answer.to_bytes()
        assert again.again
        assert not answer.again
    low, high = asked.count(epsilon=1).interval
    assert low <= max(asked.count(epsilon=1).value, 0) <= high
    assert asked.count(by="x", epsilon=1).to_pandas().shape == (8, 4)
    assert asked.count(by="x", epsilon=1).to_arrow().column_names == ["x", "count", "low", "high"]


def test_a_range_tells_which_cells_were_counted(asked: Any) -> None:
    answer = asked.ranges("x:3", epsilon=1)
    assert [(one.low, one.high) for one in (answer.between(1, 4), answer.between(3, "6"))] == [
        (0.0, 6.0),
        (3.0, 6.0),
    ]
    beyond = answer.between(-1000, 1000)
    assert (beyond.low, beyond.high) == (0.0, 9.0)
    assert beyond.count == pytest.approx(sum(answer.table.columns["count"]))
    assert answer.between(7, 5) == Between(6.0, 6.0, 0.0, 0.0, 0.0)
    assert Answer.read(answer.to_bytes()).between(1, 4) == answer.between(1, 4)
    with pytest.raises(DataError, match="not about ranges"):
        asked.count(epsilon=1).between(1, 2)


def test_many_ranges_are_those_one_by_one_and_cheap(asked: Any) -> None:
    for answer in (asked.ranges("x", epsilon=1), asked.ranges("y", epsilon=1)):
        ends = np.random.default_rng(1).random((2, 300)) * 12 - 2
        ends[:, ::3] = np.round(ends[:, ::3])
        counts, off = answer.ranges.many(*np.sort(ends, axis=0))
        one_by_one = [answer.between(*map(float, pair)) for pair in np.sort(ends, axis=0).T]
        assert counts == pytest.approx([one.count for one in one_by_one])
        most = np.maximum(counts + off, 0)
        assert most == pytest.approx([one.most for one in one_by_one])
    assert answer.ranges is answer.ranges, "made once"

    def many(ranges: int) -> None:
        points = np.linspace(0, 1, ranges)
        answer.ranges.many(points * 0.3, 0.4 + points / 2)

    assert growth(many, 1_000, 1_000_000) < 1.5
    with pytest.raises(DataError, match="no number"):
        answer.ranges.many([0.0], [float("nan")])


MISUSED: list[tuple[Any, str]] = [
    (lambda s: s.count(where=5, epsilon=1), "a filter is a text, not 5"),
    (lambda s: s.count(by=5, epsilon=1), "5 is no name of a column"),
    (lambda s: s.count(by=["x", 5], epsilon=1), "5 is no name of a column"),
    (lambda s: s.table(5, epsilon=1), "5 is no name of a column"),
    (lambda s: s.histogram(None, epsilon=1), "None is no name of a column"),
    (lambda s: s.table(None, epsilon=1), "a table of no column"),
    (lambda s: s.sum(None, epsilon=1), "None is no name of a column"),
    (lambda s: s.mean(["x"], epsilon=1), "no name of a column"),
    (lambda s: s.median(5, epsilon=1), "5 is no name of a column"),
    (lambda s: s.most_frequent(5, epsilon=1), "5 is no name of a column"),
    (lambda s: s.ranges(5, epsilon=1), "5 is no name of a column"),
    (lambda s: s.quantiles("x", "0.5", epsilon=1), "a list of shares, not '0.5'"),
    (lambda s: s.quantiles("x", 0.5, epsilon=1), "a list of shares, not 0.5"),
    (lambda s: s.marginals(["x", "x"], ways=1, epsilon=1), "'x' is named twice"),
    (lambda s: s.marginals(5, epsilon=1), "5 is no name of a column"),
    (lambda s: s.count(epsilon=1, delta=0.9), "delta of 0.9 allows to publish one in a thousand"),
    (lambda s: s.count(by="x", epsilon=1, delta="0.00101"), "one in a thousand people outright"),
    (lambda s: s.count(epsilon=1, delta=0), "delta must be above 0"),
]


@pytest.mark.parametrize(("question", "says"), MISUSED, ids=[says for _, says in MISUSED])
def test_what_is_misused_is_said_and_not_paid_for(asked: Any, question: Any, says: str) -> None:
    with pytest.raises(PlanError, match=says) as refused:
        question(asked)
    if "above 0" in says:
        assert "1e-6" in str(refused.value.fix)
    assert not asked.budget.spent
    with pytest.raises(PlanError, match=says):
        question(asked.preview(people=10))


def told_by(kind: Any, rows: int, question: Any, *, person: str | None = "p") -> str:
    known = public(kind, rows, {"g": values("a", "b"), "x": bounds(0, 7, 1), "y": bounds(0, 1)})
    known = Public(known.columns, known.domains, known.neighbours, {}, person=person)
    return " ".join(question.design(known, price(epsilon=1)).notes)


PERSONAL: list[tuple[Any, str]] = [
    (CountQuestion(), "Each person counts once, and rows without a person do not;"),
    (
        CountQuestion(by=("g",)),
        "At most 3 cells of a person count, and rows without a person do not;",
    ),
    (CountQuestion(of="rows"), "At most 3 rows of a person count, and"),
    (Aggregate(kind="sum", column="x"), "At most 3 rows of a person count, and"),
    (Quantiles(column="x"), "At most 3 rows of a person count, and"),
    (MostFrequent(column="g"), "At most 3 rows of a person count, and"),
    (Marginals(tables=(("g",), ("x",))), "At most 3 cells of a person count, and"),
    (RangeCounts(column="x"), "At most 3 rows of a person count, and"),
]


@pytest.mark.parametrize(("question", "says"), PERSONAL, ids=[str(q) for q, _ in PERSONAL])
def test_who_does_not_count_is_said(question: Any, says: str) -> None:
    found = told_by(Neighbouring.ADD_REMOVE, 3, question)
    assert found.startswith(says)
    assert "numbers and intervals are about what counts." in found
    assert "a person" not in told_by(Neighbouring.ADD_REMOVE, 1, question, person=None)
    once = told_by(Neighbouring.ADD_REMOVE, 1, question)
    assert once.startswith(
        ("Each person counts", "At most 1 row of a person counts", "At most 1 cell")
    )


def test_a_session_says_who_does_not_count(tmp_path: Path) -> None:
    """Of 50 people with 3 rows each and 30 rows of nobody, one row a person is counted."""
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=10_000))
    people = [f"p{i % 50}" for i in range(150)] + [None] * 30
    with hedgerow.session(
        pa.table({"p": people, "x": [1] * 180}), population="town", person="p",
        columns={"x": {"role": "insensitive", "bounds": [0, 7], "step": 1}},
        privacy={"neighbours": "add-remove", "rows": 1}, ledger=tmp_path / "ledger.db",
    ) as session:  # fmt: skip
        answer = session.count(of="rows", epsilon=1000)
        preview = session.preview(people=5).sum("x", epsilon=1)
    assert answer.value == 50
    assert answer.notes[0].startswith("At most 1 row of a person counts, and rows without a person")
    assert preview.notes[0].startswith("At most 1 row of a person counts, and rows without")


def test_what_counts_as_what_is_said() -> None:
    kind = Neighbouring.ADD_REMOVE
    total = told_by(kind, 1, Aggregate(kind="sum", column="x"))
    assert "Numbers of x count as the nearest multiple of 1; the interval is about the sum" in total
    fine = told_by(kind, 1, Aggregate(kind="sum", column="y"))
    assert "as the nearest multiple of about 2.3e-10;" in fine
    spread = told_by(kind, 1, Aggregate(kind="variance", column="x"))
    assert "divided by n, the number of values, not by n - 1" in spread
    assert "Numbers of x count as the lower step of 1." in told_by(
        kind, 1, CountQuestion(by=("x",))
    )
    assert "lower step" not in told_by(kind, 1, CountQuestion(by=("x:2",)))
    assert "the middle of a cell of x" in told_by(kind, 1, Quantiles(column="x:2"))


def test_a_delta_that_is_spent_is_explained() -> None:
    known = public(Neighbouring.ADD_REMOVE, 1, {"g": values(*(f"v{i}" for i in range(500)))}, "job")
    for question, spends in [(CountQuestion(by=("job",)), True), (CountQuestion(by=("g",)), False)]:
        design: Any = question.design(known, price(epsilon=1, delta="1e-6"))
        told = any("With a probability of up to delta, 1e-6" in note for note in design.notes)
        assert told == spends == ("delta" in design.loss.amounts().texts())


def test_one_number_is_not_one_of_them(asked: Any) -> None:
    assert asked.count(epsilon=1).noise[0]["sensitivity"] == "one person changes it by at most 1"
    assert (
        "changes one of them by at most 1" in asked.count(by="x", epsilon=1).noise[0]["sensitivity"]
    )
    means = asked.mean("x", epsilon=1).noise[1]
    assert (means["of"], means["sensitivity"]) == (
        "the number of values",
        "one person changes it by at most 1",
    )


def test_the_ledger_says_what_was_asked(asked: Any) -> None:
    asked.count(by=["x:4"], where="g = 'v2'", epsilon=1)
    asked.quantiles("x", [0.1, 0.9], where="y > 0.5", epsilon=1)
    asked.marginals(["x", "y"], ways=1, where="y > 0.5", of="rows", epsilon=1)
    asked.ranges("x", where="y > 0.5", epsilon=1)
    names = [entry.body["name"] for entry in asked.ledger.releases("town")]
    assert names == [
        "how many people by x:4, where g = 'v2'",
        "the quantiles 0.1 and 0.9 of x, where y > 0.5",
        "2 contingency tables of 'x' and 'y', in rows, where y > 0.5",
        "how many rows are in any range of x, where y > 0.5",
    ]


def test_columns_may_be_called_like_those_of_an_answer(tmp_path: Path) -> None:
    """The answer's own column gives way."""
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=1_000_000, delta="1e-3"))
    names = ["count", "Low", "quantile", "place", "high", "high_"]
    table = pa.table({name: ["1", "2", "2"] for name in names})
    columns: Any = {n: {"role": "insensitive", "bounds": [0, 3], "step": 1} for n in names[:4]}
    columns |= dict.fromkeys(names[4:], "insensitive")
    with hedgerow.session(
        table, population="town", columns=columns, privacy={"neighbours": "add-remove"},
        ledger=tmp_path / "ledger.db",
    ) as session:  # fmt: skip
        much: Any = {"epsilon": 1000}
        counts = session.count(by=["count", "Low"], **much)
        assert list(counts.table.columns) == ["count", "Low", "count_", "low_", "high"]
        assert counts.table.told("count") == counts.table.columns["count_"]
        assert sum(counts.table.columns["count_"]) == 3
        means = session.mean("count", by="Low", **much).table
        assert list(means.columns) == ["Low", "mean", "low_", "high"]
        ranges = session.ranges("count", **much)
        assert list(ranges.table.columns) == ["count", "count_", "low", "high"]
        assert ranges.between(2, 4).count == pytest.approx(2)
        quantiles = session.quantiles("quantile", [0.5], by="count", **much).table
        assert list(quantiles.columns) == ["count", "quantile_", "quantile", "rank error"]
        assert quantiles.keys == ("count", "quantile_")
        first = session.most_frequent("place", **much)
        assert list(first.table.columns) == ["place_", "place", "fewer by at most"]
        assert first.value == "2"
        found = session.count(by=["high", "high_"], delta="1e-6", **much).table
        assert list(found.columns) == ["high", "high_", "count", "low", "high__"]
        assert (
            session.preview(people=9, runs=5).count(by="count", **much).errors[0]["of"] == "count_"
        )


def test_one_odd_value_does_not_tell_itself(tmp_path: Path) -> None:
    """Neither in an error of the library that reads the table, nor in what caused it."""
    import pandas as pd

    frame = pd.DataFrame({"g": ["a", "b", 7731], "x": [1, 2, 3]})
    with pytest.raises(DataError, match="Arrow table: 'g' has values of several types") as refused:
        open_engine(frame)
    assert "7731" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__
