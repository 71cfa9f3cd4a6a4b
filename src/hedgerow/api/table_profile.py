"""A look at any table: what `hedgerow look` and notebooks show."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hedgerow.api.population_look import in_population, sampled_share, share_of
from hedgerow.api.table_origin import TableOrigin
from hedgerow.engines import open_engine
from hedgerow.plan.plan import Plan
from hedgerow.table.profile.table_profile import TableProfile
from hedgerow.table.profile.whole_table import MOST_CELLS, profile_table
from hedgerow.table.schema import Role


def look(
    source: Plan | str | os.PathLike[str] | Any,
    *,
    person: str | None = None,
    null: Sequence[str] = (),
    read: Mapping[str, Any] | None = None,
    deep: bool = True,
    fraction: float | str | None = None,
    weights: str | None = None,
    most_cells: int = MOST_CELLS,
    progress: Callable[[str, float | None], None] | None = None,
) -> TableProfile:
    """Look at a table: what its columns hold, whose rows they are, who stands out by what.

    All of it is about people in the table: it is for its steward, not for a recipient.

    Args:
        source: A plan, the path of a plan or of a data file, or a table in memory.
        person: Column that says whose row it is; the plan's, if there is one.
        null: Texts that are read as missing values; the plan's, if there is one.
        read: How a file is written, as a plan says it under `read`; the rest is detected.
        deep: Whether to combine three columns, and to look for special uniques; takes longer.
        fraction: Share of the population that the table is a random sample of, as 0.1 or "10%".
            With it, what attackers are likely to know is judged in the population, and special
            uniques have DIS-SUDA scores.
        weights: Column of survey weights, in place of the fraction.
        most_cells: Rows times columns to look at; of larger tables the first rows are.
        progress: Called as work goes on.

    Raises:
        DataError: The table cannot be read, or has no rows.
        PlanError: The fraction or the column of weights is none.

    >>> import pyarrow as pa
    >>> found = look(pa.table({"age": ["31", "31", "40"], "sex": ["f", "m", "m"]}))
    >>> print(found.combinations[0])
    age and sex single out 100 % of the people (3).
    >>> found.column("age").kind
    <ColumnKind.NUMBER: 'number'>
    """
    if fraction is not None:
        share_of(fraction)  # before the table is read
    origin = TableOrigin.of(source, person=person, null=null, read=read)
    known, source = None, origin.source
    if origin.plan is not None:
        columns = origin.plan.columns.items()
        known = [name for name, one in columns if one.role is Role.QUASI_IDENTIFIER]
    with open_engine(source, null=origin.null, person=origin.person, form=origin.form) as engine:
        share = sampled_share(engine, fraction, weights)
        found = profile_table(
            engine, file=origin.file, known=known, deep=deep, most_cells=most_cells,
            progress=progress,
            source=os.fspath(source) if isinstance(source, str | os.PathLike) else None,
        )  # fmt: skip
        return found if share is None else in_population(found, engine, share)
