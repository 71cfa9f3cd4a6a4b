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
from hedgerow.claims.worlds.belief_world import BeliefWorld
from hedgerow.claims.worlds.place_belief import ListedBelief, PlacedPeople, SecretColumn
from hedgerow.claims.worlds.record_owners import SeenRecords
from hedgerow.claims.worlds.table_world import TableWorld
from hedgerow.table.groups import Groups
from hedgerow.table.location import Located, placed

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


def test_groups_that_overlap_are_judged_one_by_one(tmp_path: Path) -> None:
    """Who is 11 fits 10-19, where two of three have flu, and 10-29, where one of two has.

    In the new release three of five have flu, and the others gout and acne: 2·3 / (2·3 + 1·1).
    """
    rows = [("10-19", "flu")] * 2 + [("10-19", "gout"), ("10-29", "flu"), ("10-29", "acne")]
    people = table((11, "flu"), (12, "gout"), (13, "flu"), (21, "flu"), (23, "acne"))
    path = earlier(tmp_path, *rows)
    claim = {"at_most": 0.86, "knows": "person", "with": [path]}
    (verdict,) = publish(people, claim, tmp_path).claims
    assert (verdict.holds, verdict.level) == (True, pytest.approx(6 / 7))
    with pytest.raises(ClaimError, match=r"85\.8%"):
        publish(people, claim | {"at_most": 0.85}, tmp_path / "second")


def in_one_group(*records: int) -> PlacedPeople:
    """Three people of one group, of one release."""
    one = Located(np.arange(2), np.arange(1))
    place = np.zeros((3, 1), np.int64)
    return PlacedPeople(
        np.arange(3), place, (np.array([records]),), (np.arange(len(records)),), (one,)
    )


def test_missing_values_are_not_learned() -> None:
    """Three people: two have flu or nothing. Of values that are recorded flu is certain."""
    column = SecretColumn(np.arange(2), np.array([False, True]), np.zeros(2, np.bool_))
    people = in_one_group(2, 1)
    assert people.likeliest_alone(column).largest == 1
    assert people.likeliest_listed(column, Fraction(1, 2)).most.largest == 1


def test_a_value_that_says_nothing_is_taken_both_ways() -> None:
    """`?` may be a value of its own, or a missing one; then gout is certain."""
    column = SecretColumn(np.arange(2), np.zeros(2, np.bool_), np.array([False, True]))
    people = in_one_group(1, 2)
    assert people.likeliest_alone(column).largest == 1


def test_who_of_several_was_there_may_make_no_difference() -> None:
    """Of two who are alike one was in the earlier group, and the table grew by the other."""
    groups = Groups.of({"ill": [{"flu": 1, "gout": 1}]})
    texts, person = {"ill": ["flu", "flu", "gout"]}, np.arange(3)
    fitting, records = [placed([0, 0, 0])], SeenRecords.of(groups, "ill", several=False)
    table = TableWorld.of_table(("ill",), [(("ill",), groups)], fitting, texts, person)
    world = BeliefWorld.of(
        table, ("ill",), (("ill",), texts["ill"]), [(("ill",), records)], fitting, person
    )
    together = world.settled(np.zeros(3, np.int64))
    assert together.place.tolist() == [[0, 0], [0, -1], [0, 0]]
    # Whoever they know is worst off: flu in both, 2·1 / (2·1 + 1·1).
    (column,) = world.columns(None)
    assert world.wherever(np.zeros(3, np.int64)).likeliest_alone(column).largest == Fraction(2, 3)
    with pytest.raises(ClaimError, match="nobody knows who"):
        world.settled(np.array([0, 1, 1]))


SIDES = {"levels": [2, 2], "hierarchy": {"ranges": [2, 4]}}
HALVES = {"levels": [1, 1], "hierarchy": {"ranges": [2, 4]}}
BY_BOTH: dict[str, Any] = {"x": QI | SIDES, "y": QI | HALVES, "ill": "sensitive"}
"""By x an earlier release tells people apart, and the new one by y."""


