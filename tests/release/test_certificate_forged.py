"""Releases whose data, hash and certificate were edited to fit together, and are still false."""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow.api.verification import verify
from hedgerow.base.errors import ClaimError, DataError, HedgerowError
from hedgerow.claims import (
    AlphaKAnonymity,
    DeltaDisclosure,
    DistinctLDiversity,
    EpsilonPrivacy,
    KAnonymity,
    KMap,
    PrivacyModel,
    RecursiveLDiversity,
    TCloseness,
)
from hedgerow.claims.adversary import ClassI, ClassII, ClassIII, Known
from hedgerow.claims.outside import LISTED, OWN_PRIOR
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.priors import Prior
from hedgerow.claims.protection import protected
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_text import as_text
from hedgerow.release.verification import Verification
from hedgerow.table.schema import Role, Schema

Certificate = dict[str, Any]
COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "levels": [0, 0]},
    "disease": "sensitive",
}


def publish(
    folder: Path, groups: Mapping[str, Sequence[str]], *protect: PrivacyModel, **more: Any
) -> hedgerow.Release:
    rows = [{"age": age, "disease": value} for age, values in groups.items() for value in values]
    given = {"columns": COLUMNS, "method": {"suppress": "10%"}} | more
    return hedgerow.publish(pd.DataFrame(rows), protect=protect, to=folder, **given)


def edit(folder: Path, change: Callable[[Certificate], object]) -> None:
    """Who forges a certificate does not leave the report that says otherwise."""
    (folder / "report.html").unlink(missing_ok=True)
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text("utf-8"))
    certificate["files"].pop("report.html", None)
    change(certificate)
    path.write_text(as_text(certificate), "utf-8")


def put(folder: Path, text: str) -> None:
    """The file anew, in the order rows are written in, with its hash wherever that stands."""
    head, *rows = text.splitlines(keepends=True)
    (folder / "data.csv").write_text(head + "".join(sorted(rows)), "utf-8")
    digest = hashlib.sha256((folder / "data.csv").read_bytes()).hexdigest()

    def change(certificate: Certificate) -> None:
        certificate["data"]["sha256"] = certificate["files"]["data.csv"] = digest

    edit(folder, change)


def both(certificate: Certificate, place: int, model: Any) -> None:
    """A claim's parameters, in both places they stand in."""
    certificate["claims"][place]["model"] = certificate["plan"]["protect"][place]["model"] = model


def verdicts(found: Verification) -> list[str]:
    return [claim.verdict for claim in found.claims]


def refuted(folder: Path, **more: Any) -> str:
    return " | ".join(verify(folder, **more).refuted)


# Columns and orders


@pytest.mark.parametrize("with_plan", [False, True])
def test_a_quasi_identifier_is_not_overlooked(tmp_path: Path, with_plan: bool) -> None:
    """Under an unescaped header everybody has an age of their own."""
    columns: dict[str, Any] = {
        "=age": {"role": "quasi-identifier", "levels": [0, 0]},
        "sex": {"role": "quasi-identifier", "levels": [0, 0]},
        "disease": "sensitive",
    }
    frame = pd.DataFrame({"=age": ["30", "30", "31", "31"], "sex": ["x"] * 4, "disease": ["a"] * 4})
    asked: dict[str, Any] = {
        "columns": columns,
        "protect": [KAnonymity(k=2)],
        "publish": {"to": str(tmp_path / "release"), "escape_formulas": True},
    }
    hedgerow.publish(frame, **asked)
    plan = Plan.of(**asked) if with_plan else None
    assert verify(tmp_path / "release", plan=plan).refuted == ()
    put(tmp_path / "release", "=age,sex,disease\n30,x,a\n31,x,a\n32,x,a\n33,x,a\n")
    worst = {"group": {"sex": "x"}, "records": 4}
    edit(
        tmp_path / "release",
        lambda c: c["claims"][0].update(worst=worst, level=4.0, margin=2.0),
    )
    found = verify(tmp_path / "release", plan=plan)
    assert verdicts(found) == ["refuted"]
    assert "the file has the columns '=age', 'sex' and 'disease', and not \"'=age\"" in " ".join(
        found.refuted
    )


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    publish(tmp_path / "r", {"30": "aabb", "40": "aabb"}, KAnonymity(k=4))
    put(tmp_path / "r", "disease\n" + "a\n" * 8)
    assert verdicts(verify(tmp_path / "r")) == ["refuted"]
    put(tmp_path / "r", "age,disease,more\n" + "30,a,1\n" * 8)
    assert verdicts(verify(tmp_path / "r")) == ["refuted"]


