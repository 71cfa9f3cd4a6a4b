"""The open table as pages show it: looked at once, in the background, and kept in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgerow.api import Look, Role, TableSource, decided, form_of
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.web.draft import Draft
from hedgerow.web.jobs import PageJob, Progress
from hedgerow.web.spelling_form import texts_of
from hedgerow.web.state import Web

PATIENCE = 1.5
"""Seconds a page waits for the first look before it shows progress instead."""


def table_of(draft: Draft) -> TableSource:
    """The draft's table, also where the rest of the plan is not right yet.

    Raises:
        HedgerowError: Nothing says where the data are, or they lie where they may not.
    """
    said = draft.data()
    source, person, null = said.get("source"), said.get("person"), said.get("null")
    if not isinstance(source, str) or not source:
        # Not YAML, or without a source: the command line's own words.
        draft.plan()
        raise DataError("the plan names no source", fix="Add `source: table.csv`.")
    place = draft.source(source)
    named = sorted(n for n in draft.planned if draft.column(n).get("role") == Role.IDENTIFIER)
    texts = tuple(t for t in null if isinstance(t, str)) if isinstance(null, list) else ()
    columns = [(name, draft.column(name)) for name in sorted(draft.planned)]
    return TableSource(
        place,
        person if isinstance(person, str) else None,
        texts,
        tuple(named),
        tuple((n, str(c["role"])) for n, c in columns if c.get("role") in list(Role)),
        tuple((n, c["key"]) for n, c in columns if isinstance(c.get("key"), bool)),
        said.get("one_row_per_person") is True,
        tuple((n, texts_of(c.get("distinct"))) for n, c in columns if c.get("spelling") == "one"),
        _state(place),
        form_of(decided(said.get("read"))),
    )


def look_at(web: Web, draft: Draft) -> Look | PageJob:
    """The look at the open table, or the job that is at it (or failed)."""
    table = table_of(draft)
    key = (draft.name, table.mark, "look")
    if web.kept.seen(key):
        return web.kept.get(key, table.look)
    last = web.jobs.last("look")
    if last is None or last.mark != table.mark or not (last.running or last.errors):
        last = _begin(web, table, key)
    web.jobs.wait(last.id, seconds=PATIENCE)
    return web.kept.get(key, table.look) if web.kept.seen(key) else web.jobs.get(last.id)


def seen(web: Web, draft: Draft) -> Look:
    """The look, however long it takes.

    Raises:
        HedgerowError: The table cannot be read.
    """
    table = table_of(draft)
    return web.kept.get((draft.name, table.mark, "look"), table.look)


def kept_look(web: Web, draft: Draft) -> Look | None:
    """The look, if the table was looked at already; pages that can do without it wait for none."""
    try:
        table = table_of(draft)
    except HedgerowError:
        return None
    key = (draft.name, table.mark, "look")
    return web.kept.get(key, table.look) if web.kept.seen(key) else None


def values_of(web: Web, draft: Draft, column: str) -> tuple[str | None, ...]:
    """The distinct values of a column, kept in memory."""
    table = table_of(draft)
    key = (draft.name, table.mark, column)
    return web.kept.get(key, lambda: table.values(column))


def _begin(web: Web, table: TableSource, key: Any) -> PageJob:
    def work(progress: Progress) -> dict[str, Any]:
        web.kept.get(key, lambda: table.look(progress))
        return {}

    try:
        return web.jobs.thread(
            work, kind="look", title="Looking at the table", back="/data", mark=table.mark
        )
    except DataError:  # another page has begun at the same moment
        last = web.jobs.last("look")
        assert last is not None, "it is running"
        return last


def _state(source: str) -> tuple[int, int]:
    try:
        found = Path(source.partition("::")[0]).stat()
    except (OSError, ValueError):
        return (0, 0)
    return found.st_mtime_ns, found.st_size
