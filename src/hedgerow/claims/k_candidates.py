"""k-candidates: enough records fit a person where labels overlap, and groups may be small."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError, some
from hedgerow.base.ranges import SEVERAL, WHOLE
from hedgerow.claims.anonymity import KAnonymity
from hedgerow.claims.base import Needs, PrivacyModel, require_number
from hedgerow.claims.declaration import (
    CLAIMS,
    ChoiceParameter,
    Declaration,
    NumberParameter,
    Parameter,
    Said,
)
from hedgerow.claims.traits import (
    MANY_KNOWN,
    PEOPLE_SLIDER,
    WEIGHED_RECORDS,
    Gap,
    Slider,
)
from hedgerow.table.groups import Floats, Groups, Ints

KINDS = ("global", "both", "records", "people")
NAMES = {
    "global": "global (1,{k})-anonymity",
    "both": "({k},{k})-anonymity",
    "records": "(1,{k})-anonymity",
    "people": "({k},1)-anonymity",
}
LISTED = "the quasi-identifiers of everybody in the release"
ONE = "somebody who knows one person's quasi-identifiers and that the person is in the table"
ATTACKERS = {
    "global": f"somebody who knows {LISTED}, and matches all people with all records",
    "both": f"{ONE}, or who has one record and knows {LISTED}",
    "records": ONE,
    "people": f"somebody who has one record and knows {LISTED}",
}
PROMISES = {
    "global": "finds at least {k} records that may be the person's in such a match",
    "both": "finds at least {k} records that fit the person, and at least {k} people whom the "
    "record fits",
    "records": "finds at least {k} records that fit the person",
    "people": "finds at least {k} people whom the record fits",
}


@dataclass(frozen=True, kw_only=True)
class KCandidates(PrivacyModel):
    """Enough records fit everybody, or enough people fit every record, though labels overlap.

    Guarantee: By `kind`. records, (1,k)-anonymity: each published person fits at least k records.
        people, (k,1)-anonymity: each record fits at least k published people. both,
        (k,k)-anonymity: the two together. global, (1,k)-anonymity over all matchings: for each
        person there are k records each of which is theirs in some way to give everybody a record
        that fits them.
    Assumes: The attacker knows nothing but quasi-identifiers. Of the first three kinds, that they
        match one person or one record, and not several people at once; of all, that they do not
        weigh which of the candidates is likelier.
    Reference: Gionis, Mazza, Tassa 2008 (ICDE), k-Anonymization Revisited, Definitions 4.1 to 4.6.

    k-anonymity implies each kind. A record fits by its labels: each is the person's value, a
    coarser name of it, or suppressed. Of groups of which nobody knows whom they fit, the level is
    how many people they have, which is never too large.

    >>> KCandidates(k=3).level(Groups.of([3, 5])).tolist(), str(KCandidates(k=3, kind="both"))
    ([3.0, 5.0], '(3,3)-anonymity')
    """

    higher_is_safer: ClassVar[bool] = True
    needs: ClassVar[Needs] = Needs.SIZES
    across_groups: ClassVar[bool] = True
    of_originals: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = False
    monotone_in_union: ClassVar[bool] = True
    sliders: ClassVar[tuple[Slider, ...]] = (PEOPLE_SLIDER,)

    k: int
    """Candidates, at least 1."""
    kind: Literal["global", "both", "records", "people"] = "global"
    """What is counted."""

    def __post_init__(self) -> None:
        require_number("k", self.k, WHOLE)
        if self.kind not in KINDS:
            raise PlanError(
                f"there are no k-candidates of the kind {self.kind!r}",
                fix=f"Choose one of {some(KINDS, most=4)}.",
            )

    def __str__(self) -> str:
        return NAMES[self.kind].format(k=self.k)

    @property
    def required(self) -> Fraction:
        return Fraction(self.k)

    def numbers(self, groups: Groups) -> Ints:
        """For each group, the fewest candidates of one of its people, or of its records."""
        if groups.fitting is None:
            return groups.n
        pairs = groups.fitting.pairs
        if self.kind == "people":
            return pairs.fitting_people
        if self.kind == "global":
            return pairs.worst_of(pairs.possible_records)
        fewest = pairs.worst_of(pairs.fitting_records)
        return np.minimum(fewest, pairs.fitting_people) if self.kind == "both" else fewest

    def level(self, groups: Groups) -> Floats:
        return self.numbers(groups).astype(np.float64)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        passed: NDArray[np.bool_] = (self.numbers(groups) >= self.k) | (groups.n == 0)
        return passed

    def exactly(self, groups: Groups, group: int) -> bool:
        return int(self.numbers(groups)[group]) >= self.k

    @property
    def attacker(self) -> str:
        return ATTACKERS[self.kind]

    @property
    def promise(self) -> str:
        return PROMISES[self.kind].format(k=self.k)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return (WEIGHED_RECORDS,) if self.kind == "global" else (WEIGHED_RECORDS, MANY_KNOWN)

    @property
    def candidates_of_people(self) -> int:  # type: ignore[override]
        return 1 if self.kind == "people" else self.k

    @property
    def candidates_of_records(self) -> int:  # type: ignore[override]
        return 1 if self.kind == "records" else self.k

    @property
    def matches_everybody(self) -> bool:  # type: ignore[override]
        return self.kind == "global"

    @property
    def of_each_group(self) -> KAnonymity:
        return KAnonymity(k=self.k)

    def with_size(self, people: int) -> KCandidates:
        return replace(self, k=people)


def _sentence(said: Said) -> str:
    k, kind = int(said["k"]), said.get("kind", "global")
    if kind == "people":
        return f"Every record fits at least {k:,} people."
    if kind == "both":
        return f"Everybody fits at least {k:,} records, and every record at least {k:,} people."
    if kind == "records":
        return f"Everybody fits at least {k:,} records."
    return f"Whoever matches everybody with the records finds {k:,} that may be a person's."


CLAIMS.register(
    Declaration(
        name="k-candidates",
        classes=(KCandidates,),
        summary="Everybody has at least k candidate records, though labels may overlap.",
        headline="at least k candidate records; weaker than k-anonymity",
        promises="Where cells are suppressed, a person may fit records of several groups. global: "
        "whoever matches all people with all records finds at least k records for each person. "
        "records: at least k records fit each person. people: each record fits at least k people. "
        "both: the last two together. k-anonymity implies all of them.",
        does_not_protect="What k-anonymity protects: a group may be a single person's, and one of "
        "the k candidates may be much likelier than the others. Except with global, whoever knows "
        "several people can rule out records that must be theirs, down to one. The sensitive "
        "value, where all candidates share it.",
        reference="Gionis, Mazza, Tassa 2008, k-Anonymization Revisited.",
        parameters=(
            Parameter(name="k", kind=NumberParameter(SEVERAL), meaning="Candidates, at least."),
            Parameter(
                name="kind",
                kind=ChoiceParameter(KINDS),
                default="global",
                meaning="What is counted: records possible in a match of everybody, records and "
                "people that fit, records that fit a person, people who fit a record.",
                words="Counted",
            ),
        ),
        brief="k",
        example="- k-candidates: 5",
        sentence=_sentence,
    )
)
