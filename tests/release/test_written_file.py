"""The file against the intention: types, people with several rows, populations, sources."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import recipients

import hedgerow
from hedgerow import (
    DataError,
    DistinctLDiversity,
    HedgerowError,
    KAnonymity,
    KMap,
    ProbabilisticLDiversity,
    TargetError,
)
from hedgerow.release.partition import maker as publishing

duckdb = pytest.importorskip("duckdb")
COLUMNS = {"a": "quasi-identifier", "s": "sensitive", "i": "insensitive"}
NEAR = ("9007199254740992", "9007199254740993")
"""Two whole numbers that are one double."""
TYPES = {
    "HUGEINT": NEAR,
    "UHUGEINT": NEAR,
    "TIMETZ": ("10:00:00+02", "08:00:00+00"),
    "INTERVAL": ("00:00:00.000001", "00:00:00.000002"),
    "HUGEINT[]": tuple(f"[{n}]" for n in NEAR),
    "STRUCT(n HUGEINT)": tuple(f"{{'n': {n}}}" for n in NEAR),
}


def as_table(folder: Path, kind: str, values: tuple[str, ...], rows: list[tuple[int, int]]) -> Path:
    """A DuckDB file with people p and their values, which column a and i have too."""
    with duckdb.connect(str(folder / "in.duckdb")) as base:
        base.execute(f"CREATE TABLE t (p INTEGER, a {kind}, s {kind}, i {kind})")
        for person, value in rows:
            text = [values[0], values[value], values[value]]
            base.execute("INSERT INTO t VALUES (?, ?, ?, ?)", [person, *text])
    return folder / "in.duckdb"


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("people", ["rows", "several", "counted"])
def test_types_that_parquet_would_alter_are_written_as_text(
    tmp_path: Path, kind: str, people: str
) -> None:
    rows = [(1, 0), (2, 1), (3, 0), (4, 1)] + ([(4, 1)] if people == "several" else [])
    source = as_table(tmp_path, kind, TYPES[kind], rows)
    columns = {name: {"role": role, "key": False} for name, role in COLUMNS.items()}
    columns |= {} if people == "several" else {"p": {"role": "identifier"}}
    if people == "counted":
        columns["i"] = {"role": "identifier", "key": False}
    more = {"person": "p", "rows": "one"} if people == "several" else {}
    release = hedgerow.publish(
        source, columns=columns, **more,
        protect=[DistinctLDiversity(l=2, of="s")],
        publish={"to": tmp_path / "release", "format": "parquet"},
    )  # fmt: skip
    assert release.claims[0].level == 2
    read = pq.read_table(tmp_path / "release" / "data.parquet")
    want = Counter(TYPES[kind][value] for _, value in dict.fromkeys(rows))
    assert Counter(read["s"].to_pylist()) == want
    assert set(read["a"].to_pylist()) == {TYPES[kind][0]}
    if people != "counted":
        assert Counter(read["i"].to_pylist()) == want


@pytest.mark.parametrize("person", [None, "p"])
@pytest.mark.parametrize("insensitive", ["insensitive", "identifier"])
def test_how_many_categories_there_are_is_not_published(
    tmp_path: Path, person: str | None, insensitive: str
) -> None:
    """Five categories that nobody has or five hundred: the same file."""
    columns = COLUMNS | {"i": insensitive} | ({} if person else {"p": "identifier"})
    files = []
    for unused in (5, 500):
        source, target = tmp_path / f"{unused}.duckdb", tmp_path / f"release-{unused}"
        names = ", ".join(f"'{name}'" for name in ["x", "u", "v", *range(unused)])
        with duckdb.connect(str(source)) as base:
            base.execute(f"CREATE TYPE kind AS ENUM ({names})")
            base.execute(
                "CREATE TABLE t AS SELECT range AS p, 'x'::kind AS a, 'u'::kind AS i, "
                "(CASE range % 2 WHEN 0 THEN 'u' ELSE 'v' END)::kind AS s FROM range(4000)"
            )  # so many people that the file has dictionaries
        hedgerow.publish(
            source, columns=columns, person=person, protect=[KAnonymity(k=2)],
            publish={"to": target, "format": "parquet"},
        )  # fmt: skip
        files.append((target / "data.parquet").read_bytes())
    assert files[0] == files[1]


VISITS = pd.DataFrame(
    {"p": list("aabbccdd"), "a": list("xxxxyyyy"), "s": list("uvwzuvwz"), "i": list("12345678")}
)


def visited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, alter: Any) -> None:
    """Publish people with two rows each, the file altered before it is measured."""
    write = publishing.write_release

    def broken(*given: Any, **more: Any) -> Any:
        done = write(*given, **more)
        if form == "csv":
            frame = alter(pd.read_csv(done.path, dtype=str))
            frame.to_csv(done.path, index=False)
        else:
            frame = alter(pq.read_table(done.path).to_pandas())
            pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), done.path)
        return done

    monkeypatch.setattr(publishing, "write_release", broken)
    hedgerow.publish(
        VISITS, columns=COLUMNS, person="p", rows="at most 2",
        protect=[KAnonymity(k=2), ProbabilisticLDiversity(l=2, of="s")],
        publish={"to": tmp_path / "release", "format": form},
    )  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    "alter",
    [
        lambda f: f.assign(s="u"),
        lambda f: f.assign(s=["?", *f["s"][1:]]),
        lambda f: f.assign(s=f["s"].where(f["a"] == "x", "u")),
        lambda f: f.assign(a=["z", *f["a"][1:]]),
        lambda f: f.assign(a=["y", *f["a"][1:]]),
        lambda f: f[1:],
    ],
)
def test_rows_are_judged_as_the_file_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, alter: Any
) -> None:
    """Four rows a group, of two people at least; one row fewer, or a value twice, is too few."""
    with pytest.raises(HedgerowError, match=r"the written file|would not keep its claims"):
        visited(tmp_path, monkeypatch, form, alter)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_file_that_is_the_intention_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    visited(tmp_path, monkeypatch, form, lambda frame: frame)
    assert recipients.certificate(tmp_path / "release")["data"]["rows"] == 8


# Populations


def test_people_with_several_rows_in_a_wider_population() -> None:
    """Nobody in the table has w; x stands for five people and y for five."""
    frame = pd.DataFrame({"p": list("1123"), "a": list("xxxy")})
    outside = pd.DataFrame({"a": list("xxxxxyyyyywwwww")})
    release = hedgerow.publish(
        frame, columns={"a": "quasi-identifier"}, person="p", rows="one",
        protect=[KMap(k=3)], population_table=outside,
    )  # fmt: skip
    assert release.levels == {"a": 0}
    assert release.claims[0].level == 5
    table = release.to_arrow()
    assert Counter(table["a"].to_pylist()) == {"x": 2, "y": 1}


def test_a_person_left_out_leaves_their_population() -> None:
    """y stands for two people, too few: its person goes, and w still has nobody."""
    frame = pd.DataFrame({"p": list("1123"), "a": list("xxxy")})
    outside = pd.DataFrame({"a": list("xxxxxyywwwww")})
    release = hedgerow.publish(
        frame, columns={"a": "quasi-identifier"}, person="p", rows="one",
        protect=[KMap(k=3)], population_table=outside, method={"suppress": 0.4},
    )  # fmt: skip
    assert (release.suppressed, release.claims[0].level) == (1, 5)


# One column


@pytest.mark.parametrize("person", [None, "p"])
@pytest.mark.parametrize("population", [False, True])
def test_missing_values_of_a_single_column_are_rows(
    tmp_path: Path, person: str | None, population: bool
) -> None:
    frame = pd.DataFrame({"p": list("123456"), "a": [None, None, "x", "x", "y", "y"]})
    columns = {"a": "quasi-identifier"} | ({} if person else {"p": "identifier"})
    release = hedgerow.publish(
        frame, columns=columns, person=person, to=tmp_path / "release",
        protect=[KMap(k=2) if population else KAnonymity(k=2)],
        population_table=frame if population else None,
    )  # fmt: skip
    assert (release.rows, release.claims[0].level) == (6, 2)
    read = pd.read_csv(tmp_path / "release" / "data.csv")
    assert read["a"].fillna("?").tolist() == ["?", "?", "x", "x", "y", "y"]


# Names


@pytest.mark.parametrize("person", [None, "p"])
def test_names_that_a_spreadsheet_would_run(tmp_path: Path, person: str | None) -> None:
    frame = pd.DataFrame(
        {"p": list("1234"), "=cmd()": list("xxyy"), "@s": list("uvuv"), "-1": list("1234")}
    )
    columns = {"=cmd()": "quasi-identifier", "@s": "sensitive", "-1": "insensitive"}
    release = hedgerow.publish(
        frame, columns=columns | ({} if person else {"p": "identifier"}), person=person,
        protect=[KAnonymity(k=2), DistinctLDiversity(l=2, of="@s")],
        publish={"to": tmp_path / "release", "escape_formulas": True},
    )  # fmt: skip
    assert [claim.level for claim in release.claims] == [2, 2]
    header = (tmp_path / "release" / "data.csv").read_text().splitlines()[0]
    assert header == "'=cmd(),'@s,-1"


def test_names_that_would_be_written_alike(tmp_path: Path) -> None:
    frame = pd.DataFrame({"=a": list("xxyy"), "'=a": list("uvuv")})
    with pytest.raises(DataError, match=r"the header: '=a' and \"'=a\" would be written alike"):
        hedgerow.publish(
            frame, columns={"=a": "quasi-identifier", "'=a": "sensitive"},
            protect=[KAnonymity(k=2)],
            publish={"to": tmp_path / "release", "escape_formulas": True},
        )  # fmt: skip
    assert not list(tmp_path.iterdir())


# Sources


@pytest.mark.parametrize("which", ["source", "population", "population table"])
def test_a_pattern_in_the_release_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table = pa.table({"a": ["x"] * 4, "s": list("uvuv")})
    columns = {"a": "quasi-identifier", "s": "sensitive"}
    hedgerow.publish(
        table, columns=columns, protect=[KAnonymity(k=2)],
        publish={"to": "rp", "format": "parquet"},
    )  # fmt: skip
    before = {file: file.read_bytes() for file in Path("rp").iterdir()}
    source: Any = "rp/*.parquet" if which == "source" else table
    claim: Any = KAnonymity(k=2)
    if which == "population":
        claim = {"k-map": {"k": 2, "population": "rp/*.parquet"}}
    elif which == "population table":
        claim = KMap(k=2)
    with pytest.raises(TargetError, match=r"'rp/data\.parquet' would be replaced"):
        hedgerow.publish(
            source, columns=columns, protect=[claim], replace=True, to="rp",
            population_table="rp/*.parquet" if which == "population table" else None,
        )  # fmt: skip
    assert {file: file.read_bytes() for file in Path("rp").iterdir()} == before
