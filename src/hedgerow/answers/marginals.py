"""Several contingency tables at one price: all ways to choose k columns, or a list of tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from hedgerow.answers.counts import (
    Counted,
    count_part,
    outside_notes,
    require_counted,
    require_different,
    shown_counts,
    told_count,
)
from hedgerow.answers.design import (
    AnswerTable,
    Design,
    NoiseDescription,
    Numbers,
    asked_by,
    delta_notes,
    dense,
)
from hedgerow.answers.public_knowledge import Labelled, Public, require_few
from hedgerow.answers.sensitivity import NOTHING, Noise, Untouched, mover, noise_for, tables_under
from hedgerow.base.errors import PlanError, some
from hedgerow.engines.base import Table
from hedgerow.engines.tally import Tally
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.calibration import AnswerPart
from hedgerow.noise.measures import Loss
from hedgerow.noise.neighbours import Neighbours
from hedgerow.noise.rounding import whole
from hedgerow.plan.privacy import MOST_TABLES


@dataclass(frozen=True, kw_only=True)
class Marginals:
    """Contingency tables over some columns each, all with the same noise."""

    tables: tuple[tuple[str, ...], ...]
    where: str | None = None
    of: Counted = "people"

    @classmethod
    def ways(
        cls, columns: Sequence[str], ways: int, *, where: str | None = None, of: Counted = "people"
    ) -> Marginals:
        """All tables over so many of the columns.

        >>> Marginals.ways(["a", "b", "c"], 2).tables
        (('a', 'b'), ('a', 'c'), ('b', 'c'))
        """
        if whole("ways", ways) > len(columns):
            raise PlanError(f"there are no {ways} columns to choose, only {len(columns)}")
        require_different(columns)
        return cls(tables=tuple(combinations(columns, ways)), where=where, of=of)

    def asked(self) -> dict[str, Any]:
        return {
            "ask": "marginals",
            "of": self.of,
            "tables": [list(table) for table in self.tables],
            "where": self.where,
        }

    def words(self) -> str:
        if len(self.tables) == 1:
            words = f"the contingency table of {' × '.join(self.tables[0])}"
        else:
            named = list(dict.fromkeys(by for table in self.tables for by in table))
            words = f"{len(self.tables):,} contingency tables of {some(named)}"
        return asked_by(words if self.of == "people" else f"{words}, in rows", (), self.where)

    def design(self, public: Public, loss: Loss) -> Design:
        return self.tabulating(public, loss)

    def tabulating(self, public: Public, loss: Loss) -> Tabulating:
        """The design, with the types a release needs."""
        require_counted(self.of)
        condition = public.condition(self.where)
        if not self.tables:
            raise PlanError("no table is asked for", fix="Name columns.")
        if len(self.tables) > MOST_TABLES:
            raise PlanError(f"{len(self.tables):,} tables are more than {MOST_TABLES:,}")
        for table in self.tables:
            require_different([public.named(by)[0] for by in table])
        cells = {by: public.cells(by) for table in self.tables for by in table}
        return Tabulating(
            tables=tuple(tuple(cells[by] for by in table) for table in self.tables),
            base=Tally(where=condition, count=self.of, most=public.neighbours.rows),
            neighbours=public.neighbours,
            price=loss,
            stated=public.stated,
            rules=public.counts(self.of),
        )


@dataclass(frozen=True, kw_only=True)
class Tabulating:
    """Counts of all cells of all tables, with noise of one scale.

    Tables that follow from what a policy declares known are exact, and cost nothing.

    Guarantee: a person changes the counts of each table by what `count_part` says, and those of
    all tables by as many times that as there are tables.
    """

    tables: tuple[tuple[Labelled, ...], ...]
    base: Tally
    neighbours: Neighbours
    price: Loss
    stated: Stated | None = None
    rules: tuple[str, ...] = ()
    """Which rows count, to be told."""

    @cached_property
    def part(self) -> AnswerPart:
        """What one person, or one edge, changes in all tables together."""
        sizes = [require_few([len(one.labels) for one in table]) for table in self.tables]
        require_few([sum(sizes)])
        noisy = [
            (tally, count_part(self.neighbours, size, of=self.base.count))
            for tally, size, known in zip(self.tallies, sizes, self.known, strict=True)
            if not known
        ]
        return tables_under(self.stated, [t for t, _ in noisy], [part for _, part in noisy])

    @cached_property
    def known(self) -> tuple[bool, ...]:
        """Of each table whether what everybody knows decides it."""
        stated = self.stated
        return tuple(stated is not None and stated.implies(tally) for tally in self.tallies)

    @cached_property
    def _noise(self) -> tuple[tuple[Noise, ...], Loss]:
        return noise_for(self.price, [self.part])

    @property
    def mechanism(self) -> Noise:
        """Of the tables that are not known."""
        return self._noise[0][0]

    @property
    def mechanisms(self) -> tuple[Noise, ...]:
        """Of each table."""
        return tuple(Untouched() if known else self.mechanism for known in self.known)

    @property
    def loss(self) -> Loss:
        return self._noise[1]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return tuple(
            Tally(
                where=self.base.where,
                by=tuple(one.cells for one in table),
                count=self.base.count,
                most=self.base.most,
            )
            for table in self.tables
        )

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        who = mover(self.stated)
        if not any(self.known):
            return (told_count(self.mechanism, self.part, "each count of each table", who),)
        told = [told_count(Untouched(), NOTHING, self._counts_of(known=True), who)]
        if not all(self.known):
            counts = self._counts_of(known=False)
            told.append(told_count(self.mechanism, self.part, counts, who))
        return tuple(told)

    def _counts_of(self, *, known: bool) -> str:
        both = zip(self.tables, self.known, strict=True)
        tables = [table for table, is_known in both if is_known is known]
        named = ", ".join(" × ".join(one.cells.column for one in table) for table in tables)
        return f"each count of {named}"

    @property
    def notes(self) -> tuple[str, ...]:
        different = {one.cells.column: one for table in self.tables for one in table}
        outside = outside_notes(tuple(different.values()))
        return (*self.rules, *outside, *delta_notes(self.loss))

    @property
    def details(self) -> Mapping[str, Any]:
        return {}

    def read(self, counted: Sequence[Table]) -> tuple[Numbers, ...]:
        return tuple(
            dense(found, [len(one.labels) for one in table])
            for found, table in zip(counted, self.tables, strict=True)
        )

    def noisy(self, exact: tuple[Numbers, ...]) -> tuple[Numbers, ...]:
        return tuple(m.release(one) for m, one in zip(self.mechanisms, exact, strict=True))

    def best(self, exact: tuple[Numbers, ...]) -> tuple[Numbers, ...]:
        return exact

    def shown(self, numbers: tuple[Numbers, ...]) -> tuple[AnswerTable, ...]:
        return tuple(
            shown_counts(table, one, mechanism)
            for table, one, mechanism in zip(self.tables, numbers, self.mechanisms, strict=True)
        )
