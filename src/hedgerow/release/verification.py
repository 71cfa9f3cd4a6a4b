"""Verify a release without the raw data: what follows from the published file, and what does not.

Everything is read anew. The certificate says what was claimed; the file must be the one it was
written for, and each claim that follows from the file must come out as stated.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.base.delivery import CERTIFICATE, REPORT
from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.engines import TablePlace, open_engine, table_place
from hedgerow.plan.people import require_people
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_check import check_certified
from hedgerow.release.partition.claim_check import Ground, recheck
from hedgerow.release.partition.plan_requirements import planned_order
from hedgerow.release.release import Release, finite
from hedgerow.release.verdicts import (
    REFUTED,
    UNVERIFIABLE,
    VERIFIED,
    Checked,
    CheckedClaim,
)
from hedgerow.table.column_domains import in_order
from hedgerow.table.contents import Contents
from hedgerow.table.release_source import has_certificate
from hedgerow.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What somebody who has the release, and nothing else, can say of it."""

    release: str
    checks: tuple[Checked, ...]
    claims: tuple[CheckedClaim, ...]

    @property
    def refuted(self) -> tuple[str, ...]:
        """What is wrong, a sentence each."""
        wrong = [f"{c.what}: {c.why}" for c in self.checks if c.verdict == REFUTED]
        return (*wrong, *(f"{c.claim}: {c.why}" for c in self.claims if c.verdict == REFUTED))

    @property
    def verified(self) -> tuple[CheckedClaim, ...]:
        """The claims that follow from the file."""
        return tuple(c for c in self.claims if c.verdict == VERIFIED)

    @property
    def unverifiable(self) -> tuple[CheckedClaim, ...]:
        """The claims that do not."""
        return tuple(c for c in self.claims if c.verdict == UNVERIFIABLE)

    @property
    def unknown(self) -> tuple[Checked, ...]:
        """What nobody can tell of the release besides its claims, such as who wrote it."""
        return tuple(c for c in self.checks if c.verdict == UNVERIFIABLE)

    def summary(self) -> dict[str, Any]:
        """What `hedgerow verify --json` prints."""
        return {
            "release": self.release,
            "refuted": list(self.refuted),
            "checks": [vars(check) for check in self.checks],
            "claims": [finite(vars(claim)) for claim in self.claims],
        }


def verify(
    release: Release | str | os.PathLike[str] | TablePlace,
    *,
    plan: Plan | str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    check_report: Callable[[Path], Checked],
) -> Verification:
    """Check a release from outside.

    Args:
        release: Folder of a release, or a table that is one (postgresql://…::schema.table or
            spark://…::table); or, with a plan, a CSV or Parquet file or a table of any tool.
        plan: The plan the release must keep; its source is not read.
        key: Public key that must have signed the certificate.
        check_report: Whether a report in the folder is the one that goes with the release.

    Raises:
        DataError: There is nothing that could be verified.
    """
    place = _place(release)
    asked = plan if plan is None or isinstance(plan, Plan) else Plan.read(Path(plan))
    trusted = None if key is None else Path(key)
    if isinstance(place, TablePlace):
        if asked is not None and key is None and not has_certificate(place):
            return _foreign(place, asked)
        checks, claims = check_certified(place, plan=asked, key=trusted)
        return Verification(release=str(place), checks=checks, claims=claims)
    if place.is_dir() or place.name == CERTIFICATE:
        folder = place if place.is_dir() else place.parent
        checks, claims = check_certified(folder, plan=asked, key=trusted)
        if (folder / REPORT).exists():
            checks = (*checks, check_report(folder))
        return Verification(release=str(folder), checks=checks, claims=claims)
    if asked is None and not place.exists():
        raise DataError(
            "there is no such file", where=str(place), fix="Name the folder of a release."
        )
    if asked is None:
        raise DataError(
            "without a certificate only a plan says what should hold",
            where=str(place),
            fix="Name the folder of a release, or give the plan with --plan.",
        )
    if key is not None:
        raise DataError(
            "a single file has no certificate that could be signed",
            where=str(place),
            fix="Name the folder of the release, or leave the key out.",
        )
    return _foreign(place, asked)


def _place(release: Release | str | os.PathLike[str] | TablePlace) -> Path | TablePlace:
    given = release.data if isinstance(release, Release) else release
    if (place := table_place(given)) is not None:
        return place
    if isinstance(release, str | os.PathLike):
        return Path(release)
    if not isinstance(release, Release):
        raise DataError(
            f"a release is a folder or a table, not {release!r:.60}",
            fix="Name the folder of a release.",
        )
    if release.folder is None:
        raise DataError("the release is only in memory", fix="Publish it to a folder first.")
    return release.folder


def _foreign(file: Path | TablePlace, plan: Plan) -> Verification:
    schema = plan.schema()
    with open_engine(file, null=plan.null) as engine:
        # A file that does not say whose rows these are: no claim about people can be verified.
        if plan.person is None or plan.person in engine.columns():
            require_people(plan, engine)
    models = plan.models()
    joint = any(model.joint for model in models)
    others = (*schema.sensitive, *schema.insensitive) if joint else schema.sensitive
    contents = Contents.read(file, quasi=schema.quasi_identifiers, sets=others, null=plan.null)
    if not contents.quasi and not contents.sets:
        raise PlanError(
            f"the file has none of the plan's columns, but {some(contents.columns)}",
            where=str(file),
            fix="Give the plan of this release.",
        )

    if not contents.rows:
        raise DataError(
            "there is nobody in the file, so there is nothing to verify",
            where=str(file),
            fix="Name a file with records.",
        )
    ground = Ground(
        contents=contents,
        person=plan.person is not None,
        left_out=None,
        orders=lambda column: planned_order(plan, column, contents.values(column)),
        others=tuple(name for name in others if name in contents.sets),
        certified=False,
        schema=schema,
        distinct={name: frozenset(column.distinct or ()) for name, column in plan.columns.items()},
    )
    for name in contents.sets:
        if name in schema.sensitive and name not in schema.coded:
            in_order(plan.rules(), name, contents.values(name))
    checks = tuple(_foreign_columns(contents, schema))
    claims = tuple(recheck(model, ground) for model in models)
    return Verification(release=str(file), checks=checks, claims=claims)


def _foreign_columns(contents: Contents, schema: Schema) -> Iterator[Checked]:
    """No identifiers, and nothing the plan has not thought of."""
    shown = set(schema.published)
    names = [name for name in contents.columns if name in schema.roles and name not in shown]
    yield Checked.of(
        "identifiers",
        f"the file has {some(names)}, which the plan says name people" if names else None,
    )
    strange = [name for name in contents.columns if name not in schema.roles]
    absent = [name for name in schema.published if name not in contents.columns]
    wrong = f"the plan gives no role to {some(strange)}" if strange else None
    yield (
        Checked(what="columns", verdict=VERIFIED, why=f"the file has no {some(absent)}")
        if absent and not strange
        else Checked.of("columns", wrong)
    )
