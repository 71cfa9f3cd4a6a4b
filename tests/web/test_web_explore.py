"""Explore: the page shows what `Exploration` finds, and writes what `publish` obeys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from browsing import watched
from webbing import Visitor, hospital, served, visiting

from hedgerow import Exploration, Plan, publish
from hedgerow.explore.nodes import fixed
from hedgerow.web import lattice_view as view
from hedgerow.web import lattices

COLUMNS = ("zip", "birth_date", "sex", "nationality")


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hospital(tmp_path_factory.mktemp("hospital") / "demo", patients=400)


@pytest.fixture
def visitor(plan: Path, tmp_path: Path) -> Iterator[Visitor]:
    with visiting(tmp_path / "workspace", plan) as found:
        counted(found)
        yield found


def counted(visitor: Visitor) -> None:
    """Open the page and wait until the lattice is there."""
    answer = visitor.get("/explore")
    assert answer.status_code == 200
    for job in visitor.web.jobs.all():
        visitor.web.jobs.wait(job.id)


def asked(visitor: Visitor, **how: Any) -> dict[str, Any]:
    answer = visitor.get("/explore/survey.json", params=how)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_page_shows_all_nodes_as_the_exploration_finds_them(
    visitor: Visitor, plan: Path
) -> None:
    page = visitor.get("/explore").text
    assert "All 288 combinations" in page
    columns = json.loads(
        re.search(r'data-columns="([^"]*)"', page)[1].replace("&#34;", '"')  # type: ignore[index]
    )
    assert tuple(column["name"] for column in columns) == COLUMNS
    exploration = Exploration.open(plan)
    seen = exploration.survey()
    found = asked(visitor)
    assert found["left_out"] == seen.left_out.tolist()
    assert found["cost"] == pytest.approx(seen.cost, abs=1e-6)
    assert found["best"] == list(seen.best)
    fine = [i for i, s in enumerate(found["states"]) if s["mark"] == "circle"]
    assert [s in fine for s in found["state"]] == (seen.feasible == 1).tolist()
    assert sum(state["nodes"] for state in found["states"]) == 288


def test_a_moved_lever_is_another_plan(visitor: Visitor, plan: Path) -> None:
    text = plan.read_text("utf-8")
    other = plan.with_name("other.yaml")
    changed = text.replace("- k-anonymity: 5", "- k-anonymity: 9")
    changed = changed.replace("adversary: {class: I,", "adversary: {class: I, stubbornness: 900,")
    other.write_text(changed.replace("suppress: 5%", "suppress: 8%"), "utf-8")
    expected = Exploration.open(other).survey()
    found = asked(visitor, set=["0.k=9", "2.stubbornness=900"], suppress=0.08)
    assert found["changed"]
    assert found["left_out"] == expected.left_out.tolist()
    assert found["limit"] == expected.limit == 32
    plainly = asked(visitor)
    assert not plainly["changed"]
    assert plainly["left_out"] != found["left_out"]


def test_a_node_before_and_after(visitor: Visitor, plan: Path) -> None:
    exploration = Exploration.open(plan)
    best = exploration.levels(exploration.survey().best[0])
    node = ",".join(str(level) for level in best.values())
    text = visitor.get("/explore/node", params={"node": node}).text
    assert "This combination keeps every claim" in text
    assert "as published" in text
    assert "5-anonymity" in text
    assert "Smallest epsilon against stubbornness" in text
    bottom = visitor.get("/explore/node", params={"node": "0,0,0,0"}).text
    assert "cannot be published" in bottom
    assert "400 of 400 people would be left out" in bottom
    assert "disabled" in bottom
    for path in ("/explore/frontier", "/explore/nodes"):
        part = visitor.get(path, params={"node": node})
        assert part.status_code == 200
        assert "<table>" in part.text
    assert 'aria-label="Smallest epsilon by stubbornness: ' in text
    frontier = visitor.get("/explore/frontier", params={"node": node}).text
    assert 'aria-label="What a claim costs: ' in frontier
    assert "style=" not in text + frontier, "the pages' policy forbids it"


def test_using_a_node_is_what_publish_obeys(visitor: Visitor, plan: Path, tmp_path: Path) -> None:
    draft = visitor.web.draft
    assert draft is not None
    before = draft.text
    jobs = len(visitor.web.jobs.all())
    exploration = Exploration.open(plan)
    # The second best, since the best is what publish would choose without being told.
    seen = exploration.survey()
    fine = sorted(np.flatnonzero(seen.feasible == 1), key=lambda place: seen.cost[place])
    place = next(int(p) for p in fine if seen.cost[p] > seen.cost[fine[0]] + 1e-6)
    levels = exploration.levels(place)
    node = ",".join(str(level) for level in levels.values())
    answer = visitor.post("/explore/use", {"node": node, "suppress": 0.05})
    assert answer.status_code == 200, "it leads back to the page"
    assert fixed(draft.plan()) == levels
    assert "# 13053, 1305*, 130**, ..." in draft.text, "comments stay"
    page = visitor.get("/explore").text
    assert "The plan publishes these levels" in page
    assert "All 288 combinations" in page
    assert len(visitor.web.jobs.all()) == jobs, "nothing was counted again"
    shown = visitor.get("/explore/node", params={"node": node}).text
    assert "in the plan" in shown
    written = plan.with_name("used.yaml")
    written.write_text(draft.text, "utf-8")
    release = publish(written, to=tmp_path / "release", ledger=tmp_path / "ledger.db")
    assert release.recoding["levels"] == levels
    found = asked(visitor)
    assert release.suppressed == found["left_out"][place]
    assert release.utility["loss"] == pytest.approx(found["cost"][place], abs=1e-6)
    visitor.post("/explore/free")
    assert fixed(draft.plan()) is None
    assert draft.plan() == Plan.parse(before, name="plan.yaml", folder=draft.base)


def test_a_plan_may_list_its_columns_in_another_order_than_the_table(
    plan: Path, tmp_path: Path
) -> None:
    levels = dict(zip(COLUMNS, (3, 4, 0, 2), strict=True))
    document = yaml.safe_load(plan.read_text("utf-8"))
    for name, level in levels.items():
        document["columns"][name]["levels"] = [level, level]
    document["columns"] = dict(reversed(document["columns"].items()))
    other = plan.with_name("reversed.yaml")
    other.write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")
    with visiting(tmp_path / "workspace", other) as visitor:
        counted(visitor)
        page = visitor.get("/explore").text
    assert "The plan publishes these levels" in page
    assert 'data-node="3,4,0,2"' in page


def test_using_a_node_writes_the_claims_as_they_were_moved(visitor: Visitor) -> None:
    draft = visitor.web.draft
    assert draft is not None
    moved = ["0.k=4", "1.l=2.5", "2.epsilon=4", "2.stubbornness=500", "3.t=0.3"]
    visitor.post("/explore/use", {"node": "3,4,1,3", "set": moved, "suppress": 0.07})
    said = draft.data()
    assert said["protect"][0] == {"k-anonymity": 4}
    assert said["protect"][1]["l-diversity"]["l"] == 2.5
    assert said["protect"][2]["epsilon-privacy"]["epsilon"] == 4
    assert said["protect"][2]["epsilon-privacy"]["adversary"]["stubbornness"] == 500
    assert said["protect"][3]["t-closeness"]["t"] == 0.3
    assert float(draft.plan().method.suppress) == 0.07
    assert not asked(visitor)["changed"]


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/explore/survey.json", {"set": "9.k=5"}),
        ("/explore/survey.json", {"set": "0.k=x"}),
        ("/explore/survey.json", {"set": "0.k=nan"}),
        ("/explore/survey.json", {"set": "0.k=2.5"}),
        ("/explore/survey.json", {"set": "2.stubbornness=0"}),
        ("/explore/survey.json", {"suppress": "2"}),
        ("/explore/survey.json", {"node": "1,2"}),
        ("/explore/node", {"node": "99,0,0,0"}),
        ("/explore/node", {"node": "²,0,0,0"}),
        ("/explore/frontier", {"node": "99,0,0,0"}),
    ],
)
def test_nonsense_is_refused_in_a_sentence(visitor: Visitor, path: str, params: dict) -> None:
    answer = visitor.get(path, params=params)
    assert answer.status_code == 422
    assert "should not" not in answer.text
    page = visitor.get("/explore", params=params)
    assert page.status_code in (200, 422), "an old address shows the plan as it is"


@pytest.mark.parametrize("claim", [
    {"k-anonymity": {"k": 5, "knows": 2}},
    {"individual-risk": {"at_most": "20%", "fraction": "10%"}},
], ids=["knows", "individual-risk"])  # fmt: skip
def test_claims_that_need_the_node_are_shown_as_they_are_published(
    plan: Path, tmp_path: Path, claim: dict[str, Any]
) -> None:
    text = plan.read_text("utf-8")
    head, _, rest = text.partition("protect:")
    _, _, rest = rest.partition("\nmethod:")
    other = plan.with_name("needs-node.yaml")
    other.write_text(f"{head}protect: {json.dumps([claim])}\nmethod:{rest}", "utf-8")
    exploration = Exploration.open(other)
    seen = exploration.survey()
    with visiting(tmp_path / "workspace", other) as visitor:
        counted(visitor)
        found = asked(visitor, patient=True)
        assert found["left_out"] == seen.left_out.tolist()
        assert found["best"] == list(seen.best)
        levels = exploration.levels(seen.best[0])
        node = ",".join(map(str, levels.values()))
        assert visitor.get("/explore/node", params={"node": node}).status_code == 200
        refused = visitor.get("/explore/frontier", params={"node": node})
        assert "too long for every step" in " ".join(refused.text.split())
    assert exploration.levels(seen.best[0]) == publish(other, to=tmp_path / "r").levels


def test_other_methods_and_wrong_plans_are_told(visitor: Visitor) -> None:
    draft = visitor.web.draft
    assert draft is not None
    draft.edit(("method",), {"search": "mondrian"})
    assert "only the lattice can be explored, not mondrian" in visitor.get("/explore").text
    draft.edit(("protect",), [{"k-anonymity": "many"}])
    page = visitor.get("/explore")
    assert page.status_code == 200
    assert "The plan cannot be used yet" in page.text


def test_an_impossible_claim_still_has_a_page(visitor: Visitor) -> None:
    found = asked(visitor, set=["0.k=400"])
    assert found["summary"].startswith("1 of 288") or found["summary"].startswith("None of 288")
    none = asked(visitor, set=["0.k=400", "3.t=0"], suppress=0)
    assert none["summary"] == "None of 288 combinations keeps all claims." or none["best"]


def test_a_large_lattice_follows_the_node(
    plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = partial(Exploration.open, most_nodes=20)
    monkeypatch.setattr(lattices.Exploration, "open", small)
    with visiting(tmp_path / "workspace", plan) as visitor:
        counted(visitor)
        assert "Some of 288 combinations" in visitor.get("/explore").text
        for node in ([0, 0, 0, 0], [5, 0, 1, 0], [2, 3, 0, 1]):
            found = asked(visitor, node=",".join(map(str, node)))
            assert node in found["nodes"]
            assert len(found["nodes"]) == len(found["state"]) < 288


def test_after_some_of_the_nodes_nothing_is_said_to_be_optimal(
    plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best of the nodes near one is the best so far: others may be better, and some are."""
    whole = Exploration.open(plan)
    seen = whole.survey()
    least = float(seen.cost[seen.best[0]])
    monkeypatch.setattr(
        lattices.Exploration,
        "open",
        partial(
            Exploration.open, most_nodes=20, around=dict(zip(COLUMNS, (5, 3, 1, 2), strict=True))
        ),
    )
    with visiting(tmp_path / "workspace", plan) as visitor:
        counted(visitor)
        found = asked(visitor, node="5,3,1,2")
        here = found["cost"][found["best"][0]]
        assert here > least + 1e-6
        assert not found["proven"]
        looked = len(found["nodes"])
        assert found["standing"].startswith(f"Best so far: loss {here:.3g}, gap ")
        assert found["standing"].endswith(f"Looked at {looked} of 288 combinations.")
        gap, bound = re.search(r"gap ([\d.]+) %: .* below ([\d.e-]+)\.", found["standing"]).groups()
        assert float(bound) <= least
        assert float(gap) / 100 >= (here - least) / here
        page = visitor.get("/explore").text
        for word in ("optimal", "best there"):
            assert word not in page.lower()
            assert word not in found["standing"].lower()


