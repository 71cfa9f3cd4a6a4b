"""Fixtures of the web app: `visitor` (in process), `link` (served), `browser` (Chromium)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from webbing import QUIET_BROWSER, WITHOUT, Visitor, chromium, hospital, served, visiting


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    """Somebody in the app on the demo hospital, with 1,500 patients."""
    with visiting(tmp_path / "workspace", hospital(tmp_path / "demo")) as found:
        yield found


@pytest.fixture
def link(tmp_path: Path) -> Iterator[str]:
    """The link of a real server on the demo hospital, with 1,500 patients."""
    with served(tmp_path / "workspace", hospital(tmp_path / "demo")) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium; a page is `browser.new_page()`."""
    program = chromium()
    if program is None:
        pytest.skip(f"{WITHOUT} is set")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=list(QUIET_BROWSER))
        yield opened
        opened.close()
