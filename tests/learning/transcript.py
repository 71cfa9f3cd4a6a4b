"""What fitting says, played to two tables: the exact loss of everything that is drawn.

Whatever is drawn is decided here, not by chance, and given to both tables. Then the two have the
same draws to make, and how much likelier one is to make them than the other can be computed:
for noise on counts at most the sum of the changes over the scale, whatever was drawn; for choices
by the mechanism's own definition. What a fitted object holds is made of these draws alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
from noise import oracle

from hedgerow.noise import samplers


@dataclass
class Said:
    """The draws of one fit: what was asked for, on which private values, and what came."""

    draws: list[tuple[tuple[Any, ...], Any]] = field(default_factory=list)


def said(fit: Callable[[], Any], decided: Sequence[int]) -> Said:
    """Fit with draws that are decided: choices by number, noise such that counts come out so."""
    found, left = Said(), iter(decided)

    def number() -> int:
        return next(left, 0)

    def added(kind: str, values: Any, scale: float) -> Any:
        found.draws.append(((kind, len(values), scale), [int(v) for v in values]))
        return np.array([number() for _ in values], np.int64)

    def chosen(kind: str, scores: Any, scale: float, top: int) -> Any:
        assert scores.dtype == np.int64, "doubles would have to be bounded"
        assert top == 1
        place = number() % len(scores)
        found.draws.append(((kind, len(scores), scale, place), [int(s) for s in scores]))
        return (place,)

    with patch.object(samplers, "_add", added), patch.object(samplers, "_choose", chosen):
        fit()
    return found


def loss(one: Said, other: Said) -> float:
    """The most by which these draws tell the two tables apart."""
    assert [asked for asked, _ in one.draws] == [asked for asked, _ in other.draws]
    total = 0.0
    for (asked, a), (_, b) in zip(one.draws, other.draws, strict=True):
        if asked[0] == "laplace":
            total += sum(abs(x - y) for x, y in zip(a, b, strict=True)) / asked[2]
        else:
            kind, _, scale, place = asked
            total += _log(kind, tuple(a), scale, place) - _log(kind, tuple(b), scale, place)
    return total


@cache
def _log(kind: str, scores: tuple[int, ...], scale: float, place: int) -> float:
    exact = Fraction(scale)
    if kind == "gumbel":
        drawn = oracle.exponential([Fraction(s) for s in scores], exact)
    else:
        drawn = oracle.permute_and_flip({i: Fraction(s) for i, s in enumerate(scores)}, exact)
    return math.log(drawn[place])
