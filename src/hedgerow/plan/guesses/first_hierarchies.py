"""A hierarchy for a column that is generalised, as a plan writes it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hedgerow.base.decimals import Scale, numeric, parse
from hedgerow.base.errors import HierarchyError
from hedgerow.plan.guesses.quasi_words import PLACE
from hedgerow.plan.guesses.topics import folded_words
from hedgerow.table.hierarchy_builders import Dates, Prefix, Ranges, Spec, Suppression
from hedgerow.table.profile.column_facts import ColumnFacts, ColumnKind


def first_hierarchy(column: ColumnFacts, missing: frozenset[str]) -> str:
    """A hierarchy that fits at least the values that the facts carry.

    Args:
        column: The facts.
        missing: Texts that the plan reads as missing.
    """
    values = [one.value for one in column.values if one.value not in missing]
    for text, spec in _hierarchies(column, values):
        try:
            spec.bind(column.name, values or (None,))
        except HierarchyError:
            continue
        return text
    raise AssertionError("suppression fits everything")


def _hierarchies(column: ColumnFacts, values: Sequence[str]) -> list[tuple[str, Spec]]:
    """Hierarchies worth trying, the most telling first."""
    tried: list[tuple[str, Spec]] = []
    lengths = {len(value) for value in values}
    if column.kind is ColumnKind.DATE and values:
        tried.append(("dates", Dates()))
    longest = max(lengths, default=0)
    coded = column.kind is ColumnKind.CODE or PLACE.words(folded_words(column.name))
    if coded and len(lengths) == 1 and 3 <= longest <= 20:
        tried.append((f"{{prefix: {longest}}}", Prefix(length=longest)))
    if column.kind is ColumnKind.NUMBER and values and numeric(values):
        widths = _widths(values)
        if widths:
            tried.append((f"{{ranges: [{', '.join(widths)}]}}", Ranges(widths=widths)))
    return [*tried, ("suppression", Suppression())]


def _widths(values: Sequence[str]) -> list[str]:
    """Widths that double, from about a twentieth of the spread to less than all of it.

    >>> _widths(["17", "90"])
    ['5', '10', '20', '40']
    """
    parsed = [number for value in values if (number := parse(value)) is not None]
    scale = Scale.of(parsed)
    units = [scale.units(number) for number in parsed]
    spread = Fraction(max(units) - min(units), scale.one)
    if spread == 0:
        return []
    step = Fraction(1)
    while step * 20 < spread:
        step *= 10
    while step * 20 > spread:
        step /= 10
    first = next(step * nice for nice in (1, 2, 5, 10) if step * nice * 20 >= spread)
    if scale.one == 1 or all(unit % scale.one == 0 for unit in units):
        first = max(first, Fraction(2))  # A range of one whole number hides nothing.
    widths: list[str] = []
    while first < spread and len(widths) < 5:
        widths.append(_plain(first))
        first *= 2
    return widths


def _plain(number: Fraction) -> str:
    """A decimal fraction as YAML reads it, without an exponent."""
    exponent = 0
    while number.denominator != 1:
        number, exponent = number * 10, exponent - 1
    return Scale(exponent).text(int(number))
