"""What the plan says about a hierarchy: how the values of a column become coarser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import (
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)

from hedgerow.base.errors import HierarchyError
from hedgerow.base.problems import problem, short
from hedgerow.plan.fields import File, OneKeyMapping, PlanMapping, Whole
from hedgerow.table.beginnings import Beginnings
from hedgerow.table.codes import Codes
from hedgerow.table.hierarchy_builders import (
    DATE_LEVELS,
    Bins,
    Dates,
    FromCsv,
    Prefix,
    Ranges,
    Spec,
    Suppression,
    Taxonomy,
)
from hedgerow.table.top_bottom_codes import CodingLevel, NumberCoding

_NUMBER = {"type": "number"}
_NUMBERS = {"type": "array", "items": _NUMBER, "minItems": 1}
_LABELS = {"type": "array", "items": {"type": ["string", "number", "boolean"]}, "minItems": 1}


def as_list(value: Any) -> list[Any]:
    """A list, as the plan has to give one."""
    if not isinstance(value, list | tuple):
        raise problem(f"{short(value)} is not a list")
    return list(value)


def _number(value: Any) -> float | int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise problem(f"{short(value)} is not a number")
    return value


def _numbers(value: Any) -> tuple[float | int, ...]:
    return tuple(_number(item) for item in as_list(value))


def _bins(value: Any) -> tuple[tuple[Any, ...], ...]:
    return tuple(
        tuple(tuple(i) if isinstance(i, list | tuple) else _number(i) for i in as_list(level))
        for level in as_list(value)
    )


def _names(value: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in as_list(value))


class RangesPlan(PlanMapping):
    """Numbers in ranges of equal width."""

    brief: ClassVar[str] = "widths"
    widths: Annotated[tuple[float, ...], PlainValidator(_numbers), WithJsonSchema(_NUMBERS)] = (
        Field(description="Width of each level, each a multiple of the one before.")
    )
    origin: Annotated[float, PlainValidator(_number), WithJsonSchema(_NUMBER)] = Field(
        default=0, description="Where a range begins."
    )

    def spec(self) -> Spec:
        return Ranges(widths=self.widths, origin=self.origin)


class CodingPlan(PlanMapping):
    """The highest and the lowest numbers put together, others rounded."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    bottom: Annotated[float | None, PlainValidator(_number), WithJsonSchema(_NUMBER)] = Field(
        default=None, description="Numbers below it become one."
    )
    top: Annotated[float | None, PlainValidator(_number), WithJsonSchema(_NUMBER)] = Field(
        default=None, description="Numbers from it on become one."
    )
    round: Annotated[
        float | None,
        PlainValidator(_number),
        WithJsonSchema({"type": "number", "exclusiveMinimum": 0}),
    ] = Field(
        default=None,
        description="Numbers between are rounded to its multiples, and published as the range that "
        "is rounded so.",
    )

    def level(self) -> CodingLevel:
        """What becomes of numbers at this level."""
        return CodingLevel(bottom=self.bottom, top=self.top, round=self.round)


_Steps = Annotated[
    tuple[int, ...],
    PlainValidator(_numbers),
    WithJsonSchema({"type": "array", "items": {"type": "integer"}, "minItems": 1}),
]


