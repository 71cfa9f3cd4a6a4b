"""`parts` in a plan: where it means something, and that strict Mondrian publishes the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import recipients

import hedgerow
from hedgerow.base.errors import PlanError
from hedgerow.plan.plan import Method, Plan

SOURCE = recipients.hospital(150)
COLUMNS = {
    "name": "identifier",
    "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 20]}},
    "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": 3}},
    "sex": "quasi-identifier",
    "disease": "sensitive",
    "salary": "insensitive",
}


def published(folder: Path, method: Any, table: Any = SOURCE, **more: Any) -> Any:
    source = recipients.write_csv(folder / "patients.csv", table)
    plan = {"columns": COLUMNS, "protect": [{"k-anonymity": 3}], **more}
    return hedgerow.publish(Plan.of(source=source, method=method, **plan))


@pytest.mark.parametrize("parts", [0, -5, 1.5, True, "many"])
def test_parts_are_a_whole_number(parts: Any) -> None:
    with pytest.raises(PlanError, match="parts"):
        Plan.of(columns=COLUMNS, method={"search": "mondrian", "parts": parts})


def test_parts_mean_nothing_for_other_searches(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="parts has no meaning for lattice") as refused:
        published(tmp_path, {"search": "lattice", "parts": 10})
    assert "mondrian, microaggregation or local" in str(refused.value)
    for method in (
        {"search": "marginals", "epsilon": 1, "tables": 1},
        {"search": "safe", "beta": 0.5, "epsilon": 1, "delta": 1e-6},
    ):
        with pytest.raises(PlanError, match=f"parts has no meaning for {method['search']}"):
            Plan.of(columns=COLUMNS, method={**method, "parts": 10})


def test_a_method_without_parts_does_not_speak_of_them() -> None:
    """What certificates and fingerprints say of a plan that has none stays what it was."""
    assert "parts" not in Method(search="mondrian").model_dump()
    assert Method(search="mondrian", parts=7).model_dump()["parts"] == 7


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ({"search": "mondrian"}, {"mode": "strict", "boxes": "ranges"}),
        ({"search": "microaggregation"}, {"method": "MDAV", "k": 3}),
        ({"search": "local"}, {}),
    ],
)
def test_the_certificate_tells_the_number_and_no_more(
    tmp_path: Path, method: dict[str, Any], said: dict[str, Any]
) -> None:
    """Everybody who is told apart by their name has one row."""
    release = published(tmp_path, {**method, "parts": 30}, person="name")
    assert release.certificate["search"] == {**said, "parts": 30}
    assert release.certificate["plan"]["method"]["parts"] == 30
    assert recipients.k(release.to_arrow().to_pylist(), ("age", "zip", "sex")) >= 3
    without = published(tmp_path, method, person="name")
    bounded = {"optimal", "metric", "cost", "lower_bound", "gap"}  # of local recoding
    search = without.certificate["search"]
    assert {key: search[key] for key in search.keys() - bounded} == said
    assert bool(bounded & search.keys()) == (method["search"] == "local")
    assert "parts" not in without.certificate["plan"]["method"]


@pytest.mark.parametrize("parts", [1, 20, 90, 1000])
def test_strict_mondrian_publishes_the_same(tmp_path: Path, parts: int) -> None:
    """Some people have several rows, and several diseases."""
    again = [row | {"disease": SOURCE[i // 2]["disease"]} for i, row in enumerate(SOURCE[:40])]
    diverse = {"l": 1.05, "kind": "probabilistic", "of": "disease"}
    protect = [{"k-anonymity": 3}, {"l-diversity": diverse}]
    keywords = {"table": [*SOURCE, *again], "person": "name", "rows": "at most 2"}
    keywords["protect"] = protect
    whole = published(tmp_path, {"search": "mondrian"}, **keywords)
    release = published(tmp_path, {"search": "mondrian", "parts": parts}, **keywords)
    assert release.to_arrow().equals(whole.to_arrow())
    assert whole.rows == len(SOURCE) + len(again)
    for key in ("claims", "utility", "people", "recoding"):
        assert release.certificate[key] == whole.certificate[key]


def test_what_others_know_already_counts_in_every_part(tmp_path: Path) -> None:
    """A list of known people, and an earlier release: both are attributes nobody publishes."""
    names = [row["name"] for row in SOURCE[::7]]
    staff = recipients.write_csv(tmp_path / "staff.csv", [{"name": name} for name in names])
    adversary = {"class": "I", "prior": "uniform", "knows": {"file": str(staff), "by": "name"}}
    known = [{"epsilon-privacy": {"epsilon": 6, "adversary": adversary}}, {"k-anonymity": 3}]
    plain = published(tmp_path, {"search": "mondrian"})
    whole = published(tmp_path, {"search": "mondrian"}, protect=known)
    release = published(tmp_path, {"search": "mondrian", "parts": 25}, protect=known)
    assert release.to_arrow().equals(whole.to_arrow())
    assert not plain.to_arrow().equals(whole.to_arrow())

    numbers = np.random.default_rng(1)
    ages, ill = numbers.integers(0, 16, 80), numbers.choice(list("abcd"), 80)
    earlier = tmp_path / "earlier.csv"
    labels = [f"{age // 4 * 4}-{age // 4 * 4 + 3}" for age in ages]
    pd.DataFrame({"age": labels, "ill": ill}).to_csv(earlier, index=False)
    table = pd.DataFrame({"age": ages, "ill": ill})
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [4]}},
        "ill": "sensitive",
    }
    claims = [{"k-anonymity": 2}, {"composition": {"confidence": 0.5, "with": [str(earlier)]}}]
    found = [
        hedgerow.publish(table, columns=columns, protect=claims, method=method).to_arrow()
        for method in ("mondrian", {"search": "mondrian", "parts": 20})
    ]
    assert found[0].equals(found[1])
