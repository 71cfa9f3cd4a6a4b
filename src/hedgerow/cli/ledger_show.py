"""What people see of a ledger."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from hedgerow.api import EntryKind, currencies, policy_of
from hedgerow.cli.terminal import columns, console, plain, say, tell

if TYPE_CHECKING:
    from hedgerow.api import Amounts, Entry, Position
    from hedgerow.ledger import LedgerCheck, LedgerTip

GAUGE = 10
"""Characters of a full gauge."""
SHORT = 8
"""Digits by which people know a policy."""


def entries(found: Sequence[Entry], *, more: bool) -> None:
    """A line an entry."""
    if not found:
        say("The ledger has no entries about this.")
        return
    table = columns(
        ("entry", "right"), ("when (UTC)", "left"), ("population", "left"), ("", "left"),
        ("reserved", "left"), ("spends or name", "left"),
    )  # fmt: skip
    for e in found:
        spends = str(e.budget if e.kind == EntryKind.BUDGET else e.spend)
        if (policy := policy_of(e)) is not None:
            spends += f" under policy {policy[:SHORT]}"
        name = str(e.body.get("name") or "")
        table.add_row(
            str(e.seq), e.at[:16].replace("T", " "), plain(e.population), e.kind.lower(),
            e.reservation[:8], plain(name if spends == "nothing" else spends),
        )  # fmt: skip
    console.print(table)
    if more:
        say(f"\nThere are older ones: --last {10 * len(found)} shows more.")


def each(found: Sequence[Entry]) -> None:
    """Entries one after the other, with everything in them."""
    for number, entry in enumerate(found):
        if number:
            console.print()
        _entry(entry)


def _entry(found: Entry) -> None:
    say(f"entry {found.seq}: {found.kind.lower()}", style="bold")
    facts = {
        "population": found.population,
        "when (UTC)": found.at,
        "reservation": found.reservation,
        "key": found.key or "",
        "spends": str(found.spend) if found.spend else "",
        "spent so far": str(found.total),
        "follows": found.previous,
        "hash": found.hash,
    }
    for name, value in facts.items():
        if value:
            say(f"{name + ':':<14}{value}")
    say(json.dumps(found.body, indent=2, ensure_ascii=False, sort_keys=True))


def positions(found: Sequence[Position], policies: Mapping[str, Sequence[str]]) -> None:
    """What each population may spend, has spent, and has left.

    Args:
        found: The populations.
        policies: Under which policies what was spent of each.
    """
    if not found:
        say("The ledger is empty.")
        return
    table = columns(
        ("population", "left"), ("releases", "right"), ("open", "right"), ("", "left"),
        ("budget", "right"), ("spent", "right"), ("left", "right"), ("", "left"),
    )  # fmt: skip
    table.columns[-1].no_wrap = True
    for p in found:
        first = [plain(p.population), Text(str(p.releases)), Text(str(p.reserved_open))]
        used = currencies(p)
        if not used:
            table.add_row(*first, "no budget")
        for name in used:
            table.add_row(*first, *_currency(p, name))
            first = [Text("")] * 3
    console.print(table)
    for p in found:
        tell_account(p)
        if names := [f"policy {policy[:SHORT]}" for policy in policies.get(p.population, ())]:
            tell(
                f"{p.population}: what is spent is under {' and '.join(names)}, which is no "
                "differential privacy."
            )


def tell_account(p: Position) -> None:
    """What a budget says of all spends together, and what else fits."""
    if p.standing is None:
        return
    told = f"{p.population}: {p.standing.words} for all answers together"
    if p.last:
        more = p.more(p.last)
        told += (
            f". At the price of the last one ({p.last}), {more:,} more fit"
            if more
            else (f". Another one like the last ({p.last}) does not fit")
        )
    tell(f"{told}.")


def budget_lines(p: Position, currencies: Container[str], under: str = "") -> list[str]:
    """How full a budget is, in each currency that matters.

    Args:
        p: Where a population stands.
        currencies: Of what was spent just now.
        under: Under which policy.
    """
    if p.budget is None:
        return []
    return [
        f"budget of {p.population}: {name} {gauge(p.spent.units[name], p.budget.units[name])} "
        f"{p.spent.texts().get(name, '0')} of {text} spent{under}"
        for name, text in p.budget.texts().items()
        if name in currencies or (p.standing is not None and name != "delta")
    ]


def _currency(p: Position, name: str) -> list[Text]:
    def text(amounts: Amounts | None) -> str:
        return "none" if amounts is None else amounts.texts().get(name, "0")

    full = gauge(p.spent.units[name], 0 if p.budget is None else p.budget.units[name])
    return [Text(cell) for cell in (name, text(p.budget), text(p.spent), text(p.left), full)]


def gauge(spent: int, budget: int) -> str:
    """How full a budget is; full only when nothing is left.

    >>> gauge(1, 4), gauge(999_999, 1_000_000), gauge(5, 4)
    ('[##........]  25%', '[#########.]  99%', '[##########] 100%')
    """
    share = min(spent, budget) / budget if budget else 1.0
    full = GAUGE if spent >= budget else min(GAUGE - 1, int(share * GAUGE))
    percent = 100 if spent >= budget else min(99, int(share * 100))
    return f"[{'#' * full}{'.' * (GAUGE - full)}] {percent:>3}%"


def checked(found: LedgerCheck, tips: int, name: str, tip: LedgerTip) -> None:
    """What re-reading the ledger found."""
    for problem in found.problems:
        say(f"- {problem}", style="red")
    if found.problems:
        say(f"\n{name}: problems found: {len(found.problems):,}")
        return
    number = "1 entry" if found.entries == 1 else f"{found.entries:,} entries"
    say(f"{name}: {number}, each as it was written; no rule was broken")
    say(f"tip: {tip.seq} {tip.hash}")
    if tips:
        say(f"Nothing is missing that {'the release' if tips == 1 else f'{tips} releases'} saw.")
    else:
        say("Whether the newest entries were cut off shows only against a release: --release.")
