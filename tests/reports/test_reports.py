"""Reports: what is in them, what must not be, and that anybody can make the external one."""

from __future__ import annotations

import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow
from hedgerow.api.demo import write_hospital
from hedgerow.base.errors import DataError, PlanError, TargetError
from hedgerow.ledger import Amounts, Ledger
from hedgerow.release.certificate_text import as_text

EVIL = '<script>alert(1)</script>"onload="x'
VOID = {"meta", "rect", "circle", "line", "polyline"}


class Page(HTMLParser):
    """The tags and attributes of a page, and what a reader sees."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.seen: list[str] = []
        self.headings: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"{tag} closes nothing"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.seen.append(data)
            if self.open[-1] == "h2":
                self.headings.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.seen).split())


def sound(text: str) -> Page:
    """A page that runs nothing, fetches nothing and is well formed."""
    page = Page(text)
    assert page.open == []
    assert not {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe", "object", "base"}
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"], tag
        for name in ("href", "src", "action"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, attributes)
    policies = [a["content"] for t, a in page.tags if a.get("http-equiv")]
    assert len(policies) == 1
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'",
        policies[0] or "",
    )
    assert len(text.split("http")) == len(text.split("http-equiv")) + text.count(
        "http://www.w3.org/2000/svg"
    ), "the only address is the name of SVG"
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    for tag, attributes in page.tags:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert attributes["aria-label"]
    figures = sum(tag == "figure" for tag, _ in page.tags)
    assert figures == sum(tag == "svg" for tag, _ in page.tags)
    assert figures == sum(tag == "details" for tag, _ in page.tags), "each has its numbers"
    return page


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo hospital, published once; tests do not change it."""
    folder = tmp_path_factory.mktemp("hospital")
    hedgerow.publish(write_hospital(folder, patients=4000))
    return folder


def test_the_external_report_of_the_demo(hospital: Path) -> None:
    text = (hospital / "release" / "report.html").read_text("utf-8")
    page = sound(text)
    assert page.headings == [
        "What was published", "Claims", "Columns", "Group sizes", "Utility",
        "What is protected, and what is not", "How to verify this",
    ]  # fmt: skip
    certificate = json.loads((hospital / "release" / "certificate.json").read_text("utf-8"))
    for entry in certificate["claims"]:
        assert entry["claim"] in page.words
    for word in (certificate["data"]["sha256"], f"{certificate['data']['rows']:,}", "not published",
                 "Not protected:", "hedgerow verify", "withheld"):  # fmt: skip
        assert word in page.words, word


def test_anybody_makes_the_same_external_report(hospital: Path, tmp_path: Path) -> None:
    """From a copy of the folder alone, elsewhere, under another name."""
    copy = tmp_path / "elsewhere"
    copy.mkdir()
    for name in ("certificate.json", "data.csv"):
        shutil.copy(hospital / "release" / name, copy / name)
    made = hedgerow.report(copy)
    assert made.internal is None
    assert made.external == copy / "report.html"
    assert (copy / "report.html").read_bytes() == (hospital / "release/report.html").read_bytes()
    assert str(tmp_path) not in (copy / "report.html").read_text("utf-8")


def test_the_internal_report_is_beside_the_release_and_private(hospital: Path) -> None:
    place = hospital / "release.internal.html"
    assert place.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in (hospital / "release").iterdir()} == {
        "certificate.json", "data.csv", "report.html"
    }  # fmt: skip
    page = sound(place.read_text("utf-8"))
    assert page.headings == [
        "Claims", "Adversaries", "Risk before and after", "Group sizes", "Worst groups",
        "Technique for each column", "Before and after", "Left out", "Attacks",
        "Risk and utility", "Utility", "Ledger", "How it was made",
    ]  # fmt: skip
    assert "Do not hand this out" in page.words
    lines = (hospital / "patients.csv").read_text("utf-8").splitlines()[1:]
    names = {line.split(",")[0] for line in lines}
    assert not [name for name in names if name in page.words], "direct identifiers are in none"


