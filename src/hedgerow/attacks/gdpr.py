"""The three risks of European data protection: singling out, linkability, inference.

Anonymous is a release only if nobody can be singled out, records about one person cannot be
linked, and nothing can be inferred about a person (Article 29 Working Party, Opinion 05/2014,
WP216). Each is an attack with guesses. It is measured against people who are not in the release
(the control), where the steward has any: what holds for them too is knowledge about the
population, not about those in the release. Without a control it is measured against the baseline.

For singling out and linkability the baseline is the same attack on the release with each column
shuffled by itself: somebody who knows which values there are and how frequent each is, but
nothing of how they go together.

Reference: Giomi, Boenisch, Wehmeyer, Tasnádi: A unified framework for quantifying privacy risk in
synthetic data (PoPETs 2023).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.intersection import intersect
from hedgerow.attacks.links import Links
from hedgerow.attacks.record_descriptions import described, secret_codes
from hedgerow.attacks.release_columns import only, projected, shuffled, uncovered
from hedgerow.base.errors import DataError, PlanError, nearest, some
from hedgerow.table.groups import Ints
from hedgerow.table.location import Located, locate
from hedgerow.table.pack import distinct
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

GUESSES = 1_000
AS_MANY = 0.99
"""People of a control, as a share of the original's, from which on they count as as many."""
Seed = int | np.random.Generator
Halves = tuple[Sequence[str], Sequence[str]]


def gdpr(
    published: Published,
    original: Targets,
    control: Targets | None = None,
    *,
    secret: str | None = None,
    halves: Halves | None = None,
    guesses: int = GUESSES,
    seed: Seed = 0,
) -> tuple[AttackResult, ...]:
    """Singling out, linkability and inference, in this order.

    With one quasi-identifier there are no two halves to link: linkability is left out, and what
    is said of singling out ends with that. Without a sensitive column there is no inference.

    Args:
        published: The release.
        original: The people it was made from, with quasi-identifiers and the secret.
        control: People of the same kind who are not in it.
        secret: A sensitive column of the release; may be left out if there is one only.
        halves: Two sets of columns somebody holds apart; by default the first and the second
            half of the quasi-identifiers.
        guesses: How many each attack makes; fewer where there are fewer people or records.
        seed: Of the choice of targets and guesses.

    Raises:
        DataError: Columns are missing.
    """
    rng = np.random.default_rng(seed)
    single = singling_out(published, original, control, secret=secret, guesses=guesses, seed=rng)
    shared = single.detail["columns"]
    if halves is None and len(shared) == 1:
        found = [replace(single, sentences=(
            *single.sentences,
            f"Linkability was not tried: it takes two quasi-identifiers, and of these people only "
            f"{shared[0]!r} is known.",
        ))]  # fmt: skip
    else:
        found = [
            single,
            linkability(published, original, control, halves=halves, guesses=guesses, seed=rng),
        ]
    if secret is None and not published.sensitive:
        return tuple(found)
    inferred = inference(published, original, control, secret=secret, guesses=guesses, seed=rng)
    return (*found, inferred)


def singling_out(
    published: Published,
    original: Targets,
    control: Targets | None = None,
    *,
    secret: str | None = None,
    guesses: int = GUESSES,
    seed: Seed = 0,
) -> AttackResult:
    """Describe somebody so that nobody else fits.

    Knows: The release.
    Success: Exactly one person of the original fits the description. A description is a
        conjunction of published quasi-identifiers of a random record, as many, in random order,
        as leave no other record of the release (all, where others always remain).
    Baseline: The same on the release with shuffled columns.
    Control: Exactly one person of the control fits it. One of many and one of few are different
        things: a control that is larger than the original is cut to its size, and of one that
        is smaller the share is told (`smaller_control`) but the gain is over the baseline.
    Reference: WP216, Section 2.2.1; Giomi et al. 2023, Section 5.1.

    The detail `with_secret` says how often it succeeds where descriptions also name the secret.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["28", "28", "33"], "disease": ["flu", "ulcer", "flu"]})
    >>> release = Published.read(table, sensitive=["disease"])
    >>> people = Targets.of({"age": ["28", "28", "33"], "disease": ["flu", "ulcer", "flu"]})
    >>> result = singling_out(release, people)
    >>> result.found.successes, result.detail["with_secret"]["found"]
    (1, 1.0)
    """
    rng = _started(original, control, guesses, seed)
    shared = _shared(published, original, control)
    if secret is not None or len(published.sensitive) == 1:
        secret = _secret(published, original, control, secret)
    tables = [original]
    if control is not None:
        size = min(len(control), len(original))
        tables.append(control.take(np.sort(rng.choice(len(control), size, replace=False))))
    release = projected(published, shared)
    made, found, outside = described(release, tables, None, guesses, rng)
    _, baseline, _ = described(shuffled(release, rng), [original], None, guesses, rng)
    detail: dict[str, Any] = {"release": published.name, "columns": shared} | made
    others = "" if control is None else f"{len(tables[1]):,} people who are not in the release"
    said = [_said("descriptions taken from the release fit exactly one person of the original",
                  found, baseline, outside, f"exactly one of {others}")]  # fmt: skip
    if outside is not None and len(tables[1]) < AS_MANY * len(original):
        said.append(
            f"The control has {len(tables[1]):,} people only, the original {len(original):,}: "
            "among fewer people it is another thing to be the only one, and the gain is over "
            "guessing."
        )
        detail["smaller_control"] = {"people": len(tables[1]), "rate": outside.value}
        outside, tables = None, [original]
    if secret is not None:
        _, named, named_outside = described(release, tables, secret, guesses, rng)
        detail["with_secret"] = {
            "found": named.value,
            "control": None if named_outside is None else named_outside.value,
        }
        said.append(f"Where they name {secret!r} too, {named.value:.1%} do.")
    return AttackResult(
        attack="singling-out",
        goal="a description fits exactly one person of the original",
        found=found,
        baseline=baseline,
        control=outside,
        sentences=tuple(said),
        detail=detail,
    )


