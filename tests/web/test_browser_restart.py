"""What a restart, a crash and a cancelled publication leave behind."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from browsing import running, watched
from webbing import hospital

from hedgerow.api.demo import write_hospital
from hedgerow.ledger import Ledger

pytestmark = pytest.mark.slow

PEOPLE = "gotham-inpatients"


def left_over(folder: Path) -> list[str]:
    """What a publication that came to nothing might leave."""
    return [p.name for p in folder.iterdir() if p.name.startswith((".hedgerow", "release"))]


def test_nothing_is_lost_when_the_app_is_killed(tmp_path: Path, browser: Any) -> None:
    plan = hospital(tmp_path / "work")
    with running(tmp_path / "workspace", plan) as (app, link), watched(browser, link) as seen:
        page = seen.page
        seen.heading("What is in the table, and what is it to an attacker?")
        with page.expect_navigation():  # the form sends itself
            page.get_by_label("Role of sex").select_option("insensitive")
        seen.go("/publish")
        page.get_by_label("Folder of the release").fill("elsewhere")
        page.locator("form[action^='/publish/how']").get_by_role("button", name="Keep").click()
        seen.heading("Publish")
        seen.go("/attack")
        page.get_by_role("button", name="Attack", exact=True).click()
        page.get_by_role("heading", name="What was found").wait_for()
        found = page.locator(".sentence").first.inner_text()
        seen.go("/query?kind=count&epsilon=0.1")
        page.get_by_role("button", name="Ask, and spend epsilon 0.1").click()
        seen.heading("how many people")
        answer, place = page.locator("main td").all_inner_texts(), page.url
        seen.go("/publish")
        text = page.locator("#plan-text").inner_text()
        page.close()  # it may still be asking for a part of itself
        app.kill()
        app.wait()
    assert plan.read_text("utf-8") != text, "the plan itself changes only when it is saved"
    with running(tmp_path / "workspace", plan) as (_, link), watched(browser, link) as seen:
        page = seen.page
        seen.go("/publish")
        assert page.locator("#plan-text").inner_text() == text
        assert "sex: {role: insensitive" in re.sub(r" +", " ", text)
        assert page.get_by_label("Folder of the release").input_value() == "elsewhere"
        seen.go("/attack")
        assert page.locator(".sentence").first.inner_text() == found
        seen.go(place[place.index("/query/") :])
        assert page.locator("main td").all_inner_texts() == answer
        seen.go("/query")
        assert page.get_by_role("link", name="how many people").count() == 1
    with Ledger.open(plan.parent / "ledger.db") as ledger:
        assert [str(entry.kind) for entry in ledger.entries()] == ["BUDGET", "RESERVE", "RELEASED"]


@pytest.mark.parametrize("when", ["at once", "searching", "killed"])
def test_a_publication_that_is_stopped_leaves_no_release(
    when: str, tmp_path: Path, browser: Any
) -> None:
    plan = write_hospital(tmp_path / "work", patients=200_000)
    folder = plan.parent
    with running(tmp_path / "workspace", plan) as (app, link), watched(browser, link) as seen:
        page = seen.page
        seen.go("/publish")
        page.get_by_role("button", name="Publish", exact=True).click()
        cancel = page.get_by_role("button", name="Cancel")
        cancel.wait_for()
        if when != "at once":
            page.get_by_text("searching").wait_for()
        if when == "killed":
            page.close()  # it would go on asking how far it is
            app.kill()
            app.wait()
            _settled(folder)
        else:
            cancel.click()
            page.get_by_text("Publishing cancelled").wait_for()
    assert left_over(folder) == []
    with Ledger.open(folder / "ledger.db") as ledger:
        kinds = [str(entry.kind) for entry in ledger.entries(population=PEOPLE)]
        assert ledger.verify().holds
        assert ledger.releases(PEOPLE) == []
    assert kinds in ([], ["RESERVE", "FAILED"])
    assert kinds or when == "at once"
    with running(tmp_path / "workspace", plan) as (_, link), watched(browser, link) as seen:
        page = seen.page
        seen.go("/publish")
        page.get_by_text(re.compile("cancelled|closed before this was finished")).first.wait_for()
        page.get_by_role("button", name="Publish", exact=True).click()
        page.locator(".notice.good", has_text="Published").wait_for()
    assert (folder / "release" / "certificate.json").is_file()


def _settled(folder: Path) -> None:
    """Wait until the process of a job has seen that nobody listens any more."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with Ledger.open(folder / "ledger.db") as ledger:
            if not ledger.budget(PEOPLE).reserved_open:
                return
        time.sleep(0.2)
    raise AssertionError("the job goes on by itself")
