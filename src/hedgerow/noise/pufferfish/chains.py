"""Markov chains as data-generating distributions: exact rows, exact stationary distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Literal

from hedgerow.base.errors import PlanError
from hedgerow.noise.pufferfish.scenario import Scenario
from hedgerow.noise.rounding import Number, exact, whole

MOST_WORLDS = 100_000
"""Sequences that are written out one by one."""

Row = tuple[Fraction, ...]


@dataclass(frozen=True, init=False)
class Chain:
    """How a sequence of states X_1, X_2, ... may come about: each depends on the one before.

    Args:
        transition: Row x: the probabilities of the next state after state x.
        initial: The distribution of X_1; "stationary" for the one that stays as it is; "any" to
            be protected whatever it is.

    Raises:
        PlanError: Not square, a row does not add up to exactly 1, or there is no single
            stationary distribution where one is asked for.

    >>> weather = Chain([["0.9", "0.1"], ["0.4", "0.6"]], initial="stationary")
    >>> weather.initial
    (Fraction(4, 5), Fraction(1, 5))
    """

    transition: tuple[Row, ...]
    initial: Row | None
    """None for any at all."""

    def __init__(
        self,
        transition: Sequence[Sequence[Number]],
        *,
        initial: Sequence[Number] | Literal["stationary", "any"],
    ) -> None:
        k = len(transition)
        if not k or any(len(row) != k for row in transition):
            raise PlanError("a chain needs as many rows as columns, and at least one")
        rows = tuple(_row(f"row {x} of the chain", row) for x, row in enumerate(transition))
        object.__setattr__(self, "transition", rows)
        first: Row | None
        if isinstance(initial, str):
            if initial not in ("stationary", "any"):
                raise PlanError(f"a chain starts from numbers, stationary or any, not {initial!r}")
            first = self.stationary if initial == "stationary" else None
        else:
            first = _row("the initial distribution", initial)
            if len(first) != k:
                raise PlanError(f"the initial distribution has {len(first)} states, the chain {k}")
        object.__setattr__(self, "initial", first)

    @property
    def states(self) -> int:
        return len(self.transition)

    @property
    def is_stationary(self) -> bool:
        """Whether every X_i has the distribution of X_1; checked exactly."""
        if self.initial is None:
            return False
        first = self.initial
        columns = zip(*self.transition, strict=True)
        return all(
            sum((p * q for p, q in zip(first, column, strict=True)), Fraction(0)) == first[y]
            for y, column in enumerate(columns)
        )

    @cached_property
    def stationary(self) -> Row:
        """The stationary distribution, exactly; states that are left for ever have none of it.

        States are taken out one by one, their ways through given to the others; then put back.

        Raises:
            PlanError: There are several.
        """
        k = self.states
        p = [list(row) for row in self.transition]
        order = self._home_first()
        for n in range(k - 1, 0, -1):
            out = order[n]
            left = [order[m] for m in range(n)]
            leaves = sum((p[out][x] for x in left), Fraction(0))
            if not leaves:
                raise PlanError(
                    "the chain has several stationary distributions",
                    fix="Give the initial distribution, or say any.",
                )
            for x in left:
                if p[x][out]:
                    through = p[x][out] / leaves
                    for y in left:
                        p[x][y] += through * p[out][y]
        weight = {order[0]: Fraction(1)}
        for n in range(1, k):
            out = order[n]
            left = [order[m] for m in range(n)]
            leaves = sum((p[out][x] for x in left), Fraction(0))
            weight[out] = sum((weight[x] * p[x][out] for x in left), Fraction(0)) / leaves
        total = sum(weight.values())
        return tuple(weight[x] / total for x in range(k))

    def _home_first(self) -> list[int]:
        """States, one that is never left for ever first: taking out the others stays possible."""
        k = self.states
        reached = []
        for start in range(k):
            seen, stack = {start}, [start]
            while stack:
                x = stack.pop()
                new = [y for y in range(k) if self.transition[x][y] and y not in seen]
                seen.update(new)
                stack.extend(new)
            reached.append(seen)
        home = min(range(k), key=lambda x: len(reached[x]))
        return [home, *(x for x in range(k) if x != home)]

    def scenario(self, length: int) -> Scenario:
        """The chain written out: all sequences; secrets are the states at each time.

        Raises:
            PlanError: Too many sequences, or any initial distribution is allowed.
        """
        n = whole("length", length)
        if self.initial is None:
            raise PlanError("a chain from any start cannot be written out", fix="Give the start.")
        if self.states**n > MOST_WORLDS:
            raise PlanError(f"{self.states} states at {n} times are too many to write out")
        worlds: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
        for _ in range(n):
            worlds = {
                (*w, y): p * (self.transition[w[-1]][y] if w else self.initial[y])
                for w, p in worlds.items()
                for y in range(self.states)
                if (self.transition[w[-1]][y] if w else self.initial[y])
            }
        names = {
            (i, x): f"state {x} at time {i + 1}" for i, x in product(range(n), range(self.states))
        }
        return Scenario(
            priors={"the chain": dict(worlds.items())},
            secrets={name: (lambda w, i=i, x=x: w[i] == x) for (i, x), name in names.items()},
            pairs=[
                (names[i, x], names[i, y])
                for i in range(n)
                for x in range(self.states)
                for y in range(x)
            ],
        )


def _row(where: str, given: Sequence[Number]) -> Row:
    row = tuple(exact("a probability", p) for p in given)
    if sum(row) != 1:
        raise PlanError(
            f"probabilities add up to {sum(row)}, not to 1",
            where=where,
            fix="Give fractions where decimals do not add up: Fraction(1, 3).",
        )
    return row
