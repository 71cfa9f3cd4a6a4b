"""Labels that overlap: which claims keep what they say where a person fits several groups."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from contracts.oracles import models as models_of_claims

import hedgerow
from hedgerow.base.errors import ClaimError, PlanError
from hedgerow.claims.base import ColumnModel, PrivacyModel, Ratio, RatioModel
from hedgerow.release.partition.candidates import Candidates
from hedgerow.table.groups import Groups, Sensitive

QI = "quasi-identifier"
TREE = {"taxonomy": {"Europe": ["Spanish", "Polish"], "Asia": ["Thai", "Lao"]}}
COLUMNS: dict[str, Any] = {
    "nat": {"role": QI, "hierarchy": TREE},
    "ill": "sensitive",
    "wish": "identifier",
}
PEOPLE = pd.DataFrame(
    {
        "nat": ["Spanish", "Polish"] * 4 + ["Thai", "Lao"] * 4,
        "ill": ["flu", "flu", "gout", "gout"] * 4,
        "wish": ["flu"] * 8 + ["gout"] * 8,
    }
)
WISHES: dict[str, Any] = {
    "epsilon-privacy": {
        "epsilon": 9,
        "of": "ill",
        "adversary": {"class": "I", "prior": {"counts": {"flu": 10, "gout": 10}}},
        "wishes": "wish",
    }
}


def publish(table: pd.DataFrame = PEOPLE, **given: Any) -> Any:
    return hedgerow.publish(table, **({"columns": COLUMNS, "protect": [WISHES]} | given))


OVERLAPPING: list[Any] = [
    "local",
    {"search": "mondrian", "boxes": "taxonomy"},
    {"search": "lattice", "suppress": "40%", "keep_suppressed": True},
]
SPANISH = pd.DataFrame(
    {
        "nat": ["Spanish"] * 12 + ["Polish", "Thai", "Lao"] * 4,
        "ill": ["flu", "gout", "flu", "gout"] * 3 + ["flu"] * 9 + ["gout"] * 3,
        "wish": ["flu"] * 12 + ["gout"] * 12,
    }
)
"""The Spanish are many enough for a group of their own; of the others most have what they mind."""


def covered(release: Any) -> dict[str, list[list[str]]]:
    """The illnesses of each group that a person of each nationality fits, read from the table."""
    below = {"*": {"Spanish", "Polish", "Thai", "Lao"}, "Europe": {"Spanish", "Polish"}}
    below["Asia"] = below["*"] - below["Europe"]
    rows = release.data.to_pandas()
    found: dict[str, list[list[str]]] = {}
    for label, group in rows.groupby("nat"):
        for nat in below.get(str(label), {str(label)}):
            found.setdefault(nat, []).append(group["ill"].tolist())
    return found


@pytest.mark.parametrize("method", OVERLAPPING)
@pytest.mark.parametrize("epsilon", [1.3, 1.5, 3])
def test_wishes_hold_in_every_group_that_a_person_fits(method: Any, epsilon: float) -> None:
    """By the file: the share of what they mind, with the record and with one such record less."""
    claim = {"epsilon-privacy": WISHES["epsilon-privacy"] | {"epsilon": epsilon}}
    release = publish(SPANISH, method=method, protect=[claim, {"k-anonymity": 4}])
    assert release.claims[0].holds
    fits = covered(release)
    for nat, wish in set(zip(SPANISH["nat"], SPANISH["wish"], strict=True)):
        for ill in fits.get(nat, []):
            n, c = len(ill), ill.count(wish)
            p_in, p_out = Fraction(c, n), Fraction(max(0, c - 1) + 11, n - 1 + 22)
            assert p_in <= Fraction(str(epsilon)) * p_out
            assert 1 - p_out <= Fraction(str(epsilon)) * (1 - p_in)


def test_the_first_recoding_that_is_found_may_fail_and_another_be_published(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The rest of the table has flu, which the Spanish mind and nobody of the rest does."""
    table = pd.DataFrame(
        {
            "nat": ["Spanish"] * 12 + ["Polish", "Thai", "Lao"] * 4,
            "ill": ["flu", "gout"] * 6 + ["flu"] * 12,
            "wish": ["flu"] * 12 + ["gout"] * 12,
        }
    )
    claim = {"epsilon-privacy": WISHES["epsilon-privacy"] | {"epsilon": 2}}
    found = publish(table, method="local", protect=[claim, {"k-anonymity": 12}])
    assert set(found.data.to_pandas()["nat"]) == {"*"}
    assert "for all who fit a group" in found.certificate["measured_on"]
    assert found.claims[0].level <= 2
    monkeypatch.setattr(Candidates, "certain", lambda self, *, listed: True)
    wrong = publish(table, method="local", protect=[claim, {"k-anonymity": 12}])
    assert set(wrong.data.to_pandas()["nat"]) == {"Spanish", "*"}


