"""Small tables for tests: rows written out, counted into cells."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from hedgerow.table.cells import Cells
from hedgerow.table.groups import Histogram, Sensitive
from hedgerow.table.hierarchy import Hierarchy

Row = Sequence[str | None]


def flat(name: str, values: Sequence[str | None], **keywords: object) -> Hierarchy:
    """Only suppression above the values."""
    return Hierarchy.of(name, [(v, "*") for v in values], **keywords)  # type: ignore[arg-type]


def integers(name: str, low: int, high: int, *, missing: bool = False) -> Hierarchy:
    """The whole numbers from low to high, and missing where asked."""
    rows = [(str(v), "*") for v in range(low, high + 1)] + [(None, "*")] * missing
    numbers = [*map(float, range(low, high + 1)), *[float("nan")] * missing]
    return Hierarchy.of(name, rows, numbers=numbers)


def cells_of(
    rows: Sequence[Row],
    hierarchies: Sequence[Hierarchy],
    *,
    sensitive: Sequence[str] = (),
    order: Mapping[str, Sequence[str | None]] | None = None,
    levels: Mapping[str, Sequence[Sequence[int]]] | None = None,
    population: Sequence[Row] | None = None,
) -> Cells:
    """Count rows, one person each: quasi-identifiers first, then the sensitive values.

    Args:
        rows: Each row one person.
        hierarchies: One for each quasi-identifier.
        sensitive: Names of the sensitive columns that follow.
        order: Attribute -> its values in order; by default as first met.
        levels: Attribute -> ancestor codes per level above the values.
        population: Quasi-identifier tuples of the outside population, one a person.
    """
    d = len(hierarchies)
    counted = Counter(tuple(row) for row in rows)
    for tuple_ in population or ():
        if not any(row[:d] == tuple(tuple_) for row in counted):
            counted[(*tuple_, *(None,) * len(sensitive))] = 0
    keys = list(counted)
    n = np.array([counted[key] for key in keys], np.int64).reshape(len(keys))
    q = np.empty((len(keys), d), np.int32)
    for j, h in enumerate(hierarchies):
        q[:, j] = h.encode([key[j] for key in keys])
    domains, values = [], []
    for j, name in enumerate(sensitive):
        column = [key[d + j] for key in keys]
        present = [v for v, people in zip(column, n, strict=True) if people]
        given = (order or {}).get(name)
        domain = tuple(given) if given is not None else tuple(dict.fromkeys(present))
        codes = np.array([domain.index(v) if p else 0 for v, p in zip(column, n, strict=True)], int)
        reference = np.bincount(codes, weights=n, minlength=len(domain)).astype(np.int64)
        above = tuple(np.asarray(level, np.int32) for level in (levels or {}).get(name, ()))
        ladder = (np.arange(len(domain), dtype=np.int32), *above) if above else ()
        domains.append(Sensitive(name, domain, reference, int(n.sum()), ladder))
        has = n > 0
        indptr = np.concatenate(([0], np.cumsum(has)))
        values.append(Histogram(indptr, codes[has].astype(np.int32), n[has]))
    outside = None
    if population is not None:
        people = Counter(tuple(t) for t in population)
        outside = np.array([people.pop(key[:d], 0) for key in keys], np.int64)
    return Cells(tuple(hierarchies), q, n, n.copy(), tuple(domains), tuple(values), outside)


def data_folder() -> Path:
    """The folder of real data sets; skips the test where there is none."""
    folder = os.environ.get("HEDGEROW_DATA")
    if not folder or not (Path(folder) / "adult" / "adult.data").exists():
        pytest.skip("needs the real data: set HEDGEROW_DATA to its folder")
    return Path(folder)


ADULT = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours", "native-country",
    "salary-class",
]  # fmt: skip
"""Columns of adult.data."""


def adult(columns: Sequence[str], *, sensitive: Sequence[str] = ()) -> Cells:
    """The 30,162 complete rows of Adult, with the hierarchies that come with the data."""
    folder = data_folder() / "adult"
    places = [ADULT.index(name) for name in (*columns, *sensitive)]
    with (folder / "adult.data").open() as lines:
        read = [row for row in csv.reader(lines, skipinitialspace=True) if row and "?" not in row]
    rows = [tuple(row[i] for i in places) for row in read]
    hierarchies = []
    for j, name in enumerate(columns):
        with (folder / f"hierarchy_{name}.csv").open() as lines:
            levels = [tuple(row) for row in csv.reader(lines, delimiter=";")]
        lacking = sorted({row[j] for row in rows} - {row[0] for row in levels})
        levels += [(value, *["*"] * (len(levels[0]) - 1)) for value in lacking]
        numbers = [float(row[0]) for row in levels] if name == "age" else None
        hierarchies.append(Hierarchy.of(name, levels, numbers=numbers))
    return cells_of(rows, hierarchies, sensitive=sensitive)
