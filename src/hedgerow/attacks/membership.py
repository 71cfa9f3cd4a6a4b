"""Membership: was somebody in the study whose averages were published?

Each average is a little nearer to its participants than to anybody else. One does not show
it; thousands together do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.declaration import CONTROL, TRUTH, FileAttack, Need
from hedgerow.attacks.file_input import FileInput, matrix_of, numbers_of
from hedgerow.base.errors import DataError, PlanError
from hedgerow.table.groups import Floats

ALPHA = 0.05
"""The share of people who are not in the study that may be taken for participants."""

Test = Literal["homer", "inner-product", "centred"]


@dataclass(frozen=True, eq=False)
class Statistic:
    """How much each person looks like a participant, and from where on they are called one."""

    value: Floats
    threshold: float

    @property
    def member(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.asarray(self.value > self.threshold)


def homer(
    study: ArrayLike, population: ArrayLike, people: ArrayLike, *, alpha: float = ALPHA
) -> Statistic:
    """Homer's T: is the person nearer to the study than to the population?

    D_j = |Y_j - Pop_j| - |Y_j - M_j| for each allele j; T is the mean of D over its standard
    error. Above 0 a person looks like a participant; the threshold is the normal quantile of
    1 - alpha. For somebody who is not in the study D_j has mean 0 where a person has one copy,
    less where they have two (|1/2 - M_j| is convex in M_j): there are then fewer false
    positives than alpha.

    Assumes: Alleles that are independent of each other; neighbours on a chromosome are not.
    Reference: Homer et al., Resolving individuals contributing trace amounts of DNA to highly
        complex mixtures, PLoS Genetics 2008.

    Args:
        study: The published frequency of each allele.
        population: Its frequency in the population the participants are from.
        people: For each person and allele 0, 1/2 or 1: the share of their copies.
        alpha: See `ALPHA`.

    >>> told = homer([0.6, 0.4, 0.5], [0.5, 0.5, 0.5], [[1, 0, 0.5], [0, 1, 0.5]])
    >>> told.value.round(3).tolist()  # D = (0.1, 0.1, 0), so T = (0.2 / 3) / (0.0577 / sqrt(3))
    [2.0, -2.0]
    """
    m, pop, y = _checked(study, population, people, alpha)
    distance = np.abs(y - pop) - np.abs(y - m)
    s = distance.shape[1]
    spread = distance.std(axis=1, ddof=1) if s > 1 else np.zeros(len(y))
    error = np.where(spread > 0, spread, 1.0) / math.sqrt(s)
    # Without any spread there is no evidence, however far the mean is from 0.
    value = np.where(spread > 0, distance.mean(axis=1) / error, 0.0)
    return Statistic(value, NormalDist().inv_cdf(1 - alpha))


def inner_product(
    study: ArrayLike, population: ArrayLike, people: ArrayLike, *, alpha: float = ALPHA
) -> Statistic:
    """The inner-product test: <y, M> - <pop, M>, with alleles coded from -1 to 1.

    The threshold sqrt(8 d ln(1/alpha)) holds whatever the study publishes, however inexact,
    and even if a single person's record stands in for the population. It asks for d of the
    order of the square of the number of participants: see `centred` for a sharper one.

    Assumes: Alleles that are independent of each other.
    Reference: Dwork, Smith, Steinke, Ullman, Vadhan, Robust traceability from trace amounts,
        FOCS 2015.

    >>> told = inner_product([0.75, 0.25], [0.5, 0.5], [[1, 0], [0.5, 0.5]], alpha=0.05)
    >>> told.value.tolist(), round(told.threshold, 3)  # M is coded (0.5, -0.5): 0.5 + 0.5
    ([1.0, 0.0], 6.923)
    """
    m, pop, y = _checked(study, population, people, alpha)
    value = (2 * (y - pop)) @ (2 * m - 1)
    return Statistic(value, math.sqrt(8 * len(m) * math.log(1 / alpha)))


def centred(
    study: ArrayLike, population: ArrayLike, people: ArrayLike, *, alpha: float = ALPHA
) -> Statistic:
    """The inner product of both differences from the population, <y - pop, M - pop>.

    For an attacker who knows the population well. By Hoeffding's inequality a person who is
    not in the study exceeds sqrt(2 ln(1/alpha) sum_j (M_j - pop_j)^2) with probability at most
    alpha: each term has mean 0 and lies in an interval of width 2 |M_j - pop_j|.

    Assumes: Alleles that are independent of each other; frequencies of the population, exactly.
    Reference: As `inner_product`; the bound is derived here.

    >>> told = centred([0.75, 0.25], [0.5, 0.5], [[1, 0], [0.5, 0.5]], alpha=0.05)
    >>> told.value.tolist(), round(told.threshold, 3)
    ([1.0, 0.0], 1.731)
    """
    m, pop, y = _checked(study, population, people, alpha)
    away = 2 * (m - pop)
    value = (2 * (y - pop)) @ away
    return Statistic(value, math.sqrt(2 * math.log(1 / alpha) * float(away @ away)))


TESTS: dict[Test, Callable[..., Statistic]] = {
    "homer": homer,
    "inner-product": inner_product,
    "centred": centred,
}


def membership(
    study: ArrayLike,
    population: ArrayLike,
    *,
    participants: ArrayLike,
    others: ArrayLike,
    test: Test = "homer",
    alpha: float = ALPHA,
) -> AttackResult:
    """Tell participants of a study from other people of the same population.

    What the attacker knows: the study's published frequencies, the population's, and the
        genotype of a person.
    A success: a participant is called one (the power of the test).
    The baseline: calling alpha of all people participants, at random.
    The control: people who are not in the study, by the same test (its false positives).

    Args:
        study: The published frequency of each allele; with noise it may leave [0, 1].
        population: Its frequency in the population.
        participants: For each participant and allele 0, 1/2 or 1: the share of their copies.
        others: Likewise for people who took no part.
        test: homer, inner-product or centred.
        alpha: The false positives the threshold is meant to allow.

    >>> population = np.full(200, 0.5)
    >>> people = np.random.default_rng(1).integers(0, 2, (40, 200))
    >>> told = membership(
    ...     people[:10].mean(axis=0), population, participants=people[:10], others=people[10:]
    ... )
    >>> told.found.value, told.succeeded
    (1.0, True)
    """
    if test not in TESTS:
        raise PlanError(f"there is no test {test!r}", fix=f"Choose from {', '.join(TESTS)}.")
    inside = TESTS[test](study, population, participants, alpha=alpha)
    outside = TESTS[test](study, population, others, alpha=alpha)
    found = Rate(successes=int(inside.member.sum()), guesses=len(inside.value))
    control = Rate(successes=int(outside.member.sum()), guesses=len(outside.value))
    alleles = len(np.asarray(study))
    return AttackResult(
        attack="membership",
        goal="a participant is called one",
        found=found,
        baseline=Rate(successes=alpha * found.guesses, guesses=found.guesses),
        control=control,
        sentences=(
            f"From {alleles:,} frequencies {found.value:.1%} of {found.guesses:,} participants "
            f"are told, and {control.value:.1%} of {control.guesses:,} others are taken for one.",
        ),
        detail={
            "test": test,
            "alpha": alpha,
            "alleles": alleles,
            "threshold": inside.threshold,
            "median_participant": float(np.median(inside.value)),
            "median_other": float(np.median(outside.value)),
        },
    )


def _checked(
    study: ArrayLike, population: ArrayLike, people: ArrayLike, alpha: float
) -> tuple[Floats, Floats, Floats]:
    try:
        m, pop, y = (np.asarray(given, np.float64) for given in (study, population, people))
    except (TypeError, ValueError):
        raise DataError("frequencies and genotypes must be numbers, rows of equal length") from None
    if m.ndim != 1 or m.shape != pop.shape or y.ndim != 2 or y.shape[1:] != m.shape:
        raise DataError(
            f"shapes do not fit: study {m.shape}, population {pop.shape}, people {y.shape}",
            fix="Give a frequency of each allele, and for each person a row of as many.",
        )
    if not len(m) or not len(y):
        raise DataError("there are no alleles or no people to test")
    if not (np.isfinite(m).all() and np.isfinite(pop).all() and np.isfinite(y).all()):
        raise DataError("a frequency or genotype is missing", fix="Leave out such alleles.")
    if pop.min() < 0 or pop.max() > 1:
        raise DataError("a frequency of the population is not between 0 and 1")
    if y.min() < 0 or y.max() > 1:
        raise DataError(
            "a genotype is not between 0 and 1", fix="Divide counts of copies by 2: 0, 1/2 or 1."
        )
    if not 0 < alpha < 1:
        raise PlanError(f"alpha is {alpha}", fix="Give a share between 0 and 1, such as 0.05.")
    return m, pop, y


def _attempt(read: FileInput) -> AttackResult:
    file = read.file(0, "a file of frequencies")
    study, population = numbers_of(file, "study", "population")
    test: Any = read.word("test", "homer")
    return membership(
        study, population, participants=matrix_of(read.truth), others=matrix_of(read.control),
        test=test, alpha=read.number("alpha", 0.05),
    )  # fmt: skip


MEMBERSHIP = FileAttack(
    name="membership",
    asks="Do allele frequencies tell who took part in a study?",
    success="a participant of a study is told from others",
    reads="allele frequencies (`study`, `population`; a row an allele)",
    most=1,
    needs=(
        Need(
            "genotypes of participants, a column a person",
            "--truth",
            TRUTH.given,
        ),
        Need(
            "genotypes of others, a column a person",
            "--control",
            CONTROL.given,
        ),
    ),
    knows={
        "test": "homer, inner-product or centred.",
        "alpha": "The share of others who may be taken for one; 0.05 if left out.",
    },
    attempt=_attempt,
    reference="Homer et al. 2008 (PLoS Genetics); Dwork et al. 2015 (FOCS).",
)
