"""Every import format of the registry is read exactly, and appears wherever formats are listed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from contracts.engine_homes import PLAIN_NAMES, WORDS, WRITERS
from packages import ROOT, Installed

from hedgerow.base.errors import DataError, PlanError
from hedgerow.engines import open_engine
from hedgerow.engines.formats import COMPRESSED, FORMATS, format_of, readable, uploadable
from hedgerow.plan.plan import Plan
from hedgerow.web.pages import environment
from hedgerow.web.workspace import table_suffixes

NAMES = ("zip", 'the "age"', "Krankheit; ä")
ROWS = [
    ("00501", "30", "flu"),
    ("00501", "30", "flu"),
    ("10115", None, 'say "ah"'),
    ("10115", "", "b\nc"),
    (None, None, "naïve ☃"),
]
every = pytest.mark.parametrize("suffix", FORMATS)


def counted(source: object, names: Sequence[str] = NAMES) -> Counter[tuple[str | None, ...]]:
    """The rows, as an engine reads them."""
    with open_engine(source) as engine:
        assert engine.columns() == tuple(names)
        found = engine.counts(list(names)).to_pydict()
    keys = zip(*(found[f"q{j}"] for j in range(len(names))), strict=True)
    return Counter(dict(zip(keys, found["n"], strict=True)))


def table_for(suffix: str) -> tuple[Sequence[str], list[tuple[str | None, ...]], Counter[Any]]:
    """Names and rows that a format can hold, and what is counted of them."""
    names: Sequence[str] = WORDS if suffix in PLAIN_NAMES else NAMES
    rows: list[tuple[str | None, ...]] = list(ROWS)
    if suffix == ".por":  # letters of its own, and no lines
        names = [name.upper() for name in WORDS]
        rows = [tuple(v and v.replace("\n", " ").replace("ï", "i")[:5] for v in r) for r in rows]
    if FORMATS[suffix].empty_text:
        return names, rows, Counter(rows)
    return names, rows, Counter([tuple(value or None for value in row) for row in rows])


@every
def test_it_says_what_it_is(suffix: str) -> None:
    kind = FORMATS[suffix]
    assert kind.name == suffix
    assert re.fullmatch(r"\.[a-z0-9]+", suffix)
    assert re.fullmatch(r"[A-Z]\w+", kind.title)
    assert suffix in WRITERS, "it has a writer that shares no code with it"


@every
def test_it_is_read_exactly(suffix: str, tmp_path: Path) -> None:
    names, rows, expected = table_for(suffix)
    file = WRITERS[suffix](tmp_path / f"data[1]*{suffix.upper()}", names, rows)
    assert format_of(file) is FORMATS[suffix]
    assert counted(file, names) == counted(str(file), names) == expected


@every
def test_it_is_compressed_where_it_says_so(suffix: str, tmp_path: Path) -> None:
    if FORMATS[suffix].compressed:
        file = WRITERS[suffix](tmp_path / f"data{suffix}{COMPRESSED}", NAMES, ROWS)
        assert counted(file) == Counter(ROWS)


@every
def test_it_comes_in_many_files_where_it_says_so(suffix: str, tmp_path: Path) -> None:
    names, rows, _ = table_for(suffix)
    for place, some in enumerate((rows[:2], rows[2:])):
        kept = rows if suffix == ".sas7bdat" else some
        WRITERS[suffix](tmp_path / f"part-{place}{suffix}", names, kept)
    pattern = str(tmp_path / f"part-*{suffix}")
    if FORMATS[suffix].several:
        assert counted(pattern) == Counter(ROWS)
        return
    with pytest.raises(DataError, match="matches 2 files") as error:
        counted(pattern)
    assert error.value.fix == "Only Parquet can come in many files."


@every
def test_a_table_of_a_database_is_named(suffix: str, tmp_path: Path) -> None:
    names, rows, _ = table_for(suffix)
    file = WRITERS[suffix](tmp_path / f"data{suffix}", names, rows)
    if FORMATS[suffix].database:
        assert counted(f'{file}::a "table"') == Counter(ROWS)
        return
    with pytest.raises(DataError, match="there is no such file"):
        counted(f"{file}::table")


@every
def test_it_is_listed_wherever_formats_are(suffix: str, tmp_path: Path) -> None:
    assert f"{suffix}" in readable()
    wrong = tmp_path / "data.xyz"
    wrong.write_text("a\n")
    with pytest.raises(DataError, match=r"\.xyz is not a kind of file") as error:
        counted(wrong)
    assert error.value.fix == f"Give {readable()}."
    taken = not FORMATS[suffix].database
    assert (suffix in uploadable()) == (suffix in table_suffixes()) == taken
    accepted = environment().from_string("{{ table_files() }}").render().split(",")
    assert (suffix in accepted) == taken


@every
def test_it_is_not_taken_for_a_plan(suffix: str, tmp_path: Path) -> None:
    names, rows, _ = table_for(suffix)
    file = WRITERS[suffix](tmp_path / f"data{suffix}", names, rows)
    with pytest.raises(PlanError, match="this is a table, not a plan"):
        Plan.read(file)


def test_the_docs_list_all() -> None:
    """A line each, made from what it says of itself."""
    lines = []
    for kind in FORMATS.values():
        more = [f"also `{kind.name}{COMPRESSED}`"] * kind.compressed
        more += ["a pattern such as `data/*.parquet` is one table"] * kind.several
        more += [f"`file{kind.name}::table` names a table of several"] * kind.database
        lines.append(f"| `{kind.name}` | {kind.title} | {'; '.join(more)} |")
    assert "\n".join(lines) in (ROOT / "docs" / "plan.md").read_text("utf-8"), "\n".join(lines)


def test_looking_one_up_loads_no_engine() -> None:
    script = (
        "import sys, importlib.metadata as m\n"
        "m.entry_points = lambda **k: 1 / 0\n"
        "from pathlib import Path\n"
        "from hedgerow.engines.formats import format_of\n"
        "from hedgerow.engines import table_place\n"
        "from hedgerow.recode.metrics import METRICS\n"
        "from hedgerow.noise.catalogue import MECHANISMS\n"
        "assert format_of(Path('a.csv.gz')).title == 'CSV'\n"
        "assert table_place('postgres://h/d::s.t').scheme == 'postgresql'\n"
        "assert table_place('a.csv') is None\n"
        "METRICS['loss'], MECHANISMS['discrete Laplace']\n"
        "print([m for m in ('duckdb', 'pyarrow', 'numba', 'psycopg', 'pyspark', 'opendp') "
        "if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.stdout.strip() == "[]", done.stderr


FAR = '''
"""Lines of fields with bars between them: a format as another package would add it."""

from hedgerow.engines.formats import FileFormat
from hedgerow.engines.frames import arrow_view


def view(session, given):
    import pyarrow as pa

    (file,) = given.files
    rows = [line.split("\\x1e") for line in file.read_text("utf-8").split("\\x1d")]
    columns = [[None if v == "\\x1f" else v for v in column] for column in zip(*rows[1:])]
    return arrow_view(session, pa.table(columns, names=rows[0]), files=given.files)


FORMAT = FileFormat(name=".far", title="Far", view=view)


def write(path, names, rows):
    lines = ["\\x1e".join("\\x1f" if v is None else v for v in row) for row in [names, *rows]]
    path.write_text("\\x1d".join(lines), "utf-8")
    return path


def pytest_configure():
    from contracts.engine_homes import PLAIN_NAMES, WORDS, WRITERS

    WRITERS[".far"] = write
'''


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("packages") / "far"
    return Installed(folder, FAR, {"hedgerow.formats": "FORMAT"})


def test_a_package_adds_one_that_is_published_from(far: Installed, tmp_path: Path) -> None:
    script = (
        "import far, pathlib\n"
        "far.write(pathlib.Path('people.far'), ['age', 'sex'], [['31', 'f'], ['31', 'f']])"
    )
    far.run("-c", script, cwd=tmp_path)
    (tmp_path / "plan.yaml").write_text(
        "source: people.far\ncolumns: {age: quasi-identifier, sex: quasi-identifier}\n"
        "protect: [{k-anonymity: 2}]\npublish: {to: release}\n"
    )
    far.run("-m", "hedgerow", "publish", "plan.yaml", cwd=tmp_path)
    assert (tmp_path / "release" / "data.csv").read_text().splitlines() == [
        "age,sex", "31,f", "31,f",
    ]  # fmt: skip
    far.run("-m", "hedgerow", "init", "people.far", "--to", "first.yaml", cwd=tmp_path)
    assert "source: people.far" in (tmp_path / "first.yaml").read_text("utf-8")


def test_messages_and_the_app_name_what_a_package_adds(far: Installed) -> None:
    script = (
        "from hedgerow.engines.formats import readable\n"
        "from hedgerow.web.workspace import table_suffixes\n"
        "print(readable(), table_suffixes())"
    )
    told = far.run("-c", script)
    assert ".sqlite3 or .far file" in told
    assert "'.far'" in told


@pytest.mark.slow
def test_the_suite_tries_what_a_package_adds(far: Installed) -> None:
    far.passes(
        "tests/contracts/test_formats.py", "far", least=7,
        plugins=["far"],
    )  # fmt: skip
