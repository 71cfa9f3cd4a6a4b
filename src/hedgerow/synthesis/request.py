"""What a plan asks of a randomised release: all of it public, none of it from the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from hedgerow.answers.marginals import Marginals, Tabulating
from hedgerow.answers.public_knowledge import Labelled, Public
from hedgerow.base.errors import PlanError
from hedgerow.noise.calibration import price
from hedgerow.noise.measures import Approximate, Loss, Pure, ZeroConcentrated
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.plan.plan import Plan
from hedgerow.table.domain import Bounds, Domain, Values, decimal


@dataclass(frozen=True, kw_only=True)
class SynthesisRequest:
    """Tables at a price, about people who are protected as the plan says."""

    population: str
    tables: tuple[tuple[str, ...], ...]
    domains: Mapping[str, Domain]
    """Of the columns that are in a table, in the order of the plan."""
    neighbours: Neighbours
    price: Loss
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

    @classmethod
    def of(cls, plan: Plan) -> SynthesisRequest:
        """What a plan asks for.

        Raises:
            PlanError: It does not say whose privacy is at stake, or a domain cannot be read.
        """
        if plan.population is None:
            raise PlanError(
                "a randomised release is charged to the budget of a population, and the plan "
                "names none",
                where=plan.where(),
                fix="Add `population: a-name`, the same in every plan about these people.",
            )
        tables, method = plan.tables(), plan.method
        used = {column for table in tables for column in table}
        found = {name: plan.domain(name) for name in plan.columns if name in used}
        return cls(
            population=plan.population,
            tables=tables,
            domains={name: domain for name, domain in found.items() if domain is not None},
            neighbours=plan.neighbours(),
            price=price(epsilon=method.epsilon, delta=method.delta, rho=method.rho),
            person=plan.person,
            null=tuple(plan.null),
            one_row_per_person=plan.one_row_per_person,
            ids_as_written=plan.ids_as_written,
            not_keys=plan.not_keys,
            ages={name: both for name, both in plan.ages.items() if name in found},
        )

    @cached_property
    def design(self) -> Tabulating:
        """What is counted, how much noise it gets, and what that costs."""
        return Marginals(tables=self.tables).tabulating(self.public, self.price)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that are in a table."""
        return tuple(self.domains)

    @cached_property
    def cells(self) -> dict[str, Labelled]:
        """The cells of each column."""
        return {column: self.public.cells(column) for column in self.columns}

    @property
    def sizes(self) -> dict[str, int]:
        """How many cells each column has."""
        return {column: len(one.labels) for column, one in self.cells.items()}

    def shape(self, table: tuple[str, ...]) -> tuple[int, ...]:
        """How many cells each column of a table has."""
        return tuple(self.sizes[column] for column in table)

    @property
    def public(self) -> Public:
        """What everybody may know of the people and the columns."""
        return Public(self.columns, self.domains, self.neighbours, {}, person=self.person)

    def as_json(self) -> dict[str, Any]:
        """All of it, exactly: equal requests have equal texts."""
        return {
            "population": self.population,
            "tables": [list(table) for table in self.tables],
            "domains": [{"column": name} | domain_json(one) for name, one in self.domains.items()],
            "neighbours": {"kind": self.neighbours.kind.value, "rows": self.neighbours.rows},
            "price": loss_json(self.price),
            "person": self.person,
            "null": list(self.null),
            **({"one_row_per_person": True} if self.one_row_per_person else {}),
            **({"ids_as_written": True} if self.ids_as_written else {}),
            **({"not_keys": list(self.not_keys)} if self.not_keys else {}),
            **({"ages": {n: list(both) for n, both in self.ages.items()}} if self.ages else {}),
        }

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> SynthesisRequest:
        """A request from its JSON.

        Raises:
            PlanError: A price, a domain or the neighbours are none.
        """
        return cls(
            population=told["population"],
            tables=tuple(tuple(table) for table in told["tables"]),
            domains={one["column"]: read_domain(one) for one in told["domains"]},
            neighbours=Neighbours(
                kind=Neighbouring.read(told["neighbours"]["kind"]), rows=told["neighbours"]["rows"]
            ),
            price=read_loss(told["price"]),
            person=told["person"],
            null=tuple(told["null"]),
            one_row_per_person=bool(told.get("one_row_per_person", False)),
            ids_as_written=bool(told.get("ids_as_written", False)),
            not_keys=tuple(told.get("not_keys", ())),
            ages={name: (born, at) for name, (born, at) in told.get("ages", {}).items()},
        )


def loss_json(loss: Loss) -> dict[str, str]:
    """A loss, exactly.

    >>> loss_json(Approximate(epsilon="0.1", delta=Fraction(1, 3)))
    {'epsilon': '0.1', 'delta': '1/3'}
    """
    if isinstance(loss, ZeroConcentrated):
        return {"rho": decimal(loss.rho)}
    if isinstance(loss, Approximate):
        return {"epsilon": decimal(loss.epsilon), "delta": decimal(loss.delta)}
    return {"epsilon": decimal(loss.epsilon)}


def read_loss(told: Mapping[str, str]) -> Loss:
    """A loss from its JSON.

    Raises:
        PlanError: It is none.
    """
    numbers = {name: Fraction(text) for name, text in told.items()}
    match numbers:
        case {"rho": rho, **rest} if not rest:
            return ZeroConcentrated(rho=rho)
        case {"epsilon": epsilon, "delta": delta, **rest} if not rest:
            return Approximate(epsilon=epsilon, delta=delta)
        case {"epsilon": epsilon, **rest} if not rest:
            return Pure(epsilon=epsilon)
    raise PlanError("a loss is an epsilon, an epsilon with a delta, or a rho")


def domain_json(domain: Domain) -> dict[str, Any]:
    """A domain, exactly."""
    if isinstance(domain, Values):
        return {"values": list(domain.values)}
    assert domain.step is not None, "a plan's tables are of columns with cells"
    return {
        "bounds": [decimal(domain.low), decimal(domain.high)],
        "step": decimal(domain.step),
    }


def read_domain(told: Mapping[str, Any]) -> Domain:
    """A domain from its JSON."""
    if told.get("values") is not None:
        return Values(tuple(told["values"]))
    low, high = map(Fraction, told["bounds"])
    return Bounds(low, high, Fraction(told["step"]))
