"""The walls of the house: which room may import which, and what still does not keep to it.

The law is in `bench/house/rooms.py`. `KNOWN_WRONG` is a ratchet: an import that is not in it fails,
and so does an entry that is no longer true. It may only become shorter.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.rooms import ROOMS, allowed, edges, wrong  # noqa: E402
from bench.house.source import Import, Source, cycles  # noqa: E402

SOURCE = Source()
KNOWN_WRONG = tuple(
    tuple(line.split())
    for line in (Path(__file__).parent / "known_wrong.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
)


def test_the_walk_sees_what_there_is() -> None:
    """Should the walk find nothing, the walls would hold whatever is there."""
    assert len(SOURCE.modules) > 400
    assert "hedgerow.table.cells" in SOURCE.imported("hedgerow.recode.recoding")
    assert "hedgerow.attacks.intersection" in SOURCE.imported("hedgerow.api.demo"), "in a function"
    assert "hedgerow.plan.plan" in SOURCE.imported("hedgerow"), "in the stub of a door"
    types = [one for one in SOURCE.imports if one.types_only]
    assert any(one.by == "hedgerow.api.demo" and one.of == "hedgerow.ledger" for one in types)


def test_every_module_is_in_a_room() -> None:
    outside = {m for m in SOURCE.modules if SOURCE.room(m) not in ROOMS}
    assert outside == {"hedgerow", "hedgerow.__main__"}
    assert {SOURCE.room(m) for m in SOURCE.modules} - {"", "__main__"} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_says_what_it_is_for(room: str) -> None:
    text = SOURCE.modules[f"hedgerow.{room}"].read_text("utf-8")
    assert text.startswith('"""')
    assert len(text.partition('"""')[2].partition('"""')[0]) > 10


def test_rooms_import_what_they_may() -> None:
    found = wrong(SOURCE)
    new = [f"{by} imports {of}" for by, of in found if (by, of) not in KNOWN_WRONG]
    assert not new, "not allowed by bench/house/rooms.py"
    mended = [one for one in KNOWN_WRONG if one not in found]
    assert not mended, "mended: take it out of known_wrong.txt"


def test_the_law_refuses() -> None:
    """Planted imports: one that looks up, one between faces, one inside a room, one for types."""
    up = Import("hedgerow.table.cells", "hedgerow.plan.plan", "Plan", False)
    face = Import("hedgerow.web.app", "hedgerow.release.release", "Job", False)
    assert not allowed(up, SOURCE)
    assert not allowed(face, SOURCE)
    assert not allowed(Import("hedgerow.cli.show", "hedgerow.base.delivery", "DATA", False), SOURCE)
    assert not allowed(Import("hedgerow.release.release", "hedgerow", "Plan", False), SOURCE)
    assert not allowed(Import("hedgerow.release.release", "hedgerow.api", "measure", False), SOURCE)
    assert allowed(Import("hedgerow.web.app", "hedgerow.api", "measure", False), SOURCE)
    assert allowed(Import("hedgerow.web.app", "hedgerow", "Plan", False), SOURCE)
    assert allowed(Import("hedgerow.table.cells", "hedgerow.table.pack", None, False), SOURCE)
    assert allowed(Import("hedgerow.table.cells", "hedgerow.plan.plan", "Plan", True), SOURCE)


def test_the_law_has_no_cycles() -> None:
    assert not cycles({(room, other) for room, may in ROOMS.items() for other in may.split()})
    assert cycles({("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")}) == [{"a", "b", "c"}]


def test_there_are_no_cycles_but_by_known_wrong_imports() -> None:
    by_mistake = {(SOURCE.room(by), SOURCE.room(of)) for by, of in KNOWN_WRONG}
    assert not cycles(edges(SOURCE) - by_mistake)
