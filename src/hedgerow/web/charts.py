"""Charts as pages show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

LEGIBLE = {"labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal"}


def bare(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """A chart for a page, which has a heading and colours of its own, also for the dark."""
    spec = dict(chart.to_dict())
    for dress in ("title", "background", "padding"):
        spec.pop(dress, None)
    return spec | {"config": {"axis": LEGIBLE, "legend": LEGIBLE}}
