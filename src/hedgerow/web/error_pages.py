"""Errors as the pages show them: the sentences of the command line."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.base.errors import HedgerowError, printable


@dataclass(frozen=True, kw_only=True)
class ErrorView:
    """What is wrong, where, and what would be right."""

    what: str
    where: str | None = None
    fix: str | None = None


def told(error: HedgerowError) -> list[ErrorView]:
    """One for each problem: a wrong plan has all of them at once.

    >>> told(HedgerowError("no such column", where="plan.yaml:3"))
    [ErrorView(what='no such column', where='plan.yaml:3', fix=None)]
    """
    return [
        ErrorView(
            what=printable(one.what, keep="\n"),
            where=None if one.where is None else printable(one.where),
            fix=None if one.fix is None else printable(one.fix, keep="\n"),
        )
        for one in getattr(error, "errors", (error,))
    ]
