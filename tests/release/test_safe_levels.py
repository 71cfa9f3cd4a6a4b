"""Safe releases whose levels are from public data, whose k is asked for, whose walk is long."""

from __future__ import annotations

import gzip
import hashlib
import json
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import hedgerow
from hedgerow.base.errors import DataError, HedgerowError, PlanError
from hedgerow.ledger import Amounts, Ledger
from hedgerow.noise import samplers
from hedgerow.noise.sampling import suppression
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_text import as_text
from hedgerow.release.safe.request import SafeRequest

METHOD = {"search": "safe", "beta": 0.8, "epsilon": 1, "delta": 1e-6}
PUBLIC = METHOD | {"levels_from": "other.csv"}
AGE = {"role": "quasi-identifier", "bounds": [0, 99], "step": 1, "hierarchy": {"ranges": [10, 50]}}
SEX = {"role": "quasi-identifier", "domain": ["F", "M"]}
FREE = {"age": AGE, "sex": SEX}
FIXED = {"age": AGE | {"levels": [2, 2]}, "sex": SEX | {"levels": [0, 0]}}


def said(**more: Any) -> dict[str, Any]:
    told = {
        "population": "town",
        "ledger": "ledger.db",
        "source": "people.csv",
        "columns": FREE,
        "privacy": {"neighbours": "add-remove"},
        "method": METHOD,
    }
    return told | more


def people(file: str, n: int, *, ages: int = 100) -> None:
    rows = [f"{i % ages},{'FM'[i // ages % 2]}" for i in range(n)]
    Path(file).write_text("\n".join(["age,sex", *rows, ""]), "utf-8")


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    people("people.csv", 4000)
    people("other.csv", 6000)
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=10, delta=Fraction(1, 2)))
    return tmp_path


def publish(**more: Any) -> hedgerow.SafeRelease:
    found = hedgerow.publish(Plan.of(**said(**more)), to="out")
    assert isinstance(found, hedgerow.SafeRelease)
    return found


def refuted(folder: str, **more: Any) -> dict[str, str]:
    """What is refuted of a release besides its claim, and why."""
    checks = hedgerow.verify(folder, **more).checks
    return {one.what: one.why for one in checks if one.verdict == "refuted"}


# Levels from public data


def test_levels_are_those_that_are_best_for_the_public_table(town: Path) -> None:
    """6,000 people: 300 in each group of ten years and a sex, 60 in each of one year."""
    found = publish(method=PUBLIC)
    assert found.k == suppression.smallest_k(beta="0.8", epsilon=1, delta="1e-6"), "no choice"
    assert found.levels == {"age": 1, "sex": 0}, "finer groups would all be left out"
    told = found.certificate
    digest = hashlib.sha256(Path("other.csv").read_bytes()).hexdigest()
    assert told["public"] == {"file": "other.csv", "sha256": digest, "row": "0.2"}
    assert told["choice"] is None
    assert "has none of these people, which is not checked" in told["protected"]
    assert "other.csv" in told["protected"]
    assert hedgerow.verify("out").refuted == ()
    with Ledger.open("ledger.db") as ledger:
        assert list(ledger.entries())[-1].total == Amounts.of(epsilon=1, delta="1e-6")


def test_levels_do_not_depend_on_the_table(town: Path) -> None:
    people("people.csv", 400)
    few = publish(method=PUBLIC)
    assert few.levels == {"age": 1, "sex": 0}
    assert few.rows == 0, "for this table coarser levels would have been better"


def test_a_finer_public_table_gives_finer_levels(town: Path) -> None:
    people("other.csv", 60_000)
    assert SafeRequest.of(Plan.of(**said(method=PUBLIC))).public.node == (0, 0)  # type: ignore[union-attr]
    people("other.csv", 1000)
    assert SafeRequest.of(Plan.of(**said(method=PUBLIC))).public.node == (2, 0)  # type: ignore[union-attr]
    bounded = {"age": AGE | {"levels": [3, 3]}, "sex": SEX}
    node = SafeRequest.of(Plan.of(**said(method=PUBLIC, columns=bounded))).public.node  # type: ignore[union-attr]
    assert node == (3, 0), "within the plan's levels"


def test_another_public_table_is_another_release(town: Path) -> None:
    publish(method=PUBLIC)
    assert publish(method=PUBLIC).again
    people("other.csv", 700)
    other = hedgerow.publish(Plan.of(**said(method=PUBLIC)), to="new")
    assert not other.again  # type: ignore[union-attr]


