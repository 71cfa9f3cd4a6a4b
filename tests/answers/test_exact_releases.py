"""Answers under a policy after a release without noise: noise covers what everybody knows."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from noise.blowfish.agreeing_tables import neighbours

import hedgerow
from hedgerow.answers.counts import CountQuestion
from hedgerow.answers.exact_releases import exact_entries, with_releases
from hedgerow.answers.session import public_of
from hedgerow.base.errors import PlanError
from hedgerow.ledger import Amounts, Ledger
from hedgerow.noise.calibration import price
from hedgerow.plan.plan import Plan

TREE = {"low": ["a", "b"], "high": ["c", "d"]}
COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "bounds": [0, 39], "step": 1,
            "hierarchy": {"ranges": [10, 20]}},
    "g": {"role": "quasi-identifier", "domain": ["a", "b", "c", "d"],
          "hierarchy": {"taxonomy": TREE}},
    "ill": {"role": "sensitive", "domain": ["flu", "cold", "gout"]},
}  # fmt: skip
TENS = {f"from {low}": list(range(low, low + 10)) for low in range(0, 40, 10)}
FIVES = {f"from {low}": list(range(low, low + 5)) for low in range(0, 40, 5)}
ACROSS = {"low": list(range(15)), "high": list(range(15, 40))}


def town() -> pa.Table:
    chance = np.random.default_rng(7)
    return pa.table(
        {
            "age": [str(a) for a in chance.integers(0, 40, 400)],
            "g": chance.choice(list("abcd"), 400).tolist(),
            "ill": chance.choice(["flu", "cold", "gout"], 400).tolist(),
        }
    )


def given(folder: Path, columns: dict[str, Any] = COLUMNS, **more: Any) -> dict[str, Any]:
    return {"columns": columns, "population": "town", "ledger": folder / "ledger.db"} | more


def publish(folder: Path, levels: dict[str, int], to: str = "r", **more: Any) -> None:
    columns = {
        name: column | ({"levels": [levels[name], levels[name]]} if name in levels else {})
        for name, column in COLUMNS.items()
    }
    plan = given(folder, columns, protect=[{"k-anonymity": 2}], **more)
    hedgerow.publish(town(), to=folder / to, **plan)


def asking(folder: Path, policy: dict[str, Any], **more: Any) -> Any:
    with Ledger.open(folder / "ledger.db") as ledger:
        if ledger.budget("town").budget is None:
            ledger.set_budget("town", Amounts.of(epsilon=9))
    plan = given(folder, privacy="change-one", policy=policy, **more)
    return hedgerow.session(town(), name="town", **plan)


@pytest.mark.parametrize(
    ("policy", "levels", "tied"),
    [
        # Each is known to be in a range of ten, and the policy hides nothing else of them.
        ({"age": {"partition": TENS}, "g": {"partition": TREE}, "ill": "known"}, (1, 1), False),
        ({"age": {"partition": FIVES}, "g": {"partition": TREE}, "ill": "known"}, (1, 1), False),
        ({"age": {"partition": 1}, "g": {"partition": 1}, "ill": "known"}, (1, 1), False),
        ({"age": "full", "g": "full", "ill": "known"}, (3, 2), False),  # all of it is *
        ({"age": {"partition": ACROSS}, "g": "known", "ill": "known"}, (1, 1), True),
        ({"age": {"partition": TENS}, "g": {"partition": TREE}}, (1, 1), True),  # ill is exact
        ({"age": {"partition": TENS}, "g": {"partition": TREE}, "ill": "known"}, (0, 1), True),
        ({"age": "known", "g": {"graph": [["b", "c"]]}, "ill": "known"}, (1, 1), True),
        ({"age": "known", "g": {"graph": [["a", "b"]]}, "ill": "known"}, (1, 1), False),
    ],
)
def test_whether_an_edge_changes_what_was_published(
    tmp_path: Path, policy: dict[str, Any], levels: tuple[int, int], tied: bool
) -> None:
    suppress = {"method": {"suppress": "100%"}} if levels[0] == 0 else {}
    publish(tmp_path, {"age": levels[0], "g": levels[1]}, **suppress)
    with asking(tmp_path, policy) as session:
        stated = session.public.stated
        (release,) = stated.releases
        assert release.cells == len(set(read(tmp_path / "r"))), "as whoever has the file counts"
        assert stated.changed == (release.cells + 1 if tied else 1)
        answer = session.count(by="g", epsilon=1)
        said = " ".join(answer.notes)
        if tied:
            assert f"the counts of {release.name} ({release.cells:,} cells)" in said
            assert "agree with what is known" in answer.loss
        else:
            assert "what an earlier release without noise tells of this population" in said
            assert "No edge of the policy changes its counts, so it costs nothing." in said
        assert "What an earlier release without noise tells is taken into account" in said
        assert "the choice of its levels, and the figures in its certificate, tell besides" in said
        # One row along an edge, of which the count knows nothing here, and the others anywhere.
        edge = 2 * any(stated.graph("g").crossing([0, 1, 2, 3, -1]))
        most = edge + 2 * (stated.changed - 1)
        changes = "no edge" if not most else f"by at most {most} in all"
        assert changes in answer.noise[0]["sensitivity"]


HIDDEN: dict[str, Any] = {"age": {"partition": 1}, "g": {"partition": TREE}, "ill": "known"}


@pytest.mark.parametrize(
    ("column", "told", "policy", "null"),
    [
        # 8 to 11 is one step, of which a part was published as 0-9 and a part as 10-19.
        ("age", {"bounds": [0, 36], "step": 4}, {}, ()),
        # Somebody with a d was published as high, and d is now anything else.
        ("g", {"domain": ["a", "b", "c"]}, {"g": {"partition": {"x": ["a", "b"], "y": ["c"]}}}, ()),
        # What is missing now was a value then.
        ("g", {}, {}, ("d0",)),
        ("age", {}, {}, ()),
    ],
    ids=["step", "domain", "null", "as it was"],
)
def test_what_public_values_do_not_decide_is_changed_by_an_edge(
    tmp_path: Path, column: str, told: dict[str, Any], policy: dict[str, Any], null: tuple[str, ...]
) -> None:
    publish(tmp_path, {"age": 1, "g": 1})
    columns = {**COLUMNS, column: COLUMNS[column] | told}
    with asking(tmp_path, HIDDEN | policy, columns=columns, null=list(null)) as session:
        tied = bool(told or null)
        assert (session.public.stated.changed > 1) == tied


def read(folder: Path) -> list[tuple[str, ...]]:
    (file,) = folder.glob("*.csv")
    with file.open(newline="", encoding="utf-8") as lines:
        return [tuple(row) for row in list(csv.reader(lines))[1:]]


TINY: dict[str, Any] = {
    "g": {"role": "quasi-identifier", "domain": ["a", "b", "c"],
          "hierarchy": {"taxonomy": {"low": ["a", "b"], "high": ["c"]}}},
    "ill": {"role": "sensitive", "domain": ["flu", "cold"]},
}  # fmt: skip
FITS = {"low": "ab", "high": "c", "*": "abc"}
EDGES: dict[str, tuple[dict[str, Any], Callable[[Any, Any], bool]]] = {
    "all": ({"g": "full", "ill": "full"}, lambda x, y: x != y),
    "near": (
        {"g": "line", "ill": "known"},
        lambda x, y: x[1] == y[1] and abs(ord(x[0]) - ord(y[0])) == 1,
    ),
    "hidden": (
        {"g": {"partition": {"low": ["a", "b"], "high": ["c"]}}, "ill": "known"},
        lambda x, y: x != y and x[1] == y[1] and (x[0] == "c") == (y[0] == "c"),
    ),
}


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("kind", EDGES)
def test_no_table_that_agrees_is_told_apart(tmp_path: Path, kind: str, level: int) -> None:
    """Published by the command, and all tables that agree with the file that came of it."""
    policy, edge = EDGES[kind]
    columns = {**TINY, "g": TINY["g"] | {"levels": [level, level]}}
    rows = [("a", "flu"), ("a", "flu"), ("b", "flu"), ("c", "cold")]
    table = pa.table({"g": [g for g, _ in rows], "ill": [ill for _, ill in rows]})
    plan = given(tmp_path, columns, protect=[{"k-anonymity": 2}], method={"suppress": "50%"})
    hedgerow.publish(table, to=tmp_path / "r", **plan)
    counted = read(tmp_path / "r")
    assert len(counted) == (4 if level == 2 else 3 if level == 1 else 2)
    plain = Plan.of(columns=TINY, privacy="change-one", policy=policy)
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        entries = exact_entries(ledger, "town")
        public = with_releases(public_of(plain), plain, ledger, entries)
    values = list(product("abc", ["flu", "cold"]))
    questions = {
        CountQuestion(by=("g",)): lambda t: [sum(g == v for g, _ in t) for v in "abc"],
        CountQuestion(where="g = 'a'"): lambda t: [sum(g == "a" for g, _ in t)],
        CountQuestion(by=("ill",)): lambda t: [sum(i == v for _, i in t) for v in ("flu", "cold")],
    }
    designs: dict[Any, Any] = {q: q.design(public, price(epsilon=1)) for q in questions}
    assert public.stated is not None
    differ = 0

    def fits(row: tuple[str, str], cell: tuple[str, ...]) -> bool:
        return row[0] in FITS.get(cell[0], cell[0]) and row[1] == cell[1]

    for one, other in neighbours(values, edge, fits, counted, 4):
        differ = max(differ, sum(a != b for a, b in zip(one, other, strict=True)))
        for question, answer in questions.items():
            change = sum(abs(a - b) for a, b in zip(answer(one), answer(other), strict=True))
            assert change <= designs[question].part.l1, (one, other, question)
    assert differ <= public.stated.changed
    assert kind != "hidden" or level == 0 or public.stated.changed == 1


@pytest.mark.parametrize(("missing", "changed"), [("value", 1), ("suppress", 2), ("refuse", 2)])
def test_a_row_without_a_value_that_would_have_been_left_out(
    tmp_path: Path, missing: str, changed: int
) -> None:
    """All ages are *; to lose one's age then changes how many rows there are, or it does not."""
    age = COLUMNS["age"] | {"levels": [3, 3], "missing": missing}
    plan = given(tmp_path, {"age": age}, protect=[{"k-anonymity": 2}])
    hedgerow.publish(pa.table({"age": ["1", "2", "33"]}), to=tmp_path / "r", **plan)
    with asking(tmp_path, {"age": "full"}, columns={"age": COLUMNS["age"]}) as session:
        assert session.public.stated.changed == changed


