"""The lattice of the open table: counted once, in the background, and kept in memory."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hedgerow import Exploration, Plan
from hedgerow.api import fixed
from hedgerow.base.errors import HedgerowError
from hedgerow.web.draft import Draft, paths_of
from hedgerow.web.jobs import PageJob, Progress
from hedgerow.web.memory import give_back
from hedgerow.web.state import Web

KIND = "explore"
PATIENCE = 1.0
"""Seconds a page waits for the lattice before it shows progress instead."""


class LatticeCache:
    """The one lattice in memory: a large one takes some hundred megabytes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mark: str | None = None
        self._found: Exploration | None = None

    def get(self, mark: str) -> Exploration | None:
        """The lattice of this name, if it is the one."""
        with self._lock:
            return self._found if self._mark == mark else None

    def put(self, mark: str, found: Exploration | None) -> None:
        """Keep another one instead."""
        with self._lock:
            self._mark, self._found = mark, found


def held(web: Web) -> LatticeCache:
    """Where the app keeps its lattice."""
    return web.kept.get((KIND, "held"), LatticeCache)


def lattice_of(web: Web, draft: Draft, plan: Plan, *, again: bool = False) -> Exploration | PageJob:
    """The lattice under the plan as it stands; or the job that counts it, or failed to.

    Args:
        web: The app.
        draft: The work that is open.
        plan: Its plan.
        again: Whether to try once more where it failed.

    Raises:
        HedgerowError: The plan cannot be explored.
    """
    mark = mark_of(draft, plan)
    kept = held(web)
    if (found := kept.get(mark)) is not None:
        return found.under(plan)
    last = web.jobs.last(KIND)
    if last is not None and last.running:
        if last.mark == mark:
            return last
        web.jobs.cancel(last.id)
        web.jobs.wait(last.id, seconds=10)
    elif last is not None and last.mark == mark and last.state != "done" and not again:
        return last

    def work(progress: Progress) -> dict[str, Any]:
        kept.put(mark, None)  # there is no room for two
        opened = Exploration.open(plan, progress=progress)
        kept.put(mark, opened)
        give_back()
        return {"nodes": opened.lattice.size, "complete": opened.complete}

    job = web.jobs.thread(
        work, kind=KIND, title="Looking at every combination of levels:", back="/explore", mark=mark
    )
    over = web.jobs.wait(job.id, seconds=PATIENCE)
    found = kept.get(mark)
    return over if found is None else found.under(plan)


def ready(web: Web, draft: Draft) -> Exploration:
    """The lattice, for a part of the page that was shown with it.

    Raises:
        HedgerowError: It is not there; or the plan is wrong.
    """
    plan = draft.plan()
    found = held(web).get(mark_of(draft, plan))
    if found is None:
        raise HedgerowError(
            "the lattice has to be counted again", fix="Load the page of this step anew."
        )
    return found.under(plan)


def moved(
    web: Web, draft: Draft, exploration: Exploration, levels: Mapping[str, int]
) -> Exploration:
    """The lattice with a node in it: of a large one only a part is there, which may move."""
    if exploration.place(levels) is not None:
        return exploration
    found = exploration.around(levels)
    held(web).put(mark_of(draft, exploration.plan), found)
    return found


def mark_of(draft: Draft, plan: Plan) -> str:
    """A name for what the counting depends on: not for parameters of claims, nor for a choice."""
    columns = {}
    chosen = fixed(plan) is not None
    said = draft.data().get("columns")
    for name in plan.columns:
        what = dict(draft.column(name)) if isinstance(said, dict) else {}
        if chosen:
            what.pop("levels", None)
        columns[name] = what
    depends = {
        "source": plan.source,
        "person": [plan.person, plan.rows, plan.one_row_per_person],
        "null": plan.null,
        "columns": columns,
        "utility": plan.utility.model_dump(mode="json"),
        "search": plan.method.search,
        "keep": plan.method.keep_suppressed,
        "population": [plan.population, plan.ledger],
        "about": sorted({name for model in plan.models() for name in model.attributes}),
        "weights": sorted({model.weighted_by for model in plan.models() if model.weighted_by}),
        "files": sorted([path, _state(path)] for path in {*paths_of(plan)}),
    }
    text = json.dumps(depends, default=str, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _state(path: str) -> list[int]:
    """Differs when a file has been written."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return []
    return [found.st_mtime_ns, found.st_size]
