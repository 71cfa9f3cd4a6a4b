"""The chart of group sizes, which both reports have."""

from __future__ import annotations

import numpy as np

from hedgerow.charts.report_charts import Bar, bars, size_bins
from hedgerow.reports.blocks import Chart, Table, number, share
from hedgerow.table.groups import Ints


def sizes_chart(sizes: Ints, *, of: str, least: int | None) -> Chart:
    """How many groups there are of each size, with the line that no group may be left of.

    Args:
        sizes: Of each group, at least 1.
        of: What is counted in a group: "people" or "rows".
        least: The policy's line.
    """
    bins = list(size_bins([int(sizes.min()), int(sizes.max())] if len(sizes) else [], least))
    found, rows, before = [], [], 0
    total = int(sizes.sum())
    for place, (low, high) in enumerate(bins):
        within = (sizes >= low) & (sizes <= high)
        label = str(low) if low == high else f"{low:,}–{high:,}"
        many = int(within.sum())
        found.append(Bar(label=label, value=many))
        inside = int(sizes[within].sum())
        rows.append((label, number(many), number(inside), share(inside, total)))
        before = place if least is not None and low == least else before
    line = None if least is None else (before, f"no group smaller than {least:,}")
    groups = "1 group" if len(sizes) == 1 else f"{len(sizes):,} groups"
    name = (
        f"How many groups there are of each size: {groups} of "
        f"{number(int(sizes.min()))} to {number(int(sizes.max()))} {of}"
        if len(sizes)
        else "There are no groups"
    )
    return Chart(
        name=name,
        svg=bars(found, name=name, axis=f"{of} in the group", line=line),
        table=Table(
            head=("size", "groups", of, f"share of {of}"),
            rows=tuple(rows),
            numbers=frozenset({1, 2, 3}),
            caption=f"Groups by size, in {of}",
        ),
    )


def middle(sizes: Ints) -> float:
    """The size of the group that half of the groups are not larger than.

    >>> middle(np.array([1, 5, 9]))
    5.0
    """
    return float(np.median(sizes)) if len(sizes) else 0.0
