"""A claim is one file: p-sensitive k-anonymity is declared, and appears everywhere.

`p_sensitive.py` has the class, its declaration and its oracle. Nothing else knows of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pyarrow as pa
import pytest
from contracts.p_sensitive import DECLARATION, PSensitiveKAnonymity, declared
from typer.testing import CliRunner

import hedgerow
from hedgerow.base.errors import PlanError
from hedgerow.claims import CLAIMS
from hedgerow.claims.declaration import Declaration
from hedgerow.claims.serialisation import UnknownModelError, rebuilt, spelled
from hedgerow.cli import app
from hedgerow.explore.levers import levers
from hedgerow.plan.plan import Plan, plan_json_schema
from hedgerow.web.claim_forms import claim_fields, claim_forms, claim_said, claim_styles
from hedgerow.web.sentences import sentence

ROOT = Path(__file__).resolve().parents[2]
NAME = DECLARATION.name
CLAIM = {NAME: {"p": 2, "k": 5}}
MODEL = "contracts:PSensitiveKAnonymity"
"""As certificates name it: the package that declares it, and the class."""
COLUMNS = {"age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 20]}},
           "sex": "quasi-identifier", "ill": "sensitive"}  # fmt: skip
TABLE = pa.table(
    {
        "age": [str(20 + i % 17) for i in range(60)],
        "sex": ["f", "m", "m"] * 20,
        "ill": ["flu", "gout", "flu", "acne", "flu"] * 12,
    }
)
SUITES = {
    "tests/contracts/test_models.py": 10,
    "tests/properties/test_monotonicity.py": 6,
    "tests/properties/test_staying.py": 4,
    "tests/properties/test_search.py": 1,
    "tests/claims/test_ranges.py": 2,
    "tests/contracts/test_declarations.py": 5,
}
"""Each suite, and how many of its tests at least are about the new claim."""


@pytest.fixture
def claim() -> Iterator[Declaration]:
    with declared() as found:
        yield found


def test_it_is_not_there_by_itself() -> None:
    assert NAME not in CLAIMS
    with pytest.raises(PlanError, match=f"there is no key '{NAME}' here"):
        Plan.of(columns=COLUMNS, protect=[CLAIM])
    with pytest.raises(UnknownModelError):
        rebuilt({"model": MODEL, "of": "ill", "p": 2, "k": 5})


@pytest.mark.usefixtures("claim")
def test_a_plan_makes_it(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(
        "columns: {age: quasi-identifier, ill: sensitive}\nprotect:\n"
        "  - p-sensitive-k-anonymity: {p: 2, k: 5}\n"
    )
    assert Plan.read(file).models() == (PSensitiveKAnonymity(p=2, k=5, of="ill"),)
    for wrong, what in (
        ({"p": 2}, "the key 'k' is missing"),
        ({"p": 2, "k": 1}, "'k' needs a whole number of at least 2, not 1"),
        ({"p": 2, "k": 5, "q": 1}, "there is no key 'q' here"),
        ({"p": 2, "k": 5, "of": "il"}, "there is no column 'il'"),
    ):
        with pytest.raises(PlanError) as error:
            Plan.of(columns=COLUMNS, protect=[{NAME: wrong}])
        assert error.value.what == what


@pytest.mark.usefixtures("claim")
def test_the_schema_of_plans_has_it() -> None:
    schema = plan_json_schema()
    plan = {"columns": {"age": "quasi-identifier", "ill": "sensitive"}, "protect": [CLAIM]}
    jsonschema.validate(plan, schema)
    described = schema["$defs"]["PSensitiveKAnonymity"]
    assert described["description"] == DECLARATION.summary
    assert described["properties"]["p"]["description"] == "Values in every group, at least."
    plan["protect"] = [{NAME: {"p": 2, "k": 1}}]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(plan, schema)


@pytest.mark.usefixtures("claim")
def test_explain_tells_it() -> None:
    told = CliRunner().invoke(app, ["explain", "model", NAME])
    assert told.exit_code == 0
    assert "p (whole number of at least 1): Values in every group, at least." in told.stdout
    assert DECLARATION.example in told.stdout


@pytest.mark.usefixtures("claim")
def test_the_app_has_a_form_and_a_sentence_for_it() -> None:
    form = claim_forms()[NAME]
    assert [p.name for p in form.numbers] == ["p", "k"]
    said = {NAME: {"p": 2, "k": 5, "of": "ill"}}
    assert claim_said(NAME, {"first": "2", "second": "5", "of": "ill"}) == said
    assert claim_said(NAME, claim_fields(said)) == said
    assert f"hint-{NAME}" in claim_styles()
    assert sentence(said) == (
        "Every group has at least 5 people, and ill has at least 2 different values in it."
    )


@pytest.mark.usefixtures("claim")
def test_it_can_be_moved() -> None:
    plan = Plan.of(columns=COLUMNS, protect=[CLAIM])
    found = {lever.name: lever for lever in levers(plan, domains={}, people=60)}
    assert found["0.p"].place == ("protect", 0, NAME, "p")
    (moved,) = found["0.k"].moved(plan.models(), 7)
    assert moved == PSensitiveKAnonymity(p=2, k=7, of="ill")


@pytest.mark.usefixtures("claim")
def test_a_release_is_certified_and_verified(tmp_path: Path) -> None:
    release = hedgerow.publish(TABLE, columns=COLUMNS, protect=[CLAIM], to=tmp_path / "release")
    (entry,) = release.certificate["claims"]
    assert entry["claim"] == "2-sensitive 5-anonymity of ill"
    assert entry["model"] == {"model": MODEL, "of": "ill", "p": 2, "k": 5}
    told = release.certificate["protected"]
    assert "finds at least 5 people with at least 2 values of 'ill'" in told
    assert "a value that is much likelier than the others of its group" in told
    assert "what the people of a group have in common" not in told
    found = hedgerow.verify(tmp_path / "release")
    assert [claim.verdict for claim in found.claims] == ["verified"]
    assert not found.refuted


def test_whoever_does_not_know_it_says_so(tmp_path: Path) -> None:
    with declared():
        hedgerow.publish(TABLE, columns=COLUMNS, protect=[CLAIM], to=tmp_path / "release")
    found = hedgerow.verify(tmp_path / "release")
    assert [claim.verdict for claim in found.claims] == ["not verifiable"]
    assert found.claims[0].why == f"this version does not know {MODEL!r}"


@pytest.mark.usefixtures("claim")
def test_it_is_data_and_back() -> None:
    model = PSensitiveKAnonymity(p=2, k=5, of="ill")
    assert rebuilt(json.loads(json.dumps(spelled(model)))) == model


@pytest.mark.slow
def test_every_suite_tries_it() -> None:
    """Declared before tests are collected, it is in every suite, and passes."""
    command = [sys.executable, "-m", "pytest", "-v", "-p", "contracts.p_sensitive", *SUITES]
    command += ["-p", "no:randomly", "-k", NAME]
    path = {"PYTHONPATH": f"{ROOT / 'tests'}:{ROOT / 'src'}"}
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    lines = [line for line in done.stdout.splitlines() if " PASSED" in line]
    passed = Counter(line.partition("::")[0] for line in lines)
    assert {suite: min(passed[suite], least) for suite, least in SUITES.items()} == SUITES
