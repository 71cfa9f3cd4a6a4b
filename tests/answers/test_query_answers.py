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
from noise import oracle
from scipy.stats import binom
from statistical.test_dp_statistics import OFF, fits, floats, rejected
from work import growth

import hedgerow
from hedgerow.answers.answer import Answer
from hedgerow.answers.counts import Count
from hedgerow.answers.marginals import Marginals
from hedgerow.answers.public_knowledge import Public
from hedgerow.answers.ranges import Between, Ranged, Ranges
from hedgerow.answers.selections import MostFrequent, Quantiles
from hedgerow.answers.sums import Aggregate
from hedgerow.attacks.floating_point import identifies
from hedgerow.base.errors import DataError, PlanError
from hedgerow.engines import open_engine
from hedgerow.ledger import Amounts, Ledger
from hedgerow.noise.calibration import price
from hedgerow.noise.neighbours import Neighbouring

FALSE_ALARM = 1e-7
"""The chance that one test of a right interval fails, at most."""
PRICES = [price(epsilon="0.5"), price(rho="0.1"), price(epsilon="0.5", delta="1e-6")]
MANY = 3000
"""Cells with the same numbers: one answer has as many independent intervals."""


def covers(hits: Any, *, at_least: float = 0.95) -> bool:
    """Whether so many intervals may have held, if each holds often enough."""
    held = np.asarray(hits, bool)
    return int((~held).sum()) <= binom.isf(FALSE_ALARM, held.size, 1 - at_least)


def test_the_test_of_intervals_has_power() -> None:
    rng = np.random.default_rng(3)
    assert covers(rng.random(MANY) < 0.95)
    assert not covers(rng.random(MANY) < 0.92)


def cells(many: int) -> Any:
    return values(*(f"v{i}" for i in range(many)))


@pytest.mark.parametrize("loss", PRICES, ids=str)
@pytest.mark.parametrize("exact", [0, 3, 1000])
def test_intervals_of_counts(loss: Any, exact: int) -> None:
    design: Any = Count(by=("g",)).design(
        public(Neighbouring.ADD_REMOVE, 1, {"g": cells(MANY)}), loss
    )
    (told,) = design.shown(design.noisy(np.full(MANY, exact)))
    low, high = (np.array(told.columns[end]) for end in ("low", "high"))
    assert covers((low <= exact) & (exact <= high))
    assert np.mean(high - low) < 60, "and they are no wider than they have to be"


