"""The page of a column: its values, its role, its hierarchy, and what the plan says of values."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from hedgerow.api import Look, Role
from hedgerow.api.plan_text import written
from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.web.data_look import seen, values_of
from hedgerow.web.draft import Draft
from hedgerow.web.error_pages import told
from hedgerow.web.hierarchies import (
    KINDS,
    MOST_SORTED,
    Fields,
    fields_of,
    name_of,
    shown,
    spec_of,
    uploaded,
)
from hedgerow.web.order_form import ORDERS, PLACES, lacks_order, order_fields, order_said, orders
from hedgerow.web.pages import back_to, complaint, is_htmx, page
from hedgerow.web.public_values import PUBLIC, public_fields, public_said
from hedgerow.web.spelling_form import SPELLING, spelling_said, spellings_shown
from hedgerow.web.state import TheDraft, TheWeb, Web
from hedgerow.web.uploads import FILE_FORM, receive_file

MISSING = {
    "value": "a value like others",
    "suppress": "leave such people out",
    "refuse": "refuse to publish",
}
router = APIRouter(default_response_class=HTMLResponse)
Number = Annotated[int, Path(description="The column's place in the table, from 0.")]


@router.get("/data/columns/{number}")
def show_column(request: Request, web: TheWeb, draft: TheDraft, number: Number) -> HTMLResponse:
    """One column: its values, its role, its hierarchy, what is public of it."""
    look = seen(web, draft)
    name = look.profile(number).name
    said = draft.column(name)
    return _column(request, web, draft, look, number, _fields(draft, name), said)


@router.get("/data/public")
def show_public(web: TheWeb, draft: TheDraft, column: str = "") -> Response:
    """Where one says what is public of a column: pages that know it by its name lead here."""
    names = seen(web, draft).names
    if column not in names:
        raise PlanError(
            f"the table has no column {column[:40]!r}", fix="Choose one on the Data page."
        )
    return RedirectResponse(f"/data/columns/{names.index(column)}#public", 303)


@router.post("/data/columns/{number}/hierarchy/preview")
def preview(
    request: Request, web: TheWeb, draft: TheDraft, number: Number,
    kind: Annotated[str, Form()], widths: Annotated[str, Form()] = "",
    origin: Annotated[str, Form()] = "", length: Annotated[str, Form()] = "",
    steps: Annotated[str, Form()] = "", dates: Annotated[list[str] | None, Form()] = None,
    bins: Annotated[str, Form()] = "", tree: Annotated[str, Form()] = "",
    file: Annotated[str, Form()] = "", text: Annotated[str, Form()] = "",
) -> HTMLResponse:  # fmt: skip
    """What a hierarchy would do to the column's values; nothing is kept."""
    name = seen(web, draft).profile(number).name
    fields = Fields(
        kind=kind, widths=widths, origin=origin, length=length, steps=steps,
        dates=tuple(dates or ()), bins=bins, tree=tree, file=file, text=text,
    )  # fmt: skip
    result, errors = _previewed(web, draft, name, fields)
    return page(request, "parts/hierarchy.html", preview=result, errors=errors)


