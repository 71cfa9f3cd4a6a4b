"""Parting: a recoding of a table whose frequency set stays in the engine.

The first cuts are decided from how many people have each value, which the engine counts; the
method then works on one part after the other, wherever the engine has it. What comes out is
what a recipient sees: the published tuples with their sensitive values. Whatever comes after
(writing, measuring, the certificate) works on these as it does on cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.base.errors import ClaimError, DataError
from hedgerow.claims.readings import judged
from hedgerow.engines.base import Engine
from hedgerow.engines.frequency_set import Codes, FrequencySet
from hedgerow.engines.splits import Tree
from hedgerow.plan.plan import Plan
from hedgerow.plan.recoding import method_of
from hedgerow.recode.condensation import condensed
from hedgerow.recode.first_cuts import ALONE, FirstCuts, Margin, first_cuts
from hedgerow.recode.method import RecodingMethod
from hedgerow.recode.metrics import METRICS, Metric
from hedgerow.recode.outcome import Original, Totals, Workload
from hedgerow.recode.part_work import Columns, PartWork
from hedgerow.recode.parts import confirm
from hedgerow.recode.recoding import Recoding
from hedgerow.release.partition.job import Job
from hedgerow.release.partition.recoding_choice import Progress, refuse_unsuited
from hedgerow.table.cells import Cells
from hedgerow.table.column_domains import barring, bound, domain_of, refuse_names, refuse_nobody
from hedgerow.table.encoding import encoded
from hedgerow.table.groups import Floats, Histogram, Ints


@dataclass(frozen=True, eq=False)
class Parted:
    """A recoding that was found part by part, as a recipient sees it.

    Each cell is a published tuple with its sensitive values; people left out are one cell more,
    without values.
    """

    cells: Cells
    chosen: Recoding
    original: Original
    held: FrequencySet


def obstacle(job: Job) -> str | None:
    """Why the frequency set of this job has to come out of the engine, if it has to."""
    if job.population is not None:
        return "a claim is about an outside population"
    if job.past or any(model.composes for model in job.models):
        return "there are earlier releases to compare with"
    if job.joint:
        return "a claim is about all columns together"
    if job.facts:
        return "a claim is about what the release does not show"
    return None if job.schema.quasi_identifiers else "there is nothing to cut by"


def parted_there(job: Job, say: Progress, reached: Callable[[str], None]) -> Parted | None:
    """Find the recoding part by part; None where the frequency set is no larger than a part.

    Args:
        job: The source, with the claims about it; nothing is an `obstacle`.
        say: Told what is going on.
        reached: Told when the source is "counted".

    Raises:
        ClaimError: The claims cannot be kept, or a part cannot be cut small enough.
    """
    plan, most = job.plan, job.plan.method.parts
    assert most is not None, "the plan names the size of parts"
    columns, codes, missing, people = _columns(job)
    barred = barring(job.rules, columns.hierarchies, missing, people)
    job.refuse_unfitting(_nobody(columns))
    held = job.engine.hold(
        job.schema.quasi_identifiers, sets=job.schema.sensitive, codes=codes, barred=barred
    )
    absent = people - held.people
    without = [missing[name] for name in barred]
    if not max(without, default=0) <= absent <= sum(without):
        raise _changed(plan)
    if held.lines <= most:
        held.close()
        return None
    reached("counted")
    models = judged(job.models, columns.sensitive)
    limit = refuse_unsuited(plan, models, columns.hierarchies, people=people, absent=absent)

    def searching(share: float) -> None:
        say(f"searching ({plan.method.search})", share)

    names = [h.name for h in columns.hierarchies]
    method = method_of(plan, models, names)
    method.refuse_unfit()
    counting = _Counting(held)
    cuts = first_cuts(
        counting,
        hierarchies=columns.hierarchies,
        sensitive=columns.sensitive,
        models=method.claims,
        most=most,
        weights=method.weights,
        refuse=method.starts_whole,
        progress=lambda share: say("cutting into parts", share),
    )
    _refuse_large(plan, method, cuts, most)
    work = PartWork(
        columns=columns,
        method=method,
        space=cuts.space,
        limit=limit - absent,
        people=held.people,
    )
    held.solve(cuts.tree, cuts.parts, work, separated=method.separates, progress=searching)
    detail = {**method.detail, "parts": most}
    cells, chosen = condensed(held, columns, kind=method.search, absent=absent, detail=detail)
    original = _original(counting, columns, absent, plan.utility.over(names))
    may = limit - absent if method.search == "local" else 0
    # An executor that was lost reads the source again, and that may have changed.
    if not 0 <= chosen.suppressed <= may or original.people != people:
        raise _changed(plan)
    return Parted(cells, confirm(chosen, cells, models), original, held)


def _columns(job: Job) -> tuple[Columns, list[Codes], dict[str, int], int]:
    """The columns; the code of each value; who has no value in which column; and everybody."""
    plan, schema = job.plan, job.schema
    refuse_names(job.rules, schema)
    hierarchies, sensitive, written = [], [], []
    sizes: list[int] = []
    codes: list[Codes] = []
    missing: dict[str, int] = {}
    counted = {
        name: _values(job.engine, name) for name in (*schema.quasi_identifiers, *schema.sensitive)
    }
    totals = {int(n.sum()) for _, n in counted.values()}
    if len(totals) > 1:
        raise _changed(plan)
    (people,) = totals
    refuse_nobody(job.rules, people)
    for name in schema.quasi_identifiers:
        values, n = counted[name]
        hierarchy = bound(job.rules, name, values)
        place = hierarchy.encode(values)
        hierarchies.append(hierarchy)
        sizes.append(int(place.max()) + 1)
        codes.append(dict(zip(values, place.tolist(), strict=True)))
        if None in values:
            missing[name] = int(n[values.index(None)])
    for name in schema.sensitive:
        values, n = counted[name]
        domain, rank = domain_of(job.rules, name, values, n, people)
        sensitive.append(domain)
        written.append(np.argsort(rank).astype(np.int32))
        sizes.append(len(values))
        codes.append(dict(zip(values, rank.tolist(), strict=True)))
    columns = Columns(
        hierarchies=tuple(hierarchies),
        sensitive=tuple(sensitive),
        written=tuple(written),
        sizes=tuple(sizes),
    )
    return columns, codes, missing, people


def _changed(plan: Plan) -> DataError:
    return DataError(
        "the source had other people when it was read again",
        where=plan.source,
        fix="Nothing was published. Run it again when nobody writes to the source.",
    )


def _values(engine: Engine, name: str) -> tuple[list[str | None], Ints]:
    """The values of a column in order of their text, missing last, and who has each."""
    counted = engine.counts([name])
    values, codes = encoded(counted["q0"])
    n = np.zeros(len(values), np.int64)
    n[codes] = counted["n"].to_numpy()
    return values, n


def _nobody(columns: Columns) -> Cells:
    none = np.zeros(0, np.int64)
    empty = Histogram(np.zeros(1, np.int64), none.astype(np.int32), none)
    return Cells(
        columns.hierarchies,
        np.zeros((0, len(columns.hierarchies)), np.int32),
        none,
        none,
        columns.sensitive,
        (empty,) * len(columns.sensitive),
    )


@dataclass(frozen=True, eq=False)
class _Counting:
    """What the engine holds, as the cuts ask for it."""

    held: FrequencySet

    @cached_property
    def everybody(self) -> Margin:
        """The margins of the whole table."""
        return self._ask((), [0], values=False)

    def sizes(self, tree: Tree, parts: Sequence[int]) -> Sequence[int]:
        return self.held.sizes(tree, parts)

    def margins(self, tree: Tree, parts: Sequence[int], *, values: bool) -> Margin:
        return self._ask(tree, parts, values=values) if tree or values else self.everybody

    def _ask(self, tree: Tree, parts: Sequence[int], *, values: bool) -> Margin:
        found = self.held.margins(tree, parts, values=values)
        names = ("part", "axis", "of", "code", "value", "n")
        return Margin(*(np.asarray(found[name].to_numpy(), np.int64) for name in names))


def _refuse_large(plan: Plan, method: RecodingMethod, cuts: FirstCuts, most: int) -> None:
    """A part that cannot be cut is one group to strict Mondrian; others would work on it whole."""
    largest = max(cuts.lines.values())
    if largest > most and (method.search, method.mode) != ("mondrian", "strict"):
        alone = len(cuts.parts) == 1 and not method.starts_whole
        raise ClaimError(
            f"the table cannot be cut into parts of at most {most:,} lines: one of {largest:,} has "
            "no cut that keeps every claim on both sides",
            where=plan.where("method", "parts"),
            fix="Weaken a claim, use strict Mondrian, or say a larger `parts` where a part of that "
            f"size fits into memory: a round number, such as {10 ** len(str(largest))}, as the "
            "certificate repeats it."
            + " The table as one group may not keep the claims either."
            * alone,
        )


def _original(counting: _Counting, columns: Columns, absent: int, weighed: Metric) -> Totals:
    """What is known of the table before it was recoded."""
    leaves = tuple(len(h.values) for h in columns.hierarchies)
    everybody = counting.everybody
    counts = []
    for j, size in enumerate(leaves):
        here = np.flatnonzero((everybody.axis == j) & (everybody.of == ALONE))
        at_leaf = np.zeros(size, np.int64)
        at_leaf[everybody.code[here]] = everybody.n[here]
        counts.append(at_leaf)
    counted = counting.held.tuple_sizes()
    sizes, tuples = (np.asarray(counted[of].to_numpy(), np.int64) for of in ("size", "tuples"))
    order = np.argsort(sizes)
    workloads = (metric.workload(leaves) for metric in (*METRICS.values(), weighed))
    return Totals(
        leaves=leaves,
        absent=absent,
        counts=tuple(counts),
        sizes=(sizes[order], tuples[order]),
        answers=tuple((asked, _answers(counting, asked)) for asked in workloads if asked),
    )


def _answers(counting: _Counting, asked: Workload) -> Floats:
    """How many people are in the box of each query."""
    boxes = [
        {int(j): (int(a), int(b)) for j, a, b in zip(*query, strict=True)}
        for query in zip(*asked, strict=True)
    ]
    return np.array(counting.held.within(boxes), np.float64)
