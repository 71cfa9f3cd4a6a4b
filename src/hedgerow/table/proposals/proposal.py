"""Proposal: a hierarchy that a column could have, with what it would lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from hedgerow.base.errors import HierarchyError
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.hierarchy_builders import Spec

Counts = Mapping[str | None, int]
"""How many people have each value; None is missing."""
Origin = Literal["public", "data"]
SPARED = Fraction(1, 20)
"""The share of people that may be suppressed."""
MOST_WEIGHED = 20_000
"""Values that the estimate is made of; of more, every second, third, ... in order of the text."""


@dataclass(frozen=True)
class Candidate:
    """A hierarchy, as a plan writes it, before anybody knows what it loses."""

    spec: Spec
    form: Mapping[str, Any]
    """What a plan says under `hierarchy`, without where it comes from."""
    origin: Origin
    """data: its cuts, values or lists were chosen by looking at the data."""
    reason: str
    """Why it may fit, in a sentence."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A hierarchy that fits every value of a column, and what it loses."""

    spec: Spec
    form: Mapping[str, Any]
    """What a plan says under `hierarchy`."""
    origin: Origin
    """data: its cuts, values or lists were chosen by looking at the data."""
    reason: str
    """Why it may fit, in a sentence."""
    loss: float
    """The estimate: 0 if every value could stay, 1 if all become *."""
    level: int
    """The level that loses least if the column alone needs groups of k people."""
    hierarchy: Hierarchy
    """Bound to the values of the column; to some of them if there are very many."""

    @property
    def text(self) -> str:
        """As a plan writes it, in a line.

        >>> from hedgerow.table.proposals import proposals
        >>> print(proposals("born", {"2020-01-02": 8, "2021-05-06": 9})[0].text)
        {dates: [month, quarter, year, decade]}
        """
        import yaml

        text: str = yaml.safe_dump(
            dict(self.form), default_flow_style=True, allow_unicode=True, sort_keys=False,
            width=10**9,
        )  # fmt: skip
        return text.strip()

    def examples(self, most: int = 3) -> tuple[tuple[str | None, ...], ...]:
        """Some values with their labels from level to level, spread over the hierarchy."""
        h = self.hierarchy
        places = sorted({round(i * (len(h.values) - 1) / max(1, most - 1)) for i in range(most)})
        return tuple(
            tuple(h.labels[level][h.codes[level][place]] for level in range(h.height + 1))
            for place in places
        )


def weighable(counts: Counts) -> Counts:
    """The values that the estimate is made of: those that somebody has, or some of very many.

    >>> weighable({"a": 2, "b": 0})
    {'a': 2}
    """
    there = {value: n for value, n in counts.items() if n > 0}
    if len(there) <= MOST_WEIGHED:
        return there
    step = -(-len(there) // MOST_WEIGHED)
    order = sorted(there, key=lambda value: (value is None, value or ""))
    return {value: there[value] for value in order[::step]}


def weighed(name: str, candidate: Candidate, counts: Counts, *, k: int) -> Proposal | None:
    """The proposal; None if the hierarchy does not fit the values.

    The estimate is the generalisation loss of this column alone. A person in a group of m of the
    column's n values loses (m - 1) / (n - 1), a person in a group that is too small all; at the
    best level at which at most 5 % of the people are in such groups. How large a group has to
    be depends on the other columns, which split it: the estimate is the mean over groups of k,
    4 k, 16 k, ... up to half of the people. It is for comparing hierarchies of one column.

    >>> from hedgerow.table.hierarchy_builders import Suppression
    >>> last = Candidate(Suppression(), {"suppression": True}, "public", "It always fits.")
    >>> weighed("x", last, {"a": 12, "b": 8}, k=5).loss
    0.0
    >>> weighed("x", last, {"a": 30, "b": 10}, k=5).loss
    0.5
    """
    there = [value for value, n in counts.items() if n > 0]
    if len(there) > MOST_WEIGHED:
        step = -(-len(there) // MOST_WEIGHED)
        there = sorted(there, key=lambda value: (value is None, value or ""))[::step]
    try:
        hierarchy = candidate.spec.bind(name, there)
    except HierarchyError:
        return None
    n = np.array([counts.get(value, 0) for value in hierarchy.values], np.int64)
    sizes = [k]
    while sizes[-1] * 4 <= int(n.sum()) // 2:
        sizes.append(sizes[-1] * 4)
    found = [_loss(hierarchy, n, size) for size in sizes]
    loss, level = sum(lost for lost, _ in found) / len(found), found[0][1]
    origin = {"from": "data"} if candidate.origin == "data" else {}
    return Proposal(
        spec=candidate.spec, form={**candidate.form, **origin}, origin=candidate.origin,
        reason=candidate.reason, loss=loss, level=level, hierarchy=hierarchy,
    )  # fmt: skip


def _loss(hierarchy: Hierarchy, n: np.ndarray[Any, Any], k: int) -> tuple[float, int]:
    """The loss with groups of k people, and the level."""
    people, steps = int(n.sum()), max(1, len(hierarchy.values) - 1)
    found = []
    for level in range(hierarchy.height + 1):
        size = np.bincount(hierarchy.codes[level], weights=n, minlength=hierarchy.size(level))
        small = int(size[size < k].sum())
        if small <= SPARED * people or level == hierarchy.height:
            lost = (size * (hierarchy.leaves(level) - 1) / steps)[size >= k].sum()
            found.append((float(lost + small) / max(1, people), level))
    return min(found)
