"""A policy in words: first what it does not protect, then what it does, and how strongly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hedgerow.base.errors import some
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold
from hedgerow.noise.blowfish.listed_graphs import Grid, Near
from hedgerow.noise.blowfish.policy import Columns, Policy
from hedgerow.noise.blowfish.secret_graph import Graph
from hedgerow.noise.measures import Pure
from hedgerow.noise.rounding import FARTHEST, double_up, exp_up

Labels = Mapping[str, Sequence[object]]
SHOWN = 3
"""Groups of values that are spelled out for a column."""


def describe(
    policy: Policy,
    *,
    loss: Pure | None = None,
    labels: Labels | None = None,
    units: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Sentences for a certificate; those on what is not protected come first.

    Args:
        policy: The policy.
        loss: What is spent under it; if left out, factors are in terms of epsilon.
        labels: For some columns how their values are spelled, in the order of their codes.
        units: For some columns what their graph counts in, such as years; else steps.

    >>> policy = Policy({"disease": Partition((0, 0, 1))})
    >>> for line in describe(policy, labels={"disease": ("flu", "cold", "cancer")}):
    ...     print(line)
    Not protected: in which of 2 groups of values somebody's disease is. It may be published \
exactly. The groups: 'flu' and 'cold'; 'cancer'.
    Not protected: how many rows there are.
    Not protected: columns the policy does not name; questions about them are refused.
    Protected: whichever value of their group somebody's disease has, by a factor of e^epsilon.
    Every factor is for one row. People with several rows, or whose rows go together, are told \
apart by as much more.
    """
    return (
        *not_protected(policy, labels=labels or {}),
        *protected(policy, loss=loss, units=units or {}),
        "Every factor is for one row. People with several rows, or whose rows go together, are "
        "told apart by as much more.",
    )


def not_protected(policy: Policy, *, labels: Labels) -> tuple[str, ...]:
    """What may be published exactly under a policy."""
    lines = []
    for columns, graph in policy.parts:
        if not graph.connected:
            lines.append(_groups(columns, graph, labels.get(columns[0])))
    return (
        *lines,
        "Not protected: how many rows there are.",
        "Not protected: columns the policy does not name; questions about them are refused.",
    )


def protected(
    policy: Policy, *, loss: Pure | None = None, units: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """What must not be told apart, and by which factor it may be."""
    lines = [
        f"Protected: {_part(columns, graph, loss, (units or {}).get(columns[0], 'steps'))}"
        for columns, graph in policy.parts
        if graph.diameter
    ]
    if not lines:
        return ("Protected: nothing. No two values are joined.",)
    several = len(policy.parts)
    if several > 1:
        lines.append(
            f"Where several of the {several} change at once, the largest of their factors holds."
            if policy.at_once == several
            else f"These factors hold for changes of at most {policy.at_once} of the {several} at "
            "once; where more change, for each step of a path that changes so many at a time."
        )
    return tuple(lines)


def factor(steps: int, loss: Pure | None = None) -> str:
    """By how much likelier an output may be, at so many edges; rounded up.

    >>> factor(3), factor(3, Pure(epsilon=0.1))
    ('e^(3 epsilon)', '1.35')
    """
    if loss is None:
        return "e^epsilon" if steps == 1 else f"e^({steps} epsilon)"
    power = steps * loss.epsilon
    if power > FARTHEST:
        return "more than anybody can tell from a proof"
    if power > 20:
        return f"e^{double_up(power):.3g}"
    value = double_up(exp_up(power))
    digits = 2 if value < 100 else 0
    return f"{np.ceil(value * 10**digits) / 10**digits:.{digits}f}"


def _groups(columns: Columns, graph: Graph, names: Sequence[object] | None) -> str:
    parts = graph.components
    count = int(parts.max()) + 1
    name = _named(columns)
    if count == graph.size:
        return f"Not protected: anything about {name}. It may be published exactly."
    line = (
        f"Not protected: in which of {count:,} groups of values somebody's {name} is. It may be "
        "published exactly."
    )
    if names is None or len(names) != graph.size:
        return line
    members = (np.flatnonzero(parts == k) for k in range(min(count, SHOWN)))
    shown = "; ".join(some([names[i] for i in group.tolist()], most=4) for group in members)
    return f"{line} The groups: {shown}{f'; and {count - SHOWN:,} more' * (count > SHOWN)}."


def _part(columns: Columns, graph: Graph, loss: Pure | None, unit: str) -> str:
    name = _named(columns)
    one = f"by a factor of {factor(1, loss)}"
    if isinstance(graph, Full):
        return f"whichever value somebody's {name} has, {one}."
    if isinstance(graph, Partition):
        return f"whichever value of their group somebody's {name} has, {one}."
    far = graph.diameter
    farther = (
        f" Farther apart, by that factor for each step of a path along such pairs: "
        f"{factor(2, loss)} for two steps"
        + (f", {factor(far, loss)} for the {far:,} that are always enough" if far > 2 else "")
        + "."
        if far > 1
        else ""
    )
    if isinstance(graph, Threshold):
        return f"values of {name} at most {_counted(graph.within, unit)} apart, {one}.{farther}"
    if isinstance(graph, Grid):
        within = f"{_counted(graph.within, unit)} apart ({graph.metric})"
        return f"values of {name} at most {within}, {one}.{farther}"
    if isinstance(graph, Near):
        unit = "km" if graph.metric == "great-circle" else unit
        return (
            f"values of {name} at most {float(graph.within):g} {unit} apart ({graph.metric}), "
            f"{one}.{farther}"
        )
    pairs = len(graph.edges())
    return f"{pairs:,} listed pairs of values of {name}, {one}.{farther}"


def _counted(many: int, unit: str) -> str:
    """So many of a unit that is given in the plural.

    >>> _counted(1, "steps of 2"), _counted(1_000, "years")
    ('1 step of 2', '1,000 years')
    """
    one, _, of = unit.partition(" ")
    return " ".join(filter(None, [f"{many:,}", one.removesuffix("s") if many == 1 else one, of]))


def _named(columns: Columns) -> str:
    return (
        " and ".join(columns)
        if len(columns) < 3
        else f"{', '.join(columns[:-1])} and {columns[-1]}"
    )
