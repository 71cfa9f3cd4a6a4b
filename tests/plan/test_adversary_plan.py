"""Adversaries in the plan: every form, what is refused and in which line, the JSON Schema."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from hedgerow import (
    AtMost,
    ClassI,
    ClassII,
    ClassIII,
    ClassIV,
    EpsilonPrivacy,
    Known,
    Plan,
    PlanError,
    Predicates,
    Prior,
)
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.plan.plan import PlanErrors, plan_json_schema

PLAN = """\
source: patients.csv
columns:
  id: identifier
  guard: identifier
  age: quasi-identifier
  ward: insensitive
  disease: {role: sensitive, hierarchy: {taxonomy: {stomach: [ulcer, gastritis], other: [flu]}}}
protect:
  - k-anonymity: 2
  - epsilon-privacy:
      epsilon: 2.5
      adversary: {class: I, prior: metropolis.csv}
"""


def read(folder: Path, text: str) -> Plan:
    file = folder / "plan.yaml"
    file.write_text(text, encoding="utf-8")
    return Plan.read(file)


def claim(folder: Path, adversary: str, more: str = "") -> EpsilonPrivacy:
    """The model of the plan's epsilon-privacy claim."""
    text = PLAN.replace("{class: I, prior: metropolis.csv}", adversary) + more
    (model,) = (m for m in read(folder, text).models() if isinstance(m, EpsilonPrivacy))
    return model


def errors(folder: Path, adversary: str, more: str = "", **changes: str) -> list[tuple[int, str]]:
    """Line and message of everything that is wrong."""
    text = PLAN.replace("{class: I, prior: metropolis.csv}", adversary) + more
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(PlanError) as caught:
        read(folder, text)
    found = caught.value.errors if isinstance(caught.value, PlanErrors) else (caught.value,)
    lines = []
    for error in found:
        match = re.fullmatch(r".*plan\.yaml:(\d+)", str(error.where))
        assert match, error.where
        lines.append((int(match[1]), f"{error.what} | {error.fix}"))
    return lines


# What it may say


@pytest.fixture
def metropolis(tmp_path: Path) -> Path:
    file = tmp_path / "metropolis.csv"
    file.write_text("disease,count\nflu,120\nulcer,30\n")
    return file


COUNTS = Prior.counts({"flu": 120, "ulcer": 30})


@pytest.mark.usefixtures("metropolis")
@pytest.mark.parametrize(
    ("adversary", "meant"),
    [
        ("{class: I, prior: metropolis.csv}", ClassI(prior=COUNTS)),
        ("{class: I, prior: {file: metropolis.csv}, knows: 3}", ClassI(prior=COUNTS, knows=3)),
        ("{class: I, prior: metropolis.csv, knows: {people: 0}}", ClassI(prior=COUNTS)),
        ("{class: I, prior: metropolis.csv, stubbornness: 9.5}",
         ClassI(prior=COUNTS, stubbornness=Fraction(19, 2))),
        ("{class: III, prior: {counts: {flu: 120, ulcer: 30}}}", ClassIII(prior=COUNTS)),
        ("{class: III, prior: {counts: {flu: 12e1, ulcer: 30.0}}}", ClassIII(prior=COUNTS)),
        ("{class: III, prior: {shape: {flu: 0.1, 1: 2}}}",
         ClassIII(prior=Prior.shape({"flu": 0.1, "1": 2}))),
        ("{class: III, prior: uniform, stubbornness: infinite}", ClassIII(prior=Prior.uniform())),
        ("{class: III, prior: {kind: uniform}}", ClassIII(prior=Prior.uniform())),
        ("{class: I, prior: table, stubbornness: 500}",
         ClassI(prior=Prior.of_table(), stubbornness=500)),
        ("{class: at-most, prior: table, stubbornness: 500, at_least: 20}",
         AtMost(prior=Prior.of_table(), stubbornness=500, at_least=20)),
        ("{class: at-most, prior: table, stubbornness: infinite}",
         AtMost(prior=Prior.of_table(), stubbornness=inf)),
        ("{class: at-most, prior: metropolis.csv}", AtMost(prior=COUNTS)),
        ("{class: II, stubbornness: 10000, knows: 1}", ClassII(stubbornness=10000, knows=1)),
        ("{class: IV}", ClassIV()),
        ("{class: IV, stubbornness: infinite, knows: 1}", ClassIV(knows=1)),
    ],
)  # fmt: skip
def test_every_form(tmp_path: Path, adversary: str, meant: object) -> None:
    model = claim(tmp_path, adversary)
    assert model == EpsilonPrivacy(epsilon=2.5, of="disease", adversary=meant)  # type: ignore[arg-type]


