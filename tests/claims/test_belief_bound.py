"""The claim `belief`: how likely a value may become, by this release and all earlier ones."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow.base.errors import ClaimError, HedgerowError
from hedgerow.claims.worlds.place_belief import PlacedPeople, SecretColumn
from hedgerow.claims.worlds.table_world import TableWorld
from hedgerow.table.groups import Groups
from hedgerow.table.location import placed

QI = {"role": "quasi-identifier"}
COLUMNS: dict[str, Any] = {"age": QI | {"hierarchy": {"ranges": [10, 50]}}, "ill": "sensitive"}


def table(*rows: tuple[int, str | None]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=["age", "ill"])


def publish(people: pd.DataFrame, claim: dict[str, Any], folder: Path, **more: Any) -> Any:
    return hedgerow.publish(
        people, columns=COLUMNS, protect=[{"belief": claim}], one_row_per_person=True,
        to=str(folder / "release"), report=False, **more,
    )  # fmt: skip


def earlier(folder: Path, *rows: tuple[str, str]) -> str:
    path = folder / "earlier.csv"
    pd.DataFrame(rows, columns=["age", "ill"]).to_csv(path, index=False)
    return str(path)


FIVE = (("10-19", "flu"), ("10-19", "gout"), ("20-29", "flu"), ("20-29", "flu"), ("20-29", "acne"))
PEOPLE = table((11, "flu"), (12, "gout"), (21, "flu"), (22, "flu"), (23, "acne"))


def test_the_level_is_the_largest_belief(tmp_path: Path) -> None:
    """Of three people of 20 to 29 two have flu in both releases: 2·2 / (2·2 + 1·1) = 0.8."""
    claim = {"at_most": 0.9, "knows": "person", "with": [earlier(tmp_path, *FIVE)]}
    (verdict,) = publish(PEOPLE, claim, tmp_path).claims
    assert (verdict.holds, verdict.level) == (True, 0.8)


def test_a_prior_counts_once(tmp_path: Path) -> None:
    """Flu is expected with 0.8, acne with 0.1: 2·2/0.8 against 1·1/0.1 gives acne 10/15.

    Of people of 10 to 19 flu and gout are alike: 1/0.8 against 1/0.1 gives gout 8/9.
    """
    shape = {"flu": 0.8, "gout": 0.1, "acne": 0.1}
    claim = {
        "at_most": 0.9, "knows": "person", "prior": {"shape": shape},
        "with": [earlier(tmp_path, *FIVE)],
    }  # fmt: skip
    (verdict,) = publish(PEOPLE, claim, tmp_path).claims
    assert verdict.level == pytest.approx(8 / 9)


def test_a_prior_may_be_a_file(tmp_path: Path) -> None:
    before = tmp_path / "before.csv"
    pd.DataFrame({"ill": ["flu"] * 8 + ["gout", "acne"]}).to_csv(before, index=False)
    claim = {
        "at_most": 0.9, "knows": "person", "prior": {"file": str(before)},
        "with": [earlier(tmp_path, *FIVE)],
    }  # fmt: skip
    (verdict,) = publish(PEOPLE, claim, tmp_path).claims
    # One more of each value than was seen: 9, 2 and 2 of 13.
    assert verdict.level == pytest.approx((1 / 2) / (1 / 2 + 1 / 9))


def test_a_refusal_says_what_is_believed_and_by_what(tmp_path: Path) -> None:
    claim = {"at_most": 0.6, "knows": "person", "with": [earlier(tmp_path, *FIVE)]}
    with pytest.raises(ClaimError) as caught:
        publish(PEOPLE, claim, tmp_path)
    assert "may believe in a value with up to 85.8%" in caught.value.what
    assert "By the earlier releases alone it is up to 66.7%" in caught.value.what
    assert not (tmp_path / "release").exists()


def test_a_refusal_names_the_weaker_attacker(tmp_path: Path) -> None:
    """Of 22 and 23, who have flu, one was in the earlier release, and nobody knows which."""
    people = table((11, "flu"), (12, "gout"), (21, "flu"), (22, "flu"), (23, "acne"))
    path = earlier(tmp_path, *FIVE[:3], FIVE[4])
    with pytest.raises(ClaimError) as caught:
        publish(people, {"at_most": 0.6, "with": [path]}, tmp_path)
    assert "`knows: person`" in (caught.value.fix or "")


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ({"at_most": 1.2}, "above 0 and below 1"),
        ({"at_most": 0.9, "knows": "me"}, "everybody, person"),
        ({"at_most": 0.9, "prior": {"shape": {"flu": 0.5, "gout": 0.5}}}, "no chance to 'acne'"),
        ({"at_most": 0.9, "prior": {"file": "nothing.csv"}}, "no such file"),
        ({"at_most": 0.9, "with": []}, "nothing says which"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, claim: dict[str, Any], said: str) -> None:
    with pytest.raises(HedgerowError, match=said):
        publish(PEOPLE, {"with": [earlier(tmp_path, *FIVE)]} | claim, tmp_path)


def test_groups_that_overlap_are_refused(tmp_path: Path) -> None:
    rows = ("10-19", "flu"), ("10-29", "gout"), ("20-29", "flu"), ("10-29", "acne")
    with pytest.raises(ClaimError, match="fits several groups of an earlier release"):
        publish(PEOPLE, {"at_most": 0.9, "with": [earlier(tmp_path, *rows)]}, tmp_path)


def test_missing_values_are_not_learned() -> None:
    """Three people: two have flu or nothing. Of values that are recorded flu is certain."""
    column = SecretColumn(np.arange(2), np.array([False, True]), np.zeros(2, np.bool_))
    people = PlacedPeople(np.arange(3), np.zeros((3, 1), np.int64), (np.array([[2, 1]]),))
    assert people.likeliest_alone(column).largest == 1
    assert people.likeliest_listed(column, Fraction(1, 2))[0].largest == 1


def test_a_value_that_says_nothing_is_taken_both_ways() -> None:
    """`?` may be a value of its own, or a missing one; then gout is certain."""
    column = SecretColumn(np.arange(2), np.zeros(2, np.bool_), np.array([False, True]))
    people = PlacedPeople(np.arange(3), np.zeros((3, 1), np.int64), (np.array([[1, 2]]),))
    assert people.likeliest_alone(column).largest == 1


def test_who_of_several_was_there_may_make_no_difference() -> None:
    """Of two who are alike one was in the earlier group, and the table grew by the other."""
    groups = Groups.of({"ill": [{"flu": 1, "gout": 1}]})
    world = TableWorld.of_table(
        ("ill",), [(("ill",), groups)], [placed([0, 0, 0])], {"ill": ["flu", "flu", "gout"]},
        np.arange(3),
    )  # fmt: skip
    together = world.settled(np.zeros(3, np.int64))
    assert together.place.tolist() == [[0, 0], [0, -1], [0, 0]]
    # Whoever they know is worst off: flu in both, 2·1 / (2·1 + 1·1).
    found = world.wherever(np.zeros(3, np.int64)).likeliest_alone(world.column(None))
    assert found.largest == Fraction(2, 3)
    with pytest.raises(ClaimError, match="nobody knows who"):
        world.settled(np.array([0, 1, 1]))
