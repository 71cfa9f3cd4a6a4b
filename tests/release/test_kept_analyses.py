"""Analyses that a plan keeps: who chooses by them, who is refused for them, and who sees them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.base.delivery import internal_place
from hedgerow.cli import app
from hedgerow.plan.plan import Plan
from hedgerow.plan.recoding import searched
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.search import Search
from hedgerow.recode.solutions import cheapest_solutions
from hedgerow.release.partition.job import opened
from hedgerow.release.partition.kept_analyses import KeptAnalyses

RANDOM = np.random.default_rng(5)
N = 600
AGE, SEX = RANDOM.integers(20, 84, N), RANDOM.choice(["F", "M"], N)
REGION = RANDOM.choice(["north", "south", "east", "west"], N, p=[0.55, 0.25, 0.15, 0.05])
PAY = (1000 + 20 * AGE + 300 * (SEX == "M") + RANDOM.normal(0, 50, N)).round(0)
TABLE = pa.table(
    {
        "age": AGE.astype(str), "sex": SEX, "region": REGION,
        "pay": [f"{p:.0f}" for p in PAY],
        "ill": np.where(RANDOM.random(N) < 0.2 + 0.004 * AGE, "yes", "no"),
    }
)  # fmt: skip
COLUMNS: dict[str, object] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [4, 8, 16, 32]}},
    "sex": "quasi-identifier",
    "region": {"role": "quasi-identifier", "hierarchy": {"taxonomy": {"*": {
        "up": ["north", "east"], "down": ["south", "west"]}}}},
    "pay": {"role": "insensitive", "key": False},
    "ill": "sensitive",
}  # fmt: skip
KEEP: list[object] = [
    {"counts": {"by": ["sex"], "within": "3%"}},
    {"linear": {"formula": "pay ~ age + sex", "within": "5%"}},
    {"classifier": {"of": "ill", "from": ["age", "sex"]}},
]


def publish(keep: object = KEEP, k: int = 8, **more: object) -> hedgerow.Release:
    return hedgerow.publish(
        more.pop("table", TABLE), columns=COLUMNS, protect=[{"k-anonymity": k}], keep=keep, **more
    )


def test_the_release_is_the_one_of_lowest_loss_that_keeps_them() -> None:
    """By brute force: every node in the order of its loss, with the analyses on each."""
    # What has no tolerance has no say, however far it is off.
    keep = [{"linear": {"formula": "pay ~ age + sex", "within": "2%"}},
            {"counts": {"by": ["age", "region"]}}]  # fmt: skip
    free = publish([])
    release = publish(keep)
    plan = Plan.of(columns=COLUMNS, protect=[{"k-anonymity": 8}], keep=keep)
    with opened(plan, TABLE) as job:
        cells = job.cells()
        kept = KeptAnalyses.of(job, cells)
        lattice = Lattice.of(cells)
        best = []
        for frequency in lattice.frequencies():
            limits = SearchConstraints(job.models, 0)
            known = Search(lattice, limits, METRICS["loss"]).evaluate(frequency)
            if not known.feasible[0]:
                continue
            levels = dict(zip([h.name for h in cells.hierarchies], frequency.node, strict=True))
            fixed = {n: {**({"role": c} if isinstance(c, str) else c), "levels": [levels[n]] * 2}
                     if n in levels else c for n, c in COLUMNS.items()}  # fmt: skip
            one = searched(Plan.of(columns=fixed, protect=[{"k-anonymity": 8}]), cells,
                           job.models, limit=0)  # fmt: skip
            if kept.under(one)[0].kept:
                best.append((float(known.cost[0]), levels))
        search = Search(lattice, SearchConstraints(job.models, 0), METRICS["loss"])
        ranked = [cost for cost, _ in cheapest_solutions(search, seconds=60)]
    assert ranked == sorted(ranked)
    assert best, "some node keeps it"
    cost, levels = min(best, key=lambda found: found[0])
    assert release.levels == levels
    assert release.utility["loss"] == pytest.approx(cost)
    assert free.utility["loss"] < cost, "the optimum without them does not keep them"
    assert not release.optimal
    assert release.certificate["search"]["lower_bound"] == pytest.approx(
        free.utility["loss"], rel=0.01
    )


def test_what_was_foreseen_is_what_is_read_back(tmp_path: Path) -> None:
    keep = [{"counts": {"by": ["sex"], "within": 1}}, {"linear": {"formula": "pay ~ age + sex"}}]
    release = publish(keep, to=tmp_path / "out", method={"suppress": "5%"})
    plan = Plan.of(columns=COLUMNS, protect=[{"k-anonymity": 8}], keep=keep,
                   method={"suppress": "5%"})  # fmt: skip
    with opened(plan, TABLE) as job:
        cells = job.cells()
        again = searched(plan, cells, job.models, limit=30)
        foreseen = KeptAnalyses.of(job, cells).under(again)
    assert [one.summary() for one in foreseen] == [one.summary() for one in release.kept]
    assert release.suppressed > 0
    assert [one.kept for one in release.kept] == [True, None]


def test_a_release_that_spoils_them_is_refused_and_says_how_close_it_came() -> None:
    keep = [{"counts": {"by": ["age"], "within": 0}}]
    with pytest.raises(hedgerow.ClaimError) as error:
        publish(keep)
    told = str(error.value)
    assert "no recoding was found that keeps the plan's analyses, of all " in told
    assert "that keep the claims" in told
    with pytest.raises(hedgerow.ClaimError, match=r"of lowest loss tried|does not keep"):
        publish(keep, method={"time": 1e-6})
    assert "counts by age is off by" in str(error.value)
    for search in ("mondrian", "local", "microaggregation"):
        with pytest.raises(hedgerow.ClaimError, match="does not keep the plan's analyses"):
            publish(keep, method={"search": search})


def test_as_the_goal_they_are_kept_as_well_as_can_be() -> None:
    keep = [{"counts": {"by": ["region"]}}, {"linear": {"formula": "pay ~ age"}}]
    plain, best = publish(keep, k=30), publish(keep, k=30, utility="keep")
    worst = [max(one.error for one in release.kept) for release in (plain, best)]
    assert worst[1] <= worst[0]
    assert best.utility["loss"] >= plain.utility["loss"] - 1e-12
    assert best.certificate["plan"]["chosen_by_keep"] is True
    assert best.certificate["plan"]["utility"] == "loss"


def test_nothing_that_is_handed_out_tells_of_the_source(tmp_path: Path) -> None:
    release = publish(to=tmp_path / "out", method={"suppress": "5%"})
    number = f"{release.kept[1].figures[1].original:.6g}"
    for file in (tmp_path / "out").iterdir():
        text = file.read_text("utf-8")
        assert number not in text
        assert "pay ~ age" not in text
        assert "classifier" not in text
    told = json.loads((tmp_path / "out" / "certificate.json").read_text("utf-8"))
    assert told["plan"]["chosen_by_keep"] is True
    assert "kept" not in told
    assert "by comparing analyses" in (tmp_path / "out" / "report.html").read_text("utf-8")
    inside = internal_place(tmp_path / "out").read_text("utf-8")
    assert "linear regression pay ~ age + sex" in inside
    assert number in inside
    compared_only = publish([{"counts": {"by": ["sex"]}}])
    assert "chosen_by_keep" not in compared_only.certificate["plan"]
    free = publish([])
    assert compared_only.to_arrow() == free.to_arrow(), "to compare changes nothing"


def plan_file(folder: Path, keep: str) -> Path:
    import pyarrow.csv

    pyarrow.csv.write_csv(TABLE, folder / "people.csv")
    (folder / "plan.yaml").write_text(
        "source: people.csv\ncolumns:\n"
        "  age: {role: quasi-identifier, hierarchy: {ranges: [4, 8, 16, 32]}}\n"
        "  sex: quasi-identifier\n  region: quasi-identifier\n"
        "  pay: {role: insensitive, key: false}\n  ill: sensitive\n"
        f"protect:\n  - k-anonymity: 8\nkeep:\n{keep}publish: {{to: out}}\n",
        "utf-8",
    )
    return folder / "plan.yaml"


def test_whoever_applies_such_a_recoding_again_says_so_too(tmp_path: Path) -> None:
    publish(to=tmp_path / "first")
    again = publish([], to=tmp_path / "again", recoding=tmp_path / "first")
    assert again.certificate["plan"]["chosen_by_keep"] is True
    assert "chosen_by_keep" not in again.certificate["search"]
    assert not hedgerow.verify(tmp_path / "again").refuted
    alone = publish([], to=tmp_path / "alone")
    assert "chosen_by_keep" not in alone.certificate["plan"]


def test_the_commands_show_them(tmp_path: Path) -> None:
    plan = plan_file(
        tmp_path,
        "  - counts: {by: [sex], within: 3%}\n"
        '  - logistic: {formula: "ill = yes ~ age + sex", within: 2}\n',
    )
    run = CliRunner().invoke
    done = run(app, ["check", str(plan)])
    assert "counts by sex on the source: sex=F" in " ".join(done.output.split())
    done = run(app, ["publish", str(plan)])
    assert done.exit_code == 0, done.output
    assert "not for handing out" in " ".join(done.output.split())
    done = run(app, ["publish", str(plan), "--replace", "--json"])
    told = json.loads(done.stdout)["kept"]
    assert [one["kind"] for one in told] == ["counts", "logistic"]
    assert told[0]["kept"] is True
    assert {f["name"] for f in told[0]["figures"]} == {"sex=F", "sex=M"}
    plan = plan_file(tmp_path, "  - counts: {by: [age], within: 0}\n")
    plan.write_text(plan.read_text("utf-8") + "method: {time: 2}\n", "utf-8")
    done = run(app, ["publish", str(plan), "--replace"])
    assert done.exit_code == 1


@pytest.mark.parametrize(
    ("keep", "what"),
    [
        ([{"count": {"by": ["sex"]}}], "Did you mean counts?"),
        ([{"counts": {}}], "counts needs 'by'"),
        ([{"counts": {"by": ["sex"], "levels": {"age": 1}}}], "which is not in 'by'"),
        ([{"counts": {"by": ["height"]}}], "'height' is no column of the plan"),
        ([{"counts": {"by": ["sex"], "within": "much"}}], "'within' cannot be 'much'"),
        ([{"linear": {"formula": "pay"}}], "'pay' is no formula"),
        ([{"linear": {"formula": "pay ~ age", "with": 1}}], "linear has no key 'with'"),
        ([{"classifier": {"of": "ill", "from": ["ill"]}}], "'of' is no column beside"),
        (["counts"], "'counts' is no analysis"),
    ],
)
def test_a_line_that_says_nothing_is_refused(keep: list[object], what: str) -> None:
    with pytest.raises(hedgerow.PlanError) as error:
        Plan.of(columns=COLUMNS, protect=[{"k-anonymity": 8}], keep=keep)
    assert what in str(error.value)


def test_a_guarantee_by_noise_is_not_spent_on_them() -> None:
    with pytest.raises(hedgerow.PlanError, match="without noise"):
        Plan.of(
            columns={"sex": {"role": "quasi-identifier", "domain": ["F", "M"]}},
            privacy="add-remove", keep=[{"counts": {"by": ["sex"]}}],
            method={"search": "marginals", "epsilon": 1, "tables": 1},
        )  # fmt: skip
    with pytest.raises(hedgerow.PlanError, match="needs analyses"):
        Plan.of(columns=COLUMNS, protect=[{"k-anonymity": 8}], utility="keep")


def test_an_analysis_without_an_answer_on_the_source_is_an_error() -> None:
    for keep, what in (
        ([{"linear": {"formula": "ill ~ age"}}], "cannot be computed on the source"),
        ([{"counts": {"by": ["age"], "levels": {"age": 9}}}], "there is no level 9 of 'age'"),
    ):
        with pytest.raises(hedgerow.HedgerowError, match=what):
            publish(keep)


WEIGHTED = TABLE.append_column("w", pa.array([str(1 + i % 7) for i in range(N)]))


def weighed(role: str, keep: object, **more: object) -> hedgerow.Release:
    columns = {**COLUMNS, "w": role}
    return hedgerow.publish(WEIGHTED, columns=columns, protect=[{"k-anonymity": 8}], keep=keep,
                            **more)  # fmt: skip


def test_weights_count_in_analyses_and_change_no_group(tmp_path: Path) -> None:
    keep = [
        {"means": {"of": "pay", "by": ["sex"], "weights": "w"}},
        {"counts": {"by": ["sex"], "weights": "w"}},
    ]
    release = weighed("insensitive", keep, to=tmp_path / "r", report=True)
    plain = weighed("insensitive", [], to=tmp_path / "plain")
    assert (tmp_path / "r" / "data.csv").read_bytes() == (
        tmp_path / "plain" / "data.csv"
    ).read_bytes()
    assert [c.level for c in release.claims] == [c.level for c in plain.claims]
    w = np.array([1 + i % 7 for i in range(N)])
    means, counts = release.kept
    for figure in means.figures:
        chosen = figure.name == "sex=F"
        here = (SEX == "F") == chosen
        assert figure.original == pytest.approx((w * PAY)[here].sum() / w[here].sum())
    table = release.to_arrow().to_pydict()
    for figure in counts.figures:
        sex = figure.name.removeprefix("sex=")
        assert figure.original == pytest.approx(w[sex == SEX].sum())
        told = sum(int(v) for v, s in zip(table["w"], table["sex"], strict=True) if s == sex)
        if set(table["sex"]) == {"F", "M"}:
            assert figure.release == pytest.approx(told)
    page = internal_place(tmp_path / "r").read_text("utf-8")
    assert "means of pay by sex, weighted by w" in page


@pytest.mark.parametrize(
    ("role", "line", "what"),
    [
        ("identifier", {"counts": {"by": ["sex"], "weights": "w"}}, "nobody who has the release"),
        ("quasi-identifier", {"counts": {"by": ["sex"], "weights": "w"}}, "weigh by ranges"),
        ("insensitive", {"counts": {"by": ["sex"], "weights": "v"}}, "no column 'v' of survey"),
        ("insensitive", {"counts": {"by": ["sex"], "weights": 3}}, "'weights' cannot be 3"),
        ("insensitive", {"classifier": {"of": "ill", "from": ["sex"], "weights": "w"}},
         "classifier has no survey weights"),
    ],
)  # fmt: skip
def test_weights_that_nobody_could_use_are_refused(
    role: str, line: dict[str, object], what: str
) -> None:
    with pytest.raises(hedgerow.HedgerowError, match=what):
        weighed(role, [line])
