"""Releases are joined and counted: what intersecting sets of values does not find."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow.attacks.suite import attack
from hedgerow.base.errors import ClaimError, PlanError
from hedgerow.claims import Composition
from hedgerow.claims.joins import Shows, narrowed
from hedgerow.release.partition.exposure import Exposure
from hedgerow.table import archive
from hedgerow.table.groups import Groups
from hedgerow.table.location import placed
from hedgerow.table.published_table import Published
from hedgerow.table.records import RecordKinds

QI = "quasi-identifier"
AGE: dict[str, Any] = {"role": QI, "hierarchy": {"ranges": [4]}}
COLUMNS = {"age": AGE, "ill": "sensitive"}
MOVED = pd.DataFrame(
    {"age": [0, 1, 4, 5, 6], "ill": ["flu", "gout", "acne", "flu", "gout"]}
)  # Ken, Nash, Joe, Sam, Tim
BEFORE = "age,ill\n0-4,flu\n0-4,gout\n0-4,acne\n5-7,flu\n5-7,gout\n"
"""Joe was with Ken and Nash; in ranges of four years he is with Sam and Tim."""


def half(path: Path) -> dict[str, Any]:
    return {"composition": {"of": "ill", "confidence": 0.5, "with": [str(path)]}}


def written(folder: Path, text: str) -> Path:
    path = folder / "before.csv"
    path.write_text(text, "utf-8")
    return path


def test_groups_are_subtracted(tmp_path: Path) -> None:
    """0-4 has one person more than 0-3, and acne more: Joe's, though both sets have three."""
    path = written(tmp_path, BEFORE)
    release = hedgerow.publish(MOVED, columns=COLUMNS, protect=[half(path)])
    assert release.levels == {"age": 2}, "in ranges of four years Joe is named"
    fixed = {**COLUMNS, "age": {**AGE, "levels": [1, 1]}}
    with pytest.raises(ClaimError) as refused:
        hedgerow.publish(MOVED, columns=fixed, protect=[{"k-anonymity": 2}, half(path)])
    assert "leaves 1 of 5 people one possible ill (0 by itself)" in refused.value.what
    assert "by intersecting groups, joining and counting" in refused.value.what


def test_checking_the_table_counts_too(tmp_path: Path) -> None:
    """Both have two values; but who left had gout."""
    path = written(tmp_path, "age,ill\n0-7,flu\n0-7,gout\n0-7,acne\n")
    table = pd.DataFrame({"age": [1, 1], "ill": ["flu", "acne"]})
    (verdict,) = hedgerow.check(table, columns=COLUMNS, protect=[half(path)])
    assert (verdict.holds, verdict.level) == (False, 1)
    more = pd.DataFrame({"age": [1, 1, 1], "ill": ["flu", "acne", "gout"]})
    (verdict,) = hedgerow.check(more, columns=COLUMNS, protect=[half(path)])
    assert verdict.holds


def test_who_left_is_known_to_have_left(tmp_path: Path) -> None:
    """Bob left, Dan came: Ann and Cem share flu and gout, so hiv is Dan's."""
    path = written(tmp_path, "age,ill\n0-7,flu\n0-7,gout\n0-7,acne\n")
    table = pd.DataFrame({"age": [1, 2, 3], "ill": ["flu", "gout", "hiv"]})
    with pytest.raises(ClaimError):
        hedgerow.publish(table, columns=COLUMNS, protect=[half(path)])


def test_whoever_is_only_in_earlier_releases_is_not_given_away(tmp_path: Path) -> None:
    """Nobody but Bob left, and gout with him."""
    path = written(tmp_path, "age,ill\n0-7,flu\n0-7,gout\n0-7,acne\n")
    table = pd.DataFrame({"age": [1, 2], "ill": ["flu", "acne"]})
    with pytest.raises(ClaimError, match="only in earlier releases, it leaves 1 one"):
        hedgerow.publish(table, columns=COLUMNS, protect=[{"k-anonymity": 2}, half(path)])


def test_who_came_is_known_to_have_come(tmp_path: Path) -> None:
    """Dan fits the earlier release as well as Ann does, but there is only one flu in it."""
    path = written(tmp_path, "age,ill\n0-7,flu\n0-7,gout\n")
    grown = pd.DataFrame({"age": [1, 2, 3], "ill": ["flu", "gout", "flu"]})
    with pytest.raises(ClaimError):
        hedgerow.publish(grown, columns=COLUMNS, protect=[half(path)])
    more = pd.DataFrame({"age": [1, 2, 3, 3], "ill": ["flu", "gout", "flu", "gout"]})
    release = hedgerow.publish(more, columns=COLUMNS, protect=[half(path)])
    assert release.levels == {"age": 1}, "two came, with two values"


