"""What `init` proposes: roles, hierarchies, claims, and text that always loads."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError, TargetError
from hedgerow.engines.base import ColumnProfile
from hedgerow.plan.guess import guess, propose, scalar, write_plan
from hedgerow.plan.plan import Plan
from hedgerow.table.hierarchy_builders import Dates, Prefix, Ranges, Suppression
from hedgerow.table.schema import Role


def column(
    name: str, *examples: str, rows: int = 1000, distinct: int | None = None,
    missing: int = 0, numeric: bool = False, dates: bool = False,
) -> ColumnProfile:  # fmt: skip
    return ColumnProfile(
        name=name,
        distinct=len(examples) if distinct is None else distinct,
        rows=rows,
        missing=missing,
        examples=examples,
        numbers=numeric,
        dates=dates,
        longest=max(map(len, examples), default=0),
    )


def load(text: str) -> Plan:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.yaml"
        file.write_text(text, "utf-8", newline="")
        return Plan.read(file)


@pytest.mark.parametrize(
    "name",
    ["name", "Full Name", "id", "patientId", "patient_id", "SSN", "e-mail", "phone number",
     "MRN", "home_address", "birth_name"],
)  # fmt: skip
def test_names_of_identifiers(name: str) -> None:
    assert guess(column(name, "a", "b", rows=1000, distinct=1000)).role is Role.IDENTIFIER


@pytest.mark.parametrize(
    "name",
    ["zip", "ZipCode", "postcode", "age", "Age (years)", "birth date", "dateOfBirth", "sex",
     "gender", "nationality", "native-country", "country_id", "race", "marital-status",
     "occupation", "education", "age_at_diagnosis"],
)  # fmt: skip
def test_names_of_quasi_identifiers(name: str) -> None:
    assert guess(column(name, "a", "b")).role is Role.QUASI_IDENTIFIER


@pytest.mark.parametrize("name", ["disease", "Diagnosis", "diagnosis_code", "salary", "income"])
def test_names_of_sensitive_columns(name: str) -> None:
    assert guess(column(name, "a", "b")).role is Role.SENSITIVE


def test_names_are_read_as_words_not_as_letters() -> None:
    for name in ("page", "grid", "unnamed", "image"):
        assert "its name says" not in guess(column(name, "a", "b")).because


def test_values_where_names_say_nothing() -> None:
    texts = column("x1", *"abcdefghij", rows=500, distinct=500)
    assert guess(texts).role is Role.IDENTIFIER
    numbers = column("x1", *map(str, range(1, 800)), rows=800, distinct=800, numeric=True)
    assert guess(numbers).role is Role.IDENTIFIER
    measured = column("x1", "1.5", "2.25", "9.75", rows=500, distinct=500, numeric=True)
    assert guess(measured).role is Role.QUASI_IDENTIFIER
    few = column("x1", "a", "b", rows=2)
    assert guess(few).role is Role.QUASI_IDENTIFIER
    remarks = column("x1", "a" * 100, "b", rows=500)
    assert guess(remarks).role is Role.IDENTIFIER
    dates = column("x1", "2024-01-01", rows=500, distinct=500, dates=True)
    assert guess(dates).role is Role.QUASI_IDENTIFIER


@pytest.mark.parametrize(
    ("profile", "spec"),
    [
        (column("age", "17", "90", numeric=True), Ranges(widths=(5, 10, 20, 40))),
        (column("age", "1", "2", "3", numeric=True), Suppression()),
        (column("age", "40", numeric=True), Suppression()),
        (column("x", "0.1", "1.6", numeric=True), Ranges(widths=(0.1, 0.2, 0.4, 0.8))),
        (column("x", "17", "old", numeric=False), Suppression()),
        (column("zip", "13068", "13053", numeric=True), Prefix(length=5)),
        (column("zip", "2139", "13053", numeric=True), Ranges(widths=(1000, 2000, 4000, 8000))),
        (column("postcode", "CB21TN", "CB30FD"), Prefix(length=6)),
        (column("x", "02139", "13053"), Prefix(length=5)),
        (column("x", "12139", "13053"), Prefix(length=5)),
        (column("birth date", "1980-02-29", dates=True), Dates()),
        (column("birth date", "29.02.1980", dates=True), Suppression()),
        (column("sex", "F", "M", missing=3), Suppression()),
        (column("sex"), Suppression()),
    ],
)
def test_hierarchies(profile: ColumnProfile, spec: object) -> None:
    assert load(propose([profile])).hierarchy_spec(profile.name) == spec


def test_claims() -> None:
    plan = load(
        propose(
            [
                column("age", "17", "90", numeric=True),
                column("disease", *"abcdefg"),
                column("income", "low", "high"),
                column("debt", "none"),
            ],
            source="my data.csv",
        )
    )
    assert [(claim.name, claim.parameters.model_dump()) for claim in plan.protect] == [
        ("k-anonymity", {"k": 5, "over": "quasi-identifiers"}),
        ("l-diversity", {"of": "disease", "l": 3, "kind": "distinct", "c": None}),
        ("l-diversity", {"of": "income", "l": 2, "kind": "distinct", "c": None}),
    ]
    assert str(plan.source).endswith("my data.csv")


def test_every_guess_says_why() -> None:
    text = propose([column("age", "1"), column("disease", "a"), column("x", "b")])
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if "{role:" in line:
            assert "# guessed" in lines[place - 1]
            assert "because" in lines[place - 1]
    assert text.count("not sure") == 1


def test_a_table_of_identifiers_still_gets_a_plan() -> None:
    plan = load(propose([column("name", *"abc", distinct=1000), column("ssn", "1", "2")]))
    assert len(plan.schema().quasi_identifiers) == 1
    assert load(propose([column("disease", "a")])).schema().quasi_identifiers == ("disease",)


def test_a_key_that_repeats_may_be_a_person() -> None:
    profile = [column("patient id", *"abc", distinct=400), column("age", "1")]
    assert '# person: "patient id"' in propose(profile)
    assert "# person" not in propose([column("id", *"abc", distinct=1000), column("age", "1")])


def test_tables_that_cannot_be_planned() -> None:
    with pytest.raises(DataError, match="no columns"):
        propose([])
    with pytest.raises(DataError, match="'a' more than once"):
        propose([column("a", "1"), column("a", "1")])


def test_marks_among_numbers_are_missing_values() -> None:
    age = column("age", "17", "?", "90", "45")
    plan = load(propose([age, column("country", "NA", "DE", "FR")]))
    assert plan.null == ("?",)
    assert plan.hierarchy_spec("age") == Ranges(widths=(5, 10, 20, 40))
    assert load(propose([column("x", "?", "1")])).null == ()


def test_a_plan_for_a_file(tmp_path: Path) -> None:
    data = tmp_path / "data" / "my table.csv"
    data.parent.mkdir()
    rows = "".join(f"{i},{20 + i % 60},{'MF'[i % 2]},{i % 7}\n" for i in range(200))
    data.write_text("id,age,sex,diagnosis\n" + rows)
    path = write_plan(data, tmp_path / "plan.yaml")
    plan = Plan.read(path)
    assert Path(str(plan.source)).resolve() == data.resolve()
    assert plan.schema().roles == {
        "id": Role.IDENTIFIER,
        "age": Role.QUASI_IDENTIFIER,
        "sex": Role.QUASI_IDENTIFIER,
        "diagnosis": Role.SENSITIVE,
    }
    with pytest.raises(TargetError, match="exists already"):
        write_plan(data, path)
    assert write_plan(data, path, replace=True) == path
    with pytest.raises(TargetError, match="cannot be written"):
        write_plan(data, tmp_path / "nowhere" / "plan.yaml")


ODD = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="\"'\\:#{}[],&*!|>%@`?-\n\r\t\x00\x07\x85\u2028\ufeff😀é ~", max_size=12),
    st.sampled_from(["null", "true", "no", "0x1f", "1e3", "2024-01-01", "<<", "=", "~", "- a", ""]),
    st.text(min_size=1100, max_size=1200),
)
VALUES = st.one_of(
    st.text(max_size=8), st.sampled_from(["?", "NA"]), st.integers().map(str), st.floats().map(str)
)


@st.composite
def profiles(draw: st.DrawFn) -> ColumnProfile:
    word = draw(st.sampled_from(["", "zip ", "age ", "name ", "disease ", "date "]))
    examples = tuple(draw(st.lists(VALUES, unique=True, max_size=6)))
    return ColumnProfile(
        name=word + draw(ODD),
        distinct=draw(st.integers(0, 2000)),
        rows=draw(st.integers(0, 1000)),
        missing=draw(st.integers(0, 1000)),
        examples=examples,
        numbers=draw(st.booleans()),
        dates=draw(st.booleans()),
        longest=max(map(len, examples), default=0),
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(profiles(), min_size=1, max_size=4, unique_by=lambda p: p.name), st.none() | ODD)
def test_what_is_proposed_always_loads(profile: list[ColumnProfile], source: str | None) -> None:
    if source is not None and (not source.strip() or "\0" in source):
        source = None
    plan = load(propose(profile, source=source))
    names = [p.name for p in profile]
    assert list(plan.columns) == names
    plan.fit(names)
    for p in profile:
        if plan.columns[p.name].role is Role.QUASI_IDENTIFIER:
            values = [None if value in plan.null else value for value in p.examples]
            plan.hierarchy_spec(p.name).bind(p.name, values or [None])


@settings(max_examples=150, deadline=None)
@given(ODD)
def test_scalars_survive(text: str) -> None:
    plan = load(f"columns:\n  ? {scalar(text)}\n  : quasi-identifier\nprotect: [k-anonymity: 5]\n")
    assert list(plan.columns) == [text]
