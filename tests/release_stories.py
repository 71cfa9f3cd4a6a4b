"""Stories: a table that is published beside earlier releases of some of the same people.

What was published is read anew here, with no code of hedgerow, and people know who was where.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
from record_worlds import Puzzle, Release

import hedgerow
from hedgerow.base.errors import HedgerowError

Person = tuple[int, int, str]
METHODS: tuple[Any, ...] = ("lattice", "mondrian", "local", "lattice", {"suppress": "20%"})
QI = {"role": "quasi-identifier"}
COLUMNS: dict[str, Any] = {
    "x": QI | {"hierarchy": {"ranges": [2, 4]}},
    "y": QI | {"hierarchy": {"ranges": [2, 4]}},
    "ill": "sensitive",
}


def covers(label: str, value: int) -> bool:
    """Whether a published label covers a number; read anew, with no code of hedgerow."""
    if label == "*":
        return True
    low, _, high = label.partition("-")
    return int(low) <= value <= int(high or low)


def seen(
    rows: list[tuple[str, str, str]],
    people: list[Person],
    inside: list[bool],
    sure: list[bool],
) -> Release:
    """A published table, with who of these people knows to be in it."""
    groups = sorted({(x, y) for x, y, _ in rows})
    records = tuple((groups.index((x, y)), "abc".index(ill)) for x, y, ill in rows)
    fits = tuple(
        frozenset(g for g, (a, b) in enumerate(groups) if within and covers(a, x) and covers(b, y))
        for (x, y, _), within in zip(people, inside, strict=True)
    )
    return Release(records, (0, 1, 2), fits, tuple(sure), listed=True)


@dataclass(frozen=True)
class Story:
    """Some people, and releases of those who were there at the time."""

    people: list[Person]
    now: list[bool]
    """Who is in the table that is to be published."""
    earlier: tuple[Release, ...]
    paths: list[str]
    method: Any

    @property
    def before(self) -> Puzzle:
        """What is known without the new release."""
        return Puzzle(len(self.people), 3, self.earlier)

    def published(self, claim: dict[str, Any], folder: Path) -> Puzzle | None:
        """What is known with the new release; None where it is refused."""
        table = [person for person, inside in zip(self.people, self.now, strict=True) if inside]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                hedgerow.publish(
                    pd.DataFrame(table, columns=["x", "y", "ill"]), columns=COLUMNS,
                    method=self.method, protect=[claim], one_row_per_person=True,
                    to=str(folder / "second"), report=False,
                )  # fmt: skip
        except HedgerowError:
            return None
        written = pd.read_csv(folder / "second" / "data.csv", dtype=str)
        last = [tuple(row) for row in written[["x", "y", "ill"]].to_numpy().tolist()]
        suppressed = len(last) < len(table)
        new = seen(last, self.people, self.now, [here and not suppressed for here in self.now])
        return Puzzle(len(self.people), 3, (*self.earlier, new))


def told(random: Random, folder: Path, *, overlaps: bool = False) -> Story | None:
    """A story; None where it is not about a table beside releases that say who was in them.

    Args:
        random: Draws it.
        folder: For the earlier releases.
        overlaps: Whether labels of these may overlap; then everybody is in all of them.
    """
    stays = random.random() < 0.5 or overlaps
    size = random.randint(4, 6)
    people = [(random.randrange(4), random.randrange(4), random.choice("abc")) for _ in range(size)]
    now = [True] * size if stays else [random.random() < 0.85 for _ in range(size)]
    earlier, paths = [], []
    for i in range(random.choice([1, 1, 2])):
        before = [True] * size if stays else [random.random() < 0.8 for _ in range(size)]
        cut, by = random.choice([1, 2, 3]), random.randrange(2)
        left, came = (
            {(person[by] < cut, person[2]) for person, b, n in zip(people, before, now, strict=True)
             if (b, n) == which} for which in ((True, False), (False, True))
        )  # fmt: skip
        if left & came:  # who has the other's record nobody can know, and the certificate says so
            return None
        rows = []
        for person, inside in zip(people, before, strict=True):
            side = f"0-{cut - 1}" if person[by] < cut else f"{cut}-3"
            if overlaps and random.random() < 0.4:
                side = "0-3"
            if inside:
                rows.append((side, "*", person[2]) if by == 0 else ("*", side, person[2]))
        if len(rows) < 2 or sum(now) < 2:
            return None
        path = folder / f"earlier{i}.csv"
        pd.DataFrame(rows, columns=["x", "y", "ill"]).to_csv(path, index=False)
        paths.append(str(path))
        earlier.append(seen(rows, people, before, before))
    return Story(people, now, tuple(earlier), paths, random.choice(METHODS))
