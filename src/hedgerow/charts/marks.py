"""Marks: rows of data, and how each row is drawn.

A field of a row whose name begins with an underscore only says where something is drawn; it is
not data, and stands in no table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hedgerow.charts.elements import element, escaped, path, rule, text
from hedgerow.charts.looks import Pen
from hedgerow.charts.scales import Band, Scale
from hedgerow.charts.series import Series, symbol

Row = Mapping[str, Any]
Rows = Sequence[Row]
Hover = Callable[[Row], str]
"""What is said of a row where a pointer rests on it."""


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Where a plot is, and its two scales."""

    x: Scale
    y: Scale
    left: float
    top: float
    width: float
    height: float

    def across(self, value: Any, aside: float = 0.0) -> float:
        return self.left + self.width * _part(self.x, value, aside)

    def up(self, value: Any, aside: float = 0.0) -> float:
        part = _part(self.y, value, aside)
        # Names stand from the top down, numbers from the bottom up.
        return self.top + self.height * (part if isinstance(self.y, Band) else 1 - part)


def _part(scale: Scale, value: Any, aside: float) -> float:
    return scale.part(value, aside) if isinstance(scale, Band) else scale.part(value)


@dataclass(frozen=True, kw_only=True)
class Layer:
    """What all marks have: rows, where each stands, its colour, and what is said of it."""

    rows: Rows
    x: str = ""
    y: str = ""
    by: Series | None = None
    """Colours, symbols and dashes; without it all rows look alike."""
    tint: str = "s0"
    beside: Series | None = None
    """On an axis of names, the members of this series stand beside each other."""
    hover: Hover | None = None
    opacity: float = 1.0

    def draw(self, frame: Frame, pen: Pen) -> list[str]:
        raise NotImplementedError

    def tint_of(self, row: Row) -> str:
        return self.tint if self.by is None else self.by.tints[self.by.place(row)]

    def spot(self, frame: Frame, row: Row, *, y: str = "") -> tuple[float, float]:
        aside = self.aside(row)
        return frame.across(row[self.x], aside), frame.up(row[y or self.y], aside)

    def aside(self, row: Row) -> float:
        if self.beside is None:
            return 0.0
        many = len(self.beside.names)
        return 0.8 * ((self.beside.place(row) + 0.5) / many - 0.5)

    def said(self, row: Row) -> str:
        return "" if self.hover is None else element("title", {}, escaped(self.hover(row)))

    def parts(self, field: str = "") -> list[list[Row]]:
        """The rows of each series, or of each value of a field."""
        found: dict[Any, list[Row]] = {}
        for row in self.rows:
            name = row[field] if field else None
            found.setdefault((name, row[self.by.field] if self.by else None), []).append(row)
        return list(found.values())

    def fade(self) -> dict[str, object]:
        return {} if self.opacity == 1 else {"opacity": f"{self.opacity:g}"}


@dataclass(frozen=True, kw_only=True)
class Curve(Layer):
    """A line through the rows of each series, in their order."""

    width: float = 2
    dash: str = ""
    """Of all of them; that of the series if left out."""
    dashes: Series | None = None
    """Another series than that of the colours which says the dash."""
    split: str = ""
    """A field whose values are lines of their own."""
    step: bool = False
    """A staircase: each value lasts until the next begins."""

    def draw(self, frame: Frame, pen: Pen) -> list[str]:
        found = []
        for rows in self.parts(self.split or (self.dashes.field if self.dashes else "")):
            points = [self.spot(frame, row) for row in rows]
            if self.step:
                points = _stairs(points)
            if len(points) < 2:
                continue
            looks = pen.paint(stroke=self.tint_of(rows[0])) | {"stroke-width": f"{self.width:g}"}
            looks |= {"stroke-linejoin": "round"} | self.fade()
            by = self.dashes or self.by
            dash = self.dash or ("" if by is None else by.dashes[by.place(rows[0])])
            if dash:
                looks["stroke-dasharray"] = dash
            found.append(element("path", {**looks, "d": path(points)}, self.said(rows[0])))
        return found


def _stairs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    corners = [point for a, b in pairwise(points) for point in (a, (b[0], a[1]))]
    return [*corners, *points[-1:]]


@dataclass(frozen=True, kw_only=True)
class Area(Layer):
    """A band from one field to another, over the rows of each series."""

    to: str
    """The field of its other edge; `y` is the first."""

    def draw(self, frame: Frame, pen: Pen) -> list[str]:
        found = []
        for rows in self.parts():
            there = [self.spot(frame, row) for row in rows]
            back = [self.spot(frame, row, y=self.to) for row in reversed(rows)]
            looks = pen.paint(fill=self.tint_of(rows[0])) | self.fade()
            d = path([*there, *back], closed=True)
            found.append(element("path", {**looks, "d": d}, self.said(rows[0])))
        return found


