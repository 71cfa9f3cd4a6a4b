"""Sets of columns, as a plan writes them: a number of columns, or lists of names."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, ValidationInfo, WithJsonSchema

from hedgerow.base.problems import Problem, problem, problems_at, short

ColumnSet = tuple[str, ...]
"""The columns of one set."""


def _column_sets(value: Any, info: ValidationInfo) -> int | tuple[ColumnSet, ...]:
    key = info.field_name
    wanted = "a whole number of columns such as 2, or lists of columns such as [[age, sex]]"
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return int(value)
    if not isinstance(value, list | tuple) or not value:
        raise problem(f"{key!r} needs {wanted}, not {short(value)}")
    found: list[Problem] = []
    for place, columns in enumerate(value):
        if isinstance(columns, str):
            fix = f"Write [{columns}] for this column alone: each set is a list."
            found.append(Problem((place,), f"{short(columns)} is a column, not a list", fix))
        elif not isinstance(columns, list | tuple) or not columns:
            found.append(Problem((place,), f"{short(columns)} is not a list of columns", None))
        else:
            found += [
                Problem((place, i), f"{short(name)} is not the name of a column", None)
                for i, name in enumerate(columns)
                if not isinstance(name, str)
            ]
    if found:
        raise problems_at(found)
    return tuple(tuple(columns) for columns in value)


ColumnSets = Annotated[
    int | tuple[ColumnSet, ...],
    PlainValidator(_column_sets),
    PlainSerializer(lambda given: given),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {"type": "array", "minItems": 1, "items": {"type": "string"}},
                },
            ]
        }
    ),
]
"""A number of columns, for all sets of so many; or the sets, each a list of names."""
