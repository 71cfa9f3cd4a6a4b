"""Ledger: what was published about whom, what it cost, and what may still be spent."""

from __future__ import annotations

import hashlib
import json
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.canonical_json import canonical, digest
from hedgerow.base.errors import AmountError, BudgetError, LedgerError, NoBudgetError
from hedgerow.ledger.entry import (
    ACCOUNT,
    CLOCK,
    CLOSING,
    CONTENT_BYTES,
    CONTENT_SHA256,
    OWN_KEYS,
    VERSION,
    Entry,
    EntryKind,
    LedgerCheck,
    LedgerTip,
    Position,
    genesis,
)
from hedgerow.ledger.names import named
from hedgerow.noise.amounts import MOST, NOTHING, Amounts

if TYPE_CHECKING:
    from hedgerow.ledger.account import Standing
    from hedgerow.ledger.connection import Row, Transaction
    from hedgerow.ledger.store import Store

LARGEST_CONTENT = 2**29
"""Bytes of one content, compressed."""


class Ledger:
    """An append-only record. Made by `Ledger.open`; a context manager.

    Guarantee:
        A spend is recorded before the data are touched, and only if it fits. A crash leaves a
        reservation that stays spent. `docs/ledger.md` has the exact promise.
    """

    def __init__(self, store: Store, *, id: str, created: str) -> None:  # noqa: A002
        self._store = store
        self.id = id
        """Made at creation; every certificate has it."""
        self.created = created
        self.name = store.name
        """Where it is, for messages; never with a password."""

    @classmethod
    def open(cls, where: str | Path, *, create: bool = True) -> Ledger:
        """The ledger at a place.

        Args:
            where: Path of an SQLite file, or postgresql://user@host/database.
            create: Whether it is made if it is not there.

        Raises:
            LedgerError: It is not there, is no ledger, is of a newer version, or cannot be used.
        """
        from hedgerow.ledger.address import open_store
        from hedgerow.ledger.lookups import about

        store = open_store(where, create=create)
        try:
            with store.reading() as connection:
                itself = about(connection)
            if itself is None:
                raise LedgerError(
                    "the ledger lacks the row that says what it is",
                    where=store.name,
                    fix="Restore the newest copy of it.",
                )
            _refuse_version(itself["version"], store.name)
        except BaseException:
            store.close()
            raise
        return cls(store, id=itself["id"], created=itself["created"])

    def close(self) -> None:
        """Let go of the file or the database."""
        self._store.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Ledger {self.name}>"

    @property
    def genesis(self) -> str:
        """The hash that the first entry follows."""
        return genesis(self.id, VERSION, self.created)

    def set_budget(self, population: str, budget: Amounts) -> Entry:
        """What a population may lose, all spends so far included; the latest budget counts.

        An epsilon, an epsilon with a delta, or a rho is one statement about all spends together.
        A budget that names epsilon and rho limits each currency by itself. It may be lowered
        below what is spent: then nothing more can be spent.
        """
        from hedgerow.ledger.account import account_body

        if not budget:
            raise BudgetError("a budget of nothing is no budget", fix="Say epsilon=1.")
        body = {"budget": budget.units, **account_body(budget)}
        with self._store.writing() as connection:
            return self._append(connection, named(population), EntryKind.BUDGET, body)

    def reserve(
        self,
        population: str,
        *,
        key: str,
        what: Mapping[str, Any],
        spend: Amounts = NOTHING,
    ) -> Entry:
        """Record that the data are about to be touched, and spend what it costs.

        Args:
            population: Whose privacy it is about.
            key: The same for the same request; `find` looks for it.
            what: What is going to be done.
            spend: What it costs; nothing for a release that is not randomised.

        Raises:
            BudgetError: It does not fit into the budget, or there is none. Nothing is recorded.
        """
        population, key, body = named(population), named(key, what="key"), self._body(what)
        with self._store.writing() as connection:
            account = self._standing(connection, population)
            if spend:
                self._refuse_overspending(connection, population, spend, account)
            if account is not None:
                body[ACCOUNT] = account.after(spend).as_json()
            reservation = uuid.uuid4().hex
            return self._append(
                connection, population, EntryKind.RESERVE, body, reservation, key, spend
            )  # fmt: skip

    def released(
        self,
        reservation: Entry,
        *,
        body: Mapping[str, Any],
        content: bytes | None = None,
        after: int | None = None,
    ) -> Entry:
        """Record that what was reserved was published.

        Args:
            reservation: What `reserve` returned.
            body: What to remember of it.
            content: The bytes a replay returns; kept beside the entry, compressed.
            after: The number of the population's last release that was taken into account, 0
                for none; if there is a newer one by now, nothing is recorded.

        Raises:
            LedgerError: It cannot be recorded, or another release came first.
        """
        told = self._body(body)
        packed = None
        if content is not None:
            packed = zlib.compress(content)
            if len(packed) > LARGEST_CONTENT:
                raise LedgerError(
                    f"{len(content):,} bytes are too many to keep in the ledger", where=self.name
                )
            told[CONTENT_SHA256] = hashlib.sha256(content).hexdigest()
            told[CONTENT_BYTES] = len(content)
        return self._close(reservation, EntryKind.RELEASED, told, packed, after)

    def failed(self, reservation: Entry, *, why: str) -> Entry:
        """Record that what was reserved was not published. What it cost stays spent."""
        return self._close(reservation, EntryKind.FAILED, self._body({"why": why}))

    def at_once(self) -> AbstractContextManager[None]:
        """A block whose entries are recorded together, when it ends, or none of them."""
        return self._store.at_once()

    def tip(self) -> LedgerTip:
        """How far the ledger has got; every certificate should have it."""
        from hedgerow.ledger.lookups import newest

        with self._store.reading() as connection:
            last = newest(connection)
        return (
            LedgerTip(self.id, last.seq, last.hash) if last else LedgerTip(self.id, 0, self.genesis)
        )

    def budget(self, population: str) -> Position:
        """Where a population stands."""
        from hedgerow.ledger.lookups import position

        with self._store.reading() as connection:
            return position(connection, named(population))

    def populations(self) -> list[Position]:
        """All populations with an entry, by name."""
        from hedgerow.ledger.lookups import population_names, position

        with self._store.reading() as connection:
            return [position(connection, name) for name in population_names(connection)]

    def find(self, population: str, key: str) -> Entry | None:
        """The newest release of a request with this key: what a replay returns."""
        from hedgerow.ledger.lookups import newest

        population, key = named(population), named(key, what="key")
        with self._store.reading() as connection:
            return newest(connection, population=population, key=key, kind=EntryKind.RELEASED)

    def releases(self, population: str) -> list[Entry]:
        """What was published about a population, oldest first."""
        from hedgerow.ledger.lookups import trusted

        return list(self._pages(trusted, named(population), EntryKind.RELEASED))

    def look_up(self, what: str) -> list[Entry]:
        """The entry with this number, or all entries of the reservation that begins like this."""
        from hedgerow.ledger.lookups import look_up

        with self._store.reading() as connection:
            return look_up(connection, what)

    def of_reservation(self, reservation: str) -> Entry | None:
        """The release that was reserved so, checked; None if nothing was published."""
        from hedgerow.ledger.lookups import of_reservation

        with self._store.reading() as connection:
            found = of_reservation(connection, reservation)
        return next((entry for entry in found if entry.kind == EntryKind.RELEASED), None)

    def content(self, entry: Entry) -> bytes | None:
        """The bytes that were kept with a release, checked; None if there were none."""
        from hedgerow.ledger.lookups import packed_content, unpacked

        if CONTENT_SHA256 not in entry.body:
            return None
        with self._store.reading() as connection:
            packed = packed_content(connection, entry.seq)
        content = unpacked(entry, packed)
        if content is None:
            raise LedgerError(
                f"the content of entry {entry.seq} is missing or was changed",
                where=self.name,
                fix="Run `hedgerow ledger verify`, and restore the newest copy of the ledger.",
            )
        return content

    def entries(
        self, *, population: str | None = None, limit: int | None = None
    ) -> Iterator[Entry]:
        """Entries, oldest first; with a limit, the newest so many."""
        from hedgerow.ledger.lookups import PAGE, first_of_last, last_page, readable

        name = None if population is None else named(population)
        after = 0
        if limit is not None and 1 <= limit <= PAGE:
            with self._store.reading() as connection:
                return iter([readable(row) for row in last_page(connection, name, limit)])
        if limit is not None:
            with self._store.reading() as connection:
                after = first_of_last(connection, name, limit) - 1
        return self._pages(readable, name, None, after)

    def _pages(
        self,
        entry: Callable[[Row], Entry],
        population: str | None,
        kind: EntryKind | None = None,
        after: int = 0,
    ) -> Iterator[Entry]:
        """Page by page: a reader that takes its time keeps nobody from tidying up."""
        from hedgerow.ledger.lookups import PAGE, page

        while True:
            with self._store.reading() as connection:
                rows = page(connection, population, after, kind)
                found = [entry(row) for row in rows]
            yield from found
            if len(found) < PAGE:
                return
            after = found[-1].seq

    def export(self) -> Iterator[str]:
        """One line of canonical JSON an entry."""
        return (entry.line() for entry in self.entries())

    def verify(self, tips: Sequence[LedgerTip] = ()) -> LedgerCheck:
        """Read everything again and look for edits, gaps, overspending and a cut-off end.

        Args:
            tips: What certificates say they have seen. Without one, nobody can tell that the
                newest entries are missing, or that all was written anew.
        """
        from hedgerow.ledger.audit import verify

        return verify(self._store, self.id, tips)

    def _body(self, given: Mapping[str, Any]) -> dict[str, Any]:
        # As it will be read back; what cannot be hashed is refused before anything is locked.
        body: dict[str, Any] = json.loads(canonical(dict(given)))
        if taken := sorted(OWN_KEYS & set(body)):
            raise LedgerError(f"the ledger itself writes {taken[0]!r}", where=self.name)
        return body

    def _standing(self, connection: Transaction, population: str) -> Standing | None:
        """Where the population's account stands, if it has one."""
        budget = self._latest(connection, population, EntryKind.BUDGET)
        if budget is None or ACCOUNT not in budget.body:
            return None
        from hedgerow.ledger.account import standing

        last = self._latest(connection, population, EntryKind.RESERVE)
        return standing(connection, population, budget, last)

    def _refuse_overspending(
        self,
        connection: Transaction,
        population: str,
        spend: Amounts,
        account: Standing | None,
    ) -> None:
        budgeted = self._latest(connection, population, EntryKind.BUDGET)
        budget = None if budgeted is None else budgeted.budget
        if account is not None and budget is not None:
            self._refuse_over_account(population, spend, budget, account)
            return
        spent = self._spent(connection, population)
        # What is set already, and each currency as far as this would take it.
        wanted = Amounts(
            **{
                name: max((budget or NOTHING).units[name], min(units + spend.units[name], MOST))
                for name, units in spent.units.items()
            }
        )
        setting = f"--set '{_setting(wanted) or 'epsilon=1'}' --ledger {self.name}"
        how = f"`hedgerow ledger budget {population!r} {setting}`"
        if budget is None:
            raise NoBudgetError(
                f"the population {population!r} has no budget, so nothing can be spent",
                where=self.name,
                fix=f"Set one: {how}.",
            )
        left = spent.left_of(budget)
        if not (spent.fits(budget) and spend.fits(left)):
            raise BudgetError(
                f"this would spend {spend}, and of the budget of {population!r} ({budget}) "
                f"{left} is left",
                where=self.name,
                fix=f"Ask for something that costs less, or decide on a larger budget: {how}.",
            )

    def _refuse_over_account(
        self, population: str, spend: Amounts, budget: Amounts, account: Standing
    ) -> None:
        from hedgerow.noise.account import ApproximateAccount

        if account.after(spend).fits:
            return
        left = f"{account.spent().left_of(budget)} is left"
        if isinstance(account.account, ApproximateAccount):  # what fits depends on what is asked
            left = f"{_percent(account.used)} is spent"
        try:
            larger = account.enough(spend)
        except AmountError:  # more than a ledger counts to
            larger = None
        enough = "..." if larger is None else _setting(larger)
        raise BudgetError(
            f"this would spend {spend}, and of the budget of {population!r} ({budget}) {left}",
            where=self.name,
            fix=f"{account.why_not(spend)} Or decide on a larger budget: `hedgerow ledger budget "
            f"{population!r} --set '{enough}' --ledger {self.name}`.",
        )

    def _close(
        self,
        reservation: Entry,
        kind: EntryKind,
        body: dict[str, Any],
        packed: bytes | None = None,
        after: int | None = None,
    ) -> Entry:
        from hedgerow.ledger.lookups import newest, of_reservation
        from hedgerow.ledger.tables import KEEP

        with self._store.writing() as connection:
            found = of_reservation(connection, reservation.reservation)
            if not found or found[0] != reservation or reservation.kind != EntryKind.RESERVE:
                raise LedgerError(
                    "this reservation is not in this ledger",
                    where=self.name,
                    fix="Close a reservation in the ledger it was made in.",
                )
            if closed := [e for e in found if e.kind in CLOSING]:
                raise LedgerError(
                    f"this reservation has already {closed[0].kind.lower()} "
                    f"(entry {closed[0].seq})",
                    where=self.name,
                )
            if after is not None:
                other = newest(
                    connection, population=reservation.population, kind=EntryKind.RELEASED
                )
                if other is not None and other.seq > after:
                    raise LedgerError(
                        f"another release of {reservation.population!r} (entry {other.seq}) came "
                        "first, and was not taken into account",
                        where=self.name,
                        fix="Run this again.",
                    )
            entry = self._append(
                connection,
                reservation.population,
                kind,
                body,
                reservation.reservation,
                reservation.key,
            )
            if packed is not None:
                connection.do(KEEP, {"seq": entry.seq, "data": packed})
            return entry

    def _append(
        self,
        connection: Transaction,
        population: str,
        kind: EntryKind,
        body: dict[str, Any],
        reservation: str = "",
        key: str | None = None,
        spend: Amounts = NOTHING,
    ) -> Entry:
        """The next entry; whoever calls this has locked the others out."""
        from hedgerow.ledger import address as places
        from hedgerow.ledger.tables import APPEND

        last = self._latest(connection)
        at = clock = places.now()
        if last is not None and at < last.at:
            at, body = last.at, body | {CLOCK: clock}
        entry = Entry(
            seq=last.seq + 1 if last else 1,
            population=population,
            kind=kind,
            reservation=reservation,
            key=key,
            at=at,
            body=body,
            spend=spend,
            total=self._spent(connection, population) + spend,
            previous=last.hash if last else self.genesis,
        )
        entry = replace(entry, hash=digest(entry.record()))
        connection.do(APPEND, entry.row())
        remembered = self._store.remembered
        for what in ((None, None), (population, None), (population, kind)):
            remembered[what] = entry
        return entry

    def _latest(
        self, connection: Transaction, population: str | None = None, kind: EntryKind | None = None
    ) -> Entry | None:
        """The last entry of those asked for; a writer looks it up once."""
        from hedgerow.ledger.lookups import newest

        remembered = self._store.remembered
        if (population, kind) not in remembered:
            found = newest(connection, population=population, kind=kind)
            remembered[population, kind] = found
            return found
        known: Entry | None = remembered[population, kind]
        return known

    def _spent(self, connection: Transaction, population: str) -> Amounts:
        """All that a population has spent: its last entry says."""
        last = self._latest(connection)
        if last is not None and last.population != population:
            last = self._latest(connection, population)
        return last.total if last else NOTHING


def _setting(budget: Amounts) -> str:
    """A budget as the command takes it."""
    return ", ".join(f"{name}={text}" for name, text in budget.texts().items())


def _percent(share: Fraction) -> str:
    """A share, rounded up.

    >>> _percent(Fraction(1, 3)), _percent(Fraction(2))
    ('34 %', '100 %')
    """
    return f"{min(100, ceil(100 * share))} %"


def _refuse_version(version: Any, name: str) -> None:
    if version == VERSION:
        return
    family, _, number = str(version).partition("/")
    if family == VERSION.partition("/")[0] and number.isdecimal():
        raise LedgerError(
            f"this ledger is of a newer version ({version}; this software knows {VERSION})",
            where=name,
            fix="Update Hedgerow.",
        )
    raise LedgerError(f"this ledger has the unknown version {version!r}", where=name)
