"""Hedgerow: publish data about people against named adversaries."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hedgerow.adversary import AtMost as AtMost
    from hedgerow.adversary import ClassI as ClassI
    from hedgerow.adversary import ClassII as ClassII
    from hedgerow.adversary import ClassIII as ClassIII
    from hedgerow.adversary import ClassIV as ClassIV
    from hedgerow.adversary import Known as Known
    from hedgerow.attacking import attack as attack
    from hedgerow.attacks.base import AttackResult as AttackResult
    from hedgerow.errors import ClaimError as ClaimError
    from hedgerow.errors import DataError as DataError
    from hedgerow.errors import HedgerowError as HedgerowError
    from hedgerow.errors import HierarchyError as HierarchyError
    from hedgerow.errors import PlanError as PlanError
    from hedgerow.errors import TargetError as TargetError
    from hedgerow.explaining.adversaries import explain_adversary as explain_adversary
    from hedgerow.explaining.parameters import EpsilonStudy as EpsilonStudy
    from hedgerow.explaining.parameters import explain_epsilon as explain_epsilon
    from hedgerow.explaining.policies import PolicyStudy as PolicyStudy
    from hedgerow.explaining.policies import explain_policy as explain_policy
    from hedgerow.explaining.samples import SamplingStudy as SamplingStudy
    from hedgerow.explaining.samples import explain_sampling as explain_sampling
    from hedgerow.explaining.study import AdversaryStudy as AdversaryStudy
    from hedgerow.exploring.nodes import Exploration as Exploration
    from hedgerow.exploring.people import DataLook as DataLook
    from hedgerow.exploring.people import explore_data as explore_data
    from hedgerow.ledger import Ledger as Ledger
    from hedgerow.models import AlphaKAnonymity as AlphaKAnonymity
    from hedgerow.models import BetaLikeness as BetaLikeness
    from hedgerow.models import Composition as Composition
    from hedgerow.models import DeltaDisclosure as DeltaDisclosure
    from hedgerow.models import DeltaPresence as DeltaPresence
    from hedgerow.models import DistinctLDiversity as DistinctLDiversity
    from hedgerow.models import EntropyLDiversity as EntropyLDiversity
    from hedgerow.models import EpsilonPrivacy as EpsilonPrivacy
    from hedgerow.models import JournalistRisk as JournalistRisk
    from hedgerow.models import KAnonymity as KAnonymity
    from hedgerow.models import KMap as KMap
    from hedgerow.models import MarketerRisk as MarketerRisk
    from hedgerow.models import ProbabilisticLDiversity as ProbabilisticLDiversity
    from hedgerow.models import ProsecutorRisk as ProsecutorRisk
    from hedgerow.models import RecursiveLDiversity as RecursiveLDiversity
    from hedgerow.models import TCloseness as TCloseness
    from hedgerow.models import UniqueShare as UniqueShare
    from hedgerow.plan import Plan as Plan
    from hedgerow.predicates import Predicates as Predicates
    from hedgerow.prior_files import read_prior as read_prior
    from hedgerow.priors import Prior as Prior
    from hedgerow.publishing import check as check
    from hedgerow.publishing import publish as publish
    from hedgerow.query.answer import Answer as Answer
    from hedgerow.query.preview import Preview as Preview
    from hedgerow.query.session import Session as Session
    from hedgerow.query.session import session as session
    from hedgerow.randomised.release import RandomisedRelease as RandomisedRelease
    from hedgerow.release import Release as Release
    from hedgerow.reporting.making import Reports as Reports
    from hedgerow.reporting.making import report as report
    from hedgerow.safe.release import SafeRelease as SafeRelease
    from hedgerow.tradeoff import Frontier as Frontier
    from hedgerow.tradeoff import frontier as frontier
    from hedgerow.verifying import Verification as Verification
    from hedgerow.verifying import verify as verify

__version__ = "0.1.0"

_HOME = {
    "AttackResult": "attacks.base",
    "Ledger": "ledger",
    "Plan": "plan",
    "attack": "attacking",
    "Predicates": "predicates",
    "Prior": "priors",
    "read_prior": "prior_files",
    "Answer": "query.answer",
    "Preview": "query.preview",
    "Session": "query.session",
    "session": "query.session",
    "RandomisedRelease": "randomised.release",
    "Release": "release",
    "Reports": "reporting.making",
    "report": "reporting.making",
    "SafeRelease": "safe.release",
    "AdversaryStudy": "explaining.study",
    "check": "publishing",
    "EpsilonStudy": "explaining.parameters",
    "explain_adversary": "explaining.adversaries",
    "explain_epsilon": "explaining.parameters",
    "PolicyStudy": "explaining.policies",
    "explain_policy": "explaining.policies",
    "SamplingStudy": "explaining.samples",
    "explain_sampling": "explaining.samples",
    "DataLook": "exploring.people",
    "Exploration": "exploring.nodes",
    "explore_data": "exploring.people",
    "publish": "publishing",
    "Frontier": "tradeoff",
    "frontier": "tradeoff",
    "Verification": "verifying",
    "verify": "verifying",
} | dict.fromkeys(
    (
        "AlphaKAnonymity", "BetaLikeness", "Composition", "DeltaDisclosure", "DeltaPresence",
        "DistinctLDiversity", "EntropyLDiversity", "EpsilonPrivacy", "JournalistRisk",
        "KAnonymity", "KMap", "MarketerRisk", "ProbabilisticLDiversity", "ProsecutorRisk",
        "RecursiveLDiversity", "TCloseness", "UniqueShare",
    ),
    "models",
) | dict.fromkeys(
    ("AtMost", "ClassI", "ClassII", "ClassIII", "ClassIV", "Known"), "adversary"
) | dict.fromkeys(
    ("ClaimError", "DataError", "HedgerowError", "HierarchyError", "PlanError", "TargetError"),
    "errors",
)  # fmt: skip

__all__ = ["__version__", *sorted(_HOME)]


def __dir__() -> list[str]:
    """The public names, whether they were used yet or not."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the command line starts quickly."""
    if name not in _HOME:
        raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
    return getattr(import_module(f"hedgerow.{_HOME[name]}"), name)