def test_files_beside_the_plan_with_columns_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/m.csv").write_text("what,n,year\nflu,120,1\nulcer,30,1\n")
    (tmp_path / "sub/staff.csv").write_text("id,name\n007,Bond\n12,Bean\n007,Bond\n")
    adversary = ("{class: I, prior: {file: sub/m.csv, column: what, count: n}, "
                 "knows: {file: sub/staff.csv, by: id}}")  # fmt: skip
    model = claim(tmp_path, adversary)
    assert model.adversary == ClassI(prior=COUNTS, knows=Known(by="id", people=("007", "12")))
    plan = Plan.read(tmp_path / "plan.yaml")
    assert plan.claim_files == (tmp_path / "sub/m.csv", tmp_path / "sub/staff.csv")


def test_names_that_look_like_numbers_are_names(tmp_path: Path) -> None:
    (tmp_path / "2020").mkdir()
    (tmp_path / "2020/a.csv").write_text("1,2\nflu,120\nulcer,30\n")
    adversary = "{class: I, prior: {file: 2020/a.csv, column: 1, count: 2}}"
    assert claim(tmp_path, adversary).adversary == ClassI(prior=COUNTS)
    text = PLAN.replace("prior: metropolis.csv", "prior: 2020")
    assert read(tmp_path, text).claim_files == (tmp_path / "2020",)


@pytest.mark.usefixtures("metropolis")
def test_predicates_wishes_and_the_rest(tmp_path: Path) -> None:
    adversary = "{class: II, stubbornness: 10}"
    more = "      predicates: [stomach, [flu, 1, null], 2020-01-01]\n      negative: true\n"
    model = claim(tmp_path, adversary, more + "      by: theorem\n      of: disease\n")
    assert model.predicates == Predicates(
        sets=("stomach", ("flu", "1", "null"), "2020-01-01"), negative=True
    )
    assert model.by == "theorem"
    model = claim(tmp_path, adversary, "      wishes: guard\n")
    assert model.predicates == Predicates(wishes="guard")
    assert (model.by, model.facts is None) == ("exact", False)


def test_missing_is_what_the_plan_says_it_is(tmp_path: Path) -> None:
    (tmp_path / "metropolis.csv").write_text("disease,count\nflu,120\n?,30\n")
    model = claim(tmp_path, "{class: I, prior: metropolis.csv}", 'null: ["?"]\n')
    assert model.adversary == ClassI(prior=Prior.counts({"flu": 120, None: 30}))


def test_files_are_read_once_and_not_before_they_are_needed(tmp_path: Path) -> None:
    plan = read(tmp_path, PLAN)
    with pytest.raises(DataError, match=r"metropolis\.csv: there is no such file"):
        plan.models()
    (tmp_path / "metropolis.csv").write_text("disease,count\nflu,1\nulcer,1\n")
    (*_, first), (*_, second) = plan.models(), plan.models()
    assert first.adversary is second.adversary
    (tmp_path / "metropolis.csv").unlink()
    with pytest.raises(DataError, match=r"metropolis\.csv: there is no such file"):
        plan.models()


