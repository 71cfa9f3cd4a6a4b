"""Recoding part by part: the parts are those of brute force, and strict Mondrian never changes."""

from __future__ import annotations

import pickle
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from contracts.oracles import models as models_of_claims
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tables import cells_of, flat, integers

from hedgerow.base.errors import ClaimError, PlanError
from hedgerow.claims import (
    DistinctLDiversity,
    EntropyLDiversity,
    EpsilonPrivacy,
    KAnonymity,
    KMap,
    MarketerRisk,
    TCloseness,
)
from hedgerow.claims.adversary import ClassI
from hedgerow.claims.base import Needs
from hedgerow.claims.priors import Prior
from hedgerow.recode.cell_margins import CellMargins
from hedgerow.recode.first_cuts import first_cuts
from hedgerow.recode.local import local
from hedgerow.recode.method import RecodingMethod
from hedgerow.recode.microaggregation import microaggregation
from hedgerow.recode.mondrian import mondrian
from hedgerow.recode.partwise import parted
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Histogram, Sensitive
from hedgerow.table.hierarchy import Hierarchy

DOSE = Hierarchy.of(
    "dose",
    [(v, "*") for v in ("0.5", "1", "1.0", "01", "2", "2.50", "7", "x", None)],
    numbers=[0.5, 1, 1, 1, 2, 2.5, 7, float("nan"), float("nan")],
)
PLACE = Hierarchy.of(
    "place",
    [(a + b, a, "AB" if a in "ab" else "C", "*") for a, b in ("a1", "a2", "b1", "b2", "b3", "c1")],
)
SEX = flat("sex", ["f", "m", None])
DOMAIN = (DOSE, PLACE, SEX)
ORDER = {"s": list("xyz"), "t": ["0", "1", None]}

people = st.tuples(
    st.sampled_from(DOSE.values), st.sampled_from(PLACE.values), st.sampled_from(SEX.values),
    st.sampled_from("xyz"), st.sampled_from(ORDER["t"]),
)  # fmt: skip
tables = st.lists(people, min_size=1, max_size=40).map(lambda rows: sorted(rows, key=str))
sizes = st.integers(1, 25)
CLAIMS = [
    (KAnonymity(k=1),),
    *((model,) for found in models_of_claims().values() for model in found
      if Needs.POPULATION not in model.needs),
    (KAnonymity(k=2), MarketerRisk(risk=0.4)),
    (KAnonymity(k=2), DistinctLDiversity(l=2, of="s"), DistinctLDiversity(l=2, of="t")),
    (EntropyLDiversity(l=2, of="t"), KAnonymity(k=2)),
    (TCloseness(t=0.4, of="s"), TCloseness(t=0.4, of="t"), KAnonymity(k=2)),
    (
        EpsilonPrivacy(
            epsilon=3, of="s", adversary=ClassI(prior=Prior.counts({"x": 5, "y": 5, "z": 5}))
        ),
    ),
]  # fmt: skip
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def counted(rows):
    return cells_of(rows, DOMAIN, sensitive=["s", "t"], order=ORDER)


def with_sets(rows):
    """People have any number of values: (quasi-identifiers, set of values)."""
    table = Counter(rows)
    keys = sorted(table, key=str)
    n = np.array([table[key] for key in keys], np.int64)
    q = np.array(
        [[h.place[v] for h, v in zip(DOMAIN, key[0], strict=True)] for key in keys], np.int32
    )
    codes = [sorted(map("xyz".index, key[1])) for key in keys]
    indptr = np.cumsum([0, *map(len, codes)])
    flat_codes = np.array([code for each in codes for code in each], np.int32)
    counts = np.repeat(n, np.diff(indptr))
    reference = np.bincount(flat_codes, weights=counts, minlength=3).astype(np.int64)
    domain = Sensitive("s", tuple("xyz"), reference, int(n.sum()))
    return Cells(DOMAIN, q, n, n, (domain,), (Histogram(indptr, flat_codes, counts),))


