"""An installed package adds an attack and a profile, and they appear everywhere.

`foreign_package.py` has them. Each test runs in a process in which the package is installed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from contracts.foreign_package import ATTACK, FILE_ATTACK, POINTS, PROFILE, SOURCE
from packages import Installed

import hedgerow
from hedgerow.attacks.registry import ATTACKS
from hedgerow.reports.profiles.registry import PROFILES

RELEASE = "zip,ill\n1,flu\n1,gout\n2,flu\n2,acne\n2,flu\n"
PAGE = """
import sys
from pathlib import Path
sys.path.insert(0, "tests/web")
from webbing import hospital, visiting
folder = Path(sys.argv[1])
with visiting(folder / "workspace", hospital(folder / "demo")) as visitor:
    print(visitor.get("/attack").text)
"""
LISTS = """
import sys
from bench.listings import DOCS, LISTINGS, listed
for mark, (name, _) in LISTINGS.items():
    print(listed(mark, (DOCS / name).read_text("utf-8")))
"""


@pytest.fixture
def package(tmp_path: Path) -> Installed:
    return Installed(tmp_path / "site", SOURCE, POINTS)


def command(package: Installed, *words: str, code: int = 0) -> str:
    return package.run("-m", "hedgerow", *words, code=code)


def test_they_are_not_there_by_themselves() -> None:
    assert ATTACK not in ATTACKS
    assert FILE_ATTACK not in ATTACKS
    assert PROFILE not in PROFILES


def test_the_command_line_lists_and_tries_it(package: Installed, tmp_path: Path) -> None:
    file = tmp_path / "release.csv"
    file.write_text(RELEASE)
    wrong = command(package, "attack", str(file), "--method", "magic", "--json", code=2)
    every = [*ATTACKS, ATTACK, FILE_ATTACK]
    listed = ", ".join(map(repr, every[:-1]))
    assert json.loads(wrong)["error"]["fix"] == f"There are {listed} and {every[-1]!r}."
    asked = ("attack", str(file), "--sensitive", "ill", "--json")
    tried = json.loads(command(package, *asked, "--method", ATTACK))["attacks"]
    assert [one["attack"] for one in tried] == [ATTACK]
    assert tried[0]["sentences"] == ["The smallest group has 2 people."]
    usual = json.loads(command(package, *asked, code=1))["attacks"]
    assert ATTACK not in {one["attack"] for one in usual}, "only where it is asked for"
    flip = ("attack", str(file), "--method", FILE_ATTACK, "--know", "side=tails", "--json")
    assert json.loads(command(package, *flip))["attacks"][0]["goal"] == "tails"


def test_the_app_offers_it(package: Installed, tmp_path: Path) -> None:
    page = package.run("-c", PAGE, str(tmp_path))
    box = f'name="method" value="{ATTACK}"'
    assert box in page
    assert "How small is the smallest group?" in page
    assert "Which side falls?" in page


def test_the_manual_would_list_it(package: Installed) -> None:
    pages = package.run("-c", LISTS)
    assert f"| `{ATTACK}` | a release | a person is drawn |" in pages
    assert f"| `{FILE_ATTACK}` | any file | the side is named |" in pages
    assert f"| `{PROFILE}` | A rule of three | the smallest group | everything else |" in pages


def test_reports_check_the_profile(package: Installed, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(RELEASE)
    hedgerow.publish(
        tmp_path / "people.csv",
        columns={"zip": {"role": "quasi-identifier", "key": False}, "ill": "sensitive"},
        protect=[{"k-anonymity": 2}],
        to=tmp_path / "out",
    )
    told = command(package, "report", "--help")
    for name in (*PROFILES, PROFILE):
        assert name in told
    asked = ("report", str(tmp_path / "out"), "--profile", PROFILE, "--json")
    (found,) = json.loads(command(package, *asked, code=1))["profiles"]
    assert found["requirements"] == [
        {"requirement": "every group has three people", "verdict": "not met",
         "evidence": "2 people", "todo": "Merge."}
    ]  # fmt: skip
