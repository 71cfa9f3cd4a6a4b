"""The charts of reports: bars with a line, a staircase, intervals and a gauge.

They have no colours of their own but classes, so that the report's style sheet serves light, dark
and paper. Their bytes stand in certificates, as the hash of a report.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hedgerow.charts.elements import element, picture, rule, text
from hedgerow.charts.scales import Linear, Log

WIDTH = 720
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 36, 46
CHARACTER = 6.4
"""How wide a letter is, about, in the size that labels have."""
ENDS = (0.04, 0.08, 0.12, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Where an axis of shares may end: a quarter of it is a round number."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One bar of a chart."""

    label: str
    value: float


@dataclass(frozen=True, kw_only=True)
class Stair:
    """One point of a staircase; no value where nothing was found."""

    label: str
    x: float
    y: float | None


@dataclass(frozen=True, kw_only=True)
class Found:
    """A rate with its interval, next to what it is compared with."""

    label: str
    low: float
    value: float
    high: float
    baseline: float


def bars(values: Sequence[Bar], *, name: str, axis: str, line: tuple[int, str] | None) -> str:
    """Upright bars with their numbers on top, and a broken line before one of them.

    Args:
        values: The bars, from left to right.
        name: What is shown.
        axis: What stands under it.
        line: Before which bar it is, and what it says; len(values) is after the last.
    """
    height = 254
    low, plot = height - BOTTOM, height - TOP - BOTTOM
    most = max((bar.value for bar in values), default=0) or 1
    wide = (WIDTH - LEFT - RIGHT) / max(1, len(values))
    parts = [_rule(LEFT, low, WIDTH - RIGHT, low, "axis")]
    for i, bar in enumerate(values):
        x, tall = LEFT + i * wide, plot * bar.value / most
        middle = x + wide / 2
        box = {"x": x + wide * 0.12, "y": low - tall, "width": wide * 0.76, "height": tall}
        parts += [
            element("rect", {"class": "bar", **box}),
            _text(middle, low - tall - 5, f"{bar.value:,.0f}", "value", "middle"),
            _text(middle, low + 16, bar.label, "label", "middle"),
        ]
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, height - 8, axis, "label", "middle"))
    if line is not None:
        x = LEFT + line[0] * wide
        side = "end" if x > WIDTH / 2 else "start"
        parts += [
            _rule(x, 4, x, low, "policy"),
            _text(x + (-6 if side == "end" else 6), 13, line[1], "policy-label", side),
        ]
    return picture(name, WIDTH, height, parts)


def staircase(
    steps: Sequence[Stair], *, name: str, x_axis: str, y_axis: str, chosen: int | None
) -> str:
    """Points on a logarithmic scale, joined; one of them is marked."""
    height = 280
    low, high = height - BOTTOM, TOP
    drawn = [(step.x, step.y) for step in steps if step.y is not None]
    values = [y for _, y in drawn] or [0.0, 1.0]
    bottom, top = min(values), max(values)
    if top - bottom < 1e-12:
        bottom, top = bottom - 0.5 * abs(bottom or 1), top + 0.5 * abs(top or 1)
    xs = [step.x for step in steps] or [1.0]
    along, upwards = Log(min(xs), max(xs)), Linear(bottom, top)

    def across(x: float) -> float:
        return LEFT + 18 + (WIDTH - LEFT - RIGHT - 36) * along.part(x)

    def up(y: float) -> float:
        return low - 10 - (low - high - 20) * upwards.part(y)

    parts = [_rule(LEFT, low, WIDTH - RIGHT, low, "axis"), _rule(LEFT, high, LEFT, low, "axis")]
    for y in (bottom, (bottom + top) / 2, top):
        parts += [
            _rule(LEFT, up(y), WIDTH - RIGHT, up(y), "grid"),
            _text(LEFT - 6, up(y) + 4, f"{y:.3g}", "label", "end"),
        ]
    reached = -math.inf
    for step in steps:
        at, half = across(step.x), CHARACTER * len(step.label) / 2
        if at - half > reached:  # labels that would overlap are left out; the table has them
            parts.append(_text(at, low + 16, step.label, "label", "middle"))
            reached = at + half + 6
    way = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in drawn)
    if way:
        parts.append(element("polyline", {"class": "line", "points": way}))
    for i, step in enumerate(steps):
        if step.y is not None:
            kind, radius = ("chosen", 8) if i == chosen else ("dot", 3.5)
            parts.append(_circle(across(step.x), up(step.y), radius, kind))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, height - 8, x_axis, "label", "middle"))
    parts.append(_text(4, 13, y_axis, "label", "start"))
    return picture(name, WIDTH, height, parts)


