"""The benchmarks' own helpers: tables, clocks, targets and the page, on a tiny table."""

from __future__ import annotations

import contextlib
import doctest
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.csv
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench import (  # noqa: E402
    beliefs,
    clock,
    exploring,
    noise,
    noise_suite,
    profiles,
    report,
    suite,
    tables,
    wide,
    wide_tables,
    work,
)
from bench.__main__ import main  # noqa: E402
from hedgerow.api import demo  # noqa: E402

SMALL = {
    "sex": ("Male", "Female"),
    "age": ("31", "38", "45", "52"),
    "race": ("White", "Black"),
    "marital-status": ("Divorced", "Widowed"),
    "education": ("HS-grad", "Masters"),
    "native-country": ("Peru", "Laos"),
    "workclass": ("Private", "State-gov"),
    "occupation": ("Sales", "Tech-support"),
    "salary-class": ("<=50K", ">50K"),
}


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like Adult's: 60 complete rows, one with a `?`, a blank last line."""
    folder = tmp_path_factory.mktemp("data") / "adult"
    folder.mkdir()
    lines = []
    for i in range(60):
        row = dict.fromkeys(tables.COLUMNS, "0")
        row |= {name: values[i // (j + 1) % len(values)] for j, (name, values) in
                enumerate(SMALL.items())}  # fmt: skip
        lines.append(", ".join(row.values()))
    lines.append(lines[0].replace("Private", "?").replace("State-gov", "?"))
    (folder / "adult.data").write_text("\n".join(lines) + "\n\n")
    for name, values in SMALL.items():
        text = "".join(f"{value};*\n" for value in values)
        (folder / f"hierarchy_{name}.csv").write_text(text)
    return folder


@pytest.fixture(scope="module")
def prepared(adult: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    made = tables.prepare(folder, adult, rows=500, people=2_000)
    assert made["rows"] == 60
    assert made["drawn"] == 500
    return folder


def test_incomplete_rows_are_left_out(adult: Path) -> None:
    table = tables.read_adult(adult)
    assert table.num_rows == 60
    assert "?" not in table["workclass"].to_pylist()


def test_the_draw_is_reproducible_and_redraws_a_tenth_of_the_cells(adult: Path) -> None:
    table = tables.read_adult(adult)
    known = {tuple(row.values()) for row in table.to_pylist()}
    rows = [tuple(row.values()) for row in tables.drawn(table, 20_000, seed=1).to_pylist()]
    assert rows == [tuple(r.values()) for r in tables.drawn(table, 20_000, seed=1).to_pylist()]
    assert rows != [tuple(r.values()) for r in tables.drawn(table, 20_000, seed=2).to_pylist()]
    # With nine columns a tenth redrawn, at least 0.9^9 = 39 % of the rows are as they were, and
    # not all are: most combinations of these values are not in the table.
    unchanged = sum(row in known for row in rows) / len(rows)
    assert 0.39 < unchanged < 0.95
    ages = Counter(row[1] for row in rows)
    assert all(abs(n / 20_000 - 1 / 4) < 0.02 for n in ages.values())


@pytest.mark.parametrize(
    "name",
    ["roll_up", "search", "search_nothing_suppressed", "frontier", "closeness", "rows_to_node",
     "local", "mondrian", "mdav", "publish_frame", "mondrian_frame", "models", "models_frame",
     "adversaries", "adversaries_parquet", "adversaries_counted", "duckdb_groups",
     "intersection", "intersection_million"],
)  # fmt: skip
def test_every_job_runs(prepared: Path, name: str) -> None:
    measured = work.main(name, prepared, 1)
    assert measured.seconds > 0
    assert measured.memory > 10_000_000
    assert measured.detail


@pytest.mark.parametrize("name", exploring.JOBS)
def test_every_job_of_exploring_runs(prepared: Path, name: str) -> None:
    measured = clock.timed(exploring.JOBS[name](prepared), repeats=2)
    assert measured.seconds > 0
    assert all(measured.detail.values())


def test_the_profile_is_measured_beside_duckdb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiles, "ROWS", 3_000)
    found = {
        f"profiles_{name}": clock.timed(make(tmp_path), repeats=1)
        for name, make in profiles.JOBS.items()
    }
    assert found["profiles_csv"].detail["rows"] == 3_000
    assert found["profiles_special"].detail["combinations"] > 15 + 105
    with_targets = [row for row in profiles.rows(found) if row.target is not None]
    assert [row.peer for row in with_targets] == ["DuckDB: SUMMARIZE"] * 2
    assert set(exploring.TOLD) == set(exploring.JOBS)


@pytest.mark.slow
@pytest.mark.parametrize("name", beliefs.JOBS)
def test_every_job_of_beliefs_runs(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beliefs, "PATIENTS", 1_000)
    monkeypatch.setattr(demo, "SECOND", demo.SECOND[::-1])  # few patients need coarser labels
    found = clock.timed(beliefs.JOBS[name](tmp_path), repeats=1)
    assert all(found.detail.values())
    assert set(beliefs.TOLD) == set(beliefs.RUNS) == set(beliefs.JOBS)
    (row,) = beliefs.rows({f"beliefs_{name}": found})
    assert row.target is not None


def test_all_nodes_and_adversaries_are_measured(prepared: Path) -> None:
    measured = work.main("adversaries", prepared, 1)
    assert measured.detail == {"nodes": 72, "adversaries": 6}


def test_search_and_exhaustive_search_agree(prepared: Path) -> None:
    found = {name: work.main(name, prepared, 1) for name in ("search", "roll_up_evaluated")}
    assert suite.disagreements(found) == []
    off = clock.Measured(1.0, 1.0, 1, 1, {"loss": [found["search"].detail["loss"][0] + 0.01]})
    assert len(suite.disagreements({**found, "search": off})) == 1


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Few patients, few cells, few draws."""
    folder = tmp_path_factory.mktemp("patients")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(noise, "CELLS", {"age": 90, "job": 3, "region": 2})
        patched.setattr(noise, "DRAWS", 1_000)
        noise.prepare(folder, 2_000)
        yield folder


@pytest.mark.parametrize("name", list(noise_suite.OURS))
def test_every_job_with_noise_runs(patients: Path, name: str) -> None:
    measured = noise.main(name, patients, 1)
    assert measured.seconds > 0
    assert measured.detail
    assert noise.main(name, patients, 0).seconds == 0


def test_the_engine_counts_what_the_exact_queries_say(patients: Path) -> None:
    with contextlib.ExitStack() as held:
        exact = noise.JOBS["exact"](patients, held).work()
        counted = noise.JOBS["tallies"](patients, held).work()
    tallies = [table.to_pydict() for table in counted]
    ((count,),), ((filtered,),), ((total,),), ((mean,),), ages = exact
    assert (tallies[0]["n"], tallies[1]["n"], tallies[2]["s0"]) == ([count], [filtered], [total])
    (n,), (s,) = tallies[3]["n"], tallies[3]["s0"]
    assert mean == pytest.approx(noise.RICHEST / 2 + s / n)
    assert list(zip(tallies[4]["k0"], tallies[4]["n"], strict=True)) == ages


def test_the_steps_of_an_answer_are_parts_of_it(patients: Path) -> None:
    found = {"noise_answer_steps": noise.main("answer_steps", patients, 1)}
    assert list(found["noise_answer_steps"].detail) == list(noise.QUESTIONS)
    for spent in found["noise_answer_steps"].detail.values():
        parts = [spent[step] for step in ("engine", "noise", "ledger")]
        assert all(part > 0 for part in parts)
        assert sum(parts) + spent["rest"] <= spent["all"] + 1e-9
    assert all(len(line) == len(noise_suite.HEADINGS) for line in noise_suite.steps(found))


def test_answers_with_noise_have_their_rows_and_their_text() -> None:
    found = {**_found(), **{
        f"noise_{name}": clock.Measured(0.1, 0.1, 10**8, 1, {})
        for name in (*noise_suite.OURS, *noise_suite.PEERS)
    }}  # fmt: skip
    found["noise_answers"] = clock.Measured(0.16, 0.1, 10**8)
    found["noise_contingency"] = clock.Measured(0.2, 0.2, 10**8)
    rows = noise_suite.rows(found)
    met = [row.met for row in rows if row.ours is found["noise_answers"]]
    assert met == [False] * 3
    together = [row.met for row in rows if row.ours is found["noise_answers_together"]]
    assert together == [True] * 3
    table = next(row for row in rows if row.ours is found["noise_contingency"])
    assert (table.ratio, table.met) == ("2.0× as long", True)
    assert table.worth == "the sampler is 50% of it, in processor time"
    page = report.markdown(
        rows, found, table={"rows": 60, "drawn": 500, "distinct": 9},
        libraries=("Python", ""), load=0.5, left_out=[],
    )  # fmt: skip
    assert "| five answers with noise" in page
    assert "- *Five answers with noise*" in page
    assert noise_suite.rows({}) == noise_suite.steps({}) == []


def test_the_plans_of_all_jobs_are_valid(prepared: Path) -> None:
    from hedgerow.plan.plan import Plan

    for name in ("adult", "million", "close", "census_csv", "census_parquet"):
        assert Plan.read(prepared / f"{name}.yaml").models()
    assert pyarrow.csv.read_csv(prepared / "million.csv").num_rows == 500


def test_steps_add_up(prepared: Path) -> None:
    measured = work.main("steps", prepared, 1)
    assert {"import", "counting", "writing"} <= set(measured.detail)
    assert sum(measured.detail.values()) == pytest.approx(measured.seconds)


def test_a_command_is_timed_from_outside(tmp_path: Path) -> None:
    code = "import time; x = bytearray(80_000_000); time.sleep(0.2); print('{\"a\": 1}')"
    measured = clock.command([sys.executable, "-c", code], repeats=2)
    assert measured.seconds >= 0.2
    assert measured.cpu < measured.seconds
    assert measured.memory >= 80_000_000
    assert (measured.runs, measured.detail) == (2, {"a": 1})


def test_a_command_that_fails_is_not_a_measurement() -> None:
    with pytest.raises(clock.BenchError, match="exit code 3"):
        clock.command([sys.executable, "-c", "import sys; sys.exit(3)"])


def test_the_best_of_two_measurements() -> None:
    one = clock.Measured(2.0, 1.0, 300, 3, {"a": 1})
    two = clock.Measured(1.0, 1.5, 200, 4, {"b": 2})
    assert one.best(two) == two.best(one) == clock.Measured(1.0, 1.0, 300, 7, {"b": 2})
    assert one.best(None) == one


@pytest.mark.parametrize(
    ("target", "ours", "theirs", "met"),
    [
        (suite.Target("faster", 4), 1.0, 4.0, True),
        (suite.Target("faster", 4), 1.0, 3.9, False),
        (suite.Target("faster", 4), 1.0, None, None),
        (suite.Target("within", 3), 3.0, 1.0, True),
        (suite.Target("within", 3), 3.1, 1.0, False),
        (suite.Target("within", 3), 3.1, None, None),
        (suite.Target("under", 2), 1.9, None, True),
        (suite.Target("under", 2), 2.0, None, False),
    ],
)
def test_targets(target: suite.Target, ours: float, theirs: float | None, met: bool | None) -> None:
    assert target.met(ours, theirs) is met


def _found() -> dict[str, clock.Measured]:
    found = {name: clock.Measured(0.1, 0.1, 3 * 10**8, 3, {}) for name in suite.OURS}
    found["roll_up"] = clock.Measured(1.36, 1.3, 10**8)
    found["search"] = clock.Measured(0.5, 0.1, 10**8)
    found["local"] = clock.Measured(0.5, 0.1, 10**8, 1, {"granularity": 0.9})
    found["intersection"] = clock.Measured(0.02, 0.02, 10**8, 1, {"people": 5000})
    found["mdav"] = clock.Measured(0.5, 0.1, 10**8, 1, {"groups": 7})
    found["steps"] = clock.Measured(1.0, 1.0, 10**8, 1, {"import": 0.25, "counting": 0.75})
    return found


def test_what_was_not_run_is_computed_and_says_so() -> None:
    rows = suite.rows(_found())
    arx = next(row for row in rows if row.peer == "ARX")
    # The roll-up takes twice as long as where ARX was timed, so ARX would too.
    assert arx.seconds == pytest.approx(2 * 1.08)
    assert not isinstance(arx.theirs, clock.Measured)
    missed = rows[0]
    assert missed.met is False
    assert missed.ratio == "2.7× faster"
    assert missed.processor == "13.0×"
    page = report.markdown(
        rows, _found(), table={"rows": 60, "drawn": 500, "distinct": 9},
        libraries=("Python", ""), load=0.5, left_out=["Something."],
    )  # fmt: skip
    assert "2.16 s (computed)" in page
    assert "Missed: best release" in page
    assert "| counting | 750 ms | 75% |" in page
    assert "Something." in page


def test_duckdb_is_not_blamed_for_the_load_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite.os, "cpu_count", lambda: 2)
    found = _found()
    found["publish_million"] = clock.Measured(5.0, 5.0, 10**8)
    found["duckdb"] = clock.Measured(2.0, 2.0, 10**8)  # two cores' work, done on one

    def compared() -> list[suite.Row]:
        rows = suite.rows(found)
        return [row for row in rows if row.ours is found["publish_million"]]

    measured, alone = compared()
    assert (measured.ratio, measured.met) == ("2.5× as long", True)
    assert (alone.ratio, alone.met) == ("5.0× as long", False)
    found["duckdb"] = clock.Measured(1.0, 2.0, 10**8)
    assert [row.met for row in compared()] == [False] * 2


def test_a_changed_program_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    before = clock.fingerprint(tmp_path)
    assert clock.fingerprint(tmp_path) == before
    (tmp_path / "a.py").write_text("x = 2")
    after = clock.fingerprint(tmp_path)
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert len({before, after, clock.fingerprint(tmp_path)}) == 3


def test_a_peer_slowed_by_noise_does_not_help_us() -> None:
    ours = clock.Measured(1.0, 1.0, 1)
    target = suite.Target("faster", 4)
    assert suite.Row("", ours, "", clock.Measured(5.0, 4.5, 1), target).met is True
    assert suite.Row("", ours, "", clock.Measured(5.0, 3.0, 1), target).met is False
    assert suite.Row("", ours, "", clock.Measured(3.0, 5.0, 1), target).met is False
    assert suite.Row("", ours, "", 5.0, target).met is True
    found = {**_found(), "anonypy": clock.Measured(104.0, 52.0, 1, 1, {"groups": 1})}
    found["mondrian_frame"] = clock.Measured(0.1, 0.1, 1, 1, {"groups": 1})
    script = next(row for row in suite.rows(found) if row.peer == "a pure-Python script")
    assert script.seconds == pytest.approx(0.44)


def test_numbers_read_as_documented() -> None:
    assert doctest.testmod(report) == (0, 2)


def test_without_data_there_is_a_message_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("HEDGEROW_DATA", str(tmp_path))
    assert main([]) == 2
    assert "HEDGEROW_DATA" in capsys.readouterr().err
    monkeypatch.delenv("HEDGEROW_DATA")
    assert main([]) == 2


def test_wide_tables_are_searched_by_every_method(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tenth of a second each, of a small table; every method finds something."""
    monkeypatch.delenv("HEDGEROW_DATA", raising=False)
    monkeypatch.setattr(wide_tables, "PEOPLE", 300)
    assert list(wide_tables.tables()) == ["drawn"]
    plan = wide_tables.write(tmp_path, "drawn")
    found = {}
    for method in wide.METHODS:
        told = getattr(wide, method)(wide.search_of(plan), 0.1)
        assert told["nodes"] == 275_188_285_440
        found[f"wide_drawn_{method}_10"] = clock.Measured(0.1, 0.1, 0, 1, told)
    assert found["wide_drawn_portfolio_10"].detail["loss"] <= 1
    (row,) = wide.rows(found)
    assert "24 columns that are drawn" in row.job
    assert "genetic" in row.worth
    assert doctest.testmod(wide_tables).failed == 0
