"""Categories: rare values put together, and values that have a word in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from hedgerow.table.hierarchy_builders import Taxonomy
from hedgerow.table.proposals.names import free_name, look_coded
from hedgerow.table.proposals.proposal import Candidate, Counts

MOST = 500
"""Values; a plan that lists more is not read by anybody."""
RARE = (1, 10)
"""Values of fewer than so many times k people are pooled, from level to level."""


def candidates(counts: Counts, *, k: int) -> Iterator[Candidate]:
    """Hierarchies for a column of names."""
    values = sorted(value for value, n in counts.items() if value is not None and n > 0)
    if not 3 <= len(values) <= MOST:
        return
    tree = by_frequency({value: counts[value] for value in values}, k=k)
    if tree is not None:
        yield _candidate(tree, "rare values are put together")
    tree = None if look_coded(values) else by_words(values)
    if tree is not None:
        yield _candidate(tree, "values with a word in common")


def _candidate(tree: list[Any], reason: str) -> Candidate:
    return Candidate(Taxonomy(tree=tree), {"taxonomy": tree}, "data", reason)


def by_frequency(counts: dict[str, int], *, k: int) -> list[Any] | None:
    """Values of few people under `other`, those of fewer than k under `rare` in it.

    >>> by_frequency({"a": 900, "b": 700, "c": 30, "d": 20, "e": 2, "f": 1}, k=5)
    ['a', 'b', {'other': ['c', 'd', {'rare': ['e', 'f']}]}]
    """
    rare = [v for v, n in counts.items() if n < RARE[0] * k]
    few = [v for v, n in counts.items() if RARE[0] * k <= n < RARE[1] * k]
    common = [v for v, n in counts.items() if n >= RARE[1] * k]
    if not common or len(rare) + len(few) < 2:
        return None
    below: list[Any] = [*few]
    if len(rare) > 1 and few:
        below.append({free_name("rare", counts): rare})
    else:
        below += rare
    return [*common, {free_name("other", counts): below}]


def by_words(values: Sequence[str]) -> list[Any] | None:
    """Groups of values that share a word, the word of most values first.

    >>> by_words(["Married-civ", "Married-AF", "Widowed"])
    ['Widowed', {'Married ..': ['Married-AF', 'Married-civ']}]
    """
    left = sorted(values)
    parts = {value: [w for w in re.split(r"[\W_]+", value) if w] for value in left}
    groups: list[dict[str, list[str]]] = []
    while True:
        shared: Counter[tuple[str, bool]] = Counter()
        for value in left:
            words = parts[value]
            if len(words) > 1:
                shared[words[0].casefold(), True] += len(words[0]) > 2
                shared[words[-1].casefold(), False] += len(words[-1]) > 2
        best = min(shared, key=lambda one: (-shared[one], not one[1], one[0]), default=None)
        if best is None or shared[best] < 2:
            break
        word, first = best
        place = 0 if first else -1
        # A value that is the word alone belongs to it.
        having = [v for v in left if parts[v] and parts[v][place].casefold() == word]
        shown = parts[having[0]][place]
        name = f"{shown} .." if first else f".. {shown}"
        groups.append({free_name(name, [*values, *(n for g in groups for n in g)]): having})
        left = [v for v in left if v not in having]
    if not groups or len(groups) + len(left) < 2:
        return None
    return [*left, *groups]
