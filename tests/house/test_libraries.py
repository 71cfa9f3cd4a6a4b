"""Libraries stay in their rooms, randomness has one source, and no text becomes code."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.source import Source  # noqa: E402

SOURCE = Source()
MODULES = SOURCE.modules
ENGINES = {"duckdb", "pyspark", "psycopg", "psycopg2"}
WEB = {"fastapi", "starlette", "uvicorn", "jinja2", "flask", "django", "aiohttp", "requests",
       "httpx", "urllib3", "socket", "http", "urllib"}  # fmt: skip
COMMANDS = [m for m in MODULES if m == "hedgerow.cli" or m.startswith("hedgerow.cli.")]
RANDOM = {"random", "numpy.random", "secrets"}


def imported(module: str) -> set[str]:
    """The modules that a module imports."""
    return SOURCE.imported(module)


def top(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def test_libraries_stay_where_they_belong() -> None:
    for module in MODULES:
        names = top(imported(module) - {"urllib.parse"})  # which reaches nobody
        if module == "hedgerow.ledger.postgresql":
            assert not names & (ENGINES - {"psycopg"}), module
        elif not module.startswith("hedgerow.engines"):
            assert not names & ENGINES, module
        if module.startswith("hedgerow.reports"):
            assert not names & (WEB - {"jinja2"}), module
        elif not module.startswith("hedgerow.web"):
            assert not names & WEB, module
        assert "opendp" not in names or module == "hedgerow.noise.samplers", module
        assert "dp_accounting" not in names or module == "hedgerow.noise.accounting", module
        data_only = f"plans and releases are data: {module}"
        assert not names & {"pickle", "marshal", "shelve", "dill"}, data_only


def test_nothing_but_the_entry_point_imports_the_command_line() -> None:
    for module in MODULES:
        if module != "hedgerow.__main__" and module not in COMMANDS:
            names = imported(module)
            assert not {name for name in names if name.startswith("hedgerow.cli")}, module
            assert not top(names) & {"typer", "rich"}, module


@pytest.mark.parametrize("module", COMMANDS)
def test_the_command_line_uses_only_public_names(module: str) -> None:
    for one in SOURCE.imports:
        base, name = one.of, one.name
        if one.by != module or not base.startswith("hedgerow") or name is None:
            continue
        if name != "__version__":
            assert not name.startswith("_"), f"{base}.{name}"
        public = getattr(importlib.import_module(base), "__all__", None)
        if public is not None and f"{base}.{name}" not in MODULES:
            assert name in public, f"{base}.{name}"
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_")
        if not (isinstance(node.value, ast.Name) and node.value.id == "self")
    }
    assert used <= {"__mro__", "__name__"}


def draws(source: str) -> bool:
    """Whether it uses numpy's generators, which are for simulations."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "random"
        and isinstance(node.value, ast.Name)
        and node.value.id in {"np", "numpy"}
        for node in ast.walk(ast.parse(source))
    )


PRIVATE = tuple(
    f"hedgerow.{name}" for name in ("answers", "learning", "noise", "release", "synthesis")
)
"""Where randomness protects people."""
HARMLESS = {
    "hedgerow.noise.samplers",  # the one place
    "hedgerow.answers.preview",  # makes up people, who have no privacy
    "hedgerow.release.partition.earlier_releases",  # hashes sets of values
}


def test_randomness_for_privacy_comes_from_one_place() -> None:
    assert draws("import numpy as np\nnp.random.default_rng()")
    for module, path in MODULES.items():
        private = module.startswith(PRIVATE)
        if private and module not in HARMLESS:
            assert not imported(module) & RANDOM, module
            assert not draws(path.read_text("utf-8")), module


def test_no_code_is_made_from_text() -> None:
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec", "compile", "__import__"}, module