def test_whom_our_own_attack_names_is_named(tmp_path: Path) -> None:
    """It takes Ann and Dan for those with flu and gout: so acne is Eva's and Fay's.

    Of Eva that is wrong, as Bob had the gout and left; but it is Fay's.
    """
    path = written(tmp_path, "age,ill\n0-3,flu\n0-3,gout\n")
    table = pd.DataFrame({"age": [1, 2, 5, 6], "ill": ["flu", "acne", "gout", "acne"]})
    columns = {**COLUMNS, "age": {**AGE, "levels": [2, 2]}}
    with pytest.raises(ClaimError, match="leaves 1 of 4 people one possible ill"):
        hedgerow.publish(table, columns=columns, protect=[{"k-anonymity": 2}, half(path)])
    releases = [pd.DataFrame({"age": ["*"] * 4, "ill": table["ill"]}), str(path)]
    (found,) = attack(
        releases, truth=table.astype(str), sensitive=["ill"], methods=["sequential"], quasi=["age"]
    )
    assert found.gains is not None
    assert (found.found.successes, found.gains.wrong) == (1, 1)


def test_the_search_goes_on_until_our_own_attack_names_nobody(tmp_path: Path) -> None:
    """In ranges of eight years Fay is named, as above; with Gil and Hal acne is not all there is.

    It is no value that is left over any more, as flu and gout are there twice.
    """
    path = written(tmp_path, "age,ill\n0-3,flu\n0-3,gout\n")
    table = pd.DataFrame(
        {"age": [1, 2, 5, 6, 8, 9], "ill": ["flu", "acne", "gout", "acne", "flu", "gout"]}
    )
    columns = {**COLUMNS, "age": {"role": QI, "hierarchy": {"ranges": [8]}}}
    release = hedgerow.publish(table, columns=columns, protect=[half(path)])
    assert release.levels == {"age": 2}


ROWS = "sex,old,ill,bill F,y,flu,1 F,n,gout,2 F,n,acne,3 M,y,gout,3 M,n,flu,2 M,n,acne,1"
"""By sex the first of them has flu, gout or acne; by age flu or gout; with the bill, flu. The
fourth has gout, likewise. The others keep two values."""


def publish(folder: Path, to: str, columns: dict[str, Any], *protect: Any, **more: Any) -> Any:
    source = folder / "source.csv"
    source.write_text(ROWS.replace(" ", "\n") + "\n", "utf-8")
    plan = hedgerow.Plan.of(
        columns=columns, protect=list(protect), population="town", source=source,
        ledger=folder / "ledger.db", publish={"to": str(folder / to)}, **more,
    )  # fmt: skip
    return hedgerow.publish(plan)


ALL: dict[str, Any] = {"role": QI, "hierarchy": "suppression"}
TOP: dict[str, Any] = {**ALL, "levels": [1, 1]}
LOW: dict[str, Any] = {**ALL, "levels": [0, 0]}
TWO = {"k-anonymity": 2}
CLAIM = {"composition": {"of": "ill", "confidence": 0.5}}


def by(bill: str, *, sex: Any, old: Any) -> dict[str, Any]:
    said = {"role": bill} | ({"key": False} if bill == "identifier" else {})
    return {"sex": sex, "old": old, "ill": "sensitive", "bill": said}


@pytest.mark.parametrize("bill", ["insensitive", "sensitive"])
def test_records_are_joined_on_columns_that_both_show(tmp_path: Path, bill: str) -> None:
    publish(tmp_path, "one", by(bill, sex=LOW, old=TOP), TWO)
    with pytest.raises(ClaimError) as refused:
        publish(tmp_path, "two", by(bill, sex=TOP, old=LOW), TWO, CLAIM)
    assert "leaves 2 of 6 people one possible ill (0 by itself)" in refused.value.what
    assert "joining on 'bill'" in refused.value.what
    release = publish(tmp_path, "three", by(bill, sex=TOP, old=LOW), TWO)
    found = {exposed.of: exposed for exposed in release.exposures}["ill"]
    assert (found.people, found.together[0], found.alone[0]) == (6, 2, 0)
    assert found.joined == ("bill",)


def test_without_the_column_nothing_is_joined(tmp_path: Path) -> None:
    publish(tmp_path, "one", by("insensitive", sex=LOW, old=TOP), TWO)
    release = publish(tmp_path, "two", by("identifier", sex=TOP, old=LOW), TWO, CLAIM)
    (found,) = release.exposures
    assert (found.together[0], found.joined) == (0, ())