def test_where_nothing_is_found_the_message_says_what_to_do() -> None:
    """Alone the Spanish keep it; all together they do not."""
    table = pd.DataFrame(
        {
            "nat": ["Spanish"] * 12 + ["Polish", "Thai", "Lao"] * 8,
            "ill": ["flu", "gout"] * 6 + ["flu"] * 24,
            "wish": ["flu"] * 12 + ["gout"] * 24,
        }
    )
    claim = {"epsilon-privacy": WISHES["epsilon-privacy"] | {"epsilon": 1.3}}
    with pytest.raises(ClaimError, match="12 people fit several groups") as refused:
        publish(table, method="local", protect=[claim, {"k-anonymity": 12}])
    assert "protects everybody alike" in str(refused.value)
    assert "Search the lattice" in str(refused.value) or "search the lattice" in str(refused.value)


def test_many_nodes_are_not_looked_at_so() -> None:
    plan = hedgerow.Plan.of(
        columns=COLUMNS, protect=[{"k-anonymity": 2}, WISHES], method=OVERLAPPING[2]
    )
    with pytest.raises(PlanError, match="cannot be explored with keep_suppressed"):
        hedgerow.frontier(plan, data=PEOPLE)
    with pytest.raises(PlanError, match="cannot be explored with keep_suppressed"):
        hedgerow.Exploration.open(plan, data=PEOPLE)


@pytest.mark.parametrize("method", ["lattice", {"search": "mondrian"}])
def test_methods_whose_labels_do_not_are_not(method: Any) -> None:
    release = publish(method=method, protect=[{"k-anonymity": 4}, WISHES])
    assert all(verdict.holds for verdict in release.claims)


def test_a_stored_recoding_is_read_as_anybody_reads_it(tmp_path: Path) -> None:
    """Local recoding made `Europe` and `*`; the plan that applies it does not say so."""
    few = pd.DataFrame({"nat": ["Spanish"] * 3 + ["Polish", "Thai"], "ill": list("abaab")})
    hedgerow.publish(
        few, columns={"nat": COLUMNS["nat"], "ill": "sensitive"}, protect=[{"k-anonymity": 2}],
        method="local", to=tmp_path / "first",
    )  # fmt: skip
    text = (tmp_path / "first" / "data.csv").read_text("utf-8")
    assert "\n*," in text
    assert "\nSpanish," in text
    flu = pd.DataFrame(
        {"nat": ["Spanish"] * 4 + ["Thai"] * 8, "ill": ["flu", "gout"] * 2 + ["flu"] * 8,
         "wish": ["flu"] * 4 + ["gout"] * 8}
    )  # fmt: skip
    given: dict[str, Any] = {"recoding": tmp_path / "first", "method": {"suppress": "90%"}}
    with pytest.raises(ClaimError, match="4 people fit several groups"):
        publish(flu, **given)
    assert publish(flu.assign(ill=["flu", "gout"] * 6), **given).rows == 12
    plain = hedgerow.publish(
        PEOPLE, columns=COLUMNS, protect=[{"k-anonymity": 2}], recoding=tmp_path / "first",
        method={"suppress": "90%"},
    )  # fmt: skip
    assert plain.rows


def test_labels_of_one_level_may_overlap(tmp_path: Path) -> None:
    """Who is 30 fits 20-30 and 30-40, whatever the file of the hierarchy means."""
    ages = tmp_path / "ages.csv"
    ages.write_text("20;20-30\n25;20-30\n30;30-40\n40;30-40\n", "utf-8")
    table = pd.DataFrame(
        {"age": [20, 25, 30, 40] * 2, "ill": ["flu"] * 4 + ["gout"] * 4, "wish": ["flu"] * 8}
    )
    columns = {**COLUMNS, "age": {"role": QI, "hierarchy": str(ages), "levels": [1, 1]}}
    columns.pop("nat")
    table["wish"] = ["gout", "gout", "flu", "flu"] * 2
    table["ill"] = ["flu", "flu", "flu", "flu", "flu", "flu", "gout", "gout"]
    with pytest.raises(ClaimError, match="2 people fit several groups of the release"):
        publish(table, columns=columns)
    mixed = table.assign(ill=["flu", "gout", "flu", "gout", "gout", "flu", "gout", "flu"])
    assert publish(mixed, columns=columns).rows == 8
    ages.write_text("20;20-29\n25;20-29\n30;30-40\n40;30-40\n", "utf-8")
    assert publish(table, columns=columns).rows == 8


