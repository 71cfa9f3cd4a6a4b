"""Terms: what a class of adversaries believes of predicates, bound to the values of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from hedgerow.base.errors import DataError
from hedgerow.claims.adversary import Adversary, Extreme
from hedgerow.claims.beliefs import Codes, Flags, most_who_stay, smallest_epsilons
from hedgerow.claims.predicates import Bound, Predicates
from hedgerow.table.groups import (
    AttributedRecords,
    Facts,
    Floats,
    Groups,
    Histogram,
    Ints,
    Sensitive,
)

EVERYBODY = np.zeros(0, np.int32)


@dataclass(frozen=True, kw_only=True)
class Belief:
    """What an attacker believes of a person in a group, with and without the record."""

    predicate: str
    people: int
    """People of the group."""
    holders: int
    """Those of them for whom the predicate is true."""
    unknown: int
    """People of the group whose records the attacker does not hold: at least so many."""
    unknown_holders: int
    """Of these, for whom the predicate is true."""
    expected: Fraction
    """What share of people the attacker expected to find."""
    stubbornness: Fraction | None
    p_in: Fraction
    p_out: Fraction
    epsilon: Fraction | None
    """The smallest at which this is private; None: none is."""
    others: tuple[int, int] | None = None
    """Records that are left once the person's is taken out: of those for whom the predicate is
    true, and false. None where they do not decide p_out: nothing moves the attacker, or the
    theorems' conditions are asked for."""


