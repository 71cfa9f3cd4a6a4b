"""Suppressed cells and the claims about candidates, against counting and matching row by row.

The oracle reads the published file as text: a star fits anybody, and another label whoever has it.
For the global kind it gives everybody a record in every way.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import cells_of, flat

import hedgerow
from hedgerow.attacks.linkage import link
from hedgerow.base.errors import PlanError
from hedgerow.claims import DistinctLDiversity, KAnonymity, KCandidates
from hedgerow.claims.protection import protected
from hedgerow.plan.plan import Plan
from hedgerow.recode.cell_suppression import cell_suppression
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import full_domain
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.recoding import SUPPRESSED
from hedgerow.release.certificate_text import as_text
from hedgerow.release.partition.certificate_consistency import stated_schema
from hedgerow.release.partition.record_candidates import most_fitting
from hedgerow.table.candidate_records import Pairs
from hedgerow.table.cells import Cells
from hedgerow.table.contents import Contents
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

Row = tuple[str, ...]
KINDS = ("global", "both", "records", "people")


def matchings(fits: list[list[int]], taken: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Every way to give each person a record of their own that fits."""
    if len(taken) == len(fits):
        yield taken
        return
    for record in fits[len(taken)]:
        if record not in taken:
            yield from matchings(fits, (*taken, record))


def fits(person: Row, record: Row) -> bool:
    return all(b in ("*", a) for a, b in zip(person, record, strict=True))


def candidates(people: list[Row], records: list[Row], kind: str) -> int:
    """The fewest candidates of anybody, by definition. Person i owns record i."""
    fitting = [[r for r, record in enumerate(records) if fits(p, record)] for p in people]
    if kind == "records":
        return min(map(len, fitting))
    if kind == "people":
        return min(sum(r in one for one in fitting) for r in range(len(records)))
    if kind == "both":
        return min(candidates(people, records, one) for one in ("records", "people"))
    possible: list[set[int]] = [set() for _ in people]
    for given_ in matchings(fitting):
        for person, record in enumerate(given_):
            possible[person].add(record)
    return min(map(len, possible))


def pairs_of(people: list[Row], records: list[Row]) -> tuple[Pairs, list[int]]:
    """The same people and records, counted by kind and group."""
    kinds, groups = sorted(set(people)), sorted(set(records))
    both = [(k, g) for k, kind in enumerate(kinds) for g, group in enumerate(groups)
            if fits(kind, group)]  # fmt: skip
    own = [
        sum((p, r) == (kinds[k], groups[g]) for p, r in zip(people, records, strict=True))
        for k, g in both
    ]
    made = Pairs(
        np.array([people.count(kind) for kind in kinds]),
        np.array([records.count(group) for group in groups]),
        np.array([k for k, _ in both]), np.array([g for _, g in both]), np.array(own),
    )  # fmt: skip
    return made, [kinds.index(p) for p in people]


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """A few people, and their records with some cells suppressed."""
    columns = draw(st.integers(1, 3))
    row = st.tuples(*(st.sampled_from("ab") for _ in range(columns)))
    people = draw(st.lists(row, min_size=1, max_size=6))
    stars = st.tuples(*(st.booleans() for _ in range(columns)))
    records = [
        tuple("*" if s else v for v, s in zip(person, draw(stars), strict=True))
        for person in people
    ]
    return people, records


@settings(max_examples=300, deadline=None)
@given(releases())
def test_candidates_are_those_of_all_matchings(release):
    people, records = release
    pairs, kinds = pairs_of(people, records)
    fitting = [[r for r, record in enumerate(records) if fits(p, record)] for p in people]
    possible: list[set[int]] = [set() for _ in people]
    for given_ in matchings(fitting):
        for person, record in enumerate(given_):
            possible[person].add(record)
    assert [pairs.possible_records[k] for k in kinds] == list(map(len, possible))
    assert [pairs.fitting_records[k] for k in kinds] == list(map(len, fitting))
    groups = sorted(set(records))
    assert pairs.fitting_people.tolist() == [
        sum(fits(person, group) for person in people) for group in groups
    ]


