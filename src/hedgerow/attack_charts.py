"""A chart of attacks: what each found, next to what guessing finds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.attacks.base import AttackResult
from hedgerow.charts import COLOURS, dressed
from hedgerow.errors import HedgerowError

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
        other = result.baseline if result.control is None else result.control
        rows.append(
            {
                "attack": name,
                "found": result.found.value,
                "low": low,
                "high": high,
                "guessing": other.value,
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
    widest = max(max(row["high"], row["guessing"]) for row in rows)
    x = alt.X("found:Q", title="right guesses", axis=alt.Axis(format="%", gridColor="#e6e9ed"),
              scale=alt.Scale(domain=[0, min(1.0, max(0.05, 1.15 * widest))]))  # fmt: skip
    shares = [alt.Tooltip(f"{name}:Q", format=".2%") for name in ("found", "guessing", "gain")]
    tips = [alt.Tooltip("goal:N"), *shares]
    between = base.mark_rule(color="#c9ced6", strokeWidth=2).encode(
        y=y, x=alt.X("guessing:Q"), x2="found:Q"
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
    told = "; ".join(f"{row['attack']}: {row['found']:.1%}, {row['guessing']:.1%} by guessing"
                     for row in rows)  # fmt: skip
    plot = alt.layer(between, interval, guessing, found).properties(
        width=width, height=STEP * len(rows) + 10
    )
    chart: alt.LayerChart = dressed(alt, plot, title, f"{subtitle}; rings: guessing", told)
    return chart


def names_of(results: Sequence[AttackResult]) -> list[str]:
    """Names that differ: with the release, where an attack was tried on several."""
    plain = [result.attack for result in results]
    names = []
    for i, result in enumerate(results):
        release = result.detail.get("release")
        twice = plain.count(result.attack) > 1
        where = f" ({_short(str(release))})" if twice and release else ""
        name = result.attack + where
        names.append(name if name not in names else f"{name} {i + 1}")
    return names


def _short(release: str) -> str:
    """A folder called release says nothing; the one it is in does."""
    path = Path(release)
    return path.parent.name if path.name == "release" and path.parent.name else path.name
