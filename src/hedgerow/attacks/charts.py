"""A chart of attacks: what each found, next to what guessing finds, and to the control."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.attacks.base import AttackResult
from hedgerow.base.errors import HedgerowError
from hedgerow.charts.figures import COLOURS, dressed
from hedgerow.charts.files import save

if TYPE_CHECKING:
    import altair as alt

STEP = 34
"""Pixels from one attack to the next."""


def attacks_chart(
    results: Sequence[AttackResult],
    *,
    title: str = "What attackers find, next to guessing",
    subtitle: str = "share of right guesses; bars are 95 % intervals",
    width: int = 560,
) -> alt.LayerChart:
    """A line for each attack: a dot for what it found with its interval, a ring for guessing.

    A diamond is the control, where there is one. The line leads to what the gain is measured
    against.

    Raises:
        HedgerowError: There is nothing to draw.
    """
    import altair as alt

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
    base = alt.Chart(alt.Data(values=rows))
    y = alt.Y(
        "attack:N",
        sort=names,
        title=None,
        axis=alt.Axis(labelLimit=320, ticks=False, labelPadding=14),
    )
    widest = max(max(row["high"], row["guessing"], row["without"]) for row in rows)
    x = alt.X("found:Q", title="right guesses", axis=alt.Axis(format="%", gridColor="#e6e9ed"),
              scale=alt.Scale(domain=[0, min(1.0, max(0.05, 1.15 * widest))]))  # fmt: skip
    compared = [row for row in rows if row["control"] is not None]
    named = ("found", "guessing", *(["control"] if compared else []), "gain")
    shares = [alt.Tooltip(f"{name}:Q", format=".2%") for name in named]
    tips = [alt.Tooltip("goal:N"), *shares]
    between = base.mark_rule(color="#c9ced6", strokeWidth=2).encode(
        y=y, x=alt.X("without:Q" if compared else "guessing:Q"), x2="found:Q"
    )
    interval = base.mark_rule(color=COLOURS[1], strokeWidth=5, opacity=0.45).encode(
        y=y, x="low:Q", x2="high:Q"
    )
    found = base.mark_point(filled=True, size=90, color=COLOURS[1], opacity=1).encode(
        y=y, x=x, tooltip=tips
    )
    guessing = base.mark_point(
        filled=False, size=90, color=COLOURS[0], strokeWidth=2, opacity=1
    ).encode(y=y, x="guessing:Q", tooltip=tips)
    layers, key = [between, interval, guessing], "rings: guessing"
    if compared:
        control_marks = alt.Chart(alt.Data(values=compared)).mark_point(
            shape="diamond", filled=False, size=130, color=COLOURS[2], strokeWidth=2, opacity=1
        )
        layers.append(control_marks.encode(y=y, x="control:Q", tooltip=tips))
        key += "; diamonds: people not in the release (control)"
    plot = alt.layer(*layers, found).properties(width=width, height=STEP * len(rows) + 10)
    told = "; ".join(map(_told, rows))
    chart: alt.LayerChart = dressed(alt, plot, title, f"{subtitle}; {key}", told)
    return chart


def plot_attacks(results: Sequence[AttackResult], path: Path) -> None:
    """Write the chart to a file that ends in .svg, .html or .png."""
    save(attacks_chart(results), path)


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
