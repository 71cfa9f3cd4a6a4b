"""Every node of a lattice at once: what it would publish, and which claims it would keep."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.errors import ClaimError, PlanError, some
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.readings import judged
from hedgerow.explore.kinds import Collector, CrowdedError, NodeProfile
from hedgerow.explore.survey import Flags, Survey, needs_node, passing, survey
from hedgerow.plan.methods import Method
from hedgerow.plan.plan import Plan
from hedgerow.plan.recoding import bounds
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import Frequency, Lattice, Node
from hedgerow.recode.metrics import Metric
from hedgerow.recode.metrics.group_sums import GroupSums
from hedgerow.recode.search import Search
from hedgerow.recode.warmup import warming
from hedgerow.release.partition.job import opened
from hedgerow.release.partition.recoding_choice import (
    Progress,
    choose,
    refuse_meaningless,
    refuse_unexplored,
)
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Weights
from hedgerow.table.schema import Schema

MOST_NODES = 50_000
"""Nodes of the largest lattice that is looked at as a whole."""
REACH = 2
"""Of a larger one, how many steps around a node are looked at."""
ALONE = 10**12
"""Numbers that three nodes may take: whatever they need."""
PATIENCE = 10.0
"""Seconds to look for a node to begin with, where the lattice is too large as a whole."""
REMEMBERED = 64
"""Claims of which is kept what they say of the kinds."""


@dataclass(frozen=True, eq=False)
class Searched:
    """A bound on all releases of a lattice, and under which claims it is one."""

    models: tuple[PrivacyModel, ...]
    limit: int
    bound: float


@dataclass(eq=False)
class Exploration:
    """A table and a plan, opened to look at all recodings of the lattice and publish none.

    What is shown is about people in the table: it is for the steward, not for a recipient.

    >>> table = {"age": ["31", "32", "47", "48"], "ill": ["flu", "flu", "gout", "flu"]}
    >>> import pyarrow as pa
    >>> plan = Plan.of(
    ...     columns={"age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 100]}},
    ...              "ill": "sensitive"},
    ...     protect=[{"k-anonymity": 2}])
    >>> exploration = Exploration.open(plan, data=pa.table(table))
    >>> found = exploration.survey()
    >>> found.nodes.ravel().tolist(), found.left_out.tolist(), found.feasible.tolist()
    ([0, 1, 2, 3], [4, 0, 0, 0], [0, 1, 1, 1])
    >>> exploration.levels(found.best[0])
    {'age': 1}
    """

    plan: Plan
    schema: Schema
    cells: Cells
    models: tuple[PrivacyModel, ...]
    """The plan's claims."""
    lattice: Lattice
    worth: GroupSums
    profile: NodeProfile
    complete: bool
    """Whether every node is there, or only some around one of them."""
    searched: Searched | None = None
    """What was found on the way to the first of them."""
    _known: dict[PrivacyModel, Flags] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(
        cls,
        source: Plan | str | os.PathLike[str],
        *,
        data: Any = None,
        population_table: Any = None,
        memory: str | None = None,
        around: Mapping[str, int] | None = None,
        most_nodes: int = MOST_NODES,
        progress: Progress | None = None,
    ) -> Exploration:
        """Count the table, and find out what groups every node has.

        Levels that the plan fixes for all columns count as a choice that was made, and all levels
        are looked at; a plan that only bounds some of them is taken at its word.

        Args:
            source: A plan, or the path of a plan file.
            data: The table, where it is in memory and not the plan's source.
            population_table: The outside population, as in `publish`.
            memory: How much memory the engine may use, such as "4GB".
            around: Where the lattice is too large to be looked at as a whole: the node to begin
                with; else the best that is found in PATIENCE seconds.
            most_nodes: How large that is.
            progress: Called as work goes on; an exception it raises stops the work.

        Raises:
            PlanError: The plan's method does not search the lattice.
        """
        plan = source if isinstance(source, Plan) else Plan.read(Path(source))
        refuse_meaningless(plan)
        if plan.method.search != "lattice":
            raise PlanError(
                f"only the lattice can be explored, not {plan.method.search}",
                where=plan.where("method", "search"),
                fix="Use `search: lattice`.",
            )
        say = progress or (lambda what, share: None)
        with opened(plan, data, population_table=population_table, memory=memory) as job:
            job.refuse_linked("exploring")
            say("counting", None)
            with warming():
                cells = job.cells()
            schema, models = job.schema, job.models
        refuse_unexplored(plan, models)
        chosen = fixed(plan)
        lattice = Lattice.of(_seen_by(cells, models), None if chosen else bounds(plan))
        if chosen is not None:
            Lattice.of(cells, bounds(plan))  # refuses levels that do not exist
        metric = plan.utility.over([h.name for h in cells.hierarchies])
        worth = metric.sums(lattice, keep_suppressed=plan.method.keep_suppressed)
        profile = _whole(lattice, worth, say) if lattice.size <= most_nodes else None
        complete, searched = profile is not None, None
        if profile is None:
            centre, searched = _centre(plan, cells, models, lattice, around, say)
            profile = _around(lattice, worth, centre, say)
        return cls(plan, schema, cells, models, lattice, worth, profile, complete, searched)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of a node's levels."""
        return tuple(h.name for h in self.cells.hierarchies)

    @property
    def metric(self) -> Metric:
        """What makes one node better than another."""
        return self.worth.metric

    def levels(self, place: int) -> dict[str, int]:
        """A node by its place in a survey."""
        return dict(zip(self.names, map(int, self.profile.nodes[place]), strict=True))

    def place(self, levels: Mapping[str, int]) -> int | None:
        """The place of a node in a survey; None where it is not there.

        Raises:
            PlanError: There is no such node in the lattice.
        """
        found = np.flatnonzero((self.profile.nodes == self.node(levels)).all(axis=1))
        return int(found[0]) if len(found) else None

    def node(self, levels: Mapping[str, int]) -> Node:
        """Levels by name as a node of the lattice.

        Raises:
            PlanError: A column is missing or unknown, or has no such level.
        """
        if set(levels) != set(self.names):
            raise PlanError(
                f"a node gives a level to each of {some(self.names)}, not to {some(levels)}",
                fix="Give every quasi-identifier one level.",
            )
        node = []
        for name, low, high in zip(self.names, self.lattice.bottom, self.lattice.top, strict=True):
            level = levels[name]
            whole = isinstance(level, int | np.integer) and not isinstance(level, bool)
            if not (whole and low <= level <= high):
                raise PlanError(
                    f"there is no level {level!r} of {name!r}",
                    fix=f"Choose one from {low} to {high}.",
                )
            node.append(int(level))
        return tuple(node)

    def neighbours(self, place: int) -> tuple[int, ...]:
        """Places of the nodes one step away in one column."""
        nodes = self.profile.nodes
        apart = np.abs(nodes - nodes[place]).sum(axis=1)
        return tuple(int(i) for i in np.flatnonzero(apart == 1))

    def limit(self, suppress: float | None = None) -> int:
        """How many people may be left out, where the plan's share or another one may be.

        Raises:
            PlanError: The share is not one.
        """
        if suppress is None:
            return self.plan.method.may_suppress(self.cells.people)
        if not 0 <= suppress <= 1:
            raise PlanError(
                f"{suppress!r} is not a share of people", fix="Give one from 0 to 1, such as 0.05."
            )
        return Method(suppress=suppress).may_suppress(self.cells.people)

    def constraints(
        self, models: Sequence[PrivacyModel] | None = None, suppress: float | None = None
    ) -> SearchConstraints:
        """What a node must keep.

        Raises:
            PlanError: A claim is about what was not counted.
        """
        asked = self.models if models is None else tuple(models)
        counted = set(self.profile.groups.histograms)
        for model in asked:
            if missing := [name for name in model.attributes if name not in counted]:
                raise PlanError(
                    f"{model} is about {some(missing)}, which was not counted",
                    fix="Open the plan again with this claim.",
                )
        asked = judged(asked, self.cells.sensitive)
        return SearchConstraints(asked, self.limit(suppress), self.plan.method.keep_suppressed)

    def survey(
        self,
        models: Sequence[PrivacyModel] | None = None,
        *,
        suppress: float | None = None,
        first: Sequence[int] = (),
        seconds: float | None = None,
    ) -> Survey:
        """Which claims each node keeps, whom it leaves out for that, and what it costs.

        Args:
            models: Claims instead of the plan's, about the same columns.
            suppress: Share of people who may be left out, instead of the plan's.
            first: Places to decide first, where a claim is about the table as a whole: such
                claims are measured node by node.
            seconds: How long that may take; nodes that were not reached stay open.
        """
        constraints = self.constraints(models, suppress)
        kept = [
            self._passing(model)
            if model in constraints.by_group and not needs_node(model)
            else None
            for model in constraints.models
        ]
        found = survey(
            self.profile, constraints, self.worth, kept,
            absent=self.cells.absent, first=first, seconds=seconds,
        )  # fmt: skip
        return found if self.complete else replace(found, elsewhere=self._elsewhere(constraints))

    def _elsewhere(self, constraints: SearchConstraints) -> float:
        """What no node costs less that was not looked at."""
        least = Search(self.lattice, constraints, self.metric).least()
        known = self.searched
        if known is not None and (known.models, known.limit) == (
            constraints.models,
            constraints.limit,
        ):
            least = max(least, known.bound)
        return least

    def _passing(self, model: PrivacyModel) -> Flags:
        found = self._known.get(model)
        if found is None:
            found = passing(self.profile, model)
            with self._lock:
                while len(self._known) >= REMEMBERED:
                    self._known.pop(next(iter(self._known)))
                self._known[model] = found
        return found

    def under(self, plan: Plan) -> Exploration:
        """The same table under a plan that differs only in its claims' parameters and levels."""
        return replace(self, plan=plan, models=plan.models())

    def around(self, levels: Mapping[str, int], *, progress: Progress | None = None) -> Exploration:
        """The same, with what is near another node; itself where every node is there."""
        if self.complete:
            return self
        say = progress or (lambda what, share: None)
        profile = _around(self.lattice, self.worth, self.node(levels), say)
        return replace(self, profile=profile, _known={})


