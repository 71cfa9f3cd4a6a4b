"""What can be wrong with a ledger, a budget or an amount."""

from __future__ import annotations

from hedgerow.base.errors import HedgerowError


class LedgerError(HedgerowError):
    """The ledger cannot be opened, read or written; nothing was recorded."""


class AmountError(HedgerowError):
    """An amount of privacy loss is no amount: negative, zero, not finite, or too large."""


class BudgetError(HedgerowError):
    """A spend does not fit into what is left of a budget; nothing was recorded."""

    exit_code = 1


class NoBudgetError(BudgetError):
    """Nobody set a budget yet, so nothing can be spent: something to set up, not a refusal."""

    exit_code = 2
