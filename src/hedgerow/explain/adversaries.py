"""What the adversaries of a plan mean for its table: the study behind `explain adversary`."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.claims.adversary import ClassII
from hedgerow.claims.belief_terms import Belief
from hedgerow.claims.declaration import ParameterKind
from hedgerow.claims.epsilon import EpsilonPrivacy, belief_claims
from hedgerow.claims.readings import FIX
from hedgerow.explain.adversary_study import (
    AdversaryStudy,
    Breaking,
    ClaimStudy,
    GroupBelief,
    NodeStudy,
    Row,
)
from hedgerow.explain.attackers import Attackers, plain
from hedgerow.explain.belief_words import breaks_any, breaks_like, rounded_up, sentence
from hedgerow.explain.breaking_point import StubbornnessRange
from hedgerow.explain.counted_belief import counted
from hedgerow.explain.views import Node, View, views
from hedgerow.plan.adversaries import AdversaryPlan
from hedgerow.plan.claims import Claim
from hedgerow.plan.plan import Plan
from hedgerow.recode.warmup import warming
from hedgerow.release.partition.job import opened
from hedgerow.release.partition.recoding_choice import Progress, refuse_meaningless
from hedgerow.table.groups import Groups

POWERS = range(2, 10)
"""The stubbornness looked at, as powers of ten; infinity comes after."""
WORST = 4
"""Groups that are written out."""
NEAR = 1e-12
"""Groups this close (relatively) to the worst are measured in exact arithmetic."""


def explain_adversary(
    source: Plan | str | os.PathLike[str],
    *,
    nodes: Sequence[Node] | None = None,
    data: Any = None,
    population_table: Any = None,
    memory: str | None = None,
    progress: Progress | None = None,
) -> AdversaryStudy:
    """How the plan's epsilon-privacy claims move as attackers get stronger; publishes nothing.

    Args:
        source: A plan, or the path of a plan file.
        nodes: Levels to look at, such as {"age": 2} or "age=2,zip=1"; columns left out are at
            level 0. Without it: what `publish` would choose, the coarsest levels, and the table
            as it is.
        data: The table, where it is in memory and not the plan's source.
        population_table: The outside population, as in `publish`.
        memory: How much memory the engine may use, such as "4GB".
        progress: Called as work goes on.

    Raises:
        PlanError: The plan has no epsilon-privacy claim, or a node does not exist.
    """
    plan = source if isinstance(source, Plan) else Plan.read(Path(source))
    refuse_meaningless(plan)
    say = progress or (lambda what, share: None)
    with opened(plan, data, population_table=population_table, memory=memory) as job:
        models = belief_claims(job.models)
        if not models:
            raise PlanError(
                "the plan has no epsilon-privacy claim to explain",
                where=plan.where("protect"),
                fix="Add one, such as `- epsilon-privacy: {epsilon: 3, adversary: {class: I, "
                "prior: table, stubbornness: 10000}}`.",
            )
        say("counting", None)
        with warming():
            cells = job.cells()
        domains = {domain.name: domain for domain in cells.sensitive}
        attackers = [
            Attackers(model, domains[model.of], file=file, where=where)
            for model, (file, where) in zip(models, _origins(plan), strict=True)
        ]
        seen, notes = views(job, cells, nodes, say)
    say("studying", None)
    return AdversaryStudy(tuple(_studied(each, seen) for each in attackers), tuple(notes))


def _origins(plan: Plan) -> Iterator[tuple[Path | None, str]]:
    """For each epsilon-privacy claim, the file of its prior, and its line in the plan."""
    sensitive = plan.schema().sensitive
    for place, claim in enumerate(plan.protect):
        if not claim.about_beliefs:
            continue
        if not isinstance(claim, Claim):
            yield None, plan.where("protect", place)
        else:
            adversary: AdversaryPlan = claim.parameters.given(ParameterKind.ADVERSARY)
            file = None if adversary.prior is None else adversary.prior.file
            for _ in claim.columns(sensitive):
                yield file, plan.where("protect", place, claim.name)


def _studied(attackers: Attackers, seen: Sequence[View]) -> ClaimStudy:
    model, main = attackers.model, seen[0]
    nodes = tuple(_node(attackers, view) for view in seen)
    like, anything = attackers.breaking(main.groups)
    return ClaimStudy(
        claim=str(model),
        of=model.of,
        epsilon=model.epsilon,
        prior=attackers.described(),
        nodes=nodes,
        worst=tuple(_worst(model, main)),
        like_prior=_like_prior(attackers, main, like, keeps=nodes[0].holds),
        any_prior=_any_prior(attackers, main, anything),
    )


def _node(attackers: Attackers, view: View) -> NodeStudy:
    groups, model = view.groups, attackers.model
    level = smallest(model, groups)
    holds = bool(model.holds(groups).all())
    return NodeStudy(
        name=view.name,
        levels=view.recoding.levels,
        words=view.words,
        groups=len(groups),
        people=groups.people,
        left_out=view.left_out,
        holds=holds,
        level=min(level, float(model.epsilon)) if holds else level,
        rows=tuple(_rows(attackers, groups)),
    )


def _rows(attackers: Attackers, groups: Groups) -> Iterator[Row]:
    own = {sigma for sigma in attackers.range or () if sigma is not None}
    if isinstance(attackers.model.adversary, ClassII):
        own = {max(own)}
    for sigma in sorted({Fraction(10**power) for power in POWERS} | own):
        anything = sigma >= len(attackers.domain.values)
        yield Row(
            stubbornness=plain(sigma),
            own=sigma in own,
            class_i=smallest(attackers.at(sigma), groups),
            class_ii=smallest(attackers.any_at(sigma), groups) if anything else None,
            class_iii=None,
        )
    endless = attackers.range is not None and None in attackers.range
    yield Row(math.inf, endless, None, math.inf, smallest(attackers.at(None), groups))


def smallest(model: EpsilonPrivacy, groups: Groups) -> float:
    """The smallest epsilon at which a claim holds in every group, never rounded down."""
    domain = groups.domains[model.of]
    if domain.spellings is not None:
        raise DataError(
            f"what attackers believe of {model.of!r} cannot be explained while "
            f"{some(domain.listed_spellings()[0])} may be one value or several",
            fix=FIX,
        )
    level = model.level(groups)
    top = float(level.max(initial=1.0))
    if top == 1 or math.isinf(top):
        return top
    # Many groups may be equally bad because they are equal; one of each will do.
    counted = groups.histograms[model.attributes[-1]]
    apart: dict[tuple[bytes, bytes], int] = {}
    for group in np.flatnonzero(level >= top * (1 - NEAR)).tolist():
        codes = counted.codes[counted.indptr[group] : counted.indptr[group + 1]]
        apart.setdefault((codes.tobytes(), counted.of(group).tobytes()), group)
    beliefs = (belief for group in apart.values() for belief in model.beliefs(groups, group))
    return rounded_up(max(belief.epsilon for belief in beliefs if belief.epsilon is not None))


def _worst(model: EpsilonPrivacy, view: View) -> Iterator[GroupBelief]:
    """The groups of which attackers learn most; of equal ones, those with more people."""
    if model.hopeless is not None:
        return
    groups = view.groups
    for group in np.lexsort((-groups.n, -model.level(groups)))[:WORST].tolist():
        worst = max(model.beliefs(groups, group), key=_badness, default=None)
        if worst is None:
            continue
        belief = counted(worst)
        labels = view.labels(group)
        yield GroupBelief(
            labels=labels,
            people=belief.people,
            holders=belief.holders,
            predicate=belief.predicate,
            expected=float(belief.expected),
            p_in=float(belief.p_in),
            p_out=float(belief.p_out),
            epsilon=math.inf if belief.epsilon is None else rounded_up(belief.epsilon),
            sentence=sentence(model, belief, labels),
        )


def _badness(belief: Belief) -> tuple[bool, Fraction, Fraction]:
    return belief.epsilon is None, belief.epsilon or Fraction(0), belief.p_in


def _like_prior(
    attackers: Attackers, view: View, found: StubbornnessRange, *, keeps: bool
) -> Breaking:
    """Which data sets of the prior's shape break the claim."""
    told = _breaking(view, found, attackers.values, found.high)
    # Nobody is less stubborn than somebody without any data.
    edge = found.below if found.low > attackers.values else None
    if edge is not None and not found.empty:
        told = replace(told, fewest=math.ceil(found.low - attackers.values))
    below = None if edge is None else (edge.predicate, view.labels(edge.group))
    words = breaks_like(
        attackers.model, told, keeps=keeps, below=below, from_data=attackers.from_data
    )
    return replace(told, sentences=tuple(words))


def _any_prior(attackers: Attackers, view: View, found: StubbornnessRange) -> Breaking:
    """Which data sets of any shape break the claim."""
    high = None if found.above is None else found.high
    told = _breaking(view, found, len(attackers.domain.values), high)
    return replace(told, sentences=tuple(breaks_any(attackers.model, told)))


def _breaking(view: View, found: StubbornnessRange, values: int, high: Fraction | None) -> Breaking:
    """An interval of stubbornness as numbers of people, rounded against ourselves."""
    edge = found.never or found.above
    people = math.inf if high is None else math.floor(high - values)
    low: float = math.ceil(found.low)
    most = math.inf if high is None else math.floor(high)
    if high is not None and low > most:  # no whole number is between them
        low, most = float(found.low), float(high)
    return Breaking(
        holds_from=None if found.empty else low,
        holds_to=None if found.empty else most,
        people=None if found.empty or people < 0 else people,
        fewest=0,
        labels=None if edge is None else view.labels(edge.group),
        predicate=None if edge is None else edge.predicate,
        sentences=(),
    )
