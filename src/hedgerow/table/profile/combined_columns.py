"""Who stands out by several columns: what attackers know, three columns, special uniques."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from hedgerow.table.profile.attackers import ATTACKERS
from hedgerow.table.profile.column_facts import ColumnFacts
from hedgerow.table.profile.column_notes import listed
from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.pair_counts import People
from hedgerow.table.profile.partitions import RowPartition
from hedgerow.table.profile.special_uniques import LARGEST, special_uniques
from hedgerow.table.profile.table_profile import AttackerKnowledge, Combination, TableProfile
from hedgerow.table.profile.uniqueness import combination, combined, smallest_sets, told_by

FEWEST = 3
"""Columns that attackers are thought to know, at least; with fewer, they may know any."""
MOST_NAMED = 8
"""Columns that a note names."""
Progress = Callable[[str, float | None], None]


def with_combinations(
    profile: TableProfile, columns: Mapping[str, EncodedColumn], people: People,
    known: Collection[str] | None, deep: bool, say: Progress,
) -> TableProfile:  # fmt: skip
    """With what attackers know, three columns together, and special uniques."""
    telling = [name for name in columns if _may_be_combined(profile, name)]
    knowledge = []
    for kind in ATTACKERS:
        named = [name for name in kind.columns(profile.columns) if name in telling]
        if named:
            # Those that tell most apart first: the others then look at few rows.
            order = sorted(named, key=lambda name: -profile.column(name).separation)
            together = combination([columns[name] for name in order], people)
            knowledge.append(AttackerKnowledge(
                attacker=kind.name, columns=tuple(named), distinction=together.distinction
            ))  # fmt: skip
    likely = _likely(telling, knowledge)
    if known is not None:
        likely = [n for n in columns if n in known and not profile.column(n).constant]
    notes, found, special = list(profile.notes), list(profile.combinations), None
    if deep:
        shares = {name: profile.column(name).separation for name in likely}
        order = sorted(likely, key=lambda name: -shares[name])
        kept, left = combined(order, people.rows)
        if left:
            notes.append(
                "There are too many combinations of three columns. Not combined in threes were: "
                f"{listed(left, MOST_NAMED)}."
            )
        chosen = [columns[name] for name in columns if name in kept]
        threes: list[Combination] = []

        def met(of: Sequence[EncodedColumn], parted: RowPartition) -> None:
            if len(of) == LARGEST:
                threes.append(told_by(tuple(one.name for one in of), parted))

        if chosen:
            special = special_uniques(
                chosen, people, met=met,
                progress=lambda share: say("combining three columns", share),
            )  # fmt: skip
        found += threes
    smallest = smallest_sets(found, {name: columns[name] for name in likely}, people)
    return replace(
        profile, knowledge=tuple(knowledge), combinations=worst_first(found), smallest=smallest,
        special=special, notes=tuple(notes),
    )  # fmt: skip


def _likely(telling: Sequence[str], knowledge: Sequence[AttackerKnowledge]) -> list[str]:
    """The columns that somebody is likely to know, besides who has had the data before."""
    some = {name for one in knowledge[:-1] for name in one.columns}
    likely = [name for name in telling if name in some]
    return likely if len(likely) >= FEWEST else list(telling)


def _may_be_combined(profile: TableProfile, name: str) -> bool:
    """Whether a column tells anything beside others: names and row numbers tell all alone."""
    look = profile.column(name)
    if name == profile.person or look.constant or look.sequence or look.free_text:
        return False
    if names_people(look):
        return False
    return not any(key.column == name for key in profile.keys)


def names_people(look: ColumnFacts) -> bool:
    """Whether the values of a column identify people, and are no places."""
    return any(form.kind not in ("street address", "coordinates") for form in look.identifiers)


def worst_first(found: Sequence[Combination]) -> tuple[Combination, ...]:
    """Those that single out most people first."""
    return tuple(sorted(found, key=lambda one: (-one.people, len(one.columns), one.columns)))
