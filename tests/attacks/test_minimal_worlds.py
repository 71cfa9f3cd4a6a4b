"""Who knows that the publisher takes the best release: by hand, enumeration, random worlds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from minimal_tables import LEVELS, drawn_people, enumerated, searching, table
from statistical.chance import covers
from tables import flat

from hedgerow.attacks import minimal_worlds
from hedgerow.attacks.minimal_worlds import MinimalWorlds
from hedgerow.attacks.minimality import minimality
from hedgerow.table.groups import Groups


def share(worlds: MinimalWorlds, place: int, *, seed: int = 0) -> tuple[float, float] | None:
    """What is believed: HIV, of those who live in a place."""
    (of,) = np.flatnonzero(worlds.combinations[:, 0] == place)
    hiv = np.flatnonzero(worlds.records[:, 0] == 0).tolist()
    return worlds.believed(seed=seed).belief(int(of), hiv)


@pytest.mark.parametrize(
    ("sizes", "cases", "wanted"),
    [((2, 5), 2, (Fraction(1), Fraction(0))), ((3, 4), 3, (Fraction(9, 17), Fraction(6, 17)))],
)
def test_the_numbers_of_wong_and_others(
    sizes: tuple[int, int], cases: int, wanted: tuple[Fraction, Fraction]
) -> None:
    """FACTS, section E; and what `minimality.py` says of the same classes."""
    ill = {2: ["HIV", "HIV"], 3: ["HIV", "HIV", "HIV"]}[cases]
    values = ill + ["flu"] * (sum(sizes) - cases)
    people = list(zip("a" * sizes[0] + "b" * sizes[1], values, strict=True))
    worlds = MinimalWorlds(table(people, flat("place", ["a", "b"])), searching())
    found = worlds.believed()
    assert found.shares is not None
    hiv = int(np.flatnonzero(worlds.records[:, 0] == 0)[0])
    assert worlds.combinations[:, 0].tolist() == [0, 1]
    assert tuple(row[hiv] for row in found.shares) == wanted
    counts = [
        {value: [v for p, v in people if p == place].count(value) for value in ("HIV", "flu")}
        for place in "ab"
    ]
    special = minimality(
        Groups.of({"ill": [{v: n for v, n in one.items() if n} for one in counts]}),
        np.array([0, 0]), of="ill", l=2, values=["HIV"], recoding="global",
    )  # fmt: skip
    assert special.detail["highest_credibility"] == pytest.approx(float(max(wanted)))


@pytest.mark.parametrize("seed", range(30))
def test_all_worlds_of_three_levels(seed: int) -> None:
    people = drawn_people(seed, places="abcd", most=7)
    labels = [dict(zip("abcd", one, strict=True)) for one in (
        "abcd", ("ab", "ab", "cd", "cd"), "****"
    )]  # fmt: skip
    wanted = enumerated(people, labels, 0)
    if wanted is None:
        return
    worlds = MinimalWorlds(table(people, LEVELS), searching())
    compare(worlds, wanted)


@pytest.mark.parametrize("seed", range(30))
def test_all_worlds_with_people_who_are_suppressed(seed: int) -> None:
    people = drawn_people(seed, places="abc", most=6)
    labels = [{p: p for p in "abc"}, dict.fromkeys("abc", "*")]
    wanted = enumerated(people, labels, 2)
    if wanted is None or len(wanted) < 2:
        return
    worlds = MinimalWorlds(table(people, flat("place", list("abc"))), searching(2))
    compare(worlds, wanted)


def compare(worlds: MinimalWorlds, wanted: dict[str, Fraction]) -> None:
    found = worlds.believed()
    assert found.shares is not None
    hiv = np.flatnonzero(worlds.records[:, 0] == worlds.cells.sensitive[0].values.index("HIV"))
    assert len(found.shares) == len(wanted)
    for code, row in zip(worlds.combinations[:, 0].tolist(), found.shares, strict=True):
        place = str(worlds.cells.hierarchies[0].values[code])
        assert sum((row[int(r)] for r in hiv), Fraction(0)) == wanted[place], place


def test_that_it_minimises_is_not_forgotten() -> None:
    """The group's own share is another number, so a test that kept every world would fail."""
    people = list(zip("aabbbbb", ["HIV", "HIV", *["flu"] * 5], strict=True))
    worlds = MinimalWorlds(table(people, flat("place", ["a", "b"])), searching())
    found = worlds.believed()
    assert found.kept < found.looked_at
    assert share(worlds, 0) == (1.0, 1.0)


@pytest.mark.slow
def test_random_worlds_agree_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals hold in 95 % of cases; and would not, if all worlds were kept."""
    held, naive = [], []
    for seed in range(60):
        people = drawn_people(seed, places="ab", most=9)
        cells = table(people, flat("place", ["a", "b"]))
        try:
            worlds = MinimalWorlds(cells, searching())
            exact = share(worlds, 0)
        except Exception:
            continue
        if exact is None or worlds.published == ():
            continue
        monkeypatch.setattr(minimal_worlds, "MOST_WORLDS", 0)
        found = share(worlds, 0, seed=seed)
        monkeypatch.undo()
        if found is None or 0 in exact or 1 in exact:
            continue
        held.append(found[0] <= exact[0] <= found[1])
        one = worlds.published[0] == worlds.published[-1]
        group = [ill for place, ill in people if one or place == "a"]
        plain = Fraction(group.count("HIV"), len(group))
        naive.append(found[0] <= plain <= found[1])
    assert len(held) > 10
    assert covers(held)
    assert not all(naive)


def test_too_few_worlds_are_no_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimal_worlds, "MOST_WORLDS", 0)
    people = list(zip("a" * 4 + "b" * 16, ["HIV"] * 4 + ["flu"] * 16, strict=True))
    worlds = MinimalWorlds(table(people, flat("place", ["a", "b"])), searching())
    found = worlds.believed(seed=1)
    assert found.failure is not None
    assert "too few" in found.failure
    assert share(worlds, 0) is None
