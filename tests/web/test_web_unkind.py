"""Unkind users and accidents: bombs, leftover tabs, damaged folders, names that collide."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from webbing import ORIGIN, Visitor, hospital, visiting
from work import steps

from hedgerow.answers import charge
from hedgerow.api.plan_text import data_of
from hedgerow.base.errors import DataError, PlanError
from hedgerow.ledger import Amounts, Ledger
from hedgerow.plan.yaml_document import MOST_NODES
from hedgerow.web import draft as drafts
from hedgerow.web.steps import query
from hedgerow.web.workspace import ABANDONED, Workspace

NASTY = "<img src=x onerror=alert(1)>"


def laughs() -> str:
    """Nine aliases of nine aliases of ..."""
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for below, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{below}'] * 9)}]")
    return "\n".join(lines) + "\n"


def chain(length: int) -> str:
    """Each line one level deeper than the one before, by an alias."""
    lines = ["k0: &k0 [x]"]
    lines += [f"k{i}: &k{i} [*k{i - 1}]" for i in range(1, length)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("text", [laughs(), chain(1_200)], ids=["laughs", "chain"])
def test_a_bomb_is_kept_told_and_harmless(text: str, visitor: Visitor) -> None:
    assert visitor.post("/publish/plan", {"text": text}).status_code == 200
    for path in ("/publish", "/data", "/adversaries", "/start"):
        answer = visitor.get(path)
        assert answer.status_code in (200, 422)
    assert "not a readable plan: more than" in visitor.get("/publish").text

    def walked() -> None:
        with pytest.raises(PlanError, match="more than"):
            data_of(text)

    assert steps(walked) < 50 * MOST_NODES


def test_aliases_that_are_no_bomb_are_read() -> None:
    text = "a: &a {role: sensitive, l: [1, 2]}\nb: *a\nc: [*a, *a]\n"
    one = {"role": "sensitive", "l": [1, 2]}
    assert data_of(text) == {"a": one, "b": one, "c": [one, one]}
    assert data_of(chain(100))["k1"] == [["x"]]
    with pytest.raises(PlanError, match="inside itself"):
        data_of("a: &a [*a]\n")


@pytest.mark.parametrize("more", [0, 1])
def test_values_are_counted_as_they_are_written_out(more: int) -> None:
    # The list itself, its lists, and what is in them; keys are no values.
    inner = 999
    outer = (MOST_NODES - 3 - inner) // (inner + 1) + more
    text = f"a: &a [{', '.join('x' * inner)}]\nb: [{', '.join(['*a'] * outer)}]\n"
    if more:
        with pytest.raises(PlanError, match="more than 1,000,000 values"):
            data_of(text)
    else:
        assert len(data_of(text)["b"]) == outer


def test_a_form_left_in_another_tab_does_not_change_other_work(tmp_path: Path) -> None:
    first, second = hospital(tmp_path / "one"), hospital(tmp_path / "two")
    with visiting(tmp_path / "workspace", first) as visitor:
        page = visitor.get("/publish").text
        actions = re.findall(r'<form method="post" action="([^"]*)"', page)
        assert f"/publish/start?work={visitor.web.draft.name}" in actions
        visitor.web.open(visitor.web.workspace.begin(second))
        before = visitor.web.draft.text
        data = {"text": "nothing", "name": "x", "kind": "count", "epsilon": "1", "budget": "9"}
        asked = [*actions, *(f"{a}?work={visitor.web.workspace.begin(first).name}" for a in (
            "/query/ask", "/query/budget", "/attack/run", "/explore/use", "/data/about",
        ))]  # fmt: skip
        for action in asked:
            answer = visitor.post(action.replace("&amp;", "&"), data)
            assert answer.status_code == 422, action
            assert "this page is about other work" in answer.text, action
        assert visitor.web.draft.text == before
        assert not visitor.web.jobs.all("publish")


def test_every_form_says_which_work_it_means(visitor: Visitor) -> None:
    seen = 0
    for step in visitor.web.steps:
        text = visitor.settled(step.path).text
        for action in re.findall(r'<form[^>]*method="post"[^>]*action="([^"]*)"', text):
            if not action.startswith("/jobs/"):
                assert action.endswith(f"?work={visitor.web.draft.name}"), action
                seen += 1
    assert seen > 20


def test_a_text_that_another_tab_has_changed_is_not_overwritten(visitor: Visitor) -> None:
    mark = re.search(r'name="mark" value="(\w+)"', visitor.get("/publish").text)
    assert mark is not None
    visitor.post("/publish/how", {"to": "elsewhere", "search": "mondrian"})
    changed = visitor.web.draft.text
    assert "elsewhere" in changed
    answer = visitor.post("/publish/plan", {"text": "stale", "mark": mark[1]})
    assert answer.status_code == 422
    assert "changed meanwhile" in answer.text
    assert visitor.web.draft.text == changed
    fresh = visitor.web.draft.mark
    visitor.post("/publish/plan", {"text": changed + "# mine\n", "mark": fresh})
    assert visitor.web.draft.text == changed + "# mine\n"


def test_only_what_was_published_here_is_replaced_without_a_word(tmp_path: Path) -> None:
    with visiting(tmp_path / "workspace", hospital(tmp_path / "demo")) as visitor:
        ours = 'name="replace" value="1" checked'
        visitor.post("/publish/start")
        assert ours in visitor.settled("/publish").text
        (tmp_path / "demo" / "theirs").mkdir()
        visitor.post("/publish/how", {"to": "theirs"})
        shown = visitor.get("/publish").text
        assert 'name="replace"' in shown
        assert ours not in shown


@pytest.mark.parametrize("path", ["/data/columns/0/upload", "/adversaries/upload"])
def test_an_upload_does_not_replace_the_table(path: str, tmp_path: Path) -> None:
    table = b"age,ill\n" + b"".join(b"%d,flu\n" % (20 + i % 9) for i in range(60))
    with visiting(tmp_path / "workspace") as visitor:
        headers = {"Origin": ORIGIN}

        def send(where: str, name: str, content: bytes) -> Any:
            form = {"file": (name, content)}
            return visitor.client.post(where, files=form, headers=headers, follow_redirects=False)

        assert send("/start/upload", "people.csv", table).status_code == 303
        assert visitor.web.draft is not None
        kept = visitor.web.draft.files / "people.csv"
        refused = send(path, "people.csv", b"20;*\n")
        assert refused.status_code == 422
        assert "what the table itself is called" in refused.text
        assert kept.read_bytes() == table
        for content in (b"20;*\n", b"21;*\n"):  # a correction of what was uploaded
            assert send(path, "ages.csv", content).status_code == 303
        assert (kept.parent / "ages.csv").read_bytes() == b"21;*\n"
        assert sorted(p.name for p in kept.parent.iterdir()) == ["ages.csv", "people.csv"]


def test_work_that_was_removed_leads_to_the_start(visitor: Visitor) -> None:
    assert visitor.web.draft is not None
    (visitor.web.draft.folder / "plan.yaml").unlink()
    for path in ("/data", "/publish", "/explore", "/"):
        answer = visitor.get(path)
        assert answer.status_code == 200
        assert answer.url.path == "/start"
    assert visitor.get("/nothing/here").status_code == 404


def test_damaged_work_does_not_hide_the_rest(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace")
    whole = workspace.begin(hospital(tmp_path / "one"))
    damaged = workspace.begin(hospital(tmp_path / "two"))
    (damaged.folder / "about.json").write_text("{")
    assert [draft.name for draft in workspace.drafts()] == [whole.name]
    with pytest.raises(DataError, match="damaged"):
        workspace.draft(damaged.name)
    with visiting(tmp_path / "workspace") as visitor:
        assert whole.name in visitor.get("/start").text
        answer = visitor.post("/start/open", {"name": damaged.name})
        assert answer.status_code == 422
        assert "damaged" in answer.text


def test_a_full_disk_is_told_and_the_plan_stays(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert visitor.web.draft is not None
    before = visitor.web.draft.text

    def full(path: Path, text: str, **how: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(drafts, "write_text", full)
    answer = visitor.post("/publish/plan", {"text": "another"})
    assert answer.status_code == 422
    assert "could not be kept: No space left" in answer.text
    assert visitor.web.draft.text == before


def test_what_a_crash_left_of_an_upload_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    draft = Workspace(folder).begin(hospital(tmp_path / "demo"))
    old, below, growing = (
        folder / ".0123456789abcdef.upload",
        draft.files / ".0123456789abcdef.upload",
        folder / ".fedcba9876543210.upload",
    )
    for part in (old, below, growing):
        part.write_text("name\nBruce\n")
    past = time.time() - 2 * ABANDONED
    for part in (old, below):
        os.utime(part, (past, past))
    outside = tmp_path / "elsewhere.upload"
    outside.write_text("theirs")
    link = folder / ".aaaaaaaaaaaaaaaa.upload"
    link.symlink_to(outside)
    os.utime(link, (past, past), follow_symlinks=False)
    Workspace(folder)
    assert [part.exists() for part in (old, below, growing)] == [False, False, True]
    assert outside.read_text() == "theirs"


def test_what_others_wrote_is_never_markup(tmp_path: Path) -> None:
    table = tmp_path / "nasty.csv"
    names = [NASTY, "{{7*7}}", "a:b.c[0]", "q"]
    rows = [[f"<b>{i % 3}</b>", "{{7*7}}", str(i % 5), f"v{i % 7}"] for i in range(60)]
    table.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")
    with visiting(tmp_path / "workspace", table) as visitor:
        assert visitor.web.draft is not None
        text = visitor.web.draft.text
        visitor.web.draft.write(text + f"# {NASTY} {{{{7*7}}}}\npopulation: '{NASTY}'\n")
        pages = [step.path for step in visitor.web.steps]
        pages += [f"/data/columns/{i}" for i in range(4)]
        pages += [f"/query?kind={NASTY}&where={NASTY}&epsilon={NASTY}", f"/jobs/{NASTY}"]
        for path in pages:
            answer = visitor.settled(path)
            assert answer.status_code in (200, 422), path
            assert "<img src=x" not in answer.text, path
            assert "<b>1</b>" not in answer.text, path
            assert "49" not in re.sub(r"\{\{7\*7\}\}", "", answer.text).split(), path
        for name in (NASTY + ".csv", "{{7*7}}.csv", "a\r\nSet-Cookie: x=y.csv"):
            answer = visitor.client.post(
                "/start/upload", files={"file": (name, b"a,b\n1,2\n")}, headers={"Origin": ORIGIN}
            )
            assert answer.status_code == 422, name
            assert "<img src=x" not in answer.text, name
            assert "set-cookie" not in answer.headers, name


def test_two_apps_on_one_workspace_pay_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if in two processes: without the lock that only one process sees."""
    plan = hospital(tmp_path / "demo")
    real = charge.point

    def slow(name: str) -> None:
        real(name)
        if name == "reserved":
            time.sleep(0.3)

    monkeypatch.setattr(charge, "point", slow)
    monkeypatch.setattr(query, "ONE_AT_A_TIME", contextlib.nullcontext())
    asked = {"kind": "count", "epsilon": "0.1"}
    with (
        visiting(tmp_path / "workspace", plan) as one,
        visiting(tmp_path / "workspace", plan) as two,
        ThreadPoolExecutor(2) as pool,
    ):
        for who in (one, two):
            who.get("/query")  # routes are made ready at the first visit, which is not for threads
        sent = list(
            pool.map(lambda who: who.post("/query/ask", asked, follow_redirects=False), (one, two))
        )
    assert len({answer.headers["location"].partition("?")[0] for answer in sent}) == 1
    with Ledger.open(tmp_path / "demo" / "ledger.db") as ledger:
        assert ledger.budget("gotham-inpatients").spent == Amounts.of(epsilon="0.1")