@pytest.mark.parametrize("method", OVERLAPPING)
def test_a_list_of_known_people(tmp_path: Path, method: Any) -> None:
    """Two Spanish with flu and gout are known: their records may be in any group they fit."""
    known = tmp_path / "known.csv"
    known.write_text("id\n0\n1\n", "utf-8")
    adversary = {
        **WISHES["epsilon-privacy"]["adversary"], "knows": {"by": "id", "file": str(known)}
    }  # fmt: skip
    listed = {"epsilon-privacy": {"epsilon": 3, "of": "ill", "adversary": adversary}}
    table = SPANISH.assign(id=[str(i) for i in range(24)])
    columns = {**COLUMNS, "id": "identifier"}
    release = publish(table, columns=columns, protect=[listed, {"k-anonymity": 4}], method=method)
    for groups in [covered(release).get("Spanish", [])]:
        for ill in groups:
            for flu, gout in ((0, 0), (0, 1), (1, 0), (1, 1)):
                for value, mine in (("flu", flu), ("gout", gout)):
                    n, c = len(ill), ill.count(value)
                    p_in, p_out = Fraction(c - mine, n - flu - gout), Fraction(c + 10, n + 21)
                    if c:
                        assert p_in <= 3 * p_out
                        assert 1 - p_out <= 3 * (1 - p_in)


def test_presence_beside_a_group_that_fits_everybody(tmp_path: Path) -> None:
    """Five of A's ten are there; two records say nothing, and may be those of the others."""
    outside = tmp_path / "outside.csv"
    outside.write_text("nat\n" + "Spanish\n" * 10 + "Thai\n" * 20, "utf-8")
    with pytest.raises(PlanError, match="makes their presence likelier"):
        hedgerow.publish(
            pd.DataFrame({"nat": ["Spanish"] * 5 + ["Thai"] * 2, "ill": list("abababa")}),
            columns={"nat": COLUMNS["nat"], "ill": "sensitive"},
            protect=[{"delta-presence": {"max": 0.5, "population": str(outside)}}],
            method={"suppress": "50%", "keep_suppressed": True},
        )  # fmt: skip


def test_why_a_group_must_protect_all_who_fit_it() -> None:
    """Europeans mind flu, and half of them have it, as elsewhere; of the others all have it.

    By its own group the claim holds at 29/28: the record itself. But a Spaniard fits both groups.
    """
    wish = ["flu"] * 8 + ["gout"] * 40
    table = pd.DataFrame(
        {"nat": ["Europe"] * 8 + ["*"] * 40, "ill": ["flu"] * 4 + ["gout"] * 4 + ["flu"] * 40,
         "wish": wish}
    )  # fmt: skip
    columns = {**COLUMNS, "nat": QI}
    (fits,) = hedgerow.check(table, columns=columns, protect=[WISHES])
    assert not fits.holds, "all who fit the second group have flu"
    other = table.assign(nat=table["nat"].replace("*", "Asia"))
    (apart,) = hedgerow.check(other, columns=columns, protect=[WISHES])
    assert apart.level == pytest.approx(29 / 28)
    (both,) = hedgerow.check(table.assign(nat="x"), columns=columns, protect=[WISHES])
    assert both.level > 1.3


def spelt(women: str | None) -> pd.DataFrame:
    """Thirty women mind gout and have flu; of thirty others, spelt otherwise, most have gout."""
    rows = (
        [("F", "gout", "flu")] * 30 + [(women, "flu", "flu")] * 5 + [(women, "flu", "gout")] * 25
        + [("M", "ulcer", "gout")] * 195 + [("M", "flu", "ulcer")] * 5
    )  # fmt: skip
    return pd.DataFrame(rows, columns=["sex", "wish", "ill"])


SEX: dict[str, Any] = {
    "sex": {"role": QI, "levels": [0, 0]},
    "wish": "identifier",
    "ill": "sensitive",
}
OWN: dict[str, Any] = {
    "epsilon-privacy": {
        "epsilon": 1.3,
        "of": "ill",
        "adversary": {"class": "I", "prior": "table", "stubbornness": 100},
        "wishes": "wish",
    }
}


@pytest.mark.parametrize("women", ["f", "F.", None, "?", "n/a"])
def test_groups_that_a_reader_takes_for_one(women: str | None) -> None:
    """Apart they hold at 1.23; whoever reads all women as one group believes 1.95 times more."""
    with pytest.raises(ClaimError, match=r"cannot be claimed: .* groups .* required 1\.3"):
        publish(spelt(women), columns=SEX, protect=[OWN], method={"search": "lattice"})
    (found,) = hedgerow.check(spelt(women), columns=SEX, protect=[OWN])
    assert not found.holds
    assert found.level >= 1.95 - 0.005


