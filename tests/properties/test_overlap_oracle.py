"""Claims about single people where groups overlap, against every way to place the known people.

The oracle shares no code with Hedgerow: it puts each known person into each group that they fit
(or nowhere, where people were left out), keeps what the counts of the groups allow, and for every
person who may be in a group computes what an attacker believes in fractions, group by group and
in mixtures of the groups. Production must never say less.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.claims.adversary import Adversary, ClassI, ClassIII, Known
from hedgerow.claims.epsilon import EpsilonPrivacy
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.priors import Prior
from hedgerow.release.partition.candidates import Candidates
from hedgerow.release.partition.widened_groups import widened
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Facts, Groups, Histogram, Sensitive
from hedgerow.table.hierarchy import ANY, Hierarchy

VALUES = "abc"
LIST = Known(by="name", people=("somebody",))


@dataclass(frozen=True)
class Someone:
    fits: frozenset[int]
    """The groups a reader sees that they fit."""
    own: int | None
    """The one they are in; nobody outside knows it."""
    value: str
    wish: str | None
    known: bool


@dataclass(frozen=True)
class Overlap:
    people: tuple[Someone, ...]
    sigma: tuple[Fraction, ...]
    learns: bool
    weights: tuple[int, ...]
    wishes: bool
    listed: bool

    @property
    def model(self) -> EpsilonPrivacy:
        knows = LIST if self.listed else 0
        prior = Prior.shape(dict(zip(VALUES, self.sigma, strict=True)))
        adversary: Adversary = ClassIII(prior=prior, knows=knows)
        if self.learns:
            adversary = ClassI(prior=prior, stubbornness=sum(self.sigma), knows=knows)
        predicates = Predicates(wishes="w") if self.wishes else Predicates()
        return EpsilonPrivacy(epsilon=1, of="s", adversary=adversary, predicates=predicates)

    @property
    def left_out(self) -> int:
        return sum(one.own is None for one in self.people)


@st.composite
def overlaps(draw: st.DrawFn) -> Overlap:
    groups = draw(st.integers(2, 3))
    fits = st.frozensets(st.integers(0, groups - 1), min_size=1)
    wishes, listed = draw(st.sampled_from([(True, True), (True, False), (False, True)]))
    out = draw(st.booleans())
    people = []
    for _ in range(draw(st.integers(groups + 2, 9))):
        may_be = draw(fits)
        own = draw(st.sampled_from([*sorted(may_be), *([None] if out else [])]))
        wish = draw(st.sampled_from([*VALUES, *VALUES, None])) if wishes else None
        known = listed and draw(st.integers(0, 2)) == 0
        people.append(Someone(may_be, own, draw(st.sampled_from(VALUES)), wish, known))
    for group, value in enumerate((*VALUES, *VALUES)[: groups + 3]):  # so that there is each
        at = group % groups
        people.append(Someone(frozenset([at]), at, value, "a" if wishes else None, False))
    sigma = tuple(draw(st.builds(Fraction, st.integers(1, 12))) for _ in VALUES)
    weights = tuple(draw(st.integers(0, 5)) for _ in range(groups))
    return Overlap(tuple(people), sigma, draw(st.booleans()), weights, wishes, listed)


# Production


def level(case: Overlap) -> Fraction | float:
    """The level over all groups, without rounding."""
    model, (wide, _) = case.model, counted(case)
    found: list[Fraction | float] = [Fraction(1)]
    for group in range(len(wide)):
        here = [b.epsilon for b in model.beliefs(wide, group)]
        found += [inf if epsilon is None else epsilon for epsilon in here]
        rounded = float(model.level(wide)[group])
        exactly = max((inf if e is None else e for e in here), default=Fraction(1))
        assert abs(rounded - float(exactly)) <= 1e-9 * rounded or rounded == exactly
    return max(found)


def counted(case: Overlap) -> tuple[Groups, Groups]:
    """The groups with everybody who fits them, and with those who are in them."""
    model = case.model
    assert model.facts is not None
    size = len(case.weights)
    kinds = list(dict.fromkeys((p.fits, p.own) for p in case.people))
    tuple_ = [kinds.index((p.fits, p.own)) for p in case.people]
    people = len(case.people)
    wishes = (None, *VALUES)
    facts = Facts(
        model.facts.name, tuple(map(str, range(people))), np.ones(people, np.int64), people,
        value=np.array([VALUES.index(p.value) for p in case.people], np.int32),
        known=np.array([p.known for p in case.people]),
        wish=np.array([wishes.index(p.wish) for p in case.people], np.int32),
        wishes=wishes,
    )  # fmt: skip
    counts = Counter(p.value for p in case.people)
    column = Sensitive("s", tuple(VALUES), np.array([counts[v] for v in VALUES]), people)
    one_each = np.arange(people + 1)
    ones = np.ones(people, np.int64)
    hierarchy = Hierarchy.of("q", [(f"q{i:03}", ANY) for i in range(len(kinds))])
    cells = Cells(
        (hierarchy,), hierarchy.encode([f"q{i:03}" for i in tuple_])[:, None], ones, ones,
        (column, facts),
        (Histogram(one_each, facts.value, ones),
         Histogram(one_each, np.arange(people, dtype=np.int32), ones)),
    )  # fmt: skip
    _, of_cell = cells.tuples
    inside = np.array([p.own is not None for p in case.people])
    own = np.array([p.own or 0 for p in case.people])
    every = Groups(
        ones,
        {"s": cells.values[0], facts.name: cells.values[1]},
        {"s": column, facts.name: facts},
    )
    groups = every.take(inside).merge(own[inside], size)
    pairs = {(int(t), g) for t, p in zip(of_cell, case.people, strict=True) for g in p.fits}
    candidates = Candidates(
        np.array([t for t, _ in sorted(pairs)]), np.array([g for _, g in sorted(pairs)]),
        len(kinds), np.arange(size), case.left_out, np.zeros(size, np.bool_),
        np.zeros(len(kinds), np.bool_),
    )  # fmt: skip
    return widened([model.facts], cells, groups, candidates, np.arange(size)), groups


# The oracle


def placements(case: Overlap) -> list[list[Counter[str]]]:
    """What the records of known people in each group may be: every way the counts allow."""
    counts = [Counter(p.value for p in case.people if p.own == g) for g in range(len(case.weights))]
    known = [p for p in case.people if p.known]
    nowhere: list[int | None] = [None] if case.left_out else []
    found = []
    for places in product(*([*sorted(p.fits), *nowhere] for p in known)):
        if sum(g is None for g in places) > case.left_out:
            continue
        theirs: list[Counter[str]] = [Counter() for _ in counts]
        for one, g in zip(known, places, strict=True):
            if g is not None:
                theirs[g][one.value] += 1
        if all(theirs[g] <= here for g, here in enumerate(counts)):
            found.append(theirs)
    return found


def oracle(case: Overlap) -> Fraction | float:
    counts = [Counter(p.value for p in case.people if p.own == g) for g in range(len(case.weights))]
    worst: Fraction | float = Fraction(1)
    for theirs in placements(case):
        for person in case.people:
            if person.known:
                continue
            asked = VALUES if not case.wishes or person.wish is None else person.wish
            for value in asked:
                beliefs = {
                    g: _beliefs(case, counts[g], theirs[g], value, person, g)
                    for g in person.fits
                    if counts[g].total() > theirs[g].total()
                }
                for weights in (*({g: 1} for g in beliefs), dict(enumerate(case.weights))):
                    whole = sum(weights.get(g, 0) for g in beliefs)
                    if not whole:
                        continue
                    p_in, p_out = (
                        sum((beliefs[g][i] * weights.get(g, 0) for g in beliefs), Fraction(0))
                        / whole
                        for i in (0, 1)
                    )
                    worst = max(worst, _ratio(p_in, p_out), _ratio(1 - p_out, 1 - p_in))
    return worst


def _beliefs(
    case: Overlap, here: Counter[str], theirs: Counter[str], value: str, person: Someone, g: int
) -> tuple[Fraction, Fraction]:
    """With the person's record, and with the person's record taken out of where it is."""
    n, theirs_n = here.total(), theirs.total()
    p_in = Fraction(here[value] - theirs[value], n - theirs_n)
    sigma, mine = sum(case.sigma, Fraction(0)), case.sigma[VALUES.index(value)]
    if not case.learns:
        return p_in, mine / sigma
    gone = int(person.own == g)
    held = here[value] - (gone and person.value == value)
    return p_in, (held + mine) / (n - gone + sigma)


def _ratio(above: Fraction, below: Fraction) -> Fraction | float:
    return above / below if below else (inf if above else Fraction(1))


@settings(max_examples=400)
@given(overlaps())
def test_never_less_than_any_placement_says(case: Overlap) -> None:
    assert oracle(case) <= level(case)


@settings(max_examples=200)
@given(overlaps())
def test_what_protects_anybody_protects_all_who_fit(case: Overlap) -> None:
    """The second search asks at least as much of each group."""
    wide, groups = counted(case)
    anybody = case.model.for_anybody(wide.domains)
    assert anybody is not None
    there = groups.n > 0
    assert (anybody.level(groups) >= case.model.level(wide) * (1 - 1e-12))[there].all()


def test_what_is_said_is_reached() -> None:
    """One of two known people has flu, and may be in either group; each is named in one of them."""
    both, first, second = frozenset([0, 1]), frozenset([0]), frozenset([1])
    people = (
        Someone(both, 0, "a", None, True), Someone(both, 1, "b", None, True),
        *(Someone(first, 0, v, None, False) for v in "abc"),
        *(Someone(second, 1, v, None, False) for v in "abcc"),
    )  # fmt: skip
    one = Overlap(people, (Fraction(1),) * 3, False, (1, 1), False, True)
    # The second group has a, b, b, c, c. Without the known a and b: c is two of three; without
    # the known b: a, b, c, c. The first has a, a, b, c: without both known a and c; c is half.
    assert oracle(one) == level(one) == 2
    own = Overlap(people, (Fraction(1),) * 3, False, (1, 0), False, True)
    assert level(own) == 2
    alone = tuple(Someone(p.fits if not p.known else frozenset([p.own or 0]), p.own, p.value,
                          None, p.known) for p in people)  # fmt: skip
    sure = Overlap(alone, (Fraction(1),) * 3, False, (1, 1), False, True)
    assert oracle(sure) == Fraction(3, 2), "where they are is known: c is two of four"


def test_both_ratios_are_kept_by_mixtures() -> None:
    """Whatever the weights; and by the union, whose beliefs are those of its own counts."""
    rng = np.random.default_rng(5)
    tried = 0
    for _ in range(20_000):
        n = rng.integers(1, 12, 2)
        c = rng.integers(0, n + 1)
        sigma = int(rng.integers(2, 30))
        mine = int(rng.integers(1, sigma))
        epsilon = Fraction(int(rng.integers(10, 40)), 10)
        if not all(_keeps(int(c[i]), int(n[i]), mine, sigma, epsilon) for i in (0, 1)):
            continue
        tried += 1
        assert _keeps(int(c.sum()), int(n.sum()), mine, sigma, epsilon)
        share = Fraction(int(rng.integers(0, 9)), 8)
        p_in, p_out = (
            share * _of(int(c[0]), int(n[0]), mine, sigma)[i]
            + (1 - share) * _of(int(c[1]), int(n[1]), mine, sigma)[i]
            for i in (0, 1)
        )
        assert p_in <= epsilon * p_out
        assert 1 - p_out <= epsilon * (1 - p_in)
    assert tried > 500


def _of(c: int, n: int, mine: int, sigma: int) -> tuple[Fraction, Fraction]:
    return Fraction(c, n), Fraction(max(0, c - 1) + mine, n - 1 + sigma)


def _keeps(c: int, n: int, mine: int, sigma: int, epsilon: Fraction) -> bool:
    p_in, p_out = _of(c, n, mine, sigma)
    return c == 0 or (p_in <= epsilon * p_out and 1 - p_out <= epsilon * (1 - p_in))
