"""From groups of tuples to a recoding: dealing out people, and confirming the claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from hedgerow.base.errors import ClaimError, PlanError
from hedgerow.claims.base import Needs, PrivacyModel, Verdict
from hedgerow.recode.recoding import Recoding
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Floats, Groups, Ints

Progress = Callable[[float], None]
"""Told now and then which share of the work is done."""


def deal(
    people: Ints, tuple_of: Ints, tuples: Ints, counts: Ints, groups: Ints
) -> tuple[Ints, Ints, Ints]:
    """Deal the people of each tuple out to groups so that every lot is like the whole tuple.

    Cells of a tuple differ in sensitive values, and a lot that took one cell after the other
    would have values of its own. So each lot is a stratified sample: the tuple's people stand
    in a line, cell after cell, cut into as many equal stretches as the lot has people, and the
    lot gets one person of each. Whom is scattered, for where it always was, say, the first, lots
    would follow any second attribute that alternates along the line. It is the same at every run.

    Args:
        people: People in each cell.
        tuple_of: The tuple of each cell.
        tuples: For each lot, the tuple its people have.
        counts: People in the lot.
        groups: The group the lot belongs to.

    Returns:
        Cell, people and group of each part, by cell; one part for each cell and group.

    >>> cells = np.array([4, 2]), np.array([0, 0])
    >>> lots = np.array([0, 0]), np.array([3, 3]), np.array([7, 8])
    >>> [part.tolist() for part in deal(*cells, *lots)]
    [[0, 0, 1, 1], [2, 2, 1, 1], [7, 8, 7, 8]]
    """
    size = 1 + max(int(tuple_of.max(initial=-1)), int(tuples.max(initial=-1)))
    several_cells = np.bincount(tuple_of[people > 0], minlength=size) > 1
    several_lots = np.bincount(tuples[counts > 0], minlength=size) > 1
    # Only where there are both does it matter who goes where, and lots come in single people.
    single = (several_cells & several_lots)[tuples]
    pieces = np.where(single, counts, np.minimum(counts, 1))
    lot = np.repeat(np.arange(len(counts)), pieces)
    lot = lot[np.lexsort((_along(pieces), tuples[lot]))]
    order = np.argsort(tuple_of, kind="stable")
    order = order[people[order] > 0]
    # All people in one line, tuple by tuple: cells and lots both cut it into pieces.
    cell_ends, lot_ends = np.cumsum(people[order]), np.cumsum(np.where(single, 1, counts)[lot])
    ends = np.union1d(cell_ends, lot_ends)
    cell = order[np.searchsorted(cell_ends, ends)]
    group = groups[lot[np.searchsorted(lot_ends, ends)]]
    return together(cell, np.diff(ends, prepend=0), group)


def first_of(people: Ints, tuple_of: Ints, wanted: int) -> Ints:
    """How many people of each cell are among the first `wanted`: whole tuples, but for the last.

    Of the tuple that is not needed whole a sample is taken, as in `deal`. Cells are in the order
    of their tuples, and none is empty.

    >>> first_of(np.array([1, 2, 2, 4]), np.array([0, 1, 1, 2]), 3).tolist()
    [1, 1, 1, 0]
    """
    ends = np.cumsum(people)
    last = tuple_of[np.searchsorted(ends, wanted)]
    begin, end = np.searchsorted(tuple_of, (last, last + 1))
    first = people.copy()
    first[end:] = 0
    before, reached = int(ends[begin] - people[begin]), int(ends[end - 1])
    line = np.argsort(_along(np.array([wanted - before, reached - wanted])), kind="stable")
    starts = (ends - people)[begin:end] - before
    first[begin:end] = np.add.reduceat(line < wanted - before, starts, dtype=np.int64)
    return first


def _along(pieces: Ints) -> Floats:
    """For each piece of each lot, where on the line from 0 to 1 the next one who is met joins it.

    The same numbers at every run, scattered by SplitMix64.
    """
    starts, total = np.cumsum(pieces) - pieces, int(pieces.sum())
    bits = np.arange(1, total + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    within = (bits ^ (bits >> np.uint64(31))) * 2.0**-64
    stretch = np.arange(total) - np.repeat(starts, pieces)
    along: Floats = (stretch + within) / np.repeat(pieces, pieces)
    return along


def together(cell: Ints, people: Ints, group: Ints) -> tuple[Ints, Ints, Ints]:
    """One part for each cell and group, by cell.

    >>> [part.tolist() for part in together(*np.array([[1, 0, 1], [2, 4, 3], [0, 0, 0]]))]
    [[0, 1], [4, 5], [0, 0]]
    """
    order = np.lexsort((group, cell))
    cell, people, group = cell[order], people[order], group[order]
    new = np.ones(len(cell), np.bool_)
    new[1:] = (np.diff(cell) != 0) | (np.diff(group) != 0)
    start = np.flatnonzero(new)
    return cell[start], np.add.reduceat(people, start) if len(start) else people, group[start]


def whole_table(cells: Cells, models: Iterable[PrivacyModel]) -> Groups:
    """The table as one group, which has to keep every claim about groups.

    Raises:
        ClaimError: It does not, so no division of the table is a safe start.
    """
    groups = cells.groups(np.zeros(len(cells.n), np.int64), 1)
    refuse_failing(groups, models)
    return groups


def refuse_failing(whole: Groups, models: Iterable[PrivacyModel]) -> None:
    """Refuse claims that the one group of everybody does not keep.

    Raises:
        ClaimError: There is such a claim.
    """
    if whole.people:
        for model in models:
            verdict = model.check(whole)
            if model.per_group and not verdict.holds:
                raise ClaimError(
                    f"{verdict.claim} does not even hold where all {whole.people:,} people are "
                    f"one group: {_reaches(verdict)}",
                    fix="Weaken that claim or publish more people.",
                )


def confirm(recoding: Recoding, cells: Cells, models: Sequence[PrivacyModel]) -> Recoding:
    """The recoding, once every claim holds on the groups as the recipient sees them.

    Raises:
        ClaimError: A claim does not hold.
    """
    groups = recoding.groups(cells)
    for model in models:
        verdict = model.check(groups)
        if not verdict.holds:
            raise ClaimError(
                f"{verdict.claim} does not hold on the groups of {recoding.kind}: "
                f"{_reaches(verdict)}",
                fix="Ask for larger groups, or weaken that claim.",
            )
    return recoding


def refuse_population(models: Iterable[PrivacyModel], method: str, why: str) -> None:
    """Refuse claims about an outside population where a person's group cannot be told.

    Raises:
        PlanError: One of the models needs the population.
    """
    for model in models:
        if Needs.POPULATION in model.needs:
            raise PlanError(
                f"{model} cannot be claimed for {method}: {why}",
                fix="Use the lattice search, or strict Mondrian with ranges.",
            )


def _reaches(verdict: Verdict) -> str:
    return f"it reaches {verdict.level:.6g}, required {verdict.required:.6g}"