def test_verify_with_the_plan_chooses_again(town: Path) -> None:
    Path("plan.json").write_text(json.dumps(said(method=PUBLIC)), "utf-8")
    hedgerow.publish("plan.json", to="out")
    assert hedgerow.verify("out", plan="plan.json").refuted == ()
    people("other.csv", 700)
    assert "the plan has other 'public'" in refuted("out", plan="plan.json")["plan"]
    people("other.csv", 6000)
    file = Path("out/certificate.json")
    told = json.loads(file.read_text("utf-8"))
    told["public"]["row"] = "0.3"
    file.write_text(as_text(told), "utf-8")
    assert "the plan has other 'public'" in refuted("out", plan="plan.json")["plan"]
    del told["public"]
    file.write_text(as_text(told), "utf-8")
    assert "in two ways" in refuted("out")["loss"]


def test_other_levels_than_the_best_are_refuted_by_the_plan(town: Path) -> None:
    """A forger publishes half-centuries, with a certificate that says so and a hash that fits."""
    Path("plan.json").write_text(json.dumps(said(method=PUBLIC)), "utf-8")
    hedgerow.publish("plan.json", to="out")
    file, data = Path("out/certificate.json"), Path("out/data.csv")
    told = json.loads(file.read_text("utf-8"))
    head, *rows = data.read_text("utf-8").splitlines()
    coarse = sorted(
        f"{'0-49' if int(row.partition('-')[0]) < 50 else '50-99'},{row[-1]}" for row in rows
    )
    data.write_text("\n".join([head, *coarse, ""]), "utf-8")
    told["columns"][0] |= {"level": 2, "labels": ["0-49", "50-99"]}
    digest = hashlib.sha256(data.read_bytes()).hexdigest()
    told["data"]["sha256"] = told["files"]["data.csv"] = digest
    file.write_text(as_text(told), "utf-8")
    wrong = refuted("out", plan="plan.json")
    wrong.pop("report", None)
    assert wrong == {"plan": "the levels are not those that are best for other.csv"}


def test_a_sample_may_have_levels_from_public_data(town: Path) -> None:
    found = publish(method=PUBLIC | {"drawn": "before"})
    assert found.levels == {"age": 1, "sex": 0}
    assert found.rows == 4000, "nobody is drawn again"
    assert hedgerow.verify("out").refuted == ()


def test_the_public_table_must_be_another_and_fit(town: Path) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("", {"method": METHOD | {"levels_from": "people.csv"}}, "is the table that is published"),
        ("", {"method": METHOD | {"levels_from": "none.csv"}}, "there is no file 'none.csv'"),
        ("age\n3\n", {}, "has no .sex., so"),
        ("age,sex\n3,F\n", {}, "no groups of about 168 people"),
    ]
    for content, more, words in cases:
        Path("other.csv").write_text(content or "age,sex\n", "utf-8")
        with pytest.raises(HedgerowError, match=words):
            publish(**({"method": PUBLIC} | more))
    with Ledger.open("ledger.db") as ledger:
        assert not ledger.budget("town").spent


@pytest.mark.parametrize("how", ["copy", "order", "parquet", "gz", "more columns"])
def test_the_table_itself_is_no_public_table_in_any_form(how: str, town: Path) -> None:
    head, *rows = Path("people.csv").read_text("utf-8").splitlines()
    name, words = "copy.csv", "as many people in every cell as the table that is published"
    if how == "copy":
        Path(name).write_bytes(Path("people.csv").read_bytes())
        words = "the same bytes as the table that is published"
    elif how == "order":
        Path(name).write_text("\n".join([head, *reversed(rows), ""]), "utf-8")
    elif how == "more columns":
        shown = [f"{i},{row}" for i, row in enumerate(rows)]
        Path(name).write_text("\n".join([f"number,{head}", *shown, ""]), "utf-8")
    elif how == "gz":
        name = "copy.csv.gz"
        Path(name).write_bytes(gzip.compress(Path("people.csv").read_bytes()))
    else:
        name = "copy.parquet"
        pq.write_table(pc.read_csv("people.csv"), name)
    with pytest.raises(PlanError, match=words) as error:
        publish(method=METHOD | {"levels_from": name})
    assert "about other people" in str(error.value.fix)
    with Ledger.open("ledger.db") as ledger:
        assert not ledger.budget("town").spent
    assert not Path("out").exists()
    # One person more, and nobody can tell: it is the publisher's statement.
    Path("other.csv").write_text("\n".join([head, *rows, rows[0], ""]), "utf-8")
    publish(method=PUBLIC)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"method": PUBLIC | {"choice": 0.1}}, "which costs nothing, so there is no choice"),
    ({"method": PUBLIC | {"choice": 0.1, "steps": 3}}, "no choice that steps is for"),
    ({"method": PUBLIC, "columns": FIXED}, "there is no choice that levels_from is for"),
    ({"method": {"search": "lattice", "levels_from": "x"}, "protect": [{"k-anonymity": 2}]},
     "levels_from has no meaning for lattice"),
    ({"person": "id", "privacy": {"neighbours": "add-remove"}}, "add-remove, rows: 1}`"),
    ({"person": "id", "privacy": None}, "add-remove, rows: 1}"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "words"), REFUSED)
