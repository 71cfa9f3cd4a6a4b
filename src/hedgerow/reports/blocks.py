"""What a report is made of: sections of paragraphs, tables and charts, as plain data.

Nothing here knows about HTML; the page escapes every text when it is rendered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

Cell = str
"""A cell of a table, as it is shown."""


@dataclass(frozen=True, kw_only=True)
class Text:
    """A paragraph."""

    text: str
    tone: str = ""
    """"warning" stands out; "quiet" steps back."""


@dataclass(frozen=True, kw_only=True)
class Commands:
    """Lines to type."""

    lines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under a head."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numbers: frozenset[int] = frozenset()
    """Columns of numbers, which stand to the right."""
    verdicts: int | None = None
    """The column that says whether something holds: it has a colour besides its word."""
    caption: str = ""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A drawing with its name, and the numbers in it as a table."""

    name: str
    """What it shows, for those who do not see it too."""
    svg: str
    """From `hedgerow.charts.report_charts`, which escapes what it is given."""
    table: Table


Block = Text | Commands | Table | Chart


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading and what stands under it."""

    title: str
    blocks: tuple[Block, ...]
    anchor: str = field(default="")

    @property
    def id(self) -> str:
        """Where links lead; letters and digits only."""
        words = self.anchor or self.title
        return "".join(c if c.isascii() and c.isalnum() else "-" for c in words.lower())


def section(title: str, *blocks: Block | None) -> Section:
    """A section of those blocks that are there."""
    return Section(title=title, blocks=tuple(block for block in blocks if block is not None))


def facts(*pairs: tuple[str, str | None], caption: str = "") -> Table:
    """A table of two columns: what, and what of it; without those that have nothing to say."""
    rows = tuple((name, value) for name, value in pairs if value is not None)
    return Table(head=(), rows=rows, caption=caption)


def number(value: float | None) -> str:
    """A number for people: whole ones with commas, others to six digits.

    >>> number(20000), number(0.0909090909), number(math.inf), number(None), number(-0.0)
    ('20,000', '0.0909091', 'infinite', '', '0')
    """
    if value is None:
        return ""
    if math.isinf(value):
        return "infinite"
    if math.isnan(value):
        return "none"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.6g}"


def share(part: float, whole: float) -> str:
    """A part of a whole, in per cent.

    >>> share(966, 20000), share(1, 20000), share(0, 0)
    ('4.8 %', '0.005 %', '0 %')
    """
    if not whole or not part:
        return "0 %"
    found = 100 * part / whole
    return f"{found:.1f} %" if found >= 0.1 else f"{found:.1g} %"


def listed(names: Sequence[str], *, most: int = 12) -> str:
    """Names with commas, and how many more there are.

    >>> listed(["a", "b", "c"], most=2), listed([])
    ('a, b and 1 more', 'none')
    """
    if not names:
        return "none"
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