def told(recoding):
    """Everything a recoding says, but how it was found."""
    spans = recoding.spans
    return (
        recoding.kind, recoding.cell.tolist(), recoding.people.tolist(), recoding.group.tolist(),
        [label.tolist() for label in recoding.labels], spans.low.tolist(), spans.high.tolist(),
        spans.rung.tolist(),
    )  # fmt: skip


def tried(make):
    """What a recoding says, or why there is none."""
    try:
        return told(make())
    except ClaimError as error:
        return error.what


@settings(quick, max_examples=120)
@given(tables, st.sampled_from(CLAIMS), sizes, st.sampled_from(["ranges", "taxonomy"]))
def test_strict_mondrian_is_the_same_with_parts(rows, models, most, boxes):
    cells = counted(rows)
    method = RecodingMethod(search="mondrian", models=models, boxes=boxes)
    assert tried(lambda: parted(cells, method, most=most)) == tried(
        lambda: mondrian(cells, models, boxes=boxes)
    )


SETS = st.lists(
    st.tuples(
        st.tuples(*(st.sampled_from(h.values) for h in DOMAIN)),
        st.frozensets(st.sampled_from("xyz")),
    ),
    min_size=1,
    max_size=30,
)


@quick
@given(SETS, st.sampled_from([(KAnonymity(k=2),), (DistinctLDiversity(l=2, of="s"),)]), sizes)
def test_people_with_several_values(rows, models, most):
    cells = with_sets(rows)
    method = RecodingMethod(search="mondrian", models=models)
    assert tried(lambda: parted(cells, method, most=most)) == tried(lambda: mondrian(cells, models))


def test_the_table_is_cut_and_mondrian_could_differ():
    """Were nothing cut, or the axes of a part its own, the tests above would not see it."""
    numbers = np.random.default_rng(4)
    rows = [(str(a), str(b), "xyz"[s]) for a, b, s in zip(
        numbers.integers(0, 40, 500), numbers.integers(0, 40, 500), numbers.integers(0, 3, 500),
        strict=True,
    )]  # fmt: skip
    cells = cells_of(rows, (integers("a", 0, 39), integers("b", 0, 39)), sensitive=["s"])
    models = (KAnonymity(k=4), DistinctLDiversity(l=2, of="s"))
    method = RecodingMethod(search="mondrian", models=models)
    first = first_cuts(
        CellMargins(cells), hierarchies=cells.hierarchies, sensitive=cells.sensitive,
        models=models, most=60,
    )  # fmt: skip
    assert len(first.parts) > 8
    assert max(first.lines.values()) <= 60
    assert sum(first.lines.values()) == len(cells.n)
    assert sum(first.people.values()) == 500
    shares = list[float]()
    whole = parted(cells, method, most=60, progress=shares.append)
    assert told(whole) == told(mondrian(cells, models))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    assert whole.detail == {"mode": "strict", "boxes": "ranges", "parts": 60}


def rank_of(hierarchy, code):
    """What stands at the same place of an axis has the same rank."""
    if hierarchy.numbers is None or np.isnan(hierarchy.numbers[code]):
        return code
    return int(np.flatnonzero(hierarchy.numbers == hierarchy.numbers[code])[-1])


