"""Which ledger: small, so that whoever only asks need not load what publishing needs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan

ENVIRONMENT = "HEDGEROW_LEDGER"
"""Names the ledger where neither the plan nor the caller does."""
PARTITION = "partition"
"""What a ledger calls a table of groups; answers with noise are accounted for by their loss."""
LEFT_OUT = "left_out_if_missing"
"""Of a table of groups: the columns of which a row without a value was left out."""
POLICY = "policy"
"""Of an answer: what the policy is known by under which it was given."""


def ledger_place(plan: Plan, where: str | Path | None) -> str | Path | None:
    """The ledger that is given, that the plan names, or that the environment names."""
    return where or plan.ledger or os.environ.get(ENVIRONMENT) or None
