"""Which modules ask an engine to count the rows of a table."""

from __future__ import annotations

import ast

from bench.house.source import Source

READER = "hedgerow.table.contents"
"""The one reader of published tables."""
COUNT_THEMSELVES = ("engines", "answers", "noise")
"""Rooms that are about counting, or count with noise; they read no releases."""


def readers(source: Source) -> set[str]:
    """The modules in which an engine counts rows."""
    return {
        module
        for module, path in source.modules.items()
        if source.room(module) not in COUNT_THEMSELVES
        and counts_rows(ast.parse(path.read_text("utf-8")))
    }


def counts_rows(tree: ast.AST) -> bool:
    """Whether `something.counts(...)` is called, and something is no class."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "counts"
        and not (isinstance(node.func.value, ast.Name) and node.func.value.id[0].isupper())
        for node in ast.walk(tree)
    )
