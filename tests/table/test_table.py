"""From what an engine counted to cells."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import recipients
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError, PlanError
from hedgerow.engines import open_engine
from hedgerow.plan.plan import Plan
from hedgerow.table.cell_table import read_cells
from hedgerow.table.cells import Cells
from hedgerow.table.encoding import encoded, histogram, set_codes
from hedgerow.table.groups import ALL

COLUMNS = {"age": "quasi-identifier", "sex": "quasi-identifier", "ill": "sensitive"}


def plan(**more: Any) -> Plan:
    return Plan.of(**({"columns": COLUMNS, "protect": [{"k-anonymity": 2}]} | more))


def cells_of(source: Any, of: Plan, *, outside: Any = None, **more: Any) -> Cells:
    with open_engine(source, null=of.null, person=of.person) as engine:
        schema = of.schema(engine.columns())
        if outside is None:
            return read_cells(engine, of.rules(), schema, **more)
        with open_engine(outside, null=of.null) as population:
            return read_cells(engine, of.rules(), schema, population=population, **more)


def values(cells: Cells) -> list[tuple[Any, ...]]:
    """Each cell as (age, sex, set of illnesses, people)."""
    found = []
    for c in range(len(cells.n)):
        tuple_ = [h.values[cells.q[c, j]] for j, h in enumerate(cells.hierarchies)]
        h, domain = cells.values[0], cells.sensitive[0]
        ill = frozenset(domain.values[v] for v in h.codes[h.indptr[c] : h.indptr[c + 1]])
        found.append((*tuple_, ill, int(cells.n[c])))
    return found


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["20", "30", "9", None]),
        st.sampled_from(["F", "M"]),
        st.sampled_from(["flu", "gout", None]),
    ),
    min_size=1,
    max_size=20,
)


@given(rows=ROWS)
@settings(max_examples=40, deadline=None)
def test_cells_are_counts(rows: list[tuple[str | None, ...]]) -> None:
    frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    found = values(cells_of(pa.Table.from_pandas(frame), plan()))
    counted = Counter(rows)
    assert sorted(map(repr, found)) == sorted(
        repr((age, sex, frozenset([ill]), n)) for (age, sex, ill), n in counted.items()
    )


@given(rows=ROWS, order=st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_the_source_does_not_matter(rows: list[Any], order: Any) -> None:
    """Not even with a person column, where cells hold sets of values."""
    rows = [(*row, f"p{i // 2}") for i, row in enumerate(rows)]
    rows = [(*rows[i - i % 2][:2], *row[2:]) for i, row in enumerate(rows)]
    shuffled = order.sample(rows, len(rows))
    with_person = plan(person="p")
    cells = [
        cells_of(pa.Table.from_pylist([dict(zip((*COLUMNS, "p"), row, strict=True)) for row in r],
                                      pa.schema([(n, pa.string()) for n in (*COLUMNS, "p")])),
                 with_person)
        for r in (rows, shuffled)
    ]  # fmt: skip
    assert values(cells[0]) == values(cells[1])
    for a, b in zip(cells[0].values, cells[1].values, strict=True):
        assert np.array_equal(a.codes, b.codes)
        assert np.array_equal(a.indptr, b.indptr)


def test_values_are_encoded_in_order() -> None:
    found, codes = encoded(pa.chunked_array([["b", None], ["a", "b"]], pa.string()))
    assert found == ["a", "b", None]
    assert codes.tolist() == [1, 2, 0, 1]
    found, codes = encoded(pa.array([], pa.string()))
    assert (found, codes.tolist()) == ([], [])


def test_sets_are_equal_if_their_values_are() -> None:
    column = pa.array([["a", "b"], ["a"], ["a", "b"], [None, "a"], ["b"]], pa.list_(pa.string()))
    codes = set_codes(histogram(column, np.ones(5, np.int64))[1]).tolist()
    assert codes[0] == codes[2]
    assert len(set(codes)) == 4


# Populations


@given(rows=ROWS, more=ROWS)
@settings(max_examples=40, deadline=None)
def test_the_population_of_each_tuple(rows: list[Any], more: list[Any]) -> None:
    schema = pa.schema([(name, pa.string()) for name in COLUMNS])

    def table(some: list[Any]) -> pa.Table:
        return pa.Table.from_pylist([dict(zip(COLUMNS, r, strict=True)) for r in some], schema)

    cells = cells_of(table(rows), plan(), outside=table([*rows, *more]))
    assert cells.population is not None
    want = Counter((age, sex) for age, sex, _ in [*rows, *more])
    found: Counter[tuple[Any, ...]] = Counter()
    for (age, sex, _, _), people in zip(values(cells), cells.population, strict=True):
        found[age, sex] += int(people)
    assert found == want
    assert cells.n.sum() == len(rows)


def test_everybody_must_be_in_the_population(tmp_path: Path) -> None:
    rows = [{"age": "20", "sex": "F", "ill": "flu"}] * 3
    everybody = recipients.write_csv(tmp_path / "all.csv", rows[:2])
    told = plan(protect=[{"k-map": {"k": 2, "population": str(everybody)}}])
    with pytest.raises(DataError, match=r"all.csv: 1 people .* for instance with '20' and 'F'"):
        cells_of(pd.DataFrame(rows), told, outside=everybody)


# Claims over all columns


def test_the_joint_attribute_is_what_is_left_beside_quasi_identifiers() -> None:
    columns = COLUMNS | {"ward": "insensitive", "name": "identifier"}
    frame = pd.DataFrame(
        {
            "age": ["20"] * 4,
            "sex": ["F"] * 4,
            "ill": ["flu", "flu", "gout", "gout"],
            "ward": ["1", "2", "1", "1"],
            "name": list("abcd"),
        }
    )
    cells = cells_of(frame, plan(columns=columns), joint=True)
    joint = next(i for i, d in enumerate(cells.sensitive) if d.name == ALL)
    assert sorted(cells.sensitive[joint].reference.tolist()) == [1, 1, 2]
    assert cells.sensitive[joint].people == 4


def test_a_column_called_like_the_joint_one() -> None:
    frame = pd.DataFrame({"q": ["a"], ALL: ["x"]})
    with pytest.raises(PlanError, match="cannot be called"):
        cells_of(frame, plan(columns={"q": "quasi-identifier", ALL: "sensitive"}))


def test_no_rows() -> None:
    frame = pa.table({name: pa.array([], pa.string()) for name in COLUMNS})
    with pytest.raises(DataError, match=r"^the table has no rows"):
        cells_of(frame, plan())
    with pytest.raises(DataError, match="the table has no rows"):
        cells_of(frame.append_column("p", pa.array([], pa.string())), plan(person="p"))
