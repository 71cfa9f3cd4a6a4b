"""A policy as a plan states it: graphs over public codes, and what questions change along an edge.

Every row has a code in each column with a public domain, one more than the domain has: the last
code is that of whatever is not in the domain (missing, on no list, no number). Two rows are
neighbours if in at most `at_once` parts of the policy they differ, in each of them within one code
or along an edge. So what is not decided by codes is protected as if everything could change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, lcm

import numpy as np

from hedgerow.base.canonical_json import digest
from hedgerow.base.conditions import Condition
from hedgerow.base.errors import PlanError
from hedgerow.engines.tally import AsFound, Cells, Listed, Spaced, Summed, Tally
from hedgerow.noise.blowfish import words
from hedgerow.noise.blowfish.constrained_distance import few, most_changed, too_tied
from hedgerow.noise.blowfish.exact_release import ExactRelease
from hedgerow.noise.blowfish.filter_outcomes import by_column, settled, size
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold
from hedgerow.noise.blowfish.implied_counts import FilteredCounts, implied
from hedgerow.noise.blowfish.listed_graphs import Explicit, Near
from hedgerow.noise.blowfish.policy import Part, Policy
from hedgerow.noise.blowfish.projection import projected
from hedgerow.noise.blowfish.secret_graph import LARGEST, Graph, Ints
from hedgerow.noise.blowfish.serialisation import spelt_domain, spelt_graph
from hedgerow.noise.measures import Pure
from hedgerow.table.domain import Bounds, Domain, decimal

FORMAT = "hedgerow-policy/1"
"""What is hashed of a policy; a change of it makes every policy another one."""
MOST_SPELT = 10_000
"""Values of a column that are spelled out in words or pictures."""

Known = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Stated:
    """A policy over a table's columns.

    Guarantee: what is said of a tally holds for all neighbours, whatever values the rows have.
    Assumes: each row is a person; the tally reads values as its docstring says. Two numbers
    between steps are joined where the steps under them are, and under a threshold (of one column,
    or of several in L1 or L2) only if they themselves, held within the bounds, are within it.
    Where columns share a graph, rows that lack some of the numbers are joined as
    `hedgerow.noise.blowfish.projection` says.
    """

    policy: Policy
    domains: Mapping[str, Domain]
    """Of the columns with codes and a graph of their own."""
    known: frozenset[str] = frozenset()
    """Columns of which nothing at all is protected."""
    others: tuple[str, ...] = ()
    """Columns without public values: protected altogether."""
    marginals: Known = ()
    """Of which columns, together, everybody knows how many rows have which values."""
    counts: tuple[Condition, ...] = ()
    """Of which filters everybody knows how many rows meet them."""
    at_once: int | None = None
    """In how many parts, and columns without public values, neighbours may differ; None: all."""
    sides: Mapping[str, Domain] = field(default_factory=dict)
    """Of the columns that share a graph with others: their steps make its points."""
    releases: tuple[ExactRelease, ...] = ()
    """Earlier releases without noise, whose counts everybody knows."""
    coarser: tuple[str, ...] = ()
    """Where less is protected than was asked for, in words; no part of the policy itself."""

    @cached_property
    def digest(self) -> str:
        """Equal for equal policies: what the ledger knows them by."""
        every = len(self.policy.parts) + len(self.others)
        return digest(
            {
                "format": FORMAT,
                "parts": sorted(
                    [list(names), spelt_graph(graph)] for names, graph in self.policy.parts
                ),
                "at_once": self.at_once if (self.at_once or every) < every else None,
                "domains": {
                    name: spelt_domain(domain)
                    for name, domain in {**self.domains, **self.sides}.items()
                },
                "known": sorted(self.known),
                "others": sorted(self.others),
                "marginals": sorted(sorted(table) for table in self.marginals),
                "counts": sorted(map(str, self.counts)),
                # Where no edge changes what they tell, neighbours are those without them.
                **({"releases": self._released} if self.releases and self.changed > 1 else {}),
            }
        )

    @property
    def _released(self) -> list[str]:
        return sorted(release.digest for release in self.releases)

    @property
    def name(self) -> str:
        """As people call it: the first digits."""
        return self.digest[:8]

    def domain(self, column: str) -> Domain | None:
        """The public values of a column that has codes."""
        return self.domains.get(column, self.sides.get(column))

    def graph(self, column: str) -> Graph | None:
        """The graph of a column that has codes; where it shares one, what it sees of that."""
        if column in self.domains:
            return self.policy.graph(column)
        return self._projected.get(column)

    @cached_property
    def _projected(self) -> dict[str, Graph]:
        found: dict[str, Graph] = {}
        for columns, graph in self.policy.parts:
            sides = [self.sides[column] for column in columns if column in self.sides]
            if len(columns) > 1 and len(sides) == len(columns):
                # The last code is that of what is no number; points have none.
                cells = [size(side) - 1 for side in sides]
                found |= {c: projected(graph, cells, axis) for axis, c in enumerate(columns)}
        return found

    def part_of(self, column: str) -> tuple[str, ...]:
        """The columns that change together with a column: the policy's part, or it alone."""
        for columns, _ in self.policy.parts:
            if column in columns:
                return columns
        return (column,)

    def inside(self) -> Policy:
        """The policy over the values of the domains alone, without the code for anything else.

        For whoever takes each number as the step under it, and what is no number as some number:
        the code left out is joined to all others or to none, so that no edge is lost.

        Raises:
            PlanError: What is known ties rows together: no policy by itself says so.
        """
        if self.changed > 1:
            raise PlanError(
                f"with what is known, neighbours differ in up to {self.changed} rows, which a "
                "policy without it does not cover",
                fix="Leave `known` counts out only if nobody knows them; else ask for counts, "
                "sums or ranges.",
            )
        parts: dict[Part, Graph] = {
            columns: _without_last(graph) if columns[0] in self.domains else graph
            for columns, graph in self.policy.parts
        }
        return Policy(parts, at_once=self.policy.at_once)

    # In words

    @property
    def labels(self) -> dict[str, tuple[str | None, ...]]:
        """How the values of each column are spelled, by code; not where they are very many."""
        found: dict[str, tuple[str | None, ...]] = {}
        for column, domain in self.domains.items():
            if size(domain) > MOST_SPELT:
                continue
            if isinstance(domain, Bounds):
                assert domain.step is not None, "else it had no codes"
                spelt = [decimal(domain.low + i * domain.step) for i in range(domain.cells)]
                found[column] = (*spelt, "no number")
            else:
                found[column] = (*domain.values, "anything else")
        return found

    @property
    def units(self) -> dict[str, str]:
        """What each column's graph counts in."""
        found = {}
        for columns, _ in self.policy.parts:
            domain = self.domain(columns[0])
            step = domain.step if isinstance(domain, Bounds) else None
            found[columns[0]] = "steps" if step is None else f"steps of {decimal(step)}"
        return found

    def not_protected(self) -> tuple[str, ...]:
        """What may be published exactly, or is not promised: to be said before all else."""
        *lines, _ = words.not_protected(self.policy, labels=self.labels)
        hidden = [column for column in self.known if column not in self.domains]
        lines += [f"Not protected: anything about {column}." for column in sorted(hidden)]
        for columns, _ in self.policy.parts:
            if len(columns) > 1:
                joined = " and ".join(columns)
                lines.append(f"Not protected: whether somebody's {joined} are numbers at all.")
        lines += [f"Not protected: {line}" for line in self.coarser]
        if self.changed > 1:
            lines.append(
                f"Not protected: what everybody knows ({self._told()}). Noise is for neighbours "
                f"that agree with it: up to {self.changed} rows differ, one of them along an edge. "
                "Where what is known leaves no other table, nothing is hidden, not even one edge. "
                "What is known and not listed may break the promise."
            )
        elif self.marginals or self.counts:
            lines.append(
                f"Not protected: what everybody knows ({self._told()}); no edge changes it, so it "
                "costs nothing."
            )
        return tuple(lines)

    def _told(self) -> str:
        tables = [f"the counts of {' × '.join(table)}" for table in self.marginals]
        counts = [f"how many have {count}" for count in self.counts]
        return "; ".join([*tables, *counts, *map(str, self.releases)])

    def protected(self, loss: Pure | None = None) -> tuple[str, ...]:
        """What must not be told apart, and by which factor it may be."""
        lines = list(words.protected(self.policy, loss=loss, units=self.units))
        if self.others:
            lines.append(
                f"Protected: everything about {', '.join(self.others)}, of which no values are "
                "public: questions about it have the noise of change-one differential privacy."
            )
        if self.changed > 1:
            lines.append(
                "Every factor is for tables that agree with what is known, where there are such; "
                "with it, one edge or a path of several may not exist, and then nothing is "
                "promised."
            )
        lines.append(
            "Every factor is for one row. People whose rows go together are told apart by as much "
            "more."
        )
        return tuple(lines)

    # What an edge changes

    def noticed(self, condition: Condition) -> bool:
        """Whether a row may meet a filter and a neighbouring one not."""
        return any(self._noticed_by(part) for part in by_column(condition))

    def _noticed_by(self, condition: Condition) -> bool:
        (column,) = condition.columns
        if column in self.known:
            return False
        graph, domain = self.graph(column), self.domain(column)
        if graph is None or domain is None:
            return True
        may, may_not = settled(condition, domain)
        return bool((may & may_not).any()) or any(graph.crossing(np.where(may, 0, -1)))

    def moves(self, tally: Tally) -> tuple[bool, bool]:
        """Whether an edge takes a row from one cell of a tally to another, and in or out of all."""
        between = leaving = False
        for cells in tally.by:
            two, one = self._crossed(cells)
            between |= two
            leaving |= one
        for summed in tally.sums:
            leaving |= self._crossed(Spaced(summed.column, Fraction(0), Fraction(1), 1))[1]
        if tally.where is not None:
            leaving |= self.noticed(tally.where)
        return between, leaving

    def _crossed(self, cells: Cells) -> tuple[bool, bool]:
        graph = self.graph(cells.column)
        if cells.column in self.known:
            return False, False
        several = isinstance(cells, AsFound) or cells.cells > 1
        codes = None if graph is None else self.cells_of(cells)
        if graph is None or codes is None:
            return several, True
        between, leaving = graph.crossing(codes)
        return bool(between), bool(leaving)

    def cells_of(self, cells: Cells) -> Ints | None:
        """The cell of each code, -1 being none; None where codes do not decide."""
        domain = self.domain(cells.column)
        if domain is None:
            return None
        found = np.full(size(domain), -1, np.int64)
        if isinstance(cells, Spaced) and isinstance(domain, Bounds):
            if cells.cells == 1:
                found[:-1] = 0
                return found
            assert domain.step is not None, "else it had no codes"
            wide = cells.step / domain.step
            if cells.low != domain.low or wide.denominator != 1:
                return None
            found[:-1] = np.minimum(np.arange(domain.cells) // int(wide), cells.cells - 1)
            return found
        if isinstance(cells, Listed) and not isinstance(domain, Bounds):
            if cells.values != domain.values:
                return None
            found[:-1] = np.arange(len(domain.values))
            return found
        return None

    def spread(self, summed: Summed) -> int:
        """The most by which a row's number changes along an edge, in units of a sum."""
        column, width = summed.column, summed.high - summed.low
        if column in self.known:
            return 0
        graph, domain = self.graph(column), self.domain(column)
        if graph is None or not isinstance(domain, Bounds):
            return width
        assert domain.step is not None, "else it had no codes"
        if isinstance(graph, Threshold) and not self._on_earth(column):
            along = ceil(graph.within * domain.step / summed.unit)
            # Bounds between two units are held one unit farther out for what lies beyond them.
            above = summed.high - _nearest(domain.high / summed.unit)
            below = _nearest(domain.low / summed.unit) - summed.low
            return min(along + max(above, 0) + max(below, 0), width)
        lows = _units_above(domain.low / summed.unit, domain.step / summed.unit, domain.cells)
        if lows is None:
            return width
        # Within a step, numbers lie up to a step apart; the last code has no number.
        along = graph.spread(np.append(lows, lows[-1]))
        return min(along + ceil(domain.step / summed.unit) + 1, width)

    def _on_earth(self, column: str) -> bool:
        """Whether the points under numbers are joined, however near the numbers themselves are."""
        return any(isinstance(g, Near) for columns, g in self.policy.parts if column in columns)

    # What everybody knows

    @cached_property
    def changed(self) -> int:
        """In at most so many rows neighbours differ that agree with what is known.

        One of them moves along an edge, the others anywhere.

        Raises:
            PlanError: There are too many combinations of values to find out, or too many rows.
        """
        if not (
            any(self.noticed(count) for count in self.counts)
            or any(self._marginal_noticed(columns) for columns in self.marginals)
            or any(self._release_noticed(release) for release in self.releases)
        ):
            return 1
        if not self.releases:
            return most_changed(self.domains, self.marginals, self.counts)
        first, *others = self.releases
        if others or self.marginals or self.counts:
            raise too_tied(f"several things are known that overlap ({self._told()})")
        if first.changed is None:
            raise too_tied(f"of {first.name}, {first.why}")
        return few(first.changed)

    def implies(self, tally: Tally) -> bool:
        """Whether what everybody knows decides every count of a tally."""
        by: dict[str, Ints] = {}
        numbers = [Spaced(summed.column, Fraction(0), Fraction(1), 1) for summed in tally.sums]
        for cells in (*tally.by, *numbers):
            codes = self.cells_of(cells) if cells.column in self.domains else None
            if codes is None:
                return False
            # Of cells and of numbers: a row counts if it is in a cell and has a number.
            other = by.get(cells.column)
            by[cells.column] = codes if other is None else np.where(codes < 0, -1, other)
        return implied(FilteredCounts(tally.where, by), self.domains, self.marginals, self.counts)

    def _release_noticed(self, release: ExactRelease) -> bool:
        """Whether a row along an edge may fit other cells of a release than before."""
        if release.columns is None:
            return True
        return any(self._label_noticed(release, column) for column in release.columns)

    def _label_noticed(self, release: ExactRelease, column: str) -> bool:
        if column in self.known:
            return False
        # Of a column this plan does not have, nobody knows what else it was made from.
        graph, classes = self.graph(column), release.classes.get(column)
        return graph is None or classes is None or any(graph.crossing(classes))

    def _marginal_noticed(self, columns: tuple[str, ...]) -> bool:
        graphs = [self.policy.graph(column) for column in columns if column not in self.known]
        return any(graph.diameter for graph in graphs)


def _without_last(graph: Graph) -> Graph:
    match graph:
        case Full():
            return Full(graph.size - 1)
        case Partition():
            return Partition(graph.blocks[:-1])
        case Threshold():
            return Threshold(graph.at[:-1], graph.within)
    pairs = graph.edges()
    kept = pairs[pairs[:, 1] < graph.size - 1]
    return Explicit(graph.size - 1, tuple((int(a), int(b)) for a, b in kept))


def _nearest(number: Fraction) -> int:
    return floor(number + Fraction(1, 2))


def _units_above(low: Fraction, step: Fraction, cells: int) -> Ints | None:
    """The whole number above (or at) each of so many numbers; None where they do not fit.

    >>> _units_above(Fraction(1, 2), Fraction(1, 3), 4)
    array([1, 1, 2, 2])
    """
    parts = lcm(low.denominator, step.denominator)
    if parts * (cells + 1) > LARGEST or abs(low) + step * cells > LARGEST:
        return None
    (whole, rest), (more, left) = divmod(int(low * parts), parts), divmod(int(step * parts), parts)
    i = np.arange(cells, dtype=np.int64)
    found: Ints = whole + i * more - (-(rest + i * left) // parts)
    return found
