"""A release as an attacker reads it: the same release reads the same on every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from hedgerow.attacks.background_knowledge import background_knowledge
from hedgerow.engines.duckdb import DuckDBEngine
from hedgerow.table.published_table import Published

RELEASE = pd.DataFrame(
    [
        (age, ill)
        for age in ("20-29", "30-39", "40-49")
        for ill in ("acne", "flu", "gout", "HIV", "measles", "pox")
        for _ in range(2)
    ],
    columns=["age", "ill"],
)
"""Every value is as frequent as every other: which is named first is decided by order alone."""


@pytest.fixture
def engine_order(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make the engine give its counts in another order, as it may."""
    counts = DuckDBEngine.counts

    def order(seed: int) -> None:
        def shuffled(self: DuckDBEngine, *names: Sequence[str], **more: Any) -> Any:
            found = counts(self, *names, **more)
            return found.take(np.random.default_rng(seed).permutation(len(found)))

        monkeypatch.setattr(DuckDBEngine, "counts", shuffled)

    return order


def test_a_group_in_words_leaves_out_what_says_nothing() -> None:
    rows = pd.DataFrame(
        [("*", "PLZ 10", "f", "flu"), ("*", "*", "m", "flu"), ("*", "*", "*", "flu")],
        columns=["age", "PLZ", "sex", "ill"],
    )
    release = Published.read(rows, sensitive=["ill"])
    told = {release.described(group) for group in range(len(release.codes))}
    assert told == {"(PLZ 10, sex f)", "(sex m)", "(anybody)"}


def test_the_example_is_the_same_whatever_order_the_engine_counts_in(
    engine_order: Callable[[int], None],
) -> None:
    told, tables = set(), set()
    for seed in range(12):
        engine_order(seed)
        release = Published.read(RELEASE, sensitive=["ill"], name="release")
        told.add(background_knowledge(release.groups, of="ill", m=1).sentences)
        found = release.groups.histograms["ill"]
        tables.add((release.codes.tobytes(), found.codes.tobytes(), found.counts.tobytes()))
    assert len(told) == 1
    assert "HIV" in next(iter(told))[1], "the first of the values in order"
    assert len(tables) == 1


def test_the_order_changes_no_count(engine_order: Callable[[int], None]) -> None:
    engine_order(3)
    uneven = RELEASE.iloc[:-3]
    release = Published.read(uneven, sensitive=["ill"])
    values = release.groups.domains["ill"].values
    dense = release.groups.histograms["ill"].dense(len(values))
    expected = uneven.groupby(["age", "ill"]).size().unstack(fill_value=0)
    assert dense.tolist() == expected[list(values)].to_numpy().tolist()
    assert release.groups.n.tolist() == [12, 12, 9]
