"""Claims as people read them: the printed scale, what says nothing, and the very text."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow
from hedgerow import ClaimError, DataError
from hedgerow.api.verification import verify
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_text import as_text
from hedgerow.release.partition.check import checked

Row = tuple[str | None, ...]
COLUMNS = {"sex": "quasi-identifier", "ill": "sensitive"}


def table(rows: Sequence[Row], *names: str) -> pa.Table:
    return pa.table({n: [row[i] for row in rows] for i, n in enumerate(names)})


def people(values: Sequence[str | None]) -> pa.Table:
    """Women and men with each of the values."""
    return table([(sex, v) for sex in "FM" for v in values], "sex", "ill")


# The scale of an order

FAR: list[Row] = [("F", "1")] * 500 + [("M", "2")] * 500
HIDDEN: list[Row] = [(f"x{i}", str(i + 3)) for i in range(20)]
ORDERED = {"t-closeness": {"t": 0.05, "distance": "ordered", "of": "ill"}}
SUPPRESS = {"search": "lattice", "suppress": "5%"}


@pytest.mark.parametrize("order", [None, [str(i) for i in range(1, 23)]])
def test_values_of_suppressed_people_make_no_scale_longer(
    tmp_path: Path, order: list[str] | None
) -> None:
    """22 values have 21 steps, and a reader of the file sees one."""
    ill = {"role": "sensitive"} | ({} if order is None else {"order": order})
    with pytest.raises(ClaimError, match=r"it reaches 0\.5, required 0\.05"):
        hedgerow.publish(
            table(FAR + HIDDEN, "sex", "ill"),
            columns={"sex": "quasi-identifier", "ill": ill},
            protect=[ORDERED, {"k-anonymity": 2}],
            method=SUPPRESS,
            to=tmp_path / "release",
        )
    assert not (tmp_path / "release").exists()


def test_a_root_above_values_of_suppressed_people_makes_no_taxonomy_higher(tmp_path: Path) -> None:
    """Below one node the taxonomy has one level; the root is above what nobody reads."""
    tree = tmp_path / "tree.csv"
    rows = FAR + [(f"x{i}", "9") for i in range(10)]
    tree.write_text("1;small\n2;small\n9;large\n", "utf-8")
    ill = {"role": "sensitive", "hierarchy": str(tree)}
    close = {"t-closeness": {"t": 0.3, "distance": "hierarchical", "of": "ill"}}
    with pytest.raises(ClaimError, match=r"it reaches 0\.5, required 0\.3"):
        hedgerow.publish(
            table(rows, "sex", "ill"),
            columns={"sex": "quasi-identifier", "ill": ill},
            protect=[close, {"k-anonymity": 2}],
            method=SUPPRESS,
            to=tmp_path / "release",
        )


def close_release(folder: Path, order: list[str]) -> Any:
    """40 people whose groups are like the table, and one with a value of their own."""
    rows: list[Row] = [(sex, v) for sex in "FM" for v in ("low", "high")] * 10
    return hedgerow.publish(
        table([*rows, ("x", "extreme")], "sex", "ill"),
        columns={"sex": "quasi-identifier", "ill": {"role": "sensitive", "order": order}},
        protect=[ORDERED, {"k-anonymity": 2}],
        method=SUPPRESS,
        to=folder,
    )


def test_terminal_and_certificate_name_the_same_order(tmp_path: Path) -> None:
    release = close_release(tmp_path / "release", ["low", "high", "extreme"])
    certificate = json.loads((tmp_path / "release/certificate.json").read_text("utf-8"))
    said = "0.05-closeness of ill (ordered distance, low < high)"
    assert release.claims[0].claim == certificate["claims"][0]["claim"] == said
    assert "The whole table is the source, suppressed people included." in certificate["protected"]
    assert "on that of the published values" in certificate["protected"]
    found = verify(tmp_path / "release")
    assert found.refuted == ()


def test_verify_refutes_what_no_suppressed_people_can_explain(tmp_path: Path) -> None:
    """One of 41 people cannot move a distribution by half."""
    close_release(tmp_path / "release", ["low", "high", "extreme"])
    data, place = tmp_path / "release/data.csv", tmp_path / "release/certificate.json"
    rows = ["F,low"] * 20 + ["M,high"] * 20
    data.write_text("\n".join(["sex,ill", *rows, ""]), "utf-8")
    claims = {c.claim: c for c in verify(tmp_path / "release").claims}
    claim = claims["0.05-closeness of ill (ordered distance, low < high)"]
    assert claim.verdict == "refuted"
    assert "it reaches 0.5" in claim.why
    assert place.exists()


# What says nothing

NOTHING = [
    ["", "?"], ["?", "??"], [".", ".."], ["-", "--"], ["-", "\N{EN DASH}"], ["unknown", "?"],
    [None, "unknown"], ["n/a", "?", "unknown"], ["None", "none"], ["missing", "Not recorded"],
]  # fmt: skip
ALIKE = [
    ["flu", "flu|"], ["flu", "flu^"], ["flu", "flu\N{TRADE MARK SIGN}"], ["1,000", "1000"],
    ["2024-01-02", "2024-1-2"], ["+1", "'+1"],
]  # fmt: skip
DIVERSE = [{"l-diversity": {"l": 2, "of": "ill"}}]


@pytest.mark.parametrize("values", [*NOTHING, *ALIKE], ids=ascii)
def test_what_a_reader_takes_for_one_is_not_diverse(values: list[str | None]) -> None:
    (claim,), told = checked(Plan.of(columns=COLUMNS, protect=DIVERSE), people(values))
    assert (claim.holds, claim.level) == (False, 1)
    assert told


@pytest.mark.parametrize("values", [["", "flu"], ["?", "flu"], ["+", "-"], ["none", "unknown"],
                                    ["5", "<5"], ["HIV", "HIV-"]], ids=ascii)  # fmt: skip
def test_one_that_says_nothing_stays_a_value(values: list[str | None]) -> None:
    (claim,), _ = checked(Plan.of(columns=COLUMNS, protect=DIVERSE), people(values))
    assert (claim.holds, claim.level) == (True, 2)


@pytest.mark.parametrize("values", [[None, "?", "flu"], ["?", "unknown", "flu"]], ids=ascii)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_verify_reads_the_same(tmp_path: Path, values: list[str | None], form: str) -> None:
    hedgerow.publish(
        people(values), columns=COLUMNS, protect=DIVERSE,
        publish={"to": tmp_path / "release", "format": form},
    )  # fmt: skip
    found = verify(tmp_path / "release")
    assert found.refuted == ()
    assert [claim.level for claim in found.claims] == [2]


def test_a_steward_may_say_that_it_is_a_value(tmp_path: Path) -> None:
    for distinct, values in ((["?"], [None, "?"]), (["?", "unknown"], [None, "?", "unknown"])):
        columns = COLUMNS | {"ill": {"role": "sensitive", "distinct": distinct}}
        to = tmp_path / str(len(distinct))
        release = hedgerow.publish(people(values), columns=columns, protect=DIVERSE, to=to)
        assert release.claims[0].level == len(values)
        assert verify(to).refuted == ()


def test_one_spelling_of_missing_is_null(tmp_path: Path) -> None:
    columns = COLUMNS | {"ill": {"role": "sensitive", "spelling": "one"}}
    values = [None, "?", "flu"]
    with pytest.raises(DataError) as refused:
        hedgerow.publish(people(values), columns=columns, protect=DIVERSE, to=tmp_path / "release")
    assert 'null: ["?"]' in (refused.value.fix or "")
    hedgerow.publish(people(["?", "?", "unknown", "flu"]), columns=columns, protect=DIVERSE,
                     to=tmp_path / "release")  # fmt: skip
    assert "unknown" not in (tmp_path / "release/data.csv").read_text("utf-8")
    assert verify(tmp_path / "release").refuted == ()


def test_a_claim_about_a_text_that_says_nothing_names_no_other(tmp_path: Path) -> None:
    """Most people have no value at all; the claim is about `?`, and about nothing else."""
    alpha = {"alpha-k-anonymity": {"alpha": 0.8, "k": 2, "of": "ill", "value": "?"}}
    values = [None, None, None, "?", "flu"]
    hedgerow.publish(people(values), columns=COLUMNS, protect=[alpha], to=tmp_path / "release")
    found = verify(tmp_path / "release")
    assert found.refuted == ()
    assert [claim.level for claim in found.claims] == [0.8], "with what is missing as one"


# Wishes

WISHES = {
    "epsilon-privacy": {
        "epsilon": 1.3, "of": "ill", "wishes": "wish",
        "adversary": {"class": "III", "prior": "uniform"},
    }
}  # fmt: skip


FIXED = {"sex": {"role": "quasi-identifier", "levels": [0, 0]}}


@pytest.mark.parametrize("other", ["f", None, "unknown", "-", "?", "*", "25"], ids=ascii)
def test_check_refuses_what_publish_refuses(other: str | None) -> None:
    """All of one group have what those of the other mind, and a reader cannot tell them apart."""
    mine = "20-30" if other == "25" else "F"
    rows: list[Row] = [(mine, "flu", "gout")] * 6 + [(other, "gout", "flu")] * 6
    given: dict[str, Any] = {"columns": COLUMNS | FIXED | {"wish": "identifier"},
                             "protect": [WISHES]}  # fmt: skip
    (found,) = hedgerow.check(table(rows, "sex", "ill", "wish"), **given)
    assert not found.holds
    with pytest.raises(ClaimError, match="cannot be claimed"):
        hedgerow.publish(table(rows, "sex", "ill", "wish"), **given)


# Priors


def test_a_prior_of_spellings_that_are_not_published_is_refused(tmp_path: Path) -> None:
    """`flu.` is in the table, and never the value that is chosen of a person."""
    rows: list[Row] = [("P1", "F", "FLU"), ("P1", "F", "flu."), ("P2", "F", "gout"),
                       ("P3", "F", "flu"), ("P4", "F", "gout")]  # fmt: skip
    shape = {"FLU": 1, "flu.": 1, "flu": 1, "gout": 1}
    prior = {"class": "III", "prior": {"shape": shape}}
    with pytest.raises(DataError, match=r"'FLU' and 'flu\.'"):
        hedgerow.publish(
            table(rows, "pid", "sex", "ill"),
            columns={
                "pid": "identifier", "sex": "quasi-identifier",
                "ill": {"role": "sensitive", "within_person": "smallest"},
            },
            person="pid",
            rows="one",
            protect=[{"epsilon-privacy": {"epsilon": 8, "of": "ill", "adversary": prior}}],
            to=tmp_path / "release",
        )  # fmt: skip


# The very text


@pytest.fixture
def release(tmp_path: Path) -> Path:
    values = ["flu", "gout"]
    hedgerow.publish(people(values), columns=COLUMNS, protect=DIVERSE, to=tmp_path / "release")
    return tmp_path / "release"


@pytest.mark.parametrize(
    "rewritten",
    [
        lambda told: as_text(told) + " \t" * 10,
        lambda told: json.dumps(told),
        lambda told: as_text(dict(sorted(told.items(), reverse=True))).replace("\n", "\r\n"),
        lambda told: as_text(told).replace('"hedgerow"', '"\\u0068edgerow"'),
    ],
    ids=["blanks", "one line", "line ends", "escapes"],
)
def test_a_certificate_that_was_rewritten_is_refuted(
    release: Path, rewritten: Callable[[dict[str, Any]], str]
) -> None:
    place = release / "certificate.json"
    assert verify(release).refuted == ()
    place.write_bytes(rewritten(json.loads(place.read_text("utf-8"))).encode())
    assert [why.split(":")[0] for why in verify(release).refuted] == ["certificate text"]


# Nobody


def test_an_empty_file_has_nothing_to_verify(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("sex,ill\n", "utf-8")
    plan = Plan.of(columns=COLUMNS, protect=[{"k-anonymity": 2}])
    with pytest.raises(DataError, match="there is nobody in the file"):
        verify(tmp_path / "other.csv", plan=plan)
