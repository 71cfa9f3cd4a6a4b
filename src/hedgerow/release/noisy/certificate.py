"""The certificate of a randomised release: nothing in it is from the data but by way of noise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.delivery import TABLES, sha256
from hedgerow.release.charge.software import software
from hedgerow.release.noisy.kind import RandomisedKind
from hedgerow.release.noisy.protection import claim, protected
from hedgerow.synthesis.noisy_numbers import Drawn, noise_json
from hedgerow.synthesis.request import loss_json
from hedgerow.synthesis.synthetic_records import Codes
from hedgerow.synthesis.tables_and_rows import DIGITS, Floats, disagreement, off_by, upwards
from hedgerow.synthesis.tables_file import header

AGREED = (
    "the nearest tables, by least squares, that agree on every sum that two of them have in "
    "common and have no negative count; computed from the noisy numbers alone"
)
MADE_UP = (
    "rows of the most even distribution with these tables, rounded rather than drawn, then changed "
    "value by value while all tables come nearer; computed from the counts alone"
)


def certify(
    drawn: Drawn,
    *,
    folder: Path,
    counts: Sequence[Floats],
    total: int,
    mixed: float,
    records: Codes | None,
    form: str,
    escaped: bool,
) -> dict[str, Any]:
    """The certificate of files that were written.

    Args:
        drawn: The noisy numbers.
        folder: Where the files are.
        counts: As the file has them.
        total: Their sum.
        mixed: How much of even tables they have.
        records: The made-up rows, as the file has them.
        form: csv or parquet.
        escaped: Whether formulas were escaped.
    """
    request = drawn.request
    asked = request.as_json()
    data = None if records is None else folder / f"data.{form}"
    return {
        "format": RandomisedKind().format,
        "software": software(form=form, escaped=escaped),
        "population": request.population,
        "claim": claim(drawn.loss, request.neighbours),
        "loss": loss_json(drawn.loss),
        "price": asked["price"],
        "spent": drawn.loss.amounts().texts(),
        "neighbours": asked["neighbours"] | {"words": str(request.neighbours)},
        "noise": noise_json(drawn.mechanism),
        "sensitivity": {"l1": drawn.part.l1, "l2_squared": drawn.part.l2_squared},
        "domains": asked["domains"],
        "tables": [
            {"columns": list(table), "cells": int(np.prod(request.shape(table)))}
            for table in request.tables
        ],
        "counting": {
            "of": "people",
            "person": request.person,
            **({"one_row_per_person": True} if request.one_row_per_person else {}),
            **({"ids_as_written": True} if request.ids_as_written else {}),
            **({"not_keys": list(request.not_keys)} if request.not_keys else {}),
            **({"ages": asked["ages"]} if "ages" in asked else {}),
            "null": asked["null"],
            "rules": rules(drawn),
        },
        "counts": {
            "file": TABLES,
            "lines": sum(len(table) for table in counts),
            "columns": header(request),
            "sha256": sha256(folder / TABLES),
        },
        "consistency": {
            "method": AGREED,
            "total": total,
            "digits": DIGITS,
            "disagreement": upwards(disagreement(request, counts)),
            "mixed": upwards(mixed),
        },
        "data": None
        if data is None or records is None
        else {
            "file": data.name,
            "rows": len(records),
            "columns": list(request.columns),
            "sha256": sha256(data),
        },
        "synthetic": None
        if records is None
        else {
            "method": MADE_UP,
            "rows": len(records),
            "distances": [float(f"{d:.6g}") for d in off_by(request, counts, records)],
        },
        "ledger": dict(drawn.ledger),
        "protected": protected(request, drawn.loss, drawn.mechanism, rows=records is not None),
    }


def rules(drawn: Drawn) -> list[str]:
    """What a reader must know of the counts."""
    found = list(drawn.request.design.notes)
    stepped = [column for column, one in drawn.request.cells.items() if one.middles]
    if stepped:
        found.append(f"Of {' and '.join(stepped)}, numbers between two steps count as the lower.")
    many = drawn.request.neighbours.rows
    if drawn.request.person is not None:
        found.append(
            "Rows without a person do not count. A person counts once in a cell of a table, and in "
            f"at most {many} cell{'s' * (many > 1)} of each table."
        )
    if drawn.request.person is not None or len(drawn.request.tables) > 1:
        found.append(
            "Before noise, tables need not agree: somebody without a value in the domain of a "
            "column is missing from the tables that have it"
            + (
                ", and somebody with several rows may count more often where there are more columns"
                if drawn.request.person is not None and many > 1
                else ""
            )
            + ". Making them agree spreads that over all tables."
        )
    return found
