"""The role of a column, by its name in several languages and by its values."""

from __future__ import annotations

import pytest
from guess_facts import AGES, AMOUNTS, FEW, LETTERS, facts, guessed

from hedgerow.plan.guesses.quasi_words import QUASI_TOPICS
from hedgerow.plan.guesses.role_guess import Confidence
from hedgerow.plan.guesses.sensitive_words import SENSITIVE_TOPICS
from hedgerow.plan.guesses.table_guess import MOST_QUASI, guess_roles
from hedgerow.plan.guesses.topics import folded_words
from hedgerow.plan.guesses.value_words import plain
from hedgerow.table.schema import Role

DIFFERENT = [f"k{i}q" for i in range(200)]


@pytest.mark.parametrize(
    "name",
    ["name", "Full Name", "id", "patientId", "patient_id", "SSN", "e-mail", "phone number",
     "MRN", "home_address", "birth_name", "Nachname", "Straße", "prénom", "apellidos",
     "codice_fiscale_id", "telefoonnummer", "PESEL", "endereço", "sukunimi", "Efternamn",
     "etternavn", "Vezetéknév", "Příjmení", "soyadı", "prenume", "Prezime", "Фамилия", "Телефон",
     "Επώνυμο", "氏名", "身份证号", "Vertragsnummer", "oppilasnro"],
)  # fmt: skip
def test_names_of_identifiers(name: str) -> None:
    assert guessed(name, DIFFERENT).role is Role.IDENTIFIER


@pytest.mark.parametrize(
    "name",
    ["zip", "ZipCode", "postcode", "age", "Age (years)", "birth date", "dateOfBirth", "dob", "yob",
     "sex", "sx", "gender", "nationality", "native-country", "country_id", "race",
     "marital-status", "occupation", "education", "age_at_diagnosis", "ageOFocc", "Geschlecht",
     "Geburtsjahr", "PLZ", "Wohnort", "Familienstand", "Beruf", "âge_années", "code_postal",
     "état_civil", "profession", "edad", "estado_civil", "código postal", "sesso", "età",
     "cittadinanza", "leeftijd", "woonplaats", "idade", "profissão", "wiek", "płeć", "zawód"],
)  # fmt: skip
def test_names_of_quasi_identifiers(name: str) -> None:
    assert guessed(name, LETTERS).role is Role.QUASI_IDENTIFIER


@pytest.mark.parametrize(
    "name",
    ["disease", "Diagnosis", "diagnosis_code", "hiv_status", "blood_glucose", "salary", "income",
     "inc86", "household_income", "smoker", "alcoholFreq", "gambling", "religion", "church",
     "sexual_orientation", "partyVote", "convictions", "arrests", "union_member", "exam_score",
     "Diagnose", "Einkommen", "Gehalt", "Raucher", "Konfession", "Vorstrafen", "Gewerkschaft",
     "maladie", "salaire", "fumeur", "syndicat", "enfermedad", "ingresos", "religión", "delito",
     "malattia", "reddito", "reato", "ziekte", "inkomen", "vakbond", "doença", "rendimento",
     "choroba", "dochód", "wyznanie"],
)  # fmt: skip
def test_names_of_sensitive_columns(name: str) -> None:
    assert guessed(name, LETTERS).role is Role.SENSITIVE


def test_names_are_read_as_words_not_as_letters() -> None:
    for name in ("page", "grid", "unnamed", "image", "usage", "paid_on_time_x"):
        words = folded_words(name)
        assert not any(topic.words(words) for topic in QUASI_TOPICS if topic.name == "age"), name
    assert "its name says" not in guessed("grid", LETTERS).because


def test_every_topic_is_found_by_its_own_words() -> None:
    for topic in (*QUASI_TOPICS, *SENSITIVE_TOPICS):
        for word in topic.listed.split():
            assert topic.words([word.replace("*", "x")]), (topic.name, word)
            assert word == word.lower(), (topic.name, word)
            assert folded_words(word.replace("*", "")) or word.strip("*") == "", word


