"""Each claim of section 4 as a statement that is counted, node by node."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise

from examples.realistic_adversaries.census import (
    PAPER,
    SIX,
    STUBBORN,
    Experiment,
    Node,
    Way,
    any_shape,
    as_table,
    uniform,
)
from hedgerow import AtMost, Prior
from hedgerow.claims.adversary import Adversary

SLACK = 1e-12
"""Levels closer than this (relatively) are equal; they are computed in floating point."""
CS = tuple(map(Fraction, (1, 2, 4, 9, 19, 29, 39, 59, 79, 99, 199, 999, 9_999, 99_999)))
TS = tuple(Fraction(i, 10_000) for i in (1, 50, 100, 200, 300, 390, 400, 500, 550, 599, 620))


@dataclass(frozen=True)
class Finding:
    """A claim, in how many cases it holds here, and what the rest are."""

    name: str
    claim: str
    place: str
    """Where the paper makes it."""
    holds: int
    of: int
    cases: str
    """What is counted."""
    note: str

    @property
    def agrees(self) -> bool:
        return self.holds == self.of


@dataclass(frozen=True)
class Comparison:
    """How often one level is at most another, and the worst exception."""

    holds: int
    of: int
    worst: float
    """The largest ratio of the two."""
    where: str
    broken: frozenset[str]
    """Where it is not at most."""

    @classmethod
    def of_pairs(cls, pairs: Iterable[tuple[float, float, str]]) -> Comparison:
        """From (smaller, larger, name); infinite on both sides counts as kept."""
        holds = of = 0
        worst, where, broken = 0.0, "", set()
        for small, large, name in pairs:
            of += 1
            ratio = 1.0 if math.isinf(small) and math.isinf(large) else small / large
            if ratio <= 1 + SLACK:
                holds += 1
            else:
                broken.add(name.partition(" ")[0])
            if ratio > worst:
                worst, where = ratio, name
        return cls(holds, of, worst, where, frozenset(broken))

    @property
    def exceptions(self) -> str:
        if self.holds == self.of:
            return "no exception"
        nodes = ", ".join(sorted(self.broken))
        return f"{self.of - self.holds} not, at {nodes}, by a factor of up to {self.worst:.6f}"


def label(node: Node) -> str:
    return f"[{','.join(map(str, node))}]"


def power(sigma: int) -> str:
    """A power of ten as it is printed."""
    return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(len(str(sigma)) - 1))


def listed(nodes: Iterable[Node]) -> str:
    """Nodes, the most general first."""
    ordered = sorted(nodes, key=lambda node: (-sum(node), [-x for x in node]))
    return ", ".join(map(label, ordered)) or "none"


def findings(e: Experiment) -> Iterator[Finding]:
    yield from _classes(e)
    yield from _stubbornness(e)
    yield from _at_most(e)
    yield from _monotone(e)
    yield _second_against_third(e)
    yield _diversity(e)
    yield _boundary(e)
    yield _lemma(e)
    yield _reversed(e)
    yield from _no_t(e)
    yield from _second_against_diversity(e)
    yield _never_less(e)


def against(
    e: Experiment, small: Callable[[float], Adversary], large: Callable[[float], Adversary], by: Way
) -> Comparison:
    """Two families of adversaries at every node and finite stubbornness."""
    return Comparison.of_pairs(
        (e.levels(small(s), by)[node], e.levels(large(s), by)[node], f"{label(node)} at σ = {s:,}")
        for s in STUBBORN
        for node in e.nodes
    )


def _classes(e: Experiment) -> Iterator[Finding]:
    cases = f"{len(e.nodes)} nodes × {len(STUBBORN)} stubbornnesses, theorem"
    for name, family in (("uniform", uniform), ("table's", as_table)):
        found = against(e, family, partial(_forever, family), "theorem")
        yield Finding(
            f"class I ≤ III, {name} shape",
            f"class I needs no larger ε than class III, both with the {name} shape",
            "4.1",
            found.holds,
            found.of,
            cases,
            _because(found),
        )
        found = against(e, family, any_shape, "theorem")
        yield Finding(
            f"class I ≤ II, {name} shape",
            f"class I with the {name} shape needs no larger ε than class II, equally stubborn",
            "4.1",
            found.holds,
            found.of,
            cases,
            found.exceptions,
        )


def _forever(family: Callable[[float], Adversary], _: float) -> Adversary:
    return family(math.inf)


def _because(found: Comparison) -> str:
    """Why an adversary who is less stubborn can need a larger epsilon."""
    if found.holds == found.of:
        return found.exceptions
    return (
        f"{found.exceptions}: a group just like the prior needs ε = 1 at σ = ∞, and a little more "
        "below, since the belief without the person also misses the person (the “−1” of Eq. 9)"
    )


def _stubbornness(e: Experiment) -> Iterator[Finding]:
    families = (("class I, uniform", uniform), ("class I, table's shape", as_table),
                ("class II", any_shape))  # fmt: skip
    for name, family in families:
        found = Comparison.of_pairs(
            (e.levels(family(a))[node], e.levels(family(b))[node], f"{label(node)} {a:,} → {b:,}")
            for a, b in pairwise(STUBBORN)
            for node in e.nodes
        )
        yield Finding(
            f"ε grows with σ, {name}",
            f"the smallest ε grows with the stubbornness: {name}",
            "4.1",
            found.holds,
            found.of,
            f"{len(e.nodes)} nodes × {len(STUBBORN) - 1} steps, theorem",
            _because(found),
        )


def _at_most(e: Experiment) -> Iterator[Finding]:
    for name, family, prior in (("uniform", uniform, Prior.uniform()),
                                ("table's", as_table, Prior.of_table())):  # fmt: skip
        at_most = AtMost(prior=prior, stubbornness=10**6)
        found = Comparison.of_pairs(
            (e.levels(at_most)[n], e.levels(family(10**6))[n], label(n)) for n in e.nodes
        )
        yield Finding(
            f"“at most σ” is decided at σ, {name} shape",
            f"what is private against class I, {name} shape, at σ = 10⁶ is so at every smaller σ",
            "2.5",
            found.holds,
            found.of,
            "nodes, against every stubbornness at which each value counts at least once",
            found.exceptions + ("; `AtMost` checks both ends" if found.holds < found.of else ""),
        )


def _monotone(e: Experiment) -> Iterator[Finding]:
    found = Comparison.of_pairs(
        (e.levels(adversary)[coarse], e.levels(adversary)[fine], f"{label(fine)} → {label(coarse)}")
        for adversary in SIX
        for fine, coarse in e.edges
    )
    yield Finding(
        "monotone in the lattice",
        "a generalisation of a private table is private: ε never grows along an edge",
        "3.1",
        found.holds,
        found.of,
        f"{len(e.edges)} edges × {len(SIX)} adversaries",
        found.exceptions,
    )


def _second_against_third(e: Experiment) -> Finding:
    second = e.levels(any_shape(10**3))
    third = [e.levels(family(math.inf)) for family in (uniform, as_table)]
    fit = [node for node in e.nodes if node not in e.homogeneous]
    both = [n for n in fit if all(second[n] < levels[n] for levels in third)]
    one = [n for n in fit if second[n] < third[0][n]]
    return Finding(
        "class II at 10³ below class III",
        "class II with σ = 10³ needs a smaller ε than class III with either shape at almost all "
        "nodes",
        "4.1",
        len(both),
        len(fit),
        "nodes without a homogeneous group",
        f"smaller than with the uniform shape at {len(one)}; else "
        "some group is too small to talk even a prior of a thousand people round",
    )


def _diversity(e: Experiment) -> Finding:
    sets = [(e.diverse(c), e.private(uniform(math.inf), (c + 1) / 2)) for c in CS]
    pairs = [(node in diverse, node in private) for diverse, private in sets for node in e.nodes]
    return Finding(
        "(c,2)-diversity is A_d^∞((c+1)/2)",
        "(c, 2)-diversity and ε-privacy against class III with a uniform prior at ε = (c + 1) / 2 "
        "admit the same nodes",
        "4.2, Eq. 7",
        sum(a == b for a, b in pairs),
        len(pairs),
        f"{len(e.nodes)} nodes × {len(CS)} values of c, most frequent value at most c / (c + 1)",
        f"{sum(a for a, _ in pairs)} of the pairs are admitted by both",
    )


def _boundary(e: Experiment) -> Finding:
    """At each node's own ratio the strict definition of ICDE 2006 refuses it."""
    own = {node: c for node, c in e.ratio.items() if c is not None}
    third = uniform(math.inf)
    private = [
        n for n, c in own.items() if e.model(third, epsilon=(c + 1) / 2).check(e.groups[n]).holds
    ]
    strict = [node for node, c in own.items() if node in e.diverse(c, strict=True)]
    return Finding(
        "the same, exactly at the boundary",
        "the same with c the node's own ratio: “at most” is what the equivalence needs",
        "5.1",
        len(private),
        len(own),
        "nodes without a homogeneous group",
        f"the strict definition (r₁ < c·r₂, ICDE 2006) admits {len(strict)} of them",
    )


