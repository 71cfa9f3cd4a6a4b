"""Step 5, publishing: the plan as it stands, what it costs, the release and its reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from hedgerow.api import METRICS, internal_place
from hedgerow.api import set_budget as set_budget_of
from hedgerow.api.plan_text import REMOVED
from hedgerow.base.errors import DataError, HedgerowError, PlanError
from hedgerow.web.error_pages import told
from hedgerow.web.ledgers import LEDGER, standing
from hedgerow.web.pages import back_to, page
from hedgerow.web.state import Step, TheDraft, TheWeb, Web
from hedgerow.web.workspace import inside, safe_name

STEP = Step(number=5, name="publish", title="Publish", hint="The plan, the release, the reports")
SEARCHES = {
    "lattice": "the same level for everyone; the most useful of all combinations",
    "mondrian": "boxes that fit the data",
    "local": "levels that differ from group to group",
    "cells": "the same level for everyone, and single cells suppressed",
    "microaggregation": "clusters of similar people",
}
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A report is a file of its own with its looks inside: it runs nothing and reaches nothing."""
KINDS = {".csv": "text/csv", ".json": "application/json", ".parquet": "application/octet-stream"}
router = APIRouter(default_response_class=HTMLResponse)


@router.get("/publish")
def show(request: Request, web: TheWeb, draft: TheDraft) -> HTMLResponse:
    """The plan, the ledger, and what was published."""
    problem = draft.problem()
    plan = None if problem else draft.plan()
    job, verified = web.jobs.last("publish"), web.jobs.last("verify")
    whole = web.jobs.last("report")
    done = next((one for one in web.jobs.all("publish") if one.state == "done"), None)
    said = draft.data()
    method, target = said.get("method"), said.get("publish")
    to = None if plan is None or plan.publish is None else plan.publish.to
    exists = isinstance(to, Path) and to.exists()
    return page(
        request, "publish.html", step="publish", text=draft.text,
        wrong=[] if problem is None else told(problem), searches=SEARCHES, metrics=METRICS.values(),
        method={"search": "lattice"} | (
            method if isinstance(method, dict) else {"search": method or "lattice"}
        ),
        target=target if isinstance(target, dict) else {"to": target or ""},
        utility=_utility(said), exists=exists, keeps=bool(said.get("keep")),
        ours=done is not None and (done.result or {}).get("release") == str(to),
        ledger=None if plan is None else standing(plan), named=said.get("ledger"),
        population=said.get("population"), job=job, done=done,
        current=done is not None and done.mark == draft.mark, files=_files(web),
        verified=verified if _about_last(verified, done) else None,
        whole=whole if _about_last(whole, done) else None,
        command=f"hedgerow publish {draft.saves or draft.folder / 'plan.yaml'}",
        noisy=plan is not None and plan.method.search in ("marginals", "safe"),
    )  # fmt: skip


@router.post("/publish/plan")
def keep_plan(
    request: Request, draft: TheDraft, text: Annotated[str, Form()] = "",
    mark: Annotated[str, Form(description="The text it was made of.")] = "",
) -> Response:  # fmt: skip
    """Another text for the plan; kept whether it is right or not."""
    if mark and mark != draft.mark:
        raise PlanError(
            "the plan was changed meanwhile, in another tab or by another step",
            fix="Nothing was lost: go back, copy your text, and load the page again.",
        )
    draft.write(text)
    return back_to(request, "/publish" if draft.problem() else "/publish#plan")


@router.post("/publish/save")
def save(request: Request, draft: TheDraft) -> Response:
    """Write the draft to where it came from."""
    draft.save()
    return back_to(request, "/publish#plan")


@router.post("/publish/discard")
def discard(request: Request, web: TheWeb, draft: TheDraft) -> Response:
    """Begin again with the plan on disk."""
    draft.take_again()
    return back_to(request, "/publish#plan")


