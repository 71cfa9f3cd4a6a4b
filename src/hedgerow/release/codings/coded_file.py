"""The file of a release, coded: written again with other values in its coded columns.

Claims are judged on the file before this. It is out of sight, and nobody ever receives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa

from hedgerow.base.errors import PlanError
from hedgerow.engines import open_engine
from hedgerow.engines.base import Written
from hedgerow.plan.plan import Plan
from hedgerow.release.codings.coded_column import CodingOutcome, ColumnValues, code_column
from hedgerow.table.encoding import encoded
from hedgerow.table.schema import Schema
from hedgerow.table.written_form import WrittenForm

FEWEST = 3
"""People of a group who must have a value where an aggregate of them is published, at least."""


@dataclass(frozen=True, eq=False)
class CodedFile:
    """What its recipients get, and what is said of it."""

    written: Written
    told: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the certificate says of each coded column."""
    notes: tuple[str, ...] = ()
    """For the steward alone: how many values changed."""


def code_file(
    plan: Plan, schema: Schema, written: Written, *, escaped: bool, least: int, memory: str | None
) -> CodedFile:
    """Code the columns of a file that was written, where the plan wants that.

    Args:
        plan: The plan.
        schema: Its columns.
        written: The file, with the values that claims were judged on.
        escaped: Whether formulas were escaped.
        least: The smallest group that the claims allow.
        memory: How much memory the engine may use.

    Raises:
        HedgerowError: The values do not suit their coding; or it is a table.
    """
    if not schema.coded:
        return CodedFile(written)
    file = written.path
    if not isinstance(file, Path):
        refuse_table(plan)
    form = WrittenForm.of(file, schema.published, escaped=escaped)
    with open_engine(file, delimiter=form.delimiter, memory=memory) as engine:
        names = form.all_columns(engine.columns())
        table = engine.rows(engine.columns(), max(1, written.rows))
        before = {}
        for name, column in zip(names, table.columns, strict=True):
            values, codes = encoded(column)
            before[name] = ColumnValues(tuple(form.all_meant(name, values)), codes.astype("int64"))
        coded = {
            name: code_column(
                plan, name, before, groups=schema.shown_groups, least=max(least, FEWEST)
            )
            for name in names
            if name in schema.coded
        }
        after = {name: coded[name].column if name in coded else before[name] for name in names}
        arrays = [
            pa.DictionaryArray.from_arrays(
                pa.array(one.codes, pa.int32()), pa.array(list(one.values), pa.string())
            )
            for one in after.values()
        ]
        once = pa.array([1] * written.rows, pa.int64())
        new = engine.write_counted(
            pa.table([*arrays, once], names=[*(f"c{i}" for i in range(len(arrays))), "rows"]),
            file.with_name(f"coded{file.suffix}"),
            columns=names,
            keep=() if file.suffix == ".csv" else [name for name in names if name not in coded],
            expect_rows=written.rows,
            escape_formulas=escaped,
        )
    assert isinstance(new.path, Path), "it was written to a file"
    new.path.replace(file)
    # People who were written are those of before; the file has a row for each.
    told = {name: dict(one.told) for name, one in coded.items()}
    notes = tuple(_note(name, one, written.rows) for name, one in coded.items())
    return CodedFile(replace(written, sha256=new.sha256), told, notes)


def refuse_table(plan: Plan) -> NoReturn:
    """Refuse to code a table.

    Raises:
        PlanError: Always.
    """
    name = next(iter(plan.codings))
    raise PlanError(
        "columns are coded in a file, and this release is a table",
        where=plan.where("columns", name, "coding"),
        fix="Publish to a folder, or leave the coding out.",
    )


def _note(name: str, coded: CodingOutcome, rows: int) -> str:
    share = coded.changed / rows if rows else 0.0
    return (
        f"The coding changed {name} of {coded.changed:,} of {rows:,} rows ({share:.1%}). Do not "
        "tell recipients this number: it was counted in the values before."
    )