# What it may not say


@pytest.mark.parametrize(
    ("adversary", "says"),
    [
        ("{prior: uniform}", "'class' is missing"),
        ("{class: V}", "'class' cannot be 'V'"),
        ("{class: 1, prior: uniform}", "'class' cannot be '1'"),
        ("{class: I}", "class I needs a prior"),
        ("{class: III}", "class III needs a prior"),
        ("{class: at-most}", "at-most needs a prior"),
        ("{class: II, prior: uniform, stubbornness: 5}", "class II is every prior"),
        ("{class: IV, prior: uniform}", "class IV is every prior"),
        ("{class: II}", "class II needs a stubbornness"),
        ("{class: II, stubbornness: infinite}", "is class IV, against which nothing helps"),
        ("{class: I, prior: uniform, stubbornness: infinite}", "is that of class III"),
        ("{class: III, prior: uniform, stubbornness: 5}", "of class III is infinite"),
        ("{class: IV, stubbornness: 5}", "of class IV is infinite"),
        ("{class: I, prior: uniform, at_least: 5}", "at_least has no meaning for class I"),
        ("{class: at-most, prior: uniform, stubbornness: 5, at_least: 6}", "(6) is above 5"),
        ("{class: II, stubbornness: 0.5}", "needs a number of at least 1, not 0.5"),
        ("{class: II, stubbornness: -3}", "needs a number of at least 1, not -3"),
        ("{class: II, stubbornness: many}", "at least 1, or infinite, not 'many'"),
        ("{class: II, stubbornness: .nan}", "needs a number of at least 1, not nan"),
        ("{class: II, stubbornness: true}", "needs a number of at least 1, not True"),
        ("{class: II, stubbornness: 5, knows: -1}", "'people' needs a whole number"),
        ("{class: II, stubbornness: 5, knows: 1.5}", "'people' needs a whole number"),
        ("{class: II, stubbornness: 5, knows: {by: id}}", "a number of people, or those on a list"),
        ("{class: II, stubbornness: 5, knows: {file: a.csv}}", "or those on a list"),
        ("{class: II, stubbornness: 5, knows: {file: a.csv, by: id, people: 3}}", "on a list"),
        ("{class: II, stubbornness: 5, knows: {people: 3, by: id}}", "on a list"),
        ("{class: II, stubbornness: 5, knows: {}}", "or those on a list"),
        ("{class: II, stubbornness: 5, knws: 3}", "no key 'knws' here | Did you mean knows?"),
        ("{class: I, prior: }", "'prior' has no value"),
        ("{class: I, prior: {}}", "a prior comes from exactly one place"),
        ("{class: I, prior: {file: a.csv, kind: uniform}}", "exactly one place"),
        ("{class: I, prior: {counts: {flu: 1}, shape: {flu: 1}}}", "exactly one place"),
        ("{class: I, prior: {kind: uniform, column: a}}", "column and count are about a file"),
        ("{class: I, prior: {counts: {flu: 1}, count: a}}", "column and count are about a file"),
        ("{class: I, prior: {kind: unifrom}}", "'kind' cannot be 'unifrom'"),
        ("{class: I, prior: {counts: {flu: 1.5}}}", "'flu' needs a whole number of people"),
        ("{class: I, prior: {counts: {flu: -1}}}", "'flu' needs a whole number of people"),
        ("{class: I, prior: {counts: {flu: true}}}", "'flu' needs a whole number of people"),
        ("{class: I, prior: {counts: {flu: '5'}}}", "'flu' needs a whole number of people"),
        ("{class: I, prior: {counts: {flu: }}}", "'flu' needs a whole number of people"),
        ("{class: I, prior: {counts: {flu: .inf}}}", "'flu' needs a whole number of people"),
        ("{class: I, prior: {counts: {}}}", "does not give each value a whole number"),
        ("{class: I, prior: {counts: [flu]}}", "does not give each value a whole number"),
        ("{class: III, prior: {shape: {flu: 0}}}", "'flu' needs a number above 0"),
        ("{class: III, prior: {shape: {flu: .nan}}}", "'flu' needs a number above 0"),
        ("{class: III, prior: {shape: {}}}", "does not give each value a number above 0"),
        ("{class: III, prior: ['a.csv']}", "name of a file"),
        ("I", "adversary"),
        *((text.replace("N", "9" * 390), "not 999") for text in (
            "{class: II, stubbornness: N}",
            "{class: II, stubbornness: 5, knows: N}",
            "{class: I, prior: {counts: {flu: N}}}",
            "{class: III, prior: {shape: {flu: N}}}",
        )),
    ],
    ids=lambda text: str(text)[:80],
)  # fmt: skip
def test_what_is_refused_and_where(tmp_path: Path, adversary: str, says: str) -> None:
    ((line, said),) = errors(tmp_path, adversary)
    assert line == 12
    assert says in said


