"""What a ledger consists of: entries, each of which has the hash of the one before it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hedgerow.base.canonical_json import canonical, digest
from hedgerow.base.errors import AmountError, HedgerowError
from hedgerow.noise.amounts import NOTHING, Amounts

if TYPE_CHECKING:
    from hedgerow.ledger.account import Standing

VERSION = "hedgerow-ledger/1"
"""What the tables look like and what is hashed; a change of either is a new version."""
CONTENT_SHA256, CONTENT_BYTES, CLOCK = "content_sha256", "content_bytes", "clock"
ACCOUNT, ORDER = "account", "order"
"""Of a BUDGET: that it is one statement, and which Rényi order it fixes. Of a RESERVE: what is
spent up to there."""
OWN_KEYS = {CONTENT_SHA256, CONTENT_BYTES, CLOCK, ACCOUNT}
"""Keys of a body that the ledger itself writes."""


COLUMNS = (
    "seq", "population", "kind", "reservation", "key", "at", "body",
    "spend_epsilon", "spend_delta", "spend_rho", "total_epsilon", "total_delta", "total_rho",
    "previous", "hash",
)  # fmt: skip
"""How the table calls what an entry holds."""


class EntryKind(StrEnum):
    """What an entry records."""

    BUDGET = "BUDGET"
    """From here on, this is what a population may lose."""
    RESERVE = "RESERVE"
    """Somebody is about to touch the data; what it costs is spent now."""
    RELEASED = "RELEASED"
    """What was reserved was published."""
    FAILED = "FAILED"
    """What was reserved was not published. What it cost stays spent."""


CLOSING = (EntryKind.RELEASED, EntryKind.FAILED)
"""What follows a reservation, at most once."""


@dataclass(frozen=True)
class Entry:
    """A line of the ledger, as it will stay."""

    seq: int
    """1, 2, 3, ... over all populations."""
    population: str
    kind: EntryKind
    reservation: str
    """Which RESERVE an entry belongs to; empty for a budget."""
    key: str | None
    """Says that two requests are the same one; None for a budget."""
    at: str
    """UTC. Never before the previous entry's, even if the clock was."""
    body: dict[str, Any]
    spend: Amounts
    total: Amounts
    """All that the population has spent, this entry included."""
    previous: str
    """Hash of entry seq - 1, or of the ledger's beginning."""
    hash: str = ""

    def record(self) -> dict[str, Any]:
        """What is hashed: everything but the hash."""
        return {
            "seq": self.seq,
            "population": self.population,
            "kind": str(self.kind),
            "reservation": self.reservation,
            "key": self.key,
            "at": self.at,
            "body": self.body,
            "spend": self.spend.units,
            "total": self.total.units,
            "previous": self.previous,
        }

    def line(self) -> str:
        """One line of canonical JSON with everything in it."""
        return canonical(self.record() | {"hash": self.hash}).decode()

    def row(self) -> dict[str, Any]:
        """As the table holds it."""
        spent = {f"spend_{name}": units for name, units in self.spend.units.items()}
        total = {f"total_{name}": units for name, units in self.total.units.items()}
        flat = {k: v for k, v in self.record().items() if k not in ("spend", "total")}
        return flat | {"body": canonical(self.body).decode(), "hash": self.hash} | spent | total

    @property
    def budget(self) -> Amounts | None:
        """What a BUDGET sets; None for other kinds, and if it cannot be read."""
        if self.kind != EntryKind.BUDGET:
            return None
        try:
            return Amounts(**self.body["budget"])
        except (HedgerowError, KeyError, TypeError):
            return None

    @classmethod
    def of_row(cls, row: Mapping[Any, Any]) -> Entry:
        """The entry a row of the table holds.

        Raises:
            ValueError, TypeError, RecursionError, AmountError: It holds none.
        """
        body = json.loads(row["body"])
        if not isinstance(body, dict):
            raise TypeError("a body is an object")
        flat = {name: row[name] for name in (
            "seq", "population", "reservation", "key", "at", "previous", "hash",
        )}  # fmt: skip
        return cls(
            **flat,
            kind=EntryKind(row["kind"]),
            body=body,
            spend=_amounts(row, "spend"),
            total=_amounts(row, "total"),
        )


def _amounts(row: Mapping[Any, Any], column: str) -> Amounts:
    return Amounts(*(row[f"{column}_{name}"] for name in ("epsilon", "delta", "rho")))


def genesis(ledger: str, version: str, created: str) -> str:
    """The hash that the first entry follows: of what the ledger says about itself."""
    return digest({"ledger": ledger, "version": version, "created": created})


@dataclass(frozen=True)
class LedgerTip:
    """How far a ledger had got: whoever keeps this can tell later if its end was cut off."""

    ledger: str
    seq: int
    hash: str
    reservation: str | None = field(default=None, compare=False)
    """Which release the certificate is of: the ledger must say that it was released."""
    source: str = field(default="a certificate", compare=False)
    """Where this tip was read, for messages."""


@dataclass(frozen=True)
class Position:
    """Where a population stands."""

    population: str
    budget: Amounts | None
    spent: Amounts
    left: Amounts | None
    releases: int
    reserved_open: int
    """Reservations that were neither released nor failed: running, or cut short."""
    last: Amounts = NOTHING
    """What the newest spend was."""
    standing: Standing | None = None
    """The account, where the budget is one statement; None where each currency is a limit."""

    def admits(self, spend: Amounts) -> bool:
        """Whether one more spend would fit."""
        if self.standing is not None:
            return self.standing.after(spend).fits
        if self.budget is None:
            return False
        try:
            return (self.spent + spend).fits(self.budget)
        except AmountError:
            return False

    def more(self, spend: Amounts) -> int:
        """How many more such spends would fit, one after the other."""
        if not spend:
            return 0
        if self.standing is not None:
            return self.standing.more(spend)
        if self.left is None:
            return 0
        left = self.left.units
        return min(left[name] // units for name, units in spend.units.items() if units)

    @property
    def used(self) -> Fraction:
        """The share of the budget that is spent; of several limits, of the fullest one."""
        if self.standing is not None:
            return self.standing.used
        if self.budget is None:
            return Fraction(1)
        full = zip(self.spent.units.values(), self.budget.units.values(), strict=True)
        return max(
            (Fraction(a, b) if b else Fraction(1) for a, b in full if a or b), default=Fraction(0)
        )

    def after(self, spend: Amounts) -> Amounts:
        """What is spent after one more, as the budget counts it."""
        return self.spent + spend if self.standing is None else self.standing.after(spend).spent()


@dataclass(frozen=True)
class LedgerCheck:
    """What re-reading a whole ledger found."""

    entries: int
    problems: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing was found."""
        return not self.problems
