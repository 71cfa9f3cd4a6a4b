"""Who may be in which group: labels, spellings and gaps as a careful reader takes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hedgerow.release.partition.candidates import Candidates
from hedgerow.table.cells import Cells
from hedgerow.table.hierarchy import ANY, Hierarchy

NODES = {"age": {"young": {"20", "25"}}}


def fits(values: Sequence[str | None]) -> tuple[Candidates, dict[str | None, set[str | None]]]:
    """Of people with these values, each value a group as in `check`: who fits which."""
    hierarchy = Hierarchy.of("age", [(value, ANY) for value in values])
    ones = np.ones(len(values), np.int64)
    cells = Cells((hierarchy,), hierarchy.encode(list(values))[:, None], ones, ones)
    tuples, _ = cells.tuples
    candidates = Candidates.in_table(cells, NODES)
    names = [hierarchy.values[code] for code in tuples[:, 0]]
    found: dict[str | None, set[str | None]] = {name: set() for name in names}
    for one, group in zip(candidates.tuple_, candidates.group, strict=True):
        found[names[one]].add(names[group])
    return candidates, found


@pytest.mark.parametrize(
    ("values", "who", "where"),
    [
        (["20", "25", "40"], "25", {"25"}),
        (["25", "20-30", "40"], "25", {"25", "20-30"}),
        (["25", "young", "40"], "25", {"25", "young"}),
        (["22", "20-30", "{20-30, 25}"], "22", {"22", "20-30", "{20-30, 25}"}),
        (["F", "f", "M"], "F", {"F", "f"}),
        (["F", "?", "M"], "F", {"F", "?"}),
        (["F", None, "M"], "F", {"F", None}),
        (["F", "*", "M"], "F", {"F", "*"}),
        (["F", None, "M"], None, {"F", None, "M"}),
        (["5", "{5, missing}", "0"], "0", {"0", "{5, missing}"}),
    ],
)
def test_where_somebody_may_be(
    values: list[str | None], who: str | None, where: set[str | None]
) -> None:
    candidates, found = fits(values)
    assert found[who] == where
    assert candidates.certain(listed=True) == all(len(groups) == 1 for groups in found.values())


def test_groups_that_look_alike() -> None:
    candidates, _ = fits(["F", "F.", "M", "N"])
    assert len(set(candidates.alike.tolist())) == 3
    assert not candidates.certain(listed=False)
