"""How stubborn an attacker has to be to break a claim, in closed form.

For one group and one predicate p_in does not depend on the stubbornness, and where sigma(phi) is
a linear function of it (one shape; one more person of the same proportions; any prior), p_out
is a ratio of two linear functions. So each of the two conditions of epsilon-privacy bounds the
stubbornness from above or from below, and what a claim allows is an interval. Which groups bound
it is found in floating point; the bounds are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hedgerow.claims.belief_terms import Belief
from hedgerow.claims.epsilon import EpsilonPrivacy
from hedgerow.table.groups import Groups

AT_ONCE = 4
"""Failing groups that are looked at exactly before all are measured again."""

Line = tuple[Fraction, Fraction]
"""A condition (slope, constant): slope * sigma + constant <= 0."""


@dataclass(frozen=True)
class Edge:
    """Where an interval of stubbornness ends, and who ends it."""

    stubbornness: Fraction
    group: int
    predicate: str


@dataclass(frozen=True)
class StubbornnessRange:
    """The stubbornness at which a claim holds: every one from `low` to `high`."""

    low: Fraction
    high: Fraction | None
    """None: however stubborn."""
    below: Edge | None = None
    """Who breaks the claim if it is a little less than `low`; None: nobody."""
    above: Edge | None = None
    """Who breaks it if it is a little more than `high`."""
    never: Edge | None = None
    """Who breaks it at any stubbornness that the others leave; then the interval is empty."""

    @property
    def empty(self) -> bool:
        return self.never is not None


@dataclass(frozen=True, kw_only=True)
class Family:
    """Attackers who differ in their stubbornness alone."""

    at: Callable[[Fraction | None], EpsilonPrivacy]
    """The claim against those of a stubbornness; None: infinite."""
    least: Fraction
    """The least stubborn of them."""
    most: Fraction | None = None
    """The most stubborn one asks about; None: infinite."""


def where_it_holds(family: Family, groups: Groups) -> StubbornnessRange:
    """The stubbornness at which the claim holds in every group.

    Each round measures all groups at one end of what is left, and lets those that fail there
    bound it. A group whose bounds are known is not asked again, so this ends; mostly soon,
    since the worst group bounds it most.
    """
    found = StubbornnessRange(family.least, family.most)
    # Evidence moves these attackers, and the closed form is read off what two of them believe.
    movable, other = family.at(family.least), family.at(family.least + 1)
    settled = np.zeros(len(groups), np.bool_)
    for at_top in (True, False):
        while True:
            model = family.at(found.high if at_top else found.low)
            level = model.level(groups)
            failing = np.flatnonzero(~model.decide(groups, level) & ~settled & (groups.n > 0))
            if not len(failing):
                break
            worst = failing[np.argsort(-level[failing], kind="stable")[:AT_ONCE]]
            settled[worst] = True
            for group in worst.tolist():
                both = zip(
                    movable.beliefs(groups, group), other.beliefs(groups, group), strict=True
                )
                for belief, more in both:
                    lines = _conditions(belief, more, movable)
                    found = _narrowed(found, lines, Edge(found.low, group, belief.predicate))
                    if found.empty:
                        return found
    return found


def _narrowed(found: StubbornnessRange, lines: Iterable[Line], edge: Edge) -> StubbornnessRange:
    """What the conditions on one predicate in one group leave of the interval."""
    for slope, constant in lines:
        if slope == 0:
            if constant > 0:
                return replace(found, never=edge)
            continue
        here = replace(edge, stubbornness=-constant / slope)
        if slope > 0 and (found.high is None or here.stubbornness < found.high):
            found = replace(found, high=here.stubbornness, above=here)
        elif slope < 0 and here.stubbornness > found.low:
            found = replace(found, low=here.stubbornness, below=here)
        if found.high is not None and found.low > found.high:
            return replace(found, never=here)
    return found


def _conditions(belief: Belief, other: Belief, model: EpsilonPrivacy) -> Iterator[Line]:
    """Both conditions on what attackers believe.

    p_out = (counted + share * sigma) / (n - 1 + more + sigma), where the theorems imagine one
    person more than there is.
    """
    if belief.p_in == 1:
        yield Fraction(0), Fraction(1)  # sure is sure
        return
    assert belief.stubbornness is not None, "asked of attackers whom evidence moves"
    assert other.stubbornness is not None, "asked of attackers whom evidence moves"
    epsilon, imagined = model.required, int(model.by == "theorem")
    others = belief.people - 1 + imagined
    here = belief.p_out * (others + belief.stubbornness)
    there = other.p_out * (others + other.stubbornness)
    share = (there - here) / (other.stubbornness - belief.stubbornness)
    counted = here - share * belief.stubbornness
    p_in = belief.p_in
    yield p_in - epsilon * share, p_in * others - epsilon * counted
    doubt = epsilon * (1 - p_in)
    yield 1 - share - doubt, others - counted - doubt * (others - imagined)
