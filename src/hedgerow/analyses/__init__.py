"""Analyses: what data are for, computed on an original and on what is published of it."""

from hedgerow.analyses.base import (
    ANALYSES,
    Analysis,
    AnalysisComparison,
    AnalysisKind,
    ComparedNumber,
    UncomputableError,
)

# Each registers its kind; in the order in which messages list them.
# isort: off
from hedgerow.analyses.counts import CountTable
from hedgerow.analyses.averages import GroupMeans, GroupTotals
from hedgerow.analyses.regressions import LinearRegression, LogisticRegression
from hedgerow.analyses.classifier import Classification
from hedgerow.analyses.survival import SurvivalCurves
from hedgerow.analyses.distribution import Distribution
from hedgerow.analyses.association import Association
from hedgerow.analyses.prediction import Prediction
from hedgerow.analyses.weights import WeightedAnalysis
# isort: on

__all__ = [
    "ANALYSES",
    "Analysis",
    "AnalysisComparison",
    "AnalysisKind",
    "Association",
    "Classification",
    "ComparedNumber",
    "CountTable",
    "Distribution",
    "GroupMeans",
    "GroupTotals",
    "LinearRegression",
    "LogisticRegression",
    "Prediction",
    "SurvivalCurves",
    "UncomputableError",
    "WeightedAnalysis",
]
