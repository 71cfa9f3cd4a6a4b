"""People with several rows: one row of each is published, or rows without a person number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.base.errors import DataError, some
from hedgerow.base.spelling import reading
from hedgerow.base.spelling_classes import classes, told_in_one, usual_spellings
from hedgerow.engines import open_engine
from hedgerow.engines.base import Engine
from hedgerow.table.column_domains import refuse_half_decided
from hedgerow.table.encoding import histogram
from hedgerow.table.schema import Role, Schema
from hedgerow.table.targets import Targets

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan


def people_of(plan: Plan) -> Targets:
    """The people of a plan's source, as its claims count them: one row each, if it says so."""
    with open_engine(plan.source, null=plan.null, form=plan.form) as engine:
        if plan.protect:
            list(respelled(plan, plan.schema(engine.columns()), engine))
            require_rows(plan, engine)
        return Targets.counted_by(engine, list(engine.columns()))


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
            f"{found.nobody:,} {'row has' if found.nobody == 1 else 'rows have'} no value in the "
            f"person column {plan.person!r}",
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
    wishes |= {getattr(model, "weighted_by", None) for model in plan.models()}
    chosen = {name: one.within_person for name, one in plan.columns.items() if one.within_person}
    alike = [
        name
        for name, role in schema.roles.items()
        if name not in chosen and (role is not Role.IDENTIFIER or name in wishes)
    ]
    for name, how in chosen.items():
        if how == "most-frequent" and schema.roles[name] is not Role.IDENTIFIER:
            _refuse_spellings(plan, engine, name)
    engine.keep_one_row(plan.person, alike=alike, chosen=chosen)
    return 1


def _refuse_spellings(plan: Plan, engine: Engine, name: str) -> None:
    """Refuse to count how often a person has each value where values have several spellings."""
    column = plan.columns[name]
    if column.spelling is not None:
        return
    values = engine.counts((), sets=[name])["s0"].to_pylist()
    differ = set(column.distinct or ())
    found = [texts for texts in classes(values) if not set(texts) <= differ]
    if not found:
        return
    if column.role is Role.SENSITIVE:
        fix = (
            "Say in the column `spelling: one` if they are one value, or `distinct: [...]` with "
            "the spellings that differ."
        )
    else:
        fix = "Give each value one spelling in the data, or say `within_person: smallest`."
    raise DataError(
        f"the most frequent value of a person cannot be counted in {name!r}: {some(found[0])} may "
        f"be one value{f', and so may {len(found) - 1:,} others' if len(found) > 1 else ''}",
        where=plan.where("columns", name, "within_person"),
        fix=fix,
    )


def respelled(plan: Plan, schema: Schema, engine: Engine) -> Iterator[str]:
    """Let the engine read sensitive columns in one spelling, where the plan wants that.

    Before `require_rows`, so that rows of a person that differ in spelling only do not differ.

    Args:
        plan: The plan.
        schema: Its columns.
        engine: Its source.

    Returns:
        What to tell of it.
    """
    for name in schema.sensitive:
        column = plan.columns[name]
        if column.spelling is None:
            continue
        counted = engine.counts((), sets=[name])
        n = np.asarray(counted["n"].to_numpy(), np.int64)
        values, found = histogram(counted["s0"], n)
        refuse_half_decided(plan.rules(), name, values)
        _refuse_missing_beside(plan, name, values)
        people = np.bincount(found.codes, weights=found.counts, minlength=len(values))
        usual = usual_spellings(values, people.astype(np.int64).tolist(), column.distinct or ())
        if not usual:
            continue
        engine.respell(name, usual)
        for model in plan.models():
            facts = model.facts
            if model.column == name and facts is not None and facts.wishes is not None:
                engine.respell(facts.wishes, usual)
        yield told_in_one(name, usual)


def _refuse_missing_beside(plan: Plan, name: str, values: Sequence[str | None]) -> None:
    """Refuse one spelling for what is missing and for texts that say so: only `null` joins them.

    Raises:
        DataError: Names the texts.
    """
    differ = set(plan.columns[name].distinct or ())
    for texts in classes(values):
        blank = [text for text in texts if reading(text) is None]
        said = [t for t in texts if t is not None and reading(t) is not None and t not in differ]
        if blank and said:
            listed = ", ".join(f'"{t}"' for t in texts if t is not None and t not in differ)
            raise DataError(
                f"{some(texts)} in {name!r} may all mean missing, and have no one spelling",
                where=plan.where("columns", name, "spelling"),
                fix=f"Name the texts that mean missing in the plan: `null: [{listed}]`; or say "
                f"`distinct: [{listed}]` if they are values.",
            )
