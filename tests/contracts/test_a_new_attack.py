"""An installed package adds an attack and a profile, and they appear everywhere.

`foreign_package.py` has them. Each test runs in a process in which the package is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from contracts.foreign_package import ATTACK, FILE_ATTACK, PROFILE, installed

import hedgerow
from hedgerow.attacks.registry import ATTACKS
from hedgerow.reports.profiles.registry import PROFILES

ROOT = Path(__file__).resolve().parents[2]
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
def with_package(tmp_path: Path) -> dict[str, str]:
    place = installed(tmp_path / "site")
    path = [place, ROOT / "src", ROOT / "tests", ROOT]
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))}


def run(env: dict[str, str], *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def command(env: dict[str, str], *words: str, code: int = 0) -> str:
    return run(env, "-m", "hedgerow", *words, code=code)


def test_they_are_not_there_by_themselves() -> None:
    assert ATTACK not in ATTACKS
    assert FILE_ATTACK not in ATTACKS
    assert PROFILE not in PROFILES


def test_the_command_line_lists_explains_and_tries_it(
    with_package: dict[str, str], tmp_path: Path
) -> None:
    every = json.loads(command(with_package, "explain", "attack", "--json"))["attacks"]
    assert [one["name"] for one in every] == [*ATTACKS, ATTACK, FILE_ATTACK]
    told = command(with_package, "explain", "attack", ATTACK)
    assert "How small is the smallest group?" in told
    file = tmp_path / "release.csv"
    file.write_text(RELEASE)
    asked = ("attack", str(file), "--sensitive", "ill", "--json")
    tried = json.loads(command(with_package, *asked, "--method", ATTACK))["attacks"]
    assert [one["attack"] for one in tried] == [ATTACK]
    assert tried[0]["sentences"] == ["The smallest group has 2 people."]
    usual = json.loads(command(with_package, *asked, code=1))["attacks"]
    assert ATTACK not in {one["attack"] for one in usual}, "only where it is asked for"
    flip = ("attack", str(file), "--method", FILE_ATTACK, "--know", "side=tails", "--json")
    assert json.loads(command(with_package, *flip))["attacks"][0]["goal"] == "tails"


def test_the_app_offers_it(with_package: dict[str, str], tmp_path: Path) -> None:
    page = run(with_package, "-c", PAGE, str(tmp_path))
    box = f'name="method" value="{ATTACK}"'
    assert box in page
    assert "How small is the smallest group?" in page
    assert "Which side falls?" in page


def test_the_manual_would_list_it(with_package: dict[str, str]) -> None:
    pages = run(with_package, "-c", LISTS)
    assert f"| `{ATTACK}` | a release | a person is drawn |" in pages
    assert f"| `{FILE_ATTACK}` | any file | the side is named |" in pages
    assert f"| `{PROFILE}` | A rule of three | the smallest group | everything else |" in pages


def test_reports_check_the_profile(with_package: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(RELEASE)
    hedgerow.publish(
        tmp_path / "people.csv",
        columns={"zip": {"role": "quasi-identifier", "key": False}, "ill": "sensitive"},
        protect=[{"k-anonymity": 2}],
        to=tmp_path / "out",
    )
    every = json.loads(command(with_package, "explain", "profile", "--json"))["profiles"]
    assert [one["name"] for one in every] == [*PROFILES, PROFILE]
    assert "A rule of three" in command(with_package, "explain", "profile", PROFILE)
    asked = ("report", str(tmp_path / "out"), "--profile", PROFILE, "--json")
    (found,) = json.loads(command(with_package, *asked, code=1))["profiles"]
    assert found["requirements"] == [
        {"requirement": "every group has three people", "verdict": "not met",
         "evidence": "2 people", "todo": "Merge."}
    ]  # fmt: skip


def test_a_package_that_breaks_is_named(tmp_path: Path) -> None:
    place = installed(tmp_path / "site")
    (place / "foreign_attacks.py").write_text("raise ImportError('no such thing')")
    path = os.pathsep.join(map(str, (place, ROOT / "src")))
    done = subprocess.run(
        [sys.executable, "-m", "hedgerow", "explain", "attack"], capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": path}, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "smallest-group" in done.stderr
    assert "hedgerow.attacks" in done.stderr
