"""The text of a first plan: it always loads, and says why."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from guess_facts import AGES, AMOUNTS, FEW, LETTERS, facts, propose
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError, PlanError, TargetError
from hedgerow.plan.guess import refuse_no_columns, write_plan
from hedgerow.plan.guesses.first_hierarchies import first_hierarchy
from hedgerow.plan.guesses.first_plan import first_plan
from hedgerow.plan.plan import Plan
from hedgerow.plan.yaml_scalar import scalar
from hedgerow.table.schema import Role


def load(text: str) -> Plan:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.yaml"
        file.write_text(text, "utf-8", newline="")
        return Plan.read(file)


@pytest.mark.parametrize(
    ("name", "values", "written"),
    [
        ("age", ["40"] * 40, "{codes: hipaa-ages}"),
        ("age", ["17", "old", "young", "middle"] * 10, "suppression"),
        ("postcode", ["CB2 1TN", "CB3 0FD", "CB1 1AA"] * 20, "{codes: uk-postcodes}"),
        ("country", ["DE", "France", "ESP"] * 20, "{codes: countries}"),
        ("birth date", [f"19{50 + i % 40}-02-{1 + i % 28:02d}" for i in range(200)],
         "{dates: [month, quarter, year, decade]}"),
        ("sex", ["F", "M", None] * 20, "suppression"),
        ("region", ["1", "2", "3", "4"] * 20, "suppression"),
        ("job", ["nurse", "cook", "clerk"] * 60 + ["pilot", "judge", "miner"],
         "{taxonomy: [clerk, cook, nurse, {other: [judge, miner, pilot]}], from: data}"),
    ],
)  # fmt: skip
def test_hierarchies(name: str, values: list[str | None], written: str) -> None:
    table = {name: values, "pay": (AMOUNTS * 2)[: len(values)]}
    assert first_plan(facts(table)).roles[name].hierarchy == written
    load(propose(facts(table)))


def test_names_written_as_numbers_get_no_ranges() -> None:
    """Region 7 is no more than region 3."""
    codes = [str(3 + 17 * (i * i % 23)) for i in range(230)]
    hierarchy = first_plan(facts({"region": codes, "age": AGES + AGES[:30]})).roles["region"]
    assert hierarchy.role is Role.QUASI_IDENTIFIER
    assert "ranges" not in str(hierarchy.hierarchy)
    assert "bins" not in str(hierarchy.hierarchy)


def test_what_nobody_has_looked_at_fits_too() -> None:
    """Of 3,000 different numbers the facts carry a thousand."""
    values = [str(i * 7 % 3001) for i in range(3000)]
    table = {"hours": values, "sex": ["m", "f"] * 1500, "city": [f"c{v}" for v in values]}
    plan = load(propose(facts(table), one_row_per_person=True))
    for name in ("hours", "city"):
        plan.hierarchy_spec(name).bind(name, table[name])


def test_a_list_of_values_is_not_proposed_where_rows_were_not_looked_at() -> None:
    """Row 2,000,001 may be a plumber's."""
    jobs = ["nurse", "cook", "clerk"] * 60 + ["pilot", "judge", "miner"]
    column = facts({"job": jobs}).columns[0]
    assert first_hierarchy(column, (), k=5, sampled=False).text.startswith("{taxonomy")
    assert first_hierarchy(column, (), k=5, sampled=True).text == "suppression"
    countries = facts({"country": ["DE", "France", "ESP"] * 20}).columns[0]
    assert first_hierarchy(countries, (), k=5, sampled=True).text == "suppression"


def test_claims() -> None:
    plan = load(
        propose(
            facts({
                "age": AGES, "disease": [*"abcdefg", *"aab" * 64, "a"],
                "income": ["low", "high"] * 100,
                "debt": ["none"] * 200, "hiv": ["no"] * 170 + ["yes"] * 30,
            }),
            source="my data.csv", one_row_per_person=True,
        )
    )  # fmt: skip
    assert [(claim.name, claim.parameters.model_dump()) for claim in plan.protect] == [
        ("k-anonymity", {"k": 5, "over": "quasi-identifiers", "knows": None}),
        ("l-diversity", {"of": "disease", "l": 3, "kind": "distinct", "c": None}),
        ("t-closeness", {"of": "hiv", "t": 0.3, "distance": "equal"}),
        ("l-diversity", {"of": "income", "l": 2, "kind": "distinct", "c": None}),
    ]
    assert str(plan.source).endswith("my data.csv")


def test_every_guess_says_why() -> None:
    text = propose(facts({"age": AGES, "disease": LETTERS, "v1": [*"abcde"] * 40}))
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if "{role:" in line:
            first = max(at for at in range(place) if "# guessed" in lines[at])
            assert all(lines[at].startswith("  # ") for at in range(first, place))
            assert "because" in lines[first]
    assert text.count("not sure") == 1


