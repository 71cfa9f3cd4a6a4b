"""Part by part in the engine comes to what it comes to in memory."""

import json
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parted_people import (
    LOCAL,
    MANY,
    MDAV,
    RELAXED,
    STRICT,
    TAXONOMY,
    K,
    both,
    files,
    in_memory,
    people,
    roles,
    watched,
)

import hedgerow
import hedgerow.release.partition.job
from hedgerow.base.errors import ClaimError, DataError, PlanError
from hedgerow.claims import KAnonymity
from hedgerow.engines import open_engine
from hedgerow.engines.frequency_lines import HeldLines
from hedgerow.plan.plan import Plan
from hedgerow.recode.axes import Space
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.method import RecodingMethod
from hedgerow.recode.part_work import Columns, PartWork
from hedgerow.release.certificate_text import as_text
from hedgerow.release.partition.engine_recoding import obstacle
from hedgerow.release.partition.job import opened
from hedgerow.table.hierarchy import Hierarchy

TABLE = people()
PARTS = 150


@pytest.mark.parametrize(
    ("method", "claims", "note", "form"),
    [
        (STRICT, K, False, "csv"),
        (STRICT, MANY, True, "parquet"),
        (RELAXED, K, True, "csv"),
        (RELAXED, MANY, False, "parquet"),
        (TAXONOMY, MANY, True, "csv"),
        (MDAV, K, False, "parquet"),
        (MDAV, MANY, True, "csv"),
        (LOCAL, K, True, "parquet"),
        (LOCAL, MANY, False, "csv"),
    ],
)
def test_a_release_is_the_same_file_and_certificate(method, claims, note, form, tmp_path):
    missing = "suppress" if method is LOCAL else "value"
    there, _ = both(
        TABLE, tmp_path, columns=roles(note=note, missing=missing), protect=claims,
        method={**method, "parts": PARTS}, publish={"to": "x", "format": form},
    )  # fmt: skip
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert there.certificate["search"]["parts"] == PARTS
    assert not method.get("suppress") or there.suppressed
    found = hedgerow.verify(there)
    assert not found.refuted
    # Whether a group is close to a table that was not published as a whole nobody can check.
    unknown = sum("t-closeness" in claim for claim in claims) if there.suppressed else 0
    assert len(found.verified) == len(claims) - unknown


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_whatever_the_table(data):
    code = st.sampled_from(["0", "1", "2", "3", "10", "x", None])
    rows = data.draw(st.lists(st.tuples(code, code, st.sampled_from("abc")), min_size=12,
                              max_size=60))  # fmt: skip
    q, r, s = zip(*rows, strict=True)
    table = pa.table({"q": pa.array(q, pa.string()), "r": pa.array(r, pa.string()), "s": s})
    method = data.draw(st.sampled_from([STRICT, RELAXED, TAXONOMY, MDAV]))
    parts = data.draw(st.integers(1, 30))
    said = {
        "columns": {"q": "quasi-identifier", "r": "quasi-identifier", "s": "sensitive"},
        "protect": [{"k-anonymity": data.draw(st.integers(2, 4))}],
        "method": {**method, "parts": parts},
    }
    outcomes = []
    for memory in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if memory:
                in_memory(patch)
            try:
                release = hedgerow.publish(table, **said)
                outcomes.append((release.to_arrow(), as_text(release.certificate)))
            except ClaimError as error:
                outcomes.append(str(error))
    if "cannot be cut" in str(outcomes[0]):
        return  # in memory a part may be larger than it should
    assert outcomes[0] == outcomes[1]


def test_strict_mondrian_is_the_same_without_parts(tmp_path):
    said = {"columns": roles(), "protect": MANY}
    parts = hedgerow.publish(TABLE, **said, method={**STRICT, "parts": PARTS})
    whole = hedgerow.publish(TABLE, **said, method=STRICT)
    assert parts.to_arrow().equals(whole.to_arrow())
    assert parts.utility == whole.utility


