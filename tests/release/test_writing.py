"""From a recoding to a file and back: who is written where, and what is measured."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import recipients
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError
from hedgerow.engines import open_engine
from hedgerow.engines.csv_lines import unrun
from hedgerow.plan.plan import Plan
from hedgerow.recode.outcome import Spans
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.release.partition.data_file import by_part, write_release
from hedgerow.release.partition.written_groups import measured_groups
from hedgerow.table.cell_table import read_cells
from hedgerow.table.cells import Cells

COLUMNS = {"q": "quasi-identifier", "s": "sensitive", "i": "insensitive"}
PLAN = Plan.of(columns=COLUMNS, protect=[{"k-anonymity": 2}])


def recoding(cells: Cells, parts: list[tuple[int, int, int]], labels: list[str]) -> Recoding:
    """Parts as (cell, people, group), and each group's published value."""
    cell, people, group = np.array(parts, np.int64).T
    shape = (len(labels), 1)
    spans = Spans(np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape))
    return Recoding("test", cell, people, group, (np.array(labels, object),), spans)


def counted(frame: pd.DataFrame, plan: Plan = PLAN) -> Cells:
    with open_engine(frame, person=plan.person) as engine:
        return read_cells(engine, plan.rules(), plan.schema(engine.columns()))


def written(
    frame: pd.DataFrame, cells: Cells, chosen: Recoding, target: Path, plan: Plan = PLAN
) -> Any:
    with open_engine(frame, person=plan.person) as engine:
        return write_release(engine, plan.schema(engine.columns()), cells, chosen, target)


FOUR = pd.DataFrame({"q": ["a"] * 4, "s": ["x", "x", "y", "y"], "i": list("1234")})
"""One tuple, two cells of two people."""


def test_equal_tuples_in_two_groups_though_no_cell_is_split(tmp_path: Path) -> None:
    """Both cells go somewhere else; a mapping by tuples would send everybody to one group."""
    cells = counted(FOUR)
    chosen = recoding(cells, [(0, 2, 0), (1, 2, 1)], ["A", "B"])
    assert not chosen.separates
    assert by_part(cells, chosen)
    written(FOUR, cells, chosen, tmp_path / "data.csv")
    rows = recipients.read_csv(tmp_path / "data.csv")
    assert Counter((r["q"], r["s"]) for r in rows) == {("A", "x"): 2, ("B", "y"): 2}


def test_a_cell_that_is_left_out_beside_one_that_is_not(tmp_path: Path) -> None:
    cells = counted(FOUR)
    chosen = recoding(cells, [(0, 2, SUPPRESSED), (1, 2, 0)], ["A"])
    assert by_part(cells, chosen)
    done = written(FOUR, cells, chosen, tmp_path / "data.csv")
    assert done.rows == 2
    rows = recipients.read_csv(tmp_path / "data.csv")
    assert [(r["q"], r["s"], r["i"]) for r in rows] == [("A", "y", "3"), ("A", "y", "4")]


def test_a_cell_in_two_groups(tmp_path: Path) -> None:
    cells = counted(FOUR)
    chosen = recoding(cells, [(0, 1, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1)], ["A", "B"])
    assert by_part(cells, chosen)
    written(FOUR, cells, chosen, tmp_path / "data.csv")
    rows = recipients.read_csv(tmp_path / "data.csv")
    assert Counter((r["q"], r["s"]) for r in rows) == {
        ("A", "x"): 1, ("B", "x"): 1, ("A", "y"): 1, ("B", "y"): 1,
    }  # fmt: skip


def test_tuples_do_where_nobody_is_told_apart(tmp_path: Path) -> None:
    cells = counted(FOUR)
    chosen = recoding(cells, [(0, 2, 0), (1, 2, 0)], ["A"])
    assert not by_part(cells, chosen)
    written(FOUR, cells, chosen, tmp_path / "data.csv")
    assert [r["i"] for r in recipients.read_csv(tmp_path / "data.csv")] == list("1234")


def test_claims_are_measured_on_the_file_and_not_on_the_intention(tmp_path: Path) -> None:
    cells = counted(FOUR)
    chosen = recoding(cells, [(0, 2, 0), (1, 2, 0)], ["A"])
    done = written(FOUR, cells, chosen, tmp_path / "data.csv")
    schema = PLAN.schema(FOUR.columns)
    groups, on, *_ = measured_groups(schema, cells, chosen, done)
    assert (groups.n.tolist(), on) == ([4], "the written file")
    # Somebody else's bug: one row of four is written as another group.
    text = done.path.read_text()
    done.path.write_text(text.replace("A,x,1", "B,x,1"))
    groups, *_ = measured_groups(schema, cells, chosen, done)
    assert sorted(groups.n.tolist()) == [1, 3]
    # Or with a sensitive value that nobody has.
    done.path.write_text(text.replace("A,x,1", "A,z,1"))
    with pytest.raises(DataError, match="'z' in the written file are no values of the source"):
        measured_groups(schema, cells, chosen, done)


TEXTS = st.text(
    st.sampled_from(list("=+-@'\t\r\n,;\"0159.eE aé")) | st.characters(codec="utf-8"), max_size=6
).filter(lambda text: "\0" not in text)


@given(values=st.lists(TEXTS, min_size=1, max_size=12, unique=True))
@settings(max_examples=40, deadline=None)
def test_escaped_here_is_escaped_there(
    tmp_path_factory: pytest.TempPathFactory, values: list[str]
) -> None:
    """The engine escapes in SQL, the measurement in Python: they must agree on every text."""
    frame = pd.DataFrame({"q": ["a"] * len(values), "s": values})
    plan = Plan.of(
        columns={"q": "quasi-identifier", "s": "sensitive"}, protect=[{"k-anonymity": 2}]
    )
    target = tmp_path_factory.mktemp("out") / "data.csv"
    cells = counted(frame, plan)
    chosen = recoding(cells, [(c, 1, 0) for c in range(len(values))], ["A"])
    with open_engine(frame) as engine:
        write_release(
            engine, plan.schema(frame.columns), cells, chosen, target, escape_formulas=True
        )
    found = [row["s"] for row in recipients.read_csv(target)]
    assert Counter(found) == Counter(unrun(value) for value in values)