TREE = {"chest": ["flu", "cold"], "belly": ["ulcer", "cancer"]}
NEAR = {"30": ["flu", "cold", "ulcer", "cancer"], "40": ["flu", "cold", "ulcer", "cancer"]}
FAR = "age,disease\n30,flu\n30,flu\n30,cold\n30,cold\n40,ulcer\n40,ulcer\n40,cancer\n40,cancer\n"


def test_the_taxonomy_is_the_plans(tmp_path: Path) -> None:
    """A taxonomy of many levels with one node each makes everything look near."""
    columns = COLUMNS | {"disease": {"role": "sensitive", "hierarchy": {"taxonomy": TREE}}}
    model = TCloseness(t=0.2, of="disease", distance="hierarchical")
    publish(tmp_path / "r", NEAR, model, columns=columns)
    plan = Plan.of(columns=columns, protect=[model])
    assert verify(tmp_path / "r", plan=plan).refuted == ()
    put(tmp_path / "r", FAR)
    order = ["flu", "cold", "ulcer", "cancer"]
    levels = [["one"] * 4] * 9

    def forge(certificate: Certificate) -> None:
        certificate["sensitive"] = {"disease": {"order": order, "levels": levels}}
        level = 0.5 / 9
        worst = {"group": {"age": "30"}, "records": 4}
        certificate["claims"][0].update(level=level, margin=0.2 - level, worst=worst)

    edit(tmp_path / "r", forge)
    assert refuted(tmp_path / "r") == "", "without the plan nobody can say"
    found = verify(tmp_path / "r", plan=plan)
    assert "order: the plan gives the values of 'disease' another order" in " ".join(found.refuted)
    assert found.claims[0].level == pytest.approx(0.5)
    assert verdicts(found) == ["refuted"]
    # The taxonomy left out altogether is no way round it either.
    edit(tmp_path / "r", lambda c: c.update(sensitive={}))
    assert verdicts(verify(tmp_path / "r", plan=plan)) == ["refuted"]
    # Values that the plan's taxonomy lacks are of another release.
    put(tmp_path / "r", FAR.replace("cancer", "mumps"))
    assert "order: the plan's values of 'disease' are others" in refuted(tmp_path / "r", plan=plan)


def test_the_order_is_the_plans(tmp_path: Path) -> None:
    model = TCloseness(t=0.3, of="disease", distance="ordered")
    publish(tmp_path / "r", {"30": ["1", "2", "9", "10"], "40": ["1", "2", "9", "10"]}, model)
    plan = Plan.of(columns=COLUMNS, protect=[model])
    assert verify(tmp_path / "r", plan=plan).refuted == ()
    put(tmp_path / "r", "age,disease\n" + "30,1\n30,2\n" * 2 + "40,9\n40,10\n" * 2)

    def forge(certificate: Certificate) -> None:
        order = ["1", "9", "2", "10"]
        certificate["sensitive"] = {"disease": {"order": order, "levels": []}}
        worst = {"group": {"age": "30"}, "records": 4}
        level = (0.25 + 0 + 0.25) / 3  # by hand: what passes each of the three steps
        certificate["claims"][0].update(level=level, margin=0.3 - level, worst=worst)

    edit(tmp_path / "r", forge)
    assert "are stated to be in another order" in refuted(tmp_path / "r"), "numbers have an order"
    found = verify(tmp_path / "r", plan=plan)
    assert verdicts(found) == ["refuted"]
    assert found.claims[0].level == pytest.approx((0.25 + 0.5 + 0.25) / 3)


def test_a_taxonomy_that_is_not_there(tmp_path: Path) -> None:
    """That is no fault of the release."""
    (tmp_path / "tree.csv").write_text("flu,chest\ncold,chest\nulcer,belly\ncancer,belly\n")
    hierarchy = {"csv": str(tmp_path / "tree.csv")}
    columns = COLUMNS | {"disease": {"role": "sensitive", "hierarchy": hierarchy}}
    publish(tmp_path / "r", NEAR, KAnonymity(k=4), columns=columns)
    plan = Plan.of(columns=columns, protect=[KAnonymity(k=4)])
    assert verify(tmp_path / "r", plan=plan).refuted == ()
    (tmp_path / "tree.csv").unlink()
    with pytest.raises(DataError, match="the plan has the taxonomy of 'disease' in it"):
        verify(tmp_path / "r", plan=plan)


