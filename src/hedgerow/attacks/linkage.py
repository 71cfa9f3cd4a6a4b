"""Linkage: match the records of a release with an identified register, such as a voter list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from hedgerow.attacks.annotation import understood, with_release
from hedgerow.attacks.attack_input import AttackInput
from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.declaration import GROUPS, REGISTER, ReleaseAttack
from hedgerow.attacks.gains import Gains
from hedgerow.attacks.links import Links, sums_by_place
from hedgerow.attacks.release_columns import only, projected, uncovered
from hedgerow.attacks.tolerance import Edits, Fuzzy, loosened
from hedgerow.base.errors import DataError, PlanError, nearest, some
from hedgerow.table.groups import Groups, Ints
from hedgerow.table.labels import Flags
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

MOST = 100
"""How many people a result names."""
SHOWN = 10
"""How many combinations of columns of each size a result lists."""


def link(
    published: Published,
    register: Targets,
    *,
    name: str | None = None,
    fuzzy: Fuzzy | None = None,
    truth: str | Sequence[int] | None = None,
    combined: int = 4,
) -> AttackResult:
    """Put names to records.

    Knows: A register: names, and some of the published quasi-identifiers.
    Success: A record gets the right name. Each record is given the name of the person of the
        register who fits it and fewest others; without `truth`, the chance that this is right is
        counted, where everybody in the shorter list is in the longer.
    Baseline: Records and names matched at random, without looking at quasi-identifiers.
    Reference: Sweeney 2002; for the two views El Emam and Dankar 2008.

    Re-identified is who fits one record only, while nobody else fits it. A person who is known to
    be in the release is found with chance 1 / (records they fit), whoever else fits them.

    Args:
        published: The release.
        register: People with names.
        name: The register's column of names; rows are counted if it is left out.
        fuzzy: Column -> how far numbers may be apart ({"age": 1}) or `Edits`.
        truth: Who is who: a column of the register that is a sensitive column of the release
            too, each of whose values one record has; or for each person the number of their
            group in `published`, -1 where they have no record.
        combined: Combinations of up to so many columns are tried on their own.

    Raises:
        DataError: Columns are missing, or `truth` names more than one record for a person.

    Of two men of 28 neither is re-identified; the woman is, by her sex alone:

    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["M", "M", "F"], "age": ["28", "28", "33"],
    ...                   "disease": ["flu", "ulcer", "flu"]})
    >>> register = Targets.of({"name": ["Al", "Bo", "Cy"], "sex": ["M", "M", "F"],
    ...                        "age": ["28", "28", "33"]})
    >>> result = link(Published.read(table, sensitive=["disease"]), register, name="name")
    >>> result.detail["who"], result.detail["keys"][0]["columns"], result.found.successes
    (['Cy'], ['sex'], 2.0)
    """
    if not len(register):
        raise DataError("there is nobody in the register")
    if combined < 0:
        raise PlanError(f"combinations of {combined} columns", fix="Give 0 or more.")
    names = None if name is None else _names(register, name)
    read = loosened(published, register, fuzzy) if fuzzy else published
    links = Links.between(read, register)
    home = None if truth is None else _truth(published, register, truth)
    found, baseline = _rates(links, home)
    gains = _gains(links, home)
    who = np.flatnonzero(links.reidentified)
    detail: dict[str, Any] = {
        "release": published.name,
        "records": int(links.sizes.sum()),
        "people": len(register),
    }
    detail |= _counts(links) | {
        "who": [f"row {i + 1}" if names is None else names[i] for i in who[:MOST]],
        "keys": _keys(read, register, links, combined),
        "columns_nobody_fits": [
            column
            for column, labels in uncovered(read, register).items()
            if len(labels) == len(read.labels[read.quasi.index(column)])
        ],
    }
    if fuzzy:
        exact = Links.between(published, register)
        detail["fuzzy"] = {
            column: f"{t.at_most} edits" if isinstance(t, Edits) else t
            for column, t in fuzzy.items()
        }
        detail["exact"] = {"rate": _rates(exact, home)[0].value} | _counts(exact)
    if home is not None:
        detail["reidentified_rightly"] = int((links.reidentified & (links.group() == home)).sum())
    return AttackResult(
        attack="linkage",
        goal="a record gets the name of the person it is about",
        found=found,
        baseline=baseline,
        gains=gains,
        sentences=_sentences(detail, len(who)),
        detail=detail,
    )


def _rates(links: Links, truth: Ints | None) -> tuple[Rate, Rate]:
    records, people = int(links.sizes.sum()), len(links.kind)
    if truth is None:
        right = float(links.success @ links.sizes)
        by_chance = records / max(records, people)
    else:
        right = links.correct(truth)
        by_chance = float((truth >= 0).sum()) / people
    # Sums of thirds and sevenths may pass the whole by a rounding.
    return (
        Rate(successes=min(right, records), guesses=records),
        Rate(successes=min(by_chance, records), guesses=records),
    )


def _gains(links: Links, truth: Ints | None) -> Gains:
    """What is gained about the person behind each record: p is the chance of the right name.

    p0 is that of a name drawn at random. With the truth, records are those of people who are in
    the register.
    """
    records, people = int(links.sizes.sum()), len(links.kind)
    if truth is not None:
        rivals = links.rivals(truth)
        belief = np.divide(1.0, rivals, out=np.zeros(len(rivals)), where=rivals > 0)
        wrong = int((links.reidentified & (links.group() != truth)).sum())
        found = Gains.believed(belief, np.full(len(rivals), 1 / people), rivals == 1)
        return replace(found, wrong=wrong)
    # Who fits one record that nobody else fits is alone with it in its group.
    certain = np.zeros(len(links.sizes), np.bool_)
    certain[links.group()[links.reidentified]] = True
    return Gains.believed(
        np.repeat(links.success, links.sizes),
        np.full(records, 1 / max(records, people)),
        np.repeat(certain, links.sizes),
    )


def _counts(links: Links) -> dict[str, Any]:
    fitting = links.records[links.records > 0]
    seen = links.people > 0
    return {
        "reidentified": int(links.reidentified.sum()),
        "prosecutor": {
            "fitting": len(fitting),
            "singled_out": int((fitting == 1).sum()),
            "highest": float(1 / fitting.min()) if len(fitting) else 0.0,
            "average": float((1 / fitting).mean()) if len(fitting) else 0.0,
        },
        "journalist": {
            "fitting": int(links.sizes[seen].sum()),
            "singled_out": int(links.sizes[links.people == 1].sum()),
            "highest": float(1 / links.people[seen].min()) if seen.any() else 0.0,
            "average": float(
                np.average(1 / links.people[seen], weights=links.sizes[seen]) if seen.any() else 0
            ),
        },
    }


def _keys(
    published: Published, register: Targets, links: Links, combined: int
) -> list[dict[str, Any]]:
    """Combinations of columns that re-identify somebody, the smallest and most telling first.

    `only` counts people whom no part of the combination re-identifies.
    """
    shared = [name for name in published.quasi if name in register.columns]
    bare = replace(published, groups=Groups(published.groups.n))
    by: dict[tuple[str, ...], Flags] = {}
    keys: list[dict[str, Any]] = []
    for size in range(1, min(combined, len(shared)) + 1):
        of_size = []
        for chosen in combinations(shared, size):
            part = only(register, chosen)
            some_columns = Links.between(projected(bare, chosen), part)
            # Who fits under these columns only is told apart by the others.
            by[chosen] = some_columns.reidentified & links.reidentified
            many = int(by[chosen].sum())
            if many:
                parts = [by[fewer] for fewer in combinations(chosen, size - 1) if fewer]
                alone = many - int((by[chosen] & np.any(parts, axis=0)).sum()) if parts else many
                of_size.append(
                    (many, {"columns": list(chosen), "reidentified": many, "only": alone})
                )
        keys += [key for _, key in sorted(of_size, key=lambda key: -key[0])[:SHOWN]]
    return keys


def _names(register: Targets, name: str) -> list[str]:
    if name not in register.columns:
        near = nearest(name, register.columns)
        raise DataError(
            f"the register has no column {name!r}",
            fix=f"Did you mean {near!r}?" if near else f"It has {some(register.columns)}.",
        )
    return ["missing" if value is None else value for value in register.column(name)]


def _truth(published: Published, register: Targets, truth: str | Sequence[int]) -> Ints:
    """The group each person's record is in, -1 where they have none."""
    if not isinstance(truth, str):
        home = np.asarray(truth, np.int64)
        if home.shape != (len(register),) or (home >= len(published)).any():
            raise DataError(
                f"the truth does not give each of {len(register):,} people one of "
                f"{len(published):,} groups"
            )
        return home
    if truth not in register.columns or truth not in published.sensitive:
        raise DataError(
            f"the truth {truth!r} is not both a column of the register and a sensitive column of "
            "the release",
            where=published.name,
            fix=f"They have {some(register.columns)}, and {some(published.sensitive)}.",
        )
    entries = published.groups.histograms[truth]
    values = published.groups.domains[truth].values
    times = sums_by_place(entries.codes.astype(np.int64), entries.counts, len(values))
    if (times > 1).any():
        raise DataError(
            f"{some(values[i] for i in np.flatnonzero(times > 1))} belong to several records",
            where=f"{published.name}, column {truth!r}",
            fix="The truth is a column with a value for each record.",
        )
    group = dict(zip((values[c] for c in entries.codes), entries.owner().tolist(), strict=True))
    place = register.columns.index(truth)
    by_value = np.array([group.get(v, -1) for v in register.values[place]], np.int64)
    return by_value[register.codes[:, place]]


