"""Step 1, the data: what each column is, who stands out, how values become coarser."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from hedgerow.errors import HedgerowError, PlanError
from hedgerow.person_keys import question
from hedgerow.schema import Role
from hedgerow.web.draft import Draft
from hedgerow.web.editing import REMOVED, data_of, without_guess
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
from hedgerow.web.jobs import Job
from hedgerow.web.looking import Look, look_at, seen, values_of
from hedgerow.web.pages import back_to, complaint, is_htmx, page
from hedgerow.web.public_values import PUBLIC, public_fields, public_said
from hedgerow.web.state import Step, TheDraft, TheWeb, Web
from hedgerow.web.telling import told
from hedgerow.web.uploading import FILE_FORM, receive_file

STEP = Step(number=1, name="data", title="Data", hint="What each column is to an attacker")
MISSING = {
    "value": "a value like others",
    "suppress": "leave such people out",
    "refuse": "refuse to publish",
}
router = APIRouter(default_response_class=HTMLResponse)
Number = Annotated[int, Path(description="The column's place in the table, from 0.")]


@router.get("/data")
def show(request: Request, web: TheWeb, draft: TheDraft) -> HTMLResponse:
    """Every column, with its role, and who stands out by which of them."""
    look = look_at(web, draft)
    if isinstance(look, Job):
        return page(request, "looking.html", step="data", job=look)
    known = {*look.names}
    looks = {column.name: column for column in look.data.columns}
    columns = [
        {
            "number": number,
            "name": name,
            "look": looks.get(name),
            "guess": look.guesses[name],
            "role": _role(draft, name),
            "coarser": _coarser(draft, name),
        }
        for number, name in enumerate(look.names)
    ]
    return page(
        request, "data.html", step="data", data=look.data, columns=columns, roles=list(Role),
        person=draft.said("person"), population=draft.said("population"),
        null=draft.said("null"), unknown=[name for name in draft.planned if name not in known],
        worst=_worst(draft, look), stated=draft.said("one_row_per_person") is True,
        keys=[(key, question(key, person=draft.said("person") or None)) for key in look.keys],
    )  # fmt: skip


@router.post("/data/again")
def again(request: Request, web: TheWeb, draft: TheDraft) -> Response:
    """Look at the table once more, after it could not be read."""
    seen(web, draft)
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
    elif column not in names or answer not in ("person", "no key"):
        raise PlanError("that is no answer", fix="Choose one of those shown.")
    elif answer == "no key":
        draft.edit_column(column, draft.column(column) | {"key": False})
    else:
        _give_role(draft, seen(web, draft), column, Role.IDENTIFIER)
        draft.edit(("person",), column)
    return back_to(request, "/data")


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


@router.get("/data/columns/{number}")
def show_column(request: Request, web: TheWeb, draft: TheDraft, number: Number) -> HTMLResponse:
    """One column: its values, its role, its hierarchy, what is public of it."""
    look = seen(web, draft)
    name = look.profile(number).name
    said = draft.column(name)
    return _column(request, web, draft, look, number, _fields(draft, look, name), said)


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
    file: Annotated[str, Form()] = "",
) -> HTMLResponse:  # fmt: skip
    """What a hierarchy would do to the column's values; nothing is kept."""
    name = seen(web, draft).profile(number).name
    fields = Fields(
        kind=kind, widths=widths, origin=origin, length=length, steps=steps,
        dates=tuple(dates or ()), bins=bins, tree=tree, file=file,
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
    file: Annotated[str, Form()] = "", lowest: Annotated[str, Form()] = "",
    highest: Annotated[str, Form()] = "", missing: Annotated[str, Form()] = "value",
) -> Response:  # fmt: skip
    """Another hierarchy for a column; one that does not fit its values is not kept."""
    look = seen(web, draft)
    name = look.profile(number).name
    fields = Fields(
        kind=kind, widths=widths, origin=origin, length=length, steps=steps,
        dates=tuple(dates or ()), bins=bins, tree=tree, file=file,
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
    return back_to(request, f"/data/columns/{number}?file={_quoted(file.name)}")


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


def _column(
    request: Request, web: Web, draft: Draft, look: Look, number: int, fields: Fields,
    said: dict[str, Any], errors: list[Any] | None = None,
) -> HTMLResponse:  # fmt: skip
    name = look.profile(number).name
    chosen = request.query_params.get("file", "")
    if chosen in uploaded(draft):
        fields = Fields(kind="csv", file=chosen)
    result, found = _previewed(web, draft, name, fields)
    if not fields.tree and look.profile(number).distinct <= MOST_SORTED:
        values = [value for value in _values(web, draft, name) if value is not None]
        fields = replace(fields, tree="\n".join(values))
    levels = said.get("levels")
    return page(
        request, "column.html", step="data", status=422 if errors else 200, number=number,
        name=name, look=next((c for c in look.data.columns if c.name == name), None),
        profile=look.profile(number), guess=look.guesses[name], role=_role(draft, name),
        roles=list(Role), kinds=KINDS, fields=asdict(fields), preview=result,
        errors=errors or found, levels=levels if isinstance(levels, list) else [],
        missing=said.get("missing", "value"), missing_kinds=MISSING, files=_files(draft, fields),
        public=public_fields(said), public_kinds=PUBLIC, people=look.data.people,
        before=number - 1 if number else None,
        after=number + 1 if number + 1 < len(look.names) else None,
    )  # fmt: skip


def _previewed(web: Web, draft: Draft, name: str, fields: Fields) -> tuple[Any, list[Any]]:
    try:
        spec = spec_of(draft, name, fields.said(draft))
        return shown(spec, name, _values(web, draft, name)), []
    except HedgerowError as error:
        return None, told(error)


def _values(web: Web, draft: Draft, name: str) -> tuple[str | None, ...]:
    return values_of(web, draft, name) or (None,)


def _give_role(draft: Draft, look: Look, name: str, role: Role) -> None:
    said = draft.column(name) | {"role": str(role)}
    if role is not Role.QUASI_IDENTIFIER:
        said.pop("levels", None)
    if role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        said.pop("hierarchy", None)
    if role is Role.IDENTIFIER:
        said = {"role": str(role)}
    guessed = look.guesses[name].hierarchy
    if role is Role.QUASI_IDENTIFIER and "hierarchy" not in said and guessed is not None:
        said["hierarchy"] = data_of(guessed)
    draft.edit_column(name, said)
    if role is not look.guesses[name].role:
        draft.write(without_guess(draft.text, ("columns", name)))


def _fields(draft: Draft, look: Look, name: str) -> Fields:
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


def _role(draft: Draft, name: str) -> str | None:
    if name == draft.said("person"):
        return str(Role.IDENTIFIER)
    said = draft.column(name).get("role")
    return said if isinstance(said, str) else None


def _worst(draft: Draft, look: Look) -> list[list[Any]]:
    """Of three, two and one columns that an attacker may know, those that single out most."""
    known = {n for n in look.names if _role(draft, n) in (None, str(Role.QUASI_IDENTIFIER))}
    return [
        [found for found in look.data.worst(together) if known.issuperset(found.columns)][:5]
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
        "csv": name_of(fields.file) if fields.file else "",
    }
    if said.get("role") == Role.SENSITIVE and "hierarchy" not in said:
        return None
    return words.get(fields.kind)


def _level(text: str, default: int) -> int:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else default


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name)
