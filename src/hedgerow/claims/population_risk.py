"""Risks in the population, estimated from a sample: an estimate is not a proof, and says so."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError, some
from hedgerow.base.ranges import OPEN_UNIT, RISK, UNIT
from hedgerow.claims.base import (
    Needs,
    PrivacyModel,
    Relief,
    exact,
    require_column,
    require_number,
    shown,
    weights_of,
)
from hedgerow.claims.declaration import (
    CLAIMS,
    ChoiceParameter,
    Conflict,
    Declaration,
    NumberParameter,
    Parameter,
    ParameterKind,
    Said,
)
from hedgerow.claims.traits import ESTIMATED, OUTSIDER, SINGLE_PEOPLE, Gap, Slider
from hedgerow.table.groups import Floats, Groups, Ints

BOUND, FRANCONI = "bound", "benedetti-franconi"
COUNTERS = (BOUND, "dankar", "pitman", "zayatz", "slide-negative-binomial")
"""Estimators of population uniques; the first assumes nothing of the population."""
FINDERS = (BOUND, FRANCONI)
"""Estimators of individual risk."""
MILLION = 10**6
MARGIN = 1e-9
"""By how much, relatively, an estimate that may be rounded has to be below what is claimed."""
_ENDS = {
    BOUND: "at the upper end of an interval that needs no model and is too low for one sample in "
    "20 at most",
    FRANCONI: "if people in groups of the sample are as many for each size (Benedetti and "
    "Franconi)",
}


@dataclass(frozen=True, kw_only=True)
class PopulationUniqueness(PrivacyModel):
    """At most this share of the published people are alone in their group of the population.

    Guarantee: None. It is an estimate: for somebody who has a list of the population, and does not
        know who of it is in the table, at most this share of the published records fits exactly
        one person. The upper end of an interval is what counts; it is too low for one sample in 20
        at most, if what the estimator assumes is so.
    Assumes: The table is a simple random sample of the population, and the groups were not chosen
        by looking at it. `bound` assumes nothing else; the other estimators have a model of how
        large groups of the population are. People who were suppressed count as people who may
        have been in groups of any size; of those published, those who are alone count at most.
    Reference: `bound`: Chao 1984, for the argument. Dankar et al. 2012 (BMC Medical Informatics
        and Decision Making 12:66); Hoshino 2001 (Pitman); Zayatz 1991; Chen, Keller-McNulty 1998.

    >>> claim = PopulationUniqueness(at_most=0.1, fraction=0.5)
    >>> claim.check(Groups.of([2, 2, 3])).holds, claim.check(Groups.of([1, 1, 2])).level
    (True, 0.5)
    """

    needs: ClassVar[Needs] = Needs.SIZES
    higher_is_safer: ClassVar[bool] = False
    per_group: ClassVar[bool] = False
    about_population: ClassVar[bool] = True
    counts_left_out: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = False
    monotone_in_suppression: ClassVar[bool] = False
    attacker: ClassVar[str] = OUTSIDER
    gaps: ClassVar[tuple[Gap, ...]] = (SINGLE_PEOPLE, ESTIMATED)
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("at_most", "at_most", "share unique in the population, at most", 0, 1),
    )

    at_most: float
    """Largest share of the published people, 0 to 1."""
    fraction: float
    """Share of the population that is in the table, above 0 and below 1."""
    estimator: str = BOUND
    """One of `COUNTERS`."""

    def __post_init__(self) -> None:
        require_number("at_most", self.at_most, UNIT)
        require_number("fraction", self.fraction, OPEN_UNIT)
        _require_one_of("estimator", self.estimator, COUNTERS)

    def __str__(self) -> str:
        return (
            f"estimated share of people unique in the population at most {shown(self.at_most)} "
            f"({self.estimator}, sample of {shown(self.fraction)})"
        )

    @property
    def required(self) -> Fraction:
        return exact(self.at_most)

    @property
    def sampled(self) -> float:
        return float(self.fraction)

    @property
    def promise(self) -> str:
        how = (
            _ENDS[BOUND]
            if self.estimator == BOUND
            else f"if the model {self.estimator!r} of the population is right, at the upper end of "
            "an interval that is then too low for about one sample in 20"
        )
        return (
            f"finds exactly one person of the population for an estimated share of at most "
            f"{shown(self.at_most)} of the published records, if the table is a simple random "
            f"sample of a share of {shown(self.fraction)} of the population; {how}"
        )

    def share(self, groups: Groups) -> float:
        """The upper end; infinite where the model has no estimate."""
        # SciPy is loaded where something is estimated, and nowhere else.
        from hedgerow.claims.population.decision import ESTIMATORS
        from hedgerow.claims.population.estimate import UndefinedEstimateError
        from hedgerow.claims.population.size_counts import SizeCounts

        alone = int(np.count_nonzero(groups.n == 1))
        if not alone:
            return 0.0
        sample = SizeCounts.of(groups.n, fraction=float(self.fraction), absent=groups.left_out)
        try:
            found = ESTIMATORS[self.estimator](sample)
        except UndefinedEstimateError:
            return inf
        return min(float(alone), found.upper) / groups.people

    def level(self, groups: Groups) -> Floats:
        return np.full(len(groups), self.share(groups) if len(groups) else 0.0)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        return np.full(len(groups), not len(groups) or self.exactly(groups, 0))

    def exactly(self, groups: Groups, group: int) -> bool:
        alone, p = int(np.count_nonzero(groups.n == 1)), self.required
        if not alone:
            return True
        if alone <= p * groups.people:
            # Nobody else can be unique, whatever the model says; but it has to have an estimate.
            return self.estimator == BOUND or self.share(groups) < inf
        return self.share(groups) * (1 + MARGIN) <= float(p)

    @property
    def relief_decides(self) -> bool:
        return False

    def relief(self, groups: Groups) -> Relief:
        # Suppression is no help to an estimate. It is enough if few of the rest are alone.
        p, q = self.required.as_integer_ratio()
        needed = int(np.count_nonzero(groups.n == 1)) * q - groups.people * p
        return Relief(needed, lambda n: q * (n == 1) - n * p)

    @property
    def bounds_size(self) -> bool:
        return False


class RecordRisk(PrivacyModel):
    """What claims about the risk of single records share: groups and what they stand for."""

    higher_is_safer: ClassVar[bool] = False
    about_population: ClassVar[bool] = True
    counts_left_out: ClassVar[bool] = True
    attacker: ClassVar[str] = OUTSIDER
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("at_most", "at_most", "estimated risk, at most", 0.01, 1),
    )

    at_most: float
    estimator: str

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return (SINGLE_PEOPLE, ESTIMATED) if self.estimator == BOUND else (ESTIMATED,)

    @property
    def required(self) -> Fraction:
        return exact(self.at_most)

    @property
    def beyond_groups(self) -> bool:
        # What is estimated of one size of group depends on how many groups have others.
        return True

    @property
    def relief_decides(self) -> bool:
        return False

    def stands_for(self, groups: Groups) -> Floats:
        """How many people of the population each group stands for."""
        raise NotImplementedError

    def level(self, groups: Groups) -> Floats:
        from hedgerow.claims.population.individual import (
            benedetti_franconi,
            bounded_risk,
            contradicted,
        )

        found = np.zeros(len(groups))
        held = np.flatnonzero(groups.n)
        if not len(held):
            return found
        n = groups.n[held]
        whole = np.maximum(self.stands_for(groups)[held], n)
        if self.estimator == FRANCONI:
            fits = ~contradicted(n, sizes=n)
            found[held] = np.where(fits, benedetti_franconi(n, whole), 1 / n)
        else:
            odds = (whole - n) / n
            found[held] = bounded_risk(n, odds, sizes=n, left_out=groups.left_out)
        return self.evened(groups.n, found)

    def evened(self, n: Ints, risk: Floats) -> Floats:
        """The estimates, so that suppressing what fails does not change those of the rest."""
        return risk

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        # A group never has fewer people in the population than in the table: that is no estimate.
        p, q = self.required.as_integer_ratio()
        sure = (groups.n == 0) | (groups.n >= -(-q // p))
        level = self.level(groups)
        passed: NDArray[np.bool_] = sure | (level * (1 + MARGIN) <= float(self.required))
        return passed

    def exactly(self, groups: Groups, group: int) -> bool:
        return bool(self.holds(groups)[group])

    def promised(self, sample: str) -> str:
        """The promise, given what the table is a sample of."""
        average = "on average over groups of about the same size, " * (self.estimator == BOUND)
        return (
            f"picks the right person of the population for a published record with an estimated "
            f"probability of at most {shown(self.at_most)}, {average}if the table is {sample}; "
            f"{_ENDS[self.estimator]}"
        )


@dataclass(frozen=True, kw_only=True)
class IndividualRisk(RecordRisk):
    """The estimated mean of 1 over a group's people in the population is at most the risk.

    Guarantee: None. It is an estimate: whoever has a list of the population, and does not know who
        of it is in the table, picks the right person for a record with at most this probability.
        With `bound` that is the upper end of an interval for the average over groups of about the
        same size. With `benedetti-franconi` it is what the model says of each group.
    Assumes: The table is a simple random sample. `bound` assumes nothing else.
        `benedetti-franconi` assumes that as many people of the sample are in groups of one as in
        groups of two, and so on. Where there are more people in groups of a size than in those
        with one person more, and not by chance, the model is contradicted, and a group of that
        size counts with 1 over its size. Where nothing contradicts it, it may still be wrong.
    Reference: Benedetti, Franconi 1998; Franconi, Polettini 2004 (PSD, LNCS 3050); Rinott 2003,
        on what the model misses; Chao 1984, for the argument of the bound.

    >>> claim = IndividualRisk(at_most=0.09, fraction=0.1, estimator="benedetti-franconi")
    >>> claim.level(Groups.of([1, 2])).round(4).tolist()
    [0.2558, 0.0827]
    """

    needs: ClassVar[Needs] = Needs.SIZES
    monotone_in_generalisation: ClassVar[bool] = False
    monotone_in_suppression: ClassVar[bool] = False

    at_most: float
    """Largest probability, above 0 and at most 1."""
    fraction: float
    """Share of the population that is in the table, above 0 and below 1."""
    estimator: str = BOUND
    """One of `FINDERS`."""

    def __post_init__(self) -> None:
        require_number("at_most", self.at_most, RISK)
        require_number("fraction", self.fraction, OPEN_UNIT)
        _require_one_of("estimator", self.estimator, FINDERS)

    def __str__(self) -> str:
        return (
            f"estimated individual risk at most {shown(self.at_most)} "
            f"({self.estimator}, sample of {shown(self.fraction)})"
        )

    @property
    def sampled(self) -> float:
        return float(self.fraction)

    @property
    def promise(self) -> str:
        return self.promised(
            f"a simple random sample of a share of {shown(self.fraction)} of the population"
        )

    def stands_for(self, groups: Groups) -> Floats:
        found: Floats = groups.n / float(self.fraction)
        return found

    def evened(self, n: Ints, risk: Floats) -> Floats:
        # What is estimated of a size depends on larger ones alone, so those that fail are the
        # smaller ones if no risk is below that of a larger group.
        order = np.argsort(-n, kind="stable")
        worst = np.maximum.accumulate(risk[order])
        _, first, same = np.unique(-n[order], return_index=True, return_inverse=True)
        last = np.append(first[1:], len(n)) - 1
        found = np.empty(len(n))
        found[order] = worst[last][same]
        return found


@dataclass(frozen=True, kw_only=True)
class WeightedRisk(RecordRisk):
    """The same as `IndividualRisk`, where survey weights say how many people each stands for.

    Guarantee: None. It is an estimate, as for `IndividualRisk`.
    Assumes: The weights of a group add up to about its people in the population, and are at
        least 1. `bound` also assumes that groups thin out in the sample alike whatever people's
        weights are.
    Reference: Benedetti, Franconi 1998; Franconi, Polettini 2004 (PSD, LNCS 3050).
    """

    needs: ClassVar[Needs] = Needs.SIZES | Needs.WEIGHTS
    monotone_in_generalisation: ClassVar[bool] = False
    monotone_in_suppression: ClassVar[bool] = False

    at_most: float
    """Largest probability, above 0 and at most 1."""
    weights: str
    """The column of survey weights."""
    estimator: str = BOUND
    """One of `FINDERS`."""

    def __post_init__(self) -> None:
        require_number("at_most", self.at_most, RISK)
        require_column(self.weights)
        _require_one_of("estimator", self.estimator, FINDERS)

    def __str__(self) -> str:
        return (
            f"estimated individual risk at most {shown(self.at_most)} "
            f"({self.estimator}, weights {self.weights})"
        )

    @property
    def weighted_by(self) -> str:
        return self.weights

    @property
    def promise(self) -> str:
        return self.promised(
            f"a random sample whose weights {self.weights!r} say how many people of the "
            "population each person stands for"
        )

    def stands_for(self, groups: Groups) -> Floats:
        found: Floats = weights_of(groups, self.weights, str(self)) / MILLION
        return found


def _require_one_of(name: str, value: object, words: tuple[str, ...]) -> None:
    if value not in words:
        raise PlanError(
            f"{name} must be one of {some(words)}, not {value!r}", fix=f"Give {words[0]!r}."
        )


def _unique(said: Said) -> str:
    return (
        f"An estimated share of {said['at_most']} of the published people at most are unique in "
        f"the population, of which the table is a sample of {said['fraction']} "
        f"(estimator: {said.get('model') or BOUND})."
    )


def _found(said: Said) -> str:
    sample = f"weights in {said['weights']}" if said.get("weights") else said["fraction"]
    return (
        f"Somebody of the population is found with an estimated chance of {said['at_most']} at "
        f"most, where the table is a sample ({sample}; estimator: {said.get('model') or BOUND})."
    )


def _one_of_both(said: Said) -> Conflict | None:
    given = [name for name in ("fraction", "weights") if said.get(name) is not None]
    if len(given) == 1:
        return None
    what = "both `fraction` and `weights`" if given else "neither `fraction` nor `weights`"
    return Conflict(
        f"it has {what}",
        "Say which share of the population the table is, as in `fraction: 10%`, or which column "
        "has survey weights, as in `weights: weight`.",
    )


def _finder(of: str | None, said: Said) -> PrivacyModel:
    given: dict[str, Any] = {"at_most": said["at_most"], "estimator": said["model"]}
    if said["weights"] is not None:
        return WeightedRisk(weights=said["weights"], **given)
    return IndividualRisk(fraction=said["fraction"], **given)


CLAIMS.register(
    Declaration(
        name="population-uniqueness",
        classes=(PopulationUniqueness,),
        summary="The estimated share of people who are unique in the population.",
        headline="share of people unique in the population, estimated",
        promises="Someone who has a list of the population finds exactly one person for at most "
        "this share of the published records. This is estimated from the sample, not counted: "
        "what counts is the upper end of an interval that is too low for one sample in 20.",
        does_not_protect="Single people; anyone known to be in the table; anyone if the table is "
        "no simple random sample. All models but `bound` also fail if groups of the population "
        "have other sizes than they assume.",
        reference="Dankar, El Emam, Neisa, Roffey 2012; Hoshino 2001; Zayatz 1991; Chen, "
        "Keller-McNulty 1998; Chao 1984 for `bound`.",
        parameters=(
            Parameter(
                name="at_most",
                kind=NumberParameter(UNIT, percent=True),
                meaning="Share of the published people, at most.",
                words="share, at most (0.01 or 1%)",
            ),
            Parameter(
                name="fraction",
                kind=NumberParameter(OPEN_UNIT, percent=True),
                meaning="Share of the population that is in the table.",
                words="share of the population in the table",
            ),
            Parameter(
                name="model",
                field="estimator",
                kind=ChoiceParameter(COUNTERS),
                default=BOUND,
                meaning="How it is estimated; only `bound` has no model of the population.",
            ),
        ),
        example="- population-uniqueness: {at_most: 1%, fraction: 10%}",
        sentence=_unique,
    )
)
CLAIMS.register(
    Declaration(
        name="individual-risk",
        classes=(IndividualRisk, WeightedRisk),
        summary="The estimated chance to find the person of the population behind a record.",
        headline="chance to find somebody of the population, estimated",
        promises="Someone who has a list of the population, and does not know who of it is in the "
        "table, picks the right person for a record with at most this probability. This is "
        "estimated from the sample, not counted.",
        does_not_protect="Anyone known to be in the table; anyone if the table is no random "
        "sample. `bound` is about averages over groups of about the same size; "
        "`benedetti-franconi` says too little where many people are alone in the sample.",
        reference="Benedetti, Franconi 1998; Franconi, Polettini 2004; Chao 1984 for `bound`.",
        parameters=(
            Parameter(
                name="at_most",
                kind=NumberParameter(RISK, percent=True),
                meaning="Probability, at most.",
                words="chance, at most (0.05 or 5%)",
            ),
            Parameter(
                name="fraction",
                kind=NumberParameter(OPEN_UNIT, percent=True),
                default=None,
                meaning="Share of the population that is in the table.",
                words="share of the population in the table",
            ),
            Parameter(
                name="weights",
                kind=ParameterKind.WEIGHTS,
                default=None,
                meaning="Column of survey weights, in place of the fraction: how many people of "
                "the population each person stands for.",
            ),
            Parameter(
                name="model",
                field="estimator",
                kind=ChoiceParameter(FINDERS),
                default=BOUND,
                meaning="How it is estimated; only `bound` has no model of the population.",
            ),
        ),
        example="- individual-risk: {at_most: 0.09, fraction: 10%}",
        sentence=_found,
        conflict=_one_of_both,
        build=_finder,
    )
)
