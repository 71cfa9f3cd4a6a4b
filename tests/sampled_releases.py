"""Small random releases of people, as tables and as puzzles of plain Python.

What a table shows is worked out here, with no code of hedgerow, so that its readers can be held
against it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from random import Random

import pandas as pd
from record_worlds import Puzzle, Release, believed

Value = tuple[str, ...]
"""An illness, and a bill where the releases show it."""
LABELS = {"0-1": (0, 1), "2-3": (2, 3), "1-2": (1, 2), "0-3": (0, 3), "3-3": (3, 3), "0-2": (0, 2)}
APART = (("0-1", "2-3"), ("0-2", "3-3"), ("0-3",))
OVERLAPPING = (("0-1", "1-2", "2-3"), ("0-2", "2-3"), ("0-3", "1-2"))


@dataclass(frozen=True, eq=False)
class Sample:
    """People, and releases about them."""

    people: tuple[tuple[int, int, Value], ...]
    """On the list: x, y, and what they have."""
    tables: tuple[pd.DataFrame, ...]
    values: tuple[Value, ...]
    puzzle: Puzzle
    """What somebody knows who has the list; presence is as in `presence`."""
    apart: bool
    """Whether everybody fits one group of each release, at most."""
    complete: bool
    """Whether everybody on the list is in every release, and nobody else."""
    joined: bool

    @property
    def register(self) -> pd.DataFrame:
        """The list without what nobody should know."""
        rows = [(f"p{i}", x, y) for i, (x, y, _) in enumerate(self.people)]
        return pd.DataFrame(rows, columns=["name", "x", "y"]).astype(str)

    @property
    def truth(self) -> pd.DataFrame:
        return self.register.assign(ill=[value[0] for _, _, value in self.people])

    def listed(self, person: int) -> dict[str, Fraction] | None:
        """What somebody believes who has the list; None where it contradicts the releases."""
        worlds, found = believed(self.presence(person))
        return self.by_illness(found[person]) if worlds else None

    def presence(self, person: int) -> Puzzle:
        """Whoever fits is in a release, if it has room for them; else only this person is."""
        made = []
        for release in self.puzzle.releases:
            fitting = sum(map(bool, release.fits))
            room = fitting <= len(release.records)
            sure = tuple(
                bool(fits) and (room or i == person) for i, fits in enumerate(release.fits)
            )
            made.append(replace(release, sure=sure, listed=fitting >= len(release.records)))
        return replace(self.puzzle, releases=tuple(made))

    def alone(self, person: int) -> dict[str, Fraction]:
        """What somebody believes who knows this person alone."""
        releases = tuple(
            Release(r.records, r.looks, (r.fits[person],), (bool(r.fits[person]),), listed=False)
            for r in self.puzzle.releases
        )
        _, found = believed(Puzzle(1, len(self.values), releases))
        return self.by_illness(found[0])

    def by_illness(self, shares: list[Fraction]) -> dict[str, Fraction]:
        found: dict[str, Fraction] = {}
        for value, share in zip(self.values, shares, strict=True):
            if share:
                found[value[0]] = found.get(value[0], Fraction(0)) + share
        return found


@lru_cache(maxsize=512)
def sampled(seed: int, *, releases: int = 2, people: int = 5) -> Sample:
    """Some people and releases, drawn: with overlaps, absent people and strangers at times."""
    random = Random(seed)
    joined = releases > 1 and random.random() < 0.3
    size = random.randint(3, min(people, 4) if joined else people)
    apart, how = random.random() < 0.6, random.choice(["all", "all", "all", "absent", "stranger"])
    drawn = [
        (random.randrange(4), random.randrange(4),
         (random.choice("abc"), *([random.choice("12")] if joined else [])))
        for _ in range(size)
    ]  # fmt: skip
    values = tuple(sorted({value for _, _, value in drawn}))
    on_list = drawn[:-1] if how == "stranger" else drawn
    tables, made = [], []
    for place in range(releases):
        labels = random.choice(APART if apart else OVERLAPPING)
        by = random.randrange(2)
        rows = []
        for i, person in enumerate(drawn):
            if how == "absent" and place == releases - 1 and i == 0:
                continue
            fits = [one for one in labels if LABELS[one][0] <= person[by] <= LABELS[one][1]]
            if fits:
                rows.append((random.choice(fits), person[2]))
        if not rows:
            rows.append((labels[0], drawn[-1][2]))
        shown = [("*" if by else label, label if by else "*", *value) for label, value in rows]
        columns = ["x", "y", "ill", *(["bill"] if joined else [])]
        tables.append(pd.DataFrame(shown, columns=columns))
        groups = sorted({label for label, _ in rows})
        made.append(
            Release(
                tuple((groups.index(label), values.index(value)) for label, value in rows),
                tuple(range(len(values))),
                tuple(
                    frozenset(g for g, one in enumerate(groups)
                              if LABELS[one][0] <= person[by] <= LABELS[one][1])
                    for person in on_list
                ),
                (True,) * len(on_list),
                listed=True,
            )
        )  # fmt: skip
    puzzle = Puzzle(len(on_list), len(values), tuple(made))
    here = all(all(r.fits) and len(r.records) == len(on_list) for r in made)
    return Sample(
        tuple(on_list), tuple(tables), values, puzzle,
        all(len(fits) <= 1 for r in made for fits in r.fits),
        how == "all" and here, joined,
    )  # fmt: skip
