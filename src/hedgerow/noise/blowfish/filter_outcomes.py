"""What the public codes of a column settle about a filter: true, false, or open.

A row's value has a code: its place in a list, the step under a number, or one code more, the last,
for whatever is none of these. Several values may have one code, and a filter may be true of some
of them and false of others. Then it is open, and whoever asks takes the worst.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import assert_never

import numpy as np

from hedgerow.base.conditions import (
    And,
    Compared,
    Condition,
    Constant,
    Missing,
    Not,
    Number,
    OneOf,
    Or,
)
from hedgerow.noise.blowfish.secret_graph import Flags
from hedgerow.table.domain import Bounds, Domain, Values

Settled = tuple[Flags, Flags]
"""For each code whether the filter can be true, and whether it can be false."""

_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
FAR = 2**49
"""Farther than so many steps from 0, doubles are as coarse as steps."""


def size(domain: Domain) -> int:
    """How many codes a column has: those of its domain, and one for anything else."""
    return (len(domain.values) if isinstance(domain, Values) else domain.cells) + 1


def settled(condition: Condition, domain: Domain) -> Settled:
    """Of a filter about one column.

    >>> from hedgerow.base.filters import parse
    >>> may, may_not = settled(parse("x in ('a', 'b')"), Values(("a", "b", "c")))
    >>> may.tolist(), may_not.tolist()
    ([True, True, False, False], [False, False, True, True])
    """
    match condition:
        case Not(part):
            may, may_not = settled(part, domain)
            return may_not, may
        case And(parts):
            both = [settled(part, domain) for part in parts]
            # Both can be true by themselves and never together: then this says too much, not less.
            return np.all([m for m, _ in both], axis=0), np.any([n for _, n in both], axis=0)
        case Or(parts):
            both = [settled(part, domain) for part in parts]
            return np.any([m for m, _ in both], axis=0), np.all([n for _, n in both], axis=0)
        case Compared(_, order, constant):
            return _compared(domain, order, constant)
        case OneOf(_, constants):
            each = [_compared(domain, "=", constant) for constant in constants]
            return np.any([m for m, _ in each], axis=0), np.all([n for _, n in each], axis=0)
        case Missing():
            return _missing(domain)
        case _ as never:
            assert_never(never)


def by_column(condition: Condition) -> list[Condition]:
    """Parts about one column each, on whose truth alone the truth of the whole depends.

    >>> from hedgerow.base.filters import parse
    >>> [str(part) for part in by_column(parse("(a = 1 or b = 2 or a = 3) and not c = 4"))]
    ['c != 4', 'a = 1 or a = 3', 'b = 2']
    """
    if len(condition.columns) == 1:
        return [condition]
    match condition:
        case Not(part):
            return by_column(part)
        case And(parts) | Or(parts):
            alone: dict[str, list[Condition]] = {}
            found: list[Condition] = []
            for part in parts:
                if len(part.columns) == 1:
                    alone.setdefault(part.columns[0], []).append(part)
                else:
                    found += by_column(part)
            joined = type(condition)
            return [
                *(
                    group[0] if len(group) == 1 else joined(tuple(group))
                    for group in alone.values()
                ),
                *found,
            ]
    raise AssertionError("a comparison is about one column")


def _compared(domain: Domain, order: str, constant: Constant) -> Settled:
    may, may_not = np.zeros(size(domain), np.bool_), np.zeros(size(domain), np.bool_)
    if isinstance(domain, Values):
        for code, value in enumerate(domain.values):
            may[code], may_not[code] = _of_text(value, order, constant)
        # Anything else: no text of the list, but maybe any other, or missing if that is not listed.
        elsewhere = isinstance(constant, Number) or order != "=" or constant not in domain.values
        may[-1], may_not[-1] = elsewhere, True
        return may, may_not
    if isinstance(constant, str):
        return ~may, ~may_not
    may[:-1], may_not[:-1] = _of_numbers(domain, order, constant.value)
    may[-1], may_not[-1] = False, True  # no finite number
    return may, may_not


def _of_text(value: str | None, order: str, constant: Constant) -> tuple[bool, bool]:
    if value is None:
        return False, True
    if isinstance(constant, str):
        truth = _ordered(value, order, constant)
        return truth, not truth
    if _PLAIN.fullmatch(value):
        number = Fraction(value)
        truths = {
            _ordered(number, order, constant.value),
            _ordered(_double(number), order, _double(constant.value)),
        }
        return True in truths, False in truths
    # Engines read 1e3 and " 4 " as numbers, and maybe more; without a digit nothing is one.
    return any(character.isnumeric() for character in value), True


def _of_numbers(bounds: Bounds, order: str, constant: Fraction) -> Settled:
    """Of the stretch of each step, the first being open below and the last above.

    Whole numbers are compared exactly, others as doubles: what one of the two leaves open is.
    """
    cells, step = bounds.cells, bounds.step
    assert step is not None, "else it had no cells"
    if max(abs(bounds.low), abs(bounds.high)) > FAR * step:
        return np.ones(cells, np.bool_), np.ones(cells, np.bool_)
    # Borders that are compared one by one; those before are under, those after above.
    first = min(max(int((constant - bounds.low) // step) - 2, 0), cells + 1)
    near = [bounds.low + i * step for i in range(first, min(first + 8, cells + 1))]
    exact = [(border > constant) - (border < constant) for border in near]
    c = _double(constant)
    rounded = [(_double(border) > c) - (_double(border) < c) for border in near]
    both = [_stretches(cells, first, signs, order) for signs in (exact, rounded)]
    return both[0][0] | both[1][0], both[0][1] | both[1][1]


def _stretches(cells: int, first: int, signs: list[int], order: str) -> Settled:
    """From whether each border is under (-1), at (0) or above (1) the constant."""
    borders = np.ones(cells + 1, np.int64)
    borders[:first] = -1
    borders[first : first + len(signs)] = signs
    borders[0], borders[-1] = -1, 1
    less, more = borders[:-1] < 0, borders[1:] > 0
    equal = (borders[:-1] <= 0) & more
    return {
        "=": (equal, less | more),
        "<": (less, equal | more),
        "<=": (less | equal, more),
        ">": (more, less | equal),
        ">=": (equal | more, less),
    }[order]


def _missing(domain: Domain) -> Settled:
    may, may_not = np.zeros(size(domain), np.bool_), np.ones(size(domain), np.bool_)
    listed = isinstance(domain, Values) and None in domain.values
    if isinstance(domain, Values) and listed:
        code = domain.values.index(None)
        may[code], may_not[code] = True, False
    may[-1] = not listed
    return may, may_not


def _ordered(a: Fraction | float | str, order: str, b: Fraction | float | str) -> bool:
    found: Mapping[str, bool] = {
        "=": a == b,
        "<": a < b,  # type: ignore[operator]
        "<=": a <= b,  # type: ignore[operator]
        ">": a > b,  # type: ignore[operator]
        ">=": a >= b,  # type: ignore[operator]
    }
    return found[order]


def _double(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