@router.post("/publish/how")
def keep_how(
    request: Request, draft: TheDraft, search: Annotated[str, Form()] = "lattice",
    suppress: Annotated[str, Form()] = "", utility: Annotated[str, Form()] = "loss",
    weights: Annotated[str, Form(description="Such as age=2, zip=0.5.")] = "",
    suppression: Annotated[str, Form(description="0 to 1; 0.5 is even.")] = "0.5",
    to: Annotated[str, Form()] = "release", form: Annotated[str, Form()] = "csv",
    escape: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """How the release is made, and where it goes."""
    said = draft.data()
    method = said.get("method")
    method = dict(method) if isinstance(method, dict) else {}
    changes: dict[tuple[str, ...], Any] = {}
    if search in SEARCHES:
        changes["method", "search"] = search
    share = suppress.strip().removesuffix("%").strip()
    if share:
        changes["method", "suppress"] = f"{share}%"
    elif "suppress" in method:
        changes["method", "suppress"] = REMOVED
    wanted = _weighed(utility, weights, suppression)
    if (utility in METRICS or utility == "keep") and (wanted != "loss" or "utility" in said):
        changes["utility",] = wanted
    # The plan's own folder, or a new name beside it.
    before = said.get("publish")
    before = before if isinstance(before, dict) else {"to": before}
    place = to.strip() if to.strip() == before.get("to") else safe_name(to.strip())
    target: dict[str, Any] = {"to": place} | ({"format": "parquet"} if form == "parquet" else {})
    target |= {"escape_formulas": True} if escape and form != "parquet" else {}
    if target != said.get("publish"):
        changes["publish",] = target
    if not isinstance(said.get("method"), dict):
        found = {key[1]: value for key, value in changes.items() if key[0] == "method"}
        draft.edit(("method",), {k: v for k, v in found.items() if v is not REMOVED})
        changes = {key: value for key, value in changes.items() if key[0] != "method"}
    for at, value in changes.items():
        draft.edit(at, value)
    return back_to(request, "/publish")


@router.post("/publish/ledger")
def keep_ledger(
    request: Request, draft: TheDraft, population: Annotated[str, Form()] = ""
) -> Response:
    """Remember releases from now on, in a file beside the plan."""
    name = population.strip() or draft.data().get("population")
    if not name:
        raise PlanError(
            "a ledger needs to know whose data these are", fix="Name the people, above the button."
        )
    draft.edit(("population",), name)
    if not draft.data().get("ledger"):
        draft.edit(("ledger",), LEDGER)
    return back_to(request, "/publish#ledger")


@router.post("/publish/budget")
def set_budget(request: Request, draft: TheDraft, budget: Annotated[str, Form()]) -> Response:
    """What may be lost to answers with noise."""
    set_budget_of(draft.plan(), budget)
    return back_to(request, "/publish#ledger")


@router.post("/publish/start")
def start(
    request: Request, web: TheWeb, draft: TheDraft, replace: Annotated[str, Form()] = ""
) -> Response:
    """Publish, in a process of its own."""
    plan = draft.plan()
    if plan.publish is None:
        raise PlanError(
            "nothing says where the release goes", fix="Name a folder under How it is made."
        )
    order = {"plan": draft.text, "folder": str(draft.base), "replace": bool(replace)}
    web.jobs.process(
        "hedgerow.web.work:publish", order, kind="publish", title="Publishing", back="/publish",
        mark=draft.mark,
    )  # fmt: skip
    return back_to(request, "/publish")


@router.post("/publish/verify")
def verify(request: Request, web: TheWeb, draft: TheDraft) -> Response:
    """Check the release from outside, without the raw data."""
    web.jobs.process(
        "hedgerow.web.work:verify", {"release": str(_folder(web))}, kind="verify",
        title="Verifying", back="/publish",
    )  # fmt: skip
    return back_to(request, "/publish#release")


@router.post("/publish/report")
def whole_report(request: Request, web: TheWeb, draft: TheDraft) -> Response:
    """Make the internal report with all attacks and the quality before and after."""
    order = {"plan": draft.text, "folder": str(draft.base), "release": str(_folder(web))}
    web.jobs.process(
        "hedgerow.web.work:report", order, kind="report", title="Making the internal report",
        back="/publish",
    )  # fmt: skip
    return back_to(request, "/publish#release")


@router.get("/publish/files/{name}", response_class=FileResponse)
def file(web: TheWeb, name: str) -> Response:
    """A file of the release."""
    return _served(inside(_folder(web), name))


@router.get("/publish/internal.html", response_class=FileResponse)
def internal(web: TheWeb) -> Response:
    """The internal report, which is beside the release and not for handing out."""
    report = internal_place(_folder(web))
    if report.is_symlink() or not report.is_file():
        raise DataError("there is no internal report", fix="Publish again to have one.")
    return _served(report)


def _utility(said: dict[str, Any]) -> dict[str, Any]:
    """What the plan says of utility, as the form shows it."""
    utility = said.get("utility", "loss")
    found = dict(utility) if isinstance(utility, dict) else {"metric": utility}
    weights = found.get("weights")
    shown = ", ".join(f"{k}={v}" for k, v in weights.items()) if isinstance(weights, dict) else ""
    return {"metric": "loss", "suppression": "0.5"} | found | {"weights": shown}


def _weighed(metric: str, weights: str, suppression: str) -> str | dict[str, Any]:
    """The plan's `utility`, from the form.

    Raises:
        PlanError: Weights that are not written as in the example.
    """
    found: dict[str, float | str] = {}
    for part in filter(None, map(str.strip, weights.split(","))):
        name, equals, weight = (text.strip() for text in part.rpartition("="))
        if not (name and equals and weight):
            raise PlanError(f"{part!r} is not a weight", fix="Write, for instance, age=2, zip=0.5.")
        found[name] = _number(weight)
    more: dict[str, Any] = {"weights": found} if found else {}
    share = _number(suppression.strip() or "0.5")
    more |= {} if share == 0.5 else {"suppression": share}
    return {"metric": metric} | more if more else metric


def _number(text: str) -> float | str:
    """A number that somebody typed; else their text, of which the plan says what is wrong."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _folder(web: Web) -> Path:
    """Of what was published last.

    Raises:
        DataError: Nothing was.
    """
    found = (job.result for job in web.jobs.all("publish") if job.state == "done")
    place = next((result["release"] for result in found if result), None)
    if place is None or not Path(place).is_dir():
        raise DataError("nothing was published yet, or it was moved", fix="Publish first.")
    return Path(place)


def _files(web: Web) -> dict[str, Any]:
    """What there is to open of the release."""
    try:
        folder = _folder(web)
    except HedgerowError:
        return {"names": [], "internal": False, "folder": None}
    names = sorted(p.name for p in folder.iterdir() if p.is_file() and not p.is_symlink())
    return {"names": names, "internal": internal_place(folder).is_file(), "folder": str(folder)}


def _served(path: Path) -> Response:
    if path.suffix == ".html":
        return FileResponse(
            path, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY}
        )
    kind = KINDS.get(path.suffix, "application/octet-stream")
    return FileResponse(path, media_type=kind, filename=path.name)


def _about_last(verified: Any, job: Any) -> bool:
    return verified is not None and job is not None and verified.begun > job.begun
