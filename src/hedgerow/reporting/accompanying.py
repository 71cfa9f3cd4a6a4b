"""The reports of a release on its way: what publishing calls, loaded when it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.certificate import as_text
from hedgerow.delivery import internal_place

if TYPE_CHECKING:
    from hedgerow.job import Job
    from hedgerow.ledger import Ledger
    from hedgerow.models.base import Verdict
    from hedgerow.plan import Plan
    from hedgerow.recode.cells import Cells
    from hedgerow.recode.recoding import Recoding
    from hedgerow.release import Release
    from hedgerow.writing import Measured


@dataclass(frozen=True, kw_only=True)
class Accompanied:
    """A release with the reports that go with it; nothing is done for one in memory."""

    target: Path | None
    internal: bool
    """Whether the publisher wants a report too."""

    def refuse_foreign(self) -> None:
        """Refuse early what would fail late."""
        if self.target is not None and self.internal:
            from hedgerow.reporting.making import refuse_foreign

            refuse_foreign(self.target)

    def add(self, folder: Path, certificate: Mapping[str, Any]) -> None:
        """Add the external report to the staged release."""
        if self.target is not None:
            from hedgerow.reporting.making import add_external

            add_external(folder, as_text(certificate))

    def recoded(
        self,
        job: Job,
        cells: Cells,
        chosen: Recoding,
        claims: tuple[Verdict, ...],
        measured: Measured,
        release: Release,
        ledger: Ledger | None,
    ) -> None:
        """Write the internal report of a recoded release that is at its place."""
        assert self.target is not None, "it is at its place"
        from hedgerow.reporting.making import internal_beside

        def make() -> str:
            from hedgerow.reporting.inside import Books, Inside
            from hedgerow.reporting.internal import internal_report
            from hedgerow.reporting.trying import quick_attacks

            population = job.plan.population
            books = None if ledger is None or population is None else Books.of(ledger, population)
            inside = Inside(
                plan=job.plan,
                schema=job.schema,
                models=job.models,
                cells=cells,
                chosen=chosen,
                claims=claims,
                measured=measured,
                utility=release.utility,
                certificate=release.certificate,
                sentences=(*(one.sentence for one in release.exposures), *release.notes),
                books=books,
            )
            attacks = quick_attacks(inside)
            return internal_report(inside, attacks=attacks, frontier=None, complete=False)

        internal_beside(self.target, make if self.internal else None)

    def forget(self) -> None:
        """Remove the internal report of what was at the place before."""
        if self.target is not None:
            from hedgerow.reporting.making import internal_beside

            internal_beside(self.target, None)

    def priced(self, plan: Plan, population: str, ledger: Ledger) -> None:
        """Write the internal report of a release with a price, unless it is there already."""
        if self.target is None or not self.internal:
            return
        target = self.target
        if internal_place(target.resolve()).exists():
            return
        from hedgerow.reporting.making import internal_beside

        def make() -> str:
            from hedgerow.reporting.handed import Handed
            from hedgerow.reporting.inside import Books
            from hedgerow.reporting.internal import internal_noisy

            return internal_noisy(Handed.read(target), Books.of(ledger, population), plan.where())

        internal_beside(target, make)
