"""What a plan says everybody may know of a column's values: bounds, a list, a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, WrapValidator

from hedgerow.base.errors import HierarchyError, PlanError, nearest, some
from hedgerow.base.problems import Problem, problem, problems_at, short
from hedgerow.plan.fields import NUMBER_SCHEMA, File, PlanMapping, exactly
from hedgerow.table.beginnings import Beginnings
from hedgerow.table.codes import Codes
from hedgerow.table.domain import MOST_CELLS, Bounds, decimal
from hedgerow.table.hierarchy_builders import (
    Bins,
    Dates,
    FromCsv,
    Prefix,
    Ranges,
    Spec,
    Suppression,
    Taxonomy,
)
from hedgerow.table.taxonomies import DELIMITERS, label
from hedgerow.table.top_bottom_codes import NumberCoding

LARGEST = 1_000_000_000
"""Bytes of a file of values; ten million of them need less."""
HIERARCHY: Final = "hierarchy"
"""The word for the values that the column's hierarchy lists."""

Missable = str | None
"""A value, or None for a missing one."""


def _bounds(value: Any) -> tuple[Fraction, Fraction]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise problem(f"'bounds' needs two numbers, such as [0, 120], not {short(value)}")
    low, high = map(exactly, value)
    if low is None or high is None:
        raise problem(f"{short(value[0] if low is None else value[1])} is not a finite number")
    try:
        Bounds(low, high)
    except PlanError as error:
        raise problem(error.what, error.fix) from None
    return low, high


def _domain(value: Any, validate: Any) -> tuple[Missable, ...] | Literal["hierarchy"] | DomainFile:
    """A list of values, the word hierarchy, or what is left for a file."""
    if isinstance(value, str):
        if value == HIERARCHY:
            return HIERARCHY
        close = nearest(value, [HIERARCHY])
        raise problem(
            f"'domain' cannot be {short(value)}",
            f"Did you mean {close}?"
            if close
            else f"For a file write {{csv: {value}}}; for values a list: [flu, cancer, null].",
        )
    if isinstance(value, Mapping | DomainFile):
        made: DomainFile = validate(value)
        return made
    if not isinstance(value, list | tuple) or not value:
        raise problem(
            f"'domain' needs a list of values, {HIERARCHY} or a file, not {short(value)}",
            "Write [flu, cancer, null], in which null stands for missing values.",
        )
    return _listed(value)


def _listed(given: Sequence[Any]) -> tuple[Missable, ...]:
    """The values of a list, each a text or missing, and none twice."""
    values: list[Missable] = []
    found: list[Problem] = []
    first: dict[Missable, int] = {}
    for place, item in enumerate(given):
        try:
            values.append(None if item is None else label(item))
        except HierarchyError:
            found.append(Problem((place,), f"{short(item)} is not a value", "Put it in quotes."))
            continue
        if first.setdefault(values[-1], place) != place:
            what = f"{some([values[-1]])} stands in the domain more than once"
            found.append(Problem((place,), what, "List each value once."))
    if found:
        raise problems_at(found)
    return tuple(values)


class DomainFile(PlanMapping):
    """A file that lists the values."""

    csv: File = Field(
        description="File whose first column lists the values, no header; an empty one is missing."
    )


