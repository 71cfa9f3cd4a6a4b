"""Rows of a person as a form: what is published of them, and which value where they differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hedgerow.api import Look, Role, of_rows
from hedgerow.api.plan_text import REMOVED
from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.web.draft import Draft
from hedgerow.web.sentences import parameters

ONE, ALL = "one", "at most"
WITHIN = {
    "most-frequent": "most frequent",
    "smallest": "smallest",
    "largest": "largest",
}
_ALL = re.compile(r"at most ([1-9][0-9]{0,8})", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class RowsFields:
    """What the form says, right or wrong."""

    rows: str = ""
    """`one`, `at most`, or nothing yet."""
    most: str = ""
    """With `at most`: how many, as somebody typed it."""
    within: Mapping[str, str] = field(default_factory=dict)
    """For columns in which rows of a person differ: which value is published."""

    def said(self, look: Look, published: frozenset[str]) -> str:
        """The plan's `rows`.

        Raises:
            PlanError: Nothing is chosen, or it does not fit the table.
        """
        people = look.people
        if self.rows == ALL:
            most = self.most.strip()
            if not re.fullmatch("[1-9][0-9]{0,8}", most, re.ASCII):
                raise PlanError(
                    f"{most[:40]!r} is not a number of rows" if most else "no number is given",
                    fix="Write a whole number, such as 3.",
                )
            if people is not None and int(most) < people.most:
                raise PlanError(
                    f"somebody has {people.most:,} rows, and at most {int(most):,} are allowed",
                    fix=f"Write {people.most} or more, or publish one row per person.",
                )
            return f"{ALL} {int(most)}"
        if self.rows != ONE:
            raise PlanError(
                "nothing says which rows of a person are published",
                fix="Choose one row per person, or all rows.",
            )
        if look.stays:
            raise PlanError(
                "a table that stays in its database cannot be made one with one row per person",
                fix="Publish all rows, or name a view there that has one row per person.",
            )
        for rule in self.within.values():
            if rule and rule not in WITHIN:
                raise PlanError(
                    f"there is no choice {rule[:40]!r}", fix="Choose one of those shown."
                )
        if lacking := list(self.lacking(look, published)):
            raise PlanError(", ".join(lacking), fix="Choose which value to publish in each column.")
        return ONE

    def lacking(self, look: Look, published: frozenset[str]) -> Iterator[str]:
        """Columns in which rows of a person differ, and nobody has chosen."""
        for name, people in look.differ.items():
            if people and name in published and not self.within.get(name):
                many = "1 person has" if people == 1 else f"{people:,} people have"
                yield f"{many} rows with different values of {name!r}"


def rows_fields(draft: Draft) -> RowsFields:
    """What the plan says, as the fields of the form."""
    said = draft.said("rows")
    chosen = {name: draft.column(name).get("within_person") for name in draft.planned}
    within = {name: rule for name, rule in chosen.items() if isinstance(rule, str)}
    if said in (ONE, 1):
        return RowsFields(rows=ONE, within=within)
    if isinstance(said, int):
        return RowsFields(rows=ALL, most=str(said), within=within)
    found = _ALL.fullmatch(said) if isinstance(said, str) else None
    if found is None:
        return RowsFields(within=within)
    return RowsFields(rows=ALL, most=found[1], within=within)


def keep_rows(draft: Draft, rows: str, within: Mapping[str, str]) -> None:
    """Write it into the plan; a choice among values is only for one row per person."""
    if draft.said("rows") != rows:
        draft.edit(("rows",), rows)
    if rows != ONE:
        _forget_choices(draft)
        return
    for name, rule in within.items():
        said = draft.column(name)
        if rule and said:
            draft.edit_column(name, said | {"within_person": rule})
        elif "within_person" in said:
            draft.edit(("columns", name, "within_person"), REMOVED)


def forget_rows(draft: Draft) -> None:
    """Without a person column there is nothing to choose."""
    if draft.said("rows") is not None:
        draft.edit(("rows",), REMOVED)
    _forget_choices(draft)


def _forget_choices(draft: Draft) -> None:
    for name in draft.planned:
        if "within_person" in draft.column(name):
            draft.edit(("columns", name, "within_person"), REMOVED)


def published_columns(draft: Draft) -> frozenset[str]:
    """Columns in which the rows of a person must agree, or somebody chooses.

    Identifiers are not published; what people want protected is one that matters all the same.
    """
    claims = draft.said("protect")
    said = [parameters(claim)[1] for claim in claims] if isinstance(claims, list) else []
    wishes = {one.get("wishes") for one in said}
    return frozenset(
        name
        for name in draft.planned
        if name != draft.said("person")
        and (draft.column(name).get("role") != Role.IDENTIFIER or name in wishes)
    )


def rows_shown(draft: Draft, look: Look, fields: RowsFields) -> dict[str, Any] | None:
    """What the page shows about the rows of people; None where the plan names no person."""
    person, people = draft.said("person"), look.people
    if people is None:
        return None
    published = published_columns(draft)
    kept = rows_fields(draft)
    return {
        "person": person,
        "people": people,
        "fields": fields,
        "stays": look.stays,
        "asks": people.most > 1 or draft.said("rows") is not None,
        "columns": [
            {"name": name, "people": many, "within": fields.within.get(name, "")}
            for name, many in look.differ.items()
            if name in published and (many or name in kept.within)
        ],
        "problems": list(_problems(draft, look, kept, published)),
        "unproved": list(_unproved(draft, kept)),
    }


def _problems(
    draft: Draft, look: Look, kept: RowsFields, published: frozenset[str]
) -> Iterator[str]:
    """Why publishing would stop: in the rows, or in what the plan says of them."""
    people = look.people
    assert people is not None, "somebody is named"
    if people.nobody:
        rows = "1 row has" if people.nobody == 1 else f"{people.nobody:,} rows have"
        yield f"{rows} no value in {draft.said('person')}: fill it in, or remove the rows."
    if look.ids is not None:
        yield f"{look.ids.what}. {look.ids.fix}"
    if people.most <= 1:
        return
    if not kept.rows:
        yield "Choose what is published of people with several rows."
    elif kept.rows == ALL and int(kept.most) < people.most:
        yield f"The plan allows at most {int(kept.most):,} rows of a person; choose again."
    elif kept.rows == ONE:
        for what in kept.lacking(look, published):
            yield f"{what}: choose which one is published."


def _unproved(draft: Draft, kept: RowsFields) -> Iterator[str]:
    """Claims that cannot be kept together with several rows of a person."""
    if kept.rows != ALL:
        return
    try:
        models = draft.plan().models()
    except HedgerowError:
        return
    for model in models:
        try:
            of_rows(model, int(kept.most))
        except PlanError:
            yield str(model)
