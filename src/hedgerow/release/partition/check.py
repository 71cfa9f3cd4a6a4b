"""The claims of a plan, measured on the table as it is; nothing is published."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import Verdict
from hedgerow.plan.arguments import plan_of
from hedgerow.plan.plan import Plan
from hedgerow.release.partition.candidates import Candidates
from hedgerow.release.partition.job import Job, opened
from hedgerow.release.partition.judgement import judge, needs_candidates
from hedgerow.release.partition.kept_analyses import KeptAnalyses
from hedgerow.table.groups import Groups
from hedgerow.table.label_taxonomies import written_out

Codes = NDArray[np.int32]


def estimated(job: Job, tuples: Codes, groups: Groups) -> list[str]:
    """What is estimated of the population, where a claim says which share of it the table is."""
    fractions = dict.fromkeys(m.sampled for m in job.models if m.sampled is not None)
    if not fractions:
        return []
    # SciPy is loaded where something is estimated, and nowhere else.
    from hedgerow.claims.population.log_linear import log_linear
    from hedgerow.claims.population.overview import PopulationView

    told: list[str] = []
    for fraction in fractions:
        told += PopulationView.of(groups.n, fraction=fraction).sentences()
        model = log_linear(tuples, groups.n, fraction=fraction)
        if model is not None:
            told.append(model.sentence(groups.people, int(np.count_nonzero(groups.n == 1))))
    return told


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
        notes = (*job.notes, *job.told_spellings(cells), *estimated(job, tuples, groups))
        if plan.keep:
            notes += tuple(KeptAnalyses.of(job, cells).on_source)
        return judge(job, cells, groups, candidates), notes
