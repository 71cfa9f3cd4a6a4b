"""A release with a price: charged first, then counted, kept in the ledger, then written.

What the ledger keeps is enough to write the release again for nothing. So whoever is interrupted
after it was charged has lost nothing, and nothing is drawn twice.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from hedgerow.answers.charge import Charge, KeptResult, charged, told_before
from hedgerow.base.delivery import DATA, check_target, deliver, staging
from hedgerow.base.errors import HedgerowError, PlanError, TargetError, interrupted
from hedgerow.base.faults import point
from hedgerow.engines.address import table_place
from hedgerow.engines.base import TablePlace, Written
from hedgerow.ledger.choice import ENVIRONMENT, ledger_place
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate import as_text
from hedgerow.release.companions import Companions
from hedgerow.release.delivery_state import Standing, certified, moved
from hedgerow.release.manifest import listed, untouched
from hedgerow.release.table_target import Tabled, tabled
from hedgerow.release.wanted import Wanted
from hedgerow.table.certificate_file import read_certificate

if TYPE_CHECKING:
    from hedgerow.engines.base import Engine
    from hedgerow.ledger import Ledger, Position

Certificate = Mapping[str, Any]


class Placed(KeptResult, Protocol):
    """What the ledger keeps, and where it does."""

    @property
    def ledger(self) -> Mapping[str, Any]: ...


Found = TypeVar("Found", bound=Placed)


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[Found]):
    """What one kind of release does in its own way."""

    name: str
    """As in "a safe release"."""
    drawn: str
    """What is in the ledger, such as "the noisy numbers are"."""
    made: Callable[[Any, Mapping[str, Any]], Found]
    """From what was drawn, and the place in the ledger, what is kept."""
    read: Callable[[bytes], Found]
    """From the bytes in the ledger."""
    writer: Callable[[Found], Callable[[Path], dict[str, Any]]]
    """What writes the files into a folder, reads them again, and gives their certificate."""
    shown: Callable[[Certificate, Path, bool], Any]
    """The files of a folder, or where the last is true what is in them."""
    inputs: tuple[Path, ...] = ()
    """Files that it is made from, besides the source."""
    refuse: Callable[[Engine], None] = lambda engine: None
    """Looks at the source for what must not be, before anything is charged."""


@dataclass(frozen=True, kw_only=True)
class Released(Generic[Found]):
    """A release that was made, or made again."""

    kept: Found
    certificate: Certificate
    files: Any
    position: Position
    """Where the population stands in the ledger now."""
    again: bool
    """Whether it was published before."""


def release(
    plan: Plan, data: Any, wanted: Wanted, *, kind: Kind[Found], charge: Charge
) -> Released[Found]:
    """Charge for a release and make it, or make one again that was charged for.

    The same request is answered with what was drawn before, whether or not the data have changed:
    to look would tell that they have.

    Args:
        plan: The plan.
        data: The table, where it is not the plan's source.
        wanted: Where to, and how.
        kind: How it is made.
        charge: What is asked for.

    Raises:
        BudgetError: It does not fit into the budget; nothing was looked at.
        PlanError: There is no ledger.
    """
    target, table = wanted.target(plan), wanted.table(plan)
    place = target or table
    if table is not None and data is None and table == table_place(str(plan.source)):
        raise TargetError(
            "is the source itself", where=str(table), fix="Write the release somewhere else."
        )
    where = ledger_place(plan, None if wanted.ledger is None else str(wanted.ledger))
    if where is None:
        raise PlanError(
            f"{kind.name} has a price, and there is no ledger that would remember it",
            where=plan.where(),
            fix="Name one: `ledger: ledger.db` in the plan, --ledger, or the environment variable "
            f"{ENVIRONMENT}.",
        )
    from hedgerow.ledger import Ledger

    reports = wanted.companions(target=target, internal=wanted.report)
    reports.refuse_foreign()
    standing = Standing()
    with standing.told(), Ledger.open(where) as book:
        before = None if wanted.anew else told_before(book, charge)
        if before is None:
            kept = _charged(plan, data, wanted, book, kind, charge)
        else:
            kept = kind.read(before)
        with _told(kind, kept, standing):
            write = kind.writer(kept)
            found = None
            if before is not None and place is not None:
                found = _still_there(place, write, wanted, kind, reports)
            if found is None:
                wanted.say("writing", None)
                if table is not None:
                    found = _delivered_table(table, write, wanted, standing)
                else:
                    found = _delivered(target, write, wanted, kind, reports, standing)
                reports.forget()
            reports.priced(plan, charge.population, book)
        wanted.say("done", 1.0)
        return Released(
            kept=kept,
            certificate=found[0],
            files=found[1],
            position=book.budget(charge.population),
            again=before is not None,
        )


def _charged(
    plan: Plan, data: Any, wanted: Wanted, book: Ledger, kind: Kind[Found], charge: Charge
) -> Found:
    """What was drawn, charged and kept, if there is room for what is made of it."""
    from hedgerow.engines import open_engine
    from hedgerow.plan.people import require_people

    origin, target = plan.source if data is None else data, wanted.target(plan)
    if origin is None:
        raise PlanError("the plan names no source", fix="Add `source: table.csv`.")
    with open_engine(origin, null=plan.null, person=plan.person, memory=wanted.memory) as engine:
        plan.fit(engine.columns())
        require_people(plan, engine, names=False)
        kind.refuse(engine)
        inputs = (*engine.files, *kind.inputs)
        if target is not None:
            check_target(target, replace=wanted.replace, inputs=inputs)
        if (table := wanted.table(plan)) is not None:
            # The source's own engine knows whether that is the source itself.
            with _at_table(table, wanted, inputs, engine):
                pass
        return charged(book, charge, engine, made=kind.made, say=wanted.say)


@contextlib.contextmanager
def _told(kind: Kind[Found], kept: Found, standing: Standing) -> Iterator[None]:
    """Whoever is interrupted now, or has no room on the disk, hears that nothing is lost."""
    try:
        yield
    except HedgerowError as error:
        told = f"{kind.drawn.capitalize()} in the ledger: to run it again costs nothing more."
        error.fix = f"{error.fix} {told}" if error.fix else told
        raise
    except (KeyboardInterrupt, SystemError) as error:
        if not interrupted(error):
            raise
        there = standing.there
        raise KeyboardInterrupt(
            f"interrupted; {kind.drawn} in the ledger (reserved as entry {kept.ledger['seq']}), "
            f"and {'the' if there == 'is' else 'a'} release {there} at its place"
            + ("" if there == "is" else ". Run it again: it costs nothing more")
        ) from None


def _delivered(
    target: Path | None,
    write: Callable[[Path], dict[str, Any]],
    wanted: Wanted,
    kind: Kind[Found],
    reports: Companions,
    standing: Standing,
) -> tuple[Certificate, Any]:
    """Write the files, read them again, and put them in their place."""
    place = None if target is None else check_target(target, replace=wanted.replace)
    with staging(place) as folder:
        certificate = _certified(folder, write, wanted, reports)
        if target is None:
            return certificate, kind.shown(certificate, folder, True)
        with standing.appearing(str(target), moved(folder, target)):
            deliver(folder, target, as_text(certificate), replace=wanted.replace)
        point("delivered")
    return certificate, kind.shown(certificate, target, False)


def _certified(
    folder: Path, write: Callable[[Path], dict[str, Any]], wanted: Wanted, reports: Companions
) -> dict[str, Any]:
    """Write all files but the certificate, which lists them, into a folder."""
    return wanted.signed(reports.add(folder, listed(write(folder), folder)))


def _at_table(
    table: TablePlace, wanted: Wanted, inputs: Iterable[Path] = (), engine: Engine | None = None
) -> contextlib.AbstractContextManager[Tabled]:
    """The place of a table; what is made of the ledger is made here, wherever the source is."""
    return tabled(
        table, replace=wanted.replace, escaped=False, engine=engine, inputs=inputs,
        memory=wanted.memory,
    )  # fmt: skip


def _delivered_table(
    table: TablePlace, write: Callable[[Path], dict[str, Any]], wanted: Wanted, standing: Standing
) -> tuple[Certificate, Any]:
    """Write the rows to a file, carry them to where the table is to be, and let it appear."""
    with _at_table(table, wanted) as there, staging(None) as folder:
        certificate = wanted.signed(listed(write(folder), None))
        rows, digest = int(certificate["data"]["rows"]), certificate["data"]["sha256"]
        file = folder / DATA["parquet"]
        there.arrived(Written(path=file, rows=rows, people=rows, sha256=digest))
        text = as_text(certificate)
        with standing.appearing(str(table), certified(table, text)):
            there.deliver(text, replace=wanted.replace)
        point("delivered")
    return certificate, table


def _still_there(
    place: Path | TablePlace,
    write: Callable[[Path], dict[str, Any]],
    wanted: Wanted,
    kind: Kind[Found],
    reports: Companions,
) -> tuple[Certificate, Any] | None:
    """The certificate and files at the place, if the same release is there, untouched."""
    try:
        there = read_certificate(place, randomised=True)
        with staging(None) as folder:
            if isinstance(place, TablePlace):
                certificate = wanted.signed(listed(write(folder), None))
            else:
                certificate = _certified(folder, write, wanted, reports)
        if there != certificate:
            return None
        if isinstance(place, TablePlace):
            from hedgerow.engines import open_table

            with open_table(place) as engine:
                same = engine.content_sha256() == certificate["data"]["sha256"]
            return (there, place) if same else None
        same = untouched(place, certificate)
    except (HedgerowError, OSError):
        return None
    return (there, kind.shown(there, place, False)) if same else None


def files_of(certificate: Certificate, folder: Path) -> Iterator[tuple[Path, str]]:
    """The files a certificate is about, and their hashes."""
    for name in ("counts", "data"):
        one = certificate.get(name)
        if one is not None:
            yield folder / str(one["file"]), str(one["sha256"])
