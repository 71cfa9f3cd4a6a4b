"""The world of a table as attackers see it: where people may be, and what releases show of them.

Whoever fits several groups of a release may be in any of them. These groups are one *set*, and a
place is a set in each release. A set of one group has the number of the group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import some
from hedgerow.base.spelling import likeness, unrecorded
from hedgerow.claims.worlds.joint_values import JointValues
from hedgerow.claims.worlds.place_belief import PlacedPeople, SecretColumn, UncountedError
from hedgerow.claims.worlds.record_owners import NOWHERE, SeenRecords
from hedgerow.claims.worlds.table_world import TableWorld, UncheckedError
from hedgerow.table.groups import Ints
from hedgerow.table.location import Located

Flags = NDArray[np.bool_]
Value = str | None


@dataclass(frozen=True, eq=False)
class FittedSets:
    """The sets of groups that people of a release fit."""

    groups: Located
    """Of each set its groups. The first sets are the groups, one by one."""
    of: Ints
    """Of everybody who was asked about, their set; NOWHERE where no group fits."""

    @classmethod
    def read(cls, fitting: Located, size: int) -> FittedSets:
        """From the groups that fit people, of a release with so many groups.

        >>> fitting = Located(np.array([0, 1, 3, 3, 5]), np.array([2, 0, 2, 2, 0]))
        >>> found = FittedSets.read(fitting, 3)
        >>> found.of.tolist(), found.groups.of(3).tolist()
        ([2, 3, -1, 3], [0, 2])
        """
        count = fitting.count
        of = np.full(len(count), NOWHERE, np.int64)
        single = count == 1
        of[single] = fitting.groups[fitting.start[:-1][single]]
        numbers: dict[bytes, int] = {}
        several = list[Ints]()
        for one in np.flatnonzero(count > 1).tolist():
            groups = np.sort(fitting.of(one))
            key = groups.tobytes()
            if key not in numbers:
                numbers[key] = size + len(several)
                several.append(groups)
            of[one] = numbers[key]
        many = np.array([1] * size + [len(groups) for groups in several], np.int64)
        start = np.concatenate(([0], np.cumsum(many)))
        return cls(Located(start, np.concatenate((np.arange(size), *several))), of)

    @property
    def overlap(self) -> bool:
        """Whether somebody fits several groups."""
        return len(self.groups.groups) > len(self.groups.count)


@dataclass(frozen=True, eq=False)
class BeliefWorld:
    """Everybody an attacker may list, their places, and the records of every release."""

    person: Ints
    """Of each row, whose it is; ascending."""
    place: Ints
    """Rows by earlier releases: the set; NOWHERE where they are in none."""
    certain: Flags
    """Of each row, whether it is certain that the person is there."""
    pool: Ints
    """As in `TableWorld`, and so are these:"""
    wanted: Ints
    records: Ints
    open: bool
    """Whether nobody knows who was in an earlier release in which people fit several groups."""
    sets: tuple[Located, ...]
    """Of each earlier release, the groups of each set."""
    tables: tuple[Ints, ...]
    """Of each earlier release, groups by looks: the records."""
    values: JointValues
    """What people may have. The new release comes first in it."""
    own: Ints
    """Of each person of the table, how their record looks in the new release."""

    @classmethod
    def of(
        cls,
        world: TableWorld,
        columns: tuple[str, ...],
        new: tuple[tuple[str, ...], Sequence[Value]],
        earlier: Sequence[tuple[tuple[str, ...], SeenRecords]],
        fitting: Sequence[Located],
        person: Ints,
    ) -> BeliefWorld:
        """From who is where.

        Args:
            world: Whose records may be where.
            columns: What is joined on, the sensitive column first.
            new: Which of these the new release shows; and what people of each kind have in them.
            earlier: Of each earlier release which it shows, and its records.
            fitting: For each, the groups that fit people of each kind.
            person: The kind of each person of the table.
        """
        looks: dict[Value, int] = {}
        own = np.array([looks.setdefault(text, len(looks)) for text in new[1]], np.int64)
        shown = [(mine, [*records.looks]) for mine, records in earlier]
        values = JointValues.of(columns, [(new[0], [*looks]), *shown])
        table = world.person < len(person)
        place, sets, tables, is_open = world.place.copy(), [], [], False
        for r, ((_, records), where) in enumerate(zip(earlier, fitting, strict=True)):
            dense = records.dense()
            size = max(len(dense), int(where.groups.max(initial=-1)) + 1)
            dense = np.concatenate((dense, np.zeros((size - len(dense), dense.shape[1]), np.int64)))
            fits = FittedSets.read(where, size)
            there = table & (place[:, r] != NOWHERE)
            place[there, r] = fits.of[person[world.person[there]]]
            is_open |= fits.overlap and not world.owned[r]
            sets.append(fits.groups)
            tables.append(dense)
        again = np.zeros(len(place), np.bool_)  # two groups of a set are one place
        again[1:] = (np.diff(world.person) == 0) & (np.diff(place, axis=0) == 0).all(axis=1)
        kept = ~again
        return cls(
            world.person[kept], place[kept], world.certain[kept], world.pool[kept], world.wanted,
            world.records, is_open, tuple(sets), tuple(tables), values, own[person],
        )  # fmt: skip

    def wherever(self, group: Ints, seen: FittedSets | None = None) -> PlacedPeople:
        """Everybody in every place where they may be.

        Args:
            group: Of each person of the table, the group in a new release; NOWHERE for people who
                are not in it.
            seen: Of each of them, the groups that fit; left out where it is their own alone.
        """
        new = self._new(group, seen)
        return self._placed(np.ones(len(self.person), np.bool_), group, new)

    def settled(self, group: Ints, seen: FittedSets | None = None) -> PlacedPeople:
        """Everybody in one place, where it makes no difference who of several people is there.

        Of seven people who are alike five were in an earlier group: it does not matter which.

        Args:
            group: As in `wherever`,
            seen: and so is this.

        Raises:
            UncountedError: It makes a difference, and nobody knows who was there.
        """
        new = self._new(group, seen)
        stacked, table = self._stacked(new), self.person < len(group)
        rows = np.bincount(self.person)[self.person]
        chosen = rows == 1
        there = np.flatnonzero(self.pool >= 0)
        for pool in range(len(self.wanted)):
            mine = there[self.pool[there] == pool]
            # Of each of them the first row says that they came later, the second where they were.
            alike = len(np.unique(np.column_stack((stacked[mine], stacked[mine - 1])), axis=0)) < 2
            if len(mine) != self.wanted[pool] or (rows[mine] != 2).any() or not alike:
                break
            chosen[mine[: self.records[pool]]] = True
            chosen[mine[self.records[pool] :] - 1] = True
        once = np.bincount(self.person[chosen], minlength=int(self.person.max(initial=-1)) + 1) == 1
        known = self.certain | (self.pool >= 0) | table
        if self.open or not once.all() or not known.all():
            raise UncountedError(
                "nobody knows who of several people was in an earlier release, and it makes a "
                "difference",
                fix="Give up the claim, or publish more coarsely where people came and left.",
            )
        return self._placed(chosen, group, new)

    def _placed(self, rows: Flags, group: Ints, new: FittedSets) -> PlacedPeople:
        return PlacedPeople(
            self.person[rows], self._stacked(new)[rows], (self._table(group, new), *self.tables),
            self.values.looks, (new.groups, *self.sets),
        )  # fmt: skip

    def _new(self, group: Ints, seen: FittedSets | None) -> FittedSets:
        if seen is not None:
            return replace(seen, of=np.where(group == NOWHERE, NOWHERE, seen.of))
        size = int(group.max(initial=-1)) + 1
        return FittedSets(Located(np.arange(size + 1), np.arange(size)), group)

    def _stacked(self, new: FittedSets) -> Ints:
        """Rows by releases, the new one first: the set."""
        first = np.full(len(self.person), NOWHERE, np.int64)
        table = self.person < len(new.of)
        first[table] = new.of[self.person[table]]
        return np.column_stack((first, self.place))

    def _table(self, group: Ints, new: FittedSets) -> Ints:
        """Of the new release, groups by looks: the records."""
        size = max(int(group.max(initial=-1)), int(new.groups.groups.max(initial=-1))) + 1
        table = np.zeros((size, int(self.own.max(initial=-1)) + 1), np.int64)
        inside = group != NOWHERE
        np.add.at(table, (group[inside], self.own[inside]), 1)
        return table

    @cached_property
    def _many(self) -> Ints:
        """How many joint values have each sensitive one."""
        return np.bincount(self.values.secret, minlength=len(self.values.names))

    @cached_property
    def _untold(self) -> tuple[Flags, Flags]:
        """Which sensitive values are missing, and which say nothing."""
        names = self.values.names
        missing = np.array([name is None for name in names], np.bool_)
        return missing, np.array(unrecorded(names), np.bool_)

    def columns(self, prior: Mapping[Value, Fraction] | None) -> Iterator[SecretColumn]:
        """The values there are, for each attacker who is meant.

        Where records are joined on further columns, it makes a difference to attackers without a
        prior whether they take all joint values for equally likely, or all sensitive ones. Both are
        meant.

        Args:
            prior: How likely attackers take each sensitive value to be; None: all alike.

        Raises:
            UncheckedError: It says nothing of one of them.
        """
        names, secret = self.values.names, self.values.secret
        missing, silent = self._untold
        alike = tuple(Fraction(1, int(self._many[s])) for s in secret.tolist())
        if prior is None:
            yield SecretColumn(secret, missing, silent, None)
            if len({*alike}) > 1:
                yield SecretColumn(secret, missing, silent, alike)
            return
        given = {likeness(value): share for value, share in prior.items()}
        if lacking := [name for name in names if name not in given and name is not None]:
            raise UncheckedError(
                f"the prior does not say how likely {some(lacking)} is",
                fix="Give it a share, or leave the prior out.",
            )
        usual = min(given.values())
        shares = tuple(
            given.get(names[s], usual) * share
            for s, share in zip(secret.tolist(), alike, strict=True)
        )
        yield SecretColumn(secret, missing, silent, shares)