@settings(max_examples=200, deadline=None)
@given(releases())
def test_no_person_has_more_candidates_than_records_that_agree(release):
    """What `verify` counts in the table alone is never below what the people's values allow."""
    people, records = release
    names = [f"c{j}" for j in range(len(records[0]))]
    table = pa.table({name: [r[j] for r in records] for j, name in enumerate(names)})
    contents = Contents.read(table, quasi=names)
    most = most_fitting(contents)
    assert most.tolist() == [
        sum(all("*" in (v, w) or v == w for v, w in zip(group, other, strict=True))
            for other in records)
        for group in zip(*contents.labels, strict=True)
    ]  # fmt: skip
    for kind in KINDS:
        assert candidates(people, records, kind) <= most.min()


def drawn(seed: int, most: int = 8) -> list[Row]:
    rng = random.Random(seed)
    return [
        (rng.choice("abc"), rng.choice("mf"), rng.choice(("1", "2")), f"v{i % 3}")
        for i in range(rng.randint(4, most))
    ]


def published(
    rows: list[Row], to: Path, *claims: dict[str, object], **method: object
) -> hedgerow.Release:
    table = pa.table({
        "x": [r[0] for r in rows], "y": [r[1] for r in rows], "z": [r[2] for r in rows],
        "mark": [f"p{i}" for i in range(len(rows))],
    })  # fmt: skip
    return hedgerow.publish(
        table, protect=list(claims), method={"search": "cells", **method}, to=to,
        columns={"x": "quasi-identifier", "y": "quasi-identifier", "z": "quasi-identifier",
                 "mark": {"role": "sensitive", "key": False}},
    )  # fmt: skip


def records_in(folder: Path, people: int) -> list[Row]:
    """The records of a release, in the order of the people."""
    with (folder / "data.csv").open() as lines:
        found = {row["mark"]: (row["x"], row["y"], row["z"]) for row in csv.DictReader(lines)}
    return [found[f"p{i}"] for i in range(people)]


def made(rows: list[Row], claim: KCandidates) -> tuple[list[Row], list[Row]]:
    """People and their records, by the search alone."""
    columns = [flat("x", "abc"), flat("y", "mf"), flat("z", "12")]
    cells = cells_of([row[:3] for row in rows], columns)
    found = cell_suppression(cells, (claim,), metric=METRICS["loss"])
    people, records = [], []
    for cell, number, group in zip(found.cell, found.people, found.group, strict=True):
        assert group != SUPPRESSED
        person = tuple(h.values[c] for h, c in zip(columns, cells.q[cell], strict=True))
        people += [person] * int(number)
        records += [tuple(labels[group] for labels in found.labels)] * int(number)
    assert sorted(people) == sorted(row[:3] for row in rows)
    return people, records


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3])
def test_what_is_published_keeps_the_claim(kind, k):
    for seed in range(40):
        people, records = made(drawn(seed), KCandidates(k=k, kind=kind))
        assert all(fits(p, r) for p, r in zip(people, records, strict=True))
        assert candidates(people, records, kind) >= k


@pytest.mark.parametrize("kind", ["both", "records", "people"])
def test_no_cell_could_have_stayed(kind):
    """Of levels that publish values as they are: every star is needed."""
    needed = 0
    for seed in range(60):
        people, records = made(drawn(seed), KCandidates(k=2, kind=kind))
        # Where a whole column is a star, that is its level.
        columns = [j for j in range(3) if {r[j] for r in records} != {"*"}]
        for i, record in enumerate(records):
            for j in (j for j in columns if record[j] == "*"):
                more = (*record[:j], people[i][j], *record[j + 1 :])
                less = [*records[:i], more, *records[i + 1 :]]
                assert candidates(people, less, kind) < 2
                needed += 1
    assert needed > 20


