"""k-means under a policy: no neighbours' sums or counts differ by more than is claimed.

Everything is compared with all edges of small grids and all positions of centres, written out by
definition: a row is in the cluster of its nearest centre, of equally near ones the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning.transcript import loss as told_apart
from learning.transcript import said

from hedgerow.base.errors import DataError, PlanError
from hedgerow.learning import PolicyKMeans
from hedgerow.learning.boxes import Box
from hedgerow.learning.kmeans import ClusterSensitivity
from hedgerow.learning.policy_kmeans import _coded_under
from hedgerow.noise.blowfish import kmeans
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold, line
from hedgerow.noise.blowfish.kmeans import AlongEdges, Smoothed, border, longest, placed
from hedgerow.noise.blowfish.listed_graphs import Explicit, Grid, Near
from hedgerow.noise.blowfish.policy import Policy
from hedgerow.noise.measures import Pure
from hedgerow.plan.plan import Plan
from hedgerow.table.domain import Bounds

Point = tuple[int, ...]
POLICIES: dict[str, tuple[Policy, tuple[int, ...], Callable[[Point, Point], bool]]] = {
    "line": (Policy({"a": line(9)}), (9,), lambda x, y: abs(x[0] - y[0]) == 1),
    "threshold": (
        Policy({"a": Threshold(range(12), 3)}), (12,), lambda x, y: 0 < abs(x[0] - y[0]) <= 3,
    ),
    "full": (Policy({"a": Full(7)}), (7,), lambda x, y: x != y),
    "blocks": (
        Policy({"a": Partition((0, 0, 1, 1, 1, 0))}), (6,),
        lambda x, y: x != y and (x[0] in (2, 3, 4)) == (y[0] in (2, 3, 4)),
    ),
    "L1": (
        Policy({("a", "b"): Grid((5, 4), within=2)}), (5, 4),
        lambda x, y: 0 < sum(abs(p - q) for p, q in zip(x, y, strict=True)) <= 2,
    ),
    "L2": (
        Policy({("a", "b"): Grid((5, 4), within=2, metric="L2")}), (5, 4),
        lambda x, y: 0 < sum((p - q) ** 2 for p, q in zip(x, y, strict=True)) <= 4,
    ),
    "attribute": (
        Policy({"a": Full(5), "b": Full(4)}, at_once=1), (5, 4),
        lambda x, y: sum(p != q for p, q in zip(x, y, strict=True)) == 1,
    ),
    "together": (
        Policy({"a": line(5), "b": Threshold(range(4), 2)}), (5, 4),
        lambda x, y: x != y and abs(x[0] - y[0]) <= 1 and abs(x[1] - y[1]) <= 2,
    ),
}  # fmt: skip


def edges(name: str) -> Iterator[tuple[Point, Point]]:
    """By definition, both ways."""
    _, sizes, edge = POLICIES[name]
    points = list(product(*map(range, sizes)))
    return ((x, y) for x in points for y in points if edge(x, y))


def nearest(x: Point, centres: tuple[Point, ...]) -> int:
    apart = [sum((p - q) ** 2 for p, q in zip(x, c, strict=True)) for c in centres]
    return apart.index(min(apart))


def change(x: Point, y: Point, centres: tuple[Point, ...]) -> int:
    """Of the sums of x - centre in all clusters, in L1."""
    sums = [[0] * len(x) for _ in centres]
    for sign, row in ((1, x), (-1, y)):
        at = nearest(row, centres)
        for side, (value, middle) in enumerate(zip(row, centres[at], strict=True)):
            sums[at][side] += sign * (value - middle)
    return sum(abs(v) for each in sums for v in each)


def unscaled(name: str) -> dict[str, tuple[int, Fraction]]:
    policy, sizes, _ = POLICIES[name]
    names = [column for columns, _ in policy.parts for column in columns]
    return {column: (size, Fraction(1)) for column, size in zip(names, sizes, strict=True)}


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("clusters", [1, 2, 3])
def test_sums_never_change_by_more_whatever_the_centres(name: str, clusters: int) -> None:
    policy, sizes, _ = POLICIES[name]
    pairs = list(edges(name))
    points = list(product(*map(range, sizes)))
    places = list(combinations(points, clusters))
    if clusters == 3:
        chosen = np.random.default_rng(7).choice(len(places), min(60, len(places)), replace=False)
        places = [places[i] for i in chosen]
    along = AlongEdges(longest(policy, unscaled(name)))
    steps = np.array(sizes) - 1
    tight = 0.0
    for centres in places:
        worst = max(change(x, y, centres) for x, y in pairs)
        claimed = along.between(np.array(centres), steps)
        assert worst <= claimed, centres
        tight = max(tight, worst / claimed)
    assert tight > 0.4, "a bound nothing comes near to is of no use"


def test_the_published_figure_is_exceeded_at_borders() -> None:
    """Correction 16: 105 without centring, 5 claimed; with centring 49, and 55 claimed here."""
    pairs = [(x, y) for x in range(101) for y in range(101) if 0 < abs(x - y) <= 5]
    centres = ((25,), (75,))
    side = [nearest((x,), centres) for x in range(101)]
    assert max(x + y if side[x] != side[y] else abs(x - y) for x, y in pairs) == 105
    assert max(change((x,), (y,), centres) for x, y in pairs) == 49
    near = Policy({"age": Threshold(range(101), 5)})
    ages: ClusterSensitivity = AlongEdges(longest(near, {"age": (101, Fraction(2**20, 100))}))
    fine = np.array(centres) * 2**20 // 100
    assert 55 <= ages.sums(fine, Box((Bounds(0, 100, 1),))) * 100 / 2**20 < 55.01
    along = AlongEdges(longest(near, {"age": (101, Fraction(1))}))
    assert along.between(np.array(centres), np.array([100])) == 55
    assert along.sizes() == 2


@given(data=st.data(), sides=st.integers(1, 3))
@settings(max_examples=60)
def test_borders_are_looked_at_everywhere(data: st.DataObject, sides: int) -> None:
    """Points drawn on the plane between two centres are never farther from both."""
    whole = st.integers(0, 12)
    steps = np.array([12, 9, 7][:sides])
    one, other = (np.array([min(data.draw(whole), s) for s in steps]) for _ in range(2))
    most = border(one, other, steps)
    if (one == other).all():
        assert most is None
        return
    slopes, level = (2 * (other - one)).tolist(), int(other @ other - one @ one)
    found = []
    free = next(i for i, slope in enumerate(slopes) if slope)
    for rest in product(*(range(s + 1) for i, s in enumerate(steps) if i != free)):
        z: list[Any] = list(rest)
        used = sum(s * v for i, s, v in zip(
            [i for i in range(sides) if i != free],
            [s for i, s in enumerate(slopes) if i != free], rest, strict=True))  # fmt: skip
        z.insert(free, Fraction(level - used, slopes[free]))
        if 0 <= z[free] <= steps[free]:
            pairs = zip(z, one.tolist(), other.tolist(), strict=True)
            found.append(sum(abs(v - a) + abs(v - b) for v, a, b in pairs))
    if found:
        assert most is not None
        assert max(found) <= most


@pytest.mark.parametrize("name", POLICIES)
def test_counts_never_change_by_more(name: str) -> None:
    policy, sizes, _ = POLICIES[name]
    columns = tuple(unscaled(name))
    softened = False
    for boxes in product(*(range(1, size + 1) for size in sizes)):
        grid = Smoothed(policy, columns, sizes, boxes, Pure(epsilon=1))
        softened |= grid.soft and max(boxes) > 1
        rows = {x: grid.counts(np.array([x])) for x in product(*map(range, sizes))}
        assert {int(counts.sum()) for counts in rows.values()} == {grid.row}
        worst = max(int(np.abs(rows[x] - rows[y]).sum()) for x, y in edges(name))
        assert worst <= grid.sensitivity <= 2 * grid.row, boxes
        assert grid.spent.epsilon <= 1
    assert softened == (name in ("line", "threshold", "L1", "L2", "together")), (
        "short edges are what soft borders are for"
    )


@pytest.mark.parametrize(("sizes", "boxes"), [((12,), (3,)), ((12, 8), (3, 4)), ((9, 9), (2, 3))])
def test_soft_borders_keep_means_between_the_outer_middles(
    sizes: tuple[int, ...], boxes: tuple[int, ...]
) -> None:
    policy = Policy({c: line(size) for c, size in zip("ab", sizes, strict=False)})
    grid = Smoothed(policy, tuple("ab"[: len(sizes)]), sizes, boxes, Pure(epsilon=10**7))
    assert grid.soft
    for code in product(*map(range, sizes)):
        middles, counts = grid.release(np.array([code] * 50))
        mean = counts @ middles / counts.sum() * sizes - 0.5
        inner = [np.clip(c, s / b / 2 - 0.5, s - s / b / 2 - 0.5)
                 for c, s, b in zip(code, sizes, boxes, strict=True)]  # fmt: skip
        assert mean == pytest.approx(inner, abs=0.01)


def test_boxes_depend_on_public_numbers_alone() -> None:
    colours = [f"c{i}" for i in range(3)]
    chosen = {}
    for within, epsilon in product((765, 32, 16), ("0.1", "1")):
        policy = Policy({tuple(colours): Grid((256,) * 3, within=within)})
        chosen[within, epsilon] = Smoothed.fitting(
            policy, columns=colours, sizes=(256,) * 3, widths=(Fraction(255),) * 3, rows=2450,
            loss=Pure(epsilon=epsilon),
        )  # fmt: skip
    assert [grid.boxes[0] for grid in chosen.values()] == [5, 6, 5, 7, 5, 8]
    assert [grid.soft for grid in chosen.values()] == [False, False, True, True, True, True]
    wide = Smoothed.fitting(
        Policy({"a": line(1000), "b": line(3)}), columns=("a", "b"), sizes=(1000, 3),
        widths=(Fraction(999), Fraction(2)), rows=10**7, loss=Pure(epsilon=1),
    )  # fmt: skip
    assert wide.boxes[1] <= 3
    assert wide.boxes[0] > 100


def test_what_does_not_fit_is_refused() -> None:
    near = Policy({("a", "b"): Grid((5, 5), within=1)})
    one = (5, Fraction(1))
    with pytest.raises(PlanError, match="share a graph"):
        longest(near, {"a": one})
    with pytest.raises(PlanError, match="other values"):
        longest(near, {"a": one, "b": (6, Fraction(1))})
    with pytest.raises(PlanError, match="does not say"):
        longest(near, {"a": one, "b": one, "c": one})
    places = Near(((0, 0), (3, 4)), within=5, metric="L2")
    with pytest.raises(PlanError, match="lists places"):
        longest(Policy({("a", "b"): places}), {"a": one, "b": one})
    with pytest.raises(PlanError, match="protects nothing"):
        Smoothed(Policy({"a": Partition.known(5)}), ("a",), (5,), (2,), Pure(epsilon=1))
    grid = Smoothed(near, ("a", "b"), (5, 5), (2, 2), Pure(epsilon=1))
    for wrong in ([[5, 0]], [[-1, 0]], [[0]], [[0.5, 0.5]]):
        with pytest.raises(DataError):
            grid.counts(np.array(wrong))
    many = Policy({f"c{i}": line(4) for i in range(9)})
    with pytest.raises(PlanError, match="too many"):
        Smoothed(many, tuple(f"c{i}" for i in range(9)), (4,) * 9, (2,) * 9, Pure(epsilon=1))


def test_other_graphs_count_by_their_edges() -> None:
    star = Explicit(4, ((0, 1), (0, 2), (0, 3)))
    assert longest(Policy({"a": star}), {"a": (4, Fraction(1))}) == 3
    both = Policy({"a": star, "b": line(4)}, at_once=1)
    scales = {"a": (4, Fraction(1)), "b": (4, Fraction(5))}
    assert longest(both, scales) == 5
    assert longest(Policy({"a": star, "b": line(4)}), scales) == 8
    assert placed(np.arange(3), Fraction(1, 2)).tolist() == [0, 0, 1]


SKIN = Policy({("b", "g", "r"): Grid((256,) * 3, within=32)})


@pytest.mark.parametrize("method", ["histogram", "sums"])
def test_fitting_finds_towns(method: Any) -> None:
    rng = np.random.default_rng(3)
    towns = np.array([[60, 60, 60], [200, 60, 128], [128, 200, 200]])
    rows = np.clip(np.repeat(towns, 3000, axis=0) + rng.normal(0, 12, (9000, 3)), 0, 255)
    means = PolicyKMeans(
        n_clusters=3, epsilon=5, policy=SKIN, domains=Bounds(0, 255, 1), method=method,
        first=towns + 20,
    ).fit(rows)  # fmt: skip
    assert np.abs(means.cluster_centers_ - towns).max() < 12
    policy, loss = means.policy_loss_
    assert policy == SKIN
    assert loss.epsilon <= 5
    assert not hasattr(means, "loss_"), "it would read as differential privacy"
    assert means.predict(rows[:1]).tolist() == [0]


SMALL: dict[str, Policy] = {
    "L1": Policy({("a", "b"): Grid((21, 21), within=3)}),
    "each": Policy({"a": Threshold(range(21), 2), "b": line(21)}),
    "attribute": Policy({"a": Full(21), "b": Full(21)}, at_once=1),
    "full": Policy({"a": Full(21), "b": Full(21)}),
}


@pytest.mark.parametrize("method", ["histogram", "sums"])
@pytest.mark.parametrize("name", SMALL)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_exact_loss_of_fitting_along_an_edge(
    data: st.DataObject, name: str, method: Literal["histogram", "sums"]
) -> None:
    """Two neighbours, the same decided draws: how far all draws together tell them apart."""
    code = st.integers(0, 20)
    x = [data.draw(code), data.draw(code)]
    near = st.integers(-3, 3)
    y = {
        "L1": lambda: [x[0] + (d := data.draw(near)), x[1] + (3 - abs(d))],
        "each": lambda: [x[0] + data.draw(st.integers(-2, 2)), x[1] + data.draw(st.integers(0, 1))],
        "attribute": lambda: [data.draw(code), x[1]],
        "full": lambda: [data.draw(code), data.draw(code)],
    }[name]()
    y = [min(max(v, 0), 20) for v in y]
    people = data.draw(st.lists(st.tuples(code, code), max_size=6))
    decided = data.draw(st.lists(st.integers(-(10**7), 10**7), max_size=60))
    means = PolicyKMeans(
        n_clusters=3, epsilon=2, policy=SMALL[name], domains=Bounds(-5, 5, Fraction(1, 2)),
        method=method, iterations=3, first=[[-4, -4], [0, 0], [4, 0]],
    )  # fmt: skip
    one, other = (
        said(lambda p=p: means.fit(np.array([p, *people]) / 2 - 5.0), decided) for p in (x, y)
    )
    assert len(one.draws) == (1 if method == "histogram" else 6)
    assert told_apart(one, other) <= float(means.policy_loss_[1].epsilon) + 1e-9
    assert means.policy_loss_[1].epsilon <= 2


def test_the_loss_is_nearly_reached() -> None:
    """Somebody moves to another box: both counts change, and all of epsilon is spent."""
    means = PolicyKMeans(
        n_clusters=1, epsilon=2, policy=SMALL["full"], domains=Bounds(0, 20, 1), first=[[9, 9]]
    )
    one, other = (said(lambda p=p: means.fit(np.array([p])), []) for p in ([0, 0], [20, 20]))
    assert told_apart(one, other) == pytest.approx(2)


def test_what_is_released_is_all_that_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same noisy counts give the same centres, whatever the rows."""
    seen: list[int] = []

    def same(self: Smoothed, codes: Any) -> Any:
        seen.append(len(codes))
        middles = np.array(list(product((0.25, 0.75), repeat=3)))
        return middles, np.arange(8.0)

    monkeypatch.setattr(kmeans.Smoothed, "release", same)
    common: Any = {"epsilon": 1, "policy": SKIN, "domains": Bounds(0, 255, 1), "n_clusters": 2}
    first = [[10, 10, 10], [200, 200, 200]]
    fitted = [
        PolicyKMeans(**common, first=first).fit(rows).cluster_centers_.tolist()
        for rows in (np.zeros((9, 3)), np.full((9, 3), 255))
    ]
    assert fitted[0] == fitted[1]
    assert seen == [9, 9]