def test_the_line_of_the_key(tmp_path: Path) -> None:
    adversary = """
        class: I
        prior:
          counts:
            flu: 5
            ulcer: -5
        stubbornness: 0
        knows: {file: a.csv, by: id, nme: x}"""
    found = errors(tmp_path, adversary)
    assert [line for line, _ in found] == [15, 18, 19]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("      predicates: []\n", "[] is not a list of what must not be learned"),
        ("      predicates: flu\n", "'flu' is not a list of what must not be learned"),
        ("      predicates: [[]]\n", "[] is neither a value nor a list of values"),
        ("      predicates: [[a, [b]]]\n", "neither a value nor a list of values"),
        ("      predicates: [{a: b}]\n", "neither a value nor a list of values"),
        ("      predicates: \n", "'predicates' has no value"),
        ("      negative: yes please\n", "negative"),
        ("      by: guess\n", "'by' cannot be 'guess'"),
        ("      whishes: guard\n", "no key 'whishes' here | Did you mean wishes?"),
    ],
)
def test_predicates_that_are_refused(tmp_path: Path, more: str, says: str) -> None:
    ((line, said),) = errors(tmp_path, "{class: II, stubbornness: 9}", more)
    assert line == 13
    assert says in said


def test_predicates_and_wishes_at_once(tmp_path: Path) -> None:
    more = "      predicates: [flu]\n      wishes: guard\n"
    ((line, said),) = errors(tmp_path, "{class: II, stubbornness: 9}", more)
    assert line == 10
    assert "same for everybody, or each person's own" in said


@pytest.mark.parametrize("epsilon", ["0.99", "-1", ".nan", ".inf", "9" * 390, "true", "two", ""])
def test_epsilons_that_are_none(tmp_path: Path, epsilon: str) -> None:
    ((line, said),) = errors(tmp_path, "{class: IV}", **{"epsilon: 2.5": f"epsilon: {epsilon}"})
    assert line == 11
    assert "epsilon" in said


def test_what_only_python_can_refuse_is_told_with_the_line(tmp_path: Path) -> None:
    plan = read(
        tmp_path,
        PLAN.replace(
            "{class: I, prior: metropolis.csv}",
            "{class: at-most, prior: uniform, stubbornness: 1.0e+301}",
        ),
    )
    with pytest.raises(PlanError, match=r"plan\.yaml:10: the stubbornness is beyond all bounds"):
        plan.models()


def test_the_least_stubborn_are_not_infinitely_so(tmp_path: Path) -> None:
    said = "{class: at-most, prior: uniform, stubbornness: infinite, at_least: infinite}"
    ((line, what),) = errors(tmp_path, said)
    assert line == 12
    assert "'at_least' needs a number of at least 1" in what


# What contradicts the rest of the plan


