"""What happens at the points of `hedgerow.base.faults`, in a test."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from hedgerow.base import faults


def at_points(monkeypatch: pytest.MonkeyPatch, do: Callable[[str], None]) -> None:
    """Call `do` with the name of each point that a release comes past."""
    real = faults.point
    for name, module in list(sys.modules.items()):
        if name.startswith("hedgerow.") and getattr(module, "point", None) is real:
            monkeypatch.setattr(module, "point", do)
