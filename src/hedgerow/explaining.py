"""What the adversaries of a plan mean for its table: the study behind `explain adversary`."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.adversary import AtMost, ClassI, ClassII, ClassIII, ClassIV, unseen_in_words
from hedgerow.breaking import Family, Interval, where_it_holds
from hedgerow.choosing import Progress, refuse_meaningless
from hedgerow.errors import DataError, PlanError
from hedgerow.groups import Groups, Sensitive
from hedgerow.models.epsilon import Belief, EpsilonPrivacy
from hedgerow.plan import Plan
from hedgerow.planning.claims import Claim
from hedgerow.planning.claims import EpsilonPrivacy as EpsilonPlan
from hedgerow.predicates import Predicates
from hedgerow.priors import Prior, Shape
from hedgerow.publishing import opened
from hedgerow.study import (
    AdversaryStudy,
    Breaking,
    ClaimStudy,
    NodeStudy,
    PriorStudy,
    Row,
    WorstGroup,
)
from hedgerow.telling import (
    breaks_any,
    breaks_like,
    prior_in_words,
    rounded_up,
    sentence,
)
from hedgerow.views import Node, View, views
from hedgerow.warming import warming

POWERS = range(2, 10)
"""The stubbornness looked at, as powers of ten; infinity comes after."""
WORST = 4
"""Groups that are written out."""
NEAR = 1e-12
"""Groups this close (relatively) to the worst are measured in exact arithmetic."""
MOST_NEAR = 20
MOST = Fraction(10**18)
"""A stubbornness nobody has data for."""


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
        models = [model for model in job.models if isinstance(model, EpsilonPrivacy)]
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
        if isinstance(claim, EpsilonPrivacy):
            yield None, plan.where("protect", place)
        elif isinstance(claim, Claim) and isinstance(claim.parameters, EpsilonPlan):
            prior = claim.parameters.adversary.prior
            about = sensitive if claim.parameters.of is None else [claim.parameters.of]
            for _ in about:
                file = None if prior is None else prior.file
                yield file, plan.where("protect", place, claim.name)


class Attackers:
    """The plan's attackers, and those who differ from them in stubbornness or class."""

    def __init__(
        self, model: EpsilonPrivacy, domain: Sensitive, *, file: Path | None, where: str
    ) -> None:
        self.model, self.domain, self.file = model, domain, file
        self.prior = model.adversary.believed or Prior.uniform()
        self.at = lru_cache(maxsize=64)(self._at)
        self.any_at = lru_cache(maxsize=64)(self._any_at)
        try:
            self.shape: Shape = self.prior.bind(domain)
            self.range = self._range()
        except (PlanError, DataError) as error:
            raise type(error)(error.what, where=error.where or where, fix=error.fix) from None

    @property
    def values(self) -> int:
        """Values there are, in the table or in the prior's source."""
        return len(self.shape.shares) + len(self.shape.elsewhere)

    def _at(self, sigma: Fraction | None) -> EpsilonPrivacy:
        """The claim against attackers of the prior's shape; None: infinitely stubborn."""
        knows = self.model.adversary.knows
        if sigma is None:
            return replace(self.model, adversary=ClassIII(prior=self.prior, knows=knows))
        adversary = ClassI(prior=self.prior, stubbornness=sigma, knows=knows)
        return replace(self.model, adversary=adversary)

    def _any_at(self, sigma: Fraction | None) -> EpsilonPrivacy:
        """The claim against attackers of any prior, at most this stubborn."""
        knows, predicates = self.model.adversary.knows, self._of_table
        adversary = ClassIV(knows=knows) if sigma is None else ClassII(
            stubbornness=sigma, knows=knows
        )  # fmt: skip
        return replace(self.model, adversary=adversary, predicates=predicates)

    @cached_property
    def _of_table(self) -> Predicates:
        """The predicates without values that only the prior's source has."""
        predicates, elsewhere = self.model.predicates, {v for v, _ in self.shape.elsewhere}
        if predicates.sets is None or not elsewhere:
            return predicates
        parts = [entry if isinstance(entry, tuple) else (entry,) for entry in predicates.sets]
        kept = [tuple(part for part in entry if part not in elsewhere) for entry in parts]
        return replace(predicates, sets=tuple(entry for entry in kept if entry))

    def _range(self) -> tuple[Fraction | None, Fraction | None] | None:
        """The plan's least and most stubborn attackers (None: infinite); None: everybody."""
        adversary = self.model.adversary
        if isinstance(adversary, ClassIV):
            return None
        if isinstance(adversary, ClassIII):
            return None, None
        given = adversary.stubbornness  # type: ignore[attr-defined]
        if given == math.inf:
            most = None
        elif given is not None:
            most = Fraction(given)
        elif self.shape.stubbornness is not None:
            most = self.shape.stubbornness
        else:
            raise PlanError(
                f"the {self.prior} does not say how stubborn the attacker is",
                fix="Give a stubbornness, or use class III for an infinite one.",
            )
        if isinstance(adversary, ClassI):
            return most, most
        if isinstance(adversary, ClassII):
            return Fraction(len(self.domain.values)), most
        assert isinstance(adversary, AtMost), "there are five classes"
        least = self.shape.least if adversary.at_least is None else Fraction(adversary.at_least)
        return (least if most is None else min(least, most)), most

    def breaking(self, groups: Groups) -> tuple[Interval, Interval]:
        """The stubbornness at which the claim holds: with the prior's shape, with any."""
        shaped = Family(at=self.at, keeps_shape=True, least=Fraction(1))
        values = Fraction(len(self.domain.values))
        anything = Family(at=self.any_at, keeps_shape=False, least=values, most=MOST)
        return where_it_holds(shaped, groups), where_it_holds(anything, groups)

    def described(self) -> PriorStudy:
        """What they believe before they see anything of the table."""
        most = None if self.range is None else self.range[1]
        justified = self.shape.stubbornness if self.model.adversary.believed else None
        return PriorStudy(
            own=self.model.adversary.believed is not None,
            stubbornness=None if self.range is None else _number(most),
            justified=None if justified is None else float(justified),
            values=self.values,
            unseen=self.shape.unseen,
            elsewhere=tuple(value for value, _ in self.shape.elsewhere),
            sentences=(
                *prior_in_words(
                    self.model.adversary, self.shape, self.domain.values, self.file, self.range
                ),
                *(
                    f"{words[0].upper()}{words[1:]}."
                    for words in unseen_in_words(self.shape, self.domain.values)
                ),
            ),
        )


