"""Step 4, Attack: the suite on the release the plan describes, or on published ones.

What the attacks find may name people. It stays in the workspace, and no page sends it anywhere.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from hedgerow import Plan
from hedgerow.api import (
    CERTIFICATE,
    DATA,
    TRIAL,
    Claim,
    file_attacks,
    keep_release,
    no_trial,
    release_attacks,
)
from hedgerow.base.errors import DataError, HedgerowError, PlanError
from hedgerow.web import attack_view as view
from hedgerow.web.draft import Draft
from hedgerow.web.jobs import PageJob
from hedgerow.web.pages import back_to, page
from hedgerow.web.person_view import belief_lines, loser_tables
from hedgerow.web.state import Step, TheDraft, TheWeb
from hedgerow.web.uploads import FILE_FORM, receive_file, receive_files
from hedgerow.web.workspace import table_suffixes

STEP = Step(number=4, name="attack", title="Attack", hint="See what attackers would find")
KIND = "attack"
PERSON = "person"
PUBLISHED = "published"
MOST_OTHERS = 8
"""Other releases of one piece of work."""
PEOPLE = {
    "register": "A list of people with names, such as a voter list (linkage)",
    "control": "People who are in none of the releases (a fair comparison)",
}

router = APIRouter(default_response_class=HTMLResponse)


@dataclass(frozen=True, kw_only=True)
class Other:
    """A release that was uploaded."""

    name: str
    path: Path
    certified: bool


@router.get("/attack")
def show(request: Request, web: TheWeb, draft: TheDraft) -> HTMLResponse:
    """What can be attacked, and what the last attacks found."""
    try:
        plan: Plan | None = draft.plan()
    except HedgerowError:
        plan = None
    job = web.jobs.last(KIND)
    found: dict[str, Any] = {
        "outcome": "", "lines": [], "skipped": [], "attacked": [], "compared": False,
        "doubts": [], "help": "", "losers": [],
    }  # fmt: skip
    if job is not None and job.result is not None:
        found = _found(job.result)
    return page(
        request, "attack.html", step=STEP.name, plan=plan, job=job,
        no_trial=None if plan is None else no_trial(plan),
        published=None if plan is None else _published(plan),
        others=_others(draft), most=MOST_OTHERS, people=PEOPLE, given=_given(draft),
        methods=release_attacks(), on_files=file_attacks(),
        why=view.WHY_ALLOWED, proves=view.PROVES_NOTHING, said=_said(plan),
        stale=job is not None and job.mark != draft.mark, **found,
        **_asked(web.jobs.last(PERSON), plan),
    )  # fmt: skip


@router.post("/attack/run")
def run(
    request: Request,
    web: TheWeb,
    draft: TheDraft,
    other: Annotated[list[str], Form(default_factory=list)],
    method: Annotated[list[str], Form(default_factory=list)],
    know_name: Annotated[list[str], Form(default_factory=list)],
    know_value: Annotated[list[str], Form(default_factory=list)],
    target: Annotated[str, Form()] = TRIAL,
) -> Response:
    """Start the suite."""
    plan = draft.plan()
    releases = _places(plan, draft, target, other)
    known = {one.name for one in release_attacks()}
    if wrong := [name for name in method if name not in known]:
        raise PlanError(f"there is no attack {wrong[0][:40]!r}", fix="Choose those shown.")
    given, said = _given(draft), zip(know_name, know_value, strict=False)
    asked = {
        "plan": draft.text, "folder": str(draft.base), "trial": target == TRIAL,
        "releases": releases, "scratch": str(_made(draft.folder / KIND)),
        "methods": list(dict.fromkeys(method)),
        "given": {one: text.strip() for one, text in said if text.strip()},
        **{kind: str(path) for kind, path in given.items()},
    }  # fmt: skip
    web.jobs.process(
        "hedgerow.web.work:attack", asked, kind=KIND, title="Attacking",
        back=STEP.path, mark=draft.mark,
    )  # fmt: skip
    return back_to(request, STEP.path)


@router.post("/attack/person")
def person(
    request: Request,
    web: TheWeb,
    draft: TheDraft,
    of: Annotated[str, Form()],
    column: Annotated[list[str], Form(default_factory=list)],
    value: Annotated[list[str], Form(default_factory=list)],
) -> Response:
    """Ask what is believed of one person, by the releases that were attacked last."""
    plan, last = draft.plan(), web.jobs.last(KIND)
    if last is None or last.result is None:
        raise DataError("nothing was attacked yet", fix="Attack a release first.")
    names = [str(name) for name in last.result["releases"]]
    target = next((name for name in (TRIAL, PUBLISHED) if name in names), "none")
    picked = dict(zip(column, value, strict=False))
    if not picked or not all(picked.values()):
        raise DataError("nobody is meant", fix="Say a column of the list, and the person's value.")
    asked = {
        "plan": draft.text, "folder": str(draft.base), "trial": target == TRIAL,
        "releases": _places(plan, draft, target, [name for name in names if name != target]),
        "scratch": str(_made(draft.folder / KIND)), "person": picked, "of": of,
        **{kind: str(path) for kind, path in _given(draft).items()
           if kind in last.result.get("people", ())},
    }  # fmt: skip
    web.jobs.process(
        "hedgerow.web.work:person", asked, kind=PERSON, title="Counting",
        back=STEP.path, mark=draft.mark,
    )  # fmt: skip
    return back_to(request, f"{STEP.path}#person")


@router.post("/attack/other/upload", openapi_extra=FILE_FORM)
async def add(request: Request, draft: TheDraft) -> Response:
    """Take another release: its certificate and its data, or a table of any tool."""
    folder = _made(draft.folder / KIND / "others")
    with await receive_files(request, folder, most=2) as form:
        files = [(one.name, one.path) for one in form.files]
        await run_in_threadpool(_keep, draft, form.fields.get("name", ""), files)
    return back_to(request, STEP.path)


@router.post("/attack/other/remove")
def remove(request: Request, draft: TheDraft, name: Annotated[str, Form()]) -> Response:
    """Forget a release that was uploaded."""
    for one in _others(draft):
        if one.name == name:
            shutil.rmtree(draft.folder / KIND / "others" / one.name)
    return back_to(request, STEP.path)


@router.post("/attack/people/{kind}/upload", openapi_extra=FILE_FORM)
async def know(request: Request, draft: TheDraft, kind: str) -> Response:
    """Take a list of people: those an attacker knows, or strangers to compare with."""
    folder = _people(draft, kind)
    with await receive_file(request, _made(folder.parent)) as file:
        if not file.name.lower().endswith(table_suffixes()):
            raise DataError(
                f"{file.name!r} does not look like a table",
                fix=f"Upload one of {', '.join(table_suffixes())}.",
            )
        shutil.rmtree(folder, ignore_errors=True)
        file.path.replace(_made(folder) / file.name)
    return back_to(request, STEP.path)


@router.post("/attack/people/{kind}/remove")
def forget(request: Request, draft: TheDraft, kind: str) -> Response:
    """Forget a list of people."""
    shutil.rmtree(_people(draft, kind), ignore_errors=True)
    return back_to(request, STEP.path)


def _found(result: dict[str, Any]) -> dict[str, Any]:
    """What the last attacks found, as the page shows it."""
    from hedgerow.api import attacks_chart

    results = view.restored(result["attacks"])
    unsure = view.unsure(results)
    return {
        "outcome": view.outcome(results, skipped=bool(result["skipped"])),
        "doubts": unsure,
        "help": view.help_for(unsure),
        "lines": view.lines(results),
        "losers": loser_tables(result["attacks"]),
        "skipped": result["skipped"],
        "attacked": result["releases"],
        "compared": any(one.control is not None for one in results),
        "drawn": attacks_chart(results) if results else None,
    }


def _places(plan: Plan, draft: Draft, target: str, others: Sequence[str]) -> dict[str, str]:
    """The releases by name, and where they are; but for a trial.

    Raises:
        HedgerowError: One is not there, or there can be no trial.
    """
    releases: dict[str, str] = {}
    if target == PUBLISHED:
        place = _published(plan)
        if place is None:
            raise DataError("nothing is published at the plan's place", fix="Publish it first.")
        releases[PUBLISHED] = str(place)
    elif target == TRIAL and (why := no_trial(plan)) is not None:
        raise PlanError(why, fix="Publish it first, then attack what was published.")
    there = {one.name: one for one in _others(draft)}
    for name in dict.fromkeys(others):
        if name not in there:
            raise DataError(f"there is no release {name[:40]!r} here", fix="Choose those shown.")
        releases[name] = str(there[name].path)
    return releases


def _asked(job: PageJob | None, plan: Plan | None) -> dict[str, Any]:
    """What is believed of the person who was asked about last, and who can be."""
    from hedgerow.api import person_chart

    columns = [] if plan is None else [*plan.columns]
    told = None if job is None else job.result
    return {
        "asked": job, "believed": told, "columns": columns,
        "beliefs": [] if told is None else belief_lines(told),
        "portrait": None if told is None or not belief_lines(told) else person_chart(told),
    }  # fmt: skip


def _published(plan: Plan) -> Path | None:
    """The plan's release, if there is one."""
    place = None if plan.publish is None else plan.publish.to
    return place if isinstance(place, Path) and (place / CERTIFICATE).is_file() else None


