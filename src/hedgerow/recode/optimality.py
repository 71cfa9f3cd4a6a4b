"""How good a release is among those its search could have made, in numbers and in words.

*Optimal* says: no other node of the lattice, with any choice of whole groups suppressed within the
plan's limit, keeps every claim at a lower cost. Where that is not proven, the search knows a
bound, which no such release can beat, and the gap: the largest share of the cost that a better
one could save.
"""

from __future__ import annotations

from math import ceil, floor, isfinite, log10

from hedgerow.recode.metrics import PLAIN, Metric

DIGITS = 3
"""Significant digits of a cost and its bound."""


def gap_of(cost: float, bound: float) -> float:
    """The share of the cost that a better release could save at most; no metric is below 0.

    >>> gap_of(0.5, 0.25), gap_of(0.4, -1.0)
    (0.5, 1.0)
    """
    if cost <= 0:
        return 0.0
    return min(1.0, max(0.0, (cost - max(bound, 0.0)) / cost))


def rounded_up(number: float, digits: int = 2) -> float:
    """To so many significant digits, never down.

    >>> rounded_up(0.1101), rounded_up(0.5), rounded_up(0.0)
    (0.12, 0.5, 0.0)
    """
    return -rounded_down(-number, digits)


def rounded_down(number: float, digits: int = DIGITS) -> float:
    """To so many significant digits, never up.

    >>> rounded_down(0.12399), rounded_down(0.3), rounded_down(-0.0011119)
    (0.123, 0.3, -0.00112)
    """
    near = float(f"{number:.{digits}g}")
    if near <= number:
        return near
    unit = 10.0 ** (floor(log10(abs(number))) - digits + 1)
    return float(f"{near - unit:.{digits}g}")


def in_percent(gap: float) -> str:
    """A gap as people read it, rounded up.

    >>> in_percent(0.1101), in_percent(0.00012), in_percent(1.0)
    ('12 %', '0.012 %', '100 %')
    """
    percent = rounded_up(100 * gap)
    return f"{ceil(percent) if percent >= 10 else percent:g} %"


def standing(
    metric: Metric,
    *,
    cost: float | None,
    bound: float | None,
    optimal: bool,
    gap: float | None = None,
    weighed: bool = False,
    by_groups: bool = False,
) -> str:
    """How sure one can be that nothing more useful exists.

    Args:
        metric: What is to be small.
        cost: What the release costs; None where that is not told.
        bound: What no release of the same lattice costs less; None where none is known or told.
        optimal: Whether that is proven of the release itself.
        gap: The gap, where cost and bound are rounded and it would not follow from them.
        weighed: Whether the cost is as the steward weighs it, where the metric does not say so.
        by_groups: Whether the bound is about every way to group people, and not about levels.

    >>> from hedgerow.recode.metrics import METRICS
    >>> standing(METRICS["loss"], cost=0.31, bound=0.28, optimal=False)
    'best so far: loss 0.31, gap 9.7 %: no levels the plan allows have a loss below 0.28'
    >>> standing(METRICS["precision"], cost=0.25, bound=0.125, optimal=False)
    'best so far: precision 0.75, gap 50 %: no levels the plan allows have a precision above 0.875'
    """
    name = f"{metric.name} (weighed)" if weighed or metric.weighting != PLAIN else metric.name
    if optimal:
        return (
            "proven optimal: no other levels the plan allows, with any choice of groups "
            f"suppressed, have a better {name}"
        )
    if cost is None or bound is None or not isfinite(bound):
        return f"best so far: it is not proven that no other levels have a better {name}"
    rivals = "groups at levels the plan allows, or at *," if by_groups else "levels the plan allows"
    reached = f"{metric.reported(cost):.{DIGITS}g}"
    share = in_percent(gap_of(cost, bound) if gap is None else gap)
    least = metric.reported(max(bound, 0.0))
    if metric.best_is_one:
        limit = f"above {rounded_up(least, DIGITS):g}"
    else:
        limit = f"below {rounded_down(least):g}"
    return f"best so far: {name} {reached}, gap {share}: no {rivals} have a {name} {limit}"
