"""The profile of a table: read once, coded, counted by one column, two, and three."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from hedgerow.base.errors import DataError
from hedgerow.engines.base import Engine
from hedgerow.engines.file_look import FileLook
from hedgerow.table.profile.coded_table import WORKERS, facts_of, read_columns
from hedgerow.table.profile.column_facts import ColumnFacts
from hedgerow.table.profile.column_notes import listed
from hedgerow.table.profile.combined_columns import (
    MOST_NAMED,
    Progress,
    names_people,
    with_combinations,
    worst_first,
)
from hedgerow.table.profile.dependencies import dependencies
from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.key_candidates import key_candidates
from hedgerow.table.profile.pair_counts import PairCount, People, pair_count
from hedgerow.table.profile.table_profile import Dependency, PersonKey, TableProfile
from hedgerow.table.profile.uniqueness import of_pair, pairs_of, single

MOST_CELLS = 20_000_000
"""Rows times columns that are looked at."""
MOST_PAIRS = 20_000
"""Pairs of columns that are counted."""
PAIR_WORK = 2_000_000_000
"""Rows times pairs, at most."""


def profile_table(
    engine: Engine,
    *,
    source: str | None = None,
    file: FileLook | None = None,
    known: Collection[str] | None = None,
    deep: bool = True,
    most_cells: int = MOST_CELLS,
    progress: Progress | None = None,
) -> TableProfile:
    """Look at a table.

    Args:
        engine: The table; its person column says whose rows are whose.
        source: What it is called.
        file: What was detected of its file.
        known: Columns that attackers are taken to know; guessed where None.
        deep: Whether to combine three columns, and to look for special uniques.
        most_cells: Rows times columns to look at.
        progress: Called as work goes on.

    Raises:
        DataError: The table has no rows.
    """
    say = progress or (lambda what, share: None)
    say("reading", None)
    names, person = engine.columns(), engine.person
    total = engine.rows_total() if file is None else file.rows
    looked_at = min(total, max(1, most_cells // max(1, len(names))))
    if not looked_at or not names:
        raise DataError("the table has no rows", fix="Give a table with at least one row.")
    columns, people = read_columns(engine, names, looked_at)
    say("looking at columns", None)
    facts = facts_of(columns, people)
    notes = []
    if looked_at < total:
        notes.append(
            f"Only the first {looked_at:,} of {total:,} rows were looked at. Fewer people stand "
            "out in all of them, and there may be more values."
        )
    if person is not None and facts[person].missing:
        notes.append(
            f"{facts[person].missing:,} rows have no value in {person!r}. They were counted as "
            "rows of one more person."
        )
    counted, left = _pairs(columns, facts, people, say)
    if left:
        notes.append(
            f"There are too many columns to combine all. Those that tell people apart least were "
            f"not combined: {listed(left, MOST_NAMED)}."
        )
    every = list(dependencies(columns, counted, key=person))
    keys = () if person is not None else _keys(engine, columns, facts, every, counted, total)
    sure = next((key.column for key in keys if key.sure and key.several), None)
    if sure is not None:
        notes.append(
            f"Every row was counted as a person, though {sure!r} seems to say whose row it is. "
            "If it does, name it as the person column."
        )
        every = list(dependencies(columns, counted, key=sure))
    # What follows from whose row it is says nothing of the columns.
    numbered = {person, sure, *(key.column for key in keys)}
    numbered |= {name for name, look in facts.items() if names_people(look)}
    follows = [
        one for one in every if one.determinant not in numbered and one.dependent not in numbered
    ]
    for one in follows:
        look = facts[one.dependent]
        facts[one.dependent] = replace(look, determined_by=(*look.determined_by, one.determinant))
    found = [single(columns[name], people) for name in facts if name != person]
    found += [of_pair(pair, count, people) for pair, count in counted.items()]
    profile = TableProfile(
        source=source, file=file, rows=total, looked_at=looked_at,
        people=people.number, person=person,
        columns=tuple(facts.values()), keys=keys,
        dependencies=tuple(sorted(follows, key=lambda one: (one.breaks, one.determinant))),
        combinations=worst_first(found), smallest=(), knowledge=(), special=None,
        notes=tuple(notes),
    )  # fmt: skip
    return with_combinations(profile, columns, people, known, deep, say)


def _pairs(
    columns: Mapping[str, EncodedColumn], facts: Mapping[str, ColumnFacts], people: People,
    say: Progress,
) -> tuple[dict[tuple[str, str], PairCount], list[str]]:  # fmt: skip
    """Every two columns counted; and those that were too many."""
    varied = [name for name, look in facts.items() if not look.constant and not look.sequence]
    telling = sorted(varied, key=lambda name: -facts[name].separation)
    width = len(telling)
    while width > 2 and (
        width * (width - 1) // 2 > MOST_PAIRS or people.rows * width * (width - 1) // 2 > PAIR_WORK
    ):
        width -= 1
    kept = set(telling[:width])
    pairs = pairs_of([name for name in columns if name in kept])
    counted: dict[tuple[str, str], PairCount] = {}
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda name: columns[name].partition, kept))
        found = pool.map(lambda pair: pair_count(columns[pair[0]], columns[pair[1]], people), pairs)
        for place, (pair, count) in enumerate(zip(pairs, found, strict=True)):
            counted[pair] = count
            if place % 20 == 0:
                say("combining columns", place / len(pairs))
    return counted, telling[width:]


def _keys(
    engine: Engine, columns: Mapping[str, EncodedColumn], facts: Mapping[str, ColumnFacts],
    follows: Sequence[Dependency], counted: Mapping[tuple[str, str], PairCount], total: int,
) -> tuple[PersonKey, ...]:  # fmt: skip
    unique: dict[str, list[str]] = {name: [] for name in columns}
    for (first, second), pair in counted.items():
        if pair.together == 0:
            unique[first].append(second)
            unique[second].append(first)
    keys = key_candidates(columns, facts, follows, unique)
    if not keys or next(iter(columns.values())).rows == total:
        return keys
    return tuple(_in_all(engine, key) for key in keys[:3])  # in the first rows people have fewer


def _in_all(engine: Engine, key: PersonKey) -> PersonKey:
    found = engine.rows_of(key.column)
    rows = engine.rows_total() - found.nobody
    return replace(
        key, people=found.people, mean_rows=rows / max(1, found.people), most_rows=found.most,
        nobody=found.nobody,
    )  # fmt: skip
