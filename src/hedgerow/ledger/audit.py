"""Reading a whole ledger again: is it what was written, and was every rule kept?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hedgerow.base.errors import HedgerowError
from hedgerow.ledger.account import Standing, account_in
from hedgerow.ledger.connection import Row, Transaction
from hedgerow.ledger.entry import (
    ACCOUNT,
    CLOSING,
    CONTENT_SHA256,
    VERSION,
    Entry,
    EntryKind,
    LedgerCheck,
    LedgerTip,
    genesis,
)
from hedgerow.ledger.lookups import about, intact, packed_content, page, unpacked
from hedgerow.ledger.store import Store
from hedgerow.ledger.tables import broken_guards
from hedgerow.noise.account import Spends
from hedgerow.noise.amounts import NOTHING, Amounts


def verify(store: Store, ledger: str, tips: Sequence[LedgerTip]) -> LedgerCheck:
    """Check every entry, in one consistent view of the database.

    Args:
        store: The database.
        ledger: The id the ledger had when it was opened.
        tips: What certificates have seen.
    """
    with store.reading() as connection:
        problems: list[str] = []
        itself = about(connection)
        start = "" if itself is None else genesis(itself["id"], VERSION, itself["created"])
        if itself is None or itself["id"] != ledger:
            problems.append("the ledger's own row is missing or was changed")
        check = _Check(start, {tip.seq for tip in tips})
        for row in _rows(connection):
            problems += check.next(row, connection)
        known = check.with_content
        for seq in connection.column("seq", "SELECT seq FROM hedgerow_contents ORDER BY seq"):
            if seq not in known:
                problems.append(f"there is content for entry {seq}, which has none")
        problems += broken_guards(connection)
    for tip in tips:
        problems += _against(tip, ledger, start, check)
    return LedgerCheck(check.entries, tuple(problems))


def _rows(connection: Transaction) -> Iterator[Row]:
    after = 0
    while rows := page(connection, None, after):
        yield from rows
        after = rows[-1]["seq"]


class _Check:
    """What has been read so far, and what may follow it."""

    def __init__(self, start: str, marks: set[int]) -> None:
        self.entries = 0
        self.last = 0
        self.hash, self.at = start, ""
        self.marks = marks
        self.hashes: dict[int, str] = {}
        """Of the entries that a certificate has seen."""
        self.with_content: set[int] = set()
        self.totals: dict[str, Amounts] = {}
        self.budgets: dict[str, Amounts] = {}
        self.accounts: dict[str, Standing] = {}
        self.spends: dict[str, list[Amounts]] = {}
        self.reserved: dict[str, Entry] = {}
        self.closed: dict[str, EntryKind] = {}

    def next(self, row: Row, connection: Transaction) -> Iterator[str]:
        """What is wrong with the next row."""
        seq = row["seq"]
        self.entries += 1
        if seq != self.last + 1:
            yield f"{_span(self.last + 1, seq - 1)} missing"
        elif row["previous"] != self.hash:
            before = f"entry {self.last}" if self.last else "the beginning of this ledger"
            yield f"entry {seq} does not follow {before}"
        self.last, self.hash = seq, row["hash"]
        if seq in self.marks:
            self.hashes[seq] = row["hash"]
        entry = intact(row)
        if entry is None:
            yield f"entry {seq} was changed: its hash is that of something else"
            return
        if entry.at < self.at:
            yield f"entry {seq} is dated before the one it follows"
        self.at = max(self.at, entry.at)
        yield from self._total(entry)
        yield from self._order(entry)
        if CONTENT_SHA256 in entry.body:
            self.with_content.add(seq)
            if unpacked(entry, packed_content(connection, seq)) is None:
                yield f"the content of entry {seq} is missing or was changed"

    def _total(self, entry: Entry) -> Iterator[str]:
        """Running totals add up, and no spend went over the budget of its time."""
        spent, budget = self.totals.get(entry.population, NOTHING), None
        try:
            right = spent + entry.spend
        except HedgerowError:
            right = None
        if right != entry.total:
            yield f"entry {entry.seq}: the total of {entry.population!r} does not add up"
        self.totals[entry.population] = entry.total
        if entry.spend:
            budget = self.budgets.get(entry.population)
            if entry.kind != EntryKind.RESERVE:
                yield f"entry {entry.seq} spends, and is no reservation"
            account = self.accounts.get(entry.population)
            if account is None and (budget is None or not entry.total.fits(budget)):
                yield f"entry {entry.seq} spends more than the budget of {entry.population!r}"
        if entry.kind == EntryKind.RESERVE:
            yield from self._spend(entry)
        if entry.kind == EntryKind.BUDGET:
            if entry.budget is None:
                yield f"entry {entry.seq} sets no budget that can be read"
            self.budgets[entry.population] = entry.budget or NOTHING
            yield from self._new_account(entry)

    def _spend(self, entry: Entry) -> Iterator[str]:
        """Every spend fits into the account, and carries what is spent."""
        self.spends.setdefault(entry.population, []).append(entry.spend)
        account = self.accounts.get(entry.population)
        if account is None:
            return
        account = self.accounts[entry.population] = account.after(entry.spend)
        if entry.spend and not account.fits:
            yield f"entry {entry.seq} spends more than the budget of {entry.population!r}"
        if entry.body.get(ACCOUNT, account.as_json()) != account.as_json():
            yield f"entry {entry.seq}: what is spent of {entry.population!r} does not add up"

    def _new_account(self, entry: Entry) -> Iterator[str]:
        """A new budget counts all spends so far."""
        try:
            account = account_in(entry)
        except HedgerowError:
            yield f"entry {entry.seq} sets no account that can be read"
            account = None
        if account is None:
            self.accounts.pop(entry.population, None)
            return
        found = Standing(account, Spends(), entry.seq)
        for spend in self.spends.get(entry.population, []):
            found = found.after(spend)
        self.accounts[entry.population] = found

    def _order(self, entry: Entry) -> Iterator[str]:
        """A reservation comes first, and is closed at most once."""
        name = entry.reservation
        if entry.kind == EntryKind.RESERVE:
            if name in self.reserved or not name or entry.key is None:
                yield f"entry {entry.seq} makes a reservation that cannot be told from another"
            self.reserved[name] = entry
        elif entry.kind in CLOSING:
            made = self.reserved.get(name)
            if made is None or (made.population, made.key) != (entry.population, entry.key):
                yield f"entry {entry.seq} closes a reservation that was not made"
            if name in self.closed:
                yield f"entry {entry.seq} closes a reservation a second time"
            self.closed[name] = entry.kind


def _span(first: int, last: int) -> str:
    return f"entry {first} is" if first == last else f"entries {first} to {last} are"


def _against(tip: LedgerTip, ledger: str, start: str, check: _Check) -> Iterator[str]:
    """What a certificate has seen must still be there."""
    if tip.ledger != ledger:
        yield f"{tip.source} belongs to another ledger ({tip.ledger}; this is {ledger})"
    elif tip.seq == 0:
        if tip.hash != start:
            yield f"{tip.source} has seen another beginning of this ledger"
    elif tip.seq > check.last:
        yield (
            f"entry {check.last + 1} and later are missing: {tip.source} has seen entry {tip.seq}"
        )
    elif tip.seq in check.hashes and check.hashes[tip.seq] != tip.hash:
        yield f"entry {tip.seq} is not the one that {tip.source} has seen"
    elif tip.seq not in check.hashes:
        yield f"entry {tip.seq} is missing, and {tip.source} has seen it"
    elif tip.reservation is not None and check.closed.get(tip.reservation) != EntryKind.RELEASED:
        yield f"{tip.source} was published, and no entry of this ledger says so"
