"""Figures 2 (a) to (c) and 3, on census-income."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from examples.realistic_adversaries.census import (
    PAPER,
    STUBBORN,
    Experiment,
    Node,
    Parameters,
    any_shape,
    as_table,
    uniform,
)
from examples.realistic_adversaries.claims import label, power
from examples.realistic_adversaries.lattice import Mark, lattice_chart
from hedgerow.charts.stubbornness import Line, stubbornness_chart

SHOWN: Node = (5, 1, 1, 0)
"""The node of the paper's Figure 2 (a)."""
FAMILIES = {
    "class I, uniform prior": uniform,
    "class I, table's shape": as_table,
    "class II, any shape": any_shape,
}


def figures(e: Experiment) -> dict[str, Any]:
    """Every figure by the name of its file."""
    return {
        "figure_2a": figure_2a(e),
        "figure_2b": figure_2b(e, PAPER),
        "figure_2b_here": figure_2b(e, e.here),
        "figure_2c": figure_2c(e, PAPER),
        "figure_2c_here": figure_2c(e, e.here),
        "figure_3": figure_3(e, PAPER),
        "figure_3_here": figure_3(e, e.here),
    }


def figure_2a(e: Experiment) -> Any:
    lines = []
    for who, family in FAMILIES.items():
        points = {float(s): e.levels(family(s))[SHOWN] for s in STUBBORN}
        # Any shape however stubborn is class IV: no epsilon is enough.
        third = math.inf if family is any_shape else e.levels(family(math.inf))[SHOWN]
        lines.append(Line(who=who, points={**points, math.inf: third}))
    return stubbornness_chart(
        lines,
        title=f"The smallest ε of {label(SHOWN)} grows with stubbornness",
        subtitle=f"census-income, {e.people:,} people, salary class sensitive; ages and races "
        "hidden,\nmarried or not and sex published. Theorems 1 to 3.",
        value="smallest ε",
    )


def figure_2b(e: Experiment, parameters: Parameters) -> Any:
    return stubbornness_chart(
        best(e, {node: cost / 1e9 for node, cost in e.discernibility.items()}, parameters),
        title=f"Best discernibility of {float(parameters.epsilon):g}-private tables",
        subtitle=_under(e),
        value="sum of squared group sizes, in billions",
    )


def figure_2c(e: Experiment, parameters: Parameters) -> Any:
    return stubbornness_chart(
        best(e, e.average_size, parameters),
        title=f"Smallest average group of {float(parameters.epsilon):g}-private tables",
        subtitle=_under(e),
        value="people per group",
    )


def best(e: Experiment, cost: Mapping[Node, float], parameters: Parameters) -> list[Line]:
    """The least cost among the nodes that are private, where there are any."""
    lines = []
    for who, family in FAMILIES.items():
        points = {}
        for s in (*map(float, STUBBORN), math.inf):
            if math.isinf(s) and family is any_shape:
                continue
            private = e.private(family(s), parameters.epsilon)
            if private:
                points[s] = min(cost[node] for node in private)
        lines.append(Line(who=who, points=points))
    return lines


def marks(e: Experiment, parameters: Parameters) -> list[Mark]:
    """The five definitions of Figure 3."""
    epsilon = f"ε = {float(parameters.epsilon):g}"
    third = {family: e.private(family(math.inf), parameters.epsilon)
             for family in (uniform, as_table)}  # fmt: skip
    return [
        Mark(name=f"({parameters.c},2)-diversity", nodes=e.diverse(parameters.c)),
        Mark(name=f"class III, uniform, {epsilon}", nodes=third[uniform]),
        Mark(name=f"{float(parameters.t):g}-closeness", nodes=e.close(parameters.t)),
        Mark(name=f"class III, table's shape, {epsilon}", nodes=third[as_table]),
        Mark(
            name=f"class II, σ = {power(parameters.sigma)}, {epsilon}",
            nodes=e.private(any_shape(parameters.sigma), parameters.epsilon),
        ),
    ]


def figure_3(e: Experiment, parameters: Parameters) -> Any:
    lowest = 6
    nodes = [node for node in e.nodes if sum(node) >= lowest]
    return lattice_chart(
        nodes,
        [(a, b) for a, b in e.edges if sum(a) >= lowest],
        marks(e, parameters),
        title="Which definition admits which generalisation",
        subtitle=f"census-income; [age, marital status, race, sex], levels 9 to {lowest} of the "
        f"{len(e.nodes)} nodes; parameters {_called(parameters)}",
    )


def _called(parameters: Parameters) -> str:
    return "of the paper" if parameters == PAPER else "that fit this table"


def _under(e: Experiment) -> str:
    return (
        f"census-income, {e.people:,} people; the best of {len(e.nodes)} generalisations. "
        "A line ends where none is private."
    )
