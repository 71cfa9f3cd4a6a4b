"""A table as codes, column by column, and what is known of each column alone."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.engines.base import Engine
from hedgerow.table.profile.column_facts import MOST_VALUES, ColumnFacts, ColumnKind, ValueCount
from hedgerow.table.profile.column_kinds import kind_of
from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.key_candidates import is_sequence
from hedgerow.table.profile.missing_tokens import agreed, missing_tokens
from hedgerow.table.profile.number_values import NumberValues
from hedgerow.table.profile.pair_counts import NOBODY, People
from hedgerow.table.profile.recognitions import LOOKED_AT, recognised
from hedgerow.table.profile.uniqueness import single

WORKERS = min(4, os.cpu_count() or 1)
"""Threads; what they do is in compiled code."""


def read_columns(
    engine: Engine, names: Sequence[str], rows: int
) -> tuple[dict[str, EncodedColumn], People]:
    """The first rows, coded; those of a person one after the other."""
    table = engine.rows(names, rows)
    whose = NOBODY
    number = table.num_rows
    if engine.person is not None:
        who = table[engine.person].combine_chunks()
        coded = EncodedColumn.of(engine.person, who)
        order = np.argsort(coded.codes, kind="stable")
        whose, number = coded.codes[order], coded.distinct + (coded.missing > 0)
        table = table.take(pa.array(order))
    parts = {name: table[name] for name in names}
    rows = table.num_rows
    del table

    def code(name: str) -> EncodedColumn:
        return EncodedColumn.of(name, parts.pop(name))  # so that memory holds a column once

    with ThreadPoolExecutor(WORKERS) as pool:
        columns = dict(zip(names, pool.map(code, names), strict=True))
    return columns, People(whose, number, rows)


def facts_of(columns: Mapping[str, EncodedColumn], people: People) -> dict[str, ColumnFacts]:
    """What is known of each column alone."""
    with ThreadPoolExecutor(WORKERS) as pool:
        found = pool.map(lambda one: _facts(one, people, len(columns)), columns.values())
    return _with_places(agreed(dict(zip(columns, found, strict=True))), columns)


def _with_places(
    facts: Mapping[str, ColumnFacts], columns: Mapping[str, EncodedColumn]
) -> dict[str, ColumnFacts]:
    """The facts, each token with the other columns that have it: there it may be a value."""
    texts = sorted({one.text for look in facts.values() for one in look.missing_tokens})
    if not texts:
        return dict(facts)
    wanted = pa.array(texts, pa.string())
    held = {
        name: frozenset(column.texts.filter(pc.is_in(column.texts, value_set=wanted)).to_pylist())
        for name, column in columns.items()
    }
    return {
        name: replace(
            look,
            missing_tokens=tuple(
                replace(one, elsewhere=tuple(
                    other for other in facts
                    if one.text in held[other] and one.text not in facts[other].tokens
                ))
                for one in look.missing_tokens
            ),
        )
        for name, look in facts.items()
    }  # fmt: skip


def _facts(column: EncodedColumn, people: People, width: int) -> ColumnFacts:
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


def _others(column: EncodedColumn, numbers: NumberValues) -> list[str]:
    """The first of the texts that are no numbers."""
    found: list[str] = column.texts.take(pa.array(numbers.others[:1000])).to_pylist()
    return found


def _among(column: EncodedColumn, numbers: NumberValues, texts: frozenset[str]) -> Any:
    """Whether each number is written as one of these texts."""
    written = column.texts.take(pa.array(numbers.places))
    return pc.is_in(written, value_set=pa.array(sorted(texts), pa.string())).to_numpy(
        zero_copy_only=False
    )
