"""The ledger: every release of a population, what it cost, and what is left."""

from __future__ import annotations

from hedgerow.base.errors import AmountError as AmountError
from hedgerow.base.errors import BudgetError as BudgetError
from hedgerow.base.errors import LedgerError as LedgerError
from hedgerow.ledger.book import Ledger as Ledger
from hedgerow.ledger.entry import Entry as Entry
from hedgerow.ledger.entry import EntryKind as EntryKind
from hedgerow.ledger.entry import LedgerCheck as LedgerCheck
from hedgerow.ledger.entry import LedgerTip as LedgerTip
from hedgerow.ledger.entry import Position as Position
from hedgerow.noise.amounts import NOTHING as NOTHING
from hedgerow.noise.amounts import Amounts as Amounts

__all__ = [
    "NOTHING",
    "AmountError",
    "Amounts",
    "BudgetError",
    "Entry",
    "EntryKind",
    "Ledger",
    "LedgerCheck",
    "LedgerError",
    "LedgerTip",
    "Position",
]
