"""Every page in a real browser: reachable, without errors, and nothing leaves the machine."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from browsing import watched
from playwright.sync_api import Error


def test_the_watch_sees_what_it_is_for(link: str, browser: Any) -> None:
    """Should it see nothing, the other tests would pass on any page."""
    with pytest.raises(AssertionError) as found, watched(browser, link) as seen:  # noqa: PT012
        seen.go("/query")
        seen.page.evaluate(
            """() => {
                fetch("http://127.0.0.2:9/elsewhere").catch(() => null);
                const image = new Image(); image.src = "http://127.0.0.2:9/x.png";
                document.body.append(image);
                const inline = document.createElement("script");
                inline.textContent = "window.ran = true"; document.body.append(inline);
            }"""
        )
        seen.page.wait_for_timeout(500)
        assert seen.page.evaluate("() => window.ran") is None, "inline scripts do not run"
        with contextlib.suppress(Error):
            seen.page.goto("http://127.0.0.2:9/page")
    assert "forbids inline" in str(found.value)
    assert "asks another machine: http://127.0.0.2:9/page" in str(found.value)
    assert "connect-src forbids http://127.0.0.2:9/elsewhere" in str(found.value)


PATHS = {
    "start": "/start",
    "data": "/data",
    "column": "/data/columns/2",
    "adversaries": "/adversaries",
    "explore": "/explore",
    "attack": "/attack",
    "publish": "/publish",
    "query": "/query?kind=table&by=bill:50000&by=sex&epsilon=0.1",
    "query-wrong": "/query?kind=mean&column=zip&epsilon=0.1",
    "nowhere": "/nowhere",
}
"""Every page that needs nothing done before."""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_serious_barriers(link: str, browser: Any, scheme: str) -> None:
    found: list[str] = []
    with watched(browser, link, color_scheme=scheme) as seen:
        seen.go("/data")
        seen.heading(
            "What is in the table, and what is it to an attacker?"
        )  # it is looked at first
        for name, path in PATHS.items():
            seen.go(path)
            if name == "query":
                seen.drawn()
            seen.page.wait_for_load_state("networkidle")
            found += seen.accessible()
        seen.go("/query?kind=ranges&column=bill&epsilon=0.1")
        seen.page.get_by_role("button", name="Ask, and spend epsilon 0.1").click()
        seen.heading("how many rows are in any range of bill")
        seen.drawn()
        found += seen.accessible()
        seen.go("/attack")
        seen.page.get_by_role("button", name="Attack", exact=True).click()
        seen.page.get_by_role("heading", name="What was found").wait_for()
        seen.drawn()
        found += seen.accessible()
        seen.wrong = [one for one in seen.wrong if "/nowhere" not in one]
    assert not found, "\n".join(found)
