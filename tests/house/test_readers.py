"""Published tables have one reader; whoever else counts rows counts a source or a prior."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.readers import (  # noqa: E402
    COUNTS_SOURCES,
    READER,
    counts_rows,
    published_readers,
    readers,
)
from bench.house.source import Source  # noqa: E402


def test_published_tables_have_one_reader() -> None:
    assert published_readers(Source()) == {READER}


def test_each_exception_is_still_one() -> None:
    assert set(COUNTS_SOURCES) <= readers(Source())


def test_a_second_reader_would_be_found() -> None:
    assert counts_rows(ast.parse("with open_engine(file) as e:\n    e.counts([])"))
    assert not counts_rows(ast.parse("Prior.counts({})"))
