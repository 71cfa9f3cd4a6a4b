"""The refuter has to find a bug where there is one: four are planted, and each is found.

Each breaks the one place that keeps a kind of false claim away. The draws are the same as those
of the suite; a bug that none of the first MOST_DRAWS shows would not be found by it either.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fuzz.trial import Trial, try_seed

from hedgerow.engines.formats import SourceView
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.sources import attach

pytestmark = pytest.mark.fuzz

MOST_DRAWS = 300
Plant = Callable[[pytest.MonkeyPatch], None]


def rows_counted_as_people(patch: pytest.MonkeyPatch) -> None:
    """Nobody asks whose rows they are, and several rows of a person are as many people."""
    patch.setattr("hedgerow.release.partition.job.require_people", lambda *_, **__: ())
    patch.setattr("hedgerow.release.partition.job.require_rows", lambda *_, **__: None)


def spellings_skipped(patch: pytest.MonkeyPatch) -> None:
    """Every spelling is a value of its own."""
    patch.setattr("hedgerow.base.spelling.likeness", lambda value: value)


def overlaps_ignored(patch: pytest.MonkeyPatch) -> None:
    """Everybody is taken to be in their own group for sure, whatever else they fit."""
    patch.setattr(
        "hedgerow.release.partition.candidates.Candidates.certain", lambda self, *, listed: True
    )


def last_line_dropped(patch: pytest.MonkeyPatch) -> None:
    """The source is read without its last line, and nobody counts the lines."""

    def short(session: DuckDBSession, source: object, **how: Any) -> SourceView:
        found = attach(session, source, **how)
        if Path(str(source)).name == "source.csv":
            rows = session.number("SELECT count(*) FROM source")
            session.do(f"CREATE TEMP TABLE short AS SELECT * FROM source LIMIT {rows - 1}")
            session.do("CREATE OR REPLACE TEMP VIEW source AS SELECT * FROM short")
        return found

    patch.setattr("hedgerow.engines.local_table.attach", short)
    patch.setattr("hedgerow.engines.records.CsvRecords.require", lambda *_, **__: None)


@pytest.mark.parametrize(
    "plant", [rows_counted_as_people, spellings_skipped, overlaps_ignored, last_line_dropped]
)
def test_a_planted_bug_is_found(
    plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    found = _first_wrong(tmp_path)
    assert found is not None, f"no counterexample in {MOST_DRAWS} draws"
    print(f"seed {found.seed}: {found.wrong[0]}")
    assert any(_SHOWS[plant.__name__](why) for why in found.wrong), found.wrong


def _first_wrong(folder: Path) -> Trial | None:
    trials = (try_seed(seed, folder / str(seed)) for seed in range(MOST_DRAWS))
    return next((trial for trial in trials if trial.wrong), None)


_SHOWS: dict[str, Callable[[str], Any]] = {
    "rows_counted_as_people": lambda why: "people" in why,
    "spellings_skipped": lambda why: "carelessly" in why or "spellings" in why or "belief" in why,
    "overlaps_ignored": lambda why: "wants protected" in why or "on a list" in why,
    "last_line_dropped": lambda why: "people in the source" in why,
}
"""What the counterexample to each bug is about."""
