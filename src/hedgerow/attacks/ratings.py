"""Ratings or transactions: who had to do with which item, how and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, nearest, some
from hedgerow.engines import open_engine
from hedgerow.table.encoding import encoded
from hedgerow.table.groups import Floats, Ints


@dataclass(frozen=True, eq=False)
class Ratings:
    """A sparse matrix of people by items, compressed by item, people in order within it.

    >>> ratings = Ratings.of(["Bob", "Ann", "Ann"], ["Alien", "Alien", "Brazil"], [4, 3, 5])
    >>> ratings.people.tolist(), ratings.support.tolist()
    (['Ann', 'Bob'], [2, 1])
    """

    people: NDArray[Any]
    """Their names, in order; codes are places in it."""
    items: NDArray[Any]
    indptr: Ints
    """Item i owns entries indptr[i] to indptr[i + 1]."""
    person: Ints
    rating: Floats
    """Not a number: there is none."""
    day: Floats
    """Not a number: there is none."""

    @property
    def support(self) -> Ints:
        """How many people rated each item."""
        item = self.item_of(np.arange(len(self.person)))
        fresh = np.ones(len(item), np.bool_)
        fresh[1:] = (item[1:] != item[:-1]) | (self.person[1:] != self.person[:-1])
        return np.bincount(item[fresh], minlength=len(self.items)).astype(np.int64)

    @classmethod
    def of(
        cls,
        person: Sequence[Any] | NDArray[Any],
        item: Sequence[Any] | NDArray[Any],
        rating: Sequence[float] | NDArray[Any] | None = None,
        day: Sequence[Any] | NDArray[Any] | None = None,
    ) -> Ratings:
        """From columns.

        Args:
            person: Who.
            item: What.
            rating: A number, if there are ratings.
            day: A number or a date, if there are days.
        """
        columns = {"person": person, "item": item, "rating": rating, "day": day}
        given = {name: column for name, column in columns.items() if column is not None}
        lengths = {name: len(column) for name, column in given.items()}
        if len(set(lengths.values())) != 1:
            raise DataError(f"columns of different lengths: {lengths}")
        return _compressed(
            *(None if column is None else pa.array(column) for column in columns.values())
        )

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        person: str,
        item: str,
        rating: str | None = None,
        day: str | None = None,
        null: Sequence[str] = (),
    ) -> Ratings:
        """From a file or a table with a row a rating.

        Args:
            source: What `open_engine` reads.
            person: Column that says whose it is.
            item: Column that says of what.
            rating: Column with numbers, if there is one.
            day: Column with ISO dates or numbers, if there is one.
            null: Texts that mean missing.
        """
        with open_engine(source, null=null) as engine:
            there = engine.columns()
            names = [name for name in (person, item, rating, day) if name is not None]
            for name in names:
                if name not in there:
                    near = nearest(name, there)
                    raise DataError(
                        f"there is no column {name!r}",
                        fix=f"Did you mean {near!r}?" if near else f"It has {some(there)}.",
                    )
            wanted = list(dict.fromkeys(names))
            table = engine.rows(wanted, max(1, engine.rows_total()))
        return _compressed(
            *(None if name is None else table[name] for name in (person, item, rating, day))
        )

    def item_of(self, rows: Ints) -> Ints:
        """The item of each of these entries."""
        return np.asarray(np.searchsorted(self.indptr, rows, side="right") - 1, np.int64)

    def rows_of(self, people: Ints) -> tuple[Ints, Ints]:
        """The entries of some people, and to which of them (its place in `people`) each belongs."""
        order = np.argsort(self.person, kind="stable")
        start = np.searchsorted(self.person[order], np.arange(len(self.people) + 1))
        lengths = np.diff(start)[people]
        ends = np.cumsum(lengths)
        owner = np.repeat(np.arange(len(people)), lengths)
        places = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
        return order[np.repeat(start[people], lengths) + places], owner

    def without(self, people: Ints) -> tuple[Ratings, Ints]:
        """What is left when some are taken out, and everybody's new code (-1: taken out)."""
        stay = np.ones(len(self.people), np.bool_)
        stay[people] = False
        place = np.where(stay, np.cumsum(stay) - 1, -1)
        kept = stay[self.person]
        indptr = np.concatenate(([0], np.cumsum(kept)))[self.indptr]
        left = Ratings(
            self.people[stay], self.items, indptr.astype(np.int64),
            place[self.person[kept]], self.rating[kept], self.day[kept],
        )  # fmt: skip
        return left, place


def _compressed(person: Any, item: Any, rating: Any, day: Any) -> Ratings:
    if not len(person):
        raise DataError("there are no ratings")
    if person.null_count or item.null_count:
        raise DataError(
            "a rating lacks its person or its item", fix="Leave such rows out of the data."
        )
    people, who = encoded(person)
    items, what = encoded(item)
    order = np.lexsort((who, what))
    what = what[order]
    return Ratings(
        np.asarray(people),
        np.asarray(items),
        np.searchsorted(what, np.arange(len(items) + 1)).astype(np.int64),
        who[order].astype(np.int64),
        _numbers(rating, "rating", len(who))[order],
        _numbers(day, "day", len(who))[order],
    )


def _numbers(column: Any, name: str, length: int) -> Floats:
    """Numbers, or days since 1970 for dates; not a number where missing."""
    if column is None:
        return np.full(length, np.nan)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_null(column.type):
        return np.full(length, np.nan)
    try:
        if name == "day" and (pa.types.is_temporal(column.type) or _dated(column)):
            column = pc.cast(pc.cast(column, pa.date32()), pa.int32())
        numbers = pc.cast(column, pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        kind = "numbers or ISO dates" if name == "day" else "numbers"
        raise DataError(f"not all values of the {name} column are {kind}") from None
    found = np.asarray(pc.fill_null(numbers, np.nan).to_numpy(zero_copy_only=False), np.float64)
    if np.isinf(found).any():
        raise DataError(f"a value of the {name} column is infinite")
    return found


def _dated(column: Any) -> bool:
    """Whether it is text and its first value looks like a date."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return False
    present = column.drop_null()
    return len(present) > 0 and "-" in present[0].as_py()[1:] and ":" not in present[0].as_py()
