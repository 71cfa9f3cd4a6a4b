"""A chart of attacks: what each found, next to what guessing finds, and to the control."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hedgerow.attacks.base import AttackResult
from hedgerow.base.errors import HedgerowError
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Intervals, Layer, Points, Row
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Band, Linear, percent
from hedgerow.charts.series import Key, Legend

STEP = 34
"""Pixels from one attack to the next."""


def attacks_chart(
    results: Sequence[AttackResult],
    *,
    title: str = "What attackers find, next to guessing",
    subtitle: str = "share of right guesses",
    width: int = 560,
) -> Figure:
    """A line for each attack: a dot for what it found with its interval, a ring for guessing.

    A diamond is the control, where there is one. The line leads to what the gain is measured
    against.

    Raises:
        HedgerowError: There is nothing to draw.
    """
    if not results:
        raise HedgerowError("there is no attack to draw", fix="Say what the attacker knows.")
    names = names_of(results)
    rows: list[dict[str, Any]] = []
    for name, result in zip(names, results, strict=True):
        low, high = result.found.interval()
        control = None if result.control is None else result.control.value
        rows.append(
            {
                "attack": name,
                "found": result.found.value,
                "low": low,
                "high": high,
                "guessing": result.baseline.value,
                "control": control,
                "without": result.without.value,
                "goal": result.goal,
                "gain": result.gain,
            }
        )
    compared = [row for row in rows if row["control"] is not None]
    against = "without" if compared else "guessing"
    layers: list[Layer] = [
        Intervals(rows=rows, y="attack", low=against, high="found", tint="faint", width=2),
        Intervals(rows=rows, y="attack", low="low", high="high", tint="s1", opacity=0.45),
        Points(rows=rows, x="guessing", y="attack", size=90, filled=False, hover=_hover),
    ]
    keys = [Key(label="found, with its 95 % interval", tint="s1", symbol="circle"),
            Key(label="guessing", tint="s0", symbol="circle", filled=False)]  # fmt: skip
    if compared:
        layers.append(Points(rows=compared, x="control", y="attack", symbol="diamond", size=80,
                             filled=False, tint="s2", hover=_hover))  # fmt: skip
        keys.append(Key(label="people not in the release (control)", tint="s2", filled=False,
                        symbol="diamond", size=60))  # fmt: skip
    layers.append(Points(rows=rows, x="found", y="attack", size=90, tint="s1", hover=_hover))
    widest = max(max(row["high"], row["guessing"], row["without"]) for row in rows)
    panel = Panel(
        marks=layers,
        x=ChartAxis(scale=Linear(0, min(1.0, max(0.05, 1.15 * widest))), title="right guesses",
                    label=percent, grid=True, many=10),
        y=ChartAxis(scale=Band(tuple(names))),
        width=width,
        height=STEP * len(rows) + 10,
    )  # fmt: skip
    told = "; ".join(map(_told, rows))
    return Figure(title=title, subtitle=subtitle, told=told, panels=[panel],
                  legends=[Legend(keys=tuple(keys))])  # fmt: skip


def plot_attacks(results: Sequence[AttackResult], path: Path) -> None:
    """Write the chart to a file that ends in .svg, .html, .png or .json."""
    attacks_chart(results).save(path)


def _hover(row: Row) -> str:
    rates = [f"{name} {row[name]:.2%}" for name in ("found", "guessing", "control", "gain")
             if row[name] is not None]  # fmt: skip
    return f"{row['attack']}, {row['goal']}: {', '.join(rates)}"


def _told(row: dict[str, Any]) -> str:
    found = f"{row['attack']}: {row['found']:.1%}, {row['guessing']:.1%} by guessing"
    return found if row["control"] is None else f"{found}, {row['control']:.1%} of the control"


def names_of(results: Sequence[AttackResult]) -> list[str]:
    """Names that differ: with the release and the column, where an attack was tried on several."""
    names: list[str] = []
    for result in results:
        same = [one for one in results if one.attack == result.attack]
        about = [
            shown(result.detail[key])
            for key, shown in (("release", _short), ("of", str))
            if key in result.detail and len({one.detail.get(key) for one in same}) > 1
        ]
        name = f"{result.attack} ({', '.join(about)})" if about else result.attack
        again = sum(one == name or one.startswith(f"{name} #") for one in names)
        names.append(f"{name} #{again + 1}" if again else name)
    return names


def _short(release: Any) -> str:
    """A folder called release says nothing; the one it is in does."""
    path = Path(str(release))
    return path.parent.name if path.name == "release" and path.parent.name else path.name
