"""Scales: where on an axis a value stands, from 0 to 1, and which of them get a tick."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Label = Callable[[float], str]
"""How a number is written at its tick."""
DIGITS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Linear:
    """Equal steps are equally far apart.

    >>> Linear(0, 4).part(1), Linear(0, 4, reverse=True).part(1)
    (0.25, 0.75)
    """

    low: float
    high: float
    reverse: bool = False

    def part(self, value: float) -> float:
        part = (value - self.low) / max(self.high - self.low, 1e-300)
        return 1 - part if self.reverse else part

    def ticks(self, many: int) -> list[float]:
        """Round numbers, about so many.

        >>> Linear(0, 97).ticks(5)
        [0.0, 20.0, 40.0, 60.0, 80.0]
        """
        step = round_step(self.high - self.low, many)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [float(f"{i * step:.12g}") for i in range(first, last + 1)]

    @classmethod
    def over(cls, values: Sequence[float], *, zero: bool = False, many: int = 8) -> Linear:
        """From one round number to another, so that all values are between them.

        >>> Linear.over([3, 97], zero=True)
        Linear(low=0.0, high=100.0, reverse=False)
        """
        low, high = min(values), max(values)
        if zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if high - low < 1e-12 * max(abs(high), 1e-300):
            low, high = low - 0.5 * abs(low or 1), high + 0.5 * abs(high or 1)
        step = round_step(high - low, many)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        return cls(float(f"{first * step:.12g}"), float(f"{last * step:.12g}"))


@dataclass(frozen=True)
class Log:
    """Equal factors are equally far apart."""

    low: float
    high: float
    reverse: bool = False

    def part(self, value: float) -> float:
        first = math.log(self.low)
        wide = max(math.log(self.high), first + 1e-9) - first
        part = (math.log(value) - first) / wide
        return 1 - part if self.reverse else part

    def ticks(self, many: int) -> list[float]:
        """At 1, 2 and 5 times powers of ten where they are few, at powers of ten elsewhere.

        >>> Log(1, 20).ticks(8), Log(0.001, 1e6).ticks(5)
        ([1.0, 2.0, 5.0, 10.0, 20.0], [0.001, 0.1, 10.0, 1000.0, 100000.0])
        """
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        fine = [float(f"{m}e{d}") for d in decades for m in (1, 2, 5)]
        within = [tick for tick in fine if self._has(tick)]
        if len(within) <= 1.5 * many:
            return within
        whole = [float(f"1e{d}") for d in decades if self._has(float(f"1e{d}"))]
        return whole[:: max(1, math.ceil(len(whole) / many))]

    def _has(self, tick: float) -> bool:
        return self.low * (1 - 1e-9) <= tick <= self.high * (1 + 1e-9)

    @classmethod
    def over(cls, values: Sequence[float]) -> Log:
        """From 1, 2 or 5 times a power of ten to another.

        >>> Log.over([1.5, 300])
        Log(low=1.0, high=500.0, reverse=False)
        """
        low, high = min(values), max(values)
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        fine = [float(f"{m}e{d}") for d in decades for m in (1, 2, 5)]
        start = max((tick for tick in fine if tick <= low), default=low)
        end = min((tick for tick in fine if tick >= high and tick > start), default=2 * high)
        return cls(start, end)


@dataclass(frozen=True)
class Band:
    """Names one after the other, each with as much room as the others.

    >>> Band(("a", "b")).part("b"), Band(("a", "b")).part("a", aside=0.5)
    (0.75, 0.5)
    """

    names: tuple[str, ...]

    def part(self, name: str, aside: float = 0.0) -> float:
        """The middle of a name's room; `aside` is a share of that room."""
        return (self.names.index(name) + 0.5 + aside) / len(self.names)


Scale = Linear | Log | Band


def round_step(wide: float, many: int) -> float:
    """1, 2 or 5 times a power of ten, so that about so many steps fill a width."""
    rough = max(wide, 1e-300) / max(many, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    # The nearest of them, as factors go.
    return next((m * power for m, end in ((1, 2), (2, 10), (5, 50)) if (rough / power) ** 2 < end),
                10 * power)  # fmt: skip


def plain(value: float) -> str:
    """A number as people write it.

    >>> plain(12000.0), plain(0.25), plain(1e-06), plain(3e7)
    ('12,000', '0.25', '1e-6', '30,000,000')
    """
    if value and abs(value) < 1e-4:
        mantissa, _, exponent = f"{value:.6g}".partition("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{value:,.9g}".replace("-", "−")


def percent(value: float) -> str:
    """A share.

    >>> percent(0.125), percent(1)
    ('12.5%', '100%')
    """
    return f"{100 * value:.6g}%"


def power_of_ten(exponent: float) -> str:
    """Ten to some power.

    >>> power_of_ten(9), power_of_ten(-2)
    ('10⁹', '10⁻²')
    """
    return f"10{str(round(exponent)).translate(DIGITS)}"


def short(value: float) -> str:
    """A number that may be large, in few letters.

    >>> short(20_000), short(0.25), short(1_500_000)
    ('20k', '0.25', '1.5M')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{letter}"
    return f"{value:.4g}"
