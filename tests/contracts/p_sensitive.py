"""p-sensitive k-anonymity: a claim in one file, as another package would add it, and its oracle.

As a plugin of pytest (`-p contracts.p_sensitive`) it declares the claim before tests are collected.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hedgerow.base.ranges import SEVERAL, WHOLE
from hedgerow.claims.base import ColumnModel, Needs, Ratio, RatioModel, histogram_of, require_number
from hedgerow.claims.declaration import (
    CLAIMS,
    OF,
    Declaration,
    NumberParameter,
    Parameter,
    Said,
    column_of,
)
from hedgerow.claims.traits import LIKELIER, PEOPLE_SLIDER, Gap, Slider
from hedgerow.table.groups import Groups


@dataclass(frozen=True, kw_only=True)
class PSensitiveKAnonymity(ColumnModel, RatioModel):
    """Every group has at least k people and at least p different sensitive values.

    Guarantee: As k-anonymity; and nobody's value follows from their quasi-identifiers (p >= 2).
    Assumes: The attacker knows quasi-identifiers and fewer than p - 1 excluding facts.
    Reference: Truta, Vinay 2006 (ICDE workshops), Definition 2.

    The level is the number of values, 0 where the group is smaller than k.

    >>> groups = Groups.of({"disease": [{"flu": 2, "cancer": 1}, {"flu": 1, "cancer": 1}]})
    >>> PSensitiveKAnonymity(p=2, k=3, of="disease").level(groups).tolist()
    [2.0, 0.0]
    """

    needs: ClassVar[Needs] = Needs.SIZES | Needs.HISTOGRAM
    higher_is_safer: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    monotone_in_union: ClassVar[bool] = True
    gaps: ClassVar[tuple[Gap, ...]] = (LIKELIER,)
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("p", "p", "values in every group, at least (p)", 1, 20, True, of_values=True),
        PEOPLE_SLIDER,
    )

    p: int
    k: int

    def __post_init__(self) -> None:
        require_number("p", self.p, WHOLE)
        require_number("k", self.k, SEVERAL)
        super().__post_init__()

    def __str__(self) -> str:
        return f"{self.p}-sensitive {self.k}-anonymity of {self.of}"

    @property
    def required(self) -> Fraction:
        return Fraction(self.p)

    def ratios(self, groups: Groups) -> list[Ratio]:
        values = np.diff(histogram_of(groups, self.of)[1].indptr)
        return [(values, (groups.n >= self.k).astype(np.int64))]

    @property
    def promise(self) -> str:
        return f"finds at least {self.k} people with at least {self.p} values of {self.of!r}"

    @property
    def least_people(self) -> int:
        return self.k

    @property
    def least_values(self) -> int:
        return self.p

    def keeps_apart(self, *, several: bool) -> bool:
        return self.p > 1 and not several


def _sentence(said: Said) -> str:
    return (
        f"Every group has at least {int(said['k']):,} people, and {column_of(said)} has at least "
        f"{int(said['p']):,} different values in it."
    )


DECLARATION = Declaration(
    name="p-sensitive-k-anonymity",
    classes=(PSensitiveKAnonymity,),
    summary="k-anonymity, and every group has at least p sensitive values.",
    headline="nobody is alone, and groups show several sensitive values",
    promises="Someone who knows a person's quasi-identifiers finds at least k records with at "
    "least p different sensitive values among them.",
    does_not_protect="A value that is much likelier than the others; values that mean much the "
    "same.",
    reference="Truta, Vinay 2006 (ICDE workshops).",
    parameters=(
        Parameter(
            name="p", kind=NumberParameter(WHOLE), meaning="Values in every group, at least."
        ),
        Parameter(
            name="k", kind=NumberParameter(SEVERAL), meaning="People in every group, at least."
        ),
        OF,
    ),
    example="- p-sensitive-k-anonymity: {p: 2, k: 5}",
    sentence=_sentence,
)


def _oracle(k: int) -> Any:
    def level(t: Any, g: int) -> Fraction:
        people = t.people[g]
        values = {value for person in people for value in person}
        return Fraction(len(values) if len(people) >= k else 0)

    return level


@contextmanager
def declared() -> Iterator[Declaration]:
    """The claim is there, and afterwards it is not."""
    from contracts.oracles import ORACLES, Case

    ORACLES[DECLARATION.name] = tuple(
        Case(
            f"of {k}",
            lambda p, k=k: PSensitiveKAnonymity(p=p, k=k, of="s"),
            _oracle(k),
            Fraction(1),
            whole=True,
            usual=(2,),
        )
        for k in (2, 3)
    )
    CLAIMS.register(DECLARATION)
    try:
        yield DECLARATION
    finally:
        CLAIMS.remove(DECLARATION.name)
        del ORACLES[DECLARATION.name]


_FOR_THE_RUN = declared()


def pytest_configure() -> None:
    """As a plugin."""
    _FOR_THE_RUN.__enter__()


def pytest_unconfigure() -> None:
    _FOR_THE_RUN.__exit__(None, None, None)
