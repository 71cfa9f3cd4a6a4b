"""Hierarchies for a person to choose from: proposals, files, projects of other tools."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.api.table_origin import TableOrigin
from hedgerow.base.errors import DataError, HedgerowError, TargetError, nearest, some
from hedgerow.engines import open_engine, table_place
from hedgerow.plan.arx_project import plan_of, read_project
from hedgerow.plan.plan import Plan
from hedgerow.table.code_books import read_code_book
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.proposals import Counts, Proposal, proposals, similarity
from hedgerow.table.proposals.proposal import Candidate, weighed


@dataclass(frozen=True)
class ColumnProposals:
    """What a column is like, and the hierarchies it could have."""

    column: str
    people: int
    distinct: int
    missing: int
    proposals: tuple[Proposal, ...]
    values: tuple[str | None, ...]
    """All of them."""

    def choice(self, number: int) -> Proposal:
        """A proposal by its number, from 1.

        Raises:
            DataError: There is none.
        """
        if not 1 <= number <= len(self.proposals):
            raise DataError(
                f"there is no proposal {number}",
                fix=f"Choose one of 1 to {len(self.proposals)}.",
            )
        return self.proposals[number - 1]

    def hierarchy(self, number: int) -> Hierarchy:
        """A proposal by its number, for all values of the column."""
        return self.choice(number).spec.bind(self.column, self.values)

    def summary(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "column": self.column,
            "people": self.people,
            "distinct": self.distinct,
            "missing": self.missing,
            "proposals": [
                {
                    "hierarchy": dict(one.form), "from": one.origin, "reason": one.reason,
                    "loss": round(one.loss, 6), "level": one.level,
                    "examples": [list(row) for row in one.examples()],
                }
                for one in self.proposals
            ],
        }  # fmt: skip


def propose_hierarchies(
    data: str | os.PathLike[str],
    column: str,
    *,
    k: int = 5,
    null: Sequence[str] = (),
    read: Mapping[str, Any] | None = None,
    code_book: str | os.PathLike[str] | None = None,
    similar_in: str | os.PathLike[str] | None = None,
    of: str | None = None,
) -> ColumnProposals:
    """Hierarchies that a column of a table could have, the best first.

    Args:
        data: The table: a file, a table of a database, or the plan that names one.
        column: The column.
        k: How many people a group should have.
        null: Texts that are read as missing; the plan's, if there is one.
        read: How a file is written, as a plan says it under `read`; the rest is detected.
        code_book: A file that says what codes mean: DDI (XML) or CSV.
        similar_in: A public table with the column: values whose people have a similar `of` there
            are put together.
        of: A column of the public table, such as a sensitive one of the data.

    Raises:
        HedgerowError: The table or the code book cannot be read, or lacks the column.
    """
    if (similar_in is None) != (of is None):
        raise DataError(
            "similar values are found in a public table, by one of its columns",
            fix="Say both: --similar-in public.csv --of income. Which values are alike in the data "
            "themselves would tell about their people, and no budget pays for that yet.",
        )
    origin = TableOrigin.of(os.fspath(data), null=null, read=read)
    with open_engine(origin.source, null=origin.null, form=origin.form) as engine:
        if column not in engine.columns():
            close = nearest(column, list(engine.columns()))
            raise DataError(
                f"there is no column {column!r}", where=str(origin.source),
                fix=f"Did you mean {close!r}?" if close else f"It has {some(engine.columns())}.",
            )  # fmt: skip
        table = engine.counts([column])
        counts = dict(zip(table["q0"].to_pylist(), map(int, table["n"].to_pylist()), strict=True))
    found = proposals(column, counts, k=k)
    if code_book is not None:
        coded = read_code_book(Path(code_book)).column(column)
        spec = coded.spec()
        reason = "the labels of the code book, and words they share"
        candidate = Candidate(spec, {"taxonomy": spec.tree}, "public", reason)
        valued = {value: n for value, n in counts.items() if value not in coded.missing}
        book = weighed(column, candidate, valued, k=k)
        unknown = [v for v in counts if v is not None and v not in coded.labels]
        if book is None or unknown:
            raise DataError(
                f"the code book does not have {some(unknown)} of {column!r}", where=str(code_book),
                fix="Add these codes to it, or list those that mean missing with --null.",
            )  # fmt: skip
        if coded.missing and set(coded.missing) & set(counts):
            raise DataError(
                f"the code book says that {some(coded.missing)} of {column!r} mean missing",
                where=str(code_book),
                fix=" ".join(f"--null {code}" for code in coded.missing)
                + " reads them so; in the plan list them under `null`.",
            )
        found = (book, *found)
    if similar_in is not None and of is not None:
        found = (_similar(column, counts, similar_in, of, k, data=origin), *found)
    missing = counts.get(None, 0)
    distinct = len(set(counts) - {None})
    return ColumnProposals(column, sum(counts.values()), distinct, missing, found, tuple(counts))


def _similar(
    column: str,
    counts: Counts,
    similar_in: str | os.PathLike[str],
    of: str,
    k: int,
    *,
    data: TableOrigin,
) -> Proposal:
    """The proposal that puts values together which are similar in a public table.

    Raises:
        DataError: It is the data, lacks a column, or has too few or too many values.
    """
    where = os.fspath(similar_in)
    if os.path.realpath(where) == os.path.realpath(str(data.source)):
        raise DataError(
            "this is the data, and no public table", where=where,
            fix="Which values are alike in the data would tell about their people. Name a public "
            "table, such as a census extract.",
        )  # fmt: skip
    public = TableOrigin.of(where, null=data.null)
    null = (*public.null, *(public.file.missing if public.file is not None else ()))
    with open_engine(public.source, null=null, form=public.form) as engine:
        for name in (column, of):
            if name not in engine.columns():
                close = nearest(name, list(engine.columns()))
                raise DataError(
                    f"the public table has no column {name!r}", where=where,
                    fix=f"Did you mean {close!r}?" if close
                    else f"It has {some(engine.columns())}.",
                )  # fmt: skip
        if column == of:
            raise DataError("a column is always similar to itself", fix="Name another with --of.")
        table = engine.counts([column, of])
    rows = zip(*(table[name].to_pylist() for name in ("q0", "q1", "n")), strict=True)
    counted = {(one, other): int(n) for one, other, n in rows if None not in (one, other)}
    values = [value for value, n in counts.items() if value is not None and n > 0]
    made = similarity.candidate(counted, values, of=of, source=Path(where).name)
    proposal = None if made is None else weighed(column, made, counts, k=k)
    if proposal is None:
        raise DataError(
            f"values of {column!r} cannot be put together by the public table", where=where,
            fix=f"It must have 3 to {similarity.MOST} values of {column!r}, each with people.",
        )  # fmt: skip
    return proposal


def write_hierarchy(
    hierarchy: Hierarchy, to: str | os.PathLike[str], *, replace: bool = False
) -> Path:
    """Write a hierarchy as a file: a line a value, the value first, `;` between the labels.

    Raises:
        TargetError: There is such a file already, or it cannot be written.
        DataError: A missing value and an empty text would be one line.
    """
    if None in hierarchy.values and "" in hierarchy.values:
        raise DataError(
            f"{hierarchy.name!r} has missing values and empty texts, which a file cannot tell "
            "apart", fix="List the empty text under `null`.",
        )  # fmt: skip
    rows = [
        [hierarchy.labels[level][codes[leaf]] or "" for level, codes in enumerate(hierarchy.codes)]
        for leaf in range(len(hierarchy.values))
    ]
    return _written(rows, Path(to), replace=replace)


def import_project(
    project: str | os.PathLike[str],
    to: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    replace: bool = False,
) -> tuple[Path, tuple[str, ...]]:
    """A plan from a project of ARX, its hierarchies in a folder beside it.

    Args:
        project: The `.deid` file. The data in it are not read.
        to: Where to write the plan.
        data: The table the plan is about.
        replace: Whether files that exist may be replaced.

    Returns:
        The plan, and the notes at its top: what was not taken over.

    Raises:
        DataError: It is no project.
        TargetError: A file exists already, or cannot be written.
    """
    to = Path(to)
    read = read_project(Path(project))
    if to.exists() and not replace:
        raise TargetError(
            "exists already", where=str(to), fix="Choose another name with --to, or say --replace."
        )
    folder = to.with_name(f"{to.stem}-hierarchies")
    files: dict[str, str] = {}
    for place, column in enumerate(read.columns, start=1):
        if column.rows:
            # Never the name in the archive: it could lead anywhere.
            plain = re.sub(r"[^A-Za-z0-9_-]+", "-", column.name).strip("-")[:60]
            files[column.name] = f"{folder.name}/{place}-{plain or 'column'}.csv"
    source = None
    if data is not None:
        where = table_place(str(data))
        source = str(where) if where else Path(
            os.path.relpath(Path(data).resolve(), to.resolve().parent)
        ).as_posix()  # fmt: skip
    text, notes = plan_of(read, files, source=source)
    for column in read.columns:
        if column.name in files:
            _written(column.rows, to.parent / files[column.name], replace=replace)
    try:
        to.write_text(text, "utf-8", newline="\n")
    except (OSError, ValueError) as error:
        raise _unwritable(to, error) from None
    try:
        Plan.read(to)
    except HedgerowError as error:
        error.fix = f"{error.fix or ''} The plan was written; correct it there.".strip()
        raise
    return to, tuple(notes)


def _written(rows: Sequence[Sequence[str]], to: Path, *, replace: bool) -> Path:
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        with to.open("w" if replace else "x", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";", lineterminator="\n").writerows(rows)
    except FileExistsError:
        raise TargetError(
            "exists already", where=str(to), fix="Choose another name with --to, or say --replace."
        ) from None
    except (OSError, ValueError) as error:
        raise _unwritable(to, error) from None
    return to


def _unwritable(to: Path, error: Exception) -> TargetError:
    return TargetError(
        f"cannot be written: {getattr(error, 'strerror', None) or error}", where=str(to),
        fix="Choose a file you may write, with --to.",
    )  # fmt: skip
