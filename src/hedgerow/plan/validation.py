"""A document against the form of a plan: everything that is wrong with it, at once."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from hedgerow.base.errors import nearest
from hedgerow.base.problems import Problem, explain

M = TypeVar("M", bound=BaseModel)


def validated(
    form: type[M], data: dict[str, Any], context: dict[str, Any]
) -> tuple[M | None, list[Problem]]:
    """What was read, or everything that is wrong with it.

    Args:
        form: Of the document. It raises its contradictions as one error of that type, and leaves
            out those about keys that the context calls broken.
        data: The document.
        context: For validators.
    """
    try:
        return form.model_validate(data, context=context), []
    except ValidationError as error:
        problems = _problems(form, error)
        if any(detail["type"] == "contradictions" for detail in error.errors()):
            return None, problems
    # What is left may still contradict itself, and the user should hear all of it at once.
    broken = {str(found.place[0]) for found in problems if found.place}
    broken |= {nearest(key, list(form.model_fields)) or key for key in broken}
    sound = {key: value for key, value in data.items() if key not in broken}
    try:
        form.model_validate(sound, context=context | {"broken": broken})
    except ValidationError as error:
        problems += _problems(form, error)
    return None, problems


def _problems(form: type[BaseModel], error: ValidationError) -> list[Problem]:
    found: list[Problem] = []
    for detail in error.errors(include_url=False):
        if detail["type"] == "contradictions":
            found += detail["ctx"]["problems"]
        else:
            found.append(explain(detail, form))
    return found
