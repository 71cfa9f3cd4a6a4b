"""Neighbours with odd values, and the same randomness: only noisy numbers may differ.

Two tables differ in one person. Whatever can be seen of a question is the same for both, but for
numbers that have noise, and these differ by no more than the question's design says.
"""

from __future__ import annotations

import csv
import json
import logging
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from answers.drawn import KINDS, added, bounds, public, values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from noise.tape import recording, replaying
from typer.testing import CliRunner

import hedgerow
from hedgerow.answers.counts import CountQuestion
from hedgerow.answers.marginals import Marginals
from hedgerow.answers.ranges import RangeCounts
from hedgerow.answers.selections import MostFrequent, Quantiles
from hedgerow.answers.sums import Aggregate
from hedgerow.cli import app
from hedgerow.engines import open_engine
from hedgerow.ledger import Amounts, Ledger
from hedgerow.noise.calibration import price
from hedgerow.noise.neighbours import Neighbouring

CANARY = "canary-7731"
NUMBERS = [
    None, "", "0", "-0.0", "3", "5", "-3", "2.5", "1e308", "-1e308", "1e-320", "nan", "NaN", "inf",
    "-Infinity", "abc", "1125899906842624", "-1125899906842625", "0.1", "1_000", " 4 ", "true", "٣",
    "9999999999999999999999999999999999999999", CANARY,
]  # fmt: skip
TEXTS = ["a", "b", None, "", "A", "a ", "'; --", "\x1b[31m", "=1+1", "☃", CANARY]
PEOPLE = ["p0", "p1", "p2", None, "", "nan"]
DOMAINS = {"g": values("a", "b", None), "x": bounds(-3, 5, 1)}
FINE = {"g": values("a", "b", None), "x": bounds("-1e6", "3.5")}

rows = st.fixed_dictionaries({"g": st.sampled_from(TEXTS), "x": st.sampled_from(NUMBERS)})
others = st.lists(
    st.tuples(st.sampled_from(PEOPLE), rows, st.sampled_from([1, 1, 2, 50])), max_size=8
)
"""A person, a row and how often that row stands in the table."""
own = st.lists(st.tuples(rows, st.sampled_from([1, 1, 3, 1000])), max_size=4)
"""The rows of the one person in whom the tables differ."""
Row = dict[str, Any]


def table(base: list[Any], person: list[Any] | None, shuffled: Any) -> list[Row]:
    """Rows in any order."""
    found = [{"p": p, **row} for p, row, times in base for _ in range(times)]
    found += [{"p": CANARY, **row} for row, times in person or () for _ in range(times)]
    shuffled.shuffle(found)
    return found


def arrow(given_rows: list[Row], *more: str) -> pa.Table:
    names = ("p", "g", "x", *more)
    return pa.table({n: pa.array([row[n] for row in given_rows], pa.string()) for n in names})


QUESTIONS = [
    CountQuestion(),
    CountQuestion(of="rows"),
    CountQuestion(by=("g",)),
    CountQuestion(by=("x:3", "g"), of="rows"),
    Aggregate(kind="sum", column="x"),
    Aggregate(kind="mean", column="x", by=("g",)),
    Aggregate(kind="variance", column="x"),
    Aggregate(kind="variance", column="x", by=("g",)),
    Marginals(tables=(("g",), ("x:2",))),
    RangeCounts(column="x:2"),
]
CHOICES = [Quantiles(column="x:2", by=("g",)), MostFrequent(column="g")]


Strategies = dict[str, Any]
NEIGHBOURS: Strategies = {
    "base": others,
    "one": own,
    "other": own,
    "order": st.randoms(use_true_random=False),
}
WITHOUT_HASTE: Any = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@pytest.mark.parametrize("domains", [DOMAINS, FINE], ids=["steps", "reals"])
@pytest.mark.parametrize("kind", KINDS)
@given(**NEIGHBOURS, most=st.integers(1, 3))
@settings(max_examples=3, **WITHOUT_HASTE)
def test_no_person_changes_more_than_the_design_says(
    kind: Neighbouring, domains: Any, base: Any, one: Any, other: Any, order: Any, most: int
) -> None:
    """Values of any kind, through the engine: what the sampler is handed differs as declared."""
    _changes(kind, domains, base, one, other, order, most)


