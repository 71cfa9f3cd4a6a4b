"""What holds of every policy profile in the registry, on the releases of `profile_cases.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from contracts.profile_cases import CASES, KINDS
from typer.testing import CliRunner

import hedgerow
from hedgerow.attacks.gdpr_attack import GDPR
from hedgerow.cli import app
from hedgerow.reports.profiles import wp216
from hedgerow.reports.profiles.base import MET, NOT_MET, OPEN, ProfileCheck
from hedgerow.reports.profiles.registry import PROFILES

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.listings import LISTINGS, listed  # noqa: E402


def checked(folder: Path, name: str, publish: Callable[[Path], Path]) -> ProfileCheck:
    folder.mkdir(exist_ok=True)
    release = publish(folder)
    made = hedgerow.report(release, plan=folder / "plan.yaml", profiles=[name])
    (found,) = made.profiles
    assert made.unmet == len(found.unmet)
    return found


def verdict(found: ProfileCheck, requirement: str) -> str:
    return next(one.verdict for one in found.findings if one.requirement.startswith(requirement))


def test_every_profile_has_a_case() -> None:
    assert {*CASES} >= {*PROFILES}


@pytest.mark.parametrize("name", PROFILES)
def test_it_tells_what_is_met_from_what_is_not(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    assert verdict(checked(tmp_path / "1", name, case.fails), case.requirement) == NOT_MET
    assert verdict(checked(tmp_path / "2", name, case.keeps), case.requirement) == MET


@pytest.mark.parametrize("kind", KINDS)
def test_every_verdict_has_its_evidence(kind: str, tmp_path: Path) -> None:
    """Of every kind of release; and the same evidence gives the same verdicts."""
    release = KINDS[kind](tmp_path)
    twice = [hedgerow.report(release, profiles=list(PROFILES)).profiles for _ in range(2)]
    assert [one.summary() for one in twice[0]] == [one.summary() for one in twice[1]]
    assert [one.name for one in twice[0]] == list(PROFILES)
    for profile in twice[0]:
        assert profile.title == PROFILES[profile.name].title
        asked = [one.requirement for one in profile.findings]
        assert asked
        assert len(asked) == len(set(asked))
        for one in profile.findings:
            assert one.verdict in (MET, NOT_MET, OPEN)
            assert one.evidence, f"{profile.name}: {one.requirement}"
            assert bool(one.todo) == (one.verdict != MET), f"{profile.name}: {one.requirement}"


@pytest.mark.parametrize("name", PROFILES)
def test_its_words_are_there(name: str) -> None:
    one = PROFILES[name]
    assert one.title
    for words in (one.checks, one.leaves):
        assert words
        assert not words.endswith("."), "they stand in a table"


def test_the_help_names_every_profile() -> None:
    told = CliRunner().invoke(app, ["report", "--help"], env={"COLUMNS": "200"})
    assert told.exit_code == 0
    for name in PROFILES:
        assert name in told.stdout


def test_wp216_asks_about_the_results_of_its_attack() -> None:
    assert [*wp216.ATTACKS] == [outcome.name for outcome in GDPR.outcomes]


def test_the_manual_lists_every_profile() -> None:
    page = (ROOT / "docs" / LISTINGS["profiles"][0]).read_text("utf-8")
    assert listed("profiles", page) == page, "python -m bench.listings --write"
