"""A Markov chain over worlds, fitting ones and others, whose fitting ones have the right law.

Exchanges that keep every release do not connect all worlds: where two-way tables of a three-way
table are fixed no simple set of exchanges does (Diaconis, Sturmfels 1998). So this chain leaves the
worlds that fit. A state gives each person a value and, in each release, a group that fits them (or
none, if they may be absent). Records may be given twice, or to nobody: how often that is, is the
state's *misfit*, and a world fits if it is 0 (Bunea, Besag 2000, for one release kept exact).

Guarantee: The law of the chain is, on states of misfit 0, that of `claims/worlds/exact.py`; and the
    chain reaches every state from every other. A move changes one person's value or group, so two
    states are as many moves apart as they differ; every state has a positive weight; and a proposal
    that changes nothing keeps the chain from being periodic. Exchanges between two people come on
    top. All proposals are symmetric, and accepted by the rule of Metropolis.
    How likely a misfit is, is chosen while the chain warms up, so that about as much time is spent
    at each (Wang, Landau 2001), and kept from then on. It cannot change the law at misfit 0.
Assumes: Nothing about how soon it gets there. `world_sample.py` looks at that.
Reference: Bunea, Besag 2000; Wang, Landau 2001 (Phys. Rev. Lett. 86).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.claims.worlds.knowledge import Knowledge
from hedgerow.table.groups import Floats, Ints

Flags = NDArray[np.bool_]
LEVELS = 5
"""Misfits from 0 on that get a likelihood of their own while the chain warms up."""
BONUS = 2.0
"""How much more time is spent at worlds that fit than at each other misfit: its logarithm."""
LARGE_BONUS = 8.0
"""The same where it takes long to come back: fewer than SEVERAL times while the chain warms up."""
SEVERAL = 20
STAGES = 60
"""How often what a visit takes off the likelihood is made smaller while the chain warms up."""
DOUBLES = 0.5
"""The share of proposals that exchange the values of two pairs of people, so that two releases stay
as they are."""
EXCHANGES = 0.3
"""The share of proposals that exchange two people's values; the others change one person, or
exchange two people's groups."""
OTHERS = DOUBLES + EXCHANGES + (1 - DOUBLES - EXCHANGES) / 3
GROUPS = DOUBLES + EXCHANGES + (1 - DOUBLES - EXCHANGES) * 2 / 3
SCANNED = 1024
"""Groups with no more members are searched for somebody with a certain value; of larger ones any
member is tried."""


class ChainBoard(NamedTuple):
    """What stays as it is while the chain runs."""

    kind: Ints
    """Of each person, the kind."""
    value_start: Ints
    """Kind k may have values[value_start[k]:value_start[k + 1]]."""
    values: Ints
    allowed: Flags
    """Kinds by values."""
    likely: Floats
    """Kinds by values: logarithms of the weights."""
    group_start: Ints
    """Kind k may be in groups[group_start[k, r]:group_start[k, r + 1]] of release r."""
    groups: Ints
    """-1: in none."""
    movable: Ints
    """Pairs of a person and a release in which they may be in several groups."""
    member_start: Ints
    """Releases by groups: members[member_start[r, g]:member_start[r, g + 1]] may be in group g."""
    members: Ints
    first: Ints
    """Of each release, its first cell. A cell is a group and a look."""
    width: Ints
    """Of each release, how many looks; the last is that of values that look like no record."""
    look: Ints
    """Releases by values."""
    records: Ints
    """Of each cell."""
    listed: Flags
    """Of each cell, whether all its records belong to listed people."""
    urn: Floats
    """Balls of each value; empty where there is no urn."""


class ChainState(NamedTuple):
    """Where the chain is."""

    value: Ints
    """Of each person."""
    group: Ints
    """People by releases; -1: in none."""
    used: Ints
    """Of each cell, how many people have its records."""
    having: Ints
    """Of each value, how many people have it."""
    misfit: Ints
    """One number."""


