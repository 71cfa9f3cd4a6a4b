"""Control group: what attacks say of people who are not in the release, and how rightly.

What is as true of them is common knowledge about such people, not a fact about those in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.base import Rate
from hedgerow.attacks.intersection import Intersection, Scored, intersect
from hedgerow.table.groups import Ints
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

Flags = NDArray[np.bool_]
Right = Callable[[Intersection, Ints], tuple[Flags, Flags]]
"""From where people fit, and their true values: of whom something is said, and who has it."""


def control_rate(
    right: Right, releases: Sequence[Published], control: Targets | None, *, of: str
) -> Rate | None:
    """How often an attack is right about those of the control who fit into the releases.

    None where there is no control, their values are not known, or nobody is spoken of.
    """
    if control is None or of not in control.columns:
        return None
    if not all(set(one.quasi) & {*control.columns} for one in releases):
        return None
    found = intersect(releases, control, of=of)
    said, so = right(found, found.codes_of(control.column(of)))
    if not said.any():
        return None
    return Rate(successes=int((said & so).sum()), guesses=int(said.sum()))


def only_group(found: Intersection) -> tuple[Ints, Flags]:
    """The group of each person in the first release, and whether they fit no other."""
    located = found.located[0]
    one = np.asarray(located.count == 1)
    group = np.zeros(len(found), np.int64)
    group[one] = located.groups[located.start[:-1][one]]
    return group, one


def possible(found: Intersection, true: Ints) -> Flags:
    """Whose true value is among those that are left."""
    return Scored.of(found, [None] * len(found), true).possible
