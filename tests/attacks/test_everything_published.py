"""`hedgerow attack` on everything Hedgerow publishes: it attacks, or says what it needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hedgerow.cli import app
from hedgerow.ledger import Ledger
from hedgerow.noise.amounts import Amounts

COLUMNS = """columns:
  name: identifier
  zip: {role: quasi-identifier, hierarchy: {prefix: 5}}
  born: {role: quasi-identifier, hierarchy: {dates: [month, year, decade]}}
  age: {role: quasi-identifier, hierarchy: {ranges: [5, 10, 20]}}
"""
SENSITIVE = "  ill: sensitive\n"
NOISY = """columns:
  name: identifier
  zip: identifier
  born: identifier
  age: {role: quasi-identifier, bounds: [20, 59], step: 1}
  sex: {role: quasi-identifier, domain: [F, M]}
  ill: {role: sensitive, domain: [flu, gout, acne, ulcer]}
privacy: add-remove
population: town
ledger: ledger.db
"""
SAFE = """columns:
  name: identifier
  zip: identifier
  born: identifier
  ill: identifier
  age: {role: quasi-identifier, bounds: [20, 59], step: 1, hierarchy: {ranges: [20]},
        levels: [1, 1]}
  sex: {role: quasi-identifier, domain: [F, M]}
privacy: add-remove
population: town
ledger: ledger.db
"""
GROUPED = {
    "lattice": "{search: lattice, suppress: 5%}",
    "lattice-kept": "{search: lattice, suppress: 5%, keep_suppressed: true}",
    "local": "{search: local}",
    "mondrian": "{search: mondrian}",
    "mondrian-relaxed": "{search: mondrian, mode: relaxed}",
    "microaggregation": "{search: microaggregation}",
}
EVERY_METHOD = ["linkage", "homogeneity", "background-knowledge", "similarity", "skewness",
                "intersection", "sequential", "minimality", "gdpr"]  # fmt: skip


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    ills = ("flu", "gout", "acne", "ulcer")
    rows = [
        f"p{i},{13000 + i * 7 % 90},19{60 + i % 30}-0{1 + i % 9}-1{i % 9},{20 + i % 40},"
        f"{'FM'[i % 2]},{ills[i * i % 4 if i % 5 else i % 4]}"
        for i in range(240)
    ]
    Path("people.csv").write_text("name,zip,born,age,sex,ill\n" + "\n".join(rows) + "\n")
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=9, delta="1e-3"))
    return tmp_path


def published(plan: str) -> None:
    Path("plan.yaml").write_text(plan)
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--json"])
    assert done.exit_code == 0, done.output


def attacked(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(app, ["attack", "out", *arguments, "--json"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    told = json.loads(done.stdout)
    if done.exit_code == 0:
        assert told["attacks"], "nothing attacked must not pass"
    elif done.exit_code == 2:
        assert told.get("doubts") or told["error"]["what"]
    else:
        assert any(one["broken"] for one in told["attacks"])
    return done.exit_code, told


def names(told: dict[str, Any]) -> set[str]:
    return {one["attack"] for one in told["attacks"]}


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("method", GROUPED)
def test_releases_of_groups(town: Path, method: str, form: str) -> None:
    published(
        f"source: people.csv\n{COLUMNS}{SENSITIVE}  sex: quasi-identifier\n"
        f"protect: [k-anonymity: 4]\nmethod: {GROUPED[method]}\n"
        f"publish: {{to: out, format: {form}}}\n"
    )
    code, told = attacked("--plan", "plan.yaml")
    assert code in (0, 1), told
    assert names(told) == {"homogeneity", "background-knowledge", "skewness", "intersection"}
    for one in told["attacks"]:
        assert one["certain"]["of"] > 0, one["attack"]
        assert code == 1 or one["certain"]["people"] == 0
    alone, told = attacked()
    assert alone in (0, 1)
    assert names(told) == {"homogeneity", "background-knowledge", "skewness"}
    for name in EVERY_METHOD:
        attacked("--method", name, "--plan", "plan.yaml", "--register", "people.csv")


def test_a_table_without_a_sensitive_column(town: Path) -> None:
    published(
        f"source: people.csv\n{COLUMNS}  sex: quasi-identifier\n  ill: identifier\n"
        "protect: [k-anonymity: 4]\npublish: {to: out}\n"
    )
    code, told = attacked()
    assert code == 2
    assert "has no sensitive column" in told["error"]["what"]
    assert "--register" in told["error"]["fix"]
    code, told = attacked("--plan", "plan.yaml")
    assert code == 0, told
    assert names(told) == {"singling-out", "linkability"}
    code, told = attacked("--register", "people.csv")
    assert code == 0, told
    assert names(told) == {"linkage"}
    for name in EVERY_METHOD:
        attacked("--method", name, "--plan", "plan.yaml")


def test_synthetic_rows(town: Path) -> None:
    published(
        f"source: people.csv\n{NOISY}"
        "method: {search: marginals, epsilon: 2, tables: 2, synthetic: true}\npublish: {to: out}\n"
    )
    code, told = attacked()
    assert code == 2
    assert "Give the plan it was made with" in told["error"]["fix"]
    code, told = attacked("--sensitive", "ill")
    assert code == 2
    assert "made up from counts with noise, and nobody's" in told["error"]["what"]
    code, told = attacked("--plan", "plan.yaml")
    assert code == 0, told
    assert names(told) == {"singling-out", "linkability", "inference"}
    for one in told["attacks"]:
        assert one["certain"] is None, "no row is anybody's: nothing is known for certain"
        assert any("made up from counts with noise" in said for said in one["sentences"])
    for name in EVERY_METHOD:
        attacked("--method", name, "--plan", "plan.yaml", "--register", "people.csv")


def test_tables_of_counts_without_rows(town: Path) -> None:
    published(
        f"source: people.csv\n{NOISY}method: {{search: marginals, epsilon: 2, tables: 2}}\n"
        "publish: {to: out}\n"
    )
    code, told = attacked("--plan", "plan.yaml")
    assert code == 2
    assert "no records of people" in told["error"]["what"]


def test_safe_releases(town: Path) -> None:
    published(
        f"source: people.csv\n{SAFE}method: {{search: safe, beta: 0.5, epsilon: 4, delta: 1e-3}}\n"
        "publish: {to: out}\n"
    )
    code, told = attacked()
    assert code == 2
    assert "is of a random sample" in told["error"]["what"]
    code, told = attacked("--plan", "plan.yaml")
    assert code == 0, told
    assert names(told) == {"singling-out", "linkability"}
    code, told = attacked("--register", "people.csv")
    assert code == 0, told
    assert names(told) == {"linkage"}