_NUMBER = {"anyOf": [{"type": "number"}, NUMBER_SCHEMA]}
BoundsPair = Annotated[
    tuple[Fraction, Fraction],
    PlainValidator(_bounds),
    PlainSerializer(lambda pair: [decimal(bound) for bound in pair]),
    WithJsonSchema({"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}),
]
if TYPE_CHECKING:
    DomainPlan = tuple[Missable, ...] | Literal["hierarchy"] | DomainFile
else:
    DomainPlan = Annotated[
        DomainFile,
        WrapValidator(_domain),
        PlainSerializer(lambda given: given),
        WithJsonSchema(
            {
                "anyOf": [
                    {
                        "type": "array",
                        "items": {"type": ["string", "number", "boolean", "null"]},
                        "minItems": 1,
                        "uniqueItems": True,
                    },
                    {"const": HIERARCHY},
                    {
                        "type": "object",
                        "properties": {
                            "csv": {
                                "type": "string",
                                "minLength": 1,
                                "description": DomainFile.model_fields["csv"].description,
                            }
                        },
                        "required": ["csv"],
                        "additionalProperties": False,
                    },
                ]
            }
        ),
    ]

_UNLISTED: Mapping[type, tuple[str, str]] = {
    Ranges: ("ranges hold whatever numbers there are", "numbers"),
    Bins: ("its bins have edges, not values", "numbers"),
    NumberCoding: ("it holds whatever numbers there are", "numbers"),
    Prefix: ("it masks whatever values there are", "values"),
    Dates: ("it holds whatever dates there are", "values"),
    Codes: ("its system has more codes than the column may have", "values"),
    Beginnings: ("it cuts whatever values there are", "values"),
    Suppression: ("it takes whatever values there are", "values"),
}


_FIXES = {
    "numbers": "Give bounds instead, such as `bounds: [0, 120], step: 1`.",
    "values": "List the values, `domain: [a, b, null]`, or name a file, `domain: {csv: a.csv}`.",
}


def unlisted(spec: Spec | None) -> tuple[str, str] | None:
    """Why a hierarchy lists no values, and what to write instead; None where it does."""
    if spec is None:
        return "the column has no hierarchy that could list its values", _FIXES["values"]
    if isinstance(spec, FromCsv | Taxonomy) or (isinstance(spec, Bins) and spec.grouped):
        return None
    why, kind = _UNLISTED.get(type(spec), ("nobody knows which values it has", "values"))
    return f"the hierarchy does not list the column's values: {why}", _FIXES[kind]


def refuse_from_data(from_data: bool, column: str, *, where: str) -> None:
    """Refuse a hierarchy that was made by looking at the data where nothing may tell of them.

    Raises:
        PlanError: It is `from: data`.
    """
    if from_data:
        raise PlanError(
            f"the hierarchy of {column!r} is from the data, so it tells about the people in them, "
            "and what is published with noise or as a sample would show it without any",
            where=where,
            fix="Use one that is public: a code system, ranges or lists chosen without looking. "
            "If this one was chosen without looking, say `from: public`.",
        )


def listed_in(spec: Spec, column: str, *, where: str) -> tuple[Missable, ...]:
    """The values that a hierarchy lists.

    Raises:
        HierarchyError: Its file cannot be read, or it is no hierarchy.
    """
    # Bound to no values at all, it has those it lists, and no others.
    return tuple(spec.bind(column, (), where=where).values)


def values_in(file: Path, *, where: str) -> tuple[Missable, ...]:
    """The first column of a file, an empty value being a missing one.

    Raises:
        PlanError: It cannot be read, or its lines are not equally long.
    """
    lines = _split(_text(file, where), file)
    first: dict[str, int] = {}
    for line, row in lines:
        if first.setdefault(row[0], line) != line:
            raise PlanError(
                f"{some([row[0] or None])} stands in line {first[row[0]]} already",
                where=f"{file}:{line}",
                fix="Give every value one line.",
            )
    if not lines:
        raise PlanError(
            "the file is empty", where=f"{file}:1", fix="Write one line for each value."
        )
    if len(lines) > MOST_CELLS:
        raise PlanError(f"more than {MOST_CELLS:,} values", where=str(file))
    return tuple(value or None for value in first)


def rows_in(file: Path, *, where: str) -> list[tuple[Missable, str]]:
    """The two columns of a file, value and block; an empty value is a missing one.

    Raises:
        PlanError: It cannot be read, or its lines are not two columns.
    """
    lines = _split(_text(file, where), file)
    if not lines:
        raise PlanError("the file is empty", where=f"{file}:1", fix="Write lines value;block.")
    line, first = lines[0]
    if len(first) != 2:
        raise PlanError(
            f"{len(first)} column(s), and two are needed", where=f"{file}:{line}",
            fix="Write a line for each value: value;block.",
        )  # fmt: skip
    return [(row[0] or None, row[1]) for _, row in lines]


def _text(file: Path, where: str) -> str:
    try:
        size = file.stat().st_size
        content = file.read_bytes() if size <= LARGEST else b""
    except (OSError, ValueError) as error:
        beside = file.parent.iterdir() if file.parent.is_dir() else ()
        close = nearest(file.name, [other.name for other in beside])
        raise PlanError(
            f"the file {str(file)!r} cannot be read ({getattr(error, 'strerror', None) or error})",
            where=where,
            fix=f"Did you mean {close!r}?"
            if close
            else "Give the file's place, seen from the plan's folder.",
        ) from None
    if size > LARGEST:
        raise PlanError(f"larger than {LARGEST:,} bytes, which no domain is", where=str(file))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PlanError(
            f"byte {content[error.start]:#04x} is not UTF-8", where=f"{file}:{line}",
            fix="Save the file as UTF-8.",
        ) from None  # fmt: skip


def _split(text: str, file: Path) -> list[tuple[int, list[str]]]:
    """The lines, numbered, by the first delimiter under which all have equally many columns.

    A file has a single column only if no delimiter says otherwise: it is not for us to guess
    whether a comma is part of a value.
    """
    single: list[tuple[int, list[str]]] = []
    refused: list[PlanError] = []
    for delimiter in DELIMITERS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            lines = [(reader.line_num, row) for row in reader if row]
        except csv.Error as error:
            where = f"{file}:{reader.line_num}"
            refused.append(PlanError(f"not a readable line ({error})", where=where, fix=_QUOTES))
            continue
        widths = {len(row) for _, row in lines}
        if len(widths) == 1 and widths != {1}:
            return lines
        if len(widths) > 1:
            first, width = lines[0][0], len(lines[0][1])
            line, odd = next((line, len(row)) for line, row in lines if len(row) != width)
            what = f"{odd} column(s) where line {first} has {width}"
            refused.insert(0, PlanError(what, where=f"{file}:{line}", fix=_QUOTES))
        single = lines
    if refused:
        raise refused[0]
    return single


_QUOTES = 'Put values that contain ; or , or a tab in quotes, and write a quote in them twice: "".'
