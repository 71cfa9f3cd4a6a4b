"""The other half of the paper: the same attack on ε-differentially private histograms.

The groups are laid down before anybody looks at the data (ranges and nodes of hierarchies), the
table says for every group and every value how many people there are, plus discrete Laplace noise.
The noise is numpy's and protects nobody.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from examples.composition_attacks.data import Census, Split
from hedgerow import KAnonymity, Plan
from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.intersection import intersect
from hedgerow.table.groups import Floats, Groups, Histogram, Ints, Sensitive
from hedgerow.table.published_table import Published

LEVELS = {"sex": 0, "age": 2, "education": 0, "marital-status": 1}
"""Of Adult: how far each column of the histograms is generalised; the others are left out."""
UNLIKELY = 0.05
"""A count is clearly positive where noise alone reaches it no more often than this."""


def discrete_laplace(rng: np.random.Generator, epsilon: float, size: Any) -> Ints:
    """P(x) proportional to exp(-epsilon |x|): the difference of two geometric numbers."""
    p = -math.expm1(-epsilon)
    noise: Ints = rng.geometric(p, size) - rng.geometric(p, size)
    return noise


def release(rng: np.random.Generator, counts: Ints, epsilon: float) -> Ints:
    """The counts with noise; ε-differentially private if one person's value changes.

    Two counts change by one then, so each gets noise of ε / 2.
    """
    noisy: Ints = counts + discrete_laplace(rng, epsilon / 2, counts.shape)
    return noisy


def threshold(epsilon: float) -> int:
    """The smallest count noise alone reaches with a probability of at most `UNLIKELY`.

    P(noise >= x) = a^x / (1 + a) with a = exp(-epsilon), for x > 0.

    >>> threshold(math.log(2)), 2**-4 / 1.5 <= UNLIKELY < 2**-3 / 1.5
    (4, True)
    """
    a = math.exp(-epsilon)
    return max(1, math.ceil(math.log(UNLIKELY * (1 + a)) / -epsilon - 1e-12))


@dataclass(frozen=True, eq=False)
class Grid:
    """Fixed groups: all combinations of generalised values, whether anybody has them or not."""

    census: Census
    group: Ints
    """Of each person of the census."""
    labels: tuple[tuple[str | None, ...], ...]
    codes: np.ndarray[tuple[int, ...], np.dtype[np.int32]]
    """Groups by columns: which label."""
    names: tuple[str, ...]
    values: tuple[str, ...]
    """The whole domain of the sensitive column."""
    value: Ints
    """Of each person: which of them."""

    @classmethod
    def of(cls, census: Census, levels: dict[str, int]) -> Grid:
        plan = Plan.of(columns=census.columns, protect=[KAnonymity(k=2)])
        group = np.zeros(census.people, np.int64)
        labels: list[tuple[str | None, ...]] = []
        for name, level in levels.items():
            column = census.table[name].combine_chunks().dictionary_encode()
            seen = column.dictionary.to_pylist()
            hierarchy = plan.hierarchy_spec(name).bind(name, seen)
            place = {value: code for code, value in enumerate(hierarchy.values)}
            leaf = np.array([place[value] for value in seen])[column.indices.to_numpy()]
            labels.append(tuple(hierarchy.labels[level]))
            group = group * len(labels[-1]) + hierarchy.codes[level][leaf]
        sizes = [len(column) for column in labels]
        codes = np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), axis=1)
        column = census.table[census.sensitive].combine_chunks().dictionary_encode()
        return cls(
            census,
            group,
            tuple(labels),
            codes.astype(np.int32),
            tuple(levels),
            tuple(column.dictionary.to_pylist()),
            column.indices.to_numpy().astype(np.int64),
        )

    @cached_property
    def prior(self) -> Floats:
        """How the sensitive values are distributed in the census: public knowledge."""
        shares: Floats = np.bincount(self.value, minlength=len(self.values)) / self.census.people
        return shares

    def counts(self, rows: Ints) -> Ints:
        """n(q, s) of these people."""
        matrix = np.zeros((len(self.codes), len(self.values)), np.int64)
        np.add.at(matrix, (self.group[rows], self.value[rows]), 1)
        return matrix

    def published(self, table: Ints, least: int, name: str) -> Published:
        """The release to somebody who believes in counts from `least` on."""
        kept = np.where(table >= least, table, 0)
        owner, codes = np.nonzero(kept)
        indptr = np.searchsorted(owner, np.arange(len(kept) + 1)).astype(np.int64)
        histogram = Histogram(indptr, codes.astype(np.int32), kept[owner, codes])
        total = kept.sum(axis=0)
        domain = Sensitive(self.census.sensitive, self.values, total, int(total.sum()))
        groups = Groups(kept.sum(axis=1), {domain.name: histogram}, {domain.name: domain})
        return Published(
            name, self.names, self.labels, self.codes, groups, taxonomies=self.census.taxonomies
        )


@dataclass(frozen=True, kw_only=True)
class Beliefs:
    """What the strongest attacker comes to believe: one who knows everybody else's record.

    Factors are posterior over prior probability, of any value of any target.
    """

    bound: float
    """exp(2 ε): two releases of ε each."""
    largest: float
    smallest: float
    distance: float
    """The largest statistical difference between posterior and prior of a target."""
    distance_bound: float
    """tanh(2 ε / 4), the tight bound where only the target's value is unknown."""
    named: Rate
    """Targets whose likeliest value is the true one."""
    prior_named: float
    """The chance of naming it without a release: that of the most frequent value."""


