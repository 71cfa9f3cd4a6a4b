"""The app as tests see it: in process through its gate, or served and in a real browser."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from hedgerow.api.demo import write_hospital
from hedgerow.web.app import create_app
from hedgerow.web.security import Gate
from hedgerow.web.state import Web
from hedgerow.web.workspace import Workspace

with warnings.catch_warnings():
    # It recommends another client than the one that is pinned here.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

HOST = "127.0.0.1:8123"
ORIGIN = f"http://{HOST}"
WITHOUT = "HEDGEROW_WITHOUT_CHROMIUM"
CHROMIUM = ("chromium", "chromium-browser")
QUIET_BROWSER = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@functools.cache
def _hospital(patients: int) -> dict[str, bytes]:
    from hedgerow.api.demo import BUDGET
    from hedgerow.ledger import Amounts, Ledger

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_hospital(folder, patients=patients)
        with Ledger.open(folder / "ledger.db") as ledger:
            ledger.set_budget("gotham-inpatients", Amounts.read(BUDGET))
        return {path.name: path.read_bytes() for path in folder.iterdir()}


def hospital(folder: Path, *, patients: int = 1_500) -> Path:
    """A small demo hospital; its plan. A budget is set, as the demo does."""
    folder.mkdir(parents=True)
    for name, content in _hospital(patients).items():
        (folder / name).write_bytes(content)
    return folder / "plan.yaml"


@dataclass
class Visitor:
    """Somebody who opened the printed link: an HTTP client, and what is behind it."""

    client: TestClient
    app: FastAPI

    @property
    def web(self) -> Web:
        web: Web = self.app.state.web
        return web

    def get(self, path: str, **how: Any) -> Any:
        return self.client.get(path, **how)

    def settled(self, path: str) -> Any:
        """The page when nothing it waits for is running any more."""
        self.client.get(path)
        for job in self.web.jobs.all():
            self.web.jobs.wait(job.id)
        return self.client.get(path)

    def post(self, path: str, data: Any = None, **how: Any) -> Any:
        return self.client.post(path, data=data, headers={"Origin": ORIGIN}, **how)


def make_app(workspace: Path, origin: Path | None = None, **how: Any) -> FastAPI:
    kept = Workspace(workspace)
    draft = None if origin is None else kept.begin(origin)
    return create_app(kept, gate=Gate.at(port=8123), draft=draft, **how)


@contextlib.contextmanager
def visiting(workspace: Path, origin: Path | None = None, **how: Any) -> Iterator[Visitor]:
    """The app in process, on a table or a plan; the visitor has the cookie."""
    app = make_app(workspace, origin, **how)
    with TestClient(app, base_url=ORIGIN) as client:
        client.get(f"/?token={app.state.web.gate.token}", follow_redirects=False)
        yield Visitor(client, app)


@contextlib.contextmanager
def served(workspace: Path, origin: Path | None = None, *more: str) -> Iterator[str]:
    """The real command on a free port; the link it prints."""
    command = [sys.executable, "-m", "hedgerow", "explore", "--no-browser", *more]
    command += ["--workspace", str(workspace), *([] if origin is None else [str(origin)])]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    )
    try:
        assert child.stdout is not None
        line = child.stdout.readline()
        assert line.startswith("Open http://127.0.0.1:"), line
        yield line.split()[1]
    finally:
        child.terminate()
        child.wait(20)
        assert child.stdout is not None
        child.stdout.close()


def chromium() -> str | None:
    """Debian's Chromium; None where the tests shall do without."""
    if os.environ.get(WITHOUT):
        return None
    found = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    assert found, f"Install Debian's chromium, or set {WITHOUT}=1."
    return found
