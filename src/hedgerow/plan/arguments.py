"""A plan however it is given: as such, as a file, or as a table with what a plan would say."""

from __future__ import annotations

import os
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError, HedgerowError, PlanError, nearest, some
from hedgerow.engines.address import table_place
from hedgerow.plan.plan import Plan


def plan_of(source: Any, given: Mapping[str, Any]) -> tuple[Plan, Any]:
    """The plan, and the table itself where it was handed over in memory.

    Args:
        source: A plan, the path of one, or a table or a data file.
        given: What a plan would say of the table; None is nothing.

    Raises:
        PlanErrors: Everything that is wrong with it.
    """
    path: Path | str | None = None
    if (place := table_place(source)) is not None:
        path = str(place)
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
    said = _named(given)
    about = {"columns", "protect", "privacy"} & set(said)
    if isinstance(source, Plan) or (path is not None and not about):
        if said:
            raise PlanError(
                f"a plan says its {' and '.join(said)} itself",
                fix="Give a plan alone, or a table with `columns` and `protect`.",
            )
        return (source if path is None else Plan.read(path)), None
    if "columns" not in said or len(about) < 2:
        raise HedgerowError(
            "a table needs `columns` (name -> role) and `protect` (the claims)",
            fix="For instance columns={'age': 'quasi-identifier'}, protect=[KAnonymity(k=5)]; for "
            "answers with noise privacy='add-remove' instead of claims.",
        )
    if source is None:
        raise DataError(
            "there is no table: None was given",
            fix="Give a pyarrow, pandas or polars table, or a file.",
        )
    return Plan.of(**said, source=path), (None if path is not None else source)


def _named(given: Mapping[str, Any]) -> dict[str, Any]:
    """What was said; only what a plan made in Python can say.

    Raises:
        PlanError: Something else, such as a key with a letter wrong.
    """
    known = [name for name in signature(Plan.of).parameters if name != "source"]
    for name in given:
        if name not in known:
            near = nearest(name, known)
            raise PlanError(
                f"a plan has no {name!r}",
                fix=f"Did you mean {near!r}?"
                if near
                else f"It has {some(known, most=len(known))}.",
            )
    return {key: value for key, value in given.items() if value is not None}
