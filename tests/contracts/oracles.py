"""Oracles: what each claim says of a table, straight from its definition, in exact arithmetic.

They work on lists of people, in whole numbers and fractions, and share no code with the models.
Every suite about claims takes its cases from here, claim by claim of the registry.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

from hypothesis import strategies as st

from hedgerow.claims import (
    CLAIMS,
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    EpsilonPrivacy,
    JournalistRisk,
    KAnonymity,
    KMap,
    MarketerRisk,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
)
from hedgerow.claims.adversary import Adversary, AtMost, ClassI, ClassII, ClassIII
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.priors import Prior
from hedgerow.table.groups import ALL, Groups

INF = math.inf
Person = frozenset[int]
Level = Fraction | float


class Table(NamedTuple):
    """People by group, each with a set of sensitive values, and a population by group."""

    people: list[list[Person]]
    population: list[int]
    width: int
    parents: list[int]

    @property
    def everybody(self) -> list[Person]:
        return [person for group in self.people for person in group]

    @property
    def several(self) -> bool:
        return any(len(person) != 1 for person in self.everybody)

    def groups(self) -> Groups:
        order = [str(v) for v in range(self.width)]
        counts: dict[str, list[dict[str | None, int]]] = {"s": [], ALL: []}
        for group in self.people:
            counts["s"].append(dict(Counter(str(v) for person in group for v in person)))
            counts[ALL].append(dict(Counter(str(sorted(person)) for person in group)))
        return Groups.of(
            counts,
            n=[len(group) for group in self.people],
            population=self.population,
            order={"s": order},
            levels={"s": [self.parents, [0] * self.width]},
        )


@st.composite
def tables(draw: st.DrawFn) -> Table:
    width = draw(st.integers(1, 4))
    most = draw(st.sampled_from([1, width]))
    person = st.frozensets(st.integers(0, width - 1), min_size=1, max_size=most)
    people = draw(st.lists(st.lists(person, max_size=6), min_size=1, max_size=4))
    population = [len(group) + draw(st.integers(0, 3)) for group in people]
    parents = draw(st.lists(st.integers(0, 2), min_size=width, max_size=width))
    return Table(people, population, width, parents)


def shares(people: list[Person], width: int) -> list[Fraction]:
    """Of the people, how many have each value."""
    return [Fraction(sum(v in person for person in people), len(people)) for v in range(width)]


def pairs(people: list[Person], width: int) -> list[int]:
    return [sum(v in person for person in people) for v in range(width)]


def distribution(people: list[Person], width: int) -> list[Fraction]:
    """The distribution of pairs (person, value)."""
    counts = pairs(people, width)
    return [Fraction(count, sum(counts)) for count in counts]


def over(a: int, b: int) -> Level:
    return Fraction(a, b) if b > 0 else INF


def all_columns(t: Table, g: int) -> Level:
    return Fraction(min(Counter(t.people[g]).values()))


def distinct(t: Table, g: int) -> Level:
    values = Fraction(len(frozenset().union(*t.people[g])))
    return min(values, probabilistic(t, g)) if t.several else values


def probabilistic(t: Table, g: int) -> Level:
    return 1 / max(shares(t.people[g], t.width))


def recursive(l: int) -> Callable[[Table, int], Level]:  # noqa: E741
    def level(t: Table, g: int) -> Level:
        r = sorted((c for c in pairs(t.people[g], t.width) if c), reverse=True)
        found = over(r[0], sum(r[l - 1 :]))
        return max(found, over(r[0], len(t.people[g]) - r[0])) if t.several else found

    return level


def closeness(distance: str) -> Callable[[Table, int], Level]:
    def level(t: Table, g: int) -> Level:
        p, q = distribution(t.people[g], t.width), distribution(t.everybody, t.width)
        extra = [a - b for a, b in zip(p, q, strict=True)]
        if distance == "equal":
            found = sum(map(abs, extra), Fraction(0)) / 2
        elif distance == "ordered":
            present = [e for e, b in zip(extra, q, strict=True) if b]
            steps = [abs(sum(present[: i + 1])) for i in range(len(present))]
            found = sum(steps, Fraction(0)) / max(1, len(present) - 1)
        else:
            under: dict[int, list[Fraction]] = {}
            for value, e in enumerate(extra):
                under.setdefault(t.parents[value], []).append(e)
            middle = sum(
                (min(sum(x for x in xs if x > 0), -sum(x for x in xs if x < 0))
                 for xs in under.values()), Fraction(0)
            )  # fmt: skip
            top = sum((max(sum(xs), Fraction(0)) for xs in under.values()), Fraction(0))
            # Where all values have one parent that parent is the lower of two nodes in a row.
            found = middle / 2 + top
        if t.several:
            ours, theirs = shares(t.people[g], t.width), shares(t.everybody, t.width)
            found = max(found, *(abs(a - b) for a, b in zip(ours, theirs, strict=True)))
        return found

    return level


def alpha_k(k: int, value: int | None) -> Callable[[Table, int], Level]:
    def level(t: Table, g: int) -> Level:
        found = shares(t.people[g], t.width)
        share = max(found) if value is None else found[value]
        return share if len(t.people[g]) >= k else INF

    return level


def gain(t: Table, g: int) -> Level:
    ours, theirs = shares(t.people[g], t.width), shares(t.everybody, t.width)
    gains = [(a - b) / b for a, b in zip(ours, theirs, strict=True) if a > b]
    return max(gains, default=Fraction(0))


def enhanced(t: Table, g: int) -> Level:
    ours, theirs = shares(t.people[g], t.width), shares(t.everybody, t.width)
    for a, b in zip(ours, theirs, strict=True):
        # gain <= -ln b  <=>  e^gain * b <= 1
        if a > b and power_of_e((a - b) / b) * Fraction(b) > 1:
            return INF
    return gain(t, g)


def power_of_e(exponent: Fraction) -> Fraction:
    """e^x to sixty digits, by another road than the models' logarithms."""
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(exponent.numerator) / exponent.denominator).exp())


