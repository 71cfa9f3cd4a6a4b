"""Publishing from the app: the same bytes as the command line, progress, cancelling, reports."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from forked import run_forked
from webbing import Visitor, hospital, visiting

from hedgerow.web.jobs import Jobs
from hedgerow.web.workspace import Workspace


def without_ledger(plan: Path) -> Path:
    """A ledger numbers its entries, so two releases would differ in that."""
    plan.write_text(plan.read_text().replace("ledger: ledger.db", "#"))
    return plan


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """The demo hospital, published from the app."""
    folder = tmp_path_factory.mktemp("publish")
    plan = without_ledger(hospital(folder / "demo", patients=800))
    with visiting(folder / "workspace", plan) as visitor:
        visitor.post("/publish/how", {"search": "lattice", "suppress": "6", "to": "release/"})
        assert visitor.post("/publish/start").status_code == 200
        job = visitor.web.jobs.wait(visitor.web.jobs.last("publish").id)
        assert job.state == "done", job
        yield visitor


def test_the_command_line_makes_the_same_bytes(published: Visitor, tmp_path: Path) -> None:
    draft = published.web.draft
    saved = draft.base / "from_the_browser.yaml"
    saved.write_text(published.get("/plan.yaml").text)
    done = run_forked("publish", str(saved), "--to", str(tmp_path / "r"))
    assert done.returncode == 0, done.stderr
    names = sorted(p.name for p in (tmp_path / "r").iterdir())
    assert names == sorted(p.name for p in (draft.base / "release").iterdir())
    assert "data.csv" in names
    for name in names:
        assert (tmp_path / "r" / name).read_bytes() == (draft.base / "release" / name).read_bytes()


def test_the_page_shows_what_was_published(published: Visitor) -> None:
    text = published.get("/publish").text
    assert "Published" in text
    assert "5-anonymity" in text
    assert "suppress: &#34;6%&#34;" in text or 'suppress: "6%"' in text
    release = published.web.draft.base / "release"
    served = published.get("/publish/files/data.csv")
    assert served.content == (release / "data.csv").read_bytes()
    assert served.headers["content-disposition"].startswith("attachment")
    assert published.get("/publish/files/certificate.json").json()["claims"]


def test_reports_are_shown_but_cannot_run_anything(published: Visitor) -> None:
    for path in ("/publish/files/report.html", "/publish/internal.html"):
        answer = published.get(path)
        assert answer.status_code == 200, path
        assert "text/html" in answer.headers["content-type"]
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("sandbox;")
        assert "allow-" not in policy
        assert "script-src" not in policy
        assert "default-src 'none'" in policy


@pytest.mark.parametrize(
    "name", ["..%2Fplan.yaml", "%2E%2E", "..%2F..%2Fdemo%2Fpatients.csv", "%2Fetc%2Fpasswd", ".x"]
)
def test_nothing_beside_the_release_is_served(published: Visitor, name: str) -> None:
    answer = published.get(f"/publish/files/{name}")
    assert answer.status_code in (404, 422)
    assert "patients" not in answer.text.partition("<main")[2]


def test_a_link_in_the_release_is_not_followed(published: Visitor) -> None:
    link = published.web.draft.base / "release" / "linked.csv"
    link.symlink_to("/etc/passwd")
    try:
        assert published.get("/publish/files/linked.csv").status_code == 422
        assert "linked.csv" not in published.get("/publish").text
    finally:
        link.unlink()


def test_verify_from_outside(published: Visitor) -> None:
    published.post("/publish/verify")
    job = published.web.jobs.wait(published.web.jobs.last("verify").id)
    assert job.state == "done", job
    assert "Nothing is refuted" in published.get("/publish").text


def test_publishing_again_needs_a_word(published: Visitor) -> None:
    """The error is that of the command line."""
    published.post("/publish/start")
    job = published.web.jobs.wait(published.web.jobs.last("publish").id)
    assert job.state == "failed"
    assert "exists already" in job.errors[0]["what"] or "there is" in job.errors[0]["what"]
    text = published.get("/publish").text
    assert "replace the release that is there" in text


def test_a_job_can_be_cancelled_and_nothing_is_published(tmp_path: Path) -> None:
    plan = without_ledger(hospital(tmp_path / "demo", patients=20_000))
    with visiting(tmp_path / "w", plan) as visitor:
        visitor.post("/publish/start")
        job = visitor.web.jobs.last("publish")
        assert "Publishing" in visitor.get("/publish").text
        answer = visitor.get(f"/jobs/{job.id}", headers={"HX-Request": "true"})
        assert "Cancel" in answer.text
        visitor.post(f"/jobs/{job.id}/cancel")
        job = visitor.web.jobs.wait(job.id, seconds=30)
        assert job.state == "cancelled", job
        assert not (tmp_path / "demo" / "release").exists()
        over = visitor.get(f"/jobs/{job.id}", headers={"HX-Request": "true"})
        assert over.headers["hx-redirect"] == "/publish"
        assert "cancelled" in visitor.get("/publish").text
    assert Jobs(Workspace(tmp_path / "w").begin(plan).folder / "jobs").last("publish") == job


def test_a_long_search_ends_with_the_best_so_far(tmp_path: Path) -> None:
    """Of a lattice of four million nodes; the plan would give it ten minutes."""
    random = np.random.default_rng(3)
    names = [f"q{j}" for j in range(11)]
    rows = [",".join(map(str, row)) for row in random.integers(0, 8, (300, 11))]
    (tmp_path / "people.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    ranges = "{role: quasi-identifier, hierarchy: {ranges: [2, 4]}}"
    columns = "\n".join(f"  {name}: {ranges}" for name in names)
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"source: people.csv\ncolumns:\n{columns}\nprotect:\n  - k-anonymity: 3\n"
        "method: {suppress: 10%, time: 600}\npublish: {to: release}\n"
    )
    with visiting(tmp_path / "w", plan) as visitor:
        visitor.post("/publish/start")
        name = visitor.web.jobs.last("publish").id
        while (job := visitor.web.jobs.get(name)).running and "gap" not in job.said:
            time.sleep(0.02)
        assert job.ends, job
        assert " s left" in job.said
        page = visitor.get(f"/jobs/{name}", headers={"HX-Request": "true"}).text
        assert "Publish the best so far" in page
        visitor.post(f"/jobs/{name}/end")
        job = visitor.web.jobs.wait(name)
        assert job.state == "done", job
        certificate = json.loads((tmp_path / "release" / "certificate.json").read_text())
        assert not certificate["search"]["optimal"]
        assert visitor.post(f"/jobs/{name}/end").status_code == 200, "too late, and no harm"


def test_a_wrong_plan_is_kept_told_and_not_published(visitor: Visitor) -> None:
    text = visitor.web.draft.text.replace("k-anonymity: 5", "k-anonimity: 5")
    visitor.post("/publish/plan", {"text": text})
    page = visitor.get("/publish").text
    assert "k-anonimity" in page
    assert "plan.yaml:31" in page, "with its line"
    assert visitor.post("/publish/start").status_code == 422
    assert visitor.web.jobs.last("publish") is None
    assert visitor.web.draft.text == text


def test_saving_is_an_act_of_its_own(visitor: Visitor) -> None:
    plan = visitor.web.draft.base / "plan.yaml"
    before = plan.read_text()
    visitor.post("/publish/how", {"suppress": "2", "to": "release/"})
    assert plan.read_text() == before
    visitor.post("/publish/save")
    assert plan.read_text() == before.replace("suppress: 5%", 'suppress: "2%"')


def test_the_ledger_is_shown_and_its_budget_set(visitor: Visitor) -> None:
    page = visitor.get("/publish").text
    assert "gotham-inpatients" in page
    assert "epsilon: 0 of 1 spent" in page
    visitor.post("/publish/budget", {"budget": "epsilon=2"})
    assert "epsilon: 0 of 2 spent" in visitor.get("/publish").text
    wrong = visitor.post("/publish/budget", {"budget": "epsilon=lots"})
    assert wrong.status_code == 422


def test_a_ledger_is_added_beside_the_plan(tmp_path: Path) -> None:
    table = hospital(tmp_path / "demo", patients=100).with_name("patients.csv")
    with visiting(tmp_path / "w", table) as visitor:
        assert "No ledger is named" in visitor.get("/publish").text
        assert visitor.post("/publish/ledger", {"population": " "}).status_code == 422
        visitor.post("/publish/ledger", {"population": "gotham"})
        plan = visitor.web.draft.plan()
        assert (plan.population, plan.ledger) == ("gotham", str(table.with_name("ledger.db")))


def test_a_process_that_dies_leaves_a_sentence(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path)
    job = jobs.process("hedgerow.base.errors:missing", {}, kind="x", title="X", back="/")
    job = jobs.wait(job.id)
    assert job.state == "failed"
    assert "ended without a result" in job.errors[0]["what"]


def test_a_thread_is_cancelled_at_its_next_report_and_only_one_runs(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path)

    def work(progress: object) -> dict[str, object]:
        assert callable(progress)
        for _ in range(1000):
            progress("working", 0.5)
            time.sleep(0.01)
        return {}

    job = jobs.thread(work, kind="count", title="Counting", back="/")
    with pytest.raises(Exception, match="being done already"):
        jobs.thread(work, kind="count", title="Counting", back="/")
    jobs.cancel(job.id)
    assert jobs.wait(job.id).state == "cancelled"


def test_a_job_cut_short_by_a_crash_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "abc.json").write_text(
        '{"id": "abc", "kind": "publish", "title": "P", "back": "/publish", "state": "running", '
        '"begun": 5.0}'
    )
    job = Jobs(tmp_path).get("abc")
    assert job.state == "failed"
    assert "closed before" in job.errors[0]["what"]
    assert "may have been published" in job.errors[0]["fix"]
    assert [path.name for path in tmp_path.iterdir()] == ["abc.json"]
