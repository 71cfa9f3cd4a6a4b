"""Shown columns: what groups are published as, column by column, as whole numbers.

A claim about attackers who know some of the quasi-identifiers counts everybody who looks alike in
these. Most claims never ask, so nothing is computed before somebody does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError, some

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ShownColumns:
    """The published tuple of each group: equal codes of a column are equal labels."""

    columns: tuple[str, ...]
    read: Callable[[], Codes]
    """Groups by columns; called once, when a claim asks."""

    @classmethod
    def of_labels(
        cls, columns: Sequence[str], labels: Callable[[], Iterable[Iterable[Any]]]
    ) -> ShownColumns:
        """From the labels of each column, group by group.

        >>> shown = ShownColumns.of_labels(["sex", "age"], lambda: [["F", "F", "M"], "119"])
        >>> shown.codes.tolist()
        [[0, 0], [0, 0], [1, 1]]
        """

        def read() -> Codes:
            coded = []
            for column in labels():
                place: dict[Any, int] = {}
                coded.append([place.setdefault(label, len(place)) for label in column])
            return np.array(coded, np.int32).reshape(len(columns), -1).T

        return cls(tuple(columns), read)

    @cached_property
    def codes(self) -> Codes:
        return self.read()

    def take(self, index: NDArray[np.int64]) -> ShownColumns:
        """Those of some of the groups, in this order."""
        return ShownColumns(self.columns, lambda: self.codes[index])

    def followed_by(self, more: int) -> ShownColumns:
        """With so many groups more at the end, which nobody of the table is in."""

        def read() -> Codes:
            return np.concatenate((self.codes, np.zeros((more, len(self.columns)), np.int32)))

        return ShownColumns(self.columns, read)

    def places(self, names: Iterable[str]) -> tuple[int, ...]:
        """Where columns are.

        Raises:
            PlanError: There is no such column.
        """
        names = tuple(names)
        if absent := [name for name in names if name not in self.columns]:
            raise PlanError(
                f"there is no quasi-identifier {absent[0]!r}",
                fix=f"The quasi-identifiers are {some(self.columns)}.",
            )
        return tuple(self.columns.index(name) for name in names)