def test_a_number_beyond_the_bounds_was_in_another_cell(tmp_path: Path) -> None:
    """The policy takes 55 for 39, and the release did not: that it is 55 is not hidden."""
    age = COLUMNS["age"] | {"levels": [1, 1]}
    plan = given(tmp_path, {"age": age}, protect=[{"k-anonymity": 2}], method={"suppress": "50%"})
    hedgerow.publish(pa.table({"age": ["31", "32", "33", "55"]}), to=tmp_path / "r", **plan)
    with asking(tmp_path, {"age": {"partition": 1}}, columns={"age": COLUMNS["age"]}) as session:
        assert session.public.stated.changed == 1
        said = session.public.not_protected
    assert any("outside of them" in note and note.startswith("Not protected") for note in said)


def test_publish_says_what_it_means_for_answers_of_before(tmp_path: Path) -> None:
    plan = given(tmp_path, protect=[{"k-anonymity": 2}])
    first: Any = hedgerow.publish(town(), to=tmp_path / "r", **plan)
    assert not any("under the policy" in note for note in first.notes)
    everything = {"age": "known", "g": "known", "ill": "known"}
    with asking(tmp_path, everything) as session:
        session.count(epsilon=1)
        name = session.public.stated.name
    second: Any = hedgerow.publish(town(), to=tmp_path / "s", **plan)
    assert any(f"under the policy {name}" in note for note in second.notes)


