"""Reservation: what is about to be published is in the ledger before anybody looks at the data."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hedgerow.base.errors import HedgerowError
from hedgerow.base.faults import point
from hedgerow.noise.amounts import NOTHING, Amounts

if TYPE_CHECKING:
    from hedgerow.ledger.book import Ledger
    from hedgerow.ledger.entry import Entry


@dataclass(frozen=True, kw_only=True)
class Intent:
    """One thing that is about to be done."""

    key: str
    """The same for the same request."""
    what: Mapping[str, Any]
    """What the ledger is told of it."""
    spend: Amounts = NOTHING
    """What it costs; nothing for a release without noise."""


@dataclass(eq=False)
class Reservation:
    """Entries of the ledger that say what is about to be done."""

    ledger: Ledger
    entries: tuple[Entry, ...]
    recorded: bool = False
    """Whether what came of it is in the ledger, too; then it counts as published."""

    def record(
        self, outcomes: Sequence[tuple[Mapping[str, Any], bytes]], *, after: int | None = None
    ) -> None:
        """Record what came of it: for each entry its body, and the bytes that tell it again.

        Args:
            outcomes: In the order of the entries.
            after: The last release of the population that was looked at, where one was.

        Raises:
            LedgerError: It cannot be written, or another release of the population came first.
        """
        with self.ledger.at_once():
            for entry, (body, content) in zip(self.entries, outcomes, strict=True):
                self.ledger.released(entry, body=body, content=content, after=after)
        self.recorded = True

    def tip(self, entry: Entry, statements: Sequence[str]) -> dict[str, Any]:
        """For the certificate: where in the ledger a release stands.

        Args:
            entry: Its reservation.
            statements: What the plan says of the people that nobody checks.
        """
        return {
            "id": self.ledger.id,
            "seq": entry.seq,
            "hash": entry.hash,
            "reservation": entry.reservation,
            **({"stated": list(statements)} if statements else {}),
        }


@contextlib.contextmanager
def reserved(
    ledger: Ledger,
    population: str,
    intents: Sequence[Intent],
    *,
    admit: Callable[[], None],
    explain: Callable[[BaseException, Sequence[Entry]], None] = lambda error, entries: None,
) -> Iterator[Reservation]:
    """Reserve, and if nothing is recorded, say that it failed. What was spent stays spent.

    Args:
        ledger: The ledger.
        population: Whose privacy it is about.
        intents: What is about to be done: all are reserved, or none is.
        admit: Refuses what must not be added to what is there. Nobody else writes to the ledger
            between its look and the reservation.
        explain: Adds to an error what it has cost.

    Raises:
        BudgetError: It does not fit into the budget; nothing is reserved.
    """
    with ledger.at_once():
        admit()
        entries = tuple(
            ledger.reserve(population, key=one.key, what=one.what, spend=one.spend)
            for one in intents
        )
    found = Reservation(ledger, entries)
    try:
        point("reserved")
        yield found
    except BaseException as error:
        if not found.recorded:
            why = error.what if isinstance(error, HedgerowError) else type(error).__name__
            # The first error is what the steward has to hear of.
            with contextlib.suppress(HedgerowError), ledger.at_once():
                for entry in entries:
                    ledger.failed(entry, why=why)
        explain(error, entries)
        raise
