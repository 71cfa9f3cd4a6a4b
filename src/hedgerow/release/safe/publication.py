"""From a plan to a safe release: groups of a sample, kept in the ledger, as rows in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.answers.charge import Charge, address_of, source_of
from hedgerow.answers.unit_of_privacy import Unit
from hedgerow.base.canonical_json import digest
from hedgerow.base.delivery import DATA, TABLE, sha256
from hedgerow.base.errors import DataError, PlanError
from hedgerow.base.faults import point
from hedgerow.noise.sampling.measure import SampleOrigin
from hedgerow.plan.plan import Plan
from hedgerow.release.charged.publication import Certificate, Kind, release
from hedgerow.release.safe.certificate import certify
from hedgerow.release.safe.design import Sampling
from hedgerow.release.safe.public_levels import refuse_itself
from hedgerow.release.safe.record import Kept
from hedgerow.release.safe.release import SafeRelease
from hedgerow.release.safe.request import Request
from hedgerow.release.table_target import refuse_escaped
from hedgerow.release.wanted import Wanted
from hedgerow.synthesis.rows_file import read_rows, write_rows
from hedgerow.table.certificate_file import read_data

KIND = "safe"
"""What the ledger calls it."""


def publish_safe(plan: Plan, data: Any, wanted: Wanted) -> SafeRelease:
    """Publish a table of a random sample in groups of at least k, differentially private.

    The same request is answered with the same groups. Another format costs nothing more; anything
    else does.

    Args:
        plan: The plan.
        data: The table, where it is not the plan's source.
        wanted: Where to, and how.

    Raises:
        BudgetError: It does not fit into the budget; nothing was looked at.
        PlanError: No k keeps the price, or the table is a sample that was published already.
    """
    escaped = plan.publish.escape_formulas if plan.publish else False
    if (table := wanted.table(plan)) is not None and escaped:
        refuse_escaped(table)
    request = Request.of(plan)
    request.require_writable(escaped=escaped)
    # What must fail fails before it costs.
    request.terms.loss.amounts()
    if wanted.anew and request.terms.drawn is SampleOrigin.BEFORE:
        raise PlanError(
            "the table is the sample, so there is no other that could be published",
            fix="Leave --anew out; the same release is made again for nothing.",
        )
    public = plan.method.levels_from
    kind = Kind(
        name="a safe release",
        drawn="what was drawn is",
        made=partial(Kept.of, request),
        read=Kept.read,
        writer=partial(_writer, wanted.format(plan), escaped),
        shown=_shown,
        inputs=() if public is None else (public,),
        refuse=partial(refuse_itself, plan, request.columns),
    )
    found = release(plan, data, wanted, kind=kind, charge=_charge(plan, data, request, wanted))
    return SafeRelease(
        certificate=found.certificate,
        data=found.files,
        position=found.position,
        groups=len(found.kept.counts),
        again=found.again,
    )


def _charge(plan: Plan, data: Any, request: Request, wanted: Wanted) -> Charge:
    terms = request.terms
    asked = {"kind": KIND, "source": source_of(plan, data)} | request.as_json()
    return Charge(
        population=request.population,
        asked=asked,
        what={"kind": KIND, "name": wanted.name(plan)},
        unit=Unit(
            neighbours=terms.neighbours,
            person=request.person,
            words=terms.protects,
            sample=digest(asked) if terms.drawn is SampleOrigin.BEFORE else None,
        ),
        design=Sampling(request),
        source=address_of(plan, data),
        others=plan.other_people_than,
        doing="drawing people" if terms.drawn is SampleOrigin.HERE else "leaving out small groups",
    )


def _writer(form: str, escaped: bool, kept: Kept) -> Callable[[Path], dict[str, Any]]:
    """What writes the file, and certifies what is in it as it is read again.

    Raises:
        DataError: Something else came out than was written.
    """

    def write(folder: Path) -> dict[str, Any]:
        file, records = folder / DATA["parquet" if form == TABLE else form], kept.records
        write_rows(file, kept.shown, records, escaped=escaped)
        point("written")
        if not np.array_equal(read_rows(file, kept.shown, escaped=escaped), records):
            raise DataError(
                "the file cannot be read as it was written", fix="Is the disk in order?"
            )
        certificate = certify(kept, **_data(file, form), form=form, escaped=escaped)
        point("measured")
        return certificate

    return write


def again(content: bytes, certificate: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Make a release again from what the ledger keeps, in the form that a certificate has.

    Args:
        content: What the ledger keeps.
        certificate: Says the form.
        folder: Where the file goes.
    """
    configured = certificate["software"]["configured"]
    form, escaped = str(configured["format"]), bool(configured["escape_formulas"])
    return _writer(form, escaped, Kept.read(content))(folder)


def _data(file: Path, form: str) -> dict[str, str]:
    """What a certificate calls a file, or a table that is made of it, and its hash."""
    if form != TABLE:
        return {"file": file.name, "sha256": sha256(file)}
    from hedgerow.engines.transfer import content_sha256

    return {"file": TABLE, "sha256": content_sha256(file)}


def _shown(certificate: Certificate, folder: Path, in_memory: bool) -> Any:
    file = folder / str(certificate["data"]["file"])
    return read_data(file) if in_memory else file
