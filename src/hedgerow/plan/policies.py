"""The policy of a plan: which values must not be told apart, and what everybody knows already."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import (
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainSerializer,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hedgerow.base.errors import HierarchyError, nearest
from hedgerow.base.problems import Problem, problem, problems_at, short
from hedgerow.plan.domains import DomainFile
from hedgerow.plan.fields import PlanMapping, Whole, exactly
from hedgerow.table.domain import decimal
from hedgerow.table.taxonomies import label

KINDS = ("within", "partition", "line", "full", "graph", "known")
WORDS = ("line", "full", "known")
"""Kinds that a word alone stands for."""
RESERVED = ("at_once", "known")
_LABEL = {"type": ["string", "number", "boolean", "null"]}
_WITHIN = re.compile(r"\s*([0-9.eE+-]+)\s*(km|m)?\s*")


def _within(value: Any) -> tuple[Fraction, str | None]:
    """A number, with km or m where it is a way on the Earth."""
    match = _WITHIN.fullmatch(value) if isinstance(value, str) else None
    number = exactly(match[1] if match else value)
    if number is None or number <= 0:
        raise problem(f"'within' needs a number above 0, such as 5 or 10 km, not {short(value)}")
    return number, match[2] if match else None


def _texts(value: Any) -> tuple[str | None, ...]:
    """Values, as a domain has them."""
    if not isinstance(value, list | tuple) or not value:
        raise problem(f"a list of values is needed, such as [flu, cold], not {short(value)}")
    found: list[str | None] = []
    wrong: list[Problem] = []
    for place, item in enumerate(value):
        try:
            found.append(None if item is None else label(item))
        except HierarchyError:
            wrong.append(Problem((place,), f"{short(item)} is not a value", "Put it in quotes."))
    if wrong:
        raise problems_at(wrong)
    return tuple(found)


def _pairs(value: Any) -> tuple[tuple[str | None, str | None], ...]:
    if not isinstance(value, list | tuple):
        raise problem(
            f"'graph' needs pairs of values, such as [[a, b], [b, c]], not {short(value)}"
        )
    found = []
    for place, item in enumerate(value):
        pair = _texts(item) if isinstance(item, list | tuple) and len(item) == 2 else ()
        if len(pair) != 2 or pair[0] == pair[1]:
            what = f"{short(item)} is no pair of two different values"
            raise problems_at([Problem((place,), what, "Write [a, b].")])
        found.append((pair[0], pair[1]))
    return tuple(found)


Blocks = dict[str, tuple[str | None, ...]]


def _partition(value: Any, validate: Any) -> int | str | Blocks | DomainFile:
    """A level by number or name, blocks by name, or a file."""
    if isinstance(value, DomainFile) or (
        isinstance(value, Mapping) and isinstance(value.get("csv"), str) and len(value) == 1
    ):
        made: DomainFile = validate(value)
        return made
    if isinstance(value, Mapping) and value:
        return {str(name): _texts(values) for name, values in value.items()}
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise problem(
        f"'partition' needs a level of the hierarchy, blocks or a file, not {short(value)}",
        "Write 2 for the second level, {stomach: [ulcer, gastritis], lung: [flu]} or {csv: a.csv}.",
    )


if TYPE_CHECKING:
    Partitioned = int | str | Blocks | DomainFile
else:
    Partitioned = Annotated[
        DomainFile,
        WrapValidator(_partition),
        PlainSerializer(lambda given: given),
        WithJsonSchema(
            {
                "anyOf": [
                    {"type": "integer", "minimum": 0},
                    {"type": "string", "minLength": 1},
                    {
                        "type": "object",
                        "additionalProperties": {
                            "anyOf": [
                                {"type": "array", "items": _LABEL, "minItems": 1},
                                {"type": "string", "minLength": 1},
                            ]
                        },
                        "minProperties": 1,
                    },
                ]
            }
        ),
    ]


class SecretPlan(PlanMapping):
    """What must not be told apart of one column, or of several together."""

    within: (
        Annotated[
            tuple[Fraction, str | None],
            PlainValidator(_within),
            PlainSerializer(lambda it: decimal(it[0]) + (f" {it[1]}" if it[1] else "")),
            WithJsonSchema(
                {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}]}
            ),
        ]
        | None
    ) = Field(
        default=None,
        description="Numbers that differ by at most so much; with km or m, places at most so far "
        "apart.",
    )
    partition: Partitioned | None = Field(
        default=None,
        description="Values of the same block; the block itself is not protected. A level of the "
        "column's hierarchy, by number or name; blocks, name -> values; or a file value;block.",
    )
    line: Literal[True] | None = Field(
        default=None, description="Each value and the next, in the order of the domain."
    )
    full: Literal[True] | None = Field(
        default=None, description="All values: what columns have that the policy does not name."
    )
    graph: (
        Annotated[
            tuple[tuple[str | None, str | None], ...],
            PlainValidator(_pairs),
            WithJsonSchema(
                {
                    "type": "array",
                    "items": {"type": "array", "items": _LABEL, "minItems": 2, "maxItems": 2},
                }
            ),
        ]
        | None
    ) = Field(default=None, description="These pairs of values, and no others.")
    known: Literal[True] | None = Field(
        default=None, description="Nothing: the column may be published exactly."
    )
    of: (
        Annotated[
            tuple[str, ...],
            Field(strict=False),
            WithJsonSchema(
                {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True}
            ),
        ]
        | None
    ) = Field(
        default=None,
        description="The columns it is about, where the key is no column: [latitude, longitude].",
    )
    distance: Literal["L1", "L2"] | None = Field(
        default=None,
        description="With within over several columns: the sum of the differences (L1), or the "
        "straight way (L2).",
    )

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, data: Any) -> Any:
        if isinstance(data, str):
            if data in WORDS:
                return {data: True}
            close = nearest(data, list(WORDS))
            raise problem(
                f"there is no policy {short(data)}",
                f"Did you mean {close}?"
                if close
                else "Write full, line, known, {within: 5} or {partition: 2}.",
            )
        return data

    @model_validator(mode="after")
    def _one_kind(self) -> SecretPlan:
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise problem(
                f"a policy has exactly one kind, and this one has {len(given) or 'none'}",
                f"Use one of {', '.join(KINDS)}.",
            )
        several = self.of is not None and len(self.of) > 1
        unit = self.within[1] if self.within else None
        if several and given != ["within"]:
            raise problem(f"{given[0]!r} is about one column", "Give each column its own policy.")
        if self.of is not None and (not self.of or len(set(self.of)) < len(self.of)):
            raise problem("'of' names columns, each once", "Write of: [latitude, longitude].")
        if unit and (self.of is None or len(self.of) != 2):
            raise problem(
                f"a way in {unit} needs two columns, latitude and longitude",
                "Write {of: [latitude, longitude], within: 10 km}.",
            )
        if several and not unit and self.distance is None:
            raise problem(
                "within over several columns needs a distance", "Add `distance: L1` or L2."
            )
        if self.distance and (unit or not several):
            raise problem("'distance' is for several columns without km or m", "Leave it out.")
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """A word alone, or a mapping with one of the kinds."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        mapping = dict(schema) | {"oneOf": [{"required": [kind]} for kind in KINDS]}
        schema.clear()
        schema["description"] = mapping.pop("description", "")
        schema["anyOf"] = [{"enum": list(WORDS)}, mapping]
        return schema

    @property
    def kind(self) -> str:
        return next(kind for kind in KINDS if getattr(self, kind) is not None)