def test_plans_that_contradict_themselves(more: dict[str, Any], words: str) -> None:
    told = {key: value for key, value in said(**more).items() if value is not None}
    with pytest.raises(HedgerowError) as caught:
        Plan.of(**told)
    assert words in str(caught.value)


# A k that is asked for


def test_a_larger_k_may_be_asked_for(town: Path) -> None:
    found = publish(columns=FIXED, method=METHOD | {"k": 200})
    assert found.k == 200
    assert found.certificate["sampling"]["k"] == 200
    assert hedgerow.verify("out").refuted == ()
    plan = Plan.of(**said(columns=FIXED, method=METHOD))
    assert "other 'sampling'" in refuted("out", plan=plan)["plan"], "the smallest is asked for"


@pytest.mark.parametrize(
    ("stated", "asked", "what", "why"),
    [
        (180, 200, "loss", "k is 180, and 200 was asked for"),
        (200, 180, "loss", "k is 200, and 180 was asked for"),
        (200, None, "words", "says otherwise of 'k'"),
    ],
)
def test_a_k_that_was_not_asked_for_is_refuted(
    stated: int, asked: int | None, what: str, why: str, town: Path
) -> None:
    publish(columns=FIXED, method=METHOD | {"k": 200})
    file = Path("out/certificate.json")
    told = json.loads(file.read_text("utf-8"))
    told["k"] = stated
    if asked is None:
        del told["sampling"]["k"]
    else:
        told["sampling"]["k"] = asked
    file.write_text(as_text(told), "utf-8")
    assert why in refuted("out")[what]


@pytest.mark.parametrize(
    ("method", "inner"),
    [
        ({"k": 1}, "delta is at least beta^k = 0.8 (the only one of a group is drawn)"),
        ({"k": 100}, "k = 100 at a rate of 0.8 keeps delta 0.00137 with epsilon 0.5"),
        ({"beta": 0.999999}, "no k up to 100,000 keeps epsilon 0.5 and delta"),
    ],
)
def test_under_change_one_it_says_where_its_numbers_come_from(
    town: Path, method: dict[str, Any], inner: str
) -> None:
    """1e-6 / (1 + e^0.5) is 3.775e-7."""
    with pytest.raises(PlanError) as caught:
        publish(columns=FIXED, method=METHOD | method, privacy="change-one")
    text = str(caught.value)
    assert "of the plan's epsilon 1 and delta 1e-06 each of the two steps may take epsilon 0.5" in (
        text
    )
    assert "and delta 3.78e-07; for one step: " in text
    assert inner in text
    with pytest.raises(PlanError) as caught:
        publish(columns=FIXED, method=METHOD | method)
    assert "step" not in str(caught.value)
    with pytest.raises(PlanError, match=r"^[^:]*method[^:]*: k must be at most 100,000, not 200,0"):
        publish(columns=FIXED, method=METHOD | {"k": 200_000}, privacy="change-one")


