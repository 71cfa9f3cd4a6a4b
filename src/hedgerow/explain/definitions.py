"""The map of definitions: privacy definitions as points of ε-privacy, in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

import numpy as np

from hedgerow.base.errors import PlanError, nearest, some
from hedgerow.claims.translation import (
    Number,
    Shape,
    diversity_of_epsilon,
    epsilon_of_closeness,
    epsilon_of_differential_privacy,
    epsilon_of_diversity,
    epsilon_of_lemma_1,
    perfect_privacy,
)
from hedgerow.table.groups import Groups

__all__ = [
    "DEFINITIONS",
    "PrivacyDefinition",
    "define",
    "definitions",
    "diversity_of_epsilon",
    "epsilon_of_closeness",
    "epsilon_of_differential_privacy",
    "epsilon_of_diversity",
    "epsilon_of_lemma_1",
    "perfect_privacy",
]

Direction = Literal["equivalent", "implies"]

_DIRECTIONS: Mapping[Direction, str] = {
    "equivalent": "Both ways: each follows from the other.",
    "implies": "One way: it implies ε-privacy, and ε-privacy in general does not imply it.",
}


@dataclass(frozen=True, kw_only=True)
class PrivacyDefinition:
    """One privacy definition as a point of ε-privacy, for someone who has to choose."""

    name: str
    sentence: str
    """What it amounts to, for a data steward."""
    adversary: str
    """Whom ε-privacy has to protect against to be the same."""
    condition: str
    """When the translation holds."""
    direction: Direction
    example: str
    """Worked with the functions of this module."""
    reference: str

    def sections(self) -> Iterator[tuple[str, str]]:
        """Titles and texts, in reading order."""
        yield "What it amounts to", self.sentence
        yield "The adversary", self.adversary
        yield "Direction", _DIRECTIONS[self.direction]
        yield "Condition", self.condition
        yield "Example", self.example
        yield "Reference", self.reference


def definitions() -> tuple[PrivacyDefinition, ...]:
    """The whole map, in the order it is best read.

    >>> [d.name for d in definitions()][:2]
    ['(c,2)-diversity', 't-closeness']
    """
    return tuple(DEFINITIONS.values())


def define(name: str) -> PrivacyDefinition:
    """One definition by its name.

    Raises:
        PlanError: There is none of that name; names the nearest.

    >>> define("t-closeness").direction
    'implies'
    """
    if name in DEFINITIONS:
        return DEFINITIONS[name]
    near = nearest(name, list(DEFINITIONS))
    fix = f"Did you mean {near!r}? " if near else ""
    raise PlanError(
        f"there is no definition {name!r}", fix=f"{fix}There are {some(DEFINITIONS, most=99)}."
    )


def _map() -> Iterator[PrivacyDefinition]:
    source = "Machanavajjhala, Gehrke, Götz 2009 (VLDB)"
    salaries = {"high": "0.334", "low": "0.666"}
    diseases = {"flu": "0.2", "cancer": "0.3", "ulcer": "0.5"}
    table_3 = Groups.of({"disease": [
        {"flu": 200, "cancer": 300}, {"flu": 1800, "cancer": 2700}, {"flu": 18000, "cancer": 2000},
    ]})  # fmt: skip
    shape = {"flu": "0.4", "cancer": "0.6"}
    males = table_3.take(np.array([0, 1]))
    yield PrivacyDefinition(
        name="(c,2)-diversity",
        sentence="It protects against someone who, before looking, thinks every sensitive value "
        "equally likely, and whom no table can talk out of it: on finding a person's group "
        "their belief in a value may grow, and their doubt shrink, by a factor of ε at most. "
        "Someone who knows that a value is rare may gain much more.",
        adversary="Class III (infinitely stubborn), all k values equally likely, knows nobody's "
        "record; each single value is sensitive. ε is the larger of k c / (c + 1) and "
        "(c + 1)(k - 1) / k.",
        condition="k is at least 2 and c at least 1 / (k - 1). A value may be at most c times as "
        "frequent as all others together; the claim 'l-diversity: {kind: recursive, l: 2}' asks "
        "for less than c times, so it implies this ε, and this ε implies it for any larger c.",
        direction="equivalent",
        example="\n".join(
            f"({c},2)-diversity among {k} values is "
            f"{_decimal(epsilon_of_diversity(c=c, values=k))}-privacy: a value may have "
            f"{Fraction(c, c + 1)} of a group where 1/{k} was believed."
            for k, c in ((2, 4), (3, 2), (5, 4))
        ),
        reference=f"{source}, Equation 6 (with max for min).",
    )
    yield PrivacyDefinition(
        name="t-closeness",
        sentence="It protects against someone who knows how the values are distributed in the "
        "whole table and does not change their mind: on finding a person's group their belief in "
        "a value may grow, and their doubt shrink, by a factor of ε at most. The rarer the "
        "rarest value, the larger ε.",
        adversary="Class III (infinitely stubborn), with the table's own distribution, knows "
        "nobody's record; each single value is sensitive. ε is the largest of (p + t) / p and "
        "(1 - p) / (1 - p - t) over the values, p being a value's share of the table.",
        condition="t is below 1 less the share of the most frequent value; otherwise a group in "
        "which all share that value passes, and nothing is promised. Distances are equal "
        "distances; for ordered ones multiply t by the number of values less 1, for "
        "hierarchical ones by the height of the taxonomy. Where sets of values are sensitive "
        "too (Lemma 1): p / (p - t) of the rarest value, t below its share.",
        direction="implies",
        example="0.2-closeness in a table with 33.4 % high salaries is "
        f"{_decimal(epsilon_of_closeness(t='0.2', shape=salaries))}-privacy.\n"
        "0.1-closeness in a table with flu 20 %, cancer 30 %, ulcer 50 % is "
        f"{_decimal(epsilon_of_closeness(t='0.1', shape=diseases))}-privacy; for sets of "
        f"diseases {_decimal(epsilon_of_lemma_1(t='0.1', shape=diseases))}-privacy.",
        reference=f"{source}, Lemma 1 (the other way round in its section 4.2).",
    )
    yield PrivacyDefinition(
        name="perfect-privacy",
        sentence="The table tells the adversary nothing they did not believe already. It takes "
        "groups that all have exactly the distribution they believed in, and then the table is "
        "of little use; nothing else helps, and someone with another belief learns something.",
        adversary="Class III (infinitely stubborn), with one fixed distribution; ε = 1; values "
        "and sets of values are sensitive.",
        condition="Every group has exactly the adversary's distribution. For an adversary with "
        "an arbitrary distribution, or one who learns from the table, it is impossible.",
        direction="equivalent",
        example="Two groups with 200 and 1800 cases of flu and 300 and 2700 of cancer are "
        f"perfectly private against a belief in 40 % flu: {_yes(males, shape)}. With a third "
        f"group of 18000 and 2000: {_yes(table_3, shape)}.",
        reference=f"{source}, section 5.3; Miklau, Suciu 2004 (SIGMOD).",
    )
    mechanism = "A randomised mechanism, not a generalisation: no generalisation is "
    mechanism += "differentially private at any ε, since who knows all people but one takes "
    mechanism += "their records away and is left with the last one's."
    yield PrivacyDefinition(
        name="differential-privacy",
        sentence="It protects each person against someone who knows everybody else's record and "
        "may believe anything about this one: with the person's record in the data their belief "
        "in anything about the person grows or shrinks by a factor of e^ε at most.",
        adversary="Class IV, knows all people but one; every set of records is sensitive; the "
        "factor is e to the differential ε.",
        condition=f"Neighbouring tables differ in one person's record. {mechanism}",
        direction="equivalent",
        example="Differential privacy with ε = 0.1 is "
        f"{_factor('0.1', 'replace')}-privacy, with ε = 1 {_factor(1, 'replace')}-privacy.",
        reference=f"{source}, section 5.2; Dwork et al. 2006 (TCC), Claim 3.",
    )
    yield PrivacyDefinition(
        name="differential-privacy-add-remove",
        sentence="As differential-privacy, where it is also hidden whether the person is in the "
        "table. One record becomes another by a removal and an addition, so what is learned "
        "about the record of someone known to be there may grow by the factor twice.",
        adversary="Class IV, knows all people but one, and that this one is there; every set of "
        "records is sensitive; the factor is e to twice the differential ε.",
        condition=f"Neighbouring tables differ in one person's being there. {mechanism}",
        direction="implies",
        example="Differential privacy with ε = 0.1 is "
        f"{_factor('0.1', 'add-remove')}-privacy, with ε = 1 {_factor(1, 'add-remove')}-privacy.",
        reference=f"{source}, section 5.2; Dwork et al. 2006 (TCC), Claim 3.",
    )


def _factor(epsilon: Number, neighbours: Literal["replace", "add-remove"]) -> str:
    return _decimal(
        Fraction(epsilon_of_differential_privacy(epsilon=epsilon, neighbours=neighbours))
    )


def _yes(groups: Groups, shape: Shape) -> str:
    return "yes" if perfect_privacy(groups=groups, of="disease", shape=shape) else "no"


def _decimal(number: Fraction) -> str:
    """At most four digits behind the point, rounded up: a smaller ε would promise too much."""
    return f"{math.ceil(number * 10**4) / 10**4:g}"


DEFINITIONS: Mapping[str, PrivacyDefinition] = MappingProxyType({d.name: d for d in _map()})
"""Name -> definition, in the order they are best read."""
