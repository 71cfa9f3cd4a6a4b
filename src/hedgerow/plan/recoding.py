"""The recoding that a plan's search finds for a table.

Publishing does it, and an attacker who knows the plan does it again for other tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hedgerow.base.errors import PlanError
from hedgerow.claims.base import PrivacyModel
from hedgerow.plan.plan import Plan
from hedgerow.recode.cell_suppression import cell_suppression
from hedgerow.recode.constraints import SearchConstraints, each_alone
from hedgerow.recode.full_domain import full_domain
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.local_start import local_from_optimum
from hedgerow.recode.method import RecodingMethod
from hedgerow.recode.metrics import Granularity
from hedgerow.recode.neighbour_bound import with_bound
from hedgerow.recode.partwise import parted
from hedgerow.recode.recoding import Recoding
from hedgerow.recode.search_state import EndsSoon, TellState
from hedgerow.table.cells import Cells


def searched(
    plan: Plan,
    cells: Cells,
    models: tuple[PrivacyModel, ...],
    *,
    limit: int,
    seconds: float | None = None,
    progress: Callable[[float], None] | None = None,
    tell: TellState | None = None,
    ends: EndsSoon = lambda: False,
    unit: str = "people",
) -> Recoding:
    """The recoding that the plan's search finds.

    Args:
        plan: The plan.
        cells: A table, counted.
        models: What groups have to keep, as they are judged.
        limit: People who may be suppressed.
        seconds: Of a search of the lattice; None: as long as it takes.
        progress: Told how far a search is that is not of the lattice.
        tell: Told how far a search of the lattice is.
        ends: Asked whether a search of the lattice is to end with the best it has.
        unit: What groups count, for messages: people or rows.

    Raises:
        ClaimError: None keeps the claims.
    """
    method = plan.method
    if method.search == "lattice":
        constraints = SearchConstraints(models, limit, method.keep_suppressed, unit=unit)
        return full_domain(
            cells, constraints, plan.utility.over([h.name for h in cells.hierarchies]),
            bounds=bounds(plan), seconds=seconds, tell=tell, ends=ends,
        )  # fmt: skip
    columns = [h.name for h in cells.hierarchies]
    metric, lattice = plan.utility.over(columns), Lattice.of(cells, bounds(plan))
    if method.search == "cells":
        found = cell_suppression(
            cells, models, metric=metric, bounds=bounds(plan), limit=limit,
            importance=method.importance, seconds=seconds, progress=progress,
        )  # fmt: skip
        return with_bound(found, lattice, models, metric, limit)
    way = method_of(plan, models, columns)
    if method.parts is None and method.search == "local":
        found = local_from_optimum(
            lambda asked: replace(way, models=asked).recode(cells, limit=limit, progress=progress),
            cells,
            models,
            metric=metric,
            bounds=bounds(plan),
            limit=limit,
            seconds=seconds,
            unit=unit,
        )
        return with_bound(found, lattice, models, metric, limit)
    if method.parts is None:
        return way.recode(cells, limit=limit, progress=progress)
    return parted(cells, way, most=method.parts, limit=limit, progress=progress)


def method_of(
    plan: Plan, models: tuple[PrivacyModel, ...], columns: Sequence[str]
) -> RecodingMethod:
    """Mondrian, microaggregation or local recoding, as the plan wants it.

    Args:
        plan: The plan.
        models: The claims, as they are judged.
        columns: The quasi-identifiers, in the order in which they are counted.

    Raises:
        PlanError: Microaggregation without a number of people.
    """
    method, metric = plan.method, plan.utility.over(columns)
    assert method.search in ("mondrian", "microaggregation", "local"), method.search
    sizes = [m.only_size for m in models if m.only_size is not None]
    if method.search == "microaggregation" and not sizes:
        raise PlanError("microaggregation needs a k-anonymity claim", fix="Add `- k-anonymity: 5`.")
    return RecodingMethod(
        search=method.search,
        models=each_alone(models),
        mode=method.mode,
        boxes=method.boxes,
        k=max(sizes, default=1),
        metric=metric.by_cell or Granularity().weighed(metric.weighting),
        weights=plan.utility.weights_of(columns),
        bounds=bounds(plan),
    )


def bounds(plan: Plan) -> dict[str, tuple[int, int]]:
    """The plan's lowest and highest level of each column that has some."""
    return {name: c.levels for name, c in plan.columns.items() if c.levels is not None}