@pytest.mark.parametrize(
    ("adversary", "more", "line", "says"),
    [
        ("{class: II, stubbornness: 9}", "      wishes: gard\n", 13,
         "there is no column 'gard' | Did you mean 'guard'?"),
        ("{class: II, stubbornness: 9}", "      wishes: disease\n", 13,
         "'disease' says what people want protected, so it must not be published, and its role "
         "is sensitive"),
        ("{class: II, stubbornness: 9}", "      wishes: ward\n", 13, "role is insensitive"),
        ("{class: II, stubbornness: 9}", "      wishes: age\n", 13, "role is quasi-identifier"),
        ("{class: II, stubbornness: 9}", "      of: diseas\n", 13,
         "there is no column 'diseas' | Did you mean 'disease'?"),
        ("{class: II, stubbornness: 9}", "      of: age\n", 13,
         "'age' has the role quasi-identifier, not sensitive"),
        ("{class: II, stubbornness: 9, knows: {file: a.csv, by: idd}}", "", 12,
         "there is no column 'idd' | Did you mean 'id'?"),
        ("{class: II, stubbornness: 9, knows: {file: a.csv, by: ward}}", "", 12,
         "'ward' tells people apart, so it must not be published, and its role is insensitive"),
        ("{class: II, stubbornness: 9, knows: {file: a.csv, by: age}}", "", 12,
         "role is quasi-identifier"),
        ("{class: II, stubbornness: 9, knows: {file: a.csv, by: id}}", "person: guard\n", 12,
         "people are told apart by 'guard', not by 'id'"),
    ],
)  # fmt: skip
def test_contradictions(tmp_path: Path, adversary: str, more: str, line: int, says: str) -> None:
    ((found, said),) = errors(tmp_path, adversary, more)
    assert found == line
    assert says in said


def test_the_person_column_may_be_what_the_list_is_by(tmp_path: Path) -> None:
    text = PLAN.replace("  id: identifier\n", "") + "person: id\n"
    adversary = "{class: II, stubbornness: 9, knows: {file: a.csv, by: id}}"
    assert read(tmp_path, text.replace("{class: I, prior: metropolis.csv}", adversary))


def test_several_sensitive_columns_need_a_name(tmp_path: Path) -> None:
    change = {"ward: insensitive": "ward: sensitive"}
    ((line, said),) = errors(tmp_path, "{class: IV}", **change)
    assert line == 10
    assert "may be about any of 'ward' and 'disease'" in said
    text = PLAN.replace("ward: insensitive", "ward: sensitive") + "      of: ward\n"
    assert read(tmp_path, text).schema().sensitive == ("ward", "disease")


def test_no_sensitive_column(tmp_path: Path) -> None:
    text = re.sub("disease: .*", "disease: insensitive", PLAN)
    with pytest.raises(PlanErrors, match=r"plan\.yaml:10: the claim is about a sensitive column"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"predicates": Predicates(wishes="gard")}, "there is no column 'gard'"),
        ({"predicates": Predicates(wishes="disease")}, "must not be published"),
        ({"adversary": ClassII(stubbornness=9, knows=Known(by="age", people=("1",)))},
         "'age' tells people apart, so it must not be published"),
        ({"of": "age"}, "'age' has the role quasi-identifier"),
    ],
)  # fmt: skip
def test_claims_made_in_python_are_looked_at_too(given: dict[str, Any], says: str) -> None:
    parameters = {
        "epsilon": 2, "of": "disease", "adversary": ClassII(stubbornness=9), **given,
    }  # fmt: skip
    with pytest.raises(PlanErrors, match=says):
        Plan.of(
            columns={"age": "quasi-identifier", "disease": "sensitive", "guard": "identifier"},
            protect=[EpsilonPrivacy(**parameters)],
        )


# JSON Schema

