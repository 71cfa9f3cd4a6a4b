"""Sources: files and frames, each made a DuckDB view `source` with columns c0, c1, ...."""

from __future__ import annotations

import glob
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from hedgerow.base.errors import DataError, nearest, some
from hedgerow.engines.address import without_secret
from hedgerow.engines.derived_ages import with_ages
from hedgerow.engines.formats import (
    FORMATS,
    PARQUET,
    SourceFiles,
    SourceView,
    format_of,
    readable,
    single_file,
    suffix_of,
    table_of,
)
from hedgerow.engines.kinds import schemes
from hedgerow.engines.missing_marks import without_marks
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.source_form import AS_ALWAYS, SourceForm
from hedgerow.engines.source_values import with_values

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)", re.DOTALL)
"""An address; paths have one slash where it had two."""


def described(source: object) -> str:
    """The source as messages name it."""
    if isinstance(source, str | Path):
        return str(source)
    return f"the {type(source).__module__.split('.')[0]} table"


def one_parquet(source: object) -> Path | None:
    """The Parquet file that is the whole source, whose columns Arrow has under the same names.

    Raises:
        DataError: There is no such file.
    """
    if not isinstance(source, str | Path) or "://" in str(source):
        return None
    files = _files(table_of(str(source))[0])
    return single_file(files) if format_of(files[0]) is PARQUET else None


def attaches(source: object) -> bool:
    """Whether it is a database of its own, which DuckDB attaches."""
    if not isinstance(source, str | Path) or "://" in str(source):
        return False
    found = format_of(_files(table_of(str(source))[0])[0])
    return found is not None and found.database


def attach(
    session: DuckDBSession, source: object, *, form: SourceForm = AS_ALWAYS, null: Sequence[str]
) -> SourceView:
    """Make the view `source` for this source.

    Args:
        session: Where.
        source: The table.
        form: How its values are written.
        null: Texts that mean missing, so that they need not be numbers or dates.

    Raises:
        DataError: It cannot be read, or not as the form says.
    """
    found = _as_it_is(session, source, form)
    if form.missing:
        found = without_marks(session, found, form.missing)
    if form.written:
        found = with_values(session, found, form, null)
    return with_ages(session, found, form.ages, null) if form.ages else found


def _as_it_is(session: DuckDBSession, source: object, form: SourceForm) -> SourceView:
    """The view of values as they stand."""
    if not isinstance(source, str | Path):
        from hedgerow.engines.frames import frame_view

        refuse_keys(form, frozenset(), "a table in memory", session.where)
        return frame_view(session, source)
    path, table = table_of(str(source))
    files = _files(path)
    found = format_of(files[0])
    if found is None:
        raise DataError(
            f"{suffix_of(files[0]) or 'no suffix'} is not a kind of file that can be read",
            where=path,
            fix=f"Give {readable()}.",
        )
    refuse_keys(form, found.keys, f"a {found.name} file", path)
    return found.view(session, SourceFiles(files=files, table=table, form=form))


def refuse_keys(
    form: SourceForm, keys: Collection[str], what: str, where: str, *, values: bool = True
) -> None:
    """Stop where something is said of a source that such a source does not have.

    Args:
        form: What is said.
        keys: What can be said of it.
        what: The kind of source, in words.
        where: The source.
        values: Whether it can be said how numbers and dates are written.

    Raises:
        DataError: It is.
    """
    known = {*keys, *(("decimal", "thousands", "dates", "missing", "ages") if values else ())}
    if wrong := [key for key in form.said if key not in known]:
        raise DataError(
            f"`read` says {some(wrong)}, and that means nothing for {what}",
            where=where,
            fix=f"Take it out; what can be said of it is {some(sorted(known), most=9)}."
            if known
            else "Take `read` out of the plan, and read a view that has the values as you want "
            "them.",
        )


def _unknown_scheme(scheme: str, rest: str) -> DataError:
    there = schemes()
    close = nearest(scheme, there)
    return DataError(
        f"no engine reads {scheme}://",
        where=without_secret(f"{scheme}://{rest}"),
        fix=(f"Did you mean {close}://? " if close else "")
        + f"Addresses begin with {', '.join(f'{one}://' for one in there)}. Or give {readable()}.",
    )


def _files(path: str) -> tuple[Path, ...]:
    if (address := _ADDRESS.fullmatch(path)) is not None and not Path(path).exists():
        raise _unknown_scheme(address[1], address[2])
    if Path(path).is_dir():
        raise DataError(
            "is a folder", where=path, fix=f"Give {readable()}; for many files: {path}/*.parquet."
        )
    if Path(path).exists():
        return (Path(path),)
    found = tuple(Path(name) for name in sorted(glob.glob(path, recursive=True)))  # noqa: PTH207 (absolute patterns)
    if not found:
        raise DataError("there is no such file", where=path, fix=f"Give {readable()}.")
    if len(found) > 1 and not all(_may_be_several(file) for file in found):
        several = ", ".join(one.title for one in FORMATS.values() if one.several)
        raise DataError(
            f"matches {len(found):,} files",
            where=path,
            fix=f"Only {several} can come in many files.",
        )
    return found


def _may_be_several(file: Path) -> bool:
    kind = FORMATS.get(file.suffix.lower())
    return kind is not None and kind.several
