"""What a plan says about noise: neighbours, what is public, and a randomised release."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import tempfile
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jsonschema
import numpy as np
import pandas as pd
import pytest
from guess_facts import propose
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import hedgerow
from hedgerow.base.errors import HedgerowError, HierarchyError, PlanError
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.plan.plan import Plan, PlanErrors, plan_json_schema
from hedgerow.release.partition.fingerprint import key_of
from hedgerow.table.domain import MOST_CELLS, Bounds, Values, decimal
from hedgerow.table.hierarchy_builders import Bins, Ranges, Taxonomy

DOCS = Path(__file__).parents[2] / "docs"

PUBLIC = """\
columns:
  name: identifier
  age: {role: quasi-identifier, bounds: [0, 120], step: 1}
  dose: {role: insensitive, bounds: [-0.1, 0.30000000000000000004]}
  sex: {role: quasi-identifier, domain: [no, 007, 1.50, null, "null", true]}
  pain: {role: quasi-identifier, hierarchy: {bins: [[[none, mild], [severe]]]}, domain: hierarchy}
  job: {role: insensitive, domain: {csv: jobs.csv}}
  ward: {role: quasi-identifier, hierarchy: ward.csv, domain: hierarchy}
  disease: {role: sensitive, hierarchy: {taxonomy: {any: [flu, hiv]}}, domain: hierarchy}
  plain: sensitive
