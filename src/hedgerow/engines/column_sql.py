"""A column as DuckDB holds it: SQL of its value, its text and its number, whatever its type.

Whole numbers are compared and counted exactly. Everything else that is a number is taken as a
double: doubles and decimals as they are, other values as their text reads, so that a float of
0.1 is one tenth. Dates, times and true or false are text and no numbers.

A column's type may hang on one value: with one missing, pandas makes doubles of whole numbers.
Where that must not change everybody's text, numbers are written plainly: 1, not 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm

from hedgerow.engines.session import literal

WHOLE = frozenset(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")) | {
    "INTEGER",
    "UINTEGER",
    "HUGEINT",
}
"""Types of whole numbers. Half of UHUGEINT fits no other type: it is read as text."""
WIDE = frozenset({"UBIGINT", "HUGEINT"})
"""Those that need more than 64 bits with a sign."""
FLOATING = {"FLOAT": 2**24, "DOUBLE": 10**16}
"""Types of numbers with a point, and under which size whole ones are written with all digits."""
FAITHFUL = WHOLE | {"VARCHAR", "DATE", "BOOLEAN"}
"""Types of which two values are equal if and only if their texts are; 0.0 equals -0.0."""
LARGEST = float.fromhex("0x1.fffffffffffffp+1023")
ROOM = 2**62
"""Whole numbers under this are added and multiplied by small ones without overflow."""


@dataclass(frozen=True)
class TypedColumn:
    """A column of the view `source`."""

    place: str
    """Its name there."""
    kind: str
    """Its type, as DuckDB names it."""
    null: tuple[str, ...] = ()
    """Texts that mean missing."""
    spelled: tuple[tuple[str, str], ...] = ()
    """Of a column of text: texts, and what they are to be."""
    plain: bool = False
    """Whether numbers are written without a point or zeros that say nothing, whatever the type;
    else as the source writes them."""

    @property
    def value(self) -> str:
        """With its own type, the texts that mean missing made NULL."""
        null = list(dict.fromkeys(map(self.constant, self.null)))
        if self.kind in WHOLE:
            # Comparing numbers, not texts, is ten times as fast.
            alike = whole(null)
            missing = f"{self.place} IN ({', '.join(alike)})"
        else:
            alike = [text for text in null if self.kind != "DOUBLE" or _perhaps_number(text)]
            missing = f"{self._written(self.place)} IN ({', '.join(map(literal, alike))})"
        place = self._respelled
        return f"(CASE WHEN {missing} THEN NULL ELSE {place} END)" if alike else place

    @property
    def _respelled(self) -> str:
        if not self.spelled:
            return self.place
        text = self.place if self.kind == "VARCHAR" else f"{self.place}::VARCHAR"
        return respelled(text, self.spelled, literal)

    @property
    def text(self) -> str:
        return self.value if self.kind == "VARCHAR" else self._written(self.value)

    def constant(self, text: str) -> str:
        """A text to compare the column's with, written as these are."""
        return plain(text) if self.plain and self._numbers else text

    @property
    def _numbers(self) -> bool:
        return self.kind in WHOLE or self.kind in FLOATING or self.kind.startswith("DECIMAL")

    @property
    def shortened(self) -> bool:
        """Whether a value may be written otherwise than DuckDB writes it by itself."""
        pointed = self.kind.startswith("DECIMAL") and not self.kind.endswith(",0)")
        return self.plain and (pointed or self.kind in FLOATING)

    def _written(self, sql: str) -> str:
        """SQL of a value as text."""
        if not self.shortened:
            return f"{sql}::VARCHAR"
        if self.kind in FLOATING:
            whole = f"{sql} = trunc({sql}) AND abs({sql}) < {double(FLOATING[self.kind])}"
            digits = f"TRY_CAST({sql} AS BIGINT)::VARCHAR"
            return f"(CASE WHEN {whole} THEN {digits} ELSE {sql}::VARCHAR END)"
        return f"rtrim(rtrim({sql}::VARCHAR, '0'), '.')"

    @property
    def same(self) -> str:
        """What is equal where the texts are equal: the cheapest such value."""
        return self.value if self.kind in FAITHFUL else self.text

    @property
    def number(self) -> str:
        """As a double or a whole number; NULL, NaN or infinite where it is no number."""
        if self.kind in WHOLE or self.kind == "DOUBLE":
            return self.value
        if self.kind.startswith("DECIMAL"):
            return f"{self.value}::DOUBLE"
        return f"TRY_CAST({self.text} AS DOUBLE)"

    @property
    def finite(self) -> str:
        """Whether there is a finite number; faster than `isfinite`."""
        if self.kind in WHOLE:
            return f"{self.value} IS NOT NULL"
        return f"abs({self.number}) < 'Infinity'::DOUBLE"  # nor NaN, which is above it

    def beside(self, order: str, number: Fraction) -> str:
        """Whether the column's number is so ordered; NULL or false where it is none."""
        if self.kind in WHOLE:
            if order == "=" and number.denominator != 1:
                return "false"
            rounded = ceil(number) if order in ("<", ">=") else floor(number)
            return f"{self.value} {order} {rounded}"
        # To DuckDB NaN is above infinity; one more comparison keeps both out.
        beyond = {"<": f">= {double(-LARGEST)}", ">": f"<= {double(LARGEST)}"}.get(order[0])
        compared = f"{self.number} {order} {double(number)}"
        return compared if beyond is None else f"({compared} AND {self.number} {beyond})"

    def among(self, numbers: Sequence[Fraction]) -> str:
        """Whether the column's number is one of these; NULL or false where it is none."""
        if self.kind in WHOLE:
            spelled = [str(number) for number in numbers if number.denominator == 1]
        else:
            spelled = [double(number) for number in numbers]
        return f"{self.number} IN ({', '.join(spelled)})" if spelled else "false"

    def steps(self, start: Fraction, step: Fraction, cells: int, *, plus: int = 0) -> str:
        """How many whole steps the number is above the start, held to 0 and cells - 1; plus more.

        A double is compared with the double nearest to each border. So 0.29 is 29 steps of 0.01
        from 0, although the double is a little less. Further than 2^49 steps from 0 doubles are
        as coarse as steps, and so is the answer; it is held all the same, and nothing overflows.
        """
        if self.kind in WHOLE:
            exact = self._whole_steps(start, step, cells, plus)
            if exact is not None:
                return exact
        common = lcm(start.denominator, step.denominator)
        first, width = int(start * common), int(step * common)
        last = first + cells * width
        # Values further out than the middles of the first and last cells are in these cells.
        low, high = double(start + step / 2), double(start + (cells - Fraction(1, 2)) * step)
        number = self.number if self.kind not in WHOLE else f"{self.number}::DOUBLE"
        held = f"least(greatest({number}, {low}), {high})"
        scale, shift = Fraction(common, width), Fraction(1, 2) - Fraction(first, width)
        # The nearest border is found by arithmetic that may be a little off; comparing with it
        # decides, and a border is one division of whole numbers, so rounded only once.
        near = f"floor({_plus(_times(held, double(scale), scale == 1), double(shift), not shift)})"
        border = _plus(_times(near, double(width), width == 1), double(first), not first)
        border = border if common == 1 else f"({border}) / {double(common)}"
        found = f"({near} - ({held} < {border})::DOUBLE)"
        if max(abs(first), abs(last)) > min(2**53, 2**49 * width) or common > 2**53:
            last_border = double(start + (cells - 1) * step)
            found = f"CASE WHEN {number} >= {last_border} THEN {double(cells - 1)} ELSE {found} END"
            found = f"least(greatest({found}, 0e0), {double(cells - 1)})"
        return _plus(f"{found}::BIGINT", str(plus), not plus)

    def _whole_steps(self, start: Fraction, step: Fraction, cells: int, plus: int) -> str | None:
        """The same for whole numbers, exactly; None where constants are too large for that."""
        wide = "HUGEINT" if self.kind in WIDE else "BIGINT"
        number = f"{self.value}::{wide}"
        if step.denominator == 1:
            first, width = ceil(start), int(step)
            last = first + (cells - 1) * width
            if max(abs(first), abs(last), abs(plus - first)) >= ROOM:
                return None
            held = f"least(greatest({number}, {first}), {last})"
            if width == 1:
                return _plus(held, f"({plus - first})", plus == first)
            return _plus(f"({held} - ({first})) // {width}", str(plus), not plus)
        common = lcm(start.denominator, step.denominator)
        first, width = int(start * common), int(step * common)
        low, high = floor(start), ceil(start + cells * step)
        if max(abs(low), abs(high), 1) * common + abs(first) >= ROOM:
            return None
        above = f"least(greatest({number}, {low}), {high}) * {common} - ({first})"
        found = f"least(greatest({above}, 0) // {width}, {cells - 1})"
        return _plus(found, str(plus), not plus)


