"""A real browser that is watched: what leaves the machine, and what goes wrong in a page."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

SCREENSHOTS = "HEDGEROW_SCREENSHOTS"
"""Names a folder: each step is kept there as a picture."""
SERIOUS = ("serious", "critical")
PATIENCE = 60_000
"""Milliseconds for a page or a job."""
_TELL_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} forbids ${event.blockedURI}`));
"""


@dataclass
class Watched:
    """A page, and all that went wrong in it."""

    page: Any
    origin: str
    wrong: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(self.origin + path)

    def heading(self, text: str) -> None:
        """Wait for a page with this heading."""
        self.page.get_by_role("heading", level=1, name=text).wait_for(timeout=PATIENCE)

    def drawn(self, charts: int = 1) -> None:
        """Wait until charts are drawn."""
        self.page.locator(".chart svg").nth(charts - 1).wait_for(timeout=PATIENCE)

    def accessible(self) -> list[str]:
        """What axe-core finds serious or critical here."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{self.page.url}: {one['id']} ({one['impact']}): "
            + "; ".join(node["html"][:160] for node in one["nodes"][:3])
            for one in found
            if one["impact"] in SERIOUS
        ]

    def shot(self, name: str, *, whole: bool = False) -> None:
        """Keep a picture, where somebody wants pictures."""
        folder = os.environ.get(SCREENSHOTS)
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=whole)


@contextlib.contextmanager
def watched(browser: Any, link: str, **how: Any) -> Iterator[Watched]:
    """Open the printed link, and at the end complain of errors and of requests to elsewhere."""
    at = urlsplit(link)
    origin = f"{at.scheme}://{at.netloc}"
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **how)
    context.add_init_script(_TELL_VIOLATIONS)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    seen = Watched(page, origin)

    def on_request(request: Any) -> None:
        seen.requests.append(request.url)
        scheme = urlsplit(request.url).scheme
        if scheme not in ("data", "blob") and not request.url.startswith(f"{origin}/"):
            seen.wrong.append(f"asks another machine: {request.url}")

    def on_console(message: Any) -> None:
        # A refusal is an answer of the app; the browser calls each of them an error.
        if message.type == "error" and "status of 422" not in message.text:
            seen.wrong.append(f"{page.url}: {message.text}")

    context.on("request", on_request)
    context.on("console", on_console)
    context.on("weberror", lambda error: seen.wrong.append(f"{page.url}: {error.error}"))
    page.goto(link)
    try:
        yield seen
    finally:
        context.close()
    assert not seen.wrong, "\n".join(seen.wrong)
    assert seen.requests, "the browser asked for something"


@dataclass
class Keyboard:
    """Somebody without a mouse: only keys, and only where the focus is."""

    seen: Watched

    def press(self, *keys: str) -> None:
        for key in keys:
            self.seen.page.keyboard.press(key)

    def type(self, text: str) -> None:
        """Write over what is in the field."""
        self.press("Control+a")
        self.seen.page.keyboard.type(text)

    def focus(self) -> dict[str, str]:
        """What has the focus: its kind, and its name as it is read out."""
        found: dict[str, str] = self.seen.page.evaluate(_FOCUS)
        return found

    def to(self, name: str, *, kind: str = "", most: int = 250) -> None:
        """Tab until something of this name has the focus."""
        passed = []
        for _ in range(most):
            self.press("Tab")
            now = self.focus()
            passed.append(now["name"])
            if now["name"].startswith(name) and kind in now["kind"]:
                return
        raise AssertionError(f"{name!r} cannot be reached by Tab; met {passed}")

    def enter(self, name: str, *, kind: str = "") -> None:
        """Tab to a button or link, and press it."""
        self.to(name, kind=kind)
        self.press("Enter")


_FOCUS = """() => {
  const it = document.activeElement;
  const label = it.labels && it.labels.length ? it.labels[0].innerText : "";
  const name = it.getAttribute("aria-label") || label || it.innerText || it.value || "";
  const kind = [it.tagName, it.type || "", it.getAttribute("role") || ""].join(" ").toLowerCase();
  return { name: name.trim().replace(/\\s+/g, " "), kind };
}"""


@contextlib.contextmanager
def running(workspace: Path, origin: Path, **environment: str) -> Iterator[tuple[Any, str]]:
    """The real command, to be killed: its process, and the link it prints."""
    command = [sys.executable, "-m", "hedgerow", "explore", "--no-browser"]
    command += ["--workspace", str(workspace), str(origin)]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"} | environment,
    )  # fmt: skip
    try:
        assert child.stdout is not None
        line = child.stdout.readline()
        assert line.startswith("Open http://127.0.0.1:"), line
        yield child, line.split()[1]
    finally:
        child.terminate()
        child.wait(20)
        assert child.stdout is not None
        child.stdout.close()