def brute_force(rows, passes, most):
    """Parts as lists of people, cut by trying every cut of every axis."""
    coded = [tuple(h.place[v] for h, v in zip(DOMAIN, row, strict=False)) for row in rows]
    measure = []
    for j, h in enumerate(DOMAIN):
        present = {c[j] for c in coded}
        if h.numbers is None:
            measure.append({c: c / (len(h.values) - 1) for c in present})
            continue
        numbers = [h.numbers[c] for c in present if not np.isnan(h.numbers[c])]
        low, width = min(numbers, default=0), max(numbers, default=0) - min(numbers, default=0)
        measure.append({
            c: 2.0 if np.isnan(h.numbers[c]) else (h.numbers[c] - low) / (width or 1e-300)
            for c in present
        })  # fmt: skip

    def branch(h, code, level):
        if h.numbers is None:
            return h.codes[level][code]
        # Numbers are one branch, each missing value another.
        return -1 if not np.isnan(h.numbers[code]) else code

    def level_of(h, a, b):
        height = h.height if h.numbers is None else 1
        return max(
            (i for i in range(1, height + 1) if branch(h, a, i) != branch(h, b, i)), default=0
        )

    def cut(members):
        """Members are places in `rows`."""
        if len({rows[i] for i in members}) <= most:
            return [members]
        widths = []
        for j in range(len(DOMAIN)):
            codes = [coded[i][j] for i in members]
            at = measure[j]
            widths.append(min(1.0, at[max(codes)] - at[min(codes)]))
        for j in sorted(range(len(DOMAIN)), key=lambda j: -widths[j]):
            h = DOMAIN[j]
            ranks = sorted({rank_of(h, coded[i][j]) for i in members})
            choices = []
            for a, b in pairwise(ranks):
                left = [i for i in members if rank_of(h, coded[i][j]) <= a]
                right = [i for i in members if rank_of(h, coded[i][j]) > a]
                choices.append((level_of(h, a, b), min(len(left), len(right)), a, left, right))
            for *_, left, right in sorted(choices, key=lambda c: c[:3], reverse=True):
                if passes([rows[i] for i in left]) and passes([rows[i] for i in right]):
                    return cut(left) + cut(right)
        return [members]

    return cut(list(range(len(rows))))


def plain(k, l, t, rows):  # noqa: E741
    """k people, l values of s, and s at most t from the table (equal distance); by hand."""
    everybody = Counter(row[3] for row in rows)

    def passes(group):
        mine = Counter(row[3] for row in group)
        far = sum(
            abs(Fraction(mine[v], len(group)) - Fraction(everybody[v], len(rows)))
            for v in everybody
        )
        return len(group) >= k and len(mine) >= l and far / 2 <= Fraction(t)

    return passes


def restricted(cells, chosen):
    """Some cells of a table, by hand."""
    values = []
    for h in cells.values:
        starts = [int(h.indptr[c]) for c in chosen]
        values.append(
            Histogram(np.arange(len(chosen) + 1), h.codes[starts], cells.n[chosen].copy())
        )
    return Cells(
        cells.hierarchies, cells.q[chosen], cells.n[chosen], cells.n[chosen], cells.sensitive,
        tuple(values),
    )  # fmt: skip


asked = st.tuples(st.integers(1, 3), st.integers(1, 2), st.sampled_from(["1", "0.4"]))


def claims_of(k, l, t):  # noqa: E741
    models = [KAnonymity(k=k)]
    if l > 1:
        models.append(DistinctLDiversity(l=l, of="s"))
    if t != "1":
        models.append(TCloseness(t=Fraction(t), of="s", distance="equal"))
    return tuple(models)


def brute_parts(rows, cells, passes, most):
    """The cells of each part, by brute force."""
    tuples = [
        (*q, *(int(h.codes[c]) for h in cells.values)) for c, q in enumerate(cells.q.tolist())
    ]
    place = {key: c for c, key in enumerate(tuples)}
    found = []
    for part in brute_force(rows, passes, most):
        keys = set()
        for i in part:
            q = (h.place[v] for h, v in zip(DOMAIN, rows[i][:3], strict=True))
            keys.add((*q, ORDER["s"].index(rows[i][3]), ORDER["t"].index(rows[i][4])))
        found.append(np.array(sorted(place[key] for key in keys)))
    return found


@settings(quick, max_examples=60)
@given(tables, asked, sizes)
def test_first_cuts_are_those_of_brute_force(rows, parameters, most):
    cells, passes = counted(rows), plain(*parameters, rows)
    assume(passes(rows))
    source = CellMargins(cells)
    first = first_cuts(
        source, hierarchies=DOMAIN, sensitive=cells.sensitive, models=claims_of(*parameters),
        most=most,
    )  # fmt: skip
    found = [source.cells_of(first.tree, part).tolist() for part in first.parts]
    assert found == [part.tolist() for part in brute_parts(rows, cells, passes, most)]
    assert [first.lines[part] for part in first.parts] == [len(part) for part in found]
    assert [first.people[part] for part in first.parts] == [
        int(cells.n[part].sum()) for part in found
    ]


