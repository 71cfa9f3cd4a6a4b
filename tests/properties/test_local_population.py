"""Claims about an outside population under local recoding: people are counted on the written file.

The oracle reads the file as text and counts everybody of the population whom each row fits.
"""

from __future__ import annotations

import csv
import random
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import cells_of

import hedgerow
from hedgerow.base.errors import ClaimError
from hedgerow.claims import DeltaPresence, JournalistRisk, KAnonymity, KMap, MarketerRisk
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import full_domain
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.local_start import local_from_optimum
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.recoding import SUPPRESSED
from hedgerow.release.partition import recoding_choice
from hedgerow.table.hierarchy import Hierarchy

COLUMNS = [
    Hierarchy.of("a", [(str(i), f"{i // 2}x", f"{i // 4}y", "*") for i in range(8)]),
    Hierarchy.of("b", [("u", "*"), ("v", "*"), ("w", "*")]),
]
TUPLE = st.tuples(*(st.sampled_from(h.values) for h in COLUMNS))
CLAIMS = [
    [KMap(k=3)], [JournalistRisk(risk=0.3)], [DeltaPresence(minimum=0, maximum=0.6)],
    [DeltaPresence(minimum=0.1, maximum=0.7)], [KMap(k=4), KAnonymity(k=2)],
    [KMap(k=3), MarketerRisk(risk=0.6)],
]  # fmt: skip


def holds(model: object, n: int, population: int) -> bool:
    """The definitions, in fractions, of one group."""
    if isinstance(model, KMap):
        return not n or population >= model.k
    if isinstance(model, JournalistRisk):
        return not n or population * Fraction(repr(model.risk)) >= 1
    if isinstance(model, DeltaPresence):
        low, high = (Fraction(repr(x)) for x in (model.minimum, model.maximum))
        return not (n or population) or low * population <= n <= high * population
    if isinstance(model, KAnonymity):
        return not n or n >= model.k
    return True


@settings(max_examples=80, deadline=None)
@given(st.lists(TUPLE, min_size=1, max_size=15), st.lists(TUPLE, max_size=25),
       st.sampled_from(CLAIMS), st.sampled_from([0.0, 0.3]))  # fmt: skip
def test_groups_are_disjoint_keep_the_claims_and_cost_no_more(rows, others, models, share):
    """Everybody of the population fits one group at most, and these are counted."""
    outside = [*rows, *others]
    cells = cells_of(rows, COLUMNS, population=outside)
    limit, metric = int(share * len(rows)), METRICS["loss"]
    try:
        whole = full_domain(cells, SearchConstraints(tuple(models), limit), metric)
    except ClaimError:
        whole = None
    try:
        made = local_from_optimum(
            lambda asked: pytest.fail("greedy groups overlap"), cells, models, metric=metric,
            bounds={}, limit=limit, seconds=None,
        )  # fmt: skip
    except ClaimError:
        assert whole is None
        return
    assert whole is not None
    original = Lattice.of(cells).original
    assert metric.cost(made.outcome(original)) <= metric.cost(whole.outcome(original)) + 1e-9
    assert made.suppressed <= limit
    leaves = [[h.values.index(v) for h, v in zip(COLUMNS, row, strict=True)] for row in outside]
    shown = sorted(set(made.group[made.group != SUPPRESSED].tolist()))
    fitting = [
        [
            g
            for g in shown
            if all(made.spans.low[g, j] <= q <= made.spans.high[g, j] for j, q in enumerate(leaf))
        ]
        for leaf in leaves
    ]
    assert all(len(each) <= 1 for each in fitting)
    for g in shown:
        n = int(made.people[made.group == g].sum())
        population = sum(g in each for each in fitting)
        assert all(holds(model, n, population) for model in models)
    if any(isinstance(model, MarketerRisk) for model in models):
        assert len(shown) <= Fraction(3, 5) * (len(rows) - made.suppressed)


def table(rows: list[tuple[str, ...]]) -> pa.Table:
    return pa.table({"a": [r[0] for r in rows], "b": [r[1] for r in rows]})


