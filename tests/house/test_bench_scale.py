"""The bench of growth: lines through made-up measurements, pages, clocks that see others."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench import census, growth, growth_page, report, scale  # noqa: E402
from bench.clock import BenchError, Measured  # noqa: E402
from bench.growth import FILES, THERE, Line, Run  # noqa: E402
from bench.watched import tree, watched  # noqa: E402

MILLION = 1_000_000
SLOPES = {"duckdb": 2.0, "postgresql": 10.0, "spark": 18.0, "cluster": 20.0}


def made_up() -> list[Run]:
    """Each engine on a line of its own: a fixed 5 s, a slope on the wall, half of it our work."""
    return [
        Run(
            engine=engine,
            target=target,
            rows=rows,
            seconds=5 + slope * rows / MILLION,
            own=1 + slope / 2 * rows / MILLION,
            others=4 + 3 * slope * rows / MILLION,
            memory=2**30,
            date="2026-11-15",
            machine="2 cores",
            elsewhere=0.02,
            sha256=f"{target}{rows}",
            certificate=f"about {target}{rows}",
            counting=slope if (engine, target) == ("postgresql", FILES) else None,
        )
        for engine, slope in SLOPES.items()
        for target in growth.TARGETS[engine]
        for rows in (MILLION, 4 * MILLION)
    ]


@given(
    st.lists(
        st.tuples(st.integers(1, 1000), st.floats(1, 1000)),
        min_size=2,
        max_size=6,
        unique_by=lambda point: point[0],
    )
)
def test_the_line_is_that_of_numpy(points: list[tuple[int, float]]) -> None:
    sizes, taken = map(np.array, zip(*points, strict=True))
    slope, begin = np.polyfit(sizes, taken, 1, w=1 / sizes)
    line = growth.fit((size * MILLION, seconds) for size, seconds in points)
    assert line is not None
    assert line.fixed >= 0
    assert line.million >= 0
    if slope >= 0 and begin >= 0:
        assert line.fixed == pytest.approx(begin, rel=1e-6, abs=1e-6)
        assert line.million == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_one_size_has_no_line() -> None:
    assert growth.fit([]) is None
    assert growth.fit([(MILLION, 1.0), (MILLION, 2.0)]) is None


def test_measurements_are_kept_and_replaced(tmp_path: Path) -> None:
    file = tmp_path / "scale.json"
    assert growth.stored(file) == []
    runs = made_up()
    growth.store(growth.merged([], reversed(runs)), file)
    assert sorted(growth.stored(file), key=str) == sorted(runs, key=str)
    newer = replace(runs[0], seconds=99.0)
    both = growth.merged(growth.stored(file), [newer])
    assert len(both) == len(runs)
    assert newer in both
    assert runs[0] not in both
    file.write_text('[{"engine": "duckdb"}]')
    with pytest.raises(BenchError, match="not a file of measurements"):
        growth.stored(file)


def test_engines_that_differ_are_noticed() -> None:
    runs = made_up()
    assert growth.differing(runs) == []
    assert growth.differing([*runs, replace(runs[0], sha256=None, certificate=None)]) == []
    (told,) = growth.differing([replace(runs[0], sha256="other"), *runs[1:]])
    assert "1,000,000 rows, files: the release differs" in told
    assert "DuckDB" in told
    (told,) = growth.differing([*runs[:-1], replace(runs[-1], certificate="other")])
    assert "4,000,000 rows, there: the certificate differs" in told


def test_the_tables_say_what_was_measured() -> None:
    told = growth_page.sections(made_up())
    assert list(told) == ["growth", "duckdb", "postgresql", "spark", "billion"]
    assert "| 4,000,000 | 13.0 s (33.0 s) | 45.0 s (145 s) |" in told["growth"]
    assert "| **fixed + a million** | 5.0 s + 2.00 s | 5.0 s + 10.00 s |" in told["growth"]
    assert "byte for byte" in told["growth"]
    assert "about 5.0 s, and 2.00 s for each" in " ".join(told["duckdb"].split())
    assert "| a table | 4,000,000 | | 45.0 s | 124 s | 21.0 s | 1.00 GB |" in told["postgresql"]
    line = "| a table | **fixed + a million** | | 5.0 s + 10.00 s | 4.0 s + 30.00 s | 1.0 s + 5.00"
    assert line in told["postgresql"]
    assert "| Spark with two workers | a folder | 1,000,000 | 25.0 s | 64.0 s |" in told["spark"]
    alone = [run for run in made_up() if run.engine == "spark"]
    assert "| a folder | 1,000,000 | 23.0 s | 58.0 s |" in growth_page.sections(alone)["spark"]
    assert "Other work took up to 2% of it" in " ".join(told["spark"].split())
    for text in told.values():
        widths = {line.count("|") for line in text.splitlines() if line.startswith("|")}
        assert len(widths) <= 1, "a table's lines have as many cells"


def test_a_billion_is_computed_from_the_lines_and_said_to_be() -> None:
    told = " ".join(growth_page.billion(made_up()).split())
    assert "a computation, not a measurement" in told
    assert "DuckDB: 5.0 s and a thousand times 2.00 s, so 33 minutes" in told  # 2,005 s
    assert "PostgreSQL, to a table: 5.0 s and a thousand times 10.00 s, so 2.8 hours" in told
    # 60,000 s of Java's; of ours 1 + 10,000.
    assert "60.0 s of Java's processor time, so 16.7 core hours: 16 minutes on 64 cores" in told
    assert "and 2.8 hours of processor time on the machine that publishes, which receives" in told
    level = [replace(run, seconds=5.0) for run in made_up() if run.engine == "duckdb"]
    assert "A billion" not in growth_page.billion(level)
    assert "No engine was measured at sizes that tell" in growth_page.billion(level)


def test_what_nobody_looked_at_is_not_said_to_be_quiet() -> None:
    runs = [run for run in made_up() if run.engine == "duckdb"]
    old = replace(runs[-1], elsewhere=None)
    both, quiet, alone = (
        " ".join(growth_page.duckdb(told).split()) for told in ([runs[0], old], runs, [old])
    )
    assert "2% of it meanwhile; for 4,000,000 rows that was not recorded." in both
    assert "not recorded" not in quiet
    assert "What other work the machine did meanwhile was not recorded." in alone
    assert "Time grows" not in alone


def test_texts_go_to_their_places_alone() -> None:
    place = growth_page.marked("x", "old | text")
    page = f"before\n{place}\nbetween\n{growth_page.marked('y', 'kept')}\nafter"
    made = growth_page.placed(page, {"x": r"new \1"})
    assert made == page.replace("old | text", r"new \1")
    unended = place.removesuffix(growth_page.END)
    for wrong in ("nothing", f"{place}\n{place}", unended, page.replace(place, unended)):
        with pytest.raises(BenchError, match="place for 'x'"):
            growth_page.placed(wrong, {"x": "new"})


def test_the_pages_say_what_is_kept() -> None:
    told = growth_page.sections(growth.stored())
    assert growth.differing(growth.stored()) == []
    for page, names in growth_page.PAGES.items():
        text = page.read_text("utf-8")
        chosen = {name: told[name] for name in names if name in told}
        assert growth_page.placed(text, chosen) == text, f"{page}: python -m bench.scale --write"


def test_the_page_of_benchmarks_has_a_place_for_growth() -> None:
    found = {"roll_up": Measured(1.0, 1.0, 1), "steps": Measured(1.0, 1.0, 1, 1, {"import": 1.0})}
    place = growth_page.marked("growth", "old")
    page = report.markdown(
        [], found, table={"rows": 1, "drawn": 1, "distinct": 1}, libraries=("", ""), load=0.0,
        left_out=[], growth=place,
    )  # fmt: skip
    assert "new" in growth_page.placed(page, {"growth": "new"})


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, Path]:
    page = tmp_path / "page.md"
    page.write_text(growth_page.marked("growth", "nothing yet"))
    return tmp_path / "scale.json", page


def test_what_is_void_is_not_kept(
    kept: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, page = kept
    asked = [str(store.parent), "--engine", "duckdb,spark", "--engine", "cluster", "--write"]

    def measured(folder: Path, engine: str, *_: object, **__: object) -> list[Run]:
        return [run for run in made_up() if run.engine == engine]

    monkeypatch.setattr(scale, "measured", measured)
    programs = iter("ab")
    monkeypatch.setattr(scale, "fingerprint", lambda _: next(programs))
    assert scale.main(asked, store=store, pages={page: ["growth"]}) == 1
    assert "changed during the run" in capsys.readouterr().err
    assert not store.exists()
    monkeypatch.setattr(scale, "fingerprint", lambda _: "a")
    assert scale.main(asked, store=store, pages={page: ["growth"]}) == 0
    assert "| 4,000,000 | 13.0 s (33.0 s) | 77.0 s (257 s) |" in page.read_text()
    before = store.read_bytes()
    other = [replace(run, sha256="other") for run in made_up() if run.engine == "postgresql"]
    monkeypatch.setattr(scale, "measured", lambda *_, **__: other)
    assert scale.main([*asked[:1], "--write"], store=store, pages={page: ["growth"]}) == 1
    assert "differs" in capsys.readouterr().err
    assert store.read_bytes() == before


@pytest.mark.parametrize(
    "wrong",
    [["--engine", "oracle"], ["--rows", "1e6"], ["--rows", "0"], ["--memory", "1GB", "--write"]],
)
def test_wrong_arguments_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        scale.main(["folder", *wrong])
    assert left.value.code == 2
    assert "error:" in capsys.readouterr().err


@pytest.mark.slow
def test_a_tiny_census_is_published_and_measured(tmp_path: Path) -> None:
    (run,) = scale.measured(tmp_path, "duckdb", [10_000], memory="1GB")
    table = pq.read_table(tmp_path / "first-10000" / "part-000.parquet")
    assert list(table.column_names) == list(census.COLUMNS)
    assert (run.engine, run.target, run.rows) == ("duckdb", FILES, table.num_rows)
    distinct = table.select(list(census.COLUMNS)[:-1]).group_by(list(census.COLUMNS)[:-1])
    assert run.cells == distinct.aggregate([]).num_rows
    assert 0 < run.own < 60
    assert run.others == 0
    assert run.memory > 50 * MILLION
    assert run.counting
    assert run.sha256
    assert not (tmp_path / "release-duckdb-10000").exists()


def test_numbers_of_growth_read_as_documented() -> None:
    for module in (growth, growth_page, scale):
        failed, tried = doctest.testmod(module)
        assert failed == 0
        assert tried
    assert Line(1.0, 2.0).at(3 * MILLION) == 7
    assert THERE not in growth.TARGETS["duckdb"]


BURN = "import time\nwhile time.process_time() < {}: pass\n"
COMMAND = """
import subprocess, sys
block = bytearray(120_000_000)
subprocess.run([sys.executable, "-c", sys.argv[1]])    # waited for
subprocess.Popen([sys.executable, "-c", sys.argv[2]])  # left behind
print('{"a": 1}')
"""


def test_work_of_others_is_told_from_our_own() -> None:
    waited, left = BURN.format(0.6), BURN.format(0.7)
    spent = watched([sys.executable, "-c", COMMAND, waited, left])
    assert 1.25 <= spent.others < 1.9  # the clocks tick, and to start takes time too
    assert spent.own < 0.6
    assert 120_000_000 <= spent.memory < 220_000_000
    assert spent.said == {"a": 1}
    assert 0 <= spent.elsewhere <= 1
    with pytest.raises(BenchError, match="exit code 3"):
        watched([sys.executable, "-c", "import sys; sys.exit(3)"])


SERVER = """
import subprocess, sys
for _ in sys.stdin:
    subprocess.run([sys.executable, "-c", sys.argv[1]])
"""


def test_work_of_a_server_counts_and_nothing_else() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, BURN.format(0.6)], stdin=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        # The command gets the pipe by its place under /proc: nothing is inherited.
        pipe = f"/proc/{os.getpid()}/fd/{server.stdin.fileno()}"
        ask = f"import time; open({pipe!r}, 'w').write('please\\n'); time.sleep(0.5)"
        spent = watched([sys.executable, "-c", ask], servers=[server.pid])
        assert 0.55 <= spent.others < 1.2
        quiet = watched([sys.executable, "-c", "pass"], servers=[server.pid])
        assert quiet.others < 0.1
        assert set(tree([server.pid])) == {server.pid}
        server.stdin.close()
