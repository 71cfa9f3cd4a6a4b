"""Full-domain generalisation: one level for each column, the same for everybody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import Lattice, Node
from hedgerow.recode.metrics import METRICS, Metric
from hedgerow.recode.no_solution import no_solution
from hedgerow.recode.optimality import gap_of
from hedgerow.recode.portfolio import Portfolio
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.recode.search import Search, Solution
from hedgerow.recode.search_state import EndsSoon, TellState
from hedgerow.table.cells import Cells
from hedgerow.table.hierarchy import ANY

WIDE = 1_000_000
"""Where time is limited, lattices with more nodes than this are searched by a portfolio."""


def full_domain(
    cells: Cells,
    constraints: SearchConstraints,
    metric: Metric,
    *,
    bounds: Mapping[str, tuple[int, int]] | None = None,
    seconds: float | None = None,
    tell: TellState | None = None,
    ends: EndsSoon = lambda: False,
) -> Recoding:
    """The cheapest node of the lattice that keeps the constraints, and how good that is.

    Args:
        cells: The table, counted.
        constraints: What has to be kept.
        metric: What is to be small.
        bounds: The lowest and highest level of the columns that have some.
        seconds: Stop after this long with the best so far.
        tell: Told now and then how far the search is.
        ends: Asked now and then whether the search is to end with the best so far.

    Raises:
        ClaimError: There is none; says which claim fails and how close the coarsest node came.
    """
    lattice = Lattice.of(cells, bounds)
    search = Search(lattice, constraints, metric)
    solution, evaluated = best_node(search, seconds=seconds, tell=tell, ends=ends)
    if solution is None:
        raise no_solution(search)
    node, cost = _finest(search, solution)
    detail = {
        "optimal": solution.optimal,
        "metric": metric.name,
        "cost": cost,
        "lower_bound": min(solution.bound, cost),
        "nodes": lattice.size,
        "nodes_evaluated": evaluated(),
    }
    if not solution.optimal:
        detail["gap"] = gap_of(cost, solution.bound)
    return at_node(lattice, node, constraints, detail, metric=metric)


def best_node(
    search: Search,
    *,
    seconds: float | None,
    known: Sequence[Node] = (),
    tell: TellState | None = None,
    ends: EndsSoon = lambda: False,
) -> tuple[Solution | None, Callable[[], int]]:
    """The best node that is found, and how many were looked at by then.

    Args:
        search: Of the lattice, under one requirement.
        seconds: When to stop; None: when all is settled.
        known: Nodes to begin with.
        tell: Told now and then how far it is.
        ends: Asked now and then whether to end with the best so far.
    """
    if seconds is not None and search.lattice.size > WIDE:
        portfolio = Portfolio(search)
        found = portfolio.run(seconds=seconds, known=known, tell=tell, ends=ends)
        return found, lambda: portfolio.evaluated
    (found,) = search.run(seconds=seconds, known=known, tell=tell, ends=ends)
    return found, lambda: search.evaluated


def _finest(search: Search, solution: Solution) -> tuple[Node, float]:
    """A solution of the same cost with no level higher than it need be, and that cost."""
    lattice, node, cost = search.lattice, solution.node, solution.cost
    for j, lowest in enumerate(lattice.bottom):
        while node[j] > lowest:
            finer = (*node[:j], node[j] - 1, *node[j + 1 :])
            if search.costs is not None and not np.array_equal(
                search.costs.published(finer), search.costs.published(node)
            ):
                break
            found = search.evaluate(lattice.roll_up(lattice.base, finer))
            if not (found.feasible[0] and found.cost[0] <= cost):
                break
            node, cost = finer, float(found.cost[0])
    return node, cost


def at_node(
    lattice: Lattice,
    node: Node,
    constraints: SearchConstraints,
    detail: dict[str, object],
    *,
    metric: Metric = METRICS["loss"],
) -> Recoding:
    """Publish a node, suppressing (or fully generalising) the groups that have to go.

    Where a claim about the table leaves a choice, those go that cost least by `metric`.
    """
    cells = lattice.cells
    frequency = lattice.roll_up(lattice.base, node)
    kept = Search(lattice, constraints, metric).kept(frequency)
    outcome = lattice.outcome(frequency, kept, rest=constraints.keep_suppressed)
    codes = lattice.layout.unpack(frequency.words[kept])
    labels = [
        np.array(h.labels[level], object)[codes[:, j]]
        for j, (h, level) in enumerate(zip(cells.hierarchies, node, strict=True))
    ]
    number = np.where(kept, np.cumsum(kept) - 1, SUPPRESSED)
    if len(outcome.n) > len(codes):
        number[~kept] = len(codes)
        labels = [np.append(label, ANY) for label in labels]
    tuples, of_cell = cells.tuples
    into = lattice.position(frequency, tuples)
    counted = np.flatnonzero(cells.n > 0)
    return Recoding(
        "full-domain",
        counted,
        cells.n[counted],
        number[into[of_cell[counted]]],
        tuple(labels),
        outcome.spans,
        {h.name: level for h, level in zip(cells.hierarchies, node, strict=True)},
        detail,
    )
