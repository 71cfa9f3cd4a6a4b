"""Epsilon-privacy: nobody has to regret that their record is in the release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from hedgerow.adversary import Adversary, ClassIV, Extreme, Known
from hedgerow.errors import DataError, PlanError
from hedgerow.groups import Facts, Floats, Groups, Histogram, Ints, Sensitive
from hedgerow.models.base import (
    ColumnModel,
    exact,
    histogram_of,
    require_number,
    shown,
)
from hedgerow.models.beliefs import Codes, Flags, most_who_stay, smallest_epsilons
from hedgerow.predicates import Bound, Predicates

EVERYBODY = np.zeros(0, np.int32)


@dataclass(frozen=True, kw_only=True)
class AskedFacts:
    """What a claim has to know of people that the release does not show."""

    of: str
    """The sensitive column."""
    known: Known | None
    """People whose records an attacker holds."""
    wishes: str | None
    """Column of what each person wants protected."""

    @property
    def name(self) -> str:
        """The attribute of the groups that holds it."""
        known = "" if self.known is None else f", known {self.known.digest}"
        wishes = "" if self.wishes is None else f", wishes {self.wishes}"
        return f"({self.of}{known}{wishes})"


@dataclass(frozen=True, kw_only=True)
class Belief:
    """What an attacker believes of a person in a group, with and without the record."""

    predicate: str
    people: int
    """People of the group."""
    holders: int
    """Those of them for whom the predicate is true."""
    expected: Fraction
    """What share of people the attacker expected to find."""
    stubbornness: Fraction | None
    p_in: Fraction
    p_out: Fraction
    epsilon: Fraction | None
    """The smallest at which this is private; None: none is."""


@dataclass(frozen=True, eq=False)
class _Terms:
    """An adversary's extremes and the predicates over one domain, as the kernels take them."""

    predicates: Bound
    extremes: tuple[Extreme, ...]
    start: Ints
    into: Codes
    known: Flags
    wish_start: Ints
    wishes: Codes
    learns: Flags
    u: Floats
    v: Floats
    w: Floats
    x: Floats


