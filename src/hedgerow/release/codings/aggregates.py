"""Microaggregation of one column: the mean, the median or the mode of each published group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.base.decimals import Scale, numeric, parse
from hedgerow.base.errors import DataError, some
from hedgerow.table.groups import Ints
from hedgerow.table.written_form import Value


def aggregated(
    values: Sequence[Value], codes: Ints, group: Ints, *, by: str, least: int
) -> tuple[tuple[Value, ...], Ints]:
    """One value for each group.

    Means and medians are exact, and rounded (halves up) to the decimals the column has, as those
    of `search: microaggregation` are. Of several most frequent values the first by its text is
    taken. Missing values do not count; where fewer than `least` people of a group have a value,
    the group's is missing.

    >>> values, of_group = aggregated(("1", "2", "4"), np.array([0, 1, 1, 2]),
    ...                               np.array([0, 0, 1, 1]), by="mean", least=2)
    >>> [values[i] for i in of_group]
    ['2', '3']

    Args:
        values: The values of the column, each once.
        codes: Which of them each row has.
        group: The group of each row, from 0 on.
        by: mean, median or mode.
        least: How many people must have a value.

    Returns:
        Values, and which of them each group has.

    Raises:
        DataError: The values are no numbers, and have no mean or median.
    """
    pairs, people = np.unique(
        group.astype(np.int64) * max(1, len(values)) + codes, return_counts=True
    )
    of, code = np.divmod(pairs, max(1, len(values)))
    there = np.array([value is not None for value in values], np.bool_)[code]
    of, code, people = of[there], code[there], people[there]
    found: list[Value] = [None] * (int(group.max(initial=-1)) + 1)
    mode = by == "mode"
    scale, units = (Scale(0), [0] * len(values)) if mode else _in_units(values)
    ends = np.flatnonzero(np.diff(of, append=-1)) + 1
    for start, end in zip(np.append(0, ends)[:-1], ends, strict=True):
        n = people[start:end].tolist()
        if sum(n) < least:
            continue
        mine = code[start:end].tolist()
        if mode:
            # Codes need not be in the order of their texts.
            best = min(zip(n, mine, strict=True), key=lambda one: (-one[0], values[one[1]] or ""))
            found[int(of[start])] = values[best[1]]
        else:
            numbers = [(units[c], times) for c, times in zip(mine, n, strict=True)]
            middle = _mean(numbers) if by == "mean" else _median(numbers)
            found[int(of[start])] = scale.text(middle)
    named = dict.fromkeys(found)
    place = {value: i for i, value in enumerate(named)}
    return tuple(named), np.array([place[value] for value in found], np.int64)


def _in_units(values: Sequence[Value]) -> tuple[Scale, list[int]]:
    """The finest decimal unit of the numbers, and each value in it (0 for missing)."""
    if not numeric(values) and any(value is not None for value in values):
        wrong = [value for value in values if value is not None and not numeric([value])]
        raise DataError(
            f"{some(wrong)} {'is' if len(wrong) == 1 else 'are'} no number, so there is no mean or "
            "median",
            fix="Write `microaggregate: mode`.",
        )
    parsed = [None if value is None else parse(value) for value in values]
    scale = Scale.of(number for number in parsed if number is not None)
    return scale, [0 if number is None else scale.units(number) for number in parsed]


def _mean(numbers: Sequence[tuple[int, int]]) -> int:
    """In whole units, halves up."""
    people = sum(times for _, times in numbers)
    return (2 * sum(unit * times for unit, times in numbers) + people) // (2 * people)


def _median(numbers: Sequence[tuple[int, int]]) -> int:
    """The middle, or half-way between the two, in whole units, halves up."""
    ordered = sorted(numbers)
    people = sum(times for _, times in ordered)
    two = []
    for place in ((people - 1) // 2, people // 2):
        before = 0
        for unit, times in ordered:
            before += times
            if place < before:
                two.append(unit)
                break
    return (sum(two) + 1) // 2
