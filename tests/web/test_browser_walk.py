"""From a CSV to a published release, its reports and a noisy answer, as a steward walks it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from browsing import Watched, watched
from webbing import served

from hedgerow.api.demo import write_hospital
from hedgerow.ledger import Ledger


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table and nothing else, as a steward has it."""
    write_hospital(tmp_path / "made", patients=1_500)
    (tmp_path / "work").mkdir()
    return (tmp_path / "made" / "patients.csv").rename(tmp_path / "work" / "patients.csv")


def hedgerow(*words: str, folder: Path) -> str:
    """What the command line says."""
    done = subprocess.run(
        [sys.executable, "-m", "hedgerow", *words], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def data_step(seen: Watched) -> None:
    """Roles, whose data these are, and what everybody may know of a column."""
    page = seen.page
    seen.heading("What is in the table, and what is it to an attacker?")
    seen.shot("data")
    with page.expect_navigation():  # the form sends itself
        page.get_by_label("Role of bill").select_option("sensitive")
    page.get_by_label("Whose data these are").fill("gotham-inpatients")
    page.get_by_role("button", name="Keep").click()
    seen.heading("What is in the table, and what is it to an attacker?")
    assert page.get_by_label("Whose data these are").input_value() == "gotham-inpatients"
    page.get_by_role("link", name="sex", exact=True).click()
    seen.heading("sex")
    page.get_by_label("Its values are").select_option("list")
    page.get_by_label("One on each line").fill("F\nM")
    page.locator("#public").get_by_role("button", name="Keep").click()
    seen.heading("sex")
    seen.shot("column")
    page.get_by_role("link", name="All columns").click()
    page.get_by_role("link", name="Next: who attacks?").click()


def adversaries_step(seen: Watched) -> None:
    """The promises that are proposed are kept."""
    page = seen.page
    seen.heading("Who attacks")
    seen.shot("adversaries")
    assert page.locator(".claims .claim").count() == 2
    page.get_by_role("link", name=re.compile("^Next")).click()


def explore_step(seen: Watched) -> None:
    """The best combination of levels goes into the plan."""
    page = seen.page
    page.locator("#lattice canvas").wait_for()
    page.get_by_role("button", name="Go to the best").click()
    use = page.get_by_role("button", name="Use this combination")
    use.wait_for()
    page.evaluate("() => scrollTo(0, 0)")
    seen.shot("explore")
    use.click()
    page.get_by_text("The plan publishes these levels:").wait_for()


def attack_step(seen: Watched) -> None:
    """A trial of the plan is attacked."""
    page = seen.page
    page.get_by_role("link", name="Next: attack it").click()
    seen.heading("What would attackers find?")
    page.get_by_role("button", name="Attack", exact=True).click()
    found = page.get_by_role("heading", name="What was found")
    found.wait_for()
    seen.drawn()
    found.evaluate("(element) => element.scrollIntoView()")
    seen.shot("attack")


def publish_step(seen: Watched) -> None:
    """With a ledger, published, and verified from outside."""
    page = seen.page
    page.get_by_role("link", name="Next: publish").click()
    seen.heading("Publish")
    page.get_by_role("button", name="Keep a ledger beside the plan").click()
    page.get_by_text("is remembered in").wait_for()
    page.get_by_role("button", name="Publish", exact=True).click()
    page.locator(".notice.good", has_text="Published").wait_for()
    seen.shot("publish")
    page.get_by_role("button", name="Verify it from outside").click()
    page.get_by_text("Nothing is refuted.").wait_for()


def query_step(seen: Watched) -> None:
    """What answers hide, a budget, a preview, an answer."""
    page = seen.page
    page.get_by_role("link", name="Next: noisy answers").click()
    seen.heading("Ask for a noisy answer")
    page.get_by_role("button", name="Write this into the plan").click()
    page.get_by_label("Budget", exact=True).fill("epsilon=1")
    page.get_by_role("button", name="Set it").click()
    page.get_by_text("0 of 1 spent, 1 left").wait_for()
    page.get_by_label("sex", exact=False).first.check()
    page.get_by_role("button", name="Preview, for nothing").click()
    seen.drawn()
    seen.shot("query", whole=True)
    page.get_by_role("button", name="Ask, and spend epsilon 0.1").click()
    seen.heading("how many people by sex")
    seen.drawn()
    seen.shot("answer")


@pytest.mark.slow
def test_from_a_table_to_a_release_and_an_answer(table: Path, tmp_path: Path, browser: Any) -> None:
    with served(tmp_path / "workspace", table) as link, watched(browser, link) as seen:
        data_step(seen)
        adversaries_step(seen)
        explore_step(seen)
        attack_step(seen)
        publish_step(seen)
        reports(seen)
        query_step(seen)
        seen.go("/publish")
        seen.page.get_by_role("button", name="Save to plan.yaml").click()
        seen.page.get_by_text("Saved. Your draft is kept").wait_for()
    release = table.parent / "release"
    assert {"certificate.json", "data.csv"} <= {path.name for path in release.iterdir()}
    with Ledger.open(table.parent / "ledger.db") as ledger:
        told = [(str(entry.kind), entry.body.get("kind")) for entry in ledger.entries()]
        assert ledger.verify().holds
    assert told == [
        ("RESERVE", "partition"), ("RELEASED", "partition"), ("BUDGET", None),
        ("RESERVE", "answer"), ("RELEASED", "answer"),
    ]  # fmt: skip
    again = ["publish", "plan.yaml", "--to", "again", "--ledger", str(tmp_path / "other.db")]
    hedgerow(*again, folder=table.parent)
    same = (release / "data.csv").read_bytes() == (table.parent / "again/data.csv").read_bytes()
    assert same, "the command line makes the identical release of the plan"
    asked = ["query", "plan.yaml", "--count", "--by", "sex", "--epsilon", "0.1", "--json"]
    assert json.loads(hedgerow(*asked, folder=table.parent))["again"], "the app's own answer"


def reports(seen: Watched) -> None:
    """Each opens in a page of its own, and discloses nothing by running anything."""
    for name, slug in (("Report for recipients", "external"), ("Internal report", "internal")):
        with seen.page.context.expect_page() as opened:
            seen.page.get_by_role("link", name=name).click()
        report = opened.value
        report.wait_for_load_state()
        assert report.locator("h1").count() == 1
        if os.environ.get("HEDGEROW_SCREENSHOTS"):
            report.screenshot(path=str(Path(os.environ["HEDGEROW_SCREENSHOTS"]) / f"{slug}.png"))
        report.close()
