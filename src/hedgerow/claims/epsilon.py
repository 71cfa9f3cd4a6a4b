"""Epsilon-privacy: nobody has to regret that their record is in the release."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, cast

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.base.ranges import FROM_ONE, LEVEL
from hedgerow.claims.adversary import Adversary, ClassIV
from hedgerow.claims.attacker_sentence import attacker_sentence
from hedgerow.claims.base import (
    ColumnModel,
    PrivacyModel,
    exact,
    histogram_of,
    require_number,
    shown,
)
from hedgerow.claims.belief_terms import Belief, BeliefTerms
from hedgerow.claims.declaration import (
    CLAIMS,
    OF,
    ChoiceParameter,
    Conflict,
    Declaration,
    Explained,
    NumberParameter,
    Parameter,
    ParameterKind,
    Said,
)
from hedgerow.claims.predicates import Named, Predicates
from hedgerow.claims.priors import Prior
from hedgerow.claims.traits import NOT_WISHED, OTHERS_KNOWN, STRONGER, Gap, Slider
from hedgerow.table.facts import AskedFacts
from hedgerow.table.groups import (
    AttributedRecords,
    Facts,
    Floats,
    Groups,
    Histogram,
    Ints,
    Sensitive,
)
from hedgerow.table.value_order import Value

STUBBORNNESS = "stubbornness"
MOST_STUBBORN = 1e9
"""The end of the slider; more can be written into the plan."""


@dataclass(frozen=True, kw_only=True)
class EpsilonPrivacy(ColumnModel):
    """An attacker gets hardly surer of anything about a person by the person's record being there.

    Guarantee: For every person whose record the attacker does not hold and every predicate,
        p_in / p_out <= epsilon and (1 - p_out) / (1 - p_in) <= epsilon; p_in is what the
        attacker believes when the record is in the release, p_out when it was taken out.
    Assumes: The attacker is of the class named, believes the same of every group before
        seeing it, revises that by the group alone, and does not reason about how the
        recoding was chosen. Whoever fits several groups is believed to be in each with some
        probability, whatever it is, which the record does not change. One sensitive column; one
        value a person.
    Reference: Machanavajjhala, Gehrke, Goetz 2009 (VLDB), Definition 4, Theorems 1 to 4 and
        Appendix A. `by="exact"` decides by p_in and p_out themselves (Equations 8 and 9, with
        known individuals), `by="theorem"` by the theorems' conditions, which ask a little
        more: at most n + sigma over n + sigma - 1 times as much for the first, and one
        imagined person more for the second.

    The level is the smallest epsilon, at least 1.

    >>> from hedgerow.claims.adversary import ClassI, ClassIII
    >>> from hedgerow.claims.priors import Prior
    >>> groups = Groups.of({"disease": [{"flu": 1800, "cancer": 2700},
    ...                                 {"flu": 18000, "cancer": 2000}]})
    >>> metropolis = Prior.counts({"flu": 11_999, "cancer": 17_999})
    >>> alice = ClassI(prior=metropolis)
    >>> EpsilonPrivacy(epsilon=4.1, of="disease", adversary=alice).level(groups).round(4).tolist()
    [1.0, 4.0001]
    >>> stubborn = ClassIII(prior=Prior.shape({"flu": 0.4, "cancer": 0.6}))
    >>> EpsilonPrivacy(epsilon=4, of="disease", adversary=stubborn).check(groups).level
    6.0
    """

    higher_is_safer: ClassVar[bool] = False
    monotone_in_suppression: ClassVar[bool] = True
    about_beliefs: ClassVar[bool] = True
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("epsilon", "epsilon", "times as sure, at most (epsilon)", 1.01, 100, False, True),
    )

    epsilon: float
    """How many times as sure, at most; at least 1."""
    adversary: Adversary
    predicates: Predicates = field(default_factory=Predicates)
    by: Literal["exact", "theorem"] = "exact"

    def __post_init__(self) -> None:
        require_number("epsilon", self.epsilon, FROM_ONE)
        super().__post_init__()
        if not isinstance(self.adversary, Adversary):
            raise PlanError(
                f"epsilon-privacy is against an adversary, not {self.adversary!r}",
                fix="Use ClassI, AtMost, ClassII, ClassIII or ClassIV.",
            )
        if not isinstance(self.predicates, Predicates):
            raise PlanError(
                f"the predicates are no Predicates: {self.predicates!r}",
                fix="Use Predicates(sets=[...]).",
            )
        if self.by not in ("exact", "theorem"):
            raise PlanError(
                f"it is decided 'exact' or by 'theorem', not {self.by!r}", fix="Use one of the two."
            )

    def __str__(self) -> str:
        about = "" if self.predicates.usual else f" ({self.predicates})"
        return f"{shown(self.epsilon)}-privacy of {self.of}{about} against {self.adversary}"

    @property
    def required(self) -> Fraction:
        return exact(self.epsilon)

    @property
    def monotone_in_generalisation(self) -> bool:
        # A group in which nobody minds may be merged with one in which somebody does; and whom
        # an attacker knows in one group changes what they believe of the other.
        return self.facts is None

    @property
    def compares_with_table(self) -> bool:
        # What a named set means to a prior depends on which values the table has.
        named = not self.predicates.usual and self.adversary.believed is not None
        return self.adversary.compares_with_table or named or self.facts is not None

    @property
    def facts(self) -> AskedFacts | None:
        """What it has to know of people that the release does not show."""
        known, wishes = self.adversary.listed, self.predicates.wishes
        if known is None and wishes is None:
            return None
        return AskedFacts(of=self.of, known=known, wishes=wishes)

    @property
    def looks_behind(self) -> bool:
        return self.facts is not None

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.of,) if self.facts is None else (self.of, self.facts.name)

    def spelled_out(self) -> dict[str, Any]:
        """The claim's parts, for the certificate."""
        return {
            "adversary": str(self.adversary),
            "predicates": str(self.predicates),
            "decided": "by p_in and p_out themselves" if self.by == "exact"
            else "by the theorems' conditions",
        }  # fmt: skip

    def level(self, groups: Groups) -> Floats:
        terms, histogram, asking = self._terms(groups)
        return terms.smallest_epsilons(groups, histogram, asking)

    def exactly(self, groups: Groups, group: int) -> bool:
        return all(
            belief.epsilon is not None and belief.epsilon <= self.required
            for belief in self.beliefs(groups, group)
        )

    def could_stay(self, groups: Groups) -> Ints:
        if not self.monotone_in_generalisation:
            return super().could_stay(groups)
        terms, histogram, _ = self._terms(groups)
        stay = terms.most_who_stay(groups, histogram, float(self.epsilon))
        return np.minimum(stay, super().could_stay(groups))

    def beliefs(self, groups: Groups, group: int) -> Iterator[Belief]:
        """What attackers believe of the people of one group; see `BeliefTerms.beliefs`."""
        terms, histogram, asking = self._terms(groups)
        yield from terms.beliefs(groups, histogram, group, asking)

    def for_anybody(self, domains: Mapping[str, Sensitive]) -> EpsilonPrivacy | None:
        """Everybody wants protected what anybody does, and the known people may be anybody."""
        if self.facts is None:
            return None
        facts, domain = domains[self.facts.name], domains[self.of]
        assert isinstance(facts, Facts), "facts are counted as such"
        adversary, predicates = self.adversary, self.predicates
        if adversary.listed is not None:
            adversary = replace(adversary, knows=int(facts.reference[facts.known].sum()))
        if predicates.wishes is not None:
            wanted = {facts.wishes[wish] for wish in facts.wish[~facts.known].tolist()}
            named = sorted(wish for wish in wanted if wish is not None and wish.strip())
            usual = domain.values if len(named) < len(wanted) or not wanted else ()
            sets = tuple(dict.fromkeys((*usual, *named)))
            predicates = Predicates(sets=sets, negative=predicates.negative)
        return replace(self, adversary=adversary, predicates=predicates)

    @cached_property
    def _bound(self) -> dict[tuple[Sensitive | None, ...], BeliefTerms]:
        return {}

    def _terms(self, groups: Groups) -> tuple[BeliefTerms, Histogram, Histogram | None]:
        """The terms, what records groups have, and who may be in them where that is more."""
        domain, histogram = histogram_of(groups, self.of)
        facts = records = asking = None
        if self.facts is not None:
            found, histogram = histogram_of(groups, self.facts.name)
            assert isinstance(found, Facts), "facts are counted as such"
            facts = found
            if self.facts.records in groups.histograms:
                asking = histogram
                whose, histogram = histogram_of(groups, self.facts.records)
                assert isinstance(whose, AttributedRecords), "records are counted as such"
                records = whose
        if (domain, facts, records) not in self._bound:
            self._bound[domain, facts, records] = BeliefTerms.of(
                self.adversary, self.predicates, domain, facts, records, exact=self.by == "exact"
            )
        return self._bound[domain, facts, records], histogram, asking

    @property
    def hopeless(self) -> str | None:
        """Why no release can keep the claim, where none can."""
        if isinstance(self.adversary, ClassIV):
            return (
                "no generalisation is private against class IV: some attacker was sure of the "
                "opposite before and no evidence would have changed their mind (Theorem 4)"
            )
        return None

    @property
    def attacker(self) -> str:
        return str(self.adversary)

    @property
    def promise(self) -> str:
        return (
            f"becomes at most {shown(self.epsilon)} times as sure of what must not be learned of "
            f"{self.of!r} as without the person's record"
        )

    @property
    def gaps(self) -> tuple[Gap, ...]:
        known = (OTHERS_KNOWN,) if self.adversary.listed is not None else ()
        wished = (NOT_WISHED,) if self.predicates.wishes is not None else ()
        return (STRONGER, *known, *wished)

    @property
    def bounds_size(self) -> bool:
        return self.keeps_apart(several=True)

    def keeps_apart(self, *, several: bool) -> bool:
        # A value that all of a group have is believed for sure once the group is seen.
        return self.predicates.sets is None and not self.looks_behind

    @property
    def believed(self) -> Prior | None:
        return self.adversary.believed

    @property
    def names_nodes(self) -> bool:
        return self.predicates.sets is not None

    def named_values(self) -> Iterator[Value]:
        if self.believed is not None:
            yield from (value for value, _ in self.believed.weights)
        yield from self.secrets()

    def secrets(self) -> Iterator[Value]:
        for entry in self.predicates.sets or ():
            yield from entry if isinstance(entry, tuple) else (entry,)

    def renamed(self, names: Mapping[Value, Value]) -> EpsilonPrivacy:
        """The claim with other names; what is believed of values that get one name adds up."""
        adversary, predicates = self.adversary, self.predicates
        if self.believed is not None and self.believed.weights:
            weights: dict[Value, Fraction] = {}
            for value, weight in self.believed.weights:
                one = names.get(value, value)
                weights[one] = weights.get(one, Fraction(0)) + weight
            prior = Prior(kind=self.believed.kind, weights=tuple(weights.items()))
            adversary = replace(adversary, prior=prior)  # type: ignore[call-arg]
        if predicates.sets is not None:
            sets = tuple(dict.fromkeys(_renamed(entry, names) for entry in predicates.sets))
            predicates = Predicates(sets=sets, negative=predicates.negative)
        return replace(self, adversary=adversary, predicates=predicates)

    def moves(self, domain: Sensitive | None) -> Iterator[tuple[Slider, float]]:
        yield from super().moves(domain)
        stubborn = None if domain is None else self.adversary.stubborn(domain)
        if stubborn is not None:
            low = float(math.ceil(stubborn[0]))
            words = "people their belief is worth (stubbornness)"
            high = max(MOST_STUBBORN, low)
            slider = Slider(STUBBORNNESS, STUBBORNNESS, words, low, high, wide=True)
            yield replace(slider, inside=("adversary",)), stubborn[1]

    def moved(self, field: str, value: Any) -> EpsilonPrivacy:
        if field == STUBBORNNESS:
            return replace(self, adversary=replace(self.adversary, stubbornness=value))  # type: ignore[call-arg]
        return replace(self, **{field: value})


