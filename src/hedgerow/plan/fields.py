"""What the values in a plan may be: numbers, shares, files; and the base of its parts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    PlainSerializer,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hedgerow.base import ranges
from hedgerow.base.decimals import parse
from hedgerow.base.errors import DataError
from hedgerow.base.problems import problem, short
from hedgerow.base.ranges import Range
from hedgerow.engines.address import table_place
from hedgerow.engines.base import TablePlace
from hedgerow.engines.kinds import ENGINES, engine_of
from hedgerow.table.domain import decimal


class PlanMapping(BaseModel):
    """A mapping in the plan: known keys only, no value empty, nothing changed afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)

    brief: ClassVar[str | None] = None
    """The key meant where a single value stands instead of the mapping."""

    @model_validator(mode="before")
    @classmethod
    def _from_brief(cls, data: Any) -> Any:
        if cls.brief is None or isinstance(data, dict | cls) or data is None:
            return data
        return {cls.brief: data}

    @field_validator("*", mode="before")
    @classmethod
    def _not_empty(cls, value: Any, info: ValidationInfo) -> Any:
        if value is None:
            name = str(info.field_name)
            name = cls.model_fields[name].alias or name
            raise problem(f"{name!r} has no value", "Give it one, or leave the key out.")
        return value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core_schema))
        if cls.brief is not None:
            mapping = dict(schema)
            schema.clear()
            schema["description"] = mapping.pop("description", "")
            schema["anyOf"] = [mapping["properties"][cls.brief], mapping]
        return schema


class OneKeyMapping(PlanMapping):
    """A mapping with exactly one of its keys."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    what: ClassVar[str]
    """What one of them is called."""

    @model_validator(mode="after")
    def _exactly_one(self) -> OneKeyMapping:
        if len(self.model_fields_set) != 1:
            keys = [f.alias or name for name, f in type(self).model_fields.items()]
            found = len(self.model_fields_set)
            raise problem(
                f"{self.what} has exactly one key, and this one has {found or 'none'}",
                f"Use one of {', '.join(keys)}.",
            )
        return self

    @property
    def chosen(self) -> Any:
        """The value of the one key."""
        return getattr(self, next(iter(self.model_fields_set)))


def _number(within: Range, *, percent: bool = False) -> Callable[[Any, ValidationInfo], float]:
    """A validator for the numbers of a range."""
    words = within.words + (', such as 0.05 or "5%"' if percent else "")

    def validate(value: Any, info: ValidationInfo) -> float:
        number = _percent(value) if percent and isinstance(value, str) else value
        if (
            isinstance(number, bool)
            or not isinstance(number, int | float)
            or not finite(number)
            or number not in within
        ):
            fix = _hint(value) if percent else None
            raise problem(f"{info.field_name!r} needs {words}, not {short(value)}", fix)
        # A subclass, such as NumPy's double, would be written in its own way.
        return int(number) if within.whole or isinstance(number, int) else float(number)

    return validate


def finite(number: float | Fraction) -> bool:
    """Whether it is a number a double can hold; whole numbers may be larger.

    >>> finite(2.5), finite(math.nan), finite(10**400)
    (True, False, False)
    """
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def exactly(value: Any) -> Fraction | None:
    """The number that was written, exactly; None where that is no finite number.

    >>> exactly("0.1"), exactly(0.1), exactly("1e-3"), exactly("1/3"), exactly(True)
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 1000), None, None)
    """
    if isinstance(value, bool) or not isinstance(value, str | float | Decimal | Rational):
        return None
    if isinstance(value, Rational):
        number = Fraction(int(value.numerator), int(value.denominator))
        return number if finite(number) else None
    # A double stands for the shortest decimal that is read as it, and numpy's spells it so too.
    spelt = parse(float.__repr__(value) if isinstance(value, float) else str(value))
    return None if spelt is None else spelt[0] * Fraction(10) ** spelt[1]


def _exact(low: int, high: float = math.inf) -> Callable[[Any, ValidationInfo], Fraction]:
    """A validator for numbers strictly between two, that are kept as they were written."""
    words = f"a number above {low}" + (f" and below {high}" if high < math.inf else "")

    def validate(value: Any, info: ValidationInfo) -> Fraction:
        number = exactly(value)
        if number is None or not low < number < high:
            raise problem(f"{info.field_name!r} needs {words}, not {short(value)}")
        return number

    return validate


def _stubbornness(value: Any, info: ValidationInfo) -> float:
    if value in ("infinite", math.inf):
        return math.inf
    if not isinstance(value, str):
        return _number(ranges.FROM_ONE)(value, info)
    raise problem(
        f"{info.field_name!r} needs a number of at least 1, or infinite, not {short(value)}"
    )


def _percent(text: str) -> float | str:
    match = re.fullmatch(r"\s*(\d{1,3}(?:\.\d{1,12})?)\s*%\s*", text, re.ASCII)
    # Through the exact decimal, so that 5% is the double that is written 0.05.
    return float(Fraction(match[1]) / 100) if match else text


def _hint(value: Any) -> str | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"For {value:g} percent write {value:g}%." if is_number and 1 < value <= 100 else None


def _file(value: Any, info: ValidationInfo) -> Path:
    if isinstance(value, Path):
        text = str(value)
    elif isinstance(value, str) and value.strip() and "\0" not in value:
        text = value
    else:
        raise problem(f"{info.field_name!r} needs the name of a file, not {short(value)}")
    folder = (info.context or {}).get("folder")
    return Path(folder) / text if folder is not None else Path(text)


def _source(value: Any, info: ValidationInfo) -> str:
    # Two letters at least, so that C:\data is a path.
    if isinstance(value, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", value):
        return value
    return str(_file(value, info))


def _table_source(value: Any, info: ValidationInfo) -> str:
    """A file, or the address of a table; with `engine`, the table's name is enough."""
    engine = info.data.get("engine")
    if engine is None or ENGINES[engine].remote is None:
        text = value if isinstance(value, str) else ""
        place = _table(text)
        if place is not None and engine is not None:
            raise problem(f"{engine_of(place).name}://… is not read by the engine {engine!r}")
        return _source(value, info) if place is None else str(place)
    if not isinstance(value, str) or not value.strip():
        raise problem(f"{info.field_name!r} needs the name of a table, not {short(value)}")
    place = _table(value if "://" in value else f"{engine}://::{value}")
    if place is None or engine_of(place).name != engine:
        raise problem(f"the source is no table of the engine {engine!r}")
    return str(place)


