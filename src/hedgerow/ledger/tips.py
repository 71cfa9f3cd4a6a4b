"""What certificates have seen of a ledger."""

from __future__ import annotations

import json
from pathlib import Path

from hedgerow.base.delivery import CERTIFICATE
from hedgerow.base.errors import LedgerError
from hedgerow.ledger.entry import LedgerTip


def read_tip(release: Path) -> LedgerTip:
    """The tip on the certificate of a release.

    Args:
        release: Its folder, or the certificate itself.

    Raises:
        LedgerError: There is no certificate, or it was made without a ledger.
    """
    path = release / CERTIFICATE if release.is_dir() else release
    fix = "Name the folder of a release that was published with a ledger."
    try:
        certificate = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        raise LedgerError(
            f"the certificate cannot be read: {why}", where=str(path), fix=fix
        ) from None
    match certificate:
        case {
            "ledger": {
                "id": str(ledger),
                "seq": int(seq),
                "hash": str(seen),
                "reservation": str(reservation),
            }
        } if seq >= 0:
            return LedgerTip(ledger, seq, seen, reservation, str(release))
    raise LedgerError("the certificate names no ledger", where=str(path), fix=fix)
