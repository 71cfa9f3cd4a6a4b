"""The experiment: releases of two overlapping halves, attacked together, for several seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np

from examples.composition_attacks import data
from examples.composition_attacks.data import Census, Split
from examples.composition_attacks.releases import (
    MICRO,
    Made,
    assuming_locatability,
    make,
    together,
    told_apart,
)
from hedgerow.attacks.intersection import Intersection
from hedgerow.attacks.overlap import overlap_by_fit
from hedgerow.claims import EntropyLDiversity, KAnonymity, TCloseness
from hedgerow.claims.base import PrivacyModel
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.location import locate

CONFIDENCES = (1.0, 0.5, 1 / 3, 0.25, 0.2, 0.1)
NOTHING = "?"
"""The occupation of those who have none (IPUMS)."""
Who = Literal["both", "only first", "neither"]
Way = Literal["group known", "cluster known", "values known"]
"""Locatability assumed as in the paper: of groups a recipient can tell apart, or of those the
method made; or people located by their quasi-identifiers."""


@dataclass(frozen=True)
class Spread:
    """A number over the seeds: the mean, the least and the largest."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        every = list(values)
        return cls(fmean(every), min(every), max(every))


@dataclass(frozen=True, kw_only=True)
class Claims:
    """What both publishers promise."""

    k: int
    l: float | None = None  # noqa: E741
    """Entropy l-diversity."""
    t: float | None = None
    """t-closeness, equal distance."""

    def models(self, of: str) -> list[PrivacyModel]:
        models: list[PrivacyModel] = [KAnonymity(k=self.k)]
        if self.l is not None:
            models.append(EntropyLDiversity(l=self.l, of=of))
        if self.t is not None:
            models.append(TCloseness(t=self.t, of=of))
        return models


@dataclass(frozen=True, kw_only=True)
class Score:
    """One attack on one pair of releases. Shares are of the targets, not only those found."""

    perfect: float
    """One value is left: EA^c = 1."""
    right: float
    """One value is left, and it is the true one."""
    alone: float
    """A single release leaves one value already."""
    inside: float
    """The true value is among those left."""
    ruled_out: float
    """No value is left, or somebody fits into no group: not in both, the attacker concludes."""
    named: float
    """The likeliest value is the true one."""
    common: float
    """The most frequent value among the targets is the true one."""
    vulnerable: float
    """AnonDrop > 0."""
    partition: float
    """People in the groups the targets are in (both releases), on average."""
    prior: float
    """EA_ij on average over targets and releases."""
    least: float
    """The smaller of the two EA_ij, on average: what AnonDrop starts from."""
    posterior: float
    """EA_i^c on average."""
    pvp: tuple[float, ...]
    """Share of targets with at least each of the confidences."""

    @property
    def drop(self) -> float:
        """AnonDrop_i on average."""
        return self.least - self.posterior


class Attack(NamedTuple):
    """What was attacked, and how."""

    methods: tuple[str, str]
    claims: Claims
    way: Way
    who: Who
    working: bool


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How much is run."""

    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    ks: tuple[int, ...] = (2, 3, 5, 10, 15, 20)
    ls: tuple[float, ...] = (2, 3, 5)
    ts: tuple[float, ...] = (0.6, 0.5, 0.4)
    epsilons: tuple[float, ...] = (4.0, 2.0, 1.0, 0.5, 0.1)


@dataclass(frozen=True, eq=False)
class Laboratory:
    """One census; every release is made once."""

    census: Census
    setting: Setting
    _made: dict[tuple[object, ...], Made] = field(default_factory=dict)
    _scores: dict[Attack, list[Score]] = field(default_factory=dict)

    @property
    def seeds(self) -> tuple[int, ...]:
        return self.setting.seeds

    def split(self, seed: int) -> Split:
        return Split.of(self.census, seed)

    def release(
        self, seed: int, side: int, method: str, claims: Claims, *, numbered: bool = False
    ) -> Made:
        """What the first (0) or second (1) publisher publishes."""
        key = (seed, side, method, claims, numbered)
        if key not in self._made:
            split = self.split(seed)
            rows = (split.first, split.second)[side]
            models = claims.models(self.census.sensitive)
            how = told_apart if numbered else make
            self._made[key] = how(self.census, rows, method, models)
        return self._made[key]

    def pair(
        self, seed: int, methods: tuple[str, str], claims: Claims, *, numbered: bool = False
    ) -> list[Made]:
        return [
            self.release(seed, side, method, claims, numbered=numbered)
            for side, method in enumerate(methods)
        ]

    def people(self, seed: int, who: Who, *, working: bool = False) -> Ints:
        """Rows of the targets; those with an occupation only, if asked for."""
        split = self.split(seed)
        rows = {"both": split.both, "only first": split.only_first, "neither": split.neither}[who]
        if working:
            rows = rows[np.array(self.census.truth(rows)) != NOTHING]
        return rows

    def scores(
        self,
        methods: tuple[str, str],
        claims: Claims,
        *,
        way: Way = "group known",
        who: Who = "both",
        working: bool = False,
    ) -> list[Score]:
        """The attack, seed by seed."""
        key = Attack(methods, claims, way, who, working)
        if key not in self._scores:
            self._scores[key] = [self._score(seed, key) for seed in self.seeds]
        return self._scores[key]

    def attacked(self) -> Iterator[tuple[Attack, list[Score]]]:
        """All attacks so far."""
        yield from self._scores.items()

    def measured(
        self,
        of: Callable[[Score], float],
        methods: tuple[str, str],
        claims: Claims,
        *,
        way: Way = "group known",
        who: Who = "both",
        working: bool = False,
    ) -> Spread:
        """One number of the attack over the seeds."""
        scores = self.scores(methods, claims, way=way, who=who, working=working)
        return Spread.of(map(of, scores))

    def located(self, claims: Claims) -> Spread:
        """How often the nearest centroid is that of the target's own cluster."""
        rates = []
        for seed in self.seeds:
            people = self.people(seed, "both")
            targets = self.census.targets(people)
            for made in self.pair(seed, (MICRO, MICRO), claims):
                nearest = locate(made.published, targets).groups
                rates.append(float((nearest == made.group[people]).mean()))
        return Spread.of(rates)

    def fitting(self, method: str, claims: Claims, seed: int, who: Who) -> float:
        """The share of these people who fit into a group of the second release."""
        made = self.release(seed, 1, method, claims)
        found = locate(made.published, self.census.targets(self.people(seed, who))).count > 0
        return float(found.mean())

    def estimated_overlap(self, method: str, claims: Claims) -> tuple[Spread, Spread]:
        """The share of the first release that is also in the second: estimated, and the truth."""
        guesses, truths = [], []
        for seed in self.seeds:
            split = self.split(seed)
            x = len(split.both) / len(split.first)
            strangers = self.fitting(method, claims, seed, "neither")
            seen = x * self.fitting(method, claims, seed, "both") + (1 - x) * self.fitting(
                method, claims, seed, "only first"
            )
            guesses.append(overlap_by_fit(seen=seen, strangers=strangers))
            truths.append(x)
        return Spread.of(guesses), Spread.of(truths)

    def _score(self, seed: int, attack: Attack) -> Score:
        numbered = attack.way == "cluster known"
        releases = self.pair(seed, attack.methods, attack.claims, numbered=numbered)
        people = self.people(seed, attack.who, working=attack.working)
        if attack.way == "values known":
            found = together(releases, self.census, people)
        else:
            found = assuming_locatability(releases, people)
        return score(found, self.census.truth(people))