privacy: {neighbours: add-remove}
"""


def read(folder: Path, text: str) -> Plan:
    file = folder / "plan.yaml"
    file.write_text(text, "utf-8")
    return Plan.read(file)


def errors(folder: Path, text: str) -> list[tuple[int, str]]:
    """Line and message of everything that is wrong."""
    with pytest.raises(PlanErrors) as caught:
        read(folder, text)
    lines = []
    for error in caught.value.errors:
        match = re.fullmatch(r".*plan\.yaml:(\d+)", str(error.where))
        assert match, error.where
        lines.append((int(match[1]), f"{error.what} | {error.fix}"))
    return lines


def told(folder: Path, text: str, *wanted: tuple[int, str]) -> None:
    """Each problem is told at its line, and no others are."""
    found = errors(folder, text)
    assert [line for line, _ in found] == [line for line, _ in wanted], found
    for (_, said), (_, words) in zip(found, wanted, strict=True):
        assert words in said


# Neighbours


def test_neighbours_are_stated(tmp_path: Path) -> None:
    columns = "columns: {a: quasi-identifier}\n"
    brief = read(tmp_path, columns + "privacy: change-one\n")
    assert brief.neighbours() == Neighbours(kind=Neighbouring.CHANGE_ONE, rows=1)
    one = read(tmp_path, columns + "privacy: {neighbours: add-remove, rows: 1}\n")
    assert one.neighbours() == Neighbours(kind=Neighbouring.ADD_REMOVE, rows=1)
    several = read(tmp_path, columns + "person: p\nprivacy: {neighbours: add-remove, rows: 3}\n")
    assert several.neighbours() == Neighbours(kind=Neighbouring.ADD_REMOVE, rows=3)


def test_a_plan_that_does_not_state_them_says_what_to_add(tmp_path: Path) -> None:
    text = "columns: {a: quasi-identifier}\nprotect: [k-anonymity: 5]\n"
    with pytest.raises(PlanError, match=r"`privacy: \{neighbours: add-remove\}`") as caught:
        read(tmp_path, text).neighbours()
    assert caught.value.where == f"{tmp_path}/plan.yaml:1"
    with pytest.raises(PlanError, match=r"`privacy: \{neighbours: add-remove, rows: 3\}`") as more:
        read(tmp_path, text + "person: p\n").neighbours()
    # What it says to add is right.
    added = re.findall(r"`([^`]*)`", str(more.value.fix))[0]
    assert read(tmp_path, f"{text}person: p\n{added}\n").neighbours().rows == 3
    # Also where the neighbours are stated and only the rows are not, with the plan's own kind.
    with pytest.raises(PlanError, match="how many of one person count") as rows:
        read(tmp_path, f"{text}person: p\nprivacy: change-one\n")
    whole = "privacy: {neighbours: change-one, rows: 3}"
    assert f"Write `{whole}`" in str(rows.value)
    assert read(tmp_path, f"{text}person: p\n{whole}\n").neighbours().rows == 3


@pytest.mark.parametrize(
    ("more", "line", "says"),
    [
        ("privacy: add-removed", 3, "Did you mean add-remove?"),
        ("privacy: {rows: 1}", 3, "the key 'neighbours' is missing"),
        ("privacy:", 3, "'privacy' has no value"),
        ("privacy: {neighbours: add-remove, row: 1}", 3, "Did you mean rows?"),
        ("privacy: {neighbours: add-remove, rows: 0}", 3, "whole number of at least 1, not 0"),
        ("privacy: {neighbours: add-remove, rows: 1.5}", 3, "not 1.5"),
        ("privacy:\n  neighbours: add-remove\n  rows: 2", 5, "so rows cannot be 2"),
        ("person: p\nprivacy: add-remove", 4, "nothing says how many of one person count"),
    ],
)
def test_neighbours_that_make_no_sense(tmp_path: Path, more: str, line: int, says: str) -> None:
    text = f"columns: {{a: quasi-identifier}}\nprotect: [k-anonymity: 5]\n{more}\n"
    told(tmp_path, text, (line, says))


def test_reading_a_plan_and_publishing_import_no_mechanisms(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,d\n1,x\n1,y\n")
    text = "source: a.csv\ncolumns: {a: {role: quasi-identifier, bounds: [0, 9]}, d: sensitive}\n"
    (tmp_path / "plan.yaml").write_text(f"{text}protect: [k-anonymity: 2]\nprivacy: add-remove\n")
    code = (
        "import sys, hedgerow; hedgerow.publish('plan.yaml', to='out');"
        "print(*[m for m in sys.modules if m.startswith('hedgerow.noise')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    # What the ledger counts in is no mechanism.
    assert done.stdout.split() == ["hedgerow.noise", "hedgerow.noise.amounts"]


# What is public


def test_what_is_public(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text('nurse,health\n"cook, chef",food\n,none\n', "utf-8")
    (tmp_path / "ward.csv").write_text("b;*\na;*\n;*\n", "utf-8")
    plan = read(tmp_path, PUBLIC)
    assert plan.domain("name") is None
    assert plan.domain("plain") is None
    assert plan.domain("age") == Bounds(Fraction(0), Fraction(120), Fraction(1))
    # As written: this upper bound is no double.
    assert plan.domain("dose") == Bounds(Fraction(-1, 10), Fraction("0.30000000000000000004"), None)
    assert plan.domain("sex") == Values(("no", "007", "1.50", None, "null", "true"))
    assert plan.domain("pain") == Values(("none", "mild", "severe"))
    assert plan.domain("job") == Values(("nurse", "cook, chef", None))
    assert plan.domain("ward") == Values(("b", "a", None))
    assert plan.domain("disease") == Values(("flu", "hiv"))
    with pytest.raises(PlanError, match="no column 'agee'") as caught:
        plan.domain("agee")
    assert caught.value.fix == "Did you mean 'age'?"


def test_the_person_has_no_domain() -> None:
    plan = Plan.of(
        columns={"a": "insensitive"}, person="p", privacy={"neighbours": "add-remove", "rows": 2}
    )
    assert plan.domain("p") is None


def test_numbers_of_python_are_taken_as_they_are_written() -> None:
    for low, high in ((0.1, np.float64(0.3)), ("0.1", Decimal("0.3")), (Fraction(1, 10), "3e-1")):
        column = {"role": "insensitive", "bounds": (low, high), "step": 0.1}
        found = Plan.of(columns={"a": column}, privacy="add-remove").domain("a")
        assert found == Bounds(Fraction(1, 10), Fraction(3, 10), Fraction(1, 10))
        assert isinstance(found, Bounds)
        assert found.cells == 3


@given(st.decimals(-(10**6), 10**6, places=4), st.decimals("0.0001", 10**6, places=4))
@settings(max_examples=50, deadline=None)
def test_bounds_are_the_decimals_in_the_file(low: Decimal, width: Decimal) -> None:
    # Nothing in between may be a double: neither YAML's nor ours.
    text = f"columns: {{a: {{role: insensitive, bounds: [{low:f}, {low + width:f}]}}}}\n"
    with tempfile.TemporaryDirectory() as folder:
        found = read(Path(folder), text + "privacy: add-remove\n").domain("a")
    assert found == Bounds(Fraction(low), Fraction(low + width))


@pytest.mark.parametrize(
    ("column", "line", "says"),
    [
        ("role: identifier\n    bounds: [0, 1]", 4, "an identifier names people"),
        ("role: identifier\n    domain: [x]", 4, "no domain of it can be public"),
        ("role: sensitive\n    bounds: [0, 1]\n    domain: [x]", 5, "bounds or a domain, not both"),
        ("role: sensitive\n    step: 1", 4, "a step needs bounds"),
        ("role: sensitive\n    domain: [x]\n    step: 1", 5, "a step needs bounds"),
        ("role: sensitive\n    bounds: 5", 4, "two numbers, such as [0, 120], not 5"),
        ("role: sensitive\n    bounds: [0]", 4, "two numbers, such as [0, 120], not ['0']"),
        ("role: sensitive\n    bounds: [0, 1, 2]", 4, "two numbers"),
        ("role: sensitive\n    bounds: [0, .inf]", 4, "'.inf' is not a finite number"),
        ("role: sensitive\n    bounds: [.nan, 1]", 4, "'.nan' is not a finite number"),
        ("role: sensitive\n    bounds: [no, 1]", 4, "'no' is not a finite number"),
        ("role: sensitive\n    bounds: [null, 1]", 4, "'null' is not a finite number"),
        ("role: sensitive\n    bounds: [5, 0.5]", 4, "5 is not under the upper bound 0.5 | Write"),
        ("role: sensitive\n    bounds: [1, 1]", 4, "1 is not under the upper bound 1"),
        ("role: sensitive\n    bounds: [0, 10]\n    step: 0", 5, "a number above 0, not '0'"),
        ("role: sensitive\n    bounds: [0, 10]\n    step: -1", 5, "above 0, not '-1'"),
        ("role: sensitive\n    bounds: [0, 10]\n    step:", 5, "'step' has no value"),
        ("role: sensitive\n    bounds: [0, 10]\n    step: 3", 5, "upper bound to 9 or 12"),
        ("role: sensitive\n    bounds: [0, 1]\n    step: 2.5", 5, "upper bound to 2.5, or"),
        ("role: sensitive\n    domain: []", 4, "needs a list of values"),
        ("role: sensitive\n    domain:", 4, "'domain' has no value"),
        ("role: sensitive\n    domain: 5", 4, "needs a list of values, hierarchy or a file, not 5"),
        ("role: sensitive\n    domain: hierachy", 4, "Did you mean hierarchy?"),
        ("role: sensitive\n    domain: jobs.csv", 4, "For a file write {csv: jobs.csv}"),
        ("role: sensitive\n    domain: {cvs: jobs.csv}", 4, "the key 'csv' is missing"),
        ("role: sensitive\n    domain:\n      - a\n      - b\n      - a", 7, "'a' stands in the d"),
        ("role: sensitive\n    domain:\n      - null\n      -", 6, "missing stands in the domain"),
        ("role: sensitive\n    domain:\n      - a\n      - [b]", 6, "['b'] is not a value"),
        ("role: sensitive\n    domain:\n      - a\n      - '?'", 6, "'?': read as missing"),
        ("role: sensitive\n    domain: hierarchy", 4, "the column has no hierarchy"),
        ("role: insensitive\n    domain: hierarchy", 4, "`domain: {csv: a.csv}`"),
    ],
)  # fmt: skip
def test_domains_that_make_no_sense(tmp_path: Path, column: str, line: int, says: str) -> None:
    text = f"columns:\n  x:\n    {column}\nnull: ['?']\nprivacy: add-remove\n"
    found = errors(tmp_path, text)
    assert any(at == line and says in said for at, said in found), found
    assert len({at for at, _ in found}) == 1, found


@pytest.mark.parametrize(
    ("hierarchy", "says"),
    [
        ("{ranges: [5]}", "whatever numbers there are | Give bounds instead"),
        ("{bins: [[18, 65]]}", "its bins have edges, not values | Give bounds instead"),
        ("{prefix: 5}", "it masks whatever values there are | List the values"),
        ("dates", "it holds whatever dates there are | List the values"),
        ("suppression", "it takes whatever values there are | List the values"),
    ],
)
def test_hierarchies_that_list_no_values(tmp_path: Path, hierarchy: str, says: str) -> None:
    column = f"{{role: quasi-identifier, hierarchy: {hierarchy}, domain: hierarchy}}"
    told(tmp_path, f"columns:\n  x: {column}\nprivacy: add-remove\n", (2, says))


def test_builders_given_in_python_list_their_values_too() -> None:
    def domain(spec: Any) -> Any:
        column = {"role": "quasi-identifier", "hierarchy": spec, "domain": "hierarchy"}
        return Plan.of(columns={"x": column}, privacy="add-remove").domain("x")

    assert domain(Taxonomy(tree={"a": ["b", "c"]})) == Values(("b", "c"))
    assert domain(Bins(edges=((("c", "b"), ("a",)),))) == Values(("c", "b", "a"))
    with pytest.raises(PlanErrors, match="does not list"):
        domain(Ranges(widths=(5,)))


def test_identifiers_of_all_kinds_of_wrong_are_told_at_once(tmp_path: Path) -> None:
    text = """\
