"""A release lives once, and its life reads as a page of prose."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.publication import (  # noqa: E402
    complexity,
    length,
    life_cycles,
    publish_function,
)
from bench.house.source import Source  # noqa: E402


def test_one_module_lets_releases_appear() -> None:
    assert life_cycles(Source()) == {"hedgerow.release.destination"}


def test_publish_is_short_and_straight() -> None:
    found = publish_function()
    assert length(found) < 50
    assert complexity(found) < 10


def test_ways_are_counted() -> None:
    code = "def f(a, b):\n    if a and b:\n        return [x for x in a]\n    return a or b\n"
    (function,) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    assert complexity(function) == 5
