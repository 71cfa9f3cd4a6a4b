"""Candidates: who may be in which group of a release, as whoever reads it sees it.

Claims about single people are judged over all groups that a person fits: by quasi-identifiers and
published labels, whatever the recoding did with the person. Spellings are read carefully. Labels
and values that look alike are taken for one, and so are groups. A missing value may be any.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError
from hedgerow.base.spelling import kinds
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.release.partition.written_groups import intended_groups
from hedgerow.table.cells import Cells
from hedgerow.table.contents import Contents
from hedgerow.table.groups import Ints
from hedgerow.table.labels import Flags, Taxonomy, Value, may_stand_for_others, read_labels
from hedgerow.table.location import groups_that_fit
from hedgerow.table.published_table import ANY

Labels = Sequence[NDArray[np.object_]]


@dataclass(frozen=True, eq=False)
class Candidates:
    """For each group of a release the people of the table who fit it."""

    tuple_: Ints
    """Pairs of a tuple of quasi-identifiers, as in `Cells.tuples`, and a group that it fits."""
    group: Ints
    tuples: int
    """How many tuples there are."""
    alike: Ints
    """For each group the first that a reader may take for the same one."""
    left_out: int
    """People of the table who are in no group."""
    absent: NDArray[np.bool_]
    """Groups that people may fit who are in no cell, as they lack a quasi-identifier."""
    misplaced: NDArray[np.bool_]
    """Tuples that fit a group in which some of their people are not."""

    @classmethod
    def in_release(
        cls, cells: Cells, recoding: Recoding, contents: Contents, nodes: Mapping[str, Taxonomy]
    ) -> Candidates:
        """Of what was written.

        Args:
            cells: The source, counted.
            recoding: What was applied.
            contents: What was read of the release.
            nodes: By column, the values below each node of a hierarchy.
        """
        place = np.full(len(recoding.seen[0]), SUPPRESSED, np.int64)
        place[intended_groups(recoding, contents)] = np.arange(contents.size)
        return cls._of(cells, recoding, contents.labels, place, nodes)

    @classmethod
    def in_recoding(
        cls, cells: Cells, recoding: Recoding, shown: Ints, nodes: Mapping[str, Taxonomy]
    ) -> Candidates:
        """Of what will be written.

        Args:
            cells: The source, counted.
            recoding: What will be applied.
            shown: Those of its groups that somebody is in, as in `Recoding.seen`.
            nodes: As for `in_release`.
        """
        first, _ = recoding.seen
        place = np.full(len(first), SUPPRESSED, np.int64)
        place[shown] = np.arange(len(shown))
        labels = [column[first[shown]] for column in recoding.labels]
        return cls._of(cells, recoding, labels, place, nodes)

    @classmethod
    def in_table(cls, cells: Cells, nodes: Mapping[str, Taxonomy]) -> Candidates:
        """Of the table as it is, each tuple a group."""
        tuples, _ = cells.tuples
        own = np.arange(len(tuples))
        labels = [np.array(h.values, object)[tuples[:, j]] for j, h in enumerate(cells.hierarchies)]
        return cls._read(cells, labels, (own, own), np.zeros(len(tuples), np.bool_), 0, nodes)

    @classmethod
    def _of(
        cls,
        cells: Cells,
        recoding: Recoding,
        labels: Labels,
        place: Ints,
        nodes: Mapping[str, Taxonomy],
    ) -> Candidates:
        """Args: `place` says which of the labelled groups each group of `Recoding.seen` is."""
        tuples, of_cell = cells.tuples
        _, into = recoding.seen
        tuple_ = of_cell[recoding.cell]
        kept = recoding.group != SUPPRESSED
        gone = np.zeros(len(tuples), np.bool_)
        gone[tuple_[~kept & (recoding.people > 0)]] = True
        own = tuple_[kept], place[into[recoding.group[kept]]]
        return cls._read(cells, labels, own, gone, recoding.suppressed + cells.absent, nodes)

    @classmethod
    def _read(
        cls,
        cells: Cells,
        labels: Labels,
        own: tuple[Ints, Ints],
        gone: NDArray[np.bool_],
        left_out: int,
        nodes: Mapping[str, Taxonomy],
    ) -> Candidates:
        """Args: `own` are tuples and groups they are in; of `gone` some people are in none."""
        tuples, _ = cells.tuples
        if not labels:  # there is one group, and everybody fits it
            size = int(own[1].max(initial=-1)) + 1
            everybody = np.arange(len(tuples)), np.zeros(len(tuples), np.int64)
            nobody = np.zeros(size, np.bool_)
            return cls(*everybody, len(tuples), np.zeros(size, np.int64), left_out, nobody, gone)
        size = len(labels[0])
        fits, codes, kind, blank = [], [], [], np.zeros(size, np.bool_)
        for h, column in zip(cells.hierarchies, labels, strict=True):
            place = {label: i for i, label in enumerate(dict.fromkeys(column.tolist()))}
            code = np.array([place[label] for label in column.tolist()], np.int32)
            read = _CarefulColumn.of(h.name, list(place), h.values, nodes.get(h.name))
            fits.append(read.fits)
            codes.append(code)
            kind.append(read.kind[code])
            blank |= read.blank[code]
        start, found = groups_that_fit(fits, np.stack(codes, axis=1), tuples)
        tuple_ = np.concatenate((np.repeat(np.arange(len(tuples)), np.diff(start)), own[0]))
        pairs = np.unique(tuple_ * size + np.concatenate((found, own[1])))
        _, first, same = np.unique(
            np.stack(kind, axis=1), axis=0, return_index=True, return_inverse=True
        )
        tuple_, group = pairs // size, pairs % size
        misplaced = gone & (np.bincount(tuple_, minlength=len(tuples)) > 0)
        absent = blank & (cells.absent > 0)
        return cls(tuple_, group, len(tuples), first[same.reshape(-1)], left_out, absent, misplaced)

    @property
    def times(self) -> Ints:
        """How many groups each tuple fits."""
        return np.bincount(self.tuple_, minlength=self.tuples)

    def certain(self, *, listed: bool) -> bool:
        """Whether a reader knows of everybody who fits a group that they are in it.

        Args:
            listed: Whether certain people are known, who may be among those in no cell.
        """
        return (
            not self.doubted.any()
            and not (listed and self.absent.any())
            and bool((self.alike == np.arange(len(self.alike))).all())
        )

    @property
    def doubted(self) -> NDArray[np.bool_]:
        """Tuples of which a reader cannot tell in which group their people are."""
        found: NDArray[np.bool_] = (self.times > 1) | self.misplaced
        return found


@dataclass(frozen=True, eq=False)
class _CarefulColumn:
    """A published column, as somebody reads it who overlooks how values are spelled."""

    fits: Flags
    """Labels by values."""
    kind: Ints
    """For each label, the first that may be taken for the same."""
    blank: NDArray[np.bool_]
    """Labels that cover a missing value."""

    @classmethod
    def of(
        cls,
        name: str,
        labels: Sequence[Value],
        values: Sequence[Value],
        taxonomy: Taxonomy | None,
    ) -> _CarefulColumn:
        """Read with the hierarchy and without it: what either covers is covered."""
        known = [*values, None]
        fits = read_labels(labels, known, column=name, taxonomy=taxonomy).fits.copy()
        plain = [i for i, value in enumerate(known) if not may_stand_for_others(value)]
        for nodes in (taxonomy, None):
            with contextlib.suppress(DataError):  # without the hierarchy labels may mean nothing
                fits |= read_labels(labels, known, column=name, taxonomy=nodes).fits
                # The band 20-30 in {20-30, 25} is a value of somebody's, or covers who is 22.
                few = [known[i] for i in plain]
                fits[:, plain] |= read_labels(labels, few, column=name, taxonomy=nodes).fits
        alike = kinds([*labels, *known], (ANY,))  # a star is every value
        shown = {kind: i for i, kind in enumerate(dict.fromkeys(alike[: len(labels)]))}
        had = {kind: i for i, kind in enumerate(dict.fromkeys(alike[len(labels) :]))}
        label = np.array([shown[kind] for kind in alike[: len(labels)]], np.int64)
        value = np.array([had[kind] for kind in alike[len(labels) :]], np.int64)
        # What one spelling fits, the others fit: added up by kind, and given back to each.
        wide = np.zeros((len(shown), len(had)), np.bool_)
        where = np.nonzero(fits)
        wide[label[where[0]], value[where[1]]] = True
        for kind, place in shown.items():
            if kind in had:
                wide[place, had[kind]] = True
            if kind in (None, (ANY,)):
                wide[place] = True
        blank = wide[:, value[-1]].copy()
        wide[blank] = True  # {5, missing} fits whoever may have anything
        wide[:, [place for kind, place in had.items() if kind in (None, (ANY,))]] = True
        return cls(wide[label][:, value[:-1]], label, blank[label])
