"""Beginnings: codes of unequal length, cut to fewer and fewer characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hedgerow.base.errors import HierarchyError, some
from hedgerow.table.hierarchy import ANY, Hierarchy
from hedgerow.table.taxonomies import Row, Value, unfit, with_missing

MORE = ".."
"""What stands for the characters that were cut off, however many, even none."""


@dataclass(frozen=True)
class Beginnings:
    """The first characters of codes; values that are shorter stay as they are.

    >>> h = Beginnings(keep=(3, 1)).bind("atc", ["J01CA04", "J01", "J", "N02"])
    >>> h.labels[1], h.labels[2]
    (('J', 'J01..', 'N02..'), ('J..', 'N..'))
    """

    keep: Sequence[int]
    """How many characters each level keeps, fewer and fewer."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", tuple(self.keep))
        whole = all(isinstance(n, int) and not isinstance(n, bool) for n in self.keep)
        if not self.keep or not whole or min(self.keep) < 1 or any(
            low >= high for high, low in pairwise(self.keep)
        ):  # fmt: skip
            raise HierarchyError(
                f"{[*self.keep]} does not keep fewer and fewer characters",
                fix="Write how many characters each level keeps, such as [5, 3, 1].",
            )

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        leaves = sorted({v for v in values if v is not None})
        if odd := [v for v in leaves if v.endswith(MORE)]:
            raise unfit(
                name, where, f"{some(odd)} end(s) like a label, with {MORE}",
                "Correct these values in the data, or use a file.",
            )  # fmt: skip
        rows: list[Row] = [
            (v, *(v[:n] + MORE if len(v) >= n else v for n in self.keep), ANY) for v in leaves
        ]
        return Hierarchy.of(name, with_missing(rows, values, len(self.keep) + 2), where=where)
