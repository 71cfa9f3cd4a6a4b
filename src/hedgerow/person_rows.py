"""People with several rows: one row of each is published, or rows without a person number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.engines.base import Engine
from hedgerow.errors import DataError
from hedgerow.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan import Plan


def require_rows(plan: Plan, engine: Engine) -> int | None:
    """See how many rows of a person are published, and let the engine have no more.

    Args:
        plan: The plan.
        engine: Its source; with one row a person from now on, where the plan wants that.

    Returns:
        The most rows of a person; None where the plan names no person.

    Raises:
        DataError: Somebody has several rows and the plan does not say what to do about it, or
            more than it allows, or they differ.
    """
    if plan.person is None:
        return None
    found = engine.rows_of(plan.person)
    if found.nobody:
        raise DataError(
            f"{found.nobody:,} rows have no value in the person column {plan.person!r}",
            where=plan.where("person"),
            fix="Say whose rows they are, or leave them out.",
        )
    if found.most <= 1:
        return 1
    people = "1 person has" if found.several == 1 else f"{found.several:,} people have"
    several = f"{people} more than one row (at most {found.most:,})"
    all_rows = (
        f"`rows: at most {found.most}` (all rows without the ID; groups must then be up to "
        f"{found.most:,} times as large)"
    )
    if plan.rows is None:
        raise DataError(
            several,
            where=plan.where("person"),
            fix=f"Say what to publish: `rows: one` (one row per person), or {all_rows}.",
        )
    if plan.rows > 1:
        if found.most > plan.rows:
            raise DataError(
                f"{several}, and the plan says at most {plan.rows:,}",
                where=plan.where("rows"),
                fix=f"Say `rows: one` to publish one row per person, or {all_rows}; or remove "
                "rows from the source.",
            )
        return plan.rows
    schema = plan.schema(engine.columns())
    facts = (getattr(model, "facts", None) for model in plan.models())
    wishes = {asked.wishes for asked in facts if asked is not None}
    chosen = {name: one.within_person for name, one in plan.columns.items() if one.within_person}
    alike = [
        name
        for name, role in schema.roles.items()
        if name not in chosen and (role is not Role.IDENTIFIER or name in wishes)
    ]
    engine.keep_one_row(plan.person, alike=alike, chosen=chosen)
    return 1
