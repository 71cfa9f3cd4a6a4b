"""The prior of an attacker on releases: what they expect before they read any.

Everybody's value is drawn from the prior: of those on the list, and of whoever else has a record.
An attacker of class III takes the shares for certain. One of class I has a Dirichlet distribution
over them, which everybody shares, so what some have says something of others (Pólya's urn).

Whose records are not listed are other people in each release. Of them it is not asked what they
have in another release.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm, prod
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.base.problems import raise_all
from hedgerow.claims.adversary import ClassI, ClassIII, unseen_in_words
from hedgerow.claims.priors import Prior, exact_number
from hedgerow.claims.worlds.knowledge import Knowledge
from hedgerow.plan.adversaries import PriorPlan
from hedgerow.plan.validation import validated
from hedgerow.plan.yaml_document import parse_document
from hedgerow.table.groups import Sensitive

Attacker = ClassI | ClassIII
GivenPrior = Prior | str | Path | Mapping[str, Any] | None
"""A prior, or what stands behind `prior:` in a plan."""
GivenStubbornness = float | str | Fraction | None


@dataclass(frozen=True)
class AttackerPrior:
    """A prior and a stubbornness, as they were given; the column is not known yet."""

    prior: Prior | PriorPlan
    stubbornness: Fraction | None
    """None: infinite."""
    null: tuple[str, ...] = ()
    """Texts that mean missing in the prior's file."""

    @classmethod
    def read(
        cls, prior: GivenPrior, stubbornness: GivenStubbornness, *, null: Sequence[str] = ()
    ) -> AttackerPrior | None:
        """None where none is given.

        Raises:
            PlanError: There is no such prior, or only a stubbornness.
        """
        if prior is None:
            if stubbornness is None:
                return None
            raise PlanError(
                "a stubbornness says how firmly a prior is held, and there is none",
                fix="Give a prior: a file, {shape: {flu: 2, HIV: 1}}, uniform or table.",
            )
        sigma = None
        if stubbornness not in (None, "infinite", math.inf):
            sigma = exact_number("the stubbornness", stubbornness)
            ClassI(prior=Prior.uniform(), stubbornness=sigma)  # says what is wrong with it
        return cls(prior if isinstance(prior, Prior) else _plan(prior), sigma, tuple(null))

    def of(self, column: str) -> Attacker:
        """The attacker, about a column; reads the prior's file."""
        prior = self.prior
        if isinstance(prior, PriorPlan):
            prior = prior.prior(column, self.null)
        if self.stubbornness is None:
            return ClassIII(prior=prior)
        return ClassI(prior=prior, stubbornness=self.stubbornness)


def _plan(given: str | Path | Mapping[str, Any]) -> PriorPlan:
    """What stands behind `prior:` in a plan, as an object or as a text."""
    data: Any = given
    if isinstance(given, str) and given.lstrip().startswith("{"):
        data = parse_document(given, name="the prior", as_text=lambda place: False).data
    elif isinstance(given, str | Path):
        data = {"kind": given} if given in ("uniform", "table") else {"file": given}
    if not isinstance(data, Mapping):
        raise PlanError(
            f"a prior is a file or says what it is, unlike {given!r}",
            fix="Give a file, {shape: {flu: 2, HIV: 1}}, uniform or table.",
        )
    found, problems = validated(PriorPlan, dict(data), {})
    if found is None:
        raise_all(problems, lambda problem: (0, "the prior"))
    assert found is not None, "there are no problems"
    return found