def published(cells, recoding, cell_of=None):
    """What a recipient gets: for each published tuple its people, by cell of the whole table."""
    found = {}
    for cell, n, group in zip(recoding.cell, recoding.people, recoding.group, strict=True):
        label = None if group < 0 else tuple(column[group] for column in recoding.labels)
        mine = int(cell if cell_of is None else cell_of[cell])
        found.setdefault(label, Counter())[mine] += int(n)
    return found


def check_claims(cells, rows, recoding, passes):
    """Every group as the recipient sees it keeps the claims, counted by hand."""
    as_row = ["xyz"[code] for code in cells.values[0].codes]
    for label, members in published(cells, recoding).items():
        if label is not None:
            group = [(None, None, None, as_row[cell]) for cell in members.elements()]
            assert passes(group)
    dealt = np.zeros(len(cells.n), np.int64)
    np.add.at(dealt, recoding.cell, recoding.people)
    assert dealt.tolist() == cells.n.tolist()
    assert len(rows) == dealt.sum()


@settings(quick, max_examples=50)
@given(tables, asked, sizes, st.sampled_from(["microaggregation", "local"]), st.integers(0, 5))
def test_each_part_is_recoded_by_itself(rows, parameters, most, search, limit):
    cells, passes, models = counted(rows), plain(*parameters, rows), claims_of(*parameters)
    assume(passes(rows))
    k = parameters[0]
    method = RecodingMethod(search=search, models=models, k=k)
    expected: dict = {}
    try:
        for part in brute_parts(rows, cells, passes, most):
            own = restricted(cells, part)
            if search == "local":
                share = limit * int(own.n.sum()) // len(rows)
                made = local(own, models, limit=share)
            else:
                made = microaggregation(own, k=k, models=models)
            for label, members in published(own, made, part).items():
                expected.setdefault(label, Counter()).update(members)
    except ClaimError:
        with pytest.raises(ClaimError):
            parted(cells, method, most=most, limit=limit)
        return
    recoding = parted(cells, method, most=most, limit=limit)
    assert published(cells, recoding) == expected
    assert recoding.suppressed <= (limit if search == "local" else 0)
    assert (np.diff(recoding.cell) >= 0).all()
    check_claims(cells, rows, recoding, passes)
    # Groups that look alike are one, which covers all of their people.
    for label, members in expected.items():
        if label is None:
            continue
        alike = [g for g in range(recoding.size) if label == tuple(c[g] for c in recoding.labels)]
        q = cells.q[list(members)]
        for g in alike:
            assert (recoding.spans.low[g] <= q.min(axis=0)).all()
            assert (recoding.spans.high[g] >= q.max(axis=0)).all()
            assert (recoding.spans.rung[g] == recoding.spans.rung[alike[0]]).all()
    again = pickle.loads(pickle.dumps(method))
    assert told(parted(cells, again, most=most, limit=limit)) == told(recoding)


@settings(quick, max_examples=50)
@given(tables, asked, sizes)
def test_relaxed_mondrian_makes_the_same_groups(rows, parameters, most):
    """Only who of equal people goes where may differ, and only where sizes alone decide."""
    cells, passes, models = counted(rows), plain(*parameters, rows), claims_of(*parameters)
    assume(passes(rows))
    whole = mondrian(cells, models, mode="relaxed")
    recoding = parted(
        cells, RecodingMethod(search="mondrian", models=models, mode="relaxed"), most=most
    )
    if len(models) > 1:
        assert told(recoding) == told(whole)
    assert told(recoding)[4:] == told(whole)[4:]
    for made in (recoding, whole):
        check_claims(cells, rows, made, passes)
    assert (
        np.bincount(recoding.group, weights=recoding.people).tolist()
        == np.bincount(whole.group, weights=whole.people).tolist()
    )


