"""Which modules ask an engine to count the rows of a table."""

from __future__ import annotations

import ast

from bench.house.source import Source

READER = "hedgerow.table.contents"
"""The one reader of published tables."""
COUNT_THEMSELVES = ("engines", "answers", "noise")
"""Rooms that are about counting, or count with noise; they read no releases."""

COUNTS_SOURCES = {
    "hedgerow.api.population_look": "the source: whom attackers who know some columns single out",
    "hedgerow.api.hierarchies": "the source: how many people have each value of a column",
    "hedgerow.table.cell_table": "the source, and the outside population",
    "hedgerow.release.partition.engine_recoding": "the source, column by column",
    "hedgerow.plan.person_rows": "the source: which rows are one person's",
    "hedgerow.claims.prior_files": "a prior's file",
    "hedgerow.table.published_table": "whether a column of another tool's table counts people",
}
"""Modules that count the rows of something else, and of what."""


def published_readers(source: Source) -> set[str]:
    """The modules that count the rows of published tables."""
    return readers(source) - set(COUNTS_SOURCES)


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
