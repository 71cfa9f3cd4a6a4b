"""Publishing from Python: frames, people with several rows, populations, formats, errors."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import recipients
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow import (
    ClaimError,
    ClassI,
    ClassII,
    ClassIII,
    DataError,
    DistinctLDiversity,
    EpsilonPrivacy,
    HedgerowError,
    KAnonymity,
    KMap,
    Known,
    Plan,
    PlanError,
    Prior,
    ProbabilisticLDiversity,
    TargetError,
    TCloseness,
)
from hedgerow import claims as models
from hedgerow.base.problems import PlanErrors
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.release.partition import maker as publishing
from hedgerow.release.partition.certificate import searched

SOURCE = recipients.hospital(120)
COLUMNS: dict[str, Any] = {
    "name": "identifier",
    "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 20]}},
    "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": 3}},
    "sex": "quasi-identifier",
    "disease": "sensitive",
    "salary": "sensitive",
}
QUASI = ("age", "zip", "sex")


def texts(table: Any) -> list[dict[str, str]]:
    """Rows of an Arrow table as text, missing as empty text."""
    return [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in table.to_pylist()
    ]


# Sources


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_tables_in_memory(library: str) -> None:
    frame = pd.DataFrame(SOURCE).astype({"salary": "int64"})
    table = {
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(frame),
        "arrow": lambda: pa.Table.from_pandas(frame, preserve_index=False),
    }[library]()
    release = hedgerow.publish(
        table,
        columns=COLUMNS,
        protect=[KAnonymity(k=4), {"l-diversity": {"l": 2, "of": "disease"}}],
        method={"suppress": "5%"},
    )
    assert release.folder is None
    arrow = release.to_arrow()
    rows = texts(arrow)
    assert len(rows) == release.rows == 120 - release.suppressed
    assert recipients.k(rows, QUASI) == release.claims[0].level >= 4
    assert recipients.distinct_l(rows, QUASI, "disease") == release.claims[1].level >= 2
    assert pa.types.is_int64(arrow.schema.field("salary").type), "published as it is"
    pandas = release.to_pandas()
    assert list(pandas.columns) == [*QUASI, "disease", "salary"]
    assert len(pandas) == release.rows


def test_a_data_file_with_columns(tmp_path: Path) -> None:
    file = recipients.write_csv(tmp_path / "patients.csv", SOURCE)
    release = hedgerow.publish(file, columns=COLUMNS, protect=[KAnonymity(k=3)])
    assert recipients.k(texts(release.to_arrow()), QUASI) >= 3


def test_how_a_release_reads() -> None:
    release = hedgerow.publish(
        pd.DataFrame(SOURCE),
        columns=COLUMNS | {"disease": "insensitive"},
        protect=[KAnonymity(k=3)],
        method={"suppress": 0.1},
    )
    text = repr(release)
    assert text.startswith(f"<Release of {release.rows} rows: 3-anonymity holds; ")
    assert "\n" not in text
    page = release._repr_html_()
    assert page.count("<table>") == page.count("</table>") == 3
    assert "<td>3-anonymity</td><td>holds</td>" in page
    assert release.words["sex"] in (
        "level 0 of 1 (as it is)",
        "level 1 of 1 (*)",
    )


def test_html_escapes_names() -> None:
    frame = pd.DataFrame({"<script>alert(1)</script>": ["a"] * 4, "s": ["x", "y"] * 2})
    release = hedgerow.publish(
        frame,
        columns={"<script>alert(1)</script>": "quasi-identifier", "s": "sensitive"},
        protect=[KAnonymity(k=2)],
    )
    assert "<script>" not in release._repr_html_()


# What cannot be asked for


@pytest.mark.parametrize(
    ("given_", "error", "says"),
    [
        ({"columns": COLUMNS}, HedgerowError, "`columns`"),
        ({"protect": [KAnonymity(k=2)]}, HedgerowError, "`columns`"),
        ({"columns": COLUMNS, "protect": []}, PlanErrors, "nothing is protected"),
        ({"columns": COLUMNS, "protect": [KMap(k=2)]}, PlanError, "population"),
        (
            {
                "columns": COLUMNS | {"age": {"role": "quasi-identifier", "levels": [1, 1]}},
                "protect": [KAnonymity(k=2)],
                "method": "mondrian",
            },
            PlanError,
            "cannot keep the levels of 'age'",
        ),
        (
            {
                "columns": COLUMNS,
                "protect": [KAnonymity(k=2)],
                "method": {"search": "local", "keep_suppressed": True},
            },
            PlanError,
            "keep_suppressed has no meaning for local",
        ),
        (
            {
                "columns": COLUMNS,
                "protect": [KAnonymity(k=2)],
                "method": {"search": "mondrian", "time": 3},
            },
            PlanError,
            "time has no meaning for mondrian",
        ),
        (
            {"columns": COLUMNS, "protect": [TCloseness(t=0.3, of="salary")],
             "method": "microaggregation"},
            PlanError,
            "microaggregation needs a k-anonymity claim",
        ),
    ],
)  # fmt: skip
def test_requests_that_are_refused(
    given_: dict[str, Any], error: type[HedgerowError], says: str
) -> None:
    with pytest.raises(error, match=says):
        hedgerow.publish(pd.DataFrame(SOURCE), **given_)


def test_a_plan_is_not_silently_overruled(tmp_path: Path) -> None:
    plan = Plan.of(columns=COLUMNS, protect=[KAnonymity(k=2)], source="patients.csv")
    for more in ({"method": {"suppress": 1}}, {"utility": "precision"}, {"person": "name"}):
        with pytest.raises(PlanError, match=f"a plan says its {next(iter(more))} itself"):
            hedgerow.publish(plan, **more)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="a plan says its columns and protect itself"):
        hedgerow.check(plan, columns=COLUMNS, protect=[KAnonymity(k=2)])


def test_more_columns_than_anybody_can_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.release.partition.recoding_choice.PATIENCE", 0.5)
    names = [f"c{i}" for i in range(60)]
    frame = pd.DataFrame({name: [(row >> i % 6) & 1 for row in range(64)]
                          for i, name in enumerate(names)})  # fmt: skip
    columns = dict.fromkeys(names, "quasi-identifier")
    release = hedgerow.publish(frame, columns=columns, protect=[KAnonymity(k=4)])
    assert recipients.k(texts(release.to_arrow()), names) >= 4
    search = release.certificate["search"]
    assert not release.optimal
    assert not search["optimal"]
    assert 0 <= search["lower_bound"] < search["cost"]
    with pytest.raises(PlanError, match="60 quasi-identifiers"):
        hedgerow.publish(frame, columns=columns, protect=[KAnonymity(k=4)], method="local")


def test_an_interrupted_search_still_writes_valid_json(tmp_path: Path) -> None:
    """Without a bound the search has only minus infinity to say, which is no JSON."""
    release = hedgerow.publish(
        pd.DataFrame(SOURCE), columns=COLUMNS, protect=[KAnonymity(k=2)],
        method={"time": 1e-9}, utility="query-error", to=tmp_path / "release",
    )  # fmt: skip
    assert not release.optimal

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    text = (tmp_path / "release" / "certificate.json").read_text("utf-8")
    assert json.loads(text, parse_constant=refuse)["search"]["lower_bound"] is None


def test_nothing_is_not_published() -> None:
    with pytest.raises(ClaimError, match=r"120 of 120 people .* somebody has to remain"):
        hedgerow.publish(
            pd.DataFrame(SOURCE), columns=COLUMNS, protect=[KAnonymity(k=121)],
            method={"suppress": 1},
        )  # fmt: skip


@pytest.mark.parametrize("where", ["search", "engine"])
def test_a_release_that_breaks_its_claims_is_never_delivered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Whatever is wrong before: what was written is counted, and here it fails."""
    if where == "search":
        monkeypatch.setattr(SearchConstraints, "rank", lambda self, groups, held=None: groups.n)
    else:
        write = publishing.write_release

        def torn(*given: Any, **more: Any) -> Any:
            written = write(*given, **more)
            first, second, *rest = written.path.read_text("utf-8").splitlines()
            lines = [first, second.replace(second.split(",")[0], "alone"), *rest]
            written.path.write_text("\n".join(lines) + "\n", "utf-8")
            return written

        monkeypatch.setattr(publishing, "write_release", torn)
    with pytest.raises(ClaimError, match="3-anonymity reaches 1, required 3"):
        hedgerow.publish(
            pd.DataFrame(SOURCE), columns=COLUMNS, protect=[KAnonymity(k=3)],
            to=tmp_path / "release",
        )  # fmt: skip
    assert list(tmp_path.iterdir()) == []