def present_share(minimum: Fraction) -> Callable[[Table, int], Level]:
    def level(t: Table, g: int) -> Level:
        share = over(len(t.people[g]), t.population[g])
        return share if share >= minimum else INF

    return level


def believed(
    prior: Callable[[Table], tuple[list[Fraction], Fraction | None]], b: int = 0
) -> Callable[[Table, int], Level]:
    """Epsilon from p_in and p_out, person by person; tests/worlds.py derives these."""

    def level(t: Table, g: int) -> Level:
        (sigma, total), n = prior(t), len(t.people[g])
        worst: Level = ONE
        for person in t.people[g]:
            (value,) = person
            same = sum(other == person for other in t.people[g])
            p_in = Fraction(same, n - b) if n - b > same else ONE
            p_out = sigma[value] if total is None else (same - 1 + sigma[value]) / (n - 1 + total)
            if p_in == 1 or p_out == 0:
                return INF
            worst = max(worst, p_in / p_out, (1 - p_out) / (1 - p_in))
        return worst

    return level


def counted_elsewhere(t: Table) -> tuple[list[Fraction], Fraction | None]:
    """Two people with value 0 and one with a value the table does not know."""
    sigma = [Fraction(1 + 2 * (v == 0)) for v in range(t.width)]
    return sigma, sum(sigma, Fraction(2))


class Case(NamedTuple):
    """A model with one free parameter: how to build it, and its level by the definition."""

    name: str
    """Which case of the claim it is; nothing where there is but one."""
    build: Callable[[Any], PrivacyModel]
    level: Callable[[Table, int], Level] | None
    """None where another test has the oracle; `OTHER_ORACLES` says which."""
    least: Fraction = Fraction(0)
    most: Level = INF
    whole: bool = False
    counts_empty: bool = False
    one_each: bool = False
    """Whether it refuses tables in which people have several values."""
    decides: Callable[[Table, int, Fraction], bool] | None = None
    """Whether a group passes with a parameter, where the level is no fraction."""
    usual: tuple[Any, ...] = ()
    """Parameters with which small tables pass sometimes, for searches."""


def entropy(t: Table, g: int) -> Level:
    counts = [c for c in pairs(t.people[g], t.width) if c]
    n = sum(counts)
    found = math.exp(math.fsum(c / n * math.log(n / c) for c in counts))
    return min(found, float(probabilistic(t, g))) if t.several else found


