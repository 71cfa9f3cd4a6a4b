"""The attack step: the suite as a job, on a trial, on what is published, on what is uploaded."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from webbing import Visitor, hospital, visiting

import hedgerow
from hedgerow.api import keep_release
from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.gains import Gains
from hedgerow.attacks.person_belief import belief_about
from hedgerow.base.errors import HedgerowError
from hedgerow.cli import app
from hedgerow.ledger import Ledger
from hedgerow.web.attack_view import lines, outcome, restored


def words(answer: Any) -> str:
    """What a page says, without its markup."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.text)))


def run(visitor: Visitor, **said: Any) -> Any:
    answer = visitor.post("/attack/run", said)
    assert answer.status_code == 200, words(answer)
    last = visitor.web.jobs.last("attack")
    assert last is not None
    return visitor.web.jobs.wait(last.id)


def left_behind(visitor: Visitor) -> list[str]:
    draft = visitor.web.draft
    assert draft is not None
    return sorted(path.name for path in (draft.folder / "attack").iterdir())


def test_a_trial_is_attacked_like_the_release_it_would_be(visitor: Visitor, tmp_path: Path) -> None:
    """What the job finds is what the library finds on the published release."""
    with Ledger.open(tmp_path / "demo" / "ledger.db") as ledger:
        before = ledger.tip()
        job = run(visitor, target="trial")
        assert job.state == "done", job.errors
        assert ledger.tip() == before, "a trial is nothing to remember"
    assert not (tmp_path / "demo" / "release").exists()
    assert left_behind(visitor) == []
    release = hedgerow.publish(tmp_path / "demo" / "plan.yaml", to=tmp_path / "release")
    plan = tmp_path / "demo" / "plan.yaml"
    expected = hedgerow.attack([release.folder], plan=plan)
    expected += hedgerow.attack([release.folder], plan=plan, methods=["belief"])
    found = {(one["attack"], one["goal"]): one for one in job.result["attacks"]}
    assert len(found) == len(expected)
    for result in expected:
        one = found[result.attack, result.goal]
        assert one["found"]["rate"] == result.found.value
        assert one["baseline"]["rate"] == result.baseline.value
        # Further ones give examples; among equals these differ from run to run.
        assert one["sentences"][0] == result.sentences[0]
    page = words(visitor.get("/attack"))
    assert outcome(restored(job.result["attacks"])) in page
    assert str(tmp_path) not in json.dumps(job.result), "names of releases, not places"


def test_what_was_found_is_there_after_a_restart_and_may_be_stale(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo")
    with visiting(tmp_path / "workspace", plan) as visitor:
        assert "attacks were tried" not in words(visitor.get("/attack"))
        assert 'role="figure"' not in visitor.get("/attack").text
        run(visitor, target="trial")
    with visiting(tmp_path / "workspace", plan) as visitor:
        shown = words(visitor.get("/attack"))
        assert "12 attacks were tried." in shown
        assert "The plan has changed since" not in shown
        assert 'aria-label="What attackers find, next to guessing: ' in visitor.get("/attack").text
        draft = visitor.web.draft
        assert draft is not None
        draft.write(draft.text.replace("k-anonymity: 5", "k-anonymity: 6"))
        assert "The plan has changed since" in words(visitor.get("/attack"))


def test_another_release_goes_with_its_certificate(visitor: Visitor, tmp_path: Path) -> None:
    text = (tmp_path / "demo" / "plan.yaml").read_text("utf-8")
    other = tmp_path / "demo" / "other.yaml"
    other.write_text(
        text.replace("ledger: ledger.db", "").replace("k-anonymity: 5", "k-anonymity: 9")
    )
    hedgerow.publish(other, to=tmp_path / "county")
    files = [
        ("file", (name, (tmp_path / "county" / name).read_bytes()))
        for name in ("certificate.json", "data.csv")
    ]
    sent = visitor.post("/attack/other/upload", {"name": "County Hospital!"}, files=files)
    assert "county-hospital with its certificate" in words(sent)
    job = run(visitor, target="trial", other=["county-hospital"])
    assert job.state == "done", job.errors
    assert job.result["releases"] == ["trial", "county-hospital"]
    together = [one for one in job.result["attacks"] if one["attack"] == "intersection"]
    assert "all 2 releases" in together[0]["sentences"][0]
    visitor.post("/attack/other/remove", {"name": "county-hospital"})
    assert "county-hospital with" not in words(visitor.get("/attack"))
    assert visitor.post("/attack/run", {"target": "none", "other": ["gone"]}).status_code == 422


def test_a_table_of_another_tool_needs_no_certificate(visitor: Visitor, tmp_path: Path) -> None:
    raw = (tmp_path / "demo" / "patients.csv").read_text("utf-8").splitlines()
    without_names = "\n".join(line.partition(",")[2] for line in raw[:600])
    files = [("file", ("theirs.csv", without_names.encode()))]
    assert "theirs no certificate" in words(visitor.post("/attack/other/upload", files=files))
    job = run(visitor, target="none", other=["theirs"])
    assert job.state == "done", job.errors
    certain = next(
        one for one in job.result["attacks"]
        if one["attack"] == "homogeneity" and one["of"] == "diagnosis"
    )  # fmt: skip
    assert certain["found"]["rate"] > 0.9, "raw rows are groups of one"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([("data.csv", b"a\n1\n"), ("more.csv", b"a\n1\n")], "one file too many"),
        ([("certificate.json", b"{}")], "there is no data file among them"),
        ([("data.txt", b"a\n1\n")], "no file of a release"),
        ([("data.duckdb", b"x")], "not a kind of file the app takes"),
        ([("certificate.json", b"{}"), ("data.csv", b"a\n")], "is not the certificate"),
        ([("certificate.json", b"\xff"), ("data.csv", b"a\n")], "cannot be read"),
    ],
)
def test_what_is_no_release_is_refused_and_nothing_stays(
    files: list[tuple[str, bytes]], sentence: str, visitor: Visitor
) -> None:
    sent = visitor.post("/attack/other/upload", files=[("file", one) for one in files])
    assert sent.status_code == 422
    assert sentence in words(sent)
    draft = visitor.web.draft
    assert draft is not None
    assert list((draft.folder / "attack" / "others").iterdir()) == []


