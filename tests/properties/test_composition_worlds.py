"""No certified composition claim leaves anybody a single value, by enumeration of all worlds."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import release_stories
from record_worlds import Puzzle, owned

from hedgerow.claims import Composition
from hedgerow.claims.worlds.exchanges import Whereabouts, exchangeable
from hedgerow.claims.worlds.table_world import TableWorld
from hedgerow.table.groups import Groups
from hedgerow.table.location import placed

CLAIMS = range(170)
"""Random claims that are tried, each by its seed, and"""
MORE = range(170, 500)
"""more in the slow suite; one in so many must be certified, for the test to mean much:"""
CERTIFIED = 5


def fewest(puzzle: Puzzle) -> int:
    """The fewest values that are possible for anybody."""
    possible: list[set[int]] = [set() for _ in range(puzzle.people)]
    for values in product(range(puzzle.values), repeat=puzzle.people):
        if all(owned(puzzle, release, values) for release in puzzle.releases):
            for person, value in enumerate(values):
                possible[person].add(value)
    return min(map(len, possible))


def story(seed: int, folder: Path) -> int | None:
    """Publish a release of some people beside earlier ones; what that leaves, if certified.

    Only where the earlier ones alone leave everybody two values.
    """
    found = release_stories.told(Random(seed), folder)
    if found is None or fewest(found.before) < 2:
        return None  # the earlier releases give somebody away, maybe one who left
    claim = {"composition": {"confidence": 0.5, "with": found.paths}}
    after = found.published(claim, folder)
    return None if after is None else fewest(after)


@pytest.mark.parametrize("claims", [CLAIMS, pytest.param(MORE, marks=pytest.mark.slow)])
def test_no_certified_claim_leaves_anybody_a_single_value(tmp_path: Path, claims: range) -> None:
    certified, broken = 0, []
    for seed in claims:
        folder = tmp_path / str(seed)
        folder.mkdir()
        left = story(seed, folder)
        if left is not None:
            certified += 1
            if left < 2:
                broken.append(seed)
    print(f"{certified} of {len(claims)} claims were certified")
    assert not broken
    assert certified * CERTIFIED >= len(claims)


def test_a_claim_that_does_not_count_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Intersecting the values of groups is not enough, and this test notices it."""
    monkeypatch.setattr(Composition, "_joined", lambda self, groups: None)
    monkeypatch.setattr("hedgerow.release.partition.maker.refuse_exposed", lambda *_: None)
    for seed in CLAIMS:
        folder = tmp_path / str(seed)
        folder.mkdir()
        if story(seed, folder) == 1:
            return
    pytest.fail("no claim was refuted")


@pytest.mark.parametrize("releases", [1, 2, 3])
def test_exchanges_are_possible_and_nearly_all_there_is(releases: int) -> None:
    """Whoever truly has two values is nearly always shown to have two."""
    two, shown = 0, 0
    for seed in range(400):
        random = Random(1000 * releases + seed)
        people, values = random.randint(2, 7), random.randint(2, 3)
        lowest = -1 if random.random() < 0.3 else 0
        place = [[random.randrange(lowest, 3) for _ in range(releases)] for _ in range(people)]
        truth = [random.randrange(values) for _ in range(people)]

        def told(world: tuple[int, ...], place: list[list[int]] = place) -> list[Any]:
            return [
                sorted(
                    (where[r], v) for where, v in zip(place, world, strict=True) if where[r] >= 0
                )
                for r in range(releases)
            ]

        published = told(tuple(truth))
        truly: list[set[int]] = [set() for _ in range(people)]
        for world in product(range(values), repeat=people):
            if told(world) == published:
                for person, value in enumerate(world):
                    truly[person].add(value)
        where = Whereabouts(np.array(place))
        found = exchangeable(where, np.array(truth), np.arange(values))
        for person in range(people):
            proven = set(np.flatnonzero(found[person]).tolist())
            assert proven <= truly[person]
            two += len(truly[person]) > 1
            shown += len(truly[person]) > 1 and len(proven) > 1
    assert releases == 1 or shown >= 0.98 * two > 100


def choices(fit: list[int], own: list[int], records: dict[tuple[int, int], int]) -> Any:
    """Every way in which as many people as there are records may have been in a release."""
    wanted: dict[tuple[int, int], list[int]] = {}
    for person, pair in enumerate(zip(fit, own, strict=True)):
        wanted.setdefault(pair, []).append(person)
    ways = [
        list(combinations(people, min(len(people), records.get(pair, 0))))
        for pair, people in wanted.items()
    ]
    for way in product(*ways):
        inside = {person for people in way for person in people}
        yield [g if person in inside else -1 for person, g in enumerate(fit)]


@pytest.mark.parametrize("seed", range(300))
def test_a_table_that_grew_is_counted_for_every_choice(seed: int) -> None:
    """Never more values than are possible whoever of those who fit was in the earlier release."""
    random = Random(seed)
    people, values = random.randint(3, 6), random.randint(2, 3)
    own = [random.randrange(values) for _ in range(people)]
    fit = [random.randrange(2) for _ in range(people)]
    new = [random.randrange(random.choice([1, 2])) for _ in range(people)]
    records: dict[tuple[int, int], int] = {}
    for person in range(people):
        if random.random() < 0.7:
            records[fit[person], own[person]] = records.get((fit[person], own[person]), 0) + 1
    if random.random() < 0.3:
        gone = random.randrange(2), random.randrange(values)
        records[gone] = records.get(gone, 0) + 1
    earlier = Groups.of(
        {"ill": [{"abc"[v]: n for (h, v), n in records.items() if h == g} for g in range(2)]},
        order={"ill": list("abc")},
    )
    world = TableWorld.of_table(
        ("ill",), [(("ill",), earlier)], [placed(fit)], {"ill": ["abc"[v] for v in own]},
        np.arange(people),
    )  # fmt: skip
    found = world.left(np.array(new, np.int64), least=2)
    for before in choices(fit, own, records):
        rest = dict(records)
        for person, g in enumerate(before):
            if g >= 0:
                rest[g, own[person]] -= 1
        others = [pair for pair, n in rest.items() for _ in range(n)]
        where = [*zip(before, new, strict=True), *((g, -1) for g, _ in others)]
        truth = [*own, *(v for _, v in others)]

        def told(
            values_of: tuple[int, ...], where: list[tuple[int, int]] = where
        ) -> list[list[tuple[int, int]]]:
            return [
                sorted((w[r], v) for w, v in zip(where, values_of, strict=True) if w[r] >= 0)
                for r in range(2)
            ]

        published = told(tuple(truth))
        possible: list[set[int]] = [set() for _ in truth]
        for world_values in product(range(values), repeat=len(truth)):
            if told(world_values) == published:
                for person, value in enumerate(world_values):
                    possible[person].add(value)
        for person in range(people):
            assert found[person] <= len(possible[person]), (before, person)
