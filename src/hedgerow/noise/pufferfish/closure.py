"""Is a privacy definition closed under post-processing, and convex? A proof or a counterexample.

A definition is anything that says yes or no to a mechanism. Where it is linear, both properties
follow from its form. Where it is not, mechanisms that satisfy it are post-processed and mixed
until one fails. To find none proves nothing, and is not called a proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

from hedgerow.base.errors import PlanError
from hedgerow.noise.pufferfish.finite import FiniteMechanism, Label
from hedgerow.noise.pufferfish.template import Definition
from hedgerow.noise.rounding import whole

Predicate = Callable[[FiniteMechanism], bool]

MOST_TRIED = 5_000
"""Mechanisms that satisfy the definition and are tried; pairs of them, for convexity."""
MOST_PROCESSES = 2_000
"""Ways to post-process one mechanism that are tried."""
SHARES = (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))
"""Coins that are tried."""


@dataclass(frozen=True, kw_only=True)
class Closure:
    """What is known about a property of a definition."""

    closed: bool | None
    """None: neither proved nor refuted."""
    reason: str
    satisfying: tuple[FiniteMechanism, ...] = ()
    """Of a counterexample: what satisfies the definition, one or two mechanisms."""
    failing: FiniteMechanism | None = None
    """Of a counterexample: what was made of them, and does not."""


def post_processing(
    definition: Definition | Predicate, *, mechanisms: Iterable[FiniteMechanism] | None = None
) -> Closure:
    """Whether whatever is made of a private output is private.

    Guarantee: "closed" is a proof for all mechanisms, "not closed" comes with a counterexample.
    For constraints over sets: a new output o' has the weighted probability sum of A(o, o') v(o)
    over outputs o, for the chance A(o, o') of making o' of o; its positive part is at most the
    sum of A(o, o') v(o)+; and A(o, .) adds up to 1. So no sum of positive parts grows, whatever
    the bound. A bound of 0 on single outputs is the same constraint.
    Reference: Kifer and Lin, An axiomatic view of statistical privacy and utility (2012);
    Machanavajjhala and Kifer (2015), on post-processing.

    Args:
        definition: Constraints, or a function that says whether a mechanism is private.
        mechanisms: To try; for a function they are needed.
    """
    if isinstance(definition, Definition) and all(
        c.over == "sets" or not c.bound for c in definition.constraints
    ):
        return Closure(
            closed=True,
            reason="sums of positive parts do not grow when outputs are split and put together",
        )
    for mechanism in _satisfying(definition, mechanisms):
        linear = isinstance(definition, Definition)
        for process in islice(_processes(mechanism, names=not linear), MOST_PROCESSES):
            made = mechanism.after(process)
            if not _holds(definition, made):
                return Closure(
                    closed=False,
                    reason="what is made of the output does not satisfy it",
                    satisfying=(mechanism,),
                    failing=made,
                )
    return Closure(closed=None, reason="no counterexample among those tried")


def convexity(
    definition: Definition | Predicate, *, mechanisms: Iterable[FiniteMechanism] | None = None
) -> Closure:
    """Whether a coin may choose between two private mechanisms.

    Guarantee: as `post_processing`. For bounds of 0 or more: the weighted probabilities of the
    choice are p v + (1 - p) w, and neither they nor the sum of their positive parts is above the
    larger of the two.
    Reference: Kifer and Lin (2012); Machanavajjhala and Kifer (2015), on convexity.

    Args:
        definition: Constraints, or a function that says whether a mechanism is private.
        mechanisms: To try; for a function they are needed.
    """
    if isinstance(definition, Definition) and all(c.bound >= 0 for c in definition.constraints):
        return Closure(
            closed=True, reason="bounds of 0 or more on convex functions of the probabilities"
        )
    found = list(_satisfying(definition, mechanisms))
    for first, second in islice(product(found, repeat=2), MOST_TRIED):
        for p in SHARES:
            made = first.or_else(second, probability=p)
            if not _holds(definition, made):
                return Closure(
                    closed=False,
                    reason=f"a choice with probability {p} does not satisfy it",
                    satisfying=(first, second),
                    failing=made,
                )
    return Closure(closed=None, reason="no counterexample among those tried")


@dataclass(frozen=True, kw_only=True)
class KAnonymous:
    """k-anonymity as a rule for mechanisms whose outputs are tables; not linear.

    Outputs are tuples of records, a record a tuple whose first `identifiers` places are the
    quasi-identifier.

    Guarantee: none about what an output tells. It looks at outputs, not at how they come about:
    to publish one of two 2-anonymous tables, depending on Bob's disease, satisfies it. It is not
    closed under post-processing. As the definition reads, it is convex: a choice between two
    mechanisms that publish only such tables publishes only such tables. As it is used, for
    algorithms that recode without chance, it is not: the choice is no such algorithm.
    Reference: Machanavajjhala and Kifer (2015), Def. 2 and after Def. 4.

    >>> coarse = (("130**", "flu"), ("130**", "cold"))
    >>> fine = (("13053", "flu"), ("13068", "cold"))
    >>> rule = KAnonymous(k=2, identifiers=1)
    >>> hide = FiniteMechanism.deterministic({fine: coarse})
    >>> rule(hide), rule(hide.renamed(lambda _: fine))
    (True, False)
    """

    k: int
    identifiers: int
    without_chance: bool = False
    """Whether only mechanisms that give each input one output are considered at all."""

    def __post_init__(self) -> None:
        whole("k", self.k)
        whole("identifiers", self.identifiers)

    def __call__(self, mechanism: FiniteMechanism) -> bool:
        """Whether all outputs are k-anonymous tables.

        Raises:
            PlanError: An output is no table.
        """
        if self.without_chance and any(p not in (0, 1) for row in mechanism.rows for p in row):
            return False
        return all(self._anonymous(o) for o in mechanism.outputs)

    def _anonymous(self, output: Label) -> bool:
        if not isinstance(output, tuple) or not all(isinstance(r, tuple) for r in output):
            raise PlanError(f"{output!r} is no table", fix="Give tuples of tuples.")
        sizes = Counter(record[: self.identifiers] for record in output)
        return all(n >= self.k for n in sizes.values())


def _holds(definition: Definition | Predicate, mechanism: FiniteMechanism) -> bool:
    if isinstance(definition, Definition):
        return definition.holds(mechanism)
    return definition(mechanism)


def _satisfying(
    definition: Definition | Predicate, mechanisms: Iterable[FiniteMechanism] | None
) -> Iterator[FiniteMechanism]:
    if mechanisms is None:
        if not isinstance(definition, Definition):
            raise PlanError(
                "a definition that is a function needs mechanisms to be tried on",
                fix="Give mechanisms=[...].",
            )
        inputs = definition.inputs
        mechanisms = (
            m
            for steps in (1, 2, 3)
            for n in (1, 2, 3, 4)
            for m in FiniteMechanism.every(inputs, outputs=range(n), steps=steps)
        )
    return (m for m in islice(mechanisms, MOST_TRIED) if _holds(definition, m))


def _processes(
    mechanism: FiniteMechanism, *, names: bool
) -> Iterator[dict[Label, dict[Label, Fraction]]]:
    """Outputs are put together, then each is split in two halves, which no renaming does.

    Where the names of outputs count, each becomes one of the outputs or, in an attempt to undo
    what was done, one of the inputs.
    """
    one, half = Fraction(1), Fraction(1, 2)
    outputs = mechanism.outputs
    ends = list(dict.fromkeys((*outputs, *mechanism.inputs))) if names else list(outputs)
    for chosen in product(range(len(ends)), repeat=len(outputs)):
        # Without names, only which outputs come together counts: ends are taken in order.
        if names or all(e <= 1 + max(chosen[:n], default=-1) for n, e in enumerate(chosen)):
            yield {o: {ends[e]: one} for o, e in zip(outputs, chosen, strict=True)}
    for split in outputs:
        yield {o: {(o, 0): half, (o, 1): half} if o == split else {o: one} for o in outputs}
