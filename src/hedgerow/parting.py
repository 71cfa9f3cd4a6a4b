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

from hedgerow.binding import barring, bound, domain_of, refuse_names, refuse_nobody
from hedgerow.choosing import Progress, method_of, refuse_unsuited
from hedgerow.encoding import encoded
from hedgerow.engines.base import Engine
from hedgerow.engines.held import Codes, Held
from hedgerow.errors import ClaimError
from hedgerow.groups import Histogram, Ints
from hedgerow.job import Job
from hedgerow.models.composition import Composition
from hedgerow.part_work import Columns, PartWork
from hedgerow.plan import Plan
from hedgerow.recode.cells import Cells
from hedgerow.recode.first_cuts import ALONE, FirstCuts, Margin, first_cuts
from hedgerow.recode.method import Method
from hedgerow.recode.pack import canonical
from hedgerow.recode.parts import confirm
from hedgerow.recode.recoding import SUPPRESSED, Recoding, widened
from hedgerow.splits import Tree
from hedgerow.utility import METRICS, Original, QueryError, Spans, Totals


@dataclass(frozen=True, eq=False)
class Parted:
    """A recoding that was found part by part, as a recipient sees it.

    Each cell is a published tuple with its sensitive values; people left out are one cell more,
    without values.
    """

    cells: Cells
    chosen: Recoding
    original: Original
    held: Held