def test_orders_with_escaped_values(tmp_path: Path) -> None:
    """What the plan says of `=x` is said of `'=x` in the file."""
    tree = {"up": ["=x", "-y"], "down": ["flu", "+1"]}
    columns = COLUMNS | {"disease": {"role": "sensitive", "hierarchy": {"taxonomy": tree}}}
    asked: dict[str, Any] = {
        "columns": columns,
        "protect": [TCloseness(t=0.5, of="disease", distance="hierarchical")],
        "publish": {"to": str(tmp_path / "r"), "escape_formulas": True},
    }
    values = ["=x", "-y", "flu", "+1"]
    frame = pd.DataFrame({"age": ["30"] * 4 + ["40"] * 4, "disease": values * 2})
    hedgerow.publish(frame, **asked)
    assert "'=x" in (tmp_path / "r/data.csv").read_text()
    found = verify(tmp_path / "r", plan=Plan.of(**asked))
    assert (found.refuted, verdicts(found)) == ((), ["verified"])


# Claims turned into such as nobody can check


@pytest.fixture
def release(tmp_path: Path) -> Path:
    publish(tmp_path / "release", {"30": "aabb", "40": "aabb"}, KAnonymity(k=4))
    assert refuted(tmp_path / "release") == ""
    return tmp_path / "release"


def test_parameters_left_out(release: Path) -> None:
    def forge(certificate: Certificate) -> None:
        both(certificate, 0, None)
        claim = {"claim": "5000-anonymity", "level": 5000.0, "margin": 0.0, "required": 5000.0}
        certificate["claims"][0] |= claim | {"not_verifiable": "verified by an auditor"}
        certificate["plan"]["protect"][0]["claim"] = "5000-anonymity"

    edit(release, forge)
    said = refuted(release)
    assert "only those of claims about beliefs may be" in said
    assert "auditor" not in said


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, "and there is no reason to"),
        ({"not_verifiable": OWN_PRIOR}, "and there is no reason to"),
        ({"not_verifiable": LISTED}, "for a reason that is not in its words"),
        ({"level": 2.0}, "and not its level"),
        ({"level_withheld": None}, "left out without a reason"),
        ({"required": 7.0}, "it requires 3, not 7.0"),
        ({"adversary": "nobody"}, "only those of claims about beliefs"),
        ({"holds": False}, "does not hold"),
    ],
)
def test_an_epsilon_claim_without_parameters(
    release: Path, changes: dict[str, Any], why: str
) -> None:
    who = str(ClassII(stubbornness=9))
    entry = {
        "claim": f"3-privacy of disease against {who}", "required": 3.0, "level": None,
        "margin": None, "worst": None, "level_withheld": "it is secret", "adversary": who,
        "predicates": "each value", "decided": "by p_in and p_out themselves",
        "not_verifiable": "nobody can", **changes,
    }  # fmt: skip

    def forge(certificate: Certificate) -> None:
        both(certificate, 0, None)
        certificate["claims"][0] |= entry
        certificate["plan"]["protect"][0]["claim"] = entry["claim"]

    edit(release, forge)
    found = verify(release)
    assert verdicts(found) == ["refuted"]
    assert why in found.claims[0].why