columns:
  a:
    role: identifier
    bounds: [0, 1]
    step: 1
  b: {role: sensitive, domain: {}}
  c:
    role: sensitive
    domain:
      - x
      - x
      - {y: z}
protect:
  - k-anonymity: 1
"""
    wanted = (4, "bounds"), (5, "step"), (6, "csv"), (11, "'x' stands"), (12, "not a value")
    told(tmp_path, text, *wanted, (14, "'k' needs"))


FILES = {
    "one": ("a\nb\nc\n", ("a", "b", "c")),
    "with a mark": ("\ufeffa\nb\n", ("a", "b")),
    "no last line end": ("a\r\nb", ("a", "b")),
    "missing": ('a\n""\n', ("a", None)),
    "tabs": ("a\tx\nb\ty\n", ("a", "b")),
    "semicolons before commas": ("a,b;x\nc;y\n", ("a,b", "c")),
    "quoted": ('"a,b"\nc\n"say ""x"""\n', ("a,b", "c", 'say "x"')),
    "quoted, with more columns": ('"a,b",x\nc,y\n', ("a,b", "c")),
    "spaces stay": (" a\nb \n", (" a", "b ")),
    "blank lines": ("a\n\nb\n", ("a", "b")),
    "names, not numbers": ("007\n1.0\nno\n", ("007", "1.0", "no")),
}