@pytest.mark.parametrize("name", ["../../x.csv", "a/b.csv", "..csv", ".hidden.csv", "x\x00.csv"])
def test_a_name_leads_nowhere(name: str, visitor: Visitor) -> None:
    sent = visitor.post("/attack/other/upload", files=[("file", (name, b"a\n1\n"))])
    assert sent.status_code == 422
    draft = visitor.web.draft
    assert draft is not None
    assert list((draft.folder / "attack" / "others").iterdir()) == []


def test_data_that_were_changed_are_no_longer_certified(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo", patients=300)
    hedgerow.publish(plan, to=tmp_path / "release")
    data = tmp_path / "release" / "data.csv"
    data.write_text(data.read_text("utf-8") + data.read_text("utf-8").splitlines()[-1] + "\n")
    files = [(name, tmp_path / "release" / name) for name in ("data.csv", "certificate.json")]
    with pytest.raises(HedgerowError, match="not those the certificate is about"):
        keep_release(files, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


@pytest.mark.slow
def test_a_register_is_for_linkage(visitor: Visitor, tmp_path: Path) -> None:
    raw = (tmp_path / "demo" / "patients.csv").read_bytes()
    visitor.post("/attack/people/register/upload", files=[("file", ("voters.csv", raw))])
    assert "voters.csv" in words(visitor.get("/attack"))
    job = run(visitor, target="trial")
    assert "linkage" in {one["attack"] for one in job.result["attacks"]}
    visitor.post("/attack/people/register/remove")
    assert "voters.csv" not in words(visitor.get("/attack"))
    assert visitor.post("/attack/people/nobody/remove").status_code == 422


def test_a_claim_about_the_ledger_has_no_trial(tmp_path: Path) -> None:
    hospital(tmp_path / "demo")
    with visiting(tmp_path / "workspace", tmp_path / "demo" / "planners.yaml") as visitor:
        assert "a claim is about what the ledger remembers" in words(visitor.get("/attack"))
        assert visitor.post("/attack/run", {"target": "trial"}).status_code == 422
        assert visitor.post("/attack/run", {"target": "published"}).status_code == 422


def test_a_cancelled_attack_leaves_nothing(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo", patients=20_000)
    with visiting(tmp_path / "workspace", plan) as visitor:
        visitor.post("/attack/run", {"target": "trial"})
        last = visitor.web.jobs.last("attack")
        assert last is not None
        visitor.post(f"/jobs/{last.id}/cancel")
        assert visitor.web.jobs.wait(last.id).state == "cancelled"
        assert left_behind(visitor) == []
        assert "cancelled" in words(visitor.get("/attack"))


@pytest.mark.slow
def test_an_attack_that_cannot_be_tried_is_said(visitor: Visitor) -> None:
    job = run(
        visitor,
        target="trial",
        method=["minimality", "sequential", "gdpr"],
        know_name="l",
        know_value="3",
    )
    assert job.state == "done", job.errors
    assert any(
        sentence.startswith("sequential was not tried") for sentence in job.result["skipped"]
    )
    tried = {one["attack"] for one in job.result["attacks"]}
    assert {"singling-out", "linkability", "inference"} <= tried
    assert visitor.post("/attack/run", {"target": "trial", "method": ["magic"]}).status_code == 422


def others(visitor: Visitor, name: str, header: str, lines: list[str]) -> Path:
    """Another release, uploaded; the same file for the command line."""
    content = "\n".join([header, *lines]) + "\n"
    assert visitor.web.draft is not None
    place = visitor.web.draft.base.parent / f"{name}.csv"
    place.write_text(content)
    visitor.post("/attack/other/upload", files=[("file", (f"{name}.csv", content.encode()))])
    return place


def command_line(*words: str) -> tuple[int, list[str]]:
    """How `hedgerow attack` ends, and its doubts."""
    done = CliRunner().invoke(app, ["attack", *words, "--json"])
    return done.exit_code, json.loads(done.stdout)["doubts"]


def test_labels_that_were_not_understood_are_said_and_nothing_passes(
    visitor: Visitor, tmp_path: Path
) -> None:
    """Where the command line exits with 2, no verdict of the page is green, and it says why."""
    plan = tmp_path / "demo" / "plan.yaml"
    rows = [line.split(",") for line in (tmp_path / "demo" / "patients.csv").read_text().split()]
    header, people = rows[0], rows[1:]
    at = {name: place for place, name in enumerate(header)}
    told = ("sex", "diagnosis", "bill")
    lines = [
        ",".join("Region 7" if n == "zip" else row[at[n]] if n in told else "*" for n in header[1:])
        for row in people
        if len(row) == len(header)
    ]
    theirs = others(visitor, "theirs", ",".join(header[1:]), lines)
    quasi = [word for n in header[1:5] for word in ("--quasi", n)]
    code, unsure = command_line(
        str(theirs), "--plan", str(plan), *quasi, "--sensitive", "diagnosis", "--of", "diagnosis"
    )
    assert code == 2
    assert any("Region 7" in why for why in unsure)
    job = run(visitor, target="none", other=["theirs"])
    assert job.state == "done", job.errors
    answer = visitor.get("/attack")
    shown = words(answer)
    assert "This does not show what an attacker finds:" in shown
    for why in unsure:
        attack, _, reason = why.partition(": ")
        assert f"{attack}: diagnosis: {reason.replace(str(theirs), 'theirs')}" in shown
    assert "They do not show what an attacker finds" in shown
    assert "None does better than guessing" not in shown
    doubtful = re.findall(r'scope="row">intersection[^<]*</th>.*?verdict (\w+)"', answer.text)
    assert set(doubtful) == {"unsure"}


@pytest.mark.slow
def test_releases_that_were_not_joined_are_said(visitor: Visitor, tmp_path: Path) -> None:
    """With a register they are joined and counted, and not subtracted; as on the command line."""
    plan = tmp_path / "demo" / "plan.yaml"
    hedgerow.publish(plan, to=tmp_path / "first")
    other = tmp_path / "demo" / "other.yaml"
    text = plan.read_text("utf-8").replace("ledger: ledger.db", "")
    other.write_text(text.replace("anonymity: 5", "anonymity: 9"))
    hedgerow.publish(other, to=tmp_path / "county")
    files = [
        ("file", (name, (tmp_path / "county" / name).read_bytes()))
        for name in ("certificate.json", "data.csv")
    ]
    visitor.post("/attack/other/upload", {"name": "county"}, files=files)
    register = tmp_path / "demo" / "patients.csv"
    visitor.post(
        "/attack/people/register/upload", files=[("file", ("list.csv", register.read_bytes()))]
    )
    both = [str(tmp_path / "first"), str(tmp_path / "county"), "--plan", str(plan)]
    asked = (*both, "--of", "diagnosis", "--register", str(register))
    code, unsure = command_line(*asked, "--method", "intersection")
    assert code == 2
    assert any(why.startswith("not tried: joining records on") for why in unsure)
    _, unsure = command_line(*asked)
    assert not any("joining" in why for why in unsure), "belief joins them"
    run(visitor, target="trial", other=["county"])
    shown = words(visitor.get("/attack"))
    assert "not tried: joining" not in shown
    assert "Records were joined on 'bill'" in shown


def test_a_result_that_shows_nothing_does_not_pass() -> None:
    nobody = Rate(successes=0, guesses=0)
    silent = AttackResult(attack="skewness", goal="", found=nobody, baseline=nobody)
    linkage = AttackResult(attack="linkage", goal="", found=nobody, baseline=nobody)
    one, two = lines(restored([one.summary() | {"of": "ill"} for one in (silent, linkage)]))
    assert (one.standing, one.verdict, one.doubts) == ("holds", "suspects nobody", ())
    assert (two.standing, two.verdict) == ("unsure", "shows nothing: see the doubts")
    assert two.doubts == ("nobody who was looked for fits into the releases",)
    assert "None does better" in outcome([silent])
    assert "None does better" not in outcome([silent], skipped=True)
    assert "None does better" not in outcome([silent, linkage])


def test_lines_say_in_words_what_colours_say() -> None:
    won = AttackResult(
        attack="linkage", goal="a name", found=Rate(successes=90, guesses=100),
        baseline=Rate(successes=1, guesses=100),
    )  # fmt: skip
    lost = AttackResult(
        attack="skewness", goal="a value", found=Rate(successes=2, guesses=100),
        baseline=Rate(successes=1, guesses=100),
    )  # fmt: skip
    told = lines([won, lost])
    assert [one.verdict for one in told] == ["better than guessing", "no better than guessing"]
    grew = replace(lost, gains=Gains(people=100, mean=0.07, worst=0.65, certain=0))
    assert lines([grew])[0].verdict == "nobody known for certain", "not: as good as guessing"
    assert told[0].gain == "89.9 %"
    assert "1 does better than guessing" in outcome([won, lost])
    assert "None does better" in outcome([lost])
    again = restored([won.summary() | {"of": "disease"}, won.summary() | {"of": "disease"}])
    assert [one.attack for one in again] == ["linkage: disease", "linkage: disease'"]
    assert again[0].found == won.found


def test_who_loses_most_is_listed_and_can_be_looked_at(visitor: Visitor, tmp_path: Path) -> None:
    """The list names people with what picks them; the page of one says what `--person` says."""
    job = run(visitor, target="trial")
    (attack,) = [a for a in job.result["attacks"] if a["attack"] == "belief"
                 and a["of"] == "diagnosis"]  # fmt: skip
    worst = attack["detail"]["losers"][0]
    shown = visitor.get("/attack")
    assert "Who loses most" in words(shown)
    assert worst["called"] in words(shown)
    asked = {
        "of": "diagnosis", "column": [*worst["person"]], "value": [*worst["person"].values()],
    }  # fmt: skip
    answer = visitor.post("/attack/person", asked)
    assert answer.status_code == 200, words(answer)
    counted = visitor.settled("/attack")
    (asked_job,) = visitor.web.jobs.all("person")
    assert asked_job.state == "done", asked_job.errors
    release = hedgerow.publish(tmp_path / "demo" / "plan.yaml", to=tmp_path / "release")
    expected = belief_about(
        [release.folder], worst["person"], plan=tmp_path / "demo" / "plan.yaml", of="diagnosis"
    )
    told = asked_job.result
    assert told["beliefs"] == json.loads(json.dumps(expected.summary()["beliefs"]))
    assert told["truth"] == worst["value"]
    mine = next(one for one in told["beliefs"] if one["value"] == worst["value"])
    assert max(mine["alone"], mine["listed"][0]) == pytest.approx(worst["together"])
    assert f"{expected.person}: diagnosis, which is {worst['value']}" in words(counted)
    assert f'aria-label="What is believed of {expected.person}' in counted.text
    assert left_behind(visitor) == []
    assert str(tmp_path) not in json.dumps(told), "names of releases, not places"


def test_nobody_is_meant(visitor: Visitor) -> None:
    before = visitor.post("/attack/person", {"of": "diagnosis", "column": "name", "value": "Al"})
    assert before.status_code == 422
    assert "nothing was attacked yet" in words(before)
    run(visitor, target="trial")
    empty = visitor.post("/attack/person", {"of": "diagnosis", "column": "name", "value": ""})
    assert empty.status_code == 422
    assert "nobody is meant" in words(empty)
    visitor.post("/attack/person", {"of": "diagnosis", "column": "name", "value": "Nobody At All"})
    assert "nobody on the list: name=Nobody At All" in words(visitor.settled("/attack"))