def test_the_search_looks_for_a_release_that_survives_joining(tmp_path: Path) -> None:
    """With everybody in one group the bill is of no use to anybody: all have each bill twice."""
    publish(tmp_path, "one", by("insensitive", sex=LOW, old=TOP), TWO)
    with pytest.raises(ClaimError):
        publish(tmp_path, "two", by("insensitive", sex=TOP, old=LOW), TWO, CLAIM)
    release = publish(tmp_path, "three", by("insensitive", sex=ALL, old=ALL), TWO, CLAIM)
    assert release.levels == {"sex": 0, "old": 1}, "as it was published before"


@pytest.mark.parametrize("bill", ["insensitive", "identifier"])
def test_what_was_written_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bill: str
) -> None:
    """A search that intersects only finds a release; the file is joined and counted again."""
    publish(tmp_path, "one", by(bill, sex=LOW, old=TOP), TWO)
    monkeypatch.setattr(Composition, "_joined", lambda self, groups: None)
    if bill == "identifier":
        assert publish(tmp_path, "two", by(bill, sex=TOP, old=LOW), TWO, CLAIM).rows == 6
        return
    with pytest.raises(ClaimError, match="does not hold on what was written: together with"):
        publish(tmp_path, "two", by(bill, sex=TOP, old=LOW), TWO, CLAIM)
    assert not (tmp_path / "two").exists()


def test_what_was_not_kept_cannot_be_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in ledgers of older versions, which did not keep what columns say together."""
    monkeypatch.setattr(archive, "MOST_RECORDS", 0)
    publish(tmp_path, "one", by("insensitive", sex=LOW, old=TOP), TWO)
    with pytest.raises(ClaimError, match=r"cannot be checked.*both show 'bill'"):
        publish(tmp_path, "two", by("insensitive", sex=TOP, old=LOW), TWO, CLAIM)
    release = publish(tmp_path, "three", by("insensitive", sex=TOP, old=LOW), TWO)
    (found,) = release.exposures
    assert "was not checked" in found.sentence
    told = release.summary()["with_earlier_releases"][0]
    assert "both show 'bill'" in told["not_joined"]


def test_a_release_without_the_secret_may_be_joined(tmp_path: Path) -> None:
    """It tells people's bills, and the new release says what people with these bills have."""
    bills = {"sex": LOW, "old": TOP, "ill": "identifier", "bill": "sensitive"}
    publish(tmp_path, "one", bills, TWO)
    with pytest.raises(ClaimError, match="has no column 'ill', but records can be joined"):
        publish(tmp_path, "two", by("insensitive", sex=TOP, old=LOW), TWO, CLAIM)
    release = publish(tmp_path, "three", by("identifier", sex=TOP, old=LOW), TWO, CLAIM)
    assert release.claims[1].holds


def test_what_is_too_large_cannot_be_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, "one", by("identifier", sex=LOW, old=TOP), TWO)
    monkeypatch.setattr("hedgerow.claims.joins.MOST", 6 * 3 - 1)
    with pytest.raises(ClaimError, match="'ill' remain cannot be checked: 6 people by 3 values"):
        publish(tmp_path, "two", by("identifier", sex=TOP, old=LOW), TWO, CLAIM)
    release = publish(tmp_path, "three", by("identifier", sex=TOP, old=LOW), TWO)
    assert "was not checked" in release.exposures[0].sentence
    monkeypatch.setattr("hedgerow.claims.joins.MOST", 6 * 3)
    assert publish(tmp_path, "four", by("identifier", sex=TOP, old=LOW), TWO, CLAIM).claims[1].holds


def test_several_rows_a_person_cannot_be_joined(tmp_path: Path) -> None:
    """Which rows are whose no release says; without a column in common nothing is joined."""
    publish(tmp_path, "one", by("insensitive", sex=LOW, old=TOP), TWO)
    several = {**by("insensitive", sex=TOP, old=LOW), "who": "identifier"}
    source = tmp_path / "rows.csv"
    lines = ROWS.split(" ")
    source.write_text(
        "\n".join(["who," + lines[0], *(f"{i // 2},{line}" for i, line in enumerate(lines[1:]))])
        + "\n",
        "utf-8",
    )
    plan = {"population": "town", "ledger": tmp_path / "ledger.db", "person": "who"}
    plan |= {"source": source, "rows": "at most 2", "columns": several}
    with pytest.raises(PlanError, match="is not proved for rows that do not say whose they are"):
        hedgerow.publish(hedgerow.Plan.of(protect=[TWO, CLAIM], **plan))


