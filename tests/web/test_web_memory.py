"""Adult with the plan that is guessed for it: millions of combinations, and no more memory."""

from __future__ import annotations

import csv
import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from browsing import running
from tables import ADULT, data_folder
from test_browser_memory import MOST, Watch

from hedgerow.plan.guess import write_plan

pytestmark = [pytest.mark.slow, pytest.mark.data]


def guessed(folder: Path) -> Path:
    """The raw table, and a plan in which almost every column is a quasi-identifier."""
    folder.mkdir()
    with (data_folder() / "adult" / "adult.data").open() as lines:
        rows = [row for row in csv.reader(lines, skipinitialspace=True) if row]
    with (folder / "adult.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([ADULT, *rows])
    plan = folder / "plan.yaml"
    write_plan(folder / "adult.csv", plan)
    said, replaced = re.subn(
        "^method: .*$",
        "method: {search: lattice, suppress: 5%, time: 20}",
        plan.read_text(),
        flags=re.MULTILINE,
    )
    assert replaced == 1
    plan.write_text(said)
    return plan


def test_a_guessed_plan_stays_under_a_gigabyte(tmp_path: Path) -> None:
    plan = guessed(tmp_path / "work")
    with running(tmp_path / "workspace", plan) as (app, link):
        address = link.partition("/?")[0]
        watch = Watch(app.pid)
        with watch, httpx.Client(base_url=address, timeout=60, follow_redirects=True) as client:
            client.headers["Origin"] = address
            client.get(link)
            assert "15 columns" in settled(client, "/data").text
            watch.stage = "explore"
            found = re.search("Some of ([0-9,]+) combinations", settled(client, "/explore").text)
            assert found is not None
            assert int(found[1].replace(",", "")) > 10**6
            watch.stage = "publish"
            client.post("/publish/start")
            assert "Measured on the file that was written" in settled(client, "/publish").text
    assert len(watch.most) == 3
    assert max(watch.most.values()) < MOST, watch.most


def settled(client: httpx.Client, path: str) -> Any:
    """The page when no job is running any more."""
    for _ in range(1_000):
        if "/cancel" not in (answer := client.get(path)).text:
            return answer
        time.sleep(0.3)
    raise AssertionError(f"the job of {path} does not end")
