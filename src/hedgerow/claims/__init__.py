"""Privacy models: predicates on groups that know their own level."""

from hedgerow.claims.base import Needs, PrivacyModel, Verdict
from hedgerow.claims.declaration import CLAIMS, Declaration, Parameter, describe

# Each declares its claims; in the order in which they are best learned.
# isort: off
from hedgerow.claims.anonymity import KAnonymity, MarginalAnonymity
from hedgerow.claims.k_candidates import KCandidates
from hedgerow.claims.diversity import (
    DistinctLDiversity,
    EntropyLDiversity,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
)
from hedgerow.claims.closeness import TCloseness
from hedgerow.claims.alpha_k_anonymity import AlphaKAnonymity
from hedgerow.claims.likeness import BetaLikeness, DeltaDisclosure
from hedgerow.claims.epsilon import EpsilonPrivacy
from hedgerow.claims.composition import Composition
from hedgerow.claims.belief_bound import BeliefBound
from hedgerow.claims.presence import DeltaPresence, KMap
from hedgerow.claims.risk import JournalistRisk, MarketerRisk, ProsecutorRisk, UniqueShare
from hedgerow.claims.population_risk import IndividualRisk, PopulationUniqueness, WeightedRisk
# isort: on

__all__ = [
    "CLAIMS",
    "AlphaKAnonymity",
    "BeliefBound",
    "BetaLikeness",
    "Composition",
    "Declaration",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "EpsilonPrivacy",
    "IndividualRisk",
    "JournalistRisk",
    "KAnonymity",
    "KCandidates",
    "KMap",
    "MarginalAnonymity",
    "MarketerRisk",
    "Needs",
    "Parameter",
    "PopulationUniqueness",
    "PrivacyModel",
    "ProbabilisticLDiversity",
    "ProsecutorRisk",
    "RecursiveLDiversity",
    "TCloseness",
    "UniqueShare",
    "Verdict",
    "WeightedRisk",
    "describe",
]
