"""What became of each column, in words: of one level, and of detail that differs."""

from __future__ import annotations

import pyarrow as pa
from typer.testing import CliRunner

from hedgerow import publish
from hedgerow.cli import app

ROWS = pa.table({
    "age": ["31", "31", "32", "32", "57", "58", "59", "90"] * 2,
    "sex": ["f", "f", "f", "f", "m", "m", "m", "m"] * 2,
})  # fmt: skip
COLUMNS = {"age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10]}},
           "sex": "quasi-identifier"}  # fmt: skip


def test_of_detail_that_differs_the_share_of_people_who_keep_some_is_told() -> None:
    found = publish(
        ROWS, columns=COLUMNS, protect=[{"k-anonymity": 4}], one_row_per_person=True,
        method={"search": "mondrian", "boxes": "taxonomy"},
    )  # fmt: skip
    published = found.to_pandas()
    kept = published.loc[published.age != "*", "age"]
    words = found.words["age"]
    assert words.startswith(f"{kept.nunique()} different values for {int(100 * len(kept) / 16)} %")
    assert words.endswith(kept.value_counts().sort_index().idxmax())
    assert found.words["sex"] == "2 different values for all people, such as f"


def test_a_column_of_which_nothing_is_left_is_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "people.csv").write_text(
        "age,sex\n" + "".join(f"{20 + 7 * i % 60},{'fm'[i % 2]}\n" for i in range(40))
    )
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "source: people.csv\none_row_per_person: true\ncolumns:\n"
        "  age: {role: quasi-identifier, hierarchy: {ranges: [10, 20]}}\n  sex: quasi-identifier\n"
        "protect: [k-anonymity: 12]\nmethod: lattice\npublish: {to: out}\n"
    )
    told = CliRunner().invoke(app, ["publish", str(plan), "--no-report"]).stdout
    assert "Nothing is left of" in told
    assert "Next:" in told
    assert "hedgerow verify" in told
    checked = CliRunner().invoke(app, ["check", str(plan)])
    assert checked.exit_code == 1
    assert "hedgerow publish" in checked.stdout