def _lemma(e: Experiment) -> Finding:
    held = admitted = 0
    for t in TS:
        epsilon = e.epsilon_of_closeness(t)
        assert epsilon is not None, "every t of the list is below the share of high salaries"
        fit = e.close(t) - e.homogeneous
        held += len(fit & e.private(as_table(math.inf), epsilon))
        admitted += len(fit)
    return Finding(
        "t-close nodes are A_c^∞(ε_t)-private",
        "a t-close node without homogeneous groups is ε_t-private against class III with the "
        "table's shape",
        "Lemma 1",
        held,
        admitted,
        f"t-close nodes at {len(TS)} values of t below the share of high salaries",
        "with two values every distance is the equal distance, for which the lemma is true; and "
        "a t below the smaller share already excludes homogeneous groups",
    )


def _reversed(e: Experiment) -> Finding:
    here = e.here
    epsilon = e.epsilon_of_closeness(here.t)
    assert epsilon is not None
    private = e.private(as_table(math.inf), epsilon)
    close = e.close(here.t)
    return Finding(
        "A_c^∞(ε_t)-private nodes are t-close",
        "“every table that satisfies A_c^∞(ε_t) also satisfies t-closeness”",
        "4.2",
        len(private & close),
        len(private),
        f"nodes that are ε_t-private at t = {float(here.t):g}, ε_t = {float(epsilon):.2f}",
        f"the sentence is the wrong way round; not close: {listed(private - close)}",
    )