@pytest.mark.slow
@pytest.mark.parametrize("domains", [DOMAINS, FINE], ids=["steps", "reals"])
@pytest.mark.parametrize("kind", KINDS)
@given(**NEIGHBOURS, most=st.integers(1, 3))
@settings(max_examples=15, **WITHOUT_HASTE)
def test_none_of_many_changes_more_than_the_design_says(
    kind: Neighbouring, domains: Any, base: Any, one: Any, other: Any, order: Any, most: int
) -> None:
    _changes(kind, domains, base, one, other, order, most)


def _changes(
    kind: Neighbouring, domains: Any, base: Any, one: Any, other: Any, order: Any, most: int
) -> None:
    second = None if kind is Neighbouring.ADD_REMOVE else other
    both = [
        {**row, "w": str(world)}
        for world, person in enumerate((one, second))
        for row in table(base, person, order)
    ]
    everybody = public(kind, most, domains)
    with open_engine(arrow(both, "w"), person="p") as engine:
        for question in [*QUESTIONS, *CHOICES]:
            wide = question if domains is DOMAINS else _coarse(question)
            asked = [replace(wide, where=f"w = '{world}'") for world in (0, 1)]
            # What is counted does not depend on the price.
            free = [each.design(everybody, price(epsilon=1)) for each in asked]
            counted = [[engine.tally(t) for t in design.tallies] for design in free]
            for loss in (price(epsilon=1), price(rho=1)):
                designs = [each.design(everybody, loss) for each in asked]
                exact = [d.read(found) for d, found in zip(designs, counted, strict=True)]
                if isinstance(question, Quantiles | MostFrequent):
                    steps = np.abs(exact[0] - exact[1]).sum()
                    assert steps <= everybody.neighbours.d_in, question
                else:
                    assert lost(designs, exact) <= 1, (question, loss)


def lost(designs: list[Any], exact: list[Any]) -> Fraction:
    """The exact loss of two tables, by what the samplers are handed for each."""
    drawn = [added(design, numbers) for design, numbers in zip(designs, exact, strict=True)]
    found = Fraction(0)
    for a, b in zip(*drawn, strict=True):
        assert (a.kind, a.scale, len(a.values)) == (b.kind, b.scale, len(b.values))
        off = [abs(x - y) for x, y in zip(a.values, b.values, strict=True)]
        if a.kind == "laplace":
            found += sum(off) / a.scale
        else:
            found += sum(z * z for z in off) / (2 * a.scale**2)
    return found


def _coarse(question: Any) -> Any:
    """The same in wide cells: without a step there are a thousand."""
    if isinstance(question, CountQuestion):
        return replace(question, by=tuple(by.replace("x:3", "x:500000") for by in question.by))
    if isinstance(question, Marginals):
        return replace(question, tables=(("g",), ("x:500000",)))
    if isinstance(question, RangeCounts | Quantiles):
        return replace(question, column="x:500000")
    return question


@pytest.mark.parametrize("person", [None, "p"])
def test_a_missing_number_changes_no_more_than_another_value(person: str | None) -> None:
    """pandas makes doubles of all whole numbers where one is missing, also of people's."""
    import pandas as pd

    everybody = public(Neighbouring.CHANGE_ONE, 1, {"g": values("1", "2", None)})
    base = {"g": [1, 2] * 500, "p": range(1000)}
    for question in (
        CountQuestion(by=("g",)),
        CountQuestion(where="g = '1'"),
        CountQuestion(where="not g = '2'"),
    ):
        designs, exact = [], []
        for last in (1, None):
            frame = pd.DataFrame({"g": [*base["g"], last], "p": [*base["p"], 1000]})
            design: Any = question.design(everybody, price(epsilon=1))
            with open_engine(frame, person=person) as engine:
                exact.append(design.read([engine.tally(t) for t in design.tallies]))
            designs.append(design)
        assert lost(designs, exact) <= 1, question
        assert exact[0].max() >= 500