@pytest.mark.parametrize("kind", FILES)
def test_files_of_values(tmp_path: Path, kind: str) -> None:
    text, values = FILES[kind]
    (tmp_path / "values.csv").write_bytes(text.encode())
    plan = read(
        tmp_path, "columns: {a: {role: insensitive, domain: {csv: values.csv}}}\n"
        "privacy: add-remove\n",
    )  # fmt: skip
    assert plan.domain("a") == Values(values)


@pytest.mark.parametrize(
    ("content", "where", "says"),
    [
        (None, "plan.yaml:3", "cannot be read"),
        (b"", "values.csv:1", "the file is empty"),
        (b"a\nb\na\n", "values.csv:3", "'a' stands in line 1 already"),
        (b'""\na\n""\n', "values.csv:3", "missing stands in line 1 already"),
        (b"a\n\xff\n", "values.csv:2", "byte 0xff is not UTF-8"),
        (b"a,x\nb\n", "values.csv:2", "1 column(s) where line 1 has 2"),
        (b"b\na,x\n", "values.csv:2", "2 column(s) where line 1 has 1"),
        (b'a\n"b\n', "values.csv:2", "not a readable line"),
        (b'"a,b",x\nc\n', "values.csv:2", "1 column(s) where line 1 has 2"),
        (b'a\nx,"b\n', "values.csv:2", "not a readable line"),
        (b"a\n?\n", "plan.yaml:3", "'?': read as missing"),
    ],
)
def test_files_that_list_no_values(
    tmp_path: Path, content: bytes | None, where: str, says: str
) -> None:
    if content is not None:
        (tmp_path / "values.csv").write_bytes(content)
    text = "columns:\n  a: {role: insensitive,\n    domain: {csv: values.csv}}\nnull: ['?']\n"
    plan = read(tmp_path, text + "privacy: add-remove\n")
    with pytest.raises(PlanError, match=re.escape(says)) as caught:
        plan.domain("a")
    assert str(caught.value.where).endswith(where)


def test_the_nearest_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text("a\n")
    text = "columns: {a: {role: insensitive, domain: {csv: valeus.csv}}}\nprivacy: add-remove\n"
    with pytest.raises(PlanError, match=r"Did you mean 'values\.csv'\?"):
        read(tmp_path, text).domain("a")


def test_a_hierarchy_file_that_cannot_be_used(tmp_path: Path) -> None:
    text = "null: ['?']\ncolumns: {a: {role: sensitive, hierarchy: h.csv, domain: hierarchy}}\n"
    plan = read(tmp_path, text + "privacy: add-remove\n")
    with pytest.raises(HierarchyError, match="cannot be read"):
        plan.domain("a")
    (tmp_path / "h.csv").write_text("x;*\n?;*\n")
    with pytest.raises(PlanError, match="'\\?': read as missing"):
        plan.domain("a")
    (tmp_path / "h.csv").write_text("x;*\n;*\n")
    assert plan.domain("a") == Values(("x", None))


@pytest.mark.parametrize(
    ("number", "text"),
    [(Fraction(1, 8), "0.125"), (Fraction(-7, 20), "-0.35"), (Fraction(10**30), "1" + "0" * 30),
     (Fraction(1, 10**9), "0.000000001"), (Fraction(-2, 3), "-2/3"), (Fraction(0), "0")],
)  # fmt: skip
def test_numbers_are_told_exactly(number: Fraction, text: str) -> None:
    assert decimal(number) == text
    assert Fraction(text) == number


def test_domains_beyond_all_measure() -> None:
    with pytest.raises(PlanError, match="'a' and missing more than once"):
        Values(("a", None, "a", None))
    with patch("hedgerow.table.domain.MOST_CELLS", 10), pytest.raises(PlanError, match="cells"):
        Values(tuple(map(str, range(11))))
    assert Bounds(Fraction(1), Fraction(MOST_CELLS), Fraction(1)).cells == MOST_CELLS
    with pytest.raises(PlanError, match="10,000,001 cells"):
        _ = Bounds(Fraction(0), Fraction(MOST_CELLS), Fraction(1)).cells


