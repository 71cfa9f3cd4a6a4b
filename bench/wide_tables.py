"""Tables with so many quasi-identifiers that no search of their lattice comes to an end.

Two are real (HEDGEROW_DATA), one is drawn. Every column has a hierarchy of runs of neighbouring
values, so that what is measured can be made again from the data alone.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

SUPPRESS = 0.1
K = 5
PEOPLE = 30_000
"""Of the table that is drawn."""

IPUMS: Mapping[str, Sequence[int]] = {
    "age": (5, 20), "sex": (), "raceg": (), "marst": (2,), "bplg": (20,), "relateg": (4,),
    "famsize": (3,), "nchild": (3,), "nchlt5": (), "nsibs": (3,), "eldch": (10,), "yngch": (10,),
    "educrec": (3,), "school": (), "schltype": (), "occ1950": (20, 60), "ind1950": (20, 60),
    "classwkg": (), "wkswork2": (3,), "hrswork2": (3,), "ownershg": (), "migplac5": (10,),
    "vetstat": (), "gqtypeg": (),
}  # fmt: skip
NIST: Mapping[str, Sequence[int]] = {
    "PUMA": (5,), "AGEP": (5, 20), "SEX": (), "MSP": (3,), "HISP": (), "RAC1P": (3,), "NOC": (3,),
    "NPF": (4,), "HOUSING_TYPE": (), "OWN_RENT": (), "DENSITY": (5,), "INDP": (20, 80),
    "INDP_CAT": (5,), "EDU": (4,), "PINCP": (100, 500, 1000), "PINCP_DECILE": (4,),
    "POVPIP": (50, 150), "DVET": (), "DREM": (), "DPHY": (), "DEYE": (), "DEAR": (),
}  # fmt: skip
DRAWN: Mapping[str, Sequence[int]] = {
    f"q{j:02}": ((), (3,), (2, 6))[j % 3] if j else (5, 10, 20) for j in range(24)
}
"""Of each column, how many neighbouring values the labels of each level stand for."""


def tables() -> dict[str, Mapping[str, Sequence[int]]]:
    """The tables that can be made here, and the widths of their columns."""
    found = {"drawn": DRAWN}
    if data := os.environ.get("HEDGEROW_DATA"):
        if (Path(data) / "ipums-la").is_dir():
            found["ipums"] = IPUMS
        if (Path(data) / "nist").is_dir():
            found["nist"] = NIST
    return found


def rows_of(name: str) -> tuple[list[str], list[tuple[str, ...]]]:
    """The columns of a table and its rows."""
    if name == "drawn":
        return list(DRAWN), drawn(PEOPLE, seed=24)
    data = Path(os.environ["HEDGEROW_DATA"])
    if name == "nist":
        with (data / "nist" / "national2019.csv").open(newline="") as lines:
            return _chosen(lines, NIST)
    rows: list[tuple[str, ...]] = []
    for year in ("97", "98", "99"):
        with gzip.open(data / "ipums-la" / f"ipums_la_{year}_small.csv.gz", "rt") as lines:
            rows += _chosen(lines, IPUMS)[1]
    return list(IPUMS), rows


def _chosen(lines: object, widths: Mapping[str, Sequence[int]]) -> tuple[list[str], list]:
    names = list(widths)
    return names, [tuple(row[name] for name in names) for row in csv.DictReader(lines)]  # type: ignore[arg-type]


def drawn(people: int, *, seed: int) -> list[tuple[str, ...]]:
    """People of a few kinds: what somebody is like in one column says something of the others."""
    random = np.random.Generator(np.random.PCG64(seed))
    kind = random.choice(6, size=people, p=(0.35, 0.25, 0.15, 0.1, 0.1, 0.05))
    columns = []
    for j in range(len(DRAWN)):
        size = (3, 9, 24)[j % 3] if j else 60
        middle = random.random(6) * size
        drawn = random.normal(middle[kind], 0.08 * size).round().astype(int) % size
        columns.append(drawn)
    return [tuple(f"{value:02}" for value in row) for row in np.stack(columns, axis=1)]


def hierarchy(values: set[str], widths: Sequence[int]) -> list[tuple[str, ...]]:
    """Each value and its labels: runs of neighbouring values, then everything.

    >>> hierarchy({"1", "2", "10"}, (2,))
    [('1', '1..2', '*'), ('2', '1..2', '*'), ('10', '10..10', '*')]
    """
    ordered = sorted(values, key=_order)
    found = []
    for place, value in enumerate(ordered):
        labels = [value]
        for width in widths:
            first = place - place % width
            last = min(first + width, len(ordered)) - 1
            labels.append(f"{ordered[first]}..{ordered[last]}")
        found.append((*labels, "*"))
    return found


def _order(value: str) -> tuple[bool, float, str]:
    """Numbers before words."""
    try:
        return False, float(value), value
    except ValueError:
        return True, 0.0, value


def write(folder: Path, name: str) -> Path:
    """The table, its hierarchies and its plan; where the plan is."""
    names, rows = rows_of(name)
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    with (home / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    lines = ["source: people.csv", "columns:"]
    for j, column in enumerate(names):
        made = hierarchy({row[j] for row in rows}, tables()[name][column])
        with (home / f"{column}.csv").open("w", newline="") as file:
            csv.writer(file, delimiter=";").writerows(made)
        lines.append(f"  {column}: {{role: quasi-identifier, hierarchy: {column}.csv}}")
    lines += ["protect:", f"  - k-anonymity: {K}"]
    lines += [f"method: {{search: lattice, suppress: {SUPPRESS:.0%}}}", "utility: loss"]
    plan = home / "plan.yaml"
    plan.write_text("\n".join(lines) + "\n", "utf-8")
    return plan
