"""Classes: people with equal quasi-identifiers, and the published group each class is in."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.release_columns import only
from hedgerow.base.errors import DataError
from hedgerow.base.spelling_classes import told_apart
from hedgerow.table.groups import Groups, Ints
from hedgerow.table.location import Located, locate
from hedgerow.table.pack import distinct
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MergedClasses:
    """The classes of those groups of which everybody is known."""

    groups: Groups
    """People of each class, and their sensitive values."""
    into: Ints
    """The published group of each."""
    left_out: int
    """Published groups whose records are not those of the people who fit only them."""
    left_out_records: int
    """Records of these groups."""
    records: int
    """Of the whole release."""
    located: Located
    """Where the classes may be, and how the labels were read."""

    @property
    def merged(self) -> int:
        """Groups that several classes became."""
        return int((np.bincount(self.into) > 1).sum())

    def told(self, result: AttackResult) -> AttackResult:
        """The result, with how much it is not about."""
        detail = {
            **result.detail, "left_out_groups": self.left_out,
            "left_out_records": self.left_out_records, "records": self.records,
        }  # fmt: skip
        if not self.left_out:
            return replace(result, detail=detail)
        note = (
            f"{self.left_out:,} groups with {self.left_out_records:,} of {self.records:,} records "
            "were left out: their records are not those of the people who fit only them."
        )
        return replace(result, sentences=(*result.sentences, note), detail=detail)


def classes_of(published: Published, people: Targets, of: str) -> MergedClasses:
    """Who was merged into which group, wherever the list says so.

    A class that fits several groups is in none of them for sure. So only groups are kept whose
    sensitive values are exactly those of the classes that fit them and no other.

    Raises:
        DataError: No group is like that.
    """
    known = only(people, [name for name in published.quasi if name in people.columns])
    if not known.columns:
        locate(published, people)  # which says what is known of whom
    first, into = distinct(known.codes, [len(values) for values in known.values])
    located = locate(published, known.take(first))
    sure = located.count == 1
    group = np.full(len(first), -1, np.int64)
    group[sure] = located.groups[located.start[:-1][sure]]
    domain, histogram = published.groups.domains[of], published.groups.histograms[of]
    values, codes = _values(domain.values, people, of)
    width = len(values)
    in_group = group[into]
    inside = in_group >= 0
    keys = np.concatenate(
        (histogram.owner() * width + histogram.codes, in_group[inside] * width + codes[inside])
    )
    counts = np.concatenate((histogram.counts, np.full(int(inside.sum()), -1, np.int64)))
    key, place = np.unique(keys, return_inverse=True)
    differs = np.zeros(len(key), np.int64)
    np.add.at(differs, place.reshape(-1), counts)
    wrong = np.zeros(len(published), np.bool_)
    wrong[key[differs != 0] // width] = True
    kept = np.flatnonzero(sure & ~wrong[np.maximum(group, 0)])
    if not len(kept):
        raise DataError(
            f"no group has exactly the {of!r} of the people who fit only it, so nobody knows which "
            "people were merged",
            where=published.name,
            fix="Either people fit several groups, and then the attack cannot be tried; or the "
            "truth is not the original of this release.",
        )
    return MergedClasses(
        _grouped(kept, into, codes, values, of),
        group[kept],
        int(wrong.sum()),
        int(published.groups.n[wrong].sum()),
        published.groups.people,
        replace(located, lost={}),
    )


def _values(
    domain: tuple[str | None, ...], people: Targets, of: str
) -> tuple[tuple[str | None, ...], Ints]:
    """The release's values and those only people have; and which each person has."""
    kind = told_apart(domain)
    place = {kind(value): i for i, value in enumerate(domain)}
    values = list(domain)
    c = people.columns.index(of)
    mine = []
    for value in people.values[c]:
        code = place.setdefault(kind(value), len(values))
        if code == len(values):
            values.append(value)
        mine.append(code)
    return tuple(values), np.array(mine, np.int64)[people.codes[:, c]]


def _grouped(
    kept: Ints, into: Ints, codes: Ints, values: tuple[str | None, ...], of: str
) -> Groups:
    """The classes that are kept, as groups."""
    rows: dict[int, dict[str | None, int]] = {int(i): {} for i in kept}
    pairs, counts = np.unique(into.astype(np.int64) * len(values) + codes, return_counts=True)
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        if pair // len(values) in rows:
            rows[pair // len(values)][values[pair % len(values)]] = count
    return Groups.of({of: list(rows.values())}, order={of: values})