@pytest.mark.parametrize("loss", PRICES, ids=str)
@pytest.mark.parametrize("kind", ["sum", "mean", "variance"])
@pytest.mark.parametrize("step", [1, None])
@pytest.mark.parametrize("people", [1, 40, 5000])
def test_intervals_of_sums(kind: Any, loss: Any, step: Any, people: int) -> None:
    domains = {"g": cells(MANY // 3), "x": bounds(-20, 100, step)}
    everybody = public(Neighbouring.ADD_REMOVE, 1, domains)
    design: Any = Aggregate(kind=kind, column="x", by=("g",)).design(everybody, loss)
    rng = np.random.default_rng(people)
    numbers = np.clip(rng.gamma(2, 20, people) - 20, -20, 100).round(0 if step else 6)
    summed = design.summed
    units = np.floor(numbers / float(summed.unit) + 0.5).astype(np.int64) - summed.centre
    counted = {"k0": np.arange(MANY // 3, dtype=np.int32), "n": np.full(MANY // 3, len(units))}
    counted["s0"] = np.full(MANY // 3, units.sum())
    if kind == "variance":
        counted["s1"] = np.full(MANY // 3, (units**2).sum())
    (told,) = design.shown(design.noisy(design.read([pa.table(counted)])))
    exact = {"sum": numbers.sum(), "mean": numbers.mean(), "variance": numbers.var()}[kind]
    low, high = (np.array(told.columns[end]) for end in ("low", "high"))
    slack = 1e-9 * max(abs(exact), 1)
    if kind == "sum" and step is None:
        slack += float(design.rounding) * people  # its interval is about rounded numbers
    assert covers((low - slack <= exact) & (exact <= high + slack))
    middle = np.array(told.columns[kind])
    assert ((low <= middle) & (middle <= high)).mean() > 0.99
    if people == 5000 and kind == "mean":
        assert np.mean(high - low) < 5, "enough people make a mean known"


@pytest.mark.parametrize("kind", ["mean", "variance"])
@pytest.mark.parametrize("number", ["30.4", "30.5", "-19.6", "99.9"])
@pytest.mark.parametrize(
    "ends", [("-20", "100", "1"), ("-20", "100", "0.5"), ("-20.3", "99.9", None)]
)
def test_intervals_allow_for_numbers_between_steps(kind: Any, number: str, ends: Any) -> None:
    """Half of the numbers a little off the step, which makes no two of them the same."""
    everybody = public(Neighbouring.ADD_REMOVE, 1, {"x": bounds(*ends)})
    design: Any = Aggregate(kind=kind, column="x").design(everybody, price(epsilon=10))
    numbers = np.repeat([float(number), float(number) + 0.09], 2500).clip(-20, 100)
    held = numbers.clip(*map(float, ends[:2]))
    exact = held.mean() if kind == "mean" else held.var()
    with open_engine(pa.table({"x": numbers})) as engine:
        counted = design.read([engine.tally(tally) for tally in design.tallies])
    found = [design.shown(design.noisy(counted))[0].columns for _ in range(200)]
    assert covers([told["low"][0] - 1e-9 <= exact <= told["high"][0] + 1e-9 for told in found])
    assert any("nearest multiple of" in note and "allows for that" in note for note in design.notes)


def test_the_variance_of_nobody_and_of_equal_numbers() -> None:
    everybody = public(Neighbouring.ADD_REMOVE, 1, {"x": bounds(0, 10)})
    design: Any = Aggregate(kind="variance", column="x").design(everybody, price(epsilon=1))
    for n in (0, 1, 2):
        zeros = tuple(np.array([v]) for v in (0, n, -n * design.half_square))
        (told,) = design.shown(zeros)
        assert 0 == told.columns["low"][0] <= told.columns["variance"][0]
        assert told.columns["high"][0] == 25.0


SHAPES = {
    "spread": [5] * 8,
    "two heavy cells": [60, 0, 0, 0, 0, 40, 0, 0],
    "one cell": [0, 0, 0, 50, 0, 0, 0, 0],
    "nobody": [0] * 8,
}


@pytest.mark.parametrize("loss", [price(epsilon=2), price(rho="0.5")], ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_ranks_of_quantiles(shape: str, loss: Any) -> None:
    """The chosen cell reaches to within so many ranks of the wanted one."""
    runs, counts = 400, np.array(SHAPES[shape])
    at = (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))
    domains = {"g": cells(runs), "x": bounds(0, 7, 1)}
    design: Any = Quantiles(column="x", at=at, by=("g",)).design(
        public(Neighbouring.ADD_REMOVE, 1, domains), loss
    )
    (told,) = design.shown(design.noisy(np.tile(counts, (runs, 1))))
    chosen = np.array(told.columns["x"]).astype(int).reshape(runs, len(at))
    error = np.array(told.columns["rank error"]).reshape(runs, len(at))
    upto = np.cumsum(counts)
    held = np.ones(runs, bool)
    for place, q in enumerate(at):
        wanted, cell = float(q) * upto[-1], chosen[:, place]
        off = np.maximum(upto[cell] - counts[cell] - wanted, wanted - upto[cell])
        held &= off <= error[:, place]
    assert covers(held), "all quantiles of a group at once"


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


@pytest.mark.parametrize("loss", [price(epsilon=2), price(rho="0.5")], ids=str)
@pytest.mark.parametrize("top", [1, 2])
def test_gaps_of_the_most_frequent(loss: Any, top: int) -> None:
    runs, counts = 400, np.array([20, 19, 17, 10, 10, 0])
    domains = {"g": cells(runs), "x": values(*"abcdef")}
    design: Any = MostFrequent(column="x", top=top, by=("g",)).design(
        public(Neighbouring.ADD_REMOVE, 1, domains), loss
    )
    (told,) = design.shown(design.noisy(np.tile(counts, (runs, 1))))
    chosen = np.array(["abcdef".index(v) for v in told.columns["x"]]).reshape(runs, top)
    fewer = np.array(told.columns["fewer by at most"]).reshape(runs, top)
    held = np.ones(runs, bool)
    for run in range(runs):
        left = set(range(6))
        for place in range(top):
            best = max(counts[i] for i in left)
            held[run] &= best - counts[chosen[run, place]] <= fewer[run, place]
            left -= {chosen[run, place]}
    assert covers(held), "of all draws together"


@pytest.mark.slow
@pytest.mark.parametrize("loss", [price(epsilon=1), price(rho="0.1")], ids=str)
@pytest.mark.parametrize("many", [5, 300])
def test_intervals_of_ranges(loss: Any, many: int) -> None:
    runs = 400
    everybody = public(Neighbouring.ADD_REMOVE, 1, {"x": bounds(0, many - 1, 1)})
    design: Any = Ranges(column="x").design(everybody, loss)
    counts = np.random.default_rng(1).integers(0, 20, many)
    exact = design.tree.levels(counts)
    spans = [(0, many), (0, 1), (1, many - 1), (many // 3, many // 2 + 1)]
    held: list[list[bool]] = [[] for _ in spans]
    for _ in range(runs):
        (told,) = design.shown(design.noisy(exact))
        for place, (start, end) in enumerate(spans):
            found = Ranged.of(told, design.details).between(start, end)
            held[place].append(found.least <= counts[start:end].sum() <= found.most)
            assert found.least <= max(found.count, 0) <= found.most
    for one in held:
        assert covers(one)


def test_intervals_of_keys_that_are_found() -> None:
    everybody = public(Neighbouring.ADD_REMOVE, 1, {}, "job")
    design: Any = Count(by=("job",)).design(everybody, price(epsilon=1, delta="1e-6"))
    keys = [(f"k{i}",) for i in range(MANY)]
    (told,) = design.shown(design.noisy((keys, np.full(MANY, 200))))
    assert len(told.columns["job"]) == MANY
    low, high = (np.array(told.columns[end]) for end in ("low", "high"))
    assert covers((low <= 200) & (high >= 200))


def test_intervals_of_several_tables() -> None:
    tables = (("g",), ("h",))
    domains = {"g": cells(MANY), "h": cells(MANY)}
    design: Any = Marginals(tables=tables).design(
        public(Neighbouring.CHANGE_ONE, 1, domains), price(epsilon=1)
    )
    for told in design.shown(design.noisy((np.full(MANY, 9), np.full(MANY, 9)))):
        low, high = (np.array(told.columns[end]) for end in ("low", "high"))
        assert covers((low <= 9) & (high >= 9))


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


@pytest.mark.parametrize(
    ("name", "given", "law", "scale"),
    [
        ("count", {"epsilon": "0.4"}, oracle.laplace, Fraction(5, 2)),
        ("count", {"rho": "0.08"}, oracle.gaussian, Fraction(5, 2)),
        ("sum", {"epsilon": "2"}, oracle.laplace, Fraction(7, 2)),
        ("sum", {"rho": "2"}, oracle.gaussian, Fraction(7, 2)),
    ],
)
def test_the_noise_of_an_answer_has_the_scale_it_should(
    asked: Any, name: str, given: dict[str, Any], law: Any, scale: Fraction
) -> None:
    """By hand: a count changes by 1, a sum of numbers from 0 to 7 by 7. False alarms: 1e-7 each."""
    answer: Answer = (
        asked.count(by="g", **given) if name == "count" else asked.sum("x", by="g", **given)
    )
    assert float(answer.noise[0]["scale"]) == pytest.approx(float(scale))
    noisy = np.array(answer.table.columns[name])
    exact = np.zeros(CELLS)
    exact[::2] = 2 if name == "count" else answered(asked)
    drawn = (noisy - exact).astype(int).tolist()
    window = range(-120, 121)
    true = floats(law(0, scale, window))
    assert fits(drawn, true)
    for factor in OFF:
        assert rejected(drawn, true, floats(law(0, scale * factor, window))), factor


def answered(asked: Any) -> np.ndarray:
    """The exact sums of the cells with people, from the table itself."""
    data = asked._data.to_pydict()
    sums: dict[str, int] = {}
    for group, x in zip(data["g"], data["x"], strict=True):
        sums[group] = sums.get(group, 0) + x
    return np.array([sums[f"v{i}"] for i in range(0, CELLS, 2)])


def test_the_floating_point_attack_gains_nothing(asked: Any) -> None:
    """Half of the sums are 0, half are 1; which is which cannot be told by the last digits.

    At so small a price likelihood tells next to nothing, so that what the attack gains is what
    the digits give away.
    """
    epsilon = 0.01
    true = np.zeros(CELLS)
    true[::2] = 1.0  # one person with 1 and one with 0 in every second cell
    answer = asked.sum("y", by="g", epsilon=epsilon)
    sums = np.array(answer.table.columns["sum"])
    unit = 2.0**-32
    assert (np.mod(sums / unit, 1) == 0).all(), "multiples of a power of two, every one"
    lattice = identifies(sums, candidates=[0, 1], truth=true, noise="lattice", granularity=unit)
    assert lattice.gain == 0
    assert lattice.detail["identified"] == 0
    means = np.array(asked.mean("y", by="g", epsilon=epsilon).table.columns["mean"])
    inside = (means > 0) & (means < 1)
    for told, truth, candidates in (
        (sums, true, [0.0, 1.0]),
        (means[inside], 0.5 * true[inside], [0.0, 0.5]),
    ):
        assert len(told) > 500
        for noise in ("signed", "numpy"):
            found = identifies(
                told, candidates=candidates, truth=truth, scale=1 / epsilon, noise=noise
            )
            # The two people of a cell cost twice the price; the rest is chance.
            chance = float(binom.isf(FALSE_ALARM, len(told), 0.5)) / len(told) - 0.5
            off = abs(2 * float((truth > 0).mean()) - 1) / 2
            assert abs(found.gain) <= chance + np.tanh(epsilon) / 2 + off, noise
    careless = true + np.random.default_rng(1).laplace(0, 1 / epsilon, CELLS)
    told = identifies(careless, candidates=[0, 1], truth=true, scale=1 / epsilon, noise="numpy")
    assert told.gain > 0.1, "the attack works where noise is made carelessly"


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
    (Count(), "Each person counts once, and rows without a person do not;"),
    (Count(by=("g",)), "At most 3 cells of a person count, and rows without a person do not;"),
    (Count(of="rows"), "At most 3 rows of a person count, and"),
    (Aggregate(kind="sum", column="x"), "At most 3 rows of a person count, and"),
    (Quantiles(column="x"), "At most 3 rows of a person count, and"),
    (MostFrequent(column="g"), "At most 3 rows of a person count, and"),
    (Marginals(tables=(("g",), ("x",))), "At most 3 cells of a person count, and"),
    (Ranges(column="x"), "At most 3 rows of a person count, and"),
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
    assert "Numbers of x count as the lower step of 1." in told_by(kind, 1, Count(by=("x",)))
    assert "lower step" not in told_by(kind, 1, Count(by=("x:2",)))
    assert "the middle of a cell of x" in told_by(kind, 1, Quantiles(column="x:2"))


def test_a_delta_that_is_spent_is_explained() -> None:
    known = public(Neighbouring.ADD_REMOVE, 1, {"g": cells(500)}, "job")
    for question, spends in [(Count(by=("job",)), True), (Count(by=("g",)), False)]:
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
