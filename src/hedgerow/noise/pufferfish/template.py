"""Privacy definitions as linear constraints on output probabilities, checked exactly.

A definition that is convex, closed under post-processing and protects against every output can
be written as: for every output o, sum of w_j P[M(D_j) = o] over inputs j is at most 0. With a
bound b instead of 0 and a set of outputs instead of one, it covers approximate privacy too.
Inputs may be weighed by a prior, which is what Pufferfish needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal

from hedgerow.base.errors import PlanError
from hedgerow.noise.pufferfish.finite import FiniteMechanism, Label, Weights
from hedgerow.noise.rounding import Number, exact, exp_down, log_up, whole

MOST_DATASETS = 100_000
"""Tables of a Blowfish policy that are written out."""


@dataclass(frozen=True, init=False)
class Constraint:
    """Weights on inputs, and a bound on the weighted probability of outputs.

    Guarantee: sum of w_j P[M(D_j) in S] <= bound, for every set S of outputs that the mechanism
    can produce ("sets"), or for every single one ("outputs").
    Reference: Machanavajjhala and Kifer, Designing statistical privacy (2015), Def. 4: bound 0,
    where sets and single outputs ask for the same.
    """

    name: str
    weights: tuple[tuple[Label, Fraction], ...]
    bound: Fraction
    over: Literal["sets", "outputs"]

    def __init__(
        self,
        name: str,
        weights: Weights,
        *,
        bound: Number = 0,
        over: Literal["sets", "outputs"] = "sets",
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "weights", tuple((i, Fraction(w)) for i, w in weights.items()))
        object.__setattr__(self, "over", over)
        if not weights:
            raise PlanError("a constraint weighs no input", where=name)
        if over == "sets":
            # The empty set has probability 0, so that a bound under 0 holds for nothing.
            object.__setattr__(self, "bound", exact("the bound of a constraint over sets", bound))
        elif over == "outputs":
            negative = isinstance(bound, int | Fraction) and bound < 0
            size = exact("the bound of a constraint", -bound if negative else bound)  # type: ignore[operator]
            object.__setattr__(self, "bound", -size if negative else size)
        else:
            raise PlanError(f"a constraint is over sets or outputs, not {over!r}", where=name)

    def check(self, mechanism: FiniteMechanism) -> ConstraintCheck:
        """How far the mechanism is beyond the bound, and where.

        The worst set is found without looking at all sets: it is the outputs whose weighted
        probability is positive, or the best single one where none is.
        """
        values = mechanism.weighed(dict(self.weights))
        order = sorted(range(len(values)), key=lambda o: -values[o])
        worst = order[:1]
        if self.over == "sets" and values[order[0]] > 0:
            worst = [o for o in order if values[o] > 0]
        total = sum((values[o] for o in worst), Fraction(0))
        return ConstraintCheck(
            constraint=self,
            outputs=tuple(mechanism.outputs[o] for o in worst),
            excess=total - self.bound,
        )


@dataclass(frozen=True, kw_only=True)
class ConstraintCheck:
    """The worst that one constraint sees in a mechanism."""

    constraint: Constraint
    outputs: tuple[Label, ...]
    """The worst set of outputs, the worst of them first."""
    excess: Fraction
    """By how much the weighted probability of that set is above the bound."""

    @property
    def holds(self) -> bool:
        return self.excess <= 0

    def __str__(self) -> str:
        how = "holds" if self.holds else "is broken"
        return (
            f"{self.constraint.name} {how}: at {self.outputs[0]!r}, "
            f"{float(abs(self.excess)):.6g} {'below' if self.holds else 'above'} the bound"
        )


@dataclass(frozen=True)
class Definition:
    """A privacy definition: constraints that a mechanism has to satisfy, all of them.

    Guarantee: `check` is exact. No rounding makes a mechanism pass that should not.
    Assumes: the mechanism is what really runs; a finite table says nothing about time or memory.
    Reference: Machanavajjhala and Kifer (2015), Def. 4.
    """

    constraints: tuple[Constraint, ...]

    def __post_init__(self) -> None:
        if not self.constraints:
            raise PlanError("a definition without constraints protects nothing")

    def check(self, mechanism: FiniteMechanism) -> ConstraintCheck:
        """The constraint that is broken most, or that is nearest to it."""
        return max((c.check(mechanism) for c in self.constraints), key=lambda f: f.excess)

    def holds(self, mechanism: FiniteMechanism) -> bool:
        """Whether the mechanism satisfies the definition."""
        return all(c.check(mechanism).holds for c in self.constraints)

    @property
    def inputs(self) -> tuple[Label, ...]:
        """Inputs that a constraint weighs."""
        return tuple(dict.fromkeys(i for c in self.constraints for i, _ in c.weights))


@dataclass(frozen=True)
class Comparison:
    """Two distributions over inputs that an output must not tell apart: left against right."""

    name: str
    left: tuple[tuple[Label, Fraction], ...]
    right: tuple[tuple[Label, Fraction], ...]

    def constraint(self, *, factor: Fraction, delta: Fraction) -> Constraint:
        """P[M(left) in S] - factor P[M(right) in S] <= delta."""
        weights = dict(self.left)
        for i, w in self.right:
            weights[i] = weights.get(i, Fraction(0)) - factor * w
        return Constraint(self.name, weights, bound=delta)


@dataclass(frozen=True, kw_only=True)
class Smallest:
    """The strongest claim that holds."""

    factor: Fraction | None
    """What stands for e^epsilon; None where no number is large enough."""
    comparison: Comparison
    """The worst one."""
    outputs: tuple[Label, ...]
    """Where it is worst: one output, or with a delta the set."""

    @property
    def epsilon(self) -> Fraction | None:
        """The logarithm of the factor, rounded up; None where there is none."""
        return None if self.factor is None else log_up(self.factor)

    def __str__(self) -> str:
        size = "no epsilon" if self.epsilon is None else f"epsilon {float(self.epsilon):.6g}"
        return f"{size}, by {self.comparison.name} at {self.outputs[0]!r}"


@dataclass(frozen=True)
class Indistinguishability:
    """All that an answer must not tell apart: the part of a definition that comes before epsilon.

    Guarantee: `definition(epsilon=...)` is that P[M(left) in S] <= e^epsilon P[M(right) in S] +
    delta for every comparison and every set S. e^epsilon is rounded down, so that what passes
    has the epsilon it was checked for.
    Assumes: comparisons go both ways; `between` and its kin see to it.
    Reference: Machanavajjhala and Kifer (2015), Defs 1, 3, 4 and 6.

    >>> coin = FiniteMechanism(rows={0: {0: "0.75", 1: "0.25"}, 1: {0: "0.25", 1: "0.75"}})
    >>> secret = between([(0, 1)])
    >>> secret.smallest(coin).factor, secret.definition(epsilon=1).holds(coin)
    (Fraction(3, 1), False)
    >>> print(secret.smallest(coin))
    epsilon 1.09861, by 0 against 1 at 0
    """

    comparisons: tuple[Comparison, ...]

    def __post_init__(self) -> None:
        if not self.comparisons:
            raise PlanError("nothing is to be told apart from anything, so nothing is protected")

    def definition(
        self, *, epsilon: Number | None = None, factor: Number | None = None, delta: Number = 0
    ) -> Definition:
        """The definition at an epsilon, or at an exact factor in its place.

        Raises:
            PlanError: Both or none are given, or the factor is under 1.
        """
        if (epsilon is None) == (factor is None):
            raise PlanError("give an epsilon or a factor", fix="A factor of 3 is epsilon = ln 3.")
        if factor is not None:
            f = exact("the factor", factor)
            if f < 1:
                raise PlanError(f"a factor must be at least 1, not {factor}")
        else:
            assert epsilon is not None
            e = exact("epsilon", epsilon)
            f = max(exp_down(e), Fraction(1))
        d = exact("delta", delta)
        if d >= 1:
            raise PlanError(f"delta must be under 1, not {delta}: at 1 nothing is promised")
        return Definition(tuple(c.constraint(factor=f, delta=d) for c in self.comparisons))

    def smallest(self, mechanism: FiniteMechanism, *, delta: Number = 0) -> Smallest:
        """The smallest factor with which the definition holds, exactly, and what asks for it."""
        d = exact("delta", delta)
        best: Smallest | None = None
        for comparison in self.comparisons:
            left = mechanism.weighed(dict(comparison.left))
            right = mechanism.weighed(dict(comparison.right))
            factor, places = _least_factor(left, right, d)
            if best is None or _beyond(factor, best.factor):
                outputs = tuple(mechanism.outputs[o] for o in places)
                best = Smallest(factor=factor, comparison=comparison, outputs=outputs)
        assert best is not None
        return best


def between(pairs: Iterable[tuple[Label, Label]]) -> Indistinguishability:
    """Differential privacy for any relation of neighbours, given as pairs of inputs.

    Guarantee: as `Indistinguishability`, each pair both ways.
    Assumes: the pairs are all neighbours there are.
    Reference: Machanavajjhala and Kifer (2015), Defs 1 and 3.
    """
    one = Fraction(1)
    both = dict.fromkeys(p for a, b in pairs for p in ((a, b), (b, a)) if a != b)
    return Indistinguishability(
        tuple(Comparison(f"{a!r} against {b!r}", ((a, one),), ((b, one),)) for a, b in both)
    )


def blowfish(
    values: Sequence[Label], *, edges: Iterable[tuple[Label, Label]], records: int
) -> Indistinguishability:
    """A Blowfish policy on small tables: one record changes along an edge of the graph.

    Inputs are the tuples of so many values.

    Guarantee: as `Indistinguishability`, between tables that differ in one record by one edge.
    Nothing is promised for values with no path between them; a path of d edges costs d epsilon.
    Assumes: everyone knows how many records there are, and nothing else. With other knowledge
    the neighbours are others: give them to `between`.
    Reference: Machanavajjhala and Kifer (2015), Defs 5 and 6, where the factor is e^epsilon.

    >>> line = blowfish([0, 1, 2], edges=[(0, 1), (1, 2)], records=1)
    >>> exactly = FiniteMechanism.geometric({(v,): v for v in range(3)}, ratio="0.5", low=0, high=2)
    >>> line.smallest(exactly).factor
    Fraction(2, 1)
    """
    n, links = whole("records", records), list(edges)
    if len(values) ** n > MOST_DATASETS:
        raise PlanError(f"{len(values):,} values in {n} records make too many tables to write out")
    known = set(values)
    strange = [x for edge in links for x in edge if x not in known]
    if strange:
        raise PlanError(f"an edge ends at {strange[0]!r}, which is no value")
    return between(
        ((*rest[:i], x, *rest[i:]), (*rest[:i], y, *rest[i:]))
        for rest in product(values, repeat=n - 1)
        for i in range(n)
        for x, y in links
    )


def constraints(given: Mapping[str, Weights]) -> Definition:
    """Definition 4 as it stands: names and weights, every bound 0."""
    return Definition(tuple(Constraint(name, weights) for name, weights in given.items()))


def _beyond(factor: Fraction | None, other: Fraction | None) -> bool:
    return other is not None and (factor is None or factor > other)


def _least_factor(
    left: Sequence[Fraction], right: Sequence[Fraction], delta: Fraction
) -> tuple[Fraction | None, list[int]]:
    """The least f of at least 1 with sum of (left - f right)+ <= delta, and the worst set.

    The sum falls with f and is straight between ratios left / right. So outputs are taken in by
    falling ratio, until the f at which those taken in give delta is not under the next ratio.
    """
    free = [o for o in range(len(left)) if left[o] and not right[o]]
    p = sum((left[o] for o in free), Fraction(0))
    if p > delta:
        return None, free
    q, taken, f = Fraction(0), list(free), Fraction(1)
    bound = [o for o in range(len(left)) if right[o]]
    bound.sort(key=lambda o: -left[o] / right[o])
    for n, o in enumerate(bound):
        p, q = p + left[o], q + right[o]
        taken.append(o)
        f = (p - delta) / q
        following = bound[n + 1] if n + 1 < len(bound) else None
        if following is None or f >= left[following] / right[following]:
            break
    # With no delta, more outputs of the same ratio change nothing: the first is enough.
    return max(f, Fraction(1)), (taken[:1] if not delta else taken)
