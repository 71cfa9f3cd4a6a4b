"""Utility: what makes one recoding better than another, and what of it matters more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from hedgerow.base.errors import some
from hedgerow.base.problems import Problem
from hedgerow.plan.fields import PlanMapping, Positive, Share
from hedgerow.plan.registry_keys import KEEP, MetricName
from hedgerow.recode.metrics import METRICS, Metric, Weighting
from hedgerow.recode.metrics.weights import EVEN

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan


class Utility(PlanMapping):
    """What makes one recoding better than another."""

    brief: ClassVar[str] = "metric"

    said: MetricName = Field(
        default="loss",
        alias="metric",
        description="What a search makes as good as it can; keep: the analyses under `keep`.",
    )
    weights: dict[str, Positive] = Field(
        default={},
        description="How much each quasi-identifier matters; 1 if left out. Only proportions "
        "count.",
    )
    suppression: Share = Field(
        default=EVEN,
        description="What it counts to suppress somebody next to generalising: 0.5 is even, 0 "
        "suppresses for nothing, 1 generalises for nothing.",
    )

    @model_serializer(mode="wrap")
    def _told(self, usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Nothing that says no more than the default."""
        told = usual(self)
        if not self.weights:
            told.pop("weights", None)
        if self.suppression == EVEN:
            told.pop("suppression", None)
        return dict(told)

    @property
    def metric(self) -> str:
        """The metric; the loss where analyses are the goal, since it orders what is tried."""
        return "loss" if self.keep else self.said

    @property
    def keep(self) -> bool:
        """Whether the analyses under `keep` are to be kept as well as can be."""
        return self.said == KEEP

    @property
    def weighed(self) -> dict[str, Any]:
        """The weights and the factor, as far as they are not even."""
        return {key: value for key, value in self.model_dump().items() if key != "said"}

    def weights_of(self, columns: Sequence[str]) -> tuple[float, ...]:
        """The weight of each of these columns; none where all are alike."""
        weights = tuple(float(self.weights.get(name, 1.0)) for name in columns)
        return weights if len(set(weights)) > 1 else ()

    def over(self, columns: Sequence[str]) -> Metric:
        """The metric as the steward weighs it.

        Args:
            columns: The quasi-identifiers, in the order in which the metric sees them.
        """
        weighting = Weighting(weights=self.weights_of(columns), suppression=self.suppression)
        metric = METRICS[self.metric]
        if "weights" not in metric.takes:  # Mondrian and microaggregation heed them all the same
            weighting = Weighting(suppression=self.suppression)
        return metric.weighed(weighting)


def utility_contradicts(plan: Plan, broken: frozenset[str]) -> Iterable[Problem]:
    """What the metric, the columns and the method do not have."""
    if "utility" in broken:
        return
    utility, method = plan.utility, plan.method
    takes = METRICS[utility.metric].takes
    by_method = method.search in ("mondrian", "microaggregation")
    if "columns" not in broken:
        known = plan.schema().quasi_identifiers
        for name in utility.weights:
            if name not in known:
                yield Problem(
                    ("utility", "weights", name), f"{name!r} is not a quasi-identifier",
                    f"Give weights to what is generalised: {some(known)}.",
                )  # fmt: skip
    if utility.weights and "weights" not in takes and not by_method:
        able = [name for name, metric in METRICS.items() if "weights" in metric.takes]
        yield Problem(
            ("utility", "weights"), f"{utility.metric} has no columns to weigh",
            f"Leave the weights out, or use one of {', '.join(able)}.",
        )  # fmt: skip
    if utility.suppression == EVEN:
        return
    if "suppression" not in takes:
        able = [name for name, metric in METRICS.items() if "suppression" in metric.takes]
        yield Problem(
            ("utility", "suppression"),
            f"{utility.metric} cannot tell suppression from generalisation",
            f"Leave `suppression` out, or use one of {', '.join(able)}.",
        )  # fmt: skip
    if method.keep_suppressed:
        yield Problem(
            ("utility", "suppression"),
            "with keep_suppressed nobody is suppressed: who fails is published, generalised",
            "Leave one of the two out.",
        )  # fmt: skip
