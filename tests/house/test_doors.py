"""The doors of the house, `hedgerow` and `hedgerow.api`: one list each, loaded on first use."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from work import steps

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.source import Source  # noqa: E402

SOURCE = Source()
DOORS = ("hedgerow", "hedgerow.api")
FACES = ("web", "cli")


@pytest.mark.parametrize("package", DOORS)
def test_every_name_is_there(package: str) -> None:
    door = importlib.import_module(package)
    names = door.__all__
    assert len(names) > 50
    assert dir(door) == sorted(names), "dir() is the table of contents"
    for name in names:
        assert getattr(door, name) is not None
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = door.nothing


@pytest.mark.parametrize("package", DOORS)
def test_no_module_has_the_name_of_what_a_door_offers(package: str) -> None:
    """Once imported, a module stands in its package under its name, and would hide the other."""
    names = importlib.import_module(package).__all__
    assert "hedgerow.api.demo" in SOURCE.modules, "which is why no function is called `demo`"
    assert not {f"{package}.{name}" for name in names} & SOURCE.modules.keys()


def test_a_name_has_one_door() -> None:
    public, inner = (set(importlib.import_module(package).__all__) for package in DOORS)
    assert not public & inner


def test_the_inner_door_offers_what_the_faces_use() -> None:
    used = {
        one.name
        for one in SOURCE.imports
        if one.of == "hedgerow.api" and SOURCE.room(one.by) in FACES
    }
    assert used == set(importlib.import_module("hedgerow.api").__all__), "take out what is not used"


def test_a_door_costs_next_to_nothing() -> None:
    """Nothing is loaded before a name is asked for, and the list is read at one go."""
    script = "import sys, hedgerow.api; print(*(m for m in sys.modules if 'hedgerow' in m))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert {*loaded.split()} == {"hedgerow", "hedgerow.base", "hedgerow.base.door", "hedgerow.api"}
    from hedgerow.base.door import open_door

    def opened() -> None:
        _, names = open_door("hedgerow.api", str(SOURCE.modules["hedgerow.api"]))
        assert names()

    assert steps(opened) < 20 * len(importlib.import_module("hedgerow.api").__all__)
