"""Outside: what the attacks on groups say of people who are not in the release, and how rightly.

What is as true of them is common knowledge about such people, not a fact about those in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.base import Rate
from hedgerow.attacks.intersection import Intersection, Scored, intersect
from hedgerow.attacks.similarity import learned
from hedgerow.attacks.skewness import grown
from hedgerow.table.groups import Ints
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

Flags = NDArray[np.bool_]


def outside(
    attack: str, releases: Sequence[Published], control: Targets | None, *, of: str
) -> Rate | None:
    """How often the attack is right about those of the control who fit into the releases.

    None where the attack says nothing about them, their values are not known, or nobody fits.
    """
    if control is None or attack not in RIGHT or of not in control.columns:
        return None
    if not all(set(one.quasi) & {*control.columns} for one in releases):
        return None
    found = intersect(releases, control, of=of)
    said, right = RIGHT[attack](found, found.codes_of(control.column(of)))
    if not said.any():
        return None
    return Rate(successes=int((said & right).sum()), guesses=int(said.sum()))


def _homogeneity(found: Intersection, true: Ints) -> tuple[Flags, Flags]:
    return found.found, found.named & _possible(found, true)


def _background(found: Intersection, true: Ints) -> tuple[Flags, Flags]:
    """One value ruled out leaves theirs, as in the default of the attack."""
    known = true >= 0 if found.missing is None else (true >= 0) & (true != found.missing)
    return found.found, known & (found.posterior <= 2) & _possible(found, true)


def _intersection(found: Intersection, true: Ints) -> tuple[Flags, Flags]:
    return found.found, np.asarray((true >= 0) & (found.guesses == true))


def _skewness(found: Intersection, true: Ints) -> tuple[Flags, Flags]:
    """Only those who fit one group, of which a value is named, are spoken of."""
    group, one = _only(found)
    named = grown(found.releases[0].groups, of=found.of)
    said = one & (named[group] >= 0)
    return said, found.codes[0][named[group]] == true


def _similarity(found: Intersection, true: Ints) -> tuple[Flags, Flags]:
    group, one = _only(found)
    place = {int(code): i for i, code in enumerate(found.codes[0])}
    own = [place.get(code, -1) for code in true.tolist()]
    groups = learned(found.releases[0].groups, of=found.of)
    right = [g in groups and v >= 0 and bool(groups[g][v]) for g, v in zip(group, own, strict=True)]
    return one, one & np.array(right, np.bool_)


def _only(found: Intersection) -> tuple[Ints, Flags]:
    """The group of each person, and whether they fit no other."""
    located = found.located[0]
    one = np.asarray(located.count == 1)
    group = np.zeros(len(found), np.int64)
    group[one] = located.groups[located.start[:-1][one]]
    return group, one


def _possible(found: Intersection, true: Ints) -> Flags:
    return Scored.of(found, [None] * len(found), true).possible


RIGHT: Mapping[str, Callable[[Intersection, Ints], tuple[Flags, Flags]]] = {
    "homogeneity": _homogeneity,
    "background-knowledge": _background,
    "similarity": _similarity,
    "skewness": _skewness,
    "intersection": _intersection,
}
"""For each attack, whom of the control it speaks of, and about whom it is right."""
