"""Quality before and after: in the whole internal report, and in nothing that is handed out."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import hedgerow
from hedgerow.analyses import (
    Association,
    Classification,
    Distribution,
    Prediction,
    WeightedAnalysis,
)
from hedgerow.plan.plan import Plan
from hedgerow.release.partition.job import opened
from hedgerow.release.partition.kept_analyses import KeptAnalyses
from hedgerow.reports.blocks import Text
from hedgerow.reports.quality_section import quality_blocks, survey_weights, usual_analyses

RANDOM = np.random.default_rng(77)
N = 300


@pytest.fixture
def place(tmp_path: Path) -> Path:
    age = RANDOM.integers(20, 84, N)
    table = pa.table(
        {
            "age": age.astype(str),
            "sex": RANDOM.choice(["F", "M"], N),
            "pay": [f"{1000 + 20 * a + e:.2f}" for a, e in zip(age, RANDOM.normal(0, 50, N),
                                                               strict=True)],
            "note": [f"text {i}" for i in range(N)],
            "ill": np.where(RANDOM.random(N) < age / 100, "yes", "no"),
        }
    )  # fmt: skip
    pyarrow.csv.write_csv(table, tmp_path / "people.csv")
    (tmp_path / "plan.yaml").write_text(
        "source: people.csv\ncolumns:\n"
        "  age: {role: quasi-identifier, hierarchy: {ranges: [4, 8, 16, 32]}}\n"
        "  sex: quasi-identifier\n  pay: {role: insensitive, key: false}\n"
        "  note: {role: insensitive, key: false}\n  ill: sensitive\n"
        "protect:\n  - k-anonymity: 8\nmethod: {suppress: 5%}\npublish: {to: out}\n",
        "utf-8",
    )
    return tmp_path


def test_what_is_compared_fits_the_columns(place: Path) -> None:
    with opened(Plan.read(place / "plan.yaml")) as job:
        found = KeptAnalyses.of_all(job, job.cells(), usual_analyses).analyses
    assert {a.of for a in found if isinstance(a, Distribution)} == {"age", "sex", "ill"}
    assert {a.between for a in found if isinstance(a, Association)} == {
        ("age", "sex"), ("age", "ill"), ("sex", "ill"),
    }  # fmt: skip
    assert [(a.of, a.using) for a in found if isinstance(a, Classification)] == [
        ("ill", ("age", "sex"))
    ]
    assert [str(a) for a in found if isinstance(a, Prediction)] == ["prediction pay ~ age + sex"]


def test_only_the_whole_internal_report_has_it(place: Path) -> None:
    hedgerow.publish(place / "plan.yaml")
    inside = place / "out.internal.html"
    assert "Quality before and after" not in inside.read_text("utf-8"), "publishing stays quick"
    hedgerow.report(place / "out", plan=place / "plan.yaml")
    text = inside.read_text("utf-8")
    assert "Quality before and after" in text
    section = text[text.index("Quality before and after</h2>") :]
    words = re.sub(r"<[^>]+>|\s+", " ", section)
    assert re.search(r"pay +R² +0\.\d+ +-?0\.\d+ ", words)
    assert "age and ill" in section
    for file in (place / "out").iterdir():
        assert "Quality before" not in file.read_text("utf-8")
        assert "R²" not in file.read_text("utf-8")


@pytest.mark.parametrize("role", ["insensitive", "identifier"])
def test_published_survey_weights_count_in_it_and_others_are_said_not_to(
    place: Path, role: str
) -> None:
    table = pyarrow.csv.read_csv(place / "people.csv")
    weights = pa.array([str(1 + i % 5) for i in range(N)])
    pyarrow.csv.write_csv(table.append_column("w", weights), place / "people.csv")
    plan = (place / "plan.yaml").read_text("utf-8").replace("protect:", f"  w: {role}\nprotect:")
    plan = plan.replace(
        "  - k-anonymity: 8", "  - k-anonymity: 8\n  - individual-risk: {at_most: 1, weights: w}"
    )
    (place / "plan.yaml").write_text(plan, "utf-8")
    with opened(Plan.read(place / "plan.yaml")) as job:
        assert survey_weights(job.plan) == "w"
        kept = KeptAnalyses.of_all(job, job.cells(), partial(usual_analyses, weights="w"))
    weighed = [one for one in kept.analyses if isinstance(one, WeightedAnalysis)]
    plain = {type(one.plain) for one in kept.analyses} - {type(one.plain) for one in weighed}
    assert not any("w" in one.plain.columns for one in kept.analyses)
    told = " ".join(
        block.text for block in quality_blocks(kept.compare(kept.rows), "w")
        if isinstance(block, Text)
    )  # fmt: skip
    if role == "identifier":
        assert not weighed
        assert "'w' are not published" in told
    else:
        assert plain == {Prediction, Classification}
        assert "counts with the survey weight in 'w'" in told
        (sex,) = [
            figures for one, figures in zip(kept.analyses, kept.figures, strict=True)
            if isinstance(one.plain, Distribution) and one.plain.of == "sex"
        ]  # fmt: skip
        rows = table.append_column("w", weights).to_pylist()
        whole = sum(int(row["w"]) for row in rows)
        women = sum(int(row["w"]) for row in rows if row["sex"] == "F")
        assert sex["sex=F"] == pytest.approx(women / whole)
