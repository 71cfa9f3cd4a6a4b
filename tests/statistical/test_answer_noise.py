"""The noise of answers is what they say, and their intervals hold as often as they say."""

from __future__ import annotations

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
from statistical.chance import FALSE_ALARM, OFF, covers, fits, floats, louder, rejected

import hedgerow
from hedgerow.answers.answer import Answer
from hedgerow.answers.counts import CountQuestion
from hedgerow.answers.marginals import Marginals
from hedgerow.answers.ranges import RangeCounts, Ranged
from hedgerow.answers.selections import MostFrequent, Quantiles
from hedgerow.answers.sums import Aggregate
from hedgerow.attacks.floating_point import identifies
from hedgerow.engines import open_engine
from hedgerow.ledger import Amounts, Ledger
from hedgerow.noise.calibration import price
from hedgerow.noise.neighbours import Neighbouring

PRICES = [price(epsilon="0.5"), price(rho="0.1"), price(epsilon="0.5", delta="1e-6")]
MANY = 12_000
"""Cells with the same numbers: one answer has as many independent intervals."""


def test_the_test_of_intervals_has_power() -> None:
    rng = np.random.default_rng(3)
    assert covers(rng.random(MANY) < 0.95)
    assert not covers(rng.random(MANY) < 0.92)


def cells(many: int) -> Any:
    return values(*(f"v{i}" for i in range(many)))


@pytest.mark.parametrize("loss", PRICES, ids=str)
@pytest.mark.parametrize("exact", [0, 3, 1000])
def test_intervals_of_counts(loss: Any, exact: int) -> None:
    design: Any = CountQuestion(by=("g",)).design(
        public(Neighbouring.ADD_REMOVE, 1, {"g": cells(MANY)}), loss
    )

    def drawn() -> tuple[np.ndarray, np.ndarray]:
        (told,) = design.shown(design.noisy(np.full(MANY, exact)))
        low, high = (np.array(told.columns[end]) for end in ("low", "high"))
        return (low <= exact) & (exact <= high), high - low

    held, width = drawn()
    assert covers(held)
    assert np.mean(width) < 60, "and they are no wider than they have to be"
    if exact == 1000:  # no end is moved to 0
        with louder():
            assert not covers(drawn()[0])


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
    design: Any = RangeCounts(column="x").design(everybody, loss)
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
    assert all(covers(one, among=len(held)) for one in held)


def test_intervals_of_keys_that_are_found() -> None:
    everybody = public(Neighbouring.ADD_REMOVE, 1, {}, "job")
    design: Any = CountQuestion(by=("job",)).design(everybody, price(epsilon="0.1", delta="1e-6"))
    keys = [(f"k{i}",) for i in range(MANY)]

    def drawn() -> np.ndarray:
        (told,) = design.shown(design.noisy((keys, np.full(MANY, 2000))))
        assert len(told.columns["job"]) == MANY
        low, high = (np.array(told.columns[end]) for end in ("low", "high"))
        return (low <= 2000) & (high >= 2000)

    assert covers(drawn())
    with louder():
        assert not covers(drawn())


def test_intervals_of_several_tables() -> None:
    tables = (("g",), ("h",))
    domains = {"g": cells(MANY), "h": cells(MANY)}
    design: Any = Marginals(tables=tables).design(
        public(Neighbouring.CHANGE_ONE, 1, domains), price(epsilon=1)
    )

    def drawn() -> Iterator[np.ndarray]:
        for told in design.shown(design.noisy((np.full(MANY, 900), np.full(MANY, 900)))):
            low, high = (np.array(told.columns[end]) for end in ("low", "high"))
            yield (low <= 900) & (high >= 900)

    assert all(covers(held, among=2) for held in drawn())
    with louder():
        assert not any(covers(held, among=2) for held in drawn())


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