@pytest.mark.parametrize("many", [10_000, 200_000])
def test_squares_of_many_people_do_not_overflow(many: int) -> None:
    """The farther apart the bounds, the larger are squares: no sum of them turns around."""
    wide = {"x": bounds("0.01", "600000.01", "1000")}
    everybody = public(Neighbouring.ADD_REMOVE, 1, wide)
    design: Any = Aggregate(kind="variance", column="x").design(everybody, price(epsilon=1))
    exact = []
    for more in (0, 1):
        people = np.full(many + more, 600_000.0)
        with open_engine(pa.table({"x": people})) as engine:
            exact.append(design.read([engine.tally(t) for t in design.tallies]))
    for before, after, part in zip(*exact, design.parts, strict=True):
        assert abs(int(after[0]) - int(before[0])) <= part.l1
    half = many // 2
    with open_engine(pa.table({"x": np.repeat([0.01, 600_000.01], half)})) as engine:
        numbers = design.read([engine.tally(t) for t in design.tallies])
    told = design.shown(numbers)[0].columns
    assert told["low"][0] <= 300_000.0**2 <= told["high"][0]
    assert told["variance"][0] == pytest.approx(300_000.0**2, rel=1e-3)


COLUMNS: dict[str, Any] = {
    "g": {"role": "sensitive", "domain": ["a", "b", None]},
    "x": {"role": "quasi-identifier", "bounds": [-3, 5], "step": 1},
}
ASKED: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("count", (), {"epsilon": 1}),
    ("count", (), {"of": "rows", "where": "x >= 0 or g is missing", "rho": 1}),
    ("count", (), {"by": ["g", "x:3"], "epsilon": 1, "delta": "1e-6"}),
    ("histogram", ("x",), {"epsilon": 1}),
    ("sum", ("x",), {"epsilon": 1}),
    ("sum", ("x",), {"by": "g", "rho": 1}),
    ("mean", ("x",), {"epsilon": 1}),
    ("variance", ("x",), {"by": "g", "epsilon": 1, "delta": "1e-6"}),
    ("median", ("x",), {"epsilon": 1}),
    ("quantiles", ("x",), {"by": "g", "rho": 1}),
    ("most_frequent", ("g",), {"top": 2, "epsilon": 1}),
    ("most_frequent", ("x",), {"rho": 1}),
    ("table", (["g", "x"],), {"epsilon": 1}),
    ("marginals", (["g", "x:3"],), {"ways": 1, "rho": 1}),
    ("ranges", ("x",), {"epsilon": 1}),
]


