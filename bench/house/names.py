"""Names: classes that share one, and modules that are called by a gerund or a participle."""

from __future__ import annotations

import ast
from collections import defaultdict

from bench.house.source import Source

TERMS = {
    "accounting": "privacy accounting",
    "averaging": "the averaging attack",
    "encoding": "dictionary encoding",
    "learning": "machine learning",
    "mixing": "the mixing of a Markov chain",
    "recoding": "global and local recoding",
    "rounding": "rounding modes",
    "sampling": "differential privacy under sampling",
    "spelling": "a noun",
}
"""Words that end like a gerund or participle, and what they are in the field."""
IRREGULAR = {"held", "kept", "made", "said", "shown", "spelt", "taken", "told", "written"}


def shared(source: Source) -> dict[str, list[str]]:
    """The names that several classes have, each with the modules that they are in."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, path in source.modules.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module)
    return {name: modules for name, modules in found.items() if len(modules) > 1}


def is_verb_form(module: str) -> bool:
    """Whether a module is called by a gerund or participle; `published_table` is a table.

    >>> is_verb_form("hedgerow.tabled"), is_verb_form("hedgerow.noise.accounting")
    (True, False)
    """
    word = module.rpartition(".")[2].rpartition("_")[2]
    return word not in TERMS and (word.endswith(("ing", "ed")) or word in IRREGULAR)


def verb_forms(source: Source) -> list[str]:
    """The modules and packages that are called so."""
    return [module for module in source.modules if is_verb_form(module)]
