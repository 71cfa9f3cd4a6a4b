"""Whatever the values, a bound hierarchy is a hierarchy, and every label tells the truth."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.table.beginnings import Beginnings
from hedgerow.table.codes import CODE_SYSTEMS, Codes
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.hierarchy_builders import (
    Bins,
    Dates,
    FromCsv,
    Prefix,
    Ranges,
    Suppression,
    Taxonomy,
)
from hedgerow.table.labels import covers
from hedgerow.table.top_bottom_codes import CodingLevel, NumberCoding

QUICK = settings(max_examples=100, deadline=None)

numbers = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(-1000, 1000, places=3).map(str),
    st.integers(-50, 50).map(lambda n: f"{n}.0"),
    st.sampled_from(["-0", "0", "0.0", "1e3", "1E-3", "+7", ".5", "5."]),
)
missing = st.none()


def columns(value: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.one_of(missing, value), min_size=1, max_size=30, unique=True)


def is_hierarchy(h: Hierarchy, values: Sequence[str | None]) -> None:
    """Every value is a leaf; each level is a function of the one below and made of runs."""
    assert set(values) <= set(h.values)
    assert len(set(h.values)) == len(h.values)
    assert h.labels[0] == h.values
    for level in range(h.height + 1):
        codes = h.codes[level]
        assert codes.dtype == np.int32
        assert len(codes) == len(h.values)
        # Runs in order: codes start at 0 and rise by 0 or 1.
        assert codes[0] == 0
        assert set(np.diff(codes).tolist()) <= {0, 1}
        assert codes[-1] == h.size(level) - 1
        assert len(set(h.labels[level])) == h.size(level)
        assert abs(h.share(level).sum() - 1) < 1e-12
        if level:
            parent: dict[int, int] = {}
            for below, here in zip(h.codes[level - 1].tolist(), codes.tolist(), strict=True):
                assert parent.setdefault(below, here) == here
    assert h.encode(values).tolist() == [h.values.index(v) for v in values]
    if h.numbers is not None:
        known = h.numbers[~np.isnan(h.numbers)]
        assert (np.diff(known) >= 0).all()


def published(h: Hierarchy, value: str | None, level: int) -> str | None:
    return h.labels[level][h.codes[level][h.values.index(value)]]


def bounds(label: str) -> tuple[Fraction | None, Fraction | None]:
    """What numbers a published range may hold: from, to (not included)."""
    if match := re.fullmatch(r"\[(.+), (.+)\)", label):
        return Fraction(match[1]), Fraction(match[2])
    if label.startswith("<"):
        return None, Fraction(label[1:])
    if label.startswith(">="):
        return Fraction(label[2:]), None
    first, _, last = label.partition("-")
    return Fraction(first), Fraction(last or first) + 1


@QUICK
@given(
    columns(numbers),
    st.sampled_from([Fraction(1), Fraction(5), Fraction(1, 10), Fraction(1, 4)]),
    st.lists(st.integers(2, 5), max_size=3),
    st.sampled_from(["0", "18", "-3", "0.5"]),
)
def test_ranges(values: list[str | None], first: Fraction, factors: list[int], origin: str) -> None:
    widths = [first]
    for factor in factors:
        widths.append(widths[-1] * factor)
    spec = Ranges(widths=[float(w) for w in widths], origin=origin)
    h = spec.bind("x", values)
    is_hierarchy(h, values)
    assert h.height == len(widths) + 1
    assert h.labels[-1] == ("*",)
    for value in values:
        if value is None:
            assert [published(h, None, i) for i in range(1, h.height)] == [None] * len(widths)
            continue
        exact = Fraction(Decimal(value))
        for level, width in enumerate(widths, start=1):
            low, high = bounds(str(published(h, value, level)))
            assert low is not None
            assert high is not None
            assert low <= exact < high
            assert high - low == width
            assert (low - Fraction(origin)) % width == 0


@QUICK
@given(
    columns(numbers),
    st.lists(st.integers(-100, 100), min_size=1, max_size=6, unique=True).map(sorted),
    st.data(),
)
def test_bins(values: list[str | None], edges: list[int], data: st.DataObject) -> None:
    levels = [edges]
    if len(edges) > 1:
        kept = data.draw(st.lists(st.sampled_from(edges), min_size=1, max_size=len(edges) - 1,
                                  unique=True))  # fmt: skip
        levels.append(sorted(kept))
    h = Bins(edges=levels).bind("x", values)
    is_hierarchy(h, values)
    for value in values:
        if value is None:
            continue
        exact = Fraction(Decimal(value))
        for level, cuts in enumerate(levels, start=1):
            low, high = bounds(str(published(h, value, level)))
            assert low is None or low <= exact
            assert high is None or exact < high
            # The bin is bounded by neighbouring edges, so it holds no other edge.
            assert not any((low is None or c > low) and (high is None or c < high) for c in cuts)


@QUICK
@given(
    columns(st.one_of(numbers, st.integers(0, 120).map(str))),
    st.none() | st.integers(0, 40), st.none() | st.integers(50, 100),
    st.none() | st.sampled_from([1, 2, 5, 10, "0.5", "2.5"]), st.sampled_from([1, 3, 5]),
)  # fmt: skip
def test_coding(
    values: list[str | None], bottom: int | None, top: int | None, step: Any, times: int
) -> None:
    """What a number is published as holds it, nothing that is rounded otherwise, and no more."""
    if bottom is top is step is None:
        return
    level = CodingLevel(bottom=bottom, top=top, round=step)
    wide = None if step is None else str(Fraction(step) * times)
    wider = CodingLevel(bottom=bottom, top=top, round=None if wide is None else float(
        Fraction(wide)))  # fmt: skip
    h = NumberCoding(levels=(level, wider)).bind("x", values)
    is_hierarchy(h, values)
    for value in h.values:
        if value is None:
            assert published(h, value, 1) is None or h.size(1) == 1
            continue
        for place, by in ((1, step), (2, wide)):
            label, number = str(published(h, value, place)), Fraction(Decimal(value))
            if bottom is not None and number < bottom:
                assert label == f"<{bottom}"
            elif top is not None and number >= top:
                assert label == f">={top}"
            elif by is None:
                assert label == value
            else:
                near = Fraction(by)
                middle = (number / near + Fraction(1, 2)).__floor__() * near
                low, high = bounds(label)
                assert low is not None
                assert high is not None
                assert low <= number < high
                assert middle - near / 2 <= low < high <= middle + near / 2 + 1
            assert covers([label], [value], column="x").all()


@QUICK
@given(columns(st.text("abc0*", min_size=4, max_size=4)), st.sets(st.integers(1, 4)))
def test_prefix(values: list[str | None], steps: set[int]) -> None:
    h = Prefix(length=4, steps=sorted(steps) or None).bind("x", values)
    is_hierarchy(h, values)
    masked = sorted(steps - {4}) or [1, 2, 3] if not steps else sorted(steps - {4})
    assert h.height == len(masked) + 1
    for value in values:
        if value is not None:
            wanted = [value[: 4 - n] + "*" * n for n in masked]
            assert [published(h, value, i) for i in range(1, h.height + 1)] == [*wanted, "*"]


@QUICK
@given(columns(st.one_of(st.dates().map(str), st.datetimes().map(str))))
def test_dates(values: list[str | None]) -> None:
    h = Dates().bind("x", values)
    is_hierarchy(h, values)
    known = [v for v in values if v is not None]
    timed = any(len(v) > 10 for v in known)
    for value in known:
        day = datetime.date.fromisoformat(value[:10])
        month = f"{day.year:04}-{day.month:02}"
        quarter = f"{day.year:04}-Q{1 + (day.month - 1) // 3}"
        wanted = [month, quarter, f"{day.year:04}", f"{day.year:04}"[:3] + "0s", "*"]
        got = [published(h, value, i) for i in range(1, h.height + 1)]
        assert got == ([str(day)] if timed else []) + wanted


@QUICK
@given(columns(st.text(max_size=4)))
def test_suppression(values: list[str | None]) -> None:
    h = Suppression().bind("x", values)
    is_hierarchy(h, values)
    assert h.labels[1] == ("*",)
    assert Suppression().bind("x", values[::-1]).values == h.values or h.numbers is not None


trees = st.recursive(
    st.none(), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=20
)


def name_nodes(shape: Any, counter: list[int]) -> Any:
    """A tree of this shape in which every node has its own name."""
    counter[0] += 1
    name = f"n{counter[0]}"
    if shape is None:
        return name
    return {name: [name_nodes(below, counter) for below in shape]}


def ways(tree: Any, above: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Each leaf and its ancestors, nearest first: written without a look at the builder."""
    if isinstance(tree, str):
        return {tree: above}
    found = {}
    for name, below in tree.items():
        for item in below:
            found |= ways(item, (name, *above))
    return found


