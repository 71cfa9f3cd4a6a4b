"""Filters: which rows a question is about, in a small language that only compares.

    age >= 40 and (disease = 'flu' or disease in ('cancer', "HIV")) and sex is not missing

A column is named bare where its name begins with a letter or `_` and goes on with letters, digits
and `_`, a single `.` or `-` between them being part of it (`education-num`, since nothing is ever
subtracted); any other name, and one that is a word of the language, stands in backquotes.
Numbers are plain decimals; text stands in single or double quotes. A quote inside is doubled.
Words are and, or, not, in, between, is, missing, in any case; `not` binds before `and`, `and`
before `or`.

A filter is true or false of a row, never anything between. Compared with a number, a value is
taken as a number; with text, as its text, character by character, so that ISO dates are in order.
A value that is missing is not equal to anything, nor less, nor more; and so is one that is no
finite number, compared with a number. `not` turns false into true, also there, and `x != 'a'`
is `not x = 'a'`: it is true where x is missing. Who wants other rows says so:
`x != 'a' and x is not missing`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

from hedgerow.base.conditions import (
    KEYWORDS,
    NAME,
    And,
    Compared,
    Condition,
    Constant,
    Missing,
    Not,
    Number,
    OneOf,
    Or,
    Order,
    named,
    spelled,
)
from hedgerow.base.errors import PlanError, nearest, some

LONGEST = 100_000
"""Characters of a filter, as it is given and as it is written out."""
DEEPEST = 50
"""How deep parentheses, `not` and `between` may stand inside one another."""
MOST_DIGITS = 38
"""Digits of a number: as many as databases hold exactly."""
MOST_TERMS = 1_000
"""Comparisons of a filter; `in` is one, however long its list."""

__all__ = ["Condition", "check_columns", "parse"]


def parse(text: str) -> Condition:
    """Read a filter.

    >>> str(parse("NOT age<40.0 and sex <> 'f'"))
    "not age < 40 and sex != 'f'"
    >>> str(parse("`year of birth` between 1950 and 1960 or job in ('clerk', 'it''s odd')"))
    "`year of birth` >= 1950 and `year of birth` <= 1960 or job in ('clerk', 'it''s odd')"

    Raises:
        PlanError: It cannot be read; the message names the place.
    """
    condition = _Reader(text).condition() if len(text) <= LONGEST else None
    if condition is None or len(str(condition)) > LONGEST:
        raise PlanError(
            f"written out it has more than {LONGEST:,} characters",
            where="the filter",
            fix="Put what it asks into a column of its own.",
        )
    return condition


def check_columns(condition: Condition, columns: Collection[str]) -> None:
    """Refuse a filter about columns that do not exist.

    Raises:
        PlanError: It names a column that is not among them.
    """
    known = set(columns)
    for column in condition.columns:
        if column not in known:
            near = nearest(column, columns)
            raise PlanError(
                f"there is no column {column!r}",
                where="the filter",
                fix=f"Did you mean {named(near)}?" if near else f"There are {some(columns)}.",
            )


_TOKEN = re.compile(
    rf"""
      (?P<blank>\s+)
    | (?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?![\w.])
    | (?P<word>{NAME})
    | (?P<sign><=|>=|<>|!=|==|[=<>(),])
    """,
    re.VERBOSE,
)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_ODD_NUMBER = re.compile(r"[+-]?\.?\d[\w.]*(?:(?<=[eE])[+-]\d+)?")
_MISSING = "Write `is missing` or `is not missing`."
_EXAMPLE = "Write for example: age >= 40"


@dataclass(frozen=True)
class _Token:
    kind: str
    """Word, keyword, quoted (a column), text, number, sign, end."""
    text: str
    at: int


class _Reader:
    """One pass from left to right; the next token alone decides what to do."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._split()
        self.token = next(self.tokens)
        self.depth = self.terms = 0

    def condition(self) -> Condition:
        if self.token.kind == "end":
            raise self._wrong("the filter is empty", fix=_EXAMPLE)
        found = self._or()
        if self.token.kind != "end":
            raise self._wanted("`and`, `or` or the end", fix="Join comparisons with `and` or `or`.")
        return found

    def _or(self) -> Condition:
        parts = [self._and()]
        while self._took("or"):
            parts.append(self._and())
        return Or(tuple(parts)) if len(parts) > 1 else parts[0]

    def _and(self) -> Condition:
        parts = [self._not()]
        while self._took("and"):
            parts.append(self._not())
        return And(tuple(parts)) if len(parts) > 1 else parts[0]

    def _not(self) -> Condition:
        opened = self.token
        found: Condition
        if self._took("not"):
            self._deeper(opened)
            found = Not(self._not())
        elif self._took("("):
            self._deeper(opened)
            found = self._or()
            if not self._took(")"):
                raise self._wanted("`)`", fix=f"Character {opened.at + 1:,} opens a parenthesis.")
        else:
            return self._comparison()
        self.depth -= 1
        return found

    def _deeper(self, token: _Token) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._wrong(
                f"this stands inside {DEEPEST} others",
                token,
                fix="Write the filter with fewer parentheses and fewer `not`.",
            )

    def _comparison(self) -> Condition:
        column = self._column()
        self._one_more()
        negative = self._took("not")
        found: Condition
        if self._took("in"):
            found = OneOf(column, self._list())
        elif self._took("between"):
            found = self._between(column)
        elif negative:
            raise self._wanted("`in` or `between`", fix="`not` goes before the whole comparison.")
        elif self._took("is"):
            negative = self._took("not")
            if not self._took("missing"):
                raise self._wanted("`missing`", fix=_MISSING)
            found = Missing(column)
        else:
            sign = self.token
            if sign.kind != "sign" or sign.text in ("(", ")", ","):
                raise self._wanted(
                    "a comparison", fix="Put = != < <= > >= before a value, or `is missing`."
                )
            self._next()
            negative = sign.text in ("!=", "<>")
            order: Order = next((o for o in get_args(Order) if o == sign.text), "=")
            found = Compared(column, order, self._constant())
        return Not(found) if negative else found

    def _one_more(self) -> None:
        self.terms += 1
        if self.terms > MOST_TERMS:
            raise self._wrong(
                f"a filter has at most {MOST_TERMS:,} comparisons",
                fix="Use `in` for lists of values: disease in ('flu', 'cancer')",
            )

    def _between(self, column: str) -> Condition:
        start = self.token
        self._deeper(start)  # written out, it stands in parentheses
        self._one_more()
        low = self._constant()
        if not self._took("and"):
            raise self._wanted("`and`", fix="Write for example: age between 20 and 30")
        high = self._constant()
        self.depth -= 1
        match low, high:
            case Number(), Number():
                ordered = low.value <= high.value
            case str(), str():
                ordered = low <= high
            case _:
                raise self._wrong(
                    "one end is a number and the other text", start, fix="Make both alike."
                )
        if not ordered:
            raise self._wrong(
                f"nothing is between {_cut(spelled(low))} and {_cut(spelled(high))}",
                start,
                fix="The lower end comes first.",
            )
        return And((Compared(column, ">=", low), Compared(column, "<=", high)))

    def _list(self) -> tuple[Constant, ...]:
        fix = "Write a list in parentheses: ('flu', 'cancer')"
        if not self._took("("):
            raise self._wanted("`(`", fix=fix)
        constants = [self._constant()]
        while self._took(","):
            constants.append(self._constant())
        if not self._took(")"):
            raise self._wanted("`,` or `)`", fix=fix)
        return tuple(constants)

    def _column(self) -> str:
        token = self.token
        match token.kind:
            case "word" | "quoted":
                name = token.text
                if token.kind == "quoted":
                    name = name[1:-1].replace("``", "`")
                if not name:
                    raise self._wrong("a column has a name", fix="Write it in the backquotes.")
                self._next()
                return name
            case "number" | "text":
                fix = "The column comes first: age >= 40"
            case "keyword" if token.text.casefold() not in ("and", "or"):
                fix = f"A column of this name is written `{token.text}`."
            case _:
                fix = _EXAMPLE
        raise self._wanted("a column", fix=fix)

    def _constant(self) -> Constant:
        token = self.token
        match token.kind:
            case "number":
                number = Number(Fraction(token.text)) if len(token.text) <= 100 else None
                if number is None or sum(map(str.isdigit, str(number))) > MOST_DIGITS:
                    raise self._wrong(f"a number has at most {MOST_DIGITS} digits")
                self._next()
                return number
            case "text":
                self._next()
                quote = token.text[0]
                return token.text[1:-1].replace(quote * 2, quote)
            case "word" | "keyword":
                absent = token.text.casefold() in ("null", "none", "nan", "missing")
                fix = _MISSING if absent else f"Text is written in quotes: '{_cut(token.text)}'"
            case "quoted":
                fix = "A column is compared with a constant; text is written in 'quotes'."
            case _:
                fix = "Write for example 40, 'flu' or '2024-02-29'."
        raise self._wanted("a number, or text in quotes", fix=fix)

    def _took(self, wanted: str) -> bool:
        """Go on if this is next."""
        found = self.token.kind in ("keyword", "sign") and self.token.text.casefold() == wanted
        if found:
            self._next()
        return found

    def _next(self) -> None:
        self.token = next(self.tokens)

    def _split(self) -> Iterator[_Token]:
        if bad := _UNSTORABLE.search(self.text):
            raise self._wrong("no table has this character", _Token("", bad[0], bad.start()))
        at = 0
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None:
                raise self._lost(at)
            kind = str(found.lastgroup)
            if kind == "word" and found[0].casefold() in KEYWORDS:
                kind = "keyword"
            if kind != "blank":
                yield _Token(kind, found[0], at)
            at = found.end()
        yield _Token("end", "", at)

    def _lost(self, at: int) -> PlanError:
        """Nothing of the language begins here."""
        here = _Token("", self.text[at], at)
        if here.text in "'\"`":
            return self._wrong(
                f"the quote {here.text} is not closed",
                here,
                fix="Close it; a quote inside is written twice.",
            )
        if number := _ODD_NUMBER.match(self.text, at):
            return self._wrong(
                f"{_cut(number[0])!r} is no plain number",
                here,
                fix="Write numbers like 40 or -2.5, text in 'quotes', "
                "and names that begin with a digit in `backquotes`.",
            )
        return self._wrong(
            f"{here.text!r} means nothing here",
            here,
            fix="Text is written in 'quotes', and a name with such characters in `backquotes`.",
        )

    def _wanted(self, what: str, *, fix: str) -> PlanError:
        found = "the end" if self.token.kind == "end" else repr(_cut(self.token.text))
        return self._wrong(f"here should be {what}, not {found}", fix=fix)

    def _wrong(self, what: str, at: _Token | None = None, *, fix: str | None = None) -> PlanError:
        place = (at or self.token).at
        start, end = max(0, place - 30), place + 30
        shown = "…" * (start > 0) + self.text[start:end] + "…" * (end < len(self.text))
        return PlanError(what, where=f"the filter {shown!r}, character {place + 1:,}", fix=fix)


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
