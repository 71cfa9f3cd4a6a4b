"""Step 6, Query: a question, what it would cost and how far off it would be, then the answer.

To look at a preview is free, however often. To ask is charged, so it is a form of its own that
shows the price; it ends in a page that reads the answer from the ledger, which can be loaded
again without asking again.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response

from hedgerow.api import NOTHING, Amounts
from hedgerow.base.errors import DataError, HedgerowError, PlanError
from hedgerow.web import query_view as view
from hedgerow.web.draft import Draft
from hedgerow.web.error_pages import ErrorView, told
from hedgerow.web.pages import back_to, page
from hedgerow.web.query_budget import gauges, history, too_dear
from hedgerow.web.query_form import AT, KINDS, PEOPLE, QuestionForm
from hedgerow.web.state import Step, TheDraft, TheWeb, Web

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from hedgerow import Answer, Preview, Session

STEP = Step(number=6, name="query", title="Query", hint="Ask for noisy answers within a budget")
ONE_AT_A_TIME = threading.Lock()
"""Of two that ask the same at once, the second gets the first one's answer, not another bill."""
NEIGHBOURS = {
    "add-remove": "Whether somebody is in the table at all (add-remove)",
    "change-one": "What somebody's row says; how many rows there are is public (change-one)",
}
MIME = {"json": "application/json", "csv": "text/csv; charset=utf-8"}

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/query")
def show(
    request: Request, web: TheWeb, draft: TheDraft,
    kind: str = "count", column: str = "", by: Annotated[list[str] | None, Query()] = None,
    where: str = "", at: str = "", top: str = "", rows: str = "", epsilon: str = "",
    delta: str = "", rho: str = "", people: str = "",
) -> HTMLResponse:  # fmt: skip
    """The question as it stands, with its preview once it has a price.

    Widths of cells are fields of their own, one a column: `width:bill`.
    """
    wrong: list[HedgerowError] = []
    asked = QuestionForm()
    try:
        asked = QuestionForm.read(request.query_params.multi_items())
    except HedgerowError as error:
        wrong.append(error)
    shown: dict[str, Any] = {"asked": asked, "kinds": KINDS, "at": AT, "people": PEOPLE}
    lacking = _lacking(draft)
    shown |= {"lacking": lacking, "neighbours": NEIGHBOURS, "preview": None, "form": None}
    shown |= {"gauges": [], "history": [], "too_dear": "", "has_budget": False}
    shown |= {"population": "", "settings": [], "undescribed": ([], [])}
    if not lacking:
        try:
            with _session(draft) as session:
                shown |= _standing(session)
                shown["form"] = _form(asked, session)
                shown["undescribed"] = view.undescribed(asked, session.plan, session.public)
                if asked.priced and not wrong:
                    shown |= _previewed(web, draft, asked, session)
        except HedgerowError as error:
            wrong.append(error)
    errors = [one for error in wrong for one in told(error)]
    return page(request, "query.html", step=STEP.name, errors=errors, **shown)


@router.post("/query/ask")
def ask(
    request: Request,
    draft: TheDraft,
    kind: Annotated[str, Form()],
    by: Annotated[list[str], Form(default_factory=list)],
    column: Annotated[str, Form()] = "",
    where: Annotated[str, Form()] = "",
    at: Annotated[str, Form()] = "",
    top: Annotated[str, Form()] = "",
    rows: Annotated[str, Form()] = "",
    epsilon: Annotated[str, Form()] = "",
    delta: Annotated[str, Form()] = "",
    rho: Annotated[str, Form()] = "",
) -> Response:
    """Charge for an answer, or find the one that was given before; then show it."""
    fields = {
        "kind": kind, "column": column, "where": where, "at": at, "top": top, "rows": rows,
        "epsilon": epsilon, "delta": delta, "rho": rho,
    }  # fmt: skip
    asked = QuestionForm.read([*fields.items(), *(("by", one) for one in by)])
    with ONE_AT_A_TIME, _nobody_else(draft), _session(draft) as session:
        answer: Answer = asked.put(session)
    end = "?again=yes" if answer.again else ""
    return back_to(request, f"/query/answers/{answer.ledger['reservation']}{end}")


@router.get("/query/answers/{reservation}")
def answered(
    request: Request, draft: TheDraft, reservation: str, again: str = "", low: str = "",
    high: str = "",
) -> HTMLResponse:  # fmt: skip
    """An answer as the ledger has it; looking at it is free."""
    from hedgerow.api import find_answer

    errors = []
    between = None
    with _session(draft) as session:
        found = find_answer(session, reservation)
        answer = found.answer
        if low or high:
            try:
                between = answer.between(*_span(low, high))
            except HedgerowError as error:
                errors = told(error)
        return page(
            request, "answer.html", step=STEP.name, errors=errors,
            answer=view.told(answer), entry=found.entry, at=found.entry.at[:16].replace("T", " "),
            again=again == "yes", drawn=_chart(answer),
            gauges=gauges(session.budget), ranges=answer.question.get("ask") == "ranges",
            low=low, high=high, between=_told_between(between), several=len(answer.tables) > 1,
            confidence=f"{100 * answer.confidence:g} %",
        )  # fmt: skip