def test_no_value_is_an_error_and_names_are_the_policy_s() -> None:
    frame = pd.DataFrame({"g": [1.5, None, 1e9], "r": [0, -5, 3], "b": [7, 7, 7]})
    common: Any = {"epsilon": 1, "policy": SKIN, "domains": Bounds(0, 255, 1), "n_clusters": 2}
    assert PolicyKMeans(**common).fit(frame).cluster_centers_.shape == (2, 3)
    assert PolicyKMeans(**common).fit(np.zeros((0, 3))).cluster_centers_.shape == (2, 3)
    with pytest.raises(PlanError, match="does not say"):
        PolicyKMeans(**common).fit(frame.rename(columns={"g": "green"}))
    with pytest.raises(PlanError, match="names 3 columns"):
        PolicyKMeans(**common).fit(np.zeros((5, 2)))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"policy": None}, "must be given"),
        ({"epsilon": None}, "must be given"),
        ({"epsilon": -1}, "epsilon"),
        ({"domains": Bounds(0, 255)}, "step"),
        ({"domains": Bounds(0, 99, 1)}, "other values"),
        ({"method": "guess"}, "no method"),
        ({"iterations": 0}, "iterations"),
    ]
    for parameters, message in wrong:
        with pytest.raises(PlanError, match=message):
            PolicyKMeans(**(common | parameters)).fit(np.zeros((5, 3)))


