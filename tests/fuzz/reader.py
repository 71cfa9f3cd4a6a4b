"""A published file as somebody who receives it reads it: plain Python, nothing of hedgerow."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from fuzz.world import TREE

Row = dict[str, str]
Group = tuple[str, ...]


def read(path: Path) -> tuple[list[str], list[Row]]:
    """Header and rows; every byte of the file is in one of them."""
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n"), "the last line has no end"
    lines = list(csv.reader(text.splitlines(keepends=True), strict=True))
    header, rows = lines[0], lines[1:]
    assert all(len(row) == len(header) for row in rows), "a row has other columns than the header"
    return header, [dict(zip(header, row, strict=True)) for row in rows]


def groups(rows: Iterable[Row], columns: Iterable[str]) -> dict[Group, list[Row]]:
    """Rows that look alike in the columns."""
    names = list(columns)
    found: dict[Group, list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def careless(value: str) -> str:
    """How a value reads to somebody who overlooks case, spaces, points and how marks are typed."""
    text = unicodedata.normalize("NFC", value).casefold()
    return "".join(c for c in text if not c.isspace() and c not in ".,;:!?'\"")


def covers(label: str, value: str, kind: str) -> bool:
    """Whether somebody with the value may stand behind the label."""
    if label == value or label == "*":
        return True
    if value == "":
        return False
    if label.startswith("{") and label.endswith("}"):
        return any(covers(part, value, kind) for part in label[1:-1].split(", "))
    return _READ[kind](label, value)


def _prefix(label: str, value: str) -> bool:
    return len(label) == len(value) and all(
        a in ("*", b) for a, b in zip(label, value, strict=True)
    )


def _number(label: str, value: str) -> bool:
    if re.fullmatch(r"\d+-\d+", value):  # somebody whose age is known as a band only
        low, high = value.split("-")
        return _number(label, low) and _number(label, high)
    number = Fraction(value)
    if found := re.fullmatch(r"(\d+)-(\d+)", label):
        return int(found[1]) <= number <= int(found[2])
    if found := re.fullmatch(r"\[([\d.]+), ([\d.]+)([)\]])", label):
        above = number <= Fraction(found[2]) if found[3] == "]" else number < Fraction(found[2])
        return Fraction(found[1]) <= number and above
    if found := re.fullmatch(r"<(\d+)", label):
        return number < int(found[1])
    if found := re.fullmatch(r">=(\d+)", label):
        return number >= int(found[1])
    return False


def _date(label: str, value: str) -> bool:
    year, month, _ = value.split("-")
    quarter = (int(month) + 2) // 3
    return label in (f"{year}-{month}", f"{year}-Q{quarter}", year, f"{year[:3]}0s")


def _tree(label: str, value: str) -> bool:
    return value in _leaves(label, TREE)


def _leaves(label: str, tree: object, inside: bool = False) -> set[str]:
    if isinstance(tree, dict):
        return {
            leaf
            for name, below in tree.items()
            for leaf in _leaves(label, below, inside or name == label)
        }
    assert isinstance(tree, list)
    return set(tree) if inside else set()


_READ = {
    "prefix": _prefix, "number": _number, "date": _date, "tree": _tree,
    "text": lambda label, value: False,
}  # fmt: skip