# Among equals the finest


def test_no_level_is_higher_than_it_need_be() -> None:
    """Where one column has one value, every level of it costs the same."""
    frame = pd.DataFrame({"country": ["NL"] * 6, "sex": ["F", "M"] * 3})
    release = hedgerow.publish(
        frame,
        columns={"country": "quasi-identifier", "sex": "quasi-identifier"},
        protect=[KAnonymity(k=3)],
    )
    assert release.levels == {"country": 0, "sex": 0}


def width(label: str) -> int:
    """How many ages a published value covers."""
    if label == "*":
        return 1000
    low, _, high = label.partition("-")
    return int(high or low) - int(low) + 1


@pytest.mark.parametrize("search", ["lattice", "local"])
def test_levels_are_kept(search: str) -> None:
    """Ages between ranges of 5 and of 10, nothing finer and nothing coarser."""
    columns = COLUMNS | {"age": COLUMNS["age"] | {"levels": [1, 2]}}
    for seed in range(5):
        release = hedgerow.publish(
            pd.DataFrame(recipients.hospital(40, seed=seed)), columns=columns,
            protect=[KAnonymity(k=4)], method={"search": search, "suppress": 0.6},
        )  # fmt: skip
        assert {width(row["age"]) for row in texts(release.to_arrow())} <= {5, 10}
        assert recipients.k(texts(release.to_arrow()), QUASI) >= 4


