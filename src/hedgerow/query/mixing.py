"""One population, one way to be neighbours: losses under different ones do not add up.

Removing a person and changing one are different promises: an answer that hides the one at epsilon
hides the other at twice that, or not at all.

Under two policies an edge of one need not be an edge of the other, and answers under the other may
tell its ends apart for certain. So a population's spends are all under one policy. Plain answers
whose neighbours are change-one may stand among them, since each is as good under every policy;
plain answers whose neighbours are add-remove may not: a changed row is two of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hedgerow.blowfish.stated import Stated
from hedgerow.dp.neighbours import Neighbouring, Neighbours
from hedgerow.errors import PlanError
from hedgerow.ledger.entry import CLOSING, Entry, Kind
from hedgerow.ledger.which import PARTITION

if TYPE_CHECKING:
    from hedgerow.ledger import Ledger

POLICY, NEIGHBOURS = "policy", "neighbours"
"""Keys of what the ledger is told of an answer."""
CHANGE_ONE = Neighbouring.CHANGE_ONE.value


def require_one_policy(
    ledger: Ledger,
    population: str,
    stated: Stated | None,
    neighbours: Neighbours,
    *,
    before: int | None = None,
) -> None:
    """Refuse an answer whose loss would not add up with what was spent.

    Args:
        ledger: Where it would be charged.
        population: Whose budget it is.
        stated: The policy of the answer; None: plain differential privacy.
        neighbours: Of the answer.
        before: Look only at entries before this one.

    Raises:
        PlanError: Something was answered under another policy, or under other neighbours.
    """
    for entry in _spending(ledger, population, before):
        other = entry.body.get(POLICY)
        told = str(entry.body.get(NEIGHBOURS, ""))
        if stated is None and other is not None:
            raise _refused(
                entry, population, f"was answered under the policy {str(other)[:8]}",
                "Ask with the plan that has the policy: without one, the sum of what was "
                "spent would be taken for differential privacy, which it is not. Or use "
                "another population, and account for the two apart.",
            )  # fmt: skip
        if stated is not None and other is not None and other != stated.digest:
            raise _refused(
                entry, population,
                f"was answered under the policy {str(other)[:8]}, and this plan has "
                f"{stated.name}",
                "Losses under two policies do not add up. Ask under the first, or decide anew "
                "under another population.",
            )  # fmt: skip
        if stated is not None and other is None and not told.startswith(CHANGE_ONE):
            raise _refused(
                entry, population, "was paid for under other neighbours than change-one",
                "A changed row is one removed and one added: its loss would count twice. Use "
                "another population for the policy.",
            )  # fmt: skip
        if stated is None and not told.startswith(neighbours.kind.value):
            raise _refused(
                entry, population,
                f"was paid for under other neighbours than {neighbours.kind.value}",
                "To remove a person and to change one are different promises, and their losses "
                "do not add up. Ask under the first, or use another population.",
            )  # fmt: skip


def _spending(ledger: Ledger, population: str, before: int | None) -> Iterator[Entry]:
    """What was reserved for answers, as far back as has to be looked at.

    What failed told nobody anything. The newest that was released was checked against all before
    it: what goes with that one goes with them.
    """
    for limit in (64, 4096, None):
        closed: dict[str, Kind] = {}
        found: list[Entry] = []
        entries = list(ledger.entries(population=population, limit=limit))
        for entry in reversed(entries):
            if entry.kind in CLOSING:
                closed[entry.reservation] = entry.kind
            elif entry.kind is Kind.RESERVE and (before is None or entry.seq < before):
                state = closed.get(entry.reservation)
                if state is Kind.FAILED or entry.body.get("kind") == PARTITION:
                    continue
                found.append(entry)
                if state is Kind.RELEASED:
                    yield from found
                    return
        if limit is None or len(entries) < limit:
            yield from found
            return


def _refused(entry: Entry, population: str, why: str, fix: str) -> PlanError:
    return PlanError(f"entry {entry.seq} of {population!r} {why}", where="the ledger", fix=fix)
