"""A random table of people and a random plan for it: plain Python, nothing of hedgerow.

The tables are small and nasty: people with several rows, several spellings of one value, missing
values, labels that overlap, two sensitive columns. The truth (who has which rows) stays here, so
that a claim about the published file can be held against it.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

TREE = {"Europe": {"West": ["France", "Spain"], "East": ["Poland"]}, "Asia": ["Japan", "Korea"]}
ILLNESSES = ("flu", "HIV+", "HIV-", "ulcer", "angina pectoris", "Ménière")
SPELLINGS: dict[str, tuple[str, ...]] = {
    "flu": ("flu", "Flu", "FLU", "flu."),
    "angina pectoris": ("angina pectoris", "angina  pectoris", "Angina Pectoris"),
    "Ménière": ("Ménière", "Me\u0301nie\u0300re"),
}
FLUS = list(SPELLINGS["flu"])
GRADES = ("low", "medium", "high")


@dataclass(frozen=True)
class Person:
    """One person of the table: what tells them apart, and the sensitive values of each row."""

    key: str
    name: str
    quasi: dict[str, str]
    rows: tuple[dict[str, str], ...]
    wish: str = ""


@dataclass
class World:
    """A table, the plan for it, and what is true of the people in it."""

    seed: int
    people: list[Person]
    columns: dict[str, dict[str, Any]]
    """What the plan says of each column."""
    kinds: dict[str, str]
    """How the labels of each quasi-identifier are read."""
    plan: dict[str, Any]
    files: dict[str, list[list[str]]] = field(default_factory=dict)
    """Hierarchies, populations and the like: name -> lines."""
    known: frozenset[str] = frozenset()
    """Keys of people whose records some attacker holds, where a claim is about such a one."""
    others: list[dict[str, str]] = field(default_factory=list)
    """Quasi-identifiers of everybody in the outside population, where the plan has one."""

    @property
    def quasi(self) -> list[str]:
        return [name for name, said in self.columns.items() if said["role"] == "quasi-identifier"]

    @property
    def sensitive(self) -> list[str]:
        return [name for name, said in self.columns.items() if said["role"] == "sensitive"]

    def records(self) -> list[tuple[Person, dict[str, str]]]:
        """Every row of the source with the person it is about."""
        return [(person, row) for person in self.people for row in person.rows]

    def write(self, folder: Path) -> Path:
        """Write source, plan and what the plan names; the plan's path."""
        records = self.records()
        random.Random(self.seed).shuffle(records)
        with (folder / "source.csv").open("w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow(self.columns)
            for person, row in records:
                known = {"pid": person.key, "name": person.name, "wish": person.wish}
                cells = {**known, **person.quasi, **row}
                lines.writerow([cells[name] for name in self.columns])
        for name, rows in self.files.items():
            with (folder / name).open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)
        path = folder / "plan.yaml"
        path.write_text(as_yaml(self.plan), "utf-8")
        return path


def as_yaml(value: Any) -> str:
    """The plan as YAML: JSON is YAML, one key a line so that messages name a line."""
    import json

    return "".join(
        f"{key}: {json.dumps(part, ensure_ascii=False)}\n" for key, part in value.items()
    )


def draw(seed: int) -> World:
    """The world of a seed."""
    rng = random.Random(seed)
    if rng.random() < 0.08:
        return _divided(seed, rng)
    several = rng.random() < 0.35
    columns: dict[str, dict[str, Any]] = {}
    kinds: dict[str, str] = {}
    files: dict[str, list[list[str]]] = {}
    if several or rng.random() < 0.5:
        columns["pid"] = {"role": "identifier"}
    if rng.random() < 0.3:
        columns["name"] = {"role": "identifier"}
    makers = rng.sample(QUASI, rng.choice((1, 2, 2, 3)))
    quasi: dict[str, Callable[[random.Random], str]] = {}
    for make in makers:
        name, said, kind, value = make(rng)
        columns[name] = {"role": "quasi-identifier", **said}
        kinds[name], quasi[name] = kind, value
    sensitive: dict[str, Callable[[random.Random], str]] = {}
    for make in rng.sample(SENSITIVE, rng.choice((1, 1, 1, 2))):
        name, said, value, more = make(rng)
        columns[name] = {"role": "sensitive", **said}
        sensitive[name] = value
        files |= more
    if rng.random() < 0.15:
        columns["ward"] = {"role": "insensitive"}
    gaps = rng.random() < 0.15
    most = rng.choice((2, 3)) if several else 1
    people = []
    for number in range(rng.randint(5, 40)):
        tells = {name: value(rng) for name, value in quasi.items()}
        if gaps and rng.random() < 0.2:
            tells[rng.choice(list(tells))] = ""
        first = {name: value(rng) for name, value in sensitive.items()}
        rows = []
        for _ in range(rng.randint(1, most)):
            here = first if rng.random() < 0.5 else {n: v(rng) for n, v in sensitive.items()}
            rows.append(here | ({"ward": rng.choice("ABC")} if "ward" in columns else {}))
        key = f"P{number:04d}"
        people.append(Person(key, rng.choice(NAMES), tells, tuple(rows)))
    world = World(seed, people, columns, kinds, {}, files)
    _plan(world, rng, several=several, most=most)
    return world


