"""The plan file: what it reads, what it refuses and how it says so, and its JSON Schema."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from pydantic import ValidationError
from work import growth, steps

from hedgerow.base.errors import PlanError
from hedgerow.plan.plan import Method, Plan, PlanErrors, _is_text, plan_json_schema
from hedgerow.plan.yaml_document import parse_document
from hedgerow.table.hierarchy_builders import FromCsv, Prefix, Ranges, Suppression, Taxonomy
from hedgerow.table.schema import Role

DOCS = Path(__file__).parents[2] / "docs"

GOOD = """\
population: gotham-inpatients
source: patients.csv
person: patient_id
columns:
  name: {role: identifier}
  zip: {role: quasi-identifier, hierarchy: {prefix: 5}}
  age: {role: quasi-identifier, hierarchy: {ranges: [5, 10, 20, 40]}, levels: [1, 3]}
  nationality: {role: quasi-identifier, hierarchy: sub/nationality.csv, missing: suppress}
  no: quasi-identifier
  2020: insensitive
  disease: {role: sensitive, hierarchy: {taxonomy: {any: [1, 02, null, 2024-01-01]}}}
null: ["", NA, null, 99]
protect:
  - k-anonymity: 5
  - l-diversity: {kind: entropy, l: 2.5}
  - t-closeness: {t: 0.2, distance: hierarchical}
  - k-map: {k: 5, population: everybody.csv}
  - alpha-k-anonymity: {alpha: 0.5, k: 5, value: 7}
