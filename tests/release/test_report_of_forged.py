"""`verify` of a certificate that has the right form and makes no sense: a verdict, no traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow
from hedgerow.ledger import Amounts, Ledger
from hedgerow.release.certificate_text import as_text


@pytest.mark.parametrize("forged", [{"data": None}, {"distances": []}])
def test_made_up_rows_without_their_file_or_distances(
    tmp_path: Path, forged: dict[str, Any]
) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=1))
    hedgerow.publish(
        pa.table({"sex": ["m", "f"] * 20}), to=tmp_path / "r", population="town",
        ledger=tmp_path / "l.db", privacy="change-one",
        columns={"sex": {"role": "quasi-identifier", "domain": ["m", "f"]}},
        method={"search": "marginals", "epsilon": 1, "tables": [["sex"]], "synthetic": True},
    )  # fmt: skip
    place = tmp_path / "r" / "certificate.json"
    told = json.loads(place.read_text("utf-8"))
    told |= {key: forged[key] for key in forged if key in told}
    told["synthetic"] |= {key: forged[key] for key in forged if key in told["synthetic"]}
    place.write_text(as_text(told), "utf-8")
    found = {check.what: check.verdict for check in hedgerow.verify(tmp_path / "r").checks}
    assert found["report"] == "not verifiable"
