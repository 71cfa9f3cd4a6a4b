"""What the steward weighs, and the analyses that are kept, in the app."""

from __future__ import annotations

from pathlib import Path

from webbing import hospital, visiting

KEEP = '\nkeep:\n  - distribution: {of: sex, within: 50%}\n'  # fmt: skip


def test_weights_and_the_slider_change_the_plan(tmp_path: Path) -> None:
    with visiting(tmp_path / "workspace", hospital(tmp_path / "demo", patients=300)) as visitor:
        how = {"search": "lattice", "suppress": "6", "to": "release/", "utility": "loss"}
        visitor.post("/publish/how", {**how, "weights": "sex=2, zip = 0.5", "suppression": "0.7"})
        utility = visitor.web.draft.plan().utility
        assert utility.metric == "loss"
        assert utility.weights == {"sex": 2.0, "zip": 0.5}
        assert utility.suppression == 0.7
        text = visitor.get("/publish").text
        assert 'value="sex=2, zip=0.5"' in text
        assert 'name="suppression" min="0" max="1" step="0.05" value="0.7"' in text
        visitor.post("/publish/how", {**how, "weights": "sex 2"})
        assert visitor.web.draft.plan().utility.weights == {"sex": 2.0, "zip": 0.5}, "as before"
        visitor.post("/publish/how", {**how, "weights": "", "suppression": "0.50"})
        assert not visitor.web.draft.plan().utility.weighed


def test_kept_analyses_are_shown_and_the_whole_report_is_made(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo", patients=300)
    plan.write_text(plan.read_text("utf-8").replace("ledger: ledger.db", "#") + KEEP, "utf-8")
    with visiting(tmp_path / "workspace", plan) as visitor:
        assert ">keep</option>" in visitor.get("/publish").text
        visitor.post("/publish/start")
        job = visitor.web.jobs.wait(visitor.web.jobs.last("publish").id)
        assert job.state == "done", job
        text = visitor.get("/publish").text
        assert "Analyses on the source and on the release" in text
        assert "distribution of sex" in text
        visitor.post("/publish/report")
        job = visitor.web.jobs.wait(visitor.web.jobs.last("report").id, seconds=120)
        assert job.state == "done", job
        assert "The internal report is whole now." in visitor.get("/publish").text
        assert "Quality before and after" in visitor.get("/publish/internal.html").text
