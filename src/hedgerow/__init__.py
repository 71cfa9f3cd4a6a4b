"""Hedgerow: publish data about people against named adversaries."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hedgerow.base.version import __version__

if TYPE_CHECKING:
    from hedgerow.answers.answer import Answer as Answer
    from hedgerow.answers.preview import Preview as Preview
    from hedgerow.answers.session import Session as Session
    from hedgerow.answers.session import session as session
    from hedgerow.api.publication import publish as publish
    from hedgerow.api.verification import verify as verify
    from hedgerow.attacks.base import AttackResult as AttackResult
    from hedgerow.attacks.suite import attack as attack
    from hedgerow.base.errors import ClaimError as ClaimError
    from hedgerow.base.errors import DataError as DataError
    from hedgerow.base.errors import HedgerowError as HedgerowError
    from hedgerow.base.errors import HierarchyError as HierarchyError
    from hedgerow.base.errors import PlanError as PlanError
    from hedgerow.base.errors import TargetError as TargetError
    from hedgerow.claims import AlphaKAnonymity as AlphaKAnonymity
    from hedgerow.claims import BetaLikeness as BetaLikeness
    from hedgerow.claims import Composition as Composition
    from hedgerow.claims import DeltaDisclosure as DeltaDisclosure
    from hedgerow.claims import DeltaPresence as DeltaPresence
    from hedgerow.claims import DistinctLDiversity as DistinctLDiversity
    from hedgerow.claims import EntropyLDiversity as EntropyLDiversity
    from hedgerow.claims import EpsilonPrivacy as EpsilonPrivacy
    from hedgerow.claims import JournalistRisk as JournalistRisk
    from hedgerow.claims import KAnonymity as KAnonymity
    from hedgerow.claims import KMap as KMap
    from hedgerow.claims import MarketerRisk as MarketerRisk
    from hedgerow.claims import ProbabilisticLDiversity as ProbabilisticLDiversity
    from hedgerow.claims import ProsecutorRisk as ProsecutorRisk
    from hedgerow.claims import RecursiveLDiversity as RecursiveLDiversity
    from hedgerow.claims import TCloseness as TCloseness
    from hedgerow.claims import UniqueShare as UniqueShare
    from hedgerow.claims.adversary import AtMost as AtMost
    from hedgerow.claims.adversary import ClassI as ClassI
    from hedgerow.claims.adversary import ClassII as ClassII
    from hedgerow.claims.adversary import ClassIII as ClassIII
    from hedgerow.claims.adversary import ClassIV as ClassIV
    from hedgerow.claims.adversary import Known as Known
    from hedgerow.claims.predicates import Predicates as Predicates
    from hedgerow.claims.prior_files import read_prior as read_prior
    from hedgerow.claims.priors import Prior as Prior
    from hedgerow.explain.adversaries import explain_adversary as explain_adversary
    from hedgerow.explain.adversary_study import AdversaryStudy as AdversaryStudy
    from hedgerow.explain.epsilon import EpsilonStudy as EpsilonStudy
    from hedgerow.explain.epsilon import explain_epsilon as explain_epsilon
    from hedgerow.explain.policies import PolicyStudy as PolicyStudy
    from hedgerow.explain.policies import explain_policy as explain_policy
    from hedgerow.explain.samples import SamplingStudy as SamplingStudy
    from hedgerow.explain.samples import explain_sampling as explain_sampling
    from hedgerow.explore.nodes import Exploration as Exploration
    from hedgerow.explore.people import DataLook as DataLook
    from hedgerow.explore.people import explore_data as explore_data
    from hedgerow.explore.tradeoff import Frontier as Frontier
    from hedgerow.explore.tradeoff import frontier as frontier
    from hedgerow.ledger import Ledger as Ledger
    from hedgerow.plan.plan import Plan as Plan
    from hedgerow.release.noisy.release import RandomisedRelease as RandomisedRelease
    from hedgerow.release.publication import check as check
    from hedgerow.release.release import Release as Release
    from hedgerow.release.safe.release import SafeRelease as SafeRelease
    from hedgerow.release.verification import Verification as Verification
    from hedgerow.reports.files import Reports as Reports
    from hedgerow.reports.files import report as report

_HOME = {
    "AttackResult": "attacks.base",
    "Ledger": "ledger",
    "Plan": "plan.plan",
    "attack": "attacks.suite",
    "Predicates": "claims.predicates",
    "Prior": "claims.priors",
    "read_prior": "claims.prior_files",
    "Answer": "answers.answer",
    "Preview": "answers.preview",
    "Session": "answers.session",
    "session": "answers.session",
    "RandomisedRelease": "release.noisy.release",
    "Release": "release.release",
    "Reports": "reports.files",
    "report": "reports.files",
    "SafeRelease": "release.safe.release",
    "AdversaryStudy": "explain.adversary_study",
    "check": "release.publication",
    "EpsilonStudy": "explain.epsilon",
    "explain_adversary": "explain.adversaries",
    "explain_epsilon": "explain.epsilon",
    "PolicyStudy": "explain.policies",
    "explain_policy": "explain.policies",
    "SamplingStudy": "explain.samples",
    "explain_sampling": "explain.samples",
    "DataLook": "explore.people",
    "Exploration": "explore.nodes",
    "explore_data": "explore.people",
    "publish": "api.publication",
    "Frontier": "explore.tradeoff",
    "frontier": "explore.tradeoff",
    "Verification": "release.verification",
    "verify": "api.verification",
} | dict.fromkeys(
    (
        "AlphaKAnonymity", "BetaLikeness", "Composition", "DeltaDisclosure", "DeltaPresence",
        "DistinctLDiversity", "EntropyLDiversity", "EpsilonPrivacy", "JournalistRisk",
        "KAnonymity", "KMap", "MarketerRisk", "ProbabilisticLDiversity", "ProsecutorRisk",
        "RecursiveLDiversity", "TCloseness", "UniqueShare",
    ),
    "claims",
) | dict.fromkeys(
    ("AtMost", "ClassI", "ClassII", "ClassIII", "ClassIV", "Known"), "claims.adversary"
) | dict.fromkeys(
    ("ClaimError", "DataError", "HedgerowError", "HierarchyError", "PlanError", "TargetError"),
    "base.errors",
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
