"""`verify`: a release checked from outside, its report and its entry in the ledger included."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.release import ledger_check, verification
from hedgerow.release.verification import Verification
from hedgerow.reports.companions import Accompanied
from hedgerow.reports.comparison import check_report

if TYPE_CHECKING:
    from hedgerow.engines.base import TablePlace
    from hedgerow.ledger import Ledger
    from hedgerow.plan.plan import Plan
    from hedgerow.release.release import Release


def verify(
    release: Release | str | os.PathLike[str] | TablePlace,
    *,
    plan: Plan | str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
) -> Verification:
    """Check a release from outside.

    Args:
        release: Folder of a release, or a table that is one (postgresql://…::schema.table or
            spark://…::table); or, with a plan, a CSV or Parquet file or a table of any tool.
        plan: The plan the release must keep; its source is not read.
        key: Public key that must have signed the certificate.

    Raises:
        DataError: There is nothing that could be verified.
    """
    return verification.verify(release, plan=plan, key=key, check_report=check_report)


def other_than_recorded(release: Path, book: Ledger) -> Iterator[str]:
    """In what a release is not the one that the ledger says was published.

    Args:
        release: Its folder, or a copy of its certificate.
        book: The ledger that its certificate names.

    Raises:
        HedgerowError: The release cannot be read, or what the ledger keeps of it.
    """
    return ledger_check.other_than_recorded(release, book, companions=Accompanied)
