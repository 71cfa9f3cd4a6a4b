"""Purposes, questions, and whose rows they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from guess_facts import AGES, AMOUNTS, FEW, LETTERS, facts, propose

from hedgerow.plan.guess import write_plan
from hedgerow.plan.guesses.first_plan import ANOTHER, KNOWN, PRIVATE, YES, first_plan
from hedgerow.plan.guesses.purposes import DEFAULT, PURPOSES
from hedgerow.plan.guesses.questions import MOST_QUESTIONS, PlanQuestion
from hedgerow.plan.plan import Plan
from hedgerow.reports.profiles.registry import PROFILES
from hedgerow.table.schema import Role

VISITS = {
    "patient_id": [str(100 + i // 4) for i in range(200)],
    "sex": ["mf"[i // 4 % 2] for i in range(200)],
    "birth": [str(1940 + i // 4 % 30) for i in range(200)],
    "visit": [str(1 + i % 4) for i in range(200)],
    "diagnosis": [*"abcbdeacbe" * 20],
}
"""Fifty patients with four visits each."""


@pytest.mark.parametrize("name", PURPOSES)
def test_every_purpose_gives_a_plan_that_says_what_it_does_not_protect(
    name: str, tmp_path: Path
) -> None:
    text = propose(facts({"age": AGES, "disease": LETTERS}), purpose=name)
    path = tmp_path / "plan.yaml"
    path.write_text(text, "utf-8")
    plan, aim = Plan.read(path), PURPOSES[name]
    assert plan.protect[0].parameters.model_dump()["k"] == aim.k
    assert aim.not_protected
    assert text.count("# Not protected:") >= len(aim.not_protected)
    assert [PROFILES.find(name).name for name in aim.profiles] == list(aim.profiles)
    assert "What is the release for?" not in text


def test_numbers_of_policies_are_those_of_the_policies() -> None:
    """EMA 0070 asks for a risk of at most 0.09: 12 is the least k; CMS hides counts of 1 to 10."""
    assert 1 / PURPOSES["hospital"].k <= 0.09 < 1 / (PURPOSES["hospital"].k - 1)
    assert PURPOSES["public"].k == 11
    for name in ("research", "internal", "survey"):
        assert "No policy asks for it" in PURPOSES[name].k_because


def test_without_a_purpose_the_plan_says_what_is_assumed() -> None:
    text = propose(facts({"age": AGES, "disease": LETTERS}))
    assert f"Nobody said what the release is for. Assumed: {DEFAULT}" in text
    assert text.index("What is the release for?") < text.index("columns:")


def test_at_most_five_questions_the_most_consequential_first() -> None:
    table = {
        **VISITS, "age": [*AGES[:-2], "none", "none"],
        **{f"v{i}": FEW for i in range(9)}, **{f"w{i}": LETTERS for i in range(3)},
    }  # fmt: skip
    first = first_plan(facts(table))
    assert 0 < len(first.questions) <= MOST_QUESTIONS
    assert first.questions[0].about == "purpose"
    for question in first.questions:
        assert question.default in question.options
        assert question.text.endswith(("?", "each."))
        assert question.why.endswith(".")


def test_answers_change_the_plan() -> None:
    profile = facts({"age": AGES, "sex": ["m", "f"] * 100, "v1": LETTERS})
    first = first_plan(profile)
    (asked,) = [one for one in first.questions if one.about == "known"]
    assert asked.columns == ("v1",)
    assert asked.default == KNOWN
    private = first_plan(profile, answers={"known": PRIVATE, "purpose": "public"})
    assert private.roles["v1"].role is Role.SENSITIVE
    assert private.roles["v1"].because == "you said so"
    assert private.purpose.name == "public"
    assert not private.questions


def test_a_doubtful_token_is_asked_about() -> None:
    profile = facts({"age": ["-9", *AGES[1:]], "change": [str(i % 31 - 15) for i in range(200)]})
    first = first_plan(profile, by_column=False)
    assert "missing" in [one.about for one in first.questions]
    assert not first.null
    answered = first_plan(profile, answers={"missing": YES}, by_column=False)
    assert [m.text for m in answered.null] == ["-9"]


def test_a_token_that_is_a_value_elsewhere_is_missing_in_its_column() -> None:
    profile = facts({"age": ["-9", *AGES[1:]], "change": [str(i % 31 - 15) for i in range(200)]})
    first = first_plan(profile)
    assert not first.null
    assert [(m.text, m.columns) for m in first.null_in_columns] == [("-9", ("age",))]
    assert "missing" not in [one.about for one in first.questions]


def test_patients_with_several_visits_are_found() -> None:
    profile = facts(VISITS)
    first = first_plan(profile)
    assert first.person == "patient_id"
    assert {"visit", "diagnosis"} <= set(first.within_person)
    text = propose(profile)
    assert "50 people, up to 4 rows each" in text
    assert first_plan(profile, one_row_per_person=True).person is None
    assert first_plan(profile, answers={"person": ANOTHER}).one_row_per_person
    assert first_plan(profile, not_keys=["patient_id"]).person is None


def test_numbers_of_schools_and_counts_are_no_people() -> None:
    table = {
        "school_id": [str(i // 20) for i in range(200)],
        "num_accounts": [str(i % 12) for i in range(200)],
        "sex": ["m", "f"] * 100,
        "score": AMOUNTS,
    }
    assert first_plan(facts(table)).person is None


def test_init_then_publish_without_an_edit(tmp_path: Path) -> None:
    """Fifty patients: one row of each is published, in groups that keep every claim."""
    import hedgerow

    data = tmp_path / "visits.csv"
    rows = zip(*VISITS.values(), strict=True)
    data.write_text("\n".join(",".join(row) for row in [tuple(VISITS), *rows]) + "\n")
    plan = write_plan(data, tmp_path / "plan.yaml")
    release = hedgerow.publish(plan, to=tmp_path / "release")
    assert 0 < release.rows <= 50


def test_questions_are_put_one_after_the_other(tmp_path: Path) -> None:
    data = tmp_path / "t.csv"
    table = {"age": AGES, "sex": ["m", "f"] * 100, "v1": LETTERS}
    rows = zip(*table.values(), strict=True)
    data.write_text("\n".join(",".join(row) for row in [tuple(table), *rows]) + "\n")
    asked: list[PlanQuestion] = []

    def answer(question: PlanQuestion) -> str:
        asked.append(question)
        return question.options[-1]

    plan = write_plan(data, tmp_path / "plan.yaml", asker=answer)
    assert [one.about for one in asked] == ["purpose", "known"]
    text = plan.read_text("utf-8")
    assert "The release is for survey" in text
    assert "Please answer first" not in text
    assert Plan.read(plan).columns["v1"].role is Role.SENSITIVE


def test_many_quasi_identifiers_get_detail_from_group_to_group() -> None:
    names = [
        "age",
        "sex",
        "race",
        "city",
        "job",
        "language",
        "children",
        "education",
        "nationality",
    ]
    table = {n: [str((i * (p + 3)) % (5 + p)) for i in range(200)] for p, n in enumerate(names)}
    assert "search: mondrian, boxes: taxonomy" in propose(facts(table))
    del table["nationality"]
    assert "search: lattice" in propose(facts(table))


def test_a_rare_value_is_not_lost_because_it_means_missing_elsewhere() -> None:
    """Of a column with very many values the facts list frequent ones only."""
    ages = [str(20 + i % 50) if i % 9 else "-9" for i in range(3000)]
    changes = [str(i - 2000) for i in range(3000)]
    profile = facts({"age": ages, "change": changes})
    assert [m.columns for m in first_plan(profile).null_in_columns] == [("age",)]
    first = first_plan(profile, by_column=False)
    assert [mark.text for mark in first.null] == []
    (question,) = [one for one in first.questions if one.about == "missing"]
    assert "in 'change' it is a value" in question.why
    changes = [str(i) for i in range(3000)]
    assert [m.text for m in first_plan(facts({"age": ages, "change": changes})).null] == ["-9"]


def test_namibia_is_asked_about_where_na_means_missing_in_another_column() -> None:
    sex = [("m", "f", "NA")[i % 3] for i in range(200)]
    country = [("NA", "DE", "FR", "IT", "ZA")[i % 5] for i in range(200)]
    profile = facts({"sex": sex, "country": country})
    assert [m.columns for m in first_plan(profile).null_in_columns] == [("sex",)]
    first = first_plan(profile, by_column=False)
    assert [mark.text for mark in first.null] == []
    assert any("'NA'" in one.text for one in first.questions)


def test_a_minus_beside_a_plus_is_a_finding() -> None:
    found = [("+", "-", "++", "0")[i % 4] for i in range(200)]
    assert first_plan(facts({"age": [*AGES, *AGES][:200], "test": found})).null == ()


def test_a_key_that_nobody_calls_an_id_is_asked_about() -> None:
    """Rows of a person stand together; rows of a measurement do so only in sorted tables."""
    whose = [str(40_000 + 7 * ((i // 3) * 31 % 67)) for i in range(201)]
    table = {"xqz": whose, "mark": [str(4 + i * i % 7) for i in range(201)]}
    first = first_plan(facts({**table, "age": [*AGES, "31"]}))
    assert first.person == "xqz"
    assert any(one.about == "person" and "'xqz'" in one.text for one in first.questions)
    in_order = [str(40_000 + 7 * (i // 3 if i < 100 else i // 2)) for i in range(201)]
    assert first_plan(facts({**table, "xqz": in_order})).person is None
    mixed = [whose[i * 5 % 201] for i in range(201)]
    assert first_plan(facts({**table, "xqz": mixed})).person is None
    weeks = {**table, "week": whose}
    del weeks["xqz"]
    assert first_plan(facts(weeks)).person is None


def test_names_are_asked_about_where_only_their_shape_tells() -> None:
    given = ["Айгүл", "Нұрлан", "Ерлан", "Әсел", "Дәурен"]
    family = "Ахметов Сейітқали Оспанова Ибраева Ким"
    names = [f"{a} {b}" for a in given for b in family.split()]
    profile = facts({"v1": [*names, *names[:9]], "age": [str(20 + i) for i in range(34)]})
    first = first_plan(profile)
    assert first.roles["v1"].role is Role.IDENTIFIER
    asked = next(one for one in first.questions if one.about == "names")
    assert asked.columns == ("v1",)
    known = first_plan(profile, answers={"names": KNOWN})
    assert known.roles["v1"].role is Role.QUASI_IDENTIFIER


def test_a_number_within_which_names_differ_numbers_no_people() -> None:
    table = {
        "number": [str(i % 40) for i in range(200)],
        "last_name": [
            f"{'ABCDEFGHIJKLMNOPQRST'[i // 10]}olm{'abcdefghij'[i % 10]}" for i in range(200)
        ],
        "team": [f"t{i % 7}" for i in range(200)],
    }
    assert all(key.column != "number" for key in facts(table).keys)
    # A name that is misspelt now and then is no other name.
    visits = {
        "patient_id": [f"P{i // 4:03}" for i in range(200)],
        "last_name": [
            f"{'ABCDEFGHIJ'[i // 4 % 10]}olm{'x' * (i % 9 == 0)}{i // 40}" for i in range(200)
        ],
        "sex": ["mf"[i // 4 % 2] for i in range(200)],
    }
    assert first_plan(facts(visits)).person == "patient_id"


def test_a_person_column_that_somebody_names_gives_a_plan_that_can_be_published(
    tmp_path: Path,
) -> None:
    rows = zip(*VISITS.values(), strict=True)
    place = tmp_path / "visits.csv"
    place.write_text("\n".join(map(",".join, [tuple(VISITS), *rows])), "utf-8")
    plan = Plan.read(write_plan(str(place), to=tmp_path / "plan.yaml", person="patient_id"))
    assert (plan.person, plan.rows) == ("patient_id", 1)
    assert plan.columns["diagnosis"].within_person == "most-frequent"
    assert "`rows: at most 4`" in (tmp_path / "plan.yaml").read_text("utf-8")
    one = [line for i, line in enumerate(place.read_text("utf-8").splitlines()) if i % 4 == 1]
    place.write_text("\n".join([",".join(VISITS), *one]), "utf-8")
    alone = write_plan(str(place), to=tmp_path / "one.yaml", person="patient_id")
    assert "rows: one" not in alone.read_text("utf-8"), "nobody has several"
