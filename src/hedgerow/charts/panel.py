"""A plot: two axes, the marks between them, and what stands above and under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.elements import text
from hedgerow.charts.looks import Pen, text_width
from hedgerow.charts.marks import Frame, Layer
from hedgerow.charts.scales import Linear
from hedgerow.charts.series import Legend

NONE = ChartAxis(scale=Linear(0, 1), drawn=False)
"""An axis that is not drawn, and on which nothing stands."""
NOTE = 18
"""From one sentence under a plot to the next, in pixels."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One plot of a figure."""

    marks: Sequence[Layer] = ()
    """The first are under the others."""
    x: ChartAxis = NONE
    y: ChartAxis = NONE
    width: float = 620
    """Without its axes, in pixels."""
    height: float = 0
    title: str = ""
    subtitle: str = ""
    legends: Sequence[Legend] = ()
    notes: Sequence[str] = ()
    """Sentences under it."""

    def left(self) -> float:
        return self.y.breadth()

    def right(self) -> float:
        return max(self.x.overhang(), 4.0)

    def top(self) -> float:
        titles = 20 * bool(self.title) + 16 * bool(self.subtitle)
        legends = sum(legend.height(self._room()) + 4 for legend in self.legends)
        above = 10 if self.height else 0
        return titles + legends + above

    def bottom(self) -> float:
        notes = NOTE * len(self.notes) + 6 if self.notes else 0
        return self.x.depth() + notes

    def _room(self) -> float:
        """For a legend."""
        return self.left() + self.width

    def whole_width(self) -> float:
        """With its axes; sentences may be wider than the plot."""
        words = [text_width(self.title, 13, bold=True), text_width(self.subtitle, 11)]
        words += [text_width(note, 12) for note in self.notes]
        return max(self.left() + self.width + self.right(), *words)

    def whole_height(self) -> float:
        return self.top() + self.height + self.bottom()

    def draw(self, pen: Pen, left: float, top: float, *, margin: float) -> list[str]:
        """All of it.

        Args:
            pen: Paints it.
            left: Where the plot begins, right of its axis.
            top: Where its title begins.
            margin: Where its words begin.
        """
        parts = []
        y = top
        if self.title:
            bold = {"font-size": 13, "font-weight": "600"}
            parts.append(text(margin, y + 12, self.title, pen.paint(fill="ink") | bold, "start"))
            y += 20
        if self.subtitle:
            quiet = pen.paint(fill="quiet") | {"font-size": 11}
            parts.append(text(margin, y + 9, self.subtitle, quiet, "start"))
            y += 16
        for legend in self.legends:
            parts += legend.draw(pen, margin, y, self._room())
            y += legend.height(self._room()) + 4
        frame = Frame(x=self.x.scale, y=self.y.scale, left=left, top=top + self.top(),
                      width=self.width, height=self.height)  # fmt: skip
        parts += self.x.draw_grid(frame, pen, upright=False)
        parts += self.y.draw_grid(frame, pen, upright=True)
        parts += [*self.x.draw_level(frame, pen), *self.y.draw_upright(frame, pen)]
        for mark in self.marks:
            parts += mark.draw(frame, pen)
        under = frame.top + self.height + self.x.depth() + 6
        words = pen.paint(fill="ink") | {"font-size": 12}
        for i, note in enumerate(self.notes):
            parts.append(text(margin, under + NOTE * i + 12, note, words, "start"))
        return parts

    def data(self) -> list[dict[str, Any]]:
        """The rows behind it, each list once, and what is drawn of them."""
        found: dict[int, dict[str, Any]] = {}
        for mark in self.marks:
            entry = found.setdefault(id(mark.rows), {"drawn": [], "rows": _told(mark)})
            entry["drawn"].append(type(mark).__name__.lower())
        return [entry for entry in found.values() if any(entry["rows"])]


def _told(mark: Layer) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in row.items() if not key.startswith("_")} for row in mark.rows
    ]
