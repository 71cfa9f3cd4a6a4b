"""Points at which a test can kill the process, to see what a crash there leaves behind."""

from __future__ import annotations

import os
import signal

POINTS = (
    "reserved",
    "counted",
    "chosen",
    "written",
    "measured",
    "released",
    "certified",
    "moved-away",
    "delivered",
)
"""In the order `publish` comes past them."""


def point(name: str) -> None:
    """Die here, without a word, if HEDGEROW_FAULT says so."""
    assert name in POINTS
    if os.environ.get("HEDGEROW_FAULT") == name:
        os.kill(os.getpid(), signal.SIGKILL)