# Plans without claims

TABLE = pd.DataFrame({"a": ["1", "2"], "d": ["x", "y"]})


def test_a_plan_with_privacy_needs_no_claims_and_no_quasi_identifier() -> None:
    plan = Plan.of(columns={"a": "insensitive", "d": "sensitive"}, privacy="add-remove")
    assert plan.protect == ()
    with pytest.raises(PlanErrors, match="nothing is protected"):
        Plan.of(columns={"a": "quasi-identifier"})
    with pytest.raises(PlanErrors, match="nothing is protected"):
        Plan.of(columns={"a": "quasi-identifier"}, protect=[], privacy="add-remove")
    with pytest.raises(PlanErrors, match="no column is a quasi-identifier"):
        Plan.of(columns={"a": "insensitive"}, protect=[{"k-anonymity": 2}], privacy="add-remove")


def test_what_is_broken_is_not_also_missing(tmp_path: Path) -> None:
    told(tmp_path, "columns: {a: insensitive}\nprivacy: add\n", (2, "cannot be 'add'"))


def test_a_randomised_release_has_no_claims_to_check(tmp_path: Path) -> None:
    plan = Plan.of(
        columns={"a": {"role": "insensitive", "domain": ["1"]}, "d": "sensitive"},
        privacy="add-remove",
        method={"search": "marginals", "rho": 1, "tables": 1},
        source=tmp_path / "a.csv",
    )
    TABLE.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(PlanError, match="which no table has by itself"):
        hedgerow.check(plan)


@pytest.mark.parametrize("command", ["publish", "check", "frontier"])
def test_without_claims_nothing_is_published_or_checked(tmp_path: Path, command: str) -> None:
    TABLE.to_csv(tmp_path / "a.csv", index=False)
    text = "source: a.csv\ncolumns: {a: quasi-identifier, d: sensitive}\nprivacy: add-remove\n"
    plan = read(tmp_path, f"{text}population: p\npublish: {{to: out}}\n")
    more = {"publish": {"ledger": str(tmp_path / "ledger.db")}}.get(command, {})
    with pytest.raises(PlanError, match="nothing is protected: the plan makes no claims") as caught:
        getattr(hedgerow, command)(plan, **more)
    assert caught.value.where == f"{tmp_path}/plan.yaml:1"
    assert "search: marginals" in str(caught.value.fix)
    assert not (tmp_path / "out").exists()


# A randomised release

RELEASE = """\
source: a.csv
columns:
  name: identifier
  age: {role: quasi-identifier, bounds: [0, 120], step: 1}
  sex: {role: quasi-identifier, domain: [F, M, null]}
  none: sensitive
  bmi: {role: insensitive, bounds: [10, 60]}
  disease: {role: sensitive, domain: {csv: d.csv}}
privacy: add-remove
method:
  search: marginals
  epsilon: 0.1
  tables: 2
"""


def test_a_randomised_release(tmp_path: Path) -> None:
    method = read(tmp_path, RELEASE + "  delta: 1e-6\n  synthetic: true\n").method
    assert method.search == "marginals"
    assert (method.epsilon, method.delta, method.rho) == (
        Fraction(1, 10), Fraction(1, 10**6), None,
    )  # fmt: skip
    assert method.synthetic is True
    exact = "0.100000000000000000000000000001"
    text = RELEASE.replace("epsilon: 0.1", f"rho: {exact}").replace("2", "[[age, sex], [disease]]")
    plan = read(tmp_path, text.replace("1[[age, sex], [disease]]0", "120"))
    assert plan.method.rho == Fraction(exact)
    assert plan.tables() == (("age", "sex"), ("disease",))
    with pytest.raises(PlanError, match="makes no claims about groups") as caught:
        plan.models()
    assert caught.value.where == f"{tmp_path}/plan.yaml:11"