def _divided(seed: int, rng: random.Random) -> World:
    """One country is large; the others are small, and have the illness that it wants protected.

    Then small countries share a group that the large one fits as well, and what is claimed of the
    group for those who are in it says nothing of those who only fit it.
    """
    countries = rng.sample(["France", "Spain", "Poland", "Japan", "Korea"], 4)
    illnesses = rng.sample(ILLNESSES, 3)
    people = []
    for number in range(rng.randint(12, 40)):
        small = rng.random() < 0.3
        value = illnesses[small] if rng.random() < 0.8 else rng.choice(illnesses)
        tells = {"country": rng.choice(countries[1:]) if small else countries[0]}
        tells["sex"] = rng.choice("FM")
        wish = illnesses[2] if small else illnesses[1]
        key, name = f"P{number:04d}", rng.choice(NAMES)
        people.append(Person(key, name, tells, ({"illness": value},), wish))
    columns = {
        "wish": {"role": "identifier"},
        "country": {"role": "quasi-identifier", "hierarchy": {"taxonomy": TREE}},
        "sex": {"role": "quasi-identifier"},
        "illness": {"role": "sensitive"},
    }
    adversary = {"class": "III", "prior": {"shape": dict.fromkeys(illnesses, 1)}}
    claim = {"epsilon": rng.choice((1.3, 1.5, 2)), "of": "illness", "adversary": adversary}
    world = World(seed, people, columns, {"country": "tree", "sex": "text"}, {})
    if rng.random() < 0.3:
        adversary["knows"] = _listed(world, rng)
    if rng.random() < 0.2:
        _overlapping_ages(world, rng)
    world.plan = {
        "source": "source.csv",
        "columns": columns,
        "protect": [{"epsilon-privacy": claim | {"wishes": "wish"}}, {"k-anonymity": 3}],
        "method": rng.choice(METHODS[:5])(rng),
        "publish": {"to": "release"},
    }
    return world


def _overlapping_ages(world: World, rng: random.Random) -> None:
    """Ages in bands whose ends overlap, and some people whose age is a band already."""
    ages = {person.key: str(rng.choice((20, 25, 30, 35, 40))) for person in world.people}
    world.people[:] = [
        replace(p, quasi={**p.quasi, "age": ages[p.key] if rng.random() < 0.8 else "20-30"})
        for p in world.people
    ]
    bands = {"20": "20-30", "25": "20-30", "20-30": "20-30"}
    lines = [[age, bands.get(age, "30-40")] for age in (*sorted(set(ages.values())), "20-30")]
    world.files["ages.csv"] = lines
    del world.columns["country"], world.kinds["country"]
    world.columns["age"] = {"role": "quasi-identifier", "hierarchy": "ages.csv"}
    world.kinds["age"] = "number"


NAMES = ("Ann Lee", "Bo Ek", "Cy Dow", "Di Fox", "Ed Gay", "Flo Hay")


def _zip(rng: random.Random) -> tuple[str, dict[str, Any], str, Callable[[random.Random], str]]:
    codes = [f"{rng.choice('12')}{rng.choice('345')}{rng.choice('67')}" for _ in range(5)]
    return "zip", {"hierarchy": {"prefix": 3}}, "prefix", lambda r: r.choice(codes)


def _age(rng: random.Random) -> tuple[str, dict[str, Any], str, Callable[[random.Random], str]]:
    said = rng.choice(
        ({"hierarchy": {"ranges": [5, 10, 20]}}, {"hierarchy": {"bins": [[18, 30, 65], [65]]}}, {})
    )
    ages = [rng.randint(10, 79) for _ in range(rng.choice((3, 8, 20)))]
    return "age", said, "number", lambda r: str(r.choice(ages))


def _sex(rng: random.Random) -> tuple[str, dict[str, Any], str, Callable[[random.Random], str]]:
    return "sex", {}, "text", lambda r: r.choice("FM")


def _country(rng: random.Random) -> tuple[str, dict[str, Any], str, Callable[[random.Random], str]]:
    leaves = ["France", "Spain", "Poland", "Japan", "Korea"]
    return "country", {"hierarchy": {"taxonomy": TREE}}, "tree", lambda r: r.choice(leaves)