method: {search: lattice, suppress: 5%}
publish: {to: release/}
"""


def read(folder: Path, text: str | bytes) -> Plan:
    file = folder / "plan.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Plan.read(file)


def errors(folder: Path, text: str | bytes) -> list[tuple[int, str]]:
    """Line and message of everything that is wrong."""
    with pytest.raises(PlanError) as caught:
        read(folder, text)
    found = caught.value.errors if isinstance(caught.value, PlanErrors) else (caught.value,)
    lines = []
    for error in found:
        match = re.fullmatch(r".*plan\.yaml:(\d+)", str(error.where))
        assert match, error.where
        lines.append((int(match[1]), f"{error.what} | {error.fix}"))
    return lines


def test_reads_everything(tmp_path: Path) -> None:
    plan = read(tmp_path, GOOD)
    assert plan.population == "gotham-inpatients"
    assert plan.source == str(tmp_path / "patients.csv")
    assert plan.null == ("", "NA", "null", "99")
    assert plan.method.suppress == 0.05
    assert plan.method.search == "lattice"
    assert plan.publish is not None
    assert plan.publish.to == tmp_path / "release"
    assert plan.population_file == tmp_path / "everybody.csv"
    assert plan.columns["age"].levels == (1, 3)
    assert plan.columns["nationality"].missing == "suppress"
    assert plan.hierarchy_spec("zip") == Prefix(length=5)
    assert plan.hierarchy_spec("age") == Ranges(widths=(5, 10, 20, 40))
    assert plan.hierarchy_spec("nationality") == FromCsv(tmp_path / "sub/nationality.csv")
    assert plan.hierarchy_spec("no") == Suppression()
    assert plan.where("columns", "age").endswith("plan.yaml:7")


def test_labels_are_what_is_written(tmp_path: Path) -> None:
    """Other YAML readers make 2024-01-01 a date, 02 an octal number and null nothing."""
    spec = read(tmp_path, GOOD).hierarchy_spec("disease")
    assert isinstance(spec, Taxonomy)
    assert [row[0] for row in spec.rows] == ["1", "02", "null", "2024-01-01"]


def test_the_schema_has_roles_in_order(tmp_path: Path) -> None:
    plan = read(tmp_path, GOOD)
    schema = plan.schema()
    assert schema.person == "patient_id"
    assert schema.roles["patient_id"] is Role.IDENTIFIER
    assert schema.quasi_identifiers == ("zip", "age", "nationality", "no")
    assert schema.sensitive == ("disease",)
    assert schema.published == ("zip", "age", "nationality", "no", "2020", "disease")
    assert list(plan.schema(["age", "zip"]).roles) == ["age", "zip"]


def test_models_one_for_each_sensitive_column() -> None:
    models = pytest.importorskip("hedgerow.claims")
    plan = Plan.of(
        columns={
            "age": "quasi-identifier",
            "a": {"role": "sensitive", "hierarchy": {"taxonomy": {"x": ["1"], "y": ["2"]}}},
            "b": "sensitive",
        },
        protect=[
            {"k-anonymity": {"k": 5, "over": "all"}},
            {"l-diversity": 3},
            {"l-diversity": {"kind": "probabilistic", "l": 2.5, "of": "b"}},
            {"l-diversity": {"kind": "entropy", "l": 3, "of": "a"}},
            {"l-diversity": {"kind": "recursive", "l": 3, "c": 4, "of": "a"}},
            {"t-closeness": {"t": 0.2, "distance": "hierarchical", "of": "a"}},
            {"alpha-k-anonymity": {"alpha": 0.5, "k": 5, "of": "a", "value": "1"}},
            {"delta-disclosure": {"delta": 1.0, "of": "b"}},
            {"beta-likeness": {"beta": 2, "kind": "enhanced", "of": "b"}},
            {"delta-presence": {"max": 0.5, "population": "p.csv"}},
            {"k-map": {"k": 4, "population": "p.csv"}},
            {"prosecutor-risk": "9%"},
            {"journalist-risk": {"risk": 0.09, "population": "p.csv"}},
            {"marketer-risk": 0.05},
            {"unique-share": 0},
            models.KAnonymity(k=7),
        ],
    )
    assert plan.models() == (
        models.KAnonymity(k=5, over="all"),
        models.DistinctLDiversity(l=3, of="a"),
        models.DistinctLDiversity(l=3, of="b"),
        models.ProbabilisticLDiversity(l=2.5, of="b"),
        models.EntropyLDiversity(l=3, of="a"),
        models.RecursiveLDiversity(c=4, l=3, of="a"),
        models.TCloseness(t=0.2, distance="hierarchical", of="a"),
        models.AlphaKAnonymity(alpha=0.5, k=5, of="a", value="1"),
        models.DeltaDisclosure(delta=1.0, of="b"),
        models.BetaLikeness(beta=2, of="b", kind="enhanced"),
        models.DeltaPresence(minimum=0, maximum=0.5),
        models.KMap(k=4),
        models.ProsecutorRisk(risk=0.09),
        models.JournalistRisk(risk=0.09),
        models.MarketerRisk(risk=0.05),
        models.UniqueShare(share=0),
        models.KAnonymity(k=7),
    )


def test_all_errors_at_once_by_line(tmp_path: Path) -> None:
    found = errors(
        tmp_path,
        """\
sorce: patients.csv
columns:
  name: {role: identifer}
  zip: {role: quasi-identifier, hierarchy: {prefx: 5}}
  age: {role: quasi-identifier, hierarchy: {ranges: [5, 12]}}
  age: {role: sensitive}
  country: {role: quasi-identifier, hierarchy: {taxonomy: {a: [b], c: [b]}}}
  disease: {hierarchy: disease.csv}
  empty:
protect:
  - k-anonimity: 5
  - l-diversity: {kind: entropic, l: 3}
method: {search: latice, suppress: 5}
utility: los
publish: {format: csv}
""",
    )
    wanted = [
        (1, "no key 'sorce'", "Did you mean source?"),
        (3, "'role' cannot be 'identifer'", "Did you mean identifier? There are identifier, quasi"),
        (4, "no key 'prefx'", "Did you mean prefix?"),
        (5, "width 12 is not a larger multiple of 5", "Use 15"),
        (6, "key 'age' stands twice (first in line 5)", "Keep one"),
        (7, "'b' stands in the taxonomy more than once", "one place"),
        (8, "key 'role' is missing", "identifier: dropped"),
        (9, "'empty' has no value", ""),
        (11, "no key 'k-anonimity'", "Did you mean k-anonymity?"),
        (12, "'kind' cannot be 'entropic'", "Did you mean entropy?"),
        (13, "'search' cannot be 'latice'", "Did you mean lattice?"),
        (13, "'suppress' needs a number", "write 5%"),
        (14, "'utility' cannot be 'los'", "Did you mean loss?"),
        (15, "key 'to' is missing", "Folder"),
    ]
    assert [line for line, _ in found] == [line for line, _, _ in wanted]
    for (_, said), (_, what, fix) in zip(found, wanted, strict=True):
        assert what in said
        assert fix in said


def test_contradictions_are_told_beside_other_errors(tmp_path: Path) -> None:
    found = errors(
        tmp_path,
        """\