def test_honest_claims_without_parameters(tmp_path: Path) -> None:
    """Lists, wishes and priors that are the table's own are left out, and that is no lie."""
    values = ["flu"] * 3 + ["cold"] * 2 + ["hiv"]
    rows = [{"name": f"{a}{i}", "age": a, "disease": v, "wish": ""}
            for a in ("30", "40") for i, v in enumerate(values)]  # fmt: skip
    rows += [{"name": "x", "age": "77", "disease": "flu", "wish": ""}]
    frame = pd.DataFrame(rows)
    shape = Prior.shape(frame.disease.value_counts().to_dict())
    models: list[PrivacyModel] = [
        KAnonymity(k=6),
        EpsilonPrivacy(epsilon=99, of="disease", adversary=ClassIII(prior=shape)),
        EpsilonPrivacy(
            epsilon=Fraction(199, 3), of="disease",  # type: ignore[arg-type]
            adversary=ClassI(prior=shape, stubbornness=30),
        ),
        EpsilonPrivacy(
            epsilon=99, of="disease",
            adversary=ClassI(prior=shape, stubbornness=30, knows=Known(by="name", people=("300",))),
        ),
        EpsilonPrivacy(
            epsilon=99, of="disease", adversary=ClassII(stubbornness=9),
            predicates=Predicates(wishes="wish"),
        ),
    ]  # fmt: skip
    release = hedgerow.publish(
        frame, protect=models, method={"suppress": "10%"}, to=tmp_path / "r",
        columns=COLUMNS | {"name": "identifier", "wish": "identifier"},
    )  # fmt: skip
    assert release.suppressed == 1
    found = verify(release)
    assert found.refuted == ()
    assert verdicts(found) == ["verified"] + ["not verifiable"] * 4
    assert [claim.why for claim in found.claims[1:]] == [OWN_PRIOR, OWN_PRIOR, LISTED, LISTED]
    checks = {check.what: check for check in found.checks}
    assert checks["words"].verdict == "not verifiable"
    # With another version's reasons they stay what they are, in our own words.
    edit(tmp_path / "r", lambda c: c["software"].update(version="9.9"))
    edit(tmp_path / "r", lambda c: c["claims"][1].update(not_verifiable="trust me"))
    again = verify(tmp_path / "r")
    assert again.refuted == ()
    assert again.claims[1].why == "its parameters are not published"


def test_a_model_nobody_knows(release: Path) -> None:
    def forge(certificate: Certificate) -> None:
        both(certificate, 0, {"model": "Perfect"})
        certificate["claims"][0]["not_verifiable"] = "this version does not know 'Perfect'"
        certificate["protected"] = "Everybody."

    edit(release, forge)
    assert "does not know 'Perfect', and is said to have made the certificate" in refuted(release)

    def as_custom(certificate: Certificate) -> None:
        both(certificate, 0, {"model": "custom Perfect"})

    edit(release, as_custom)
    assert "and the certificate says otherwise" in refuted(release)
    edit(
        release,
        lambda c: c["claims"][0].update(
            not_verifiable="this version does not know 'custom Perfect'"
        ),
    )
    found = verify(release)
    assert (found.refuted, verdicts(found)) == ((), ["not verifiable"])
    words = next(check for check in found.checks if check.what == "words")
    assert words.verdict == "not verifiable"
    assert "was not checked" in words.why


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    class Crowd(KAnonymity):
        """Somebody's own."""

    release = publish(tmp_path / "r", {"30": "aabb"}, Crowd(k=4))
    assert release.certificate["claims"][0]["model"] == {"model": "custom Crowd"}
    found = verify(release)
    assert (found.refuted, verdicts(found)) == ((), ["not verifiable"])
    plan = Plan.of(columns=COLUMNS, protect=[Crowd(k=4)])
    with_plan = verify(release, plan=plan)
    assert (with_plan.refuted, verdicts(with_plan)) == ((), ["verified"])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            {"not_verifiable": "nobody can"},
            "says it is not verifiable (nobody can)",
        ),
        ({"level_withheld": "it is secret"}, "it states what it says is withheld"),
        (
            {"level_withheld": "so", "level": None, "margin": None, "worst": None},
            "its level is withheld without a reason",
        ),
        ({"level": None}, "is that of no level"),
    ],
)
def test_reasons_that_are_none(release: Path, changes: dict[str, Any], why: str) -> None:
    edit(release, lambda c: c["claims"][0].update(changes))
    assert why in refuted(release)


def test_a_level_that_must_be_withheld(tmp_path: Path) -> None:
    model = TCloseness(t=0.9, of="disease")
    release = publish(tmp_path / "r", {"30": "aabb" * 5, "77": "a"}, model, KAnonymity(k=2))
    assert release.suppressed == 1

    def state(certificate: Certificate) -> None:
        del certificate["claims"][0]["level_withheld"]
        certificate["claims"][0].update(level=0.0, margin=0.9)

    edit(tmp_path / "r", state)
    assert "its level would be withheld" in refuted(tmp_path / "r")


def test_several_rows_a_person_are_not_made_up(release: Path) -> None:
    """Then nothing would be verifiable any more."""
    edit(release, lambda c: c["plan"].update(person="who"))
    assert "a worst group is named, and people may have several rows" in refuted(release)
    edit(release, lambda c: c["claims"][0].update(worst=None))
    said = refuted(release)
    assert "the certificate says it is verifiable" in said
    assert "words: " in said, "the paragraph, or what it was measured on, is another one"