def _destination(value: Any, info: ValidationInfo) -> Path | TablePlace:
    place = _table(value) if isinstance(value, str) else value
    return place if isinstance(place, TablePlace) else _file(value, info)


def _table(text: str) -> TablePlace | None:
    try:
        return table_place(text)
    except DataError as error:  # without the address: it may hold a password
        raise problem(f"the address {error.what.removeprefix('an address ')}", error.fix) from None


_FILE_SCHEMA = {"type": "string", "minLength": 1}

Whole = Annotated[int, PlainValidator(_number(ranges.WHOLE)), WithJsonSchema(ranges.WHOLE.schema)]
_AT_MOST = re.compile(r"at most ([1-9][0-9]{0,8})")


def _published_rows(value: Any) -> int:
    found = _AT_MOST.fullmatch(value) if isinstance(value, str) else None
    if found is not None:
        return int(found[1])
    if value == "one" or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return 1 if value == "one" else int(value)
    raise problem(
        f"{short(value)} is not how many rows of a person are published",
        "Write `rows: one`, or `rows: at most 3`.",
    )


PublishedRows = Annotated[
    int,
    PlainValidator(_published_rows),
    WithJsonSchema({"type": "string", "pattern": "^(one|at most [1-9][0-9]{0,8})$"}),
]
"""How many rows of a person are published, at most."""
Level = Annotated[int, PlainValidator(_number(ranges.LEVEL)), WithJsonSchema(ranges.LEVEL.schema)]
Positive = Annotated[
    float, PlainValidator(_number(ranges.POSITIVE)), WithJsonSchema(ranges.POSITIVE.schema)
]
FromOne = Annotated[
    float, PlainValidator(_number(ranges.FROM_ONE)), WithJsonSchema(ranges.FROM_ONE.schema)
]
Stubbornness = Annotated[
    float,
    PlainValidator(_stubbornness),
    WithJsonSchema({"anyOf": [ranges.FROM_ONE.schema, {"const": "infinite"}]}),
]
NUMBER_SCHEMA = {"type": "string", "pattern": r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,4})?\s*$"}
"""A number may be written as a text too, which keeps its digits in every reader of YAML."""
Price = Annotated[
    Fraction,
    PlainValidator(_exact(0)),
    PlainSerializer(decimal),
    WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, NUMBER_SCHEMA]}),
]
Delta = Annotated[
    Fraction,
    PlainValidator(_exact(0, 1)),
    PlainSerializer(decimal),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                NUMBER_SCHEMA,
            ]
        }
    ),
]
_PERCENT = {"type": "string", "pattern": r"^\s*(100(\.0+)?|\d{1,2}(\.\d{1,12})?)\s*%\s*$"}
Share = Annotated[
    float,
    PlainValidator(_number(ranges.UNIT, percent=True)),
    WithJsonSchema({"anyOf": [ranges.UNIT.schema, _PERCENT]}),
]


def number_within(within: Range, *, percent: bool = False) -> Any:
    """The type of a field that takes the numbers of a range.

    Args:
        within: The range.
        percent: Whether it may be written in per cent.
    """
    schema = {"anyOf": [within.schema, _PERCENT]} if percent else within.schema
    kind = int if within.whole else float
    return Annotated[kind, PlainValidator(_number(within, percent=percent)), WithJsonSchema(schema)]


File = Annotated[Path, PlainValidator(_file), WithJsonSchema(_FILE_SCHEMA)]
"""Resolved against the plan's folder."""
TableSource = Annotated[str, PlainValidator(_table_source), WithJsonSchema(_FILE_SCHEMA)]
"""A file, resolved against the plan's folder, or a table."""
Destination = Annotated[
    Path | TablePlace,
    PlainValidator(_destination),
    PlainSerializer(str, when_used="json"),
    WithJsonSchema(_FILE_SCHEMA),
]
"""A folder, resolved against the plan's, or a table."""
Source = Annotated[str, PlainValidator(_source), WithJsonSchema(_FILE_SCHEMA)]
"""A file, resolved against the plan's folder; an address is left as it is, and refused later."""
