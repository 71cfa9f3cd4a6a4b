"""Options: how somebody wants a release; nothing in them is about what is published."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.base.stop_request import StopRequest
from hedgerow.engines.address import table_place
from hedgerow.plan.plan import Plan
from hedgerow.release.companions import Companions, MakeCompanions
from hedgerow.release.destination import Destination
from hedgerow.release.partition.recoding_choice import Progress

Signer = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Where a release goes, who remembers it, who signs it."""

    to: str | os.PathLike[str] | None
    """Its folder or table; the plan's if left out, and without one it stays in memory."""
    replace: bool
    """Whether an existing release may be replaced."""
    memory: str | None
    """How much memory the engine may use."""
    ledger: str | os.PathLike[str] | None
    """Where it is recorded; what the plan or the environment names if left out."""
    signed: Signer
    """Signs a certificate."""
    progress: Progress | None
    """Called as work goes on."""
    anew: bool
    """Whether it is drawn, and charged, again."""
    companions: MakeCompanions
    """Makes the reports that go with it."""
    report: bool = True
    """Whether the internal report is written beside it."""
    recoding: Path | None = None
    """Folder of an earlier release whose recoding is applied instead of searching."""
    stop: StopRequest | None = None
    """Where somebody may ask for the best so far, while a search goes on."""
    population_table: Any = None
    """The outside population, where the plan names no file."""

    def destination(self, plan: Plan) -> Destination:
        """Where the release goes."""
        place = plan.publish.to if plan.publish else None
        if self.to is not None:
            place = table_place(self.to) or Path(self.to)
        return Destination(
            place=place,
            stated_format=plan.publish.format if plan.publish else None,
            escaped=plan.publish.escape_formulas if plan.publish else False,
            replace=self.replace,
            memory=self.memory,
        )

    def companions_at(self, destination: Destination) -> Companions:
        """What goes with the release; of a table nothing does."""
        return self.companions(target=destination.folder, internal=self.report)

    @property
    def ledger_text(self) -> str | None:
        """Where it is recorded, as text."""
        return None if self.ledger is None else str(self.ledger)

    def say(self, what: str, share: float | None = None) -> None:
        """Tell how far it is."""
        if self.progress is not None:
            self.progress(what, share)