columns:
  a: sensitive
  b: sensitive
  p: insensitive
person: p
protect:
  - t-closeness: {t: 0.2, of: c}
  - t-closeness: {t: 0.2, of: p}
  - t-closeness: {t: 0.2, of: a, distance: hierarchical}
  - k-map: {k: 5, population: one.csv}
  - k-map: {k: 5, population: two.csv}
  - alpha-k-anonymity: {alpha: 0.5, k: 5, value: 7}
method: {serch: lattice}
""",
    )
    wanted = [
        (1, "no column is a quasi-identifier"),
        (4, "'p' is the person column"),
        (7, "there is no column 'c'"),
        (8, "'p' has the role insensitive"),
        (9, "'a' has no hierarchy"),
        (11, "two.csv' is another than"),
        (12, "'7' may be a value of 'a' and 'b'"),
        (13, "no key 'serch'"),
    ]
    assert [line for line, _ in found] == [line for line, _ in wanted]
    for (_, said), (_, what) in zip(found, wanted, strict=True):
        assert what in said


BASE = {
    "columns": {"age": "quasi-identifier", "disease": "sensitive"},
    "protect": [{"k-anonymity": 5}],
}
GOOD_DOCUMENTS: list[dict[str, Any]] = [
    {},
    {"columns": {"age": {"role": "quasi-identifier"}}},
    {"columns": {"": "quasi-identifier"}},
    {"population": "x", "source": "y.csv", "person": "p", "null": ["", "NA"]},
    {"protect": [{"k-anonymity": {"k": 2, "over": "all"}}]},
    {"protect": [{"l-diversity": 1.5 + 0.5}, {"l-diversity": {"l": 1.5, "kind": "entropy"}}]},
    {"protect": [{"t-closeness": 0}, {"t-closeness": {"t": 1, "distance": "ordered"}}]},
    {"protect": [{"prosecutor-risk": "9.5%"}, {"unique-share": "100%"}, {"marketer-risk": 1}]},
    {"protect": [{"beta-likeness": 3}, {"delta-disclosure": 0.1}]},
    {"protect": [{"delta-presence": {"max": 0.5, "population": "p.csv"}}]},
    {"method": "mondrian"},
    {
        "method": {
            "search": "mondrian",
            "mode": "relaxed",
            "boxes": "taxonomy",
            "suppress": 0.05,
            "time": 1.5,
        }
    },
    {"method": {"suppress": "5%", "keep_suppressed": True}},
    {"utility": "granularity", "publish": "release"},
    {"publish": {"to": "x", "format": "parquet", "escape_formulas": True}},
    *(
        {"columns": {"age": {"role": "quasi-identifier", "hierarchy": hierarchy}}}
        for hierarchy in (
            "file.csv",
            "suppression",
            "dates",
            {"csv": "file.csv"},
            {"ranges": [5, 10]},
            {"ranges": {"widths": [0.5], "origin": -1}},
            {"prefix": 5},
            {"prefix": {"length": 5, "steps": [1, 5]}},
            {"dates": ["month", "year"]},
            {"bins": [[1, 2.5]]},
            {"coding": {"top": 90}},
            {
                "coding": [
                    {"bottom": 18, "top": 90, "round": 5},
                    {"bottom": 18, "top": 90, "round": 15},
                ]
            },
            {"bins": [[["a", 1], ["b"]]]},
            {"taxonomy": {"a": ["b", {"c": ["d"]}], "e": None}},
            {"suppression": True},
        )
    ),
    {"columns": {"age": {"role": "quasi-identifier", "missing": "refuse", "levels": [0, 0]}}},
]
BAD_DOCUMENTS: list[dict[str, Any]] = [
    {"columns": {}},
    {"columns": None},
    {"columns": ["age"]},
    {"columns": {"age": {}}},
    {"columns": {"age": None}},
    {"columns": {"age": 5}},
    {"columns": {"age": "quasi"}},
    {"columns": {"age": {"role": "quasi-identifier", "rank": 1}}},
    {"protect": []},
    {"protect": {"k-anonymity": 5}},
    {"protect": [{}]},
    {"protect": ["k-anonymity"]},
    {"protect": [{"k-anonymity": 5, "unique-share": 0}]},
    {"protect": [{"k-anonymity": None}]},
    {"protect": [{"k-anonymity": True}]},
    {"protect": [{"k-anonymity": 1}]},
    {"protect": [{"k-anonymity": 2.5}]},
    {"protect": [{"k-anonymity": -5}]},
    {"protect": [{"k-anonymity": "5"}]},
    {"protect": [{"k-anonymity": {"over": "all"}}]},
    {"protect": [{"k-anonymity": {"k": 5, "over": "some"}}]},
    {"protect": [{"l-diversity": 1}]},
    {"protect": [{"l-diversity": {"l": 3, "kind": "entropi"}}]},
    {"protect": [{"t-closeness": 1.5}]},
    {"protect": [{"alpha-k-anonymity": {"alpha": 1, "k": 5}}]},
    {"protect": [{"alpha-k-anonymity": {"alpha": 0.5}}]},
    {"protect": [{"delta-disclosure": 0}]},
    {"protect": [{"beta-likeness": {"beta": 1, "kind": "best"}}]},
    {"protect": [{"delta-presence": {"min": 0.5, "population": "p.csv"}}]},
    {"protect": [{"k-map": 5}]},
    {"protect": [{"k-map": {"k": 5}}]},
    {"protect": [{"prosecutor-risk": 0}]},
    {"protect": [{"prosecutor-risk": "101%"}]},
    {"protect": [{"unique-share": "5 per cent"}]},
    {"protect": [{"unique-share": True}]},
    {"protect": [{"privacy": 5}]},
    {"method": {"suppress": 5}},
    {"method": {"suppress": -0.1}},
    {"method": {"suppress": True}},
    {"method": {"keep_suppressed": "yes"}},
    {"method": {"keep_suppressed": 1}},
    {"method": {"time": 0}},
    {"method": {"time": "60"}},
    {"method": {"search": None}},
    {"method": None},
    {"utility": 1},
    {"publish": {}},
    {"publish": {"to": ""}},
    {"publish": {"to": "x", "format": "xlsx"}},
    {"null": "NA"},
    {"null": [None]},
    {"person": 5},
    {"colums": {}},
    *(
        {"columns": {"age": {"role": "quasi-identifier", "hierarchy": hierarchy}}}
        for hierarchy in (
            5,
            [],
            {},
            {"csv": 5},
            {"csv": "a.csv", "prefix": 5},
            {"ranges": []},
            {"ranges": 5},
            {"ranges": ["a"]},
            {"ranges": [True]},
            {"ranges": {"origin": 5}},
            {"prefix": 0},
            {"prefix": "5"},
            {"prefix": {"length": 5, "steps": []}},
            {"dates": ["week"]},
            {"dates": []},
            {"coding": {}},
            {"coding": []},
            {"coding": {"top": "old"}},
            {"coding": {"round": 0}},
            {"bins": []},
            {"bins": [[]]},
            {"bins": [5]},
            {"bins": [["a"]]},
            {"taxonomy": "a"},
            {"suppression": False},
            {"trees": {}},
        )
    ),
    *(
        {"columns": {"age": {"role": "quasi-identifier", "levels": levels}}}
        for levels in (1, [1], [0, 1, 2], [-1, 1], [0.5, 1], [False, True])
    ),
]


def of(document: dict[str, Any]) -> Plan:
    return Plan.model_validate(BASE | document)


@pytest.mark.parametrize("document", GOOD_DOCUMENTS, ids=lambda d: json.dumps(d))
def test_schema_and_plan_accept(document: dict[str, Any]) -> None:
    if "columns" in document:
        document = {"protect": [{"k-anonymity": 5}]} | document
    jsonschema.Draft202012Validator(plan_json_schema()).validate(BASE | document)
    assert of(document)


@pytest.mark.parametrize("document", BAD_DOCUMENTS, ids=lambda d: json.dumps(d))
def test_schema_and_plan_refuse(document: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(plan_json_schema()).is_valid(BASE | document)
    with pytest.raises(ValidationError):
        of(document)


@pytest.mark.parametrize(
    ("protect", "says"),
    [
        ({"l-diversity": {"l": 3, "kind": "recursive"}}, "needs c"),
        ({"l-diversity": {"l": 3, "c": 4}}, "c has no meaning"),
        ({"l-diversity": 2.5}, "cannot be 2.5"),
        ({"delta-presence": {"min": 0.6, "max": 0.5, "population": "p"}}, "above max"),
        ({"k-anonymity": float("nan")}, "not nan"),
        ({"k-anonymity": float("inf")}, "not inf"),
        ({"t-closeness": float("nan")}, "not nan"),
    ],
)
def test_claims_that_make_no_sense(protect: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanErrors, match=says) as caught:
        Plan.of(columns=BASE["columns"], protect=[protect])  # type: ignore[arg-type]
    assert str(caught.value.where).startswith("plan.protect.0")


@pytest.mark.parametrize(
    ("column", "says"),
    [
        ({"role": "identifier", "hierarchy": "x.csv"}, "not generalised"),
        ({"role": "insensitive", "hierarchy": "x.csv"}, "not generalised"),
        ({"role": "sensitive", "levels": [0, 1]}, "no levels"),
        ({"role": "quasi-identifier", "levels": [2, 1]}, "above the highest"),
        ({"role": "quasi-identifier", "hierarchy": "prefix"}, "needs to know more"),
        ({"role": "quasi-identifier", "hierarchy": {"bins": [[2, 1]]}}, "does not come after"),
        *(
            ({"role": "quasi-identifier", "hierarchy": {"coding": coding}}, what)
            for coding, what in (
                ({"bottom": 9, "top": 9}, "nothing is between the bottom 9 and the top 9"),
                ([{"top": 90}, {"top": 95}], "the top 95 is above 90"),
                ([{"top": 90, "round": 5}, {"top": 90, "round": 10}], "are not put together from"),
                ([{"top": 90}, {"round": 5}], "a level has no top"),
                ([{"top": 90, "round": 5}, {"top": 80, "round": 5}], "cuts numbers"),
            )
        ),
    ],
)
def test_columns_that_make_no_sense(column: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanErrors, match=says):
        Plan.of(columns={"q": "quasi-identifier", "x": column}, protect=[{"k-anonymity": 5}])


@pytest.mark.parametrize("key", ["mode", "boxes"])
def test_what_only_mondrian_has(key: str) -> None:
    value = {"mode": "strict", "boxes": "ranges"}[key]
    with pytest.raises(PlanErrors, match=f"{key} has no meaning for lattice"):
        Plan.of(**BASE, method={key: value})  # type: ignore[arg-type]


def test_a_sensitive_claim_needs_a_sensitive_column() -> None:
    with pytest.raises(PlanErrors, match="no column has that role"):
        Plan.of(columns={"q": "quasi-identifier"}, protect=[{"t-closeness": 0.1}])


def test_models_given_in_python_are_checked_too() -> None:
    models = pytest.importorskip("hedgerow.claims")
    with pytest.raises(PlanErrors, match="'age' has the role quasi-identifier, not sensitive"):
        Plan.of(columns=BASE["columns"], protect=[models.TCloseness(t=0.2, of="age")])  # type: ignore[arg-type]


def test_builders_given_in_python() -> None:
    spec = Ranges(widths=(5,))
    plan = Plan.of(
        columns={"age": {"role": "quasi-identifier", "hierarchy": spec}},
        protect=[{"k-anonymity": 5}],
    )
    assert plan.hierarchy_spec("age") is spec
    assert plan.where("columns", "age") == "plan.columns.age"


@pytest.mark.parametrize(("share", "people", "may"), [("29%", 100, 29), (0.57, 100, 57), (0, 9, 0)])
def test_suppression_is_counted_exactly(share: Any, people: int, may: int) -> None:
    # 0.29 * 100 and 0.57 * 100 are a little less than 29 and 57 in floating point.
    assert Method(suppress=share).may_suppress(people) == may
    assert Fraction(repr(Method(suppress=share).suppress)) * people == may


# YAML


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "the plan is empty"),
        ("- a\n", 1, "not a mapping"),
        ("columns: {a: b\n", 2, "not a readable plan"),
        ("a: 1\n---\nb: 2\n", 2, "not a readable plan"),
        (b"a: 1\nb: \xff\n", 2, "byte 0xff is not UTF-8"),
        ("a: 1\nb: \x07\n", 2, "not a readable plan"),
        ("columns: !!python/object/apply:os.system [ls]\n", 1, "is not data"),
        ("columns: &a\n  x: *a\n", 1, "used inside itself"),
        ("columns:\n  [a, b]: c\n", 1, "a key is a list"),
        ("a: *nowhere\n", 1, "not a readable plan"),
    ],
)
def test_documents_that_are_no_plan(
    tmp_path: Path, text: str | bytes, line: int, says: str
) -> None:
    found = errors(tmp_path, text)
    assert any(at == line and says in said for at, said in found), found


def test_aliases_cannot_exhaust_memory(tmp_path: Path) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    text = "\n".join(rows)
    assert steps(lambda: errors(tmp_path, text)) < 100_000, "not one for each of 10^12 values"
    assert "values" in errors(tmp_path, text)[0][1]


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    for deep in ("[" * 100_000, "[" * 900 + "]" * 900, "{a: " * 900 + "1" + "}" * 900):
        assert "levels deep" in errors(tmp_path, f"x: 1\na: {deep}")[0][1]


def test_a_plan_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be read"):
        Plan.read(tmp_path / "plan.yaml")
    with pytest.raises(PlanError, match="cannot be read"):
        Plan.read(tmp_path)


def test_sources_that_are_no_files(tmp_path: Path) -> None:
    text = "columns: {a: quasi-identifier}\nprotect: [k-anonymity: 5]\nsource: "
    address = "postgresql://host/base::ward.patients"
    assert read(tmp_path, text + address).source == address
    assert errors(tmp_path, text + "postgresql://host/base") == [
        (
            3,
            "the address names no table | Add it after two colons: "
            "postgresql://host/base::schema.table.",
        )
    ]
    assert read(tmp_path, text + "/data/x.csv").source == "/data/x.csv"


def test_a_name_may_look_like_a_number_but_not_be_empty(tmp_path: Path) -> None:
    text = "columns: {a: quasi-identifier}\nprotect: [k-anonymity: 5]\nperson: "
    assert read(tmp_path, text + "2020").person == "2020"
    assert errors(tmp_path, text + "null") == [
        (3, "'person' has no value | Give it one, or leave the key out.")
    ]


# Data


def test_fit() -> None:
    plan = Plan.of(**BASE)  # type: ignore[arg-type]
    plan.fit(["disease", "age"])
    with pytest.raises(PlanErrors) as caught:
        plan.fit(["Age", "desease", "zip"])
    assert str(caught.value).count("Did you mean") == 2
    assert "the data have no column 'age'\n  Did you mean 'Age'?" in str(caught.value)
    assert "no role is given for 'Age', 'desease' and 'zip'" in str(caught.value)
    with pytest.raises(PlanErrors, match="'age' more than once"):
        plan.fit(["age", "disease", "age"])


def test_fit_needs_no_role_for_the_person() -> None:
    plan = Plan.of(**BASE, person="id")  # type: ignore[arg-type]
    plan.fit(["id", "age", "disease"])
    with pytest.raises(PlanErrors, match="no column 'id'"):
        plan.fit(["age", "disease"])


def test_fit_with_ten_thousand_columns() -> None:
    def fitted(columns: int) -> str:
        names = [f"measurement_{i:05}" for i in range(columns)]
        roles = dict.fromkeys(names, "quasi-identifier")
        plan = Plan.of(columns=roles, protect=[{"k-anonymity": 5}])
        plan.fit(names)
        with pytest.raises(PlanErrors) as caught:
            plan.fit([f"mesurement_{i:05}" for i in range(columns)])
        return str(caught.value)

    assert growth(fitted, 500, 1_000) < 2.2, "not each name with each other one"
    said = fitted(10_000)
    assert "Did you mean 'mesurement_00000'?" in said
    assert "9,990 more" in said
    assert len(said) < 5_000


def test_a_plan_of_many_columns_is_read_column_by_column(tmp_path: Path) -> None:
    def columns(many: int) -> int:
        rows = "".join(f"  c{i}: {{role: quasi-identifier}}\n" for i in range(many))
        plan = read(tmp_path, f"columns:\n{rows}protect:\n  - k-anonymity: 5\n")
        return len(plan.columns)

    assert growth(columns, 200, 400) < 2.2
    assert columns(10_000) == 10_000


def test_importing_loads_nothing_heavy() -> None:
    heavy = {"numba", "duckdb", "pandas", "pyarrow"}
    code = f"import sys, hedgerow.plan.plan; print(*{heavy} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_numbers_of_numpy_are_numbers() -> None:
    share = np.float64(0.29)
    plan = Plan.of(**BASE, method={"suppress": share})
    assert type(plan.method.suppress) is float
    assert plan.method.may_suppress(100) == 29


# Documentation


def test_the_json_schema_is_up_to_date() -> None:
    written = json.loads((DOCS / "plan.schema.json").read_text("utf-8"))
    # To write it anew: json.dumps(plan_json_schema(), indent=2, ensure_ascii=False)
    assert written == plan_json_schema()
    jsonschema.Draft202012Validator.check_schema(written)


def examples() -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```", (DOCS / "plan.md").read_text("utf-8"), re.M | re.S)


@pytest.mark.parametrize("text", examples())
def test_every_example_in_the_reference_is_valid(tmp_path: Path, text: str) -> None:
    whole = parse_document(examples()[0], name="plan.md", as_text=_is_text).data
    part = parse_document(text, name="plan.md", as_text=_is_text).data or {}
    if "columns" in part:
        whole["protect"] = [{"k-anonymity": 5}]
    document = whole | part
    jsonschema.Draft202012Validator(plan_json_schema()).validate(document)
    # JSON is YAML, and so the merged example can be read as a file.
    assert read(tmp_path, json.dumps(document))


def test_the_reference_has_every_key() -> None:
    text = (DOCS / "plan.md").read_text("utf-8")
    schema = plan_json_schema()

    def keys(part: Any) -> set[str]:
        if isinstance(part, list):
            return set().union(*map(keys, part))
        if not isinstance(part, dict):
            return set()
        return set(part.get("properties", {})).union(*map(keys, part.values()))

    for key in keys(schema):
        assert f"`{key}`" in text or f"{key}:" in text, key


def test_every_key_has_a_description() -> None:
    schema = plan_json_schema()

    def visit(part: Any) -> None:
        if isinstance(part, dict):
            for key, value in part.get("properties", {}).items():
                target = schema
                for step in value.get("$ref", "").removeprefix("#/").split("/"):
                    target = target.get(step, {}) if step else {}
                assert "description" in value or "description" in target, key
            for value in part.values():
                visit(value)
        if isinstance(part, list):
            for value in part:
                visit(value)

    visit(schema)