@dataclass(frozen=True, kw_only=True)
class EpsilonPrivacy(ColumnModel):
    """What an attacker believes of a person hardly depends on the person's record being there.

    Guarantee: For every person whose record the attacker does not hold and every predicate,
        p_in / p_out <= epsilon and (1 - p_out) / (1 - p_in) <= epsilon; p_in is what the
        attacker believes when the record is in the release, p_out when it was taken out.
    Assumes: The attacker is of the class named, believes the same of every group before
        seeing it, revises that by the group alone, and does not reason about how the
        recoding was chosen. One sensitive column; one value a person.
    Reference: Machanavajjhala, Gehrke, Goetz 2009 (VLDB), Definition 4, Theorems 1 to 4 and
        Appendix A. `by="exact"` decides by p_in and p_out themselves (Equations 8 and 9, with
        known individuals), `by="theorem"` by the theorems' conditions, which ask a little
        more: at most n + sigma over n + sigma - 1 times as much for the first, and one
        imagined person more for the second.

    The level is the smallest epsilon, at least 1.

    >>> from hedgerow.adversary import ClassI, ClassIII
    >>> from hedgerow.priors import Prior
    >>> groups = Groups.of({"disease": [{"flu": 1800, "cancer": 2700},
    ...                                 {"flu": 18000, "cancer": 2000}]})
    >>> metropolis = Prior.counts({"flu": 11_999, "cancer": 17_999})
    >>> alice = ClassI(prior=metropolis)
    >>> EpsilonPrivacy(epsilon=4.1, of="disease", adversary=alice).level(groups).round(4).tolist()
    [1.0, 4.0001]
    >>> stubborn = ClassIII(prior=Prior.shape({"flu": 0.4, "cancer": 0.6}))
    >>> EpsilonPrivacy(epsilon=4, of="disease", adversary=stubborn).check(groups).level
    6.0
    """

    higher_is_safer: ClassVar[bool] = False

    epsilon: float
    """How many times as sure, at most; at least 1."""
    adversary: Adversary
    predicates: Predicates = field(default_factory=Predicates)
    by: Literal["exact", "theorem"] = "exact"

    def __post_init__(self) -> None:
        require_number("epsilon", self.epsilon, least=1)
        super().__post_init__()
        if not isinstance(self.adversary, Adversary):
            raise PlanError(
                f"epsilon-privacy is against an adversary, not {self.adversary!r}",
                fix="Use ClassI, AtMost, ClassII, ClassIII or ClassIV.",
            )
        if not isinstance(self.predicates, Predicates):
            raise PlanError(
                f"the predicates are no Predicates: {self.predicates!r}",
                fix="Use Predicates(sets=[...]).",
            )
        if self.by not in ("exact", "theorem"):
            raise PlanError(f"it is decided 'exact' or by 'theorem', not {self.by!r}")

    def __str__(self) -> str:
        about = "" if self.predicates.usual else f" ({self.predicates})"
        return f"{shown(self.epsilon)}-privacy of {self.of}{about} against {self.adversary}"

    @property
    def required(self) -> Fraction:
        return exact(self.epsilon)

    @property
    def monotone_in_generalisation(self) -> bool:  # type: ignore[override]
        # A group in which nobody minds may be merged with one in which somebody does; and whom
        # an attacker knows in one group changes what they believe of the other.
        return self.facts is None

    @property
    def compares_with_table(self) -> bool:
        return self.adversary.compares_with_table or not self.predicates.usual

    @property
    def facts(self) -> AskedFacts | None:
        """What it has to know of people that the release does not show."""
        known, wishes = self.adversary.listed, self.predicates.wishes
        if known is None and wishes is None:
            return None
        return AskedFacts(of=self.of, known=known, wishes=wishes)

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.of,) if self.facts is None else (self.of, self.facts.name)

    def spelled_out(self) -> dict[str, Any]:
        """The claim's parts, for the certificate."""
        return {
            "adversary": str(self.adversary),
            "predicates": str(self.predicates),
            "decided": "by p_in and p_out themselves" if self.by == "exact"
            else "by the theorems' conditions",
        }  # fmt: skip

    def level(self, groups: Groups) -> Floats:
        terms, histogram = self._terms(groups)
        if not terms.extremes:
            return np.where(groups.n > 0, np.inf, 1.0)
        return smallest_epsilons(
            histogram.indptr,
            histogram.codes,
            histogram.counts,
            groups.n,
            terms.start,
            terms.into,
            terms.predicates.negated,
            terms.known,
            terms.wish_start,
            terms.wishes,
            self.adversary.known,
            terms.learns,
            terms.u,
            terms.v,
            terms.w,
            terms.x,
            self.by == "exact",
        )

    def exactly(self, groups: Groups, group: int) -> bool:
        return all(
            belief.epsilon is not None and belief.epsilon <= self.required
            for belief in self.beliefs(groups, group)
        )

    def could_stay(self, groups: Groups) -> Ints:
        if not self.monotone_in_generalisation:
            return super().could_stay(groups)
        terms, histogram = self._terms(groups)
        if not terms.extremes:
            return np.zeros(len(groups), np.int64)
        stay = most_who_stay(
            histogram.indptr,
            histogram.codes,
            histogram.counts,
            groups.n,
            terms.start,
            terms.into,
            terms.predicates.negated,
            terms.predicates.apart,
            self.adversary.known,
            terms.learns,
            terms.u,
            terms.v,
            terms.w,
            terms.x,
            float(self.epsilon),
        )
        return np.minimum(stay, super().could_stay(groups))

    def beliefs(self, groups: Groups, group: int) -> Iterator[Belief]:
        """What attackers believe of the people of one group, in exact arithmetic.

        Yields, for each predicate that is true of somebody and each extreme prior, what is
        worst. Against class IV there is nothing to say: they may believe anything.
        """
        terms, histogram = self._terms(groups)
        if not terms.extremes:
            yield Belief(
                predicate=terms.predicates.names[0] if terms.predicates.names else "",
                people=int(groups.n[group]), holders=0, expected=Fraction(0), stubbornness=None,
                p_in=Fraction(1), p_out=Fraction(0), epsilon=None,
            )  # fmt: skip
            return
        people = {
            int(code): int(count)
            for code, count in zip(
                histogram.codes[histogram.indptr[group] : histogram.indptr[group + 1]],
                histogram.of(group),
                strict=True,
            )
        }
        known = {code for code in people if terms.known[code]}
        n, listed = int(groups.n[group]), sum(people[code] for code in known)
        facts = self._facts(groups)
        for p in self._asked(terms, people, known):
            values = terms.predicates.values(p)
            inside = {c for c in people if (c if facts is None else int(facts.value[c])) in values}
            own = not len(terms.wishes) or any(
                code in inside for code in _wanting(terms, set(people) - known, p)
            )
            for k, extreme in enumerate(terms.extremes):
                belief = _belief(
                    terms.predicates.names[p],
                    n,
                    n - listed - self.adversary.known,
                    sum(people[c] for c in inside),
                    sum(people[c] for c in inside - known),
                    terms.extremes[k].weight[p],
                    extreme.stubbornness,
                    self.by == "exact" and not own,
                    self.by == "exact",
                )
                if belief is not None:
                    yield belief

    def _asked(self, terms: _Terms, people: dict[int, int], known: set[int]) -> list[int]:
        """The predicates somebody in the group wants protected."""
        start, lists, asking = terms.start, terms.into, set(people)
        wanted: set[int] = set()
        if len(terms.wishes):
            start, lists, asking = terms.wish_start, terms.wishes, set(people) - known
        else:
            wanted.update(np.flatnonzero(terms.predicates.negated).tolist())
        for code in asking:
            wanted.update(lists[start[code] : start[code + 1]].tolist())
        return sorted(wanted)

    def _facts(self, groups: Groups) -> Facts | None:
        if self.facts is None:
            return None
        found = groups.domains[self.facts.name]
        assert isinstance(found, Facts), "facts are counted as such"
        return found

    @cached_property
    def _bound(self) -> dict[tuple[Sensitive, Facts | None], _Terms]:
        return {}

    def _terms(self, groups: Groups) -> tuple[_Terms, Histogram]:
        domain, histogram = histogram_of(groups, self.of)
        facts = None
        if self.facts is not None:
            histogram = histogram_of(groups, self.facts.name)[1]
            facts = self._facts(groups)
        if (domain, facts) not in self._bound:
            self._bound[domain, facts] = self._bind(domain, facts)
        return self._bound[domain, facts], histogram

    def _bind(self, domain: Sensitive, facts: Facts | None) -> _Terms:
        if domain.several:
            raise DataError(
                f"epsilon-privacy is about one value a person, and some people have several as "
                f"{domain.name!r}",
                fix="Make a column with one value each, such as the main diagnosis.",
            )
        shape = self.adversary.shape(domain)
        known = () if shape is None else [value for value, _ in shape.elsewhere]
        wishes = () if facts is None or self.predicates.wishes is None else facts.wishes
        bound = self.predicates.bind(domain, known=known, wishes=wishes)
        is_exact = self.by == "exact"
        extremes = self.adversary.extremes(domain, bound, exact=is_exact)
        start, into = bound.by_value
        wish_start, wanted, held = np.zeros(1, np.int64), EVERYBODY, np.zeros(bound.width, np.bool_)
        if facts is not None:
            index = facts.value.astype(np.int64)
            rows = Histogram(start, into, np.zeros(len(into), np.int64)).take(index)
            start, into, held = rows.indptr, rows.codes, facts.known
            if bound.wished:
                lists = [bound.wished[wish] for wish in facts.wish]
                wish_start = np.concatenate(([0], np.cumsum([len(w) for w in lists])))
                wanted = np.array([p for w in lists for p in w], np.int32)
        numbers = [_numbers(extreme, is_exact) for extreme in extremes]
        shape_of = len(numbers), len(bound)
        return _Terms(
            bound,
            extremes,
            start,
            into,
            held,
            wish_start.astype(np.int64),
            wanted,
            np.array([extreme.stubbornness is not None for extreme in extremes], np.bool_),
            np.array([[float(a) for a in u] for u, _, _, _ in numbers]).reshape(shape_of),
            np.array([float(v) for _, v, _, _ in numbers]),
            np.array([[float(a) for a in w] for _, _, w, _ in numbers]).reshape(shape_of),
            np.array([float(x) for _, _, _, x in numbers]),
        )

    @property
    def hopeless(self) -> str | None:
        """Why no release can keep the claim, where none can."""
        if isinstance(self.adversary, ClassIV):
            return (
                "no generalisation is private against class IV: some attacker was sure of the "
                "opposite before and no evidence would have changed their mind (Theorem 4)"
            )
        return None