def test_a_plan_s_policy_is_taken_as_it_is() -> None:
    side = {"role": "quasi-identifier", "bounds": [0, 1], "step": 0.1}
    blocks = {"low": ["0", "0.1", "0.2"], "high": [f"0.{i}" for i in range(3, 10)] + ["1"]}
    plan = Plan.of(
        columns={"x": side, "y": side},
        privacy="change-one",
        policy={"x": {"partition": blocks}, "y": {"within": 0.2}},
    )
    towns = np.repeat([[0.1, 0.1], [0.9, 0.9]], 1000, axis=0)
    stated: Any = plan.stated()
    for method in ("histogram", "sums"):
        means = PolicyKMeans(
            n_clusters=2, epsilon=20, policy=stated, method=method,
            first=[[0.2, 0.2], [0.6, 0.6]],
        ).fit(towns)  # fmt: skip
        assert np.abs(means.cluster_centers_ - [[0.1, 0.1], [0.9, 0.9]]).max() < 0.1
        assert means.policy_loss_[0] == stated.inside()
    with pytest.raises(PlanError, match="other bounds or another step"):
        PolicyKMeans(
            n_clusters=2, epsilon=1, policy=stated,
            domains=Bounds(Fraction(0), Fraction(2), Fraction(1, 10)),
        ).fit(towns)  # fmt: skip


def test_codes_are_the_steps_under_numbers_as_in_plans() -> None:
    """What a block ends with stays in it: 0.29 is under 0.3, and 0.3 is not, in doubles too."""
    side = Bounds(Fraction(0), Fraction(1), Fraction(1, 10))
    given = np.array([-5, 0, 0.05, 0.29, 0.3, 0.6, 0.7, 0.95, 1, 7, np.nan, np.inf])
    codes = _coded_under(side, given)
    assert codes[:-2].tolist() == [0, 0, 0, 2, 3, 6, 7, 9, 10, 10]
    assert all(0 <= code <= 10 for code in codes.tolist())
