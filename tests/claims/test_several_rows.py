"""People with several rows: what is claimed of people holds for whoever sees only rows."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hedgerow
from hedgerow.base.errors import ClaimError, DataError, PlanError
from hedgerow.claims import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    KMap,
    MarketerRisk,
    PrivacyModel,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    TCloseness,
    UniqueShare,
)
from hedgerow.claims.row_bound import of_people, of_rows
from hedgerow.plan.person_rows import people_of
from hedgerow.release.certificate_text import as_text
from hedgerow.table.groups import Groups

COLUMNS = {"pid": "identifier", "sex": "quasi-identifier", "ill": "sensitive"}


def visits(*rows: tuple[str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=["pid", "sex", "ill"])


MANY = visits(
    *(("p1", "F", "flu"),) * 500,
    *((f"p{i}", "F", "cold") for i in range(2, 12)),
    *((f"p{i}", "M", "flu") for i in range(12, 17)),
)
"""One woman has 500 rows, with flu; ten others have one each, with a cold; five men have flu."""


def test_who_does_not_say_which_rows_are_published_is_asked() -> None:
    said: dict[str, Any] = {"columns": COLUMNS, "protect": [{"k-anonymity": 2}], "person": "pid"}
    for run in (hedgerow.publish, hedgerow.check):
        with pytest.raises(
            DataError, match=r"1 person has more than one row \(at most 500\)"
        ) as stopped:
            run(MANY, **said)
        assert "`rows: one`" in str(stopped.value.fix)
        assert "`rows: at most 500` (all rows without the ID; groups must then be up to 500 " in (
            str(stopped.value.fix)
        )
    alone = MANY.drop_duplicates("pid")
    assert hedgerow.check(alone, **said)[0].level == 5
    with pytest.raises(DataError, match="the plan says at most 3"):
        hedgerow.check(MANY, rows="at most 3", **said)
    nobody = pd.concat([alone, visits((None, "F", "flu"))])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="1 row has no value in the person column"):
        hedgerow.check(nobody, **said)


def test_one_row_a_person_is_measured_on_the_file(tmp_path: Path) -> None:
    release = hedgerow.publish(
        MANY, columns=COLUMNS, person="pid", rows="one", to=tmp_path / "release",
        protect=[{"k-anonymity": 5}, {"l-diversity": {"l": 1.1, "kind": "probabilistic"}}],
        method={"suppress": "50%"},
    )  # fmt: skip
    told = release.certificate
    assert release.people == 16
    assert told["people"] == {"in_source": 16, "left_out": release.suppressed}
    assert told["plan"]["rows"] == 1
    assert "Everybody has one row in the release." in told["protected"]
    assert told["measured_on"] == "the written file"
    assert "pid" not in release.to_arrow().column_names
    verified = hedgerow.verify(tmp_path / "release")
    assert not verified.refuted
    assert not verified.unverifiable


def test_rows_of_a_person_that_differ_need_a_choice() -> None:
    table = pd.DataFrame(
        {
            "pid": ["1", "1", "1", "2", "2", "3"],
            "age": ["9", "10", "10", "30", "30", "30"],
            "sex": list("FFFFFF"),
            "ill": ["b", "a", "b", None, "c", "a"],
        }
    )
    said: dict[str, Any] = {"person": "pid", "rows": "one", "protect": [{"unique-share": 1}]}
    columns: dict[str, Any] = COLUMNS | {"age": "quasi-identifier"}
    differ = r"1 person has rows with different values of 'age', 2 people of 'ill'"
    with pytest.raises(DataError, match=differ) as no:
        hedgerow.publish(table, columns=columns, **said)
    assert "Add `within_person: most-frequent` (or smallest, largest)" in str(no.value.fix)
    alone = columns | {"age": {"role": "quasi-identifier", "within_person": "smallest"}}
    with pytest.raises(PlanError, match="`within_person` works only with `rows: one`"):
        hedgerow.publish(table, columns=alone, person="pid", protect=[{"unique-share": 1}])
    found = {}
    for rule in ("most-frequent", "smallest", "largest"):
        chosen = columns | {
            "age": {"role": "quasi-identifier", "within_person": rule},
            "ill": {"role": "sensitive", "within_person": rule},
        }
        release = hedgerow.publish(table, columns=chosen, **said)
        assert release.certificate["plan"]["within_person"] == {"age": rule, "ill": rule}
        rows = release.to_arrow().to_pylist()
        found[rule] = sorted((row["age"], row["ill"]) for row in rows)
    assert found["most-frequent"] == [("10", "b"), ("30", "a"), ("30", "c")]
    assert found["smallest"] == [("30", "a"), ("30", "c"), ("9", "a")], "as numbers"
    assert found["largest"] == [("10", "b"), ("30", "a"), ("30", "c")]


def two_each(groups: str = "FM") -> pd.DataFrame:
    """Five women and five men with two rows each; in a group, every value stands twice."""
    return visits(
        *((f"{sex}{i}", sex, ill) for sex in groups for i in range(5) for ill in (f"a{i}", f"b{i}"))
    )


def test_rows_without_a_number_are_judged_for_the_worst_assignment(tmp_path: Path) -> None:
    said: dict[str, Any] = {"columns": COLUMNS, "person": "pid", "rows": "at most 2"}
    protect = [
        {"k-anonymity": 5},
        {"prosecutor-risk": 0.2},
        {"l-diversity": {"l": 5, "kind": "probabilistic"}},
        {"alpha-k-anonymity": {"alpha": 0.2, "k": 5}},
    ]
    release = hedgerow.publish(two_each(), protect=protect, to=tmp_path / "release", **said)
    told = release.certificate
    # 10 rows a group are at least 5 people; a value of one row may be had by 2 rows of 10.
    assert [claim.level for claim in release.claims] == pytest.approx([5, 0.2, 5, 0.2])
    assert told["people"] == {"in_source": 20, "left_out": 0, "unit": "rows"}
    assert told["plan"]["rows"] == 2
    assert "in which nobody has more than 2" in told["protected"]
    assert told["claims"][0]["worst"]["records"] == 10
    verified = hedgerow.verify(tmp_path / "release")
    assert not verified.refuted
    assert [claim.verdict for claim in verified.claims] == ["verified"] * 4
    with pytest.raises(ClaimError):
        hedgerow.publish(
            two_each("F"), protect=[{"k-anonymity": 6}], method={"suppress": 0}, **said
        )
    file = tmp_path / "release" / "certificate.json"
    forged = json.loads(file.read_text())
    forged["plan"]["rows"] = 1
    forged["people"].pop("unit")
    file.write_text(as_text(forged), "utf-8")
    assert hedgerow.verify(tmp_path / "release").refuted


@pytest.mark.parametrize(
    "model",
    [
        DistinctLDiversity(l=2, of="ill"), EntropyLDiversity(l=2, of="ill"), KMap(k=2),
        TCloseness(t=0.5, of="ill"), UniqueShare(share=0.1),
    ],
)  # fmt: skip
def test_claims_without_a_proof_are_refused(model: PrivacyModel) -> None:
    with pytest.raises(
        PlanError, match="` cannot be used with `rows: at most 2`: it is"
    ) as refused:
        hedgerow.check(
            two_each(), columns=COLUMNS, person="pid", rows="at most 2", protect=[model],
            **({"population_table": two_each()} if isinstance(model, KMap) else {}),
        )  # fmt: skip
    assert "`rows: one`" in str(refused.value.fix)


def assignments(rows: int, most: int) -> list[list[list[int]]]:
    """Every way to give rows to people, each at least one and at most so many."""
    if not rows:
        return [[]]
    found: list[list[list[int]]] = []

    def place(row: int, people: list[list[int]]) -> None:
        if row == rows:
            found.append([list(mine) for mine in people])
            return
        for mine in people:
            if len(mine) < most:
                mine.append(row)
                place(row + 1, people)
                mine.pop()
        people.append([row])
        place(row + 1, people)
        people.pop()

    place(0, [])
    return found


@pytest.mark.parametrize(("rows", "most"), [(r, m) for r in range(1, 8) for m in (2, 3)])
def test_no_assignment_is_worse_than_what_is_judged(rows: int, most: int) -> None:
    """By brute force: who picks a row, or believes in a value, however people are weighed."""
    worlds = assignments(rows, most)
    people = min(map(len, worlds))
    picked = max(Fraction(len(mine), rows) for world in worlds for mine in world)
    for having in range(1, rows + 1):
        share = max(
            max(
                Fraction(sum(min(mine) < having for mine in world), len(world)),
                Fraction(sum(len(mine) for mine in world if min(mine) < having), rows),
            )
            for world in worlds
        )
        rest = {f"v{i}": 1 for i in range(rows - having)}
        groups = Groups.of({"ill": [{"flu": having} | rest]})
        for k, times in itertools.product(range(1, 5), (1, Fraction(3, 2), 2, 3)):
            claims: list[tuple[PrivacyModel, bool]] = [
                (KAnonymity(k=k), k == 1 or (people >= k and picked * k <= 1)),
                (ProsecutorRisk(risk=Fraction(1, k)), picked * k <= 1),  # type: ignore[arg-type]
                (MarketerRisk(risk=Fraction(1, k)), people >= k),  # type: ignore[arg-type]
                (ProbabilisticLDiversity(l=times, of="ill"), share * times <= 1),  # type: ignore[arg-type]
                (
                    AlphaKAnonymity(alpha=1 / Fraction(times), k=k, of="ill", value="flu"),  # type: ignore[arg-type]
                    share * times <= 1 and people >= k,
                ),
            ]
            for claim, true in claims:
                found = of_people(claim, of_rows(claim, most).check(groups), most)
                assert true or not found.holds, (claim, rows, having)
                if isinstance(claim, KAnonymity):
                    assert found.level <= people
                if isinstance(claim, ProsecutorRisk):
                    assert found.level >= float(picked) - 1e-12


def test_attacks_count_the_people_of_the_claims(tmp_path: Path) -> None:
    """With one row a person, those who are attacked are the people; else it is said."""
    two_each().to_csv(tmp_path / "visits.csv", index=False)
    said: dict[str, Any] = {
        "columns": COLUMNS | {"ill": {"role": "sensitive", "within_person": "smallest"}},
        "source": tmp_path / "visits.csv", "person": "pid", "protect": [{"k-anonymity": 2}],
    }  # fmt: skip
    one = hedgerow.Plan.of(**said, rows="one")
    hedgerow.publish(one, to=tmp_path / "one")
    found = hedgerow.attack([tmp_path / "one"], plan=one, methods=["homogeneity"])
    assert (len(people_of(one).codes), found[0].found.guesses) == (10, 10)
    rows = hedgerow.Plan.of(**said | {"columns": COLUMNS}, rows="at most 2")
    hedgerow.publish(rows, to=tmp_path / "rows")
    found = hedgerow.attack([tmp_path / "rows"], plan=rows, methods=["homogeneity"])
    assert (len(people_of(rows).codes), found[0].found.guesses) == (20, 20)
    assert "A person may have several rows" in found[0].sentences[-1]


def test_a_claim_that_nothing_can_keep_says_what_helps() -> None:
    """Ten women, one illness: no level and no suppression makes that diverse."""
    said: dict[str, Any] = {
        "columns": COLUMNS, "person": "pid", "rows": "at most 2",
        "protect": [{"l-diversity": {"l": 3, "kind": "probabilistic"}}],
    }  # fmt: skip
    same = visits(*((f"F{i}", "F", "flu") for i in range(5) for _ in range(2)))
    with pytest.raises(ClaimError, match="10 of 10 rows would have to be suppressed") as refused:
        hedgerow.publish(same, **said)
    assert refused.value.fix is not None
    assert "Neither coarser levels nor more suppression can help." in refused.value.fix
    assert "2 rows of a group may be one person's" in refused.value.fix
    assert "probabilistic 3-diversity of ill needs probabilistic 6-diversity" in refused.value.fix
    few = [(f"F{i}", "F", f"a{i}") for i in range(7)] + [(f"M{i}", "M", "flu") for i in range(9)]
    twice = visits(*(row for row in few for _ in range(2)))
    with pytest.raises(ClaimError) as refused:
        hedgerow.publish(
            twice, **said | {"columns": COLUMNS | {"sex": {"role": "quasi-identifier"}}}
        )
    assert refused.value.fix is not None
    assert "allow more suppression" in refused.value.fix, "the men may go"


def test_the_most_frequent_value_is_not_the_most_frequent_spelling(tmp_path: Path) -> None:
    """HIV twice, in two spellings, is more often than cancer once; or they are three illnesses."""
    rows = [("1", "F", "hiv"), ("1", "F", "H.I.V."), ("1", "F", "CANCER"), ("2", "F", "flu")]
    many = {"role": "sensitive", "within_person": "most-frequent"}
    said: dict[str, Any] = {"person": "pid", "rows": "one", "protect": [{"k-anonymity": 2}]}
    with pytest.raises(DataError, match=r"'H\.I\.V\.' and 'hiv' may be one value") as refused:
        hedgerow.publish(visits(*rows), columns=COLUMNS | {"ill": many}, **said)
    assert "`spelling: one`" in str(refused.value.fix)
    one = hedgerow.publish(
        visits(*rows), columns=COLUMNS | {"ill": many | {"spelling": "one"}}, to=tmp_path / "one",
        **said,
    )  # fmt: skip
    assert "CANCER" not in one.to_pandas()["ill"].tolist()
    report = (tmp_path / "one" / "report.html").read_text()
    assert "spellings merged; one value per person (the most frequent)" in report
    inner = (tmp_path / "one.internal.html").read_text()
    assert "spellings merged; one value per person (the most frequent)" in inner
    apart = many | {"distinct": ["hiv", "H.I.V."]}
    three = hedgerow.publish(visits(*rows), columns=COLUMNS | {"ill": apart}, **said)
    assert three.to_pandas()["ill"].tolist().count("CANCER") == 1
    visits(*rows).to_csv(tmp_path / "visits.csv", index=False)
    plan = hedgerow.Plan.of(
        columns=COLUMNS | {"ill": many | {"spelling": "one"}},
        source=tmp_path / "visits.csv",
        **said,
    )
    assert "CANCER" not in people_of(plan).column("ill"), "who is attacked has one, too"
    mixed = [("1", "F", "a"), ("1", "f", "a"), ("2", "F", "a")]
    sexes = COLUMNS | {"sex": {"role": "quasi-identifier", "within_person": "most-frequent"}}
    with pytest.raises(DataError, match="may be one value") as refused:
        hedgerow.publish(visits(*mixed), columns=sexes, **said)
    assert "one spelling in the data" in str(refused.value.fix)