def diverse(t: Table, g: int, required: Fraction) -> bool:
    """Entropy in whole numbers: N^N >= l^N times the product of c^c."""
    counts = [c for c in pairs(t.people[g], t.width) if c]
    n = sum(counts)
    if t.several and probabilistic(t, g) < required:
        return False
    return n**n >= required**n * math.prod(c**c for c in counts)


def disclosure(t: Table, g: int) -> Level:
    ours, theirs = shares(t.people[g], t.width), shares(t.everybody, t.width)
    met = [(a, b) for a, b in zip(ours, theirs, strict=True) if b]
    return max(abs(math.log(a / b)) if a else INF for a, b in met)


def undisclosed(t: Table, g: int, delta: Fraction) -> bool:
    ours, theirs = shares(t.people[g], t.width), shares(t.everybody, t.width)
    met = [(a, b) for a, b in zip(ours, theirs, strict=True) if b]
    return all(a > 0 and max(a / b, b / a) < power_of_e(delta) for a, b in met)


ONE, UNIT = Fraction(1), Fraction(1, 10**6)
_PRIOR = Prior.counts({"0": 2, "x": 1})


def _epsilon(name: str, adversary: Adversary, level: Any, *usual: float, **more: Any) -> Case:
    def build(e: Any) -> PrivacyModel:
        return EpsilonPrivacy(epsilon=e, of="s", adversary=adversary, **more)

    return Case(name, build, level, ONE, one_each=True, usual=usual)


