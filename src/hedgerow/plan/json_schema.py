"""The form of a plan as JSON Schema."""

from __future__ import annotations

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema


def json_schema(form: type[BaseModel]) -> JsonSchemaValue:
    """The form, with its dialect."""
    schema = form.model_json_schema(by_alias=True, schema_generator=_Generator)
    return {"$schema": _Generator.schema_dialect, **schema}


class _Generator(GenerateJsonSchema):
    """A key is left out or has a value; null is never one."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default") is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)
