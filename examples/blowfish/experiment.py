"""Everything that is measured, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from examples.blowfish import averaging, clustering, data, ranges
from examples.blowfish.averaging import Averaged
from examples.blowfish.clustering import COUNTS, PAPER, SUMS, Floats, Lab
from examples.blowfish.ranges import HIERARCHICAL, ORDERED, TREE


@dataclass(frozen=True)
class Setting:
    """How much of it."""

    epsilons: tuple[str, ...]
    runs: int
    rows: int | None
    """Of skin segmentation; None: one in a hundred."""
    releases: int
    """Of each mechanism for ranges."""
    counts: tuple[int, ...]
    """k of the averaging example; even."""
    attacks: int

    @classmethod
    def full(cls) -> Setting:
        tenths = tuple(f"{i / 10:g}" for i in range(1, 11))
        return cls(tenths, 50, None, 20, (4, 10, 50), 2000)

    @classmethod
    def quick(cls) -> Setting:
        return cls(("0.1", "1"), 6, 1200, 3, (4, 10), 200)


Key = tuple[str, str, str]
"""Method, policy, epsilon; or mechanism, column, theta."""


@dataclass(frozen=True, eq=False)
class Results:
    setting: Setting
    rows: int
    clusters: dict[Key, Floats]
    ranges: dict[Key, Floats]
    averaged: dict[tuple[int, int], Averaged]
    """By k and sensitivity."""
    epsilon: str
    """Of the ranges."""


RANGES_EPSILON = "0.1"


def measured(setting: Setting) -> Results:
    """Needs skin-segmentation and adult in HEDGEROW_DATA."""
    lab = Lab.of(rows=setting.rows)
    clusters = {}
    for name, policy in clustering.policies().items():
        for epsilon in setting.epsilons:
            for method in (COUNTS, SUMS, PAPER):
                clusters[method, name, epsilon] = lab.errors(
                    method, name if method == PAPER else policy, epsilon, runs=setting.runs
                )
    found = {}
    for column, histogram in data.histograms().items():
        for theta in ranges.THETAS[column]:
            for mechanism in (ORDERED, HIERARCHICAL, TREE):
                if mechanism == TREE and theta != ranges.THETAS[column][-1]:
                    continue
                found[mechanism, column, str(theta)] = ranges.errors(
                    histogram, mechanism, theta, RANGES_EPSILON, runs=setting.releases
                )
    averaged = {
        (k, s): averaging.attacked(k, s, releases=setting.attacks)
        for k in setting.counts
        for s in {2, k}
    }
    return Results(setting, len(lab.rows), clusters, found, averaged, RANGES_EPSILON)
