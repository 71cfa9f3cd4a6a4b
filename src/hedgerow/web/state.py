"""What the app holds between requests: the work that is open, its jobs, and what was counted."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from jinja2 import Environment

from hedgerow.base.errors import PlanError
from hedgerow.web.draft import Draft
from hedgerow.web.jobs import Jobs
from hedgerow.web.security import Gate
from hedgerow.web.workspace import Workspace

MOST_KEPT = 24
"""Results in memory; the ones that were not asked for longest go first."""

Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True)
class Step:
    """One of the steps in the navigation."""

    number: int
    name: str
    """Of its module and its template."""
    title: str
    hint: str
    """What it is for, in a few words."""

    @property
    def path(self) -> str:
        """Its page."""
        return f"/{self.name}"


class NothingOpenError(Exception):
    """A page needs a table, and none is open; the visitor is shown how to open one."""


class Cache:
    """Results that are quick to show again, each made once, however many ask at a time."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._making: dict[Any, threading.Lock] = {}
        self._kept: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any, make: Callable[[], Made]) -> Made:
        """What was made for this key before, or is made now."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found: Made = self._kept[key]
                    return found
            made = make()
            with self._lock:
                self._kept[key] = made
                while len(self._kept) > self.most:
                    old, _ = self._kept.popitem(last=False)
                    self._making.pop(old, None)
            return made

    def seen(self, key: Any) -> bool:
        """Whether it is here already, so that asking for it takes no time."""
        with self._lock:
            return key in self._kept


@dataclass(kw_only=True)
class Web:
    """The state of the app; `request.app.state.web`."""

    workspace: Workspace
    gate: Gate
    templates: Environment
    steps: tuple[Step, ...]
    upload_limit: int
    draft: Draft | None = None
    kept: Cache = field(default_factory=Cache)
    _jobs: dict[str, Jobs] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self, draft: Draft) -> None:
        """Work on this from now on."""
        self.draft = draft

    @property
    def jobs(self) -> Jobs:
        """The jobs of the work that is open.

        Raises:
            NothingOpenError: Nothing is.
        """
        if self.draft is None:
            raise NothingOpenError
        with self._lock:
            if self.draft.name not in self._jobs:
                self._jobs[self.draft.name] = Jobs(self.draft.folder / "jobs")
            return self._jobs[self.draft.name]

    def close(self) -> None:
        """End what is running."""
        for jobs in self._jobs.values():
            jobs.close()


def web_of(request: Request) -> Web:
    """The app's state."""
    web: Web = request.app.state.web
    return web


WORK = "work"
"""What forms call the piece of work that their page was about."""


def draft_of(request: Request) -> Draft:
    """The work that is open.

    Raises:
        NothingOpenError: Nothing is, or it is no longer on disk.
        PlanError: The form is of a page about other work, left over in another tab.
    """
    web = web_of(request)
    draft = web.draft
    if draft is None or not draft.exists:
        web.draft = None
        raise NothingOpenError
    meant = request.query_params.get(WORK, draft.name)
    if meant != draft.name:
        raise PlanError(
            f"this page is about other work; {draft.title} was opened meanwhile",
            fix="Nothing was done. Open the work you mean from the start page.",
        )
    return draft


TheWeb = Annotated[Web, Depends(web_of)]
TheDraft = Annotated[Draft, Depends(draft_of)]