@router.get("/query/answers/{reservation}/answer.{kind}", response_class=Response)
def download(draft: TheDraft, reservation: str, kind: str) -> Response:
    """An answer as a file: everything in it may be given to anybody."""
    from hedgerow.api import find_answer, write_answer

    if kind not in MIME:
        raise DataError(f"an answer is no {kind[:20]!r} file", fix="Take the .json or the .csv.")
    with _session(draft) as session:
        answer = find_answer(session, reservation).answer
        escape = session.escape_formulas
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"answer.{kind}"
        write_answer(answer, path, escape=escape)
        content = path.read_bytes()
    name = f'attachment; filename="answer-{answer.ledger["seq"]}.{kind}"'
    return Response(content, media_type=MIME[kind], headers={"Content-Disposition": name})


@router.post("/query/settings")
def settle(
    request: Request,
    draft: TheDraft,
    population: Annotated[str, Form()] = "",
    ledger: Annotated[str, Form()] = "",
    neighbours: Annotated[str, Form()] = "",
) -> Response:
    """Say in the plan whose privacy it is, where it is accounted for, and what answers hide."""
    said: dict[tuple[str, ...], str] = {}
    if population.strip():
        said["population",] = population.strip()
    if ledger.strip():
        said["ledger",] = ledger.strip()
    if neighbours:
        if neighbours not in NEIGHBOURS:
            raise PlanError(
                f"neighbours are not {neighbours[:40]!r}", fix="Choose add-remove or change-one."
            )
        said["privacy", "neighbours"] = neighbours
    before = draft.text
    try:
        for place, value in said.items():
            draft.edit(place, value)
        draft.plan()
    except HedgerowError:
        draft.write(before)
        raise
    return back_to(request, STEP.path)


@router.post("/query/budget")
def allow(request: Request, draft: TheDraft, budget: Annotated[str, Form()]) -> Response:
    """Set what the population may lose, all told; the ledger keeps who set it to what."""
    with _session(draft) as session:
        text = budget if "=" in budget else f"epsilon={budget}"
        session.ledger.set_budget(session.population, Amounts.read(text, rounding="down"))
    return back_to(request, STEP.path)


@contextlib.contextmanager
def _nobody_else(draft: Draft) -> Iterator[None]:
    """Wait for another app on the same work: one that asks the same gets the same answer."""
    if fcntl is None:
        yield
        return
    with (draft.folder / ".asking").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _session(draft: Draft) -> Iterator[Session]:
    from hedgerow import session

    with session(draft.plan()) as opened:
        yield opened


def _lacking(draft: Draft) -> list[str]:
    """What the plan must say before anything can be asked: in the words of the form."""
    from hedgerow.api import ledger_place

    try:
        plan = draft.plan()
    except HedgerowError:
        return ["plan"]
    found = [] if plan.population else ["population"]
    found += [] if ledger_place(plan, None) else ["ledger"]
    return found + ([] if plan.privacy is not None else ["privacy"])


def _standing(session: Session) -> dict[str, Any]:
    """Budget and earlier answers."""
    position = session.budget
    return {
        "gauges": gauges(position),
        "has_budget": position.budget is not None,
        "history": history(session.ledger.entries(population=session.population)),
        "population": session.population,
        "settings": view.settings(session.plan, session.public),
    }


def _form(asked: QuestionForm, session: Session) -> dict[str, Any]:
    return {
        "columns": view.columns_to_ask(asked, session.public),
        "cells": view.columns_to_count_by(asked, session.plan, session.public),
        "example": view.example_filter(session.public),
    }


def _previewed(web: Web, draft: Draft, asked: QuestionForm, session: Session) -> dict[str, Any]:
    """What the question would cost, and answers to it on people who are made up."""
    from hedgerow.api import CostPreview

    unsimulated: list[ErrorView] = []
    try:
        preview = _simulated(web, draft, asked, session)
    except PlanError as error:
        # Where nothing is known of a column nobody can be made up; the noise is known all the
        # same. A question that is wrong is so here too.
        preview = asked.put(CostPreview(session.public))
        unsimulated = told(error)
    spends: dict[str, Any] = dict(preview.spends)
    cost = Amounts.of(**spends) if spends else NOTHING
    return {
        "preview": view.told(preview),
        "unsimulated": unsimulated,
        "meaning": view.meaning(session.public, preview.spends),
        "errors_of": view.errors_of(preview),
        "on": preview.on,
        "runs": preview.runs,
        "drawn": _chart(preview),
        "gauges": gauges(session.budget, cost),
        "too_dear": too_dear(session.budget, cost),
    }


def _simulated(web: Web, draft: Draft, asked: QuestionForm, session: Session) -> Preview:
    """Made once: the chart is of the answer that the page shows."""

    def make() -> Preview:
        found: Preview = asked.put(session.preview(people=asked.simulated_people()))
        return found

    return web.kept.get((draft.name, draft.mark, "preview", asked.query), make)


def _chart(found: Answer | Preview) -> Any:
    """The chart of an answer or of a simulated one, if it has one."""
    from hedgerow.api import answer_chart

    only = view.chartable(found.tables)
    return None if only is None else answer_chart(only, title=found.words)


def _span(low: str, high: str) -> tuple[str, str]:
    """Two numbers, the first no larger than the second."""
    from hedgerow.api import is_range

    if not is_range(low.strip(), high.strip()):
        raise PlanError(f"{low!r} to {high!r} is no range", fix="Write for instance 40 and 60.")
    return low.strip(), high.strip()


def _told_between(between: Any) -> Mapping[str, str] | None:
    if between is None:
        return None
    names = ("low", "high", "count", "least", "most")
    return {name: view.number(float(getattr(between, name))) for name in names}
