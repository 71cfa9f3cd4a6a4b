"""A figure: one or more plots under a title, as SVG, as a file, in a notebook, and as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.charts.elements import element, escaped, picture, text
from hedgerow.charts.looks import FONT, Pen, wrapped
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import plain
from hedgerow.charts.series import Legend

PADDING = 16
"""White space round a figure, in pixels."""
BESIDE, BELOW = 28, 24
"""Between two plots."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A chart. It shows itself in a notebook; `save` writes it."""

    title: str
    subtitle: str = ""
    told: str
    """What is seen, in words, for those who do not see it."""
    panels: Sequence[Panel]
    across: bool = False
    """Whether plots stand beside each other; else below each other."""
    legends: Sequence[Legend] = ()
    """Those of all plots."""

    @property
    def description(self) -> str:
        """The accessible name."""
        return f"{self.title}: {self.told}"

    def svg(self, *, page: bool = False) -> str:
        """The picture: with its colours, or for a page that has a heading and a style sheet.

        Args:
            page: Leave out title and background, and name colours by classes: see `style_sheet`.
        """
        pen = Pen(page=page)
        pad = 2 if page else PADDING
        room = self._room()
        width = room + 2 * pad
        parts: list[str] = []
        y = float(pad)
        if not page:
            bold = pen.paint(fill="ink") | {"font-size": 16, "font-weight": "600"}
            for line in wrapped(self.title, 17, room):
                parts.append(text(pad, y + 15, line, bold, "start"))
                y += 22
        if self.subtitle:
            quiet = pen.paint(fill="quiet") | {"font-size": 12}
            for line in wrapped(self.subtitle, 12, room):
                parts.append(text(pad, y + 10, line, quiet, "start"))
                y += 16
        y += 8
        for legend in self.legends:
            parts += legend.draw(pen, pad, y, room)
            y += legend.height(room) + 6
        drawn, end = self._panels(pen, pad, y)
        parts += drawn
        height = end + pad
        if not page:
            back = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
            parts.insert(0, element("rect", pen.paint(fill="paper") | back))
        looks: dict[str, object] = {"class": "figure"} if page else {}
        looks |= {"width": f"{width:.0f}", "height": f"{height:.0f}", "font-family": FONT}
        return picture(self.description, width, height, parts, looks)

    def _room(self) -> float:
        """How wide the plots are together."""
        if self.across:
            wide = sum(panel.whole_width() for panel in self.panels)
            return wide + BESIDE * (len(self.panels) - 1)
        left = max(panel.left() for panel in self.panels)
        plots = [left + panel.width + panel.right() for panel in self.panels]
        return max(*plots, *(panel.whole_width() for panel in self.panels))

    def _panels(self, pen: Pen, pad: float, top: float) -> tuple[list[str], float]:
        """The plots, their frames in line with each other; and where they end."""
        parts: list[str] = []
        if self.across:
            x, highest = float(pad), max(panel.top() for panel in self.panels)
            for panel in self.panels:
                down = top + highest - panel.top()
                parts += panel.draw(pen, x + panel.left(), down, margin=x)
                x += panel.whole_width() + BESIDE
            below = max(panel.height + panel.bottom() for panel in self.panels)
            return parts, top + highest + below
        left = pad + max(panel.left() for panel in self.panels)
        for panel in self.panels:
            parts += panel.draw(pen, left, top, margin=pad)
            top += panel.whole_height() + BELOW
        return parts, top - BELOW

    def to_dict(self) -> dict[str, Any]:
        """Its data, with what it says: plain values, as `.json` files have them."""
        return {
            "what": "the data of a Hedgerow chart",
            "title": self.title,
            "subtitle": self.subtitle,
            "description": self.description,
            "plots": [
                {"title": panel.title, "subtitle": panel.subtitle, "x": panel.x.title,
                 "y": panel.y.title, "data": panel.data(), "notes": list(panel.notes)}
                for panel in self.panels
            ],
        }  # fmt: skip

    def tables(self) -> str:
        """Its data as tables of HTML."""
        found = []
        for panel in self.panels:
            for entry in panel.data():
                columns = list(dict.fromkeys(key for row in entry["rows"] for key in row))
                head = "".join(f'<th scope="col">{escaped(column)}</th>' for column in columns)
                lines = "".join(
                    "<tr>" + "".join(f"<td>{_cell(row.get(column))}</td>" for column in columns)
                    + "</tr>"
                    for row in entry["rows"]
                )  # fmt: skip
                name = f"<caption>{escaped(panel.title)}</caption>" if panel.title else ""
                found.append(
                    f"<table>{name}<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
                )
        return "".join(found)

    def save(self, path: str | Path) -> Path:
        """Write it as .svg, .html, .png or .json; see `hedgerow.charts.files.save`."""
        from hedgerow.charts.files import save

        return save(self, path)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return (
            f"<figure>{self.svg()}<details><summary>As a table</summary>{self.tables()}"
            "</details></figure>"
        )


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return escaped(str(value))
    return plain(float(f"{value:.6g}"))


def json_text(figure: Figure) -> str:
    """The data as a file has it."""
    return json.dumps(figure.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
