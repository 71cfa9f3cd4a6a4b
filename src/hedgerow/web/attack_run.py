"""Attacks as a job: a trial of the plan where nothing is published yet, then the suite.

A trial is a release in the workspace that nobody receives: it is not remembered by any ledger,
and made anew each time.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.plan.plan import Plan
from hedgerow.web.attack_view import METHODS
from hedgerow.web.draft import NAME

Progress = Callable[[str, float | None], None]
NOISY = ("marginals", "safe")
"""Searches whose releases are random: a trial would cost what the release costs."""
TRIAL = "trial"
"""What a trial is called in results."""
OF_NO_COLUMN = ("linkability",)
"""Attacks that are after people, whatever the sensitive column."""
ALWAYS = tuple(method.name for method in METHODS if not method.extra)


def attack(request: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Run the suite.

    Args:
        request: The plan's text and folder; whether to make a trial, and below which folder;
            names and places of releases; further attacks; and what the attacker knows.
        progress: Called as work goes on.

    Returns:
        The releases by name, summaries of the results, and what could not be tried.
    """
    plan = Plan.parse(request["text"], name=NAME, folder=Path(request["base"]))
    releases: dict[str, str] = dict(request["releases"])
    with tempfile.TemporaryDirectory(dir=request["scratch"]) as scratch:
        if request["trial"]:
            releases = {TRIAL: str(trial(plan, Path(scratch), progress))} | releases
        if not releases:
            raise PlanError("there is no release to attack", fix="Choose at least one.")
        found, skipped = suite(plan, releases, request, progress)
    return {"releases": list(releases), "attacks": found, "skipped": skipped}


def trial(plan: Plan, folder: Path, progress: Progress) -> Path:
    """Make the release the plan describes, in a folder that nobody receives.

    Raises:
        PlanError: It cannot be made without publishing it.
    """
    from hedgerow import publish

    why = no_trial(plan)
    if why is not None:
        raise PlanError(why, fix="Publish it first, then attack what was published.")
    target = folder / TRIAL / "release"
    target.parent.mkdir()
    # A ledger of its own, where the environment names one: nobody is to remember a trial.
    elsewhere = folder / "ledger.db" if plan.population else None

    def say(said: str, share: float | None) -> None:
        progress(f"making the release: {said}", share)

    unremembered = plan.model_copy(update={"ledger": None})
    publish(unremembered, to=target, ledger=elsewhere, progress=say, report=False)
    return target


def no_trial(plan: Plan) -> str | None:
    """Why a plan's release cannot be made without publishing it; None if it can."""
    if plan.method.search in NOISY:
        return "a release with noise is charged when it is made, so there is no trial of it"
    composed = [getattr(claim, "composition", None) for claim in plan.protect]
    if any(claim is not None and not claim.earlier for claim in composed):
        return "a claim is about what the ledger remembers, and a trial has no part in that"
    return None


def suite(
    plan: Plan, releases: Mapping[str, str], request: Mapping[str, Any], progress: Progress
) -> tuple[list[dict[str, Any]], list[str]]:
    """Try every attack on every sensitive column that all of the releases have.

    Returns:
        Summaries, each with the column it is about; and sentences on what could not be tried.
    """
    from hedgerow import attack as attacked

    columns = sensitive_of(plan)
    if not columns:
        raise PlanError(
            "the plan has no sensitive column, so there is nothing for attackers to learn",
            fix="Give a column the role sensitive on the Data page.",
        )
    extra = [name for name in request["methods"] if name not in ALWAYS]
    paths = [Path(path) for path in releases.values()]
    foreign = not all(path.is_dir() for path in paths)
    shared: dict[str, Any] = {
        "plan": plan,
        "register": request.get("register"),
        "control": request.get("control"),
        "sensitive": columns if foreign else None,
        "quasi": list(plan.schema().quasi_identifiers) if foreign else None,
    }
    found: list[dict[str, Any]] = []
    skipped: list[str] = []
    seen: set[str] = set()
    always: list[str] | None = None
    if "sequential" in extra and len(paths) > 1 and request.get("register"):
        # With a register it is tried only where it is asked for. In one round with the others,
        # since what it joins is then nothing that was not tried.
        extra.remove("sequential")
        always = [*ALWAYS, "sequential"]
    rounds = [
        (column, methods) for column in columns for methods in (always, *([e] for e in extra))
    ]
    for place, (column, methods) in enumerate(rounds):

        def say(said: str, share: float | None, place: int = place, of: str = column) -> None:
            whole = None if share is None else (place + share) / len(rounds)
            progress(f"{of}: {said}", whole)

        know = {"l": request["l"]} if methods == ["minimality"] and request.get("l") else None
        try:
            results = attacked(paths, of=column, methods=methods, know=know, progress=say, **shared)
        except HedgerowError as error:
            if methods is None or methods is always:
                raise
            fix = f" {error.fix}" if error.fix else ""
            skipped.append(f"{methods[0]} was not tried on {column}: {error.what}.{fix}")
            continue
        if methods is always and always and not any(r.attack == "sequential" for r in results):
            skipped.append(f"sequential was not tried on {column}: it does not apply here.")
        for result in results:
            about = "" if result.attack in OF_NO_COLUMN else column
            told = result.summary() | {"of": about}
            same = repr((told["attack"], about, told["sentences"], told["detail"].get("release")))
            if same not in seen:
                seen.add(same)
                found.append(_named(told, releases))
    return found, skipped