def test_after_all_nodes_the_best_is_proven_optimal(visitor: Visitor) -> None:
    found = asked(visitor)
    assert found["proven"]
    assert found["standing"] == (
        "Proven optimal: no other levels the plan allows, with any choice of groups suppressed, "
        "have a better loss."
    )


def test_a_bound_of_the_search_is_used_under_the_claims_it_was_made_for(plan: Path) -> None:
    """The node to begin with was searched for; that search may have proven it."""
    some = Exploration.open(plan, most_nodes=20)
    assert not some.complete
    assert some.survey().proven
    assert "optimal" in view.standing_of(some, some.survey()).lower()
    weaker = some.survey(suppress=0.2)
    assert not weaker.proven
    assert weaker.bound <= float(np.min(Exploration.open(plan).survey(suppress=0.2).floor))


@pytest.mark.slow
def test_in_a_browser_with_the_keyboard(browser: Any, plan: Path, tmp_path: Path) -> None:
    with (
        served(tmp_path / "workspace", plan) as link,
        watched(browser, link) as seen,
    ):
        page = seen.page
        seen.go("/explore")
        page.wait_for_selector("#explore[data-answered]")
        page.wait_for_selector("#frontier svg")
        said = page.locator("#said")
        assert "Proven optimal: no other levels" in said.inner_text()
        page.focus("#lattice")
        page.keyboard.press("ArrowRight")
        assert said.inner_text().startswith("birth_date, level")
        before = page.input_value("#level-1")
        page.keyboard.press("ArrowDown")
        assert page.input_value("#level-1") == str(int(before) - 1)
        assert f"birth_date {int(before) - 1} (" in said.inner_text()
        page.keyboard.press("Home")
        assert page.input_value("#level-1") == before
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.activeElement.id === 'node'")
        # A slider by keyboard: everything answers, and a reload keeps it.
        page.focus(".lever input[type=range]")
        page.keyboard.press("End")
        page.wait_for_function("() => document.getElementById('number-1').value === '400'")
        page.wait_for_function("() => location.search.includes('0.k%3D400')")
        page.reload()
        page.wait_for_selector("#explore[data-answered]")
        assert page.input_value("#number-1") == "400"
        page.get_by_role("button", name="As the plan says").click()
        page.wait_for_function("() => !location.search.includes('0.k')")
        page.get_by_role("button", name="Go to the best").click()
        page.locator("#nodes-table summary").press("Enter")
        page.wait_for_selector("#nodes table")
        page.wait_for_selector("#node form button:not([disabled])")
        assert not seen.accessible()
        page.get_by_role("button", name="Use this combination").click()
        page.get_by_text("The plan publishes these levels").wait_for()


