"""Binding: a plan's hierarchies and sensitive domains on the values that columns have.

All it takes are the people with each value of each column by itself. So it is the same whether
the whole frequency set is at hand or stays where the table is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hedgerow.errors import MOST_NAMED, DataError, PlanError, some
from hedgerow.groups import ALL, Ints, Sensitive
from hedgerow.hierarchy import Codes, Hierarchy
from hedgerow.plan import Plan
from hedgerow.schema import Schema
from hedgerow.spelling import alike


def refuse_names(plan: Plan, schema: Schema) -> None:
    """Refuse a column whose name is taken.

    Raises:
        PlanError: It is called as all columns together are.
    """
    if ALL in schema.roles:
        raise PlanError(
            f"a column cannot be called {ALL!r}",
            where=plan.where("columns", ALL),
            fix="Rename it in the data.",
        )


def refuse_nobody(plan: Plan, people: int) -> None:
    """Refuse an empty table.

    Raises:
        DataError: Nobody is in it.
    """
    if not people:
        raise DataError(
            "the table has no rows",
            where=plan.source,
            fix="Give a table with at least one person in it.",
        )


def bound(plan: Plan, name: str, values: Sequence[str | None]) -> Hierarchy:
    """The hierarchy the plan gives a column, on these values of it."""
    return plan.hierarchy_spec(name).bind(name, values, where=plan.where("columns", name))


def domain_of(
    plan: Plan, name: str, values: Sequence[str | None], counts: Ints, people: int
) -> tuple[Sensitive, Codes]:
    """The values of a sensitive column in order (taxonomy, numbers, text).

    Args:
        plan: Says how it generalises, and what is claimed about it.
        name: The column.
        values: Its distinct values, in any order.
        counts: People who have each of them.
        people: Everybody in the table.

    Returns:
        The domain, and where in it each of the values is.
    """
    if any(name in model.attributes for model in plan.models()):
        _refuse_alike(plan, name, values)
    hierarchy = bound(plan, name, values)
    place = hierarchy.encode(values)
    order = np.argsort(place, kind="stable")
    given = plan.columns[name].hierarchy is not None
    levels = tuple(level[place[order]] for level in hierarchy.codes) if given else ()
    labels = tuple(tuple(level) for level in hierarchy.labels) if given else ()
    rank = np.empty(len(values), np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    ordered = tuple(values[i] for i in order)
    return Sensitive(name, ordered, counts[order], people, levels, labels), rank


def barring(plan: Plan, hierarchies: Iterable[Hierarchy], missing: dict[str, int], people: int
            ) -> tuple[str, ...]:  # fmt: skip
    """Columns in which people with no value are barred from a release.

    Args:
        plan: Says what becomes of missing values: values, left out, or refused.
        hierarchies: Of the quasi-identifiers.
        missing: People with no value in each column that has such people.
        people: Everybody in the table.

    Raises:
        DataError: Somebody has no value where the plan refuses that.
    """
    barred = []
    for h in hierarchies:
        rule = plan.columns[h.name].missing
        if rule == "value" or h.name not in missing:
            continue
        if rule == "refuse":
            raise DataError(
                f"{missing[h.name]:,} of {people:,} people have no value in "
                f"{h.name!r}, which the plan refuses",
                where=plan.where("columns", h.name, "missing"),
                fix="Fill the values in, or set `missing: value` or `missing: suppress`.",
            )
        barred.append(h.name)
    return tuple(barred)


def _refuse_alike(plan: Plan, name: str, values: Sequence[str | None]) -> None:
    """No claim counts two values where somebody who reads the file may see one.

    Quasi-identifiers need no such care: groups that look alike are larger than claimed.
    """
    pairs = alike(values)
    if not pairs:
        return
    shown = "; ".join(some(pair) for pair in pairs[:MOST_NAMED])
    more = f"; and {len(pairs) - MOST_NAMED:,} more" if len(pairs) > MOST_NAMED else ""
    unknown = [v for pair in pairs if None in pair for v in pair if v is not None]
    listed = ", ".join(f'"{v}"' for v in unknown[:MOST_NAMED])
    fix = "Give each value of a sensitive column one spelling that no other can be read as."
    if unknown:
        fix += f" Texts that mean missing: name them in the plan, `null: [{listed}]`."
    raise DataError(
        f"{name!r} has values that those who read the release may take for one, and the claims "
        f"would count as two: {shown}{more}",
        where=plan.where("columns", name),
        fix=fix,
    )
