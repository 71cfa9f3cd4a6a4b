"""Privacy models: predicates on groups that know their own level."""

from hedgerow.claims.anonymity import AlphaKAnonymity, KAnonymity
from hedgerow.claims.base import Needs, PrivacyModel, Verdict
from hedgerow.claims.catalogue import CLAIMS, describe
from hedgerow.claims.closeness import TCloseness
from hedgerow.claims.composition import Composition
from hedgerow.claims.diversity import (
    DistinctLDiversity,
    EntropyLDiversity,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
)
from hedgerow.claims.epsilon import EpsilonPrivacy
from hedgerow.claims.explanation import Explanation, Parameter
from hedgerow.claims.likeness import BetaLikeness, DeltaDisclosure
from hedgerow.claims.presence import DeltaPresence, KMap
from hedgerow.claims.risk import JournalistRisk, MarketerRisk, ProsecutorRisk, UniqueShare

__all__ = [
    "CLAIMS",
    "AlphaKAnonymity",
    "BetaLikeness",
    "Composition",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "EpsilonPrivacy",
    "Explanation",
    "JournalistRisk",
    "KAnonymity",
    "KMap",
    "MarketerRisk",
    "Needs",
    "Parameter",
    "PrivacyModel",
    "ProbabilisticLDiversity",
    "ProsecutorRisk",
    "RecursiveLDiversity",
    "TCloseness",
    "UniqueShare",
    "Verdict",
    "describe",
]
