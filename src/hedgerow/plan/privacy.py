"""Answers and releases with noise: who is protected, and what has to be public for them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from hedgerow.base.errors import PlanError, nearest, some
from hedgerow.base.problems import Place, Problem
from hedgerow.plan.column_sets import ColumnSet
from hedgerow.plan.fields import PlanMapping, Whole
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan
    from hedgerow.table.domain import Domain

MOST_TABLES = 10_000
"""Tables of one release; the noise of so many leaves nothing to see in any."""
EXAMPLE = "privacy: {neighbours: add-remove}"
KINDS = (
    "add-remove is about whether a person is in the table, change-one about a person's values, "
    "where how many people there are is public"
)


class PrivacyPlan(PlanMapping):
    """What answers with noise hide: one person, with so many rows."""

    brief: ClassVar[str] = "neighbours"

    neighbours: Literal["add-remove", "change-one"] = Field(
        description="Which two tables must look nearly alike. add-remove: with and without a "
        "person. change-one: with other values of a person; how many people there are is public."
    )
    rows: Whole | None = Field(
        default=None,
        description="The most rows of one person that count; needed where `person` is given.",
    )


def needed(person: str | None, *, rows: int = 3) -> str:
    """What to add to a plan that does not say who is protected.

    Args:
        person: The column that says whose row it is.
        rows: An example of how many rows of a person count.
    """
    if person is None:
        return f"Add `{EXAMPLE}`, or change-one: {KINDS}."
    return (
        f"Add `{EXAMPLE[:-1]}, rows: {rows}}}`, or change-one: {KINDS}; rows is the most rows of "
        "one person that count."
    )


def privacy_contradicts(plan: Plan, broken: frozenset[str]) -> Iterable[Problem]:
    """What is wrong about neighbours, domains and a randomised release."""
    if plan.privacy is not None and "person" not in broken:
        yield from _rows_contradict(plan)
    if "columns" not in broken:
        yield from _missing_contradicts(plan)
    if plan.method.search == "marginals":
        yield from _release_contradicts(plan, broken)
        if "columns" not in broken:
            yield from _columns_contradict(plan)
            yield from _tables_contradict(plan)


def _rows_contradict(plan: Plan) -> Iterable[Problem]:
    assert plan.privacy is not None, "asked only where it is given"
    rows, kind = plan.privacy.rows, plan.privacy.neighbours
    if plan.person is not None and rows is None:
        yield Problem(
            ("privacy",),
            f"people are told apart by {plan.person!r} and may have several rows, and nothing "
            "says how many of one person count",
            f"Write `privacy: {{neighbours: {kind}, rows: 1}}`: of a person with more rows one "
            "counts."
            if plan.method.search == "safe"
            else f"Write `privacy: {{neighbours: {kind}, rows: 3}}`, with your own number: the "
            "more, the more noise; rows beyond are not counted.",
        )
    if plan.person is None and rows not in (None, 1):
        yield Problem(
            ("privacy", "rows"),
            f"without `person` every row is a person, so rows cannot be {rows}",
            "Leave it out, or say whose row it is: `person: patient_id`.",
        )


def _missing_contradicts(plan: Plan) -> Iterable[Problem]:
    """A text that is read as missing is nobody's value."""
    for name, column in plan.columns.items():
        if isinstance(column.domain, tuple):
            for place, value in enumerate(column.domain):
                if value is not None and value in plan.null:
                    what, fix = _read_as_missing([value])
                    yield Problem(("columns", name, "domain", place), what, fix)


def _read_as_missing(values: Iterable[str]) -> tuple[str, str]:
    """What is said of texts in a domain that `null` takes for missing values."""
    return (
        f"{some(values)}: read as missing, says `null`, so nobody has such a value",
        "Leave it out; null, or an empty value in a file, stands for missing values.",
    )


def _release_contradicts(plan: Plan, broken: frozenset[str]) -> Iterable[Problem]:
    if plan.privacy is None and "privacy" not in broken:
        yield Problem(
            ("method", "search"), "marginals have noise, and nothing says who is hidden by it",
            needed(plan.person),
        )  # fmt: skip
    if plan.protect:
        yield Problem(
            ("protect",),
            "a randomised release has no groups of people that could keep claims; its promise is "
            "its epsilon (or rho)",
            "Leave `protect` out, or use another search.",
        )
    if "utility" in plan.model_fields_set:
        yield Problem(
            ("utility",), "utility has no meaning for marginals, which have no recoding to choose",
            "Leave it out.",
        )  # fmt: skip


