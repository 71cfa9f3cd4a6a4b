"""The risk-utility frontier: for each strictness of one claim, the most useful release."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, isinf, nan
from typing import Any

from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.base.stop_request import StopRequest
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.readings import judged
from hedgerow.explore.frontier import values_of
from hedgerow.explore.levers import Lever, levers
from hedgerow.explore.survey import needs_node
from hedgerow.plan.plan import Plan
from hedgerow.plan.recoding import bounds
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import WIDE, best_node
from hedgerow.recode.lattice import Lattice, Node
from hedgerow.recode.search import SLACK, Search, Solution
from hedgerow.recode.search_state import SearchState
from hedgerow.release.partition.job import opened
from hedgerow.release.partition.recoding_choice import patience, refuse_unexplored
from hedgerow.table.cells import Cells

DEFAULT_K = (*range(2, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)
"""Strictness asked for when the first claim is k-anonymity."""

Models = tuple[PrivacyModel, ...]


@dataclass(frozen=True)
class Point:
    """The best release under one requirement; no levels where nothing keeps it."""

    claim: str
    required: float
    """The parameter that is varied."""
    levels: dict[str, int] | None
    cost: float
    """The metric as it is reported."""
    optimal: bool
    """Whether this is proven to be the best (or that there is none)."""
    bound: float = field(default=nan, repr=False)
    """What no release has a better metric than, as it is reported; not a number where none is
    known."""


@dataclass(frozen=True)
class Frontier:
    """From the weakest to the strictest requirement, the best that was found for each.

    Each point says whether it is proven optimal; see `hedgerow.recode.optimality`.
    """

    metric: str
    points: tuple[Point, ...]
    words: str = "the first claim"
    """What is varied."""

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def summary(self) -> dict[str, Any]:
        """As `hedgerow frontier --json` prints it."""
        return {
            "metric": self.metric,
            "varied": self.words,
            "points": [
                {
                    "claim": point.claim,
                    "value": point.required,
                    "levels": point.levels,
                    "cost": None if point.levels is None else point.cost,
                    "bound": None if point.levels is None or point.bound != point.bound
                    else point.bound,
                    "optimal": point.optimal,
                }
                for point in self.points
            ],
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Asked:
    """The claims at each value of what is varied, from weak to strict."""

    words: str
    values: tuple[float, ...]
    told: tuple[str, ...]
    versions: tuple[Models, ...]
    ladder: bool
    """Whether a release under one version keeps all weaker ones too, group by group."""
    varied: int = 0
    """Which of the claims it is."""


def frontier(
    source: Plan | str | os.PathLike[str],
    requirements: Sequence[PrivacyModel] | None = None,
    *,
    vary: str | None = None,
    values: Sequence[float] | None = None,
    seconds: float | None = None,
    data: Any = None,
    progress: Callable[[float], None] | None = None,
    stop: StopRequest | None = None,
) -> Frontier:
    """How much utility each further step of protection costs.

    Args:
        source: A plan; one of its claims is varied, the others stay as they are.
        requirements: The first claim in several strengths, weakest first; for k-anonymity
            there is a default.
        vary: Instead of these, the parameter to vary: its key (`t`), with its claim where
            several have it (`t-closeness.t`), or with the claim's place (`1.t`).
        values: Of that parameter; some from its low end to its high one if left out.
        seconds: How long it may take in all; what the plan's `time` says if left out.
        data: The table, where it is in memory and not the plan's source.
        progress: Called with the share of the work that is done.
        stop: Where somebody may ask for what has been found so far.

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
        if vary is None and values is None:
            asked = _of_requirements(plan, job.models, requirements, cells)
        else:
            asked = _of_lever(plan, job.models, _lever(plan, vary, cells), values)
        for version in asked.versions:
            refuse_unexplored(plan, version)
            _refuse_together(plan, version)
    lattice = Lattice.of(cells, bounds(plan))
    limited = patience(plan, lattice) if seconds is None else seconds
    runs = _Runs(plan, cells, lattice, asked, limited, progress, stop or StopRequest())
    with runs.stop.heard():
        found = runs.all()
    names = [h.name for h in cells.hierarchies]
    metric = plan.utility.over(names)
    points = []
    for value, told, (solution, least) in zip(asked.values, asked.told, found, strict=True):
        if solution is None:
            points.append(Point(told, value, None, nan, isinf(least) and least > 0))
            continue
        levels = dict(zip(names, solution.node, strict=True))
        bound = nan if isinf(solution.bound) else metric.reported(max(0.0, solution.bound))
        reported = metric.reported(solution.cost)
        points.append(Point(told, value, levels, reported, solution.optimal, bound))
    return Frontier(metric.name, tuple(points), asked.words)


Found = tuple[Solution | None, float]
"""The best node and what none costs less; infinite where there is no solution."""