@pytest.mark.slow
def test_in_a_browser_with_the_mouse_on_a_small_lattice(
    browser: Any, plan: Path, tmp_path: Path
) -> None:
    text = plan.read_text("utf-8").replace("hierarchy: {prefix: 5}", "hierarchy: suppression")
    text = text.replace("[month, quarter, year, decade]", "[decade]")
    few = plan.with_name("few.yaml")
    few.write_text(text, "utf-8")
    with served(tmp_path / "workspace", few) as link, watched(browser, link) as seen:
        page = seen.page
        seen.go("/explore")
        page.wait_for_selector("#explore[data-answered]")
        box = page.locator("#picture").bounding_box()
        before = page.inner_text("#said")
        # The bottom of the lattice: everything as it is.
        middle = box["x"] + 46 + (box["width"] - 60) / 2
        page.mouse.move(middle, box["y"] + box["height"] - 34)
        page.wait_for_selector("#tip:not([hidden])")
        assert "zip 0 (" in page.inner_text("#tip")
        page.mouse.click(middle, box["y"] + box["height"] - 34)
        assert page.inner_text("#said") != before
        assert [page.input_value(f"#level-{j}") for j in range(4)] == ["0"] * 4
        page.get_by_text("cannot be published").wait_for()
        page.locator('[data-steps="0"] button', has_text="coarser").click()
        assert page.input_value("#level-0") == "1"
        seen.shot("explore-few")