def linkability(
    published: Published,
    original: Targets,
    control: Targets | None = None,
    *,
    halves: Halves | None = None,
    guesses: int = GUESSES,
    seed: Seed = 0,
) -> AttackResult:
    """Join two halves of what is known of a person.

    Knows: Some columns of the target from one place, others from another.
    Success: Exactly one record of the release fits both halves, so that it joins them.
    Baseline: The same on the release with shuffled columns.
    Control: The same for people of the control.
    Reference: WP216, Section 2.2.2; Giomi et al. 2023, Section 5.2.

    The detail `halves_of_two_people` says how often halves of different people would be joined
    too.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["28", "28", "33"], "zip": ["1", "2", "1"], "ill": ["a"] * 3})
    >>> people = Targets.of({"age": ["28", "28", "33"], "zip": ["1", "2", "1"]})
    >>> linkability(Published.read(table, sensitive=["ill"]), people).found.successes
    3
    """
    rng = _started(original, control, guesses, seed)
    shared = _shared(published, original, control)
    a, b = _halves(shared, halves, published.name)
    release = projected(published, [*a, *b])
    people = _chosen(original, guesses, rng)

    def joined(release: Published, people: Targets) -> Rate:
        one = _fitting_both(release, people, a, b) == 1
        return Rate(successes=int(one.sum()), guesses=len(people))

    found = joined(release, people)
    baseline = joined(shuffled(release, rng), people)
    outside = None if control is None else joined(release, _chosen(control, guesses, rng))
    codes = people.codes.copy()
    places = [people.columns.index(name) for name in b]
    codes[:, places] = np.roll(codes[:, places], 1, axis=0)
    mixed = joined(release, replace(people, codes=codes))
    return AttackResult(
        attack="linkability",
        goal="exactly one record fits both halves of what is known of the target",
        found=found,
        baseline=baseline,
        control=outside,
        sentences=(
            _said(f"people have exactly one record that joins their {_listed(a)} to their "
                  f"{_listed(b)}", found, baseline, outside),
            f"Halves of two different people would be joined in {mixed.value:.1%} of cases.",
        ),
        detail={"release": published.name, "halves": [list(a), list(b)],
                "halves_of_two_people": mixed.value},
    )  # fmt: skip


def inference(
    published: Published,
    original: Targets,
    control: Targets | None = None,
    *,
    secret: str | None = None,
    guesses: int = GUESSES,
    seed: Seed = 0,
) -> AttackResult:
    """Guess a secret from the records that fit.

    Knows: The target's quasi-identifiers.
    Success: The secret is the most frequent value among the records the target fits (of equally
        frequent ones, and where no record fits, the one that is most frequent in the release).
    Baseline: The most frequent value of the whole release.
    Control: The same guesses for people of the control.
    Gains: Those of everybody of the original who fits a record, however many guesses are drawn.
    Reference: WP216, Section 2.2.3; Giomi et al. 2023, Section 5.3.

    >>> import pyarrow as pa
    >>> known = {"age": ["28", "28", "33"], "disease": ["flu", "ulcer", "ulcer"]}
    >>> release = Published.read(pa.table(known), sensitive=["disease"])
    >>> result = inference(release, Targets.of(known))
    >>> result.found.successes, result.baseline.successes
    (2, 2)
    """
    rng = _started(original, control, guesses, seed)
    shared = _shared(published, original, control)
    secret = _secret(published, original, control, secret)
    release = projected(published, shared)
    usual = int(np.argmax(release.groups.domains[secret].reference))

    def right(people: Targets) -> tuple[Rate, Rate]:
        own = secret_codes(release.groups.domains[secret].values, people, secret)
        guess = _majority(release, people, secret)
        return (
            Rate(successes=int((guess == own).sum()), guesses=len(own)),
            Rate(successes=int((own == usual).sum()), guesses=len(own)),
        )

    found, baseline = right(_chosen(original, guesses, rng))
    outside = None if control is None else right(_chosen(control, guesses, rng))[0]
    value = release.groups.domains[secret].values[usual]
    everybody = intersect([release], only(original, [*release.quasi, secret]), of=secret)
    return AttackResult(
        attack="inference",
        goal=f"the target's {secret!r} is named",
        found=found,
        baseline=baseline,
        control=outside,
        gains=everybody.gains(everybody.codes_of(original.column(secret))),
        sentences=(_said(f"guesses at {secret!r} are right", found, baseline, outside),),
        detail={
            "release": published.name,
            "of": secret,
            "columns": shared,
            "secret": secret,
            "most_frequent": value,
        },
    )