class PrefixPlan(PlanMapping):
    """Characters masked from the right, or the first characters of codes of unequal length."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["length"]}, {"required": ["keep"]}]}
    )

    brief: ClassVar[str] = "length"
    length: Whole | None = Field(default=None, description="Characters every value has.")
    steps: _Steps | None = Field(
        default=None, description="With length: how many characters each level masks."
    )
    keep: _Steps | None = Field(
        default=None,
        description="Instead of length, where values are not equally long: how many characters "
        "each level keeps. Shorter values stay as they are.",
    )

    @model_validator(mode="after")
    def _one_way(self) -> PrefixPlan:
        if (self.length is None) == (self.keep is None):
            raise problem(
                "a prefix hierarchy has either a length or the characters to keep",
                "Write {prefix: 5} for codes of 5 characters, or {prefix: {keep: [5, 3, 1]}}.",
            )
        if self.keep is not None and self.steps is not None:
            raise problem("'steps' belongs to a length", "Leave it out: `keep` says the levels.")
        return self

    def spec(self) -> Spec:
        if self.length is not None:
            return Prefix(length=self.length, steps=self.steps)
        assert self.keep is not None, "checked above"
        return Beginnings(keep=self.keep)


class CodesPlan(PlanMapping):
    """Codes of a public system, in any usual spelling."""

    brief: ClassVar[str] = "system"
    system: str = Field(description="Such as icd-10 or countries; docs/hierarchies.md lists all.")
    other: Annotated[str, Field(min_length=1)] | None = Field(
        default=None,
        description="What values that are no codes of it become; without it they are an error.",
    )

    def spec(self) -> Spec:
        return Codes(self.system, self.other)


class DatesPlan(PlanMapping):
    """Dates or timestamps in ever longer spans."""

    brief: ClassVar[str] = "levels"
    levels: Annotated[
        tuple[str, ...],
        PlainValidator(_names),
        WithJsonSchema({"type": "array", "items": {"enum": list(DATE_LEVELS)}, "minItems": 1}),
    ] = Field(default=Dates.levels, description="Some of the levels, finest first.")  # type: ignore[arg-type]

    def spec(self) -> Spec:
        return Dates(levels=self.levels)


def _level_names(value: Any) -> tuple[str, ...]:
    found = tuple(item.strip() if isinstance(item, str) else "" for item in as_list(value))
    if not found or not all(found) or len(set(found)) < len(found):
        raise problem(
            f"the names of levels are texts, each another one, not {short(value)}",
            "Name them from the finest to the coarsest: [chapter, body].",
        )
    return found


_KINDS = ("csv", "codes", "ranges", "coding", "prefix", "dates", "bins", "taxonomy",
          "suppression")  # fmt: skip
"""Of hierarchies."""
_BESIDE = frozenset({"names", "origin"})
"""What may stand beside the one key."""


class HierarchyPlan(OneKeyMapping):
    """How a column's values become coarser: a file, or one of these."""

    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 1,
            "maxProperties": 3,
            "oneOf": [{"required": [kind]} for kind in _KINDS],
        }
    )

    what: ClassVar[str] = "a hierarchy"
    brief: ClassVar[str] = "csv"

    csv: File | None = Field(
        default=None,
        description="File with a line for each value: the value, then its label on every level. "
        "The words suppression and dates alone are no files but the hierarchies of that name.",
    )
    codes: CodesPlan | None = None
    ranges: RangesPlan | None = None
    coding: (
        CodingPlan | Annotated[tuple[CodingPlan, ...], Field(strict=False, min_length=1)] | None
    ) = Field(
        default=None,
        description="Top and bottom coding, and rounding: one level, or a list of levels.",
    )
    prefix: PrefixPlan | None = None
    dates: DatesPlan | None = None
    bins: Annotated[
        Any,
        PlainValidator(_bins),
        WithJsonSchema(
            {
                "type": "array",
                "minItems": 1,
                "items": {
                    "anyOf": [_NUMBERS, {"type": "array", "minItems": 1, "items": _LABELS}],
                },
            }
        ),
    ] = Field(default=None, description="For each level its edges, or its groups of labels.")
    taxonomy: Annotated[Any, WithJsonSchema({"type": ["object", "array"]})] = Field(
        default=None, description="A tree of names: mappings and lists, values at its ends."
    )
    suppression: Literal[True] | None = Field(
        default=None, description="Every value becomes * at once."
    )
    names: (
        Annotated[
            tuple[str, ...],
            PlainValidator(_level_names),
            WithJsonSchema(
                {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1},
                    "minItems": 1,
                    "uniqueItems": True,
                }
            ),
        ]
        | None
    ) = Field(
        default=None,
        description="Beside one of the others: what the levels above the values are called, finest "
        "first; the last, *, may be left out. A policy can then name them.",
    )
    origin: Literal["public", "data"] | None = Field(
        default=None,
        alias="from",
        description="Beside one of the others: where it comes from. data: somebody looked at the "
        "data to choose its cuts, values or lists, so it tells about them. The certificate says "
        "so, and noisy, safe and synthetic releases and answers refuse it.",
    )

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, data: Any) -> Any:
        if isinstance(data, str) and data in cls.model_fields and data != "csv":
            if data in {"suppression", "dates"}:
                return {data: True if data == "suppression" else {}}
            raise problem(f"a {data} hierarchy needs to know more", f"Write {_EXAMPLES[data]}.")
        return data

    @model_validator(mode="after")
    def _exactly_one(self) -> HierarchyPlan:
        """One way to become coarser, and maybe names for its levels."""
        found = len(self.model_fields_set - _BESIDE)
        if found != 1:
            raise problem(
                f"{self.what} has exactly one key, and this one has {found or 'none'}",
                f"Use one of {', '.join(_KINDS)}.",
            )
        if self.names is not None and self.dates is not None:
            raise problem(
                "the levels of dates have names already",
                f"They are {', '.join(self.dates.levels)}: leave `names` out.",
            )
        return self

    @model_validator(mode="after")
    def _buildable(self) -> HierarchyPlan:
        if len(self.model_fields_set - _BESIDE) == 1:
            try:
                self.spec()
            except HierarchyError as error:
                raise problem(error.what, error.fix) from None
        return self

    def spec(self) -> Spec:
        """The builder."""
        if self.csv is not None:
            return FromCsv(self.csv)
        if self.bins is not None:
            return Bins(edges=self.bins)
        if self.taxonomy is not None:
            return Taxonomy(tree=self.taxonomy)
        if self.coding is not None:
            several = self.coding if isinstance(self.coding, tuple) else (self.coding,)
            return NumberCoding(levels=tuple(one.level() for one in several))
        made = self.codes or self.ranges or self.prefix or self.dates
        return Suppression() if made is None else made.spec()


_EXAMPLES = {
    "codes": "{codes: icd-10}",
    "ranges": "{ranges: [5, 10, 20]}",
    "coding": "{coding: {bottom: 18, top: 90, round: 5}}",
    "prefix": "{prefix: 5}",
    "bins": "{bins: [[18, 30, 65], [65]]}",
    "taxonomy": "{taxonomy: {Europe: [France, Spain], Asia: [Japan]}}",
}


def _or_spec(value: Any, validate: Any) -> Any:
    """A builder made in Python is taken as it is."""
    return value if hasattr(value, "bind") else validate(value)


if TYPE_CHECKING:
    HierarchyOrSpec = HierarchyPlan | Spec
else:
    HierarchyOrSpec = Annotated[HierarchyPlan, WrapValidator(_or_spec)]