@pytest.mark.slow
def test_the_whole_internal_report(hospital: Path, tmp_path: Path) -> None:
    to = tmp_path / "internal.html"
    made = hedgerow.report(
        hospital / "release", plan=hospital / "plan.yaml", internal=to, profiles=["wp216"]
    )
    assert (made.external, made.internal) == (None, to)
    page = sound(to.read_text("utf-8"))
    assert "Profile wp216" in page.headings
    assert "singling-out" in page.words
    assert "loss of the best release for each strictness" in page.words
    assert "hedgerow report RELEASE" not in page.words, "nothing is left to try"
    names = [finding.requirement for finding in made.profiles[0].findings]
    assert len([name for name in names if name.startswith("inference")]) == 2
    assert all(one.verdict != "not checkable" for one in made.profiles[0].findings[:4])


def test_a_column_of_which_nothing_is_left_is_called_suppressed(tmp_path: Path) -> None:
    rows = [f"{i % 3},{i}" for i in range(30)]
    (tmp_path / "t.csv").write_text("age,place\n" + "\n".join(rows) + "\n", "utf-8")
    columns = {
        "age": "quasi-identifier",
        "place": {"role": "quasi-identifier", "hierarchy": {"ranges": [2]}},
    }
    protect = [{"k-anonymity": 5}]
    hedgerow.publish(tmp_path / "t.csv", columns=columns, protect=protect, to=tmp_path / "out")
    words = sound((tmp_path / "out" / "report.html").read_text("utf-8")).words
    assert "place quasi-identifier suppressed: nothing is left of it" in words
    assert "age quasi-identifier published as it is (level 0)" in words


def test_worst_groups_and_risks_by_hand(tmp_path: Path) -> None:
    rows = ["1,flu"] * 3 + ["2,flu"] * 2 + ["2,gout"] * 3 + ["3,flu"]
    (tmp_path / "t.csv").write_text("age,ill\n" + "\n".join(rows) + "\n", "utf-8")
    hedgerow.publish(
        tmp_path / "t.csv",
        columns={"age": "quasi-identifier", "ill": "sensitive"},
        protect=[{"k-anonymity": 3}],
        method={"suppress": "20%"},
        to=tmp_path / "out",
    )
    page = sound((tmp_path / "out.internal.html").read_text("utf-8"))
    words = page.words
    assert "before (initial risk) 9 3 1 3 1.0000 0.3333 1 (11.1 %)" in words
    assert "after (residual risk) 8 2 3 4 0.3333 0.2500 0 (0 %)" in words
    assert "people suppressed 1 of 9 (11.1 %)" in words
    assert "age 3 1 1 100.0 %" in words, "whom it hits"
    assert "age people level 1 3 3 2 5 5" in words, "worst first"
    assert "2 → 2" in words
    assert "1 → 1" not in words, "raw values only of people in large groups"
    outside = sound((tmp_path / "out" / "report.html").read_text("utf-8")).words
    assert "age 3 1 1" not in outside
    assert "initial risk" not in outside


