"""What a ledger says of a population, for pages: the budget as a gauge, entries as a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.api import EntryKind, currencies, ledger_place, ledger_state
from hedgerow.base.errors import HedgerowError
from hedgerow.web.error_pages import ErrorView, told

if TYPE_CHECKING:
    from hedgerow import Plan
    from hedgerow.api import Amounts, Entry, Position

LEDGER = "ledger.db"
"""A ledger beside the plan."""
NEWEST = 20
"""Entries that are shown."""


@dataclass(frozen=True, kw_only=True)
class CurrencyGauge:
    """One currency of a budget."""

    name: str
    budget: str
    spent: str
    left: str
    share: float
    """Of the budget that is spent; 1 only when nothing is left."""


@dataclass(frozen=True, kw_only=True)
class EntryLine:
    """One entry."""

    number: int
    when: str
    what: str
    spends: str
    name: str


@dataclass(frozen=True, kw_only=True)
class PopulationState:
    """Where a population stands."""

    place: str
    population: str
    releases: int = 0
    gauges: tuple[CurrencyGauge, ...] = ()
    budget: str | None = None
    entries: tuple[EntryLine, ...] = ()
    errors: tuple[ErrorView, ...] = ()


def standing(plan: Plan) -> PopulationState | None:
    """What the plan's ledger says of its population; None where the plan has none."""
    place = ledger_place(plan, None)
    if place is None or plan.population is None:
        return None
    shown = Path(str(place)).name if "://" not in str(place) else str(place).rpartition("@")[2]
    try:
        state = ledger_state(plan, newest=NEWEST)
    except HedgerowError as error:
        return PopulationState(place=shown, population=plan.population, errors=tuple(told(error)))
    if state is None:
        return PopulationState(place=shown, population=plan.population)
    position = state.position
    return PopulationState(
        place=shown,
        population=plan.population,
        releases=position.releases,
        gauges=tuple(_gauge(position, name) for name in currencies(position)),
        budget=None if position.budget is None else str(position.budget),
        entries=tuple(_line(entry) for entry in reversed(state.newest)),
    )


def _gauge(position: Position, name: str) -> CurrencyGauge:
    def text(amounts: Amounts | None) -> str:
        return "none" if amounts is None else amounts.texts().get(name, "0")

    spent = position.spent.units[name]
    budget = 0 if position.budget is None else position.budget.units[name]
    share = 1.0 if spent >= budget else min(0.999, spent / budget)
    return CurrencyGauge(
        name=name, budget=text(position.budget), spent=text(position.spent),
        left=text(position.left), share=share,
    )  # fmt: skip


def _line(entry: Entry) -> EntryLine:
    spends = str(entry.budget if entry.kind == EntryKind.BUDGET else entry.spend)
    return EntryLine(
        number=entry.seq,
        when=entry.at[:16].replace("T", " "),
        what=entry.kind.lower(),
        spends="" if spends == "nothing" else spends,
        name=str(entry.body.get("name") or ""),
    )
