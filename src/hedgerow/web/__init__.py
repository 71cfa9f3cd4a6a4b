"""The local web app: six steps from a table to a published release, in the browser.

Nothing here is imported by anything but `hedgerow explore`: the command line starts without it.

**One plan.** Everything a page changes is the plan's text (`draft.py`), a file of the workspace.
`draft.edit(place, value)` changes one value and keeps comments, `draft.edit_column(name, said)`
what is said of a column, `draft.plan()` is the `Plan` or raises what the command line would say,
`draft.data()` is what the text says, right or wrong. A page never refuses an edit because the
plan is not complete yet: it is kept, and every page shows what is wrong with it.

**A step** is a module of `steps/` with a `STEP` and a `router`; it is found by being there.

    STEP = Step(number=4, name="attack", title="Attack", hint="What attackers find out")
    router = APIRouter(default_response_class=HTMLResponse)

    @router.get("/attack")
    def show(request: Request, web: TheWeb, draft: TheDraft) -> HTMLResponse:
        return page(request, "attack.html", step="attack", job=web.jobs.last("attack"))

    @router.post("/attack/start")
    def start(request: Request, web: TheWeb, draft: TheDraft,
              method: Annotated[str, Form()] = "") -> Response:
        request = {"plan": draft.text, "folder": str(draft.base), "method": method}
        web.jobs.process("hedgerow.web.work:attack", request, kind="attack", title="Attacking",
                         back="/attack", mark=draft.mark)
        return back_to(request, "/attack")

Routes are plain `def`s, which run in threads; only uploads are `async`. Every parameter is
declared (path, `Form`, `Query`), so that it stands in the OpenAPI description and is tried with
nonsense by the tests. A form posts, the answer is `back_to(request, path)`: a reload repeats
nothing. Without an open table `TheDraft` leads to the page that opens one.

**Templates** extend `base.html` and fill `block main`; its macros are `ui`: `ui.errors(found)`,
`ui.role(name)`, `ui.verdict(holds)`, `ui.job(job)`, `ui.chart(figure, name)`. Fragments for htmx
lie in `templates/parts/`. The policy of the pages (`security.POLICY`) forbids inline scripts and
styles: behaviour goes to a file in `static/`, looks to `static/hedgerow.css`; bars are SVG,
`<meter>` or `<progress>`. htmx may use `hx-get`, `hx-post`, `hx-target`, `hx-trigger`, but
nothing that evaluates (`hx-on`, filters in brackets, `js:`).

**Errors**: raise a `HedgerowError`, the app tells it: as a page, or as a fragment where htmx
asked, with status 422. Or catch it and give `told(error)` to `ui.errors`, beside its form.

**Long work**: `web.jobs.process("module:function", request, ...)` runs `function(request,
progress)` in a process of its own, for what publishes or attacks; request and result are JSON.
`web.jobs.thread(function, ...)` runs `function(progress)` in a thread, for what shares memory.
`progress("counting", 0.3)` reports. `ui.job(job)` shows how it stands and loads the page anew
when it is over; the page then shows `web.jobs.last(kind).result`, also after a restart. `mark`
says which state of the plan a result belongs to: compare it with `draft.mark`.

**What is quick once it is there**: `web.kept.get(key, make)` makes a thing once and keeps it in
memory, such as `web.kept.get((draft.name, draft.mark, "lattice"), count)`.

**A chart**: give the template a `Figure` from a function of `api`, and write `{{ ui.chart(figure,
"Risk against utility") }}` with a data table beside it. It is drawn on the server, as SVG that
names its colours by classes; `/charts.css` has them, for light and dark.

**A file of the client's**: `with await receive_file(request, draft.files) as file`, then move
`file.path` to `draft.files / file.name`; the route is `async`, its path ends in `/upload`, and it
has `openapi_extra=FILE_FORM`. The plan names it by `draft.reference(name)`. To read one back use
`inside(folder, name)`: never join a client's text to a path.

**Tests**: `tests/web/webbing.py` has `Visitor` (the app in process, through its gate) and
`served` (the real server and Chromium), for which `tests/web/conftest.py` has fixtures.
"""