def test_a_number_stands_for_all_tables_of_so_many_columns(tmp_path: Path) -> None:
    for k in (1, 2, 3):
        plan = read(tmp_path, RELEASE.replace("tables: 2", f"tables: {k}"))
        assert plan.tables() == tuple(combinations(("age", "sex", "disease"), k))
    assert Plan.of(columns={"a": "insensitive"}, privacy="add-remove").tables() == ()


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("privacy: add-remove", "", 11, "nothing says who is hidden by it | Add `privacy: {n"),
        ("epsilon: 0.1", "epsilon: 0", 12, "'epsilon' needs a number above 0, not '0'"),
        ("epsilon: 0.1", "epsilon: inf", 12, "'epsilon' needs a number above 0, not 'inf'"),
        ("epsilon: 0.1", "epsilon: .nan", 12, "'epsilon' needs a number above 0, not '.nan'"),
        ("epsilon: 0.1", "epsilon: 10%", 12, "'epsilon' needs a number above 0, not '10%'"),
        ("epsilon: 0.1", "epsilon:", 12, "'epsilon' has no value"),
        ("epsilon: 0.1", "epslon: 0.1", 12, "Did you mean epsilon?"),
        ("  epsilon: 0.1\n", "", 10, "nothing says what it may cost"),
        ("epsilon: 0.1", "delta: 0.1", 12, "delta goes with epsilon"),
        ("tables: 2", "rho: 1\n  tables: 2", 12, "epsilon beside rho: a release has one price"),
        ("epsilon: 0.1", "rho: 1\n  delta: 0.1", 13, "delta beside rho"),
        ("tables: 2", "tables: 2\n  delta: 1", 14, "above 0 and below 1, not '1'"),
        ("  tables: 2\n", "", 10, "nothing says which tables"),
        ("tables: 2", "tables: 0", 13, "needs a whole number of columns such as 2"),
        ("tables: 2", "tables: []", 13, "needs a whole number of columns such as 2"),
        ("tables: 2", "tables: true", 13, "needs a whole number of columns such as 2"),
        ("tables: 2", "tables: [age]", 13, "'age' is a column, not a list | Write [age]"),
        ("tables: 2", "tables: [[]]", 13, "[] is not a list of columns"),
        ("tables: 2", "tables: [[[age]]]", 13, "['age'] is not the name of a column"),
        ("tables: 2", "tables:\n    - [sex]\n    - [agee]", 15, "Did you mean 'age'?"),
        ("tables: 2", "tables: [[name]]", 13, "'name' is an identifier, which is never published"),
        ("tables: 2", "tables: [[bmi]]", 13, "'bmi' has bounds but no step"),
        ("tables: 2", "tables: [[age, age]]", 13, "a column stands twice in one table"),
        ("tables: 2", "tables: [[age, sex], [sex, age]]", 13, "the table of 'sex' and 'age' stand"),
        ("tables: 2", "tables: 4", 13, "only 'age', 'sex' and 'disease' have a domain"),
        ("tables: 2", "tables: [[none]]", 13, "'none' has no domain"),
        ("bounds: [0, 120], step: 1", "levels: [0, 1], bounds: [0, 9], step: 1", 4, "no levels"),
        ("step: 1", "step: 1, missing: refuse", 4, "so it cannot be 'refuse'"),
        ("step: 1", "step: 1, missing: suppress", 4, "so it cannot be 'suppress'"),
        ("tables: 2", "tables: 2\n  suppress: 5%", 14, "suppress has no meaning for marginals"),
        ("tables: 2", "tables: 2\n  keep_suppressed: true", 14, "keep_suppressed has no meaning"),
        ("tables: 2", "tables: 2\n  time: 5", 14, "time has no meaning for marginals"),
        ("tables: 2", "tables: 2\n  mode: strict", 14, "mode has no meaning for marginals"),
        ("tables: 2", "tables: 2\n  boxes: ranges", 14, "boxes has no meaning for marginals"),
        ("tables: 2\n", "tables: 2\nutility: loss\n", 14, "utility has no meaning for marginals"),
        ("tables: 2\n", "tables: 2\nprotect: [k-anonymity: 5]\n", 14, "its promise is its epsilon"),
    ],
)  # fmt: skip
def test_releases_that_make_no_sense(
    tmp_path: Path, old: str, new: str, line: int, says: str
) -> None:
    assert old in RELEASE
    text = RELEASE.replace(old, new)
    told(tmp_path, text, (line, says))


@pytest.mark.parametrize("key", ["epsilon", "delta", "rho", "tables", "synthetic"])
@pytest.mark.parametrize("search", ["lattice", "mondrian", "microaggregation", "local"])
def test_what_only_a_randomised_release_has(tmp_path: Path, key: str, search: str) -> None:
    value = {"epsilon": "1", "delta": "0.1", "rho": "1", "tables": "2", "synthetic": "false"}[key]
    text = "columns: {a: quasi-identifier}\nprotect: [k-anonymity: 5]\nprivacy: add-remove\n"
    text += f"method:\n  search: {search}\n  {key}: {value}\n"
    told(tmp_path, text, (6, f"{key} has no meaning for {search} | Leave it out, or use `sear"))


def test_too_many_tables() -> None:
    columns = {f"c{i}": {"role": "insensitive", "domain": ["a"]} for i in range(60)}
    method: dict[str, Any] = {"search": "marginals", "epsilon": 1, "tables": 2}
    assert len(Plan.of(columns=columns, privacy="add-remove", method=method).tables()) == 1770
    with pytest.raises(PlanErrors, match="make 34,220 tables of 3"):
        Plan.of(columns=columns, privacy="add-remove", method=method | {"tables": 3})


