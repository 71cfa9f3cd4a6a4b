"""What `explain` says a parameter may be is what the plan takes and what the model takes.

The printed words are read here by a parser of their own, so that a range that is printed in one
way and checked in another is found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, get_args

import pytest
import yaml

from hedgerow.base.errors import PlanError
from hedgerow.claims import CLAIMS
from hedgerow.claims.adversary import AtMost, ClassI
from hedgerow.claims.priors import Prior
from hedgerow.plan.claims import Claim, form
from hedgerow.plan.plan import Plan

OTHERS: dict[str, dict[str, Any]] = {
    "l-diversity": {"l": 3},
    "delta-presence": {"max": 1, "population": "everybody.csv"},
    "epsilon-privacy": {"epsilon": 2, "adversary": {"class": "at-most", "prior": "uniform"}},
}
"""What else a claim needs, for each parameter that is tried; of others, what its example has."""
DEFINED: dict[tuple[str, str], tuple[float, ...]] = {
    ("k-anonymity", "k"): (1,),
    ("k-candidates", "k"): (1,),
    ("k-map", "k"): (1,),
    ("l-diversity", "l"): (1,),
    ("alpha-k-anonymity", "alpha"): (0, 1),
    ("beta-likeness", "beta"): (0,),
}
"""Ends at which a definition still makes sense, though a plan does not ask for them."""
KINDS = {"l-diversity": ("distinct", "probabilistic", "entropy", "recursive")}


@dataclass(frozen=True)
class Printed:
    """A range as a reader of `explain model` understands it."""

    inside: tuple[float, ...]
    outside: tuple[float, ...]


def read(words: str, whole: bool) -> Printed | None:
    """The numbers at the ends of a range, and just outside; None where it is no number."""
    text = words.partition(";")[0].partition(", or ")[0].partition(", not above")[0]
    whole = whole or text.startswith("whole number of ")
    text = text.removeprefix("whole number of ")
    step = 1 if whole else 1e-9
    inside, outside = [], []
    if between := re.fullmatch(r"([\d.]+) to ([\d.]+)", text):
        low, high = map(float, between.groups())
        return Printed((low, high, (low + high) / 2), (low - step, high + step))
    for part in text.split(", "):
        found = re.fullmatch(r"(above|at least|at most|below) ([\d.]+)", part)
        if not found:
            return None
        end = float(found[2])
        match found[1]:
            case "above":
                inside.append(end + step)
                outside.append(end)
            case "at least":
                inside.append(end)
                outside.append(end - step)
            case "at most":
                inside.append(end)
                outside.append(end + step)
            case "below":
                inside.append(end - step)
                outside.append(end)
    cast = int if whole else float
    more = (1.5,) if whole else ()
    return Printed(tuple(map(cast, inside)), (*map(cast, outside), *more, math.inf, math.nan))


def cases() -> Iterator[tuple[str, str, str | None, Printed]]:
    for claim, told in CLAIMS.items():
        for parameter in told.explained():
            kinds = KINDS.get(claim, (None,))
            for kind in kinds:
                whole = kind in ("distinct", "recursive") and parameter.name == "l"
                if parameter.name == "c" and kind != "recursive":
                    continue
                printed = read(parameter.range, whole)
                if printed is not None:
                    yield claim, parameter.name, kind, printed


CASES = list(cases())


def told_by_example(claim: str) -> dict[str, Any]:
    (said,) = yaml.safe_load(CLAIMS[claim].example)
    (given,) = said.values()
    given = given if isinstance(given, dict) else {CLAIMS[claim].brief: given}
    return {key: value for key, value in given.items() if key not in ("of", "value", "kind")}


def parameters(claim: str, key: str, kind: str | None, number: float) -> dict[str, Any]:
    given = dict(OTHERS[claim] if claim in OTHERS else told_by_example(claim))
    if kind is not None:
        given["kind"] = kind
        if kind == "recursive":
            given["c"] = 2
    first, _, second = key.partition(".")
    given[first] = number if not second else {**given[first], second: number}
    return given


def in_a_plan(claim: str, given: dict[str, Any]) -> None:
    Plan.of(columns={"age": "quasi-identifier", "ill": "sensitive"}, protect=[{claim: given}])


def in_a_model(claim: str, key: str, kind: str | None, number: float) -> None:
    """The model itself, as a notebook makes it."""
    if key.startswith("adversary."):
        maker = AtMost if key != "adversary.knows" else ClassI
        maker(prior=Prior.uniform(), **{key.partition(".")[2]: number})
        return
    inside = 3 if kind in ("distinct", "recursive") or key == "k" else 0.5
    usual = {"min": 0, "max": 1, "alpha": 0.5, "k": 3, "l": 3, "c": 2, "epsilon": 2}
    example = told_by_example(claim).get(key, inside)
    given = parameters(claim, key, kind, usual.get(key, example))
    made = Claim.model_validate({claim: given}).parameters.privacy_model("ill")
    declared = CLAIMS[claim].parameter(key)
    assert declared is not None
    replace(made, **{declared.field or key: number})  # type: ignore[type-var]


def test_the_ranges_are_found() -> None:
    """Should the words not be read, nothing below would be tried."""
    numbers = {(claim, key) for claim, key, _, _ in CASES}
    assert len(numbers) >= 20
    assert {("k-anonymity", "k"), ("l-diversity", "c"), ("alpha-k-anonymity", "alpha"),
            ("beta-likeness", "beta"), ("k-map", "k"), ("epsilon-privacy", "adversary.at_least"),
            ("epsilon-privacy", "adversary.knows")} <= numbers  # fmt: skip


@pytest.mark.parametrize(("claim", "key", "kind", "printed"), CASES)
def test_the_ends_of_a_printed_range(
    claim: str, key: str, kind: str | None, printed: Printed
) -> None:
    for number in printed.inside:
        in_a_plan(claim, parameters(claim, key, kind, number))
        in_a_model(claim, key, kind, number)
    # Whoever writes "or infinite" may be so.
    infinite = "infinite" in next(p for p in CLAIMS[claim].explained() if p.name == key).range
    for number in printed.outside:
        if infinite and number == math.inf:
            continue
        with pytest.raises(PlanError):
            in_a_plan(claim, parameters(claim, key, kind, number))
        if number not in DEFINED.get((claim, key), ()):
            with pytest.raises(PlanError):
                in_a_model(claim, key, kind, number)


def test_the_words_of_a_choice_are_those_of_the_plan() -> None:
    seen = 0
    for told in CLAIMS.values():
        fields = form(told).model_fields
        for parameter in told.explained():
            annotation = fields[parameter.name].annotation if parameter.name in fields else None
            choices = [c for c in get_args(annotation) if isinstance(c, str)]
            if choices:
                seen += 1
                assert re.split(r", | or ", parameter.range) == choices
    assert seen >= 5


def test_the_sliders_stay_inside() -> None:
    seen = 0
    for claim, model in ((claim, m) for claim, told in CLAIMS.items() for m in told.classes):
        for scale in model.sliders:
            seen += 1
            kind = (
                model.__name__.removesuffix("LDiversity").lower() if "LDiv" in str(model) else None
            )
            for end in (scale.low, scale.high):
                in_a_model(claim, scale.key, kind, int(end) if scale.whole else end)
    assert seen >= 19
