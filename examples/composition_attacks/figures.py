"""The paper's figures, and one for differential privacy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from examples.composition_attacks.experiment import (
    CONFIDENCES,
    Claims,
    Experiment,
    Laboratory,
    Score,
    Spread,
    Way,
)
from examples.composition_attacks.private import Noisy
from examples.composition_attacks.releases import MICRO, RELAXED, STRICT
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Area, Curve, Points, Row
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear, Log, percent, plain
from hedgerow.charts.series import Legend, Series

SCENARIOS: Mapping[str, tuple[tuple[str, str], Way]] = {
    "Mondrian, strict, on both": ((STRICT, STRICT), "group known"),
    "Mondrian, relaxed, on both": ((RELAXED, RELAXED), "group known"),
    "microaggregation on both": ((MICRO, MICRO), "group known"),
    "Mondrian, strict, and microaggregation": ((STRICT, MICRO), "group known"),
    "microaggregation, clusters told apart": ((MICRO, MICRO), "cluster known"),
}
Lines = Mapping[str, Mapping[float, Spread]]
"""Name of the line -> x -> the value and how far it spreads."""


@dataclass(frozen=True)
class Part:
    """One of several plots side by side."""

    title: str
    lines: Lines
    x: str
    y: str
    percent: bool = False
    logarithmic: bool = False
    reverse: bool = False
    """The largest x on the left."""
    percent_x: bool = False


def figures(e: Experiment, noisy: Sequence[Noisy]) -> dict[str, Figure]:
    """Every figure by the name of its file."""
    return {
        "composition_perfect": perfect(e),
        "composition_partial": partial(e),
        "composition_anonymity": anonymity(e),
        "composition_drop": drop(e),
        "composition_diversity": diversity(e),
        "composition_private": private(noisy),
    }


def perfect(e: Experiment) -> Figure:
    panels = []
    for name, lab, working in (
        ("Adult", e.adult, False),
        ("IPUMS", e.ipums, False),
        ("IPUMS, those with an occupation", e.ipums, True),
    ):
        lines = {
            who: {float(k): lab.measured(_perfect, methods, Claims(k=k), way=way, working=working)
                  for k in e.setting.ks}
            for who, (methods, way) in SCENARIOS.items()
        }  # fmt: skip
        panels.append(Part(name, lines, "k", "one value left", percent=True))
    return drawn(
        panels,
        title="Perfect breach: two k-anonymous releases together leave one possible occupation",
        subtitle=f"{_sizes(e.adult)}; {_sizes(e.ipums)}.\n{_spread(e)}",
        width=250,
    )


def partial(e: Experiment) -> Figure:
    panels = [
        Part(
            lab.census.name.partition(" ")[0],
            {f"k = {k}": by_confidence(lab, Claims(k=k)) for k in e.setting.ks},
            "confidence of at least",
            "vulnerable population",
            percent=True,
            reverse=True,
            percent_x=True,
        )
        for lab in e.both
    ]
    return drawn(
        panels,
        title="Partial breach: the attacker is left with few possible occupations",
        subtitle=f"Mondrian, strict, on both; {_spread(e)}",
    )


def anonymity(e: Experiment) -> Figure:
    panels = []
    for lab in e.both:
        wanted: dict[str, Callable[[Score], float]] = {
            "average partition": lambda score: score.partition,
            "average effective anonymity": lambda score: score.prior,
        }
        lines: dict[str, dict[float, Spread]] = {
            "presumed anonymity k": {float(k): Spread(k, k, k) for k in e.setting.ks}
        }
        lines |= {name: by_k(lab, of) for name, of in wanted.items()}
        name = lab.census.name.partition(" ")[0]
        panels.append(Part(name, lines, "k", "people, values", logarithmic=True))
    return drawn(
        panels,
        title="Presumed, actual and effective anonymity of a single release",
        subtitle=f"Mondrian, strict; of the people in both releases; {_spread(e)}",
    )


def drop(e: Experiment) -> Figure:
    panels = []
    for lab in e.both:
        lines = {
            "effective prior anonymity": by_k(lab, lambda score: score.prior),
            "effective posterior anonymity": by_k(lab, lambda score: score.posterior),
        }
        name = lab.census.name.partition(" ")[0]
        panels.append(Part(name, lines, "k", "possible occupations"))
    return drawn(
        panels,
        title="The drop in effective anonymity",
        subtitle=f"Mondrian, strict, on both; {_spread(e)}",
    )


def diversity(e: Experiment) -> Figure:
    lab, k = e.ipums, 10
    plain = {"k-anonymity alone": by_confidence(lab, Claims(k=k))}
    by_l = {f"l = {l:g}": by_confidence(lab, Claims(k=k, l=l)) for l in e.setting.ls}  # noqa: E741
    by_t = {f"t = {t:g}": by_confidence(lab, Claims(k=k, t=t)) for t in e.setting.ts}
    wide = {"x": "confidence of at least", "y": "vulnerable population"}
    shared = {"percent": True, "reverse": True, "percent_x": True}
    return drawn(
        [
            Part("entropy l-diversity", plain | by_l, **wide, **shared),  # type: ignore[arg-type]
            Part("t-closeness", plain | by_t, **wide, **shared),  # type: ignore[arg-type]
        ],
        title="Partial breach where l-diversity or t-closeness is asked for as well",
        subtitle=f"{_sizes(e.ipums)}; Mondrian, strict, k = {k} on both.\n{_spread(e)}",
    )


def private(noisy: Sequence[Noisy]) -> Figure:
    told = [n for n in noisy if n.epsilon is not None]
    belief: dict[str, dict[float, Spread]] = {
        "bound: exp(2 ε)": {},
        "largest seen": {},
    }
    bound, largest = tuple(belief)
    named: dict[str, dict[float, Spread]] = {
        "in both releases": {}, "in neither": {}, "most frequent value": {},
    }  # fmt: skip
    for n in told:
        assert n.epsilon is not None
        assert n.named.control is not None
        limit = n.beliefs[0].bound
        belief[bound][n.epsilon] = Spread(limit, limit, limit)
        belief[largest][n.epsilon] = Spread.of(b.largest for b in n.beliefs)
        for name, rate in (("in both releases", n.named.found), ("in neither", n.named.control)):
            named[name][n.epsilon] = Spread(rate.value, *rate.interval())
        base = n.named.baseline.value
        named["most frequent value"][n.epsilon] = Spread(base, base, base)
    return drawn(
        [
            Part("occupation named by intersection", named, "ε of each release",
                  "right guesses", percent=True),
            Part("belief in a value, with the releases over without", belief,
                  "ε of each release", "factor", logarithmic=True),
        ],
        title="The same attack on differentially private histograms",
        subtitle="left: with 95 % intervals; right: an attacker who knows everybody else's record",
    )  # fmt: skip


def by_k(lab: Laboratory, of: Callable[[Score], float]) -> dict[float, Spread]:
    """Strict Mondrian on both, for every k."""
    return {
        float(k): lab.measured(of, (STRICT, STRICT), Claims(k=k)) for k in lab.setting.ks
    }  # fmt: skip


def by_confidence(lab: Laboratory, claims: Claims) -> dict[float, Spread]:
    """PVP_C of strict Mondrian on both, as shares."""
    scores = lab.scores((STRICT, STRICT), claims)
    return {c: Spread.of(s.pvp[i] for s in scores) for i, c in enumerate(CONFIDENCES)}


def drawn(
    panels: Sequence[Part], *, title: str, subtitle: str, width: int = 360, height: int = 260
) -> Figure:
    """Panels side by side; a line for each name, a band from the least to the largest.

    Panels with the same lines share a legend, others have their own.
    """
    shared = len({tuple(part.lines) for part in panels}) == 1
    plots = [_plot(part, width, height, legend=not shared) for part in panels]
    names = dict.fromkeys(name for part in panels for name in part.lines)
    legends = [Legend(keys=_series(panels[0]).keys())] if shared else []
    return Figure(title=title, subtitle=subtitle, told=", ".join(names), panels=plots,
                  across=True, legends=legends)  # fmt: skip


def _series(part: Part) -> Series:
    return Series(field="line", names=tuple(part.lines), shown=("line", "point"))


def _plot(part: Part, width: int, height: int, *, legend: bool) -> Panel:
    rows: list[dict[str, Any]] = [
        {"line": name, part.x: x, "mean": s.mean, "low": s.low, "high": s.high}
        for name, points in part.lines.items()
        for x, s in points.items()
    ]
    by = _series(part)
    ticks = sorted({row[part.x] for row in rows})
    highest = max(row["high"] for row in rows)
    if part.logarithmic:
        ends = min(row["low"] for row in rows) / 1.15, highest * 1.15
        every = [m * 10**d for d in range(-1, 6) for m in (1, 2, 5)]
        upright = ChartAxis(scale=Log(*ends), ticks=[t for t in every if ends[0] <= t <= ends[1]])
    else:
        upright = ChartAxis(scale=Linear.over([0, highest], many=6), many=6)
    return Panel(
        marks=[
            Area(rows=rows, x=part.x, y="low", to="high", by=by, opacity=0.15),
            Curve(rows=rows, x=part.x, y="mean", by=by),
            Points(rows=rows, x=part.x, y="mean", by=by, size=46, hover=_hover),
        ],
        x=ChartAxis(
            scale=Log(ticks[0] / 1.08, ticks[-1] * 1.08, reverse=part.reverse),
            title=part.x, ticks=ticks,
            label=(lambda share: f"{share:.0%}") if part.percent_x else plain,
        ),
        y=replace(upright, title=part.y, grid=True, label=percent if part.percent else plain),
        title=part.title,
        legends=[Legend(keys=by.keys())] if legend else [],
        width=width,
        height=height,
    )  # fmt: skip


def _hover(row: Row) -> str:
    return f"{row['line']}: {row['mean']:.4g}, {row['low']:.4g} to {row['high']:.4g}"


def _perfect(score: Score) -> float:
    return score.perfect


def _sizes(lab: Laboratory) -> str:
    c = lab.census
    return f"{c.name}: {c.subset:,} people in each release, {c.overlap:,} in both"


def _spread(e: Experiment) -> str:
    return f"lines: mean of {len(e.setting.seeds)} seeds, bands: least to largest"
