"""What the page of attacks shows of people: who loses most, and what is believed of one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class LoserLine:
    """Somebody of whom much is learned."""

    called: str
    pick: Mapping[str, str]
    """What picks them from the list; empty where something of it is missing."""
    value: str
    before: str
    each: tuple[str, ...]
    """With each release alone; none where there is one."""
    together: str
    knowing: str
    why: str


@dataclass(frozen=True, kw_only=True)
class LoserTable:
    """The people who lose most of a column."""

    of: str
    releases: tuple[str, ...]
    lines: tuple[LoserLine, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class BeliefLine:
    """A value of a person."""

    value: str
    before: str
    alone: str
    listed: str
    true: bool


def loser_tables(attacks: Sequence[Mapping[str, Any]]) -> list[LoserTable]:
    """Of each column the people who lose most, from the summaries of attacks."""
    found = []
    for attack in attacks:
        losers = attack["detail"].get("losers")
        if losers:
            each = [one["release"] for one in losers[0]["each"]]
            found.append(
                LoserTable(
                    of=attack["detail"]["of"],
                    releases=tuple(each) if len(each) > 1 else (),
                    lines=tuple(map(_line, losers)),
                    sentences=tuple(attack["sentences"][: 2 if "rows" in attack["detail"] else 1]),
                )
            )
    return found


def belief_lines(told: Mapping[str, Any]) -> list[BeliefLine]:
    """The values of a person that are possible, from the summary of what is believed of them."""
    return [
        BeliefLine(
            value=_value(one["value"]),
            before=f"{one['before']:.1%}",
            alone=f"{one['alone']:.1%}",
            listed="" if one["listed"] is None else between(*one["listed"]),
            true=one["value"] is not None and one["value"] == told["truth"],
        )
        for one in told["beliefs"]
        if one["alone"] or (one["listed"] or (0, 0))[1]
    ]


def between(low: float, high: float) -> str:
    """A belief, or its bounds.

    >>> between(0.5, 0.5), between(0.25, 0.5)
    ('50.0%', '25.0% to 50.0%')
    """
    return f"{low:.1%}" if low == high else f"{low:.1%} to {high:.1%}"


def _line(one: Mapping[str, Any]) -> LoserLine:
    pick = one["person"]
    return LoserLine(
        called=one["called"],
        pick={} if None in pick.values() else pick,
        value=_value(one["value"]),
        before=f"{one['before']:.1%}",
        each=tuple(f"{step['alone']:.1%}" for step in one["each"]) if len(one["each"]) > 1 else (),
        together=f"{'at least ' if one['at_least'] else ''}{one['together']:.1%}",
        knowing=one["knowing"],
        why=one["why"],
    )


def _value(value: str | None) -> str:
    return "missing" if value is None else value
