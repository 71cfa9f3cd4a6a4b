"""The lines under `protect`: each is one claim, named as in the papers, with its parameters.

The parts are made from the declarations in `hedgerow.claims`: a claim that is declared can be
written in a plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    PlainValidator,
    SerializationInfo,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hedgerow.base.problems import problem, short
from hedgerow.claims import CLAIMS, Declaration, Parameter
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.declaration import (
    OF,
    REQUIRED,
    ChoiceParameter,
    NumberParameter,
    ParameterKind,
)
from hedgerow.plan.adversaries import AdversaryPlan, PriorPlan
from hedgerow.plan.column_sets import ColumnSets
from hedgerow.plan.fields import File, OneKeyMapping, PlanMapping, number_within


def _predicates(value: Any) -> tuple[str | tuple[str, ...], ...]:
    if not isinstance(value, list | tuple) or not value:
        raise problem(f"{short(value)} is not a list of what must not be learned")
    found: list[str | tuple[str, ...]] = []
    for entry in value:
        parts = list(entry) if isinstance(entry, list | tuple) else [entry]
        if not parts or any(
            isinstance(part, list | tuple | dict) or part is None for part in parts
        ):
            raise problem(f"{short(entry)} is neither a value nor a list of values")
        found.append(tuple(map(str, parts)) if isinstance(entry, list | tuple) else str(entry))
    return tuple(found)


_LABEL = {"type": ["string", "number", "boolean"]}
Predicates = Annotated[
    tuple[str | tuple[str, ...], ...],
    PlainValidator(_predicates),
    WithJsonSchema({"type": "array", "minItems": 1,
                    "items": {"anyOf": [_LABEL, {"type": "array", "minItems": 1,
                                                 "items": _LABEL}]}}),
]  # fmt: skip


_KINDS: dict[ParameterKind, Any] = {
    ParameterKind.COLUMN: str,
    ParameterKind.WISHES: str,
    ParameterKind.WEIGHTS: str,
    ParameterKind.VALUE: str,
    ParameterKind.POPULATION: File,
    ParameterKind.RELEASES: Annotated[tuple[File, ...], Field(strict=False)],
    ParameterKind.FLAG: bool,
    ParameterKind.ADVERSARY: AdversaryPlan,
    ParameterKind.PRIOR: PriorPlan,
    ParameterKind.COLUMN_SETS: ColumnSets,
    ParameterKind.PREDICATES: Predicates,
}
"""What the plan reads for each kind of parameter that is neither a number nor a choice."""


class Parameters(PlanMapping):
    """The parameters of one claim; a subclass for each has them as fields."""

    declaration: ClassVar[Declaration]

    @model_validator(mode="after")
    def _fit_together(self) -> Parameters:
        found = self.declaration.conflict(self.said)
        if found is not None:
            raise problem(found.what, found.fix)
        return self

    @property
    def said(self) -> dict[str, Any]:
        """All parameters by name, defaults included."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    def given(self, kind: ParameterKind) -> Any:
        """The parameter of a kind; None where it is not given, or the claim has none."""
        parameter = self.declaration.of_kind(kind)
        return None if parameter is None else getattr(self, parameter.name)

    @property
    def files(self) -> tuple[Path, ...]:
        """What has to be read to know what the claim says."""
        adversary: AdversaryPlan | None = self.given(ParameterKind.ADVERSARY)
        prior: PriorPlan | None = self.given(ParameterKind.PRIOR)
        files = prior.files if prior else ()
        return (adversary.files if adversary else files) + self.releases

    @property
    def releases(self) -> tuple[Path, ...]:
        """Releases that the claim is about, besides those of the ledger."""
        return self.given(ParameterKind.RELEASES) or ()

    def privacy_model(self, of: str | None, null: Sequence[str] = ()) -> PrivacyModel:
        """The privacy model for one sensitive column; reads the files of its attackers.

        Args:
            of: The column; None where the claim is about none.
            null: Texts that mean missing in these files.
        """
        said = self.said
        for name, value in said.items():
            if isinstance(value, AdversaryPlan):
                assert of is not None, "what attackers believe is about a column"
                said[name] = value.adversary(of, null)
            elif isinstance(value, PriorPlan):
                assert of is not None, "what attackers believe is about a column"
                said[name] = value.prior(of, null)
        return self.declaration.model(of, said)