def fixed(plan: Plan) -> dict[str, int] | None:
    """The node the plan fixes, where it leaves no column a choice."""
    names = plan.schema().quasi_identifiers
    found = bounds(plan)
    if names and all(name in found and found[name][0] == found[name][1] for name in names):
        return {name: found[name][0] for name in names}
    return None


def _seen_by(cells: Cells, models: Sequence[PrivacyModel]) -> Cells:
    """Only the sensitive columns that claims are about: others would tell equal groups apart."""
    wanted = {name for model in models for name in model.attributes}
    wanted |= {Weights.name_of(model.weighted_by) for model in models if model.weighted_by}
    kept = [
        (domain, h)
        for domain, h in zip(cells.sensitive, cells.values, strict=True)
        if domain.name in wanted
    ]
    return replace(cells, sensitive=tuple(d for d, _ in kept), values=tuple(h for _, h in kept))


def _whole(lattice: Lattice, worth: GroupSums, say: Progress) -> NodeProfile | None:
    """Every node; None where there is no room for all of them."""
    collector = Collector(worth)
    try:
        for done, frequency in enumerate(lattice.frequencies()):
            collector.add(frequency)
            if done % 50 == 0:
                say("looking at every node", done / lattice.size)
    except CrowdedError:
        return None
    return collector.profile()


