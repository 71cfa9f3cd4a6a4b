"""Whether a plan and a table are about the same columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hedgerow.base.errors import MOST_NAMED, PlanError, nearest, some
from hedgerow.base.problems import Place
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan


def misfits(plan: Plan, columns: Sequence[str]) -> Iterator[PlanError]:
    """Columns without a role, with two, or that are not there.

    Args:
        plan: The plan.
        columns: Of the data.
    """
    planned = plan.schema().roles
    known = set(columns)
    if len(known) != len(columns):
        twice = [name for name, count in Counter(columns).items() if count > 1]
        yield PlanError(
            f"the data have {some(twice)} more than once",
            where=plan.where("columns"),
            fix="Give every column of the data its own name.",
        )
    without = [c for c in dict.fromkeys(columns) if c not in planned]
    absent = [c for c in planned if c not in known]
    for name in absent[:MOST_NAMED]:
        close = nearest(name, without) or nearest(name, columns)
        place: Place = ("columns", name) if name in plan.columns else ("person",)
        yield PlanError(
            f"the data have no column {name!r}",
            where=plan.where(*place),
            fix=f"Did you mean {close!r}?" if close else "Correct it or leave it out.",
        )
    if len(absent) > MOST_NAMED:
        yield PlanError(
            f"nor have the data {len(absent) - MOST_NAMED:,} more of the plan's columns",
            where=plan.where("columns"),
        )
    if without:
        yield PlanError(
            f"no role is given for {some(without)}",
            where=plan.where("columns"),
            fix=f"Give each a role: {', '.join(Role)}.",
        )