def _said(plan: Plan | None) -> dict[str, str]:
    """What attacks take by name that the plan says: the l of its l-diversity, and the like."""
    taken = {name for one in release_attacks() for name in one.knows}
    claims = [one for one in plan.protect if isinstance(one, Claim)] if plan else []
    said = [claim.parameters.said for claim in claims]
    return {
        name: f"{float(one[name]):g}"
        for name in taken
        for one in reversed(said)
        if isinstance(one.get(name), int | float | Fraction | Decimal)
    }


def _others(draft: Draft) -> list[Other]:
    folder = draft.folder / KIND / "others"
    found = []
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        release = entry / "release"
        certified = (release / CERTIFICATE).is_file()
        tables = [release / name for name in DATA.values() if (release / name).is_file()]
        if not entry.name.startswith(".") and tables:
            path = release if certified else tables[0]
            found.append(Other(name=entry.name, path=path, certified=certified))
    return found


def _keep(draft: Draft, label: str, files: Sequence[tuple[str, Path]]) -> None:
    """Keep a release under a name of its own."""
    others = _others(draft)
    if len(others) >= MOST_OTHERS:
        raise DataError(f"there are {MOST_OTHERS} other releases already", fix="Remove one first.")
    data = next((name for name, _ in files if not name.lower().endswith(".json")), "release")
    words = re.findall(r"[a-z0-9]+", (label or data.partition(".")[0]).lower())
    name = "-".join(words)[:40] or "release"
    taken = {one.name for one in others} | {TRIAL, PUBLISHED}
    if name in taken:
        name = next(f"{name}-{i}" for i in range(2, 99) if f"{name}-{i}" not in taken)
    keep_release(files, draft.folder / KIND / "others" / name)


def _people(draft: Draft, kind: str) -> Path:
    """Where a list of people is kept.

    Raises:
        DataError: There is no such kind.
    """
    if kind not in PEOPLE:
        raise DataError(f"there is no list {kind[:40]!r}", fix="It is a register or a control.")
    return draft.folder / KIND / kind


def _given(draft: Draft) -> dict[str, Path]:
    """The lists of people that were uploaded."""
    found = {}
    for kind in PEOPLE:
        folder = _people(draft, kind)
        files = sorted(folder.iterdir()) if folder.is_dir() else []
        if files:
            found[kind] = files[0]
    return found


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    return folder
