"""Series: lines or points with a name, each with its colour, symbol and dash; and their legend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.charts.elements import element, path, rule, text
from hedgerow.charts.looks import DASHES, SERIES, SYMBOLS, Pen, text_width

SIZE = 12
"""Of the letters of a legend."""
LINE = 20
"""From one line of a legend to the next."""
LONG, WIDE, GAP, APART = 22, 14, 6, 18
"""A sample of a line and of a mark, the space to its name, and to the next sample, in pixels."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """One entry of a legend: how something is drawn, and what it is."""

    label: str
    tint: str
    symbol: str = ""
    """Without one, only the line is shown."""
    size: float = 64
    filled: bool = True
    line: bool = False
    dash: str = ""

    @property
    def sample(self) -> float:
        """How wide its sample is."""
        return LONG if self.line else WIDE


@dataclass(frozen=True, kw_only=True)
class Series:
    """Which field of a row says to which series it belongs, and how each of them looks."""

    field: str
    names: tuple[str, ...]
    title: str = ""
    tints: tuple[str, ...] = tuple(f"s{i}" for i in range(SERIES))
    symbols: tuple[str, ...] = SYMBOLS
    dashes: tuple[str, ...] = ("",) * SERIES
    shown: tuple[str, ...] = ("point",)
    """What a legend shows of each: "point", "line" or both."""

    @classmethod
    def dashed(cls, field: str, names: Sequence[str]) -> Series:
        """Lines that differ in colour and dash."""
        return cls(field=field, names=tuple(names), dashes=DASHES, shown=("line",))

    def place(self, row: Any) -> int:
        return self.names.index(row[self.field])

    def keys(self) -> tuple[Key, ...]:
        return tuple(
            Key(
                label=name,
                tint=self.tints[i],
                symbol=self.symbols[i] if "point" in self.shown else "",
                line="line" in self.shown,
                dash=self.dashes[i],
            )
            for i, name in enumerate(self.names)
        )


@dataclass(frozen=True, kw_only=True)
class Legend:
    """Samples with their names, in as many lines as the width asks for."""

    keys: tuple[Key, ...]
    title: str = ""

    def lines(self, room: float) -> list[list[tuple[float, Key | str]]]:
        """What stands where in each line: the title, then samples."""
        found: list[list[tuple[float, Key | str]]] = [[]]
        at = 0.0
        if self.title:
            found[0].append((0.0, self.title))
            at = text_width(self.title, SIZE) + APART
        for key in self.keys:
            wide = key.sample + GAP + text_width(key.label, SIZE)
            if found[-1] and at + wide > room:
                found.append([])
                at = 0.0
            found[-1].append((at, key))
            at += wide + APART
        return found

    def height(self, room: float) -> float:
        return LINE * len(self.lines(room))

    def draw(self, pen: Pen, left: float, top: float, room: float) -> list[str]:
        parts = []
        for i, line in enumerate(self.lines(room)):
            y = top + LINE * i + 13
            for at, entry in line:
                if isinstance(entry, str):
                    looks = pen.paint(fill="quiet") | {"font-size": SIZE}
                    parts.append(text(left + at, y, entry, looks, "start"))
                else:
                    parts += _entry(pen, entry, left + at, y)
        return parts


def _entry(pen: Pen, key: Key, x: float, y: float) -> list[str]:
    parts = []
    if key.line:
        looks = pen.paint(stroke=key.tint) | {"stroke-width": "2.5"}
        if key.dash:
            looks["stroke-dasharray"] = key.dash
        parts.append(rule(x, y - 4, x + key.sample, y - 4, looks))
    if key.symbol:
        dash = "" if key.line else key.dash
        parts.append(symbol(pen, key.symbol, x + key.sample / 2, y - 4, key.size, key.tint,
                            filled=key.filled, dash=dash))  # fmt: skip
    words = pen.paint(fill="ink") | {"font-size": SIZE}
    return [*parts, text(x + key.sample + GAP, y, key.label, words, "start")]


def symbol(
    pen: Pen,
    kind: str,
    x: float,
    y: float,
    size: float,
    tint: str,
    *,
    filled: bool = True,
    dash: str = "",
    edge: str = "",
    inside: str = "",
    opacity: float = 1.0,
) -> str:
    """A mark of so many square pixels; `edge` is the colour of a rim round a filled one."""
    if filled:
        looks = pen.paint(fill=tint, stroke=edge)
        looks |= {"stroke-width": "1.5"} if edge else {}
    else:
        looks = pen.paint(stroke=tint) | {"stroke-width": "2"}
    if dash:
        looks["stroke-dasharray"] = dash
    if opacity < 1:
        looks["opacity"] = f"{opacity:g}"
    if kind == "circle":
        radius = math.sqrt(size / math.pi)
        return element("circle", {**looks, "cx": float(x), "cy": float(y), "r": radius}, inside)
    outline = [(x + dx, y + dy) for dx, dy in _outline(kind, math.sqrt(size))]
    return element("path", {**looks, "d": path(outline, closed=True)}, inside)


def _outline(kind: str, side: float) -> list[tuple[float, float]]:
    """The corners of a mark round its middle; y goes down."""
    half = side / 2
    if kind == "square":
        return [(-half, -half), (half, -half), (half, half), (-half, half)]
    if kind == "diamond":
        far = 0.72 * side
        return [(0, -far), (far, 0), (0, far), (-far, 0)]
    if kind in ("triangle-up", "triangle-down"):
        turn = 1 if kind == "triangle-up" else -1
        far = 0.66 * side
        return [(0, -far * turn), (far, 0.75 * far * turn), (-far, 0.75 * far * turn)]
    if kind == "cross":
        far, arm = 0.62 * side, 0.21 * side
        quarter = [(-far, -arm), (-arm, -arm), (-arm, -far)]
        corners = [*quarter, *((-y, x) for x, y in quarter)]
        return [*corners, *((-x, -y) for x, y in corners)]
    assert kind == "stroke", kind
    return [(-0.7 * side, -1.5), (0.7 * side, -1.5), (0.7 * side, 1.5), (-0.7 * side, 1.5)]
