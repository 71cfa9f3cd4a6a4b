"""The facts of whole tables: kinds, missing tokens, person keys, what was looked at."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.base.errors import DataError
from hedgerow.engines import open_engine
from hedgerow.table.profile.column_facts import ColumnFacts, ColumnKind
from hedgerow.table.profile.table_profile import TableProfile
from hedgerow.table.profile.whole_table import profile_table

R = random.Random(5)


def profile(
    columns: dict[str, list[Any]], *, person: str | None = None, **how: Any
) -> TableProfile:
    table = pa.table({k: pa.array([None if x is None else str(x) for x in v], pa.string())
                      for k, v in columns.items()})  # fmt: skip
    with open_engine(table, person=person) as engine:
        return profile_table(engine, **how)


def facts(name: str, values: list[Any], **how: Any) -> ColumnFacts:
    return profile({name: values}, **how).column(name)


def gauss(n: int, mean: float, spread: float) -> list[int]:
    return [round(R.gauss(mean, spread)) for _ in range(n)]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("age", [18 + i % 70 for i in range(500)], "number"),
        ("x", [R.gauss(0, 1) for _ in range(300)], "number"),
        ("x", gauss(3000, 80, 12), "number"),
        ("x", [f"{R.randrange(20000):05d}" for _ in range(300)], "code"),
        ("zip", [R.randrange(10000, 99999) for _ in range(300)], "code"),
        ("x", [R.choice([1, 1, 1, 2, 3, 3, 3, 3, 4, 9]) for _ in range(900)], "code"),
        ("x", [0, 1] * 50, "code"),
        ("children", [R.choice([0, 0, 0, 1, 1, 2, 3]) for _ in range(300)], "number"),
        ("x", [R.choice([0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3]) for _ in range(900)], "number"),
        ("x", [f"{R.choice('ABCJ')}{R.randrange(99):02d}.{R.randrange(9)}" for _ in range(99)],
         "code"),
        ("x", ["SW1A 1AA", "M1 1AE", "EC1A 1BB"] * 9, "code"),
        ("x", ["red", "green", "blue"] * 30, "category"),
        ("x", ["10-19", "20-29", "30-39", "80+"] * 9, "category"),
        ("x", [f"{R.choice('abc')}word{'abcdefghij'[i % 10]}{'klmnopqrst'[i // 10]}"
               for i in range(100)], "text"),
        ("x", [None] * 9, "empty"),
        ("x", ["2020-02-29", "2021-01-01"] * 5, "date"),
        ("x", ["29.02.2020", "1.1.2021"] * 5, "date"),
        ("x", ["20200229", "20210101", "20210102"] * 5, "date"),
        ("x", [f"he came {'again ' * (i % 5)}with a cough on day {i}" for i in range(40)], "text"),
    ],
)  # fmt: skip
def test_kinds(name: str, values: list[Any], kind: str) -> None:
    found = facts(name, values, deep=False)
    assert found.kind == kind, found.kind_because


def test_sentences_are_free_text_and_repeated_labels_are_not() -> None:
    notes = [f"patient {i} came with a cough and went home" for i in range(60)]
    assert facts("note", notes).free_text
    assert not facts("work", ["Works for a private employer in a city"] * 60).free_text


def test_which_of_two_orders_a_date_has_is_said_or_left_open() -> None:
    assert facts("x", ["03/04/2020", "05/06/2020"]).date_form == "dd/mm/yyyy or mm/dd/yyyy"
    assert facts("x", ["13/04/2020", "05/06/2020"]).date_form == "dd/mm/yyyy"
    assert facts("x", ["04/13/2020", "05/06/2020"]).date_form == "mm/dd/yyyy"


AGES = [20 + i % 60 for i in range(400)]


@pytest.mark.parametrize(
    ("values", "token", "sure"),
    [
        ([*AGES, "?", "?"], "?", True),
        ([*AGES, "N/A"], "N/A", True),
        ([*AGES, "."], ".", True),
        ([*AGES, "keine Angabe"], "keine Angabe", True),
        ([*AGES, "unknown"], "unknown", True),
        ([*AGES, "never"], "never", False),
        ([*AGES, *[-9] * 20], "-9", True),
        ([*AGES, *[-99] * 20], "-99", True),
        ([*AGES, *[-1] * 20], "-1", False),
        ([*AGES, *[999] * 20], "999", True),
        ([*[a / 7 for a in AGES], *[999999] * 20], "999999", True),
        ([*AGES, *[99] * 20], "99", True),
        ([*AGES, *[99] * 7], "99", False),
        (["red", "blue", "green", "?"] * 20, "?", True),
        (["red", "blue", "green", "Unknown"] * 20, "Unknown", True),
        (["red", "blue", "green", ""] * 20, "", True),
        (["red", "blue", "green", "NA"] * 20, "NA", True),
        (["DE", "FR", "US", "NA"] * 20, "NA", False),
        (["2020-01-01", "2020-01-02", "2020-01-03", "9999-12-31"] * 9, "9999-12-31", True),
        (["ledig", "verheiratet", "k. A."] * 9, "k. A.", True),
        (["Y", "N", "-99"] * 9, "-99", True),
        ([0, 1, -9] * 9, "-9", True),
        (["0_no", "1_yes", "NA_NA"] * 9, "NA_NA", True),
    ],
)
def test_missing_tokens(values: list[Any], token: str, sure: bool) -> None:
    found = facts("x", values)
    assert [(one.text, one.sure) for one in found.missing_tokens] == [(token, sure)]
    assert found.missing_tokens[0].rows == [str(v) for v in values].count(token)
    assert found.missing_tokens[0].because


@pytest.mark.parametrize(
    "values",
    [
        AGES,
        [20 + i % 90 for i in range(900)],  # up to 109: 99 is an age
        [i % 40 - 20 for i in range(900)],  # temperatures: -9 is one
        [i % 12 - 6 for i in range(900)],
        ["none", "mild", "severe"] * 30,
        ["+", "-"] * 30,
        ["none", "None", "some"] * 30,
        ["?"] * 30,
        [*AGES, 85.5],
        [*range(50), "85+"],
        [1, 2, 3] * 30,
        [-9, 0, 9] * 30,  # steps down and up
        [-1, 0, 1] * 30,
        [-9, 1] * 30,
        ["1", "2", "x", "y", "z", "u", "v"] * 9,
        [f"1970-01-01 00:00:{second:02}" for second in range(1, 9)] * 30,
    ],
)
def test_values_are_no_missing_tokens(values: list[Any]) -> None:
    assert facts("x", values).missing_tokens == ()


def test_a_word_that_stands_alone_among_the_numbers_of_several_columns_is_sure() -> None:
    found = profile({"a": [*AGES, "N"], "b": [*AGES, "N"], "c": [*AGES, "R"]}, deep=False)
    assert [(c.missing_tokens[0].text, c.missing_tokens[0].sure) for c in found.columns] == [
        ("N", True), ("N", True), ("R", False),
    ]  # fmt: skip


def test_the_numbers_of_a_column_are_those_without_tokens() -> None:
    found = facts("age", [*AGES, "?", -9, -9, None])
    assert found.numbers is not None
    assert (found.numbers.low, found.numbers.high, found.numbers.whole) == (20, 79, True)
    assert sum(bar.rows for bar in found.histogram) == len(AGES)
    assert found.missing == 1


VALUES = st.sampled_from(["1", "2.5", "a", "b b", "", "?", "0301", None, "2020-01-01", "-9"])


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=40))
def test_counts_are_those_of_plain_counting(rows: list[tuple[str | None, str | None]]) -> None:
    found = profile({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    for place, look in enumerate(found.columns):
        column = [row[place] for row in rows]
        counts = Counter(value for value in column if value is not None)
        assert look.rows == found.looked_at == found.rows == len(rows)
        assert look.missing == column.count(None)
        assert look.distinct == len(counts)
        assert {one.value: one.rows for one in look.values} == counts
        assert [one.rows for one in look.values] == sorted(counts.values(), reverse=True)
        assert look.longest == max(map(len, counts), default=0)
        everything = Counter(column)
        assert look.singled_out == sum(n == 1 for n in everything.values())
        assert look.commonest_share == max(everything.values()) / len(rows)
        assert look.constant == (len(everything) == 1)
        for token in look.missing_tokens:
            assert token.rows == counts[token.text]


def visits() -> dict[str, list[Any]]:
    """Patients with one to five visits in three hospitals; sex and birth agree within each."""
    r = random.Random(2)
    rows: list[tuple[Any, ...]] = []
    for patient in range(200):
        number, sex, born = 100_000 + 37 * patient, r.choice("fm"), 1930 + r.randrange(70)
        rows += [
            (number, sex, born, visit + 1, r.randrange(3), r.choice("abcdefg"), r.random())
            for visit in range(1 + r.randrange(5))
        ]
    names = ("patient_nbr", "sex", "birth_year", "visit", "hospital_id", "payer_code", "score")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return {"row": list(range(1, len(rows) + 1)), **table}


def test_the_person_key_is_found_with_the_rows_of_people() -> None:
    data = visits()
    found = profile(data, deep=False)
    key = found.keys[0]
    counts = Counter(data["patient_nbr"])
    assert (key.column, key.sure, key.several) == ("patient_nbr", True, True)
    assert (key.people, key.most_rows, key.nobody) == (200, max(counts.values()), 0)
    assert key.mean_rows == pytest.approx(len(data["sex"]) / 200)
    assert {"sex", "birth_year"} <= set(key.agree)
    assert "visit" in key.differ
    assert {"row", "payer_code", "hospital_id"}.isdisjoint({one.column for one in found.keys})
    assert any("patient_nbr" in note for note in found.notes)


def test_numbers_of_rows_households_and_amounts_are_no_person_keys() -> None:
    r = random.Random(4)
    n = 600
    households = sorted(r.randrange(200) for _ in range(n))
    found = profile({
        "id": list(range(1, n + 1)),
        "household_id": [9_000 + h for h in households],
        "income": [1000 + 10 * r.randrange(300) for _ in range(n)],
        "sex": [r.choice("fm") for _ in range(n)],
        "birth": [1930 + r.randrange(70) for _ in range(n)],
    }, deep=False)  # fmt: skip
    assert not any(key.sure for key in found.keys)
    assert {"id", "income"}.isdisjoint({key.column for key in found.keys})
    assert found.column("id").sequence


def test_with_a_person_column_people_are_counted() -> None:
    data = visits()
    found = profile(data, person="patient_nbr")
    assert (found.people, found.person, found.keys) == (200, "patient_nbr", ())
    owners: dict[Any, set[Any]] = {}
    for who, sex, born in zip(data["patient_nbr"], data["sex"], data["birth_year"], strict=True):
        owners.setdefault((sex, born), set()).add(who)
    alone = {next(iter(who)) for who in owners.values() if len(who) == 1}
    both = next(c for c in found.combinations if set(c.columns) == {"sex", "birth_year"})
    assert both.people == len(alone)


def test_only_the_first_rows_of_a_large_table_are_looked_at_and_it_is_said() -> None:
    data = visits()
    found = profile(data, deep=False, most_cells=8 * 100)
    assert (found.looked_at, found.rows, found.sampled) == (100, len(data["sex"]), True)
    assert "first 100 of" in found.notes[0]
    key = found.keys[0]
    assert (key.column, key.people) == ("patient_nbr", 200)  # counted in all rows


def test_the_smallest_sets_are_the_best_of_their_size() -> None:
    data = visits()
    data.pop("row")
    data.pop("score")
    found = profile(data)
    sets = {len(one.columns): one for one in found.smallest}
    for size in (1, 2, 3):
        known = {n for one in found.knowledge[:-1] for n in one.columns}
        best = max(c.people for c in found.together(size) if known.issuperset(c.columns))
        assert sets[size].people == best


def test_what_attackers_know_is_a_guess_by_name_and_value() -> None:
    r = random.Random(1)
    found = profile({
        "zip": [f"{r.randrange(900):05d}" for _ in range(200)],
        "sex": [r.choice("fm") for _ in range(200)],
        "occupation": [r.choice("abc") for _ in range(200)],
        "cholesterol": [r.random() for _ in range(200)],
        "mail": [f"a{i}@x.example" for i in range(200)],
    })  # fmt: skip
    known = {one.attacker: set(one.columns) for one in found.knowledge}
    assert known["a neighbour"] == {"zip", "sex"}
    assert known["an employer or colleague"] == {"zip", "sex", "occupation"}
    assert "mail" not in known["an earlier recipient of these data"]
    assert "cholesterol" in known["an earlier recipient of these data"]


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(DataError, match="no rows"):
        profile({"a": []})


def test_every_kind_is_met() -> None:
    assert set(ColumnKind) == {"number", "code", "category", "text", "empty", "date"}


@pytest.mark.parametrize("agrees", [True, False])
def test_what_lasts_of_a_person_tells_people_from_other_things(agrees: bool) -> None:
    """A column called `ref_id`, five rows each: people, if sex and birth agree within it."""
    r = random.Random(8)
    whose = [i // 5 for i in range(600)]
    of = [(r.choice("fm"), 1930 + r.randrange(70)) for _ in range(600)]
    rows = [of[who if agrees else i] for i, who in enumerate(whose)]
    found = profile({
        "ref_id": [500 + 7 * who for who in whose],
        "visit": [i % 5 for i in range(600)],
        "sex": [sex for sex, _ in rows],
        "birth_year": [born for _, born in rows],
    }, deep=False)  # fmt: skip
    assert [(key.column, key.sure) for key in found.keys] == [("ref_id", True)] * agrees
