"""A policy as a plan states it: graphs over public codes, and what questions change along an edge.

Every row has a code in each column with a public domain, one more than the domain has: the last
code is that of whatever is not in the domain (missing, on no list, no number). Two rows are
neighbours if in at most `at_once` parts of the policy they differ, in each of them within one code
or along an edge. So what is not decided by codes is protected as if everything could change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from hedgerow.blowfish import words
from hedgerow.blowfish.base import Flags, Graph, Ints, relabelled
from hedgerow.blowfish.constraints import Constraints
from hedgerow.blowfish.graphs import Full, Partition, Threshold
from hedgerow.blowfish.points import Grid, Near
from hedgerow.blowfish.policy import Policy
from hedgerow.blowfish.settled import by_column, settled, size
from hedgerow.canonical import digest
from hedgerow.conditions import And, Condition, Not, Or
from hedgerow.domain import Bounds, Domain, decimal
from hedgerow.dp.measures import Pure
from hedgerow.errors import PlanError
from hedgerow.tally import AsFound, Cells, Listed, Spaced, Summed, Tally

FORMAT = "hedgerow-policy/1"
"""What is hashed of a policy; a change of it makes every policy another one."""
MOST_SPELT = 10_000
"""Values of a column that are spelled out in words or pictures."""
MOST_KINDS = 1_000_000
"""Combinations of values that are looked at for known counts."""

Known = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Stated:
    """A policy over a table's columns.

    Guarantee: what is said of a tally holds for all neighbours, whatever values the rows have.
    Assumes: each row is a person; the tally reads values as its docstring says. Two numbers
    between steps are joined where the steps under them are, and under a threshold only if they
    themselves, held within the bounds, are within it.
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

    @cached_property
    def digest(self) -> str:
        """Equal for equal policies: what the ledger knows them by."""
        every = len(self.policy.parts) + len(self.others)
        return digest(
            {
                "format": FORMAT,
                "parts": sorted([list(names), _spelt(graph)] for names, graph in self.policy.parts),
                "at_once": self.at_once if (self.at_once or every) < every else None,
                "domains": {name: _values(domain) for name, domain in self.domains.items()},
                "known": sorted(self.known),
                "others": sorted(self.others),
                "marginals": sorted(sorted(table) for table in self.marginals),
                "counts": sorted(map(str, self.counts)),
            }
        )

    @property
    def name(self) -> str:
        """As people call it: the first digits."""
        return self.digest[:8]

    def graph(self, column: str) -> Graph | None:
        """The graph of a column that has codes of its own."""
        return self.policy.graph(column) if column in self.domains else None

    def part_of(self, column: str) -> tuple[str, ...]:
        """The columns that change together with a column: the policy's part, or it alone."""
        for columns, _ in self.policy.parts:
            if column in columns:
                return columns
        return (column,)

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
            domain = self.domains.get(columns[0])
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
        if self.changed > 1:
            lines.append(
                f"Not protected: what everybody knows ({self._told()}). Noise is for neighbours "
                f"that agree with it: up to {self.changed} rows differ, one of them along an edge. "
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
        return "; ".join([*tables, *(f"how many have {count}" for count in self.counts)])

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
                "The factor is for neighbours as above; with what is known, paths of several "
                "steps may not exist, and then nothing is promised farther away."
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
        graph = self.graph(column)
        if column in self.known:
            return False
        if graph is None:
            return True
        may, may_not = settled(condition, self.domains[column])
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
        codes = None if graph is None else self._cells(cells)
        if graph is None or codes is None:
            return several, True
        between, leaving = graph.crossing(codes)
        return bool(between), bool(leaving)

    def _cells(self, cells: Cells) -> Ints | None:
        """The cell of each code, -1 being none; None where codes do not decide."""
        domain = self.domains[cells.column]
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
        graph = self.graph(column)
        domain = self.domains.get(column)
        if column in self.known:
            return 0
        if graph is None or not isinstance(domain, Bounds):
            return width
        assert domain.step is not None, "else it had no codes"
        if isinstance(graph, Threshold):
            return min(ceil(graph.within * domain.step / summed.unit), width)
        lows = [ceil((domain.low + i * domain.step) / summed.unit) for i in range(domain.cells)]
        # Within a step, numbers lie up to a step apart; the last code has no number.
        along = graph.spread(np.array([*lows, lows[-1]], np.int64))
        return min(along + ceil(domain.step / summed.unit) + 1, width)

    # What everybody knows

    @cached_property
    def changed(self) -> int:
        """In at most so many rows neighbours differ that agree with what is known.

        One of them moves along an edge, the others anywhere.

        Raises:
            PlanError: There are too many combinations of values to find out.
        """
        if not any(self.noticed(count) for count in self.counts) and not any(
            self._marginal_noticed(columns) for columns in self.marginals
        ):
            return 1
        every = [c for columns in self.marginals for c in columns]
        every += [c for count in self.counts for c in count.columns]
        columns = list(dict.fromkeys(every))
        shape = [size(self.domains[column]) for column in columns]
        if np.prod(shape, dtype=object) > MOST_KINDS:
            raise PlanError(
                f"what is known is about {int(np.prod(shape, dtype=object)):,} combinations of "
                f"values, and at most {MOST_KINDS:,} can be looked at",
                fix="Name fewer columns, or columns with fewer values.",
            )
        codes = dict(zip(columns, np.indices(shape).reshape(len(shape), -1), strict=True))
        rows = [self._met(count, codes) for count in self.counts]
        for names in self.marginals:
            cell = np.ravel_multi_index(
                [codes[name] for name in names], [size(self.domains[name]) for name in names]
            )
            rows += [cell == kind for kind in np.unique(cell)]
        kinds = np.unique(np.array(rows, np.bool_), axis=1)
        counts = tuple(tuple(row.tolist()) for row in kinds)
        return Constraints(Full(kinds.shape[1]), counts).changed

    def _marginal_noticed(self, columns: tuple[str, ...]) -> bool:
        graphs = [self.policy.graph(column) for column in columns if column not in self.known]
        return any(graph.diameter for graph in graphs)

    def _met(self, condition: Condition, codes: Mapping[str, Ints]) -> Flags:
        """Whether each combination of codes meets a filter that codes decide."""
        if len(condition.columns) == 1:
            (column,) = condition.columns
            may, may_not = settled(condition, self.domains[column])
            if (may & may_not).any():
                raise PlanError(
                    f"whether a row meets {str(condition)!r} is not decided by the public values "
                    f"of {column!r}",
                    fix="Name values of the domain, or ends of its steps (age >= 40).",
                )
            return np.asarray(may[codes[column]])
        match condition:
            case Not(part):
                return ~self._met(part, codes)
            case And(parts):
                return np.asarray(np.all([self._met(part, codes) for part in parts], axis=0))
            case Or(parts):
                return np.asarray(np.any([self._met(part, codes) for part in parts], axis=0))
        raise AssertionError("a comparison is about one column")


def _spelt(graph: Graph) -> list[Any]:
    """A graph as JSON: equal for graphs that are written alike, whatever the blocks are called."""
    match graph:
        case Full():
            return ["full", graph.size]
        case Partition():
            return ["partition", relabelled(np.array(graph.blocks, np.int64)).tolist()]
        case Threshold():
            return ["within", graph.positions.tolist(), graph.within]
        case Near():
            return ["near", list(map(list, graph.points)), str(graph.within), graph.metric]
        case Grid():
            return ["grid", list(graph.shape), graph.within, graph.metric]
    return ["pairs", graph.size, graph.edges().tolist()]


def _values(domain: Domain) -> list[Any]:
    if isinstance(domain, Bounds):
        return ["bounds", str(domain.low), str(domain.high), str(domain.step)]
    return ["values", list(domain.values)]
