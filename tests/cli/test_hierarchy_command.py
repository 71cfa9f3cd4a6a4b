"""`hedgerow hierarchy` and `hedgerow import`, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plan.test_arx_project import project
from typer.testing import CliRunner

from hedgerow.cli import app
from hedgerow.plan.plan import Plan
from hedgerow.table.hierarchy_builders import FromCsv

ROWS = [("A09.1", "1"), ("A09", "1"), ("E11.9", "2"), ("e119", "2"), ("I10", "9"), ("", "1")] * 20


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "visits.csv"
    file.write_text("diagnosis,ward\n" + "".join(f"{a},{b}\n" for a, b in ROWS))
    return file


def run(*words: str | Path, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, (done.stdout, done.stderr, done.exception)
    return done.stdout + done.stderr


def test_it_lists_proposals_with_labels(table: Path) -> None:
    told = run("hierarchy", table, "--column", "diagnosis")
    assert "120 people, 5 different values, 20 missing" in told
    assert "{codes: icd-10}" in told
    assert "A09 -> ICD-10 A09 only -> ICD-10 A09" in told
    assert "(missing)" in told


@pytest.fixture
def german(tmp_path: Path) -> Path:
    """As a German spreadsheet writes it."""
    file = tmp_path / "fälle.csv"
    rows = [
        f"Müller;{1 + i % 28:02}.{1 + i % 12:02}.{1930 + i % 60};{i},{i % 10}" for i in range(90)
    ]
    file.write_bytes("\n".join(["Arzt;geboren;Kosten", *rows]).encode("cp1252"))
    return file


def test_a_file_is_read_as_look_and_init_read_it(german: Path, tmp_path: Path) -> None:
    (first, *_) = json.loads(run("hierarchy", german, "--column", "geboren", "--json"))["proposals"]
    assert first["hierarchy"] == {"dates": ["month", "quarter", "year", "decade"]}
    told = json.loads(run("hierarchy", german, "--column", "Kosten", "--json"))["proposals"]
    assert [one for one in told if "ranges" in one["hierarchy"]], "decimal commas are numbers"
    said = ("--read", "dates.geboren=mdy")
    assert "geboren" in run("hierarchy", german, "--column", "Kosten", *said, code=2)


def test_a_plan_says_which_table_and_how_it_is_read(german: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"source: {german.name}\nread: {{encoding: cp1252, dates: {{geboren: dmy}}}}\n"
        'null: ["1930-01-01"]\n'
        "columns: {Arzt: identifier, geboren: quasi-identifier, Kosten: sensitive}\n"
        "protect: [k-anonymity: 2]\n",
        "utf-8",
    )
    told = json.loads(run("hierarchy", plan, "--column", "geboren", "--json"))
    assert told["proposals"][0]["hierarchy"] == {"dates": ["month", "quarter", "year", "decade"]}
    assert told["missing"], "what the plan lists under `null` is missing"
    plan.write_text(plan.read_text("utf-8").partition("\n")[2], "utf-8")
    assert "names no source" in run("hierarchy", plan, "--column", "geboren", code=2)


def test_the_chosen_one_is_written_and_fits_again(table: Path, tmp_path: Path) -> None:
    to = tmp_path / "d.csv"
    told = json.loads(run("hierarchy", table, "--column", "diagnosis", "--to", to, "--json"))
    assert told["file"] == str(to)
    assert told["proposals"][0]["from"] == "public"
    values = ["A09.1", "A09", "E11.9", "e119", "I10", None]
    h = FromCsv(to).bind("diagnosis", values)
    assert h.labels[2][h.codes[2][h.place["e119"]]] == "ICD-10 E11"
    assert h.labels[h.height] == ("*",)
    assert "exists already" in run("hierarchy", table, "--column", "diagnosis", "--to", to, code=2)
    run("hierarchy", table, "--column", "diagnosis", "--to", to, "--replace", "--choose", "2")
    assert to.read_text().count("*") == 6
    assert to.read_text().count(";") == 6


def test_what_is_proposed_can_be_published(table: Path, tmp_path: Path) -> None:
    told = json.loads(run("hierarchy", table, "--column", "diagnosis", "--json"))
    for one in told["proposals"]:
        plan = Plan.of(
            columns={
                "diagnosis": {"role": "quasi-identifier", "hierarchy": one["hierarchy"]},
                "ward": "sensitive",
            },
            protect=[{"k-anonymity": 5}], source=table, one_row_per_person=True,
        )  # fmt: skip
        assert plan.from_data == (("diagnosis",) if one["from"] == "data" else ())


def test_a_code_book_adds_its_labels(table: Path, tmp_path: Path) -> None:
    book = tmp_path / "book.csv"
    book.write_text("variable,code,label\nward,1,Surgery east\nward,2,Surgery west\nward,9,Lab\n")
    told = run("hierarchy", table, "--column", "ward", "--code-book", book)
    assert "1 -> Surgery east -> Surgery .. -> *" in told
    book.write_text("variable,code,label\nward,1,Surgery east\nward,2,Surgery west\n")
    said = run("hierarchy", table, "--column", "ward", "--code-book", book, code=2)
    assert "does not have '9' of 'ward'" in said
    book.write_text(
        "<codeBook><var name='ward'><catgry><catValu>1</catValu></catgry><catgry><catValu>2"
        "</catValu></catgry><catgry missing='Y'><catValu>9</catValu></catgry></var></codeBook>"
    )
    said = run("hierarchy", table, "--column", "ward", "--code-book", book, code=2)
    assert "--null 9" in said
    run("hierarchy", table, "--column", "ward", "--code-book", book, "--null", "9")


def test_mistakes_are_said(table: Path) -> None:
    assert "Did you mean 'diagnosis'" in run("hierarchy", table, "--column", "diagnose", code=2)
    said = run("hierarchy", table, "--column", "ward", "--choose", "99", code=2)
    assert "there is no proposal 99" in said
    assert "cannot be read" in run("import", table.with_name("none.deid"), code=2)


def test_a_project_is_imported(tmp_path: Path) -> None:
    to = tmp_path / "plan.yaml"
    told = json.loads(run("import", project(tmp_path), "--to", to, "--json"))
    assert told["plan"] == str(to)
    assert "Not taken over" in run("import", project(tmp_path), "--to", to, "--replace")
    assert Plan.read(to).columns["age"].levels == (1, 2)


JOBS = {"nurse": "20", "clerk": "21", "judge": "90", "baker": "10", "cook": "11", "surgeon": "95"}


def test_values_that_are_similar_in_a_public_table(tmp_path: Path) -> None:
    census, data = tmp_path / "census.csv", tmp_path / "people.csv"
    census.write_text(
        "job;pay\n" + "".join(f"{j};{p},5\n" for j, p in JOBS.items()) * 9 + "?;1,5\n"
    )
    data.write_text("job,pay\n" + "".join(f"{job},1\n" for job in JOBS) * 9)
    said = ("--similar-in", census, "--of", "pay", "--null", "?")
    told = json.loads(run("hierarchy", data, "--column", "job", *said, "--json"))
    first = told["proposals"][0]
    assert first["from"] == "public"
    assert first["reason"] == "values whose people have a similar pay in census.csv"
    assert sorted(JOBS) == sorted(leaves(first["hierarchy"]["taxonomy"]))
    data.write_text(data.read_text() + "pilot,1\n")
    told = json.loads(run("hierarchy", data, "--column", "job", *said, "--json"))
    assert told["proposals"][0]["hierarchy"]["from"] == "data"


def leaves(tree: object) -> list[str]:
    if isinstance(tree, dict):
        return [leaf for below in tree.values() for leaf in leaves(below)]
    return [leaf for one in tree for leaf in leaves(one)] if isinstance(tree, list) else [str(tree)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--of", "ward"), "no budget pays for that yet"),
        (("--similar-in", "visits.csv", "--of", "ward"), "this is the data"),
        (("--similar-in", "census.csv", "--of", "pya"), "Did you mean 'pay'?"),
        (("--similar-in", "census.csv", "--of", "diagnosis"), "always similar to itself"),
        (("--similar-in", "census.csv", "--of", "pay"), "cannot be put together"),
    ],
)
def test_what_similarity_is_not_offered_for(
    table: Path, words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(table.parent)
    Path("census.csv").write_text("diagnosis,pay\nA09,1\nE11,2\n")
    said = run("hierarchy", "visits.csv", "--column", "diagnosis", *words, code=2)
    assert message in " ".join(said.split())