@pytest.mark.parametrize("place", ["column", "value", "path"])
def test_nothing_in_the_data_becomes_markup(tmp_path: Path, place: str) -> None:
    column = EVIL if place == "column" else "town"
    value = EVIL if place == "value" else "Gotham"
    folder = tmp_path / ("<script>\"onload='x" if place == "path" else "plain")
    folder.mkdir()
    quoted = '"' + column.replace('"', '""') + '"'
    secret = "ill" + column  # which the charts name
    ill = '"' + secret.replace('"', '""') + '"'
    shown = '"' + value.replace('"', '""') + '"'
    lines = [f"{shown},{shown}"] * 4 + ["Metropolis,flu"] * 4
    (folder / "t.csv").write_text(f"{quoted},{ill}\n" + "\n".join(lines) + "\n", "utf-8")
    plan = {
        "source": "t.csv",
        "population": EVIL,
        "columns": {column: "quasi-identifier", secret: "sensitive"},
        "protect": [{"k-anonymity": 3}],
        "publish": {"to": "out"},
    }
    (folder / "plan.yaml").write_text(json.dumps(plan), "utf-8")
    hedgerow.publish(folder / "plan.yaml")
    hedgerow.report(
        folder / "out", plan=folder / "plan.yaml", profiles=["hipaa-safe-harbor", "uk-tre"],
        external=folder / "e.html", internal=folder / "i.html",
    )  # fmt: skip
    for file in (folder / "out" / "report.html", folder / "out.internal.html", folder / "e.html",
                 folder / "i.html"):  # fmt: skip
        text = file.read_text("utf-8")
        page = sound(text)
        assert "<script" not in text
        assert EVIL in "".join(page.seen)


def test_control_characters_are_written_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,ill\n" + "x\u202ey\x07,flu\n" * 4, "utf-8")
    hedgerow.publish(
        tmp_path / "t.csv", columns={"a": "quasi-identifier", "ill": "sensitive"},
        protect=[{"k-anonymity": 2}], to=tmp_path / "out",
    )  # fmt: skip
    text = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "\u202e" not in text
    assert "\x07" not in text
    assert "\\u202e" in text


def test_a_suppressed_value_is_in_no_external_report(tmp_path: Path) -> None:
    """Somebody who is left out, with a value nobody else has, and a town nobody else lives in."""
    rows = ["north,flu"] * 10 + ["south,gout"] * 10 + ["canarytown,canaryill"]
    (tmp_path / "t.csv").write_text("town,ill\n" + "\n".join(rows) + "\n", "utf-8")
    hedgerow.publish(
        tmp_path / "t.csv", columns={"town": "quasi-identifier", "ill": "sensitive"},
        protect=[{"k-anonymity": 5}], method={"suppress": "10%"}, to=tmp_path / "out",
    )  # fmt: skip
    report = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "canary" not in report
    inside = (tmp_path / "out.internal.html").read_text("utf-8")
    assert "canarytown" in inside, "the publisher hears whom it hits"
    assert "canaryill" not in inside
    assert str(tmp_path) not in report


def test_neighbours_outside_the_release_change_nothing_but_totals(tmp_path: Path) -> None:
    """Who is left out does not shape the external report beyond what the certificate says."""
    found = []
    for town in ("aa", "ab"):
        folder = tmp_path / town
        folder.mkdir()
        rows = ["north,flu"] * 10 + ["south,gout"] * 10 + [f"{town},flu"]
        (folder / "t.csv").write_text("town,ill\n" + "\n".join(rows) + "\n", "utf-8")
        hedgerow.publish(
            folder / "t.csv", columns={"town": "quasi-identifier", "ill": "sensitive"},
            protect=[{"k-anonymity": 5}], method={"suppress": "10%"}, to=folder / "out",
        )  # fmt: skip
        found.append((folder / "out" / "report.html").read_bytes())
    assert found[0] == found[1]


