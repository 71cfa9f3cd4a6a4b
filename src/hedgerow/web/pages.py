"""Pages and fragments: templates filled, errors told, forms answered."""

from __future__ import annotations

import json
import re
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from hedgerow.api import listed
from hedgerow.base.errors import HedgerowError
from hedgerow.web.error_pages import told
from hedgerow.web.state import WORK, web_of
from hedgerow.web.workspace import table_suffixes

_FORM = re.compile(r'(<form method="post" action="/(?!start/|jobs/)[^"?#]*)(#[^"]*)?"')
"""Where a form of ours begins; in what others wrote, quotes and brackets are escaped."""


def environment() -> Environment:
    """The templates: everything is escaped, and a forgotten value is an error."""
    made = Environment(
        loader=PackageLoader("hedgerow.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["number"] = number
    made.filters["percent"] = percent
    made.filters["size"] = size
    made.filters["listed"] = listed
    made.filters["told"] = told
    made.globals["table_files"] = lambda: ",".join(
        dict.fromkeys(f".{one.rpartition('.')[2]}" for one in table_suffixes())
    )
    made.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)
    return made


def number(value: float | None) -> str:
    """A number for people: thousands apart, six digits at most.

    >>> number(1234567), number(0.12345678), number(None)
    ('1,234,567', '0.123457', '∞')
    """
    if value is None:
        return "∞"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def size(amount: int) -> str:
    r"""Bytes for people.

    >>> size(4_000_000_000), size(50_000)
    ('4\xa0GB', '50\xa0kB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if amount >= factor:
            return f"{amount / factor:.3g}\u00a0{unit}"
    return f"{amount} bytes"


def percent(share: float) -> str:
    r"""A share for people; a little is not nothing.

    >>> percent(0.634), percent(0.0004), percent(0.9996), percent(1.0)
    ('63\xa0%', '<\xa00.1\xa0%', '>\xa099.9\xa0%', '100\xa0%')
    """
    if 0 < share < 0.001:
        return "<\u00a00.1\u00a0%"
    if 0.999 < share < 1:
        return ">\u00a099.9\u00a0%"
    digits = 1 if 0 < share < 0.1 else 0
    return f"{100 * share:.{digits}f}\u00a0%"


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A whole page, or a fragment of one: the template decides.

    Args:
        request: The request.
        template: Its file; a page extends base.html.
        status: Of the answer.
        values: What the template shows. `step` is the name of the step that is shown.
    """
    web = web_of(request)
    draft = web.draft if web.draft is not None and web.draft.exists else None
    shared = {
        "steps": web.steps,
        "step": None,
        "draft": draft,
        "problem": None if draft is None else draft.problem(),
        "asked_by_htmx": is_htmx(request),
    }
    text = web.templates.get_template(template).render(shared | values)
    if draft is not None:
        # Two tabs may be about different work: a form says which it means.
        text = _FORM.sub(rf'\1?{WORK}={draft.name}\2"', text)
    return HTMLResponse(text, status)


def is_htmx(request: Request) -> bool:
    """Whether only a part of the page is wanted."""
    return request.headers.get("hx-request") == "true"


def back_to(request: Request, path: str) -> Response:
    """After a form: see another page; also where htmx asked."""
    if is_htmx(request):
        return Response(status_code=204, headers={"HX-Redirect": path})
    return RedirectResponse(path, 303)


def complaint(request: Request, error: HedgerowError, *, status: int = 422) -> HTMLResponse:
    """An error in the sentences of the command line, as a page or as a part of one."""
    template = "parts/errors.html" if is_htmx(request) else "error.html"
    # The page is about this error; what else is wrong with the plan can wait.
    return page(request, template, status=status, errors=told(error), problem=None)
