"""A puzzle of record_worlds as hedgerow's Knowledge."""

from __future__ import annotations

from random import Random

import numpy as np
from record_worlds import Puzzle, Release

from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Histogram
from hedgerow.table.location import Located


def knowledge(puzzle: Puzzle) -> tuple[Knowledge, list[int]]:
    """The same puzzle, people who fit the same put together; and the kind of each person."""
    said = [
        (
            *((release.fits[i], release.sure[i]) for release in puzzle.releases),
            None if puzzle.weights is None else puzzle.weights[i],
        )
        for i in range(puzzle.people)
    ]
    kinds = list(dict.fromkeys(said))
    kind = [kinds.index(one) for one in said]
    first = [kind.index(k) for k in range(len(kinds))]
    shown = []
    for release in puzzle.releases:
        groups = max([g for g, _ in release.records], default=-1) + 1
        groups = max([groups, *(g + 1 for fits in release.fits for g in fits)])
        table = np.zeros((groups, max(release.looks) + 1), np.int64)
        for g, look in release.records:
            table[g, look] += 1
        owner, codes = np.nonzero(table)
        indptr = np.searchsorted(owner, np.arange(groups + 1)).astype(np.int64)
        histogram = Histogram(indptr, codes.astype(np.int32), table[owner, codes])
        fits = [sorted(release.fits[i]) for i in first]
        start = np.concatenate(([0], np.cumsum([len(one) for one in fits]))).astype(np.int64)
        located = Located(start, np.array([g for one in fits for g in one], np.int64))
        sure = np.array([release.sure[i] for i in first], np.bool_)
        shown.append(
            Shown(histogram, np.array(release.looks, np.int64), located, sure, release.listed)
        )
    weights = None if puzzle.weights is None else tuple(puzzle.weights[i] for i in first)
    many = np.bincount(kind, minlength=len(kinds)).astype(np.int64)
    return Knowledge(many, puzzle.values, tuple(shown), weights), kind


def crowded(seed: int, *, people: int = 9) -> Puzzle:
    """Many overlaps: people who fit two, three or four of five groups."""
    random = Random(seed)
    people, values = random.randint(4, people), random.randint(2, 4)
    truth = [random.randrange(values) for _ in range(people)]
    made = []
    for _ in range(random.randint(1, 3)):
        place = [random.randrange(5) for _ in range(people)]
        coarse = random.random() < 0.3
        looks = tuple(v // 2 if coarse else v for v in range(values))
        fits = tuple(
            frozenset({place[i], *random.sample(range(5), random.choice([0, 1, 1, 2, 3]))})
            for i in range(people)
        )
        sure = tuple(random.random() < 0.8 for _ in range(people))
        records = tuple((place[i], looks[truth[i]]) for i in range(people))
        made.append(Release(records, looks, fits, sure, random.random() < 0.7))
    return Puzzle(people, values, tuple(made))
