"""What jobs do in a process of their own: the same calls as on the command line."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hedgerow import Plan
from hedgerow.base.errors import PlanError
from hedgerow.web.jobs import JobProgress, Progress


def plan_of(request: dict[str, Any]) -> Plan:
    """The plan a request carries: its text, and the folder its paths are seen from."""
    return Plan.parse(request["plan"], name="plan.yaml", folder=Path(request["folder"]))


def publish(request: dict[str, Any], progress: JobProgress) -> dict[str, Any]:
    """Publish a plan; what `hedgerow publish --json` prints."""
    import hedgerow

    replace, anew = bool(request.get("replace")), bool(request.get("anew"))
    release = hedgerow.publish(
        plan_of(request), replace=replace, anew=anew, progress=progress, stop=progress.stop
    )
    return release.summary()


def check(request: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Measure the plan's claims on the table as it is; what `hedgerow check --json` prints."""
    from hedgerow.api import measure

    progress("counting", None)
    return measure(plan_of(request)).summary()


def report(request: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Make the whole internal report of a release; what `hedgerow report --json` prints."""
    import hedgerow

    progress("trying every attack, and comparing with the source", None)
    return hedgerow.report(Path(request["release"]), plan=plan_of(request)).summary()


def verify(request: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Check a release without the raw data; what `hedgerow verify --json` prints."""
    import hedgerow

    progress("reading the release", None)
    return hedgerow.verify(Path(request["release"])).summary()


def attack(request: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Run the suite.

    Args:
        request: The plan's text and folder; whether to make a trial, and below which folder;
            names and places of releases; further attacks; and what the attacker knows.
        progress: Called as work goes on.

    Returns:
        The releases by name, summaries of the results, and what could not be tried.
    """
    from hedgerow.api import TRIAL, attack_columns, make_trial

    plan = plan_of(request)
    releases: dict[str, str] = dict(request["releases"])
    with tempfile.TemporaryDirectory(dir=request["scratch"]) as scratch:
        if request["trial"]:
            releases = {TRIAL: str(make_trial(plan, Path(scratch), progress))} | releases
        if not releases:
            raise PlanError("there is no release to attack", fix="Choose at least one.")
        found, skipped = attack_columns(
            plan, releases, extra=request["methods"], register=request.get("register"),
            control=request.get("control"), given=request["given"], progress=progress,
        )  # fmt: skip
    return {
        "releases": list(releases), "attacks": found, "skipped": skipped,
        "people": sorted({"register"} & {*request}),
    }  # fmt: skip


def person(request: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """What is believed of one person; the request is that of `attack`, with person and column."""
    from hedgerow.api import TRIAL, believed_of, make_trial

    plan = plan_of(request)
    releases: dict[str, str] = dict(request["releases"])
    with tempfile.TemporaryDirectory(dir=request["scratch"]) as scratch:
        if request["trial"]:
            releases = {TRIAL: str(make_trial(plan, Path(scratch), progress))} | releases
        progress("counting", None)
        return believed_of(
            plan, releases, request["person"], of=request["of"], register=request.get("register")
        )