ORACLES: dict[str, tuple[Case, ...]] = {
    "k-anonymity": (
        Case("", lambda k: KAnonymity(k=k), lambda t, g: Fraction(len(t.people[g])), ONE,
             whole=True, usual=(2, 4)),
        Case("over all", lambda k: KAnonymity(k=k, over="all"), all_columns, ONE, whole=True),
    ),
    "l-diversity": (
        Case("distinct", lambda x: DistinctLDiversity(l=x, of="s"), distinct, ONE, whole=True,
             usual=(2,)),
        Case("probabilistic", lambda x: ProbabilisticLDiversity(l=x, of="s"), probabilistic, ONE,
             usual=(2,)),
        Case("entropy", lambda x: EntropyLDiversity(l=x, of="s"), entropy, ONE, decides=diverse,
             usual=(2,)),
        *(
            Case(f"recursive {x}", lambda c, x=x: RecursiveLDiversity(c=c, l=x, of="s"),
                 recursive(x), UNIT, usual=(2,) if x == 2 else ())
            for x in (1, 2, 3)
        ),
    ),
    "t-closeness": tuple(
        Case(distance, lambda t, distance=distance: TCloseness(t=t, of="s", distance=distance),
             closeness(distance), most=ONE, usual=usual)
        for distance, usual in (("equal", (0.3,)), ("ordered", (0.2,)), ("hierarchical", ()))
    ),
    "alpha-k-anonymity": (
        Case("", lambda a: AlphaKAnonymity(alpha=a, k=2, of="s"), alpha_k(2, None), most=ONE,
             usual=(0.7,)),
        Case("of one value", lambda a: AlphaKAnonymity(alpha=a, k=1, of="s", value="0"),
             alpha_k(1, 0), most=ONE),
    ),
    "delta-disclosure": (
        Case("", lambda d: DeltaDisclosure(delta=d, of="s"), disclosure, UNIT, decides=undisclosed,
             usual=(1.5,)),
    ),
    "beta-likeness": (
        Case("basic", lambda b: BetaLikeness(beta=b, of="s"), gain, usual=(1.0,)),
        Case("enhanced", lambda b: BetaLikeness(beta=b, of="s", kind="enhanced"), enhanced,
             usual=(1.0,)),
    ),
    "epsilon-privacy": (
        _epsilon("I", ClassI(prior=_PRIOR), believed(counted_elsewhere)),
        _epsilon("I knowing", ClassI(prior=_PRIOR, knows=2), believed(counted_elsewhere, 2)),
        _epsilon("II", ClassII(stubbornness=7, knows=1),
                 believed(lambda t: ([ONE] * t.width, ONE * 7), 1)),
        _epsilon("III", ClassIII(prior=Prior.uniform()),
                 believed(lambda t: ([Fraction(1, t.width)] * t.width, None))),
        # tests/properties/test_epsilon_oracle.py has the oracle of these.
        _epsilon("I uniform", ClassI(prior=Prior.uniform(), stubbornness=4), None, 2),
        _epsilon("II by theorem", ClassII(stubbornness=4), None, 3, by="theorem"),
        _epsilon("III of the table", ClassIII(prior=Prior.of_table()), None, 2.5),
        _epsilon("at most", AtMost(prior=Prior.uniform(), knows=1), None, 4),
        *(
            _epsilon(f"{name} {by}", adversary, None, predicates=predicates, by=by)
            for by in ("exact", "theorem")
            for name, adversary, predicates in (
                ("I from counts", ClassI(prior=Prior.counts({"0": 3, "1": 9, "7": 2})),
                 Predicates()),
                ("I knowing two", ClassI(prior=Prior.uniform(), stubbornness=30, knows=2),
                 Predicates()),
                ("at most fifty", AtMost(prior=Prior.of_table(), stubbornness=50, at_least=2),
                 Predicates()),
                ("II about two values", ClassII(stubbornness=20, knows=1),
                 Predicates(sets=[["0", "1"]], negative=True)),
                ("III and the opposite", ClassIII(prior=Prior.of_table()),
                 Predicates(negative=True)),
            )
        ),
    ),
    "delta-presence": (
        Case("", lambda d: DeltaPresence(minimum=0, maximum=d), present_share(Fraction(0)),
             most=ONE, counts_empty=True, usual=(0.7,)),
        Case("from a third", lambda d: DeltaPresence(minimum=Fraction(1, 3), maximum=d),
             present_share(Fraction(1, 3)), Fraction(1, 3), ONE, counts_empty=True),
        Case("from a tenth", lambda d: DeltaPresence(minimum=0.1, maximum=d),
             present_share(Fraction(1, 10)), Fraction(1, 10), ONE, counts_empty=True,
             usual=(0.9,)),
    ),
    "k-map": (
        Case("", lambda k: KMap(k=k), lambda t, g: Fraction(t.population[g]), ONE, whole=True,
             usual=(3,)),
    ),
    "prosecutor-risk": (
        Case("", lambda r: ProsecutorRisk(risk=r), lambda t, g: over(1, len(t.people[g])), UNIT,
             ONE, usual=(0.3,)),
    ),
    "journalist-risk": (
        Case("", lambda r: JournalistRisk(risk=r), lambda t, g: over(1, t.population[g]), UNIT,
             ONE, usual=(0.4,)),
    ),
    "marketer-risk": (
        Case("", lambda r: MarketerRisk(risk=r),
             lambda t, g: over(sum(map(bool, t.people)), len(t.everybody)), UNIT, ONE,
             usual=(0.4,)),
    ),
    "unique-share": (
        Case("", lambda u: UniqueShare(share=u),
             lambda t, g: over(sum(len(p) == 1 for p in t.people), len(t.everybody)), most=ONE,
             usual=(0.2,)),
    ),
}  # fmt: skip
"""Plan name -> the cases that the suites try. A claim without one fails `test_models`."""
OTHER_ORACLES = {
    "k-candidates": "tests/properties/test_cells.py",
    "composition": "tests/claims/test_composition.py",
    "belief": "tests/properties/test_belief_worlds.py",
    "population-uniqueness": "tests/claims/test_population_uniqueness.py",
    "individual-risk": "tests/claims/test_individual_risk.py",
}
"""Claims about more than a table: where their oracle is."""
OTHER_CLASSES = {"MarginalAnonymity": "tests/properties/test_known_columns.py"}
"""Classes that look at more than each group: where their oracle is."""


def cases() -> dict[str, Case]:
    """The cases of every claim that is declared, by a name that begins with the claim's."""
    return {
        f"{claim} {case.name}".rstrip(): case for claim in CLAIMS for case in ORACLES.get(claim, ())
    }


def models() -> dict[str, list[PrivacyModel]]:
    """For every claim, models that small tables keep sometimes."""
    return {
        claim: [case.build(usual) for case in ORACLES.get(claim, ()) for usual in case.usual]
        for claim in CLAIMS
        if claim not in OTHER_ORACLES
    }