def belief_claims(models: Iterable[PrivacyModel]) -> list[EpsilonPrivacy]:
    """Of some claims, those about what a named attacker believes."""
    return [cast("EpsilonPrivacy", model) for model in models if model.about_beliefs]


def _renamed(entry: Named, names: Mapping[Value, Value]) -> Named:
    if isinstance(entry, tuple):
        return tuple(dict.fromkeys(names.get(part, part) for part in entry))
    return names.get(entry, entry)


def _conflict(said: Said) -> Conflict | None:
    if said["predicates"] is not None and said["wishes"] is not None:
        return Conflict(
            "predicates are the same for everybody, or each person's own",
            "Give predicates or wishes, not both.",
        )
    return None


def _built(of: str | None, said: Said) -> EpsilonPrivacy:
    assert of is not None, "it is about a column"
    predicates = Predicates(
        sets=said["predicates"], negative=said["negative"], wishes=said["wishes"]
    )
    return EpsilonPrivacy(
        epsilon=said["epsilon"],
        of=of,
        adversary=said["adversary"],
        predicates=predicates,
        by=said["by"],
    )


_ADVERSARY = (
    Explained(
        "adversary.class",
        "I, at-most, II, III or IV",
        "How much of the attacker's belief is known.",
    ),
    Explained(
        "adversary.prior",
        "file, uniform, table, {counts: ...} or {shape: ...}",
        "What the attacker has seen elsewhere. A file has the sensitive column, a row a person, or "
        "values with a count.",
    ),
    Explained(
        "adversary.stubbornness",
        f"{FROM_ONE}, or infinite",
        "How many people's data the belief is worth. What the prior's data justify, if left out: "
        "their people plus the number of values.",
    ),
    Explained(
        "adversary.at_least",
        f"{FROM_ONE}; only for at-most",
        "The least stubborn; if left out, that at which each value counts once and, where the "
        "prior is counted from data, whoever has seen fewer of these.",
    ),
    Explained(
        "adversary.knows",
        f"{LEVEL}, or {{file: ..., by: ...}}",
        "People whose exact records the attacker holds: how many, whoever they are, or which.",
    ),
)