class OneColumnAtATime:
    """An engine that never counts two columns together, nor gives rows."""

    def __init__(self, engine):
        self._engine = engine

    def __enter__(self):
        self._engine.__enter__()
        return self

    def __exit__(self, *what):
        return self._engine.__exit__(*what)

    def counts(self, columns, *, sets=(), marks=()):
        assert len(columns) + len(sets) == 1, "the frequency set came out"
        return self._engine.counts(columns, sets=sets, marks=marks)

    def rows(self, columns, limit):
        assert limit <= 1000, "rows came out"  # the first say what the columns look like
        return self._engine.rows(columns, limit)

    def __getattr__(self, name):
        return getattr(self._engine, name)


class Changing(OneColumnAtATime):
    """Somebody came when a column was read."""

    when = ""

    def counts(self, columns, *, sets=(), marks=()):
        found = super().counts(columns, sets=sets, marks=marks)
        if columns[0] not in self.when:
            return found
        more = pa.array(found["n"].to_numpy() + (np.arange(found.num_rows) == 0))
        return found.set_column(found.column_names.index("n"), "n", more)


@pytest.mark.parametrize("when", ["job", ("age", "zip", "city", "disease", "job")])
def test_a_source_that_changes_is_noticed(when, monkeypatch):
    monkeypatch.setattr(Changing, "when", when)
    monkeypatch.setattr(
        hedgerow.release.partition.job,
        "open_engine",
        lambda *a, **k: Changing(open_engine(*a, **k)),
    )
    with pytest.raises(DataError, match="other people when it was read again"):
        hedgerow.publish(TABLE, columns=roles(), protect=K, method={**STRICT, "parts": PARTS})


@pytest.mark.parametrize(
    ("method", "note"), [(STRICT, True), (RELAXED, True), (MDAV, False), (LOCAL, True)]
)
def test_no_more_than_a_part_comes_out_at_a_time(method, note, monkeypatch):
    monkeypatch.setattr(
        hedgerow.release.partition.job,
        "open_engine",
        lambda *a, **k: OneColumnAtATime(open_engine(*a, **k)),
    )
    seen = watched(monkeypatch)
    hedgerow.publish(TABLE, columns=roles(note=note), protect=K, method={**method, "parts": PARTS})
    assert max(seen.lines) <= PARTS
    assert sum(seen.lines) > 4 * PARTS
    in_memory(monkeypatch)
    with pytest.raises(AssertionError, match="came out"):
        hedgerow.publish(TABLE, columns=roles(), protect=K, method={**method, "parts": PARTS})


def test_a_table_no_larger_than_a_part_is_held_in_memory(monkeypatch):
    seen = watched(monkeypatch)
    release = hedgerow.publish(
        TABLE, columns=roles(), protect=K, method={**STRICT, "parts": 10_000}
    )
    assert not seen.lines
    assert not release.notes


# Errors


@pytest.mark.parametrize("method", [RELAXED, MDAV, LOCAL])
def test_a_part_that_cannot_be_cut_is_refused(method):
    with pytest.raises(ClaimError, match="cannot be cut into parts of at most 150") as refused:
        hedgerow.publish(
            TABLE, columns=roles(), protect=[{"k-anonymity": 500}], method={**method, "parts": 150}
        )
    assert "a round number, such as 1000," in refused.value.fix, "not how many lines there are"


@pytest.mark.parametrize(
    ("method", "change"), [(STRICT, "lost"), (STRICT, "doubled"), (LOCAL, "doubled")]
)
def test_people_who_are_lost_or_doubled_on_the_way_are_missed(method, change, monkeypatch):
    """A cluster reads a source again where an executor is lost, and it may have changed."""
    condensed = HeldLines.condensed

    def other(held):
        found = condensed(held)
        return found.slice(1) if change == "lost" else pa.concat_tables([found, found.slice(0, 9)])

    monkeypatch.setattr(HeldLines, "condensed", other)
    with pytest.raises(DataError, match="other people when it was read again"):
        hedgerow.publish(
            TABLE, columns=roles(), protect=[{"k-anonymity": 5}], method={**method, "parts": 150}
        )