def _no_t(e: Experiment) -> Iterator[Finding]:
    for epsilon in (PAPER.epsilon, e.here.epsilon):
        private = e.private(as_table(math.inf), epsilon)
        inside = max((e.distance[n] for n in private), default=0.0)
        outside = {n: d for n, d in e.distance.items() if n not in private}
        nearest = min(outside, key=lambda n: outside[n])
        exists = inside < outside[nearest]
        note = (
            f"here t from {inside:.4f} to below {outside[nearest]:.4f} admits the same "
            f"{len(private)} nodes"
            if exists
            else f"{listed([nearest])} is {outside[nearest]:.4f}-close and not private, some "
            f"private node is {inside:.4f} away"
        )
        yield Finding(
            f"no t is equivalent to A_c^∞({float(epsilon):g})",
            f"there is no t for which t-closeness admits the nodes that A_c^∞({float(epsilon):g}) "
            "admits",
            "4.2",
            0 if exists else 1,
            1,
            f"ε = {float(epsilon):g}",
            note,
        )


def _second_against_diversity(e: Experiment) -> Iterator[Finding]:
    below = [s for s in STUBBORN if s < 10**5]
    for parameters in (PAPER, e.here):
        diverse, epsilon = e.diverse(parameters.c), parameters.epsilon
        strictly, words = 0, []
        for s in below:
            admits = e.private(any_shape(s), epsilon)
            strictly += admits > diverse
            lost = f", without {listed(diverse - admits)}" if diverse - admits else ""
            words.append(f"{power(s)} {listed(admits - diverse)}{lost}")
        gains = [s for s in STUBBORN if e.private(any_shape(s), epsilon) - diverse]
        end = f"From {power(10 * max(gains))} on it admits" if gains else "It admits"
        yield Finding(
            f"class II against ({parameters.c},2)-diversity",
            f"class II with σ < 10⁵ at ε = {float(epsilon):g} admits all nodes that "
            f"({parameters.c}, 2)-diversity admits, and more",
            "4.1, 4.2",
            strictly,
            len(below),
            "σ = 10², 10³, 10⁴",
            f"(diversity: {listed(diverse)}) in addition at σ = {'; '.join(words)}. "
            f"{end} nothing that diversity does not",
        )


def _never_less(e: Experiment) -> Finding:
    found = Comparison.of_pairs(
        (e.levels(family(s), "exact")[n], e.levels(family(s), "theorem")[n], label(n))
        for family in (uniform, as_table, any_shape)
        for s in STUBBORN
        for n in e.nodes
    )
    more = theorem_against_exact(e)
    return Finding(
        "the theorems are safe",
        "what the theorems admit, the beliefs p_in and p_out themselves admit",
        "Theorems 1, 2",
        found.holds,
        found.of,
        f"{len(e.nodes)} nodes × {len(STUBBORN)} stubbornnesses × 3 adversaries",
        f"“if”, not “iff”: they ask for an ε up to {more.worst:.3f} times as large ({more.where})",
    )


def theorem_against_exact(e: Experiment) -> Comparison:
    """How much more the theorems ask for than p_in and p_out themselves, over everything."""
    return Comparison.of_pairs(
        (e.levels(family(s), "theorem")[n], e.levels(family(s), "exact")[n],
         f"{label(n)}, {family(s)}")
        for family in (uniform, as_table, any_shape)
        for s in STUBBORN
        for n in e.nodes
    )  # fmt: skip