@dataclass(frozen=True, kw_only=True)
class Points(Layer):
    """A symbol for each row."""

    symbol: str = "circle"
    """Of all of them; that of the series where there is one."""
    size: float = 60
    """In square pixels; or, for one row, its field `_size`."""
    filled: bool = True
    dash: str = ""
    edge: str = ""

    def draw(self, frame: Frame, pen: Pen) -> list[str]:
        return [
            symbol(
                pen,
                self.symbol if self.by is None else self.by.symbols[self.by.place(row)],
                *self.spot(frame, row),
                row.get("_size", self.size),
                self.tint_of(row),
                filled=self.filled,
                dash=self.dash,
                edge=self.edge,
                inside=self.said(row),
                opacity=self.opacity,
            )
            for row in self.rows
        ]


@dataclass(frozen=True, kw_only=True)
class Intervals(Layer):
    """A thick line for each row, from one field to another."""

    low: str
    high: str
    width: float = 5

    def draw(self, frame: Frame, pen: Pen) -> list[str]:
        found = []
        for row in self.rows:
            looks = pen.paint(stroke=self.tint_of(row)) | {"stroke-width": f"{self.width:g}"}
            if self.x:  # it stands at x, and goes up
                x = frame.across(row[self.x], self.aside(row))
                ends = (x, frame.up(row[self.low]), x, frame.up(row[self.high]))
            else:
                y = frame.up(row[self.y], self.aside(row))
                ends = (frame.across(row[self.low]), y, frame.across(row[self.high]), y)
            found.append(rule(*ends, looks | self.fade()))
        return found


@dataclass(frozen=True, kw_only=True)
class Rule(Layer):
    """A line across the whole plot, upright where only `x` is given; with its name on it."""

    dash: str = "6 3"
    width: float = 1.2
    label: str = ""
    end: bool = False
    """Whether its name stands at the right end of it."""

    def draw(self, frame: Frame, pen: Pen) -> list[str]:
        looks = pen.paint(stroke=self.tint) | {"stroke-width": f"{self.width:g}"}
        looks |= {"stroke-dasharray": self.dash}
        found = []
        for row in self.rows:
            if self.x:
                x = frame.across(row[self.x])
                found.append(rule(x, frame.top, x, frame.top + frame.height, looks))
                continue
            y, right = frame.up(row[self.y]), frame.left + frame.width
            found.append(rule(frame.left, y, right, y, looks))
            if self.label:
                at = right - 8 if self.end else frame.left + 8
                words = _words(pen, self.tint, 11, bold=False)
                found.append(text(at, y - 6, self.label, words, "end" if self.end else "start"))
        return found


@dataclass(frozen=True, kw_only=True)
class Rectangles(Layer):
    """A rectangle for each row: from `x` to `x2`, and from `y` to `y2`.

    On an axis of names it is as wide as its name's room.
    """

    x2: str = ""
    y2: str = ""
    base: float = 0.0
    """Where it ends if there is no `y2`."""
    rim: float = 0.0
    """How wide its edge is, in pixels."""

    def draw(self, frame: Frame, pen: Pen) -> list[str]:
        found = []
        for row in self.rows:
            tint = self.tint_of(row)
            left, right = self._ends(frame, row)
            one = frame.up(row[self.y])
            two = frame.up(row[self.y2] if self.y2 else self.base)
            looks = pen.paint(fill=tint, stroke=tint if self.rim else "")
            looks |= {"stroke-width": f"{self.rim:g}"} if self.rim else {}
            if self.opacity < 1:
                looks["fill-opacity"] = f"{self.opacity:g}"
            box = {"x": left, "y": min(one, two), "width": right - left, "height": abs(two - one)}
            found.append(element("rect", looks | box, self.said(row)))
        return found

    def _ends(self, frame: Frame, row: Row) -> tuple[float, float]:
        if not isinstance(frame.x, Band):
            one, two = frame.across(row[self.x]), frame.across(row[self.x2])
            return min(one, two), max(one, two)
        many = 1 if self.beside is None else len(self.beside.names)
        half = 0.38 * frame.width / len(frame.x.names) / many
        middle = frame.across(row[self.x], self.aside(row))
        return middle - half, middle + half


@dataclass(frozen=True, kw_only=True)
class Words(Layer):
    """A text for each row, beside the place where it belongs."""

    text: str
    dx: float = 0.0
    dy: float = 0.0
    anchor: str = "middle"
    size: float = 12
    bold: bool = False
    faint: str = ""
    """A field that is true where the text is less important."""

    def draw(self, frame: Frame, pen: Pen) -> list[str]:
        found = []
        for row in self.rows:
            x, y = self.spot(frame, row)
            tint = "quiet" if self.faint and row[self.faint] else self.tint_of(row)
            looks = _words(pen, tint, self.size, bold=self.bold)
            words = str(row[self.text])
            if words:
                at = (x + self.dx, y + self.dy)
                found.append(text(*at, words, looks, self.anchor, self.said(row)))
        return found


def _words(pen: Pen, tint: str, size: float, *, bold: bool) -> dict[str, object]:
    """Letters with a rim of the paper's colour, which keeps lines out of them."""
    looks = pen.paint(fill=tint, stroke="paper") | {"font-size": f"{size:g}"}
    if bold:
        looks["font-weight"] = "600"
    return looks | {"stroke-width": "4", "stroke-linejoin": "round", "paint-order": "stroke"}
