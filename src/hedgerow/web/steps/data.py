"""Step 1, the data: what each column is, who stands out, how values become coarser."""

from __future__ import annotations

import textwrap
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response

from hedgerow.api import FileLook, Look, Role, column_notes, listed, question
from hedgerow.api.plan_text import REMOVED, data_of, without_guess
from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.web.data_look import look_at, seen
from hedgerow.web.draft import Draft
from hedgerow.web.error_pages import told
from hedgerow.web.hierarchies import fields_of, name_of
from hedgerow.web.jobs import PageJob
from hedgerow.web.pages import back_to, page
from hedgerow.web.rows_form import (
    WITHIN,
    RowsFields,
    forget_rows,
    keep_rows,
    published_columns,
    rows_fields,
    rows_shown,
)
from hedgerow.web.spelling_form import texts_of
from hedgerow.web.state import Step, TheDraft, TheWeb
from hedgerow.web.steps import columns as column_pages
from hedgerow.web.steps.columns import Number, role_of

STEP = Step(number=1, name="data", title="Data", hint="What each column is to an attacker")
router = APIRouter(default_response_class=HTMLResponse)
router.include_router(column_pages.router)


@router.get("/data")
def show(request: Request, web: TheWeb, draft: TheDraft) -> HTMLResponse:
    """Every column, with its role, and who stands out by which of them."""
    look = look_at(web, draft)
    if isinstance(look, PageJob):
        return page(request, "looking.html", step="data", job=look)
    return _page(request, draft, look, rows_fields(draft))


def _page(
    request: Request, draft: Draft, look: Look, rows: RowsFields, errors: list[Any] | None = None
) -> HTMLResponse:
    """The page of the table; what somebody has just said about rows stands in its form."""
    known = {*look.names}
    looks = {one.name: one for one in look.data.columns if one.name != look.data.person}
    columns = [
        {
            "number": number,
            "name": name,
            "look": looks.get(name),
            "guess": look.guesses[name],
            "role": role_of(draft, name),
            "coarser": _coarser(draft, name),
            "spellings": _undecided(draft, look, name),
        }
        for number, name in enumerate(look.names)
    ]
    return page(
        request, "data.html", step="data", status=422 if errors else 200, data=look.data,
        columns=columns, roles=list(Role), person=draft.said("person"),
        population=draft.said("population"),
        null=draft.said("null"), unknown=[name for name in draft.planned if name not in known],
        worst=_worst(draft, look), stated=draft.said("one_row_per_person") is True,
        keys=[(key, question(key, person=draft.said("person") or None)) for key in look.keys],
        file=look.file, rows=rows_shown(draft, look, rows), within=WITHIN, rows_errors=errors or [],
        tokens=_unread(draft, look), column_notes=column_notes, listed=listed,
    )  # fmt: skip


@router.post("/data/again")
def again(request: Request, web: TheWeb, draft: TheDraft) -> Response:
    """Look at the table once more, after it could not be read."""
    seen(web, draft)
    return back_to(request, "/data")


@router.post("/data/read")
def answer_read(
    request: Request, web: TheWeb, draft: TheDraft, key: Annotated[str, Form()],
    column: Annotated[str, Form()], answer: Annotated[str, Form()],
) -> Response:  # fmt: skip
    """How dates or numbers are written that may mean two things."""
    file: FileLook | None = seen(web, draft).file
    asked = () if file is None else file.questions
    if not any((q.key, q.column) == (key, column) and answer in q.choices for q in asked):
        raise PlanError("that is no answer", fix="Choose one of those shown.")
    draft.edit(("read", key, column), answer.strip('"'))
    return back_to(request, "/data")


