"""The same walk by somebody who has no mouse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browsing import Keyboard, watched
from webbing import served

from hedgerow.api.demo import write_hospital
from hedgerow.ledger import Ledger

pytestmark = pytest.mark.slow


def test_the_walk_needs_no_mouse(tmp_path: Path, browser: Any) -> None:
    write_hospital(tmp_path / "work", patients=1_500)
    table = tmp_path / "work" / "patients.csv"
    (tmp_path / "work" / "plan.yaml").unlink()
    with served(tmp_path / "workspace", table) as link, watched(browser, link) as seen:
        keys, page = Keyboard(seen), seen.page

        seen.heading("What is in the table, and what is it to an attacker?")
        keys.to("Skip to the page")
        keys.press("Enter")
        keys.to("Role of bill", kind="select")
        keys.press("s")  # to "sensitive"; the form sends itself
        page.locator("select.sensitive, .role.sensitive").nth(1).wait_for()
        seen.heading("What is in the table, and what is it to an attacker?")
        keys.to("Whose data these are")
        keys.type("gotham-inpatients")
        keys.press("Enter")
        seen.heading("What is in the table, and what is it to an attacker?")
        keys.enter("Next: who attacks?")

        seen.heading("Who attacks")
        keys.enter("Next: what a release would look like")

        page.locator("#lattice canvas").wait_for()
        keys.to("The lattice of levels")
        keys.press("Home")
        said = page.locator("#said")
        page.wait_for_function(
            "() => /Proven optimal|Best so far/.test(document.querySelector('#said').textContent)"
        )
        best = said.inner_text()
        keys.press("ArrowUp")
        page.wait_for_function(
            "(best) => document.querySelector('#said').innerText !== best", arg=best
        )
        keys.press("Home")
        page.wait_for_function(
            "(best) => document.querySelector('#said').innerText === best", arg=best
        )
        page.get_by_role("button", name="Use this combination").wait_for()
        keys.enter("Use this combination", kind="button")
        page.get_by_text("The plan publishes these levels:").wait_for()
        keys.enter("Next: attack it")

        seen.heading("What would attackers find?")
        keys.enter("Attack", kind="button")
        page.get_by_role("heading", name="What was found").wait_for()
        keys.enter("Next: publish")

        seen.heading("Publish")
        keys.enter("Keep a ledger beside the plan")
        page.get_by_text("is remembered in").wait_for()
        page.reload()  # so that Tab begins at the top
        keys.enter("Publish", kind="button")
        page.locator(".notice.good", has_text="Published").wait_for()
        keys.enter("Next: noisy answers")

        seen.heading("Ask for a noisy answer")
        keys.enter("Write this into the plan")
        page.get_by_role("heading", name="Budget of gotham-inpatients").wait_for()
        keys.to("Budget", kind="input")
        keys.type("epsilon=1")
        keys.press("Enter")
        page.get_by_text("0 of 1 spent, 1 left").wait_for()
        keys.enter("Preview, for nothing")
        seen.drawn()
        assert page.evaluate("() => location.hash") == "#preview"
        keys.enter("Ask, and spend epsilon 0.1")
        seen.heading("how many people")
    assert (tmp_path / "work" / "release" / "data.csv").is_file()
    with Ledger.open(tmp_path / "work" / "ledger.db") as ledger:
        assert [entry.body["kind"] for entry in ledger.releases("gotham-inpatients")] == [
            "partition", "answer",
        ]  # fmt: skip
