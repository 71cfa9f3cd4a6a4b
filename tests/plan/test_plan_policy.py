"""What a plan says about a policy: its graphs, what everybody knows, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.conditions import And, Compared, Condition, Missing, Not, Number, OneOf, Or
from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.base.filters import parse
from hedgerow.noise.blowfish.filter_outcomes import by_column, settled
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold
from hedgerow.noise.blowfish.listed_graphs import Explicit, Grid, Near
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.plan.plan import Plan, PlanErrors, plan_json_schema
from hedgerow.table.domain import Bounds, Domain, Values

BASE = """\
privacy: {neighbours: change-one}
columns:
  name: identifier
  age: {role: quasi-identifier, bounds: [0, 20], step: 2, hierarchy: {ranges: [10]}}
  sex: {role: quasi-identifier, domain: [F, M]}
  disease: {role: sensitive, hierarchy: {taxonomy: {lung: [flu, asthma], gut: [ulcer]}},
            domain: hierarchy}
  day: {role: quasi-identifier, hierarchy: dates,
        domain: ["2024-01-01", "2024-01-31", "2024-02-01", null]}
  ward: {role: quasi-identifier, domain: [007, no, null, x]}
  lat: {role: quasi-identifier, bounds: [46, 47], step: 0.5}
  lon: {role: quasi-identifier, bounds: [7, 8], step: 0.5}
  weight: {role: insensitive, bounds: [0, 100]}
  zip: quasi-identifier
