"""From a plan to a randomised release: noisy numbers, kept in the ledger, and what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.answers.charge import Charge, address_of, source_of
from hedgerow.answers.unit_of_privacy import Unit
from hedgerow.base.delivery import DATA, TABLES
from hedgerow.base.errors import DataError, PlanError
from hedgerow.base.faults import point
from hedgerow.plan.plan import Plan
from hedgerow.release.charged.publication import Certificate, Kind, release
from hedgerow.release.noisy.certificate import certify
from hedgerow.release.noisy.release import RandomisedRelease
from hedgerow.release.wanted import Wanted
from hedgerow.synthesis.noisy_numbers import Drawn
from hedgerow.synthesis.request import Request
from hedgerow.synthesis.rows_file import read_rows, write_rows
from hedgerow.synthesis.tables_and_rows import Made, make, rehearse
from hedgerow.synthesis.tables_file import lines_of, read_tables, write_tables
from hedgerow.synthesis.texts import refuse_alike
from hedgerow.table.certificate_file import read_data

KIND = "randomised"
"""What the ledger calls it."""


@dataclass(frozen=True, kw_only=True)
class _Form:
    """How the files are written."""

    format: str
    escaped: bool
    rows: bool


def publish_randomised(plan: Plan, data: Any, wanted: Wanted) -> RandomisedRelease:
    """Publish tables of counts with noise, and made-up rows if the plan asks for them.

    The same request is answered with the same noisy numbers. So another format, or rows in
    addition, cost nothing more; another price, other tables or another source do.

    Args:
        plan: The plan.
        data: The table, where it is not the plan's source.
        wanted: Where to, and how.

    Raises:
        BudgetError: It does not fit into the budget; nothing was looked at.
    """
    if (table := wanted.table(plan)) is not None:
        raise PlanError(
            "a randomised release is several tables of counts, with what is made of them, and "
            f"{table.name!r} would be one table",
            where=plan.where("publish"),
            fix="Name a folder: `publish: {to: release}`. A release with `search: safe` can be a "
            "table.",
        )
    form = _Form(
        format=wanted.format(plan),
        escaped=plan.publish.escape_formulas if plan.publish else False,
        rows=plan.method.synthetic,
    )
    request = Request.of(plan)
    refuse_alike(request, escaped=form.escaped)
    rehearse(request)

    def writer(drawn: Drawn) -> Callable[[Path], dict[str, Any]]:
        wanted.say("making tables agree", None)
        return partial(_written, drawn, make(drawn.request, drawn.noisy, rows=form.rows), form)

    kind = Kind(
        name="a randomised release",
        drawn="the noisy numbers are",
        made=partial(Drawn.of, request),
        read=Drawn.read,
        writer=writer,
        shown=partial(_shown, escaped=form.escaped),
    )
    charge = Charge(
        population=request.population,
        asked={"kind": KIND, "source": source_of(plan, data)} | request.as_json(),
        what={"kind": KIND, "name": wanted.name(plan), "tables": len(request.tables)},
        unit=Unit.of(request.public, request.person),
        design=request.design,
        source=address_of(plan, data),
        others=plan.other_people_than,
    )
    found = release(plan, data, wanted, kind=kind, charge=charge)
    tables, rows = found.files
    return RandomisedRelease(
        certificate=found.certificate,
        tables=tables,
        data=rows,
        position=found.position,
        again=found.again,
    )


def _written(drawn: Drawn, made: Made, form: _Form, folder: Path) -> dict[str, Any]:
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
    return certificate


def again(content: bytes, certificate: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Make a release again from what the ledger keeps, in the form that a certificate has.

    Args:
        content: What the ledger keeps.
        certificate: Says the form.
        folder: Where the files go.
    """
    drawn = Drawn.read(content)
    configured = certificate["software"]["configured"]
    form = _Form(
        format=str(configured["format"]),
        escaped=bool(configured["escape_formulas"]),
        rows=certificate["data"] is not None,
    )
    return _written(drawn, make(drawn.request, drawn.noisy, rows=form.rows), form, folder)


def _shown(
    certificate: Certificate, folder: Path, in_memory: bool, *, escaped: bool
) -> tuple[Any, Any]:
    """The tables, and the made-up rows where there are some."""
    data = certificate["data"]
    rows = None if data is None else folder / str(data["file"])
    if not in_memory:
        return folder / TABLES, rows
    tables = lines_of(folder / TABLES, certificate["counts"]["columns"], escaped=escaped)
    return tables, None if rows is None else read_data(rows)
