"""How many life cycles a release has, and how long the one is."""

from __future__ import annotations

import ast

from bench.house.source import HOME, Source

PUBLISH = HOME / "release" / "publication.py"
DELIVERS = ("deliver", "staging")
"""Whoever calls both in the room of releases lets releases appear."""
BRANCHES = (ast.If, ast.For, ast.While, ast.IfExp, ast.ExceptHandler, ast.Assert, ast.comprehension)


def life_cycles(source: Source) -> set[str]:
    """The modules of the room of releases that let a release appear."""
    found = set()
    for module, path in source.modules.items():
        if source.room(module) == "release":
            tree = ast.parse(path.read_text("utf-8"))
            called = {
                node.func.id
                for node in ast.walk(tree)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            }
            if called.issuperset(DELIVERS):
                found.add(module)
    return found


def publish_function() -> ast.FunctionDef:
    """The function that is the life of a release."""
    tree = ast.parse(PUBLISH.read_text("utf-8"))
    (found,) = (
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "publish"
    )
    return found


def length(function: ast.FunctionDef) -> int:
    """Its lines, with signature and docstring."""
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1


def complexity(function: ast.FunctionDef) -> int:
    """How many ways lead through it, by McCabe's count."""
    more = sum(isinstance(node, BRANCHES) for node in ast.walk(function))
    both = sum(len(n.values) - 1 for n in ast.walk(function) if isinstance(n, ast.BoolOp))
    return 1 + more + both