def test_a_plan_may_leave_them_out_and_every_answer_says_so(tmp_path: Path) -> None:
    publish(tmp_path, {"age": 1, "g": 1})
    policy = {"age": {"partition": ACROSS}, "known": {"releases": "ignored"}}
    with asking(tmp_path, policy) as session:
        answer = session.count(by="g", epsilon=1)
        assert session.public.stated.changed == 1
        assert any("`releases: ignored`" in note for note in answer.notes)
        assert any("an earlier release without noise tells of" in note for note in answer.notes)
        assert answer.notes.index(next(n for n in answer.notes if "ignored" in n)) < 3


def test_what_nobody_has_worked_out_is_refused(tmp_path: Path) -> None:
    policy = {"age": {"partition": ACROSS}}
    publish(tmp_path, {"age": 1, "g": 1})
    publish(tmp_path, {"age": 1, "g": 1}, to="again")
    with asking(tmp_path, policy) as session:
        assert session.public.stated.changed > 1, "the same release twice says nothing twice"
        (told,) = session.public.earlier
        assert told.startswith("What 2 earlier releases without noise tell is taken into account")
        assert told.endswith("levels, and the figures in their certificates, tell besides is not.")
    publish(tmp_path, {"age": 2, "g": 1}, to="other")
    with asking(tmp_path, policy) as session, pytest.raises(PlanError, match="overlap") as refused:
        session.count(epsilon=1)
    assert "ignored" in str(refused.value.fix)
    hidden = {"age": {"partition": TENS}, "g": {"partition": TREE}, "ill": "known"}
    with asking(tmp_path, hidden) as session:
        assert session.public.stated.changed == 1, "no edge changes any of them"
        assert "changes their counts, so they cost nothing." in session.public.earlier[0]