BASE = {
    "columns": {"age": "quasi-identifier", "disease": "sensitive", "id": "identifier"},
    "protect": [{"k-anonymity": 5}],
}
IV = {"class": "IV"}
II = {"class": "II", "stubbornness": 9}
GOOD: list[dict[str, Any]] = [
    *(
        {"epsilon": 1, "adversary": adversary}
        for adversary in (
            IV,
            II,
            II | {"stubbornness": 1.5},
            II | {"knows": 0},
            II | {"knows": {"people": 3}},
            II | {"knows": {"file": "a.csv", "by": "id"}},
            {"class": "I", "prior": "a.csv"},
            {"class": "I", "prior": "uniform"},
            {"class": "I", "prior": {"kind": "table"}, "stubbornness": 5},
            {"class": "I", "prior": {"file": "a.csv", "column": "b", "count": "n"}},
            {"class": "I", "prior": {"counts": {"flu": 0, "": 3}}},
            {"class": "III", "prior": {"shape": {"flu": 0.5, "x": 2}}, "stubbornness": "infinite"},
            {"class": "at-most", "prior": "table", "stubbornness": 9, "at_least": 1},
        )
    ),
    {"epsilon": 2.5, "adversary": II, "predicates": ["flu", ["a", "b"]], "negative": True},
    {"epsilon": 2.5, "adversary": II, "of": "disease", "by": "theorem"},
    {"epsilon": 2.5, "adversary": II, "wishes": "id", "by": "exact"},
]
BAD: list[Any] = [
    None,
    2.5,
    {},
    {"epsilon": 2},
    {"adversary": IV},
    *({"epsilon": epsilon, "adversary": IV} for epsilon in (0.5, 0, -1, "2", None, True, [2])),
    *(
        {"epsilon": 2, "adversary": adversary}
        for adversary in (
            None,
            "IV",
            {},
            {"class": "V"},
            {"class": 4},
            {"stubbornness": 9},
            II | {"stubbornness": 0.5},
            II | {"stubbornness": "9"},
            II | {"stubbornness": "infinity"},
            II | {"stubbornness": None},
            II | {"stubbornness": True},
            II | {"knows": -1},
            II | {"knows": 1.5},
            II | {"knows": "3"},
            II | {"knows": None},
            II | {"knows": {"file": 5, "by": "id"}},
            II | {"knows": {"file": "a.csv", "by": 5}},
            II | {"knows": {"file": "", "by": "id"}},
            II | {"nkows": 1},
            {"class": "I", "prior": 5},
            {"class": "I", "prior": ""},
            {"class": "I", "prior": None},
            {"class": "I", "prior": {"kind": "normal"}},
            {"class": "I", "prior": {"file": "a.csv", "columns": "b"}},
            {"class": "I", "prior": {"file": "a.csv", "column": 5}},
            {"class": "I", "prior": {"counts": {}}},
            {"class": "I", "prior": {"counts": {"flu": -1}}},
            {"class": "I", "prior": {"counts": {"flu": 1.5}}},
            {"class": "I", "prior": {"counts": {"flu": "1"}}},
            {"class": "I", "prior": {"counts": {"flu": True}}},
            {"class": "I", "prior": {"counts": {"flu": None}}},
            {"class": "I", "prior": {"counts": ["flu"]}},
            {"class": "III", "prior": {"shape": {}}},
            {"class": "III", "prior": {"shape": {"flu": 0}}},
            {"class": "III", "prior": {"shape": {"flu": "1"}}},
        )
    ),
    *(
        {"epsilon": 2, "adversary": II, **more}
        for more in (
            {"predicates": []},
            {"predicates": "flu"},
            {"predicates": [[]]},
            {"predicates": [None]},
            {"predicates": [["a", ["b"]]]},
            {"predicates": [{"a": 1}]},
            {"negative": "yes"},
            {"negative": 1},
            {"wishes": 5},
            {"by": "guess"},
            {"of": 5},
            {"of": None},
            {"against": "everybody"},
        )
    ),
]


def document(parameters: Any) -> dict[str, Any]:
    return BASE | {"protect": [{"epsilon-privacy": parameters}]}


