"""How many: one number, a histogram, a contingency table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from hedgerow.answers.design import (
    CONFIDENCE,
    AnswerTable,
    Design,
    NoiseDescription,
    Numbers,
    asked_by,
    delta_notes,
    dense,
    distribution,
    key_columns,
)
from hedgerow.answers.public_knowledge import Labelled, Public, require_few
from hedgerow.answers.sensitivity import (
    NOTHING,
    PERSON,
    Noise,
    count_under,
    mover,
    noise_for,
    require_alone,
)
from hedgerow.answers.stability_histogram import KeysFound
from hedgerow.base.errors import PlanError
from hedgerow.engines.base import Table
from hedgerow.engines.tally import AsFound, Spaced, Tally
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.calibration import AnswerPart
from hedgerow.noise.measures import Approximate, Loss
from hedgerow.noise.neighbours import Neighbours
from hedgerow.table.domain import decimal

Counted = Literal["people", "rows"]


@dataclass(frozen=True, kw_only=True)
class CountQuestion:
    """How many people (or rows), all together or in each cell.

    A price with a delta allows cells that are not public: then those of few people are left out.
    """

    where: str | None = None
    by: tuple[str, ...] = ()
    of: Counted = "people"

    def asked(self) -> dict[str, Any]:
        return {"ask": "count", "of": self.of, "where": self.where, "by": list(self.by)}

    def words(self) -> str:
        return asked_by(f"how many {self.of}", self.by, self.where)

    def design(self, public: Public, loss: Loss) -> Design:
        require_counted(self.of)
        condition = public.condition(self.where)
        named = [public.named(by)[0] for by in self.by]
        require_different(named)
        if all(public.has_cells(by) for by in self.by) or not isinstance(loss, Approximate):
            cells = tuple(public.cells(by) for by in self.by)
            return CountDesign(
                cells=cells,
                tally=Tally(
                    where=condition,
                    by=tuple(one.cells for one in cells),
                    count=self.of,
                    most=public.neighbours.rows,
                ),
                neighbours=public.neighbours,
                price=loss,
                stated=public.stated,
                everybody=public.rows_are_public and not self.by and condition is None,
                rules=public.counts(self.of, cells=bool(self.by)),
            )
        require_alone(public.stated, "values that are not public")
        if self.of == "rows" and public.neighbours.rows > 1:
            raise PlanError(
                "rows cannot be counted by values that are not public",
                fix="Count people, or list the values in the plan's `domain`.",
            )
        keys = tuple(
            public.cells(by).cells if public.has_cells(by) else AsFound(column)
            for by, column in zip(self.by, named, strict=True)
        )
        labels = tuple(public.cells(by).labels if public.has_cells(by) else None for by in self.by)
        return KeysFound(
            tally=Tally(where=condition, by=keys, most=public.neighbours.rows),
            named=tuple(named),
            labels=labels,
            neighbours=public.neighbours,
            price=loss,
            rules=public.counts(self.of),
        )


@dataclass(frozen=True, kw_only=True)
class CountDesign:
    """Counts of the cells of a public domain.

    Guarantee: what one person changes in the counts of disjoint cells is bounded by
    `count_part`, what neighbours under a policy do by `count_under`; noise of that size costs
    the price at most.
    Assumes: the tally counts as its docstring says.
    """

    cells: tuple[Labelled, ...]
    tally: Tally
    neighbours: Neighbours
    price: Loss
    stated: Stated | None = None
    everybody: bool = False
    """Whether it is the number of all rows, and that is public."""
    rules: tuple[str, ...] = ()
    """Which rows count, to be told."""

    @cached_property
    def part(self) -> AnswerPart:
        """What one person changes, or one edge."""
        if self.everybody:
            return NOTHING
        plain = count_part(self.neighbours, require_few(self.sizes), of=self.tally.count)
        return count_under(self.stated, self.tally, plain)

    @cached_property
    def _noise(self) -> tuple[tuple[Noise, ...], Loss]:
        return noise_for(self.price, [self.part])

    @property
    def loss(self) -> Loss:
        return self._noise[1]

    @property
    def mechanism(self) -> Noise:
        return self._noise[0][0]

    @property
    def sizes(self) -> list[int]:
        return [len(one.labels) for one in self.cells]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return (self.tally,)

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        of = "each count" if self.cells else "the count"
        who = mover(self.stated)
        return (told_count(self.mechanism, self.part, of, who, several=bool(self.cells)),)

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.rules, *outside_notes(self.cells), *delta_notes(self.loss))

    @property
    def details(self) -> Mapping[str, Any]:
        return {}

    def read(self, counted: Sequence[Table]) -> Numbers:
        return dense(counted[0], self.sizes)

    def noisy(self, exact: Numbers) -> Numbers:
        found: Numbers = self.mechanism.release(exact)
        return found

    def best(self, exact: Numbers) -> Numbers:
        return exact

    def shown(self, numbers: Numbers) -> tuple[AnswerTable, ...]:
        return (shown_counts(self.cells, numbers, self.mechanism),)


def count_part(neighbours: Neighbours, cells: int, *, of: Counted) -> AnswerPart:
    """What one person changes in the counts of so many disjoint cells.

    Counting rows: `rows` of them enter, or leave one cell and enter another. All in one cell is
    the worst for squares. With a single cell, rows that leave are made up for by rows that enter.

    Counting people: the person counts once in each of at most `rows` cells, in A of them before
    and in B after, and exactly the cells of A or B but not of both change, by one: at most
    `d_in`, and at most all.

    >>> two = Neighbours(kind="change-one", rows=2)
    >>> count_part(two, 100, of="people")
    AnswerPart(l1=4, l2_squared=4, share=Fraction(1, 1))
    >>> count_part(two, 1, of="people")
    AnswerPart(l1=1, l2_squared=1, share=Fraction(1, 1))
    >>> count_part(two, 100, of="rows")
    AnswerPart(l1=4, l2_squared=8, share=Fraction(1, 1))
    >>> count_part(two, 1, of="rows")
    AnswerPart(l1=2, l2_squared=4, share=Fraction(1, 1))
    """
    if of == "people":
        changed = min(neighbours.d_in, cells)
        return AnswerPart(changed, changed)
    if cells == 1:
        return AnswerPart(neighbours.count, neighbours.count**2)
    return AnswerPart(neighbours.histogram, neighbours.histogram_squared)


def told_count(
    mechanism: Noise, part: AnswerPart, of: str, who: str = PERSON, *, several: bool = True
) -> NoiseDescription:
    """The noise on counts, in words."""
    if not part.l1:
        same = "each of them is" if several else "it is"
        # Without a policy this is the number of rows.
        named = "none: the number of rows is public" if who == PERSON else distribution(mechanism)
        return NoiseDescription(of, named, mechanism.scale, f"{same} the same for all neighbours")
    if not several:
        changes = f"{who} changes it by at most {part.l1}"
    elif part.l1 == 1:
        changes = f"{who} changes one of them by at most 1"
    else:
        changes = f"{who} changes them by at most {part.l1} in all"
    return NoiseDescription(of, distribution(mechanism), mechanism.scale, changes)


def shown_counts(cells: Sequence[Labelled], numbers: Numbers, mechanism: Noise) -> AnswerTable:
    """Counts with their labels and intervals.

    No count is under 0, so that the part of an interval under 0 can be left out.
    """
    reach = mechanism.accuracy(confidence=CONFIDENCE)
    told = {
        "count": numbers.tolist(),
        "low": np.maximum(_less(numbers, reach), 0).tolist(),
        "high": np.maximum(_more(numbers, reach), 0).tolist(),
    }
    return AnswerTable.of(key_columns(cells), told)


def _more(numbers: Numbers, reach: int) -> Any:
    return numbers.astype(object) + reach


def _less(numbers: Numbers, reach: int) -> Any:
    return numbers.astype(object) - reach


def require_different(columns: Sequence[str]) -> None:
    """Refuse a column that is named twice.

    Raises:
        PlanError: One is.
    """
    for place, column in enumerate(columns):
        if column in columns[:place]:
            raise PlanError(f"{column!r} is named twice", fix="Name it once.")


def require_counted(of: str) -> None:
    """Refuse to count anything but people or rows.

    Raises:
        PlanError: It is something else.
    """
    if of not in get_args(Counted):
        raise PlanError(f"{of!r} cannot be counted", fix="Count people or rows.")


def outside_notes(cells: Sequence[Labelled]) -> tuple[str, ...]:
    """Who is in no cell: a rule, not something that was looked up."""
    listed = [one.cells.column for one in cells if one.middles == ()]
    spaced = [one.cells.column for one in cells if one.middles]
    notes = []
    if listed:
        notes.append(f"Rows whose {' or '.join(listed)} is not in the plan's domain do not count.")
    if spaced:
        notes.append(
            f"Rows without a number in {' or '.join(spaced)} do not count; numbers beyond the "
            "plan's bounds count as the bounds."
        )
    for one in cells:
        if isinstance(one.cells, Spaced) and one.middles[0] == one.cells.low:
            step = decimal(one.cells.step)
            notes.append(f"Numbers of {one.cells.column} count as the lower step of {step}.")
    return tuple(notes)