def _sentences(detail: dict[str, Any], many: int) -> tuple[str, ...]:
    records, people = detail["records"], detail["people"]
    told = []
    if many:
        who = some(detail["who"][:5], most=5) if many <= 5 else f"{some(detail['who'][:3])}, …"
        told.append(
            f"{many:,} of {records:,} records fit exactly one of {people:,} people in the "
            f"register, who fits no other record: {who}."
        )
    else:
        told.append(
            f"None of {records:,} records fits exactly one of {people:,} people in the register "
            "who fits no other record."
        )
    whole = [key for key in detail["keys"] if key["reidentified"] == many]
    if many and detail["keys"]:
        key = (whole or [max(detail["keys"], key=lambda key: int(key["reidentified"]))])[0]
        columns = key["columns"]
        told.append(
            f"{columns[0]} alone re-identifies {key['reidentified']:,} of them."
            if len(columns) == 1
            else f"{', '.join(columns[:-1])} and {columns[-1]} re-identify "
            f"{key['reidentified']:,} of them."
        )
    prosecutor = detail["prosecutor"]
    if prosecutor["fitting"]:
        told.append(
            f"Somebody known to be in the release hides among {round(1 / prosecutor['highest']):,} "
            "records or more."
            if not prosecutor["singled_out"]
            else f"{prosecutor['singled_out']:,} people fit one record only: whoever knows that "
            "they are in the release knows which it is."
        )
    else:
        told.append("Nobody in the register fits any record.")
    if detail["columns_nobody_fits"]:
        told.append(
            f"No published value of {some(detail['columns_nobody_fits'])} fits anybody in the "
            "register; where they are nodes of a taxonomy, give it."
        )
    if "exact" in detail:
        told.append(
            f"Without tolerance {detail['exact']['reidentified']:,} are re-identified, and "
            f"{detail['exact']['prosecutor']['fitting']:,} rather than "
            f"{prosecutor['fitting']:,} people fit any record."
        )
    return tuple(told)


def _attempt(read: AttackInput) -> Iterator[AttackResult]:
    for i, published in enumerate(read.releases):
        register = read.registers[i % len(read.registers)]
        hidden = [c for c in register.columns if c not in published.quasi]
        name = hidden[0] if hidden else None
        result = link(published, register, name=name, fuzzy=read.fuzzy or None)
        result = _with_strangers(published, result, read.control)
        yield with_release(published, result, understood(published, register))


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


LINKAGE = ReleaseAttack(
    name="linkage",
    asks="Which records get the right name from a list of people?",
    success="a record gets the right name",
    needs=(GROUPS, REGISTER),
    attempt=_attempt,
    raw="nothing; it needs a list of people with names (a register)",
    reference="Sweeney 2002; for the two views El Emam and Dankar 2008.",
)
