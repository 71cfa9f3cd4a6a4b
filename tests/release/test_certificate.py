"""What stands in a certificate, and what must not."""

from __future__ import annotations

import json
import platform
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pyarrow
import pytest

import hedgerow
from hedgerow.claims import (
    AlphaKAnonymity,
    BetaLikeness,
    Composition,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    EpsilonPrivacy,
    JournalistRisk,
    KAnonymity,
    KMap,
    MarketerRisk,
    PrivacyModel,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
)
from hedgerow.claims.adversary import AtMost, ClassI, ClassII, ClassIII, Known
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.priors import Prior
from hedgerow.claims.protection import protected
from hedgerow.claims.serialisation import models
from hedgerow.release.certificate_schema import certificate_json_schema, misfit
from hedgerow.release.certificate_text import as_text
from hedgerow.release.partition import certificate as certificates
from hedgerow.release.partition.certificate_schema import RecodedCertificate
from hedgerow.release.partition.written_groups import Measured
from hedgerow.table.certificate_file import read_certificate
from hedgerow.table.contents import Contents
from hedgerow.table.groups import Groups
from hedgerow.table.published_table import Published
from hedgerow.table.schema import Role, Schema

DOCS = Path(__file__).parents[2] / "docs"
TREE = {"stomach": ["ulcer", "gastritis"], "chest": ["flu", "asthma"], "HIDDENNODE": ["mumps"]}
COLUMNS: dict[str, Any] = {
    "town": {"role": "quasi-identifier", "levels": [0, 0]},
    "illness": "sensitive",
}


def people(*, town: str = "rare", illness: str | None = None) -> pd.DataFrame:
    """Three towns of four; and, where an illness is named, somebody who will be left out."""
    rows = [
        {"town": town_, "illness": illness_}
        for town_ in "xyz"
        for illness_ in ["ulcer", "gastritis", "flu", "asthma"]
    ]
    rows += [{"town": town, "illness": illness}] if illness else []
    return pd.DataFrame(rows)


def publish(frame: pd.DataFrame, *models: PrivacyModel, **more: Any) -> hedgerow.Release:
    given = {"columns": COLUMNS, "method": {"suppress": "20%"}} | more
    return hedgerow.publish(frame, protect=models, **given)


def test_the_json_schema_is_up_to_date() -> None:
    written = json.loads((DOCS / "certificate.schema.json").read_text("utf-8"))
    # To write it anew: json.dumps(certificate_json_schema(), indent=2, ensure_ascii=False)
    assert written == certificate_json_schema()
    jsonschema.Draft202012Validator.check_schema(written)


@pytest.mark.parametrize("illness", [None, "mumps"])
@pytest.mark.parametrize("ledger", [None, {"id": "a", "seq": 3, "hash": "0f", "reservation": "r"}])
def test_certificates_have_the_form(illness: str | None, ledger: Any) -> None:
    known = Known(by="name", people=("0",))
    frame = people(illness=illness)
    frame["name"] = [str(i) for i in range(len(frame))]
    certificate = publish(
        frame,
        KAnonymity(k=2),
        TCloseness(t=0.9, of="illness"),
        MarketerRisk(risk=0.5),
        EpsilonPrivacy(epsilon=99, of="illness", adversary=ClassII(stubbornness=9)),
        EpsilonPrivacy(epsilon=99, of="illness", adversary=ClassII(stubbornness=9, knows=known)),
        columns=COLUMNS | {"name": "identifier"},
    ).certificate | {"ledger": ledger, "with": ["spring"]}
    assert misfit(certificate, RecodedCertificate) is None
    jsonschema.Draft202012Validator(certificate_json_schema()).validate(certificate)
    assert json.loads(as_text(certificate)) == certificate


