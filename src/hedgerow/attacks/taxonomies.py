"""Taxonomies an attacker knows: nodes and the values below them, as files and plans write them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hedgerow.attacks.labels import Taxonomy, Value
from hedgerow.hierarchy import Hierarchy
from hedgerow.plan import Plan
from hedgerow.schema import Role
from hedgerow.taxonomies import FromCsv
from hedgerow.taxonomies import Taxonomy as Tree


def nodes_of(hierarchy: Hierarchy) -> Taxonomy:
    """Every label above the values, with the values below it.

    >>> nodes = nodes_of(Hierarchy.of("c", [("Polish", "Europe"), ("Peruvian", "Americas")]))
    >>> nodes["Europe"], nodes["Americas"]
    ({'Polish'}, {'Peruvian'})
    """
    nodes: dict[str, set[Value]] = {}
    for level in range(1, hierarchy.height + 1):
        for value, code in zip(hierarchy.values, hierarchy.codes[level].tolist(), strict=True):
            label = hierarchy.labels[level][code]
            if label is not None:
                nodes.setdefault(label, set()).add(value)
    return nodes


def read_taxonomy(file: str | Path, *, column: str) -> Taxonomy:
    """From a hierarchy file: a line a value, then its labels from level to level."""
    return nodes_of(FromCsv(Path(file)).bind(column, []))


def taxonomies_of(plan: Plan) -> Mapping[str, Taxonomy]:
    """Those a plan writes out, for quasi-identifiers and sensitive columns."""
    found = {}
    for name, column in plan.columns.items():
        if column.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            continue
        spec = plan.hierarchy_spec(name)
        if isinstance(spec, FromCsv | Tree):
            found[name] = nodes_of(spec.bind(name, []))
    return found
