"""Locating: in which group of a release somebody's record may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, some
from hedgerow.base.jit import kernel
from hedgerow.base.spelling import reading
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.labels import RawValues, read_labels
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

Words = NDArray[np.uint64]
CHUNK = 4_000_000
"""Pairs of person and group that are compared at a time."""
SHOWN = 10
"""Labels a result lists."""


@dataclass(frozen=True, eq=False)
class Located:
    """The groups each person may be in."""

    start: Ints
    """Person t may be in groups[start[t] : start[t + 1]]."""
    groups: Ints
    lost: Mapping[str, int] = field(default_factory=dict)
    """For each column that is to blame, people whose value no published value covers."""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By column, published values that nobody has and that may be nodes of a taxonomy."""
    strange: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By column, published values that fit nobody and were hardly understood; see `Read`."""

    @property
    def count(self) -> Ints:
        """How many groups each may be in; 0: their record is not in the release."""
        return np.diff(self.start)

    def of(self, person: int) -> Ints:
        return self.groups[self.start[person] : self.start[person + 1]]

    def take(self, people: Ints) -> Located:
        """These people, in this order; one who is -1 is nowhere.

        >>> Located(np.array([0, 2, 3]), np.array([7, 8, 9])).take(np.array([1, -1, 0])).groups
        array([9, 7, 8])
        """
        count = np.where(people >= 0, self.count[people], 0)
        start = np.concatenate([[0], np.cumsum(count)])
        within = np.arange(start[-1]) - np.repeat(start[:-1], count)
        first = self.start[:-1][people]
        return replace(self, start=start, groups=self.groups[np.repeat(first, count) + within])


def locate(published: Published, targets: Targets) -> Located:
    """Where the targets may be, by what is known of them.

    By box: every group whose published values cover all that is known. By nearest centroid:
    the group whose centroid is nearest, numbers measured in standard deviations of the
    centroids, other values being equal or not; a guess, and often a wrong one.

    Raises:
        DataError: Nothing that is known is in the release, or labels cannot be read.
    """
    known = [name for name in published.quasi if name in targets.columns]
    if not known:
        raise DataError(
            f"nothing that is known of the targets ({some(targets.columns)}) is published there",
            where=published.name,
            fix=f"Its quasi-identifiers are {some(published.quasi)}.",
        )
    if published.located == "nearest":
        return _nearest(published, targets, known)
    matrices, columns = [], []
    lost: dict[str, int] = {}
    words: dict[str, tuple[str, ...]] = {}
    strange: dict[str, tuple[str, ...]] = {}
    for name in known:
        j, c = published.quasi.index(name), targets.columns.index(name)
        read = read_labels(
            published.labels[j],
            targets.values[c],
            column=name,
            taxonomy=published.taxonomies.get(name),
        )
        if read.words:
            words[name] = read.words
        if read.strange:
            strange[name] = read.strange
        matrix = read.fits
        covered = np.asarray(matrix.any(axis=0))
        outside = int((~covered[targets.codes[:, c]]).sum())
        if outside:
            lost[name] = outside
        matrices.append(matrix)
        columns.append(c)
    codes = published.codes[:, [published.quasi.index(name) for name in known]]
    start, groups = groups_that_fit(matrices, codes, targets.codes[:, columns])
    return Located(start, groups, lost, words, strange)


def groups_that_fit(
    fits: Sequence[NDArray[np.bool_]], groups: NDArray[np.int32], people: NDArray[np.int32]
) -> tuple[Ints, Ints]:
    """For each person the groups all of whose labels cover what is known, compressed by person.

    Args:
        fits: For each column, at least one: labels by values, whether the label covers the value.
        groups: For each group and column, which of the labels.
        people: For each person and column, which of the values.

    >>> fits = [np.array([[True, False], [True, True]])]  # the labels 25 and 20-30; 25 and 27
    >>> start, found = groups_that_fit(fits, np.array([[0], [1]]), np.array([[0], [1]]))
    >>> start.tolist(), found.tolist()
    ([0, 2, 3], [0, 1, 1])
    """
    width = (len(groups) + 63) // 64
    masks = [_packed(matrix, groups[:, j], width) for j, matrix in enumerate(fits)]
    offset = np.cumsum([0, *(len(mask) for mask in masks[:-1])])
    return _candidates(np.concatenate(masks), people.astype(np.int64) + offset)


def doubtful(releases: Sequence[Published], located: Sequence[Located]) -> dict[str, Any]:
    """What was perhaps not understood of the releases' labels, as plain data."""
    return {
        "lost": [
            {"release": published.name, "column": column, "people": people,
             "may_be_nodes": column in where.words}
            for published, where in zip(releases, located, strict=True)
            for column, people in where.lost.items()
        ],
        "not_understood": [
            {"release": published.name, "column": column, "values": list(values[:SHOWN]),
             "count": len(values)}
            for published, where in zip(releases, located, strict=True)
            for column, values in where.strange.items()
        ],
    }  # fmt: skip


