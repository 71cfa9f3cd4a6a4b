"""Readings: a claim judged under both readings of values that may be taken for one.

`Flu` and `FLU` may be two values or one. One value is the careful reading for diversity; to
closeness and to beliefs it may look better than it is. Where nobody says which is right, a claim
must hold under both, and its level is the worse of the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, some
from hedgerow.claims.base import Needs, PrivacyModel, Verdict
from hedgerow.claims.closeness import taxonomy
from hedgerow.table.groups import Floats, Groups, Ints, Sensitive

FIX = (
    "Say in the plan, in the column, `spelling: one` to publish each value in one spelling, or "
    "`distinct: [...]` with the spellings that differ; name texts that mean missing in the plan's "
    "`null`."
)


@dataclass(frozen=True)
class EitherReading(PrivacyModel):
    """A claim that must hold as values are spelled, and with spellings of one value as one."""

    model: PrivacyModel
    """As values are spelled."""
    merged: PrivacyModel
    """The same of values in one spelling each: it names them by that one."""
    of: str
    """The sensitive column."""

    def __str__(self) -> str:
        return str(self.model)

    @property
    def higher_is_safer(self) -> bool:  # type: ignore[override]
        return self.model.higher_is_safer

    @property
    def strict(self) -> bool:  # type: ignore[override]
        return self.model.strict

    @property
    def per_group(self) -> bool:  # type: ignore[override]
        return self.model.per_group

    @property
    def needs(self) -> Needs:
        return self.model.needs

    @property
    def monotone_in_generalisation(self) -> bool:
        return self.model.monotone_in_generalisation

    @property
    def monotone_in_suppression(self) -> bool:
        return self.model.monotone_in_suppression

    @property
    def monotone_in_union(self) -> bool:
        return self.model.monotone_in_union

    @property
    def compares_with_table(self) -> bool:
        return self.model.compares_with_table

    @property
    def hopeless(self) -> str | None:
        return self.model.hopeless

    @property
    def attributes(self) -> tuple[str, ...]:
        return self.model.attributes

    @property
    def column(self) -> str:
        return self.of

    @property
    def least_people(self) -> int | None:
        return self.model.least_people

    @property
    def required(self) -> Fraction:
        return self.model.required

    def spelled_out(self) -> dict[str, Any]:
        return self.model.spelled_out()

    def could_stay(self, groups: Groups) -> Ints:
        # Parts that pass pass under both readings, so the smaller bound is one, too.
        one = groups.in_one_spelling(self.of)
        return np.minimum(self.model.could_stay(groups), self.merged.could_stay(one))

    def level(self, groups: Groups) -> Floats:
        worse = np.minimum if self.higher_is_safer else np.maximum
        one = groups.in_one_spelling(self.of)
        found: Floats = worse(self.model.level(groups), self.merged.level(one))
        return found

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        one = groups.in_one_spelling(self.of)
        return self.model.holds(groups) & self.merged.holds(one)

    def exactly(self, groups: Groups, group: int) -> bool:
        one = groups.in_one_spelling(self.of)
        return self.model.exactly(groups, group) and self.merged.exactly(one, group)

    def vacuous(self, groups: Groups) -> NDArray[np.bool_]:
        return self.model.vacuous(groups)


def judged(
    models: Iterable[PrivacyModel], domains: Iterable[Sensitive]
) -> tuple[PrivacyModel, ...]:
    """The claims as they are to be judged: under both readings where there are two.

    Args:
        models: The claims.
        domains: Of the sensitive columns, with the spellings that may be one value.

    Raises:
        DataError: A claim cannot be judged with the spellings as one value.
    """
    several = {domain.name: domain for domain in domains if domain.spellings is not None}
    return tuple(
        _either(model, [several[name] for name in model.attributes if name in several])
        for model in models
    )


def checked(model: PrivacyModel, groups: Groups) -> Verdict:
    """The claim on a whole table, the worse reading of its values.

    Also on the scale of the values that these groups have, where the table's is longer.
    """
    (judge,) = judged([model], groups.domains.values())
    found = judge.check(groups)
    shorter = on_shown_scale(model, groups)
    if shorter is None:
        return found
    (judge,) = judged([model], shorter.domains.values())
    other = judge.check(shorter)
    return other if not other.holds or other.level > found.level else found


def on_shown_scale(model: PrivacyModel, groups: Groups) -> Groups | None:
    """The groups in a domain of the values they have; None where the scale stays the same.

    Distances in an order or a taxonomy are shares of its length. Where only suppressed people have
    some values, whoever reads the release sees a shorter one, which makes everything farther: that
    is the one a claim names. Compared is then with everybody who has one of the values published,
    suppressed people included.
    """
    of = model.column
    if not model.on_a_scale or of is None:
        return None
    domain, histogram = groups.domains[of], groups.histograms[of]
    codes = np.unique(histogram.codes)
    if not len(codes) or len(codes) == np.count_nonzero(domain.reference):
        return None
    spellings = None
    if domain.spellings is not None:
        first, kind = np.unique(domain.spellings[codes], return_index=True, return_inverse=True)[1:]
        spellings = first[kind].astype(np.int32) if len(first) < len(codes) else None
    reference = domain.reference[codes]
    values = tuple(domain.values[code] for code in codes)
    shown = Sensitive(
        domain.name,
        values,
        reference,
        domain.people if domain.several else int(reference.sum()),
        (np.arange(len(codes), dtype=np.int32), *(level[codes] for level in domain.levels[1:]))
        if domain.levels
        else (),
        (values, *domain.labels[1:]) if domain.labels else (),
        spellings,
    )
    if model.by_hierarchy and len(taxonomy(shown)[0]) == len(taxonomy(domain)[0]):
        return None
    place = np.zeros(len(domain.values), np.int32)
    place[codes] = np.arange(len(codes), dtype=np.int32)
    histograms = {**groups.histograms, of: replace(histogram, codes=place[histogram.codes])}
    return replace(groups, histograms=histograms, domains={**groups.domains, of: shown})


def _either(model: PrivacyModel, domains: Sequence[Sensitive]) -> PrivacyModel:
    if not domains or isinstance(model, EitherReading):
        return model
    domain = domains[0]
    if model.looks_behind or model.attributes != (domain.name,):
        raise _unjudged(model, domain, "it is about more than the release shows")
    if domain.levels:
        for level in domain.levels[1:]:
            if len(set(zip(domain.into_one.tolist(), level.tolist(), strict=True))) > len(
                domain.in_one_spelling.values
            ):
                raise _unjudged(model, domain, "they stand at different places of the hierarchy")
    if model.by_order:
        into = domain.into_one
        if 1 + int(np.count_nonzero(np.diff(into))) > len(domain.in_one_spelling.values):
            raise _unjudged(model, domain, "other values stand between them in the order")
    one = domain.in_one_spelling.values
    names = {value: one[code] for value, code in zip(domain.values, domain.into_one, strict=True)}
    return EitherReading(model, model.renamed(names), domain.name)


def _unjudged(model: PrivacyModel, domain: Sensitive, why: str) -> DataError:
    spellings = next(iter(domain.listed_spellings()))
    return DataError(
        f"{model} cannot be judged with the spellings {some(spellings)} of {domain.name!r} as one "
        f"value: {why}",
        fix=FIX,
    )