def joined(people: list[tuple[Any, ...]], folder: Path, claim: str, **more: Any) -> Any:
    """Publish by y beside an earlier release by x."""
    columns = ["x", "y", "ill", "bill"][: len(people[0])]
    rows = [("0-1" if row[0] < 2 else "2-3", "*", *row[2:]) for row in people]
    path = folder / "by_x.csv"
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    limit: dict[str, Any] = {"at_most": 0.6} if claim == "belief" else {"confidence": 0.5}
    return hedgerow.publish(
        pd.DataFrame(people, columns=columns), columns=BY_BOTH | more, one_row_per_person=True,
        protect=[{claim: limit | {"of": "ill", "with": [str(path)]}}],
    )  # fmt: skip


@pytest.mark.parametrize("claim", ["belief", "composition"])
def test_spellings_that_may_be_one_value_or_two_are_refused(tmp_path: Path, claim: str) -> None:
    """By x the first is {gout k, acne K}, by y {gout k, acne k}: gout. With k as K: gout or acne.

    So with `a` and `A`, which differ by the plan.
    """
    bills = [(0, 0, "gout", "k"), (1, 2, "acne", "K"), (2, 0, "acne", "k"), (3, 2, "gout", "K")]
    with pytest.raises(HedgerowError, match="'K' and 'k', which may be"):
        joined(bills, tmp_path, claim, bill="sensitive")
    grades = [(0, 0, "g"), (1, 2, "A"), (2, 0, "a"), (3, 2, "g")]
    differ = {"role": "sensitive", "distinct": ["a", "A"]}
    with pytest.raises(HedgerowError, match="'A' and 'a', which may be"):
        joined(grades, tmp_path, claim, ill=differ)
    alike = [(x, y, ill, bill.upper()) for x, y, ill, bill in bills]
    assert joined(alike, tmp_path, claim, bill="sensitive").claims[0].holds


@pytest.mark.parametrize("claim", [{"belief": {"at_most": 0.9}}, {"composition": 0.9}])
def test_beside_centroids_nobody_knows_who_is_where(tmp_path: Path, claim: dict[str, Any]) -> None:
    people = table(*[(age, "flu" if age % 2 else "gout") for age in range(10, 30)])
    more: dict[str, Any] = {
        "columns": COLUMNS, "one_row_per_person": True, "population": "people",
        "ledger": str(tmp_path / "ledger.db"),
    }  # fmt: skip
    hedgerow.publish(people, protect=[{"k-anonymity": 3}], method="microaggregation", **more)
    with pytest.raises(HedgerowError, match="microaggregated, and the nearest group is not always"):
        hedgerow.publish(people, protect=[claim], **more)


def test_a_release_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    """Counted twice it would hide what is believed of y = 1 and x = 1: 4·3 / (4·3 + 5·1) = 0.7."""
    values = {(0, 0): (1, 2, 0), (0, 2): (2, 0, 0), (2, 0): (0, 1, 4), (2, 2): (0, 3, 1)}
    people = [(x, y, ill) for (x, y), counts in values.items()
              for ill, many in zip("abc", counts, strict=True) for _ in range(many)]  # fmt: skip
    paths = []
    for place, listed in enumerate((people, people[::-1])):
        paths.append(str(tmp_path / f"{place}.csv"))
        rows = [("0-1" if x < 2 else "2-3", "*", ill) for x, _, ill in listed]
        pd.DataFrame(rows, columns=["x", "y", "ill"]).to_csv(paths[-1], index=False)
    for named in (paths[:1], paths):
        claim = {"at_most": 0.69, "knows": "person", "with": named}
        with pytest.raises(ClaimError, match=r"reaches 0\.705882"):
            hedgerow.publish(
                pd.DataFrame(people, columns=["x", "y", "ill"]), columns=BY_BOTH,
                protect=[{"belief": claim}], one_row_per_person=True,
            )  # fmt: skip


