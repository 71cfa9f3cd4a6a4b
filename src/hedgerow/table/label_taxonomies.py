"""Taxonomies an attacker knows: nodes and the values below them, as files and plans write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hedgerow.table.codes import Codes, NoCodes
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.hierarchy_builders import Dates, Prefix, Ranges, Spec
from hedgerow.table.labels import Taxonomy, Value
from hedgerow.table.taxonomies import FromCsv
from hedgerow.table.taxonomies import Taxonomy as Tree


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


def pooled(specs: Mapping[str, Spec]) -> dict[str, Taxonomy]:
    """What stands for values that are no codes, where a plan names it; other labels say it."""
    return {
        name: {spec.other: NoCodes(spec.system)}
        for name, spec in specs.items()
        if isinstance(spec, Codes) and spec.other is not None
    }


def written_out(specs: Mapping[str, Spec], hierarchies: Sequence[Hierarchy]) -> dict[str, Taxonomy]:
    """What labels cover, for all columns whose labels do not say it themselves."""
    return {
        h.name: nodes_of(h)
        for h in hierarchies
        if not isinstance(specs[h.name], Ranges | Prefix | Dates)
    }


def specs_of(specs: Mapping[str, Spec], files: Mapping[str, str | Path]) -> dict[str, Spec]:
    """The taxonomies that are written out, and those in files: a line a value, then its labels."""
    found: dict[str, Spec] = {
        name: spec for name, spec in specs.items() if isinstance(spec, FromCsv | Tree)
    }
    return found | {name: FromCsv(Path(file)) for name, file in files.items()}
