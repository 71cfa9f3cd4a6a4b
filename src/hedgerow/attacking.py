"""From releases and what an attacker may know to what the attacks find, readable top to bottom."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.inference import background_knowledge, homogeneity
from hedgerow.attacks.intersection import intersect
from hedgerow.attacks.labels import Values
from hedgerow.attacks.published import Published, Targets
from hedgerow.attacks.similarity import similarity
from hedgerow.attacks.skewness import skewness
from hedgerow.attacks.taxonomies import nodes_of, specs_of
from hedgerow.errors import PlanError, nearest, some
from hedgerow.groups import Groups
from hedgerow.plan import Plan


@dataclass(frozen=True, eq=False)
class Assault:
    """What is attacked, and what the attacker holds."""

    releases: tuple[Published, ...]
    targets: Targets | None
    """People the attacker looks for."""
    truth: Targets | None
    """The original people with their sensitive values, to score guesses by."""
    control: Targets | None
    """People who are in none of the releases."""
    register: Targets | None
    """An identified list that the attacker has."""
    of: tuple[str, ...]
    """The sensitive columns that are asked about."""
    seed: int


def attack(
    releases: Sequence[Any],
    *,
    know: Mapping[str, str] | None = None,
    register: Any = None,
    truth: Any = None,
    control: Any = None,
    sensitive: Sequence[str] | None = None,
    of: str | None = None,
    taxonomies: Mapping[str, str | Path] | None = None,
    plan: Plan | str | Path | None = None,
    methods: Sequence[str] | None = None,
    seed: int = 0,
) -> tuple[AttackResult, ...]:
    """Attack one or more releases of the same people.

    Args:
        releases: Folders of releases, files made by any tool, or tables.
        know: What is known of one person: column -> value.
        register: An identified list of people: a file or a table.
        truth: The original table: its people are the targets, its values score the guesses.
        control: People who are in none of the releases, for comparison.
        sensitive: The sensitive columns, where no certificate says which.
        of: The one that is asked about; all of them if left out.
        taxonomies: Column -> hierarchy file, where labels are nodes of it.
        plan: The plan the releases were made with: it says hierarchies, and the truth where
            none is given.
        methods: Names of attacks; all that apply if left out.
        seed: Of attacks that draw guesses.

    Raises:
        DataError: A release cannot be read, or they have nothing in common.
        PlanError: There is no such attack, or it needs what was not given.
    """
    read = Plan.read(plan) if isinstance(plan, str | Path) else plan
    published = read_releases(releases, sensitive=sensitive, taxonomies=taxonomies, plan=read)
    if truth is None and read is not None:
        truth = read.source
    original = None if truth is None else Targets.read(truth)
    listed = None if register is None else Targets.read(register)
    people = original if listed is None else listed
    if know:
        people = Targets.of({column: [value] for column, value in know.items()})
    assault = Assault(
        published,
        people,
        None if know else original,
        None if control is None else Targets.read(control),
        listed,
        _asked(published, of),
        seed,
    )
    chosen = _chosen(methods)
    results = [result for name in chosen for result in METHODS[name](assault)]
    if methods and not results:
        raise PlanError(
            f"{some(methods)} cannot be tried with what was given",
            fix="See docs/attacks.md for what each attack needs.",
        )
    return tuple(results)


def read_releases(
    releases: Sequence[Any],
    *,
    sensitive: Sequence[str] | None = None,
    taxonomies: Mapping[str, str | Path] | None = None,
    plan: Plan | str | Path | None = None,
    names: Sequence[str] | None = None,
) -> tuple[Published, ...]:
    """The releases as an attacker holds them; the arguments are those of `attack`."""
    read = Plan.read(plan) if isinstance(plan, str | Path) else plan
    specs = specs_of(read, taxonomies or {})
    nodes = {column: nodes_of(spec.bind(column, [])) for column, spec in specs.items()}
    found = []
    for i, release in enumerate(releases):
        name = None if names is None else names[i]
        published = Published.read(release, sensitive=sensitive, taxonomies=nodes, name=name)
        for column, spec in specs.items():
            published = published.with_taxonomy(column, spec)
        found.append(published)
    return tuple(found)


def _asked(published: Sequence[Published], of: str | None) -> tuple[str, ...]:
    if of is not None:
        return (of,)
    first = published[0].sensitive if published else ()
    return tuple(name for name in first if all(name in p.sensitive for p in published))


def _chosen(methods: Sequence[str] | None) -> Sequence[str]:
    for name in methods or ():
        if name not in METHODS:
            near = nearest(name, list(METHODS))
            raise PlanError(
                f"there is no attack {name!r}",
                fix=f"Did you mean {near!r}?" if near else f"There are {some(METHODS, most=99)}.",
            )
    return methods or list(METHODS)


def _intersection(a: Assault) -> Iterator[AttackResult]:
    if a.targets is None:
        return
    for of in a.of:
        found = intersect(a.releases, a.targets, of=of)
        truth = a.targets.column(of) if a.truth is not None and of in a.targets.columns else None
        yield found.result(truth)


def _by_group(
    guess: Callable[..., AttackResult],
) -> Callable[[Assault], Iterator[AttackResult]]:
    """An attack on the groups of each release by itself."""

    def run(a: Assault) -> Iterator[AttackResult]:
        for published in a.releases:
            for of in a.of:
                yield _on(published, guess(published.groups, of=of))

    return run


def _on(published: Published, result: AttackResult) -> AttackResult:
    """The result, with the release's name and its groups' published values in it."""

    def described(match: re.Match[str]) -> str:
        return f"the group {published.described(int(match[1]))}"

    sentences = tuple(re.sub(r"\bgroup (\d+)\b", described, text) for text in result.sentences)
    return replace(result, sentences=sentences, detail={"release": published.name, **result.detail})


def _similarity(a: Assault) -> Iterator[AttackResult]:
    for published in a.releases:
        for of in a.of:
            if _comparable(published.groups, of):
                yield _on(published, similarity(published.groups, of=of))


def _comparable(groups: Groups, of: str) -> bool:
    """Whether values can be alike: by a taxonomy, or as numbers."""
    domain = groups.domains[of]
    numbers = Values(domain.values).numbers
    return bool(domain.levels) or not np.isnan(numbers).all()


METHODS: Mapping[str, Callable[[Assault], Iterator[AttackResult]]] = {
    "homogeneity": _by_group(homogeneity),
    "background-knowledge": _by_group(background_knowledge),
    "similarity": _similarity,
    "skewness": _by_group(skewness),
    "intersection": _intersection,
}
"""Attacks on releases, in the order they are tried."""