def test_the_same_groups_with_clear_labels() -> None:
    """What is refused is refused for its labels only."""
    release = publish(spelt("X"), columns=SEX, protect=[OWN])
    assert release.claims[0].level == pytest.approx(1.23, abs=0.005)
    (merged,) = hedgerow.check(spelt("F"), columns=SEX, protect=[OWN])
    assert merged.level == pytest.approx(1.95, abs=0.005)


def test_missing_people_may_be_suppressed() -> None:
    columns = {**SEX, "sex": {**SEX["sex"], "missing": "suppress"}}
    wide = {"epsilon-privacy": {**OWN["epsilon-privacy"], "epsilon": 9}}
    release = publish(spelt(None), columns=columns, protect=[wide], method={"suppress": "50%"})
    assert release.rows == 230


@dataclass(frozen=True, kw_only=True)
class FewValues(ColumnModel, RatioModel):
    """At most so many values in a group: a claim that groups may keep and not keep together."""

    higher_is_safer: ClassVar[bool] = False
    monotone_in_generalisation: ClassVar[bool] = False
    monotone_in_suppression: ClassVar[bool] = True

    most: int

    def __str__(self) -> str:
        return f"at most {self.most} values of {self.of}"

    @property
    def required(self) -> Fraction:
        return Fraction(self.most)

    @property
    def promise(self) -> str:
        return "finds few values"

    def ratios(self, groups: Groups) -> list[Ratio]:
        return [(np.diff(groups.histograms[self.of].indptr), np.ones(len(groups), np.int64))]


EUROPE = pd.DataFrame(
    {"nat": ["Spanish"] * 4 + ["Polish", "Thai"] * 2, "ill": ["flu"] * 4 + ["gout", "acne"] * 2}
)
FEW: dict[str, Any] = {
    "columns": {"nat": COLUMNS["nat"], "ill": "sensitive"},
    "protect": [{"k-anonymity": 4}, FewValues(most=2, of="ill")],
}


def test_a_claim_that_is_not_closed_under_mixtures_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The Spanish have flu, or are among the rest, who have gout or acne: three values."""
    with pytest.raises(ClaimError, match="may not keep it together") as refused:
        hedgerow.publish(EUROPE, method="local", **FEW)
    assert "4 people fit several groups" in str(refused.value)
    monkeypatch.setattr(FewValues, "closed_under_mixtures", True)  # what it would do otherwise
    wrong = hedgerow.publish(EUROPE, method="local", **FEW)
    assert set(wrong.data.to_pandas()["nat"]) == {"Spanish", "*"}
    assert wrong.claims[1].holds


def test_it_is_kept_where_nobody_fits_several_groups() -> None:
    apart = EUROPE.assign(nat=["Spanish"] * 4 + ["Thai"] * 4)
    assert hedgerow.publish(apart, method="lattice", **FEW).claims[1].holds
    assert hedgerow.check(apart, **FEW)[1].holds
    plain = {**FEW, "columns": {"nat": QI, "ill": "sensitive"}}
    with pytest.raises(ClaimError, match="may not keep it together"):
        hedgerow.check(apart.assign(nat=["Spanish"] * 4 + ["*"] * 4), **plain)
    plan = hedgerow.Plan.of(**FEW, method=OVERLAPPING[2])
    with pytest.raises(PlanError, match="cannot be explored with keep_suppressed"):
        hedgerow.frontier(plan, data=EUROPE)


def test_every_claim_of_the_house_is_closed_or_judged_over_all_groups() -> None:
    for found in models_of_claims().values():
        assert all(model.closed_under_mixtures for model in found)


MODELS = [
    model
    for found in models_of_claims().values()
    for model in found
    if model.column is not None and not model.about_beliefs
]


def even(counts: list[int]) -> Groups:
    """One group of a table in which all values are equally frequent."""
    made = Groups.of(
        {"s": [{v: n for v, n in zip("012", counts, strict=True) if n}]},
        order={"s": list("012")},
    )
    table = Sensitive("s", ("0", "1", "2"), np.full(3, 100), 300)
    return Groups(made.n, made.histograms, {"s": table})


@pytest.mark.parametrize("claim", MODELS, ids=str)
def test_other_claims_hold_for_every_mixture_of_groups(claim: PrivacyModel) -> None:
    """However likely one takes it that a person is in the one group or the other."""
    rng = np.random.default_rng(3)
    held = failed = 0
    for _ in range(1000):
        one, two = rng.choice([0, 0, 1, 2, 5], (2, 3))
        if not one.any() or not two.any():
            continue
        share = int(rng.integers(1, 8))
        both = share * two.sum() * one + (8 - share) * one.sum() * two
        passed = [bool(claim.holds(even(part.tolist()))[0]) for part in (one, two, both)]
        if passed[0] and passed[1]:
            held += 1
            assert passed[2], (one, two, both)
        failed += not passed[2]
    assert min(held, failed) > 20
