"""How much work a call does, counted, never timed: lines of Python that run.

A count is the same on a slow, a busy and a fast machine. It sees loops that are written in
Python; what runs inside a library, or is compiled, is one line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(work: Callable[[], Any]) -> int:
    """The lines that run during a call, in every function; what the call raises is raised."""
    count = 0

    def line(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return line

    before = sys.gettrace()
    sys.settrace(line)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def growth(work: Callable[[int], Any], small: int, large: int) -> float:
    """How many times the steps of a small job a large one takes, when all is loaded and compiled.

    Of work that is done row by row it is about `large / small`; of work that compares each row
    with each other one, the square of that; of work on whole arrays, about 1.
    """
    work(small)
    return steps(lambda: work(large)) / steps(lambda: work(small))
