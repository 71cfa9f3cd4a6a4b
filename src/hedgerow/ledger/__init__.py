"""The ledger: every release of a population, what it cost, and what is left."""

from __future__ import annotations

from hedgerow.ledger.amounts import NOTHING as NOTHING
from hedgerow.ledger.amounts import Amounts as Amounts
from hedgerow.ledger.book import Ledger as Ledger
from hedgerow.ledger.entry import Checked as Checked
from hedgerow.ledger.entry import Entry as Entry
from hedgerow.ledger.entry import Kind as Kind
from hedgerow.ledger.entry import Position as Position
from hedgerow.ledger.entry import Tip as Tip
from hedgerow.ledger.errors import AmountError as AmountError
from hedgerow.ledger.errors import BudgetError as BudgetError
from hedgerow.ledger.errors import LedgerError as LedgerError

__all__ = [
    "NOTHING",
    "AmountError",
    "Amounts",
    "BudgetError",
    "Checked",
    "Entry",
    "Kind",
    "Ledger",
    "LedgerError",
    "Position",
    "Tip",
]
