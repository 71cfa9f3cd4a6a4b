"""What attackers are likely to find in the population, of a table that is a sample of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgerow.base.errors import DataError, PlanError
from hedgerow.engines.base import Engine
from hedgerow.table.profile.table_profile import KnowledgeInPopulation, TableProfile


def share_of(fraction: float | str) -> float:
    """A sampling fraction, also in per cent.

    Raises:
        PlanError: It is no number above 0 and below 1.

    >>> share_of("10%"), share_of(0.25)
    (0.1, 0.25)
    """
    text = str(fraction).strip()
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise PlanError(
            f"{text!r} is no sampling fraction",
            where="fraction",
            fix="Say which share of the population the table is, above 0 and below 1, such as 10%.",
        )
    return number


def in_population(found: TableProfile, engine: Engine, fraction: float) -> TableProfile:
    """The profile with what attackers who know several columns would find in the population."""
    # SciPy is loaded where something is estimated, and nowhere else.
    from hedgerow.claims.population.overview import PopulationView

    told, notes = [], []
    for one in found.knowledge:
        try:
            counted = engine.counts(one.columns)
        except DataError as error:  # people with several rows that differ are in no one group
            notes.append(f"What {one.attacker} finds in the population is not said: {error.what}.")
            continue
        n = np.asarray(counted["n"].to_numpy(), np.int64)
        view = PopulationView.of(n, fraction=fraction)
        bound = view.shares[0]
        assert bound.upper is not None, "the bound always has an estimate"
        told.append(
            KnowledgeInPopulation(
                attacker=one.attacker, columns=one.columns, fraction=fraction, upper=bound.upper,
                right=view.right,
            )
        )  # fmt: skip
    return replace(found, population=tuple(told), notes=(*found.notes, *notes))
