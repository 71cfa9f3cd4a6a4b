"""Lines and tables on the terminal: text that cannot steer it, paths that are not broken."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.base.errors import printable

console = Console(highlight=False)


def say(text: str, *, style: str = "") -> None:
    """A line as it is: paths and commands are not broken at the edge of the terminal."""
    console.print(plain(text, style=style, keep="\n"), soft_wrap=True)


def tell(text: str) -> None:
    """A sentence or more, broken at the edge of the terminal."""
    console.print(plain(text))


def plain(text: str, *, style: str = "", keep: str = "") -> Text:
    """Text without markup and without control characters."""
    return Text(printable(text, keep=keep), style)


def rounded(value: float) -> str:
    """Four digits, and never fewer than all before the point.

    >>> rounded(10_000), rounded(12345.6), rounded(0.123456), rounded(2.0), rounded(1e20)
    ('10,000', '12,346', '0.1235', '2', '1e+20')
    """
    whole = 1000 <= abs(value) < 1e15
    return f"{value:,.0f}" if whole else f"{value:.4g}"


def columns(*named: tuple[str, Any]) -> Table:
    """An empty table: each column's name, and its side."""
    table = Table(box=None, pad_edge=False)
    for name, side in named:
        table.add_column(plain(name), justify=side)
    return table
