"""The lines under `keep`: each is an analysis that a release must not spoil.

The kinds are those of `hedgerow.analyses`: one that is registered can be written in a plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import GetJsonSchemaHandler, PlainSerializer, PlainValidator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hedgerow.analyses import (
    ANALYSES,
    Analysis,
    AnalysisKind,
    Association,
    CountTable,
    Distribution,
    GroupMeans,
    GroupTotals,
    LinearRegression,
    LogisticRegression,
    SurvivalCurves,
    WeightedAnalysis,
)
from hedgerow.base.errors import HedgerowError, PlanError, some
from hedgerow.base.problems import Problem, problem, short, suggest
from hedgerow.plan.methods import PRICED
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan

WITHIN = "within"
WEIGHTS = "weights"


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
        known = (*kind.needs, *kind.may, WEIGHTS, WITHIN)
        for key in said:
            if key not in known:
                raise problem(f"{name} has no key {short(key)}", suggest(key, known))
        if missing := [key for key in kind.needs if said.get(key) in (None, "", [])]:
            raise problem(f"{name} needs {some(missing)}", f"Write, for instance, {kind.example}.")
        try:
            made = kind.made({key: what for key, what in said.items() if key != WEIGHTS})
            made = _weighed(made, said.get(WEIGHTS), WEIGHTS in said)
            return made.tolerating(_tolerance(said.get(WITHIN)))
        except HedgerowError as error:
            raise problem(error.what, error.fix) from None

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"anyOf": [_schema(kind) for kind in ANALYSES.values()]}


def _weighed(made: Analysis, weights: Any, said: bool) -> Analysis:
    """The analysis with the survey weights that the line names.

    Raises:
        PlanError: They are no column, or the analysis has no use for them.
    """
    if not said:
        return made
    if not isinstance(weights, str) or not weights:
        raise PlanError(
            f"'weights' cannot be {short(weights)}", fix="Name the column of survey weights."
        )
    if not made.weighs:
        raise PlanError(
            f"{made.name} has no survey weights",
            fix=f"Leave 'weights' out, or use one of {some(_weighable(), most=9)}.",
        )
    return WeightedAnalysis(of=made, weights=weights)


def _weighable() -> list[str]:
    kinds = (CountTable, GroupMeans, GroupTotals, LinearRegression, LogisticRegression,
             SurvivalCurves, Distribution, Association)  # fmt: skip
    return [kind.name for kind in kinds if kind.weighs]


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
    "by": {**_LIST, "description": "The columns whose groups are looked at."},
    "from": {**_LIST, "description": "The columns it is told from."},
    "between": {**_LIST, "description": "Two columns."},
    "levels": {
        "type": "object",
        "additionalProperties": {"type": "integer", "minimum": 0},
        "description": "At which level of its hierarchy a column is looked at; 0 if left out.",
    },
    "of": {"type": "string", "description": "The column that is looked at."},
    "formula": {
        "type": "string",
        "description": "What is explained by what: hours ~ age + sex, or income = >50K ~ age.",
    },
    "time": {"type": "string", "description": "The column of times."},
    "event": {"type": "string", "description": "A column and a value, such as died = yes."},
}


def _schema(kind: AnalysisKind) -> JsonSchemaValue:
    told = {"description": kind.says}  # of a kind that a package adds
    keys = {key: _FORMS.get(key, told) for key in (*kind.needs, *kind.may)}
    keys[WEIGHTS] = {
        "type": "string",
        "description": "The column of survey weights, which is published as it is. Not of "
        "classifier and prediction.",
    }
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
                "description": kind.says,
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
            "Leave `keep` out. How much epsilon counts need to be near enough, "
            "`hedgerow query --count --by sex --within 50` says without looking at the data.",
        )  # fmt: skip
    if not plan.keep and "utility" not in broken and plan.utility.keep:
        yield Problem(
            ("utility",), "`utility: keep` needs analyses that are kept",
            "List them under `keep`, such as `- counts: {by: [sex]}`.",
        )  # fmt: skip
    if "columns" in broken:
        return
    for place, analysis in enumerate(plan.keep):
        yield from _weights_contradict(plan, place, analysis)
        for name in analysis.plain.columns:
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


def _weights_contradict(plan: Plan, place: int, analysis: Analysis) -> Iterable[Problem]:
    """Weights are of use to recipients who have them, as they are."""
    if not isinstance(analysis, WeightedAnalysis):
        return
    name, at = analysis.weights, ("keep", place)
    column = plan.columns.get(name)
    if column is None:
        yield Problem(
            at, f"there is no column {name!r} of survey weights", suggest(name, plan.columns)
        )
    elif column.role == Role.IDENTIFIER:
        yield Problem(
            at, f"the survey weights in {name!r} are an identifier, which is never published, so "
            "that nobody who has the release can weigh",
            "Leave 'weights' out. Or give the column the role insensitive, if nobody can tell from "
            "a weight who somebody is: weights often say the stratum, and so where people live.",
        )  # fmt: skip
    elif column.role == Role.QUASI_IDENTIFIER:
        yield Problem(
            at, f"the survey weights in {name!r} have the role quasi-identifier, which generalises "
            "them, and nobody can weigh by ranges",
            "Leave 'weights' out, or give the column the role insensitive, if nobody can tell from "
            "a weight who somebody is.",
        )  # fmt: skip
