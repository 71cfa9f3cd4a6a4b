"""A PostgreSQL server and a Spark session are started once for all tests of a process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import suites

if TYPE_CHECKING:
    from postgres_server import Server
    from remote_tables import PostgreSQLTables
    from spark_tables import SparkTables


def pytest_addoption(parser: pytest.Parser) -> None:
    suites.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(suites)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    from postgres_server import WITHOUT, Server

    if os.environ.get(WITHOUT):
        pytest.skip(f"{WITHOUT} is set")
    running = Server()
    yield running
    running.remove()


@pytest.fixture
def postgresql_tables(server: Server, monkeypatch: pytest.MonkeyPatch) -> PostgreSQLTables:
    """Puts tables into a schema of its own, for engines to read."""
    from postgres_server import PASSWORD
    from remote_tables import PostgreSQLTables

    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return PostgreSQLTables(server)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("spark"):
            # Spark closes its sockets when it likes, and warns of every newer pandas.
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session somebody else has started."""
    from spark_tables import WITHOUT, local_session

    if os.environ.get(WITHOUT):
        pytest.skip(f"{WITHOUT} is set")
    session = local_session(tmp_path_factory.mktemp("warehouse"))
    yield session
    session.stop()


@pytest.fixture
def spark_tables(spark: Any, tmp_path: Path) -> SparkTables:
    """Puts tables into a folder, for Spark to read."""
    from spark_tables import SparkTables

    folder = tmp_path / "tables"
    folder.mkdir()
    return SparkTables(folder)