def _number(sigma: Fraction | None) -> float:
    if sigma is None:
        return math.inf
    return int(sigma) if sigma.denominator == 1 else float(sigma)


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
            stubbornness=_number(sigma),
            own=sigma in own,
            class_i=smallest(attackers.at(sigma), groups),
            class_ii=smallest(attackers.any_at(sigma), groups) if anything else None,
            class_iii=None,
        )
    endless = attackers.range is not None and None in attackers.range
    yield Row(math.inf, endless, None, math.inf, smallest(attackers.at(None), groups))


def smallest(model: EpsilonPrivacy, groups: Groups) -> float:
    """The smallest epsilon at which a claim holds in every group, never rounded down."""
    level = model.level(groups)
    top = float(level.max(initial=1.0))
    if math.isinf(top):
        return top
    near = np.flatnonzero(level >= top * (1 - NEAR))
    if len(near) > MOST_NEAR:
        return rounded_up(top * (1 + NEAR)) if top > 1 else 1.0
    exact = [b.epsilon for g in near.tolist() for b in model.beliefs(groups, g)]
    return rounded_up(max([Fraction(1), *(e for e in exact if e is not None)]))


def _worst(model: EpsilonPrivacy, view: View) -> Iterator[WorstGroup]:
    """The groups of which attackers learn most; of equal ones, those with more people."""
    if model.hopeless is not None:
        return
    groups = view.groups
    level = model.level(groups)
    order = np.lexsort((-groups.n, -level))
    last = order[min(WORST, len(order)) - 1]
    as_bad = (level == level[last]) & (groups.n == groups.n[last])
    before = order[:WORST][~as_bad[order[:WORST]]].tolist()
    for group in [*before, *view.in_order(np.flatnonzero(as_bad))][:WORST]:
        belief = max(model.beliefs(groups, group), key=_badness, default=None)
        if belief is None:
            continue
        labels = view.labels(group)
        yield WorstGroup(
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


def _like_prior(attackers: Attackers, view: View, found: Interval, *, keeps: bool) -> Breaking:
    """Which data sets of the prior's shape break the claim."""
    told = _breaking(view, found, attackers.values, found.high)
    # Nobody forms this prior from fewer data than make each value count once.
    if not found.empty and found.low > attackers.shape.least:
        told = replace(told, fewest=max(0, math.ceil(found.low - attackers.values)))
    # And nobody at all is less stubborn than somebody without any data.
    edge = found.below if found.low > attackers.values else None
    below = None if edge is None else (edge.predicate, view.labels(edge.group))
    words = breaks_like(attackers.model, told, keeps=keeps, below=below)
    return replace(told, sentences=tuple(words))


def _any_prior(attackers: Attackers, view: View, found: Interval) -> Breaking:
    """Which data sets of any shape break the claim."""
    high = None if found.above is None else found.high
    told = _breaking(view, found, len(attackers.domain.values), high)
    return replace(told, sentences=tuple(breaks_any(attackers.model, told)))


def _breaking(view: View, found: Interval, values: int, high: Fraction | None) -> Breaking:
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
