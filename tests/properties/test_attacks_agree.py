"""Attacks and the engine of beliefs say the same where both say something.

On random small releases every attack is held against all worlds, counted one by one by code that
shares nothing with them. Each test says which relation holds: the same numbers, or that the one
follows from the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from sampled_releases import Sample, sampled

from hedgerow.attacks.background_knowledge import background_knowledge
from hedgerow.attacks.belief_attack import CrowdGains
from hedgerow.attacks.crowd_belief import CrowdBelief, crowd_belief
from hedgerow.attacks.group_beliefs import beliefs as group_beliefs
from hedgerow.attacks.homogeneity import homogeneity
from hedgerow.attacks.intersection import Intersection, intersect
from hedgerow.attacks.minimality import minimality
from hedgerow.attacks.person_belief import belief_about
from hedgerow.attacks.person_scene import SeenColumn
from hedgerow.attacks.release_joins import join
from hedgerow.attacks.similarity import learned
from hedgerow.attacks.skewness import lifts
from hedgerow.attacks.suite import attack, read_releases
from hedgerow.base.errors import DataError
from hedgerow.claims.history import follow
from hedgerow.claims.worlds.belief import believed
from hedgerow.claims.worlds.bounds import CountBounds, bounds
from hedgerow.claims.worlds.knowledge import Knowledge
from hedgerow.table.groups import Groups
from hedgerow.table.location import Located, locate
from hedgerow.table.targets import Targets

SEEDS = range(60)
"""Random releases of each kind, and"""
MORE = range(60, 120)
"""more in the slow suite;"""
FEWER = {"beliefs_of_one": 2}
"""one in so many where each takes long."""
CLOSE = 1e-12


@lru_cache(maxsize=4 * len(SEEDS))
def read(sample: Sample) -> tuple[list[Any], Targets]:
    """The releases and the list of a sample, for all relations; nobody changes them."""
    columns = ["ill", "bill"] if sample.joined else ["ill"]
    releases = read_releases(sample.tables, sensitive=columns, quasi=["x", "y"])
    return releases, Targets.read(sample.register)


class Read:
    """The releases of a sample as attackers hold them, and where people are in them."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.releases, self.targets = read(sample)
        self.places = tuple(locate(one, self.targets) for one in self.releases)

    @cached_property
    def crowd(self) -> CrowdBelief:
        return crowd_belief(SeenColumn.read(self.releases, "ill"), self.places)

    @cached_property
    def intersection(self) -> Intersection:
        return intersect(self.releases, self.places, of="ill")


def shares(crowd: CrowdBelief, belief: Any, person: int) -> dict[str, float]:
    row = belief[crowd.kind[person]]
    return {str(v): p for v, p in zip(crowd.seen.values, row.tolist(), strict=True) if p}


def close(found: dict[str, float], wanted: dict[str, Fraction]) -> bool:
    return found.keys() == wanted.keys() and all(
        abs(found[v] - float(wanted[v])) < CLOSE and (found[v] == 1) == (wanted[v] == 1)
        for v in wanted
    )


# What everybody believes: `attack --method belief`, and `--person`.


def beliefs_of_all(seed: int, *, counted: bool = True) -> None:
    """Both beliefs about everybody are those of all worlds; bounds contain them.

    Bounds need not notice that a list contradicts the releases.
    """
    sample = sampled(seed, releases=1 + seed % 3)
    crowd = Read(sample).crowd
    for person in range(len(sample.people)):
        k = crowd.kind[person]
        if not crowd.present[k]:
            continue
        assert close(shares(crowd, crowd.alone, person), sample.alone(person))
        wanted = sample.listed(person)
        if wanted is None:
            assert crowd.contradicted[k] or not counted
            continue
        assert not crowd.contradicted[k]
        if crowd.exact[k]:
            assert close(shares(crowd, crowd.low, person), wanted)
        for v, value in enumerate(crowd.seen.values):
            share = float(wanted.get(str(value), Fraction(0)))
            assert crowd.low[k, v] - CLOSE <= share <= crowd.high[k, v] + CLOSE


