"""Keeping: a published release as bytes, for whoever has to remember what was published."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.base.canonical_json import canonical
from hedgerow.base.errors import DataError
from hedgerow.table.groups import Groups, Histogram, Sensitive
from hedgerow.table.published_table import Published
from hedgerow.table.records import RecordKinds

FORMAT = "hedgerow-groups/1"
MOST_RECORDS = 5_000_000
"""Kinds of records that are kept; of more, releases cannot be joined later on."""


def kept(published: Published) -> bytes:
    """All a recipient can count in the release, and the taxonomies its labels are nodes of.

    >>> from hedgerow.table.targets import Targets
    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["<30", "<30", ">=30"], "illness": ["flu", "gout", "flu"]})
    >>> release = Published.read(table, sensitive=["illness"], name="2024")
    >>> again = remembered(kept(release), name="2024")
    >>> again.labels, again.groups.n.tolist()
    ((('<30', '>=30'),), [2, 1])
    """
    groups, rows = published.groups, published.records
    records = None
    if rows is not None and len(rows.n) <= MOST_RECORDS:
        records = {
            "columns": list(rows.columns),
            "values": [list(values) for values in rows.values],
            "codes": rows.codes.tolist(),
            "group": rows.group.tolist(),
            "n": rows.n.tolist(),
        }
    return canonical(
        {
            "format": FORMAT,
            "quasi": list(published.quasi),
            "labels": [list(labels) for labels in published.labels],
            "codes": published.codes.tolist(),
            "n": groups.n.tolist(),
            "sensitive": {
                name: {
                    "values": list(groups.domains[name].values),
                    "indptr": h.indptr.tolist(),
                    "codes": h.codes.tolist(),
                    "counts": h.counts.tolist(),
                    **_differ(published.distinct.get(name, ()), groups.domains[name].values),
                }
                for name, h in groups.histograms.items()
            },
            "located": published.located,
            "made": published.made,
            "records": records,
            "taxonomies": {
                column: {
                    node: sorted(below, key=lambda value: (value is not None, value or ""))
                    for node, below in nodes.items()
                }
                for column, nodes in published.taxonomies.items()
            },
        }
    )


def remembered(content: bytes, *, name: str) -> Published:
    """The release that was kept.

    Raises:
        DataError: It was kept by a newer version.
    """
    found: dict[str, Any] = json.loads(content)
    if found["format"] != FORMAT:
        raise DataError(
            f"the groups of {name} were kept as {found['format']}, which this version cannot read",
            fix="Update hedgerow.",
        )
    n = np.array(found["n"], np.int64)
    histograms, domains = {}, {}
    for column, told in found["sensitive"].items():
        h = Histogram(
            np.array(told["indptr"], np.int64),
            np.array(told["codes"], np.int32),
            np.array(told["counts"], np.int64),
        )
        reference = np.bincount(h.codes, weights=h.counts, minlength=len(told["values"]))
        histograms[column] = h
        domains[column] = Sensitive(
            column, tuple(told["values"]), reference.astype(np.int64), int(n.sum())
        )
    quasi = tuple(found["quasi"])
    return Published(
        name,
        quasi,
        tuple(tuple(labels) for labels in found["labels"]),
        np.array(found["codes"], np.int32).reshape(len(n), len(quasi)),
        Groups(n, histograms, domains),
        found["located"],
        {
            column: {node: set(below) for node, below in nodes.items()}
            for column, nodes in found["taxonomies"].items()
        },
        found["made"],
        distinct={
            column: tuple(told["distinct"])
            for column, told in found["sensitive"].items()
            if "distinct" in told
        },
        records=_records(found.get("records")),
    )


def _records(told: dict[str, Any] | None) -> RecordKinds | None:
    """What columns say together; releases kept by older versions do not tell."""
    if told is None:
        return None
    n = np.array(told["n"], np.int64)
    return RecordKinds(
        tuple(told["columns"]),
        tuple(tuple(values) for values in told["values"]),
        np.array(told["codes"], np.int32).reshape(len(n), len(told["columns"])),
        np.array(told["group"], np.int64),
        n,
    )


def _differ(distinct: Sequence[str], values: Sequence[str | None]) -> dict[str, list[str]]:
    """Published values that differ from all others; nothing where nobody says so of any."""
    found = sorted(set(distinct) & set(values))
    return {"distinct": found} if found else {}
