"""What the engine that counts worlds says of a few groups written out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from hedgerow.claims.worlds.belief import believed
from hedgerow.claims.worlds.knowledge import Knowledge

Groups = Sequence[Mapping[str, int]]
"""Of a release: how many records of each group have each value."""
Places = Sequence[Sequence[int]]
"""Of each kind of people, the groups of a release that fit."""


def asked(
    releases: Sequence[Groups],
    fits: Sequence[Places],
    *,
    people: Sequence[int] | None = None,
    listed: bool = False,
    sure: bool = True,
    ruled_out: Sequence[Sequence[str]] | None = None,
) -> list[dict[str, Fraction]]:
    """What is believed of each kind of people, and only what is possible.

    Args:
        releases: The releases.
        fits: Of each release, the groups that fit each kind.
        people: How many there are of each kind; one where left out.
        listed: Whether every record belongs to somebody listed.
        sure: Whether whoever fits a group of a release is in it.
        ruled_out: Of each kind, what the attacker knows they do not have.
    """
    values = sorted({value for groups in releases for group in groups for value in group})
    counts = [[[group.get(v, 0) for v in values] for group in groups] for groups in releases]
    known = Knowledge.of_groups(counts, fits, people=people, listed=listed, sure=sure)
    if ruled_out is not None:
        weights = tuple(tuple(Fraction(v not in out) for v in values) for out in ruled_out)
        known = replace(known, weights=weights)
    found = believed(known)
    assert found.exact.all(), "the papers' examples are small"
    told = []
    for kind in range(len(fits[0])):
        between = [found.between(kind, v) for v in range(len(values))]
        assert all(low == high for low, high in between)
        told.append({v: low for v, (low, _) in zip(values, between, strict=True) if low})
    return told


def one(
    releases: Sequence[Groups], *places: int, ruled_out: Sequence[str] = ()
) -> dict[str, Fraction]:
    """What somebody believes who knows one person, and the group of each release that fits them."""
    return asked(releases, [[[place]] for place in places], ruled_out=[ruled_out])[0]
