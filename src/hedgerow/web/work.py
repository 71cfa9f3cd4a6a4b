"""What jobs do in a process of their own: the same calls as on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgerow.plan.plan import Plan
from hedgerow.web.jobs import Progress


def plan_of(request: dict[str, Any]) -> Plan:
    """The plan a request carries: its text, and the folder its paths are seen from."""
    return Plan.parse(request["plan"], name="plan.yaml", folder=Path(request["folder"]))


def publish(request: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Publish a plan; what `hedgerow publish --json` prints."""
    import hedgerow

    replace, anew = bool(request.get("replace")), bool(request.get("anew"))
    release = hedgerow.publish(plan_of(request), replace=replace, anew=anew, progress=progress)
    return release.summary()


def check(request: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Measure the plan's claims on the table as it is; what `hedgerow check --json` prints."""
    from hedgerow.release.publication import checked
    from hedgerow.release.release import claim_summary

    progress("counting", None)
    claims, notes = checked(plan_of(request))
    return {"claims": [claim_summary(verdict) for verdict in claims], "notes": list(notes)}


def verify(request: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Check a release without the raw data; what `hedgerow verify --json` prints."""
    import hedgerow

    progress("reading the release", None)
    return hedgerow.verify(Path(request["release"])).summary()
