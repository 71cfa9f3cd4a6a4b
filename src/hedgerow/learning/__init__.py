"""Learning from people without giving any of them away: scikit-learn estimators."""

from __future__ import annotations

from hedgerow.base.errors import HedgerowError

try:
    import sklearn  # noqa: F401
except ImportError:
    raise HedgerowError(
        "learning needs scikit-learn, which is not installed",
        fix="Install it: pip install 'hedgerow[learning]'.",
    ) from None

from hedgerow.learning.bayes import NaiveBayes
from hedgerow.learning.kmeans import KMeans
from hedgerow.learning.policy_kmeans import PolicyKMeans
from hedgerow.learning.spaces import Cuts
from hedgerow.learning.spend import Spent
from hedgerow.learning.tree import DifferentiallyPrivateTree

__all__ = ["Cuts", "DifferentiallyPrivateTree", "KMeans", "NaiveBayes", "PolicyKMeans", "Spent"]
