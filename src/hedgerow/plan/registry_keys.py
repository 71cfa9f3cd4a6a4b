"""Keys whose values are the members of a registry, those of installed packages included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetJsonSchemaHandler, PlainValidator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hedgerow.base.problems import problem, short, suggest
from hedgerow.base.registry import Registry
from hedgerow.engines.kinds import ENGINES
from hedgerow.recode.metrics import METRICS

KEEP = "keep"
"""Instead of a metric: the analyses under `keep`."""


@dataclass(frozen=True, eq=False)
class MemberName:
    """The name of a member of a registry; the JSON Schema lists them when it is asked for."""

    key: str
    registry: Registry[Any]
    more: tuple[str, ...] = ()
    """Further words that are allowed."""

    def __call__(self, value: Any) -> str:
        if isinstance(value, str) and (value in self.more or value in self.registry):
            return value
        choices = [*self.more, *self.registry]
        raise problem(f"{self.key!r} cannot be {short(value)}", suggest(value, choices))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"enum": [*self.more, *self.registry], "type": "string"}


_METRIC = MemberName("utility", METRICS, (KEEP,))
_ENGINE = MemberName("engine", ENGINES)
MetricName = Annotated[str, PlainValidator(_METRIC), _METRIC]
EngineName = Annotated[str, PlainValidator(_ENGINE), _ENGINE]
