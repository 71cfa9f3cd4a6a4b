"""What the plan says about one column: its role, how it becomes coarser, what is public of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from hedgerow.base.errors import PlanError, some
from hedgerow.base.problems import Problem, problem, problems_at, short
from hedgerow.base.spelling import means_missing, reading
from hedgerow.plan.codings import ColumnCodingPlan
from hedgerow.plan.domains import (
    HIERARCHY,
    BoundsPair,
    DomainFile,
    DomainPlan,
    listed_in,
    refuse_from_data,
    unlisted,
    values_in,
)
from hedgerow.plan.fields import Level, PlanMapping, Price
from hedgerow.plan.hierarchies import HierarchyOrSpec, HierarchyPlan, as_list
from hedgerow.table.domain import Bounds, Domain, Values
from hedgerow.table.hierarchy_builders import (
    Bins,
    Dates,
    Spec,
    Suppression,
)
from hedgerow.table.rules import ColumnRules
from hedgerow.table.schema import Role
from hedgerow.table.value_order import DATES, NUMBERS, Stated


def _texts(value: Any) -> tuple[str, ...]:
    """Texts; lists of them are as good, since each text differs from all others."""
    found: list[str] = []
    for item in as_list(value):
        if isinstance(item, list | tuple):
            found += _texts(item)
        elif isinstance(item, str):
            found.append(item)
        else:
            raise problem(f"{short(item)} is not a text", "Put it in quotes.")
    return tuple(found)


def _distinct(value: Any) -> tuple[str, ...]:
    found = _texts(value)
    # One text may differ from what is missing.
    if len(set(found)) < 2 and not any(map(means_missing, found)):
        raise problem(
            f"'distinct' needs the spellings that differ, not {short(value)}",
            "List them: `distinct: [Flu, FLU]`.",
        )
    first: dict[str | None, str] = {}
    for text in found:
        if (met := first.setdefault(reading(text), text)) != text:
            raise problem(
                f"programs that read the release take {met!r} and {text!r} for one value",
                "Give one of them another name in the data, or say `spelling: one`.",
            )
    return found


def _order(value: Any) -> str | tuple[str | None, ...]:
    if isinstance(value, str) and value in (NUMBERS, DATES):
        return value
    if not isinstance(value, list | tuple) or len(value) < 2:
        raise problem(
            f"an order is {NUMBERS}, {DATES} or a list of values, not {short(value)}",
            "List all values from the first to the last: `order: [low, medium, high]`.",
        )
    for item in value:
        if item is not None and not isinstance(item, str):
            raise problem(f"{short(item)} is not a value", "Put it in quotes.")
    if twice := [item for i, item in enumerate(value) if item in value[:i]]:
        raise problem(f"{some(twice)} stands in the order more than once", "List each value once.")
    return tuple(value)


_ORDER_SCHEMA = {
    "anyOf": [
        {"enum": [NUMBERS, DATES]},
        {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]},
         "minItems": 2},
    ]
}  # fmt: skip


class OrderPlan(PlanMapping):
    """In which order the values of a sensitive column stand."""

    brief: ClassVar[str] = "by"
    by: Annotated[Any, PlainValidator(_order), WithJsonSchema(_ORDER_SCHEMA)] = Field(
        description="The words numbers or dates, or all values from the first to the last, null "
        "for missing ones."
    )
    missing: Literal["first", "last"] | None = Field(
        default=None, description="Where missing values stand among numbers or dates."
    )

    @model_validator(mode="after")
    def _fits_list(self) -> OrderPlan:
        if self.missing is not None and not isinstance(self.by, str):
            raise problem(
                "where missing values stand is part of the list",
                "Write null in it, and leave `missing` out.",
            )
        return self

    @property
    def stated(self) -> Stated:
        """As claims name it."""
        by: Stated = self.by
        return by if self.missing is None else f"{by}, missing {self.missing}"


LevelPair = Annotated[
    tuple[Level, Level],
    Field(strict=False),
    WithJsonSchema(
        {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 2, "maxItems": 2}
    ),
]


class ColumnPlan(PlanMapping):
    """One column of the source."""

    brief: ClassVar[str] = "role"

    role: Annotated[Role, Field(strict=False)] = Field(
        description="identifier: dropped. quasi-identifier: may be known to an attacker, "
        "generalised. sensitive: what an attacker wants to learn, published as it is and "
        "protected by the claims. insensitive: published as it is, protected by nothing."
    )
    hierarchy: HierarchyOrSpec | None = Field(
        default=None, description="How values become coarser; * at once if left out."
    )
    missing: Literal["value", "suppress", "refuse"] = Field(
        default="value",
        description="A missing value is a value like others, or its row is left out, or the data "
        "are refused.",
    )
    key: bool | None = Field(
        default=None,
        description="Whether its values number people, so that one that repeats may be a person "
        "with several rows; found by looking at them if left out. In the person column, true "
        "states that IDs that differ only in spelling belong to different people.",
    )
    within_person: Literal["most-frequent", "smallest", "largest"] | None = Field(
        default=None,
        description="With `rows: one`: which of a person's values is published where the rows of a "
        "person differ.",
    )
    coding: ColumnCodingPlan | None = Field(
        default=None,
        description="How it is published otherwise than the claims judge it: group means, PRAM, or "
        "swaps.",
    )
    levels: LevelPair | None = Field(
        default=None, description="The lowest and the highest level that may be published."
    )
    spelling: Literal["one"] | None = Field(
        default=None,
        description="Of a sensitive column: one, to publish values that may be read as one (Flu, "
        "FLU, flu.) in the spelling most people have. If left out they are published as they are, "
        "and every claim is judged both ways.",
    )
    distinct: (
        Annotated[
            tuple[str, ...],
            PlainValidator(_distinct),
            WithJsonSchema(
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "anyOf": [
                            {"type": ["string", "number", "boolean"]},
                            {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
                        ]
                    },
                }
            ),
        ]
        | None
    ) = Field(
        default=None,
        description="Of a sensitive column: values that differ although they may be read as one.",
    )
    order: OrderPlan | None = Field(
        default=None,
        description="Of a sensitive column: in which order its values stand, for the ordered "
        "distance. Numbers need none.",
    )
    bounds: BoundsPair | None = Field(
        default=None,
        description="For answers with noise: the least and the largest number there may be, known "
        "without looking at the data. Numbers beyond are taken as the bounds.",
    )
    step: Price | None = Field(
        default=None,
        description="With bounds: how far apart the numbers are, from the lower bound on.",
    )
    domain: DomainPlan | None = Field(
        default=None,
        description="For answers with noise: the values there may be, known without looking at "
        "the data, null for missing; the word hierarchy for those its hierarchy lists; or a file.",
    )

    @model_validator(mode="after")
    def _fits_role(self) -> ColumnPlan:
        allowed = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
        if self.hierarchy is not None and self.role not in allowed:
            raise problem(
                f"a column with the role {self.role} is not generalised, so it has no hierarchy",
                "Leave the hierarchy out, or give it the role quasi-identifier.",
            )
        for key in ("spelling", "distinct", "order"):
            if getattr(self, key) is not None and self.role is not Role.SENSITIVE:
                raise problem(
                    f"{key!r} has no meaning for a column with the role {self.role}",
                    "Leave it out, or give the column the role sensitive.",
                )
        if self.levels is not None:
            if self.role is not Role.QUASI_IDENTIFIER:
                raise problem(f"a column with the role {self.role} has no levels to choose from")
            if self.levels[0] > self.levels[1]:
                raise problem(
                    f"the lowest level ({self.levels[0]}) is above the highest ({self.levels[1]})"
                )
        return self

    @model_validator(mode="after")
    def _is_public(self) -> ColumnPlan:
        found = list(self._public_problems())
        if found:
            raise problems_at(found)
        return self

    def _public_problems(self) -> Iterable[Problem]:
        """What contradicts itself in bounds, step and domain."""
        given = [key for key in ("bounds", "step", "domain") if getattr(self, key) is not None]
        if given and self.role is Role.IDENTIFIER:
            for key in given:
                yield Problem(
                    (key,), f"an identifier names people, so no {key} of it can be public",
                    "Leave it out, or give the column another role.",
                )  # fmt: skip
            return
        if self.bounds is not None and self.domain is not None:
            yield Problem(
                ("domain",), "a column has bounds or a domain, not both",
                "Keep bounds (and step) for numbers, a domain for other values.",
            )  # fmt: skip
        if self.step is not None and self.bounds is None:
            yield Problem(
                ("step",), "a step needs bounds to begin at",
                "Add them, such as `bounds: [0, 120]`, or leave the step out.",
            )  # fmt: skip
        elif self.step is not None:
            try:
                self._bounds()
            except PlanError as error:
                yield Problem(("step",), error.what, error.fix)
        if self.domain == HIERARCHY:
            refused = unlisted(None if self.hierarchy is None else self.spec())
            if refused is not None:
                yield Problem(("domain",), *refused)

    def _bounds(self) -> Bounds | None:
        return None if self.bounds is None else Bounds(*self.bounds, self.step)

    @property
    def has_cells(self) -> bool:
        """Whether the plan says which values may be counted."""
        return self.domain is not None or self.step is not None

    def public(self, name: str, *, where: str) -> Domain | None:
        """What everybody may know of its values; files are read.

        Raises:
            HedgerowError: A file cannot be read, or lists a value twice.
        """
        if self.domain is None:
            return self._bounds()
        if isinstance(self.domain, DomainFile):
            return Values(values_in(self.domain.csv, where=where))
        if isinstance(self.domain, str):
            refuse_from_data(self.from_data, name, where=where)
            return Values(listed_in(self.spec(), name, where=where))
        return Values(self.domain)

    @property
    def from_data(self) -> bool:
        """Whether somebody looked at the data to make its hierarchy, so that it tells of them."""
        named = self.hierarchy if isinstance(self.hierarchy, HierarchyPlan) else None
        return named is not None and named.origin == "data"

    @property
    def level_names(self) -> tuple[str, ...]:
        """What the plan calls the levels above the values; empty where it does not say."""
        named = self.hierarchy if isinstance(self.hierarchy, HierarchyPlan) else None
        return () if named is None else named.names or ()

    @property
    def stated_order(self) -> Stated:
        """In which order its values stand: as the plan says, or its bins or dates; else numbers."""
        spec = self.spec()
        if self.order is not None:
            return self.order.stated
        if isinstance(spec, Bins) and spec.grouped:
            return spec.listed
        return DATES if isinstance(spec, Dates) else NUMBERS

    def rules(self, *, claimed: bool, by_order: bool) -> ColumnRules:
        """How its values are taken.

        Args:
            claimed: Whether a claim is about them.
            by_order: Whether a claim goes by their order.
        """
        return ColumnRules(
            spec=self.spec(),
            given=self.hierarchy is not None,
            missing=self.missing,
            order=self.stated_order,
            ordered=self.order is not None,
            distinct=tuple(self.distinct or ()),
            claimed=claimed,
            by_order=by_order,
        )

    def spec(self) -> Spec:
        """How its values become coarser; suppression where the plan does not say."""
        if self.hierarchy is None:
            return Suppression()
        return (
            self.hierarchy.spec() if isinstance(self.hierarchy, HierarchyPlan) else self.hierarchy
        )
