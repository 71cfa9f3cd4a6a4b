"""Numbers: round widths, quantiles, steps of ten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from hedgerow.base.decimals import Scale, parse
from hedgerow.table.hierarchy_builders import Bins, Ranges
from hedgerow.table.proposals.proposal import Candidate, Counts

MOST_LEVELS = 5
SKEW = 1000
"""How many times the median the largest number is, or the median the least, where steps of ten
fit better than equal widths."""
PARTS = 16
"""Quantiles of the first level."""
MOST_NUMBERS = 5_000
"""Different numbers that quantiles are made of."""
FEWEST = 8
"""Distinct numbers; of fewer there are no quantiles."""

Weighted = Sequence[tuple[Fraction, int]]
"""Numbers in order, and how many people have each."""


def candidates(counts: Counts) -> Iterator[Candidate]:
    """Hierarchies for a column of numbers."""
    texts = [value for value, n in counts.items() if value is not None and n > 0]
    if len(texts) < 2:
        return
    parsed = {value: number for value in texts if (number := parse(value)) is not None}
    scale = Scale.of(parsed.values())
    units = sorted((scale.units(number), counts[value]) for value, number in parsed.items())
    found = [(Fraction(unit, scale.one), n) for unit, n in thinned(units)]
    if widths := round_widths(found):
        form = [written(width) for width in widths]
        yield Candidate(
            Ranges(widths=form), {"ranges": form}, "data",
            "round widths that double, chosen by the spread of the numbers",
        )  # fmt: skip
    if steps := tens(found):
        levels = [[written(edge) for edge in level] for level in steps]
        yield Candidate(
            Bins(edges=levels), {"bins": levels}, "data",
            "steps of 1, 2, 5, 10, since the numbers are very unequal",
        )  # fmt: skip
    if cuts := quantiles(found):
        levels = [[written(edge) for edge in level] for level in cuts]
        yield Candidate(
            Bins(edges=levels), {"bins": levels}, "data", "about as many people in each range"
        )


def thinned(units: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Numbers in order; of very many only some, each for those from the one before on.

    >>> thinned([(1, 2), (4, 1)])
    [(1, 2), (4, 1)]
    """
    step = -(-len(units) // MOST_NUMBERS)
    parts = [units[place : place + step] for place in range(0, len(units), step)]
    # The least and the largest stay.
    return [
        (part[0][0] if part is parts[0] else part[-1][0], sum(n for _, n in part)) for part in parts
    ]


def written(number: Fraction) -> int | float:
    """As YAML has it."""
    return int(number) if number.denominator == 1 else float(number)


def round_widths(numbers: Weighted) -> list[Fraction]:
    """Widths that double, from about a twentieth of the spread to less than all of it.

    >>> ages = [(Fraction(n), 1) for n in range(17, 91)]
    >>> [int(width) for width in round_widths(ages)]
    [5, 10, 20, 40]
    """
    values = [number for number, _ in numbers]
    spread = values[-1] - values[0]
    first = nice_below(spread / 20) if spread else Fraction(0)
    whole = all(value.denominator == 1 for value in values)
    if whole:
        first = max(first, Fraction(2))  # a range of one whole number hides nothing
    widths: list[Fraction] = []
    while 0 < first < spread and len(widths) < MOST_LEVELS:
        widths.append(first)
        first *= 2
    return widths


def nice_below(number: Fraction) -> Fraction:
    """The least of 1, 2, 5 times a power of ten that is at least a positive number.

    >>> nice_below(Fraction(73, 20)), nice_below(Fraction(1, 30))
    (Fraction(5, 1), Fraction(1, 20))
    """
    step = Fraction(1)
    while step >= number:
        step /= 10
    while step * 10 < number:
        step *= 10
    return next(step * nice for nice in (1, 2, 5, 10) if step * nice >= number)


def tens(numbers: Weighted) -> list[list[Fraction]]:
    """Edges at 1, 2, 5 times powers of ten, then at powers of ten; none if they are not skewed.

    >>> pay = [(Fraction(10**n), 1) for n in range(6)]
    >>> [[int(edge) for edge in level][:5] for level in tens(pay)]
    [[1, 2, 5, 10, 20], [1, 10, 100, 1000, 10000], [1, 100, 10000]]
    """
    positive = [number for number, _ in numbers if number > 0]
    if not positive or numbers[0][0] < 0 or positive[-1] < SKEW * positive[0]:
        return []
    middle, total, below = positive[0], sum(n for _, n in numbers), 0
    for number, n in numbers:
        below += n
        if 2 * below >= total:
            middle = max(number, positive[0])
            break
    if positive[-1] < 20 * middle:
        return []  # nearly everybody is near the top: equal widths fit
    low = Fraction(1)
    while low > positive[0]:
        low /= 10
    while low * 10 <= positive[0]:
        low *= 10
    powers = [low]
    while powers[-1] * 10 <= positive[-1]:
        powers.append(powers[-1] * 10)
    fine = [p * nice for p in powers for nice in (1, 2, 5) if p * nice <= positive[-1]]
    return nested([fine, powers, powers[::2]])


def quantiles(numbers: Weighted) -> list[list[Fraction]]:
    """Edges between sixteenths of the people, then eighths, quarters, halves, all rounded.

    >>> [len(level) for level in quantiles([(Fraction(n), 1) for n in range(100)])]
    [15, 7, 3, 1]
    """
    if len(numbers) < FEWEST:
        return []
    total = sum(n for _, n in numbers)
    spread = numbers[-1][0] - numbers[0][0]
    grain = nice_below(spread / 200)
    if all(number.denominator == 1 for number, _ in numbers):
        grain = max(Fraction(1), grain)
    edges: dict[int, Fraction] = {}
    below, part = 0, 1
    for number, n in numbers:
        while part < PARTS and below * PARTS >= part * total:
            edges[part] = round(number / grain) * grain
            part += 1
        below += n
    levels = [
        sorted({edges[place] for place in edges if place % every == 0}) for every in (1, 2, 4, 8)
    ]
    inside = [[e for e in level if numbers[0][0] < e <= numbers[-1][0]] for level in levels]
    return nested(inside)


def nested(levels: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """The levels that have some edges of the level before, and not all."""
    found: list[list[Fraction]] = []
    for level in levels:
        last = set(found[-1]) if found else set(level)
        edges = [e for e in level if e in last]
        if edges and (not found or len(edges) < len(found[-1])):
            found.append(list(edges))
    return found
