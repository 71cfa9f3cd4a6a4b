"""A class name stands for one thing, and modules are nouns."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.names import TERMS, is_verb_form, shared, verb_forms  # noqa: E402
from bench.house.source import Source  # noqa: E402

SOURCE = Source()
OTHER_BRANCHES = {
    "Bar",
    "Beliefs",
    "Beside",
    "Constraints",
    "Count",
    "Counted",
    "Cuts",
    "Definition",
    "Gauge",
    "Groups",
    "Held",
    "Interval",
    "Job",
    "Kept",
    "Kind",
    "Known",
    "Libraries",
    "Line",
    "Loss",
    "Method",
    "Neighbours",
    "Preview",
    "Profile",
    "Published",
    "Question",
    "Recoded",
    "Request",
    "Sensitivity",
    "Session",
    "Shown",
    "Software",
    "Standing",
    "Step",
    "Taxonomy",
    "Told",
    "Worst",
    "_Form",
}
"""Names that are being changed elsewhere."""
MODULES_ELSEWHERE = {"hedgerow.release.charged", "hedgerow.release.wanted"}
"""Modules that are being renamed elsewhere."""


def test_no_two_classes_share_a_name() -> None:
    found = shared(SOURCE)
    assert {name: found[name] for name in found if name not in OTHER_BRANCHES} == {}


def test_modules_are_nouns() -> None:
    assert set(verb_forms(SOURCE)) <= MODULES_ELSEWHERE


def test_the_terms_are_needed() -> None:
    """Whoever gives up the last module of a name takes the term out, too."""
    words = {module.rpartition(".")[2].rpartition("_")[2] for module in SOURCE.modules}
    assert not TERMS.keys() - words


def test_a_shared_name_and_a_verb_are_found(tmp_path: Path) -> None:
    home = tmp_path / "hedgerow"
    home.mkdir()
    for name in ("tabled", "parting", "spelled", "published_table", "rounding", "told"):
        home.joinpath(f"{name}.py").write_text("class Part: ...\n", "utf-8")
    source = Source(home)
    verbs = ("tabled", "parting", "spelled", "told")
    assert {*verb_forms(source)} == {f"hedgerow.{name}" for name in verbs}
    assert [*shared(source)] == ["Part"]
    assert len(shared(source)["Part"]) == 6
    assert is_verb_form("hedgerow.answers.asked")
