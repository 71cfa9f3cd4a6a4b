"""From a recoding to a written file, or a table where the source is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow.base.errors import PlanError
from hedgerow.engines.base import Engine, Table, TablePlace, Written
from hedgerow.engines.frequency_set import FrequencySet
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.table.cells import Cells
from hedgerow.table.groups import ALL, Unseen
from hedgerow.table.schema import Schema


def write_release(
    engine: Engine,
    schema: Schema,
    cells: Cells,
    recoding: Recoding,
    target: Path | TablePlace,
    *,
    held: FrequencySet | None = None,
    escape_formulas: bool = False,
) -> Written:
    """Write the recoded table to a CSV or Parquet file, or to a table where the source is.

    Args:
        engine: Holds the table.
        schema: Its columns.
        cells: The source, counted; or, with `held`, as a recipient sees it.
        recoding: What is applied to them.
        target: Where to write it.
        held: Has the recoding of the source's own tuples, where these did not come out.
        escape_formulas: As for `Engine.write`.
    """
    published = schema.published
    keep = _unchanged(recoding)
    kept = recoding.group != SUPPRESSED
    expect = int(recoding.people[kept].sum())
    counted = set(published) <= {*schema.quasi_identifiers, *schema.sensitive}
    if counted and isinstance(target, Path):
        return engine.write_counted(
            _counted(cells, recoding, published),
            target,
            columns=published,
            keep={*keep, *schema.sensitive},
            expect_rows=expect,
            escape_formulas=escape_formulas,
        )
    parts = held is None and by_part(cells, recoding)
    if parts and any(d.name == ALL or isinstance(d, Unseen) for d in cells.sensitive):
        raise PlanError(
            "claims about what a release does not show, or about all its columns together, cannot "
            "be kept by a method that separates equal tuples",
            fix="Search the lattice, or use local recoding or strict Mondrian.",
        )
    return engine.write(
        held or _mapping(cells, recoding, parts=parts),
        target,
        columns=published,
        quasi_identifiers=schema.quasi_identifiers,
        sensitive=schema.sensitive if parts or held else (),
        keep=keep,
        expect_people=expect,
        escape_formulas=escape_formulas,
    )


def by_part(cells: Cells, recoding: Recoding) -> bool:
    """Whether people with equal quasi-identifiers are told apart, so that tuples do not do."""
    _, of_cell = cells.tuples
    group = np.full(int(of_cell.max(initial=-1)) + 1, SUPPRESSED, np.int64)
    group[of_cell[recoding.cell]] = recoding.group
    return bool((group[of_cell[recoding.cell]] != recoding.group).any())


def _unchanged(recoding: Recoding) -> set[str]:
    """Columns published as they are, for everybody."""
    if recoding.levels is None:
        return set()
    return {
        name
        for j, (name, level) in enumerate(recoding.levels.items())
        if level == 0 and not recoding.spans.rung[:, j].any()
    }


def _counted(cells: Cells, recoding: Recoding, published: tuple[str, ...]) -> Table:
    """The published tuples with their number of rows, a line a part."""
    kept = recoding.group != SUPPRESSED
    cell, group = recoding.cell[kept], recoding.group[kept]
    columns = {h.name: _named(recoding.labels[j], group) for j, h in enumerate(cells.hierarchies)}
    for domain, h in zip(cells.sensitive, cells.values, strict=True):
        columns[domain.name] = _named(domain.values, h.codes[h.indptr[cell]])
    arrays = [columns[name] for name in published]
    rows = pa.array(recoding.people[kept], pa.int64())
    return pa.table([*arrays, rows], names=[*(f"c{i}" for i in range(len(arrays))), "rows"])


def _mapping(cells: Cells, recoding: Recoding, *, parts: bool) -> Table:
    """From raw tuples (and, for separating methods, sensitive values and ranks) to labels."""
    kept = np.flatnonzero(recoding.group != SUPPRESSED)
    tuples, of_cell = cells.tuples
    if parts:
        rank = recoding.rank
        lines = kept
    else:
        _, first = np.unique(of_cell[recoding.cell[kept]], return_index=True)
        lines = kept[first]
    cell, group = recoding.cell[lines], recoding.group[lines]
    columns: dict[str, Any] = {}
    for j, h in enumerate(cells.hierarchies):
        columns[f"q{j}"] = _taken(h.values, tuples[of_cell[cell], j])
        columns[f"p{j}"] = _taken(recoding.labels[j], group)
    if parts:
        for i, (domain, found) in enumerate(zip(cells.sensitive, cells.values, strict=True)):
            columns[f"s{i}"] = _taken(domain.values, found.take(cell).codes)
        columns["lo"] = pa.array(rank[lines], pa.int64())
        columns["hi"] = pa.array(rank[lines] + recoding.people[lines], pa.int64())
    return pa.table(columns)


def _named(values: Any, index: Any) -> Any:
    """The same as `_taken`, in less room: each text once."""
    texts = pa.array(list(values), pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(index, pa.int32()), texts)


def _taken(values: Any, index: Any) -> Any:
    return pa.array(list(values), pa.string()).take(pa.array(index))