def test_strict_mondrian_makes_a_group_of_what_cannot_be_cut(monkeypatch):
    seen = watched(monkeypatch)
    release = hedgerow.publish(
        TABLE, columns=roles(), protect=[{"k-anonymity": 500}], method={**STRICT, "parts": 150}
    )
    assert len(seen.lines) == 1
    assert len(set(map(tuple, release.to_arrow().select(["age", "zip"]).to_pylist()))) == 1


@pytest.mark.parametrize(
    ("said", "error", "text"),
    [
        ({"protect": [{"k-anonymity": 901}]}, ClaimError, "all 900 people are one group"),
        ({"protect": [{"k-anonymity": 901}], "method": {**MDAV, "parts": 9}}, ClaimError, "901"),
        ({"columns": roles(missing="suppress")}, ClaimError, "people have no value in a column"),
        ({"columns": roles(missing="refuse")}, DataError, "which the plan refuses"),
        ({"columns": {**roles(), "zip": {"role": "quasi-identifier", "levels": [0, 9]}},
          "method": {**LOCAL, "parts": 9}}, PlanError, "do not exist"),
        ({"protect": [{"l-diversity": {"l": 2, "of": "job"}}],
          "columns": {**roles(), "job": "sensitive"}, "method": {**MDAV, "parts": 9}},
         PlanError, "needs a k-anonymity claim"),
        ({"columns": {**roles(), "zip": {"role": "quasi-identifier", "levels": [0, 0]}},
          "protect": [{"k-anonymity": 30}], "method": {"search": "local", "parts": 200}},
         ClaimError, "in a part of"),
    ],
)  # fmt: skip
def test_errors_are_the_same_in_memory(said, error, text, monkeypatch):
    told = {"columns": roles(), "protect": K, "method": {**STRICT, "parts": PARTS}} | said
    with pytest.raises(error, match=text) as there:
        hedgerow.publish(TABLE, **told)
    in_memory(monkeypatch)
    with pytest.raises(error, match=text) as here:
        hedgerow.publish(TABLE, **told)
    assert str(there.value) == str(here.value)


def test_a_part_leaves_out_its_share_only():
    """One of five may be left out of all, and that one is alone in a part of less than all."""
    age = Hierarchy.of("age", [("20", "*"), ("30", "*")], numbers=[20, 30])
    lines = pa.table({"c0": pa.array([0, 1], pa.int32()), "n": [3, 1]})

    def work(people):
        return PartWork(
            columns=Columns(hierarchies=(age,), sensitive=(), written=(), sizes=(2,)),
            method=RecodingMethod(
                search="local", models=(KAnonymity(k=2),), bounds={"age": (0, 0)}
            ),
            space=Space.of((age,), np.array([[0], [1]], np.int32)),
            limit=2,
            people=people,
        )(lines)

    assert work(8)["p0"].to_pylist() == ["20"]
    with pytest.raises(ClaimError, match="in a part of 4 people, local recoding placed all but 1"):
        work(9)


def test_people_who_are_barred_count_as_left_out():
    """Four may be left out, and four have no value in b: nobody else may be."""
    alike = [(str(q), "x") for q in range(9) for _ in range(4)]
    rows = [*alike, ("9", "x"), *[("0", None)] * 4]
    table = pa.table(
        {name: list(values) for name, values in zip("ab", zip(*rows, strict=True), strict=True)}
    )
    said = {
        "columns": {
            "a": {"role": "quasi-identifier", "levels": [0, 0]},
            "b": {"role": "quasi-identifier", "missing": "suppress"},
        },
        "protect": [{"k-anonymity": 2}],
    }
    for share, fits in (("10%", False), ("20%", True)):
        method = {"search": "local", "suppress": share, "parts": 5}
        if fits:
            assert hedgerow.publish(table, **said, method=method).suppressed == 5
        else:
            with pytest.raises(ClaimError, match=r"placed all but 1 .*lets 0 be left out"):
                hedgerow.publish(table, **said, method=method)


