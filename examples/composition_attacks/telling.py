"""Numbers as the page prints them."""

from __future__ import annotations

from examples.composition_attacks.experiment import Spread
from hedgerow.attacks.base import Rate


def percent(spread: Spread) -> str:
    """The mean in per cent, with the least and the largest where they differ."""
    return _told(Spread(100 * spread.mean, 100 * spread.low, 100 * spread.high), " %")


def number(spread: Spread) -> str:
    return _told(spread, "")


def _told(s: Spread, unit: str) -> str:
    digits = 2 if max(s.mean, s.high) < 10 and not unit else 1 if s.mean < 1000 else 0
    low, mean, high = (f"{x:,.{digits}f}" for x in (s.low, s.mean, s.high))
    return f"{mean}{unit}" if low == high else f"{mean}{unit} ({low}–{high})"


def rated(rate: Rate) -> str:
    if not rate.guesses:
        return "none"
    low, high = rate.interval()
    return f"{100 * rate.value:.1f} % ({100 * low:.1f}–{100 * high:.1f})"


def share(value: float, digits: int = 0) -> str:
    """A share in per cent."""
    return f"{100 * value:.{digits}f} %"