def _fitting_both(release: Published, people: Targets, a: Sequence[str], b: Sequence[str]) -> Ints:
    """For each person, the records that fit both halves."""
    if release.located == "box":
        # Fitting one half and the other is fitting both at once.
        return Links.between(release, people).records
    first = locate(release, only(people, a)).groups
    second = locate(release, only(people, b)).groups
    return np.where(first == second, release.groups.n[first], 0)


def _majority(release: Published, people: Targets, secret: str) -> Ints:
    """The most frequent secret among the records each person fits."""
    known = only(people, release.quasi)
    first, kind = distinct(known.codes, [len(values) for values in known.values])
    located: Located = locate(release, known.take(first))
    entries = release.groups.histograms[secret].take(located.groups)
    domain = release.groups.domains[secret]
    width = len(domain.values)
    owner = np.repeat(np.arange(len(first)), located.count)[entries.owner()]
    # By overall frequency, so that the first of equally frequent values is the likeliest.
    order = np.argsort(-domain.reference, kind="stable")
    rank = np.empty(width, np.int64)
    rank[order] = np.arange(width)
    seen = np.bincount(
        owner * width + rank[entries.codes], weights=entries.counts, minlength=len(first) * width
    )
    best: Ints = order[seen.reshape(len(first), width).argmax(axis=1)]
    return best[kind]


def _chosen(people: Targets, guesses: int, rng: np.random.Generator) -> Targets:
    return people.take(rng.choice(len(people), min(guesses, len(people)), replace=False))


def _started(
    original: Targets, control: Targets | None, guesses: int, seed: Seed
) -> np.random.Generator:
    if guesses < 1:
        raise PlanError(f"{guesses} guesses", fix="Give at least 1.")
    for people, called in ((original, "original"), (control, "control")):
        if people is not None and not len(people):
            raise DataError(f"there is nobody in the {called}")
    return np.random.default_rng(seed)


def _shared(published: Published, original: Targets, control: Targets | None) -> list[str]:
    """The quasi-identifiers known of everybody."""
    shared = [name for name in published.quasi if name in original.columns]
    if not shared:
        raise DataError(
            f"the original ({some(original.columns)}) has none of the release's quasi-identifiers",
            where=published.name,
            fix=f"They are {some(published.quasi)}.",
        )
    if control is not None:
        _has(control, shared)
    for name, labels in uncovered(published, original).items():
        if len(labels) == len(published.labels[published.quasi.index(name)]):
            raise DataError(
                f"none of the published values {some(labels)} fits anybody of the original",
                where=f"{published.name}, column {name!r}",
                fix="Where they are nodes of a taxonomy, give it.",
            )
    return shared


def _secret(
    published: Published, original: Targets, control: Targets | None, secret: str | None
) -> str:
    if secret is None and len(published.sensitive) == 1:
        secret = published.sensitive[0]
    if secret is None or secret not in published.sensitive:
        raise DataError(
            "several columns are sensitive" if secret is None
            else f"{secret!r} is no sensitive column of the release",
            where=published.name,
            fix=f"The secret is one of {some(published.sensitive)}.",
        )  # fmt: skip
    for people, called in ((original, "original"), (control, "control")):
        if people is not None:
            _has(people, [secret], called)
    return secret


def _has(people: Targets, columns: Sequence[str], called: str = "control") -> None:
    lacking = [name for name in columns if name not in people.columns]
    if lacking:
        near = nearest(lacking[0], people.columns)
        raise DataError(
            f"the {called} has no column {lacking[0]!r}",
            fix=f"Did you mean {near!r}?" if near else f"It has {some(people.columns)}.",
        )


def _halves(shared: Sequence[str], halves: Halves | None, where: str) -> Halves:
    if halves is None:
        middle = (len(shared) + 1) // 2
        halves = shared[:middle], shared[middle:]
    a, b = halves
    unknown = [name for name in (*a, *b) if name not in shared]
    if unknown or not a or not b or set(a) & set(b):
        raise DataError(
            f"{some(a)} and {some(b)} are not two halves of what is published and known",
            where=where,
            fix=f"Share out {some(shared)}, without overlap, so that neither half is empty.",
        )
    return halves


def _listed(columns: Sequence[str]) -> str:
    return " and ".join((", ".join(columns[:-1]), columns[-1])) if columns[1:] else columns[0]


def _said(
    what: str,
    found: Rate,
    baseline: Rate,
    control: Rate | None,
    others: str = "of people who are not in the release",
) -> str:
    rest = f"; by guessing, {baseline.value:.1%}"
    if control is not None:
        rest += f"; {others}, {control.value:.1%}"
    return f"{found.successes:,} of {found.guesses:,} {what} ({found.value:.1%}){rest}."
