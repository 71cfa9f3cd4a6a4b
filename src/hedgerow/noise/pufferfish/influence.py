"""How much states some steps away tell about a state of a chain: the max-influence of quilts.

Doubles, rounded against us. Products and sums of numbers that are not negative lose at most one
part in 2^53 each, so every entry of P^t is right up to the factor 1 + t (k + 2) 2^-53 or so; the
slack below is more than twice what all entries, logarithms and sums of an influence can lose.
An entry so small that doubles lose digits of it makes the influence infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.noise.pufferfish.chains import Chain

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.intp]

TINY = 1e-290
"""Probabilities under this are not computed with."""
_UNIT = 2.0**-53
_LOGARITHMS = 1e5
"""Units that six logarithms up to 700 and their sums lose, ten times over."""
_CHUNK = 1_000_000
"""Numbers that are held at once."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """Positions i that are looked at together, and what a secret there can be."""

    low: int
    high: int
    """Both counted from 1, and in the block."""
    left: Ints
    right: Ints
    """Pairs of states x and y that some position of the block can have, place by place."""
    shift: Floats
    """For each pair, log P[X_i = y] / P[X_i = x], the largest in the block."""


class Influence:
    """Max-influences under one chain; tables are made as far as they are asked for.

    Guarantee: `table` is at or above max log P[X_Q | X_i = x] / P[X_Q | X_i = y] over all
    positions and pairs of a block, for Q the states a steps before and b steps after.
    Reference: Song, Wang and Chaudhuri (2017), Def. 4.1 and section 4.4. The state a steps
    before depends on x by P^a(u, x) mu(u) / mu_i(x), by Bayes. From any start, the largest
    mu_i(y) / mu_i(x) is reached by starting at one state, and falls with i.
    """

    def __init__(self, chain: Chain, *, length: int) -> None:
        self.chain, self.length = chain, length
        self._step: Floats = np.array(chain.transition, dtype=np.float64)
        self._powers = [np.eye(chain.states)]
        self._reached: list[Flags] = [np.eye(chain.states, dtype=np.bool_)]
        self._forward: list[Floats] = []
        self._backward: dict[tuple[int, bytes], Floats] = {}
        self._last: tuple[bytes, Floats] | None = None

    def block(self, low: int, high: int) -> Block:
        """The secrets of positions, and how likely they make each other."""
        alike = np.zeros((self.chain.states,) * 2, np.bool_)
        for held in {s.tobytes(): s for s in self._supports(low, high)}.values():
            alike |= np.outer(held, held)
        np.fill_diagonal(alike, False)
        left, right = np.nonzero(alike)
        return Block(
            low=low, high=high, left=left, right=right, shift=self._shift(low, high)[left, right]
        )

    def diagonal(self, block: Block, t: int) -> float:
        """The influence of the states t steps before and after, those that exist."""
        before = self._before(block, t) if t < block.low else 0.0
        after = self._after(block, t) if t <= self.length - block.high else 0.0
        a, b = (t if t < block.low else 0), (t if t <= self.length - block.high else 0)
        return float(np.max(before + after, initial=0.0) + self._slack(a, b, block.high))

    def table(self, block: Block, widest: int) -> Floats:
        """Influences of all quilts by a and b, 0 standing for a side that is left open.

        Infinite for what does not exist in the block, and where a + b is above widest + 1.
        """
        key = b"" if not self._steady else block.shift.tobytes() + bytes(str(widest), "ascii")
        if self._last is not None and key and self._last[0] == key:
            full = self._last[1]
        else:
            full = self._table(block, widest)
            self._last = (key, full)
        a, b = min(widest, block.low - 1), min(widest, self.length - block.high)
        return full[: a + 1, : b + 1]

    def _table(self, block: Block, widest: int) -> Floats:
        # Where every position is alike, one table serves them all, and none may cut it short.
        most_a = widest if self._steady else min(widest, block.low - 1)
        most_b = widest if self._steady else min(widest, self.length - block.high)
        after = np.array([np.zeros(len(block.left))])
        if most_b:
            after = np.concatenate([after, [self._after(block, b) for b in range(1, most_b + 1)]])
        full = np.full((most_a + 1, most_b + 1), np.inf)
        for a in range(most_a + 1):
            before = self._before(block, a) if a else np.zeros(len(block.left))
            end = min(most_b, widest + 1 - a) + 1
            b = np.arange(end)
            worst = np.max(before + after[:end], axis=1, initial=0.0)
            full[a, :end] = worst + self._slack(a, b, block.high)
        full[0, 0] = 0.0
        return full

    def _before(self, block: Block, a: int) -> Floats:
        """For each pair, log P[X_(i-a) = u | x] / P[X_(i-a) = u | y], the largest over u."""
        held = np.any(self._supports(block.low - a, block.high - a), axis=0)
        key = (a, held.tobytes())
        if key not in self._backward:
            self._backward[key] = self._ratios(a, self._power(a)[held])
        return np.asarray(self._backward[key][block.left, block.right] + block.shift)

    def _after(self, block: Block, b: int) -> Floats:
        """For each pair, log P[X_(i+b) = v | x] / P[X_(i+b) = v | y], the largest over v."""
        while len(self._forward) < b:
            t = len(self._forward) + 1
            self._forward.append(self._ratios(t, self._power(t).T))
        return np.asarray(self._forward[b - 1][block.left, block.right])

    def _ratios(self, t: int, rows: Floats) -> Floats:
        """Log rows(u, x) / rows(u, y), the largest over u; 0 / 0 asks for nothing."""
        power = self._power(t)
        if np.any(self._reached[t] & (power < TINY)):
            return np.full(power.shape, np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(rows)
            found = np.full(power.shape, -np.inf)
            for row in logs:
                apart = row[:, None] - row
                np.fmax(found, apart, out=found)
        return found

    def _power(self, t: int) -> Floats:
        while len(self._powers) <= t:
            self._powers.append(self._powers[-1] @ self._step)
            reached = self._reached[-1].astype(np.float64) @ (self._step > 0)
            self._reached.append(reached > 0)
        return self._powers[t]

    @cached_property
    def _marginals(self) -> Floats:
        """The distribution of each position, for a given start."""
        assert self.chain.initial is not None
        rows = np.empty((self.length, self.chain.states))
        rows[0] = np.array(self.chain.initial, dtype=np.float64)
        for i in range(1, self.length):
            np.matmul(rows[i - 1], self._step, out=rows[i])
        return rows

    @cached_property
    def _held(self) -> list[Flags]:
        """Which states each position can be in, up to where that does not change any more."""
        first = self.chain.initial
        held = np.array([True] * self.chain.states if first is None else [p > 0 for p in first])
        found = [held]
        while len(found) < self.length:
            after = np.any(self._step[found[-1]] > 0, axis=0)
            if np.array_equal(after, found[-1]):
                break
            found.append(after)
        return found

    def _supports(self, low: int, high: int) -> list[Flags]:
        known = self._held
        return known[max(low, 1) - 1 : max(high, 1)] or known[-1:]

    @cached_property
    def stationary(self) -> bool:
        """Whether all positions are alike."""
        return self.chain.is_stationary

    @property
    def _steady(self) -> bool:
        return self.stationary and len(self._held) == 1

    def _shift(self, low: int, high: int) -> Floats:
        """Log P[X_i = y] / P[X_i = x] by x and y, the largest over the positions."""
        k = self.chain.states
        if self.chain.initial is None:
            # At the first position it has no use: there is nothing before it.
            if low == 1:
                return np.zeros((k, k))
            return self._ratios(low - 1, self._power(low - 1)).T
        first = np.array(self.chain.initial, dtype=np.float64)
        rows = first[None] if self.stationary else self._marginals[low - 1 : high]
        found = np.full((k, k), -np.inf)
        step = max(1, _CHUNK // (k * k))
        supports = self._supports(low, high)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            places = np.minimum(np.arange(start, start + len(part)), len(supports) - 1)
            held = np.array([supports[n] for n in places])
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.where(held, np.log(part), np.nan)
                # NaN where a state of the pair is impossible there: it asks for nothing.
                apart = np.fmax.reduce(logs[:, None, :] - logs[:, :, None], axis=0)
            apart[np.isnan(apart)] = -np.inf
            lost = np.any(held & (part < TINY), axis=0)
            apart[lost, :] = np.inf
            apart[:, lost] = np.inf
            np.maximum(found, apart, out=found)
        return found

    def _slack(self, a: int, b: int | Ints, high: int) -> Floats:
        """At or above what doubles lose in an influence."""
        # A stationary distribution is known exactly; others are as many steps old.
        steps = a + np.asarray(b) + (high if a and not self.stationary else 0)
        lost = _UNIT * (4 * steps * (self.chain.states + 2) + _LOGARITHMS)
        return np.where(steps == 0, 0.0, lost)