@QUICK
@given(st.lists(trees, min_size=1, max_size=4), st.booleans())
def test_taxonomy(shapes: list[Any], with_missing: bool) -> None:
    counter = [0]
    tree = [name_nodes(shape, counter) for shape in shapes]
    expected: dict[str, tuple[str, ...]] = {}
    for part in tree:
        expected |= ways(part)
    values: list[str | None] = [*list(expected)[:3], *([None] if with_missing else [])]
    h = Taxonomy(tree=tree).bind("x", values)
    is_hierarchy(h, values)
    assert h.size(h.height) == 1
    for leaf, above in expected.items():
        got = [published(h, leaf, i) for i in range(h.height + 1)]
        distinct = list(dict.fromkeys(got))
        assert distinct in ([leaf, *above], [leaf, *above, "*"])
        assert got[: got.count(leaf)] == [leaf] * got.count(leaf)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).filter(
            # A value named like its own ancestor is refused.
            lambda leaf: leaf not in ("*", "g0", "g1", "g2")
        ),
        min_size=1, max_size=12, unique=True,
    ),
    st.sampled_from(";,\t"),
)  # fmt: skip
def test_files_round_trip(tmp_path_factory: Any, leaves: list[str], delimiter: str) -> None:
    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    rows = [(leaf, f"g{i % 3}", "*") for i, leaf in enumerate(leaves)]
    file: Path = tmp_path_factory.mktemp("h") / "h.csv"
    lines = (delimiter.join(map(quoted, row)) for row in rows)
    file.write_text("\n".join(lines) + "\n", "utf-8", newline="")
    values = [*leaves, None]
    h = FromCsv(file).bind("x", values)
    is_hierarchy(h, values)
    for leaf, group, top in rows:
        assert [published(h, leaf, i) for i in range(3)] == [leaf, group, top]
    assert published(h, None, 1) is None
    assert published(h, None, 2) == "*"