@pytest.mark.parametrize("parameters", GOOD, ids=json.dumps)
def test_schema_and_plan_accept(parameters: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(plan_json_schema()).validate(document(parameters))
    assert Plan.model_validate(document(parameters))


@pytest.mark.parametrize("parameters", BAD, ids=json.dumps)
def test_schema_and_plan_refuse(parameters: Any) -> None:
    validator = jsonschema.Draft202012Validator(plan_json_schema())
    assert not validator.is_valid(document(parameters))
    with pytest.raises(ValidationError):
        Plan.model_validate(document(parameters))


# In Python


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: ClassI(prior="a.csv"), "needs a prior, not 'a.csv'"),  # type: ignore[arg-type]
        (lambda: ClassI(prior=Prior.uniform(), knows=-1), "knows a number of people"),
        (lambda: ClassI(prior=Prior.uniform(), knows=True), "knows a number of people"),
        (lambda: ClassI(prior=Prior.uniform(), knows=1.0), "knows a number"),  # type: ignore[arg-type]
        (lambda: ClassI(prior=Prior.uniform(), stubbornness=0), "at least 1, not 0"),
        (lambda: ClassI(prior=Prior.uniform(), stubbornness=inf), "that of class III"),
        (lambda: ClassI(prior=Prior.uniform(), stubbornness="x"), "must be a number"),
        (lambda: ClassII(stubbornness=0.5), "at least 1, not 0.5"),
        (lambda: ClassII(stubbornness=inf), "that of class III"),
        (lambda: AtMost(prior=Prior.uniform(), stubbornness=3, at_least=4), "above the largest"),
        (lambda: Known(by="id", people=()), "empty"),
        (lambda: Known(by="", people=("1",)), "must be named"),
        (lambda: Known(by="id", people="007"), "empty"),  # type: ignore[arg-type]
        (lambda: EpsilonPrivacy(epsilon=0.9, of="s", adversary=ClassIV()), "epsilon must be"),
        (lambda: EpsilonPrivacy(epsilon=2, of="", adversary=ClassIV()), "must be named"),
        (lambda: EpsilonPrivacy(epsilon=2, of="s", adversary="I"), "against an adversary"),  # type: ignore[arg-type]
        (lambda: EpsilonPrivacy(epsilon=2, of="s", adversary=ClassIV(), by="eye"), "'eye'"),  # type: ignore[arg-type]
        (lambda: EpsilonPrivacy(epsilon=2, of="s", adversary=ClassIV(), predicates=["x"]),  # type: ignore[arg-type]
         "are no Predicates"),
    ],
)  # fmt: skip
def test_what_python_refuses(build: Any, says: str) -> None:
    with pytest.raises(HedgerowError) as caught:
        build()
    assert says in str(caught.value)


def test_a_digest_tells_lists_apart_and_nobody_by_name() -> None:
    one, same, other, elsewhere = (
        Known(by="id", people=("1", "2", "1")),
        Known(by="id", people=("2", "1")),
        Known(by="id", people=("12",)),
        Known(by="name", people=("1", "2")),
    )
    assert one.digest == same.digest
    assert len({one.digest, other.digest, elsewhere.digest}) == 3


def test_a_prior_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    prior = tmp_path / "prior.csv"
    prior.write_text("disease,count\nflu,1\nulcer,3\n")
    plan = Plan.of(
        columns={"age": "quasi-identifier", "disease": "sensitive"},
        protect=[{"epsilon-privacy": {"epsilon": 2, "adversary": {"class": "I",
                                                                  "prior": str(prior)}}}],
    )  # fmt: skip
    assert "4 people" in str(plan.models()[0])
    assert plan.models()[0] == plan.models()[0]
    prior.write_text("disease,count\nflu,1\nulcer,30\n")
    assert "31 people" in str(plan.models()[0])