_NAMES = {"type": "array", "items": {"type": "string"}, "minItems": 1}


class KnownPlan(PlanMapping):
    """What everybody knows of the table already, exactly."""

    marginals: Annotated[
        tuple[Annotated[tuple[str, ...], Field(strict=False)], ...],
        Field(strict=False),
        WithJsonSchema({"type": "array", "items": _NAMES}),
    ] = Field(
        default=(), description="How many rows have which values of these columns: [[sex, age]]."
    )
    counts: Annotated[
        tuple[str, ...],
        Field(strict=False),
        WithJsonSchema({"type": "array", "items": {"type": "string"}}),
    ] = Field(default=(), description="How many rows meet each of these filters.")
    releases: Literal["ledger", "ignored"] = Field(
        default="ledger",
        description="Earlier releases without noise: ledger, the counts of those that the ledger "
        "has of the population are known; ignored, they are left out, and every answer says so.",
    )


class PolicyPlan(PlanMapping):
    """Which values must not be told apart; columns that are not named are protected altogether."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, SecretPlan] = Field(init=False)

    extra: ClassVar[type[PlanMapping]] = SecretPlan

    at_once: Whole | None = Field(
        default=None,
        description="How many of the columns (or groups of columns) a neighbour may differ in; "
        "all if left out.",
    )
    known: KnownPlan | None = Field(
        default=None,
        description="Counts everybody knows; how many rows there are is always known.",
    )

    @model_validator(mode="before")
    @classmethod
    def _a_mapping(cls, data: Any, info: ValidationInfo) -> Any:
        if isinstance(data, Mapping) and isinstance(data.get("known"), str):
            raise problem(
                "'known' stands here for what everybody knows",
                "A column of that name is written {of: [known], known: true} under another name.",
            )
        return data

    @property
    def secrets(self) -> dict[str, SecretPlan]:
        """Each by the name it has in the plan."""
        return dict(self.__pydantic_extra__ or {})

    def columns(self, name: str) -> tuple[str, ...]:
        """What a secret is about."""
        return self.secrets[name].of or (name,)