def published(
    tmp_path: Path,
    rows: list[tuple[str, ...]],
    outside: list[tuple[str, ...]],
    claim: dict[str, object],
    a: object,
) -> hedgerow.Release:
    with (tmp_path / "outside.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("a", "b"), *outside])
    (name, said), *_ = claim.items()
    assert isinstance(said, dict)
    return hedgerow.publish(
        table(rows), method={"search": "local"}, to=tmp_path / "release",
        protect=[{name: {**said, "population": str(tmp_path / "outside.csv")}}],
        columns={"a": {"role": "quasi-identifier", "hierarchy": a}, "b": "quasi-identifier"},
    )  # fmt: skip


def fits(label: str, value: str) -> bool:
    if label == "*":
        return True
    low, _, high = label.partition("-")
    return int(low) <= int(value) <= int(high or low) if low.isdigit() else label == value


def test_the_written_file_keeps_a_map_and_labels_differ(tmp_path):
    draw = random.Random(5)
    outside = [(str(draw.choice([*range(8), 0, 1, 2])), draw.choice("uvw")) for _ in range(120)]
    rows = [row for row in outside if draw.random() < 0.3]
    release = published(tmp_path, rows, outside, {"k-map": {"k": 6}}, {"ranges": [2, 4]})
    with (tmp_path / "release" / "data.csv").open() as lines:
        records = [(r["a"], r["b"]) for r in csv.DictReader(lines)]
    counts = [sum(fits(a, x) and fits(b, y) for x, y in outside) for a, b in records]
    assert min(counts) == release.claims[0].level >= 6
    assert len({a.count("-") + a.count("*") for a, _ in records}) > 1, "levels differ"
    assert all(
        len({r for r in records if fits(r[0], x) and fits(r[1], y)}) <= 1 for x, y in outside
    )
    assert not hedgerow.verify(tmp_path / "release").refuted


@pytest.mark.parametrize("claim", [
    {"k-map": {"k": 3}}, {"journalist-risk": {"risk": 0.4}}, {"delta-presence": {"max": 0.7}},
])  # fmt: skip
@pytest.mark.parametrize("method", ["local", "lattice"])
def test_a_claim_that_counts_the_population_is_not_verifiable_and_not_refuted(
    tmp_path, monkeypatch, claim: dict[str, object], method: str
) -> None:
    """Published honestly. Of other recodings, which Hedgerow refuses, it is refuted."""
    outside = [(str(i % 8), "uvw"[i % 3]) for i in range(48)]
    with (tmp_path / "outside.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("a", "b"), *outside])
    (name, said), *_ = claim.items()
    assert isinstance(said, dict)
    protect = [{name: {**said, "population": str(tmp_path / "outside.csv")}}]
    kept = name != "delta-presence" and method == "lattice"
    how: dict[str, object] = {"search": method} | ({"keep_suppressed": True} if kept else {})

    def verdict(how: dict[str, object], folder: str) -> str:
        hedgerow.publish(
            table(outside[::2]), method=how, protect=protect, to=tmp_path / folder,
            columns={"a": {"role": "quasi-identifier", "hierarchy": {"ranges": [2, 4]}},
                     "b": "quasi-identifier"},
        )  # fmt: skip
        return hedgerow.verify(tmp_path / folder).claims[0].verdict

    assert verdict(how, "honest") == "not verifiable"
    monkeypatch.setattr(
        recoding_choice, "refuse_unsuited",
        lambda plan, *rest, people, absent: plan.method.may_suppress(people),
    )  # fmt: skip
    if name == "k-map" and method == "local":
        assert verdict({"search": "cells"}, "forged") == "refuted"


def test_labels_that_may_be_read_as_another_group_are_refused(tmp_path):
    """The band of 1 and 2 is called 3, and the value 3 is a group of its own."""
    rows = [(value, "u") for value in "1234"]
    outside = [("1", "u"), ("2", "u")] * 2 + [("3", "u"), ("4", "u")] * 9
    for band, fine in (("x", True), ("3", False)):
        folder = tmp_path / band
        folder.mkdir()
        (folder / "a.csv").write_text(f"1,{band},*\n2,{band},*\n3,y,*\n4,y,*\n")
        if fine:
            release = published(folder, rows, outside, {"k-map": {"k": 4}}, str(folder / "a.csv"))
            assert release.claims[0].level == 4
            continue
        with pytest.raises(ClaimError, match="4-map"):
            published(folder, rows, outside, {"k-map": {"k": 4}}, str(folder / "a.csv"))