def test_the_words_say_what_was_checked(tmp_path: Path) -> None:
    release = hedgerow.publish(
        MOVED, columns=COLUMNS, protect=[half(written(tmp_path, BEFORE))], to=tmp_path / "out"
    )
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text("utf-8"))
    (claim,) = certificate["claims"]
    assert claim["claim"] == (
        "composition with earlier releases (at least 2 values of ill remain by joining and "
        "counting)"
    )
    assert "is left with at least 2 values of 'ill'" in certificate["protected"]
    for text in (claim["claim"], certificate["protected"], release.exposures[0].sentence):
        assert "confidence" not in text
    told = release.summary()["with_earlier_releases"][0]
    assert told["left"][0] == {"values": 1, "people": 0, "by_itself": 0}


def test_records_are_kept_and_remembered(tmp_path: Path) -> None:
    table = tmp_path / "release.csv"
    table.write_text("age,ill,crime\n1-2,flu,a\n1-2,gout,b\n3-4,flu,b\n", "utf-8")
    found = Published.read(table, sensitive=["ill", "crime"], records=True)
    again = archive.remembered(archive.kept(found), name="again")
    for one in (found, again):
        assert one.records is not None
        rows = zip(one.records.group.tolist(), one.records.codes.tolist(), strict=True)
        told = {
            (one.described(g), *(v[c] for v, c in zip(one.records.values, codes, strict=True)))
            for g, codes in rows
        }
        assert told == {
            ("(age 1-2)", "flu", "a"), ("(age 1-2)", "gout", "b"), ("(age 3-4)", "flu", "b")
        }  # fmt: skip


def shows(values: list[tuple[str, str]], where: list[int], *, beside: bool) -> Shows:
    """A release of these people's values, by group."""
    size = max(where) + 1
    counts: list[dict[str, int]] = [{} for _ in range(size)]
    for (ill, _), g in zip(values, where, strict=True):
        counts[g][ill] = counts[g].get(ill, 0) + 1
    names = (("a", "b", "c"), ("x", "y"))
    codes = [[names[0].index(ill), names[1].index(bill)] for ill, bill in values]
    records = RecordKinds(
        ("ill", "bill"), names, np.array(codes, np.int32), np.array(where),
        np.ones(len(where), np.int64),
    )  # fmt: skip
    return Shows(Groups.of({"ill": counts}), records if beside else None)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_nothing_that_is_possible_is_ruled_out(data: st.DataObject) -> None:
    """Against all tables that give the same releases."""
    size = data.draw(st.integers(2, 5))
    each = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"))
    values = data.draw(st.lists(each, min_size=size, max_size=size))
    splits = [data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)) for _ in "12"]
    splits = [[sorted(set(s)).index(g) for g in s] for s in splits]
    beside = data.draw(st.booleans())

    def told(table: tuple[tuple[str, str], ...]) -> list[Any]:
        keep = 2 if beside else 1
        return [
            [sorted(v[:keep] for v, g in zip(table, s, strict=True) if g == h) for h in range(3)]
            for s in splits
        ]

    published = told(tuple(values))
    kinds = list(product("abc", "xy" if beside else "x"))
    truly: list[set[str]] = [set() for _ in range(size)]
    for table in product(kinds, repeat=size):
        if told(table) == published:
            for person, (ill, _) in enumerate(table):
                truly[person].add(ill)
    names, possible = narrowed(
        [shows(values, s, beside=beside) for s in splits], [placed(s) for s in splits], of="ill"
    )
    for person in range(size):
        left = {names[code] for code in np.flatnonzero(possible[person])}
        assert truly[person] <= left


def _release(folder: Path, name: str, rows: list[str], **more: Any) -> Any:
    """Publish a table of zip, sex and illness; what is not said is not claimed."""
    (folder / f"{name}.csv").write_text("zip,sex,ill\n" + "\n".join(rows) + "\n", "utf-8")
    columns = {"zip": "quasi-identifier", "sex": "quasi-identifier", "ill": "sensitive"}
    said: dict[str, Any] = {
        "columns": columns, "protect": [{"k-anonymity": 2}], "population": "town",
        "ledger": folder / "ledger.db", "to": folder / name, "report": False,
    }  # fmt: skip
    return hedgerow.publish(folder / f"{name}.csv", **said | more)


