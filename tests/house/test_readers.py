"""Published tables have one reader; whoever else counts rows counts a source or a prior."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.readers import READER, counts_rows, readers  # noqa: E402
from bench.house.source import Source  # noqa: E402

COUNTS_SOURCES = {
    "hedgerow.table.cell_table": "the source, and the outside population",
    "hedgerow.release.engine_recoding": "the source, column by column",
    "hedgerow.plan.person_rows": "the source: which rows are one person's",
    "hedgerow.claims.prior_files": "a prior's file",
    "hedgerow.table.published_table": "whether a column of another tool's table counts people",
}


def test_published_tables_have_one_reader() -> None:
    found = readers(Source())
    assert READER in found
    assert found - set(COUNTS_SOURCES) == {READER}


def test_each_exception_is_still_one() -> None:
    assert set(COUNTS_SOURCES) <= readers(Source())


def test_a_second_reader_would_be_found() -> None:
    assert counts_rows(ast.parse("with open_engine(file) as e:\n    e.counts([])"))
    assert not counts_rows(ast.parse("Prior.counts({})"))
