"""How somebody wants a release: where to, remembered where, signed by whom."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.base.delivery import TABLE
from hedgerow.engines.address import table_place
from hedgerow.engines.base import TablePlace
from hedgerow.plan.plan import Plan
from hedgerow.release.companions import MakeCompanions
from hedgerow.release.recoding_choice import Progress

Signer = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """How a release is wanted; nothing in it is about what is published."""

    to: str | os.PathLike[str] | None
    """Its folder or table; the plan's if left out, and without one it stays in memory."""
    replace: bool
    """Whether an existing release may be replaced."""
    memory: str | None
    """How much memory the engine may use."""
    ledger: str | os.PathLike[str] | None
    """Where it is charged; what the plan or the environment names if left out."""
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
    population_table: Any = None
    """The outside population, where the plan names no file."""

    def place(self, plan: Plan) -> Path | TablePlace | None:
        """Where the release goes: a folder, or a table."""
        if self.to is not None:
            return table_place(self.to) or Path(self.to)
        return plan.publish.to if plan.publish else None

    def target(self, plan: Plan) -> Path | None:
        """The folder where the release goes, if it does not go into a table."""
        place = self.place(plan)
        return None if isinstance(place, TablePlace) else place

    def table(self, plan: Plan) -> TablePlace | None:
        """The table that the release is to be, if it does not go into a folder."""
        place = self.place(plan)
        return place if isinstance(place, TablePlace) else None

    def name(self, plan: Plan) -> str:
        """What the ledger calls it."""
        place = self.place(plan)
        return "in memory" if place is None else place.name

    def format(self, plan: Plan) -> str:
        """Of the data file; or that it is a table."""
        if self.table(plan) is not None:
            return TABLE
        if plan.publish:
            return plan.publish.format
        return "csv" if self.target(plan) else "parquet"

    def say(self, what: str, share: float | None) -> None:
        """Tell how far it is."""
        if self.progress is not None:
            self.progress(what, share)
