"""Serving the app to this machine, and to nobody else."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import NoReturn

import uvicorn

from hedgerow.base.errors import HedgerowError
from hedgerow.web.app import create_app
from hedgerow.web.security import Gate
from hedgerow.web.uploads import UPLOAD_LIMIT
from hedgerow.web.workspace import Workspace

__all__ = ["LOOPBACK", "leave", "serve"]

LOOPBACK = "127.0.0.1"
"""The only interface there is; from another machine, use a tunnel that ends here."""


def serve(
    origin: Path | None = None,
    *,
    workspace: Path | None = None,
    port: int = 0,
    browser: bool = True,
    upload_limit: int = UPLOAD_LIMIT,
    ready: Callable[[str], None] = lambda link: None,
) -> None:
    """Serve the app until it is interrupted.

    Args:
        origin: A table or a plan to work on; without it, the app asks for one.
        workspace: Where work in progress is kept; the user's data directory if left out.
        port: Of the loopback interface; a free one if 0.
        browser: Whether to open one.
        upload_limit: Bytes of a file that is uploaded.
        ready: Called with the link, when it can be opened.

    Raises:
        HedgerowError: The table or plan cannot be read, or the port is taken.
    """
    kept = Workspace(workspace)
    draft = None if origin is None else kept.begin(origin)
    with _listening(port) as sock:
        at = sock.getsockname()[1]
        gate = Gate.at(port=at)
        app = create_app(kept, gate=gate, draft=draft, upload_limit=upload_limit)

        def started() -> None:
            ready(f"http://{LOOPBACK}:{at}/?token={gate.token}")
            if browser:
                # In a thread: some browsers keep the caller waiting until they are closed.
                link = f"http://{LOOPBACK}:{at}/?token={gate.ticket()}"
                Thread(target=webbrowser.open, args=(link,), daemon=True).start()

        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, ws="none",
            timeout_graceful_shutdown=3,
        )  # fmt: skip
        # uvicorn raises Ctrl-C again once it has cleaned up; to end the app is no failure.
        with contextlib.suppress(KeyboardInterrupt):
            _Server(config, started).run(sockets=[sock])


def leave() -> NoReturn:
    """End the process at once.

    A thread that is computing cannot be stopped, and Python must not be taken apart under it.
    What is worth keeping is on disk by then.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


@contextlib.contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((LOOPBACK, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise HedgerowError(
                f"port {port} cannot be used: {reason}",
                fix="Choose another with --port, or leave it out.",
            ) from None
        yield sock
    finally:
        sock.close()


class _Server(uvicorn.Server):
    """Says when it can be reached."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._started()