class Seen:
    """All that can be seen of the answers to all questions."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.ledger: list[Any] = []
        self.told: list[str] = []


def masked(answer: dict[str, Any]) -> tuple[Any, list[Any]]:
    """An answer without its noisy numbers, and these; ledger entries have hashes of their own."""
    tables, numbers = [], []
    for one in answer["tables"]:
        noisy = {name: column for name, column in one["columns"] if name not in one["keys"]}
        # How far off a choice may be is public, like the keys.
        known = {n: noisy.pop(n) for n in ("rank error", "fewer by at most") if n in noisy}
        keys = [(name, column) for name, column in one["columns"] if name in one["keys"]]
        tables.append((keys, known, [(name, len(column)) for name, column in noisy.items()]))
        numbers.append(noisy)
    rest = {k: v for k, v in answer.items() if k not in ("tables", "ledger")}
    return (tables, rest, answer["ledger"]["seq"]), numbers


def asked_of(source: Any, kind: str, most: int, folder: Path, caplog: Any) -> Seen:
    seen = Seen()
    place = folder / "ledger.db"
    with Ledger.open(place) as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=100, delta="0.1", rho=100))
    given_columns: Any = {
        "columns": COLUMNS, "population": "town", "person": "p", "name": "t",
        "privacy": {"neighbours": kind, "rows": most}, "ledger": place,
    }  # fmt: skip
    with hedgerow.session(source, **given_columns) as session:
        for name, arguments, keywords in ASKED:
            answer = getattr(session, name)(*arguments, **keywords)
            seen.answers.append(masked(answer.as_json()))
            seen.told += [answer.to_bytes().decode(), repr(answer)]
    with Ledger.open(place) as ledger:
        for entry in ledger.entries():
            # The hash of where the source lies has a salt of its own in each ledger.
            left_out = ("content", "source")
            body = {k: v for k, v in entry.body.items() if not k.startswith(left_out)}
            seen.ledger.append((entry.seq, entry.kind, entry.key, entry.spend, body))
            seen.told.append(entry.line())
    seen.told += [record.getMessage() for record in caplog.records]
    caplog.clear()
    return seen


def compare(one: Seen, other: Seen) -> None:
    assert one.ledger == other.ledger, "kinds, keys and amounts; hashes and times are left out"
    for (shape, numbers), (second, others_) in zip(one.answers, other.answers, strict=True):
        assert shape == second
        for mine, theirs in zip(numbers, others_, strict=True):
            for name, column in mine.items():
                types = {type(v) for v in column} | {type(v) for v in theirs[name]}
                assert len(types - {type(None), str}) <= 1, "whole numbers or doubles for all"
    for seen in (one, other):
        assert not any(CANARY in told or "\x1b" in told for told in seen.told)


@pytest.mark.parametrize("kind", KINDS)
@given(**NEIGHBOURS)
@settings(max_examples=2, **WITHOUT_HASTE)
def test_sessions_tell_neighbours_apart_by_noisy_numbers_alone(
    caplog: pytest.LogCaptureFixture,
    kind: Neighbouring,
    base: Any,
    one: Any,
    other: Any,
    order: Any,
) -> None:
    _sessions(caplog, kind, base, one, other, order)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(**NEIGHBOURS)
@settings(max_examples=12, **WITHOUT_HASTE)
def test_many_sessions_tell_neighbours_apart_by_noisy_numbers_alone(
    caplog: pytest.LogCaptureFixture,
    kind: Neighbouring,
    base: Any,
    one: Any,
    other: Any,
    order: Any,
) -> None:
    _sessions(caplog, kind, base, one, other, order)


def _sessions(caplog: Any, kind: Neighbouring, base: Any, one: Any, other: Any, order: Any) -> None:
    caplog.set_level(logging.DEBUG)
    second = None if kind is Neighbouring.ADD_REMOVE else other
    tables = [arrow(table(base, person, order)) for person in (one, second)]
    with (
        TemporaryDirectory() as first_folder,
        TemporaryDirectory() as second_folder,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error")
        with recording() as tape:
            first = asked_of(tables[0], kind, 2, Path(first_folder), caplog)
        with replaying(tape):
            compare(first, asked_of(tables[1], kind, 2, Path(second_folder), caplog))


def test_a_key_that_is_told_is_the_only_way_out() -> None:
    """Values nobody listed: one person's alone are not told, those of many are."""
    alone = [{"p": f"p{i}", "g": "a", "x": "1"} for i in range(30)]
    shared = [{"p": f"q{i}", "g": CANARY, "x": "1"} for i in range(500)]
    with TemporaryDirectory() as folder:
        place = Path(folder) / "ledger.db"
        with Ledger.open(place) as ledger:
            ledger.set_budget("town", Amounts.of(epsilon=100, delta="0.1"))
        said: Any = {
            "population": "town", "privacy": {"neighbours": "add-remove", "rows": 1}, "person": "p",
            "columns": {"g": "sensitive", "x": "insensitive"}, "ledger": place,
        }  # fmt: skip
        for rows_, told in (([*alone, shared[0]], False), ([*alone, *shared], True)):
            with hedgerow.session(arrow(rows_), **said) as session:
                answer = session.count(by="g", epsilon=1, delta="1e-9")
            assert (CANARY in answer.to_bytes().decode()) == told
        with Ledger.open(place) as ledger:
            lines = [entry.line() for entry in ledger.entries()]
        assert not any(CANARY in line for line in lines)


