"""From a plan to a safe release: charged first, then counted, chosen, drawn, kept, then written.

What the ledger keeps are the published groups. A release can be made again from them for nothing,
and nobody is drawn twice because somebody was interrupted.
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

from hedgerow.canonical import digest
from hedgerow.certificate import as_text
from hedgerow.choosing import Progress
from hedgerow.delivery import DATA, check_target, deliver, staging
from hedgerow.errors import DataError, HedgerowError, PlanError
from hedgerow.faults import point
from hedgerow.fingerprint import is_file_of
from hedgerow.ledger.which import ENVIRONMENT, ledger_place
from hedgerow.plan import Plan
from hedgerow.query.charging import Charge, charged, source_of, told_before
from hedgerow.query.mixing import Unit
from hedgerow.randomised.rows_file import read_rows, write_rows
from hedgerow.release import read_certificate, read_data
from hedgerow.safe.certificate import certify
from hedgerow.safe.design import Sampling
from hedgerow.safe.kept import Kept
from hedgerow.safe.release import SafeRelease
from hedgerow.safe.request import Request
from hedgerow.sampling.measure import Drawn

if TYPE_CHECKING:
    from hedgerow.ledger import Ledger

KIND = "safe"
"""What the ledger calls it."""
Signer = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class _Form:
    """How the file is written."""

    format: str
    escaped: bool
    signed: Signer


def publish_safe(
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
) -> SafeRelease:
    """Publish a table of a random sample in groups of at least k, differentially private.

    The same request is answered with the same groups, whether or not the data have changed: to
    look would tell that they have. Another format costs nothing more; anything else does.

    Args:
        plan: The plan.
        data: The table, where it is not the plan's source.
        to: Folder of the release; the plan's if left out, and without one it stays in memory.
        replace: Whether an existing release may be replaced.
        memory: How much memory the engine may use.
        ledger: Where it is charged; what the plan or the environment names if left out.
        signed: Signs a certificate.
        progress: Called as work goes on.
        anew: Whether a fresh sample is drawn, and charged.

    Raises:
        BudgetError: It does not fit into the budget; nothing was looked at.
        PlanError: No k keeps the price, or the table is a sample that was published already.
    """
    say = progress or (lambda what, share: None)
    target = Path(to) if to is not None else plan.publish.to if plan.publish else None
    form = _Form(
        format=plan.publish.format if plan.publish else "csv" if target else "parquet",
        escaped=plan.publish.escape_formulas if plan.publish else False,
        signed=signed,
    )
    request = Request.of(plan)
    request.require_writable(escaped=form.escaped)
    # What must fail fails before it costs.
    _ = request.terms.safe, request.terms.loss.amounts()
    if anew and request.terms.drawn is Drawn.BEFORE:
        raise PlanError(
            "the table is the sample, so there is no other that could be published",
            fix="Leave --anew out; the same release is made again for nothing.",
        )
    where = ledger_place(plan, None if ledger is None else str(ledger))
    if where is None:
        raise PlanError(
            "a safe release has a price, and there is no ledger that would remember it",
            where=plan.where(),
            fix="Name one: `ledger: ledger.db` in the plan, --ledger, or the environment variable "
            f"{ENVIRONMENT}.",
        )
    from hedgerow.ledger import Ledger

    with Ledger.open(where) as book:
        charge = _charge(plan, data, request, target)
        before = None if anew else told_before(book, charge)
        if before is not None:
            kept = Kept.read(before)
        else:
            kept = _kept(plan, data, request, book, charge, target, replace, memory, say)
        with _told(kept, target):
            found: tuple[Mapping[str, Any], Any] | None = None
            if before is not None and target is not None:
                found = _still_there(target, kept, form)
            if found is None:
                say("writing", None)
                found = _delivered(target, replace, kept, form)
        say("done", 1.0)
        return SafeRelease(
            certificate=found[0],
            data=found[1],
            position=book.budget(request.population),
            groups=len(kept.counts),
            again=before is not None,
        )


def _charge(plan: Plan, data: Any, request: Request, target: Path | None) -> Charge:
    terms = request.terms
    asked = {"kind": KIND, "source": source_of(plan, data)} | request.as_json()
    return Charge(
        population=request.population,
        asked=asked,
        what={"kind": KIND, "name": "in memory" if target is None else target.name},
        unit=Unit(
            neighbours=terms.neighbours,
            person=request.person,
            words=terms.protects,
            sample=digest(asked) if terms.drawn is Drawn.BEFORE else None,
        ),
        design=Sampling(request),
    )


def _kept(
    plan: Plan,
    data: Any,
    request: Request,
    book: Ledger,
    charge: Charge,
    target: Path | None,
    replace: bool,
    memory: str | None,
    say: Progress,
) -> Kept:
    """The groups, charged and kept, if there is room for what is made of them."""
    from hedgerow.engines import open_engine

    origin = plan.source if data is None else data
    if origin is None:
        raise PlanError("the plan names no source", fix="Add `source: table.csv`.")
    with open_engine(origin, null=plan.null, person=plan.person, memory=memory) as engine:
        plan.fit(engine.columns())
        if target is not None:
            check_target(target, replace=replace, inputs=engine.files)
        return charged(book, charge, engine, made=partial(Kept.of, request), say=say)


@contextlib.contextmanager
def _told(kept: Kept, target: Path | None) -> Iterator[None]:
    """Whoever is interrupted now, or has no room on the disk, hears that nothing is lost."""
    try:
        yield
    except HedgerowError as error:
        told = "What was drawn is in the ledger: to run it again costs nothing more."
        error.fix = f"{error.fix} {told}" if error.fix else told
        raise
    except KeyboardInterrupt:
        there = target is not None and target.exists()
        raise KeyboardInterrupt(
            f"interrupted; what was drawn is in the ledger (reserved as entry "
            f"{kept.ledger['seq']}), and a release {'may be' if there else 'is not'} at its "
            "place. Run it again: it costs nothing more"
        ) from None


def _delivered(
    target: Path | None, replace: bool, kept: Kept, form: _Form
) -> tuple[Mapping[str, Any], Any]:
    """Write the file, read it again, and put it in its place."""
    place = None if target is None else check_target(target, replace=replace)
    with staging(place) as folder:
        certificate = _written(folder, kept, form)
        name = DATA[form.format]
        if target is None:
            return certificate, read_data(folder / name)
        deliver(folder, target, as_text(certificate), replace=replace)
        point("delivered")
    return certificate, target / name


def _written(folder: Path, kept: Kept, form: _Form) -> dict[str, Any]:
    """The certificate of the file, about what is in it as it is read again.

    Raises:
        DataError: Something else came out than was written.
    """
    file, records = folder / DATA[form.format], kept.records
    write_rows(file, kept.shown, records, escaped=form.escaped)
    point("written")
    if not np.array_equal(read_rows(file, kept.shown, escaped=form.escaped), records):
        raise DataError("the file cannot be read as it was written", fix="Is the disk in order?")
    certificate = certify(kept, file=file, form=form.format, escaped=form.escaped)
    point("measured")
    return form.signed(certificate)


def _still_there(target: Path, kept: Kept, form: _Form) -> tuple[Mapping[str, Any], Any] | None:
    """The certificate and file at the place, if the same release is there, untouched."""
    try:
        there = read_certificate(target, randomised=True)
        with staging(None) as folder:
            certificate = _written(folder, kept, form)
        file = target / str(certificate["data"]["file"])
        same = there == certificate and is_file_of(file, str(certificate["data"]["sha256"]))
    except (HedgerowError, OSError):
        return None
    return (there, file) if same else None
