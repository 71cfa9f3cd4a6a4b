"""No certified bound on beliefs is exceeded, by enumeration of all worlds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from record_worlds import Puzzle, believed
from release_stories import told

from hedgerow.claims import BeliefBound
from hedgerow.claims.worlds.place_belief import PlacedPeople

CLAIMS = range(230)
"""Random claims that are tried, each by its seed, and"""
ALL = range(700)
"""all of them in the slow suite; one in so many must be certified, for the test to mean much:"""
CERTIFIED = 7
LIMITS = ("0.6", "0.75", "0.9", "0.95")
PRIORS: tuple[dict[str, float] | None, ...] = (None, {"a": 0.625, "b": 0.25, "c": 0.125})
Shares = tuple[Fraction, ...]


def alone(puzzle: Puzzle, person: int, prior: Shares) -> Fraction:
    """The belief in the likeliest value of a person by the groups they are in, wherever that is."""
    inside = [release for release in puzzle.releases if release.sure[person]]
    largest = Fraction(0)
    for place in product(*(release.fits[person] for release in inside)):
        shares = [share ** (1 - len(inside)) for share in prior]
        for release, own in zip(inside, place, strict=True):
            shares = [
                share * sum(group == own and look == v for group, look in release.records)
                for v, share in enumerate(shares)
            ]
        if any(shares):
            largest = max(largest, max(shares) / sum(shares))
    return largest


def story(seed: int, folder: Path) -> tuple[Fraction, Fraction] | None:
    """Publish a release beside earlier ones; the largest belief and its bound, if certified.

    Only where the earlier ones alone keep the bound, for somebody who knows one person.
    """
    random = Random(seed)
    found = told(random, folder, overlaps=seed % 4 == 3)
    if found is None:
        return None
    limit, knows = random.choice(LIMITS), random.choice(["everybody", "everybody", "person"])
    shape = random.choice(PRIORS)
    claim: dict[str, Any] = {"at_most": float(limit), "knows": knows, "with": found.paths}
    prior = (Fraction(1, 3),) * 3
    if shape is not None:
        claim["prior"] = {"shape": shape}
        prior = tuple(Fraction(shape[value]) for value in "abc")
    there = [i for i in range(found.before.people) if found.now[i]]
    if max(alone(found.before, i, prior) for i in there) > Fraction(limit):
        return None
    after = found.published({"belief": claim}, folder)
    if after is None:
        return None
    # Suppressed people fit no group that was published.
    new = after.releases[-1]
    new = replace(new, sure=tuple(map(bool, new.fits)))
    after = replace(after, releases=(*found.earlier, new))
    here = [i for i in range(after.people) if new.sure[i]]
    largest = Fraction(0)
    for i in here:
        largest = max(largest, alone(after, i, prior))
        largest = max(largest, alone(replace(after, releases=(new,)), i, prior))
    if knows == "everybody":
        weights = (prior,) * after.people
        _, known = believed(replace(after, weights=weights))
        _, before = believed(replace(found.before, weights=weights))
        for i in range(after.people):
            if i in here or max(known[i]) > max(before[i]):
                largest = max(largest, *known[i])
    return largest, Fraction(limit)


def stories(folder: Path, claims: range = CLAIMS) -> Iterator[tuple[int, bool]]:
    """Each claim that was certified, and whether it is true."""
    for seed in claims:
        place = folder / str(seed)
        place.mkdir()
        found = story(seed, place)
        if found is not None:
            yield seed, found[0] <= found[1]


@pytest.mark.parametrize("mistake", ["count", "join", "earlier", "prior"])
def test_a_mistake_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    """Each attacker is needed: without one of them, some certified claim is false."""
    alone, listed = PlacedPeople.likeliest_alone, PlacedPeople.likeliest_listed

    def uncounted(self: PlacedPeople, column: Any, enough: Fraction) -> Any:
        found = alone(self, column)
        return replace(listed(self, column, enough), most=found)

    def unjoined(self: PlacedPeople, column: Any) -> Any:
        return listed(self, column, Fraction(1)).most

    if mistake == "count":
        monkeypatch.setattr(PlacedPeople, "likeliest_listed", uncounted)
    elif mistake == "join":
        monkeypatch.setattr(PlacedPeople, "likeliest_alone", unjoined)
    elif mistake == "prior":
        monkeypatch.setattr("hedgerow.claims.priors.Prior.shares", lambda self, domain: None)
    else:
        monkeypatch.setattr(BeliefBound, "_joined", lambda self, groups: None)
        monkeypatch.setattr("hedgerow.release.partition.maker.refuse_believed", lambda *_: {})
    assert not all(true for _, true in stories(tmp_path))


@pytest.mark.parametrize("claims", [CLAIMS, pytest.param(ALL, marks=pytest.mark.slow)])
def test_no_certified_bound_is_exceeded(tmp_path: Path, claims: range) -> None:
    certified = dict(stories(tmp_path, claims))
    print(f"{len(certified)} of {len(claims)} claims were certified")
    assert all(certified.values()), certified
    assert len(certified) * CERTIFIED >= len(claims)
