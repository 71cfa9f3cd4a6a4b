"""What a plan asks of a safe release: public columns, public hierarchies, terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

from hedgerow.answers.public_knowledge import Labelled, Public
from hedgerow.base.canonical_json import digest
from hedgerow.base.errors import PlanError
from hedgerow.engines.tally import Listed
from hedgerow.plan.plan import Plan
from hedgerow.release.safe.public_levels import PublicLevels, best_levels
from hedgerow.release.safe.terms import SafeTerms, row_of
from hedgerow.synthesis.request import domain_json
from hedgerow.synthesis.texts import Columned, refuse_alike
from hedgerow.table.domain import Domain
from hedgerow.table.hierarchy import Codes, Hierarchy

MOST_NODES = 100_000
"""Combinations of levels that are all looked at."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A published column: its public cells, and how they become coarser."""

    name: str
    domain: Domain
    cells: Labelled
    hierarchy: Hierarchy
    """Of the cells' labels, whoever is in the table."""
    levels: tuple[int, int]
    """The lowest and the highest that may be published."""

    @cached_property
    def leaves(self) -> Codes:
        """The leaf of each cell."""
        return self.hierarchy.encode(self.cells.labels)

    def at(self, level: int) -> Labelled:
        """What may be published at a level."""
        return labelled(self.name, self.hierarchy.labels[level])

    def as_json(self) -> dict[str, Any]:
        h = self.hierarchy
        return {
            "column": self.name,
            **domain_json(self.domain),
            "levels": list(self.levels),
            "hierarchy": digest(
                {"labels": [list(x) for x in h.labels], "codes": [x.tolist() for x in h.codes]}
            ),
        }


@dataclass(frozen=True, kw_only=True)
class SafeRequest:
    """Columns on some terms, about the people of a population."""

    population: str
    columns: tuple[Column, ...]
    terms: SafeTerms
    person: str | None
    null: tuple[str, ...]
    one_row_per_person: bool = False
    """Whether the steward states that every row is another person."""
    ids_as_written: bool = False
    """Whether the steward states that IDs in several spellings are of different people."""
    not_keys: tuple[str, ...] = ()
    """Columns of which the steward states that they do not identify people."""
    ages: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Columns that were added: by each, the columns of the date of birth and of the event."""
    public: PublicLevels | None = None
    """Levels that were chosen on public data."""

    @classmethod
    def of(cls, plan: Plan) -> SafeRequest:
        """What a plan asks for.

        Raises:
            PlanError: It does not say whose privacy is at stake, a level does not exist, there
                are too many combinations of levels, or no k keeps the price.
            HierarchyError: A hierarchy does not fit the domain.
            DataError: The public data for levels cannot be used.
        """
        if plan.population is None:
            raise PlanError(
                "a safe release is charged to the budget of a population, and the plan names none",
                where=plan.where(),
                fix="Add `population: a-name`, the same in every plan about these people.",
            )
        names = plan.schema().quasi_identifiers
        columns = tuple(_column(plan, name) for name in names)
        public = plan.method.levels_from is not None
        fixed = all(low == high for low, high in (column.levels for column in columns))
        request = cls(
            population=plan.population,
            columns=columns,
            terms=SafeTerms.of(plan, fixed=fixed or public),
            person=plan.person,
            null=tuple(plan.null),
            one_row_per_person=plan.one_row_per_person,
            ids_as_written=plan.ids_as_written,
            not_keys=plan.not_keys,
            ages={name: both for name, both in plan.ages.items() if name in names},
        )
        looked = public or bool(request.terms.choice)
        if looked and request.terms.steps is None and request.nodes > MOST_NODES:
            raise PlanError(
                f"there are {request.nodes:,} combinations of levels, and at most {MOST_NODES:,} "
                "are all looked at",
                where=plan.where("method"),
                fix="Fix some levels."
                if public
                else "Fix some levels, or go step by step: `steps: 30, choice: 0.02`.",
            )
        try:
            _ = request.terms.safe
        except PlanError as error:
            where = error.where or plan.where("method")
            raise PlanError(error.what, where=where, fix=error.fix) from None
        if not public:
            return request
        found = best_levels(plan, columns, request.terms, row=row_of(plan))
        return replace(request, public=found)

    @property
    def nodes(self) -> int:
        """How many combinations of levels may be published."""
        return prod(high - low + 1 for low, high in (column.levels for column in self.columns))

    def require_writable(self, *, escaped: bool) -> None:
        """Refuse labels that could not be told apart in a file, at whichever levels.

        Raises:
            PlanError: Two would be written alike.
        """
        bounds = [(column, *column.levels) for column in self.columns]
        for level in range(max(high for _, _, high in bounds) + 1):
            at = [column.at(max(low, min(level, high))) for column, low, high in bounds]
            refuse_alike(PublishedColumns(at), escaped=escaped)

    def as_json(self) -> dict[str, Any]:
        """All of it, exactly: equal requests have equal texts."""
        return {
            "population": self.population,
            "columns": [column.as_json() for column in self.columns],
            **self.terms.as_json(),
            "person": self.person,
            "null": list(self.null),
            **({"one_row_per_person": True} if self.one_row_per_person else {}),
            **({"ids_as_written": True} if self.ids_as_written else {}),
            **({"not_keys": list(self.not_keys)} if self.not_keys else {}),
            **({"ages": {n: list(both) for n, both in self.ages.items()}} if self.ages else {}),
            **({} if self.public is None else {"public": self.public.as_json()}),
        }


class PublishedColumns(Columned):
    """Columns as a file has them."""

    def __init__(self, at: list[Labelled]) -> None:
        self._cells = {one.cells.column: one for one in at}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._cells)

    @property
    def cells(self) -> dict[str, Labelled]:
        return self._cells


def labelled(name: str, labels: tuple[str | None, ...]) -> Labelled:
    """Labels as the cells of a column."""
    return Labelled(Listed(name, labels), labels)


def _column(plan: Plan, name: str) -> Column:
    domain = plan.domain(name)
    assert domain is not None, "a plan without is refused"
    public = Public((name,), {name: domain}, plan.neighbours(), {})
    cells = public.cells(name)
    where = plan.where("columns", name, "hierarchy")
    hierarchy = plan.public_spec(name).bind(name, cells.labels, where=where)
    low, high = plan.columns[name].levels or (0, hierarchy.height)
    if high > hierarchy.height:
        raise PlanError(
            f"levels [{low}, {high}] of {name!r} do not exist",
            where=plan.where("columns", name, "levels"),
            fix=f"Its hierarchy has levels 0 to {hierarchy.height}.",
        )
    return Column(name=name, domain=domain, cells=cells, hierarchy=hierarchy, levels=(low, high))
