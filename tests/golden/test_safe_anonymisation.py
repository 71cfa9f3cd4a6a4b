"""examples/safe_anonymisation and its guide: what the page says comes out."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench import safe as bench  # noqa: E402
from bench.clock import Measured  # noqa: E402
from examples.safe_anonymisation import attack  # noqa: E402
from examples.safe_anonymisation.__main__ import main  # noqa: E402

GUIDE = (ROOT / "docs" / "safe_anonymisation.md").read_text("utf-8")


def test_ordinary_anonymisers_tell_and_the_safe_one_does_not() -> None:
    told = {game.method: game.telling for game in attack.all_ordinary()}
    assert told == {"mondrian": ("49-97",), "lattice": ("*",), "microaggregation": ("59",)}
    assert all(game.right == game.of for game in attack.all_ordinary())
    game = attack.on_safe(6)
    assert (game.right, game.of, game.telling) == (3, 6, ())
    people, worst = attack.worst()
    assert people == 168
    assert Fraction("0.530") < worst.success < Fraction("0.532") < worst.bound
    assert attack.crowd() < Fraction("0.51")


def test_the_guide_shows_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--games", "20"]) == 0
    printed = capsys.readouterr().out.strip()
    assert printed in GUIDE


def test_what_the_bench_tells() -> None:
    detail = {"k": 311, "people": 30162, "lost": 6777.6, "least": 6529, "most": 7861, "runs": 20}
    found = {"safe_rows": Measured(1.5, 1.5, 1, 20, detail)}
    (row,) = bench.rows(found)
    assert row.worth.startswith("k = 311; 6,778 of 30,162 rows lost on average of 20 runs")
    assert "13,036 to 29,481" in row.worth
    assert row.target is None, "ARX was not run here"
