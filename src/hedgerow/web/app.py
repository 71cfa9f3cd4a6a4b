"""The app: one gate in front of everything, the steps behind it.

A step is a module of `hedgerow.web.steps` with a `STEP` and a `router`; it is found by its being
there. What is not a step's own is here: opening a table, jobs, the plan's file, errors.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Form, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

import hedgerow.web.steps
from hedgerow.api import style_sheet
from hedgerow.base.errors import HedgerowError
from hedgerow.web.draft import Draft
from hedgerow.web.pages import back_to, complaint, environment, is_htmx, page
from hedgerow.web.security import FORM_LIMIT, Gate, GateMiddleware
from hedgerow.web.state import NothingOpenError, Step, TheDraft, TheWeb, Web
from hedgerow.web.uploads import FILE_FORM, UPLOAD_LIMIT, receive_file
from hedgerow.web.workspace import Workspace

__all__ = ["create_app"]

router = APIRouter(default_response_class=HTMLResponse)


def create_app(
    workspace: Workspace,
    *,
    gate: Gate,
    draft: Draft | None = None,
    upload_limit: int = UPLOAD_LIMIT,
) -> FastAPI:
    """The app on a workspace.

    Args:
        workspace: Where work in progress is kept.
        gate: Who may come in.
        draft: What to work on at first.
        upload_limit: Bytes of a file that is uploaded.
    """
    modules = _steps()
    web = Web(
        workspace=workspace, gate=gate, templates=environment(), draft=draft,
        steps=tuple(module.STEP for module in modules), upload_limit=upload_limit,
    )  # fmt: skip

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        web.close()

    # The interactive pages about the API would be loaded from elsewhere.
    app = FastAPI(title="Hedgerow", docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.web = web
    app.mount("/static", StaticFiles(directory=str(files("hedgerow.web") / "static")), "static")
    for module in modules:
        app.include_router(module.router)
    app.include_router(router)
    app.add_exception_handler(HedgerowError, _told)
    app.add_exception_handler(NothingOpenError, _nothing_open)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(Exception, _unexpected)

    def limit(path: str) -> int:
        return upload_limit if path.endswith("/upload") else FORM_LIMIT

    # Added last, so it stands first: also before static files and pages that are not there.
    app.add_middleware(GateMiddleware, gate=gate, limit=limit)
    return app


def _steps() -> list[Any]:
    found = [
        import_module(f"hedgerow.web.steps.{name}")
        for _, name, _ in iter_modules(hedgerow.web.steps.__path__)
    ]
    steps = [module for module in found if isinstance(getattr(module, "STEP", None), Step)]
    return sorted(steps, key=lambda module: module.STEP.number)


@router.get("/")
def begin(request: Request, web: TheWeb) -> Response:
    """The first step of what is open, or how to open something."""
    if web.draft is not None and web.steps:
        return RedirectResponse(web.steps[0].path, 303)
    return RedirectResponse("/start", 303)


@router.get("/start")
def start(request: Request, web: TheWeb) -> HTMLResponse:
    """Upload a table, or go on with earlier work."""
    return page(request, "start.html", drafts=web.workspace.drafts(), limit=web.upload_limit)


@router.post("/start/upload", openapi_extra=FILE_FORM)
async def upload(request: Request, web: TheWeb) -> Response:
    """Take a table and guess a plan for it."""
    from starlette.concurrency import run_in_threadpool

    with await receive_file(request, web.workspace.folder) as file:
        web.open(await run_in_threadpool(web.workspace.receive, file.name, file.path))
    return back_to(request, "/")


@router.post("/start/demo")
def made_up(request: Request, web: TheWeb) -> Response:
    """The synthetic hospital, in the workspace."""
    web.open(web.workspace.made_up())
    return back_to(request, "/")


@router.post("/start/open")
def go_on(request: Request, web: TheWeb, name: Annotated[str, Form()]) -> Response:
    """Go on with earlier work."""
    web.open(web.workspace.draft(name))
    return back_to(request, "/")


@router.get("/jobs/{job}")
def follow(request: Request, job: str, web: TheWeb) -> HTMLResponse:
    """How a job stands; the page is loaded again when it is over."""
    found = web.jobs.get(job)
    if is_htmx(request) and not found.running:
        return HTMLResponse("", headers={"HX-Redirect": found.back})
    template = "parts/job.html" if is_htmx(request) else "job.html"
    return page(request, template, job=found, step=found.back.strip("/"))


@router.post("/jobs/{job}/cancel")
def cancel(request: Request, job: str, web: TheWeb) -> Response:
    """Stop a job."""
    return back_to(request, web.jobs.cancel(job).back)


@router.post("/jobs/{job}/end")
def end_soon(request: Request, job: str, web: TheWeb) -> Response:
    """End a job with the best it has found so far."""
    return back_to(request, web.jobs.end_soon(job).back)


@router.get("/charts.css", response_class=PlainTextResponse)
def chart_colours() -> Response:
    """The colours of charts, in the light, in the dark and on paper."""
    return PlainTextResponse(style_sheet(), media_type="text/css")


@router.get("/plan.yaml", response_class=PlainTextResponse)
def plan_file(draft: TheDraft) -> Response:
    """The plan as it stands, to keep."""
    headers = {"Content-Disposition": 'attachment; filename="plan.yaml"'}
    return PlainTextResponse(draft.text, media_type="application/yaml", headers=headers)


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HedgerowError), "registered for these"
    return complaint(request, error)


async def _nothing_open(request: Request, error: Exception) -> Response:
    return back_to(request, "/start")


async def _misunderstood(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError), "registered for these"
    fields = sorted({str(one["loc"][-1]) for one in error.errors()})
    what = f"the form was not understood: {', '.join(fields)}"
    return complaint(request, HedgerowError(what, fix="Go back and fill it in again."))


async def _plain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for these"
    what = "there is no such page" if error.status_code == 404 else str(error.detail)
    answer = complaint(request, HedgerowError(what), status=error.status_code)
    answer.headers.update(error.headers or {})
    return answer


async def _unexpected(request: Request, error: Exception) -> Response:
    what = f"something went wrong that should not: {type(error).__name__}"
    fix = "Your work is kept. The terminal has the details; please report it."
    return complaint(request, HedgerowError(what, fix=fix), status=500)