def test_a_replaced_release_replaces_both(tmp_path: Path) -> None:
    def publish(k: int, **more: Any) -> None:
        hedgerow.publish(
            tmp_path / "t.csv", columns={"a": "quasi-identifier", "ill": "sensitive"},
            protect=[{"k-anonymity": k}], to=tmp_path / "out", replace=True, **more,
        )  # fmt: skip

    (tmp_path / "t.csv").write_text("a,ill\n" + "1,flu\n" * 4 + "2,gout\n" * 6, "utf-8")
    publish(2)
    before = [(tmp_path / n).read_text("utf-8") for n in ("out/report.html", "out.internal.html")]
    publish(3)
    after = [(tmp_path / n).read_text("utf-8") for n in ("out/report.html", "out.internal.html")]
    assert all("2-anonymity" in text for text in before)
    assert all("3-anonymity" in text and "2-anonymity" not in text for text in after)
    publish(4, report=False)
    assert not (tmp_path / "out.internal.html").exists(), "what it was about is gone"
    assert "4-anonymity" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_what_is_in_the_way_of_the_internal_report_stays(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,ill\n" + "1,flu\n" * 4, "utf-8")
    (tmp_path / "out.internal.html").write_text("my diary", "utf-8")
    how: dict[str, Any] = {
        "columns": {"a": "quasi-identifier", "ill": "sensitive"},
        "protect": [{"k-anonymity": 2}],
        "to": tmp_path / "out",
    }
    with pytest.raises(TargetError, match="something else is there"):
        hedgerow.publish(tmp_path / "t.csv", **how)
    assert not (tmp_path / "out").exists()
    hedgerow.publish(tmp_path / "t.csv", **how, report=False)
    assert (tmp_path / "out.internal.html").read_text("utf-8") == "my diary"


def test_no_internal_report_in_a_release(hospital: Path) -> None:
    with pytest.raises(TargetError, match="must not be in its folder"):
        hedgerow.report(
            hospital / "release",
            plan=hospital / "plan.yaml",
            internal=hospital / "release" / "internal.html",
        )
    with pytest.raises(PlanError, match="what the release was made from"):
        hedgerow.report(hospital / "release", internal=hospital / "i.html")
    with pytest.raises(TargetError, match="something else"):
        hedgerow.report(hospital / "release", external=hospital / "patients.csv")


def test_another_source_is_noticed(hospital: Path, tmp_path: Path) -> None:
    shutil.copytree(hospital, tmp_path / "other")
    people = tmp_path / "other" / "patients.csv"
    lines = people.read_text("utf-8").splitlines(keepends=True)
    people.write_text("".join(lines[:-1]), "utf-8")
    with pytest.raises(DataError, match="3,999 people, not 4,000"):
        hedgerow.report(tmp_path / "other" / "release", plan=tmp_path / "other" / "plan.yaml")
    people.write_text("".join([*lines[:-1], lines[1]]), "utf-8")
    with pytest.raises(DataError, match="not those the release was made from"):
        hedgerow.report(tmp_path / "other" / "release", plan=tmp_path / "other" / "plan.yaml")


@pytest.mark.parametrize(
    ("search", "more"),
    [
        ("mondrian", {}),
        ("mondrian", {"mode": "relaxed"}),
        ("local", {"suppress": "20%"}),
        ("microaggregation", {}),
    ],
)
def test_other_methods(tmp_path: Path, search: str, more: dict[str, Any]) -> None:
    rows = [f"{20 + i % 37},{'FM'[i % 2]},{'abc'[i % 3]}" for i in range(200)]
    (tmp_path / "t.csv").write_text("age,sex,ill\n" + "\n".join(rows) + "\n", "utf-8")
    plan = {
        "source": "t.csv",
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 20]}},
            "sex": "quasi-identifier",
            "ill": "sensitive",
        },
        "protect": [{"k-anonymity": 5}],
        "method": {"search": search, **more},
        "publish": {"to": "out"},
    }
    if search == "microaggregation":
        del plan["columns"]["sex"]  # type: ignore[attr-defined]
        plan["columns"]["sex"] = "identifier"  # type: ignore[index]
    (tmp_path / "plan.yaml").write_text(json.dumps(plan), "utf-8")
    hedgerow.publish(tmp_path / "plan.yaml")
    sound((tmp_path / "out" / "report.html").read_text("utf-8"))
    first = sound((tmp_path / "out.internal.html").read_text("utf-8")).words
    made = hedgerow.report(tmp_path / "out", plan=tmp_path / "plan.yaml")
    assert made.internal == (tmp_path / "out.internal.html").resolve()
    again = sound(made.internal.read_text("utf-8")).words
    part = re.compile(r"before \(initial risk\).*?Group sizes")
    assert part.findall(first) == part.findall(again)
    assert "There is none: there is no frontier" in again
    assert hedgerow.verify(tmp_path / "out").refuted == ()


