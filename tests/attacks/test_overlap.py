"""Partial overlap: estimates against simulated hospitals, and registers of each time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow.attacks.intersection import intersect
from hedgerow.attacks.overlap import estimated_overlaps, known_overlaps, overlap_by_fit
from hedgerow.base.errors import DataError, PlanError
from hedgerow.table.groups import Ints
from hedgerow.table.location import Located, locate
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets


def made(groups: dict[str, list[str]], name: str) -> Published:
    rows = [(label, value) for label, values in groups.items() for value in values]
    frame = pd.DataFrame(rows, columns=["age", "illness"])
    return Published.read(frame, sensitive=["illness"], name=name)


A = made({"<30": ["flu", "flu", "gout"], ">=30": ["acne", "gout"]}, "A")


def hospitals(
    share: float, seed: int
) -> tuple[list[Published], Targets, Targets, list[str], float]:
    """Two hospitals with tight groups of ten people by age and zip; and strangers."""
    rng = np.random.default_rng(seed)
    ages, zips = rng.integers(0, 100, 9000), rng.integers(0, 100, 9000)
    values = rng.integers(0, 12, 9000)
    both = int(3000 * share)
    one, two, rest = np.arange(3000), np.arange(3000 - both, 6000 - both), np.arange(6000, 9000)
    releases = []
    for name, people, width in (("A", one, 10), ("B", two, 12)):
        blocks = ages[people] // width
        order = np.lexsort((zips[people], blocks))
        frame = pd.DataFrame(
            {
                "age": ages[people],
                "zip": zips[people],
                "illness": [f"v{v}" for v in values[people]],
                "block": blocks,
            }
        )
        frame = frame.iloc[order].reset_index(drop=True)
        group = frame.groupby([frame["block"], frame.groupby("block").cumcount() // 10])
        for column in ("age", "zip"):
            low, high = group[column].transform("min"), group[column].transform("max")
            frame[column] = [f"{a}-{b}" for a, b in zip(low, high, strict=True)]
        releases.append(
            Published.read(frame[["age", "zip", "illness"]], sensitive=["illness"], name=name)
        )

    def known(people: Ints) -> Targets:
        return Targets.of(
            {"age": [str(a) for a in ages[people]], "zip": [str(z) for z in zips[people]]}
        )

    return releases, known(one), known(rest), [f"v{v}" for v in values[one]], both / 3000


@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 1.0])
def test_the_overlap_is_estimated(share: float) -> None:
    inside = 0
    for seed in range(6):
        releases, people, strangers, _, truth = hospitals(share, seed)
        (one,) = estimated_overlaps(
            ["A", "B"],
            [locate(r, people) for r in releases],
            [locate(r, strangers) for r in releases],
        )
        assert one.estimated
        assert one.fitting.value > 0.3
        assert abs(one.value - truth) < 0.2
        inside += one.low <= truth <= one.high
    assert inside >= 5


def test_trust_is_the_share_of_those_who_fit_who_are_there() -> None:
    releases, people, strangers, truth, share = hospitals(0.3, 1)
    located = [locate(r, people) for r in releases]
    fitting = located[1].count > 0
    there = np.arange(3000) >= 3000 - int(3000 * share)
    (known,) = known_overlaps(["A", "B"], located, share)
    assert known.trust == pytest.approx(there[fitting].mean())
    found = intersect(releases, people)
    all_in, some_in = found.result(), found.result(overlaps=[known])
    assert some_in.found.successes == pytest.approx(all_in.found.successes * known.trust)
    assert some_in.sentences[-1] == known.sentence
    (told,) = some_in.detail["overlaps"]
    assert told["share"] == share
    assert found.result(truth, overlaps=[known]).found == found.result(truth).found
    with pytest.raises(PlanError, match="no stranger fits"):
        estimated_overlaps(["A", "B"], located, [w.take(np.full(5, -1)) for w in located])
    everywhere = [w.take(np.flatnonzero(fitting)[:50]) for w in located]
    with pytest.raises(PlanError, match="every stranger fits into B"):
        estimated_overlaps(["A", "B"], located, everywhere)
    assert len(strangers) == 3000


def test_bad_shares() -> None:
    both = [locate(A, Targets.of({"age": ["28"]}))] * 2
    for bad in (1.5, -0.1, float("nan")):
        with pytest.raises(PlanError, match="share from 0 to 1"):
            known_overlaps(["A", "B"], both, bad)
    with pytest.raises(PlanError, match="at least two"):
        known_overlaps(["A"], both[:1], 0.5)
    assert overlap_by_fit(seen=0.1, strangers=0.2) == 0 == overlap_by_fit(seen=1, strangers=1)
    with pytest.raises(PlanError, match="in none of the releases"):
        hedgerow.attack(
            [A_TABLE, B_TABLE], sensitive=["illness"], know={"age": "28"}, overlap="estimate"
        )
    with pytest.raises(PlanError, match="people who are looked for"):
        hedgerow.attack([A_TABLE, B_TABLE], sensitive=["illness"], overlap=0.5)


def test_from_the_front() -> None:
    with pytest.raises(PlanError, match="overlap must be a number"):
        hedgerow.attack([A_TABLE, B_TABLE], sensitive=["illness"], know={"age": "28"}, overlap="x")
    (found,) = hedgerow.attack(
        [A_TABLE, B_TABLE],
        sensitive=["illness"],
        know={"age": "28"},
        methods=["intersection"],
        overlap=0.5,
    )
    assert found.found.successes == 0.5
    assert found.sentences[-1].endswith("if 50% of all are in it, 50% of those who fit are.")


A_TABLE = pd.DataFrame({"age": ["<30", "<30"], "illness": ["flu", "gout"]})
B_TABLE = pd.DataFrame({"age": ["<40", "<40"], "illness": ["flu", "acne"]})


def test_registers_of_each_time() -> None:
    """Joe turns 11 between the releases (lecture 004); the list of each time says where he is."""
    before = pd.DataFrame({"age": ["5-10"] * 3 + ["11-15"] * 2,
                           "illness": ["flu", "gout", "acne", "flu", "gout"]})  # fmt: skip
    after = pd.DataFrame({"age": ["5-10"] * 2 + ["11-15"] * 3,
                          "illness": ["flu", "gout", "flu", "gout", "acne"]})  # fmt: skip
    then = pd.DataFrame({"name": ["Ken", "Nash", "Joe", "Sam", "Tim"],
                         "age": ["6", "7", "10", "12", "13"]})  # fmt: skip
    now = then.assign(age=["7", "8", "11", "13", "14"]).iloc[::-1]
    (found,) = hedgerow.attack([before, after], sensitive=["illness"], register=[then, now],
                               methods=["sequential"])  # fmt: skip
    assert found.found.successes == 1
    assert found.detail["named"] == [{"person": 2, "value": "acne"}]
    with pytest.raises(PlanError, match="3 registers for 2"):
        hedgerow.attack([before, after], sensitive=["illness"], register=[then, now, now])
    with pytest.raises(DataError, match="does not name each person"):
        hedgerow.attack([before, after], sensitive=["illness"],
                        register=[then, pd.concat([now, now])])  # fmt: skip
    with pytest.raises(DataError, match="nobody can be followed"):
        hedgerow.attack([before, after], sensitive=["illness"], register=[then[["age"]], now])


def test_located_take() -> None:
    located = locate(A, Targets.of({"age": ["28", "35", "12"]}))
    again = located.take(np.array([2, -1, 1]))
    assert again.count.tolist() == [1, 0, 1]
    assert isinstance(again, Located)
    assert again.of(2).tolist() == located.of(1).tolist()


def test_releases_with_no_secret_in_common() -> None:
    other = B_TABLE.rename(columns={"illness": "crime"})
    one = Published.read(A_TABLE, sensitive=["illness"], name="one")
    with pytest.raises(DataError, match="no sensitive column"):
        intersect([one, Published.read(other, sensitive=["crime"], name="two")],
                  Targets.of({"age": ["28"]}))  # fmt: skip
