"""Where engines keep tables, and how files of each format are written, derived from the registries.

An engine of tables that are elsewhere has a fixture `NAME_tables`, which puts an Arrow table there
and says its address.
"""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import duckdb
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from hedgerow.engines import ENGINES

Rows = Sequence[Sequence[str | None]]
MARKS: Mapping[str, Sequence[pytest.MarkDecorator]] = {
    "spark": [pytest.mark.slow, pytest.mark.spark]
}
"""Of engines that take long to start."""
ELSEWHERE = [
    pytest.param(name, marks=MARKS.get(name, ()))
    for name, kind in ENGINES.items()
    if kind.remote is not None
]
HERE = [name for name, kind in ENGINES.items() if kind.remote is None]
HOMES = [*HERE, *ELSEWHERE]
FAST = [name for name in ENGINES if name not in MARKS]


def as_csv(path: Path, names: Sequence[str], rows: Rows, delimiter: str = ",") -> Path:
    """Written here by hand: missing is an empty field, text is always quoted."""

    def field(value: str | None) -> str:
        return "" if value is None else '"' + value.replace('"', '""') + '"'

    text = "".join(delimiter.join(map(field, row)) + "\n" for row in [names, *rows])
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def as_arrow(names: Sequence[str], rows: Rows) -> Any:
    columns = [pa.array([row[j] for row in rows], pa.string()) for j in range(len(names))]
    return pa.table(columns, names=list(names))


def as_parquet(path: Path, names: Sequence[str], rows: Rows) -> Path:
    pq.write_table(as_arrow(names, rows), path)
    return path


def as_duckdb(path: Path, names: Sequence[str], rows: Rows) -> Path:
    table = as_arrow(names, rows)
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute('CREATE TABLE "a ""table""" AS FROM given')
    return path


def as_xlsx(path: Path, names: Sequence[str], rows: Rows) -> Path:
    """Written here by hand: every value a text, nothing where it is missing."""
    return workbook(path, {"People": [names, *rows]})


NUMBERED = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")


def workbook(path: Path, sheets: Mapping[str, Rows], *, typed: bool = False) -> Path:
    """The smallest that Excel opens; with `typed`, numbers are numbers."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    numbers = range(1, len(sheets) + 1)

    def cell(value: str | None) -> str:
        if value is None:
            return "<c/>"
        if typed and NUMBERED.fullmatch(value):
            return f"<c><v>{value}</v></c>"
        text = escape(value)
        return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'

    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-'
        'package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kind}.worksheet+xml"/>'
            for n in numbers
        )
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="rId1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        + "".join(
            f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>'
            for n, name in zip(numbers, sheets, strict=True)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}">'
        + "".join(
            f'<Relationship Id="rId{n}" Type="{office}/worksheet" '
            f'Target="worksheets/sheet{n}.xml"/>'
            for n in numbers
        )
        + "</Relationships>",
    }
    for n, rows in zip(numbers, sheets.values(), strict=True):
        body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
        parts[f"xl/worksheets/sheet{n}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>'
        )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
    return path


def as_ods(path: Path, names: Sequence[str], rows: Rows) -> Path:
    """Written here by hand, as OpenDocument has tables."""
    office = "urn:oasis:names:tc:opendocument:xmlns"

    def cell(value: str | None) -> str:
        if value is None:
            return "<table:table-cell/>"
        lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in value.split("\n"))
        return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'

    body = "".join(
        f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in [names, *rows]
    )
    text = (
        f'<office:document-content xmlns:office="{office}:office:1.0" '
        f'xmlns:table="{office}:table:1.0" xmlns:text="{office}:text:1.0"><office:body>'
        f'<office:spreadsheet><table:table table:name="People">{body}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("content.xml", text)
        packed.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:'
            'manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type='
            '"application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
        )
    return path


def as_statistics(path: Path, names: Sequence[str], rows: Rows) -> Path:
    """By the library that reads them too, but for what is made of labels and missing values."""
    import pandas as pd
    import pyreadstat

    columns = {
        name: [row[j] if row[j] is not None else "" for row in rows] for j, name in enumerate(names)
    }
    frame = pd.DataFrame(columns, dtype=object)
    kind = path.suffix.lower()
    writers = {
        ".sav": lambda: pyreadstat.write_sav(frame, str(path)),
        ".zsav": lambda: pyreadstat.write_sav(frame, str(path), compress=True),
        ".por": lambda: pyreadstat.write_por(frame, str(path)),
        ".dta": lambda: pyreadstat.write_dta(frame, str(path)),
        ".xpt": lambda: pyreadstat.write_xport(frame, str(path)),
    }
    writers[kind]()
    return path


def as_sas(path: Path, names: Sequence[str], rows: Rows) -> Path:
    """Nothing that can be installed writes this format: ReadStat's C code wrote the file once."""
    import pyreadstat

    there = Path(__file__).with_name("files") / "texts.sas7bdat"
    found, _ = pyreadstat.read_sas7bdat(str(there), output_format="dict")
    given = {n: [row[j] or "" for row in rows] for j, n in enumerate(names)}
    if dict(found) != given:
        pytest.skip("there is no such .sas7bdat file, and nothing writes one")
    path.write_bytes(there.read_bytes())
    return path


def as_xls(path: Path, names: Sequence[str], rows: Rows) -> Path:
    import xlwt

    book = xlwt.Workbook(encoding="utf-8")
    sheet = book.add_sheet("People")
    for i, row in enumerate([names, *rows]):
        for j, value in enumerate(row):
            if value is not None:
                sheet.write(i, j, value)
    book.save(str(path))
    return path


def as_json_lines(path: Path, names: Sequence[str], rows: Rows) -> Path:
    text = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def as_arrow_file(path: Path, names: Sequence[str], rows: Rows) -> Path:
    table = as_arrow(names, rows)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return path


def as_feather(path: Path, names: Sequence[str], rows: Rows) -> Path:
    feather.write_feather(as_arrow(names, rows), str(path), compression="zstd")
    return path


def as_sqlite(path: Path, names: Sequence[str], rows: Rows) -> Path:
    quoted = ", ".join('"' + name.replace('"', '""') + '" TEXT' for name in names)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f'CREATE TABLE "a ""table""" ({quoted})')
        marks = ", ".join("?" * len(names))
        connection.executemany(f'INSERT INTO "a ""table""" VALUES ({marks})', rows)
        connection.commit()
    return path


WRITERS: dict[str, Callable[[Path, Sequence[str], Rows], Path]] = {
    ".csv": as_csv,
    ".tsv": lambda path, names, rows: as_csv(path, names, rows, "\t"),
    ".parquet": as_parquet,
    ".duckdb": as_duckdb,
    ".xlsx": as_xlsx,
    ".xls": as_xls,
    ".ods": as_ods,
    ".sav": as_statistics,
    ".zsav": as_statistics,
    ".por": as_statistics,
    ".dta": as_statistics,
    ".xpt": as_statistics,
    ".sas7bdat": as_sas,
    ".jsonl": as_json_lines,
    ".ndjson": as_json_lines,
    ".arrow": as_arrow_file,
    ".feather": as_feather,
    ".sqlite": as_sqlite,
    ".sqlite3": as_sqlite,
}
"""For each format by suffix."""
WORDS = ("zip", "the_age", "illness")
"""Names of columns that every format can hold."""
PLAIN_NAMES = (".sav", ".zsav", ".por", ".dta", ".xpt", ".sas7bdat")
"""Formats whose columns are called as variables are."""
