"""Tests of what is drawn: each fails on right code with a chance that has a name, and no more.

A test says whether what was drawn goes with a law, and shows that it does not go with a scale
that is 30 % off. `louder` makes the noise 30 % too large for tests of intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
from noise import oracle
from scipy.stats import binom, chi2, ncx2

from hedgerow.noise import samplers

FALSE_ALARM = 1e-7
"""The chance that one test of the right distribution fails: once in ten million runs."""
MISS = 1e-7
"""The chance that one test of a wrong distribution passes, at most."""
REST = "all other outcomes"
OFF = (Fraction(7, 10), Fraction(13, 10))
"""Scales that must be told from the true one."""


def cells(claimed: dict[Hashable, float], total: int) -> dict[Hashable, float]:
    """Outcomes that are likely enough to be tested by themselves; the rest is one cell."""
    listed = {y: p for y, p in claimed.items() if p * total >= 10}
    rest = 1 - sum(listed.values())
    if rest * total >= 10:
        return {**listed, REST: rest}
    # Too few to be tested: with the rarest of the others.
    rarest = min(listed, key=listed.__getitem__)
    return {**listed, rarest: listed[rarest] + max(rest, 0.0)}


def fits(drawn: Iterable[Hashable], claimed: dict[Hashable, float]) -> bool:
    """Whether counts go with probabilities; an outcome that cannot be settles it."""
    counts = Counter(drawn)
    total = sum(counts.values())
    expected = cells(claimed, total)
    if abs(sum(claimed.values()) - 1) < 1e-9 and not counts.keys() <= claimed.keys():
        return False
    seen = {y: counts.get(y, 0) for y in expected}
    seen[REST if REST in expected else min(expected, key=expected.__getitem__)] += total - sum(
        seen.values()
    )
    statistic = sum((seen[y] - p * total) ** 2 / (p * total) for y, p in expected.items())
    return float(chi2.sf(statistic, max(len(expected) - 1, 1))) >= FALSE_ALARM


def rejected(
    drawn: Sequence[Hashable], true: dict[Hashable, float], wrong: dict[Hashable, float]
) -> bool:
    """Whether a wrong law is told from the true one, by a test that hardly ever misses it."""
    total = len(drawn)
    expected = cells(wrong, total)
    truth = {y: true.get(y, 0.0) for y in expected}
    truth[REST if REST in expected else min(expected, key=expected.__getitem__)] += 1 - sum(
        truth.values()
    )
    apart = total * sum((truth[y] - p) ** 2 / p for y, p in expected.items())
    freedom = max(len(expected) - 1, 1)
    missed = float(ncx2.cdf(chi2.isf(FALSE_ALARM, freedom), freedom, apart))
    assert missed < MISS, f"too few draws to tell these apart: missed with probability {missed}"
    return not fits(drawn, wrong)


def floats(distribution: oracle.Distribution) -> dict[Hashable, float]:
    return {y: float(p) for y, p in distribution.items()}


def covers(hits: Any, *, at_least: float = 0.95, among: int = 1) -> bool:
    """Whether so many intervals may have held, if each holds often enough.

    Args:
        hits: Whether each of them held.
        at_least: How often it should.
        among: How many such tests share one false alarm.
    """
    held = np.asarray(hits, bool)
    return int((~held).sum()) <= binom.isf(FALSE_ALARM / among, held.size, 1 - at_least)


@contextmanager
def louder() -> Iterator[None]:
    """Noise is drawn at a scale that is 30 % too large."""
    real = samplers._add

    def add(kind: str, values: Any, scale: float) -> Any:
        return real(kind, values, scale * float(OFF[1]))

    with patch.object(samplers, "_add", add):
        yield
