"""A hierarchy made by looking at the data: certificates say so, noise refuses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hedgerow
from hedgerow.base.errors import PlanError
from hedgerow.plan.plan import Plan

ROWS = "age,ill\n" + "".join(f"{20 + n % 10},{'flu' if n % 3 else 'gout'}\n" for n in range(40))
PLAN = """\
population: people
source: people.csv
one_row_per_person: true
ledger: ledger.db
columns:
  age:
    role: quasi-identifier
    hierarchy: {HIERARCHY}
  ill: {role: sensitive, domain: [flu, gout]}
"""
CUTS = "{bins: [[23, 26], [26]], from: data}"
SAFE = (
    "method: {search: safe, beta: 0.85, epsilon: 1, delta: 1e-4}\n"
    "privacy: {neighbours: change-one}\n"
)


def written(folder: Path, hierarchy: str, more: str, **told: str) -> Path:
    (folder / "people.csv").write_text(ROWS)
    text = PLAN.replace("{HIERARCHY}", hierarchy)
    for old, new in told.items():
        text = text.replace(f"    hierarchy: {hierarchy}", f"    hierarchy: {hierarchy}\n    {new}")
        assert old
    (folder / "plan.yaml").write_text(text + more)
    return folder / "plan.yaml"


@pytest.mark.parametrize("stated", [True, False])
def test_the_certificate_of_a_recoded_release_says_so(tmp_path: Path, stated: bool) -> None:
    hierarchy = CUTS if stated else CUTS.replace(", from: data", ", from: public")
    plan = written(tmp_path, hierarchy, "protect: [k-anonymity: 2]\n")
    release = tmp_path / "out"
    hedgerow.publish(plan, to=release)
    certificate = json.loads((release / "certificate.json").read_text())
    assert certificate["plan"].get("from_data") == (["age"] if stated else None)
    assert ("hierarchy of age was made by looking" in certificate["protected"]) == stated
    assert not hedgerow.verify(release, plan=plan).refuted
    # Somebody who takes it out of the plan, or of the certificate, is found out.
    plan.write_text(plan.read_text().replace("from: data", "from: public"))
    assert bool(hedgerow.verify(release, plan=plan).refuted) == stated


def test_a_certificate_without_it_is_refuted(tmp_path: Path) -> None:
    plan = written(tmp_path, CUTS, "protect: [k-anonymity: 2]\n")
    release = tmp_path / "out"
    hedgerow.publish(plan, to=release)
    file = release / "certificate.json"
    told = json.loads(file.read_text())
    del told["plan"]["from_data"]
    file.write_text(json.dumps(told, indent=4, ensure_ascii=False) + "\n")
    assert any("protected" in why or "words" in why for why in hedgerow.verify(release).refuted)


def test_another_origin_is_another_release() -> None:
    from hedgerow.release.partition.fingerprint import key_of

    def key(**more: str) -> str:
        column = {"role": "quasi-identifier", "hierarchy": {"bins": [[23]], **more}}
        return key_of(Plan.of(columns={"age": column}, protect=[{"k-anonymity": 2}]))

    assert key() == key(**{"from": "public"})
    assert key() != key(**{"from": "data"})


REFUSED = {
    "safe": (SAFE, {"a": "domain: ['20', '21', '22']"}),
    "policy": (
        "privacy: {neighbours: change-one}\npolicy: {age: {partition: 1}}\n",
        {"a": "domain: ['20', '21', '22']"},
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("public", [True, False])
def test_what_spends_refuses_it(tmp_path: Path, kind: str, public: bool) -> None:
    more, told = REFUSED[kind]
    hierarchy = CUTS.replace(", from: data", "") if public else CUTS
    file = written(tmp_path, hierarchy, more, **told)
    if kind == "safe":
        file.write_text(file.read_text().replace("role: sensitive", "role: quasi-identifier"))
    plan = Plan.read(file)

    def ask() -> None:
        if kind == "safe":
            from hedgerow.release.safe.request import SafeRequest

            SafeRequest.of(plan)
        else:
            plan.stated()

    if public:
        ask()
    else:
        with pytest.raises(PlanError, match=r"hierarchy of 'age' is from the data"):
            ask()


@pytest.mark.parametrize("public", [True, False])
def test_a_domain_from_it_is_refused(tmp_path: Path, public: bool) -> None:
    """Queries, noisy tables and synthetic rows count the values of a domain."""
    tree = "{taxonomy: {low: ['20', '21'], high: ['28', '29']}, from: data}"
    hierarchy = tree.replace(", from: data", "") if public else tree
    more = "privacy: {neighbours: change-one}\nprotect: [k-anonymity: 2]\n"
    plan = Plan.read(written(tmp_path, hierarchy, more, a="domain: hierarchy"))
    if public:
        assert plan.domain("age") is not None
        return
    with pytest.raises(PlanError, match="tells about the people"):
        plan.domain("age")
