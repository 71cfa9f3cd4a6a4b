"""What a design hands to the samplers, and from it the exact law of what comes out.

The samplers are replaced; everything before and after them is the code that runs. Additive
noise is looked at by the values and scales it is asked for. Choices are walked through one by
one, each with its exact probability, so that later choices may depend on earlier ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from noise import oracle

from hedgerow.answers.design import Design
from hedgerow.answers.public_knowledge import Public
from hedgerow.engines import open_engine
from hedgerow.engines.tally import Listed, Tally
from hedgerow.noise import samplers
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.table.domain import Bounds, Domain, Values

WORLD = "w"
"""The column that says which of many tables a row is in."""
Row = Mapping[str, Any]
KINDS = (Neighbouring.ADD_REMOVE, Neighbouring.CHANGE_ONE)


@dataclass(frozen=True)
class Added:
    """Noise that was asked for."""

    kind: str
    values: tuple[int, ...]
    scale: Fraction


def public(kind: Neighbouring, rows: int, domains: Mapping[str, Domain], *others: str) -> Public:
    """What everybody knows of a table with these columns, and of its worlds."""
    columns = (*domains, *others, "p", WORLD)
    return Public(columns, domains, Neighbours(kind=kind, rows=rows), {})


def values(*given: str | None) -> Values:
    return Values(given)


def bounds(low: Any, high: Any, step: Any = None) -> Bounds:
    exact = [None if x is None else Fraction(str(x)) for x in (low, high, step)]
    return Bounds(*exact)  # type: ignore[arg-type]


def added(design: Design, exact: Any) -> list[Added]:
    """All additive noise of a design, in order."""
    found = []

    def add(kind: str, given: Any, scale: float) -> Any:
        found.append(Added(kind, tuple(map(int, given)), Fraction(scale)))
        return np.array(given, np.int64)

    with patch.object(samplers, "_add", add):
        design.noisy(exact)
    return found


def blind(design: Design, exact: Any) -> str:
    """All that is made of exact numbers if the sampler answers 0, whatever it is handed.

    The same for all tables, or something gets past the sampler.
    """
    with patch.object(samplers, "_add", lambda kind, given, scale: np.zeros(len(given), np.int64)):
        noisy = design.noisy(exact)
    return f"{noisy!r} {design.shown(noisy)!r}"


def law(design: Design, exact: Any) -> oracle.Distribution:
    """The exact distribution of what a design of choices makes of exact numbers."""
    found: oracle.Distribution = {}
    left: list[tuple[Any, ...]] = [()]
    while left:
        path = Path(left.pop(), left)
        with patch.object(samplers, "_choose", path.choose):
            told = tuple(np.asarray(design.noisy(exact)).ravel().tolist())
        found[told] = found.get(told, Fraction(0)) + path.chance
    assert abs(sum(found.values()) - 1) < oracle.EXACT
    return found


class Path:
    """Choices that are decided, and after them always the first; the others are left for later."""

    def __init__(self, decided: tuple[Any, ...], left: list[tuple[Any, ...]]) -> None:
        self.decided, self.left = decided, left
        self.taken: list[Any] = []
        self.chance = Fraction(1)

    def choose(self, kind: str, scores: Any, scale: float, top: int) -> Any:
        # A choice depends on differences of scores alone.
        best = int(max(scores))
        claimed = chosen(kind, tuple(int(s) - best for s in scores), Fraction(scale), top)
        if len(self.taken) < len(self.decided):
            one = self.decided[len(self.taken)]
        else:
            one, *others = claimed
            self.left.extend((*self.taken, other) for other in others)
        self.taken.append(one)
        self.chance = oracle.short(self.chance * claimed[one])
        return one


@cache
def chosen(kind: str, scores: tuple[int, ...], scale: Fraction, top: int) -> oracle.Distribution:
    """The law of one choice, as tuples of places."""
    exact = [Fraction(s) for s in scores]
    if kind == "exponential":
        return oracle.noisy_top(dict(enumerate(exact)), scale, top)
    assert (kind, top) == ("gumbel", 1)
    return {(i,): p for i, p in oracle.exponential(exact, scale).items()}


@dataclass(frozen=True)
class Worlds:
    """Many small tables in one, counted by the engine in one go: each is a world of its own."""

    source: pa.Table
    many: int
    person: str | None

    @classmethod
    def of(cls, tables: Sequence[Sequence[Row]], *, person: bool) -> Worlds:
        """Nobody is in two worlds, so people are bounded in each by themselves."""
        rows = [
            {**row, WORLD: str(place)}
            | ({"p": None if row["p"] is None else f"{place} {row['p']}"} if person else {})
            for place, table in enumerate(tables)
            for row in table
        ]
        names = list(dict.fromkeys(name for row in rows for name in row))
        source = pa.table({n: pa.array([r[n] for r in rows], pa.string()) for n in names})
        return cls(source, len(tables), "p" if person else None)

    def exact(self, designs: Sequence[Design]) -> list[list[Any]]:
        """The exact numbers of every design in every world."""
        with open_engine(self.source, person=self.person) as engine:
            found = []
            for design in designs:
                split = [self._split(engine, tally) for tally in design.tallies]
                found.append([design.read(counted) for counted in zip(*split, strict=True)])
        return found

    def _split(self, engine: Any, tally: Tally) -> list[pa.Table]:
        world = Listed(WORLD, tuple(map(str, range(self.many))))
        counted = engine.tally(replace(tally, by=(world, *tally.by)))
        codes = counted.column("k0").to_numpy()
        keys = [f"k{i}" for i in range(len(tally.by))]
        others = [n for n in counted.column_names if not n.startswith("k")]
        columns = [counted.column(f"k{i + 1}") for i in range(len(keys))]
        columns += [counted.column(n) for n in others]
        moved = pa.table(columns, names=[*keys, *others])
        starts = np.searchsorted(codes, np.arange(self.many + 1))
        return [moved.slice(a, b - a) for a, b in itertools.pairwise(starts)]


def untouched(design: Any, exact: Any) -> Any:
    """What comes out of an answer whose noise would swallow everything: the rest is exact."""
    with patch.object(samplers, "_add", lambda kind, given, scale: np.zeros(len(given), np.int64)):
        made = design.noisy(exact)
    parts = made if isinstance(made, tuple) else (made,)
    return tuple(tuple(np.asarray(part).tolist()) for part in parts)


def lost(drawn: list[Any], other: list[Any]) -> Fraction:
    """The loss between two worlds by their noise alone: epsilon, or rho."""
    found = Fraction(0)
    for a, b in zip(drawn, other, strict=True):
        assert (a.kind, a.scale) == (b.kind, b.scale)
        off = [abs(x - y) for x, y in zip(a.values, b.values, strict=True)]
        if a.kind == "laplace":
            found += sum(off) / a.scale
        else:
            found += sum(z * z for z in off) / (2 * a.scale**2)
    return found
