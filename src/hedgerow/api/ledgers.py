"""What a ledger says of a population, and whether releases agree with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.base.errors import PlanError
from hedgerow.ledger import Amounts, Entry, EntryKind, Ledger, LedgerCheck, Position
from hedgerow.ledger.choice import ledger_place
from hedgerow.ledger.tips import read_tip
from hedgerow.noise.amounts import PLACES

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan


@dataclass(frozen=True, kw_only=True)
class LedgerState:
    """Where a population stands, and the newest entries about it, oldest first."""

    position: Position
    newest: tuple[Entry, ...]


def ledger_state(plan: Plan, *, newest: int) -> LedgerState | None:
    """What the plan's ledger says of its population; None while there is no ledger.

    Raises:
        LedgerError: It cannot be read.
    """
    place = ledger_place(plan, None)
    if place is None or plan.population is None:
        return None
    if "://" not in str(place) and not Path(place).exists():
        return None
    with Ledger.open(place, create=False) as ledger:
        return LedgerState(
            position=ledger.budget(plan.population),
            newest=tuple(ledger.entries(population=plan.population, limit=newest)),
        )


def set_budget(plan: Plan, budget: str) -> None:
    """Set what the plan's population may lose, such as "epsilon=3, delta=1e-6".

    Raises:
        PlanError: The plan names no ledger, or no population.
        AmountError: It is no budget.
    """
    place = ledger_place(plan, None)
    if place is None or plan.population is None:
        raise PlanError("the plan names no ledger and population", fix="Add them first.")
    amounts = Amounts.read(budget, rounding="down")
    with Ledger.open(place) as ledger:
        ledger.set_budget(plan.population, amounts)


def currencies(position: Position) -> list[str]:
    """The currencies in which a population has a budget, or has spent."""
    limit = position.budget or position.spent
    return [name for name in PLACES if position.spent.units[name] or limit.units[name]]


def policy_of(entry: Entry) -> str | None:
    """The policy that a spend is under; None: there is none."""
    policy = entry.body.get("policy") if entry.kind == EntryKind.RESERVE else None
    return None if policy is None else str(policy)


def policies_of(book: Ledger, population: str) -> list[str]:
    """Under which policies a population's budget was spent, the oldest first."""
    found: dict[str, str] = {}
    for entry in book.entries(population=population):
        if entry.kind == EntryKind.FAILED:  # it told nobody anything
            found.pop(entry.reservation, None)
        elif (policy := policy_of(entry)) is not None:
            found[entry.reservation] = policy
    return list(dict.fromkeys(found.values()))


def verify_ledger(book: Ledger, releases: Sequence[Path]) -> LedgerCheck:
    """Read everything again, and hold the certificates of releases against it.

    Raises:
        LedgerError: A release has no certificate, or was made without a ledger.
    """
    from hedgerow.api.verification import other_than_recorded

    found = book.verify([read_tip(folder) for folder in releases])
    if not found.holds:  # what the entries say is worth nothing
        return found
    other = [why for folder in releases for why in other_than_recorded(folder, book)]
    return LedgerCheck(found.entries, tuple(other))