def test_a_claim_that_earlier_releases_break_is_not_blamed_on_the_new_one(tmp_path: Path) -> None:
    levels = {"zip": {"role": QI, "levels": [0, 0]}, "sex": {"role": QI, "levels": [1, 1]},
              "ill": "sensitive"}  # fmt: skip
    rows = ["1,F,flu", "1,M,gout", "2,F,flu", "2,M,acne", "3,F,acne", "3,M,gout"]
    _release(tmp_path, "one", rows, columns=levels)
    other = levels | {"zip": {"role": QI, "levels": [1, 1]}, "sex": {"role": QI, "levels": [0, 0]}}
    _release(tmp_path, "two", rows, columns=other)
    coarse = {name: {"role": QI, "levels": [1, 1]} for name in ("zip", "sex")}
    claims = [{"k-anonymity": 2}, {"composition": 0.5}]
    with pytest.raises(ClaimError, match="The earlier releases alone already leave") as refused:
        _release(tmp_path, "new", rows, columns=coarse | {"ill": "sensitive"}, protect=claims)
    assert "no release can keep this claim" in refused.value.what


def test_an_earlier_release_that_cannot_be_compared_is_warned_of_first(tmp_path: Path) -> None:
    rows = ["1,F,flu", "1,F,gout", "2,M,flu", "2,M,acne"]
    _release(tmp_path, "one", rows)
    columns = {"zip": "quasi-identifier", "sex": "identifier", "ill": "sensitive"}
    found = _release(tmp_path, "two", rows, columns=columns)
    assert found.notes[0].startswith("Warning: not compared with one (ledger entry ")
    assert "its quasi-identifier 'sex' is no quasi-identifier here" in found.notes[0]


def test_level_and_sentence_are_about_the_same_people(tmp_path: Path) -> None:
    """Whoever is only in an earlier release counts for the level, and is in the sentence."""
    found = Exposure("ill", 5, (0, 0, 0), (0, 0, 0), ("one",), (0, 2, 2), fewest=2)
    assert "only in earlier releases, it leaves 0 one and 2 at most two" in found.sentence
    assert found.summary()["only_in_earlier_releases_left"] == [
        {"values": 1, "people": 0}, {"values": 2, "people": 2}, {"values": 3, "people": 2}
    ]  # fmt: skip


def test_columns_that_different_releases_share_are_joined_together(tmp_path: Path) -> None:
    """One shows the bill, two the ward, the new one both: only all of them together name people.

    Each set of columns alone leaves the first person two values, and they are not the same two.
    """
    told = (
        "000fpu 100apu 011aqu 111fqu 101gpv 010gpu 111fpv 011fpv 100gpu 101apu 010aqv 111gpv 011aqu"
    )
    full = pd.DataFrame([list(one) for one in told.split()],
                        columns=["a", "b", "c", "ill", "bill", "ward"])  # fmt: skip

    def publish(name: str, exact: str, show: list[str], protect: list[Any]) -> Any:
        columns: dict[str, Any] = {
            q: {"role": QI, "hierarchy": {"taxonomy": {"any": ["0", "1"]}},
                "levels": [0, 0] if q == exact else [1, 1]} for q in "abc"
        }  # fmt: skip
        columns |= {"ill": "sensitive"} | dict.fromkeys(show, "insensitive")
        return hedgerow.publish(
            full[["a", "b", "c", "ill", *show]], columns=columns, protect=protect,
            one_row_per_person=True, to=str(tmp_path / name), report=False,
        )  # fmt: skip

    publish("one", "a", ["bill"], [{"k-anonymity": 2}])
    publish("two", "b", ["ward"], [{"k-anonymity": 2}])
    beside = [str(tmp_path / "one"), str(tmp_path / "two")]
    claim = {"composition": {"confidence": 0.5, "of": "ill", "with": beside}}
    with pytest.raises(ClaimError, match="reaches 1, required 2"):
        publish("new", "c", ["bill", "ward"], [claim])


def test_who_left_may_have_been_in_several_releases(tmp_path: Path) -> None:
    """Two left who were in both earlier releases; whoever knows it is certain of everybody."""
    people = [(3, 3, "a"), (1, 0, "a"), (2, 2, "b"), (1, 3, "a"), (3, 0, "b")]
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("x,y,ill\n" + "".join(
        f"*,{'0-1' if y < 2 else '2-3'},{ill}\n" for _, y, ill in people), "utf-8")  # fmt: skip
    two.write_text("x,y,ill\n" + "".join(
        f"{'0-2' if x < 3 else '3-3'},*,{ill}\n" for x, _, ill in people), "utf-8")  # fmt: skip
    number = {"role": QI, "hierarchy": {"ranges": [2, 4]}}
    claim = {"composition": {"confidence": 0.5, "with": [str(one), str(two)]}}
    with pytest.raises(ClaimError):
        hedgerow.publish(
            pd.DataFrame(people[:3], columns=["x", "y", "ill"]), protect=[claim],
            columns={"x": number, "y": number, "ill": "sensitive"}, one_row_per_person=True,
        )  # fmt: skip