def test_the_parts() -> None:
    release = publish(people(), KAnonymity(k=2), null=["?"], population="town")
    found = release.certificate
    assert found["format"] == "hedgerow-certificate/2"
    assert found["software"] == {
        "name": "hedgerow",
        "version": hedgerow.__version__,
        "python": platform.python_version(),
        "libraries": {
            "duckdb": found["software"]["libraries"]["duckdb"],
            "numpy": np.__version__,
            "pyarrow": pyarrow.__version__,
        },
        "configured": {"format": "parquet", "escape_formulas": False},
    }
    assert found["data"]["columns"] == ["town", "illness"]
    assert found["people"] == {"in_source": 12, "left_out": 0}
    assert found["plan"]["null"] == ["?"]
    assert found["plan"]["protect"] == [
        {
            "claim": "2-anonymity",
            "model": {"model": "KAnonymity", "k": 2, "over": "quasi-identifiers"},
        }
    ]
    assert (found["ledger"], found["with"], found["sensitive"]) == (None, [], {})
    (claim,) = found["claims"]
    assert claim == {
        "claim": "2-anonymity",
        "model": {"model": "KAnonymity", "k": 2, "over": "quasi-identifiers"},
        "holds": True,
        "level": 4.0,
        "required": 2.0,
        "margin": 2.0,
        "worst": {"group": {"town": "x"}, "records": 4},
        "adversary": KAnonymity(k=2).attacker,
        "not_verifiable": None,
    }


@pytest.mark.parametrize("towns", [["y", "x", None], [None, "y", "x"], ["x", None, "y"]])
def test_the_worst_group_is_the_same_every_time(towns: list[str | None]) -> None:
    """Three groups are equally bad; the engine gives them in any order."""
    model = KAnonymity(k=2)
    file = pyarrow.table({"town": [town for town in towns for _ in range(4)]})
    contents = Contents.read(file, quasi=["town"])
    measured = Measured(contents.sizes(), "the written file", contents)
    schema = Schema({"town": Role.QUASI_IDENTIFIER})
    worst = certificates._worst(model, model.check(measured.groups), schema, measured)
    assert worst == {"group": {"town": "x"}, "records": 4}


def test_the_worst_group_by_hand() -> None:
    frame = people()
    frame.loc[frame.town == "y", "illness"] = ["flu", "flu", "flu", "asthma"]
    release = publish(frame, DistinctLDiversity(l=2, of="illness"), UniqueShare(share=0.5))
    diversity, unique = release.certificate["claims"]
    assert diversity["worst"] == {"group": {"town": "y"}, "records": 4}
    assert unique["worst"] is None, "it is about the table"


def test_claims_that_need_more_than_the_file_name_no_group() -> None:
    outside = pd.DataFrame({"town": ["x", "y", "z"] * 5})
    release = publish(
        people(), KMap(k=3), DeltaPresence(minimum=0, maximum=0.9), KAnonymity(k=2),
        population_table=outside,
    )  # fmt: skip
    worst = [claim["worst"] for claim in release.certificate["claims"]]
    assert worst == [None, None, {"group": {"town": "x"}, "records": 4}]


# What people left out have


@pytest.mark.parametrize(
    "models",
    [
        [KAnonymity(k=4)],
        [TCloseness(t=0.9, of="illness")],
        [TCloseness(t=0.9, of="illness", distance="hierarchical"), KAnonymity(k=4)],
        [TCloseness(t=0.9, of="illness", distance="ordered"), KAnonymity(k=4)],
        [DistinctLDiversity(l=2, of="illness"), KAnonymity(k=4)],
        [KAnonymity(k=4), EpsilonPrivacy(epsilon=99, of="illness", adversary=ClassII(
            stubbornness=9), predicates=Predicates(sets=["stomach"], negative=True))],
        [KAnonymity(k=4), EpsilonPrivacy(epsilon=99, of="illness", adversary=ClassIII(
            prior=Prior.of_table()))],
        [KAnonymity(k=4), EpsilonPrivacy(epsilon=99, of="illness", adversary=AtMost(
            prior=Prior.uniform()))],
    ],
    ids=lambda models: str(models[-1]),
)  # fmt: skip
def test_not_a_byte_depends_on_their_values(tmp_path: Path, models: list[PrivacyModel]) -> None:
    order = ["mumps", "ulcer", "gastritis", "flu", "asthma"]
    columns = COLUMNS | {
        "illness": {"role": "sensitive", "hierarchy": {"taxonomy": TREE}, "order": order}
    }
    models = [KAnonymity(k=4), *models]
    seen = set()
    for illness in ("ulcer", "flu", "mumps"):
        release = publish(people(illness=illness), *models, columns=columns, to=tmp_path / illness)
        assert release.suppressed == 1
        text = (tmp_path / illness / "certificate.json").read_text("utf-8")
        assert "mumps" not in text
        assert "HIDDENNODE" not in text
        assert "rare" not in text
        seen.add(text)
    assert len(seen) == 1


def own_counts(frame: pd.DataFrame) -> dict[str, int]:
    return {str(value): int(n) for value, n in frame.illness.value_counts().items()}


