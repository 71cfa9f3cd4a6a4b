"""How a release is made: by a recoding that a search finds, of a sample, or of noisy tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Literal

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from hedgerow.base.problems import Problem, problems_at
from hedgerow.plan.column_sets import ColumnSets
from hedgerow.plan.fields import Delta, File, PlanMapping, Positive, Price, Share, Whole

OWN: Mapping[str, tuple[str, ...]] = {
    "marginals": ("epsilon", "delta", "rho", "tables", "synthetic"),
    "safe": ("beta", "epsilon", "delta", "drawn", "choice", "row", "steps", "k",
             "levels_from"),
}  # fmt: skip
"""Keys of the searches that have a price, which no other search has."""
PRICED = tuple(OWN)
RECODING = ("suppress", "keep_suppressed", "time", "mode", "boxes", "parts", "importance")
"""Keys about recodings that keep claims, of which a release with a price has none."""
CHOOSING = ("choice", "row", "steps")
"""Keys about a recoding that is chosen by looking at data."""
PAID = ("choice", "steps")
"""Those among them that are about a choice by the data that are published."""
_UNSAID = "Leave it out."
_COUNTED = "Leave it out: how many people are left out must not show in the release."
_UNSAFE = {"suppress": _COUNTED, "keep_suppressed": _COUNTED}

Search = Literal["lattice", "mondrian", "microaggregation", "local", "cells", "marginals", "safe"]


class Method(PlanMapping):
    """How the release is made."""

    brief: ClassVar[str] = "search"

    search: Search = Field(
        default="lattice",
        description="lattice: the same level for everyone, the most useful of all combinations. "
        "mondrian: boxes that fit the data. microaggregation: clusters of similar people. local: "
        "levels that differ from group to group. cells: the same level for everyone, and single "
        "cells suppressed. marginals: no rows of people, but tables of "
        "counts with noise. safe: rows of a random sample, the same level for everyone, small "
        "groups left out; differentially private.",
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
    parts: Whole | None = Field(
        default=None,
        description="Mondrian, microaggregation and local only: the table is first cut, as "
        "Mondrian cuts, into parts of at most so many distinct combinations of quasi-identifiers "
        "and sensitive values, as far as the claims allow; the method then works on each part by "
        "itself.",
    )
    importance: dict[str, Positive] | None = Field(
        default=None,
        description="Cells only: how much it matters that the cells of a column stay, such as "
        "{age: 5}; 1 for columns that are not listed.",
    )
    epsilon: Price | None = Field(
        default=None,
        description="Marginals and safe only: the loss of the whole release; of marginals this or "
        "rho.",
    )
    delta: Delta | None = Field(
        default=None,
        description="Marginals and safe only: with epsilon, the chance that it is more. Safe needs "
        "it.",
    )
    rho: Price | None = Field(
        default=None,
        description="Marginals only: the zero-concentrated loss of the whole release.",
    )
    tables: ColumnSets | None = Field(
        default=None,
        description="Marginals only: how many columns a table has, for all tables of so many "
        "columns with a domain or bounds and a step; or the tables, each a list of columns.",
    )
    synthetic: bool = Field(
        default=False,
        description="Marginals only: publish also made-up rows that fit the tables.",
    )
    beta: Delta | None = Field(
        default=None, description="Safe only: the chance of each person to be drawn, such as 0.85."
    )
    drawn: Literal["here", "before"] = Field(
        default="here",
        description="Safe only. here: the sample is drawn from the source. before: the source is "
        "itself a random sample, in which each person of a population is with probability beta.",
    )
    choice: Price | None = Field(
        default=None,
        description="Safe only, where levels are not fixed: the part of epsilon for each private "
        "choice of levels; a tenth of epsilon if left out.",
    )
    row: Share | None = Field(
        default=None,
        description="Safe only, where levels are not fixed: what it is worth to publish somebody "
        "of whom all is *, next to 1 for somebody as they are; 0.2 if left out.",
    )
    steps: Whole | None = Field(
        default=None,
        description="Safe only, where there are too many combinations of levels to look at all: "
        "how many small private choices lead to the levels, each at `choice`.",
    )

    k: Whole | None = Field(
        default=None,
        description="Safe only: groups of fewer drawn people are left out; the smallest number "
        "that keeps epsilon and delta if left out.",
    )
    levels_from: File | None = Field(
        default=None,
        description="Safe only: a file with public data about other people, of the same columns. "
        "The levels that are best there are published, and choosing them costs nothing.",
    )

    @model_validator(mode="after")
    def _fits_search(self) -> Method:
        found = [*self._strange_keys()]
        if self.search == "marginals":
            found += self._price_problems()
            if self.tables is None:
                found.append(
                    Problem((), "nothing says which tables are published",
                            "Add `tables: 2` for all tables of two columns, or "
                            "`tables: [[age, sex], [disease]]`.")
                )  # fmt: skip
        elif self.search == "safe":
            found += self._safe_problems()
        if found:
            raise problems_at(found)
        return self

    def _strange_keys(self) -> Iterable[Problem]:
        """Keys that mean nothing for the search."""
        told, own = self.model_fields_set, OWN.get(self.search, ())
        for search, keys in OWN.items():
            for key in keys:
                first = next(name for name, named in OWN.items() if key in named) == search
                if key in told and key not in own and first:
                    fix = f"Leave it out, or use `search: {search}`."
                    yield Problem((key,), f"{key} has no meaning for {self.search}", fix)
        if self.search in PRICED:
            for key in RECODING:
                if key in told:
                    fix = _UNSAFE.get(key, _UNSAID) if self.search == "safe" else _UNSAID
                    yield Problem((key,), f"{key} has no meaning for {self.search}", fix)
            return
        others = {"mode": "mondrian", "boxes": "mondrian", "importance": "cells"}
        for key, search in others.items():
            if key in told and search != self.search:
                yield Problem((key,), f"{key} has no meaning for {self.search}", _UNSAID)

    def _safe_problems(self) -> Iterable[Problem]:
        """A safe release has a rate and a price, and its choices must leave some of it."""
        example = "Write for instance `{search: safe, beta: 0.85, epsilon: 1, delta: 1e-6}`."
        for key, what in (
            ("beta", "says which share of the people is drawn"),
            ("epsilon", "says what it may cost"),
            ("delta", "says how often it may cost more, and without a delta no k is large enough"),
        ):
            if getattr(self, key) is None:
                yield Problem((), f"nothing {what}: {key} is missing", example)
        if self.steps is not None and self.choice is None:
            yield Problem(
                ("steps",), "nothing says how much of epsilon each step may cost",
                "Add for instance `choice: 0.02`.",
            )  # fmt: skip
        # What many choices cost together is less than their sum, and computed later.
        if self.epsilon is not None and self.choice is not None and self.choice >= self.epsilon:
            yield Problem(
                ("choice",), f"a choice at {float(self.choice):.6g} would leave nothing of epsilon "
                f"{float(self.epsilon):.6g} for the release", "Choose with less.",
            )  # fmt: skip

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
        own = OWN.get(self.search, ())
        unsaid = {key for keys in OWN.values() for key in keys} - {*own}
        unsaid |= {*RECODING} if own else set()
        unsaid |= {key for key in ("parts", "importance") if getattr(self, key) is None}
        return {key: value for key, value in usual(self).items() if key not in unsaid}

    def may_suppress(self, people: int) -> int:
        """How many of these people may be left out, in exact arithmetic.

        >>> Method(suppress="29%").may_suppress(100)
        29
        """
        return int(Fraction(repr(self.suppress)) * people)