# Missing values


def missing_frame() -> pd.DataFrame:
    rows = [("20", "F"), ("20", "F"), ("30", "F"), ("30", None), ("?", "M"), ("?", "M")]
    return pd.DataFrame(rows, columns=["age", "sex"])


def test_missing_is_a_value() -> None:
    release = hedgerow.publish(
        missing_frame(), columns={"age": "quasi-identifier", "sex": "quasi-identifier"},
        protect=[KAnonymity(k=2)], null=["?"],
    )  # fmt: skip
    counted = Counter((row["age"], row["sex"]) for row in release.to_arrow().to_pylist())
    assert counted == {("20", "*"): 2, ("30", "*"): 2, (None, "*"): 2}


def test_missing_people_are_left_out_and_count_against_the_limit() -> None:
    columns: dict[str, Any] = {
        "age": {"role": "quasi-identifier", "missing": "suppress"},
        "sex": "quasi-identifier",
    }
    told: dict[str, Any] = {"columns": columns, "protect": [KAnonymity(k=2)], "null": ["?"]}
    with pytest.raises(ClaimError, match="2 of 6 people have no value"):
        hedgerow.publish(missing_frame(), **told, method={"suppress": 0.3})
    release = hedgerow.publish(missing_frame(), **told, method={"suppress": 0.34})
    assert release.suppressed == 2
    assert {row["age"] for row in release.to_arrow().to_pylist()} == {"20", "30"}
    # The table as it is still has them: alone they are a group of two, the F of 30 is unique.
    assert hedgerow.check(missing_frame(), **told)[0].level == 1


def test_missing_is_refused() -> None:
    columns = {"age": "quasi-identifier", "sex": {"role": "quasi-identifier", "missing": "refuse"}}
    for job in (hedgerow.publish, hedgerow.check):
        with pytest.raises(DataError, match="1 of 6 people have no value in 'sex'"):
            job(missing_frame(), columns=columns, protect=[KAnonymity(k=2)])


def test_check_counts_those_the_plan_would_leave_out() -> None:
    frame = pd.DataFrame({"age": ["20", "20", None]})
    columns = {"age": {"role": "quasi-identifier", "missing": "suppress"}}
    (verdict,) = hedgerow.check(
        frame, columns=columns, protect=[KAnonymity(k=2)], one_row_per_person=True
    )
    assert not verdict.holds
    assert verdict.level == 1


# People with several rows


