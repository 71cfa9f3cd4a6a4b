"""Attacks on releases of people in groups, by name: what each needs of what the attacker holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.classes import classes_of
from hedgerow.attacks.descriptions import secret_codes
from hedgerow.attacks.fuzzy import Edits
from hedgerow.attacks.gdpr import gdpr
from hedgerow.attacks.inference import background_knowledge, homogeneity
from hedgerow.attacks.intersection import intersect
from hedgerow.attacks.joined_releases import join, unjoined
from hedgerow.attacks.linkage import Links, link
from hedgerow.attacks.minimality import minimality
from hedgerow.attacks.outside import outside
from hedgerow.attacks.overlap import Overlap
from hedgerow.attacks.sequential import sequential
from hedgerow.attacks.similarity import similarity
from hedgerow.attacks.skewness import skewness
from hedgerow.base.errors import DataError
from hedgerow.table.groups import PEOPLE, Groups
from hedgerow.table.labels import RawValues
from hedgerow.table.location import Located, doubtful, locate, told_labels
from hedgerow.table.published_table import Published
from hedgerow.table.release_source import SYNTHETIC
from hedgerow.table.targets import Targets

Fuzz = float | Edits


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
    registers: tuple[Targets, ...]
    """Identified lists that the attacker has: one, or one for each release."""
    located: tuple[Located, ...]
    """Where the targets may be in each release."""
    of: tuple[str, ...]
    """The sensitive columns that are asked about."""
    seed: int
    l: float | None = None  # noqa: E741 - the paper's name
    """The diversity the publisher is known to have asked for."""
    fuzzy: Mapping[str, Fuzz] = field(default_factory=dict)
    """How far what the attacker knows may be off, by column."""
    overlaps: tuple[Overlap, ...] = ()
    """How many of those in the first release are in the others too; everybody, if left out."""
    joining: bool = False
    """Whether an attack that joins records is tried too."""
    unit: str = PEOPLE
    """What the targets are: people, or rows of people who may have several."""


def _intersection(a: Assault) -> Iterator[AttackResult]:
    if a.targets is None or _made_up(a):
        return
    for of in a.of:
        found = intersect(a.releases, a.located, of=of)
        scored = a.truth is not None and of in a.targets.columns
        true = a.targets.column(of) if scored else None
        result = found.result(true, overlaps=a.overlaps, unit=a.unit)
        # Where nobody is scored, a success is that one value is left; of strangers it is wrong.
        control = outside("intersection", a.releases, a.control, of=of) if scored else None
        missed = () if a.joining or len(a.releases) < 2 else unjoined(a.releases, of)
        yield _untried(replace(result, control=control), missed)


def _untried(result: AttackResult, what: Sequence[str]) -> AttackResult:
    """The result, which says what was not tried."""
    if not what:
        return result
    notes = [f"Not tried: {one}." for one in what]
    return replace(
        result,
        sentences=(*result.sentences, *notes),
        detail={**result.detail, "not_tried": list(what)},
    )


def _by_group(
    guess: Callable[..., AttackResult],
) -> Callable[[Assault], Iterator[AttackResult]]:
    """An attack on the groups of each release by itself."""

    def run(a: Assault) -> Iterator[AttackResult]:
        for published in a.releases if not _made_up(a) else ():
            for of in a.of:
                yield _against(
                    a, published, guess(published.groups, of=of, unit=published.unit), of
                )

    return run


def _against(a: Assault, published: Published, result: AttackResult, of: str) -> AttackResult:
    """The result of an attack on groups, next to what it says of people who are not in them."""
    control = outside(result.attack, [published], a.control, of=of)
    return replace(_on(published, result), control=control)


def _made_up(a: Assault) -> bool:
    """Whether rows are nobody's: then no group of them is a group of people."""
    return any(published.made == SYNTHETIC for published in a.releases)


_NUMBERED = re.compile(r"([A-Z][A-Za-z, ]*\b)group (\d+)\b")
"""How sentences begin that are about one group; what is data comes after its number."""


def _on(published: Published, result: AttackResult) -> AttackResult:
    """The result of an attack on groups, with the release's name and its published values."""
    worst = result.detail.get("worst") or [{}]

    def described(text: str) -> str:
        found = _NUMBERED.match(text)
        if found is None or found[2] != str(worst[0].get("group")):
            return text
        return f"{found[1]}the group {published.described(int(found[2]))}{text[found.end() :]}"

    notes = [
        f"Every record has its own {name}, so every group is one record. If {name} is a row "
        "number or a name, say which columns are quasi-identifiers."
        for name in published.numbering
        if published.made is None
    ]
    sentences = (*map(described, result.sentences), *notes, *published.remarks)
    return _of(published, replace(result, sentences=sentences))


def _of(published: Published, result: AttackResult, located: Located | None = None) -> AttackResult:
    """The result, with the release's name, and what was not understood of its labels."""
    detail = {"release": published.name, **result.detail}
    if located is None:
        return replace(result, detail=detail)
    return replace(
        result,
        sentences=(*result.sentences, *told_labels(published, located)),
        detail=detail | doubtful([published], [located]),
    )


def _understood(published: Published, people: Targets) -> Located | None:
    """How the labels are read for these people, without looking for them."""
    if published.located == "nearest":
        return None
    return locate(published, people.take(np.arange(0)))