def _born(rng: random.Random) -> tuple[str, dict[str, Any], str, Callable[[random.Random], str]]:
    days = [f"19{rng.randint(60, 79)}-{rng.randint(1, 12):02d}-11" for _ in range(6)]
    said = {"hierarchy": {"dates": ["month", "quarter", "year", "decade"]}}
    return "born", said, "date", lambda r: r.choice(days)


QUASI = (_zip, _age, _sex, _country, _born)
Sensitive = tuple[str, dict[str, Any], Callable[[random.Random], str], dict[str, list[list[str]]]]


def _illness(rng: random.Random) -> Sensitive:
    names = rng.sample(ILLNESSES, rng.randint(2, 5))
    spelled = rng.random() < 0.5
    said: dict[str, Any] = {}
    if spelled and rng.random() < 0.5:
        said = rng.choice(({"spelling": "one"}, {"spelling": "one"}, {"distinct": FLUS}))

    def value(r: random.Random) -> str:
        name = r.choice(names)
        return r.choice(SPELLINGS.get(name, (name,))) if spelled else name

    return "illness", said, value, {}


def _score(rng: random.Random) -> Sensitive:
    numbers = [str(rng.choice((1, 2, 5, 9, 10, 20, 100))) for _ in range(rng.randint(2, 5))]
    if rng.random() < 0.5:
        return "score", {}, lambda r: r.choice(numbers), {}
    lines = [[n, "small" if int(n) < 10 else "large", "*"] for n in sorted(set(numbers))]
    rng.shuffle(lines)
    said = {"hierarchy": "score_levels.csv"}
    return "score", said, lambda r: r.choice(numbers), {"score_levels.csv": lines}


def _grade(rng: random.Random) -> Sensitive:
    said = {"order": list(GRADES)} if rng.random() < 0.6 else {}
    return "grade", said, lambda r: r.choice(GRADES), {}


SENSITIVE = (_illness, _illness, _score, _grade)


def _plan(world: World, rng: random.Random, *, several: bool, most: int) -> None:
    """Claims, a method and how rows are people, drawn for the world's columns."""
    plan: dict[str, Any] = {"source": "source.csv", "columns": world.columns}
    one = not several or all(len(person.rows) == 1 for person in world.people)
    if several and rng.random() < 0.9:
        plan["person"] = "pid"
        rows = rng.choice(("one", f"at most {most}", None))
        if rows is not None:
            plan["rows"] = rows
        if rows == "one":
            for name in world.sensitive + (["ward"] if "ward" in world.columns else []):
                world.columns[name]["within_person"] = rng.choice(("smallest", "largest"))
    elif one and rng.random() < 0.3:
        plan["one_row_per_person"] = True
    search = rng.choice(METHODS)(rng)
    makers = CLAIMS if search["search"] == "lattice" else CLAIMS[:-1]
    if search["search"] == "cells" and rng.random() < 0.5:
        makers = (_candidates,)
    protect = [rng.choice(makers)(world, rng) for _ in range(rng.choice((1, 1, 2, 3)))]
    if search["search"] == "microaggregation":
        protect.append({"k-anonymity": rng.randint(2, 4)})
    plan["protect"] = protect
    plan["method"] = search
    plan["publish"] = {"to": "release"}
    world.plan = plan


METHODS: tuple[Callable[[random.Random], dict[str, Any]], ...] = (
    lambda r: {"search": "lattice", "suppress": r.choice(("0%", "10%", "40%"))},
    lambda r: {"search": "lattice", "suppress": "40%"},
    lambda r: {"search": "lattice", "suppress": "50%", "keep_suppressed": True},
    lambda r: {"search": "local", "suppress": r.choice(("0%", "20%"))},
    lambda r: {"search": "mondrian", "boxes": r.choice(("ranges", "taxonomy"))},
    lambda r: {"search": "mondrian", "mode": "relaxed", "boxes": r.choice(("ranges", "taxonomy"))},
    lambda r: {"search": "microaggregation"},
    lambda r: {"search": "cells", "suppress": r.choice(("0%", "20%"))},
    lambda r: {"search": "cells"},
)
Claim = dict[str, Any]


def _of(world: World, rng: random.Random) -> str:
    return rng.choice(world.sensitive)


def _anonymity(world: World, rng: random.Random) -> Claim:
    drawn = rng.random()
    over: dict[str, Any] = {"over": "all"} if drawn < 0.1 else {}
    if drawn > 0.7:
        over["knows"] = rng.choice((1, [[name] for name in world.quasi], [world.quasi[:2]]))
    return {"k-anonymity": {"k": rng.randint(2, 5), **over}}


def _candidates(world: World, rng: random.Random) -> Claim:
    kind = rng.choice(("global", "both", "records", "people"))
    return {"k-candidates": {"k": rng.randint(2, 5), "kind": kind}}


