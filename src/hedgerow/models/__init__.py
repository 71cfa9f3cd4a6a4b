"""Privacy models: predicates on groups that know their own level."""

from hedgerow.models.anonymity import AlphaKAnonymity, KAnonymity
from hedgerow.models.base import Needs, PrivacyModel, Verdict
from hedgerow.models.claims import CLAIMS, describe
from hedgerow.models.closeness import TCloseness
from hedgerow.models.composition import Composition
from hedgerow.models.diversity import (
    DistinctLDiversity,
    EntropyLDiversity,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
)
from hedgerow.models.epsilon import EpsilonPrivacy
from hedgerow.models.explanation import Explanation, Parameter
from hedgerow.models.likeness import BetaLikeness, DeltaDisclosure
from hedgerow.models.presence import DeltaPresence, KMap
from hedgerow.models.risk import JournalistRisk, MarketerRisk, ProsecutorRisk, UniqueShare

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
