"""The section on risk in the population, where a claim says which share of it the table is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.claims.population.log_linear import log_linear
from hedgerow.reports.blocks import Section, Table, Text, section
from hedgerow.reports.publisher_view import Inside

if TYPE_CHECKING:
    from hedgerow.claims.population.overview import PopulationView

ASSUMED = {
    "bound": "a simple random sample, and nothing else",
    "dankar": "that the model its rule chooses is right",
    "pitman": "that groups of the population arise by Pitman's urn",
    "zayatz": "that groups of the population are as large as those of the sample",
    "slide-negative-binomial": "that sizes of groups, less one, are negative binomial",
}
"""Of each estimator, what has to be so."""


def population_sections(inside: Inside) -> Iterator[Section]:
    """A section for each share of the population that a claim names."""
    fractions = dict.fromkeys(m.sampled for m in inside.models if m.sampled is not None)
    groups = inside.measured.groups
    if not fractions:
        return
    from hedgerow.claims.population.overview import PopulationView  # it needs all of SciPy

    for fraction in fractions:
        assert fraction is not None, "those that name none are left out"
        before = PopulationView.of(inside.sizes_before, fraction=fraction)
        after = PopulationView.of(groups.n, fraction=fraction, left_out=groups.left_out)
        earlier = {one.model: one for one in before.shares}
        yield section(
            "Risk in the population",
            Table(
                head=("estimator", "before", "published", "published, at most", "it assumes"),
                rows=tuple(
                    (one.model, _share(earlier[one.model].share), _share(one.share),
                     _share(one.upper), ASSUMED[one.model])
                    for one in after.shares
                ),
                numbers=frozenset({1, 2, 3}),
                caption="Estimated share of the people who are unique in the population, of which "
                f"the table is said to be a simple random sample of {fraction:.4g}",
            ),
            Text(
                text="These are estimates, not counts. The last number is the upper end of an "
                "interval that is too low for one sample in 20 if what the estimator assumes is "
                "so. Suppressed people count as people who may have been alone.",
                tone="quiet",
            ),
            *_matches(before, after),
            *_log_linear(inside, fraction),
        )  # fmt: skip


def _matches(before: PopulationView, after: PopulationView) -> Iterator[Text]:
    if before.right is None:
        return
    now = "nobody is alone" if after.right is None else f"it is {after.right:.1%}"
    yield Text(
        text="Whoever found exactly one record for a person of the population would have the right "
        f"one with an estimated chance of {before.right:.1%} in the source; in the release, {now} "
        "(data intrusion simulation)."
    )


def _log_linear(inside: Inside, fraction: float) -> Iterator[Text]:
    tuples, into = inside.cells.tuples
    n = np.bincount(into, weights=inside.cells.n, minlength=len(tuples)).astype(np.int64)
    model = log_linear(tuples[n > 0], n[n > 0], fraction=fraction)
    if model is not None:
        alone = int(np.count_nonzero(n == 1))
        yield Text(text=f"In the source: {model.sentence(int(n.sum()), alone)}", tone="quiet")


def _share(value: float | None) -> str:
    return "no estimate" if value is None else f"{value:.2%}"
