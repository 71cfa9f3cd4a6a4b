"""Property tests look for new examples on every run, except where a run has to be repeatable."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("repeatable")