def test_lines_of_comments_are_not_too_wide() -> None:
    text = propose(
        facts({"age": AGES, "disease": LETTERS, **{f"v{i}": LETTERS for i in range(30)}})
    )
    assert max(map(len, text.splitlines())) <= 100


def test_a_table_of_identifiers_still_gets_a_plan() -> None:
    plan = load(propose(facts({"name": [f"n{i}" for i in range(50)], "ssn": ["1", "2"] * 25})))
    assert len(plan.schema().quasi_identifiers) == 1
    assert load(propose(facts({"disease": ["a"] * 9}))).schema().quasi_identifiers == ("disease",)


def test_tables_that_cannot_be_planned() -> None:
    with pytest.raises(DataError, match="no columns"):
        refuse_no_columns([], where=None)
    with pytest.raises(DataError, match="'a' more than once"):
        refuse_no_columns(["a", "a"], where=None)


def test_marks_among_numbers_are_missing_values() -> None:
    table = facts({"age": [*AGES[:-3], "?", "?", "?"], "country": ["NA", "DE", "FR", "DE"] * 50})
    plan = load(propose(table))
    assert plan.null == ("?",)


def test_minus_nine_is_missing_only_where_nothing_else_is_below_zero() -> None:
    ages = ["-9", "-9", *AGES[2:]]
    flags = ["-9", *FEW[1:]]
    assert load(propose(facts({"age": ages, "smoker": flags}))).null == ("-9",)
    change = [str(i % 31 - 15) for i in range(200)]
    profile = facts({"age": ages, "wt_change": change})
    plan = load(propose(profile))
    assert plan.null == (), "a loss of nine pounds is a value"
    assert plan.form.missing == {"age": ("-9",)}
    text = propose(profile, by_column=False)
    assert load(text).form is None
    assert "Does '-9' mean in 'age' that there is no value?" in text


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
    assert write_plan(data, path, replace=True, purpose="hospital") == path
    assert "k-anonymity: 12" in path.read_text("utf-8")
    with pytest.raises(PlanError, match="'hospitl' is no purpose"):
        write_plan(data, path, replace=True, purpose="hospitl")
    with pytest.raises(TargetError, match="cannot be written"):
        write_plan(data, tmp_path / "nowhere" / "plan.yaml")


ODD = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="\"'\\:#{}[],&*!|>%@`?-\n\r\t\x00\x07\x85\u2028\ufeff😀é ~", max_size=12),
    st.sampled_from(["null", "true", "no", "0x1f", "1e3", "2024-01-01", "<<", "=", "~", "- a", ""]),
    st.text(min_size=1100, max_size=1200),
)
VALUES = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["?", "NA", "-9", "99", "2024-02-29", "a@b.org", "yes"]),
    st.integers().map(str),
    st.floats().map(str),
    st.none(),
)
WORDS = st.sampled_from(["", "zip ", "age ", "name ", "disease ", "date ", "patient id "])


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[str | None]]:
    names = draw(st.lists(st.tuples(WORDS, ODD).map("".join), min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(1, 40))
    few = [draw(st.lists(VALUES, min_size=1, max_size=6)) for _ in names]
    return {
        name: [values[(i * i + i // 3) % len(values)] for i in range(rows)]
        for name, values in zip(names, few, strict=True)
    }


@settings(max_examples=60, deadline=None)
@given(tables(), st.none() | ODD)
def test_what_is_proposed_always_loads(
    table: dict[str, list[str | None]], source: str | None
) -> None:
    if source is not None and (not source.strip() or "\0" in source):
        source = None
    try:
        known = facts(table)
    except DataError:  # names that clash, or are none
        reject()
    plan = load(propose(known, source=source))
    names = list(table)
    assert list(plan.columns) == names
    plan.fit(names)
    for name, column in table.items():
        if plan.columns[name].role is Role.QUASI_IDENTIFIER:
            own = (plan.form.missing or {}).get(name, ()) if plan.form is not None else ()
            values = [None if value in (*plan.null, *own) else value for value in column]
            plan.hierarchy_spec(name).bind(name, [*dict.fromkeys(values)])


@settings(max_examples=150, deadline=None)
@given(ODD)
def test_scalars_survive(text: str) -> None:
    plan = load(f"columns:\n  ? {scalar(text)}\n  : quasi-identifier\nprotect: [k-anonymity: 5]\n")
    assert list(plan.columns) == [text]


@pytest.mark.parametrize("sign", [" ", ", ", ": ", "'", "  ", "# "])
def test_long_hierarchies_are_read_back(sign: str, tmp_path: Path) -> None:
    """Lines end where YAML reads the same: a name before a colon does not go on."""
    words = ["north", "south", "upper", "lower", "inner", "outer"]
    values = [f"{i} {w}{sign}{v}" for w in words for v in words for i in range(9)]
    text = propose(facts({"sex": ["m", "f"] * 486, "region": [*values, *values, *values]}))
    path = tmp_path / "plan.yaml"
    path.write_text(text, "utf-8")
    Plan.read(path)
