"""Mondrian: divide the people in two, again and again, while every claim holds on both sides.

The axis that is cut is the widest one (its extent over that of the whole table) that has an
allowable cut. Numbers are cut at the median; categories between two branches of the taxonomy,
the highest branches first. Such binary cuts reach every division of a node into its children,
and go on where one child is too small to stand alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import partial

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.claims.base import Needs, PrivacyModel
from hedgerow.recode.axes import Space
from hedgerow.recode.boxes import Boxes, published
from hedgerow.recode.cuts import Lots, divide_all
from hedgerow.recode.division import Division, Exposed, Flags, Mode
from hedgerow.recode.parts import Progress, confirm, deal, refuse_population, whole_table
from hedgerow.recode.recoding import Recoding, people_of, united
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Groups, Ints


def mondrian(
    cells: Cells,
    models: Sequence[PrivacyModel],
    *,
    mode: Mode = "strict",
    boxes: Boxes = "ranges",
    weights: Sequence[float] = (),
    progress: Progress | None = None,
) -> Recoding:
    """Multidimensional recoding by recursive cuts.

    *Guarantee*: every model holds on the groups as the recipient sees them. Strict groups are
    boxes no two of which overlap (on published ranges; taxonomy nodes may cover each other),
    people with equal tuples stay together, and where k-anonymity is the only claim no group
    can be cut further. Relaxed groups have at most 2k - 1 people, or all of them the same tuple:
    where no cut between values is allowable, the people at the median are spread over both
    sides. (Spreading them at every cut, as the paper has it, lost twice as much on Adult.)

    *Assumes*: one row of `cells` is one combination of quasi-identifiers and sensitive values.

    *Reference*: LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity (ICDE
    2006).

    >>> from hedgerow.table.hierarchy import Hierarchy
    >>> from hedgerow.claims.anonymity import KAnonymity
    >>> ages = range(20, 26)
    >>> age = Hierarchy.of("age", [(str(a), "*") for a in ages], numbers=list(ages))
    >>> one_each = np.ones(6, np.int64)
    >>> cells = Cells((age,), np.arange(6, dtype=np.int32)[:, None], one_each, one_each)
    >>> mondrian(cells, [KAnonymity(k=3)]).labels[0].tolist()
    ['20-22', '23-25']

    Args:
        cells: What the engine counted.
        models: The claims; any model can be what makes a cut allowable.
        mode: Whether people with the same value must stay on one side of a cut.
        boxes: Publish tight ranges and sets, or nodes of the hierarchies.
        weights: How many times the width of each axis counts; once where there are none.
        progress: Told the share of people whose group is final.

    Raises:
        ClaimError: The table as a whole does not keep a claim, or the result does not.
        PlanError: A mode, box or claim that does not exist or does not fit the others.
    """
    refuse_unfit(models, mode, boxes)
    whole_table(cells, models)
    recoding = united(
        divided(
            cells, models, mode=mode, boxes=boxes, weights=weights, whole=True, progress=progress
        ),
        cells.hierarchies,
    )
    return confirm(recoding, cells, models)


def refuse_unfit(models: Sequence[PrivacyModel], mode: Mode, boxes: Boxes) -> None:
    """Refuse what Mondrian does not have.

    Raises:
        PlanError: A mode, box or claim that does not exist or does not fit the others.
    """
    if mode not in ("strict", "relaxed") or boxes not in ("ranges", "taxonomy"):
        raise PlanError(
            f"mondrian has no mode {mode!r} with boxes {boxes!r}",
            fix="Modes are strict and relaxed; boxes are ranges and taxonomy.",
        )
    if mode == "relaxed" or boxes == "taxonomy":
        refuse_population(models, f"mondrian ({mode}, {boxes})", "groups overlap")


def divided(
    cells: Cells,
    models: Sequence[PrivacyModel],
    *,
    mode: Mode,
    boxes: Boxes,
    weights: Sequence[float] = (),
    space: Space | None = None,
    whole: bool = False,
    progress: Progress | None = None,
) -> Recoding:
    """The division of people who, as one group, keep every claim about groups.

    Args:
        cells: The people.
        models: The claims.
        mode: Whether people with the same value must stay on one side of a cut.
        boxes: Publish tight ranges and sets, or nodes of the hierarchies.
        weights: How many times the width of each axis counts, where no space is given.
        space: The axes of the whole table, where these people are a part of it.
        whole: Whether these people are everybody, so that claims about more than each group can
            be watched.
        progress: Told the share of people whose group is final.
    """
    people_in_all = int(cells.n.sum())
    floor, others = floor_of([m for m in models if m.per_group], people_in_all)
    # Cells nobody in the table has matter only to claims about the outside population.
    needed = any(Needs.POPULATION in model.needs for model in models)
    chosen = np.arange(len(cells.n)) if needed else np.flatnonzero(cells.n)
    if people_in_all == 0:
        chosen = chosen[:0]
    space = space or Space.of(cells.hierarchies, cells.q[chosen], weights)
    if others:
        division = Division.of(cells, chosen, space, floor=floor, models=others, mode=mode)
        beyond = [model for model in models if model.beyond_groups] if whole else []
        exposed = _exposed(cells, beyond) if beyond else None
        cell, people, group = division.run(progress, exposed)
    else:
        lots = _by_sizes(cells, space, floor, mode)
        cell, people, group = deal(cells.n, cells.tuples[1], *lots)
    by_group = np.argsort(group, kind="stable")
    start = np.searchsorted(group[by_group], np.arange(group.max(initial=-1) + 1))
    labels, spans = published(cells.hierarchies, cells.q[cell[by_group]], start, boxes=boxes)
    if progress is not None:
        progress(1.0)
    return Recoding(
        "mondrian", cell, people, group, labels, spans, detail={"mode": mode, "boxes": boxes}
    )


def _exposed(cells: Cells, models: Sequence[PrivacyModel]) -> Exposed:
    """Which groups should be coarser, by claims that are about more than each group."""

    def named(cell: Ints, people: Ints, group: Ints) -> tuple[Flags, Flags]:
        groups = people_of(cells, cell, people).merge(group, int(group.max()) + 1)
        exposed, beside = np.zeros((2, len(groups)), np.bool_)
        for model in models:
            mine, others = model.exposed(groups)
            exposed |= mine
            beside |= others
        return exposed, beside

    return named


def floor_of(models: Sequence[PrivacyModel], people: int) -> tuple[int, list[PrivacyModel]]:
    """The size every group must have, and the models that ask for more than a size."""
    floor, others = 1, []
    for model in models:
        if sized(model):
            # A size that passes is known: the whole table's.
            enough = bisect_left(range(1, people), True, key=partial(_passes, model))
            floor = max(floor, 1 + enough)
        else:
            others.append(model)
    return floor, others


def sized(model: PrivacyModel) -> bool:
    """Whether a model asks for nothing but a number of people."""
    return model.needs == Needs.SIZES and model.monotone_in_generalisation


def _passes(model: PrivacyModel, size: int) -> bool:
    return bool(model.holds(Groups(np.array([size], np.int64)))[0])


def _by_sizes(cells: Cells, space: Space, floor: int, mode: Mode) -> Lots:
    """The division where only the number of people matters: all of it in compiled code."""
    tuples, tuple_of = cells.tuples
    people = np.zeros(len(tuples), np.int64)
    np.add.at(people, tuple_of, cells.n)
    there = np.flatnonzero(people)
    ranks = space.ranks(tuples[there])
    order = np.lexsort(ranks.T[::-1]) if len(space.axes) else np.arange(len(there))
    who, weight, group = divide_all(
        ranks[order],
        people[there[order]],
        space.measure,
        space.offset,
        space.ladder,
        space.rung,
        space.heights,
        space.weight,
        floor,
        mode == "relaxed",
    )
    return there[order[who]], weight, group
