"""The lines under `keep`: each is an analysis that a release must not spoil.

The kinds are those of `hedgerow.analyses`: one that is registered can be written in a plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import GetJsonSchemaHandler, PlainSerializer, PlainValidator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hedgerow.analyses import ANALYSES, Analysis, AnalysisKind
from hedgerow.base.errors import HedgerowError, PlanError, some
from hedgerow.base.problems import Problem, problem, short, suggest
from hedgerow.plan.methods import PRICED
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan

WITHIN = "within"


class _KeepLine:
    """Reads a line, and says what it may be."""

    def __call__(self, value: Any) -> Analysis:
        if isinstance(value, Analysis):
            return value
        if not isinstance(value, Mapping) or len(value) != 1:
            raise problem(
                f"{short(value)} is no analysis",
                f"Each has one key: one of {', '.join(ANALYSES)}.",
            )
        ((name, said),) = value.items()
        if name not in ANALYSES:
            raise problem(f"there is no analysis {short(name)}", suggest(name, ANALYSES))
        kind = ANALYSES[name]
        if not isinstance(said, Mapping):
            raise problem(f"{name!r} needs keys", f"Write, for instance, {kind.example}.")
        known = (*kind.needs, *kind.may, WITHIN)
        for key in said:
            if key not in known:
                raise problem(f"{name} has no key {short(key)}", suggest(key, known))
        if missing := [key for key in kind.needs if said.get(key) in (None, "", [])]:
            raise problem(f"{name} needs {some(missing)}", f"Write, for instance, {kind.example}.")
        try:
            return kind.made(said).tolerating(_tolerance(said.get(WITHIN)))
        except HedgerowError as error:
            raise problem(error.what, error.fix) from None

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"anyOf": [_schema(kind) for kind in ANALYSES.values()]}


def _tolerance(said: Any) -> float | None:
    """The share that `within` says: 5% or 0.05.

    Raises:
        PlanError: It is none.
    """
    if said is None:
        return None
    wrong = PlanError(f"'within' cannot be {short(said)}", fix="Write a share, such as 5%.")
    text = str(said).strip()
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise wrong from None
    if isinstance(said, bool) or not 0 <= share <= 10:
        raise wrong
    return share


_LIST = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_FORMS: Mapping[str, Any] = {
    "by": _LIST,
    "from": _LIST,
    "levels": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
}


def _schema(kind: AnalysisKind) -> JsonSchemaValue:
    keys = {key: _FORMS.get(key, {"type": "string"}) for key in (*kind.needs, *kind.may)}
    keys[WITHIN] = {"type": ["number", "string"], "description": f"An error. {kind.errors}"}
    return {
        "type": "object",
        "required": [kind.name],
        "additionalProperties": False,
        "description": kind.says,
        "properties": {
            kind.name: {
                "type": "object",
                "required": list(kind.needs),
                "additionalProperties": False,
                "properties": keys,
            }
        },
    }


_LINE = _KeepLine()
KeptAnalysis = Annotated[Analysis, PlainValidator(_LINE), PlainSerializer(str), _LINE]


def keep_contradicts(plan: Plan, broken: frozenset[str]) -> Iterable[Problem]:
    """What the columns and the method say against it."""
    if "keep" in broken:
        return
    if plan.keep and plan.method.search in PRICED:
        yield Problem(
            ("keep",),
            "analyses of the source are compared without noise, which would cost more than the "
            f"release with `search: {plan.method.search}` is charged",
            "Leave `keep` out.",
        )  # fmt: skip
    if not plan.keep and "utility" not in broken and plan.utility.keep:
        yield Problem(
            ("utility",), "`utility: keep` needs analyses that are kept",
            "List them under `keep`, such as `- counts: {by: [sex]}`.",
        )  # fmt: skip
    if "columns" in broken:
        return
    for place, analysis in enumerate(plan.keep):
        for name in analysis.columns:
            column = plan.columns.get(name)
            if column is None:
                yield Problem(
                    ("keep", place), f"{name!r} is no column of the plan",
                    suggest(name, plan.columns),
                )  # fmt: skip
            elif column.role == Role.IDENTIFIER:
                yield Problem(
                    ("keep", place), f"{name!r} is an identifier, which is never published",
                    "Name another column.",
                )  # fmt: skip
