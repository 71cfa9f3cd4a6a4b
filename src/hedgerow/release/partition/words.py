"""What became of each column, in words."""

from __future__ import annotations

import numpy as np

from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.table.cells import Cells


def in_words(chosen: Recoding, cells: Cells) -> dict[str, str]:
    """What became of each quasi-identifier, with a value of the largest group as an example."""
    kept = chosen.group != SUPPRESSED
    first, into = chosen.seen
    people = np.bincount(into[chosen.group[kept]], weights=chosen.people[kept])
    tied = first[np.flatnonzero(people == people.max())].tolist()
    # However the groups were found, the example is the same.
    largest = min(tied, key=lambda g: [(kind[g] is None, kind[g] or "") for kind in chosen.labels])
    words = {}
    for j, h in enumerate(cells.hierarchies):
        label = chosen.labels[j][largest]
        example = "missing" if label is None else str(label)
        if chosen.levels is None:
            words[h.name] = f"such as {example}"
        else:
            level = chosen.levels[h.name]
            shown = example if level else "as it is"
            words[h.name] = f"level {level} of {h.height} ({shown})"
    return words
