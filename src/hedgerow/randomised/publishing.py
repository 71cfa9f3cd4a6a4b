"""From a plan to a randomised release: charged first, then counted, noise, kept, then written.

What the ledger keeps are the noisy numbers. All that comes after follows from them, so a release
can be made again for nothing, and whoever is interrupted then has lost nothing.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.certificate import as_text
from hedgerow.choosing import Progress
from hedgerow.delivery import DATA, TABLES, check_target, deliver, staging
from hedgerow.errors import DataError, HedgerowError, PlanError
from hedgerow.faults import point
from hedgerow.fingerprint import is_file_of
from hedgerow.ledger.which import ENVIRONMENT, ledger_place
from hedgerow.plan import Plan
from hedgerow.query.charging import Charge, charged, source_of, told_before
from hedgerow.query.mixing import Unit
from hedgerow.randomised.certificate import certify
from hedgerow.randomised.drawn import Drawn
from hedgerow.randomised.making import Made, make, rehearse
from hedgerow.randomised.release import RandomisedRelease
from hedgerow.randomised.request import Request
from hedgerow.randomised.rows_file import read_rows, write_rows
from hedgerow.randomised.tables_file import lines_of, read_tables, write_tables
from hedgerow.randomised.texts import refuse_alike
from hedgerow.release import read_certificate, read_data

if TYPE_CHECKING:
    from hedgerow.ledger import Ledger

KIND = "randomised"
"""What the ledger calls it."""
Signer = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class _Form:
    """How the files are written."""

    format: str
    escaped: bool
    rows: bool
    signed: Signer


def publish_randomised(
    plan: Plan,
    data: Any,
    *,
    to: str | os.PathLike[str] | None,
    replace: bool,
    memory: str | None,
    ledger: str | os.PathLike[str] | None,
    signed: Signer,
    progress: Progress | None,
    anew: bool,
) -> RandomisedRelease:
    """Publish tables of counts with noise, and made-up rows if the plan asks for them.

    The same request is answered with the same noisy numbers, whether or not the data have
    changed: to look would tell that they have. So another format, or rows in addition, cost
    nothing more; another price, other tables or another source do.

    Args:
        plan: The plan.
        data: The table, where it is not the plan's source.
        to: Folder of the release; the plan's if left out, and without one it stays in memory.
        replace: Whether an existing release may be replaced.
        memory: How much memory the engine may use.
        ledger: Where it is charged; what the plan or the environment names if left out.
        signed: Signs a certificate.
        progress: Called as work goes on.
        anew: Whether noise is drawn, and charged, again.

    Raises:
        BudgetError: It does not fit into the budget; nothing was looked at.
    """
    say = progress or (lambda what, share: None)
    target = Path(to) if to is not None else plan.publish.to if plan.publish else None
    form = _Form(
        format=plan.publish.format if plan.publish else "csv" if target else "parquet",
        escaped=plan.publish.escape_formulas if plan.publish else False,
        rows=plan.method.synthetic,
        signed=signed,
    )
    request = Request.of(plan)
    refuse_alike(request, escaped=form.escaped)
    rehearse(request)
    where = ledger_place(plan, None if ledger is None else str(ledger))
    if where is None:
        raise PlanError(
            "a randomised release has a price, and there is no ledger that would remember it",
            where=plan.where(),
            fix="Name one: `ledger: ledger.db` in the plan, --ledger, or the environment variable "
            f"{ENVIRONMENT}.",
        )
    from hedgerow.ledger import Ledger

    with Ledger.open(where) as book:
        charge = _charge(plan, data, request, target)
        before = None if anew else told_before(book, charge)
        again = before is not None
        if before is not None:
            drawn = Drawn.read(before)
        else:
            drawn = _drawn(plan, data, request, book, charge, target, replace, memory, say)
        with _told(drawn, target):
            say("making tables agree", None)
            made = make(drawn.request, drawn.noisy, rows=form.rows)
            if again and target is not None and (there := _still_there(target, drawn, made, form)):
                found, tables, rows = there, target / TABLES, _rows_of(there, target)
            else:
                say("writing", None)
                found, tables, rows = _delivered(target, replace, drawn, made, form)
        say("done", 1.0)
        return RandomisedRelease(
            certificate=found,
            tables=tables,
            data=rows,
            position=book.budget(request.population),
            again=again,
        )


def _charge(plan: Plan, data: Any, request: Request, target: Path | None) -> Charge:
    name = "in memory" if target is None else target.name
    return Charge(
        population=request.population,
        asked={"kind": KIND, "source": source_of(plan, data)} | request.as_json(),
        what={"kind": KIND, "name": name, "tables": len(request.tables)},
        unit=Unit.of(request.public, request.person),
        design=request.design,
    )


def _drawn(
    plan: Plan,
    data: Any,
    request: Request,
    book: Ledger,
    charge: Charge,
    target: Path | None,
    replace: bool,
    memory: str | None,
    say: Progress,
) -> Drawn:
    """The noisy numbers, charged and kept, if there is room for what is made of them."""
    from hedgerow.engines import open_engine

    origin = plan.source if data is None else data
    if origin is None:
        raise PlanError("the plan names no source", fix="Add `source: table.csv`.")
    with open_engine(origin, null=plan.null, person=plan.person, memory=memory) as engine:
        plan.fit(engine.columns())
        if target is not None:
            check_target(target, replace=replace, inputs=engine.files)
        return charged(book, charge, engine, made=partial(Drawn.of, request), say=say)


@contextlib.contextmanager
def _told(drawn: Drawn, target: Path | None) -> Iterator[None]:
    """Whoever is interrupted now, or has no room on the disk, hears that nothing is lost."""
    try:
        yield
    except HedgerowError as error:
        kept = "The noisy numbers are in the ledger: to run it again costs nothing more."
        error.fix = f"{error.fix} {kept}" if error.fix else kept
        raise
    except KeyboardInterrupt:
        there = target is not None and target.exists()
        raise KeyboardInterrupt(
            f"interrupted; the noisy numbers are in the ledger (reserved as entry "
            f"{drawn.ledger['seq']}), and a release {'may be' if there else 'is not'} at its "
            "place. Run it again: it costs nothing more"
        ) from None


def _delivered(
    target: Path | None, replace: bool, drawn: Drawn, made: Made, form: _Form
) -> tuple[Mapping[str, Any], Any, Any]:
    """Write the files, read them again, and put them in their place."""
    place = None if target is None else check_target(target, replace=replace)
    with staging(place) as folder:
        certificate = _written(folder, drawn, made, form)
        if target is None:
            columns = certificate["counts"]["columns"]
            tables = lines_of(folder / TABLES, columns, escaped=form.escaped)
            rows = _rows_of(certificate, folder)
            return certificate, tables, None if rows is None else read_data(rows)
        deliver(folder, target, as_text(certificate), replace=replace)
        point("delivered")
    return certificate, target / TABLES, _rows_of(certificate, target)


def _written(folder: Path, drawn: Drawn, made: Made, form: _Form) -> dict[str, Any]:
    """The certificate of the files, about what is in them as they are read again.

    Raises:
        DataError: Something else came out than was written.
    """
    request, escaped = drawn.request, form.escaped
    write_tables(folder / TABLES, request, drawn.noisy, made.counts, escaped=escaped)
    file = folder / DATA[form.format]
    if made.records is not None:
        write_rows(file, request, made.records, escaped=escaped)
    point("written")
    noisy, counts = read_tables(folder / TABLES, request, escaped=escaped)
    same = all(map(np.array_equal, noisy, drawn.noisy))
    same = same and all(map(np.array_equal, counts, made.counts))
    records = None
    if made.records is not None:
        records = read_rows(file, request, escaped=escaped)
        same = same and np.array_equal(records, made.records)
    if not same:
        raise DataError(
            "the files cannot be read as they were written", fix="Is the disk in order?"
        )
    certificate = certify(
        drawn, folder=folder, counts=counts, total=made.total, mixed=made.mixed, records=records,
        form=form.format, escaped=escaped,
    )  # fmt: skip
    point("measured")
    return form.signed(certificate)


def _still_there(target: Path, drawn: Drawn, made: Made, form: _Form) -> Mapping[str, Any] | None:
    """The certificate at the place, if the same release is there, untouched."""
    try:
        there = read_certificate(target, randomised=True)
        with staging(None) as folder:
            certificate = _written(folder, drawn, made, form)
        files = [certificate["counts"], *filter(None, [certificate["data"]])]
        same = there == certificate and all(
            is_file_of(target / str(one["file"]), str(one["sha256"])) for one in files
        )
    except (HedgerowError, OSError):
        return None
    return there if same else None


def _rows_of(certificate: Mapping[str, Any], folder: Path) -> Path | None:
    return None if certificate["data"] is None else folder / str(certificate["data"]["file"])
