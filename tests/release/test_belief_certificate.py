"""The certificate of a claim about beliefs whose prior must not be published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hedgerow
from hedgerow.release.certificate_text import as_text

ROWS = [("a", "flu"), ("a", "acne"), ("b", "flu"), ("b", "acne"), ("c", "gout")]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Whoever has gout is left out, so a prior that knows of gout is not published."""
    with (tmp_path / "earlier.csv").open("w") as file:
        file.write("place,ill\n" + "".join(f"*,{ill}\n" for _, ill in ROWS))
    claim = {"at_most": 0.8, "of": "ill", "knows": "person",
             "with": [str(tmp_path / "earlier.csv")],
             "prior": {"shape": {"flu": 2, "acne": 2, "gout": 1}}}  # fmt: skip
    hedgerow.publish(
        pd.DataFrame(ROWS, columns=["place", "ill"]), protect=[{"belief": claim}],
        columns={"place": {"role": "quasi-identifier", "hierarchy": "suppression"},
                 "ill": "sensitive"},
        method={"suppress": "20%"}, one_row_per_person=True, report=False, to=tmp_path / "release",
    )  # fmt: skip
    return tmp_path / "release"


def test_a_prior_that_is_not_published_does_not_refute_the_claim(release: Path) -> None:
    told = json.loads((release / "certificate.json").read_text("utf-8"))
    assert told["people"]["left_out"] == 1
    assert told["claims"][0]["model"] is None
    found = hedgerow.verify(release)
    assert not found.refuted
    assert found.claims[0].verdict == "not verifiable"


@pytest.mark.parametrize("change", [
    {"claim": "belief in any value of ill at most 0.1 with earlier releases, prior of a given "
              "shape over 3 values"},
    {"claim": "belief in any value of ill at most 0.8 with earlier releases"},
    {"required": 0.1}, {"not_verifiable": None}, {"adversary": "nobody"}, {"level": 0.5},
])  # fmt: skip
def test_no_claim_is_hidden_by_leaving_its_parameters_out(
    release: Path, change: dict[str, Any]
) -> None:
    file = release / "certificate.json"
    told = json.loads(file.read_text("utf-8"))
    told["claims"][0].update(change)
    file.write_text(as_text(told), "utf-8")
    assert hedgerow.verify(release).refuted
