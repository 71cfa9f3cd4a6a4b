"""`explain policy` as a steward meets it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.charts.marks import Rectangles
from hedgerow.charts.panel import Panel
from hedgerow.cli import app

PLAN = """\
privacy: {neighbours: change-one}
columns:
  age: {role: quasi-identifier, bounds: [0, 120], step: 1}
  disease: {role: sensitive, domain: [flu, asthma, ulcer]}
policy:
  age: {within: 5}
  disease: {partition: {lung: [flu, asthma], stomach: [ulcer]}}
"""
MANY = """\
privacy: {neighbours: change-one}
columns:
  pain: {role: quasi-identifier, bounds: [0, 12], step: 1}
  dose: {role: quasi-identifier, bounds: [0, 5000], step: 0.5}
  ward: {role: quasi-identifier, domain: [A, B, C, D, E, "<script>", null]}
  job: {role: quasi-identifier, domain: [x, y]}
  sex: {role: quasi-identifier, domain: [F, M]}
  lat: {role: quasi-identifier, bounds: [46, 48], step: 0.1}
  lon: {role: quasi-identifier, bounds: [7, 9], step: 0.1}
  zip: quasi-identifier
policy:
  pain: {within: 3}
  dose: {within: 20}
  ward: {graph: [[A, B], [B, C], [D, "<script>"]]}
  job: known
  place: {of: [lat, lon], within: 12 km}
  at_once: 1
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    (tmp_path / "many.yaml").write_text(MANY, "utf-8")
    return tmp_path


def run(*command: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, ["explain", "policy", *command])
    assert done.exit_code == code, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_what_is_not_protected_comes_first() -> None:
    told = run("plan.yaml", "--epsilon", "0.5").stdout
    assert max(map(len, told.splitlines())) <= 80
    assert re.match(r"policy [0-9a-f]{8}\n\nNot protected\nin which of 2 groups", told)
    flat = " ".join(told.split())
    assert flat.index("Not protected") < flat.index("Protected values")
    assert "values of age at most 5 steps of 1 apart, by a factor of 1.65." in flat
    # e^(0.5 d) by the true distance: 6 years are two steps, 120 are 24.
    assert re.search(r"^age +5 apart +1 +1\.65 *$", told, re.M)
    assert re.search(r"^age +6 apart +2 +2\.72 *$", told, re.M)
    assert re.search(r"^age +120 apart +24 +162755 *$", told, re.M)
    assert re.search(r"^disease +values of different groups +not protected *$", told, re.M)
    # A year is worth 2 at epsilon 0.5: 5 years 10, and 120 of them 240.
    assert re.search(r"^sum of age +10 +240 +24 times *$", told, re.M)
    assert re.search(r"^how many rows +exact +exact *$", told, re.M)


def test_without_an_epsilon_factors_are_in_terms_of_it() -> None:
    told = run("plan.yaml").stdout
    assert re.search(r"^age +6 apart +2 +e\^\(2 epsilon\) *$", told, re.M)
    assert "Noise at epsilon 1, beside" in told
    assert run("plan.yaml", "-q").stdout == ""


def test_the_same_as_json() -> None:
    told = json.loads(run("plan.yaml", "--epsilon", "0.5", "--json").stdout)
    assert told["epsilon"] == 0.5
    assert told["not_protected"][0].startswith("Not protected: in which of 2 groups")
    assert {"of": "age", "apart": "5 apart", "edges": 1, "factor": "1.65"} in told["apart"]
    assert {
        "question": "sum of age", "what": "noise scale of each number", "policy": 10.0,
        "plain": 240.0, "times": 24.0,
    } in told["beside"]  # fmt: skip
    assert told["neighbours_differ_in"] == 1
    assert told["plots"] == []


def test_the_documented_example_is_what_is_printed() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
    shown = documented.partition("$ hedgerow explain policy plan.yaml --epsilon 0.5\n")[2]
    told = "\n".join(
        line.rstrip() for line in run("plan.yaml", "--epsilon", "0.5").stdout.splitlines()
    )
    for piece in shown.partition("```")[0].split("...\n"):
        wanted = "\n".join(line.rstrip() for line in piece.strip().splitlines())
        assert wanted in told


