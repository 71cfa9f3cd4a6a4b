"""The tests themselves: each folder is a room or a suite, and no test goes by the clock."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.rooms import ROOMS  # noqa: E402

TESTS = ROOT / "tests"
SOURCE = ROOT / "src" / "hedgerow"
SUITES = {"contracts", "properties", "golden", "statistical", "house", "fuzz", "spark"}
"""Folders of tests that are about no single room."""
CLOCKS = {"perf_counter", "process_time", "thread_time", "timeit"}
"""What measures how long something took; `tests/work.py` counts what it did instead."""
WAITING = {"monotonic", "time"}
"""What may say when to stop waiting, and may not be what a test asserts."""
FILES = sorted(path for path in TESTS.rglob("*.py") if "__pycache__" not in path.parts)


def folders() -> list[str]:
    return sorted({str(path.parent.relative_to(TESTS)) for path in FILES} - {"."})


def test_there_are_tests() -> None:
    assert len(FILES) > 200


@pytest.mark.parametrize("folder", folders())
def test_a_folder_is_a_room_or_a_suite(folder: str) -> None:
    """The folder below a room is a package of the room."""
    room = folder.partition("/")[0]
    if room in SUITES:
        assert folder == room
    else:
        assert room in ROOMS, "name it after the room that its tests are about"
        assert (SOURCE / folder).is_dir()


def test_every_room_has_tests() -> None:
    assert set(ROOMS) <= set(folders())


def test_tests_are_in_folders() -> None:
    assert not list(TESTS.glob("test_*.py"))


def clocks(tree: ast.AST) -> list[str]:
    """The clocks by which a module measures, and those that it asserts something of."""
    found = [
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name)
    ]
    asserted = [
        node.attr
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Assert)
        for node in ast.walk(statement.test)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "time"
    ]
    return [name for name in found if name in CLOCKS] + [n for n in asserted if n in WAITING]


def test_no_test_goes_by_the_clock() -> None:
    """On a busy machine the clock fails tests of right code; on a fast one it passes wrong code."""
    found = {str(file.relative_to(TESTS)): clocks(ast.parse(file.read_bytes())) for file in FILES}
    assert not {file: names for file, names in found.items() if names}, (
        "count steps instead: see tests/work.py"
    )


def test_a_clock_would_be_found() -> None:
    assert clocks(ast.parse("import time\nbegun = time.perf_counter()"))
    assert clocks(ast.parse("from time import perf_counter\nbegun = perf_counter()"))
    assert clocks(ast.parse("assert time.monotonic() - begun < 5"))
    assert not clocks(ast.parse("while time.monotonic() < until: time.sleep(1)"))