@dataclass(frozen=True, eq=False)
class ColumnPrior:
    """A prior over everything people may have in the columns that releases show."""

    attacker: Attacker
    """Their prior is a shape, over all of these values."""
    shares: tuple[Fraction, ...]
    """Of each value of the sensitive column; those that no release has come last."""
    each: tuple[Fraction, ...]
    """Of everything people may have. A value's share is divided evenly among all that stands
    beside it somewhere."""
    records: tuple[int, ...]
    """Of the same: how many records of all releases look so."""
    told: tuple[str, ...]
    """What it is, and what it lacks."""

    @property
    def stubbornness(self) -> Fraction | None:
        found = None if isinstance(self.attacker, ClassIII) else self.attacker.stubbornness
        return None if found is None else Fraction(found)

    @property
    def balls(self) -> tuple[Fraction, ...]:
        """Of everything people may have: the parameters of the Dirichlet distribution."""
        sigma = self.stubbornness
        assert sigma is not None, "it is finite"
        return tuple(share * sigma for share in self.each)

    def factor(self, releases: int) -> tuple[Fraction, ...]:
        """What a known person's having each value is to be multiplied by.

        Args:
            releases: In how many the person is and others are not listed. Whoever multiplies the
                records in each has the prior in the product once for each release.

        Two in three have flu. Of somebody in two releases this counts twice, so once is too often:

        >>> prior = ColumnPrior(ClassIII(prior=Prior.uniform()), (), (Fraction(2, 3),), (9,), ())
        >>> [str(prior.factor(many)[0]) for many in range(3)]
        ['2/3', '1', '3/2']
        """
        if self.stubbornness is None:
            return tuple(share ** (1 - releases) for share in self.each)
        return tuple(
            Fraction(1) if seen < releases
            else balls + seen if releases == 0
            else Fraction(1) / prod((balls + seen - j for j in range(1, releases)), start=1)
            for balls, seen in zip(self.balls, self.records, strict=True)
        )  # fmt: skip

    def weighed(self, knowledge: Knowledge) -> Knowledge | None:
        """The knowledge of somebody who has this prior; None where that is not counted.

        Nothing is counted where others share what is expected, and some people are in a release
        of which everybody is listed, or in several of which not.

        Args:
            knowledge: Of people who all fit some release. In releases of which not everybody is
                listed, all who fit are for certain.
        """
        if len(knowledge.shown) == 1:
            # Whatever values the records show: whose they are is as likely by every prior.
            return knowledge
        there = [one.fits.count > 0 for one in knowledge.shown if not one.listed]
        many = np.sum(there, axis=0, dtype=np.int64) * np.ones(knowledge.kinds, np.int64)
        if self.stubbornness is None:
            weights = {m: _whole(self.factor(m)) for m in {*many.tolist()}}
            return replace(knowledge, weights=tuple(weights[m] for m in many.tolist()))
        if not there:
            return replace(knowledge, urn=self.balls)
        return knowledge if bool((many == 1).all()) else None


def column_prior(
    attacker: Attacker, domain: Sensitive, code: Sequence[int], records: Sequence[int]
) -> tuple[ColumnPrior, tuple[str | None, ...]]:
    """The prior over a column of releases, and the values that only the prior has.

    Args:
        attacker: Who holds it.
        domain: The values that releases show.
        code: Of everything people may have, the value in it.
        records: How many records look so.

    Raises:
        DataError: It gives no chance to a value of a release.
    """
    shape = attacker.prior.bind(domain)
    others = tuple(value for value, _ in shape.elsewhere)
    shares = (*shape.shares, *(share for _, share in shape.elsewhere))
    beside = np.bincount(np.asarray(code, np.int64), minlength=len(domain.values)).tolist()
    each = [shares[v] / beside[v] for v in code] + [share for _, share in shape.elsewhere]
    told = [f"Before stands what the attacker expects: {attacker}."]
    told += [f"{words[0].upper()}{words[1:]}." for words in unseen_in_words(shape, domain.values)]
    named = dict(zip((*domain.values, *others), shares, strict=True))
    held = replace(attacker, prior=Prior.shape(named))
    seen = (*records, *[0] * len(others))
    return ColumnPrior(held, shares, tuple(each), seen, tuple(told)), others


def _whole(weights: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The same proportions in whole numbers, which are counted faster."""
    unit = lcm(*(weight.denominator for weight in weights))
    return tuple(weight * unit for weight in weights)