def test_known_counts_are_said() -> None:
    tied = PLAN + "  known: {counts: [\"disease = 'flu'\"]}\n"
    Path("tied.yaml").write_text(tied, "utf-8")
    flat = " ".join(run("tied.yaml", "--epsilon", "1").stdout.split())
    assert "what everybody knows (how many have disease = 'flu')" in flat
    assert "up to 2 rows differ, one of them along an edge" in flat
    told = json.loads(run("tied.yaml", "--json").stdout)
    assert told["neighbours_differ_in"] == 2
    # Farther than one edge nothing is said: paths may not exist.
    assert {row["edges"] for row in told["apart"]} == {1, None}
    beside = {row["question"]: row for row in told["beside"]}
    assert beside["histogram of disease"]["policy"] == 4


@pytest.mark.slow
def test_pictures(folder: Path) -> None:
    assert run("many.yaml", "--plot", "p.svg").stdout.endswith("plot: p.svg\n")
    drawn = (folder / "p.svg").read_text("utf-8")
    assert drawn.startswith("<svg ")
    assert 'role="img" aria-label="What the policy' in drawn
    assert "pain: 13 values and no number, 2 groups without a path between them." in drawn
    assert "<script>" not in drawn
    run("many.yaml", "--plot", "p.png", "-q")
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads(run("many.yaml", "--plot", "p.html", "--json").stdout)
    assert told["plots"] == ["p.html"]


def test_the_picture_shows_the_edges() -> None:
    """Pairs that are drawn are those that are joined."""
    study = hedgerow.explain_policy("many.yaml")
    spec = study.chart().to_dict()
    panels = dict(zip([c for c, _ in study.stated.policy.parts], spec["plots"], strict=True))
    pain = panels[("pain",)]["data"][0]
    told = {(int(row["value"]), int(row["joined to"])) for row in pain["rows"]}
    joined = {(a, b) for a in range(13) for b in range(a + 1, min(a + 4, 13))}
    assert told == joined
    # What is drawn: each line begins and ends at the dots of its values.
    edges, dots = study.chart().panels[0].marks[:2]
    spots = {(dot["_x"], dot["_y"]): int(dot["value"]) for dot in dots.rows if dot["_x"] < 12.5}
    ends: dict[int, list[tuple[float, float]]] = {}
    for point in edges.rows:
        ends.setdefault(point["_edge"], []).append((point["_x"], round(point["_y"], 9)))
    assert {(spots[way[0]], spots[way[-1]]) for way in ends.values()} == joined
    band = panels[("dose",)]["data"][0]["rows"]
    assert max(row["value"] for row in band) == 5000
    assert "No number is not in the picture" in panels[("dose",)]["notes"][0]
    for row in band:
        assert row["from"] == pytest.approx(max(row["value"] - 20, 0))
        assert row["to"] == pytest.approx(min(row["value"] + 20, 5000))
    places = panels[("lat", "lon")]["data"][0]["rows"]
    (centre,) = [(p["up"], p["across"]) for p in places if p["kind"] == "one place"]
    near = {
        (round(p["up"] - centre[0], 3), round(p["across"] - centre[1], 3))
        for p in places
        if p["kind"] == "joined to it"
    }
    # A tenth of a degree is 11 km northwards and 8 km eastwards there.
    assert near == {(0, 0.1), (0, -0.1), (0.1, 0), (-0.1, 0)}
    assert np.ptp([p["up"] for p in places]) > 0.2


PAIRS = """\
privacy: {neighbours: change-one}
columns:
  sex: {role: quasi-identifier, domain: [F, M]}
  pain: {role: quasi-identifier, bounds: [0, 30], step: 1}
  grade: {role: quasi-identifier, domain: [none to speak of, a very little, a little more, much]}
  code: {role: quasi-identifier, domain: CODES}
  bill: {role: quasi-identifier, bounds: [0, 90000], step: 1}
policy:
  sex: {partition: {all: [F, M]}}
  pain: {within: 4}
  grade: {partition: {a: [none to speak of], b: [a very little, a little more], c: [much]}}
  code: {partition: {a: FIRST, b: SECOND, c: [Z]}}
  bill: {within: 20000}
"""


