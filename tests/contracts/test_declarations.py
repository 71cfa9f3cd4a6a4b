"""What every declared claim is: a line of a plan, a form, a sentence, JSON, and a certificate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import hedgerow
from hedgerow.api.plan_text import written
from hedgerow.claims import CLAIMS
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.declaration import (
    REQUIRED,
    ChoiceParameter,
    NumberParameter,
    ParameterKind,
    declared,
    types_of,
)
from hedgerow.claims.serialisation import rebuilt, spelled
from hedgerow.plan.claims import Claim
from hedgerow.plan.plan import Plan, plan_json_schema
from hedgerow.web.claim_forms import PLACES, claim_fields, claim_forms, claim_said, claim_styles
from hedgerow.web.sentences import sentence

DOCS = Path(__file__).resolve().parents[2] / "docs"
WITHOUT_FILES = {"composition": {"composition": 0.5}, "belief": {"belief": 0.5}}
"""Examples that name releases which are not there."""
COLUMNS = {"age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 40]}},
           "disease": "sensitive", "salary": "sensitive"}  # fmt: skip
every_claim = pytest.mark.parametrize("name", list(CLAIMS))


def example(name: str) -> dict[str, Any]:
    """The claim of the explanation's example."""
    (claim,) = yaml.safe_load(CLAIMS[name].example)
    return WITHOUT_FILES.get(name, claim)


def folder_of(path: Path) -> Path:
    """A table, a population and an attacker's statistics, for the examples."""
    ill = ("flu", "cancer", "HIV", "acne")
    rows = [f"{20 + i % 40},{ill[i % 4]},{1000 + i % 8}" for i in range(160)]
    path.mkdir()
    (path / "people.csv").write_text("\n".join(["age,disease,salary", *rows]) + "\n")
    (path / "census.csv").write_text("\n".join(["age,disease,salary", *rows * 6]) + "\n")
    (path / "metropolis.csv").write_text("disease\n" + "\n".join(ill * 9) + "\n")
    return path


def made(name: str, path: Path) -> tuple[PrivacyModel, ...]:
    text = yaml.safe_dump({"columns": COLUMNS, "protect": [example(name)]})
    return Plan.parse(text, name="plan.yaml", folder=folder_of(path / "data")).models()


@every_claim
def test_the_example_makes_its_models(name: str, tmp_path: Path) -> None:
    found = made(name, tmp_path)
    assert found
    for model in found:
        assert type(model) in CLAIMS[name].classes
        assert declared(model) is CLAIMS[name]


@every_claim
def test_models_are_data_and_back(name: str, tmp_path: Path) -> None:
    for model in made(name, tmp_path):
        assert rebuilt(json.loads(json.dumps(spelled(model), allow_nan=False))) == model


@every_claim
def test_the_schema_takes_the_example(name: str) -> None:
    schema = plan_json_schema()
    roles = {"age": "quasi-identifier", "disease": "sensitive"}
    jsonschema.validate({"columns": roles, "protect": [example(name)]}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"columns": roles, "protect": [{name: {"nonsense": 1}}]}, schema)


@every_claim
def test_its_words_are_there(name: str, tmp_path: Path) -> None:
    declaration = CLAIMS[name]
    assert sentence(example(name)) != written(example(name))
    assert sentence({name: {}}) == written({name: {}}), "what lacks its parameters is no sentence"
    for text in (declaration.summary, declaration.promises, declaration.does_not_protect):
        assert text.endswith(".")
    assert declaration.headline == declaration.headline.rstrip(".")
    for model in made(name, tmp_path):
        assert "is bounded as the claim" not in model.promise
        assert model.attacker


@every_claim
def test_parameters_fit_the_classes(name: str) -> None:
    declaration = CLAIMS[name]
    fields = {field for model in declaration.classes for field in types_of(model)}
    for one in declaration.parameters:
        assert one.meaning.endswith(".")
        if isinstance(one.kind, NumberParameter | ChoiceParameter) or one.kind in (
            ParameterKind.COLUMN,
            ParameterKind.VALUE,
        ):
            by_choice = one.name == declaration.chosen_by
            assert by_choice or (one.field or one.name) in fields
        if isinstance(one.kind, ChoiceParameter):
            assert one.default == one.kind.words[0]
    if declaration.brief is not None:
        brief = declaration.parameter(declaration.brief)
        needed = [one.name for one in declaration.parameters if one.default is REQUIRED]
        assert brief is not None
        assert needed == [brief.name]
    for model in declaration.classes:
        for slider in model.sliders:
            assert slider.field in types_of(model)
            key = declaration.parameter(slider.key)
            assert key is not None
            assert isinstance(key.kind, NumberParameter)
            for end in (slider.low, slider.high):
                assert end in key.kind.range


@every_claim
def test_the_form_says_what_the_plan_says(name: str) -> None:
    forms = claim_forms()
    if name not in forms:
        assert CLAIMS[name].of_kind(ParameterKind.ADVERSARY) is not None
        return
    assert len(forms[name].numbers) <= len(PLACES)
    again = Claim.model_validate(claim_said(name, claim_fields(example(name))))
    assert again.parameters.said == Claim.model_validate(example(name)).parameters.said
    assert f"hint-{name}" in claim_styles()


@every_claim
def test_a_release_is_certified_and_verified(name: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "data")
    plan = {"source": "people.csv", "columns": COLUMNS, "protect": [example(name)]}
    if any(model.composes for model in CLAIMS[name].classes):
        plan |= {"ledger": "ledger.db", "population": "people"}
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    release = hedgerow.publish(folder / "plan.yaml", to=tmp_path / "release")
    models = Plan.read(folder / "plan.yaml").models()
    stated = release.certificate["claims"]
    assert [entry["claim"] for entry in stated] == [str(model) for model in models]
    for model in models:
        assert model.promise in release.certificate["protected"]
    found = hedgerow.verify(tmp_path / "release")
    assert not found.refuted
    assert {claim.verdict for claim in found.claims} <= {"verified", "not verifiable"}


def table_of(file: str) -> dict[str, str]:
    """The rows of the table of claims in a page, by what stands in their first cell."""
    text = (DOCS / file).read_text("utf-8").partition("\n| claim |")[2].partition("\n\n")[0]
    rows = [line.split("|", 2) for line in text.splitlines() if line.startswith("|")]
    return {first.strip(" `"): rest for _, first, rest in rows[1:]}


def test_the_manual_lists_every_claim_with_its_parameters() -> None:
    table = table_of("plan.md")
    own = {
        name: told
        for name, told in CLAIMS.items()
        if all(model.__module__.startswith("hedgerow.") for model in told.classes)
    }
    assert list(table) == list(own)
    for name, told in own.items():
        parameters, _, _ = table[name].partition(" | ")
        lacking = [one.name for one in told.parameters if f"`{one.name}`" not in parameters]
        assert not lacking, f"{name} in docs/plan.md"
