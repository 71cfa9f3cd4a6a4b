"""The kinds of releases, and which of them a plan or a certificate is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.plan.plan import Plan
from hedgerow.release.kind import ReleaseKind
from hedgerow.release.noisy.kind import RandomisedKind
from hedgerow.release.partition.kind import RecodedKind
from hedgerow.release.safe.kind import SafeKind

RECODED = RecodedKind()
KINDS: tuple[ReleaseKind, ...] = (RECODED, RandomisedKind(), SafeKind())


def kind_of_plan(plan: Plan) -> ReleaseKind:
    """What a plan asks for."""
    return next(kind for kind in KINDS if kind.makes(plan))


def kind_of_certificate(certificate: Mapping[str, Any]) -> ReleaseKind:
    """What a certificate is about; a recoded table where its format is not known."""
    told = str(certificate.get("format"))
    return next((kind for kind in KINDS if told.startswith(kind.family)), RECODED)
