"""The claims of a plan, measured on the table as it is; nothing is published."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.claims.base import Verdict
from hedgerow.plan.arguments import plan_of
from hedgerow.plan.plan import Plan
from hedgerow.release.partition.candidates import Candidates
from hedgerow.release.partition.job import opened
from hedgerow.release.partition.judgement import judge, needs_candidates
from hedgerow.release.partition.kept_analyses import KeptAnalyses
from hedgerow.table.label_taxonomies import written_out


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
        candidates = None
        if needs_candidates(job):
            candidates = Candidates.in_table(cells, written_out(plan.specs, cells.hierarchies))
        notes = (*job.notes, *job.told_spellings(cells))
        if plan.keep:
            notes += tuple(KeptAnalyses.of(job, cells).on_source)
        return judge(job, cells, groups, candidates), notes