def test_a_part_that_cannot_be_cut_stays_whole():
    age = integers("age", 0, 1)
    rows = [("0", "x"), ("0", "y"), ("0", "z"), ("1", "x"), ("1", "y"), ("1", "y")]
    cells = cells_of(rows, (age,), sensitive=["s"])
    first = first_cuts(
        CellMargins(cells), hierarchies=(age,), sensitive=cells.sensitive,
        models=(KAnonymity(k=2),), most=1,
    )  # fmt: skip
    assert first.parts == [1, 2]
    assert first.lines == {1: 3, 2: 2}


@pytest.mark.parametrize(("most", "parts"), [(8, 1), (7, 2), (4, 2), (3, 4), (2, 4), (1, 8)])
def test_a_part_of_just_so_many_lines_is_small_enough(most, parts):
    """Eight ages, three people each: cut in halves, quarters and eighths."""
    cells = cells_of([(str(age),) for age in range(8)] * 3, (integers("age", 0, 7),))
    first = first_cuts(
        CellMargins(cells), hierarchies=cells.hierarchies, sensitive=(),
        models=(KAnonymity(k=2),), most=most,
    )  # fmt: skip
    assert first.parts == sorted(first.parts)
    assert list(first.lines.values()) == [8 // parts] * parts
    assert list(first.people.values()) == [24 // parts] * parts


def test_those_barred_count_against_the_limit():
    """Of ten people three are barred, and one more may be left out: in no part of less than all."""
    place = flat("place", ["a", "b", "c"])
    rows = [("a",)] * 3 + [("b",)] * 3 + [("c",)]
    cells = cells_of(rows, (place,))
    barred = Cells(cells.hierarchies, cells.q, cells.n, cells.rows, absent=3)
    bounds = {"place": (0, 0)}
    method = RecodingMethod(search="local", models=(KAnonymity(k=3),), bounds=bounds)
    assert parted(barred, method, most=9, limit=4).suppressed == 1
    assert parted(cells, method, most=9, limit=1).suppressed == 1
    with pytest.raises(ClaimError, match="lets 0 be left out"):
        parted(barred, method, most=9, limit=3)
    with pytest.raises(ClaimError, match=r"in a part of 4 people.*lets 0 be left out") as error:
        parted(barred, method, most=1, limit=4)
    assert "a larger `parts`" in str(error.value)


def test_groups_of_two_parts_that_look_alike_are_one():
    """One number and an x have no mean of two people, and nor have two who have nothing."""
    cells = cells_of([("1",), ("x",), (None,), (None,)], (DOSE,))
    method = RecodingMethod(search="microaggregation", models=(), k=2)
    recoding = parted(cells, method, most=2)
    assert recoding.labels[0].tolist() == [None, None]
    ends = DOSE.place["1"], DOSE.place[None]
    assert recoding.spans.low.tolist() == [[ends[0]]] * 2
    assert recoding.spans.high.tolist() == [[ends[1]]] * 2
    assert recoding.spans.rung.tolist() == [[1.0]] * 2
    assert recoding.groups(cells).n.tolist() == [4]


def test_what_does_not_fit_is_refused():
    cells = cells_of([("0",), ("1",)], (integers("age", 0, 1),))
    with pytest.raises(PlanError, match="cannot be claimed for parts"):
        parted(cells, RecodingMethod(search="mondrian", models=(KMap(k=2),)), most=1)
    with pytest.raises(PlanError, match="mondrian has no mode"):
        parted(cells, RecodingMethod(search="mondrian", models=(), mode="loose"), most=1)
    with pytest.raises(ClaimError, match="3-anonymity does not even hold where all 2 people"):
        parted(cells, RecodingMethod(search="microaggregation", models=(), k=3), most=1)


def test_nothing_to_cut():
    nobody = cells_of([], (integers("age", 0, 1),))
    assert (
        parted(nobody, RecodingMethod(search="mondrian", models=(KAnonymity(k=2),)), most=1).size
        == 0
    )
    blank = Cells((), np.zeros((1, 0), np.int32), np.array([3]), np.array([3]))
    made = parted(blank, RecodingMethod(search="mondrian", models=(KAnonymity(k=2),)), most=1)
    assert (made.size, made.people.tolist(), made.detail["parts"]) == (1, [3], 1)
