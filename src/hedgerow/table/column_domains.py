"""Hierarchies and sensitive domains, on the values that columns have.

All it takes are the people with each value of each column by itself. So it is the same whether
the whole frequency set is at hand or stays where the table is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hedgerow.base.decimals import numeric
from hedgerow.base.errors import MOST_NAMED, DataError, PlanError, some
from hedgerow.base.spelling import reading
from hedgerow.base.spelling_classes import alike, first_spellings, half_decided
from hedgerow.table.groups import ALL, Ints, Sensitive
from hedgerow.table.hierarchy import Codes, Hierarchy
from hedgerow.table.rules import Rules
from hedgerow.table.schema import Schema
from hedgerow.table.value_order import NUMBERS, arranged


def refuse_names(rules: Rules, schema: Schema) -> None:
    """Refuse a column whose name is taken.

    Raises:
        PlanError: It is called as all columns together are.
    """
    if ALL in schema.roles:
        raise PlanError(
            f"a column cannot be called {ALL!r}",
            where=rules.where("columns", ALL),
            fix="Rename it in the data.",
        )


def refuse_nobody(rules: Rules, people: int) -> None:
    """Refuse an empty table.

    Raises:
        DataError: Nobody is in it.
    """
    if not people:
        raise DataError(
            "the table has no rows",
            where=rules.source,
            fix="Give a table with at least one person in it.",
        )


def bound(rules: Rules, name: str, values: Sequence[str | None]) -> Hierarchy:
    """The hierarchy a column is given, on these values of it."""
    return rules.columns[name].spec.bind(name, values, where=rules.where("columns", name))


def domain_of(
    rules: Rules, name: str, values: Sequence[str | None], counts: Ints, people: int
) -> tuple[Sensitive, Codes]:
    """The values of a sensitive column in order: as said, of numbers, of the taxonomy, of text.

    Args:
        rules: Say how it generalises, and what is claimed about it.
        name: The column.
        values: Its distinct values, in any order.
        counts: People who have each of them.
        people: Everybody in the table.

    Returns:
        The domain, and where in it each of the values is.
    """
    column = rules.columns[name]
    if column.claimed:
        _refuse_missing_texts(rules, name, values)
    refuse_half_decided(rules, name, values)
    hierarchy = bound(rules, name, values)
    place = hierarchy.encode(values)
    order = np.argsort(place, kind="stable")
    if (chosen := in_order(rules, name, values)) is not None:
        at = {value: i for i, value in enumerate(values)}
        order = np.array([at[value] for value in chosen], np.int64)
    levels = tuple(level[place[order]] for level in hierarchy.codes) if column.given else ()
    labels = tuple(tuple(level) for level in hierarchy.labels) if column.given else ()
    rank = np.empty(len(values), np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    ordered = tuple(values[i] for i in order)
    spellings = first_spellings(ordered, column.distinct)
    domain = Sensitive(
        name,
        ordered,
        counts[order],
        people,
        levels,
        labels,
        None if spellings is None else np.array(spellings, np.int32),
    )
    return domain, rank


def in_order(rules: Rules, name: str, values: Sequence[str | None]) -> list[str | None] | None:
    """The values of a sensitive column as the rules order them; None where nothing orders them.

    Numbers are ordered as numbers, whatever the order of the lines in a hierarchy's file.

    Raises:
        DataError: A claim goes by an order that the values do not have.
    """
    column = rules.columns[name]
    if not column.by_order and not column.ordered:
        if not numeric(values):
            return None
        return arranged(name, values, f"{NUMBERS}, missing last")
    try:
        return arranged(name, values, column.order, said=column.ordered)
    except DataError as error:
        where = rules.where("columns", name)
        raise DataError(error.what, where=where, fix=error.fix) from None


def refuse_half_decided(rules: Rules, name: str, values: Sequence[str | None]) -> None:
    """Where some spellings of a value differ, each of them must be a value of its own.

    Raises:
        DataError: Nobody says which of them another spelling is.
    """
    found = half_decided(values, rules.columns[name].distinct)
    if found is None:
        return
    said, unsaid = found
    raise DataError(
        f"{some(unsaid)} in {name!r} may be read as {some(said)}, of which the plan says that they "
        "differ",
        where=rules.where("columns", name, "distinct"),
        fix="List all spellings that differ, and correct the others in the data.",
    )


def barring(rules: Rules, hierarchies: Iterable[Hierarchy], missing: dict[str, int], people: int
            ) -> tuple[str, ...]:  # fmt: skip
    """Columns in which people with no value are barred from a release.

    Args:
        rules: Say what becomes of missing values: values, suppressed, or refused.
        hierarchies: Of the quasi-identifiers.
        missing: People with no value in each column that has such people.
        people: Everybody in the table.

    Raises:
        DataError: Somebody has no value where the plan refuses that.
    """
    barred = []
    for h in hierarchies:
        rule = rules.columns[h.name].missing
        if rule == "value" or h.name not in missing:
            continue
        if rule == "refuse":
            raise DataError(
                f"{missing[h.name]:,} of {people:,} people have no value in "
                f"{h.name!r}, which the plan refuses",
                where=rules.where("columns", h.name, "missing"),
                fix="Fill the values in, or set `missing: value` or `missing: suppress`.",
            )
        barred.append(h.name)
    return tuple(barred)


def _refuse_missing_texts(rules: Rules, name: str, values: Sequence[str | None]) -> None:
    """No claim counts two values where programs that read the file see two missing ones."""
    pairs = [pair for pair in alike(values) if reading(pair[1]) is None]
    if not pairs:
        return
    shown = "; ".join(some(pair) for pair in pairs[:MOST_NAMED])
    more = f"; and {len(pairs) - MOST_NAMED:,} more" if len(pairs) > MOST_NAMED else ""
    listed = ", ".join(
        f'"{v}"' for v in dict.fromkeys(v for pair in pairs for v in pair if v is not None)
    )
    raise DataError(
        f"{name!r} has values that those who read the release may take for missing, and the claims "
        f"would count as two: {shown}{more}",
        where=rules.where("columns", name),
        fix=f"Texts that mean missing: name them in the plan, `null: [{listed}]`. Give what is a "
        "value a spelling that no program takes for missing.",
    )