def bounded_beliefs(seed: int) -> None:
    """Where components are too large to count the same, by bounds alone."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("hedgerow.attacks.crowd_belief.MOST_FAILED", 0)
        beliefs_of_all(seed, counted=False)


def beliefs_of_one(seed: int) -> None:
    """`--person` says of each person what the attack says of everybody."""
    sample = sampled(seed)
    read = Read(sample)
    crowd = read.crowd
    of = ["ill", "bill"] if sample.joined else ["ill"]
    for person in range(len(sample.people)):
        k = crowd.kind[person]
        if not crowd.present[k] or len(sample.people) < 2:
            continue
        fitting = [where.count[person] > 0 for where in read.places]
        if not all(fitting):
            continue  # --person leaves out releases that do not fit the person
        found = belief_about(
            sample.tables, {"name": f"p{person}"}, register=sample.register, sensitive=of,
            quasi=["x", "y"], of="ill",
        )  # fmt: skip
        alone = {str(one.value): one.alone for one in found.beliefs if one.alone}
        assert alone.keys() == shares(crowd, crowd.alone, person).keys()
        for one in found.beliefs:
            v = crowd.seen.values.index(one.value)
            assert abs(one.alone - crowd.alone[k, v]) < CLOSE
            if one.listed is None:
                assert crowd.contradicted[k]
            elif crowd.exact[k]:
                assert abs(one.listed[0] - crowd.low[k, v]) < CLOSE
                assert abs(one.listed[1] - crowd.low[k, v]) < CLOSE


def gains_of_all(seed: int) -> None:
    """Gains are (p - p0) / (1 - p0) of the larger belief, and who is certain is certain."""
    sample = sampled(seed)
    (result,) = attack(
        sample.tables, truth=sample.truth, quasi=["x", "y"], of="ill", methods=["belief"],
        sensitive=["ill", "bill"] if sample.joined else ["ill"],
    )  # fmt: skip
    rows = [row for table in sample.tables for row in table["ill"]]
    gains, certain = [], 0
    for person, (_, _, value) in enumerate(sample.people):
        if not any(release.fits[person] for release in sample.puzzle.releases):
            continue
        listed = sample.listed(person) or {}
        p = max(one.get(value[0], Fraction(0)) for one in (sample.alone(person), listed))
        p0 = Fraction(rows.count(value[0]), len(rows))
        gains.append(max(Fraction(0), (p - p0) / (1 - p0)) if p0 < 1 else Fraction(0))
        certain += p == 1
    assert result.gains is not None
    assert result.detail["bounded"] == 0
    assert result.gains.people == len(gains)
    assert result.gains.certain == certain
    assert abs(result.gains.worst - float(max(gains, default=Fraction(0)))) < CLOSE
    assert abs(result.gains.mean * len(gains) - float(sum(gains))) < 1e-9


# Several releases: intersection, sequential.


def intersection(seed: int) -> None:
    """Intersection = the engine knowing one person, where nothing is joined.

    The values that are left are those the engine believes in, and the beliefs are the same. So what
    is named for certain is certain for whoever knows everybody, too. With a join it leaves as many
    values or more.
    """
    sample = sampled(seed, releases=2 + seed % 2)
    read = Read(sample)
    found, crowd = read.intersection, read.crowd
    belief = found.beliefs(np.arange(len(found)))
    for person in range(len(sample.people)):
        if not found.found[person]:
            continue
        k = crowd.kind[person]
        left = {str(value) for value in found.possible(person)}
        alone = shares(crowd, crowd.alone, person)
        mine = {str(v): p for v, p in zip(found.values, belief[person], strict=True) if p}
        if sample.joined:
            assert alone.keys() <= left
        else:
            assert alone.keys() == left == mine.keys()
            assert all(abs(alone[v] - mine[v]) < CLOSE for v in left)
        wanted = sample.listed(person)
        if wanted is None:
            continue
        assert wanted.keys() <= left
        if found.named[person]:
            assert wanted == dict.fromkeys(left, Fraction(1))
            assert crowd.certain[k]


def sequential(seed: int) -> None:
    """What sequential rules out no world allows; so what it names is certain in the engine.

    It takes everybody who fits to be in a release, and nothing else is known where fewer fit. With
    a join it is the engine with the join.
    """
    sample = sampled(seed)
    read = Read(sample)
    if any(sum(map(bool, r.fits)) > len(r.records) for r in sample.puzzle.releases):
        return  # the engine does not take them to be in it
    history = follow([one.groups for one in read.releases], read.places, of="ill")
    joined, _ = join(read.releases, read.places, "ill")
    if joined is not None:
        history, _ = joined.narrow(history)
    for person in range(len(sample.people)):
        wanted = sample.listed(person)
        if wanted is None or not history.present[person]:
            continue
        assert wanted.keys() <= {str(value) for value in history.of(person)}
        if history.certain[person]:
            assert wanted == {str(history.of(person)[0]): Fraction(1)}
            assert read.crowd.certain[read.crowd.kind[person]]


# One release: homogeneity, background knowledge, skewness, similarity, minimality.


def alone_in_groups(read: Read) -> Iterator[tuple[int, dict[str, Fraction]]]:
    for person in range(len(read.sample.people)):
        if read.places[0].count[person] == 1:
            yield int(read.places[0].of(person)[0]), read.sample.alone(person)


def one_release(seed: int) -> Read | None:
    sample = sampled(seed, releases=1)
    return Read(sample) if sample.apart and sample.complete else None


def homogeneous(seed: int) -> None:
    """Homogeneity = the engine of one release and one known person: certain is certain."""
    read = one_release(seed)
    if read is None:
        return
    (release,), crowd = read.releases, read.crowd
    result = homogeneity(release.groups, of="ill")
    assert result.found.successes == int(crowd.certain[crowd.kind].sum())
    assert result.found.successes == sum(1 in one.values() for _, one in alone_in_groups(read))
    true = np.array([crowd.seen.values.index(v[0]) for _, _, v in read.sample.people])
    gains = CrowdGains(crowd, true).gains
    assert result.gains is not None
    assert abs(result.gains.mean - gains.mean) < 1e-9
    assert abs(result.gains.worst - gains.worst) < 1e-9


def unsaid(seed: int) -> None:
    """The same where some values say nothing: they count as values, and as not recorded."""
    sample = sampled(seed, releases=1)
    if not (sample.apart and sample.complete):
        return
    said = {"a": "a", "b": "b", "c": "?" if seed % 2 else None}
    (table,) = sample.tables
    sample = replace(sample, tables=(table.assign(ill=table["ill"].map(said)),))
    truth = sample.truth.assign(ill=sample.truth["ill"].map(said))
    (mine,) = attack(
        sample.tables, truth=truth, quasi=["x", "y"], sensitive=["ill"], methods=["belief"]
    )
    result = homogeneity(Read(sample).releases[0].groups, of="ill")
    assert mine.gains is not None
    assert result.gains is not None
    assert mine.gains.certain == result.gains.certain == result.found.successes
    assert abs(mine.gains.worst - result.gains.worst) < 1e-9
    assert mine.gains.people == result.gains.people
    assert abs(mine.gains.mean - result.gains.mean) < 1e-9


def ruled_out(seed: int) -> None:
    """Background knowledge = the engine with these values impossible, the worst ones there are."""
    read = one_release(seed)
    if read is None:
        return
    groups = read.releases[0].groups
    domain, h = groups.domains["ill"], groups.histograms["ill"]
    for m in (0, 1, 2):
        found = group_beliefs(groups, of="ill", m=m)
        certain = 0
        for e, g in enumerate(h.owner().tolist()):
            own = int(h.codes[e])
            others = [v for v in range(len(domain.values)) if v != own]
            best = Fraction(0)
            for out in combinations(others, min(m, len(others))):
                weights = tuple(Fraction(v not in out) for v in range(len(domain.values)))
                table = h.take(np.array([g])).dense(len(domain.values)).tolist()
                known = Knowledge.of_groups([table], [[[0]]], listed=False)
                least, _ = believed(replace(known, weights=(weights,))).between(0, own)
                best = max(best, least)
            assert abs(found[e] - float(best)) < CLOSE
            certain += int(h.counts[e]) * (best == 1)
        if m:
            assert background_knowledge(groups, of="ill", m=m).found.successes == certain


def known_people(seed: int) -> None:
    """To know somebody's value = to take them from the list, and their record from the release."""
    sample = sampled(seed, releases=1, people=4)
    if not (sample.apart and sample.complete):
        return
    (release,) = sample.puzzle.releases
    k, groups = len(sample.values), 1 + max(g for g, _ in release.records)
    table = [[release.records.count((g, v)) for v in range(k)] for g in range(groups)]
    fits = [sorted(one) for one in release.fits]
    own = sample.values.index(sample.people[0][2])
    weights = [(Fraction(1),) * k for _ in fits]
    weights[0] = tuple(Fraction(v == own) for v in range(k))
    known = believed(replace(Knowledge.of_groups([table], [fits]), weights=tuple(weights)))
    table[fits[0][0]][own] -= 1
    rest = believed(Knowledge.of_groups([table], [fits[1:]]))
    for person in range(1, len(fits)):
        for v in range(k):
            assert known.between(person, v) == rest.between(person - 1, v)


