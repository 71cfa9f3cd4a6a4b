"""Values that may be taken for one: judged both ways, published in one spelling, or told apart."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow import (
    AlphaKAnonymity,
    BetaLikeness,
    ClaimError,
    ClassI,
    ClassIII,
    DataError,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    EpsilonPrivacy,
    KAnonymity,
    Plan,
    PlanError,
    Prior,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
    TCloseness,
    verify,
)
from hedgerow.base.spelling_classes import first_spellings
from hedgerow.claims.adversary import Known
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.declaration import CLAIMS
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.readings import checked, judged
from hedgerow.release.partition.check import checked as measured
from hedgerow.table.groups import Groups

FLU = ["flu", "Flu", "FLU"]


def groups_of(*groups: Mapping[str | None, int]) -> Groups:
    found = Groups.of({"s": list(groups)})
    domain = found.domains["s"]
    first = first_spellings(domain.values)
    assert first is not None
    return replace(found, domains={"s": replace(domain, spellings=np.array(first, np.int32))})


# By hand: three people with three spellings of one illness beside three with three illnesses.
TABLE = ({"flu": 1, "Flu": 1, "FLU": 1}, {"flu": 1, "gout": 1, "acne": 1})


@pytest.mark.parametrize(
    ("model", "level"),
    [
        (DistinctLDiversity(l=3, of="s"), 1),
        (ProbabilisticLDiversity(l=3, of="s"), 1),
        (EntropyLDiversity(l=3, of="s"), 1),
        (AlphaKAnonymity(alpha=0.5, k=3, of="s"), 1),
        (AlphaKAnonymity(alpha=0.5, k=3, of="s", value="FLU"), 1),
        # As spelled: flu is 2/6, so the first group is (1/3 - 2/6) and twice (1/3 - 1/6) away,
        # 1/3 in all; the second is 1/3 away, too. As one, flu is 4/6: 1/3 again.
        (TCloseness(t=0.5, of="s"), 1 / 3),
        # Of one illness 3/3 against 4/6; spelled as they are, Flu is twice as likely as in all.
        (BetaLikeness(beta=2, of="s"), 1),
    ],
    ids=str,
)
def test_the_worse_reading_counts(model: PrivacyModel, level: float) -> None:
    assert checked(model, groups_of(*TABLE)).level == pytest.approx(level)


def test_of_two_spellings_recursive_diversity_counts_one() -> None:
    """(3, 2): as spelled 1 < 3 * 2; as one value 3 < 3 * 0 is false."""
    found = checked(RecursiveLDiversity(c=3, l=2, of="s"), groups_of(*TABLE))
    assert not found.holds


def test_a_sign_that_is_lost_makes_nothing_closer() -> None:
    """Women HIV+, men HIV-: these are no spellings of one value, and 0-closeness fails."""
    found = Groups.of({"s": [{"HIV+": 5}, {"HIV-": 5}]})
    assert first_spellings(found.domains["s"].values) is None
    frame = pd.DataFrame({"sex": ["f"] * 5 + ["m"] * 5, "s": ["HIV+"] * 5 + ["HIV-"] * 5})
    columns = {"sex": "quasi-identifier", "s": "sensitive"}
    (claim,) = hedgerow.check(frame, columns=columns, protect=[TCloseness(t=0, of="s")])
    assert (claim.holds, claim.level) == (False, 0.5)


@pytest.mark.parametrize(
    ("model", "level"),
    [
        # Women have one spelling, men the other: one value would be 0 away from the whole table.
        (TCloseness(t=0.2, of="s"), 0.5),
        (BetaLikeness(beta=0.2, of="s"), 1),
        (DeltaDisclosure(delta=0.2, of="s"), np.inf),
    ],
    ids=str,
)
def test_one_value_is_not_always_the_careful_reading(model: PrivacyModel, level: float) -> None:
    found = checked(model, groups_of({"flu": 5}, {"FLU": 5}))
    assert (found.holds, found.level) == (False, level)


def test_what_is_believed_of_each_spelling_adds_up() -> None:
    """A prior of 1/4, 1/4 and 1/2 is one of 1/2 and 1/2.

    Class III: the group has flu and FLU half each. As spelled p_in / p_out is 1/2 to 1/4, and the
    doubt 3/4 to 1/2. As one value all have it: the doubt goes from 1/2 to 0.
    """
    prior = Prior.shape({"flu": 1, "FLU": 1, "gout": 2})
    model = EpsilonPrivacy(epsilon=3, of="s", adversary=ClassIII(prior=prior))
    spelled = Groups.of({"s": [{"flu": 2, "FLU": 2}, {"gout": 3, "flu": 1}]})
    groups = groups_of({"flu": 2, "FLU": 2}, {"gout": 3, "flu": 1})
    one = EpsilonPrivacy(
        epsilon=3, of="s", adversary=ClassIII(prior=Prior.shape({"flu": 2, "gout": 2}))
    )
    merged = Groups.of({"s": [{"flu": 4}, {"gout": 3, "flu": 1}]})
    apart, together = model.check(spelled).level, one.check(merged).level
    assert checked(model, groups).level == max(apart, together)
    assert apart != together


def test_predicates_name_values_in_one_spelling() -> None:
    prior = Prior.counts({"flu": 9, "FLU": 9, "gout": 18})
    model = EpsilonPrivacy(
        epsilon=9, of="s", adversary=ClassI(prior=prior),
        predicates=Predicates(sets=["FLU", ["gout", "flu"]]),
    )  # fmt: skip
    (judge,) = judged(
        [model], groups_of({"flu": 3, "FLU": 1, "gout": 1, "acne": 2}).domains.values()
    )
    merged = judge.merged  # type: ignore[attr-defined]
    assert merged.predicates.sets == ("flu", ("gout", "flu"))
    assert dict(merged.adversary.prior.weights) == {"flu": 18, "gout": 18}


@pytest.mark.parametrize(
    "model",
    [DistinctLDiversity(l=2, of="s"), EntropyLDiversity(l=1.5, of="s"), TCloseness(t=0.3, of="s"),
     AlphaKAnonymity(alpha=0.6, k=2, of="s"), BetaLikeness(beta=1, of="s", kind="enhanced"),
     ProbabilisticLDiversity(l=1.5, of="s"), DeltaDisclosure(delta=1, of="s"),
     EpsilonPrivacy(epsilon=3, of="s", adversary=ClassI(prior=Prior.uniform(), stubbornness=9))],
    ids=str,
)  # fmt: skip
def test_both_readings_against_groups_made_by_hand(model: PrivacyModel) -> None:
    """The claim holds exactly where it holds of the groups as spelled and of them as one."""
    rng = np.random.default_rng(4)
    seen = set()
    for _ in range(60):
        counts = rng.integers(0, 3, (3, 4))
        if (counts.sum(axis=1) == 0).any() or (counts.sum(axis=0) == 0).any():
            continue
        values = ["flu", "Flu", "gout", "acne"]
        spelled = [{v: int(n) for v, n in zip(values, row, strict=True) if n} for row in counts]
        alike = [
            {v: n for v, n in (("flu", int(a + b)), ("gout", int(c)), ("acne", int(d))) if n}
            for a, b, c, d in counts
        ]
        found = checked(model, groups_of(*spelled))
        apart = model.check(Groups.of({"s": spelled}))
        one = model.check(Groups.of({"s": alike}))
        assert found.holds == (apart.holds and one.holds)
        worse = min if model.higher_is_safer else max
        assert found.level == pytest.approx(worse(apart.level, one.level))
        (judge,) = judged([model], groups_of(*spelled).domains.values())
        each = judge.holds(groups_of(*spelled))
        assert list(each) == list(
            model.holds(Groups.of({"s": spelled})) & model.holds(Groups.of({"s": alike}))
        )
        seen.add((apart.holds, one.holds))
    assert len(seen) > 1


PARTITIONS = [[0, 1, 2], [0, 0, 2], [0, 1, 0], [0, 1, 1], [0, 0, 0]]
"""All ways to read three spellings: as three values, as two, as one."""


@pytest.mark.parametrize(
    "model",
    [DistinctLDiversity(l=2, of="s"), EntropyLDiversity(l=2, of="s"), TCloseness(t=0.3, of="s"),
     ProbabilisticLDiversity(l=2, of="s"), RecursiveLDiversity(c=2, l=2, of="s"),
     AlphaKAnonymity(alpha=0.5, k=2, of="s"), DeltaDisclosure(delta=1, of="s"),
     BetaLikeness(beta=1, of="s")],
    ids=str,
)  # fmt: skip
def test_no_reading_in_between_is_worse(model: PrivacyModel) -> None:
    rng = np.random.default_rng(11)
    for _ in range(80):
        counts = rng.integers(0, 4, (3, 5))
        if (counts.sum(axis=1) == 0).any():
            continue
        values = [*FLU, "gout", "acne"]
        levels = []
        for partition in PARTITIONS:
            names = [values[i] for i in (*partition, 3, 4)]
            read: list[dict[str | None, int]] = [{} for _ in counts]
            for row, group in zip(counts, read, strict=True):
                for name, n in zip(names, row, strict=True):
                    if n:
                        group[name] = group.get(name, 0) + int(n)
            levels.append(model.check(Groups.of({"s": read})).level)
        worst = min(levels) if model.higher_is_safer else max(levels)
        both = levels[0], levels[-1]
        assert worst == pytest.approx(min(both) if model.higher_is_safer else max(both))


@pytest.mark.parametrize("seed", range(4))
def test_levels_can_be_published_where_both_readings_hold(seed: int) -> None:
    """Every node of a small lattice, against groups made by hand."""
    rng = np.random.default_rng(seed)
    ages, towns = rng.integers(0, 8, 24), rng.integers(0, 2, 24)
    secret = rng.choice(["flu", "Flu", "gout", "acne"], 24)
    frame = pd.DataFrame({"age": ages.astype(str), "town": towns.astype(str), "s": secret})
    model: list[PrivacyModel] = [DistinctLDiversity(l=2, of="s"), TCloseness(t=0.35, of="s")]
    seen = []
    for age in range(4):
        for town in range(2):
            width = (1, 2, 4, 8)[age]
            found: dict[Any, list[str]] = {}
            for a, t, s in zip(ages, towns, secret, strict=True):
                found.setdefault((a // width, t if town == 0 else 0), []).append(str(s))
            holds = True
            for read in (lambda s: s, lambda s: "flu" if s == "Flu" else s):
                groups = Groups.of({"s": [
                    {v: list(map(read, g)).count(v) for v in set(map(read, g))}
                    for g in found.values()
                ]})  # fmt: skip
                holds &= all(bool(m.holds(groups).all()) for m in model)
            ages_plan = {"ranges": [2, 4]}
            columns = {
                "age": {"role": "quasi-identifier", "hierarchy": ages_plan, "levels": [age, age]},
                "town": {"role": "quasi-identifier", "levels": [town, town]},
                "s": "sensitive",
            }
            try:
                hedgerow.publish(frame, columns=columns, protect=model, method={"suppress": 0})
                published = True
            except ClaimError:
                published = False
            assert published == holds
            seen.append(holds)
    assert True in seen
    assert False in seen


# What is published


def table(values: Sequence[str | None] = (*FLU, "flu", "gout", "acne")) -> pd.DataFrame:
    return pd.DataFrame({"a": ["x", "y"] * (len(values) // 2), "s": sorted(values, key=str)[::-1]})


def publish(to: Path, frame: pd.DataFrame, *models: Any, secret: Any = None, **more: Any) -> Any:
    columns = {"a": "quasi-identifier", "s": {"role": "sensitive", **(secret or {})}}
    others = {name: "insensitive" for name in frame if name not in ("a", "s", "p")}
    return hedgerow.publish(frame, columns=columns | others, protect=list(models), to=to, **more)


def written(folder: Path) -> list[str]:
    with (folder / "data.csv").open(newline="", encoding="utf-8") as file:
        return [row["s"] for row in csv.DictReader(file)]


def test_spellings_are_no_diversity(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x"] * 3, "s": FLU})
    with pytest.raises(ClaimError, match="3-diversity of s reaches 1, required 3"):
        publish(tmp_path / "r", frame, DistinctLDiversity(l=3, of="s"))
    columns = {"a": "quasi-identifier", "s": "sensitive"}
    plan = Plan.of(columns=columns, protect=[DistinctLDiversity(l=3, of="s")])
    (claim,), told = measured(plan, frame)
    assert (claim.holds, claim.level) == (False, 1)
    assert told == (
        "'s' has 3 spellings of one value: FLU, Flu, flu. Claims about it are judged both ways. "
        "Say `spelling: one` to publish each value in one spelling, or `distinct: [...]` if they "
        "differ.",
    )


def test_a_note_shows_blanks_and_is_about_what_is_claimed() -> None:
    frame = pd.DataFrame({"a": ["x"] * 3, "s": ["FLU ", "flu", "gout"]})
    columns = {"a": "quasi-identifier", "s": "sensitive"}
    claims = [DistinctLDiversity(l=2, of="s")]
    _, (told,) = measured(Plan.of(columns=columns, protect=claims), frame)
    assert "'s' has 2 spellings of one value: 'FLU ', flu. " in told
    assert measured(Plan.of(columns=columns, protect=[KAnonymity(k=2)]), frame)[1] == ()


def test_a_value_that_is_said_to_differ_and_that_nobody_has() -> None:
    frame = pd.DataFrame({"a": ["x"] * 2, "s": ["flu", "gout"]})
    columns = {"a": "quasi-identifier", "s": {"role": "sensitive", "distinct": ["flu", "measles"]}}
    _, told = measured(Plan.of(columns=columns, protect=[KAnonymity(k=2)]), frame)
    assert told == ("`distinct` of 's' lists 'measles', which nobody has.",)


@pytest.mark.parametrize("search", ["lattice", "mondrian", "local"])
def test_every_search_judges_both_ways(tmp_path: Path, search: str) -> None:
    """x: three spellings of one illness; y: three illnesses. Only together they have two."""
    frame = pd.DataFrame({"a": ["1"] * 3 + ["2"] * 3, "s": [*FLU, "flu", "gout", "acne"]})
    release = publish(
        tmp_path / "r", frame, DistinctLDiversity(l=2, of="s"), KAnonymity(k=2), method=search
    )
    assert release.claims[0].level == 3
    assert len(set(pd.read_csv(tmp_path / "r" / "data.csv").a)) == 1
    assert sorted(written(tmp_path / "r")) == ["FLU", "Flu", "acne", "flu", "flu", "gout"]
    told = release.certificate["spellings"]
    assert told == {"s": {"one": False, "distinct": [], "both": [["FLU", "Flu", "flu"]]}}
    assert any("3 spellings of one value" in note for note in release.notes)
    found = verify(tmp_path / "r")
    assert found.refuted == ()
    assert [c.level for c in found.claims] == [3, 6]


@pytest.mark.parametrize("other", [False, True], ids=["counted", "row by row"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("search", ["lattice", "mondrian", "microaggregation"])
def test_one_spelling_is_written(tmp_path: Path, other: bool, form: str, search: str) -> None:
    frame = pd.DataFrame(
        {"a": [str(i % 3) for i in range(12)], "s": [*FLU, "flu", "gout", "-"] * 2}
    )
    if other:
        frame["ward"] = [str(i) for i in range(12)]
    columns = {"a": "quasi-identifier", "s": {"role": "sensitive", "spelling": "one"}}
    release = hedgerow.publish(
        frame, columns=columns | ({"ward": "insensitive"} if other else {}),
        protect=[KAnonymity(k=2), DistinctLDiversity(l=2, of="s")], method=search,
        publish={"to": str(tmp_path / "r"), "format": form},
    )  # fmt: skip
    file = pd.read_csv(release.data) if form == "csv" else pd.read_parquet(release.data)
    assert sorted(file.s) == ["-"] * 2 + ["flu"] * 8 + ["gout"] * 2
    assert release.certificate["spellings"] == {"s": {"one": True, "distinct": [], "both": []}}
    assert "In 's' FLU, Flu are published as flu." in release.notes
    assert verify(release).refuted == ()


def test_one_spelling_of_people_with_several_rows(tmp_path: Path) -> None:
    """Somebody with flu and Flu has one illness, in two rows."""
    frame = pd.DataFrame({
        "p": ["1", "1", "2", "3", "3", "4"], "a": ["x"] * 6,
        "s": ["flu", "Flu", "gout", "FLU", "acne", "flu"],
    })  # fmt: skip
    said = {"person": "p", "rows": "at most 2", "secret": {"spelling": "one"}}
    release = publish(tmp_path / "r", frame, ProbabilisticLDiversity(l=1, of="s"), **said)
    # Four of six rows are flu: whoever has two rows, everybody may have it.
    assert [claim.level for claim in release.claims] == [1]
    assert sorted(written(tmp_path / "r")) == ["acne", "flu", "flu", "flu", "flu", "gout"]


def test_the_most_frequent_spelling_is_the_one(tmp_path: Path) -> None:
    frame = table(["FLU", "FLU", "Flu", "flu", "1.0", "1", "b", "B"])
    publish(tmp_path / "r", frame, KAnonymity(k=2), secret={"spelling": "one"})
    assert sorted(written(tmp_path / "r")) == ["1", "1", "B", "B", "FLU", "FLU", "FLU", "FLU"]


def test_values_that_differ(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x"] * 3, "s": FLU})
    model = DistinctLDiversity(l=3, of="s")
    for distinct in (FLU, [FLU[:2], FLU[1:]]):
        release = publish(tmp_path / "r", frame, model, secret={"distinct": distinct}, replace=True)
        assert release.claims[0].level == 3
        assert release.certificate["spellings"]["s"]["distinct"] == [["FLU", "Flu", "flu"]]
        assert verify(tmp_path / "r").refuted == ()
    columns = {"a": "quasi-identifier", "s": "sensitive"}
    refuted = verify(tmp_path / "r", plan=Plan.of(columns=columns, protect=[model])).refuted
    assert "the plan does not say that 'FLU', 'Flu' and 'flu' in 's' differ" in refuted[0]
    with pytest.raises(DataError, match="'flu' in 's' may be read as 'FLU' and 'Flu'"):
        publish(tmp_path / "x", frame, model, secret={"distinct": ["Flu", "FLU"]})


def test_some_differ_and_the_others_are_written_as_one(tmp_path: Path) -> None:
    frame = table(["HEP B", "hep-b", "Gout", "gout", "gout", "acne"])
    secret = {"distinct": ["HEP B", "hep-b"], "spelling": "one"}
    release = publish(tmp_path / "r", frame, KAnonymity(k=2), secret=secret)
    assert sorted(written(tmp_path / "r")) == ["HEP B", "acne", "gout", "gout", "gout", "hep-b"]
    assert release.certificate["spellings"] == {
        "s": {"one": True, "distinct": [["HEP B", "hep-b"]], "both": []}
    }
    assert verify(tmp_path / "r").refuted == ()


@pytest.mark.parametrize(
    ("secret", "what"),
    [
        ({"distinct": ["1", "1.0"]}, "take '1' and '1.0' for one value"),
        ({"distinct": ["flu"]}, "needs the spellings that differ"),
        ({"spelling": "two"}, "spelling"),
        ({"role": "insensitive", "spelling": "one"}, "'spelling' has no meaning"),
        ({"role": "quasi-identifier", "distinct": ["a", "A"]}, "'distinct' has no meaning"),
    ],
)
def test_what_a_plan_cannot_say(secret: dict[str, Any], what: str) -> None:
    columns = {"a": "quasi-identifier", "s": {"role": "sensitive"} | secret}
    with pytest.raises(PlanError, match=what):
        Plan.of(columns=columns, protect=[{"k-anonymity": 2}])


def test_only_published_values_are_listed(tmp_path: Path) -> None:
    """What only somebody left out has, in whichever spelling, stands nowhere."""
    frame = pd.DataFrame({"a": ["x"] * 4 + ["y"], "s": ["flu", "gout"] * 2 + ["GOUT"]})
    columns = {"a": {"role": "quasi-identifier", "levels": [0, 0]}, "s": "sensitive"}
    release = hedgerow.publish(
        frame, columns=columns, protect=[KAnonymity(k=4), DistinctLDiversity(l=2, of="s")],
        method={"suppress": 0.2}, to=tmp_path / "r",
    )  # fmt: skip
    assert release.suppressed == 1
    assert "spellings" not in release.certificate
    assert "GOUT" not in (tmp_path / "r" / "certificate.json").read_text("utf-8")
    assert verify(tmp_path / "r").refuted == ()


def test_claims_that_cannot_be_judged_both_ways() -> None:
    frame = table().assign(name=list("123456"))
    columns: dict[str, Any] = {"a": "quasi-identifier", "s": "sensitive", "name": "identifier"}
    adversary = ClassIII(prior=Prior.of_table(), knows=Known(by="name", people=("1",)))
    model: PrivacyModel = EpsilonPrivacy(epsilon=9, of="s", adversary=adversary)
    with pytest.raises(DataError, match="as one value: it is about more than") as refused:
        hedgerow.check(frame, columns=columns, protect=[model])
    assert "`spelling: one`" in (refused.value.fix or "")
    tree = {"taxonomy": {"chest": ["flu", "Flu"], "other": ["FLU", "gout", "acne"]}}
    columns["s"] = {"role": "sensitive", "hierarchy": tree}
    with pytest.raises(DataError, match="different places of the hierarchy"):
        hedgerow.check(frame, columns=columns, protect=[TCloseness(t=1, of="s")])
    columns["s"] = {"role": "sensitive", "order": ["flu", "gout", "Flu", "FLU", "acne"]}
    model = TCloseness(t=1, of="s", distance="ordered")
    with pytest.raises(DataError, match="other values stand between them in the order"):
        hedgerow.check(frame, columns=columns, protect=[model])


def test_forged_spellings(tmp_path: Path) -> None:
    """Whoever writes other spellings into the certificate is found out."""
    frame = pd.DataFrame({"a": ["x"] * 6, "s": [*FLU, "gout", "acne", "flu"]})
    publish(tmp_path / "r", frame, DistinctLDiversity(l=3, of="s"))
    file = tmp_path / "r" / "certificate.json"
    text = file.read_text("utf-8")
    assert verify(tmp_path / "r").refuted == ()
    file.write_text(text.replace('"one": false', '"one": true'))
    assert any("is not in one spelling, as stated" in w for w in verify(tmp_path / "r").refuted)
    file.write_text(text.replace('"FLU",', '"FLUX",'))
    assert any("not those stated" in why for why in verify(tmp_path / "r").refuted)


def test_the_ledger_remembers_what_was_published(tmp_path: Path) -> None:
    """With a second release: flu of the first is Flu of the second."""
    frame = table(["flu", "flu", "FLU", "gout", "gout", "acne"])
    more: dict[str, Any] = {"ledger": str(tmp_path / "ledger.sqlite"), "population": "p"}
    publish(tmp_path / "1", frame, KAnonymity(k=2), secret={"spelling": "one"}, **more)
    second = table(["Flu", "Flu", "Flu", "gout", "gout", "acne"])
    release = publish(
        tmp_path / "2", second, KAnonymity(k=2), {"composition": {"confidence": 0.5}}, **more
    )
    assert any("6 people of the table may be in" in note for note in release.notes)


@pytest.mark.parametrize(
    ("before", "after"),
    [({}, {"spelling": "one"}), ({"distinct": FLU}, {}), ({}, {"order": ["acne", *FLU, "gout"]})],
)
def test_a_plan_that_says_otherwise_is_another_plan(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any]
) -> None:
    """The ledger gives nobody the release of a plan that read spellings in another way."""
    table().to_csv(tmp_path / "data.csv", index=False)
    releases = []
    for secret in (before, after, after):
        plan = Plan.of(
            source=tmp_path / "data.csv", population="p", ledger=tmp_path / "ledger.sqlite",
            columns={"a": "quasi-identifier", "s": {"role": "sensitive", **secret}},
            protect=[KAnonymity(k=2)], publish={"to": tmp_path / "r"},
        )  # fmt: skip
        releases.append(hedgerow.publish(plan, replace=True))
    reserved = [release.certificate["ledger"]["reservation"] for release in releases]
    assert reserved[0] != reserved[1]
    assert reserved[1] == reserved[2], "the same again is the same"


def test_noise_takes_no_spellings() -> None:
    secret = {"role": "sensitive", "spelling": "one", "domain": ["flu", "FLU"]}
    plan = Plan.of(
        columns={"a": {"role": "quasi-identifier", "domain": ["x", "y"]}, "s": secret},
        privacy={"neighbours": "add-remove"},
        method={"search": "marginals", "epsilon": 1, "tables": 1},
    )
    with pytest.raises(PlanError, match="spelling has no meaning for marginals"):
        hedgerow.publish(plan)


def test_diversity_says_that_missing_counts_as_a_value() -> None:
    frame = pd.DataFrame({"a": ["x"] * 2, "s": ["flu", None]})
    columns = {"a": "quasi-identifier", "s": "sensitive"}
    (claim,) = hedgerow.check(frame, columns=columns, protect=[DistinctLDiversity(l=2, of="s")])
    assert claim.level == 2
    told = CLAIMS["l-diversity"].does_not_protect
    assert "A missing value counts as a value of its own." in told
