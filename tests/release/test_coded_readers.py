"""Nobody who reads a coded file says of people what it does not show."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hedgerow
from hedgerow.api.verification import verify
from hedgerow.attacks.person_belief import belief_about
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.claims.protection import protected
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_text import as_text
from hedgerow.release.partition.certificate_consistency import stated_schema

QUASI: dict[str, Any] = {"role": "quasi-identifier", "levels": [0, 0]}
PROTECT: list[Any] = [
    {"k-anonymity": 3},
    {"l-diversity": {"kind": "distinct", "l": 2, "of": "ill"}},
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Ten groups of twelve; in each of them somebody earns more than all others together."""
    rows = [
        {"zip": str(10 + n // 12), "sex": "FM"[n % 2], "ill": "abc"[n % 3],
         "pay": str(1000 if n % 12 == 0 else 1 + n % 3)}
        for n in range(120)
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def plan_of(source: Path, coded: Mapping[str, Any], **more: Any) -> Plan:
    columns: dict[str, Any] = {
        "zip": QUASI, "sex": QUASI, "ill": {"role": "sensitive"}, "pay": {"role": "sensitive"},
    }  # fmt: skip
    columns = {
        name: column | ({"coding": coded[name]} if name in coded else {})
        for name, column in columns.items()
    }
    for name, said in more.pop("columns", {}).items():
        columns[name] |= said
    given: dict[str, Any] = {"protect": PROTECT, "one_row_per_person": True}
    return Plan.of(source=source, columns=columns, **given | more)


def policies(folder: Path, *names: str) -> dict[str, str]:
    return {
        one.requirement: one.verdict
        for profile in hedgerow.report(folder, profiles=names).profiles
        for one in profile.findings
    }


def test_a_single_file_does_not_show_what_its_plan_codes(source: Path, tmp_path: Path) -> None:
    plan, out = plan_of(source, {"ill": {"pram": 0.3}}), tmp_path / "out"
    hedgerow.publish(plan, to=out)
    found = verify(out / "data.csv", plan=plan)
    assert [claim.verdict for claim in found.claims] == ["verified", "not verifiable"]
    # Nor is it refuted for groups that a lot made small.
    plan = plan_of(source, {"sex": {"swap": 0.9}, "pay": {"microaggregate": "mean"}})
    hedgerow.publish(plan, to=tmp_path / "swapped")
    found = verify(tmp_path / "swapped" / "data.csv", plan=plan)
    assert not found.refuted
    assert {claim.verdict for claim in found.claims} == {"not verifiable"}


def test_policies_do_not_judge_what_a_coding_hides(source: Path, tmp_path: Path) -> None:
    amounts = "in no cell do the 2 largest have more than 90% of an amount"
    means = plan_of(source, {"pay": {"microaggregate": "mean"}})
    hedgerow.publish(means, to=tmp_path / "means")
    # In every group one person has more than 90 % of what its mean adds up to.
    found = policies(tmp_path / "means", "uk-tre", "ema-0070")
    assert {v for asked, v in found.items() if asked.startswith(amounts)} == {"not checkable"}
    # Its groups are those of the file, six people each.
    assert found["each cell counts at least 10"] == "not met"
    groups = plan_of(source, {"sex": {"swap": 0.5}, "ill": {"pram": 0.5}})
    hedgerow.publish(groups, to=tmp_path / "groups")
    found = policies(tmp_path / "groups", "uk-tre", "ema-0070", "cms-cell-size")
    for asked in ("each cell counts", "no cell is zero", "the largest risk", "no group of people",
                  "no combination of all columns"):  # fmt: skip
        assert {v for one, v in found.items() if one.startswith(asked)} == {"not checkable"}, asked


def test_attacks_that_fail_on_coded_columns_meet_no_policy(source: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({
        "source": str(source), "one_row_per_person": True, "protect": [{"k-anonymity": 3}],
        "columns": {
            "zip": QUASI, "sex": "insensitive", "pay": "insensitive",
            "ill": {"role": "sensitive", "coding": {"pram": 0.1}},
        },
    }))  # fmt: skip
    hedgerow.publish(plan, to=tmp_path / "out")
    (found,) = hedgerow.report(tmp_path / "out", plan=plan, profiles=["wp216"]).profiles
    tried = [one for one in found.findings if "guesses right" in one.evidence]
    assert tried
    assert "met" not in {one.verdict for one in tried}


def test_a_single_file_is_attacked_as_its_plan_codes_it(source: Path, tmp_path: Path) -> None:
    plan, out = plan_of(source, {"ill": {"pram": 0.4}}), tmp_path / "out"
    hedgerow.publish(plan, to=out)
    quasi = ["zip", "sex"]
    for one in hedgerow.attack(out / "data.csv", plan=plan, sensitive=["ill"], quasi=quasi):
        assert any("does not show what people have as ill" in line for line in one.sentences)


def test_what_is_believed_of_a_person_says_what_was_coded(source: Path, tmp_path: Path) -> None:
    coded = {"ill": {"pram": 0.4}, "pay": {"microaggregate": "mean"}}
    plan, out, person = plan_of(source, coded), tmp_path / "out", {"zip": "11", "pay": "1000"}
    hedgerow.publish(plan, to=out)
    told = " ".join(belief_about([out], person, plan=plan, of="ill", register=source).sentences)
    assert "out does not show what people have as ill: it is coded" in told
    assert "not what the plan makes" not in told
    with pytest.raises(HedgerowError, match="need not be anybody's own"):
        belief_about([out], person, plan=plan, of="pay", register=source)


def forged(folder: Path, change: Callable[[dict[str, Any]], object], plan: Plan | None) -> str:
    """What is refuted of a certificate somebody edited, with hashes and words that fit."""
    certificate = json.loads((folder / "certificate.json").read_text())
    change(certificate)
    (folder / "report.html").unlink(missing_ok=True)
    certificate["files"].pop("report.html", None)
    digest = hashlib.sha256((folder / "data.csv").read_bytes()).hexdigest()
    certificate["data"]["sha256"] = certificate["files"]["data.csv"] = digest
    models = plan_of(Path("people.csv"), {}).models()
    secret = [c["claim"] for c in certificate["claims"] if c.get("level_withheld") is not None]
    certificate["protected"] = protected(
        models, stated_schema(certificate), left_out=0, withheld=secret
    )
    text = (folder / "certificate.json").read_text()
    (folder / "certificate.json").write_text(as_text(certificate))
    found = "; ".join(verify(folder, plan=plan).refuted)
    (folder / "certificate.json").write_text(text)
    return found


def test_what_a_publisher_could_add_to_a_coding_is_refuted(source: Path, tmp_path: Path) -> None:
    coded = {"ill": {"pram": 0.3}, "pay": {"swap": 0.1}}
    plan, out = plan_of(source, coded), tmp_path / "out"
    hedgerow.publish(plan, to=out)
    assert forged(out, lambda told: None, plan) == ""

    def edited(name: str, known: Plan | None = None, **said: Any) -> str:
        return forged(out, lambda told: told["codings"][name].update(said), known)

    assert "the values of 'ill' are from the data" in edited("ill", plan, from_data=False)
    assert "no share" in edited("pay", rate="-1")
    assert "its epsilon is" in edited("ill", epsilon=1e6)
    on = "the written file"
    assert "before a coding" in forged(out, lambda told: told.update(measured_on=on), None)
    # The plan's domain has four values, and a certificate that says three states less epsilon.
    listed = plan_of(source, coded, columns={"ill": {"domain": ["a", "b", "c", "d"]}})
    assert "domain of 'ill'" in edited("ill", listed, from_data=False)


def test_values_that_no_coding_hides_are_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"zip": ["1"] * 4, "ill": ["a"] * 4, "pay": [None] * 4, "n": list("abab")})
    columns: dict[str, Any] = {"zip": "quasi-identifier", "n": "insensitive", "pay": "insensitive"}

    def published(**coded: Any) -> pd.DataFrame:
        columns.update({n: {"role": "insensitive", "coding": c} for n, c in coded.items()})
        release = hedgerow.publish(
            frame, columns={"ill": "insensitive", **columns}, protect=[{"k-anonymity": 3}],
            one_row_per_person=True,
        )  # fmt: skip
        return release.to_pandas()

    for by in ("mean", "median", "mode"):
        assert published(pay={"microaggregate": by})["pay"].isna().all()
    with pytest.raises(DataError, match="one value only"):
        published(ill={"pram": 0.5})
    with pytest.raises(DataError, match="one value only"):
        published(ill={"pram": {"stay": 0.5, "invariant": True}})