@pytest.fixture
def pairs(folder: Path) -> dict[tuple[str, ...], Panel]:
    """The panels of a policy with pairs, single values and a large partition."""
    first, second = [f"A{i}" for i in range(30)], [f"B{i}" for i in range(20)]
    plan = PAIRS.replace("CODES", f"[{', '.join([*first[:9], 'Z', *second, *first[9:]])}]")
    plan = plan.replace("FIRST", f"[{', '.join(first)}]").replace(
        "SECOND", f"[{', '.join(second)}]"
    )
    (folder / "pairs.yaml").write_text(plan, "utf-8")
    study = hedgerow.explain_policy("pairs.yaml")
    panels = study.chart().panels
    return dict(zip([c for c, _ in study.stated.policy.parts], panels, strict=True))


def _dots(panel: Panel) -> Sequence[Mapping[str, Any]]:
    return panel.marks[1].rows


def test_pairs_are_drawn_level(pairs: dict[tuple[str, ...], Panel]) -> None:
    for column in ("sex", "grade"):
        assert {dot["_y"] for dot in _dots(pairs[(column,)])} == {0}
    # Whatever is not on the list is none of the two values.
    assert pairs[("sex",)].subtitle.startswith("2 values and none of them, 2 groups")


@pytest.mark.parametrize("column", ["sex", "pain", "grade"])
def test_names_do_not_run_into_each_other(pairs: dict[tuple[str, ...], Panel], column: str) -> None:
    panel = pairs[(column,)]
    pixels = panel.width * (panel.x.scale.part(1) - panel.x.scale.part(0))
    named = sorted((dot["_x"] * pixels, dot["_name"]) for dot in _dots(panel) if dot["_name"])
    assert named[-1][1] in ("anything else", "no number")
    for (x, name), (y, after) in pairwise(named):
        # Letters of this size are somewhat over five pixels wide.
        assert y - x > 5.3 * (len(name) + len(after)) / 2


def test_a_large_partition_says_where_its_groups_are(pairs: dict[tuple[str, ...], Panel]) -> None:
    panel = pairs[("code",)]
    (picture,) = panel.marks
    assert isinstance(picture, Rectangles)
    sides = [(row[picture.x], row[picture.x2]) for row in picture.rows]
    assert sides == [(0.5, 30.5), (30.5, 50.5), (50.5, 51.5), (51.5, 52.5)]
    assert panel.notes == [
        "places 1 to 30: A0, A1, A2 and 27 more",
        "places 31 to 50: B0, B1, B2 and 17 more",
        "place 51: Z",
        "place 52: anything else",
    ]
    assert picture.rim > 0, "a group of one is seen by its border"


def test_noise_is_written_out(pairs: dict[tuple[str, ...], Panel]) -> None:
    told = run("pairs.yaml", "--epsilon", "2").stdout
    assert re.search(r"^sum of bill +10,000 +45,000 +4\.5 times *$", told, re.M)
    assert "e+" not in told


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["none.yaml"], "the plan has no policy"),
        (["nowhere.yaml"], "cannot be read"),
        (["plan.yaml", "--epsilon", "0"], "epsilon must be above 0"),
        (["plan.yaml", "--epsilon", "many"], "epsilon must be a finite number"),
        (["plan.yaml", "--plot", "a.pdf"], "a plot cannot be saved as 'a.pdf'"),
        (["plan.yaml", "--plot", "no/a.svg"], "there is no such folder"),
    ],
)
def test_wrong_input(folder: Path, command: list[str], said: str) -> None:
    (folder / "none.yaml").write_text(PLAN.partition("policy:")[0], "utf-8")
    done = run(*command, code=2)
    assert said in done.stderr
    assert done.stdout == ""
    told = json.loads(run(*command, "--json", code=2).stdout)
    assert said in told["error"]["what"]


def test_it_needs_neither_engine_nor_ledger() -> None:
    loaded = (
        "import sys; from hedgerow import explain_policy; explain_policy('plan.yaml').summary();"
        "print({'numba', 'duckdb', 'sqlite3', 'cryptography', 'resvg_py'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
