"""The suites: `pytest --suite NAME` runs one whole, and fails if tests have gone missing.

`suites.json` says of each suite which tests it is made of, where they are, and how many there are
at least. Without `--suite` pytest runs what it is told to, and nothing is counted.

`--shuffle SEED` runs modules, and the tests of each, in another order.
"""

from __future__ import annotations

import gc
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
FILE = Path(__file__).with_name("suites.json")
SUITES: dict[str, dict[str, object]] = json.loads(FILE.read_text("utf-8"))
FRESH = "fresh"
"""The suite whose properties are tried on new examples; elsewhere every run tries the same."""

# A busy machine is no fault of the code, so no example has a deadline.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.register_profile(FRESH, database=None, deadline=None, print_blob=True)


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("suites")
    group.addoption("--suite", choices=list(SUITES), help="run a whole suite, and count its tests")
    group.addoption("--shuffle", metavar="SEED", help="run tests in another order")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    name = config.getoption("suite")
    if not config.getoption("hypothesis_profile", None):
        settings.load_profile(FRESH if name == FRESH else "repeatable")
    if name is None:
        return
    for option in ("markexpr", "keyword", "deselect"):
        if config.getoption(option) and config.getoption(option) != SUITES[name]["marks"]:
            raise pytest.UsageError("--suite is a whole suite: leave out -m, -k and --deselect")
    if not hasattr(config, "workerinput"):
        if config.args_source is config.ArgsSource.ARGS:
            raise pytest.UsageError("--suite is a whole suite: leave out files and folders")
        config.args = [str(ROOT / place) for place in SUITES[name]["in"]]
    config.option.markexpr = SUITES[name]["marks"]


def pytest_report_header(config: pytest.Config) -> list[str]:
    seeds = {
        "order": config.getoption("shuffle"),
        "examples": config.getoption("hypothesis_seed", None),
    }
    return [f"seed of the {what}: {seed}" for what, seed in seeds.items() if seed is not None]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays to the end, so that nobody need look for what it leaves behind."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seed = config.getoption("shuffle")
    if seed is not None:
        items[:] = shuffled(items, seed)


def shuffled(items: list[pytest.Item], seed: str) -> list[pytest.Item]:
    """Modules in another order, and tests within modules; what a module sets up is set up once."""
    drawn = random.Random(seed)
    modules: dict[Path, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.path, []).append(item)
    order = list(modules.values())
    drawn.shuffle(order)
    for tests in order:
        drawn.shuffle(tests)
    return [item for tests in order for item in tests]


def missing(name: str | None, collected: int) -> str | None:
    """What to say if a suite has fewer tests than it had."""
    if name is None or collected >= (floor := int(str(SUITES[name]["floor"]))):
        return None
    return (
        f"the suite '{name}' has {collected} tests, and had at least {floor}: some are not "
        f"collected any more. If they were taken out on purpose, lower the floor in {FILE.name}."
    )


def pytest_collection_finish(session: pytest.Session) -> None:
    """In one process; processes that share the work report to the hook below."""
    if not hasattr(session.config, "workerinput") and not session.config.getoption(
        "numprocesses", 0
    ):
        stop_if_missing(session.config, len(session.items))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: object, ids: list[str]) -> None:
    stop_if_missing(node.config, len(ids))  # type: ignore[attr-defined]


def stop_if_missing(config: pytest.Config, collected: int) -> None:
    message = missing(config.getoption("suite"), collected)
    if message:
        pytest.exit(message, returncode=pytest.ExitCode.TESTS_FAILED)