@pytest.mark.parametrize(
    ("values", "role", "because"),
    [
        (["m", "f"] * 100, Role.QUASI_IDENTIFIER, "sexes"),
        (["1_male", "2_female"] * 100, Role.QUASI_IDENTIFIER, "sexes"),
        (["White", "Black", "Asian", "Other"] * 50, Role.QUASI_IDENTIFIER, "ethnic"),
        (["1. Never Married", "2. Married", "4. Divorced"] * 60, Role.QUASI_IDENTIFIER, "marital"),
        (["negative", "positive"] * 100, Role.SENSITIVE, "findings"),
        ([f"2020-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(200)],
         Role.QUASI_IDENTIFIER, "dates"),
        ([f"p{i}@example.org" for i in range(200)], Role.IDENTIFIER, "e-mail addresses"),
        (DIFFERENT, Role.IDENTIFIER, "all its values are different"),
        (list(range(1, 201)), Role.IDENTIFIER, "numbers the rows"),
        ([f"{(i * 7919) % 1000 / 8:.3f}" for i in range(200)], Role.SENSITIVE, "measurements"),
        (LETTERS, Role.QUASI_IDENTIFIER, "nothing says"),
        (["a"] * 200, Role.INSENSITIVE, "one value"),
    ],
)  # fmt: skip
def test_values_where_names_say_nothing(values: list[object], role: Role, because: str) -> None:
    found = guessed("v1", values)
    assert (found.role, because in found.because) == (role, True), found


def test_flags_about_contacts_are_no_contacts() -> None:
    """Whether a mail address is on the form names nobody."""
    assert guessed("email", FEW).role is not Role.IDENTIFIER
    assert guessed("phone", ["yes", "no"] * 100).role is not Role.IDENTIFIER


def test_counts_are_no_numbers_of_people() -> None:
    """`nr_visits` counts something, whatever `nr` means elsewhere."""
    assert guessed("nrAdverse", [str(i % 5) for i in range(200)]).role is Role.SENSITIVE
    assert guessed("no_xy", [str(i % 5) for i in range(200)]).role is not Role.IDENTIFIER


def test_names_of_people_that_repeat_are_dropped() -> None:
    names = ["Anna Meyer", "Ben Smith", "Clara Weber", "David Rossi"] * 50
    assert guessed("fake_first_name", [n.split()[0] for n in names]).role is Role.IDENTIFIER
    assert guessed("col_b", names).role is Role.IDENTIFIER


def test_a_column_that_follows_has_the_role_of_the_other() -> None:
    table = {"age": AGES, "v2": [str(int(a) ** 2) for a in AGES], "sex": ["m", "f"] * 100}
    roles = guess_roles(facts(table))
    assert roles["v2"].role is Role.QUASI_IDENTIFIER
    assert roles["v2"].follows == "age"
    assert "follows from 'age'" in roles["v2"].because


def test_a_battery_of_answers_is_no_heap_of_quasi_identifiers() -> None:
    """Nobody knows of a person what they answered to thirty questions."""
    answers = {
        f"q{letter}{i}": [str((i * j * j + j // 7) % 6) for j in range(200)]
        for letter in "ab"
        for i in range(1, 16)
    }
    roles = guess_roles(facts({"age": AGES, "sex": ["m", "f"] * 100, **answers}))
    quasi = [name for name, guess in roles.items() if guess.role is Role.QUASI_IDENTIFIER]
    assert quasi == ["age", "sex"]
    assert all(roles[name].confidence is Confidence.UNSURE for name in answers)
    few = guess_roles(facts({"age": AGES, "qa": answers["qa1"], "sex": ["m", "f"] * 100}))
    assert few["qa"].role is Role.QUASI_IDENTIFIER


def test_the_number_of_quasi_identifiers_is_bounded() -> None:
    names = ["age", "sex", "race", "city", "job", "language", "children", "education"]
    seen = ["height", "weight", "hair", "eyes", "car", "house", "sport", "club", "military"]
    table = {
        name: [str((i * (place + 3)) % (5 + place)) for i in range(200)]
        for place, name in enumerate((*names, *seen))
    }
    roles = guess_roles(facts(table))
    quasi = [name for name, guess in roles.items() if guess.role is Role.QUASI_IDENTIFIER]
    assert len(quasi) == MOST_QUASI
    assert set(names) <= set(quasi), "what anybody knows stays"


def test_what_identifies_is_never_insensitive() -> None:
    for name in ("x", "age", "status", "code", "note", "amount", "v_1"):
        for values in (DIFFERENT, AGES, AMOUNTS, FEW, LETTERS):
            assert guessed(name, values).role is not Role.INSENSITIVE, (name, values[:3])


def test_values_in_plain_form() -> None:
    assert [plain(v) for v in ("1. <=Good", "US:other", "É té", "NA_NA")] == [
        "good", "usother", "ete", "nana",
    ]  # fmt: skip


SURNAMES = ["Moyo", "Ncube", "Dube", "Sibanda", "Nkomo", "Ndlovu", "Mpofu", "Khumalo"]


def test_names_of_an_unknown_language_are_not_published_as_they_are() -> None:
    """A sensitive column is: so what may be names stays among what is made coarser."""
    names = [SURNAMES[i * i % 8] if i % 7 else SURNAMES[i % 8] for i in range(200)]
    unknown = {f"xq{c}": [str((i * (j + 1)) % 5) for i in range(200)] for j, c in enumerate("abcd")}
    roles = guess_roles(facts({"isibongo": names, "age": AGES, **unknown}))
    assert roles["isibongo"].role is Role.QUASI_IDENTIFIER
    assert all(roles[name].role is Role.SENSITIVE for name in unknown)
    many = {
        name: [str((i * (place + 3)) % (5 + place)) for i in range(200)]
        for place, name in enumerate(
            ("age", "sex", "race", "city", "job", "language", "children", "education", "height",
             "weight", "hair", "eyes", "car", "house", "sport", "club", "military")
        )
    }  # fmt: skip
    roles = guess_roles(facts({"isibongo": names, **many}))
    assert roles["isibongo"].role is Role.QUASI_IDENTIFIER


def test_years_are_no_measurements() -> None:
    guess = guessed("xyz", [str(1940 + (7 * i) % 61) for i in range(200)])
    assert guess.role is Role.QUASI_IDENTIFIER
    assert "years" in guess.because


GIVEN_AND_FAMILY = {
    "Georgian": ("გიორგი ნინო დავით მარიამ ლუკა", "ბერიძე კაპანაძე გელაშვილი მაისურაძე ლომიძე"),
    "Kazakh": ("Айгүл Нұрлан Ерлан Әсел Дәурен", "Ахметов Сейітқали Оспанова Жұмабаев Ибраева"),
    "Amharic": ("አበበ ከበደ ሙሉ ሰላም ሀና ዳዊት", "ታደሰ ገብሬ ወልዴ አለሙ ተስፋዬ"),
    "Swahili": ("Juma Baraka Zawadi Imani Neema", "Mwangi Otieno Kamau Wanjiru Odhiambo"),
    "Korean": ("민준 서연 도윤 하은 시우", "김 이 박 최 정"),
}


@pytest.mark.parametrize("language", GIVEN_AND_FAMILY)
def test_names_in_languages_without_a_list_have_a_shape(language: str) -> None:
    given, family = (part.split() for part in GIVEN_AND_FAMILY[language])
    names = [b + a if language == "Korean" else f"{a} {b}" for a in given for b in family]
    # Some people come twice, so the values are not all different.
    found = guessed("v3", [*names, *names[:9]])
    assert (found.role, found.confidence) == (Role.IDENTIFIER, Confidence.UNSURE)
    many = guessed("v3", names * 20)
    assert many.role is Role.QUASI_IDENTIFIER, "so many people have no names in common"


def test_other_words_with_capitals_have_no_shape_of_names() -> None:
    cities = ["New York", "Los Angeles", "San Diego", "San Jose", "Fort Worth", "El Paso",
              "Las Vegas", "Long Beach", "Kansas City", "New Orleans", "Saint Paul", "Lake Charles",
              "Jersey City", "Chula Vista", "Santa Ana", "Corpus Christi", "Baton Rouge",
              "Grand Rapids", "Sioux Falls", "Des Moines", "Little Rock"]  # fmt: skip
    jobs = [f"{a} {b}" for a in ("Senior", "Junior", "Lead", "Chief")
            for b in ("Engineer", "Nurse", "Analyst", "Doctor", "Clerk", "Manager")]  # fmt: skip
    for values in (cities, jobs):
        assert guessed("v3", [*values, *values[:5]]).role is Role.QUASI_IDENTIFIER
