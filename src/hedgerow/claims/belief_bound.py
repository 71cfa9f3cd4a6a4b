"""A bound on beliefs: nobody's value becomes likelier than a share, by all releases together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.base.ranges import OPEN_UNIT, POSITIVE
from hedgerow.base.spelling import unrecorded
from hedgerow.claims.base import (
    ColumnModel,
    Ratio,
    RatioModel,
    Verdict,
    exact,
    histogram_of,
    require_number,
    shown,
)
from hedgerow.claims.composition import earlier_name
from hedgerow.claims.declaration import (
    CLAIMS,
    OF,
    ChoiceParameter,
    Declaration,
    NumberParameter,
    Parameter,
    ParameterKind,
    Said,
    column_of,
)
from hedgerow.claims.priors import Prior
from hedgerow.claims.reductions import extremes
from hedgerow.claims.removal_bounds import could_stay
from hedgerow.claims.traits import FINDER, Gap, Slider
from hedgerow.table.groups import AskedBelief, BeliefsLeft, Earlier, Groups, Ints, Sensitive

OTHER_BELIEFS = Gap(
    8,
    "anybody against those who have only some of the releases that were compared, hold another "
    "prior, or do not know who came and left between them",
)


@dataclass(frozen=True, kw_only=True)
class BeliefBound(RatioModel, ColumnModel):
    """Whoever joins this release with earlier ones believes in no value of anybody too much.

    Guarantee: The belief in any value of any person, missing ones not counted, is at most
        `at_most`, for three attackers who take all values for equally likely, or hold the prior.
        (1) Who has this release alone and knows a person's group. (2) Who has all releases that
        were compared and knows a person's groups in them; or which groups the person fits, however
        likely they take each to be. (3) Who has all of them, knows which groups everybody fits, and
        counts the worlds that fit. It holds for everybody in the release, and for everybody else of
        whom the release tells more than the earlier ones.
    Assumes: Whoever fits an earlier group and has a value of it was in it, as far as there are
        records. A person's value is the same in all releases. One value a person. Where records
        are joined on other columns, too, attackers take all that stands beside a value somewhere
        for equally likely beside it; or, without a prior, all combinations.
    Reference: Machanavajjhala, Gehrke, Goetz 2009 (VLDB) for beliefs before and after; Ganta,
        Kasiviswanathan, Smith 2008 (KDD) for several releases.

    The level is the largest belief; where it is a bound that is proven, the bound. Beliefs are
    counted exactly in components that are small, and elsewhere have proven bounds (see
    docs/beliefs.md); where neither is enough the claim does not hold. Records are joined on every
    column that two releases show.

    Alone, without earlier releases, the level is the largest share of a value in a group:

    >>> groups = Groups.of({"illness": [{"flu": 1, "acne": 1}, {"flu": 2, "gout": 1}]})
    >>> BeliefBound(at_most=0.5, of="illness").ratios(groups)[0]
    (array([1, 2]), array([2, 3]))
    """

    higher_is_safer: ClassVar[bool] = False
    looks_behind: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    composes: ClassVar[bool] = True
    bounds_beliefs: ClassVar[bool] = True
    gaps: ClassVar[tuple[Gap, ...]] = (OTHER_BELIEFS,)
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("at_most", "at_most", "belief in a value, at most", 0.02, 0.99),
    )

    at_most: float
    knows: Literal["everybody", "person"] = "everybody"
    """Whom the strongest of the attackers knows: everybody, or one person only, without (3)."""
    prior: Prior | None = None
    """What attackers believe before they see a release, whatever they see; all values are equally
    likely where it is left out."""

    def __post_init__(self) -> None:
        require_number("at_most", self.at_most, POSITIVE)
        super().__post_init__()
        if self.at_most >= 1:
            raise PlanError(
                f"a belief of at most {shown(self.at_most)} protects nobody",
                fix="Give less than 1, such as 0.5.",
            )

    def __str__(self) -> str:
        held = "" if self.prior is None else f", {self.prior}"
        knows = ", who knows one person" if self.knows == "person" else ""
        return (
            f"belief in any value of {self.of} at most {shown(self.at_most)} "
            f"with earlier releases{knows}{held}"
        )

    @property
    def attacker(self) -> str:
        joins = f"{FINDER}, and who has the earlier releases that were compared"
        held = "" if self.prior is None else f" (each holds the {self.prior})"
        if self.knows == "person":
            return f"{joins}, and who knows nobody else{held}"
        return f"{joins}; or who knows this of everybody, and counts{held}"

    @property
    def promise(self) -> str:
        return (
            f"believes in no value of {self.of!r} of anybody with more than {shown(self.at_most)}, "
            "by this release alone or by all of them together"
        )

    def keeps_apart(self, *, several: bool) -> bool:
        return True

    @property
    def bounds_size(self) -> bool:
        return True

    @property
    def beyond_groups(self) -> bool:
        return True

    def beliefs_left(self, domain: Sensitive) -> AskedBelief:
        shares = None if self.prior is None else self.prior.shares(domain)
        return AskedBelief(self.required, shares, self.knows == "everybody")

    def stricter(self, share: Fraction) -> BeliefBound:
        return replace(self, at_most=float(exact(self.at_most) * share))

    @property
    def required(self) -> Fraction:
        return exact(self.at_most)

    @property
    def believed(self) -> Prior | None:
        return self.prior

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.of, earlier_name(self.of))

    def ratios(self, groups: Groups) -> list[Ratio]:
        domain, found = histogram_of(groups, self.of)
        missing = np.array([value is None for value in domain.values], np.bool_)
        silent = np.array(unrecorded(domain.values), np.bool_)
        ratios = []
        for out in (missing, silent):
            counts = np.where(out[found.codes], 0, found.counts)
            most = extremes(found.indptr, counts)[1]
            recorded = np.zeros(len(groups), np.int64)
            np.add.at(recorded, found.owner(), counts)
            ratios.append((most, np.maximum(recorded, 1)))
        return ratios

    def could_stay(self, groups: Groups) -> Ints:
        domain, found = histogram_of(groups, self.of)
        silent = np.array(unrecorded(domain.values), np.bool_)
        if silent.any():  # people of whom nothing is recorded can be anywhere
            return super().could_stay(groups)
        most = np.full(len(domain.values), float(self.at_most))
        return np.minimum(could_stay(groups, found, most=most), super().could_stay(groups))

    def keeps(self, groups: Groups) -> bool:
        if not super().keeps(groups):
            return False
        left = self._joined(groups)
        return left is None or left.largest <= self.required

    def exposed(self, groups: Groups) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        wrong = ~self.holds(groups)
        left = self._joined(groups)
        if left is None:
            return wrong, wrong
        inside, beside = wrong | left.inside, wrong | left.beside
        if left.largest > self.required and not beside.any():
            beside[:] = True  # it is somebody who shares no group with anybody here
        return inside, beside

    def check(self, groups: Groups) -> Verdict:
        verdict = super().check(groups)
        left = self._joined(groups)
        if left is None or float(left.largest) <= verdict.level:
            return verdict
        held = verdict.holds and left.largest <= self.required
        level = float(self.required) if left.largest == self.required else float(left.largest)
        return replace(verdict, holds=held, level=level, worst=None)

    def _joined(self, groups: Groups) -> BeliefsLeft | None:
        """What joining and counting leaves; None if there is nothing to join."""
        domain = histogram_of(groups, earlier_name(self.of))[0]
        assert isinstance(domain, Earlier), "where people may be is kept as such"
        if domain.believed is None:
            return None
        return domain.believed(groups, self.beliefs_left(groups.domains[self.of]))


def _sentence(said: Said) -> str:
    return (
        f"Whoever joins this release with all earlier ones and counts believes in no "
        f"{column_of(said)} of anybody with more than {said['at_most']}."
    )


CLAIMS.register(
    Declaration(
        name="belief",
        classes=(BeliefBound,),
        summary="Together with all earlier releases, nobody's value becomes likelier than this.",
        headline="no value becomes too likely beside earlier releases",
        promises="Someone who has this release, or all releases of the population that were "
        "compared, and who knows which groups a person fits, believes in no sensitive value of the "
        "person with more than you say, wherever the person is. The same is true of somebody who "
        "knows which groups everybody fits, and counts every way in which the records can belong "
        "to people.",
        does_not_protect="Against releases that are neither in the ledger nor named; against who "
        "has only some of those that were compared, holds another prior, or does not know who came "
        "and left; people whose value changed. Becoming less sure is not bounded.",
        reference="Machanavajjhala, Gehrke, Goetz 2009 (VLDB); Ganta, Kasiviswanathan, Smith 2008 "
        "(KDD).",
        parameters=(
            Parameter(
                name="at_most",
                kind=NumberParameter(OPEN_UNIT, percent=True),
                meaning="The belief in a value, at most.",
                words="belief in a value, at most (0 to 1)",
            ),
            Parameter(
                name="knows",
                kind=ChoiceParameter(("everybody", "person")),
                default="everybody",
                meaning="Whom attackers know. `everybody`: they may have the whole list of people "
                "and each one's groups, and count. `person`: they know one person.",
                words="Whom attackers know",
            ),
            Parameter(
                name="prior",
                kind=ParameterKind.PRIOR,
                default=None,
                meaning="How likely attackers take each value to be before; all alike if left out.",
            ),
            Parameter(
                name="with",
                kind=ParameterKind.RELEASES,
                default=(),
                meaning="Releases that are not in the ledger: folders, or files of any tool.",
            ),
            OF,
        ),
        brief="at_most",
        example="- belief: {at_most: 0.5, of: disease, with: [county-release/]}",
        sentence=_sentence,
    )
)
