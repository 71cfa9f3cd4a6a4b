"""Keys whose values are the members of a registry, those of installed packages included."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import GetJsonSchemaHandler, PlainValidator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hedgerow.base.problems import problem, short, suggest
from hedgerow.recode.metrics import METRICS


def _utility(value: Any) -> str:
    if isinstance(value, str) and value in METRICS:
        return value
    raise problem(f"'utility' cannot be {short(value)}", suggest(value, METRICS))


class _Metrics:
    """The JSON Schema, made when it is asked for."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"enum": list(METRICS), "type": "string"}


Utility = Annotated[str, PlainValidator(_utility), _Metrics]
"""The name of a utility metric."""