def score(found: Intersection, truth: Sequence[str]) -> Score:
    """An intersection scored against the true values."""
    result = found.result(truth)
    people = len(found)
    detail = result.detail
    sure = found.found & (found.posterior > 0)
    sizes = [_fitting(published.groups.n, located.start, located.groups)
             for published, located in zip(found.releases, found.located, strict=True)]  # fmt: skip
    least = found.prior.min(axis=1)
    return Score(
        perfect=float((found.posterior == 1).mean()),
        right=detail["perfect_and_right"] / people,
        alone=float((found.found & (least == 1)).mean()),
        inside=detail["true_value_possible"] / people,
        ruled_out=float(1 - sure.mean()),
        named=result.found.successes / people,
        common=float(np.unique(np.array(truth), return_counts=True)[1].max() / people),
        vulnerable=float(found.vulnerable.mean()),
        partition=float(np.mean(sizes)),
        prior=float(found.prior.mean()),
        least=float(least.mean()),
        posterior=float(found.posterior.mean()),
        pvp=tuple(float((found.confidence >= c - 1e-12).mean()) for c in CONFIDENCES),
    )


def _fitting(n: Ints, start: Ints, groups: Ints) -> Floats:
    """The records that fit each person."""
    sums = np.concatenate(([0], np.cumsum(n[groups])))
    fitting: Floats = (sums[start[1:]] - sums[start[:-1]]).astype(np.float64)
    return fitting


@dataclass(frozen=True, eq=False)
class Experiment:
    """Everything the page tells of."""

    adult: Laboratory
    ipums: Laboratory
    variants: tuple[Laboratory, ...]
    """Other sizes, years and people, at k = 5 only."""
    setting: Setting

    @property
    def both(self) -> tuple[Laboratory, Laboratory]:
        return self.adult, self.ipums

    @classmethod
    def full(cls) -> Experiment:
        """As the page has it: a few minutes."""
        adult, pooled = data.adult(), data.ipums(tuple(data.IPUMS)).sized(10_000, 5_000)
        working = data.ipums(tuple(data.IPUMS), working=True)
        return cls._of(
            Setting(),
            adult,
            pooled,
            adult.sized((adult.people + 5_000) // 2, 5_000),
            data.ipums(),
            data.ipums().sized(6_000, 5_000),
            data.ipums(working=True),
            working.sized(9_000, 5_000),
        )

    @classmethod
    def quick(cls) -> Experiment:
        """The same with fewer people, seeds and parameters: for tests, and to look around."""
        setting = Setting(seeds=(1,), ks=(2, 5, 10), ls=(5,), ts=(0.4,), epsilons=(2.0, 0.5))
        return cls._of(setting, data.adult().sized(4_000, 2_000), data.ipums())

    @classmethod
    def _of(cls, setting: Setting, adult: Census, ipums: Census, *more: Census) -> Experiment:
        return cls(
            Laboratory(adult, setting),
            Laboratory(ipums, setting),
            tuple(Laboratory(census, setting) for census in more),
            setting,
        )
