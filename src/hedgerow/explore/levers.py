"""What of a plan's claims can be moved while one looks at the lattice: k, l, t, epsilon, ..."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hedgerow.base.errors import PlanError
from hedgerow.claims import (
    AlphaKAnonymity,
    BetaLikeness,
    Composition,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    EpsilonPrivacy,
    JournalistRisk,
    KAnonymity,
    KMap,
    MarketerRisk,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
)
from hedgerow.claims.adversary import AtMost, ClassI, ClassII
from hedgerow.claims.base import PrivacyModel
from hedgerow.plan.claims import Claim
from hedgerow.plan.plan import Plan
from hedgerow.table.groups import Sensitive

Place = tuple[str | int, ...]
STUBBORNNESS = "stubbornness"
MOST_STUBBORN = 1e9
"""The end of the slider; more can be written into the plan."""
MOST_K = 1000


@dataclass(frozen=True)
class Scale:
    """A parameter of one kind of claim."""

    field: str
    """Of the model."""
    key: str
    """Of the plan."""
    words: str
    low: float
    high: float
    whole: bool = False
    wide: bool = False
    """Whether steps should be relative, since it spans orders of magnitude."""
    higher_is_safer: bool = False


_K = Scale("k", "k", "people in every group, at least (k)", 2, MOST_K, True, True, True)
_L = Scale("l", "l", "values in every group, at least (l)", 2, 20, True, False, True)
_RISK = Scale("risk", "risk", "risk, at most", 0.01, 1)
SCALES: Mapping[type[PrivacyModel], tuple[Scale, ...]] = {
    KAnonymity: (_K,),
    KMap: (_K,),
    AlphaKAnonymity: (
        Scale("alpha", "alpha", "share of one value, at most (alpha)", 0.01, 0.99),
        replace(_K, low=1),
    ),
    DistinctLDiversity: (_L,),
    RecursiveLDiversity: (_L, Scale("c", "c", "weight of the rest (c)", 0.1, 20, False, True)),
    ProbabilisticLDiversity: (replace(_L, low=1.05, whole=False),),
    EntropyLDiversity: (replace(_L, low=1.05, whole=False),),
    TCloseness: (Scale("t", "t", "distance to the whole table, at most (t)", 0, 1),),
    DeltaDisclosure: (Scale("delta", "delta", "delta, at most", 0.05, 5),),
    BetaLikeness: (Scale("beta", "beta", "relative gain, at most (beta)", 0.05, 20, False, True),),
    EpsilonPrivacy: (
        Scale("epsilon", "epsilon", "times as sure, at most (epsilon)", 1.01, 100, False, True),
    ),
    Composition: (
        Scale("confidence", "confidence", "one over the values left, at most", 0.02, 0.99),
    ),
    DeltaPresence: (Scale("maximum", "max", "share in the table, at most", 0, 1),),
    ProsecutorRisk: (_RISK,),
    JournalistRisk: (_RISK,),
    MarketerRisk: (_RISK,),
    UniqueShare: (Scale("share", "share", "share of unique people, at most", 0, 1),),
}


@dataclass(frozen=True)
class Lever:
    """A parameter of a claim, and how far it can be moved."""

    name: str
    """Tells it from others, such as "0.k" for the k of the first claim."""
    place: Place
    """Where it is in the plan."""
    claim: str
    """The claim as it stands."""
    words: str
    value: float
    low: float
    high: float
    whole: bool
    wide: bool
    higher_is_safer: bool
    models: tuple[int, ...]
    """Which of the plan's models it moves."""
    field: str

    def moved(self, models: Sequence[PrivacyModel], value: float) -> tuple[PrivacyModel, ...]:
        """The models with another value.

        Raises:
            PlanError: The value is beyond the ends, or not a whole number where only those are.
        """
        if not (isinstance(value, int | float) and math.isfinite(value)):
            raise PlanError(f"{value!r} is not a number", fix=f"Give {self.words} a number.")
        least, most = min(self.low, self.value), max(self.high, self.value)
        if not least <= value <= most or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            raise PlanError(
                f"{self.words} cannot be {value:g} here",
                fix=f"Give {kind} from {least:g} to {most:g}, or write it into the plan.",
            )
        given: Any = int(value) if self.whole else value
        found = list(models)
        for place in self.models:
            found[place] = _with(found[place], self.field, given)
        return tuple(found)


