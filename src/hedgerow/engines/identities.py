"""Person IDs in several spellings: which texts may be one person's ID, in SQL of every engine.

`7`, `07`, `7.0` and `+7` may be one person, and so may `P7`, `P-7` and a `P7` with digits of
another width. Overlooked are case, accents, everything that is neither a letter nor a digit,
leading zeros, a fraction of nothing and how a number is written. That is more than a careful
reader overlooks (`12-3` and `1-23` are one here): an ID that is counted twice makes a claim too
strong, one that is asked about does not.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Protocol

from hedgerow.engines.session import literal


class Patterns(Protocol):
    """How a dialect writes regular expressions."""

    def literal(self, text: str) -> str:
        """A constant text."""
        ...

    def matches(self, sql: str, pattern: str) -> str:
        """Whether a text holds what the pattern describes."""
        ...

    def replaced(self, sql: str, pattern: str, by: str) -> str:
        r"""The text with all matches replaced; \1 and \2 are the pattern's groups."""
        ...


class DuckDBPatterns:
    """Implements `Patterns`."""

    def literal(self, text: str) -> str:
        return literal(text)

    def matches(self, sql: str, pattern: str) -> str:
        return f"regexp_matches({sql}, {literal(pattern)})"

    def replaced(self, sql: str, pattern: str, by: str) -> str:
        return f"regexp_replace({sql}, {literal(pattern)}, {literal(by)}, 'g')"


DUCKDB = DuckDBPatterns()

_PLAIN = "^([1-9][0-9]*|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$"
"""Whole numbers and hashes, as most IDs are: nothing of them is overlooked."""
_POWER = "^[+]?[0-9]{1,30}([.][0-9]{1,30})?e[+]?[0-9]{1,2}$"
"""A number as spreadsheets write long ones: 1.001e3."""
_MARKS = (
    "[\u0001-/:-`{-\u00bf\u0300-\u036f\u034f\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3164\ufe00-\ufe0f\ufe20-\ufe6f"
    "\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffa0\ufff0-\ufffd]+"
)
"""What is neither a letter nor a digit, by ranges: classes of characters differ by engine. There
are no capitals by now, which are between : and `."""
_NOTHING = "[.]0*[^0-9a-z]*$"
_ZEROS = "(^|[^0-9])0+([0-9])"


def _letters() -> dict[str, str]:
    """Digits of other alphabets, wide and accented Latin letters, and capitals of two alphabets."""
    found = {}
    for c in map(chr, range(0xC0, 0x10000)):
        if unicodedata.category(c) == "Nd":
            found[c] = str(unicodedata.decimal(c))
        elif "\uff21" <= c <= "\uff5a" or c <= "\u024f":
            plain = unicodedata.normalize("NFKD", c).lower()[:1]
            if plain.isascii() and plain.isalpha():
                found[c] = plain
        elif c <= "\u042f" and c != (low := c.lower()) and len(low) == 1:
            found[c] = low
    return found


_LETTERS = _letters()


def _class(characters: Sequence[str]) -> str:
    """A pattern of one of these characters."""
    numbers = sorted(map(ord, characters))
    ranges = [[numbers[0], numbers[0]]]
    for number in numbers[1:]:
        if number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return f"[{''.join(f'{chr(a)}-{chr(b)}' for a, b in ranges)}]"


def identities(relation: str, columns: Sequence[str], sql: Patterns = DUCKDB) -> str:
    """A query of the same columns, equal where two texts may be one person's ID.

    Args:
        relation: SQL of a relation with columns of text.
        columns: Their names there.
        sql: How patterns are written.
    """

    def each(made: Sequence[str], source: str) -> str:
        named = ", ".join(f"{text} AS {name}" for text, name in zip(made, columns, strict=True))
        return f"SELECT {named} FROM {source}"

    lower = each([f"lower({name})" for name in columns], relation)
    numbers = each([_unpowered(name, sql) for name in columns], f"({lower}) AS x")
    return each([_bare(name, sql) for name in columns], f"({numbers}) AS x")


def _unpowered(text: str, sql: Patterns) -> str:
    """A whole number with an exponent, written out."""
    number, power = (f"split_part({text}, 'e', {i})" for i in (1, 2))
    part = f"length(split_part({number}, '.', 2))"
    digits = f"replace(replace({number}, '.', ''), '+', '')"
    exponent = f"CAST(replace({power}, '+', '') AS INTEGER)"
    long = f"length({digits}) - {part} + {exponent}"
    return (
        f"CASE WHEN NOT {sql.matches(text, _POWER)} THEN {text} WHEN {exponent} < {part} "
        f"THEN {text} ELSE rpad({digits}, CAST({long} AS INTEGER), '0') END"
    )


def _bare(text: str, sql: Patterns) -> str:
    plain, latin = text, {c: letter for c, letter in _LETTERS.items() if c <= "\u024f"}
    others = {c: letter for c, letter in _LETTERS.items() if c not in latin}
    if isinstance(sql, DuckDBPatterns):  # whose translate takes 200 microseconds for so many
        accented = sql.matches(text, "[\u00c0-\u024f\u0300-\u036f]")
        plain = f"CASE WHEN {accented} THEN strip_accents({text}) ELSE {text} END"
    else:
        others |= latin
    source, letters = (sql.literal("".join(some)) for some in (others, others.values()))
    ours = (
        f"CASE WHEN {sql.matches(text, _class(list(others)))} "
        f"THEN translate({plain}, {source}, {letters}) ELSE {plain} END"
    )
    whole = f"CASE WHEN {text} LIKE '%.%' THEN {sql.replaced(ours, _NOTHING, '')} ELSE {ours} END"
    short = sql.replaced(sql.replaced(whole, _MARKS, ""), _ZEROS, r"\1\2")
    return (
        f"CASE WHEN {sql.matches(text, _PLAIN)} THEN {text} "
        f"ELSE coalesce(nullif({short}, ''), {text}) END"
    )
