"""The study of a plan's adversaries, as plain data: what a steward chooses parameters by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hedgerow.base.errors import TargetError
from hedgerow.charts.figure import Figure
from hedgerow.charts.files import FORMATS

CLASSES = ("class_i", "class_ii", "class_iii")

Labels = Mapping[str, str | None]
"""What a group is published as, by column."""


@dataclass(frozen=True)
class Row:
    """The smallest epsilon against attackers of one stubbornness; None: there are none such.

    Where the stubbornness is infinite, those of a certain prior are class III, and those of any
    prior are class IV.
    """

    stubbornness: float
    own: bool
    """Whether it is the plan's own."""
    class_i: float | None
    class_ii: float | None
    class_iii: float | None


@dataclass(frozen=True)
class NodeStudy:
    """How the claim fares under one recoding."""

    name: str
    levels: dict[str, int] | None
    """None where people of equal values may be published differently."""
    words: dict[str, str]
    """What becomes of each column."""
    groups: int
    people: int
    """People in these groups."""
    left_out: int
    holds: bool
    level: float
    """The smallest epsilon against the plan's own attackers."""
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class GroupBelief:
    """What the plan's attackers believe of the people of one group."""

    labels: dict[str, str | None]
    people: int
    holders: int
    predicate: str
    expected: float
    p_in: float
    p_out: float
    epsilon: float
    sentence: str


@dataclass(frozen=True)
class Breaking:
    """Which data sets would break the claim, if an attacker had seen them."""

    holds_from: float | None
    """The claim holds from this stubbornness (rounded up); None: for nobody."""
    holds_to: float | None
    """To this one (rounded down)."""
    people: float | None
    """Data about more people break it (infinite: none do); None: any do."""
    fewest: int
    """Data about fewer people break it, too; 0 where no data set of these shares is smaller."""
    labels: dict[str, str | None] | None
    """The group in which it breaks first."""
    predicate: str | None
    """What is learned there."""
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class PriorStudy:
    """What the attackers believe before they see anything of the table."""

    own: bool
    """Whether the plan's attackers have one prior; else all values are equally likely in it."""
    stubbornness: float | None
    """Of the plan's attackers, at most; None for class IV."""
    justified: float | None
    """What the prior's data justify; None where it is not made from data."""
    values: int
    """How many there are, in the table or in the prior's source."""
    unseen: tuple[str | None, ...]
    """Values of the table that the prior's source lacks."""
    elsewhere: tuple[str | None, ...]
    """Values of the prior's source that nobody in the table has."""
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class ClaimStudy:
    """One epsilon-privacy claim."""

    claim: str
    of: str
    epsilon: float
    prior: PriorStudy
    nodes: tuple[NodeStudy, ...]
    """The worst groups and what breaks the claim are those of the first."""
    worst: tuple[GroupBelief, ...]
    like_prior: Breaking
    """Data that lead to the prior's expectations."""
    any_prior: Breaking
    """Any data at all, as far as they have no values but the table's."""


@dataclass(frozen=True)
class AdversaryStudy:
    """What the adversaries of a plan mean for its table; made by `explain_adversary`.

    It is about the raw table: for whoever holds that, not for publication.
    """

    claims: tuple[ClaimStudy, ...]
    notes: tuple[str, ...]
    """What there was to say before the study could begin."""

    def summary(self) -> dict[str, Any]:
        """The study as JSON can hold it.

        A level without end is null, a stubbornness or a number of people without end is
        "infinite". Where there are no attackers of a class, it is left out.
        """
        return {"claims": [_claim(claim) for claim in self.claims], "notes": list(self.notes)}

    def plot(self, path: str | Path) -> tuple[Path, ...]:
        """Draw the smallest epsilon against stubbornness: .svg, .html or .png.

        Further claims go to files of their own, numbered: plot.svg, plot-2.svg, ...

        Raises:
            TargetError: It is another kind of file, or cannot be written.
        """
        path = Path(path)
        refuse_plot(path)
        charts = [_chart(claim) for claim in self.claims]
        return tuple(
            chart.save(path.with_stem(f"{path.stem}-{number}") if number > 1 else path)
            for number, chart in enumerate(charts, 1)
        )


def refuse_plot(path: Path) -> None:
    """Refuse a file no plot can be drawn to, before there is anything to draw.

    Raises:
        TargetError: Says which ones can.
    """
    if path.suffix.lower() not in FORMATS:
        raise TargetError(
            f"a plot cannot be saved as {path.name!r}",
            where=str(path),
            fix=f"Give it a name that ends in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
        )
    if not path.parent.is_dir():
        raise TargetError(
            "there is no such folder", where=str(path.parent), fix="Make it, or choose another."
        )


def _chart(claim: ClaimStudy) -> Figure:
    from hedgerow.charts.stubbornness import Line, stubbornness_chart

    lines, left_out = [], []
    certain = "this prior" if claim.prior.own else "all values equally likely"
    for node in claim.nodes:
        prior = {
            row.stubbornness: value
            for row in node.rows
            if (value := row.class_iii if row.class_i is None else row.class_i) is not None
        }
        anything = {
            row.stubbornness: row.class_ii
            for row in node.rows
            if row.class_ii is not None and row.stubbornness < math.inf
        }
        if min([*prior.values(), *anything.values()]) == math.inf:
            left_out.append(node.name)
            continue
        lines += [
            Line(who=f"{certain} (class I, at ∞ class III)", node=node.name, points=prior),
            Line(who="any prior (class II)", node=node.name, points=anything),
        ]
    if not lines:
        raise TargetError(
            f"there is nothing to draw of {claim.claim}: epsilon is infinite throughout",
            fix="Look at coarser levels.",
        )
    more = f"\nInfinite throughout: {', '.join(left_out)}" if left_out else ""
    return stubbornness_chart(
        lines,
        title=f"How private {claim.of} stays as attackers get more stubborn",
        subtitle=f"{claim.claim}{more}",
        required=claim.epsilon,
        required_label=f"the claim: ε = {claim.epsilon:g}",
    )


def _claim(claim: ClaimStudy) -> dict[str, Any]:
    told = asdict(claim)
    told["epsilon"] = float(claim.epsilon)
    told["prior"]["stubbornness"] = endless(claim.prior.stubbornness)
    for node in told["nodes"]:
        node["level"] = _level(node["level"])
        node["rows"] = [
            {"stubbornness": endless(row["stubbornness"]), "own": row["own"]}
            | {c: _level(row[c]) for c in CLASSES if row[c] is not None}
            for row in node["rows"]
        ]
    for group in told["worst"]:
        group["epsilon"] = _level(group["epsilon"])
    for which in ("like_prior", "any_prior"):
        for key in ("holds_from", "holds_to", "people"):
            told[which][key] = endless(told[which][key])
    return told


def endless(number: float | None) -> float | str | None:
    """A number of people, or the stubbornness these justify."""
    return "infinite" if number == math.inf else number


def _level(number: float) -> float | None:
    return None if number == math.inf else number