def test_a_prior_that_is_the_table_itself() -> None:
    """Counted in the source, or typed from it: it would tell what the one left out has."""
    frame = people(illness="flu")
    counts = own_counts(frame)
    twice = {value: 2 * n for value, n in counts.items()}
    other = counts | {"flu": 9}
    hidden = dict.fromkeys([*counts, "mumps"], 1)
    priors = {
        "counts": Prior.counts(counts),
        "shape": Prior.shape(counts),
        "proportions": Prior.shape(twice),
        "hidden": Prior.shape(hidden),
        "other": Prior.shape(other),
    }
    models = [
        EpsilonPrivacy(epsilon=99, of="illness", adversary=ClassI(prior=prior, stubbornness=20))
        for prior in priors.values()
    ]
    release = publish(frame, KAnonymity(k=4), *models)
    assert release.suppressed == 1
    written = {
        name: claim["model"] is not None
        for name, claim in zip(priors, release.certificate["claims"][1:], strict=True)
    }
    assert written == {
        "counts": False, "shape": False, "proportions": False, "hidden": False, "other": True,
    }  # fmt: skip
    planned = [entry["model"] is not None for entry in release.certificate["plan"]["protect"]]
    assert planned == [True, *written.values()]
    why = {claim["not_verifiable"] for claim in release.certificate["claims"][2:5]}
    assert why == {"its prior is not published where people were left out"}
    # With nobody left out the release itself shows it.
    whole = publish(people(), *models[:3])
    assert all(claim["model"] is not None for claim in whole.certificate["claims"])


def test_a_level_that_would_tell_a_hidden_prior(tmp_path: Path) -> None:
    """Measured against the table's own shape it is 1.26 or 1.3125, by what the one left out has."""
    ages = {"30": ["flu"] * 5 + ["hiv"] * 2 + ["cold"] * 3,
            "40": ["flu"] * 3 + ["hiv"] * 3 + ["cold"] * 4}  # fmt: skip
    columns = {"age": {"role": "quasi-identifier", "levels": [0, 0]}, "illness": "sensitive"}
    seen, levels = set(), set()
    for illness in ("flu", "hiv", "cold"):
        rows = [{"age": age, "illness": value} for age, values in ages.items() for value in values]
        frame = pd.DataFrame([*rows, {"age": "77", "illness": illness}])
        own = ClassIII(prior=Prior.shape(own_counts(frame)))
        model = EpsilonPrivacy(epsilon=3, of="illness", adversary=own)
        folder = tmp_path / illness
        release = publish(frame, KAnonymity(k=5), model, columns=columns, to=folder)
        assert release.suppressed == 1
        claim = release.certificate["claims"][1]
        assert (claim["level"], claim["margin"], claim["worst"]) == (None, None, None)
        assert claim["level_withheld"] == "it depends on a prior that is not published"
        levels.add(round(release.claims[1].level, 6))
        seen.add((folder / "certificate.json").read_text("utf-8"))
    assert levels == {1.26, 1.3125}, "the steward sees what the certificate must not say"
    assert len(seen) == 1


def test_how_long_the_search_took_is_not_told() -> None:
    """It depends on every value of the source; the cheapest recoding does not tell as much."""
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 20, 40]}},
        "sex": "quasi-identifier",
        "illness": "sensitive",
    }
    rows = [{"age": str(20 + i % 30), "sex": "FM"[i % 2], "illness": "abc"[i % 3]}
            for i in range(60)]  # fmt: skip
    release = publish(pd.DataFrame(rows), KAnonymity(k=5), columns=columns)
    assert set(release.certificate["search"]) == {
        "optimal", "metric", "cost", "lower_bound", "nodes",
    }  # fmt: skip
    release = publish(
        pd.DataFrame(rows), KAnonymity(k=5), columns=columns, method={"search": "microaggregation"}
    )
    assert set(release.certificate["search"]) == {"method", "k"}


def test_the_bound_of_a_search_that_was_stopped() -> None:
    """How far it came depends on what claims compare with; where that is secret, so is this."""
    detail = {"optimal": False, "metric": "loss", "cost": 0.5, "lower_bound": 0.2, "nodes": 9}
    told = certificates._searched(detail, [{"level": 2.0}], members=False)
    assert told == detail
    told = certificates._searched(detail, [{"level_withheld": "so"}], members=False)
    assert told == {key: value for key, value in detail.items() if key != "lower_bound"}
    proven = detail | {"optimal": True}
    assert certificates._searched(proven, [{"level_withheld": "so"}], members=False) == proven