@QUICK
@given(
    columns(st.text(st.sampled_from("AB1"), min_size=1, max_size=6)),
    st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True),
)
def test_beginnings(values: list[str | None], lengths: list[int]) -> None:
    keep = sorted(lengths, reverse=True)
    h = Beginnings(keep=keep).bind("code", values)
    is_hierarchy(h, values)
    for value in values:
        if value is None:
            continue
        for level, size in enumerate(keep, start=1):
            label = published(h, value, level)
            assert label == value if len(value) < size else label == f"{value[:size]}.."
    # Whoever reads a label without the plan finds exactly the values below it.
    for level in range(1, h.height):
        labels = [label for label in h.labels[level] if label]
        for label, row in zip(labels, covers(labels, h.values, column="code"), strict=True):
            if label.endswith(".."):
                fitting = {v for v, fits in zip(h.values, row, strict=True) if fits}
                assert fitting == {v for v in h.values if v and v.startswith(label[:-2])}


@QUICK
@given(
    columns(st.one_of(st.sampled_from(["A09.1", "a091", "E11", "X59", "S72.001A"]),
                      st.text(max_size=4))),
    st.sampled_from(list(CODE_SYSTEMS)),
)  # fmt: skip
def test_codes(values: list[str | None], system: str) -> None:
    h = Codes(system, other="no code of it").bind("code", values)
    is_hierarchy(h, values)
    for value in values:
        row = None if value is None else CODE_SYSTEMS[system].row(value)
        for level in range(1, h.height):
            label = published(h, value, level)
            assert label == (None if value is None else row[level] if row else "no code of it")
