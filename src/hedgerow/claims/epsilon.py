"""Epsilon-privacy: nobody has to regret that their record is in the release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.base.ranges import FROM_ONE
from hedgerow.claims.adversary import Adversary, ClassIV
from hedgerow.claims.base import ColumnModel, exact, histogram_of, require_number, shown
from hedgerow.claims.belief_terms import Belief, Terms
from hedgerow.claims.predicates import Predicates
from hedgerow.table.facts import AskedFacts
from hedgerow.table.groups import Facts, Floats, Groups, Histogram, Ints, Sensitive


@dataclass(frozen=True, kw_only=True)
class EpsilonPrivacy(ColumnModel):
    """An attacker gets hardly surer of anything about a person by the person's record being there.

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

    >>> from hedgerow.claims.adversary import ClassI, ClassIII
    >>> from hedgerow.claims.priors import Prior
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
        require_number("epsilon", self.epsilon, FROM_ONE)
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
            raise PlanError(
                f"it is decided 'exact' or by 'theorem', not {self.by!r}", fix="Use one of the two."
            )

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
        # What a named set means to a prior depends on which values the table has.
        named = not self.predicates.usual and self.adversary.believed is not None
        return self.adversary.compares_with_table or named or self.facts is not None

    @property
    def facts(self) -> AskedFacts | None:
        """What it has to know of people that the release does not show."""
        known, wishes = self.adversary.listed, self.predicates.wishes
        if known is None and wishes is None:
            return None
        return AskedFacts(of=self.of, known=known, wishes=wishes)

    @property
    def looks_behind(self) -> bool:
        return self.facts is not None

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
        return terms.smallest_epsilons(groups, histogram)

    def exactly(self, groups: Groups, group: int) -> bool:
        return all(
            belief.epsilon is not None and belief.epsilon <= self.required
            for belief in self.beliefs(groups, group)
        )

    def could_stay(self, groups: Groups) -> Ints:
        if not self.monotone_in_generalisation:
            return super().could_stay(groups)
        terms, histogram = self._terms(groups)
        stay = terms.most_who_stay(groups, histogram, float(self.epsilon))
        return np.minimum(stay, super().could_stay(groups))

    def beliefs(self, groups: Groups, group: int) -> Iterator[Belief]:
        """What attackers believe of the people of one group; see `Terms.beliefs`."""
        terms, histogram = self._terms(groups)
        yield from terms.beliefs(groups, histogram, group)

    @cached_property
    def _bound(self) -> dict[tuple[Sensitive, Facts | None], Terms]:
        return {}

    def _terms(self, groups: Groups) -> tuple[Terms, Histogram]:
        domain, histogram = histogram_of(groups, self.of)
        facts = None
        if self.facts is not None:
            found, histogram = histogram_of(groups, self.facts.name)
            assert isinstance(found, Facts), "facts are counted as such"
            facts = found
        if (domain, facts) not in self._bound:
            self._bound[domain, facts] = Terms.of(
                self.adversary, self.predicates, domain, facts, exact=self.by == "exact"
            )
        return self._bound[domain, facts], histogram

    @property
    def hopeless(self) -> str | None:
        """Why no release can keep the claim, where none can."""
        if isinstance(self.adversary, ClassIV):
            return (
                "no generalisation is private against class IV: some attacker was sure of the "
                "opposite before and no evidence would have changed their mind (Theorem 4)"
            )
        return None