def told_labels(published: Published, located: Located) -> Iterator[str]:
    """What was perhaps not understood of a release's labels, in sentences."""
    for column, count in located.lost.items():
        yield (
            f"In {published.name} no published {column} fits {count:,} of them: they may be "
            f"suppressed there. If {column} is published by a hierarchy file, give it: --taxonomy "
            f"{column}=FILE."
        )
    for column, values in located.strange.items():
        yield (
            f"In {published.name} nobody fits {some(values, most=3)} as {column}, perhaps because "
            "that was not understood. If it covers anybody, more is possible than is said here."
        )
    for column, values in located.words.items():
        if column not in located.strange:
            taken = "was taken for a value" if len(values) == 1 else "were taken for values"
            yield (
                f"In {published.name} {some(values, most=3)} as {column} {taken} of other people; "
                f"if they are from a hierarchy file, give it: --taxonomy {column}=FILE."
            )
    yield from published.remarks
    for column in published.blank:
        yield f"In {published.name} a missing {column} was taken for any."


def _packed(matrix: NDArray[np.bool_], codes: NDArray[np.int32], words: int) -> Words:
    """For each value, a bit for each group whose label covers it."""
    rows = np.zeros((matrix.shape[1], words * 64), np.uint8)
    rows[:, : len(codes)] = matrix.T[:, codes]
    packed: Words = np.packbits(rows, axis=1, bitorder="little").view(np.uint64)
    return packed


@kernel
def _candidates(masks: Words, codes: Ints) -> tuple[Ints, Ints]:
    people, columns = codes.shape
    words = masks.shape[1]
    start = np.zeros(people + 1, np.int64)
    found = np.empty(max(people, 16), np.int64)
    end = 0
    for t in range(people):
        for w in range(words):
            bits = masks[codes[t, 0], w]
            for c in range(1, columns):
                bits &= masks[codes[t, c], w]
            base = 64 * w
            place = 0
            while bits != 0:
                while bits & np.uint64(1) == 0:
                    bits >>= np.uint64(1)
                    place += 1
                if end == len(found):
                    more = np.empty(2 * end, np.int64)
                    more[:end] = found
                    found = more
                found[end] = base + place
                end += 1
                bits >>= np.uint64(1)
                place += 1
        start[t + 1] = end
    return start, found[:end].copy()


def _nearest(published: Published, targets: Targets, known: list[str]) -> Located:
    distances: list[tuple[Floats, NDArray[np.int32], NDArray[np.int32]]] = []
    for name in known:
        j, c = published.quasi.index(name), targets.columns.index(name)
        centres, values = RawValues(published.labels[j]), RawValues(targets.values[c])
        numeric = ~np.isnan(centres.numbers) | np.array([v is None for v in centres.values])
        if numeric.all() and not np.isnan(centres.numbers).all():
            spread = np.nanstd(centres.numbers[published.codes[:, j]]) or 1.0
            gap = np.abs(values.numbers[:, None] - centres.numbers[None, :]) / spread
            matrix = np.where(np.isnan(gap), 1.0, gap) ** 2
        else:
            mine, theirs = map(reading, values.values), [*map(reading, centres.values)]
            matrix = np.array([[float(v != centre) for centre in theirs] for v in mine])
        distances.append((matrix, targets.codes[:, c], published.codes[:, j]))
    best = np.empty(len(targets), np.int64)
    step = max(1, CHUNK // max(1, len(published)))
    for begin in range(0, len(targets), step):
        part = slice(begin, begin + step)
        away = np.zeros((len(best[part]), len(published)))
        for matrix, person, group in distances:
            away += matrix[person[part]][:, group]
        best[part] = away.argmin(axis=1)
    return Located(np.arange(len(targets) + 1), best)


def placed(groups: Sequence[int] | Ints) -> Located:
    """Everybody's group, where it is known; -1 for those who are not in the release.

    >>> placed([4, -1, 2]).count.tolist()
    [1, 0, 1]
    """
    chosen = np.asarray(groups, np.int64)
    inside = chosen >= 0
    return Located(np.concatenate(([0], np.cumsum(inside))), chosen[inside])
