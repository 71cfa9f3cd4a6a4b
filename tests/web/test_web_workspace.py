"""The workspace: nothing is lost, nothing is opened that a client names by a path."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from webbing import Visitor, hospital, visiting

from hedgerow.base.errors import DataError, HedgerowError, PlanError, TargetError
from hedgerow.plan.plan import Plan
from hedgerow.web.draft import paths_of
from hedgerow.web.workspace import Workspace, default_folder, inside, safe_name

BAD_NAMES = [
    "../plan.yaml", "..", ".", "", "/etc/passwd", "a/b.csv", "a\\b.csv", "a\0.csv", ".hidden",
    "x" * 200, "C:\\x.csv", "a\n.csv", "~root", "a..b", "%2e%2e%2fplan.yaml", "-rf",
]  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_is_more_than_a_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError):
        safe_name(name)
    with pytest.raises(DataError):
        inside(tmp_path, name)


@given(st.text(max_size=30))
@settings(max_examples=300)
def test_whatever_passes_for_a_name_stays_in_its_folder(name: str) -> None:
    try:
        safe = safe_name(name)
    except DataError:
        return
    folder = Path("/folder")
    assert (folder / safe).parent == folder
    assert os.path.normpath(folder / safe) == str(folder / safe)
    assert not safe.startswith(".")


def test_links_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    secret = tmp_path / "secret.csv"
    secret.write_text("canary")
    (folder / "link.csv").symlink_to(secret)
    (folder / "real.csv").write_text("real")
    assert inside(folder, "real.csv").read_text() == "real"
    with pytest.raises(DataError):
        inside(folder, "link.csv")


def test_the_workspace_is_where_the_user_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEDGEROW_WORKSPACE", str(tmp_path / "here"))
    assert default_folder() == tmp_path / "here"
    monkeypatch.delenv("HEDGEROW_WORKSPACE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert default_folder() == tmp_path / "data" / "hedgerow" / "explore"
    folder = Workspace().folder
    assert folder.stat().st_mode & 0o077 == 0, "for its user only"
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(TargetError):
        Workspace(blocked)


def test_a_draft_outlives_the_app_and_leaves_the_plan_alone(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo", patients=50)
    before = plan.read_bytes()
    first = Workspace(tmp_path / "w").begin(plan)
    first.edit(("columns", "sex", "role"), "insensitive")
    again = Workspace(tmp_path / "w").begin(plan)
    assert again.text == first.text
    assert "insensitive" in again.text
    assert again.changed_here
    assert again.unsaved
    assert plan.read_bytes() == before
    assert again.save() == plan
    assert plan.read_text() == again.text
    assert not again.unsaved


def test_comments_survive_an_edit(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo", patients=50)
    draft = Workspace(tmp_path / "w").begin(plan)
    draft.edit(("protect", 0), {"k-anonymity": 7})
    draft.edit_column("zip", {"role": "quasi-identifier", "hierarchy": "suppression"})
    changed = set(draft.text.splitlines()) ^ set(plan.read_text().splitlines())
    assert len(changed) == 4, "two lines before, two after"
    assert draft.plan().columns["zip"].spec() is not None
    assert "# 13053, 1305*, 130**" in draft.text


def test_a_plan_changed_elsewhere_is_noticed(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo", patients=50)
    space = Workspace(tmp_path / "w")
    assert not space.begin(plan).changed_there
    plan.write_text(plan.read_text().replace("k-anonymity: 5", "k-anonymity: 6"))
    untouched = space.begin(plan)
    assert "k-anonymity: 6" in untouched.text
    assert not untouched.changed_there
    untouched.edit(("protect", 0), {"k-anonymity": 8})
    plan.write_text(plan.read_text().replace("k-anonymity: 6", "k-anonymity: 9"))
    kept = space.begin(plan)
    assert "k-anonymity: 8" in kept.text
    assert kept.changed_there
    kept.take_again()
    assert "k-anonymity: 9" in kept.text
    assert not kept.changed_there


def test_a_table_gets_the_plan_that_init_writes(tmp_path: Path) -> None:
    from hedgerow.plan.guess import write_plan

    table = hospital(tmp_path / "demo", patients=300).with_name("patients.csv")
    draft = Workspace(tmp_path / "w").begin(table)
    expected = write_plan(table, tmp_path / "demo" / "guessed.yaml")
    assert draft.text.replace('"patients.csv"', "patients.csv") == expected.read_text()
    assert draft.plan().source == str(table)
    with pytest.raises(TargetError, match="there is a plan already"):
        draft.save()


def test_what_is_no_table_leaves_nothing_behind(tmp_path: Path) -> None:
    space = Workspace(tmp_path / "w")
    empty = tmp_path / "empty.csv"
    empty.write_text("a,b\n")
    with pytest.raises(HedgerowError):
        space.begin(empty)
    part = tmp_path / "part"
    part.write_text("a,b\n")
    with pytest.raises(HedgerowError):
        space.receive("empty.csv", part)
    with pytest.raises(HedgerowError):
        space.begin(tmp_path / "absent.csv")
    assert space.drafts() == []
    assert list((tmp_path / "w").iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("source: patients.csv", "source: /etc/passwd"),
        ("source: patients.csv", "source: ../secret.csv"),
        ("source: patients.csv", "source: postgresql://elsewhere/x::t"),
        ("hierarchy: nationality.csv", "hierarchy: /etc/passwd"),
        ("hierarchy: nationality.csv", "hierarchy: {csv: ./../secret.csv}"),
        ("ledger: ledger.db", "ledger: /tmp/other.db"),
        ("ledger: ledger.db", "ledger: postgresql://elsewhere/x"),
        ("publish: {to: release/}", "publish: {to: /tmp/elsewhere}"),
        ("publish: {to: release/}", "publish: {to: ../elsewhere}"),
        ("publish: {to: release/}", "publish: {to: demo/../../elsewhere}"),
        ("domain: [F, M]", "domain: {csv: /etc/passwd}"),
        ("prior: metropolis.csv", "prior: /etc/passwd"),
        ("prior: metropolis.csv", "prior: {file: /etc/passwd, column: a}"),
        ("prior: metropolis.csv", "prior: metropolis.csv, knows: {file: /etc/passwd, by: name}"),
        ("- k-anonymity: 5", "- k-map: {k: 5, population: /etc/passwd}"),
        ("- k-anonymity: 5", "- composition: {confidence: 0.5, of: bill, with: [/etc]}"),
    ],
)
def test_a_plan_from_the_browser_opens_nothing_else(old: str, new: str, tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo", patients=50)
    (tmp_path / "secret.csv").write_text("canary")
    draft = Workspace(tmp_path / "w").begin(plan)
    text = draft.text.replace(old, new)
    assert text != draft.text
    Plan.parse(text, name="plan.yaml", folder=draft.base)  # right, but for where it leads
    draft.write(text)
    with pytest.raises(PlanError, match="neither uploaded nor named"):
        draft.plan()
    assert draft.text == text, "kept all the same"


def test_uploaded_files_and_names_beside_the_plan_are_fine(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo", patients=50)
    draft = Workspace(tmp_path / "w").begin(plan)
    (draft.files / "mine.csv").write_bytes((plan.parent / "nationality.csv").read_bytes())
    draft.edit(("columns", "nationality", "hierarchy"), draft.reference("mine.csv"))
    draft.edit(("publish", "to"), "release-2026")
    read = draft.plan()
    assert str(draft.files / "mine.csv") in set(paths_of(read))
    (draft.files / "link.csv").symlink_to("/etc/passwd")
    draft.edit(("columns", "nationality", "hierarchy"), draft.reference("link.csv"))
    with pytest.raises(PlanError, match="neither uploaded nor named"):
        draft.plan()


def test_every_file_a_plan_can_name_is_found() -> None:
    """Compared with the places where the plan's schema speaks of files."""
    text = """
source: s.csv
ledger: l.db
columns:
  a: {role: quasi-identifier, hierarchy: h.csv, domain: {csv: d.csv}}
  id: identifier
  s: {role: sensitive, hierarchy: {csv: g.csv}}
protect:
  - k-map: {k: 2, population: p.csv}
  - composition: {confidence: 0.5, of: s, with: [w1, w2.csv]}
  - epsilon-privacy: {epsilon: 2, of: s, adversary: {class: I, prior: r.csv,
      knows: {file: k.csv, by: id}}}
publish: {to: out}
"""
    plan = Plan.parse(text, name="plan.yaml", folder=Path("/f"))
    assert {*paths_of(plan)} == {
        f"/f/{name}"
        for name in ("s.csv", "l.db", "h.csv", "d.csv", "g.csv", "p.csv", "w1", "w2.csv", "r.csv",
                     "k.csv", "out")
    }  # fmt: skip


