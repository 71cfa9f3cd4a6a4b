"""docs/beliefs.md: its pictures, its command, and the numbers in its sentences."""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from examples import beliefs  # noqa: E402
from examples.beliefs import BY_AGE, ILLNESS, PEOPLE, RELEASES, VALUES  # noqa: E402
from hedgerow.charts.figure import Figure, json_text  # noqa: E402
from hedgerow.claims.worlds.exact import beliefs as counted  # noqa: E402
from hedgerow.cli import app  # noqa: E402
from hedgerow.cli.terminal import console  # noqa: E402

PAGE = (ROOT / "docs" / "beliefs.md").read_text("utf-8")
FIGURES = ROOT / "docs" / "figures"


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    return beliefs.figures()


@pytest.mark.parametrize("name", ["beliefs_worlds", "beliefs_person", "beliefs_growth"])
def test_pictures_are_what_the_script_draws(name: str, figures: dict[str, Figure]) -> None:
    """Run `python examples/beliefs.py docs/figures` where they are not."""
    assert f"](figures/{name}.svg)" in PAGE
    drawn = figures[name]
    assert (FIGURES / f"{name}.svg").read_text("utf-8") == f"{drawn.svg()}\n"
    assert len(json_text(drawn)) < 10_000


def test_four_worlds_that_the_engine_counts_as_sixteen() -> None:
    """Two flus among the young and two in the west: 2 x 2 ways to say whose record is whose."""
    found = counted(beliefs.known(*RELEASES))
    assert found is not None
    assert len(beliefs.worlds()) == 4
    assert found.worlds == 16
    for person, shares in enumerate(found.shares):
        worlds = Counter(world[person] for world in beliefs.worlds())
        assert shares == tuple(Fraction(worlds[value], 4) for value in VALUES)
    dora = [*PEOPLE].index("Dora")
    assert {world[dora] for world in beliefs.worlds()} == {"acne"}


def test_cem_and_dora_alone() -> None:
    """2/3 * 2/3 against 1/3 * 1/3; and three values that stay equally likely."""
    cem, dora = beliefs.beliefs_of("Cem"), beliefs.beliefs_of("Dora")
    assert cem["one release"]["flu"] == Fraction(2, 3)
    assert cem["both, knowing Cem"] == {
        "flu": Fraction(4, 5), "gout": Fraction(1, 5), "acne": 0
    }  # fmt: skip
    assert set(dora["both, knowing Dora"].values()) == {Fraction(1, 3)}
    assert dora["both, knowing all"]["acne"] == 1


def test_the_files_on_the_page_are_the_releases() -> None:
    found = re.search(r"```\n(by_age.csv .*?)\n\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    by_age, by_place, people = zip(*map(str.split, found[2].splitlines()), strict=True)
    assert sorted(by_age[1:]) == sorted(f"{BY_AGE[n]},{ILLNESS[n]}" for n in PEOPLE)
    assert sorted(by_place[1:]) == sorted(f"{PEOPLE[n][1]},{ILLNESS[n]}" for n in PEOPLE)
    assert people[1:] == tuple(f"{n},{age},{place}" for n, (age, place) in PEOPLE.items())


def test_the_command_says_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [*PEOPLE]
    illness = [ILLNESS[name] for name in names]
    pd.DataFrame({"age": [BY_AGE[n] for n in names], "illness": illness}).sort_values(
        ["age", "illness"]
    ).to_csv("by_age.csv", index=False)
    places = [place for _, place in PEOPLE.values()]
    pd.DataFrame({"place": places, "illness": illness}).sort_values(["place", "illness"]).to_csv(
        "by_place.csv", index=False
    )
    ages = [age for age, _ in PEOPLE.values()]
    pd.DataFrame({"name": names, "age": ages, "place": places}).to_csv("people.csv", index=False)
    blocks = re.findall(r"```console\n\$ hedgerow (.*?)\n(.*?)```", PAGE, re.DOTALL)
    (block, expected) = (one for one in blocks if "--person name=Cem" in one[0])
    told = CliRunner().invoke(app, block[0].split(), env={"COLUMNS": "120"})
    assert told.exit_code == 0, told.output
    shown = [line.split() for line in told.output.splitlines()]
    for line in block[1].splitlines():
        assert line.split() in shown, line
    rows = re.findall(r"\| (\S+%) \| (\S+%) \| (\S+%) \|", PAGE)
    command = shlex.split(expected[0])
    for given, (before, flu, gout) in zip((command[:-4], command[:-2], command), rows, strict=True):
        told = CliRunner().invoke(app, given, env={"COLUMNS": "120"})
        shown = [line.split()[:3] for line in told.output.splitlines()]
        assert ["flu", before, flu] in shown
        assert any(line[::2] == ["gout", gout] for line in shown)


def test_the_third_picture_is_right_as_far_as_it_can_be_counted() -> None:
    rows = [*beliefs.grown()]
    exact = [row for row in rows if "counted" in row]
    assert {row["people"] for row in exact} == {"36 people", "72 people", "108 people"}
    assert "up to 108 people" in PAGE
    for row in exact:
        assert row["at least"] <= row["counted"] <= row["at most"]  # type: ignore[operator]
    for row in rows:
        assert 0 <= row["at least"] <= row["at most"] <= 1  # type: ignore[operator]


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link


def files(folder: Path, names: tuple[str, str]) -> None:
    """Save the two files that stand side by side on the page."""
    found = re.search(rf"```\n({names[0]} +){names[1]}\n\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    width = len(found[1])
    for name, part in zip(names, (slice(width), slice(width, None)), strict=True):
        lines = [line[part].rstrip() for line in found[2].splitlines()]
        (folder / name).write_text("\n".join(line for line in lines if line) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("names", "asked"),
    [(("people.csv", "plan.yaml"), "--person name=Ann"), (("visits.csv", "plan.yaml"), "pid=p1")],
)
def test_examples_with_a_plan_can_be_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, str], asked: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(console, "_width", 200)
    files(tmp_path, names)
    made = CliRunner().invoke(app, ["publish", "plan.yaml"])
    assert made.exit_code == 0, made.output
    follows(asked)


def test_who_loses_most_is_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(console, "_width", 200)
    found = re.search(r"```\n(by_age.csv .*?)\n\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    columns = zip(*map(str.split, found[2].splitlines()), strict=True)
    for name, lines in zip(found[1].split(), columns, strict=True):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    follows("--method belief")


def follows(asked: str) -> None:
    """Run a command of the page, and see every line that the page shows below it."""
    blocks = re.findall(r"```console\n\$ hedgerow (.*?)\n(.*?)```", PAGE, re.DOTALL)
    (command, expected), *_ = (one for one in blocks if asked in one[0] and one[1])
    told = CliRunner().invoke(app, shlex.split(command))
    shown = [line.split() for line in told.output.splitlines()]
    for line in expected.splitlines():
        assert line == "..." or line.split() in shown, line
