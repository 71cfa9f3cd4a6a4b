"""Credibility: who has a value, given that some class would have broken the requirement.

Counted exactly, class after class, in time polynomial in the number of people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb, factorial, floor, prod

from hedgerow.base.errors import DataError, PlanError, some

Series = Mapping[tuple[int, ...], int]
"""Ways to choose who has what, by how many people have each protected value."""


def credibilities(
    sizes: Sequence[int],
    counts: Sequence[int],
    *,
    l: float | Fraction,  # noqa: E741
) -> list[tuple[Fraction, ...]] | None:
    """How likely a member of each class has each protected value, merging having been necessary.

    Every way to spread counts[v] people with value v over the classes is as likely as any other;
    j people with a value in a class of size N can be chosen in C(N, j) ways. Kept are the ways
    in which some value is had by more than one in l of some class.

    Args:
        sizes: People in each merged class.
        counts: People with each protected value in all of them.
        l: What the requirement promises.

    Returns:
        For each class, a probability for each value; None where no way breaks the requirement.

    >>> [str(p) for (p,) in credibilities([3, 4], [3], l=2)]
    ['9/17', '6/17']
    """
    worked = Worked(sizes, counts, exact_bound(l))
    return worked.given(Fraction(1)) if worked.fine < 1 else None


class Worked:
    """One merged group: how likely no class breaks the requirement, and what that says."""

    def __init__(self, sizes: Sequence[int], counts: Sequence[int], bound: Fraction) -> None:
        self.sizes, self.counts = tuple(map(int, sizes)), tuple(map(int, counts))
        people, rest = sum(self.sizes), sum(self.sizes) - sum(self.counts)
        if rest < 0 or min((*self.sizes, *self.counts), default=0) < 0 or not people:
            raise DataError(
                f"{sum(self.counts)} people with protected values in classes of {some(self.sizes)}",
                fix="Give as many people as the classes have, or fewer.",
            )
        ways = factorial(people) // prod(map(factorial, (*self.counts, rest)))
        each = {n: _class(n, self.counts, floor(n / bound)) for n in set(self.sizes)}
        fine: Series = {(0,) * len(self.counts): 1}
        for n in self.sizes:
            fine = _times(fine, each[n], self.counts)
        self.fine = Fraction(fine.get(self.counts, 0), ways)
        """How likely every class keeps the requirement."""
        self.held = {
            n: self._held(each[n], _without(fine, each[n], self.counts), n, ways) for n in each
        }
        """For each size, the share with each value times how likely every class keeps it."""

    def _held(self, mine: Series, others: Series, n: int, ways: int) -> tuple[Fraction, ...]:
        total = [0] * len(self.counts)
        for held, count in mine.items():
            left = tuple(c - j for c, j in zip(self.counts, held, strict=True))
            if found := others.get(left, 0):
                for v, j in enumerate(held):
                    total[v] += j * count * found
        return tuple(Fraction(t, n * ways) for t in total)

    def given(self, elsewhere: Fraction) -> list[tuple[Fraction, ...]]:
        """Credibilities, every other group keeping the requirement with this probability."""
        people, broken = sum(self.sizes), 1 - self.fine * elsewhere
        return [
            tuple(
                (Fraction(c, people) - h * elsewhere) / broken
                for c, h in zip(self.counts, self.held[n], strict=True)
            )
            for n in self.sizes
        ]


def _class(n: int, counts: Sequence[int], most: int) -> Series:
    """Ways to choose who has which protected value in a class, none had by more than `most`."""
    found = {}
    for held in product(*(range(min(most, c) + 1) for c in counts)):
        if sum(held) <= n:
            ways, left = 1, n
            for j in held:
                ways *= comb(left, j)
                left -= j
            found[held] = ways
    return found


def _times(a: Series, b: Series, counts: Sequence[int]) -> Series:
    found: dict[tuple[int, ...], int] = {}
    for i, x in a.items():
        for j, y in b.items():
            both = tuple(p + q for p, q in zip(i, j, strict=True))
            if all(p <= c for p, c in zip(both, counts, strict=True)):
                found[both] = found.get(both, 0) + x * y
    return found


def _without(whole: Series, part: Series, counts: Sequence[int]) -> Series:
    """What `part` was multiplied with to give `whole`: a division of power series."""
    found: dict[tuple[int, ...], int] = {}
    rest = [(j, y) for j, y in part.items() if any(j)]
    for place in product(*(range(c + 1) for c in counts)):
        value = whole.get(place, 0)
        for j, y in rest:
            before = tuple(p - q for p, q in zip(place, j, strict=True))
            value -= y * found.get(before, 0)
        if value:
            found[place] = value
    return found


def exact_bound(l: float | Fraction) -> Fraction:  # noqa: E741
    """The requirement's l as the number that was written."""
    if isinstance(l, bool) or not isinstance(l, int | float | Fraction) or not 1 <= l < 1e9:
        raise PlanError(f"l must be a number of at least 1, not {l!r}", fix="Give l, such as 2.")
    return Fraction(repr(l)) if isinstance(l, float) else Fraction(l)
