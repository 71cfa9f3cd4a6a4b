"""The attackers of a claim, and those who differ from them in stubbornness or class."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path

from hedgerow.base.errors import DataError, PlanError
from hedgerow.claims.adversary import AtMost, ClassI, ClassII, ClassIII, ClassIV, unseen_in_words
from hedgerow.claims.epsilon import EpsilonPrivacy
from hedgerow.claims.predicates import Named, Predicates
from hedgerow.claims.priors import Prior, Shape
from hedgerow.explain.adversary_study import PriorStudy
from hedgerow.explain.belief_words import Range, prior_in_words
from hedgerow.explain.breaking_point import Family, StubbornnessRange, where_it_holds
from hedgerow.table.groups import Groups, Sensitive

MOST = Fraction(10**18)
"""A stubbornness nobody has data for."""


class Attackers:
    """The plan's attackers, and those who differ from them in stubbornness or class."""

    def __init__(
        self, model: EpsilonPrivacy, domain: Sensitive, *, file: Path | None, where: str
    ) -> None:
        self.model, self.domain, self.file = model, domain, file
        self.prior = model.adversary.believed or Prior.uniform()
        self.at = lru_cache(maxsize=64)(self._at)
        self.any_at = lru_cache(maxsize=64)(self._any_at)
        try:
            self.shape: Shape = self.prior.bind(domain)
            self.range = self._range()
        except (PlanError, DataError) as error:
            raise type(error)(error.what, where=error.where or where, fix=error.fix) from None

    @property
    def values(self) -> int:
        """Values there are, in the table or in the prior's source."""
        return len(self.shape.shares) + len(self.shape.elsewhere)

    def _at(self, sigma: Fraction | None) -> EpsilonPrivacy:
        """The claim against attackers of the prior's shape; None: infinitely stubborn."""
        knows = self.model.adversary.knows
        if sigma is None:
            return replace(self.model, adversary=ClassIII(prior=self.prior, knows=knows))
        adversary = ClassI(prior=self.prior, stubbornness=sigma, knows=knows)
        return replace(self.model, adversary=adversary)

    @property
    def from_data(self) -> bool:
        """Whether the prior is that of somebody who has seen data, if only of nobody."""
        return self.prior.kind == "uniform" or (
            self.prior.kind == "counts" and any(weight for _, weight in self.prior.weights)
        )

    def _having_seen(self, sigma: Fraction | None) -> EpsilonPrivacy:
        """The claim against who has seen more or fewer people in the prior's proportions."""
        if self.prior.kind == "uniform":
            return self.at(sigma)
        knows = self.model.adversary.knows
        if sigma is not None:
            prior = self.prior.of_size(sigma - self.values)
            return replace(self.model, adversary=ClassI(prior=prior, knows=knows))
        seen = dict(self.prior.weights)
        seen = {value: seen.get(value, Fraction(0)) for value in (*self.domain.values, *seen)}
        endless = Prior(kind="shape", weights=tuple(seen.items()))
        return replace(self.model, adversary=ClassIII(prior=endless, knows=knows))

    def _any_at(self, sigma: Fraction | None) -> EpsilonPrivacy:
        """The claim against attackers of any prior, at most this stubborn."""
        knows, predicates = self.model.adversary.knows, self._of_table
        if predicates is None:
            return self._at(sigma)
        if sigma is None:
            return replace(self.model, adversary=ClassIV(knows=knows), predicates=predicates)
        adversary = ClassII(stubbornness=sigma, knows=knows)
        return replace(self.model, adversary=adversary, predicates=predicates)

    @cached_property
    def _of_table(self) -> Predicates | None:
        """The predicates without values that only the prior's source knows; None: no others."""
        predicates, nodes = self.model.predicates, {n for ns in self.domain.labels for n in ns}
        foreign = {value for value, _ in self.shape.elsewhere} - nodes
        if predicates.sets is None or not foreign:
            return predicates
        kept: list[Named] = []
        for entry in predicates.sets:
            if isinstance(entry, tuple):
                kept += [left] if (left := tuple(p for p in entry if p not in foreign)) else []
            elif entry not in foreign:
                kept.append(entry)
        return replace(predicates, sets=tuple(kept)) if kept else None

    def _range(self) -> Range | None:
        """The plan's least and most stubborn attackers (None: infinite); None: everybody."""
        adversary = self.model.adversary
        if isinstance(adversary, ClassIV):
            return None
        if isinstance(adversary, ClassIII):
            return None, None
        given = adversary.stubbornness  # type: ignore[attr-defined]
        if given == math.inf:
            most = None
        elif given is not None:
            most = Fraction(given)
        elif self.shape.stubbornness is not None:
            most = self.shape.stubbornness
        else:
            raise PlanError(
                f"the {self.prior} does not say how stubborn the attacker is",
                fix="Give a stubbornness, or use class III for an infinite one.",
            )
        if isinstance(adversary, ClassI):
            return most, most
        if isinstance(adversary, ClassII):
            return Fraction(len(self.domain.values)), most
        assert isinstance(adversary, AtMost), "there are five classes"
        least = self.shape.least if adversary.at_least is None else Fraction(adversary.at_least)
        return (least if most is None else min(least, most)), most

    def breaking(self, groups: Groups) -> tuple[StubbornnessRange, StubbornnessRange]:
        """The stubbornness at which the claim holds: like the prior, with any prior."""
        if self.from_data:
            shaped = Family(at=self._having_seen, least=Fraction(self.values))
        else:
            shaped = Family(at=self.at, least=Fraction(1))
        values = Fraction(len(self.domain.values))
        anything = Family(at=self.any_at, least=values, most=MOST)
        return where_it_holds(shaped, groups), where_it_holds(anything, groups)

    def described(self) -> PriorStudy:
        """What they believe before they see anything of the table."""
        most = None if self.range is None else self.range[1]
        justified = self.shape.stubbornness if self.model.adversary.believed else None
        return PriorStudy(
            own=self.model.adversary.believed is not None,
            stubbornness=None if self.range is None else plain(most),
            justified=None if justified is None else float(justified),
            values=self.values,
            unseen=self.shape.unseen,
            elsewhere=tuple(value for value, _ in self.shape.elsewhere),
            sentences=(
                *prior_in_words(
                    self.model.adversary, self.shape, self.domain.values, self.file, self.range
                ),
                *(
                    f"{words[0].upper()}{words[1:]}."
                    for words in unseen_in_words(self.shape, self.domain.values)
                ),
            ),
        )


def plain(sigma: Fraction | None) -> float:
    """A stubbornness as a number; None: infinite."""
    if sigma is None:
        return math.inf
    return int(sigma) if sigma.denominator == 1 else float(sigma)