def test_people_with_several_rows(tmp_path: Path) -> None:
    rows = [f"p{i % 20},{i % 2},{'abc'[i % 3]}" for i in range(60)]
    (tmp_path / "t.csv").write_text("who,a,ill\n" + "\n".join(rows) + "\n", "utf-8")
    plan = {
        "source": "t.csv", "person": "who", "rows": "at most 3",
        "columns": {"a": "quasi-identifier", "ill": "sensitive"},
        "protect": [{"k-anonymity": 5}], "publish": {"to": "out"},
    }  # fmt: skip
    (tmp_path / "plan.yaml").write_text(json.dumps(plan), "utf-8")
    hedgerow.publish(tmp_path / "plan.yaml")
    page = sound((tmp_path / "out" / "report.html").read_text("utf-8"))
    assert "A person may have several rows." in page.words
    made = hedgerow.report(
        tmp_path / "out", plan=tmp_path / "plan.yaml", profiles=["cms-cell-size", "ema-0070"]
    )
    assert {one.verdict for one in made.profiles[0].findings[:2]} == {"not met"}, "at least"
    assert "3/30" in made.profiles[1].findings[0].evidence


TOWN = {
    "population": "town",
    "ledger": "ledger.db",
    "source": "people.csv",
    "privacy": {"neighbours": "add-remove"},
    "publish": {"to": "out"},
}
NOISY = {
    "columns": {
        "age": {"role": "quasi-identifier", "bounds": [0, 40], "step": 10},
        "sex": {"role": "quasi-identifier", "domain": ["F", "M"]},
        "ill": {"role": "sensitive", "domain": ["flu", "gout", None]},
    },
    "method": {"search": "marginals", "epsilon": 1, "tables": 2, "synthetic": True},
}
SAFE = {
    "columns": {
        "age": {"role": "quasi-identifier", "bounds": [0, 99], "step": 1,
                "hierarchy": {"ranges": [10, 50]}, "levels": [2, 2]},
        "sex": {"role": "quasi-identifier", "domain": ["F", "M"], "levels": [0, 0]},
    },
    "method": {"search": "safe", "beta": 0.8, "epsilon": 1, "delta": 1e-6},
}  # fmt: skip


@pytest.mark.parametrize("kind", ["randomised", "safe"])
def test_releases_with_a_price(tmp_path: Path, kind: str) -> None:
    header = "age,sex,ill" if kind == "randomised" else "age,sex"
    rows = [f"{i % 40},{'FM'[i % 2]},{['flu', 'gout', ''][i % 3]}" for i in range(600)]
    lines = [row if kind == "randomised" else row.rpartition(",")[0] for row in rows]
    (tmp_path / "people.csv").write_text("\n".join([header, *lines, ""]), "utf-8")
    plan = TOWN | (NOISY if kind == "randomised" else SAFE)
    (tmp_path / "plan.yaml").write_text(json.dumps(plan), "utf-8")
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=4, delta="1e-3"))
    hedgerow.publish(tmp_path / "plan.yaml")
    text = (tmp_path / "out" / "report.html").read_text("utf-8")
    page = sound(text)
    assert page.headings[:2] == ["What was published", "Claims"]
    assert "add-remove" in page.words
    inside = sound((tmp_path / "out.internal.html").read_text("utf-8"))
    assert "1 of 4 spent" in inside.words
    assert "the raw data" not in text or "without the raw data" in page.words
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / "out", copy)
    (copy / "report.html").unlink()
    hedgerow.report(copy)
    assert (copy / "report.html").read_text("utf-8") == text
    assert not hedgerow.verify(copy).refuted
    made = hedgerow.report(
        tmp_path / "out",
        plan=tmp_path / "plan.yaml",
        profiles=["nist-800-226", "wp216", "cms-cell-size", "uk-tre", "ema-0070",
                  "hipaa-safe-harbor"],
    )  # fmt: skip
    nist = {one.requirement: one.verdict for one in made.profiles[0].findings}
    assert list(nist.values()) == ["met"] * 5 + ["not checkable"] * 2
    assert "no official limit" in made.profiles[0].findings[2].evidence
    assert {one.verdict for one in made.profiles[1].findings} == {"not checkable"}
    # The source does not have to be there: it is not looked at.
    (tmp_path / "people.csv").unlink()
    hedgerow.report(tmp_path / "out", plan=tmp_path / "plan.yaml")