def respelled(text: str, spelled: Iterable[tuple[str, str]], quoted: Callable[[str], str]) -> str:
    """SQL of a text, some texts spelled otherwise."""
    cases = " ".join(f"WHEN {quoted(old)} THEN {quoted(new)}" for old, new in spelled)
    return f"(CASE {text} {cases} ELSE {text} END)"


def whole(texts: Iterable[str]) -> list[str]:
    """Those that are how DuckDB writes a whole number."""
    return [text for text in texts if re.fullmatch(r"0|-?[1-9][0-9]{0,37}", text)]


def plain(text: str) -> str:
    """A decimal number without a point or zeros that say nothing; other texts as they are.

    >>> [plain(text) for text in ("1.0", "-0.0", "0.290", "1", "01.0", "1e3", "a")]
    ['1', '0', '0.29', '1', '01.0', '1e3', 'a']
    """
    found = re.fullmatch(r"(-?(?:0|[1-9][0-9]*))\.([0-9]*?)0*", text)
    if found is None or text.endswith("."):
        return "0" if text == "-0" else text
    whole, part = found.groups()
    return f"{whole}.{part}" if part else "0" if whole == "-0" else whole


def double(number: Fraction | float) -> str:
    """The nearest double as SQL; the largest where it is larger.

    >>> double(Fraction(29, 100)), double(Fraction(10)**400), double(-2.0)
    ('0.29e0', '1.7976931348623157e+308', '(-2.0e0)')
    """
    try:
        nearest = float(number)
    except OverflowError:
        nearest = LARGEST if number > 0 else -LARGEST
    text = repr(nearest)
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if nearest < 0 else text


def _plus(sql: str, term: str, nothing: bool) -> str:
    return sql if nothing else f"({sql} + {term})"


def _times(sql: str, factor: str, one: bool) -> str:
    return sql if one else f"({sql} * {factor})"


def _perhaps_number(text: str) -> bool:
    """Whether it may be how a double is written."""
    try:
        float(text)
    except ValueError:
        return False
    return True
