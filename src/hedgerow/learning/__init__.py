"""Learning from people without giving any of them away: scikit-learn estimators."""

from __future__ import annotations

from hedgerow.base.extras import extra

with extra("learning", "learning"):
    import sklearn  # noqa: F401

from hedgerow.learning.bayes import NaiveBayes
from hedgerow.learning.kmeans import KMeans
from hedgerow.learning.policy_kmeans import PolicyKMeans
from hedgerow.learning.spaces import Cuts
from hedgerow.learning.spend import NothingCharged, Spent
from hedgerow.learning.tree import DifferentiallyPrivateTree

__all__ = [
    "Cuts",
    "DifferentiallyPrivateTree",
    "KMeans",
    "NaiveBayes",
    "NothingCharged",
    "PolicyKMeans",
    "Spent",
]
