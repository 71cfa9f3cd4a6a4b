"""Losers: the people about whom attackers gain most, and which release or group does it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from hedgerow.attacks.crowd_belief import CrowdBelief, crowd_belief
from hedgerow.attacks.crowd_rows_belief import crowd_of_rows
from hedgerow.attacks.person_scene import SeenColumn
from hedgerow.attacks.row_owners import RowOwners
from hedgerow.base.spelling import likeness
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.labels import Value
from hedgerow.table.location import Located
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

SHOWN = 10
"""Kinds of people that are listed."""
WIDEST, FIRST = 60, 3
"""Letters of a label that are shown, and values of a longer list."""
NEAR = 1e-9
"""Beliefs that are so near to each other count as equal here."""
THE_PERSON, EVERYBODY = "the person", "everybody"


@dataclass(frozen=True)
class FittingGroup:
    """The groups of a release that fit somebody: one as it is published, and how many."""

    release: str
    group: str
    rows: int
    """In all of them."""
    groups: int

    def summary(self) -> dict[str, Any]:
        return {
            "release": self.release, "group": self.group, "rows": self.rows, "groups": self.groups
        }  # fmt: skip


@dataclass(frozen=True)
class Loser:
    """Somebody, and the belief in a value of theirs."""

    person: Mapping[str, Value]
    """What picks them from the list."""
    alike: int
    """How many there are of whom the same is said, themselves included."""
    value: Value
    true: bool
    """Whether it is theirs; else the list does not say, and it is the one most is gained in."""
    before: float
    each: tuple[float, ...]
    """With each release alone."""
    without: tuple[float, ...]
    """With all others but one."""
    together: float
    """With all of them."""
    least: bool
    """Whether it was not counted, and is at least so much."""
    knowing: str
    """Whom the attacker knows."""
    gain: float
    releases: tuple[str, ...]
    where: tuple[FittingGroup, ...]
    """In the releases that they fit."""

    @property
    def steps(self) -> tuple[float, ...]:
        """By how much the belief is larger with each release than with the others."""
        return tuple(self.together - without for without in self.without)

    @property
    def alone(self) -> bool:
        """Whether one release by itself makes them believe so much."""
        return max(self.each) >= self.together - NEAR

    @property
    def release(self) -> str:
        """The release that does it: alone, or by the largest step; the first among equals."""
        most = self.each if self.alone else self.steps
        top = max(most)
        return next(
            name for name, one in zip(self.releases, most, strict=True) if one >= top - NEAR
        )

    @property
    def group(self) -> FittingGroup | None:
        """Where they are in it."""
        return next((one for one in self.where if one.release == self.release), None)

    @property
    def called(self) -> str:
        """In words."""
        known = ", ".join(f"{c} {'missing' if v is None else v}" for c, v in self.person.items())
        more = self.alike - 1
        if not more:
            return known
        return f"{known} and {'1 other' if more == 1 else f'{more:,} others'}"

    @property
    def why(self) -> str:
        """Which release does it, in words."""
        if len(self.releases) == 1:
            return self._at
        if self.alone:
            return f"{self.release} alone: {self._at}" if self._at else f"{self.release} alone"
        steps = sorted(self.steps, reverse=True)
        if steps[0] - steps[1] <= NEAR:
            return "both together" if len(self.releases) == 2 else "several together"
        return f"{self.release} most: {self._at}" if self._at else f"{self.release} most"

    @property
    def _at(self) -> str:
        where = self.group
        if where is None:
            return ""
        rows = "1 row" if where.rows == 1 else f"{where.rows:,} rows"
        if where.groups > 1:
            return f"{rows} of {where.groups:,} groups"
        return f"{rows} {where.group}"

    @property
    def sentence(self) -> str:
        """What is believed, release by release."""
        said = "missing" if self.value is None else self.value
        alone = [f"{share:.1%} with {name} alone"
                 for name, share in zip(self.releases, self.each, strict=True)]  # fmt: skip
        steps = alone if len(self.releases) > 1 else []
        all_ = {1: "the release", 2: "both"}.get(len(self.releases), "all")
        so = f"{'at least ' if self.least else ''}{self.together:.1%} with {all_}"
        path = ", ".join([f"{self.before:.1%} before", *steps, so])
        return f"{self.called}: {said}, {path} ({self.why})."

    def summary(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "person": dict(self.person), "called": self.called, "alike": self.alike,
            "value": self.value, "true": self.true, "before": self.before,
            "each": [{"release": name, "alone": one, "without": rest}
                     for name, one, rest in zip(self.releases, self.each, self.without,
                                                strict=True)],
            "together": self.together, "at_least": self.least,
            "knowing": self.knowing, "gain": self.gain,
            "release": self.release, "by_itself": self.alone, "why": self.why,
            "groups": [one.summary() for one in self.where],
        }  # fmt: skip


def losers(
    found: CrowdBelief,
    gain: Floats,
    value: Ints,
    *,
    releases: Sequence[Published],
    places: Sequence[Located],
    people: Targets,
    scored: bool,
    owners: RowOwners | None = None,
    most: int = SHOWN,
) -> tuple[Loser, ...]:
    """The people about whom most is gained.

    Args:
        found: What is believed of everybody, given all releases.
        gain: Of each person; 0 of people of whom nothing is told.
        value: Of each person, the value that it is about.
        releases: All of them,
        places: and where everybody may be in each.
        people: Everybody, or their rows.
        scored: Whether the values are known to be true.
        owners: Whose each row is, where people may have several.
        most: How many kinds of people are told.
    """
    first, alike = _worst(found, gain, value, most)
    if not len(first):
        return ()
    names = short_names([one.name for one in releases])
    every = [*range(len(releases))]

    def belief(chosen: Sequence[int]) -> Floats:
        some_of = [releases[j] for j in chosen], [places[j] for j in chosen]
        return _belief(*some_of, found, first, value[first], owners)

    each = [belief([j]) for j in every]
    before = found.before[found.kind[first], value[first]]
    without = [
        belief([i for i in every if i != j])
        if len(every) > 2 else before if len(every) == 1 else each[1 - j]
        for j in every
    ]  # fmt: skip
    told = []
    for i, (t, many) in enumerate(zip(first.tolist(), alike.tolist(), strict=True)):
        k, v = int(found.kind[t]), int(value[t])
        listed = found.low[k, v] > found.alone[k, v] + NEAR
        told.append(
            Loser(
                _selector(people, releases, t) if owners is None else owners.selector(t),
                many,
                found.seen.values[v],
                scored,
                float(found.before[k, v]),
                tuple(float(one[i]) for one in each),
                tuple(float(one[i]) for one in without),
                float(found.sure[k, v]),
                bool(listed and not found.exact[k]),
                EVERYBODY if listed else THE_PERSON,
                float(gain[t]),
                tuple(names),
                tuple(
                    _where(
                        names,
                        releases,
                        [one.of(t) if owners is None else owners.groups(one, t) for one in places],
                    )
                ),
            )
        )
    return tuple(told)


def _worst(found: CrowdBelief, gain: Floats, value: Ints, most: int) -> tuple[Ints, Ints]:
    """One person of each kind about whom most is gained, and how many there are of each.

    Among equals those whose value was least likely before.
    """
    who = np.flatnonzero(gain > 0)
    key = found.kind[who] * len(found.seen.values) + value[who]
    _, first, alike = np.unique(key, return_index=True, return_counts=True)
    order = np.lexsort(
        (who[first], found.before[found.kind[who[first]], value[who[first]]], -gain[who[first]])
    )[:most]
    return who[first[order]], alike[order].astype(np.int64)


def _belief(
    releases: Sequence[Published],
    places: Sequence[Located],
    whole: CrowdBelief,
    people: Ints,
    values: Ints,
    owners: RowOwners | None,
) -> Floats:
    """What is believed of these people with some of the releases; what was before, with none.

    Args:
        releases: Some,
        places: and where everybody may be in them.
        whole: What is believed with all of them.
        people: Who is asked about,
        values: and the value of each.
        owners: Whose each row is, where people may have several.
    """
    seen = SeenColumn.read(releases, whole.seen.of).expected_as(whole.seen)
    found = (crowd_belief(seen, places, only=people) if owners is None
             else crowd_of_rows(seen, places, owners, only=people))  # fmt: skip
    place = {likeness(value): v for v, value in enumerate(seen.values)}
    belief = np.zeros(len(people))
    for i, (t, v) in enumerate(zip(people.tolist(), values.tolist(), strict=True)):
        k = int(found.kind[t])
        mine = place.get(likeness(whole.seen.values[v]))
        if not found.present[k]:
            belief[i] = whole.before[whole.kind[t], v]
        elif mine is not None:
            belief[i] = found.sure[k, mine]
    return belief


def _selector(people: Targets, releases: Sequence[Published], person: int) -> Mapping[str, Value]:
    """What picks somebody from the list: a name if that does, then what outsiders know of them."""
    quasi = {column for one in releases for column in one.quasi}
    sensitive = {column for one in releases for column in one.sensitive}
    others = [c for c in range(len(people.columns)) if people.columns[c] not in quasi | sensitive]
    name = max(others, key=lambda c: len(people.values[c]), default=-1)
    order = sorted(
        people.columns,
        key=lambda c: (people.columns.index(c) != name, c in sensitive, c not in quasi),
    )
    same = np.ones(len(people), np.bool_)
    chosen: dict[str, Value] = {}
    for column in order:
        if same.sum() == 1:
            break
        codes = people.codes[:, people.columns.index(column)]
        narrower = same & (codes == codes[person])
        if narrower.sum() < same.sum():
            chosen[column] = people.value(column, person)
        same = narrower
    return chosen or {order[0]: people.value(order[0], person)}


def _where(
    names: Sequence[str], releases: Sequence[Published], fits: Sequence[Ints]
) -> Iterator[FittingGroup]:
    """The groups of each release that fit somebody."""
    for name, release, groups in zip(names, releases, fits, strict=True):
        if len(groups):
            rows = int(release.groups.n[groups].sum())
            yield FittingGroup(name, told_group(release, int(groups[0])), rows, len(groups))


def told_group(release: Published, group: int) -> str:
    """A group as it is published; of a long list of values the first ones."""
    return release.described(group, told=_short)


def _short(label: Value) -> str:
    """A label that fits into a line.

    >>> _short("30-39"), _short("{" + ", ".join(map(str, range(100, 200))) + "}")
    ('30-39', '{100, 101, 102, … 100 values}')
    """
    text = "missing" if label is None else label
    if len(text) <= WIDEST:
        return text
    values = text.strip("{}").split(", ")
    if text.startswith("{") and len(values) > FIRST:
        return f"{{{', '.join(values[:FIRST])}, … {len(values):,} values}}"
    return f"{text[: WIDEST - 1]}…"


def short_names(names: Sequence[str]) -> list[str]:
    """Names of releases without their folders, where they differ then.

    >>> short_names(["a/gotham/release", "a/county/release"]), short_names(["a/x.csv", "b/x.csv"])
    (['gotham', 'county'], ['a/x.csv', 'b/x.csv'])
    """
    paths = [PurePath(name) for name in names]
    short = [one.parent.name if one.name == "release" and one.parent.name else one.name
             for one in paths]  # fmt: skip
    if len(set(short)) == len(short):
        return short
    if len(set(names)) == len(names):
        return list(names)
    return [f"{name} {i}" for i, name in enumerate(names, start=1)]
