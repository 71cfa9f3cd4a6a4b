"""The intersection attack against the papers' examples and against plain sets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow import KAnonymity
from hedgerow.attacks.intersection import Intersection, intersect
from hedgerow.base.errors import DataError
from hedgerow.table.location import locate
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

# Ganta, Kasiviswanathan, Smith 2008, Table 1 (FACTS A.1).
H1 = [("130**", "<30", d) for d in ("AIDS", "Heart Disease", "Viral", "Viral")]
H1 += [("130**", ">=40", d) for d in ("Cancer", "Heart Disease", "Viral", "Viral")]
H1 += [("130**", "3*", "Cancer")] * 4
H2 = [("130**", "<35", d) for d in ("AIDS", "TB", "Flu", "TB", "Cancer", "Cancer")]
H2 += [("130**", ">=35", d) for d in ("Cancer", "Cancer", "Cancer", "TB", "Viral", "Viral")]


def release(rows: list[tuple[str, ...]], name: str, **more: object) -> Published:
    frame = pd.DataFrame(rows, columns=["zip", "age", "condition"])
    return Published.read(frame, sensitive=["condition"], name=name, **more)  # type: ignore[arg-type]


def alice() -> Intersection:
    return intersect([release(H1, "H1"), release(H2, "H2")],
                     Targets.of({"zip": ["13012"], "age": ["28"]}))  # fmt: skip


def test_alice() -> None:
    found = alice()
    assert found.prior.tolist() == [[3, 4]]
    assert found.posterior.tolist() == [1]
    assert found.drop.tolist() == [2]
    assert found.confidence.tolist() == [1.0]
    assert found.possible(0) == ("AIDS",)
    assert found.pvp(1.0) == 100
    result = found.result()
    assert result.sentences[0].startswith("In H1 4 records fit")
    assert result.sentences[1].startswith("In H2 6 records fit")
    assert result.sentences[-1] == "Two releases together leave one possible value: AIDS."


def test_the_figure_of_the_other_paper() -> None:
    """CACM 2015, Figure 1: {None, Stroke, Flu, Cancer} and {Cold, Stroke, Rash}."""
    one = [("1", "2", d) for d in ("None", "Stroke", "Flu", "Cancer")]
    two = [("1", "2", d) for d in ("Cold", "Stroke", "Rash")]
    found = intersect([release(one, "a"), release(two, "b")],
                      Targets.of({"zip": ["1"], "age": ["2"]}))  # fmt: skip
    assert found.possible(0) == ("Stroke",)


def test_a_target_who_matches_nothing() -> None:
    found = intersect([release(H1, "H1")], Targets.of({"zip": ["99999"], "age": ["28"]}))
    assert not found.found[0]
    assert found.result().sentences == (
        "Nobody fits into a group of every release.",
        "In H1 no published zip fits 1 of them: they may be suppressed there. If zip is published "
        "by a hierarchy file, give it: --taxonomy zip=FILE.",
    )
    assert found.result().found.guesses == 0


def test_a_contradiction_is_called_one() -> None:
    one, two = [("1", "2", "Flu")], [("1", "2", "Gout")]
    found = intersect([release(one, "a"), release(two, "b")],
                      Targets.of({"zip": ["1"], "age": ["2"]}))  # fmt: skip
    assert found.contradictory.tolist() == [True]
    assert "contradiction" in found.result().sentences[-1]
    assert found.guesses.tolist() == [-1]


def test_releases_without_a_common_column() -> None:
    other = Published.read(pd.DataFrame({"age": ["1"], "salary": ["9"]}), sensitive=["salary"])
    with pytest.raises(DataError, match="no sensitive column in common"):
        intersect([release(H1, "H1"), other], Targets.of({"age": ["28"]}))
    with pytest.raises(DataError, match="no sensitive column 'conditon'") as caught:
        intersect([release(H1, "H1")], Targets.of({"age": ["28"]}), of="conditon")
    assert "'condition'" in str(caught.value.fix)
    with pytest.raises(DataError, match="nothing that is known"):
        intersect([release(H1, "H1")], Targets.of({"shoe": ["44"]}))


VALUES = "abcdefg"
ROWS = st.lists(
    st.tuples(st.sampled_from(["0-4", "5-9", "3-7", "*"]), st.sampled_from("xy*"),
              st.sampled_from(VALUES)),
    min_size=1, max_size=25,
)  # fmt: skip


def fits(label: str, value: str) -> bool:
    if label == "*":
        return True
    if "-" in label:
        low, high = label.split("-")
        return int(low) <= int(value) <= int(high)
    return label == value


@settings(max_examples=150, deadline=None)
@given(
    st.lists(ROWS, min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 9).map(str), st.sampled_from("xyz")), min_size=1, max_size=6),
)
def test_against_plain_sets(
    tables: list[list[tuple[str, str, str]]], people: list[tuple[str, str]]
) -> None:
    releases = [
        Published.read(pd.DataFrame(rows, columns=["n", "c", "s"]), sensitive=["s"], name=str(i))
        for i, rows in enumerate(tables)
    ]
    targets = Targets.of({"n": [n for n, _ in people], "c": [c for _, c in people]})
    found = intersect(releases, targets)
    for t, (n, c) in enumerate(people):
        sets = [{s for ln, lc, s in rows if fits(ln, n) and fits(lc, c)} for rows in tables]
        assert found.prior[t].tolist() == [len(s) for s in sets]
        together = set.intersection(*sets)
        assert set(found.possible(t)) == together
        assert found.posterior[t] == len(together)
        assert found.found[t] == all(sets)
        if together:
            shares = {}
            for s in together:
                shares[s] = 1.0
                for rows in tables:
                    here = [v for ln, lc, v in rows if fits(ln, n) and fits(lc, c)]
                    shares[s] *= here.count(s) / len(here)
            guess = found.values[found.guesses[t]]
            assert guess is not None
            assert shares[guess] == pytest.approx(max(shares.values()))


def test_more_groups_and_values_than_a_word_holds() -> None:
    rows = [(str(i), "x", f"v{i % 150}") for i in range(1000)]
    frame = pd.DataFrame(rows, columns=["n", "c", "s"])
    published = Published.read(frame, sensitive=["s"])
    found = intersect([published], Targets.of({"n": ["0", "63", "64", "999"], "c": ["x"] * 4}))
    assert [found.possible(t) for t in range(4)] == [("v0",), ("v63",), ("v64",), ("v99",)]
    everybody = intersect([published], Targets.of({"c": ["x"]}))
    assert everybody.prior.tolist() == [[150]]


def people(seed: int, size: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    age, zip_ = random.integers(20, 80, size), random.integers(100, 130, size)
    return pd.DataFrame(
        {"age": age.astype(str), "zip": zip_.astype(str),
         "illness": np.array([f"d{i}" for i in range(12)])[random.integers(0, 12, size)]}
    )  # fmt: skip


@pytest.mark.parametrize("method", [{"search": "mondrian"}, {"search": "lattice"}])
def test_truth_lies_in_every_intersection(method: dict[str, str]) -> None:
    """Two hospitals with 300 patients in common, each 4-anonymous."""
    everybody = people(1, 2000)
    halves = [everybody.iloc[:1150], everybody.iloc[850:]]
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 20]}},
        "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": 3}},
        "illness": "sensitive",
    }
    releases = [
        Published.read(
            hedgerow.publish(half, columns=columns, protect=[KAnonymity(k=4)], method=method)
            .to_arrow(), sensitive=["illness"], name=f"hospital {i}",
        )
        for i, half in enumerate(halves)
    ]  # fmt: skip
    both = everybody.iloc[850:1150]
    targets = Targets.of({"age": list(both["age"]), "zip": list(both["zip"])})
    found = intersect(releases, targets)
    result = found.result(list(both["illness"]))
    assert found.found.all()
    assert result.detail["true_value_possible"] == len(both)
    assert (found.posterior >= 1).all()
    if method["search"] == "mondrian":
        assert result.succeeded
        assert found.vulnerable.mean() > 0.3
    one = intersect(releases[:1], targets).result(list(both["illness"]))
    assert result.found.successes >= one.found.successes


def test_one_group_gives_nothing_away() -> None:
    everybody = people(2, 1500)
    columns = {"age": "quasi-identifier", "zip": "quasi-identifier", "illness": "sensitive"}
    releases = [
        Published.read(
            hedgerow.publish(part, columns=columns, protect=[KAnonymity(k=len(part))]).to_arrow(),
            sensitive=["illness"],
        )
        for part in (everybody.iloc[:900], everybody.iloc[600:])
    ]
    both = everybody.iloc[600:900]
    targets = Targets.of({"age": list(both["age"]), "zip": list(both["zip"])})
    result = intersect(releases, targets).result(list(both["illness"]))
    assert not result.succeeded
    assert result.detail["vulnerable"] == 0


def test_centroids_are_found_by_the_nearest() -> None:
    rows = [("20", "100", "a")] * 3 + [("60", "130", "b")] * 3
    published = release(rows, "micro", located="nearest")
    where = locate(published, Targets.of({"age": ["101", "128"], "zip": ["22", "50"]}))
    assert [published.described(int(g)) for g in where.groups] == [
        "(zip 20, age 100)", "(zip 60, age 130)",
    ]  # fmt: skip


def test_values_that_are_read_alike_are_one() -> None:
    one = pd.DataFrame({"age": ["*"] * 2, "code": ["1", "2"]})
    two = pd.DataFrame({"age": ["*"] * 2, "code": ["1.0", "3"]})
    releases = [Published.read(t, sensitive=["code"]) for t in (one, two)]
    found = intersect(releases, Targets.of({"age": ["5"]}))
    assert found.possible(0) == ("1",)
    assert found.result(["1.00"]).found.successes == 1
