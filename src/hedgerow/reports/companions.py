"""The reports of a release on its way: what publishing calls, loaded when it is needed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.delivery import REPORT, internal_place
from hedgerow.release.certificate_text import as_text
from hedgerow.release.manifest import listed

if TYPE_CHECKING:
    from hedgerow.analyses import AnalysisComparison
    from hedgerow.claims.base import Verdict
    from hedgerow.engines.frequency_set import FrequencySet
    from hedgerow.ledger import Ledger
    from hedgerow.plan.plan import Plan
    from hedgerow.recode.recoding import Recoding
    from hedgerow.release.partition.job import Job
    from hedgerow.release.partition.written_groups import Measured
    from hedgerow.release.release import Release
    from hedgerow.reports.recipient_view import Combinations
    from hedgerow.table.cells import Cells
    from hedgerow.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Accompanied:
    """A release with the reports that go with it; nothing is done for one in memory."""

    target: Path | None
    internal: bool
    """Whether the publisher wants a report too."""

    def refuse_foreign(self) -> None:
        """Refuse early what would fail late."""
        if self.target is not None and self.internal:
            from hedgerow.reports.files import refuse_foreign

            refuse_foreign(self.target)

    def add(
        self,
        folder: Path,
        certificate: Mapping[str, Any],
        counted: tuple[Schema, Measured] | None = None,
    ) -> dict[str, Any]:
        """Add the external report to the staged release; the certificate that lists it too.

        The report is made from all that the certificate says but its list of files.

        Args:
            folder: The staged release.
            certificate: What goes with it, not signed yet.
            counted: Its columns, and what was measured on its file, which then is not read again.
        """
        if self.target is not None:
            from hedgerow.reports.files import add_external

            known = None if counted is None else _known(*counted)
            add_external(folder, as_text(certificate), known)
            return listed(certificate, folder)
        return dict(certificate)

    def recoded(
        self,
        job: Job,
        cells: Cells,
        chosen: Recoding,
        claims: tuple[Verdict, ...],
        measured: Measured,
        release: Release,
        ledger: Ledger | None,
        kept: Sequence[AnalysisComparison] = (),
    ) -> None:
        """Write the internal report of a recoded release that is at its place."""
        assert self.target is not None, "it is at its place"
        from hedgerow.reports.files import internal_beside

        def make() -> str:
            from hedgerow.reports.attack_section import quick_attacks
            from hedgerow.reports.internal import internal_report
            from hedgerow.reports.publisher_view import Books, Inside

            population = job.plan.population
            books = None if ledger is None or population is None else Books.of(ledger, population)
            inside = Inside(
                plan=job.plan,
                schema=job.schema,
                models=job.claims,
                cells=cells,
                chosen=chosen,
                claims=claims,
                measured=measured,
                utility=release.utility,
                certificate=release.certificate,
                sentences=(*(one.sentence for one in release.exposures), *release.notes),
                books=books,
                kept=tuple(kept),
            )
            attacks = quick_attacks(inside)
            return internal_report(inside, attacks=attacks, frontier=None, complete=False)

        internal_beside(self.target, make if self.internal else None)

    def unmade(self, held: FrequencySet | None) -> tuple[str, ...]:
        """What to say where no internal report can be made, though one is wanted."""
        if held is None or self.target is None or not self.internal:
            return ()
        return (
            "There is no internal report: it looks at all tuples of the source, which stayed where "
            "the table is. Where they fit into memory, `hedgerow report` makes it from the plan.",
        )

    def lost(self) -> tuple[str, ...]:
        """What to say where a release is told again and a report of it is not there.

        Nothing is made: the internal report is about the source, which is not looked at then.
        """
        if self.target is None:
            return ()
        inner = self.internal and not internal_place(self.target.resolve()).exists()
        outer = not (self.target / REPORT).exists()
        absent = ["internal report"] * inner + [f"{REPORT} in the release"] * outer
        if not absent:
            return ()
        command = f"hedgerow report {shlex.quote(str(self.target))}{' --plan PLAN' * inner}"
        return (
            f"There is no {' and no '.join(absent)}, and none was made: a release that was "
            f"published before is told again without a look at the data. `{command}` makes "
            f"{'both' if len(absent) > 1 else 'it'}.",
        )

    def forget(self) -> None:
        """Remove the internal report of what was at the place before."""
        if self.target is not None:
            from hedgerow.reports.files import internal_beside

            internal_beside(self.target, None)

    def priced(self, plan: Plan, population: str, ledger: Ledger) -> None:
        """Write the internal report of a release with a price, unless it is there already."""
        if self.target is None or not self.internal:
            return
        target = self.target
        if internal_place(target.resolve()).exists():
            return
        from hedgerow.reports.files import internal_beside

        def make() -> str:
            from hedgerow.reports.internal import internal_noisy
            from hedgerow.reports.publisher_view import Books
            from hedgerow.reports.recipient_view import Handed

            return internal_noisy(Handed.read(target), Books.of(ledger, population), plan.where())

        internal_beside(target, make)


def _known(schema: Schema, measured: Measured) -> Combinations | None:
    """The groups as they were counted in the file."""
    from hedgerow.reports.recipient_view import Combinations

    if not measured.contents.quasi:
        return None
    first = [name for name in schema.published if name in schema.quasi_identifiers]
    return Combinations.of(measured.contents, first)