"""


def read(folder: Path, policy: str, base: str = BASE) -> Plan:
    file = folder / "plan.yaml"
    file.write_text(f"{base}policy:\n{policy}", "utf-8")
    return Plan.read(file)


def graphs(folder: Path, policy: str) -> tuple[Stated, dict[Any, Any]]:
    found = read(folder, policy).stated()
    assert found is not None
    return found, {c if len(c) > 1 else c[0]: g for c, g in found.policy.parts}


def errors(folder: Path, policy: str, base: str = BASE) -> list[tuple[int, str]]:
    with pytest.raises(PlanErrors) as caught:
        read(folder, policy, base)
    lines = base.count("\n")
    return [
        (int(str(e.where).rpartition(":")[2]) - lines, f"{e.what} {e.fix or ''}")
        for e in caught.value.errors
    ]


def test_no_policy_is_none() -> None:
    assert Plan.of(columns={"a": "insensitive"}, privacy="change-one").stated() is None


def test_numbers_within(tmp_path: Path) -> None:
    """5 is two steps of 2; what is no number lies farther away than any edge reaches."""
    found, parts = graphs(tmp_path, "  age: {within: 5}\n")
    assert parts["age"] == Threshold((*range(11), 13), 2)
    assert parts["age"].distance(0, [1, 2, 3, 10, 11]).tolist() == [1, 1, 2, 5, -1]
    assert parts["sex"] == Full(3)
    assert found.others == ("weight", "zip")
    assert not found.known
    assert found.policy.at_once == len(found.policy.parts) == 7


def test_partitions(tmp_path: Path) -> None:
    (tmp_path / "wards.csv").write_text('007;one\nno;one\n"";two\nx;two\n', "utf-8")
    _, parts = graphs(
        tmp_path,
        "  age: {partition: 1}\n  disease: {partition: 1}\n  day: {partition: month}\n"
        "  ward: {partition: {csv: wards.csv}}\n"
        "  sex: {partition: {women: [F], men: [M]}}\n",
    )
    assert parts["age"].blocks == (0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 3)
    assert parts["disease"].blocks == (0, 0, 1, 2)
    assert parts["day"].blocks == (0, 0, 1, 2, 3)
    assert parts["ward"].blocks == (0, 0, 1, 1, 2)
    assert parts["sex"].blocks == (0, 1, 2)
    _, parts = graphs(
        tmp_path,
        "  ward: {partition: {a: [007, null], csv: [no], b: [x]}}\n  day: {partition: year}\n",
    )
    assert parts["ward"].blocks == (0, 1, 0, 2, 3)
    assert parts["day"].blocks == (0, 0, 0, 1, 2)
    _, parts = graphs(tmp_path, "  day: {partition: day}\n")
    assert parts["day"].diameter == 0


NAMED = BASE.replace("gut: [ulcer]}}", "gut: [ulcer]}, names: [chapter]}")


def test_levels_have_names(tmp_path: Path) -> None:
    (tmp_path / "illness.csv").write_text("flu;lung;*\nasthma;lung;*\nulcer;gut;*\n", "utf-8")
    tree = "{taxonomy: {lung: [flu, asthma], gut: [ulcer]}, names: [chapter]}"
    for written in (
        "{csv: illness.csv, names: [chapter]}",
        "{csv: illness.csv, names: [chapter, everything]}",
        "{bins: [[[flu, asthma], [ulcer]]], names: [chapter]}",
        tree,
    ):
        base = NAMED.replace(tree, written)
        found = read(tmp_path, "  disease: {partition: chapter}\n", base).stated()
        assert found is not None
        assert found.policy.graph("disease") == Partition((0, 0, 1, 2)), written
    everything = read(
        tmp_path,
        "  disease: {partition: everything}\n",
        NAMED.replace(tree, "{csv: illness.csv, names: [chapter, everything]}"),
    ).stated()
    assert everything is not None
    assert everything.policy.graph("disease") == Partition((0, 0, 0, 1))


@pytest.mark.parametrize(
    ("written", "partition", "said"),
    [
        ("names: [chapter]", "chaptr", "did you mean 'chapter'?"),
        ("names: [chapter, body, more]", "chapter", "has 2 levels above the values, and 3 names"),
        ("names: [chapter]", "0x", "There are chapter."),
    ],
)
def test_names_of_levels_that_do_not_fit(
    tmp_path: Path, written: str, partition: str, said: str
) -> None:
    base = NAMED.replace("names: [chapter]", written)
    plan = read(tmp_path, f"  disease: {{partition: {partition}}}\n", base)
    with pytest.raises(PlanError) as caught:
        plan.stated()
    assert said in f"{caught.value.what} {caught.value.fix}"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("names: [chapter, chapter]", "each another one"),
        ("names: []", "each another one"),
        ("names: chapter", "is not a list"),
    ],
)
def test_wrong_names_of_levels(tmp_path: Path, written: str, said: str) -> None:
    base = NAMED.replace("names: [chapter]", written)
    assert any(said in what for _, what in errors(tmp_path, "  sex: known\n", base))
    dates = BASE.replace("hierarchy: dates", "hierarchy: {dates: [month], names: [month]}")
    found = errors(tmp_path, "  sex: known\n", dates)
    assert any("have names already" in what for _, what in found)
    alone = NAMED.replace("taxonomy: {lung: [flu, asthma], gut: [ulcer]}, ", "")
    assert any("exactly one key" in what for _, what in errors(tmp_path, "  sex: known\n", alone))


def test_lines_graphs_and_words(tmp_path: Path) -> None:
    found, parts = graphs(
        tmp_path, "  ward: line\n  disease: {graph: [[flu, ulcer]]}\n  sex: known\n  zip: known\n"
    )
    assert parts["ward"] == Explicit(5, ((0, 1), (1, 3)))
    assert parts["disease"] == Explicit(4, ((0, 2),))
    assert parts["sex"] == Partition.known(3)
    assert found.known == {"sex", "zip"}
    assert found.others == ("weight",)
    said = " ".join(found.not_protected())
    assert "anything about sex" in said
    assert "anything about zip" in said
    _, parts = graphs(tmp_path, "  age: {line: true}\n  disease: {full: true}\n")
    assert parts["age"] == Threshold((*range(11), 12), 1)
    assert parts["disease"] == Full(4)
    _, parts = graphs(tmp_path, "  age: {graph: [[0, 20], ['2.0', 4]]}\n")
    assert parts["age"].pairs == ((0, 10), (1, 2))


def test_several_columns(tmp_path: Path) -> None:
    found, parts = graphs(tmp_path, "  place: {of: [lat, lon], within: 50 km}\n  at_once: 1\n")
    assert isinstance(parts["lat", "lon"], Near)
    assert parts["lat", "lon"].size == 9
    # Half a degree of longitude is under 50 km there, and of latitude over.
    assert parts["lat", "lon"].joined(0, [1, 3]).tolist() == [True, False]
    assert found.policy.at_once == 1
    assert "lat" not in found.domains
    _, parts = graphs(tmp_path, "  place: {of: [lat, lon], within: 60000 m}\n")
    assert parts["lat", "lon"].joined(0, [1, 3]).tolist() == [True, True]
    _, parts = graphs(tmp_path, "  place: {of: [lat, lon], within: 1, distance: L2}\n")
    assert parts["lat", "lon"] == Grid((3, 3), 2, "L2")
    _, parts = graphs(tmp_path, "  of one: {of: [sex], known: true}\n  age: {within: 2}\n")
    assert parts["sex"] == Partition.known(3)


def test_what_is_known(tmp_path: Path) -> None:
    found, _ = graphs(
        tmp_path,
        "  age: {within: 2}\n"
        "  known: {marginals: [[sex], [sex, disease]], counts: [\"sex = 'F'\"]}\n",
    )
    assert found.marginals == (("sex",), ("sex", "disease"))
    assert [str(count) for count in found.counts] == ["sex = 'F'"]
    assert found.changed == 12, "the cells of the wider table, from which the others follow"
    still, _ = graphs(tmp_path, "  sex: known\n  known: {marginals: [[sex]]}\n")
    assert still.changed == 1


def test_equal_policies_have_equal_digests(tmp_path: Path) -> None:
    one, _ = graphs(tmp_path, "  age: {within: 2}\n")
    same, _ = graphs(tmp_path, "  age: line\n")
    other, _ = graphs(tmp_path, "  age: {within: 4}\n")
    assert one.digest == same.digest != other.digest


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("""counts: ["sex = 'F'", "disease = 'flu'"]""", None),
        ("marginals: [[sex], [disease]]", "is 161,051, which would drown every answer"),
        ("marginals: [[sex, disease], [ward]]", "more than 12 digits"),
        ("marginals: [[age, sex, disease], [ward]]", "kinds of rows"),
        ("marginals: [[big, sex]]", "is 60,006"),
        ("marginals: [[big, sex], [age, disease]]", "combinations of values"),
        ("marginals: [[age]], counts: ['age < 5']", "not decided by the public values"),
    ],
)
def test_what_ties_too_many_rows_is_refused(tmp_path: Path, known: str, said: str | None) -> None:
    base = f"{BASE}  big: {{role: quasi-identifier, bounds: [0, 20000], step: 1}}\n"
    plan = read(tmp_path, f"  disease: {{partition: 1}}\n  known: {{{known}}}\n", base)
    if said is None:
        found = plan.stated()
        assert found is not None
        assert found.changed == 4
        return
    with pytest.raises(PlanError, match=said) as error:
        plan.stated()
    assert str(error.value.where).endswith(":18"), error.value.where


def test_thresholds_between_steps_say_what_is_left(tmp_path: Path) -> None:
    found, _ = graphs(tmp_path, "  age: {within: 5}\n")
    assert any("5 protects 4, as steps are 2" in line for line in found.not_protected())
    exact, _ = graphs(tmp_path, "  age: {within: 4}\n")
    assert not exact.coarser
    assert exact.digest == found.digest


def test_digests_have_the_domains_of_columns_that_share_a_graph(tmp_path: Path) -> None:
    place = "  place: {of: [lat, lon], within: 0.5, distance: L1}\n"
    one, _ = graphs(tmp_path, place)
    moved = read(tmp_path, place, BASE.replace("bounds: [46, 47]", "bounds: [56, 57]")).stated()
    assert moved is not None
    assert one.policy.parts == moved.policy.parts
    assert one.digest != moved.digest


def test_inside_has_the_values_of_the_domains_alone(tmp_path: Path) -> None:
    found, parts = graphs(
        tmp_path,
        "  age: {within: 4}\n  disease: {partition: 1}\n  ward: {graph: [[x, no]]}\n"
        "  place: {of: [lat, lon], within: 0.5, distance: L1}\n",
    )
    inner = dict(found.inside().parts)
    assert inner["age",] == Threshold(tuple(range(11)), 2)
    assert inner["sex",] == Full(2)
    assert inner["lat", "lon"] == parts["lat", "lon"]
    for columns, graph in inner.items():
        outer = parts[columns if len(columns) > 1 else columns[0]]
        codes = np.arange(graph.size)
        assert (graph.joined(codes[:, None], codes) == outer.joined(codes[:, None], codes)).all()
    tied, _ = graphs(tmp_path, "  age: {within: 4}\n  known: {marginals: [[age]]}\n")
    with pytest.raises(PlanError, match="up to 12 rows"):
        tied.inside()


@pytest.mark.parametrize(
    ("policy", "line", "said"),
    [
        ("  aeg: {within: 2}\n", 2, "there is no column 'aeg' Did you mean 'age'?"),
        ("  age: {wihtin: 2}\n", 2, "Did you mean within?"),
        ("  age: {within: 0}\n", 2, "a number above 0"),
        ("  age: {within: 5 miles}\n", 2, "a number above 0"),
        ("  age: {within: 5, full: true}\n", 2, "exactly one kind, and this one has 2"),
        ("  age: {}\n", 2, "exactly one kind, and this one has none"),
        ("  age: ful\n", 2, "Did you mean full?"),
        ("  age: {line: false}\n", 2, "cannot be False"),
        ("  age:\n", 2, "has no value"),
        ("  age: {within: 10 km}\n", 2, "two columns, latitude and longitude"),
        ("  sex: {within: 1}\n", 2, "no bounds with a step"),
        ("  weight: {within: 1}\n", 2, "no bounds with a step"),
        ("  zip: line\n", 2, "no public values"),
        ("  name: known\n", 2, "is an identifier"),
        ("  sex: {partition: 1}\n", 2, "has no hierarchy"),
        ("  sex: {partition: [F]}\n", 2, "needs a level"),
        ("  ward: {graph: [[x, x]]}\n", 2, "no pair of two different values"),
        ("  place: {of: [lat, lon], full: true}\n", 2, "is about one column"),
        ("  place: {of: [lat, lon], within: 1}\n", 2, "needs a distance"),
        ("  place: {of: [lat, lno], within: 1 km}\n", 2, "Did you mean 'lon'?"),
        ("  age: line\n  other: {of: [age], known: true}\n", 3, "has a policy already"),
        ("  at_once: 0\n  age: line\n", 2, "a whole number of at least 1"),
        ("  at_once: 1\n", 1, "names no column"),
        ("  age: line\n  known: {marginals: [[sexx]]}\n", 3, "Did you mean 'sex'?"),
        ("  age: line\n  known: {counts: ['sex =']}\n", 3, "a number, or text in quotes"),
        ("  age: line\n  known: {counts: [\"zip = '1'\"]}\n", 3, "has no public values"),
        ("  known: full\n", 1, "stands here for what everybody knows"),
    ],
)
def test_wrong_policies(tmp_path: Path, policy: str, line: int, said: str) -> None:
    found = errors(tmp_path, policy)
    assert any(at == line and said in what for at, what in found), found


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("  disease: {partition: 9}\n", "has the levels 0 to 2, and no 9"),
        ("  disease: {partition: chapter}\n", "no level called 'chapter'"),
        ("  day: {partition: week}\n", "There are day, month, quarter, year, decade"),
        ("  sex: {partition: {a: [F]}}\n", "'M' of 'sex' is in no block"),
        ("  sex: {partition: {a: [F, M], b: [M]}}\n", "is in two blocks"),
        ("  sex: {partition: {a: [F, M, D]}}\n", "'D' is no value of 'sex'"),
        ("  sex: {partition: {csv: nowhere.csv}}\n", "cannot be read"),
        ("  age: {graph: [[0, 1]]}\n", "'1' is no value of 'age'"),
        ("  age: {within: 1}\n", "within 1 of a value there is no other"),
    ],
)
def test_policies_that_cannot_be_built(tmp_path: Path, policy: str, said: str) -> None:
    plan = read(tmp_path, policy)
    with pytest.raises(HedgerowError) as caught:
        plan.stated()
    assert said in f"{caught.value.what} {caught.value.fix}"
    assert "plan.yaml:16" in str(caught.value.where) or "csv" in str(caught.value.where)


def test_a_policy_beside_the_rest_of_the_plan(tmp_path: Path) -> None:
    removed = BASE.replace("change-one", "add-remove")
    assert any(
        "no pair of values says that" in w for _, w in errors(tmp_path, "  age: line\n", removed)
    )
    silent = BASE.replace("privacy: {neighbours: change-one}\n", "protect: [{k-anonymity: 2}]\n")
    assert any(
        "nothing says who is protected" in w for _, w in errors(tmp_path, "  age: line\n", silent)
    )
    several = BASE.replace("change-one}", "change-one, rows: 2}") + "person: who\n"
    assert any("depends on all" in w for _, w in errors(tmp_path, "  age: line\n", several))
    release = BASE + "method: {search: marginals, epsilon: 1, tables: [[sex]]}\n"
    release = release.replace("hierarchy: {ranges: [10]}", "role: quasi-identifier").replace(
        "step: 2, role: quasi-identifier", "step: 2"
    )
    assert any(
        "a policy is for answers" in w for _, w in errors(tmp_path, "  age: line\n", release)
    )


GOOD: list[Any] = [
    {"age": "full"},
    {"age": {"within": "5 km", "of": ["a", "b"]}, "at_once": 2},
    {"sex": {"partition": {"a": ["F", None]}}, "known": {"counts": ["a = 1"]}},
]
BAD: list[Any] = [
    {"age": "half"}, {"age": {}}, {"age": {"within": 1, "line": True}}, {"age": {"line": False}},
    {"at_once": 0}, {"known": {"tables": []}}, {"age": {"graph": [["a"]]}},
]  # fmt: skip


@pytest.mark.parametrize("policy", GOOD + BAD, ids=repr)
def test_the_schema_knows_policies(policy: Any) -> None:
    document = {"columns": {"age": "insensitive"}, "privacy": "change-one", "policy": policy}
    valid = jsonschema.Draft202012Validator(plan_json_schema()).is_valid(document)
    assert valid == (policy in GOOD)


def test_plans_without_a_policy_load_no_graphs() -> None:
    loaded = (
        "import sys; from hedgerow.plan.plan import Plan;"
        "Plan.of(columns={'a': 'insensitive'}, privacy='change-one').stated();"
        "heavy = {'scipy', 'hedgerow.noise.blowfish.policy', 'hedgerow.plan.graphs'};"
        "print(heavy & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


# What codes settle about a filter

TEXTS: list[str | None] = ["a", "b", "40", "4e1", "z", "", "-1", None]
NUMBERS: list[str | None] = ["-5", "0", "0.5", "1", "1.5", "2", "2.9", "3", "99", "nan", "x", None]
LISTED: list[Domain] = [Values(("a", "b", "40")), Values(("b", None, "4e1"))]
STEPPED = Bounds(Fraction(0), Fraction(3), Fraction(1))


def number(raw: str | None) -> float | None:
    try:
        found = float(raw)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return found if np.isfinite(found) else None


def holds(condition: Condition, raw: str | None) -> bool:
    """The language's own rules, for one value."""
    match condition:
        case Not(part):
            return not holds(part, raw)
        case And(parts):
            return all(holds(part, raw) for part in parts)
        case Or(parts):
            return any(holds(part, raw) for part in parts)
        case Missing():
            return raw is None
        case OneOf(column, constants):
            return any(holds(Compared(column, "=", c), raw) for c in constants)
        case Compared(_, order, constant):
            if isinstance(constant, Number):
                a, b = number(raw), float(constant.value)
            else:
                a, b = raw, constant  # type: ignore[assignment]
            if a is None:
                return False
            signs = {"=": a == b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
            return signs[order]


def code(domain: Domain, raw: str | None) -> int:
    if isinstance(domain, Values):
        return domain.values.index(raw) if raw in domain.values else len(domain.values)
    found = number(raw)
    return domain.cells if found is None else int(min(max(found // 1, 0), domain.cells - 1))


constants = st.one_of(
    st.sampled_from(["a", "b", "z", "40", ""]),
    st.sampled_from(["-1", "0", "0.5", "1", "2", "2.5", "3", "40", "50"]).map(
        lambda text: Number(Fraction(text))
    ),
)
atoms: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Compared, st.just("c"), st.sampled_from(["=", "<", "<=", ">", ">="]), constants),
    st.builds(OneOf, st.just("c"), st.lists(constants, min_size=1, max_size=3).map(tuple)),
    st.just(Missing("c")),
)
conditions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=5,
)


@given(condition=conditions, domain=st.sampled_from([*LISTED, STEPPED]))
@settings(max_examples=300, deadline=None)
def test_what_is_settled_is_so(condition: Condition, domain: Domain) -> None:
    """Whatever value has a code, the filter is only what the code says it can be."""
    may, may_not = settled(condition, domain)
    assert (may | may_not).all()
    for raw in NUMBERS if isinstance(domain, Bounds) else TEXTS:
        place = code(domain, raw)
        assert (may if holds(condition, raw) else may_not)[place], (condition, raw)


def test_what_codes_decide_is_settled() -> None:
    decided = {
        "c >= 2": [0, 0, 1, 1, 0],
        "c < 1": [1, 0, 0, 0, 0],
        "c >= 1 and c < 3": [0, 1, 1, 0, 0],
        "not c >= 3": [1, 1, 1, 0, 1],
    }
    for text, truth in decided.items():
        may, may_not = settled(parse(text), STEPPED)
        assert may.astype(int).tolist() == truth, text
        assert (may != may_not).all(), text
    may, may_not = settled(parse("c <= 2"), STEPPED)
    assert (may & may_not).tolist() == [False, False, True, False, False]
    assert (np.logical_and(*settled(parse("c = 'a'"), LISTED[0])) == 0).all()
    assert np.logical_and(*settled(parse("c is missing"), LISTED[0])).tolist()[-1]
    assert not np.logical_and(*settled(parse("c is missing"), LISTED[1])).any()


def test_parts_of_a_filter_decide_it() -> None:
    """If no part changes, the whole does not."""
    condition = parse("(a = 1 or b = 2 and c = 3) and (a = 4 or not (b = 5 or a = 6))")
    parts = by_column(condition)
    rows = [dict(zip("abc", map(str, row), strict=True)) for row in product(range(7), repeat=3)]

    def truth(part: Condition, row: dict[str, str]) -> bool:
        match part:
            case Not(inner):
                return not truth(inner, row)
            case And(inners):
                return all(truth(inner, row) for inner in inners)
            case Or(inners):
                return any(truth(inner, row) for inner in inners)
        return holds(part, row[part.columns[0]])

    seen: dict[tuple[bool, ...], bool] = {}
    for row in rows:
        key = tuple(truth(part, row) for part in parts)
        assert seen.setdefault(key, truth(condition, row)) == truth(condition, row)
    assert {part.columns for part in parts} == {("a",), ("b",), ("c",)}


def test_a_policy_needs_public_values() -> None:
    plan = Plan.of(columns={"a": "insensitive"}, privacy="change-one", policy={"a": "known"})
    with pytest.raises(PlanError, match="no column of the policy has public values"):
        plan.stated()
