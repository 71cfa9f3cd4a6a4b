"""Boxes: what a group of people is published as when it is not a level of the hierarchies.

As *ranges*, a group is published as the run of values from its first to its last: numbers as
`20-29` (whole numbers) or `[-1.5, 2]`, categories as the taxonomy node whose values these are,
or else as the set of them, `{Asia, "a, b"}`. Inside a set a value is quoted where it would
otherwise be ambiguous; only a missing value is the bare word `missing`. Missing values are in
no range of numbers: people with and without a number are `{20-29, missing}` (whose span, being
one run, also counts the numbers above 29).
As *taxonomy*, a group is published as the lowest node of the hierarchy that covers it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.recode.outcome import Spans
from hedgerow.recode.recoding import Labels, beside, common_node
from hedgerow.table.groups import Ints
from hedgerow.table.hierarchy import Codes, Hierarchy

Boxes = Literal["ranges", "taxonomy"]

MISSING = "missing"
"""How a set says that somebody in it has no value."""


def published(
    hierarchies: Sequence[Hierarchy], q: Codes, start: Ints, *, boxes: Boxes
) -> tuple[Labels, Spans]:
    """The label of every group in every column, and what it covers.

    Args:
        hierarchies: One for each column.
        q: Leaf codes of the groups' members, one group after the other.
        start: Where each group begins.
        boxes: As tight ranges and sets, or as nodes of the taxonomy.
    """
    labels, spans = [], []
    for j, hierarchy in enumerate(hierarchies):
        low, high = _extremes(q[:, j], start)
        label, span = common_node(hierarchy, low, high)
        if boxes == "ranges":
            label = _ranges(hierarchy, low, high, _last_number(hierarchy, q[:, j], start))
            span = Spans(low[:, None], high[:, None], span.rung)
        labels.append(label)
        spans.append(span)
    return tuple(labels), beside(spans, len(start))


def runs(hierarchies: Sequence[Hierarchy], q: Codes, start: Ints) -> Spans:
    """What every group covers where it is published as a range, without naming it."""
    spans = []
    for j, hierarchy in enumerate(hierarchies):
        low, high = _extremes(q[:, j], start)
        _, span = common_node(hierarchy, low, high)
        spans.append(Spans(low[:, None], high[:, None], span.rung))
    return beside(spans, len(start))


def value_set(values: Sequence[str | None]) -> str:
    """Values as an unambiguous set.

    >>> value_set(["b", None, "a, c", "a"])
    '{a, "a, c", b, missing}'
    """
    given = sorted(value for value in values if value is not None)
    return _braces([_quoted(value) for value in given], missing=len(given) < len(values))


def _extremes(leaf: Codes, start: Ints) -> tuple[Codes, Codes]:
    if not len(start):
        return leaf[:0], leaf[:0]
    return np.minimum.reduceat(leaf, start), np.maximum.reduceat(leaf, start)


def _last_number(hierarchy: Hierarchy, leaf: Codes, start: Ints) -> Codes:
    """The largest number of each group, as a leaf; -1 where it has none."""
    if hierarchy.numbers is None:
        return np.full(len(start), -1, np.int32)
    numbers = np.count_nonzero(~np.isnan(hierarchy.numbers))
    return _extremes(np.where(leaf < numbers, leaf, np.int32(-1)), start)[1]


def _ranges(
    hierarchy: Hierarchy, low: Codes, high: Codes, last_number: Codes
) -> NDArray[np.object_]:
    runs = np.column_stack((low, high, last_number))
    kinds, kind = np.unique(runs, axis=0, return_inverse=True)
    names = np.empty(len(kinds), object)
    if hierarchy.numbers is None:
        names[:] = [_category(hierarchy, int(a), int(b)) for a, b, _ in kinds]
    else:
        names[:] = [_number(hierarchy, *map(int, run)) for run in kinds]
    named: NDArray[np.object_] = names[kind.reshape(-1)]
    return named


def _category(hierarchy: Hierarchy, low: int, high: int) -> str | None:
    value = hierarchy.values[low]
    if low < high:
        named = hierarchy.named_runs.get((low, high))
        return named or value_set(hierarchy.values[low : high + 1])
    # By itself, a value that reads like a set would be taken for one.
    return value_set([value]) if value is not None and value.startswith("{") else value


def _number(hierarchy: Hierarchy, low: int, high: int, last: int) -> str | None:
    values, numbers = hierarchy.values, hierarchy.numbers
    assert numbers is not None
    if last < 0:
        return values[low] if low == high else value_set(values[low : high + 1])
    range_ = f"[{values[low]}, {values[last]}]"
    if hierarchy.whole:
        range_ = f"{values[low]}-{values[last]}"
    if numbers[low] == numbers[last]:
        range_ = str(values[low])
    if last == high:
        return range_
    others = values[np.count_nonzero(~np.isnan(numbers)) : high + 1]
    named = sorted(_quoted(value) for value in others if value is not None)
    return _braces([range_, *named], missing=None in others)


def _braces(members: list[str], *, missing: bool) -> str:
    return "{" + ", ".join([*members, MISSING] if missing else members) + "}"


def _quoted(value: str) -> str:
    plain = value.strip() == value and not any(c in value for c in '{},"\\') and value.isprintable()
    return value if plain and value not in ("", MISSING) else json.dumps(value, ensure_ascii=False)
