"""The risk-utility frontier: for each strictness of one claim, the most useful release."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any

from hedgerow.base.errors import PlanError
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.readings import judged
from hedgerow.plan.plan import Plan
from hedgerow.plan.recoding import bounds
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import Lattice, Node
from hedgerow.recode.search import Search, Solution
from hedgerow.recode.search_state import SearchState
from hedgerow.release.partition.job import opened
from hedgerow.release.partition.recoding_choice import patience, refuse_unexplored

DEFAULT_K = (*range(2, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)
"""Strictness asked for when the first claim is k-anonymity."""


@dataclass(frozen=True)
class Point:
    """The best release under one requirement; no levels where nothing keeps it."""

    claim: str
    required: float
    levels: dict[str, int] | None
    cost: float
    """The metric as it is reported."""
    optimal: bool
    """Whether this is proven to be the best (or that there is none)."""


@dataclass(frozen=True)
class Frontier:
    """From the weakest to the strictest requirement, the best that was found for each.

    Each point says whether it is proven optimal; see `hedgerow.recode.optimality`.
    """

    metric: str
    points: tuple[Point, ...]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)


def frontier(
    source: Plan | str | os.PathLike[str],
    requirements: Sequence[PrivacyModel] | None = None,
    *,
    data: Any = None,
    progress: Callable[[float], None] | None = None,
) -> Frontier:
    """How much utility each further step of protection costs.

    Args:
        source: A plan; its first claim is varied, the others stay as they are.
        requirements: The first claim in several strengths, weakest first; for k-anonymity
            there is a default.
        data: The table, where it is in memory and not the plan's source.
        progress: Called with the share of the lattice that is settled.

    Raises:
        PlanError: The plan's search has no frontier, or there are no requirements to try.
    """
    plan = source if isinstance(source, Plan) else Plan.read(source)
    if plan.method.search != "lattice":
        raise PlanError(
            f"there is no frontier of {plan.method.search}: only the lattice is searched for all "
            "requirements at once",
            where=plan.where("method", "search"),
            fix="Use `search: lattice`.",
        )
    with opened(plan, data) as job:
        job.refuse_linked("a frontier")
        cells = job.cells()
        ladder = tuple(requirements or _ladder(job.models[0], cells.people))
        refuse_unexplored(plan, (*ladder, *job.models[1:]))
        ladder = judged(map(plan.in_order, ladder), cells.sensitive)
        rest = judged(job.models[1:], cells.sensitive)
    limit, keep = plan.method.may_suppress(cells.people), plan.method.keep_suppressed
    lattice = Lattice.of(cells, bounds(plan))
    metric = plan.utility.over([h.name for h in cells.hierarchies])
    asked = [SearchConstraints(rest, limit, keep, ladder)]
    if not all(model.one_by_one for model in ladder):
        # Claims about the table choose whom to suppress: each strictness is a search of its own.
        asked = [SearchConstraints((model, *rest), limit, keep) for model in ladder]
    seconds = patience(plan, lattice)
    solutions: list[Solution | None] = []
    least: list[float] = []
    for number, constraints in enumerate(asked):
        search = Search(lattice, constraints, metric)
        share = None if seconds is None else seconds / len(asked)

        def tell(state: SearchState, before: int = number) -> None:
            if progress is not None:
                progress((before + state.share) / len(asked))

        solutions += search.run(seconds=share, tell=tell)
        least += search.bound.tolist()
    names = [h.name for h in cells.hierarchies]

    def levels(node: Node) -> dict[str, int]:
        return dict(zip(names, node, strict=True))

    return Frontier(
        metric.name,
        tuple(
            Point(str(m), float(m.required), None, float("nan"), isinf(bound) and bound > 0)
            if s is None
            else Point(
                str(m), float(m.required), levels(s.node), metric.reported(s.cost), s.optimal
            )
            for m, s, bound in zip(ladder, solutions, least, strict=True)
        ),
    )


def _ladder(model: PrivacyModel, people: int) -> list[PrivacyModel]:
    sizes = [model.with_size(k) for k in DEFAULT_K if k <= max(people, 2)]
    ladder = [claim for claim in sizes if claim is not None]
    if not ladder:
        raise PlanError(
            f"the frontier of {model} needs the requirements to try",
            fix="Give `requirements`, weakest first, such as TCloseness(t=0.4), TCloseness(t=0.2).",
        )
    return ladder