@pytest.mark.parametrize("name", [n for n in BAD_NAMES if n and "\0" not in n and "\n" not in n])
def test_no_route_serves_or_keeps_a_file_outside(name: str, visitor: Visitor) -> None:
    before = {p for p in visitor.web.workspace.folder.parent.rglob("*") if p.is_file()}
    answer = visitor.post("/data/columns/4/upload", files={"file": (name, b"canary;x\n")})
    assert answer.status_code in (200, 422)
    after = {p for p in visitor.web.workspace.folder.parent.rglob("*") if p.is_file()}
    kept = {p for p in after - before if p.read_bytes() == b"canary;x\n"}
    assert all(p.parent == visitor.web.draft.files for p in kept)
    assert visitor.post("/start/open", {"name": name}).status_code == 422
    spelt = quote(name, safe="").replace(".", "%2E")
    assert visitor.get(f"/publish/files/{spelt}").status_code in (404, 422)


@pytest.mark.parametrize("name", ["x.duckdb", "x.db", "plan.yaml", "x.html", "x.csv.exe", "x"])
def test_only_tables_can_be_uploaded(name: str, visitor: Visitor) -> None:
    for path in ("/data/columns/4/upload", "/adversaries/upload", "/start/upload"):
        answer = visitor.post(path, files={"file": (name, b"a;b\n")})
        assert answer.status_code == 422, path
    assert list(visitor.web.draft.files.iterdir()) == []
    assert not list(visitor.web.workspace.folder.rglob("*.upload"))


def test_nothing_is_lost_when_the_app_is_started_again(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo", patients=100)
    with visiting(tmp_path / "w", plan) as visitor:
        visitor.post("/publish/plan", {"text": "columns: [not a plan"})
        assert "not a readable plan" in visitor.get("/data").text
        assert "cannot be used yet" in visitor.get("/adversaries").text
    with visiting(tmp_path / "w", plan) as visitor:
        assert visitor.web.draft.text == "columns: [not a plan"
        page = visitor.get("/publish")
        assert page.status_code == 200
        assert "columns: [not a plan" in page.text
        assert "not a readable plan" in page.text
