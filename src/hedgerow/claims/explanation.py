"""Explanation: a claim in plain words, for someone who has to decide whether to make it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hedgerow.claims.anonymity import AlphaKAnonymity, KAnonymity
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.closeness import TCloseness
from hedgerow.claims.composition import Composition
from hedgerow.claims.diversity import (
    DistinctLDiversity,
    EntropyLDiversity,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
)
from hedgerow.claims.epsilon import EpsilonPrivacy
from hedgerow.claims.likeness import BetaLikeness, DeltaDisclosure
from hedgerow.claims.presence import DeltaPresence, KMap
from hedgerow.claims.risk import JournalistRisk, MarketerRisk, ProsecutorRisk, UniqueShare

_MODELS: tuple[type[PrivacyModel], ...] = (
    KAnonymity, DistinctLDiversity, ProbabilisticLDiversity, EntropyLDiversity,
    RecursiveLDiversity, TCloseness, AlphaKAnonymity, DeltaDisclosure, BetaLikeness,
    EpsilonPrivacy, Composition, DeltaPresence, KMap, ProsecutorRisk, JournalistRisk,
    MarketerRisk, UniqueShare,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a claim."""

    name: str
    range: str
    """What it may be."""
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """One claim: what it promises, what it does not, and how a plan makes it."""

    name: str
    """As in the plan."""
    classes: tuple[str, ...]
    """Names of its models in `hedgerow.claims`."""
    promises: str
    """What an attacker cannot do."""
    does_not_protect: str
    reference: str
    parameters: tuple[Parameter, ...]
    example: str
    """A line under `protect` in a plan."""

    def models(self) -> tuple[type[PrivacyModel], ...]:
        """The classes themselves."""
        return tuple(model for model in _MODELS if model.__name__ in self.classes)

    def sections(self) -> Iterator[tuple[str, str]]:
        """Titles and texts, in reading order."""
        yield "What an attacker cannot do", self.promises
        yield "What it does not protect", self.does_not_protect
        listed = [f"{p.name} ({p.range}): {p.meaning}" for p in self.parameters]
        yield "Parameters", "\n".join(listed)
        yield "In a plan", self.example
        yield "Reference", self.reference