@router.post("/data/about")
def about(
    request: Request, draft: TheDraft, population: Annotated[str, Form()] = "",
    person: Annotated[str, Form()] = "", null: Annotated[str, Form()] = "",
    stated: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """Whose data these are, who has several rows, and which texts mean nothing."""
    texts = [text.strip() for text in null.split(",") if text.strip()]
    said = draft.data()
    answers = (
        ("population", population.strip()), ("person", person), ("null", texts),
        ("one_row_per_person", bool(stated) and not person),
    )  # fmt: skip
    for key, value in answers:
        if value and value != said.get(key):
            draft.edit((key,), value)
        elif not value and key in said:
            draft.edit((key,), REMOVED)
    if not person:
        forget_rows(draft)
    return back_to(request, "/data")


@router.post("/data/missing")
def read_as_missing(request: Request, web: TheWeb, draft: TheDraft) -> Response:
    """From now on, what surely means a missing value is read as one."""
    said = draft.said("null")
    known = [text for text in said if isinstance(text, str)] if isinstance(said, list) else []
    if more := list(_unread(draft, seen(web, draft))):
        draft.edit(("null",), [*known, *more])
    return back_to(request, "/data")


@router.post("/data/people")
def answer_people(
    request: Request, web: TheWeb, draft: TheDraft, answer: Annotated[str, Form()],
    column: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """Whose rows these are, where a number of people repeats."""
    names = seen(web, draft).names
    if answer == "rows":
        draft.edit(("one_row_per_person",), True)
        if draft.said("person"):
            draft.edit(("person",), REMOVED)
        forget_rows(draft)
    elif column not in names or answer not in ("person", "no key"):
        raise PlanError("that is no answer", fix="Choose one of those shown.")
    elif answer == "no key":
        draft.edit_column(column, draft.column(column) | {"key": False})
    else:
        _give_role(draft, seen(web, draft), column, Role.IDENTIFIER)
        draft.edit(("person",), column)
        return back_to(request, "/data#rows")
    return back_to(request, "/data")


@router.post("/data/rows")
def give_rows(
    request: Request, web: TheWeb, draft: TheDraft,
    column: Annotated[list[str], Form(default_factory=list)],
    within: Annotated[list[str], Form(default_factory=list)],
    rows: Annotated[str, Form()] = "", most: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """Which rows of a person are published, and which value where they differ."""
    look = seen(web, draft)
    fields = RowsFields(rows=rows, most=most, within=dict(zip(column, within, strict=False)))
    try:
        if look.people is None:
            raise PlanError(
                "nothing says whose row it is", fix="Name the column under *About the table*."
            )
        said = fields.said(look, published_columns(draft))
    except HedgerowError as error:
        return _page(request, draft, look, fields, told(error))
    keep_rows(draft, said, fields.within)
    return back_to(request, "/data#rows")


@router.post("/data/columns/{number}/role")
def give_role(
    request: Request, web: TheWeb, draft: TheDraft, number: Number, role: Annotated[str, Form()]
) -> Response:
    """Another role for a column; what that role cannot have is taken away with it."""
    look = seen(web, draft)
    name = look.profile(number).name
    if role not in list(Role):
        raise PlanError(f"there is no role {role[:40]!r}", fix=f"Choose of {', '.join(Role)}.")
    _give_role(draft, look, name, Role(role))
    return back_to(request, "/data")


@router.post("/data/proposals")
def take_proposals(request: Request, web: TheWeb, draft: TheDraft) -> Response:
    """For every column the plan lacks, what is proposed."""
    look = seen(web, draft)
    known = {*draft.planned, draft.said("person")}
    for name in look.names:
        if name not in known:
            _give_role(draft, look, name, look.guesses[name].role)
    for name in draft.planned:
        if name not in look.names:
            draft.edit(("columns", name), REMOVED)
    return back_to(request, "/data")


def _give_role(draft: Draft, look: Look, name: str, role: Role) -> None:
    said = draft.column(name) | {"role": str(role)}
    if role is not Role.QUASI_IDENTIFIER:
        said.pop("levels", None)
    if role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        said.pop("hierarchy", None)
    if role is not Role.SENSITIVE:
        said = {k: v for k, v in said.items() if k not in ("spelling", "distinct", "order")}
    coding = said.get("coding")
    if role is Role.QUASI_IDENTIFIER and isinstance(coding, dict) and "microaggregate" in coding:
        said.pop("coding")
    if role is Role.IDENTIFIER:
        said = {"role": str(role)}
    guessed = look.guesses[name].hierarchy
    if role is Role.QUASI_IDENTIFIER and "hierarchy" not in said and guessed is not None:
        said["hierarchy"] = data_of(guessed)
    draft.edit_column(name, said)
    if role is not look.guesses[name].role:
        draft.write(without_guess(draft.text, ("columns", name)))


def _unread(draft: Draft, look: Look) -> dict[str, list[str]]:
    """Texts that surely mean missing and are not read so yet, each with its columns."""
    said = draft.said("null")
    known = said if isinstance(said, list) else []
    return {
        text: names for text, names in look.tokens.items() if text.strip() and text not in known
    }


def _worst(draft: Draft, look: Look) -> list[list[Any]]:
    """Of three, two and one columns that an attacker may know, those that single out most."""
    known = {n for n in look.names if role_of(draft, n) in (None, str(Role.QUASI_IDENTIFIER))}
    return [
        [found for found in look.data.together(together) if known.issuperset(found.columns)][:5]
        for together in (3, 2, 1)
    ]


def _coarser(draft: Draft, name: str) -> str | None:
    """How the column becomes coarser, in a few words."""
    said = draft.column(name)
    if said.get("role") not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        return None
    fields = fields_of(said.get("hierarchy", "suppression"))
    words = {
        "suppression": "* at once",
        "ranges": f"ranges of {fields.widths}",
        "prefix": f"masked from the right, {fields.length} characters",
        "dates": ", ".join(fields.dates),
        "bins": "groups of your own",
        "taxonomy": "a tree of names",
        "text": textwrap.shorten(fields.text, 60, placeholder=" …"),
        "csv": name_of(fields.file) if fields.file else "",
    }
    if said.get("role") == Role.SENSITIVE and "hierarchy" not in said:
        return None
    return words.get(fields.kind)


def _undecided(draft: Draft, look: Look, name: str) -> int:
    """How many values of a column have several spellings, where nobody has said what they are."""
    said = draft.column(name)
    if role_of(draft, name) != Role.SENSITIVE or "spelling" in said:
        return 0
    distinct = texts_of(said.get("distinct"))
    return sum(texts[0] not in distinct for texts in look.spellings.get(name, ()))