def test_another_value_that_becomes_likely_is_more() -> None:
    """Before flu was believed with 0.6, now gout is: somebody outside the release has lost."""
    none = np.zeros(2, np.bool_)
    column = SecretColumn(np.arange(2), none, none)

    def listed(flu: int, gout: int) -> ListedBelief:
        shares = np.array([[flu, gout]], object)
        return ListedBelief(
            column.likeliest(shares), np.ones(1, np.bool_), column, np.zeros(1, np.int64), shares
        )

    before, half = listed(3, 2), Fraction(1, 2)
    assert listed(2, 3).tells_more(before, half).all()
    assert not listed(2, 3).tells_more(before, Fraction(3, 5)).any()
    assert not listed(3, 2).tells_more(before, half).any()
    assert listed(4, 2).tells_more(before, half).all()


def test_missing_values_beside_a_question_mark_are_joined(tmp_path: Path) -> None:
    """Where records are joined on a bill, too, `?` and a missing value are told apart."""
    rows = [(11, "?", "p"), (12, None, "p"), (13, "flu", "q"), (14, "gout", "p"), (15, "flu", "q")]
    more: dict[str, Any] = {
        "columns": COLUMNS | {"bill": "sensitive"}, "one_row_per_person": True,
        "population": "people", "ledger": str(tmp_path / "ledger.db"),
    }  # fmt: skip
    people = pd.DataFrame(rows, columns=["age", "ill", "bill"])
    hedgerow.publish(people, protect=[{"k-anonymity": 2}], **more)
    hedgerow.publish(people[1:], protect=[{"k-anonymity": 2}], **more)


BILLED = [(1, "flu", "p"), (2, "gout", "p"), (3, "acne", "q"),
          (4, "flu", "p"), (5, "gout", "q"), (6, "acne", "p")]  # fmt: skip
"""One release tells 1 to 3 from 4 to 6; in the others all are in one group."""


@pytest.mark.parametrize("shown", [True, False])
def test_columns_that_some_releases_lack_are_joined(tmp_path: Path, shown: bool) -> None:
    """Two releases show bills, a third does not, and the new one does or does not.

    Who is 1 has flu p, gout p or acne q by the first; by the second two of six have flu p, and one
    each of the others. Flu is beside one bill, gout and acne are beside two: what a release without
    bills says of these is divided by two. So flu is to gout p as 1·2·2·2 to 1·1·1·1, and to acne q.
    Without bills all three would be alike.
    """
    people = pd.DataFrame(BILLED, columns=["age", "ill", "bill"])

    def published(levels: list[int], protect: dict[str, Any], *columns: str, **more: Any) -> Any:
        age = QI | {"hierarchy": {"ranges": [4, 8]}, "levels": levels}
        return hedgerow.publish(
            people[["age", *columns]], columns={"age": age} | dict.fromkeys(columns, "sensitive"),
            protect=[protect], one_row_per_person=True, report=False, **more,
        ).claims  # fmt: skip

    paths = [str(tmp_path / name) for name in ("one", "two", "three")]
    published([1, 1], {"k-anonymity": 3}, "ill", "bill", to=paths[0])
    published([2, 2], {"k-anonymity": 3}, "ill", "bill", to=paths[1])
    published([2, 2], {"k-anonymity": 3}, "ill", to=paths[2])

    def believed(limit: float, knows: str) -> Any:
        claim = {"at_most": limit, "of": "ill", "knows": knows, "with": paths}
        return published([2, 2], {"belief": claim}, "ill", *(["bill"] if shown else []))

    (verdict,) = believed(0.8, "person")
    assert (verdict.holds, verdict.level) == (True, 0.8)
    with pytest.raises(ClaimError, match=r"80\.0%"):
        believed(0.79, "person")
    # Who counts takes flu p of one of 1 to 3 for as likely as the others: one has each.
    (verdict,) = believed(0.8, "everybody")
    assert verdict.level == 0.8
