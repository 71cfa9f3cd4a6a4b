"""One population, one policy: losses under different policies do not add up.

Under two policies an edge of one need not be an edge of the other, and answers under the other may
tell its ends apart for certain. So a population's spends are all under one policy. Plain answers
whose neighbours are change-one may stand among them, since each is as good under every policy;
plain answers whose neighbours are add-remove may not: a changed row is two of theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.blowfish.stated import Stated
from hedgerow.dp.neighbours import Neighbouring
from hedgerow.errors import PlanError
from hedgerow.ledger.entry import Entry, Kind

if TYPE_CHECKING:
    from hedgerow.ledger import Ledger

POLICY, NEIGHBOURS = "policy", "neighbours"
"""Keys of what the ledger is told of an answer."""


def require_one_policy(
    ledger: Ledger, population: str, stated: Stated | None, *, before: int | None = None
) -> None:
    """Refuse an answer whose loss would not add up with what was spent.

    Args:
        ledger: Where it would be charged.
        population: Whose budget it is.
        stated: The policy of the answer; None: plain differential privacy.
        before: Look only at entries before this one.

    Raises:
        PlanError: Something was answered under another policy, or under none that goes with it.
    """
    for entry in ledger.entries(population=population):
        if before is not None and entry.seq >= before:
            return
        if entry.kind is not Kind.RESERVE:
            continue
        other = entry.body.get(POLICY)
        if stated is None:
            if other is not None:
                raise _refused(
                    entry, population, f"was answered under the policy {str(other)[:8]}",
                    "Ask with the plan that has the policy: without one, the sum of what was "
                    "spent would be taken for differential privacy, which it is not. Or use "
                    "another population, and account for the two apart.",
                )  # fmt: skip
        elif other is not None and other != stated.digest:
            raise _refused(
                entry, population,
                f"was answered under the policy {str(other)[:8]}, and this plan has "
                f"{stated.name}",
                "Losses under two policies do not add up. Ask under the first, or decide anew "
                "under another population.",
            )  # fmt: skip
        elif other is None and entry.spend and not _change_one(entry):
            raise _refused(
                entry, population, "was paid for under other neighbours than change-one",
                "A changed row is one removed and one added: its loss would count twice. Use "
                "another population for the policy.",
            )  # fmt: skip


def _change_one(entry: Entry) -> bool:
    return str(entry.body.get(NEIGHBOURS, "")).startswith(Neighbouring.CHANGE_ONE.value)


def _refused(entry: Entry, population: str, why: str, fix: str) -> PlanError:
    return PlanError(f"entry {entry.seq} of {population!r} {why}", where="the ledger", fix=fix)
