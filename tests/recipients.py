"""What somebody who receives a release can count in it: plain Python, nothing of hedgerow."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

Row = Mapping[str, str]


def read_csv(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, missing as empty text."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def certificate(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "certificate.json").read_text("utf-8"))
    return found


def classes(rows: Iterable[Row], columns: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
    """Rows by their values in the columns."""
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[c] for c in columns)].append(row)
    return dict(found)


def k(rows: Iterable[Row], columns: Sequence[str]) -> int:
    """The size of the smallest class."""
    return min(len(members) for members in classes(rows, columns).values())


def distinct_l(rows: Iterable[Row], columns: Sequence[str], of: str) -> int:
    """The fewest different values in a class."""
    return min(len({r[of] for r in members}) for members in classes(rows, columns).values())


def equal_t(
    rows: Iterable[Row], columns: Sequence[str], of: str, source: Sequence[Row]
) -> Fraction:
    """The largest total-variation distance between a class and the source."""
    whole = Counter(r[of] for r in source)
    worst = Fraction(0)
    for members in classes(rows, columns).values():
        here = Counter(r[of] for r in members)
        distance = sum(
            abs(Fraction(here[v], len(members)) - Fraction(whole[v], len(source)))
            for v in whole | here
        )
        worst = max(worst, distance / 2)
    return worst


def ordered_t(
    rows: Iterable[Row], columns: Sequence[str], of: str, source: Sequence[Row]
) -> Fraction:
    """The largest earth mover's distance along the order of numbers."""
    whole = Counter(r[of] for r in source)
    values = sorted(whole, key=Fraction)
    worst = Fraction(0)
    for members in classes(rows, columns).values():
        here = Counter(r[of] for r in members)
        ahead = total = Fraction(0)
        for value in values:
            ahead += Fraction(here[value], len(members)) - Fraction(whole[value], len(source))
            total += abs(ahead)
        worst = max(worst, total / max(1, len(values) - 1))
    return worst


def hospital(people: int, *, seed: int = 7) -> list[dict[str, str]]:
    """Synthetic patients, the same every time: a small generator of its own, no library."""
    state = seed

    def draw(limit: int) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % limit

    rows = []
    for i in range(people):
        age = 20 + draw(40)
        rows.append(
            {
                "name": f"Canary-{i:04d}",
                "age": str(age),
                "zip": f"1{draw(3)}{draw(4)}",
                "sex": "FM"[draw(2)],
                "disease": ["flu", "ulcer", "asthma", "gout", "angina"][draw(5)],
                "salary": str(1000 * (1 + draw(6))),
            }
        )
    return rows


def write_csv(path: Path, rows: Sequence[Row], columns: Sequence[str] | None = None) -> Path:
    names = list(columns or rows[0])
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([row[name] for name in names] for row in rows)
    return path
