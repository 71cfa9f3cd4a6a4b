"""Restoration: suppressed cells come back as long as everybody keeps enough candidates.

Claims about candidates are weaker than k-anonymity. So the search suppresses what k-anonymity
needs, and then gives back one cell of one record after the other, the most important column first.
A record with one cell more fits fewer people. That is allowed if each of those it no longer fits
has a record to spare, and if it still fits enough people. What remains suppressed has no cell that
could come back alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.outcome import Spans
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.table.candidate_records import Pairs
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.hierarchy import ANY
from hedgerow.table.location import groups_that_fit
from hedgerow.table.pack import distinct

Flags = NDArray[np.bool_]
Codes = NDArray[np.int32]


def restored(
    recoding: Recoding, cells: Cells, models: Sequence[PrivacyModel], weights: Floats
) -> Recoding:
    """The recoding with fewer suppressed cells, that keeps claims about candidates.

    Args:
        recoding: Levels for everybody with suppressed cells; keeps k-anonymity for each claim's k.
        cells: The table.
        models: Claims about candidates, and no others.
        weights: How important the cells of each column are.
    """
    records = _Records.of(recoding, cells)
    if not records.cut.any():
        return recoding
    records.restore(
        np.lexsort((np.arange(len(weights)), -weights)),
        people=max(model.candidates_of_people for model in models),
        records=max(model.candidates_of_records for model in models),
    )
    while len(short := records.short(models)):
        records.revert(short)
    return records.recoding(recoding)


@dataclass(eq=False)
class _Records:
    """The records of a release with suppressed cells, and the people they may be of."""

    cells: Cells
    levels: tuple[int, ...]
    codes: Codes
    """Kinds of published people, at the levels that are published."""
    people: Ints
    """How many there are of each kind."""
    cell: Ints
    """For each record, or several alike that lost no cell: the cell they are from,"""
    kind: Ints
    """their kind,"""
    number: Ints
    """how many these are; 1 where cells are suppressed,"""
    cut: Flags
    """and which columns of them are suppressed."""
    home: Ints
    """The group they were in before any cell came back,"""
    first: Flags
    """and what was suppressed then."""
    _classes: dict[bytes, tuple[Ints, Ints, Ints]] = field(default_factory=dict)

    @classmethod
    def of(cls, recoding: Recoding, cells: Cells) -> _Records:
        told = recoding.detail["levels"]
        assert isinstance(told, dict), "levels by column"
        levels = tuple(int(told[h.name]) for h in cells.hierarchies)
        codes = np.stack(
            [h.codes[level][cells.q[:, j]]
             for j, (h, level) in enumerate(zip(cells.hierarchies, levels, strict=True))],
            axis=1,
        )  # fmt: skip
        kept = np.flatnonzero((recoding.group != SUPPRESSED) & (recoding.people > 0))
        sizes = [h.size(level) for h, level in zip(cells.hierarchies, levels, strict=True)]
        first, into = distinct(codes[recoding.cell[kept]], sizes)
        people = np.zeros(len(first), np.int64)
        np.add.at(people, into, recoding.people[kept])
        several = np.array([size > 1 for size in sizes], np.bool_)
        starred = np.stack([labels == ANY for labels in recoding.labels], axis=1) & several
        cut = starred[recoding.group[kept]]
        times = np.where(cut.any(axis=1), recoding.people[kept], 1)
        each = np.repeat(np.arange(len(kept)), times)
        number = np.where(cut.any(axis=1), 1, recoding.people[kept])[each]
        group = recoding.seen_group[kept][each]
        return cls(
            cells, levels, codes[recoding.cell[kept]][first], people,
            recoding.cell[kept][each], into[each], number, cut[each], group, cut[each].copy(),
        )  # fmt: skip

    def restore(self, columns: Ints, *, people: int, records: int) -> None:
        """Give cells back.

        Args:
            columns: In which order.
            people: Records that must fit everybody.
            records: People whom every record must fit.
        """
        fitting = self.pairs().fitting_records
        change = True
        while change:
            change = False
            for j in columns.tolist():
                for record in np.flatnonzero(self.cut[:, j]).tolist():
                    fits = self._fits(record)
                    same = self.codes[fits, j] == self.codes[self.kind[record], j]
                    lost = fits[~same]
                    if (fitting[lost] > people).all() and (
                        int(self.people[fits[same]].sum()) >= records
                    ):
                        fitting[lost] -= 1
                        self.cut[record, j] = False
                        change = True

    def _fits(self, record: int) -> Ints:
        """The kinds of people whom a record fits."""
        cut = self.cut[record]
        key = cut.tobytes()
        if key not in self._classes:
            shown = np.ascontiguousarray(self.codes[:, ~cut])
            _, into = distinct(shown, [int(c.max(initial=0)) + 1 for c in shown.T])
            order = np.argsort(into, kind="stable")
            start = np.searchsorted(into[order], np.arange(int(into.max(initial=-1)) + 2))
            self._classes[key] = into, order, start.astype(np.int64)
        into, order, start = self._classes[key]
        place = into[self.kind[record]]
        return order[start[place] : start[place + 1]]

    def short(self, models: Sequence[PrivacyModel]) -> Ints:
        """Groups from before in which somebody has too few candidates after all."""
        pairs = self.pairs()
        wrong = np.zeros(len(self.people), np.bool_)
        for model in models:
            if model.matches_everybody:
                wrong |= pairs.possible_records < int(model.required)
        return np.unique(self.home[wrong[self.kind] & self.first.any(axis=1)])

    def revert(self, homes: Ints) -> None:
        """Take back what these groups were given: then they are as k-anonymity needs them."""
        again = np.isin(self.home, homes)
        self.cut[again] = self.first[again]

    def pairs(self) -> Pairs:
        """Which records fit whom."""
        group, shown = self._groups()
        sizes = [
            h.size(level) for h, level in zip(self.cells.hierarchies, self.levels, strict=True)
        ]
        fits = [np.concatenate((np.eye(n, dtype=np.bool_), np.ones((1, n), np.bool_)))
                for n in sizes]  # fmt: skip
        start, found = groups_that_fit(fits, shown, self.codes)
        records = np.zeros(len(shown), np.int64)
        np.add.at(records, group, self.number)
        kind = np.repeat(np.arange(len(self.people)), np.diff(start))
        own = np.zeros(len(kind), np.int64)
        pair = kind * len(shown) + found
        order = np.argsort(pair)
        theirs = np.searchsorted(pair[order], self.kind * len(shown) + group)
        np.add.at(own, order[theirs], self.number)
        return Pairs(self.people, records, kind, found, own)

    @property
    def _sizes(self) -> list[int]:
        """How many values each column has at the level that is published."""
        both = zip(self.cells.hierarchies, self.levels, strict=True)
        return [h.size(level) for h, level in both]

    def _groups(self) -> tuple[Ints, Codes]:
        """The group of each record, and what groups show: a code, or the number of codes."""
        sizes = np.array(self._sizes)
        shown = np.where(self.cut, sizes[None, :], self.codes[self.kind]).astype(np.int32)
        first, into = distinct(shown, [size + 1 for size in self._sizes])
        return into, shown[first]

    def recoding(self, before: Recoding) -> Recoding:
        """The records as a recoding."""
        group, shown = self._groups()
        labels, low, high, rung = [], [], [], []
        for j, (h, level) in enumerate(zip(self.cells.hierarchies, self.levels, strict=True)):
            star = shown[:, j] == h.size(level)
            code = np.where(star, 0, shown[:, j])
            begin, end = h.runs(level)
            labels.append(np.where(star, ANY, np.array(h.labels[level], object)[code]))
            low.append(np.where(star, 0, begin[code]))
            high.append(np.where(star, len(h.values) - 1, end[code]))
            rung.append(np.where(star, 1.0, level / max(1, h.height)))
        out = before.group == SUPPRESSED
        cell = np.concatenate((self.cell, before.cell[out]))
        into = np.concatenate((group, np.full(int(out.sum()), SUPPRESSED, np.int64)))
        number = np.concatenate((self.number, before.people[out]))
        width = len(shown) + 1
        part, place = np.unique(cell * width + into + 1, return_inverse=True)
        people = np.zeros(len(part), np.int64)
        np.add.at(people, place, number)
        spans = Spans(
            np.stack(low, axis=1).astype(np.int32),
            np.stack(high, axis=1).astype(np.int32),
            np.stack(rung, axis=1),
        )
        return replace(
            before, cell=part // width, people=people, group=part % width - 1,
            labels=tuple(labels), spans=spans,
        )  # fmt: skip