def _similarity(a: Assault) -> Iterator[AttackResult]:
    for published in a.releases if not _made_up(a) else ():
        for of in a.of:
            if _comparable(published.groups, of):
                found = similarity(published.groups, of=of, unit=published.unit)
                yield _against(a, published, found, of)


def _comparable(groups: Groups, of: str) -> bool:
    """Whether values can be alike: by a taxonomy, or as numbers."""
    domain = groups.domains[of]
    numbers = RawValues(domain.values).numbers
    return bool(domain.levels) or not np.isnan(numbers).all()


def _linkage(a: Assault) -> Iterator[AttackResult]:
    for i, published in enumerate(a.releases if a.registers and not _made_up(a) else ()):
        register = a.registers[i % len(a.registers)]
        hidden = [c for c in register.columns if c not in published.quasi]
        name = hidden[0] if hidden else None
        result = link(published, register, name=name, fuzzy=a.fuzzy or None)
        result = _with_strangers(published, result, a.control)
        yield _of(published, result, _understood(published, register))


def _with_strangers(
    published: Published, result: AttackResult, control: Targets | None
) -> AttackResult:
    """The result, with how many people who are not in the release would be found in it."""
    if control is None or not set(published.quasi) & {*control.columns}:
        return result
    records = Links.between(published, control).records
    taken = int((records == 1).sum())
    note = f"Of {len(control):,} people who are not in the release {taken:,} fit one record only."
    return replace(
        result,
        sentences=(*result.sentences, note),
        detail={**result.detail, "outsiders": {"people": len(control), "fit_one": taken}},
    )


def _gdpr(a: Assault) -> Iterator[AttackResult]:
    if a.truth is None:
        return
    for published in a.releases:
        for of in a.of or (None,):
            if of is None or of in a.truth.columns:
                read = _understood(published, a.truth)
                for result in gdpr(published, a.truth, a.control, secret=of, seed=a.seed):
                    if result.attack == "inference" and of is not None:
                        result = _with_unknown(published, result, a.truth, of)
                    if published.made == SYNTHETIC:
                        result = _of_noise(result)
                    yield _of(published, result, read)


def _of_noise(result: AttackResult) -> AttackResult:
    """The result for rows that are nobody's: a right guess is no knowledge of a person."""
    note = "The rows are made up from counts with noise: what they say of a person is a guess."
    return replace(result, gains=None, sentences=(*result.sentences, note))


def _with_unknown(
    published: Published, result: AttackResult, people: Targets, of: str
) -> AttackResult:
    """The result, with how many of the guesses could not be right: no record has the value."""
    known = secret_codes(published.groups.domains[of].values, people, of) >= 0
    share = 1 - float(known.mean())
    detail = {**result.detail, "true_value_unknown": round(share * result.found.guesses)}
    if known.all():
        return replace(result, detail=detail)
    return replace(
        result,
        sentences=(
            *result.sentences,
            f"The true {of} of {int((~known).sum()):,} people is not in the release; it may be "
            "spelled otherwise.",
        ),
        detail=detail,
    )


def _sequential(a: Assault) -> Iterator[AttackResult]:
    if a.targets is None or len(a.releases) < 2 or _made_up(a):
        return
    groups = [published.groups for published in a.releases]
    notes = [
        note
        for published, where in zip(a.releases, a.located, strict=True)
        for note in told_labels(published, where)
    ]
    for of in a.of:
        joined, missed = join(a.releases, a.located, of)
        scored = a.truth is not None and a.targets is a.truth and of in a.targets.columns
        found = sequential(
            groups, a.located, of=of, who=a.targets.described, joined=joined,
            truth=a.targets.column(of) if scored else None,
        )  # fmt: skip
        found = replace(
            found,
            sentences=(*found.sentences, *notes),
            detail={**found.detail, **doubtful(a.releases, a.located)},
        )
        yield _untried(found, missed)


def _minimality(a: Assault) -> Iterator[AttackResult]:
    """Needs everybody in the release, and the requirement: `know` l."""
    if a.truth is None or a.l is None or _made_up(a):
        return
    for published in a.releases:
        for of in a.of:
            if of in a.truth.columns:
                classes = classes_of(published, a.truth, of)
                # Full-domain levels are raised for everybody if some class somewhere needs it.
                how: Any = "global" if published.made == "full-domain" else "local"
                if classes.left_out and (how == "global" or classes.merged == 0):
                    raise DataError(
                        f"{classes.left_out:,} of {len(published):,} groups have other records "
                        "than those of the people who fit only them, so nobody knows who was "
                        "merged",
                        where=published.name,
                        fix="Either people fit several groups, and then the attack cannot be "
                        "tried; or the truth is not the original of this release.",
                    )
                found = minimality(classes.groups, classes.into, of=of, l=a.l, recoding=how)
                yield _of(published, classes.told(found), classes.located)


METHODS: Mapping[str, Callable[[Assault], Iterator[AttackResult]]] = {
    "homogeneity": _by_group(homogeneity),
    "background-knowledge": _by_group(background_knowledge),
    "similarity": _similarity,
    "skewness": _by_group(skewness),
    "linkage": _linkage,
    "gdpr": _gdpr,
    "intersection": _intersection,
    "sequential": _sequential,
    "minimality": _minimality,
}
"""Attacks on releases, in the order they are tried."""
WHEN_ASKED = ("gdpr", "sequential", "minimality")
"""Those that are tried only where they are asked for: they need more, or repeat others."""