@dataclass(frozen=True, eq=False)
class _Runs:
    """The searches of a frontier: one for a ladder, or one for each value."""

    plan: Plan
    cells: Cells
    lattice: Lattice
    asked: _Asked
    seconds: float | None
    progress: Callable[[float], None] | None
    stop: StopRequest

    def all(self) -> list[Found]:
        wide = self.seconds is not None and self.lattice.size > WIDE
        if self.asked.ladder and not wide:
            return self._at_once()
        return self._one_by_one()

    def _at_once(self) -> list[Found]:
        asked = self.asked
        ladder = [version[asked.varied] for version in asked.versions]
        first = asked.versions[0]
        rest = (*first[: asked.varied], *first[asked.varied + 1 :])
        search = self._search(rest, tuple(ladder))
        found = search.run(
            seconds=self.seconds, tell=lambda state: self._tell(state, 0, 1), ends=self.stop.asked
        )
        return _ascending(list(zip(found, search.bound.tolist(), strict=True)))

    def _one_by_one(self) -> list[Found]:
        """From strict to weak: what keeps a claim keeps a weaker one."""
        versions = self.asked.versions
        share = None if self.seconds is None else self.seconds / len(versions)
        found: list[Found] = []
        known: list[Node] = []
        for done, version in enumerate(reversed(versions)):
            search = self._search(version)

            def tell(state: SearchState, before: int = done) -> None:
                self._tell(state, before, len(versions))

            solution, _ = best_node(
                search, seconds=share, known=known, tell=tell, ends=self.stop.asked
            )
            if solution is not None:
                known = [solution.node, *known][:3]
            found.insert(0, (solution, float(search.bound[0])))
        return _ascending(found) if self.asked.ladder else found

    def _search(self, models: Models, ladder: Models = ()) -> Search:
        method = self.plan.method
        limits = SearchConstraints(
            judged(models, self.cells.sensitive),
            method.may_suppress(self.cells.people),
            method.keep_suppressed,
            judged(ladder, self.cells.sensitive),
        )
        names = [h.name for h in self.cells.hierarchies]
        return Search(self.lattice, limits, self.plan.utility.over(names))

    def _tell(self, state: SearchState, before: int, many: int) -> None:
        if self.progress is not None:
            self.progress((before + state.share) / many)


def _ascending(found: Sequence[Found]) -> list[Found]:
    """What bounds a claim bounds stricter ones."""
    least, raised = -inf, []
    for solution, bound in found:
        least = max(least, bound)
        if solution is not None:
            within = min(solution.cost, max(solution.bound, least))
            solution = Solution(solution.node, solution.cost, within)
        raised.append((solution, least))
    return raised


def _of_requirements(
    plan: Plan, models: Models, requirements: Sequence[PrivacyModel] | None, cells: Cells
) -> _Asked:
    """The first claim, as it was given in several strengths."""
    ladder = tuple(map(plan.in_order, requirements or _ladder(models[0], cells.people)))
    return _Asked(
        "the first claim",
        tuple(float(model.required) for model in ladder),
        tuple(map(str, ladder)),
        tuple((model, *models[1:]) for model in ladder),
        # Claims about the table choose whom to suppress: each strictness is a search of its own.
        all(model.one_by_one for model in ladder),
    )


def _refuse_together(plan: Plan, models: Models) -> None:
    """Refuse claims that are no ladder group by group, which a frontier is searched by.

    Raises:
        PlanError: What a claim says of a group depends on the others.
    """
    for model in models:
        if needs_node(model):
            raise PlanError(
                f"there is no frontier of {model}: what it says of a group depends on the other "
                "groups of a release",
                where=plan.where("protect"),
                fix="Look at it in the lattice of the app, or publish with other parameters.",
            )


def _lever(plan: Plan, vary: str | None, cells: Cells) -> Lever:
    """The parameter of this name.

    Raises:
        PlanError: There is none, or several.
    """
    domains = {domain.name: domain for domain in cells.sensitive}
    every = levers(plan, domains=domains, people=cells.people)
    if not every:
        raise PlanError(
            "no claim of the plan has a parameter that can be varied",
            fix="Add a claim such as `- k-anonymity: 5`.",
        )
    if vary is None:
        return every[0]
    named = [lever for lever in every if vary in lever.names]
    if len(named) == 1:
        return named[0]
    wrong = "several claims have a parameter" if named else "no claim has a parameter"
    raise PlanError(f"{wrong} {vary!r}", fix=f"Give one of {', '.join(_told(named or every))}.")


def _told(levers: Sequence[Lever]) -> Iterator[str]:
    """What to call each: by its claim, and by the claim's place where several are called so."""
    times = Counter(lever.names[0] for lever in levers)
    for lever in levers:
        name = lever.names[0]
        yield name if times[name] == 1 else f"{lever.name} (of {lever.claim})"


def _of_lever(plan: Plan, models: Models, lever: Lever, values: Sequence[float] | None) -> _Asked:
    """The claims at each value of a parameter, weakest first."""
    tried, versions = [], []
    wanted = sorted(set(values_of(lever) if values is None else values))
    for value in wanted if lever.higher_is_safer else reversed(wanted):
        try:
            versions.append(lever.moved(models, value))
        except HedgerowError:  # a stubbornness that no attacker of this class has
            if values is not None:
                raise
            continue
        tried.append(float(value))
    place = lever.models[0]
    moved = [version[place] for version in versions]
    threshold = len(lever.models) == 1 and all(
        model.one_by_one and abs(float(model.required) - value) <= SLACK
        for model, value in zip(moved, tried, strict=True)
    )
    return _Asked(
        lever.words, tuple(tried), tuple(map(str, moved)), tuple(versions), threshold, place
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