def _around(lattice: Lattice, worth: GroupSums, centre: Node, say: Progress) -> NodeProfile:
    """The nodes at most REACH steps from one of them, and the two ends of the lattice."""
    for reach in range(REACH, 0, -1):
        try:
            return _collected(lattice, Collector(worth), centre, reach, say)
        except CrowdedError:
            continue
    return _collected(lattice, Collector(worth, most=ALONE), centre, 0, say)


def _collected(
    lattice: Lattice, collector: Collector, centre: Node, reach: int, say: Progress
) -> NodeProfile:
    wanted = sorted({*_near(lattice, centre, reach), lattice.bottom, lattice.top})
    for done, frequency in enumerate(_rolled_up(lattice, wanted)):
        collector.add(frequency)
        say("looking around the node", done / len(wanted))
    return collector.profile()


def _near(lattice: Lattice, centre: Node, reach: int) -> Iterator[Node]:
    """Nodes at most `reach` steps away; steps are taken one column after the other."""
    frontier = {centre}
    seen = set(frontier)
    for _ in range(reach):
        further = set()
        for node, j, step in product(frontier, range(len(centre)), (-1, 1)):
            level = node[j] + step
            if lattice.bottom[j] <= level <= lattice.top[j]:
                further.add((*node[:j], level, *node[j + 1 :]))
        frontier = further - seen
        seen |= frontier
    yield from seen


def _rolled_up(lattice: Lattice, nodes: Sequence[Node]) -> Iterator[Frequency]:
    """Each of these nodes, from the finest level they have in common."""
    low = tuple(min(levels) for levels in zip(*nodes[1:], strict=True)) if nodes[1:] else nodes[0]
    shared = lattice.roll_up(lattice.base, low)
    for node in nodes:
        below = shared if all(a <= b for a, b in zip(low, node, strict=True)) else lattice.base
        yield lattice.roll_up(below, node)


def _centre(
    plan: Plan,
    cells: Cells,
    models: tuple[PrivacyModel, ...],
    lattice: Lattice,
    around: Mapping[str, int] | None,
    say: Progress,
) -> tuple[Node, Searched | None]:
    """Where to look in a large lattice: as asked, as the plan says, or at the best found soon.

    And what no node costs less, where it was searched for.
    """
    names, searched = [h.name for h in cells.hierarchies], None
    if around is None:
        around = fixed(plan)
    if around is None:
        try:
            found = choose(_hurried(plan), cells, models, say)
        except ClaimError:
            return lattice.top, None
        around, limit = found.levels, plan.method.may_suppress(cells.people)
        bound = found.detail["lower_bound"]
        assert isinstance(bound, float), "the lattice is searched with a bound"
        searched = Searched(models, limit, bound)
    assert around is not None, "the lattice gives every column a level"
    centre = tuple(
        min(max(around.get(name, low), low), high)
        for name, low, high in zip(names, lattice.bottom, lattice.top, strict=True)
    )
    return centre, searched


def _hurried(plan: Plan) -> Plan:
    """The same plan with less time: a page waits, and from any good node one can walk on."""
    asked = plan.method.time
    seconds = PATIENCE if asked is None else min(asked, PATIENCE)
    return plan.model_copy(update={"method": plan.method.model_copy(update={"time": seconds})})