def _columns_contradict(plan: Plan) -> Iterable[Problem]:
    for name, column in plan.columns.items():
        if column.levels is not None:
            yield Problem(
                ("columns", name, "levels"), "marginals have no levels to choose from",
                "Leave them out.",
            )  # fmt: skip
        if column.missing != "value":
            yield Problem(
                ("columns", name, "missing"),
                f"with noise nobody may learn that a value is missing, so it cannot be "
                f"{column.missing!r}",
                "Leave it out; rows are counted as missing where the domain has null, else not.",
            )


def _tables_contradict(plan: Plan) -> Iterable[Problem]:
    """The tables must be of columns with public values, each once."""
    asked = plan.method.tables
    countable = _countable(plan)
    if isinstance(asked, int):
        if asked > len(countable):
            have = "no column has" if not countable else f"only {some(countable)} have"
            yield Problem(
                ("method", "tables"),
                f"tables of {asked} column{'s' * (asked > 1)} need as many with public values, and "
                f"{have} a domain, or bounds and a step",
                how_public("age"),
            )
        elif math.comb(len(countable), asked) > MOST_TABLES:
            yield Problem(
                ("method", "tables"),
                f"{len(countable):,} columns make {math.comb(len(countable), asked):,} tables of "
                f"{asked}, and a release has at most {MOST_TABLES:,}",
                "List the tables you need: `tables: [[age, sex], [disease]]`.",
            )
        return
    seen: dict[frozenset[str], int] = {}
    for place, table in enumerate(asked or ()):
        at: Place = ("method", "tables", place)
        if len(set(table)) < len(table):
            yield Problem(at, f"{some(table)}: a column stands twice in one table", "Keep one.")
        elif seen.setdefault(frozenset(table), place) != place:
            yield Problem(at, f"the table of {some(table)} stands twice", "Keep one of the two.")
        for i, name in enumerate(table):
            yield from _unfit(plan, name, (*at, i))


def _unfit(plan: Plan, name: str, place: Place) -> Iterable[Problem]:
    """Why a column cannot be in a table."""
    column = plan.columns.get(name)
    if column is None and name != plan.person:
        close = nearest(name, list(plan.columns))
        yield Problem(
            place, f"there is no column {name!r}",
            f"Did you mean {close!r}?" if close else "Name a column of the plan.",
        )  # fmt: skip
    elif column is None or column.role is Role.IDENTIFIER:
        yield Problem(
            place, f"{name!r} is an identifier, which is never published", "Leave it out."
        )
    elif not column.has_cells:
        what = "has bounds but no step" if column.bounds is not None else "has no domain"
        fix = "Add one, such as `step: 1`." if column.bounds is not None else how_public(name)
        yield Problem(place, f"{name!r} {what}, so nobody knows which cells it has", fix)


def how_public(name: str) -> str:
    """What to write so that the values of a column are public."""
    return (
        "Say what everybody may know without looking at the data, under `columns`: "
        f"`{name}: {{..., bounds: [0, 120], step: 1}}` for numbers, "
        f"`{name}: {{..., domain: [a, b, null]}}` for other values."
    )


def _countable(plan: Plan) -> list[str]:
    return [name for name, column in plan.columns.items() if column.has_cells]


def tables_of(plan: Plan) -> tuple[ColumnSet, ...]:
    """The tables a randomised release has; a number stands for all tables of so many columns."""
    asked = plan.method.tables
    if isinstance(asked, int):
        return tuple(combinations(_countable(plan), asked))
    return asked or ()


def domain_of(plan: Plan, column: str) -> Domain | None:
    """What everybody may know of a column's values; None where the plan does not say.

    Raises:
        PlanError: There is no such column, or a text it lists is read as missing.
        HedgerowError: A file cannot be read or used.
    """
    planned = plan.columns.get(column)
    if planned is None:
        if column == plan.person:
            return None
        close = nearest(column, list(plan.columns))
        raise PlanError(
            f"there is no column {column!r}",
            where=plan.where("columns"),
            fix=f"Did you mean {close!r}?" if close else "Name a column of the plan.",
        )
    where = plan.where("columns", column, "domain")
    found = planned.public(column, where=where)
    lost = [v for v in getattr(found, "values", ()) if v is not None and v in plan.null]
    if lost:
        what, fix = _read_as_missing(lost)
        raise PlanError(what, where=where, fix=fix)
    return found
