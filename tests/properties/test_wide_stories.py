"""Composition on stories that draw everything at once, against all worlds.

Earlier releases whose labels overlap, a bill that some of them show and records are joined on,
people who come and leave, missing ages and illnesses, groups that overlap in the new release.
What was published is read anew here, and worlds are counted by code that shares nothing.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest

import hedgerow
from hedgerow.base.errors import HedgerowError
from hedgerow.claims import Composition

CLAIMS = range(80, 140)
"""Random claims that are tried, each by its seed; each mistake below makes one of them false."""
MORE = (*range(80), *range(140, 200))
"""More, in the slow suite; one in so many must be certified, for the test to mean much:"""
CERTIFIED = 6
METHODS: tuple[Any, ...] = (
    "lattice", "mondrian", "local", {"suppress": "20%"},
    {"suppress": "40%", "keep_suppressed": True}, {"search": "mondrian", "boxes": "taxonomy"},
)  # fmt: skip
QI = {"role": "quasi-identifier", "hierarchy": {"ranges": [2, 4]}}
Number = int | None
Shown = dict[str, str | None]


@dataclass(frozen=True)
class Person:
    x: Number
    y: int
    told: Shown
    """Illness and bill."""


@dataclass(frozen=True)
class Release:
    rows: list[tuple[tuple[str, str], Shown]]
    inside: list[bool]

    def fits(self, person: Person) -> set[tuple[str, str]]:
        labels = {label for label, _ in self.rows}
        return {(x, y) for x, y in labels if covers(x, person.x) and covers(y, person.y)}


def covers(label: str, value: Number) -> bool:
    """Whether a label covers a number; somebody whose number is missing is known to have none."""
    if label == "*":
        return True
    if label.startswith("{"):
        return any(covers("" if part == "missing" else part, value)
                   for part in re.split(", *", label[1:-1]))  # fmt: skip
    if value is None or not label:
        return value is None and not label
    low, _, high = label.partition("-")
    return int(low) <= value <= int(high or low)


def box(numbers: list[Number]) -> str:
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return "*" if known else ""
    return f"{min(known)}-{max(known)}"


def labels(random: Random, people: list[Person]) -> list[tuple[str, str]]:
    """How an earlier release shows them: cut in two, in boxes, or in windows that overlap."""
    how = random.choice(["cut", "cut", "boxes", "windows", "star"])
    if how == "boxes":
        part = [random.randrange(2) for _ in people]
        return [
            (box([p.x for p, g in zip(people, part, strict=True) if g == mine]),
             box([p.y for p, g in zip(people, part, strict=True) if g == mine])) for mine in part
        ]  # fmt: skip
    cut = random.choice([1, 2, 3])
    choices = {"cut": [(0, cut - 1), (cut, 3)], "windows": [(0, 2), (1, 3)], "star": []}[how]
    found = []
    for person in people:
        fitting = [f"{a}-{b}" for a, b in choices if person.x is not None and a <= person.x <= b]
        one = "" if person.x is None else random.choice(fitting or ["*"])
        found.append(("*" if how == "star" else one, "*"))
    return found


def possible(people: list[Person], releases: list[Release], one: int) -> set[str | None]:
    """The illnesses of one person, in all worlds: who has which record of each release."""
    ills = {row["ill"] for release in releases for _, row in release.rows}
    bills = {row.get("bill") for release in releases for _, row in release.rows} - {None} or {None}
    order = [*(i for i in range(len(people)) if i != one), one]
    worlds: dict[tuple[int, ...], set[str | None]] = {(0,) * len(releases): {None}}
    for i in order:
        after: dict[tuple[int, ...], set[str | None]] = {}
        for ill, bill in product(ills, bills):
            told = {"ill": ill, "bill": bill}
            ways = [
                [1 << r for r, (label, row) in enumerate(release.rows)
                 if label in release.fits(people[i]) and row.items() <= told.items()]
                if release.inside[i] else [0] for release in releases
            ]  # fmt: skip
            for taken, way in product(worlds, product(*ways)):
                if not any(a & b for a, b in zip(taken, way, strict=True)):
                    state = tuple(a | b for a, b in zip(taken, way, strict=True))
                    after.setdefault(state, set()).add(ill)
        worlds = after
    every = tuple((1 << len(release.rows)) - 1 for release in releases)
    return worlds.get(every, set()) - {None}


def story(seed: int, folder: Path) -> bool | None:
    """Whether everybody of a certified release keeps two illnesses; None where it is refused."""
    random = Random(seed)
    size, missing, billed = random.randint(5, 7), random.random() < 0.3, random.random() < 0.5
    values = ["a", "b", "c"] if random.random() < 0.5 else ["a", "b"]
    people = [
        Person(
            None if missing and random.random() < 0.2 else random.randrange(4),
            random.randrange(4),
            {"ill": None if missing and random.random() < 0.15 else random.choice(values)}
            | ({"bill": random.choice("uv")} if billed else {}),
        )
        for _ in range(size)
    ]
    columns = {"x": QI, "y": QI, "ill": "sensitive"} | ({"bill": "sensitive"} if billed else {})
    stays = random.random() < 0.5
    now = [stays or random.random() < 0.85 for _ in people]
    releases, paths = [], []
    for i in range(random.choice([1, 1, 2])):
        there = [stays or random.random() < 0.8 for _ in people]
        shown = ["ill", "bill"] if billed and random.random() < 0.8 else ["ill"]
        members = [p for p, inside in zip(people, there, strict=True) if inside]
        rows = [(label, {c: p.told[c] for c in shown})
                for label, p in zip(labels(random, members), members, strict=True)]  # fmt: skip
        releases.append(Release(rows, there))
        if len(rows) < 2 or sum(now) < 2:
            return None
        paths.append(str(folder / f"earlier{i}.csv"))
        pd.DataFrame([(*label, *row.values()) for label, row in rows],
                     columns=["x", "y", *shown]).to_csv(paths[-1], index=False)  # fmt: skip
        left, came = (
            [p for p, b, n in zip(people, there, now, strict=True) if (b, n) == which]
            for which in ((True, False), (False, True))
        )
        if any(one.told["ill"] == other.told["ill"] for one in left for other in came):
            return None  # who has the other's record nobody can know, and the certificate says so
    table = [(None if p.x is None else str(p.x), str(p.y), *p.told.values())
             for p, inside in zip(people, now, strict=True) if inside]  # fmt: skip
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hedgerow.publish(
                pd.DataFrame(table, columns=[*columns]), columns=columns,
                protect=[{"composition": {"confidence": 0.5, "of": "ill", "with": paths}}],
                method=random.choice(METHODS), one_row_per_person=True,
                to=str(folder / "second"), report=False,
            )  # fmt: skip
    except HedgerowError:
        return None
    written = pd.read_csv(folder / "second" / "data.csv", dtype=str, keep_default_na=False)
    shown = [column for column in columns if column not in ("x", "y")]
    rows = [((row["x"], row["y"]), {c: row[c] or None for c in shown})
            for row in written.to_dict("records")]  # fmt: skip
    new = Release(rows, now)
    new = Release(rows, [n and bool(new.fits(p)) for n, p in zip(now, people, strict=True)])
    if sum(new.inside) != len(rows):
        return None  # nobody knows who was suppressed
    return all(
        len(possible(people, [*releases, new], i)) >= 2
        for i, person in enumerate(people)
        if now[i] and person.told["ill"] is not None
    )


def stories(
    folder: Path, claims: Sequence[int] = CLAIMS, until: Callable[[bool], bool] = lambda _: False
) -> list[bool]:
    """Of each certified claim whether it is true; up to one that is looked for."""
    found: list[bool] = []
    for seed in claims:
        place = folder / str(seed)
        place.mkdir()
        true = story(seed, place)
        if true is not None:
            found.append(true)
            if until(true):
                break
    return found


@pytest.mark.parametrize("claims", [CLAIMS, pytest.param(MORE, marks=pytest.mark.slow)])
def test_no_certified_claim_leaves_anybody_a_single_value(
    tmp_path: Path, claims: Sequence[int]
) -> None:
    found = stories(tmp_path, claims)
    print(f"{len(found)} of {len(claims)} claims were certified")
    assert all(found)
    assert len(found) * CERTIFIED >= len(claims)


@pytest.mark.parametrize("mistake", ["count", "join"])
def test_a_mistake_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    """Not to count worlds, or not to join on the bill, certifies what is false."""
    if mistake == "count":
        monkeypatch.setattr(Composition, "_joined", lambda self, groups: None)
        monkeypatch.setattr("hedgerow.release.partition.maker.refuse_exposed", lambda *_: None)
    else:
        alone = lambda releases, of: [(of,)]  # noqa: E731
        monkeypatch.setattr("hedgerow.claims.joins.shared_columns", alone)
    assert not all(stories(tmp_path, until=lambda true: not true))
