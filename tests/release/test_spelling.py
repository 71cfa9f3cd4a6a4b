"""Values that a reader may take for one: found here, and told to whoever publishes."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow import DataError, DistinctLDiversity, EntropyLDiversity, KAnonymity
from hedgerow.base.spelling import reading
from hedgerow.base.spelling_classes import alike, folded
from hedgerow.plan.plan import Plan
from hedgerow.release.partition.check import checked

DIVERSE = [DistinctLDiversity(l=2, of="s")]
COLUMNS = {"a": "quasi-identifier", "s": "sensitive"}
ODD = [None, "", " ", "NA", "nan", "NaN", "None", "null", "0", "-0", "0.0", "-0.0", "1", "+1", "01",
       "1.0", "1 ", "1.", "10e-1", ".5", "0.50", "inf", "-Infinity", "Inf", "true", "TRUE", "False",
       "flu", "flu ", "Flu", "é", "e\N{COMBINING ACUTE ACCENT}", "1,0", "1_0", "10"]  # fmt: skip


@given(values=st.lists(st.sampled_from(ODD) | st.text("01.e+-nNaA ", max_size=4),
                       min_size=1, max_size=6, unique=True))  # fmt: skip
@example(values=["1", "01"])
@example(values=["", None])
@settings(max_examples=400, deadline=None)
def test_what_passes_is_told_apart_by_pandas(values: list[str | None]) -> None:
    if alike(values):
        return
    file = io.StringIO()
    csv.writer(file).writerows([["q", "s"], *(["x", value] for value in values)])
    read = pd.read_csv(io.StringIO(file.getvalue()))["s"]
    assert read.nunique(dropna=False) == len(values)


@pytest.mark.parametrize(
    "values",
    [["flu", "Flu"], ["1", "10", "0.1"], ["250", "250.01", "V57"], ["a b", "a  b"], ["-1", "1"],
     ["-inf", "inf"], ["1,0", "10"], ["", "x"], [None, "x"], ["1e400", "2e400"]],
)  # fmt: skip
def test_what_is_different_stays_different(values: list[str | None]) -> None:
    assert alike(values) == []


@pytest.mark.parametrize(
    "other",
    ["hiv\u200b", "h\u00adiv", "\ufeffhiv", "hiv\0", "hiv\u00a0", "hiv\ufe0f", "hiv\u3164",
     "\x1bhiv", "ｈｉｖ", "hiv\u2003", "hiv\u202e", "hiv\u034f"],
    ids=ascii,
)  # fmt: skip
def test_what_nobody_sees_makes_no_difference(other: str) -> None:
    assert reading(other) == "hiv"
    assert alike(["hiv", other]) == [("hiv", other)]


def test_forms_of_the_same_characters() -> None:
    assert alike(["fine", "\N{LATIN SMALL LIGATURE FI}ne"]) != []
    assert alike(["a b", "a\N{NO-BREAK SPACE}b"]) != []
    assert alike(["é", "e\u200b\N{COMBINING ACUTE ACCENT}"]) != []
    assert alike(["12", "１２"]) != []
    assert reading("\u200b") is None, "nobody sees anything"
    assert folded(["\u200b", "x", None]) == ([None, "x"], [0, 1, 0])
    assert alike(["a", "\N{CYRILLIC SMALL LETTER A}"]) == [], "programs tell alphabets apart"


def test_numbers_are_exact() -> None:
    """As doubles these would be one."""
    assert alike(["9007199254740992", "9007199254740993"]) == []
    assert alike(["0.1", "0.1000000000000000055511151231257827"]) == []
    assert reading("1000000000000000000000000000001.0") == "1000000000000000000000000000001"


@pytest.mark.parametrize(
    ("values", "pairs", "fix"),
    [
        (pa.array([None, "", None, ""]), "'' and missing", 'null: [""]'),
        (pa.array([float("nan"), None] * 2), "'nan' and missing", 'null: ["nan"]'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("person", [None, "p"])
def test_claims_do_not_count_one_value_twice(
    tmp_path: Path, values: Any, pairs: str, fix: str, form: str, person: str | None
) -> None:
    table = pa.table({"a": ["x"] * 4, "s": values, "p": list("1234")})
    columns = COLUMNS | ({} if person else {"p": "identifier"})
    for claims in (DIVERSE, [EntropyLDiversity(l=2, of="s")]):
        with pytest.raises(DataError) as refused:
            hedgerow.publish(
                table, columns=columns, protect=claims, person=person,
                publish={"to": tmp_path / "release", "format": form},
            )  # fmt: skip
        assert refused.value.what.endswith(f"count as two: {pairs}")
        assert fix in (refused.value.fix or "")
    assert not list(tmp_path.iterdir())


def test_the_remedy_helps(tmp_path: Path) -> None:
    table = pa.table({"a": ["x"] * 4, "s": [None, "", "flu", "flu"]})
    release = hedgerow.publish(
        table, columns=COLUMNS, protect=DIVERSE, null=[""], to=tmp_path / "release"
    )
    assert release.claims[0].level == 2
    with (tmp_path / "release" / "data.csv").open(newline="") as file:
        assert sorted(row["s"] for row in csv.DictReader(file)) == ["", "", "flu", "flu"]


def test_only_claims_about_the_column_care() -> None:
    """Quasi-identifiers that look alike make larger groups; sizes do not look at values."""
    table = pa.table({"a": ["1", "1.0"] * 2, "s": [None, "", "u", "v"], "t": ["b", "c", "c", "b"]})
    columns = COLUMNS | {"t": "sensitive"}
    release = hedgerow.publish(
        table, columns=columns, protect=[KAnonymity(k=2), DistinctLDiversity(l=2, of="t")]
    )
    assert [claim.level for claim in release.claims] == [2, 2]


def test_a_note_names_the_first_few() -> None:
    texts = [text for i in range(1, 15) for text in (f"{i}", f"{i}.0")]
    table = pa.table({"a": ["x"] * len(texts), "s": texts})
    (claim,), told = checked(Plan.of(columns=COLUMNS, protect=DIVERSE), table)
    assert claim.level == 14, "each number is one"
    assert told == (
        "'s' has 14 values with several spellings: 1, 1.0; 10, 10.0; 11, 11.0; 12, 12.0; 13, 13.0; "
        "and 9 more. Claims about it are judged both ways. Say `spelling: one` to publish each "
        "value in one spelling, or `distinct: [...]` if they differ.",
    )