def _wanting(terms: _Terms, codes: set[int], p: int) -> Iterator[int]:
    """What those have who want the predicate protected."""
    for code in codes:
        if p in terms.wishes[terms.wish_start[code] : terms.wish_start[code + 1]]:
            yield code


def _numbers(
    extreme: Extreme, is_exact: bool
) -> tuple[list[Fraction], Fraction, list[Fraction], Fraction]:
    """u, v, w, x of the kernels."""
    sigma = extreme.stubbornness
    if sigma is None:
        return list(extreme.weight), Fraction(1), [1 - p for p in extreme.weight], Fraction(1)
    u = list(extreme.weight)
    if is_exact:
        return u, sigma - 1, [sigma - weight for weight in extreme.weight], sigma - 1
    return u, sigma, [sigma - weight + 1 for weight in extreme.weight], sigma - 1


@lru_cache(maxsize=1 << 16)
def _belief(
    name: str,
    n: int,
    others: int,
    true_of: int,
    held: int,
    weight: Fraction,
    sigma: Fraction | None,
    false_of_person: bool,
    is_exact: bool,
) -> Belief | None:
    """What an attacker with one prior believes of one predicate; None where it is vacuous."""
    if held <= 0:
        return None
    p_in = Fraction(held, others) if 0 < held < others else Fraction(1)
    if sigma is None:
        p_out, not_out, expected = weight, 1 - weight, weight
    else:
        (u,), v, (w,), x = _numbers(Extreme(sigma, (weight,)), is_exact)
        back = int(false_of_person)
        p_out = (true_of - 1 + back + u) / (n + v)
        not_out = (n - true_of + w - back) / (n + x)
        expected = weight / sigma
    epsilon = None
    if p_in < 1 and p_out > 0:
        epsilon = max(Fraction(1), p_in / p_out, not_out / (1 - p_in))
    return Belief(
        predicate=name,
        people=n,
        holders=true_of,
        expected=expected,
        stubbornness=sigma,
        p_in=p_in,
        p_out=max(p_out, Fraction(0)),
        epsilon=epsilon,
    )