@router.post("/data/columns/{number}/hierarchy")
def give_hierarchy(
    request: Request, web: TheWeb, draft: TheDraft, number: Number,
    kind: Annotated[str, Form()], widths: Annotated[str, Form()] = "",
    origin: Annotated[str, Form()] = "", length: Annotated[str, Form()] = "",
    steps: Annotated[str, Form()] = "", dates: Annotated[list[str] | None, Form()] = None,
    bins: Annotated[str, Form()] = "", tree: Annotated[str, Form()] = "",
    file: Annotated[str, Form()] = "", text: Annotated[str, Form()] = "",
    lowest: Annotated[str, Form()] = "",
    highest: Annotated[str, Form()] = "", missing: Annotated[str, Form()] = "value",
) -> Response:  # fmt: skip
    """Another hierarchy for a column; one that does not fit its values is not kept."""
    look = seen(web, draft)
    name = look.profile(number).name
    fields = Fields(
        kind=kind, widths=widths, origin=origin, length=length, steps=steps,
        dates=tuple(dates or ()), bins=bins, tree=tree, file=file, text=text,
    )  # fmt: skip
    said = draft.column(name) | {"hierarchy": None, "missing": missing}
    try:
        hierarchy = fields.said(draft)
        height = len(
            shown(spec_of(draft, name, hierarchy), name, _values(web, draft, name)).distinct
        )
        said["hierarchy"] = hierarchy
        said.pop("levels", None)
        if lowest.strip() or highest.strip():
            said["levels"] = [_level(lowest, 0), _level(highest, height - 1)]
    except HedgerowError as error:
        if is_htmx(request):
            return complaint(request, error)
        return _column(request, web, draft, look, number, fields, said, errors=told(error))
    if missing == "value" or missing not in MISSING:
        said.pop("missing")
    draft.edit_column(name, said)
    return back_to(request, f"/data/columns/{number}")


@router.post("/data/columns/{number}/upload", openapi_extra=FILE_FORM)
async def upload(request: Request, web: TheWeb, draft: TheDraft, number: Number) -> Response:
    """A hierarchy file; the form then offers it."""
    with await receive_file(request, draft.files) as file:
        draft.take(file.name, file.path)
    return back_to(request, f"/data/columns/{number}?file={quote(file.name)}")


