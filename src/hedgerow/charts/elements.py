"""Elements of SVG as text: every number with one digit, every text escaped."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from hedgerow.base.errors import printable


def element(name: str, attributes: Mapping[str, object], inside: str = "") -> str:
    """One element; a fraction is written with one digit.

    >>> element("circle", {"cx": 1.25, "cy": 12, "r": 5})
    '<circle cx="1.2" cy="12" r="5"/>'
    """
    parts = [f"<{name}"]
    for key, value in attributes.items():
        shown = f"{value:.1f}" if isinstance(value, float) else escaped(str(value))
        parts.append(f' {key}="{shown}"')
    parts.append(f">{inside}</{name}>" if inside else "/>")
    return "".join(parts)


def text(
    x: float, y: float, words: str, looks: Mapping[str, object], anchor: str, inside: str = ""
) -> str:
    """Words at a place: where they start, end or have their middle."""
    place = {"x": float(x), "y": float(y), "text-anchor": anchor}
    return element("text", {**looks, **place}, escaped(words) + inside)


def rule(x: float, y: float, to_x: float, to_y: float, looks: Mapping[str, object]) -> str:
    """A straight line."""
    ends = {"x1": float(x), "y1": float(y), "x2": float(to_x), "y2": float(to_y)}
    return element("line", {**looks, **ends})


def path(points: Sequence[tuple[float, float]], *, closed: bool = False) -> str:
    """The way through some points, as a path is written.

    >>> path([(0, 0), (1.5, 2)], closed=True)
    'M0.0,0.0L1.5,2.0Z'
    """
    steps = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f"M{steps}{'Z' if closed else ''}"


def picture(
    name: str,
    width: float,
    height: float,
    parts: Sequence[str],
    looks: Mapping[str, object] | None = None,
) -> str:
    """The whole: what it is called for those who do not see it, and what is in it."""
    box = {"viewBox": f"0 0 {width:.0f} {height:.0f}", "role": "img", "aria-label": name}
    here = {**(looks or {}), **box, "xmlns": "http://www.w3.org/2000/svg"}
    return element("svg", here, "".join(parts))


def escaped(words: str) -> str:
    """Text that is only text."""
    return html.escape(printable(words), quote=True)
