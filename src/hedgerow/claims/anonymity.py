"""k-anonymity: nobody stands out by what an attacker may already know, all of it or a part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Integral
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.base.ranges import SEVERAL, WHOLE
from hedgerow.claims.base import (
    Needs,
    PrivacyModel,
    histogram_of,
    require_number,
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
from hedgerow.claims.known_columns import (
    Knows,
    column_sets,
    fewest_alike,
    known_places,
    listed_sets,
    many_columns,
)
from hedgerow.claims.reductions import extremes
from hedgerow.claims.row_bound import times
from hedgerow.claims.traits import FINDER, MORE_KNOWN, PEOPLE_SLIDER, Gap, Slider
from hedgerow.table.groups import ALL, Floats, Groups, Ints


@dataclass(frozen=True, kw_only=True)
class KAnonymity(PrivacyModel):
    """Every group has at least k people.

    Guarantee: Whoever knows someone's quasi-identifiers finds at least k people who share
        them, the person included, and picks the right one with probability at most 1/k.
    Assumes: The attacker knows no column but the quasi-identifiers. With over="all" no such
        assumption is made: each combination of all published columns is shared by k people.
    Reference: Samarati 2001; Sweeney 2002. Over all columns: Li, Qardaji, Su
        2012, who treat every attribute as a quasi-identifier.

    >>> groups = Groups.of([4, 3, 7])
    >>> KAnonymity(k=3).check(groups).level, KAnonymity(k=4).holds(groups).tolist()
    (3.0, [True, False, True])
    >>> str(KAnonymity(k=5)), str(KAnonymity(k=5, over="all"))
    ('5-anonymity', '5-anonymity over all columns')
    """

    higher_is_safer: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    rows_words: ClassVar[str] = "k-anonymity"
    sliders: ClassVar[tuple[Slider, ...]] = (PEOPLE_SLIDER,)

    k: int
    """People in each group, at least 1."""
    over: Literal["quasi-identifiers", "all"] = "quasi-identifiers"
    """Which columns an attacker may know."""

    def __post_init__(self) -> None:
        require_number("k", self.k, WHOLE)
        if self.over not in ("quasi-identifiers", "all"):
            raise PlanError(
                f"k-anonymity is over 'quasi-identifiers' or 'all', not {self.over!r}",
                fix="Leave it out to mean the quasi-identifiers.",
            )

    def __str__(self) -> str:
        return f"{self.k}-anonymity" + (" over all columns" if self.over == "all" else "")

    @property
    def needs(self) -> Needs:
        return Needs.HISTOGRAM if self.over == "all" else Needs.SIZES

    @property
    def attributes(self) -> tuple[str, ...]:
        return (ALL,) if self.over == "all" else ()

    @property
    def required(self) -> Fraction:
        return Fraction(self.k)

    def sizes(self, groups: Groups) -> Ints:
        """The fewest people of each group an attacker cannot tell apart."""
        if self.over == "all":
            histogram = histogram_of(groups, ALL)[1]
            return extremes(histogram.indptr, histogram.counts)[0]
        return groups.n

    @property
    def monotone_in_union(self) -> bool:
        return self.over != "all"

    def level(self, groups: Groups) -> Floats:
        return self.sizes(groups).astype(np.float64)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        passed: NDArray[np.bool_] = (self.sizes(groups) >= self.k) | (groups.n == 0)
        return passed

    def exactly(self, groups: Groups, group: int) -> bool:
        return int(self.sizes(groups)[group]) >= self.k

    @property
    def attacker(self) -> str:
        if self.joint:
            return "somebody who knows all published columns of a person"
        return FINDER

    @property
    def promise(self) -> str:
        if self.joint:
            return f"finds at least {self.k} people who agree on all columns"
        return f"finds at least {self.k} people who could be that person"

    @property
    def joint(self) -> bool:
        return self.over == "all"

    @property
    def least_people(self) -> int:
        return self.k

    def people_at(self, level: float) -> float:
        return level

    @property
    def only_size(self) -> int | None:
        return None if self.joint else self.k

    def with_size(self, people: int) -> KAnonymity:
        return replace(self, k=people)

    def of_rows(self, rows: int) -> KAnonymity:
        return replace(self, k=times(self.k, rows))

    def level_of_people(self, level: float, rows: int) -> float:
        return float(max(1, level // rows))


@dataclass(frozen=True, kw_only=True)
class MarginalAnonymity(PrivacyModel):
    """At least k people look alike in any m of the quasi-identifiers, or in each of some sets.

    Guarantee: Whoever knows so many of a person's quasi-identifiers, or those of one of the sets,
        finds at least k people with the published values of these columns, the person included,
        and picks the right one with probability at most 1/k.
    Assumes: The attacker knows no other column of anybody. Who knows different columns of several
        people is not covered.
    Reference: Terrovitis, Mamoulis, Kalnis 2008 (VLDB) for k^m-anonymity of sets of items; the
        combinations of keys of mu-Argus (Hundepool et al. 2014).

    People of several groups count together where these look alike in what is known. Nobody is alone
    in their age or their sex below, though each group is one person:

    >>> from hedgerow.table.shown_columns import ShownColumns
    >>> shown = ShownColumns.of_labels(["sex", "age"], lambda: ["FFMM", "3434"])
    >>> groups = Groups(np.array([1, 1, 1, 1]), shown=shown)
    >>> MarginalAnonymity(k=2, knows=1).level(groups).tolist()
    [2.0, 2.0, 2.0, 2.0]
    >>> str(MarginalAnonymity(k=2, knows=(("sex", "age"),)))
    '2-anonymity in (sex, age)'
    """

    higher_is_safer: ClassVar[bool] = True
    needs: ClassVar[Needs] = Needs.SIZES
    across_groups: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = False
    monotone_in_union: ClassVar[bool] = True
    rows_words: ClassVar[str] = "k-anonymity in some columns"
    sliders: ClassVar[tuple[Slider, ...]] = (PEOPLE_SLIDER,)
    gaps: ClassVar[tuple[Gap, ...]] = (MORE_KNOWN,)

    k: int
    """People who look alike, at least 1."""
    knows: Knows
    """How many quasi-identifiers an attacker knows, whichever these are; or which ones."""

    def __post_init__(self) -> None:
        require_number("k", self.k, WHOLE)
        if isinstance(self.knows, Integral):
            require_number("knows", self.knows, WHOLE)
        else:
            object.__setattr__(self, "knows", column_sets(self.knows))

    def __str__(self) -> str:
        if isinstance(self.knows, int):
            return f"{self.k}-anonymity in any {many_columns(self.knows)}"
        return f"{self.k}-anonymity in {listed_sets(self.knows)}"

    @property
    def required(self) -> Fraction:
        return Fraction(self.k)

    @property
    def named_columns(self) -> tuple[str, ...]:
        sets = () if isinstance(self.knows, int) else self.knows
        return tuple(dict.fromkeys(name for one in sets for name in one))

    def sizes(self, groups: Groups) -> Ints:
        """For each group, the fewest people who look alike in what somebody knows.

        Raises:
            PlanError: A column is no quasi-identifier, or it is not known what groups look like.
        """
        if groups.shown is None:
            raise PlanError(
                f"{self} cannot be judged on groups of which nobody knows what they look like",
                fix="Judge it on the groups of one release.",
            )
        return fewest_alike(groups.shown.codes, groups.n, known_places(self.knows, groups.shown))

    def level(self, groups: Groups) -> Floats:
        return self.sizes(groups).astype(np.float64)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        passed: NDArray[np.bool_] = (self.sizes(groups) >= self.k) | (groups.n == 0)
        return passed

    def exactly(self, groups: Groups, group: int) -> bool:
        return int(self.sizes(groups)[group]) >= self.k

    @property
    def attacker(self) -> str:
        if isinstance(self.knows, int):
            one = self.knows == 1
            what = "one of a person's quasi-identifiers" if one else (
                f"at most {self.knows} of a person's quasi-identifiers"
            )  # fmt: skip
            return f"somebody who knows {what}, whichever, and that the person is in the table"
        return (
            f"somebody who knows of a person nothing but {listed_sets(self.knows)}, and that the "
            "person is in the table"
        )

    @property
    def promise(self) -> str:
        return f"finds at least {self.k} people who could be that person"

    @property
    def of_each_group(self) -> KAnonymity:
        return KAnonymity(k=self.k)

    def with_size(self, people: int) -> MarginalAnonymity:
        return replace(self, k=people)

    def of_rows(self, rows: int) -> MarginalAnonymity:
        return replace(self, k=times(self.k, rows))

    def level_of_people(self, level: float, rows: int) -> float:
        return float(max(1, level // rows))


def _model(of: str | None, said: Said) -> PrivacyModel:
    k, knows = int(said["k"]), said.get("knows")
    if knows is None:
        return KAnonymity(k=k, over=said["over"])
    return MarginalAnonymity(k=k, knows=knows)


def _conflict(said: Said) -> Conflict | None:
    if said.get("knows") is None or said.get("over") != "all":
        return None
    return Conflict(
        "knows is about quasi-identifiers, and over: all about every column",
        "Leave out one of them.",
    )


def _sentence(said: Said) -> str:
    k, knows = int(said["k"]), said.get("knows")
    if knows is not None:
        known = many_columns(knows) if isinstance(knows, int) else listed_sets(knows)
        whatever = ", whichever they are" if isinstance(knows, int) else ""
        return (
            f"Whoever knows {known} of a person{whatever}, and nothing else, finds at least {k:,} "
            "people who look like that."
        )
    what = "published columns" if said.get("over") == "all" else "quasi-identifiers"
    return (
        f"Everybody looks like at least {k - 1:,} others: no group with the same {what} is smaller "
        f"than {k:,}."
    )


CLAIMS.register(
    Declaration(
        name="k-anonymity",
        classes=(KAnonymity, MarginalAnonymity),
        summary="Everyone shares their quasi-identifiers with at least k - 1 others.",
        headline="nobody is alone: groups of at least k people",
        promises="Someone who knows a person's quasi-identifiers, and that the person is in the "
        "table, cannot narrow the person's record down to fewer than k records: at least k people "
        "share every published combination of quasi-identifiers. With over: all this holds for "
        "combinations of all published columns. With knows, somebody is meant who knows no more "
        "than so many quasi-identifiers of a person, or than one of the sets listed.",
        does_not_protect="The sensitive value, where the people of a group share it; anyone about "
        "whom the attacker knows a column that is not a quasi-identifier (unless over: all); "
        "anyone in two releases, whose two groups can be intersected. With knows, also anyone of "
        "whom somebody knows more, or other, quasi-identifiers: a combination of all of them may "
        "be a single person's.",
        reference="Samarati 2001; Sweeney 2002. With knows: Terrovitis, Mamoulis, Kalnis 2008 "
        "(k^m-anonymity); the combinations of mu-Argus.",
        parameters=(
            Parameter(
                name="k", kind=NumberParameter(SEVERAL), meaning="People in every group, at least."
            ),
            Parameter(
                name="over",
                kind=ChoiceParameter(("quasi-identifiers", "all")),
                default="quasi-identifiers",
                meaning="What an attacker may know; all: every published column, sensitive ones "
                "too.",
                words="Alike in",
            ),
            Parameter(
                name="knows",
                kind=ParameterKind.COLUMN_SETS,
                default=None,
                meaning="How many quasi-identifiers an attacker knows at most, whichever they are, "
                "such as 3; or which sets, such as [[age, zip], [sex]]. All of them if left out.",
                words="An attacker knows (a number of columns, or sets: age, zip; sex)",
            ),
        ),
        brief="k",
        example="- k-anonymity: 5",
        sentence=_sentence,
        conflict=_conflict,
        build=_model,
    )
)
