"""Links: who of a register fits which records of a release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.attacks.release_columns import only
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.labels import Flags
from hedgerow.table.location import Located, locate
from hedgerow.table.pack import distinct
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets


@dataclass(frozen=True, eq=False)
class Links:
    """Who of a register fits which records of a release."""

    records: Ints
    """For each person, the records they fit: the prosecutor's view, who knows they are in."""
    people: Ints
    """For each group, the people who fit it: the journalist's view, who starts at a record."""
    reidentified: Flags
    """People who fit one record only, while nobody else fits it."""
    success: Floats
    """For each group, the chance that naming the likeliest person for a record of it is right.

    Likeliest is who fits the fewest records. A person is any of the records they fit with the
    same chance, and whoever is in the shorter of the two lists is in the longer.
    """
    tuples: Located
    """The groups each kind of person fits; people with the same values are one kind."""
    kind: Ints
    """The kind of each person."""
    sizes: Ints
    """Records of each group."""

    @classmethod
    def between(cls, published: Published, register: Targets) -> Links:
        """Find them.

        Raises:
            DataError: The register and the release have no column in common.
        """
        columns = [name for name in register.columns if name in published.quasi]
        known = only(register, columns)
        first, kind = distinct(known.codes, [len(values) for values in known.values])
        # Without a column in common, the message is that of locating.
        tuples = locate(published, known.take(first) if columns else register)
        n, alike = published.groups.n, np.bincount(kind, minlength=len(first))
        owner = np.repeat(np.arange(len(first)), tuples.count)
        records = sums_by_place(owner, n[tuples.groups], len(first))
        people = sums_by_place(tuples.groups, alike[owner], len(n))
        share = 1 / records[owner]
        best, total = np.zeros(len(n)), np.zeros(len(n))
        np.maximum.at(best, tuples.groups, share)
        np.add.at(total, tuples.groups, share * alike[owner])
        alone = np.zeros(len(first), np.bool_)
        alone[owner] = people[tuples.groups] == 1
        return cls(
            records[kind],
            people,
            ((records == 1) & alone)[kind],
            best / np.maximum(1, total),
            tuples,
            kind,
            n,
        )

    def group(self) -> Ints:
        """The first group each person fits, -2 where they fit none."""
        fits = self.tuples.count > 0
        first = np.full(len(fits), -2)
        first[fits] = self.tuples.groups[self.tuples.start[:-1][fits]]
        return first[self.kind]

    def correct(self, truth: Ints) -> float:
        """How many records get the right name, on average over equally likely ones.

        Args:
            truth: The group each person's record is in, -1 where they have none.
        """
        rivals = self.rivals(truth)
        return float((1 / rivals[rivals > 0]).sum())

    def rivals(self, truth: Ints) -> Ints:
        """How many people are as likely as who has the record, for each who has one; 0: more so.

        Args:
            truth: As for `correct`.
        """
        size, groups = len(self.sizes), self.tuples.groups
        owner = np.repeat(np.arange(len(self.tuples.count)), self.tuples.count)
        fitting = np.zeros(len(self.tuples.count), np.int64)
        fitting[self.kind] = self.records
        least = np.full(size, np.iinfo(np.int64).max)
        np.minimum.at(least, groups, fitting[owner])
        likeliest = fitting[owner] == least[groups]
        named = sums_by_place(groups[likeliest], np.bincount(self.kind)[owner[likeliest]], size)
        pairs = (owner * size + groups)[likeliest]
        member = np.flatnonzero(truth >= 0)
        right = np.isin(self.kind[member] * size + truth[member], pairs)
        return np.where(right, named[truth[member]], 0)


def sums_by_place(place: Ints, amounts: Ints, size: int) -> Ints:
    """The amounts that stand at each place, added up."""
    total = np.zeros(size, np.int64)
    np.add.at(total, place, amounts)
    return total