def _field(parameter: Parameter) -> tuple[Any, Any]:
    match parameter.kind:
        case NumberParameter(within, percent):
            kind: Any = number_within(within, percent=percent)
        case ChoiceParameter(words):
            kind = Literal[words]
        case ParameterKind():
            kind = _KINDS[parameter.kind]
    if parameter.default is None:
        kind = kind | None
    default = ... if parameter.default is REQUIRED else parameter.default
    return kind, Field(default, description=parameter.meaning)


@cache
def form(declaration: Declaration) -> type[Parameters]:
    """The part of the plan that holds the parameters of a claim."""
    # The column comes first: it says what the rest is about.
    listed = sorted(declaration.parameters, key=lambda one: one.name != OF.name)
    fields: dict[str, Any] = {one.name: _field(one) for one in listed}
    title = "".join(word.capitalize() for word in declaration.name.split("-"))
    made: type[Parameters] = create_model(
        title, __base__=Parameters, __doc__=declaration.summary, **fields
    )
    made.declaration, made.brief = declaration, declaration.brief
    return made


class OneClaim(OneKeyMapping):
    """What must hold for everybody in the release."""

    model_config = ConfigDict(title="Claim")

    what: ClassVar[str] = "a claim"


@cache
def _line(declarations: tuple[Declaration, ...]) -> type[OneClaim]:
    fields: dict[str, Any] = {
        one.name.replace("-", "_"): (form(one) | None, Field(default=None, alias=one.name))
        for one in declarations
    }
    return create_model("OneClaim", __base__=OneClaim, __doc__=OneClaim.__doc__, **fields)


class Claim(PlanMapping):
    """What must hold for everybody in the release: a line under `protect`."""

    name: str
    """As it is written in the plan."""
    parameters: Parameters

    @classmethod
    def part(cls) -> type[OneClaim]:
        """The form of the line: a key for each claim that is declared."""
        return _line(tuple(CLAIMS.values()))

    @model_validator(mode="wrap")
    @classmethod
    def _one_of_those_declared(
        cls, data: Any, handler: ModelWrapValidatorHandler[Claim], info: ValidationInfo
    ) -> Claim:
        if not isinstance(data, dict):
            return handler(data)
        line = cls.part().model_validate(data, context=info.context)
        parameters: Parameters = line.chosen
        return handler({"name": parameters.declaration.name, "parameters": parameters})

    @model_serializer
    def _as_written(self, info: SerializationInfo) -> dict[str, Any]:
        written = self.parameters.model_dump(mode=info.mode, exclude_unset=True)
        return {self.name: written}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler.resolve_ref_schema(handler(cls.part().__pydantic_core_schema__))

    @property
    def declaration(self) -> Declaration:
        return self.parameters.declaration

    @property
    def about_beliefs(self) -> bool:
        """Whether it is about what a named attacker believes."""
        return any(model.about_beliefs for model in self.declaration.classes)

    @property
    def composes(self) -> bool:
        """Whether it is about this release together with earlier ones."""
        return any(model.composes for model in self.declaration.classes)

    @property
    def releases(self) -> tuple[Path, ...]:
        """Releases that it is about, besides those of the ledger."""
        return self.parameters.releases

    @property
    def population(self) -> Path | None:
        """The file of the outside population, where the claim needs one."""
        found: Path | None = self.parameters.given(ParameterKind.POPULATION)
        return found

    def columns(self, sensitive: Sequence[str]) -> tuple[str | None, ...]:
        """The sensitive columns it is about, of these; a single None where it is about none."""
        if not self.declaration.about_column:
            return (None,)
        named: str | None = self.parameters.given(ParameterKind.COLUMN)
        return tuple(sensitive) if named is None else (named,)

    def models(self, sensitive: Sequence[str], *, null: Sequence[str] = ()) -> list[PrivacyModel]:
        """The privacy models the claim stands for: one for each column it is about.

        Args:
            sensitive: The sensitive columns.
            null: Texts that mean missing, in files the claim refers to.
        """
        return [self.parameters.privacy_model(of, null) for of in self.columns(sensitive)]
