"""Texts that stand for missing values and for sets, spelled alike in DuckDB and elsewhere.

Joins compare with `=`, which databases can hash, and to which NULL is nothing's equal: a key is
empty for a missing value, and v and the text for a text. A set is the sorted list of its
elements, n for a missing one, v and the text for a text, joined by the character 31; where that
stands in a text, it is written as the character 27 and 1, and the character 27 as itself and 0.
"""

from __future__ import annotations

SEPARATOR = "chr(31)"


def key(sql: str) -> str:
    """SQL of a text that is never NULL, and equal only where the values are."""
    return f"coalesce('v' || {sql}, '')"


def element(sql: str) -> str:
    """SQL of a text as an element of a set or a row."""
    escaped = f"replace(replace({sql}, chr(27), chr(27) || '0'), chr(31), chr(27) || '1')"
    return f"coalesce('v' || {escaped}, 'n')"


def packed(sql: str) -> str:
    """DuckDB's SQL of a list of texts as one text."""
    return f"array_to_string(list_sort([{element('x')} FOR x IN {sql}]), chr(31))"


def unpacked(sql: str) -> str:
    """DuckDB's SQL of the sorted list that was packed, missing first."""
    plain = "replace(replace(substr(x, 2), chr(27) || '1', chr(31)), chr(27) || '0', chr(27))"
    parts = f"[CASE WHEN x = 'n' THEN NULL ELSE {plain} END FOR x IN string_split({sql}, chr(31))]"
    return f"list_sort({parts}, 'ASC', 'NULLS FIRST')"
