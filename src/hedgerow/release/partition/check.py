"""The claims of a plan, measured on the table as it is; nothing is published."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.claims.base import Verdict
from hedgerow.plan.arguments import plan_of
from hedgerow.plan.plan import Plan
from hedgerow.release.partition.job import opened
from hedgerow.release.partition.refusals import refuse_overlap
from hedgerow.table.label_taxonomies import written_out
from hedgerow.table.published_table import Published


def check(
    source: Plan | str | os.PathLike[str] | Any,
    *,
    columns: Mapping[str, Any] | None = None,
    protect: Sequence[Any] | None = None,
    population_table: Any = None,
    **more: Any,
) -> tuple[Verdict, ...]:
    """Measure the plan's claims on the table as it is; publish nothing.

    The arguments are those of `publish`.
    """
    plan, data = plan_of(source, {"columns": columns, "protect": protect} | more)
    return checked(plan, data, population_table=population_table)[0]


def checked(
    plan: Plan, data: Any = None, *, population_table: Any = None
) -> tuple[tuple[Verdict, ...], tuple[str, ...]]:
    """`check`, and what to tell of the table besides."""
    with opened(plan, data, population_table=population_table) as job:
        cells = job.cells(as_it_is=True)
        tuples, into = cells.tuples
        groups = cells.groups(into, len(tuples))
        if any(model.about_single_people for model in job.models):
            labels = tuple(tuple(h.values) for h in cells.hierarchies)
            names = tuple(h.name for h in cells.hierarchies)
            nodes = written_out(plan.specs, cells.hierarchies)
            as_it_is = Published("the table", names, labels, tuples, groups, "box", nodes)
            refuse_overlap(job, cells, as_it_is)
        return job.check(groups), (*job.notes, *job.told_spellings(cells))
