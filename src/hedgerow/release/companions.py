"""Companions: what goes with a release, such as reports. Whoever publishes is handed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

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
    from hedgerow.table.cells import Cells
    from hedgerow.table.schema import Schema


class Companions(Protocol):
    """What goes with one release; nothing does with one in memory."""

    def refuse_foreign(self) -> None:
        """Refuse early what would fail late."""
        ...

    def add(
        self,
        folder: Path,
        certificate: Mapping[str, Any],
        counted: tuple[Schema, Measured] | None = None,
    ) -> dict[str, Any]:
        """Add to the staged release what recipients get; the certificate that lists it too."""
        ...

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
        """Write what stays inside of a recoded release that is at its place."""
        ...

    def priced(self, plan: Plan, population: str, ledger: Ledger) -> None:
        """Write what stays inside of a release with a price, unless it is there already."""
        ...

    def forget(self) -> None:
        """Remove what stays inside of what was at the place before."""
        ...

    def unmade(self, held: FrequencySet | None) -> tuple[str, ...]:
        """What to say where something cannot be made, though it is wanted."""
        ...

    def lost(self) -> tuple[str, ...]:
        """What to say where a release is told again and something that went with it is gone."""
        ...


class MakeCompanions(Protocol):
    """Makes the companions of a release."""

    def __call__(self, *, target: Path | None, internal: bool) -> Companions:
        """For this folder; `internal` is whether the publisher wants some, too."""
        ...
