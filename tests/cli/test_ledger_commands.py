"""`hedgerow ledger` as a steward meets it."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hedgerow.cli.ledger import ledger as app
from hedgerow.ledger import Amounts, Entry, Ledger
from hedgerow.release.certificate_text import as_text


def run(*command: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, list(command))
    assert done.exit_code == code, done.output
    assert "\x1b" not in done.stdout + done.stderr, "no colours where nobody sees them"
    assert "Traceback" not in done.output
    return done


def told(*command: str, code: int = 0) -> Any:
    done = run(*command, "--json", code=code)
    assert done.stdout.count("\n") == 1, "exactly one JSON object"
    return json.loads(done.stdout)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEDGEROW_LEDGER", "ledger.db")
    return tmp_path / "ledger.db"


@pytest.fixture
def release(path: Path) -> tuple[Entry, Entry]:
    """One release of a quarter, with its certificate in release/, and a budget."""
    with Ledger.open(path) as book:
        book.set_budget("gotham", Amounts.of(epsilon=1, delta="1e-6"))
        made = book.reserve("gotham", key="k", what={"n": 1}, spend=Amounts.of(epsilon="0.25"))
        tip = {"id": book.id, "seq": made.seq, "hash": made.hash, "reservation": made.reservation}
        certificate = {
            "ledger": tip, "population": "gotham", "data": {"file": "data.csv", "sha256": ""},
            "recoding": {"kind": "mondrian"}, "claims": [],
        }  # fmt: skip
        body = {"name": "first", "kind": "partition", "certificate": certificate}
        entry = book.released(made, body=body)
    (path.parent / "release").mkdir()
    (path.parent / "release" / "certificate.json").write_text(as_text(certificate), "utf-8")
    return made, entry


def test_a_budget_is_set_and_shown(path: Path) -> None:
    shown = run("budget", "gotham", "--set", "epsilon=3, delta=1e-6").stdout
    assert re.search(r"^gotham +0 +0 +epsilon +3 +0 +3 +\[\.{10}\] +0%$", shown, re.M)
    assert re.search(r"^ +delta +1e-6 +0 +1e-6 ", shown, re.M)
    assert max(map(len, shown.splitlines())) <= 80
    assert path.exists()
    assert told("budget") == {
        "populations": [
            {
                "population": "gotham",
                "budget": {"epsilon": "3", "delta": "1e-6", "rho": "0"},
                "spent": {"epsilon": "0", "delta": "0", "rho": "0"},
                "left": {"epsilon": "3", "delta": "1e-6", "rho": "0"},
                "releases": 0,
                "reserved_open": 0,
                "policies": [],
            }
        ]
    }
    assert run("budget", "gotham", "--set", "epsilon=2", "--quiet").stdout == ""
    assert told("budget", "gotham")["populations"][0]["budget"]["epsilon"] == "2"


def test_a_budget_that_is_used(release: Any) -> None:
    shown = run("budget", "gotham").stdout
    assert re.search(r"epsilon +1 +0\.25 +0\.75 +\[##\.{8}\] +25%$", shown, re.M)


def test_a_population_without_a_budget(path: Path) -> None:
    with Ledger.open(path) as book:
        book.reserve("gotham", key="k", what={})
    assert re.search(r"^gotham +0 +1 +no budget", run("budget").stdout, re.M)
    assert told("budget")["populations"][0]["budget"] is None


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["budget", "gothm"], "Did you mean 'gotham'?"),
        (["budget", "--set", "epsilon=1"], "whose budget"),
        (["budget", "gotham", "--set", "epsilon=-1"], "negative"),
        (["budget", "gotham", "--set", "epsilon=0"], "nothing"),
        (["budget", "gotham", "--set", "epsilon=nan"], "finite"),
        (["budget", "gotham", "--set", "epsilom=1"], "did you mean epsilon"),
        (["budget", " ", "--set", "epsilon=1"], "cannot be the name"),
        (["show", "99"], "no entry '99'"),
        (["show", "zzzz"], "no entry 'zzzz'"),
        (["list", "--ledger", "absent.db"], "there is no ledger here"),
        (["verify", "--release", "absent"], "cannot be read"),
        (["verify", "--release", "."], "cannot be read"),
        (["export", "--to", "release"], "exists already"),
        (["export", "--to", "absent/file"], "cannot write"),
    ],
)
def test_mistakes(release: Any, path: Path, command: list[str], says: str) -> None:
    before = path.read_bytes()
    assert says in run(*command, code=2).stderr
    error = told(*command, code=2)["error"]
    assert says in f"{error['what']} {error['fix']}"
    assert path.read_bytes() == before


def test_no_ledger_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEDGEROW_LEDGER")
    assert "HEDGEROW_LEDGER" in run("list", code=2).stderr
    assert not path.exists()


def test_only_a_budget_makes_a_ledger(path: Path) -> None:
    for command in (["list"], ["budget"], ["budget", "gotham"], ["verify"], ["export"]):
        run(*command, code=2)
        assert not path.exists()


def test_list(release: tuple[Entry, Entry], path: Path) -> None:
    made, entry = release
    with Ledger.open(path) as book:
        book.reserve("metropolis", key="k", what={})
    lines = run("list").stdout.splitlines()
    assert len(lines) == 5
    assert re.match(r" +1  .* gotham +budget +epsilon 1, delta 1e-6", lines[1])
    assert made.reservation[:8] in lines[2]
    assert "epsilon 0.25" in lines[2]
    assert max(map(len, lines)) <= 80
    assert len(told("list", "--population", "gotham")["entries"]) == 3
    newest = told("list", "--last", "1", "--population", "gotham")
    assert newest == {"entries": [json.loads(entry.line())], "more": True}
    assert "--last" in run("list", "--last", "1").stdout
    assert "no entries" in run("list", "--population", "nowhere").stdout


def test_a_policy_is_named(release: Any, path: Path) -> None:
    """A spend under a policy is no spend of differential privacy, and must not look like one."""
    for command in (["list"], ["budget"]):
        assert "policy" not in run(*command).stdout
    mine, other = "546dc1ea" + "0" * 56, "abcdef01" + "0" * 56
    with Ledger.open(path) as book:
        spend = Amounts.of(epsilon="0.5")
        made = book.reserve("gotham", key="p", what={"policy": mine}, spend=spend)
        book.released(made, body={"name": "second"})
        failed = book.reserve("gotham", key="q", what={"policy": other})
        book.failed(failed, why="no reason")
        book.reserve("metropolis", key="k", what={})
    shown = " ".join(run("list").stdout.split())
    assert "epsilon 0.5 under policy 546dc1ea" in shown
    assert shown.count("under policy") == 2
    shown = run("budget").stdout
    assert "gotham: what is spent is under policy 546dc1ea, which is no" in shown
    # What failed told nobody anything.
    assert shown.count("policy") == 1
    policies = {p["population"]: p["policies"] for p in told("budget")["populations"]}
    assert policies == {"gotham": [mine], "metropolis": []}


def test_show(release: tuple[Entry, Entry]) -> None:
    made, entry = release
    shown = run("show", "2").stdout
    assert shown.startswith("entry 2: reserve\n")
    for fact in (made.hash, made.previous, made.reservation, "epsilon 0.25", '"n": 1'):
        assert fact in shown
    both = told("show", made.reservation[:10])["entries"]
    assert both == [json.loads(made.line()), json.loads(entry.line())]


def test_show_of_an_ambiguous_beginning(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter(["abcd1" + "0" * 27, "abcd2" + "0" * 27])
    with Ledger.open(path) as book:
        monkeypatch.setattr("uuid.uuid4", lambda: type("", (), {"hex": next(names)}))
        for key in ("x", "y"):
            book.reserve("gotham", key=key, what={})
    assert "several reservations" in run("show", "abcd", code=2).stderr
    assert told("show", "abcd2")["entries"][0]["seq"] == 2


def test_verify(release: Any, path: Path) -> None:
    assert "only against a release" in run("verify").stdout
    done = run("verify", "--release", "release")
    assert "3 entries" in done.stdout
    assert "Nothing is missing" in done.stdout
    tip = {"seq": 3, "hash": release[1].hash}
    assert f"tip: 3 {release[1].hash}\n" in done.stdout
    assert told("verify", "--release", "release") | {"ledger": ""} == {
        "ledger": "", "tip": tip, "entries": 3, "releases": 1, "holds": True, "problems": [],
    }  # fmt: skip


def test_verify_finds_a_cut_off_end(release: Any, path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("DROP TRIGGER hedgerow_entries_no_delete")
        file.execute("DELETE FROM hedgerow_entries WHERE seq = 3")
    file.close()
    found = told("verify", "--release", "release", code=1)
    assert found["holds"] is False
    assert "release was published, and no entry of this ledger says so" in found["problems"]
    assert "the trigger" in run("verify", code=1).stdout
    assert run("verify", "-q", code=1).stdout == ""


@pytest.mark.parametrize(
    "certificate",
    ["{}", "[]", "null", "{", '{"ledger": null}', '{"ledger": {"id": 1}}',
     '{"ledger": {"id": "a", "seq": -1, "hash": "b", "reservation": "c"}}', "[" * 100_000],
)  # fmt: skip
def test_a_certificate_without_a_ledger(path: Path, certificate: str) -> None:
    Ledger.open(path).close()
    Path("certificate.json").write_text(certificate)
    assert "certificate" in run("verify", "--release", ".", code=2).stderr


def test_a_certificate_of_another_ledger(release: Any, path: Path) -> None:
    Ledger.open("other.db").close()
    found = told("verify", "--ledger", "other.db", "--release", "release", code=1)
    assert "release belongs to another ledger" in found["problems"][0]


def test_export(release: Any, path: Path) -> None:
    with Ledger.open(path) as book:
        lines = list(book.export())
    assert run("export").stdout.splitlines() == lines
    assert told("export") == {"entries": [json.loads(line) for line in lines]}
    assert told("export", "--to", "all.jsonl") == {"entries": 3, "to": "all.jsonl"}
    assert Path("all.jsonl").read_text("utf-8").splitlines() == lines
    Path("all.jsonl").write_text("mine")
    assert "exists already" in run("export", "--to", "all.jsonl", code=2).stderr
    assert Path("all.jsonl").read_text() == "mine"
    assert "3 entries" in run("export", "--to", "all.jsonl", "--replace").stdout
    assert Path("all.jsonl").read_text("utf-8").splitlines() == lines
    assert not list(path.parent.glob(".*"))


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize(
    "to", ["ledger.db", "./sub/../ledger.db", "soft.db", "hard.db", "ledger.db-wal",
           "ledger.db-shm", "ledger.db-journal", "wal"],
)  # fmt: skip
def test_an_export_does_not_take_the_place_of_the_ledger(
    release: Any, path: Path, to: str, replace: bool
) -> None:
    Path("sub").mkdir()
    Path("soft.db").symlink_to("ledger.db")
    Path("hard.db").hardlink_to("ledger.db")
    Path("wal").symlink_to("ledger.db-wal")
    with Ledger.open(path) as open_elsewhere:
        before = list(open_elsewhere.export())
        for ledger in ("ledger.db", "soft.db"):
            command = ["export", "--ledger", ledger, "--to", to, *["--replace"] * replace]
            assert "belongs to the ledger itself" in run(*command, code=2).stderr
            assert told(*command, code=2)["error"]["kind"] == "TargetError"
    assert run("export").stdout.splitlines() == before
    assert told("verify")["holds"] is True
    assert Path("soft.db").is_symlink()
    assert not list(path.parent.glob(".*"))


def test_an_export_beside_the_ledger(release: Any, path: Path) -> None:
    Path("ledger.db.jsonl").write_text("older")
    Path("circle").symlink_to("circle")
    assert told("export", "--to", "ledger.db.jsonl", "--replace")["entries"] == 3
    assert told("export", "--to", "circle", "--replace")["entries"] == 3


def test_text_cannot_steer_the_terminal(path: Path) -> None:
    with Ledger.open(path) as book:
        book.reserve("[red]gotham[/red]", key="k", what={"x": "\x1b[31m\u202e"})
    assert "[red]gotham[/red]" in run("list").stdout
    assert "\\u202e" in run("show", "1").stdout


def test_heavy_libraries_are_loaded_only_when_needed(path: Path) -> None:
    code = (
        "import sys, hedgerow.cli.ledger, hedgerow.ledger; "
        "heavy = {'sqlite3', 'psycopg', 'numpy', 'rich.table', 'pyarrow'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    code = (
        "import sys; from hedgerow.ledger import Ledger; Ledger.open('ledger.db').close(); "
        "print(sorted({'psycopg', 'numpy', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