@pytest.mark.parametrize("kind", KINDS)
def test_the_level_is_that_of_the_definition(tmp_path, kind):
    """Of the written file; also where another claim was asked for, too."""
    for seed in range(4):
        rows = drawn(seed)
        release = published(
            rows, tmp_path / f"{seed}", {"k-candidates": {"k": 2, "kind": "both"}},
            {"k-candidates": {"k": 2, "kind": kind}},
        )  # fmt: skip
        records = records_in(tmp_path / f"{seed}", len(rows))
        level = release.claims[1].level
        assert level == candidates([r[:3] for r in rows], records, kind)
        stated = release.certificate["claims"][1]
        assert stated["level"] is None
        assert stated["not_verifiable"] == "it depends on what people's values were before"
        assert not hedgerow.verify(tmp_path / f"{seed}").refuted


def stars(recoding, cells: Cells) -> dict[str, int]:
    kept = recoding.group != SUPPRESSED
    return {
        h.name: int(recoding.people[kept][recoding.labels[j][recoding.group[kept]] == "*"].sum())
        for j, h in enumerate(cells.hierarchies)
    }


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.sampled_from([0.0, 0.3]),
       st.sampled_from(["loss", "precision", "discernibility"]))  # fmt: skip
def test_groups_are_large_enough_and_nothing_is_worse_than_full_domain(seed, k, share, metric):
    rows = drawn(seed, most=24)
    columns = [flat("x", "abc"), flat("y", "mf"), flat("z", "12")]
    cells = cells_of(rows, columns, sensitive=["s"])
    limit = int(share * len(rows))
    models = (KAnonymity(k=k), DistinctLDiversity(l=2, of="s"))
    found = cell_suppression(cells, models, metric=METRICS[metric], limit=limit)
    assert found.kind == "cells"
    groups = found.groups(cells)
    assert all(model.holds(groups).all() for model in models)
    assert found.suppressed <= limit
    assert groups.people + found.suppressed == len(rows)
    lattice = Lattice.of(cells)
    whole = full_domain(cells, SearchConstraints(models, limit), METRICS[metric])
    cost = [METRICS[metric].cost(one.outcome(lattice.original)) for one in (found, whole)]
    assert cost[0] <= cost[1] + 1e-9
    levels = found.detail["levels"]
    told = {name: n for name, n in stars(found, cells).items() if levels[name] == 0}
    assert {name: found.detail["suppressed_cells"][name] for name in told} == told


def test_cells_of_important_columns_stay():
    rows = [(x, y) for x in "abcd" for y in "mfno"] * 2
    cells = cells_of(rows, [flat("x", "abcd"), flat("y", "mfno")])
    bounds = {"x": (0, 0), "y": (0, 0)}
    for kept, lost in (("x", "y"), ("y", "x")):
        found = cell_suppression(
            cells, (KAnonymity(k=3),), metric=METRICS["loss"], bounds=bounds, importance={kept: 5}
        )
        assert stars(found, cells) == {kept: 0, lost: len(rows)}


def test_wildcard_counting_is_not_even_one_k_anonymity():
    """sdcMicro counts the records that agree with a record, a star agreeing with everything.

    By that count both records below have a frequency of 2. But whoever knows that a person is
    (a, b) finds one record that fits, the person's own.
    """
    people, records = [("a", "b"), ("a", "c")], [("a", "*"), ("a", "c")]
    agree = [
        sum(all("*" in (v, w) or v == w for v, w in zip(one, other, strict=True))
            for other in records)
        for one in records
    ]  # fmt: skip
    assert agree == [2, 2]
    assert candidates(people, records, "records") == 1
    assert pairs_of(people, records)[0].fitting_records.tolist() == [1, 2]


def test_stars_for_a_few_are_one_k_anonymity_for_everybody():
    """Why (1,k)-anonymity says so little: two records of stars fit everybody."""
    people = [("a",), ("b",), ("c",)]
    records = [("*",), ("*",), ("c",)]
    assert candidates(people, records, "records") == 2
    assert candidates(people, records, "global") == 1


