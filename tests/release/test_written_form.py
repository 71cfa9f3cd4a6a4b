"""An honest release is in its written form, whatever is in it."""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow

TEXTS = [
    "a", "B", "", None, " ", "a,b", 'say "hi"', "two\nlines", "x\r\ny", "a;b", "\t", "=1+1", "-1.5",
    "'=1", "ü", "🙂", "NULL", "0", "00", "1e5", "\x00", "\x1f", "z" * 500,
]  # fmt: skip
NUMBERS = [0.0, -0.0, 1.5, float("nan"), float("inf"), -1e300, 1e-7, None, 3.0]
DAYS = [dt.date(1999, 1, 1), dt.date(2024, 2, 29), None]
MOMENTS = [dt.datetime(2024, 3, 31, 1, 30), dt.datetime(1960, 1, 1, 0, 0, 0, 7), None]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("form", ["csv", "csv, escape_formulas: true", "parquet"])
def test_honest_releases(tmp_path: Path, seed: int, form: str) -> None:
    chance = random.Random(seed)
    size = chance.choice([2, 10, 400])
    towns = chance.choices(TEXTS, k=size // 2)
    columns: dict[str, Any] = {
        "town": pa.array(towns * 2, pa.string()),
        "note": pa.array(chance.choices(TEXTS, k=size), pa.string()),
        "pay": pa.array(chance.choices(NUMBERS, k=size), pa.float64()),
        "n": pa.array(chance.choices([1, 2, 10, None], k=size), pa.int16()),
        "day": pa.array(chance.choices(DAYS, k=size), pa.date32()),
        "at": pa.array(chance.choices(MOMENTS, k=size), pa.timestamp("us")),
        "zone": pa.array(chance.choices(MOMENTS, k=size), pa.timestamp("us", tz="Europe/Berlin")),
    }
    names = ["town", *chance.sample(list(columns)[1:], k=chance.choice([0, 1, 3, 6]))]
    roles: dict[str, Any] = {name: chance.choice(["sensitive", "insensitive"]) for name in names}
    roles["town"] = {"role": "quasi-identifier", "levels": [0, 0]}
    publish: dict[str, Any] = {"to": str(tmp_path / "out"), "format": form.partition(",")[0]}
    if "escape" in form:
        publish["escape_formulas"] = True
    hedgerow.publish(
        pa.table({name: columns[name] for name in names}), columns=roles,
        protect=[{"k-anonymity": 2}], publish=publish, one_row_per_person=True,
    )  # fmt: skip
    found = hedgerow.verify(tmp_path / "out")
    assert found.refuted == ()
    assert {c.what: c.verdict for c in found.checks}["written form"] == "verified"
