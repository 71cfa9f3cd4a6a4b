"""Utility metrics from their definitions, row by row; nothing is shared with `recode/metrics`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hedgerow.recode.metrics import METRICS
from hedgerow.table.hierarchy import Hierarchy

Key = tuple[str, ...]
Row = Sequence[str]


@dataclass(frozen=True, eq=False)
class Published:
    """Rows published at a node: the groups in `kept`, and no others."""

    columns: Sequence[Hierarchy]
    rows: Sequence[Row]
    """Values of the columns; what follows them is not looked at."""
    node: Sequence[int]
    kept: Collection[Key]
    """By the labels of the group."""
    keep: bool = False
    """Whether the others are published as one group in which every value is `*`."""

    @property
    def people(self) -> int:
        return len(self.rows)

    @cached_property
    def leaves(self) -> list[int]:
        return [len(h.values) for h in self.columns]

    def key(self, row: Row) -> Key:
        return tuple(
            str(h.labels[level][h.codes[level][h.values.index(value)]])
            for h, level, value in zip(self.columns, self.node, row, strict=False)
        )

    @cached_property
    def keys(self) -> list[Key]:
        return [self.key(row) for row in self.rows]

    @cached_property
    def sizes(self) -> Counter[Key]:
        """People of the published groups."""
        return Counter(key for key in self.keys if key in self.kept)

    @property
    def out(self) -> int:
        """People whose groups are not published."""
        return self.people - sum(self.sizes.values())

    @cached_property
    def alike(self) -> list[dict[str, list[str]]]:
        """For each column and leaf, the leaves that look like it."""
        found: list[dict[str, list[str]]] = []
        for h, level in zip(self.columns, self.node, strict=True):
            values, codes = list(h.values), h.codes[level].tolist()
            parts: dict[int, list[str]] = {code: [] for code in codes}
            for value, code in zip(values, codes, strict=True):
                parts[code].append(value)
            found.append({value: parts[code] for value, code in zip(values, codes, strict=True)})
        return found

    def under(self, j: int, value: str) -> list[str]:
        """The leaves that look like this one in a column."""
        return self.alike[j][value]

    def covered(self, i: int, j: int) -> list[str] | None:
        """The leaves under what row i shows in column j; None where it is suppressed."""
        return self.under(j, self.rows[i][j]) if self.keys[i] in self.kept else None

    def each(self, j: int, cost: Callable[[int, list[str] | None], float]) -> float:
        """The sum over rows of a cost in column j."""
        return sum(cost(i, self.covered(i, j)) for i in range(self.people))


Oracle = Callable[[Published], float]


def _lost(p: Published) -> list[float]:
    """For each column, how much of it is hidden, 0 to 1."""
    found = []
    for j, size in enumerate(p.leaves):
        total = p.each(j, lambda i, under, size=size: 1 if under is None else len(under) / size)
        least = p.people / size
        found.append((total - least) / (p.people - least) if size > 1 else 0.0)
    return found


def _loss(p: Published) -> float:
    lost = _lost(p)
    return math.prod(1 + x for x in lost) ** (1 / len(lost)) - 1


def _granularity(p: Published) -> float:
    lost = _lost(p)
    return sum(lost) / len(lost)


def _precision(p: Published) -> float:
    rungs = 0.0
    for j, h in enumerate(p.columns):
        rung = p.node[j] / max(1, h.height)
        rungs += p.each(j, lambda i, under, rung=rung: 1 if under is None else rung)
    return rungs / (p.people * len(p.columns))


def _non_uniform_entropy(p: Published) -> float:
    hidden = most = 0.0
    for j in range(len(p.columns)):
        times = Counter(row[j] for row in p.rows)

        def bits(i: int, under: list[str] | None, j: int = j, times: Any = times) -> float:
            alike = p.people if under is None else sum(times[value] for value in under)
            return math.log(alike / times[p.rows[i][j]])

        hidden += p.each(j, bits)
        most += sum(n * math.log(p.people / n) for n in times.values())
    return hidden / most if most > 0 else 0.0


def _discernibility(p: Published) -> float:
    return sum(n * n for n in p.sizes.values()) + p.out * (p.out if p.keep else p.people)


def _average_class_size(p: Published) -> float:
    return p.people / max(1, len(p.sizes) + (p.out > 0))


def _kl_divergence(p: Published) -> float:
    found = 0.0
    for values, n in Counter(tuple(row[: len(p.columns)]) for row in p.rows).items():
        key = p.key(values)
        if key in p.kept:
            volume = math.prod(len(p.under(j, v)) for j, v in enumerate(values))
            assumed = p.sizes[key] / volume
        else:
            assumed = p.out / math.prod(p.leaves)
        found += n / p.people * math.log(n / assumed)
    return found


def _query_error(p: Published) -> float:
    """Queries by rows: a leaf is inside or it is not, and a published value is a set of leaves."""
    metric: Any = METRICS["query-error"]
    shown = {key: row for key, row in zip(p.keys, p.rows, strict=True) if key in p.kept}
    asked, low, high = metric.workload(tuple(p.leaves))
    queries = len(asked)
    true, told = np.ones((len(p.rows), queries)), np.ones((len(shown), queries))
    everything = np.full(queries, float(p.out if p.keep else 0))
    for j, h in enumerate(p.columns):
        leaf = {value: place for place, value in enumerate(h.values)}
        inside = np.ones((p.leaves[j], queries))  # a column that is not asked about: all of it
        for query, place in zip(*np.nonzero(asked == j), strict=True):
            inside[:, query] = 0
            inside[low[query, place] : high[query, place] + 1, query] = 1
        true *= inside[[leaf[row[j]] for row in p.rows]]
        everything *= inside.mean(axis=0)
        for told_of, row in zip(told, shown.values(), strict=True):
            told_of *= inside[[leaf[value] for value in p.under(j, row[j])]].mean(axis=0)
    truth = true.sum(axis=0)
    answer = everything + np.array([p.sizes[key] for key in shown], float) @ told
    scale = np.maximum(truth, max(0.01 * p.people, 1.0))
    return float((abs(answer - truth) / scale).mean())


ORACLES: dict[str, Oracle] = {
    "loss": _loss,
    "discernibility": _discernibility,
    "average-class-size": _average_class_size,
    "precision": _precision,
    "non-uniform-entropy": _non_uniform_entropy,
    "granularity": _granularity,
    "kl-divergence": _kl_divergence,
    "query-error": _query_error,
}
"""The cost of what is published, for each metric by name."""


@st.composite
def _columns(draw: st.DrawFn, name: str) -> Hierarchy:
    rows: list[list[str | None]] = [[f"{name}{i}"] for i in range(draw(st.integers(1, 4)))]
    for level in range(draw(st.integers(0, 2))):
        parents = {row[-1]: f"{name}.{level}.{draw(st.integers(0, 1))}" for row in rows}
        for row in rows:
            row.append(parents[row[-1]])
    return Hierarchy.of(name, rows)


@st.composite
def tables(draw: st.DrawFn, most: int = 12) -> tuple[list[Hierarchy], list[Key]]:
    """Hierarchies of one to three columns, and rows of their values."""
    columns = [draw(_columns(f"q{j}")) for j in range(draw(st.integers(1, 3)))]
    row = st.tuples(*(st.sampled_from(h.values) for h in columns))
    return columns, draw(st.lists(row, min_size=1, max_size=most))
