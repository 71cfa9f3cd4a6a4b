"""One source, one population: a new name for the same people would be a fresh budget.

The ledger remembers marks of the source with every reservation, which are hashes. Where another
population was told about from a source with one of these marks, whoever asks is stopped: the two
are the same people under two names, until the plan says that they are others. Marks say nothing
but whether two sources are the same; they are in the ledger only, never in a certificate.

Of every source its place is marked. What is in its files is marked where a table of groups is
published, which tells far more of it. An answer with noise leaves nothing in the ledger that one
person could change but the noisy numbers, so there it is not; it is compared with what tables of
groups left. Two tables that were at one place at different times have one mark, and are asked
about. What is not found: a copy under another name, unless a table of groups was published from
one of the two files before; a copy in another form; a table in memory without a name.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.canonical_json import digest
from hedgerow.base.errors import PlanError, some
from hedgerow.ledger.entry import Entry, EntryKind

if TYPE_CHECKING:
    from hedgerow.ledger.book import Ledger

MARKS, OTHERS = "source", "other_people_than"
"""Keys of what the ledger is told."""
BLOCK, BLOCKS = 1 << 12, 64
"""Of a large file so many blocks are read, of so many bytes: equal files have equal ones."""


@dataclass(frozen=True)
class SourceIdentity:
    """What a table is known by again, and whom the steward states it is not about."""

    address: str | None
    """Where it is; None for a table in memory that has no name."""
    files: tuple[Path, ...] = ()
    others: tuple[str, ...] = ()
    """Populations that the plan says are other people."""
    exact: bool = False
    """Whether what is published has no noise: then the ledger may know what is in the files."""

    def told(self, ledger: Ledger) -> dict[str, Any]:
        """What the ledger is told of it."""
        stated = {OTHERS: sorted(self.others)} if self.others else {}
        return {MARKS: sorted(self.marks(ledger.id, contents=self.exact))} | stated

    def marks(self, salt: str, *, contents: bool) -> set[str]:
        """Hashes of where it is, and maybe of what is in its files; of use in one ledger only."""
        names = self._places | (self._contents if contents else set())
        return {digest([salt, name]) for name in names}

    @property
    def _table(self) -> str:
        """Two tables of one database are two sources."""
        return self.address.rpartition("::")[2] if "::" in (self.address or "") else ""  # type: ignore[union-attr]

    @property
    def _places(self) -> set[str]:
        places = {f"at {os.path.realpath(file)} {self._table}" for file in self.files}
        return places if self.address is None else places | {f"at {self.address}"}

    @cached_property
    def _contents(self) -> set[str]:
        return {f"of {_blocks(file)} {self._table}" for file in self.files}

    @property
    def statements(self) -> list[str]:
        """What a certificate repeats of the steward's statement."""
        if not self.others:
            return []
        return [
            f"The publisher states that these people are others than those of {some(self.others)}, "
            "of whom the ledger may have releases from the same source. This is not checked."
        ]


def require_other_people(ledger: Ledger, population: str, source: SourceIdentity) -> None:
    """Stop where the same source was published under the name of another population.

    Raises:
        PlanError: It was, and the plan does not say that these are other people.
    """
    if _asked_before(ledger, population, source.marks(ledger.id, contents=source.exact)):
        return
    marks = source.marks(ledger.id, contents=True)
    for position in ledger.populations():
        other = position.population
        if other == population or other in source.others:
            continue
        entry = next(_sharing(ledger.entries(population=other), marks), None)
        if entry is None:
            continue
        spent = str(position.spent) if position.spent else "nothing"
        raise PlanError(
            f"the population {other!r} has releases from this source (entry {entry.seq}; spent: "
            f"{spent}), and this plan calls the people {population!r}",
            where="the ledger",
            fix=f"If they are the same people, write `population: {other}`: what was published "
            "about them adds up. If they are others, say so in the plan: "
            f"`other_people_than: [{other}]`; the ledger and the certificate repeat it as your "
            "statement.",
        )


def _asked_before(ledger: Ledger, population: str, marks: Collection[str]) -> bool:
    """Whether the last reservation of the population was from the same source.

    It was compared with all others then; and whoever came later was compared with it.
    """
    last = list(ledger.entries(population=population, limit=4))
    return not marks or any(
        entry.kind is EntryKind.RESERVE and set(marks) <= set(entry.body.get(MARKS, ()))
        for entry in last
    )


def _sharing(entries: Iterable[Entry], marks: Collection[str]) -> Iterator[Entry]:
    """Reservations from a source with one of the marks, but for those that came to nothing."""
    reserved: dict[str, Entry] = {}
    for entry in entries:
        if entry.kind is EntryKind.RESERVE and set(marks) & set(entry.body.get(MARKS, ())):
            reserved[entry.reservation] = entry
        elif entry.kind is EntryKind.FAILED:
            found = reserved.get(entry.reservation)
            if found is not None and not found.spend:  # it told nobody anything, for nothing
                del reserved[entry.reservation]
    yield from reserved.values()


def _blocks(file: Path) -> str:
    """The same for files with the same bytes; of a large one, from blocks all over it."""
    try:
        size = file.stat().st_size
        places: Sequence[int] = range(0, size, BLOCK)
        if len(places) > BLOCKS:
            places = [(size - BLOCK) * i // (BLOCKS - 1) for i in range(BLOCKS)]
        found = hashlib.sha256(str(size).encode())
        with file.open("rb") as content:
            for place in places:
                content.seek(place)
                found.update(content.read(BLOCK))
    except OSError:
        return str(file)  # whoever reads the table is told what is wrong with it
    return found.hexdigest()