# Where plans are written down


def test_ordinary_releases_are_certified_as_before(tmp_path: Path) -> None:
    columns: dict[str, Any] = {"a": "quasi-identifier", "d": "sensitive"}
    public: dict[str, Any] = {
        "a": {"role": "quasi-identifier", "bounds": [0, 120], "step": 1},
        "d": {"role": "sensitive", "domain": ["x", "y", None]},
    }
    table = pd.DataFrame({"a": ["1", "1", "2", "2"], "d": ["x", "y", "x", "z"]})
    protect = [{"k-anonymity": 2}]
    plain = hedgerow.publish(table, columns=columns, protect=protect)
    noted = hedgerow.publish(table, columns=public, protect=protect, privacy="add-remove")
    assert noted.certificate == plain.certificate
    assert set(plain.certificate["plan"]["method"]) == {
        "search", "suppress", "keep_suppressed", "time", "mode", "boxes",
    }  # fmt: skip
    assert type(plain.certificate["plan"]["method"]["suppress"]) is float
    one = Plan.of(columns=columns, protect=protect)
    other = Plan.of(columns=public, protect=protect, privacy="add-remove")
    assert key_of(one) == key_of(other)


def test_a_ledger_still_knows_the_releases_of_earlier_versions() -> None:
    plan = Plan.of(
        columns={"a": "quasi-identifier", "d": "sensitive"},
        protect=[{"k-anonymity": 2}],
        method={"search": "mondrian", "mode": "relaxed"},
    )
    # As it was before plans could ask for noise.
    assert key_of(plan) == "44c5b20261ca5bcc8f09c06720b6a7759797c76b4a41c94b1a333220901acdc2"


def test_the_method_is_told_exactly() -> None:
    columns = {"a": {"role": "insensitive", "domain": ["x"]}}
    method = {"search": "marginals", "epsilon": "0.1", "delta": 1e-9, "tables": [["a"]]}
    plan = Plan.of(columns=columns, privacy="add-remove", method=method)
    assert json.loads(json.dumps(plan.method.model_dump(mode="json"))) == {
        "search": "marginals", "epsilon": "0.1", "delta": "0.000000001", "rho": None,
        "tables": [["a"]], "synthetic": False,
    }  # fmt: skip


def test_what_is_public_is_told_exactly(tmp_path: Path) -> None:
    columns = read(tmp_path, PUBLIC).model_dump(mode="json")["columns"]
    assert columns["age"]["bounds"] == ["0", "120"]
    assert columns["age"]["step"] == "1"
    assert columns["dose"]["bounds"] == ["-0.1", "0.30000000000000000004"]
    assert columns["sex"]["domain"] == ["no", "007", "1.50", None, "null", "true"]
    assert columns["pain"]["domain"] == "hierarchy"
    assert columns["job"]["domain"] == {"csv": f"{tmp_path}/jobs.csv"}


# What editors and `init` know

BASE: dict[str, Any] = {"columns": {"a": "quasi-identifier"}, "protect": [{"k-anonymity": 5}]}
RANDOMISED: dict[str, Any] = {
    "columns": {"a": {"role": "insensitive", "domain": ["x"]}},
    "privacy": "add-remove",
}
GOOD: list[dict[str, Any]] = [
    BASE | {"privacy": "add-remove"},
    {"columns": {"a": "insensitive"}, "privacy": {"neighbours": "change-one"}},
    RANDOMISED,
    *(
        {"columns": {"a": {"role": "sensitive"} | column}, "privacy": "add-remove"}
        for column in (
            {"bounds": [0, 120]},
            {"bounds": ["-0.5", " 1e3 "], "step": "0.5"},
            {"domain": ["x", 1, 2.5, True, None]},
            {"domain": {"csv": "x.csv"}},
            {"domain": "hierarchy", "hierarchy": "x.csv"},
        )
    ),
    *(
        RANDOMISED | {"method": {"search": "marginals", "tables": 1} | method}
        for method in (
            {"epsilon": 1},
            {"epsilon": "0.1", "delta": 1e-6},
            {"rho": 0.5, "tables": [["a"]], "synthetic": True},
        )
    ),
]
BAD: list[dict[str, Any]] = [
    {"columns": {"a": "insensitive"}},
    {"columns": {"a": "insensitive"}, "privacy": "add-remove", "protect": []},
    BASE | {"privacy": None},
    BASE | {"privacy": {}},
    BASE | {"privacy": "bounded"},
    BASE | {"privacy": {"neighbours": "add-remove", "rows": 0}},
    BASE | {"privacy": {"neighbours": "add-remove", "epsilon": 1}},
    *(
        {"columns": {"a": {"role": "sensitive"} | column}, "privacy": "add-remove"}
        for column in (
            {"bounds": [0]},
            {"bounds": [0, 1, 2]},
            {"bounds": [0, None]},
            {"bounds": [0, "x"]},
            {"bounds": [0, True]},
            {"bounds": {"low": 0, "high": 1}},
            {"bounds": [0, 1], "step": 0},
            {"bounds": [0, 1], "step": None},
            {"domain": []},
            {"domain": None},
            {"domain": "values.csv"},
            {"domain": ["a", "a"]},
            {"domain": ["a", ["b"]]},
            {"domain": {"csv": ""}},
            {"domain": {"csv": 5}},
            {"domain": {"file": "x.csv"}},
        )
    ),
    *(
        RANDOMISED | {"method": {"search": "marginals", "tables": 1} | method}
        for method in (
            {"epsilon": 0},
            {"epsilon": "one"},
            {"epsilon": True},
            {"epsilon": 1, "delta": 1},
            {"epsilon": 1, "tables": 0},
            {"epsilon": 1, "tables": []},
            {"epsilon": 1, "tables": [[]]},
            {"epsilon": 1, "tables": ["a"]},
            {"epsilon": 1, "tables": [[1]]},
            {"epsilon": 1, "synthetic": "yes"},
        )
    ),
]