@router.post("/data/columns/{number}/public")
def give_public(
    request: Request, web: TheWeb, draft: TheDraft, number: Number,
    public: Annotated[str, Form()], low: Annotated[str, Form()] = "",
    high: Annotated[str, Form()] = "", step: Annotated[str, Form()] = "",
    values: Annotated[str, Form()] = "", or_missing: Annotated[str, Form()] = "",
    file: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """What everybody may know of a column's values, for answers with noise."""
    name = seen(web, draft).profile(number).name
    said = {k: v for k, v in draft.column(name).items() if k not in ("bounds", "step", "domain")}
    reference = draft.reference(file) if file in uploaded(draft) else file
    said |= public_said(
        public, low=low, high=high, step=step, values=values, or_missing=bool(or_missing),
        file=reference,
    )  # fmt: skip
    draft.edit_column(name, said)
    return back_to(request, f"/data/columns/{number}#public")


@router.post("/data/columns/{number}/spelling")
def give_spelling(
    request: Request, web: TheWeb, draft: TheDraft, number: Number,
    differ: Annotated[list[str], Form(default_factory=list)],
    spelling: Annotated[str, Form()] = "", unused: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """What becomes of values that a reader may take for one."""
    look = seen(web, draft)
    name = look.profile(number).name
    said, listed = draft.column(name), look.spellings.get(name, ())
    try:
        _require_sensitive(draft, name)
        found = spelling_said(said, listed, spelling=spelling, differ=differ, unused=bool(unused))
    except HedgerowError as error:
        return _column(
            request, web, draft, look, number, _fields(draft, name), said,
            spellings=spellings_shown(said | {"spelling": spelling}, listed, differ),
            spelling_errors=told(error),
        )  # fmt: skip
    draft.edit_column(name, found)
    return back_to(request, f"/data/columns/{number}#spellings")


@router.post("/data/columns/{number}/order")
def give_order(
    request: Request, web: TheWeb, draft: TheDraft, number: Number,
    order: Annotated[str, Form()] = "none", listed: Annotated[str, Form()] = "",
    missing: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """In which order the values stand; one that lacks a place for some value is not kept."""
    look = seen(web, draft)
    name = look.profile(number).name
    said = draft.column(name)
    try:
        _require_sensitive(draft, name)
        values = _values(web, draft, name)
        found = order_said(name, values, order=order, listed=listed, missing=missing)
    except HedgerowError as error:
        return _column(
            request, web, draft, look, number, _fields(draft, name), said,
            order={"order": order, "listed": listed, "missing": missing}, order_errors=told(error),
        )  # fmt: skip
    said = {key: value for key, value in said.items() if key != "order"}
    draft.edit_column(name, said if found is None else said | {"order": found})
    return back_to(request, f"/data/columns/{number}#order")


def _require_sensitive(draft: Draft, name: str) -> None:
    if role_of(draft, name) != Role.SENSITIVE:
        raise PlanError(f"{name!r} is no sensitive column", fix="Give it the role sensitive first.")


def role_of(draft: Draft, name: str) -> str | None:
    """The plan's role of a column; the person column is an identifier."""
    if name == draft.said("person"):
        return str(Role.IDENTIFIER)
    said = draft.column(name).get("role")
    return said if isinstance(said, str) else None


def _column(
    request: Request, web: Web, draft: Draft, look: Look, number: int, fields: Fields,
    said: dict[str, Any], errors: list[Any] | None = None, **forms: Any,
) -> HTMLResponse:  # fmt: skip
    """The page; what somebody has just said in a form stands in it, right or wrong."""
    name = look.profile(number).name
    chosen = request.query_params.get("file", "")
    if chosen in uploaded(draft):
        fields = Fields(kind="csv", file=chosen)
    result, found = _previewed(web, draft, name, fields)
    if not fields.tree and look.profile(number).distinct <= MOST_SORTED:
        values = [value for value in _values(web, draft, name) if value is not None]
        fields = replace(fields, tree="\n".join(values))
    levels, role = said.get("levels"), role_of(draft, name)
    wrong = errors or forms.get("spelling_errors") or forms.get("order_errors")
    if role == Role.SENSITIVE:
        listed = look.spellings.get(name, ())
        forms = {
            "spellings": spellings_shown(said, listed),
            "order": order_fields(said, _values(web, draft, name)),
        } | forms
    return page(
        request, "column.html", step="data", status=422 if wrong else 200, number=number,
        name=name, look=next((c for c in look.data.columns if c.name == name), None),
        profile=look.profile(number), guess=look.guesses[name], role=role,
        roles=list(Role), kinds=KINDS, fields=asdict(fields), preview=result,
        errors=errors or found, levels=levels if isinstance(levels, list) else [],
        coding=None if "coding" not in said else written(said["coding"]),
        missing=said.get("missing", "value"), missing_kinds=MISSING, files=_files(draft, fields),
        public=public_fields(said), public_kinds=PUBLIC,
        before=number - 1 if number else None,
        after=number + 1 if number + 1 < len(look.names) else None,
        spelling_kinds=SPELLING, order_kinds=ORDERS, order_places=PLACES,
        ordered=orders(draft, name), lacks_order=lacks_order(said, look.profile(number)),
        **{"spelling_errors": [], "order_errors": []} | forms,
    )  # fmt: skip


def _previewed(web: Web, draft: Draft, name: str, fields: Fields) -> tuple[Any, list[Any]]:
    try:
        spec = spec_of(draft, name, fields.said(draft))
        return shown(spec, name, _values(web, draft, name)), []
    except HedgerowError as error:
        return None, told(error)


def _values(web: Web, draft: Draft, name: str) -> tuple[str | None, ...]:
    return values_of(web, draft, name) or (None,)


def _fields(draft: Draft, name: str) -> Fields:
    """The plan's hierarchy; where it has none, what is proposed."""
    said = draft.column(name).get("hierarchy")
    return fields_of("suppression" if said is None else said)


def _files(draft: Draft, fields: Fields) -> list[tuple[str, str]]:
    """Files to choose from: those uploaded, and the one the plan names."""
    ours = {draft.reference(name): name for name in uploaded(draft)}
    found = [(name, name) for name in ours.values()]
    if fields.file and fields.file not in ours and fields.file not in ours.values():
        found.append((fields.file, name_of(fields.file)))
    return found


def _level(text: str, default: int) -> int:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else default
