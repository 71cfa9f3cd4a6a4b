"""The figures of docs/blowfish.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.blowfish.clustering import COUNTS, PAPER, SUMS, policies
from examples.blowfish.experiment import Results
from examples.blowfish.ranges import HIERARCHICAL, ORDERED, THETAS, TREE
from examples.composition_attacks.experiment import Spread
from examples.composition_attacks.figures import Panel, drawn

TITLES = {
    COUNTS: "counts first (sound)",
    SUMS: "sums, with borders covered (sound)",
    PAPER: "as published (not sound, but for DP)",
}


def figures(results: Results) -> dict[str, Any]:
    """Every figure by the name of its file."""
    return {"blowfish_kmeans": clusters(results), "blowfish_ranges": ranges(results)}


def middle(values: Any) -> Spread:
    """The mean, and the middle half of the runs."""
    low, high = np.quantile(values, (0.25, 0.75))
    return Spread(float(np.mean(values)), float(low), float(high))


def clusters(results: Results) -> Any:
    panels = []
    for method in (PAPER, SUMS, COUNTS):
        lines = {
            name: {float(e): middle(results.clusters[method, name, e])
                   for e in results.setting.epsilons}
            for name in policies()
        }  # fmt: skip
        panels.append(
            Panel(TITLES[method], lines, "ε", "error, of that without noise", logarithmic=True)
        )
    return drawn(
        panels,
        title="k-means under several policies",
        subtitle=f"{results.rows:,} pixels of skin segmentation, 4 clusters, 10 iterations; mean "
        f"and middle half of {results.setting.runs} runs. Scales differ.",
        width=250,
    )


def ranges(results: Results) -> Any:
    panels = []
    for column, thetas in THETAS.items():
        lines = {
            mechanism: {float(t): middle(results.ranges[mechanism, column, str(t)])
                        for t in thetas}
            for mechanism in (ORDERED, HIERARCHICAL)
        }  # fmt: skip
        flat = middle(results.ranges[TREE, column, str(thetas[-1])])
        lines[TREE] = {float(t): flat for t in thetas}
        panels.append(Panel(f"Adult, {column}", lines, "θ", "mean squared error", logarithmic=True))
    return drawn(
        panels,
        title="Range queries under a distance threshold",
        subtitle=f"ε = {results.epsilon}, 10,000 random ranges; mean and middle half of "
        f"{results.setting.releases} releases",
    )
