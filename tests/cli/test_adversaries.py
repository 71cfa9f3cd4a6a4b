"""Epsilon-privacy on the command line: what works, and every bad input told with its place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hedgerow.cli import app

PLAN = """\
source: data.csv
columns:
  id: identifier
  guard: identifier
  age: {role: quasi-identifier, hierarchy: {ranges: [10, 20]}}
  sex: quasi-identifier
  disease: {role: sensitive, hierarchy: {taxonomy: {x: [a, b], y: [c, d]}}}
protect:
  - k-anonymity: 2
  - epsilon-privacy:
      epsilon: 3
      adversary: {class: I, prior: prior.csv}
publish: {to: release}
"""
DATA = "id,guard,age,sex,disease\n" + "".join(
    f"n{i},,{20 + i % 17},{'FM'[i % 2]},{'abc'[i % 3]}\n" for i in range(60)
)
PRIOR = "disease,count\na,50\nb,40\nc,60\nd,5\n"
KNOWN = "id\nn1\nn7\n"
FILES = {"data.csv": DATA, "prior.csv": PRIOR, "plan.yaml": PLAN}
CLASS_I = "{class: I, prior: prior.csv}"
LISTED = "{class: I, prior: prior.csv, knows: {file: known.csv, by: id}}"


def plan(new: str, old: str = CLASS_I, more: str = "") -> str:
    assert PLAN.count(old) == 1
    return PLAN.replace(old, new).replace("publish:", f"{more}publish:")


def refused(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: Mapping[str, str | bytes],
    *says: str,
    command: tuple[str, ...] = ("publish", "plan.yaml"),
    code: int = 2,
) -> None:
    """Run it for people and for programs; look at all it says and all it leaves behind."""
    monkeypatch.chdir(folder)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    done = CliRunner().invoke(app, list(command))
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == code
    for words in says:
        assert words in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    again = CliRunner().invoke(app, [*command, "--json"])
    assert again.exit_code == code
    told = json.loads(again.stdout)
    assert set(told) == {"error"}
    assert set(told["error"]) >= {"kind", "what", "where", "fix"}
    after = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert after == before
    assert {entry.name for entry in folder.iterdir()} == {Path(name).parts[0] for name in files}


PRIOR_FILES: dict[str, tuple[str | bytes | None, str]] = {
    "no such file": (None, "prior.csv: there is no such file"),
    "empty": ("", "prior.csv: the file is empty"),
    "header only": ("disease,count\n", "prior.csv: has no rows"),
    "another column": ("diseases,count\na,1\n", "prior.csv: there is no column 'disease'\n  Did you"
                       " mean 'diseases'?"),
    "a negative count": ("disease,count\na,-1\n", "prior.csv: 'count' of 'a' is '-1', not a whole"),
    "a broken count": ("disease,count\na,1.5\n", "'count' of 'a' is '1.5', not a whole number"),
    "a huge count": ("disease,count\na," + "9" * 5000 + "\n", "not a whole number of people"),
    "no count": ("disease,count\na,\n", "'count' of 'a' is None, not a whole number"),
    "counts that do not say so": ("disease,n\na,5\nb,6\n", "prior.csv: 'n' looks like the number"),
    "another spelling": ("disease,count\nA,5\nb,6\nc,6\n", "plan.yaml:10: the prior spells values "
                         "otherwise than the table: 'a' and 'A'"),
    "another table": ("disease,count\nx,5\ny,6\n", "plan.yaml:10: the prior has no value in "),
    "not UTF-8": (b"disease,count\n\xe9,5\n", "prior.csv, line 2: this is not UTF-8"),
    "an open quote": ('disease,count\n"a,5\n', "prior.csv, line 2: a quote is opened and never"),
    "not a table": (b"\x00\x01\x02PAR1", "prior.csv"),
}  # fmt: skip


@pytest.mark.parametrize("case", PRIOR_FILES)
def test_priors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    prior, says = PRIOR_FILES[case]
    files = {name: content for name, content in FILES.items() if name != "prior.csv"}
    if prior is not None:
        files |= {"prior.csv": prior}  # type: ignore[dict-item]
    refused(tmp_path, monkeypatch, files, says)


KNOWN_FILES: dict[str, tuple[str | None, str]] = {
    "no such file": (None, "known.csv: there is no such file"),
    "header only": ("id\n", "known.csv: lists nobody"),
    "another column": ("idd\nn1\n", "known.csv: there is no column 'id'\n  Did you mean 'idd'?"),
    "nobody in a line": ("id,x\nn1,1\n,2\n", "known.csv: has no value in 'id' for some people"),
    "strangers": ("id\nn1\nn60\nN2\n", "data.csv: 2 of the 3 people on the list are not in the "
                  "table's column 'id': 'N2' and 'n60'"),
}  # fmt: skip


@pytest.mark.parametrize("case", KNOWN_FILES)
def test_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    known, says = KNOWN_FILES[case]
    files = FILES | {"plan.yaml": plan(LISTED)}
    if known is not None:
        files |= {"known.csv": known}
    refused(tmp_path, monkeypatch, files, says)


def test_a_list_by_a_column_that_does_not_tell_people_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = FILES | {
        "plan.yaml": plan(LISTED, more="one_row_per_person: true\n"),
        "data.csv": DATA.replace("n8,", "n7,"), "known.csv": KNOWN,
    }  # fmt: skip
    refused(tmp_path, monkeypatch, files, "data.csv: 'id' does not tell people apart: 'n7'")


PLANS: dict[str, tuple[str, int, str]] = {
    "no such class": (plan("{class: V, prior: prior.csv}"), 2,
                      "plan.yaml:12: 'class' cannot be 'V'"),
    "no prior": (plan("{class: I}"), 2, "plan.yaml:12: class I needs a prior"),
    "nothing about stubbornness": (plan("{class: I, prior: table}"), 2,
                                   "plan.yaml:10: the prior of the table's own shape does not say"),
    "too little stubbornness": (plan("{class: II, stubbornness: 2}"), 2,
                                "plan.yaml:10: nobody has a stubbornness of 2"),
    "infinite stubbornness": (plan("{class: II, stubbornness: infinite}"), 2,
                              "plan.yaml:12: any prior with infinite stubbornness is class IV"),
    "a shape that lacks a value": (plan("{class: III, prior: {shape: {a: 1, b: 2}}}"), 2,
                                   "plan.yaml:10: the prior gives no chance to 'c'"),
    "a count that is none": (plan("{class: I, prior: {counts: {a: many}}}"), 2,
                             "plan.yaml:12: 'a' needs a whole number of people, not 'many'"),
    "epsilon below 1": (plan("epsilon: 0.5", "epsilon: 3"), 2,
                        "plan.yaml:11: 'epsilon' needs a number of at least 1, not 0.5"),
    "an unknown predicate": (plan(CLASS_I + "\n      predicates: [z]"), 2,
                             "plan.yaml:10: 'z' is no value of 'disease' in the table"),
    "a predicate of everybody": (plan(CLASS_I + "\n      predicates: [[x, c]]"), 2,
                                 "plan.yaml:10: 'x or c' is true of everybody"),
    "the opposite of nobody": (plan(CLASS_I + "\n      predicates: [d]\n      negative: true"), 2,
                               "plan.yaml:10: nobody in the table has 'd'"),
    "wishes from a published column": (plan(CLASS_I + "\n      wishes: sex"), 2,
                                       "plan.yaml:13: 'sex' says what people want protected"),
    "wishes that are none": (plan(CLASS_I + "\n      wishes: id"), 2,
                             "plan.yaml:10: 'n0' is no value of 'disease'"),
    "no such column of wishes": (plan(CLASS_I + "\n      wishes: gaurd"), 2,
                                 "plan.yaml:13: there is no column 'gaurd'\n  Did you mean"),
    "a list by a published column": (plan(LISTED.replace("by: id", "by: sex")), 2,
                                     "plan.yaml:12: 'sex' tells people apart, so it must not"),
    "a list beside another person": (plan(LISTED, more="person: guard\n"), 2,
                                     "plan.yaml:12: people are told apart by 'guard'"),
    "class IV": (plan("{class: IV}"), 1, "no generalisation is private against class IV"),
    "more than can be kept": (plan("epsilon: 1.001", "epsilon: 3"), 1,
                              "no generalisation keeps every claim"),
    "more known than people": (plan("{class: II, stubbornness: 9, knows: 60}"), 1,
                               "no generalisation keeps every claim"),
}  # fmt: skip


@pytest.mark.parametrize("case", PLANS)
def test_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    text, code, says = PLANS[case]
    refused(tmp_path, monkeypatch, FILES | {"plan.yaml": text}, says, code=code)


def test_people_with_several_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = DATA + "n59,,28,M,b\n"
    files = FILES | {"plan.yaml": plan(CLASS_I, more="person: id\nrows: one\n"), "data.csv": data}
    refused(tmp_path, monkeypatch, files, "1 person has rows with different values of ")


def test_class_iv_on_an_earlier_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    assert CliRunner().invoke(app, ["publish", "plan.yaml", "--to", "old"]).exit_code == 0
    (tmp_path / "plan.yaml").write_text(plan("{class: IV}", more="method: {suppress: 100%}\n"))
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--recoding", "old"])
    assert done.exit_code == 1
    assert "no generalisation is private against class IV" in done.stderr
    assert not (tmp_path / "release").exists()


# What works


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def test_publish(folder: Path) -> None:
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--json"])
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    _, claim = told["claims"]
    assert claim["holds"]
    assert 1 <= claim["level"] <= claim["required"] == 3
    certificate = json.loads((folder / "release/certificate.json").read_text())
    _, claim = certificate["claims"]
    assert claim["adversary"] == "a class I attacker (prior from counts of 155 people)"
    assert claim["predicates"] == "each value"
    assert claim["decided"] == "by p_in and p_out themselves"
    assert claim["claim"] == f"3-privacy of disease against {claim['adversary']}"
    text = CliRunner().invoke(app, ["publish", "plan.yaml", "--replace"])
    assert text.exit_code == 0
    assert "3-privacy of disease against a class I" in " ".join(text.stdout.split())


def test_check_says_whether_it_holds(folder: Path) -> None:
    done = CliRunner().invoke(app, ["check", "plan.yaml", "--json"])
    assert done.exit_code == 1
    claims = json.loads(done.stdout)["claims"]
    assert [claim["holds"] for claim in claims] == [False, False]
    data = "".join(
        f"{','.join(line.split(',')[:2])},20,F,{line.split(',')[4]}\n"
        for line in DATA.splitlines()[1:]
    )
    (folder / "data.csv").write_text(DATA.splitlines()[0] + "\n" + data)
    done = CliRunner().invoke(app, ["check", "plan.yaml", "--json"])
    assert done.exit_code == 0
    claims = json.loads(done.stdout)["claims"]
    assert [claim["holds"] for claim in claims] == [True, True]
    # 20 of 60 have each of a, b, c; of 155 people counted elsewhere 50 had a, 40 b, 60 c, 5 d.
    p_in, p_out = 20 / 60, (19 + 41) / (59 + 159)
    wanted = max(p_in / p_out, *((1 - (19 + c) / 218) / (1 - p_in) for c in (51, 41, 61)))
    assert claims[1]["level"] == pytest.approx(wanted)
    assert sorted(entry.name for entry in folder.iterdir()) == sorted(FILES)


def test_check_against_class_iv(folder: Path) -> None:
    (folder / "plan.yaml").write_text(plan("{class: IV}"))
    done = CliRunner().invoke(app, ["check", "plan.yaml", "--json"])
    assert done.exit_code == 1
    claim = json.loads(done.stdout)["claims"][1]
    assert (claim["holds"], claim["level"]) == (False, None)


def test_publish_with_a_list_and_wishes(folder: Path) -> None:
    (folder / "known.csv").write_text(KNOWN)
    data = "".join(
        line if i == 0 else line.replace(",,", ",x," if i % 4 else ",c,", 1)
        for i, line in enumerate(DATA.splitlines(keepends=True))
    )
    (folder / "data.csv").write_text(data)
    (folder / "plan.yaml").write_text(plan(LISTED + "\n      wishes: guard"))
    done = CliRunner().invoke(app, ["publish", "plan.yaml"])
    assert done.exit_code == 0, done.stderr
    said = "".join(file.read_text() for file in (folder / "release").iterdir())
    assert "n7" not in said
    assert "known.csv" not in said
    assert "2 people on a list" in said