def beliefs(
    grid: Grid, people: Ints, true: Sequence[Ints], noisy: Sequence[Ints], epsilon: float
) -> Beliefs:
    """Bayes' rule for every target, both releases seen.

    Args:
        grid: The groups.
        people: The targets, who are in every release.
        true: The counts of each release; the attacker knows them but for the target.
        noisy: What was published.
        epsilon: Of each release.
    """
    own = grid.value[people]
    each = np.arange(len(people))
    weight = np.zeros((len(people), len(grid.values)))
    for counts, table in zip(true, noisy, strict=True):
        others = counts[grid.group[people]]
        others[each, own] -= 1
        gap = table[grid.group[people]] - others
        # log P(gap | the target is here) - log P(gap | elsewhere)
        weight += epsilon / 2 * (np.abs(gap) - np.abs(gap - 1))
    likelihood = grid.prior * np.exp(weight - weight.max(axis=1, keepdims=True))
    posterior = likelihood / likelihood.sum(axis=1, keepdims=True)
    possible = grid.prior > 0
    factor = posterior[:, possible] / grid.prior[possible]
    right = int((posterior.argmax(axis=1) == own).sum())
    return Beliefs(
        bound=math.exp(len(true) * epsilon),
        largest=float(factor.max()),
        smallest=float(factor.min()),
        distance=float(np.abs(posterior - grid.prior).sum(axis=1).max() / 2),
        distance_bound=math.tanh(len(true) * epsilon / 4),
        named=Rate(successes=right, guesses=len(people)),
        prior_named=float(grid.prior.max()),
    )


@dataclass(frozen=True, kw_only=True)
class Noisy:
    """The intersection attack on two noisy releases, and on strangers; all seeds together."""

    epsilon: float | None
    """None: the counts as they are."""
    least: int
    """From which count on a value is taken for present."""
    perfect: Rate
    """One value is left, of the people who are in both releases."""
    right: Rate
    """Of these, it is the true one."""
    control_perfect: Rate
    """The same of people who are in neither."""
    control_right: Rate
    inside: Rate
    """The true value is among those left."""
    named: AttackResult
    """The likeliest value is the true one; people in neither release are the control."""
    beliefs: tuple[Beliefs, ...]
    """Seed by seed."""


def attack(census: Census, seeds: Sequence[int], epsilon: float | None) -> Noisy:
    """Publish both halves for every seed, and attack them."""
    grid = Grid.of(census, LEVELS)
    least = 1 if epsilon is None else threshold(epsilon / 2)
    inside, outside, believed = [], [], []
    for seed in seeds:
        split = Split.of(census, seed)
        rng = np.random.default_rng([seed, round(1000 * (epsilon or 0))])
        true = [grid.counts(rows) for rows in (split.first, split.second)]
        noisy = true
        if epsilon is not None:
            noisy = [release(rng, counts, epsilon) for counts in true]
            believed.append(beliefs(grid, split.both, true, noisy, epsilon))
        releases = [grid.published(table, least, f"histogram {j}") for j, table in enumerate(noisy)]
        inside.append(_counted(releases, census, split.both))
        outside.append(_counted(releases, census, split.neither))
    people, one, right, possible, named = np.sum(inside, axis=0).tolist()
    others, other_one, other_right, _, other_named = np.sum(outside, axis=0).tolist()
    return Noisy(
        epsilon=epsilon,
        least=least,
        perfect=Rate(successes=one, guesses=people),
        right=Rate(successes=right, guesses=one),
        control_perfect=Rate(successes=other_one, guesses=others),
        control_right=Rate(successes=other_right, guesses=other_one),
        inside=Rate(successes=possible, guesses=people),
        named=AttackResult(
            attack="intersection",
            goal=f"the person's {census.sensitive} is named",
            found=Rate(successes=named, guesses=people),
            baseline=Rate(successes=float(grid.prior.max()) * people, guesses=people),
            control=Rate(successes=other_named, guesses=others),
        ),
        beliefs=tuple(believed),
    )


def _counted(
    releases: Sequence[Published], census: Census, rows: Ints
) -> tuple[int, int, int, int, int]:
    """People, with one value left, and rightly so, with the truth possible, named rightly."""
    found = intersect(releases, census.targets(rows))
    result = found.result(census.truth(rows))
    detail = result.detail
    return (
        len(rows),
        int((found.posterior == 1).sum()),
        detail["perfect_and_right"],
        detail["true_value_possible"],
        int(result.found.successes),
    )
