"""One reader: what `publish`, `verify`, an attacker, a report and the ledger hold is the same file.

The oracle is Python's csv module.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow.base.errors import DataError
from hedgerow.ledger import Ledger
from hedgerow.reports.recipient_view import Handed
from hedgerow.table.archive import kept, remembered
from hedgerow.table.contents import Contents
from hedgerow.table.published_table import Published
from hedgerow.table.written_form import WrittenForm

TOWNS = ["x", "=1+1", "@home", "-5", "'tis", "ü", "a,b"]
ILLS = ["flu", "+gout", "asthma"]
Groups = dict[tuple[str | None, ...], Counter[str | None]]


def oracle(file: Path, *, escaped: bool) -> Groups:
    """Town and age -> illnesses, by the csv module and the rule of the apostrophe by hand."""

    def meant(text: str) -> str | None:
        undone = escaped and text[:1] == "'" and text[1:2] in tuple("=+-@\t\r")
        return (text[1:] if undone else text) or None

    found: Groups = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            key = (meant(row["town"]), meant(row["age"]))
            found.setdefault(key, Counter())[meant(row["illness"])] += 1
    return found


def of_published(found: Published) -> Groups:
    h, values = found.groups.histograms["illness"], found.groups.domains["illness"].values
    places = [found.quasi.index(name) for name in ("town", "age")]
    out: Groups = {}
    for g in range(len(found)):
        key = tuple(found.labels[j][found.codes[g, j]] for j in places)
        entries = range(h.indptr[g], h.indptr[g + 1])
        out[key] = Counter({values[h.codes[i]]: int(h.counts[i]) for i in entries})
    return out


def of_report(found: Handed, form: WrittenForm) -> dict[tuple[str | None, ...], int]:
    counted = found.groups
    places = [counted.columns.index(name) for name in ("town", "age")]
    return {
        tuple(form.meant(counted.texts[j][row[j]]) for j in places): int(rows)
        for row, rows in zip(counted.codes, counted.rows, strict=True)
    }


@pytest.mark.parametrize("escaped", [False, True])
def test_everybody_reads_the_same_groups(tmp_path: Path, escaped: bool) -> None:
    chance = np.random.default_rng(7)
    rows = 240
    table = pa.table(
        {
            "town": [TOWNS[i] for i in chance.integers(0, len(TOWNS), rows)],
            "age": [str(20 + int(i)) for i in chance.integers(0, 6, rows)],
            "illness": [ILLS[i] for i in chance.integers(0, 3, rows)],
            "ward": [f"w{i}" for i in chance.integers(0, 2, rows)],
        }
    )
    release = hedgerow.publish(
        table,
        population="patients",
        columns={
            "town": {"role": "quasi-identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [2, 6]}},
            "illness": "sensitive",
            "ward": "insensitive",
        },
        protect=[hedgerow.KAnonymity(k=3)],
        method={"search": "lattice", "suppress": "20%"},
        publish={"to": str(tmp_path / "out"), "format": "csv", "escape_formulas": escaped},
        one_row_per_person=True,
        ledger=str(tmp_path / "ledger.db"),
    )
    assert isinstance(release.data, Path)
    truth = oracle(release.data, escaped=escaped)
    assert any(town in ("=1+1", "@home") for town, _ in truth), "else escaping is not tried"
    form = WrittenForm.of(release.data, ["town", "age", "illness", "ward"], escaped=escaped)

    contents = Contents.read(release.data, quasi=["town", "age"], sets=["illness"], form=form)
    attacker = Published.read(tmp_path / "out")
    with Ledger.open(str(tmp_path / "ledger.db")) as ledger:
        (entry,) = ledger.releases("patients")
        content = ledger.content(entry)
    assert content is not None
    memory = remembered(content, name="memory")
    report = Handed.read(tmp_path / "out")

    assert of_published(attacker) == truth
    assert of_published(memory) == truth
    assert of_report(report, form) == {key: sum(ills.values()) for key, ills in truth.items()}
    assert contents.size == len(truth)
    assert release.claims[0].level == min(sum(ills.values()) for ills in truth.values())
    found = hedgerow.verify(tmp_path / "out")
    assert not found.refuted
    assert len(found.verified) == 1


def test_what_the_ledger_keeps_does_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    rows = [(f"t{i % 3}", f"s{i % 5}", f"w{i % 2}") for i in range(60)]
    made = []
    for order in (1, -1):
        names = ("town", "ill", "ward")
        columns = [list(column) for column in zip(*rows[::order], strict=True)]
        table = pa.table(dict(zip(names, columns, strict=True)))
        contents = Contents.read(table, quasi=["town"], sets=["ill", "ward"])
        found = Published.of(contents, name="x", sensitive=["ill"], records=["ill", "ward"])
        made.append(kept(found))
    assert made[0] == made[1]
    assert json.loads(made[0])["records"]["n"], "records are kept"


texts = st.one_of(
    st.none(), st.sampled_from(["", "=x", "'=x", "''=x", "-1", "'-1", "+", "'+", "a"])
)


@settings(max_examples=200)
@given(value=texts, escaped=st.booleans(), alone=st.booleans())
def test_what_is_written_is_read_as_what_it_was_written_for(
    value: str | None, escaped: bool, alone: bool
) -> None:
    """Whatever stands in a file that Hedgerow wrote, its meaning is written the same again."""
    form = WrittenForm(escaped=escaped, alone=alone)
    text = form.written(value)
    assert form.written(form.meant(text)) == text
    assert form.read_back(form.read_back(value)) == form.read_back(value)


@settings(max_examples=200)
@given(values=st.lists(texts, unique=True), escaped=st.booleans(), alone=st.booleans())
def test_values_that_are_written_differently_are_read_differently(
    values: list[str | None], escaped: bool, alone: bool
) -> None:
    form = WrittenForm(escaped=escaped, alone=alone)
    written = list(dict.fromkeys(form.written(value) for value in values))
    assert len(set(form.all_meant("x", written))) == len(written)


@pytest.mark.parametrize("column", ["town", "ill"])
def test_two_texts_of_one_value_are_refused(column: str) -> None:
    """A forger could merge two groups into one: an unescaped formula beside the escaped one."""
    table: dict[str, Any] = {"town": ["a", "a"], "ill": ["b", "b"]}
    table[column] = ["=1+1", "'=1+1"]
    form = WrittenForm(escaped=True)
    with pytest.raises(DataError, match="stand for one value"):
        Contents.read(pa.table(table), quasi=["town"], sets=["ill"], form=form)
    both = Contents.read(pa.table(table), quasi=["town"], sets=["ill"])
    assert both.size == (2 if column == "town" else 1)


def test_two_headers_of_one_column_are_refused() -> None:
    table = pa.table({"=a": ["1"], "'=a": ["2"]})
    with pytest.raises(DataError, match="two columns of the file stand for '=a'"):
        Contents.read(table, quasi=["=a"], form=WrittenForm(escaped=True))


def test_a_stored_recoding_is_read_as_what_it_means(tmp_path: Path) -> None:
    """Its labels stand in the file with apostrophes; the people it is applied to have none."""
    table = pa.table(
        {"town": ["=1+1"] * 6 + ["@home"] * 6, "illness": ["flu", "gout", "asthma"] * 4}
    )

    def publish(to: str, recoding: Path | None = None) -> Path:
        hedgerow.publish(
            table,
            columns={"town": "quasi-identifier", "illness": "sensitive"},
            protect=[hedgerow.KAnonymity(k=3)],
            method={"search": "mondrian", "mode": "strict"},
            publish={"to": str(tmp_path / to), "format": "csv", "escape_formulas": True},
            one_row_per_person=True,
            recoding=recoding,
        )
        return tmp_path / to / "data.csv"

    first = publish("first").read_text("utf-8")
    assert "'=1+1" in first
    assert publish("again", tmp_path / "first").read_text("utf-8") == first
