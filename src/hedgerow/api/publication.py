"""`publish`: the life of a release, with the reports that go with it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.stop_request import StopRequest
from hedgerow.plan.arguments import plan_of
from hedgerow.plan.plan import Plan
from hedgerow.release import publication
from hedgerow.release.options import Options
from hedgerow.release.partition.recoding_choice import Progress
from hedgerow.reports.companions import Accompanied

if TYPE_CHECKING:
    from hedgerow.release.noisy.release import RandomisedRelease
    from hedgerow.release.release import Release
    from hedgerow.release.safe.release import SafeRelease


def publish(
    source: Plan | str | os.PathLike[str] | Any,
    *,
    columns: Mapping[str, Any] | None = None,
    protect: Sequence[Any] | None = None,
    method: Mapping[str, Any] | None = None,
    utility: Mapping[str, Any] | str | None = None,
    to: str | os.PathLike[str] | None = None,
    recoding: str | os.PathLike[str] | None = None,
    replace: bool = False,
    population_table: Any = None,
    memory: str | None = None,
    ledger: str | os.PathLike[str] | None = None,
    sign: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    anew: bool = False,
    report: bool = True,
    stop: StopRequest | None = None,
    **more: Any,
) -> Release | RandomisedRelease | SafeRelease:
    """Publish the most useful table that keeps every claim.

    Args:
        source: A plan, the path of a plan file, or (in a notebook) a pandas, polars or Arrow
            table or a data file; then `columns` and `protect` are needed.
        columns: Name -> role, or what the plan's `columns` hold.
        protect: Claims: models such as `KAnonymity(k=5)`, or entries of the plan's `protect`.
        method: The plan's `method`.
        utility: The metric to minimise; or with weights, as in the plan.
        to: Folder of the release, or a table (postgresql://…::schema.table, spark://…::table),
            wherever the source is; without it the result stays in memory.
        recoding: Folder of an earlier release whose recoding is applied instead of searching.
        replace: Whether an existing release at `to` may be replaced.
        population_table: The outside population that `KMap`, `DeltaPresence` and
            `JournalistRisk` refer to, where the plan names no file: a table or a data file.
        memory: How much memory the engine may use, such as "4GB"; the rest goes to disk.
        ledger: Where releases are remembered: a file, or postgresql://...; by default what the
            plan or the environment variable HEDGEROW_LEDGER names, and if neither does, nowhere.
        sign: A file with the private key (Ed25519) that signs the certificate.
        progress: Called as work goes on.
        anew: Whether a randomised release draws, and is charged for, noise that it has already;
            and whether columns that were drawn by lot in an earlier release are drawn again.
        report: Whether the internal report is written beside the release. The report that goes with
            the release is always in its folder.
        stop: Where somebody may ask, from another thread or a signal, that the search of a large
            lattice ends with the best it has found; that is then published.
        more: Further keys of the plan (person, null, population, publish).

    Raises:
        ClaimError: No recoding keeps the claims; nothing was published.
    """
    said = {"columns": columns, "protect": protect, "method": method, "utility": utility}
    plan, data = plan_of(source, said | more)
    options = Options(
        to=to,
        replace=replace,
        memory=memory,
        ledger=ledger,
        signed=_signer(sign),
        progress=progress,
        anew=anew,
        companions=Accompanied,
        report=report,
        stop=stop,
        recoding=None if recoding is None else Path(recoding),
        population_table=population_table,
    )
    return publication.publish(plan, data, options)


def _signer(key: str | os.PathLike[str] | None) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Reads the key before anything else is done, since a bad one must not cost a search."""
    if key is None:
        return lambda certificate: certificate
    from hedgerow.release.signature import read_private, sign

    read_private(Path(key))
    return lambda certificate: sign(certificate, key)
