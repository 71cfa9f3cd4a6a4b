"""What a table looks like to its steward: values, roles, and who stands out."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import DataError, Plan, explore_data
from hedgerow.explore import uniqueness
from hedgerow.table.schema import Role

VALUE = st.sampled_from(["a", "b", "c", None])


def singled(rows: list[tuple], whose: list[object], columns: tuple[int, ...]) -> set[object]:
    """People with a tuple that nobody else has, by looking at every row."""
    owners: dict[tuple, set[object]] = {}
    for row, who in zip(rows, whose, strict=True):
        owners.setdefault(tuple(row[j] for j in columns), set()).add(who)
    return {next(iter(people)) for people in owners.values() if len(people) == 1}


@settings(max_examples=60, deadline=None)
@given(st.data(), st.booleans())
def test_who_is_singled_out_is_counted_by_person(data, several: bool) -> None:
    width = data.draw(st.integers(1, 4))
    rows = data.draw(
        st.lists(st.tuples(*[st.sampled_from("abc")] * width), min_size=1, max_size=25)
    )
    names = [f"col{j}" for j in range(width)]
    table = {name: [row[j] for row in rows] for j, name in enumerate(names)}
    whose: list[object] = list(range(len(rows)))
    if several:
        whose = [data.draw(st.sampled_from("pqrs")) for _ in rows]
        table["who"] = whose
    look = explore_data(pa.table(table), person="who" if several else None)
    assert look.people == len(set(whose))
    there = [j for j in range(width) if len({row[j] for row in rows}) > 1]
    expected = {
        tuple(names[j] for j in chosen): len(singled(rows, whose, chosen))
        for together in (1, 2, 3)
        for chosen in combinations(there, together)
        if all(c.role is not Role.IDENTIFIER for c in look.columns)
    }
    if all(c.role is not Role.IDENTIFIER for c in look.columns):
        assert {c.columns: c.people for c in look.combinations} == expected
        people = [c.people for c in look.combinations]
        assert people == sorted(people, reverse=True)
        assert all(c.share == c.people / look.people for c in look.combinations)


def test_values_missing_ones_and_histograms() -> None:
    ages = ["17", "21", "21", None, "64", "90"]
    look = explore_data(pa.table({"age": ages, "city": ["x", "x", "y", "x", "x", "x"]}))
    age, city = look.columns
    assert (age.kind, age.distinct, age.missing) == ("numbers", 4, 1)
    assert (age.top[0].value, age.top[0].people) == ("21", 2)
    assert sum(bar.people for bar in age.histogram) == 5
    for bar in age.histogram:
        numbers = [int(a) for a in ages if a is not None]
        assert bar.people == sum(bar.low <= n < bar.high for n in numbers)
    assert age.singled_out == pytest.approx(4 / 6)
    assert [(c.value, c.people) for c in city.top] == [("x", 5), ("y", 1)]
    assert city.histogram == ()
    assert (age.role, age.because) == (
        Role.QUASI_IDENTIFIER,
        'its name says "age": people who know somebody know the age',
    )


def test_the_plan_says_roles_persons_and_missing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("who,ill,job\n1,flu,?\n1,gout,baker\n2,flu,?\n", "utf-8")
    (tmp_path / "plan.yaml").write_text(
        "source: t.csv\nperson: who\nnull: ['?']\ncolumns:\n  ill: sensitive\n"
        "  job: quasi-identifier\nprotect: [{k-anonymity: 2}]\n",
        "utf-8",
    )
    for source in (tmp_path / "plan.yaml", Plan.read(tmp_path / "plan.yaml")):
        look = explore_data(source)
        assert (look.rows, look.people) == (3, 2)
        ill, job = look.columns
        assert (ill.role, ill.because) == (Role.SENSITIVE, "the plan says so")
        assert Counter({c.value: c.people for c in ill.top}) == {"flu": 2, "gout": 1}
        assert (job.missing, job.distinct) == (2, 1)


def test_what_was_not_looked_at_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 30
    table = {f"c{j}": [str((i * (j + 2)) % (j + 2)) for i in range(rows)] for j in range(6)}
    table |= {f"c{j}": [str(i % (j + 2)) for i in range(rows)] for j in range(6)}
    table["id"] = [str(i) for i in range(rows)]
    look = explore_data(pa.table(table), most_rows=20)
    assert look.rows == 20
    assert "20 of 30 rows" in look.notes[0]
    assert any(note.endswith("not combined: id.") for note in look.notes)
    monkeypatch.setattr(uniqueness, "MOST_WORK", rows * 20)
    fewer = explore_data(pa.table(table))
    assert any("too many columns" in note for note in fewer.notes)
    together = {name for c in fewer.combinations if len(c.columns) > 1 for name in c.columns}
    assert together < {f"c{j}" for j in range(6)}
    assert len(fewer.worst(1)) == 6


def test_nothing_to_look_at() -> None:
    with pytest.raises(DataError, match="no rows"):
        explore_data(pa.table({"a": pa.array([], pa.string())}))
