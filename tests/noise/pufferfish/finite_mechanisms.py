"""Random finite mechanisms."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

from hypothesis import strategies as st

from hedgerow.noise.pufferfish.finite import FiniteMechanism


@st.composite
def mechanisms(draw: st.DrawFn, inputs: Sequence[Hashable] = (0, 1, 2)) -> FiniteMechanism:
    size = draw(st.integers(1, 5))
    row = st.lists(st.integers(0, 8), min_size=size, max_size=size).filter(any)
    rows = {}
    for i in inputs:
        weights = draw(row)
        rows[i] = {o: Fraction(w, sum(weights)) for o, w in enumerate(weights)}
    return FiniteMechanism(rows=rows)