def sensitive_of(plan: Plan) -> list[str]:
    """The columns attackers are after."""
    return list(plan.schema().sensitive)


def _named(told: dict[str, Any], releases: Mapping[str, str]) -> dict[str, Any]:
    """The summary with names of releases for their places on this machine."""
    places = {str(Path(path)): name for name, path in releases.items()}
    text = _with_names(told, places)
    assert isinstance(text, dict)
    return text


def _with_names(value: Any, places: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for place in sorted(places, key=len, reverse=True):
            value = value.replace(place, places[place])
        return value
    if isinstance(value, Mapping):
        return {key: _with_names(one, places) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_names(one, places) for one in value]
    return value


def keep_release(files: Sequence[tuple[str, Path]], folder: Path) -> tuple[Path, list[str]]:
    """Make a release of uploaded files: a certificate with its data, or a table of any tool.

    Nothing of the client's names is used for a place: a certificate, and one data file.

    Args:
        files: The name each was sent by, and where it lies now.
        folder: What is to hold them; made here.

    Returns:
        What `attack` takes for a release, and what to say of it.

    Raises:
        PlanError: They are no release.
    """
    from hedgerow.base.delivery import CERTIFICATE, DATA
    from hedgerow.release.fingerprint import is_file_of
    from hedgerow.table.certificate_file import read_certificate

    kinds = {".json": CERTIFICATE, ".csv": DATA["csv"], ".parquet": DATA["parquet"]}
    named: dict[str, Path] = {}
    for name, path in files:
        kind = kinds.get(os.path.splitext(name)[1].lower())  # noqa: PTH122 - a client's name, no path
        if kind is None or kind in named:
            raise PlanError(
                f"{name!r} is {'one file too many' if kind else 'no file of a release'}",
                fix="Choose certificate.json and data.csv (or data.parquet) of one release "
                "together, or one CSV or Parquet file of any tool.",
            )
        named[kind] = path
    data = [kind for kind in named if kind != CERTIFICATE]
    if len(data) != 1:
        raise PlanError(
            "there is no data file among them" if not data else "there are two data files",
            fix="Choose certificate.json and data.csv (or data.parquet) of one release together, "
            "or one CSV or Parquet file of any tool.",
        )
    place = folder / "release"
    place.mkdir(parents=True, mode=0o700)
    try:
        for kind, path in named.items():
            shutil.move(path, place / kind)
        if CERTIFICATE not in named:
            return place / data[0], [
                "It has no certificate: its quasi-identifiers and sensitive columns are taken to "
                "be those of the plan."
            ]
        certificate = read_certificate(place)
        if certificate["data"]["file"] != data[0]:
            raise PlanError(
                f"the certificate is about {str(certificate['data']['file'])[:80]!r}, and "
                f"{data[0]} was chosen",
                fix="Choose the files of one release.",
            )
        if not is_file_of(place / data[0], str(certificate["data"]["sha256"])):
            raise PlanError(
                "the data are not those the certificate is about: their SHA-256 is another",
                fix="Choose the files of one release, unchanged; or the data alone.",
            )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return place, []