def _with(model: PrivacyModel, field: str, value: Any) -> PrivacyModel:
    if field == STUBBORNNESS:
        assert isinstance(model, EpsilonPrivacy), "others have no adversary"
        return replace(model, adversary=replace(model.adversary, stubbornness=value))  # type: ignore[call-arg]
    changed: PrivacyModel = replace(model, **{field: value})  # type: ignore[type-var]
    return changed


def levers(plan: Plan, *, domains: Mapping[str, Sensitive], people: int) -> tuple[Lever, ...]:
    """Everything that can be moved in the plan's claims, in the plan's order.

    Args:
        plan: The plan.
        domains: Sensitive columns by name.
        people: How many are in the table.
    """
    sensitive = plan.schema().sensitive
    found: list[Lever] = []
    first = 0
    for i, claim in enumerate(plan.protect):
        if isinstance(claim, Claim):
            models = [plan.in_order(m) for m in claim.models(sensitive, null=plan.null)]
            place: Place = ("protect", i, claim.name)
        else:
            models, place = [plan.in_order(claim)], ("protect", i)
        moves = tuple(range(first, first + len(models)))
        first += len(models)
        told = " and ".join(dict.fromkeys(str(model) for model in models))
        for scale, value in _scales(models[0], domains):
            key = scale.key.rpartition(".")[2]
            high = min(scale.high, max(scale.low + 1, people)) if scale.field == "k" else scale.high
            inside = ("adversary",) if scale.field == STUBBORNNESS else ()
            found.append(
                Lever(
                    f"{i}.{key}", (*place, *inside, key), told, scale.words, value,
                    scale.low, max(high, value), scale.whole, scale.wide,
                    scale.higher_is_safer, moves, scale.field,
                )
            )  # fmt: skip
    return tuple(found)


def _scales(model: PrivacyModel, domains: Mapping[str, Sensitive]) -> Iterator[tuple[Scale, float]]:
    for scale in SCALES.get(type(model), ()):
        high = scale.high
        domain = domains.get(getattr(model, "of", ""))
        if scale.field == "l" and domain is not None:
            high = max(2, min(high, len(domain.values)))
        yield replace(scale, high=high), float(getattr(model, scale.field))
    if isinstance(model, EpsilonPrivacy):
        yield from _stubbornness(model, domains)


def _stubbornness(
    model: EpsilonPrivacy, domains: Mapping[str, Sensitive]
) -> Iterator[tuple[Scale, float]]:
    """How many people's data the attackers' belief is worth, where that is a number."""
    adversary, domain = model.adversary, domains.get(model.of)
    if not isinstance(adversary, ClassI | AtMost | ClassII) or domain is None:
        return
    given: Any = adversary.stubbornness
    least = 1.0
    if not isinstance(adversary, ClassII):
        shape = adversary.prior.bind(domain)
        given = shape.stubbornness if given is None else given
        least = float(shape.least) if isinstance(adversary, AtMost) else 1.0
        if isinstance(adversary, AtMost) and adversary.at_least is not None:
            least = float(adversary.at_least)
    else:
        least = float(len(domain.values))
    if given is None or not math.isfinite(float(given)):
        return
    low = float(math.ceil(least))
    words = "people their belief is worth (stubbornness)"
    yield (
        Scale(STUBBORNNESS, STUBBORNNESS, words, low, max(MOST_STUBBORN, low), False, True),
        float(given),
    )
