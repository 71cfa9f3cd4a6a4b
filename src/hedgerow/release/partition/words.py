"""What became of each column, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.table.cells import Cells
from hedgerow.table.column_codings import Codings, done_to
from hedgerow.table.hierarchy import ANY


def in_words(chosen: Recoding, cells: Cells) -> dict[str, str]:
    """What became of each quasi-identifier, with a frequent value as an example."""
    kept = chosen.group != SUPPRESSED
    first, into = chosen.seen
    people = np.bincount(
        into[chosen.group[kept]], weights=chosen.people[kept], minlength=len(first)
    )
    tied = first[np.flatnonzero(people == people.max())].tolist()
    # However the groups were found, the example is the same.
    largest = min(tied, key=lambda g: [(kind[g] is None, kind[g] or "") for kind in chosen.labels])
    words = {}
    for j, h in enumerate(cells.hierarchies):
        if chosen.levels is None:
            words[h.name] = _of_several_levels(
                [chosen.labels[j][g] for g in first.tolist()], people
            )
        else:
            label, level = chosen.labels[j][largest], chosen.levels[h.name]
            shown = _shown(label) if level else "as it is"
            words[h.name] = f"level {level} of {h.height} ({shown})"
    return words


def _of_several_levels(labels: Sequence[object], people: NDArray[Any]) -> str:
    """How many people keep something of a column whose detail differs, and what most of them do."""
    of_label: dict[object, float] = {}
    for label, n in zip(labels, people.tolist(), strict=True):
        of_label[label] = of_label.get(label, 0.0) + n
    nothing, total = of_label.pop(ANY, 0.0), float(people.sum())
    kept = [(-n, _shown(label)) for label, n in of_label.items() if n]
    if not kept:
        return ANY
    # Never rounded to all: 99.9 % is not everybody.
    share = "all people" if not nothing else f"{int(100 * (1 - nothing / total))} % of the people"
    different = f"{len(kept):,} different values" if len(kept) > 1 else "one value"
    return f"{different} for {share}, such as {min(kept)[1]}"


def _shown(label: object) -> str:
    return "missing" if label is None else str(label)


def with_codings(words: Mapping[str, str], codings: Codings) -> dict[str, str]:
    """The same with what was done to coded columns, quasi-identifiers or not."""
    coded = {name: done_to(coding) for name, coding in codings.items()}
    found = {n: f"{told}; {coded[n]}" if n in coded else told for n, told in words.items()}
    return found | {name: done for name, done in coded.items() if name not in words}
