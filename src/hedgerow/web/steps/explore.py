"""Step 3, Explore: every combination of levels at once; choose one and see the table after it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from hedgerow.api import belief_claims, epsilon_at, fixed, level_in_words, preview, steps
from hedgerow.api.plan_text import REMOVED
from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.web import lattice_view as view
from hedgerow.web.draft import Draft
from hedgerow.web.error_pages import told
from hedgerow.web.jobs import PageJob
from hedgerow.web.lattices import lattice_of, mark_of, moved, ready
from hedgerow.web.pages import back_to, page
from hedgerow.web.state import Step, TheDraft, TheWeb, Web

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hedgerow import EpsilonPrivacy
    from hedgerow.explore.frontier import FrontierPoint, Stubborn
    from hedgerow.explore.levers import Lever

STEP = Step(number=3, name="explore", title="Explore", hint="Weigh claims against usefulness")
router = APIRouter(default_response_class=HTMLResponse)

Node = Annotated[str, Query(description="Levels of the columns, with commas between them.")]
Moved = Annotated[
    list[str], Query(default_factory=list, alias="set", description="Such as 0.k=7, or none.")
]
Suppress = Annotated[
    float | None, Query(ge=0, le=1, description="Share of people who may be left out.")
]


@router.get("/explore")
def show(
    request: Request, web: TheWeb, draft: TheDraft, moves: Moved, node: Node = "",
    suppress: Suppress = None,
) -> HTMLResponse:  # fmt: skip
    """The lattice, with what can be moved; or how far the counting is."""
    try:
        plan = draft.plan()
        found = lattice_of(web, draft, plan)
    except HedgerowError as error:
        return page(request, "explore_not.html", step=STEP.name, job=None, errors=told(error))
    if isinstance(found, PageJob):
        return page(request, "explore_not.html", step=STEP.name, job=found, errors=[])
    try:
        setting = view.Setting.read(found, moves, suppress)
        levels = view.levels_of(found, node) if node else None
    except PlanError:  # an address of another plan
        setting, levels = view.Setting.read(found, [], None), None
    seen = setting.survey(patient=False)
    levels = view.start_of(found, seen) if levels is None else levels
    return page(
        request, "explore.html", step=STEP.name, setting=setting,
        columns=view.columns(found), levels=levels, chosen=fixed(plan),
        start=",".join(str(level) for level in levels.values()),
        nodes=found.lattice.size, complete=found.complete, shown=len(seen.nodes),
        summary=view.summary(found, seen), standing=view.standing_of(found, seen),
        frontiers=setting.levers,
    )  # fmt: skip


@router.post("/explore/again")
def again(request: Request, web: TheWeb, draft: TheDraft) -> Response:
    """Count once more, where it failed or was cancelled."""
    lattice_of(web, draft, draft.plan(), again=True)
    return back_to(request, STEP.path)


@router.get("/explore/survey.json")
def survey(
    web: TheWeb, draft: TheDraft, moves: Moved, node: Node = "", suppress: Suppress = None,
    patient: Annotated[bool, Query(description="Whether to decide everything.")] = False,
) -> JSONResponse:  # fmt: skip
    """Which claims every node keeps, whom it leaves out, and what it costs."""
    found = ready(web, draft)
    first: tuple[int, ...] = ()
    if node:
        levels = view.levels_of(found, node)
        found = moved(web, draft, found, levels)
        place = found.place(levels)
        assert place is not None, "it was moved there"
        first = (place, *found.neighbours(place))
    setting = view.Setting.read(found, moves, suppress)
    return JSONResponse(view.answer(setting, setting.survey(first=first, patient=patient)))


@router.get("/explore/node")
def node_details(
    request: Request, web: TheWeb, draft: TheDraft, moves: Moved, node: Node,
    suppress: Suppress = None,
) -> HTMLResponse:  # fmt: skip
    """One node: claims, people left out, the table before and after."""
    found = ready(web, draft)
    setting = view.Setting.read(found, moves, suppress)
    levels = view.levels_of(found, node)
    shown = preview(found, levels, setting.models, suppress=setting.suppress)
    against = belief_claims(setting.models)
    return page(
        request, "parts/explore_node.html", shown=shown, node=node, setting=setting,
        columns=view.columns(found), metric=found.metric.name,
        limit=found.limit(setting.suppress), level_in_words=level_in_words,
        moves=[f"{name}={value}" for name, value in setting.moves.items()],
        chosen=fixed(found.plan) == levels and not setting.changed,
        widest=max([bar.people for bar in (*shown.sizes, *shown.before)], default=1),
        stubborn=[_stubborn(model, epsilon_at(found, levels, model)) for model in against],
    )  # fmt: skip


@router.get("/explore/nodes")
def table(
    request: Request, web: TheWeb, draft: TheDraft, moves: Moved, suppress: Suppress = None
) -> HTMLResponse:
    """The picture of the lattice as a table: its best nodes."""
    found = ready(web, draft)
    seen = view.Setting.read(found, moves, suppress).survey()
    return page(
        request, "parts/explore_nodes.html", lines=view.cheapest(found, seen), seen=seen,
        columns=view.columns(found), metric=found.metric.name,
    )  # fmt: skip


@router.get("/explore/frontier")
def frontier_table(
    request: Request, web: TheWeb, draft: TheDraft, moves: Moved, node: Node,
    suppress: Suppress = None, lever: Annotated[str, Query()] = "",
) -> HTMLResponse:  # fmt: skip
    """What each step of a claim costs: the chart and its table."""
    from hedgerow.api import frontier_chart

    found = ready(web, draft)
    setting = view.Setting.read(found, moves, suppress)
    one = _lever(setting, lever)
    here = preview(found, view.levels_of(found, node), setting.models, suppress=setting.suppress,
                   rows=0)  # fmt: skip
    taken = _steps(web, draft, setting, one)
    drawn = frontier_chart(taken, one, metric=found.metric.name, now=setting.value(one),
                           chosen=here.cost if here.keeps else None)  # fmt: skip
    return page(
        request, "parts/explore_frontier.html", lever=one, metric=found.metric.name, steps=taken,
        now=setting.value(one), drawn=drawn, undefined=math.isnan, complete=found.complete,
        levels=[None if step.place is None else found.levels(step.place) for step in taken],
    )  # fmt: skip


@router.post("/explore/use")
def use(
    request: Request, web: TheWeb, draft: TheDraft, node: Annotated[str, Form()],
    moves: Annotated[list[str], Form(default_factory=list, alias="set")],
    suppress: Annotated[float | None, Form(ge=0, le=1)] = None,
) -> Response:  # fmt: skip
    """Write the node into the plan, with the claims as they were moved."""
    found = ready(web, draft)
    setting = view.Setting.read(found, moves, suppress)
    levels = view.levels_of(found, node)
    for lever in setting.levers:
        if setting.value(lever) != lever.value:
            _write_lever(draft, lever, setting.value(lever))
    if setting.suppress != float(found.plan.method.suppress):
        _write_method(draft, "suppress", setting.suppress)
    for name, level in levels.items():
        draft.edit_column(name, draft.column(name) | {"levels": [level, level]})
    return back_to(request, STEP.path)


@router.post("/explore/free")
def free(request: Request, web: TheWeb, draft: TheDraft) -> Response:
    """Let `publish` choose the levels again."""
    for name in draft.plan().schema().quasi_identifiers:
        if "levels" in draft.column(name):
            draft.edit(("columns", name, "levels"), REMOVED)
    return back_to(request, STEP.path)


def _stubborn(model: EpsilonPrivacy, rows: Sequence[Stubborn]) -> dict[str, Any]:
    """A claim about adversaries at a node: its table, and its chart if anything is finite."""
    from hedgerow.api import epsilon_chart

    try:
        drawn = epsilon_chart(rows, required=float(model.epsilon))
    except HedgerowError:
        drawn = None
    return {"claim": str(model), "rows": rows, "drawn": drawn}


def _lever(setting: view.Setting, name: str) -> Lever:
    found = [lever for lever in setting.levers if lever.name == name] or [*setting.levers]
    if not found:
        raise PlanError("the claims have no parameter to move", fix="Add one to the plan.")
    return found[0]


def _steps(
    web: Web, draft: Draft, setting: view.Setting, lever: Lever
) -> tuple[FrontierPoint, ...]:
    """Kept, since the chart and its table both ask for it."""
    found = setting.exploration
    others = tuple(sorted((k, v) for k, v in setting.moves.items() if k != lever.name))
    near = None if found.complete else found.profile.nodes.tobytes()
    key = (draft.name, mark_of(draft, found.plan), draft.mark, lever.name, others,
           setting.suppress, near)  # fmt: skip
    return web.kept.get(key, lambda: steps(found, lever, setting.models, suppress=setting.suppress))


def _write_lever(draft: Draft, lever: Lever, value: float) -> None:
    """A parameter in the plan's text, which may stand there in short: `- k-anonymity: 5`."""
    said: Any = draft.data()
    value = int(value) if value == int(value) else value
    above = lever.place[:-1]
    for part in above:
        # A claim that stands alone in its line holds a number, and an adversary may be a word.
        said = said[part] if isinstance(said, dict) or isinstance(part, int) else None
    if isinstance(said, dict):
        draft.edit(lever.place, value)
    else:
        draft.edit(above, value)


def _write_method(draft: Draft, key: str, value: Any) -> None:
    said = draft.data().get("method")
    if said is None or isinstance(said, dict):
        draft.edit(("method", key), value)
    else:
        draft.edit(("method",), {"search": said, key: value})
