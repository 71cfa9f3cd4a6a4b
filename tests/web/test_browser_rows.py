"""A steward whose table has several rows of a patient, from the upload to the release."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import Keyboard, Watched, watched
from webbing import served

pytestmark = pytest.mark.slow

HEADING = "What is in the table, and what is it to an attacker?"
ILLNESSES = ("flu", "Flu", "gout", "asthma", "diabetes")


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """200 patients, half of them with two visits at different ages."""
    lines = ["patient_id,sex,age,illness"]
    for i in range(200):
        who = f"P{1000 + i},{'FM'[i % 2]}"
        lines.append(f"{who},{30 + i % 20},{ILLNESSES[i % 5]}")
        if i % 2:
            lines.append(f"{who},{31 + i % 20},{ILLNESSES[i % 5]}")
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def upload(seen: Watched, table: Path) -> None:
    """The table comes through the browser."""
    page = seen.page
    page.locator("input[type=file]").first.set_input_files(str(table))
    page.get_by_role("button", name=re.compile("Upload|Open|Begin")).first.click()
    seen.heading(HEADING)


def test_a_table_with_several_rows_of_a_patient(visits: Path, tmp_path: Path, browser: Any) -> None:
    with served(tmp_path / "workspace") as link, watched(browser, link) as seen:
        page = seen.page
        upload(seen, visits)
        page.get_by_text("Whose rows are these?").wait_for()
        page.get_by_role("button", name="patient_id says whose row it is").click()
        rows = page.locator("#rows")
        rows.get_by_text("100 of them have more than one, at most 2.").wait_for()
        assert page.get_by_label("Role of illness").input_value() == "sensitive"
        seen.shot("rows", whole=True)
        assert not seen.accessible()

        # Nothing chosen yet, then all rows, then one: the form says what it lacks.
        rows.get_by_role("button", name="Keep this choice").click()
        rows.get_by_text("nothing says which rows of a person are published").wait_for()
        rows.get_by_label("All rows, without patient_id").check()
        assert not rows.get_by_label("Value of age to publish").is_visible()
        rows.get_by_label("Rows of a person, at most").fill("1")
        seen.shot("rows-all")
        rows.get_by_role("button", name="Keep this choice").click()
        rows.get_by_text("somebody has 2 rows, and at most 1 are allowed").wait_for()
        assert rows.get_by_label("Rows of a person, at most").input_value() == "1"

        # The rest without a mouse.
        keys = Keyboard(seen)
        seen.go("/data")
        seen.heading(HEADING)
        keys.to("One row per person", kind="radio")
        keys.press("Space")
        keys.to("Value of age to publish", kind="select")
        keys.press("l")
        keys.enter("Keep this choice", kind="button")
        rows.locator(".notice").wait_for(state="hidden")
        assert rows.get_by_label("One row per person").is_checked()
        assert rows.get_by_label("Value of age to publish").input_value() == "largest"
        seen.shot("rows-one")

        page.get_by_role("link", name="1 in several spellings").click()
        seen.heading("illness")
        spellings = page.locator("#spellings")
        spellings.get_by_label("Publish each value in one spelling").check()
        spellings.get_by_role("button", name="Keep").click()
        seen.heading("illness")
        assert spellings.get_by_label("Publish each value in one spelling").is_checked()
        page.get_by_text("Say in which order they stand").click()
        page.get_by_label("The order is").select_option("list")
        page.get_by_label("One value on each line").fill("flu\ngout")
        page.get_by_role("button", name="Keep this order").click()
        page.locator("#order").get_by_text("have no place in the list").wait_for()
        assert page.get_by_label("One value on each line").input_value() == "flu\ngout"
        seen.shot("values", whole=True)
        assert not seen.accessible()

        seen.go("/explore")
        page.locator("#lattice canvas").wait_for()
        page.get_by_role("button", name="Go to the best").click()
        page.get_by_role("button", name="Use this combination").click()
        page.get_by_text("The plan publishes these levels:").wait_for()
        seen.go("/publish")
        page.get_by_role("button", name="Publish", exact=True).click()
        page.locator(".notice.good", has_text="Published").wait_for()
        seen.shot("rows-published")
