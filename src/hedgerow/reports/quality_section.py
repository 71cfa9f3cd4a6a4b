"""How good the release still is to learn from, next to the source. For inside only.

Distributions, associations, and how well columns are told from the quasi-identifiers. All is
computed on the source too, so it tells about suppressed people.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from hedgerow.analyses import (
    Analysis,
    AnalysisComparison,
    Association,
    Classification,
    Distribution,
    Prediction,
    UncomputableError,
    WeightedAnalysis,
)
from hedgerow.analyses.formula import Event, Formula
from hedgerow.analyses.rows import AnalysisRows
from hedgerow.base.errors import HedgerowError
from hedgerow.plan.plan import Plan
from hedgerow.reports.blocks import Block, Table, Text
from hedgerow.table.schema import Schema

MOST = 30
"""Categories of a column that is shown; a column with more is shown at a coarser level."""
COLUMNS = 9
"""Columns whose associations are shown, at most."""


def short(value: float) -> str:
    """Three digits; what a release does not tell is a dash."""
    return f"{value:.3g}" if math.isfinite(value) else "-"


def survey_weights(plan: Plan) -> str | None:
    """The one column of survey weights that a plan names, under `keep` or in a claim."""
    named = {one.weights for one in plan.keep if isinstance(one, WeightedAnalysis)}
    named |= {model.weighted_by for model in plan.models() if model.weighted_by is not None}
    return named.pop() if len(named) == 1 else None


def usual_analyses(
    schema: Schema, rows: AnalysisRows, weights: str | None = None
) -> tuple[Analysis, ...]:
    """What is compared whatever the plan says, as far as it can be computed on the source.

    Args:
        schema: The columns.
        rows: Everybody.
        weights: The column of survey weights; it is used if it is published as it is.
    """
    quasi = tuple(schema.quasi_identifiers)
    published = [name for name in schema.published if name != weights]
    shown = {name: level for name in published if (level := _level(rows, name)) is not None}
    wanted: list[Analysis] = [Distribution(of=name, level=level) for name, level in shown.items()]
    wanted += [
        Association(between=pair, levels=tuple(shown[name] for name in pair))
        for pair in combinations(list(shown)[:COLUMNS], 2)
    ]
    if weights in schema.published and weights is not None:
        wanted = [WeightedAnalysis(of=one, weights=weights) for one in wanted]
    for name in (*schema.sensitive, *schema.insensitive):
        if name == weights:
            continue
        if rows.variables[name].numeric and len(rows.variables[name].values) > MOST:
            wanted.append(Prediction(formula=Formula(Event(name), quasi)))
        elif 1 < len(rows.variables[name].values) <= MOST:
            wanted.append(Classification(of=name, using=quasi))
    return tuple(analysis for analysis in wanted if _answers(analysis, rows))


def _level(rows: AnalysisRows, name: str) -> int | None:
    """The finest level at which a column has few categories; None where there is none."""
    hierarchy = rows.hierarchies.get(name)
    for level in range(1 if hierarchy is None else hierarchy.height + 1):
        if 1 < len(rows.there(name, level)) <= MOST:
            return level
    return None


def _answers(analysis: Analysis, rows: AnalysisRows) -> bool:
    try:
        analysis.original(rows)
    except (UncomputableError, HedgerowError):
        return False
    return True


def quality_blocks(
    found: Sequence[AnalysisComparison], weights: str | None = None
) -> Iterator[Block]:
    """Three tables: what can be told, what goes together, how people are spread.

    Args:
        found: What was compared.
        weights: The column of survey weights that the plan names.
    """
    yield Text(
        text="On the source and on the release as it is read back, each by itself. A generalised "
        "value counts as every value that it covers, alike; suppressed people are missing."
    )
    if any(isinstance(one.analysis, WeightedAnalysis) for one in found):
        yield Text(
            text=f"In distributions and associations each person counts with the survey weight in "
            f"{weights!r}, which is published as it is. What is told from the quasi-identifiers "
            "counts people."
        )
    elif weights is not None:
        yield Text(
            text=f"The survey weights in {weights!r} are not published, so that nobody who has "
            "the release can weigh: all numbers count people."
        )
    models = [one for one in found if isinstance(one.analysis.plain, Classification | Prediction)]
    if models:
        yield Table(
            head=("told from the quasi-identifiers", "measure", "source", "release", "difference"),
            rows=tuple(
                (_target(one.analysis.plain), figure.name, short(figure.original),
                 short(figure.release), short(figure.error))
                for one in models
                for figure in one.figures
            ),
            numbers=frozenset({2, 3, 4}),
            caption="Cross-validated: on people whom the model was not trained on",
        )  # fmt: skip
    pairs = [one for one in found if isinstance(one.analysis.plain, Association)]
    if pairs:
        yield Table(
            head=("columns", "source", "release", "difference"),
            rows=tuple(
                (" and ".join(one.analysis.plain.columns), *_first(one))
                for one in sorted(pairs, key=lambda one: -one.error)
            ),
            numbers=frozenset({1, 2, 3}),
            caption="Associations (Cramér's V, 0 to 1), the most changed first",
        )
    spread = [one for one in found if isinstance(one.analysis.plain, Distribution)]
    if spread:
        yield Table(
            head=("column", "moved", "most changed", "source", "release"),
            rows=tuple(_moved(one) for one in spread),
            numbers=frozenset({1, 3, 4}),
            caption="Distributions: the share of people who would have to move (total variation)",
        )
    for one in spread:
        if one.error >= SEEN and one.problem is None:
            yield Table(
                head=("value", "source", "release"),
                rows=tuple(
                    (f.name.partition("=")[2], short(f.original), short(f.release))
                    for f in one.figures
                ),
                numbers=frozenset({1, 2}),
                caption=f"{one.analysis}, shares",
            )


SEEN = 0.02
"""A distribution is shown value by value where a share moved by so much."""


def _target(analysis: Analysis) -> str:
    if isinstance(analysis, Prediction):
        return str(analysis.formula.response)
    return analysis.columns[0]


def _first(one: AnalysisComparison) -> tuple[str, str, str]:
    if not one.figures:
        return "", "", ""
    figure = one.figures[0]
    return short(figure.original), short(figure.release), short(figure.error)


def _moved(one: AnalysisComparison) -> tuple[str, ...]:
    worst = max(one.figures, key=lambda figure: figure.error)
    moved = sum(figure.error for figure in one.figures) / 2
    return (
        one.analysis.plain.columns[0], short(moved), worst.name.partition("=")[2],
        short(worst.original), short(worst.release),
    )  # fmt: skip
