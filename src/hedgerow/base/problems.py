"""What is wrong with a plan, in words, at its line: every problem of a file at once."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from hedgerow.base.errors import PlanError, nearest

Place = tuple[str | int, ...]
"""The way from the document's root to a value: ("columns", "age", "role")."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong."""

    place: Place
    what: str
    fix: str | None
    line: int | None = None
    """Where it is not the line of the place."""


class PlanErrors(PlanError):  # noqa: N818 - it is several of them
    """Everything that is wrong with a plan, in the order of its lines.

    `where`, `what` and `fix` are those of the first problem; `errors` has them all.
    """

    def __init__(self, errors: Iterable[PlanError]) -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        super().__init__(first.what, where=first.where, fix=first.fix)

    def __str__(self) -> str:
        return "\n".join(PlanError.__str__(error) for error in self.errors)


def problem(what: str, fix: str | None = None) -> PydanticCustomError:
    """What a validator raises."""
    return PydanticCustomError("plan", "{what}", {"what": what, "fix": fix})


def problems_at(found: Iterable[Problem]) -> ValidationError:
    """What a validator raises where several things are wrong, or one below its own place."""
    return ValidationError.from_exception_data(
        "plan",
        [InitErrorDetails(type=problem(p.what, p.fix), loc=p.place, input=None) for p in found],
    )


def suggest(word: object, choices: Iterable[str]) -> str:
    """The nearest choice and all of them, as a sentence."""
    listed = list(choices)
    close = nearest(str(word), listed)
    start = f"Did you mean {close}? " if close else ""
    return f"{start}There {'is' if len(listed) == 1 else 'are'} {', '.join(listed)}."


def short(value: object) -> str:
    """The offending value, not pages of it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def explain(error: ErrorDetails, root: type[BaseModel]) -> Problem:
    """One of pydantic's errors in the plan's words."""
    place: Place = error["loc"]
    kind, given = error["type"], error["input"]
    context: Mapping[str, Any] = error.get("ctx", {})
    name = next((repr(part) for part in reversed(place) if isinstance(part, str)), "the plan")
    if kind == "plan":
        return Problem(place, context["what"], context["fix"])
    if kind == "extra_forbidden":
        model = _model_at(root, place[:-1])
        keys = [f.alias or n for n, f in model.model_fields.items()] if model else []
        return Problem(place, f"there is no key {place[-1]!r} here", suggest(place[-1], keys))
    if kind == "missing":
        model = _model_at(root, place[:-1])
        field = _field(model, place[-1]) if model else None
        return Problem(
            place[:-1], f"the key {place[-1]!r} is missing", field.description if field else None
        )
    if kind in {"literal_error", "enum"}:
        choices = re.findall(r"'([^']*)'", context["expected"])
        return Problem(place, f"{name} cannot be {short(given)}", suggest(given, choices))
    if given is None:
        return Problem(place, f"{name} has no value", "Give it one, or leave it out.")
    wanted = _WANTED.get(kind)
    if wanted is None:
        return Problem(place, f"{name} cannot be {short(given)}: {error['msg']}", None)
    return Problem(place, f"{name} needs {wanted(context)}, not {short(given)}", None)


_WANTED: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "bool_type": lambda context: "true or false",
    "string_type": lambda context: "a text (put it in quotes)",
    "dict_type": lambda context: "a mapping (key: value)",
    "model_type": lambda context: "a mapping (key: value)",
    "tuple_type": lambda context: "a list",
    "too_long": lambda context: f"at most {context['max_length']} value(s)",
}


def _field(model: type[BaseModel], key: str | int) -> FieldInfo | None:
    return next((f for name, f in model.model_fields.items() if (f.alias or name) == key), None)


def _model_at(model: type[BaseModel] | None, place: Place) -> type[BaseModel] | None:
    """The part of the plan whose keys stand at a place."""
    rest = list(place)
    while rest and model is not None:
        key = rest.pop(0)
        field = _field(_form(model), key)
        # Where any key is allowed, the part says what its values are.
        annotation: Any = field.annotation if field else getattr(model, "extra", None)
        while annotation is not None:
            origin, inner = get_origin(annotation), get_args(annotation)
            if origin is Annotated:
                annotation = inner[0]
            elif origin in (Union, types.UnionType):
                annotation = next(part for part in inner if part is not type(None))
            elif origin in (dict, tuple):
                annotation = inner[-1] if origin is dict else inner[0]
                rest = rest[1:]
            else:
                break
        is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
        model = annotation if is_model else None
    return None if model is None else _form(model)


def _form(model: type[BaseModel]) -> type[BaseModel]:
    """The part whose fields are the keys: of a line with one of several keys, not itself."""
    part: Callable[[], type[BaseModel]] = getattr(model, "part", lambda: model)
    return part()


def raise_all(problems: Iterable[Problem], where: Callable[[Problem], tuple[int, str]]) -> None:
    """Raise the problems together, sorted by line; do nothing where there are none."""
    placed = sorted(((where(p), p) for p in problems), key=lambda pair: pair[0][0])
    if placed:
        raise PlanErrors(PlanError(p.what, where=spot, fix=p.fix) for (_, spot), p in placed)
