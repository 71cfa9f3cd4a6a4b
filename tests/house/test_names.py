"""A class name stands for one thing, and modules are nouns."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.names import TERMS, is_verb_form, shared, verb_forms  # noqa: E402
from bench.house.source import Source  # noqa: E402

SOURCE = Source()


def test_no_two_classes_share_a_name() -> None:
    assert shared(SOURCE) == {}


def test_modules_are_nouns() -> None:
    assert list(verb_forms(SOURCE)) == []


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
