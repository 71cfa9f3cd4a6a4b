"""Condensing: a recoding that was found part by part, as its recipients will see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.base import Table
from hedgerow.engines.frequency_set import FrequencySet
from hedgerow.recode.outcome import Spans
from hedgerow.recode.part_work import Columns
from hedgerow.recode.recoding import SUPPRESSED, Recoding, widened
from hedgerow.table.cells import Cells
from hedgerow.table.encoding import encoded
from hedgerow.table.groups import Histogram, Ints
from hedgerow.table.pack import canonical


def condensed(
    held: FrequencySet, columns: Columns, *, kind: str, absent: int, detail: Mapping[str, object]
) -> tuple[Cells, Recoding]:
    """What was solved, a cell for each published tuple with its sensitive values.

    Published tuples are groups, in the order of their labels. People left out are one cell more,
    the last.

    Args:
        held: Has been solved.
        columns: Of the source.
        kind: Of the recoding.
        absent: People who are not held, as the plan bars them.
        detail: What the certificate says of how it was found.
    """
    lines = held.condensed()
    published = [encoded(lines[f"p{j}"]) for j in range(len(columns.hierarchies))]
    values = [np.asarray(lines[f"v{i}"].to_numpy()) for i in range(len(columns.sensitive))]
    labels = np.column_stack([codes for _, codes in published])
    sizes = [*(len(d.values) for d in columns.sensitive), *(len(texts) for texts, _ in published)]
    order = canonical(np.column_stack([*values, labels]), sizes)
    labels = labels[order]
    new = np.ones(len(labels), np.bool_)
    new[1:] = (labels[1:] != labels[:-1]).any(axis=1)
    start, group = np.flatnonzero(new), np.cumsum(new) - 1
    spans = Spans(
        _extremes(lines, "l", np.minimum, order, start).astype(np.int32),
        _extremes(lines, "h", np.maximum, order, start).astype(np.int32),
        _extremes(lines, "r", np.maximum, order, start),
    )
    spans = widened(columns.hierarchies, spans)
    n = np.asarray(lines["n"].to_numpy(), np.int64)[order]
    # Of those left out no value is known here, and none is needed.
    n = np.append(n, held.people - int(n.sum()))
    indptr = np.append(np.arange(len(n), dtype=np.int64), len(n) - 1)
    cells = Cells(
        columns.hierarchies,
        np.append(spans.low[group], np.zeros((1, labels.shape[1]), np.int32), axis=0),
        n,
        n,
        columns.sensitive,
        tuple(Histogram(indptr, codes[order].astype(np.int32), n[:-1]) for codes in values),
        absent=absent,
    )
    recoding = Recoding(
        kind,
        np.arange(len(n)),
        n,
        np.append(group, SUPPRESSED),
        tuple(np.array(texts, object)[labels[start, j]] for j, (texts, _) in enumerate(published)),
        spans,
        detail=dict(detail),
    )
    return cells, recoding


def _extremes(lines: Table, letter: str, most: np.ufunc, order: Ints, start: Ints) -> NDArray[Any]:
    """Of each group, the least or greatest of what its lines have; one column after the other."""
    found: list[NDArray[Any]] = []
    while (name := f"{letter}{len(found)}") in lines.column_names:
        column = np.asarray(lines[name].to_numpy())[order]
        found.append(most.reduceat(column, start) if len(start) else column)
    return np.column_stack(found)
