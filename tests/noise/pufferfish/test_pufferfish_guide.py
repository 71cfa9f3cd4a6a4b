"""What the guide shows is what happens."""

from __future__ import annotations

import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[3] / "docs" / "pufferfish.md"


def test_the_guide_runs() -> None:
    found = doctest.testfile(str(GUIDE), module_relative=False)
    assert found.attempted > 20
    assert not found.failed
