"""The section on risk in the population, where a claim says which share of it the table is."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.claims.population.log_linear import log_linear
from hedgerow.recode.recoding import SUPPRESSED
from hedgerow.reports.blocks import Section, Table, Text, number, section
from hedgerow.reports.publisher_view import Inside
from hedgerow.table.groups import Ints, Weights
from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.pair_counts import NOBODY, People
from hedgerow.table.profile.special_uniques import SpecialUniques, special_uniques
from hedgerow.table.profile.uniqueness import combined
from hedgerow.table.survey_weights import MILLION

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
    groups = inside.measured.groups
    fractions = _fractions(inside)
    if not fractions:
        return
    from hedgerow.claims.population.overview import PopulationView  # it needs all of SciPy

    for fraction, by in fractions.items():
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
                f"the table is {by} to be a simple random sample of {fraction:.4g}",
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
        yield from _records(inside, fraction)


def _fractions(inside: Inside) -> dict[float, str]:
    """Shares of the population, and where each is from: a claim, or survey weights."""
    found = {m.sampled: "said" for m in inside.models if m.sampled is not None}
    for one in inside.cells.sensitive:
        if isinstance(one, Weights):
            total = int((one.reference * one.millionths).sum())
            if total > one.people * MILLION:
                column = one.name.removeprefix("(weights ").removesuffix(")")
                found.setdefault(
                    one.people * MILLION / total,
                    f"taken, by the mean of the survey weights in {column!r},",
                )
    return found


def _matches(before: PopulationView, after: PopulationView) -> Iterator[Text]:
    if before.right is None:
        return
    now = "nobody is alone" if after.right is None else f"it is {after.right:.1%}"
    yield Text(
        text="Whoever found exactly one record for a person of the population would have the right "
        f"one with an estimated chance of {before.right:.1%} in the source; in the release, {now} "
        "(data intrusion simulation)."
    )


def _records(inside: Inside, fraction: float) -> Iterator[Section]:
    """The records of the source with the highest scores, and what became of them."""
    from hedgerow.claims.population.dis_suda import intrusion_risk  # it needs all of SciPy

    found = _special(inside)
    if found is None:
        return
    special, of_row, left = found
    risk = intrusion_risk(special, fraction=fraction)
    if risk is None or not special.worst:
        return
    became = _became(inside, {int(of_row[one.row]) for one in special.worst})
    rows = tuple(
        (str(one.score), f"{risk.scores[one.row]:.2%}", ", ".join(one.columns), number(one.ways),
         became[int(of_row[one.row])])
        for one in special.worst
    )  # fmt: skip
    more = [
        f"{number(risk.unscored)} more people are alone only in more than {special.largest} "
        "columns. They have no score, which does not mean no risk."
    ] if risk.unscored else []  # fmt: skip
    if left:
        more.append(f"Not looked at, as there are too many: {', '.join(left)}.")
    yield section(
        "Special uniques",
        Table(
            head=("score", "DIS-SUDA", "unique by", "ways", "in the release"),
            rows=rows,
            numbers=frozenset({0, 1, 3}),
            caption="People of the source with the highest SUDA scores: unique by few columns, "
            "and in many ways",
        ),
        Text(
            text="DIS-SUDA estimates how often who finds exactly this record of the source for a "
            f"person of the population has the right one: {risk.right:.2%} for all who are alone, "
            f"if the source is a simple random sample of {fraction:.4g} without errors. It is "
            "spread by the scores with a rule fitted to census data. It says nothing of the "
            "release, in which nobody may be alone." + "".join(f" {one}" for one in more),
            tone="quiet",
        ),
        Text(text="`hedgerow look` with the plan names their values.", tone="quiet"),
    )


def _special(inside: Inside) -> tuple[SpecialUniques, Ints, list[str]] | None:
    """The scores of the source, one row for each person; the tuple of each; and what is left."""
    tuples, into = inside.cells.tuples
    n = np.bincount(into, weights=inside.cells.n, minlength=len(tuples)).astype(np.int64)
    # A third like the first two changes nothing for anybody.
    of_row = np.repeat(np.arange(len(tuples)), np.minimum(n, 3))
    if inside.schema.linked or not len(of_row):
        return None
    columns = {
        h.name: EncodedColumn.coded(h.name, h.values, tuples[of_row, j])
        for j, h in enumerate(inside.cells.hierarchies)
    }
    kept, left = combined(sorted(columns, key=lambda name: -columns[name].distinct), len(of_row))
    if not kept:
        return None
    people = People(NOBODY, len(of_row), len(of_row))
    return (
        special_uniques([columns[name] for name in columns if name in kept], people),
        of_row,
        left,
    )


def _became(inside: Inside, of: Collection[int]) -> dict[int, str]:
    """Of some tuples of the source, what the release has of their people."""
    chosen, (_, into) = inside.chosen, inside.cells.tuples
    kept = chosen.group != SUPPRESSED
    sizes = np.bincount(chosen.seen_group[kept], weights=chosen.people[kept])
    found: dict[int, str] = dict.fromkeys(of, "barred from it")
    for part in np.flatnonzero(np.isin(into[chosen.cell], list(of)) & (chosen.people > 0)).tolist():
        group = int(chosen.seen_group[part])
        found[int(into[chosen.cell[part]])] = (
            "suppressed" if group == SUPPRESSED else f"in a group of {number(int(sizes[group]))}"
        )
    return found


def _log_linear(inside: Inside, fraction: float) -> Iterator[Text]:
    tuples, into = inside.cells.tuples
    n = np.bincount(into, weights=inside.cells.n, minlength=len(tuples)).astype(np.int64)
    model = log_linear(tuples[n > 0], n[n > 0], fraction=fraction)
    if model is not None:
        alone = int(np.count_nonzero(n == 1))
        yield Text(text=f"In the source: {model.sentence(int(n.sum()), alone)}", tone="quiet")


def _share(value: float | None) -> str:
    return "no estimate" if value is None else f"{value:.2%}"
