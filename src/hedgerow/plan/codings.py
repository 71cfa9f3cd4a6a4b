"""What the plan says of a column's coding: group means, PRAM, or swaps between records."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, model_validator

from hedgerow.base.decimals import numeric
from hedgerow.base.errors import nearest, some
from hedgerow.base.problems import Problem, problem, short
from hedgerow.engines.base import TablePlace
from hedgerow.plan.fields import File, OneKeyMapping, PlanMapping, exactly
from hedgerow.plan.methods import PRICED
from hedgerow.table.column_codings import MICROAGGREGATE
from hedgerow.table.domain import decimal
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan


def _share(value: Any) -> Fraction:
    found = None
    if isinstance(value, str) and (
        match := re.fullmatch(r"\s*(\d{1,3}(\.\d{1,12})?)\s*%\s*", value)
    ):
        found = Fraction(match[1]) / 100
    elif isinstance(value, str) and numeric([value.strip()]):
        found = exactly(value.strip())
    elif not isinstance(value, str):
        found = exactly(value)
    if found is None or not 0 < found < 1:
        raise problem(f'a share is above 0 and below 1, such as 0.05 or "5%", not {short(value)}')
    return found


ExactShare = Annotated[
    Fraction,
    PlainValidator(_share),
    PlainSerializer(decimal),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                {"type": "string", "pattern": r"^\s*\d{1,3}(\.\d{1,12})?\s*%?\s*$"},
            ]
        }
    ),
]


class PramPlan(PlanMapping):
    """Values drawn anew, each from the row of a matrix that belongs to the true value."""

    brief: ClassVar[str] = "stay"

    stay: ExactShare | None = Field(
        default=None,
        description="The chance of each value to stay; the others are equally likely.",
    )
    invariant: bool = Field(
        default=False,
        description="Keep the expected number of people with each value: what does not stay is "
        "drawn as often as it stands in the column, so that it may come back. The matrix then "
        "tells how often each value stands there.",
    )
    matrix: File | None = Field(
        default=None,
        description="Instead of stay: a CSV file with a line for each true value and a column for "
        "each published value, whose chances add up to 1 in each line.",
    )

    @model_validator(mode="after")
    def _one_way(self) -> PramPlan:
        if (self.stay is None) == (self.matrix is None):
            raise problem(
                "PRAM has either a chance to stay or a matrix",
                "Write {pram: {stay: 0.8}}, or {pram: {matrix: matrix.csv}}.",
            )
        if self.invariant and self.matrix is not None:
            raise problem("'invariant' belongs to stay", "Leave it out: the matrix says all.")
        return self

    @property
    def told(self) -> dict[str, Any]:
        """What a certificate repeats of it."""
        if self.stay is None:
            return {"kind": "matrix"}
        return {"kind": "invariant" if self.invariant else "uniform", "stay": str(self.stay)}


class SwapPlan(PlanMapping):
    """Values exchanged between two people."""

    brief: ClassVar[str] = "rate"

    rate: ExactShare = Field(description="The share of people who are paired with another.")
    within: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        default=(),
        description="Columns that both must agree in, as they are published.",
    )

    @property
    def told(self) -> dict[str, Any]:
        """What a certificate repeats of it."""
        return {"rate": str(self.rate), "within": list(self.within)}


class ColumnCodingPlan(OneKeyMapping):
    """How a column is published otherwise than the claims judge it."""

    what: ClassVar[str] = "a coding"

    microaggregate: Literal["mean", "median", "mode"] | None = Field(
        default=None,
        description="Everybody of a group gets the mean, the median or the most frequent value of "
        "the group.",
    )
    pram: PramPlan | None = Field(
        default=None, description="Post-randomisation: each value is drawn anew by a matrix."
    )
    swap: SwapPlan | None = Field(
        default=None, description="Record swapping: pairs of people exchange their values."
    )

    @property
    def kind(self) -> str:
        """Which of them it is."""
        return next(iter(self.model_fields_set))

    @property
    def told(self) -> dict[str, Any]:
        """What a certificate repeats of it."""
        if self.microaggregate is not None:
            return {"coding": MICROAGGREGATE, "by": self.microaggregate}
        return {"coding": self.kind, **self.chosen.told}


def codings_contradict(plan: Plan) -> Iterable[Problem]:
    """What codings say against the rest of the plan."""
    coded = {name: one.coding for name, one in plan.columns.items() if one.coding is not None}
    shown = plan.schema().published
    drawn = [name for name, coding in coded.items() if coding.microaggregate is None]
    for number, analysis in enumerate(plan.keep):
        if analysis.within is not None and (mine := [n for n in analysis.columns if n in drawn]):
            yield Problem(
                ("keep", number),
                f"{some(mine)} {'is' if len(mine) == 1 else 'are'} drawn by lot, and a release "
                "that is refused for what was drawn would be drawn again until it fits: that "
                "tells about the values before",
                "Leave `within` out: then the analysis is compared, and refuses nothing.",
            )
    for name, coding in coded.items():
        place = ("columns", name, "coding")
        role = plan.columns[name].role
        if name not in shown:
            yield Problem(
                place, f"{name!r} is not published, so it has no coding", "Leave the coding out."
            )
        elif role is Role.QUASI_IDENTIFIER and coding.microaggregate is not None:
            yield Problem(
                place,
                f"{name!r} is a quasi-identifier, and groups are made of what it is published as",
                "Use `search: microaggregation`, which publishes means of quasi-identifiers.",
            )
        if plan.method.search in PRICED:
            yield Problem(
                place, f"search: {plan.method.search} makes rows of its own, which have no codings",
                "Leave the coding out.",
            )  # fmt: skip
        if plan.person is not None and plan.rows != 1:
            yield Problem(
                place, "a person may have several rows, and codings are for one row a person",
                "Publish one row a person: `rows: one`. Or leave the coding out.",
            )  # fmt: skip
        if plan.publish is not None and isinstance(plan.publish.to, TablePlace):
            yield Problem(
                place, "columns are coded in a file, and this release is a table",
                "Publish to a folder, or leave the coding out.",
            )  # fmt: skip
        for i, other in enumerate(() if coding.swap is None else coding.swap.within):
            spot = (*place, "swap", "within", i)
            if other not in shown:
                close = nearest(other, shown)
                yield Problem(
                    spot, f"{other!r} is not a published column",
                    f"Did you mean {close!r}?" if close else f"There are {some(shown)}.",
                )  # fmt: skip
            elif other in coded:
                yield Problem(
                    spot, f"{other!r} is coded itself, so nobody could see who agrees in it",
                    "Name columns without a coding.",
                )  # fmt: skip
