"""From groups of tuples to a recoding: dealing out people, and confirming the claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from hedgerow.errors import ClaimError, PlanError
from hedgerow.groups import Groups, Ints
from hedgerow.models.base import Needs, PrivacyModel, Verdict
from hedgerow.recode.cells import Cells
from hedgerow.recode.recoding import Recoding

Progress = Callable[[float], None]
"""Told now and then which share of the work is done."""


def deal(
    people: Ints, tuple_of: Ints, tuples: Ints, counts: Ints, groups: Ints
) -> tuple[Ints, Ints, Ints]:
    """Deal the people of each tuple out to groups, cell after cell.

    Args:
        people: People in each cell.
        tuple_of: The tuple of each cell.
        tuples: For each lot, the tuple its people have.
        counts: People in the lot.
        groups: The group the lot belongs to.

    Returns:
        Cell, people and group of each part, by cell.

    >>> cells = np.array([2, 3]), np.array([0, 0])
    >>> lots = np.array([0, 0]), np.array([4, 1]), np.array([7, 8])
    >>> [part.tolist() for part in deal(*cells, *lots)]
    [[0, 1, 1], [2, 2, 1], [7, 7, 8]]
    """
    order = np.lexsort((np.arange(len(tuple_of)), tuple_of))
    order = order[people[order] > 0]
    lots = np.argsort(tuples, kind="stable")
    # All people in one line, tuple by tuple: cells and lots both cut it into pieces.
    cell_ends, lot_ends = np.cumsum(people[order]), np.cumsum(counts[lots])
    ends = np.union1d(cell_ends, lot_ends)
    cell = order[np.searchsorted(cell_ends, ends)]
    group = groups[lots[np.searchsorted(lot_ends, ends)]]
    size = np.diff(np.concatenate(([0], ends)))
    by_cell = np.lexsort((group, cell))
    return cell[by_cell], size[by_cell], group[by_cell]


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
    if groups.people:
        for model in models:
            verdict = model.check(groups)
            if model.per_group and not verdict.holds:
                raise ClaimError(
                    f"{verdict.claim} does not even hold where all {groups.people:,} people are "
                    f"one group: {_reaches(verdict)}",
                    fix="Weaken that claim or publish more people.",
                )
    return groups


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
