"""What an attacker believes about one group, by Bayes' rule over all worlds: plain Python.

A world gives every person of the group a value. Before anything is published, the attacker holds
a world as likely as drawing its values one after another from an urn: with a Dirichlet prior
D(σ₁ … σₖ) the urn starts with σₛ balls of colour s and every draw puts one more ball of the drawn
colour in (Pólya); an infinitely stubborn attacker draws from the shape and never learns. The
release shows the histogram of the group; of the people in `known` the attacker holds the exact
values. Worlds that contradict either are struck out, and what is left is counted.

Nothing here uses hedgerow or a closed form. Everything is exact; keep groups to six or so people.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import inf, lcm
from typing import Literal, TypeVar

Value = TypeVar("Value", str, int)
Prior = tuple[Literal["finite", "infinite"], tuple[Fraction, ...]]
"""('finite', the σₛ) or ('infinite', the shape), over the sorted domain."""
World = tuple[int, ...]
"""For each person, the place of their value in the sorted domain."""
People = frozenset[int]
Epsilon = Fraction | float
"""A fraction, or infinity."""


def finite(*sigma: Fraction | int | str) -> Prior:
    """D(σ₁ … σₖ)."""
    return "finite", tuple(Fraction(balls) for balls in sigma)


def infinite(*shape: Fraction | int | str) -> Prior:
    """The attacker who is sure of the shape; the numbers are scaled to sum to 1."""
    shares = [Fraction(p) for p in shape]
    return "infinite", tuple(p / sum(shares) for p in shares)


def class_two(sigma: int, k: int) -> list[Prior]:
    """Every prior of whole numbers, at least 1 for each of k values and at most σ together."""
    return [
        ("finite", tuple(map(Fraction, parts)))
        for parts in product(range(1, sigma + 1), repeat=k)
        if sum(parts) <= sigma
    ]


def at_most(shape: Sequence[Fraction | int], stubbornness: Iterable[Fraction | int]) -> list[Prior]:
    """The same shape, held with each of the given stubbornnesses."""
    total = sum(map(Fraction, shape))
    return [finite(*(Fraction(p) / total * sigma for p in shape)) for sigma in stubbornness]


@lru_cache(maxsize=256)
def worlds(prior: Prior, n: int) -> dict[World, Fraction]:
    """Every world of n people, with the attacker's probability of it before the release."""
    if n == 0:
        return {(): Fraction(1)}
    kind, parameters = prior
    total = sum(parameters)
    found = {}
    for world, probability in worlds(prior, n - 1).items():
        for s, balls in enumerate(parameters):
            drawn = (balls + world.count(s)) / (total + n - 1) if kind == "finite" else balls
            found[*world, s] = probability * drawn
    return found


@lru_cache(maxsize=256)
def weights(prior: Prior, n: int) -> dict[World, int]:
    """The same worlds, all probabilities times one number that makes them whole (for speed)."""
    found = worlds(prior, n)
    times = lcm(*(probability.denominator for probability in found.values()))
    return {world: int(probability * times) for world, probability in found.items()}


@lru_cache(maxsize=4096)
def possible(k: int, truth: World, known: People, without: int | None) -> list[World]:
    """The worlds in which the same would be published, and the known people are as they are.

    Args:
        k: The number of values.
        truth: The world that is the case.
        known: Whose values the attacker holds.
        without: The person whose record is taken out before publishing; None if nobody's is.
    """

    def published(world: World) -> World:
        return tuple(sorted(s for person, s in enumerate(world) if person != without))

    shown = published(truth)
    return [
        world
        for world in product(range(k), repeat=len(truth))
        if published(world) == shown and all(world[v] == truth[v] for v in known)
    ]


