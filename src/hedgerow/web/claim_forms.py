"""Claims and attackers as forms: what a form says, as the plan writes it, and back again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hedgerow.api.claims import (
    CLAIMS,
    REQUIRED,
    ChoiceParameter,
    Declaration,
    NumberParameter,
    Parameter,
    ParameterKind,
)
from hedgerow.base.errors import PlanError
from hedgerow.web.hierarchies import number
from hedgerow.web.sentences import ATTACKER, CLASSES, parameters

PLACES = ("first", "second", "third")
"""The fields for numbers, which all claims share."""
SHARED = {
    "of": ParameterKind.COLUMN,
    "value": ParameterKind.VALUE,
    "population": ParameterKind.POPULATION,
    "knows": ParameterKind.COLUMN_SETS,
}
"""Other fields that claims share, and what they ask for."""
STUBBORNNESS = (
    "", "10", "30", "100", "300", "1000", "3000", "10000", "30000", "100000", "300000", "1000000",
    "10000000", "100000000", "1000000000",
)  # fmt: skip
"""Where the slider stops; first: as the data justify."""


@dataclass(frozen=True)
class ClaimForm:
    """What the form asks for one claim."""

    declaration: Declaration

    @property
    def name(self) -> str:
        return self.declaration.name

    @property
    def numbers(self) -> list[Parameter]:
        """Its numbers, in the order of the shared fields."""
        return [p for p in self._of(NumberParameter) if p.only_with is None]

    @property
    def choices(self) -> list[Parameter]:
        return self._of(ChoiceParameter)

    @property
    def more(self) -> list[Parameter]:
        """Numbers that only one word of a choice needs."""
        return [p for p in self._of(NumberParameter) if p.only_with is not None]

    @property
    def shared(self) -> dict[str, Parameter]:
        """The shared fields that it has, with what they are for."""
        found = {field: self.declaration.of_kind(kind) for field, kind in SHARED.items()}
        return {field: p for field, p in found.items() if p is not None}

    def field(self, parameter: Parameter) -> str:
        """The name of a field that only this claim has."""
        return f"{self.name}.{parameter.name}"

    def _of(self, kind: type[NumberParameter | ChoiceParameter]) -> list[Parameter]:
        return [p for p in self.declaration.parameters if isinstance(p.kind, kind)]


def claim_forms() -> dict[str, ClaimForm]:
    """The claims about groups, by name; those against attackers have a form of their own."""
    return {
        name: ClaimForm(declaration)
        for name, declaration in CLAIMS.items()
        if declaration.of_kind(ParameterKind.ADVERSARY) is None
    }


def claim_said(claim: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """A claim as the plan writes it.

    Args:
        claim: Its name.
        fields: What the form says.

    Raises:
        PlanError: There is no such claim, or a number is none.
    """
    forms = claim_forms()
    if claim not in forms:
        raise PlanError(f"there is no claim {claim[:40]!r}", fix=f"Choose of {', '.join(forms)}.")
    form = forms[claim]
    said: dict[str, Any] = {
        p.name: _amount(fields.get(place, ""))
        for p, place in zip(form.numbers, PLACES, strict=False)
    }
    for p in form.choices:
        word = fields.get(form.field(p), "")
        if isinstance(p.kind, ChoiceParameter) and word in p.kind.words and word != p.default:
            said[p.name] = word
    for p in form.more:
        if p.only_with is not None and said.get(p.only_with[0]) == p.only_with[1]:
            said[p.name] = _amount(fields.get(form.field(p), ""))
    for field, p in form.shared.items():
        text = fields.get(field, "").strip()
        if text:
            said[p.name] = _sets(text) if p.kind is ParameterKind.COLUMN_SETS else text
        elif p.kind is ParameterKind.POPULATION:
            raise PlanError("this needs a file about the population", fix="Upload one first.")
    brief = form.declaration.brief
    return {claim: said[brief] if brief is not None and list(said) == [brief] else said}


def claim_fields(claim: Any) -> dict[str, str]:
    """What a claim says, as the fields of its form."""
    name, said = parameters(claim)
    found = {"claim": name} | dict.fromkeys((*PLACES, *SHARED), "")
    form = claim_forms().get(name)
    if form is None:
        return found
    for p, place in zip(form.numbers, PLACES, strict=False):
        found[place] = _text(said.get(p.name, None if p.default is REQUIRED else p.default))
    for p in form.choices:
        found[form.field(p)] = _text(said.get(p.name, p.default))
    for p in form.more:
        found[form.field(p)] = _text(said.get(p.name))
    return found | {
        field: (_sets_text if p.kind is ParameterKind.COLUMN_SETS else _text)(said.get(p.name))
        for field, p in form.shared.items()
    }


def claim_styles() -> str:
    """Which fields of the form are shown for which claim, as a style sheet."""
    rules = []
    for name, form in claim_forms().items():
        chosen = f'.claim-form:has(option[value="{name}"]:checked)'
        rules.append(f"{chosen} .hint-{name} {{ display: inline; }}")
        shown = [f".only-{place}" for place in PLACES[1 : len(form.numbers)]]
        shown += [f".only-{field}" for field in form.shared]
        rules += [f"{chosen} {field} {{ display: block; }}" for field in shown]
        rules += [f"{chosen} .of-{name}-{p.name} {{ display: block; }}" for p in form.choices]
        for p in form.more:
            word = f':has(option[value="{p.only_with[1]}"]:checked)' if p.only_with else ""
            rules.append(f"{chosen}{word} .of-{name}-{p.name} {{ display: block; }}")
    return "\n".join(rules) + "\n"


def attacker_said(
    *, of: str, epsilon: str, who: str, prior: str, file: str = "", column: str = "",
    count: str = "", stubbornness: str = "", knows: str = "", known: str = "", by: str = "",
    secrets: str = "", negative: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """A claim against an attacker as the plan writes it.

    Raises:
        PlanError: A field is not what it should be.
    """
    if who not in CLASSES:
        raise PlanError(f"there is no attacker of class {who[:20]!r}")
    adversary: dict[str, Any] = {"class": who}
    if who in ("I", "at-most", "III"):
        adversary["prior"] = _prior(prior, file, column.strip(), count.strip())
    if stubbornness.strip() and who in ("I", "at-most", "II"):
        adversary["stubbornness"] = number(stubbornness.replace(",", ""))
    if known:
        adversary["knows"] = {"file": known, "by": by}
    elif knows.strip() and number(knows) != 0:
        adversary["knows"] = number(knows)
    said: dict[str, Any] = {"of": of} if of else {}
    said |= {"epsilon": number(epsilon), "adversary": adversary}
    listed = [_secret(line) for line in secrets.splitlines() if line.strip()]
    if listed:
        said["predicates"] = listed
    if negative:
        said["negative"] = True
    return {ATTACKER: said}


def attacker_fields(claim: Any) -> dict[str, Any]:
    """What a claim against an attacker says, as the fields of its form."""
    _, said = parameters(claim)
    who = said.get("adversary")
    who = who if isinstance(who, Mapping) else {}
    prior, knows = who.get("prior", ""), who.get("knows", "")
    fields: dict[str, Any] = {
        "of": _text(said.get("of")), "epsilon": _text(said.get("epsilon", 3)),
        "who": _text(who.get("class", "I")), "prior": "table", "file": "", "column": "",
        "count": "", "stubbornness": _text(who.get("stubbornness")), "knows": "", "known": "",
        "by": "", "negative": said.get("negative") is True, "kept": "",
        "secrets": "\n".join(
            ", ".join(map(str, p)) if isinstance(p, list) else str(p)
            for p in said.get("predicates") or ()
        ),
    }  # fmt: skip
    if prior in ("table", "uniform"):
        fields["prior"] = prior
    elif isinstance(prior, Mapping) and "kind" in prior:
        fields["prior"] = _text(prior["kind"])
    elif isinstance(prior, Mapping) and "file" in prior:
        fields |= {"prior": "file", "file": _text(prior["file"])}
        fields |= {"column": _text(prior.get("column")), "count": _text(prior.get("count"))}
    elif isinstance(prior, str) and prior:
        fields |= {"prior": "file", "file": prior}
    if isinstance(knows, Mapping) and "file" in knows:
        fields |= {"known": _text(knows["file"]), "by": _text(knows.get("by"))}
    else:
        fields["knows"] = _text(knows.get("people") if isinstance(knows, Mapping) else knows)
    return fields


def _prior(prior: str, file: str, column: str, count: str) -> Any:
    if prior in ("table", "uniform"):
        return prior
    if not file:
        raise PlanError("no file says what they have seen", fix="Upload one, or choose otherwise.")
    if not column and not count:
        return file
    said = {"file": file, "column": column, "count": count}
    return {key: value for key, value in said.items() if value}


def _secret(line: str) -> Any:
    parts = [part.strip() for part in line.split(",") if part.strip()]
    return parts[0] if len(parts) == 1 else parts


def _sets(text: str) -> Any:
    """A number of columns, or sets of them: `age, zip; sex`."""
    if text.isdecimal():
        return int(text)
    parts = [[name.strip() for name in one.split(",")] for one in text.split(";")]
    return [[name for name in one if name] for one in parts if any(one)]


def _sets_text(sets: Any) -> str:
    if isinstance(sets, list | tuple):
        return "; ".join(", ".join(map(str, one)) for one in sets)
    return _text(sets)


def _amount(text: str) -> Any:
    """A number, or a share in per cent as it was written."""
    text = text.strip()
    return text if text.endswith("%") else number(text)


def _text(value: Any) -> str:
    return "" if value is None else str(value)
