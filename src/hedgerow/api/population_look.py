"""What attackers are likely to find in the population, of a table that is a sample of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.engines.base import Engine
from hedgerow.table.profile.table_profile import KnowledgeInPopulation, TableProfile
from hedgerow.table.survey_weights import share_by_weights


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


def sampled_share(
    engine: Engine, fraction: float | str | None, weights: str | None
) -> float | None:
    """The share of the population that a table is: said, or by its survey weights.

    Raises:
        PlanError: The fraction is none, both are given, or there is no such column.
        DataError: The column has something else than weights.
    """
    if weights is None:
        return None if fraction is None else share_of(fraction)
    if fraction is not None:
        raise PlanError(
            "both a fraction and survey weights are given", where="weights",
            fix="Give one of them: either says which share of the population the table is.",
        )  # fmt: skip
    if weights not in engine.columns():
        raise PlanError(
            f"there is no column {weights!r} of survey weights", where="weights",
            fix=f"The columns are {some(engine.columns())}.",
        )  # fmt: skip
    counted = engine.counts([weights])
    return share_by_weights(
        weights, counted["q0"].to_pylist(), np.asarray(counted["n"].to_numpy(), np.int64)
    )


def in_population(found: TableProfile, engine: Engine, fraction: float) -> TableProfile:
    """The profile with what attackers who know several columns would find in the population."""
    # SciPy is loaded where something is estimated, and nowhere else.
    from hedgerow.claims.population.dis_suda import intrusion_risk
    from hedgerow.claims.population.overview import PopulationView

    told, notes = [], []
    special = found.special
    if special is not None and found.person is not None:
        notes.append("DIS-SUDA scores are about rows, and people here have several: none are said.")
    elif special is not None:
        # The rows that were looked at are a smaller share of the population than the table.
        risk = intrusion_risk(special, fraction=fraction * found.looked_at / found.rows)
        special = special if risk is None else special.with_intrusion(risk)
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
    return replace(found, population=tuple(told), special=special, notes=(*found.notes, *notes))