@pytest.mark.parametrize(
    ("people", "why"),
    [
        ({"in_source": 1_000_000}, "1,000,000 people of whom 0 were left out are not 16 rows"),
        ({"in_source": 3, "left_out": 3}, "are not 16 rows"),
        ({"unit": "people"}, "whether people or rows were counted is said in two ways"),
    ],
)
def test_more_people_than_there_can_be(tmp_path: Path, people: dict[str, Any], why: str) -> None:
    rows = [{"who": str(i), "age": str(30 + i % 2), "disease": "ab"[j]}
            for i in range(8) for j in range(2)]  # fmt: skip
    hedgerow.publish(
        pd.DataFrame(rows), columns=COLUMNS, person="who", rows="at most 2",
        protect=[KAnonymity(k=3)], to=tmp_path / "r",
    )  # fmt: skip
    assert refuted(tmp_path / "r") == ""

    def forge(certificate: Certificate) -> None:
        certificate["people"].update(people)

    edit(tmp_path / "r", forge)
    assert why in refuted(tmp_path / "r")


# What is honest stays verified


@pytest.mark.parametrize(
    ("groups", "model"),
    [
        ({"30": "aaaaabbb"}, RecursiveLDiversity(c=1.6666666666666667, l=2, of="disease")),
        ({"30": "abb", "40": "aab"}, DeltaDisclosure(delta=0.4054651081081644, of="disease")),
    ],
)
def test_strict_claims_that_hold_by_less_than_a_digit(
    tmp_path: Path, groups: dict[str, str], model: PrivacyModel
) -> None:
    release = publish(tmp_path / "r", groups, model)
    (claim,) = release.claims
    assert claim.level == claim.required
    found = verify(release)
    assert (found.refuted, verdicts(found)) == ((), ["verified"])


def test_strict_claims_that_are_only_reached(tmp_path: Path) -> None:
    """Five to three is not less than 5/3, whatever the certificate says."""
    publish(tmp_path / "r", {"30": "aaaabbb"}, RecursiveLDiversity(c=1.5, l=2, of="disease"))
    put(tmp_path / "r", "age,disease\n" + "30,a\n" * 6 + "30,b\n" * 4)

    def forge(certificate: Certificate) -> None:
        certificate["data"]["rows"] = certificate["people"]["in_source"] = 10
        worst = {"group": {"age": "30"}, "records": 10}
        certificate["claims"][0].update(level=1.5, margin=0.0, worst=worst)

    edit(tmp_path / "r", forge)
    assert "it reaches 1.5, required 1.5" in refuted(tmp_path / "r")


# The plan


def test_the_order_of_claims_hides_nothing(tmp_path: Path) -> None:
    """Two claims with the same words and different priors, swapped or replaced."""
    priors = [Prior.shape({"a": 1, "b": 1}), Prior.shape({"a": 1, "b": 3})]
    models: list[PrivacyModel] = [
        EpsilonPrivacy(epsilon=9, of="disease", adversary=ClassIII(prior=prior)) for prior in priors
    ]
    assert str(models[0]) == str(models[1])
    publish(tmp_path / "r", {"30": "aabb", "40": "aabb"}, *models, KAnonymity(k=4))
    for protect in ([*models, KAnonymity(k=4)], [KAnonymity(k=4), models[1], models[0]]):
        plan = Plan.of(columns=COLUMNS, protect=protect)
        found = verify(tmp_path / "r", plan=plan)
        assert (found.refuted, verdicts(found)) == ((), ["verified"] * 3)
    other = EpsilonPrivacy(
        epsilon=9, of="disease", adversary=ClassIII(prior=Prior.shape({"a": 3, "b": 1}))
    )
    for protect in ([KAnonymity(k=4), other, models[0]], [models[0], KAnonymity(k=4), models[0]]):
        said = refuted(tmp_path / "r", plan=Plan.of(columns=COLUMNS, protect=protect))
        assert "with other parameters" in said