PLAN = """\
population: town
ledger: ledger.db
source: people.csv
person: p
privacy: {neighbours: add-remove, rows: 2}
columns:
  g: {role: sensitive, domain: [a, b, null]}
  x: {role: quasi-identifier, bounds: [-3, 5], step: 1}
"""
COMMANDS = [
    ["--count", "--epsilon", "1"],
    ["--count", "--by", "g", "--where", "x >= 0", "--epsilon", "1", "--json"],
    ["--mean", "x", "--by", "g", "--rho", "1"],
    ["--quantiles", "x", "--epsilon", "1", "--json"],
    ["--most-frequent", "g", "--epsilon", "1"],
    ["--ranges", "x", "--between", "0,3", "--epsilon", "1"],
    ["--marginals", "1", "--rho", "1", "--to", "answer.json"],
    ["--sum", "nothing", "--epsilon", "1"],
    ["--count", "--where", "x >", "--epsilon", "1", "--json"],
    ["--count", "--epsilon", "1e6"],
    ["--mean", "g", "--epsilon", "1"],
]
"""Also some that fail, each in its own way."""


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    return tmp_path


def commanded(rows_: list[Row], folder: Path, monkeypatch: Any) -> list[Any]:
    """Exit code, standard output and error of each command, and the files it leaves."""
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("plan.yaml").write_text(PLAN, "utf-8")
    with Path("people.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["p", "g", "x"])
        writer.writerows([row["p"], row["g"], row["x"]] for row in rows_)
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=100, rho=100))
    found = []
    for command in COMMANDS:
        done = CliRunner().invoke(app, ["query", "plan.yaml", *command])
        assert "Traceback" not in done.output
        assert CANARY not in done.output
        found.append((done.exit_code, _blind(done.stdout, command), done.stderr))
    found.append(sorted(path.name for path in folder.iterdir()))
    return found


def _blind(text: str, command: list[str]) -> Any:
    """Output without noisy numbers; in tables, with a mark for each."""
    if "--json" in command:
        told = json.loads(text)
        return told if "error" in told else masked(told)[0]
    if command[0] == "--most-frequent":
        return re.sub(r"^(1 +)\S+", r"\1?", text, flags=re.M)
    number = r" +-?[\d,.]+(e[+-]?\d+)?(?=[\s()]|$)"
    return re.sub(" +", " ", re.sub(rf"{number}| *\(.*? to .*?\)", " ?", text, flags=re.M))


def test_commands_tell_neighbours_apart_by_noisy_numbers_alone(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = [{"p": f"p{i % 7}", "g": "ab"[i % 2], "x": str(i % 5)} for i in range(40)]
    odd = [{"p": CANARY, "g": g, "x": x} for g in (CANARY, "a", None) for x in NUMBERS]
    with recording() as tape:
        one = commanded(base, empty / "one", monkeypatch)
    with replaying(tape):
        other = commanded([*odd, *base, *odd], empty / "other", monkeypatch)
    for command, mine, theirs in zip([*COMMANDS, "files"], one, other, strict=True):
        assert mine == theirs, command
    assert [code for code, *_ in one[:-1]] == [0] * 7 + [2, 2, 1, 2]
