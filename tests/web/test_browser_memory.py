"""A real table in the app, from the first look to an answer, within a modest machine."""

from __future__ import annotations

import csv
import threading
from pathlib import Path
from typing import Any

import pytest
from browsing import running, watched
from tables import ADULT, data_folder

pytestmark = [pytest.mark.slow, pytest.mark.data]

MOST = 1_000_000_000
"""Bytes of the app and of all that it starts, together."""
QUASI = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip


def write_adult(folder: Path) -> Path:
    """Adult with nine quasi-identifiers, 12,960 combinations of levels; its plan."""
    raw = data_folder() / "adult"
    folder.mkdir()
    with (raw / "adult.data").open() as lines:
        every = [row for row in csv.reader(lines, skipinitialspace=True) if row]
    rows = [row for row in every if "?" not in row]
    with (folder / "adult.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([ADULT, *rows])
    columns = []
    for name in QUASI:
        with (raw / f"hierarchy_{name}.csv").open() as lines:
            levels = list(csv.reader(lines, delimiter=";"))
        # Those that come with the data lack some values.
        lacking = {row[ADULT.index(name)] for row in rows} - {level[0] for level in levels}
        levels += [[value, *["*"] * (len(levels[0]) - 1)] for value in sorted(lacking)]
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file, delimiter=";", lineterminator="\n").writerows(levels)
        columns.append(f"  {name}: {{role: quasi-identifier, hierarchy: {name}.csv}}")
    others = [name for name in ADULT if name not in QUASI and name != "hours"]
    columns += [f"  {name}: {{role: insensitive}}" for name in others]
    plan = [
        "population: adult", "ledger: ledger.db", "source: adult.csv", "columns:", *columns,
        "  hours: {role: sensitive, bounds: [0, 100], step: 1}",
        "protect:", "  - k-anonymity: 5", "  - l-diversity: {kind: distinct, l: 3}",
        "privacy: {neighbours: add-remove}", "method: {search: lattice, suppress: 5%}",
        "publish: {to: release}",
    ]  # fmt: skip
    (folder / "plan.yaml").write_text("\n".join(plan) + "\n")
    return folder / "plan.yaml"


def test_adult_stays_under_a_gigabyte(tmp_path: Path, browser: Any) -> None:
    plan = write_adult(tmp_path / "work")
    with running(tmp_path / "workspace", plan) as (app, link):
        watch = Watch(app.pid)
        with watch, watched(browser, link) as seen:
            page = seen.page
            seen.heading("What is in the table, and what is it to an attacker?")
            watch.stage = "explore"
            seen.go("/explore")
            page.get_by_role("button", name="Go to the best").click()
            page.get_by_role("button", name="Use this combination").click()
            page.get_by_text("The plan publishes these levels:").wait_for()
            watch.stage = "attack"
            seen.go("/attack")
            page.get_by_role("button", name="Attack", exact=True).click()
            page.get_by_role("heading", name="What was found").wait_for()
            watch.stage = "publish"
            seen.go("/publish")
            page.get_by_role("button", name="Publish", exact=True).click()
            page.locator(".notice.good", has_text="Published").wait_for()
            watch.stage = "query"
            seen.go("/query")
            page.get_by_label("Budget", exact=True).fill("epsilon=1")
            page.get_by_role("button", name="Set it").click()
            seen.go("/query?kind=ranges&column=hours&epsilon=0.1")
            page.get_by_role("button", name="Ask, and spend epsilon 0.1").click()
            seen.heading("how many rows are in any range of hours")
    assert len(watch.most) == 5
    assert max(watch.most.values()) < MOST, watch.most


class Watch:
    """Looks at the memory of a process and its children until it is told to stop."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.stage = "data"
        self.most: dict[str, int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.05):
            now = resident(self.process)
            self.most[self.stage] = max(self.most.get(self.stage, 0), now)


def resident(process: int) -> int:
    """Bytes in memory of a process and all that it started."""
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            status = (entry / "status").read_text()
        except OSError:
            continue  # it ended
        facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        if _descends(int(entry.name), process):
            total += int(facts.get("VmRSS", "0 kB").split()[0]) * 1024
    return total


def _descends(child: int, parent: int) -> bool:
    while child > 1:
        if child == parent:
            return True
        try:
            stat = Path(f"/proc/{child}/stat").read_text()
        except OSError:
            return False
        child = int(stat.rpartition(")")[2].split()[1])
    return False
