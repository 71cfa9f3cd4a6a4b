"""Splits: how a table is cut in two, again and again, said so that any engine can follow it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Split:
    """One cut: people of a part whose leaf code on an axis is at most `behind` go left."""

    part: int
    """What is cut."""
    axis: int
    """The quasi-identifier, by its place."""
    behind: int
    """The last leaf code of the left side."""
    left: int
    right: int
    """The numbers of both sides; a part that was cut is no more."""


Tree = tuple[Split, ...]
"""Cuts, in order. Part 0 is everybody; both sides of a cut have numbers that are new."""


def leaves(tree: Iterable[Split]) -> list[int]:
    """The parts that were not cut, from left to right.

    >>> leaves([])
    [0]
    >>> first = Split(part=0, axis=1, behind=4, left=1, right=2)
    >>> leaves([first, Split(part=1, axis=0, behind=2, left=3, right=4)])
    [3, 4, 2]
    """
    cut = {split.part: split for split in tree}
    found, open_ = [], [0]
    while open_:
        part = open_.pop()
        if part in cut:
            open_ += [cut[part].right, cut[part].left]
        else:
            found.append(part)
    return found