@st.composite
def visits(draw: st.DrawFn) -> list[dict[str, str]]:
    """One or two visits each; age and sex agree, disease and row differ."""
    rows = []
    for person in range(draw(st.integers(6, 14))):
        who = {
            "person": f"Canary-{person}",
            "age": str(draw(st.sampled_from([20, 21, 25, 30]))),
            "sex": draw(st.sampled_from("FM")),
        }
        for _ in range(draw(st.integers(1, 2))):
            ill = draw(st.sampled_from(["flu", "ulcer", "gout", "acne", "cold"]))
            rows.append(who | {"disease": ill, "row": str(len(rows))})
    return rows


@pytest.mark.parametrize(
    "method",
    [
        {"search": "lattice", "suppress": 0.4},
        {"search": "local", "suppress": 0.4},
        {"search": "mondrian"},
        {"search": "mondrian", "mode": "relaxed"},
        {"search": "microaggregation"},
    ],
    ids=lambda m: "-".join(map(str, m.values())),
)
@given(rows=visits())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_people_are_counted_and_not_rows(
    method: dict[str, Any], rows: list[dict[str, str]]
) -> None:
    """The column `row` leads back to the people, whom the release must not name."""
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10]}},
        "sex": "quasi-identifier",
        "disease": "sensitive",
        "row": "insensitive",
    }
    try:
        release = hedgerow.publish(
            pd.DataFrame(rows), columns=columns, person="person", rows="at most 2", method=method,
            protect=[KAnonymity(k=2), ProbabilisticLDiversity(l=1.25, of="disease")],
        )  # fmt: skip
    except ClaimError:
        return
    table = release.to_arrow()
    assert "person" not in table.column_names
    published = texts(table)
    by_row = {row["row"]: row for row in rows}
    assert len({row["row"] for row in published}) == len(published)
    people, rows_in = defaultdict(set), Counter[tuple[str, str]]()
    having, rows_of = defaultdict(set), Counter[tuple[str, str, str]]()
    for row in published:
        who, group = by_row[row["row"]]["person"], (row["age"], row["sex"])
        assert row["disease"] == by_row[row["row"]]["disease"]
        people[group].add(who)
        rows_in[group] += 1
        having[*group, row["disease"]].add(who)
        rows_of[*group, row["disease"]] += 1
    # What is claimed is what the rows show to whoever knows that nobody has more than two; or
    # one, where that is so.
    most = max(Counter(row["person"] for row in rows).values())
    k, diversity = (claim.level for claim in release.claims)
    assert k == max(1, min(rows_in.values()) // most) >= 2
    assert diversity == pytest.approx(
        min(max(1, rows_in[key[:2]] / (most * n)) for key, n in rows_of.items())
    )
    # And it holds of the people themselves.
    assert min(len(group) for group in people.values()) >= k
    share = max(len(some) / len(people[key[:2]]) for key, some in having.items())
    assert share <= 1 / diversity + 1e-12
    assert release.suppressed == len(rows) - len(published)


def test_quasi_identifiers_must_agree_within_a_person() -> None:
    frame = pd.DataFrame({"p": ["a", "a", "b"], "age": ["20", "30", "20"]})
    with pytest.raises(DataError, match="1 person has rows with different values of 'age'"):
        hedgerow.publish(
            frame, columns={"age": "quasi-identifier"}, person="p", rows="one",
            protect=[KAnonymity(k=2)],
        )  # fmt: skip


# Claims over all columns


def test_over_all_columns() -> None:
    """Two groups of four; within them the sensitive and the insensitive column differ."""
    frame = pd.DataFrame(
        {"q": ["a"] * 4 + ["b"] * 4, "s": ["x", "x", "y", "y"] * 2, "i": ["1", "2"] * 4}
    )
    columns = {"q": "quasi-identifier", "s": "sensitive", "i": "insensitive"}
    (verdict,) = hedgerow.check(frame, columns=columns, protect=[KAnonymity(k=2, over="all")])
    assert verdict.level == 1
    release = hedgerow.publish(frame, columns=columns, protect=[KAnonymity(k=2, over="all")])
    assert recipients.k(texts(release.to_arrow()), ("q", "s", "i")) == release.claims[0].level == 2
    assert release.levels == {"q": 1}


def test_over_all_columns_where_rows_of_a_person_differ() -> None:
    """By column A and B look alike; by row they do not, and that is what the file shows."""
    frame = pd.DataFrame(
        {"p": list("AABB"), "q": ["x"] * 4, "s": ["1", "2"] * 2, "i": ["u", "v", "v", "u"]}
    )
    columns = {"q": "quasi-identifier", "s": "sensitive", "i": "insensitive"}
    over = [KAnonymity(k=2, over="all")]
    for job in (hedgerow.publish, hedgerow.check):
        with pytest.raises(DataError, match="2 people have rows with different values of 's'"):
            job(frame, columns=columns, person="p", rows="one", protect=over)
    said: dict[str, Any] = {"columns": columns, "person": "p", "protect": over}
    assert hedgerow.check(frame, rows="at most 2", **said)[0].level == 1
    # One row a person, and the claim can be measured.
    alike = frame.assign(s="1", i="u")
    assert hedgerow.check(alike, rows="one", **said)[0].level == 2
    assert hedgerow.check(alike, rows="at most 2", **said)[0].level == 2


def test_a_column_may_not_have_the_name_of_all_columns() -> None:
    frame = pd.DataFrame({"q": ["a"] * 4, "(all columns)": ["x", "y"] * 2})
    with pytest.raises(PlanError, match="cannot be called"):
        hedgerow.publish(
            frame, columns={"q": "quasi-identifier", "(all columns)": "sensitive"},
            protect=[KAnonymity(k=2, over="all")],
        )  # fmt: skip


# Populations


def population_plan(
    folder: Path, claims: list[dict[str, Any]], **method: Any
) -> tuple[Plan, list[dict[str, str]], list[dict[str, str]]]:
    everybody = recipients.hospital(300, seed=3)
    table = everybody[::5]
    recipients.write_csv(folder / "table.csv", table)
    recipients.write_csv(folder / "everybody.csv", everybody)
    for claim in claims:
        next(iter(claim.values()))["population"] = str(folder / "everybody.csv")
    plan = Plan.of(
        columns=COLUMNS, protect=claims, method=method or None, source=folder / "table.csv"
    )
    return plan, table, everybody


def generalised(row: dict[str, str], levels: dict[str, int]) -> tuple[str, ...]:
    """The hierarchies of COLUMNS, by hand."""
    age, width = int(row["age"]), {1: 5, 2: 10, 3: 20}.get(levels["age"], 0)
    start = age - age % width if width else age
    ages = {0: row["age"], 4: "*"}.get(levels["age"], f"{start}-{start + width - 1}")
    kept = 3 - levels["zip"]
    zips = "*" if kept == 0 else row["zip"][:kept] + "*" * levels["zip"]
    return ages, zips, row["sex"] if levels["sex"] == 0 else "*"


@pytest.mark.parametrize("suppress", [0.0, 0.2])
def test_populations_counted_by_hand(tmp_path: Path, suppress: float) -> None:
    plan, table, everybody = population_plan(
        tmp_path,
        [
            {"k-map": {"k": 8}},
            {"delta-presence": {"max": 0.5}},
            {"journalist-risk": {"risk": 0.1}},
        ],
        suppress=suppress,
    )
    release = hedgerow.publish(plan)
    outside = Counter(generalised(row, release.levels) for row in everybody)
    inside = Counter(tuple(row[c] for c in QUASI) for row in texts(release.to_arrow()))
    assert sum(inside.values()) == len(table) - release.suppressed
    assert set(inside) <= {generalised(row, release.levels) for row in table}
    smallest = min(outside[group] for group in inside)
    present = max(inside[group] / outside[group] for group in inside)
    assert release.claims[0].level == smallest >= 8
    assert release.claims[1].level == pytest.approx(present)
    assert present <= 0.5
    assert release.claims[2].level == pytest.approx(1 / smallest)
    assert release.certificate["measured_on"] == "the written file"


def test_those_kept_as_one_group_have_a_population_too(tmp_path: Path) -> None:
    plan, table, everybody = population_plan(
        tmp_path, [{"k-map": {"k": 4}}], suppress=0.5, keep_suppressed=True
    )
    release = hedgerow.publish(plan)
    rows = texts(release.to_arrow())
    assert len(rows) == len(table)
    inside = Counter(tuple(row[c] for c in QUASI) for row in rows)
    outside = Counter(generalised(row, release.levels) for row in everybody)
    stars = ("*",) * 3
    assert stars in inside, "the bound is chosen so that somebody would be left out"
    there = Counter(generalised(row, release.levels) for row in table)
    outside[stars] = sum(outside[group] for group in there if group not in inside)
    assert release.claims[0].level == min(outside[group] for group in inside) >= 4


# Formats


def test_parquet_keeps_the_types_of_what_is_published_as_it_is(tmp_path: Path) -> None:
    table = pa.table(
        {
            "age": pa.array([20, 20, 30, 30] * 3, pa.int16()),
            "born": pa.array([0, 0, 20000, 20000] * 3, pa.date32()),
            "dose": pa.array([0.1, 0.5, None, 2.5] * 3, pa.float64()),
            "seen": pa.array([1, 2, 3, 4] * 3, pa.timestamp("us", "UTC")),
            "ok": pa.array([True, False, None, True] * 3),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    for insensitive in ("sensitive", "insensitive"):
        release = hedgerow.publish(
            tmp_path / "in.parquet",
            columns={"age": "quasi-identifier",
                     "born": {"role": "quasi-identifier", "levels": [1, 1]},
                     "dose": "sensitive", "seen": insensitive, "ok": "sensitive"},
            protect=[KAnonymity(k=4)],
            publish={"to": tmp_path / insensitive, "format": "parquet"},
        )  # fmt: skip
        assert release.levels == {"age": 0, "born": 1}
        read = pq.read_table(tmp_path / insensitive / "data.parquet")
        assert read.schema.field("age").type == pa.int16()
        assert read.schema.field("born").type == pa.string()
        assert read.schema.field("dose").type == pa.float64()
        assert pa.types.is_timestamp(read.schema.field("seen").type)
        assert read.schema.field("ok").type == pa.bool_()

        def key(row: dict[str, Any]) -> str:
            return repr(sorted(row.items()))

        want = [row | {"born": "*"} for row in table.to_pylist()]
        assert sorted(map(key, read.to_pylist())) == sorted(map(key, want))


def test_formulas_are_escaped_and_the_certificate_says_so(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q": ["=1+1", "=1+1", "b", "b"], "s": ["-1", "@x", "+y", "plain"]})
    release = hedgerow.publish(
        frame, columns={"q": "quasi-identifier", "s": "sensitive"},
        protect=[KAnonymity(k=2), DistinctLDiversity(l=2, of="s")],
        publish={"to": tmp_path / "release", "escape_formulas": True},
    )  # fmt: skip
    rows = recipients.read_csv(tmp_path / "release" / "data.csv")
    assert {(r["q"], r["s"]) for r in rows} == {
        ("'=1+1", "-1"), ("'=1+1", "'@x"), ("b", "'+y"), ("b", "plain"),
    }  # fmt: skip
    assert release.certificate["plan"]["escape_formulas"] is True
    assert release.certificate["measured_on"] == "the written file"


@pytest.mark.parametrize("person", [None, "p"])
def test_escaping_must_not_make_two_values_one(tmp_path: Path, person: str | None) -> None:
    """=x and '=x are two values to the model and would be one to the recipient."""
    frame = pd.DataFrame({"p": list("abcd"), "q": ["a"] * 4, "s": ["=x", "'=x"] * 2})
    secret = {"role": "sensitive", "distinct": ["=x", "'=x"]}
    columns = {"q": "quasi-identifier", "s": secret} | ({} if person else {"p": "identifier"})
    with pytest.raises(DataError, match="would be written alike"):
        hedgerow.publish(
            frame, columns=columns, person=person,
            protect=[DistinctLDiversity(l=2, of="s")],
            publish={"to": tmp_path / "release", "escape_formulas": True},
        )  # fmt: skip
    assert not (tmp_path / "release").exists()


def test_names_that_look_like_another_separator(tmp_path: Path) -> None:
    """Read with semicolons the header would have more columns than with commas."""
    names = ["x", "a;b;c;d;e", 'say "hi"', "line\nend"]
    frame = pd.DataFrame({name: ["1", "1", "2", "2"] for name in names})
    release = hedgerow.publish(
        frame, columns=dict.fromkeys(names, "quasi-identifier"), protect=[KAnonymity(k=2)],
        to=tmp_path / "release",
    )  # fmt: skip
    assert release.to_arrow().column_names == names
    assert release.claims[0].level == 2


# Applying a recoding again


def test_a_stored_recoding_must_fit(tmp_path: Path) -> None:
    told: dict[str, Any] = {"protect": [KAnonymity(k=3)], "method": {"suppress": 0.1}}
    frame = pd.DataFrame(SOURCE)
    hedgerow.publish(frame, columns=COLUMNS, **told, to=tmp_path / "first")
    other = COLUMNS | {"sex": "insensitive"}
    with pytest.raises(PlanError, match="is for the columns 'age', 'sex', 'zip', not"):
        hedgerow.publish(frame, columns=other, **told, recoding=tmp_path / "first")
    flat = COLUMNS | {"age": "quasi-identifier", "zip": "quasi-identifier"}
    levels = recipients.certificate(tmp_path / "first")["recoding"]["levels"]
    assert max(levels.values()) > 1, "or this test says nothing"
    with pytest.raises(PlanError, match="its hierarchy ends at level 1"):
        hedgerow.publish(frame, columns=flat, **told, recoding=tmp_path / "first")
    few: dict[str, Any] = {"protect": [KAnonymity(k=3)]}
    with pytest.raises(ClaimError, match="under the stored recoding"):
        hedgerow.publish(frame[:20], columns=COLUMNS, **few, recoding=tmp_path / "first")


def test_the_groups_of_an_edited_release_are_not_trusted(tmp_path: Path) -> None:
    told: dict[str, Any] = {"columns": COLUMNS, "protect": [KAnonymity(k=3)], "method": "mondrian"}
    frame = pd.DataFrame(SOURCE)
    hedgerow.publish(frame, **told, to=tmp_path / "first")
    data = tmp_path / "first" / "data.csv"
    data.write_text(data.read_text("utf-8").replace("F", "*"), "utf-8")
    with pytest.raises(DataError, match="not the file its certificate was written for"):
        hedgerow.publish(frame, **told, recoding=tmp_path / "first")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"recoding": {}}', '{"recoding": {"kind": 3}}', "[" * 100_000,
     '{"recoding": {"kind": "local"}, "data": {"file": "../x.csv", "sha256": ""}}',
     '{"recoding": {"kind": "x", "levels": {"a": "1"}},'
     ' "data": {"file": "data.csv", "sha256": ""}}'],
)  # fmt: skip
def test_what_is_no_certificate(tmp_path: Path, text: str) -> None:
    (tmp_path / "certificate.json").write_text(text)
    with pytest.raises(DataError, match=r"cannot be read|is not the certificate"):
        hedgerow.publish(
            pd.DataFrame(SOURCE), columns=COLUMNS, protect=[KAnonymity(k=2)], recoding=tmp_path
        )


# The frontier


def test_the_frontier_is_what_publishing_each_would_give(tmp_path: Path) -> None:
    file = recipients.write_csv(tmp_path / "patients.csv", SOURCE)
    told: dict[str, Any] = {"columns": COLUMNS, "source": file, "method": {"suppress": 0.05}}
    ladder = [KAnonymity(k=k) for k in (2, 5, 20, 200)]
    found = hedgerow.frontier(Plan.of(**told, protect=[ladder[0]]), ladder)
    for point, model in zip(found, ladder, strict=True):
        if model.k == 200:
            assert point.levels is None
            continue
        release = hedgerow.publish(Plan.of(**told, protect=[model]))
        assert point.cost == pytest.approx(release.utility["loss"])
    with pytest.raises(PlanError, match="needs the requirements to try"):
        hedgerow.frontier(Plan.of(**told, protect=[TCloseness(t=0.4, of="salary")]))


def test_errors_are_hedgerows_own(tmp_path: Path) -> None:
    with pytest.raises(TargetError):
        hedgerow.publish(
            pd.DataFrame(SOURCE), columns=COLUMNS, protect=[KAnonymity(k=2)], to="a\0b"
        )
    with pytest.raises(DataError):
        hedgerow.publish({"a": [1]}, columns=COLUMNS, protect=[KAnonymity(k=2)])
    (tmp_path / "patients.csv").write_text("age\n1\n")
    with pytest.raises(PlanError, match="this is a table, not a plan"):
        hedgerow.publish(tmp_path / "patients.csv")
    with pytest.raises(PlanError, match="No such file"):
        hedgerow.publish(tmp_path / "nowhere.csv")


def test_a_population_can_be_handed_over_as_a_table() -> None:
    frame = pd.DataFrame({"age": ["30", "31", "40"], "disease": ["flu", "flu", "ulcer"]})
    outside = pd.DataFrame({"age": ["30", "31", "31", "40", "40", "40"]})
    given = {
        "columns": {"age": "quasi-identifier", "disease": "sensitive"},
        "protect": [KMap(k=2)],
    }
    (raw,) = hedgerow.check(frame, population_table=outside, **given)
    assert (raw.holds, raw.level) == (False, 1)
    release = hedgerow.publish(frame, population_table=outside, **given)
    assert release.levels == {"age": 1}
    assert release.claims[0].level == 6
    with pytest.raises(PlanError, match="population"):
        hedgerow.publish(frame, **given)


def test_memory_can_be_limited() -> None:
    frame = pd.DataFrame({"age": ["30", "31"] * 50})
    release = hedgerow.publish(
        frame, columns={"age": "quasi-identifier"}, protect=[KAnonymity(k=2)], memory="200MB"
    )
    assert release.rows == 100
    with pytest.raises(HedgerowError, match="not an amount of memory"):
        hedgerow.publish(
            frame, columns={"age": "quasi-identifier"}, protect=[KAnonymity(k=2)], memory="lots"
        )


def test_the_certificate_does_not_give_away_those_left_out() -> None:
    """An exact level against the whole table would tell the values of people left out."""
    frame = pd.DataFrame(
        {
            "town": ["x"] * 20 + ["y"] * 20 + ["rare"],
            "illness": ["flu", "ulcer"] * 10 + ["flu", "cancer"] * 10 + ["HIV"],
        }
    )
    given = {
        "columns": {"town": "quasi-identifier", "illness": "sensitive"},
        "protect": [KAnonymity(k=5), TCloseness(t=0.5, of="illness")],
    }
    release = hedgerow.publish(frame, method={"suppress": "5%"}, **given)
    assert release.suppressed == 1
    sizes, closeness = release.certificate["claims"]
    assert sizes["level"] == 20
    assert closeness["holds"]
    assert closeness["level"] is None
    assert "people left out" in closeness["level_withheld"]
    assert release.claims[1].level > 0, "the steward sees it"
    assert release.certificate["utility"]["loss"] == float(f"{release.utility['loss']:.3g}")
    # With nobody left out the release itself shows the whole distribution.
    whole = hedgerow.publish(frame, **given)
    assert whole.suppressed == 0
    assert whole.certificate["claims"][1]["level"] == whole.claims[1].level


def test_only_the_models_that_look_at_the_whole_table_are_withheld() -> None:
    looks = {
        name
        for name in dir(models)
        if getattr(getattr(models, name), "compares_with_table", 0) is True
    }
    assert looks == {"BetaLikeness", "DeltaDisclosure", "TCloseness"}


def test_what_attackers_believe_may_compare_with_the_table_too() -> None:
    given = Prior.shape({"flu": 1, "ulcer": 2})
    listed = Known(by="id", people=("1",))
    for adversary, looks in (
        (ClassI(prior=Prior.of_table(), stubbornness=9), True),
        (ClassIII(prior=Prior.uniform()), True),
        (ClassI(prior=Prior.counts({"flu": 1})), True),
        (ClassIII(prior=given), False),
        (ClassIII(prior=given, knows=listed), True),
        (ClassII(stubbornness=9), False),
    ):
        model = EpsilonPrivacy(epsilon=2, of="illness", adversary=adversary)
        assert model.compares_with_table == looks


@pytest.mark.parametrize("bound", [0.13462, 0.99961, 1234567.0, 0.134, -0.0456789, 0.0])
def test_the_certified_bound_is_never_above_the_true_one(bound: float) -> None:
    told = searched({"optimal": False, "cost": 2e6, "lower_bound": bound})
    assert told["lower_bound"] <= bound
    assert told["lower_bound"] == pytest.approx(bound, rel=0.011, abs=1e-9)
