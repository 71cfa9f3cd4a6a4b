"""A report as one HTML file that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound
from markupsafe import Markup

from hedgerow.base.errors import printable
from hedgerow.base.version import __version__
from hedgerow.reports.blocks import Chart, Commands, Section, Table, Text

GENERATOR = f"hedgerow {__version__}"
"""What a report says made it."""


def rendered(
    *,
    kind: str,
    title: str,
    lead: str,
    sections: Sequence[Section],
    warning: str = "",
    marks: dict[str, str] | None = None,
) -> str:
    """The page.

    Args:
        kind: "external" or "internal".
        title: Its heading.
        lead: The paragraph under it.
        sections: What follows.
        warning: Stands above everything, where there is one.
        marks: Further names and contents of `meta` elements.
    """
    style = _shipped("page.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            kind=kind,
            title=title,
            lead=lead,
            sections=sections,
            warning=warning,
            marks={"generator": GENERATOR, "hedgerow-report": kind} | (marks or {}),
            style=Markup(style),  # noqa: S704 - shipped with the package
            digest=digest,
        )
        + "\n"
    )


def is_report(text: str, kind: str) -> bool:
    """Whether a file is a report of ours, of this kind."""
    return text.startswith("<!DOCTYPE html>") and f'name="hedgerow-report" content="{kind}"' in text


def made_by(text: str) -> str | None:
    """What a report says made it; None where it does not say."""
    _, found, rest = text.partition('<meta name="generator" content="')
    return rest.partition('"')[0] if found else None


class _Shipped(BaseLoader):
    """Templates from inside the package, wherever that is."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Any]:
        try:
            return _shipped(template), None, lambda: True
        except FileNotFoundError:
            raise TemplateNotFound(template) from None


def _shipped(name: str) -> str:
    return (files("hedgerow.reports") / "templates" / name).read_text("utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=_Shipped(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_tame,
    )
    environment.tests.update(
        {
            "paragraph": lambda block: isinstance(block, Text),
            "commands": lambda block: isinstance(block, Commands),
            "grid": lambda block: isinstance(block, Table),
            "chart": lambda block: isinstance(block, Chart),
        }
    )
    environment.filters["drawn"] = lambda chart: Markup(chart.svg)  # noqa: S704 - svg.py escapes
    return environment


def _tame(value: Any) -> Any:
    """Control characters, and those that turn the direction of text, are written out."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(value)
    return value
