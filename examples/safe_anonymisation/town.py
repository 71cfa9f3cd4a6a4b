"""A town of 6,000 people between 20 and 49, and perhaps one of 97."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

import hedgerow
from hedgerow.ledger import Amounts, Ledger

EXTREME = 97
K = 5
SEARCHES = ("mondrian", "lattice", "microaggregation")
METHOD = {"search": "safe", "beta": "0.8", "epsilon": "1", "delta": "1e-6"}
COLUMN = {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 50]}}
PUBLIC = {"bounds": [0, 99], "step": 1, "levels": [1, 1]}
"""What everybody may know of an age, and the level at which ages are published."""


def town(*, there: bool) -> pa.Table:
    """200 people of each age, with or without the one who is asked about."""
    ages = [20 + i // 200 for i in range(6000)] + [EXTREME] * there
    return pa.table({"age": [str(age) for age in ages]})


def ordinary(search: str, *, there: bool) -> hedgerow.Release:
    """A 5-anonymous release, as usual."""
    return hedgerow.publish(
        town(there=there),
        columns={"age": COLUMN},
        protect=[hedgerow.KAnonymity(k=K)],
        method={"search": search},
    )


def safe(ledger: Path, population: str, *, there: bool) -> hedgerow.SafeRelease:
    """A safe release, charged to a ledger."""
    with Ledger.open(str(ledger)) as book:
        book.set_budget(population, Amounts.of(epsilon=1, delta="1e-6"))
    told: dict[str, Any] = {"population": population, "privacy": "add-remove"}
    return hedgerow.publish(
        town(there=there), columns={"age": COLUMN | PUBLIC}, method=METHOD, ledger=ledger, **told
    )


def tuples(release: hedgerow.Release | hedgerow.SafeRelease) -> frozenset[str]:
    """Which values are published, not how often."""
    return frozenset(str(row["age"]) for row in release.to_arrow().to_pylist())