def test_texts_that_mean_missing_do_not_make_groups(tmp_path: Path) -> None:
    """Whoever reads the file of another tool sees three labels."""
    path = tmp_path / "other.csv"
    path.write_text("age,disease\nNA,flu\n?,hiv\n,cold\n")
    plan = Plan.of(columns=COLUMNS, null=["NA", "?"], protect=[KAnonymity(k=3)])
    (claim,) = verify(path, plan=plan).claims
    assert (claim.verdict, claim.level) == ("refuted", 1)
    # Among sensitive values they are one, and count as one.
    path.write_text("age,disease\nx,NA\nx,?\nx,\nx,flu\n")
    protect = [DistinctLDiversity(l=n, of="disease") for n in (2, 3)]
    found = verify(path, plan=Plan.of(columns=COLUMNS, null=["NA", "?"], protect=protect))
    assert verdicts(found) == ["verified", "refuted"]
    # And in claims over all columns, where labels are what an attacker sees, they are not.
    protect_all = [KAnonymity(k=n, over="all") for n in (1, 3)]
    found = verify(path, plan=Plan.of(columns=COLUMNS, null=["NA", "?"], protect=protect_all))
    assert verdicts(found) == ["verified", "refuted"]


# Values nobody has, and values that look like others


def test_a_claim_about_a_value_nobody_has(tmp_path: Path) -> None:
    """Of 'hiv ' any table keeps the share low."""
    model = AlphaKAnonymity(alpha=0.25, k=2, of="disease", value="hiv")
    publish(tmp_path / "r", {"30": ["hiv", "flu", "flu", "flu"]}, model)
    put(tmp_path / "r", "age,disease\n" + "30,hiv\n" * 4)
    for value, why in (("hiv ", "may be read as one value"), ("mumps", "nobody has 'mumps'")):
        forged = AlphaKAnonymity(alpha=0.25, k=2, of="disease", value=value)

        def forge(certificate: Certificate, forged: AlphaKAnonymity = forged) -> None:
            parameters = certificate["claims"][0]["model"] | {"value": forged.value}
            both(certificate, 0, parameters)
            certificate["plan"]["protect"][0]["claim"] = str(forged)
            worst = {"group": {"age": "30"}, "records": 4}
            certificate["claims"][0].update(claim=str(forged), level=0.0, margin=0.25, worst=worst)
            schema = Schema({"age": Role.QUASI_IDENTIFIER, "disease": Role.SENSITIVE})
            certificate["protected"] = protected([forged], schema, left_out=0, withheld=[])

        edit(tmp_path / "r", forge)
        found = verify(tmp_path / "r")
        assert verdicts(found) == ["refuted"]
        assert why in found.claims[0].why
        assert all(c.verdict != "refuted" for c in found.checks)


def test_predicates_nobody_has(tmp_path: Path) -> None:
    model = EpsilonPrivacy(
        epsilon=9,
        of="disease",
        adversary=ClassII(stubbornness=9),
        predicates=Predicates(sets=("b",)),
    )
    publish(tmp_path / "r", {"30": "aabb"}, model)
    assert refuted(tmp_path / "r") == ""

    def forge(certificate: Certificate) -> None:
        parameters = copy.deepcopy(certificate["claims"][0]["model"])
        parameters["predicates"]["sets"] = ["zzz"]
        both(certificate, 0, parameters)

    edit(tmp_path / "r", forge)
    assert "nobody has 'zzz' as 'disease'" in refuted(tmp_path / "r")


LIKE_HIV = ["hiv\u200b", "hiv\u00ad", "hi\u0000v", "hiv\u00a0", "\ufeffhiv", "hiv\ufe0f", "ｈｉｖ"]


@pytest.mark.parametrize("other", LIKE_HIV, ids=ascii)
def test_look_alikes_are_neither_published_nor_verified(tmp_path: Path, other: str) -> None:
    protect = [DistinctLDiversity(l=2, of="disease")]
    if "\0" not in other:
        with pytest.raises(ClaimError, match="2-diversity of disease reaches 1"):
            publish(tmp_path / "x", {"30": ["hiv", other] * 2}, *protect)
    release = publish(tmp_path / "r", {"30": ["hiv", "flu"] * 2}, *protect)
    assert release.folder is not None
    put(tmp_path / "r", f"age,disease\n30,hiv\n30,{other}\n30,hiv\n30,{other}\n")
    assert verdicts(verify(tmp_path / "r")) == ["refuted"]
    plan = Plan.of(columns=COLUMNS, protect=protect)
    assert verdicts(verify(tmp_path / "r/data.csv", plan=plan)) == ["refuted"]


# Certificates meant to do harm