def intervals(rows: Sequence[Found], *, name: str) -> str:
    """A line for each: a dot with its interval, a ring for what it is compared with."""
    step, head = 30, 30
    height = head + step * len(rows) + 40
    names = min(330.0, 20 + CHARACTER * max((len(row.label) for row in rows), default=0))
    widest = max((max(row.high, row.baseline) for row in rows), default=0)
    most = next((end for end in ENDS if end >= widest), 1.0)

    def across(value: float) -> float:
        return names + 10 + (WIDTH - RIGHT - names - 20) * value / most

    parts = [
        _circle(names + 16, 12, 5, "found"),
        _text(names + 27, 16, "found", "label", "start"),
        _circle(names + 88, 12, 5, "ring"),
        _text(names + 99, 16, "without the release", "label", "start"),
    ]
    low = head + step * len(rows)
    for tick in range(5):
        x = across(most * tick / 4)
        parts += [
            _rule(x, head, x, low, "grid"),
            _text(x, low + 18, f"{25 * tick * most:.3g} %", "label", "middle"),
        ]
    parts.append(_text(names, low + 36, "share of right guesses", "label", "start"))
    for i, row in enumerate(rows):
        y = head + step * (i + 0.5)
        label = row.label if len(row.label) <= 50 else row.label[:49] + "…"
        parts += [
            _text(names, y + 4, label, "label", "end"),
            _rule(across(row.low), y, across(row.high), y, "interval"),
            _circle(across(row.baseline), y, 5.5, "ring"),
            _circle(across(row.value), y, 4, "found"),
        ]
    return picture(name, WIDTH, height, parts)


def gauge(spent: float, *, name: str, label: str) -> str:
    """How much of something is used up."""
    full = WIDTH - LEFT - RIGHT
    used = full * min(1.0, max(0.0, spent))
    parts = [
        _text(LEFT, 14, label, "label", "start"),
        *(
            element("rect", {"class": kind, "x": LEFT, "y": 22, "width": width, "height": 16,
                             "rx": 3})
            for kind, width in (("trough", full), ("bar", used))
        ),
    ]  # fmt: skip
    return picture(name, WIDTH, 46, parts)


def _text(x: float, y: float, words: str, kind: str, anchor: str) -> str:
    return text(x, y, words, {"class": kind}, anchor)


def _rule(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    return rule(x, y, to_x, to_y, {"class": kind})


def _circle(x: float, y: float, radius: float, kind: str) -> str:
    return element("circle", {"class": kind, "cx": x, "cy": y, "r": radius})


def size_bins(sizes: Sequence[int], policy: int | None) -> Iterator[tuple[int, int]]:
    """Ranges of class sizes, 1-2-5 wide, one of which begins at the policy's line.

    >>> list(size_bins([3, 7, 40], 6))
    [(2, 4), (5, 5), (6, 9), (10, 19), (20, 49)]
    >>> list(size_bins([5, 7], 5))  # what lies left of the line is shown, though it is empty
    [(2, 4), (5, 9)]
    """
    most = max(sizes, default=1)
    edges = {1}
    scale = 1
    while scale <= most * 10:
        edges |= {scale, 2 * scale, 5 * scale}
        scale *= 10
    if policy is not None:
        edges.add(policy)
    ordered = sorted(edges)
    least = min(min(sizes, default=1), max(1, (policy or most) - 1))
    for low, beyond in pairwise(ordered):
        if beyond > least and low <= max(most, policy or 1):
            yield low, beyond - 1
