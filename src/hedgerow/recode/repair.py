"""Repair: groups that pass one by one are joined until the release as a whole keeps its claims.

A claim such as composition depends on how groups go together, so a division that asks only whether
each group passes may end with people who are exposed. Their groups become coarser, others stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.recoding import Recoding
from hedgerow.table.cells import Cells

Flags = NDArray[np.bool_]


def repaired(
    recoding: Recoding,
    cells: Cells,
    models: Sequence[PrivacyModel],
    coarser: Callable[[Recoding, Flags], Recoding | None],
) -> Recoding:
    """The recoding, made coarser where a claim that is about more than each group asks for it.

    Args:
        recoding: Each of its groups passes.
        cells: The table.
        models: The claims.
        coarser: Makes a recoding in which groups that are marked are joined with others; None
            where that is impossible. Whether the claims hold then, the caller confirms.
    """
    beyond = [model for model in models if model.beyond_groups]
    while beyond:
        first, into = recoding.seen
        groups = recoding.groups(cells)
        exposed, beside = np.zeros((2, len(first)), np.bool_)
        for model in beyond:
            mine, others = model.exposed(groups)
            exposed |= mine
            beside |= others
        if not beside.any():
            return recoding
        joined = coarser(recoding, (exposed if exposed.any() else beside)[into])
        if joined is None:
            return recoding
        recoding = joined
    return recoding
