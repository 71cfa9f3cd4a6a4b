"""A command, a page, a public name or a documented library leads to everything in the house."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.reach import LIBRARIES, Names, unreached_modules  # noqa: E402
from bench.house.source import Source  # noqa: E402

SOURCE = Source()
REASONS = {
    "hedgerow.attacks.averaging.redrawn": "docs/attacks.md shows it",
    "hedgerow.claims.composition.with_earlier": "examples in docstrings are made with it",
    "hedgerow.recode.anatomy.Anatomy.qit": "docs/attacks.md shows it",
    "hedgerow.recode.anatomy.Anatomy.sensitive_table": "docs/attacks.md shows it",
    "hedgerow.recode.search.Search.minimal": "checks the search against brute force",
    "hedgerow.recode.search._antichain": "of the one before",
    "hedgerow.release.certificate_schema.certificate_json_schema": "docs/certificate.schema.json",
}
"""Names that are there although nothing reaches them, and why. It may only become shorter."""


def test_every_module_is_reached() -> None:
    assert set(unreached_modules(SOURCE)) == set(), "connect it or delete it"


def test_every_name_is_reached() -> None:
    found = set(Names(SOURCE).unreached())
    assert not found - REASONS.keys(), "use it or delete it"
    assert not REASONS.keys() - found, "it is reached, or gone: take it out of the list"


@pytest.mark.parametrize("package", LIBRARIES)
def test_a_library_is_documented_name_by_name(package: str) -> None:
    door = importlib.import_module(package)
    page = (ROOT / LIBRARIES[package]).read_text("utf-8")
    assert package in page
    shown = set(re.findall(r"\w+", "\n".join(re.findall(r"`+[^`]+`+", page))))
    for name in door.__all__:
        assert getattr(door, name) is not None
        assert name in shown, f"{LIBRARIES[package]} does not show it"
        assert f"{package}.{name}" not in SOURCE.modules, "a module would hide it"


def planted(home: Path) -> Source:
    """A small house: a command, what it imports, and what nobody comes to."""
    files = {
        "__init__.py": "",
        "__main__.py": "def main():\n    from hedgerow.a import used as way\n    way()\nmain()\n",
        "a.py": "from hedgerow.b import Thing\ndef used():\n    return Thing().method()\n"
        "def unused():\n    return helper()\ndef helper(): ...\n",
        "b.py": "class Thing:\n    def method(self): ...\n    def never_called(self): ...\n"
        "    def __len__(self): ...\nclass Unused:\n    def method(self): ...\n",
        "c.py": "from hedgerow.a import unused\nunused()\n",
        "d.py": "from typing import TYPE_CHECKING\n",
    }
    for name, text in files.items():
        home.joinpath(name).write_text(text, "utf-8")
    return Source(home)


def test_what_is_out_of_reach_is_found(tmp_path: Path) -> None:
    home = tmp_path / "hedgerow"
    home.mkdir()
    source = planted(home)
    assert unreached_modules(source) == ["hedgerow.c", "hedgerow.d"]
    assert Names(source).unreached() == [
        "hedgerow.a.helper",
        "hedgerow.a.unused",
        "hedgerow.b.Thing.never_called",
        "hedgerow.b.Unused",
    ]
