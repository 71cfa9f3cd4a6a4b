"""Names: labels that no value has, and values that look like codes."""

from __future__ import annotations

from collections.abc import Collection

LONGEST = 20
"""Characters of a code."""


def look_coded(values: Collection[str]) -> bool:
    """Whether texts look like codes: short, without blanks, four in five with a digit.

    >>> look_coded(["A09", "E11.9", "J01CA"]), look_coded(["red", "green", "blue"])
    (True, False)
    """
    if len(values) < 3 or any(len(v) > LONGEST or set(v) & set(" ,;") for v in values):
        return False
    return 5 * sum(any(c.isdigit() for c in value) for value in values) >= 4 * len(values)


def free_name(name: str, taken: Collection[str | None]) -> str:
    """The name, or one like it that no value has."""
    while name in taken:
        name = f"{name} values"
    return name
