"""Where a table stands, and how it is read: a file as it is detected, or as a plan says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError
from hedgerow.engines.detection import look_at_file
from hedgerow.engines.file_look import FileLook
from hedgerow.engines.source_form import SourceForm
from hedgerow.plan.plan import Plan
from hedgerow.plan.source_form import form_of


@dataclass(frozen=True, kw_only=True)
class TableOrigin:
    """What `open_engine` needs to read a table as its steward means it."""

    source: Any
    person: str | None
    null: tuple[str, ...]
    form: SourceForm
    plan: Plan | None
    """The plan that says so, if one was given."""
    file: FileLook | None
    """How a file is written; None of a table in memory or of a database."""

    @classmethod
    def of(
        cls,
        source: Plan | str | os.PathLike[str] | Any,
        *,
        person: str | None = None,
        null: Sequence[str] = (),
        read: Mapping[str, Any] | None = None,
    ) -> TableOrigin:
        """What was given: a plan, the path of a plan or of a data file, or a table in memory.

        Args:
            source: It.
            person: Column that says whose row it is; the plan's, if there is one.
            null: Texts that are read as missing values; the plan's, if there is one. Without one,
                also those among numbers and dates that surely mean it.
            read: How a file is written, as a plan says it under `read`; the rest is detected.

        Raises:
            DataError: The file cannot be read, or the plan names none.
        """
        plan = source if isinstance(source, Plan) else _plan(source, read)
        form = form_of(read or {})
        if plan is not None:
            source, person, null, form = plan.source, plan.person, plan.null, plan.form or form
            if source is None:
                raise DataError("the plan names no source", fix="Add `source: table.csv`.")
        file = None
        if isinstance(source, str | os.PathLike):
            file = look_at_file(os.fspath(source), form=form, null=tuple(null))
            form = form if file is None else file.form
            if plan is None and file is not None:  # as `init` writes it into a plan
                null = tuple(dict.fromkeys([*null, *file.missing]))
        return cls(
            source=source, person=person, null=tuple(null), form=form, plan=plan, file=file
        )  # fmt: skip


def _plan(source: Any, read: Mapping[str, Any] | None) -> Plan | None:
    """The plan at a path that is one."""
    if isinstance(source, str | os.PathLike) and Path(source).suffix.lower() in {".yaml", ".yml"}:
        return Plan.read(Path(source), source_form=read)
    return None
