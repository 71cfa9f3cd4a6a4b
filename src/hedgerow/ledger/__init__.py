"""The ledger: every release of a population, what it cost, and what is left."""

from __future__ import annotations

from hedgerow.base.errors import AmountError as AmountError
from hedgerow.base.errors import BudgetError as BudgetError
from hedgerow.base.errors import LedgerError as LedgerError
from hedgerow.ledger.book import Ledger as Ledger
from hedgerow.ledger.entry import Checked as Checked
from hedgerow.ledger.entry import Entry as Entry
from hedgerow.ledger.entry import Kind as Kind
from hedgerow.ledger.entry import Position as Position
from hedgerow.ledger.entry import Tip as Tip
from hedgerow.noise.amounts import NOTHING as NOTHING
from hedgerow.noise.amounts import Amounts as Amounts

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