@pytest.mark.parametrize("kind", ["records", "both", "global"])
def test_linkage_finds_as_many_records(tmp_path, kind):
    rows = drawn(7, most=20)
    claim = {"k-candidates": {"k": 3, "kind": kind}}
    published(rows, tmp_path / "release", claim)
    register = Targets.of({name: [r[j] for r in rows] for j, name in enumerate("xyz")})
    found = link(Published.read(tmp_path / "release"), register, combined=0)
    assert found.detail["prosecutor"]["highest"] <= 1 / 3


def test_more_candidates_than_records_are_refuted(tmp_path):
    rows = drawn(3)
    published(rows, tmp_path / "release", {"k-candidates": {"k": 2, "kind": "both"}})
    columns = {
        **dict.fromkeys("xyz", "quasi-identifier"),
        "mark": {"role": "insensitive", "key": False},
    }
    for k, verdict in ((2, "not verifiable"), (len(rows) + 1, "refuted")):
        plan = Plan.of(columns=columns, protect=[{"k-candidates": {"k": k, "kind": "both"}}])
        (found,) = hedgerow.verify(tmp_path / "release" / "data.csv", plan=plan).claims
        assert found.verdict == verdict, found.why


@pytest.mark.parametrize("search", ["cells", "lattice"])
def test_forged_candidates_are_refuted_by_counting_records_that_agree(tmp_path, search):
    seen = set()
    for seed in range(8):
        folder, rows = tmp_path / f"{search}{seed}", drawn(seed, most=12)
        published(rows, folder, {"k-candidates": {"k": 2, "kind": "both"}}, search=search)
        records = records_in(folder, len(rows))
        agree = min(
            sum(all("*" in (v, w) or v == w for v, w in zip(r, s, strict=True)) for s in records)
            for r in records
        )
        for k in range(2, len(rows) + 1):
            forge(folder, k)
            (found,) = hedgerow.verify(folder).claims
            expected = "refuted" if k > agree else "not verifiable"
            assert found.verdict == expected, found.why
            seen.add((expected, k > 2))
    assert {("refuted", True), ("not verifiable", False)} <= seen


def forge(folder: Path, k: int) -> None:
    """A certificate that agrees with itself and promises k candidates."""
    (folder / "report.html").unlink(missing_ok=True)
    path = folder / "certificate.json"
    said = json.loads(path.read_text("utf-8"))
    said["files"].pop("report.html", None)
    model = KCandidates(k=k, kind="both")
    written = said["claims"][0]["model"] | {"k": k}
    for entry in (said["claims"][0], said["plan"]["protect"][0]):
        entry.update(claim=str(model), model=written)
    said["claims"][0].update(required=k, adversary=model.attacker)
    schema = stated_schema(said)
    withheld = [str(model)]
    left = said["people"]["left_out"]
    said["protected"] = protected([model], schema, left_out=left, withheld=withheld)
    path.write_text(as_text(said), "utf-8")


def test_the_certificate_says_which_anonymity_holds(tmp_path):
    published(drawn(3), tmp_path / "release", {"k-candidates": {"k": 2, "kind": "both"}})
    told = (tmp_path / "release" / "certificate.json").read_text()
    assert "(2,2)-anonymity" in told
    assert "anybody against those who match several people" in told
    assert "identity: a group may hold a single person" in told


@pytest.mark.parametrize(
    ("method", "what"),
    [
        ({"importance": {"w": 2}}, "'w' is no quasi-identifier"),
        ({"importance": {"x": 0}}, "importance"),
        ({"parts": 10}, "parts has no meaning for cells"),
        ({"search": "lattice", "importance": {"x": 2}}, "importance has no meaning for lattice"),
    ],
    ids=str,
)
def test_what_has_no_meaning_is_refused(tmp_path, method, what):
    with pytest.raises(PlanError, match=what):
        published(drawn(1), tmp_path / "release", {"k-anonymity": 2}, **method)


def test_a_value_that_is_spelled_as_a_suppressed_cell_is_refused(tmp_path):
    rows = [("*", "m", "1", "v"), ("a", "m", "1", "v"), ("b", "m", "1", "v")]
    with pytest.raises(PlanError, match="suppressed cells are written so"):
        published(rows, tmp_path / "release", {"k-anonymity": 2})