@pytest.mark.parametrize(
    "model", [KMap(k=2), JournalistRisk(risk=0.5), DeltaPresence(minimum=0, maximum=0.9)]
)
def test_who_is_in_the_table_is_not_told_by_what_was_lost(
    tmp_path: Path, model: PrivacyModel
) -> None:
    """Both releases show the same; only who of the population is behind it differs."""
    columns = {"age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 20]}},
               "illness": "sensitive"}  # fmt: skip
    outside = pd.DataFrame({"age": ["21", "22", "23", "24"] * 5})
    seen, lost = set(), set()
    for ages in (["21", "21", "21", "22"], ["21", "22", "23", "24"]):
        frame = pd.DataFrame({"age": ages, "illness": list("abab")})
        folder = tmp_path / ages[2]
        release = publish(
            frame, model, KAnonymity(k=4), columns=columns, population_table=outside, to=folder,
            utility="non-uniform-entropy",
        )  # fmt: skip
        lost.add(json.dumps(release.utility, sort_keys=True))
        assert release.certificate["utility"] == {}
        assert set(release.certificate["search"]) == {"optimal", "metric"}
        seen.add((folder / "certificate.json").read_text("utf-8"))
    assert len(lost) == 2
    assert len(seen) == 1


def test_order_and_taxonomy_only_where_they_are_needed() -> None:
    columns = COLUMNS | {"illness": {"role": "sensitive", "hierarchy": {"taxonomy": TREE}}}
    plain = publish(people(), TCloseness(t=0.9, of="illness"), columns=columns)
    assert plain.certificate["sensitive"] == {}
    tree = publish(
        people(), TCloseness(t=0.9, of="illness", distance="hierarchical"), columns=columns
    )
    told = tree.certificate["sensitive"]["illness"]
    assert told["order"] == ["ulcer", "gastritis", "flu", "asthma"]
    assert told["levels"] == [["stomach", "stomach", "chest", "chest"], ["*"] * 4]
    assert "HIDDENNODE" not in as_text(tree.certificate)
    order = ["asthma", "flu", "gastritis", "ulcer"]
    columns = COLUMNS | {"illness": {"role": "sensitive", "order": order}}
    ordered = publish(
        people(), TCloseness(t=0.9, of="illness", distance="ordered"), columns=columns
    )
    assert ordered.certificate["sensitive"] == {}, "text in the order of text"
    columns = COLUMNS | {"illness": {"role": "sensitive", "order": order[::-1]}}
    ordered = publish(
        people(), TCloseness(t=0.9, of="illness", distance="ordered"), columns=columns
    )
    assert ordered.certificate["sensitive"]["illness"]["order"][0] == "ulcer"
    assert ordered.claims[0].claim.endswith("distance, ulcer < gastritis < flu < asthma)")


# Words


def test_the_paragraph() -> None:
    schema = Schema(
        {"town": Role.QUASI_IDENTIFIER, "illness": Role.SENSITIVE, "pay": Role.SENSITIVE,
         "ward": Role.INSENSITIVE}
    )  # fmt: skip
    models = [KAnonymity(k=5), DistinctLDiversity(l=3, of="illness")]
    text = protected(models, schema, left_out=2, withheld=["0.2-closeness of illness"])
    assert text.startswith(
        "Somebody who knows a person's quasi-identifiers and that the person is in the table finds "
        "at least 5 people who could be that person; and is left with at least 3 values of "
        "'illness'. Not protected: what the people of a group have in common as 'pay'; the columns "
        "'ward', which are published as they are; a value that is much likelier than the others"
    )
    assert "people in other releases of the same data" in text
    assert "have the raw data, the ledger" in text
    assert "2 people were left out" in text
    assert "1 person was left out;" in protected(models, schema, left_out=1, withheld=[])
    assert "The levels of '0.2-closeness of illness' are withheld" in text
    assert "identity" not in text
    assert "identity: a group may hold a single person" in protected(
        [TCloseness(t=0.2, of="illness")], schema, left_out=0, withheld=[]
    )
    assert "what the people of a group have in common as 'illness' and 'pay'" in protected(
        [KAnonymity(k=5, over="all")], schema, left_out=0, withheld=[]
    )