@pytest.mark.parametrize("document", GOOD, ids=json.dumps)
def test_schema_and_plan_accept(document: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(plan_json_schema()).validate(document)
    assert Plan.model_validate(document)


@pytest.mark.parametrize("document", BAD, ids=json.dumps)
def test_schema_and_plan_refuse(document: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(plan_json_schema()).is_valid(document)
    with pytest.raises(ValidationError):
        Plan.model_validate(document)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400, "1_000", b"1", [1], 1j])
def test_what_is_no_price(value: Any) -> None:
    with pytest.raises(PlanErrors, match="needs a number above 0"):
        Plan.of(
            columns={"a": {"role": "insensitive", "domain": ["x"]}},
            privacy="add-remove",
            method={"search": "marginals", "epsilon": value, "tables": 1},
        )


def test_whole_plans_in_the_reference_are_valid(tmp_path: Path) -> None:
    text = (DOCS / "plan.md").read_text("utf-8")
    plans = re.findall(r"^```yml\n(.*?)^```", text, re.M | re.S)
    assert {read(tmp_path, plan).method.search for plan in plans} == {"marginals", "safe"}


def test_init_says_how_to_go_on_and_guesses_nothing_public(tmp_path: Path) -> None:
    from hedgerow.engines import open_engine
    from hedgerow.table.profile.whole_table import profile_table

    ages = [str(age) for age in range(17, 91)]
    pd.DataFrame({"age": ages, "disease": ["flu", "hiv"] * 37}).to_csv(
        tmp_path / "people.csv", index=False
    )
    with open_engine(tmp_path / "people.csv") as engine:
        text = propose(profile_table(engine, deep=False), source="people.csv")
    plan = read(tmp_path, text)
    assert plan.privacy is None
    assert [plan.domain(name) for name in plan.columns] == [None, None]
    hints = [line for line in text.splitlines() if line.startswith("#")]
    assert any("bounds: [0, 120]" in line for line in hints)
    assert not any(value in "\n".join(hints) for value in ("17", "90", "flu", "hiv"))
    # Taking the mark of the comment away is enough.
    (hint,) = (line for line in hints if line.startswith("# privacy:"))
    assert read(tmp_path, text.replace(hint, hint[2:])).neighbours().rows == 1


def test_every_error_is_one_of_ours(tmp_path: Path) -> None:
    """Whatever stands in the new places, it is refused in words."""
    odd = ["1", "-1", "x", "''", "[]", "{}", "[1, 2]", "[[1]]", "{a: b}", "true", "~", "1e999",
           "[null]", "!!binary aGk=", "2024-01-01", "&a [*a]", "'\\u0000'"]  # fmt: skip
    frame = "columns:\n  a: {role: insensitive, %s: %s}\nprivacy: add-remove\n"
    for value in odd:
        texts = [frame % (key, value) for key in ("bounds", "step", "domain")]
        texts += [f"columns: {{a: insensitive}}\nprivacy: {value}\n"]
        texts += [
            f"columns: {{a: insensitive}}\nprivacy: {{neighbours: add-remove, rows: {value}}}\n"
        ]
        texts += [
            f"columns: {{a: insensitive}}\nprivacy: add-remove\n"
            f"method: {{search: marginals, {key}: {value}}}\n"
            for key in ("epsilon", "delta", "rho", "tables", "synthetic")
        ]
        for text in texts:
            # Any other exception fails the test.
            with contextlib.suppress(HedgerowError):
                read(tmp_path, text)