def test_an_empty_table_is_refused(monkeypatch):
    with pytest.raises(DataError, match="no rows"):
        hedgerow.publish(TABLE.slice(0, 0), columns=roles(), protect=K,
                         method={**STRICT, "parts": 1})  # fmt: skip


# What has to be in memory


KNOWN = {"class": "III", "prior": "table", "knows": {"file": "staff.csv", "by": "note"}}
EPSILON = {"epsilon": 9, "of": "disease"}


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ({"k-anonymity": {"k": 2, "over": "all"}}, "all columns together"),
        ({"epsilon-privacy": {**EPSILON, "adversary": KNOWN}}, "does not show"),
        ({"composition": {"confidence": 0.5, "of": "disease"}}, "earlier releases"),
        ({"k-anonymity": 2}, None),
        ({"epsilon-privacy": {**EPSILON, "adversary": {"class": "III", "prior": "table"}}}, None),
    ],
)
def test_claims_that_need_more_than_an_engine_counts(claim, why, tmp_path):
    (tmp_path / "staff.csv").write_text("note\nn1\n", "utf-8")
    text = json.dumps({"source": "x.csv", "columns": roles(), "protect": [claim]})
    plan = Plan.parse(text, name="plan.yaml", folder=tmp_path)
    with opened(plan, TABLE, past=()) as job:
        found = obstacle(job)
    assert found is None if why is None else why in found


def test_people_who_are_told_apart_and_have_one_row_each_stay_there():
    table = TABLE.set_column(5, "note", pa.array([f"p{i}" for i in range(TABLE.num_rows)]))
    columns = {name: role for name, role in roles().items() if name != "note"}
    said = {"columns": columns, "protect": K, "method": {**STRICT, "parts": PARTS}}
    several = hedgerow.publish(table, person="note", **said)
    assert not several.notes
    alone = hedgerow.publish(TABLE.drop_columns(["note"]), **said)
    assert not alone.notes
    assert several.to_arrow().equals(alone.to_arrow()), "each has one row"


def test_the_first_release_of_a_population_stays_there_and_the_second_does_not(
    tmp_path, monkeypatch
):
    said = {"columns": roles(), "protect": K, "method": {**STRICT, "parts": PARTS},
            "population": "swiss", "ledger": tmp_path / "ledger.db"}  # fmt: skip
    seen = watched(monkeypatch)
    first = hedgerow.publish(TABLE, to=tmp_path / "first", report=False, **said)
    assert len(seen.lines) > 1
    assert not first.notes
    second = hedgerow.publish(
        people(seed=4), to=tmp_path / "second", report=False, **said | {"protect": MANY}
    )
    assert any("earlier releases to compare with" in note for note in second.notes)
    assert second.exposures
    with hedgerow.Ledger.open(tmp_path / "ledger.db") as ledger:
        released = [e for e in ledger.entries() if e.kind == "RELEASED"]
    assert len(released) == 2


def test_a_report_is_made_afterwards(tmp_path):
    """From the plan, in memory: groups overlap, so a release does not say who is in which."""
    said = {"columns": roles(), "protect": K, "method": {**LOCAL, "parts": PARTS}}
    pq.write_table(TABLE, tmp_path / "people.parquet")
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        json.dumps({"source": "people.parquet", "publish": {"to": "out"}} | said), "utf-8"
    )
    release = hedgerow.publish(plan)
    assert any("no internal report" in note for note in release.notes)
    made = hedgerow.report(tmp_path / "out", plan=plan)
    assert made.internal.exists()


