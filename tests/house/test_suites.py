"""The suites count their tests, shuffle them, and count work: each fails where it should."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import suites
from suites import SUITES, missing, shuffled
from work import growth, steps


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with these suites, two tests, and a floor of three."""
    tests = tmp_path / "tests"
    tests.mkdir()
    shutil.copy(suites.__file__, tests / "suites.py")
    suite = {"marks": "not slow", "in": ["tests"], "floor": 3}
    (tests / "suites.json").write_text(json.dumps({"default": suite}))
    (tests / "conftest.py").write_text(
        "import suites\n"
        "def pytest_addoption(parser): suites.add_options(parser)\n"
        "def pytest_configure(config): config.pluginmanager.register(suites)\n"
    )
    (tests / "test_two.py").write_text("def test_a(): pass\ndef test_b(): pass\n")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\ntestpaths = tests\npythonpath = tests\nmarkers = slow: slow"
    )
    return tmp_path


def run(project: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "xdist.plugin", *words],
        capture_output=True, text=True, check=False, cwd=project,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("processes", [[], ["-n", "2"]], ids=["alone", "shared"])
def test_a_suite_that_lost_a_test_fails(project: Path, processes: list[str]) -> None:
    code, said = run(project, "--suite", "default", *processes)
    assert code == 1, said
    assert "'default' has 2 tests, and had at least 3: some are not collected any more" in said
    assert "passed" not in said


def test_a_whole_suite_in_another_order(project: Path) -> None:
    assert run(project)[0] == 0, "two tests, as no suite is named"
    with (project / "tests" / "test_two.py").open("a") as file:
        file.write("def test_c(): pass\n")
    code, said = run(project, "--suite", "default", "--shuffle", "7", "-n", "2")
    assert code == 0, said
    assert "3 passed" in said
    assert "seed of the order: 7" in said


@pytest.mark.parametrize("words", [["tests/test_two.py"], ["-k", "x"], ["-m", "slow"]])
def test_a_suite_is_run_whole(project: Path, words: list[str]) -> None:
    code, said = run(project, "--suite", "default", *words)
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "--suite is a whole suite" in said


def test_what_is_said_of_too_few_tests() -> None:
    for name, suite in SUITES.items():
        floor = int(str(suite["floor"]))
        assert floor > 10
        assert missing(name, floor) is None
        said = missing(name, floor - 1)
        assert said is not None
        assert f"'{name}' has {floor - 1} tests" in said
    assert missing(None, 0) is None


def test_another_order_has_the_same_tests() -> None:
    def item(module: str, name: int) -> Any:
        return SimpleNamespace(path=Path(module), name=name)

    items = [item(module, name) for module in "abcdef" for name in range(5)]
    first, again, other = (shuffled(items, seed) for seed in ("1", "1", "2"))
    assert first == again != other
    assert sorted(map(id, other)) == sorted(map(id, items))
    modules = [found.path for found in other]
    assert modules != sorted(modules), "modules too"
    assert len({m for m, n in pairwise(modules) if m != n}) == 5, "as blocks"


def test_steps_count_loops() -> None:
    def looped(n: int) -> int:
        total = 0
        for i in range(n):
            total += i
        return total

    assert steps(lambda: looped(1000)) == pytest.approx(2000, abs=10)
    assert growth(looped, 1_000, 2_000) == pytest.approx(2, abs=0.01)
    assert growth(lambda n: [looped(n) for _ in range(n)], 50, 100) == pytest.approx(4, abs=0.2)
    assert growth(lambda n: sum(range(n)), 10, 1_000_000) == 1
    with pytest.raises(ZeroDivisionError):
        steps(lambda: 1 // 0)
    assert sys.gettrace() is None
