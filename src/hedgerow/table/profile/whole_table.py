"""The profile of a table: read once, coded, counted by one column, two, and three."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.base.errors import DataError
from hedgerow.engines.base import Engine
from hedgerow.table.profile.attackers import ATTACKERS
from hedgerow.table.profile.coded_column import CodedColumn
from hedgerow.table.profile.column_facts import MOST_VALUES, ColumnFacts, ColumnKind, ValueCount
from hedgerow.table.profile.column_kinds import kind_of
from hedgerow.table.profile.dependencies import dependencies
from hedgerow.table.profile.key_candidates import is_sequence, key_candidates
from hedgerow.table.profile.missing_tokens import agreed, missing_tokens
from hedgerow.table.profile.number_values import NumberValues
from hedgerow.table.profile.pair_counts import NOBODY, PairCount, People, pair_count
from hedgerow.table.profile.partitions import RowPartition
from hedgerow.table.profile.recognitions import LOOKED_AT, recognised
from hedgerow.table.profile.special_uniques import LARGEST, special_uniques
from hedgerow.table.profile.table_profile import (
    AttackerKnowledge,
    Combination,
    Dependency,
    PersonKey,
    TableProfile,
)
from hedgerow.table.profile.uniqueness import (
    combination,
    combined,
    of_pair,
    pairs_of,
    single,
    smallest_sets,
    told_by,
)

MOST_CELLS = 20_000_000
"""Rows times columns that are looked at."""
MOST_PAIRS = 20_000
"""Pairs of columns that are counted."""
PAIR_WORK = 2_000_000_000
"""Rows times pairs, at most."""
FEWEST = 3
"""Columns that attackers are thought to know, at least; with fewer, they may know any."""
Progress = Callable[[str, float | None], None]


def profile_table(
    engine: Engine,
    *,
    source: str | None = None,
    known: Collection[str] | None = None,
    deep: bool = True,
    most_cells: int = MOST_CELLS,
    progress: Progress | None = None,
) -> TableProfile:
    """Look at a table.

    Args:
        engine: The table; its person column says whose rows are whose.
        source: What it is called.
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
    total = engine.rows_total()
    looked_at = min(total, max(1, most_cells // max(1, len(names))))
    if not looked_at or not names:
        raise DataError("the table has no rows", fix="Give a table with at least one row.")
    columns, people = _read(engine, names, looked_at)
    say("looking at columns", None)
    facts = agreed({name: _facts(column, people, len(names)) for name, column in columns.items()})
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
            f"not combined: {_some(left)}."
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
    follows = [
        one for one in every if one.determinant not in numbered and one.dependent not in numbered
    ]
    for one in follows:
        look = facts[one.dependent]
        facts[one.dependent] = replace(look, determined_by=(*look.determined_by, one.determinant))
    found = [single(columns[name], people) for name in facts if name != person]
    found += [of_pair(pair, count, people) for pair, count in counted.items()]
    profile = TableProfile(
        source=source, rows=total, looked_at=looked_at, people=people.number, person=person,
        columns=tuple(facts.values()), keys=keys,
        dependencies=tuple(sorted(follows, key=lambda one: (one.breaks, one.determinant))),
        combinations=_worst_first(found), smallest=(), knowledge=(), special=None,
        notes=tuple(notes),
    )  # fmt: skip
    return _combined(profile, columns, people, known, deep, say)


def _read(engine: Engine, names: Sequence[str], rows: int) -> tuple[dict[str, CodedColumn], People]:
    """The first rows, coded; those of a person one after the other."""
    table = engine.rows(names, rows)
    whose = NOBODY
    number = table.num_rows
    if engine.person is not None:
        who = table[engine.person].combine_chunks()
        coded = CodedColumn.of(engine.person, who)
        order = np.argsort(coded.codes, kind="stable")
        whose, number = coded.codes[order], coded.distinct + (coded.missing > 0)
        table = table.take(pa.array(order))
    columns: dict[str, CodedColumn] = {}
    for name in names:
        columns[name] = CodedColumn.of(name, table[name])
        table = table.drop_columns([name])  # so that memory holds a column once
    return columns, People(whose, number, len(columns[names[0]].codes))


def _facts(column: CodedColumn, people: People, width: int) -> ColumnFacts:
    numbers = NumberValues.of(column)
    tokens = missing_tokens(column, numbers)
    texts = frozenset(one.text for one in tokens)
    looked_at = column.spread(LOOKED_AT)
    gone = np.array([column.texts[int(p)].as_py() in texts for p in numbers.places]
                    if len(numbers.places) <= len(texts) * 50 else
                    _among(column, numbers, texts), np.bool_)  # fmt: skip
    body = numbers.without(gone) if texts else numbers
    guess = kind_of(column, body, texts)
    all_numbers = len(numbers.others) <= sum(t in texts for t in _others(column, numbers))
    lengths = pc.min_max(pc.utf8_length(column.texts)).as_py() if column.distinct else {}
    alone = single(column, people)
    most = max(20, min(MOST_VALUES, 1_000_000 // width))
    amounts = guess.kind in (ColumnKind.NUMBER, ColumnKind.CODE) and all_numbers
    words = [text for text in looked_at if text not in texts]
    forms = () if guess.kind in (ColumnKind.DATE, ColumnKind.EMPTY) else recognised(
        column.name, words)  # fmt: skip
    return ColumnFacts(
        name=column.name, kind=guess.kind, kind_because=guess.because, rows=column.rows,
        missing=column.missing, missing_tokens=tokens, distinct=column.distinct,
        values=tuple(
            ValueCount(value=text, rows=int(n))
            for text, n in zip(column.head(most), column.counts[:-1], strict=False)
        ),
        longest=lengths.get("max") or 0, shortest=lengths.get("min") or 0,
        numbers=body.range if amounts else None, histogram=body.histogram if amounts else (),
        date_form=guess.date_form, leading_zeros=numbers.zeros and numbers.whole,
        sequence=is_sequence(column, numbers.values, numbers.rows), free_text=guess.free_text,
        recognised=forms, singled_out=alone.people, distinction=alone.distinction,
        separation=alone.separation,
    )  # fmt: skip


def _others(column: CodedColumn, numbers: NumberValues) -> list[str]:
    """The first of the texts that are no numbers."""
    found: list[str] = column.texts.take(pa.array(numbers.others[:1000])).to_pylist()
    return found


def _among(column: CodedColumn, numbers: NumberValues, texts: frozenset[str]) -> Any:
    """Whether each number is written as one of these texts."""
    written = column.texts.take(pa.array(numbers.places))
    return pc.is_in(written, value_set=pa.array(sorted(texts), pa.string())).to_numpy(
        zero_copy_only=False
    )


def _pairs(
    columns: Mapping[str, CodedColumn], facts: Mapping[str, ColumnFacts], people: People,
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
    for place, (first, second) in enumerate(pairs):
        counted[first, second] = pair_count(columns[first], columns[second], people)
        if place % 20 == 0:
            say("combining columns", place / len(pairs))
    return counted, telling[width:]


def _keys(
    engine: Engine, columns: Mapping[str, CodedColumn], facts: Mapping[str, ColumnFacts],
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


def _combined(
    profile: TableProfile, columns: Mapping[str, CodedColumn], people: People,
    known: Collection[str] | None, deep: bool, say: Progress,
) -> TableProfile:  # fmt: skip
    """With what attackers know, three columns together, and special uniques."""
    telling = [name for name in columns if _may_be_combined(profile, name)]
    knowledge = []
    for kind in ATTACKERS:
        named = [name for name in kind.columns(profile.columns) if name in telling]
        if named:
            together = combination([columns[name] for name in named], people)
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
                f"These columns were not combined in threes, because there are too many rows: "
                f"{_some(left)}."
            )
        chosen = [columns[name] for name in columns if name in kept]
        threes: list[Combination] = []

        def met(of: Sequence[CodedColumn], parted: RowPartition) -> None:
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
        profile, knowledge=tuple(knowledge), combinations=_worst_first(found), smallest=smallest,
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
    if any(form.kind not in ("street address", "coordinates") for form in look.identifiers):
        return False
    return not any(key.column == name for key in profile.keys)


def _worst_first(found: Sequence[Combination]) -> tuple[Combination, ...]:
    return tuple(sorted(found, key=lambda one: (-one.people, len(one.columns), one.columns)))


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8:,} more"