def test_the_file_of_a_coded_release_is_not_taken_for_the_truth(
    source: Path, tmp_path: Path
) -> None:
    hedgerow.publish(plan_of(source, {"ill": {"pram": 0.3}}), to=tmp_path / "out")
    for place in ("out", "out/data.csv"):
        claim = {"composition": {"confidence": 0.99, "of": "ill", "with": [str(tmp_path / place)]}}
        with pytest.raises(HedgerowError, match="does not show what people have as 'ill'"):
            hedgerow.publish(plan_of(source, {}, protect=[{"k-anonymity": 3}, claim]))


def test_what_is_replaced_counts_where_no_ledger_does(source: Path, tmp_path: Path) -> None:
    plan, out = plan_of(source, {"ill": {"pram": 0.3}}), tmp_path / "out"
    hedgerow.publish(plan, to=out)
    for many in (1, 2):
        hedgerow.publish(plan, to=out, replace=True, anew=True)
        told = json.loads((out / "certificate.json").read_text())
        coding = told["codings"]["ill"]
        assert coding["earlier"]["releases"] == many
        assert coding["earlier"]["epsilon"] == pytest.approx((many + 1) * coding["epsilon"])
        assert "with noise has a loss of its own" in told["protected"]
    # A release that the ledger knows is counted once, though it is also in the folder.
    more: dict[str, Any] = {"population": "town", "ledger": tmp_path / "ledger.db"}
    plan, out = plan_of(source, {"ill": {"pram": 0.3}}, **more), tmp_path / "other"
    hedgerow.publish(plan, to=out)
    hedgerow.publish(plan, to=out, replace=True, anew=True)
    told = json.loads((out / "certificate.json").read_text())
    assert told["codings"]["ill"]["earlier"]["releases"] == 1