class ChainTally(NamedTuple):
    """What was seen at misfit 0 so far."""

    row: Ints
    """Of each kind, its row below; -1 where it is not asked about."""
    people: Ints
    """Kinds by values: how many people have it now."""
    since: Ints
    """The same: up to which time `total` has it."""
    total: Floats
    """The same: how many people had it, added up over time."""
    clock: Ints
    """Steps at misfit 0; how often the chain came there; and 1 while it is there."""


def board_of(knowledge: Knowledge, possible: Flags) -> ChainBoard:
    """The arrays of a component.

    Args:
        knowledge: What the attacker has.
        possible: Kinds by values: what no world has is left out. With what some worlds have, the
            chain is right, whether or not more is left out.
    """
    kinds, releases = knowledge.kinds, len(knowledge.shown)
    people = np.repeat(np.arange(kinds), knowledge.people)
    allowed = possible.copy()
    likely = np.zeros(allowed.shape)
    if knowledge.weights is not None:
        given = np.array([[float(w) for w in mine] for mine in knowledge.weights])
        given = given.reshape(allowed.shape)
        allowed &= given > 0
        likely = np.log(np.where(allowed, given, 1.0))
    places: list[list[int]] = []
    for k in range(kinds):
        for one in knowledge.shown:
            mine = one.fits.of(k).tolist()
            places.append(mine if one.sure[k] and mine else [*mine, -1])
    count = np.array([len(mine) for mine in places], np.int64)
    several = count.reshape(kinds, releases)[people] > 1
    most = max((len(one.histogram.indptr) - 1 for one in knowledge.shown), default=0)
    member_start = np.zeros((releases, most + 1), np.int64)
    members: list[Ints] = []
    cells: list[Ints] = []
    listed: list[Flags] = []
    first: list[int] = []
    width: list[int] = []
    look = np.zeros((releases, knowledge.values), np.int64)
    for r, one in enumerate(knowledge.shown):
        table = one.dense()
        table = np.column_stack((table, np.zeros(len(table), np.int64)))
        first.append(sum(len(part) for part in cells))
        width.append(table.shape[1])
        look[r] = np.where(one.looks >= 0, one.looks, table.shape[1] - 1)
        cells.append(table.ravel())
        listed.append(np.full(table.size, one.listed))
        mine = one.fits.take(people)
        owner = np.repeat(np.arange(len(people)), mine.count)
        order = np.argsort(mine.groups, kind="stable")
        begin = sum(len(part) for part in members)
        member_start[r] = begin + np.searchsorted(mine.groups[order], np.arange(most + 1))
        members.append(owner[order])
    return ChainBoard(
        people.astype(np.int64),
        np.concatenate(([0], np.cumsum(allowed.sum(axis=1)))).astype(np.int64),
        np.nonzero(allowed)[1].astype(np.int64),
        allowed,
        likely,
        _starts(count, kinds, releases),
        np.array([g for mine in places for g in mine], np.int64),
        np.argwhere(several).astype(np.int64).reshape(-1, 2),
        member_start,
        np.concatenate(members or [np.zeros(0, np.int64)]).astype(np.int64),
        np.array(first, np.int64),
        np.array(width, np.int64),
        look,
        np.concatenate(cells or [np.zeros(0, np.int64)]).astype(np.int64),
        np.concatenate(listed or [np.zeros(0, np.bool_)]).astype(np.bool_),
        np.array([float(balls) for balls in knowledge.urn or ()], np.float64),
    )


def _starts(count: Ints, kinds: int, releases: int) -> Ints:
    """Kinds by releases and one more: where the groups begin, and end."""
    ends = np.concatenate(([0], np.cumsum(count)))
    at = np.arange(kinds)[:, None] * releases + np.arange(releases + 1)[None, :]
    starts: Ints = ends[at].astype(np.int64)
    return starts