@dataclass(frozen=True, eq=False)
class BeliefTerms:
    """An adversary's extreme priors, and predicates over one domain, as the kernels take them."""

    knows: int
    """People whose records the attacker holds, whoever they are."""
    exact: bool
    """Whether by the beliefs themselves; else by the theorems' conditions."""
    facts: Facts | None
    records: AttributedRecords | None
    """Whose records may be whose, where people fit several groups."""
    predicates: Bound
    extremes: tuple[Extreme, ...]
    start: Ints
    into: Codes
    known: Flags
    perhaps: Flags
    wish_start: Ints
    wishes: Codes
    learns: Flags
    u: Floats
    v: Floats
    w: Floats
    x: Floats

    @classmethod
    def of(
        cls,
        adversary: Adversary,
        predicates: Predicates,
        domain: Sensitive,
        facts: Facts | None,
        records: AttributedRecords | None = None,
        *,
        exact: bool,
    ) -> BeliefTerms:
        """Bind adversary and predicates to a sensitive column.

        Raises:
            DataError: Some people have several values; or prior and predicates do not fit.
        """
        if domain.several:
            raise DataError(
                f"epsilon-privacy is about one value a person, and some people have several as "
                f"{domain.name!r}",
                fix="Make a column with one value each, such as the main diagnosis.",
            )
        shape = adversary.shape(domain)
        elsewhere = () if shape is None else [value for value, _ in shape.elsewhere]
        wishes = () if facts is None or predicates.wishes is None else facts.wishes
        bound = predicates.bind(domain, known=elsewhere, wishes=wishes)
        extremes = adversary.extremes(domain, bound)
        start, into = bound.by_value
        wish_start, wanted, known = (
            np.zeros(1, np.int64), EVERYBODY, np.zeros(bound.width, np.bool_)
        )  # fmt: skip
        perhaps = np.zeros_like(known)
        if facts is not None:
            whose = facts if records is None else records
            index = whose.value.astype(np.int64)
            rows = Histogram(start, into, np.zeros(len(into), np.int64)).take(index)
            start, into, known = rows.indptr, rows.codes, whose.known
            perhaps = np.zeros_like(known) if records is None else records.perhaps
            if bound.wished:
                # What is wanted of those whom the attacker knows anyway protects nobody.
                lists = [
                    () if of_known else bound.wished[wish]
                    for wish, of_known in zip(facts.wish, facts.known, strict=True)
                ]
                wish_start = np.concatenate(([0], np.cumsum([len(w) for w in lists])))
                wanted = np.array([p for w in lists for p in w], np.int32)
        numbers = [_numbers(extreme, exact) for extreme in extremes]
        size = len(numbers), len(bound)
        return cls(
            adversary.known,
            exact,
            facts,
            records,
            bound,
            extremes,
            start,
            into,
            known,
            perhaps,
            wish_start.astype(np.int64),
            wanted,
            np.array([extreme.stubbornness is not None for extreme in extremes], np.bool_),
            np.array([[float(a) for a in u] for u, _, _, _ in numbers]).reshape(size),
            np.array([float(v) for _, v, _, _ in numbers]),
            np.array([[float(a) for a in w] for _, _, w, _ in numbers]).reshape(size),
            np.array([float(x) for _, _, _, x in numbers]),
        )

    @property
    def lenient(self) -> bool:
        """Whether those for whom a predicate is false are reckoned as such.

        Not where people fit several groups: in those that they are not in, taking their record
        out changes nothing, which leaves the attacker surer than they would be here.
        """
        return self.exact and self.records is None

    def smallest_epsilons(
        self, groups: Groups, histogram: Histogram, asking: Histogram | None = None
    ) -> Floats:
        """For each group; infinite where no prior decides (class IV).

        Args:
            groups: The groups.
            histogram: What their people have; the records, where people fit several groups.
            asking: Then, the facts of those who may be in each.
        """
        if not self.extremes:
            return np.where(groups.n > 0, np.inf, 1.0)
        may_be = histogram if asking is None else asking
        return smallest_epsilons(
            histogram.indptr,
            histogram.codes,
            histogram.counts,
            groups.n,
            self.start,
            self.into,
            self.predicates.negated,
            self.known,
            self.perhaps,
            may_be.indptr,
            may_be.codes,
            self.wish_start,
            self.wishes,
            self.knows,
            self.learns,
            self.u,
            self.v,
            self.w,
            self.x,
            self.lenient,
        )

    def most_who_stay(self, groups: Groups, histogram: Histogram, epsilon: float) -> Ints:
        """At most how many people of each group are in private parts; not for facts."""
        if not self.extremes:
            return np.zeros(len(groups), np.int64)
        return most_who_stay(
            histogram.indptr,
            histogram.codes,
            histogram.counts,
            groups.n,
            self.start,
            self.into,
            self.predicates.negated,
            self.predicates.apart,
            self.knows,
            self.learns,
            self.u,
            self.v,
            self.w,
            self.x,
            epsilon,
        )

    def beliefs(
        self, groups: Groups, histogram: Histogram, group: int, asking: Histogram | None = None
    ) -> Iterator[Belief]:
        """What attackers believe of the people of one group, in exact arithmetic.

        Yields, for each predicate that is true of somebody and each extreme prior, what is
        worst. Against class IV there is nothing to say: they may believe anything.

        Args:
            groups: The groups.
            histogram: As for `smallest_epsilons`.
            group: Which of them.
            asking: As for `smallest_epsilons`.
        """
        if not self.extremes:
            yield Belief(
                predicate=self.predicates.names[0] if self.predicates.names else "",
                people=int(groups.n[group]), holders=0, unknown=int(groups.n[group]),
                unknown_holders=0, expected=Fraction(0), stubbornness=None,
                p_in=Fraction(1), p_out=Fraction(0), epsilon=None,
            )  # fmt: skip
            return
        codes = histogram.codes[histogram.indptr[group] : histogram.indptr[group + 1]]
        people = dict(zip(codes.tolist(), histogram.of(group).tolist(), strict=True))
        may_be = set(people)
        if asking is not None:
            may_be = set(asking.codes[asking.indptr[group] : asking.indptr[group + 1]].tolist())
        known = {code for code in people if self.known[code]}
        perhaps = {code for code in people if self.perhaps[code]}
        n, listed = int(groups.n[group]), sum(people[code] for code in known)
        for p in self._asked(set(people), may_be):
            values = self.predicates.values(p)
            inside = {code for code in people if self._value(code) in values}
            own = (
                not self.lenient
                or not len(self.wishes)
                or any(code in inside for code in self._wanting(may_be, p))
            )
            for extreme in self.extremes:
                belief = _belief(
                    self.predicates.names[p],
                    n,
                    n - listed - self.knows - sum(people[code] for code in perhaps - inside),
                    sum(people[code] for code in inside),
                    sum(people[code] for code in inside - known),
                    extreme.weight[p],
                    extreme.stubbornness,
                    not own,
                    self.exact,
                )
                if belief is not None:
                    yield belief

    def _value(self, code: int) -> int:
        whose = self.facts if self.records is None else self.records
        return code if whose is None else int(whose.value[code])

    def _asked(self, codes: set[int], may_be: set[int]) -> list[int]:
        """The predicates somebody who may be in the group wants protected."""
        start, lists, asking = self.start, self.into, codes
        wanted: set[int] = set()
        if len(self.wishes):
            start, lists, asking = self.wish_start, self.wishes, may_be
        else:
            wanted.update(np.flatnonzero(self.predicates.negated).tolist())
        for code in asking:
            wanted.update(lists[start[code] : start[code + 1]].tolist())
        return sorted(wanted)

    def _wanting(self, codes: set[int], p: int) -> Iterator[int]:
        """What those have who want the predicate protected."""
        for code in codes:
            if p in self.wishes[self.wish_start[code] : self.wish_start[code + 1]]:
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
    epsilon, others_left = None, None
    if sigma is not None and is_exact:
        others_left = true_of - 1 + int(false_of_person), n - true_of - int(false_of_person)
    if p_in < 1 and p_out > 0:
        epsilon = max(Fraction(1), p_in / p_out, not_out / (1 - p_in))
    return Belief(
        predicate=name,
        people=n,
        holders=true_of,
        unknown=others,
        unknown_holders=held,
        expected=expected,
        stubbornness=sigma,
        p_in=p_in,
        p_out=max(p_out, Fraction(0)),
        epsilon=epsilon,
        others=others_left,
    )