def _diversity(world: World, rng: random.Random) -> Claim:
    kind = rng.choice(("distinct", "distinct", "probabilistic", "entropy", "recursive"))
    said: dict[str, Any] = {"kind": kind, "of": _of(world, rng)}
    if kind == "recursive":
        return {"l-diversity": said | {"c": rng.choice((1.5, 3, 4)), "l": 2}}
    whole = kind == "distinct"
    return {"l-diversity": said | {"l": rng.choice((2, 3)) if whole else rng.choice((1.5, 2))}}


def _closeness(world: World, rng: random.Random) -> Claim:
    of = _of(world, rng)
    kinds = ["equal", "equal", "ordered"]
    if of == "score" and "hierarchy" in world.columns[of]:
        kinds.append("hierarchical")
    return {
        "t-closeness": {
            "t": rng.choice((0, 0.1, 0.2, 0.4)),
            "distance": rng.choice(kinds),
            "of": of,
        }
    }


def _alpha(world: World, rng: random.Random) -> Claim:
    return {
        "alpha-k-anonymity": {"alpha": rng.choice((0.4, 0.5, 0.75)), "k": 2, "of": _of(world, rng)}
    }


def _disclosure(world: World, rng: random.Random) -> Claim:
    return {"delta-disclosure": {"delta": rng.choice((0.5, 1, 2)), "of": _of(world, rng)}}


def _likeness(world: World, rng: random.Random) -> Claim:
    kind = rng.choice(("basic", "enhanced"))
    return {"beta-likeness": {"beta": rng.choice((0.5, 1, 2)), "kind": kind, "of": _of(world, rng)}}


def _belief(world: World, rng: random.Random) -> Claim:
    of = _of(world, rng)
    values = sorted({row[of] for _, row in world.records()})
    adversary = rng.choice(
        (
            {"class": "I", "prior": {"counts": {v: rng.randint(1, 30) for v in values}}},
            {"class": "II", "stubbornness": rng.choice((5, 50, 500))},
            {"class": "III", "prior": {"shape": {v: rng.randint(1, 5) for v in values}}},
            {"class": "III", "prior": "uniform"},
        )
    )
    said = {"epsilon": rng.choice((1.3, 2, 3, 8)), "of": of, "adversary": adversary}
    if rng.random() < 0.4:
        # What people want protected often goes with where they live, and so with their group.
        world.columns["wish"] = {"role": "identifier"}
        by = rng.choice(world.quasi)
        wishes = {p.quasi[by]: rng.choice(values) for p in world.people}
        world.people[:] = [
            replace(p, wish=wishes[p.quasi[by]] if rng.random() < 0.9 else rng.choice(values))
            for p in world.people
        ]
        said["wishes"] = "wish"
    if rng.random() < 0.3:
        said["adversary"] = adversary | {"knows": _listed(world, rng)}
    return {"epsilon-privacy": said}


def _listed(world: World, rng: random.Random) -> dict[str, Any]:
    """One list for all claims of a plan; the same people are on it."""
    if not world.known:
        world.columns.setdefault("pid", {"role": "identifier"})
        keys = [person.key for person in world.people]
        world.known = frozenset(rng.sample(keys, rng.randint(1, min(MOST_KNOWN, len(keys)))))
        world.files["known.csv"] = [["pid"], *([key] for key in sorted(world.known))]
    return {"by": "pid", "file": "known.csv"}


MOST_KNOWN = 4
"""So that all ways to place them can be tried."""


def _risk(world: World, rng: random.Random) -> Claim:
    kind = rng.choice(("prosecutor-risk", "marketer-risk", "unique-share"))
    return {kind: rng.choice((0, 0.1)) if kind == "unique-share" else rng.choice((0.2, 0.34, 0.5))}


def _population(world: World, rng: random.Random) -> Claim:
    if not world.others:
        everybody = [dict(person.quasi) for person in world.people]
        everybody += [dict(rng.choice(world.people).quasi) for _ in range(rng.randint(0, 30))]
        world.others = everybody
        world.files["everybody.csv"] = [world.quasi] + [
            [one[name] for name in world.quasi] for one in everybody
        ]
    kind = rng.choice(("k-map", "journalist-risk", "delta-presence"))
    said: dict[str, Any] = {"population": "everybody.csv"}
    said |= {"k-map": {"k": 3}, "journalist-risk": {"risk": 0.34}, "delta-presence": {"max": 0.9}}[
        kind
    ]
    return {kind: said}


CLAIMS = (
    _anonymity, _anonymity, _diversity, _diversity, _diversity, _closeness, _closeness, _alpha,
    _disclosure, _likeness, _belief, _belief, _risk, _population,
)  # fmt: skip
