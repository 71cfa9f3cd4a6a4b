"""The same randomness twice: what is drawn is written down, and played to a neighbour.

Replaces the calls into the library for the time of a test. Nothing in the package knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np

from hedgerow.noise import samplers

MOST, LEAST = 2**63 - 1, -(2**63)


class DivergedError(AssertionError):
    """A neighbour drew something else, or another number of times: that alone can be seen."""


@dataclass
class Tape:
    """What was asked for (kind, size, parameters), and what was drawn."""

    draws: list[tuple[tuple[Any, ...], Any]] = field(default_factory=list)


@contextmanager
def recording() -> Iterator[Tape]:
    tape = Tape()
    add, choose, flip = samplers._add, samplers._choose, samplers._flip

    def added(kind: str, values: Any, scale: float) -> Any:
        out = add(kind, values, scale)
        drawn = [int(y) - int(x) for x, y in zip(values, out, strict=True)]
        tape.draws.append(((kind, len(values), scale), drawn))
        return out

    def chosen(kind: str, scores: Any, scale: float, top: int) -> Any:
        out = choose(kind, scores, scale, top)
        tape.draws.append(((kind, len(scores), scale, top), out))
        return out

    def flipped(size: int, probability: float) -> Any:
        out = flip(size, probability)
        tape.draws.append((("flip", size, probability), out))
        return out

    with _replaced(_add=added, _choose=chosen, _flip=flipped):
        yield tape


@contextmanager
def replaying(tape: Tape) -> Iterator[None]:
    """Plays a tape; draws that do not go with it, or are left over, fail."""
    left = iter(tape.draws)

    def drawn(*asked: Any) -> Any:
        wanted, found = next(left, (None, None))
        if wanted != asked:
            raise DivergedError(f"drew {asked}, where the other drew {wanted}")
        return found

    def added(kind: str, values: Any, scale: float) -> Any:
        sums = [int(x) + z for x, z in zip(values, drawn(kind, len(values), scale), strict=True)]
        return np.array([min(max(y, LEAST), MOST) for y in sums], np.int64)

    def chosen(kind: str, scores: Any, scale: float, top: int) -> Any:
        return drawn(kind, len(scores), scale, top)

    def flipped(size: int, probability: float) -> Any:
        return drawn("flip", size, probability)

    with _replaced(_add=added, _choose=chosen, _flip=flipped):
        yield
    if next(left, None) is not None:
        raise DivergedError("drew less than the other")


@contextmanager
def _replaced(**names: Any) -> Iterator[None]:
    with ExitStack() as stack:
        for name, function in names.items():
            stack.enter_context(patch.object(samplers, name, function))
        yield
