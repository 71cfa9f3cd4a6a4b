"""Mechanisms with finitely many inputs and outputs, as tables of exact probabilities."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError, some
from hedgerow.noise.rounding import Number, exact, share, whole

Label = Hashable
Weights = Mapping[Label, Fraction]
Table = Mapping[Label, Mapping[Label, Number]]
Exacts = NDArray[Any]
"""Arrays of Python's integers or fractions: no digit is lost."""

MOST_OUTPUTS = 20_000
"""Outputs of a geometric mechanism that are written out."""


@dataclass(frozen=True, init=False)
class FiniteMechanism:
    """For each input, the probability of each output; every row adds up to exactly 1.

    A coin that tells the truth three times in four:

    >>> coin = FiniteMechanism(rows={0: {0: "0.75", 1: "0.25"}, 1: {0: "0.25", 1: "0.75"}})
    >>> coin.probability(0, 1)
    Fraction(1, 4)

    Args:
        rows: Input to output to probability. An output that a row leaves out has none there;
            one that no row can produce does not exist.

    Raises:
        PlanError: There is no input, or a row does not add up to 1.
    """

    inputs: tuple[Label, ...]
    outputs: tuple[Label, ...]
    rows: tuple[tuple[Fraction, ...], ...]

    def __init__(self, *, rows: Table) -> None:
        given = {
            i: {o: exact(f"the probability of {o!r}", p) for o, p in row.items()}
            for i, row in rows.items()
        }
        if not given:
            raise PlanError("a mechanism needs inputs, and has none")
        for i, row in given.items():
            if sum(row.values()) != 1:
                raise PlanError(
                    f"probabilities add up to {sum(row.values())}, not to 1",
                    where=f"the row of input {i!r}",
                    fix="Give fractions where decimals do not add up: Fraction(1, 3).",
                )
        outputs = tuple(dict.fromkeys(o for row in given.values() for o, p in row.items() if p))
        table = tuple(tuple(row.get(o, Fraction(0)) for o in outputs) for row in given.values())
        object.__setattr__(self, "inputs", tuple(given))
        object.__setattr__(self, "outputs", outputs)
        object.__setattr__(self, "rows", table)

    @classmethod
    def deterministic(cls, values: Mapping[Label, Label]) -> FiniteMechanism:
        """Each input has one output."""
        return cls(rows={i: {o: Fraction(1)} for i, o in values.items()})

    @classmethod
    def geometric(
        cls, values: Mapping[Label, int], *, ratio: Number, low: int, high: int
    ) -> FiniteMechanism:
        """Discrete Laplace noise of scale 1 / ln(1 / ratio), held between two ends.

        Guarantee: at most 1 / ratio ** d between two inputs whose values are d apart; with a
        rational ratio, every probability is rational.
        Assumes: the values lie between the ends, which are public.
        Reference: Ghosh, Roughgarden and Sundararajan (2012), Def. 2.4 and 4.2.

        >>> half = FiniteMechanism.geometric({"a": 0, "b": 1}, ratio="0.5", low=0, high=2)
        >>> [str(p) for p in half.rows[0]], [str(p) for p in half.rows[1]]
        (['2/3', '1/6', '1/6'], ['1/3', '1/3', '1/3'])
        """
        a = share("ratio", ratio)
        if not low < high or high - low >= MOST_OUTPUTS:
            raise PlanError(f"noise cannot be held between {low} and {high} and written out")
        beyond = [v for v in values.values() if not low <= v <= high]
        if beyond:
            raise PlanError(f"{some(beyond)} lies beyond the ends {low} and {high}")

        def row(value: int) -> dict[Label, Number]:
            inner: dict[Label, Number] = {
                o: (1 - a) * a ** abs(o - value) / (1 + a) for o in range(low + 1, high)
            }
            return {
                low: a ** (value - low) / (1 + a),
                **inner,
                high: a ** (high - value) / (1 + a),
            }

        return cls(rows={i: row(v) for i, v in values.items()})

    @classmethod
    def every(
        cls, inputs: Iterable[Label], *, outputs: Iterable[Label], steps: int
    ) -> Iterator[FiniteMechanism]:
        """All mechanisms whose probabilities are multiples of 1 / steps; there are many.

        >>> sum(1 for _ in FiniteMechanism.every("ab", outputs="xy", steps=2))
        9
        """
        n, places, ends = whole("steps", steps), tuple(inputs), tuple(outputs)
        rows = [
            {o: Fraction(c, n) for o, c in zip(ends, counts, strict=True)}
            for counts in product(range(n + 1), repeat=len(ends))
            if sum(counts) == n
        ]
        for chosen in product(rows, repeat=len(places)):
            yield cls(rows=dict(zip(places, chosen, strict=True)))

    def probability(self, given: Label, output: Label) -> Fraction:
        """Of an output, on an input; 0 for an output that does not exist."""
        if output not in self.outputs:
            return Fraction(0)
        return self.rows[self._place(given)][self.outputs.index(output)]

    def weighed(self, weights: Weights) -> list[Fraction]:
        """The weighted sum of rows, output by output: sum of w_j P[M(D_j) = o] over j.

        Raises:
            PlanError: A weight is on an input that the mechanism does not have.
        """
        over = lcm(*(w.denominator for w in weights.values()))
        factors = np.array([int(w * over) for w in weights.values()], dtype=object)
        rows = self._numerators[[self._place(i) for i in weights]]
        return [Fraction(int(s), over * self._denominator) for s in factors @ rows]

    def after(self, process: Table) -> FiniteMechanism:
        """This mechanism, then another that sees only its output: post-processing.

        Raises:
            PlanError: The other has no row for an output.
        """
        missing = [o for o in self.outputs if o not in process]
        if missing:
            raise PlanError(f"post-processing does not say what becomes of {some(missing)}")
        second = FiniteMechanism(rows={o: process[o] for o in self.outputs})
        return self._made(
            {
                (i, e): [p * q for p, q in zip(row, column, strict=True)]
                for i, row in zip(self.inputs, self.rows, strict=True)
                for e, column in zip(second.outputs, zip(*second.rows, strict=True), strict=True)
            }
        )

    def renamed(self, name: Callable[[Label], Label]) -> FiniteMechanism:
        """Post-processing without chance: each output becomes another."""
        return self.after({o: {name(o): 1} for o in self.outputs})

    def or_else(self, other: FiniteMechanism, *, probability: Number) -> FiniteMechanism:
        """This mechanism with a probability, else another; which one ran is not published.

        Raises:
            PlanError: They have different inputs, or the probability is not between 0 and 1.
        """
        p = share("the probability of the first", probability)
        if set(self.inputs) != set(other.inputs):
            raise PlanError("two mechanisms to choose from need the same inputs")
        return self._made(
            {
                (i, o): [p * self.probability(i, o), (1 - p) * other.probability(i, o)]
                for i in self.inputs
                for o in dict.fromkeys((*self.outputs, *other.outputs))
            }
        )

    def alongside(self, other: FiniteMechanism) -> FiniteMechanism:
        """Both outputs are published, drawn independently on the same input: composition."""
        if set(self.inputs) != set(other.inputs):
            raise PlanError("two mechanisms to run together need the same inputs")
        return self._made(
            {
                (i, (a, b)): [self.probability(i, a) * other.probability(i, b)]
                for i in self.inputs
                for a in self.outputs
                for b in other.outputs
            }
        )

    def _made(self, terms: Mapping[tuple[Label, Label], list[Fraction]]) -> FiniteMechanism:
        rows: dict[Label, dict[Label, Number]] = {i: {} for i in self.inputs}
        for (i, o), parts in terms.items():
            rows[i][o] = sum(parts, Fraction(0))
        return FiniteMechanism(rows=rows)

    def _place(self, given: Label) -> int:
        try:
            return self._places[given]
        except KeyError:
            raise PlanError(
                f"the mechanism has no input {given!r}", fix=f"It has {some(self.inputs)}."
            ) from None

    @cached_property
    def _places(self) -> dict[Label, int]:
        return {i: n for n, i in enumerate(self.inputs)}

    @cached_property
    def _denominator(self) -> int:
        return lcm(*(p.denominator for row in self.rows for p in row))

    @cached_property
    def _numerators(self) -> Exacts:
        over = self._denominator
        return np.array([[int(p * over) for p in row] for row in self.rows], dtype=object)