def skewed(seed: int) -> None:
    """Skewness = the engine's belief over the belief before."""
    read = one_release(seed)
    if read is None:
        return
    groups, crowd = read.releases[0].groups, read.crowd
    h, domain = groups.histograms["ill"], groups.domains["ill"]
    found = dict(zip(zip(h.owner().tolist(), h.codes.tolist(), strict=True),
                     lifts(groups, of="ill").tolist(), strict=True))  # fmt: skip
    for group, belief in alone_in_groups(read):
        for v, value in enumerate(domain.values):
            before = crowd.before[0, crowd.seen.values.index(value)]
            wanted = float(belief.get(str(value), Fraction(0))) / before
            assert abs(found.get((group, v), 0.0) - wanted) < 1e-9


def similar(seed: int) -> None:
    """Similarity: what is learned of a group the engine believes for certain, of all its people."""
    sample = sampled(seed, releases=1)
    if not (sample.apart and sample.complete):
        return
    pay = {"a": "10", "b": "12", "c": "90"}
    (table,) = sample.tables
    sample = replace(sample, tables=(table.assign(ill=table["ill"].map(pay)),))
    read = Read(sample)
    crowd, groups = read.crowd, read.releases[0].groups
    names = groups.domains["ill"].values
    covered = learned(groups, of="ill")
    for person in range(len(sample.people)):
        (group,) = read.places[0].of(person).tolist()
        if group in covered:
            belief = shares(crowd, crowd.low, person)
            assert abs(sum(belief.values()) - 1) < CLOSE
            inside = np.flatnonzero(covered[group]).tolist()
            assert belief.keys() <= {str(names[v]) for v in inside}


