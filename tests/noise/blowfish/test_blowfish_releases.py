"""Earlier releases without noise: in how many rows neighbours differ, by all tables there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement

import numpy as np
import pytest
from noise.blowfish.agreeing_tables import neighbours

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.exact_release import ExactRelease
from hedgerow.noise.blowfish.graphs import Full, Partition, line
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.blowfish.policy import Policy
from hedgerow.noise.blowfish.secret_graph import Graph
from hedgerow.table.domain import Values

VALUES = 4
Cells = Sequence[set[int]]
GRAPHS: dict[str, tuple[Graph, Callable[[int, int], bool]]] = {
    "full": (Full(VALUES), lambda a, b: a != b),
    "line": (line(VALUES), lambda a, b: abs(a - b) == 1),
    "blocks": (Partition((0, 0, 1, 1)), lambda a, b: a != b and a // 2 == b // 2),
}
CELLS: dict[str, Cells] = {
    "two": [{0, 1}, {2, 3}],
    "three": [{0}, {1, 2}, {3}],
    "values": [{0}, {1}, {2}, {3}],
    "overlapping": [{0, 1}, {1, 2, 3}],
    "with everything": [{0, 1}, {2}, {0, 1, 2, 3}],
}


def farthest(
    edge: Callable[[int, int], bool], cells: Cells, counted: Sequence[int], rows: int
) -> tuple[int, int]:
    """The most rows in which neighbours differ, and how far apart their histograms are."""
    differ = apart = 0

    def fits(value: int, cell: int) -> bool:
        return value in cells[cell]

    for one, other in neighbours(range(VALUES), edge, fits, counted, rows):
        differ = max(differ, sum(a != b for a, b in zip(one, other, strict=True)))
        apart = max(apart, sum(abs(one.count(v) - other.count(v)) for v in range(VALUES)))
    return differ, apart


def stated(graph: Graph, cells: Cells, counted: Sequence[int]) -> Stated:
    """A policy whose last code, for anything else, is the last value: here it has nobody else."""
    fits = [tuple(v in cell for cell in cells) for v in range(VALUES)]
    classes = np.array([fits.index(fit) for fit in fits])
    release = ExactRelease("r", "r", ("x",), len(set(counted)), classes={"x": classes})
    return Stated(Policy({"x": graph}), {"x": Values(("a", "b", "c"))}, releases=(release,))


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("cells", CELLS)
def test_no_neighbours_differ_in_more_rows(cells: str, kind: str, rows: int) -> None:
    (graph, edge), reached = GRAPHS[kind], set()
    for counted in (
        c
        for many in range(1, rows + 1)
        for c in combinations_with_replacement(range(len(CELLS[cells])), many)
    ):
        found = stated(graph, CELLS[cells], counted)
        rows_differ, apart = farthest(edge, CELLS[cells], counted, rows)
        assert rows_differ <= found.changed, counted
        assert apart <= 2 * found.changed, counted
        reached.add(found.changed - rows_differ)
    if kind != "full":  # where every move is a secret, a shorter one is always nearer
        assert 0 in reached, "the bound is reached by some release"


def test_rows_that_were_left_out_help() -> None:
    """Two cells hold somebody, and still three rows move: one of them was in neither."""
    found = stated(line(VALUES), CELLS["values"], (0, 2))
    assert farthest(GRAPHS["line"][1], CELLS["values"], (0, 2), 4)[0] == 3
    assert found.changed == 3


def test_what_no_edge_changes_costs_nothing() -> None:
    blocks, full = Partition((0, 0, 1, 1)), Full(VALUES)
    found = stated(blocks, CELLS["two"], (0, 1))
    assert found.changed == 1
    assert found.digest == Stated(found.policy, found.domains).digest
    tied = stated(full, CELLS["two"], (0, 1))
    assert tied.changed == 3
    assert tied.digest != Stated(tied.policy, tied.domains).digest
    assert any("the counts of r (2 cells)" in line for line in tied.not_protected())


def test_nothing_is_claimed_where_nothing_is_proved() -> None:
    domains, policy = {"x": Values(("a", "b", "c"))}, Policy({"x": Full(VALUES)})
    apart = {"x": np.arange(VALUES)}
    fitted = ExactRelease("r", "r", ("x",), None, "its groups were fitted to the data", apart)
    with pytest.raises(PlanError, match="fitted to the data"):
        _ = Stated(policy, domains, releases=(fitted,)).changed
    with pytest.raises(PlanError, match="overlap"):
        _ = Stated(
            policy,
            domains,
            releases=tuple(ExactRelease(n, n, ("x",), 3, classes=apart) for n in "rs"),
        ).changed
    many = ExactRelease("r", "r", ("x",), 10_000, classes=apart)
    with pytest.raises(PlanError, match="10,001"):
        _ = Stated(policy, domains, releases=(many,)).changed
    everything = {"x": np.zeros(VALUES, int)}
    elsewhere = ExactRelease("r", "r", ("x", "band"), 3, classes=everything)
    assert Stated(policy, domains, releases=(elsewhere,)).changed == 4, "band may hang on x"
    assert Stated(policy, domains, frozenset({"band"}), releases=(elsewhere,)).changed == 1
