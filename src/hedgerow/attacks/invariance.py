"""m-invariance: what later releases must keep so that nothing follows from comparing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.history import united
from hedgerow.claims.subtraction import UNSURE, whereabouts
from hedgerow.table.groups import Groups, Histogram
from hedgerow.table.location import Located


@dataclass(frozen=True, kw_only=True)
class Invariance:
    """How much of m-invariance a sequence of releases has."""

    m: int | None
    """The largest m for which the releases are m-invariant; 0 where there is none.

    None where that cannot be measured: nobody was found in two releases; or people may be in
    several groups, or groups have fewer records than people; or records of two releases are of
    people who are not listed, and who may be in both."""
    unique: tuple[int, ...]
    """For each release, the largest m for which it is m-unique; 0 where a value repeats."""
    surviving: int
    """People found in more than one release."""
    changed: int
    """Those of them whose group has other values in another release."""
    unsure: int
    """People who fit several groups of a release; they are not counted above."""
    crowded: int
    """Groups that more people fit than have records in them."""
    unlisted: tuple[int, ...]
    """For each release, records of people who are not listed, or made up."""


def m_invariance(releases: Sequence[Groups], located: Sequence[Located], *, of: str) -> Invariance:
    """Measure the m-invariance of releases of the same, changing table.

    A release is m-unique if every group has at least m records and all records of a group have
    different sensitive values. The signature of a group is the set of its sensitive values.
    Releases are m-invariant if each is m-unique and, for every person, the groups the person is
    in have the same signature in every release from the first with the person to the last.

    Guarantee: Whoever knows everybody's quasi-identifiers, and who is in which release, gives
        each possible value of a person the same belief, at most 1/m.
    Assumes: A person's sensitive value does not change, and people are not told apart from
        counterfeit records, where the publisher adds any.
    Reference: Xiao, Tao 2007 (SIGMOD): signature, m-uniqueness, m-invariance.

    Ann and Bob share a group both times; the group of Cem and Dan has changed its values:

    >>> from hedgerow.table.location import placed
    >>> one = Groups.of({"illness": [{"flu": 1, "gout": 1}, {"flu": 1, "acne": 1}]})
    >>> two = Groups.of({"illness": [{"flu": 1, "gout": 1}, {"gout": 1, "acne": 1}]})
    >>> both = [placed([0, 0, 1, 1]), placed([0, 0, 1, 1])]
    >>> found = m_invariance([one, two], both, of="illness")
    >>> found.m, found.unique, found.surviving, found.changed
    (0, (2, 2), 4, 2)
    >>> m_invariance([one, one], both, of="illness").m
    2

    Of Ann and Bob alone nothing follows for the others:

    >>> found = m_invariance([one, one], [placed([0, 0]), placed([0, 0])], of="illness")
    >>> found.m, found.unlisted
    (None, (2, 2))
    """
    values, histograms = united(releases, located, of=of)
    unique = tuple(
        int(g.n[g.n > 0].min()) if (h.counts == 1).all() else 0
        for g, h in zip(releases, histograms, strict=True)
    )
    held = np.concatenate([_present(h, len(values)) for h in histograms])
    _, signature = np.unique(np.packbits(held, axis=1), axis=0, return_inverse=True)
    signature = signature.reshape(-1)
    where = np.stack([whereabouts(where) for where in located], axis=1)
    offset = np.cumsum([0, *(len(g) for g in releases)])[:-1]
    shown = np.where(where >= 0, signature[np.where(where >= 0, where + offset, 0)], -1)
    highest = shown.max(axis=1, initial=-1)
    lowest = np.where(shown >= 0, shown, len(signature)).min(axis=1, initial=len(signature))
    surviving = (where >= 0).sum(axis=1) > 1
    changed = int((surviving & (highest != lowest)).sum())
    unsure = int((where == UNSURE).any(axis=1).sum())
    fit = [
        np.bincount(one.groups, minlength=len(g)) - g.n
        for one, g in zip(located, releases, strict=True)
    ]
    crowded = sum(int((more > 0).sum()) for more in fit)
    unlisted = tuple(int(-more[more < 0].sum()) for more in fit)
    m: int | None = 0
    if not changed and min(unique):
        # Somebody who is not listed may be in two releases only if two have such records.
        listed = sum(number > 0 for number in unlisted) < 2
        m = min(unique) if surviving.any() and listed and not (unsure or crowded) else None
    return Invariance(
        m=m,
        unique=unique,
        surviving=int(surviving.sum()),
        changed=changed,
        unsure=unsure,
        crowded=crowded,
        unlisted=unlisted,
    )


def _present(histogram: Histogram, width: int) -> NDArray[np.bool_]:
    """Groups by values: which group has which."""
    held = np.zeros((len(histogram.indptr) - 1, width), np.bool_)
    held[histogram.owner(), histogram.codes] = True
    return held
