"""A design: what is counted, how much noise it gets, and what that costs; all of it public."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.answers.public_knowledge import Labelled
from hedgerow.answers.sensitivity import Noise, Untouched
from hedgerow.engines.base import Table
from hedgerow.engines.tally import Tally
from hedgerow.noise.measures import Approximate, Loss

CONFIDENCE = Fraction(95, 100)
"""Of the intervals."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class AnswerTable:
    """One table of an answer: a list for each column, all of one length."""

    keys: tuple[str, ...]
    """The columns that say what a line is about."""
    columns: Mapping[str, list[Any]]

    @classmethod
    def of(cls, keys: Mapping[str, list[Any]], told: Mapping[str, list[Any]]) -> AnswerTable:
        """Lines that are about keys, with the answer's own columns beside them."""
        return cls(tuple(keys), {**keys, **{own(name, keys): told[name] for name in told}})

    def told(self, name: str) -> list[Any] | None:
        """The answer's own column of this name, where it has one.

        >>> AnswerTable(("low",), {"low": ["a"], "count": [7], "low_": [3]}).told("low")
        [3]
        """
        return self.columns.get(own(name, self.keys))


def own(name: str, taken: Iterable[str]) -> str:
    """What an answer's own column is called where the data have such columns.

    >>> own("count", ["age"]), own("count", ["Count", "count_"])
    ('count', 'count__')
    """
    others = {column.casefold() for column in taken}
    while name in others:
        name += "_"
    return name


@dataclass(frozen=True)
class NoiseDescription:
    """The noise on some of the numbers, as it is told."""

    of: str
    distribution: str
    scale: Fraction
    sensitivity: str
    """What one person changes, in words."""

    def as_json(self) -> dict[str, str]:
        return {
            "of": self.of,
            "distribution": self.distribution,
            "scale": f"{float(self.scale):.12g}",
            "sensitivity": self.sensitivity,
        }


class Design(Protocol):
    """How a question is answered at a price, before anybody has looked at the data."""

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """What the engine is asked."""
        ...

    @property
    def loss(self) -> Loss:
        """What the answer costs; never more than the price."""
        ...

    @property
    def noise(self) -> tuple[NoiseDescription, ...]: ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the answer."""
        ...

    @property
    def details(self) -> Mapping[str, Any]:
        """What somebody needs who computes with the answer; mostly nothing."""
        ...

    def read(self, counted: Sequence[Table]) -> Any:
        """The exact numbers; they never leave as they are."""
        ...

    def noisy(self, exact: Any) -> Any:
        """The numbers after noise: the only step that is random."""
        ...

    def best(self, exact: Any) -> Any:
        """The numbers as they would be without noise, to preview errors on public data.

        None where the lines of two answers are not about the same, or have no numbers.
        """
        ...

    def shown(self, numbers: Any) -> tuple[AnswerTable, ...]:
        """What is made of the numbers without looking at the data again."""
        ...


def dense(table: Table, sizes: Sequence[int], column: str = "n") -> Numbers:
    """A number for every cell of the public domain, 0 where nobody is."""
    numbers = np.zeros(int(np.prod(sizes)) if sizes else 1, np.int64)
    found = _integers(table, column)
    if not sizes:
        numbers[: len(found)] = found
        return numbers
    codes = [_integers(table, f"k{i}") for i in range(len(sizes))]
    numbers[np.ravel_multi_index(codes, tuple(sizes))] = found
    return numbers


def _integers(table: Table, column: str) -> Numbers:
    # Arrow's own `to_numpy` would import pandas where there is one: a third of a second.
    return np.from_dlpack(table.column(column).combine_chunks()).astype(np.int64)


def key_columns(cells: Sequence[Labelled]) -> dict[str, list[Any]]:
    """The labels of all combinations of cells, as `dense` orders them."""
    sizes = [len(one.labels) for one in cells]
    columns: dict[str, list[Any]] = {}
    for place, one in enumerate(cells):
        inner = int(np.prod(sizes[place + 1 :]))
        outer = int(np.prod(sizes[:place]))
        columns[one.cells.column] = [label for label in one.labels for _ in range(inner)] * outer
    return columns


def asked_by(words: str, by: Sequence[str], where: str | None) -> str:
    """A question in words, with all it is about.

    >>> asked_by("how many people", ("sex", "age:10"), "job = 'nurse'")
    "how many people by sex, age:10, where job = 'nurse'"
    """
    words = f"{words} by {', '.join(by)}" if by else words
    return f"{words}, where {where}" if where else words


def delta_notes(loss: Loss) -> tuple[str, ...]:
    """What a delta means, where one is spent."""
    if not isinstance(loss, Approximate):
        return ()
    delta = loss.amounts().texts()["delta"]
    return (
        f"With a probability of up to delta, {delta}, this answer promises nothing. All deltas of "
        "a population together must be far under one over the number of its people.",
    )


def distribution(mechanism: Noise) -> str:
    """The name of the noise."""
    if isinstance(mechanism, Untouched):
        return "none: the policy makes these numbers public"
    return mechanism.name
