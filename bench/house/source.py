"""The source of Hedgerow, walked: which module imports what, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

HOME = Path(__file__).resolve().parents[2] / "src" / "hedgerow"


@dataclass(frozen=True)
class Import:
    """One import between modules of the house, or of a library."""

    by: str
    of: str
    """The module; a name that is taken from it stands in `name`."""
    name: str | None
    types_only: bool
    """Whether it is there for the type checker alone."""
    alias: str | None = None
    """What it is called there, where it is not its own name."""


class Source:
    """Every module of a package by its dotted name."""

    def __init__(self, home: Path = HOME) -> None:
        self.home = home
        self.modules = {self._dotted(path): path for path in sorted(home.rglob("*.py"))}

    def _dotted(self, path: Path) -> str:
        parts = path.relative_to(self.home.parent).with_suffix("").parts
        return ".".join(parts).removesuffix(".__init__")

    def room(self, module: str) -> str:
        """The package at the top level that a module is in; its own name if it is in none."""
        parts = module.split(".")
        return parts[1] if len(parts) > 1 else ""

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """All of them, those inside functions too."""
        return tuple(one for module in self.modules for one in self._imports(module))

    def _imports(self, module: str) -> Iterator[Import]:
        path = self.modules[module]
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        # What a door offers stands in the stub beside it, and is loaded on first use.
        files = (file for file in (path, path.with_suffix(".pyi")) if file.exists())
        trees = [ast.parse(file.read_text("utf-8")) for file in files]
        for node, types_only in (found for tree in trees for found in _import_nodes(tree)):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(module, alias.name, None, types_only)
                continue
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join(filter(None, (*above, node.module))) if node.level else node.module
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                if whole in self.modules:
                    yield Import(module, whole, None, types_only)
                else:
                    yield Import(module, str(base), alias.name, types_only, alias.asname)

    def imported(self, module: str) -> set[str]:
        """The modules that a module imports, for the type checker too."""
        return {one.of for one in self.imports if one.by == module}


def _import_nodes(
    node: ast.AST, types_only: bool = False
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, types_only
        elif isinstance(child, ast.If) and _is_type_checking(child.test):
            for one in child.body:
                yield from _import_nodes(ast.Module([one], []), True)
            for one in child.orelse:
                yield from _import_nodes(ast.Module([one], []), types_only)
        else:
            yield from _import_nodes(child, types_only)


def _is_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def cycles(edges: set[tuple[str, str]]) -> list[set[str]]:
    """Sets of two or more that reach each other."""
    nodes = {node for edge in edges for node in edge}
    after = {node: {b for a, b in edges if a == node} for node in nodes}

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            new = after[todo.pop()] - seen
            seen |= new
            todo += new
        return seen

    reach = {node: reached(node) for node in nodes}
    found: list[set[str]] = []
    for node in sorted(nodes):
        ring = {other for other in reach[node] if node in reach[other]}
        if len(ring) > 1 and ring not in found:
            found.append(ring)
    return found
