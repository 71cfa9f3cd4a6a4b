"""Rules of the house, checked by walking the source: who may import what."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import hedgerow

HOME = Path(hedgerow.__file__).parent
MODULES = {
    ".".join(("hedgerow", *path.relative_to(HOME).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in sorted(HOME.rglob("*.py"))
}
ENGINES = {"duckdb", "pyspark", "psycopg", "psycopg2"}
WEB = {"fastapi", "starlette", "uvicorn", "jinja2", "flask", "django", "aiohttp", "requests",
       "httpx", "urllib3", "socket", "http", "urllib"}  # fmt: skip
COMMANDS = [m for m in MODULES if m == "hedgerow.cli" or m.startswith("hedgerow.cli.")]
RANDOM = {"random", "numpy.random", "secrets"}


def imports(path: Path, module: str) -> Iterator[tuple[str, str | None]]:
    """Each imported module, and the name taken from it; also imports inside functions."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join(filter(None, (*parts, node.module))) if node.level else node.module
            yield from ((str(base), alias.name) for alias in node.names)


@cache
def imported(module: str) -> set[str]:
    """Modules a module imports; `from package import module` counts as the module."""
    found = set()
    for base, name in imports(MODULES[module], module):
        whole = f"{base}.{name}"
        found.add(whole if whole in MODULES else base)
    return found


def top(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def test_the_walk_sees_what_there_is() -> None:
    """Should the walk find nothing, the rules below would hold for anything."""
    assert "hedgerow.recode.cells" in imported("hedgerow.recode.recoding")
    assert "duckdb" in imported("hedgerow.engines.session")
    assert "psycopg" in imported("hedgerow.ledger.postgresql")
    assert "hedgerow.guess" in imported("hedgerow.cli"), "imports inside functions count"
    assert len(MODULES) > 50


@pytest.mark.parametrize(
    "module",
    [m for m in MODULES if m.startswith("hedgerow.models") or m == "hedgerow.utility"],
)
def test_models_and_utility_know_only_groups(module: str) -> None:
    allowed = {"hedgerow.groups", "hedgerow.errors", "hedgerow._jit", "hedgerow.ranges"}
    if module in ("hedgerow.models.epsilon", "hedgerow.models.terms"):
        allowed |= {"hedgerow.adversary", "hedgerow.predicates"}
    if module == "hedgerow.models.closeness":
        allowed.add("hedgerow.ordering")  # the words for the order a claim names
    if module == "hedgerow.models.readings":  # it names a claim's values in one spelling
        allowed |= {"hedgerow.predicates", "hedgerow.priors"}
    ours = {name for name in imported(module) if name.startswith("hedgerow")}
    assert {n for n in ours if not n.startswith("hedgerow.models")} <= allowed


SINGLE = ("inference", "similarity", "skewness", "minimality", "credibility", "gains")


@pytest.mark.parametrize("name", SINGLE)
def test_attacks_on_one_release_know_only_groups(name: str) -> None:
    allowed = {"hedgerow.groups", "hedgerow.errors", "hedgerow._jit", "hedgerow.attacks.base"}
    allowed |= {f"hedgerow.attacks.{other}" for other in SINGLE}
    if name == "inference":
        allowed.add("hedgerow.spelling")  # which texts say that nothing is recorded
    module = f"hedgerow.attacks.{name}"
    assert {m for m in imported(module) if m.startswith("hedgerow")} <= allowed


def test_adversaries_know_only_groups() -> None:
    allowed = {"hedgerow.groups", "hedgerow.errors", "hedgerow.predicates", "hedgerow.priors"}
    for module in ("hedgerow.adversary", "hedgerow.predicates", "hedgerow.priors"):
        assert {name for name in imported(module) if name.startswith("hedgerow")} <= allowed


def test_libraries_stay_where_they_belong() -> None:
    for module in MODULES:
        names = top(imported(module) - {"urllib.parse"})  # which reaches nobody
        if module == "hedgerow.ledger.postgresql":
            assert not names & (ENGINES - {"psycopg"}), module
        elif not module.startswith("hedgerow.engines"):
            assert not names & ENGINES, module
        if module.startswith("hedgerow.reporting"):
            assert not names & (WEB - {"jinja2"}), module
        elif not module.startswith("hedgerow.web"):
            assert not names & WEB, module
        assert "opendp" not in names or module == "hedgerow.dp.noise", module
        assert "dp_accounting" not in names or module == "hedgerow.dp.accounting", module
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
    for base, name in imports(MODULES[module], module):
        if not base.startswith("hedgerow") or name is None:
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
    f"hedgerow.{name}"
    for name in (
        "blowfish",
        "dp",
        "learning",
        "priced",
        "pufferfish",
        "query",
        "randomised",
        "safe",
        "sampling",
    )
)
"""Where randomness protects people."""


def test_randomness_for_privacy_comes_from_one_place() -> None:
    assert draws("import numpy as np\nnp.random.default_rng()")
    for module, path in MODULES.items():
        private = module.startswith(PRIVATE)
        # A preview makes up people, who have no privacy.
        if private and module not in ("hedgerow.dp.noise", "hedgerow.query.preview"):
            assert not imported(module) & RANDOM, module
            assert not draws(path.read_text("utf-8")), module


def test_no_code_is_made_from_text() -> None:
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec", "compile", "__import__"}, module
