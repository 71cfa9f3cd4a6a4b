"""Step 2, the adversaries: who attacks, with what knowledge, and what must hold against them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from hedgerow import Plan
from hedgerow.api import Claim, Role
from hedgerow.api.plan_text import REMOVED, written
from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.web.claim_forms import (
    PLACES,
    STUBBORNNESS,
    attacker_fields,
    attacker_said,
    claim_fields,
    claim_forms,
    claim_said,
    claim_styles,
)
from hedgerow.web.data_look import kept_look
from hedgerow.web.draft import Draft
from hedgerow.web.error_pages import told
from hedgerow.web.hierarchies import name_of, uploaded
from hedgerow.web.order_form import lacks_order, orders
from hedgerow.web.pages import back_to, page
from hedgerow.web.sentences import ATTACKER, CLASSES, parameters, sentence
from hedgerow.web.state import Step, TheDraft, TheWeb, Web
from hedgerow.web.uploads import FILE_FORM, receive_file

STEP = Step(number=2, name="adversaries", title="Adversaries", hint="Who attacks, and what holds")
router = APIRouter(default_response_class=HTMLResponse)
Number = Annotated[int, Path(description="The claim's place in the plan, from 0.")]
Place = Annotated[str, Form(description="The claim to replace; a new one if empty.")]


@router.get("/adversaries")
def show(
    request: Request, web: TheWeb, draft: TheDraft,
    edit: Annotated[int | None, Query(description="A claim to change.")] = None,
    file: Annotated[str, Query(description="A file just uploaded.")] = "",
) -> HTMLResponse:  # fmt: skip
    """The claims as sentences, and forms for more."""
    claims = _claims(draft)
    chosen = claims[edit] if edit is not None and 0 <= edit < len(claims) else None
    name, _ = parameters(chosen)
    sensitive = _columns(draft, Role.SENSITIVE)
    attacker = attacker_fields(chosen if name == ATTACKER else _first_attacker(sensitive))
    if file in uploaded(draft):
        attacker |= {"prior": "file", "file": draft.reference(file)}
    forms = claim_forms()
    plain = claim_fields(chosen if name in forms else {"k-anonymity": 5})
    job = web.jobs.last("check")
    return page(
        request, "adversaries.html", step="adversaries", claims=_shown(draft, claims), edit=edit,
        editing=name, attacker=attacker, plain=plain, forms=forms, places=PLACES,
        classes=CLASSES, sensitive=sensitive, identifiers=_columns(draft, Role.IDENTIFIER),
        files=_files(draft, attacker, plain), stubbornness=STUBBORNNESS,
        sentences={"attacker": _sentence(draft, lambda: _said(draft, attacker))},
        job=job, current=job is not None and job.mark == draft.mark,
        unordered=_unordered(web, draft, sensitive),
    )  # fmt: skip


class ClaimFields(BaseModel):
    """The form of a claim: fields that claims share, and for each claim those of its own."""

    model_config = ConfigDict(extra="allow")

    claim: str = ""
    first: str = ""
    second: str = ""
    third: str = ""
    of: str = ""
    value: str = ""
    population: str = ""
    knows: str = ""
    place: Annotated[str, Field(description="The claim to replace; a new one if empty.")] = ""

    def said(self, draft: Draft) -> dict[str, Any]:
        """The claim as the plan writes it.

        Raises:
            PlanError: A field is not what it should be.
        """
        fields = {key: text for key, text in self.model_dump().items() if isinstance(text, str)}
        return claim_said(self.claim, fields | {"population": _reference(draft, self.population)})


@router.get("/adversaries/claims.css")
def style() -> Response:
    """Which fields of the form belong to which claim."""
    return Response(claim_styles(), media_type="text/css")


@router.post("/adversaries/claims")
def keep_claim(request: Request, draft: TheDraft, form: Annotated[ClaimFields, Form()]) -> Response:
    """One claim more, or another one in its place."""
    said = form.said(draft)
    _checked(draft, said)
    _keep(draft, said, form.place)
    return back_to(request, "/adversaries")


@router.post("/adversaries/attackers")
def keep_attacker(
    request: Request, draft: TheDraft, epsilon: Annotated[str, Form()],
    who: Annotated[str, Form()], prior: Annotated[str, Form()] = "table",
    of: Annotated[str, Form()] = "", file: Annotated[str, Form()] = "",
    column: Annotated[str, Form()] = "", count: Annotated[str, Form()] = "",
    stubbornness: Annotated[str, Form()] = "", knows: Annotated[str, Form()] = "",
    known: Annotated[str, Form()] = "", by: Annotated[str, Form()] = "",
    secrets: Annotated[str, Form()] = "", negative: Annotated[str, Form()] = "",
    place: Place = "",
) -> Response:  # fmt: skip
    """One attacker more, or another one in their place."""
    fields = {
        "of": of, "epsilon": epsilon, "who": who, "prior": prior, "file": file, "column": column,
        "count": count, "stubbornness": stubbornness, "knows": knows, "known": known, "by": by,
        "secrets": secrets, "negative": bool(negative),
    }  # fmt: skip
    said = _said(draft, fields)
    _checked(draft, said)
    _keep(draft, said, place)
    return back_to(request, "/adversaries")


@router.post("/adversaries/attackers/sentence")
def tell_attacker(
    request: Request, draft: TheDraft, epsilon: Annotated[str, Form()] = "",
    who: Annotated[str, Form()] = "", prior: Annotated[str, Form()] = "table",
    of: Annotated[str, Form()] = "", file: Annotated[str, Form()] = "",
    column: Annotated[str, Form()] = "", count: Annotated[str, Form()] = "",
    stubbornness: Annotated[str, Form()] = "", knows: Annotated[str, Form()] = "",
    known: Annotated[str, Form()] = "", by: Annotated[str, Form()] = "",
    secrets: Annotated[str, Form()] = "", negative: Annotated[str, Form()] = "",
) -> HTMLResponse:  # fmt: skip
    """The attacker of the form as a sentence; nothing is kept."""
    fields = {
        "of": of, "epsilon": epsilon, "who": who, "prior": prior, "file": file, "column": column,
        "count": count, "stubbornness": stubbornness, "knows": knows, "known": known, "by": by,
        "secrets": secrets, "negative": bool(negative),
    }  # fmt: skip
    shown = _sentence(draft, lambda: _said(draft, fields))
    return page(request, "parts/sentence.html", shown=shown)


@router.post("/adversaries/claims/sentence")
def tell_claim(
    request: Request, draft: TheDraft, form: Annotated[ClaimFields, Form()]
) -> HTMLResponse:
    """The claim of the form as a sentence; nothing is kept."""
    shown = _sentence(draft, lambda: form.said(draft))
    return page(request, "parts/sentence.html", shown=shown)


@router.post("/adversaries/claims/{number}/remove")
def remove(request: Request, draft: TheDraft, number: Number) -> Response:
    """One claim less."""
    if not 0 <= number < len(_claims(draft)):
        raise PlanError("there is no such claim", fix="Choose one of those shown.")
    draft.edit(("protect", number), REMOVED)
    return back_to(request, "/adversaries")


@router.post("/adversaries/upload", openapi_extra=FILE_FORM)
async def upload(request: Request, draft: TheDraft) -> Response:
    """What an attacker may have seen: statistics, a list of people, a population."""
    from urllib.parse import quote

    with await receive_file(request, draft.files) as file:
        draft.take(file.name, file.path)
    return back_to(request, f"/adversaries?file={quote(file.name)}#attacker")


@router.post("/adversaries/check")
def check(request: Request, web: TheWeb, draft: TheDraft) -> Response:
    """Measure the claims on the table as it is."""
    draft.plan()
    web.jobs.process(
        "hedgerow.web.work:check", {"plan": draft.text, "folder": str(draft.base)}, kind="check",
        title="Measuring the table as it is", back="/adversaries", mark=draft.mark,
    )  # fmt: skip
    return back_to(request, "/adversaries")


def _first_attacker(sensitive: list[str]) -> dict[str, Any]:
    """What the form begins with: somebody who knows the shares of the table, moderately sure."""
    about = {"of": sensitive[0]} if sensitive else {}
    adversary = {"class": "I", "prior": "table", "stubbornness": 10_000}
    return {ATTACKER: about | {"epsilon": 3, "adversary": adversary}}


def _claims(draft: Draft) -> list[Any]:
    found = draft.data().get("protect")
    return found if isinstance(found, list) else []


def _shown(draft: Draft, claims: list[Any]) -> list[dict[str, Any]]:
    """Each claim as a sentence, with the name it has on a certificate where the plan is right."""
    names = _names(draft)
    return [
        {
            "sentence": sentence(claim),
            "names": names.get(number, []),
            "attacker": parameters(claim)[0] == ATTACKER,
            "editable": parameters(claim)[0] in (ATTACKER, *claim_forms()),
        }
        for number, claim in enumerate(claims)
    ]


def _names(draft: Draft) -> dict[int, list[str]]:
    try:
        plan = draft.plan()
        sensitive = plan.schema().sensitive
        return {
            number: [str(model) for model in claim.models(sensitive, null=plan.null)]
            for number, claim in enumerate(plan.protect)
            if isinstance(claim, Claim)
        }
    except HedgerowError:
        return {}


def _columns(draft: Draft, role: Role) -> list[str]:
    return [name for name in draft.planned if draft.column(name).get("role") == str(role)]


def _said(draft: Draft, fields: dict[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in fields.items() if key != "kept"}
    given |= {key: _reference(draft, given[key]) for key in ("file", "known")}
    return attacker_said(**given)


def _sentence(draft: Draft, said: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        claim = said()
        _checked(draft, claim)
        return {"sentence": sentence(claim), "errors": []}
    except HedgerowError as error:
        return {"sentence": None, "errors": told(error)}


def _checked(draft: Draft, said: dict[str, Any]) -> None:
    """Refuse a claim that would be wrong in any plan, in the words of the command line.

    Raises:
        PlanError: What is wrong with it.
    """
    sensitive = _columns(draft, Role.SENSITIVE) or ["a sensitive column"]
    columns = {"quasi": {"role": "quasi-identifier"}}
    columns |= {name: {"role": "sensitive"} | _distances(draft, name) for name in sensitive}
    columns |= {name: {"role": "identifier"} for name in _columns(draft, Role.IDENTIFIER)}
    text = written({"columns": columns, "protect": [said]}, block=True)
    try:
        draft.refuse_foreign(Plan.parse(text, name="plan.yaml", folder=draft.base))
    except HedgerowError as error:
        first = getattr(error, "errors", (error,))[0]
        raise PlanError(first.what, fix=first.fix) from None


def _distances(draft: Draft, name: str) -> dict[str, Any]:
    found = draft.column(name).get("hierarchy")
    return {} if found is None else {"hierarchy": found}


def _keep(draft: Draft, said: dict[str, Any], place: str) -> None:
    claims = _claims(draft)
    at = int(place) if place.isascii() and place.isdigit() and len(place) < 6 else len(claims)
    if not claims:
        draft.edit(("protect",), [said])
    else:
        draft.edit(("protect", min(at, len(claims))), said)


def _reference(draft: Draft, file: str) -> str:
    """A file as the plan names it, from what the form's list offered."""
    return draft.reference(file) if file in uploaded(draft) else file


def _files(draft: Draft, attacker: dict[str, Any], plain: dict[str, str]) -> list[tuple[str, str]]:
    """Files to choose from: those uploaded, and those the plan names in claims."""
    found = {draft.reference(name): name for name in uploaded(draft)}
    for claim in _claims(draft):
        fields = attacker_fields(claim)
        for file in (fields["file"], fields["known"], claim_fields(claim)["population"]):
            if file:
                found.setdefault(file, name_of(file))
    for file in (attacker["file"], attacker["known"], plain["population"]):
        if file:
            found.setdefault(file, name_of(file))
    return sorted(found.items(), key=lambda pair: pair[1])


def _unordered(web: Web, draft: Draft, sensitive: list[str]) -> list[dict[str, Any]]:
    """Columns of which a claim takes an order that nobody has stated, where that is known."""
    look = kept_look(web, draft)
    if look is None:
        return []
    return [
        {"name": profile.name, "number": number}
        for number, profile in enumerate(look.profiles)
        if profile.name in sensitive
        and orders(draft, profile.name)
        and lacks_order(draft.column(profile.name), profile)
    ]