@dataclass(eq=False)
class WorldChain:
    """One chain, from a start of its own."""

    board: ChainBoard
    state: ChainState
    rng: np.random.Generator
    weight: Floats
    """Logarithm of how likely each misfit is made; beyond the last, this falls by `slope` each."""
    slope: float

    @classmethod
    def begin(cls, board: ChainBoard, rng: np.random.Generator) -> WorldChain:
        """Everybody gets any value and any group, so starts differ as much as states do."""
        people, releases = len(board.kind), len(board.first)
        low, high = board.value_start[board.kind], board.value_start[board.kind + 1]
        value = board.values[rng.integers(low, high)] if people else np.zeros(0, np.int64)
        group = np.zeros((people, releases), np.int64)
        for r in range(releases):
            low, high = board.group_start[board.kind, r], board.group_start[board.kind, r + 1]
            group[:, r] = board.groups[rng.integers(low, high)]
        used = np.zeros(len(board.records), np.int64)
        for r in range(releases):
            inside = group[:, r] >= 0
            at = board.first[r] + group[:, r] * board.width[r] + board.look[r, value]
            np.add.at(used, at[inside], 1)
        having = np.bincount(value, minlength=board.allowed.shape[1]).astype(np.int64)
        over = np.maximum(used - board.records, 0)
        under = np.where(board.listed, np.maximum(board.records - used, 0), 0)
        state = ChainState(value, group, used, having, np.array([int((over + under).sum())]))
        slope = max(1.0, float(np.log(max(2, people))) / 2)
        return cls(board, state, rng, -slope * np.arange(LEVELS, dtype=np.float64), slope)

    def warm(self, steps: int) -> bool:
        """Go to worlds that fit, and choose how likely each misfit is made.

        Returns:
            Whether a world that fits was found.
        """
        if not self._hunt(3 * steps):
            return False
        tally = self.tally(np.zeros(0, np.int64))
        part = max(1, steps // STAGES)
        for stage in range(STAGES):
            self._walk(part, min(0.01, LEVELS / (part * (stage + 1))), tally)
            self.weight -= self.weight.max()
        learned, slope = self.weight.copy(), self.slope
        if not self._hunt(3 * steps):
            return False
        self.weight[:], self.slope = learned, slope
        self.weight[0] += BONUS if tally.clock[1] >= SEVERAL else LARGE_BONUS
        return True

    def _hunt(self, steps: int) -> bool:
        """Go to a world that fits; whether one was found."""
        steep, tally = self.slope, self.tally(np.zeros(0, np.int64))
        for stage in range(STAGES):
            self.slope = steep * (0.9 + 0.6 * stage / STAGES)
            self.weight[:] = -self.slope * np.arange(LEVELS)
            self._walk(max(1, steps // STAGES), 0.0, tally, hunt=True)
            if self.state.misfit[0] == 0:
                break
        self.slope = steep
        self.weight[:] = -steep * np.arange(LEVELS)
        return bool(self.state.misfit[0] == 0)

    def tally(self, asked: Ints) -> ChainTally:
        """An empty tally of these kinds."""
        kinds, values = self.board.allowed.shape
        row = np.full(kinds, -1, np.int64)
        row[asked] = np.arange(len(asked))
        count = np.zeros((len(asked), values), np.int64)
        rows = row[self.board.kind]
        np.add.at(count, (rows[rows >= 0], self.state.value[rows >= 0]), 1)
        here = int(self.state.misfit[0] == 0)
        return ChainTally(
            row, count, np.zeros_like(count), np.zeros(count.shape),
            np.array([0, 0, here], np.int64),
        )  # fmt: skip

    def run(self, steps: int, asked: Ints) -> ChainTally:
        """Take so many steps; what was seen of these kinds at misfit 0."""
        tally = self.tally(asked)
        self._walk(steps, 0.0, tally)
        tally.total[:] += tally.people * (tally.clock[0] - tally.since)
        tally.since[:] = tally.clock[0]
        return tally

    def _walk(self, steps: int, learn: float, tally: ChainTally, *, hunt: bool = False) -> None:
        _walked(
            self.board, self.state, tally, self.weight, self.slope, learn, hunt, steps, self.rng
        )


@kernel
def _put(used: Ints, records: Ints, listed: Flags, cell: int, more: int) -> tuple[int, float]:
    """Give one record more of a cell to people, or one fewer.

    Args:
        used: Of each cell, how many people have its records; changed in place.
        records: Of each cell.
        listed: Of each cell, whether all its records belong to listed people.
        cell: Which.
        more: 1, or -1.

    Returns:
        How the misfit changes, and by which logarithm the ways to say whose record is whose.
    """
    before, all_of_them = used[cell], records[cell]
    used[cell] = before + more
    if listed[cell]:
        return abs(before + more - all_of_them) - abs(before - all_of_them), 0.0
    change = max(before + more - all_of_them, 0) - max(before - all_of_them, 0)
    if more == 1:
        return change, np.log(all_of_them - before) if before < all_of_them else 0.0
    return change, -np.log(all_of_them - before + 1) if before <= all_of_them else 0.0


@kernel
def _shift(
    board: ChainBoard,  # board: the component
    state: ChainState,  # state: changed in place
    release: int,  # release: where
    group: int,  # group: of the release, or -1
    value: int,  # value: what the person has
    more: int,  # more: 1 where the person takes such a record; -1 where they give it back
) -> tuple[int, float]:
    """One person takes or gives back a record; as `_put`."""
    if group < 0:
        return 0, 0.0
    cell = board.first[release] + group * board.width[release] + board.look[release, value]
    return _put(state.used, board.records, board.listed, cell, more)


@kernel
def _revalue(
    board: ChainBoard,  # board: the component
    state: ChainState,  # state: changed in place
    person: int,  # person: who
    value: int,  # value: what they get
) -> tuple[int, float]:
    """One person gets another value, and keeps their groups; as `_put`."""
    old, kind = state.value[person], board.kind[person]
    change, ways = 0, board.likely[kind, value] - board.likely[kind, old]
    for r in range(len(board.first)):
        g = state.group[person, r]
        a, x = _shift(board, state, r, g, old, -1)
        b, y = _shift(board, state, r, g, value, 1)
        change, ways = change + a + b, ways + x + y
    state.having[old] -= 1
    if len(board.urn):
        ways -= np.log(board.urn[old] + state.having[old])
        ways += np.log(board.urn[value] + state.having[value])
    state.having[value] += 1
    state.value[person] = value
    return change, ways


@kernel
def _regroup(
    board: ChainBoard,  # board: the component
    state: ChainState,  # state: changed in place
    person: int,  # person: who
    release: int,  # release: where
    group: int,  # group: where they go, or -1
) -> tuple[int, float]:
    """One person goes to another group of a release; as `_put`."""
    value = state.value[person]
    a, x = _shift(board, state, release, state.group[person, release], value, -1)
    b, y = _shift(board, state, release, group, value, 1)
    state.group[person, release] = group
    return a + b, x + y


@kernel
def _may(board: ChainBoard, kind: int, release: int, group: int) -> bool:
    """Whether people of the kind may be in the group.

    Args:
        board: The component.
        kind: Which people.
        release: Where.
        group: Of the release, or -1.
    """
    for i in range(board.group_start[kind, release], board.group_start[kind, release + 1]):
        if board.groups[i] == group:
            return True
    return False


@kernel
def _traded(board: ChainBoard, state: ChainState, first: int, second: int) -> tuple[int, float]:
    """Two people exchange their groups wherever both fit; as `_put`. Twice is not at all.

    Args:
        board: The component.
        state: Changed in place.
        first: One of them,
        second: and the other.
    """
    change, ways = 0, 0.0
    for r in range(len(board.first)):
        here, there = state.group[first, r], state.group[second, r]
        if (
            here != there
            and _may(board, board.kind[first], r, there)
            and _may(board, board.kind[second], r, here)
        ):
            a, x = _regroup(board, state, first, r, there)
            b, y = _regroup(board, state, second, r, here)
            change, ways = change + a + b, ways + x + y
    return change, ways


@kernel
def _crowded(board: ChainBoard, state: ChainState, person: int) -> bool:
    """Whether somebody shares a record with others in some release.

    Args:
        board: The component.
        state: Where it is.
        person: Who.
    """
    for r in range(len(board.first)):
        g = state.group[person, r]
        if g >= 0:
            cell = board.first[r] + g * board.width[r] + board.look[r, state.value[person]]
            if state.used[cell] > board.records[cell]:
                return True
    return False


@kernel
def _found(
    board: ChainBoard,  # board: the component
    state: ChainState,  # state: where it is
    release: int,  # release: of the group
    group: int,  # group: among whose members somebody is looked for
    value: int,  # value: what they must have
    beside: int,  # beside: a release, or -1
    there: int,  # there: the group in which they must be in that one
    rng: np.random.Generator,  # rng: of who is chosen
) -> tuple[int, int]:
    """A random member of a group who has a value; -1 where nobody was found.

    Returns:
        The person, and among how many they were chosen.
    """
    low, high = board.member_start[release, group], board.member_start[release, group + 1]
    if high - low > SCANNED:
        person = board.members[low + int(rng.random() * (high - low))]
        right = state.value[person] == value and state.group[person, release] == group
        if right and (beside < 0 or state.group[person, beside] == there):
            return person, high - low
        return -1, high - low
    found, many = -1, 0
    for i in range(low, high):
        person = board.members[i]
        if state.value[person] != value or state.group[person, release] != group:
            continue
        if beside >= 0 and state.group[person, beside] != there:
            continue
        many += 1
        if rng.random() * many < 1.0:
            found = person
    return found, many


@kernel
def _note(tally: ChainTally, kind: int, old: int, new: int) -> None:
    """Somebody of a kind has another value from now on.

    Args:
        tally: Changed in place.
        kind: Of the person.
        old: The value before,
        new: and after.
    """
    row = tally.row[kind]
    if row < 0:
        return
    now = tally.clock[0]
    tally.total[row, old] += tally.people[row, old] * (now - tally.since[row, old])
    tally.total[row, new] += tally.people[row, new] * (now - tally.since[row, new])
    tally.since[row, old] = now
    tally.since[row, new] = now
    tally.people[row, old] -= 1
    tally.people[row, new] += 1


@kernel
def _walked(
    board: ChainBoard,
    state: ChainState,
    tally: ChainTally,
    weight: Floats,
    slope: float,
    learn: float,
    hunt: bool,
    steps: int,
    rng: np.random.Generator,
) -> None:
    """Take steps.

    Args:
        board: The component.
        state: Changed in place.
        tally: Changed in place.
        weight: Logarithm of how likely each misfit is made; changed in place where it is learned.
        slope: By how much it falls with each misfit beyond these.
        learn: What is taken off the weight of a misfit at each visit; 0 to keep the weights.
        hunt: Whether people are proposed who share a record that is given too often. That is not
            symmetric, and only right on the way to the first world that fits.
        steps: How many.
        rng: Of proposals.
    """
    people, releases, levels = len(board.kind), len(board.first), len(weight)
    several = len(board.movable)
    for _ in range(steps):
        which, first, second, third, fourth, at, old, other = 0, -1, -1, -1, -1, 0, 0, 0
        change, ways = 0, 0.0
        draw = rng.random()
        if draw < DOUBLES + EXCHANGES:
            # A pair of one group. Of a double another pair of one group undoes it in `beside`.
            double = draw < DOUBLES and releases > 1 and not hunt
            whole = several > 0 and rng.random() < 0.5
            first = int(rng.random() * people)
            if hunt:
                for _ in range(people):
                    if _crowded(board, state, first):
                        break
                    first = int(rng.random() * people)
            at = int(rng.random() * releases)
            g = state.group[first, at]
            if g >= 0:
                low, high = board.member_start[at, g], board.member_start[at, g + 1]
                second = board.members[low + int(rng.random() * (high - low))]
                old, other = state.value[first], state.value[second]
                if (
                    old != other
                    and state.group[second, at] == g
                    and board.allowed[board.kind[first], other]
                    and board.allowed[board.kind[second], old]
                ):
                    which = 1
                    if whole:
                        which = 6
                        change, ways = _traded(board, state, first, second)
                    elif double:
                        beside = int(rng.random() * (releases - 1))
                        beside += beside >= at
                        here, there = state.group[first, beside], state.group[second, beside]
                        which = 0
                        if here < 0:
                            first, second, here, there = second, first, there, here
                            old, other = other, old
                        if here >= 0 and here != there:
                            third, many = _found(board, state, beside, here, other, -1, -1, rng)
                            if third >= 0 and state.group[third, at] >= 0:
                                g = state.group[third, at]
                                fourth, more = _found(board, state, at, g, old, beside, there, rng)
                                ways += np.log(many * max(more, 1))
                                if (
                                    fourth >= 0
                                    and board.allowed[board.kind[third], old]
                                    and board.allowed[board.kind[fourth], other]
                                ):
                                    which = 5
                    if which:
                        a, x = _revalue(board, state, first, other)
                        b, y = _revalue(board, state, second, old)
                        change, ways = change + a + b, ways + x + y
                    if which == 5:
                        a, x = _revalue(board, state, third, old)
                        b, y = _revalue(board, state, fourth, other)
                        change, ways = change + a + b, ways + x + y
                        # How likely it is to be undone by the same pairs.
                        _, many = _found(board, state, beside, here, old, -1, -1, rng)
                        _, more = _found(board, state, at, g, other, beside, there, rng)
                        ways -= np.log(many * max(more, 1))
        elif several == 0 or draw < OTHERS:
            first = int(rng.random() * people)
            low, high = (
                board.value_start[board.kind[first]],
                board.value_start[board.kind[first] + 1],
            )
            old, other = state.value[first], board.values[low + int(rng.random() * (high - low))]
            if old != other:
                which = 2
                change, ways = _revalue(board, state, first, other)
        else:
            place = int(rng.random() * several)
            first, at = board.movable[place, 0], board.movable[place, 1]
            low, high = (
                board.group_start[board.kind[first], at],
                board.group_start[board.kind[first], at + 1],
            )
            old, other = (
                state.group[first, at],
                board.groups[low + int(rng.random() * (high - low))],
            )
            if draw < GROUPS:
                if old != other:
                    which = 3
                    change, ways = _regroup(board, state, first, at, other)
            elif other >= 0:
                # Who is chosen does not depend on where anybody is, so both ways are as likely.
                low, high = board.member_start[at, other], board.member_start[at, other + 1]
                second = board.members[low + int(rng.random() * (high - low))]
                other = state.group[second, at]
                if (
                    old != other
                    and _may(board, board.kind[first], at, other)
                    and _may(board, board.kind[second], at, old)
                ):
                    which = 4
                    change, ways = _regroup(board, state, first, at, other)
                    a, x = _regroup(board, state, second, at, old)
                    change, ways = change + a, ways + x
        if which:
            now = state.misfit[0]
            then = now + change
            before = weight[min(now, levels - 1)] - slope * max(now - levels + 1, 0)
            after = weight[min(then, levels - 1)] - slope * max(then - levels + 1, 0)
            if np.log(1.0 - rng.random()) < ways + after - before:
                state.misfit[0] = then
                if which in (1, 2, 5, 6):
                    _note(tally, board.kind[first], old, other)
                if which in (1, 5, 6):
                    _note(tally, board.kind[second], other, old)
                if which == 5:
                    _note(tally, board.kind[third], other, old)
                    _note(tally, board.kind[fourth], old, other)
            elif which in (1, 5, 6):
                _revalue(board, state, first, old)
                _revalue(board, state, second, other)
                if which == 6:
                    _traded(board, state, first, second)
                if which == 5:
                    _revalue(board, state, third, other)
                    _revalue(board, state, fourth, old)
            elif which == 2:
                _revalue(board, state, first, old)
            else:
                _regroup(board, state, first, at, old)
                if which == 4:
                    _regroup(board, state, second, at, other)
        if state.misfit[0] == 0:
            if hunt:
                return
            tally.clock[0] += 1
            if tally.clock[2] == 0:
                tally.clock[1] += 1
                tally.clock[2] = 1
        else:
            tally.clock[2] = 0
        if learn > 0.0:
            # Of the neighbours half as much: some misfits are rare, and must not hold the chain.
            level = min(state.misfit[0], levels - 1)
            weight[level] -= learn
            weight[max(level - 1, 0)] -= learn / 2
            weight[min(level + 1, levels - 1)] -= learn / 2