@pytest.mark.parametrize("forged", [{}, {"beta": "0"}, {"epsilon": "5000"}, {"beta": "1.5"}])
def test_a_safe_release_with_nobody_in_it_says_so(tmp_path: Path, forged: dict[str, str]) -> None:
    people = pa.table({"age": ["31", "35", "62"], "sex": ["F", "M", "M"]})
    method = {**SAFE["method"], "k": 100_000}
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=4, delta="1e-3"))
    found = hedgerow.publish(
        people, to=tmp_path / "out", population="town", ledger=tmp_path / "ledger.db",
        columns=SAFE["columns"], method=method, privacy="add-remove",
    )  # fmt: skip
    assert (found.rows, "of no rows" in repr(found)) == (0, True)
    for name in ("out/report.html", "out.internal.html"):
        page = sound((tmp_path / name).read_text("utf-8"))
        assert "Nobody is in this release: no group had 100,000 people who were drawn" in page.words
        assert "a group of 125,000 people is published at least every other time" in page.words
        assert "135 would keep (1, 1e-6)-differential privacy" in page.words
    assert not hedgerow.verify(tmp_path / "out").refuted
    # A certificate of somebody else may say anything; the report of it still says what is so.
    place = tmp_path / "out" / "certificate.json"
    told = json.loads(place.read_text("utf-8"))
    told["sampling"] |= {key: forged[key] for key in forged if key in told["sampling"]}
    told["price"] |= {key: forged[key] for key in forged if key in told["price"]}
    place.write_text(as_text(told), "utf-8")
    hedgerow.report(tmp_path / "out", external=tmp_path / "report.html")
    page = sound((tmp_path / "report.html").read_text("utf-8"))
    assert "Nobody is in this release" in page.words
    assert ("125,000" in page.words) == (not forged)


