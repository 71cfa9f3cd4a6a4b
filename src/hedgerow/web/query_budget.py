"""What the ledger says to somebody who asks: how full the budget is, and what was asked before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from hedgerow.api import ANSWER, NOTHING, EntryKind

if TYPE_CHECKING:
    from hedgerow.api import Amounts, Entry, Position


@dataclass(frozen=True, kw_only=True)
class Gauge:
    """How full a budget is, in one currency."""

    currency: str
    budget: str
    spent: str
    left: str
    share: float
    """Spent, from 0 to 1."""
    adds: float = 0.0
    """What a question would add, as a share of the budget; 0 where there is none."""
    after: str = ""
    """What would be left then; empty where it does not fit."""
    fits: bool = True


def gauges(position: Position, cost: Amounts = NOTHING) -> list[Gauge]:
    """The budget of a population in every currency it has, and what a cost would leave of it."""
    if position.budget is None:
        return []
    budget, spent, then = position.budget.units, position.spent.units, position.after(cost)
    after = then.left_of(position.budget).texts()
    left = position.spent.left_of(position.budget).texts()
    found = []
    for name, text in position.budget.texts().items():
        fits = then.units[name] <= budget[name]
        if position.standing is not None:  # one statement: it fits as a whole, or not
            fits = position.admits(cost)
        found.append(
            Gauge(
                currency=name,
                budget=text,
                spent=position.spent.texts().get(name, "0"),
                left=left.get(name, "0"),
                share=min(1.0, spent[name] / budget[name]),
                adds=min(1.0, max(0, then.units[name] - spent[name]) / budget[name]),
                after=after.get(name, "0") if fits else "",
                fits=fits,
            )
        )
    return found


def too_dear(position: Position, cost: Amounts) -> str:
    """Why a question cannot be paid for; empty if it can."""
    if position.budget is None:
        return f"{position.population!r} has no budget, so nothing can be spent."
    if position.admits(cost):
        return ""
    if position.standing is not None and position.standing.account.budget.amounts().delta:
        share = min(100, ceil(100 * position.used))
        return f"It costs {cost}, and {share} % of the budget is spent: it would be refused."
    left = position.spent.left_of(position.budget)
    return f"It costs {cost}, and what is left is {left}: it would be refused."


@dataclass(frozen=True, kw_only=True)
class Past:
    """A question of the ledger, in a list."""

    seq: int
    at: str
    words: str
    spent: str
    reservation: str
    outcome: str = ""
    """Why there is no answer, where there is none; it stays charged all the same."""


def history(entries: Iterable[Entry]) -> list[Past]:
    """What was asked about a population and what became of it, the newest first.

    Args:
        entries: All of the population, oldest first.
    """
    asked: dict[str, Past] = {}
    for entry in entries:
        if entry.kind == EntryKind.RESERVE and entry.body.get("kind") == ANSWER:
            asked[entry.reservation] = Past(
                seq=entry.seq,
                at=entry.at[:16].replace("T", " "),
                words=str(entry.body.get("name", "")),
                spent=str(entry.spend),
                reservation=entry.reservation,
                outcome="no answer: under way, or cut short",
            )
        elif entry.reservation in asked:
            failed = entry.kind == EntryKind.FAILED
            why = f"no answer: {entry.body.get('why', '')}" if failed else ""
            asked[entry.reservation] = replace(asked[entry.reservation], outcome=why)
    return list(asked.values())[::-1]
