"""Applying the recoding of an earlier release: what the plan forbids is not published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow
from hedgerow import KAnonymity, PlanError
from hedgerow.recode.reuse import covered
from hedgerow.table.hierarchy import Hierarchy

TABLE = pa.table({"z": ["11", "12", "11", "12"], "s": list("abab")})


def publish(table: Any = TABLE, *, z: Any = None, **more: Any) -> Any:
    column = {"role": "quasi-identifier", "hierarchy": {"prefix": 2}} | (z or {})
    return hedgerow.publish(
        table, columns={"z": column, "s": "sensitive"}, protect=[KAnonymity(k=2)], **more
    )


def values(release: Any) -> set[str]:
    return set(release.to_arrow()["z"].to_pylist())


def test_stored_levels_are_applied_where_the_plan_allows_them(tmp_path: Path) -> None:
    publish(to=tmp_path / "first", z={"levels": [1, 2]})
    assert values(publish(recoding=tmp_path / "first")) == {"1*"}
    assert values(publish(recoding=tmp_path / "first", z={"levels": [0, 1]})) == {"1*"}
    assert values(publish(recoding=tmp_path / "first", z={"levels": [1, 1]})) == {"1*"}


@pytest.mark.parametrize(("stored", "allowed"), [([0, 0], [1, 2]), ([2, 2], [0, 1])])
def test_stored_levels_the_plan_forbids_are_refused(
    tmp_path: Path, stored: list[int], allowed: list[int]
) -> None:
    publish(to=tmp_path / "first", z={"levels": stored})
    with pytest.raises(PlanError, match=f"'z' at level {stored[0]}, and the plan allows") as told:
        publish(recoding=tmp_path / "first", z={"levels": allowed}, to=tmp_path / "second")
    assert "plan.columns.z.levels" in str(told.value)
    assert not (tmp_path / "second").exists()


def test_levels_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    publish(to=tmp_path / "first")
    with pytest.raises(PlanError, match=r"levels \[0, 5\] of 'z' do not exist"):
        publish(recoding=tmp_path / "first", z={"levels": [0, 5]})


@pytest.mark.parametrize("search", ["mondrian", "local"])
def test_groups_keep_no_levels_and_nobody_who_fails(tmp_path: Path, search: str) -> None:
    publish(to=tmp_path / "first", method=search)
    assert values(publish(recoding=tmp_path / "first")) == {"11", "12"}
    with pytest.raises(PlanError, match=f"a {search} recoding .* cannot keep the levels of 'z'"):
        publish(recoding=tmp_path / "first", z={"levels": [1, 2]})
    with pytest.raises(PlanError, match="keep_suppressed has no meaning"):
        publish(recoding=tmp_path / "first", method={"suppress": 0.5, "keep_suppressed": True})


def test_levels_keep_those_who_fail(tmp_path: Path) -> None:
    publish(to=tmp_path / "first")
    table = pa.table({"z": ["11", "11", "12", "33"], "s": list("abab")})
    method = {"suppress": 0.5, "keep_suppressed": True}
    release = publish(table, recoding=tmp_path / "first", method=method)
    assert values(release) == {"11", "*"}
    assert release.rows == 4


def test_labels_that_are_no_ranges_of_numbers_mean_nothing(tmp_path: Path) -> None:
    """Labels of a taxonomy may look like what Mondrian publishes."""
    taxonomy = {"taxonomy": {"[p, q]": ["11", "12"], "rest": ["33"]}}
    publish(to=tmp_path / "first", z={"hierarchy": taxonomy, "levels": [1, 1]}, method="local")
    assert "[p, q]" in (tmp_path / "first" / "data.csv").read_text("utf-8")
    with pytest.raises(PlanError, match=r"values of 'z' mean nothing here: '\[p, q\]'"):
        publish(recoding=tmp_path / "first", z={"hierarchy": {"ranges": [5]}})


NUMBERS = Hierarchy.of("x", [(v, "*") for v in ("1", "2", "3")], numbers=[1, 2, 3])
TEXTS = Hierarchy.of("x", [(v, "*") for v in ("a", 'b"', "{a}")])


@pytest.mark.parametrize(
    ("label", "expected"),
    [("1-2", [1, 1, 0]), ("[1.5, 3]", [0, 1, 1]), ("{1-2, missing}", [1, 1, 0]),
     ("[p, q]", [0, 0, 0]), ("[1, q]", [0, 0, 0]), ("[nan, 3]", [0, 0, 0]),
     ("{[p, q], 3}", [0, 0, 1]),
     ('{"x}', [0, 0, 0]), ('{"\\x"}', [0, 0, 0]), ("{}", [0, 0, 0]), ("{", [0, 0, 0]),
     ("{" * 5000 + "1" + "}" * 5000, [0, 0, 0])],
)  # fmt: skip
def test_what_a_label_of_numbers_covers(label: str, expected: list[int]) -> None:
    assert covered(NUMBERS, label).astype(int).tolist() == expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [('{a, "b\\""}', [1, 1, 0]), ('{"{a}"}', [0, 0, 1]), ('{"{a}", a}', [1, 0, 1]),
     ('{"b\\"', [0, 0, 0]), ("{{a}, a}", [1, 0, 1])],
)  # fmt: skip
def test_what_a_set_of_texts_covers(label: str, expected: list[int]) -> None:
    assert covered(TEXTS, label).astype(int).tolist() == expected
