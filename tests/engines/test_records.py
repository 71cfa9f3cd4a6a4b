"""Every record of a CSV file is read, or there is an error. The oracle is Python's csv module."""

from __future__ import annotations

import csv
import gzip
import io
import random
from pathlib import Path
from typing import Any

import pytest

import hedgerow
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.engines import open_engine, records
from hedgerow.engines.records import CsvCount, CsvRecords

PLAN = """\
source: people.csv
columns: {sex: quasi-identifier, disease: sensitive}
protect: [{k-anonymity: 5}]
publish: {to: release}
"""
HEADER = b"sex,disease\n"
TWENTY = HEADER + b"F,flu\n" * 10 + b"M,flu\n" * 10


def in_python(data: bytes, columns: int) -> list[list[str]]:
    """The records as the csv module has them; empty lines are none but in a single column."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    found = list(csv.reader(io.StringIO(text, newline="")))
    return [row for row in found if row or columns == 1]


def rows_of(path: Path, data: bytes) -> list[tuple[str, ...]]:
    """What the engine makes of a file."""
    path.write_bytes(data)
    with open_engine(path, delimiter=",") as engine:
        total = engine.rows_total()
        assert sum(engine.counts(engine.columns())["rows"].to_pylist()) == total
        table: Any = engine.rows(engine.columns(), max(1, total))
        return [tuple(v or "" for v in row.values()) for row in table.to_pylist()]


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("size", [3_000_000, 33_000_000, 40_000_000])
def test_a_very_long_last_line_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, end: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(PLAN)
    Path("people.csv").write_bytes(TWENTY + b"M,HIV" + b" " * size + end)
    with pytest.raises(DataError, match="longer than 2 MB"):
        hedgerow.publish("plan.yaml")
    assert not Path("release").exists()


def test_nor_when_a_release_of_another_tool_is_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(PLAN)
    Path("people.csv").write_bytes(TWENTY)
    assert not hedgerow.verify("people.csv", plan="plan.yaml").refuted
    Path("people.csv").write_bytes(TWENTY + b"X,HIV" + b" " * 40_000_000 + b"\n")
    with pytest.raises(DataError, match="longer than 2 MB"):
        hedgerow.verify("people.csv", plan="plan.yaml")


@pytest.mark.parametrize("ask", ["counts", "rows_total", "distinct", "profile"])
def test_whatever_is_asked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: str) -> None:
    """An engine that passes over a line is found out, whatever the reason."""
    path = tmp_path / "people.csv"
    path.write_bytes(TWENTY)
    monkeypatch.setattr(records, "_regular", lambda told: CsvCount(22, 22, 6, 1))
    asked = {"counts": [["sex"]], "distinct": ["sex"]}.get(ask, [])
    with (
        open_engine(path) as engine,
        pytest.raises(DataError, match="20 rows were read, and the file has 21 after its header"),
    ):
        getattr(engine, ask)(*asked)


READ = {
    "no end": (b"a,b\n1,2\n3,4", [("1", "2"), ("3", "4")]),
    "empty lines": (b"a,b\n\n1,2\n\n\n3,4\n\n", [("1", "2"), ("3", "4")]),
    "carriage returns": (b"a,b\r\n1,2\r\n\r\n3,4\r\n", [("1", "2"), ("3", "4")]),
    "old carriage returns": (b"a,b\r1,2\r3,4\r", [("1", "2"), ("3", "4")]),
    "line ends in quotes": (b'a,b\n1,"2\n\n3"\n3,4\n', [("1", "2\n\n3"), ("3", "4")]),
    "separators in quotes": (b'a,b\n1,"2,3"\n', [("1", "2,3")]),
    "quotes in quotes": (b'a,b\n1,"2""\n"",3"\n', [("1", '2"\n",3')]),
    "a quote inside a field": (b'a,b\n1,5" pipe\n3,4\n', [("1", '5" pipe'), ("3", "4")]),
    "a mark": (b"\xef\xbb\xbfa,b\n1,2\n", [("1", "2")]),
    "a mark and quotes": (b'\xef\xbb\xbf"a",b\n"1",2\n', [("1", "2")]),
    "nothing but a header": (b"a,b\n", []),
    "one column, missing values": (b"a\n1\n\n2\n\n", [("1",), ("",), ("2",), ("",)]),
    "a header of two lines": (b'"a\nb",c\n1,2\n', [("1", "2")]),
    "zero bytes": (b"a,b\n1,2\x00\n3,4\n", [("1", "2\x00"), ("3", "4")]),
    "the end of a file in a file": (b"a,b\n1,2\n\x1a3,4\n", [("1", "2"), ("\x1a3", "4")]),
    "what others take for a comment": (b"a,b\n#1,2\n", [("#1", "2")]),
}


@pytest.mark.parametrize("name", READ)
def test_read_whole(tmp_path: Path, name: str) -> None:
    data, expected = READ[name]
    assert rows_of(tmp_path / "x.csv", data) == expected


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a,b\n1,2,\n3,4,\n", "8 fields in 3 lines, where the header has 2"),
        (b"a\n1,\n", "3 fields in 2 lines, where the header has 1"),
        (b'a,b\n1, "2,3"\n', "5 fields in 2 lines"),
        (b'a,b\n1, "2\n3"\n', None),
        (b'a,b\n1,"2\n3,4\n5,6\n', None),
        (b'a,b\n1,"2"x\n', None),
        (b"a,b\n1\n", None),
        (b"a,b\n1,2\n   \n", None),
        (b"a,b\n1,2\r\n3,4\n", None),
    ],
)
def test_what_cannot_be_accounted_for_is_an_error(
    tmp_path: Path, data: bytes, why: str | None
) -> None:
    with pytest.raises(DataError, match=why):
        rows_of(tmp_path / "x.csv", data)


def test_compressed(tmp_path: Path) -> None:
    path, one = tmp_path / "x.csv.gz", gzip.compress(b"a,b\n1,2\n")
    assert rows_of(path, one) == [("1", "2")]
    for broken in (one + b"garbage", one[:-4], one[:20]):
        with pytest.raises(HedgerowError):
            rows_of(path, broken)
    try:
        found = rows_of(path, one + gzip.compress(b"3,4\n"))
    except HedgerowError:
        return  # the engine reads the first part only, and is found out
    assert found == [("1", "2"), ("3", "4")]


TOKENS = (
    (b"a", b",", b",", b"\n", b'"x"', b'"x""y"', b'""', b'"p\nq"', b'"r,s"'),
    (b"a", b",", b"\r\n", b'"x,"', b"bb", b'"\r"'),
    (b"a", b",", b"\n", b'"', b"\r", b"\r\n", b" "),
)


def test_counts_of_random_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the bytes, and wherever blocks of them end."""
    chance, path, regular = random.Random(19), tmp_path / "x.csv", 0
    for _ in range(6000):
        monkeypatch.setattr(records, "BLOCK", chance.choice([1, 2, 3, 5, 8, 64, 67, 200]))
        tokens = chance.choice(TOKENS)
        data = b"".join(chance.choices(tokens, k=chance.choice([5, 14, 90])))
        if chance.random() < 0.1:
            data = b"\xef\xbb\xbf" + data
        path.write_bytes(data)
        told = CsvRecords(path, ",", columns := chance.choice([1, 2]))
        rows = in_python(data, columns)
        expected = len(rows), sum(max(0, len(row) - 1) for row in rows)
        slow, fast = records._one_by_one(told), records._regular(told)
        assert (slow.records, slow.separators) == expected, data
        if fast is not None:
            regular += 1
            assert (fast.records, fast.separators) == expected, data
    assert 1000 < regular < 5000


def test_rows_of_random_files(tmp_path: Path) -> None:
    """What the engine reads without an error is what the csv module reads, up to spaces."""
    chance, read = random.Random(8), 0
    for _ in range(300):
        tokens, columns = chance.choice(TOKENS), chance.choice([1, 2])
        lines = [
            b",".join(b"".join(chance.choices(tokens, k=chance.choice([0, 1, 1, 2])))
            for _ in range(columns))
            for _ in range(chance.randint(0, 6))
        ]  # fmt: skip
        data = b"\n".join([b",".join([b"h", b"i"][:columns]), *lines])
        if b"\r\n" in tokens and chance.random() < 0.5:
            data = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        try:
            found = rows_of(tmp_path / "x.csv", data)
        except HedgerowError:
            continue
        read += 1
        there = [tuple(row) or ("",) for row in in_python(data, columns)[1:]]
        assert [[v.strip(' "') for v in row] for row in found] == [
            [v.strip(' "') for v in row] for row in there
        ], data
    assert read > 30