ILLNESS = Schema({"town": Role.QUASI_IDENTIFIER, "illness": Role.SENSITIVE})
SAME_ILLNESS = "what the people of a group have in common as 'illness'"
ONE_PERSON = "identity: a group may hold a single person"
ALL_SAME = Groups.of({"illness": [{"flu": 4}, {"hiv": 4}]})
ALL_OF_MOST = Groups.of({"illness": [{"flu": 2}, {"flu": 38, "hiv": 2}]})
EACH_ALONE = Groups.of({"illness": [{"flu": 1}, {"hiv": 1}]})
ONE_ALONE = Groups.of({"illness": [{"flu": 1}, {"flu": 3, "hiv": 3}]})


def of(model: PrivacyModel, schema: Schema = ILLNESS) -> str:
    return protected([model], schema, left_out=0, withheld=[])


@pytest.mark.parametrize(
    "model",
    [
        KAnonymity(k=2), KAnonymity(k=1), AlphaKAnonymity(alpha=0.5, k=2, of="illness"),
        AlphaKAnonymity(alpha=0.5, k=1, of="illness"), AlphaKAnonymity(alpha=1, k=2, of="illness"),
        AlphaKAnonymity(alpha=1, k=1, of="illness"),
        DistinctLDiversity(l=2, of="illness"), DistinctLDiversity(l=1, of="illness"),
        ProbabilisticLDiversity(l=1.5, of="illness"), ProbabilisticLDiversity(l=1, of="illness"),
        EntropyLDiversity(l=1.5, of="illness"), EntropyLDiversity(l=1, of="illness"),
        RecursiveLDiversity(c=9, l=2, of="illness"), RecursiveLDiversity(c=9, l=1, of="illness"),
        TCloseness(t=0, of="illness"), TCloseness(t=0.1, of="illness"),
        TCloseness(t=0.5, of="illness"), TCloseness(t=1, of="illness"),
        BetaLikeness(beta=0, of="illness"), BetaLikeness(beta=0.1, of="illness"),
        BetaLikeness(beta=1, of="illness"), BetaLikeness(beta=9, of="illness", kind="enhanced"),
        DeltaDisclosure(delta=9, of="illness"), UniqueShare(share=0), UniqueShare(share=0.5),
        ProsecutorRisk(risk=0.5), ProsecutorRisk(risk=1), MarketerRisk(risk=1),
        EpsilonPrivacy(epsilon=99, of="illness", adversary=ClassII(stubbornness=9)),
        EpsilonPrivacy(epsilon=99, of="illness", adversary=ClassII(stubbornness=9), by="theorem"),
        EpsilonPrivacy(epsilon=99, of="illness", adversary=ClassIII(prior=Prior.uniform())),
        EpsilonPrivacy(epsilon=99, of="illness", adversary=AtMost(prior=Prior.uniform(),
                                                                 stubbornness=50, knows=2)),
        EpsilonPrivacy(epsilon=99, of="illness", adversary=ClassII(stubbornness=9),
                       predicates=Predicates(negative=True)),
        EpsilonPrivacy(epsilon=99, of="illness", adversary=ClassII(stubbornness=9),
                       predicates=Predicates(sets=["hiv"])),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_not_protected_is_what_a_table_can_show(model: PrivacyModel) -> None:
    """Tables in which all of a group are alike, or alone: the paragraph must not deny them."""
    if model.check(ALL_SAME).holds or model.check(ALL_OF_MOST).holds:
        assert SAME_ILLNESS in of(model)
    elif model.attributes == ("illness",):
        assert SAME_ILLNESS not in of(model)
    if model.check(EACH_ALONE).holds or model.check(ONE_ALONE).holds:
        assert ONE_PERSON in of(model)
    elif not isinstance(model, TCloseness | BetaLikeness | DeltaDisclosure):
        assert ONE_PERSON not in of(model)


def test_people_with_several_values_who_share_one() -> None:
    """All have flu, and every value is there: delta-disclosure allows it."""
    schema = Schema(dict(ILLNESS.roles), "who")
    groups = Groups.of({"illness": [{"flu": 2, "hiv": 1}, {"flu": 1, "hiv": 1}]}, n=[2, 2])
    model = DeltaDisclosure(delta=2, of="illness")
    assert model.check(groups).holds
    assert SAME_ILLNESS in of(model, schema)
    alone = Groups.of({"illness": [{"flu": 1, "hiv": 1, "cold": 1}]}, n=[1])
    for diverse in (
        DistinctLDiversity(l=2, of="illness"), EntropyLDiversity(l=2, of="illness"),
        ProbabilisticLDiversity(l=2, of="illness"), RecursiveLDiversity(c=9, l=2, of="illness"),
    ):  # fmt: skip
        assert not diverse.check(alone).holds
        assert ONE_PERSON not in of(diverse, schema)


def test_a_claim_about_one_value() -> None:
    model = AlphaKAnonymity(alpha=0.5, k=2, of="illness", value="flu")
    assert model.check(Groups.of({"illness": [{"hiv": 4}, {"hiv": 2, "flu": 2}]})).holds
    assert f"{SAME_ILLNESS}, other than 'flu'" in of(model)
    both = [model, DistinctLDiversity(l=2, of="illness")]
    assert SAME_ILLNESS not in protected(both, ILLNESS, left_out=0, withheld=[])


def test_only_composition_compares_releases() -> None:
    wishes = EpsilonPrivacy(
        epsilon=9,
        of="illness",
        adversary=ClassII(stubbornness=9),
        predicates=Predicates(wishes="wish"),
    )
    assert "unless they were compared" not in of(wishes)
    assert "unless they were compared" in of(Composition(confidence=0.5, of="illness"))


def test_delta_disclosure_bounds_both_sides() -> None:
    said = DeltaDisclosure(delta=1.5, of="illness").promise
    assert said == (
        "finds each 'illness' of the table less than e^1.5 times and more than e^-1.5 times as "
        "likely as in the whole table"
    )


def test_every_model_has_words_of_its_own() -> None:
    known: dict[str, dict[str, Any]] = {
        "k": {"k": 3}, "alpha": {"alpha": 0.5}, "of": {"of": "illness"}, "l": {"l": 3},
        "c": {"c": 2}, "t": {"t": 0.2}, "delta": {"delta": 1.0}, "beta": {"beta": 1.0},
        "epsilon": {"epsilon": 2}, "adversary": {"adversary": ClassII(stubbornness=9)},
        "minimum": {"minimum": 0}, "maximum": {"maximum": 0.5}, "risk": {"risk": 0.5},
        "share": {"share": 0.5}, "confidence": {"confidence": 0.5},
        "at_most": {"at_most": 0.5}, "fraction": {"fraction": 0.1}, "weights": {"weights": "w"},
    }  # fmt: skip
    told = set()
    for kind in models().values():
        given: dict[str, Any] = {}
        for field in fields(kind):  # type: ignore[arg-type]
            given |= known.get(field.name, {})
            if field.name == "knows" and field.default is MISSING:
                given["knows"] = 2
        model = kind(**given)
        assert "is bounded as the claim" not in model.promise
        told.add(f"{model.attacker} {model.promise}")
    assert len(told) == len(models())
    assert "rule out 1 sensitive values" in RecursiveLDiversity(c=2, l=3, of="x").attacker
    assert "'HIV' of 'x'" in AlphaKAnonymity(alpha=0.5, k=2, of="x", value="HIV").promise


# Certificates of before


def test_old_certificates_can_still_be_applied_and_attacked(tmp_path: Path) -> None:
    first = publish(people(), KAnonymity(k=2), to=tmp_path / "first")
    old = {
        "format": "hedgerow-certificate/0",
        "software": "hedgerow 0.1.0",
        "data": {key: first.certificate["data"][key] for key in ("file", "rows", "sha256")},
        "plan": {"columns": {"town": "quasi-identifier", "illness": "sensitive"}},
        "recoding": first.certificate["recoding"],
        "claims": [{"claim": "2-anonymity", "holds": True, "level": 4.0, "required": 2.0}],
    }
    (tmp_path / "first/certificate.json").write_text(as_text(old), "utf-8")
    assert read_certificate(tmp_path / "first") == old
    again = publish(people(), KAnonymity(k=2), recoding=tmp_path / "first")
    assert again.levels == first.levels
    assert Published.read(tmp_path / "first").sensitive == ("illness",)


def test_text_of_a_certificate() -> None:
    text = as_text({"b": [1, 2.5], "a": "é"})
    assert text == '{\n  "a": "é",\n  "b": [\n    1,\n    2.5\n  ]\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_text({"a": float("nan")})


def test_the_order_values_are_in() -> None:
    assert certificates.default_order("pay", ["100", "9", None, "10"]) == ["9", "10", "100", None]
    assert certificates.default_order("pay", ["100", "9", "x"]) == ["100", "9", "x"]
