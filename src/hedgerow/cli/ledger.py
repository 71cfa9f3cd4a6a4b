"""`hedgerow ledger`: what was published about whom, and what may still be spent."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.base.errors import LedgerError, TargetError, nearest
from hedgerow.cli.jobs import AsJson, Quiet, running

if TYPE_CHECKING:
    from hedgerow import Ledger
    from hedgerow.api import Amounts, Entry, Position

ENVIRONMENT = "HEDGEROW_LEDGER"
BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite adds to a file's name for the files it keeps beside it."""

ledger = typer.Typer(
    help="What was published about whom, and what may still be spent.", no_args_is_help=True
)

Where = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        envvar=ENVIRONMENT,
        help="The ledger: an SQLite file, or postgresql://user@host/database.",
        show_default=False,
    ),
]
Name = Annotated[str | None, typer.Argument(help="A population.", show_default=False)]


@ledger.command("list")
def list_entries(
    where: Where = None,
    population: Annotated[str | None, typer.Option(help="Only of this population.")] = None,
    last: Annotated[int, typer.Option(min=1, help="How many of the newest entries.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Entries of the ledger, the newest last."""
    with running("ledger list", as_json, quiet=False) as job, _open(where) as book:
        found = list(book.entries(population=population, limit=last + 1))
        shown, more = found[-last:], len(found) > last
        result = {"entries": [_entry(e) for e in shown], "more": more}
        job.done(result, lambda: _show().entries(shown, more=more))


@ledger.command("show")
def show_entry(
    what: Annotated[
        str,
        typer.Argument(help="Number of an entry, or how a reservation begins.", show_default=False),
    ],
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """One entry, or what became of a reservation."""
    with running("ledger show", as_json, quiet=False) as job, _open(where) as book:
        found = book.look_up(what)
        if not found:
            raise LedgerError(
                f"there is no entry {what!r}",
                where=book.name,
                fix="`hedgerow ledger list` shows their numbers and how reservations begin.",
            )
        if len({e.reservation for e in found}) > 1:
            raise LedgerError(
                f"several reservations begin with {what!r}",
                where=book.name,
                fix=f"Say more of it, such as {found[0].reservation[: len(what) + 4]!r}.",
            )
        job.done({"entries": [_entry(e) for e in found]}, lambda: _show().each(found))


@ledger.command()
def budget(
    population: Name = None,
    where: Where = None,
    amounts: Annotated[
        str | None,
        typer.Option("--set", help='A new budget, e.g. "epsilon=3, delta=1e-6".'),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """What each population may lose, has lost, and has left; or set it."""
    with running("ledger budget", as_json, quiet) as job:
        from hedgerow.api import Amounts, policies_of

        if amounts is not None and population is None:
            raise LedgerError(
                "nothing says whose budget this is",
                fix="Name the population: hedgerow ledger budget POPULATION --set ...",
            )
        new = None if amounts is None else Amounts.read(amounts, rounding="down")
        with _open(where, create=new is not None) as book:
            if new is not None and population is not None:
                book.set_budget(population, new)
            found = book.populations()
            if population is not None:
                found = _only(found, population, book)
            policies = {p.population: policies_of(book, p.population) for p in found}
            result = {
                "populations": [_position(p) | {"policies": policies[p.population]} for p in found]
            }
            job.done(result, lambda: _show().positions(found, policies))


@ledger.command()
def verify(
    where: Where = None,
    release: Annotated[
        list[Path] | None,
        typer.Option(help="A release whose certificate the ledger must agree with; repeatable."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Read everything again: was anything changed, removed, cut off or overspent?"""
    with running("ledger verify", as_json, quiet) as job, _open(where) as book:
        from hedgerow.api import verify_ledger

        releases = release or ()
        tip = book.tip()
        found = verify_ledger(book, releases)
        result = {
            "ledger": book.id,
            "tip": {"seq": tip.seq, "hash": tip.hash},
            "entries": found.entries,
            "releases": len(releases),
            "holds": found.holds,
            "problems": list(found.problems),
        }
        job.done(result, lambda: _show().checked(found, len(releases), book.name, tip))
        if not found.holds:
            job.exit_code = 1


@ledger.command()
def export(
    where: Where = None,
    to: Annotated[
        Path | None, typer.Option(help="File to write; the terminal if left out.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing file.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Every entry as a line of canonical JSON."""
    with running("ledger export", as_json, quiet) as job, _open(where) as book:
        if to is not None:
            _refuse_itself(to, where)
            number = _write(to, book.export(), replace=replace)
            told = f"{number:,} entries: {to}"
            job.done({"entries": number, "to": str(to)}, lambda: typer.echo(told))
        elif as_json:
            job.done({"entries": [json.loads(line) for line in book.export()]}, lambda: None)
        else:
            for line in book.export():
                typer.echo(line)


def _show() -> Any:
    """Rendering for people, imported only when it is needed."""
    from hedgerow.cli import ledger_show

    return ledger_show


def _open(where: str | None, *, create: bool = False) -> Ledger:
    from hedgerow import Ledger

    if not where:
        raise LedgerError(
            "nothing says which ledger",
            fix=f"Say --ledger ledger.db, or set the environment variable {ENVIRONMENT}.",
        )
    return Ledger.open(where, create=create)


def _only(found: list[Position], population: str, book: Ledger) -> list[Position]:
    mine = [p for p in found if p.population == population]
    if not mine:
        meant = nearest(population, [p.population for p in found])
        raise LedgerError(
            f"there is no entry about a population {population!r}",
            where=book.name,
            fix=f"Did you mean {meant!r}?" if meant else "Set its budget: --set epsilon=1.",
        )
    return mine


def _entry(entry: Entry) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(entry.line())
    return told


def _position(p: Position) -> dict[str, Any]:
    def told(amounts: Amounts | None) -> dict[str, str] | None:
        return None if amounts is None else dict.fromkeys(amounts.units, "0") | amounts.texts()

    return {
        "population": p.population,
        "budget": told(p.budget),
        "spent": told(p.spent),
        "left": told(p.left),
        "releases": p.releases,
        "reserved_open": p.reserved_open,
    }


def _refuse_itself(path: Path, where: str | None) -> None:
    """An export must not take the place of what it exports, under whatever name."""
    if where is None or "://" in where:
        return
    place = Path(where).resolve()
    for itself in (place, *(place.with_name(place.name + end) for end in BESIDE)):
        try:
            # The files beside the ledger come and go: their names are taken all the same.
            same = path.resolve() == itself or path.samefile(itself)
        except (OSError, RuntimeError):  # RuntimeError: links in a circle
            same = False
        if same:
            raise TargetError(
                f"{str(path)!r} belongs to the ledger itself", fix="Choose another file."
            )


def _write(path: Path, lines: Iterable[str], *, replace: bool) -> int:
    """The file appears whole or not at all."""
    if path.exists() and not replace:
        raise TargetError(f"{str(path)!r} exists already", fix="Choose another, or say --replace.")
    number = 0
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=".hedgerow-", delete=False
        ) as file:
            try:
                for line in lines:
                    file.write(line + "\n")
                    number += 1
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise TargetError(
            f"cannot write {str(path)!r}: {error.strerror or error}",
            fix="Check that you may write there and that the disk has room.",
        ) from None
    return number