EVIL: list[Any] = [
    None, True, -1, 0, 2**63, 10**30, 10**299, 10**400, 0.5, 1e308, -0.0, "", "x", "9" * 400,
    "9" * 5000, "1/" + "9" * 699, "-1/3", "infinite", [], [[]], {}, {"a": [None]}, ["a", "a"],
    "\x1b[31m", "KAnonymity", "ClassIV", "table",
]  # fmt: skip
WIDE: list[PrivacyModel] = [
    KAnonymity(k=4),
    KAnonymity(k=1, over="all"),
    AlphaKAnonymity(alpha=0.9, k=2, of="disease", value="b"),
    RecursiveLDiversity(c=3, l=2, of="disease"),
    TCloseness(t=0.9, of="disease", distance="hierarchical"),
    DeltaDisclosure(delta=2.0, of="disease"),
    EpsilonPrivacy(
        epsilon=9, of="disease", predicates=Predicates(sets=("up", ("a",))),
        adversary=ClassI(prior=Prior.shape({"a": "1/3", "b": 2, "c": 1, "d": 1}), knows=1,
                         stubbornness=20),
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Plan]:
    folder = tmp_path_factory.mktemp("wide") / "release"
    tree = {"up": ["a", "c"], "down": ["b", "d"]}
    columns = COLUMNS | {"disease": {"role": "sensitive", "hierarchy": {"taxonomy": tree}}}
    publish(folder, {"30": "abcd", "40": "abcd"}, *WIDE, columns=columns)
    plan = Plan.of(columns=columns, protect=WIDE)
    assert verify(folder, plan=plan).refuted == ()
    return folder, plan


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in it, mappings and lists included."""
    below: list[tuple[Any, ...]] = []
    if isinstance(value, dict):
        below = [p for k, v in value.items() for p in places(v, (*path, k))]
    elif isinstance(value, list):
        below = [p for k, v in enumerate(value) for p in places(v, (*path, k))]
    return [path, *below] if path else below


@settings(max_examples=300, deadline=None, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_nothing_in_a_certificate_breaks_the_verifier(
    wide: tuple[Path, Plan], data: st.DataObject
) -> None:
    folder, plan = wide
    original = (folder / "certificate.json").read_bytes()
    certificate = json.loads(original)
    path = data.draw(st.sampled_from(places(certificate)))
    new = data.draw(st.sampled_from(EVIL))
    protect = ("plan", "protect")
    for way in {path, (*protect, *path[1:]) if path[0] == "claims" else path}:
        place = certificate
        try:
            for step in way[:-1]:
                place = place[step]
            if way == path or way[-1] in place:
                place[way[-1]] = new
        except (KeyError, TypeError):
            continue
    try:
        (folder / "certificate.json").write_text(as_text(certificate), "utf-8")
        found = verify(folder, plan=plan if data.draw(st.booleans()) else None)
        assert all(math.isfinite(c.required) for c in found.claims if c.required is not None)
    except HedgerowError:
        pass  # it is no certificate any more
    finally:
        (folder / "certificate.json").write_bytes(original)


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        (0, {"k": 10**299}), (0, {"k": "9" * 400}), (0, {"k": "4"}), (3, {"l": 10**30}),
        (3, {"l": "2"}), (4, {"t": "9" * 5000}), (6, {"epsilon": "9" * 400}),
        (6, {"epsilon": 10**299}), (2, {"alpha": "1/" + "9" * 600}), (5, {"delta": 1e299}),
    ],
)  # fmt: skip
def test_numbers_beyond_measure(
    wide: tuple[Path, Plan], place: int, changes: dict[str, Any]
) -> None:
    folder, _ = wide
    original = (folder / "certificate.json").read_bytes()
    try:
        edit(folder, lambda c: both(c, place, c["claims"][place]["model"] | changes))
        found = verify(folder)
        harmless = changes in ({"k": "4"}, {"l": "2"})
        assert found.claims[place].verdict == ("verified" if harmless else "refuted")
    finally:
        (folder / "certificate.json").write_bytes(original)


def test_an_outside_population_that_is_huge(tmp_path: Path) -> None:
    population = pd.DataFrame({"age": ["30"] * 9})
    publish(tmp_path / "r", {"30": "aabb"}, KMap(k=5), population_table=population)
    assert refuted(tmp_path / "r") == ""
    edit(tmp_path / "r", lambda c: both(c, 0, {"model": "KMap", "k": 10**290}))
    assert "too large" in refuted(tmp_path / "r")
