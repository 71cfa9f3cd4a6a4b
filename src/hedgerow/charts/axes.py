"""Axes: a scale with its ticks, their labels and a title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.charts.elements import rule, text
from hedgerow.charts.looks import Pen, text_width
from hedgerow.charts.marks import Frame
from hedgerow.charts.scales import Band, Label, Scale, plain

SIZE = 12
"""Of labels and titles."""
TICK = 5
"""How long a tick is, in pixels."""
LONGEST = 320
"""Pixels that the name of a line may take."""
TITLE = 20
"""Pixels that the title of an axis takes."""


@dataclass(frozen=True, kw_only=True)
class ChartAxis:
    """One of the two axes of a plot."""

    scale: Scale
    title: str = ""
    ticks: Sequence[float] | None = None
    """Where they are; the scale's own if left out."""
    many: int = 8
    """About how many ticks the scale chooses."""
    label: Label = plain
    grid: bool = False
    line: bool = True
    drawn: bool = True
    """If not, it only says where things stand."""

    def places(self) -> list[tuple[float | str, str]]:
        """Each tick and what is written at it."""
        if not self.drawn:
            return []
        if isinstance(self.scale, Band):
            return [(name, shortened(name)) for name in self.scale.names]
        ticks = self.scale.ticks(self.many) if self.ticks is None else self.ticks
        return [(tick, self.label(tick)) for tick in ticks]

    def breadth(self) -> float:
        """Pixels left of a plot that it needs as an upright axis."""
        widest = max((text_width(label, SIZE) for _, label in self.places()), default=0.0)
        return (widest + TICK + 5 if self.drawn else 0.0) + (TITLE if self.title else 0.0)

    def depth(self) -> float:
        """Pixels under a plot that it needs as a level axis."""
        return (22.0 if self.drawn else 0.0) + (TITLE if self.title else 0.0)

    def overhang(self) -> float:
        """Pixels that the last label of a level axis reaches beyond the plot."""
        places = self.places()
        if not places or isinstance(self.scale, Band):
            return 0.0
        last = max(places, key=lambda place: self.scale.part(place[0]))  # type: ignore[arg-type]
        return max(0.0, text_width(last[1], SIZE) / 2 - 4)

    def draw_grid(self, frame: Frame, pen: Pen, *, upright: bool) -> list[str]:
        """A thin line across the plot at each tick."""
        if not self.grid:
            return []
        low, right = frame.top + frame.height, frame.left + frame.width
        if upright:
            spots = [frame.up(tick) for tick, _ in self.places()]
            ends = [(frame.left, at, right, at) for at in spots]
        else:
            spots = [frame.across(tick) for tick, _ in self.places()]
            ends = [(at, frame.top, at, low) for at in spots]
        return [rule(*end, pen.paint(stroke="grid")) for end in ends]

    def draw_level(self, frame: Frame, pen: Pen) -> list[str]:
        """Under the plot."""
        low, right = frame.top + frame.height, frame.left + frame.width
        words, thin = _looks(pen)
        parts = []
        reached = float("-inf")
        for tick, label in sorted(self.places(), key=lambda place: frame.across(place[0])):
            at, half = frame.across(tick), text_width(label, SIZE) / 2
            if self.line and not isinstance(self.scale, Band):
                parts.append(rule(at, low, at, low + TICK, thin))
            if at - half > reached:
                parts.append(text(at, low + 18, label, words, "middle"))
                reached = at + half + 3
        if self.line and self.drawn:
            parts.append(rule(frame.left, low, right, low, thin))
        if self.title:
            quiet = pen.paint(fill="quiet") | {"font-size": SIZE}
            middle = (frame.left + right) / 2
            parts.append(text(middle, low + self.depth() - 4, self.title, quiet, "middle"))
        return parts

    def draw_upright(self, frame: Frame, pen: Pen) -> list[str]:
        """Left of the plot."""
        low = frame.top + frame.height
        words, thin = _looks(pen)
        ticked = self.line and not isinstance(self.scale, Band)
        parts = []
        reached = float("inf")
        for tick, label in sorted(self.places(), key=lambda place: -frame.up(place[0])):
            at = frame.up(tick)
            if ticked:
                parts.append(rule(frame.left - TICK, at, frame.left, at, thin))
            if at + SIZE / 2 < reached:
                edge = frame.left - TICK - 4
                parts.append(text(edge, at + 4.2, label, words, "end"))
                reached = at - SIZE / 2
        if ticked and self.drawn:
            parts.append(rule(frame.left, frame.top, frame.left, low, thin))
        if self.title:
            x, y = frame.left - self.breadth() + 11, frame.top + frame.height / 2
            turned = {"font-size": SIZE, "transform": f"rotate(-90 {x:.1f} {y:.1f})"}
            parts.append(text(x, y, self.title, pen.paint(fill="quiet") | turned, "middle"))
        return parts


def _looks(pen: Pen) -> tuple[dict[str, object], dict[str, object]]:
    return pen.paint(fill="ink") | {"font-size": SIZE}, pen.paint(stroke="line")


def shortened(name: str) -> str:
    """A name that has room beside a plot."""
    if text_width(name, SIZE) <= LONGEST:
        return name
    while text_width(name, SIZE) > LONGEST - SIZE:
        name = name[:-1]
    return f"{name}…"
