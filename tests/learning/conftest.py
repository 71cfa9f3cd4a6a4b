"""These tests, and the examples in docstrings, fit on made-up rows: nothing could be charged."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    library = here.parents[1] / "src" / "hedgerow" / "learning"
    for item in items:
        if {here, library} & set(item.path.parents):
            item.add_marker(
                pytest.mark.filterwarnings("ignore::hedgerow.learning.spend.NothingCharged")
            )
