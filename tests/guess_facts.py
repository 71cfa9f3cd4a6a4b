"""Facts of made-up tables, for tests of what is guessed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from hedgerow.engines import open_engine
from hedgerow.plan.guesses.first_plan import first_plan
from hedgerow.plan.guesses.first_plan_text import plan_text
from hedgerow.plan.guesses.role_guess import RoleGuess, guess_role
from hedgerow.table.profile.table_profile import TableProfile
from hedgerow.table.profile.whole_table import profile_table


def facts(table: Mapping[str, Sequence[Any]], **how: Any) -> TableProfile:
    """The facts of a table of texts."""
    texts = {
        name: pa.array([None if value is None else str(value) for value in values], pa.string())
        for name, values in table.items()
    }
    with open_engine(pa.table(texts), **how) as engine:
        return profile_table(engine, deep=False)


def guessed(name: str, values: Sequence[Any]) -> RoleGuess:
    """The role of a column that stands alone."""
    return guess_role(facts({name: values}).columns[0])


def propose(profile: TableProfile, *, source: str | None = None, **how: Any) -> str:
    """The text of the plan that is proposed for a table."""
    return plan_text(first_plan(profile, **how), source=source)


LETTERS = [letter for letter in "abcde" for _ in range(40)]
"""Values that say nothing."""
FEW = ["0", "1", "1", "0", "1"] * 40
"""Flags."""
AGES = [str(20 + (7 * i) % 61) for i in range(200)]
AMOUNTS = [str(1000 + 37 * ((i * i) % 97)) for i in range(200)]
