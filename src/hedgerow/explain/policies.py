"""What a policy protects and what it does not: the study behind `explain policy`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import isfinite, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.answers.counts import CountQuestion
from hedgerow.answers.exact_releases import ignored
from hedgerow.answers.public_knowledge import Public
from hedgerow.answers.ranges import RangeCounts
from hedgerow.answers.session import public_of
from hedgerow.answers.sums import Aggregate
from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.blowfish.secret_graph import Graph
from hedgerow.noise.blowfish.words import factor
from hedgerow.noise.measures import Pure
from hedgerow.noise.rounding import Number, positive
from hedgerow.plan.plan import Plan
from hedgerow.table.domain import Bounds, decimal

if TYPE_CHECKING:
    from hedgerow.charts.figure import Figure

SCALE = "noise scale of each number"
MOST_RANGED = 20_000
"""Values beyond which histograms and ranges are not compared: to find the best tree, or to spell
out the cells, takes seconds."""
LOOKED_UP = (
    "Not told here: what releases without noise in the ledger say of the population. A question "
    "takes their counts into account, or is refused."
)
LEFT_OUT = (
    "Not protected: what releases without noise tell of the population; the plan says "
    "`releases: ignored`."
)
MOST_COLUMNS = 20
"""Columns whose questions are compared."""


@dataclass(frozen=True)
class Apart:
    """How well two values so far apart are hidden."""

    of: str
    apart: str
    edges: int | None
    """The fewest edges between them; None where there is no path."""
    factor: str
    """By how much likelier an answer may be for one of them."""


@dataclass(frozen=True)
class PolicyComparison:
    """A question under the policy, and under change-one differential privacy."""

    question: str
    what: str
    """What the two numbers are."""
    policy: float
    plain: float

    @property
    def times(self) -> float | None:
        """How many times less the policy needs; None where it needs none at all."""
        return self.plain / self.policy if self.policy else None


@dataclass(frozen=True)
class PolicyStudy:
    """A plan's policy, explained; made by `explain_policy`. It looks at no data."""

    stated: Stated
    loss: Pure | None
    """None: factors are in terms of epsilon, and noise is that of epsilon 1."""
    not_protected: tuple[str, ...]
    protected: tuple[str, ...]
    apart: tuple[Apart, ...]
    beside: tuple[PolicyComparison, ...]

    def summary(self) -> dict[str, Any]:
        """The study as JSON can hold it."""
        return {
            "policy": self.stated.digest,
            "epsilon": None if self.loss is None else float(self.loss.epsilon),
            "not_protected": list(self.not_protected),
            "protected": list(self.protected),
            "apart": [asdict(row) for row in self.apart],
            "beside": [asdict(row) | {"times": row.times} for row in self.beside],
            "neighbours_differ_in": self.stated.changed,
        }

    def chart(self) -> Figure:
        """The graph of each column."""
        from hedgerow.explain.policy_charts import policy_chart

        return policy_chart(self.stated)

    def plot(self, path: str | Path) -> Path:
        """Draw it to a file that ends in .svg, .html or .png."""
        from hedgerow.explain.adversary_study import refuse_plot

        refuse_plot(Path(path))
        return self.chart().save(path)


def explain_policy(plan: Plan | str | Path, *, epsilon: Number | None = None) -> PolicyStudy:
    """What a plan's policy protects, how strongly, and how much noise it saves.

    Args:
        plan: A plan with a policy, or the path of one.
        epsilon: What an answer costs; if left out, factors are in terms of it.

    Raises:
        PlanError: The plan has no policy, or one that cannot be used.
    """
    plan = plan if isinstance(plan, Plan) else Plan.read(plan)
    public = public_of(plan)
    if public.stated is None:
        raise PlanError(
            "the plan has no policy: all values are protected alike",
            where=plan.where(),
            fix="Add one, such as `policy: {age: {within: 5}}`; see `hedgerow explain epsilon` "
            "for what differential privacy means.",
        )
    loss = None if epsilon is None else Pure(epsilon=positive("epsilon", epsilon))
    stated = public.stated
    return PolicyStudy(
        stated=stated,
        loss=loss,
        not_protected=(*stated.not_protected(), LEFT_OUT if ignored(plan) else LOOKED_UP),
        protected=stated.protected(loss),
        apart=tuple(_apart(stated, loss)),
        beside=tuple(_beside(public, loss or Pure(epsilon=1))),
    )


def _apart(stated: Stated, loss: Pure | None) -> Iterator[Apart]:
    for columns, graph in stated.policy.parts:
        name = " and ".join(columns)
        for apart, edges in _distances(stated, columns[0], graph):
            if edges is None:
                yield Apart(name, apart, None, "not protected")
            elif stated.changed == 1 or edges == 1:
                yield Apart(name, apart, edges, factor(edges, loss))


def _distances(stated: Stated, column: str, graph: Graph) -> Iterator[tuple[str, int | None]]:
    """Values some way apart, and the edges between them."""
    domain = stated.domains.get(column)
    if isinstance(graph, Full):
        yield "any two values", 1
        return
    if isinstance(graph, Partition):
        if graph.diameter:
            yield "two values of one group", 1
        yield "values of different groups", None
        return
    if isinstance(graph, Threshold) and isinstance(domain, Bounds):
        assert domain.step is not None, "else it had no codes"
        theta, last = graph.within, domain.cells - 1
        steps = sorted({d for d in (1, theta, theta + 1, 2 * theta, 5 * theta, last) if d <= last})
        edges = graph.distance(0, np.array(steps))
        for d, many in zip(steps, edges.tolist(), strict=True):
            yield f"{decimal(d * domain.step)} apart", int(many)
        yield "a number and none", None
        return
    for many in sorted({1, 2, graph.diameter}):
        if 1 <= many <= graph.diameter:
            yield f"{many:,} step{'s' * (many > 1)} of the graph", many
    if not graph.connected:
        yield "values without a path", None


def _beside(public: Public, loss: Pure) -> Iterator[PolicyComparison]:
    """The noise of common questions, by their own designs."""
    plain = replace(public, stated=None)
    stated = public.stated
    assert stated is not None, "asked only where there is one"

    def scale(question: Any, known: Public) -> float:
        return float(question.design(known, loss).noise[0].scale)

    def both(words: str, question: Any) -> PolicyComparison:
        return PolicyComparison(words, SCALE, scale(question, public), scale(question, plain))

    yield both("how many rows", CountQuestion())
    for column in [*stated.domains, *stated.sides][:MOST_COLUMNS]:
        graph, domain = stated.graph(column), stated.domain(column)
        assert graph is not None, "it has codes"
        if graph.size <= MOST_RANGED:
            yield both(f"histogram of {column}", CountQuestion(by=(column,)))
        if not isinstance(domain, Bounds):
            continue
        # Of the counts up to each value, all of which have noise.
        longest = graph.spread(np.arange(graph.size))
        if stated.changed == 1:
            yield PolicyComparison(
                f"cumulative histogram of {column}",
                SCALE,
                longest / float(loss.epsilon),
                (graph.size - 1) / float(loss.epsilon),
            )
        yield both(f"sum of {column}", Aggregate(kind="sum", column=column))
        if graph.size > MOST_RANGED:
            continue
        asked = RangeCounts(column=column)
        errors = [sqrt(_error(asked.design(known, loss))) for known in (public, plain)]
        if all(map(isfinite, errors)):
            yield PolicyComparison(f"any range of {column}", "typical error", *errors)


def _error(design: Any) -> float:
    return float(design.expected_error)
