"""Adult with the plan that is guessed for it: millions of combinations, and no more memory."""

from __future__ import annotations

import csv
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
    text = plan.read_text()
    assert "method: {search: lattice," in text
    plan.write_text(
        text.replace("method: {search: lattice,", "method: {search: lattice, time: 20,")
    )
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
            assert "Some of 15,805,440 combinations" in settled(client, "/explore").text
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
