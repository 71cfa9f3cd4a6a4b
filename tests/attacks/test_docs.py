"""docs/attacks.md has every attack, and every picture it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hedgerow.attacks.registry import ATTACKS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "attacks.md").read_text("utf-8")


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_is_there(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_links_lead_somewhere() -> None:
    headings = {
        re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in PAGE.splitlines()
        if line.startswith("#")
    }
    links = re.findall(r"\]\(([^)]+)\)", PAGE)
    assert len([link for link in links if link.endswith(".svg")]) >= 13
    for link in links:
        if link.startswith("#"):
            assert link[1:] in headings, link
        else:
            assert (DOCS / link.partition("#")[0]).exists(), link
