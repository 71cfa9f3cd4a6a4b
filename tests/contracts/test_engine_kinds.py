"""Every engine of the registry is found by address, plan and source, and says what it lacks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from packages import ROOT, Installed

from hedgerow.base.errors import DataError, PlanError
from hedgerow.engines import ENGINES, open_engine, table_place
from hedgerow.engines.kinds import engine_of, scheme_of
from hedgerow.plan.plan import Plan, plan_json_schema

COLUMNS = {"age": "quasi-identifier"}
CLAIM = [{"k-anonymity": 2}]
every = pytest.mark.parametrize("name", ENGINES)
REMOTE = [name for name, kind in ENGINES.items() if kind.remote is not None]


@every
def test_it_says_what_it_is(name: str) -> None:
    kind = ENGINES[name]
    assert kind.name == name
    assert kind.reads
    assert kind.open is not None or kind.remote is not None
    assert not kind.libraries or "pip install" in kind.install


@pytest.mark.parametrize("name", REMOTE)
def test_addresses_lead_to_it(name: str) -> None:
    remote = ENGINES[name].remote
    assert remote is not None
    assert name in remote.schemes, "a plan writes its name as a scheme"
    for spelled, scheme in remote.schemes.items():
        assert remote.schemes[scheme] == scheme == scheme_of(spelled)
        place = table_place(f"{spelled}://host/x::a.b")
        assert place is not None
        assert str(place) == f"{scheme}://host/x::a.b"
        assert engine_of(place) is ENGINES[name]


def test_no_scheme_is_of_two_engines() -> None:
    schemes = [s for kind in ENGINES.values() if kind.remote for s in kind.remote.schemes]
    assert len(schemes) == len(set(schemes))


@every
def test_a_plan_names_it(name: str) -> None:
    remote = ENGINES[name].remote
    source = "a.b" if remote else "table.csv"
    plan = Plan.of(columns=COLUMNS, protect=CLAIM, engine=name, source=source)
    assert plan.source == (f"{name}://::a.b" if remote else "table.csv")
    assert plan_json_schema()["properties"]["engine"]["enum"] == list(ENGINES)


def test_an_unknown_one_is_refused_with_the_nearest() -> None:
    with pytest.raises(PlanError) as error:
        Plan.of(columns=COLUMNS, protect=CLAIM, engine="postgres", source="a.b")
    assert "'engine' cannot be 'postgres'" in str(error.value)
    assert f"Did you mean postgresql? There are {', '.join(ENGINES)}." in str(error.value)


@pytest.mark.parametrize("name", [name for name in REMOTE if ENGINES[name].libraries])
@pytest.mark.parametrize("way", ["source", "target"])
def test_a_missing_library_is_named_with_what_to_install(name: str, way: str) -> None:
    (library,) = ENGINES[name].libraries
    do = "open_engine(place)" if way == "source" else "carried(table_place(place))"
    script = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from hedgerow.engines import open_engine, table_place\n"
        "from hedgerow.engines.transfer import carried\n"
        f"place = '{name}://host/x::a.b'\n"
        f"try:\n    {do}\n"
        "except Exception as error:\n    print(type(error).__name__, error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert f"DataError {name}://host/x::a.b: {ENGINES[name].reads} needs {library}" in done.stdout
    assert f"Install it: pip install 'hedgerow[{name}]'." in done.stdout


FAR = '''
"""Tables of this process: an engine as another package would add it."""

from hedgerow.engines.kinds import EngineKind, RemoteKind


def tables():
    import pyarrow as pa

    return {"people": pa.table({"age": ["31", "31", "47", "47"], "sex": ["f", "f", "m", "m"]})}


def opened(place, options):
    from hedgerow.engines.duckdb import DuckDBEngine

    return DuckDBEngine(tables()[place.table], null=options.null, person=options.person)


class Frame:
    """A table in memory that nobody else reads."""


def of_frame(source, options):
    from hedgerow.engines.duckdb import DuckDBEngine

    return DuckDBEngine(tables()["people"], null=options.null, person=options.person)


ENGINE = EngineKind(
    name="far",
    reads="a table of this process",
    takes=lambda source: isinstance(source, Frame),
    open=of_frame,
    remote=RemoteKind(schemes={"far": "far", "afar": "far"}, open=opened, arrival=None),
)
'''


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("packages") / "far"
    return Installed(folder, FAR, {"hedgerow.engines": "ENGINE"})


def test_a_package_adds_one_that_is_published_from(far: Installed, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(
        "engine: far\nsource: people\n"
        "columns: {age: quasi-identifier, sex: quasi-identifier}\n"
        "protect: [{k-anonymity: 2}]\npublish: {to: release}\n"
    )
    far.run("-m", "hedgerow", "publish", "plan.yaml", cwd=tmp_path)
    assert len((tmp_path / "release" / "data.csv").read_text().splitlines()) == 5


def test_a_package_adds_one_that_reads_its_own_tables(far: Installed, tmp_path: Path) -> None:
    script = (
        "import far\nfrom hedgerow.engines import open_engine\n"
        "for source in (far.Frame(), 'afar://::people'):\n"
        "    with open_engine(source) as engine:\n"
        "        print(engine.columns())"
    )
    assert far.run("-c", script, cwd=tmp_path).splitlines() == ["('age', 'sex')"] * 2


def test_the_suite_tries_what_a_package_adds(far: Installed) -> None:
    far.passes("tests/contracts/test_engine_kinds.py", "far", least=3, plugins=["far"])


@pytest.mark.parametrize("source", ["postgrsql://ann:secret@h/d::t", Path("postgrsql://h/d")])
def test_an_address_that_no_engine_has_is_refused_with_the_nearest(source: object) -> None:
    """A path has lost a slash by then."""
    with pytest.raises(DataError) as error:
        open_engine(source)
    assert error.value.what == "no engine reads postgrsql://"
    assert "Did you mean postgresql://?" in str(error.value.fix)
    assert "secret" not in str(error.value)
