"""Apply the groups of an earlier release to new people, from its published labels alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError, some
from hedgerow.recode.boxes import MISSING
from hedgerow.recode.outcome import Spans
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.table.cells import Cells
from hedgerow.table.hierarchy import ANY, Codes, Hierarchy

CHUNK = 4_000_000
"""Pairs of tuple and group compared at a time."""
_RANGE = re.compile(r"\[(?P<a>[^,\]]+), (?P<b>[^,\]]+)\]|(?P<c>\d+)-(?P<d>\d+)")
_MEMBER = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,]+?)\s*(?:,|$)')

Labels = Sequence[str | None]


def apply_groups(kind: str, cells: Cells, groups: Sequence[Labels]) -> Recoding:
    """Put everybody into the narrowest group that covers them; nobody's group is widened.

    Args:
        kind: How the earlier release was made.
        cells: The new people.
        groups: For each quasi-identifier, the published value of each group.

    People whom no group covers are left out.
    """
    tuples, of_cell = cells.tuples
    size = len(groups[0])
    covers = [
        np.stack([covered(h, label) for label in labels]) if size else np.zeros((0, 0), np.bool_)
        for h, labels in zip(cells.hierarchies, groups, strict=True)
    ]
    for h, labels, cover in zip(cells.hierarchies, groups, covers, strict=True):
        unread = [label for label, c in zip(labels, cover, strict=True) if not c.any()]
        if len(unread) == size and size:
            raise PlanError(
                f"the stored recoding's values of {h.name!r} mean nothing here: {some(unread)}",
                fix="Use the hierarchies the earlier release was made with.",
            )
    width = np.stack([c.sum(axis=1) for c in covers], axis=1)
    volume = np.log(np.maximum(width, 1)).sum(axis=1)
    order = np.argsort(volume, kind="stable")
    group = np.full(len(tuples), SUPPRESSED, np.int64)
    step = max(1, CHUNK // max(1, size))
    for begin in range(0, len(tuples), step):
        part = tuples[begin : begin + step]
        inside = np.ones((len(part), size), np.bool_)
        for j, cover in enumerate(covers):
            inside &= cover[order][:, part[:, j]].T
        placed = inside.any(axis=1)
        group[begin : begin + step][placed] = order[inside.argmax(axis=1)[placed]]
    counted = np.flatnonzero(cells.n > 0)
    return Recoding(
        kind,
        counted,
        cells.n[counted],
        group[of_cell[counted]],
        tuple(np.array(labels, object) for labels in groups),
        _spans(cells.hierarchies, covers, size),
        detail={"stored": True},
    )


def covered(hierarchy: Hierarchy, label: str | None) -> NDArray[np.bool_]:
    """Which leaves a published value stands for.

    >>> h = Hierarchy.of("age", [("20", "*"), ("25", "*")], numbers=[20, 25])
    >>> covered(h, "18-22").tolist(), covered(h, "*").tolist(), covered(h, "{25}").tolist()
    ([True, False], [True, True], [False, True])
    """
    for level in range(hierarchy.height + 1):
        if label in hierarchy.labels[level]:
            code = hierarchy.labels[level].index(label)
            whole: NDArray[np.bool_] = hierarchy.codes[level] == code
            return whole
    none = np.zeros(len(hierarchy.values), np.bool_)
    if label is None:
        return none
    if label == ANY:
        return ~none
    if label.startswith("{") and label.endswith("}"):
        for member in _members(label):
            # No set is a member of a set; a value that reads like one is looked up by its name.
            if member is None or not member.startswith("{") or member in hierarchy.place:
                none |= covered(hierarchy, member)
        return none
    range_ = _ends(label)
    if range_ is not None and hierarchy.numbers is not None:
        low, high = range_
        inside: NDArray[np.bool_] = (hierarchy.numbers >= low) & (hierarchy.numbers <= high)
        return inside
    return none


def _ends(label: str) -> tuple[float, float] | None:
    """The ends of a published range of numbers; None where it is none.

    >>> _ends("20-29"), _ends("[-1.5, 2]"), _ends("[p, q]")
    ((20.0, 29.0), (-1.5, 2.0), None)
    """
    found = _RANGE.fullmatch(label)
    if not found:
        return None
    try:
        return float(found["a"] or found["c"]), float(found["b"] or found["d"])
    except ValueError:
        return None


def _members(label: str) -> list[str | None]:
    """The members of a published set; none where it only looks like one.

    >>> _members('{a, "b, c", missing}'), _members('{"x}')
    (['a', 'b, c', None], [])
    """
    members = (found[1] for found in _MEMBER.finditer(label[1:-1]))
    try:
        return [None if m == MISSING else json.loads(m) if m[0] == '"' else m for m in members]
    except json.JSONDecodeError:
        return []


def _spans(
    hierarchies: Sequence[Hierarchy], covers: Sequence[NDArray[np.bool_]], size: int
) -> Spans:
    low = np.zeros((size, len(hierarchies)), np.int32)
    high = np.zeros((size, len(hierarchies)), np.int32)
    rung = np.zeros((size, len(hierarchies)))
    for j, (h, cover) in enumerate(zip(hierarchies, covers, strict=True)):
        low[:, j] = cover.argmax(axis=1)
        high[:, j] = len(h.values) - 1 - cover[:, ::-1].argmax(axis=1)
        high[~cover.any(axis=1), j] = 0
        rung[:, j] = _rungs(h, low[:, j], high[:, j])
    return Spans(low, high, rung)


def _rungs(hierarchy: Hierarchy, low: Codes, high: Codes) -> NDArray[np.float64]:
    """How high in the hierarchy one must go to join both ends."""
    rung = np.ones(len(low))
    for level in range(hierarchy.height, -1, -1):
        codes = hierarchy.codes[level]
        rung[codes[low] == codes[high]] = level / max(1, hierarchy.height)
    return rung
