"""Fingerprints: whether a plan and what it reads are the same as before."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hedgerow.base.canonical_json import digest
from hedgerow.base.errors import HedgerowError
from hedgerow.engines import open_engine, table_place
from hedgerow.ledger.sources import SourceIdentity
from hedgerow.plan.columns import ColumnPlan
from hedgerow.plan.plan import Plan
from hedgerow.table.hierarchy_builders import FromCsv, Spec


def key_of(plan: Plan, recoding: Path | None = None) -> str:
    """What a plan asks for, wherever the release goes; with the recoding that is applied.

    Which table of the source it is about is part of it; where the source lies is not. A file is
    the same file however its place is written; what is in it is `inputs_of`'s to compare.
    """
    form = plan.publish.model_dump(mode="json", exclude={"to"}) if plan.publish else None
    columns = {
        name: [
            *(str(column.role), repr(_placed(column.spec())), column.missing, column.levels),
            *_more(column),
        ]
        for name, column in plan.columns.items()
    }
    models = [repr(model) for model in plan.models()]
    method = plan.method.model_dump(mode="json")
    utility = plan.utility.model_dump(mode="json") if plan.utility.weighed else plan.utility.said
    table = str(plan.source or "").rpartition("::")[2] if "::" in str(plan.source or "") else ""
    applied = None if recoding is None else _hashed([recoding])
    return digest(
        [columns, plan.person, plan.population, plan.null, models, method, utility, form,
         table, applied, *([True] if plan.one_row_per_person else []),
         *([["keep", *map(repr, plan.keep)]] if plan.keep else []),
         *([] if plan.rows is None else [plan.rows]),
         *([] if plan.form is None else [plan.form.said])]
    )  # fmt: skip


def _more(column: ColumnPlan) -> list[dict[str, Any]]:
    """What plans of earlier versions could not say; nothing where this one does not either."""
    said = {
        "key": column.key,
        "within_person": column.within_person,
        "spelling": column.spelling,
        "distinct": column.distinct,
        "from_data": column.from_data or None,
        "coding": None if column.coding is None else repr(column.coding),
        "order": None if column.order is None else column.order.stated,
    }
    told = {name: value for name, value in said.items() if value is not None}
    return [told] if told else []


def inputs_of(plan: Plan, data: Any, population_table: Any) -> str | None:
    """A hash of everything a release is made from; None where not all of that is in files.

    What a database holds has no hash that is cheap to know, so nothing made from it is taken to
    be made from the same data again.
    """
    if data is not None or population_table is not None or plan.source is None:
        return None
    if table_place(plan.source) is not None:
        return None
    try:
        with open_engine(plan.source, null=plan.null, form=plan.form) as engine:
            files = list(engine.files)
        if not files:
            return None
        # A database keeps what was written last in a file beside it.
        logs = [log for file in files if (log := file.with_name(f"{file.name}.wal")).exists()]
        files += [*logs, *plan.claim_files, *plan.hierarchy_files, *plan.coding_files]
        if plan.population_file is not None:
            files.append(plan.population_file)
        return _hashed(files)
    except (HedgerowError, OSError):
        return None


def made_from(plan: Plan, data: Any) -> SourceIdentity:
    """What the ledger knows the source of a release without noise by.

    A table in memory has no address and no files.
    """
    others = plan.other_people_than
    if data is not None or plan.source is None:
        return SourceIdentity(None, others=others, exact=True)
    if table_place(plan.source) is not None:
        return SourceIdentity(plan.source, others=others, exact=True)
    try:
        with open_engine(plan.source, null=plan.null, form=plan.form) as engine:
            files = tuple(engine.files)
    except HedgerowError:
        files = ()  # whoever opens it to publish is told
    return SourceIdentity(os.path.abspath(plan.source), files, others, exact=True)  # noqa: PTH100 (patterns)


def is_file_of(file: Path, sha256: str) -> bool:
    """Whether a file has this hash."""
    return _sha256(file) == sha256


def _placed(spec: Spec) -> Spec:
    """The same hierarchy, a file by the place where it really is."""
    return replace(spec, path=spec.path.resolve()) if isinstance(spec, FromCsv) else spec


def _hashed(paths: Sequence[Path]) -> str:
    """A hash of files with their places, folders with all that is in them."""
    found = []
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found += [[str(file.resolve()), _sha256(file)] for file in inside if file.is_file()]
    return digest(sorted(found))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