def test_columns_published_as_they_are(tmp_path: Path) -> None:
    """The ledger does not keep what they had: each row may be a cell, and two releases differ."""
    columns = {
        **COLUMNS,
        "age": COLUMNS["age"] | {"levels": [1, 1]},
        "g": COLUMNS["g"] | {"levels": [1, 1]},
        "ward": {"role": "insensitive"},
    }
    for to in "rs":
        wards = [f"{to}{i % 3}" for i in range(400)]
        plan = given(tmp_path, columns, protect=[{"k-anonymity": 2}])
        hedgerow.publish(town().append_column("ward", [wards]), to=tmp_path / to, **plan)
        known = {"age": "known", "g": "known", "ill": "known"}
        with asking(tmp_path, known, columns={**columns, "age": COLUMNS["age"]}) as session:
            if to == "r":
                assert session.public.stated.changed == 401
            else:
                with pytest.raises(PlanError, match="overlap"):
                    _ = session.public
    with asking(tmp_path, known | {"ward": "known"}, columns=columns) as session:
        assert session.public.stated.changed == 1


def test_groups_fitted_to_the_data_tell_more_than_counts(tmp_path: Path) -> None:
    publish(tmp_path, {}, method={"search": "mondrian"})
    with asking(tmp_path, {"age": {"within": 5}}) as session:
        with pytest.raises(PlanError, match="fitted to the data"):
            session.preview().count(epsilon=1)
        with pytest.raises(PlanError, match="fitted to the data"):
            session.count(epsilon=1)
    everything = {"age": "known", "g": "known", "ill": "known"}
    with asking(tmp_path, everything) as session:
        assert session.public.stated.changed == 1


def test_a_release_of_which_nothing_was_kept(tmp_path: Path) -> None:
    with asking(tmp_path, {"age": {"within": 5}}) as session:
        entry = session.ledger.reserve("town", key="r", what={"kind": "partition", "name": "r"})
        session.ledger.released(entry, body={"kind": "partition", "name": "r"})
        with pytest.raises(PlanError, match="what it told was not kept"):
            session.count(epsilon=1)


def test_answers_of_before_do_not_add_up_with_those_after(tmp_path: Path) -> None:
    policy = {"age": {"partition": ACROSS}}
    with asking(tmp_path, policy) as session:
        session.count(by="g", epsilon=1)
        publish(tmp_path, {"age": 1, "g": 1})
        with pytest.raises(PlanError, match="answered under the policy") as refused:
            session.count(by="ill", epsilon=1)
        assert "A release without noise is part of what is known" in str(refused.value.fix)
    assert budget(tmp_path) == {"epsilon": "1"}, "nothing was charged for it"


def test_answers_of_before_go_on_where_no_edge_changes_the_release(tmp_path: Path) -> None:
    policy = {"age": {"partition": TENS}, "g": {"partition": TREE}, "ill": "known"}
    with asking(tmp_path, policy) as session:
        session.count(by="g", epsilon=1)
        publish(tmp_path, {"age": 1, "g": 1})
        session.count(by="age", epsilon=1)
        assert session.count(by="g", epsilon=1).again
    assert budget(tmp_path) == {"epsilon": "2"}


def test_a_release_that_comes_in_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the noise was chosen, and before the price was reserved."""
    with asking(tmp_path, {"age": {"partition": ACROSS}}) as session:
        at_once = session.ledger.at_once

        def late() -> Any:
            monkeypatch.undo()
            publish(tmp_path, {"age": 1, "g": 1})
            return at_once()

        monkeypatch.setattr(session.ledger, "at_once", late)
        with pytest.raises(PlanError, match="came in between"):
            session.count(epsilon=1)


def test_a_preview_makes_no_ledger(tmp_path: Path) -> None:
    plan = given(tmp_path, privacy="change-one", policy={"age": {"within": 5}})
    with hedgerow.session(town(), name="town", **plan) as session:
        session.preview(runs=2).count(epsilon=1)
    assert not (tmp_path / "ledger.db").exists()


def budget(folder: Path) -> dict[str, str]:
    with Ledger.open(folder / "ledger.db") as ledger:
        return ledger.budget("town").spent.texts()