def test_verify_compares_the_report(hospital: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(hospital / "release", copy)
    told = {c.what: c for c in hedgerow.verify(copy).checks}
    assert told["report"].verdict == "verified"
    report = copy / "report.html"
    text = report.read_text("utf-8")
    report.write_text(text.replace("966", "12").replace("4,000", "5,000"), "utf-8")
    found = hedgerow.verify(copy)
    unlisted = "folder: 'report.html' is not the file that the certificate lists"
    other_page = "report: report.html is not the one that data and certificate give"
    assert found.refuted == (unlisted, other_page)
    # The release is of this version, and its report must be too.
    report.write_text(text.replace('content="hedgerow ', 'content="hedgerow 9.'), "utf-8")
    other = {c.what: c for c in hedgerow.verify(copy).checks}["report"]
    assert (other.verdict, "not with the release" in other.why) == ("refuted", True)
    report.write_bytes(b"\xff\xfe")
    assert hedgerow.verify(copy).refuted == (unlisted, "report: report.html cannot be read")
    report.unlink()
    assert "report" not in {c.what for c in hedgerow.verify(copy).checks}
    assert hedgerow.verify(copy).refuted == (
        "folder: the folder lacks 'report.html', which the certificate lists",
    )
    # Of a release of another version nobody here can say more than that the file is listed.
    shutil.copy(hospital / "release" / "report.html", report)
    path = copy / "certificate.json"
    old = json.loads(path.read_text("utf-8"))
    old["software"]["version"] = "9.9"
    path.write_text(as_text(old), "utf-8")
    told = {c.what: c for c in hedgerow.verify(copy).checks}
    assert told["folder"].verdict == "verified"
    assert (told["report"].verdict, "not compared" in told["report"].why) == (
        "not verifiable", True,
    )  # fmt: skip


def test_a_folder_that_was_changed_gets_no_report(hospital: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(hospital / "release", copy)
    with (copy / "data.csv").open("a", encoding="utf-8") as file:
        file.write("13***,1990s,F,Asia,Stroke,1000\n")
    with pytest.raises(DataError, match="was changed"):
        hedgerow.report(copy)
    (copy / "certificate.json").write_text('{"format": "x"}', "utf-8")
    with pytest.raises(DataError):
        hedgerow.report(copy)


def test_reports_do_not_depend_on_the_umask_or_the_time(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,ill\n" + "1,flu\n" * 4, "utf-8")
    found = []
    for mask, name in ((0o022, "one"), (0o077, "two")):
        old = os.umask(mask)
        try:
            hedgerow.publish(
                tmp_path / "t.csv", columns={"a": "quasi-identifier", "ill": "sensitive"},
                protect=[{"k-anonymity": 2}], to=tmp_path / name,
            )  # fmt: skip
        finally:
            os.umask(old)
        found.append([
            (tmp_path / name / "report.html").read_bytes(),
            (tmp_path / f"{name}.internal.html").read_bytes(),
        ])  # fmt: skip
        assert (tmp_path / f"{name}.internal.html").stat().st_mode & 0o777 == 0o600
    assert found[0] == found[1]


def test_rows_are_not_called_people(tmp_path: Path) -> None:
    """27 rows, of which 5 may be one person's, are a risk of 5/27 and not of 1/27."""
    rows = [f"p{i // 5},{'xy'[i >= 27]},{'abc'[i % 3]}" for i in range(60)]
    (tmp_path / "t.csv").write_text("who,a,ill\n" + "\n".join(rows) + "\n", "utf-8")
    plan = {
        "source": "t.csv", "person": "who", "rows": "at most 5",
        "columns": {"a": "quasi-identifier", "ill": "sensitive"},
        "protect": [{"k-anonymity": 5}], "publish": {"to": "out"},
    }  # fmt: skip
    (tmp_path / "plan.yaml").write_text(json.dumps(plan), "utf-8")
    hedgerow.publish(tmp_path / "plan.yaml")
    names = ["ema-0070", "cms-cell-size", "uk-tre"]
    made = hedgerow.report(tmp_path / "out", plan=tmp_path / "plan.yaml", profiles=names)
    words = sound((tmp_path / "out.internal.html").read_text("utf-8")).words
    assert "2 groups of 27 to 33 rows" in words
    assert "after (residual risk) 60 2 27 30 0.1852 0.1667 0 (0 %)" in words
    assert "a rows level x 27 5" in words, "the level counts people"
    assert "rows suppressed 0 of 60" in words
    assert "of 60 people" not in words
    told = [{one.requirement: one for one in profile.findings} for profile in made.profiles]
    residual, initial = list(told[0].values())[:2]
    assert (residual.verdict, residual.evidence[:13]) == ("not met", "0.1852 = 5/27")
    assert "0 of 2 groups of 60 rows may be one person" in initial.evidence
    few = told[1]["no group of people counts 1 to 10"]
    assert (few.verdict, few.evidence[:6]) == ("not met", "2 of 2")
    assert told[2]["each cell counts at least 10"].verdict == "not met"
    found = hedgerow.attack([tmp_path / "out"], plan=tmp_path / "plan.yaml")
    assert {one.unit for one in found} == {"rows"}
    assert not [text for one in found for text in one.sentences if "people" in text]
    assert {one.unit for one in hedgerow.attack([tmp_path / "out"])} == {"rows"}, "certified"