def test_an_internal_report_is_left_out_and_said(tmp_path):
    said = {"columns": roles(), "protect": K, "to": tmp_path / "out"}
    hedgerow.publish(TABLE, **said, method=STRICT)
    before = sorted(path.name for path in tmp_path.iterdir())
    assert len(before) == 2
    release = hedgerow.publish(TABLE, **said, method={**STRICT, "parts": PARTS}, replace=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "nor does the old one stay"
    assert any("no internal report" in note for note in release.notes)
    assert (tmp_path / "out" / "report.html").exists()


# The pieces


def test_the_work_travels():
    """Executors get it pickled, and come to the same."""
    ages = [(str(age), "*") for age in range(20, 29)]
    age = Hierarchy.of("age", ages, numbers=range(20, 29))
    space = Space.of((age,), np.arange(9, dtype=np.int32)[:, None])
    work = PartWork(
        columns=Columns(hierarchies=(age,), sensitive=(), written=(), sizes=(9,)),
        method=RecodingMethod(search="mondrian", mode="relaxed", models=(KAnonymity(k=2),)),
        space=space,
        limit=0,
        people=6,
    )
    lines = pa.table({"c0": pa.array([7, 2, 5], pa.int32()), "n": [3, 1, 2]})
    made = work(lines)
    assert made.equals(pickle.loads(pickle.dumps(work))(lines))
    assert made.equals(work(lines.take([2, 0, 1]))), "in whatever order they come"
    assert sum(made["n"].to_pylist()) == 6
    assert made["hi"].to_numpy().tolist() == (made["lo"].to_numpy() + made["n"].to_numpy()).tolist()


def test_losses_need_no_tuples_and_no_order(tmp_path):
    """Bit for bit: what is known of the table in sums is enough, whatever order groups have."""
    from dataclasses import replace

    from hedgerow.recode.metrics import METRICS, measure
    from hedgerow.recode.mondrian import mondrian
    from hedgerow.recode.outcome import Spans, Totals
    from hedgerow.table.cell_table import read_cells

    plan = Plan.model_validate({"columns": roles(), "protect": K})
    with open_engine(TABLE) as engine:
        cells = read_cells(engine, plan.rules(), plan.schema(engine.columns()))
    recoding = mondrian(cells, [KAnonymity(k=5)])
    tuples = Lattice.of(cells).original
    asked = METRICS["query-error"].workload(tuples.leaves)
    totals = Totals(
        leaves=tuples.leaves, counts=tuples.leaf_counts, sizes=tuples.tuple_sizes,
        answers=((asked, tuples.within(asked)),),
    )  # fmt: skip
    assert totals.people == tuples.people == TABLE.num_rows
    found = measure(recoding.outcome(tuples))
    assert repr(measure(recoding.outcome(totals))) == repr(found)
    order = np.random.default_rng(0).permutation(recoding.size)
    spans = recoding.spans
    turned = replace(
        recoding,
        group=np.argsort(order)[recoding.group],
        labels=tuple(labels[order] for labels in recoding.labels),
        spans=Spans(spans.low[order], spans.high[order], spans.rung[order]),
    )
    assert repr(measure(turned.outcome(totals))) == repr(found)


SPELLINGS = ["flu", "Flu", "FLU.", "cold", "Krebs"]


@pytest.mark.parametrize("method", [STRICT, RELAXED, MDAV, LOCAL])
@pytest.mark.parametrize("secret", [{}, {"spelling": "one"}, {"distinct": SPELLINGS[:3]}])
def test_spellings_are_judged_the_same(method, secret, tmp_path):
    """Both readings where nobody says which, one where somebody does."""
    spelled = pa.array([SPELLINGS[(i * i + i // 7) % 5] for i in range(TABLE.num_rows)])
    table = TABLE.set_column(TABLE.column_names.index("disease"), "disease", spelled)
    columns = roles() | {"disease": {"role": "sensitive", **secret}}
    said = {"columns": columns, "protect": MANY, "method": {**method, "parts": PARTS}}
    there = hedgerow.publish(table, to=tmp_path / "there", report=False, **said)
    with pytest.MonkeyPatch.context() as patch:
        in_memory(patch)
        hedgerow.publish(table, to=tmp_path / "here", report=False, **said)
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert not hedgerow.verify(there).refuted
    groups = {}
    for row in there.to_arrow().to_pylist():
        groups.setdefault((row["age"], row["zip"], row["city"]), set()).add(row["disease"])
    one = [{"flu" if value in SPELLINGS[:3] else value for value in g} for g in groups.values()]
    fewest = min(map(len, groups.values() if "distinct" in secret else one))
    assert there.claims[1].level == fewest >= 2
