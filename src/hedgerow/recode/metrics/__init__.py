"""Utility metrics: one file each; `METRICS` has them by name."""

from hedgerow.recode.metrics.base import (
    METRICS,
    CellMetric,
    GroupMetric,
    Metric,
    measure,
    metric_of,
)

# Each registers its metric; in the order in which releases list them.
# isort: off
from hedgerow.recode.metrics.loss import GeneralisationLoss
from hedgerow.recode.metrics.discernibility import Discernibility
from hedgerow.recode.metrics.average_class_size import AverageClassSize
from hedgerow.recode.metrics.precision import Precision
from hedgerow.recode.metrics.non_uniform_entropy import NonUniformEntropy
from hedgerow.recode.metrics.granularity import Granularity
from hedgerow.recode.metrics.kl_divergence import KLDivergence
from hedgerow.recode.metrics.query_error import QueryError

# isort: on
from hedgerow.recode.metrics.weights import PLAIN, Weighting

__all__ = [
    "METRICS",
    "PLAIN",
    "AverageClassSize",
    "CellMetric",
    "Discernibility",
    "GeneralisationLoss",
    "Granularity",
    "GroupMetric",
    "KLDivergence",
    "Metric",
    "NonUniformEntropy",
    "Precision",
    "QueryError",
    "Weighting",
    "measure",
    "metric_of",
]