def obstacle(job: Job) -> str | None:
    """Why the frequency set of this job has to come out of the engine, if it has to."""
    if job.schema.person is not None:
        return "people may have several rows"
    if job.population is not None:
        return "a claim is about an outside population"
    if job.past or any(isinstance(model, Composition) for model in job.models):
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
    columns, codes, barred, people = _columns(job)
    job.refuse_unfitting(_nobody(columns))
    held = job.engine.hold(
        job.schema.quasi_identifiers, sets=job.schema.sensitive, codes=codes, barred=barred
    )
    if held.lines <= most:
        return None
    reached("counted")
    absent = people - held.people
    limit = refuse_unsuited(plan, job.models, columns.hierarchies, people=people, absent=absent)

    def searching(share: float) -> None:
        say(f"searching ({plan.method.search})", share)

    method = method_of(plan, job.models)
    method.refuse_unfit()
    counting = _Counting(held)
    cuts = first_cuts(
        counting,
        hierarchies=columns.hierarchies,
        sensitive=columns.sensitive,
        models=method.claims,
        most=most,
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
    cells, chosen = _seen(held, columns, method, most, absent)
    return Parted(
        cells, confirm(chosen, cells, job.models), _original(counting, columns, absent), held
    )


def _columns(job: Job) -> tuple[Columns, list[Codes], tuple[str, ...], int]:
    """The columns; the code of each value; the columns that bar people; and everybody."""
    plan, schema = job.plan, job.schema
    refuse_names(plan, schema)
    hierarchies, sensitive, written = [], [], []
    sizes: list[int] = []
    codes: list[Codes] = []
    missing: dict[str, int] = {}
    people = 0
    for name in schema.quasi_identifiers:
        values, n = _values(job.engine, name)
        people = int(n.sum())
        refuse_nobody(plan, people)
        hierarchy = bound(plan, name, values)
        place = hierarchy.encode(values)
        hierarchies.append(hierarchy)
        sizes.append(int(place.max()) + 1)
        codes.append(dict(zip(values, place.tolist(), strict=True)))
        if None in values:
            missing[name] = int(n[values.index(None)])
    for name in schema.sensitive:
        values, n = _values(job.engine, name)
        domain, rank = domain_of(plan, name, values, n, people)
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
    return columns, codes, barring(plan, hierarchies, missing, people), people


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

    held: Held

    @cached_property
    def everybody(self) -> Margin:
        """The margins of the whole table."""
        return self._ask((), [0])

    def sizes(self, tree: Tree, parts: Sequence[int]) -> Sequence[int]:
        return self.held.sizes(tree, parts)

    def margins(self, tree: Tree, parts: Sequence[int], *, values: bool) -> Margin:
        found = self._ask(tree, parts) if tree else self.everybody
        return found if values else found.take(np.flatnonzero(found.of == ALONE))

    def _ask(self, tree: Tree, parts: Sequence[int]) -> Margin:
        found = self.held.margins(tree, parts)
        names = ("part", "axis", "of", "code", "value", "n")
        return Margin(*(np.asarray(found[name].to_numpy(), np.int64) for name in names))


def _refuse_large(plan: Plan, method: Method, cuts: FirstCuts, most: int) -> None:
    """A part that cannot be cut is one group to strict Mondrian; others would work on it whole."""
    largest = max(cuts.lines.values())
    if largest > most and (method.search, method.mode) != ("mondrian", "strict"):
        raise ClaimError(
            f"the table cannot be cut into parts of at most {most:,} lines: one of {largest:,} has "
            "no cut that keeps every claim on both sides",
            where=plan.where("method", "parts"),
            fix=f"Say `parts: {largest}` where a part of that size fits into memory, weaken a "
            "claim, or use strict Mondrian.",
        )


def _seen(
    held: Held, columns: Columns, method: Method, most: int, absent: int
) -> tuple[Cells, Recoding]:
    """What was solved, a cell for each published tuple with its sensitive values."""
    lines = held.condensed()
    axes = range(len(columns.hierarchies))
    published = [encoded(lines[f"p{j}"]) for j in axes]
    values = [
        np.asarray(lines[f"v{i}"].to_numpy(), np.int32) for i in range(len(columns.sensitive))
    ]
    labels = np.column_stack([codes for _, codes in published])
    sizes = [*(len(d.values) for d in columns.sensitive), *(len(texts) for texts, _ in published)]
    order = canonical(np.column_stack([*values, labels]), sizes)
    labels = labels[order]
    new = np.ones(len(labels), np.bool_)
    new[1:] = (labels[1:] != labels[:-1]).any(axis=1)
    start, group = np.flatnonzero(new), np.cumsum(new) - 1
    low, high, rung = (
        np.column_stack([np.asarray(lines[f"{letter}{j}"].to_numpy(), kind)[order] for j in axes])
        for letter, kind in (("l", np.int32), ("h", np.int32), ("r", np.float64))
    )
    spans = Spans(
        np.minimum.reduceat(low, start), np.maximum.reduceat(high, start),
        np.maximum.reduceat(rung, start),
    ) if len(start) else Spans(low, high, rung)  # fmt: skip
    spans = widened(columns.hierarchies, spans)
    n = np.asarray(lines["n"].to_numpy(), np.int64)[order]
    # The last cell is of those left out. They have no values here: nothing is said of them.
    n = np.append(n, held.people - int(n.sum()))
    group = np.append(group, SUPPRESSED)
    indptr = np.append(np.arange(len(n), dtype=np.int64), len(n) - 1)
    cells = Cells(
        columns.hierarchies,
        np.append(spans.low[group[:-1]], np.zeros((1, len(axes)), np.int32), axis=0),
        n,
        n,
        columns.sensitive,
        tuple(Histogram(indptr, codes[order], n[:-1]) for codes in values),
        absent=absent,
    )
    names = tuple(
        np.array(texts, object)[labels[start, j]] for j, (texts, _) in enumerate(published)
    )
    each = np.arange(len(n))
    detail = {**method.detail, "parts": most}
    return cells, Recoding(method.search, each, n, group, names, spans, detail=detail)


def _original(counting: _Counting, columns: Columns, absent: int) -> Totals:
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
    queries = METRICS["query-error"]
    assert isinstance(queries, QueryError)
    asked = queries.workload(leaves)
    boxes = [
        {int(j): (int(a), int(b)) for j, a, b in zip(*query, strict=True)}
        for query in zip(*asked, strict=True)
    ]
    return Totals(
        leaves=leaves,
        absent=absent,
        counts=tuple(counts),
        sizes=(sizes[order], tuples[order]),
        asked=asked,
        answers=np.array(counting.held.within(boxes), np.float64),
    )
