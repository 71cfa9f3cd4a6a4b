"""Recoding part by part: the table is cut as Mondrian cuts it, and the method works on each part.

So a method that is slow on many people at once, such as MDAV, can be used on many; and the parts
need not be in one place. Strict Mondrian gives the same groups as without parts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgerow.base.errors import ClaimError
from hedgerow.recode.cell_margins import CellMargins
from hedgerow.recode.first_cuts import first_cuts
from hedgerow.recode.method import RecodingMethod
from hedgerow.recode.outcome import Spans
from hedgerow.recode.parts import Progress, confirm
from hedgerow.recode.recoding import SUPPRESSED, Recoding, united
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Ints


def parted(
    cells: Cells,
    method: RecodingMethod,
    *,
    most: int,
    limit: int = 0,
    progress: Progress | None = None,
) -> Recoding:
    """Recode each part of a table by itself.

    *Guarantee*: every model holds on the groups as the recipient sees them, who may see groups
    of several parts as one. People of a part stay together: no group has people of two.

    *Assumes*: that claims survive the union of groups, as those of `mondrian` do; where one does
    not, it is refused rather than broken.

    Args:
        cells: What the engine counted.
        method: What is done with each part.
        most: Cells of a part, at most, as far as the claims let it be cut.
        limit: People who may be left out, those barred included. Each part has its share.
        progress: Told the share of people who are placed.

    Raises:
        ClaimError: The table as a whole does not keep a claim, or the result does not.
        PlanError: A claim that does not fit the method or parts.
    """
    method.refuse_unfit()
    people = int(cells.n.sum())
    if not cells.hierarchies or not people:
        whole = method.recode(cells, limit=limit, progress=progress)
        return replace(whole, detail=_detail(whole, most))
    source = CellMargins(cells)
    first = first_cuts(
        source, hierarchies=cells.hierarchies, sensitive=cells.sensitive, models=method.claims,
        most=most, weights=method.weights, refuse=method.starts_whole,
    )  # fmt: skip
    found, done = list[tuple[Ints, Recoding]](), 0
    for part in first.parts:
        here = source.cells_of(first.tree, part)
        mine = int(first.people[part])
        may = part_limit(limit - cells.absent, mine, people)
        try:
            recoding = method.recode_part(
                part_of(cells, here), space=first.space, limit=may,
                progress=_within(progress, done / people, mine / people),
            )  # fmt: skip
        except ClaimError as error:
            if len(first.parts) == 1:
                raise
            raise of_part(error, mine) from None
        found.append((here, recoding))
        done += mine
    together = united(_concatenated(found), cells.hierarchies)
    return confirm(replace(together, detail=_detail(together, most)), cells, method.models)


def part_of(cells: Cells, chosen: Ints) -> Cells:
    """The people of some cells; hierarchies and sensitive values stay those of the whole table."""
    return Cells(
        cells.hierarchies,
        cells.q[chosen],
        cells.n[chosen],
        cells.rows[chosen],
        cells.sensitive,
        tuple(histogram.take(chosen) for histogram in cells.values),
    )


def of_part(error: ClaimError, people: int) -> ClaimError:
    """The error, as one of a part of the table."""
    what = f"in a part of {people:,} people, {error.what}"
    fix = f"{error.fix or ''} Or cut the table into fewer parts: a larger `parts`."
    return ClaimError(what, where=error.where, fix=fix.strip())


def part_limit(limit: int, part: int, people: int) -> int:
    """How many of a part's people may be left out where `limit` of all `people` may.

    >>> part_limit(10, 25, 90)
    2
    """
    return limit * part // people


def _concatenated(found: list[tuple[Ints, Recoding]]) -> Recoding:
    """The recodings of all parts as one; groups keep the order of the parts."""
    cell, people, group = [], [], []
    size = 0
    for here, recoding in found:
        cell.append(here[recoding.cell])
        people.append(recoding.people)
        out = recoding.group == SUPPRESSED
        group.append(np.where(out, SUPPRESSED, recoding.group + size))
        size += recoding.size
    cells, groups = np.concatenate(cell), np.concatenate(group)
    by_cell = np.lexsort((groups, cells))
    spans = [recoding.spans for _, recoding in found]
    one = found[0][1]
    return Recoding(
        one.kind,
        cells[by_cell],
        np.concatenate(people)[by_cell],
        groups[by_cell],
        tuple(
            np.concatenate([recoding.labels[j] for _, recoding in found])
            for j in range(len(one.labels))
        ),
        Spans(
            np.concatenate([span.low for span in spans]),
            np.concatenate([span.high for span in spans]),
            np.concatenate([span.rung for span in spans]),
        ),
        detail=one.detail,
    )


def _detail(recoding: Recoding, most: int) -> dict[str, object]:
    """What the certificate says. How many parts there were depends on every value of the source."""
    kept = {key: value for key, value in recoding.detail.items() if key != "joined"}
    return {**kept, "parts": most}


def _within(progress: Progress | None, begin: float, share: float) -> Progress | None:
    """Progress of one part as progress of the whole."""
    if progress is None:
        return None
    return lambda done: progress(begin + share * done)