def minimal(seed: int) -> None:
    """Minimality = the worlds of the engine in which some class would have broken the promise.

    All worlds together are those of the engine; so what is certain there stays certain.
    """
    sample = sampled(seed, releases=1, people=5)
    ill = [value[0] for _, _, value in sample.people]
    x = [x for x, _, _ in sample.people]
    ages = sorted(set(x))
    rows = [{v: sum(a == age and i == v for a, i in zip(x, ill, strict=True)) for v in "abc"}
            for age in ages]  # fmt: skip
    classes = Groups.of({"ill": [{v: n for v, n in row.items() if n} for row in rows]})
    into = np.zeros(len(ages), np.int64)
    try:
        result = minimality(classes, into, of="ill", l=2)
    except DataError:
        return  # the release itself breaks the promise
    worlds = [dict(enumerate(world)) for world in {*permutations(ill)}]
    whole = Knowledge.of_groups(
        [[[ill.count(v) for v in "abc"]]], [[[0]] * len(ages)], people=[x.count(a) for a in ages]
    )
    engine = believed(whole)

    def share(of: list[dict[int, str]], age: int, value: str) -> Fraction:
        mine = [i for i, a in enumerate(x) if a == age]
        return Fraction(sum(world[i] == value for world in of for i in mine), len(of) * len(mine))

    broken = [
        world for world in worlds
        if any(2 * sum(world[i] == v for i, a in enumerate(x) if a == age) > x.count(age)
               for age in ages for v in "abc")
    ]  # fmt: skip
    for place, age in enumerate(ages):
        for v, value in enumerate("abc"):
            assert engine.between(place, v) == (share(worlds, age, value),) * 2
    for told in result.detail["worst"]:
        age = ages[told["class"]]
        assert abs(told["credibility"] - float(share(broken, age, told["value"]))) < CLOSE
        assert abs(told["share"] - float(share(worlds, age, told["value"]))) < CLOSE


