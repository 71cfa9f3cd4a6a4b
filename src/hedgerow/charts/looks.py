"""Colours, dashes and letters: what a chart looks like, on a page and in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FONT = (
    "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', 'Liberation Sans', "
    "'Noto Sans', sans-serif"
)
SERIES = 7
"""How many series have a colour and a symbol of their own."""
TINTS: Mapping[str, tuple[str, str]] = {
    "s0": ("#0072B2", "#5BAEEB"),
    "s1": ("#D55E00", "#FF9248"),
    "s2": ("#009E73", "#3FC79C"),
    "s3": ("#AA3377", "#E48ABF"),
    "s4": ("#56B4E9", "#A6DBF7"),
    "s5": ("#B8860B", "#E3BD55"),
    "s6": ("#444444", "#C4C8C6"),
    "ink": ("#24292f", "#e6ebe7"),
    "quiet": ("#59636e", "#a3afa8"),
    "empty": ("#8c959f", "#7d8983"),
    "line": ("#6e7781", "#7d8983"),
    "faint": ("#d8dee4", "#414b45"),
    "grid": ("#eaeef2", "#2c3530"),
    "paper": ("#ffffff", "#1c221f"),
}
"""Every colour by its name, in the light and in the dark.

The first seven are told apart by the colour-blind too; a series also has its own symbol or dash.
"""
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke")
DASHES = ("", "6 3", "2 2", "8 3 2 3", "12 4", "1 3")

_NARROW, _SLIM, _WIDE = map(frozenset, ("ijl|'.,:;!I ", 'frt()[]{}/-"*', "mwMW%@…"))


@dataclass(frozen=True)
class Pen:
    """Paints by name: with classes for a page's style sheet, with colours for a file."""

    page: bool = False

    def paint(self, *, fill: str = "none", stroke: str = "") -> dict[str, object]:
        """Attributes that fill and stroke an element.

        >>> Pen().paint(fill="s0"), Pen(page=True).paint(fill="s0", stroke="ink")
        ({'fill': '#0072B2'}, {'class': 'fill-s0 stroke-ink'})
        """
        named = {"fill": fill, "stroke": stroke}
        tints = {key: tint for key, tint in named.items() if tint not in ("", "none")}
        found: dict[str, object] = {"fill": "none"} if fill == "none" else {}
        if not self.page:
            return found | {key: TINTS[tint][0] for key, tint in tints.items()}
        classes = " ".join(f"{key}-{tint}" for key, tint in tints.items())
        return found | ({"class": classes} if classes else {})


def style_sheet() -> str:
    """Of pages with charts: light, dark, and on paper."""
    light = " ".join(f"--chart-{name}: {pair[0]};" for name, pair in TINTS.items())
    dark = " ".join(f"--chart-{name}: {pair[1]};" for name, pair in TINTS.items())
    rules = "\n".join(
        f".fill-{name} {{ fill: var(--chart-{name}); }} "
        f".stroke-{name} {{ stroke: var(--chart-{name}); }}"
        for name in TINTS
    )
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        ".figure { max-width: 100%; height: auto; }\n"
        f"{rules}\n"
    )


def text_width(words: str, size: float, *, bold: bool = False) -> float:
    """About how wide words are, in pixels; rather too wide than too narrow.

    >>> text_width("mill", 10) < text_width("MMMM", 10)
    True
    """
    return size * (1.08 if bold else 1.0) * sum(map(_em, words))


def _em(letter: str) -> float:
    if letter in _NARROW:
        return 0.32
    if letter in _SLIM:
        return 0.4
    if letter in _WIDE:
        return 0.93
    return 0.7 if letter.isupper() else 0.62


def wrapped(words: str, size: float, room: float) -> list[str]:
    """Lines that fit into so many pixels, broken between words."""
    lines: list[str] = []
    for line in words.split("\n"):
        here = ""
        for word in line.split(" "):
            longer = f"{here} {word}" if here else word
            if here and text_width(longer, size) > room:
                lines.append(here)
                here = word
            else:
                here = longer
        lines.append(here)
    return lines