CLAIMS.register(
    Declaration(
        name="epsilon-privacy",
        classes=(EpsilonPrivacy,),
        summary="An attacker gets hardly surer of a person by the person's record being there.",
        headline="no attacker of a kind you name becomes much surer",
        promises="An attacker of the class you name, who knows a person's quasi-identifiers and "
        "that the person is in the table, becomes at most epsilon times as sure of what must not "
        "be learned as if the person's record had been left out: nobody has to regret being in "
        "the release. Also the doubt that remains is at least 1/epsilon of what it would be.\n"
        "Class I: attackers who formed their belief from a data set you name, and who change "
        "their mind when a group of the release says otherwise, the later the larger that data "
        "set. At-most: the same, and those who have seen fewer people in the same proportions. "
        "Class II: from any data set of limited size. Class III: attackers who hold the belief "
        "you name and never change their mind. Class IV: everybody, against whom no generalised "
        "table is private.",
        does_not_protect="Becoming less sure: that somebody does not have a value may be learned, "
        "unless negative: true. What the group as a whole says: if nearly everybody in a large "
        "group has flu, an attacker without your record would think so too. Attackers stronger "
        "than the class: with more data, with beliefs that differ from one group to another, who "
        "hold more records, or who reason from how the recoding was chosen. Other sensitive "
        "columns, identity, and the combination of two releases.",
        reference="Machanavajjhala, Gehrke, Goetz 2009 (VLDB); the corrections are in "
        "docs/realistic_adversaries.md.",
        parameters=(
            Parameter(
                name="epsilon",
                kind=NumberParameter(FROM_ONE),
                meaning="How many times as sure, at most.",
            ),
            Parameter(
                name="adversary",
                kind=ParameterKind.ADVERSARY,
                meaning="Against whom.",
                parts=_ADVERSARY,
            ),
            Parameter(
                name="predicates",
                kind=ParameterKind.PREDICATES,
                default=None,
                meaning="What must not be learned: values, nodes of the column's hierarchy, or "
                "lists of these (any of them); each single value if left out.",
            ),
            Parameter(
                name="negative",
                kind=ParameterKind.FLAG,
                default=False,
                meaning="Whether the opposite must not be learned either.",
            ),
            Parameter(
                name="wishes",
                kind=ParameterKind.WISHES,
                default=None,
                meaning="Column that says what each person wants protected: a value or a node of "
                "the hierarchy. Its role must be identifier.",
            ),
            Parameter(
                name="by",
                kind=ChoiceParameter(("exact", "theorem")),
                default="exact",
                meaning="exact: decided by the attacker's beliefs themselves; theorem: by the "
                "conditions of the paper, which ask a little more.",
            ),
            OF,
        ),
        example="- epsilon-privacy: {epsilon: 2.5, of: disease, "
        "adversary: {class: I, prior: metropolis.csv}}",
        sentence=attacker_sentence,
        conflict=_conflict,
        build=_built,
    )
)