def test_an_impossible_k_is_told_the_bound(town: Path) -> None:
    """0.8^5 is 0.328, and 0.8^61 the last above 1e-6: ln 1e-6 / ln 0.8 is 61.9."""
    with pytest.raises(PlanError) as caught:
        publish(columns=FIXED, method=METHOD | {"k": 5})
    text = str(caught.value)
    assert "with k = 5 and 0.8 of all people drawn, delta is at least beta^k = 0.327" in text
    assert "asked for was 1e-06" in text
    assert "Take k = 62 or more" in text
    assert "method" in text, "it says where"
    with pytest.raises(PlanError, match=r"k = 134 at a rate of 0\.8 keeps delta"):
        publish(columns=FIXED, method=METHOD | {"k": 134})
    with pytest.raises(PlanError, match=r"never under beta\^k.*which is 0\.904 for k = 100,000"):
        publish(columns=FIXED, method=METHOD | {"beta": 0.999999})
    with Ledger.open("ledger.db") as ledger:
        assert not ledger.budget("town").spent


# A long walk


def test_a_walk_whose_epsilons_add_up_to_more_than_epsilon(town: Path) -> None:
    found = publish(method=METHOD | {"steps": 60, "choice": 0.02})
    assert 138 < found.k < 160
    assert found.certificate["choice"]["steps"] == 60
    assert hedgerow.verify("out").refuted == ()
    with pytest.raises(PlanError, match=r"delta of 31 choices at epsilon 0\.1 alone is 0\.000"):
        SafeRequest.of(Plan.of(**said(method=METHOD | {"steps": 30, "choice": 0.1})))


# What is told


def test_progress_tells_what_is_done(town: Path) -> None:
    words: list[str] = []
    plan = Plan.of(**said(columns=FIXED))
    hedgerow.publish(plan, progress=lambda what, share: words.append(what))
    assert words == ["counting", "drawing people", "writing", "measuring what was written", "done"]


def test_rules_that_were_changed_are_refuted(town: Path) -> None:
    publish(columns=FIXED)
    file = Path("out/certificate.json")
    told = json.loads(file.read_text("utf-8"))
    told["counting"]["rules"][0] = "All rows count."
    file.write_text(as_text(told), "utf-8")
    assert refuted("out")["words"] == "the certificate says otherwise of 'counting'"


def test_a_rate_is_never_told_as_less_or_as_one(town: Path) -> None:
    method = METHOD | {"beta": "0.12345678", "delta": "0.01"}
    assert "with probability 0.123457," in publish(columns=FIXED, method=method).certificate[
        "sampling"]["assumption"]  # fmt: skip
    sampled = SafeRequest.of(
        Plan.of(**said(columns=FIXED, method=METHOD | {"beta": "0.9999999", "delta": "0.9999998"}))
    ).terms.sampled
    assert "0.9999999," in sampled.assumption


def test_whether_somebody_came_into_the_table_is_bounded_as_stated(town: Path) -> None:
    """By the binomial laws themselves, of one who was drawn and of one who was not."""
    method = METHOD | {"beta": 0.2, "delta": 0.002, "drawn": "before"}
    found = publish(columns=FIXED, method=method)
    k, beta, e = found.k, 0.2, np.e
    times, extra = 1 + (e - 1) / beta, 0.002 / beta
    assert "at most 9.592 times that if they did not, plus 0.01." in found.certificate["protected"]
    assert 9.591 < times < 9.592

    def law(others: int, more: int) -> dict[int, float]:
        told: dict[int, float] = {}
        for j in range(others + 1):
            shown = j + more if j + more >= k else 0
            chance = comb(others, j) * beta**j * (1 - beta) ** (others - j)
            told[shown] = told.get(shown, 0.0) + chance
        return told

    worst = 0.0
    for others in range(1, 8 * k):
        came, not_ = law(others, 1), law(others, 0)
        apart = sum(max(p - times * not_.get(key, 0.0), 0.0) for key, p in came.items())
        worst = max(worst, apart)
    assert 0 < worst <= extra


def test_everybody_drawn_is_published(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samplers, "bernoulli", lambda n, *, probability: np.zeros(n, np.int8))
    lines = publish(method=PUBLIC).to_arrow().num_rows
    assert lines == 4000


@pytest.mark.parametrize("by", ["plan", "argument"])
def test_a_table_that_cannot_be_reached_costs_nothing(by: str, town: Path) -> None:
    place = "postgresql://127.0.0.1:1/hospital::open.patients"
    more = {"publish": {"to": place}} if by == "plan" else {}
    plan = Plan.of(**said(columns=FIXED, **more))
    with pytest.raises(DataError, match="cannot be reached"):
        hedgerow.publish(plan, to=place if by == "argument" else None)
    with Ledger.open("ledger.db") as ledger:
        assert not ledger.budget("town").spent