@lru_cache(maxsize=65536)
def belief(
    prior: Prior, truth: World, u: int, known: People, *, published: bool
) -> tuple[Fraction, ...]:
    """For each value, the probability that it is u's: p_in if u's record is published, else p_out.

    Raises:
        ValueError: The attacker held what was published for impossible, so Bayes' rule is silent.
    """
    if u in known:
        raise ValueError(f"the attacker already holds the value of person {u}")
    k = len(prior[1])
    before = weights(prior, len(truth))
    after = [0] * k
    for world in possible(k, truth, known, None if published else u):
        after[world[u]] += before[world]
    total = sum(after)
    if not total:
        raise ValueError(f"what {prior} holds for impossible was published")
    return tuple(Fraction(weight, total) for weight in after)


def ratio(above: Fraction, below: Fraction) -> Epsilon:
    """x/y, with x/0 infinite and 0/0 = 1."""
    if below:
        return above / below
    return inf if above else Fraction(1)


def disclosed(p_in: Fraction, p_out: Fraction) -> Epsilon:
    """The smallest epsilon that allows belief to move from p_out to p_in (Definition 4)."""
    return max(Fraction(1), ratio(p_in, p_out), ratio(1 - p_out, 1 - p_in))


def held(n: int, u: int, known: int | Collection[int]) -> Iterator[People]:
    """Whose values the attacker may hold when wondering about u."""
    if isinstance(known, int):
        others = [v for v in range(n) if v != u]
        for size in range(min(known, n - 1) + 1):
            yield from map(frozenset, combinations(others, size))
    elif u not in known:
        yield frozenset(known)


def smallest_epsilon(
    table: Sequence[Value],
    *,
    priors: Iterable[Prior],
    known: int | Collection[int] = 0,
    predicates: Sequence[AbstractSet[Value]] | Sequence[Sequence[AbstractSet[Value]]] | None = None,
    domain: Iterable[Value] | None = None,
) -> Epsilon:
    """The smallest epsilon for which publishing the group's histogram is epsilon-private.

    Args:
        table: The true value of each person of one group.
        priors: The attackers to guard against, each on its own.
        known: At most how many people the attacker knows, whoever they are; or exactly which.
        predicates: What must not be learned, each a set of values: the same for all people, or
            one list for each person. By default, each single value.
        domain: All values there are; by default those in the table.

    Returns:
        A Fraction, or infinity; 1 where there is nobody left to protect.
    """
    values = sorted(set(domain if domain is not None else table))
    place = {value: s for s, value in enumerate(values)}
    truth = tuple(place[value] for value in table)
    if isinstance(known, Collection) and not set(known) <= set(range(len(table))):
        raise ValueError(f"of {len(table)} people, {sorted(known)} cannot be known")
    worst: Epsilon = Fraction(1)
    wishes = per_person(predicates, values, len(table))
    for prior in priors:
        if len(prior[1]) != len(values):
            raise ValueError(f"{prior} is not a prior over {values}")
        for u in range(len(table)):
            for b in held(len(table), u, known):
                p_in = belief(prior, truth, u, b, published=True)
                p_out = belief(prior, truth, u, b, published=False)
                for phi in wishes[u]:
                    among = [place[value] for value in phi if value in place]
                    moved = disclosed(
                        sum((p_in[s] for s in among), Fraction(0)),
                        sum((p_out[s] for s in among), Fraction(0)),
                    )
                    worst = max(worst, moved)
    return worst


def per_person(
    predicates: Sequence[AbstractSet[Value]] | Sequence[Sequence[AbstractSet[Value]]] | None,
    values: Sequence[Value],
    n: int,
) -> list[list[AbstractSet[Value]]]:
    """The predicates of each person."""
    if predicates is None:
        return [[{value} for value in values]] * n
    same: list[AbstractSet[Value]] = []
    own: list[list[AbstractSet[Value]]] = []
    for wish in predicates:
        if isinstance(wish, AbstractSet):
            same.append(wish)
        else:
            own.append(list(wish))
    if same and own:
        raise ValueError("predicates are the same for all people, or one list for each; not both")
    if own and len(own) != n:
        raise ValueError(f"there are {n} people, and wishes of {len(own)}")
    return own or [same] * n