RELATIONS: dict[str, Callable[[int], None]] = {
    one.__name__: one
    for one in (
        beliefs_of_all, bounded_beliefs, beliefs_of_one, gains_of_all, intersection, sequential,
        homogeneous, unsaid, ruled_out, known_people, skewed, similar, minimal,
    )
}  # fmt: skip


@pytest.mark.parametrize("seeds", [SEEDS, pytest.param(MORE, marks=pytest.mark.slow)])
@pytest.mark.parametrize("relation", RELATIONS)
def test_attacks_agree_with_all_worlds(relation: str, seeds: range) -> None:
    for seed in seeds[:: FEWER.get(relation, 1)]:
        try:
            RELATIONS[relation](seed)
        except AssertionError as error:
            raise AssertionError(f"{relation}, seed {seed}") from error


MISTAKES = {
    "join": ("beliefs_of_all", "gains_of_all"),
    "count": ("beliefs_of_all", "gains_of_all"),
    "overlap": ("beliefs_of_all", "intersection", "beliefs_of_one"),
    "release": ("beliefs_of_all", "gains_of_all"),
    "bound": ("bounded_beliefs",),
    "silence": ("unsaid",),
}
"""What an attack may forget, and the relations that notice."""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_noticed(monkeypatch: pytest.MonkeyPatch, mistake: str) -> None:
    read, crowd_of, located = SeenColumn.read, crowd_belief, locate

    def unjoined(releases: Any, of: str) -> SeenColumn:
        return read([replace(one, records=None) for one in releases], of)

    def uncounted(seen: SeenColumn, places: Any, **asked: Any) -> CrowdBelief:
        found = crowd_of(seen, places, **asked)
        return replace(found, low=found.alone, high=found.alone)

    def nowhere_else(release: Any, targets: Any) -> Located:
        found = located(release, targets)
        first = [found.of(t)[:1] for t in range(len(targets))]
        return Located(np.concatenate(([0], np.cumsum([*map(len, first)]))),
                       np.concatenate([np.zeros(0, np.int64), *first]))  # fmt: skip

    def first_only(seen: SeenColumn, places: Any, **asked: Any) -> CrowdBelief:
        one = replace(seen, histograms=seen.histograms[:1], looks=seen.looks[:1])
        return crowd_of(one, places[:1], **asked)

    def exchanged(knowledge: Knowledge) -> CountBounds:
        found = bounds(knowledge)
        return replace(found, most=found.least)

    here, there = __name__, "hedgerow.attacks.belief_attack"
    if mistake == "join":
        monkeypatch.setattr(SeenColumn, "read", unjoined)
    elif mistake == "overlap":
        monkeypatch.setattr(f"{here}.locate", nowhere_else)
    elif mistake == "silence":
        nothing = property(lambda found: np.zeros(len(found.seen.values), np.bool_))
        monkeypatch.setattr(CrowdBelief, "silent", nothing)
    elif mistake == "bound":
        monkeypatch.setattr("hedgerow.attacks.crowd_belief.bounds", exchanged)
    else:
        for module in (here, there):
            wrong = uncounted if mistake == "count" else first_only
            monkeypatch.setattr(f"{module}.crowd_belief", wrong)
    for relation in MISTAKES[mistake]:
        with pytest.raises(AssertionError, match="seed"):
            test_attacks_agree_with_all_worlds(relation, SEEDS)
