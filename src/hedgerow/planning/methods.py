"""How a release is made: by a recoding that a search finds, or of tables with noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    Field,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

from hedgerow.planning.fields import Delta, Part, Positive, Price, Share
from hedgerow.planning.problems import Problem, problem, problems_at, short

RANDOMISED = ("epsilon", "delta", "rho", "tables", "synthetic")
"""Keys that only a randomised release has."""
RECODING = ("suppress", "keep_suppressed", "time", "mode", "boxes")
"""Keys about recodings, of which a randomised release has none."""

Table = tuple[str, ...]
"""The columns of one table."""


def _tables(value: Any) -> int | tuple[Table, ...]:
    wanted = "a whole number of columns such as 2, or lists of columns such as [[age, sex]]"
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return int(value)
    if not isinstance(value, list | tuple) or not value:
        raise problem(f"'tables' needs {wanted}, not {short(value)}")
    found: list[Problem] = []
    for place, table in enumerate(value):
        if isinstance(table, str):
            fix = f"Write [{table}] for the table of this column alone; a table is a list."
            found.append(Problem((place,), f"{short(table)} is a column, not a table", fix))
        elif not isinstance(table, list | tuple) or not table:
            found.append(Problem((place,), f"{short(table)} is not a list of columns", None))
        else:
            found += [
                Problem((place, i), f"{short(name)} is not the name of a column", None)
                for i, name in enumerate(table)
                if not isinstance(name, str)
            ]
    if found:
        raise problems_at(found)
    return tuple(tuple(table) for table in value)


class Method(Part):
    """How the release is made."""

    brief: ClassVar[str] = "search"

    search: Literal["lattice", "mondrian", "microaggregation", "local", "marginals"] = Field(
        default="lattice",
        description="lattice: the same level for everyone, the best of all. mondrian: boxes that "
        "fit the data. microaggregation: clusters of similar people. local: levels that differ "
        "from group to group. marginals: no rows of people, but tables of counts with noise.",
    )
    suppress: Share = Field(
        default=0, description="People who may be left out, at most, such as 5% or 0.05."
    )
    keep_suppressed: bool = Field(
        default=False,
        description="Publish those who would be left out as one fully generalised group, which "
        "must keep every claim itself.",
    )
    time: Positive | None = Field(default=None, description="Seconds the search may take.")
    mode: Literal["strict", "relaxed"] = Field(
        default="strict", description="Mondrian only: whether equal people may be separated."
    )
    boxes: Literal["ranges", "taxonomy"] = Field(
        default="ranges",
        description="Mondrian only: publish tight ranges and sets, or labels of the hierarchies.",
    )
    epsilon: Price | None = Field(
        default=None, description="Marginals only: the loss of the whole release; this or rho."
    )
    delta: Delta | None = Field(
        default=None, description="Marginals only: with epsilon, the chance that it is more."
    )
    rho: Price | None = Field(
        default=None,
        description="Marginals only: the zero-concentrated loss of the whole release.",
    )
    tables: (
        Annotated[
            int | tuple[Table, ...],
            PlainValidator(_tables),
            PlainSerializer(lambda given: given),
            WithJsonSchema(
                {
                    "anyOf": [
                        {"type": "integer", "minimum": 1},
                        {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "array",
                                "minItems": 1,
                                "items": {"type": "string"},
                            },
                        },
                    ]
                }
            ),
        ]
        | None
    ) = Field(
        default=None,
        description="Marginals only: how many columns a table has, for all tables of so many "
        "columns with a domain or bounds and a step; or the tables, each a list of columns.",
    )
    synthetic: bool = Field(
        default=False,
        description="Marginals only: publish also made-up rows that fit the tables.",
    )

    @model_validator(mode="after")
    def _fits_search(self) -> Method:
        told = self.model_fields_set
        if self.search == "marginals":
            found = [
                Problem((key,), f"{key} has no meaning for marginals", "Leave it out.")
                for key in RECODING
                if key in told
            ]
            found += self._price_problems()
            if self.tables is None:
                found.append(
                    Problem((), "nothing says which tables are published",
                            "Add `tables: 2` for all tables of two columns, or "
                            "`tables: [[age, sex], [disease]]`.")
                )  # fmt: skip
        else:
            fix = "Leave it out, or use `search: marginals`."
            found = [
                Problem((key,), f"{key} has no meaning for {self.search}", fix)
                for key in RANDOMISED
                if key in told
            ]
            if self.search != "mondrian":
                found += [
                    Problem((key,), f"{key} has no meaning for {self.search}", "Leave it out.")
                    for key in ("mode", "boxes")
                    if key in told
                ]
        if found:
            raise problems_at(found)
        return self

    def _price_problems(self) -> list[Problem]:
        """A release has one price."""
        example = "Write `epsilon: 1`, or `epsilon: 1` with `delta: 1e-6`, or `rho: 0.5`."
        if self.epsilon is None and self.rho is None:
            what = "delta goes with epsilon" if self.delta else "nothing says what it may cost"
            return [Problem(("delta",) if self.delta else (), what, example)]
        if self.rho is None:
            return []
        return [
            Problem((key,), f"{key} beside rho: a release has one price", example)
            for key in ("epsilon", "delta")
            if getattr(self, key) is not None
        ]

    @model_serializer(mode="wrap")
    def _told(self, usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The keys that mean something for the search: a certificate tells no others."""
        unsaid = RECODING if self.search == "marginals" else RANDOMISED
        return {key: value for key, value in usual(self).items() if key not in unsaid}

    def may_suppress(self, people: int) -> int:
        """How many of these people may be left out, in exact arithmetic.

        >>> Method(suppress="29%").may_suppress(100)
        29
        """
        return int(Fraction(repr(self.suppress)) * people)
