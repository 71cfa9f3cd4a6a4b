"""The form of every certificate: a union of the kinds' own, told apart by `format`.

`docs/certificate.schema.json` is made from this.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from hedgerow.release.certificate_parts import Form
from hedgerow.release.kinds import KINDS

DEEPEST = 20
"""How many mappings and lists are in each other, at most; ten would do."""
LARGEST = 10**300
"""No number is larger, and none is not finite."""


def certificate_json_schema() -> dict[str, Any]:
    """The forms as JSON Schema, for everybody's own tools."""
    forms: Any = reduce(or_, (kind.schema() for kind in KINDS))
    either: TypeAdapter[Any] = TypeAdapter(Annotated[forms, Field(discriminator="format")])
    return {"$schema": GenerateJsonSchema.schema_dialect, **either.json_schema(by_alias=True)}


def misfit(certificate: dict[str, Any], form: type[Form]) -> str | None:
    """What about the certificate does not have the form, in words; None where all of it has.

    Args:
        certificate: The certificate.
        form: That it should have.
    """
    if (strange := _unwritable(certificate)) is not None:
        return strange
    try:
        form.model_validate(certificate)
    except ValidationError as error:
        first, *more = error.errors(include_url=False, include_input=False)
        place = ".".join(map(str, first["loc"])) or "the certificate"
        others = f" (and {len(more)} more)" if more else ""
        return f"{place}: {first['msg'].lower()}{others}"
    return None


def _unwritable(value: Any) -> str | None:
    """What is in it anywhere that no certificate holds, whatever stands around it."""
    left: list[tuple[Any, int]] = [(value, 0)]
    while left:
        item, depth = left.pop()
        if isinstance(item, dict | list):
            if depth == DEEPEST:
                return "it is nested too deeply"
            parts = [*item, *item.values()] if isinstance(item, dict) else item
            left += [(part, depth + 1) for part in parts]
        elif isinstance(item, str):
            if not _is_unicode(item):
                return "it holds text that is not Unicode"
        elif isinstance(item, int | float) and not -LARGEST <= item <= LARGEST:
            return "it holds a number that is too large, or none"
    return None


def _is_unicode(text: str) -> bool:
    """Halves of characters, which JSON can spell, are not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
